//! One conversation with one server: ids, answers, notifications, questions back.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::sync::mpsc;

use super::life::Life;
use super::{CallOptions, Event, UpstreamError};

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
pub struct Peer {}

impl Peer {
    /// A conversation that has no link yet. `events` is let go when it ends.
    pub fn new(events: mpsc::UnboundedSender<Event>) -> Self {
        let _ = events;
        todo!()
    }

    /// What messages are sent by from now on.
    pub fn attach(&self, link: Arc<dyn Link>) {
        let _ = link;
        todo!()
    }

    /// How requests are dressed from now on; `None` leaves them bare.
    pub fn live(&self, life: Option<Life>) {
        let _ = life;
        todo!()
    }

    /// How the server is spoken to, once that is agreed.
    pub fn life(&self) -> Option<Life> {
        todo!()
    }

    /// One JSON message, or a batch of them. False if it is neither.
    pub fn incoming(&self, text: &str) -> bool {
        let _ = text;
        todo!()
    }

    /// The same, from a stream that belongs to the request `id`: what the server asks
    /// there concerns that request.
    pub fn incoming_for(&self, id: i64, text: &str) -> bool {
        let _ = (id, text);
        todo!()
    }

    /// Whether the answer to this request is still waited for.
    pub fn awaits(&self, id: i64) -> bool {
        let _ = id;
        todo!()
    }

    /// A request died. Nothing if it is not waited for.
    pub fn failed(&self, id: i64, error: UpstreamError) {
        let _ = (id, error);
        todo!()
    }

    /// The conversation is over: every request dies of this, now and later. The reason
    /// of an [`UpstreamError::Ended`] gets ` during the call` for those under way.
    pub fn ended(&self, error: UpstreamError) {
        let _ = error;
        todo!()
    }

    /// Whether it has not ended.
    pub fn is_alive(&self) -> bool {
        todo!()
    }

    /// Sends a request and waits for its result: see [`Connection::request`].
    pub async fn request(
        &self,
        method: &str,
        params: &RawValue,
        options: CallOptions,
    ) -> Result<Box<RawValue>, UpstreamError> {
        let _ = (method, params, options);
        todo!()
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: &RawValue) -> Result<(), UpstreamError> {
        let _ = (method, params);
        todo!()
    }
}

/// A server that is ready for requests. Dropped, it hangs up: a child process is
/// ended, an HTTP session is deleted.
#[derive(Debug)]
pub struct Connection {}

impl Connection {
    /// A conversation whose link is attached here, and which hangs up when the result
    /// is dropped. It may be made before the server is ready, so that giving up on the
    /// opening hangs up too; [`Connection::ready`] completes it.
    pub fn new(peer: Peer, link: Arc<dyn Link>) -> Self {
        let _ = (peer, link);
        todo!()
    }

    /// The conversation.
    pub fn peer(&self) -> &Peer {
        todo!()
    }

    /// With what the server said of itself.
    pub fn ready(self, about: About) -> Self {
        let _ = about;
        todo!()
    }

    /// Sends a request and waits for its result. `params` is a JSON object, to which
    /// `_meta` is added where the protocol asks for it. Dropping the future cancels
    /// the request at the server.
    pub async fn request(
        &self,
        method: &str,
        params: &RawValue,
        options: CallOptions,
    ) -> Result<Box<RawValue>, UpstreamError> {
        let _ = (method, params, options);
        todo!()
    }

    /// Whether the server is still there, as far as is known.
    pub fn is_alive(&self) -> bool {
        todo!()
    }

    /// What the server said of itself in its opening: name, version, instructions.
    pub fn about(&self) -> &About {
        todo!()
    }

    /// The child process, if there is one.
    pub fn pid(&self) -> Option<u32> {
        todo!()
    }

    /// Hangs up in order: closes stdin and waits for the program to end, or deletes
    /// the session. Bounded in time.
    pub async fn close(self) {
        todo!()
    }
}

/// What a server says of itself.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// Its name and version, where it gives them.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The protocol version that was agreed on.
    pub protocol: String,
    /// How its tools are to be used.
    pub instructions: Option<String>,
    /// Whether it offers tools at all.
    pub has_tools: bool,
}
