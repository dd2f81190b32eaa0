//! The whole way of a definition's call: its description as JSON, its tool as a client
//! is told of it, the words that a person types at the client, and the words that the
//! program gets.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::sync::Arc;

use argway_core::argv::{Arguments, OwnFlag, Source, decode, encode};
use argway_core::catalog::{Catalog, Inherited, Layout, Selection};
use argway_core::model::Reading;
use argway_core::schema;
use argway_core::sources::tool::ToolSpec;
use serde_json::{Map, Value, json};

/// The words of the program for the words of the client, and what it reads.
fn call(description: &Value, typed: &[&str]) -> (Vec<String>, Option<String>) {
    let reading: Reading = serde_json::from_value(description.clone()).unwrap();
    let program = Arc::new(reading.program);
    let catalog = Catalog::build(&[program], &Selection::default(), Inherited::default()).unwrap();
    let tool = &catalog.tools()[0];
    let shown = serde_json::value::to_raw_value(&schema::tool(tool, Layout::Flat)).unwrap();
    let seen = ToolSpec::read(&shown, &[]).unwrap();
    let typed: Vec<String> = typed.iter().map(|&word| word.to_owned()).collect();
    let none: &[OwnFlag<()>] = &[];
    let json: Map<String, Value> = match decode(&seen, none, &typed).unwrap().arguments {
        Source::Flags(json) | Source::Json(json) => serde_json::from_str(json.get()).unwrap(),
        Source::Stdin | Source::Nothing => Map::new(),
    };
    let arguments = Arguments::check(tool, Layout::Flat, &json).unwrap();
    let stdin = arguments
        .stdin()
        .map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
    (encode(tool, &arguments).unwrap(), stdin)
}

fn jq(params: &Value, run: &Value) -> Value {
    json!({
        "argway": 1, "name": "jq", "executable": "jq", "family": "definition",
        "commands": [{
            "path": [], "summary": "Process JSON", "runnable": true, "effect": "read",
            "params": params, "run": run,
        }],
    })
}

#[test]
fn a_minimal_definition_is_called_with_a_line() {
    let minimal = jq(
        &json!([{"name": "args", "role": "positional", "type": "line"}]),
        &json!({}),
    );
    let cases: [(&[&str], &[&str]); 4] = [
        (&[], &[]),
        (&["--args=-r '.a b' f.json"], &["-r", ".a b", "f.json"]),
        (&["--args=[\"-r\", \".a b\"]"], &["-r", ".a b"]),
        (&["{\"args\": [\"-n\", \"1\"]}"], &["-n", "1"]),
    ];
    for (typed, expected) in cases {
        assert_eq!(call(&minimal, typed).0, expected, "{typed:?}");
    }
}

#[test]
fn a_full_definition_is_called_with_its_flags() {
    let params = json!([
        {"name": "raw-output", "role": "flag", "long": "--raw-output", "short": "-r", "joiner": "space", "type": "switch"},
        {"name": "indent", "role": "flag", "long": "--indent", "joiner": "space", "type": "int",
         "default": "2", "inject_default": true},
        {"name": "filter", "role": "positional", "type": "string", "required": true},
        {"name": "file", "role": "positional", "type": "path"},
    ]);
    let full = jq(&params, &json!({"stdin": {"format": "json"}}));
    assert_eq!(
        call(&full, &["--filter=-1", "--file=-x", "--raw-output"]),
        (
            ["--raw-output", "--indent", "2", "--", "-1", "./-x"]
                .map(str::to_owned)
                .to_vec(),
            None
        )
    );
    let (words, stdin) = call(&full, &["--filter=.", "--indent=4", "--stdin={\"a\":[1]}"]);
    assert_eq!(words, ["--indent", "4", "."]);
    assert_eq!(stdin.unwrap(), "{\"a\":[1]}");
}
