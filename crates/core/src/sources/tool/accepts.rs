//! What a flag takes: how two schemas' answers combine, and how it is shown.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Accepts;

/// Choices that a placeholder shows before it only says that there are more.
const SHOWN_CHOICES: usize = 8;

/// Characters of choices that a placeholder shows.
const SHOWN_WIDTH: usize = 60;

impl Accepts {
    /// A value's name in a synopsis: `STRING`, `INTEGER`, `a|b|c`. For a list, of
    /// one of its values.
    pub fn placeholder(&self) -> String {
        match self {
            Accepts::Text => "STRING".to_owned(),
            Accepts::Integer => "INTEGER".to_owned(),
            Accepts::Number => "NUMBER".to_owned(),
            Accepts::Boolean => "true|false".to_owned(),
            Accepts::Choice(choices) => choice_placeholder(choices),
            Accepts::AnyOf(alternatives) => {
                let mut names: Vec<String> = Vec::new();
                for alternative in alternatives.iter().filter(|each| **each != Accepts::Null) {
                    let name = alternative.placeholder();
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
                names.join("|")
            }
            Accepts::List(item) => match item.list_item() {
                Some(_) => "JSON".to_owned(),
                None => item.placeholder(),
            },
            Accepts::Object => "JSON".to_owned(),
            Accepts::Null => "null".to_owned(),
            Accepts::Anything => "VALUE".to_owned(),
        }
    }

    /// The words that can be a value, where they are few: what completion offers.
    pub fn words(&self) -> Vec<String> {
        match self {
            Accepts::Boolean => vec!["true".to_owned(), "false".to_owned()],
            Accepts::Choice(choices) => choices.iter().map(choice_word).collect(),
            // Where any word is text, `null` is text too.
            Accepts::AnyOf(alternatives) => alternatives
                .iter()
                .filter(|each| !(self.takes_text() && **each == Accepts::Null))
                .flat_map(Accepts::words)
                .collect(),
            Accepts::List(item) => item.words(),
            Accepts::Null => vec!["null".to_owned()],
            Accepts::Text
            | Accepts::Integer
            | Accepts::Number
            | Accepts::Object
            | Accepts::Anything => Vec::new(),
        }
    }

    /// The words that can be a value, where there are no others.
    pub fn choices(&self) -> Vec<String> {
        match self.is_counted() {
            true => self.words(),
            false => Vec::new(),
        }
    }

    /// What stands for the values that are not among [`Accepts::words`], if there are any.
    pub fn others(&self) -> Vec<String> {
        match self {
            Accepts::AnyOf(alternatives) => alternatives.iter().flat_map(Accepts::others).collect(),
            Accepts::List(item) => item.others(),
            other if other.is_counted() => Vec::new(),
            other => vec![other.placeholder()],
        }
    }

    /// Whether [`Accepts::words`] are all that there is.
    fn is_counted(&self) -> bool {
        match self {
            Accepts::Boolean | Accepts::Choice(_) | Accepts::Null => true,
            Accepts::AnyOf(alternatives) => alternatives.iter().all(Accepts::is_counted),
            Accepts::List(item) => item.is_counted(),
            Accepts::Text
            | Accepts::Integer
            | Accepts::Number
            | Accepts::Object
            | Accepts::Anything => false,
        }
    }

    /// Whether the flag stands alone: `--all`, `--no-all`.
    pub fn is_switch(&self) -> bool {
        match self {
            Accepts::Boolean => true,
            Accepts::AnyOf(alternatives) => alternatives
                .iter()
                .all(|each| matches!(each, Accepts::Boolean | Accepts::Null)),
            _ => false,
        }
    }

    /// What each value is, where the flag may be repeated.
    pub fn list_item(&self) -> Option<&Accepts> {
        match self {
            Accepts::List(item) => Some(item),
            Accepts::AnyOf(alternatives) => alternatives.iter().find_map(Accepts::list_item),
            _ => None,
        }
    }

    /// Whether any word at all is a value.
    pub(crate) fn takes_text(&self) -> bool {
        match self {
            Accepts::Text | Accepts::Anything => true,
            Accepts::AnyOf(alternatives) => alternatives.iter().any(Accepts::takes_text),
            Accepts::List(item) => item.takes_text(),
            _ => false,
        }
    }

    /// What one of `values` is: a switch where they are booleans.
    pub(super) fn choice(values: Vec<Value>) -> Self {
        match values.iter().all(Value::is_boolean) {
            true => Accepts::Boolean,
            false => Accepts::Choice(values),
        }
    }

    /// What either takes, flat and the strictest first.
    pub(super) fn either(alternatives: impl IntoIterator<Item = Accepts>) -> Self {
        let mut flat = Vec::new();
        for alternative in alternatives {
            match alternative {
                Accepts::AnyOf(inner) => inner.into_iter().for_each(|each| add(&mut flat, each)),
                other => add(&mut flat, other),
            }
        }
        if flat.contains(&Accepts::Anything) || flat.is_empty() {
            return Accepts::Anything;
        }
        if flat.contains(&Accepts::Number) {
            flat.retain(|each| *each != Accepts::Integer);
        }
        flat.sort_by_key(strictness);
        match flat.len() {
            1 => flat.remove(0),
            _ => Accepts::AnyOf(flat),
        }
    }

    /// What both take. Schemas that contradict each other are the server's to
    /// sort out: the first one stands.
    pub(super) fn both(self, other: Self) -> Self {
        match overlap(&self, &other) {
            Some(accepts) => accepts,
            None => self,
        }
    }
}

/// The word for `value` on a command line.
pub(crate) fn choice_word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn choice_placeholder(choices: &[Value]) -> String {
    let mut shown = String::new();
    for (index, choice) in choices.iter().enumerate() {
        let word = choice_word(choice);
        let is_too_long = shown.chars().count() + word.chars().count() > SHOWN_WIDTH;
        if index > 0 {
            shown.push('|');
        }
        if index > 0 && (index == SHOWN_CHOICES || is_too_long) {
            shown.push('…');
            break;
        }
        shown.push_str(&word);
    }
    shown
}

fn strictness(accepts: &Accepts) -> u8 {
    match accepts {
        Accepts::Null => 0,
        Accepts::Boolean => 1,
        Accepts::Integer => 2,
        Accepts::Number => 3,
        Accepts::Choice(_) => 4,
        Accepts::Object => 5,
        Accepts::List(_) => 6,
        Accepts::Text => 7,
        Accepts::AnyOf(_) | Accepts::Anything => 8,
    }
}

/// Adds an alternative; all choices become one, and so do all lists.
fn add(flat: &mut Vec<Accepts>, alternative: Accepts) {
    match alternative {
        Accepts::Choice(more) => {
            let present = flat.iter_mut().find_map(|each| match each {
                Accepts::Choice(choices) => Some(choices),
                _ => None,
            });
            match present {
                Some(choices) => {
                    let present = written(choices);
                    let is_new = |value: &Value| !present.contains(&value.to_string());
                    choices.extend(more.into_iter().filter(is_new));
                }
                None => flat.push(Accepts::Choice(more)),
            }
        }
        Accepts::List(item) => {
            let present = flat
                .iter()
                .position(|each| matches!(each, Accepts::List(_)));
            match present.map(|at| flat.remove(at)) {
                Some(Accepts::List(before)) => {
                    flat.push(Accepts::List(Box::new(Accepts::either([*before, *item]))));
                }
                _ => flat.push(Accepts::List(item)),
            }
        }
        other if flat.contains(&other) => {}
        other => flat.push(other),
    }
}

/// Values by how they are written, to find one among thousands.
fn written(values: &[Value]) -> BTreeSet<String> {
    values.iter().map(Value::to_string).collect()
}

fn overlap(one: &Accepts, other: &Accepts) -> Option<Accepts> {
    match (one, other) {
        (Accepts::Anything, rest) | (rest, Accepts::Anything) => Some(rest.clone()),
        (Accepts::AnyOf(alternatives), rest) | (rest, Accepts::AnyOf(alternatives)) => {
            let common: Vec<Accepts> = alternatives
                .iter()
                .filter_map(|each| overlap(each, rest))
                .collect();
            (!common.is_empty()).then(|| Accepts::either(common))
        }
        (Accepts::Choice(one), Accepts::Choice(other)) => {
            let other = written(other);
            let common: Vec<Value> = one
                .iter()
                .filter(|value| other.contains(&value.to_string()))
                .cloned()
                .collect();
            (!common.is_empty()).then(|| Accepts::choice(common))
        }
        (Accepts::Choice(choices), rest) | (rest, Accepts::Choice(choices)) => {
            let common: Vec<Value> = choices
                .iter()
                .filter(|value| holds(rest, value))
                .cloned()
                .collect();
            (!common.is_empty()).then(|| Accepts::choice(common))
        }
        (Accepts::Integer, Accepts::Number) | (Accepts::Number, Accepts::Integer) => {
            Some(Accepts::Integer)
        }
        (Accepts::List(one), Accepts::List(other)) => Some(Accepts::List(Box::new(
            one.as_ref().clone().both(other.as_ref().clone()),
        ))),
        (one, other) => (one == other).then(|| one.clone()),
    }
}

/// Whether `value` is one that `accepts` takes, as far as its JSON type goes.
fn holds(accepts: &Accepts, value: &Value) -> bool {
    match accepts {
        Accepts::Text => value.is_string(),
        Accepts::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Accepts::Number => value.is_number(),
        Accepts::Boolean => value.is_boolean(),
        Accepts::Choice(choices) => choices.contains(value),
        Accepts::AnyOf(alternatives) => alternatives.iter().any(|each| holds(each, value)),
        Accepts::List(item) => match value {
            Value::Array(values) => values.iter().all(|value| holds(item, value)),
            _ => false,
        },
        Accepts::Object => value.is_object(),
        Accepts::Null => value.is_null(),
        Accepts::Anything => true,
    }
}
