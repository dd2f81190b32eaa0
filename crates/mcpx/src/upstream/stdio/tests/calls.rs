//! What calls come to, whatever the server does meanwhile.

use super::*;

#[tokio::test]
async fn answers_find_their_calls_whatever_the_server_does() {
    let connection = Scene::new(&[]).open().await;
    let (first, second) = tokio::join!(
        text(&connection, "out_of_order", json!({"text": "first"})),
        text(&connection, "out_of_order", json!({"text": "second"})),
    );
    assert_eq!((first.as_str(), second.as_str()), ("first", "second"));
    for (tool, expected) in [
        ("twice", "the first answer"),
        ("string_id", "by a string"),
        ("batch", "from a batch"),
        ("garbage", "after the garbage"),
        ("invalid_utf8", "caf\u{fffd}"),
        ("extra_fields", "plain"),
        ("no_input_schema", "no_input_schema was called"),
    ] {
        assert_eq!(text(&connection, tool, json!({})).await, expected);
    }
    assert_eq!(
        call(&connection, "null_result", json!({})).await.unwrap(),
        Value::Null
    );
    assert_eq!(
        call(&connection, "empty", json!({})).await.unwrap(),
        json!({})
    );
}

#[tokio::test]
async fn a_result_arrives_as_it_was_sent() {
    let connection = Scene::new(&[]).open().await;
    let params = params("structured", &json!({}));
    let result = connection
        .request("tools/call", &params, within(LONG))
        .await
        .unwrap();
    for piece in [
        r#"{"zebra":9223372036854775807,"apple":-9223372036854775808"#,
        r#""beyond":123456789012345678901234567890"#,
        r#""pi":3.14159265358979323846264338327950288,"one":1.0"#,
        r#""large":1E400"#,
        r#""\u00e9 \/""#,
        r#", "spaced" : [ 1 , 2 ]}"#,
    ] {
        assert!(result.get().contains(piece), "{piece}");
    }
}

#[tokio::test]
async fn errors_leave_the_server_running() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    match call(&connection, "rpc_error", json!({"code": -32042})).await {
        Err(UpstreamError::Rpc {
            code,
            message,
            data,
        }) => {
            assert_eq!((code, message.as_str()), (-32042, "that went wrong"));
            assert_eq!(data.unwrap().get(), r#"{"hint":"try another"}"#);
        }
        other => panic!("{other:?}"),
    }
    let odd = call(&connection, "odd_error", json!({})).await.unwrap_err();
    assert_eq!(odd.to_string(), "E_ODD (-32603)");
    let neither = call(&connection, "no_result", json!({})).await.unwrap_err();
    assert!(matches!(neither, UpstreamError::Protocol(_)), "{neither:?}");
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
    assert_eq!(scene.pids().len(), 1);
}

#[tokio::test]
async fn a_call_that_hangs_delays_no_other() {
    let connection = Scene::new(&[]).open().await;
    let hanging = call(&connection, "hang", json!({}));
    tokio::select! {
        biased;
        answer = hanging => panic!("{answer:?}"),
        sum = text(&connection, "add", json!({"a": 1, "b": 2})) => assert_eq!(sum, "3"),
    }
}

#[tokio::test]
async fn slow_calls_run_side_by_side() {
    let connection = Scene::new(&[]).open().await;
    let slow = |ms: u64| text(&connection, "slow", json!({"ms": ms}));
    tokio::select! {
        biased;
        answer = slow(50_000) => panic!("{answer}"),
        answers = async { tokio::join!(slow(200), slow(100)) } => {
            assert_eq!(answers.0, "waited 200 ms");
            assert_eq!(answers.1, "waited 100 ms");
        }
    }
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_cancelled_at_the_server() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    tokio::select! {
        biased;
        answer = call(&connection, "slow", json!({"ms": 50_000})) => panic!("{answer:?}"),
        () = scene.hears("50000") => {}
    }
    scene.hears("notifications/cancelled").await;
    scene.hears("stopped 2").await;
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
}

