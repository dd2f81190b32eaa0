//! Flags and arguments of usage specs.

use super::super::tree::{self, Said, Tree, noted};
use super::node::Reader;
use super::{deprecation, effect};
use crate::model::{Group, Joiner, Kind, Param, Role, Scalar, Split};
use crate::sources::kdl::syntax::Node;

/// A flag with what is said around it.
pub(super) struct Flag {
    pub param: Param,
    /// The commands below have it as well.
    pub is_global: bool,
    pub groups: Vec<Group>,
}

/// What a flag is written as: `-f --file… <FILE>…`.
#[derive(Debug, Default)]
struct Written {
    forms: Vec<String>,
    /// The flag can be given again.
    is_repeated: bool,
    /// Placeholders of its values.
    values: Vec<String>,
    /// A value need not follow.
    is_optional: bool,
    /// Several values follow one flag.
    is_variadic: bool,
}

/// The flag that `node` declares; nothing where its words are not understood.
pub(super) fn flag(node: &Node) -> Option<Flag> {
    let mut written = written(&node.value(0)?)?;
    for alias in node.below("alias").filter(|alias| !alias.is("hide")) {
        written.forms.extend(alias.values());
    }
    let value = node.below("arg").next();
    if let Some(value) = value {
        take_value(&mut written, value);
    }
    let delimiter = node.said("delimiter").or_else(|| value?.said("delimiter"));
    let missing = node.said("default_missing");
    let scalar = match node.is("bool_value") {
        true => Scalar::Bool,
        false => Scalar::String,
    };
    let is_repeated = written.is_repeated || node.is("var");
    let is_optional = written.is_optional || node.is("value_optional") || missing.is_some();
    let kind = match (written.values.len(), delimiter.as_deref()) {
        (0, _) if node.is("count") || is_repeated => Kind::Count,
        (0, _) => Kind::Switch,
        (_, Some(",")) => Kind::List(scalar, Split::Comma),
        (_, Some(_)) => Kind::List(scalar, Split::Joined),
        (2.., None) => Kind::List(scalar, Split::Words),
        (_, None) if written.is_variadic => Kind::List(scalar, Split::Words),
        (_, None) if is_repeated => Kind::List(scalar, Split::Repeat),
        (_, None) => Kind::One(scalar),
    };
    let mut param = tree::flag(written.forms.iter().map(String::as_str), kind)?;
    if let Role::Flag(spelling) = &mut param.role {
        if param.kind.takes_value() {
            spelling.joiner = match spelling.long {
                Some(_) => Joiner::Equals,
                None => Joiner::Space,
            };
            spelling.bare = is_optional.then(|| missing.unwrap_or_default());
            spelling.separator = delimiter.filter(|it| it != ",");
        }
        spelling.negative =
            node.said("negate")
                .and_then(|negative| match (negative.as_str(), &spelling.long) {
                    ("true", Some(long)) => Some(format!("--no-{}", long.trim_start_matches('-'))),
                    (form, _) if form.starts_with('-') => Some(form.to_owned()),
                    _ => None,
                });
    }
    if !written.values.is_empty() {
        param.value_name = Some(written.values.join(" "));
    }
    describe(&mut param, node);
    if let Some(value) = value {
        param.effect = param
            .effect
            .max(value.said("effect").and_then(|it| effect(&it)));
        param.env = param.env.take().or_else(|| value.said("env"));
        param.default = param.default.take().or_else(|| default(value));
        if param.choices.is_empty() {
            choices(&mut param, value);
        }
    }
    if !param.kind.takes_value() && param.default.as_deref() == Some("false") {
        param.default = None;
    }
    param.required &= param.default.is_none();
    param.deprecated = deprecation(node.said("deprecated"));
    let form = tree::forms(&param).next()?.to_owned();
    Some(Flag {
        is_global: node.is("global"),
        groups: relations(node, &form),
        param: noted(param),
    })
}

/// Takes the words of a flag apart; nothing where one of them is none of a flag's.
fn written(words: &str) -> Option<Written> {
    let mut written = Written::default();
    let words = words.replace("...", "…");
    for word in words.split_whitespace() {
        // `--color[=WHEN]`, `--jobs=<N>`
        let (mut form, mut value) = match word.find("[=").or_else(|| word.find('=')) {
            Some(at) if word.starts_with('-') => word.split_at(at),
            _ => (word, ""),
        };
        if let Some(bare) = form.strip_suffix('…')
            && bare.starts_with('-')
        {
            (form, written.is_repeated) = (bare, true);
        }
        let mut is_optional = false;
        if let Some(inner) = value.strip_prefix("[=") {
            (value, is_optional) = (inner.strip_suffix(']')?, true);
        } else if let Some(rest) = value.strip_prefix('=') {
            value = rest;
        }
        match form {
            // The ellipsis of what stands before it.
            "…" if written.values.is_empty() => written.is_repeated = true,
            "…" => written.is_variadic = true,
            _ if form.starts_with('-') => written.forms.push(form.to_owned()),
            _ if form.ends_with(':') => continue,
            _ => {
                let (inner, optional, many) = placeholder(form)?;
                written.values.push(inner.to_owned());
                written.is_optional |= optional;
                written.is_variadic |= many;
            }
        }
        if !value.is_empty() {
            let (inner, optional) = match placeholder(value) {
                Some((inner, optional, _)) => (inner, optional),
                None => (value, false),
            };
            written.values.push(inner.to_owned());
            written.is_optional |= is_optional || optional;
        }
    }
    (!written.forms.is_empty()).then_some(written)
}

