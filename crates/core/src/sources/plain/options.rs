//! Reads option lines of any family, as far as they leave no doubt.
//!
//! A line is an option's only if everything before its text can be accounted
//! for: `-w, --width=COLS   text`, `-o, --output <FILE>`, `-f FILE, --file FILE`,
//! `--color[=WHEN]`, `--[no-]quiet`, `--debug / --no-debug`. Anything else that
//! starts with a dash is handed back unread.

use crate::sources::help::text::{blank, indent};

/// An option as printed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Listed {
    /// Long names without dashes; the first is the usual one.
    pub longs: Vec<String>,
    /// Short names with their dash: `-o`, and `-name` of programs that have such.
    pub shorts: Vec<String>,
    pub value: Value,
    /// Whether a value was shown behind an equals sign.
    pub equals: bool,
    /// The option may be given several times: `--verbose...`.
    pub counted: bool,
    /// Also exists with `no-` before its name.
    pub negatable: bool,
    pub text: String,
}

/// What an option takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Value {
    #[default]
    None,
    /// Must be given; the placeholder.
    Needed(String),
    /// May be left out; the placeholder.
    Optional(String),
}

/// Deeper lines that start with a dash are text about options.
const DEEPEST: usize = 8;

/// Longer lines are not read: no person wrote them.
const LONGEST: usize = 4096;

/// The options among `lines`, and what looked like one and could not be read.
pub(crate) fn read(lines: &[&str]) -> (Vec<Listed>, Vec<String>) {
    let mut options: Vec<Listed> = Vec::new();
    let mut unread = Vec::new();
    // The option that text may still belong to, by its indent, and whether its
    // text stands on its own line, far to the right.
    let mut open: Option<usize> = None;
    let mut beside = false;
    for (at, line) in lines.iter().enumerate() {
        if blank(line) {
            continue;
        }
        let own = indent(line);
        // Further right than the option above stand its text, and options that
        // have no letter.
        let inner = open.is_some_and(|of| own > of);
        let lettered = open.is_some_and(|of| own == of + 4) && line.trim_start().starts_with("--");
        if is_candidate(line) && (!inner || lettered) {
            let next = lines[at + 1..].iter().find(|line| !blank(line));
            let described = next.is_some_and(|next| indent(next) > own);
            if let Some(option) = option(line.trim().trim_end_matches(','), described) {
                beside = !option.text.is_empty();
                options.push(option);
                open = Some(if inner { own - 4 } else { own });
                continue;
            }
            if !inner || beside {
                unread.push(left_of(line.trim()).to_owned());
                open = None;
                continue;
            }
        }
        match (open, options.last_mut()) {
            (Some(of), Some(option)) if own > of => {
                if !option.text.is_empty() {
                    option.text.push(' ');
                }
                option.text.push_str(line.trim());
            }
            _ => open = None,
        }
    }
    (options, unread)
}

/// An option without a text: `-C <path>`, `--exec-path[=<path>]`.
pub(crate) fn alone(text: &str) -> Option<Listed> {
    let option = option(text.trim(), true)?;
    option.text.is_empty().then_some(option)
}

/// Whether the line starts as an option's does.
fn is_candidate(line: &str) -> bool {
    let text = line.trim_start();
    let name = text.trim_start_matches('-');
    let dashes = text.len() - name.len();
    (1..=2).contains(&dashes)
        && indent(line) <= DEEPEST
        && name.starts_with(|c: char| c.is_ascii_alphanumeric() || "?#@[".contains(c))
}

fn left_of(line: &str) -> &str {
    let end = line.find("  ").unwrap_or(line.len());
    let end = line[..end].find('\t').unwrap_or(end);
    &line[..end]
}

/// Reads one line; `described` says that deeper lines follow.
fn option(line: &str, described: bool) -> Option<Listed> {
    if line.len() > LONGEST {
        return None;
    }
    let mut option = Listed::default();
    let mut rest = line;
    let mut attached = false;
    let mut strict;
    loop {
        let form = form(rest)?;
        rest = form.rest;
        strict = form.needs_gap;
        let loose = form.loose;
        // `-i[extension]` alone cannot be said; a long form beside it can.
        attached |= form.attached;
        if !form.attached {
            option.add(form);
        }
        if let Some(next) = separated(rest) {
            rest = next;
            continue;
        }
        // `-o FILE        --output=FILE`: the long form has a column of its own.
        if let Some(more) = rest
            .strip_prefix("  ")
            .and_then(|rest| alone(rest.trim_start()))
        {
            option.join(more);
            return Some(option);
        }
        // A lower-case word is a placeholder only where a gap or the end shows
        // that it is not the first word of a sentence.
        if loose && rest.is_empty() && !described {
            return None;
        }
        break;
    }
    if attached && option.longs.is_empty() {
        return None;
    }
    if let Some(after) = rest.strip_prefix("...") {
        match option.value {
            Value::None => option.counted = true,
            Value::Needed(_) | Value::Optional(_) => {}
        }
        rest = after;
    }
    if rest.starts_with("  ") || rest.starts_with('\t') || rest.starts_with(" \t") {
        option.text = rest.trim().to_owned();
    } else if let Some(text) = rest.strip_prefix(' ').filter(|_| !strict) {
        option.text = text.trim().to_owned();
    } else if !rest.trim().is_empty() {
        return None;
    }
    // Dotted leaders, or words that it takes set apart: not what it seems. And
    // several letters and words in a row are a sentence about options.
    let leader = option.text.trim_start_matches('.').trim_start();
    let led = leader.len() < option.text.len() && leader.starts_with('-');
    let apart = led || option.text.starts_with('<');
    let row = option.shorts.len() > 1 && option.longs.len() > 1;
    let mentioned = row && option.text.is_empty() && !described;
    (!apart && !mentioned).then_some(option)
}

