//! Lists of servers and of tools.

mod secrets;

use std::collections::BTreeMap;

use argway_core::argv::shell_line;
use argway_core::sources::tool::{ToolSpec, output_fields};
use serde::Serialize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::help::text::{harmless, one_line};
use super::help::{ToolJson, printed};
use crate::config::{EndpointText, Scope, ServerEntry};

/// A name that is longer does not push the others' texts further.
const WIDEST: usize = 40;

/// `mcpx`: a server a line; with `verbose` what it is and the file that it is from.
pub fn servers(entries: &BTreeMap<String, ServerEntry>, verbose: bool, json: bool) -> String {
    if json {
        let all: Vec<ServerLine<'_>> = entries.iter().map(ServerLine::of).collect();
        return printed(&all);
    }
    let rows = entries.iter().map(|(name, entry)| match verbose {
        true => vec![one_line(name), endpoint(entry), origin(entry)],
        false => vec![one_line(name)],
    });
    aligned(&rows.collect::<Vec<_>>())
}

/// What a server runs or connects to, on one line and without its secrets.
pub fn endpoint(entry: &ServerEntry) -> String {
    one_line(&match &entry.endpoint {
        EndpointText::Stdio { command, args, .. } => {
            let args = secrets::without(args);
            shell_line(
                [command.as_str()]
                    .into_iter()
                    .chain(args.iter().map(String::as_str)),
            )
        }
        EndpointText::Http { url, .. } => secrets::url(url),
    })
}

fn origin(entry: &ServerEntry) -> String {
    let origin = entry.origin.as_ref();
    let file = origin.map_or_else(String::new, |path| one_line(&path.to_string_lossy()));
    match entry.scope {
        Scope::Project => file + " (project)",
        Scope::Direct | Scope::Own | Scope::User => file,
    }
}

/// A server for programs.
#[derive(Debug, Serialize)]
struct ServerLine<'a> {
    name: &'a str,
    transport: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    origin: Option<String>,
    /// Whether a file in the caller's folder speaks for it, and not the user's own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    project: bool,
}

impl<'a> ServerLine<'a> {
    fn of((name, entry): (&'a String, &'a ServerEntry)) -> Self {
        let origin = entry.origin.as_ref();
        let line = Self {
            name,
            transport: "stdio",
            command: None,
            args: None,
            url: None,
            origin: origin.map(|path| path.to_string_lossy().into_owned()),
            project: entry.scope == Scope::Project,
        };
        match &entry.endpoint {
            EndpointText::Stdio { command, args, .. } => Self {
                command: Some(command),
                args: Some(secrets::without(args)),
                ..line
            },
            EndpointText::Http { url, .. } => Self {
                transport: "http",
                url: Some(secrets::url(url)),
                ..line
            },
        }
    }
}

/// `mcpx SERVER`: a tool a line with its summary; with `verbose` the whole text.
/// `columns` is the width of the caller's terminal, or 0 where there is none.
pub fn tools(tools: &[ToolSpec], verbose: bool, json: bool, columns: usize) -> String {
    match (verbose, json) {
        (false, false) => {
            let row = |tool: &ToolSpec| vec![one_line(&tool.name), one_line(&tool.summary())];
            let lines = aligned(&tools.iter().map(row).collect::<Vec<_>>());
            match columns {
                0 => lines,
                columns => lines
                    .lines()
                    .map(|line| cut(line, columns) + "\n")
                    .collect(),
            }
        }
        (true, false) => {
            let texts: Vec<String> = tools.iter().map(whole).collect();
            texts.join("\n")
        }
        (false, true) => printed(&tools.iter().map(ToolLine::of).collect::<Vec<_>>()),
        (true, true) => {
            let fields = tools
                .iter()
                .map(|tool| tool.output.as_deref().map(output_fields));
            let fields: Vec<_> = fields.collect();
            let all = tools
                .iter()
                .zip(&fields)
                .map(|(tool, fields)| ToolJson::of(None, tool, fields.as_deref()));
            printed(&all.collect::<Vec<_>>())
        }
    }
}

/// A tool for programs, in short.
#[derive(Debug, Serialize)]
pub(super) struct ToolLine<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    summary: String,
    description: &'a str,
}

impl<'a> ToolLine<'a> {
    pub(super) fn of(tool: &'a ToolSpec) -> Self {
        Self {
            name: &tool.name,
            title: tool.title.as_deref(),
            summary: tool.summary(),
            description: &tool.description,
        }
    }
}

/// A tool's name with its whole text below.
fn whole(tool: &ToolSpec) -> String {
    let mut text = one_line(&tool.name) + "\n";
    let title = tool.title.as_deref().map(one_line).unwrap_or_default();
    let description = harmless(&tool.description);
    for line in [title.as_str(), &description]
        .iter()
        .flat_map(|part| part.lines())
    {
        match line.is_empty() {
            true => text.push('\n'),
            false => text.push_str(&format!("    {line}\n")),
        }
    }
    text
}

/// As much of a line as a terminal shows in one.
fn cut(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    let mut shown = String::new();
    let mut room = columns.saturating_sub(1);
    for c in line.chars() {
        match room.checked_sub(c.width().unwrap_or_default()) {
            Some(rest) => room = rest,
            None => break,
        }
        shown.push(c);
    }
    shown.trim_end().to_owned() + "…"
}

/// A row a line, in columns.
fn aligned(rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widths = cells
            .map(|cell| cell.width())
            .filter(|width| *width <= WIDEST);
        widths.max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..rows.iter().map(Vec::len).max().unwrap_or_default())
        .map(width)
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width.saturating_sub(cell.width()) + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
