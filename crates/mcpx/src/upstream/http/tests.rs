//! Against a server that does what servers do, right and wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use argway_testkit::fake_http::Fake;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, channel};

use super::super::life::{Life, Memory};
use super::super::{CALL_EVENTS, CallEvent, CallOptions, EVENTS, Event, UpstreamError};
use super::*;

/// How long anything may take that is not about taking long.
const PATIENCE: Duration = Duration::from_secs(20);

struct World {
    fake: Fake,
    memory: Memory,
    target: Target,
}

impl World {
    fn new(behaviour: &str) -> Self {
        let fake = Fake::start().unwrap();
        let url = fake.url(behaviour);
        Self::at(fake, &url)
    }

    fn at(fake: Fake, url: &str) -> Self {
        let target = Target {
            name: "fake".to_owned(),
            endpoint: Endpoint::Http {
                url: url.to_owned(),
                headers: BTreeMap::new(),
                ca_file: None,
                proxies: Vec::new(),
            },
            identity: "fake".to_owned(),
            connect_timeout: PATIENCE,
            log: PathBuf::from("/dev/null"),
        };
        Self {
            fake,
            memory: Memory::fleeting(),
            target,
        }
    }

    fn header(mut self, name: &str, value: &str) -> Self {
        if let Endpoint::Http { headers, .. } = &mut self.target.endpoint {
            headers.insert(name.to_owned(), value.to_owned());
        }
        self
    }

