//! Reads option lines of any family, as far as they leave no doubt.
//!
//! A line is an option's only if everything before its text can be accounted
//! for, which `forms` decides. Anything else that starts with a dash is handed back
//! unread, or is text about options where it stands in the texts' column.

use std::collections::{BTreeMap, BTreeSet};

use super::forms;
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
    /// Whether the value's placeholder stands in angles: then it is one.
    pub angled: bool,
    /// Whether a value was shown right behind a letter: `-w[BYTES]`.
    pub attached: bool,
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
    /// Several words must be given; their placeholders.
    Several(String),
}

/// Deeper lines that start with a dash are text about options.
const DEEPEST: usize = 8;

/// Longer lines are not read: no person wrote them.
const LONGEST: usize = 4096;

/// The options among `lines`, and what looked like one and could not be read.
pub(crate) fn read(lines: &[&str]) -> (Vec<Listed>, Vec<String>) {
    let apart = two_abreast(lines);
    let lines: Vec<&str> = match &apart {
        Some(lines) => lines.iter().map(String::as_str).collect(),
        None => lines.to_vec(),
    };
    let usual = usual_column(&lines);
    let mut options: Vec<Listed> = Vec::new();
    let mut unread = Vec::new();
    let mut open: Option<Open> = None;
    let mut joins = false;
    for (at, line) in lines.iter().enumerate() {
        if blank(line) {
            continue;
        }
        let own = indent(line);
        if open.is_none() && at > 0 && own == 0 && goes_on(lines[at - 1]) {
            continue;
        }
        if is_candidate(line) && open.is_none_or(|open| open.ends_before(line, usual)) {
            let next = lines[at + 1..].iter().find(|line| !blank(line));
            let described = next.is_some_and(|next| indent(next) > own);
            if let Some((option, column)) = option_at(line, usual, described) {
                let nested = open.is_some_and(|open| own > open.indent);
                open = Some(Open {
                    indent: open.filter(|_| nested).map_or(own, |open| open.indent),
                    column: column.or_else(|| next.filter(|_| described).map(|next| indent(next))),
                    beside: !option.text.is_empty(),
                });
                // `--color[=WHEN],` and on the next line its other name.
                let joined = std::mem::replace(&mut joins, line.trim_end().ends_with(','));
                match options
                    .last_mut()
                    .filter(|last| joined && last.text.is_empty())
                {
                    Some(last) => {
                        last.text.clone_from(&option.text);
                        last.join(option);
                    }
                    None => options.push(option),
                }
                continue;
            }
            if open.is_none_or(|open| own <= open.indent || open.beside) {
                unread.push(left_of(line.trim()).to_owned());
                open = None;
                continue;
            }
        }
        match (open, options.last_mut()) {
            (Some(open), Some(option)) if own > open.indent => {
                if !option.text.is_empty() {
                    option.text.push(' ');
                }
                option.text.push_str(line.trim());
            }
            _ => open = None,
        }
    }
    let unread = told_elsewhere(unread, &options);
    (options, unread)
}

/// Whether a paragraph at the margin goes on behind `line`: a dash may then start one of
/// its lines.
fn goes_on(line: &str) -> bool {
    indent(line) == 0
        && line.len() > 40
        && !line.ends_with(':')
        && !line.contains("  ")
        && line.starts_with(|c: char| c.is_alphabetic())
}

/// The option that text may still belong to.
#[derive(Clone, Copy)]
struct Open {
    /// Where the option starts, or the lettered one above it.
    indent: usize,
    /// Where its text starts, as far as that is known.
    column: Option<usize>,
    /// Whether its text starts beside it.
    beside: bool,
}

impl Open {
    /// Whether `line`, which starts with a dash, can be another option: further right
    /// than the one above stand its text, and options that have no letter.
    fn ends_before(self, line: &str, usual: Option<usize>) -> bool {
        let own = indent(line);
        if own <= self.indent {
            return true;
        }
        let long = line.trim_start().starts_with("--");
        let texts = match (self.column, usual) {
            (Some(column), Some(usual)) => column.min(usual),
            (column, usual) => column.or(usual).unwrap_or(usize::MAX),
        };
        let lettered = (3..=6).contains(&(own - self.indent));
        long && lettered && (own + 2 < texts || own == self.indent + 4 && own < texts)
    }
}

/// An option without a text: `-C <path>`, `--exec-path[=<path>]`.
pub(crate) fn alone(text: &str) -> Option<Listed> {
    let option = forms::option(text.trim(), true)?;
    option.text.is_empty().then_some(option)
}

