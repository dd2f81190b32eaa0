//! The tables of a yargs page: a column of names, one of texts, and tags at the right
//! edge, each wrapped within its own width.
//!
//! There are two ways of wrapping: at blanks, or in the middle of words where the
//! program is an ES module; a page is of one kind.

use super::tags::starts_tag;
use crate::sources::help::text::{blank, indent};

/// Longer texts are cut off: no author wrote them.
const LONGEST: usize = 16 * 1024;

/// A heading and what stands under it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section<'a> {
    pub title: &'a str,
    /// The heading's line.
    pub at: usize,
    pub body: &'a [&'a str],
}

impl Section<'_> {
    /// Where its rows start.
    pub fn base(&self) -> usize {
        let lines = self.body.iter().filter(|line| !blank(line));
        lines.map(|line| indent(line)).min().unwrap_or_default()
    }
}

/// A row with its cells put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// The first line as printed.
    pub line: String,
    pub left: String,
    /// The text, and the tags behind it.
    pub text: String,
}

/// Headings stand at the margin, with rows below them that are indented.
pub(super) fn sections<'a>(lines: &'a [&'a str]) -> Vec<Section<'a>> {
    let mut sections: Vec<Section<'a>> = Vec::new();
    let mut end = 0;
    for at in 0..lines.len() {
        let line = lines[at];
        if blank(line) || indent(line) > 0 {
            continue;
        }
        // The margin ends what stood above.
        if let Some(last) = sections.last_mut().filter(|it| it.at >= end) {
            last.body = &lines[last.at + 1..at];
            end = at;
        }
        let below = lines
            .get(at + 1)
            .is_some_and(|below| indent(below) > 0 && !blank(below));
        let options = lines
            .get(at + 1)
            .is_some_and(|below| below.trim_start().starts_with('-'));
        if below && (options || line.ends_with(':')) && !line.to_lowercase().starts_with("usage:") {
            sections.push(Section {
                title: line.trim_end_matches(':'),
                at,
                body: &lines[at + 1..],
            });
        }
    }
    sections
}

/// How the tables of a page are wrapped.
pub(super) struct Table {
    /// The width at which words are cut, where they are.
    cut: Option<usize>,
}

impl Table {
    /// Texts are cut within words where each line that is gone on with is full.
    pub fn of(lines: &[&str]) -> Self {
        let width = |line: &&str| line.chars().count();
        let widest = lines.iter().map(width).max().unwrap_or_default();
        let (mut full, mut short) = (0, 0);
        for pair in lines.windows(2) {
            let (line, next) = (pair[0], pair[1]);
            let goes_on = indent(next) > 12
                && indent(line) > 0
                && !starts_tag(next.trim_start())
                && !line.ends_with(']');
            // A blank at the cut is not printed.
            match width(&line) + 1 >= widest {
                _ if !goes_on => {}
                true => full += 1,
                false => short += 1,
            }
        }
        Table {
            cut: (full > 0 && short == 0).then_some(widest),
        }
    }

    /// The rows of `section`.
    pub fn rows(&self, section: &Section<'_>) -> Vec<Row> {
        let base = section.base();
        let column = column(section, base);
        let mut rows: Vec<Row> = Vec::new();
        let mut open = false;
        let mut before = 0;
        for line in section.body.iter().filter(|line| !blank(line)) {
            let content = line.trim_start();
            let own = indent(line);
            let width = line.chars().count();
            let (left, right) = split_at(line, column);
            // Tags may start left of the texts, and go on anywhere.
            let tags = open || starts_tag(content);
            let starts = own == base || (own == base + 4 && content.starts_with('-'));
            if !tags && starts && !self.is_rest_of_name(left, &rows, before) {
                // A row without a text may be wider than the names of the others.
                let (left, right) = match left.trim().contains("  ") || column == usize::MAX {
                    true => cut_at_gap(content),
                    false => (left, right),
                };
                rows.push(Row {
                    line: (*line).to_owned(),
                    left: left.trim().to_owned(),
                    text: right.trim_end().to_owned(),
                });
                open = is_open(right);
            } else if let Some(row) = rows.last_mut().filter(|row| row.text.len() < LONGEST) {
                let full = self.cut.is_some_and(|cut| before + 1 >= cut);
                if tags {
                    join(&mut row.text, content, full && open);
                    open = is_open(&row.text);
                } else {
                    row.left.push_str(left.trim());
                    // A cut line starts with the blank that stood there.
                    match full {
                        true => {
                            let blank_lost = before + 1 == self.cut.unwrap_or_default();
                            join(
                                &mut row.text,
                                right.trim_end(),
                                !blank_lost || right.starts_with(' '),
                            );
                        }
                        false => join(&mut row.text, right.trim(), false),
                    }
                    open = is_open(&row.text);
                }
            }
            before = width;
        }
        for row in &mut rows {
            row.text = row
                .text
                .split(' ')
                .filter(|it| !it.is_empty())
                .collect::<Vec<_>>()
                .join(" ");
        }
        rows
    }

    /// Whether `left` goes on with the name of the row before: names longer than half a
    /// line are cut too.
    fn is_rest_of_name(&self, left: &str, rows: &[Row], before: usize) -> bool {
        let left = left.trim();
        let Some(row) = rows.last() else {
            return false;
        };
        let opened = |open, close| row.left.matches(open).count() > row.left.matches(close).count();
        before > 0 && (opened('<', '>') || opened('[', ']')) && left.ends_with(['>', ']'])
    }
}

/// Where the texts start: the first place behind a gap, going by the rows with a text.
fn column(section: &Section<'_>, base: usize) -> usize {
    let mut column = usize::MAX;
    let mut tagged = usize::MAX;
    for line in section.body.iter().filter(|line| !blank(line)) {
        let content = line.trim_start();
        let own = indent(line);
        let starts = own == base || (own == base + 4 && content.starts_with('-'));
        let Some(gap) = content.find("  ").filter(|_| starts) else {
            continue;
        };
        let (left, rest) = content.split_at(gap);
        let text = rest.trim_start();
        let at = own + left.chars().count() + (rest.len() - text.len());
        match starts_tag(text) {
            true => tagged = tagged.min(at),
            false => column = column.min(at),
        }
    }
    match column {
        usize::MAX => tagged,
        column => column,
    }
}

fn split_at(line: &str, column: usize) -> (&str, &str) {
    let at = line
        .char_indices()
        .nth(column)
        .map_or(line.len(), |(at, _)| at);
    line.split_at(at)
}

fn cut_at_gap(content: &str) -> (&str, &str) {
    let (left, right) = content.split_once("  ").unwrap_or((content, ""));
    (left, right.trim_start())
}

/// Whether a tag at the end of `text` has no end yet.
fn is_open(text: &str) -> bool {
    let Some(start) = text
        .match_indices('[')
        .map(|(at, _)| at)
        .find(|at| text.get(*at..).is_some_and(starts_tag))
    else {
        return false;
    };
    let (mut depth, mut quoted) = (0, false);
    for c in text.get(start..).unwrap_or_default().chars() {
        match c {
            '"' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => depth -= 1,
            _ => {}
        }
    }
    depth > 0 || quoted
}

fn join(text: &mut String, more: &str, cut: bool) {
    if !cut && !text.is_empty() && !more.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}
