//! One client that waits: what it was called with, and the way to its terminal.
//! The only file of the daemon that prints, and it prints over there.

use crate::paths::Places;
use crate::wire::{Invocation, StdinWish};

/// The client gave up: it was interrupted, or its reader went away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gone;

/// How much is said on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Voice {
    Quiet,
    Normal,
    Verbose,
}

/// A client that waits for its command.
#[derive(Debug)]
pub struct Caller {
    /// How it was called.
    pub invocation: Invocation,
    /// Its user's places, by its environment.
    pub places: Places,
}

impl Caller {
    /// Sets how much [`Caller::warn`] and [`Caller::note`] say.
    pub fn set_voice(&mut self, voice: Voice) {
        let _ = voice;
        todo!()
    }

    /// How much is said.
    pub fn voice(&self) -> Voice {
        todo!()
    }

    /// Bytes for its stdout, exactly. Large ones are sent in pieces.
    pub async fn stdout(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        let _ = bytes;
        todo!()
    }

    /// Bytes for its stderr, exactly, unless it is to be quiet.
    pub async fn stderr(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        let _ = bytes;
        todo!()
    }

    /// A line on stderr, `mcpx: …`, unless it is to be quiet.
    pub async fn warn(&mut self, text: impl std::fmt::Display) -> Result<(), Gone> {
        let _ = text.to_string();
        todo!()
    }

    /// A line on stderr for `-v`.
    pub async fn note(&mut self, text: impl std::fmt::Display) -> Result<(), Gone> {
        let _ = text.to_string();
        todo!()
    }

    /// What is on its stdin, if it is to be had.
    pub async fn read_stdin(&mut self, wish: StdinWish) -> Result<Option<Vec<u8>>, Gone> {
        let _ = wish;
        todo!()
    }

    /// Whether a person can be asked something: stdin and stderr are a terminal.
    pub fn can_ask(&self) -> bool {
        todo!()
    }

    /// Asks the person; nothing at end of file.
    pub async fn ask(&mut self, question: &str, secret: bool) -> Result<Option<String>, Gone> {
        let _ = (question, secret);
        todo!()
    }

    /// Comes back when the client gave up. Cancel safe: for `select!` beside work.
    pub async fn gone(&mut self) -> Gone {
        todo!()
    }
}
