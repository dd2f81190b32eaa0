//! Lines that are not what they should be.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::talk::World;
use crate::{every_version, text};

#[tokio::test]
async fn lines_that_are_no_messages_do_not_end_the_conversation() {
    let world = World::new();
    for version in every_version() {
        let mut talk = world.talk();
        // Before the opening and after it.
        for _ in 0..2 {
            for (line, code) in [
                (&b"not json"[..], -32700),
                (b"{\"jsonrpc\":\"2.0\",", -32700),
                (b"\xff\xfe", -32700),
                (b"42", -32600),
                (b"{}", -32600),
                (b"[]", -32600),
                (b"[1]", -32600),
            ] {
                talk.send_line(line).await;
                let answer = talk.next().await;
                assert_eq!(
                    answer["error"]["code"],
                    code,
                    "{}",
                    String::from_utf8_lossy(line)
                );
                assert_eq!(answer["id"], Value::Null);
            }
            for passed_over in [
                &b""[..],
                b"   \r",
                b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard\"}",
                b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":77}}",
                b"{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}",
            ] {
                talk.send_line(passed_over).await;
            }
            talk.open(version).await;
            talk.result("tools/list", json!({})).await;
        }
        talk.leave().await;
    }
}

#[tokio::test]
async fn a_message_that_cannot_be_read_is_answered_by_its_id() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-11-25").await;
    for (code, line) in [
        (-32602, &b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":{\"name\":\"\\ud800\"}}"[..]),
        (-32602, b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":{\"name\":\"\xff\"}}"),
        (-32600, b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":7}"),
    ] {
        talk.send_line(line).await;
        let answer = talk.next().await;
        assert_eq!(answer["id"], "x");
        assert_eq!(answer["error"]["code"], code);
    }
    talk.leave().await;
}

#[tokio::test]
async fn a_batch_is_read_and_each_request_answered() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-03-26").await;
    talk.send(&json!([
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "b", "method": "tools/list"},
    ]))
    .await;
    let ids: BTreeSet<String> = [talk.next().await, talk.next().await]
        .map(|answer| answer["id"].to_string())
        .into();
    assert_eq!(
        ids,
        BTreeSet::from(["\"a\"".to_owned(), "\"b\"".to_owned()])
    );
    talk.leave().await;
}

#[tokio::test]
async fn a_line_of_twenty_megabytes_is_answered() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-11-25").await;
    let long = "x".repeat(20 * 1024 * 1024);
    let result = talk.call("ticker_echo", json!({"word": [long]})).await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("bytes"), "{}", &text(&result)[..100]);
    let result = talk.call("ticker_echo", json!({"word": ["short"]})).await;
    assert_eq!(result["structuredContent"]["stdout"], "short\n");
    talk.leave().await;
}
