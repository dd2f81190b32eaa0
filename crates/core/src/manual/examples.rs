//! A command's examples, and the same as tool calls.
//!
//! Only what can be said with certainty is shown as a call: one plain command line
//! of this command, whose every word the model accounts for, and which the door
//! that real calls come through accepts. The rest is shown as printed.

use std::fmt::Write;

use serde_json::{Map, Number, Value, json};

use crate::argv::Arguments;
use crate::catalog::names::GLOBAL_FLAGS;
use crate::catalog::{Layout, Tool};
use crate::model::{Kind, Param, Scalar, Spelling, Split};

/// Calls shown at most.
const MAX_CALLS: usize = 8;

/// The examples of `tool`'s command, and how they are called.
pub fn examples(tool: &Tool, layout: Layout) -> String {
    let printed = tool.spec().examples.trim_end();
    let mut text = format!(
        "Use the tool `{}`, which runs `{}`. Its examples, as for a shell:\n\n{printed}\n",
        tool.name,
        tool.command_line()
    );
    let calls: Vec<(String, Map<String, Value>)> = command_lines(printed)
        .filter_map(|line| Some((line.clone(), call(tool, layout, &line)?)))
        .take(MAX_CALLS)
        .collect();
    if !calls.is_empty() {
        text.push_str("\nThe same as arguments of the tool:\n\n");
        for (line, arguments) in calls {
            let _ = writeln!(text, "{line}\n  {}", Value::Object(arguments));
        }
    }
    text
}

/// The command lines in `examples`: continued lines joined, prompts and comments gone.
fn command_lines(examples: &str) -> impl Iterator<Item = String> {
    let mut lines = Vec::new();
    let mut open = String::new();
    for line in examples.lines() {
        let line = line.trim();
        let line = if open.is_empty() {
            line.strip_prefix("$ ")
                .or(line.strip_prefix("% "))
                .unwrap_or(line)
        } else {
            line
        };
        match line.strip_suffix('\\') {
            Some(part) => {
                open.push_str(part.trim_end());
                open.push(' ');
            }
            None => {
                open.push_str(line);
                lines.push(std::mem::take(&mut open));
            }
        }
    }
    lines
        .into_iter()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The arguments with which `tool` runs `line`.
fn call(tool: &Tool, layout: Layout, line: &str) -> Option<Map<String, Value>> {
    let words = split(line)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words = callings(tool)
        .iter()
        .find_map(|calling| words.strip_prefix(calling.as_slice()))?;
    let read = read_words(tool, words)?;
    let arguments = read.arguments(tool, layout)?;
    Arguments::check(tool, layout, &arguments).ok()?;
    Some(arguments)
}

/// The ways in which a line calls `tool`'s command: by the program's name and, where
/// somebody defined it, by the command that is run.
fn callings(tool: &Tool) -> Vec<Vec<&str>> {
    let path = || tool.spec().path.iter().map(String::as_str);
    let named = std::iter::once(tool.program.name.as_str()).chain(path());
    let mut callings: Vec<Vec<&str>> = vec![named.collect()];
    if let (Some(run), Some(command)) = (&tool.spec().run, &tool.program.executable) {
        let file = command.rsplit('/').next().unwrap_or(command);
        for command in [command.as_str(), file] {
            let fixed = run.words.iter().map(String::as_str);
            let words = std::iter::once(command).chain(fixed).chain(path());
            callings.push(words.collect());
        }
    }
    // The longest first: fixed words are no arguments.
    callings.sort_by_key(|calling| std::cmp::Reverse(calling.len()));
    callings
}

/// The words of a line without anything that needs a shell.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '$' | '`' => return None,
                        '\\' => match chars.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            '#' if word.is_none() => break,
            '~' if word.is_none() => return None,
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '$' | '`' | '*' | '?' | '{' | '}' | '[' => {
                return None;
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

/// What words say: flags with their values, and positionals.
#[derive(Default)]
struct Read<'a> {
    flags: Vec<(&'a Param, Value)>,
    positionals: Vec<String>,
}

fn read_words<'a>(tool: &'a Tool, words: &[&str]) -> Option<Read<'a>> {
    let mut read = Read::default();
    if tool
        .positionals
        .iter()
        .any(|param| param.kind == Kind::Line)
    {
        read.positionals = words.iter().map(|&word| word.to_owned()).collect();
        return Some(read);
    }
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if let Some((param, value)) = single_dash(tool, word) {
            let value = match value {
                None if needs_value(param) => Some(words.next()?),
                value => value,
            };
            read.add(param, value)?;
            continue;
        }
        if word == "--" {
            read.positionals.extend(words.map(str::to_owned));
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let param = find(tool, |spelling| {
                spelling
                    .long
                    .as_deref()
                    .and_then(|long| long.strip_prefix("--"))
                    == Some(name)
            })?;
            let value = match value {
                Some(value) => Some(value),
                None if needs_value(param) => Some(words.next()?),
                None => None,
            };
            read.add(param, value)?;
        } else if let Some(shorts) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            let mut rest = shorts;
            while let Some(letter) = rest.chars().next() {
                rest = &rest[letter.len_utf8()..];
                let param = find(tool, |spelling| {
                    let short = spelling
                        .short
                        .as_deref()
                        .and_then(|short| short.strip_prefix('-'));
                    short.is_some_and(|short| short.chars().eq([letter]))
                })?;
                if needs_value(param) {
                    let value = match rest {
                        "" => words.next()?,
                        rest => rest.strip_prefix('=').unwrap_or(rest),
                    };
                    read.add(param, Some(value))?;
                    break;
                }
                read.add(param, None)?;
            }
        } else {
            read.positionals.push(word.to_owned());
        }
    }
    Some(read)
}

