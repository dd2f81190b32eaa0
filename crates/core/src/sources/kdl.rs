//! Tools that somebody described by hand, in KDL: text → [`Definition`]s.
//!
//! Both KDL 1 and KDL 2 are read. A mistake costs its definition, not the file; it
//! is a miette diagnostic with the place in the source. Where files come from, who
//! may be trusted and which file a command is are the caller's business.

use crate::model::Reading;

/// What one file holds.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    /// The definitions without a mistake, in order.
    pub definitions: Vec<Definition>,
    /// Everything that is wrong, in order.
    pub mistakes: Vec<Mistake>,
}

/// One `cli` node.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// The tool: a program of [`crate::model::Family::Definition`] whose `executable` is
    /// the command as it is written; the root command and its subcommands each have a
    /// [`crate::model::RunSpec`].
    pub reading: Reading,
    /// The line of the `cli` node, from 1.
    pub line: usize,
    /// What its user should know before it runs (`shell true`), a sentence each.
    pub warnings: Vec<String>,
}

/// Something wrong in a file, with its place.
#[derive(Debug, Clone)]
pub struct Mistake {
    /// What is wrong and what would be right.
    pub message: String,
}

/// Reads the `cli` nodes of a file called `name`.
pub fn read(_name: &str, _text: &str) -> Definitions {
    Definitions::default()
}
