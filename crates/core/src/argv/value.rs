//! One JSON value as the text that a Go program reads back to the same value.
//!
//! Models send numbers as strings and strings as numbers. What can mean only one
//! thing is taken; the rest is refused, so that nothing is guessed.

use serde_json::Value;

use super::{Given, go, split_line};
use crate::model::{Kind, Param, Scalar, Split};

/// Repetitions of a counted flag; nobody means more.
const MOST_COUNTS: u32 = 100;

/// What a parameter takes instead of the value it was given.
pub(super) type Expected = String;

/// `value` for `param`.
pub(super) fn given(param: &Param, value: &Value) -> Result<Given, Expected> {
    match &param.kind {
        Kind::Switch => boolean(value)
            .map(Given::Switch)
            .ok_or_else(|| "true or false".to_owned()),
        Kind::Count => integer(value)
            .and_then(|count| u32::try_from(count).ok())
            .filter(|count| *count <= MOST_COUNTS)
            .map(Given::Count)
            .ok_or_else(|| format!("a count from 0 to {MOST_COUNTS}")),
        Kind::One(scalar) => {
            let alone = param.spelling().and_then(|spelling| spelling.bare.as_ref());
            if alone.is_some() && *value == Value::Bool(true) && *scalar != Scalar::Bool {
                return Ok(Given::Bare);
            }
            one(param, scalar, value).map(Given::One)
        }
        Kind::List(scalar, split) => many(param, scalar, *split, value).map(Given::Many),
        Kind::Map(scalar) => match value {
            Value::Object(pairs) => pairs
                .iter()
                .map(|(key, value)| {
                    let text = one(param, scalar, value)
                        .map_err(|expected| format!("{expected} for each key"))?;
                    Ok((key.clone(), text))
                })
                .collect::<Result<_, _>>()
                .map(Given::Pairs),
            _ => Err("an object of keys and values".to_owned()),
        },
        Kind::Line => line(value).map(Given::Many),
    }
}

/// Words in an array, or in one string as for a shell.
fn line(value: &Value) -> Result<Vec<String>, Expected> {
    const EXPECTED: &str = "an array of words, or a string of them";
    let word = |value: &Value| plain(value).ok_or_else(|| EXPECTED.to_owned());
    match value {
        Value::Array(values) => values.iter().map(word).collect(),
        Value::String(text) => {
            split_line(text).map_err(|error| format!("{EXPECTED} with balanced quotes ({error})"))
        }
        single => Ok(vec![word(single)?]),
    }
}

fn many(
    param: &Param,
    scalar: &Scalar,
    split: Split,
    value: &Value,
) -> Result<Vec<String>, Expected> {
    let array = |expected: Expected| format!("an array, each element {expected}");
    match value {
        Value::Array(values) => values
            .iter()
            .map(|value| one(param, scalar, value).map_err(array))
            .collect(),
        Value::String(text)
            if text.contains(',') && !matches!(split, Split::Repeat | Split::Joined) =>
        {
            // Only where no element can hold a comma is it plain what one means.
            match scalar {
                Scalar::String | Scalar::Path | Scalar::Other(_) | Scalar::Time
                    if split != Split::Words =>
                {
                    Err("an array: a string with commas could mean one value or several".to_owned())
                }
                Scalar::String | Scalar::Path | Scalar::Other(_) | Scalar::Time => {
                    Ok(vec![one(param, scalar, value)?])
                }
                _ => text
                    .split(',')
                    .map(|part| one(param, scalar, &Value::from(part.trim())).map_err(array))
                    .collect(),
            }
        }
        Value::Object(_) => Err(array(name(scalar))),
        single => Ok(vec![one(param, scalar, single).map_err(array)?]),
    }
}

/// One value's text, and that it is one of the parameter's choices.
fn one(param: &Param, scalar: &Scalar, value: &Value) -> Result<String, Expected> {
    let text = text(scalar, value)?;
    if !param.choices.is_empty() && !param.choices.contains(&text) {
        return Err(format!("one of {}", param.choices.join(", ")));
    }
    // The same file, and no parser's flag. `-` alone is a program's word for its stdin.
    let looks_like_flag = text.starts_with('-') && text.len() > 1;
    match *scalar == Scalar::Path && looks_like_flag {
        true => Ok(format!("./{text}")),
        false => Ok(text),
    }
}

