//! Completion: the scripts of the shells, and what they ask for.
//!
//! A script hands over the words up to the cursor; the last is the one to complete,
//! empty if nothing of it is typed yet. What comes back are whole words.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use argway_core::argv::{OwnFlag, Takes};
use argway_core::sources::tool::{ToolParam, ToolSpec};

use super::help::flags;
use super::listing;
use crate::config::ServerEntry;
use crate::harmless;
use crate::own_flags::{OWN_FLAGS, Own};

/// The shells that there is a script for.
pub const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// A description that is longer is cut.
const LONGEST: usize = 100;

/// A word that could stand where the cursor is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The whole word.
    pub word: String,
    /// What it is, one line.
    pub description: String,
}

/// What must be known to complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// The tools of this server. It may be no server at all: then complete without.
    ToolsOf(String),
}

/// The script of a shell.
pub fn script(shell: &str) -> Option<&'static str> {
    match shell {
        "bash" => Some(include_str!("complete/mcpx.bash")),
        "zsh" => Some(include_str!("complete/mcpx.zsh")),
        "fish" => Some(include_str!("complete/mcpx.fish")),
        _ => None,
    }
}

/// What completing the last of `words` takes.
pub fn needs(words: &[String]) -> Needs {
    let place = Place::of(words);
    match place.position {
        Position::Tool { server } if !place.is_flag() => Needs::ToolsOf(server.to_owned()),
        Position::Argument { server, .. } => Needs::ToolsOf(server.to_owned()),
        Position::Server | Position::Tool { .. } | Position::ValueOf(_) => Needs::Nothing,
    }
}

/// What the last of `words` could be.
pub fn complete(
    words: &[String],
    servers: &BTreeMap<String, ServerEntry>,
    tools: Option<&[ToolSpec]>,
) -> Vec<Candidate> {
    let place = Place::of(words);
    let is_reserved = |name: &str| !servers.contains_key(name);
    let all = match place.position {
        Position::ValueOf(flag) => values(flag, ""),
        Position::Server | Position::Tool { .. } if place.is_flag() => place.own_flags(),
        Position::Server => {
            let mut all: Vec<Candidate> = servers
                .iter()
                .map(|(name, entry)| candidate(name, &listing::endpoint(entry)))
                .collect();
            if is_reserved("completion") {
                all.push(candidate(
                    "completion",
                    "Print the completion script of a shell",
                ));
            }
            all
        }
        Position::Tool {
            server: "completion",
        } if is_reserved("completion") => {
            let shells = SHELLS.iter();
            shells.map(|shell| candidate(shell, "")).collect()
        }
        Position::Tool { .. } => {
            let tools = tools.unwrap_or_default().iter();
            tools
                .map(|tool| candidate(&tool.name, &tool.summary()))
                .collect()
        }
        Position::Argument { tool, before, .. } => {
            let mut tools = tools.unwrap_or_default().iter();
            match tools.find(|known| known.name == tool) {
                Some(tool) => arguments(tool, before, place.current),
                None => Vec::new(),
            }
        }
    };
    let fits = |candidate: &Candidate| {
        candidate.word.starts_with(place.current) && !candidate.word.contains(char::is_control)
    };
    all.into_iter().filter(fits).collect()
}

/// Candidates as `__complete` prints them: `word\tdescription`, one a line.
pub fn lines(candidates: &[Candidate]) -> String {
    let line = |candidate: &Candidate| match candidate.description.is_empty() {
        true => format!("{}\n", candidate.word),
        false => format!("{}\t{}\n", candidate.word, candidate.description),
    };
    candidates.iter().map(line).collect()
}

fn candidate(word: &str, description: &str) -> Candidate {
    let mut description = harmless::line(description);
    if let Some((end, _)) = description.char_indices().nth(LONGEST) {
        description.truncate(end);
        description.push('…');
    }
    Candidate {
        word: word.to_owned(),
        description,
    }
}

/// Where the cursor is.
struct Place<'a> {
    position: Position<'a>,
    /// What is typed of the word.
    current: &'a str,
    /// A `--` was typed before the tool: what follows is no flag of mcpx.
    ended: bool,
}

enum Position<'a> {
    Server,
    Tool {
        server: &'a str,
    },
    /// After a tool.
    Argument {
        server: &'a str,
        tool: &'a str,
        /// The words between the tool and the cursor.
        before: &'a [String],
    },
    /// After a flag of mcpx that takes a value.
    ValueOf(&'static OwnFlag<Own>),
}

impl<'a> Place<'a> {
    fn of(words: &'a [String]) -> Self {
        let (current, before) = match words.split_last() {
            Some((current, before)) => (current.as_str(), before),
            None => ("", words),
        };
        let mut ended = false;
        let mut server = None;
        let mut rest = before.iter();
        let mut position = Position::Server;
        while let Some(word) = rest.next() {
            if ended || !word.starts_with('-') || word == "-" {
                match server {
                    None => server = Some(word.as_str()),
                    Some(server) => {
                        position = Position::Argument {
                            server,
                            tool: word,
                            before: rest.as_slice(),
                        };
                        break;
                    }
                }
                continue;
            }
            if word == "--" {
                ended = true;
            } else if let Some(flag) = own_with_value(word)
                && rest.next().is_none()
            {
                position = Position::ValueOf(flag);
            }
        }
        if let (Position::Server, Some(server)) = (&position, server) {
            position = Position::Tool { server };
        }
        Self {
            position,
            current,
            ended,
        }
    }

