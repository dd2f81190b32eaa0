//! A server as its client meets it: lines of JSON on stdin and stdout, nothing else.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use serde_json::{Value, json};
use world::client::Client;
use world::{TOY, World};

#[test]
fn a_client_lists_calls_and_leaves() {
    let world = World::new();
    let mut client = Client::connect(&world, &["toy"]);
    assert_eq!(client.name, "toy");
    assert_eq!(
        client.tool_names(),
        [
            "toy_fail",
            "toy_greet",
            "toy_item_delete",
            "toy_item_list",
            "toy_nap",
            "toy_version"
        ]
    );
    let reply = client.call("toy_greet", json!({"name": ["Ada"], "times": 2}));
    assert_eq!(
        reply["structuredContent"]["stdout"],
        "Hello Ada\nHello Ada\n"
    );
    assert_eq!(reply["structuredContent"]["exitCode"], 0);
    let reply = client.call("toy_fail", json!({}));
    assert_eq!(reply["isError"], true);
    assert_eq!(reply["structuredContent"]["exitCode"], 7);
    assert_eq!(client.leave(), "");
}

#[test]
fn what_is_served_is_what_tools_lists() {
    let world = World::new();
    let flags = ["toy", "--deny", "nap", "--layout", "nested"];
    let mut client = Client::connect(&world, &flags);
    let served = client.ask("tools/list", json!({}));
    let words = ["tools"].into_iter().chain(flags).chain(["--json"]);
    let listed: Value = serde_json::from_str(&world.stdout(words)).unwrap();
    assert_eq!(served["tools"], listed["tools"]);
}

#[test]
fn a_denied_tool_is_not_served() {
    let world = World::new();
    let mut client = Client::connect(&world, &["toy", "--read-only"]);
    assert_eq!(
        client.tool_names(),
        ["toy_greet", "toy_item_list", "toy_version"]
    );
    client.send(&json!({
        "jsonrpc": "2.0", "id": "x", "method": "tools/call",
        "params": {"name": "toy_item_delete", "arguments": {"id": "1"}}
    }));
    assert_eq!(client.receive()["error"]["code"], -32602);
    assert_eq!(world.trace(), "");
}

#[test]
fn a_changed_program_is_read_again_and_the_client_is_told() {
    let world = World::new();
    let mut client = Client::connect(&world, &["toy"]);
    assert!(client.tool_names().contains(&"toy_nap".to_owned()));
    let without_nap: String = TOY
        .lines()
        .filter(|line| !line.starts_with("  nap "))
        .map(|line| line.replace(" nap 'Wait for a minute'", "") + "\n")
        .collect();
    world.toy(&without_nap);
    client.wait_for_change();
    assert!(!client.tool_names().contains(&"toy_nap".to_owned()));
}

#[test]
fn nothing_is_served_of_a_program_that_is_not_there() {
    World::new()
        .argway(["serve", "no-such-program"])
        .code(3)
        .stdout_eq("");
}

/// A definition of `name` that prints `text`.
fn echo(name: &str, text: &str) -> String {
    format!(
        "cli \"{name}\" {{\n    description \"Says {text}\"\n    command \"echo\" \"{text}\"\n}}\n"
    )
}

#[test]
fn definitions_are_served_beside_programs() {
    let world = World::new();
    world.file("tools.kdl", &echo("a", "ay"));
    let mut client = Client::connect(&world, &["tools.kdl", "toy", "--sandbox=off"]);
    assert_eq!(client.name, "argway");
    let names = client.tool_names();
    assert!(names.contains(&"cli_a".to_owned()), "{names:?}");
    assert!(names.contains(&"toy_nap".to_owned()), "{names:?}");
    let reply = client.call("cli_a", json!({"args": ["x"]}));
    assert_eq!(reply["structuredContent"]["exitCode"], 0, "{reply}");
    assert_eq!(reply["structuredContent"]["stdout"], "ay x", "{reply}");
    assert_eq!(client.leave(), "");
}

#[test]
fn definitions_that_come_change_and_go_are_noticed() {
    let world = World::new();
    let user = "home/.config/argway/cli";
    world.file(&format!("{user}/a.kdl"), &echo("a", "ay"));
    let mut client = Client::connect(&world, &[]);
    assert_eq!(client.name, "a");
    assert_eq!(client.tool_names(), ["cli_a"]);
    world.file(&format!("{user}/b.kdl"), &echo("b", "bee"));
    client.wait_for_change();
    assert_eq!(client.tool_names(), ["cli_a", "cli_b"]);
    std::fs::remove_file(world.path(user).join("a.kdl")).unwrap();
    client.wait_for_change();
    assert_eq!(client.tool_names(), ["cli_b"]);
}

#[test]
fn a_projects_file_that_changes_is_served_again_only_after_it_is_trusted_again() {
    let world = World::new();
    let path = world.file(".argway/cli/a.kdl", &echo("a", "ay"));
    world.argway(["trust"]).success();
    let mut client = Client::connect(&world, &["cli_a"]);
    assert_eq!(client.tool_names(), ["cli_a"]);
    world.file(".argway/cli/a.kdl", &echo("a", "evil"));
    client.wait_for_change();
    assert_eq!(client.tool_names(), Vec::<String>::new());
    world.argway(["trust"]).success();
    client.wait_for_change();
    assert_eq!(client.tool_names(), ["cli_a"]);
    let said = client.leave();
    let expected = format!("{} has changed since it was trusted", path.display());
    assert!(said.contains(&expected), "{said}");
}
