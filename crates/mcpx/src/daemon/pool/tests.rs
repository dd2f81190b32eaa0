//! The pool with servers that are no processes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::value::RawValue;

use super::*;
use crate::config::Endpoint;
use crate::upstream::CallOptions;

/// Opens servers that are no processes.
#[derive(Clone, Default)]
struct Double(Arc<State>);

#[derive(Default)]
struct State {
    openings: AtomicUsize,
    closings: AtomicUsize,
    lists: AtomicUsize,
    /// How long an opening takes.
    slow: Mutex<Duration>,
    /// What the next openings die of.
    failures: Mutex<VecDeque<UpstreamError>>,
    /// The answers to `tools/list`, the last one for ever.
    pages: Mutex<VecDeque<&'static str>>,
    /// What `tools/list` was asked with.
    asked: Mutex<Vec<String>>,
    events: Mutex<Option<mpsc::Sender<Event>>>,
    dead: AtomicBool,
}

struct Line(Arc<State>);

impl Opener for Double {
    type Wire = Line;

    async fn open(&self, _: &Target, events: mpsc::Sender<Event>) -> Result<Line, UpstreamError> {
        let state = &self.0;
        state.openings.fetch_add(1, Ordering::SeqCst);
        let slow = *state.slow.lock().unwrap();
        tokio::time::sleep(slow).await;
        if let Some(failure) = state.failures.lock().unwrap().pop_front() {
            return Err(failure);
        }
        state.dead.store(false, Ordering::SeqCst);
        *state.events.lock().unwrap() = Some(events);
        Ok(Line(Arc::clone(state)))
    }
}

impl Wire for Line {
    async fn request(
        &self,
        method: &str,
        params: &RawValue,
        _: CallOptions,
    ) -> Result<Box<RawValue>, UpstreamError> {
        assert_eq!(method, "tools/list");
        self.0.lists.fetch_add(1, Ordering::SeqCst);
        self.0.asked.lock().unwrap().push(params.get().to_owned());
        tokio::time::sleep(Duration::from_millis(10)).await;
        let mut pages = self.0.pages.lock().unwrap();
        let page = match pages.len() {
            0 => r#"{"tools":[]}"#,
            1 => pages[0],
            _ => pages.pop_front().unwrap(),
        };
        Ok(RawValue::from_string(page.to_owned()).unwrap())
    }

    fn is_alive(&self) -> bool {
        !self.0.dead.load(Ordering::SeqCst)
    }

    fn has_tools(&self) -> bool {
        true
    }

    async fn close(&self) {
        self.0.closings.fetch_add(1, Ordering::SeqCst);
    }
}

impl State {
    fn openings(&self) -> usize {
        self.openings.load(Ordering::SeqCst)
    }

    fn closings(&self) -> usize {
        self.closings.load(Ordering::SeqCst)
    }
}

fn target(identity: &str) -> Target {
    Target {
        name: "double".into(),
        endpoint: Endpoint::Stdio {
            program: PathBuf::from("/bin/double"),
            args: Vec::new(),
            environment: Vec::new(),
            folder: PathBuf::from("/"),
        },
        identity: identity.into(),
        connect_timeout: Duration::from_secs(30),
        log: PathBuf::from("/dev/null"),
    }
}

fn settings() -> Settings {
    Settings {
        timeout: Duration::from_secs(60),
        connect_timeout: Duration::from_secs(30),
        keepalive: Duration::from_secs(60),
        cache_ttl: None,
        no_cache_tools: Vec::new(),
        tools: BTreeMap::new(),
    }
}

fn pool() -> (Arc<Pool<Double>>, Arc<State>) {
    let double = Double::default();
    let state = Arc::clone(&double.0);
    (Arc::new(Pool::new(double)), state)
}

