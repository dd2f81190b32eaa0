//! Looks into KDL nodes: values, properties, and children that stand for properties.

use crate::sources::kdl::syntax::{Node, Value, Word};

/// What usage specs say with nodes.
pub(super) trait Reader {
    /// The value with this number.
    fn value(&self, at: usize) -> Option<String>;

    /// All values, without properties.
    fn values(&self) -> Vec<String>;

    /// `key=value`; the last counts, as KDL has it.
    fn property(&self, key: &str) -> Option<String>;

    /// `key=value`, or a child `key value`.
    fn said(&self, key: &str) -> Option<String>;

    /// The values of `key`, as a property or as children `key a b`.
    fn all_said(&self, key: &str) -> Vec<String>;

    /// Whether it is said to be so.
    fn is(&self, key: &str) -> bool {
        self.said(key).as_deref() == Some("true")
    }

    /// The children that are called `name`.
    fn below<'a>(&'a self, name: &'a str) -> Box<dyn Iterator<Item = &'a Node> + 'a>;
}

impl Reader for Node {
    fn value(&self, at: usize) -> Option<String> {
        let mut values = self.entries.iter().filter(|entry| entry.key.is_none());
        values.nth(at).and_then(|entry| text(&entry.value))
    }

    fn values(&self) -> Vec<String> {
        let values = self.entries.iter().filter(|entry| entry.key.is_none());
        values.filter_map(|entry| text(&entry.value)).collect()
    }

    fn property(&self, key: &str) -> Option<String> {
        let is_meant = |word: &Option<Word>| word.as_ref().is_some_and(|word| word.text == key);
        let found = self.entries.iter().rev().find(|entry| is_meant(&entry.key));
        found.and_then(|entry| text(&entry.value))
    }

    fn said(&self, key: &str) -> Option<String> {
        let below = || self.below(key).next()?.value(0);
        self.property(key).or_else(below)
    }

    fn all_said(&self, key: &str) -> Vec<String> {
        let mut all: Vec<String> = self.property(key).into_iter().collect();
        all.extend(self.below(key).flat_map(Reader::values));
        all
    }

    fn below<'a>(&'a self, name: &'a str) -> Box<dyn Iterator<Item = &'a Node> + 'a> {
        let children = self.children.iter().flatten();
        Box::new(children.filter(move |node| node.name.text == name))
    }
}

/// A value as text; nothing for null.
fn text(value: &Value) -> Option<String> {
    Some(match value {
        Value::Text(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Bool(bool) => bool.to_string(),
        Value::Null => return None,
    })
}
