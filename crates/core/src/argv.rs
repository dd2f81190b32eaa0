//! Turns a tool's JSON arguments into the words of one command line.
//!
//! Nothing here runs a process. `Arguments::check` is the door: unknown names and
//! wrong types end there, all of them in one error.

use serde_json::{Map, Value};

use crate::catalog::{Layout, Tool};

/// Checked arguments of one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    _private: (),
}

/// Everything that is wrong with a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .problems.join("\n"))]
pub struct ArgumentError {
    /// One sentence each.
    pub problems: Vec<String>,
}

impl Arguments {
    /// Checks `json` against what `tool` takes.
    pub fn check(
        _tool: &Tool,
        _layout: Layout,
        _json: &Map<String, Value>,
    ) -> Result<Self, ArgumentError> {
        todo!()
    }
}

/// The words after the program's name.
pub fn encode(_tool: &Tool, _arguments: &Arguments) -> Result<Vec<String>, ArgumentError> {
    todo!()
}

/// `words` as one line that a POSIX shell would read back to the same words.
pub fn shell_line<'a>(_words: impl IntoIterator<Item = &'a str>) -> String {
    todo!()
}
