//! Why argway ends without its result, and the exit code that says so.

use std::io;
use std::process::ExitCode;

/// Why a verb did not give its result.
#[derive(Debug)]
pub enum Failure {
    /// The called command failed; what it printed says why.
    Called,
    /// What the user asked for cannot be: a wrong flag value, name or argument.
    Usage(anyhow::Error),
    /// The program, its transcript or its description could not be read or started.
    Program(anyhow::Error),
    /// What was checked has mistakes; they were shown.
    Mistakes,
    /// The result could not be written.
    Output(io::Error),
    /// Nobody reads the result any more (`| head -1`): not a failure of ours.
    ReaderGone,
    /// Ended by Ctrl-C or a request to terminate: the signal's number.
    Interrupted(u8),
}

impl Failure {
    /// The failure behind an error of writing to stdout.
    pub fn from_output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Output(error),
        }
    }

    /// What a person reads about it; nothing where enough was said.
    pub fn message(&self) -> Option<String> {
        match self {
            Failure::Called | Failure::Mistakes | Failure::ReaderGone | Failure::Interrupted(_) => {
                None
            }
            // `{:#}` shows what was being done and why it failed on one line.
            Failure::Usage(error) | Failure::Program(error) => Some(format!("{error:#}")),
            Failure::Output(error) => Some(format!("the result could not be written: {error}")),
        }
    }

    /// The exit code, as GUIDE.md documents it.
    pub fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::ReaderGone => 0,
            Failure::Called | Failure::Output(_) => 1,
            Failure::Usage(_) | Failure::Mistakes => 2,
            Failure::Program(_) => 3,
            // What a shell reports for a process that a signal ended.
            Failure::Interrupted(signal) => 128 + signal,
        })
    }
}
