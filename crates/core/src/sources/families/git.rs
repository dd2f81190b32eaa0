//! Reads pages of git's option parser.
//!
//! `git X -h`, as the only argument, prints usage and options and ends, inside and outside
//! of a repository; `--help` would open a manual. The root's page has the common commands
//! alone: `git help -a` lists them all, and `git --list-cmds=builtins` those that have
//! git's own parser. What else there is are scripts and programs of others, to which `-h`
//! could mean anything: of those only the ones that start with git's own shell library,
//! which answers `-h` itself, are asked.

use super::assemble::any_words;
use super::{Ask, Index, Listed, Manner, Page, Text, lines};
use crate::model::{Evidence, Fact, Family, Joiner, Kind, Param, Role, Scalar};
use crate::sources::help::text::{blank, indent};
use crate::sources::plain::{self, options, params};

/// How these programs are read.
pub(super) const MANNER: Manner = Manner {
    family: Family::Git,
    ask: Ask::ShortFlag,
    page: read,
    oracle: None,
    runs_parents: false,
};

/// How its commands are found. Neither question does more than print a list.
pub(super) const INDEX: Index = Index {
    questions: &[
        &["help", "-a"],
        &["--list-cmds=builtins"],
        &["--list-cmds=main,others"],
    ],
    read: commands,
};

/// Scripts of git's own that answer `-h` before anything else.
const SCRIPTS: [&str; 5] = [
    "bisect",
    "mergetool",
    "quiltimport",
    "request-pull",
    "submodule",
];

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    if text.path.is_empty() {
        return lines::page(text);
    }
    let start = text.lines.iter().position(|line| !blank(line)).unwrap_or(0);
    let (mut usage, body) = usage(&text.lines[start..]);
    usage.sort_by_key(|line| is_mode(line, text.path.len()));
    let (mut listed, unread) = options::read(body);
    for option in &mut listed {
        // Behind a blank, brackets are part of the placeholder: what may be left out is
        // always shown as `[=<value>]`.
        if let options::Value::Optional(name) = &option.value
            && !option.equals
            && !option.attached
        {
            option.value = options::Value::Needed(name.clone());
        }
    }
    let mut flags = params::flags(listed);
    flags.iter_mut().for_each(settle);
    if flags.is_empty() {
        flags = plain::in_usage(&usage);
    }
    let positionals = match usage.first() {
        Some(first) if is_mode(first, text.path.len()) => vec![any_words(&usage.join("\n"))],
        _ => plain::positionals_of(&usage, 1 + text.path.len()),
    };
    Page {
        positionals,
        usage,
        flags,
        unread,
        ..Page::default()
    }
}

/// What git's parser does with every option: a long one takes its value behind an equals
/// sign, and `<n>` is a number.
fn settle(flag: &mut Param) {
    let number = flag.value_name.as_deref() == Some("n");
    let Role::Flag(spelling) = &mut flag.role else {
        return;
    };
    if spelling.long.is_some() && flag.kind.takes_value() {
        spelling.joiner = Joiner::Equals;
    }
    if number && spelling.bare.is_none() {
        flag.kind = Kind::One(Scalar::Int(64));
        flag.from.note(Fact::Type, Evidence::Convention);
    }
}

/// The usage lines, and what follows them.
fn usage<'a>(lines: &'a [&'a str]) -> (Vec<String>, &'a [&'a str]) {
    let mut usage: Vec<String> = Vec::new();
    let mut at = 0;
    for line in lines {
        let content = line.trim();
        let starts = ["usage:", "or:"]
            .iter()
            .find_map(|word| content.strip_prefix(word))
            .map(str::trim_start);
        match (starts, usage.last_mut()) {
            (Some(form), _) => usage.push(squeezed(form)),
            (None, Some(last)) if !content.is_empty() && indent(line) > 4 => {
                last.push(' ');
                last.push_str(&squeezed(content));
            }
            _ => break,
        }
        at += 1;
    }
    (usage, &lines[at..])
}

/// Whether a usage line is for one option alone: `git diff --no-index <path> <path>`, which
/// is all that `git diff -h` shows outside of a repository.
fn is_mode(line: &str, words: usize) -> bool {
    let first = line.split(' ').nth(1 + words).unwrap_or_default();
    first.starts_with('-') && first != "--"
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All commands, from the answers to the questions of [`INDEX`].
fn commands(answers: &[&str]) -> Vec<Listed> {
    let [list, builtins, present] = answers else {
        return Vec::new();
    };
    let builtins: Vec<&str> = builtins.split_whitespace().collect();
    // The list has what git was built with, whether it is installed or not.
    let present: Vec<&str> = present.split_whitespace().collect();
    let mut group = "";
    let mut commands: Vec<Listed> = Vec::new();
    for line in list.lines().map(str::trim_end) {
        if indent(line) == 0 {
            group = line;
            continue;
        }
        // Aliases are a person's own; guides and formats are no commands.
        let lower = group.to_lowercase();
        if ["alias", "-facing", "guide", "concept"]
            .iter()
            .any(|word| lower.contains(word))
        {
            continue;
        }
        let (name, summary) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        if name.is_empty() || !present.is_empty() && !present.contains(&name) {
            continue;
        }
        commands.push(Listed {
            name: name.to_owned(),
            summary: summary.trim().to_owned(),
            group: Some(group.to_owned()),
            unasked: !builtins.contains(&name) && !SCRIPTS.contains(&name),
            ..Listed::default()
        });
    }
    commands
}

#[cfg(test)]
mod tests;