    fn is_flag(&self) -> bool {
        self.current.starts_with('-') && !self.ended
    }

    /// mcpx's own flags, or the values of one.
    fn own_flags(&self) -> Vec<Candidate> {
        match self.current.split_once('=') {
            None => own_flags(),
            Some((flag, _)) => match own_with_value(flag) {
                Some(found) => values(found, &format!("{flag}=")),
                None => Vec::new(),
            },
        }
    }
}

/// The flag of mcpx that `word` is, if its value is to follow.
fn own_with_value(word: &str) -> Option<&'static OwnFlag<Own>> {
    let name = word.strip_prefix("--")?;
    let found = OWN_FLAGS.iter().find(|flag| flag.long == name)?;
    (found.takes != Takes::Nothing).then_some(found)
}

fn own_flags() -> Vec<Candidate> {
    let flags = OWN_FLAGS.iter();
    let flags = flags.map(|flag| match flag.takes {
        Takes::Nothing => candidate(&format!("--{}", flag.long), flag.text),
        Takes::Value(_) => candidate(&format!("--{}=", flag.long), flag.text),
    });
    flags.collect()
}

/// Times that one might want.
fn values(flag: &OwnFlag<Own>, before: &str) -> Vec<Candidate> {
    let times: &[&str] = match flag.id {
        Own::Cache => &["30s", "5m", "1h"],
        Own::Timeout => &["10s", "1m", "10m"],
        Own::Answer => &["accept", "decline"],
        Own::NoCache | Own::Json | Own::Verbose | Own::Quiet | Own::Version | Own::Help => &[],
    };
    let times = times.iter();
    times
        .map(|time| candidate(&format!("{before}{time}"), ""))
        .collect()
}

/// What can follow `before` in a call of `tool`.
fn arguments(tool: &ToolSpec, before: &[String], current: &str) -> Vec<Candidate> {
    let mut given: Vec<&ToolParam> = Vec::new();
    // After a `--`, every flag is the tool's.
    let mut only_tool = false;
    let mut words = before.iter();
    while let Some(word) = words.next() {
        if word == "--" && !only_tool {
            only_tool = true;
            continue;
        }
        let Some(name) = word.strip_prefix("--") else {
            continue;
        };
        let has_value = name.contains('=');
        let name = name.split('=').next().unwrap_or_default();
        if let Some(own) = OWN_FLAGS.iter().find(|own| own.long == name && !only_tool) {
            if own.takes != Takes::Nothing && !has_value && words.next().is_none() {
                return values(own, "");
            }
        } else if let Some(param) = find(tool, name) {
            given.push(param);
            let takes_value = !param.accepts.is_switch() && !has_value;
            if takes_value && words.next().is_none() {
                return choices(param, "");
            }
        }
    }
    if let Some((flag, _)) = current.split_once('=') {
        let name = flag.strip_prefix("--").unwrap_or_default();
        let before = format!("{flag}=");
        return match own_with_value(flag).filter(|_| !only_tool) {
            Some(own) => values(own, &before),
            None => find(tool, name).map_or_else(Vec::new, |param| choices(param, &before)),
        };
    }
    let mut all: Vec<Candidate> = Vec::new();
    let open = |param: &&ToolParam| flags::is_list(&param.accepts) || !given.contains(param);
    let (required, optional): (Vec<&ToolParam>, Vec<&ToolParam>) = tool
        .params
        .iter()
        .filter(open)
        .partition(|param| param.required);
    for param in required.into_iter().chain(optional) {
        let name = match flags::collision(param) {
            Some(own) if only_tool => own,
            _ => param.flag.as_str(),
        };
        let text = flags::explanation(param);
        match param.accepts.is_switch() {
            true => {
                all.push(candidate(&format!("--{name}"), &text));
                let negation = match name == param.flag {
                    true => tool.negation(param),
                    false => Some(format!("no-{name}")),
                };
                all.extend(negation.map(|name| candidate(&format!("--{name}"), &text)));
            }
            false => all.push(candidate(&format!("--{name}="), &text)),
        }
    }
    if current.starts_with('-') && !only_tool {
        all.extend(own_flags());
    }
    all
}

/// The parameter that `name` stands for on the command line.
fn find<'a>(tool: &'a ToolSpec, name: &str) -> Option<&'a ToolParam> {
    let called = |param: &&ToolParam, name: &str| param.spellings().any(|known| known == name);
    let mut params = tool.params.iter();
    params.find(|param| called(param, name)).or_else(|| {
        let name = name.strip_prefix("no-")?;
        let mut switches = tool.params.iter().filter(|param| param.accepts.is_switch());
        switches.find(|param| called(param, name))
    })
}

fn choices(param: &ToolParam, before: &str) -> Vec<Candidate> {
    let words = param.accepts.words();
    let words = words.iter();
    words
        .map(|word| candidate(&format!("{before}{word}"), ""))
        .collect()
}
