//! Descriptions in JSON or YAML, as values.

use serde_json::{Map, Value};

use super::DescribedError;
use crate::output::yaml;

/// The value of `text`: JSON where it starts as JSON does, else YAML as output is read:
/// `no` stays the name that it is, and a version `1.10` does not become 1.1.
pub(super) fn parse(text: &str) -> Result<Value, DescribedError> {
    if is_json(text) {
        return serde_json::from_str(text)
            .map_err(|error| DescribedError(format!("is not JSON: {error}")));
    }
    if let Some(value) = yaml::parse(text) {
        return Ok(value);
    }
    Err(DescribedError(
        match serde_saphyr::from_str_with_options::<Value>(text, yaml::options()) {
            Ok(_) => "holds neither JSON nor a mapping in YAML".to_owned(),
            Err(error) => format!("is not YAML: {error}"),
        },
    ))
}

/// The object that `text` is, if it is JSON or YAML and has all of these `marks` in it:
/// looking for them first spares most texts the rest.
pub(super) fn object_with(text: &str, marks: &[&str]) -> Option<Map<String, Value>> {
    let has_marks = marks.iter().all(|mark| text.contains(mark));
    match has_marks.then(|| parse(text))? {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// Whether `text` starts as a JSON object does.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('{')
}

/// Looks into an object whose members may be anything.
pub(super) trait Members {
    /// The member, unless it is missing or null.
    fn member(&self, key: &str) -> Option<&Value>;

    /// A text, empty where there is none. Numbers and booleans are texts too: YAML has
    /// no quotes around a version.
    fn text(&self, key: &str) -> String {
        self.member(key).and_then(as_text).unwrap_or_default()
    }

    /// Whether it is there and true.
    fn is(&self, key: &str) -> bool {
        self.member(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A list's elements; none where there is no list.
    fn list(&self, key: &str) -> &[Value] {
        self.member(key)
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// The texts of a list, or the one text.
    fn texts(&self, key: &str) -> Vec<String> {
        match self.member(key) {
            Some(Value::Array(list)) => list.iter().filter_map(as_text).collect(),
            Some(one) => as_text(one).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// The members of an object in it, in their order.
    fn entries(&self, key: &str) -> Vec<(&String, &Value)> {
        let object = self.member(key).and_then(Value::as_object);
        object.into_iter().flatten().collect()
    }
}

impl Members for Map<String, Value> {
    fn member(&self, key: &str) -> Option<&Value> {
        self.get(key).filter(|value| !value.is_null())
    }
}

impl Members for Value {
    fn member(&self, key: &str) -> Option<&Value> {
        self.get(key).filter(|value| !value.is_null())
    }
}

/// A scalar as text.
pub(super) fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(bool) => Some(bool.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A default as programs print it: `a`, `[a,b]`; nothing for what is empty.
pub(super) fn default(value: &Value) -> Option<String> {
    let text = match value {
        Value::Array(list) if list.is_empty() => return None,
        Value::Array(list) => {
            let values: Vec<String> = list.iter().filter_map(as_text).collect();
            format!("[{}]", values.join(","))
        }
        other => as_text(other)?,
    };
    (!text.is_empty()).then_some(text)
}

/// Examples one under the other, each with a line about it before it.
pub(super) fn examples<'a>(all: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = String::new();
    for (about, example) in all {
        let example = example.trim_end();
        if example.trim().is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        for line in about.trim().lines() {
            text.push_str(&format!("# {line}\n"));
        }
        text.push_str(example.trim_start_matches('\n'));
    }
    text
}
