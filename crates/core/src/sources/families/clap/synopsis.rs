//! Reads usage lines: what must be given, and the order of arguments.
//!
//! `Usage: tool [OPTIONS] --name <NAME> <A|--group <G>> [FILE]... [-- <ARGS>...]`. The
//! `Arguments` section tells what each is for; the line, whether it must be given.

use super::super::assemble::any_words;
use super::super::{Page, Text};
use super::layout;
use crate::model::{Evidence, Fact, Group, Kind, Param, Scalar, Split};
use crate::sources::usage::{self, tokens};

/// What one usage line says.
#[derive(Debug, Default, PartialEq)]
struct Line {
    arguments: Vec<Param>,
    /// Names of flags that stand outside brackets.
    required: Vec<String>,
    /// Of each of these sets one must be given.
    any_of: Vec<Vec<String>>,
    /// Whether it asks for a command: must one be given?
    command: Option<bool>,
    /// It has something that is not known.
    unread: Vec<String>,
    /// It needs a flag that the page does not have.
    foreign: bool,
    /// Several arguments stand as one word: `[ARGS]`.
    collapsed: bool,
}

/// Tells `page` what the usage `lines` say, and which of `arguments` it has.
pub(super) fn apply(lines: &[String], text: &Text<'_>, page: &mut Page, arguments: Vec<Param>) {
    let read = |line: &String| {
        let words = usage::leading_words(&strip_suffixes(line), text.program, text.path);
        read(&strip_suffixes(line), words, page, &arguments)
    };
    let read: Vec<Line> = lines.iter().map(read).collect();
    let has_commands = !page.commands.is_empty();
    if has_commands {
        let alone = |line: &Line| line.command != Some(true);
        page.runnable = Some(read.is_empty() || read.iter().any(alone));
    }
    // Lines that lead on to a command say nothing of what is given without one.
    let own: Vec<Line> = read
        .into_iter()
        .filter(|line| !line.foreign && !(has_commands && line.command == Some(true)))
        .collect();
    let everywhere = |name: &String| own.iter().all(|line| line.required.contains(name));
    for flag in &mut page.flags {
        if !own.is_empty() && everywhere(&flag.name) {
            flag.required = true;
            flag.from.note(Fact::Required, Evidence::Help);
        }
    }
    page.positionals = positionals(&own, arguments, page);
    for line in &own {
        page.unread.extend(line.unread.iter().cloned());
    }
    if let [line] = own.as_slice() {
        let names: Vec<&str> = page
            .flags
            .iter()
            .chain(&page.positionals)
            .map(|param| param.name.as_str())
            .collect();
        for set in &line.any_of {
            if set.iter().all(|name| names.contains(&name.as_str())) {
                page.groups.push(Group::AnyOf(set.clone()));
            }
        }
    }
}

/// `rustup[EXE] run`: the name of the program, with what its file may end in.
fn strip_suffixes(line: &str) -> String {
    match line.split_once("[EXE]") {
        Some((name, rest)) if !name.contains(' ') => format!("{name}{rest}"),
        _ => line.to_owned(),
    }
}

