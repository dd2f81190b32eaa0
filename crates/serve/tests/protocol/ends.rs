//! How calls and conversations end.

use serde_json::json;

use crate::every_version;
use crate::talk::{NEWEST, World, runs, soon};

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
