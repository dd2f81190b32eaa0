//! Pages of optionator, whose types stand behind the names: `-c, --config path::String`.

use super::super::{Page, Text, lines};
use super::written::{Flags, Written, asks_for_help, flag};
use crate::model::{Evidence, Fact, Kind, Param, Scalar, Split};
use crate::sources::help::text::indent;

/// The types that its authors write, and what a value of each is.
const TYPES: [(&str, Option<Scalar>); 9] = [
    ("String", Some(Scalar::String)),
    ("Int", Some(Scalar::Int(64))),
    ("Number", Some(Scalar::Float(64))),
    ("Float", Some(Scalar::Float(64))),
    ("Object", Some(Scalar::String)),
    ("Array", Some(Scalar::String)),
    ("Date", Some(Scalar::String)),
    ("RegExp", Some(Scalar::String)),
    ("Boolean", None),
];

pub(super) fn is_look(lines: &[&str]) -> bool {
    let option = |line: &&&str| line.trim_start().starts_with('-');
    lines.iter().filter(option).any(|line| line.contains("::"))
}

pub(super) fn read(text: &Text<'_>) -> Page {
    let mut page = lines::page(text);
    let mut flags = Flags::default();
    page.unread.clear();
    for line in text.lines.iter().filter(|line| indent(line) > 0) {
        let content = line.trim();
        if !content.starts_with('-') {
            continue;
        }
        let (left, text) = content.split_once("  ").unwrap_or((content, ""));
        let text = text.trim();
        let (names, kind) = typed(left);
        match (Written::read(names), kind) {
            (Some(written), _) if asks_for_help(&written, text) => {}
            (Some(written), Some((kind, name))) => {
                if let Some(mut param) = flag(&written, text) {
                    param.kind = kind;
                    param.value_name = name;
                    take_default(&mut param);
                    flags.add(param);
                }
            }
            _ => page.unread.push((*line).to_owned()),
        }
    }
    page.flags = flags.finish();
    page
}

/// The names, and the type that stands behind them with its placeholder.
fn typed(left: &str) -> (&str, Option<(Kind, Option<String>)>) {
    let Some((names, last)) = left
        .rsplit_once(' ')
        .filter(|(_, last)| !last.starts_with('-'))
    else {
        return (left, Some((Kind::Switch, None)));
    };
    let (name, printed) = match last.split_once("::") {
        Some((name, printed)) => (Some(name.to_owned()), printed),
        None => (None, last),
    };
    let inner = printed
        .strip_prefix('[')
        .and_then(|it| it.strip_suffix(']'));
    // `Int|String`: either is a text.
    let mut words = inner.unwrap_or(printed).split('|');
    let known = |word: &str| TYPES.into_iter().find(|(name, _)| *name == word);
    let scalar = match (words.next().and_then(known), words.next()) {
        (first, None) => first,
        (Some(_), Some(second)) => known(second).map(|_| ("String", Some(Scalar::String))),
        (None, Some(_)) => None,
    };
    let kind = scalar.map(|(_, scalar)| match (scalar, inner) {
        (Some(scalar), Some(_)) => Kind::List(scalar, Split::Repeat),
        (Some(scalar), None) => Kind::One(scalar),
        (None, _) => Kind::Switch,
    });
    (
        names,
        kind.map(|kind| (kind, name.or(Some(printed.to_owned())))),
    )
}

/// `… - either: a, b, or c - default: a`
fn take_default(param: &mut Param) {
    if let Some((text, default)) = param.text.rsplit_once(" - default: ") {
        param.default = Some(default.trim().to_owned());
        param.text = text.to_owned();
        param.from.note(Fact::Default, Evidence::Help);
    }
    if let Some((text, either)) = param.text.rsplit_once(" - either: ") {
        let words = either.replace(", or ", ", ").replace(" or ", ", ");
        let words: Vec<String> = words.split(", ").map(|it| it.trim().to_owned()).collect();
        if words
            .iter()
            .all(|word| !word.is_empty() && !word.contains(' '))
        {
            param.choices = words;
            param.text = text.to_owned();
            param.from.note(Fact::Choices, Evidence::Help);
        }
    }
}
