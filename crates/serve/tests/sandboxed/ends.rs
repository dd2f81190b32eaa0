//! Whatever ends a run, nothing that it started is left.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use argway_core::output::Ending;
use argway_core::policy::Demand;
use argway_serve::exec::{self, Event};
use rustix::process::{Pid, Signal, kill_process};

use crate::common::{alive, runtime, token, wait_for};
use crate::scene::{
    DAEMONS, SERVER, Scene, eventually, in_each_tier, launchers, nobody_is_left, temporary_folders,
    text,
};

pub fn nothing_is_left_after_the_end_of_the_program() {
    in_each_tier(|scene, _| {
        let token = token();
        let outcome = scene.run(&format!("{DAEMONS} exit 4"), &token);
        assert_eq!(outcome.ending, Ending::Exited(4));
        assert_eq!(text(&outcome).0, "started\n");
        nobody_is_left(&token);
        assert!(outcome.ended_leftovers);
    });
}

pub fn nothing_is_left_after_a_timeout() {
    in_each_tier(|scene, _| {
        let token = token();
        let timeout = Duration::from_secs(2);
        let outcome = scene.run_for(&format!("{DAEMONS} sleep 600"), &token, timeout);
        assert_eq!(outcome.ending, Ending::TimedOut(timeout));
        assert_eq!(text(&outcome).0, "started\n");
        nobody_is_left(&token);
    });
}

pub fn nothing_is_left_of_a_call_that_was_taken_back() {
    in_each_tier(|scene, _| {
        let token = token();
        let invocation = scene.script(&format!("{DAEMONS} sleep 600"), &token);
        let outcome = runtime().block_on(async {
            let (started, cancel) = tokio::sync::oneshot::channel();
            let mut started = Some(started);
            let cancelled = async {
                let _ = cancel.await;
            };
            exec::run(invocation, cancelled, &mut |event| {
                if let (Event::Stdout(_), Some(started)) = (event, started.take()) {
                    let _ = started.send(());
                }
            })
            .await
            .unwrap()
        });
        assert_eq!(outcome.ending, Ending::Cancelled);
        assert_eq!(text(&outcome).0, "started\n");
        nobody_is_left(&token);
    });
}

pub fn nothing_is_left_of_a_dropped_future() {
    in_each_tier(|scene, _| {
        let token = token();
        let invocation = scene.script(&format!("{DAEMONS} sleep 600"), &token);
        runtime().block_on(async {
            let (up, mut is_up) = tokio::sync::mpsc::unbounded_channel();
            let mut tell = move |_| {
                let _ = up.send(());
            };
            let call = exec::run(invocation, std::future::pending(), &mut tell);
            tokio::select! {
                _ = call => panic!("it cannot have ended"),
                heard = is_up.recv() => assert!(heard.is_some()),
            }
        });
        nobody_is_left(&token);
        eventually("no temporary folder is left", || {
            temporary_folders(std::process::id()).is_empty()
        });
    });
}

pub fn nothing_is_left_of_a_dropped_runtime() {
    in_each_tier(|scene, _| {
        let token = token();
        let invocation = scene.script(&format!("{DAEMONS} sleep 600"), &token);
        let runtime = runtime();
        let (up, mut is_up) = tokio::sync::mpsc::unbounded_channel();
        runtime.spawn(async move {
            let mut tell = |_| {
                let _ = up.send(());
            };
            let _ = exec::run(invocation, std::future::pending(), &mut tell).await;
        });
        assert!(runtime.block_on(is_up.recv()).is_some());
        drop(runtime);
        nobody_is_left(&token);
    });
}

pub fn nothing_is_left_of_a_killed_server() {
    for tier in ["strict", "portable"] {
        let token = token();
        // Tells by a file in its folder, since a server keeps what a call prints.
        let text = format!("{DAEMONS} sleep 600; :");
        let mut server = Command::new(std::env::current_exe().unwrap())
            .args([SERVER, tier, &token, &text])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // The server itself, the program, three daemons and a daemon's child.
        wait_for(&token, 6);
        let pid = server.id();
        assert!(!temporary_folders(pid).is_empty());
        server.kill().unwrap();
        server.wait().unwrap();
        eventually("nobody is left", || alive(&token).is_empty());
        eventually("no temporary folder is left", || {
            temporary_folders(pid).is_empty()
        });
    }
}

