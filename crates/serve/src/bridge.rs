//! From a tool call to its reply: what every face of the running side shares.
//!
//! `argway call` and the MCP server both come through here; neither builds a
//! command line or a reply by itself.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use argway_core::argv::{self, ArgumentError, Room, TooLong};
use argway_core::catalog::{Catalog, Layout, Tool};
use argway_core::model::{Family, RunSpec};
use argway_core::output::{self, DataFormat, Outcome, Reply};
use argway_core::policy::{Demand, PolicyOverrides, SandboxPolicy};
use serde_json::{Map, Value};

use crate::exec::{self, Event, ExecError, Invocation, Limits};
use crate::identify::{self, ResolveError};

mod codec;
mod prepared;
mod reach;
mod redaction;
mod setup;
mod variables;

pub use prepared::Prepared;
pub use setup::SetupError;
pub use variables::{Origin, Variable};

use reach::Reach;

/// How calls are run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The shape of tools.
    pub layout: Layout,
    /// A call is ended after this long, where neither the operator nor a definition says.
    pub timeout: Duration,
    /// What the operator says: the last word, over definitions too.
    pub operator_timeout: Option<Duration>,
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
    /// It cannot be run as it is defined.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Bridge {
    /// Checks a call and says what would be run.
    pub fn prepare(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Prepared, CallError> {
        let tool = self.tool(name)?;
        let settings = &self.settings;
        let run = tool.spec().run.as_deref();
        let checked = codec::check(tool, settings.layout, settings.json_output, arguments)?;
        let (program, words) = command(tool, run, &checked.words);

        let sandbox = settings.sandbox(run);
        let policy = sandbox.as_ref().map(|sandbox| &sandbox.policy);
        let directory = match run.is_some() || sandbox.is_some() {
            true => Some(settings.folder(run)?),
            false => settings.directory.clone(),
        };
        if let (Some(policy), Some(directory)) = (policy, &directory) {
            let home = std::env::home_dir();
            let reach = Reach {
                policy,
                program: &program,
                directory,
                home: home.as_deref(),
            };
            reach.check(&checked.paths)?;
        }
        let server = std::env::vars_os().collect();
        let variables = variables::set(run, checked.secrets, &server)?;
        let environment = match run.is_some() || sandbox.is_some() || !variables.is_empty() {
            true => variables::environment(policy, &variables, &server)?,
            false => exec::environment(),
        };
        fits(
            &program,
            &words,
            &variables,
            variables::lengths(&environment, &server),
        )?;
        Ok(Prepared {
            tool: name.to_owned(),
            program,
            words,
            stdin: checked.stdin,
            // docker's `--format json` prints a line of JSON for each row.
            format: match settings.format {
                DataFormat::Json if checked.json => DataFormat::Any,
                format => format,
            },
            directory,
            variables,
            timeout: settings.timeout(run),
            sandbox,
            defined: run.is_some() || tool.program.family == Family::Definition,
            environment,
            stdin_is_secret: checked.stdin_is_secret,
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
        let invocation = Invocation {
            program: file(prepared)?,
            words: prepared.words.clone(),
            stdin: prepared.stdin.clone(),
            directory: prepared.directory.clone(),
            environment: prepared.environment.clone(),
            limits: Limits {
                timeout: prepared.timeout,
                keep: settings.max_output,
                spill: settings.most_output(prepared.sandbox.as_ref()),
                spill_folders: spill_folders(),
            },
            sandbox: prepared.sandbox.clone(),
        };
        let redaction = prepared.redaction();
        if redaction.is_empty() {
            return Ok(exec::run(invocation, cancel, events).await?);
        }
        let mut events = |event| events(redaction.event(event));
        Ok(exec::run(invocation, cancel, &mut events).await?)
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

    /// Why a prepared call failed by what its definition says, whatever its exit code was.
    pub fn failures(&self, prepared: &Prepared, outcome: &Outcome) -> Vec<String> {
        match self.tool(&prepared.tool) {
            Ok(tool) => output::failures(tool, prepared.format, outcome),
            Err(_) => Vec::new(),
        }
    }

    fn tool(&self, name: &str) -> Result<&Tool, CallError> {
        self.catalog
            .find(name)
            .ok_or_else(|| CallError::UnknownTool {
                // No tool has a longer name.
                name: name.chars().take(64).collect(),
                nearest: self.catalog.nearest(name).map(|tool| tool.name.clone()),
            })
    }
}

/// The program of a call and the words after it.
fn command(tool: &Tool, run: Option<&RunSpec>, words: &[String]) -> (PathBuf, Vec<OsString>) {
    let named = tool.program.executable.as_ref();
    let named = named.unwrap_or(&tool.program.name);
    if run.is_some_and(|run| run.shell) {
        let line = match words {
            [] => named.clone(),
            words => format!("{named} {}", argv::quoted(words.iter().map(String::as_str))),
        };
        return (PathBuf::from(SHELL), vec!["-c".into(), line.into()]);
    }
    let words = words.iter().map(OsString::from).collect();
    (PathBuf::from(named), words)
}

/// The file of a call's program, which is there now.
fn file(prepared: &Prepared) -> Result<PathBuf, ResolveError> {
    let program = &prepared.program;
    match (prepared.defined, program.is_absolute()) {
        (true, _) => identify::resolve_command(program),
        (false, true) => Ok(program.clone()),
        // A description may leave the file out, or was written on another machine.
        (false, false) => identify::resolve(program),
    }
}

/// Runs the lines of definitions that say `shell true`.
const SHELL: &str = "/bin/sh";

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
fn fits(
    program: &Path,
    words: &[OsString],
    variables: &[Variable],
    environment: Vec<usize>,
) -> Result<(), TooLong> {
    let words = std::iter::once(program.as_os_str())
        .chain(words.iter().map(OsString::as_os_str))
        .map(OsStr::as_encoded_bytes);
    let room = Room::default();
    // The system counts a variable as it does a word.
    let lengths = variables
        .iter()
        .map(|variable| variable.name.len() + 1 + variable.value.len());
    if let Some(bytes) = lengths.max().filter(|&bytes| bytes >= room.word) {
        let most = room.word - 1;
        return Err(TooLong::Word { bytes, most });
    }
    // What a run adds to the environment: its mark, and the sandbox's folders.
    let added = std::iter::once(ADDED_ENVIRONMENT);
    argv::size(words, environment.into_iter().chain(added), room)
}
