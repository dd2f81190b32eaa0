//! Reads pages of Python's argparse and optparse.
//!
//! `layout` cuts a page into usage, sections and rows, `forms` reads what a row or a
//! usage shows of one option, and `usage` what the usage line says of all of them: which
//! are needed, which exclude each other, and the positionals.

use std::collections::BTreeSet;

use super::{Ask, Listed, Manner, Page, Text, assemble, oracle};
use crate::model::{Evidence, Fact, Family, Group, Kind, Param, Scalar, Split};
use crate::sources::help::text::unindented;
use crate::sources::usage as usage_line;
use forms::Spelled;
use layout::{Layout, Row, Section};
use usage::{Item, Usage};

mod forms;
mod layout;
#[cfg(test)]
mod tests;
mod usage;

pub(super) use forms::take_repetition;
pub(super) use layout::{is_option_start, joined, split};
#[cfg(test)]
pub(super) use tests::described;

/// How these programs are read. A parser that meets `--help` prints the page and ends the
/// program before anything was done; the words before it are only compared with names.
pub(super) const MANNER: Manner = Manner {
    family: Family::Argparse,
    ask: Ask::Flag,
    page: read,
    oracle: Some(oracle::Dialect::Argparse),
    runs_parents: false,
};

/// How these programs are read, which ask their parser for `--help` as argparse's do.
pub(super) const OPTPARSE: Manner = Manner {
    family: Family::Optparse,
    ask: Ask::Flag,
    page: read,
    oracle: None,
    runs_parents: false,
};

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    let layout = Layout::cut(text.lines);
    let mut usage = Usage::read(&layout.usage, text.program, text.path);
    if !has_commands(&layout, usage.placeholder()) {
        usage.without_commands();
    }
    let mut reader = Reader {
        usage: &usage,
        page: Page::default(),
        taken: BTreeSet::new(),
        arguments: Vec::new(),
    };
    reader.page.usage.clone_from(&layout.usage);
    let mut rest: Vec<&Section<'_>> = Vec::new();
    for section in &layout.sections {
        if !reader.section(section) {
            rest.push(section);
        }
    }
    reader.unlisted_options();
    reader.unlisted_commands();
    reader.relations();
    reader.positionals(&layout.usage, text);
    reader.texts(&layout, &rest);
    reader.page
}

/// Whether `placeholder`, a word of the usage before `...`, stands for commands: they are
/// listed in it or below it.
fn has_commands(layout: &Layout<'_>, placeholder: &str) -> bool {
    let bare = placeholder.trim_matches(['<', '>']);
    let rows = || layout.sections.iter().flat_map(|section| &section.rows);
    placeholder.starts_with('{')
        || rows().any(|row| row.has_inner && (row.left == placeholder || row.left == bare))
}

/// More values than a program has commands that its parser does not know of.
const MOST_CANDIDATES: usize = 20;

struct Reader<'a> {
    usage: &'a Usage,
    page: Page,
    /// Forms of the flags so far.
    taken: BTreeSet<String>,
    /// Rows of positionals: name and text.
    arguments: Vec<(String, String)>,
}