async fn seconds(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn a_hundred_callers_share_one_opening() {
    let (pool, state) = pool();
    *state.slow.lock().unwrap() = Duration::from_secs(5);
    let callers: Vec<_> = (0..100)
        .map(|_| {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move { pool.server(&target("a"), &settings()).await.is_ok() })
        })
        .collect();
    for caller in callers {
        assert!(caller.await.unwrap());
    }
    assert_eq!(state.openings(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failed_opening_is_told_to_all_who_waited_and_then_forgotten() {
    let (pool, state) = pool();
    *state.slow.lock().unwrap() = Duration::from_secs(1);
    let failure = UpstreamError::Network("refused".into());
    state.failures.lock().unwrap().push_back(failure);
    let (target, settings) = (target("a"), settings());
    let (one, other) = tokio::join!(
        pool.server(&target, &settings),
        pool.server(&target, &settings)
    );
    assert!(matches!(one, Err(UpstreamError::Network(_))));
    assert!(matches!(other, Err(UpstreamError::Network(_))));
    assert_eq!(state.openings(), 1);

    assert!(pool.server(&target, &settings).await.is_ok());
    assert_eq!(state.openings(), 2);
}

#[tokio::test(start_paused = true)]
async fn two_identities_never_share_and_a_slow_one_delays_nobody() {
    let (pool, state) = pool();
    *state.slow.lock().unwrap() = Duration::from_secs(20);
    let slow = tokio::spawn({
        let pool = Arc::clone(&pool);
        async move { pool.server(&target("slow"), &settings()).await.is_ok() }
    });
    seconds(1).await;
    *state.slow.lock().unwrap() = Duration::ZERO;
    let before = Instant::now();
    assert!(pool.server(&target("fast"), &settings()).await.is_ok());
    assert_eq!(before.elapsed(), Duration::ZERO);
    assert_eq!(state.openings(), 2);
    assert!(slow.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_goes_away_does_not_end_the_opening_for_others() {
    let (pool, state) = pool();
    *state.slow.lock().unwrap() = Duration::from_secs(5);
    let first = tokio::spawn({
        let pool = Arc::clone(&pool);
        async move { pool.server(&target("a"), &settings()).await.is_ok() }
    });
    seconds(1).await;
    first.abort();
    assert!(pool.server(&target("a"), &settings()).await.is_ok());
    assert_eq!(state.openings(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_opening_that_takes_too_long_is_given_up() {
    let (pool, state) = pool();
    *state.slow.lock().unwrap() = Duration::from_secs(3600);
    let before = Instant::now();
    let error = pool.server(&target("a"), &settings()).await.err().unwrap();
    assert_eq!(
        error.to_string(),
        "it was not ready within 30 s (`connect_timeout`)"
    );
    assert_eq!(before.elapsed(), Duration::from_secs(31));
}

#[tokio::test(start_paused = true)]
async fn a_server_is_closed_when_nobody_used_it_for_the_time_that_it_is_kept() {
    let (pool, state) = pool();
    assert!(pool.is_empty());
    let held = pool.server(&target("a"), &settings()).await.unwrap();
    seconds(600).await;
    assert_eq!(state.closings(), 0, "it is in use");
    assert!(pool.is_open(&target("a")) && !pool.is_open(&target("b")));
    drop(held);
    seconds(59).await;
    drop(pool.server(&target("a"), &settings()).await.unwrap());
    seconds(59).await;
    assert_eq!(
        (state.openings(), state.closings()),
        (1, 0),
        "each use counts anew"
    );
    assert!(!pool.is_empty());
    seconds(2).await;
    assert_eq!(state.closings(), 1);
    assert!(pool.is_empty());

    drop(pool.server(&target("a"), &settings()).await.unwrap());
    assert_eq!(state.openings(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_died_is_opened_again_at_the_next_use() {
    let (pool, state) = pool();
    let held = pool.server(&target("a"), &settings()).await.unwrap();
    state.dead.store(true, Ordering::SeqCst);
    let next = pool.server(&target("a"), &settings()).await.unwrap();
    assert_eq!((state.openings(), next.opened), (2, Opened::Now));
    drop(held);
    seconds(30).await;
    drop(next);
    seconds(59).await;
    let again = pool.server(&target("a"), &settings()).await.unwrap();
    assert_eq!(
        again.opened,
        Opened::Before,
        "the end of the dead one's use is not the new one's"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_while_nobody_uses_it_leaves_the_pool() {
    let (pool, state) = pool();
    drop(pool.server(&target("a"), &settings()).await.unwrap());
    state.dead.store(true, Ordering::SeqCst);
    *state.events.lock().unwrap() = None;
    seconds(1).await;
    assert!(pool.is_empty());
}

#[tokio::test(start_paused = true)]
async fn closing_the_pool_closes_every_server_and_ends_every_opening() {
    let (pool, state) = pool();
    drop(pool.server(&target("a"), &settings()).await.unwrap());
    drop(pool.server(&target("b"), &settings()).await.unwrap());
    *state.slow.lock().unwrap() = Duration::from_secs(20);
    let opening = tokio::spawn({
        let pool = Arc::clone(&pool);
        async move { pool.server(&target("c"), &settings()).await.is_err() }
    });
    seconds(1).await;
    let before = Instant::now();
    pool.close().await;
    assert_eq!(before.elapsed(), Duration::ZERO);
    assert_eq!(state.closings(), 2);
    assert!(opening.await.unwrap());
    assert!(pool.is_empty());
    assert!(pool.server(&target("a"), &settings()).await.is_err());
}

mod tools {
    use super::*;

    async fn names(server: &InUse<Double>) -> Vec<String> {
        let tools = server.tools(MINUTE).await.unwrap();
        tools.tools.iter().map(|tool| tool.name.clone()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn every_page_is_asked_for_with_the_cursor_as_it_came() {
        let (pool, state) = pool();
        *state.pages.lock().unwrap() = VecDeque::from([
            r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"p\u00e9"}"#,
            r#"{"tools":[{"name":"b","inputSchema":{"type":"object"}}],"nextCursor":7}"#,
            r#"{"tools":[{"name":"c","inputSchema":{"type":"object"}}],"nextCursor":""}"#,
        ]);
        let server = pool.server(&target("a"), &settings()).await.unwrap();
        assert_eq!(names(&server).await, ["a", "b", "c"]);
        let asked = state.asked.lock().unwrap().clone();
        assert_eq!(asked, ["{}", r#"{"cursor":"p\u00e9"}"#, r#"{"cursor":7}"#]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_that_goes_round_in_a_circle_ends() {
        let (pool, state) = pool();
        *state.pages.lock().unwrap() =
            VecDeque::from([r#"{"tools":[{"name":"a"}],"nextCursor":"x"}"#]);
        let server = pool.server(&target("a"), &settings()).await.unwrap();
        let tools = server.tools(MINUTE).await.unwrap();
        assert_eq!(tools.tools.len(), 1);
        assert_eq!(
            tools.problems,
            [
                "`a` is listed twice; the first is used",
                "the list of tools goes round in a circle"
            ]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn all_who_ask_share_one_request_until_the_tools_change() {
        let (pool, state) = pool();
        let server = pool.server(&target("a"), &settings()).await.unwrap();
        let (one, other) = tokio::join!(server.tools(MINUTE), server.tools(MINUTE));
        assert!(one.is_ok() && other.is_ok());
        server.tools(MINUTE).await.unwrap();
        assert_eq!(state.lists.load(Ordering::SeqCst), 1);

        let events = state.events.lock().unwrap().clone().unwrap();
        events.try_send(Event::ToolsChanged).unwrap();
        seconds(1).await;
        server.tools(MINUTE).await.unwrap();
        assert_eq!(state.lists.load(Ordering::SeqCst), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_no_tool_costs_only_itself() {
        let (pool, state) = pool();
        *state.pages.lock().unwrap() =
            VecDeque::from([r#"{"tools":[{"name":"a"},17,{"name":"b"}]}"#]);
        let server = pool.server(&target("a"), &settings()).await.unwrap();
        let tools = server.tools(MINUTE).await.unwrap();
        assert_eq!((tools.tools.len(), tools.problems.len()), (2, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_is_forgotten() {
        let (pool, state) = pool();
        *state.pages.lock().unwrap() = VecDeque::from([r#"{"tools":{}}"#, r#"{"tools":[]}"#]);
        let server = pool.server(&target("a"), &settings()).await.unwrap();
        let error = server.tools(MINUTE).await.err().unwrap();
        assert!(matches!(error, UpstreamError::Protocol(_)), "{error}");
        assert!(server.tools(MINUTE).await.is_ok());
    }
}
