//! OpenCLI descriptions, in JSON or YAML: the draft of version 0.1, in which commands,
//! options and arguments are lists with names or objects by name.

use serde_json::Value;

use super::document::{self, Members};
use super::tree::{self, MOST_WORDS, Said, Tree, noted};
use super::{DescribedError, named};
use crate::model::{Joiner, Kind, Param, Reading, Role, Scalar, Split};

pub(super) fn recognise(text: &str) -> bool {
    document::object_with(text, &["opencli", "info"]).is_some_and(|document| {
        !document.text("opencli").is_empty()
            && document.member("info").is_some_and(Value::is_object)
    })
}

pub(super) fn read(name: Option<&str>, text: &str) -> Result<Reading, DescribedError> {
    let document = document::parse(text)?;
    let version = document.text("opencli");
    let Some(info) = document.member("info").filter(|_| !version.is_empty()) else {
        let what = "is no OpenCLI description: it has no `opencli` and `info`";
        return Err(DescribedError(what.to_owned()));
    };
    if !version.starts_with("0.") && !version.starts_with("1.") {
        let what = format!("is OpenCLI {version}; up to 1.x can be read");
        return Err(DescribedError(what));
    }
    // The draft once had the root's parts in an object of their own.
    let root = document.member("command").unwrap_or(&document);
    let title = match root.text("name") {
        name if name.is_empty() => info.text("title"),
        name => name,
    };
    let mut tree = Tree::new(named(name, &title), Some(info.text("version")))?;
    let conventions = document.member("conventions");
    let separator = ["optionArgumentSeparator", "optionSeparator"]
        .into_iter()
        .find_map(|key| conventions?.member(key)?.as_str());
    let joiner = match separator {
        None | Some(" ") => Joiner::Space,
        Some("=") => Joiner::Equals,
        Some("") => Joiner::Attached,
        Some(other) => {
            let what = format!(
                "values are written behind {other:?}, which argway does not do; a space is tried"
            );
            tree.lose(&[], what);
            Joiner::Space
        }
    };
    let mut about = Said::at(&[]);
    let text = match root.text("description") {
        text if text.is_empty() => info.text("description"),
        text => text,
    };
    about.tell(&info.text("summary"), &text);
    add(&mut tree, root, about, joiner);
    Ok(tree.finish())
}

fn add(tree: &mut Tree, value: &Value, mut said: Said, joiner: Joiner) {
    let path = said.spec.path.clone();
    if said.spec.summary.is_empty() {
        said.tell("", &value.text("description"));
    }
    if !path.is_empty() {
        said.spec.aliases = value.texts("aliases");
    }
    said.spec.hidden = value.is("hidden");
    let examples = value.texts("examples");
    said.spec.examples = document::examples(examples.iter().map(|it| ("", it.as_str())));
    add_exit_codes(&mut said, value);
    for (name, option) in members(value, "options") {
        match self::option(&name, option, joiner) {
            Some(flag) => said.flag(flag, option.is("recursive")),
            None => tree.lose(&path, format!("`{name}` is not the name of an option")),
        }
    }
    let mut arguments = members(value, "arguments");
    // They may have numbers for their places.
    arguments.sort_by_key(|(_, it)| it.member("ordinal").and_then(Value::as_u64));
    for (name, argument) in arguments {
        said.positional(self::argument(&name, argument));
    }
    if value.is("interactive") {
        tree.lose(&path, "asks its user questions, which a tool cannot answer");
    }
    if !tree.add(said) || path.len() >= MOST_WORDS {
        return;
    }
    for (name, child) in members(value, "commands") {
        let mut path = path.clone();
        path.push(name);
        add(tree, child, Said::at(&path), joiner);
    }
}

/// What `value` lists under `key`, with names: a list of objects that have them, or an
/// object by name.
fn members<'a>(value: &'a Value, key: &str) -> Vec<(String, &'a Value)> {
    match value.member(key) {
        Some(Value::Array(list)) => list.iter().map(|it| (it.text("name"), it)).collect(),
        Some(Value::Object(object)) => object.iter().map(|(k, it)| (k.clone(), it)).collect(),
        _ => Vec::new(),
    }
}