pub fn nothing_is_left_of_a_killed_launcher() {
    in_each_tier(|scene, _| {
        let token = token();
        let invocation = scene.script(&format!("{DAEMONS} sleep 600"), &token);
        let mut killed = false;
        let outcome = runtime().block_on(async {
            let mut kill = |_| {
                for pid in launchers(std::process::id()) {
                    let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
                    killed = true;
                }
            };
            exec::run(invocation, std::future::pending(), &mut kill)
                .await
                .unwrap()
        });
        assert!(killed);
        assert_eq!(outcome.ending, Ending::Signalled(9));
        nobody_is_left(&token);
        eventually("no temporary folder is left", || {
            temporary_folders(std::process::id()).is_empty()
        });
    });
}

pub fn nothing_is_left_of_a_hundred_calls_that_each_leave_a_daemon() {
    // Those of runtimes that are gone are waited for by nobody here.
    let before = launchers(std::process::id());
    let token = token();
    let runtime = runtime();
    let permits = Arc::new(tokio::sync::Semaphore::new(8));
    runtime.block_on(async {
        let mut calls = tokio::task::JoinSet::new();
        for number in 0..100 {
            let demand = match number % 2 {
                0 => Demand::Strict,
                _ => Demand::Portable,
            };
            let scene = Scene::new(demand);
            let (permits, invocation) = (permits.clone(), scene.script(DAEMONS, &token));
            calls.spawn(async move {
                let _permit = permits.acquire_owned().await;
                let _folder = scene.folder;
                let mut ignore = |_| {};
                exec::run(invocation, std::future::pending(), &mut ignore).await
            });
        }
        while let Some(outcome) = calls.join_next().await {
            let outcome = outcome.unwrap().unwrap();
            assert_eq!(outcome.stdout.head, b"started\n", "{outcome:?}");
            assert_eq!(outcome.ending, Ending::Exited(0));
        }
        nobody_is_left(&token);
        let gone = async {
            while (launchers(std::process::id()).iter()).any(|pid| !before.contains(pid)) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), gone)
            .await
            .unwrap();
    });
    assert!(temporary_folders(std::process::id()).is_empty());
}

pub fn a_server_that_stops_ends_its_sandboxes() {
    in_each_tier(|scene, _| {
        let token = token();
        let runtime = runtime();
        let invocation = scene.script(&format!("{DAEMONS} sleep 600"), &token);
        let (up, mut is_up) = tokio::sync::mpsc::unbounded_channel();
        let call = runtime.spawn(async move {
            let mut tell = |_| {
                let _ = up.send(());
            };
            exec::run(invocation, std::future::pending(), &mut tell).await
        });
        assert!(runtime.block_on(is_up.recv()).is_some());
        exec::end_all();
        nobody_is_left(&token);
        runtime.block_on(call).unwrap().unwrap();
        eventually("no temporary folder is left", || {
            temporary_folders(std::process::id()).is_empty()
        });
    });
}

pub fn many_forking_away_from_the_end_are_all_ended() {
    in_each_tier(|scene, _| {
        let token = token();
        // Each generation starts the next in a new session and ends.
        let hop = r#"hop() { setsid sh -c "$0" "$0" "$1" & }; hop "$@""#;
        let timeout = Duration::from_secs(1);
        let outcome = scene.run_for(
            &format!("for i in 1 2 3 4; do sh -c '{hop}' '{hop}' \"$1\"; done; sleep 600"),
            &token,
            timeout,
        );
        assert_eq!(outcome.ending, Ending::TimedOut(timeout));
        nobody_is_left(&token);
    });
}

pub fn one_that_ends_when_asked_has_its_last_words_heard() {
    in_each_tier(|scene, _| {
        let timeout = Duration::from_secs(1);
        let outcome = scene.run_for(
            "trap 'echo bye; exit 7' TERM; while :; do sleep 0.02; done",
            "",
            timeout,
        );
        assert_eq!(outcome.ending, Ending::TimedOut(timeout));
        assert_eq!(text(&outcome).0, "bye\n");
    });
}

pub fn a_program_cannot_kill_its_supervisor() {
    in_each_tier(|scene, _| {
        let token = token();
        let outcome = scene.run(
            "kill -STOP $PPID; kill -KILL $PPID; sleep 0.1; echo alive",
            &token,
        );
        assert_eq!(outcome.ending, Ending::Exited(0), "{:?}", text(&outcome));
        assert_eq!(text(&outcome).0, "alive\n");
        // Its own group, in which the supervisor is not.
        let outcome = scene.run("sleep 600 & kill -KILL 0; sleep 600", &token);
        assert_eq!(outcome.ending, Ending::Signalled(9));
        nobody_is_left(&token);
    });
}
