//! Arguments in one spelling, so that calls that mean the same share an answer.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Keys in order, no space between anything, strings spelled one way. Numbers stay as
/// they are written: a server may tell `1` from `1.0`.
pub fn text(json: &RawValue) -> String {
    let mut out = String::with_capacity(json.get().len());
    add(json.get(), &mut out);
    out
}

fn add(json: &str, out: &mut String) {
    let json = json.trim();
    let done = match json.as_bytes().first() {
        Some(b'{') => object(json, out),
        Some(b'[') => list(json, out),
        Some(b'"') => string(json, out),
        _ => None,
    };
    if done.is_none() {
        out.push_str(json);
    }
}

fn object(json: &str, out: &mut String) -> Option<()> {
    // Of a key that is there twice, the last counts, as for most readers.
    let members: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(json).ok()?;
    out.push('{');
    for (at, (name, value)) in members.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str(&serde_json::to_string(name).ok()?);
        out.push(':');
        add(value.get(), out);
    }
    out.push('}');
    Some(())
}

fn list(json: &str, out: &mut String) -> Option<()> {
    let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    out.push('[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        add(item.get(), out);
    }
    out.push(']');
    Some(())
}

/// A string that is no text (half of a surrogate pair) stays as it is written.
fn string(json: &str, out: &mut String) -> Option<()> {
    let text: String = serde_json::from_str(json).ok()?;
    out.push_str(&serde_json::to_string(&text).ok()?);
    Some(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[test]
    fn arguments_have_one_spelling() {
        let cases = [
            (r#"{ "b" : 1 , "a" : [ 1 , 2 ] }"#, r#"{"a":[1,2],"b":1}"#),
            (
                r#"{"x":{"d":null,"c":true}}"#,
                r#"{"x":{"c":true,"d":null}}"#,
            ),
            (r#"[{"b":1,"a":2}]"#, r#"[{"a":2,"b":1}]"#),
            (r#"{"a":"\u0041\/"}"#, r#"{"a":"A/"}"#),
            (r#"{"\u0061":1}"#, r#"{"a":1}"#),
            (r#"{"a":1.0,"b":1e3,"c":-0}"#, r#"{"a":1.0,"b":1e3,"c":-0}"#),
            (
                r#"{"a":12345678901234567890123}"#,
                r#"{"a":12345678901234567890123}"#,
            ),
            (r#"{"a":"\ud800 x"}"#, r#"{"a":"\ud800 x"}"#),
            (r#"{"a":" { b } "}"#, r#"{"a":" { b } "}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            ("{}", "{}"),
            (" [ ] ", "[]"),
        ];
        for (json, expected) in cases {
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            assert_eq!(text(&raw), expected, "{json}");
        }
    }
}
