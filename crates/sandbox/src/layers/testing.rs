//! Runs the body of a test in a process of its own: what a layer takes away does not
//! come back.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

const VARIABLE: &str = "ARGWAY_LAYER_TEST";
const MARK: &str = "layer-test: ";
const NOBODY: u32 = 65534;

/// Runs `body` in a new process that becomes this very test, as the caller and, where
/// the caller is root, as nobody too. Both must say `expected`.
///
/// `test` is the path of the calling test without the crate. The body runs in an empty
/// folder that it may write to and that is removed afterwards.
#[track_caller]
pub fn check_alone(test: &str, body: fn() -> Vec<String>, expected: &[&str]) {
    if std::env::var_os(VARIABLE).is_some() {
        say_and_end(&body());
    }
    assert_eq!(lines(test, None), expected, "as the caller");
    if is_root_among_others() {
        assert_eq!(lines(test, Some(NOBODY)), expected, "as nobody");
    }
}

/// Whether this is root with others to become: a container may have root alone.
pub fn is_root_among_others() -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let has_nobody = map.lines().any(|line| {
        let mut numbers = line.split_whitespace().flat_map(str::parse::<u64>);
        let (first, count) = (numbers.next().unwrap_or(0), numbers.nth(1).unwrap_or(0));
        (first..first + count).contains(&u64::from(NOBODY))
    });
    rustix::process::geteuid().is_root() && has_nobody
}

fn say_and_end(lines: &[String]) -> ! {
    let mut out = std::io::stdout();
    for line in lines {
        writeln!(out, "\n{MARK}{line}").unwrap();
    }
    out.flush().unwrap();
    std::process::exit(0)
}

/// Copies this test binary by another process: what is open for writing here is so in
/// whatever another test forks meanwhile, and what somebody writes cannot be executed.
pub fn copy_of_this_binary(to: &Path) {
    let mut copy = Command::new("cp");
    copy.arg(std::env::current_exe().unwrap()).arg(to);
    assert!(copy.status().unwrap().success());
}

fn lines(test: &str, user: Option<u32>) -> Vec<String> {
    // Nobody may not be allowed to reach the folder that this was built in.
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let binary = folder.path().join("test binary");
    copy_of_this_binary(&binary);
    std::fs::set_permissions(&binary, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = Command::new(&binary);
    command
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(VARIABLE, test)
        .current_dir(folder.path());
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<_> = said
        .lines()
        .filter_map(|line| line.strip_prefix(MARK).map(str::to_owned))
        .collect();
    assert!(
        output.status.success() && !lines.is_empty(),
        "{test} said nothing: {:?}\n{said}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr),
    );
    lines
}

/// A result as one word: the error's name where it is one.
pub fn word<T>(result: Result<T, i32>) -> String {
    match result {
        Ok(_) => "works".to_owned(),
        Err(libc::EPERM) => "EPERM".to_owned(),
        Err(libc::EACCES) => "EACCES".to_owned(),
        Err(libc::ENOSYS) => "ENOSYS".to_owned(),
        Err(libc::EAFNOSUPPORT) => "EAFNOSUPPORT".to_owned(),
        Err(libc::EPROTONOSUPPORT) => "EPROTONOSUPPORT".to_owned(),
        Err(libc::EXDEV) => "EXDEV".to_owned(),
        Err(libc::EMFILE) => "EMFILE".to_owned(),
        Err(other) => format!("error {other}"),
    }
}
