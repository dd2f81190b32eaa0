//! Specs of carapace, in YAML: what a shell completes.
//!
//! What a spec would run to complete something (`$(…)` and other macros) is never run;
//! values are taken from it only where they are all written down.

use serde_json::{Map, Value};

use super::document::{self, Members};
use super::tree::{self, MOST_WORDS, Said, Tree, noted};
use super::{DescribedError, named};
use crate::model::{Group, Joiner, Kind, Param, Reading, Role, Scalar, Split};

/// Marks behind a flag's names.
const MARKS: &[char] = &['=', '?', '*', '!', '&'];

pub(super) fn recognise(text: &str) -> bool {
    document::object_with(text, &["name"]).is_some_and(|document| is_spec(&document))
}

fn is_spec(document: &Map<String, Value>) -> bool {
    let has_flags = ["flags", "persistentflags"].into_iter().any(|key| {
        let flags = document.entries(key);
        !flags.is_empty() && flags.iter().all(|(flag, _)| flag.starts_with('-'))
    });
    let has_commands = {
        let commands = document.list("commands");
        let is_command = |it: &Value| it.member("name").is_some_and(Value::is_string);
        // What `help --machine` prints has a version.
        !commands.is_empty()
            && commands.iter().all(is_command)
            && !["version", "argway", "opencli", "info"]
                .into_iter()
                .any(|key| document.contains_key(key))
    };
    let has_completion = document.entries("completion").iter().any(|(key, _)| {
        let parts = ["flag", "positional", "positionalany", "dash", "dashany"];
        parts.contains(&key.as_str())
    });
    document.member("name").is_some_and(Value::is_string)
        && (has_flags || has_commands || has_completion)
}

pub(super) fn read(name: Option<&str>, text: &str) -> Result<Reading, DescribedError> {
    let document = document::parse(text)?;
    let mut tree = Tree::new(named(name, first_word(&document.text("name"))), None)?;
    add(&mut tree, &document, &[]);
    Ok(tree.finish())
}

/// Behind a name may stand what Cobra calls the use line.
fn first_word(name: &str) -> &str {
    name.split_whitespace().next().unwrap_or_default()
}

fn add(tree: &mut Tree, value: &Value, path: &[String]) {
    let mut said = Said::at(path);
    said.tell(&value.text("description"), "");
    said.spec.hidden = value.is("hidden");
    said.spec.group = Some(value.text("group")).filter(|group| !group.is_empty());
    said.spec.raw_words = value.text("parsing") == "disabled";
    if !path.is_empty() {
        said.spec.aliases = value.texts("aliases");
    }
    let completion = value.member("completion").unwrap_or(&Value::Null);
    let values = completion.member("flag").unwrap_or(&Value::Null);
    for (key, passed_on) in [("flags", false), ("persistentflags", true)] {
        for (written, about) in value.entries(key) {
            match flag(written, about, values) {
                Some(flag) => said.flag(flag, passed_on),
                None => tree.lose(path, format!("the flag `{written}` was not understood")),
            }
        }
    }
    for set in value.list("exclusiveflags") {
        let names = set
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let form = |name: &str| match name.chars().nth(1) {
            Some(_) => format!("--{name}"),
            None => format!("-{name}"),
        };
        said.groups
            .push(Group::Exclusive(names.map(form).collect()));
    }
    positionals(&mut said, completion);
    if !tree.add(said) || path.len() >= MOST_WORDS {
        return;
    }
    for child in value.list("commands") {
        let mut path = path.to_vec();
        path.push(first_word(&child.text("name")).to_owned());
        add(tree, child, &path);
    }
}

/// `-f, --file=`, `--color?`, `-v*`, `--secret=!&`.
fn flag(written: &str, about: &Value, values: &Value) -> Option<Param> {
    let names = written.trim_end_matches(MARKS);
    let has = |mark: char| written[names.len()..].contains(mark);
    let forms: Vec<&str> = names.split(',').map(str::trim).collect();
    let is_form = |form: &&str| form.starts_with('-') && !form.contains(MARKS);
    if forms.len() > 2 || !forms.iter().all(is_form) {
        return None;
    }
    // More is said of a flag in an object: how many values it takes.
    let many = about.member("nargs").and_then(Value::as_i64);
    let takes_value = has('=') || has('?') || many.is_some_and(|it| it != 0);
    let kind = match (takes_value, has('*')) {
        (true, _) if many.is_some_and(|it| !(0..=1).contains(&it)) => {
            Kind::List(Scalar::String, Split::Words)
        }
        (true, true) => Kind::List(Scalar::String, Split::Repeat),
        (true, false) => Kind::One(Scalar::String),
        (false, true) => Kind::Count,
        (false, false) => Kind::Switch,
    };
    let mut param = tree::flag(forms.iter().copied(), kind)?;
    if let Role::Flag(spelling) = &mut param.role
        && takes_value
    {
        let is_optional = has('?');
        // A space is taken by every program where the value must be there, `=` where
        // it may be missing.
        spelling.joiner = match is_optional && spelling.long.is_some() {
            true => Joiner::Equals,
            false => Joiner::Space,
        };
        spelling.bare = is_optional.then(String::new);
    }
    param.text = match about {
        Value::Object(_) => about.text("description"),
        text => document::as_text(text).unwrap_or_default(),
    };
    param.required = has('!');
    param.hidden = has('&');
    if takes_value {
        param.choices = closed(values.list(&param.name));
    }
    Some(noted(param))
}

/// The values, where all of them are written down: `name<tab>text` each, no macro.
fn closed(values: &[Value]) -> Vec<String> {
    let texts: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
    let texts = texts.unwrap_or_default();
    if texts
        .iter()
        .any(|text| text.starts_with('$') || text.contains("${"))
    {
        return Vec::new();
    }
    let value = |text: &&str| text.split('\t').next().unwrap_or_default().to_owned();
    let values: Vec<String> = texts.iter().map(value).collect();
    match values.iter().any(String::is_empty) {
        true => Vec::new(),
        false => values,
    }
}

/// A spec knows places and what may stand there, but neither names nor whether
/// something must stand there.
fn positionals(said: &mut Said, completion: &Value) {
    let mut number = 0;
    let mut add = |said: &mut Said, kind: Kind, behind: bool, values: &[Value]| {
        number += 1;
        let name = match kind {
            Kind::List(..) if behind => "words".to_owned(),
            Kind::List(..) => "args".to_owned(),
            _ => format!("arg{number}"),
        };
        let mut param = Param::positional(name, kind);
        param.choices = closed(values);
        if behind {
            said.behind_dashes.get_or_insert_with(|| param.name.clone());
        }
        said.positional(noted(param));
    };
    let list = || Kind::List(Scalar::String, Split::Words);
    for (places, any, behind) in [
        ("positional", "positionalany", false),
        ("dash", "dashany", true),
    ] {
        for place in completion.list(places) {
            let values = place.as_array().map_or(&[][..], Vec::as_slice);
            add(said, Kind::One(Scalar::String), behind, values);
        }
        if completion.member(any).is_some() {
            add(said, list(), behind, completion.list(any));
        }
    }
}