/// The flag with a long name behind one dash that `word` is, as sqlite3's `-json`, and
/// the value behind its equals sign.
fn single_dash<'a, 'w>(tool: &'a Tool, word: &'w str) -> Option<(&'a Param, Option<&'w str>)> {
    if !word.starts_with('-') || word.starts_with("--") {
        return None;
    }
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    };
    let param = find(tool, |spelling| {
        spelling.long.as_deref() == Some(name) && name.chars().count() > 2
    })?;
    Some((param, value))
}

fn find(tool: &Tool, matches: impl Fn(&Spelling) -> bool) -> Option<&Param> {
    let mut flags = tool.flags.iter().chain(tool.inherited.iter());
    flags.find(|param| param.spelling().is_some_and(&matches))
}

fn needs_value(param: &Param) -> bool {
    let bare = param.spelling().and_then(|spelling| spelling.bare.as_ref());
    param.kind.takes_value() && bare.is_none()
}

impl<'a> Read<'a> {
    fn add(&mut self, param: &'a Param, written: Option<&str>) -> Option<()> {
        // No command line has it.
        if param.secret.is_some() {
            return None;
        }
        let written = match written {
            Some(written) => written,
            None => match &param.kind {
                Kind::Switch => "true",
                Kind::Count => "",
                _ => param.spelling()?.bare.as_deref()?,
            },
        };
        let before = self
            .flags
            .iter_mut()
            .find(|(known, _)| std::ptr::eq(*known, param));
        let new = match &param.kind {
            Kind::Switch => Value::Bool(written.parse().ok()?),
            Kind::Count => json!(1),
            Kind::One(scalar) => value(scalar, written)?,
            Kind::List(_, Split::Csv) if written.contains('"') => return None,
            Kind::List(scalar, split) => {
                let parts = match split {
                    Split::Csv | Split::Comma => {
                        written.split(',').map(|part| value(scalar, part)).collect()
                    }
                    Split::Repeat | Split::Words => vec![value(scalar, written)],
                    Split::Joined => {
                        let separator = param.spelling()?.separator.as_deref().unwrap_or(" ");
                        match separator.is_empty() {
                            true => vec![value(scalar, written)],
                            false => written
                                .split(separator)
                                .map(|part| value(scalar, part))
                                .collect(),
                        }
                    }
                };
                Value::Array(parts.into_iter().collect::<Option<_>>()?)
            }
            Kind::Line => return None,
            Kind::Map(scalar) => {
                let pair = |pair: &str| {
                    let (key, of) = pair.split_once('=')?;
                    Some((key.to_owned(), value(scalar, of)?))
                };
                Value::Object(written.split(',').map(pair).collect::<Option<_>>()?)
            }
        };
        match before {
            None => self.flags.push((param, new)),
            Some((_, old)) => match (old, new) {
                (Value::Array(old), Value::Array(new)) => old.extend(new),
                (Value::Object(old), Value::Object(new)) => old.extend(new),
                (Value::Number(old), _) if param.kind == Kind::Count => {
                    *old = Number::from(old.as_u64()? + 1);
                }
                (old, new) => *old = new,
            },
        }
        Some(())
    }

