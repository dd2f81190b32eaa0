//! The daemon dies, or many want it at once. More of its door is in `tests/daemon`.

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
