//! How flags are written: a tool's in its help and completions, mcpx's own everywhere.

use argway_core::argv::{OwnFlag, Takes};
use argway_core::sources::tool::{Accepts, ToolParam, ToolSpec};
use serde_json::Value;

use crate::harmless;
use crate::own_flags::{OWN_FLAGS, Own};

/// Choices that are wider than this together are told in the text.
const WIDEST_CHOICES: usize = 24;
/// Stands for those.
const CHOICE: &str = "CHOICE";

/// Whether a flag may be given more than once.
pub fn is_list(accepts: &Accepts) -> bool {
    accepts.list_item().is_some()
}

/// What stands for a value: `STRING`, `asc|desc`.
fn placeholder(accepts: &Accepts) -> String {
    let placeholder = accepts.placeholder();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.|".contains(c);
    let is_short = placeholder.len() <= WIDEST_CHOICES && placeholder.chars().all(is_plain);
    match is_short || accepts.words().is_empty() {
        true => placeholder,
        false => CHOICE.to_owned(),
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
pub fn option(tool: &ToolSpec, param: &ToolParam) -> String {
    let flag = &param.flag;
    match (param.accepts.is_switch(), tool.negation(param)) {
        (true, Some(negation)) => format!("--{flag}, --{negation}"),
        (true, None) => format!("--{flag}[=true|false]"),
        (false, _) => format!("--{flag}={}", placeholder(&param.accepts)),
    }
}

/// `[--page=INTEGER]`, `--tag=STRING...`, as SYNOPSIS names a parameter.
pub fn usage(tool: &ToolSpec, param: &ToolParam) -> String {
    let flag = &param.flag;
    let flag = match tool.negation(param) {
        Some(_) => format!("--[no-]{flag}"),
        None => option(tool, param),
    };
    match (param.required, is_list(&param.accepts)) {
        (true, false) => flag,
        (true, true) => format!("{flag}..."),
        (false, false) => format!("[{flag}]"),
        (false, true) => format!("[{flag}]..."),
    }
}

/// What OPTIONS says of a parameter: whether it is required, its text, its choices, its
/// default, and its name where the flag does not tell it.
pub fn explanation(param: &ToolParam) -> String {
    let mut text = harmless::text(&param.text);
    let mut add = |more: String| {
        // Not into the last line of a list or an example.
        let separator = match text.is_empty() {
            true => "",
            false if text.contains('\n') => "\n",
            false => " ",
        };
        text = format!("{text}{separator}{more}");
    };
    if placeholder(&param.accepts) == CHOICE {
        let words = param.accepts.words().join(", ");
        match &param.accepts.others()[..] {
            [] => add(format!("(one of: {words})")),
            others => add(format!("(one of: {words}; or {})", others.join(" or "))),
        }
    }
    if is_list(&param.accepts) {
        add("(may be repeated)".to_owned());
    }
    let is_empty = |default: &&String| ["null", "\"\"", "[]", "{}"].contains(&default.as_str());
    if let Some(default) = param.default.as_ref().filter(|default| !is_empty(default)) {
        let value = serde_json::from_str::<Value>(default).ok();
        let shown = match &value {
            Some(Value::String(text)) => text.clone(),
            _ => default.clone(),
        };
        add(format!("(default: {shown})"));
    }
    if !tells_property(param) {
        add(format!("(the property {:?})", param.property));
    }
    let text = match param.required {
        true => format!("(required) {text}"),
        false => text,
    };
    harmless::text(&text)
}

/// Whether the property can be read off its flag, as JSON needs it: they only differ in
/// capitals, dashes and underscores.
fn tells_property(param: &ToolParam) -> bool {
    let bare = |name: &str| -> String {
        let letters = name.chars().filter(|c| !"-_".contains(*c));
        letters.flat_map(char::to_lowercase).collect()
    };
    collision(param).is_some() || bare(&param.flag) == bare(&param.property)
}

/// The name of mcpx's own flag that a tool's parameter had to make way for.
pub fn collision(param: &ToolParam) -> Option<&'static str> {
    let mut longs = OWN_FLAGS.iter().map(|flag| flag.long);
    longs.find(|long| param.aliases.iter().any(|alias| alias == long))
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
