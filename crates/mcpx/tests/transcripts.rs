//! Transcripts of a shell: what is typed, and all that is printed.
//!
//! They are the `console` blocks of `transcripts/*.trycmd` and of the guide, in the
//! format of the trycmd crate: `$ ` begins a command, `> ` goes on with it, `? 2` is its
//! exit code where that is not 0, and the rest is its output, stdout and stderr as they
//! come. `[..]` stands for anything in a line, `...` for any lines. Unlike trycmd's,
//! commands may be whatever a shell understands, and those of one block share a shell.
//! `transcripts/servers` has the servers. With `SNAPSHOTS=overwrite` the files are
//! renewed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use snapbox::data::{Data, DataFormat};
use world::{World, sibling};

/// Ends what a command printed; its exit code follows.
const END: &str = "-- end of the command, exit code";

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

/// The commands of a block, each with all its lines.
fn commands(block: &[&str]) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in block {
        match (line.strip_prefix("$ "), line.strip_prefix("> ")) {
            (Some(first), _) => commands.push(first.to_owned()),
            (None, Some(more)) if is_open => {
                let last = commands.last_mut().unwrap();
                *last = format!("{last}\n{more}");
            }
            _ => {
                assert!(!commands.is_empty(), "output before any command: {line}");
                is_open = false;
                continue;
            }
        }
        is_open = true;
    }
    commands
}

/// Runs the commands of a block in one shell, and writes down how that looks.
fn run(world: &World, block: &[&str]) -> String {
    let commands = commands(block);
    let steps = commands
        .iter()
        .map(|command| format!("{{ {command}\n}} 2>&1\nprintf '\\n%s %s\\n' '{END}' $?\n"));
    let script: String = steps.collect();
    let output = world.run("sh").args(["-c", &script]).output();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.is_empty(), "the shell says {stderr} to\n{script}");
    let stdout = String::from_utf8(output.stdout).unwrap();
    let end = format!("\n{END} ");
    let mut rest = stdout.as_str();
    let mut looks = String::new();
    for command in &commands {
        let (printed, after) = rest
            .split_once(&end)
            .unwrap_or_else(|| panic!("{command} did not come to its end"));
        let (code, after) = after.split_once('\n').unwrap();
        rest = after;
        looks += &format!("$ {}\n", command.replace('\n', "\n> "));
        if code != "0" {
            looks += &format!("? {code}\n");
        }
        looks += &steady(printed);
        if !printed.is_empty() && !printed.ends_with('\n') {
            looks.push('\n');
        }
    }
    assert_eq!(rest, "");
    looks
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

/// Runs all blocks of a file, and gives the file as it should be.
fn replayed(world: &World, text: &str) -> String {
    let mut looks = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        looks += &format!("{line}\n");
        if line == "```console" {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            looks += &run(world, &block);
            looks += "```\n";
        }
    }
    looks
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
        .eq(replayed(&world, &text), expected);
}

#[test]
fn every_first_example_does_what_it_says() {
    check(&here("tests/transcripts/first-examples.trycmd"));
}

#[test]
fn every_example_of_the_guide_does_what_it_says() {
    check(&here("../../GUIDE-MCPX.md"));
}
