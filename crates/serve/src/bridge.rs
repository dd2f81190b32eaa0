//! From a tool call to its reply: what every face of the running side shares.
//!
//! `argway call` and the MCP server both come through here; neither builds a
//! command line or a reply by itself.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use argway_core::argv::{self, ArgumentError, Arguments, Room, TooLong};
use argway_core::catalog::{Catalog, Layout, Tool};
use argway_core::output::{self, DataFormat, Outcome, Reply};
use argway_core::policy::{Demand, PolicyOverrides, SandboxPolicy};
use serde_json::{Map, Value};

use crate::exec::{self, Event, ExecError, Invocation, Limits};
use crate::identify::{self, ResolveError};

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
    /// What calls may do.
    pub sandbox: SandboxSettings,
}

/// What calls may do. Definitions bring their own policy; programs that were read have none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SandboxSettings {
    /// Run everything without a sandbox: the operator's choice.
    pub off: bool,
    /// How much of a policy must hold.
    pub demand: Demand,
    /// The policy of programs that bring none; nothing means that they run without.
    pub programs: Option<SandboxPolicy>,
    /// What the operator says instead of any policy.
    pub overrides: PolicyOverrides,
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
    /// The program is not there.
    #[error(transparent)]
    Program(#[from] ResolveError),
    /// It could not be started.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// The caller took it back before its turn came.
    #[error("cancelled before it was run")]
    Cancelled,
    /// The words are longer than the system takes.
    #[error(transparent)]
    TooLong(#[from] TooLong),
}

/// A call that was checked and not yet run.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The tool's name.
    pub tool: String,
    /// The file to run; a bare name is looked for on PATH when it is run.
    pub program: PathBuf,
    /// The words after it.
    pub words: Vec<OsString>,
    /// What it reads; nothing means an empty stdin.
    pub stdin: Option<Vec<u8>>,
    /// What its stdout is read as.
    pub format: DataFormat,
}

impl Bridge {
    /// Checks a call and says what would be run.
    pub fn prepare(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Prepared, CallError> {
        let tool = self.tool(name)?;
        let mut format = self.settings.format;
        let mut checked = Arguments::check(tool, self.settings.layout, arguments)?;
        if self.settings.json_output
            && let Some(switch) = argv::json_switch(tool, &checked)
        {
            checked = checked.with_json(&switch);
            // docker's `--format json` prints a line of JSON for each row.
            if format == DataFormat::Json {
                format = DataFormat::Any;
            }
        }
        let words: Vec<OsString> = argv::encode(tool, &checked)?
            .into_iter()
            .map(OsString::from)
            .collect();
        let program = match &tool.program.executable {
            Some(file) => PathBuf::from(file),
            None => PathBuf::from(&tool.program.name),
        };
        fits(&program, &words)?;
        Ok(Prepared {
            tool: name.to_owned(),
            program,
            words,
            stdin: checked.stdin().map(<[u8]>::to_vec),
            format,
        })
    }

    /// Runs a prepared call.
    pub async fn run(
        &self,
        prepared: &Prepared,
        cancel: impl Future<Output = ()>,
        events: &mut (dyn FnMut(Event) + Send),
    ) -> Result<Reply, CallError> {
        let outcome = self.execute(prepared, cancel, events).await?;
        self.reply(prepared, &outcome)
    }

    /// Runs a prepared call and gives what it did, for callers that want its bytes.
    pub async fn execute(
        &self,
        prepared: &Prepared,
        cancel: impl Future<Output = ()>,
        events: &mut (dyn FnMut(Event) + Send),
    ) -> Result<Outcome, CallError> {
        let settings = &self.settings;
        // A description may leave the file out, or was written on another machine.
        let program = match prepared.program.is_absolute() {
            true => prepared.program.clone(),
            false => identify::resolve(&prepared.program)?,
        };
        let invocation = Invocation {
            program,
            words: prepared.words.clone(),
            stdin: prepared.stdin.clone(),
            directory: settings.directory.clone(),
            environment: exec::environment(),
            limits: Limits {
                timeout: settings.timeout,
                keep: settings.max_output,
                spill: settings.max_spill,
                spill_folders: spill_folders(),
            },
            sandbox: None,
        };
        Ok(exec::run(invocation, cancel, events).await?)
    }

    /// What a caller reads of a prepared call that ended in `outcome`.
    pub fn reply(&self, prepared: &Prepared, outcome: &Outcome) -> Result<Reply, CallError> {
        let tool = self.tool(&prepared.tool)?;
        let layout = self.settings.layout;
        Ok(output::reply(tool, layout, prepared.format, outcome))
    }

    /// What a prepared call wanted from a terminal, and what to pass instead.
    pub fn advice(&self, prepared: &Prepared, outcome: &Outcome) -> Option<String> {
        output::advice(self.tool(&prepared.tool).ok()?, outcome)
    }

    fn tool(&self, name: &str) -> Result<&Tool, CallError> {
        self.catalog
            .find(name)
            .ok_or_else(|| CallError::UnknownTool {
                name: name.to_owned(),
                nearest: self.catalog.nearest(name).map(|tool| tool.name.clone()),
            })
    }
}

/// More than the variables that a run adds to the environment take.
const ADDED_ENVIRONMENT: usize = 4096;

/// Where long output goes: on disk rather than in a temporary folder, which is memory
/// on many systems; there only for a user without a home.
fn spill_folders() -> Vec<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .or_else(|| Some(std::env::home_dir()?.join(".cache")));
    let user = rustix::process::getuid().as_raw();
    let temporary = std::env::temp_dir().join(format!("argway-{user}"));
    let cache = cache.map(|cache| cache.join("argway").join("output"));
    cache.into_iter().chain([temporary]).collect()
}

/// Refuses what the system would refuse, before anything is started.
fn fits(program: &Path, words: &[OsString]) -> Result<(), TooLong> {
    let words = std::iter::once(program.as_os_str())
        .chain(words.iter().map(OsString::as_os_str))
        .map(OsStr::as_encoded_bytes);
    let environment = std::env::vars_os().map(|(name, value)| name.len() + 1 + value.len());
    // What a run adds to the environment: see `exec::environment`.
    let added = std::iter::once(ADDED_ENVIRONMENT);
    argv::size(words, environment.chain(added), Room::default())
}
