//! The plain look: titles at the margin, rows two columns right of it.

use super::super::argparse::{is_option_start, joined, split};
use super::{Panel, Parts, Row, text_of};
use crate::sources::help::text::{blank, indent, unindented};

/// Longer pages than any program's are read this far.
const MOST_LINES: usize = 50_000;

/// Cuts a page.
pub(super) fn cut(lines: &[&str]) -> Parts {
    let lines = &lines[..lines.len().min(MOST_LINES)];
    let (usage, body) = usage(lines);
    let body = &lines[body..];
    let heads: Vec<usize> = (0..body.len()).filter(|at| is_title(body, *at)).collect();
    let first = heads.first().copied().unwrap_or(body.len());
    let mut parts = Parts {
        usage,
        description: text_of(&body[..first]),
        panels: Vec::new(),
    };
    for (index, at) in heads.iter().enumerate() {
        let end = heads.get(index + 1).copied().unwrap_or(body.len());
        let inside = &body[at + 1..end];
        parts.panels.push(Panel {
            title: body[*at].trim().trim_end_matches(':').to_owned(),
            rows: rows(inside),
            body: unindented(inside),
        });
    }
    let has_options = |panel: &Panel| panel.rows.iter().any(|row| row.left.starts_with('-'));
    // Some print a table of options and no title at all.
    if !parts.panels.iter().any(has_options)
        && let Some(start) = body
            .iter()
            .position(|line| is_option_start(line.trim_start()))
        && indent(body[start]) <= 4
    {
        let own = indent(body[start]);
        let listed: Vec<&str> = body[start..]
            .iter()
            .copied()
            .take_while(|line| blank(line) || indent(line) >= own)
            .collect();
        let rows = rows(&listed);
        if rows.iter().all(|row| row.left.starts_with('-')) {
            parts.description = text_of(&body[..start]);
            parts.panels.push(Panel {
                title: "Options".to_owned(),
                rows,
                body: String::new(),
            });
        }
    }
    parts
}

/// The usage, and where the rest of the page starts.
pub(super) fn usage(lines: &[&str]) -> (String, usize) {
    let Some(head) = lines
        .iter()
        .position(|line| line.trim_start().starts_with("Usage:"))
    else {
        return (String::new(), 0);
    };
    let margin = indent(lines[head]);
    let inline = lines[head].trim().trim_start_matches("Usage:").trim();
    let mut parts = vec![inline];
    let mut at = head + 1;
    while let Some(line) = lines.get(at)
        && !blank(line)
        && indent(line) > margin
    {
        parts.push(line.trim());
        at += 1;
    }
    parts.retain(|part| !part.is_empty());
    (parts.join(" "), at)
}

/// A line at the margin with something further right below it.
fn is_title(lines: &[&str], at: usize) -> bool {
    let line = lines[at];
    if blank(line) || indent(line) > 0 || is_option_start(line) {
        return false;
    }
    let next = lines.get(at + 1).filter(|next| !blank(next));
    let directly = next.is_some_and(|next| indent(next) > 0);
    let after_blank = at == 0 || blank(lines[at - 1]);
    // Without a colon it is one only where it stands by itself.
    directly && (line.ends_with(':') || after_blank && line.split_whitespace().count() <= 4)
}

/// The rows of a panel.
fn rows(body: &[&str]) -> Vec<Row> {
    let filled = || body.iter().filter(|line| !blank(line));
    let mut least = usize::MAX;
    let mut rows: Vec<(Row, Vec<&str>)> = Vec::new();
    for line in filled() {
        let content = line.trim();
        least = least.min(indent(line));
        if indent(line) == least {
            let (left, right) = split(content);
            let row = Row {
                left: left.to_owned(),
                ..Row::default()
            };
            rows.push((row, Vec::new()));
            if let Some((_, text)) = rows.last_mut() {
                text.extend((!right.is_empty()).then_some(right));
            }
        } else if let Some((_, text)) = rows.last_mut() {
            text.push(content);
        }
    }
    rows.into_iter()
        .map(|(row, text)| Row {
            text: joined(&text),
            ..row
        })
        .collect()
}