/// `value` as a Go program's parser for `scalar` reads it.
pub(super) fn text(scalar: &Scalar, value: &Value) -> Result<String, Expected> {
    let grammar = |reads: fn(&str) -> bool| match value {
        Value::String(text) if reads(text) => Ok(text.clone()),
        _ => Err(name(scalar)),
    };
    match scalar {
        Scalar::String | Scalar::Time => plain(value).ok_or_else(|| name(scalar)),
        Scalar::Path => plain(value)
            .filter(|path| !path.is_empty())
            .ok_or_else(|| name(scalar)),
        Scalar::Other(_) => match value {
            Value::Bool(flag) => Ok(flag.to_string()),
            _ => plain(value).ok_or_else(|| name(scalar)),
        },
        Scalar::Bool => boolean(value)
            .map(|flag| flag.to_string())
            .ok_or_else(|| name(scalar)),
        Scalar::Int(_) | Scalar::Uint(_) => {
            let (least, most) = bounds(scalar);
            integer(value)
                .filter(|number| (least..=most).contains(number))
                .map(|number| number.to_string())
                .ok_or_else(|| name(scalar))
        }
        Scalar::Float(bits) => float(value, *bits).ok_or_else(|| name(scalar)),
        Scalar::Duration => match integer(value) {
            Some(0) => Ok("0".to_owned()),
            _ => grammar(go::is_duration),
        },
        Scalar::Ip => grammar(go::is_ip),
        Scalar::IpNet => grammar(go::is_cidr),
        Scalar::IpMask => grammar(go::is_mask),
        Scalar::Hex => grammar(go::is_hex),
        Scalar::Base64 => grammar(go::is_base64),
    }
}

/// What a value of this type is called in a sentence.
fn name(scalar: &Scalar) -> String {
    match scalar {
        Scalar::String | Scalar::Other(_) => "a string".to_owned(),
        Scalar::Bool => "true or false".to_owned(),
        Scalar::Int(64) => "an integer".to_owned(),
        Scalar::Uint(64) => "an integer from 0".to_owned(),
        Scalar::Int(_) | Scalar::Uint(_) => {
            let (least, most) = bounds(scalar);
            format!("an integer from {least} to {most}")
        }
        Scalar::Float(_) => "a number".to_owned(),
        Scalar::Path => "a path".to_owned(),
        Scalar::Duration => "a duration such as 1h30m or 5s".to_owned(),
        Scalar::Time => "a point in time, as a string".to_owned(),
        Scalar::Ip => "an IP address".to_owned(),
        Scalar::IpNet => "a network such as 10.0.0.0/8".to_owned(),
        Scalar::IpMask => "an IP mask such as 255.255.255.0".to_owned(),
        Scalar::Hex => "bytes in hexadecimal".to_owned(),
        Scalar::Base64 => "bytes in base64".to_owned(),
    }
}

/// Least and most that an integer type holds.
pub(crate) fn bounds(scalar: &Scalar) -> (i128, i128) {
    match scalar {
        Scalar::Int(bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Scalar::Uint(bits) => (0, (1 << bits) - 1),
        _ => (i128::MIN, i128::MAX),
    }
}

fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// A string, or an integer as its digits. A fraction is refused: `1.10` has
/// become `1.1` before anybody here sees it.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        _ => None,
    }
}

fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => number
            .as_i64()
            .map(i128::from)
            .or_else(|| number.as_u64().map(i128::from))
            .or_else(|| number.as_f64().and_then(whole)),
        Value::String(text) => {
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            let is_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_decimal.then(|| text.parse().ok()).flatten()
        }
        _ => None,
    }
}

/// `1e6` and `5.0`. Beyond 2^53 a float no longer says which integer was meant.
#[allow(clippy::cast_possible_truncation)]
fn whole(number: f64) -> Option<i128> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i128)
}

fn float(value: &Value, bits: u8) -> Option<String> {
    let number = match value {
        Value::Number(number) if number.is_f64() => number.as_f64()?,
        // Digits stay as they were sent: f64 would round long integers.
        Value::Number(number) => return Some(number.to_string()),
        Value::String(text) => {
            let decimal = text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
            decimal.then(|| text.parse::<f64>().ok()).flatten()?
        }
        _ => return None,
    };
    #[allow(clippy::cast_possible_truncation)]
    let fits = number.is_finite() && (bits == 64 || (number as f32).is_finite());
    // Only what would be hundreds of digits long is written with an exponent.
    let plain = number == 0.0 || (1e-9..1e21).contains(&number.abs());
    fits.then(|| match plain {
        true => number.to_string(),
        false => format!("{number:e}"),
    })
}
