//! JSON that means the same to everybody who reads it.
//!
//! Of a key that stands twice some readers take the first value and some the last, so
//! that what was looked at need not be what is done.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// So many characters of a key are shown.
const MOST_SHOWN: usize = 60;

/// JSON in which no object has a key twice: one of the two would be lost.
#[derive(Debug, Clone, PartialEq)]
pub struct Unique(pub Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value::Bool(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value::from(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value::from(value))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
                Number::from_f64(value)
                    .map(Value::Number)
                    .ok_or_else(|| E::custom("not a number"))
            }

            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(Value::from(value))
            }

            fn visit_string<E>(self, value: String) -> Result<Value, E> {
                Ok(Value::String(value))
            }

            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
                let mut values = Vec::new();
                while let Some(Unique(value)) = list.next_element()? {
                    values.push(value);
                }
                Ok(Value::Array(values))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                let mut values = Map::new();
                while let Some((key, Unique(value))) = map.next_entry::<String, _>()? {
                    if values.contains_key(&key) {
                        let key: String = key.chars().take(MOST_SHOWN).collect();
                        let key = Value::from(key);
                        return Err(A::Error::custom(format_args!("the key {key} stands twice")));
                    }
                    values.insert(key, value);
                }
                Ok(Value::Object(values))
            }
        }
        deserializer.deserialize_any(Reader).map(Unique)
    }
}

#[cfg(test)]
mod tests {
    use super::Unique;

    #[track_caller]
    fn check(text: &str, twice: Option<&str>) {
        let read = serde_json::from_str::<Unique>(text);
        let problem = read.err().map(|error| error.to_string());
        let problem = problem
            .as_deref()
            .and_then(|text| text.split(" at ").next());
        let expected = twice.map(|key| format!("the key {key} stands twice"));
        assert_eq!(problem, expected.as_deref(), "{text}");
    }

    #[test]
    fn a_key_stands_once_in_an_object_at_any_depth() {
        check(
            r#"{"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 2}]}"#,
            None,
        );
        check(r#"{"a": 1, "b": 2, "a": 1}"#, Some(r#""a""#));
        check(r#"[{"b": {"a": 1, "a": 1}}]"#, Some(r#""a""#));
        check(r#"{"": 1, "": 1}"#, Some(r#""""#));
    }

    #[test]
    fn a_key_is_the_same_however_it_is_written() {
        check(r#"{"a": 1, "\u0061": 1}"#, Some(r#""a""#));
    }

    #[test]
    fn of_a_long_key_the_beginning_is_shown() {
        let key = "k".repeat(1000);
        let shown = format!("\"{}\"", "k".repeat(60));
        check(&format!("{{\"{key}\": 1, \"{key}\": 1}}"), Some(&shown));
    }
}
