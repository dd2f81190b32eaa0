//! What programs made with Swift's ArgumentParser print for `--experimental-dump-help`:
//! JSON, serialization version 0 or 1.

use serde_json::Value;

use super::document::{self, Members};
use super::tree::{self, MOST_WORDS, Said, Tree, noted};
use super::{DescribedError, named};
use crate::model::{Group, Joiner, Kind, Param, Reading, Role, Scalar, Split};

pub(super) fn recognise(text: &str) -> bool {
    document::object_with(text, &["serializationVersion", "commandName"])
        .is_some_and(|document| document.member("command").is_some())
}

pub(super) fn read(name: Option<&str>, text: &str) -> Result<Reading, DescribedError> {
    let document = document::parse(text)?;
    let version = document.member("serializationVersion");
    if !matches!(version.and_then(Value::as_u64), Some(0 | 1)) {
        let what = "is no dump of Swift's help in serialization version 0 or 1";
        return Err(DescribedError(what.to_owned()));
    }
    let Some(root) = document.member("command") else {
        return Err(DescribedError("has no `command`".to_owned()));
    };
    let mut tree = Tree::new(named(name, &root.text("commandName")), None)?;
    add(&mut tree, root, &[]);
    Ok(tree.finish())
}

fn add(tree: &mut Tree, value: &Value, path: &[String]) {
    let mut said = Said::at(path);
    said.tell(&value.text("abstract"), &long_text(value));
    said.spec.hidden = value.member("shouldDisplay").is_some_and(|it| *it == false);
    if !value.text("defaultSubcommand").is_empty() {
        said.runnable = Some(true);
    }
    for argument in value.list("arguments") {
        self::argument(&mut said, argument);
    }
    if !tree.add(said) || path.len() >= MOST_WORDS {
        return;
    }
    for child in value.list("subcommands") {
        let mut path = path.to_vec();
        path.push(child.text("commandName"));
        add(tree, child, &path);
    }
}

/// The abstract and the discussion, as the help prints them.
fn long_text(value: &Value) -> String {
    let (short, long) = (value.text("abstract"), value.text("discussion"));
    match (short.is_empty(), long.is_empty()) {
        (_, true) => short,
        (true, false) => long,
        (false, false) => format!("{short}\n\n{long}"),
    }
}

fn argument(said: &mut Said, value: &Value) {
    let names: Vec<String> = value.list("names").iter().filter_map(form).collect();
    let is_many = value.is("isRepeating");
    let strategy = value.text("parsingStrategy");
    match value.text("kind").as_str() {
        "positional" => {
            let kind = match is_many {
                true => Kind::List(Scalar::String, Split::Words),
                false => Kind::One(Scalar::String),
            };
            let param = Param::positional(value.text("valueName"), kind);
            if strategy == "postTerminator" {
                said.behind_dashes.get_or_insert_with(|| param.name.clone());
            }
            said.positional(described(param, value));
        }
        "option" => {
            // Values up to the next flag, or one behind each.
            let kind = match (is_many, strategy.as_str()) {
                (false, _) => Kind::One(Scalar::String),
                (true, "upToNextOption" | "allRemainingInput") => {
                    Kind::List(Scalar::String, Split::Words)
                }
                (true, _) => Kind::List(Scalar::String, Split::Repeat),
            };
            let forms = names.iter().map(String::as_str);
            let Some(mut param) = tree::flag(forms, kind) else {
                return;
            };
            if let Role::Flag(spelling) = &mut param.role {
                // A value that starts with a dash is taken behind `=` only.
                spelling.joiner = match &spelling.long {
                    Some(long) if long.starts_with("--") => Joiner::Equals,
                    _ => Joiner::Space,
                };
            }
            param.value_name = Some(value.text("valueName")).filter(|it| !it.is_empty());
            said.flag(described(param, value), false);
        }
        "flag" => switches(said, value, &names, is_many),
        _ => {}
    }
}

/// One switch; or several of which one is chosen, which the dump merges into one.
fn switches(said: &mut Said, value: &Value, names: &[String], is_many: bool) {
    let kind = match is_many {
        true => Kind::Count,
        false => Kind::Switch,
    };
    let (long, short): (Vec<&String>, Vec<&String>) =
        names.iter().partition(|name| name.chars().nth(2).is_some());
    let negative = long
        .first()
        .and_then(|first| long.iter().find(|other| is_negative(first, other)));
    if let (Some(negative), Some(first)) = (negative, long.first()) {
        let forms = std::iter::once(*first).chain(short.iter().copied());
        if let Some(mut param) = tree::flag(forms.map(String::as_str), Kind::Switch) {
            if let Role::Flag(spelling) = &mut param.role {
                spelling.negative = Some((*negative).clone());
            }
            said.flag(described(param, value), false);
        }
        return;
    }
    if long.len() < 2 {
        if let Some(param) = tree::flag(names.iter().map(String::as_str), kind) {
            said.flag(described(param, value), false);
        }
        return;
    }
    for (at, name) in long.iter().enumerate() {
        let short = short.iter().filter(|_| at == 0).map(|it| it.as_str());
        if let Some(param) = tree::flag(short.chain([name.as_str()]), kind.clone()) {
            said.flag(described(param, value), false);
        }
    }
    if !is_many {
        let all = long.into_iter().cloned().collect();
        said.groups.push(Group::Exclusive(all));
    }
}

/// `--no-x` of `--x`, `--disable-x` of `--enable-x`.
fn is_negative(form: &str, other: &str) -> bool {
    let (form, other) = (form.trim_start_matches('-'), other.trim_start_matches('-'));
    other.strip_prefix("no-") == Some(form)
        || matches!(
            (form.strip_prefix("enable-"), other.strip_prefix("disable-")),
            (Some(on), Some(off)) if on == off
        )
}

fn form(name: &Value) -> Option<String> {
    let text = name.text("name");
    let dashes = match name.text("kind").as_str() {
        "long" => "--",
        "short" | "longWithSingleDash" => "-",
        _ => return None,
    };
    (!text.is_empty()).then(|| format!("{dashes}{text}"))
}

fn described(mut param: Param, value: &Value) -> Param {
    param.text = long_text(value);
    // A repeated argument that is optional may be given not at all.
    param.required = value.member("isOptional").is_some_and(|it| *it == false);
    param.hidden = value.member("shouldDisplay").is_some_and(|it| *it == false);
    if param.kind.takes_value() {
        param.default = value.member("defaultValue").and_then(document::default);
        param.choices = value.texts("allValues");
    }
    noted(param)
}
