//! The server as a client sees it: raw lines, in every version of the protocol.

#[path = "protocol/talk.rs"]
mod talk;

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

use argway_core::catalog::Catalog;
use argway_serve::mcp::Refresh;
use serde_json::{Value, json};
use talk::{HANDSHAKES, NEWEST, World, runs, soon};

fn every_version() -> impl Iterator<Item = &'static str> {
    HANDSHAKES.into_iter().chain([NEWEST])
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}

#[tokio::test]
async fn a_client_of_any_version_lists_and_calls() {
    let world = World::new();
    for version in every_version() {
        let mut talk = world.talk();
        talk.open(version).await;
        let list = talk.result("tools/list", json!({})).await;
        let names: Vec<&str> = (list["tools"].as_array().expect("tools").iter())
            .map(|tool| tool["name"].as_str().expect("a name"))
            .collect();
        assert_eq!(
            names,
            [
                "ticker_count",
                "ticker_wait",
                "ticker_echo",
                "ticker_json",
                "ticker_fail"
            ]
        );
        let result = talk
            .call("ticker_echo", json!({"word": ["--times=9", "b c"]}))
            .await;
        assert_eq!(result["isError"], false, "{version}: {result}");
        assert_eq!(
            result["structuredContent"]["stdout"], "--times=9\nb c\n",
            "{version}"
        );
        assert_eq!(result["structuredContent"]["exitCode"], 0, "{version}");
        assert!(text(&result).contains("b c"), "{version}");
        talk.leave().await;
    }
}

#[tokio::test]
async fn initialize_agrees_on_the_version_asked_for_or_the_newest_that_has_it() {
    let world = World::new();
    for (asked, agreed) in HANDSHAKES
        .map(|version| (version, version))
        .into_iter()
        .chain([(NEWEST, "2025-11-25"), ("1999-01-01", "2025-11-25")])
    {
        let mut talk = world.talk();
        let info = talk.initialize(asked).await;
        assert_eq!(info["protocolVersion"], agreed, "asked for {asked}");
        assert_eq!(info["serverInfo"]["name"], "ticker");
        assert_eq!(info["serverInfo"]["title"], "Ticker");
        assert_eq!(info["capabilities"]["tools"]["listChanged"], true);
        assert!(info["capabilities"]["logging"].is_object());
        let instructions = info["instructions"].as_str().expect("instructions");
        assert!(
            instructions.contains("ticker 1.0 (5 tools)"),
            "{instructions}"
        );
        talk.result("ping", json!({})).await;
        talk.leave().await;
    }
}

#[tokio::test]
async fn the_newest_version_needs_no_opening() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open(NEWEST).await;
    let found = talk.result("server/discover", json!({})).await;
    let versions: Vec<&str> = every_version().collect();
    assert_eq!(found["supportedVersions"], json!(versions));
    assert_eq!(found["resultType"], "complete");
    assert!(found["instructions"].is_string());
    assert_eq!(
        found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "ticker"
    );
    for method in [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ] {
        let list = talk.result(method, json!({})).await;
        assert_eq!(list["resultType"], "complete", "{method}");
        assert_eq!(list["cacheScope"], "private", "{method}");
        assert!(
            list["ttlMs"].as_u64().is_some_and(|ttl| ttl > 0),
            "{method}"
        );
    }
    let page = talk
        .result("resources/read", json!({"uri": "argway://ticker/help"}))
        .await;
    assert_eq!(page["cacheScope"], "private");
    assert!(page["ttlMs"].is_u64());
    for gone in ["ping", "logging/setLevel", "resources/subscribe"] {
        let params = json!({"level": "info", "uri": "argway://ticker/help"});
        assert_eq!(talk.error(gone, params).await["code"], -32601, "{gone}");
    }
    talk.leave().await;
}

#[tokio::test]
async fn a_request_without_its_version_or_with_an_unknown_one_is_refused() {
    let world = World::new();
    let mut talk = world.talk();
    let bare = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {}});
    talk.send(&bare).await;
    assert_eq!(talk.next().await["error"]["code"], -32602);
    let mut unknown = bare.clone();
    unknown["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2199-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    talk.send(&unknown).await;
    let answer = talk.next().await;
    assert_eq!(answer["id"], "a");
    assert_eq!(answer["error"]["code"], -32022);
    talk.leave().await;
}

