//! urfave/cli, from its first version to its third.
//!
//! `--name value, -n value  text (default: x) [$VARIABLE]` under headings in capitals.

use super::super::{Listed, Page, Text, lines};
use super::tags;
use crate::model::{Evidence, Fact, Joiner, Kind, Param, Role, Scalar, Spelling, Split};
use crate::sources::help::text::{blank, indent, unindented};
use crate::sources::plain;

/// Reads one page.
pub(super) fn read(text: &Text<'_>) -> Page {
    let mut page = Page::default();
    for section in lines::sections(text.lines, is_heading) {
        match section.title {
            "NAME" => page.summary = summary(section.body),
            "USAGE" => page.usage = usage(section.body),
            "DESCRIPTION" => page.description = unindented(section.body),
            "EXAMPLE" | "EXAMPLES" => page.examples = unindented(section.body),
            "COMMANDS" => page.commands = commands(section.body),
            "OPTIONS" | "GLOBAL OPTIONS" => {
                options(section.body, &mut page);
            }
            _ => {}
        }
    }
    let words = 1 + text.path.len();
    if page.commands.is_empty() {
        page.positionals = plain::positionals_of(&page.usage, words);
    }
    page
}

fn is_heading(line: &str) -> bool {
    let title = line.strip_suffix(':').unwrap_or_default();
    !title.is_empty()
        && title.bytes().all(|b| b.is_ascii_uppercase() || b == b' ')
        && !title.starts_with(' ')
}

/// `prog sub - what it does`.
fn summary(body: &[&str]) -> String {
    let line = body
        .iter()
        .find(|line| !blank(line))
        .copied()
        .unwrap_or_default();
    let text = line.split_once(" - ").map_or("", |(_, text)| text);
    text.trim().to_owned()
}

fn usage(body: &[&str]) -> Vec<String> {
    let lines = body.iter().skip_while(|line| blank(line));
    let forms = lines.take_while(|line| !blank(line));
    forms.map(|line| line.trim().to_owned()).collect()
}

/// `build, b  text`, some under a category that ends with a colon.
fn commands(body: &[&str]) -> Vec<Listed> {
    let mut group = None;
    let mut commands = Vec::new();
    let outer = body
        .iter()
        .filter(|line| !blank(line))
        .map(|line| indent(line))
        .min();
    for line in body.iter().filter(|line| !blank(line)) {
        let content = line.trim();
        if let Some(title) = content
            .strip_suffix(':')
            .filter(|title| !title.contains("  "))
        {
            group = Some(title.to_owned());
            continue;
        }
        // What is further right than a list in a category goes on with a text.
        if indent(line) > outer.unwrap_or(0) + 4 {
            continue;
        }
        let (left, summary) = content.split_once("  ").unwrap_or((content, ""));
        let mut names = left.split(", ").map(str::to_owned);
        let Some(name) = names
            .next()
            .filter(|name| name != "help" && !name.contains(' '))
        else {
            continue;
        };
        commands.push(Listed {
            name,
            aliases: names.collect(),
            group: group.clone(),
            summary: summary.trim().to_owned(),
            ..Listed::default()
        });
    }
    commands
}

fn options(body: &[&str], page: &mut Page) {
    let column = body
        .iter()
        .filter(|line| line.trim_start().starts_with('-'))
        .map(|line| indent(line))
        .min()
        .unwrap_or(0);
    for row in lines::rows(body, |own, text| own == column && text.starts_with('-'), 2) {
        match option(row.left, &row.text) {
            Some(flag) if flag.name == "help" => {}
            Some(flag) => page.flags.push(flag),
            None => page.unread.push(row.left.to_owned()),
        }
    }
}

/// `--name value, -n value`, and `[ --name value, -n value ]` behind it where it may be
/// given again.
fn option(left: &str, text: &str) -> Option<Param> {
    let (left, again) = match left.split_once(" [ ") {
        Some((left, _)) => (left, true),
        None => (left, false),
    };
    let mut spelling = Spelling {
        joiner: Joiner::Equals,
        ..Spelling::default()
    };
    let mut placeholder = None;
    for form in left.split(", ") {
        let (name, value) = match form.split_once([' ', '=']) {
            Some((name, value)) => (name, Some(value)),
            None => (form, None),
        };
        placeholder = placeholder.or(value);
        let (name, negatable) = match name.strip_prefix("--[no-]") {
            Some(name) => (format!("--{name}"), true),
            None => (name.to_owned(), false),
        };
        let bare = name.trim_start_matches('-');
        let plain = |c: char| c.is_alphanumeric() || "-_.:".contains(c);
        if bare.is_empty() || !bare.chars().all(plain) || !name.starts_with('-') {
            return None;
        }
        if negatable {
            spelling.negative = Some(format!("--no-{bare}"));
        }
        match name.starts_with("--") {
            true => spelling.long = spelling.long.or(Some(name)),
            false => spelling.short = spelling.short.or(Some(name)),
        }
    }
    let scalar = placeholder.map(|name| tags::scalar(name).unwrap_or(Scalar::String));
    let kind = match scalar {
        None => Kind::Switch,
        Some(scalar) if again => Kind::List(scalar, Split::Repeat),
        Some(scalar) => Kind::One(scalar),
    };
    if spelling.long.is_none() {
        spelling.joiner = Joiner::Space;
    }
    let form = spelling.long.as_ref().or(spelling.short.as_ref())?;
    let mut flag = Param::flag(form.trim_start_matches('-'), kind);
    flag.role = Role::Flag(spelling);
    flag.value_name = placeholder.map(str::to_owned);
    flag.text = text.to_owned();
    tags::take_variables(&mut flag, "[", ']');
    tags::take_default(&mut flag, "(default: ");
    tags::switch_off(&mut flag);
    flag.from.note(Fact::Name, Evidence::Help);
    flag.from.note(Fact::Type, Evidence::Help);
    Some(flag)
}
