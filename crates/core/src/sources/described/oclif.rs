//! oclif's manifest (`oclif.manifest.json`), and what `commands --json` prints, which is
//! the same for the program and all its plugins.
//!
//! The manifest calls a command `topic:command`. A program may want a blank there
//! instead, which its package says (`oclif.topicSeparator`): the entry is read where it
//! stands beside the commands. The colon is always understood, so without it a blank is
//! written only where the manifest's own examples have it.

use serde_json::Value;

use super::document::{self, Members};
use super::tree::{self, Said, Tree, noted};
use super::{DescribedError, named};
use crate::model::{Group, Joiner, Kind, Param, Reading, Role, Scalar, Split};

pub(super) fn recognise(text: &str) -> bool {
    let marks = ["\"flags\"", "\"args\"", "\"id\""];
    marks.iter().all(|mark| text.contains(mark))
        && serde_json::from_str(text).is_ok_and(|document| commands(&document).is_some())
}

/// The commands, if `document` has nothing else in their place.
fn commands(document: &Value) -> Option<Vec<&Value>> {
    let commands: Vec<&Value> = match document {
        Value::Array(list) => list.iter().collect(),
        object => {
            let commands = object.get("commands")?.as_object()?;
            commands.iter().map(|(_, command)| command).collect()
        }
    };
    let is_command = |command: &&Value| {
        command.member("id").is_some_and(Value::is_string)
            && command.member("flags").is_none_or(Value::is_object)
    };
    (!commands.is_empty() && commands.iter().all(is_command)).then_some(commands)
}

pub(super) fn read(name: Option<&str>, text: &str) -> Result<Reading, DescribedError> {
    let document: Value = serde_json::from_str(text)
        .map_err(|error| DescribedError(format!("is not JSON: {error}")))?;
    let Some(commands) = commands(&document) else {
        return Err(DescribedError("has no commands of oclif's".to_owned()));
    };
    let package = commands[0].text("pluginName");
    let bin = document.pointer("/oclif/bin").and_then(Value::as_str);
    let own = bin.or(package.rsplit('/').next()).unwrap_or_default();
    let name = named(name, own);
    let version = document.get("version").and_then(document::as_text);
    let mut tree = Tree::new(name, version)?;
    let said = document.pointer("/oclif/topicSeparator");
    let separator = match said.and_then(Value::as_str) {
        Some(" ") => Separator::Blank,
        Some(_) => Separator::Colon,
        None => separator(&commands, name),
    };
    for command in commands {
        add(&mut tree, command, name, separator);
    }
    Ok(tree.finish())
}

/// What stands between the words of a command where it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Colon,
    Blank,
}

impl Separator {
    fn path(self, id: &str) -> Vec<String> {
        match self {
            Separator::Colon => vec![id.to_owned()],
            Separator::Blank => id.split(':').map(str::to_owned).collect(),
        }
    }
}

/// Goes by how examples and usage lines call commands that have a topic.
fn separator(commands: &[&Value], name: &str) -> Separator {
    let (mut colons, mut blanks) = (0, 0);
    for command in commands {
        let id = command.text("id");
        let mut texts: Vec<String> = ["examples", "usage", "example"]
            .iter()
            .flat_map(|key| command.texts(key))
            .collect();
        let objects = command.list("examples").iter();
        texts.extend(objects.map(|example| example.text("command")));
        for text in texts.iter().filter(|_| id.contains(':')) {
            let text = text.replace("<%= config.bin %>", name);
            let called = |id: &str| text.contains(&format!("{name} {id}"));
            colons += usize::from(called(&id));
            blanks += usize::from(called(&id.replace(':', " ")));
        }
    }
    match blanks > colons {
        true => Separator::Blank,
        false => Separator::Colon,
    }
}

fn add(tree: &mut Tree, command: &Value, name: &str, separator: Separator) {
    let id = command.text("id");
    let path = separator.path(&id);
    let called = path.join(" ");
    let filled = |text: &str| {
        text.replace("<%= config.bin %>", name)
            .replace("<%= command.id %>", &called)
    };
    let mut said = Said::at(&path);
    let text = |key: &str| filled(&command.text(key));
    said.tell(&text("summary"), &text("description"));
    said.spec.hidden = command.is("hidden");
    said.spec.examples = examples(command, filled);
    said.spec.aliases = command
        .texts("aliases")
        .iter()
        .filter_map(|alias| {
            let alias = separator.path(alias);
            let (last, above) = alias.split_last()?;
            (above == &path[..path.len() - 1]).then(|| last.clone())
        })
        .collect();
    said.runnable = Some(true);
    for (key, value) in command.entries("flags") {
        match flag(key, value, &filled) {
            Some(flag) => said.flag(flag, false),
            None => tree.lose(&path, format!("the flag `{key}` was not understood")),
        }
        said.groups.extend(groups(key, value));
    }
    let mut open = command.member("strict") == Some(&Value::Bool(false));
    for value in arguments(command) {
        let positional = positional(value, &filled);
        open &= !positional.kind.is_repeatable();
        said.positional(positional);
    }
    if open {
        // Further words are not refused.
        let more = Param::positional("args", Kind::List(Scalar::String, Split::Words));
        said.positional(noted(more));
    }
    tree.add(said);
}

