//! What the printed line of a flag says about its type, and what it leaves open.

use crate::model::{Evidence, Kind, Scalar, Split};
use crate::sources::help::{ListedFlag, Style};

use super::{Doubt, Typing};
use crate::sources::cobra::flags::Flag;

pub(in crate::sources::cobra) fn from_text(style: Style, flag: &Flag) -> (Typing, Doubt) {
    let mut typing = Typing {
        kind: Kind::Switch,
        kind_from: Evidence::Help,
        bare: None,
        bare_from: Evidence::Help,
        choices: Vec::new(),
        guessed: false,
    };
    let mut doubt = Doubt::default();
    let Some(listed) = &flag.listed else {
        // Free text works for any type: `--f=true`, `--f=5`.
        typing.kind = Kind::One(Scalar::String);
        typing.kind_from = Evidence::Convention;
        typing.guessed = true;
        doubt.kind = true;
        doubt.needs_value = true;
        return (typing, doubt);
    };
    typing.bare.clone_from(&listed.bare);
    match style {
        Style::Kubernetes | Style::Etcd => untyped(style, listed, &mut typing, &mut doubt),
        // A manual is written by hand: its words are no type names.
        Style::Other if flag.offered.is_some() => {
            if listed.value_name.is_some() {
                typing.kind = Kind::One(Scalar::String);
            }
            typing.kind_from = Evidence::Convention;
            doubt.kind = true;
            doubt.needs_value = true;
        }
        Style::Cobra | Style::Gh | Style::Other => typed(flag, listed, &mut typing, &mut doubt),
    }
    if matches!(
        typing.kind,
        Kind::One(Scalar::String) | Kind::List(Scalar::String, _)
    ) {
        doubt.choices = hints_choices(&listed.text);
    }
    (typing, doubt)
}

/// A line of pflag's own: a type name or a placeholder, or none for a switch.
fn typed(flag: &Flag, listed: &ListedFlag, typing: &mut Typing, doubt: &mut Doubt) {
    let usage = flag.offered.as_ref().map(|flag| flag.text.as_str());
    let placeholder = usage.and_then(back_quoted);
    let default_is_bool = matches!(
        listed.default.as_deref(),
        None | Some("true" | "false" | "")
    );
    match listed.value_name.as_deref() {
        // Empty back-quotes hide the type name, and a type may have no name.
        None if placeholder == Some("") || !default_is_bool || listed.default_quoted => {
            typing.kind = by_default(listed).unwrap_or(Kind::One(Scalar::String));
            typing.kind_from = Evidence::Convention;
            doubt.kind = true;
            doubt.needs_value = true;
        }
        None => {
            typing.kind = Kind::Switch;
            doubt.switch = true;
        }
        Some(word) if placeholder == Some(word) => {
            typing.kind = by_default(listed).unwrap_or(Kind::One(Scalar::String));
            typing.kind_from = Evidence::Convention;
            doubt.kind = true;
        }
        Some(word) => {
            if let Some(kind) = builtin(word) {
                typing.kind = kind;
            } else if let Some(kind) = container(word) {
                typing.kind = kind;
                typing.kind_from = Evidence::Convention;
            } else {
                typing.kind =
                    by_default(listed).unwrap_or(Kind::One(Scalar::Other(word.to_owned())));
                typing.kind_from = Evidence::Convention;
                doubt.kind = true;
            }
        }
    }
}

/// A template without type names, where the default is the only evidence. Quotes
/// around it mean that the type's name is `string`.
fn untyped(style: Style, listed: &ListedFlag, typing: &mut Typing, doubt: &mut Doubt) {
    if listed.default_quoted {
        typing.kind = Kind::One(Scalar::String);
        doubt.optional = style == Style::Kubernetes;
        return;
    }
    typing.kind_from = Evidence::Convention;
    match by_default(listed) {
        Some(Kind::One(Scalar::Bool)) => {
            typing.kind = Kind::Switch;
            typing.bare = None;
            doubt.switch = true;
        }
        Some(kind @ Kind::One(Scalar::Duration)) => typing.kind = kind,
        Some(kind) => {
            typing.kind = kind;
            doubt.kind = true;
            doubt.needs_value = true;
        }
        None => {
            typing.kind = Kind::One(Scalar::String);
            doubt.kind = true;
            doubt.needs_value = true;
        }
    }
}

/// What an unquoted default looks like: pflag quotes those of strings.
fn by_default(listed: &ListedFlag) -> Option<Kind> {
    let default = listed.default.as_deref()?;
    if listed.default_quoted {
        return Some(Kind::One(Scalar::String));
    }
    Some(match default {
        "true" | "false" => Kind::One(Scalar::Bool),
        list if list.starts_with('[') && list.ends_with(']') => {
            Kind::List(Scalar::String, Split::Csv)
        }
        number if number.parse::<i64>().is_ok() => Kind::One(Scalar::Int(64)),
        number if number.contains('.') && number.parse::<f64>().is_ok() => {
            Kind::One(Scalar::Float(64))
        }
        duration if is_duration(duration) => Kind::One(Scalar::Duration),
        _ => return None,
    })
}

