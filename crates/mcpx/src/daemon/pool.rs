//! The servers that are open: one for each identity, opened once however many ask,
//! closed when nobody used it for a while.

use std::sync::Arc;

use argway_core::sources::tool::ToolSpec;

use crate::config::{Settings, Target};
use crate::upstream::{Connection, UpstreamError};

/// Every open server.
#[derive(Debug)]
pub struct Pool {}

impl Pool {
    /// The server of `target`, opened if it is not. Concurrent callers share one
    /// opening; a slow one delays nobody else. It is kept open while the result lives,
    /// and for the keep-alive time after.
    pub async fn server(
        &self,
        target: &Target,
        settings: &Settings,
    ) -> Result<Arc<Server>, UpstreamError> {
        let _ = (target, settings);
        todo!()
    }

    /// Whether no server is open or being opened.
    pub fn is_empty(&self) -> bool {
        todo!()
    }

    /// Closes every server, in order and bounded in time.
    pub async fn close(&self) {
        todo!()
    }
}

/// An open server.
#[derive(Debug)]
pub struct Server {
    /// The wire to it.
    pub connection: Connection,
}

impl Server {
    /// Its tools, in its order; asked once, and again after it says that they changed.
    pub async fn tools(&self) -> Result<Arc<Tools>, UpstreamError> {
        todo!()
    }
}

/// The tools of a server.
#[derive(Debug, Default)]
pub struct Tools {
    /// In the server's order.
    pub tools: Vec<ToolSpec>,
    /// What was no tool, a sentence each: costs only that one.
    pub problems: Vec<String>,
}
