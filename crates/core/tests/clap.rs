//! Reads real clap programs from their pages, and one with all that its parser said.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::collections::BTreeMap;
use std::path::Path;

use argway_core::model::{Evidence, Fact, Family, Group, Kind, Param, Reading, Scalar, Split};
use argway_core::sources::families::{self, Options};
use argway_core::sources::transcript::{Recorder, Transcript};

fn transcript(program: &str) -> Transcript {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../corpus/clap")
        .join(program);
    let files: BTreeMap<String, String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let text = std::fs::read_to_string(entry.path()).unwrap();
            (entry.file_name().into_string().unwrap(), text)
        })
        .collect();
    Transcript::new(files).unwrap()
}

fn read(program: &str) -> Reading {
    let mut transcript = transcript(program);
    let name = transcript.program().to_owned();
    // The family is told from the page.
    let reading = families::read(&name, None, &mut transcript, Options { oracle: true }).unwrap();
    assert_eq!(reading.program.family, Family::Clap, "{program}");
    assert_eq!(reading.losses, [], "{program}");
    reading
}

#[track_caller]
fn param<'a>(reading: &'a Reading, path: &[&str], name: &str) -> &'a Param {
    let command = reading.program.command(path).unwrap();
    let mut found = command.params.iter().filter(|param| param.name == name);
    found
        .next()
        .unwrap_or_else(|| panic!("{path:?} has no {name}"))
}

#[track_caller]
fn names(reading: &Reading, path: &[&str]) -> Vec<String> {
    let command = reading.program.command(path).unwrap();
    let form = |param: &Param| {
        let spelling = param.spelling()?;
        spelling.long.clone().or_else(|| spelling.short.clone())
    };
    command
        .params
        .iter()
        .map(|it| form(it).unwrap_or_else(|| it.name.clone()))
        .collect()
}

#[test]
fn every_program_is_read_without_loss_and_no_value_of_a_variable_is_kept() {
    let programs = [
        ("cargo", 3),
        ("codex", 3),
        ("fdfind", 1),
        ("jj", 5),
        ("mise", 4),
        ("rustup", 41),
        ("sd@bookworm", 1),
        ("uv", 3),
        ("xh", 1),
        ("zoxide@bookworm", 6),
    ];
    for (program, commands) in programs {
        let reading = read(program);
        assert_eq!(reading.program.commands.len(), commands, "{program}");
        for command in &reading.program.commands {
            for param in &command.params {
                let text = &param.text;
                assert!(!text.contains("[env: "), "{program}: {text}");
                assert!(!text.contains("[possible values: "), "{program}: {text}");
                assert_ne!(param.name, "help", "{program}");
            }
        }
    }
}

#[test]
fn uv_has_options_under_many_headings_and_tags_over_line_ends() {
    let uv = read("uv");
    let bounds = param(&uv, &["add"], "bounds");
    assert_eq!(bounds.choices, ["lower", "major", "minor", "exact"]);
    let strategy = param(&uv, &["add"], "index-strategy");
    assert_eq!(strategy.env.as_deref(), Some("UV_INDEX_STRATEGY"));
    assert_eq!(
        strategy.text,
        "The strategy to use when resolving against multiple index URLs"
    );
    let workspace = param(&uv, &["add"], "workspace").spelling().unwrap();
    assert_eq!(workspace.negative.as_deref(), Some("--no-workspace"));
    let add = uv.program.command(&["add"]).unwrap();
    let any_of = ["PACKAGES", "requirements"].map(str::to_owned).to_vec();
    assert_eq!(add.groups, [Group::AnyOf(any_of)]);
    assert!(!param(&uv, &["add"], "PACKAGES").required);
    // What follows is another program's.
    let command = param(&uv, &["run"], "COMMAND");
    assert_eq!(command.kind, Kind::List(Scalar::String, Split::Words));
}

