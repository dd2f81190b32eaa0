//! `arg` and `flag`: one parameter each.

use std::collections::BTreeSet;

use super::checks;
use super::fault::{Fault, Sort, Span};
use super::fields::{self, Faults, Field, Fields, Form, Known, either};
use super::syntax::{Entry, Node, Value};
use super::types;
use crate::model::{Effect, Evidence, Fact, Joiner, Kind, Param, Role, Scalar, Secret, Spelling};

/// Places of positionals; nobody means more.
const MOST_POSITION: u64 = 255;
/// Repetitions of a counted flag that a default may ask for, as a call may.
const MOST_COUNTS: i128 = 100;
/// Words of a command's path.
const MOST_WORDS: u64 = 32;
/// Values of an `enum`.
const MOST_CHOICES: usize = 1000;

const ARG: Known = Known {
    once: &[
        "description",
        "required",
        "position",
        "type",
        "items",
        "default",
        "enum",
        "program_default",
        "value_name",
    ],
    often: &[],
    form: Form::Either,
};

const FLAG: Known = Known {
    once: &[
        "description",
        "short",
        "long",
        "type",
        "items",
        "joiner",
        "required",
        "default",
        "enum",
        "separator",
        "repeat",
        "secret",
        "env",
        "stdin",
        "hidden",
        "deprecated",
        "effect",
        "split",
        "negative",
        "bare",
        "program_default",
        "value_name",
        "after_words",
    ],
    often: &[],
    form: Form::Either,
};

/// The `effect` words.
pub(crate) const EFFECTS: [(&str, Effect); 3] = [
    ("read", Effect::Read),
    ("write", Effect::Write),
    ("destructive", Effect::Destructive),
];

/// The `effect` that takes back what a command above says, and that a flag may have
/// whose effect nobody knows.
pub(crate) const NO_EFFECT: [(&str, Effect); 1] = [("unknown", Effect::Unknown)];

/// A parameter and where it was named.
pub(crate) struct Named {
    pub param: Param,
    pub span: Span,
    /// The place that a positional asks for.
    pub position: Option<(usize, Span)>,
}

/// One `arg`.
pub(crate) fn arg(node: &Node, faults: &mut Faults) -> Option<Named> {
    let (name, span) = parameter_name(node, faults)?;
    let fields = Fields::of(node, &ARG, faults);
    let kind = types::of_arg(&fields, faults).unwrap_or(Kind::One(Scalar::String));
    only_with_array(&fields, &["items"], &kind, faults);
    let mut param = Param::positional(name, kind);
    describe(&mut param, &fields, faults);
    let place = fields.integer("position", "a place", 0..=MOST_POSITION, faults);
    let position = place
        .and_then(|place| usize::try_from(place).ok())
        .zip(fields.span("position"));
    Some(Named {
        param,
        span,
        position,
    })
}

/// One `flag`.
pub(crate) fn flag(node: &Node, faults: &mut Faults) -> Option<Named> {
    let (name, span) = parameter_name(node, faults)?;
    let fields = Fields::of(node, &FLAG, faults);
    let mut spelling = spelling(name, &fields, faults);
    let kind = match types::of_flag(&fields, &mut spelling, faults) {
        Some(kind) => kind,
        // A flag with a secret has a value, whether that is said or not.
        None if !fields.has("type") && fields.has("secret") => Kind::One(Scalar::String),
        None => Kind::Switch,
    };
    let arrays = ["items", "repeat", "separator", "split"];
    only_with_array(&fields, &arrays, &kind, faults);
    spelling.joiner = joiner(&kind, &spelling, &fields, faults);
    forms(&mut spelling, &kind, &fields, faults);
    let mut param = Param {
        role: Role::Flag(spelling),
        ..Param::flag(name, kind)
    };
    describe(&mut param, &fields, faults);
    param.hidden = fields.flag("hidden", faults).unwrap_or(false);
    param.deprecated = fields
        .text("deprecated", faults)
        .map(|(why, _)| why.to_owned());
    // Reading raises nothing.
    param.effect = fields.choice_of("effect", &EFFECTS[1..], &NO_EFFECT, faults);
    param.secret = secret(&param, &fields, faults);
    if let (true, true, Some(span)) = (param.hidden, param.required, fields.span("hidden")) {
        let message = format!("`{name}` is required: hidden, nobody could give it");
        faults.add(Fault::new(Sort::Conflict, span, message));
    }
    Some(Named {
        param,
        span,
        position: None,
    })
}

fn parameter_name<'a>(node: &'a Node, faults: &mut Faults) -> Option<(&'a str, Span)> {
    let (name, span) = fields::name_of(node, faults)?;
    checks::name(&node.name.text, name, span, faults).then_some((name, span))
}

