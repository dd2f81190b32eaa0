//! How a server wants to be spoken to: opened once (`initialize`), or asked afresh
//! each time (2026-07-28). Found out by trying, and remembered.

use std::path::Path;
use std::time::Duration;

use super::UpstreamError;
use super::peer::{About, Peer};
use crate::config::Endpoint;

/// How a server is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Life {
    /// Opened once, with `initialize`.
    Opened {
        /// The version that was agreed on.
        protocol: String,
    },
    /// Every request says everything.
    Stateless {
        /// The version that requests are in.
        protocol: String,
    },
}

/// Opens with `initialize`; the peer lives [`Life::Opened`] after it.
pub async fn initialize(peer: &Peer, timeout: Duration) -> Result<About, UpstreamError> {
    let _ = (peer, timeout);
    todo!()
}

/// Asks with `server/discover`; the peer lives [`Life::Stateless`] after it.
pub async fn discover(peer: &Peer, timeout: Duration) -> Result<About, UpstreamError> {
    let _ = (peer, timeout);
    todo!()
}

/// Which life worked with which server, kept over restarts.
#[derive(Debug)]
pub struct Memory {}

impl Memory {
    /// What is remembered in this folder of the user's. A file that cannot be read is
    /// an empty memory.
    pub fn load(state: &Path) -> Self {
        let _ = state;
        todo!()
    }

    /// A memory that ends with the process.
    pub fn fleeting() -> Self {
        todo!()
    }

    /// What an endpoint is remembered by: nothing secret can be read from it.
    pub fn key(endpoint: &Endpoint) -> String {
        let _ = endpoint;
        todo!()
    }

    /// What worked with this server last.
    pub fn recall(&self, key: &str) -> Option<Life> {
        let _ = key;
        todo!()
    }

    /// This worked.
    pub fn learn(&self, key: &str, life: &Life) {
        let _ = (key, life);
        todo!()
    }
}
