//! What a pool needs of the servers that it keeps: to open one, and to talk with it.

use std::future::Future;
use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::sync::mpsc;

use crate::config::Target;
use crate::upstream::{self, CallOptions, Connection, Event, Memory, Roll, UpstreamError};

/// Opens servers.
pub trait Opener: Send + Sync + 'static {
    /// What it opens.
    type Wire: Wire;

    /// Connects to a server. What it says unasked goes to `events`.
    fn open(
        &self,
        target: &Target,
        events: mpsc::Sender<Event>,
    ) -> impl Future<Output = Result<Self::Wire, UpstreamError>> + Send;
}

/// Why a listed tool must not be called, if it must not.
pub type Flaw = fn(&RawValue) -> Option<String>;

/// A conversation with a server.
pub trait Wire: Send + Sync + 'static {
    /// Asks, and waits for the result. Dropped, the request is cancelled.
    fn request(
        &self,
        method: &str,
        params: &RawValue,
        options: CallOptions,
    ) -> impl Future<Output = Result<Box<RawValue>, UpstreamError>> + Send;

    /// Whether the server is still there, as far as is known.
    fn is_alive(&self) -> bool;

    /// Whether it offers tools at all.
    fn has_tools(&self) -> bool;

    /// Whether calls can be made as tasks, by asking for that.
    fn makes_tasks(&self) -> bool {
        false
    }

    /// Tells which tools must not be called over this wire; mostly none.
    fn flaw(&self) -> Flaw {
        |_| None
    }

    /// Hangs up in order.
    fn close(&self) -> impl Future<Output = ()> + Send;
}

/// Opens the servers of the real world.
#[derive(Debug)]
pub struct Upstream {
    /// How each wants to be spoken to.
    pub memory: Memory,
    /// Which processes it started.
    pub roll: Arc<Roll>,
}

impl Opener for Upstream {
    type Wire = Connection;

    async fn open(
        &self,
        target: &Target,
        events: mpsc::Sender<Event>,
    ) -> Result<Connection, UpstreamError> {
        upstream::open(target, &self.memory, &self.roll, events).await
    }
}

impl Wire for Connection {
    async fn request(
        &self,
        method: &str,
        params: &RawValue,
        options: CallOptions,
    ) -> Result<Box<RawValue>, UpstreamError> {
        Connection::request(self, method, params, options).await
    }

    fn is_alive(&self) -> bool {
        Connection::is_alive(self)
    }

    fn has_tools(&self) -> bool {
        self.about().has_tools
    }

    fn makes_tasks(&self) -> bool {
        self.about().makes_tasks
    }

    fn flaw(&self) -> Flaw {
        match self.about().reads_headers {
            true => upstream::header_flaw,
            false => |_| None,
        }
    }

    async fn close(&self) {
        Connection::close(self).await;
    }
}