    fn proxy(mut self, name: &str, value: &str) -> Self {
        if let Endpoint::Http { proxies, .. } = &mut self.target.endpoint {
            proxies.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    fn trusting(mut self, path: PathBuf) -> Self {
        if let Endpoint::Http { ca_file, .. } = &mut self.target.endpoint {
            *ca_file = Some(path);
        }
        self
    }

    fn within(mut self, time: Duration) -> Self {
        self.target.connect_timeout = time;
        self
    }

    async fn open(&self) -> Result<Open, UpstreamError> {
        let (sender, events) = channel(EVENTS);
        let connection = open(&self.target, &self.memory, sender).await?;
        Ok(Open { connection, events })
    }

    /// Why it cannot be opened.
    async fn trouble(&self) -> String {
        self.open().await.map(|_| ()).unwrap_err().to_string()
    }

    fn life(&self) -> Option<Life> {
        self.memory.recall(&Memory::key(&self.target.endpoint))
    }

    /// What the server was asked, once it was asked for `last`.
    async fn seen(&self, last: &str) -> Vec<String> {
        eventually(|| {
            let seen = self.fake.seen();
            seen.iter().any(|line| line == last).then_some(seen)
        })
        .await
    }
}

struct Open {
    connection: Connection,
    events: Receiver<Event>,
}

impl Open {
    async fn ask(
        &self,
        tool: &str,
        arguments: Value,
        options: CallOptions,
    ) -> Result<String, UpstreamError> {
        let params = json!({"name": tool, "arguments": arguments}).to_string();
        let params = RawValue::from_string(params).unwrap();
        let result = self
            .connection
            .request("tools/call", &params, options)
            .await?;
        let result: Value = serde_json::from_str(result.get()).unwrap();
        Ok(result["content"][0]["text"].as_str().unwrap().to_owned())
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<String, UpstreamError> {
        let options = CallOptions {
            timeout: Some(PATIENCE),
            ..CallOptions::default()
        };
        self.ask(tool, arguments, options).await
    }

    async fn echo(&self) -> String {
        self.call("echo", json!({"text": "hällo"})).await.unwrap()
    }

    async fn trouble(&self, tool: &str, arguments: Value) -> UpstreamError {
        self.call(tool, arguments).await.unwrap_err()
    }
}

async fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..400 {
        if let Some(found) = look() {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("it did not come to pass");
}

#[track_caller]
fn opened(protocol: &str) -> Option<Life> {
    Some(Life::Opened {
        protocol: protocol.to_owned(),
    })
}

fn stateless() -> Option<Life> {
    Some(Life::Stateless {
        protocol: "2026-07-28".to_owned(),
    })
}

#[tokio::test]
async fn every_life_answers_and_is_remembered() {
    let cases = [
        ("json", stateless()),
        ("sse", stateless()),
        ("modern", stateless()),
        ("modern+sse", stateless()),
        ("legacy", opened("2025-06-18")),
        ("legacy+sse", opened("2025-06-18")),
        ("legacy+session", opened("2025-06-18")),
        ("legacy+session+sse+listen", opened("2025-06-18")),
        ("old", opened("2025-06-18")),
    ];
    for (behaviour, life) in cases {
        let world = World::new(behaviour);
        for _ in 0..2 {
            let open = world
                .open()
                .await
                .unwrap_or_else(|error| panic!("{behaviour}: {error}"));
            assert_eq!(open.echo().await, "hällo", "{behaviour}");
            assert_eq!(
                open.connection.about().name.as_deref(),
                Some("fake-http"),
                "{behaviour}"
            );
            assert_eq!(world.life(), life, "{behaviour}");
            open.connection.close().await;
        }
        assert_eq!(world.fake.sessions(), 0, "{behaviour} leaves no session");
    }
}

#[tokio::test]
async fn what_worked_last_is_tried_first() {
    let world = World::new("legacy");
    world.open().await.unwrap();
    world.open().await.unwrap();
    let asked = world.fake.seen();
    assert_eq!(
        asked
            .iter()
            .filter(|line| *line == "POST server/discover")
            .count(),
        1
    );
}

#[tokio::test]
async fn a_server_that_changed_its_life_is_found_again() {
    for (before, after, life) in [
        ("legacy", "modern", stateless()),
        ("modern", "legacy", opened("2025-06-18")),
        ("modern", "old", opened("2025-06-18")),
    ] {
        let mut world = World::new(before);
        world.open().await.unwrap();
        let learnt = world.life().unwrap();
        let Endpoint::Http { url, .. } = &mut world.target.endpoint else {
            unreachable!()
        };
        *url = world.fake.url(after);
        world
            .memory
            .learn(&Memory::key(&world.target.endpoint), &learnt);
        assert_eq!(world.open().await.unwrap().echo().await, "hällo", "{after}");
        assert_eq!(world.life(), life, "{after}");
    }
}

#[tokio::test]
async fn a_server_that_is_silent_about_the_new_life_is_asked_in_the_old_one() {
    let world = World::new("mute+legacy").within(Duration::from_secs(2));
    assert_eq!(world.open().await.unwrap().echo().await, "hällo");
}

#[tokio::test]
async fn many_calls_run_at_once() {
    for behaviour in ["modern", "legacy+session+sse", "old"] {
        let open = World::new(behaviour).open().await.unwrap();
        let calls = (0..20).map(|number| {
            let open = &open;
            async move {
                open.call("echo", json!({"text": number.to_string()}))
                    .await
                    .unwrap()
            }
        });
        let answers = futures_util::future::join_all(calls).await;
        let expected: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        assert_eq!(answers, expected, "{behaviour}");
    }
}

#[tokio::test]
async fn progress_comes_before_the_answer() {
    for behaviour in ["modern+sse", "legacy+sse"] {
        let open = World::new(behaviour).open().await.unwrap();
        let (sender, mut events) = channel(CALL_EVENTS);
        let options = CallOptions {
            timeout: Some(PATIENCE),
            events: Some(sender),
            can_ask: false,
            wants_logs: false,
        };
        open.ask("echo", json!({"text": ""}), options)
            .await
            .unwrap();
        let event = events.recv().await.unwrap();
        assert!(matches!(
            event,
            CallEvent::Progress {
                progress: 1.0,
                total: Some(2.0),
                ..
            }
        ));
    }
}

#[tokio::test]
async fn headers_tell_what_a_request_is_about() {
    let world = World::new("modern").header("Authorization", "Bearer tok3n-of-mine");
    let open = world.open().await.unwrap();
    let headers = open.call("headers", json!({})).await.unwrap();
    for line in [
        "authorization: Bearer tok3n-of-mine",
        "accept: application/json, text/event-stream",
        "content-type: application/json",
        "mcp-protocol-version: 2026-07-28",
        "mcp-method: tools/call",
        "mcp-name: headers",
    ] {
        assert!(
            headers.lines().any(|each| each == line),
            "{line} in\n{headers}"
        );
    }
    assert_eq!(open.call("größe", json!({})).await.unwrap(), "done");
}

#[tokio::test]
async fn a_marked_parameter_is_sent_in_a_header_too() {
    for behaviour in ["modern", "modern+sse"] {
        let open = World::new(behaviour).open().await.unwrap();
        let list = RawValue::from_string("{}".to_owned()).unwrap();
        let options = CallOptions::default();
        open.connection
            .request("tools/list", &list, options)
            .await
            .unwrap();
        let headers = open.call("marked", json!({"region": "eu"})).await.unwrap();
        assert!(
            headers.lines().any(|line| line == "mcp-param-region: eu"),
            "{headers}"
        );
    }
}

#[tokio::test]
async fn a_session_has_its_id_and_its_version() {
    let open = World::new("legacy+session").open().await.unwrap();
    let headers = open.call("headers", json!({})).await.unwrap();
    for line in [
        "mcp-session-id: session-1",
        "mcp-protocol-version: 2025-06-18",
    ] {
        assert!(
            headers.lines().any(|each| each == line),
            "{line} in\n{headers}"
        );
    }
}

#[tokio::test]
async fn a_lost_session_is_opened_again_and_the_call_made_again() {
    for behaviour in [
        "legacy+session",
        "legacy+session+vague",
        "legacy+session+sse",
    ] {
        let world = World::new(behaviour);
        let mut open = world.open().await.unwrap();
        world.fake.forget();
        let calls = (0..5).map(|_| open.echo());
        assert_eq!(
            futures_util::future::join_all(calls).await,
            ["hällo"; 5],
            "{behaviour}"
        );
        assert_eq!(world.fake.sessions(), 1, "{behaviour}");
        let event = open.events.recv().await.unwrap();
        assert!(matches!(event, Event::ToolsChanged), "{behaviour}");
    }
}

#[tokio::test]
async fn a_session_that_is_opened_again_tells_its_log_messages_again() {
    let world = World::new("legacy+session");
    let open = world.open().await.unwrap();
    let level = RawValue::from_string(r#"{"level":"info"}"#.to_owned()).unwrap();
    let asked = open
        .connection
        .request("logging/setLevel", &level, CallOptions::default());
    asked.await.unwrap();
    world.fake.forget();
    assert_eq!(open.echo().await, "hällo");
    let mut posted = world.fake.seen();
    posted.retain(|line| line.starts_with("POST"));
    assert_eq!(
        posted[posted.len() - 4..],
        [
            "POST initialize",
            "POST notifications/initialized",
            "POST logging/setLevel",
            "POST tools/call"
        ]
    );
}

#[tokio::test]
async fn a_session_that_is_lost_after_every_call_is_opened_for_every_call() {
    let open = World::new("legacy+session+forgetful").open().await.unwrap();
    for _ in 0..3 {
        assert_eq!(open.echo().await, "hällo");
    }
}

#[tokio::test]
async fn a_session_that_cannot_be_opened_again_is_the_end() {
    let world = World::new("legacy+session+once");
    let mut open = world.open().await.unwrap();
    world.fake.forget();
    let error = open.trouble("echo", json!({})).await;
    assert!(
        matches!(error, UpstreamError::Http { status: 503, .. }),
        "{error:?}"
    );
    assert!(open.events.recv().await.is_none());
    assert!(!open.connection.is_alive());
}

#[tokio::test]
async fn a_dropped_connection_deletes_its_session() {
    let world = World::new("legacy+session");
    drop(world.open().await.unwrap());
    eventually(|| (world.fake.sessions() == 0).then_some(())).await;
}

#[tokio::test]
async fn news_come_on_the_stream_of_the_server() {
    for behaviour in [
        "legacy+listen",
        "legacy+listen+session",
        "old",
        "modern+listen",
    ] {
        let world = World::new(behaviour);
        let mut open = world.open().await.unwrap();
        eventually(|| (world.fake.streams() == 1).then_some(())).await;
        open.call("change", json!({})).await.unwrap();
        let heard = tokio::time::timeout(PATIENCE, open.events.recv()).await;
        assert!(
            matches!(heard, Ok(Some(Event::ToolsChanged))),
            "{behaviour}"
        );
        open.connection.close().await;
        eventually(|| (world.fake.streams() == 0).then_some(())).await;
    }
}

#[tokio::test]
async fn a_stream_that_breaks_is_resumed_where_it_has_ids() {
    let open = World::new("legacy+session").open().await.unwrap();
    for how in ["politely", "rudely"] {
        assert_eq!(
            open.call("resumable", json!({"how": how})).await.unwrap(),
            "done",
            "{how}"
        );
    }
}

#[tokio::test]
async fn a_stream_that_breaks_without_ids_fails_its_call_and_no_other() {
    for behaviour in ["legacy", "modern"] {
        let world = World::new(behaviour);
        let open = world.open().await.unwrap();
        for how in ["politely", "rudely"] {
            let error = open.trouble("truncated", json!({"how": how})).await;
            assert!(matches!(error, UpstreamError::Ended { .. }), "{error:?}");
            let expected = format!(
                "127.0.0.1:{} hung up before it answered tools/call",
                world.fake.port()
            );
            assert_eq!(error.to_string(), expected);
            assert_eq!(open.echo().await, "hällo");
        }
    }
}

#[tokio::test]
async fn a_reset_names_the_place_and_the_next_call_works() {
    for behaviour in ["legacy", "modern"] {
        let world = World::new(behaviour);
        let open = world.open().await.unwrap();
        let error = open.trouble("reset", json!({})).await;
        assert!(matches!(error, UpstreamError::Network(_)), "{error:?}");
        let expected = format!(
            "127.0.0.1:{} broke off in the middle of its answer: connection reset",
            world.fake.port()
        );
        assert_eq!(error.to_string(), expected);
        assert_eq!(open.echo().await, "hällo");
        assert!(open.connection.is_alive());
    }
}

#[tokio::test]
async fn the_end_of_the_old_stream_is_the_end() {
    let mut open = World::new("old").open().await.unwrap();
    let error = open.trouble("truncated", json!({})).await;
    assert!(matches!(error, UpstreamError::Ended { .. }), "{error:?}");
    assert!(!open.connection.is_alive());
    assert!(open.events.recv().await.is_none());
}

#[tokio::test]
async fn an_http_status_is_told_with_what_it_says() {
    for behaviour in ["legacy", "modern"] {
        let world = World::new(behaviour);
        let open = world.open().await.unwrap();
        let error = open.trouble("fail", json!({"status": 500})).await;
        assert!(
            matches!(error, UpstreamError::Http { status: 500, .. }),
            "{error:?}"
        );
        let url = world.fake.url(behaviour);
        assert_eq!(
            error.to_string(),
            format!("{url} answered HTTP 500: It broke")
        );
        assert_eq!(open.echo().await, "hällo");
    }
}

#[tokio::test]
async fn an_error_of_the_protocol_is_one_whatever_its_status() {
    for behaviour in ["legacy", "legacy+session", "modern", "modern+sse", "old"] {
        let open = World::new(behaviour).open().await.unwrap();
        let error = open.trouble("nothing", json!({})).await;
        assert!(
            matches!(error, UpstreamError::Rpc { code: -32602, .. }),
            "{behaviour}: {error:?}"
        );
        assert_eq!(error.to_string(), "no tool nothing (-32602)", "{behaviour}");
        let empty = RawValue::from_string("{}".to_owned()).unwrap();
        let answer = open
            .connection
            .request("no/such", &empty, CallOptions::default())
            .await;
        let error = answer.unwrap_err();
        assert!(
            matches!(error, UpstreamError::Rpc { code: -32601, .. }),
            "{behaviour}: {error:?}"
        );
    }
}

#[tokio::test]
async fn who_may_not_is_told_why_without_the_secret() {
    for status in [401, 403] {
        let behaviour = format!("refuse-{status}");
        let world = World::new(&behaviour).header("Authorization", "Bearer tok3n-of-mine");
        let url = world.fake.url(&behaviour);
        assert_eq!(
            world.trouble().await,
            format!(
                "{url} answered HTTP {status}: not here, *** \
                 (it asks for Bearer realm=\"fake\")"
            )
        );
        assert_eq!(world.fake.seen(), ["POST server/discover"], "asked once");
    }
}

#[tokio::test]
async fn what_is_no_server_is_told_as_such() {
    let world = World::new("refuse-404");
    assert!(
        world
            .trouble()
            .await
            .contains("answered HTTP 404: not here")
    );
    let world = World::new("page");
    let expected = format!(
        "127.0.0.1:{} answered with something that is no JSON-RPC (text/html)",
        world.fake.port()
    );
    assert_eq!(world.trouble().await, expected);
    let world = World::new("old+foreign");
    assert!(
        world.trouble().await.contains("answered HTTP 405"),
        "the old way is no news"
    );
}

#[tokio::test]
async fn a_redirect_is_followed_within_the_origin_only() {
    for status in [307, 308] {
        let world = World::new(&format!("redirect-{status}+legacy+session"));
        assert_eq!(
            world.open().await.unwrap().echo().await,
            "hällo",
            "{status}"
        );
    }
    for behaviour in ["away-307", "away-302"] {
        let world = World::new(behaviour).header("Authorization", "Bearer tok3n-of-mine");
        let port = world.fake.port();
        let status = &behaviour["away-".len()..];
        assert_eq!(
            world.trouble().await,
            format!(
                "http://127.0.0.1:{port}/{behaviour} answered HTTP {status}: it redirects to \
                 http://localhost:{port}/; configure that URL if it is the server"
            )
        );
        assert_eq!(
            world.fake.seen().len(),
            1,
            "{behaviour}: nobody else was asked"
        );
    }
    let world = World::new("redirect-302+legacy");
    assert!(world.trouble().await.contains("it redirects to"));
    let world = World::new("circle");
    assert!(world.trouble().await.contains("redirects in a circle"));
}

#[tokio::test]
async fn a_call_that_is_not_waited_for_is_cancelled_at_the_server() {
    for (behaviour, told) in [
        ("modern", "hung up"),
        ("legacy", "POST notifications/cancelled"),
        ("old", "POST notifications/cancelled"),
    ] {
        let world = World::new(behaviour);
        let open = world.open().await.unwrap();
        let options = CallOptions {
            timeout: Some(Duration::from_millis(200)),
            ..CallOptions::default()
        };
        let error = open.ask("stall", json!({}), options).await.unwrap_err();
        assert!(matches!(error, UpstreamError::Timeout { .. }), "{error:?}");
        let seen = world.seen(told).await;
        let cancelled = seen.iter().any(|line| line.contains("cancelled"));
        assert_eq!(cancelled, behaviour != "modern", "{seen:?}");
        assert_eq!(open.echo().await, "hällo", "{behaviour}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_a_version_and_names_it_is_asked_again() {
    let world = World::new("modern+fickle");
    let open = world.open().await.unwrap();
    assert_eq!(open.echo().await, "hällo");
    let asked = world.fake.seen();
    assert_eq!(asked[..2], ["POST server/discover", "POST server/discover"]);
}

#[tokio::test]
async fn a_session_that_breaks_of_a_cancelled_call_is_opened_again() {
    let world = World::new("legacy+session+frail");
    let open = world.open().await.unwrap();
    let options = CallOptions {
        timeout: Some(Duration::from_millis(200)),
        ..CallOptions::default()
    };
    open.ask("stall", json!({}), options).await.unwrap_err();
    world.seen("POST ping").await;
    for _ in 0..100 {
        if world.fake.sessions() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(open.echo().await, "hällo");
}

#[tokio::test]
async fn a_large_answer_arrives_whole() {
    for behaviour in ["modern", "legacy+sse", "old"] {
        let open = World::new(behaviour).open().await.unwrap();
        let size = 3_000_000;
        let text = open.call("big", json!({"bytes": size})).await.unwrap();
        assert_eq!(text.len(), size, "{behaviour}");
    }
}

#[tokio::test]
async fn where_nobody_listens_the_place_is_named() {
    let world = World::new("json");
    let free = std::net::TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap();
    let url = format!("http://user:passw0rd@{free}/?key=secret");
    let world = World::at(world.fake, &url);
    assert_eq!(
        world.trouble().await,
        format!("cannot connect to {free}: connection refused")
    );
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let world = World::at(Fake::start().unwrap(), &url).within(Duration::from_millis(400));
    let error = world.open().await.map(|_| ()).unwrap_err();
    assert!(matches!(error, UpstreamError::Timeout { .. }), "{error:?}");
}

#[tokio::test]
async fn a_host_that_is_not_found_is_named() {
    let world = World::at(Fake::start().unwrap(), "http://nowhere.invalid/mcp");
    let said = world.trouble().await;
    assert!(said.starts_with("nowhere.invalid is not found: "), "{said}");
}

#[tokio::test]
async fn a_proxy_is_used_for_the_hosts_that_are_not_excepted() {
    let server = Fake::start().unwrap();
    let url = format!("http://mcp.test:{}/legacy+session", server.port());
    let proxy = Fake::start().unwrap();
    let via = format!("http://127.0.0.1:{}", proxy.port());
    let world = World::at(server, &url).proxy("HTTP_PROXY", &via);
    assert_eq!(world.open().await.unwrap().echo().await, "hällo");
    assert!(proxy.proxied() > 0);

    let gone = World::new("json").proxy("ALL_PROXY", "http://127.0.0.1:1");
    assert_eq!(
        gone.trouble().await,
        format!(
            "cannot connect to 127.0.0.1:{}: connection refused (ALL_PROXY is set)",
            gone.fake.port()
        )
    );

    let before = proxy.proxied();
    let direct = World::new("json")
        .proxy("http_proxy", &via)
        .proxy("NO_PROXY", "127.0.0.1");
    assert_eq!(direct.open().await.unwrap().echo().await, "hällo");
    assert_eq!(proxy.proxied(), before);
}

#[tokio::test]
async fn an_authority_of_ones_own_is_trusted_where_it_is_configured() {
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("ca.pem");
    let fake = Fake::start_tls(&authority).unwrap();
    let url = format!("https://localhost:{}/modern", fake.port());
    let world = World::at(fake.clone(), &url);
    assert_eq!(
        world.trouble().await,
        format!(
            "cannot connect to localhost:{}: TLS: the authority of its certificate is not \
             trusted (`ca_file` can name it)",
            fake.port()
        )
    );
    let plain = Fake::start().unwrap();
    let url = format!("https://localhost:{}/modern", plain.port());
    assert_eq!(
        World::at(plain.clone(), &url).trouble().await,
        format!(
            "cannot connect to localhost:{}: it does not speak TLS (http:// instead of https://?)",
            plain.port()
        )
    );

    let proxy = Fake::start().unwrap();
    let via = format!("http://127.0.0.1:{}", proxy.port());
    let world = world.trusting(authority.clone());
    assert_eq!(world.open().await.unwrap().echo().await, "hällo");
    let world = world.proxy("https_proxy", &via);
    assert_eq!(world.open().await.unwrap().echo().await, "hällo");
    assert!(proxy.proxied() > 0, "through a tunnel");

    std::fs::write(&authority, "nothing").unwrap();
    assert_eq!(
        world.trouble().await,
        format!(
            "ca_file {}: has no certificate (-----BEGIN CERTIFICATE-----)",
            authority.display()
        )
    );
}
