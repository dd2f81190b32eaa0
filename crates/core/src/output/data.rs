//! Reads stdout as data where it is data. Exactly or not at all: nothing here
//! guesses, and a number that would lose a digit takes the whole reading with it.

use serde::de::IgnoredAny;
use serde_json::{Number, Value};

use super::{DataFormat, table, yaml};
use crate::unique::Unique;

/// What `text` says as data, where it is in a form that `format` allows.
pub(super) fn read(text: &str, format: DataFormat) -> Option<Value> {
    match format {
        DataFormat::None => None,
        DataFormat::Json => json(text),
        DataFormat::Any => json_or_lines(text)
            .or_else(|| table::read(text))
            .or_else(|| yaml::read(text)),
    }
}

/// JSON, or JSON Lines.
pub(super) fn json_or_lines(text: &str) -> Option<Value> {
    json(text).or_else(|| json_stream(text))
}

/// Text that is declared to be JSON, of any kind: nothing where it is but cannot be
/// held exactly, and what is wrong where it is not.
pub(super) fn whole(text: &str) -> Result<Option<Value>, serde_json::Error> {
    serde_json::from_str::<IgnoredAny>(text)?;
    let exact = numbers_are_exact(text).then(|| serde_json::from_str::<Unique>(text));
    Ok(exact.and_then(Result::ok).map(|Unique(value)| value))
}

/// One object or array. A bare number or string is text that happens to be JSON:
/// `1.10` is more likely a version than a number.
fn json(text: &str) -> Option<Value> {
    if !is_container(text) || !numbers_are_exact(text) {
        return None;
    }
    serde_json::from_str::<Unique>(text)
        .ok()
        .map(|Unique(value)| value)
}

/// Several objects or arrays: one on each line, or printed one after another.
fn json_stream(text: &str) -> Option<Value> {
    if !is_container(text) || !numbers_are_exact(text) {
        return None;
    }
    let mut values = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Unique>() {
        let Unique(value) = value.ok()?;
        if !(value.is_object() || value.is_array()) {
            return None;
        }
        values.push(value);
    }
    (values.len() > 1).then_some(Value::Array(values))
}

fn is_container(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Whether every number outside of strings can be held without losing digits.
fn numbers_are_exact(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let rest = &text[at..];
                let number =
                    |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
                let end = rest.find(|c| !number(c)).unwrap_or(rest.len());
                if !number_is_exact(&rest[..end]) {
                    return false;
                }
                at += end;
            }
            _ => at += 1,
        }
    }
    true
}

fn number_is_exact(token: &str) -> bool {
    if token.parse::<i64>().is_ok() || token.parse::<u64>().is_ok() {
        return true;
    }
    if !token.contains(['.', 'e', 'E']) {
        return false;
    }
    let Ok(float) = token.parse::<f64>() else {
        return false;
    };
    // Of two shortest ways to write a float, this is the one that it will be written in.
    let written = Number::from_f64(float).map(|number| number.to_string());
    written.is_some_and(|written| significance(token) == significance(&written))
}