#[tokio::test]
async fn a_server_that_dies_of_a_cancelled_call_is_found_out_at_once() {
    let scene = Scene::new(&["--dies-of-cancel"]);
    let connection = scene.open().await;
    tokio::select! {
        biased;
        answer = call(&connection, "slow", json!({"ms": 50_000})) => panic!("{answer:?}"),
        () = scene.hears("50000") => {}
    }
    let ended = async {
        while connection.is_alive() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(20), ended).await;
    assert!(ended.is_ok(), "it is still taken for alive");
}

#[tokio::test]
async fn a_server_is_asked_once_for_its_log_messages() {
    let scene = Scene::new(&["--shy"]);
    let connection = scene.open().await;
    assert_eq!(
        text(&connection, "logs", json!({})).await,
        "logged in silence"
    );
    connection.ask_for_logs().await;
    connection.ask_for_logs().await;
    assert_eq!(text(&connection, "logs", json!({})).await, "logged");
    let asked = scene.heard().matches("logging/setLevel").count();
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled_at_the_server() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    let params = params("slow", &json!({"ms": 50_000}));
    let late = connection.request("tools/call", &params, within(Duration::from_millis(200)));
    let error = late.await.unwrap_err();
    assert_eq!(error.to_string(), "no answer to tools/call within 0.2 s");
    scene.hears("stopped 2").await;
    assert!(connection.is_alive());
}

#[tokio::test]
async fn a_flood_on_stderr_blocks_nobody_and_stays_bounded() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    let (flooded, sum) = tokio::join!(
        text(&connection, "flood_stderr", json!({"bytes": 20_000_000})),
        text(&connection, "add", json!({"a": 1, "b": 2})),
    );
    assert_eq!((flooded.as_str(), sum.as_str()), ("flooded", "3"));
    connection.close().await;
    let logs = fs::read_dir(scene.target.log.parent().unwrap()).unwrap();
    let lengths: Vec<u64> = logs
        .map(|log| log.unwrap().metadata().unwrap().len())
        .collect();
    assert_eq!(lengths.len(), 2);
    assert!(
        lengths.iter().all(|length| *length <= 1024 * 1024),
        "{lengths:?}"
    );
}

#[tokio::test]
async fn a_flood_of_noise_on_stdout_is_read_and_forgotten() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    let flooded = text(&connection, "flood_stdout", json!({"bytes": 20_000_000})).await;
    assert_eq!(flooded, "flooded");
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
    assert!(fs::metadata(&scene.target.log).unwrap().len() < 10_000);
}

#[tokio::test]
async fn a_result_of_fifty_megabytes_arrives_while_others_are_answered() {
    let connection = Scene::new(&[]).open().await;
    let (big, sum) = tokio::join!(
        text(&connection, "big", json!({"bytes": 50_000_000})),
        text(&connection, "add", json!({"a": 1, "b": 2})),
    );
    assert_eq!((big.len(), sum.as_str()), (50_000_000, "3"));
}

#[tokio::test]
async fn a_server_that_does_not_read_blocks_only_its_own_callers() {
    let scene = Scene::new(&["--deaf"]);
    let connection = scene.open().await;
    let params = params("echo", &json!({"text": "x".repeat(100_000)}));
    let calls = (0..100)
        .map(|_| connection.request("tools/call", &params, within(Duration::from_millis(300))));
    for answer in futures_util::future::join_all(calls).await {
        let error = answer.unwrap_err();
        assert!(matches!(error, UpstreamError::Timeout { .. }), "{error:?}");
    }
    connection.close().await;
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn what_happens_meanwhile_is_told_to_the_caller() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    let (sender, mut meanwhile) = mpsc::channel(CALL_EVENTS);
    for (tool, arguments) in [("progress", json!({"steps": 2})), ("logs", json!({}))] {
        let options = CallOptions {
            events: Some(sender.clone()),
            ..within(LONG)
        };
        let params = params(tool, &arguments);
        connection
            .request("tools/call", &params, options)
            .await
            .unwrap();
    }
    drop(sender);
    let mut told = Vec::new();
    while let Some(event) = meanwhile.recv().await {
        told.push(match event {
            CallEvent::Progress {
                progress,
                total,
                message,
            } => {
                format!("{progress} of {total:?}: {message:?}")
            }
            CallEvent::Log { level, text } => format!("{level}: {text}"),
            CallEvent::Elicit { params, .. } => params.get().to_owned(),
        });
    }
    assert_eq!(
        told,
        [
            r#"1 of Some(2.0): Some("step 1")"#,
            r#"2 of Some(2.0): Some("step 2")"#,
            "info: a plain text",
            r#"warning: engine: {"heat":99}"#,
        ]
    );
}

