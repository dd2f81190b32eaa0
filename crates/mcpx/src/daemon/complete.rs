//! Completion: the scripts of the shells, and what they ask for.

use std::collections::BTreeMap;

use argway_core::sources::tool::ToolSpec;

use crate::config::ServerEntry;

/// The shells that there is a script for.
pub const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// A word that could stand where the cursor is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The whole word.
    pub word: String,
    /// What it is, one line.
    pub description: String,
}

/// What must be known to complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// The tools of this server. It may be no server at all: then complete without.
    ToolsOf(String),
}

/// The script of a shell.
pub fn script(shell: &str) -> Option<&'static str> {
    let _ = shell;
    todo!()
}

/// What completing the last of `words` takes.
pub fn needs(words: &[String]) -> Needs {
    let _ = words;
    todo!()
}

/// What the last of `words` could be.
pub fn complete(
    words: &[String],
    servers: &BTreeMap<String, ServerEntry>,
    tools: Option<&[ToolSpec]>,
) -> Vec<Candidate> {
    let _ = (words, servers, tools);
    todo!()
}

/// Candidates as `__complete` prints them: `word\tdescription`, one a line.
pub fn lines(candidates: &[Candidate]) -> String {
    let _ = candidates;
    todo!()
}
