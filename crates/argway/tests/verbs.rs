//! What a user sees of each verb.

mod world;

use std::fs;

use snapbox::str;
use world::World;

#[test]
fn tools_lists_name_effect_and_summary() {
    World::new()
        .argway(["tools", "toy"])
        .success()
        .stdout_eq(str![])
        .stderr_eq(str![""]);
}

#[test]
fn tools_as_json_are_what_a_client_would_get() {
    World::new()
        .argway(["tools", "toy", "--allow", "item list", "--json"])
        .success()
        .stdout_eq(str![]);
}

#[test]
fn tools_in_the_nested_layout_have_flags_and_args() {
    World::new()
        .argway([
            "tools", "toy", "--allow", "greet", "--layout", "nested", "--json",
        ])
        .success()
        .stdout_eq(str![]);
}

#[test]
fn tools_writes_a_file_with_the_same_json() {
    let world = World::new();
    let printed = world.stdout(["tools", "toy", "--json"]);
    world
        .argway(["tools", "toy", "-o", "mcp tools.json"])
        .success()
        .stdout_eq(str![""]);
    assert_eq!(
        fs::read_to_string(world.path("mcp tools.json")).unwrap(),
        printed
    );
}

#[test]
fn tools_tell_what_they_cost() {
    World::new()
        .argway(["tools", "toy", "--cost"])
        .success()
        .stdout_eq(str![]);
}

#[test]
fn describe_prints_the_description() {
    World::new()
        .argway(["describe", "toy"])
        .success()
        .stdout_eq(snapbox::file!["snapshots/toy.json"])
        .stderr_eq(str![""]);
}

#[test]
fn a_description_file_stands_for_its_program() {
    let world = World::new();
    let described = world.stdout(["describe", "toy"]);
    world
        .argway(["describe", "toy", "-o", "my toy.json"])
        .success()
        .stdout_eq(str![""]);
    assert_eq!(
        fs::read_to_string(world.path("my toy.json")).unwrap(),
        described
    );
    assert_eq!(world.stdout(["describe", "my toy.json"]), described);
    assert_eq!(
        world.stdout(["tools", "my toy.json"]),
        world.stdout(["tools", "toy"])
    );
    world
        .argway(["call", "my toy.json", "toy_version"])
        .success()
        .stdout_eq("toy 1.0.0\n");
}

#[test]
fn an_edited_description_decides() {
    let world = World::new();
    let described = world.stdout(["describe", "toy"]);
    let edited = described.replace(
        "\"summary\": \"List items\"",
        "\"summary\": \"Show the toys\"",
    );
    assert_ne!(edited, described);
    world.file("toy.json", &edited);
    world
        .argway(["tools", "toy.json", "--allow", "item list"])
        .success()
        .stdout_eq("toy_item_list  read         Show the toys\n");
}

#[test]
fn call_prints_what_the_command_prints() {
    World::new()
        .argway([
            "call",
            "toy",
            "toy_greet",
            r#"{"name": ["Ada", "Alan"], "times": 2}"#,
        ])
        .success()
        .stdout_eq("Hello Ada Alan\nHello Ada Alan\n")
        .stderr_eq("");
}

#[test]
fn call_takes_its_arguments_from_stdin() {
    World::new()
        .command(["call", "toy", "toy_greet", "-"])
        .stdin(r#"{"times": 1}"#)
        .assert()
        .success()
        .stdout_eq("Hello world\n");
}

#[test]
fn call_of_a_failing_command_exits_with_1_and_keeps_both_streams() {
    World::new()
        .argway(["call", "toy", "toy_fail"])
        .code(1)
        .stdout_eq("half a result\n")
        .stderr_eq("Error: failed on purpose\n");
}

#[test]
fn call_as_json_is_the_whole_result() {
    World::new()
        .argway([
            "call",
            "toy",
            "toy_item_list",
            r#"{"output": "json"}"#,
            "--json",
        ])
        .success()
        .stdout_eq(str![]);
}

#[test]
fn call_can_read_tables() {
    World::new()
        .argway(["call", "toy", "toy_item_list", "--data", "any", "--json"])
        .success()
        .stdout_eq(str![]);
}

#[test]
fn call_ends_what_takes_too_long() {
    World::new()
        .argway(["call", "toy", "toy_nap", "--timeout", "200ms"])
        .code(1)
        .stdout_eq("")
        .stderr_eq(str![]);
}

#[test]
fn a_dry_run_prints_the_words_and_runs_nothing() {
    let world = World::new();
    world
        .argway([
            "call",
            "toy",
            "toy_item_delete",
            r#"{"id": "it's; rm -rf /", "force": true}"#,
            "--dry-run",
        ])
        .success()
        .stdout_eq(str![]);
    assert_eq!(world.trace(), "");
}

#[test]
fn reading_a_program_runs_none_of_its_commands() {
    let world = World::new();
    world.argway(["describe", "toy"]).success();
    assert_eq!(world.trace(), "");
}

#[test]
fn capture_writes_pages_that_read_the_same() {
    let world = World::new();
    world
        .argway(["capture", "toy", "captured/toy"])
        .success()
        .stdout_eq("");
    let live = world.stdout(["tools", "toy", "--json"]);
    fs::remove_file(world.path("bin/toy")).unwrap();
    assert_eq!(
        world.stdout(["tools", "--transcript", "captured/toy", "--json"]),
        live
    );
    world
        .argway(["describe", "--transcript", "captured/toy", "toy"])
        .success();
    world
        .argway(["try", "--transcript", "captured/toy"])
        .success();
}

#[test]
fn capture_again_replaces_what_it_wrote() {
    let world = World::new();
    world.argway(["capture", "toy", "captured"]).success();
    world.argway(["capture", "toy", "captured"]).success();
}

#[test]
fn capture_leaves_other_folders_alone() {
    let world = World::new();
    fs::create_dir(world.path("mine")).unwrap();
    world.file("mine/diary.txt", "dear diary");
    world
        .argway(["capture", "toy", "mine"])
        .code(2)
        .stderr_eq(str![]);
    assert_eq!(
        fs::read_to_string(world.path("mine/diary.txt")).unwrap(),
        "dear diary"
    );
    assert_eq!(fs::read_dir(world.path("mine")).unwrap().count(), 1);
}

#[test]
fn try_shows_a_newcomer_around() {
    let world = World::new();
    world
        .argway(["try", "toy"])
        .success()
        .stdout_eq(str![])
        .stderr_eq("");
    // One harmless call was really made, and nothing else.
    assert_eq!(world.trace(), "version\n");
}

#[test]
fn try_can_show_every_command() {
    World::new()
        .argway(["try", "toy", "--all"])
        .success()
        .stdout_eq(str![]);
}

#[test]
fn try_is_honest_about_a_program_it_does_not_know() {
    let world = World::new();
    world.program(
        "odd",
        "#!/bin/sh\n[ \"$*\" = --help ] && { printf 'Usage: odd [OPTION]... FILE\\n\\nOptions:\\n  -a, --all      everything\\n      --version  show the version\\n'; exit; }\n[ \"$*\" = --version ] && { echo odd 3; exit; }\necho \"$*\" >>\"$TOY_TRACE\"\n",
    );
    world.argway(["try", "odd"]).success().stdout_eq(str![]);
    assert_eq!(world.trace(), "");
}
