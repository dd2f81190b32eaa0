//! Servers that are programs, and fail.

use std::fs;

use super::{
    World, begun, ended, fails, fake_mcp, log, only_the_daemon_runs, pid, recorded, until, works,
    world,
};

#[test]
fn a_server_that_crashes_is_there_at_the_next_call() {
    let world = world(&[]);
    for (words, line) in [
        (
            &["fake", "crash"][..],
            "mcpx: fake: ended with exit code 3 during the call",
        ),
        (
            &["fake", "crash", "--code=0"],
            "mcpx: fake: ended with exit code 0 during the call",
        ),
        (
            &["fake", "abort"],
            "mcpx: fake: was ended by signal 6 during the call",
        ),
    ] {
        let before = pid(&world);
        fails(&world, words, 3, line);
        assert_ne!(pid(&world), before, "{words:?}");
    }
}

#[test]
fn a_crash_is_told_to_everybody_who_waits() {
    let world = recorded(&[]);
    let words = ["fake", "slow", "--ms=600000"];
    let waiting = [begun(&world, &words), begun(&world, &words)];
    let line = "mcpx: fake: ended with exit code 9 during the call";
    fails(&world, &["fake", "crash", "--code=9"], 3, line);
    for call in waiting {
        ended(call, 3, "", &format!("{line}\n"));
    }
    works(&world, "fake");
}

#[test]
fn a_server_that_crashes_leaves_nothing_behind() {
    let world = world(&[]);
    world.mcpx(["fake", "child"]).success();
    assert_eq!(world.running().len(), 3, "a child of the server");
    let line = "mcpx: fake: ended with exit code 3 during the call";
    fails(&world, &["fake", "crash"], 3, line);
    only_the_daemon_runs(&world);
    works(&world, "fake");
}

#[test]
fn a_call_that_hangs_is_given_up_and_cancelled() {
    let world = recorded(&[]);
    let before = pid(&world);
    let line = "mcpx: fake: no answer to tools/call within 0.2 s";
    fails(&world, &["fake", "hang", "--timeout=200ms"], 3, line);
    until("the server hears that", || {
        log(&world).contains("notifications/cancelled")
    });
    assert_eq!(pid(&world), before);
}

#[test]
fn a_server_that_hears_nothing_any_more_costs_no_more_than_the_time_it_has() {
    let world = world(&["--deaf"]);
    let line = "mcpx: fake: no answer to tools/list within 0.2 s";
    // Those who have more time wait for the same list, or for one that is asked for later.
    let patient = world.start(["fake", "--timeout=2s"]);
    fails(&world, &["fake", "--timeout=200ms"], 3, line);
    fails(&world, &["fake", "pid", "--timeout", "200ms"], 3, line);
    ended(
        patient,
        3,
        "",
        "mcpx: fake: no answer to tools/list within 2 s\n",
    );
}

#[test]
fn a_server_that_still_owes_its_list_is_closed_with_the_others() {
    let world = world(&["--deaf"]);
    world.append("keepalive = \"1ms\"\n");
    let line = "mcpx: fake: no answer to tools/list within 0.1 s";
    fails(&world, &["fake", "--timeout=100ms"], 3, line);
    only_the_daemon_runs(&world);
}

#[test]
fn a_server_that_never_initializes_is_ended() {
    let world = World::new().server("well", fake_mcp(), &[]).server(
        "fake",
        fake_mcp(),
        &["--never-initialize"],
    );
    world.append("connect_timeout = \"200ms\"\n");
    for _ in 0..2 {
        let line = "mcpx: fake: no answer to initialize within 0.2 s";
        fails(&world, &["fake", "pid"], 3, line);
        only_the_daemon_runs(&world);
    }
    works(&world, "well");
}

#[test]
fn an_impatient_caller_does_not_wait_for_a_slow_opening() {
    let world = world(&["--never-initialize"]);
    let line = "mcpx: fake: no answer to initialize within 0.3 s";
    fails(&world, &["fake", "pid", "--timeout=300ms"], 3, line);
}

#[test]
fn a_program_that_is_not_there_is_not_reached() {
    let world = World::new().server("fake", std::path::Path::new("/no/such/server"), &[]);
    let line = "mcpx: the server `fake`: the command `/no/such/server` cannot be run: \
                /no/such/server is not there";
    fails(&world, &["fake", "pid"], 3, line);
}

