//! rich's look: boxes with a title in their upper edge, and cells in columns.

use super::super::argparse::joined;
use super::{Panel, Parts, Row, plain, text_of};
use crate::sources::help::text::blank;

/// More columns than any box has characters.
const WIDEST: usize = 4096;

/// Whether the page is made of boxes.
pub(super) fn is_boxed(lines: &[&str]) -> bool {
    lines.iter().any(|line| title(line).is_some())
}

/// The title in a box's upper edge.
fn title<'a>(line: &'a str) -> Option<&'a str> {
    let line = line.trim();
    let inside = line
        .strip_prefix(['╭', '┌', '┏'])?
        .strip_suffix(['╮', '┐', '┓'])?;
    let title = inside.trim_matches(['─', '━', ' ']);
    (!title.is_empty()).then_some(title)
}

/// Cuts a page.
pub(super) fn cut(lines: &[&str]) -> Parts {
    let first = lines
        .iter()
        .position(|line| title(line).is_some())
        .unwrap_or(lines.len());
    let (usage, body) = plain::usage(&lines[..first]);
    let mut parts = Parts {
        usage,
        description: text_of(&lines[body..first]),
        panels: Vec::new(),
    };
    let mut open: Option<(&str, Vec<&str>)> = None;
    for line in &lines[first..] {
        if let Some(title) = title(line) {
            open = Some((title, Vec::new()));
        } else if line.trim_start().starts_with(['╰', '└', '┗']) {
            if let Some((title, lines)) = open.take() {
                parts.panels.push(Panel {
                    title: title.to_owned(),
                    rows: rows(&lines),
                    body: text_of(&lines),
                });
            }
        } else if let Some((_, lines)) = &mut open {
            let inside = line.trim().trim_matches(['│', '┃']);
            lines.push(inside.trim_end());
        }
    }
    parts
}

/// Where columns start and end, in characters: at least two blanks in every line stand
/// between them.
fn columns(lines: &[Vec<char>]) -> Vec<(usize, usize)> {
    let width = lines.iter().map(Vec::len).max().unwrap_or(0).min(WIDEST);
    let mut filled = vec![false; width + 2];
    for line in lines {
        for (at, c) in line.iter().enumerate().take(width) {
            filled[at] |= *c != ' ';
        }
    }
    let mut columns: Vec<(usize, usize)> = Vec::new();
    for (at, _) in filled.iter().enumerate().filter(|(_, filled)| **filled) {
        match columns.last_mut() {
            Some((_, end)) if at <= *end + 1 => *end = at + 1,
            _ => columns.push((at, at + 1)),
        }
    }
    columns
}

/// The rows of a box.
fn rows(lines: &[&str]) -> Vec<Row> {
    let lines: Vec<Vec<char>> = lines
        .iter()
        .filter(|line| !blank(line))
        .map(|line| line.chars().take(WIDEST).collect())
        .collect();
    let columns = columns(&lines);
    let cell = |line: &[char], (start, end): (usize, usize)| -> String {
        let cell = line.iter().skip(start).take(end - start);
        cell.collect::<String>().trim().to_owned()
    };
    let cells: Vec<Vec<String>> = lines
        .iter()
        .map(|line| columns.iter().map(|column| cell(line, *column)).collect())
        .collect();
    let named = named(&cells, columns.len());
    // Cells of one entry, each with its lines.
    let mut entries: Vec<Vec<Vec<String>>> = Vec::new();
    for cells in cells {
        let starts = cells
            .iter()
            .take(named)
            .any(|cell| !cell.is_empty() && cell != "*");
        if starts || entries.is_empty() {
            entries.push(vec![Vec::new(); columns.len()]);
        }
        if let Some(entry) = entries.last_mut() {
            for (have, cell) in entry.iter_mut().zip(cells) {
                have.extend((!cell.is_empty()).then_some(cell));
            }
        }
    }
    let values = value_columns(&entries);
    entries.iter().map(|entry| row(entry, &values)).collect()
}

