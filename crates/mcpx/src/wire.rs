//! What client and daemon say to each other over the socket: small binary frames.
//!
//! The client speaks first, without waiting: [`Hello`], then its [`Invocation`]. The
//! daemon greets, checks, and from then on the client is its terminal.
//!
//! A frame is one byte that says which, four that say how long (least significant
//! first), and the payload. Client and daemon are of one build before anything else is
//! looked at, so only [`Hello`], `Greeting` and `Refused` must stay as they are for ever:
//! by them, builds that know nothing else of each other part.

mod frame;
mod payload;

use std::ffi::OsString;
use std::path::PathBuf;

use crate::paths::Environment;

pub use frame::{PIECE, WireError, append, append_stdout, read, take};
#[cfg(test)]
pub use frame::{receive, send};

/// What a client's stdin may hold.
pub const STDIN_LIMIT: usize = 64 << 20;

/// Who the client is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// The client's half of the nonces in the state file: it can read that file.
    pub nonce: [u8; 16],
    /// What the client was built from.
    pub build: String,
}

/// One command, as the shell started it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The words after `mcpx`.
    pub words: Vec<OsString>,
    /// The working folder.
    pub folder: PathBuf,
    /// Every variable.
    pub environment: Environment,
    /// What stdin is.
    pub stdin: Stdin,
    /// A person looks at stdout.
    pub stdout_is_terminal: bool,
    /// A person looks at stderr.
    pub stderr_is_terminal: bool,
    /// Columns of the terminal, if there is one.
    pub columns: Option<u16>,
}

/// What a client's stdin is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stdin {
    /// A person types.
    Terminal,
    /// A file, pipe or socket.
    Data,
    /// Closed, or `/dev/null`.
    Nothing,
}

/// What the daemon wants of the client's stdin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StdinWish {
    /// All of it, however long it takes.
    All,
    /// All of it, if it begins with `{` now or in a moment; otherwise nothing is
    /// taken from it, so that `while read` loops keep their lines.
    IfObject,
}

/// What a client says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToDaemon {
    Hello(Hello),
    Invocation(Box<Invocation>),
    /// All of stdin, or nothing where there was nothing to be had.
    Stdin(Option<Vec<u8>>),
    /// The line that the person typed, without its end; nothing at end of file.
    Answer(Option<String>),
}

/// What the daemon says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToClient {
    /// The daemon's half of the nonces. Always first.
    Greeting {
        nonce: [u8; 16],
    },
    /// Nothing was done: the daemon is of another build, knows another nonce, or is
    /// about to end. The client starts another.
    Refused(String),
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    ReadStdin(StdinWish),
    /// A question for the person at the terminal: printed as it is, then a line is read.
    Ask {
        question: String,
        /// Typed unseen.
        secret: bool,
    },
    /// The last word.
    Exit(u8),
}
