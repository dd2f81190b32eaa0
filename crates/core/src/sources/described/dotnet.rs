//! What programs made with System.CommandLine print for `--cli-schema`: JSON with
//! options, arguments and subcommands by their names.

use serde_json::{Map, Value};

use super::document::{self, Members};
use super::tree::{self, MOST_WORDS, Said, Tree, noted};
use super::{DescribedError, named};
use crate::model::{Joiner, Kind, Param, Reading, Role, Scalar, Split};

pub(super) fn recognise(text: &str) -> bool {
    document::object_with(text, &["\"name\"", "\"hidden\""]).is_some_and(|it| is_schema(&it))
}

fn is_schema(document: &Map<String, Value>) -> bool {
    let parts = ["options", "subcommands", "arguments"];
    let members: Vec<&Value> = parts
        .into_iter()
        .flat_map(|part| document.entries(part))
        .map(|(_, value)| value)
        .collect();
    let is_part = |value: &&Value| value.member("hidden").is_some_and(Value::is_boolean);
    !document.contains_key("argway")
        && document.contains_key("version")
        && !members.is_empty()
        && members.iter().all(is_part)
}

pub(super) fn read(name: Option<&str>, text: &str) -> Result<Reading, DescribedError> {
    let document = document::parse(text)?;
    let own = document.text("name");
    let mut tree = Tree::new(named(name, &own), Some(document.text("version")))?;
    add(&mut tree, &document, &[]);
    Ok(tree.finish())
}

fn add(tree: &mut Tree, value: &Value, path: &[String]) {
    let mut said = Said::at(path);
    said.tell(&value.text("description"), "");
    said.spec.hidden = value.is("hidden");
    // Of the root they are names of the program.
    if !path.is_empty() {
        said.spec.aliases = value.texts("aliases");
    }
    for (name, option) in value.entries("options") {
        if let Some(flag) = self::option(name, option) {
            said.flag(flag, option.is("recursive"));
        }
    }
    let mut arguments = value.entries("arguments");
    arguments.sort_by_key(|(_, it)| it.member("order").and_then(Value::as_u64));
    for (name, argument) in arguments {
        said.positional(self::argument(name, argument));
    }
    if !tree.add(said) || path.len() >= MOST_WORDS {
        return;
    }
    for (name, child) in value.entries("subcommands") {
        let mut path = path.to_vec();
        path.push(name.clone());
        add(tree, child, &path);
    }
}

/// The least and the most values; any number where the most is not said.
fn arity(value: &Value) -> (u64, Option<u64>) {
    let arity = value.member("arity");
    let bound = |key| arity.and_then(|it| it.member(key)).and_then(Value::as_u64);
    match arity {
        Some(_) => (bound("minimum").unwrap_or(0), bound("maximum")),
        None => (1, Some(1)),
    }
}

fn option(name: &str, value: &Value) -> Option<Param> {
    let (least, most) = arity(value);
    let scalar = scalar(&value.text("valueType"));
    let is_switch = most == Some(0) || (scalar == Scalar::Bool && least == 0 && most == Some(1));
    let kind = match is_switch {
        true => Kind::Switch,
        // Each value has the option before it: `--x a b` is not taken everywhere.
        false if most.is_none_or(|most| most > 1) => Kind::List(scalar, Split::Repeat),
        false => Kind::One(scalar),
    };
    // `/h` is a form on Windows only.
    let aliases = value.texts("aliases");
    let forms = std::iter::once(name).chain(aliases.iter().map(String::as_str));
    let mut param = tree::flag(forms, kind)?;
    describe(&mut param, value);
    param.required = value.is("required");
    let can_be_false = is_switch && most != Some(0);
    if let Role::Flag(spelling) = &mut param.role {
        if can_be_false && param.default.as_deref() == Some("true") {
            let name = spelling.long.as_ref().or(spelling.short.as_ref());
            spelling.negative = name.map(|name| format!("{name}=false"));
        }
        if !is_switch {
            spelling.joiner = match spelling.long {
                Some(_) => Joiner::Equals,
                None => Joiner::Space,
            };
            spelling.bare = (least == 0 && most == Some(1)).then(String::new);
        }
    }
    if is_switch && param.default.as_deref() == Some("false") {
        param.default = None;
    }
    Some(noted(param))
}

fn argument(name: &str, value: &Value) -> Param {
    let (least, most) = arity(value);
    let scalar = scalar(&value.text("valueType"));
    let mut param = Param::positional(name, tree::arity(scalar, most));
    describe(&mut param, value);
    param.required = least > 0 && param.default.is_none();
    noted(param)
}

fn describe(param: &mut Param, value: &Value) {
    param.text = value.text("description");
    param.hidden = value.is("hidden");
    if value.is("hasDefaultValue") {
        param.default = value.member("defaultValue").and_then(document::default);
    }
    // `error|overwrite|skip` is how the values of an enumeration are shown.
    let shown = value.text("helpName");
    let values: Vec<&str> = shown.split('|').map(str::trim).collect();
    let is_word = |word: &&str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_alphanumeric() || "-_.".contains(c))
    };
    let is_own = matches!(
        &param.kind,
        Kind::One(Scalar::Other(_)) | Kind::List(Scalar::Other(_), _)
    );
    if is_own && values.len() > 1 && values.iter().all(is_word) {
        param.choices = values.into_iter().map(str::to_owned).collect();
    }
    param.value_name = Some(shown).filter(|it| !it.is_empty());
}

/// The type behind .NET's name for it, of what may be missing or a collection too.
fn scalar(name: &str) -> Scalar {
    let mut name = name.trim();
    // `System.Nullable<System.Int32>`, `System.String[]`, `IEnumerable<System.String>`
    while let Some((_, inner)) = name.split_once('<') {
        name = inner.trim_end_matches('>');
    }
    let name = name.trim_end_matches("[]").trim_end_matches('?');
    match name.rsplit('.').next().unwrap_or_default() {
        "Boolean" => Scalar::Bool,
        "SByte" => Scalar::Int(8),
        "Int16" => Scalar::Int(16),
        "Int32" => Scalar::Int(32),
        "Int64" => Scalar::Int(64),
        "Byte" => Scalar::Uint(8),
        "UInt16" => Scalar::Uint(16),
        "UInt32" => Scalar::Uint(32),
        "UInt64" => Scalar::Uint(64),
        "Single" => Scalar::Float(32),
        "Double" | "Decimal" => Scalar::Float(64),
        // The program checks them; anything may stand there.
        "String" | "Void" | "Object" | "FileInfo" | "DirectoryInfo" | "FileSystemInfo" | "Uri"
        | "Char" | "" => Scalar::String,
        _ => Scalar::Other(name.to_owned()),
    }
}