    /// The arguments as `layout` has them.
    fn arguments(self, tool: &Tool, layout: Layout) -> Option<Map<String, Value>> {
        let properties = tool.properties(layout);
        let name_of = |param: &Param| {
            let property = properties
                .iter()
                .find(|known| std::ptr::eq(known.param, param));
            property.map(|property| property.name.clone())
        };
        let folded = tool.global_properties(layout);
        let mut global = Map::new();
        let mut named = Map::new();
        for (param, value) in self.flags {
            match name_of(param) {
                Some(name) => named.insert(name, value),
                None => {
                    let property = folded
                        .iter()
                        .find(|known| std::ptr::eq(known.param, param))?;
                    global.insert(property.name.clone(), value)
                }
            };
        }
        let mut arguments = match layout {
            Layout::Nested => {
                let mut arguments = Map::new();
                if !named.is_empty() {
                    arguments.insert("flags".to_owned(), Value::Object(named));
                }
                if !self.positionals.is_empty() {
                    arguments.insert("args".to_owned(), json!(self.positionals));
                }
                arguments
            }
            Layout::Flat => {
                let mut words = self.positionals.into_iter();
                for param in &tool.positionals {
                    if let Some(value) = positional(param, &mut words)? {
                        named.insert(name_of(param)?, value);
                    }
                }
                if words.next().is_some() {
                    return None;
                }
                named
            }
        };
        if !global.is_empty() {
            arguments.insert(GLOBAL_FLAGS.to_owned(), Value::Object(global));
        }
        Some(arguments)
    }
}

/// What of `words` is `param`'s; the inner nothing where they are used up.
fn positional(param: &Param, words: &mut impl Iterator<Item = String>) -> Option<Option<Value>> {
    match &param.kind {
        Kind::List(scalar, _) => {
            let all: Vec<Value> = words
                .map(|word| value(scalar, &word))
                .collect::<Option<_>>()?;
            Some((!all.is_empty()).then_some(Value::Array(all)))
        }
        Kind::One(scalar) => match words.next() {
            Some(word) => Some(Some(value(scalar, &word)?)),
            None => Some(None),
        },
        Kind::Line => {
            let all: Vec<String> = words.collect();
            Some((!all.is_empty()).then(|| json!(all)))
        }
        Kind::Switch | Kind::Count | Kind::Map(_) => None,
    }
}

fn value(scalar: &Scalar, written: &str) -> Option<Value> {
    Some(match scalar {
        Scalar::Bool => Value::Bool(written.parse().ok()?),
        Scalar::Int(_) => json!(written.parse::<i64>().ok()?),
        Scalar::Uint(_) => json!(written.parse::<u64>().ok()?),
        Scalar::Float(_) => json!(written.parse::<f64>().ok()?),
        _ => json!(written),
    })
}
