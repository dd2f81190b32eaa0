//! From a tool call to its reply: what every face of the running side shares.
//!
//! `argway call` and the MCP server both come through here; neither builds a
//! command line or a reply by itself.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use argway_core::argv::{self, ArgumentError, Arguments};
use argway_core::catalog::{Catalog, Layout, Tool};
use argway_core::json_switch;
use argway_core::output::{self, DataFormat, Reply};
use serde_json::{Map, Value};

use crate::exec::{self, Event, ExecError, Invocation, Limits};

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
        let layout = self.settings.layout;
        let mut format = self.settings.format;
        let with_json = match self.settings.json_output {
            true => json_switch::added(tool, layout, arguments),
            false => None,
        };
        // Arguments that are wrong without the switch are told without it.
        let checked = Arguments::check(tool, layout, arguments)?;
        let checked = match with_json.map(|arguments| Arguments::check(tool, layout, &arguments)) {
            Some(Ok(with_json)) => {
                // docker's `--format json` prints a line of JSON for each row.
                if format == DataFormat::Json {
                    format = DataFormat::Any;
                }
                with_json
            }
            _ => checked,
        };
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
        let tool = self.tool(&prepared.tool)?;
        let settings = &self.settings;
        let invocation = Invocation {
            program: prepared.program.clone(),
            words: prepared.words.clone(),
            stdin: None,
            directory: settings.directory.clone(),
            environment: exec::call_environment(),
            limits: Limits {
                timeout: settings.timeout,
                keep: settings.max_output,
                spill: settings.max_spill,
                spill_folder: Some(spill_folder()),
            },
        };
        let outcome = exec::run(invocation, cancel, events).await?;
        Ok(output::reply(tool, settings.layout, prepared.format, &outcome))
    }

    fn tool(&self, name: &str) -> Result<&Tool, CallError> {
        self.catalog.find(name).ok_or_else(|| CallError::UnknownTool {
            name: name.to_owned(),
            nearest: self.catalog.nearest(name).map(|tool| tool.name.clone()),
        })
    }
}

/// Where long output goes: on disk rather than in a temporary folder, which is memory
/// on many systems.
fn spill_folder() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .or_else(|| Some(std::env::home_dir()?.join(".cache")));
    match cache {
        Some(cache) => cache.join("argway").join("output"),
        None => {
            let user = rustix::process::getuid().as_raw();
            std::env::temp_dir().join(format!("argway-{user}"))
        }
    }
}

/// The longest word that Linux passes to a program, with its end (MAX_ARG_STRLEN).
const MAX_WORD: usize = 128 * 1024;

/// Refuses what the system would refuse, and says which part is too long.
fn fits(program: &Path, words: &[OsString]) -> Result<(), CallError> {
    if let Some(long) = words.iter().find(|word| word.len() >= MAX_WORD) {
        let start = String::from_utf8_lossy(&long.as_encoded_bytes()[..40]).into_owned();
        return Err(CallError::TooLong(format!(
            "a value of {} bytes does not fit on a command line, where one word has less than {MAX_WORD}: `{start}…`; \
             write it to a file and pass the file's name if the command takes one",
            long.len()
        )));
    }
    let with_pointer = |len: usize| len + 1 + size_of::<usize>();
    let environment: usize = std::env::vars_os()
        .map(|(name, value)| with_pointer(name.len() + 1 + value.len()))
        .sum();
    let total: usize = words.iter().map(|word| with_pointer(word.len())).sum();
    let room = room().saturating_sub(environment + with_pointer(program.as_os_str().len()));
    if total > room {
        return Err(CallError::TooLong(format!(
            "the command line has {total} bytes and the system takes {room}; give it less in one call"
        )));
    }
    Ok(())
}

/// Bytes that arguments and environment have together: a quarter of the stack, and
/// Linux keeps it between 128 KiB and 6 MiB. A page is left for what the system adds.
fn room() -> usize {
    let stack = rustix::process::getrlimit(rustix::process::Resource::Stack).current;
    let quarter = stack.map_or(u64::MAX, |bytes| bytes / 4);
    let bytes = quarter.clamp(128 * 1024, 6 * 1024 * 1024) - 4096;
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
