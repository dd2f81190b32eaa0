//! Tools as MCP shows them: name, description, input and output JSON Schema,
//! annotations.
//!
//! The nested layout is ophis' own, word for word; where it differs, the reason
//! stands in `GUIDE.md`.

mod data;
mod defaults;
pub mod patterns;
mod property;

use serde_json::{Map, Value, json};

use crate::argv;
use crate::catalog::names::{GLOBAL_FLAGS, STDIN};
use crate::catalog::{Layout, Tool};
use crate::manual;
use crate::model::{Effect, Encoding, Family, RunSpec, StdinFormat, StdoutFormat};

pub use data::{DataSchema, check_schema};
pub(crate) use defaults::injected;

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
    if tool.stdin {
        let spec = run(tool).and_then(|run| run.stdin.as_ref());
        if spec.is_some_and(|stdin| stdin.required) {
            required.push(json!(STDIN));
        }
        properties.insert(STDIN.to_owned(), stdin(tool));
    }
    close(&mut schema, properties, required);
    Value::Object(schema)
}

fn run(tool: &Tool) -> Option<&RunSpec> {
    tool.spec().run.as_deref()
}

/// What the command reads.
fn stdin(tool: &Tool) -> Value {
    let spec = run(tool).and_then(|run| run.stdin.as_ref());
    let text = spec.map_or("", |stdin| stdin.text.trim());
    let description = match text {
        "" => "What the command reads from its standard input",
        text => text,
    };
    match spec.map_or(StdinFormat::Text, |stdin| stdin.format) {
        StdinFormat::Text => json!({"type": "string", "description": description}),
        StdinFormat::Json => json!({
            "description": format!("{description} (JSON: a string that holds it, or any other value)"),
        }),
        StdinFormat::Binary => json!({
            "type": "string",
            "contentEncoding": "base64",
            "description": format!("{description} (base64)"),
        }),
    }
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
    let family = tool.family();
    let mut properties = Map::new();
    let mut required = Vec::new();
    for named in tool.properties(layout) {
        // What is given a default need not be given.
        if named.param.required && injected(named.param).is_none() {
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
pub fn output(tool: &Tool, layout: Layout) -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    if layout == Layout::Nested {
        return json!({
            "type": "object",
            "properties": {
                "stdout": text("Standard output"),
                "stderr": text("Standard error"),
                "exitCode": {"type": "integer", "description": "Exit code"},
            },
            "required": ["exitCode"],
            "additionalProperties": false,
        });
    }
    let mut properties = Map::new();
    let mut required = vec![json!("exitCode"), json!("stdout")];
    let mut add = |name: &str, schema: Value| properties.insert(name.to_owned(), schema);
    add("exitCode", json!({"type": "integer"}));
    add("stdout", stdout(tool));
    if run(tool).is_none_or(|run| run.stderr.capture) {
        add("stderr", json!({"type": "string"}));
        required.push(json!("stderr"));
    }
    if let Some(schema) = data_schema(tool) {
        add("data", schema);
    }
    add(
        "truncated",
        json!({"type": "object", "description": "What was cut, and where all of it is"}),
    );
    add("durationMs", json!({"type": "integer"}));
    required.push(json!("durationMs"));
    json!({"type": "object", "properties": properties, "required": required})
}

fn stdout(tool: &Tool) -> Value {
    match run(tool).map(|run| run.stdout.encoding) {
        Some(Encoding::Base64) => json!({"type": "string", "contentEncoding": "base64"}),
        Some(Encoding::Utf8) | None => json!({"type": "string"}),
    }
}

/// What `data` is, where the command's output is read as data at all.
fn data_schema(tool: &Tool) -> Option<Value> {
    const PARSED: &str = "stdout, parsed";
    let containers = json!({
        "description": PARSED,
        "anyOf": [{"type": "object"}, {"type": "array"}],
    });
    let Some(run) = run(tool) else {
        return match tool.spec().output {
            Some(StdoutFormat::Text) => None,
            Some(StdoutFormat::Json) => Some(json!({"description": PARSED})),
            Some(StdoutFormat::Auto) | None => Some(containers),
        };
    };
    if run.stdout.encoding == Encoding::Base64 {
        return None;
    }
    match (run.stdout.format, &run.output_schema) {
        (StdoutFormat::Text, _) => None,
        (StdoutFormat::Json | StdoutFormat::Auto, Some(schema)) => Some(data::embedded(schema)),
        // Declared, it may be a bare number or string too.
        (StdoutFormat::Json, None) => Some(json!({"description": PARSED})),
        (StdoutFormat::Auto, None) => Some(containers),
    }
}

/// What a model reads about `tool`.
pub fn description(tool: &Tool, layout: Layout) -> String {
    let spec = tool.spec();
    let (summary, long) = (spec.summary.trim(), spec.description.trim());
    match layout {
        Layout::Flat => {
            let mut parts = match tool.program.family {
                Family::Definition => defined(tool),
                _ => {
                    let line = match summary.is_empty() {
                        true => tool.command_line(),
                        false => format!("{}: {summary}", tool.command_line()),
                    };
                    let more = (!long.is_empty() && long != summary).then(|| long.to_owned());
                    [line].into_iter().chain(more).collect()
                }
            };
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

/// What the author of a definition says, and what its groups demand.
fn defined(tool: &Tool) -> Vec<String> {
    let spec = tool.spec();
    let (summary, long) = (spec.summary.trim(), spec.description.trim());
    let mut parts = match (summary, long) {
        ("", "") => vec![tool.command_line()],
        (summary, "") => vec![summary.to_owned()],
        (summary, long) if long.starts_with(summary) => vec![long.to_owned()],
        (summary, long) => vec![summary.to_owned(), long.to_owned()],
    };
    let properties = tool.properties(Layout::Flat);
    let rules = argv::rules(tool, |slot| match slot {
        None => STDIN.to_owned(),
        Some(slot) => properties
            .iter()
            .find(|property| property.slot == slot)
            .map_or_else(|| tool.param(slot).name.clone(), |it| it.name.clone()),
    });
    if !rules.is_empty() {
        parts.push(rules.join(" "));
    }
    parts
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
/// are told only reads. `--deny-flags` takes such a flag, and its mark, away. What a
/// definition says itself stands.
pub fn annotations(tool: &Tool) -> Annotations {
    let effect = worst(tool);
    let said = &tool.spec().annotations;
    let read_only = said.read_only.unwrap_or(effect == Effect::Read);
    // What is not known may be the worst, and what only reads is none of it.
    let destructive = effect == Effect::Destructive || tool.spec().effect == Effect::Unknown;
    Annotations {
        title: said.title.clone().unwrap_or_else(|| tool.command_line()),
        read_only,
        destructive: said
            .destructive
            .unwrap_or(destructive && said.read_only != Some(true)),
        idempotent: said
            .idempotent
            .unwrap_or(effect == Effect::Read || said.read_only == Some(true)),
        // Nothing tells a program that stays on this machine from one that does not, but
        // for a sandbox that keeps it there.
        open_world: said
            .open_world
            .unwrap_or(run(tool).is_none_or(|run| run.sandbox.network)),
    }
}

fn worst(tool: &Tool) -> Effect {
    let flags = tool.flags.iter().chain(tool.inherited.iter());
    let flags = flags.chain(&tool.constants);
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