#[tokio::test]
async fn older_versions_do_not_see_what_the_newest_added() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-06-18").await;
    let list = talk.result("tools/list", json!({})).await;
    for new in ["resultType", "ttlMs", "cacheScope"] {
        assert!(list.get(new).is_none(), "{new}");
    }
    assert_eq!(
        talk.error("subscriptions/listen", json!({"notifications": {}}))
            .await["code"],
        -32601
    );
    talk.leave().await;
}

#[tokio::test]
async fn a_tool_says_what_it_takes_gives_and_does() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-11-25").await;
    let list = talk.result("tools/list", json!({})).await;
    let count = &list["tools"][0];
    assert_eq!(
        count["inputSchema"]["properties"]["times"]["type"],
        "integer"
    );
    assert_eq!(count["outputSchema"]["type"], "object");
    assert_eq!(count["annotations"]["readOnlyHint"], true);
    assert_eq!(list["tools"][4]["annotations"]["readOnlyHint"], false);
    talk.leave().await;
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    let world = World::new();
    for version in every_version() {
        let mut talk = world.talk();
        talk.open(version).await;
        let error = talk
            .error("tools/call", json!({"name": "ticker_cont"}))
            .await;
        assert_eq!(error["code"], -32602, "{version}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains("`ticker_count`"), "{message}");
        talk.leave().await;
    }
}

#[tokio::test]
async fn wrong_arguments_are_told_to_the_model_all_at_once() {
    let world = World::new();
    for version in every_version() {
        let mut talk = world.talk();
        talk.open(version).await;
        let result = talk
            .call("ticker_wait", json!({"fil": "x", "verbose": "perhaps"}))
            .await;
        assert_eq!(result["isError"], true, "{version}");
        let told = text(&result);
        for part in ["fil", "verbose", "`file`"] {
            assert!(told.contains(part), "{part} in {told}");
        }
        talk.leave().await;
    }
}

#[tokio::test]
async fn a_failing_command_is_a_result_with_its_code() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open(NEWEST).await;
    let result = talk.call("ticker_fail", json!({})).await;
    assert_eq!(result["isError"], true);
    assert_eq!(result["structuredContent"]["exitCode"], 3);
    assert!(text(&result).contains("it went wrong"));
    let result = talk.call("ticker_json", json!({})).await;
    assert_eq!(
        result["structuredContent"]["data"]["items"],
        json!([1, 2, 3])
    );
    talk.leave().await;
}

#[tokio::test]
async fn requests_of_the_wrong_shape_are_answered_by_their_id() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-11-25").await;
    for params in [
        json!({"name": "ticker_echo", "arguments": "words"}),
        json!({"arguments": {}}),
        json!([1, 2]),
    ] {
        let error = talk.error("tools/call", params).await;
        assert_eq!(error["code"], -32602);
    }
    assert_eq!(talk.error("tools/run", json!({})).await["code"], -32601);
    assert_eq!(
        talk.error(
            "completion/complete",
            json!({
                "ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": "b"}
            })
        )
        .await["code"],
        -32601
    );
    talk.leave().await;
}

#[tokio::test]
async fn lists_come_in_pages_and_a_wrong_cursor_is_refused() {
    let world = World::new();
    for version in every_version() {
        let mut talk = world.talk_with(2, None);
        talk.open(version).await;
        for (method, field, key, total) in [
            ("tools/list", "tools", "name", 5),
            ("resources/list", "resources", "uri", 7),
            ("prompts/list", "prompts", "name", 1),
        ] {
            let mut seen = BTreeSet::new();
            let mut params = json!({});
            loop {
                let page = talk.result(method, params.clone()).await;
                let entries = page[field].as_array().expect("entries");
                assert!(entries.len() <= 2);
                seen.extend(entries.iter().map(|entry| entry[key].to_string()));
                match page.get("nextCursor") {
                    Some(cursor) => params["cursor"] = cursor.clone(),
                    None => break,
                }
            }
            assert_eq!(seen.len(), total, "{method}: {seen:?}");
            for cursor in ["", "0", "1.0", "0.ff", "garbage"] {
                let error = talk.error(method, json!({"cursor": cursor})).await;
                assert_eq!(error["code"], -32602, "{method} {cursor}");
            }
        }
        talk.leave().await;
    }
}

