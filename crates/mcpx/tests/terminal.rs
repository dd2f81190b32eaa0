//! What a person sees at a terminal, which `script` provides: how far a call is, what
//! the server says meanwhile, what it asks.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use snapbox::cmd::cargo_bin;
use world::{World, fake_mcp};

fn world() -> World {
    World::new()
        .server("fake", fake_mcp(), &[])
        .server("shy", fake_mcp(), &["--shy"])
        .server(
            "modern",
            fake_mcp(),
            &["--era", "modern-only", "--input-required"],
        )
}

/// What the terminal shows of `mcpx` with these words while somebody types, and the
/// exit code.
#[track_caller]
fn at_a_terminal(world: &World, words: &str, typed: &str) -> (String, Option<i32>) {
    let mcpx = cargo_bin!("mcpx").display().to_string();
    let line = format!("stty columns 60 && {mcpx} {words}");
    let call = world
        .run("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env("SHELL", "/bin/sh")
        .stdin(typed);
    let output = call.output();
    let shown = String::from_utf8(output.stdout).unwrap();
    (shown.replace("\r\n", "\n"), output.status.code())
}

const CLEAR: &str = "\r\u{1b}[K";

#[test]
fn how_far_a_call_is_is_drawn_and_gone_at_the_end() {
    let world = world();
    let (shown, code) = at_a_terminal(&world, "fake progress --steps=4 --ms=300", "");
    assert_eq!(code, Some(0), "{shown:?}");
    let first = shown
        .find("25% step 1")
        .unwrap_or_else(|| panic!("{shown:?}"));
    let last = shown
        .find("100% step 4")
        .unwrap_or_else(|| panic!("{shown:?}"));
    assert!(first < last, "{shown:?}");
    assert!(shown.ends_with(&format!("{CLEAR}done\n")), "{shown:?}");
}

#[test]
fn how_far_a_call_is_is_told_to_nobody_who_does_not_look() {
    let world = world();
    let words = ["fake", "progress", "--steps=3", "--ms=50"];
    world.mcpx(words).success().stdout_eq("done").stderr_eq("");
    let (shown, _) = at_a_terminal(&world, "fake progress --steps=3 --ms=50 -q", "");
    assert!(
        shown.ends_with("done\n") && !shown.contains('%'),
        "{shown:?}"
    );
}

#[test]
fn a_server_that_waits_to_be_asked_for_its_log_messages_is_asked() {
    let world = world();
    for words in [["shy", "logs"], ["fake", "logs"]] {
        let output = world.mcpx(words).success().get_output().clone();
        assert_eq!(output.stderr, b"", "{words:?}");
    }
    let call = world.mcpx(["shy", "logs", "-v"]).success();
    let output = call.stdout_eq("logged").get_output().clone();
    let stderr = String::from_utf8(output.stderr).unwrap();
    for told in [
        "mcpx: shy: info: a plain text",
        r#"mcpx: shy: warning: engine: {"heat":99}"#,
    ] {
        assert!(stderr.lines().any(|line| line == told), "{stderr}");
    }
}

#[test]
fn a_question_is_put_to_the_person_until_the_answer_fits() {
    let world = world();
    let (shown, code) = at_a_terminal(&world, "fake elicit", "Ada\n");
    assert_eq!(code, Some(0), "{shown:?}");
    assert!(shown.contains("`fake` asks: Who are you?\n"), "{shown:?}");
    let answered = r#"{"action":"accept","content":{"name":"Ada"}}"#;
    assert!(shown.trim_end().ends_with(answered), "{shown:?}");

    let (shown, code) = at_a_terminal(&world, "modern confirm --what=delete", "perhaps\ny\n");
    assert_eq!(code, Some(0), "{shown:?}");
    assert!(
        shown.contains("`modern` asks: Really delete?\n"),
        "{shown:?}"
    );
    assert!(
        shown.contains("`sure` takes yes or no, not `perhaps`"),
        "{shown:?}"
    );
    assert!(shown.ends_with("delete: true\n"), "{shown:?}");
}
