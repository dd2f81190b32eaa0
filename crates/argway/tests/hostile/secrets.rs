//! A secret reaches its program and nobody else: no word, no log, no error.

use std::fs;

use serde_json::json;

use crate::stage::{Case, all_are_answered, shell};
use crate::world::World;
use crate::world::client::Client;

const SECRET: &str = "hunter2-never-to-be-seen";

fn takes(line: &str) -> String {
    shell(line, r#"flag "token" secret=true env="TOKEN""#)
}

#[test]
fn no_message_holds_a_secret() {
    let given = format!("{{\"token\": \"{SECRET}\"}}");
    let length = SECRET.len();
    let told = "argway: cli_t: /bin/sh, defined in WORLD/t.kdl:1\n";
    all_are_answered(&[
        Case::call(
            "the program has it",
            takes("printf %s \"$TOKEN\" | wc -c"),
            given.clone(),
        )
        .prints(&format!("{length}\n")),
        Case::call("what would be run", takes("true"), given.clone())
            .word("--dry-run")
            .prints("TOKEN=*** /bin/sh -c true\n"),
        Case::call("what is being done", takes("true"), given.clone())
            .word("-v")
            .answers(0, "", &[told]),
        Case::call(
            "of the wrong type",
            takes("true"),
            format!("{{\"token\": [\"{SECRET}\"]}}"),
        )
        .fails(2, "`token` takes a string"),
        Case::call(
            "with NUL",
            takes("true"),
            format!("{{\"token\": \"{SECRET}\\u0000\"}}"),
        )
        .fails(2, "`token` holds a NUL byte, which no variable can carry"),
        Case::call(
            "twice",
            takes("true"),
            format!("{{\"token\": \"{SECRET}\", \"token\": \"{SECRET}\"}}"),
        )
        .says(
            2,
            &["the arguments are ambiguous: the key \"token\" stands twice at line 1"],
        ),
        Case::call(
            "in what is no JSON",
            takes("true"),
            format!("{{\"token\": \"{SECRET}"),
        )
        .says(
            2,
            &["the arguments are not JSON (EOF while parsing a string at line 1"],
        ),
        Case::call(
            "a program that crashes",
            takes("kill -SEGV $$"),
            given.clone(),
        )
        .word("-v")
        .says(1, &[told, "argway: cli_t: ended by signal 11\n"]),
        Case::call("a program that is too slow", takes("sleep 60"), given)
            .word("--timeout=200ms")
            .fails(1, "cli_t: ended after 200ms; give it longer with --timeout"),
    ]);
}

/// While it runs, anybody may look at the words of every process.
#[test]
fn no_process_has_a_secret_among_its_words_and_no_notification_has_it() {
    let world = World::new();
    let text = takes("echo the token is $TOKEN >&2; sleep 3600");
    world.file("t.kdl", &text);
    fs::create_dir(world.path("work")).unwrap();
    let mut client = Client::connect(&world, &["t.kdl", "--cwd", "work"]);
    client.ask("logging/setLevel", json!({"level": "debug"}));
    let params = json!({
        "name": "cli_t",
        "arguments": {"token": SECRET},
        "_meta": {"progressToken": 1}
    });
    client.send(&json!({"jsonrpc": "2.0", "id": 100, "method": "tools/call", "params": params}));
    let (mut logged, mut progressed) = (false, false);
    while !(logged && progressed) {
        let message = client.receive();
        assert!(!message.to_string().contains(SECRET), "{message}");
        assert!(message.get("id").is_none(), "{message}");
        logged |= message["method"] == "notifications/message";
        progressed |= message["method"] == "notifications/progress";
    }
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words);
        assert!(!words.contains(SECRET), "{words}");
    }
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 100}}));
    assert_eq!(client.leave(), "");
}
