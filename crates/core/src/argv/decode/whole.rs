//! Arguments that are given whole: one JSON object.
//!
//! Its shape is checked, the values in it are the server's to check.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{missing_problem, shown, value};
use crate::argv::ArgumentError;
use crate::catalog::names::nearest;
use crate::sources::tool::ToolSpec;

/// Checks a JSON object that was given whole, and keeps it as it is written, but
/// for line breaks.
pub fn object(tool: &ToolSpec, text: &str) -> Result<Box<RawValue>, ArgumentError> {
    let only = |problem: String| ArgumentError {
        problems: vec![problem],
    };
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(only(format!(
            "{} takes a JSON object, and nothing was given",
            tool.name
        )));
    }
    let json = value::raw(text).map_err(|error| {
        only(format!(
            "the arguments of {} are not JSON: {error}",
            tool.name
        ))
    })?;
    let what = match json.as_bytes().first() {
        Some(b'{') => None,
        Some(b'[') => Some("a JSON array".to_owned()),
        Some(b'"') => Some("a JSON string".to_owned()),
        _ => Some(shown(&json)),
    };
    if let Some(what) = what {
        return Err(only(format!(
            "{} takes its arguments as a JSON object, not as {what}",
            tool.name
        )));
    }
    let Keys(keys) = serde_json::from_str(&json).map_err(|error| {
        only(format!(
            "the arguments of {} are not JSON: {error}",
            tool.name
        ))
    })?;
    let problems = problems(tool, &keys);
    match problems.is_empty() {
        true => RawValue::from_string(json).map_err(|error| only(error.to_string())),
        false => Err(ArgumentError { problems }),
    }
}

/// Whether somebody who writes this word means JSON.
pub(super) fn is_meant(word: &str) -> bool {
    word.trim_start().starts_with(['{', '['])
}

fn problems(tool: &ToolSpec, keys: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    let known: BTreeSet<&str> = tool
        .params
        .iter()
        .map(|param| param.property.as_str())
        .collect();
    let mut given = BTreeSet::new();
    for key in keys {
        if !given.insert(key.as_str()) {
            problems.push(format!("`{key}` is given twice"));
        } else if !tool.open && !known.contains(key.as_str()) {
            let names = tool.params.iter().map(|param| param.property.as_str());
            let hint = nearest(key, names).map(|near| format!("; did you mean `{near}`?"));
            problems.push(format!(
                "{} has no property `{key}`{}",
                tool.name,
                hint.unwrap_or_default()
            ));
        }
    }
    let absent: Vec<String> = tool
        .params
        .iter()
        .filter(|param| param.required && !given.contains(param.property.as_str()))
        .map(|param| format!("`{}`", param.property))
        .collect();
    if !absent.is_empty() {
        problems.push(missing_problem(tool, &absent));
    }
    problems
}

/// The keys of an object as they stand, twice where they are written twice.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        let mut keys = Vec::new();
        while let Some((key, IgnoredAny)) = map.next_entry()? {
            keys.push(key);
        }
        Ok(Keys(keys))
    }
}
