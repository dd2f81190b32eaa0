//! Reads YAML as programs print it, and nothing that merely looks a little like it.
//!
//! Almost any text is valid YAML, so this asks first whether the text has the
//! look of printed YAML, then parses it. `NO` stays a text, and so does a number
//! that is not written as it would be printed (`1.10`, `0755`).

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::Options;
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};

/// One document's value, or a list of several documents' values.
pub(super) fn read(text: &str) -> Option<Value> {
    let mut documents = Vec::new();
    for document in split(text)? {
        documents.push(parse(&document)?);
    }
    match documents.len() {
        0 => None,
        1 => documents.pop(),
        _ => Some(Value::Array(documents)),
    }
}

/// The documents, if each of them looks like one.
fn split(text: &str) -> Option<Vec<String>> {
    // At the start of a line `---` separates documents wherever it stands.
    let marked = text.lines().any(|line| line == "---");
    let mut documents = vec![String::new()];
    for line in text.lines() {
        if line == "---" {
            documents.push(String::new());
        } else if let Some(document) = documents.last_mut() {
            document.push_str(line);
            document.push('\n');
        }
    }
    documents.retain(|document| {
        let mut lines = document.lines();
        lines.any(|line| !line.trim().is_empty() && !line.starts_with('#'))
    });
    documents
        .iter()
        .all(|document| has_the_look(document, marked))
        .then_some(documents)
}

/// Whether every line is a key, an item or the rest of a value that is plainly not
/// finished, and the whole has more structure than a sentence with a colon.
fn has_the_look(document: &str, marked: bool) -> bool {
    let (mut keys, mut items, mut nested, mut plain_names) = (0, 0, 0, true);
    // The indentation of the key whose block of text is being passed.
    let mut text_under = None;
    let mut unfinished = Unfinished::No;
    for line in document.lines() {
        let indented = line.trim_start_matches(' ');
        if indented.is_empty() {
            // A paragraph can end inside quotes, nowhere else.
            if !matches!(unfinished, Unfinished::Until(_)) {
                unfinished = Unfinished::No;
            }
            continue;
        }
        let indentation = line.len() - indented.len();
        if text_under.is_some_and(|under| indentation > under) {
            continue;
        }
        if unfinished != Unfinished::No && indentation > 0 && unfinished.goes_on(indented) {
            unfinished = unfinished.after(indented);
            continue;
        }
        if indented.starts_with('#') {
            continue;
        }
        text_under = starts_text(indented).then_some(indentation);
        let mut content = indented;
        while let Some(item) = item(content) {
            content = item;
        }
        let is_item = content.len() < indented.len();
        let value = match key(content) {
            // Values in columns are a listing.
            Some((_, value)) if value.starts_with(' ') => return false,
            Some((name, value)) => {
                if indentation == 0 && !is_item {
                    keys += 1;
                    let starts_small = |c: char| c.is_ascii_lowercase() || c == '_';
                    plain_names &= name.starts_with(starts_small);
                } else {
                    nested += 1;
                }
                value
            }
            None if is_item => content,
            None => return false,
        };
        items += usize::from(is_item && indentation == 0);
        nested += usize::from(is_item && indentation > 0);
        unfinished = Unfinished::value(value, line);
    }
    match (keys, items) {
        (0, 0) => false,
        (0, _) | (1, 0) => marked || nested > 0 || text_under.is_some(),
        (_, 0) => marked || nested > 0 || plain_names,
        // `key:` over `- item` at the margin is a list in a mapping.
        (_, _) => true,
    }
}

/// Whether the next line may be the rest of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unfinished {
    No,
    /// Until a quote or bracket closes.
    Until(char),
    /// Printers fold plain text only when its line is long.
    Folded,
}

impl Unfinished {
    const LONG_LINE: usize = 60;

