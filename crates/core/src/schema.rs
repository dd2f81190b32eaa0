//! Tools as MCP shows them: name, description, input and output JSON Schema,
//! annotations.
//!
//! The nested layout is ophis' own, word for word; where it differs, the reason
//! stands in `docs/ophis-differences.md`.

mod defaults;
pub mod patterns;
mod property;

use serde_json::{Map, Value, json};

use crate::catalog::names::GLOBAL_FLAGS;
use crate::catalog::{Layout, Tool};
use crate::manual;
use crate::model::Effect;

/// The dialect that input schemas are written in.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The JSON Schema of `tool`'s arguments.
pub fn input(tool: &Tool, layout: Layout) -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!(DIALECT));
    schema.insert("type".to_owned(), json!("object"));
    let (mut properties, mut required) = parameters(tool, layout);
    if layout == Layout::Nested {
        let mut flags = Map::new();
        flags.insert("type".to_owned(), json!("object"));
        flags.insert("description".to_owned(), json!("Command line flags"));
        close(&mut flags, properties, required);
        properties = Map::new();
        properties.insert("flags".to_owned(), Value::Object(flags));
        properties.insert("args".to_owned(), args(tool));
        required = vec![json!("flags")];
    }
    if tool.folded {
        properties.insert(GLOBAL_FLAGS.to_owned(), global_flags(tool));
    }
    close(&mut schema, properties, required);
    Value::Object(schema)
}

/// Closes an object schema: nothing but these properties.
fn close(schema: &mut Map<String, Value>, properties: Map<String, Value>, required: Vec<Value>) {
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
}

fn parameters(tool: &Tool, layout: Layout) -> (Map<String, Value>, Vec<Value>) {
    let family = tool.program.family;
    let mut properties = Map::new();
    let mut required = Vec::new();
    for named in tool.properties(layout) {
        if named.param.required {
            required.push(json!(named.name));
        }
        let schema = property::property(named.param, layout, family);
        properties.insert(named.name, Value::Object(schema));
    }
    (properties, required)
}

/// Folded inherited flags: that they are there, and where to read of them.
fn global_flags(tool: &Tool) -> Value {
    let program = &tool.program.name;
    json!({
        "type": "object",
        "description": format!(
            "Any of the {} flags that {program}'s commands share; resource {} lists them",
            tool.inherited.len(),
            manual::global_flags_uri(&tool.label),
        ),
    })
}

/// ophis' list of positional words.
fn args(tool: &Tool) -> Value {
    let spec = tool.spec();
    let usage = spec.usage.replacen(" [flags]", "", 1);
    let pattern: Vec<&str> = usage.split_whitespace().skip(1 + spec.path.len()).collect();
    let mut description = "Positional command line arguments".to_owned();
    if !pattern.is_empty() {
        description.push_str("\nUsage pattern: ");
        description.push_str(&pattern.join(" "));
    }
    json!({
        "type": ["null", "array"],
        "description": description,
        "items": {"type": "string"},
    })
}

/// The JSON Schema of `tool`'s result.
pub fn output(_tool: &Tool, layout: Layout) -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    match layout {
        Layout::Nested => json!({
            "type": "object",
            "properties": {
                "stdout": text("Standard output"),
                "stderr": text("Standard error"),
                "exitCode": {"type": "integer", "description": "Exit code"},
            },
            "required": ["exitCode"],
            "additionalProperties": false,
        }),
        Layout::Flat => json!({
            "type": "object",
            "properties": {
                "exitCode": {"type": "integer"},
                "stdout": {"type": "string"},
                "stderr": {"type": "string"},
                "data": {
                    "description": "stdout, parsed",
                    "anyOf": (["object", "array", "string", "number", "boolean", "null"]
                        .map(|kind| json!({"type": kind}))),
                },
                "truncated": {"type": "object", "description": "What was cut, and where all of it is"},
                "durationMs": {"type": "integer"},
            },
            "required": ["exitCode", "stdout", "stderr", "durationMs"],
        }),
    }
}

/// What a model reads about `tool`.
pub fn description(tool: &Tool, layout: Layout) -> String {
    let spec = tool.spec();
    let (summary, long) = (spec.summary.trim(), spec.description.trim());
    match layout {
        Layout::Flat => {
            let line = match summary.is_empty() {
                true => tool.command_line(),
                false => format!("{}: {summary}", tool.command_line()),
            };
            let mut parts = vec![line];
            if !long.is_empty() && long != summary {
                parts.push(long.to_owned());
            }
            if !spec.examples.trim().is_empty() {
                parts.push(format!("Examples:\n{}", spec.examples.trim_end()));
            }
            parts.join("\n\n")
        }
        Layout::Nested => {
            let name = spec.path.last().unwrap_or(&tool.program.name);
            let text = match (long.is_empty(), summary.is_empty()) {
                (false, _) => long.to_owned(),
                (true, false) => summary.to_owned(),
                (true, true) => format!("Execute the {name} command"),
            };
            match spec.examples.is_empty() {
                true => text,
                false => format!("{text}\nExamples:\n{}", spec.examples),
            }
        }
    }
}

/// MCP's hints about `tool`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotations {
    /// A name for people.
    pub title: String,
    /// Changes nothing.
    pub read_only: bool,
    /// May remove or overwrite.
    pub destructive: bool,
    /// Again is the same as once.
    pub idempotent: bool,
    /// Reaches beyond this machine.
    pub open_world: bool,
}

/// The hints of `tool`, for the worst that it can be made to do: a flag that writes
/// or destroys raises the tool with it, because clients let pass unasked what they
/// are told only reads. `--deny-flags` takes such a flag, and its mark, away.
pub fn annotations(tool: &Tool) -> Annotations {
    let effect = worst(tool);
    Annotations {
        title: tool.command_line(),
        read_only: effect == Effect::Read,
        // What is not known may be the worst.
        destructive: effect == Effect::Destructive || tool.spec().effect == Effect::Unknown,
        idempotent: effect == Effect::Read,
        // Nothing tells a program that stays on this machine from one that does not.
        open_world: true,
    }
}

fn worst(tool: &Tool) -> Effect {
    let flags = tool.flags.iter().chain(tool.inherited.iter());
    // A flag of unknown effect (`--web`) shows the same thing elsewhere.
    let raised = flags
        .filter_map(|flag| flag.effect)
        .filter(|&effect| effect >= Effect::Write);
    raised.fold(tool.spec().effect, Effect::max)
}

/// The whole MCP tool object, as in `tools/list`.
pub fn tool(tool: &Tool, layout: Layout) -> Value {
    let hints = annotations(tool);
    json!({
        "name": tool.name,
        "title": hints.title,
        "description": description(tool, layout),
        "inputSchema": input(tool, layout),
        "outputSchema": output(tool, layout),
        "annotations": {
            "title": hints.title,
            "readOnlyHint": hints.read_only,
            "destructiveHint": hints.destructive,
            "idempotentHint": hints.idempotent,
            "openWorldHint": hints.open_world,
        },
    })
}

#[cfg(test)]
mod tests;
