//! Reads real programs from their transcripts. How well is `cargo xtask fidelity`'s
//! question; here is what must hold for any of them.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use argway_core::catalog::{Catalog, Inherited, Selection};
use argway_core::model::{Evidence, Fact, Family, Kind, Reading, Scalar};
use argway_core::probe::{Answer, Probe, ProbeError, Question};
use argway_core::schema;
use argway_core::sources::cobra::{self, Options, ReadError};
use argway_core::sources::transcript::{Recorder, Transcript, record};

fn files(program: &str) -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../corpus/cobra")
        .join(program);
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let bytes = std::fs::read(entry.path()).unwrap();
            (
                entry.file_name().into_string().unwrap(),
                String::from_utf8_lossy(&bytes).into_owned(),
            )
        })
        .collect()
}

fn read(files: BTreeMap<String, String>) -> (Reading, Recorder<Transcript>) {
    let transcript = Transcript::new(files).unwrap();
    let name = transcript.program().to_owned();
    let mut recorder = Recorder::new(transcript);
    let reading = cobra::read(&name, &mut recorder, Options { oracle: true }).unwrap();
    (reading, recorder)
}

#[test]
fn a_recorded_read_reads_the_same() {
    for program in ["kind", "dlv", "git-lfs", "etcdctl"] {
        let (reading, recorder) = read(files(program));
        let (again, _) = read(record(program, Family::Cobra, recorder.asked()));
        assert_eq!(again, reading, "{program}");
    }
}

#[test]
fn nothing_is_asked_that_could_do_something() {
    for program in ["gh", "docker", "kubectl", "rclone", "hugo", "git-lfs"] {
        let (_, recorder) = read(files(program));
        for (question, _) in recorder.asked() {
            let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
            let harmless = match words.as_slice() {
                ["__complete", .., "-"] | ["__complete", "help", .., ""] => true,
                // The root of a program whose help is a manual.
                ["__complete", ""] => program == "git-lfs",
                ["--version"] | ["help", ..] => true,
                [path @ .., "--help"] => path.iter().all(|word| !word.starts_with('-')),
                _ => false,
            };
            assert!(harmless, "{program} was asked {words:?}");
        }
    }
}

#[test]
fn pages_alone_give_the_whole_tree() {
    let pages: BTreeMap<String, String> = files("kind")
        .into_iter()
        .filter(|(name, _)| name.ends_with(".help.txt"))
        .collect();
    let (whole, _) = read(files("kind"));
    let (reading, _) = read(pages);
    let paths = |reading: &Reading| -> Vec<Vec<String>> {
        let mut paths: Vec<_> = reading
            .program
            .commands
            .iter()
            .map(|command| command.path.clone())
            .collect();
        paths.sort();
        paths
    };
    assert_eq!(paths(&reading), paths(&whole));
    let create = reading.program.command(&["create", "cluster"]).unwrap();
    let wait = create.flags().find(|flag| flag.name == "wait").unwrap();
    assert_eq!(wait.kind, Kind::One(Scalar::Duration));
    assert_eq!(wait.from.of(Fact::Type), Some(Evidence::Help));
}

#[test]
fn global_flags_that_no_page_prints_are_inherited() {
    let (reading, _) = read(files("kubectl"));
    let get = reading.program.command(&["get"]).unwrap();
    let inherited: Vec<&str> = get
        .inherited
        .iter()
        .map(|flag| flag.name.as_str())
        .collect();
    assert!(inherited.contains(&"kubeconfig") && inherited.contains(&"namespace"));
    assert!(!inherited.contains(&"output"));
    assert!(get.own_flags().any(|flag| flag.name == "output"));
}

#[test]
fn a_list_in_a_refusal_is_a_choice() {
    let (reading, _) = read(files("gh"));
    let list = reading.program.command(&["pr", "list"]).unwrap();
    let state = list.flags().find(|flag| flag.name == "state").unwrap();
    assert_eq!(state.choices, ["open", "closed", "merged", "all"]);
    assert_eq!(state.from.of(Fact::Choices), Some(Evidence::Oracle));
    assert_eq!(state.default.as_deref(), Some("open"));
}

