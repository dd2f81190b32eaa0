//! Reads pages of Node's yargs.
//!
//! `prog cmd --help` is harmless: yargs runs the builders of the commands above and of
//! the command itself, which declare options, and prints the page before any handler.

use super::{Ask, Listed, Manner, Page, Text};
use crate::model::{Evidence, Fact, Family, Kind, Param, Role, Scalar, Split};
use crate::sources::families::commander::written::{Flags, Written, asks_for_help, flag};
use crate::sources::help::text::{blank, indent};
use crate::sources::usage;
use table::{Section, Table};
use tags::Tags;

mod table;
mod tags;

/// How these programs are read.
pub(super) const MANNER: Manner = Manner {
    family: Family::Yargs,
    ask: Ask::Flag,
    page: read,
    oracle: None,
    runs_parents: true,
};

/// Reads one page. Its order is yargs' own: usage, commands, groups of options in which
/// positionals are one, examples. Headings are the author's and of any language.
fn read(text: &Text<'_>) -> Page {
    let mut page = Page::default();
    let sections = table::sections(text.lines);
    let intro = &text.lines[..sections.first().map_or(text.lines.len(), |it| it.at)];
    introduce(&mut page, intro, text);

    let table = Table::of(text.lines);
    let mut flags = Flags::default();
    let mut described: Vec<(String, String, Tags)> = Vec::new();
    let mut defaults: Vec<String> = Vec::new();
    let mut options_met = false;
    let names = positional_names(&page, text);
    let groups = sections
        .iter()
        .filter(|it| lists_commands(it, text))
        .count();
    for section in &sections {
        let rows = table.rows(section);
        if rows.iter().any(|row| row.left.starts_with('-')) {
            options_met = true;
            for row in rows {
                option(&row, &mut flags, &mut page.unread);
            }
        } else if section.title.to_lowercase().starts_with("example") || options_met {
            if is_positionals(&rows, &names) {
                described.extend(rows.into_iter().map(tags::split_row));
            } else if page.examples.is_empty() {
                let lines = section.body.iter().map(|line| line.trim());
                page.examples = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
            }
        } else if is_positionals(&rows, &names) {
            described.extend(rows.into_iter().map(tags::split_row));
        } else if lists_commands(section, text) {
            let group = (groups > 1).then_some(section.title);
            for row in rows {
                let (left, summary, tags) = tags::split_row(row);
                match command(&left, text) {
                    Some((name, _)) => {
                        let known = page.commands.iter().any(|it| it.name == name);
                        if name == "help" || known {
                            continue;
                        }
                        page.commands.push(Listed {
                            name,
                            aliases: tags.aliases,
                            group: group.map(str::to_owned),
                            summary,
                            ..Listed::default()
                        });
                    }
                    // What the command itself takes, where it needs no name.
                    None => defaults.push(left),
                }
            }
        }
    }
    page.flags = flags.finish();
    if page.usage.is_empty() || positional_names(&page, text).is_empty() {
        page.usage.extend(defaults);
    }
    page.positionals = positionals(&page, text);
    for (name, text, tags) in described {
        let name = name.split(", ").next().unwrap_or_default();
        let same = |param: &&mut Param| {
            let printed = param.value_name.as_deref().unwrap_or(&param.name);
            param.name == name || first_name(printed) == name
        };
        if let Some(param) = page.positionals.iter_mut().find(same) {
            name.clone_into(&mut param.name);
            param.text = text;
            param.required |= tags.required;
            tags.put(param);
        }
    }
    page
}

/// The usage lines and the text below them.
fn introduce(page: &mut Page, intro: &[&str], text: &Text<'_>) {
    let mut lines = intro.iter().skip_while(|line| blank(line)).peekable();
    while let Some(line) = lines.peek().filter(|line| !blank(line)) {
        let line = line.trim();
        let line = match line.get(..6) {
            Some(word) if word.eq_ignore_ascii_case("usage:") => line[6..].trim(),
            _ => line,
        };
        if !line.is_empty() && !starts_with_name(line, text) && !page.usage.is_empty() {
            break;
        }
        if starts_with_name(line, text) {
            page.usage.push(dots(line));
        } else if page.usage.is_empty() && !line.is_empty() {
            // A text without a usage line.
            break;
        }
        lines.next();
    }
    let rest: Vec<&str> = lines.map(|line| line.trim_end()).collect();
    page.description = rest.join("\n").trim().to_owned();
    let first = page.description.split("\n\n").next().unwrap_or_default();
    page.summary = first.split_whitespace().collect::<Vec<_>>().join(" ");
}

/// Whether `line` begins as a call of the program does.
fn starts_with_name(line: &str, text: &Text<'_>) -> bool {
    without_name(line, text).is_some()
}

/// What follows the program's name in `line`: yargs prints the script's path where
/// nothing else was said.
fn without_name<'a>(line: &'a str, text: &Text<'_>) -> Option<&'a str> {
    let mut rest = line;
    for _ in 0..3 {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        let file = word.rsplit('/').next().unwrap_or(word);
        let stem = file.split('.').next().unwrap_or(file);
        if [word, file, stem].contains(&text.program) {
            return Some(after.trim_start());
        }
        if file.ends_with(".js") || file.ends_with(".mjs") || file.ends_with(".cjs") {
            return Some(after.trim_start());
        }
        if !matches!(word, "npx" | "node" | "$") {
            return None;
        }
        rest = after.trim_start();
    }
    None
}

