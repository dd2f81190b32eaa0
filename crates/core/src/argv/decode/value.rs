//! One parameter's words as the JSON that its schema asks for.
//!
//! Numbers are kept as they were typed, every digit. Bounds, patterns and lengths
//! are the server's to check.

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Given, called, listed, shown};
use crate::catalog::names::nearest;
use crate::sources::tool::{Accepts, ToolParam, choice_word};

/// Choices that an error lists.
const LISTED_CHOICES: usize = 20;

/// Why a word is no value.
#[derive(Debug)]
struct Wrong {
    /// What would be one.
    expected: String,
    /// What could help.
    hint: Option<String>,
}

impl Wrong {
    fn new(accepts: &Accepts) -> Self {
        Self {
            expected: expected(accepts),
            hint: None,
        }
    }
}

/// What was given for `param`, as JSON.
pub(super) fn json(param: &ToolParam, given: &[Given<'_>]) -> Result<String, String> {
    let refuse = |word: &str, wrong: Wrong| {
        let hint = wrong.hint.map(|hint| format!("; {hint}"));
        format!(
            "{} takes {}, not {}{}",
            called(param),
            wrong.expected,
            shown(word),
            hint.unwrap_or_default()
        )
    };
    match (given, param.accepts.list_item()) {
        ([Given::Switch(state)], _) => Ok(state.to_string()),
        ([Given::Word(word)], None) => {
            one(&param.accepts, word).map_err(|wrong| refuse(word, wrong))
        }
        ([Given::Word(word)], Some(item)) => whole(&param.accepts, word)
            .or_else(|| one(item, word).ok().map(|json| format!("[{json}]")))
            .ok_or_else(|| {
                let wrong = one(item, word)
                    .err()
                    .filter(|_| !word.trim().starts_with('['));
                let fallback = || Wrong {
                    expected: format!("{}, or a JSON array of such", expected(item)),
                    hint: None,
                };
                refuse(word, wrong.unwrap_or_else(fallback))
            }),
        (_, None) => Err(format!(
            "{} is given {}: it takes one value",
            called(param),
            times(given.len()),
        )),
        (_, Some(item)) => {
            let mut elements = Vec::with_capacity(given.len());
            for given in given {
                match given {
                    Given::Switch(state) => elements.push(state.to_string()),
                    Given::Word(word) => {
                        elements.push(one(item, word).map_err(|wrong| refuse(word, wrong))?);
                    }
                }
            }
            Ok(format!("[{}]", elements.join(",")))
        }
    }
}

/// What a value is called in a sentence.
pub(super) fn expected(accepts: &Accepts) -> String {
    match accepts {
        Accepts::Text => "a string".to_owned(),
        Accepts::Integer => "an integer".to_owned(),
        Accepts::Number => "a number".to_owned(),
        Accepts::Boolean => "true or false".to_owned(),
        Accepts::Choice(choices) => {
            let mut words: Vec<String> = choices
                .iter()
                .take(LISTED_CHOICES)
                .map(choice_word)
                .collect();
            if choices.len() > LISTED_CHOICES {
                words.push("…".to_owned());
                return format!("one of {}", words.join(", "));
            }
            listed(&words, "or")
        }
        Accepts::AnyOf(alternatives) => {
            let null = alternatives.iter().filter(|each| **each == Accepts::Null);
            let others = alternatives.iter().filter(|each| **each != Accepts::Null);
            let names: Vec<String> = others.chain(null).map(expected).collect();
            names.join(" or ")
        }
        Accepts::List(item) => format!("a JSON array (each element {})", expected(item)),
        Accepts::Object => "a JSON object".to_owned(),
        Accepts::Null => "null".to_owned(),
        Accepts::Anything => "a string or JSON".to_owned(),
    }
}

/// The JSON that `text` is, fit for a message that is one line: line breaks can
/// only stand between its tokens.
pub(super) fn raw(text: &str) -> Result<String, serde_json::Error> {
    let raw: &RawValue = serde_json::from_str(text)?;
    Ok(raw.get().replace(['\n', '\r'], " "))
}

fn times(count: usize) -> String {
    match count {
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

/// `word` as all of a value that may be a list: a JSON array of its elements, or
/// what the schema takes instead of a list.
fn whole(accepts: &Accepts, word: &str) -> Option<String> {
    match accepts {
        Accepts::List(_) => array(accepts, word),
        _ => one(accepts, word).ok(),
    }
}

/// `word` as one value.
fn one(accepts: &Accepts, word: &str) -> Result<String, Wrong> {
    let wrong = || Wrong::new(accepts);
    match accepts {
        Accepts::Text => Ok(Value::from(word).to_string()),
        Accepts::Integer => match is_integer(word) {
            true => Ok(word.to_owned()),
            false => Err(Wrong {
                hint: looks_numeric(word)
                    .then(|| "write it in plain digits, such as 7 or -7".to_owned()),
                ..wrong()
            }),
        },
        Accepts::Number => match is_number(word) {
            true => Ok(word.to_owned()),
            false => Err(Wrong {
                hint: as_number(word).map(|number| format!("did you mean {number}?")),
                ..wrong()
            }),
        },
        Accepts::Boolean => match word {
            "true" | "false" => Ok(word.to_owned()),
            _ => Err(wrong()),
        },
        Accepts::Null => match word {
            "null" => Ok(word.to_owned()),
            _ => Err(wrong()),
        },
        Accepts::Choice(choices) => choice(choices, word).ok_or_else(|| Wrong {
            hint: {
                let words: Vec<String> = choices.iter().map(choice_word).collect();
                nearest(word, words.iter().map(String::as_str))
                    .map(|near| format!("did you mean {near}?"))
            },
            ..wrong()
        }),
        Accepts::Object => match raw(word) {
            Ok(json) if json.starts_with('{') => Ok(json),
            Ok(_) => Err(wrong()),
            Err(error) => Err(Wrong {
                hint: word
                    .trim_start()
                    .starts_with('{')
                    .then(|| format!("that is not JSON: {error}")),
                ..wrong()
            }),
        },
        Accepts::List(_) => array(accepts, word).ok_or_else(wrong),
        Accepts::Anything => Ok(raw(word).unwrap_or_else(|_| Value::from(word).to_string())),
        Accepts::AnyOf(alternatives) => any(accepts, alternatives, word),
    }
}

/// `word` as the first of `alternatives` that it is. Where any word is a value,
/// `null` is one too: a null can only be given in JSON there.
fn any(accepts: &Accepts, alternatives: &[Accepts], word: &str) -> Result<String, Wrong> {
    let takes_text = accepts.takes_text();
    let tried = || {
        alternatives
            .iter()
            .filter(|each| !(takes_text && **each == Accepts::Null))
    };
    if let Some(json) = tried().find_map(|each| one(each, word).ok()) {
        return Ok(json);
    }
    let hint = tried()
        .filter_map(|each| one(each, word).err())
        .find_map(|wrong| wrong.hint);
    Err(Wrong {
        expected: expected(accepts),
        hint,
    })
}

/// `word` as a JSON array of what the list takes.
fn array(list: &Accepts, word: &str) -> Option<String> {
    let json: &RawValue = serde_json::from_str(word).ok()?;
    fits(list, json).then(|| raw(word).ok())?
}

/// Whether JSON that is given whole is what `accepts` takes.
fn fits(accepts: &Accepts, json: &RawValue) -> bool {
    let text = json.get();
    match accepts {
        Accepts::Text => text.starts_with('"'),
        Accepts::Integer => is_integer(text),
        Accepts::Number => is_number(text),
        Accepts::Boolean => matches!(text, "true" | "false"),
        Accepts::Null => text == "null",
        Accepts::Object => text.starts_with('{'),
        Accepts::Choice(choices) => {
            serde_json::from_str::<Value>(text).is_ok_and(|value| is_one_of(choices, &value))
        }
        Accepts::AnyOf(alternatives) => alternatives.iter().any(|each| fits(each, json)),
        Accepts::List(item) => serde_json::from_str::<Vec<&RawValue>>(text)
            .is_ok_and(|elements| elements.iter().all(|element| fits(item, element))),
        Accepts::Anything => true,
    }
}

/// The choice that `word` writes, as JSON.
fn choice(choices: &[Value], word: &str) -> Option<String> {
    let written = choices.iter().find(|value| choice_word(value) == word);
    let meant = || {
        let value: Value = serde_json::from_str(word).ok()?;
        choices
            .iter()
            .find(|choice| !choice.is_string() && is_same(choice, &value))
    };
    written.or_else(meant).map(Value::to_string)
}

fn is_one_of(choices: &[Value], value: &Value) -> bool {
    choices.iter().any(|choice| is_same(choice, value))
}

/// Equality as JSON Schema has it: 1 is 1.0.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        // Integers are told apart by digits that a double does not have.
        (Value::Number(_), Value::Number(_)) if one.is_f64() || other.is_f64() => {
            one.as_f64() == other.as_f64()
        }
        _ => one == other,
    }
}

/// An integer as JSON writes it: digits without leading zeros, perhaps a minus.
fn is_integer(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
}

/// A number as JSON writes it.
fn is_number(word: &str) -> bool {
    let (mantissa, exponent) = match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (word, None),
    };
    let (integer, fraction) = match mantissa.split_once('.') {
        Some((integer, fraction)) => (integer, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_exponent = |text: &str| is_digits(text.strip_prefix(['+', '-']).unwrap_or(text));
    is_integer(integer) && fraction.is_none_or(is_digits) && exponent.is_none_or(is_exponent)
}

/// Whether a person would call `word` a number.
fn looks_numeric(word: &str) -> bool {
    let is_hexadecimal = word
        .strip_prefix("0x")
        .is_some_and(|digits| u64::from_str_radix(digits, 16).is_ok());
    is_hexadecimal || word.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The JSON number that `.5`, `5.`, `+5` or `007` must mean.
fn as_number(word: &str) -> Option<String> {
    let (sign, rest) = match word.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    let rest = rest.trim_start_matches('0');
    let zero = match rest.starts_with(|first: char| first.is_ascii_digit()) {
        true => "",
        false => "0",
    };
    let number = format!("{sign}{zero}{rest}");
    let number = number.strip_suffix('.').unwrap_or(&number);
    (looks_numeric(word) && is_number(number)).then(|| number.to_owned())
}