#[tokio::test]
async fn help_pages_and_flag_lists_are_resources() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-11-25").await;
    let templates = talk.result("resources/templates/list", json!({})).await;
    assert_eq!(
        templates["resourceTemplates"][0]["uriTemplate"],
        "argway://{program}/help{/path*}"
    );
    for (uri, part) in [
        (
            "argway://ticker/help",
            "count: Count slowly (tool ticker_count)",
        ),
        (
            "argway://ticker/help/count",
            "--times int: How many steps (default 3)",
        ),
        ("argway://ticker/global-flags", "-v, --verbose: Say more"),
    ] {
        let page = talk.result("resources/read", json!({"uri": uri})).await;
        let content = &page["contents"][0];
        assert_eq!(content["uri"], uri);
        assert!(
            content["text"].as_str().expect("a text").contains(part),
            "{content}"
        );
    }
    for (version, code) in [("2025-11-25", -32002), (NEWEST, -32602)] {
        let mut talk = world.talk();
        talk.open(version).await;
        for uri in [
            "argway://ticker/help/no",
            "argway://no/help",
            "file:///etc/passwd",
            "",
        ] {
            let error = talk.error("resources/read", json!({"uri": uri})).await;
            assert_eq!(error["code"], code, "{uri} in {version}");
        }
        talk.leave().await;
    }
    talk.leave().await;
}

#[tokio::test]
async fn examples_are_prompts_that_show_the_calls() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open(NEWEST).await;
    let list = talk.result("prompts/list", json!({})).await;
    assert_eq!(list["prompts"][0]["name"], "ticker_count");
    let params = json!({"name": "ticker_count", "arguments": {"goal": "count to five"}});
    let prompt = talk.result("prompts/get", params).await;
    let text = prompt["messages"][0]["content"]["text"]
        .as_str()
        .expect("a text");
    for part in [
        r#"{"times":5}"#,
        r#"{"verbose":true,"times":1,"pause":0.01}"#,
        "count to five",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    for name in ["ticker_echo", "nothing"] {
        assert_eq!(
            talk.error("prompts/get", json!({"name": name})).await["code"],
            -32602
        );
    }
    talk.leave().await;
}

#[tokio::test]
async fn a_cancelled_call_ends_its_processes_and_is_not_answered() {
    let world = World::new();
    for version in every_version() {
        let mut talk = world.talk();
        talk.open(version).await;
        let file = world.folder.path().join(version);
        let call = json!({"name": "ticker_wait", "arguments": {"file": file}});
        let id = talk.ask("tools/call", call).await;
        let processes = world.processes(&file).await;
        assert_eq!(processes.len(), 2);
        talk.send(&json!({
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": id, "reason": "enough"},
        }))
        .await;
        soon("the processes end", || {
            !processes.iter().any(|&process| runs(process))
        })
        .await;
        // Whatever is answered from here on is not the cancelled call.
        talk.result("tools/list", json!({})).await;
        talk.leave().await;
    }
}

#[tokio::test]
async fn a_client_that_leaves_ends_what_runs_for_it() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-11-25").await;
    let file = world.folder.path().join("processes");
    talk.ask(
        "tools/call",
        json!({"name": "ticker_wait", "arguments": {"file": file}}),
    )
    .await;
    let processes = world.processes(&file).await;
    talk.leave().await;
    assert!(
        !processes.iter().any(|&process| runs(process)),
        "{processes:?}"
    );
}

#[tokio::test]
async fn a_listener_does_not_hold_up_the_end() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open(NEWEST).await;
    talk.ask(
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    )
    .await;
    talk.notification("notifications/subscriptions/acknowledged")
        .await;
    talk.leave().await;
}

#[tokio::test]
async fn a_call_that_is_under_way_is_answered_after_the_last_request() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-11-25").await;
    let id = talk
        .ask(
            "tools/call",
            json!({"name": "ticker_echo", "arguments": {"word": ["x"]}}),
        )
        .await;
    talk.close_input().await;
    assert_eq!(
        talk.answer(id).await["result"]["structuredContent"]["stdout"],
        "x\n"
    );
    talk.leave().await;
}

