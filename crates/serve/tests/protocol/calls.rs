//! Tool calls: their results, their errors, what is heard while they run.

use serde_json::{Value, json};

use crate::talk::{NEWEST, World};
use crate::{every_version, text};

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
