//! One option as a row or a usage shows it: `-f FILE, --file FILE`, `--x [X ...]`,
//! `--color {auto,never}`, `--verbose, --no-verbose`.

use super::layout::is_option_start;
use crate::model::{Evidence, Fact, Joiner, Kind, Param, Role, Scalar, Spelling, Split};
use crate::sources::usage::tokens::{self, Group};

/// An option's names, and what it prints for its value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Spelled {
    /// With their dashes, in printed order.
    pub names: Vec<String>,
    /// Empty for those that take none.
    pub value: String,
}

/// Reads `left`, which is nothing but an option; nothing where a part of it is no form.
pub(super) fn option(left: &str) -> Option<Spelled> {
    let mut option = Spelled::default();
    let mut rest = left;
    loop {
        if !is_option_start(rest) {
            return None;
        }
        let end = rest
            .find([' ', '=', ',', '['])
            .filter(|end| !rest[*end..].starts_with(",,"))
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        option.names.push(name.trim_end_matches(',').to_owned());
        let (value, next) = match next_form(after) {
            Some(at) => (&after[..at], Some(after[at + 1..].trim_start())),
            None => (after, None),
        };
        let value = match value.strip_prefix("[=") {
            Some(inner) => format!("[{inner}"),
            None => value.trim_start_matches('=').trim().to_owned(),
        };
        // All forms show the same, or since Python 3.13 only the last.
        if !value.is_empty() {
            option.value = value;
        }
        match next {
            Some(next) => rest = next,
            None => return Some(option),
        }
    }
}

/// Where a comma stands that another form follows.
fn next_form(text: &str) -> Option<usize> {
    text.match_indices(", -")
        .map(|(at, _)| at)
        .find(|at| is_option_start(&text[at + 2..]))
}

/// Whether `value` can only be a placeholder, wherever it was printed: words of a
/// sentence cannot.
pub(super) fn is_placeholder(value: &str) -> bool {
    let tokens = tokens::split(value);
    let plain = |text: &str| {
        let (text, _) = tokens::unmarked(text);
        tokens::group(text).is_some()
            || text.starts_with('<')
            || tokens::is_ellipsis(text)
            || !text.chars().any(char::is_lowercase)
    };
    tokens.len() <= 1
        || tokens.iter().all(|token| plain(token.text))
        || tokens.iter().all(|token| token.text == tokens[0].text)
        || tokens[1..]
            .iter()
            .all(|token| token.text.starts_with('[') && token.text.ends_with("...]"))
}

/// What the placeholder says of the values.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The name of one value, without the brackets that count.
    pub name: String,
    /// Several words.
    pub many: bool,
    /// None will do.
    pub optional: bool,
}

/// Reads `X`, `[X]`, `[X ...]`, `[X [X ...]]`, `X [X ...]`, `X X`.
pub(super) fn shape(value: &str) -> Shape {
    let of = |name: &str, many, optional| Shape {
        name: name.to_owned(),
        many,
        optional,
    };
    let parts = tokens::split(value);
    let more = |text: &str| {
        tokens::is_ellipsis(text)
            || matches!(tokens::group(text), Some(Group::Square(inner, _)) if inner.ends_with("..."))
    };
    match parts.as_slice() {
        [] => of("", false, false),
        [one] => match tokens::group(one.text) {
            Some(Group::Square(inner, mark)) if !inner.is_empty() => {
                let inside = shape(inner);
                of(&inside.name, inside.many || !mark.is_empty(), true)
            }
            _ if tokens::is_ellipsis(one.text) => of("args", true, true),
            _ => of(one.text, false, false),
        },
        [first, rest @ ..] => {
            let repeated = rest.iter().all(|it| it.text == first.text || more(it.text));
            let shouted = parts
                .iter()
                .all(|it| !it.text.chars().any(char::is_lowercase) || it.text.starts_with('<'));
            if repeated {
                of(first.text, true, false)
            } else {
                // Two names are two values; a sentence is one.
                of(value, shouted, false)
            }
        }
    }
}

/// The values in `{a,b}`.
pub(super) fn choices_in(name: &str) -> Vec<String> {
    let inner = name
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .filter(|inner| !inner.contains(['{', '}']));
    let values: Vec<String> = inner
        .into_iter()
        .flat_map(|inner| inner.split(','))
        .map(|value| value.trim().to_owned())
        .collect();
    match values.iter().any(String::is_empty) {
        true => Vec::new(),
        false => values,
    }
}

/// The kind of a value of this shape.
pub(super) fn kind(shape: &Shape) -> Kind {
    match shape.many {
        true => Kind::List(Scalar::String, Split::Words),
        false => Kind::One(Scalar::String),
    }
}

impl Spelled {
    pub(super) fn is_help(&self) -> bool {
        self.names.iter().any(|name| name == "--help")
            || self.names == ["-h"] && self.value.is_empty()
    }