#[tokio::test]
async fn progress_grows_comes_before_the_answer_and_only_when_asked_for() {
    let world = World::new();
    for version in every_version() {
        let mut talk = world.talk();
        talk.open(version).await;
        let call = |token: Option<&str>| {
            let mut params = json!({
                "name": "ticker_count",
                "arguments": {"times": 4, "pause": 0.15},
            });
            if let Some(token) = token {
                params["_meta"]["progressToken"] = json!(token);
            }
            params
        };
        talk.result("tools/call", call(None)).await;
        assert_eq!(talk.heard.len(), 0, "{version}: {:?}", talk.heard);

        talk.result("tools/call", call(Some("t1"))).await;
        let heard: Vec<Value> = talk.heard.drain(..).collect();
        let steps: Vec<f64> = (heard.iter())
            .inspect(|heard| {
                assert_eq!(heard["method"], "notifications/progress");
                assert_eq!(heard["params"]["progressToken"], "t1");
                assert!(
                    heard["params"]["message"]
                        .as_str()
                        .is_some_and(|m| m.contains("bytes"))
                );
            })
            .map(|heard| heard["params"]["progress"].as_f64().expect("a number"))
            .collect();
        assert!(steps.len() >= 2, "{version}: {steps:?}");
        assert!(
            steps.windows(2).all(|pair| pair[0] < pair[1]),
            "{version}: {steps:?}"
        );

        talk.result("tools/list", json!({})).await;
        assert_eq!(talk.heard.len(), 0, "nothing more after the answer");
        talk.leave().await;
    }
}

#[tokio::test]
async fn stderr_is_logged_from_the_level_asked_for() {
    let world = World::new();
    let call = json!({"name": "ticker_count", "arguments": {"times": 2, "pause": 0.01}});
    for (version, level, lines) in [
        ("2025-11-25", None, 0),
        ("2025-11-25", Some("warning"), 2),
        ("2025-11-25", Some("error"), 0),
        ("2024-11-05", Some("debug"), 2),
        (NEWEST, None, 0),
        (NEWEST, Some("info"), 2),
        (NEWEST, Some("alert"), 0),
    ] {
        let mut talk = world.talk();
        talk.open(version).await;
        let mut call = call.clone();
        match level {
            Some(level) if version == NEWEST => {
                call["_meta"]["io.modelcontextprotocol/logLevel"] = json!(level);
            }
            Some(level) => {
                talk.result("logging/setLevel", json!({"level": level}))
                    .await;
            }
            None => {}
        }
        talk.result("tools/call", call).await;
        assert_eq!(
            talk.heard.len(),
            lines,
            "{version} {level:?}: {:?}",
            talk.heard
        );
        for heard in &talk.heard {
            assert_eq!(heard["method"], "notifications/message");
            assert_eq!(heard["params"]["level"], "warning");
            assert_eq!(heard["params"]["logger"], "ticker_count");
            assert!(
                heard["params"]["data"]
                    .as_str()
                    .is_some_and(|line| line.contains("tock"))
            );
        }
        talk.leave().await;
    }
}

#[tokio::test]
async fn many_calls_run_at_once_and_all_are_answered() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-11-25").await;
    let file = world.folder.path().join("processes");
    let slow = talk
        .ask(
            "tools/call",
            json!({"name": "ticker_wait", "arguments": {"file": file}}),
        )
        .await;
    world.processes(&file).await;
    let mut ids = Vec::new();
    for number in 0..100 {
        let call = json!({"name": "ticker_echo", "arguments": {"word": [number.to_string()]}});
        ids.push((number, talk.ask("tools/call", call).await));
    }
    for (number, id) in ids {
        let answer = talk.answer(id).await;
        assert_eq!(
            answer["result"]["structuredContent"]["stdout"],
            format!("{number}\n")
        );
    }
    talk.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": slow}
    }))
    .await;
    talk.leave().await;
}

#[tokio::test]
async fn calls_beyond_the_limit_wait_and_can_be_taken_back() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-11-25").await;
    let mut files = Vec::new();
    let mut ids = Vec::new();
    for number in 0..17 {
        let file = world.folder.path().join(format!("processes-{number}"));
        let call = json!({"name": "ticker_wait", "arguments": {"file": file}});
        ids.push(talk.ask("tools/call", call).await);
        files.push(file);
    }
    for file in &files[..16] {
        world.processes(file).await;
    }
    assert!(!files[16].exists());
    for id in ids.iter().rev() {
        talk.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}
        }))
        .await;
    }
    let result = talk.call("ticker_echo", json!({"word": ["on"]})).await;
    assert_eq!(result["structuredContent"]["stdout"], "on\n");
    assert!(!files[16].exists());
    talk.leave().await;
}

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

