//! The tools of an open server: asked once for all who want them, and again after
//! the server says that they changed.

use std::collections::BTreeSet;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use argway_core::few::{Few, few};
use argway_core::sources::tool::ToolSpec;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::promise::{self, Promise};
use super::{Flaw, Server, Wire};
use crate::own_flags::long_names;
use crate::upstream::{CallOptions, UpstreamError};

/// More than any server has; a list that never ends does.
const MOST_PAGES: usize = 200;
const MOST_TOOLS: usize = 20_000;
/// What a tool may have, and all of them together.
const TOOL_BYTES: usize = 1 << 20;
const LIST_BYTES: usize = 32 << 20;
/// How long it may take to understand what they say.
const LONGEST_READING: Duration = Duration::from_secs(10);
const LONGEST_CURSOR: usize = 64 << 10;
/// Problems that are told.
const MOST_PROBLEMS: usize = 100;

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

/// What was read so far.
struct Reading {
    list: Tools,
    names: BTreeSet<String>,
    /// Bytes of the tools that are kept.
    kept: usize,
    /// Time that reading has taken.
    took: Duration,
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    /// Passed back as it came.
    #[serde(borrow, rename = "nextCursor")]
    next: Option<&'a RawValue>,
}

/// Asks for every page of the list.
async fn listed<W: Wire>(wire: &W) -> Result<Tools, UpstreamError> {
    let mut reading = Reading::new();
    if !wire.has_tools() {
        return Ok(reading.list);
    }
    let mut cursors = BTreeSet::new();
    let mut params = "{}".to_owned();
    for _ in 0..MOST_PAGES {
        let asked = RawValue::from_string(params).map_err(no_list)?;
        let result = wire
            .request("tools/list", &asked, CallOptions::default())
            .await?;
        // Schemas can be long to read, and nobody else is to wait for that.
        let flaw = wire.flaw();
        let read = tokio::task::spawn_blocking(move || {
            let next = reading.page(&result, flaw);
            (reading, next)
        });
        let next = match read.await {
            Ok((back, next)) => {
                reading = back;
                next?
            }
            Err(_) => return Err(unreadable("it cannot be understood")),
        };
        let Some(next) = next else {
            return Ok(reading.list);
        };
        if !cursors.insert(next.clone()) {
            reading.problem("the list of tools goes round in a circle".to_owned());
            return Ok(reading.list);
        }
        params = format!("{{\"cursor\":{next}}}");
    }
    reading.problem(format!(
        "only the first {MOST_PAGES} pages of tools are used"
    ));
    Ok(reading.list)
}

impl Reading {
    fn new() -> Self {
        Self {
            list: Tools {
                tools: Vec::new(),
                problems: Vec::new(),
                asked: Instant::now(),
            },
            names: BTreeSet::new(),
            kept: 0,
            took: Duration::ZERO,
        }
    }

    /// Adds the tools of a page; gives the cursor of the next one, if there is one to
    /// be asked for.
    fn page(&mut self, page: &RawValue, flaw: Flaw) -> Result<Option<String>, UpstreamError> {
        let began = std::time::Instant::now();
        let page: Page<'_> = serde_json::from_str(page.get()).map_err(no_list)?;
        let tools = page.tools.filter(|tools| tools.get() != "null");
        let tools = match tools {
            Some(tools) => {
                few(tools.get(), MOST_TOOLS + 1).ok_or_else(|| unreadable("it is no list"))?
            }
            None => Few::default(),
        };
        let taken = long_names();
        for tool in tools.items {
            let enough = if self.list.tools.len() == MOST_TOOLS {
                Some("it has more")
            } else if self.kept + tool.get().len() > LIST_BYTES {
                Some("the rest is too long")
            } else if self.took + began.elapsed() > LONGEST_READING {
                Some("the rest takes too long to read")
            } else {
                None
            };
            if let Some(why) = enough {
                let count = self.list.tools.len();
                self.problem(format!("only the first {count} tools are used: {why}"));
                return Ok(None);
            }
            match flaw(tool) {
                Some(flaw) => self.problem(flaw),
                None => self.tool(tool, &taken),
            }
        }
        self.took += began.elapsed();
        // Some servers say `""` where they mean that there is no more.
        let next = page.next.map(RawValue::get);
        let next = next.filter(|next| !["\"\"", "null"].contains(next));
        match next {
            Some(next) if next.len() > LONGEST_CURSOR => Err(unreadable("its cursor is too long")),
            next => Ok(next.map(str::to_owned)),
        }
    }

