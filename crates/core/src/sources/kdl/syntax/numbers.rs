//! Numbers: decimal with fraction and exponent, and `0x`, `0o`, `0b`.

use super::super::fault::{Fault, Sort, Span};
use super::Value;
use super::cursor::Cursor;

/// The number that begins here, if anything that begins like one does.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Option<Value>, Fault> {
    let start = cursor.at();
    let rest = cursor.rest().as_bytes();
    let signed = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
    if !rest.get(signed).is_some_and(u8::is_ascii_digit) {
        return Ok(None);
    }
    let word = cursor.bare_word();
    let span = Span::new(start, cursor.at());
    value(word).map(Some).ok_or_else(|| {
        let shown: String = word.chars().take(40).collect();
        let message = format!("`{shown}` is no number, or one too large");
        Fault::new(Sort::Syntax, span, message).help("if it is a text, write it in quotes")
    })
}

fn value(word: &str) -> Option<Value> {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let negative = word.starts_with('-');
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = unsigned.strip_prefix(prefix) {
            let first = digits.chars().next()?;
            let number = i128::from_str_radix(&plain(digits, |char| char.is_digit(radix))?, radix);
            let number = number.ok().filter(|_| first != '_')?;
            return Some(Value::Integer(if negative { -number } else { number }));
        }
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = exponent.map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
    let parts = [Some(whole), fraction, digits];
    if !parts.into_iter().flatten().all(is_decimal) {
        return None;
    }
    let text = plain(word, |char| char != '_')?;
    if fraction.is_none() && exponent.is_none() {
        return text.parse().ok().map(Value::Integer);
    }
    let number: f64 = text.parse().ok()?;
    number.is_finite().then_some(Value::Float(number))
}

/// Digits, with `_` anywhere but in front.
fn is_decimal(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'_')
}

/// `text` without `_`, if all else of it is `allowed`.
fn plain(text: &str, allowed: impl Fn(char) -> bool) -> Option<String> {
    text.chars()
        .filter(|char| *char != '_')
        .map(|char| allowed(char).then_some(char))
        .collect()
}
