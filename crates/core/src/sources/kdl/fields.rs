//! What a node says, by name: its child nodes, and where that is allowed its
//! properties too. Each value is checked as it is asked for.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::fault::{Fault, Sort, Span};
use super::syntax::{Entry, Node, Value};
use crate::catalog::names::nearest;

/// Mistakes of one file that are told.
const MOST_MISTAKES: usize = 100;
/// Letters of a word that is compared with others.
const LONGEST_COMPARED: usize = 64;
/// Words of a list that a message shows.
const MOST_LISTED: usize = 12;

/// Where faults are gathered: the first of them, and how many there are.
#[derive(Default)]
pub(crate) struct Faults {
    pub kept: Vec<Fault>,
    pub more: usize,
}

impl Faults {
    pub fn add(&mut self, fault: Fault) {
        match self.is_full() {
            true => self.more += 1,
            false => self.kept.push(fault),
        }
    }

    pub fn count(&self) -> usize {
        self.kept.len() + self.more
    }

    fn is_full(&self) -> bool {
        self.kept.len() >= MOST_MISTAKES
    }

    /// The one of `names` that `name` was probably meant to be, where that is worth the
    /// search: a hostile file has fifty thousand wrong words.
    pub fn nearest<'a>(
        &self,
        name: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        match self.is_full() || name.len() > LONGEST_COMPARED {
            true => None,
            false => nearest(name, names),
        }
    }
}

/// How a node may be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Only child nodes.
    Children,
    /// Child nodes or properties.
    Either,
}

/// What may stand in a node.
pub(crate) struct Known {
    /// What may be said once.
    pub once: &'static [&'static str],
    /// Nodes that may stand several times.
    pub often: &'static [&'static str],
    pub form: Form,
}

/// One thing that a node says.
pub(crate) struct Field<'a> {
    pub name: &'a str,
    /// Where the name stands.
    pub span: Span,
    values: Vec<&'a Entry>,
    node: Option<&'a Node>,
}

/// Everything that a node says.
pub(crate) struct Fields<'a> {
    once: BTreeMap<&'a str, Field<'a>>,
    /// What unknown names were probably meant to be.
    meant: Vec<&'static str>,
    /// Nodes that may stand several times, in order.
    pub often: Vec<&'a Node>,
}

impl<'a> Fields<'a> {
    /// Sorts what `node` says, and finds fault with what is not `known`.
    pub fn of(node: &'a Node, known: &Known, faults: &mut Faults) -> Self {
        let mut fields = Self {
            once: BTreeMap::new(),
            meant: Vec::new(),
            often: Vec::new(),
        };
        for entry in &node.entries {
            let Some(key) = &entry.key else { continue };
            let field = Field {
                name: &key.text,
                span: key.span,
                values: vec![entry],
                node: None,
            };
            match known.form {
                Form::Either => fields.add(field, node, known, faults),
                Form::Children => {
                    let message = format!("`{}` takes no properties", node.name.text);
                    let fault = Fault::new(Sort::Value, key.span, message);
                    let help = format!(
                        "write `{} …` on a line of its own within its braces",
                        key.text
                    );
                    faults.add(fault.help(help));
                }
            }
        }
        for child in node.children.iter().flatten() {
            if known.often.contains(&child.name.text.as_str()) {
                fields.often.push(child);
                continue;
            }
            let field = Field {
                name: &child.name.text,
                span: child.name.span,
                values: child.entries.iter().collect(),
                node: Some(child),
            };
            fields.add(field, node, known, faults);
        }
        fields
    }

    fn add(&mut self, field: Field<'a>, node: &Node, known: &Known, faults: &mut Faults) {
        let names = || known.once.iter().chain(known.often).copied();
        if !known.once.contains(&field.name) {
            let within = format!("`{}`", node.name.text);
            let near = faults.nearest(field.name, names());
            self.meant.extend(near);
            faults.add(unknown(field.name, field.span, &within, near, names()));
            return;
        }
        if let Some(first) = self.once.get(field.name) {
            let message = format!("`{}` is given twice", field.name);
            let fault = Fault::new(Sort::Conflict, field.span, message);
            faults.add(fault.other(first.span, "it is first given here"));
            return;
        }
        self.once.insert(field.name, field);
    }

