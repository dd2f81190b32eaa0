//! What commander adds behind an option's text:
//! `(choices: "a", "b", default: 3000, preset: true, env: PORT)`.

use serde_json::Value;

use crate::model::{Evidence, Fact, Kind, Param, Role, Scalar};

/// In the order in which they are printed.
const KEYS: [&str; 4] = ["choices: ", "default: ", "preset: ", "env: "];

/// Takes the remarks at the end of the text of `param` into its fields. One that no
/// field holds stays in the text.
pub(in super::super) fn take(param: &mut Param) {
    // An author may have written one, and commander another behind it.
    for _ in 0..3 {
        let Some((text, remark)) = last(&param.text) else {
            return;
        };
        let mut taken = param.clone();
        text.clone_into(&mut taken.text);
        let all = fields(remark);
        if all.is_empty() || !all.iter().all(|(key, value)| set(&mut taken, key, value)) {
            return;
        }
        *param = taken;
    }
}

/// The text before a remark at its end, and what stands in it.
fn last(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_suffix(')')?;
    // The last one that starts like a remark: defaults may hold brackets themselves.
    let start = KEYS
        .iter()
        .filter_map(|key| inner.rfind(&format!("({key}")))
        .max()?;
    let remark = inner.get(start + 1..)?;
    let closed = remark.matches('(').count() >= remark.matches(')').count();
    closed.then(|| (text.get(..start).unwrap_or_default().trim_end(), remark))
}

/// Each key with the text behind it, up to the next key.
fn fields(remark: &str) -> Vec<(&'static str, String)> {
    let mut found: Vec<(usize, &'static str)> = Vec::new();
    let mut from = 0;
    for key in KEYS {
        let at = match from {
            0 if remark.starts_with(key) => Some(0),
            _ => remark
                .get(from..)
                .and_then(|rest| rest.rfind(&format!(", {key}")))
                .map(|at| from + at + 2),
        };
        if let Some(at) = at {
            found.push((at, key));
            from = at + key.len();
        }
    }
    let ends = found.iter().skip(1).map(|(at, _)| at - 2);
    let ends: Vec<usize> = ends.chain([remark.len()]).collect();
    found
        .iter()
        .zip(ends)
        .filter_map(|((at, key), end)| {
            Some((*key, remark.get(at + key.len()..end)?.trim().to_owned()))
        })
        .collect()
}

/// Whether `param` can hold what the remark says.
fn set(param: &mut Param, key: &str, value: &str) -> bool {
    match key {
        "choices: " => {
            let choices = serde_json::from_str(&format!("[{value}]"));
            let choices = choices.ok().and_then(|list: Vec<Value>| words(list));
            let Some(choices) = choices.filter(|it| !it.is_empty()) else {
                return false;
            };
            param.choices = choices;
            param.from.note(Fact::Choices, Evidence::Help);
        }
        "default: " => {
            let Some(default) = default(value, &param.kind) else {
                return false;
            };
            param.default = Some(default);
            param.from.note(Fact::Default, Evidence::Help);
        }
        "preset: " => {
            if let Role::Flag(spelling) = &mut param.role
                && spelling.bare.is_some()
            {
                spelling.bare = default(value, &Kind::One(Scalar::String));
                param.from.note(Fact::Bare, Evidence::Help);
            }
        }
        _ if value.contains(' ') => return false,
        _ => param.env = Some(value.to_owned()),
    }
    true
}

fn words(list: Vec<Value>) -> Option<Vec<String>> {
    list.into_iter().map(word).collect()
}

fn word(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(on) => Some(on.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A default is printed as JSON; where an author wrote it, one word is a value and
/// several are prose.
fn default(text: &str, kind: &Kind) -> Option<String> {
    let list = matches!(kind, Kind::List(..));
    match serde_json::from_str(text) {
        Ok(Value::Array(values)) if list => {
            words(values).map(|values| format!("[{}]", values.join(",")))
        }
        Ok(value) => word(value),
        Err(_) => (!text.contains([' ', '<', '(']) && !text.is_empty()).then(|| text.to_owned()),
    }
}
