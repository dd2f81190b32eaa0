//! Cuts a page into its usage, its text, and sections of rows.
//!
//! Parsers put options at one column and their texts further right; so a row is a line at
//! the least indent of its section, whatever width and depth a formatter chose.

use crate::sources::help::text::{blank, indent};

/// Longer pages than any program's are read this far.
const MOST_LINES: usize = 50_000;

/// The parts of a page.
#[derive(Debug, Default)]
pub(super) struct Layout<'a> {
    /// Usages, each joined to one line, without the word before them.
    pub usage: Vec<String>,
    /// Between the usage and the first section.
    pub description: &'a [&'a str],
    pub sections: Vec<Section<'a>>,
}

/// A heading and what stands under it.
#[derive(Debug)]
pub(super) struct Section<'a> {
    /// Without its colon; empty for text at the margin.
    pub title: &'a str,
    pub body: &'a [&'a str],
    pub rows: Vec<Row<'a>>,
}

/// A line with something on its left, and its text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row<'a> {
    pub left: &'a str,
    pub text: String,
    /// Two columns right of the rows around it: a command below the word for them.
    pub is_inner: bool,
    /// Such rows follow.
    pub has_inner: bool,
}

impl Row<'_> {
    pub(super) fn is_option(&self) -> bool {
        !self.is_inner && is_option_start(self.left)
    }
}

/// Whether a line starts as an option's does.
pub(in crate::sources::families) fn is_option_start(text: &str) -> bool {
    let name = text.trim_start_matches('-');
    (1..=2).contains(&(text.len() - name.len()))
        && name.starts_with(|c: char| c.is_alphanumeric() || "?#@_".contains(c))
}

impl<'a> Layout<'a> {
    pub(super) fn cut(lines: &'a [&'a str]) -> Self {
        let lines = &lines[..lines.len().min(MOST_LINES)];
        let (usage, body) = usage(lines);
        let mut layout = Layout {
            usage,
            ..Layout::default()
        };
        let body = &lines[body..];
        let mut starts: Vec<(usize, bool)> = Vec::new();
        for at in 0..body.len() {
            if is_heading(body, at) {
                starts.push((at, true));
            } else if indent(body[at]) == 0
                && !blank(body[at])
                && starts.last().is_some_and(|(_, heading)| *heading)
            {
                starts.push((at, false));
            }
        }
        let first = starts.first().map_or(body.len(), |(at, _)| *at);
        layout.description = &body[..first];
        for (index, (at, heading)) in starts.iter().enumerate() {
            let end = starts.get(index + 1).map_or(body.len(), |(at, _)| *at);
            layout.sections.push(match heading {
                true => {
                    let inside = &body[at + 1..end];
                    Section {
                        title: body[*at].trim().trim_end_matches(':'),
                        body: inside,
                        rows: rows(inside),
                    }
                }
                false => Section {
                    title: "",
                    body: &body[*at..end],
                    rows: Vec::new(),
                },
            });
        }
        layout
    }
}

/// The usage lines, and where the rest of the page starts.
fn usage(lines: &[&str]) -> (Vec<String>, usize) {
    let is_usage = |line: &&str| {
        let word = line.trim_start().get(..6).unwrap_or_default();
        word.eq_ignore_ascii_case("usage:")
    };
    let Some(head) = lines.iter().position(is_usage) else {
        return (Vec::new(), 0);
    };
    let margin = indent(lines[head]);
    let inline = lines[head].split_once(':').map_or("", |(_, rest)| rest);
    let mut usage: Vec<String> = Vec::new();
    if !inline.trim().is_empty() {
        usage.push(inline.trim().to_owned());
    }
    let mut at = head + 1;
    // `Usage:` alone is a heading, and its lines may come after a blank one.
    while usage.is_empty() && lines.get(at).is_some_and(|line| blank(line)) {
        at += 1;
    }
    while let Some(line) = lines.get(at) {
        if blank(line) || indent(line) <= margin {
            break;
        }
        let line = line.trim();
        let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
        let again = usage.first().is_none_or(|have| first(have) == first(line));
        match usage.last_mut() {
            Some(last) if !again => {
                last.push(' ');
                last.push_str(line.strip_prefix("or:").unwrap_or(line).trim_start());
            }
            _ => usage.push(line.to_owned()),
        }
        at += 1;
    }
    (usage, at)
}

/// Whether the line at `at` is a section's heading: `options:` at the margin, or further
/// right, where a group of options stands in another.
fn is_heading(lines: &[&str], at: usize) -> bool {
    let line = lines[at];
    let title = line.trim();
    if !title.ends_with(':') || is_option_start(title) || title.contains("  ") {
        return false;
    }
    let own = indent(line);
    let next = lines[at + 1..].iter().take(4).find(|line| !blank(line));
    if !next.is_some_and(|next| indent(next) > own) {
        return false;
    }
    if own == 0 {
        return true;
    }
    let after_blank = at > 0 && blank(lines[at - 1]);
    let inside = lines[at + 1..]
        .iter()
        .take(12)
        .filter(|line| !blank(line))
        .take_while(|line| indent(line) > own)
        .any(|line| indent(line) == own + 2 && is_option_start(line.trim()));
    own <= 4 && after_blank && inside
}

/// The rows of a section.
fn rows<'a>(body: &[&'a str]) -> Vec<Row<'a>> {
    let filled = || body.iter().filter(|line| !blank(line));
    // The least so far: a line by itself may stand further left.
    let mut least = usize::MAX;
    let mut rows: Vec<Row<'a>> = Vec::new();
    let mut texts: Vec<Vec<&'a str>> = Vec::new();
    // A group's own text stands where rows do, and a blank line ends it.
    let mut outer: Option<usize> = None;
    for line in filled() {
        let own = indent(line);
        least = least.min(own);
        let content = line.trim();
        let inner = own == least + 2 && outer.is_some() && !is_option_start(content);
        let starts = own == least || inner && outer.is_some_and(|outer| holds_rows(&rows, outer));
        if !starts {
            if let Some(text) = texts.last_mut() {
                text.push(content);
            }
            continue;
        }
        let (left, right) = split(content);
        if own == least {
            outer = Some(rows.len());
        } else if let Some(outer) = outer {
            rows[outer].has_inner = true;
        }
        rows.push(Row {
            left,
            text: String::new(),
            is_inner: own != least,
            has_inner: false,
        });
        texts.push(if right.is_empty() {
            Vec::new()
        } else {
            vec![right]
        });
    }
    for (row, text) in rows.iter_mut().zip(texts) {
        row.text = joined(&text);
    }
    rows
}

/// Whether rows two columns further right belong to the row at `outer`.
fn holds_rows(rows: &[Row<'_>], outer: usize) -> bool {
    let left = rows[outer].left;
    !is_option_start(left)
}

/// Left and right of the gap.
pub(in crate::sources::families) fn split(content: &str) -> (&str, &str) {
    let gap = content
        .find("  ")
        .into_iter()
        .chain(content.find('\t'))
        .min();
    let (left, right) = content.split_at(gap.unwrap_or(content.len()));
    (left.trim_end(), right.trim())
}

/// Lines of a wrapped text as one, with words that were cut at a hyphen whole again.
pub(in crate::sources::families) fn joined(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        let cut = text
            .strip_suffix('-')
            .is_some_and(|before| before.ends_with(char::is_alphabetic))
            && line.starts_with(char::is_alphabetic);
        if !text.is_empty() && !cut {
            text.push(' ');
        }
        text.push_str(line);
    }
    text
}
