//! Turns what a program did into what a caller reads.
//!
//! Here are the types and the putting together; each way of reading the bytes has
//! a module of its own.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::policy::{Enforcement, Exceeded};

mod ansi;
mod data;
mod declared;
mod prompt;
mod reply;
mod stream;
mod table;
mod unwrap;
pub(crate) mod yaml;

pub use ansi::shown;
pub use reply::{advice, failures, reply};
pub use unwrap::{Media, NoResult, Piece, Printed, unwrap};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that argway did not send.
    Signalled(i32),
    /// It was ended after this long.
    TimedOut(Duration),
    /// The caller took the call back.
    Cancelled,
    /// It printed more than this many bytes and was ended.
    Flooded(u64),
    /// It used more than its sandbox allows and was ended.
    Exceeded(Exceeded),
}

/// One stream of a finished run, bounded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    /// Everything, or the first part where there was more.
    pub head: Vec<u8>,
    /// The last part where there was more than was kept; empty otherwise.
    pub tail: Vec<u8>,
    /// How many bytes were printed in all.
    pub total: u64,
    /// The file that holds all of it, where memory does not.
    pub file: Option<PathBuf>,
}

/// What one run of a program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// From start to end.
    pub duration: Duration,
    /// Processes that it left behind holding its output, which were ended.
    pub ended_leftovers: bool,
    /// What held while it ran; nothing where it ran without a sandbox.
    pub sandbox: Option<Enforcement>,
}

/// What stdout is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataFormat {
    /// JSON where it is JSON; nothing else.
    #[default]
    Json,
    /// JSON, JSON Lines, YAML or a table, whichever it is.
    Any,
    /// Text only.
    None,
}

/// What a caller gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What a person would see.
    pub text: String,
    /// The same for programs.
    pub structured: Value,
    /// For clients, not for models: what text cannot hold (raw bytes).
    pub meta: Option<Value>,
    /// The call failed.
    pub is_error: bool,
    /// What its sandbox did not hold, for who runs the server.
    pub gaps: Vec<String>,
}