/// What codes mean helps whoever reads a failure; there is no other place for it.
fn add_exit_codes(said: &mut Said, value: &Value) {
    let codes: Vec<String> = value
        .list("exitCodes")
        .iter()
        .map(|code| (code.text("code"), code.text("description")))
        .filter(|(code, about)| !code.is_empty() && !about.is_empty())
        .map(|(code, about)| format!("{code}: {about}"))
        .collect();
    if codes.is_empty() {
        return;
    }
    let text = match said.spec.description.is_empty() {
        true => said.spec.summary.clone(),
        false => std::mem::take(&mut said.spec.description),
    };
    said.spec.description = format!("{text}\n\nExit codes:\n{}", codes.join("\n"));
}

/// The least and the most values; one where nothing is said.
fn arity(value: &Value) -> (Option<u64>, Option<u64>) {
    let Some(arity) = value.member("arity") else {
        return (None, Some(1));
    };
    let bound = |key| arity.member(key).and_then(Value::as_u64);
    (bound("minimum"), bound("maximum"))
}

fn option(name: &str, value: &Value, joiner: Joiner) -> Option<Param> {
    let arguments = members(value, "arguments");
    let aliases = value.texts("aliases");
    // Names stand with their dashes, as a rule.
    let dashed = |form: &str| match (form.starts_with('-'), form.chars().nth(1)) {
        (true, _) => form.to_owned(),
        (false, None) => format!("-{form}"),
        (false, Some(_)) => format!("--{form}"),
    };
    let forms: Vec<String> = std::iter::once(name)
        .chain(aliases.iter().map(String::as_str))
        .filter(|form| !form.is_empty() && !form.starts_with('/'))
        .map(dashed)
        .collect();
    let first = arguments.first().map(|(_, argument)| *argument);
    let (least, most) = match (first, value.member("arity")) {
        (_, Some(_)) => arity(value),
        (Some(argument), None) => arity(argument),
        (None, None) => (None, Some(0)),
    };
    let takes_value = !arguments.is_empty() || most != Some(0);
    let is_many = arguments.len() > 1 || most.is_none_or(|most| most > 1);
    let kind = match (takes_value, is_many) {
        (false, _) => Kind::Switch,
        (true, false) => Kind::One(Scalar::String),
        (true, true) => Kind::List(Scalar::String, Split::Words),
    };
    let mut param = tree::flag(forms.iter().map(String::as_str), kind)?;
    let may_miss = first.is_some_and(|it| it.member("required").is_some_and(|it| *it == false));
    if let Role::Flag(spelling) = &mut param.role
        && takes_value
    {
        spelling.joiner = match (joiner, &spelling.long) {
            (Joiner::Equals, None) => Joiner::Space,
            (joiner, _) => joiner,
        };
        if least == Some(0) || (may_miss && least.is_none()) {
            spelling.bare = Some(String::new());
        }
    }
    param.text = value.text("description");
    param.required = value.is("required");
    param.hidden = value.is("hidden");
    if let Some(argument) = first {
        param.choices = argument.texts("acceptedValues");
        let about = argument.text("description");
        if param.text.is_empty() {
            param.text = about;
        }
    }
    param.value_name = arguments.first().map(|(name, _)| name.clone());
    Some(noted(param))
}

fn argument(name: &str, value: &Value) -> Param {
    let (least, most) = arity(value);
    let mut param = Param::positional(name, tree::arity(Scalar::String, most));
    param.text = value.text("description");
    param.hidden = value.is("hidden");
    param.choices = value.texts("acceptedValues");
    let said = value.member("required").and_then(Value::as_bool);
    param.required = said.unwrap_or(least.is_some_and(|least| least > 0));
    noted(param)
}
