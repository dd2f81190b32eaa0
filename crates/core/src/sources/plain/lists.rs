//! Cuts a page of no known family: its usage, its text, the commands it lists.

use std::collections::BTreeSet;

use crate::sources::help::text::{blank, indent, unindented};

/// The parts of a page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Usage lines without the word: `ls [OPTION]... [FILE]...`.
    pub usage: Vec<String>,
    pub description: String,
    /// Listed commands, in order.
    pub commands: Vec<Row>,
}

/// A line of a list of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub name: String,
    /// What stands beside it; nothing where only the usage names it.
    pub summary: String,
}

impl Page {
    pub(crate) fn cut(lines: &[&str], program: &str) -> Self {
        let (usage, around) = usage(lines, program);
        let description = match around {
            Some((before, after)) => {
                let before = text(&lines[..before]);
                if before.is_empty() {
                    text(&lines[after..])
                } else {
                    before
                }
            }
            None => text(lines),
        };
        let mut commands = listed(lines);
        let known: BTreeSet<String> = commands.iter().map(|row| row.name.clone()).collect();
        if commands.is_empty() && usage.len() == 1 && usage[0].ends_with(" ...") {
            commands = below_placeholder(lines);
        }
        commands.extend(
            choices(&usage)
                .into_iter()
                .filter(|name| !known.contains(name))
                .map(|name| Row {
                    name,
                    summary: String::new(),
                }),
        );
        Self {
            usage,
            description,
            commands,
        }
    }

    /// The first sentence of the text that is not about version or authors.
    pub(crate) fn summary(&self, program: &str) -> String {
        let imprint = |line: &str| {
            let version = line.strip_prefix(program).unwrap_or_default().trim_start();
            let version = version
                .strip_prefix("version")
                .unwrap_or(version)
                .trim_start();
            let version = version.trim_start_matches(['v', '(']);
            version.starts_with(|c: char| c.is_ascii_digit())
                || ["Copyright", "http", "Web site", "License"]
                    .iter()
                    .any(|word| line.starts_with(word))
                || line.contains('<') && line.contains('@')
                || [
                    "unknown option",
                    "unrecognized option",
                    "invalid option",
                    "illegal option",
                ]
                .iter()
                .any(|complaint| line.contains(complaint))
        };
        let paragraph: Vec<&str> = self
            .description
            .lines()
            .map(str::trim)
            .skip_while(|line| line.is_empty() || imprint(line))
            .take_while(|line| !line.is_empty() && !imprint(line))
            .flat_map(str::split_whitespace)
            .collect();
        let joined = paragraph.join(" ");
        match joined.find(". ") {
            Some(end) => joined[..=end].to_owned(),
            None => joined,
        }
    }
}

/// A page that is nothing but a list of commands under a title.
pub(crate) fn is_listing(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    listed(&lines).len() > 1
}

