//! Cuts a page into the text before its usage, the usage, and the sections behind it.
//!
//! Headings are free text. What a section holds is told by its entries: clap sets them
//! at one of two columns, so that a text about options is never taken for one.

use super::super::Text;
use crate::sources::help::text::{blank, indent, unindented};

/// A longer line is a sentence.
const LONGEST_HEADING: usize = 60;
/// So is one with more words.
const MOST_WORDS: usize = 6;

/// A page in its parts.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    /// Lines before the usage.
    about: Vec<&'a str>,
    /// Usage lines without the word before them.
    pub usage: Vec<String>,
    pub sections: Vec<Section<'a>>,
    /// Where options with a letter start.
    column: usize,
}

/// A heading and what stands under it.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub title: &'a str,
    pub holds: Holds,
    body: &'a [&'a str],
}

/// What a section is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// Options and arguments.
    Entries,
    Commands,
    Examples,
    /// Something to read.
    Text,
}

/// An option, an argument or a command.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    /// Its first line, without indent.
    pub line: &'a str,
    /// The lines of its text below.
    pub below: Vec<&'a str>,
}

impl<'a> Layout<'a> {
    pub(super) fn of(lines: &'a [&'a str], text: &Text<'_>) -> Self {
        let Some(head) = usage_head(lines, text.program) else {
            return Self::without_usage(lines);
        };
        let (usage, end) = usage(lines, head);
        let mut sections = sections(&lines[end..]);
        let column = column(&sections);
        let names_commands = usage.iter().any(|line| has_command_placeholder(line));
        let titled = sections
            .iter()
            .any(|section| is_command_title(section.title));
        for section in &mut sections {
            section.holds = section.judge(column, names_commands && !titled);
        }
        Self {
            about: about(&lines[..head], text),
            usage,
            sections,
            column,
        }
    }

    /// A page of a program that prints no usage: what has the look of sections is one.
    fn without_usage(lines: &'a [&'a str]) -> Self {
        let mut sections = sections(lines);
        let column = column(&sections);
        for section in &mut sections {
            section.holds = section.judge(column, false);
        }
        Self {
            about: Vec::new(),
            usage: Vec::new(),
            sections,
            column,
        }
    }

    pub(super) fn about(&self) -> String {
        unindented(&self.about)
    }

    /// The first paragraph in one line.
    pub(super) fn summary(&self) -> String {
        let lines = self.about.iter().skip_while(|line| blank(line));
        let first: Vec<&str> = lines
            .take_while(|line| !blank(line))
            .map(|line| line.trim())
            .collect();
        first.join(" ")
    }

    /// Options and arguments of `section`.
    pub(super) fn entries(&self, section: &Section<'a>) -> Vec<Entry<'a>> {
        let base = section.base();
        section.cut(|at, content| starts_entry(self.column, base, at, content))
    }

    /// Commands of `section`.
    pub(super) fn rows(&self, section: &Section<'a>) -> Vec<Entry<'a>> {
        let base = section.base();
        section.cut(|at, _| at == base)
    }
}

impl<'a> Section<'a> {
    /// The heading that its commands are listed under, where it says more than that.
    pub(super) fn group(&self, layout: &Layout<'a>) -> Option<&'a str> {
        let lists = |section: &&Section<'_>| section.holds == Holds::Commands;
        let several = layout.sections.iter().filter(lists).count() > 1;
        let plain = ["commands", "subcommands"];
        let is_plain = plain.contains(&self.title.to_lowercase().as_str());
        (several || !is_plain).then_some(self.title)
    }

    pub(super) fn unindented(&self) -> String {
        unindented(self.body)
    }

    /// Where its leftmost line starts.
    fn base(&self) -> usize {
        let lines = self.body.iter().filter(|line| !blank(line));
        lines.map(|line| indent(line)).min().unwrap_or(0)
    }

    fn cut(&self, starts: impl Fn(usize, &str) -> bool) -> Vec<Entry<'a>> {
        let mut entries: Vec<Entry<'a>> = Vec::new();
        for line in self.body {
            let content = line.trim();
            if !content.is_empty() && starts(indent(line), content) {
                entries.push(Entry {
                    line: content,
                    below: Vec::new(),
                });
            } else if let Some(entry) = entries.last_mut() {
                entry.below.push(line);
            }
        }
        entries
    }

    /// What it holds; commands under a heading that does not say so only where
    /// `commands_anywhere`.
    fn judge(&self, column: usize, commands_anywhere: bool) -> Holds {
        let Some(first) = self.body.iter().find(|line| !blank(line)) else {
            return Holds::Text;
        };
        let title = self.title.to_lowercase();
        if title.contains("example") {
            return Holds::Examples;
        }
        if is_sentence(self.title) {
            return Holds::Text;
        }
        let base = self.base();
        if starts_entry(column, base, indent(first), first.trim()) {
            return Holds::Entries;
        }
        let lists = is_command_title(self.title)
            || (commands_anywhere && !title.contains("topic") && !title.contains("environment"));
        let at_base = self
            .body
            .iter()
            .filter(|line| !blank(line) && indent(line) == base);
        if lists && at_base.clone().all(|line| is_row(line.trim())) {
            return Holds::Commands;
        }
        Holds::Text
    }
}

/// `line` without a picture at its right, as the usage library sets one beside a page.
pub(super) fn without_picture(line: &str) -> &str {
    let is_block = |c: char| ('\u{2580}'..='\u{259f}').contains(&c);
    let text = line.trim_end_matches(|c: char| is_block(c) || c == ' ');
    let pictured = line[text.len()..].contains(is_block);
    match pictured && (text.is_empty() || line[text.len()..].starts_with("  ")) {
        true => text,
        false => line,
    }
}

/// Left and right of a row of two columns.
pub(super) fn cut(row: &str) -> (&str, &str) {
    let gap = row.find("  ").into_iter().chain(row.find('\t')).min();
    let (left, right) = row.split_at(gap.unwrap_or(row.len()));
    (left.trim_end(), right.trim())
}

/// Whether something starts here: options at the page's column, or four further where
/// they have no letter; arguments where the section does.
fn starts_entry(column: usize, base: usize, at: usize, content: &str) -> bool {
    match content.as_bytes() {
        [b'-', b'-', next, ..] if next.is_ascii_alphanumeric() => at == column || at == column + 4,
        [b'-', next, ..] if !next.is_ascii_whitespace() => at == column,
        [b'<' | b'[', ..] => at == base,
        _ => false,
    }
}

/// `build, b    Compile`, `...   See all`, or a name alone.
fn is_row(content: &str) -> bool {
    let (left, _) = cut(content);
    let is_name = |name: &str| {
        let name = name.trim();
        name == "..."
            || name.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-')
                && name
                    .chars()
                    .all(|c| c.is_alphanumeric() || "-_.:+@".contains(c))
    };
    left.split(", ").all(is_name)
}

fn is_command_title(title: &str) -> bool {
    let title = title.to_lowercase();
    title.contains("command") && !title.contains("installed")
}

fn is_sentence(title: &str) -> bool {
    title.chars().count() > LONGEST_HEADING
        || title.split_whitespace().count() > MOST_WORDS
        || title.contains(['`', '"', ',', '.'])
        || title.contains("e.g")
}

/// The leftmost column of lines that start with a dash. Options without a letter stand
/// four further: where no option has one, that is where the leftmost would be.
fn column(sections: &[Section<'_>]) -> usize {
    let dashed = sections
        .iter()
        .filter(|section| !is_sentence(section.title))
        .flat_map(|section| section.body)
        .filter(|line| {
            let content = line.trim_start().as_bytes();
            matches!(content, [b'-', next, ..] if !next.is_ascii_whitespace())
        })
        .map(|line| indent(line))
        .min();
    match dashed {
        Some(column @ 0..6) => column,
        Some(column) => column - 4,
        None => 2,
    }
}

/// The line that opens the usage: the last that names the program, for a text may quote
/// another; else the first.
fn usage_head(lines: &[&str], program: &str) -> Option<usize> {
    let heads = lines.iter().enumerate().filter_map(|(at, line)| {
        let rest = line
            .get(..6)
            .filter(|word| word.eq_ignore_ascii_case("usage:"))?;
        let inline = line[rest.len()..].trim();
        let first = match inline.is_empty() {
            true => lines.get(at + 1).map_or("", |next| next.trim()),
            false => inline,
        };
        Some((at, first.split_whitespace().next() == Some(program)))
    });
    let heads: Vec<(usize, bool)> = heads.collect();
    let named = heads.iter().rev().find(|(_, named)| *named);
    named.or(heads.first()).map(|(at, _)| *at)
}

/// The usage lines from `head` on, and where they end.
fn usage(lines: &[&str], head: usize) -> (Vec<String>, usize) {
    let mut usage: Vec<String> = Vec::new();
    let mut take = |line: &str| {
        let first = usage
            .first()
            .and_then(|line| line.split_whitespace().next())
            .map(str::to_owned);
        // `command | tool [OPTIONS] PATTERN`
        let piped = first
            .as_ref()
            .and_then(|first| line.find(&format!("| {first} ")));
        let line = piped.map_or(line, |at| line[at + 1..].trim_start());
        match (first, usage.last_mut()) {
            (Some(first), Some(last)) if !line.starts_with(&first) => {
                last.push(' ');
                last.push_str(line);
            }
            _ => usage.push(line.to_owned()),
        }
    };
    let inline = lines[head].get(6..).unwrap_or_default().trim();
    if !inline.is_empty() {
        take(inline);
    }
    let below = lines[head + 1..]
        .iter()
        .take_while(|line| !blank(line) && indent(line) > 0);
    let mut end = head + 1;
    for line in below {
        take(line.trim());
        end += 1;
    }
    (usage, end)
}

/// Whether the line has a place for a command's name.
pub(super) fn has_command_placeholder(line: &str) -> bool {
    line.split_whitespace().any(is_command_placeholder)
}

pub(super) fn is_command_placeholder(word: &str) -> bool {
    matches!(
        word.trim_matches(['[', ']', '<', '>'])
            .to_lowercase()
            .as_str(),
        "command" | "subcommand"
    ) && !word.ends_with(['.', '…'])
}

/// Sections behind the usage: a heading, and what is set deeper than it. Anything else
/// that is not set deeper ends one.
fn sections<'a>(lines: &'a [&'a str]) -> Vec<Section<'a>> {
    let mut sections: Vec<Section<'a>> = Vec::new();
    let mut open: Option<(&'a str, usize)> = None;
    let mut close = |open: &mut Option<(&'a str, usize)>, end: usize| {
        if let Some((title, start)) = open.take() {
            sections.push(Section {
                title,
                holds: Holds::Text,
                body: &lines[start..end],
            });
        }
    };
    for (at, line) in lines.iter().enumerate() {
        if blank(line) || indent(line) > 0 {
            continue;
        }
        close(&mut open, at);
        let next = lines[at + 1..].iter().find(|next| !blank(next));
        let deeper = next.is_some_and(|next| indent(next) > 0);
        if let Some(title) = line.trim().strip_suffix(':').filter(|_| deeper) {
            open = Some((title, at + 1));
        }
    }
    close(&mut open, lines.len());
    sections
}

/// The text before the usage, without the line that names the version and those that
/// name the authors, as old versions print them.
fn about<'a>(lines: &[&'a str], text: &Text<'_>) -> Vec<&'a str> {
    let own_name = |word: &str| {
        let path = text.path.join("-");
        word == text.program
            || word == format!("{}-{path}", text.program)
            || word.ends_with(&format!("-{path}")) && !path.is_empty()
    };
    let is_version = |line: &str| {
        let mut words = line.split_whitespace();
        let named = words.next().is_some_and(own_name);
        let version = words.next().map(|word| word.trim_start_matches('v'));
        named && version.is_none_or(|it| it.starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_author =
        |line: &str| line.trim_end().ends_with('>') && line.contains('@') && line.contains(" <");
    let mut lines = lines
        .iter()
        .copied()
        .skip_while(|line| blank(line))
        .peekable();
    let mut about = Vec::new();
    if lines.next_if(|line| is_version(line)).is_some() {
        about.extend(lines.filter(|line| !is_author(line)));
    } else {
        about.extend(lines);
    }
    about
}
