//! What happens in one call or at one server is no matter to others.

use std::fs;
use std::io::Read;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};

use super::{World, begun, ended, fake_mcp, log, pid, recorded, until, works, world};

/// Ends a call as Ctrl-C does.
#[track_caller]
fn interrupt(mut call: Child) {
    assert!(call.try_wait().unwrap().is_none(), "the call has ended");
    // Where the tests run in the background of a script, Ctrl-C is not for them, and so
    // not for what they start.
    let signal = match ignores(Signal::INT) {
        true => Signal::TERM,
        false => Signal::INT,
    };
    kill_process(Pid::from_child(&call), signal).unwrap();
    assert_eq!(call.wait().unwrap().code(), None, "ended by the signal");
}

fn ignores(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal.as_raw() - 1)) != 0)
}

#[test]
fn calls_to_one_server_run_at_the_same_time() {
    let world = world(&[]);
    // None is answered before all of them are there.
    let start = |_| world.start(["fake", "together", "--count=4"]);
    let calls: Vec<_> = (0..4).map(start).collect();
    for call in calls {
        ended(call, 0, "4 together", "");
    }
}

#[test]
fn a_server_that_takes_its_time_to_open_delays_no_other() {
    let world = recorded(&["--never-initialize"]).server("other", fake_mcp(), &[]);
    let opening = world.start(["fake", "pid"]);
    until("the server is being opened", || {
        log(&world).contains("\"initialize\"")
    });
    works(&world, "other");
    world.mcpx(["other"]).success();
    interrupt(opening);
}

#[test]
fn a_flood_on_stderr_delays_no_call() {
    let world = recorded(&[]).server("other", fake_mcp(), &[]);
    // It has not ended when the others have.
    let flood = begun(&world, &["fake", "flood_stderr", "--bytes=100000000000000"]);
    for server in ["fake", "other", "fake", "other"] {
        works(&world, server);
    }
    interrupt(flood);
}

#[test]
fn a_flood_on_stdout_delays_no_other_server() {
    let world = World::new().server("other", fake_mcp(), &[]);
    // As many as the daemon has threads.
    world.add("yes", "/usr/bin/yes", &[]);
    world.add("no", "/usr/bin/yes", &["no"]);
    let floods = [world.start(["yes", "x"]), world.start(["no", "x"])];
    until("they run", || world.running().len() >= 5);
    for _ in 0..4 {
        works(&world, "other");
    }
    floods.into_iter().for_each(interrupt);
}

#[test]
fn a_reader_that_does_not_read_delays_no_call() {
    let world = world(&[]);
    let mut unread = world.start(["fake", "big", "--bytes=20000000"]);
    let mut stdout = unread.stdout.take().unwrap();
    // It has begun to print; most of it has no place to go.
    stdout.read_exact(&mut [0]).unwrap();
    for _ in 0..4 {
        works(&world, "fake");
    }
    let rest = std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    assert_eq!(rest, 19_999_999);
    ended(unread, 0, "", "");
}

#[test]
fn an_interrupted_call_is_cancelled_at_the_server() {
    let world = recorded(&[]);
    let before = pid(&world);
    let call = begun(&world, &["fake", "slow", "--ms=600000"]);
    interrupt(call);
    until("the server hears that", || {
        log(&world).contains("\"notifications/cancelled\"")
    });
    until("the server stops it", || log(&world).contains("stopped "));
    assert_eq!(pid(&world), before);
}

#[test]
fn a_server_is_the_callers() {
    let world = world(&[]);
    world.append("env = { TOKEN = \"${TOKEN}\" }\n");
    let other = world.path("work/other");
    fs::create_dir(&other).unwrap();
    let pid = |token: &str, level: &str, folder: &str| {
        let call = world.call(["fake", "pid"]);
        let call = call.env("TOKEN", token).env("SHLVL", level);
        let output = call.current_dir(world.path(folder)).output();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let mine = pid("one", "1", "work");
    assert_eq!(pid("one", "2", "work"), mine, "what it has no use for");
    let another_token = pid("two", "1", "work");
    assert_ne!(another_token, mine);
    let another_folder = pid("one", "1", "work/other");
    assert_ne!(another_folder, mine);
    assert_ne!(another_folder, another_token);
    // And each still has its own.
    assert_eq!(pid("one", "3", "work"), mine);
    assert_eq!(pid("two", "3", "work"), another_token);
    assert_eq!(pid("one", "3", "work/other"), another_folder);
}
