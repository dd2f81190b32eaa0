//! The examples of slop-mcp's specification, and ours, as the model holds them.

use std::path::Path;

use snapbox::{Data, assert_data_eq};

use super::{describe, files, programs};

#[test]
fn every_file_of_the_corpus_is_read_as_its_snapshot_says() {
    let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/definitions/snapshots");
    for (name, text) in files() {
        let read: Vec<String> = programs(&text).into_iter().map(describe).collect();
        let expected = snapshots.join(name.replace(".kdl", ".json"));
        assert_data_eq!(
            format!("{}\n", read.join("\n")),
            Data::read_from(&expected, None).raw()
        );
    }
}

#[test]
fn what_describe_prints_is_read_back_to_the_same() {
    for (name, text) in files() {
        for program in programs(&text) {
            let json = describe(program.clone());
            let again: argway_core::model::Reading = serde_json::from_str(&json).unwrap();
            assert_eq!(again.program, program, "{name}");
        }
    }
}

#[test]
fn every_example_of_the_guide_is_read() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../GUIDE-DEFINITIONS.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let examples: Vec<&str> = guide
        .split("```kdl\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```"))
        .map(|(example, _)| example)
        .collect();
    assert!(examples.len() >= 8);
    for example in examples {
        assert_eq!(programs(example).len(), 1, "{example}");
    }
}
