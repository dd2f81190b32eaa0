//! How servers end, and that nothing of them stays.

use super::*;

#[tokio::test]
async fn a_crash_fails_every_call_under_way_and_tells_how() {
    let scene = Scene::new(&[]);
    let (connection, mut events) = scene.try_open().await.unwrap();
    let (hanging, crashing) = tokio::join!(
        call(&connection, "hang", json!({})),
        call(&connection, "crash", json!({"code": 3})),
    );
    for error in [hanging.unwrap_err(), crashing.unwrap_err()] {
        match error {
            UpstreamError::Ended { reason, stderr } => {
                assert_eq!(reason, "ended with exit code 3 during the call");
                assert_eq!(stderr, "fake-mcp: out of paper");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(!connection.is_alive());
    assert!(timeout(LONG, events.recv()).await.unwrap().is_none());
    let later = call(&connection, "add", json!({"a": 1, "b": 2})).await;
    assert_eq!(later.unwrap_err().to_string(), "ended with exit code 3");
    assert_eq!(
        text(&scene.open().await, "add", json!({"a": 1, "b": 2})).await,
        "3"
    );
}

#[tokio::test]
async fn an_end_by_a_signal_is_told_as_one() {
    let connection = Scene::new(&[]).open().await;
    let error = call(&connection, "abort", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "was ended by signal 6 during the call");
}

#[tokio::test]
async fn a_server_that_ends_when_idle_is_known_to_be_gone() {
    let scene = Scene::new(&["--exit-after-idle", "1000"]);
    let (connection, mut events) = scene.try_open().await.unwrap();
    assert!(timeout(LONG, events.recv()).await.unwrap().is_none());
    assert!(!connection.is_alive());
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn a_deaf_server_is_ended_although_a_message_waits_for_it() {
    let scene = Scene::new(&["--deaf"]);
    let connection = scene.open().await;
    let params = params("echo", &json!({"text": "x".repeat(100_000)}));
    for _ in 0..70 {
        let call = connection.request("tools/call", &params, within(Duration::from_millis(10)));
        assert!(call.await.is_err());
    }
    drop(connection);
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn closing_lets_a_server_end_in_order() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    connection.close().await;
    assert!(scene.heard().contains("\nend "), "{}", scene.heard());
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn closing_ends_what_the_server_has_started() {
    for flags in [&[][..], &["--ignore-eof"]] {
        let scene = Scene::new(flags);
        let connection = scene.open().await;
        let child = text(&connection, "child", json!({})).await;
        connection.close().await;
        ends(&child).await;
        scene.leaves_nothing().await;
    }
}

#[tokio::test]
async fn closing_ends_a_server_that_ignores_everything() {
    let scene = Scene::by_shell("trap '' TERM", "--ignore-eof");
    let connection = scene.open().await;
    connection.close().await;
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn dropping_ends_a_server_and_what_it_has_started() {
    let scene = Scene::by_shell("trap '' TERM", "--ignore-eof");
    let connection = scene.open().await;
    let child = text(&connection, "child", json!({})).await;
    drop(connection);
    ends(&child).await;
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn giving_up_on_the_opening_ends_the_server() {
    let scene = Scene::new(&["--never-initialize", "--ignore-eof"]);
    tokio::select! {
        biased;
        opened = scene.try_open() => panic!("{opened:?}"),
        () = scene.hears("initialize") => {}
    }
    scene.leaves_nothing().await;
}

#[test]
fn nothing_survives_the_runtime() {
    let scene = Scene::by_shell("trap '' TERM", "--ignore-eof");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (connection, child) = runtime.block_on(async {
        let connection = scene.open().await;
        let child = text(&connection, "child", json!({})).await;
        (connection, child)
    });
    runtime.shutdown_background();
    let pids = [scene.pids(), vec![child]].concat();
    let other = tokio::runtime::Runtime::new().unwrap();
    other.block_on(async {
        for pid in pids {
            ends(&pid).await;
        }
    });
    drop(connection);
}
