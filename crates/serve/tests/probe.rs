//! Asks real programs, well-behaved and not.
#![allow(clippy::unwrap_used)]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use argway_core::probe::{Answer, Probe, ProbeError, Question};
use argway_serve::probe::ProcessProbe;
use common::{alive, token};

/// A program that is a shell script.
fn program(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("program");
    // Written under another name first: a file that is open for writing, here or
    // in a child that another test just started, cannot be run.
    std::fs::write(folder.join("draft"), format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(folder.join("draft"), PermissionsExt::from_mode(0o755)).unwrap();
    let copied = std::process::Command::new("cp")
        .arg("-p")
        .arg(folder.join("draft"))
        .arg(&path)
        .status();
    assert!(copied.unwrap().success());
    path
}

fn ask(probe: &mut ProcessProbe, words: &[&str]) -> Result<Answer, ProbeError> {
    probe.ask(&[Question::new(words.iter().copied())]).remove(0)
}

#[test]
fn answers_come_in_the_order_of_the_questions() {
    let folder = tempfile::tempdir().unwrap();
    // Later questions are answered sooner.
    let path = program(
        folder.path(),
        r#"sleep 0.$((9 - $1 % 10)); echo "$1"; echo e >&2; exit $1"#,
    );
    let mut probe = ProcessProbe::new(path);
    let questions: Vec<Question> = (0..10).map(|n| Question::new([n.to_string()])).collect();
    for (n, answer) in probe.ask(&questions).into_iter().enumerate() {
        let answer = answer.unwrap();
        assert_eq!(answer.code, Some(n as i32));
        assert_eq!(
            (answer.stdout.trim(), answer.stderr.as_str()),
            (n.to_string().as_str(), "e\n")
        );
    }
    assert_eq!(probe.ask(&[]), []);
}

#[test]
fn one_that_hangs_floods_or_cannot_start_costs_only_its_question() {
    let folder = tempfile::tempdir().unwrap();
    let path = program(
        folder.path(),
        r#"case $1 in hang) sleep 600;; flood) yes;; die) kill -9 $$;; *) echo fine;; esac"#,
    );
    let mut probe = ProcessProbe::new(path);
    probe.timeout = Duration::from_millis(700);
    probe.max_output = 100_000;
    let questions = ["hang", "flood", "die", "ok"].map(|word| Question::new([word]));
    let answers = probe.ask(&questions);
    assert_eq!(
        answers[0],
        Err(ProbeError::TimedOut(Duration::from_millis(700)))
    );
    assert_eq!(answers[1], Err(ProbeError::Flooded(100_000)));
    assert_eq!(answers[2].as_ref().unwrap().code, None);
    assert_eq!(answers[3].as_ref().unwrap().stdout, "fine\n");
    let missing = ask(&mut ProcessProbe::new("/nowhere/program"), &["x"]);
    assert!(
        matches!(missing, Err(ProbeError::NotStarted(reason)) if reason.contains("/nowhere/program"))
    );
}

#[test]
fn the_program_sees_an_empty_home_an_empty_folder_and_no_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let path = program(
        folder.path(),
        r#"pwd; ls -A . "$TMPDIR" | grep -v : ; find "$HOME" -type f; env | cut -d= -f1 | sort | tr '\n' ' '; tty; cat"#,
    );
    let mut probe = ProcessProbe::new(path);
    let answer = ask(&mut probe, &[]).unwrap();
    let lines: Vec<&str> = answer
        .stdout
        .lines()
        .filter(|line| !line.is_empty())
        .collect();
    let [pwd, variables] = lines.as_slice() else {
        panic!("{}", answer.stdout);
    };
    assert_eq!(*pwd, ".");
    for name in [
        "HOME",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "PATH",
        "LC_ALL",
        "NO_COLOR",
    ] {
        assert!(
            variables.split(' ').any(|have| have == name),
            "{name} in {variables}"
        );
    }
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO")) {
        assert!(!variables.contains(&name), "{name} in {variables}");
    }
    assert!(variables.ends_with("not a tty"), "{variables}");
}

#[test]
fn answers_do_not_tell_where_they_were_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = program(
        folder.path(),
        r#"echo "--config (default \"$XDG_CONFIG_HOME/it\")"; echo "$PWD/file $TMPDIR/file" >&2; (cd .. && pwd)"#,
    );
    for _ in 0..2 {
        let answer = ask(&mut ProcessProbe::new(&path), &[]).unwrap();
        assert_eq!(answer.stdout, "--config (default \"~/.config/it\")\n..\n");
        assert_eq!(answer.stderr, "./file /tmp/file\n");
    }
}

#[test]
fn with_home_the_callers_home_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = program(folder.path(), r#"echo "$HOME""#);
    let mut probe = ProcessProbe::new(path);
    assert_eq!(ask(&mut probe, &[]).unwrap().stdout.trim(), "~");
    probe.with_home = true;
    let home = std::env::var("HOME").unwrap_or_default();
    assert_eq!(ask(&mut probe, &[]).unwrap().stdout.trim(), home);
}

#[test]
fn what_it_writes_is_told_and_removed_even_if_it_is_protected() {
    let folder = tempfile::tempdir().unwrap();
    let path = program(
        folder.path(),
        r#"mkdir -p "$HOME/cache/deep"; echo x > "$HOME/cache/deep/file"; chmod -R a-w "$HOME/cache"; ln -s / "$HOME/link"; pwd > "${0%/*}/pwd""#,
    );
    let mut probe = ProcessProbe::new(path);
    assert_eq!(probe.written(), Vec::<String>::new());
    ask(&mut probe, &[]).unwrap();
    let work = std::fs::read_to_string(folder.path().join("pwd")).unwrap();
    assert_eq!(probe.written(), ["cache/deep/file", "link"]);
    let place = Path::new(work.trim()).parent().unwrap().to_path_buf();
    assert!(place.exists());
    let clone = probe.clone();
    probe.finish();
    assert!(place.exists());
    drop(clone);
    assert!(!place.exists());
}

#[test]
fn a_daemon_that_it_starts_is_gone_when_the_answer_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let token = token();
    let path = program(
        folder.path(),
        &format!(
            r#"setsid sh -c 'trap "" TERM; while :; do sleep 0.05; done' sh {token} </dev/null >/dev/null 2>&1 &
               echo help"#
        ),
    );
    let mut probe = ProcessProbe::new(path);
    for _ in 0..3 {
        let questions = vec![Question::new(["--help"]); 4];
        for answer in probe.ask(&questions) {
            assert_eq!(answer.unwrap().stdout, "help\n");
        }
        assert_eq!(alive(&token), Vec::<String>::new());
    }
}

#[test]
fn it_can_be_asked_from_inside_a_runtime() {
    let folder = tempfile::tempdir().unwrap();
    let path = program(folder.path(), "echo fine");
    common::runtime().block_on(async {
        let mut probe = ProcessProbe::new(path);
        assert_eq!(ask(&mut probe, &[]).unwrap().stdout, "fine\n");
    });
}
