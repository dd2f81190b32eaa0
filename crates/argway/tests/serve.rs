//! A server as its client meets it: lines of JSON on stdin and stdout, nothing else.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};
use world::{TOY, World};

struct Client {
    server: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    /// A client that has opened the conversation with `argway serve` and these words.
    fn connect(world: &World, words: &[&str]) -> Self {
        let words = ["serve"].into_iter().chain(words.iter().copied());
        let mut server = world.start(words);
        let stdin = server.stdin.take();
        let stdout = BufReader::new(server.stdout.take().unwrap());
        let mut client = Self {
            server,
            stdin,
            stdout,
            next: 0,
        };
        let opened = client.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "0"}
            }),
        );
        assert_eq!(opened["serverInfo"]["name"], "toy", "{opened}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{message}").unwrap();
        stdin.flush().unwrap();
    }

    /// The next message; every line of stdout must be one.
    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The result of a request, notifications on the way left out.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                assert!(message.get("error").is_none(), "{message}");
                return message["result"].clone();
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    fn tool_names(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({}));
        let tools = listed["tools"].as_array().unwrap();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Closes stdin, as a client does that leaves; what the server said on stderr.
    fn leave(mut self) -> String {
        drop(self.stdin.take());
        let output = self.server.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

#[test]
fn a_client_lists_calls_and_leaves() {
    let world = World::new();
    let mut client = Client::connect(&world, &["toy"]);
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
    loop {
        let message = client.receive();
        if message["method"] == "notifications/tools/list_changed" {
            break;
        }
    }
    assert!(!client.tool_names().contains(&"toy_nap".to_owned()));
}

#[test]
fn nothing_is_served_of_a_program_that_is_not_there() {
    World::new()
        .argway(["serve", "no-such-program"])
        .code(3)
        .stdout_eq("");
}
