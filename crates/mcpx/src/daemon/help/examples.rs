//! Calls of a tool, made up from its schema.

use argway_core::argv::shell_line;
use argway_core::sources::tool::{Accepts, ToolParam, ToolSpec};
use serde_json::{Map, Value, json};

use super::flags;

/// Objects within objects are filled in so far.
const DEEPEST: usize = 4;
/// A longer value makes no example.
const LONGEST: usize = 60;

/// Calls that show how a tool is used: with flags, with JSON, in a pipe.
/// `command` is `mcpx SERVER TOOL`, `filter` what its output may be piped to.
pub fn calls(command: &str, tool: &ToolSpec, filter: &str) -> Vec<String> {
    let schema = Schema::of(tool);
    let given: Vec<(&ToolParam, Value)> = shown(tool)
        .into_iter()
        .map(|param| (param, schema.sample(param)))
        .collect();
    let flags: Vec<String> = given
        .iter()
        .map(|(param, value)| flag(param, value))
        .collect();
    let call = [&[command.to_owned()], flags.as_slice()].concat().join(" ");
    let mut calls = vec![call.clone()];
    if !given.is_empty() {
        let entries = given
            .into_iter()
            .map(|(param, value)| (param.property.clone(), value));
        let object = Value::Object(entries.collect::<Map<_, _>>()).to_string();
        calls.push(format!("{command} {}", shell_line([object.as_str()])));
    }
    calls.push(format!("{call} | {filter}"));
    calls
}

/// The parameters of an example: those that are required, or else the first.
fn shown(tool: &ToolSpec) -> Vec<&ToolParam> {
    let required: Vec<&ToolParam> = tool.params.iter().filter(|param| param.required).collect();
    match required.is_empty() {
        true => tool.params.iter().take(1).collect(),
        false => required,
    }
}

fn flag(param: &ToolParam, value: &Value) -> String {
    let flag = &param.flag;
    let one = |value: &Value| format!("--{flag}={}", shell_line([flags::word(value).as_str()]));
    match (value, &param.accepts) {
        (Value::Bool(true), accepts) if accepts.is_switch() => format!("--{flag}"),
        (Value::Bool(false), accepts) if accepts.is_switch() => format!("--no-{flag}"),
        (Value::Array(items), accepts) if flags::is_list(accepts) && !items.is_empty() => {
            let words: Vec<String> = items.iter().map(one).collect();
            words.join(" ")
        }
        (value, _) => one(value),
    }
}

/// A tool's `inputSchema`, for what a [`ToolSpec`] does not keep.
struct Schema(Value);

impl Schema {
    fn of(tool: &ToolSpec) -> Self {
        let raw: Value = serde_json::from_str(tool.raw.get()).unwrap_or_default();
        Self(raw.get("inputSchema").cloned().unwrap_or_default())
    }

    /// A value that the tool would plausibly take.
    fn sample(&self, param: &ToolParam) -> Value {
        let schema = self
            .0
            .get("properties")
            .and_then(|all| all.get(&param.property));
        let schema = self.resolved(schema.unwrap_or(&Value::Null));
        let default = param.default.as_deref();
        let default = default.and_then(|text| serde_json::from_str(text).ok());
        let told = told(schema, default);
        told.unwrap_or_else(|| self.made_up(&param.accepts, &param.property, schema, 0))
    }

    fn made_up(&self, accepts: &Accepts, name: &str, schema: &Value, depth: usize) -> Value {
        match accepts {
            Accepts::Text | Accepts::Anything => text(name, schema),
            Accepts::Integer | Accepts::Number => number(schema),
            Accepts::Boolean => Value::Bool(true),
            Accepts::Choice(values) => values.first().cloned().unwrap_or_default(),
            Accepts::AnyOf(all) => {
                let one = all.iter().find(|one| **one != Accepts::Null);
                let one = one.unwrap_or(&Accepts::Null);
                self.made_up(one, name, schema, depth)
            }
            Accepts::List(item) => {
                let items = self.resolved(schema.get("items").unwrap_or(&Value::Null));
                let made = || self.made_up(item, name, items, depth + 1);
                Value::Array(vec![told(items, None).unwrap_or_else(made)])
            }
            Accepts::Object => self.object(schema, depth),
            Accepts::Null => Value::Null,
        }
    }

