//! Reads pages of Node's oclif, and of programs that print as it does.
//!
//! `prog topic:command --help` is harmless: oclif looks for `--help` among the words
//! before it loads a command, and prints its page from what the command declares.

use super::commander::remarks;
use super::commander::written::{Flags, Value, Written, asks_for_help, flag};
use super::lines::{self, Row, Section};
use super::{Ask, Listed, Manner, Page, Text};
use crate::model::{Evidence, Fact, Family, Kind, Param, Scalar, Split};
use crate::sources::usage;

/// How these programs are read.
pub(super) const MANNER: Manner = Manner {
    family: Family::Oclif,
    ask: Ask::Flag,
    page: read,
    oracle: None,
    runs_parents: true,
};

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    let mut page = Page::default();
    let mut flags = Flags::default();
    let mut arguments = Vec::new();
    for section in lines::sections(text.lines, is_heading) {
        match section.title {
            "" => introduce(&mut page, &section),
            "USAGE" => page.usage = usage_lines(&section),
            "DESCRIPTION" => page.description = unindented(&section),
            "EXAMPLES" | "EXAMPLE" => page.examples = unindented(&section),
            "ALIASES" => page.aliases = aliases(&section, text),
            "ARGUMENTS" => arguments = lines::rows(section.body, |own, _| own <= 2, 2),
            "COMMANDS" | "TOPICS" => commands(&section, text, &mut page),
            "FLAG DESCRIPTIONS" | "VERSION" => {}
            title if title.ends_with("FLAGS") || title.ends_with("OPTIONS") => {
                options(&section, &mut flags, &mut page.unread);
            }
            _ => {}
        }
    }
    page.flags = flags.finish();
    page.positionals = positionals(&page, arguments, text);
    let first = page.usage.first().map(String::as_str).unwrap_or_default();
    if first.ends_with("COMMAND") || first.ends_with("[COMMAND]") {
        // A topic: only its commands do something.
        page.runnable = Some(false);
    }
    page
}

/// `GLOBAL FLAGS`: capitals at the margin.
fn is_heading(line: &str) -> bool {
    let capital = |c: char| c.is_uppercase() || c == ' ';
    line.starts_with(|c: char| c.is_uppercase())
        && line.chars().all(capital)
        && line.chars().count() > 2
}

fn introduce(page: &mut Page, section: &Section<'_>) {
    page.description = unindented(section);
    let first = page.description.split("\n\n").next().unwrap_or_default();
    page.summary = first.split_whitespace().collect::<Vec<_>>().join(" ");
}

