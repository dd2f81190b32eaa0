//! Asks a server until it has an answer.
//!
//! Mostly that is one request. A server may ask back, though: during the call
//! (`elicitation/create`), with a result that is none yet (`input_required`), or it
//! makes a task of the call, which [`tasks`] waits for.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::progress::ProgressLine;
use super::{Call, Terminal, tasks};
use crate::daemon::caller::{Gone, Voice};
use crate::daemon::elicit::{self, Outcome};
use crate::daemon::pool::Wire;
use crate::daemon::session::Stop;
use crate::exit::Failure;
use crate::harmless;
use crate::upstream::{CALL_EVENTS, CallEvent, CallOptions, UpstreamError};

/// A server that asks more often does not come to an end.
const MOST_ROUNDS: u32 = 10;

/// A call asks for no more than this at once.
const MOST_QUESTIONS: usize = 20;

/// What is kept of what happens while a person thinks.
const MOST_EVENTS: usize = 100;

/// A result that asks for something has no more than this.
const LONGEST_HEADER: usize = 16 << 20;

/// What is shown of a server's log message.
const LONGEST_LOG: usize = 4_000;

/// An answer, at last.
#[derive(Debug)]
pub struct Answer {
    /// The result, as the server sent it.
    pub result: Box<RawValue>,
    /// The tool asked something first, so that its arguments are not all it knows.
    pub asked: bool,
}

/// The parameters of `tools/call`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    name: &'a str,
    arguments: &'a RawValue,
    /// Asks for a task, where that is how the tool is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_responses: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_state: Option<Box<RawValue>>,
}

/// What a result says about itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    result_type: Option<Value>,
    input_requests: Option<Map<String, Value>>,
    /// The server's own, passed back as it came.
    request_state: Option<Box<RawValue>>,
}

/// Calls the tool, and again as often as it asks something first.
pub async fn answer<W: Wire, T: Terminal>(
    terminal: &mut T,
    wire: &W,
    call: &Call<'_>,
    arguments: &RawValue,
) -> Result<Answer, Stop> {
    let mut conversation = Conversation::new(terminal, wire, call);
    let as_task = wire.makes_tasks() && tasks::demanded(call.tool);
    let mut params = Params {
        name: &call.tool.name,
        arguments,
        task: as_task.then(Map::new),
        input_responses: None,
        request_state: None,
    };
    for round in 0..MOST_ROUNDS {
        let asked = to_raw_value(&params).map_err(|error| conversation.no_mcp(error))?;
        let result = conversation.request("tools/call", &asked).await?;
        if as_task && let Some(awaited) = tasks::awaited(&mut conversation, &result).await {
            let (result, asked) = (awaited?, conversation.asked);
            return Ok(Answer { result, asked });
        }
        let Some(header) = unfinished(&result) else {
            let asked = conversation.asked;
            return Ok(Answer { result, asked });
        };
        match header.result_type.as_ref().and_then(Value::as_str) {
            Some("input_required") => {
                params.input_responses = match header.input_requests {
                    Some(requests) => Some(conversation.responses(requests).await?),
                    // It only wants to be asked again: not at once.
                    None => {
                        let pause = Duration::from_millis(250) * (round + 1);
                        conversation.pause(pause).await?;
                        None
                    }
                };
                params.request_state = header.request_state;
            }
            Some("task") => {
                let result = tasks::finished(&mut conversation, &result).await?;
                let asked = conversation.asked;
                return Ok(Answer { result, asked });
            }
            _ => {
                let asked = conversation.asked;
                return Ok(Answer { result, asked });
            }
        }
    }
    let endless = format!("it asked {MOST_ROUNDS} times and still has no result");
    Err(conversation.no_mcp(endless))
}

/// The header of a result that says what it is. Most are large and say nothing, so
/// that is looked at first.
fn unfinished(result: &RawValue) -> Option<Header> {
    let names_it = result.get().contains("\"resultType\"")
        // Only a result that is one is long.
        && result.get().len() <= LONGEST_HEADER;
    names_it.then(|| serde_json::from_str(result.get()).ok())?
}

