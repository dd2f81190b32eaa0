//! Runs one command line: its own process group, bounded output, a sure end.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use argway_core::output::Outcome;

/// One command line to run.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The file to run, absolute.
    pub program: PathBuf,
    /// The words after it.
    pub words: Vec<OsString>,
    /// What it reads; nothing means an empty stdin.
    pub stdin: Option<Vec<u8>>,
    /// Where it runs; the caller's folder otherwise.
    pub directory: Option<PathBuf>,
    /// The environment: inherited and added to, or exactly this.
    pub environment: Environment,
    /// Bounds.
    pub limits: Limits,
}

/// The variables that a run sees.
#[derive(Debug, Clone)]
pub enum Environment {
    /// The caller's, with these set (or unset).
    Inherit(Vec<(OsString, Option<OsString>)>),
    /// These alone.
    Exactly(Vec<(OsString, OsString)>),
}

/// Bounds on one run.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Ended after this long.
    pub timeout: Duration,
    /// Bytes of each stream kept in memory.
    pub keep: usize,
    /// Bytes of each stream kept in a file beyond that; the run is ended after it.
    pub spill: u64,
    /// Where such files go: a private folder. None: nothing is spilled, the run is ended.
    pub spill_folder: Option<PathBuf>,
}

/// Something that happened while a run went on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// So many bytes of stdout so far.
    Stdout(u64),
    /// A whole line of stderr.
    StderrLine(String),
}

/// Why a run did not start.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The file could not be run.
    #[error("{}: {source}", .program.display())]
    Spawn {
        /// The file.
        program: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Runs `invocation`. Dropping the future, or completing `cancel`, ends the whole
/// process tree.
pub async fn run(
    _invocation: Invocation,
    _cancel: impl Future<Output = ()>,
    _events: &mut (dyn FnMut(Event) + Send),
) -> Result<Outcome, ExecError> {
    todo!()
}
