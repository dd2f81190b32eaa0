//! A call that was checked and not yet run, and how it is shown.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use argway_core::argv;
use argway_core::output::DataFormat;

use super::redaction::{HIDDEN, Redaction};
use super::variables::{Origin, Variable};
use crate::exec::{Environment, Sandbox};

/// What the server's environment holds is taken for a secret from this length on.
const SHORTEST_TOKEN: usize = 8;

/// A call that was checked and not yet run. What it holds of secrets, it shows to
/// nobody.
#[derive(Clone)]
pub struct Prepared {
    /// The tool's name.
    pub tool: String,
    /// The file to run; a bare name is looked for on PATH when it is run.
    pub program: PathBuf,
    /// The words after it.
    pub words: Vec<OsString>,
    /// What it reads; nothing means an empty stdin.
    pub stdin: Option<Vec<u8>>,
    /// What its stdout is read as.
    pub format: DataFormat,
    /// Where it runs; the server's folder otherwise.
    pub directory: Option<PathBuf>,
    /// Variables that it is given, besides those that every run has.
    pub variables: Vec<Variable>,
    /// How long it may take.
    pub timeout: Duration,
    /// What it may do; nothing means whatever the server may.
    pub sandbox: Option<Sandbox>,
    /// Somebody wrote this command down: it is looked for as definitions' are.
    pub(super) defined: bool,
    /// All of its variables.
    pub(super) environment: Environment,
    /// What it reads is a secret.
    pub(super) stdin_is_secret: bool,
}

impl Prepared {
    /// Where it runs, unless that is this process' own folder.
    pub fn elsewhere(&self) -> Option<&Path> {
        let here = std::env::current_dir().and_then(std::fs::canonicalize);
        let directory = self.directory.as_deref()?;
        (here.ok().as_deref() != Some(directory)).then_some(directory)
    }

    /// The whole command line as a person would type it, secrets hidden:
    /// `cd /data && TOKEN=*** jq .`
    pub fn shell_line(&self) -> String {
        let mut line = String::new();
        if let Some(folder) = self.elsewhere() {
            line.push_str(&argv::shell_line(["cd", &folder.to_string_lossy()]));
            line.push_str(" && ");
        }
        for variable in &self.variables {
            let value = match variable.shown() {
                None => HIDDEN.to_owned(),
                // As an argument, or it would be taken for a command and quoted as one.
                Some(value) => argv::shell_line(["", &*value]).split_off("'' ".len()),
            };
            line.push_str(&format!("{}={value} ", variable.name));
        }
        let program = self.program.to_string_lossy();
        let words: Vec<_> = self
            .words
            .iter()
            .map(|word| word.to_string_lossy())
            .collect();
        let words = std::iter::once(&*program).chain(words.iter().map(|word| &**word));
        line.push_str(&argv::shell_line(words));
        if self.stdin_is_secret {
            line.push_str(&format!(" < {HIDDEN}"));
        }
        line
    }

    /// What of this call must not be told while it runs.
    pub(super) fn redaction(&self) -> Redaction {
        let variables = self.variables.iter().filter(|it| match it.origin {
            Origin::Definition => false,
            // `LANG` is no secret, and `C` stands in many a line.
            Origin::Server => it.value.len() >= SHORTEST_TOKEN,
            Origin::Caller => true,
        });
        let stdin = self.stdin.as_deref().filter(|_| self.stdin_is_secret);
        Redaction::of(
            variables
                .map(|variable| variable.value.as_encoded_bytes())
                .chain(stdin),
        )
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = self.stdin.as_ref().map(|bytes| bytes.len());
        f.debug_struct("Prepared")
            .field("tool", &self.tool)
            .field("program", &self.program)
            .field("words", &self.words)
            .field("stdin_bytes", &read)
            .field("format", &self.format)
            .field("directory", &self.directory)
            .field("variables", &self.variables)
            .field("timeout", &self.timeout)
            .field("sandbox", &self.sandbox)
            .finish_non_exhaustive()
    }
}
