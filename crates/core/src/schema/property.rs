//! The JSON Schema of one parameter.

use serde_json::{Map, Value, json};

use super::{defaults, patterns};
use crate::argv::bounds;
use crate::catalog::Layout;
use crate::model::{Family, Kind, Param, Scalar, Split};

/// The schema of `param` in a program of `family`.
pub(super) fn property(param: &Param, layout: Layout, family: Family) -> Map<String, Value> {
    let mut schema = Map::new();
    let kind = match &param.kind {
        Kind::Switch => Some("boolean"),
        Kind::Count => Some("integer"),
        Kind::One(scalar) => Some(json_type(scalar)),
        Kind::List(..) => Some("array"),
        Kind::Map(_) => Some("object"),
        Kind::Line => None,
    };
    if let Some(kind) = kind {
        schema.insert("type".to_owned(), json!(kind));
    }
    let description = match layout {
        Layout::Flat => flat_description(param),
        Layout::Nested => nested_description(param),
    };
    if !description.is_empty() {
        schema.insert("description".to_owned(), json!(description));
    }
    match &param.kind {
        Kind::Switch => {}
        Kind::Line => {
            let words = json!([{"type": "array", "items": {"type": "string"}}, {"type": "string"}]);
            schema.insert("anyOf".to_owned(), words);
        }
        Kind::Count => {
            schema.insert("minimum".to_owned(), json!(0));
        }
        Kind::One(scalar) => {
            constrain(&mut schema, scalar, param, layout);
            if layout == Layout::Flat && stands_alone(param, scalar) {
                allow_true(&mut schema);
            }
        }
        Kind::List(scalar, _) => {
            let mut items = Map::new();
            items.insert("type".to_owned(), json!(json_type(scalar)));
            constrain(&mut items, scalar, param, layout);
            schema.insert("items".to_owned(), Value::Object(items));
            if param.required && !param.is_flag() {
                schema.insert("minItems".to_owned(), json!(1));
            }
        }
        Kind::Map(scalar) => {
            let mut values = Map::new();
            values.insert("type".to_owned(), json!(json_type(scalar)));
            constrain(&mut values, scalar, param, layout);
            schema.insert("additionalProperties".to_owned(), Value::Object(values));
        }
    }
    if param.secret.is_some() {
        schema.insert("writeOnly".to_owned(), json!(true));
    } else if let Some(default) = defaults::of(param).or_else(|| zero(param, layout, family)) {
        schema.insert("default".to_owned(), default);
    }
    schema
}

/// Whether `true` is the way to give it without a value, since no value says the same.
fn stands_alone(param: &Param, scalar: &Scalar) -> bool {
    let bare = param.spelling().and_then(|spelling| spelling.bare.as_ref());
    bare.is_some_and(String::is_empty) && *scalar != Scalar::Bool
}

fn allow_true(schema: &mut Map<String, Value>) {
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.clone(), "boolean"]);
    }
    if let Some(Value::Array(choices)) = schema.get_mut("enum") {
        choices.push(json!(true));
    }
}

fn json_type(scalar: &Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "boolean",
        Scalar::Int(_) | Scalar::Uint(_) => "integer",
        Scalar::Float(_) => "number",
        Scalar::String
        | Scalar::Duration
        | Scalar::Time
        | Scalar::Ip
        | Scalar::IpNet
        | Scalar::IpMask
        | Scalar::Hex
        | Scalar::Base64
        | Scalar::Path
        | Scalar::Other(_) => "string",
    }
}

/// Adds what one value must be beyond its JSON type.
fn constrain(schema: &mut Map<String, Value>, scalar: &Scalar, param: &Param, layout: Layout) {
    if !param.choices.is_empty() {
        let choices: Vec<Value> = param
            .choices
            .iter()
            .filter_map(|choice| match scalar {
                Scalar::String | Scalar::Other(_) => Some(json!(choice)),
                _ => defaults::one(scalar, choice),
            })
            .collect();
        schema.insert("enum".to_owned(), Value::Array(choices));
        return;
    }
    let unbounded = layout == Layout::Nested && *scalar == Scalar::IpMask;
    if let Some(pattern) = patterns::of(scalar).filter(|_| !unbounded) {
        schema.insert("pattern".to_owned(), json!(pattern));
    }
    // ophis bounds neither masks nor integers; 64 bits are left to the check, as their digits
    // would cost more in every context than they could ever help.
    let (least, most) = bounds(scalar);
    match (scalar, layout) {
        (Scalar::Uint(64), Layout::Flat) => {
            schema.insert("minimum".to_owned(), json!(0));
        }
        (Scalar::Int(bits) | Scalar::Uint(bits), Layout::Flat) if *bits < 64 => {
            schema.insert("minimum".to_owned(), integer(least));
            schema.insert("maximum".to_owned(), integer(most));
        }
        _ => {}
    }
}

