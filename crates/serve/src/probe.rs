//! Asks a real program: starts it with nothing to read, nothing to write to and
//! little time, many at once.

use std::path::PathBuf;
use std::time::Duration;

use argway_core::probe::{Answer, Probe, ProbeError, Question};

/// How a real program is asked.
#[derive(Debug, Clone)]
pub struct ProcessProbe {
    /// The file to run, absolute.
    pub program: PathBuf,
    /// Each question is ended after this long.
    pub timeout: Duration,
    /// Bytes kept of each stream; more ends the question.
    pub max_output: usize,
    /// How many run at once.
    pub jobs: usize,
    /// Give it the caller's HOME and XDG folders instead of empty ones.
    pub with_home: bool,
}

impl Probe for ProcessProbe {
    fn ask(&mut self, _questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        todo!()
    }
}