/// The usage lines, and the lines before and after which they stand.
fn usage(lines: &[&str], program: &str) -> (Vec<String>, Option<(usize, usize)>) {
    let name = program.rsplit('/').next().unwrap_or(program);
    let starts = |line: &str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        first.rsplit('/').next() == Some(name)
    };
    let head = lines.iter().position(|line| {
        let word = line.trim_start();
        let usage = word
            .get(..6)
            .is_some_and(|word| word.eq_ignore_ascii_case("usage:"));
        usage
            || word.starts_with("Syntax: ")
            || word.ends_with(". Usage:")
            || word.ends_with(".  Usage:")
    });
    let Some(head) = head else {
        // Some start with the usage and no word before it.
        let first = lines.iter().position(|line| !blank(line));
        return match first {
            Some(at) if starts(lines[at]) && lines[at].contains(['[', '<']) => {
                (vec![lines[at].trim().to_owned()], Some((at, at + 1)))
            }
            _ => (Vec::new(), None),
        };
    };
    let mut usage: Vec<String> = Vec::new();
    let inline = match lines[head].trim_end().ends_with("Usage:") {
        true => "",
        false => lines[head]
            .split_once(':')
            .map_or("", |(_, rest)| rest)
            .trim(),
    };
    let bare = inline.is_empty();
    if !inline.is_empty() {
        usage.push(inline.to_owned());
    }
    let mut at = head + 1;
    while at < lines.len() {
        let line = lines[at].trim();
        if line.is_empty() && usage.is_empty() {
            at += 1;
            continue;
        }
        let alternative = line
            .strip_prefix("or:")
            .or_else(|| line.strip_prefix("or "))
            .map(str::trim_start);
        // It ends at a blank line and where text or options start: what continues
        // a line stands well to the right.
        // A usage that has a word for all options spells none out: curl's list of them
        // follows at once.
        let lists = line.starts_with('-') && usage.iter().any(|line| has_options(line));
        let continues =
            indent(lines[at]) >= indent(lines[head]) + 4 && !line.contains("  ") && !lists;
        let again = |usage: &[String]| {
            let first = usage
                .first()
                .and_then(|line| line.split_whitespace().next());
            first.is_some() && first == line.split_whitespace().next()
        };
        let starts_one = usage.is_empty() || alternative.is_some() || starts(line) || again(&usage);
        let at_margin = bare && starts(line) && !line.contains("   ");
        let deeper = indent(lines[at]) > indent(lines[head]);
        // curl's options follow without a blank line, and its usage has a word for them.
        let has_options = |usage: &String| usage.to_lowercase().contains("[option");
        if line.starts_with('-') && usage.last().is_some_and(has_options) {
            break;
        }
        if line.is_empty() || !deeper && !at_margin || !continues && !starts_one {
            break;
        }
        match (alternative, usage.last_mut()) {
            (Some(line), _) => usage.push(line.to_owned()),
            (None, None) => usage.push(line.to_owned()),
            (None, Some(_)) if starts_one => usage.push(line.to_owned()),
            // A remark about the line above, or a pipe from another program.
            (None, Some(_)) if line.starts_with('(') && line.ends_with(')') => {}
            (None, Some(_)) if line.contains(&format!("| {name} ")) => {}
            (None, Some(last)) => {
                last.push(' ');
                last.push_str(line);
            }
        }
        at += 1;
    }
    (usage, Some((head, at)))
}

/// Whether a usage line has one word for all options: `[options...]`, `[OPTION]...`.
fn has_options(line: &str) -> bool {
    line.to_lowercase().contains("[option")
}

/// The text up to the first title or option.
fn text(lines: &[&str]) -> String {
    let end = lines
        .iter()
        .position(|line| {
            let word = line.trim();
            word.starts_with('-')
                || word.ends_with(':') && word.len() < 60
                || is_commands_title(line)
        })
        .unwrap_or(lines.len());
    unindented(&lines[..end])
}

/// Whether `line` is the title of a list of commands.
fn is_commands_title(line: &str) -> bool {
    let word = line.trim();
    let titled = word.ends_with(':') && word.len() < 80 || word.split_whitespace().count() <= 4;
    let lower = word.to_lowercase();
    let says = lower
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| matches!(word, "commands" | "subcommands"))
        || lower == "currently defined functions:";
    titled
        && says
        && !word.starts_with('-')
        && indent(line) < 4
        && !word.contains("  ")
        && !word.ends_with('.')
}

/// Commands that stand under titles.
fn listed(lines: &[&str]) -> Vec<Row> {
    let mut listed: Vec<Row> = Vec::new();
    let mut known = BTreeSet::new();
    let mut at = 0;
    while at < lines.len() {
        at += 1;
        if !is_commands_title(lines[at - 1]) {
            continue;
        }
        let start = at;
        while at < lines.len() && !is_commands_title(lines[at]) && !ends_commands(lines[at]) {
            at += 1;
        }
        let body = &lines[start..at];
        let named = names(body);
        let found = match named.is_empty() {
            true => rows(body, indent(lines[start - 1])),
            false => named,
        };
        for row in found {
            if known.insert(row.name.clone()) {
                listed.push(row);
            }
        }
    }
    listed
}

/// argparse's subcommands, two columns right of the word that stands for them:
/// the usage ends with `TYPE ...`.
fn below_placeholder(lines: &[&str]) -> Vec<Row> {
    let is_title = |line: &&str| line.eq_ignore_ascii_case("positional arguments:");
    let Some(title) = lines.iter().position(is_title) else {
        return Vec::new();
    };
    let body = &lines[title + 1..];
    let end = body
        .iter()
        .position(|line| blank(line))
        .unwrap_or(body.len());
    let own = body.first().map_or(0, |line| indent(line));
    let inner = body[..end].iter().filter(|line| indent(line) == own + 2);
    inner.filter_map(|line| row(line.trim())).collect()
}

