//! Reads `conformance/cobra-traps` live. Needs Go to build it, so it runs only when
//! asked for: `cargo test -p xtask -- --ignored`.

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
        .unwrap();
    assert!(built.success(), "go build");
    program
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
    let lost: Vec<String> = live.losses.iter().map(|loss| loss.path.join(" ")).collect();
    assert_eq!(lost, ["fails", "floods", "hangs"]);

    let mut captured = Transcript::new(recorder.files("cobra-traps")).unwrap();
    let replayed = cobra::read("cobra-traps", &mut captured, Options { oracle: true }).unwrap();
    assert_eq!(replayed, live);
}
