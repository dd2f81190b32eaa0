//! From a tool call to its reply: what every face of the running side shares.
//!
//! `argway call` and the MCP server both come through here; neither builds a
//! command line or a reply by itself.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use argway_core::argv::ArgumentError;
use argway_core::catalog::{Catalog, Layout};
use argway_core::output::{DataFormat, Reply};
use serde_json::{Map, Value};

use crate::exec::{Event, ExecError, Invocation};

/// How calls are run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The shape of tools.
    pub layout: Layout,
    /// A call is ended after this long.
    pub timeout: Duration,
    /// Bytes of each stream kept in a result.
    pub max_output: usize,
    /// Bytes of each stream kept in a file beyond that.
    pub max_spill: u64,
    /// What stdout is read as.
    pub format: DataFormat,
    /// Add the program's own JSON switch where it has one and the caller chose nothing.
    pub json_output: bool,
    /// Where programs run; the server's folder otherwise.
    pub directory: Option<PathBuf>,
}

/// A catalog that can be called.
#[derive(Debug)]
pub struct Bridge {
    /// The tools.
    pub catalog: Arc<Catalog>,
    /// How they are run.
    pub settings: Settings,
}

/// Why a call was not run.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// No such tool.
    #[error("no tool is called `{name}`{}", .nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    UnknownTool {
        /// What was asked for.
        name: String,
        /// The nearest right name.
        nearest: Option<String>,
    },
    /// The arguments are wrong.
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
    /// It could not be started.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// The caller took it back before its turn came.
    #[error("cancelled before it was run")]
    Cancelled,
    /// The words are longer than the system takes.
    #[error("{0}")]
    TooLong(String),
}

/// A call that was checked and not yet run.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The tool's name.
    pub tool: String,
    /// The file to run.
    pub program: PathBuf,
    /// The words after it.
    pub words: Vec<OsString>,
}

impl Bridge {
    /// Checks a call and says what would be run.
    pub fn prepare(
        &self,
        _tool: &str,
        _arguments: &Map<String, Value>,
    ) -> Result<Prepared, CallError> {
        todo!()
    }

    /// Runs a prepared call.
    pub async fn run(
        &self,
        _prepared: &Prepared,
        _cancel: impl Future<Output = ()>,
        _events: &mut (dyn FnMut(Event) + Send),
    ) -> Result<Reply, CallError> {
        let _: Option<Invocation> = None;
        todo!()
    }
}
