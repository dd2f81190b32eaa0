//! Reads listings of commands: Cobra's columns, gh's `name:  text`, etcdctl's tabs.

use super::ListedCommand;
use super::text::{blank, indent};

/// The commands of a listing, and its lines that are none.
pub(crate) fn read(lines: &[&str], group: Option<&str>) -> (Vec<ListedCommand>, Vec<String>) {
    let mut listed: Vec<ListedCommand> = Vec::new();
    let mut unread = Vec::new();
    let first = lines.iter().find(|line| !blank(line));
    let own = first.map_or(0, |line| indent(line));
    for line in lines.iter().filter(|line| !blank(line)) {
        if indent(line) < own {
            // kubectl prints the title of a group that is empty.
            if !line.ends_with(':') {
                unread.push(line.trim().to_owned());
            }
            continue;
        }
        if indent(line) > own {
            match listed.last_mut() {
                Some(last) => push_words(&mut last.summary, line.trim()),
                None => unread.push(line.trim().to_owned()),
            }
            continue;
        }
        match row(line.trim()) {
            Some((name, summary)) => {
                // A listing of whole paths names a parent once for each child.
                if listed.last().is_some_and(|last| last.name == name) {
                    continue;
                }
                listed.push(ListedCommand {
                    name: name.to_owned(),
                    group: group.map(str::to_owned),
                    summary: summary.to_owned(),
                });
            }
            None => unread.push(line.trim().to_owned()),
        }
    }
    (listed, unread)
}

/// Topics are listed with their whole path, of `parents` words before the name;
/// gh lists them as it does commands.
pub(crate) fn topics(lines: &[&str], parents: usize) -> Vec<ListedCommand> {
    let mut listed = Vec::new();
    for line in lines.iter().map(|line| line.trim()) {
        let mut rest = line;
        let first = line.split(' ').next().unwrap_or_default();
        let skipped = if first.ends_with(':') { 0 } else { parents };
        for _ in 0..skipped {
            rest = rest
                .split_once(' ')
                .map_or("", |(_, rest)| rest.trim_start());
        }
        if let Some((name, summary)) = row(rest) {
            listed.push(ListedCommand {
                name: name.to_owned(),
                group: None,
                summary: summary.to_owned(),
            });
        }
    }
    listed
}

/// Whether the lines are what Cobra prints for commands: names of one word and
/// texts that start in one column, at least eleven characters further right.
pub(crate) fn are_rows(lines: &[&str]) -> bool {
    let mut column = None;
    let mut rows = 0;
    for line in lines.iter().filter(|line| !blank(line)) {
        let own = indent(line);
        let text = line.trim();
        if own != 2 || row(text).is_none() {
            return false;
        }
        let after = &text[text.find(char::is_whitespace).unwrap_or(text.len())..];
        rows += 1;
        if after.is_empty() {
            continue;
        }
        let name_width = text[..text.len() - after.len()].chars().count();
        let at = own + name_width + (after.len() - after.trim_start().len());
        if at < own + 12 || column.is_some_and(|column| column != at) {
            return false;
        }
        column = Some(at);
    }
    rows > 0 && column.is_some()
}

/// Whether every line has a name, perhaps what it takes, and a text two spaces
/// or more to the right, all in one column.
pub(crate) fn are_loose_rows(lines: &[&str]) -> bool {
    let mut columns = lines.iter().filter(|line| !blank(line)).map(|line| {
        let text = line.trim();
        row(text)?;
        let gap = text.find("  ")?;
        let after = &text[gap..];
        Some(indent(line) + text[..gap].chars().count() + after.len() - after.trim_start().len())
    });
    match columns.next() {
        Some(Some(first)) => columns.all(|column| column == Some(first)),
        _ => false,
    }
}

/// Splits a row into the command's name and its text.
fn row(line: &str) -> Option<(&str, &str)> {
    if let Some((path, summary)) = line.split_once('\t') {
        let mut words = path.split_whitespace();
        let name = words.next().filter(|name| is_name(name))?;
        let summary = if words.next().is_some() {
            ""
        } else {
            summary.trim()
        };
        return Some((name, summary));
    }
    let (first, mut rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut name = first;
    // `build, b   text`: what follows a comma is another name.
    if let Some(bare) = first.strip_suffix(',') {
        name = bare;
        loop {
            let (alias, after) = rest.trim_start().split_once(' ')?;
            rest = after;
            if !alias.ends_with(',') {
                break;
            }
        }
    }
    // `completion [command]   text`: what it takes, two spaces before the text.
    if rest.starts_with(['[', '<']) && rest.contains("  ") {
        rest = rest.split_once("  ").map_or("", |(_, text)| text);
    }
    let name = name.strip_suffix(':').unwrap_or(name);
    // docker marks plugins, and those that do not work.
    let name = name.trim_end_matches(['*', '†']);
    is_name(name).then(|| (name, rest.trim()))
}

/// Whether a command could have this name.
pub(crate) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || "-_.:+@/".contains(c))
        && !word.ends_with(['.', ':', '/'])
}

fn push_words(text: &mut String, more: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}