/// Old manifests have a list in place of an object.
fn arguments(command: &Value) -> Vec<&Value> {
    match command.member("args") {
        Some(Value::Array(list)) => list.iter().collect(),
        Some(Value::Object(map)) => map.values().collect(),
        _ => Vec::new(),
    }
}

fn flag(key: &str, value: &Value, filled: &impl Fn(&str) -> String) -> Option<Param> {
    let name = match value.text("name") {
        name if name.is_empty() => key.to_owned(),
        name => name,
    };
    let kind = match value.text("type").as_str() {
        "boolean" => Kind::Switch,
        "option" if value.is("multipleNonGreedy") => Kind::List(Scalar::String, Split::Repeat),
        // The words that follow are taken too.
        "option" if value.is("multiple") => Kind::List(Scalar::String, Split::Words),
        "option" => Kind::One(Scalar::String),
        _ => return None,
    };
    let long = format!("--{name}");
    let short = value.text("char");
    let short = (short.chars().count() == 1).then(|| format!("-{short}"));
    let mut param = tree::flag([long.as_str()].into_iter().chain(short.as_deref()), kind)?;
    if let Role::Flag(spelling) = &mut param.role {
        spelling.joiner = Joiner::Equals;
        spelling.negative = value.is("allowNo").then(|| format!("--no-{name}"));
    }
    param.hidden = value.is("hidden");
    param.env = Some(value.text("env")).filter(|it| !it.is_empty());
    param.value_name = Some(value.text("helpValue")).filter(|it| !it.is_empty());
    param.deprecated = match value.member("deprecated") {
        Some(Value::Bool(true)) => Some(String::new()),
        Some(why @ Value::Object(_)) => Some(why.text("message")),
        _ => None,
    };
    common(&mut param, value, filled);
    Some(noted(param))
}

fn positional(value: &Value, filled: &impl Fn(&str) -> String) -> Param {
    let kind = match value.is("multiple") {
        true => Kind::List(Scalar::String, Split::Words),
        false => Kind::One(Scalar::String),
    };
    let mut param = Param::positional(value.text("name"), kind);
    common(&mut param, value, filled);
    noted(param)
}

fn common(param: &mut Param, value: &Value, filled: &impl Fn(&str) -> String) {
    param.choices = value.texts("options");
    param.default = value.member("default").and_then(document::default);
    // Where nothing is given the default is taken, before anything is missed.
    param.required = value.is("required") && param.default.is_none();
    let about = ["description", "summary"].map(|key| value.text(key));
    let about = about.iter().find(|text| !text.is_empty());
    param.text = about.map(|text| filled(text)).unwrap_or_default();
}

fn groups(key: &str, value: &Value) -> Vec<Group> {
    let form = |name: &str| format!("--{name}");
    let mut groups: Vec<Group> = value
        .texts("exclusive")
        .iter()
        .map(|other| Group::Exclusive(vec![form(key), form(other)]))
        .collect();
    let needs = value.texts("dependsOn");
    if !needs.is_empty() {
        let all = std::iter::once(form(key)).chain(needs.iter().map(|it| form(it)));
        groups.push(Group::Requires(all.collect()));
    }
    let one = value.texts("exactlyOne");
    if one.len() > 1 {
        let all: Vec<String> = one.iter().map(|it| form(it)).collect();
        groups.push(Group::Exclusive(all.clone()));
        groups.push(Group::AnyOf(all));
    }
    groups
}

fn examples(command: &Value, filled: impl Fn(&str) -> String) -> String {
    let mut all: Vec<(String, String)> = Vec::new();
    for example in command.list("examples") {
        all.push(match example {
            Value::Object(_) => (
                example.text("description"),
                filled(&example.text("command")),
            ),
            other => (
                String::new(),
                filled(&document::as_text(other).unwrap_or_default()),
            ),
        });
    }
    if all.is_empty() {
        all.push((String::new(), filled(&command.text("example"))));
    }
    document::examples(
        all.iter()
            .map(|(about, example)| (about.as_str(), example.as_str())),
    )
}

#[cfg(test)]
mod tests;