/// What `arg` and `flag` have in common.
fn describe(param: &mut Param, fields: &Fields<'_>, faults: &mut Faults) {
    param.from.note(Fact::Name, Evidence::Definition);
    param.from.note(Fact::Type, Evidence::Definition);
    if let Some((text, _)) = fields.text("description", faults) {
        param.text = text.trim().to_owned();
        param.from.note(Fact::Text, Evidence::Definition);
    }
    if let Some(required) = fields.flag("required", faults) {
        param.required = required;
        param.from.note(Fact::Required, Evidence::Definition);
    }
    if let Some(field) = fields.get("enum") {
        param.choices = choices(&param.kind, field, faults);
        param.from.note(Fact::Choices, Evidence::Definition);
    }
    if let Some((name, _)) = fields.text("value_name", faults) {
        param.value_name = Some(name.to_owned());
    }
    if let (Some(text), false) = (
        fields.value_text("program_default", faults),
        fields.has("default"),
    ) {
        param.default = Some(text);
        param.from.note(Fact::Default, Evidence::Definition);
    }
    if let Some(field) = fields.get("default") {
        param.default = default(param, field, faults);
        param.inject_default = param.default.is_some();
        param.from.note(Fact::Default, Evidence::Definition);
        if param.required {
            let message = format!(
                "`{}` is required: its default would never be used",
                param.name
            );
            let fault = Fault::new(Sort::Conflict, field.span, message);
            faults.add(fault.help("leave out `required` or `default`"));
        }
    }
}

fn only_with_array(fields: &Fields<'_>, names: &[&str], kind: &Kind, faults: &mut Faults) {
    if matches!(kind, Kind::List(..)) {
        return;
    }
    let is_map = matches!(kind, Kind::Map(_));
    let names = names.iter().filter(|name| !(is_map && **name == "items"));
    for field in names.filter_map(|name| fields.get(name)) {
        let message = format!("`{}` is for arrays", field.name);
        let fault = Fault::new(Sort::Conflict, field.span, message);
        faults.add(fault.help("write `type \"array\"`, or leave it out"));
    }
}

fn spelling(name: &str, fields: &Fields<'_>, faults: &mut Faults) -> Spelling {
    let mut spelling = Spelling::default();
    if let Some((short, span)) = fields.text("short", faults) {
        match short.strip_prefix('-').map(|rest| rest.chars().count()) {
            Some(1) if checks::is_spelling(short) => spelling.short = Some(short.to_owned()),
            _ => {
                let message = format!("`short` is a dash and one character, not \"{short}\"");
                let fault = Fault::new(Sort::Value, span, message);
                faults.add(match (checks::is_spelling(short), short.chars().count()) {
                    (true, _) => fault.help(format!("write `long \"{short}\"`")),
                    (false, 1) => fault.help(format!("write `short \"-{short}\"`")),
                    _ => fault.help(format!("write `short \"-{}\"`", &first(name))),
                });
            }
        }
    }
    if let Some((long, span)) = fields.text("long", faults) {
        match checks::is_spelling(long) {
            true => spelling.long = Some(long.to_owned()),
            false => {
                let message =
                    format!("`long` is the flag as it is typed, with its dashes, not \"{long}\"");
                let fault = Fault::new(Sort::Value, span, message);
                let plain = long.trim_matches(['-', '=', ' ']);
                faults.add(match long.ends_with('=') {
                    true => fault.help(format!(
                        "write `long \"--{plain}\"` and `joiner \"equals\"`"
                    )),
                    false if checks::is_spelling(&format!("--{plain}")) => {
                        fault.help(format!("write `long \"--{plain}\"`"))
                    }
                    false => fault.help(format!("write `long \"--{name}\"`")),
                });
            }
        }
    }
    if !fields.has("short") && !fields.has("long") {
        spelling.long = Some(format!("--{name}"));
    }
    spelling
}

/// What else a flag can be written as: its opposite, and itself without its value.
pub(crate) fn forms(
    spelling: &mut Spelling,
    kind: &Kind,
    fields: &Fields<'_>,
    faults: &mut Faults,
) {
    if let Some((negative, span)) = fields.text("negative", faults) {
        let name = negative.split_once('=').map_or(negative, |(name, _)| name);
        if *kind != Kind::Switch {
            let message = "`negative` switches a boolean off; this takes a value";
            faults.add(Fault::new(Sort::Conflict, span, message));
        } else if !checks::is_spelling(name) || negative.contains(char::is_whitespace) {
            let message = format!(
                "`negative` is the flag as it is typed, with its dashes, not \"{negative}\""
            );
            faults.add(Fault::new(Sort::Value, span, message));
        } else {
            spelling.negative = Some(negative.to_owned());
        }
    }
    if let Some((bare, span)) = fields.any_text("bare", faults) {
        match kind.takes_value() {
            true => spelling.bare = Some(bare.to_owned()),
            false => {
                let message = "`bare` is for a flag that takes a value and can do without";
                faults.add(Fault::new(Sort::Conflict, span, message));
            }
        }
    }
    let words = fields.integer("after_words", "a number of words", 0..=MOST_WORDS, faults);
    spelling.after_words = words.and_then(|words| usize::try_from(words).ok());
}

