//! How a command is run, where somebody wrote it down: what a definition says
//! beyond names and types.
//!
//! A program that was read has none of it; its commands run as the caller's
//! settings say.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Family, is_default};
use crate::policy::SandboxPolicy;

/// How a defined command is run and what becomes of its output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunSpec {
    /// The family whose forms its words have, where a definition says one: what protects a
    /// word from being read as something else depends on who reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<Family>,
    /// Words that stand before all others: `-m json.tool` of a `python3`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Milliseconds after which it is ended.
    pub timeout_ms: u64,
    /// Where it runs, relative to the caller's folder.
    pub workdir: String,
    /// Variables that it sees, as written.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Whether `$NAME` in those stands for the server's own variable.
    #[serde(skip_serializing_if = "is_default")]
    pub expand_env: bool,
    /// The program is a line for `sh`, and words are quoted behind it.
    #[serde(skip_serializing_if = "is_default")]
    pub shell: bool,
    /// A non-zero exit code is a result, not a failure.
    #[serde(skip_serializing_if = "is_default")]
    pub allow_failure: bool,
    /// Whether `--` ends the flags; where it does not, no positional may look like one.
    pub end_of_options: bool,
    /// What it reads, where it reads something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<StdinSpec>,
    /// What becomes of its stdout.
    #[serde(skip_serializing_if = "is_default")]
    pub stdout: StdoutSpec,
    /// What becomes of its stderr.
    #[serde(skip_serializing_if = "is_default")]
    pub stderr: StderrSpec,
    /// The JSON Schema of what it prints, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// What it may do.
    pub sandbox: SandboxPolicy,
}

impl Default for RunSpec {
    fn default() -> Self {
        Self {
            family: None,
            words: Vec::new(),
            timeout_ms: 30_000,
            workdir: ".".to_owned(),
            env: BTreeMap::new(),
            expand_env: false,
            shell: false,
            allow_failure: false,
            end_of_options: true,
            stdin: None,
            stdout: StdoutSpec::default(),
            stderr: StderrSpec::default(),
            output_schema: None,
            sandbox: SandboxPolicy::default(),
        }
    }
}

/// What a command reads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StdinSpec {
    /// What is expected.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// How the argument becomes bytes.
    pub format: StdinFormat,
    /// Whether a call must give it.
    pub required: bool,
}

/// How the `stdin` argument becomes bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StdinFormat {
    /// The string as it is.
    #[default]
    Text,
    /// A string that holds JSON, checked; any other JSON value is written as JSON.
    Json,
    /// A string in base64.
    Binary,
}

/// What becomes of stdout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StdoutSpec {
    /// What it is read as, for the result's `data`.
    pub format: StdoutFormat,
    /// Whether white space around it is dropped.
    pub trim: bool,
    /// How its bytes become a string.
    pub encoding: Encoding,
}

impl Default for StdoutSpec {
    fn default() -> Self {
        Self {
            format: StdoutFormat::Auto,
            trim: true,
            encoding: Encoding::Utf8,
        }
    }
}

/// What stdout is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StdoutFormat {
    /// JSON, or the call failed.
    Json,
    /// Text only.
    Text,
    /// JSON or JSON Lines where it is that.
    #[default]
    Auto,
}

/// How bytes become a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// As text.
    #[default]
    Utf8,
    /// In base64, for programs that print no text.
    Base64,
}

/// What becomes of stderr.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StderrSpec {
    /// Whether the result holds it.
    pub capture: bool,
    /// Whether a call that prints to it failed.
    pub fail_on_output: bool,
}

impl Default for StderrSpec {
    fn default() -> Self {
        Self {
            capture: true,
            fail_on_output: false,
        }
    }
}

/// Parameters that depend on each other, by their names in the command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// At most one of these.
    Exclusive(Vec<String>),
    /// All of these or none.
    Together(Vec<String>),
    /// At least one of these.
    AnyOf(Vec<String>),
    /// The first only with all the others.
    Requires(Vec<String>),
}

/// MCP's hints about a tool, where somebody wrote them down; what is left open
/// follows from the effect and the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Annotations {
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// It changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// It may remove or overwrite something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// A second call with the same arguments changes nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// It deals with things outside of this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

/// How a secret reaches the program: never as a word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Secret {
    /// In this variable.
    Environment(String),
    /// As what it reads.
    Stdin,
}
