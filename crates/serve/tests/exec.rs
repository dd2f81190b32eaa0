//! Runs real programs and looks at what is left of them.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::Path;
use std::time::Duration;

use argway_core::output::{Ending, Outcome};
use argway_serve::exec::{self, Environment, Event, ExecError};
use common::{alive, run, run_with_events, runtime, script, token, wait_for};

/// A process that does not want to end, in a session of its own, with the
/// script's token on its command line.
const STUBBORN: &str =
    r#"setsid sh -c 'trap "" TERM HUP INT; while :; do sleep 0.05; done' sh "$1-stubborn""#;

fn text(outcome: &Outcome) -> (&str, &str) {
    (
        std::str::from_utf8(&outcome.stdout.head).unwrap(),
        std::str::from_utf8(&outcome.stderr.head).unwrap(),
    )
}

fn run_for(text: &str, token: &str, timeout: Duration) -> Outcome {
    let mut invocation = script(text, token);
    invocation.limits.timeout = timeout;
    run(invocation)
}

#[test]
fn both_streams_and_the_exit_code_arrive() {
    let outcome = run(script("printf out; printf err >&2; exit 3", ""));
    assert_eq!(outcome.ending, Ending::Exited(3));
    assert_eq!(text(&outcome), ("out", "err"));
    assert!(!outcome.ended_leftovers);
}

#[test]
fn every_exit_code_is_told() {
    for code in [0, 1, 2, 126, 127, 128, 255] {
        let outcome = run(script(&format!("exit {code}"), ""));
        assert_eq!(outcome.ending, Ending::Exited(code));
    }
}

#[test]
fn a_signal_of_somebody_else_is_told_by_its_number() {
    assert_eq!(
        run(script("kill -SEGV $$", "")).ending,
        Ending::Signalled(11)
    );
    assert_eq!(
        run(script("kill -KILL $$", "")).ending,
        Ending::Signalled(9)
    );
}

#[test]
fn stdin_is_empty_unless_given() {
    assert_eq!(text(&run(script("cat; echo end", ""))), ("end\n", ""));
    let mut invocation = script("cat", "");
    invocation.stdin = Some(b"given\0bytes\xff".to_vec());
    assert_eq!(run(invocation).stdout.head, b"given\0bytes\xff");
}

#[test]
fn a_large_stdin_and_its_echo_pass_each_other() {
    let bytes: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8).collect();
    let mut invocation = script("cat", "");
    invocation.stdin = Some(bytes.clone());
    invocation.limits.keep = 4 << 20;
    assert!(run(invocation).stdout.head == bytes);
}

#[test]
fn a_program_may_leave_its_stdin_unread() {
    let mut invocation = script("exec <&-; echo done", "");
    invocation.stdin = Some(vec![b'x'; 1 << 20]);
    let outcome = run(invocation);
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(text(&outcome).0, "done\n");
}

#[test]
fn binary_output_arrives_as_it_was() {
    let outcome = run(script(r"printf '\000\377\376\r\n\033[31m'", ""));
    assert_eq!(outcome.stdout.head, b"\x00\xff\xfe\r\n\x1b[31m");
}

#[test]
fn much_on_both_streams_at_once_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut invocation = script("seq 1 400000 >&2 & seq 1 400000; wait", "");
    invocation.limits.keep = 1000;
    invocation.limits.spill_folders = vec![folder.path().join("spill")];
    let outcome = run(invocation);
    let expected: String = (1..=400_000).map(|n| format!("{n}\n")).collect();
    for captured in [&outcome.stdout, &outcome.stderr] {
        assert_eq!(captured.total, expected.len() as u64);
        assert_eq!(captured.head, &expected.as_bytes()[..500]);
        assert_eq!(captured.tail, &expected.as_bytes()[expected.len() - 500..]);
        let file = captured.file.as_ref().unwrap();
        assert!(std::fs::read_to_string(file).unwrap() == expected);
    }
}

#[test]
fn a_flood_is_ended_at_the_limit_and_memory_stays_small() {
    let folder = tempfile::tempdir().unwrap();
    let token = token();
    let mut invocation = script(r#"sh -c 'yes "$0"' "$1" & wait"#, &token);
    invocation.limits.keep = 64 * 1024;
    invocation.limits.spill = 300 << 20;
    invocation.limits.spill_folders = vec![folder.path().join("spill")];
    let before = resident();
    let outcome = run(invocation);
    let grown = resident().saturating_sub(before);
    assert_eq!(outcome.ending, Ending::Flooded(300 << 20));
    let file = outcome.stdout.file.as_ref().unwrap();
    assert_eq!(std::fs::metadata(file).unwrap().len(), 300 << 20);
    assert_eq!(
        outcome.stdout.head.len() + outcome.stdout.tail.len(),
        64 * 1024
    );
    assert_eq!(alive(&token), Vec::<String>::new());
    assert!(grown < 32 << 20, "grew by {grown} bytes");
}

/// The most memory that this process ever had, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let number = line.split_whitespace().nth(1).unwrap();
    number.parse::<usize>().unwrap() * 1024
}

