//! What goes wrong, done for real: the binary, a daemon, servers that fail. Each time
//! the exit code is right, one line says why, and the next call works. That nothing is
//! left running is checked wherever a [`world::World`] ends.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod contained;
mod daemon;
mod disk;
mod http;
mod isolation;
mod lifetime;
mod servers;
#[path = "../world/mod.rs"]
mod world;

use std::fs;
use std::process::{Child, Output};
use std::time::Duration;

use world::{World, fake_mcp};

/// Longer than anything takes that is right.
const PATIENCE: Duration = Duration::from_secs(60);

/// A world with one server, `fake`, that is started with these words.
fn world(args: &[&str]) -> World {
    World::new().server("fake", fake_mcp(), args)
}

/// The same, and what the server is told is recorded: see [`log`].
fn recorded(args: &[&str]) -> World {
    let world = world(args);
    let log = world.path("log");
    world.append(&format!("env = {{ FAKE_LOG = {log:?} }}\n"));
    world
}

/// What servers were told, a message a line.
fn log(world: &World) -> String {
    fs::read_to_string(world.path("log")).unwrap_or_default()
}

/// Waits for something that is sure to come.
#[track_caller]
fn until(what: &str, is_so: impl FnMut() -> bool) {
    assert!(world::wait(PATIENCE, is_so), "{what}: it never came");
}

/// A call that the server has received and does not answer.
#[track_caller]
fn begun(world: &World, words: &[&str]) -> Child {
    let calls = || log(world).matches("\"tools/call\"").count();
    let before = calls();
    let call = world.start(words);
    until("the call begins", || calls() > before);
    call
}

/// Checks how a call ended that was under way.
#[track_caller]
fn ended(call: Child, code: i32, stdout: &str, stderr: &str) {
    let Output {
        status,
        stdout: out,
        stderr: err,
    } = call.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&err), stderr);
    assert_eq!(String::from_utf8_lossy(&out), stdout);
    assert_eq!(status.code(), Some(code));
}

/// Fails a call, with one line on stderr and nothing on stdout.
#[track_caller]
fn fails(world: &World, words: &[&str], code: i32, line: &str) {
    let output = world.call(words).output();
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        format!("{line}\n"),
        "{words:?}"
    );
    assert_eq!(output.status.code(), Some(code), "{words:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{words:?}");
}

/// The server works.
#[track_caller]
fn works(world: &World, server: &str) {
    let sum = world.mcpx([server, "add", "--a=1", "--b=2"]);
    sum.success().stdout_eq("3").stderr_eq("");
}

/// The process of the server.
#[track_caller]
fn pid(world: &World) -> String {
    world.stdout(["fake", "pid"])
}

/// Waits until nothing runs but the daemon.
#[track_caller]
fn only_the_daemon_runs(world: &World) {
    until("only the daemon runs", || world.running().len() == 1);
    assert!(world.daemon().is_some());
}
