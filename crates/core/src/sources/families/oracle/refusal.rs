//! What a parser says about a value that it does not take.

use super::Dialect;
use crate::model::Scalar;

/// A refusal, as far as it says why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It takes only these.
    Values(Vec<String>),
    /// It takes values of this type. Whole numbers are all called [`Scalar::Int`].
    Type(Scalar),
    /// It takes no value.
    NoValue,
    /// There is no such flag.
    Unknown,
    /// It was given already.
    Twice,
    /// The value is not to its liking.
    Other,
}

/// The refusal in `text`, the standard error of a program that speaks `dialect`.
pub(super) fn read(dialect: Dialect, text: &str) -> Option<Refusal> {
    match dialect {
        Dialect::Clap => clap(text),
        Dialect::Argparse => argparse(text),
        Dialect::Gnu => gnu(text),
    }
}

fn clap(text: &str) -> Option<Refusal> {
    let text = crate::sources::help::text::plain(text);
    let at = text.find("error: ")?;
    let (line, rest) = text[at + 7..]
        .split_once('\n')
        .unwrap_or((&text[at + 7..], ""));
    let has = |part: &str| line.to_lowercase().contains(part);
    if has("unexpected value") || has("wasn't expecting any more values") {
        return Some(Refusal::NoValue);
    }
    if has("unexpected argument") || has("which wasn't expected") {
        return Some(Refusal::Unknown);
    }
    if has("cannot be used multiple times") || has("more than once") {
        return Some(Refusal::Twice);
    }
    // clap's own two-value refusals of `--x=1`.
    if has("values required") || has("values are required") || has("equal sign is needed") {
        return Some(Refusal::Other);
    }
    let refused = has("invalid value") || has("isn't a valid value");
    if !refused {
        // A parser of the program's own, whose error clap prints.
        let closes = |line: &str| {
            line.starts_with("For more information")
                && line.contains("try")
                && line.contains("--help")
        };
        return rest.lines().any(closes).then_some(Refusal::Other);
    }
    if let Some(values) = listed(rest, "[possible values: ", ']') {
        return Some(Refusal::Values(values));
    }
    Some(if has("invalid digit found in string") {
        Refusal::Type(Scalar::Int(64))
    } else if has("invalid float literal") {
        Refusal::Type(Scalar::Float(64))
    } else if has("provided string was not `true` or `false`") {
        Refusal::Type(Scalar::Bool)
    } else {
        Refusal::Other
    })
}

fn argparse(text: &str) -> Option<Refusal> {
    let line = text
        .lines()
        .rfind(|line| line.contains("error: argument "))?;
    let (_, reason) = line.split_once("error: argument ")?;
    let has = |part: &str| reason.contains(part);
    if has("ignored explicit argument") {
        return Some(Refusal::NoValue);
    }
    if has("invalid choice: ") {
        let values = listed(reason, "(choose from ", ')');
        return Some(values.map_or(Refusal::Other, Refusal::Values));
    }
    Some(if has(": invalid int value: ") {
        Refusal::Type(Scalar::Int(64))
    } else if has(": invalid float value: ") {
        Refusal::Type(Scalar::Float(64))
    } else {
        Refusal::Other
    })
}

/// `Valid arguments are:` and a line for each value with its other names.
fn gnu(text: &str) -> Option<Refusal> {
    let mut lines = text.lines();
    let head = lines.next()?;
    if lines.next().map(str::trim) == Some("Valid arguments are:") {
        let rows = lines.map_while(|line| line.strip_prefix("  - "));
        let values: Vec<String> = rows
            .flat_map(|row| row.split(", "))
            .map(|name| name.trim_matches(['\'', '‘', '’', '`', '"']).to_owned())
            .collect();
        return Some(match values.is_empty() {
            true => Refusal::Other,
            false => Refusal::Values(values),
        });
    }
    if head.contains("doesn't allow an argument") {
        return Some(Refusal::NoValue);
    }
    if head.contains("unrecognized option") {
        return Some(Refusal::Unknown);
    }
    // The program's name, and a complaint.
    let complaint = head.split_once(": ").map(|(_, rest)| rest.to_lowercase());
    complaint
        .filter(|it| it.contains("invalid") || it.contains("ambiguous") || it.contains("unknown"))
        .map(|_| Refusal::Other)
}

/// The values between `open` and `close`, with quotes around them or without.
fn listed(text: &str, open: &str, close: char) -> Option<Vec<String>> {
    let (_, list) = text.split_once(open)?;
    let end = list.rfind(close)?;
    let list = match close {
        // Other sentences may follow in further lines.
        ']' => list.split(close).next()?,
        _ => &list[..end],
    };
    let values: Vec<String> = list
        .split(", ")
        .map(|value| value.trim().trim_matches(['\'', '"']).to_owned())
        .collect();
    let whole = |value: &String| !value.is_empty() && !value.contains("...");
    values.iter().all(whole).then_some(values)
}