fn first(name: &str) -> String {
    name.chars().take(1).collect()
}

pub(crate) fn joiner(
    kind: &Kind,
    spelling: &Spelling,
    fields: &Fields<'_>,
    faults: &mut Faults,
) -> Joiner {
    const JOINERS: [(&str, Joiner); 3] = [
        ("space", Joiner::Space),
        ("equals", Joiner::Equals),
        ("none", Joiner::Attached),
    ];
    let said = fields.choice("joiner", &JOINERS, faults);
    let Some(span) = fields.span("joiner") else {
        return Joiner::Space;
    };
    if !kind.takes_value() {
        let message = "`joiner` says how a value follows the flag; this one takes none";
        let fault = Fault::new(Sort::Conflict, span, message);
        faults.add(fault.help("write a `type` other than boolean and count, or leave it out"));
    }
    let double = spelling
        .long
        .as_deref()
        .filter(|long| long.starts_with("--"));
    if let (Some(Joiner::Attached), Some(long)) = (said, double) {
        let message = format!("`{long}` and its value cannot be one word without `=`");
        let fault = Fault::new(Sort::Conflict, span, message);
        faults.add(fault.help("give only `short`, or write `joiner \"equals\"`"));
    }
    said.unwrap_or(Joiner::Space)
}

fn secret(param: &Param, fields: &Fields<'_>, faults: &mut Faults) -> Option<Secret> {
    let is_secret = fields.flag("secret", faults).unwrap_or(false);
    let variable = fields
        .text("env", faults)
        .filter(|(name, span)| checks::variable(name, *span, faults));
    let reads = fields.flag("stdin", faults).unwrap_or(false);
    if !is_secret {
        for field in ["env", "stdin"].iter().filter_map(|name| fields.get(name)) {
            let message = format!("`{}` is how a secret reaches the program", field.name);
            let fault = Fault::new(Sort::Conflict, field.span, message);
            faults.add(fault.help("write `secret true` beside it, or leave it out"));
        }
        return None;
    }
    let span = fields.span("secret").unwrap_or_default();
    if !matches!(param.kind, Kind::One(Scalar::String)) {
        let message = format!("`{}` is a secret: its type is string", param.name);
        faults.add(Fault::new(Sort::Conflict, span, message));
    }
    for name in ["default", "enum"] {
        if let Some(span) = fields.span(name) {
            let message = format!("a secret has no `{name}`: it would be shown to everybody");
            faults.add(Fault::new(Sort::Unsafe, span, message));
        }
    }
    match (fields.has("env"), reads) {
        (true, false) => variable.map(|(name, _)| Secret::Environment(name.to_owned())),
        (false, true) => Some(Secret::Stdin),
        (true, true) => {
            let message = "a secret reaches the program in one way: `env` or `stdin`";
            faults.add(Fault::new(Sort::Conflict, span, message));
            None
        }
        (false, false) => {
            let message = format!(
                "`{}` is a secret, but nothing says how it reaches the program",
                param.name
            );
            let help = "write `env \"NAME\"` or `stdin true`: words can be read by everybody";
            faults.add(Fault::new(Sort::Missing, span, message).help(help));
            None
        }
    }
}

