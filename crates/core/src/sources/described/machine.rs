//! `help --machine`: the JSON that some Cobra programs print of all their commands,
//! schema version 1.x.
//!
//! It lists what can be run, each with the flags of its own, and apart from them the
//! flags that the root passes on. Its category is coarse: `write` holds what deletes
//! too, and `admin` everything else, so that of a category and a name the worse counts.

use serde_json::{Map, Value};

use super::document::{self, Members, as_text};
use super::tree::{self, Said, Tree, noted};
use super::{DescribedError, named};
use crate::model::{Effect, Evidence, Kind, Param, Reading, Role, Scalar, Split};
use crate::sources::cobra::builtin;
use crate::sources::effect;

pub(super) fn recognise(text: &str) -> bool {
    document::object_with(text, &["version", "commands", "path"])
        .is_some_and(|document| is_machine(&document))
}

fn is_machine(document: &Map<String, Value>) -> bool {
    let commands = document.list("commands");
    document.text("version").starts_with("1.")
        && (document.contains_key("global_flags") || document.contains_key("cli_version"))
        && commands.iter().all(|command| {
            command.member("path").is_some() || command.member("path_string").is_some()
        })
}

pub(super) fn read(name: Option<&str>, text: &str) -> Result<Reading, DescribedError> {
    let document = document::parse(text)?;
    let version = document.text("version");
    if !version.starts_with("1.") {
        return Err(DescribedError(match version.as_str() {
            "" => "does not say which version of `help --machine` it is".to_owned(),
            _ => format!("is version {version} of `help --machine`; 1.x can be read"),
        }));
    }
    let own = document.text("name");
    let cli_version = document.text("cli_version");
    let mut tree = Tree::new(named(name, &own), Some(cli_version))?;
    let mut commands: Vec<Said> = Vec::new();
    for command in document.list("commands") {
        commands.push(self::command(command));
    }
    let root = commands.iter().position(|it| it.spec.path.is_empty());
    let mut root = match root {
        Some(at) => commands.remove(at),
        None => Said {
            runnable: Some(commands.is_empty()),
            ..Said::default()
        },
    };
    if root.spec.summary.is_empty() {
        root.tell(&document.text("description"), "");
    }
    for global in document.list("global_flags") {
        if let Some(flag) = flag(global) {
            root.flag(flag, true);
        }
    }
    tree.add(root);
    for command in commands {
        tree.add(command);
    }
    Ok(tree.finish())
}

fn command(value: &Value) -> Said {
    let mut path = value.texts("path");
    if path.is_empty() {
        let words = value.text("path_string");
        path = words.split_whitespace().map(str::to_owned).collect();
    }
    let mut said = Said::at(&path);
    said.tell(&value.text("description"), &value.text("long_description"));
    let providers = value.texts("providers");
    if !providers.is_empty() {
        let list = providers.join(", ");
        said.spec.summary = format!("{} [providers: {list}]", said.spec.summary);
    }
    said.spec.aliases = value.texts("aliases");
    said.spec.usage = value.text("usage");
    said.spec.hidden = value.is("hidden");
    said.runnable = Some(value.member("runnable").is_none_or(|it| *it == true));
    let examples: Vec<(String, String)> = value
        .list("examples")
        .iter()
        .map(|example| match as_text(example) {
            Some(line) => (String::new(), line),
            None => (example.text("description"), example.text("command")),
        })
        .collect();
    let examples = examples.iter().map(|(about, it)| (&**about, &**it));
    said.spec.examples = document::examples(examples);
    for value in value.list("flags") {
        if let Some(flag) = flag(value) {
            said.flag(flag, false);
        }
    }
    for value in value.list("positional_args") {
        said.positional(positional(value));
    }
    said.effect = category(&value.text("category"), &said);
    said
}

/// What a command of this category does at least.
fn category(category: &str, said: &Said) -> Option<(Effect, Evidence)> {
    let least = match category {
        "read" => return Some((Effect::Read, Evidence::SelfDescription)),
        "write" | "admin" => Effect::Write,
        _ => return None,
    };
    match effect::of_command(&said.spec) {
        Effect::Destructive => Some((Effect::Destructive, Evidence::Convention)),
        Effect::Read | Effect::Unknown | Effect::Write => Some((least, Evidence::SelfDescription)),
    }
}

fn flag(value: &Value) -> Option<Param> {
    let long = format!("--{}", value.text("name"));
    let short = format!("-{}", value.text("shorthand"));
    let choices = value.texts("enum");
    let kind = match value.text("type").as_str() {
        "bool" => Kind::Switch,
        "" => Kind::One(Scalar::String),
        word => match builtin(word) {
            Some(kind) => kind,
            // The enum says more than the name of its type.
            None if !choices.is_empty() => Kind::One(Scalar::String),
            None => Kind::One(Scalar::Other(word.to_owned())),
        },
    };
    let mut param = tree::flag([long.as_str(), short.as_str()], kind)?;
    param.default = value
        .member("default")
        .and_then(document::default)
        .filter(|text| !is_zero(&param.kind, text));
    if let (Kind::Switch, Some("true"), Role::Flag(spelling)) =
        (&param.kind, param.default.as_deref(), &mut param.role)
    {
        spelling.negative = Some(format!("{long}=false"));
    }
    param.text = value.text("description");
    for (key, title) in [("providers", "providers"), ("migration_types", "migration")] {
        let hints = value.texts(key);
        if !hints.is_empty() {
            param.text = format!("{} [{title}: {}]", param.text, hints.join(", "));
        }
    }
    param.required = value.is("required");
    param.choices = choices;
    param.hidden = value.is("hidden");
    Some(noted(param))
}

/// What pflag does not print either: the default of everything that has none.
fn is_zero(kind: &Kind, default: &str) -> bool {
    match kind {
        Kind::Switch => default == "false",
        Kind::Count => default == "0",
        Kind::One(Scalar::Int(_) | Scalar::Uint(_) | Scalar::Float(_)) => default == "0",
        Kind::One(Scalar::Duration) => default == "0s",
        Kind::List(..) | Kind::Map(_) => default == "[]",
        _ => false,
    }
}

fn positional(value: &Value) -> Param {
    let kind = match value.is("variadic") {
        true => Kind::List(Scalar::String, Split::Words),
        false => Kind::One(Scalar::String),
    };
    let mut param = Param::positional(value.text("name"), kind);
    param.text = value.text("description");
    param.required = value.is("required");
    noted(param)
}