/// What follows a separator, if another form does.
fn separated(rest: &str) -> Option<&str> {
    for separator in [", ", " | ", " / ", ",", "|", "/", " "] {
        if let Some(next) = rest.strip_prefix(separator) {
            let next = next.trim_start_matches(' ');
            let close = rest.len() - next.len() <= 3;
            let long = next.starts_with("--") && next.len() > 2;
            // One blank alone joins a short form and its long one.
            let fits = if separator == " " {
                long
            } else {
                next.starts_with('-')
            };
            if close && fits && form(next).is_some() {
                return Some(next);
            }
        }
    }
    None
}

/// One spelling with its value.
struct Form<'a> {
    long: Option<String>,
    short: Option<String>,
    value: Value,
    equals: bool,
    negatable: bool,
    /// The text must stand apart by more than one space.
    needs_gap: bool,
    /// The placeholder is a lower-case word.
    loose: bool,
    /// A value that must follow without a blank: `-w[BYTES]`.
    attached: bool,
    rest: &'a str,
}

fn form(text: &str) -> Option<Form<'_>> {
    let mut form = Form {
        long: None,
        short: None,
        value: Value::None,
        equals: false,
        negatable: false,
        needs_gap: true,
        loose: false,
        attached: false,
        rest: text,
    };
    if let Some(name) = text.strip_prefix("--") {
        let (name, negatable) = match name.strip_prefix("[no-]") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let end = name_end(name);
        if !is_long_name(&name[..end]) {
            return None;
        }
        form.negatable = negatable;
        form.long = Some(name[..end].to_owned());
        form.rest = &name[end..];
    } else {
        let name = text.strip_prefix('-')?;
        let first = name.chars().next()?;
        let end = match name_end(name) {
            0 => first.len_utf8(),
            end => end,
        };
        let name = &name[..end];
        let single =
            name.chars().count() == 1 && (first.is_ascii_alphanumeric() || "?#@".contains(first));
        // `-NUM` and `-Idir` show a value, `-classpath` is a name.
        let word = is_long_name(name) && name.bytes().all(|b| !b.is_ascii_uppercase());
        if !single && !word {
            return None;
        }
        form.short = Some(text[..end + 1].to_owned());
        form.rest = &text[end + 1..];
    }
    value(&mut form)?;
    Some(form)
}

fn name_end(name: &str) -> usize {
    let end = name
        .find(|c: char| !(c.is_ascii_alphanumeric() || "-_.:".contains(c)))
        .unwrap_or(name.len());
    // `--verbose...`: the dots say that it may be repeated.
    name[..end].trim_end_matches('.').len()
}

fn is_long_name(name: &str) -> bool {
    let shouts = |part: &str| part.len() > 2 && part.bytes().all(|b| b.is_ascii_uppercase());
    name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
        && !name.split('-').any(shouts)
}

