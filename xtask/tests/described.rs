//! Reads `conformance/machine-help` live: it is asked only what it says that it answers,
//! and its transcript gives the same. Needs Go to build the program.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use argway_core::model::Reading;
use argway_core::probe::Probe;
use argway_core::sources::cobra::{self, Options};
use argway_core::sources::described::{self, Memory, Own, Sign};
use argway_core::sources::transcript::{Recorder, Transcript};
use argway_serve::identify::{self, Identity};
use argway_serve::probe::ProcessProbe;

fn read(probe: &mut dyn Probe) -> Reading {
    let mut memory = Memory::new(probe);
    let own = described::find("machine-help", &[Sign::Cobra], &mut memory);
    let Own::Read(own) = own else {
        panic!("{own:?}");
    };
    let options = Options { oracle: true };
    let pages = cobra::read("machine-help", memory.learnt(), options).unwrap();
    described::join(*own, pages)
}

#[test]
fn a_live_program_and_its_transcript_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let conformance = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/machine-help");
    let program = folder.path().join("machine-help");
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(&conformance)
        .status()
        .expect("this test builds a Go program: install Go and put `go` on PATH");
    assert!(built.success(), "go build");
    assert_eq!(identify::family(&program).unwrap(), Identity::Cobra);
    let mut recorder = Recorder::new(ProcessProbe::new(&program));
    let live = read(&mut recorder);
    let asked: Vec<String> = recorder
        .asked()
        .iter()
        .map(|(question, _)| question.words.join(" "))
        .collect();
    assert_eq!(asked[..3], ["--help", "help --help", "help --machine"]);
    assert_eq!(asked.iter().filter(|it| *it == "--help").count(), 1);
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(conformance.join("transcript")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        files.insert(name, std::fs::read_to_string(&path).unwrap());
    }
    let recorded = read(&mut Transcript::new(files).unwrap());
    assert_eq!(live, recorded);
}