fn unindented(section: &Section<'_>) -> String {
    let lines = section.body.iter();
    let lines = lines.map(|line| line.strip_prefix("  ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Each starts with a dollar sign; deeper lines go on with it.
fn usage_lines(section: &Section<'_>) -> Vec<String> {
    let mut usage: Vec<String> = Vec::new();
    for line in section.body.iter().map(|line| line.trim()) {
        match (line.strip_prefix("$ "), usage.last_mut()) {
            (Some(line), _) => usage.push(line.to_owned()),
            (None, Some(last)) if !line.is_empty() => {
                last.push(' ');
                last.push_str(line);
            }
            _ => {}
        }
    }
    usage
}

/// The words of a command behind the program's name and its topic. A topic may stand
/// before a colon: then the whole is one word.
fn own_words<'a>(words: &'a str, text: &Text<'_>) -> Option<&'a str> {
    let mut rest = words.trim();
    for word in text.path {
        rest = match rest.strip_prefix(word.as_str()) {
            Some(after) if after.starts_with(' ') => after.trim_start(),
            _ => break,
        };
    }
    let name = rest.split(' ').next()?;
    (!name.is_empty() && rest == name).then_some(name)
}

fn aliases(section: &Section<'_>, text: &Text<'_>) -> Vec<String> {
    let lines = section.body.iter().filter_map(|line| {
        let line = line.trim().strip_prefix("$ ")?;
        let line = line.strip_prefix(text.program)?.trim_start();
        let above = text.path.len().saturating_sub(1);
        let mut words = line.split(' ');
        let same = text.path[..above]
            .iter()
            .all(|word| words.next() == Some(word.as_str()));
        let name = words.next().filter(|_| same)?;
        words.next().is_none().then(|| name.to_owned())
    });
    lines.collect()
}

fn commands(section: &Section<'_>, text: &Text<'_>, page: &mut Page) {
    for row in lines::rows(section.body, |own, _| own <= 2, 2) {
        // Some programs print each as it is called.
        let left = row.left.strip_prefix("$ ").unwrap_or(row.left);
        let name = own_words(left, text);
        match name.filter(|name| is_name(name)) {
            Some(name) => {
                let known = page.commands.iter_mut().find(|it| it.name == name);
                match known {
                    // What a topic does itself says more than what is in it.
                    Some(known) if section.title == "COMMANDS" => known.summary = row.text,
                    Some(_) => {}
                    None if name == "help" => {}
                    None => page.commands.push(Listed {
                        name: name.to_owned(),
                        summary: row.text,
                        ..Listed::default()
                    }),
                }
            }
            None => page.unread.push(left.to_owned()),
        }
    }
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_.:@".contains(c);
    name.starts_with(|c: char| c.is_alphanumeric()) && name.chars().all(plain)
}

fn options(section: &Section<'_>, flags: &mut Flags, unread: &mut Vec<String>) {
    let starts = |own: usize, content: &str| content.starts_with('-') && own <= 6;
    for row in lines::rows(section.body, starts, 2) {
        let Some(written) = Written::read(row.left) else {
            unread.push(row.left.to_owned());
            continue;
        };
        if asks_for_help(&written, &row.text) {
            continue;
        }
        let Some(mut param) = flag(&written, &row.text) else {
            continue;
        };
        take_tags(&mut param);
        // Those that only look like oclif's are commander's.
        remarks::take(&mut param);
        // `--format=json|csv`: old versions show the values in the name's place.
        if let Value::Needed { name, .. } = &written.value
            && name.contains('|')
            && param.choices.is_empty()
            && !row.left.contains('<')
        {
            param.choices = name
                .trim_matches(['(', ')'])
                .split('|')
                .map(str::to_owned)
                .collect();
            param.from.note(Fact::Choices, Evidence::Help);
        }
        flags.add(param);
    }
}

/// `(required) [default: x, env: Y] text <options: a|b>`
fn take_tags(param: &mut Param) {
    let mut text = param.text.trim();
    let mut required = false;
    if let Some(rest) = text.strip_prefix("(required)") {
        required = true;
        text = rest.trim_start();
    }
    if let Some(rest) = text.strip_prefix('[')
        && (rest.starts_with("default: ") || rest.starts_with("env: "))
        && let Some((tag, after)) = rest.split_once(']')
    {
        let (default, env) = match tag.rsplit_once("env: ") {
            Some((default, env)) => (default.trim_end_matches(", "), Some(env)),
            None => (tag, None),
        };
        param.env = env.map(|env| env.trim().to_owned());
        param.default = default
            .strip_prefix("default: ")
            .map(|it| it.trim().to_owned());
        text = after.trim_start();
    }
    if let Some((before, options)) = text.rsplit_once("<options: ")
        && let Some(options) = options.strip_suffix('>')
    {
        param.choices = options.split('|').map(|it| it.trim().to_owned()).collect();
        param.from.note(Fact::Choices, Evidence::Help);
        text = before.trim_end();
    }
    // Where nothing is given the default is taken, before anything is missed.
    param.required = required && param.default.is_none();
    if required {
        param.from.note(Fact::Required, Evidence::Help);
    }
    if param.default.is_some() {
        param.from.note(Fact::Default, Evidence::Help);
    }
    param.text = text.to_owned();
}

/// The words of the usage line before its flags, with what the section on arguments adds:
/// that one has only those with a text.
fn positionals(page: &Page, arguments: Vec<Row<'_>>, text: &Text<'_>) -> Vec<Param> {
    let line = page.usage.first().map(String::as_str).unwrap_or_default();
    let tokens: Vec<&str> = line.split(' ').collect();
    let is_flag = |word: &&str| word.starts_with('-') || word.starts_with("[-");
    let end = tokens.iter().position(is_flag).unwrap_or(tokens.len());
    let line = tokens.get(..end).unwrap_or_default().join(" ");
    let words = usage::leading_words(&line, text.program, text.path);
    let mut params = usage::positionals(&line, words).params;
    if !page.commands.is_empty() {
        params.retain(|param| !param.name.eq_ignore_ascii_case("command"));
    }
    for row in arguments {
        let optional = row.left.starts_with('[');
        let many = row.left.contains("...");
        let name = row.left.replace("...", "");
        let name = name.trim_matches(['[', ']']);
        let is_same = |param: &Param| {
            let printed = param.value_name.as_deref().unwrap_or(&param.name);
            param.name == name || printed.trim_matches(['[', ']', '.']) == name
        };
        let known = params.iter().position(is_same);
        let known = known.unwrap_or_else(|| {
            let mut param = Param::positional(name, Kind::One(Scalar::String));
            param.required = !optional;
            param.from.note(Fact::Name, Evidence::Help);
            params.push(param);
            params.len() - 1
        });
        let param = &mut params[known];
        let required = param.required && !optional;
        if many {
            param.kind = Kind::List(Scalar::String, Split::Words);
        }
        param.text = row.text;
        take_tags(param);
        param.required = required && param.default.is_none();
    }
    params
}

#[cfg(test)]
mod tests;