/// Reads what a form takes.
fn value(form: &mut Form<'_>) -> Option<()> {
    let rest = form.rest;
    if let Some(after) = rest.strip_prefix("[=") {
        let end = closing(after, 0, ']')?;
        form.equals = true;
        form.value = Value::Optional(trim_brackets(&after[..end]));
        form.rest = &after[end + 1..];
        form.needs_gap = false;
        return Some(());
    }
    if let Some(after) = rest.strip_prefix('=') {
        let end = placeholder_end(after);
        if end == 0 {
            return None;
        }
        form.equals = true;
        form.needs_gap = !after[..end].ends_with(['>', ']', '}']);
        form.value = Value::Needed(trim_brackets(&after[..end]));
        form.rest = &after[end..];
        return Some(());
    }
    if form.short.is_some() && rest.starts_with(['[', '<']) {
        let end = placeholder_end(rest);
        form.attached = true;
        form.rest = &rest[end..];
        return Some(());
    }
    if rest.starts_with(['[', '<', '{', '(']) {
        return None;
    }
    let Some(after) = rest
        .strip_prefix(' ')
        .filter(|after| !after.starts_with(' '))
    else {
        return Some(());
    };
    let end = placeholder_end(after);
    let word = &after[..end];
    match word.chars().next() {
        Some('<') => {
            form.value = Value::Needed(trim_brackets(word));
            form.rest = &after[end..];
            form.needs_gap = false;
        }
        Some('[') => {
            let body = word.trim_end_matches("...");
            let pair = closing(&body[1..], 0, ']').is_some_and(|end| end + 2 == body.len());
            // click lists choices in square brackets; elsewhere they mean "may".
            form.value = if !pair || body.contains('|') && !body.contains('<') {
                Value::Needed(word.to_owned())
            } else {
                Value::Optional(trim_brackets(word))
            };
            form.rest = &after[end..];
            form.needs_gap = false;
        }
        Some('{') => {
            form.value = Value::Needed(word.to_owned());
            form.rest = &after[end..];
            form.needs_gap = false;
        }
        Some('|' | '/' | '-' | ',' | '.') | None => {}
        Some(first) if first.is_ascii_uppercase() && shouts(word) => {
            let end = shouted_end(after);
            form.value = Value::Needed(after[..end].trim().to_owned());
            form.rest = &after[end..];
            skip_repetition(form);
        }
        Some(first) if first.is_ascii_alphabetic() && ends_left(&after[end..]) => {
            form.value = Value::Needed(word.to_owned());
            form.rest = &after[end..];
            form.loose = true;
        }
        Some(_) => {}
    }
    Some(())
}

/// argparse's `X [X ...]` and `X X`: more of the same.
fn skip_repetition(form: &mut Form<'_>) {
    if let Some(after) = form.rest.strip_prefix(" [")
        && let Some(end) = after.find(']')
        && after[..end].ends_with("...")
    {
        form.rest = &after[end + 1..];
    }
}

fn shouts(word: &str) -> bool {
    !word.bytes().any(|b| b.is_ascii_lowercase()) && word.bytes().any(|b| b.is_ascii_uppercase())
}

/// Where the placeholder ends: further words in capitals belong to it
/// (`INTEGER RANGE`).
fn shouted_end(text: &str) -> usize {
    let mut end = placeholder_end(text);
    while let Some(next) = text[end..].strip_prefix(' ') {
        let more = placeholder_end(next);
        let word = &next[..more];
        if more < 2 || !word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') {
            break;
        }
        end += 1 + more;
    }
    end
}

/// Whether the left part ends here.
fn ends_left(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with("  ") || rest.starts_with('\t') || rest.starts_with(", -")
}

/// Where a placeholder ends: at a blank outside brackets, or a comma before one.
fn placeholder_end(text: &str) -> usize {
    let mut open: Vec<char> = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '<' => open.push('>'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            '(' => open.push(')'),
            _ if open.last() == Some(&c) => {
                open.pop();
            }
            ' ' | '\t' if open.is_empty() => return at,
            ',' if open.is_empty() && text[at + 1..].starts_with([' ', '-']) => return at,
            _ => {}
        }
    }
    // A bracket that never closes was none: end at the first blank.
    if open.is_empty() {
        text.len()
    } else {
        text.find([' ', '\t']).unwrap_or(text.len())
    }
}

fn closing(text: &str, mut depth: usize, close: char) -> Option<usize> {
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            _ if c == close && depth == 0 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn trim_brackets(text: &str) -> String {
    let text = text.trim().trim_end_matches("...");
    let one = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text)
        .trim_end_matches("...");
    one.strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
        .filter(|inner| !inner.contains(['<', '>']))
        .unwrap_or(one)
        .to_owned()
}

impl Listed {
    /// Takes in another spelling of the same option.
    pub(crate) fn join(&mut self, other: Listed) {
        self.longs.extend(other.longs);
        self.shorts.extend(other.shorts);
        self.equals |= other.equals;
        self.negatable |= other.negatable;
        if self.value == Value::None {
            self.value = other.value;
        }
    }

    fn add(&mut self, form: Form<'_>) {
        if let Some(long) = form.long {
            // `--debug / --no-debug` is one switch with two positions.
            let negates = long
                .strip_prefix("no-")
                .is_some_and(|name| self.longs.iter().any(|have| have == name));
            if negates {
                self.negatable = true;
            } else {
                self.longs.push(long);
            }
        }
        self.shorts.extend(form.short);
        self.negatable |= form.negatable;
        self.equals |= form.equals;
        self.value = match (std::mem::take(&mut self.value), form.value) {
            (Value::None, value) | (value, Value::None) => value,
            (Value::Optional(name), _) | (_, Value::Optional(name)) => Value::Optional(name),
            (Value::Needed(_), value) => value,
        };
    }
}