/// The values of `enum`, as text.
pub(crate) fn choices(kind: &Kind, field: &Field<'_>, faults: &mut Faults) -> Vec<String> {
    let (Kind::One(scalar) | Kind::List(scalar, _) | Kind::Map(scalar)) = kind else {
        let fault = Fault::new(
            Sort::Conflict,
            field.span,
            "`enum` is for flags that take a value; this one takes none",
        );
        faults.add(fault.help("write `type \"string\"`"));
        return Vec::new();
    };
    if *scalar == Scalar::Bool {
        let message = "a boolean has no `enum`: it is true or false";
        faults.add(Fault::new(Sort::Conflict, field.span, message));
        return Vec::new();
    }
    let entries = field.all(faults);
    if entries.is_empty() {
        let message = "`enum` takes the allowed values";
        faults.add(Fault::new(Sort::Missing, field.span, message));
    }
    if entries.len() > MOST_CHOICES {
        let message = format!("`enum` takes at most {MOST_CHOICES} values");
        faults.add(Fault::new(Sort::Size, field.span, message));
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let mut choices = Vec::new();
    for entry in entries {
        let Some(text) = value(field.name, scalar, entry, faults) else {
            continue;
        };
        match seen.insert(text.clone()) {
            true => choices.push(text),
            false => {
                let message = format!("`enum` has {} twice", fields::shown(&entry.value));
                faults.add(Fault::new(Sort::Conflict, entry.span, message));
            }
        }
    }
    choices
}

/// The value of `default`, as the text that schemas and calls read it from.
pub(crate) fn default(param: &Param, field: &Field<'_>, faults: &mut Faults) -> Option<String> {
    let entries = field.all(faults);
    let known = faults.count();
    let texts: Vec<String> = entries
        .iter()
        .filter_map(|entry| default_value(param, entry, faults))
        .collect();
    // A list without its empty values would be another list.
    let is_list = matches!(param.kind, Kind::List(..));
    let empty = |entry: &&&Entry| matches!(&entry.value, Value::Text(text) if text.is_empty());
    if let Some(entry) = entries.iter().filter(|_| is_list).find(empty) {
        faults.add(fields::wrong("default", "texts that are not empty", entry));
    }
    if faults.count() > known {
        return None;
    }
    match (&param.kind, texts.as_slice()) {
        (_, []) => {
            let message = "`default` takes a value";
            faults.add(Fault::new(Sort::Missing, field.span, message));
            None
        }
        (Kind::List(..), _) => Some(list(&texts)),
        (_, [text]) => Some(text.clone()),
        _ => {
            let message = "`default` takes one value";
            let span = entries.get(1).map_or(field.span, |entry| entry.span);
            let fault = Fault::new(Sort::Value, span, message);
            faults.add(fault.help("several are the default of an array"));
            None
        }
    }
}

fn default_value(param: &Param, entry: &Entry, faults: &mut Faults) -> Option<String> {
    let scalar = match &param.kind {
        Kind::Switch => &Scalar::Bool,
        Kind::Count => {
            let count = match entry.value {
                Value::Integer(count) if (0..=MOST_COUNTS).contains(&count) => Some(count),
                _ => None,
            };
            if count.is_none() {
                let expected = format!("a count from 0 to {MOST_COUNTS}");
                faults.add(fields::wrong("default", &expected, entry));
            }
            return count.map(|count| count.to_string());
        }
        Kind::One(scalar) | Kind::List(scalar, _) | Kind::Map(scalar) => scalar,
        Kind::Line => &Scalar::String,
    };
    let text = value("default", scalar, entry, faults)?;
    if !param.choices.is_empty() && !param.choices.contains(&text) {
        let words: Vec<&str> = param.choices.iter().map(String::as_str).collect();
        let expected = format!("one of its enum: {}", either(&words));
        faults.add(fields::wrong("default", &expected, entry));
        return None;
    }
    Some(text)
}

/// A value of type `scalar`, as text.
fn value(name: &str, scalar: &Scalar, entry: &Entry, faults: &mut Faults) -> Option<String> {
    let (text, expected) = match (scalar, &entry.value) {
        (Scalar::Bool, Value::Bool(flag)) => (Some(flag.to_string()), ""),
        (Scalar::Bool, _) => (None, "true or false"),
        (Scalar::Uint(_), Value::Integer(number)) => {
            let number = u64::try_from(*number).ok();
            (
                number.map(|number| number.to_string()),
                "a whole number from 0",
            )
        }
        (Scalar::Uint(_), _) => (None, "a whole number from 0"),
        (Scalar::Int(_), Value::Integer(number)) => {
            let number = i64::try_from(*number).ok();
            (
                number.map(|number| number.to_string()),
                "a whole number of 64 bits",
            )
        }
        (Scalar::Int(_), _) => (None, "a whole number"),
        (Scalar::Float(_), Value::Integer(number)) => (Some(number.to_string()), ""),
        (Scalar::Float(_), Value::Float(number)) => (float(*number), "a finite number"),
        (Scalar::Float(_), _) => (None, "a number"),
        (Scalar::Path, Value::Text(text)) => {
            let text = Some(text).filter(|text| !text.is_empty());
            (text.cloned(), "a path that is not empty")
        }
        (_, Value::Text(text)) => (Some(text.clone()), ""),
        (Scalar::Path, _) => (None, "a path in quotes"),
        _ => (None, "a text in quotes"),
    };
    if text.is_none() {
        faults.add(fields::wrong(name, expected, entry));
    }
    text
}

/// As calls write floats, so that a choice is found again.
fn float(number: f64) -> Option<String> {
    let plain = number == 0.0 || (1e-9..1e21).contains(&number.abs());
    number.is_finite().then(|| match plain {
        true => number.to_string(),
        false => format!("{number:e}"),
    })
}

/// `[a,"b,c"]`.
fn list(texts: &[String]) -> String {
    let fields: Vec<String> = texts
        .iter()
        .map(|text| match text.contains([',', '"']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.clone(),
        })
        .collect();
    format!("[{}]", fields.join(","))
}
