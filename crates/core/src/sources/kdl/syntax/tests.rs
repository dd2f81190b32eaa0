//! Our reader against the `kdl` crate's, which knows both dialects by itself.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kdl::{KdlDocument, KdlNode, KdlValue};
use proptest::prelude::*;

use super::{Node, Value, parse};

/// A node without places: name, values, properties in order, children.
#[derive(Debug, PartialEq)]
struct Plain {
    name: String,
    entries: Vec<(Option<String>, String)>,
    children: Vec<Plain>,
}

fn ours(node: &Node) -> Plain {
    let show = |value: &Value| match value {
        Value::Text(text) => format!("{text:?}"),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => format!("float {number}"),
        Value::Bool(flag) => flag.to_string(),
        Value::Null => "null".to_owned(),
    };
    Plain {
        name: node.name.text.clone(),
        entries: node
            .entries
            .iter()
            .map(|entry| {
                let key = entry.key.as_ref().map(|key| key.text.clone());
                (key, show(&entry.value))
            })
            .collect(),
        children: node.children.iter().flatten().map(ours).collect(),
    }
}

fn theirs(node: &KdlNode) -> Plain {
    let show = |value: &KdlValue| match value {
        KdlValue::String(text) => format!("{text:?}"),
        KdlValue::Integer(number) => number.to_string(),
        KdlValue::Float(number) => format!("float {number}"),
        KdlValue::Bool(flag) => flag.to_string(),
        KdlValue::Null => "null".to_owned(),
    };
    Plain {
        name: node.name().value().to_owned(),
        entries: node
            .entries()
            .iter()
            .map(|entry| {
                let key = entry.name().map(|key| key.value().to_owned());
                (key, show(entry.value()))
            })
            .collect(),
        children: node
            .children()
            .iter()
            .flat_map(|children| children.nodes())
            .map(theirs)
            .collect(),
    }
}

fn read(text: &str) -> Result<Vec<Plain>, String> {
    match parse(text) {
        Ok(nodes) => Ok(nodes.iter().map(ours).collect()),
        Err(fault) => Err(fault.message),
    }
}

fn reference(document: &KdlDocument) -> Vec<Plain> {
    document.nodes().iter().map(theirs).collect()
}

#[test]
fn the_second_dialect_is_read_as_its_reference_reads_it() {
    let texts = [
        "a",
        "a 1 -2 +3 0x1f 0b1010 0o17 1_000 1.5 -2e3 1.0E-2",
        "a #true #false #null bare-word \"text\" key=value other=#true",
        "a key = 1 \"quoted key\"=2",
        "\"node name\" 1; b; c { d; e 1 { f } }",
        "a /- 1 2 /- { b } { c } /- { d }\n/- e { f }\ng",
        "a \\\n  1 \\ // comment\n 2 /* x /* y */ */ 3",
        "// comment\n/* another */ a // at the end\n",
        "a \"\\n\\t\\\\\\\"\\s\\u{1F600}\"",
        "a \"one \\\n    line\"",
        "a #\"raw \" \\n\"# ##\"with \"# inside\"##",
        "a \"\"\"\n    two\n      lines\n\n    \"\"\"",
        "a \"\"\"\n  an \\n escape \\\n  joined\n  \"\"\"",
        "a #\"\"\"\n  raw \\n \"quoted\"\n  \"\"\"#",
        "a \"\"\"\n\"\"\"",
        "(type)a (u8)1 key=(x)2",
        "a - -- +x .x a.b ~ <x> x,y 日本",
        "\u{feff}a\r\nb\r\u{85}c",
        "/- kdl-version 2\na",
        "a {}\nb { }",
    ];
    for text in texts {
        let expected = reference(&KdlDocument::parse_v2(text).unwrap());
        assert_eq!(read(text), Ok(expected), "{text}");
    }
}

#[test]
fn the_first_dialect_is_read_as_its_reference_reads_it() {
    let texts = [
        "a true false null 1 key=true",
        "a \"over\nseveral lines\"",
        "a r\"raw \\n\" r#\"with \" inside\"# r##\"x \"# y\"##",
        "a \"\\/ \\b\\f\"",
        "a {\n  b 1.5\n  /-c\n}\n",
        "/- a { b; }\nc /-1 2",
        "a \\\n 1",
    ];
    for text in texts {
        let expected = reference(&KdlDocument::parse_v1(text).unwrap());
        assert_eq!(read(text), Ok(expected), "{text}");
    }
}

#[test]
fn one_file_may_mix_both() {
    let mixed = read("a true #true r\"x\\\" #\"y\"# bare \"over\nlines\"").unwrap();
    let values: Vec<&str> = mixed[0]
        .entries
        .iter()
        .map(|(_, value)| value.as_str())
        .collect();
    let expected = [
        "true",
        "true",
        r#""x\\""#,
        r#""y""#,
        r#""bare""#,
        r#""over\nlines""#,
    ];
    assert_eq!(values, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_the_second_dialect_allows_is_read_alike(text in r#"([a-c1 ={}\n;"\\/#*-]|true|#true|"""\n|\n"""){0,12}"#) {
        // Their reader overflows its stack on much less than garbage: only short texts.
        if let Ok(document) = KdlDocument::parse_v2(&text) {
            prop_assert_eq!(read(&text), Ok(reference(&document)), "{}", text);
        }
    }

    #[test]
    fn values_come_back_as_they_were_written(values in proptest::collection::vec(any::<(String, i64, bool)>(), 0..5)) {
        let mut text = String::new();
        let mut expected = Vec::new();
        for (string, number, flag) in values {
            let string: String = string.chars().filter(|char| *char != '\0').collect();
            let escaped: String = string.chars().map(|char| format!("\\u{{{:x}}}", u32::from(char))).collect();
            text += &format!("n \"{escaped}\" {number} {flag}\n");
            expected.push(vec![format!("{string:?}"), number.to_string(), flag.to_string()]);
        }
        let read: Vec<Vec<String>> = read(&text)
            .unwrap()
            .into_iter()
            .map(|node| node.entries.into_iter().map(|(_, value)| value).collect())
            .collect();
        prop_assert_eq!(read, expected);
    }
}
