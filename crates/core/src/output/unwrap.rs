//! Turns the result of a tool call into what a command prints: the way back.
//!
//! What a server sent is not re-encoded: structured content is printed as it was
//! written, text byte for byte.

use serde_json::value::RawValue;

/// What a command prints, and whether it succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// In order.
    pub stdout: Vec<Piece>,
    /// In order.
    pub stderr: Vec<Piece>,
    /// The tool says that it failed.
    pub failed: bool,
}

/// A piece of what is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Exactly these.
    Bytes(Vec<u8>),
    /// To be written to a file whose path is printed, a line of its own.
    Media(Media),
    /// All that is in a file which the served program's output was spilled to.
    Spilled(String),
}

/// Binary content of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// `image/png`; empty where the server says nothing.
    pub mime: String,
    /// What a file of it might be called, from its URI, if it has one.
    pub name: Option<String>,
    /// Decoded.
    pub bytes: Vec<u8>,
}

/// A result that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoResult(pub String);

/// What to print for the `result` of a `tools/call`.
pub fn unwrap(result: &RawValue) -> Result<Printed, NoResult> {
    let _ = result;
    todo!()
}
