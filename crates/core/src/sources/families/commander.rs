//! Reads pages of Node's commander, and of cac and optionator, which print as it does.
//!
//! `prog sub --help` is harmless: commander and cac print a command's page before any
//! action or hook of it runs, and for a name that they do not know they print the page
//! of the command above or an error.

use super::{Ask, Listed, Manner, Page, Text};
use crate::model::{Evidence, Fact, Family, Param};
use crate::sources::help::text::{blank, indent};
use crate::sources::usage;
use written::{Flags, Written};

mod optionator;
pub(super) mod remarks;
pub(super) mod written;

/// How these programs are read.
pub(super) const MANNER: Manner = Manner {
    family: Family::Commander,
    ask: Ask::Flag,
    page: read,
    oracle: None,
    runs_parents: false,
};

/// Headings under which words stand that are no commands.
const NO_COMMANDS: [&str; 9] = [
    "example",
    "environment",
    "variable",
    "alias",
    "note",
    "more",
    "documentation",
    "usage",
    "run any command",
];

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    if optionator::is_look(text.lines) {
        return optionator::read(text);
    }
    let mut page = Page::default();
    let usage = usage_lines(text.lines, &mut page.usage);
    page.usage = page
        .usage
        .iter()
        .flat_map(|line| forms(line, text))
        .map(|line| own_name(&line, text, &mut page.aliases))
        .collect();
    let sections = sections(text.lines, usage);
    describe(&mut page, text, usage, sections.first().map(|it| it.at));

    let mut flags = Flags::default();
    let mut arguments: Vec<Row> = Vec::new();
    let command_sections = sections
        .iter()
        .filter(|it| it.kind(&page) == Kinds::Commands)
        .count();
    for section in &sections {
        match section.kind(&page) {
            Kinds::Options => options(section, &mut flags, &mut page.unread),
            Kinds::Arguments => arguments.extend(section.rows(|_| true)),
            Kinds::Commands => {
                let group = (command_sections > 1).then_some(section.title);
                commands(section, group, &mut page);
            }
            Kinds::Examples => {
                let body = section.body.iter().map(|line| line.trim());
                let body: Vec<&str> = body.filter(|line| !line.is_empty()).collect();
                page.examples = body.join("\n");
            }
            Kinds::Other => {}
        }
    }
    page.flags = flags.finish();
    page.positionals = positionals(&page, text, arguments);
    page
}

/// What a section is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kinds {
    Options,
    Arguments,
    Commands,
    Examples,
    Other,
}

/// A heading and what stands under it.
#[derive(Debug, Clone, Copy)]
struct Section<'a> {
    title: &'a str,
    /// The heading's line.
    at: usize,
    body: &'a [&'a str],
}

impl<'a> Section<'a> {
    fn kind(&self, page: &Page) -> Kinds {
        let title = self.title.to_lowercase();
        let base = self.base();
        let starts = |line: &&&str| indent(line) == base && !blank(line);
        let mut rows = self.body.iter().filter(starts).peekable();
        if title.starts_with("example") {
            return Kinds::Examples;
        }
        if rows.peek().is_none() {
            return Kinds::Other;
        }
        if title == "arguments" {
            return Kinds::Arguments;
        }
        if rows.clone().any(|line| line.trim_start().starts_with('-')) {
            return Kinds::Options;
        }
        if title.ends_with("commands") || title.ends_with("command") {
            return Kinds::Commands;
        }
        // A group of commands may have any name; then all of it must look like one.
        let takes_commands = page.usage.iter().any(|line| {
            let line = line.to_lowercase();
            ["[command]", "<command>", "[subcommand]"]
                .iter()
                .any(|it| line.contains(it))
        });
        let other = NO_COMMANDS.iter().any(|word| title.contains(word));
        let mut all =
            || rows.all(|line| term(left_of(line.trim()).0).is_some_and(|it| it.sure(line)));
        match takes_commands && !other && all() {
            true => Kinds::Commands,
            false => Kinds::Other,
        }
    }

    /// Where its rows start.
    fn base(&self) -> usize {
        let mut lines = self.body.iter().filter(|line| !blank(line));
        lines.next().map_or(0, |line| indent(line))
    }

    /// Something on the left and its text; deeper lines go on with the text.
    fn rows(&self, starts: impl Fn(&str) -> bool) -> Vec<Row<'a>> {
        let base = self.base();
        let mut column = None;
        let mut rows: Vec<Row<'a>> = Vec::new();
        for line in self.body.iter().filter(|line| !blank(line)) {
            let own = indent(line);
            let content = line.trim_start();
            let (left, right) = left_of(content);
            let at = right.map(|at| own + content.get(..at).unwrap_or_default().chars().count());
            // Some put those without a letter below the names of the others.
            let shifted =
                own == base + 4 && content.starts_with("--") && (at.is_none() || at == column);
            if (own == base || shifted) && starts(content) {
                column = column.or(at);
                rows.push(Row {
                    line,
                    left,
                    text: right
                        .and_then(|at| content.get(at..))
                        .unwrap_or_default()
                        .to_owned(),
                });
            } else if let Some(row) = rows.last_mut().filter(|_| own > base) {
                if !row.text.is_empty() {
                    row.text.push(' ');
                }
                row.text.push_str(content);
            } else if own == base {
                // Not of this section's kind; what follows is its text.
                rows.push(Row {
                    line,
                    left: "",
                    text: String::new(),
                });
            }
        }
        rows
    }
}