/// A call under way: who waits for it, and the wire.
pub struct Conversation<'a, T, W> {
    pub terminal: &'a mut T,
    wire: &'a W,
    pub call: &'a Call<'a>,
    pub line: ProgressLine,
    /// Something was asked.
    asked: bool,
}

impl<'a, T: Terminal, W: Wire> Conversation<'a, T, W> {
    fn new(terminal: &'a mut T, wire: &'a W, call: &'a Call<'a>) -> Self {
        let columns = match terminal.voice() {
            Voice::Quiet => None,
            Voice::Normal | Voice::Verbose => terminal.columns(),
        };
        Self {
            terminal,
            wire,
            call,
            line: ProgressLine::new(columns),
            asked: false,
        }
    }

    /// The server said something that is no MCP.
    pub fn no_mcp(&self, what: impl ToString) -> Stop {
        Failure::protocol(&self.call.target.name, what.to_string()).into()
    }

    fn failed(&self, source: UpstreamError) -> Stop {
        Stop::Failure(Failure::Upstream {
            server: self.call.target.name.clone(),
            source,
        })
    }

    /// Asks the server, and meanwhile tells and asks the person what it says and asks.
    /// Let go, or late, the request is cancelled at the server.
    pub async fn request(
        &mut self,
        method: &str,
        params: &RawValue,
    ) -> Result<Box<RawValue>, Stop> {
        let answer = self.answered(method, params).await;
        let cleared = self.line.clear();
        if !cleared.is_empty() {
            self.terminal.stderr(cleared).await?;
        }
        answer
    }

    async fn answered(&mut self, method: &str, params: &RawValue) -> Result<Box<RawValue>, Stop> {
        let timeout = self.call.timeout();
        let mut deadline = crate::upstream::deadline(timeout);
        let (sender, mut events) = mpsc::channel(CALL_EVENTS);
        let wire = self.wire;
        let request = wire.request(
            method,
            params,
            CallOptions {
                // Held here, because it stands still while a person thinks.
                timeout: None,
                events: Some(sender),
                // `--answer` can answer at the next try, if nothing else.
                can_ask: true,
                wants_logs: self.terminal.voice() == Voice::Verbose,
            },
        );
        tokio::pin!(request);
        let mut waiting = VecDeque::new();
        loop {
            while let Some(event) = waiting.pop_front() {
                let before = Instant::now();
                self.hear(event, &mut events, &mut waiting).await?;
                deadline += before.elapsed();
            }
            let due = self.line.due();
            tokio::select! {
                answer = &mut request => {
                    // What it said before it answered comes before the answer.
                    while let Ok(CallEvent::Log { level, text }) = events.try_recv() {
                        self.log(&level, &text).await?;
                    }
                    return answer.map_err(|error| self.failed(error));
                }
                Some(event) = events.recv() => waiting.push_back(event),
                gone = self.terminal.gone() => return Err(gone.into()),
                () = tokio::time::sleep_until(deadline) => {
                    return Err(self.failed(UpstreamError::Timeout {
                        method: method.to_owned(),
                        after: timeout,
                    }));
                }
                () = tokio::time::sleep_until(due.unwrap_or(deadline)), if due.is_some() => {
                    let drawn = self.line.draw();
                    self.terminal.stderr(&drawn).await?;
                }
            }
        }
    }

    async fn hear(
        &mut self,
        event: CallEvent,
        events: &mut mpsc::Receiver<CallEvent>,
        waiting: &mut VecDeque<CallEvent>,
    ) -> Result<(), Stop> {
        match event {
            CallEvent::Progress {
                progress,
                total,
                message,
            } => self.line.set(Some(progress), total, message.as_deref()),
            CallEvent::Log { level, text } => self.log(&level, &text).await?,
            CallEvent::Elicit { params, reply } => {
                self.clear().await?;
                self.asked = true;
                let outcome = self.asking(&params, events, waiting).await?;
                let answer = match outcome {
                    Outcome::Answered(answer) => answer,
                    Outcome::Open(question) => {
                        let name = &self.call.target.name;
                        self.terminal.warn(&format!("{name}: {question}")).await?;
                        elicit::cancelled()
                    }
                };
                let answer = to_raw_value(&answer).map_err(|error| self.no_mcp(error))?;
                // A server that does not wait any more has its reasons.
                let _ = reply.send(answer);
            }
        }
        Ok(())
    }

