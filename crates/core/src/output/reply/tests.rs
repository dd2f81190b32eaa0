//! What a person and a program read of a run.

use std::path::PathBuf;
use std::sync::Arc;

use snapbox::{IntoData, assert_data_eq, str};

use super::*;
use crate::model::{CommandSpec, Family, Kind, Program, Scalar};
use crate::output::Captured;

fn tool() -> Tool {
    let mut limit = Param::flag("limit", Kind::One(Scalar::Int(64)));
    limit.value_name = Some("int".into());
    let mut repo = Param::flag("repo", Kind::One(Scalar::String));
    repo.required = true;
    let yes = Param::flag("yes", Kind::Switch);
    let tty = Param::flag("tty", Kind::Switch);
    let title = Param::flag("title", Kind::One(Scalar::String));
    let spec = CommandSpec {
        path: vec!["thing".into(), "list".into()],
        usage: "prog thing list [flags]".into(),
        runnable: true,
        ..CommandSpec::default()
    };
    Tool {
        name: "prog_thing_list".into(),
        program: Arc::new(Program {
            name: "prog".into(),
            executable: None,
            version: None,
            family: Family::Cobra,
            commands: vec![spec],
        }),
        label: "prog".into(),
        command: 0,
        flags: vec![limit, repo, yes, tty, title],
        inherited: [Param::flag("token", Kind::One(Scalar::String))].into(),
        folded: false,
        positionals: Vec::new(),
        stdin: false,
        reserved: Vec::new(),
        constants: Vec::new(),
        data_schema: None,
    }
}

fn captured(bytes: impl AsRef<[u8]>) -> Captured {
    Captured {
        head: bytes.as_ref().to_vec(),
        total: bytes.as_ref().len() as u64,
        ..Captured::default()
    }
}

fn outcome(ending: Ending, stdout: impl AsRef<[u8]>, stderr: impl AsRef<[u8]>) -> Outcome {
    Outcome {
        ending,
        stdout: captured(stdout),
        stderr: captured(stderr),
        duration: Duration::from_millis(12),
        ended_leftovers: false,
        sandbox: None,
    }
}

fn flat(outcome: &Outcome) -> Reply {
    reply(&tool(), Layout::Flat, DataFormat::Any, outcome)
}

#[track_caller]
fn check_text(ending: Ending, stdout: &str, stderr: &str, expected: impl IntoData) {
    assert_data_eq!(flat(&outcome(ending, stdout, stderr)).text, expected);
}

