//! What yargs prints behind an option's text:
//! `[string] [required] [choices: "a", "b"] [default: "a"]`.

use super::Type;
use super::table::Row;
use crate::model::{Evidence, Fact, Kind, Param, Role};

/// The tags of one row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Tags {
    pub kind: Option<Type>,
    pub required: bool,
    pub choices: Vec<String>,
    pub default: Option<String>,
    pub aliases: Vec<String>,
    /// The reason, which may be nothing.
    pub deprecated: Option<String>,
}

impl Tags {
    /// Notes in `param` what its type does not say.
    pub fn put(self, param: &mut Param) {
        let flag = matches!(param.role, Role::Flag(_));
        if let (false, Some(kind)) = (flag, self.kind) {
            let many = matches!(param.kind, Kind::List(..));
            param.kind = match (kind.kind(), many) {
                (Kind::One(scalar), true) => Kind::List(scalar, crate::model::Split::Words),
                (Kind::Switch | Kind::Count, _) => param.kind.clone(),
                (kind, _) => kind,
            };
            param.from.note(Fact::Type, Evidence::Help);
        }
        if !self.choices.is_empty() {
            param.choices = self.choices;
            param.from.note(Fact::Choices, Evidence::Help);
        }
        if self.default.is_some() {
            param.default = self.default;
            param.from.note(Fact::Default, Evidence::Help);
        }
        if self.deprecated.is_some() {
            param.deprecated = self.deprecated;
        }
    }
}

/// The left side of `row`, its text without tags, and the tags.
pub(super) fn split_row(row: Row) -> (String, String, Tags) {
    let text = row.text.trim();
    // The first place from which on there is nothing but tags.
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find('[')) {
        let at = from + at;
        let rest = text.get(at..).unwrap_or_default();
        if starts_tag(rest)
            && let Some(tags) = read(rest)
        {
            let text = text.get(..at).unwrap_or_default().trim_end();
            return (row.left, text.to_owned(), tags);
        }
        from = at + 1;
    }
    (row.left, text.to_owned(), Tags::default())
}

/// Whether `text` begins with a tag that yargs prints.
pub(super) fn starts_tag(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('[') else {
        return false;
    };
    let word = inner.split([']', ':', ' ']).next().unwrap_or_default();
    let words = [
        "boolean",
        "string",
        "number",
        "array",
        "count",
        "required",
        "choices",
        "default",
        "aliases",
        "deprecated",
    ];
    words.contains(&word)
}

/// Reads `text` as tags from its start to its end.
fn read(text: &str) -> Option<Tags> {
    let mut tags = Tags::default();
    let mut rest = text;
    while !rest.is_empty() {
        if !starts_tag(rest) {
            return None;
        }
        let end = closing(rest)?;
        let inner = rest.get(1..end)?;
        match inner.split_once(':') {
            None => match inner.trim() {
                "boolean" => tags.kind = Some(Type::Boolean),
                "string" => tags.kind = Some(Type::Text),
                "number" => tags.kind = Some(Type::Number),
                "array" => tags.kind = Some(Type::Array),
                "count" => tags.kind = Some(Type::Count),
                "required" => tags.required = true,
                "deprecated" => tags.deprecated = Some(String::new()),
                // The command that is run where none is named.
                "default" => {}
                _ => return None,
            },
            Some(("choices", values)) => tags.choices = list(values),
            Some(("default", value)) => tags.default = Some(unquoted(value.trim())),
            Some(("aliases", names)) => tags.aliases = list(names),
            Some(("deprecated", why)) => tags.deprecated = Some(why.trim().to_owned()),
            Some(_) => return None,
        }
        rest = rest.get(end + 1..)?.trim_start();
    }
    // Nothing is what a list prints that has none; objects no value can be written as.
    tags.default
        .take_if(|it| matches!(it.as_str(), "[]" | "{}" | "undefined" | "null"));
    Some(tags)
}

/// Where the bracket that `text` starts with ends; brackets in quotes are text.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quoted) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Values between commas; texts are in quotes.
fn list(text: &str) -> Vec<String> {
    let (mut values, mut value, mut quoted) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => values.push(std::mem::take(&mut value)),
            ' ' if !quoted => {}
            c => value.push(c),
        }
    }
    values.push(value);
    values.retain(|value| !value.is_empty());
    values
}

fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    inner.unwrap_or(text).to_owned()
}