/// A line of a section, with the lines that go on with its text.
struct Row<'a> {
    line: &'a str,
    /// Empty for one that is not of its section's kind.
    left: &'a str,
    text: String,
}

/// The part before two blanks or a tab, and where what follows them starts.
fn left_of(content: &str) -> (&str, Option<usize>) {
    let end = content
        .find("  ")
        .into_iter()
        .chain(content.find('\t'))
        .min();
    let Some(end) = end else {
        return (content.trim_end(), None);
    };
    let (left, rest) = content.split_at(end);
    let start = end + (rest.len() - rest.trim_start().len());
    (left.trim_end(), (start < content.len()).then_some(start))
}

/// The usage lines, and where they are. cac and others print them below the heading.
fn usage_lines(lines: &[&str], usage: &mut Vec<String>) -> Option<(usize, usize)> {
    let is_usage = |line: &&str| {
        let line = line.trim_start();
        line.get(..6)
            .is_some_and(|word| word.eq_ignore_ascii_case("usage:"))
    };
    let at = lines.iter().position(is_usage)?;
    let first = lines[at].trim().get(6..).unwrap_or_default().trim();
    let mut end = at + 1;
    if first.is_empty() {
        while lines.get(end).is_some_and(|line| blank(line)) {
            end += 1;
        }
        while let Some(line) = lines.get(end).filter(|line| indent(line) > 0) {
            usage.push(line.trim().to_owned());
            end += 1;
        }
    } else {
        usage.push(first.to_owned());
        // Further forms stand below the first one.
        let column = lines[at].chars().count() - first.chars().count();
        while let Some(line) = lines
            .get(end)
            .filter(|line| !blank(line) && indent(line) >= column.min(7))
        {
            usage.push(line.trim().to_owned());
            end += 1;
        }
    }
    Some((at, end))
}

/// `x [a] | x [b]` are two forms of one line.
fn forms(line: &str, text: &Text<'_>) -> Vec<String> {
    let line = line.trim_start_matches("$ ");
    let bar = format!(" | {} ", text.program);
    line.split(&bar)
        .enumerate()
        .map(|(at, form)| match at {
            0 => form.trim().to_owned(),
            _ => format!("{} {}", text.program, form.trim()),
        })
        .collect()
}

/// `line` with the command's own words as they are called: commander prints aliases
/// behind a bar (`nest generate|g`), and some programs put `npx` before their name.
fn own_name(line: &str, text: &Text<'_>, aliases: &mut Vec<String>) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    while words.len() > 1 && matches!(words[0], "npx" | "node" | "$") {
        words.remove(0);
    }
    let mut path = text.path.iter().peekable();
    for word in words.iter_mut().skip(1) {
        let Some(&name) = path.peek() else {
            break;
        };
        let mut names = word.split('|');
        if names.next() == Some(name.as_str()) {
            path.next();
            // Those of the commands above are known from their own pages.
            if path.peek().is_none() {
                aliases.extend(names.map(str::to_owned));
            }
            *word = word.split('|').next().unwrap_or_default();
        } else if names.any(|it| it == name.as_str()) {
            path.next();
            *word = name;
        }
    }
    words.join(" ")
}