    /// Puts a question to the person. What else happens meanwhile waits.
    async fn asking(
        &mut self,
        params: &RawValue,
        events: &mut mpsc::Receiver<CallEvent>,
        waiting: &mut VecDeque<CallEvent>,
    ) -> Result<Outcome, Stop> {
        let (answers, name) = (self.call.answers, &self.call.target.name);
        let asking = elicit::answer(self.terminal, answers, name, "", params);
        tokio::pin!(asking);
        loop {
            tokio::select! {
                outcome = &mut asking => return outcome,
                Some(event) = events.recv() => match event {
                    CallEvent::Progress { .. } => {}
                    event if waiting.len() < MOST_EVENTS => waiting.push_back(event),
                    // Unheard; a question gets no answer, which is one.
                    CallEvent::Log { .. } | CallEvent::Elicit { .. } => {}
                },
            }
        }
    }

    async fn log(&mut self, level: &str, text: &str) -> Result<(), Stop> {
        if self.terminal.voice() == Voice::Verbose {
            self.clear().await?;
            let (level, text) = (
                harmless::text_within(level, 20),
                harmless::text_within(text, LONGEST_LOG),
            );
            let name = &self.call.target.name;
            self.terminal
                .note(&format!("{name}: {level}: {text}"))
                .await?;
        }
        Ok(())
    }

    async fn clear(&mut self) -> Result<(), Gone> {
        match self.line.clear() {
            b"" => Ok(()),
            cleared => self.terminal.stderr(cleared).await,
        }
    }

    /// Waits, unless nobody else does.
    pub async fn pause(&mut self, time: Duration) -> Result<(), Stop> {
        tokio::select! {
            () = tokio::time::sleep(time) => Ok(()),
            gone = self.terminal.gone() => Err(gone.into()),
        }
    }

    /// A request whose answer nobody waits for, nor for long.
    pub async fn dismiss(&self, method: &str, params: &RawValue) {
        let request = self.wire.request(method, params, CallOptions::default());
        let _ = tokio::time::timeout(Duration::from_secs(2), request).await;
    }

    /// The answers to what a result that is none asks for.
    pub async fn responses(
        &mut self,
        requests: Map<String, Value>,
    ) -> Result<Map<String, Value>, Stop> {
        if requests.len() > MOST_QUESTIONS {
            return Err(self.no_mcp(format!("it asks {} things at once", requests.len())));
        }
        self.asked = true;
        let mut responses = Map::new();
        let mut open = Vec::new();
        for (key, request) in &requests {
            let method = request.get("method").and_then(Value::as_str);
            let response = match method {
                Some("elicitation/create") => {
                    let params = request.get("params").unwrap_or(&Value::Null);
                    let params = to_raw_value(params).map_err(|error| self.no_mcp(error))?;
                    let (answers, name) = (self.call.answers, &self.call.target.name);
                    match elicit::answer(self.terminal, answers, name, key, &params).await? {
                        Outcome::Answered(answer) => answer,
                        Outcome::Open(question) => {
                            open.push(question);
                            continue;
                        }
                    }
                }
                Some("roots/list") => json!({"roots": []}),
                method => {
                    let method = harmless::text_within(method.unwrap_or("something unnamed"), 100);
                    let wants = format!("it asks for `{method}`, which mcpx does not give");
                    return Err(self.no_mcp(wants));
                }
            };
            responses.insert(key.clone(), response);
        }
        match open.is_empty() {
            true => Ok(responses),
            false => Err(self.failed(UpstreamError::InputRequired {
                question: open.join("\n"),
            })),
        }
    }
}