/// `<FILE>`, `[FILE]…`: the name, whether it may be missing, whether there may be many.
fn placeholder(word: &str) -> Option<(&str, bool, bool)> {
    let (word, outside) = match word.strip_suffix('…') {
        Some(word) => (word.trim_end(), true),
        None => (word, false),
    };
    let (inner, is_optional) = match word.strip_prefix('<') {
        Some(inner) => (inner.strip_suffix('>')?, false),
        None => (word.strip_prefix('[')?.strip_suffix(']')?, true),
    };
    match inner.strip_suffix('…') {
        Some(inner) => Some((inner, is_optional, true)),
        None => Some((inner, is_optional, outside)),
    }
}

/// What an `arg` below a flag says of its value.
fn take_value(written: &mut Written, node: &Node) {
    let Some(name) = node.value(0) else {
        return;
    };
    let name = name.replace("...", "…");
    written.values.clear();
    for word in name.split_inclusive(['>', ']']).map(str::trim) {
        match (word, placeholder(word)) {
            ("…", _) => written.is_variadic = true,
            ("", _) => {}
            (_, Some((inner, optional, many))) => {
                written.values.push(inner.to_owned());
                written.is_optional |= optional;
                written.is_variadic |= many;
            }
            (bare, None) => written
                .values
                .push(bare.trim_matches('…').trim().to_owned()),
        }
    }
    let most = node.said("var_max").and_then(|it| it.parse::<usize>().ok());
    let has_delimiter = node.said("delimiter").is_some();
    written.is_variadic |= node.is("var") && most != Some(1) && !has_delimiter;
}

/// The positional that `node` declares: `<FILE>`, `[FILE]…`, `[-- WORDS]…`.
pub(super) fn positional(tree: &mut Tree, said: &mut Said, node: &Node) {
    let written = node.value(0).unwrap_or_default().replace("...", "…");
    let mut word = written.trim();
    let mut is_behind = node.said("double_dash").as_deref() == Some("required");
    if let Some(rest) = word.strip_prefix("-- ") {
        (word, is_behind) = (rest.trim(), true);
    }
    // A bare name must be given, too.
    let (name, is_optional, is_many) =
        placeholder(word).unwrap_or((word.trim_end_matches('…'), false, word.ends_with('…')));
    let name = match name.strip_prefix("-- ") {
        Some(rest) => {
            is_behind = true;
            rest.trim()
        }
        None => name.trim(),
    };
    if name.is_empty() {
        tree.lose(
            &said.spec.path,
            format!("the argument `{written}` was not understood"),
        );
        return;
    }
    let kind = match is_many || node.is("var") {
        true => Kind::List(Scalar::String, Split::Words),
        false => Kind::One(Scalar::String),
    };
    let mut param = Param::positional(name, kind);
    describe(&mut param, node);
    param.required = match node.said("required") {
        Some(said) => said == "true",
        None => !is_optional,
    } && param.default.is_none();
    if is_behind {
        said.behind_dashes.get_or_insert_with(|| param.name.clone());
    }
    said.groups.extend(relations(node, &param.name));
    said.positional(noted(param));
}

/// What flags and arguments have in common.
fn describe(param: &mut Param, node: &Node) {
    let short = node.said("help").unwrap_or_default();
    let long = node.said("long_help").or_else(|| node.said("help_long"));
    param.text = long
        .filter(|it| !it.trim().is_empty())
        .unwrap_or(short)
        .trim()
        .to_owned();
    param.required = node.is("required");
    param.hidden = node.is("hide");
    param.env = node.said("env");
    param.effect = node.said("effect").and_then(|it| effect(&it));
    param.default = default(node);
    choices(param, node);
}

/// `default=x`, `default "x"`, `default { "x"; "y" }`.
fn default(node: &Node) -> Option<String> {
    let several: Vec<&str> = node
        .below("default")
        .flat_map(|it| it.children.iter().flatten())
        .map(|it| it.name.text.as_str())
        .collect();
    match several[..] {
        [] => node.said("default"),
        [one] => Some(one.to_owned()),
        _ => Some(format!("[{}]", several.join(","))),
    }
}

/// `choices "a" "b" { choice "c" }`. What would be run for more of them is not, and
/// then, as where others are taken too, they are only examples.
fn choices(param: &mut Param, node: &Node) {
    for choices in node.below("choices") {
        let visible = choices.below("choice").filter(|choice| !choice.is("hide"));
        let all: Vec<String> = choices
            .values()
            .into_iter()
            .chain(visible.filter_map(|choice| choice.value(0)))
            .collect();
        let is_open = ["run", "env"].iter().any(|key| choices.said(key).is_some())
            || choices.said("strict").as_deref() == Some("false");
        match is_open {
            false => param.choices = all,
            true if all.is_empty() => {}
            true => param.text = format!("{} (such as {})", param.text, all.join(", ")),
        }
    }
}

/// How the parameter that is written as `form` depends on others.
fn relations(node: &Node, form: &str) -> Vec<Group> {
    let form = || form.to_owned();
    let mut groups = Vec::new();
    for other in node.all_said("conflicts") {
        groups.push(Group::Exclusive(vec![form(), other]));
    }
    for other in node.all_said("requires") {
        groups.push(Group::Requires(vec![form(), other]));
    }
    for other in node.all_said("required_if") {
        groups.push(Group::Requires(vec![other, form()]));
    }
    let others = node.all_said("required_unless");
    if !others.is_empty() {
        groups.push(Group::AnyOf([vec![form()], others].concat()));
    }
    groups
}
