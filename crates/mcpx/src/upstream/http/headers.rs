//! The headers that tell what a message is about, for those who do not read bodies.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;
use serde_json::value::RawValue;

/// What a version of the protocol is sent in.
pub const VERSION: &str = "mcp-protocol-version";
/// What a session is sent in.
pub const SESSION: &str = "mcp-session-id";
/// What a request's method is sent in.
pub const METHOD: &str = "mcp-method";
/// What a tool's name is sent in.
pub const NAME: &str = "mcp-name";
/// What the last event's id is sent in, to get what came after it.
pub const LAST_EVENT: &str = "last-event-id";

const WRAP: (&str, &str) = ("=?base64?", "?=");

/// A value as a header: as it is, or wrapped as Base64 where a header could not carry
/// it, or where it looks wrapped itself.
pub fn value(text: &str) -> Option<HeaderValue> {
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && text.trim() == text
        && !(text.starts_with(WRAP.0) && text.ends_with(WRAP.1));
    match plain {
        true => HeaderValue::from_str(text),
        false => {
            let wrapped = format!("{}{}{}", WRAP.0, BASE64_STANDARD.encode(text), WRAP.1);
            HeaderValue::from_str(&wrapped)
        }
    }
    .ok()
}

/// The word in a schema that puts a parameter into a header.
const ANNOTATION: &str = "x-mcp-header";

/// A list that is longer marks nothing.
const LONGEST_LIST: usize = 32 << 20;

/// The most parameters of one tool that are sent in headers.
const MOST: usize = 32;

/// The parameters that servers want to see in headers too, by tool.
#[derive(Debug, Default)]
pub struct Marked(BTreeMap<String, Vec<Mark>>);

#[derive(Debug)]
struct Mark {
    /// The parameter, by the names that lead to it.
    path: Vec<String>,
    header: HeaderName,
}

impl Marked {
    /// Learns from an answer to `tools/list`.
    pub fn learn(&mut self, answer: &str) {
        let is_long = answer.len() > LONGEST_LIST;
        if is_long || (self.0.is_empty() && !answer.contains(ANNOTATION)) {
            return;
        }
        let Ok(answer) = serde_json::from_str::<Value>(answer) else {
            return;
        };
        for tool in answer["result"]["tools"].as_array().into_iter().flatten() {
            let Some(name) = tool["name"].as_str() else {
                continue;
            };
            match marks(&tool["inputSchema"]) {
                Ok(marks) if !marks.is_empty() => self.0.insert(name.to_owned(), marks),
                // Whose marks are wrong is not called.
                Ok(_) | Err(_) => self.0.remove(name),
            };
        }
    }

    /// The headers of a call, from its message.
    pub fn of(&self, tool: &str, message: &[u8]) -> Vec<(HeaderName, HeaderValue)> {
        let Some(marks) = self.0.get(tool) else {
            return Vec::new();
        };
        let message: Value = serde_json::from_slice(message).unwrap_or_default();
        let arguments = &message["params"]["arguments"];
        let header = |mark: &Mark| {
            let given = mark
                .path
                .iter()
                .try_fold(arguments, |value, name| value.get(name))?;
            let text = match given {
                Value::String(text) => text.clone(),
                Value::Bool(_) | Value::Number(_) => given.to_string(),
                Value::Null | Value::Array(_) | Value::Object(_) => return None,
            };
            Some((mark.header.clone(), value(&text)?))
        };
        marks.iter().filter_map(header).collect()
    }
}

/// Why a tool's marks are wrong, in which case the protocol forbids to call it: a name
/// that no header has, one that two parameters share, a value that no header carries.
pub fn flaw(tool: &RawValue) -> Option<String> {
    if !tool.get().contains(ANNOTATION) {
        return None;
    }
    let tool: Value = serde_json::from_str(tool.get()).ok()?;
    let flaw = marks(&tool["inputSchema"]).err()?;
    let name = tool["name"].as_str().unwrap_or_default();
    Some(format!("`{name}` is left out: {flaw}"))
}

fn marks(schema: &Value) -> Result<Vec<Mark>, String> {
    let mut marks = Vec::new();
    collect(schema, &mut Vec::new(), &mut marks)?;
    Ok(marks)
}

/// Marks are only valid on what properties lead to, so that there is one value.
fn collect(schema: &Value, path: &mut Vec<String>, marks: &mut Vec<Mark>) -> Result<(), String> {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if marks.len() >= MOST {
            return Ok(());
        }
        path.push(name.clone());
        if let Some(header) = property.get(ANNOTATION) {
            let header = header_name(header)
                .ok_or_else(|| format!("{ANNOTATION} of `{name}` cannot be {header}"))?;
            let kind = &property["type"];
            if !is_one_word(kind) {
                return Err(format!(
                    "{ANNOTATION} is on `{name}`, which is {kind}, not a string, an integer or a boolean"
                ));
            }
            if marks.iter().any(|mark| mark.header == header) {
                return Err(format!("{ANNOTATION} of `{name}` is another's too"));
            }
            marks.push(Mark {
                path: path.clone(),
                header,
            });
        }
        collect(property, path, marks)?;
        path.pop();
    }
    Ok(())
}