#[test]
fn types_of_a_program_with_a_manual_come_from_its_parser() {
    let (reading, _) = read(files("git-lfs"));
    let import = reading.program.command(&["migrate", "import"]).unwrap();
    let everything = import
        .flags()
        .find(|flag| flag.name == "everything")
        .unwrap();
    assert_eq!(everything.kind, Kind::Switch);
    assert_eq!(everything.from.of(Fact::Type), Some(Evidence::Oracle));
}

/// A program that answers everything in one way.
struct Same(Result<Answer, ProbeError>);

impl Probe for Same {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        questions.iter().map(|_| self.0.clone()).collect()
    }
}

#[test]
fn without_a_root_page_there_is_no_program() {
    let failing = Answer {
        code: Some(1),
        stdout: String::new(),
        stderr: "no settings found\n".to_owned(),
    };
    let error = cobra::read("x", &mut Same(Ok(failing)), Options { oracle: true }).unwrap_err();
    let ReadError::NoHelp { program, why } = &error;
    assert_eq!(program, "x");
    assert_eq!(why, "ended with code 1: no settings found");
}

/// A go-flags program that has Cobra linked in: it takes `__complete` for a command.
struct Linked;

impl Probe for Linked {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        let page = "Usage:\n  it [OPTIONS] <command>\n\nApplication Options:\n  -q, --quiet   silence logs\n\n\
                    Help Options:\n  -h, --help    Show this help message\n\n\
                    Available commands:\n  erase  erase all\n  show   show it\n";
        let answer = |question: &Question| match question.words.last().map(String::as_str) {
            Some("--help") => Answer {
                code: Some(0),
                stdout: page.to_owned(),
                stderr: String::new(),
            },
            _ => Answer {
                code: Some(1),
                stdout: String::new(),
                stderr: "Unknown command `__complete'\n".to_owned(),
            },
        };
        questions
            .iter()
            .map(|question| Ok(answer(question)))
            .collect()
    }
}

#[test]
fn a_program_that_only_links_cobra_is_of_no_known_family() {
    let mut recorder = Recorder::new(Linked);
    let reading = cobra::read("it", &mut recorder, Options { oracle: true }).unwrap();
    assert_eq!(reading.program.family, Family::Unknown);
    assert_eq!(
        reading.program.commands.len(),
        3,
        "the root and what it lists"
    );
    assert!(reading.losses[0].what.contains("erase, show"));
    let asked_of_a_command = |question: &Question| question.words.iter().any(|word| word == "show");
    assert!(
        !recorder
            .asked()
            .iter()
            .any(|(question, _)| asked_of_a_command(question))
    );
}

/// Every kubectl command takes `--profile-output FILE`: a client that lets readers pass
/// unasked would let it write anywhere.
#[test]
fn a_reader_that_can_be_told_to_write_is_none_until_that_flag_is_denied() {
    let (kubectl, _) = read(files("kubectl"));
    let kubectl = Arc::new(kubectl.program);
    let readers = |deny_flags: &[&str]| {
        let selection = Selection {
            deny_flags: deny_flags.iter().map(|&glob| glob.to_owned()).collect(),
            ..Selection::default()
        };
        let programs = [Arc::clone(&kubectl)];
        let catalog = Catalog::build(&programs, &selection, Inherited::default()).unwrap();
        let tools = catalog.tools().iter();
        tools
            .filter(|tool| schema::annotations(tool).read_only)
            .map(|tool| tool.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(readers(&[]), Vec::<String>::new());
    let readers = readers(&["profile*"]);
    for reader in ["kubectl_get", "kubectl_describe", "kubectl_logs"] {
        assert!(readers.iter().any(|name| name == reader), "{readers:?}");
    }
    assert!(!readers.iter().any(|name| name == "kubectl_delete"));
}

/// `--web` shows the same elsewhere.
#[test]
fn a_reader_that_can_open_a_browser_stays_one() {
    let (gh, _) = read(files("gh"));
    let gh = [Arc::new(gh.program)];
    let catalog = Catalog::build(&gh, &Selection::default(), Inherited::default()).unwrap();
    let list = catalog.find("gh_pr_list").unwrap();
    assert!(list.flags.iter().any(|flag| flag.name == "web"));
    assert!(schema::annotations(list).read_only);
}
