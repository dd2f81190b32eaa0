//! A server that is a child process: one JSON message a line.
//!
//! It is opened with `initialize`, because older servers end when they are asked
//! anything else first; `process` runs it, `lines` reads it.

mod lines;
mod process;
mod roll;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::life::{self, Life, Memory};
use super::peer::{About, Connection, Peer};
use super::{Event, UpstreamError};
use crate::config::Target;
use process::Process;

pub use process::Program;
pub use roll::{Roll, end_left_behind};

/// Starts the program of a target and agrees on how to speak, within the target's
/// time for it. What was started is ended if it does not come to that.
pub async fn open(
    target: &Target,
    program: Program<'_>,
    memory: &Memory,
    roll: &Arc<Roll>,
    events: mpsc::Sender<Event>,
) -> Result<Connection, UpstreamError> {
    let opening = Opening {
        target,
        program,
        memory,
        roll,
        events,
        deadline: super::deadline(target.connect_timeout),
    };
    opening.open().await
}

struct Opening<'a> {
    target: &'a Target,
    program: Program<'a>,
    memory: &'a Memory,
    roll: &'a Arc<Roll>,
    events: mpsc::Sender<Event>,
    deadline: Instant,
}

impl Opening<'_> {
    async fn open(&self) -> Result<Connection, UpstreamError> {
        let key = Memory::key(&self.target.endpoint);
        if let Some(Life::Stateless { .. }) = self.memory.recall(&key) {
            let connection = self.start()?;
            // Half of the time, so that there is some left if the server has changed.
            let discovered = life::discover(connection.peer(), self.left() / 2).await;
            if let Ok(about) = discovered {
                return Ok(self.ready(&key, connection, about));
            }
        }
        let mut connection = self.start()?;
        let refusal = match life::initialize(connection.peer(), self.left()).await {
            Ok(about) => return Ok(self.ready(&key, connection, about)),
            Err(error @ (UpstreamError::Rpc { .. } | UpstreamError::Protocol(_))) => error,
            Err(error) => return Err(self.unready(error)),
        };
        // It may have only the other life. If it ended with its refusal, it is started
        // again, once.
        let mut discovered = life::discover(connection.peer(), self.left()).await;
        if !connection.is_alive() {
            connection = self.start()?;
            discovered = life::discover(connection.peer(), self.left()).await;
        }
        match discovered {
            Ok(about) => Ok(self.ready(&key, connection, about)),
            Err(_) => Err(refusal),
        }
    }

    fn start(&self) -> Result<Connection, UpstreamError> {
        let peer = Peer::new(self.events.clone());
        let process = Process::start(self.program, &self.target.log, self.roll, &peer)?;
        Ok(Connection::new(peer, process))
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn ready(&self, key: &str, connection: Connection, about: About) -> Connection {
        if let Some(life) = connection.peer().life() {
            self.memory.learn(key, &life);
            if about.tells_changes && matches!(life, Life::Stateless { .. }) {
                life::listen(connection.peer());
            }
        }
        connection.ready(about)
    }

    /// What an error of the opening means to the one who wanted it open.
    fn unready(&self, error: UpstreamError) -> UpstreamError {
        match error {
            UpstreamError::Ended { reason, stderr } => {
                let reason = reason.strip_suffix(" during the call").unwrap_or(&reason);
                UpstreamError::Start {
                    reason: format!(
                        "{} {reason} before it was ready",
                        self.program.path.display()
                    ),
                    stderr,
                }
            }
            UpstreamError::Timeout { method, .. } => UpstreamError::Timeout {
                method,
                after: self.target.connect_timeout,
            },
            other => other,
        }
    }
}
