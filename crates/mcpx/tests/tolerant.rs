//! What real servers do wrong, and typed clients break on: it works, or it costs only
//! the tool that does it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use snapbox::str;
use world::{World, fake_mcp};

fn world() -> World {
    World::new().server("fake", fake_mcp(), &[])
}

#[track_caller]
fn check(world: &World, tool: &str, expected: &str) {
    let output = world.mcpx(["fake", tool]).success().get_output().clone();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(stdout, expected, "{tool}");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, "", "{tool}");
}

#[test]
fn a_result_is_shown_as_far_as_it_goes() {
    let world = world();
    for (tool, expected) in [
        (
            "unknown_content",
            "{\"type\":\"hologram\",\"beams\":3}\nand a text",
        ),
        ("text_null", ""),
        ("empty", ""),
        ("null_result", ""),
        ("extra_fields", "plain"),
        ("invalid_utf8", "caf\u{fffd}"),
        ("string_id", "by a string"),
        ("batch", "from a batch"),
        ("twice", "the first answer"),
    ] {
        check(&world, tool, expected);
    }
}

#[test]
fn structured_content_keeps_what_nobody_knows_and_every_digit() {
    let expected = concat!(
        r#"{"zebra":9223372036854775807,"apple":-9223372036854775808,"#,
        r#""unsigned":18446744073709551615,"beyond":123456789012345678901234567890,"#,
        r#""pi":3.14159265358979323846264338327950288,"one":1.0,"tenth":0.1,"large":1E400,"#,
        r#""items":[{"name":"a"},{"name":"\u00e9 \/"}],"empty":{}, "spaced" : [ 1 , 2 ]}"#,
        "\n"
    );
    check(&world(), "structured", expected);
}

#[test]
fn an_answer_that_is_none_is_told_and_leaves_the_server_running() {
    let world = world();
    let before = world.stdout(["fake", "pid"]);
    world
        .mcpx(["fake", "no_result"])
        .code(3)
        .stdout_eq("")
        .stderr_eq(str![[r#"
mcpx: fake: the answer to tools/call has neither a result nor an error

"#]]);
    world
        .mcpx(["fake", "odd_error"])
        .code(3)
        .stdout_eq("")
        .stderr_eq(str![[r#"
mcpx: fake: E_ODD (-32603)

"#]]);
    assert_eq!(world.stdout(["fake", "pid"]), before);
}

#[test]
fn a_tool_without_a_schema_takes_nothing_or_any_json() {
    let world = world();
    check(&world, "no_input_schema", "no_input_schema was called");
    world
        .mcpx(["fake", "no_input_schema", r#"{"any": 1}"#])
        .success()
        .stdout_eq("no_input_schema was called");
    let page = world.stdout(["fake", "no_input_schema", "--help"]);
    assert!(page.contains("None declared by server"), "{page}");
}

#[test]
fn what_is_no_tool_costs_only_itself() {
    let world = World::new().server("fake", fake_mcp(), &["--bad-tools", "--pages", "3"]);
    let listed = world.stdout(["fake"]);
    let names: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(names[..4], ["add", "bare", "odd_schema", "echo"]);
    check(&world, "bare", "bare was called");
    world
        .mcpx(["fake", "odd_schema", r#"{"a": 1}"#])
        .success()
        .stdout_eq("odd_schema was called");
    world
        .mcpx(["fake", "add", "--a=1", "--b=2"])
        .success()
        .stdout_eq("3");
    let output = world.mcpx(["fake", "-v"]).success().get_output().clone();
    let stderr = String::from_utf8(output.stderr).unwrap();
    for told in [
        "mcpx: fake: a listed tool is not a JSON object",
        "mcpx: fake: a listed tool has no name",
    ] {
        assert!(stderr.lines().any(|line| line == told), "{stderr}");
    }
}

#[test]
fn what_is_no_message_on_stdout_is_passed_over() {
    let args = ["--banner", "--bom", "--crlf"];
    let world = World::new().server("fake", fake_mcp(), &args);
    check(&world, "garbage", "after the garbage");
    world
        .mcpx(["fake", "add", "--a=1", "--b=2"])
        .success()
        .stdout_eq("3");
    world
        .mcpx(["fake", "flood_stdout", "--bytes=5000000"])
        .success()
        .stdout_eq("flooded");
}

#[test]
fn a_line_may_be_longer_than_others_take() {
    let size = 20_000_000;
    let words = ["fake".to_owned(), "big".into(), format!("--bytes={size}")];
    let output = world().mcpx(words).success().get_output().clone();
    assert_eq!(output.stdout.len(), size);
    assert!(output.stdout.iter().all(|byte| *byte == b'x'));
}

#[test]
fn what_mcpx_does_not_give_is_refused_as_the_protocol_says() {
    let world = world();
    for (tool, expected) in [
        ("sampling", "refused -32601"),
        ("roots", "refused -32601"),
        ("ping_back", "{}"),
    ] {
        check(&world, tool, expected);
    }
}

#[test]
fn every_version_of_the_protocol_is_spoken() {
    let versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
    let world = World::new().server("new", fake_mcp(), &["--era", "modern-only"]);
    for version in versions {
        world.add(version, fake_mcp(), &["--protocol", version]);
    }
    for (server, version) in versions
        .map(|version| (version, version))
        .into_iter()
        .chain([("new", "2026-07-28")])
    {
        let call = world.mcpx([server, "add", "--a=1", "--b=2", "-v"]);
        let output = call.success().stdout_eq("3").get_output().clone();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(&format!("MCP {version},")), "{stderr}");
    }
}