#[tokio::test]
async fn tools_that_changed_are_told() {
    for flags in [&[][..], &["--era", "modern-only"]] {
        let scene = Scene::new(flags);
        let (connection, mut events) = scene.try_open().await.unwrap();
        if !flags.is_empty() {
            scene.hears("subscriptions/listen").await;
        }
        assert_eq!(
            text(&connection, "list_changed", json!({})).await,
            "added_1"
        );
        let event = timeout(LONG, events.recv()).await.unwrap();
        assert!(matches!(event, Some(Event::ToolsChanged)), "{event:?}");
    }
}

#[tokio::test]
async fn questions_of_the_server_are_answered_or_refused() {
    let connection = Scene::new(&[]).open().await;
    for (tool, expected) in [
        ("sampling", "refused -32601"),
        ("roots", "refused -32601"),
        ("ping_back", "{}"),
        ("elicit", r#"{"action":"cancel"}"#),
    ] {
        assert_eq!(text(&connection, tool, json!({})).await, expected);
    }
}

#[tokio::test]
async fn a_question_for_the_person_comes_to_its_call() {
    let connection = Scene::new(&[]).open().await;
    let (sender, mut events) = mpsc::channel(CALL_EVENTS);
    let options = CallOptions {
        events: Some(sender),
        can_ask: true,
        wants_logs: false,
        ..within(LONG)
    };
    let params = params("elicit", &json!({}));
    let person = async {
        let Some(CallEvent::Elicit { params, reply }) = events.recv().await else {
            panic!("nothing is asked");
        };
        assert!(params.get().contains("Who are you?"), "{params}");
        let answer = r#"{"action":"accept","content":{"name":"Ada"}}"#;
        reply
            .send(RawValue::from_string(answer.to_owned()).unwrap())
            .unwrap();
    };
    let (answer, ()) = tokio::join!(connection.request("tools/call", &params, options), person);
    let answer = answer.unwrap();
    assert!(answer.get().contains("Ada"), "{answer}");
}

#[tokio::test]
async fn tools_come_in_pages_and_a_cursor_leads_through_them() {
    let connection = Scene::new(&["--pages", "3"]).open().await;
    let (mut names, mut pages, mut asked) = (Vec::new(), 0, json!({}));
    loop {
        let asked_for = RawValue::from_string(asked.to_string()).unwrap();
        let page = connection
            .request("tools/list", &asked_for, within(LONG))
            .await
            .unwrap();
        let page: Value = serde_json::from_str(page.get()).unwrap();
        pages += 1;
        names.extend(
            page["tools"]
                .as_array()
                .unwrap()
                .iter()
                .map(|tool| tool["name"].clone()),
        );
        match &page["nextCursor"] {
            Value::Null => break,
            cursor => asked = json!({"cursor": cursor}),
        }
    }
    assert_eq!(pages, 3);
    assert_eq!(
        (&names[0], &names[names.len() - 1]),
        (&json!("add"), &json!("child"))
    );
}

#[tokio::test]
async fn a_result_that_asks_for_input_is_answered_by_calling_again() {
    let connection = Scene::new(&["--era", "modern-only", "--input-required"])
        .open()
        .await;
    let mut params = json!({"name": "confirm", "arguments": {"what": "go"}});
    let first = RawValue::from_string(params.to_string()).unwrap();
    let first = connection
        .request("tools/call", &first, within(LONG))
        .await
        .unwrap();
    let first: Value = serde_json::from_str(first.get()).unwrap();
    assert_eq!(first["resultType"], "input_required");
    params["requestState"] = first["requestState"].clone();
    params["inputResponses"] = json!({"sure": {"action": "accept", "content": {"sure": true}}});
    let second = RawValue::from_string(params.to_string()).unwrap();
    let second = connection
        .request("tools/call", &second, within(LONG))
        .await
        .unwrap();
    assert!(second.get().contains("go: true"), "{second}");
}