/// The arguments in the order of the lines, with what the section says of each.
fn positionals(lines: &[Line], arguments: Vec<Param>, page: &mut Page) -> Vec<Param> {
    let collapsed = lines
        .iter()
        .any(|line| line.collapsed || !line.unread.is_empty());
    let shown = |name: &str| {
        lines
            .iter()
            .map(|line| line.arguments.iter().find(|it| it.name == name))
            .collect::<Vec<Option<&Param>>>()
    };
    if arguments.is_empty() {
        let mut forms: Vec<&Vec<Param>> = lines.iter().map(|line| &line.arguments).collect();
        forms.dedup();
        return match forms.as_slice() {
            [] => Vec::new(),
            [form] => (*form).clone(),
            _ if forms.iter().all(|form| form.is_empty()) => Vec::new(),
            _ => {
                page.unread.push(format!(
                    "its usage has {} forms; their arguments are taken as one list of words",
                    forms.len()
                ));
                vec![any_words(&page.usage.join("\n"))]
            }
        };
    }
    let mut found: Vec<(usize, Param)> = Vec::new();
    for (place, mut argument) in arguments.into_iter().enumerate() {
        let seen = shown(&argument.name);
        let everywhere = !seen.is_empty() && seen.iter().all(|it| it.is_some_and(|it| it.required));
        // Old versions write `<x>` for all; the usage line knows.
        argument.required = everywhere;
        let many = |it: &Param| matches!(it.kind, Kind::List(..));
        if let Some(longer) = seen.iter().flatten().find(|it| many(it)) {
            if !many(&argument) {
                argument.kind = longer.kind.clone();
            }
        }
        argument.from.note(Fact::Required, Evidence::Help);
        let in_line = lines.iter().find_map(|line| {
            line.arguments
                .iter()
                .position(|it| it.name == argument.name)
        });
        found.push((in_line.filter(|_| !collapsed).unwrap_or(place), argument));
    }
    if !collapsed {
        // Arguments without a text are not in the section; several lines are a person's,
        // who calls them as they like.
        if let [line] = lines {
            for (at, argument) in line.arguments.iter().enumerate() {
                if !found.iter().any(|(_, it)| it.name == argument.name) {
                    found.push((at, argument.clone()));
                }
            }
        }
        found.sort_by_key(|(place, _)| *place);
    }
    found.into_iter().map(|(_, argument)| argument).collect()
}

/// Reads one line, whose first `words` words name the command.
fn read(line: &str, words: usize, page: &Page, arguments: &[Param]) -> Line {
    let mut found = Line::default();
    let (_, rest) = tokens::after_words(line, words);
    let tokens = tokens::split(rest);
    let mut texts = tokens.iter().map(|token| token.text).peekable();
    let mut behind_flag = false;
    while let Some(token) = texts.next() {
        if tokens::is_ellipsis(token) {
            let last = found.arguments.last_mut().filter(|_| !behind_flag);
            if let Some(last) = last {
                last.kind = Kind::List(Scalar::String, Split::Words);
            }
            continue;
        }
        behind_flag = token.starts_with('-');
        let bare = token.trim_matches(['[', ']', '<', '>']);
        let lower = bare.to_lowercase();
        let known = |name: &str| arguments.iter().any(|argument| argument.name == name);
        let stands_for_flags = ["options", "flags", "flags/options", "option", "flag"];
        if stands_for_flags.contains(&lower.as_str()) && !known(bare)
            || token.starts_with("[+")
            || token == "--"
        {
            continue;
        }
        if !page.commands.is_empty() && layout::is_command_placeholder(token) {
            found.command = Some(token.starts_with('<'));
            // What follows is the command's.
            break;
        }
        if token.starts_with('-') {
            found.require(token, page);
            while texts
                .next_if(|next| next.starts_with('<') && is_value_of(token, next, page))
                .is_some()
            {}
            continue;
        }
        let inner = inside(token);
        if let Some(inner) = inner {
            if let Some(behind) = inner.strip_prefix("-- ") {
                found.argument(behind.trim(), token, token.starts_with('<'));
                continue;
            }
            let alternatives = tokens::alternatives(inner);
            if alternatives.len() > 1 && alternatives.iter().any(|it| it.starts_with('-')) {
                found.one_of(&alternatives, token.starts_with('<'), page);
                continue;
            }
            let each: Vec<&Param> = alternatives
                .iter()
                .filter_map(|it| arguments.iter().find(|argument| argument.name == *it))
                .collect();
            if alternatives.len() > 1 && each.len() == alternatives.len() {
                found.one_of(&alternatives, token.starts_with('<'), page);
                continue;
            }
            if inner.starts_with('-') {
                if token.starts_with('<') {
                    found.require(inner, page);
                }
                continue;
            }
        }
        if lower == "args" && !token.ends_with(['.', '…']) && !arguments.is_empty() && !known(bare)
        {
            found.collapsed = true;
            continue;
        }
        found.argument(token, token, !token.starts_with('['));
        // A command of another program, and its words: clap calls all of it so.
        if layout::is_command_placeholder(token)
            && !known(bare)
            && let Some(command) = found.arguments.last_mut()
        {
            command.kind = Kind::List(Scalar::String, Split::Words);
        }
    }
    found
}

