//! Reads real programs of Node's families from their pages.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::path::{Path, PathBuf};

use argway_core::probe::{Answer, Probe, ProbeError, Question};
use argway_core::sources::families::{self, Options};
use snapbox::{assert_data_eq, str};

/// Answers with captured pages, and keeps what was asked.
struct Pages {
    folder: PathBuf,
    name: String,
    asked: Vec<Vec<String>>,
}

impl Probe for Pages {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        let answer = |question: &Question| {
            let (last, path) = question.words.split_last().unwrap();
            assert_eq!(last, "--help", "{:?}", question.words);
            let mut parts = vec![self.name.clone()];
            parts.extend(path.iter().cloned());
            let file = self.folder.join(format!("{}.help.txt", parts.join(".")));
            let stdout = std::fs::read_to_string(file).map_err(|_| ProbeError::NotRecorded)?;
            Ok(Answer {
                code: Some(0),
                stdout,
                stderr: String::new(),
            })
        };
        let answers = questions.iter().map(answer).collect();
        self.asked
            .extend(questions.iter().map(|it| it.words.clone()));
        answers
    }
}

/// How much was read of the program whose pages lie in `folder`.
fn read(folder: &str) -> String {
    let name = folder.split('/').next_back().unwrap();
    let mut pages = Pages {
        folder: Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../corpus")
            .join(folder),
        name: name.to_owned(),
        asked: Vec::new(),
    };
    let reading = families::read(name, None, &mut pages, Options { oracle: true }).unwrap();
    let program = reading.program;
    let flags: Vec<_> = program
        .commands
        .iter()
        .flat_map(|it| it.own_flags())
        .collect();
    let valued = flags.iter().filter(|it| it.kind.takes_value()).count();
    let lists = flags.iter().filter(|it| it.kind.is_repeatable()).count();
    let closed = flags.iter().filter(|it| !it.choices.is_empty()).count();
    let defaults = flags.iter().filter(|it| it.default.is_some()).count();
    let positionals = program
        .commands
        .iter()
        .flat_map(|it| it.positionals())
        .count();
    let mut out = format!(
        "{name}: {:?}, {} commands, {} flags ({valued} take a value, {lists} many, {closed} one of some, {defaults} have defaults), {positionals} positionals",
        program.family,
        program.commands.len(),
        flags.len(),
    );
    for loss in reading.losses {
        out.push_str(&format!("\n  {}: {}", loss.path.join(" "), loss.what));
    }
    out
}

#[test]
fn commander_cac_and_optionator() {
    let programs = [
        "commander/eslint",
        "commander/markdownlint",
        "commander/nest",
        "commander/playwright",
        "commander/svgo",
        "commander/vite",
    ];
    let read: Vec<String> = programs.into_iter().map(read).collect();
    assert_data_eq!(
        read.join("\n"),
        str![[r#"
eslint: Commander, 1 commands, 47 flags (23 take a value, 6 many, 3 one of some, 15 have defaults), 3 positionals
markdownlint: Commander, 1 commands, 14 flags (8 take a value, 2 many, 0 one of some, 1 have defaults), 1 positionals
nest: Commander, 9 commands, 64 flags (28 take a value, 0 many, 0 one of some, 13 have defaults), 9 positionals
playwright: Commander, 6 commands, 69 flags (46 take a value, 1 many, 5 one of some, 14 have defaults), 4 positionals
svgo: Commander, 1 commands, 18 flags (10 take a value, 3 many, 0 one of some, 0 have defaults), 1 positionals
vite: Commander, 4 commands, 62 flags (48 take a value, 0 many, 0 one of some, 15 have defaults), 4 positionals
"#]]
    );
}

#[test]
fn yargs() {
    let programs = [
        "yargs/cdk",
        "yargs/jest",
        "yargs/lerna",
        "yargs/ng",
        "yargs/redocly",
    ];
    let read: Vec<String> = programs.into_iter().map(read).collect();
    assert_data_eq!(
        read.join("\n"),
        str![[r#"
cdk: Yargs, 4 commands, 135 flags (53 take a value, 20 many, 4 one of some, 43 have defaults), 3 positionals
jest: Yargs, 1 commands, 106 flags (56 take a value, 21 many, 2 one of some, 0 have defaults), 1 positionals
lerna: Yargs, 5 commands, 78 flags (33 take a value, 2 many, 1 one of some, 14 have defaults), 6 positionals
ng: Yargs, 11 commands, 33 flags (10 take a value, 1 many, 6 one of some, 20 have defaults), 3 positionals
redocly: Yargs, 9 commands, 32 flags (26 take a value, 5 many, 9 one of some, 16 have defaults), 7 positionals
"#]]
    );
}

#[test]
fn oclif() {
    let read: Vec<String> = ["oclif/heroku", "oclif/oclif"]
        .into_iter()
        .map(read)
        .collect();
    assert_data_eq!(
        read.join("\n"),
        str![[r#"
heroku: Oclif, 5 commands, 15 flags (6 take a value, 0 many, 0 one of some, 0 have defaults), 1 positionals
oclif: Oclif, 8 commands, 43 flags (28 take a value, 0 many, 5 one of some, 6 have defaults), 2 positionals
"#]]
    );
}
