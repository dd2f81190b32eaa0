//! Landlock, put on for real around a few folders.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;

use super::*;
use crate::layers::testing::{check_alone, word};

fn said<T>(what: &str, result: io::Result<T>) -> String {
    let result = result.map_err(|error| error.raw_os_error().unwrap_or(0));
    format!("{what}: {}", word(result))
}

/// A tree below the current folder, which the test removes, and the view that knows a part of it.
fn tree() -> (PathBuf, View) {
    let root = std::env::current_dir().unwrap().join("tree");
    for folder in ["work/sub", "read", "secret"] {
        fs::create_dir_all(root.join(folder)).unwrap();
        fs::write(root.join(folder).join("file"), "text").unwrap();
    }
    std::os::unix::fs::symlink(root.join("secret/file"), root.join("work/link")).unwrap();
    let system = ["/usr", "/bin", "/lib", "/lib64"];
    let mut readable: Vec<PathBuf> = system.iter().map(PathBuf::from).collect();
    readable.extend([root.join("read"), root.join("not there")]);
    let view = View {
        readable,
        writable: vec![root.join("work")],
        directory: root.join("work"),
        ..View::default()
    };
    (root, view)
}

#[test]
fn a_confined_process_reaches_what_the_view_says() {
    check_alone(
        "layers::landlock::tests::a_confined_process_reaches_what_the_view_says",
        || {
            let (root, view) = tree();
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            assert!(restrict(&view, false).unwrap().0 >= 1);
            let at = |path: &str| root.join(path);
            vec![
                said("read inside", fs::read(at("work/sub/file"))),
                said("write inside", fs::write(at("work/new"), "x")),
                said(
                    "move inside",
                    fs::rename(at("work/new"), at("work/sub/new")),
                ),
                said("read readable", fs::read(at("read/file"))),
                said("write readable", fs::write(at("read/file"), "x")),
                said("read outside", fs::read(at("secret/file"))),
                said("read by a link", fs::read(at("work/link"))),
                said("list outside", fs::read_dir(at("secret"))),
                said(
                    "hard link in",
                    fs::hard_link(at("secret/file"), at("work/hard")),
                ),
                said("move out", fs::rename(at("work/sub/new"), at("secret/new"))),
                said(
                    "truncate outside",
                    rustix::fs::open(
                        at("secret/file"),
                        OFlags::RDONLY | OFlags::TRUNC,
                        Mode::empty(),
                    )
                    .map_err(io::Error::from),
                ),
                said("own status", fs::read("/proc/self/status")),
                said(
                    "parent's environment",
                    fs::read(format!(
                        "/proc/{}/environ",
                        std::os::unix::process::parent_id(),
                    )),
                ),
                said("/dev/null", fs::write("/dev/null", "x")),
                said("/dev/urandom", fs::File::open("/dev/urandom")),
                said("/etc/passwd", fs::read("/etc/passwd")),
                said("connect", std::net::TcpStream::connect(address)),
                said("bind", TcpListener::bind("127.0.0.1:0")),
                said(
                    "run a program",
                    std::process::Command::new("/bin/true").status(),
                ),
                said(
                    "signal the parent",
                    rustix::process::test_kill_process(rustix::process::getppid().unwrap())
                        .map_err(io::Error::from),
                ),
            ]
        },
        &[
            "read inside: works",
            "write inside: works",
            "move inside: works",
            "read readable: works",
            "write readable: EACCES",
            "read outside: EACCES",
            "read by a link: EACCES",
            "list outside: EACCES",
            "hard link in: EXDEV",
            "move out: EACCES",
            "truncate outside: EACCES",
            "own status: works",
            "parent's environment: EACCES",
            "/dev/null: works",
            "/dev/urandom: works",
            "/etc/passwd: EACCES",
            "connect: EACCES",
            "bind: EACCES",
            "run a program: works",
            "signal the parent: EPERM",
        ],
    );
}

#[test]
fn everything_is_everything_but_the_network_and_others_processes() {
    check_alone(
        "layers::landlock::tests::everything_is_everything_but_the_network_and_others_processes",
        || {
            let view = View {
                everything: true,
                ..View::default()
            };
            restrict(&view, false).unwrap();
            vec![
                said("/etc/passwd", fs::read("/etc/passwd")),
                said("a new file", tempfile::NamedTempFile::new()),
                said("bind", TcpListener::bind("127.0.0.1:0")),
                said(
                    "signal the parent",
                    rustix::process::test_kill_process(rustix::process::getppid().unwrap())
                        .map_err(io::Error::from),
                ),
            ]
        },
        &[
            "/etc/passwd: works",
            "a new file: works",
            "bind: EACCES",
            "signal the parent: EPERM",
        ],
    );
}

#[test]
fn the_network_may_be_left_open() {
    check_alone(
        "layers::landlock::tests::the_network_may_be_left_open",
        || {
            let (root, view) = tree();
            restrict(&view, true).unwrap();
            vec![
                said("bind", TcpListener::bind("127.0.0.1:0")),
                said("read outside", fs::read(root.join("secret/file"))),
            ]
        },
        &["bind: works", "read outside: EACCES"],
    );
}

#[test]
fn in_a_world_of_its_own_the_root_can_be_listed_and_proc_read() {
    check_alone(
        "layers::landlock::tests::in_a_world_of_its_own_the_root_can_be_listed_and_proc_read",
        || {
            let (_, view) = tree();
            restrict_in_own_world(&view, false).unwrap();
            vec![
                said("list the root", fs::read_dir("/")),
                said("read proc", fs::read("/proc/mounts")),
                said("/etc/passwd", fs::read("/etc/passwd")),
                said("write in /usr", fs::write("/usr/new", "x")),
                said("write in proc", fs::write("/proc/self/comm", "x")),
            ]
        },
        &[
            "list the root: works",
            "read proc: works",
            "/etc/passwd: EACCES",
            "write in /usr: EACCES",
            "write in proc: EACCES",
        ],
    );
}

#[test]
fn each_version_takes_in_hand_what_it_knows() {
    let handled = |abi: u32| {
        let Handled {
            files,
            ports,
            scopes,
        } = Abi(abi).handled(false, false);
        (files, ports, scopes)
    };
    assert_eq!(handled(1), (0x1FFF, 0, 0));
    assert_eq!(handled(2), (0x3FFF, 0, 0));
    assert_eq!(handled(3), (0x7FFF, 0, 0));
    assert_eq!(handled(4), (0x7FFF, 3, 0));
    assert_eq!(handled(5), (0xFFFF, 3, 0));
    assert_eq!(handled(6), (0xFFFF, 3, 3));
    assert_eq!(handled(7), (0xFFFF, 3, 3));
    assert_eq!(Abi(7).handled(true, true).scopes, SIGNALS);
    assert_eq!(Abi(3).handled(true, false), Handled::default());
}

#[test]
fn what_older_versions_leave_open_is_known() {
    let holds = |version| {
        (
            Abi(version).holds_truncation(),
            Abi(version).holds_signals(),
        )
    };
    assert_eq!(holds(2), (false, false));
    assert_eq!(holds(3), (true, false));
    assert_eq!(holds(5), (true, false));
    assert_eq!(holds(6), (true, true));
}
