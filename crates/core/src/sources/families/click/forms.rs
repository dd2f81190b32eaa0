//! One option as a row shows it: `-p, --port INTEGER RANGE`, `--debug / --no-debug`,
//! and what the end of its text says: `[env var: X; default: 80; required]`.

use super::super::argparse::{is_option_start, take_repetition};
use crate::model::{Evidence, Fact, Joiner, Kind, Param, Role, Scalar, Spelling, Split};

/// An option's names and what it prints for its value.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Spelled {
    /// With their dashes.
    pub names: Vec<String>,
    /// What switches it off.
    pub negatives: Vec<String>,
    pub value: String,
}

/// Reads `left`, which is nothing but an option; nothing where a part of it is no form.
pub(super) fn option(left: &str) -> Option<Spelled> {
    let mut option = Spelled::default();
    let mut rest = left.trim();
    let mut off = false;
    loop {
        if !is_option_start(rest) || rest.contains('…') {
            return None;
        }
        let end = rest.find([' ', ',', '=', ';']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        match off {
            true => option.negatives.push(name.to_owned()),
            false => option.names.push(name.to_owned()),
        }
        let again = after
            .strip_prefix(", ")
            .or_else(|| after.strip_prefix(','))
            .filter(|next| is_option_start(next));
        let opposite = [" / ", "; ", " ; "]
            .iter()
            .find_map(|mark| after.strip_prefix(mark))
            .filter(|next| is_option_start(next));
        match (again, opposite) {
            (Some(next), _) => rest = next,
            (None, Some(next)) => (off, rest) = (true, next),
            (None, None) => {
                after
                    .trim_start_matches('=')
                    .trim()
                    .clone_into(&mut option.value);
                break;
            }
        }
    }
    is_placeholder(&option.value).then_some(option)
}

/// Words of a sentence are none.
fn is_placeholder(value: &str) -> bool {
    let bracketed = value.starts_with(['[', '<', '{']);
    let shouted = !value.chars().any(char::is_lowercase);
    bracketed || shouted || value.split_whitespace().count() <= 3
}

/// What a metavar says.
#[derive(Debug, PartialEq, Eq)]
struct Meaning {
    kind: Kind,
    choices: Vec<String>,
}

/// Reads a metavar: `INTEGER RANGE`, `[a|b]`, `<TEXT INTEGER>...`.
fn meaning(value: &str) -> Meaning {
    let (one, many) = match value.strip_suffix("...").or(value.strip_suffix('…')) {
        Some(one) => (one.trim_end(), true),
        None => (value, false),
    };
    // rich-click shows the range behind the type.
    let one = match one.split_once(" [") {
        Some((name, range)) if is_range(range.trim_end_matches(']')) => name,
        _ => one,
    };
    let choices = choices(one);
    let inside = one
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    let tuple = inside.is_some_and(|inside| {
        inside.contains(' ')
            && !inside.chars().any(char::is_lowercase)
            && !inside.ends_with(" RANGE")
    });
    let scalar = match inside.unwrap_or(one) {
        "INTEGER" | "INTEGER RANGE" | "int" | "int range" | "integer" => Scalar::Int(64),
        "FLOAT" | "FLOAT RANGE" | "float" | "float range" => Scalar::Float(64),
        "BOOLEAN" | "boolean" | "bool" => Scalar::Bool,
        _ => Scalar::String,
    };
    let kind = match many || tuple {
        true => Kind::List(if tuple { Scalar::String } else { scalar }, Split::Words),
        false => Kind::One(scalar),
    };
    Meaning { kind, choices }
}

/// The values in `[a|b]`, or in `{a|b}` of an argument.
pub(super) fn choices(value: &str) -> Vec<String> {
    let inner = [('[', ']'), ('{', '}'), ('<', '>')]
        .iter()
        .find_map(|(open, close)| value.strip_prefix(*open)?.strip_suffix(*close))
        .filter(|inner| inner.contains('|') && !inner.contains(['[', ']', '{', '}']));
    // `[%Y-%m-%d|%Y]` are the ways to write a time.
    let Some(inner) = inner.filter(|inner| !inner.contains('%')) else {
        return Vec::new();
    };
    let values: Vec<String> = inner
        .split('|')
        .map(|value| value.trim().to_owned())
        .collect();
    match values
        .iter()
        .any(|value| value.is_empty() || value.contains("..."))
    {
        true => Vec::new(),
        false => values,
    }
}

impl Spelled {
    /// The parameter that it is, but for its text.
    pub(super) fn param(&self) -> Param {
        let longs = || self.names.iter().filter(|name| name.starts_with("--"));
        let whole = |name: &&String| name.len() > "--abc".len();
        let long = longs()
            .find(whole)
            .or_else(|| longs().next())
            .or_else(|| self.names.iter().find(|name| name.chars().count() > 2));
        let short = self.names.iter().find(|name| name.chars().count() == 2);
        let name = long
            .or(short)
            .map_or("", |name| name.trim_start_matches('-'));
        let mut param = Param::flag(name, Kind::Switch);
        let negative = self
            .negatives
            .iter()
            .find(|name| name.starts_with("--"))
            .or(self.negatives.first());
        param.role = Role::Flag(Spelling {
            long: long.cloned(),
            short: short.cloned(),
            joiner: match long {
                Some(long) if long.starts_with("--") => Joiner::Equals,
                _ => Joiner::Space,
            },
            negative: negative.cloned(),
            ..Spelling::default()
        });
        param.from.note(Fact::Name, Evidence::Help);
        param.from.note(Fact::Type, Evidence::Help);
        if !self.value.is_empty() {
            set_value(&mut param, &self.value);
        }
        param
    }
}

/// Gives `param` the type and the choices that its metavar shows.
pub(super) fn set_value(param: &mut Param, value: &str) {
    let meaning = meaning(value);
    param.kind = meaning.kind;
    param.choices = meaning.choices;
    param.value_name = Some(value.to_owned());
    if !param.choices.is_empty() {
        param.from.note(Fact::Choices, Evidence::Help);
    }
}

/// Gives an argument the type that its row shows behind its name.
pub(super) fn take_value(param: &mut Param, left: &str) {
    let Some((_, value)) = left.split_once(' ') else {
        return;
    };
    let meaning = meaning(value.trim());
    let (Kind::One(scalar) | Kind::List(scalar, _)) = meaning.kind else {
        return;
    };
    match &mut param.kind {
        Kind::One(own) | Kind::List(own, _) => *own = scalar,
        Kind::Switch | Kind::Count | Kind::Map(_) | Kind::Line => {}
    }
    if param.choices.is_empty() && !meaning.choices.is_empty() {
        param.choices = meaning.choices;
        param.from.note(Fact::Choices, Evidence::Help);
    }
}

/// Gives `param` its text, without what the brackets at its end say.
pub(super) fn take_tags(param: &mut Param, text: &str) {
    let mut text = text.trim();
    let mut kept: Vec<String> = Vec::new();
    while let Some(body) = text.strip_suffix(']')
        && let Some(open) = opening(body)
    {
        let Some(left) = tags(param, &body[open + 1..]) else {
            break;
        };
        kept.extend(left);
        text = body[..open].trim_end();
    }
    text.clone_into(&mut param.text);
    kept.reverse();
    for range in kept {
        let separator = if param.text.is_empty() { "" } else { " " };
        param.text.push_str(&format!("{separator}[{range}]"));
    }
    // click puts it before a deprecated option's text or behind it.
    let lower = param.text.to_lowercase();
    if lower.contains("(deprecated") || lower.starts_with("deprecated") {
        param.deprecated = Some(param.text.clone());
    }
    take_repetition(param);
}

/// Where the bracket opens that closes at the end of `text` (which lacks it).
fn opening(text: &str) -> Option<usize> {
    let mut depth = 1usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ']' => depth += 1,
            '[' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Reads `env var: X; default: 80; 1<=x<=5; required`; gives what stays in the text, or
/// nothing at all where these are other words.
fn tags(param: &mut Param, inside: &str) -> Option<Vec<String>> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for part in inside.split("; ") {
        let part = part.trim().trim_end_matches(';');
        let (name, value) = match part.split_once(':') {
            Some((name, value)) => (name.trim().to_lowercase(), value.trim().to_owned()),
            None => (part.to_lowercase(), String::new()),
        };
        match name.as_str() {
            "default" | "env var" | "env vars" | "env" => parts.push((name, value)),
            "required" if value.is_empty() => parts.push((name, value)),
            _ if is_range(part) => parts.push(("range".to_owned(), part.to_owned())),
            // A default may hold a semicolon.
            _ => match parts.last_mut() {
                Some((name, value)) if name == "default" => {
                    value.push_str("; ");
                    value.push_str(part);
                }
                _ => return None,
            },
        }
    }
    let mut ranges = Vec::new();
    for (name, value) in parts {
        match name.as_str() {
            "default" => set_default(param, &value),
            "required" => {
                param.required = true;
                param.from.note(Fact::Required, Evidence::Help);
            }
            "range" => ranges.push(value),
            _ => {
                let first = value.split([',', '/', ' ']).next().unwrap_or_default();
                let first = first.trim_matches(['`', '$']);
                if !first.is_empty() {
                    param.env = Some(first.to_owned());
                }
            }
        }
    }
    Some(ranges)
}

fn is_range(text: &str) -> bool {
    (text.starts_with("x>")
        || text.starts_with("x<")
        || text.contains("<=x")
        || text.contains("<x"))
        && !text.contains(' ')
}

fn set_default(param: &mut Param, value: &str) {
    let unquoted = ['\'', '"']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(value);
    let own = param.spelling().and_then(|it| it.long.clone());
    let is_own = own.is_some_and(|long| long.trim_start_matches('-') == unquoted);
    param.default = match (&param.kind, unquoted) {
        (_, "None" | "") => None,
        // `(current folder)` tells where it comes from, not what it is.
        (_, text) if text.starts_with('(') && text.ends_with(')') => None,
        (Kind::Switch, "True" | "true") => Some("true".to_owned()),
        (Kind::Switch, _) if is_own => Some("true".to_owned()),
        (Kind::Switch | Kind::Count, _) => None,
        (_, text) => Some(text.to_owned()),
    };
    if param.default.is_some() {
        param.from.note(Fact::Default, Evidence::Help);
    }
}
