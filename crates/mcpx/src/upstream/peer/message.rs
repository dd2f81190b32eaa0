//! JSON-RPC as text: what comes in is looked at no deeper than routing needs, what
//! goes out is put together from pieces that are already JSON.

use std::fmt;

use argway_core::few::few;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::upstream::UpstreamError;

/// What an error's message may be at most; the rest is cut off.
const MESSAGE_LIMIT: usize = 64 * 1024;
/// What an error's data may be at most; more is left out.
const DATA_LIMIT: usize = 1024 * 1024;
/// Messages of one batch; more are not listened to.
const MOST_BATCH: usize = 10_000;
/// JSON-RPC's "internal error", for errors that have no number.
const NO_CODE: i64 = -32603;

/// A message that came in. Members that are not known are not looked at.
#[derive(Debug, Deserialize)]
pub struct Incoming<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub id: Option<&'a RawValue>,
    #[serde(default)]
    pub method: Option<String>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub error: Option<&'a RawValue>,
}

/// A member that is there, even if it is null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The messages of a text: one, or a batch of them. None if there is no message.
pub fn parse(text: &str) -> Option<Vec<Incoming<'_>>> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let messages = match text.as_bytes().first()? {
        b'{' => vec![one(text)?],
        b'[' => {
            let batch = few(text, MOST_BATCH)?;
            let items = batch.items.iter();
            items.filter_map(|item| one(item.get())).collect()
        }
        _ => return None,
    };
    (!messages.is_empty()).then_some(messages)
}

/// A message: it has a method, or answers something.
fn one(text: &str) -> Option<Incoming<'_>> {
    let message: Incoming<'_> = serde_json::from_str(text).ok()?;
    (message.method.is_some() || message.id.is_some()).then_some(message)
}

/// An id or token of ours, however the server spells it: `7`, `"7"`, `7.0`.
pub fn number(id: &RawValue) -> Option<i64> {
    let text = id.get().trim_matches('"');
    text.strip_suffix(".0").unwrap_or(text).parse().ok()
}

/// Whether the text of a JSON value is `null`.
pub fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

/// What an error object says, whatever its shape.
pub fn error(error: &RawValue) -> UpstreamError {
    #[derive(Deserialize)]
    struct Members<'a> {
        #[serde(borrow, default)]
        code: Option<&'a RawValue>,
        #[serde(borrow, default)]
        message: Option<&'a RawValue>,
        #[serde(borrow, default)]
        data: Option<&'a RawValue>,
    }
    let Ok(members) = serde_json::from_str::<Members<'_>>(error.get()) else {
        return UpstreamError::Rpc {
            code: NO_CODE,
            message: words(error),
            data: None,
        };
    };
    let message = match (members.message, members.code) {
        (Some(message), _) => words(message),
        (None, Some(code)) if number(code).is_none() => words(code),
        (None, _) => "an error without a message".to_owned(),
    };
    let data = members.data.filter(|data| data.get().len() <= DATA_LIMIT);
    UpstreamError::Rpc {
        code: members.code.and_then(number).unwrap_or(NO_CODE),
        message,
        data: data.map(ToOwned::to_owned),
    }
}

/// A string's text, or else the JSON itself; not more than a message may have.
pub fn words(value: &RawValue) -> String {
    let mut text: String =
        serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned());
    if text.len() > MESSAGE_LIMIT {
        text.truncate(text.floor_char_boundary(MESSAGE_LIMIT));
        text.push('…');
    }
    text
}

/// A request. `meta` are members for `params._meta`: names, and values as JSON.
pub fn request(id: i64, method: &str, params: &RawValue, meta: &[(&str, String)]) -> String {
    let params = with_meta(params.get(), meta);
    let method = serde_json::Value::from(method);
    one_line(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#
    ))
}

/// A notification; without params if they are null or empty.
pub fn notification(method: &str, params: &RawValue) -> String {
    let method = serde_json::Value::from(method);
    one_line(match params.get() {
        "{}" | "null" => format!(r#"{{"jsonrpc":"2.0","method":{method}}}"#),
        params => format!(r#"{{"jsonrpc":"2.0","method":{method},"params":{params}}}"#),
    })
}

/// The answer to a request of the server.
pub fn answer(id: &RawValue, result: &RawValue) -> String {
    one_line(format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{}}}"#,
        id.get(),
        result.get()
    ))
}

/// The refusal of a request of the server.
pub fn refusal(id: &RawValue, code: i64, message: &str) -> String {
    let message = serde_json::Value::from(message);
    one_line(format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":{code},"message":{message}}}}}"#,
        id.get()
    ))
}

/// The tool, prompt or resource that a request is about.
pub fn name(method: &str, params: &RawValue) -> Option<String> {
    let member = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return None,
    };
    let members: Members<'_> = serde_json::from_str(params.get()).ok()?;
    let (_, value) = members.0.into_iter().find(|(name, _)| name == member)?;
    serde_json::from_str(value.get()).ok()
}

