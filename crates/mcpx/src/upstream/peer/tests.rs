//! A peer with a link that only notes what it is given.

use serde_json::{Value, json};

use super::*;
use crate::upstream::{CALL_EVENTS, EVENTS};

/// What a link was told to do.
#[derive(Debug)]
struct Notes {
    sent: mpsc::UnboundedSender<Outgoing>,
    /// Whether it says that it told the server itself.
    tells: bool,
    /// What sending comes to.
    outcome: Result<(), UpstreamError>,
}

impl Link for Notes {
    fn send(&self, message: Outgoing) -> Doing<'_, Result<(), UpstreamError>> {
        let _ = self.sent.send(message);
        let outcome = self.outcome.clone();
        Box::pin(async move { outcome })
    }

    fn abandon(&self, _id: i64) -> bool {
        self.tells
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn close(&self) -> Doing<'_, ()> {
        Box::pin(async {})
    }
}

impl Peer {
    /// What a request hears that nobody sent or answers.
    pub fn overheard(&self) -> mpsc::Receiver<CallEvent> {
        let (answer, _) = oneshot::channel();
        let (sender, events) = mpsc::channel(CALL_EVENTS);
        let waiting = Waiting {
            method: "tools/call".to_owned(),
            answer,
            events: Some(sender),
            can_ask: false,
            patience: Patience::default(),
        };
        self.state().waiting.insert(0, waiting);
        events
    }
}

struct Scene {
    peer: Peer,
    sent: mpsc::UnboundedReceiver<Outgoing>,
    events: mpsc::Receiver<Event>,
}

impl Scene {
    fn new() -> Self {
        Self::with(false, Ok(()))
    }

    fn with(tells: bool, outcome: Result<(), UpstreamError>) -> Self {
        let (events_in, events) = mpsc::channel(EVENTS);
        let (sent_in, sent) = mpsc::unbounded_channel();
        let peer = Peer::new(events_in);
        peer.attach(Arc::new(Notes {
            sent: sent_in,
            tells,
            outcome,
        }));
        Self { peer, sent, events }
    }

    /// The next message that was sent, as JSON.
    async fn next(&mut self) -> Value {
        let message = self.sent.recv().await.unwrap();
        serde_json::from_str(&message.body).unwrap()
    }

    /// A call under way, in a task of its own; its id is `expected`.
    async fn call(&mut self, options: CallOptions, expected: i64) -> Calling {
        let peer = self.peer.clone();
        let calling = tokio::spawn(async move {
            peer.request("tools/call", &raw(&json!({"name": "t"})), options)
                .await
        });
        assert_eq!(self.next().await["id"], expected);
        calling
    }
}

type Calling = tokio::task::JoinHandle<Answer>;

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

fn asking() -> (CallOptions, mpsc::Receiver<CallEvent>) {
    let (sender, events) = mpsc::channel(CALL_EVENTS);
    let options = CallOptions {
        timeout: None,
        events: Some(sender),
        can_ask: true,
        wants_logs: false,
    };
    (options, events)
}

fn elicitation(id: &str, token: Option<i64>) -> String {
    let mut params = json!({"message": "Who?", "requestedSchema": {"type": "object"}});
    if let Some(token) = token {
        params["_meta"] = json!({"progressToken": token});
    }
    json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params})
        .to_string()
}