#[test]
fn jj_needs_one_of_several_and_names_its_commands_twice() {
    let jj = read("jj");
    let root = &jj.program.commands[0];
    assert!(!root.runnable, "it asks for a command");
    let set = jj.program.command(&["config", "set"]).unwrap();
    let levels = ["user", "repo", "workspace", "file"]
        .map(str::to_owned)
        .to_vec();
    assert_eq!(set.groups, [Group::AnyOf(levels)]);
    let required: Vec<&str> = set
        .positionals()
        .filter(|param| param.required)
        .map(|param| param.name.as_str())
        .collect();
    assert_eq!(required, ["NAME", "VALUE"]);
    let config = jj.program.command(&["config"]).unwrap();
    assert!(!config.runnable);
}

#[test]
fn cargos_commands_are_asked_with_the_letter_and_none_but_its_own() {
    let mut recorder = Recorder::new(transcript("cargo"));
    let options = Options { oracle: false };
    let reading = families::read("cargo", None, &mut recorder, options).unwrap();
    for (question, _) in recorder.asked() {
        let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
        assert!(matches!(words[..], ["--help"] | [_, "-h"]), "{words:?}");
    }
    let test = reading.program.command(&["test"]).unwrap();
    assert_eq!(test.aliases, ["t"]);
    assert_eq!(test.usage, "cargo test [OPTIONS] [TESTNAME] [-- [ARGS]...]");
    let formats = param(&reading, &["test"], "message-format");
    assert_eq!(formats.choices.len(), 6);
    let package = param(&reading, &["test"], "package");
    assert!(
        package.spelling().unwrap().bare.is_some(),
        "it may be alone"
    );
    let args = param(&reading, &["test"], "ARGS");
    assert_eq!(args.kind, Kind::List(Scalar::String, Split::Words));
    let named: Vec<&str> = reading
        .program
        .command(&["add"])
        .unwrap()
        .positionals()
        .map(|param| param.name.as_str())
        .collect();
    assert_eq!(named, ["DEP_ID"], "its usage has other words for it");
}

#[test]
fn what_the_parser_of_rustup_said_is_known() {
    let rustup = read("rustup");
    let component = param(&rustup, &["toolchain", "install"], "component");
    assert_eq!(component.kind, Kind::List(Scalar::String, Split::Repeat));
    assert_eq!(component.from.of(Fact::Type), Some(Evidence::Oracle));
    let profile = param(&rustup, &["toolchain", "install"], "profile");
    assert_eq!(profile.choices, ["minimal", "default", "complete"]);
    assert_eq!(profile.kind, Kind::One(Scalar::String));
    assert_eq!(profile.from.of(Fact::Choices), Some(Evidence::Oracle));
    let force = param(&rustup, &["toolchain", "install"], "force");
    assert_eq!(force.from.of(Fact::Type), Some(Evidence::Oracle));
}

#[test]
fn old_pages_are_read_by_their_own_columns() {
    let sd = read("sd@bookworm");
    let expected = [
        "--flags",
        "--string-mode",
        "--preview",
        "--version",
        "find",
        "replace-with",
        "files",
    ];
    assert_eq!(names(&sd, &[]), expected);
    let zoxide = read("zoxide@bookworm");
    let hook = param(&zoxide, &["init"], "hook");
    assert_eq!(hook.choices, ["none", "prompt", "pwd"]);
    assert_eq!(hook.default.as_deref(), Some("pwd"));
    let keywords = param(&zoxide, &["query"], "keywords");
    assert!(!keywords.required);
    let summary = &zoxide.program.command(&["add"]).unwrap().summary;
    assert_eq!(summary, "Add a new directory or increment its rank");
}

#[test]
fn look_alikes_and_odd_letters_are_read_as_printed() {
    let mise = read("mise");
    let kind = param(&mise, &["config", "set"], "type");
    assert_eq!(kind.choices.len(), 7);
    assert_eq!(kind.default.as_deref(), Some("infer"));
    let config = mise.program.command(&["config"]).unwrap();
    assert_eq!(config.aliases, ["cfg", "toml"]);
    let xh = read("xh");
    let headers = param(&xh, &[], "headers").spelling().unwrap();
    assert_eq!(headers.short.as_deref(), Some("-h"));
    let fd = read("fdfind");
    let exec = param(&fd, &[], "exec");
    assert_eq!(exec.kind, Kind::List(Scalar::String, Split::Words));
    let hidden = param(&fd, &[], "hidden").spelling().unwrap();
    assert_eq!(hidden.negative.as_deref(), Some("--no-hidden"));
}
