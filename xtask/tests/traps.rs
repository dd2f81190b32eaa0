//! Reads `conformance/cobra-traps` live: what the walk asks, what it leaves behind,
//! and that its transcript gives the same. Needs Go to build the program.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use argway_core::sources::cobra::{self, Options};
use argway_core::sources::transcript::{Recorder, Transcript};
use argway_serve::probe::ProcessProbe;

/// Builds the program into a folder of the test's own.
fn build(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/cobra-traps");
    let program = folder.join("cobra-traps");
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(source)
        .status()
        .expect("this test builds a Go program: install Go and put `go` on PATH");
    assert!(built.success(), "go build");
    program
}

/// Processes that run a file below `folder`.
fn alive(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| std::fs::read_link(entry.path().join("exe")).ok())
        .filter(|file| file.starts_with(folder))
        .collect()
}

/// Whether Cobra answers `words` by itself, without a line of the program's own
/// commands being run.
fn is_static(words: &[&str]) -> bool {
    let is_path = |words: &[&str]| words.iter().all(|word| !word.starts_with('-'));
    match words {
        // This command parses no flags: it would take `--help` as a word and run.
        ["raw", ..] => false,
        [path @ .., "--help"] => is_path(path) && !path.contains(&"__complete"),
        ["help", path @ ..] => is_path(path),
        // The program has the one that Cobra adds.
        ["--version"] => true,
        ["__complete", "help", path @ .., ""] => is_path(path),
        // Only flags between the command and the word that is completed, which is the
        // start of a flag: never a value, never an argument.
        ["__complete", rest @ .., "-"] => {
            let path = rest.iter().take_while(|word| !word.starts_with('-'));
            rest.iter()
                .skip(path.count())
                .all(|word| word.starts_with("--") && word.len() > 2)
        }
        _ => false,
    }
}

#[test]
fn the_list_of_static_calls_refuses_what_would_run() {
    for words in [
        &["raw", "--help"][..],
        &["types"],
        &["types", "-h"],
        &["__complete", "types", ""],
        &["__complete", "types", "--string", "x", "-"],
        &["__complete", "types", "--string", ""],
        &["__complete", "types", "--", "-"],
        &["__complete", "help", "--x", ""],
    ] {
        assert!(!is_static(words), "{words:?}");
    }
}

#[test]
fn every_trap_is_passed_without_running_anything() {
    let folder = tempfile::tempdir().unwrap();
    let mut probe = ProcessProbe::new(build(folder.path()));
    probe.timeout = Duration::from_secs(5);
    let mut recorder = Recorder::new(probe);
    let live = cobra::read("cobra-traps", &mut recorder, Options { oracle: true }).unwrap();

    let ran: Vec<String> = recorder.probe().written();
    assert!(ran.is_empty(), "the walk left {ran:?}");
    assert_eq!(alive(folder.path()), Vec::<PathBuf>::new());
    assert!(recorder.asked().len() > 50);
    for (question, _) in recorder.asked() {
        let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
        assert!(is_static(&words), "the walk asked {words:?}");
    }
    let lost: Vec<String> = live.losses.iter().map(|loss| loss.path.join(" ")).collect();
    assert_eq!(lost, ["fails", "floods", "hangs"]);

    let mut captured =
        Transcript::new(recorder.files("cobra-traps", argway_core::model::Family::Cobra)).unwrap();
    let replayed = cobra::read("cobra-traps", &mut captured, Options { oracle: true }).unwrap();
    assert_eq!(replayed, live);
}
