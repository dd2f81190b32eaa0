//! Reads pages of Python's click, and of typer and rich-click, which are made of it.
//!
//! All of them print the same facts; `plain` and `boxes` cut the two looks into the same
//! [`Panel`]s, `forms` reads what a row shows of one option, and `usage` the arguments.

use super::argparse::summary;
use super::{Ask, Listed, Manner, Page, Text};
use crate::model::{Family, Kind, Param, Split};
use crate::sources::help::text::unindented;

mod boxes;
mod forms;
mod plain;
#[cfg(test)]
mod tests;
mod usage;

/// How these programs are read. `--help` is eager: it is met before a command does
/// anything, but behind the callbacks of the groups above the command.
pub(super) const MANNER: Manner = Manner {
    family: Family::Click,
    ask: Ask::Flag,
    page: read,
    oracle: None,
    runs_parents: true,
};

/// A part of a page under its title.
#[derive(Debug, Default, PartialEq, Eq)]
struct Panel {
    title: String,
    rows: Vec<Row>,
    /// As printed, where nothing in it is a row.
    body: String,
}

/// One entry.
#[derive(Debug, Default, PartialEq, Eq)]
struct Row {
    /// Names and what stands for the value: `-p, --port INTEGER`.
    left: String,
    text: String,
    /// Marked as needed.
    required: bool,
}

/// A page in its parts.
#[derive(Debug, Default, PartialEq, Eq)]
struct Parts {
    /// Without the word before it, joined to one line.
    usage: String,
    description: String,
    panels: Vec<Panel>,
}

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    let parts = match boxes::is_boxed(text.lines) {
        true => boxes::cut(text.lines),
        false => plain::cut(text.lines),
    };
    let usage = usage::read(&parts.usage, text.program, text.path);
    let mut page = Page {
        summary: summary(&parts.description),
        description: parts.description,
        runnable: usage.runs_alone.then_some(true),
        ..Page::default()
    };
    if !parts.usage.is_empty() {
        page.usage.push(parts.usage);
    }
    let mut texts: Vec<Row> = Vec::new();
    let lists = parts
        .panels
        .iter()
        .filter(|panel| is_commands(panel, usage.has_commands))
        .count();
    for panel in parts.panels {
        if panel.rows.iter().any(|row| row.left.starts_with('-')) {
            for row in panel.rows {
                option(&mut page, &row);
            }
        } else if is_commands(&panel, usage.has_commands) {
            let group = (lists > 1).then(|| panel.title.clone());
            for row in &panel.rows {
                command(&mut page, row, group.clone());
            }
        } else if panel.title.to_lowercase().contains("argument") {
            texts.extend(panel.rows);
        } else if panel.title.to_lowercase().contains("example") {
            page.examples.clone_from(&panel.body);
        } else if !panel.body.is_empty() {
            let separator = if page.description.is_empty() {
                ""
            } else {
                "\n\n"
            };
            page.description
                .push_str(&format!("{separator}{}:\n{}", panel.title, panel.body));
        }
    }
    let mut params = usage.positionals;
    describe(&mut params, texts);
    if page.commands.is_empty() {
        page.positionals = params;
    } else if let Some(param) = params.first() {
        // It would have to stand before the command's word, and takes that word itself
        // where it is missing: typer then runs the file of that name.
        page.unread.push(format!("{} before COMMAND", param.name));
        page.commands.iter_mut().for_each(|it| it.unasked = true);
    }
    page
}

fn option(page: &mut Page, row: &Row) {
    if !row.left.starts_with('-') {
        return;
    }
    let Some(option) = forms::option(&row.left) else {
        page.unread.push(row.left.clone());
        return;
    };
    let shows_help = row.text.starts_with("Show this message") || row.text.starts_with("Show help");
    let is_help = option.names.iter().any(|name| name == "--help")
        || option.value.is_empty() && shows_help && option.names.iter().any(|name| name.len() == 2);
    let mut param = option.param();
    let taken = |have: &Param| {
        let (Some(a), Some(b)) = (have.spelling(), param.spelling()) else {
            return false;
        };
        a.long.is_some() && a.long == b.long || a.short.is_some() && a.short == b.short
    };
    if is_help || page.flags.iter().any(taken) {
        return;
    }
    forms::take_tags(&mut param, &row.text);
    // rich-click shows the type of a counter, which takes no value.
    if option.value.starts_with("INTEGER RANGE")
        && matches!(param.kind, Kind::List(_, Split::Repeat))
    {
        param.kind = Kind::Count;
        param.value_name = None;
    }
    param.required |= row.required;
    page.flags.push(param);
}

/// Whether the panel lists commands: its title says so, or the usage asks for one and
/// every row starts with a name.
fn is_commands(panel: &Panel, has_commands: bool) -> bool {
    let title = panel.title.to_lowercase();
    let said = title.contains("command");
    let other = title.contains("argument") || title.contains("example");
    (has_commands || said)
        && !other
        && !panel.rows.is_empty()
        && panel
            .rows
            .iter()
            .any(|row| name_and_aliases(&row.left).is_some())
        && (said
            || panel
                .rows
                .iter()
                .all(|row| name_and_aliases(&row.left).is_some()))
}

/// `query*`, `list (ls)`, `build, b`.
fn name_and_aliases(left: &str) -> Option<(String, Vec<String>)> {
    let clean = left.replace(['(', ')', ',', '|'], " ");
    let mut words = clean.split_whitespace();
    let name = words.next()?.trim_end_matches('*');
    let separated = left.contains(['(', ',', '|']);
    let aliases: Vec<String> = words.map(str::to_owned).collect();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || "-_.:+@/".contains(c))
    };
    let all = is_name(name) && aliases.iter().all(|alias| is_name(alias));
    (all && (aliases.is_empty() || separated)).then(|| (name.to_owned(), aliases))
}

fn command(page: &mut Page, row: &Row, group: Option<String>) {
    let Some((name, mut aliases)) = name_and_aliases(&row.left) else {
        return;
    };
    if page.commands.iter().any(|it| it.name == name) {
        return;
    }
    let mut summary = row.text.as_str();
    for opening in ["[alias: ", "[aliases: ", "(alias: ", "(aliases: "] {
        if let Some((before, rest)) = summary.split_once(opening)
            && let Some(list) = rest.strip_suffix([']', ')'])
        {
            aliases.extend(list.split(',').map(|alias| alias.trim().to_owned()));
            summary = before.trim_end();
        }
    }
    page.commands.push(Listed {
        name,
        aliases,
        group,
        summary: summary.to_owned(),
        ..Listed::default()
    });
}

/// Gives arguments the texts that the page has of them.
fn describe(params: &mut [Param], rows: Vec<Row>) {
    let bare = |left: &str| {
        let first = left.split_whitespace().next().unwrap_or_default();
        first
            .trim_end_matches("...")
            .trim_matches(['[', ']', '{', '}', '<', '>'])
            .to_lowercase()
    };
    let in_order = rows.len() == params.len();
    for (index, row) in rows.iter().enumerate() {
        let name = bare(&row.left);
        let named = params
            .iter()
            .position(|param| param.name.to_lowercase() == name);
        let at = named.or(in_order.then_some(index));
        if let Some(param) = at.and_then(|at| params.get_mut(at)) {
            let required = param.required;
            forms::take_tags(param, &row.text);
            param.required = required || param.required;
            forms::take_value(param, &row.left);
        }
    }
}

/// The lines before `end` as a text.
fn text_of(lines: &[&str]) -> String {
    unindented(lines)
}