#[tokio::test]
async fn an_answer_comes_to_its_request_once() {
    let mut scene = Scene::new();
    let first = scene.call(CallOptions::default(), 1).await;
    let second = scene.call(CallOptions::default(), 2).await;
    for text in [
        r#"{"id":9,"result":"nobody's"}"#,
        r#"{"id":"x","result":"nobody's"}"#,
        r#"{"id":2,"result":"second"}"#,
        r#"{"id":2,"result":"again"}"#,
        r#"{"id":1,"result":{"n":1.00},"error":null}"#,
    ] {
        assert!(scene.peer.incoming(text), "{text}");
    }
    assert_eq!(second.await.unwrap().unwrap().get(), r#""second""#);
    assert_eq!(first.await.unwrap().unwrap().get(), r#"{"n":1.00}"#);
    assert!(!scene.peer.awaits(1));
}

#[tokio::test]
async fn a_request_says_what_its_life_asks_for() {
    let mut scene = Scene::new();
    let params = raw(&json!({"name": "t", "_meta": {"mine": 1}}));
    let (options, _events) = asking();
    scene.peer.live(Some(Life::Stateless {
        protocol: "2026-07-28".to_owned(),
    }));
    tokio::select! {
        biased;
        answer = scene.peer.request("tools/call", &params, options) => panic!("{answer:?}"),
        () = std::future::ready(()) => {}
    }
    let sent = scene.sent.recv().await.unwrap();
    assert_eq!((sent.id, sent.name.as_deref()), (Some(1), Some("t")));
    let body: Value = serde_json::from_str(&sent.body).unwrap();
    let meta = &body["params"]["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object());
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "mcpx");
    assert_eq!(meta["progressToken"], 1);
    assert_eq!(meta["mine"], 1);
}

#[tokio::test]
async fn a_link_that_tells_the_server_itself_needs_no_notification() {
    for (tells, expected) in [(true, "next"), (false, "notifications/cancelled")] {
        let mut scene = Scene::with(tells, Ok(()));
        let calling = scene.call(CallOptions::default(), 1).await;
        calling.abort();
        assert!(calling.await.unwrap_err().is_cancelled());
        if tells {
            scene.peer.notify("next", RawValue::NULL).await.unwrap();
        }
        let sent = scene.next().await;
        assert_eq!(sent["method"], expected);
        if !tells {
            assert_eq!(sent["params"]["requestId"], 1);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_opening_is_never_cancelled() {
    let mut scene = Scene::new();
    let time = Duration::from_secs(5);
    let opened = life::initialize(&scene.peer, time).await;
    assert!(
        matches!(opened, Err(UpstreamError::Timeout { .. })),
        "{opened:?}"
    );
    assert_eq!(scene.next().await["method"], "initialize");
    scene.peer.notify("next", RawValue::NULL).await.unwrap();
    assert_eq!(scene.next().await["method"], "next");
}

#[tokio::test]
async fn a_message_that_cannot_be_sent_fails_only_its_request() {
    let error = UpstreamError::Network("reset".to_owned());
    let scene = Scene::with(true, Err(error));
    let answer = scene
        .peer
        .request("ping", RawValue::NULL, CallOptions::default())
        .await;
    assert_eq!(answer.unwrap_err().to_string(), "reset");
    assert!(scene.peer.is_alive());
}

#[tokio::test]
async fn the_end_fails_everything_and_lets_the_events_go() {
    let mut scene = Scene::new();
    let calling = scene.call(CallOptions::default(), 1).await;
    scene.peer.ended(UpstreamError::Ended {
        reason: "hung up".to_owned(),
        stderr: String::new(),
    });
    let error = calling.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "hung up during the call");
    let later = scene
        .peer
        .request("ping", RawValue::NULL, CallOptions::default())
        .await;
    assert_eq!(later.unwrap_err().to_string(), "hung up");
    assert!(scene.events.recv().await.is_none());
}

#[tokio::test]
async fn a_dropped_connection_lets_its_link_go() {
    let (events, _) = mpsc::channel(EVENTS);
    let (sent, mut gone) = mpsc::unbounded_channel();
    let link = Arc::new(Notes {
        sent,
        tells: true,
        outcome: Ok(()),
    });
    let peer = Peer::new(events);
    let connection = Connection::new(peer.clone(), link);
    drop(connection);
    assert!(gone.recv().await.is_none());
    assert!(!peer.is_alive());
}

/// A link that never gets rid of a message.
#[derive(Debug)]
struct Stuck {
    _here: mpsc::UnboundedSender<()>,
}

impl Link for Stuck {
    fn send(&self, _message: Outgoing) -> Doing<'_, Result<(), UpstreamError>> {
        Box::pin(std::future::pending())
    }

    fn abandon(&self, _id: i64) -> bool {
        false
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn close(&self) -> Doing<'_, ()> {
        Box::pin(async {})
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_stuck_does_not_keep_a_dropped_connection() {
    let (events, _) = mpsc::channel(EVENTS);
    let (here, mut gone) = mpsc::unbounded_channel();
    let connection = Connection::new(Peer::new(events), Arc::new(Stuck { _here: here }));
    let options = CallOptions {
        timeout: Some(Duration::from_millis(1)),
        ..CallOptions::default()
    };
    let late = connection.request("ping", RawValue::NULL, options).await;
    assert!(
        matches!(late, Err(UpstreamError::Timeout { .. })),
        "{late:?}"
    );
    let dropped = Instant::now();
    drop(connection);
    assert!(gone.recv().await.is_none());
    assert_eq!(dropped.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn a_question_among_several_calls_goes_to_the_one_that_it_names() {
    let mut scene = Scene::new();
    let (options, mut first) = asking();
    let _first_call = scene.call(options, 1).await;
    let (options, mut second) = asking();
    let _second_call = scene.call(options, 2).await;
    scene.peer.incoming(&elicitation("unclear", None));
    let refusal = scene.next().await;
    assert_eq!(
        (&refusal["id"], &refusal["error"]["code"]),
        (&json!("unclear"), &json!(-32603))
    );
    scene.peer.incoming(&elicitation("by-token", Some(2)));
    let Some(CallEvent::Elicit { reply, .. }) = second.recv().await else {
        panic!("the second is not asked");
    };
    reply.send(raw(&json!({"action": "decline"}))).unwrap();
    let answer = scene.next().await;
    assert_eq!(answer["id"], "by-token");
    assert_eq!(answer["result"], json!({"action": "decline"}));
    scene.peer.incoming_for(1, &elicitation("by-stream", None));
    let Some(CallEvent::Elicit { reply, .. }) = first.recv().await else {
        panic!("the first is not asked");
    };
    drop(reply);
    let answer = scene.next().await;
    assert_eq!(answer["id"], "by-stream");
    assert_eq!(answer["result"], json!({"action": "cancel"}));
}

#[tokio::test]
async fn a_task_asks_while_its_result_is_waited_for() {
    let mut scene = Scene::new();
    let (options, mut events) = asking();
    let peer = scene.peer.clone();
    let _waiting = tokio::spawn(async move {
        let task = raw(&json!({"taskId": "t"}));
        peer.request("tasks/result", &task, options).await
    });
    assert_eq!(scene.next().await["method"], "tasks/result");
    scene.peer.incoming(&elicitation("who", None));
    let Some(CallEvent::Elicit { reply, .. }) = events.recv().await else {
        panic!("nobody is asked");
    };
    reply.send(raw(&json!({"action": "decline"}))).unwrap();
    assert_eq!(scene.next().await["result"]["action"], "decline");
}

#[tokio::test]
async fn a_question_where_nobody_can_be_asked_is_cancelled() {
    let mut scene = Scene::new();
    scene.peer.incoming(&elicitation("none", None));
    assert_eq!(scene.next().await["result"]["action"], "cancel");
    let _calls = [
        scene.call(CallOptions::default(), 1).await,
        scene.call(CallOptions::default(), 2).await,
    ];
    scene.peer.incoming(&elicitation("two", None));
    assert_eq!(scene.next().await["result"]["action"], "cancel");
}

#[tokio::test]
async fn log_messages_of_a_stream_go_to_its_call_only() {
    let mut scene = Scene::new();
    let (options, mut first) = asking();
    let first_call = scene.call(options, 1).await;
    let (options, mut second) = asking();
    let second_call = scene.call(options, 2).await;
    let log = r#"{"method":"notifications/message","params":{"level":"info","data":"hello"}}"#;
    scene.peer.incoming_for(2, log);
    scene
        .peer
        .incoming(r#"{"method":"notifications/message","params":{"data":"all"}}"#);
    scene.peer.ended(UpstreamError::Cancelled);
    let _ = (first_call.await, second_call.await);
    for (events, expected) in [(&mut first, 1), (&mut second, 2)] {
        let mut count = 0;
        while events.recv().await.is_some() {
            count += 1;
        }
        assert_eq!(count, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_a_person_takes_is_not_the_servers() {
    let mut scene = Scene::new();
    let (mut options, mut events) = asking();
    options.timeout = Some(Duration::from_secs(10));
    let calling = scene.call(options, 1).await;
    tokio::time::sleep(Duration::from_secs(6)).await;
    scene.peer.incoming(&elicitation("q", None));
    let Some(CallEvent::Elicit { reply, .. }) = events.recv().await else {
        panic!("nobody is asked");
    };
    tokio::time::sleep(Duration::from_secs(600)).await;
    reply.send(raw(&json!({"action": "accept"}))).unwrap();
    assert_eq!(scene.next().await["id"], "q");
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(!calling.is_finished());
    let error = calling.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "no answer to tools/call within 10 s");
}

#[tokio::test]
async fn a_flood_of_remarks_is_not_kept_and_drowns_no_news() {
    let mut scene = Scene::new();
    let (options, mut events) = asking();
    let calling = scene.call(options, 1).await;
    let text = "x".repeat(100_000);
    let log = json!({"method": "notifications/message", "params": {"data": text}}).to_string();
    let progress = json!({
        "method": "notifications/progress",
        "params": {"progressToken": 1, "progress": 1, "message": text},
    });
    for _ in 0..CALL_EVENTS {
        scene.peer.incoming(&log);
        scene.peer.incoming(&progress.to_string());
    }
    for _ in 0..2 {
        scene
            .peer
            .incoming(r#"{"method":"notifications/tools/list_changed"}"#);
    }
    let mut heard = 0;
    while let Ok(event) = events.try_recv() {
        if let CallEvent::Log { text, .. } = event {
            assert!(text.len() < 20_000, "{}", text.len());
        }
        heard += 1;
    }
    assert_eq!(heard, CALL_EVENTS);
    assert!(matches!(scene.events.try_recv(), Ok(Event::ToolsChanged)));
    assert!(scene.events.try_recv().is_err());
    calling.abort();
}

#[tokio::test]
async fn an_error_that_names_no_call_is_heard_by_all() {
    let scene = Scene::new();
    let mut heard = scene.peer.overheard();
    let error = json!({"code": -32700, "message": "no JSON"});
    let said = json!({"jsonrpc": "2.0", "id": null, "error": error});
    assert!(scene.peer.incoming(&said.to_string()));
    let Ok(CallEvent::Log { level, text }) = heard.try_recv() else {
        panic!("nothing was told");
    };
    assert_eq!(
        (level.as_str(), text.as_str()),
        ("error", "no JSON (-32700)")
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_without_reading_is_not_answered_for_ever() {
    let (events, _heard) = mpsc::channel(EVENTS);
    let (here, _) = mpsc::unbounded_channel();
    let peer = Peer::new(events);
    let _connection = Connection::new(peer.clone(), Arc::new(Stuck { _here: here }));
    for id in 0..10_000 {
        peer.incoming(&json!({"id": id, "method": "ping"}).to_string());
    }
    assert!(peer.posting() < 1000, "{}", peer.posting());
    tokio::time::sleep(2 * POSTING).await;
    assert_eq!(peer.posting(), 0);
}

#[tokio::test]
async fn a_question_that_is_a_book_is_refused() {
    let mut scene = Scene::new();
    let (options, _events) = asking();
    let calling = scene.call(options, 1).await;
    let params = json!({"message": "x".repeat(2 << 20)});
    let question = json!({"id": "q", "method": "elicitation/create", "params": params});
    scene.peer.incoming(&question.to_string());
    assert!(scene.next().await["error"]["message"].is_string());
    calling.abort();
}
