//! The daemon dies, or many want it at once. More of its door is in `tests/daemon`.

use std::fs;

use super::world::mode;
use super::{begun, ended, log, pid, recorded, until, works};

#[test]
fn a_hundred_clients_on_a_cold_start_get_a_hundred_right_answers() {
    let world = recorded(&[]);
    let start = |number| {
        let text = format!("--text=number {number}");
        (number, world.start(["fake", "echo", &text]))
    };
    let clients: Vec<_> = (0..100).map(start).collect();
    for (number, client) in clients {
        ended(client, 0, &format!("number {number}"), "");
    }
    let started = log(&world).matches("start ").count();
    assert_eq!(started, 1, "one server");
    let running = world.running();
    assert_eq!(running.len(), 2, "one daemon and its server: {running:#?}");
}

#[test]
fn a_daemon_that_is_killed_during_a_call_takes_its_servers_with_it() {
    let world = recorded(&[]);
    let call = begun(&world, &["fake", "slow", "--ms=600000"]);
    world.kill_daemon();
    ended(call, 3, "", "mcpx: the daemon ended during the call\n");
    until("the server ends", || world.running().is_empty());
    works(&world, "fake");
}

#[test]
fn a_daemon_that_is_killed_between_calls_takes_its_servers_with_it() {
    let world = recorded(&[]);
    let before = pid(&world);
    world.kill_daemon();
    until("the server ends", || world.running().is_empty());
    assert_ne!(pid(&world), before);
}

#[test]
fn a_server_that_outlives_a_killed_daemon_is_ended_by_the_next_one() {
    // One ends when it is asked to, the other has to be killed with what it started.
    let stubborn = "trap '' TERM; sleep 600 & fake=$1; shift; \"$fake\" \"$@\"; sleep 600";
    let fake = super::fake_mcp();
    let fake = fake.to_str().unwrap();
    let world = recorded(&["--ignore-eof"]);
    world.add(
        "stubborn",
        "/bin/sh",
        &["-c", stubborn, "sh", fake, "--ignore-eof"],
    );
    let before = pid(&world);
    works(&world, "stubborn");
    let daemon = world.daemon().unwrap().as_raw_nonzero();
    let roll = world.path(&format!("run/mcpx/mcpx.children.{daemon}"));
    assert_eq!(mode(&roll), 0o600);
    assert_eq!(fs::read_to_string(&roll).unwrap().lines().count(), 5);
    world.kill_daemon();
    let running = world.running();
    assert_eq!(
        running.len(),
        4,
        "two servers, what one started: {running:#?}"
    );
    assert_ne!(pid(&world), before);
    until("the daemon and its new server are alone", || {
        world.running().len() == 2
    });
    until("its roll is gone", || !roll.exists());
    works(&world, "stubborn");
}