/// JSON has line ends only between its tokens, where a blank does as well.
fn one_line(mut text: String) -> String {
    if text.contains(['\n', '\r']) {
        text = text.replace(['\n', '\r'], " ");
    }
    text
}

/// An object with more members in its `_meta`. What the caller has put there stays,
/// and wins.
fn with_meta(params: &str, meta: &[(&str, String)]) -> String {
    if meta.is_empty() {
        return params.to_owned();
    }
    let Ok(members) = serde_json::from_str::<Members<'_>>(params) else {
        return params.to_owned();
    };
    let given = members.0.iter().find(|(name, _)| name == "_meta");
    let given = given.and_then(|(_, value)| serde_json::from_str::<Members<'_>>(value.get()).ok());
    let given = given.unwrap_or_default();
    let ours = meta
        .iter()
        .filter(|(name, _)| !given.0.iter().any(|(theirs, _)| theirs == name));
    let ours = ours.map(|(name, value)| (*name, value.as_str()));
    let theirs = given.0.iter();
    let theirs = theirs.map(|(name, value)| (name.as_str(), value.get()));
    let meta = object(ours.chain(theirs));
    let rest = members.0.iter().filter(|(name, _)| name != "_meta");
    let rest = rest.map(|(name, value)| (name.as_str(), value.get()));
    object([("_meta", meta.as_str())].into_iter().chain(rest))
}

/// An object of members whose values are JSON already.
fn object<'a>(members: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = String::from("{");
    for (name, value) in members {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&serde_json::Value::from(name).to_string());
        text.push(':');
        text.push_str(value);
    }
    text.push('}');
    text
}

/// The members of an object in their order, values untouched.
#[derive(Default)]
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[track_caller]
    fn check_meta(params: &str, meta: &[(&str, &str)], expected: &str) {
        let meta: Vec<(&str, String)> = meta.iter().map(|(n, v)| (*n, (*v).to_owned())).collect();
        assert_eq!(with_meta(params, &meta), expected);
    }

    #[track_caller]
    fn check_error(object: &str, code: i64, message: &str) {
        match error(&raw(object)) {
            UpstreamError::Rpc {
                code: c,
                message: m,
                ..
            } => {
                assert_eq!((c, m.as_str()), (code, message));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn meta_is_added_and_every_digit_of_the_rest_stays() {
        check_meta("{}", &[("a", "1")], r#"{"_meta":{"a":1}}"#);
        check_meta(
            r#"{ "z":1.00, "b":123456789012345678901 }"#,
            &[("a", "{}")],
            r#"{"_meta":{"a":{}},"z":1.00,"b":123456789012345678901}"#,
        );
    }

    #[test]
    fn meta_that_is_there_stays_and_wins() {
        check_meta(
            r#"{"x":1,"_meta":{"mine":2,"a":3}}"#,
            &[("a", "1"), ("c", "4")],
            r#"{"_meta":{"c":4,"mine":2,"a":3},"x":1}"#,
        );
    }

    #[test]
    fn a_message_is_one_line_whatever_the_arguments_look_like() {
        let params = raw("{\r\n  \"a\": \"x\\ny\"\n}");
        let body = request(1, "m", &params, &[]);
        assert!(!body.contains(['\n', '\r']), "{body}");
        assert!(body.contains(r#""x\ny""#), "{body}");
    }

    #[test]
    fn errors_of_odd_shapes_are_errors() {
        check_error(r#"{"code":-32602,"message":"no"}"#, -32602, "no");
        check_error(r#"{"code":"-32601","message":"no"}"#, -32601, "no");
        check_error(r#"{"code":"E_ODD","message":null}"#, NO_CODE, "E_ODD");
        check_error(r#"{"message":{"deep":1}}"#, NO_CODE, r#"{"deep":1}"#);
        check_error("{}", NO_CODE, "an error without a message");
        check_error(r#""just words""#, NO_CODE, "just words");
        check_error(&format!("[{}1]", "1,".repeat(3)), NO_CODE, "[1,1,1,1]");
    }

    #[test]
    fn what_is_no_message_is_told_apart() {
        for text in [
            "",
            "listening",
            "42",
            "null",
            "[1,2",
            "[]",
            "[1]",
            r#"{"level":30}"#,
        ] {
            assert!(parse(text).is_none(), "{text}");
        }
        for text in [
            "\u{feff}{\"id\":1,\"result\":{}}\r",
            r#"{"method":"m"}"#,
            r#"[{"id":1,"result":1},7]"#,
        ] {
            assert_eq!(parse(text).map(|found| found.len()), Some(1), "{text}");
        }
    }

    #[test]
    fn ids_are_read_however_they_are_spelled() {
        for (text, id) in [
            ("7", Some(7)),
            ("\"7\"", Some(7)),
            ("7.0", Some(7)),
            ("null", None),
        ] {
            assert_eq!(number(&raw(text)), id, "{text}");
        }
    }
}
