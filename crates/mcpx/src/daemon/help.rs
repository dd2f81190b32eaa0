//! Help pages of mcpx, a server and a tool, and the man page.
//!
//! `columns` is the width of the caller's terminal, or 0 where there is none: then
//! no line is broken, so that `grep` finds what belongs together.

mod examples;
pub(super) mod flags;
mod manual;
#[cfg(test)]
mod roff;
#[cfg(test)]
mod tests;
pub(super) mod text;

use std::collections::BTreeMap;

use argway_core::argv::shell_line;
use argway_core::sources::tool::{OutputField, ToolParam, ToolSpec, input_fields, output_fields};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::harmless;
use crate::own_flags::OWN_FLAGS;
use text::Page;

/// What a server says about itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct About<'a> {
    /// Its title, or else its own name.
    pub title: Option<&'a str>,
    /// Its version.
    pub version: Option<&'a str>,
    /// How it wants to be used.
    pub instructions: Option<&'a str>,
}

/// `mcpx SERVER TOOL --help`.
pub fn tool(server: &str, tool: &ToolSpec, columns: usize) -> String {
    let command = harmless::line(&shell_line(["mcpx", server, &tool.name]));
    let summary = harmless::line(&tool.summary());
    let fields = tool.output.as_deref().map(output_fields);
    let output = Output::of(fields.as_deref());
    let mut page = Page::new(columns);
    page.heading("NAME");
    match summary.is_empty() {
        true => page.paragraph(&command),
        false => page.paragraph(&format!("{command} — {summary}")),
    }
    page.heading("SYNOPSIS");
    let words: Vec<String> = tool
        .params
        .iter()
        .map(|param| harmless::line(&flags::usage(tool, param)))
        .collect();
    page.synopsis(&command, &words);
    if !tool.params.is_empty() {
        page.paragraph(&format!("{command} JSON"));
    }
    let description = harmless::text(&tool.description);
    if !is_told(&description, &summary) {
        page.heading("DESCRIPTION");
        page.paragraph(&description);
    }
    page.heading("OPTIONS");
    match (tool.params.is_empty(), tool.open) {
        (true, true) => {
            page.paragraph("None declared by server; if it takes any, they can be given as JSON.")
        }
        (true, false) => page.paragraph("None: the tool takes no arguments."),
        (false, _) => {
            let row = |(param, inner): (&ToolParam, &Vec<OutputField>)| {
                vec![
                    harmless::line(&flags::option(tool, param)),
                    explained(param, inner),
                ]
            };
            let fields = input_fields(tool);
            let params = tool.params.iter().zip(&fields);
            let rows: Vec<Vec<String>> = params.map(row).collect();
            page.table(&rows, 4);
        }
    }
    output.put(&mut page);
    page.heading("EXAMPLES");
    for call in examples::calls(&command, tool, output.filter()) {
        page.verbatim(&harmless::text(&call));
    }
    page.heading("MCPX FLAGS");
    let rows: Vec<Vec<String>> = OWN_FLAGS
        .iter()
        .map(|flag| vec![flags::own(flag), flag.text.to_owned()])
        .collect();
    page.table(&rows, 4);
    page.gap();
    page.paragraph(&namespaces(tool));
    page.finish()
}

/// What OPTIONS says of a parameter, and of the fields of its JSON.
fn explained(param: &ToolParam, inner: &[OutputField]) -> String {
    let mut lines = vec![flags::explanation(param)];
    lines.retain(|line| !line.is_empty());
    let indent = match lines.is_empty() {
        true => "",
        false => "  ",
    };
    lines.extend(inner.iter().map(|field| {
        let required = match field.required {
            true => " (required)",
            false => "",
        };
        let field = format!("{}: {}{required} {}", field.path, field.kind, field.text);
        format!("{indent}{}", harmless::line(field.trim_end()))
    }));
    lines.join("\n")
}

