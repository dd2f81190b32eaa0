//! One conversation with one server: ids, answers, notifications, questions back.
//!
//! Transports carry the messages and know nothing of them; this knows nothing of
//! transports but [`Link`].

mod asked;
mod connection;
mod message;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout};

use super::life::{self, Life};
use super::{CallEvent, CallOptions, Event, UpstreamError};

pub use connection::{About, Connection};

/// How long a message that nobody waits for may take to be sent.
const POSTING: Duration = Duration::from_secs(10);
/// How often the time of a call is looked at while a person thinks.
const THINKING: Duration = Duration::from_secs(1);

/// Something that a transport does in its own time.
pub type Doing<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A message on its way to the server.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// The id of a request; none for notifications and for answers.
    pub id: Option<i64>,
    /// Empty for answers to the server's own requests.
    pub method: String,
    /// The tool, prompt or resource that a request is about (HTTP's `Mcp-Name`).
    pub name: Option<String>,
    /// The whole message, on one line.
    pub body: String,
}

/// A transport: what carries messages. What comes in is handed to [`Peer::incoming`],
/// what a request of its own died of to [`Peer::failed`], the end to [`Peer::ended`].
///
/// A link is dropped with its [`Connection`], and then hangs up at once: its own tasks
/// may hold the peer, but not the link.
pub trait Link: Send + Sync + std::fmt::Debug {
    /// Sends a message. For HTTP, an error concerns only this message.
    fn send(&self, message: Outgoing) -> Doing<'_, Result<(), UpstreamError>>;
    /// The request is not waited for any more. True where the link itself tells the
    /// server (by closing a stream), so that no notification is needed.
    fn abandon(&self, id: i64) -> bool;
    /// The child process, if there is one.
    fn pid(&self) -> Option<u32>;
    /// Hangs up in order, bounded in time.
    fn close(&self) -> Doing<'_, ()>;
}

/// The conversation, whatever carries it. Clones are the same conversation.
#[derive(Debug, Clone)]
pub struct Peer {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    next: AtomicI64,
    /// Messages that nobody waits for, on their way.
    posting: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    link: Option<Arc<dyn Link>>,
    events: Option<mpsc::Sender<Event>>,
    life: Option<Life>,
    waiting: BTreeMap<i64, Waiting>,
    ended: Option<UpstreamError>,
    /// Let go when the connection is hung up, which stops what is still being posted.
    line: Option<watch::Sender<()>>,
}

type Answer = Result<Box<RawValue>, UpstreamError>;

/// A request under way.
#[derive(Debug)]
struct Waiting {
    method: String,
    answer: oneshot::Sender<Answer>,
    events: Option<mpsc::Sender<CallEvent>>,
    can_ask: bool,
    patience: Patience,
}

/// Time that a person took, and that the server is not to be blamed for.
#[derive(Debug, Default)]
struct Patience {
    /// Questions that are open.
    questions: usize,
    /// Since when.
    since: Option<Instant>,
    /// For those that are answered.
    granted: Duration,
}

