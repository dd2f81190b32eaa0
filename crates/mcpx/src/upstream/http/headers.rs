//! The headers that tell what a message is about, for those who do not read bodies.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;

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
            let mut marks = Vec::new();
            collect(&tool["inputSchema"], &mut Vec::new(), &mut marks);
            match marks.is_empty() {
                true => self.0.remove(name),
                false => self.0.insert(name.to_owned(), marks),
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

/// Marks are only valid on what properties lead to, so that there is one value.
fn collect(schema: &Value, path: &mut Vec<String>, marks: &mut Vec<Mark>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if marks.len() >= MOST {
            return;
        }
        path.push(name.clone());
        let header = property[ANNOTATION]
            .as_str()
            .filter(|header| !header.is_empty());
        let header =
            header.map(|header| HeaderName::from_bytes(format!("mcp-param-{header}").as_bytes()));
        if let Some(Ok(header)) = header {
            marks.push(Mark {
                path: path.clone(),
                header,
            });
        }
        collect(property, path, marks);
        path.pop();
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
            "bad": {"type": "string", "x-mcp-header": "no header"},
            "plain": {"type": "string"},
        }});
        let list = json!({"result": {"tools": [{"name": "t", "inputSchema": schema}]}});
        marked.learn(&list.to_string());
        let given =
            json!({"region": "größe", "deep": {"on": true}, "count": 7, "bad": "x", "plain": "y"});
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
