//! What pages of all families are made of: sections under headings, and rows with
//! something on the left and its text on the right.

use super::{Page, Text};
use crate::sources::help::text::{blank, indent, unindented};
use crate::sources::plain;

/// A page as any program could have printed it: the start for families whose own
/// layout says nothing more.
pub(super) fn page(text: &Text<'_>) -> Page {
    plain::generic(text.lines, text.program)
}

/// The text between the usage and the first heading or option.
pub(super) fn description(lines: &[&str]) -> String {
    let is_usage = |line: &&str| line.trim_start().to_lowercase().starts_with("usage");
    let start = lines.iter().position(is_usage).unwrap_or(0);
    let body = lines.get(start..).unwrap_or_default();
    let text = body
        .iter()
        .position(|line| blank(line))
        .unwrap_or(body.len());
    let body = &body[text..];
    let ends = |line: &&str| {
        let content = line.trim();
        content.starts_with('-') || indent(line) == 0 && content.ends_with(':')
    };
    unindented(&body[..body.iter().position(ends).unwrap_or(body.len())])
}

/// A heading and what stands under it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section<'a> {
    /// Without its colon; empty for what stands before the first heading.
    pub title: &'a str,
    /// The lines up to the next heading.
    pub body: &'a [&'a str],
}

/// `lines` cut at those that `is_heading` says are headings.
pub(super) fn sections<'a>(
    lines: &'a [&'a str],
    is_heading: impl Fn(&str) -> bool,
) -> Vec<Section<'a>> {
    let mut sections = Vec::new();
    let (mut title, mut start) = ("", 0);
    for (at, line) in lines.iter().enumerate() {
        if is_heading(line) {
            sections.push(Section {
                title,
                body: &lines[start..at],
            });
            (title, start) = (line.trim().trim_end_matches(':'), at + 1);
        }
    }
    sections.push(Section {
        title,
        body: &lines[start..],
    });
    sections
}

/// Something on the left and its text, joined to one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row<'a> {
    pub indent: usize,
    pub left: &'a str,
    pub text: String,
}

/// The rows of `body`: a line at one of the `indents` starts one, deeper lines go on with
/// its text. Left and right stand apart by at least `gap` blanks or a tab.
pub(super) fn rows<'a>(
    body: &[&'a str],
    starts: impl Fn(usize, &str) -> bool,
    gap: usize,
) -> Vec<Row<'a>> {
    let gap = " ".repeat(gap);
    let mut rows: Vec<Row<'a>> = Vec::new();
    for line in body.iter().filter(|line| !blank(line)) {
        let own = indent(line);
        let content = line.trim();
        if starts(own, content) {
            let end = content
                .find(&gap)
                .into_iter()
                .chain(content.find('\t'))
                .min();
            let (left, right) = content.split_at(end.unwrap_or(content.len()));
            rows.push(Row {
                indent: own,
                left: left.trim_end(),
                text: right.trim().to_owned(),
            });
        } else if let Some(row) = rows.last_mut().filter(|row| own > row.indent) {
            if !row.text.is_empty() {
                row.text.push(' ');
            }
            row.text.push_str(content);
        }
    }
    rows
}
