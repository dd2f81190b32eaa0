//! Words survive a real process start, and are those that a flag parser written
//! from pflag's rules reads back to the values they came from.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

use argway_core::argv::{self, Arguments};
use argway_core::catalog::{Catalog, Inherited, Layout, Selection, Tool};
use argway_core::model::{CommandSpec, Family, Param, Program};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn tool() -> Tool {
    let flag = |name: &str, kind: &str| Param::flag(name, kind.parse().unwrap());
    let command = CommandSpec {
        path: vec!["do".to_owned()],
        runnable: true,
        params: vec![
            flag("text", "string"),
            flag("number", "int"),
            flag("on", "switch"),
            flag("each", "repeat<string>"),
            Param::positional("word", "words<string>".parse().unwrap()),
        ],
        ..CommandSpec::default()
    };
    let program = Program {
        name: "argdump".to_owned(),
        executable: None,
        version: None,
        family: Family::Cobra,
        commands: vec![CommandSpec::default(), command],
    };
    let programs = [Arc::new(program)];
    let catalog = Catalog::build(&programs, &Selection::default(), Inherited::All).unwrap();
    catalog.tools()[0].clone()
}

/// What arrived on the other side of a process start.
fn dump(words: &[String]) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_argdump"))
        .args(words)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// pflag's reading of words without shorthands: flags by name, then positionals.
fn read(words: &[String]) -> (BTreeMap<String, Vec<String>>, Vec<String>) {
    let mut flags: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut positionals = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.strip_prefix("--") {
            Some("") => positionals.extend(words.by_ref().cloned()),
            Some(flag) => {
                let (name, value) = flag.split_once('=').unwrap_or((flag, "true"));
                flags
                    .entry(name.to_owned())
                    .or_default()
                    .push(value.to_owned());
            }
            None => {
                assert!(
                    word == "-" || !word.starts_with('-'),
                    "{word:?} is a shorthand"
                );
                positionals.push(word.clone());
            }
        }
    }
    (flags, positionals)
}

fn text() -> BoxedStrategy<String> {
    prop_oneof![
        "[^\0]{0,12}",
        "-{0,2}[a-z]{0,4}(=[a-z])?",
        "[ '\"\\\\$`\n\t*;&|]{0,6}"
    ]
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn words_arrive_as_they_were_meant(
        value in text(),
        number in any::<i64>(),
        on in any::<bool>(),
        each in proptest::collection::vec(text(), 1..4),
        positionals in proptest::collection::vec(text(), 0..4),
    ) {
        let tool = tool();
        let json = json!({"text": value, "number": number, "on": on, "each": each, "word": positionals});
        let json: &Map<String, Value> = json.as_object().unwrap();
        let arguments = Arguments::check(&tool, Layout::Flat, json).unwrap();
        let words = argv::encode(&tool, &arguments).unwrap();
        let arrived = dump(&words);
        prop_assert_eq!(&arrived, &words);
        prop_assert_eq!(&arrived[0], "do");

        let (flags, read_positionals) = read(&arrived[1..]);
        let mut expected = BTreeMap::from([
            ("text".to_owned(), vec![value]),
            ("number".to_owned(), vec![number.to_string()]),
            ("each".to_owned(), each),
        ]);
        if on {
            expected.insert("on".to_owned(), vec!["true".to_owned()]);
        }
        prop_assert_eq!(flags, expected);
        prop_assert_eq!(read_positionals, positionals);
    }
}
