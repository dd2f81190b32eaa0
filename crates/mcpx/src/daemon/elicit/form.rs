//! What a server asks, read from the parameters of its question and bounded.

use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use crate::harmless;

/// What is shown of a server's words.
const LONGEST_MESSAGE: usize = 4_000;
const LONGEST_LABEL: usize = 300;
const MOST_FIELDS: usize = 50;
const MOST_CHOICES: usize = 100;

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// In the server's words, for people.
    pub message: String,
    /// What is wanted.
    pub kind: Kind,
}

/// What is wanted of the person.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Values.
    Form(Vec<Field>),
    /// To go there.
    Url(String),
}

/// One value of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The property's name.
    pub name: String,
    /// For people, where there is one.
    title: Option<String>,
    text: Option<String>,
    wants: Wants,
    /// The form is not complete without it.
    pub required: bool,
    /// What an empty line means.
    pub default: Option<Value>,
}

/// What a field's value may be.
#[derive(Debug, Clone, PartialEq)]
enum Wants {
    Text {
        format: Option<String>,
        shortest: Option<u64>,
        longest: Option<u64>,
    },
    Integer(Range),
    Number(Range),
    Boolean,
    One(Vec<Choice>),
    Several(Vec<Choice>),
    /// A type that forms do not have: JSON, or else text.
    Anything,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Range {
    least: Option<Number>,
    most: Option<Number>,
}

#[derive(Debug, Clone, PartialEq)]
struct Choice {
    value: Value,
    title: Option<String>,
}

impl Question {
    /// Reads the `params` of `elicitation/create`.
    pub fn read(params: &RawValue) -> Result<Self, String> {
        let params: Map<String, Value> =
            serde_json::from_str(params.get()).map_err(|error| error.to_string())?;
        let message = params.get("message").and_then(Value::as_str).unwrap_or("");
        let message = match harmless::text_within(message, LONGEST_MESSAGE) {
            message if message.is_empty() => "(no words)".to_owned(),
            message => message,
        };
        if params.get("mode").and_then(Value::as_str) == Some("url") {
            let url = params.get("url").and_then(Value::as_str);
            let url = url.ok_or("it names no `url`")?;
            let kind = Kind::Url(harmless::text_within(url, LONGEST_MESSAGE));
            return Ok(Self { message, kind });
        }
        let schema = params.get("requestedSchema").and_then(Value::as_object);
        let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
        let required: Vec<&str> = schema
            .and_then(|schema| schema.get("required")?.as_array())
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let fields: Vec<Field> = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| Field::read(name, schema, required.contains(&name.as_str())))
            .collect();
        match fields.len() > MOST_FIELDS {
            true => Err(format!("it has {} fields", fields.len())),
            false => Ok(Self {
                message,
                kind: Kind::Form(fields),
            }),
        }
    }
}

impl Field {
    fn read(name: &str, schema: &Value, required: bool) -> Self {
        let words = |key: &str| {
            let text = schema.get(key)?.as_str()?;
            Some(harmless::text_within(text, LONGEST_LABEL)).filter(|text| !text.is_empty())
        };
        let number = |key: &str| match schema.get(key) {
            Some(Value::Number(number)) => Some(number.clone()),
            _ => None,
        };
        let range = || Range {
            least: number("minimum"),
            most: number("maximum"),
        };
        let kind = schema.get("type").and_then(Value::as_str);
        let wants = match (choices(schema), kind) {
            (Some(choices), _) => Wants::One(choices),
            (None, Some("string")) => Wants::Text {
                format: words("format"),
                shortest: schema.get("minLength").and_then(Value::as_u64),
                longest: schema.get("maxLength").and_then(Value::as_u64),
            },
            (None, Some("integer")) => Wants::Integer(range()),
            (None, Some("number")) => Wants::Number(range()),
            (None, Some("boolean")) => Wants::Boolean,
            (None, Some("array")) => match schema.get("items").and_then(choices) {
                Some(choices) => Wants::Several(choices),
                None => Wants::Anything,
            },
            (None, _) => Wants::Anything,
        };
        let mut field = Self {
            name: name.to_owned(),
            title: words("title"),
            text: words("description"),
            wants,
            required,
            default: None,
        };
        let default = schema.get("default").filter(|value| !value.is_null());
        field.default = default.and_then(|value| field.check(value).ok());
        field
    }

    /// Typed unseen.
    pub fn secret(&self) -> bool {
        matches!(&self.wants, Wants::Text { format: Some(format), .. } if format == "password")
    }

