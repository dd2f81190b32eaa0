//! Streamable HTTP, and the old HTTP+SSE as last resort.

use tokio::sync::mpsc;

use super::life::Memory;
use super::peer::Connection;
use super::{Event, UpstreamError};
use crate::config::Target;

/// Connects to the URL of a target and agrees on how to speak.
pub async fn open(
    target: &Target,
    memory: &Memory,
    events: mpsc::UnboundedSender<Event>,
) -> Result<Connection, UpstreamError> {
    let _ = (target, memory, events);
    todo!()
}