    /// The parameter that it is, but for its text.
    pub(super) fn param(&self) -> Param {
        let negative = self.negative();
        let own = || self.names.iter().filter(|name| Some(*name) != negative);
        let longs = || own().filter(|name| name.starts_with("--"));
        let whole = |name: &&String| name.len() > "--abc".len();
        let long = longs()
            .find(whole)
            .or_else(|| longs().next())
            .or_else(|| own().find(|name| name.chars().count() > 2));
        let short = own().find(|name| name.chars().count() == 2 && *name != "--");
        let name = long
            .or(short)
            .map_or("", |name| name.trim_start_matches('-'));
        let shape = shape(&self.value);
        let mut param = Param::flag(
            name,
            match self.value.is_empty() {
                true => Kind::Switch,
                false => kind(&shape),
            },
        );
        param.role = Role::Flag(Spelling {
            long: long.cloned(),
            short: short.cloned(),
            joiner: match long {
                Some(_) => Joiner::Equals,
                None => Joiner::Space,
            },
            bare: shape.optional.then(String::new),
            negative: negative.cloned(),
            ..Spelling::default()
        });
        param.from.note(Fact::Name, Evidence::Help);
        param.from.note(Fact::Type, Evidence::Help);
        if !self.value.is_empty() {
            param.choices = choices_in(&shape.name);
            param.value_name = Some(shape.name);
        }
        if !param.choices.is_empty() {
            param.from.note(Fact::Choices, Evidence::Help);
        }
        param
    }

    /// `--no-x` beside `--x`, the two positions of one switch.
    fn negative(&self) -> Option<&String> {
        if !self.value.is_empty() {
            return None;
        }
        self.names.iter().find(|name| {
            let positive = name.strip_prefix("--no-").map(|rest| format!("--{rest}"));
            positive.is_some_and(|positive| self.names.contains(&positive))
        })
    }
}

/// Gives `param` its text, without what its end says of default and variable.
pub(super) fn take_tags(param: &mut Param, text: &str) {
    let mut text = text.trim();
    while let Some((before, tag)) = last_tag(text) {
        let Some((name, value)) = tag.split_once([':', '=']) else {
            break;
        };
        let value = value.trim();
        match name.trim().to_lowercase().as_str() {
            "default" | "default value" if param.default.is_none() => {
                set_default(param, value);
            }
            "env" | "env var" | "environment variable" if is_variable(value) => {
                param.env = Some(value.trim_start_matches('$').to_owned());
            }
            _ => break,
        }
        text = before.trim_end();
    }
    text.clone_into(&mut param.text);
    let opening = text.trim_start_matches(['(', '[', '*']).to_lowercase();
    if opening.starts_with("deprecated") {
        param.deprecated = Some(text.to_owned());
    }
    take_repetition(param);
}

/// `(default: 3)` at the end of `text`, and what stands before it.
fn last_tag(text: &str) -> Option<(&str, &str)> {
    let (body, open) = match text.trim_end_matches('.') {
        body if body.ends_with(')') => (body, '('),
        body if body.ends_with(']') => (body, '['),
        _ => return None,
    };
    let close = body.chars().next_back()?;
    let mut depth = 0usize;
    for (at, c) in body.char_indices().rev() {
        if c == close {
            depth += 1;
        } else if c == open {
            depth -= 1;
            if depth == 0 {
                return Some((&body[..at], &body[at + 1..body.len() - 1]));
            }
        }
    }
    None
}

fn set_default(param: &mut Param, value: &str) {
    let unquoted = ['\'', '"']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(value);
    param.default = match (&param.kind, unquoted) {
        (_, "None" | "" | "[]" | "==SUPPRESS==") => None,
        (Kind::Switch, "True" | "true") => Some("true".to_owned()),
        (Kind::Switch | Kind::Count, _) => None,
        (_, value) => Some(value.to_owned()),
    };
    if param.default.is_some() {
        param.from.note(Fact::Default, Evidence::Help);
    }
}

fn is_variable(text: &str) -> bool {
    let name = text.trim_start_matches('$');
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// That an option may be given again is nowhere to be seen but in texts that say so.
pub(in crate::sources::families) fn take_repetition(param: &mut Param) {
    const SAID: &[&str] = &[
        "multiple times",
        "more than once",
        "several times",
        "repeatable",
        "can be repeated",
        "may be repeated",
        "be used up to",
        "additive",
    ];
    if !param.is_flag() {
        return;
    }
    let text = param.text.to_lowercase();
    let denied = text.contains("not be") || text.contains("cannot") || text.contains("not repeat");
    if denied || !SAID.iter().any(|phrase| text.contains(phrase)) {
        return;
    }
    match &param.kind {
        Kind::Switch if param.spelling().is_some_and(|it| it.negative.is_none()) => {
            param.kind = Kind::Count;
            param.default = None;
        }
        Kind::One(scalar) if param.spelling().is_some_and(|it| it.bare.is_none()) => {
            param.kind = Kind::List(scalar.clone(), Split::Repeat);
        }
        _ => {}
    }
}