/// The argument that is printed so: `<NAME>`, `[NAME]...`, or an author's own form.
pub(super) fn argument(printed: &str) -> Option<Param> {
    let (body, mark) = tokens::unmarked(printed);
    let plain = |name: &&str| {
        let sign = |c: char| c.is_alphanumeric() || "-_./:@=+".contains(c);
        name.chars().all(sign) && name.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    let name = inside(body).filter(plain).or(Some(body).filter(plain));
    let mut argument = match name {
        Some(name) => {
            let kind = match mark {
                "" => Kind::One(Scalar::String),
                _ => Kind::List(Scalar::String, Split::Words),
            };
            let mut argument = Param::positional(name, kind);
            argument.required = !body.starts_with('[');
            argument.from.note(Fact::Name, Evidence::Help);
            argument.from.note(Fact::Required, Evidence::Help);
            argument
        }
        None => {
            let mut read = usage::positionals(printed, 0);
            if read.params.len() != 1 || !read.unread.is_empty() {
                return None;
            }
            read.params.remove(0)
        }
    };
    argument.value_name = Some(printed.to_owned());
    Some(argument)
}

/// What the one pair of brackets holds that `token` is, but for dots behind it.
fn inside(token: &str) -> Option<&str> {
    let (token, _) = tokens::unmarked(token);
    let pairs = [('<', '>'), ('[', ']'), ('(', ')')];
    pairs
        .iter()
        .find_map(|(open, close)| token.strip_prefix(*open)?.strip_suffix(*close))
        .map(str::trim)
}

/// Whether `token` is the value of `flag` rather than the next argument.
fn is_value_of(flag: &str, token: &str, page: &Page) -> bool {
    let Some(param) = named(flag, page) else {
        return true;
    };
    let names = param.value_name.as_deref().unwrap_or_default();
    let (bare, _) = tokens::unmarked(token);
    let bare = bare.trim_start_matches('<').trim_end_matches('>');
    !flag.contains('=') && param.kind.takes_value() && names.contains(bare)
}

/// The flag that `text` spells.
fn named<'a>(text: &str, page: &'a Page) -> Option<&'a Param> {
    let name = text.split([' ', '=', '[']).next().unwrap_or_default();
    let name = name.trim_end_matches("...").trim_end_matches('…');
    page.flags
        .iter()
        .find(|flag| super::forms(flag).any(|form| form == name))
}

impl Line {
    fn require(&mut self, flag: &str, page: &Page) {
        match named(flag, page) {
            Some(flag) => self.required.push(flag.name.clone()),
            None => self.foreign = true,
        }
    }

    fn argument(&mut self, token: &str, printed: &str, required: bool) {
        match argument(token) {
            Some(mut argument) => {
                argument.required &= required;
                self.arguments.push(argument);
            }
            None => self.unread.push(printed.to_owned()),
        }
    }

    /// `<FILES|--from <REVSETS>>`: each may be left out where another is given.
    fn one_of(&mut self, alternatives: &[&str], required: bool, page: &Page) {
        let mut set = Vec::new();
        for alternative in alternatives {
            if alternative.starts_with('-') {
                set.extend(named(alternative, page).map(|flag| flag.name.clone()));
                continue;
            }
            if let Some(mut argument) = argument(alternative) {
                argument.required = false;
                set.push(argument.name.clone());
                self.arguments.push(argument);
            }
        }
        if required && set.len() == alternatives.len() {
            self.any_of.push(set);
        }
    }
}
