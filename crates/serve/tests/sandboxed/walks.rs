//! Programs that are read: in a sandbox where that works, without it where not.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use std::time::Duration;

use argway_core::policy::Demand;
use argway_core::probe::{Answer, Probe, ProbeError, Question};
use argway_serve::probe::{Guard, ProcessProbe};
use rustix::process::{Pid, Signal, kill_process};

use crate::common::{alive, token};

/// A program that is a shell script, which `rename` closed for writing.
fn program(folder: &Path, script: &str) -> PathBuf {
    let (draft, path) = (folder.join("draft"), folder.join("program"));
    fs::write(&draft, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&draft, PermissionsExt::from_mode(0o755)).unwrap();
    fs::rename(draft, &path).unwrap();
    path
}

fn ask(probe: &mut ProcessProbe) -> Answer {
    probe
        .ask(&[Question::new(["--help"])])
        .remove(0)
        .expect("an answer")
}

pub fn a_program_that_is_read_reaches_only_its_own_folders() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, "hunter2").unwrap();
    let script = format!(
        r#"cat '{0}' 2>/dev/null; (echo n >'{0}.new') 2>/dev/null
           echo x >"$HOME/left"; echo y >here; echo z >"$TMPDIR/there"; echo "$HOME $TMPDIR $PWD""#,
        secret.display()
    );
    let path = program(folder.path(), &script);
    let mut open = ProcessProbe::new(&path);
    open.guard = Guard::Off;
    assert_eq!(ask(&mut open).stdout, "hunter2~ /tmp .\n");
    assert!(secret.with_extension("new").exists());
    fs::remove_file(secret.with_extension("new")).unwrap();

    let mut guarded = ProcessProbe::new(&path);
    assert_eq!(ask(&mut guarded).stdout, "~ /tmp .\n");
    assert_eq!(guarded.unguarded(), None);
    assert_eq!(guarded.written(), ["here", "left"]);
    assert!(!secret.with_extension("new").exists());
}

pub fn a_program_that_misses_its_files_in_a_sandbox_is_read_without() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("library"), "echo help").unwrap();
    let path = program(folder.path(), r#". "${0%/*}/library""#);
    let mut probe = ProcessProbe::new(&path);
    let clone = probe.clone();
    assert_eq!(ask(&mut probe).stdout, "help\n");
    let reason = clone.unguarded().expect("a reason");
    assert!(reason.starts_with("it failed in the sandbox: "), "{reason}");
    assert_eq!(ask(&mut probe).stdout, "help\n");
}

/// Behaves as its first word says. The second is what its processes are known by.
const MANY: &str = r#"case "$1" in
    hang) sh -c 'sleep 600; :' "$2" ;;
    flood) yes "$2" ;;
    leave) setsid sh -c 'trap "" TERM; while :; do sleep 0.05; done' "$2" </dev/null >/dev/null 2>&1 & ;;
    crash) kill -SEGV $$ ;;
    *) readlink /proc/self/ns/mnt ;;
esac"#;

fn many(guard: Guard, program: &Path) -> ProcessProbe {
    let mut probe = ProcessProbe::new(program);
    probe.guard = guard;
    probe.timeout = Duration::from_secs(3);
    probe.max_output = 1 << 16;
    probe.jobs = 8;
    probe
}

pub fn every_question_of_a_walk_ends_as_it_would_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = program(folder.path(), MANY);
    for demand in [Demand::Strict, Demand::Portable] {
        let token = token();
        let mut probe = many(Guard::Always(demand), &path);
        let behaviours = ["say", "hang", "flood", "leave", "crash", "say"];
        let questions = behaviours.map(|first| Question::new([first, token.as_str()]));
        let answers = probe.ask(&questions);
        let [said, hung, flooded, left, crashed, again] = &answers[..] else {
            panic!("six questions, {} answers", answers.len());
        };
        let said = said.as_ref().expect("an answer");
        assert_eq!(Some(said), again.as_ref().ok(), "one world for all");
        assert!(said.stdout.starts_with("mnt:["), "{said:?}");
        assert!(matches!(hung, Err(ProbeError::TimedOut(_))), "{hung:?}");
        assert!(
            matches!(flooded, Err(ProbeError::Flooded(_))),
            "{flooded:?}"
        );
        assert_eq!(left.as_ref().expect("an answer").code, Some(0));
        assert_eq!(crashed.as_ref().expect("an answer").code, None);
        assert_eq!(alive(&token), [""; 0], "{demand:?}");
    }
}

/// The launchers that this process started and that still run.
fn launchers() -> Vec<Pid> {
    let mut found: Vec<i32> = Vec::new();
    for task in fs::read_dir("/proc/self/task").unwrap().flatten() {
        let list = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        found.extend(list.split_whitespace().flat_map(str::parse::<i32>));
    }
    found.into_iter().filter_map(Pid::from_raw).collect()
}

pub fn a_walk_goes_on_where_its_sandbox_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let path = program(folder.path(), MANY);
    for demand in [Demand::Strict, Demand::Portable] {
        let mut probe = many(Guard::Always(demand), &path);
        let before = ask(&mut probe);
        let wards = launchers();
        assert!(!wards.is_empty(), "{demand:?}");
        for ward in wards {
            kill_process(ward, Signal::KILL).unwrap();
        }
        let after = ask(&mut probe);
        assert_eq!(after.code, before.code, "{demand:?}");
        assert!(after.stdout.starts_with("mnt:["), "{after:?}");
    }
}
