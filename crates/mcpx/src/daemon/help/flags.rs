//! How flags are written: a tool's in its help and completions, mcpx's own everywhere.

use argway_core::argv::{OwnFlag, Takes};
use argway_core::sources::tool::{Accepts, ToolParam};
use serde_json::Value;

use crate::own_flags::{OWN_FLAGS, Own};

/// Choices that are longer than this together are told in the text.
const SHORT_CHOICES: usize = 24;

/// Whether a flag is given without a value, and has a `--no-` form.
pub fn is_switch(accepts: &Accepts) -> bool {
    match accepts {
        Accepts::Boolean => true,
        Accepts::AnyOf(all) => {
            all.contains(&Accepts::Boolean)
                && all
                    .iter()
                    .all(|one| matches!(one, Accepts::Boolean | Accepts::Null))
        }
        _ => false,
    }
}

/// Whether a flag may be given more than once.
pub fn is_list(accepts: &Accepts) -> bool {
    match accepts {
        Accepts::List(_) => true,
        Accepts::AnyOf(all) => all.iter().any(is_list),
        _ => false,
    }
}

/// What stands for a value: `STRING`, `asc|desc`.
pub fn placeholder(accepts: &Accepts) -> String {
    match accepts {
        Accepts::Text => "STRING".to_owned(),
        Accepts::Integer => "INTEGER".to_owned(),
        Accepts::Number => "NUMBER".to_owned(),
        Accepts::Boolean => "true|false".to_owned(),
        Accepts::Choice(values) => {
            let all: Vec<String> = values.iter().map(word).collect();
            let all = all.join("|");
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.|".contains(c);
            match all.len() <= SHORT_CHOICES && all.chars().all(is_plain) {
                true => all,
                false => "CHOICE".to_owned(),
            }
        }
        Accepts::AnyOf(all) => {
            let mut names: Vec<String> = Vec::new();
            for one in all.iter().filter(|one| **one != Accepts::Null) {
                let name = placeholder(one);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names.join("|")
        }
        Accepts::List(item) => placeholder(item),
        Accepts::Object => "JSON".to_owned(),
        Accepts::Null => "null".to_owned(),
        Accepts::Anything => "VALUE".to_owned(),
    }
}

/// The words that a flag takes, where they can be counted.
pub fn choices(accepts: &Accepts) -> Vec<String> {
    match accepts {
        Accepts::Boolean => vec!["true".to_owned(), "false".to_owned()],
        Accepts::Choice(values) => values.iter().map(word).collect(),
        Accepts::AnyOf(all) => {
            let mut words = Vec::new();
            for word in all.iter().flat_map(choices) {
                if !words.contains(&word) {
                    words.push(word);
                }
            }
            words
        }
        Accepts::List(item) => choices(item),
        Accepts::Null => vec!["null".to_owned()],
        Accepts::Text
        | Accepts::Integer
        | Accepts::Number
        | Accepts::Object
        | Accepts::Anything => Vec::new(),
    }
}

/// The type in JSON's words: `string`, `integer[]`, `string | null`.
pub fn kind(accepts: &Accepts) -> String {
    match accepts {
        Accepts::Text => "string".to_owned(),
        Accepts::Integer => "integer".to_owned(),
        Accepts::Number => "number".to_owned(),
        Accepts::Boolean => "boolean".to_owned(),
        Accepts::Choice(values) => joined(values.iter().map(|value| kind_of(value).to_owned())),
        Accepts::AnyOf(all) => joined(all.iter().map(kind)),
        Accepts::List(item) => match kind(item) {
            item if item.contains(' ') => format!("({item})[]"),
            item => format!("{item}[]"),
        },
        Accepts::Object => "object".to_owned(),
        Accepts::Null => "null".to_owned(),
        Accepts::Anything => "any".to_owned(),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn joined(kinds: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for kind in kinds {
        if !all.contains(&kind) {
            all.push(kind);
        }
    }
    all.join(" | ")
}

/// A JSON value as a word of the command line.
pub fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// `--query=STRING`, `--all, --no-all`, as OPTIONS names a parameter.
pub fn option(param: &ToolParam) -> String {
    let flag = &param.flag;
    match is_switch(&param.accepts) {
        true => format!("--{flag}, --no-{flag}"),
        false => format!("--{flag}={}", placeholder(&param.accepts)),
    }
}

/// `[--page=INTEGER]`, `--tag=STRING...`, as SYNOPSIS names a parameter.
pub fn usage(param: &ToolParam) -> String {
    let flag = &param.flag;
    let flag = match is_switch(&param.accepts) {
        true => format!("--[no-]{flag}"),
        false => format!("--{flag}={}", placeholder(&param.accepts)),
    };
    match (param.required, is_list(&param.accepts)) {
        (true, false) => flag,
        (true, true) => format!("{flag}..."),
        (false, false) => format!("[{flag}]"),
        (false, true) => format!("[{flag}]..."),
    }
}

/// What OPTIONS says of a parameter: whether it is required, its text, its choices and
/// its default.
pub fn explanation(param: &ToolParam) -> String {
    let mut text = super::text::harmless(&param.text);
    let mut add = |more: String| {
        // Not into the last line of a list or an example.
        let separator = match text.is_empty() {
            true => "",
            false if text.contains('\n') => "\n",
            false => " ",
        };
        text = format!("{text}{separator}{more}");
    };
    let choices = choices(&param.accepts);
    if !choices.is_empty() && placeholder(&param.accepts).contains("CHOICE") {
        add(format!("(one of: {})", choices.join(", ")));
    }
    if is_list(&param.accepts) {
        add("(may be repeated)".to_owned());
    }
    if let Some(default) = &param.default {
        let value = serde_json::from_str::<Value>(default).ok();
        let shown = match &value {
            Some(Value::String(text)) if !text.is_empty() => text.clone(),
            _ => default.clone(),
        };
        add(format!("(default: {shown})"));
    }
    let text = match param.required {
        true => format!("(required) {text}"),
        false => text,
    };
    super::text::harmless(&text)
}

/// The name of mcpx's own flag that a tool's parameter had to make way for.
pub fn collision(param: &ToolParam) -> Option<&'static str> {
    let stem = param.flag.strip_prefix("tool-")?;
    let own = OWN_FLAGS.iter().find(|flag| flag.long == stem)?;
    let is_plain = |c: &char| c.is_ascii_alphanumeric();
    let mut property = param.property.chars().filter(is_plain);
    let mut wanted = own.long.chars().filter(is_plain);
    let same = wanted.all(|c| property.next().is_some_and(|p| p.eq_ignore_ascii_case(&c)));
    (same && property.next().is_none()).then_some(own.long)
}

/// `-v, --verbose`, `--cache=DURATION`.
pub fn own(flag: &OwnFlag<Own>) -> String {
    let long = match flag.takes {
        Takes::Nothing => format!("--{}", flag.long),
        Takes::Value(kind) => format!("--{}={kind}", flag.long),
    };
    match flag.short {
        Some(short) => format!("-{short}, {long}"),
        None => long,
    }
}
