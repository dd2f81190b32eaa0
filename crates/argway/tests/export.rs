//! `argway describe --format kdl|usage`: what is written of real programs can be served in
//! their place.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::path::PathBuf;

use snapbox::str;
use world::World;

/// A program that `scripts/tools` fetched, or one on PATH.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let fetched = std::env::var_os("ARGWAY_TOOLS").map(PathBuf::from);
    let mut folders = fetched.into_iter().chain(std::env::split_paths(&path));
    folders.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file()))
}

/// The tools of `word`, without the prefix that definitions have.
fn tools(world: &World, word: &str) -> Vec<String> {
    let listed = world.stdout(["tools", word]);
    let names = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names
        .map(|name| name.strip_prefix("cli_").unwrap_or(name).to_owned())
        .collect()
}

#[test]
fn a_cobra_program_is_served_from_its_definition_with_the_same_words() {
    let world = World::new();
    world
        .argway(["describe", "toy", "--format", "kdl", "-o", "toy.kdl"])
        .success()
        .stdout_eq("");
    world
        .argway(["check", "toy.kdl"])
        .success()
        .stdout_eq("1 definition, 0 mistakes\n");
    assert_eq!(tools(&world, "toy"), tools(&world, "toy.kdl"));
    for (tool, arguments) in [("toy_version", "{}"), ("toy_nap", "{}")] {
        let read = world.stdout(["call", "toy", tool, arguments, "--dry-run"]);
        let defined = format!("cli_{tool}");
        let written = world.stdout(["call", "toy.kdl", &defined, arguments, "--dry-run"]);
        assert_eq!(read, written);
    }
}

#[test]
fn real_programs_are_written_as_definitions_without_a_mistake() {
    for name in ["git", "jq", "ls", "tar", "etcdctl"] {
        let Some(path) = find(name) else {
            continue;
        };
        let world = World::new();
        let path = path.to_str().unwrap();
        world
            .argway(["describe", path, "--format", "kdl", "-o", "x.kdl", "-q"])
            .success();
        world
            .argway(["check", "x.kdl"])
            .success()
            .stdout_eq("1 definition, 0 mistakes\n");
        let text = std::fs::read_to_string(world.path("x.kdl")).unwrap();
        assert!(text.contains(&format!("command \"{path}\"")), "{name}");
        assert!(text.contains("// sandbox {"), "{name}");
        let (read, written) = (tools(&world, path), tools(&world, "x.kdl"));
        // Long names are cut at another place behind the prefix.
        assert_eq!(read.len(), written.len(), "{name}");
        let usage = world.stdout(["describe", path, "--format", "usage", "-q"]);
        assert!(usage.contains(&format!("bin \"{name}\"")), "{usage}");
    }
}

#[test]
fn a_definition_of_jq_runs_in_its_sandbox() {
    let world = World::new();
    world
        .argway(["describe", "jq", "--format", "kdl", "-o", "jq.kdl", "-q"])
        .success();
    let text = std::fs::read_to_string(world.path("jq.kdl")).unwrap();
    // A person puts right what the reader could not: it reads its stdin.
    let text = text.replacen(
        "    timeout 120000\n",
        "    timeout 120000\n    stdin { format \"json\" }\n",
        1,
    );
    world.file("jq.kdl", &text);
    let read: Vec<&str> = text
        .lines()
        .filter(|line| line.trim().starts_with("arg "))
        .collect();
    assert_eq!(read.len(), 1, "{read:?}");
    let name = read[0].trim().split('"').nth(1).unwrap();
    let arguments = format!(r#"{{"{name}": [".a"], "stdin": {{"a": 3}}}}"#);
    world
        .argway(["call", "jq.kdl", "cli_jq", &arguments, "--cwd", "bin"])
        .success()
        .stdout_eq("3\n");
}

#[test]
fn what_is_a_definition_already_is_not_written_again() {
    let world = World::new();
    world.file(
        "x.kdl",
        "cli \"a\" { description \"d\"; command \"echo\" }\n",
    );
    world
        .argway(["describe", "x.kdl", "--format", "kdl"])
        .code(2)
        .stderr_eq(str![[r#"
argway: `a` is a definition already: its file is what would be written

"#]]);
}
