//! Calls from a made-up terminal to a made-up server.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::*;
use crate::config::Endpoint;
use crate::daemon::pool::Wire;
use crate::upstream::{CallEvent, CallOptions, UpstreamError};

/// A terminal that remembers.
struct Screen {
    voice: Voice,
    columns: Option<usize>,
    lines: Option<VecDeque<&'static str>>,
    stderr: String,
    /// How long a person thinks.
    thinks: Duration,
    leaves: Duration,
}

impl Default for Screen {
    fn default() -> Self {
        Self {
            voice: Voice::Normal,
            columns: None,
            lines: None,
            stderr: String::new(),
            thinks: Duration::ZERO,
            leaves: Duration::from_secs(1_000_000),
        }
    }
}

impl Person for Screen {
    fn can_ask(&self) -> bool {
        self.lines.is_some()
    }

    async fn ask(&mut self, question: &str, _: bool) -> Result<Option<String>, Gone> {
        self.stderr.push_str(question);
        tokio::time::sleep(self.thinks).await;
        let line = self.lines.as_mut().and_then(VecDeque::pop_front);
        Ok(line.map(str::to_owned))
    }
}

impl Terminal for Screen {
    fn voice(&self) -> Voice {
        self.voice
    }

    async fn stderr(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        self.stderr.push_str(&String::from_utf8_lossy(bytes));
        Ok(())
    }

    async fn warn(&mut self, text: &str) -> Result<(), Gone> {
        self.stderr.push_str(&format!("mcpx: {text}\n"));
        Ok(())
    }

    async fn note(&mut self, text: &str) -> Result<(), Gone> {
        self.stderr.push_str(&format!("mcpx: {text}\n"));
        Ok(())
    }

    async fn gone(&mut self) -> Gone {
        tokio::time::sleep(self.leaves).await;
        Gone
    }

    fn columns(&self) -> Option<usize> {
        self.columns
    }
}

/// What a server does with one request.
enum Does {
    Answers(Value),
    Fails(UpstreamError),
    /// Says these first, at once.
    Tells(Vec<CallEvent>, Value),
    /// Asks this, and answers with what it was answered.
    Asks(Value),
    Hangs,
}

/// A server that does these things, one a request.
#[derive(Default)]
struct Script {
    does: Mutex<VecDeque<Does>>,
    asked: Mutex<Vec<(String, Value)>>,
    cancelled: AtomicUsize,
    makes_tasks: bool,
}

/// Counts a request that was let go.
struct Watch<'a>(&'a AtomicUsize, bool);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if !self.1 {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Wire for Script {
    async fn request(
        &self,
        method: &str,
        params: &RawValue,
        options: CallOptions,
    ) -> Result<Box<RawValue>, UpstreamError> {
        let params = serde_json::from_str(params.get()).unwrap();
        self.asked.lock().unwrap().push((method.to_owned(), params));
        let mut watch = Watch(&self.cancelled, false);
        let does = self.does.lock().unwrap().pop_front();
        let answer = match does.unwrap_or(Does::Answers(json!({}))) {
            Does::Answers(answer) => answer,
            Does::Fails(error) => {
                watch.1 = true;
                return Err(error);
            }
            Does::Tells(events, answer) => {
                let teller = options.events.unwrap();
                for event in events {
                    teller.try_send(event).unwrap();
                    tokio::time::sleep(Duration::from_millis(60)).await;
                }
                answer
            }
            Does::Asks(question) => {
                let (reply, answered) = oneshot::channel();
                let params = serde_json::value::to_raw_value(&question).unwrap();
                let event = CallEvent::Elicit { params, reply };
                options.events.unwrap().try_send(event).unwrap();
                let answer = answered.await.unwrap();
                serde_json::from_str(answer.get()).unwrap()
            }
            Does::Hangs => std::future::pending().await,
        };
        watch.1 = true;
        Ok(serde_json::value::to_raw_value(&answer).unwrap())
    }

    fn is_alive(&self) -> bool {
        true
    }

    fn has_tools(&self) -> bool {
        true
    }