    /// What is asked at the terminal, up to where the answer is typed.
    pub fn prompt(&self) -> String {
        let mut text = String::new();
        let label = match &self.title {
            Some(title) => format!(
                "{title} [{}]",
                harmless::text_within(&self.name, LONGEST_LABEL)
            ),
            None => harmless::text_within(&self.name, LONGEST_LABEL),
        };
        text.push_str(&format!("  {label}"));
        if let Some(words) = &self.text {
            text.push_str(&format!(": {words}"));
        }
        text.push('\n');
        if let Wants::One(choices) | Wants::Several(choices) = &self.wants {
            for (index, choice) in choices.iter().enumerate() {
                let word = word(&choice.value);
                let title = match &choice.title {
                    Some(title) if *title != word => format!(" ({title})"),
                    _ => String::new(),
                };
                text.push_str(&format!("    {}) {word}{title}\n", index + 1));
            }
        }
        let empty = match (&self.default, self.required) {
            (Some(default), _) => format!(", empty for {}", word(default)),
            (None, false) => ", empty to skip".into(),
            (None, true) => String::new(),
        };
        text.push_str(&format!("  {}{empty}> ", self.kind()));
        text
    }

    /// The flag that answers this field.
    pub fn flag(&self) -> String {
        let kind = match &self.wants {
            Wants::Text { .. } => "TEXT",
            Wants::Integer(_) => "INTEGER",
            Wants::Number(_) => "NUMBER",
            Wants::Boolean => "true|false",
            Wants::One(_) => "CHOICE",
            Wants::Several(_) => "CHOICE,CHOICE",
            Wants::Anything => "JSON",
        };
        format!(
            "--answer='{}={kind}'",
            harmless::text_within(&self.name, LONGEST_LABEL)
        )
    }

    /// What there is to choose from, as `colour: red, green`.
    pub fn choices(&self) -> Option<String> {
        let (Wants::One(choices) | Wants::Several(choices)) = &self.wants else {
            return None;
        };
        let words: Vec<String> = choices.iter().map(|choice| word(&choice.value)).collect();
        let name = harmless::text_within(&self.name, LONGEST_LABEL);
        Some(format!("{name}: {}", words.join(", ")))
    }

    fn kind(&self) -> String {
        match &self.wants {
            Wants::Text { format, .. } => match format {
                Some(format) => format.clone(),
                None => "text".into(),
            },
            Wants::Integer(range) => format!("integer{range}"),
            Wants::Number(range) => format!("number{range}"),
            Wants::Boolean => "yes or no".into(),
            Wants::One(_) => "one of these".into(),
            Wants::Several(_) => "any of these, with commas".into(),
            Wants::Anything => "JSON or text".into(),
        }
    }

    /// What a typed word means here.
    pub fn value(&self, text: &str) -> Result<Value, String> {
        let name = &self.name;
        let value = match &self.wants {
            Wants::Text { .. } => Value::String(text.to_owned()),
            Wants::Integer(_) | Wants::Number(_) => {
                let number: Result<Number, _> = serde_json::from_str(text);
                match number {
                    Ok(number) => Value::Number(number),
                    Err(_) => return Err(format!("`{name}` takes {}, not `{text}`", self.taken())),
                }
            }
            Wants::Boolean => match text.to_ascii_lowercase().as_str() {
                "y" | "yes" | "true" => Value::Bool(true),
                "n" | "no" | "false" => Value::Bool(false),
                _ => return Err(format!("`{name}` takes yes or no, not `{text}`")),
            },
            Wants::One(choices) => chosen(choices, text).ok_or_else(|| self.no_choice(text))?,
            Wants::Several(choices) => {
                let words = text
                    .split(',')
                    .map(str::trim)
                    .filter(|word| !word.is_empty());
                let values =
                    words.map(|word| chosen(choices, word).ok_or_else(|| self.no_choice(word)));
                Value::Array(values.collect::<Result<_, _>>()?)
            }
            Wants::Anything => match serde_json::from_str(text) {
                Ok(value) => value,
                Err(_) => Value::String(text.to_owned()),
            },
        };
        self.check(&value)
    }

    /// Whether a value is one that this field takes.
    pub fn check(&self, value: &Value) -> Result<Value, String> {
        let name = &self.name;
        let fits = match (&self.wants, value) {
            (
                Wants::Text {
                    format,
                    shortest,
                    longest,
                },
                Value::String(text),
            ) => {
                let length = text.chars().count() as u64;
                if shortest.is_some_and(|shortest| length < shortest) {
                    let shortest = shortest.unwrap_or_default();
                    return Err(format!("`{name}` takes at least {shortest} characters"));
                }
                if longest.is_some_and(|longest| length > longest) {
                    let longest = longest.unwrap_or_default();
                    return Err(format!("`{name}` takes at most {longest} characters"));
                }
                format
                    .as_deref()
                    .is_none_or(|format| looks_like(format, text))
            }
            (Wants::Integer(range), Value::Number(number)) => {
                (number.is_i64() || number.is_u64()) && range.holds(number)
            }
            (Wants::Number(range), Value::Number(number)) => range.holds(number),
            (Wants::Boolean, Value::Bool(_)) | (Wants::Anything, _) => true,
            (Wants::One(choices), value) => choices.iter().any(|choice| choice.value == *value),
            (Wants::Several(choices), Value::Array(values)) => values
                .iter()
                .all(|value| choices.iter().any(|choice| choice.value == *value)),
            _ => false,
        };
        match fits {
            true => Ok(value.clone()),
            false => Err(format!("`{name}` takes {}, not {value}", self.taken())),
        }
    }