    fn value(value: &str, line: &str) -> Self {
        let closing = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => Some(quote),
            Some('[') => Some(']'),
            Some('{') => Some('}'),
            Some(_) | None => None,
        };
        match closing {
            Some(closing) if value.len() > 1 && value.ends_with(closing) => Unfinished::No,
            Some(closing) => Unfinished::Until(closing),
            None if !value.is_empty() && line.len() >= Self::LONG_LINE => Unfinished::Folded,
            None => Unfinished::No,
        }
    }

    /// After a long line of plain text, a key or an item is not the rest of it.
    fn goes_on(self, line: &str) -> bool {
        self != Unfinished::Folded || (key(line).is_none() && item(line).is_none())
    }

    fn after(self, line: &str) -> Self {
        match self {
            Unfinished::Until(closing) if line.ends_with(closing) => Unfinished::No,
            Unfinished::Folded if line.len() < Self::LONG_LINE => Unfinished::No,
            other => other,
        }
    }
}

/// What follows the dash of a list's item.
fn item(line: &str) -> Option<&str> {
    match line.strip_prefix("- ") {
        Some(rest) => Some(rest.trim_start_matches(' ')),
        None => (line == "-").then_some(""),
    }
}

/// Whether the lines below, as far as they are indented, are text: `key: |`.
fn starts_text(line: &str) -> bool {
    let mark = line.trim_end_matches(['+', '-', '1', '2', '4', '8']);
    [": |", ": >", "- |", "- >"]
        .iter()
        .any(|start| mark.ends_with(start))
}

/// The parts of `name: value` or `name:`.
fn key(line: &str) -> Option<(&str, &str)> {
    let (name, value) = match line.split_once(": ") {
        Some(parts) => parts,
        None => (line.strip_suffix(':')?, ""),
    };
    let inner = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'))
        .or_else(|| {
            name.strip_prefix('\'')
                .and_then(|name| name.strip_suffix('\''))
        });
    let is_name = match inner {
        Some(quoted) => !quoted.contains(['"', '\'']),
        None => name
            .chars()
            .all(|c| c.is_alphanumeric() || "_-./@$:()*+".contains(c)),
    };
    (is_name && !name.is_empty() && !name.starts_with('-')).then_some((name, value))
}

pub(crate) fn options() -> Options {
    serde_saphyr::options! {
        // Its frames are large: a hundred levels overflow a thread of 2 MiB.
        budget: serde_saphyr::budget! { max_depth: 40, },
        strict_booleans: true,
        duplicate_keys: DuplicateKeyPolicy::Error,
        non_finite_float_policy: NonFiniteFloatPolicy::Reject,
        with_snippet: false,
    }
}

/// The mapping or list that one document is, whatever it looks like.
pub(crate) fn parse(document: &str) -> Option<Value> {
    let mut value: Value = serde_saphyr::from_str_with_options(document, options()).ok()?;
    if !(value.is_object() || value.is_array()) {
        return None;
    }
    serde_saphyr::with_deserializer_from_str_with_options(document, options(), |deserializer| {
        AsWritten(&mut value).deserialize(deserializer)
    })
    .ok()?;
    Some(value)
}

/// Goes through the document a second time and puts back the text of numbers
/// that would not be printed as they were written.
struct AsWritten<'a>(&'a mut Value);

impl<'de> DeserializeSeed<'de> for AsWritten<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.0 {
            Value::Number(number) => {
                let written = String::deserialize(deserializer)?;
                if number.to_string() != written {
                    *self.0 = Value::String(written);
                }
                Ok(())
            }
            Value::Array(_) => deserializer.deserialize_seq(self),
            Value::Object(_) => deserializer.deserialize_map(self),
            Value::Null | Value::Bool(_) | Value::String(_) => {
                IgnoredAny::deserialize(deserializer).map(drop)
            }
        }
    }
}