impl Reader<'_> {
    /// Takes what `section` lists; says whether that was anything.
    fn section(&mut self, section: &Section<'_>) -> bool {
        if section.rows.is_empty() || is_examples(section.title) {
            return false;
        }
        let read: Vec<(&Row<'_>, Option<Spelled>)> = section
            .rows
            .iter()
            .map(|row| (row, self.option(row)))
            .collect();
        let known = |option: &Spelled| option.is_help() || self.usage.has(option);
        // A usage that parsers write names every option: a list of others is an example.
        if self.usage.is_complete
            && self.usage.options().next().is_some()
            && !is_parsers(section.title)
            && read.iter().any(|(row, _)| row.is_option())
            && !read.iter().any(|(_, it)| it.as_ref().is_some_and(known))
        {
            return false;
        }
        let mut found = false;
        let mut under_commands = false;
        for (row, option) in read {
            if row.is_option() {
                found = true;
                match option {
                    Some(option) => self.add(&option, &row.text),
                    None => self.page.unread.push(row.left.to_owned()),
                }
            } else if self.stands_for_commands(row) {
                found = true;
                under_commands = true;
            } else if row.is_inner {
                if under_commands {
                    self.command(row);
                }
            } else if is_commands(section.title) && !self.usage.has_commands() {
                // pip's, coverage's and others' own lists.
                found |= self.command(row);
            } else if self.argument(row, section) {
                found = true;
                under_commands = false;
            }
        }
        found
    }

    fn option(&self, row: &Row<'_>) -> Option<Spelled> {
        if !row.is_option() {
            return None;
        }
        let option = forms::option(row.left)?;
        let certain = option.value.is_empty() || self.usage.shows(&option);
        (certain || forms::is_placeholder(&option.value)).then_some(option)
    }

    fn add(&mut self, option: &Spelled, text: &str) {
        if option.is_help() || option.names.iter().any(|name| self.taken.contains(name)) {
            return;
        }
        self.taken.extend(option.names.iter().cloned());
        let mut param = option.param();
        forms::take_tags(&mut param, text);
        self.page.flags.push(param);
    }

    /// Whether the row is the one that the commands stand below: `{add,remove}`, or the
    /// word that the usage has in its place.
    fn stands_for_commands(&self, row: &Row<'_>) -> bool {
        if row.is_inner || !self.usage.has_commands() {
            return false;
        }
        let placeholder = self.usage.placeholder();
        row.left == placeholder
            || placeholder.starts_with('{') && row.has_inner && row.left.starts_with('{')
            || row.has_inner && row.left == placeholder.trim_matches(['<', '>'])
    }

    /// `list (ls)   List repository contents`.
    fn command(&mut self, row: &Row<'_>) -> bool {
        let (name, aliases) = match row.left.split_once(" (") {
            Some((name, rest)) => {
                let Some(rest) = rest.strip_suffix(')') else {
                    return false;
                };
                let aliases = rest.split(',').map(|alias| alias.trim().to_owned());
                (name, aliases.collect())
            }
            None => (row.left, Vec::new()),
        };
        if !is_command_name(name) || self.page.commands.iter().any(|it| it.name == name) {
            return false;
        }
        self.page.commands.push(Listed {
            name: name.to_owned(),
            aliases,
            group: None,
            summary: row.text.clone(),
            ..Listed::default()
        });
        true
    }

    fn argument(&mut self, row: &Row<'_>, section: &Section<'_>) -> bool {
        let named = section.title.to_lowercase().contains("arguments");
        if !(named || self.usage.positional(row.left).is_some()) || row.left.contains("  ") {
            return false;
        }
        // Tables in free text have more to the left than a name.
        if row.left.contains(' ') && self.usage.positional(row.left).is_none() {
            return false;
        }
        self.arguments.push((row.left.to_owned(), row.text.clone()));
        true
    }

    /// Options that only a complete usage shows.
    fn unlisted_options(&mut self) {
        if !self.usage.is_complete {
            return;
        }
        for option in self.usage.options() {
            self.add(option, "");
        }
    }

    /// Sub-parsers without a text are named among the choices alone.
    fn unlisted_commands(&mut self) {
        self.add_commands(&self.usage.command_names());
    }

    fn add_commands(&mut self, names: &[String]) {
        for name in names {
            let commands = &self.page.commands;
            let listed = commands
                .iter()
                .any(|it| it.name == *name || it.aliases.contains(name));
            if !listed && is_command_name(name) {
                self.page.commands.push(Listed {
                    name: name.clone(),
                    ..Listed::default()
                });
            }
        }
    }

    /// What the usage says of options together: needed ones, and those that exclude
    /// each other.
    fn relations(&mut self) {
        for item in &self.usage.items {
            match item {
                Item::Option {
                    option,
                    required: true,
                } => {
                    if let Some(param) = self.flag(option) {
                        param.required = true;
                        param.from.note(Fact::Required, Evidence::Help);
                    }
                }
                Item::Exclusive { members, required } => {
                    let mut names: Vec<String> = Vec::new();
                    for member in members {
                        let name = match member {
                            Item::Option { option, .. } => {
                                self.flag(option).map(|param| param.name.clone())
                            }
                            Item::Positional(positional) => Some(positional.name.clone()),
                            Item::Exclusive { .. } | Item::Commands { .. } | Item::Sign => None,
                        };
                        names.extend(name.filter(|name| !names.contains(name)));
                    }
                    // `[--x | --no-x]` are two forms of one.
                    if names.len() > 1 {
                        self.page.groups.push(Group::Exclusive(names.clone()));
                    }
                    if *required && names.len() > 1 {
                        self.page.groups.push(Group::AnyOf(names));
                    }
                }
                Item::Option { .. } | Item::Positional(_) | Item::Commands { .. } | Item::Sign => {}
            }
        }
    }

    fn flag(&mut self, option: &Spelled) -> Option<&mut Param> {
        let name = option.names.first()?;
        self.page.flags.iter_mut().find(|param| {
            param.spelling().is_some_and(|it| {
                [&it.long, &it.short, &it.negative]
                    .into_iter()
                    .flatten()
                    .any(|form| form == name)
            })
        })
    }

    fn positionals(&mut self, lines: &[String], text: &Text<'_>) {
        let mut params: Vec<Param> = match self.usage.is_complete {
            true => self
                .usage
                .positionals()
                .map(usage::Positional::param)
                .collect(),
            false => self.customary(lines, text),
        };
        // What the usage calls `...`, or by another name, has its own in the list.
        let mut texts: Vec<&(String, String)> = self.arguments.iter().collect();
        texts.retain(|(name, text)| {
            let own = forms::choices_in(name).is_empty();
            let shown = params.iter_mut().find(|param| {
                param.name == *name || !own && param.value_name.as_deref() == Some(name)
            });
            match shown {
                Some(param) => {
                    forms::take_tags(param, text);
                    false
                }
                None => true,
            }
        });
        let named: Vec<&str> = self
            .arguments
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let unnamed = params
            .iter_mut()
            .filter(|param| param.text.is_empty() && !named.contains(&param.name.as_str()));
        let unnamed: Vec<&mut Param> = unnamed.collect();
        if unnamed.len() == texts.len() {
            for (param, (name, text)) in unnamed.into_iter().zip(texts) {
                param.name = name.trim_matches(['{', '}', '<', '>', '[', ']']).to_owned();
                forms::take_tags(param, text);
            }
        } else if params.is_empty() {
            // The usage has none: how many of each may be given is not known.
            params.extend(texts.into_iter().map(|(name, text)| {
                let mut param = Param::positional(name, Kind::List(Scalar::String, Split::Words));
                param.from.note(Fact::Name, Evidence::Help);
                forms::take_tags(&mut param, text);
                param
            }));
            params.truncate(1);
        }
        let candidates = self.usage.last_choices();
        if self.page.commands.is_empty() {
            self.page.positionals = params;
            // Whether these are values or commands, their own pages will tell.
            if text.path.is_empty() && candidates.len() <= MOST_CANDIDATES {
                self.add_commands(&candidates);
            }
        } else if !self.usage.has_commands() {
            // The words behind the name of one in a list of its own.
        } else if let Some(param) = params.first() {
            // It would have to stand before the command's word.
            let beside = format!("{} before {}", param.name, self.usage.placeholder());
            self.page.unread.push(beside);
        }
    }

    /// Positionals of a usage that a person wrote.
    fn customary(&mut self, lines: &[String], text: &Text<'_>) -> Vec<Param> {
        if !self.page.commands.is_empty() {
            return Vec::new();
        }
        let mut forms: Vec<Vec<Param>> = Vec::new();
        for line in lines {
            let words = usage_line::leading_words(line, text.program, text.path);
            let read = usage_line::positionals(line, words);
            if !forms.contains(&read.params) {
                forms.push(read.params);
            }
        }
        let all = forms.len();
        forms.retain(|form| !form.is_empty());
        let optional = forms.len() < all;
        match forms.len() {
            0 => Vec::new(),
            1 => {
                let mut form = forms.remove(0);
                form.iter_mut()
                    .for_each(|param| param.required &= !optional);
                form
            }
            _ => vec![assemble::any_words(&lines.join("\n"))],
        }
    }

    fn texts(&mut self, layout: &Layout<'_>, rest: &[&Section<'_>]) {
        let mut description = vec![unindented(layout.description)];
        let mut examples = Vec::new();
        for section in rest {
            let body = unindented(section.body);
            match section.title {
                title if is_examples(title) => examples.push(body),
                "" | "Description" | "description" => description.push(body),
                title if body.is_empty() => description.push(format!("{title}:")),
                title => description.push(format!("{title}:\n{body}")),
            }
        }
        description.retain(|part| !part.is_empty());
        self.page.description = description.join("\n\n");
        self.page.summary = summary(&self.page.description);
        self.page.examples = examples.join("\n\n");
    }
}

/// The first sentence of a text.
pub(super) fn summary(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let lines: Vec<&str> = paragraph.lines().map(str::trim).collect();
    let joined = joined(&lines);
    match joined.find(". ") {
        Some(end) => joined[..=end].to_owned(),
        None => joined,
    }
}

/// The titles that argparse and optparse give on their own.
fn is_parsers(title: &str) -> bool {
    let lower = title.to_lowercase();
    matches!(
        lower.as_str(),
        "options" | "optional arguments" | "positional arguments"
    )
}

fn is_examples(title: &str) -> bool {
    title.to_lowercase().contains("example")
}

fn is_commands(title: &str) -> bool {
    title
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| matches!(word, "commands" | "subcommands" | "command" | "actions"))
}

fn is_command_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "-_.:+@/".contains(c))
}
