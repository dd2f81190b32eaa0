//! Turns a tool's JSON arguments into the words of one command line.
//!
//! Nothing here runs a process. [`Arguments::check`] is the door: unknown names,
//! wrong types and values that no command line can carry end there, all of them in
//! one error.

mod check;
pub mod decode;
mod encode;
pub mod go;
mod json;
mod shell;
mod size;
mod value;

use crate::catalog::names::Slot;

pub use decode::{Decoded, OwnFlag, Source, Takes, decode};
pub use encode::encode;
pub use json::{JsonSwitch, json_switch};
pub use shell::shell_line;
pub use size::{Room, TooLong, size};
pub(crate) use value::bounds;

/// Checked arguments of one call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Arguments {
    /// What was given, in the order of the tool's parameters.
    given: Vec<(Slot, Given)>,
    /// Positional words that the nested layout gives without naming them.
    args: Vec<String>,
    /// What the command reads.
    stdin: Option<String>,
}

impl Arguments {
    /// What the command is to read from its stdin; an empty one otherwise.
    pub fn stdin(&self) -> Option<&str> {
        self.stdin.as_deref()
    }
}

/// A value as its words will carry it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Given {
    /// A switch, on or off.
    Switch(bool),
    /// So many repetitions.
    Count(u32),
    /// The flag alone, where it could take a value.
    Bare,
    /// One value.
    One(String),
    /// Several values.
    Many(Vec<String>),
    /// Keys and values in order.
    Pairs(Vec<(String, String)>),
}

/// Everything that is wrong with a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .problems.join("\n"))]
pub struct ArgumentError {
    /// One sentence each.
    pub problems: Vec<String>,
}

#[cfg(test)]
mod tests;
