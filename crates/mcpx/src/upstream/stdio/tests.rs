//! The fake server, started for real, with each of its faults.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::*;
use crate::config::Endpoint;
use crate::upstream::{self, CallEvent, CallOptions};

/// More than anything here takes, on a machine that does much else.
const LONG: Duration = Duration::from_secs(60);

/// A folder with a server in it.
struct Scene {
    folder: tempfile::TempDir,
    target: Target,
    memory: Memory,
}

impl Scene {
    fn new(flags: &[&str]) -> Self {
        Self::of(&fake_mcp(), flags)
    }

    fn of(program: &Path, args: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        let variable = |name: &str, value: &Path| (OsString::from(name), value.into());
        let target = Target {
            name: "fake".to_owned(),
            endpoint: Endpoint::Stdio {
                program: program.to_path_buf(),
                args: args.iter().map(|&arg| arg.to_owned()).collect(),
                environment: vec![
                    variable("PATH", Path::new("/usr/local/bin:/usr/bin:/bin")),
                    variable("FAKE_LOG", &path.join("heard")),
                ],
                folder: path.clone(),
            },
            identity: "fake".to_owned(),
            connect_timeout: LONG,
            log: path.join("logs/fake.log"),
        };
        Self {
            folder,
            target,
            memory: Memory::fleeting(),
        }
    }

    /// Through a shell that goes on as the fake server.
    fn by_shell(before: &str, flags: &str) -> Self {
        let script = format!("{before}; exec {} {flags}", fake_mcp().display());
        Self::of(Path::new("/bin/sh"), &["-c", &script])
    }

    async fn try_open(
        &self,
    ) -> Result<(Connection, mpsc::UnboundedReceiver<Event>), UpstreamError> {
        let (sender, events) = mpsc::unbounded_channel();
        let connection = upstream::open(&self.target, &self.memory, sender).await?;
        Ok((connection, events))
    }

    async fn open(&self) -> Connection {
        self.try_open().await.unwrap().0
    }

    async fn fails_to_open(&self) -> UpstreamError {
        self.try_open().await.unwrap_err()
    }

    /// Everything that the server was sent, and its beginnings and ends.
    fn heard(&self) -> String {
        fs::read_to_string(self.folder.path().join("heard")).unwrap_or_default()
    }

    /// The methods of the requests that it was sent.
    fn methods(&self) -> Vec<String> {
        let heard = self.heard();
        let messages = heard
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let methods = messages.filter_map(|message| message["method"].as_str().map(str::to_owned));
        methods.collect()
    }

    async fn hears(&self, text: &str) {
        let heard = async {
            while !self.heard().contains(text) {
                sleep(Duration::from_millis(10)).await;
            }
        };
        let heard = timeout(LONG, heard).await;
        assert!(heard.is_ok(), "{text} is not in\n{}", self.heard());
    }

    /// Every process that was started.
    fn pids(&self) -> Vec<String> {
        let heard = self.heard();
        let starts = heard.lines().filter_map(|line| line.strip_prefix("start "));
        starts.map(str::to_owned).collect()
    }

    async fn leaves_nothing(&self) {
        for pid in self.pids() {
            ends(&pid).await;
        }
    }
}

/// Beside the tests, where cargo puts the programs of the workspace.
fn fake_mcp() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test
        .parent()
        .and_then(Path::parent)
        .unwrap()
        .join("fake-mcp");
    assert!(
        path.is_file(),
        "{} is missing: cargo build -p argway-testkit",
        path.display()
    );
    path
}

