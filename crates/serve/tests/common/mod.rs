//! What the tests that run real programs share.
#![allow(dead_code, clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use argway_core::output::Outcome;
use argway_serve::exec::{self, Environment, Event, Invocation, Limits};

/// `sh -c script name token`, within generous limits.
pub fn script(script: &str, token: &str) -> Invocation {
    Invocation {
        program: PathBuf::from("/bin/sh"),
        words: ["-c", script, "sh", token].map(Into::into).to_vec(),
        stdin: None,
        directory: None,
        environment: Environment::Inherit(Vec::new()),
        limits: Limits {
            timeout: Duration::from_secs(60),
            keep: 1 << 20,
            spill: 1 << 30,
            spill_folders: Vec::new(),
        },
        sandbox: None,
    }
}

/// A word that no other process has on its command line.
pub fn token() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("token-{}-{number}-", std::process::id())
}

/// Processes that have `token` on their command line.
pub fn alive(token: &str) -> Vec<String> {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.contains(token)
                .then(|| format!("{} {line}", entry.file_name().display()))
        })
        .collect()
}

/// Waits until so many processes carry `token`.
pub fn wait_for(token: &str, count: usize) {
    let start = Instant::now();
    while alive(token).len() < count {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{:?}",
            alive(token)
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs to the end.
pub fn run(invocation: Invocation) -> Outcome {
    run_with_events(invocation).0
}

/// Runs to the end and says what was heard meanwhile.
pub fn run_with_events(invocation: Invocation) -> (Outcome, Vec<Event>) {
    let mut events = Vec::new();
    let outcome = runtime()
        .block_on(exec::run(
            invocation,
            std::future::pending(),
            &mut |event| {
                events.push(event);
            },
        ))
        .unwrap();
    (outcome, events)
}

/// The kind of runtime that the server has.
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}
