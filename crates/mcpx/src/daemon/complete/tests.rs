//! What is offered where the cursor is.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::json;
use serde_json::value::RawValue;

use super::*;
use crate::config::{EndpointText, Settings};

fn entry(name: &str) -> (String, ServerEntry) {
    let url = "https://me:secret@example.com/mcp".to_owned();
    let entry = ServerEntry {
        name: name.to_owned(),
        scope: Default::default(),
        origin: None,
        endpoint: EndpointText::Http {
            url,
            headers: BTreeMap::new(),
            ca_file: None,
        },
        settings: Settings::default(),
    };
    (name.to_owned(), entry)
}

fn tools() -> Vec<ToolSpec> {
    let tool = json!({
        "name": "list",
        "description": "Lists things. Slowly.",
        "inputSchema": {
            "properties": {
                "sort": {"enum": ["asc", "desc", "as is"], "description": "Order"},
                "all": {"type": "boolean"},
                "tag": {"type": "array", "items": {"enum": ["red", "green"]}},
                "cache": {"type": "string"},
                "verbose": {"type": "boolean"},
                "path": {"type": "string"},
            },
            "required": ["path"],
        },
    });
    let odd = json!({"name": "odd\nname"});
    [tool, odd]
        .iter()
        .map(|tool| {
            let raw = RawValue::from_string(tool.to_string()).unwrap();
            ToolSpec::read(&raw, &crate::own_flags::long_names()).unwrap()
        })
        .collect()
}

/// What a line can go on with; `_` stands for a word that is empty yet.
fn offered(line: &str) -> Vec<String> {
    let words: Vec<String> = line
        .split_whitespace()
        .map(|word| if word == "_" { "" } else { word }.to_owned())
        .collect();
    let servers = BTreeMap::from([entry("fake"), entry("files")]);
    let tools = tools();
    let tools = match needs(&words) {
        Needs::ToolsOf(server) if server == "fake" => Some(tools.as_slice()),
        _ => None,
    };
    let all = complete(&words, &servers, tools);
    all.into_iter().map(|candidate| candidate.word).collect()
}

#[test]
fn every_word_of_a_line_can_be_completed() {
    let cases: [(&str, &[&str]); 26] = [
        ("", &["fake", "files", "completion"]),
        ("_", &["fake", "files", "completion"]),
        ("fa", &["fake"]),
        ("-v f", &["fake", "files"]),
        ("--ca", &["--cache="]),
        ("--cache _", &["30s", "5m", "1h"]),
        (
            "--timeout=1",
            &["--timeout=10s", "--timeout=1m", "--timeout=10m"],
        ),
        ("--cache 30s fi", &["files"]),
        ("fake _", &["list"]),
        ("fake --ver", &["--verbose", "--version"]),
        ("unknown _", &[]),
        ("completion _", &["bash", "zsh", "fish"]),
        ("completion z", &["zsh"]),
        (
            "fake list _",
            &[
                "--path=",
                "--sort=",
                "--all",
                "--no-all",
                "--tag=",
                "--tool-cache=",
                "--tool-verbose",
                "--no-tool-verbose",
            ],
        ),
        ("fake list --path=x --pa", &[]),
        ("fake list --all --no-a", &[]),
        ("fake list --tag=red --ta", &["--tag="]),
        ("fake list --so", &["--sort="]),
        ("fake list --sort=as", &["--sort=asc", "--sort=as is"]),
        ("fake list --sort _", &["asc", "desc", "as is"]),
        ("fake list --tag g", &["green"]),
        ("fake list --all=", &["--all=true", "--all=false"]),
        ("fake list --cache _", &["30s", "5m", "1h"]),
        ("fake list --ve", &["--verbose", "--version"]),
        ("fake list -- --ve", &["--verbose"]),
        ("fake list -- --no-", &["--no-all", "--no-verbose"]),
    ];
    for (line, expected) in cases {
        assert_eq!(offered(line), expected, "{line}");
    }
}

#[test]
fn a_server_is_asked_only_for_what_it_knows() {
    for (line, server) in [
        ("", None),
        ("fa", None),
        ("fake --js", None),
        ("--cache fake", None),
        ("fake x", Some("fake")),
        ("-v fake list --a", Some("fake")),
        ("fake -- -", Some("fake")),
    ] {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let expected = server.map_or(Needs::Nothing, |name| Needs::ToolsOf(name.to_owned()));
        assert_eq!(needs(&words), expected, "{line}");
    }
}

#[test]
fn candidates_are_lines_with_what_they_are_and_no_secret() {
    let servers = BTreeMap::from([entry("fake")]);
    let words = ["f".to_owned()];
    let all = complete(&words, &servers, None);
    assert_eq!(lines(&all), "fake\thttps://***@example.com/mcp\n");
    let words = ["fake", "list", "--s"].map(str::to_owned);
    let all = complete(&words, &servers, Some(&tools()));
    assert_eq!(lines(&all), "--sort=\tOrder (one of: asc, desc, as is)\n");
    let words = ["fake", "l"].map(str::to_owned);
    let all = complete(&words, &servers, Some(&tools()));
    assert_eq!(lines(&all), "list\tLists things\n");
}

#[test]
fn there_is_a_script_for_every_shell_and_for_no_other() {
    assert!(SHELLS.iter().all(|shell| script(shell).is_some()));
    assert_eq!(script("powershell"), None);
}
