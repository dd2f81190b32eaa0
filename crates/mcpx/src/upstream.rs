//! The wire to MCP servers: requests out, answers in, as raw JSON.
//!
//! Messages are never decoded into types of the protocol: what a server says is
//! passed on as it said it, and only the few fields that routing needs are looked at.
//! [`peer`] matches answers to requests whatever the transport; [`life`] finds out
//! how a server wants to be spoken to.

mod http;
mod life;
mod peer;
mod sse;
mod stdio;

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::config::{Endpoint, Target};

pub use http::header_flaw;
pub use life::Memory;
pub use peer::Connection;
pub use stdio::{Roll, end_left_behind};

/// Why a request has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum UpstreamError {
    /// The server's program could not be started, or ended before it was ready.
    #[error("{reason}")]
    Start {
        /// One sentence, with the program's name.
        reason: String,
        /// The last lines that it wrote to stderr, for `-v`.
        stderr: String,
    },
    /// It ended, or hung up, while the call was under way.
    #[error("{0}", reason)]
    Ended {
        /// How, for example `ended with exit code 3 during the call`.
        reason: String,
        /// The last lines that it wrote to stderr, for `-v`.
        stderr: String,
    },
    /// It did not answer in time.
    #[error("no answer to {method} within {}", seconds(.after))]
    Timeout {
        /// What it was asked.
        method: String,
        /// The time it had.
        after: Duration,
    },
    /// It answered with a JSON-RPC error.
    #[error("{} ({code})", .message.trim_end())]
    Rpc {
        /// The protocol's number.
        code: i64,
        /// What the server says.
        message: String,
        /// What it says besides.
        data: Option<Box<RawValue>>,
    },
    /// It said something that is no MCP.
    #[error("{0}")]
    Protocol(String),
    /// An HTTP status that no answer comes with.
    #[error("{url} answered HTTP {status}{}", detail(.body))]
    Http {
        /// Without user name and password.
        url: String,
        /// For example 401.
        status: u16,
        /// The beginning of what came with it.
        body: String,
    },
    /// The network failed: no connection, reset, TLS.
    #[error("{0}")]
    Network(String),
    /// The tool wants answers from a person first, and nobody could be asked.
    #[error("{question}")]
    InputRequired {
        /// What it wants to know, and the flag to answer it with.
        question: String,
    },
    /// The caller went away.
    #[error("cancelled")]
    Cancelled,
}

fn seconds(time: &Duration) -> String {
    // What is left of a time is seldom round.
    format!("{} s", (time.as_secs_f64() * 1000.0).round() / 1000.0)
}

fn detail(body: &str) -> String {
    match body.trim() {
        "" => String::new(),
        text => format!(": {text}"),
    }
}

/// How many events wait to be heard: one that waits says all that a second would.
pub const EVENTS: usize = 1;
/// How much of what a server says during one call waits to be heard. What it says
/// beyond that is lost: nobody reads a flood, and it must not fill the memory.
pub const CALL_EVENTS: usize = 1024;

/// What a server says of its own accord and whoever calls it.
#[derive(Debug)]
pub enum Event {
    /// `notifications/tools/list_changed`.
    ToolsChanged,
}

/// What is told to the one who makes a call, while it runs.
#[derive(Debug)]
pub enum CallEvent {
    /// `notifications/progress`.
    Progress {
        /// How far.
        progress: f64,
        /// Of how much.
        total: Option<f64>,
        /// In words.
        message: Option<String>,
    },
    /// `notifications/message` while this call ran, or an error that names no call.
    Log {
        /// `info`, `warning` …
        level: String,
        /// What it says, as text.
        text: String,
    },
    /// The server has questions for the person: the answer goes through `reply`.
    Elicit {
        /// What is asked, with its schema: the `params` of `elicitation/create`.
        params: Box<RawValue>,
        /// The result of the elicitation, as JSON: `{"action": …, "content": …}`.
        reply: tokio::sync::oneshot::Sender<Box<RawValue>>,
    },
}

/// How one request is made.
#[derive(Debug, Default)]
pub struct CallOptions {
    /// None waits for ever.
    pub timeout: Option<Duration>,
    /// Where what happens meanwhile is told; a progress token is sent if there is one.
    pub events: Option<mpsc::Sender<CallEvent>>,
    /// Whether a person can be asked: questions of the server come to `events`. Without,
    /// they are cancelled.
    pub can_ask: bool,
    /// Whether log messages are wanted: a stateless server tells them only when asked.
    /// (One that was opened is asked once, by [`Connection::ask_for_logs`].)
    pub wants_logs: bool,
}

/// When a time that begins now is over. Longer than a clock can hold is for ever.
pub fn deadline(time: Duration) -> Instant {
    const FOR_EVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
    Instant::now() + time.min(FOR_EVER)
}

/// Connects to a server and agrees on how to speak. What the server says unasked
/// goes to `events`; that channel closes when the connection ends.
pub async fn open(
    target: &Target,
    memory: &life::Memory,
    roll: &Arc<Roll>,
    events: mpsc::Sender<Event>,
) -> Result<Connection, UpstreamError> {
    match &target.endpoint {
        Endpoint::Stdio {
            program,
            args,
            environment,
            folder,
        } => {
            let program = stdio::Program {
                path: program,
                args,
                environment,
                folder,
            };
            stdio::open(target, program, memory, roll, events).await
        }
        Endpoint::Http { .. } => http::open(target, memory, events).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_no_clock_can_hold_is_over_some_day() {
        assert!(deadline(Duration::MAX) > deadline(Duration::from_secs(3600)));
    }
}
