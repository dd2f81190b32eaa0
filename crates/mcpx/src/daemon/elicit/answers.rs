//! `--answer`: what the command line says to questions that a server may ask.

use serde_json::{Map, Value};

use super::form::Field;

/// What was given with `--answer`, all of them together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answers {
    /// `accept`, `decline` or `cancel`, the last of them.
    pub decision: Option<Decision>,
    /// `NAME=VALUE`: the value is read as its field wants it.
    texts: Vec<(String, String)>,
    /// `{"NAME": VALUE}`.
    values: Map<String, Value>,
}

/// What is said to a question as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Accept,
    Decline,
    Cancel,
}

impl Answers {
    /// Reads the values of every `--answer`.
    pub fn read<'a>(given: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut answers = Self::default();
        for text in given {
            match text {
                "accept" => answers.decision = Some(Decision::Accept),
                "decline" => answers.decision = Some(Decision::Decline),
                "cancel" => answers.decision = Some(Decision::Cancel),
                text if text.starts_with('{') => {
                    let object: Map<String, Value> = serde_json::from_str(text)
                        .map_err(|error| format!("`--answer` takes a JSON object: {error}"))?;
                    answers.values.extend(object);
                }
                text => match text.split_once('=') {
                    Some((name, value)) if !name.is_empty() => {
                        answers.texts.push((name.to_owned(), value.to_owned()));
                    }
                    _ => {
                        return Err(format!(
                            "`--answer` takes NAME=VALUE, a JSON object, `accept` or \
                             `decline`, not `{text}`"
                        ));
                    }
                },
            }
        }
        Ok(answers)
    }

    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The answer for a field of the question `key`: `KEY.NAME` goes before `NAME`.
    pub fn of(&self, key: &str, field: &Field) -> Option<Result<Value, String>> {
        let within = format!("{key}.{}", field.name);
        for name in [within.as_str(), &field.name] {
            let mut texts = self.texts.iter().rev();
            if let Some((_, text)) = texts.find(|(given, _)| given == name) {
                return Some(field.value(text));
            }
            if let Some(value) = self.values.get(name) {
                return Some(field.check(value));
            }
        }
        let nested = self.values.get(key)?.as_object()?.get(&field.name)?;
        Some(field.check(nested))
    }
}
