//! Turns the words of a command line into a tool's JSON arguments: the way back.
//!
//! Flags are GNU style: `--flag=value` or `--flag value`, where the next word is
//! the value whatever it looks like (a program's own flags take none that is a flag
//! itself); switches stand alone. After a word `--` all flags are the tool's. What a
//! word means is decided by what its parameter accepts, in `value`; arguments that
//! are given whole, as JSON, are checked in `whole`.

mod advice;
#[cfg(test)]
mod tests;
mod value;
mod whole;

use std::collections::BTreeMap;
use std::iter::{Map, Peekable};
use std::slice::Iter;

use serde_json::Value;
use serde_json::value::RawValue;

use super::ArgumentError;
use crate::sources::tool::{ToolParam, ToolSpec};

pub use whole::object;

/// Characters of a wrong word that an error shows.
const SHOWN: usize = 60;

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
    /// The flag stands alone.
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
    let mut line = Line::read(tool, own, words);
    let arguments = line.arguments();
    match (arguments, line.problems.is_empty()) {
        (Some(arguments), true) => Ok(Decoded {
            own: line.own,
            arguments,
        }),
        _ => Err(ArgumentError {
            problems: line.problems,
        }),
    }
}

/// The required parameters that are missing when nothing is given: `--a, --b`.
pub fn missing(tool: &ToolSpec) -> Option<ArgumentError> {
    let required = tool.params.iter().filter(|param| param.required);
    let flags: Vec<String> = required.map(called).collect();
    (!flags.is_empty()).then(|| ArgumentError {
        problems: vec![missing_problem(tool, &flags)],
    })
}

fn missing_problem(tool: &ToolSpec, names: &[String]) -> String {
    let verb = match names.len() {
        1 => ("is", "it"),
        _ => ("are", "them"),
    };
    let names = listed(names, "and");
    format!(
        "{names} {} missing: {} requires {}",
        verb.0, tool.name, verb.1
    )
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String], last: &str) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [init @ .., end] => format!("{} {last} {end}", init.join(", ")),
    }
}

/// A word as an error shows it.
fn shown(word: &str) -> String {
    let start: String = word.chars().take(SHOWN).collect();
    match start.len() < word.len() {
        true => Value::from(format!("{start}…")).to_string(),
        false => Value::from(word).to_string(),
    }
}

/// What was said about a parameter once.
#[derive(Debug, Clone, Copy)]
enum Given<'a> {
    Switch(bool),
    Word(&'a str),
}

/// The words of a command line, sorted.
struct Line<'a, T> {
    tool: &'a ToolSpec,
    own_flags: &'a [OwnFlag<T>],
    own: Vec<(T, Option<String>)>,
    /// By the parameter's place.
    given: BTreeMap<usize, Vec<Given<'a>>>,
    positionals: Vec<&'a str>,
    wants_stdin: bool,
    /// A flag of the tool was given, right or wrong.
    has_flags: bool,
    problems: Vec<String>,
}

/// The words that are not read yet.
type Words<'a> = Peekable<Map<Iter<'a, String>, fn(&String) -> &str>>;

/// What came of a flag.
enum Flag {
    /// It is done, whatever follows.
    Complete,
    /// A switch without a value.
    Alone(usize),
    /// Nobody knows whether a value follows.
    Unknown,
}

impl<'a, T: Copy> Line<'a, T> {
    fn read(tool: &'a ToolSpec, own_flags: &'a [OwnFlag<T>], words: &'a [String]) -> Self {
        let mut line = Line {
            tool,
            own_flags,
            own: Vec::new(),
            given: BTreeMap::new(),
            positionals: Vec::new(),
            wants_stdin: false,
            has_flags: false,
            problems: Vec::new(),
        };
        let mut words = words
            .iter()
            .map(String::as_str as fn(&String) -> &str)
            .peekable();
        let mut before = Flag::Complete;
        let mut is_separated = false;
        while let Some(word) = words.next() {
            let last = std::mem::replace(&mut before, Flag::Complete);
            if word == "--" && !is_separated {
                is_separated = true;
                line.own_flags = &[];
            } else if let Some(flag) = word.strip_prefix("--").filter(|flag| !flag.is_empty()) {
                before = line.long(flag, &mut words);
            } else if word == "-" {
                line.wants_stdin = true;
            } else if word.starts_with('-') && word != "--" {
                before = line.shorts(word, &mut words);
            } else {
                line.positional(word, &last);
            }
        }
        line
    }

