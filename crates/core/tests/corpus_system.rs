//! What is read of captured programs in GNU's, git's and Go's manner, kept beside their
//! pages.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use argway_core::model::{CommandSpec, Joiner, Param, Reading};
use argway_core::sources::families::{self, Options};
use argway_core::sources::transcript::{Recorder, Transcript};

fn folders(family: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../corpus")
        .join(family);
    let mut folders: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

fn read(folder: &Path) -> (Reading, Recorder<Transcript>) {
    let files: BTreeMap<String, String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let bytes = fs::read(entry.path()).unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect();
    let transcript = Transcript::new(files).unwrap();
    let name = transcript.program().to_owned();
    let mut recorder = Recorder::new(transcript);
    let options = Options { oracle: false };
    let hint = families::Hint {
        native: true,
        ..families::Hint::default()
    };
    let reading = families::read_with(&name, hint, &mut recorder, options).unwrap();
    (reading, recorder)
}

/// The commands of big programs that show something.
fn shown(command: &CommandSpec, program: &str) -> bool {
    let path: Vec<&str> = command.path.iter().map(String::as_str).collect();
    match program {
        "git" => matches!(
            path.as_slice(),
            [] | ["add" | "bisect" | "commit" | "diff" | "log" | "rebase" | "stash" | "submodule"]
        ),
        _ => true,
    }
}

fn describe(reading: &Reading) -> String {
    let program = &reading.program;
    let mut out = format!("{} {:?}\n", program.name, program.family);
    for command in &program.commands {
        if !shown(command, &program.name) {
            continue;
        }
        writeln!(out, "\n{}", program.command_line(&command.path)).unwrap();
        if !command.summary.is_empty() {
            writeln!(out, "    \"{}\"", command.summary).unwrap();
        }
        for param in &command.params {
            writeln!(out, "    {}", line(param)).unwrap();
        }
    }
    for loss in &reading.losses {
        let path = program.command_line(&loss.path);
        writeln!(out, "\nlost at {path}: {}", loss.what).unwrap();
    }
    out
}

fn line(param: &Param) -> String {
    let mut out = String::new();
    match param.spelling() {
        None => write!(out, "<{}> {}", param.name, param.kind).unwrap(),
        Some(spelling) => {
            let forms = [&spelling.short, &spelling.long, &spelling.negative];
            let forms: Vec<&str> = forms.into_iter().flatten().map(String::as_str).collect();
            out.push_str(&forms.join(" "));
            if param.kind.takes_value() {
                let joiner = match spelling.joiner {
                    Joiner::Equals => "=",
                    Joiner::Space => " ",
                    Joiner::Attached => "+",
                };
                write!(out, "  {joiner}{}", param.kind).unwrap();
            }
            if spelling.bare.is_some() {
                out.push_str(" or alone");
            }
        }
    }
    if param.required {
        out.push_str(" required");
    }
    if !param.choices.is_empty() {
        write!(out, " of {}", param.choices.join("|")).unwrap();
    }
    if let Some(default) = &param.default {
        write!(out, " default={default:?}").unwrap();
    }
    if let Some(env) = &param.env {
        write!(out, " ${env}").unwrap();
    }
    out
}

#[test]
fn captured_programs_are_read_as_written_beside_their_pages() {
    for folder in ["gnu", "git", "go"].into_iter().flat_map(folders) {
        let (reading, _) = read(&folder);
        let expected = snapbox::Data::read_from(&folder.join("read.txt"), None);
        snapbox::assert_data_eq!(describe(&reading), expected.raw());
    }
}

#[test]
fn nothing_is_asked_that_could_do_something() {
    for folder in ["gnu", "git", "go"].into_iter().flat_map(folders) {
        let (reading, recorder) = read(&folder);
        let program = reading.program.name;
        for (question, _) in recorder.asked() {
            let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
            let harmless = match (program.as_str(), words.as_slice()) {
                (_, ["--help"]) => true,
                // Its first page says that this prints the whole.
                ("curl", ["--help", "all"]) => true,
                ("git", ["help", "-a"] | ["--list-cmds=builtins" | "--list-cmds=main,others"]) => {
                    true
                }
                // As the only argument.
                ("git", [command, "-h"]) => !command.starts_with('-'),
                ("gum" | "packer" | "promtool" | "runc" | "umoci", [.., "--help"]) => true,
                _ => false,
            };
            assert!(harmless, "{program} was asked {words:?}");
        }
    }
}