/// Whether a summary leaves nothing of a description out.
fn is_told(description: &str, summary: &str) -> bool {
    let description = harmless::line(description);
    description.is_empty() || description.trim_end_matches('.') == summary.trim_end_matches('.')
}

/// How a tool's flags are told from mcpx's own.
fn namespaces(tool: &ToolSpec) -> String {
    let both: Vec<String> = tool
        .params
        .iter()
        .filter_map(|param| {
            let own = flags::collision(param)?;
            Some(format!(
                "--{own} is mcpx's own. The tool's is given as --{}, or as --{own} after a `--`.",
                param.flag
            ))
        })
        .collect();
    match both.is_empty() {
        true => "These are mcpx's own. After a `--`, every flag is the tool's.".to_owned(),
        false => both.join("\n"),
    }
}

/// Whether a field is one of the result itself, not of something inside of it.
fn is_property(path: &str) -> bool {
    !path.contains(['.', '['])
}

/// What is known of a tool's output.
enum Output<'a> {
    Undeclared,
    /// The output of a command, which is printed as the command would print it.
    Command,
    /// One text, which is printed as it is.
    Text(&'a [OutputField]),
    Json(&'a [OutputField]),
}

impl<'a> Output<'a> {
    fn of(fields: Option<&'a [OutputField]>) -> Self {
        let Some(fields) = fields else {
            return Output::Undeclared;
        };
        let has = |path: &str| fields.iter().any(|field| field.path == path);
        match fields {
            _ if has("exitCode") && (has("stdout") || has("stderr")) => Output::Command,
            [field] if field.kind == "string" && is_property(&field.path) => Output::Text(fields),
            fields => Output::Json(fields),
        }
    }

    fn put(&self, page: &mut Page) {
        match self {
            Output::Undeclared => page.heading("OUTPUT: not declared by server"),
            Output::Command => {
                page.heading("OUTPUT (text)");
                page.paragraph("What the command behind the tool prints, on stdout and on stderr.");
                page.paragraph("Exit code 1 if the command fails.");
            }
            Output::Text(fields) => {
                page.heading("OUTPUT (json)");
                page.table(&rows(fields), 2);
                page.paragraph(
                    "Printed as the text alone where the server sends that beside the JSON.",
                );
            }
            Output::Json([]) => {
                page.heading("OUTPUT (json)");
                page.paragraph("The server declares no fields.");
            }
            Output::Json(fields) => {
                page.heading("OUTPUT (json)");
                page.table(&rows(fields), 2);
            }
        }
    }

    /// A program to pipe it to.
    fn filter(&self) -> &'static str {
        match self {
            Output::Json(_) => "jq .",
            Output::Undeclared | Output::Command | Output::Text(_) => "head -5",
        }
    }
}

fn rows(fields: &[OutputField]) -> Vec<Vec<String>> {
    let row = |field: &OutputField| {
        vec![
            harmless::line(&field.path),
            harmless::line(&field.kind),
            harmless::text(&field.text),
        ]
    };
    fields.iter().map(row).collect()
}

/// `mcpx SERVER TOOL --help --json`.
pub fn tool_json(server: &str, tool: &ToolSpec) -> String {
    let fields = tool.output.as_deref().map(output_fields);
    printed(&ToolJson::of(Some(server), tool, fields.as_deref()))
}

/// JSON for a terminal or a program.
pub(super) fn printed(value: &impl Serialize) -> String {
    match serde_json::to_string_pretty(value) {
        Ok(json) => harmless::json(&json) + "\n",
        Err(_) => "null\n".to_owned(),
    }
}

/// A tool for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolJson<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    summary: String,
    description: &'a str,
    parameters: Vec<ParamJson<'a>>,
    /// Nothing where the server does not declare it.
    output: Option<Vec<FieldJson<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'a RawValue>,
}

#[derive(Debug, Serialize)]
struct ParamJson<'a> {
    flag: String,
    property: &'a str,
    #[serde(rename = "type")]
    kind: String,
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<String>,
    description: &'a str,
}

#[derive(Debug, Serialize)]
struct FieldJson<'a> {
    path: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    description: &'a str,
}

