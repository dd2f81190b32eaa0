//! Reads definitions: every element, every mistake, and whatever else a file may hold.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use argway_core::catalog::{Catalog, Inherited, Layout, Selection};
use argway_core::model::{Program, Reading};
use argway_core::schema;
use argway_core::sources::kdl::{Definitions, read};

#[path = "definitions/elements.rs"]
mod elements;
#[path = "definitions/hostile.rs"]
mod hostile;
#[path = "definitions/mistakes.rs"]
mod mistakes;
#[path = "definitions/seed.rs"]
mod seed;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/definitions")
}

/// The names of the corpus' files and what they hold.
fn files() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = std::fs::read_dir(corpus())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "kdl"))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// What is wrong with `text`, as it is shown.
fn rendered(text: &str) -> String {
    let read = read("x.kdl", text);
    read.mistakes
        .iter()
        .map(|mistake| mistake.render())
        .collect()
}

/// The programs of `text`, which has no mistake.
#[track_caller]
fn programs(text: &str) -> Vec<Program> {
    let Definitions {
        definitions,
        mistakes,
    } = read("x.kdl", text);
    assert!(mistakes.is_empty(), "{}", rendered(text));
    let readings = definitions.into_iter();
    readings
        .map(|definition| definition.reading.program)
        .collect()
}

/// The program of a `cli` with `body` beside its description and command.
#[track_caller]
fn program(body: &str) -> Program {
    let text = format!("cli x {{\ndescription d\ncommand c\n{body}\n}}");
    programs(&text).remove(0)
}

/// The description JSON of a program.
fn describe(program: Program) -> String {
    let reading = Reading {
        program,
        losses: Vec::new(),
    };
    serde_json::to_string_pretty(&reading).unwrap()
}

/// The properties of a program's tools, as their schemas have them.
fn properties(program: Program) -> serde_json::Value {
    let program = Arc::new(program);
    let selection = Selection {
        include_hidden: true,
        ..Selection::default()
    };
    let catalog = Catalog::build(&[program], &selection, Inherited::All).unwrap();
    let input = schema::input(&catalog.tools()[0], Layout::Flat);
    input["properties"].clone()
}