#[test]
fn a_server_that_does_not_start_is_named_with_its_exit_code() {
    let world = world(&["--fail-to-start", "7"]);
    let line = format!(
        "mcpx: fake: {} ended with exit code 7 before it was ready",
        fake_mcp().display()
    );
    let short = format!("{line} (-v tells more)");
    fails(&world, &["fake", "pid"], 3, &short);
    let output = world.mcpx(["fake", "pid", "-v"]).code(3);
    let told = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    let expected = format!("{line}\nmcpx:   fake-mcp: there is no database here\n");
    assert!(told.ends_with(&expected), "{told}");
    only_the_daemon_runs(&world);
}

#[test]
fn garbage_on_stdout_is_no_answer() {
    let world = world(&["--banner"]);
    world
        .mcpx(["fake", "garbage"])
        .success()
        .stdout_eq("after the garbage")
        .stderr_eq("");
    works(&world, "fake");
}

#[test]
fn programs_that_are_no_servers_are_told_to_be_none() {
    let world = World::new().server("well", fake_mcp(), &[]);
    for (program, words, line) in [
        (
            "/bin/true",
            &[][..],
            "mcpx: odd: /bin/true ended with exit code 0 before it was ready",
        ),
        (
            "/bin/cat",
            &[],
            "mcpx: odd: it is no MCP server: it sends back what it is sent",
        ),
        (
            "/bin/cat",
            &["/dev/zero"],
            "mcpx: odd: /bin/cat sent a line of more than 256 MiB before it was ready",
        ),
        (
            "/usr/bin/yes",
            &[],
            "mcpx: odd: no answer to initialize within 0.5 s",
        ),
    ] {
        let before = fs::read_to_string(world.config_file()).unwrap();
        world.add("odd", program, words);
        // The line takes its time where it ends.
        if program == "/usr/bin/yes" {
            world.append("connect_timeout = \"500ms\"\n");
        }
        fails(&world, &["odd", "pid"], 3, line);
        only_the_daemon_runs(&world);
        world.config(&before);
    }
    works(&world, "well");
}

#[test]
fn a_result_of_a_hundred_megabytes_arrives_whole() {
    let world = world(&[]);
    let output = world.mcpx(["fake", "big", "--bytes=100000000"]).success();
    let stdout = &output.get_output().stdout;
    assert_eq!(stdout.len(), 100_000_000);
    assert!(stdout.iter().all(|&byte| byte == b'x'));
    works(&world, "fake");
}

#[test]
fn floods_of_a_hundred_megabytes_are_not_kept() {
    let world = world(&[]);
    for tool in ["flood_stdout", "flood_stderr"] {
        let flooded = world.mcpx(["fake", tool, "--bytes=100000000"]);
        flooded.success().stdout_eq("flooded").stderr_eq("");
    }
    works(&world, "fake");
    let logs = fs::read_dir(world.path("state/mcpx/logs")).unwrap();
    let sizes = logs.map(|log| log.unwrap().metadata().unwrap().len());
    let kept: u64 = sizes.sum();
    assert!((1..=2 * 1024 * 1024).contains(&kept), "{kept} bytes");
}

#[test]
fn answers_that_come_out_of_order_come_to_those_who_asked() {
    let world = recorded(&[]);
    let first = begun(&world, &["fake", "out_of_order", "--text=first"]);
    world
        .mcpx(["fake", "out_of_order", "--text=second"])
        .success()
        .stdout_eq("second");
    ended(first, 0, "first", "");
}

#[test]
fn an_answer_that_comes_twice_is_heard_once() {
    let world = world(&[]);
    for _ in 0..3 {
        world
            .mcpx(["fake", "twice"])
            .success()
            .stdout_eq("the first answer")
            .stderr_eq("");
        works(&world, "fake");
    }
}

#[test]
fn a_server_that_ends_when_it_is_idle_is_started_again() {
    let world = world(&["--exit-after-idle", "500"]);
    let mut before = String::new();
    for _ in 0..3 {
        let now = pid(&world);
        assert_ne!(now, before);
        before = now;
        only_the_daemon_runs(&world);
    }
}

#[test]
fn an_error_of_the_protocol_leaves_the_server_running() {
    let world = world(&[]);
    let before = pid(&world);
    for (words, code, line) in [
        (
            &["fake", "rpc_error", "--code=-32000"][..],
            3,
            "mcpx: fake: that went wrong (-32000)",
        ),
        (
            &["fake", "rpc_error", "--code=-32602"],
            2,
            "mcpx: fake: that went wrong (-32602)",
        ),
        (
            &["fake", "no_result"],
            3,
            "mcpx: fake: the answer to tools/call has neither a result nor an error",
        ),
    ] {
        fails(&world, words, code, line);
    }
    assert_eq!(pid(&world), before);
}