impl<'a> ToolJson<'a> {
    pub(super) fn of(
        server: Option<&'a str>,
        tool: &'a ToolSpec,
        fields: Option<&'a [OutputField]>,
    ) -> Self {
        let mut raw: BTreeMap<String, &RawValue> =
            serde_json::from_str(tool.raw.get()).unwrap_or_default();
        Self {
            name: &tool.name,
            server,
            title: tool.title.as_deref(),
            summary: tool.summary(),
            description: &tool.description,
            parameters: tool.params.iter().map(ParamJson::of).collect(),
            output: fields.map(|fields| fields.iter().map(FieldJson::of).collect()),
            annotations: raw.remove("annotations"),
            input_schema: raw.remove("inputSchema"),
            output_schema: tool.output.as_deref(),
        }
    }
}

impl<'a> ParamJson<'a> {
    fn of(param: &'a ToolParam) -> Self {
        let default = param.default.clone();
        Self {
            flag: format!("--{}", param.flag),
            property: &param.property,
            kind: flags::kind(&param.accepts),
            required: param.required,
            default: default.and_then(|json| RawValue::from_string(json).ok()),
            choices: match param.accepts.is_switch() {
                true => Vec::new(),
                false => param.accepts.choices(),
            },
            description: &param.text,
        }
    }
}

impl<'a> FieldJson<'a> {
    fn of(field: &'a OutputField) -> Self {
        Self {
            path: &field.path,
            kind: &field.kind,
            description: &field.text,
        }
    }
}

/// `mcpx SERVER --help`.
pub fn server(name: &str, about: &About<'_>, tools: &[ToolSpec], columns: usize) -> String {
    let command = harmless::line(&shell_line(["mcpx", name]));
    let title = [about.title, about.version];
    let title: Vec<String> = title.into_iter().flatten().map(harmless::line).collect();
    let mut page = Page::new(columns);
    page.heading("NAME");
    match title.is_empty() {
        true => page.paragraph(&command),
        false => page.paragraph(&format!("{command} — {}", title.join(" "))),
    }
    page.heading("SYNOPSIS");
    page.paragraph(&command);
    page.paragraph(&format!("{command} TOOL [FLAGS]"));
    page.paragraph(&format!("{command} TOOL --help"));
    if let Some(instructions) = about.instructions.map(harmless::text) {
        page.heading("DESCRIPTION");
        page.paragraph(&instructions);
    }
    page.heading("TOOLS");
    match tools.is_empty() {
        true => page.paragraph("None."),
        false => {
            let row =
                |tool: &ToolSpec| vec![harmless::line(&tool.name), harmless::line(&tool.summary())];
            page.table(&tools.iter().map(row).collect::<Vec<_>>(), 4);
        }
    }
    page.heading("MCPX FLAGS");
    let row = |flag| vec![flags::own(flag), flag.text.to_owned()];
    page.table(&OWN_FLAGS.iter().map(row).collect::<Vec<_>>(), 4);
    page.finish()
}

/// `mcpx SERVER --help --json`.
pub fn server_json(name: &str, about: &About<'_>, tools: &[ToolSpec]) -> String {
    #[derive(Serialize)]
    struct ServerJson<'a> {
        name: &'a str,
        title: Option<&'a str>,
        version: Option<&'a str>,
        instructions: Option<&'a str>,
        tools: Vec<super::listing::ToolLine<'a>>,
    }
    printed(&ServerJson {
        name,
        title: about.title,
        version: about.version,
        instructions: about.instructions,
        tools: tools.iter().map(super::listing::ToolLine::of).collect(),
    })
}

/// `mcpx --help`.
pub fn root(columns: usize) -> String {
    manual::page(columns)
}

/// `mcpx --help --json`.
pub fn root_json() -> String {
    manual::json()
}

/// `mcpx --version`.
pub fn version() -> String {
    format!("mcpx {}\n", env!("CARGO_PKG_VERSION"))
}
