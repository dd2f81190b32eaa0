//! How `argway serve` ends: nothing that it started is left, whoever ends it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

const TICKER: &str = include_str!("../../../conformance/clients/ticker");
const DESCRIPTION: &str = include_str!("../../../conformance/clients/ticker.json");
const PATIENCE: Duration = Duration::from_secs(30);

/// A server with one call under way that would take minutes.
struct Busy {
    server: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<std::process::ChildStdout>>,
    processes: Vec<i32>,
    _folder: tempfile::TempDir,
}

impl Busy {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let description = served(folder.path());
        let mut server = Command::new(env!("CARGO_BIN_EXE_argway"))
            .arg("serve")
            .arg(&description)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let mut stdin = server.stdin.take().expect("its stdin");
        let mut stdout = BufReader::new(server.stdout.take().expect("its stdout"));
        let client = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let open = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        writeln!(stdin, "{open}").expect("a line is taken");
        stdout.read_line(&mut String::new()).expect("an answer");
        let file = folder.path().join("processes");
        let params = json!({"name": "ticker_wait", "arguments": {"file": file}});
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
        writeln!(stdin, "{call}").expect("a line is taken");
        soon("the call starts", || file.exists());
        let numbers = fs::read_to_string(&file).expect("numbers");
        let processes = numbers
            .split_whitespace()
            .map(|number| number.parse().expect("a number"));
        Self {
            server,
            stdin: Some(stdin),
            stdout: Some(stdout),
            processes: processes.collect(),
            _folder: folder,
        }
    }

    fn send(&self, signal: Signal) {
        let pid = i32::try_from(self.server.id()).ok().and_then(Pid::from_raw);
        kill_process(pid.expect("a process"), signal).expect("a signal is sent");
    }

    /// Waits for the end, and that nothing is left then.
    fn ends(mut self) -> ExitStatus {
        let mut status = None;
        soon("the server ends", || {
            status = self.server.try_wait().expect("its status");
            status.is_some()
        });
        let left: Vec<i32> = self
            .processes
            .iter()
            .copied()
            .filter(|&process| runs(process))
            .collect();
        assert!(left.is_empty(), "{left:?} of {:?} are left", self.processes);
        status.expect("a status")
    }
}

fn served(folder: &Path) -> PathBuf {
    let ticker = folder.join("ticker");
    fs::write(&ticker, TICKER).expect("a program");
    fs::set_permissions(&ticker, fs::Permissions::from_mode(0o755)).expect("its mode");
    let description = folder.join("ticker.json");
    let text = DESCRIPTION.replace("@TICKER@", ticker.to_str().expect("a name"));
    fs::write(&description, text).expect("a description");
    description
}

#[track_caller]
fn soon(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn runs(process: i32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat"))
        .ok()
        .and_then(|stat| Some(stat.rsplit_once(") ")?.1.starts_with('Z')))
        .is_some_and(|zombie| !zombie)
}

#[test]
fn when_the_client_closes_stdin() {
    let mut busy = Busy::new();
    drop(busy.stdin.take());
    assert!(busy.ends().success());
}

#[test]
fn when_the_client_is_gone() {
    let mut busy = Busy::new();
    drop(busy.stdout.take());
    drop(busy.stdin.take());
    assert!(busy.ends().success());
}

#[test]
fn when_the_client_reads_nothing_of_what_it_asked_for() {
    let mut busy = Busy::new();
    let mut stdin = busy.stdin.take().expect("its stdin");
    for id in 3..500 {
        let list = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
        writeln!(stdin, "{list}").expect("a line is taken");
    }
    drop(stdin);
    assert!(busy.ends().success());
}

#[test]
fn when_a_signal_comes() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let busy = Busy::new();
        busy.send(signal);
        assert!(busy.ends().success(), "{signal:?}");
    }
}
