//! The guide's examples of definitions, run as they stand there.
//!
//! `argway_testkit::transcript` says how `console` blocks are read. The first `kdl`
//! block of the file is `jq.kdl` in the folder where they run. With
//! `SNAPSHOTS=overwrite` the file is renewed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use argway_testkit::transcript::replayed;
use snapbox::cmd::cargo_bin;
use snapbox::data::{Data, DataFormat};
use world::World;

fn guide(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(name)
}

/// Runs a script in a project of this world's user.
fn shell(world: &World, script: &str) -> Output {
    let search = format!("{}:/usr/bin:/bin", world.path("bin").display());
    Command::new("sh")
        .args(["-c", script])
        .current_dir(world.path("home/project"))
        .env_clear()
        .env("PATH", search)
        .env("HOME", world.path("home"))
        .output()
        .unwrap()
}

#[test]
fn every_example_of_definitions_does_what_it_says() {
    let file = guide("GUIDE-DEFINITIONS.md");
    let text = fs::read_to_string(&file).unwrap();
    let world = World::new();
    let first = text.split("```kdl\n").nth(1).unwrap();
    let (first, _) = first.split_once("```").unwrap();
    world.file("home/project/jq.kdl", first);
    let argway = world.path("bin/argway");
    std::os::unix::fs::symlink(cargo_bin!("argway"), argway).unwrap();
    // A call's own time, and where this world lies, are others at every run.
    let folder = world.path("home").display().to_string();
    let looks = replayed(&text, |script| {
        let output = shell(&world, script);
        let stdout = String::from_utf8(output.stdout).unwrap();
        Output {
            stdout: stdout.replace(&folder, "/home/me").into_bytes(),
            ..output
        }
    });
    let expected = Data::read_from(&file, Some(DataFormat::Text));
    snapbox::Assert::new()
        .action_env(snapbox::assert::DEFAULT_ACTION_ENV)
        .normalize_paths(false)
        .eq(looks, expected);
}
