//! Commands from beginning to end, with the project's own fake server.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use snapbox::str;
use world::{World, sibling};

fn world() -> World {
    World::new()
        .server("fake", sibling("fake-mcp"), &[])
        .server(
            "modern",
            sibling("fake-mcp"),
            &["--era", "modern-only", "--input-required"],
        )
}

#[test]
fn a_name_that_is_none_is_told_with_the_nearest() {
    let world = world();
    let output = world.mcpx(["fakr"]).code(2).get_output().clone();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let told = "mcpx: there is no server `fakr`; did you mean `fake`? (servers are configured in ";
    assert!(stderr.starts_with(told), "{stderr}");
    assert!(stderr.ends_with("/config.toml)\n"), "{stderr}");
    world
        .mcpx(["fake", "ad"])
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
mcpx: fake has no tool `ad`; did you mean `add`?

"#]]);
    world.mcpx(["fake", "ad", "-q"]).code(2).stderr_eq("");
}

#[test]
fn a_command_without_a_slash_is_told_how_to_be_one() {
    let told = "mcpx: there is no server `fake-mcp --banner`; to run a command, write its path: \
                `/path/to/fake-mcp --banner`\n";
    world()
        .mcpx(["fake-mcp --banner", "echo"])
        .code(2)
        .stderr_eq(told)
        .stdout_eq("");
}

#[test]
fn a_named_file_that_is_not_there_is_told_where_no_server_is_found() {
    let world = World::new();
    world.config("fallback_sources = [\"/none/mcp.json\"]\n");
    let all = world.mcpx([""; 0]).code(0).stdout_eq("");
    let told = String::from_utf8_lossy(&all.get_output().stderr).into_owned();
    let why = "mcpx: /none/mcp.json: is named in `fallback_sources`, but is not there\n";
    assert!(told.starts_with(why), "{told}");
    let one = world.mcpx(["github"]).code(2).stdout_eq("");
    let told = String::from_utf8_lossy(&one.get_output().stderr).into_owned();
    let hint = "; not all that names servers could be read, `mcpx -v` tells why\n";
    assert!(told.ends_with(hint), "{told}");
}

