//! The tools of an open server: asked once for all who want them, and again after
//! the server says that they changed.

use std::collections::BTreeSet;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use argway_core::sources::tool::ToolSpec;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::promise::{self, Promise};
use super::{Server, Wire};
use crate::own_flags::long_names;
use crate::upstream::{CallOptions, UpstreamError};

/// More than any server has; a list that never ends does.
const MOST_PAGES: usize = 200;
const MOST_TOOLS: usize = 20_000;

/// How long a server may take, even if who asked first has no more time.
const LONGEST_LISTING: Duration = Duration::from_secs(5 * 60);

/// The tools of a server.
#[derive(Debug)]
pub struct Tools {
    /// In the server's order.
    pub tools: Vec<ToolSpec>,
    /// What was no tool, a sentence each: costs only that one.
    pub problems: Vec<String>,
    /// When the server was asked.
    pub asked: Instant,
}

impl Tools {
    /// The tool of this name.
    pub fn find(&self, name: &str) -> Option<&ToolSpec> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

type Answer = Result<Arc<Tools>, UpstreamError>;

/// What is known of a server's tools.
#[derive(Debug, Default)]
pub struct Catalog {
    /// Counts changes, so that a list from before one is not kept after it.
    changes: u64,
    tools: Option<Promise<Answer>>,
}

impl<W: Wire> Server<W> {
    /// Its tools, in its order; asked once, and again after it says that they changed.
    /// Who asks meanwhile shares the answer; a failure is told to all of them and
    /// forgotten.
    pub async fn tools(self: &Arc<Self>, timeout: Duration) -> Answer {
        let known = self.known_or_asked(timeout);
        // Who shares the answer may have more time than this caller, or less.
        match tokio::time::timeout(timeout, known.wait()).await {
            Ok(Some(answer)) => answer,
            // Who asked is gone without a word.
            Ok(None) => {
                self.forget_tools();
                Err(UpstreamError::Cancelled)
            }
            Err(_) => {
                // The next one asks again rather than wait for what may never come.
                self.forget_tools();
                Err(too_slow(timeout))
            }
        }
    }

    /// The next who wants the tools asks the server.
    pub fn forget_tools(&self) {
        let mut catalog = self.catalog();
        catalog.changes += 1;
        catalog.tools = None;
    }

    fn catalog(&self) -> MutexGuard<'_, Catalog> {
        self.catalog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known_or_asked(self: &Arc<Self>, timeout: Duration) -> Promise<Answer> {
        let mut catalog = self.catalog();
        if let Some(known) = &catalog.tools {
            return known.clone();
        }
        let (teller, promise) = promise::new();
        catalog.tools = Some(promise.clone());
        let changes = catalog.changes;
        let server = Arc::clone(self);
        let patience = timeout.max(LONGEST_LISTING);
        tokio::spawn(async move {
            let asked = tokio::time::timeout(patience, listed(&server.connection)).await;
            let answer = match asked {
                Ok(listed) => listed.map(Arc::new),
                Err(_) => Err(too_slow(patience)),
            };
            if answer.is_err() {
                let mut catalog = server.catalog();
                if catalog.changes == changes {
                    catalog.tools = None;
                }
            }
            teller.tell(answer);
        });
        promise
    }
}

fn too_slow(after: Duration) -> UpstreamError {
    UpstreamError::Timeout {
        method: "tools/list".into(),
        after,
    }
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    tools: Option<Vec<&'a RawValue>>,
    /// Passed back as it came.
    #[serde(borrow, rename = "nextCursor")]
    next: Option<&'a RawValue>,
}

/// Asks for every page of the list.
async fn listed<W: Wire>(wire: &W) -> Result<Tools, UpstreamError> {
    let mut list = Tools {
        tools: Vec::new(),
        problems: Vec::new(),
        asked: Instant::now(),
    };
    if !wire.has_tools() {
        return Ok(list);
    }
    let taken = long_names();
    let mut names = BTreeSet::new();
    let mut cursors = BTreeSet::new();
    let mut params = "{}".to_owned();
    for _ in 0..MOST_PAGES {
        let asked = RawValue::from_string(params).map_err(no_list)?;
        let result = wire
            .request("tools/list", &asked, CallOptions::default())
            .await?;
        let page: Page<'_> = serde_json::from_str(result.get()).map_err(no_list)?;
        for tool in page.tools.unwrap_or_default() {
            if list.tools.len() == MOST_TOOLS {
                let problem = format!("only the first {MOST_TOOLS} tools are used");
                list.problems.push(problem);
                return Ok(list);
            }
            if let Some(flaw) = wire.flaw(tool) {
                list.problems.push(flaw);
                continue;
            }
            match ToolSpec::read(tool, &taken) {
                Ok(tool) if names.insert(tool.name.clone()) => list.tools.push(tool),
                Ok(tool) => {
                    let problem = format!("`{}` is listed twice; the first is used", tool.name);
                    list.problems.push(problem);
                }
                Err(problem) => list.problems.push(problem.to_string()),
            }
        }
        match page.next {
            // Some servers say `""` where they mean that there is no more.
            Some(next) if next.get() != "\"\"" => {
                if !cursors.insert(next.get().to_owned()) {
                    let problem = "the list of tools goes round in a circle";
                    list.problems.push(problem.into());
                    return Ok(list);
                }
                params = format!("{{\"cursor\":{}}}", next.get());
            }
            _ => return Ok(list),
        }
    }
    let problem = format!("only the first {MOST_PAGES} pages of tools are used");
    list.problems.push(problem);
    Ok(list)
}

fn no_list(error: serde_json::Error) -> UpstreamError {
    UpstreamError::Protocol(format!("its list of tools cannot be read: {error}"))
}
