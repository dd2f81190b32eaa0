//! Reads a Cobra program: walks its help pages and static completions, and joins
//! what they say into the model.

use crate::model::Reading;
use crate::probe::Probe;

/// Choices in reading a program.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Ask the program's parser about types that the text leaves open.
    pub oracle: bool,
}

/// Why a program could not be read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Its root page could not be had.
    #[error("`{program} --help` {why}")]
    NoHelp {
        /// The program's name.
        program: String,
        /// What happened instead.
        why: String,
    },
}

/// Reads the Cobra program `name`.
pub fn read(_name: &str, _probe: &mut dyn Probe, _options: Options) -> Result<Reading, ReadError> {
    todo!()
}