#[test]
fn a_server_of_another_client_that_cannot_be_used_is_told_with_the_reason() {
    let world = World::new();
    let file = world.path("home/.cursor/mcp.json");
    std::fs::create_dir(file.parent().unwrap()).unwrap();
    let servers =
        r#"{"mcpServers": {"off": {"command": "o", "disabled": true}, "n": {"command": 5}}}"#;
    std::fs::write(&file, servers).unwrap();
    world.mcpx(["off"]).code(2).stderr_eq(str![[r#"
mcpx: the server `off` is left out: [WORLD]/home/.cursor/mcp.json switches it off

"#]]);
    world.mcpx(["n"]).code(2).stderr_eq(str![[r#"
mcpx: the server `n` is left out: [WORLD]/home/.cursor/mcp.json: its `command` is a number, not a string

"#]]);
}

#[test]
fn a_server_that_ends_at_once_is_told_with_the_flag_that_tells_more() {
    let world = World::new().server("dies", "/bin/sh", &["-c", "echo no key >&2; exit 1"]);
    world.mcpx(["dies"]).code(3).stderr_eq(str![[r#"
mcpx: dies: [..]/sh ended with exit code 1 before it was ready (-v tells more)

"#]]);
    world.mcpx(["dies", "-v"]).code(3).stderr_eq(str![[r#"
mcpx: dies: from [..]
mcpx: dies: [..]/sh ended with exit code 1 before it was ready
mcpx:   no key

"#]]);
}

#[test]
fn a_server_that_crashed_is_there_at_the_next_call() {
    let world = world();
    world.mcpx(["fake", "crash"]).code(3).stderr_eq(str![[r#"
mcpx: fake: ended with exit code 3 during the call

"#]]);
    world
        .mcpx(["fake", "add", "--a=1", "--b=2"])
        .success()
        .stdout_eq("3");
}

#[test]
fn a_question_that_nobody_can_answer_is_told_with_the_flag_to_answer_it_with() {
    let world = world();
    world
        .mcpx(["modern", "confirm", "--what=delete"])
        .code(1)
        .stdout_eq("")
        .stderr_eq(str![[r#"
mcpx: modern: it asks: Really delete?; answer with --answer='sure=true|false', or with --answer=decline

"#]]);
    world
        .mcpx(["modern", "confirm", "--what=delete", "--answer=sure=true"])
        .success()
        .stdout_eq("delete: true");
    world
        .mcpx(["modern", "confirm", "--what=delete", "--answer=decline"])
        .code(1)
        .stdout_eq("")
        .stderr_eq("you said decline\n");
    world
        .mcpx(["fake", "elicit", r#"--answer={"name": "Ada"}"#])
        .success()
        .stdout_eq(r#"{"action":"accept","content":{"name":"Ada"}}"#);
}

#[test]
fn a_new_tool_is_there_at_the_next_call_even_if_nobody_told() {
    let world = world().server("untold", sibling("fake-mcp"), &["--untold"]);
    for server in ["fake", "untold"] {
        world
            .mcpx([server, "list_changed"])
            .success()
            .stdout_eq("added_1");
        world
            .mcpx([server, "added_1"])
            .success()
            .stdout_eq("added_1 was called");
    }
}

#[test]
fn the_state_of_a_call_that_asks_first_comes_back_as_it_was() {
    let world = World::new();
    let (command, log) = (sibling("fake-mcp"), world.path("log"));
    world.config(&format!(
        "[servers.modern]\ncommand = {command:?}\nargs = [\"--era\", \"modern-only\", \
         \"--input-required\"]\nenv = {{ FAKE_LOG = {log:?} }}\n"
    ));
    world
        .mcpx(["modern", "confirm", "--what=it", "--answer=sure=true"])
        .success()
        .stdout_eq("it: true");
    let heard = std::fs::read_to_string(log).unwrap();
    let state = r#""requestState":"fake\u002dstate \/ 1.50""#;
    let calls = heard.lines().filter(|line| line.contains("tools/call"));
    let calls: Vec<bool> = calls.map(|line| line.contains(state)).collect();
    assert_eq!(calls, [false, true], "{heard}");
}

#[test]
fn a_broken_configuration_does_not_matter_to_a_direct_source() {
    let world = world();
    world.config("[servers.fake\n");
    world.mcpx(["fake"]).code(2).stdout_eq("");
    world
        .mcpx(["__complete", "--", "fa"])
        .success()
        .stdout_eq("")
        .stderr_eq("");
    let source = sibling("fake-mcp");
    world
        .mcpx([source.to_str().unwrap(), "add", "--a=1", "--b=2"])
        .success()
        .stdout_eq("3");
}

#[test]
fn a_changed_configuration_takes_effect_at_the_next_call() {
    let world = world();
    let args = || world.stdout(["fake", "args"]);
    let before = args();
    let command = sibling("fake-mcp");
    let command = command.to_str().unwrap();
    world.config(&format!(
        "[servers.fake]\ncommand = {command:?}\nargs = [\"--banner\"]\n"
    ));
    assert_ne!(args(), before);
}

#[test]
fn stdin_is_arguments_only_where_no_flags_are_given() {
    let world = world();
    for (words, stdin, expected) in [
        (&["fake", "add"][..], r#"{"a": 5, "b": 6}"#, "11"),
        (&["fake", "add", "-"], r#"{"a": 5, "b": 6}"#, "11"),
        (&["fake", "echo", "--text=hi"], r#"{"text": "no"}"#, "hi"),
    ] {
        let call = world.call(words).stdin(stdin);
        call.assert().success().stdout_eq(expected);
    }
    let call = world.call(["fake", "add"]).stdin("some text\n");
    call.assert().code(2).stdout_eq("");
}

#[test]
fn an_answer_from_the_cache_is_told_with_its_age() {
    let world = world();
    let words = ["fake", "pid", "--cache=60s", "-v"];
    let first = world.stdout(words);
    let output = world.mcpx(words).success().get_output().clone();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), first);
    let stderr = String::from_utf8(output.stderr).unwrap();
    let hit = stderr.lines().find(|line| line.contains("cache")).unwrap();
    assert!(hit.starts_with("mcpx: cache hit (age="), "{hit}");
    assert!(hit.ends_with("s ttl=60s)"), "{hit}");
}

#[test]
fn what_the_configuration_never_keeps_is_not_kept_on_request_either() {
    let world = World::new().server("fake", sibling("fake-mcp"), &[]);
    world.append("no_cache_tools = [\"p*\"]\n");
    let words = ["fake", "pid", "--cache=60s"];
    let told = "mcpx: --cache does nothing for pid: the configuration says that its answers are never kept\n";
    let first = world
        .mcpx(words)
        .success()
        .stderr_eq(told)
        .get_output()
        .clone();
    assert!(!first.stdout.is_empty());
    assert!(!world.path("cache/mcpx").exists());
}

#[test]
fn a_value_that_looks_like_flags_makes_nothing_loud() {
    let world = world();
    world
        .mcpx(["fake", "echo", "--text", "-never"])
        .success()
        .stdout_eq("-never")
        .stderr_eq("");
}

/// The first of two is only answered after the second was asked: calls that waited for
/// each other would wait for ever.
#[test]
fn calls_to_one_server_do_not_wait_for_each_other() {
    let world = world();
    std::thread::scope(|scope| {
        for text in ["one", "other"] {
            let world = &world;
            scope.spawn(move || {
                let text_flag = format!("--text={text}");
                assert_eq!(world.stdout(["fake", "out_of_order", &text_flag]), text);
            });
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_large_result_does_not_stay_in_the_memory_of_the_daemon() {
    const LARGE: usize = 50_000_000;
    let world = world();
    let output = world.stdout(["fake", "big", &format!("--bytes={LARGE}")]);
    assert_eq!(output.len(), LARGE);
    let daemon = world.daemon().unwrap().as_raw_nonzero();
    let resident = || {
        let status = std::fs::read_to_string(format!("/proc/{daemon}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line.unwrap().trim().strip_suffix(" kB").unwrap();
        kibibytes.parse::<usize>().unwrap() << 10
    };
    let freed = world::wait(std::time::Duration::from_secs(20), || resident() < LARGE);
    assert!(freed, "{} bytes are still in memory", resident());
}
