//! Turns the words of a command line into a tool's JSON arguments: the way back.

use serde_json::value::RawValue;

use super::ArgumentError;
use crate::sources::tool::ToolSpec;

/// A flag of the program that shows the tool, not of the tool.
#[derive(Debug, Clone, Copy)]
pub struct OwnFlag<T> {
    /// What it means to that program.
    pub id: T,
    /// Without dashes.
    pub long: &'static str,
    /// Without its dash.
    pub short: Option<char>,
    /// Whether a value follows.
    pub takes: Takes,
    /// What it is for, one line.
    pub text: &'static str,
}

/// Whether a value follows a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// Called this in the help.
    Value(&'static str),
}

/// What a command line says.
#[derive(Debug)]
pub struct Decoded<T> {
    /// The program's own flags, in order, with their values.
    pub own: Vec<(T, Option<String>)>,
    /// The tool's arguments.
    pub arguments: Source,
}

/// Where a tool's arguments are.
#[derive(Debug)]
pub enum Source {
    /// In flags: a checked JSON object, every digit as it was typed.
    Flags(Box<RawValue>),
    /// In a positional JSON object: checked, as it was typed.
    Json(Box<RawValue>),
    /// On stdin, asked for with `-`.
    Stdin,
    /// Neither flags nor JSON were given.
    Nothing,
}

/// Reads the words after a tool's name. Everything that is wrong is in one error,
/// except for missing required parameters where stdin may still bring them
/// ([`Source::Stdin`], [`Source::Nothing`]): those, [`object`] checks.
pub fn decode<T: Copy>(
    tool: &ToolSpec,
    own: &[OwnFlag<T>],
    words: &[String],
) -> Result<Decoded<T>, ArgumentError> {
    let _ = (tool, own, words);
    todo!()
}

/// Checks a JSON object that was given whole, and keeps it as it is written.
pub fn object(tool: &ToolSpec, text: &str) -> Result<Box<RawValue>, ArgumentError> {
    let _ = (tool, text);
    todo!()
}

/// The required parameters that are missing when nothing is given: `--a, --b`.
pub fn missing(tool: &ToolSpec) -> Option<ArgumentError> {
    let _ = tool;
    todo!()
}