#[test]
fn without_a_folder_the_flood_ends_at_what_memory_keeps() {
    let mut invocation = script("yes", "");
    invocation.limits.keep = 10_000;
    let outcome = run(invocation);
    assert_eq!(outcome.ending, Ending::Flooded(10_000));
    assert_eq!(outcome.stdout.file, None);
}

#[test]
fn a_timeout_ends_a_grandchild_in_another_session_that_ignores_term() {
    let token = token();
    let outcome = run_for(
        &format!("{STUBBORN} & sleep 600"),
        &token,
        Duration::from_millis(400),
    );
    assert_eq!(outcome.ending, Ending::TimedOut(Duration::from_millis(400)));
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[test]
fn one_that_ends_when_asked_has_its_last_words_heard() {
    let outcome = run_for(
        r#"trap 'echo bye; exit 7' TERM; while :; do sleep 0.02; done"#,
        "",
        Duration::from_millis(300),
    );
    assert_eq!(outcome.ending, Ending::TimedOut(Duration::from_millis(300)));
    assert_eq!(text(&outcome).0, "bye\n");
}

#[test]
fn many_forking_away_from_the_end_are_all_ended() {
    let token = token();
    // Each generation starts the next in a new session and ends.
    let hop = r#"hop() { setsid sh -c "$0" "$0" "$1" & }; sleep 0.01; hop "$@""#;
    let outcome = run_for(
        &format!("sh -c '{hop}' '{hop}' \"$1\"; sleep 600"),
        &token,
        Duration::from_millis(300),
    );
    assert_eq!(outcome.ending, Ending::TimedOut(Duration::from_millis(300)));
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[test]
fn taking_a_call_back_ends_its_tree() {
    let token = token();
    let invocation = script(&format!("{STUBBORN} & echo started; sleep 600"), &token);
    let outcome = runtime().block_on(async {
        let (started, cancel) = tokio::sync::oneshot::channel();
        let mut started = Some(started);
        let cancelled = async {
            let _ = cancel.await;
        };
        exec::run(invocation, cancelled, &mut |event| {
            if let (Event::Stdout(_), Some(started)) = (event, started.take()) {
                let _ = started.send(());
            }
        })
        .await
        .unwrap()
    });
    assert_eq!(outcome.ending, Ending::Cancelled);
    assert_eq!(text(&outcome).0, "started\n");
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[test]
fn dropping_the_future_ends_the_tree() {
    let token = token();
    let invocation = script(&format!("{STUBBORN} & {STUBBORN} & sleep 600"), &token);
    runtime().block_on(async {
        let mut ignore = |_| {};
        let call = exec::run(invocation, std::future::pending(), &mut ignore);
        let there = async {
            while alive(&token).len() < 3 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            _ = call => panic!("it cannot have ended"),
            () = there => {}
        }
    });
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[test]
fn dropping_the_runtime_ends_what_runs_in_it() {
    let token = token();
    let invocation = script(&format!("{STUBBORN} & sleep 600"), &token);
    let runtime = runtime();
    runtime.spawn(async move {
        let mut ignore = |_| {};
        let _ = exec::run(invocation, std::future::pending(), &mut ignore).await;
    });
    runtime.block_on(async {
        while alive(&token).len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    drop(runtime);
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[test]
fn a_timeout_of_any_length_is_fine() {
    assert_eq!(
        run_for("exit 0", "", Duration::MAX).ending,
        Ending::Exited(0)
    );
}

/// Runs under a terminal, started by the test below.
#[test]
#[ignore = "needs a controlling terminal"]
fn inside_a_terminal() {
    let outcome = run(script("read answer </dev/tty", ""));
    println!("it ended with {:?}", outcome.ending);
}

#[test]
fn a_program_that_reads_from_the_terminal_is_ended_instead_of_waited_for() {
    let this = std::env::current_exe().unwrap();
    let inside = format!(
        "{} --exact inside_a_terminal --ignored --nocapture",
        this.display()
    );
    let output = std::process::Command::new("script")
        .args(["--quiet", "--command", &inside, "/dev/null"])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("it ended with Signalled(21)"), "{said}");
}

#[test]
fn what_holds_the_output_after_the_end_is_ended() {
    let token = token();
    let outcome = run(script(&format!("{STUBBORN} & echo out; exit 4"), &token));
    assert_eq!(outcome.ending, Ending::Exited(4));
    assert_eq!(text(&outcome).0, "out\n");
    assert!(outcome.ended_leftovers);
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[test]
fn what_is_still_printing_after_the_end_is_heard_out() {
    let outcome = run(script(
        "(for i in 1 2 3 4 5; do sleep 0.1; echo $i; done) & echo 0",
        "",
    ));
    assert_eq!(text(&outcome).0, "0\n1\n2\n3\n4\n5\n");
    assert!(!outcome.ended_leftovers);
}

#[test]
fn a_daemon_that_let_go_of_the_output_is_left_alone() {
    let token = token();
    let daemon = format!("{STUBBORN} </dev/null >/dev/null 2>&1 & echo started");
    let outcome = run(script(&daemon, &token));
    assert_eq!(text(&outcome).0, "started\n");
    assert!(!outcome.ended_leftovers);
    wait_for(&token, 1);
    for process in alive(&token) {
        let pid = process.split(' ').next().unwrap().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

#[test]
fn events_count_stdout_and_carry_whole_lines_of_stderr() {
    let (_, events) = run_with_events(script(
        r"printf 12345; printf 'one\nhalf ' >&2; sleep 0.1; printf 'line\n\033[1mlast\033[0m' >&2",
        "",
    ));
    assert!(events.contains(&Event::Stdout(5)));
    let lines: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            Event::StderrLine(line) => Some(line.as_str()),
            Event::Stdout(_) => None,
        })
        .collect();
    assert_eq!(lines, ["one", "half line", "last"]);
}

#[test]
fn words_environment_and_folder_arrive_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let mut invocation = script(r#"printf '%s|' "$@"; pwd; env | sort"#, "a b\nc'\"$x*");
    invocation.directory = Some(folder.path().canonicalize().unwrap());
    invocation.environment = Environment::Exactly(vec![("ONLY".into(), "this".into())]);
    let outcome = run(invocation);
    let (out, _) = text(&outcome);
    let expected = format!(
        "a b\nc'\"$x*|{}\n",
        folder.path().canonicalize().unwrap().display()
    );
    let rest = out
        .strip_prefix(&expected)
        .unwrap_or_else(|| panic!("{out}"));
    let names: Vec<&str> = rest
        .lines()
        .map(|line| line.split('=').next().unwrap())
        .collect();
    assert_eq!(names, ["ARGWAY_RUN", "ONLY", "PWD"]);
}

#[test]
fn the_environment_for_calls_switches_terminals_off() {
    let mut invocation = script(
        "echo $MCP_MODE $NO_COLOR $TERM $PAGER $GIT_PAGER ${FORCE_COLOR-unset}",
        "",
    );
    invocation.environment = exec::environment();
    assert_eq!(text(&run(invocation)).0, "true 1 dumb cat cat unset\n");
}

#[test]
fn what_cannot_be_started_says_which_and_why() {
    let attempt = |program: &str, directory: Option<&str>| {
        let mut invocation = script("", "");
        invocation.program = program.into();
        invocation.directory = directory.map(Into::into);
        let mut ignore = |_| {};
        let run = exec::run(invocation, std::future::pending(), &mut ignore);
        runtime().block_on(run).unwrap_err()
    };
    let missing = attempt("/nowhere/prog", None).to_string();
    assert!(
        missing.starts_with("/nowhere/prog cannot be started: No such file"),
        "{missing}"
    );
    let denied = attempt("/etc/passwd", None).to_string();
    assert!(
        denied.starts_with("/etc/passwd cannot be started: Permission denied"),
        "{denied}"
    );
    let folder = attempt("/bin/sh", Some("/nowhere"));
    assert!(matches!(folder, ExecError::Directory(path) if path == Path::new("/nowhere")));
}

#[test]
fn orphans_that_end_later_do_not_stay_as_zombies() {
    let token = token();
    for _ in 0..5 {
        run(script("(sleep 0.05 </dev/null >/dev/null 2>&1 &)", &token));
    }
    std::thread::sleep(Duration::from_millis(300));
    run(script("true", ""));
    let me = std::process::id().to_string();
    let zombies = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|entry| {
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let (name, rest) = stat.rsplit_once(')').unwrap_or_default();
            let mut fields = rest.split_whitespace();
            name.ends_with("(sleep") && fields.next() == Some("Z") && fields.next() == Some(&me)
        });
    assert_eq!(zombies.count(), 0);
}