/// A decimal number as its digits without zeros around, and its exponent.
fn significance(token: &str) -> Option<(bool, String, i64)> {
    let negative = token.starts_with('-');
    let token = token.trim_start_matches('-').to_ascii_lowercase();
    let (mantissa, exponent) = token.split_once('e').unwrap_or((&token, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i64 = exponent.parse().ok()?;
    let digits = format!("{whole}{fraction}");
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    let digits = digits.trim_matches('0').to_owned();
    if digits.is_empty() {
        return Some((false, digits, 0));
    }
    let places = i64::try_from(whole.len()).ok()? - i64::try_from(zeros).ok()?;
    Some((negative, digits, exponent.checked_add(places)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, json};

    use super::*;

    #[track_caller]
    fn check(text: &str, format: DataFormat, expected: Option<&str>) {
        let data = read(text, format).map(|data| data.to_string());
        assert_eq!(data.as_deref(), expected, "{text}");
    }

    #[test]
    fn json_is_read_with_its_keys_in_order() {
        check(
            " {\"z\": 1, \"a\": [true, null, \"x\"]}\n",
            DataFormat::Json,
            Some(r#"{"z":1,"a":[true,null,"x"]}"#),
        );
        check("[]", DataFormat::Json, Some("[]"));
        check("{\"a\":1}", DataFormat::None, None);
    }

    #[test]
    fn bare_values_and_text_around_json_stay_text() {
        for text in [
            "1.10",
            "42",
            "true",
            "\"x\"",
            "",
            "null",
            "{} trailing",
            "log\n{}",
            "{'a':1}",
        ] {
            check(text, DataFormat::Json, None);
        }
    }

    #[test]
    fn numbers_keep_every_digit_or_there_is_no_data() {
        for exact in [
            "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551615",
            "0.1",
            "1.5",
            "-2.5e-3",
            "0.30000000000000004",
            "1e22",
        ] {
            assert!(json(&format!("[{exact}]")).is_some(), "{exact}");
        }
        for lossy in [
            "18446744073709551616",
            "-9223372036854775809",
            "0.10000000000000000555",
            "1e400",
            "123456789012345678.5",
        ] {
            assert_eq!(json(&format!("[{lossy}]")), None, "{lossy}");
        }
        assert!(json(r#"{"id \" 99999999999999999999": "18446744073709551616"}"#).is_some());
    }

    #[test]
    fn an_object_with_a_key_twice_is_not_data() {
        check(r#"[{"a":1,"a":2}]"#, DataFormat::Any, None);
    }

    #[test]
    fn values_one_after_another_become_a_list_when_any_form_will_do() {
        let lines = "{\"a\":1}\n{\"a\":2}\n";
        check(lines, DataFormat::Json, None);
        check(lines, DataFormat::Any, Some(r#"[{"a":1},{"a":2}]"#));
        check("[1]\n[2]", DataFormat::Any, Some("[[1],[2]]"));
        check("{\"a\":1}\nnot json\n", DataFormat::Any, None);
        check("{}\n17\n", DataFormat::Any, None);
    }

    #[test]
    fn deep_nesting_is_text() {
        check(&"[".repeat(100_000), DataFormat::Any, None);
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        check(&deep, DataFormat::Any, None);
        let deep: String = (0..5000)
            .map(|n| format!("{}a:\n", " ".repeat(n)))
            .collect();
        check(&deep, DataFormat::Any, None);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 30, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::vec((".*", inner), 0..5)
                    .prop_map(|entries| entries.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
    }

    #[test]
    fn a_float_with_two_shortest_forms_is_exact_in_the_one_that_is_written() {
        let text = json!([1054543333584784.2]).to_string();
        assert!(json(&text).is_some(), "{text}");
    }

    proptest! {
        #[test]
        fn what_serde_writes_is_read_back(value in any_json()) {
            let value = json!([value]);
            prop_assert_eq!(json(&value.to_string()), Some(value.clone()));
            prop_assert_eq!(json(&format!("{value:#}")), Some(value));
        }

        #[test]
        fn prose_is_never_data(
            words in proptest::collection::vec("[A-Za-z]{1,9}[.,:!]?", 3..60),
            gaps in proptest::collection::vec(prop_oneof![9 => Just(" "), 1 => Just("\n"), 1 => Just("  ")], 60),
        ) {
            let mut text = String::from("The");
            for (word, gap) in words.iter().zip(gaps) {
                text.push_str(gap);
                text.push_str(word);
            }
            prop_assert_eq!(read(&text, DataFormat::Any), None);
        }

        #[test]
        fn nothing_makes_it_fail(text in "[\\PC\n\t -:\\[\\]{}\"']{0,200}") {
            let _ = read(&text, DataFormat::Any);
        }
    }
}