impl<'de> Visitor<'de> for AsWritten<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the same document again")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        for value in self.0.as_array_mut().into_iter().flatten() {
            list.next_element_seed(AsWritten(value))?;
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match self.0.get_mut(&key) {
                Some(value) => map.next_value_seed(AsWritten(value))?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let data = read(text).map(|data| data.to_string());
        assert_eq!(data.as_deref().unwrap_or("text"), expected, "{text}");
    }

    #[test]
    fn a_kubernetes_object_is_read() {
        check(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    a.b/c: \"true\"\n  \
             creationTimestamp: \"2026-01-02T03:04:05Z\"\n  labels: {}\nspec:\n  containers:\n  \
             - image: nginx:1.25\n    args: [\"-v\", \"2\"]\n  replicas: 3\nstatus:\n  message: 'a long\n    folded message'\n",
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"a.b/c":"true"},"creationTimestamp":"2026-01-02T03:04:05Z","labels":{}},"spec":{"containers":[{"image":"nginx:1.25","args":["-v","2"]}],"replicas":3},"status":{"message":"a long folded message"}}"#,
        );
    }

    #[test]
    fn several_documents_become_a_list() {
        check("---\na: 1\n---\nb: 2\n", r#"[{"a":1},{"b":2}]"#);
        check(
            "# Source: x\na: 1\nb:\n  c: |\n    text\n---\n- 1\n- 2\n",
            r#"[{"a":1,"b":{"c":"text\n"}},[1,2]]"#,
        );
    }

    #[test]
    fn only_true_and_false_are_booleans() {
        check(
            "country: NO\nanswer: yes\nlight: off\nreal: true\nnot: false\nnone: null\n",
            r#"{"country":"NO","answer":"yes","light":"off","real":true,"not":false,"none":null}"#,
        );
    }

    #[test]
    fn numbers_that_would_change_stay_as_written() {
        check(
            "go: 1.10\nmode: 0755\nhex: 0x1F\nbig: 18446744073709551616\nint: -5\nfloat: 1.5\nquoted: \"7\"\nlist:\n- 1.20\n- 2\n",
            r#"{"go":"1.10","mode":"0755","hex":"0x1F","big":"18446744073709551616","int":-5,"float":1.5,"quoted":"7","list":["1.20",2]}"#,
        );
    }

    #[test]
    fn a_list_of_mappings_is_read_and_a_bare_list_needs_its_marker() {
        check(
            "- name: a\n  size: 1\n- name: b\n",
            r#"[{"name":"a","size":1},{"name":"b"}]"#,
        );
        check("---\n- a\n- b\n", r#"["a","b"]"#);
        check("- buy milk\n- call home\n", "text");
    }

    #[test]
    fn text_under_a_key_may_look_like_anything() {
        check(
            "kind: ConfigMap\ndata:\n  notes: |-\n    Name:    x\n    Free prose.\n  other: y\n",
            r#"{"kind":"ConfigMap","data":{"notes":"Name:    x\nFree prose.","other":"y"}}"#,
        );
    }

    #[test]
    fn folded_and_quoted_values_go_on_over_lines() {
        let long = "w".repeat(70);
        check(
            &format!(
                "a:\n  message: {long}\n    and more\n  quoted: \"one\n\n    two\"\n  flow: [1,\n    2]\n"
            ),
            &format!(r#"{{"a":{{"message":"{long} and more","quoted":"one\ntwo","flow":[1,2]}}}}"#),
        );
    }

    #[test]
    fn help_pages_are_not_yaml() {
        for text in [
            "usage: prog list [-h]\n\noptions:\n  -h, --help  show this help\n",
            "Usage: prog\n\n  Some text about it.\n\nOptions:\n\n  -x   Does things.\n",
            "Commands:\n  list\n  show\n",
            "Available:\n  build: makes it\n  and more text\n",
        ] {
            check(text, "text");
        }
    }

    #[test]
    fn prose_and_listings_are_not_yaml() {
        for text in [
            "Error: something went wrong",
            "error: something went wrong\n",
            "Error: bad thing\nHint: try again\n",
            "Note: this is prose. It goes on\nover a second line.\n",
            "Name:         nginx\nNamespace:    default\nLabels:       a=b\n",
            "Client:\n Version:           24.0.7\nServer: none running\n",
            "hello world\n",
            "name: a\nand then: prose here\n",
            "https://example.com/a:b\n",
            "12:30:45 started\n12:30:46 done\n",
            "a: b: c\nd: e: f\n",
            "a: 1\na: 2\n",
            "key: &anchor [*anchor]\nother: 1\n",
            "\ttabbed: yes\n",
            "",
            "---\n",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
