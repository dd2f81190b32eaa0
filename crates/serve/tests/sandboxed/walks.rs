//! Programs that are read: in a sandbox where that works, without it where not.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use argway_core::probe::{Answer, Probe, Question};
use argway_serve::probe::{Guard, ProcessProbe};

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
