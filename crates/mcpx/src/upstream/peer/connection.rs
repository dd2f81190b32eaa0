//! A conversation that is ready, with what hangs up at its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::value::RawValue;

use super::{Link, Peer};
use crate::upstream::life::{self, Life};
use crate::upstream::{CallOptions, UpstreamError};

/// How long a server may take to agree to tell its log messages.
const ASKING: Duration = Duration::from_secs(2);

/// A server that is ready for requests. Dropped, it hangs up: a child process is
/// ended, an HTTP session is deleted.
#[derive(Debug)]
pub struct Connection {
    peer: Peer,
    about: About,
    /// Log messages were asked for.
    asked_for_logs: AtomicBool,
}

impl Connection {
    /// A conversation whose link is attached here, and which hangs up when the result
    /// is dropped. It may be made before the server is ready, so that giving up on the
    /// opening hangs up too; [`Connection::ready`] completes it.
    pub fn new(peer: Peer, link: Arc<dyn Link>) -> Self {
        peer.attach(link);
        Self {
            peer,
            about: About::default(),
            asked_for_logs: AtomicBool::new(false),
        }
    }

    /// The conversation.
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// With what the server said of itself.
    pub fn ready(mut self, about: About) -> Self {
        self.about = about;
        self
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
        self.peer.request(method, params, options).await
    }

    /// Asks a server that was opened for its log messages, once. One that refuses has
    /// none to tell.
    pub async fn ask_for_logs(&self) {
        let is_opened = matches!(self.peer.life(), Some(Life::Opened { .. }));
        if is_opened && self.about.tells_logs && !self.asked_for_logs.swap(true, Ordering::Relaxed)
        {
            let _ = life::ask_for_logs(&self.peer, ASKING).await;
        }
    }

    /// Whether the server is still there, as far as is known.
    pub fn is_alive(&self) -> bool {
        self.peer.is_alive()
    }

    /// What the server said of itself in its opening.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The child process, if there is one.
    pub fn pid(&self) -> Option<u32> {
        let link = self.peer.state().link.clone();
        link.and_then(|link| link.pid())
    }

    /// Hangs up in order: closes stdin and waits for the program to end, or deletes
    /// the session. Bounded in time. Who still waits for an answer has none.
    pub async fn close(&self) {
        if let Some(link) = self.peer.hang_up() {
            link.close().await;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        drop(self.peer.hang_up());
    }
}

/// What a server says of itself.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// Its name, where it gives one.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The protocol version that was agreed on.
    pub protocol: String,
    /// How its tools are to be used.
    pub instructions: Option<String>,
    /// Whether it offers tools at all.
    pub has_tools: bool,
    /// Whether it tells when they change.
    pub tells_changes: bool,
    /// Whether it has log messages to tell.
    pub tells_logs: bool,
    /// Whether it makes tasks of calls when it is asked to.
    pub makes_tasks: bool,
    /// Whether it wants to see marked parameters in headers.
    pub reads_headers: bool,
}