/// `5m0s`, as Go prints durations.
fn is_duration(text: &str) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        let number = rest.trim_start_matches(|char: char| char.is_ascii_digit() || char == '.');
        if number.len() == rest.len() {
            return false;
        }
        let Some(after) = ["ns", "us", "µs", "ms", "s", "m", "h"]
            .iter()
            .filter_map(|unit| number.strip_prefix(unit))
            .find(|after| {
                after.is_empty() || after.starts_with(|char: char| char.is_ascii_digit())
            })
        else {
            return false;
        };
        rest = after;
    }
    !text.is_empty()
}

/// The first back-quoted word of a usage text, which pflag prints in place of the
/// type name.
pub(in crate::sources::cobra) fn back_quoted(usage: &str) -> Option<&str> {
    let (_, rest) = usage.split_once('`')?;
    rest.split_once('`').map(|(word, _)| word)
}

/// pflag's own type names, as its help prints them.
pub(in crate::sources) fn builtin(word: &str) -> Option<Kind> {
    use Scalar::{Base64, Bool, Duration, Float, Hex, Int, Ip, IpMask, IpNet, String, Time, Uint};
    let list = |of| Kind::List(of, Split::Comma);
    Some(match word {
        "string" => Kind::One(String),
        "strings" | "stringSlice" => Kind::List(String, Split::Csv),
        "stringArray" => Kind::List(String, Split::Repeat),
        "int" | "int64" => Kind::One(Int(64)),
        "int8" => Kind::One(Int(8)),
        "int16" => Kind::One(Int(16)),
        "int32" => Kind::One(Int(32)),
        "uint" | "uint64" => Kind::One(Uint(64)),
        "uint8" => Kind::One(Uint(8)),
        "uint16" => Kind::One(Uint(16)),
        "uint32" => Kind::One(Uint(32)),
        "float" | "float64" => Kind::One(Float(64)),
        "float32" => Kind::One(Float(32)),
        "ints" | "intSlice" | "int64Slice" => list(Int(64)),
        "int32Slice" => list(Int(32)),
        "uints" | "uintSlice" => list(Uint(64)),
        "float32Slice" => list(Float(32)),
        "float64Slice" => list(Float(64)),
        "bools" | "boolSlice" => list(Bool),
        "duration" => Kind::One(Duration),
        "durationSlice" => list(Duration),
        "count" => Kind::Count,
        "stringToString" => Kind::Map(String),
        "stringToInt" | "stringToInt64" => Kind::Map(Int(64)),
        "ip" => Kind::One(Ip),
        "ipSlice" => list(Ip),
        "ipMask" => Kind::One(IpMask),
        "ipNet" => Kind::One(IpNet),
        "ipNetSlice" => list(IpNet),
        "bytesHex" => Kind::One(Hex),
        "bytesBase64" => Kind::One(Base64),
        "time" => Kind::One(Time),
        _ => return None,
    })
}

/// Type names that docker's family gives to what may be given several times, one
/// value each.
fn container(word: &str) -> Option<Kind> {
    match word {
        "list" | "map" => Some(Kind::List(Scalar::String, Split::Repeat)),
        "filter" => Some(Kind::List(Scalar::Other(word.to_owned()), Split::Repeat)),
        _ => None,
    }
}

/// Whether `text` seems to list the values of a flag. Only a reason to ask.
fn hints_choices(text: &str) -> bool {
    let lower = text.to_lowercase();
    braced(text).is_some()
        || [
            "one of",
            "valid values",
            "valid options",
            "allowed values",
            "supported values",
            "possible values",
            "must be",
        ]
        .iter()
        .any(|mark| lower.contains(mark))
        || text.split_whitespace().any(|word| {
            let word = word.trim_matches(['(', ')', '[', ']', '.', ',', '"', '\'']);
            word.split('|').count() > 1 && word.split('|').all(|part| !part.is_empty())
        })
}

/// gh's convention: the values in braces at the end of the text.
pub(in crate::sources::cobra) fn braced(text: &str) -> Option<Vec<String>> {
    let (_, rest) = text.rsplit_once('{')?;
    let (body, _) = rest.split_once('}')?;
    alternatives(body)
}

/// `a|b|c`
pub(in crate::sources::cobra) fn alternatives(text: &str) -> Option<Vec<String>> {
    let parts: Vec<String> = text.split('|').map(|part| part.trim().to_owned()).collect();
    let plausible = parts.len() > 1
        && parts.iter().all(|part| {
            !part.is_empty() && !part.contains(['<', '>', '[', ']', '{', '}', '.', ':', '='])
        });
    plausible.then_some(parts)
}
