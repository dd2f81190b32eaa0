//! The beginning of a JSON list that somebody else wrote, however long it is.
//!
//! A list of a hundred million zeros is small on the wire and fills the memory once it
//! is read: what is beyond a limit is looked over, but not kept.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The first elements of a list, as they are written.
#[derive(Debug, Default)]
pub struct Few<'a> {
    /// In the list's order.
    pub items: Vec<&'a RawValue>,
    /// Whether the list goes on.
    pub has_more: bool,
}

/// The first `most` elements of the list in `json`; nothing where it is no list.
pub fn few(json: &str, most: usize) -> Option<Few<'_>> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let few = Most(most).deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    Some(few)
}

struct Most(usize);

impl<'de> DeserializeSeed<'de> for Most {
    type Value = Few<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Most {
    type Value = Few<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut few = Few::default();
        while few.items.len() < self.0 {
            match list.next_element()? {
                Some(item) => few.items.push(item),
                None => return Ok(few),
            }
        }
        while let Some(IgnoredAny) = list.next_element()? {
            few.has_more = true;
        }
        Ok(few)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_kept_up_to_the_limit() {
        for (json, most, items, has_more) in [
            ("[]", 2, &[][..], false),
            (r#"[1, {"a": [2]}]"#, 2, &["1", r#"{"a": [2]}"#], false),
            ("[1,2,3]", 2, &["1", "2"], true),
            ("[1]", 0, &[], true),
        ] {
            let found = few(json, most).unwrap_or_default();
            let texts: Vec<&str> = found.items.iter().map(|item| item.get()).collect();
            assert_eq!(
                (texts.as_slice(), found.has_more),
                (items, has_more),
                "{json}"
            );
        }
    }

    #[test]
    fn what_is_no_list_or_breaks_off_is_nothing() {
        for json in ["{}", "null", "[1", "[1,2,]", "[1,2,3 4]", "[] []"] {
            assert!(few(json, 2).is_none(), "{json}");
        }
    }
}