/// Waits until a process is no more; a zombie is none.
async fn ends(pid: &str) {
    let gone = async {
        loop {
            let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output();
            let state = String::from_utf8(state.unwrap().stdout).unwrap();
            if state.trim().is_empty() || state.trim().starts_with('Z') {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(timeout(LONG, gone).await.is_ok(), "{pid} is still running");
}

fn params(tool: &str, arguments: &Value) -> Box<RawValue> {
    let params = json!({"name": tool, "arguments": arguments});
    RawValue::from_string(params.to_string()).unwrap()
}

fn within(time: Duration) -> CallOptions {
    CallOptions {
        timeout: Some(time),
        ..CallOptions::default()
    }
}

async fn call(
    connection: &Connection,
    tool: &str,
    arguments: Value,
) -> Result<Value, UpstreamError> {
    let params = params(tool, &arguments);
    let result = connection
        .request("tools/call", &params, within(LONG))
        .await?;
    Ok(serde_json::from_str(result.get()).unwrap())
}

async fn text(connection: &Connection, tool: &str, arguments: Value) -> String {
    let result = call(connection, tool, arguments).await.unwrap();
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_server_is_opened_and_answers() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    let about = connection.about().clone();
    assert_eq!(about.name.as_deref(), Some("fake-mcp"));
    assert_eq!(about.version.as_deref(), Some("1.2.3"));
    assert_eq!(about.instructions.as_deref(), Some("Use `add` to add."));
    assert_eq!(about.protocol, "2025-11-25");
    assert!(about.has_tools && connection.is_alive());
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
    assert_eq!(
        connection.pid().map(|pid| pid.to_string()),
        scene.pids().first().cloned()
    );
    assert_eq!(
        scene.methods(),
        ["initialize", "notifications/initialized", "tools/call"]
    );
}

#[tokio::test]
async fn every_version_that_is_opened_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let connection = Scene::new(&["--protocol", version]).open().await;
        assert_eq!(connection.about().protocol, version);
        assert_eq!(text(&connection, "echo", json!({"text": "hi"})).await, "hi");
    }
}

#[tokio::test]
async fn a_version_that_is_not_known_is_an_error_that_names_it() {
    let error = Scene::new(&["--protocol", "1999-01-01"])
        .fails_to_open()
        .await;
    assert!(matches!(error, UpstreamError::Protocol(_)), "{error:?}");
    assert!(error.to_string().contains("1999-01-01"), "{error}");
}

#[tokio::test]
async fn banners_returns_and_marks_on_stdout_are_no_obstacle() {
    let scene = Scene::new(&["--banner", "--crlf"]);
    let connection = scene.open().await;
    assert_eq!(text(&connection, "echo", json!({"text": "hi"})).await, "hi");
    let log = fs::read_to_string(&scene.target.log).unwrap();
    assert!(log.contains("fake-mcp is listening"), "{log}");
    let connection = Scene::new(&["--bom"]).open().await;
    assert_eq!(text(&connection, "echo", json!({"text": "hi"})).await, "hi");
}

#[tokio::test]
async fn a_server_without_initialize_is_discovered_and_remembered() {
    let scene = Scene::new(&["--era", "modern-only"]);
    let connection = scene.open().await;
    assert_eq!(connection.about().protocol, "2026-07-28");
    assert_eq!(connection.about().name.as_deref(), Some("fake-mcp"));
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
    assert_eq!(scene.pids().len(), 1);
    let before = scene.methods().len();
    let connection = scene.open().await;
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
    let methods = &scene.methods()[before..];
    assert_eq!(methods.first().map(String::as_str), Some("server/discover"));
    assert!(!methods.contains(&"initialize".to_owned()), "{methods:?}");
}

#[tokio::test]
async fn a_server_that_ends_with_its_refusal_is_started_again() {
    let scene = Scene::new(&["--era", "modern-only", "--exit-on-initialize"]);
    let connection = scene.open().await;
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
    assert_eq!(scene.pids().len(), 2);
}

#[tokio::test]
async fn a_remembered_life_that_fails_is_searched_anew() {
    for flags in [&["--exit-on-discover"][..], &["--era", "legacy"]] {
        let scene = Scene::new(flags);
        let life = Life::Stateless {
            protocol: "2026-07-28".to_owned(),
        };
        let key = Memory::key(&scene.target.endpoint);
        scene.memory.learn(&key, &life);
        let connection = scene.open().await;
        assert_eq!(connection.about().protocol, "2025-11-25");
        assert!(matches!(
            scene.memory.recall(&key),
            Some(Life::Opened { .. })
        ));
    }
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up_and_ended() {
    let mut scene = Scene::new(&["--never-initialize"]);
    scene.target.connect_timeout = Duration::from_millis(300);
    let error = scene.fails_to_open().await;
    assert_eq!(error.to_string(), "no answer to initialize within 0.3 s");
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn a_server_that_takes_its_time_is_waited_for() {
    let scene = Scene::new(&["--slow-initialize", "500"]);
    let connection = scene.open().await;
    assert_eq!(text(&connection, "echo", json!({"text": "hi"})).await, "hi");
}

#[tokio::test]
async fn a_server_that_ends_at_once_says_why() {
    let scene = Scene::new(&["--fail-to-start", "7"]);
    match scene.fails_to_open().await {
        UpstreamError::Start { reason, stderr } => {
            assert!(
                reason.ends_with("fake-mcp ended with exit code 7 before it was ready"),
                "{reason}"
            );
            assert_eq!(stderr, "fake-mcp: there is no database here");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    for (program, expected) in [
        (folder.path().join("missing"), "there is no program"),
        (file("plain", "text", 0o644), "is not an executable file"),
        (
            file("script", "#!/no/such/interpreter\n", 0o755),
            "the interpreter that its first line names",
        ),
    ] {
        let error = Scene::of(&program, &[]).fails_to_open().await;
        assert!(matches!(error, UpstreamError::Start { .. }), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(
            error.to_string().contains(program.to_str().unwrap()),
            "{error}"
        );
    }
    let scene = Scene::new(&[]);
    fs::remove_dir_all(scene.folder.path()).unwrap();
    let error = scene.fails_to_open().await;
    assert!(error.to_string().contains("no such folder"), "{error}");
}

#[tokio::test]
async fn a_server_gets_its_words_its_folder_and_only_its_variables() {
    let scene = Scene::new(&["--", "two words", "$HOME", ""]);
    let connection = scene.open().await;
    let folder = scene.folder.path().canonicalize().unwrap();
    assert_eq!(
        text(&connection, "cwd", json!({})).await,
        folder.to_str().unwrap()
    );
    assert_eq!(
        text(&connection, "args", json!({})).await,
        r#"["--","two words","$HOME",""]"#
    );
    let path = text(&connection, "env", json!({"name": "PATH"})).await;
    assert_eq!(path, "/usr/local/bin:/usr/bin:/bin");
    let cargo = text(&connection, "env", json!({"name": "CARGO_MANIFEST_DIR"})).await;
    assert_eq!(cargo, "not set");
}

#[tokio::test]
async fn a_crash_fails_every_call_under_way_and_tells_how() {
    let scene = Scene::new(&[]);
    let (connection, mut events) = scene.try_open().await.unwrap();
    let (hanging, crashing) = tokio::join!(
        call(&connection, "hang", json!({})),
        call(&connection, "crash", json!({"code": 3})),
    );
    for error in [hanging.unwrap_err(), crashing.unwrap_err()] {
        match error {
            UpstreamError::Ended { reason, stderr } => {
                assert_eq!(reason, "ended with exit code 3 during the call");
                assert_eq!(stderr, "fake-mcp: out of paper");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(!connection.is_alive());
    assert!(timeout(LONG, events.recv()).await.unwrap().is_none());
    let later = call(&connection, "add", json!({"a": 1, "b": 2})).await;
    assert_eq!(later.unwrap_err().to_string(), "ended with exit code 3");
    assert_eq!(
        text(&scene.open().await, "add", json!({"a": 1, "b": 2})).await,
        "3"
    );
}

#[tokio::test]
async fn an_end_by_a_signal_is_told_as_one() {
    let connection = Scene::new(&[]).open().await;
    let error = call(&connection, "abort", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "was ended by signal 6 during the call");
}

#[tokio::test]
async fn a_server_that_ends_when_idle_is_known_to_be_gone() {
    let scene = Scene::new(&["--exit-after-idle", "100"]);
    let (connection, mut events) = scene.try_open().await.unwrap();
    assert!(timeout(LONG, events.recv()).await.unwrap().is_none());
    assert!(!connection.is_alive());
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn answers_find_their_calls_whatever_the_server_does() {
    let connection = Scene::new(&[]).open().await;
    let (first, second) = tokio::join!(
        text(&connection, "out_of_order", json!({"text": "first"})),
        text(&connection, "out_of_order", json!({"text": "second"})),
    );
    assert_eq!((first.as_str(), second.as_str()), ("first", "second"));
    for (tool, expected) in [
        ("twice", "the first answer"),
        ("string_id", "by a string"),
        ("batch", "from a batch"),
        ("garbage", "after the garbage"),
        ("invalid_utf8", "caf\u{fffd}"),
        ("extra_fields", "plain"),
        ("no_input_schema", "no_input_schema was called"),
    ] {
        assert_eq!(text(&connection, tool, json!({})).await, expected);
    }
    assert_eq!(
        call(&connection, "null_result", json!({})).await.unwrap(),
        Value::Null
    );
    assert_eq!(
        call(&connection, "empty", json!({})).await.unwrap(),
        json!({})
    );
}

#[tokio::test]
async fn a_result_arrives_as_it_was_sent() {
    let connection = Scene::new(&[]).open().await;
    let params = params("structured", &json!({}));
    let result = connection
        .request("tools/call", &params, within(LONG))
        .await
        .unwrap();
    for piece in [
        r#"{"zebra":9223372036854775807,"apple":-9223372036854775808"#,
        r#""beyond":123456789012345678901234567890"#,
        r#""pi":3.14159265358979323846264338327950288,"one":1.0"#,
        r#""large":1E400"#,
        r#""\u00e9 \/""#,
        r#", "spaced" : [ 1 , 2 ]}"#,
    ] {
        assert!(result.get().contains(piece), "{piece}");
    }
}

#[tokio::test]
async fn errors_leave_the_server_running() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    match call(&connection, "rpc_error", json!({"code": -32042})).await {
        Err(UpstreamError::Rpc {
            code,
            message,
            data,
        }) => {
            assert_eq!((code, message.as_str()), (-32042, "that went wrong"));
            assert_eq!(data.unwrap().get(), r#"{"hint":"try another"}"#);
        }
        other => panic!("{other:?}"),
    }
    let odd = call(&connection, "odd_error", json!({})).await.unwrap_err();
    assert_eq!(odd.to_string(), "E_ODD (-32603)");
    let neither = call(&connection, "no_result", json!({})).await.unwrap_err();
    assert!(matches!(neither, UpstreamError::Protocol(_)), "{neither:?}");
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
    assert_eq!(scene.pids().len(), 1);
}

#[tokio::test]
async fn a_call_that_hangs_delays_no_other() {
    let connection = Scene::new(&[]).open().await;
    let hanging = call(&connection, "hang", json!({}));
    tokio::select! {
        biased;
        answer = hanging => panic!("{answer:?}"),
        sum = text(&connection, "add", json!({"a": 1, "b": 2})) => assert_eq!(sum, "3"),
    }
}

#[tokio::test]
async fn slow_calls_run_side_by_side() {
    let connection = Scene::new(&[]).open().await;
    let slow = |ms: u64| text(&connection, "slow", json!({"ms": ms}));
    let mut order = Vec::new();
    let (mut long, mut short) = (Box::pin(slow(800)), Box::pin(slow(100)));
    while order.len() < 2 {
        tokio::select! {
            done = &mut long, if !order.contains(&"waited 800 ms".to_owned()) => order.push(done),
            done = &mut short, if !order.contains(&"waited 100 ms".to_owned()) => order.push(done),
        }
    }
    assert_eq!(order, ["waited 100 ms", "waited 800 ms"]);
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_cancelled_at_the_server() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    tokio::select! {
        biased;
        answer = call(&connection, "slow", json!({"ms": 50_000})) => panic!("{answer:?}"),
        () = scene.hears("50000") => {}
    }
    scene.hears("notifications/cancelled").await;
    scene.hears("stopped 2").await;
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled_at_the_server() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    let params = params("slow", &json!({"ms": 50_000}));
    let late = connection.request("tools/call", &params, within(Duration::from_millis(200)));
    let error = late.await.unwrap_err();
    assert_eq!(error.to_string(), "no answer to tools/call within 0.2 s");
    scene.hears("stopped 2").await;
    assert!(connection.is_alive());
}

#[tokio::test]
async fn a_flood_on_stderr_blocks_nobody_and_stays_bounded() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    let (flooded, sum) = tokio::join!(
        text(&connection, "flood_stderr", json!({"bytes": 20_000_000})),
        text(&connection, "add", json!({"a": 1, "b": 2})),
    );
    assert_eq!((flooded.as_str(), sum.as_str()), ("flooded", "3"));
    connection.close().await;
    let logs = fs::read_dir(scene.target.log.parent().unwrap()).unwrap();
    let lengths: Vec<u64> = logs
        .map(|log| log.unwrap().metadata().unwrap().len())
        .collect();
    assert_eq!(lengths.len(), 2);
    assert!(
        lengths.iter().all(|length| *length <= 1024 * 1024),
        "{lengths:?}"
    );
}

#[tokio::test]
async fn a_result_of_fifty_megabytes_arrives_while_others_are_answered() {
    let connection = Scene::new(&[]).open().await;
    let (big, sum) = tokio::join!(
        text(&connection, "big", json!({"bytes": 50_000_000})),
        text(&connection, "add", json!({"a": 1, "b": 2})),
    );
    assert_eq!((big.len(), sum.as_str()), (50_000_000, "3"));
}

#[tokio::test]
async fn a_server_that_does_not_read_blocks_only_its_own_callers() {
    let scene = Scene::new(&["--deaf"]);
    let connection = scene.open().await;
    let params = params("echo", &json!({"text": "x".repeat(1_000_000)}));
    let calls = (0..100)
        .map(|_| connection.request("tools/call", &params, within(Duration::from_millis(300))));
    for answer in futures_util::future::join_all(calls).await {
        let error = answer.unwrap_err();
        assert!(matches!(error, UpstreamError::Timeout { .. }), "{error:?}");
    }
    connection.close().await;
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn what_happens_meanwhile_is_told_to_the_caller() {
    let scene = Scene::new(&[]);
    let (connection, mut events) = scene.try_open().await.unwrap();
    let (sender, mut meanwhile) = mpsc::unbounded_channel();
    for (tool, arguments) in [("progress", json!({"steps": 2})), ("logs", json!({}))] {
        let options = CallOptions {
            events: Some(sender.clone()),
            ..within(LONG)
        };
        let params = params(tool, &arguments);
        connection
            .request("tools/call", &params, options)
            .await
            .unwrap();
    }
    drop(sender);
    let mut told = Vec::new();
    while let Some(event) = meanwhile.recv().await {
        told.push(match event {
            CallEvent::Progress {
                progress,
                total,
                message,
            } => {
                format!("{progress} of {total:?}: {message:?}")
            }
            CallEvent::Log { level, text } => format!("{level}: {text}"),
            CallEvent::Elicit { params, .. } => params.get().to_owned(),
        });
    }
    assert_eq!(
        told,
        [
            r#"1 of Some(2.0): Some("step 1")"#,
            r#"2 of Some(2.0): Some("step 2")"#,
            "info: a plain text",
            r#"warning: engine: {"heat":99}"#,
        ]
    );
    assert!(matches!(events.recv().await, Some(Event::Log { .. })));
}

#[tokio::test]
async fn tools_that_changed_are_told() {
    for flags in [&[][..], &["--era", "modern-only"]] {
        let scene = Scene::new(flags);
        let (connection, mut events) = scene.try_open().await.unwrap();
        if !flags.is_empty() {
            scene.hears("subscriptions/listen").await;
        }
        assert_eq!(
            text(&connection, "list_changed", json!({})).await,
            "added_1"
        );
        let event = timeout(LONG, events.recv()).await.unwrap();
        assert!(matches!(event, Some(Event::ToolsChanged)), "{event:?}");
    }
}

#[tokio::test]
async fn questions_of_the_server_are_answered_or_refused() {
    let connection = Scene::new(&[]).open().await;
    for (tool, expected) in [
        ("sampling", "refused -32601"),
        ("roots", "refused -32601"),
        ("ping_back", "{}"),
        ("elicit", r#"{"action":"cancel"}"#),
    ] {
        assert_eq!(text(&connection, tool, json!({})).await, expected);
    }
}

#[tokio::test]
async fn a_question_for_the_person_comes_to_its_call_and_stops_the_clock() {
    let connection = Scene::new(&[]).open().await;
    let (sender, mut events) = mpsc::unbounded_channel();
    let options = CallOptions {
        timeout: Some(Duration::from_millis(1500)),
        events: Some(sender),
        can_ask: true,
    };
    let params = params("elicit", &json!({}));
    let person = async {
        let Some(CallEvent::Elicit { params, reply }) = events.recv().await else {
            panic!("nothing is asked");
        };
        assert!(params.get().contains("Who are you?"), "{params}");
        sleep(Duration::from_millis(2500)).await;
        let answer = r#"{"action":"accept","content":{"name":"Ada"}}"#;
        reply
            .send(RawValue::from_string(answer.to_owned()).unwrap())
            .unwrap();
    };
    let (answer, ()) = tokio::join!(connection.request("tools/call", &params, options), person);
    let answer = answer.unwrap();
    assert!(answer.get().contains("Ada"), "{answer}");
}

#[tokio::test]
async fn closing_lets_a_server_end_in_order() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    connection.close().await;
    assert!(scene.heard().contains("\nend "), "{}", scene.heard());
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn closing_ends_what_the_server_has_started() {
    for flags in [&[][..], &["--ignore-eof"]] {
        let scene = Scene::new(flags);
        let connection = scene.open().await;
        let child = text(&connection, "child", json!({})).await;
        connection.close().await;
        ends(&child).await;
        scene.leaves_nothing().await;
    }
}

#[tokio::test]
async fn closing_ends_a_server_that_ignores_everything() {
    let scene = Scene::by_shell("trap '' TERM", "--ignore-eof");
    let connection = scene.open().await;
    connection.close().await;
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn dropping_ends_a_server_and_what_it_has_started() {
    let scene = Scene::by_shell("trap '' TERM", "--ignore-eof");
    let connection = scene.open().await;
    let child = text(&connection, "child", json!({})).await;
    drop(connection);
    ends(&child).await;
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn giving_up_on_the_opening_ends_the_server() {
    let scene = Scene::new(&["--never-initialize", "--ignore-eof"]);
    tokio::select! {
        biased;
        opened = scene.try_open() => panic!("{opened:?}"),
        () = scene.hears("initialize") => {}
    }
    scene.leaves_nothing().await;
}

#[test]
fn nothing_survives_the_runtime() {
    let scene = Scene::by_shell("trap '' TERM", "--ignore-eof");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (connection, child) = runtime.block_on(async {
        let connection = scene.open().await;
        let child = text(&connection, "child", json!({})).await;
        (connection, child)
    });
    runtime.shutdown_background();
    let pids = [scene.pids(), vec![child]].concat();
    let other = tokio::runtime::Runtime::new().unwrap();
    other.block_on(async {
        for pid in pids {
            ends(&pid).await;
        }
    });
    drop(connection);
}