    /// An object with what it must have.
    fn object(&self, schema: &Value, depth: usize) -> Value {
        let required = schema.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        let mut object = Map::new();
        if depth < DEEPEST {
            for name in required {
                let property = schema.get("properties").and_then(|all| all.get(name));
                let property = self.resolved(property.unwrap_or(&Value::Null));
                let made = || self.made_up(&simple(property), name, property, depth + 1);
                object.insert(name.to_owned(), told(property, None).unwrap_or_else(made));
            }
        }
        Value::Object(object)
    }

    /// What a `$ref` within the schema stands for.
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let mut schema = schema;
        for _ in 0..DEEPEST {
            let target = schema.get("$ref").and_then(Value::as_str);
            let target = target.and_then(|target| target.strip_prefix('#'));
            match target.and_then(|pointer| self.0.pointer(pointer)) {
                Some(found) => schema = found,
                None => break,
            }
        }
        schema
    }
}

/// The value that the schema itself gives: an example, its default, its only value.
fn told(schema: &Value, default: Option<Value>) -> Option<Value> {
    let examples = schema.get("examples").and_then(|all| all.get(0));
    let first = schema.get("enum").and_then(|all| all.get(0));
    let known = [examples, schema.get("example"), schema.get("const")];
    let known = known.into_iter().flatten().cloned().chain(default);
    let mut known = known
        .chain(schema.get("default").cloned())
        .chain(first.cloned());
    known.find(|value| {
        !matches!(value, Value::Null)
            && *value != json!("")
            && *value != json!([])
            && value.to_string().len() <= LONGEST
    })
}

/// What a schema within a schema takes, roughly.
fn simple(schema: &Value) -> Accepts {
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().find(|kind| **kind != "null"),
        kind => kind,
    };
    match kind.and_then(Value::as_str) {
        Some("integer") => Accepts::Integer,
        Some("number") => Accepts::Number,
        Some("boolean") => Accepts::Boolean,
        Some("array") => {
            let item = schema.get("items").map_or(Accepts::Text, simple);
            Accepts::List(Box::new(item))
        }
        Some("object") => Accepts::Object,
        _ if schema.get("properties").is_some() => Accepts::Object,
        _ => Accepts::Text,
    }
}

/// A text of the schema's format, or one that goes with the name.
fn text(name: &str, schema: &Value) -> Value {
    let format = schema.get("format").and_then(Value::as_str);
    let by_format = match format.unwrap_or_default() {
        "date" => Some("2026-01-31"),
        "date-time" => Some("2026-01-31T12:00:00Z"),
        "time" => Some("12:00:00Z"),
        "uri" | "url" | "uri-reference" => Some("https://example.com"),
        "email" => Some("someone@example.com"),
        "uuid" => Some("123e4567-e89b-12d3-a456-426614174000"),
        "ipv4" => Some("192.0.2.1"),
        "ipv6" => Some("2001:db8::1"),
        _ => None,
    };
    let name = name.to_ascii_lowercase();
    let has = |part: &str| name.contains(part);
    let by_name = match () {
        () if has("url") || has("uri") => "https://example.com",
        // Names of nothing that is there: somebody may run an example that deletes.
        () if has("directory") || has("folder") => "./example",
        () if has("repo") && has("path") => "./example",
        () if has("path") || has("file") => "./example.txt",
        () if has("timezone") => "Europe/Berlin",
        () if has("email") => "someone@example.com",
        () => "text",
    };
    Value::from(by_format.unwrap_or(by_name))
}

fn number(schema: &Value) -> Value {
    let bound = |key: &str| schema.get(key).filter(|bound| bound.is_number());
    let least = bound("minimum").filter(|least| least.as_f64() > Some(1.0));
    let most = bound("maximum").filter(|most| most.as_f64() < Some(1.0));
    least.or(most).cloned().unwrap_or_else(|| json!(1))
}