#[test]
fn a_success_shows_what_a_person_would_see() {
    let ended = Ending::Exited(0);
    check_text(
        ended,
        "out\n",
        "",
        str![[r#"
out

"#]],
    );
    check_text(
        ended,
        "",
        "warning\n",
        str![[r#"
warning

"#]],
    );
    check_text(
        ended,
        "out\n",
        "warning\n",
        str![[r#"
out

stderr:
warning

"#]],
    );
    check_text(ended, "", "", str!["(no output)"]);
}

#[test]
fn a_success_for_programs() {
    let reply = flat(&outcome(Ending::Exited(0), "[{\"b\":1,\"a\":2}]\n", "w"));
    let expected = r#"{"exitCode":0,"stdout":"[{\"b\":1,\"a\":2}]\n","stderr":"w","data":[{"b":1,"a":2}],"durationMs":12}"#;
    assert_eq!(reply.structured.to_string(), expected);
    assert_eq!((reply.meta, reply.is_error), (None, false));
}

#[test]
fn a_failure_carries_stderr_then_the_usage() {
    check_text(
        Ending::Exited(2),
        "",
        "Error: bad thing\n",
        str![[r#"
Error: bad thing

exit code 2

Usage: prog thing list [flags]
Flags: --repo string (required), --limit int, --yes, --tty, --title string

"#]],
    );
    let failed = flat(&outcome(Ending::Exited(2), "", "Error: bad thing\n"));
    assert!(failed.is_error);
    assert_eq!(failed.structured["exitCode"], 2);
}

#[test]
fn a_usage_that_the_program_printed_is_not_repeated() {
    check_text(
        Ending::Exited(1),
        "",
        "Error: unknown\nUsage:\n  prog thing list [flags]\n",
        str![[r#"
Error: unknown
Usage:
  prog thing list [flags]

exit code 1

"#]],
    );
}

#[test]
fn endings_that_are_no_exit_are_explained() {
    check_text(
        Ending::Signalled(11),
        "half",
        "",
        str![[r#"
half

The command was ended by signal 11 (SIGSEGV).

"#]],
    );
    check_text(
        Ending::TimedOut(Duration::from_secs(120)),
        "",
        "",
        str![[r#"
The command was ended because it ran longer than 2 min. The server's `--timeout` sets how long it may take.

"#]],
    );
    check_text(
        Ending::Cancelled,
        "",
        "",
        str![[r#"
The call was cancelled and the command ended.

"#]],
    );
    check_text(
        Ending::Flooded(1000),
        "x",
        "",
        str![[r#"
x

The command was ended because it printed more than 1000 bytes.

"#]],
    );
    let code = |ending| flat(&outcome(ending, "", "")).structured["exitCode"].clone();
    assert_eq!(code(Ending::Signalled(9)), 137);
    let meta = flat(&outcome(Ending::Signalled(9), "", "")).meta.unwrap();
    let notes = r#"{"argway/notes":["The command was ended by signal 9 (SIGKILL)."]}"#;
    assert_eq!(meta.to_string(), notes);
    assert_eq!(code(Ending::TimedOut(Duration::from_millis(1500))), 124);
}

#[test]
fn durations_read_well() {
    let said: Vec<String> = [250, 1500, 60_000, 90_000]
        .map(|millis| duration(Duration::from_millis(millis)))
        .to_vec();
    assert_eq!(said, ["0.25 s", "1.5 s", "1 min", "1 min 30 s"]);
}

#[test]
fn leftovers_are_mentioned() {
    let mut left = outcome(Ending::Exited(0), "started\n", "");
    left.ended_leftovers = true;
    assert_eq!(
        flat(&left).text,
        "started\n\nProcesses that the command left behind kept its output open and were ended.\n"
    );
}

#[test]
fn what_was_cut_says_so_on_whole_characters_and_names_the_file() {
    let mut cut = outcome(Ending::Exited(0), "", "");
    cut.stdout = Captured {
        head: "start é".as_bytes()[..7].to_vec(),
        tail: "漢 end\n".as_bytes()[1..].to_vec(),
        total: 5_000_000,
        file: Some(PathBuf::from("/private/stdout-1.txt")),
    };
    let reply = flat(&cut);
    assert_data_eq!(
        &reply.text,
        str![[r#"
start 
[… 4999989 bytes left out; everything is in /private/stdout-1.txt …]
 end

"#]]
    );
    assert_eq!(
        reply.structured["truncated"].to_string(),
        r#"{"stdout":{"bytes":5000000,"file":"/private/stdout-1.txt"}}"#
    );
    assert_eq!((reply.meta, reply.is_error), (None, false));
}

#[test]
fn bytes_that_text_cannot_hold_are_kept_for_programs() {
    let reply = flat(&outcome(
        Ending::Exited(0),
        b"\x1b[31mred\x1b[0m\xff",
        "fine",
    ));
    assert_eq!(reply.structured["stdout"], "red\u{fffd}");
    assert_eq!(
        reply.meta.unwrap().to_string(),
        r#"{"argway/stdoutBase64":"G1szMW1yZWQbWzBt/w=="}"#
    );
}

#[test]
fn a_question_that_nobody_answered_names_the_flags_that_would() {
    let asked = outcome(Ending::Exited(1), "Delete? [y/N] ", "");
    let text = flat(&asked).text;
    assert!(
        text.contains(
            "asked for a confirmation, and nobody is here to answer. Pass `--yes` instead."
        ),
        "{text}"
    );
    let asked = outcome(Ending::TimedOut(Duration::from_secs(1)), "", "Password: ");
    let text = flat(&asked).text;
    assert!(text.contains("Pass `--token` instead."), "{text}");
    let asked = outcome(
        Ending::Exited(1),
        "",
        "must provide `--title` when not running interactively\n",
    );
    let text = flat(&asked).text;
    assert!(
        text.contains("Pass what it needs with `--title`, `--repo` or `--yes`. Leave out `--tty`."),
        "{text}"
    );
    let text = flat(&outcome(Ending::Signalled(21), "", "")).text;
    assert!(text.contains("waited for a terminal"), "{text}");
}

#[test]
fn nested_is_what_ophis_gives() {
    let nested = |outcome: &Outcome| reply(&tool(), Layout::Nested, DataFormat::Any, outcome);
    let good = nested(&outcome(Ending::Exited(0), "[1]\n", ""));
    assert_eq!(good.text, r#"{"stdout":"[1]\n","exitCode":0}"#);
    assert_eq!(good.structured.to_string(), good.text);
    let bad = nested(&outcome(Ending::Exited(3), "", "no\n"));
    assert_eq!(bad.text, r#"{"stderr":"no\n","exitCode":3}"#);
    assert!(bad.is_error);
    let ended = nested(&outcome(Ending::Cancelled, "", "half"));
    assert_eq!(
        ended.text,
        r#"{"stderr":"half\nThe call was cancelled and the command ended.\n","exitCode":-1}"#
    );
}