    fn taken(&self) -> String {
        match &self.wants {
            Wants::Text { format: None, .. } => "text".into(),
            Wants::Text {
                format: Some(format),
                ..
            } => format!("text like {}", example(format)),
            Wants::Integer(range) => format!("an integer{range}"),
            Wants::Number(range) => format!("a number{range}"),
            Wants::Boolean => "true or false".into(),
            Wants::One(choices) => format!("one of {}", words(choices)),
            Wants::Several(choices) => format!("some of {}", words(choices)),
            Wants::Anything => "any JSON".into(),
        }
    }

    fn no_choice(&self, text: &str) -> String {
        format!("`{}` takes {}, not `{text}`", self.name, self.taken())
    }
}

impl Range {
    fn holds(&self, number: &Number) -> bool {
        let at_least = |least: &Number| !less(number, least);
        let at_most = |most: &Number| !less(most, number);
        self.least.as_ref().is_none_or(at_least) && self.most.as_ref().is_none_or(at_most)
    }
}

/// Exact for integers; what is not compares as floating point.
fn less(one: &Number, other: &Number) -> bool {
    let whole = |number: &Number| {
        let signed = number.as_i64().map(i128::from);
        signed.or_else(|| number.as_u64().map(i128::from))
    };
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one < other,
        _ => match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => one < other,
            _ => false,
        },
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.least, &self.most) {
            (Some(least), Some(most)) => write!(out, " from {least} to {most}"),
            (Some(least), None) => write!(out, " from {least}"),
            (None, Some(most)) => write!(out, " up to {most}"),
            (None, None) => Ok(()),
        }
    }
}

/// `enum` (with `enumNames`), or `oneOf`/`anyOf` of `const` and `title`.
fn choices(schema: &Value) -> Option<Vec<Choice>> {
    let title = |text: Option<&Value>| {
        let text = harmless::text_within(text?.as_str()?, LONGEST_LABEL);
        Some(text).filter(|text| !text.is_empty())
    };
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let names = schema.get("enumNames");
        let choices = values.iter().take(MOST_CHOICES).enumerate();
        return Some(
            choices
                .map(|(index, value)| Choice {
                    value: value.clone(),
                    title: title(names.and_then(|names| names.get(index))),
                })
                .collect(),
        );
    }
    let several = schema.get("oneOf").or_else(|| schema.get("anyOf"))?;
    let choices = several.as_array()?.iter().take(MOST_CHOICES).map(|choice| {
        Some(Choice {
            value: choice.get("const")?.clone(),
            title: title(choice.get("title")),
        })
    });
    choices.collect()
}

/// The choice that was meant: by its value, its title, its number.
fn chosen(choices: &[Choice], text: &str) -> Option<Value> {
    let by_value = || choices.iter().find(|choice| word(&choice.value) == text);
    let by_title = || {
        let mut titled = choices.iter();
        titled.find(|choice| {
            let title = choice.title.as_deref();
            title.is_some_and(|title| title.eq_ignore_ascii_case(text))
        })
    };
    let by_number = || choices.get(text.parse::<usize>().ok()?.checked_sub(1)?);
    let choice = by_value().or_else(by_title).or_else(by_number)?;
    Some(choice.value.clone())
}

fn words(choices: &[Choice]) -> String {
    let words: Vec<String> = choices.iter().map(|choice| word(&choice.value)).collect();
    words.join(", ")
}

/// A value as a person types it.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => harmless::text_within(text, LONGEST_LABEL),
        other => other.to_string(),
    }
}

/// Whether a text may be of a format. Only what cannot be is refused: the server
/// decides the rest.
fn looks_like(format: &str, text: &str) -> bool {
    let digits = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let date = |text: &str| {
        let parts: Vec<&str> = text.split('-').collect();
        matches!(parts[..], [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2))
    };
    match format {
        "email" => {
            let parts = text.rsplit_once('@');
            parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
        }
        "uri" => {
            let parts = text.split_once(':');
            parts.is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty())
        }
        "date" => date(text),
        "date-time" => text
            .split_once(['T', 't', ' '])
            .is_some_and(|(day, time)| date(day) && time.contains(':')),
        _ => true,
    }
}

fn example(format: &str) -> &str {
    match format {
        "email" => "name@example.org",
        "uri" => "https://example.org",
        "date" => "2026-07-28",
        "date-time" => "2026-07-28T12:00:00Z",
        format => format,
    }
}
