//! Reads an MCP tool as its server lists it: which flags its arguments are, and
//! what it gives back.
//!
//! Schemas of real servers are read as far as they go. What a flag cannot express
//! (an object, a union with one) takes JSON; what is not understood takes anything.
//! Nothing is ever fetched: a `$ref` to another document is not understood.

mod accepts;
mod flags;
mod output;
mod schema;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use accepts::choice_word;
pub use output::{input_fields, output_fields};

/// A tool, as a command.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// As the server calls it, unchanged.
    pub name: String,
    /// For people, where the server gives one.
    pub title: Option<String>,
    /// The whole text.
    pub description: String,
    /// In the schema's order.
    pub params: Vec<ToolParam>,
    /// Properties that the schema does not name are taken too.
    pub open: bool,
    /// `outputSchema`, as the server sent it.
    pub output: Option<Box<RawValue>>,
    /// The whole tool, as the server sent it.
    pub raw: Box<RawValue>,
}

/// One argument of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolParam {
    /// The property's name, unchanged.
    pub property: String,
    /// The flag that is shown, without dashes: GNU style, unique within the tool
    /// whatever the case, and never one of mcpx's own (`tool-cache`).
    pub flag: String,
    /// Other spellings that are accepted: the property's own, for one. Those that
    /// mcpx's own flags have (`cache`) are the tool's only after `--`.
    pub aliases: Vec<String>,
    /// What it takes.
    pub accepts: Accepts,
    /// The server refuses a call without it.
    pub required: bool,
    /// As JSON; none where it is null.
    pub default: Option<String>,
    /// What it is for.
    pub text: String,
}

/// What a flag's value may be.
#[derive(Debug, Clone, PartialEq)]
pub enum Accepts {
    /// Any text, taken as it is written.
    Text,
    /// An integer in plain digits, however many.
    Integer,
    /// A number as JSON writes it.
    Number,
    /// `true` or `false`: a switch.
    Boolean,
    /// One of these JSON values, written without quotes on the command line.
    Choice(Vec<Value>),
    /// Any of these: the first that the word fits, the strictest first.
    AnyOf(Vec<Accepts>),
    /// Repeated, each value one of these. A single JSON array is taken too.
    List(Box<Accepts>),
    /// A JSON object.
    Object,
    /// Nothing but null.
    Null,
    /// Any JSON, or else the text itself.
    Anything,
}

/// Why a listed tool cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnusableTool(pub String);

impl ToolSpec {
    /// Reads one entry of `tools/list`. `taken` are flags that a tool cannot have.
    ///
    /// Only a tool without a name is unusable: arguments of an unreadable schema
    /// can still be given as JSON.
    pub fn read(tool: &RawValue, taken: &[&str]) -> Result<Self, UnusableTool> {
        let fields: BTreeMap<String, &RawValue> = serde_json::from_str(tool.get())
            .map_err(|_| UnusableTool("a listed tool is not a JSON object".to_owned()))?;
        let text = |raw: &RawValue| serde_json::from_str::<String>(raw.get()).ok();
        let text_of = |field: &str| fields.get(field).and_then(|raw| text(raw));
        let Some(name) = text_of("name") else {
            return Err(UnusableTool(match fields.get("name") {
                Some(_) => "a listed tool's name is not a string".to_owned(),
                None => "a listed tool has no name".to_owned(),
            }));
        };
        let title = text_of("title").or_else(|| {
            let annotations = fields.get("annotations")?;
            let hints: BTreeMap<String, &RawValue> =
                serde_json::from_str(annotations.get()).ok()?;
            hints.get("title").and_then(|raw| text(raw))
        });
        let input = fields
            .get("inputSchema")
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or(Value::Null);
        let (params, open) = schema::params(&input, taken);
        Ok(Self {
            name,
            title: title.filter(|title| !title.trim().is_empty()),
            description: text_of("description").unwrap_or_default(),
            params,
            open,
            output: fields
                .get("outputSchema")
                .filter(|raw| raw.get() != "null")
                .map(|raw| (*raw).to_owned()),
            raw: tool.to_owned(),
        })
    }

    /// The first sentence or line of the description, or the title.
    pub fn summary(&self) -> String {
        let lines = self.description.lines().map(str::trim);
        let mut lines = lines
            .skip_while(|line| is_frame(line))
            .map(|line| line.trim_start_matches('#').trim_start());
        let mut summary = match lines.next() {
            Some(first) => first.to_owned(),
            None => return self.title.clone().unwrap_or_default(),
        };
        for line in lines {
            let goes_on = summary.ends_with(',') || line.starts_with(char::is_lowercase);
            if line.is_empty() || sentence(&summary).len() < summary.len() || !goes_on {
                break;
            }
            summary.push(' ');
            summary.push_str(line);
        }
        sentence(&summary).to_owned()
    }

    /// The flag that sends `false` for a switch, without dashes: `no-color`. None
    /// where another parameter is called so; `--color=false` is left then.
    pub fn negation(&self, param: &ToolParam) -> Option<String> {
        let negation = format!("no-{}", param.flag);
        let is_free = || {
            let mut spellings = self.params.iter().flat_map(ToolParam::spellings);
            !spellings.any(|spelling| spelling == negation)
        };
        (param.accepts.is_switch() && is_free()).then_some(negation)
    }
}

impl ToolParam {
    /// Every name that the flag is accepted under, without dashes, the shown one first.
    pub fn spellings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.flag.as_str()).chain(self.aliases.iter().map(String::as_str))
    }
}

/// One field of what a tool gives back, a line of OUTPUT, or of JSON that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputField {
    /// `items[].name`.
    pub path: String,
    /// `string`, `number`, `string | null` …
    pub kind: String,
    /// What it is.
    pub text: String,
    /// It is always there.
    pub required: bool,
}

/// A line that says nothing by itself: empty, a rule, or a tag such as `<Purpose>`.
fn is_frame(line: &str) -> bool {
    let is_tag = line
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
        .is_some_and(|tag| !tag.contains(['<', '>', ' ']));
    is_tag || !line.contains(char::is_alphanumeric)
}

/// `line` up to the end of its first sentence, without the full stop.
fn sentence(line: &str) -> &str {
    let ends = line.match_indices(". ").map(|(at, _)| at).find(|&at| {
        let goes_on = line[at + 2..].trim_start().starts_with(char::is_lowercase);
        let word = line[..at].rsplit([' ', '(']).next().unwrap_or_default();
        let is_abbreviation = word.split('.').all(|part| part.chars().count() <= 1);
        !goes_on && !is_abbreviation && !word.ends_with('.')
    });
    let whole = match ends {
        Some(at) => &line[..at],
        None => line,
    };
    match whole.strip_suffix('.') {
        Some(rest) if !rest.ends_with('.') => rest,
        _ => whole,
    }
}