/// Reads `line`, and says in which column its text starts.
fn option_at(line: &str, usual: Option<usize>, described: bool) -> Option<(Listed, Option<usize>)> {
    if line.len() > LONGEST {
        return None;
    }
    let trimmed = line.trim();
    if let Some(option) = forms::option(trimmed.trim_end_matches(','), described) {
        let start = trimmed.len() - option.text.len();
        let before = line.len() - line.trim_start().len() + start;
        let column = (!option.text.is_empty()).then(|| width(line.get(..before).unwrap_or(line)));
        return Some((option, column));
    }
    // Left and text are one blank apart: the column of the other texts shows where.
    let usual = usual?;
    if let Some(cut) = at_column(line, usual)
        && let Some(mut option) = alone(&line[..cut])
    {
        option.text = line[cut..].trim().to_owned();
        return Some((option, Some(usual)));
    }
    // A name that is as long as the column is wide, and a sentence behind it.
    let (name, sentence) = trimmed.split_once(' ')?;
    let reaches = indent(line) + name.chars().count() + 1 >= usual;
    let mut letters = sentence.chars();
    let starts = letters.next().is_some_and(char::is_uppercase)
        && letters.next().is_some_and(char::is_lowercase);
    let option = alone(name).filter(|_| reaches && starts && !sentence.contains("  "));
    option.map(|mut option| {
        option.text = sentence.trim().to_owned();
        (option, Some(usual))
    })
}

/// Where `column` is in `line`, if something starts there behind a blank.
fn at_column(line: &str, column: usize) -> Option<usize> {
    let mut at = 0;
    let mut before = ' ';
    for (byte, c) in line.char_indices() {
        if at == column {
            return (before == ' ' && c != ' ').then_some(byte);
        }
        if at > column {
            return None;
        }
        at = if c == '\t' { (at / 8 + 1) * 8 } else { at + 1 };
        before = if c == '\t' { ' ' } else { c };
    }
    None
}

/// How many columns `text` takes from the margin.
fn width(text: &str) -> usize {
    text.chars().fold(0, |at, c| match c {
        '\t' => (at / 8 + 1) * 8,
        _ => at + 1,
    })
}

/// The column in which the texts of most options start.
fn usual_column(lines: &[&str]) -> Option<usize> {
    let mut counts = BTreeMap::<usize, usize>::new();
    for line in lines.iter().filter(|line| is_candidate(line)) {
        let left = left_of(line.trim());
        let before = line.len() - line.trim_start().len() + left.len();
        let rest = line.get(before..).unwrap_or_default();
        let text = rest.trim_start();
        if !text.is_empty() && !text.starts_with('-') {
            let start = line.get(..line.len() - text.len()).unwrap_or(line);
            *counts.entry(width(start)).or_default() += 1;
        }
    }
    let most = counts
        .iter()
        .max_by_key(|(column, count)| (**count, std::cmp::Reverse(**column)));
    most.filter(|(_, count)| **count > 1)
        .map(|(column, _)| *column)
}

/// Options that stand in two columns, as zip's do, under each other.
fn two_abreast(lines: &[&str]) -> Option<Vec<String>> {
    let second = |line: &str| -> Option<usize> {
        let start = line.trim_start();
        let (at, _) = start.match_indices("  -").find(|(at, _)| {
            let rest = &start[at + 2..];
            let letter = rest
                .chars()
                .nth(1)
                .is_some_and(|c| c.is_ascii_alphanumeric());
            letter
                && left_of(rest).len() <= 3
                && left_of(rest).len() < rest.trim_end().len()
                && !start[..*at].trim_start_matches('-').is_empty()
                && left_of(start).len() <= 3
        })?;
        Some(width(&line[..line.len() - start.len() + at + 2]))
    };
    let mut counts = BTreeMap::<usize, usize>::new();
    for line in lines.iter().filter(|line| is_candidate(line)) {
        if let Some(column) = second(line) {
            *counts.entry(column).or_default() += 1;
        }
    }
    let (column, _) = counts
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .filter(|(_, count)| *count > 2)?;
    let mut apart = Vec::with_capacity(lines.len() * 2);
    for line in lines {
        let cut = at_column(line, column)
            .filter(|cut| is_candidate(line) && line[*cut..].starts_with('-'));
        match cut {
            Some(cut) => {
                apart.push(line[..cut].trim_end().to_owned());
                let margin = " ".repeat(indent(line));
                apart.push(format!("{margin}{}", &line[cut..]));
            }
            None => apart.push((*line).to_owned()),
        }
    }
    Some(apart)
}

/// The lines that name something that no option was read of: others only mention what
/// stands elsewhere.
fn told_elsewhere(unread: Vec<String>, options: &[Listed]) -> Vec<String> {
    let mut known: BTreeSet<String> = ["--help", "-h", "-help", "-?"].map(str::to_owned).into();
    for option in options {
        known.extend(option.shorts.iter().cloned());
        known.extend(option.longs.iter().map(|name| format!("--{name}")));
    }
    let told = |line: &String| {
        let names = line
            .split([' ', ',', '|'])
            .filter(|word| word.starts_with('-'));
        names.clone().count() > 1
            && names.into_iter().all(|word| {
                let name = word.split(['=', '[']).next().unwrap_or_default();
                let letter = name
                    .char_indices()
                    .nth(2)
                    .map_or(name, |(end, _)| &name[..end]);
                known.contains(name) || !name.starts_with("--") && known.contains(letter)
            })
    };
    unread.into_iter().filter(|line| !told(line)).collect()
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
