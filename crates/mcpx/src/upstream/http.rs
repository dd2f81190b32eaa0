//! Streamable HTTP, and the old HTTP+SSE as last resort.
//!
//! Here it is found out how a server wants to be spoken to; [`streamable`] and [`old`]
//! then carry the messages, and [`client`] is the way there.

mod answer;
mod client;
mod headers;
mod old;
mod plan;
mod said;
mod streamable;
mod streams;
mod tasks;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::life::{self, Life, Memory};
use super::peer::{About, Connection, Link, Peer};
use super::{Event, UpstreamError};
use crate::config::{Endpoint, Target};
use client::{Client, Settings};
pub use headers::flaw as header_flaw;
use old::Old;
use streamable::{Manner, Streamable};

/// A way to speak to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Stateless,
    Session,
    Old,
}

/// Connects to a server, in the way that worked last, or else the newest that does.
pub async fn open(
    target: &Target,
    memory: &Memory,
    events: mpsc::Sender<Event>,
) -> Result<Connection, UpstreamError> {
    let Endpoint::Http {
        url,
        headers,
        ca_file,
        proxies,
    } = &target.endpoint
    else {
        let reason = format!("{} is no HTTP server", target.name);
        return Err(UpstreamError::Protocol(reason));
    };
    let client = Arc::new(Client::new(Settings {
        url,
        headers,
        ca_file: ca_file.clone(),
        proxies,
        connect_timeout: target.connect_timeout,
    })?);
    let key = Memory::key(&target.endpoint);
    let opening = Opening {
        client,
        events,
        deadline: super::deadline(target.connect_timeout),
    };
    let found = opening.find(memory.recall(&key)).await;
    let connection = found.map_err(|error| match error {
        // The last of several ways had only the rest of the time.
        UpstreamError::Timeout { method, .. } => UpstreamError::Timeout {
            method,
            after: target.connect_timeout,
        },
        other => opening.with_hint(other),
    })?;
    if let Some(life) = connection.peer().life() {
        memory.learn(&key, &life);
    }
    Ok(connection)
}

/// A server that is being opened.
#[derive(Debug)]
struct Opening {
    client: Arc<Client>,
    events: mpsc::Sender<Event>,
    deadline: Instant,
}

impl Opening {
    /// Tries one way after the other.
    async fn find(&self, remembered: Option<Life>) -> Result<Connection, UpstreamError> {
        let ways = match remembered {
            Some(Life::Opened { .. }) => [Way::Session, Way::Old, Way::Stateless],
            Some(Life::Stateless { .. }) | None => [Way::Stateless, Way::Session, Way::Old],
        };
        let is_known = remembered.is_some();
        let mut telling: Option<UpstreamError> = None;
        for (tried, way) in ways.into_iter().enumerate() {
            // Who answers in JSON-RPC does not speak the old way.
            if way == Way::Old && matches!(telling, Some(UpstreamError::Rpc { .. })) {
                continue;
            }
            let left = self.deadline.saturating_duration_since(Instant::now());
            // A server that is silent when asked in a way that it may not know has half
            // of its time left for the next one.
            let time = if is_known || tried > 0 {
                left
            } else {
                left / 2
            };
            match self.attempt(way, time).await {
                Ok(connection) => return Ok(connection),
                Err(error) if !speaks_otherwise(&error) || left.is_zero() => {
                    // The old way is only tried in case; what it says is no news.
                    return Err(telling.filter(|_| way == Way::Old).unwrap_or(error));
                }
                Err(error) => {
                    telling = Some(match telling {
                        Some(before) if way == Way::Old || tells_more(&before, &error) => before,
                        _ => error,
                    });
                }
            }
        }
        Err(telling.unwrap_or(UpstreamError::Cancelled))
    }

    /// Who gives only the host has most likely forgotten the path.
    fn with_hint(&self, error: UpstreamError) -> UpstreamError {
        let mut at = self.client.url();
        match error {
            UpstreamError::Http {
                url,
                status: status @ (404 | 405),
                body,
            } if at.path() == "/" => {
                at.set_path("/mcp");
                let said = match body.trim() {
                    "" => String::new(),
                    said => format!("{said}; "),
                };
                let body = format!("{said}most servers are at /mcp: {}", client::shown(&at));
                UpstreamError::Http { url, status, body }
            }
            other => other,
        }
    }

    async fn attempt(&self, way: Way, time: Duration) -> Result<Connection, UpstreamError> {
        let peer = Peer::new(self.events.clone());
        let manner = match way {
            Way::Stateless => Manner::Stateless,
            Way::Session => Manner::Session,
            Way::Old => {
                let began = Instant::now();
                let link = Old::open(Arc::clone(&self.client), peer.clone(), time).await?;
                let left = time.saturating_sub(began.elapsed());
                let connection = Connection::new(peer, Arc::new(link));
                let about = life::initialize(connection.peer(), left).await?;
                return Ok(connection.ready(about));
            }
        };
        let client = Arc::clone(&self.client);
        let link = Arc::new(Streamable::new(client, peer.clone(), manner, &self.events));
        let dynamic: Arc<dyn Link> = link.clone();
        let connection = Connection::new(peer, dynamic);
        let about = match manner {
            Manner::Stateless => life::discover(connection.peer(), time).await?,
            Manner::Session => life::initialize(connection.peer(), time).await?,
        };
        if manner == Manner::Stateless && about.tells_changes {
            link.subscribe();
        }
        let reads_headers = manner == Manner::Stateless;
        Ok(connection.ready(About {
            reads_headers,
            ..about
        }))
    }
}

/// Whether a failure may mean that the server is to be spoken to in another way.
fn speaks_otherwise(error: &UpstreamError) -> bool {
    match error {
        UpstreamError::Rpc { .. }
        | UpstreamError::Protocol(_)
        | UpstreamError::Ended { .. }
        | UpstreamError::Timeout { .. } => true,
        // What stands in the way there stands in every way: rights, load, a gateway.
        UpstreamError::Http { status, .. } => {
            !matches!(status, 300..=399 | 401 | 403 | 407 | 429 | 502 | 503 | 504)
        }
        UpstreamError::Start { .. }
        | UpstreamError::Network(_)
        | UpstreamError::InputRequired { .. }
        | UpstreamError::Cancelled => false,
    }
}

/// Whether the earlier of two failures is the one to tell.
fn tells_more(before: &UpstreamError, after: &UpstreamError) -> bool {
    matches!(before, UpstreamError::Timeout { .. }) && matches!(after, UpstreamError::Rpc { .. })
}
