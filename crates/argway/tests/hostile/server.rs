//! Lines that a client may send to a real server, each with its answer; and programs
//! that change while they are served.

use std::fs;

use serde_json::{Value, json};

use crate::stage::{definition, file, shows};
use crate::world::World;
use crate::world::client::Client;

/// A request for a call of `cli_t` with these arguments, as they are.
fn call(arguments: &str) -> Vec<u8> {
    format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"cli_t","arguments":{arguments}}}}}"#
    )
    .into_bytes()
}

/// A server of one definition.
fn served(world: &World, definition: &str) -> Client {
    let root = world.path("").display().to_string();
    world.file(
        "t.kdl",
        &definition.replace("WORLD", root.trim_end_matches('/')),
    );
    fs::create_dir(world.path("work")).unwrap();
    Client::connect(world, &["t.kdl", "--cwd", "work"])
}

/// The text of a call that failed.
fn failed(answer: &Value) -> &str {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[test]
fn a_line_that_is_no_request_is_answered_and_costs_nothing() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let invalid = [
        &call("{\"a\":\"")[..call("{\"a\":\"").len() - 2],
        b"\xff\"}}}",
    ]
    .concat();
    // The line, whose request it was, the error's code and a part of its message.
    type Line = (&'static str, Vec<u8>, Option<u64>, i64, &'static str);
    let lines: &[Line] = &[
        ("no JSON", b"hello".to_vec(), None, -32700, "not JSON"),
        ("NUL", b"\0\x01\x02".to_vec(), None, -32700, "not JSON"),
        ("half a request", call("{")[..40].to_vec(), None, -32700, "not JSON"),
        ("no object", b"17".to_vec(), None, -32600, "not a request"),
        ("an empty batch", b"[]".to_vec(), None, -32600, "an empty batch"),
        ("a key twice", call(r#"{"a":"1","a":"2"}"#), Some(7), -32602, "the key \"a\" stands twice"),
        (
            "a name twice",
            br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","name":"cli_t"}}"#.to_vec(),
            Some(7),
            -32602,
            "the key \"name\" stands twice",
        ),
        ("an id twice", br#"{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}"#.to_vec(), None, -32600, "not a request"),
        ("a method twice", br#"{"jsonrpc":"2.0","id":7,"method":"ping","method":"x"}"#.to_vec(), None, -32600, "not a request"),
        (
            "a key twice in a batch",
            [&b"["[..], &call(r#"{"a":"1","a":"2"}"#), b"]"].concat(),
            None,
            -32600,
            "the key \"a\" stands twice",
        ),
        ("depth", call(&deep), Some(7), -32602, "recursion limit exceeded"),
        ("invalid UTF-8", invalid, Some(7), -32602, "wrong parameters"),
        ("half a surrogate pair", call(r#"{"a":"\ud800"}"#), Some(7), -32602, "wrong parameters"),
        ("arguments that are an array", call("[]"), Some(7), -32602, "wrong shape"),
        ("arguments that are a string", call("\"x\""), Some(7), -32602, "wrong shape"),
        ("more than 64 MiB", vec![b'x'; (64 << 20) + 1], None, -32600, "a line is longer than 67108864 bytes"),
        (
            "a tool's name of 1 MB",
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{}"}}}}"#, "x".repeat(1_000_000)).into_bytes(),
            Some(7),
            -32602,
            "no tool is called `xxxx",
        ),
    ];
    let world = World::new();
    let mut client = served(&world, &shows(r#"arg "a" required=true"#));
    for (what, line, id, code, message) in lines {
        let answer = client.say(line);
        assert_eq!(answer["error"]["code"], *code, "{what}: {answer}");
        assert_eq!(answer["id"].as_u64(), *id, "{what}: {answer}");
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.contains(message), "{what}: {text}");
        assert!(text.len() < 1000, "{what}: {text}");
    }
    let answer = client.say(&call(r#"{"a":"still here"}"#));
    assert_eq!(
        answer["result"]["structuredContent"]["stdout"],
        "still here|"
    );
    assert_eq!(client.leave(), "");
}

#[test]
fn a_call_with_wrong_values_is_a_result_that_says_so() {
    let calls = [
        (
            r#"{"a":"a\u0000b"}"#.to_owned(),
            "an argument holds a NUL byte, which no command line can carry",
        ),
        ("null".to_owned(), "`a` is required"),
        (
            r#"{"a":["x"]}"#.to_owned(),
            "`a` takes a string, not [\"x\"]",
        ),
        (
            json!({"a": "x".repeat(1_000_000)}).to_string(),
            "one argument is 1000000 bytes long; the system takes at most 131071",
        ),
    ];
    let world = World::new();
    let mut client = served(&world, &shows(r#"arg "a" required=true"#));
    for (arguments, expected) in &calls {
        let answer = client.say(&call(arguments));
        assert_eq!(failed(&answer), *expected);
    }
    let carriage_return = [&call(r#"{"a":"x"}"#)[..], b"\r"].concat();
    assert_eq!(client.say(&carriage_return)["result"]["isError"], false);
    assert_eq!(client.leave(), "");
}

#[test]
fn a_program_that_vanishes_or_changes_between_calls_is_looked_at_anew() {
    let world = World::new();
    let program = world.path("x");
    let says = |word: &str| file(&world, "x", format!("#!/bin/sh\necho {word}\n"), 0o755);
    says("one");
    let mut client = served(&world, &definition("\"WORLD/x\"", "args false"));
    assert_eq!(client.tool_names(), ["cli_t"]);
    let root = world.path("").display().to_string();
    let mut text = || {
        let result = client.call("cli_t", json!({}));
        let text = result["content"][0]["text"].as_str().unwrap();
        text.replace(root.trim_end_matches('/'), "WORLD")
    };
    assert_eq!(text(), "one\n");
    fs::remove_file(&program).unwrap();
    assert_eq!(text(), "WORLD/x does not exist");
    says("two");
    assert_eq!(text(), "two\n");
    fs::remove_file(&program).unwrap();
    fs::create_dir(&program).unwrap();
    assert_eq!(text(), "WORLD/x is a folder");
    fs::remove_dir(&program).unwrap();
    file(&world, "x", "no program", 0o755);
    assert_eq!(
        text(),
        "WORLD/x cannot be started: it is no program for this machine; a script begins with a line like `#!/bin/sh`"
    );
    client.leave();
}
