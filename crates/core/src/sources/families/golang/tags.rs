//! What Go's parsers add to a text: `(default: x)`, `(default "x")`, `[$VARIABLE]`.

use crate::model::{Evidence, Fact, Kind, Param, Role, Scalar, Split};

/// Takes a default at the end of the text, between `open` and a bracket: `(default: x)`.
pub(super) fn take_default(flag: &mut Param, open: &str) {
    let Some(start) = flag.text.rfind(open) else {
        return;
    };
    let after = &flag.text[start + open.len()..];
    let Some(value) = after.strip_suffix(')') else {
        return;
    };
    let quoted = value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    let value = quoted.unwrap_or(value);
    let nothing = matches!(value, "" | "[]") || flag.kind == Kind::Switch && value == "false";
    flag.default = (!nothing).then(|| value.to_owned());
    if flag.default.is_some() {
        flag.from.note(Fact::Default, Evidence::Help);
    }
    let text = flag.text[..start].trim_end().to_owned();
    flag.text = text;
}

/// Takes variables at the end of the text, between `open` and `close`.
pub(super) fn take_variables(flag: &mut Param, open: &str, close: char) {
    let Some(start) = flag.text.rfind(&format!("{open}$")) else {
        return;
    };
    let Some(inner) = flag.text[start + open.len()..].strip_suffix(close) else {
        return;
    };
    let names: Vec<&str> = inner.split(", ").collect();
    let plain = |name: &&str| {
        name.strip_prefix('$')
            .is_some_and(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
    };
    if !names.iter().all(plain) {
        return;
    }
    flag.env = names
        .first()
        .map(|name| name.trim_start_matches('$').to_owned());
    let text = flag.text[..start].trim_end().to_owned();
    flag.text = text;
}

/// The type that Go's parsers print a placeholder for.
pub(super) fn scalar(placeholder: &str) -> Option<Scalar> {
    Some(match placeholder {
        "int" => Scalar::Int(64),
        "uint" => Scalar::Uint(64),
        "float" => Scalar::Float(64),
        "duration" => Scalar::Duration,
        _ => return None,
    })
}

/// Gives a switch that is on unless told otherwise the form that says so.
pub(super) fn switch_off(flag: &mut Param) {
    let on = flag.kind == Kind::Switch && flag.default.as_deref() == Some("true");
    if let Role::Flag(spelling) = &mut flag.role
        && on
        && spelling.negative.is_none()
        && let Some(name) = spelling.long.as_ref().or(spelling.short.as_ref())
    {
        spelling.negative = Some(format!("{name}=false"));
    }
}

/// Makes a list of a flag whose text says that it may be given several times.
pub(super) fn repeat(flag: &mut Param) {
    let text = flag.text.to_lowercase();
    let says = [
        "more than once",
        "multiple times",
        "can be repeated",
        "may be repeated",
        "be used multiple",
    ];
    if let Kind::One(scalar) = &flag.kind
        && says.iter().any(|phrase| text.contains(phrase))
    {
        flag.kind = Kind::List(scalar.clone(), Split::Repeat);
    }
}