    fn tool(&mut self, tool: &RawValue, taken: &[&str]) {
        if tool.get().len() > TOOL_BYTES {
            let most = TOOL_BYTES >> 20;
            return self.problem(format!("a tool is left out: it has more than {most} MiB"));
        }
        match ToolSpec::read(tool, taken) {
            Ok(tool) if self.names.insert(tool.name.clone()) => {
                self.kept += tool.raw.get().len();
                self.list.tools.push(tool);
            }
            Ok(tool) => {
                let name = tool.name.chars().take(200).collect::<String>();
                self.problem(format!("`{name}` is listed twice; the first is used"));
            }
            Err(problem) => self.problem(problem.to_string()),
        }
    }

    fn problem(&mut self, problem: String) {
        let problems = &mut self.list.problems;
        match problems.len() {
            ..MOST_PROBLEMS => problems.push(problem),
            MOST_PROBLEMS => problems.push("there are more problems with its tools".to_owned()),
            _ => {}
        }
    }
}

fn no_list(error: serde_json::Error) -> UpstreamError {
    unreadable(&error.to_string())
}

fn unreadable(why: &str) -> UpstreamError {
    UpstreamError::Protocol(format!("its list of tools cannot be read: {why}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    fn read(page: String) -> (Tools, Option<String>) {
        let mut reading = Reading::new();
        let next = reading
            .page(&RawValue::from_string(page).unwrap(), |_| None)
            .unwrap();
        (reading.list, next)
    }

    #[test]
    fn a_list_of_nonsense_costs_neither_memory_nor_lines() {
        let page = format!(
            r#"{{"tools":[{}{{"name":"last"}}]}}"#,
            "0,".repeat(3_000_000)
        );
        let (list, _) = read(page);
        assert!(list.tools.is_empty(), "it is beyond what is looked at");
        assert_eq!(list.problems.len(), MOST_PROBLEMS + 1);
    }

    #[test]
    fn a_tool_that_is_a_book_costs_only_itself() {
        let book = "x".repeat(TOOL_BYTES);
        let page = format!(r#"{{"tools":[{{"name":"{book}"}},{{"name":"t"}}],"nextCursor":7}}"#);
        let (list, next) = read(page);
        assert_eq!((list.tools.len(), list.problems.len()), (1, 1));
        assert_eq!(next.as_deref(), Some("7"));
    }

    #[test]
    fn tools_are_read_until_they_are_too_long_together() {
        let tool = |at: usize| {
            format!(
                r#"{{"name":"t{at}","description":"{}"}}"#,
                "x".repeat(1_000_000)
            )
        };
        let tools: Vec<String> = (0..40).map(tool).collect();
        let (list, next) = read(format!(
            r#"{{"tools":[{}],"nextCursor":"more"}}"#,
            tools.join(",")
        ));
        assert_eq!((list.tools.len(), next), (33, None));
        assert_eq!(
            list.problems,
            ["only the first 33 tools are used: the rest is too long"]
        );
    }

    #[test]
    fn no_list_is_an_error_and_none_at_all_is_empty() {
        for (page, is_read) in [
            (r#"{"tools":{}}"#, false),
            (r#"{"tools":null}"#, true),
            ("{}", true),
            ("[]", false),
        ] {
            let page = RawValue::from_string(page.to_owned()).unwrap();
            assert_eq!(
                Reading::new().page(&page, |_| None).is_ok(),
                is_read,
                "{page}"
            );
        }
    }
}