/// How many columns from the left hold names: those of options, or the first behind the
/// mark of what is needed.
fn named(cells: &[Vec<String>], width: usize) -> usize {
    let all = |at: usize, test: &dyn Fn(&str) -> bool| {
        let filled = cells.iter().map(|line| line[at].as_str());
        filled.filter(|cell| !cell.is_empty()).all(test)
    };
    let options = (0..width)
        .take_while(|at| all(*at, &|cell| cell == "*" || cell.starts_with('-')))
        .count();
    let marks = usize::from(width > 0 && all(0, &|cell| cell == "*"));
    options.max(marks + 1)
}

/// Which columns hold what stands for a value: between the names and the text, and
/// nothing in them reads as a sentence.
fn value_columns(entries: &[Vec<Vec<String>>]) -> Vec<bool> {
    let width = entries.first().map_or(0, Vec::len);
    let like = |cell: &[String]| {
        let first = cell[0].as_str();
        first.starts_with(['[', '<', '{']) && !is_tag(first)
            || first
                .split(['[', ' '])
                .next()
                .is_some_and(|word| !word.contains(char::is_lowercase))
    };
    (0..width)
        .map(|at| {
            let filled: Vec<&Vec<String>> = entries
                .iter()
                .map(|entry| &entry[at])
                .filter(|cell| !cell.is_empty())
                .collect();
            let names = filled
                .iter()
                .any(|cell| cell[0].starts_with('-') || cell[0] == "*");
            let count = filled.iter().filter(|cell| like(cell)).count();
            // What a program calls a value is its own; most call it as click does. The
            // last column may as well be the text.
            let enough = match at + 1 == width {
                true => filled.len(),
                false => filled.len() / 2 + 1,
            };
            !filled.is_empty() && !names && count >= enough
        })
        .collect()
}

/// `[default: x]`, `[required]`: text, not a value.
fn is_tag(text: &str) -> bool {
    ["[default: ", "[required]", "[env var", "[x>", "[x<"]
        .iter()
        .any(|tag| text.starts_with(tag))
        || text.starts_with('[') && text.contains("<=x")
}

fn row(entry: &[Vec<String>], values: &[bool]) -> Row {
    let mut row = Row::default();
    let (mut names, mut negatives): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut longs, mut shorts) = (0, 0);
    let mut value = String::new();
    let mut text: Vec<&str> = Vec::new();
    for (cell, is_value) in entry.iter().zip(values) {
        let Some(first) = cell.first() else {
            continue;
        };
        if first == "*" {
            row.required = true;
        } else if first.starts_with('-') && text.is_empty() && value.is_empty() {
            let forms = cell.concat();
            let (own, other) = forms.split_once('/').unwrap_or((&forms, ""));
            let of = |list: &str| -> Vec<String> {
                let names = list.split([',', ' ']).map(str::trim);
                names
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned)
                    .collect()
            };
            // Names to the left, then those that switch it off.
            let count = if first.starts_with("--") {
                &mut longs
            } else {
                &mut shorts
            };
            *count += 1;
            match *count > 1 || longs > 1 {
                true => negatives.extend(of(own)),
                false => names.extend(of(own)),
            }
            negatives.extend(of(other));
        } else if names.is_empty() && row.left.is_empty() {
            row.left = cell.concat();
        } else if *is_value && value.is_empty() {
            let unbroken = cell[0].starts_with(['[', '<']) && cell.concat().contains('|');
            value = if unbroken {
                cell.concat()
            } else {
                cell.join(" ")
            };
        } else {
            text.extend(cell.iter().map(String::as_str));
        }
    }
    if !names.is_empty() {
        row.left = names.join(", ");
        if !negatives.is_empty() {
            row.left.push_str(" / ");
            row.left.push_str(&negatives.join(", "));
        }
    }
    // typer shows a type for switches too.
    if !value.is_empty() && !(row.left.starts_with('-') && value == "<bool>") {
        row.left.push(' ');
        row.left.push_str(&value);
    }
    row.text = joined(&text);
    row
}
