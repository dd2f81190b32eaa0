//! Runs that must have the process to themselves: stopping as a server does ends
//! the processes of other tests too, and orphans without a mark are known by
//! nobody else being there.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use argway_core::output::Ending;
use argway_serve::exec;
use common::{alive, run, runtime, script, token};

/// A daemon that nothing ties to its run: no mark, no group, no session, no pipe,
/// and its parent is gone.
const UNTIED: &str = r#"(env -i setsid sh -c 'trap "" TERM; while :; do sleep 0.05; done' sh "$1-untied" </dev/null >/dev/null 2>&1 &)"#;

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn a_timeout_ends_a_daemon_that_nothing_ties_to_its_run() {
    let _alone = alone();
    let token = token();
    let mut invocation = script(&format!("{UNTIED}; sleep 600"), &token);
    invocation.limits.timeout = Duration::from_millis(400);
    let outcome = run(invocation);
    assert_eq!(outcome.ending, Ending::TimedOut(Duration::from_millis(400)));
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[test]
fn with_others_running_such_a_daemon_ends_when_the_last_of_them_is_over() {
    let _alone = alone();
    let token = token();
    let mut ended = script(&format!("{UNTIED}; sleep 600"), &token);
    ended.limits.timeout = Duration::from_millis(400);
    let other = script("sleep 3", "");
    runtime().block_on(async {
        let (mut ignore, mut ignore_too) = (|_| {}, |_| {});
        let (ended, other) = tokio::join!(
            exec::run(ended, std::future::pending(), &mut ignore),
            exec::run(other, std::future::pending(), &mut ignore_too),
        );
        assert!(matches!(ended.unwrap().ending, Ending::TimedOut(_)));
        assert_eq!(other.unwrap().ending, Ending::Exited(0));
    });
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[test]
fn two_hundred_runs_that_each_leave_a_daemon_leave_nothing_at_the_end() {
    let _alone = alone();
    let token = token();
    // Each says that it let go of the output, which on a busy machine takes its time.
    let daemon = r#"
        up=$(mktemp -d)
        setsid sh -c 'trap "" TERM; : >"$2/1"; while :; do sleep 1; done' sh "$1" "$up" </dev/null >/dev/null 2>&1 &
        (env -i setsid sh -c ': >"$2/2"; while :; do sleep 1; done' sh "$1" "$up" </dev/null >/dev/null 2>&1 &)
        until [ -e "$up/1" ] && [ -e "$up/2" ]; do sleep 0.05; done
        rm -r "$up"
        echo started"#;
    let runtime = runtime();
    let permits = Arc::new(tokio::sync::Semaphore::new(16));
    runtime.block_on(async {
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..200 {
            let (permits, invocation) = (permits.clone(), script(daemon, &token));
            calls.spawn(async move {
                let _permit = permits.acquire_owned().await;
                let mut ignore = |_| {};
                exec::run(invocation, std::future::pending(), &mut ignore).await
            });
        }
        while let Some(outcome) = calls.join_next().await {
            assert_eq!(outcome.unwrap().unwrap().stdout.head, b"started\n");
        }
    });
    // And one that is still under way.
    let invocation = script("sleep 600; :", &token);
    runtime.spawn(async move {
        let mut ignore = |_| {};
        let _ = exec::run(invocation, std::future::pending(), &mut ignore).await;
    });
    runtime.block_on(async {
        let all = async {
            while alive(&token).len() < 401 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(60), all).await;
        assert!(in_time.is_ok(), "{} of 401 live", alive(&token).len());
    });

    // A child that another part of the program started is none of our business.
    let mut stranger = std::process::Command::new("/bin/sleep")
        .arg("600")
        .spawn()
        .unwrap();
    exec::end_all();
    assert_eq!(alive(&token), Vec::<String>::new());
    assert!(stranger.try_wait().unwrap().is_none());
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}
