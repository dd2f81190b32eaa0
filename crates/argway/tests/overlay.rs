//! Corrections of programs: where they are found, whom they are trusted from, and that a
//! server follows them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use snapbox::str;
use world::World;
use world::client::Client;

const USER: &str = "home/.config/argway/overlay/toy.kdl";
const VERSION: &str =
    "overlay \"toy\" {\n    command \"version\" { name \"release\"; summary \"Which one\" }\n}\n";

#[test]
fn a_file_of_the_users_corrects_a_program_and_verbose_tells_what() {
    let world = World::new();
    world.file(USER, VERSION);
    world
        .argway(["tools", "toy", "--allow", "version", "-v"])
        .success()
        .stdout_eq("toy_release  read         Which one\n")
        .stderr_eq(str![[r#"
...
argway: toy: [WORLD]/home/.config/argway/overlay/toy.kdl:1 changes version (name, summary)
...
"#]]);
    world
        .argway(["call", "toy", "toy_release", "--dry-run"])
        .success()
        .stdout_eq("[WORLD]/bin/toy version\n");
    let text = world.stdout(["describe", "toy"]);
    let described: Value = serde_json::from_str(&text).unwrap();
    let commands = described["commands"].as_array().unwrap();
    let version = commands
        .iter()
        .find(|it| it["path"] == json!(["version"]))
        .unwrap();
    assert_eq!(version["from"]["name"], "definition");
    // The cache holds what was read.
    fs::remove_file(world.path(USER)).unwrap();
    world
        .argway(["tools", "toy", "--allow", "version"])
        .success()
        .stdout_eq("toy_version  read         Show the version\n");
}

#[test]
fn git_and_jq_are_corrected_without_being_described_anew() {
    let world = World::new();
    world.file(
        "fix.kdl",
        "overlay \"jq\" {\n    effect \"read\"\n    flag \"tab\" { name \"with-tabs\"; default true }\n}\n",
    );
    world
        .argway(["tools", "jq", "--read-only", "--overlay", "fix.kdl", "-q"])
        .success();
    world
        .argway([
            "call",
            "jq",
            "jq",
            "--overlay",
            "fix.kdl",
            "--dry-run",
            "-q",
        ])
        .success()
        .stdout_eq("/usr/bin/jq --tab\n");
    world.file("git.kdl", "overlay \"git\" { command \"log\" { effect \"read\"; flag \"limit\" add=true long=\"--max-count\" type=\"integer\" joiner=\"equals\" } }\n");
    world
        .argway([
            "call",
            "git",
            "git_log",
            "{\"limit\": 2}",
            "--overlay",
            "git.kdl",
            "--dry-run",
            "-q",
        ])
        .success()
        .stdout_eq("/usr/bin/git log --max-count=2\n");
}

#[test]
fn a_name_that_the_program_does_not_have_is_told_with_its_place() {
    let world = World::new();
    world.file(USER, "overlay \"toy\" {\n    command \"versoin\" { hidden true }\n    command \"version\" { effect \"write\" }\n}\n");
    world
        .argway(["tools", "toy", "--allow", "version"])
        .success()
        .stdout_eq("toy_version  write        Show the version\n")
        .stderr_eq(str![[r#"
...
argway: [WORLD]/home/.config/argway/overlay/toy.kdl:2:13: `toy` has no command `versoin`; did you mean `version`?
...
"#]]);
    world.argway(["check"]).code(2).stdout_eq(str![[r#"
[WORLD]/home/.config/argway/overlay/toy.kdl:2:13: `toy` has no command `versoin`
  2 |     command "versoin" { hidden true }
    |             ^^^^^^^^^
  help: did you mean `version`?

1 overlay, 1 mistake

"#]]);
}

#[test]
fn a_projects_corrections_count_after_they_are_trusted() {
    let world = World::new();
    let path = world.file(".argway/overlay/toy.kdl", VERSION);
    let list = || {
        world
            .argway(["tools", "toy", "--allow", "version"])
            .success()
    };
    list().stdout_eq("toy_version  read         Show the version\n").stderr_eq(str![[r#"
...
argway: [WORLD]/.argway/overlay/toy.kdl is not trusted yet and is not used; look at it, then run: argway trust [WORLD]/.argway/overlay/toy.kdl
...
"#]]);
    world.argway(["trust"]).success().stdout_eq(str![[r#"
[WORLD]/.argway/overlay/toy.kdl
  corrects what is read of toy
  trusted, until it changes

"#]]);
    list().stdout_eq("toy_release  read         Which one\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    list().stdout_eq("toy_version  read         Show the version\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&path, VERSION.replace("release", "other")).unwrap();
    list().stdout_eq("toy_version  read         Show the version\n");
}

#[test]
fn a_file_that_was_named_must_be_there() {
    let world = World::new();
    world
        .argway(["tools", "toy", "--overlay", "none.kdl"])
        .code(3)
        .stdout_eq("")
        .stderr_eq(str![[r#"
...
argway: none.kdl does not exist

"#]]);
}

#[test]
fn a_server_follows_the_file() {
    let world = World::new();
    world.file(USER, VERSION);
    world.stdout(["tools", "toy"]);
    let mut client = Client::connect(&world, &["toy", "--allow", "version"]);
    let mut names = || -> Vec<String> {
        let listed = client.ask("tools/list", json!({}));
        let tools = listed["tools"].as_array().unwrap();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(), ["toy_release"]);
    world.file(USER, &VERSION.replace("release", "edition"));
    for _ in 0..200 {
        if names() == ["toy_edition"] {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("the server still says {:?}", names());
}
