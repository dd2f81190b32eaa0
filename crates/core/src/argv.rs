//! Turns a tool's JSON arguments into the words of one command line.
//!
//! Nothing here runs a process. [`Arguments::check`] is the door: unknown names,
//! wrong types and values that no command line can carry end there, all of them in
//! one error.

mod check;
pub mod decode;
mod encode;
pub mod go;
mod groups;
mod json;
mod line;
mod paths;
mod secret;
mod shell;
mod size;
mod stdin;
mod value;

use crate::catalog::names::Slot;

pub use decode::{Decoded, OwnFlag, Source, Takes, decode};
pub use encode::encode;
pub(crate) use groups::rules;
pub use json::{JsonSwitch, json_switch};
pub use line::{Unbalanced, split_line};
pub use secret::{SecretText, Secrets};
pub use shell::{quoted, shell_line};
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
    stdin: Option<Vec<u8>>,
    /// What must not stand among the words.
    secrets: Vec<(Slot, SecretText)>,
}

impl Arguments {
    /// What the command is to read from its stdin; an empty one otherwise.
    /// A secret that reaches the program so is not here but in [`Self::secrets`].
    pub fn stdin(&self) -> Option<&[u8]> {
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

impl Given {
    /// Whether it asks for something: a switch that is off, nothing repeated and an
    /// empty list do not.
    fn is_used(&self) -> bool {
        match self {
            Given::Switch(on) => *on,
            Given::Count(times) => *times > 0,
            Given::Many(values) => !values.is_empty(),
            Given::Pairs(pairs) => !pairs.is_empty(),
            Given::Bare | Given::One(_) => true,
        }
    }
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