impl Peer {
    /// A conversation that has no link yet. `events` is let go when it ends.
    pub fn new(events: mpsc::Sender<Event>) -> Self {
        let state = State {
            events: Some(events),
            line: Some(watch::Sender::new(())),
            ..State::default()
        };
        let shared = Shared {
            next: AtomicI64::new(1),
            posting: AtomicUsize::new(0),
            state: Mutex::new(state),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// What messages are sent by from now on.
    pub fn attach(&self, link: Arc<dyn Link>) {
        self.state().link = Some(link);
    }

    /// How requests are dressed from now on; `None` leaves them bare.
    pub fn live(&self, life: Option<Life>) {
        self.state().life = life;
    }

    /// How the server is spoken to, once that is agreed.
    pub fn life(&self) -> Option<Life> {
        self.state().life.clone()
    }

    /// One JSON message, or a batch of them. False if it is neither.
    pub fn incoming(&self, text: &str) -> bool {
        self.take(text, None)
    }

    /// The same, from a stream that belongs to the request `id`: what the server asks
    /// there concerns that request.
    pub fn incoming_for(&self, id: i64, text: &str) -> bool {
        self.take(text, Some(id))
    }

    fn take(&self, text: &str, during: Option<i64>) -> bool {
        let Some(messages) = message::parse(text) else {
            return false;
        };
        for message in messages {
            let id = message.id.filter(|id| !message::is_null(id));
            match (message.method, id) {
                (Some(method), Some(id)) => self.asked(id, &method, message.params, during),
                (Some(method), None) => self.told(&method, message.params, during),
                (None, Some(id)) => self.answered(id, message.result, message.error),
                (None, None) => self.complained(message.error, during),
            }
        }
        true
    }

    /// An answer. One that nobody waits for, or not any more, is dropped.
    fn answered(&self, id: &RawValue, result: Option<&RawValue>, error: Option<&RawValue>) {
        let Some(id) = message::number(id) else {
            return;
        };
        let Some(waiting) = self.state().waiting.remove(&id) else {
            return;
        };
        let error = error.filter(|error| !message::is_null(error));
        let answer = match (error, result) {
            (Some(error), _) => Err(message::error(error)),
            (None, Some(result)) => Ok(result.to_owned()),
            (None, None) => Err(UpstreamError::Protocol(format!(
                "the answer to {} has neither a result nor an error",
                waiting.method
            ))),
        };
        let _ = waiting.answer.send(answer);
    }

    /// An error that names no request: it may be about any, so all hear of it.
    fn complained(&self, error: Option<&RawValue>, during: Option<i64>) {
        if let Some(error) = error {
            let text = asked::remark_of(message::error(error).to_string());
            self.remarked("error", &text, during);
        }
    }

    /// Whether the answer to this request is still waited for.
    pub fn awaits(&self, id: i64) -> bool {
        self.state().waiting.contains_key(&id)
    }

    /// A request died. Nothing if it is not waited for.
    pub fn failed(&self, id: i64, error: UpstreamError) {
        let waiting = self.state().waiting.remove(&id);
        if let Some(waiting) = waiting {
            let _ = waiting.answer.send(Err(error));
        }
    }

    /// The conversation is over: every request dies of this, now and later. The reason
    /// of an [`UpstreamError::Ended`] gets ` during the call` for those under way.
    pub fn ended(&self, error: UpstreamError) {
        let waiting = {
            let mut state = self.state();
            state.events = None;
            if state.ended.is_none() {
                state.ended = Some(error.clone());
            }
            std::mem::take(&mut state.waiting)
        };
        for waiting in waiting.into_values() {
            let error = match error.clone() {
                UpstreamError::Ended { reason, stderr } => UpstreamError::Ended {
                    reason: format!("{reason} during the call"),
                    stderr,
                },
                other => other,
            };
            let _ = waiting.answer.send(Err(error));
        }
    }

    /// Whether it has not ended.
    pub fn is_alive(&self) -> bool {
        self.state().ended.is_none()
    }

    /// Sends a request and waits for its result: see [`Connection::request`].
    pub async fn request(
        &self,
        method: &str,
        params: &RawValue,
        options: CallOptions,
    ) -> Result<Box<RawValue>, UpstreamError> {
        let started = Instant::now();
        let after = options.timeout;
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let (answer, mut answered) = oneshot::channel();
        let (link, life) = self.expect(
            id,
            Waiting {
                method: method.to_owned(),
                answer,
                events: options.events.clone(),
                can_ask: options.can_ask,
                patience: Patience::default(),
            },
        )?;
        let _given_up = GivenUp { peer: self, id };
        let meta = life::meta(
            life.as_ref(),
            options.events.is_some().then_some(id),
            options.wants_logs,
        );
        let message = Outgoing {
            id: Some(id),
            method: method.to_owned(),
            name: message::name(method, params),
            body: message::request(id, method, params, &meta),
        };
        let exchange = async {
            tokio::select! {
                biased;
                // Some links bring the answer before they are done with sending.
                answer = &mut answered => return answer.unwrap_or(Err(UpstreamError::Cancelled)),
                sent = link.send(message) => if let Err(error) = sent {
                    self.failed(id, error);
                },
            }
            answered.await.unwrap_or(Err(UpstreamError::Cancelled))
        };
        tokio::pin!(exchange);
        let mut deadline = after.and_then(|after| started.checked_add(after));
        loop {
            let (Some(end), Some(after)) = (deadline, after) else {
                return exchange.await;
            };
            tokio::select! {
                biased;
                answer = &mut exchange => return answer,
                () = sleep_until(end) => deadline = self.more_time(id, started + after),
            }
            if deadline.is_none() {
                return Err(UpstreamError::Timeout {
                    method: method.to_owned(),
                    after,
                });
            }
        }
    }

    /// Notes that an answer is waited for. Fails where there is nobody to give it.
    fn expect(
        &self,
        id: i64,
        waiting: Waiting,
    ) -> Result<(Arc<dyn Link>, Option<Life>), UpstreamError> {
        let mut state = self.state();
        if let Some(error) = &state.ended {
            return Err(error.clone());
        }
        let link = state.link.clone().ok_or(UpstreamError::Cancelled)?;
        state.waiting.insert(id, waiting);
        Ok((link, state.life.clone()))
    }

    /// When to look again at a request whose time was over at `end`, if a person was
    /// asked meanwhile.
    fn more_time(&self, id: i64, end: Instant) -> Option<Instant> {
        let state = self.state();
        let patience = &state.waiting.get(&id)?.patience;
        if patience.since.is_some() {
            return Some(Instant::now() + THINKING);
        }
        Some(end + patience.granted).filter(|end| *end > Instant::now())
    }

    /// Nobody waits for this request any more; the server is told, if it still works
    /// on it.
    fn give_up(&self, id: i64) {
        let (waiting, link) = {
            let mut state = self.state();
            (state.waiting.remove(&id), state.link.clone())
        };
        let (Some(waiting), Some(link)) = (waiting, link) else {
            return;
        };
        // The protocol forbids to cancel the opening.
        if link.abandon(id) || waiting.method == "initialize" {
            return;
        }
        let body = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"the caller does not wait any more"}}}}"#
        );
        let cancelled = Outgoing {
            id: None,
            method: "notifications/cancelled".to_owned(),
            name: None,
            body,
        };
        // There are servers that die of a cancelled call, and show it only when they are
        // sent something next. That had better not be somebody's call.
        let is_opened = matches!(self.life(), Some(Life::Opened { .. }));
        let ping = is_opened.then(|| self.bare("ping"));
        self.post([Some(cancelled), ping].into_iter().flatten());
    }

    /// A request whose answer nobody waits for, which says nothing but its method.
    fn bare(&self, method: &str) -> Outgoing {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#);
        Outgoing {
            id: Some(id),
            method: method.to_owned(),
            name: None,
            body,
        }
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: &RawValue) -> Result<(), UpstreamError> {
        let link = {
            let state = self.state();
            match (&state.ended, &state.link) {
                (Some(error), _) => return Err(error.clone()),
                (None, None) => return Err(UpstreamError::Cancelled),
                (None, Some(link)) => Arc::clone(link),
            }
        };
        let message = Outgoing {
            id: None,
            method: method.to_owned(),
            name: None,
            body: message::notification(method, params),
        };
        link.send(message).await
    }

    /// Sends a request whose answer nobody waits for.
    pub fn mention(&self, method: &str, params: &RawValue) {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let meta = life::meta(self.life().as_ref(), None, false);
        self.post([Outgoing {
            id: Some(id),
            method: method.to_owned(),
            name: message::name(method, params),
            body: message::request(id, method, params, &meta),
        }]);
    }

    /// Sends messages that nobody waits for, one after the other.
    fn post(&self, messages: impl IntoIterator<Item = Outgoing>) {
        let messages: Vec<Outgoing> = messages.into_iter().collect();
        let (link, mut line) = {
            let state = self.state();
            match (&state.link, &state.line) {
                (Some(link), Some(line)) => (Arc::clone(link), line.subscribe()),
                _ => return,
            }
        };
        let posting = Posting::begin(self);
        self.spawn(async move {
            for message in messages {
                tokio::select! {
                    _ = timeout(POSTING, link.send(message)) => {}
                    _ = line.changed() => return,
                }
            }
            drop(posting);
        });
    }

    /// How many messages that nobody waits for are on their way.
    fn posting(&self) -> usize {
        self.shared.posting.load(Ordering::Relaxed)
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        // Without a runtime the process is ending, and the server with it.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(task);
        }
    }

    /// Ends the conversation and lets the link go.
    fn hang_up(&self) -> Option<Arc<dyn Link>> {
        self.ended(UpstreamError::Cancelled);
        let mut state = self.state();
        state.line = None;
        state.link.take()
    }
}

/// A message on its way, counted.
struct Posting(Peer);

impl Posting {
    fn begin(peer: &Peer) -> Self {
        peer.shared.posting.fetch_add(1, Ordering::Relaxed);
        Self(peer.clone())
    }
}

impl Drop for Posting {
    fn drop(&mut self) {
        self.0.shared.posting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Tells the server when the one who waits has gone.
struct GivenUp<'a> {
    peer: &'a Peer,
    id: i64,
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        self.peer.give_up(self.id);
    }
}
