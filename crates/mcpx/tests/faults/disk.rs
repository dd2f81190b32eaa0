//! A disk without room.

use super::{World, fails, pid, works, world};

/// Runs `mcpx` where `prepare` has been done: an own view of the file system, in which
/// the daemon that it starts lives as well. Nothing where the system gives nobody that.
fn in_a_view(world: &World, prepare: &str, words: &[&str]) -> Option<std::process::Output> {
    let unshare = ["--user", "--map-root-user", "--mount"];
    let can = world.run("unshare").args(unshare);
    let can = can.args(["mount", "-t", "tmpfs", "none", "/"]).output();
    if !can.status.success() {
        return None;
    }
    let script = format!("{prepare} && exec \"$@\"");
    let call = world.run("unshare").args(unshare);
    let call = call.args(["sh", "-c", &script, "sh"]);
    let call = call.args([snapbox::cmd::cargo_bin!("mcpx")]).args(words);
    Some(call.output())
}

/// Mounts a file system without room on the folder that a variable names.
fn full(variable: &str) -> String {
    format!(
        "mount -t tmpfs -o size=4k,mode=700 none \"${variable}\" && head -c 4096 /dev/zero >\"${variable}/full\""
    )
}

#[test]
fn a_full_disk_costs_the_cache_and_no_answer() {
    let world = world(&[]);
    let prepare = "mount -t tmpfs -o size=64k none \"$XDG_CACHE_HOME\"";
    let large = ["fake", "big", "--bytes=100000", "--cache=60s"];
    let Some(output) = in_a_view(&world, prepare, &large) else {
        return;
    };
    let line = format!(
        "mcpx: not cached: {}: no storage space\n",
        world.path("cache/mcpx").display()
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), line);
    assert_eq!(output.stdout.len(), 100_000);
    assert!(output.status.success());
    // What has room is kept, by the same daemon.
    let small = || {
        let output = world.mcpx(["fake", "echo", "--text=hi", "--cache=60s", "-v"]);
        let output = output.success().stdout_eq("hi").get_output().clone();
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(small().contains("mcpx: cache miss (ttl=60s)\n"));
    let again = small();
    assert!(again.contains("mcpx: cache hit (age="), "{again}");
}

#[test]
fn a_picture_that_a_full_disk_has_no_room_for_is_a_failure() {
    let world = world(&[]);
    let Some(output) = in_a_view(&world, &full("TMPDIR"), &["fake", "image"]) else {
        return;
    };
    let told = String::from_utf8(output.stderr).unwrap();
    let folder = world.path("tmp/mcpx-media-");
    let file = "/image.png cannot be written: No space left on device (os error 28)\n";
    assert!(
        told.starts_with(&format!("mcpx: {}", folder.display())),
        "{told}"
    );
    assert!(told.ends_with(file), "{told}");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    works(&world, "fake");
}

#[test]
fn a_limit_for_the_size_of_files_does_not_end_the_daemon() {
    let world = world(&[]);
    let script = "ulimit -f 8 && exec \"$@\"";
    let call = world.run("/bin/sh").args(["-c", script, "sh"]);
    let call = call.args([snapbox::cmd::cargo_bin!("mcpx")]);
    let call = call.args(["fake", "big", "--bytes=100000", "--cache=60s"]);
    let output = call.output();
    let line = format!(
        "mcpx: not cached: {}: file too large\n",
        world.path("cache/mcpx").display()
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), line);
    assert_eq!(output.stdout.len(), 100_000);
    assert!(output.status.success());
    // The daemon has the limit as well, and its server's log.
    let before = pid(&world);
    let flooded = world.mcpx(["fake", "flood_stderr", "--bytes=100000"]);
    flooded.success().stdout_eq("flooded").stderr_eq("");
    assert_eq!(pid(&world), before);
}

#[test]
fn output_that_nobody_has_room_for_is_a_failure() {
    let world = world(&[]);
    let script = "exec \"$@\" >/dev/full";
    let call = world.run("/bin/sh").args(["-c", script, "sh"]);
    let call = call.args([snapbox::cmd::cargo_bin!("mcpx")]);
    let output = call.args(["fake", "echo", "--text=hi"]).output();
    let line = "mcpx: writing to stdout: No space left on device (os error 28)\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), line);
    assert_eq!(output.status.code(), Some(3));
    let line = "mcpx: fake: ended with exit code 3 during the call";
    fails(&world, &["fake", "crash"], 3, line);
}

#[test]
fn logs_and_memories_that_have_no_room_cost_no_call() {
    let world = world(&["--banner"]);
    let words = ["fake", "flood_stderr", "--bytes=100000"];
    let Some(output) = in_a_view(&world, &full("XDG_STATE_HOME"), &words) else {
        return;
    };
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "flooded");
    works(&world, "fake");
}

#[test]
fn a_daemon_that_has_no_room_for_its_state_says_so() {
    let world = world(&[]);
    let words = ["fake", "pid"];
    let Some(output) = in_a_view(&world, &full("XDG_RUNTIME_DIR"), &words) else {
        return;
    };
    let line = format!(
        "mcpx: the daemon did not start: {} cannot be written: No space left on device (os error 28)\n",
        world.path("run/mcpx/mcpx.state").display()
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), line);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(world.running(), [""; 0]);
    works(&world, "fake");
}