fn integer(number: i128) -> Value {
    i64::try_from(number).map_or(Value::Null, Value::from)
}

/// The default that pflag does not print because it is nothing: what a flag of
/// a built-in type has when no other default is shown.
fn zero(param: &Param, layout: Layout, family: Family) -> Option<Value> {
    if family != Family::Cobra || !param.is_flag() || param.default.is_some() {
        return None;
    }
    match (&param.kind, layout) {
        (Kind::Switch, _) => Some(json!(false)),
        // One default in ten says something; the rest would only cost.
        (_, Layout::Flat) => None,
        (Kind::Count | Kind::One(Scalar::Int(_) | Scalar::Uint(_) | Scalar::Float(_)), _) => {
            Some(json!(0))
        }
        (Kind::One(Scalar::Duration), _) => Some(json!("0s")),
        _ => None,
    }
}

fn flat_description(param: &Param) -> String {
    let mut text = param.text.trim().to_owned();
    if text.is_empty() && !param.is_flag() {
        let name = param.name.trim_matches(['<', '>', '[', ']', '.']);
        let mut chars = name.chars();
        let first = chars.next().map(|char| char.to_ascii_uppercase());
        text = first
            .into_iter()
            .chain(chars)
            .chain(" argument".chars())
            .collect();
    }
    let mut hints: Vec<String> = Vec::new();
    match &param.kind {
        Kind::List(_, Split::Csv | Split::Comma) => hints.push("comma-separated".to_owned()),
        Kind::Map(_) => hints.push("key=value pairs".to_owned()),
        Kind::Count => hints.push("incremental count".to_owned()),
        Kind::Line => {
            hints.push("words in an array, or in one string, quoted as for a shell".to_owned());
        }
        Kind::One(Scalar::Duration) => hints.push("e.g., '5m', '30s'".to_owned()),
        Kind::One(Scalar::Other(name)) if !name.is_empty() && param.choices.is_empty() => {
            hints.push(format!("type: {name}"));
        }
        _ => {}
    }
    if let Some(bare) = param.spelling().and_then(|spelling| spelling.bare.as_ref()) {
        hints.push(match bare.is_empty() {
            true => "true gives it without a value".to_owned(),
            false => format!("{bare:?} if given without a value"),
        });
    }
    if param.secret.is_some() {
        hints.push("secret".to_owned());
    }
    with_hints(text, &hints)
}

fn with_hints(text: String, hints: &[String]) -> String {
    match (text.is_empty(), hints.is_empty()) {
        (_, true) => text,
        (true, false) => format!("({})", hints.join("; ")),
        (false, false) => format!("{text} ({})", hints.join("; ")),
    }
}

/// As ophis words it.
fn nested_description(param: &Param) -> String {
    let hint = match &param.kind {
        Kind::Map(Scalar::Int(_)) => "(format: key-value pairs with integer values)",
        Kind::Map(_) => "(format: key-value pairs)",
        Kind::One(scalar) => match scalar {
            Scalar::Duration => "(format: Go duration string, e.g., '10s', '2h45m')",
            Scalar::Ip => "(format: IPv4 or IPv6 address)",
            Scalar::IpMask => "(format: IP mask, e.g., '255.255.255.0')",
            Scalar::IpNet => "(format: CIDR notation, e.g., '192.168.1.0/24')",
            Scalar::Hex => "(format: hexadecimal string)",
            Scalar::Base64 => "(format: base64 encoded string)",
            Scalar::Time => "(type: time)",
            Scalar::Other(name) => return format!("{} (type: {name})", param.text),
            _ => "",
        },
        _ => "",
    };
    let mut text = param.text.clone();
    for hint in [
        hint,
        if param.secret.is_some() {
            "(secret)"
        } else {
            ""
        },
    ] {
        if !hint.is_empty() {
            text = format!("{text} {hint}");
        }
    }
    text
}