/// The header that a mark names; their names have no case.
fn header_name(mark: &Value) -> Option<HeaderName> {
    let mark = mark.as_str().filter(|mark| !mark.is_empty())?;
    HeaderName::from_bytes(format!("mcp-param-{mark}").as_bytes()).ok()
}

/// Whether values of this type can be in a header. A schema need not say its type.
fn is_one_word(kind: &Value) -> bool {
    let fits = |kind: &Value| kind == "string" || kind == "integer" || kind == "boolean";
    match kind {
        Value::Null => true,
        Value::Array(kinds) => {
            kinds.iter().any(fits) && kinds.iter().all(|kind| kind == "null" || fits(kind))
        }
        kind => fits(kind),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use serde_json::json;

    #[test]
    fn marked_parameters_become_headers() {
        let mut marked = super::Marked::default();
        let schema = json!({"properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {"properties": {"on": {"type": "boolean", "x-mcp-header": "On"}}},
            "count": {"type": "integer", "x-mcp-header": "Count"},
            "plain": {"type": "string"},
        }});
        let list = json!({"result": {"tools": [{"name": "t", "inputSchema": schema}]}});
        marked.learn(&list.to_string());
        let given = json!({"region": "größe", "deep": {"on": true}, "count": 7, "plain": "y"});
        let call = json!({"params": {"arguments": given}}).to_string();
        let shown = |headers: Vec<(super::HeaderName, super::HeaderValue)>| -> Vec<String> {
            let line = |(name, value): &(super::HeaderName, super::HeaderValue)| {
                format!("{name}: {}", value.to_str().unwrap())
            };
            headers.iter().map(line).collect()
        };
        assert_eq!(
            shown(marked.of("t", call.as_bytes())),
            [
                "mcp-param-region: =?base64?Z3LDtsOfZQ==?=",
                "mcp-param-on: true",
                "mcp-param-count: 7",
            ]
        );
        let absent = json!({"params": {"arguments": {"region": null}}}).to_string();
        assert!(marked.of("t", absent.as_bytes()).is_empty());
        assert!(marked.of("other", call.as_bytes()).is_empty());

        let list = json!({"result": {"tools": [{"name": "t", "inputSchema": {}}]}});
        marked.learn(&list.to_string());
        assert!(
            marked.of("t", call.as_bytes()).is_empty(),
            "the marks are gone"
        );
    }

    #[test]
    fn a_tool_whose_marks_are_wrong_is_told_with_the_reason() {
        let marked = |kind: &str, header: &str| json!({"type": kind, "x-mcp-header": header});
        for (properties, expected) in [
            (
                json!({"a": marked("string", "Region"), "b": marked("boolean", "B")}),
                None,
            ),
            (
                json!({"a": {"type": ["string", "null"], "x-mcp-header": "A"}}),
                None,
            ),
            (
                json!({"a": marked("string", "")}),
                Some("x-mcp-header of `a` cannot be \"\""),
            ),
            (
                json!({"a": marked("string", "no header")}),
                Some("x-mcp-header of `a` cannot be \"no header\""),
            ),
            (
                json!({"a": {"type": "string", "x-mcp-header": 7}}),
                Some("x-mcp-header of `a` cannot be 7"),
            ),
            (
                json!({"a": marked("number", "A")}),
                Some(
                    "x-mcp-header is on `a`, which is \"number\", not a string, an integer or a boolean",
                ),
            ),
            (
                json!({"a": marked("string", "Same"), "b": marked("string", "same")}),
                Some("x-mcp-header of `b` is another's too"),
            ),
        ] {
            let tool = json!({"name": "t", "inputSchema": {"properties": properties}});
            let tool = serde_json::value::to_raw_value(&tool).unwrap();
            let expected = expected.map(|flaw| format!("`t` is left out: {flaw}"));
            assert_eq!(super::flaw(&tool), expected, "{properties}");
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(super::value(text).unwrap().to_str().unwrap(), expected);
    }

    #[test]
    fn a_plain_value_stays() {
        check("read_file", "read_file");
        check("a b~", "a b~");
        check("", "");
    }

    #[test]
    fn what_a_header_cannot_carry_is_wrapped() {
        check("größe", "=?base64?Z3LDtsOfZQ==?=");
        check(" x", "=?base64?IHg=?=");
        check("a\nb", "=?base64?YQpi?=");
        check("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?=");
    }
}
