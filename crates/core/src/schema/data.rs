//! What a definition declares of its output: a JSON Schema, compiled once.

use std::fmt;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// Reasons that are given for data that does not fit.
const MOST_REASONS: usize = 3;

/// Characters of one reason: it may quote what the program printed.
const LONGEST_REASON: usize = 200;

/// Where the schema of `data` stands in that of a result.
const PLACE: &str = "#/properties/data";

/// Whether `schema` is a JSON Schema that stands by itself; the error says why not.
pub fn check_schema(schema: &Value) -> Result<(), String> {
    DataSchema::compile(schema).map(drop)
}

/// A compiled schema.
pub struct DataSchema(Validator);

impl fmt::Debug for DataSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataSchema")
    }
}

impl DataSchema {
    /// Compiles `schema`.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        if !schema.is_object() && !schema.is_boolean() {
            return Err("a JSON Schema is an object".to_owned());
        }
        match jsonschema::validator_for(schema) {
            Ok(validator) => Ok(Self(validator)),
            Err(error) => Err(reason(
                &error.instance_path().to_string(),
                &error.to_string(),
            )),
        }
    }

    /// The first reasons why `data` does not fit; none where it does.
    pub fn reasons(&self, data: &Value) -> Vec<String> {
        self.0
            .iter_errors(data)
            .take(MOST_REASONS)
            .map(|error| reason(&error.instance_path().to_string(), &error.to_string()))
            .collect()
    }
}

fn reason(place: &str, error: &str) -> String {
    let mut reason = match place {
        "" => error.to_owned(),
        place => format!("{place}: {error}"),
    };
    if let Some((end, _)) = reason.char_indices().nth(LONGEST_REASON) {
        reason.truncate(end);
        reason.push('…');
    }
    reason
}

/// `schema` as the part of a result's schema that is about `data`: what refers to
/// its own root refers to that place.
pub(super) fn embedded(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let mut members = members.clone();
    if !members.contains_key("$id") {
        // Only what has an address of its own may name a dialect.
        members.shift_remove("$schema");
        refer(&mut members);
    }
    members
        .entry("description")
        .or_insert_with(|| json!("stdout, parsed"));
    Value::Object(members)
}

/// Keywords whose value holds schemas under names of its own.
const NAMED: [&str; 5] = [
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
    "definitions",
];

/// Keywords whose value is data, whatever it looks like.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];

/// Makes references to the root of the document refer to the place of `data`.
fn refer(schema: &mut Map<String, Value>) {
    for (key, value) in schema {
        match (key.as_str(), value) {
            ("$ref" | "$dynamicRef", Value::String(target)) => {
                if let Some(rest) = target.strip_prefix('#')
                    && (rest.is_empty() || rest.starts_with('/'))
                {
                    *target = format!("{PLACE}{rest}");
                }
            }
            (key, _) if DATA.contains(&key) => {}
            (key, Value::Object(named)) if NAMED.contains(&key) => {
                named.values_mut().for_each(refer_within);
            }
            (_, Value::Array(values)) => values.iter_mut().for_each(refer_within),
            (_, value) => refer_within(value),
        }
    }
}

fn refer_within(value: &mut Value) {
    if let Value::Object(schema) = value
        && !schema.contains_key("$id")
    {
        refer(schema);
    }
}
