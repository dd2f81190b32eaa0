//! Strings of JSON, also those that JavaScript can hold and UTF-8 cannot.

use serde::de::{Deserialize, Deserializer, Visitor};
use serde_json::value::RawValue;

/// What a JSON string says; nothing where it is none. Half a surrogate pair becomes
/// the replacement character.
pub(super) fn text(raw: &RawValue) -> Option<String> {
    if let Ok(text) = serde_json::from_str(raw.get()) {
        return Some(text);
    }
    let bytes: Bytes = serde_json::from_str(raw.get()).ok()?;
    Some(String::from_utf8_lossy(&bytes.0).into_owned())
}

/// A string read as bytes, which lets half a pair through.
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Bytes;

            fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Read)
    }
}
