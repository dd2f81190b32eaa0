//! Reads the transcript of `conformance/cobra-traps`, a program with every trap that
//! a Cobra program can hold.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::collections::BTreeMap;
use std::path::Path;

use argway_core::model::{Family, Param, Reading};
use argway_core::sources::cobra::{self, Options};
use argway_core::sources::transcript::{Recorder, Transcript, record};
use snapbox::{assert_data_eq, str};

fn files() -> BTreeMap<String, String> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/cobra-traps/transcript");
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect()
}

fn read() -> (Reading, Recorder<Transcript>) {
    let mut recorder = Recorder::new(Transcript::new(files()).unwrap());
    let reading = cobra::read("cobra-traps", &mut recorder, Options { oracle: true }).unwrap();
    (reading, recorder)
}

fn line(param: &Param) -> String {
    let mut line = format!("{} {}", param.name, param.kind);
    let spelling = param.spelling().cloned().unwrap_or_default();
    let notes = [
        ("short", spelling.short),
        ("bare", spelling.bare),
        ("default", param.default.clone()),
        (
            "choices",
            (!param.choices.is_empty()).then(|| param.choices.join("|")),
        ),
        ("required", param.required.then(String::new)),
    ];
    for (name, note) in notes {
        if let Some(note) = note {
            line.push_str(format!(", {name} {note}").trim_end());
        }
    }
    line
}

/// One line for each own parameter of the command at `path`.
fn params(path: &[&str]) -> String {
    let (reading, _) = read();
    let command = reading.program.command(path).unwrap();
    command
        .params
        .iter()
        .map(|param| line(param) + "\n")
        .collect()
}

#[test]
fn every_command_is_found_and_nothing_else() {
    let (reading, _) = read();
    let tree: String = reading
        .program
        .commands
        .iter()
        .map(|command| {
            let mut line = format!("/{}", command.path.join("/"));
            if !command.runnable {
                line.push_str(" (parent)");
            }
            if let Some(group) = &command.group {
                line.push_str(&format!(" [{group}]"));
            }
            if !command.aliases.is_empty() {
                line.push_str(&format!(" = {}", command.aliases.join(", ")));
            }
            line + "\n"
        })
        .collect();
    assert_data_eq!(
        tree,
        str![[r#"
/ (parent)
/raw [Dinge, die man tut]
/types [Dinge, die man tut] = ty, kinds
/either [Other things (2)]
/required [Other things (2)]
/exclusive [Additional Commands]
/fails [Additional Commands]
/floods [Additional Commands]
/hangs [Additional Commands]
/hiders [Additional Commands]
/marked (parent) [Additional Commands]
/marked/show
/parent [Additional Commands]
/parent/delete = rm
/parent/list

"#]]
    );
}

#[test]
fn every_type_of_pflag_is_read() {
    assert_data_eq!(
        params(&["types"]),
        str![[r#"
array repeat<string>
bool switch
bool-on switch, default true
count count
float float, default 0.5
hex hex
int int, default 7
int32 int32
ints comma<int>
ip ip
labels map<string>
optional string, bare always
string string, short -s, default x y
strings csv<string>, default [a,b]
uint16 uint16
wait duration, default 1m30s
weights map<int>
source string, required
target string

"#]]
    );
}

#[test]
fn types_that_the_page_hides_are_found() {
    assert_data_eq!(
        params(&["hiders"]),
        str![[r#"
blank string
colour other<colour>, default red, choices red|green|blue
free string
louder count
many csv<string>
nameless string, default 1K
number int
power other<on|off>, default on, choices on|off
size other<size>, default 1K
strict string
switch switch

"#]]
    );
}

#[test]
fn required_flags_are_told_from_those_of_which_one_is_enough() {
    assert_data_eq!(
        params(&["required"]),
        str![[r#"
after duration, required
name string, required
quick switch

"#]]
    );
    assert_data_eq!(
        params(&["either"]),
        str![[r#"
id string
quiet switch
tag string

"#]]
    );
    assert_data_eq!(
        params(&["exclusive"]),
        str![[r#"
fast switch
loud switch
slow switch

"#]]
    );
}

#[test]
fn a_page_that_cannot_be_had_costs_that_page() {
    let (reading, _) = read();
    let losses: String = reading
        .losses
        .iter()
        .map(|loss| format!("{}: {}\n", loss.path.join(" "), loss.what))
        .collect();
    assert_data_eq!(
        losses,
        str![[r#"
fails: its help page was not had: it ended with code 4: fails: not logged in
floods: its help page was not had: it printed more than 4194304 bytes
hangs: its help page was not had: it did not answer within 10s

"#]]
    );
    assert_data_eq!(
        params(&["hangs"]),
        str![[r#"
depth int
args words<string>

"#]]
    );
}

#[test]
fn inherited_flags_come_from_the_ancestors_and_are_shared() {
    let (reading, _) = read();
    let names = |path: &[&str]| -> Vec<String> {
        let command = reading.program.command(path).unwrap();
        command
            .inherited
            .iter()
            .map(|param| param.name.clone())
            .collect()
    };
    assert_eq!(names(&["types"]), ["config", "verbose"]);
    assert_eq!(names(&["parent", "list"]), ["config", "format", "verbose"]);
    let shared = |path: &[&str]| reading.program.command(path).unwrap().inherited.clone();
    assert!(std::sync::Arc::ptr_eq(
        &shared(&["types"]),
        &shared(&["hiders"])
    ));
}

#[test]
fn a_command_that_would_run_is_never_asked_for_its_help() {
    let (reading, recorder) = read();
    assert!(reading.program.command(&["raw"]).unwrap().raw_words);
    for (question, _) in recorder.asked() {
        let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
        let asks_for_help = words.first() == Some(&"raw") && words.last() == Some(&"--help");
        let dynamic = words.first() == Some(&"__complete")
            && words.last() == Some(&"")
            && words.get(1) != Some(&"help");
        assert!(!asks_for_help && !dynamic, "asked {words:?}");
    }
}

#[test]
fn what_was_recorded_reads_the_same() {
    let (reading, recorder) = read();
    let files = record("cobra-traps", Family::Cobra, recorder.asked());
    let mut again = Transcript::new(files).unwrap();
    let replayed = cobra::read("cobra-traps", &mut again, Options { oracle: true }).unwrap();
    assert_eq!(replayed, reading);
}
