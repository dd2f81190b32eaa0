//! Holds what pages of Python's families were read as against what the programs' own
//! parsers know: the `witness.json` beside the pages (made by `xtask/witness`).

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use argway_core::model::{CommandSpec, Param, Reading};
use argway_core::sources::families;
use argway_core::sources::transcript::Transcript;
use serde::Deserialize;

#[derive(Deserialize)]
struct Witness {
    commands: Vec<Command>,
}

#[derive(Deserialize)]
struct Command {
    path: Vec<String>,
    flags: Vec<Flag>,
}

#[derive(Deserialize)]
struct Flag {
    names: Vec<String>,
    takes_value: bool,
    required: bool,
    hidden: bool,
}

fn folder(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn reading(program: &Path) -> Reading {
    let files: BTreeMap<String, String> = folder(program)
        .into_iter()
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path))
        .filter(|(name, _)| name != "witness.json")
        .map(|(name, path)| (name, fs::read_to_string(path).unwrap()))
        .collect();
    let mut transcript = Transcript::new(files).unwrap();
    let name = transcript.program().to_owned();
    let options = families::Options { oracle: false };
    families::read(&name, None, &mut transcript, options).unwrap()
}

fn forms(param: &Param) -> Vec<&String> {
    let spelling = param.spelling();
    let forms = spelling.map(|it| [&it.long, &it.short, &it.negative]);
    forms.into_iter().flatten().flatten().collect()
}

/// What differs between a command and what its parser knows.
fn differences(witness: &Command, command: &CommandSpec) -> Vec<String> {
    let mut found = Vec::new();
    for flag in witness.flags.iter().filter(|flag| !flag.hidden) {
        // Signs that some parsers hold as options.
        if flag
            .names
            .iter()
            .all(|name| name.trim_matches('-').is_empty())
        {
            continue;
        }
        let own = |param: &&Param| forms(param).iter().any(|form| flag.names.contains(form));
        match command.own_flags().find(own) {
            None => found.push(format!("{:?} is missed", flag.names)),
            Some(param) => {
                if param.kind.takes_value() != flag.takes_value {
                    found.push(format!("{:?} is a {}", flag.names, param.kind));
                }
                if param.required != flag.required {
                    found.push(format!("{:?} needed: {}", flag.names, param.required));
                }
            }
        }
    }
    for form in command.own_flags().flat_map(forms) {
        if !witness.flags.iter().any(|flag| flag.names.contains(form)) {
            found.push(format!("{form} is invented"));
        }
    }
    found
}

#[test]
fn every_flag_is_read_as_its_parser_knows_it_and_none_is_invented() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let families = ["argparse", "click", "typer"];
    let programs = families
        .iter()
        .flat_map(|family| folder(&corpus.join(family)));
    let mut wrong = Vec::new();
    let mut compared = 0;
    for program in programs {
        let reading = reading(&program);
        let name = reading.program.name.clone();
        let witness = fs::read(program.join("witness.json")).unwrap();
        let witness: Witness = serde_json::from_slice(&witness).unwrap();
        for command in &witness.commands {
            // A name that nothing can be asked by.
            if command.path.iter().any(|word| word == "help") {
                continue;
            }
            let Some(read) = reading.program.command(&command.path) else {
                wrong.push(format!("{name} {:?} is missed", command.path));
                continue;
            };
            compared += command.flags.len();
            let here = format!("{name} {}", command.path.join(" "));
            let differences = differences(command, read).into_iter();
            wrong.extend(differences.map(|it| format!("{here}: {it}")));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(compared > 500, "only {compared} flags were compared");
}

#[test]
fn pip_lists_commands_of_its_own_and_each_has_its_page() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let program = reading(&corpus.join("optparse/pip")).program;
    assert_eq!(program.commands.len(), 1 + 16);
    let bare = |command: &CommandSpec| command.own_flags().next().is_none();
    assert!(!program.commands.iter().any(bare));
    let install = program.command(&["install"]).unwrap();
    let editable = install
        .own_flags()
        .find(|flag| flag.name == "editable")
        .unwrap();
    assert!(editable.kind.takes_value());
    assert_eq!(editable.spelling().unwrap().short.as_deref(), Some("-e"));
}
