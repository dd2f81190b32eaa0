//! kingpin, and kong, which prints as it does: `--flag=DEFAULT`, `--flag=PLACEHOLDER`,
//! and commands with all words of their paths.

use std::collections::BTreeMap;

use super::super::{Listed, Page, Text, lines};
use super::tags;
use crate::model::{Evidence, Fact, Kind, Param, Role, Scalar, Split};
use crate::sources::help::text::{blank, indent};
use crate::sources::plain::{self, options, params};

/// Reads one page.
pub(super) fn read(text: &Text<'_>) -> Page {
    let usage = plain::usage_of(text.lines, text.program);
    let is_heading = |line: &str| {
        let title = line.trim_end();
        !title.starts_with(' ') && (title.ends_with(':') || title.ends_with("lags"))
    };
    let sections = lines::sections(text.lines, is_heading);
    let mut page = Page {
        runnable: Some(!usage.iter().any(|line| line.contains("<command>"))),
        description: lines::description(text.lines),
        ..Page::default()
    };
    let first = page.description.lines().next().unwrap_or_default();
    first.clone_into(&mut page.summary);
    for section in &sections {
        match section.title {
            "Commands" | "Subcommands" => page.commands = commands(section.body, text.path),
            "Args" | "Arguments" => {}
            _ => {
                let (listed, unread) = options::read(section.body);
                let marks: BTreeMap<String, (bool, bool)> = listed
                    .iter()
                    .filter_map(|it| Some((it.longs.first()?.clone(), (it.angled, it.counted))))
                    .collect();
                let mut flags = params::flags(listed);
                for flag in &mut flags {
                    let (angled, again) = marks.get(&flag.name).copied().unwrap_or_default();
                    settle(flag, angled, again);
                }
                page.flags.extend(flags);
                page.unread.extend(unread);
            }
        }
    }
    if page.commands.is_empty() {
        page.positionals = plain::positionals_of(&usage, 1 + text.path.len());
    }
    page.usage = usage;
    page
}

/// What stands behind the equals sign is a placeholder in capitals or in angles, or else
/// the default.
fn settle(flag: &mut Param, angled: bool, again: bool) {
    tags::take_variables(flag, "(", ')');
    let Some(shown) = flag.value_name.clone() else {
        if again && flag.kind.takes_value() {
            flag.kind = Kind::List(Scalar::String, Split::Repeat);
        }
        return;
    };
    // kong's `A,...` and `K=V;...`, of which the dots are gone.
    let (shown, comma) = match shown.strip_suffix(',') {
        Some(one) => (one, true),
        None => (shown.as_str(), false),
    };
    let (shown, pairs) = match shown.strip_suffix(';') {
        Some(one) => (one, true),
        None => (shown, false),
    };
    let quoted = shown
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    let placeholder = quoted.is_none()
        && (shown.bytes().any(|b| b.is_ascii_uppercase())
            || angled
            || shown.contains(['<', '|'])
            || !shown.bytes().any(|b| b.is_ascii_alphanumeric()));
    flag.kind = match () {
        () if pairs => Kind::Map(Scalar::String),
        () if comma => Kind::List(Scalar::String, Split::Comma),
        () if again => Kind::List(Scalar::String, Split::Repeat),
        () => Kind::One(Scalar::String),
    };
    if !placeholder {
        let value = quoted.unwrap_or(shown);
        flag.default = Some(value.to_owned()).filter(|value| !value.is_empty());
        flag.value_name = None;
        if flag.default.is_some() {
            flag.from.note(Fact::Default, Evidence::Help);
        }
    }
    if let Role::Flag(spelling) = &mut flag.role {
        spelling.bare = spelling.bare.take().filter(|_| spelling.long.is_some());
    }
}

/// The commands right below `path`: `user add <name>`, or by their indents.
fn commands(body: &[&str], path: &[String]) -> Vec<Listed> {
    let mut found: Vec<Listed> = Vec::new();
    let mut above: Vec<(usize, Vec<String>)> = Vec::new();
    let outer = body
        .iter()
        .filter(|line| !blank(line))
        .map(|line| indent(line))
        .min();
    let outer = outer.unwrap_or(0);
    let mut last = None;
    for line in body.iter().filter(|line| !blank(line)) {
        let own = indent(line);
        let (left, summary) = line.trim().split_once("  ").unwrap_or((line.trim(), ""));
        let Some(words) = names(left, own == outer) else {
            // A text about the command above.
            if let Some(listed) = last.and_then(|at: usize| found.get_mut(at))
                && listed.summary.is_empty()
            {
                line.trim().clone_into(&mut listed.summary);
            }
            continue;
        };
        above.retain(|(indent, _)| *indent < own);
        let mut full = above
            .last()
            .map(|(_, words)| words.clone())
            .unwrap_or_default();
        full.extend(words);
        above.push((own, full.clone()));
        last = None;
        let Some(below) = full.strip_prefix(path) else {
            continue;
        };
        let Some(name) = below.first().filter(|name| *name != "help") else {
            continue;
        };
        let at = found.iter().position(|listed| listed.name == *name);
        let at = at.unwrap_or_else(|| {
            found.push(Listed {
                name: name.clone(),
                ..Listed::default()
            });
            found.len() - 1
        });
        if below.len() == 1 {
            last = Some(at);
            if found[at].summary.is_empty() {
                summary.trim().clone_into(&mut found[at].summary);
            }
        }
    }
    found
}

/// The words before a command's arguments. Further right than the list starts, a single
/// word is a command and a sentence is a text.
fn names(left: &str, outer: bool) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut words = left.split_whitespace().peekable();
    while let Some(word) = words.next_if(|word| !word.starts_with(['[', '<', '(', '{'])) {
        let name = word.trim_end_matches('*');
        let plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b));
        if !plain || name.ends_with('.') {
            return None;
        }
        names.push(name.to_owned());
    }
    let fits = if outer { 1..=6 } else { 1..=1 };
    fits.contains(&names.len()).then_some(names)
}