    fn makes_tasks(&self) -> bool {
        self.makes_tasks
    }

    async fn close(&self) {}
}

/// Calls `greet` on a server that does these things.
async fn called(
    screen: &mut Screen,
    answers: &[&str],
    does: impl IntoIterator<Item = Does>,
) -> (Result<Value, Stop>, Script) {
    let server = Script {
        does: Mutex::new(does.into_iter().collect()),
        ..Script::default()
    };
    let tool = r#"{"name":"greet"}"#;
    let answer = called_on(screen, answers, &server, tool).await;
    (answer, server)
}

/// Calls this tool on this server.
async fn called_on(
    screen: &mut Screen,
    answers: &[&str],
    server: &Script,
    tool: &str,
) -> Result<Value, Stop> {
    let target = Target {
        name: "fake".into(),
        endpoint: Endpoint::Http {
            url: "http://127.0.0.1".into(),
            headers: BTreeMap::new(),
            ca_file: None,
            proxies: Vec::new(),
        },
        identity: "1".into(),
        connect_timeout: Duration::from_secs(30),
        log: PathBuf::from("/dev/null"),
    };
    let settings = Settings {
        timeout: Duration::from_secs(60),
        connect_timeout: Duration::from_secs(30),
        keepalive: Duration::from_secs(60),
        cache_ttl: None,
        no_cache_tools: Vec::new(),
        tools: BTreeMap::new(),
    };
    let tool = RawValue::from_string(tool.into()).unwrap();
    let tool = ToolSpec::read(&tool, &[]).unwrap();
    let call = Call {
        target: &target,
        settings: &settings,
        tool: &tool,
        options: &Options::of(&[]).unwrap(),
        answers: &Answers::read(answers.iter().copied()).unwrap(),
    };
    let arguments = RawValue::from_string(r#"{"n": 1.50}"#.into()).unwrap();
    let answer = rounds::answer(screen, server, &call, &arguments).await;
    answer.map(|answer| serde_json::from_str(answer.result.get()).unwrap())
}

#[track_caller]
fn failure(answer: Result<Value, Stop>) -> (String, Exit) {
    match answer {
        Err(Stop::Failure(failure)) => (failure.to_string(), failure.exit()),
        other => panic!("{other:?}"),
    }
}

fn question() -> Value {
    json!({"message": "Name?", "requestedSchema": {
        "properties": {"name": {"type": "string"}}, "required": ["name"]
    }})
}

fn wants_input() -> Value {
    json!({"resultType": "input_required", "requestState": "opaque", "inputRequests": {
        "who": {"method": "elicitation/create", "params": question()}
    }})
}

fn done() -> Value {
    json!({"resultType": "complete", "content": []})
}

#[tokio::test(start_paused = true)]
async fn a_call_is_one_request_with_the_arguments() {
    let mut screen = Screen::default();
    let (answer, server) = called(&mut screen, &[], [Does::Answers(done())]).await;
    assert_eq!(answer.unwrap(), done());
    let asked = server.asked.lock().unwrap().clone();
    let params = json!({"name": "greet", "arguments": {"n": 1.5}});
    assert_eq!(asked, [("tools/call".to_owned(), params)]);
    assert_eq!(screen.stderr, "");
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_server_decides_the_exit_code() {
    for (code, exit) in [
        (-32601, Exit::Usage),
        (-32602, Exit::Usage),
        (-32700, Exit::Transport),
        (-32000, Exit::Transport),
    ] {
        let error = UpstreamError::Rpc {
            code,
            message: "no".into(),
            data: None,
        };
        let (answer, _) = called(&mut Screen::default(), &[], [Does::Fails(error)]).await;
        assert_eq!(failure(answer), (format!("fake: no ({code})"), exit));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_waits_for_is_let_go() {
    let mut screen = Screen {
        leaves: Duration::from_secs(5),
        ..Screen::default()
    };
    let (answer, server) = called(&mut screen, &[], [Does::Hangs]).await;
    assert!(matches!(answer, Err(Stop::Gone)));
    assert_eq!(server.cancelled.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_let_go() {
    let (answer, server) = called(&mut Screen::default(), &[], [Does::Hangs]).await;
    let text = "fake: no answer to tools/call within 60 s".to_owned();
    assert_eq!(failure(answer), (text, Exit::Transport));
    assert_eq!(server.cancelled.load(Ordering::SeqCst), 1);
}

fn progress(progress: f64) -> CallEvent {
    CallEvent::Progress {
        progress,
        total: Some(4.0),
        message: None,
    }
}

fn log() -> CallEvent {
    CallEvent::Log {
        level: "info".into(),
        text: "half\x1b[2J way".into(),
    }
}

#[tokio::test(start_paused = true)]
async fn progress_is_one_line_that_is_gone_at_the_end() {
    let tells = || {
        let events = [1.0, 2.0, 3.0].map(progress);
        [Does::Tells(events.into(), done())]
    };
    let mut screen = Screen {
        columns: Some(40),
        ..Screen::default()
    };
    called(&mut screen, &[], tells()).await.0.unwrap();
    assert_eq!(screen.stderr, "\r\x1b[K25%\r\x1b[K50%\r\x1b[K");

    let mut piped = Screen::default();
    called(&mut piped, &[], tells()).await.0.unwrap();
    assert_eq!(piped.stderr, "");
}

#[tokio::test(start_paused = true)]
async fn logs_are_told_when_asked_for_and_cannot_command_the_terminal() {
    let tells = || [Does::Tells(vec![progress(1.0), log()], done())];
    let mut screen = Screen {
        voice: Voice::Verbose,
        columns: Some(40),
        ..Screen::default()
    };
    called(&mut screen, &[], tells()).await.0.unwrap();
    assert_eq!(
        screen.stderr,
        "\r\x1b[K25%\r\x1b[Kmcpx: fake: info: half way\n"
    );
    let mut screen = Screen::default();
    called(&mut screen, &[], tells()).await.0.unwrap();
    assert_eq!(screen.stderr, "");
}

#[tokio::test(start_paused = true)]
async fn a_question_during_the_call_is_put_to_the_person_who_may_think() {
    let mut screen = Screen {
        lines: Some(VecDeque::from(["Ada"])),
        thinks: Duration::from_secs(600),
        ..Screen::default()
    };
    let (answer, _) = called(&mut screen, &[], [Does::Asks(question())]).await;
    let accepted = json!({"action": "accept", "content": {"name": "Ada"}});
    assert_eq!(answer.unwrap(), accepted);
    assert_eq!(screen.stderr, "`fake` asks: Name?\n  name\n  text> ");
}

#[tokio::test(start_paused = true)]
async fn a_question_during_the_call_that_nobody_can_answer_is_cancelled_and_told() {
    let mut screen = Screen::default();
    let (answer, _) = called(&mut screen, &[], [Does::Asks(question())]).await;
    assert_eq!(answer.unwrap(), json!({"action": "cancel"}));
    assert_eq!(
        screen.stderr,
        "mcpx: fake: it asks: Name?; answer with --answer='name=TEXT', or with --answer=decline\n"
    );
    let (answer, _) = called(&mut screen, &["name=Ada"], [Does::Asks(question())]).await;
    assert_eq!(answer.unwrap()["content"], json!({"name": "Ada"}));
}

#[tokio::test(start_paused = true)]
async fn a_result_that_wants_input_is_asked_for_again_with_the_answers() {
    let does = || [Does::Answers(wants_input()), Does::Answers(done())];
    let mut person = Screen {
        lines: Some(VecDeque::from(["Ada"])),
        ..Screen::default()
    };
    for (screen, flags) in [
        (&mut person, &[][..]),
        (&mut Screen::default(), &["name=Ada"]),
    ] {
        let (answer, server) = called(screen, flags, does()).await;
        assert_eq!(answer.unwrap(), done());
        let asked = server.asked.lock().unwrap()[1].clone();
        assert_eq!(
            asked.1,
            json!({
                "name": "greet",
                "arguments": {"n": 1.5},
                "inputResponses": {"who": {"action": "accept", "content": {"name": "Ada"}}},
                "requestState": "opaque",
            })
        );
    }
}

#[tokio::test(start_paused = true)]
async fn input_that_nobody_can_give_is_a_failure_with_the_flag_to_give() {
    let (answer, server) =
        called(&mut Screen::default(), &[], [Does::Answers(wants_input())]).await;
    let text = "fake: it asks: Name?; answer with --answer='name=TEXT', or with --answer=decline";
    assert_eq!(failure(answer), (text.to_owned(), Exit::Tool));
    assert_eq!(server.asked.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_stops_asking_is_given_up() {
    let does = (0..100).map(|_| Does::Answers(wants_input()));
    let (answer, server) = called(&mut Screen::default(), &["name=Ada"], does).await;
    let text = "fake: it asked 10 times and still has no result".to_owned();
    assert_eq!(failure(answer), (text, Exit::Transport));
    assert_eq!(server.asked.lock().unwrap().len(), 10);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_only_wants_to_be_asked_again_is() {
    let later = json!({"resultType": "input_required", "requestState": "later"});
    let does = [Does::Answers(later), Does::Answers(done())];
    let (answer, server) = called(&mut Screen::default(), &[], does).await;
    assert_eq!(answer.unwrap(), done());
    let asked = server.asked.lock().unwrap()[1].clone();
    assert_eq!(asked.1["requestState"], "later");
}

#[tokio::test(start_paused = true)]
async fn what_mcpx_does_not_give_is_refused_and_no_roots_are_given() {
    let wants = |method: &str| json!({"resultType": "input_required", "inputRequests": {"a": {"method": method}}});
    let does = [Does::Answers(wants("sampling/createMessage"))];
    let (answer, _) = called(&mut Screen::default(), &[], does).await;
    let text = "fake: it asks for `sampling/createMessage`, which mcpx does not give".to_owned();
    assert_eq!(failure(answer), (text, Exit::Transport));

    let does = [Does::Answers(wants("roots/list")), Does::Answers(done())];
    let (answer, server) = called(&mut Screen::default(), &[], does).await;
    assert_eq!(answer.unwrap(), done());
    let asked = server.asked.lock().unwrap()[1].clone();
    assert_eq!(asked.1["inputResponses"], json!({"a": {"roots": []}}));
}

mod printing {
    use super::*;
    use crate::paths::{Environment, Places};
    use crate::wire::{Invocation, Stdin, ToClient, receive};

    /// What arrives at the stdout of a client for this result.
    async fn printed(result: Value, stdout_is_terminal: bool) -> String {
        let home = tempfile::tempdir().unwrap();
        let environment = Environment(vec![("HOME".into(), home.path().into())]);
        let places = Places::of(&environment).unwrap();
        let shared = Shared::new(&places);
        let invocation = Invocation {
            words: vec![],
            folder: "/".into(),
            environment,
            stdin: Stdin::Nothing,
            stdout_is_terminal,
            stderr_is_terminal: stdout_is_terminal,
            columns: None,
        };
        let (mut caller, mut client) = Caller::of(invocation, places);
        let result = RawValue::from_string(result.to_string()).unwrap();
        let exit = print(&mut caller, &shared, "fake", result.into())
            .await
            .unwrap();
        caller.exit(exit).await;
        let mut stdout = Vec::new();
        while let Some(message) = receive(&mut client).await.unwrap() {
            if let ToClient::Stdout(bytes) = message {
                stdout.extend(bytes);
            }
        }
        String::from_utf8(stdout).unwrap()
    }

    #[tokio::test]
    async fn a_prompt_gets_a_line_of_its_own_and_a_pipe_what_was_sent() {
        for (content, piped, seen) in [
            (json!([{"type": "text", "text": "3"}]), "3", "3\n"),
            (json!([{"type": "text", "text": "3\n"}]), "3\n", "3\n"),
            (json!([{"type": "text", "text": ""}]), "", ""),
            (json!([]), "", ""),
        ] {
            let result = json!({"content": content});
            assert_eq!(printed(result.clone(), false).await, piped);
            assert_eq!(printed(result, true).await, seen);
        }
    }
}

mod tasks {
    use super::*;

    fn task(status: &str, more: Value) -> Does {
        let mut task = json!({"resultType": "complete", "taskId": "t", "status": status, "pollIntervalMs": 500});
        task.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        Does::Answers(task)
    }

    fn created() -> Does {
        task("working", json!({"resultType": "task"}))
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_is_asked_after_until_it_is_finished() {
        let asks = json!({"inputRequests": {"who": {"method": "elicitation/create", "params": question()}}});
        let does = [
            created(),
            task("working", json!({})),
            task("input_required", asks.clone()),
            Does::Answers(json!({})),
            // It has not read the answer yet.
            task("input_required", asks),
            task(
                "completed",
                json!({"result": {"content": [], "isError": true}}),
            ),
        ];
        let (answer, server) = called(&mut Screen::default(), &["name=Ada"], does).await;
        assert_eq!(answer.unwrap(), json!({"content": [], "isError": true}));
        let asked = server.asked.lock().unwrap();
        let methods: Vec<&str> = asked.iter().map(|(method, _)| method.as_str()).collect();
        let get = "tasks/get";
        assert_eq!(methods, ["tools/call", get, get, "tasks/update", get, get]);
        assert_eq!(
            asked[3].1["inputResponses"]["who"]["content"],
            json!({"name": "Ada"})
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_tool_that_demands_it_is_called_as_a_task() {
        let tool = r#"{"name": "greet", "execution": {"taskSupport": "required"}}"#;
        let created = json!({"task": {"taskId": "t", "status": "working", "ttl": null}});
        for (makes_tasks, does, expected) in [
            (
                true,
                vec![created, done()],
                &["tools/call", "tasks/result"][..],
            ),
            // It thought better of it.
            (true, vec![done()], &["tools/call"]),
            (false, vec![done()], &["tools/call"]),
        ] {
            let server = Script {
                does: Mutex::new(does.into_iter().map(Does::Answers).collect()),
                makes_tasks,
                ..Script::default()
            };
            let answer = called_on(&mut Screen::default(), &[], &server, tool).await;
            assert_eq!(answer.unwrap(), done());
            let asked = server.asked.lock().unwrap();
            let methods: Vec<&str> = asked.iter().map(|(method, _)| method.as_str()).collect();
            assert_eq!(methods, expected);
            assert_eq!(asked[0].1.get("task").is_some(), makes_tasks);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_task_is_its_error_and_a_cancelled_one_a_refusal() {
        let failed = json!({"error": {"code": -32602, "message": "no such greeting"}});
        let does = [created(), task("failed", failed)];
        let (answer, _) = called(&mut Screen::default(), &[], does).await;
        let text = "fake: no such greeting (-32602)".to_owned();
        assert_eq!(failure(answer), (text, Exit::Usage));

        let does = [
            created(),
            task("cancelled", json!({"statusMessage": "not today"})),
        ];
        let (answer, _) = called(&mut Screen::default(), &[], does).await;
        assert_eq!(failure(answer), ("not today".to_owned(), Exit::Tool));
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_nobody_waits_for_or_takes_too_long_is_cancelled() {
        let endless =
            || std::iter::once(created()).chain((0..1000).map(|_| task("working", json!({}))));
        let mut leaving = Screen {
            leaves: Duration::from_millis(100),
            ..Screen::default()
        };
        let (answer, server) = called(&mut leaving, &[], endless()).await;
        assert!(matches!(answer, Err(Stop::Gone)));
        let last = server.asked.lock().unwrap().last().cloned().unwrap();
        assert_eq!(last, ("tasks/cancel".to_owned(), json!({"taskId": "t"})));

        let (answer, server) = called(&mut Screen::default(), &[], endless()).await;
        let text = "fake: no answer to tools/call within 60 s".to_owned();
        assert_eq!(failure(answer), (text, Exit::Transport));
        let last = server.asked.lock().unwrap().last().cloned().unwrap();
        assert_eq!(last.0, "tasks/cancel");
    }
}
