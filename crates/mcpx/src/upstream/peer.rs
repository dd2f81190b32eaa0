//! One conversation with one server: ids, answers, notifications, questions back.

use std::future::Future;
use std::pin::Pin;

use serde_json::value::RawValue;

use super::{CallOptions, UpstreamError};

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

/// A server that is ready for requests. Dropped, it hangs up: a child process is
/// ended, an HTTP session is deleted.
#[derive(Debug)]
pub struct Connection {}

impl Connection {
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
