//! The server's side: starts a launcher and hears its reports.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use argway_core::policy::{Demand, SandboxPolicy};
use rustix::process::Pid;

use crate::frame::Report;
use crate::layers::LayerError;
use crate::view::ViewError;

/// One program to run in a sandbox.
#[derive(Debug, Clone)]
pub struct Job {
    /// The file to run, absolute.
    pub program: PathBuf,
    /// The words after it.
    pub words: Vec<OsString>,
    /// Its whole environment but for HOME and TMPDIR, which the sandbox sets.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it runs, absolute.
    pub directory: PathBuf,
    /// The caller's home, for [`argway_core::policy::Filesystem::Home`].
    pub home: Option<PathBuf>,
    /// What it may do.
    pub policy: SandboxPolicy,
    /// How much of that must hold.
    pub demand: Demand,
}

/// What the program's streams are.
#[derive(Debug)]
pub struct Stdio {
    /// What it reads.
    pub stdin: OwnedFd,
    /// Where it prints.
    pub stdout: OwnedFd,
    /// Where it complains.
    pub stderr: OwnedFd,
}

/// A launched program. Dropping it ends everything that the program started.
#[derive(Debug)]
pub struct Sandboxed {
    /// The launcher's process, a child of this one: whoever holds this waits for it.
    pub pid: Pid,
    /// Readable when there is a report or the launcher is gone; does not block.
    pub control: OwnedFd,
}

impl Sandboxed {
    /// The next report that has arrived, if one has.
    pub fn report(&mut self) -> Option<Report> {
        None
    }

    /// Asks the program and everything that it started to end (SIGTERM).
    pub fn ask_to_end(&self) {}

    /// Ends the program and everything that it started.
    pub fn kill(&self) {}
}

/// Why a program was not started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The policy cannot mean what it says here.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A promised layer is not to be had.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// The launcher itself could not be started.
    #[error("the sandbox's launcher could not be started: {0}")]
    Spawn(std::io::Error),
}

/// Starts `job`. The streams are the program's own from then on.
///
/// Returns at once: whether the layers held is told by the first report.
pub fn launch(_job: &Job, _stdio: Stdio) -> Result<Sandboxed, LaunchError> {
    Err(LaunchError::Spawn(std::io::ErrorKind::Unsupported.into()))
}
