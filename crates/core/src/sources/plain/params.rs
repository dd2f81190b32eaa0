//! Makes parameters of options as printed.

use std::collections::BTreeMap;

use super::options::{Listed, Value};
use crate::model::{Evidence, Fact, Joiner, Kind, Param, Role, Scalar, Spelling, Split};

/// Parameters out of options; help is asked for otherwise. An option that is listed
/// again adds what the first did not say.
pub(crate) fn flags(listed: Vec<Listed>) -> Vec<Param> {
    let mut params: Vec<Param> = Vec::new();
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let says_help = |option: &Listed| {
        let text = option.text.to_lowercase();
        ["help", "usage"].iter().any(|word| text.contains(word))
    };
    let is_h = |option: &Listed| option.longs.is_empty() && option.shorts == ["-h"];
    let h_helps = listed
        .iter()
        .any(|option| is_h(option) && says_help(option));
    for option in listed {
        let letters = |name: &String| matches!(name.as_str(), "-?" | "-help" | "-h");
        let is_help = option.longs.iter().any(|name| name == "help")
            || option.longs.is_empty()
                && option.shorts.iter().all(letters)
                && (h_helps || option.shorts.iter().any(|name| name != "-h"));
        if is_help {
            continue;
        }
        let mut param = flag(&option);
        let Role::Flag(spelling) = &mut param.role else {
            continue;
        };
        let known = |form: &Option<String>| form.as_ref().and_then(|form| taken.get(form)).copied();
        if let Some(at) = known(&spelling.long).or_else(|| known(&spelling.short)) {
            again(&mut params[at], &param);
            continue;
        }
        let negates = spelling
            .long
            .as_ref()
            .and_then(|long| long.strip_prefix("--no-"));
        let positive = negates
            .and_then(|name| taken.get(&format!("--{name}")))
            .copied();
        let forms = [spelling.long.clone(), spelling.short.clone()];
        match positive.and_then(|at| off(&mut params[at], &param)) {
            Some(at) => taken.insert(at, positive.unwrap_or_default()),
            None => {
                for form in forms.into_iter().flatten() {
                    taken.insert(form, params.len());
                }
                params.push(param);
                None
            }
        };
    }
    params
}

/// `-save-temps` and `-save-temps=<arg>` are one option whose value may be left out.
fn again(param: &mut Param, other: &Param) {
    let (Role::Flag(have), Role::Flag(more)) = (&mut param.role, &other.role) else {
        return;
    };
    let equals = more.joiner == Joiner::Equals;
    if param.kind == Kind::Switch && other.kind.takes_value() && equals && have.long == more.long {
        have.joiner = Joiner::Equals;
        have.bare = Some(String::new());
        param.kind = other.kind.clone();
        param.value_name.clone_from(&other.value_name);
        param.choices.clone_from(&other.choices);
        param.from.note(Fact::Bare, Evidence::Help);
    }
}

/// `--no-x` right beside `--x`, both switches, is its other position.
fn off(param: &mut Param, negative: &Param) -> Option<String> {
    if param.kind != Kind::Switch || negative.kind != Kind::Switch {
        return None;
    }
    let other = negative.spelling()?;
    let long = other.long.clone().filter(|_| other.short.is_none())?;
    let Role::Flag(spelling) = &mut param.role else {
        return None;
    };
    // Its own text says more than that it is the opposite.
    let plain = negative.text.is_empty() || negative.text.starts_with("opposite of ");
    if spelling.negative.is_some() && spelling.negative.as_ref() != Some(&long) || !plain {
        return None;
    }
    spelling.negative = Some(long.clone());
    Some(long)
}