    /// Reads a flag from the text after its dashes.
    fn long(&mut self, flag: &'a str, rest: &mut Words<'a>) -> Flag {
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, None),
        };
        if let Some(own) = self.own_flags.iter().find(|own| own.long == name) {
            let value = match (own.takes, value) {
                (Takes::Nothing, None) => None,
                (Takes::Nothing, Some(_)) => {
                    self.problems.push(format!("`--{name}` takes no value"));
                    None
                }
                (Takes::Value(called), value) => {
                    let next = || rest.next_if(|word| !word.starts_with("--"));
                    let value = value.or_else(next);
                    if value.is_none() {
                        self.problems
                            .push(format!("`--{name}` needs a value: `--{name}={called}`"));
                    }
                    value
                }
            };
            self.own.push((own.id, value.map(str::to_owned)));
            return Flag::Complete;
        }
        self.has_flags = true;
        if let Some(index) = find(self.tool, name) {
            let param = &self.tool.params[index];
            let given = self.given.entry(index).or_default();
            return match (value, param.accepts.is_switch()) {
                (Some(value), _) => {
                    given.push(Given::Word(value));
                    Flag::Complete
                }
                (None, true) => {
                    given.push(Given::Switch(true));
                    Flag::Alone(index)
                }
                (None, false) => {
                    match rest.next() {
                        Some(value) => given.push(Given::Word(value)),
                        None => self.problems.push(format!(
                            "`--{name}` needs a value: `--{name}={}`",
                            param.accepts.placeholder()
                        )),
                    }
                    Flag::Complete
                }
            };
        }
        let negated = negated(self.tool, name);
        match (negated, value) {
            (Some(index), None) if self.tool.params[index].accepts.is_switch() => {
                self.given
                    .entry(index)
                    .or_default()
                    .push(Given::Switch(false));
                Flag::Complete
            }
            (Some(index), Some(_)) if self.tool.params[index].accepts.is_switch() => {
                let positive = &self.tool.params[index].flag;
                self.problems.push(format!(
                    "`--{name}` takes no value: write `--{positive}=true` or `--{positive}=false`"
                ));
                Flag::Complete
            }
            (Some(index), _) => {
                let param = &self.tool.params[index];
                self.problems.push(format!(
                    "`--{name}` is not a flag of {}: `--no-` is for switches, and {} takes {}",
                    self.tool.name,
                    called(param),
                    value::expected(&param.accepts)
                ));
                Flag::Unknown
            }
            (None, value) => {
                let problem = self.unknown(name);
                self.problems.push(problem);
                match value {
                    Some(_) => Flag::Complete,
                    None => Flag::Unknown,
                }
            }
        }
    }

    /// Reads `-v`, `-vq`.
    fn shorts(&mut self, word: &'a str, rest: &mut Words<'a>) -> Flag {
        for (at, char) in word.char_indices().skip(1) {
            let Some(own) = self.own_flags.iter().find(|own| own.short == Some(char)) else {
                let problem = self.unknown_short(word, char);
                self.problems.push(problem);
                return Flag::Unknown;
            };
            match own.takes {
                Takes::Nothing => self.own.push((own.id, None)),
                Takes::Value(called) => {
                    let joined = &word[at + char.len_utf8()..];
                    let value = match joined.is_empty() {
                        true => rest.next(),
                        false => Some(joined.strip_prefix('=').unwrap_or(joined)),
                    };
                    if value.is_none() {
                        self.problems
                            .push(format!("`-{char}` needs a value: `-{char} {called}`"));
                    }
                    self.own.push((own.id, value.map(str::to_owned)));
                    return Flag::Complete;
                }
            }
        }
        Flag::Complete
    }

    fn positional(&mut self, word: &'a str, last: &Flag) {
        match last {
            // Most likely the value of a flag that is already called wrong.
            Flag::Unknown => {}
            Flag::Alone(index) if matches!(word, "true" | "false") => {
                let flag = &self.tool.params[*index].flag;
                self.problems.push(format!(
                    "`--{flag}` takes its value after `=`: `--{flag}={word}`"
                ));
            }
            Flag::Alone(_) | Flag::Complete => self.positionals.push(word),
        }
    }

    /// The arguments, unless there are none that could be called.
    fn arguments(&mut self) -> Option<Source> {
        let (whole, stray): (Vec<&str>, Vec<&str>) = self
            .positionals
            .iter()
            .partition(|word| whole::is_meant(word));
        for word in stray {
            let problem = self.stray(word);
            self.problems.push(problem);
        }
        let ways = usize::from(self.has_flags) + usize::from(self.wants_stdin) + whole.len();
        if ways > 1 {
            self.problems.push(format!(
                "{} takes its arguments as flags, or as one JSON object, or as `-` for JSON on \
                 stdin: one of the three",
                self.tool.name
            ));
        }
        match whole.first() {
            Some(text) => match object(self.tool, text) {
                Ok(object) => Some(Source::Json(object)),
                Err(error) => {
                    self.problems.extend(error.problems);
                    None
                }
            },
            None if self.wants_stdin => Some(Source::Stdin),
            None if self.has_flags => self.flags().map(Source::Flags),
            None => Some(Source::Nothing),
        }
    }

    /// The flags as a JSON object, in the order of the tool's parameters.
    fn flags(&mut self) -> Option<Box<RawValue>> {
        let mut text = String::from("{");
        let mut absent = Vec::new();
        for (index, param) in self.tool.params.iter().enumerate() {
            let Some(given) = self.given.get(&index) else {
                if param.required {
                    absent.push(called(param));
                }
                continue;
            };
            if given.is_empty() {
                continue;
            }
            match value::json(param, given) {
                Ok(json) => {
                    if text.len() > 1 {
                        text.push(',');
                    }
                    text.push_str(&Value::from(param.property.as_str()).to_string());
                    text.push(':');
                    text.push_str(&json);
                }
                Err(problem) => self.problems.push(problem),
            }
        }
        text.push('}');
        if !absent.is_empty() {
            self.problems.push(missing_problem(self.tool, &absent));
        }
        RawValue::from_string(text).ok()
    }
}

/// The parameter that a flag's name means.
fn find(tool: &ToolSpec, name: &str) -> Option<usize> {
    tool.params
        .iter()
        .position(|param| param.spellings().any(|spelling| spelling == name))
}

/// The parameter that `no-…` or `tool-no-…` negates.
fn negated(tool: &ToolSpec, name: &str) -> Option<usize> {
    let positive = name.strip_prefix("no-");
    let prefixed = || name.strip_prefix("tool-no-");
    find(tool, positive.or_else(prefixed)?)
}

/// What a parameter is called in a sentence about its flag.
fn called(param: &ToolParam) -> String {
    format!("`--{}`", param.flag)
}
