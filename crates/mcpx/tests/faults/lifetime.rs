//! What ends in time, and what changes meanwhile.

use std::io::Read;

use super::{World, ended, fake_mcp, only_the_daemon_runs, pid, until, world};

#[test]
fn tools_that_changed_are_listed_anew() {
    for args in [&[][..], &["--era", "modern-only"]] {
        let world = world(args);
        let has = |name: &str| world.stdout(["fake"]).contains(name);
        assert!(!has("added_1"));
        world.mcpx(["fake", "list_changed"]).success();
        // Who tells that it changed is heard beside who answers.
        until("the list has the new tool", || has("added_1"));
        world.mcpx(["fake", "added_1"]).success();
    }
}

#[test]
fn a_server_that_nobody_uses_is_closed_and_the_daemon_after_it() {
    let world = world(&["--ignore-eof"]);
    world.append("keepalive = \"50ms\"\n");
    // The daemon takes this from who starts it.
    let call = world.call(["fake", "pid"]).env("MCPX_IDLE", "10m");
    let first = call.assert().success().get_output().stdout.clone();
    only_the_daemon_runs(&world);
    assert_ne!(pid(&world).into_bytes(), first);
    world.end_now();
    let call = world.call(["fake", "pid"]).env("MCPX_IDLE", "50ms");
    call.assert().success();
    until("the daemon ends", || world.running().is_empty());
    assert!(!world.path("run/mcpx/mcpx.sock").exists());
    pid(&world);
}

#[test]
fn a_reader_that_left_ends_the_call_quietly() {
    let world = world(&[]);
    let mut call = world.start(["fake", "big", "--bytes=5000000"]);
    let mut first = [0];
    let mut stdout = call.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    ended(call, 0, "", "");

    let script = "mcpx fake big --bytes=5000000 | head -c 3";
    world.program("mcpx", MCPX);
    let call = world.run("/bin/sh").args(["-c", script]);
    let call = call.env("MCPX", snapbox::cmd::cargo_bin!("mcpx"));
    call.assert().success().stdout_eq("xxx").stderr_eq("");
    pid(&world);
}

const MCPX: &str = "#!/bin/sh\nexec \"$MCPX\" \"$@\"\n";

#[test]
fn a_changed_configuration_is_that_of_the_next_call() {
    let world = World::new();
    let command = fake_mcp();
    let words = |word: &str| {
        world.config(&format!(
            "[servers.fake]\ncommand = {command:?}\nargs = [\"--\", {word:?}]\n"
        ));
        world.stdout(["fake", "args"])
    };
    for word in ["one", "two", "six", "one"] {
        assert_eq!(words(word), format!("[\"--\",\"{word}\"]"));
    }
}
