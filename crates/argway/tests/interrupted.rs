//! A reading that is interrupted leaves nothing behind.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// A program that never answers, and has a child in another session that sleeps on.
/// How long they sleep is what they are known by.
const HANGS: &str = r#"#!/bin/sh
setsid sleep TIME </dev/null >/dev/null 2>&1 &
sleep TIME
"#;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn soon<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(since.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// How many processes sleep for `time`, in whatever world of their own.
fn sleepers(time: &str) -> usize {
    let line = format!("sleep\0{time}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| fs::read(process.path().join("cmdline")).ok())
        .filter(|found| found == line.as_bytes())
        .count()
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[track_caller]
fn check(verb: &[&str], signal: Signal) {
    let world = tempfile::tempdir().unwrap();
    let path = |name: &str| world.path().join(name);
    // Copied by another process: a file that is open for writing, here or in a child
    // that another test just started, cannot be run.
    static CHECKS: AtomicUsize = AtomicUsize::new(0);
    let check = CHECKS.fetch_add(1, Ordering::Relaxed);
    let time = format!("600.{}{check:03}", std::process::id());
    fs::write(path("draft"), HANGS.replace("TIME", &time)).unwrap();
    fs::set_permissions(path("draft"), PermissionsExt::from_mode(0o755)).unwrap();
    let copied = Command::new("cp")
        .args(["-p", "draft", "hangs"])
        .current_dir(world.path())
        .status();
    assert!(copied.unwrap().success());
    fs::create_dir(path("tmp")).unwrap();
    let mut argway = Command::new(env!("CARGO_BIN_EXE_argway"))
        .args(verb)
        .current_dir(world.path())
        .env("TMPDIR", path("tmp"))
        .env("XDG_CACHE_HOME", path("cache"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A server reads once it is spoken to.
    let mut stdin = argway.stdin.take().unwrap();
    let _ = writeln!(stdin, "{INITIALIZE}");
    soon("the program is asked", || {
        (sleepers(&time) >= 2).then_some(())
    });
    let number = Pid::from_raw(i32::try_from(argway.id()).unwrap()).unwrap();
    kill_process(number, signal).unwrap();
    let status = argway.wait().unwrap();
    assert_eq!(status.signal(), None, "{verb:?}");
    assert_eq!(sleepers(&time), 0, "{verb:?} left processes");
    // The folder of a user's sandboxes stays, empty.
    let sandboxes = path("tmp").join(format!("argway-{}", rustix::process::geteuid().as_raw()));
    let mut left: Vec<_> = inside(&path("tmp"));
    left.retain(|path| *path != sandboxes);
    left.extend(inside(&sandboxes));
    assert!(left.is_empty(), "{verb:?} left {left:?}");
}

#[test]
fn while_it_is_described() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        check(&["describe", "./hangs"], signal);
        for how in ["off", "portable", "strict"] {
            check(
                &["describe", &format!("--sandbox={how}"), "./hangs"],
                signal,
            );
        }
    }
}

#[test]
fn while_it_is_captured() {
    check(&["capture", "./hangs", "pages"], Signal::TERM);
}

#[test]
fn while_its_server_starts() {
    check(&["serve", "./hangs"], Signal::TERM);
}