/// Headings are lines at the margin (indented by two in old versions) with lines below
/// that are indented further; a rule below the heading is part of it.
fn sections<'a>(lines: &'a [&'a str], usage: Option<(usize, usize)>) -> Vec<Section<'a>> {
    let from = usage.map_or(0, |(_, end)| end);
    let is_rule = |line: &str| {
        let line = line.trim();
        !line.is_empty() && line.chars().all(|c| "─━═-=".contains(c)) && line.chars().count() > 3
    };
    let mut sections: Vec<Section<'a>> = Vec::new();
    for at in from..lines.len() {
        let line = lines[at];
        let own = indent(line);
        let content = line.trim();
        let ruled = lines.get(at + 1).is_some_and(|next| is_rule(next));
        let titled = content.ends_with(':') && !content.starts_with('-');
        let after_blank = at == 0 || blank(lines[at - 1]) || own == 0;
        if blank(line) || is_rule(line) || own > 2 || !(titled || ruled) || !after_blank {
            continue;
        }
        let below = lines[at + 1..]
            .iter()
            .find(|line| !blank(line) && !is_rule(line));
        if below.is_none_or(|below| indent(below) <= own) {
            continue;
        }
        if let Some(before) = sections.last_mut() {
            before.body = &lines[before.at + 1..at];
        }
        sections.push(Section {
            title: content.trim_end_matches(':'),
            at,
            body: &lines[at + 1..],
        });
    }
    // A line at the margin ends what stands under a heading.
    for section in &mut sections {
        if section.body.first().is_some_and(|line| is_rule(line)) {
            section.body = &section.body[1..];
        }
        let base = section.base();
        let end = section
            .body
            .iter()
            .position(|line| !blank(line) && indent(line) < base);
        section.body = &section.body[..end.unwrap_or(section.body.len())];
    }
    sections
}

/// The text between the usage and the first section; before the usage stands a banner.
fn describe(page: &mut Page, text: &Text<'_>, usage: Option<(usize, usize)>, end: Option<usize>) {
    let from = usage.map_or(0, |(_, end)| end);
    let end = end.unwrap_or(text.lines.len()).max(from);
    let lines = text.lines[from..end].iter().map(|line| line.trim_end());
    page.description = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
    let first = page.description.split("\n\n").next().unwrap_or_default();
    page.summary = first.split_whitespace().collect::<Vec<_>>().join(" ");
}

fn options(section: &Section<'_>, flags: &mut Flags, unread: &mut Vec<String>) {
    for row in section.rows(|content| content.starts_with('-')) {
        match Written::read(row.left) {
            Some(written) if written::asks_for_help(&written, &row.text) => {}
            Some(written) => {
                if let Some(mut flag) = written::flag(&written, row.text.trim()) {
                    remarks::take(&mut flag);
                    flags.add(flag);
                }
            }
            None => unread.push(row.line.to_owned()),
        }
    }
}

/// A command as a list prints it: `new|n [options] <name> [dir]`.
struct Term<'a> {
    name: &'a str,
    aliases: Vec<&'a str>,
}

impl Term<'_> {
    /// Whether the line that it is from has a text too.
    fn sure(&self, line: &str) -> bool {
        left_of(line.trim()).1.is_some()
    }
}

fn term(left: &str) -> Option<Term<'_>> {
    let left = left.strip_prefix("$ ").unwrap_or(left);
    let (names, rest) = left.split_once(' ').unwrap_or((left, ""));
    let takes = |word: &str| word.starts_with(['<', '[', '|']) || word.ends_with(['>', ']']);
    // Authors write arguments as they like, but a sentence has no brackets.
    if !rest.is_empty() && !rest.split(' ').any(takes) {
        return None;
    }
    let mut names = names.trim_end_matches(',').split('|');
    let name = names.next()?;
    let plain = |c: char| c.is_alphanumeric() || "-_.:@/".contains(c);
    let is_name = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (is_name && name.chars().all(plain)).then(|| Term {
        name,
        aliases: names.collect(),
    })
}

fn commands(section: &Section<'_>, group: Option<&str>, page: &mut Page) {
    for row in section.rows(|content| term(left_of(content).0).is_some()) {
        let Some(term) = term(row.left) else {
            // cac prints what the root itself takes among the commands.
            if !row.line.trim_start().starts_with(['<', '[']) {
                page.unread.push(row.line.to_owned());
            }
            continue;
        };
        if term.name == "help" || page.commands.iter().any(|it| it.name == term.name) {
            continue;
        }
        page.commands.push(Listed {
            name: term.name.to_owned(),
            aliases: term.aliases.iter().map(|it| (*it).to_owned()).collect(),
            group: group.map(str::to_owned),
            summary: row.text,
            ..Listed::default()
        });
    }
}

/// Positionals of the first usage line, with what the section on them adds.
fn positionals(page: &Page, text: &Text<'_>, arguments: Vec<Row<'_>>) -> Vec<Param> {
    let Some(line) = page.usage.first() else {
        return Vec::new();
    };
    // cac puts the dots first: `[...files]`.
    let line = dots_last(line);
    let words = usage::leading_words(&line, text.program, text.path);
    let mut params = usage::positionals(&line, words).params;
    if !page.commands.is_empty() {
        let of_command = |name: &str| matches!(name, "command" | "cmd" | "subcommand" | "args");
        params.retain(|param| !of_command(&param.name.to_lowercase()));
    }
    for row in arguments {
        let name = row
            .left
            .trim_matches(['<', '>', '[', ']'])
            .trim_end_matches("...");
        let same = |param: &&mut Param| {
            let printed = param.value_name.as_deref().unwrap_or(&param.name);
            let printed = printed
                .trim_matches(['<', '>', '[', ']'])
                .trim_end_matches("...");
            param.name == name || printed == name
        };
        if let Some(param) = params.iter_mut().find(same) {
            param.text = row.text;
            param.from.note(Fact::Text, Evidence::Help);
            remarks::take(param);
        }
    }
    params
}

/// `[...x]` and `<...x>` as `[x...]` and `<x...>`.
fn dots_last(line: &str) -> String {
    let words = line.split(' ').map(|word| {
        let inner = word.strip_prefix("[...").or(word.strip_prefix("<..."));
        match (inner, word.chars().next()) {
            (Some(inner), Some(open)) => {
                let (name, close) = inner.split_at(inner.find([']', '>']).unwrap_or(inner.len()));
                format!("{open}{name}...{close}")
            }
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
pub(super) mod tests;