    pub fn get(&self, name: &str) -> Option<&Field<'a>> {
        self.once.get(name)
    }

    /// Whether `name` is neither said nor misspelt.
    pub fn lacks(&self, name: &str) -> bool {
        !self.has(name) && !self.meant.contains(&name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.once.contains_key(name)
    }

    /// The nodes called `name`, which may stand several times.
    pub fn all_of(&self, name: &'static str) -> impl Iterator<Item = &'a Node> {
        let often = self.often.iter().copied();
        often.filter(move |node| node.name.text == name)
    }

    /// Where `name` stands, if it does.
    pub fn span(&self, name: &str) -> Option<Span> {
        self.get(name).map(|field| field.span)
    }

    /// The node called `name`, which holds others.
    pub fn node(&self, name: &str, faults: &mut Faults) -> Option<&'a Node> {
        let field = self.get(name)?;
        match field.node {
            Some(node) => Some(node),
            None => {
                let message = format!("`{name}` takes its content in braces");
                let fault = Fault::new(Sort::Value, field.span, message);
                faults.add(fault.help(format!("write `{name} {{ … }}`")));
                None
            }
        }
    }

    /// The one text of `name`, not empty.
    pub fn text(&self, name: &str, faults: &mut Faults) -> Option<(&'a str, Span)> {
        let field = self.get(name)?;
        let entry = field.one("a text in quotes", faults)?;
        text(name, entry, faults)
    }

    /// The one text of `name`, which may be blank.
    pub fn blank_text(&self, name: &str, faults: &mut Faults) -> Option<&'a str> {
        let field = self.get(name)?;
        let entry = field.one("a text in quotes", faults)?;
        match &entry.value {
            Value::Text(text) if !text.is_empty() => Some(text),
            _ => {
                faults.add(wrong(name, "a text that is not empty", entry));
                None
            }
        }
    }

    /// The one text of `name`, which may be empty.
    pub fn any_text(&self, name: &str, faults: &mut Faults) -> Option<(&'a str, Span)> {
        let field = self.get(name)?;
        let entry = field.one("a text in quotes", faults)?;
        match &entry.value {
            Value::Text(text) => Some((text, entry.span)),
            _ => {
                faults.add(wrong(name, "a text in quotes", entry));
                None
            }
        }
    }

    /// The one value of `name`, as text: a number and `true` may stand without quotes.
    pub fn value_text(&self, name: &str, faults: &mut Faults) -> Option<String> {
        let field = self.get(name)?;
        let entry = field.one("a value", faults)?;
        match &entry.value {
            Value::Text(text) => Some(text.clone()),
            Value::Integer(number) => Some(number.to_string()),
            Value::Float(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Null => {
                faults.add(wrong(name, "a value", entry));
                None
            }
        }
    }

    /// Whether `name` is true.
    pub fn flag(&self, name: &str, faults: &mut Faults) -> Option<bool> {
        let field = self.get(name)?;
        let entry = field.one("true or false", faults)?;
        match &entry.value {
            Value::Bool(flag) => Some(*flag),
            _ => {
                faults.add(wrong(name, "true or false", entry));
                None
            }
        }
    }

    /// The whole number of `name`, within `range`.
    pub fn integer(
        &self,
        name: &str,
        what: &str,
        range: RangeInclusive<u64>,
        faults: &mut Faults,
    ) -> Option<u64> {
        let field = self.get(name)?;
        let expected = format!("{what} from {} to {}", range.start(), range.end());
        let entry = field.one(&expected, faults)?;
        let number = match &entry.value {
            Value::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        };
        let number = number.filter(|number| range.contains(number));
        if number.is_none() {
            faults.add(wrong(name, &expected, entry));
        }
        number
    }

    /// The one of `choices` that `name` says.
    pub fn choice<T: Copy>(
        &self,
        name: &str,
        choices: &[(&'static str, T)],
        faults: &mut Faults,
    ) -> Option<T> {
        self.choice_of(name, choices, &[], faults)
    }

    /// The one of `choices`, or of the `rare` ones that messages do not list.
    pub fn choice_of<T: Copy>(
        &self,
        name: &str,
        choices: &[(&'static str, T)],
        rare: &[(&'static str, T)],
        faults: &mut Faults,
    ) -> Option<T> {
        let field = self.get(name)?;
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let expected = either(&words);
        let entry = field.one(&expected, faults)?;
        let Value::Text(said) = &entry.value else {
            faults.add(wrong(name, &expected, entry));
            return None;
        };
        let found = choices.iter().chain(rare).find(|(word, _)| word == said);
        if found.is_none() {
            let mut fault = wrong(name, &expected, entry);
            let rare = rare.iter().map(|(word, _)| *word);
            let near = faults.nearest(said, words);
            if let Some(near) = near.or_else(|| faults.nearest(said, rare)) {
                fault = fault.help(format!("did you mean \"{near}\"?"));
            }
            faults.add(fault);
        }
        found.map(|(_, choice)| *choice)
    }

    /// The texts of `name`, at least one.
    pub fn texts(&self, name: &str, faults: &mut Faults) -> Option<Vec<(&'a str, Span)>> {
        let field = self.get(name)?;
        Some(field.texts(faults))
    }
}

impl<'a> Field<'a> {
    /// A node that may stand several times, as a field.
    pub fn of(node: &'a Node) -> Self {
        Self {
            name: &node.name.text,
            span: node.name.span,
            values: node.entries.iter().collect(),
            node: Some(node),
        }
    }

    /// Its first value, unchecked.
    pub fn first(&self) -> Option<&'a Value> {
        self.values.first().map(|entry| &entry.value)
    }

    /// Its only value.
    fn one(&self, expected: &str, faults: &mut Faults) -> Option<&'a Entry> {
        match self.all(faults).as_slice() {
            [entry] => Some(entry),
            [] => {
                let message = format!("`{}` takes {expected}", self.name);
                faults.add(Fault::new(Sort::Missing, self.span, message));
                None
            }
            [_, second, ..] => {
                let message = format!("`{}` takes one value: {expected}", self.name);
                let fault = Fault::new(Sort::Value, second.span, message);
                faults.add(fault.help("the next node begins on a line of its own, or behind `;`"));
                None
            }
        }
    }

    /// Its values, and fault with properties and braces.
    pub fn all(&self, faults: &mut Faults) -> Vec<&'a Entry> {
        let Some(node) = self.node else {
            return self.values.clone();
        };
        if node.children.is_some() {
            let message = format!("`{}` takes no braces", self.name);
            faults.add(Fault::new(Sort::Value, self.span, message));
        }
        let (keyed, values): (Vec<&Entry>, Vec<&Entry>) =
            node.entries.iter().partition(|entry| entry.key.is_some());
        for key in keyed.iter().filter_map(|entry| entry.key.as_ref()) {
            let message = format!("`{}` takes no properties", self.name);
            faults.add(Fault::new(Sort::Value, key.span, message));
        }
        values
    }

    /// Its texts, at least one.
    pub fn texts(&self, faults: &mut Faults) -> Vec<(&'a str, Span)> {
        let entries = self.all(faults);
        if entries.is_empty() {
            let message = format!("`{}` takes at least one text in quotes", self.name);
            faults.add(Fault::new(Sort::Missing, self.span, message));
        }
        entries
            .into_iter()
            .filter_map(|entry| text(self.name, entry, faults))
            .collect()
    }

    /// Its texts, at least one; those after the first may be empty, as words may.
    pub fn words(&self, faults: &mut Faults) -> Vec<(&'a str, Span)> {
        let entries = self.all(faults);
        let mut words = Vec::new();
        if entries.is_empty() {
            let message = format!("`{}` takes at least one text in quotes", self.name);
            faults.add(Fault::new(Sort::Missing, self.span, message));
        }
        for (index, entry) in entries.into_iter().enumerate() {
            words.extend(match &entry.value {
                Value::Text(word) if index > 0 => Some((word.as_str(), entry.span)),
                _ => text(self.name, entry, faults),
            });
        }
        words
    }
}

fn text<'a>(name: &str, entry: &'a Entry, faults: &mut Faults) -> Option<(&'a str, Span)> {
    match &entry.value {
        Value::Text(text) if text.trim().is_empty() => {
            let message = format!("`{name}` is empty");
            faults.add(Fault::new(Sort::Value, entry.span, message));
            None
        }
        Value::Text(text) => Some((text, entry.span)),
        _ => {
            faults.add(wrong(name, "a text in quotes", entry));
            None
        }
    }
}

/// The name that `node` gives: its one value.
pub(crate) fn name_of<'a>(node: &'a Node, faults: &mut Faults) -> Option<(&'a str, Span)> {
    let what = &node.name.text;
    let mut values = node.entries.iter().filter(|entry| entry.key.is_none());
    let Some(entry) = values.next() else {
        let message = format!("`{what}` needs a name");
        let fault = Fault::new(Sort::Missing, node.name.span, message);
        faults.add(fault.help(format!("write `{what} \"name\" {{ … }}`")));
        return None;
    };
    for more in values {
        let message = format!("`{what}` takes one name");
        let fault = Fault::new(Sort::Value, more.span, message);
        faults.add(fault.help(match what.as_str() {
            "arg" | "flag" => {
                "what is said of it stands behind its name as `description=\"…\"`, or in braces"
            }
            _ => "what is said of it stands in braces",
        }));
    }
    match &entry.value {
        Value::Text(text) => Some((text, entry.span)),
        _ => {
            faults.add(wrong(what, "a name in quotes", entry));
            None
        }
    }
}

/// A node that takes only braces and properties: fault with its values.
pub(crate) fn no_values(node: &Node, faults: &mut Faults) {
    for entry in node.entries.iter().filter(|entry| entry.key.is_none()) {
        let message = format!("`{}` takes no value of its own", node.name.text);
        let fault = Fault::new(Sort::Value, entry.span, message);
        faults.add(fault.help(format!("write `{} {{ … }}`", node.name.text)));
    }
}

/// A word that nothing is called here.
pub(crate) fn unknown<'a>(
    name: &str,
    span: Span,
    within: &str,
    near: Option<&str>,
    names: impl Iterator<Item = &'a str>,
) -> Fault {
    let shown: String = name.chars().take(40).collect();
    let fault = Fault::new(
        Sort::Unknown,
        span,
        format!("`{shown}` means nothing in {within}"),
    );
    match near {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => {
            let names: Vec<&str> = names.collect();
            fault.help(format!("it may hold {}", names.join(", ")))
        }
    }
}

/// A value of the wrong type or beyond its bounds.
pub(crate) fn wrong(name: &str, expected: &str, entry: &Entry) -> Fault {
    let message = format!("`{name}` takes {expected}, not {}", shown(&entry.value));
    Fault::new(Sort::Value, entry.span, message)
}

/// A value as a message shows it.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => {
            let short: String = text.chars().take(40).collect();
            let more = if short.len() < text.len() { "…" } else { "" };
            format!("\"{short}{more}\"")
        }
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null => "null".to_owned(),
    }
}

/// `"a", "b" or "c"`.
pub(crate) fn either(words: &[&str]) -> String {
    let listed = words.iter().take(MOST_LISTED);
    let quoted: Vec<String> = listed.map(|word| format!("\"{word}\"")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some(_) if words.len() > MOST_LISTED => format!("{} …", quoted.join(", ")),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}