fn flag(option: &Listed) -> Param {
    let long = option.longs.first();
    let short = option.shorts.first();
    let word = option.shorts.iter().find(|short| short.chars().count() > 2);
    let letter = option
        .shorts
        .iter()
        .find(|short| short.chars().count() == 2);
    // `-name` is the long form where there is no other.
    let (long, short) = match (long, word) {
        (Some(long), _) => (Some(format!("--{long}")), letter.or(short).cloned()),
        (None, Some(word)) => (Some(word.clone()), letter.cloned()),
        (None, None) => (None, short.cloned()),
    };
    let name = long.as_deref().or(short.as_deref()).unwrap_or_default();
    let one = |name: &String, optional| (kind_of(name), Some(name.clone()), optional);
    let (kind, placeholder, optional) = match &option.value {
        Value::None if option.counted => (Kind::Count, None, false),
        Value::None => (Kind::Switch, None, false),
        Value::Needed(name) => one(name, false),
        Value::Optional(name) => one(name, true),
        Value::Several(names) => (
            Kind::List(Scalar::String, Split::Words),
            Some(names.clone()),
            false,
        ),
    };
    let mut param = Param::flag(name.trim_start_matches('-'), kind);
    let only_short = long.is_none();
    param.role = Role::Flag(Spelling {
        negative: option
            .negatable
            .then(|| option.longs.first().map(|name| format!("--no-{name}")))
            .flatten(),
        joiner: match () {
            () if option.attached => Joiner::Attached,
            () if option.equals && !only_short => Joiner::Equals,
            // `-c=FILE`, where that is all there is, is how it is written.
            () if option.equals && option.longs.is_empty() => Joiner::Equals,
            () => Joiner::Space,
        },
        // That it needs no value is known; what it then stands for is not.
        bare: optional.then(String::new),
        long,
        short,
        ..Spelling::default()
    });
    param.choices = placeholder.as_deref().map(choices).unwrap_or_default();
    param.value_name = placeholder.filter(|name| !name.is_empty());
    param.text.clone_from(&option.text);
    take_tags(&mut param);
    param.from.note(Fact::Name, Evidence::Help);
    param.from.note(Fact::Type, Evidence::Help);
    if !param.choices.is_empty() {
        param.from.note(Fact::Choices, Evidence::Help);
    }
    param
}

/// The type that a placeholder names; click's names are the only sure ones.
fn kind_of(placeholder: &str) -> Kind {
    Kind::One(match placeholder {
        "INTEGER" | "INTEGER RANGE" => Scalar::Int(64),
        "FLOAT" | "FLOAT RANGE" => Scalar::Float(64),
        _ => Scalar::String,
    })
}

/// `{a,b}`, `{a|b}`, `(a|b)` and click's `[a|b]` list every value there is.
pub(crate) fn choices(placeholder: &str) -> Vec<String> {
    let inner = |open, close| placeholder.strip_prefix(open)?.strip_suffix(close);
    let braces = inner('{', '}');
    let bars = inner('[', ']').or_else(|| inner('(', ')'));
    let values: Vec<&str> = match (braces, bars) {
        (Some(list), _) if list.contains('|') => list.split('|').collect(),
        (Some(list), _) => list.split(',').collect(),
        (_, Some(list)) if list.contains('|') => list.split('|').collect(),
        _ => return Vec::new(),
    };
    let values: Vec<&str> = values.into_iter().map(str::trim).collect();
    // `{a..z}` and words in capitals stand for something else.
    let plain = |value: &&str| {
        !value.is_empty()
            && value
                .chars()
                .all(|c| c.is_alphanumeric() || "-_+:/.".contains(c))
            && !value.contains("..")
    };
    if values.len() > 1 && values.iter().all(plain) {
        values.into_iter().map(str::to_owned).collect()
    } else {
        Vec::new()
    }
}

/// Reads what clap and click add to a text: `[default: x]`, `[possible values: a, b]`.
fn take_tags(param: &mut Param) {
    let text = param.text.clone();
    let tag = |name: &str| {
        let start = text.rfind(&format!("[{name}: "))? + name.len() + 3;
        let end = text[start..].find([']', ';'])?;
        Some(text[start..start + end].trim().to_owned())
    };
    if param.kind.takes_value() {
        param.default = tag("default").map(|value| value.trim_matches('"').to_owned());
        if let Some(values) = tag("possible values") {
            param.choices = values
                .split(',')
                .map(|value| value.trim().to_owned())
                .collect();
        }
    } else if ["[string]", "[number]", "[array]"]
        .iter()
        .any(|tag| text.contains(tag))
    {
        // yargs shows the type at the end and no placeholder.
        param.kind = Kind::One(Scalar::String);
    }
    if param.default.is_some() {
        param.from.note(Fact::Default, Evidence::Help);
    }
}
