//! Reads an MCP tool as its server lists it: which flags its arguments are, and
//! what it gives back.
//!
//! Schemas of real servers are read as far as they go. What a flag cannot express
//! (an object, a union with one) takes JSON; what is not understood takes anything.

use serde_json::value::RawValue;

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
    /// Other spellings that are accepted: the property's own, for one.
    pub aliases: Vec<String>,
    /// What it takes.
    pub accepts: Accepts,
    /// The server refuses a call without it.
    pub required: bool,
    /// As JSON.
    pub default: Option<String>,
    /// What it is for.
    pub text: String,
}

/// What a flag's value may be.
#[derive(Debug, Clone, PartialEq)]
pub enum Accepts {
    Text,
    Integer,
    Number,
    Boolean,
    /// One of these JSON values, written without quotes on the command line.
    Choice(Vec<serde_json::Value>),
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
    pub fn read(tool: &RawValue, taken: &[&str]) -> Result<Self, UnusableTool> {
        let _ = (tool, taken);
        todo!()
    }

    /// The first sentence or line of the description, or the title.
    pub fn summary(&self) -> &str {
        todo!()
    }
}

/// One field of what a tool gives back: a line of OUTPUT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputField {
    /// `items[].name`.
    pub path: String,
    /// `string`, `number`, `string | null` …
    pub kind: String,
    /// What it is.
    pub text: String,
}

/// The fields that an `outputSchema` declares, in its order, bounded in depth and number.
pub fn output_fields(schema: &RawValue) -> Vec<OutputField> {
    let _ = schema;
    todo!()
}