/// A title of something else, or an option.
fn ends_commands(line: &str) -> bool {
    let word = line.trim();
    let lower = word.to_lowercase();
    let other = [
        "options",
        "flags",
        "arguments",
        "examples",
        "environment",
        "settings",
    ];
    word.starts_with('-')
        || word.ends_with(':') && other.iter().any(|title| lower.contains(title))
        || indent(line) == 0 && word.ends_with(':') && word.split_whitespace().count() <= 3
}

/// Nothing but names, several on a line: `access, adduser, audit`, or in columns.
fn names(lines: &[&str]) -> Vec<Row> {
    let block: Vec<&str> = lines
        .iter()
        .skip_while(|line| blank(line))
        .take_while(|line| !blank(line))
        .copied()
        .collect();
    let commas = block.iter().any(|line| line.contains(", "));
    let separator = if commas { ", " } else { "  " };
    let mut found = Vec::new();
    let mut abreast = 0;
    for line in &block {
        let parts = line.trim().trim_end_matches(',').split(separator);
        let parts: Vec<&str> = parts
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect();
        abreast += usize::from(parts.len() > 2);
        found.extend(parts);
    }
    let plain = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
    };
    // busybox has `[` and `[[`, which nobody calls by these names.
    found.retain(|name| !matches!(*name, "[" | "[["));
    if abreast == 0 || !found.iter().all(plain) {
        return Vec::new();
    }
    let row = |name: &str| Row {
        name: name.to_owned(),
        summary: String::new(),
    };
    found.into_iter().map(row).collect()
}

/// Rows like `  add    Add file contents`.
fn rows(lines: &[&str], title: usize) -> Vec<Row> {
    let mut at_indent = std::collections::BTreeMap::<usize, Vec<Row>>::new();
    for line in lines {
        let own = indent(line);
        if own >= title
            && own <= title + 8
            && let Some(row) = row(line.trim())
        {
            at_indent.entry(own).or_default().push(row);
        }
    }
    // Names at the margin count only where they follow the title directly and
    // none stand further right.
    let follow = lines
        .first()
        .is_some_and(|line| indent(line) == title && row(line.trim()).is_some());
    if at_indent.len() > 1 || !follow {
        at_indent.remove(&title);
    }
    // argparse puts a word for "which" above the list, two columns to the left.
    let mut lists = at_indent.into_values();
    match (lists.next(), lists.next()) {
        (Some(outer), Some(inner)) if outer.len() == 1 && inner.len() > 1 => inner,
        (outer, _) => outer.unwrap_or_default(),
    }
}

fn row(line: &str) -> Option<Row> {
    let (left, right) = line
        .split_once("  ")
        .or_else(|| line.split_once('\t'))
        .or_else(|| line.split_once(" - "))?;
    if right.trim().is_empty() {
        return None;
    }
    let mut words = left.split_whitespace();
    let name = words.next()?.trim_end_matches([',', '*', ':']);
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b));
    // `build, b`, `list (ls)`, `show [UNIT...]`: other names and arguments.
    let rest_fits = words.all(|word| {
        word.starts_with(['[', '<', '(', '{'])
            || word.ends_with([']', '>', ')'])
            || word.len() <= 3
            || word.bytes().any(|b| b.is_ascii_uppercase())
            || left.contains(", ")
    });
    (plain && rest_fits).then(|| Row {
        name: name.to_owned(),
        summary: right.trim().to_owned(),
    })
}

/// argparse's subcommands in the usage: `{a,b,c} ...`.
fn choices(usage: &[String]) -> Vec<String> {
    let [line] = usage else {
        return Vec::new();
    };
    let Some(list) = line
        .strip_suffix(" ...")
        .and_then(|line| line.strip_suffix('}'))
    else {
        return Vec::new();
    };
    let Some((_, names)) = list.rsplit_once('{') else {
        return Vec::new();
    };
    names
        .split(',')
        .map(|name| name.trim().to_owned())
        .collect()
}