#[tokio::test]
async fn a_client_hears_when_a_served_program_changes() {
    for version in every_version() {
        let world = World::new();
        let mut talk = world.talk_with(2, Some(Box::new(Watched::new(&world))));
        talk.open(version).await;
        let first = talk.result("tools/list", json!({})).await;
        if version == NEWEST {
            let wanted = json!({"toolsListChanged": true, "resourcesListChanged": true});
            talk.ask("subscriptions/listen", json!({"notifications": wanted}))
                .await;
            let heard = talk
                .notification("notifications/subscriptions/acknowledged")
                .await;
            assert_eq!(heard["params"]["notifications"], wanted);
        }
        let ticker = world.ticker();
        std::fs::remove_file(&ticker).expect("the old program goes");
        std::fs::copy("/bin/true", &ticker).expect("a new one comes");
        talk.notification("notifications/tools/list_changed").await;
        talk.notification("notifications/resources/list_changed")
            .await;
        // A cursor of the old list does not hold for the new one.
        let error = talk
            .error("tools/list", json!({"cursor": first["nextCursor"]}))
            .await;
        assert_eq!(error["code"], -32602);
        let result = talk.call("ticker_echo", json!({"word": ["x"]})).await;
        assert_eq!(result["structuredContent"]["stdout"], "");
        talk.leave().await;
    }
}

#[tokio::test]
async fn a_client_can_open_while_the_program_is_still_read() {
    let world = World::new();
    for version in every_version() {
        let (go, wait) = std::sync::mpsc::channel();
        let slow = Slow {
            wait,
            catalog: Some(world.catalog()),
        };
        let mut talk = world.talk_unread(Some(Box::new(slow)));
        talk.open(version).await;
        let list = talk.ask("tools/list", json!({})).await;
        let call = json!({"name": "ticker_echo", "arguments": {"word": ["x"]}});
        let call = talk.ask("tools/call", call).await;
        assert_eq!(talk.error("no/such", json!({})).await["code"], -32601);
        go.send(()).expect("the reading goes on");
        let list = talk.answer(list).await;
        assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(5));
        let call = talk.answer(call).await;
        assert_eq!(call["result"]["structuredContent"]["stdout"], "x\n");
        talk.leave().await;
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_read_is_told_to_who_asks() {
    let world = World::new();
    let (go, wait) = std::sync::mpsc::channel();
    go.send(()).expect("no waiting");
    let never = Slow {
        wait,
        catalog: None,
    };
    for refresh in [Some(Box::new(never) as Box<dyn Refresh>), None] {
        let mut talk = world.talk_unread(refresh);
        talk.open("2025-11-25").await;
        let error = talk.error("tools/list", json!({})).await;
        assert_eq!(error["code"], -32603);
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|why| why.contains("stderr"))
        );
        talk.leave().await;
    }
}

/// Reads when it is told to.
struct Slow {
    wait: std::sync::mpsc::Receiver<()>,
    catalog: Option<Arc<Catalog>>,
}

impl Refresh for Slow {
    fn changed(&mut self) -> bool {
        false
    }

    fn read(&mut self) -> Option<Arc<Catalog>> {
        self.wait.recv().expect("a word to go on");
        self.catalog.take()
    }
}

/// Sees that the program's file is another.
struct Watched {
    file: PathBuf,
    seen: Option<(u64, u64)>,
    catalog: Arc<Catalog>,
}

impl Watched {
    fn new(world: &World) -> Self {
        let file = world.ticker();
        let seen = identity(&file);
        Self {
            file,
            seen,
            catalog: world.catalog(),
        }
    }
}

fn identity(file: &PathBuf) -> Option<(u64, u64)> {
    std::fs::metadata(file)
        .ok()
        .map(|file| (file.ino(), file.len()))
}

impl Refresh for Watched {
    fn changed(&mut self) -> bool {
        let now = identity(&self.file);
        now.is_some() && now != self.seen
    }

    fn read(&mut self) -> Option<Arc<Catalog>> {
        self.seen = identity(&self.file);
        Some(Arc::clone(&self.catalog))
    }
}
