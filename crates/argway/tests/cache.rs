//! Descriptions are kept until something changes, for the owner alone.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::fs;

use snapbox::str;
use world::{TOY, World, mode};

/// `toy`, with another summary in its help.
fn another_toy(world: &World) {
    world.toy(&TOY.replace("List items", "Show every item"));
}

#[track_caller]
fn lists(world: &World, expected: &str) {
    world
        .argway(["tools", "toy", "--allow", "item list"])
        .success()
        .stdout_eq(format!("toy_item_list  read         {expected}\n"))
        .stderr_eq("");
}

#[test]
fn a_second_reading_starts_nothing() {
    let world = World::new();
    lists(&world, "List items");
    let kept = fs::metadata(world.path("bin/toy")).unwrap();
    // The same size and time, but not a program any more: only the cache can know.
    let length = usize::try_from(kept.len()).unwrap();
    let file = fs::OpenOptions::new()
        .write(true)
        .open(world.path("bin/toy"))
        .unwrap();
    std::io::Write::write_all(&mut &file, " ".repeat(length).as_bytes()).unwrap();
    file.set_modified(kept.modified().unwrap()).unwrap();
    drop(file);
    lists(&world, "List items");
}

#[test]
fn a_changed_program_is_read_again() {
    let world = World::new();
    lists(&world, "List items");
    another_toy(&world);
    lists(&world, "Show every item");
    assert_eq!(world.cached().len(), 1);
}

#[test]
fn refresh_reads_again() {
    let world = World::new();
    lists(&world, "List items");
    let file = &world.cached()[0];
    let text = fs::read_to_string(file).unwrap();
    fs::write(file, text.replace("List items", "Kept items")).unwrap();
    lists(&world, "Kept items");
    world
        .argway(["tools", "toy", "--allow", "item list", "--refresh"])
        .success()
        .stdout_eq("toy_item_list  read         List items\n");
    lists(&world, "List items");
}

#[test]
fn a_damaged_description_is_read_again_and_replaced() {
    let world = World::new();
    lists(&world, "List items");
    let file = &world.cached()[0];
    let whole = fs::read(file).unwrap();
    for damaged in [&b""[..], b"{", &whole[..whole.len() / 2], b"\xff\xfe\n\n"] {
        fs::write(file, damaged).unwrap();
        lists(&world, "List items");
        assert_eq!(fs::read(file).unwrap(), whole);
    }
}

#[test]
fn only_the_owner_can_look() {
    let world = World::new();
    lists(&world, "List items");
    assert_eq!(mode(&world.path("cache/argway")), 0o700);
    assert_eq!(mode(&world.cached()[0]), 0o600);
}

#[test]
fn without_a_cache_everything_works_and_says_so() {
    let world = World::new();
    fs::write(world.path("cache/argway"), "in the way").unwrap();
    world
        .argway(["tools", "toy", "--allow", "item list"])
        .success()
        .stdout_eq("toy_item_list  read         List items\n")
        .stderr_eq(str![[r#"
argway: the description is not cached: [WORLD]/cache/argway is not a folder

"#]]);
    world
        .argway(["-q", "tools", "toy", "--allow", "item list"])
        .success()
        .stderr_eq("");
}

#[test]
fn what_a_broken_program_says_is_not_kept() {
    let world = World::new();
    world.program("broken", "#!/bin/sh\nexit 1\n");
    world.argway(["describe", "broken"]).code(3);
    assert_eq!(world.cached(), Vec::<std::path::PathBuf>::new());
}