/// yargs takes two dots for "several".
fn dots(line: &str) -> String {
    let words = line.split(' ').map(|word| {
        let open = word.starts_with(['[', '<']) && !word.contains("...");
        match open && word.contains("..") {
            true => word.replacen("..", "...", 1),
            false => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether the rows of `section` are commands: they are printed with the program's name,
/// and with the names of the commands above.
fn lists_commands(section: &Section<'_>, text: &Text<'_>) -> bool {
    let base = section.base();
    let mut rows = section
        .body
        .iter()
        .filter(|line| !blank(line) && indent(line) == base);
    let title = section.title.to_lowercase();
    if title.starts_with("example") {
        return false;
    }
    let first = rows.next().map(|line| line.trim());
    first.is_some_and(|line| {
        starts_with_name(line, text) || (title.ends_with("commands") && !line.starts_with('-'))
    })
}

/// A command's name and what it takes, from `prog path name <x> [y..]`; nothing for the
/// one that stands for the command itself.
fn command(left: &str, text: &Text<'_>) -> Option<(String, String)> {
    let mut rest = without_name(left, text).unwrap_or(left);
    for word in text.path {
        rest = match rest.strip_prefix(word.as_str()) {
            Some(after) if after.is_empty() || after.starts_with(' ') => after.trim_start(),
            _ => rest,
        };
    }
    let (name, takes) = rest.split_once(' ').unwrap_or((rest, ""));
    let plain = |c: char| c.is_alphanumeric() || "-_.:@/".contains(c);
    let is_name = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (is_name && name.chars().all(plain)).then(|| (name.to_owned(), takes.to_owned()))
}

fn option(row: &table::Row, flags: &mut Flags, unread: &mut Vec<String>) {
    let (left, text, tags) = tags::split_row(row.clone());
    let written = Written::read(&left);
    match written {
        Some(written) if asks_for_help(&written, &text) => {}
        Some(written) => {
            let Some(mut param) = flag(&written, &text) else {
                return;
            };
            param.required = tags.required;
            if tags.required {
                param.from.note(Fact::Required, Evidence::Help);
            }
            if !param.kind.takes_value() {
                type_of(&mut param, &tags);
            }
            tags.put(&mut param);
            flags.add(param);
        }
        None => unread.push(row.line.clone()),
    }
}

/// The type that the tags say.
fn type_of(param: &mut Param, tags: &Tags) {
    let open = tags.kind.is_none();
    param.kind = match tags.kind {
        Some(kind) => kind.kind(),
        None => Kind::One(Scalar::String),
    };
    let Role::Flag(spelling) = &mut param.role else {
        return;
    };
    if open && tags.choices.is_empty() {
        // Without a type yargs takes the value that there is, or `true`.
        spelling.bare = Some(String::new());
        param.from.note(Fact::Type, Evidence::Convention);
        param.from.note(Fact::Bare, Evidence::Convention);
    }
    let long = spelling
        .long
        .as_deref()
        .and_then(|long| long.strip_prefix("--"));
    if let (Kind::Switch, Some(name)) = (&param.kind, long)
        && !name.starts_with("no-")
        && name != "version"
    {
        // `--x=false` holds for every boolean; `--no-x` only where the program did not
        // turn that off, so it is taken only where the text has it.
        let no = format!("--no-{name}");
        let said = param
            .text
            .split(|c: char| c.is_whitespace() || "`'\"(),;".contains(c));
        spelling.negative = match said
            .into_iter()
            .any(|word| word.trim_end_matches('.') == no)
        {
            true => Some(no),
            false => Some(format!("--{name}=false")),
        };
    }
}

/// The names of what the first usage line takes.
fn positional_names(page: &Page, text: &Text<'_>) -> Vec<String> {
    let params = positionals(page, text);
    params
        .iter()
        .map(|param| first_name(param.value_name.as_deref().unwrap_or(&param.name)).to_owned())
        .collect()
}

/// `<a|b>` is called by its first name.
fn first_name(printed: &str) -> &str {
    let inner = printed.trim_matches(['<', '>', '[', ']', '.']);
    inner.split('|').next().unwrap_or(inner)
}

fn positionals(page: &Page, text: &Text<'_>) -> Vec<Param> {
    let Some(line) = page.usage.first() else {
        return Vec::new();
    };
    let rest = without_name(line, text).unwrap_or(line);
    let line = format!("{} {rest}", text.program);
    let words = usage::leading_words(&line, text.program, text.path);
    let mut params = usage::positionals(&dots(&line), words).params;
    if !page.commands.is_empty() {
        let of_command = |name: &str| matches!(name, "command" | "cmd" | "subcommand" | "args");
        params.retain(|param| !of_command(&param.name.to_lowercase()));
    }
    params
}

/// Whether all rows are named after positionals of the usage line.
fn is_positionals(rows: &[table::Row], names: &[String]) -> bool {
    let known = |row: &table::Row| {
        let name = row.left.split(", ").next().unwrap_or_default();
        names.iter().any(|it| it == name)
    };
    !rows.is_empty() && rows.iter().all(known)
}

/// The types that yargs prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Boolean,
    Count,
    Text,
    Array,
    Number,
}

impl Type {
    fn kind(self) -> Kind {
        match self {
            Type::Boolean => Kind::Switch,
            Type::Count => Kind::Count,
            Type::Text => Kind::One(Scalar::String),
            // It takes the words that follow, even behind `=`.
            Type::Array => Kind::List(Scalar::String, Split::Words),
            Type::Number => Kind::One(Scalar::Float(64)),
        }
    }
}

#[cfg(test)]
mod tests;
