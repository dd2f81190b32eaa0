//! Transcripts of a shell: what is typed, and all that is printed.
//!
//! They are the `console` blocks of `transcripts/*.trycmd` and of the guide, as
//! `argway_testkit::transcript` reads them. `transcripts/servers` has the servers. With `SNAPSHOTS=overwrite` the files are
//! renewed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;

use argway_testkit::transcript::replayed;
use snapbox::data::{Data, DataFormat};
use world::{World, sibling};

/// What `-v` says before numbers that are others at every run.
const UNSTEADY: [&str; 3] = [", process ", " answered in ", "(age="];

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A world with the servers of the transcripts.
fn world() -> World {
    let world = World::new();
    let config = world.path("config/mcpx");
    fs::create_dir(&config).unwrap();
    for entry in fs::read_dir(here("tests/transcripts/servers")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), config.join(entry.file_name())).unwrap();
    }
    for name in ["mcpx", "fake-mcp"] {
        symlink(sibling(name), world.path("bin").join(name)).unwrap();
    }
    // Where an installation has it, and `man` looks for what is on PATH.
    let manual = world.path("share/man/man1");
    fs::create_dir_all(&manual).unwrap();
    symlink(here("man/mcpx.1"), manual.join("mcpx.1")).unwrap();
    world
}

/// What was printed, with `[..]` for the numbers that cannot be foretold.
fn steady(printed: &str) -> String {
    let mut text = printed.to_owned();
    for words in UNSTEADY {
        let mut parts = text.split(words);
        let mut steady = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            steady += &format!("{words}[..]{rest}");
        }
        text = steady;
    }
    text
}

/// Runs a script in this world's shell.
fn shell(world: &World, script: &str) -> Output {
    let output = world.run("sh").args(["-c", script]).output();
    let stdout = String::from_utf8(output.stdout).unwrap();
    Output {
        stdout: steady(&stdout).into_bytes(),
        ..output
    }
}

#[track_caller]
fn check(file: &Path) {
    let world = world();
    let text = fs::read_to_string(file).unwrap();
    assert!(
        text.contains("\n```console\n"),
        "{} has no transcript",
        file.display()
    );
    let expected = Data::read_from(file, Some(DataFormat::Text));
    world
        .assertion()
        .normalize_paths(false)
        .eq(replayed(&text, |script| shell(&world, script)), expected);
}

#[test]
fn every_first_example_does_what_it_says() {
    check(&here("tests/transcripts/first-examples.trycmd"));
}

#[test]
fn every_example_of_the_guide_does_what_it_says() {
    check(&here("../../GUIDE-MCPX.md"));
}
