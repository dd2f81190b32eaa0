//! A reading that is interrupted leaves nothing behind.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// A program that tells its number and that of a child in another session, and then
/// never answers.
const HANGS: &str = r#"#!/bin/sh
setsid sleep 600 </dev/null >/dev/null 2>&1 &
echo "$$ $!" > "${0%/*}/numbers.new"
mv "${0%/*}/numbers.new" "${0%/*}/numbers"
sleep 600
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

#[track_caller]
fn check(verb: &[&str], signal: Signal) {
    let world = tempfile::tempdir().unwrap();
    let path = |name: &str| world.path().join(name);
    // Copied by another process: a file that is open for writing, here or in a child
    // that another test just started, cannot be run.
    fs::write(path("draft"), HANGS).unwrap();
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
    let numbers = soon("the program is asked", || {
        fs::read_to_string(path("numbers")).ok()
    });
    let number = Pid::from_raw(i32::try_from(argway.id()).unwrap()).unwrap();
    kill_process(number, signal).unwrap();
    let status = argway.wait().unwrap();
    assert_eq!(status.signal(), None, "{verb:?}");
    for process in numbers.split_whitespace() {
        let runs = fs::read_to_string(Path::new("/proc").join(process).join("cmdline"));
        assert!(
            runs.is_err() || runs.is_ok_and(|line| line.is_empty()),
            "{verb:?}: {process} still runs"
        );
    }
    let left: Vec<_> = fs::read_dir(path("tmp")).unwrap().flatten().collect();
    assert!(left.is_empty(), "{verb:?} left {left:?}");
}

#[test]
fn while_it_is_described() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        check(&["describe", "./hangs"], signal);
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
