//! What the server says of its own accord: notifications, and requests of its own.

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::{Outgoing, Peer, Waiting, message};
use crate::upstream::{CallEvent, Event, UpstreamError};

const METHOD_NOT_FOUND: i64 = -32601;
const INTERNAL_ERROR: i64 = -32603;

/// What is kept of a remark: more than is ever shown of it.
const REMARK: usize = 16 * 1024;
/// A question is a form, not a book.
const QUESTION: usize = 1024 * 1024;

/// Answers that wait for a server to read them. One that asks on and on without reading
/// gets no more.
const MOST_REPLIES: usize = 256;

/// Whom a question of the server is for.
enum Asked {
    /// The one who made this call.
    Caller(i64, mpsc::Sender<CallEvent>),
    /// Nobody who could answer.
    Nobody,
    /// Somebody, but it cannot be told who.
    Unclear,
}

impl Peer {
    /// A notification.
    pub(super) fn told(&self, method: &str, params: Option<&RawValue>, during: Option<i64>) {
        match (method, params) {
            ("notifications/progress", Some(params)) => self.progressed(params),
            ("notifications/message", Some(params)) => self.logged(params, during),
            ("notifications/tools/list_changed", _) => self.tell(Event::ToolsChanged),
            _ => {}
        }
    }

    fn progressed(&self, params: &RawValue) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Progress<'a> {
            #[serde(borrow)]
            progress_token: &'a RawValue,
            progress: f64,
            #[serde(default)]
            total: Option<f64>,
            #[serde(borrow, default)]
            message: Option<&'a RawValue>,
        }
        let Ok(said) = serde_json::from_str::<Progress<'_>>(params.get()) else {
            return;
        };
        let Some(id) = message::number(said.progress_token) else {
            return;
        };
        if let Some(Waiting {
            events: Some(events),
            ..
        }) = self.state().waiting.get(&id)
        {
            let _ = events.try_send(CallEvent::Progress {
                progress: said.progress,
                total: said.total,
                message: said.message.map(remark),
            });
        }
    }

    fn logged(&self, params: &RawValue, during: Option<i64>) {
        #[derive(Deserialize)]
        struct Log<'a> {
            #[serde(default)]
            level: Option<String>,
            #[serde(default)]
            logger: Option<String>,
            #[serde(borrow, default)]
            data: Option<&'a RawValue>,
        }
        let Ok(said) = serde_json::from_str::<Log<'_>>(params.get()) else {
            return;
        };
        let level = said.level.map_or_else(|| "info".to_owned(), remark_of);
        let mut text = said.data.map(remark).unwrap_or_default();
        if let Some(logger) = said.logger.map(remark_of) {
            text = format!("{logger}: {text}");
        }
        self.remarked(&level, &text, during);
    }

    /// Tells the requests that a remark concerns: all of them, if it names none.
    pub(super) fn remarked(&self, level: &str, text: &str, during: Option<i64>) {
        let state = self.state();
        let concerned = state
            .waiting
            .iter()
            .filter(|(id, _)| during.is_none_or(|during| during == **id));
        for events in concerned.filter_map(|(_, waiting)| waiting.events.as_ref()) {
            let _ = events.try_send(CallEvent::Log {
                level: level.to_owned(),
                text: text.to_owned(),
            });
        }
    }

    pub(super) fn tell(&self, event: Event) {
        if let Some(events) = &self.state().events {
            // Where there is no room, the same news is waiting to be heard.
            let _ = events.try_send(event);
        }
    }

    /// A request of the server.
    pub(super) fn asked(
        &self,
        id: &RawValue,
        method: &str,
        params: Option<&RawValue>,
        during: Option<i64>,
    ) {
        if self.is_echo(id, method) {
            return;
        }
        let refuse = |text: &str| message::refusal(id, METHOD_NOT_FOUND, text);
        let body = match method {
            "ping" => message::answer(id, &object("{}")),
            "elicitation/create" => return self.elicited(id, params, during),
            "sampling/createMessage" => refuse("mcpx has no model to ask"),
            "roots/list" => refuse("mcpx offers no roots"),
            _ => refuse(&format!("mcpx does not know {method}")),
        };
        self.reply(body);
    }

    /// Whether a request of ours came back as it went, as from `cat`: then nobody will
    /// answer it. (A server may well ask `ping` by the same number.)
    fn is_echo(&self, id: &RawValue, method: &str) -> bool {
        let is_ours =
            matches!(method, "initialize" | "server/discover") || method.starts_with("tools/");
        let Some(id) = message::number(id).filter(|_| is_ours) else {
            return false;
        };
        let is_echo = match self.state().waiting.get(&id) {
            Some(own) => own.method == method,
            None => false,
        };
        if is_echo {
            let reason = "it is no MCP server: it sends back what it is sent";
            self.failed(id, UpstreamError::Protocol(reason.to_owned()));
        }
        is_echo
    }

    /// A question for the person. It goes to the call that it belongs to; without a
    /// person there it is cancelled, which the protocol has for "no choice was made".
    fn elicited(&self, id: &RawValue, params: Option<&RawValue>, during: Option<i64>) {
        if params.is_some_and(|params| params.get().len() > QUESTION) {
            let text = format!("a question may have {} MiB", QUESTION / 1024 / 1024);
            return self.reply(message::refusal(id, INTERNAL_ERROR, &text));
        }
        let (call, events) = match self.whom(during.or_else(|| related(params?))) {
            Asked::Caller(call, events) => (call, events),
            Asked::Nobody => return self.reply(message::answer(id, &cancel())),
            Asked::Unclear => {
                let text = "several calls are under way, and the question names none of them";
                return self.reply(message::refusal(id, INTERNAL_ERROR, text));
            }
        };
        let (reply, answer) = oneshot::channel();
        let params = params.map_or_else(|| object("{}"), ToOwned::to_owned);
        let peer = self.clone();
        let id = id.to_owned();
        self.asking(call, true);
        // Where too much waits already, the reply is let go, which cancels the question.
        let _ = events.try_send(CallEvent::Elicit { params, reply });
        self.spawn(async move {
            let answer = answer.await.unwrap_or_else(|_| cancel());
            peer.asking(call, false);
            peer.reply(message::answer(&id, &answer));
        });
    }

    fn whom(&self, related: Option<i64>) -> Asked {
        let state = self.state();
        let calls = || {
            state
                .waiting
                .iter()
                // A task asks its questions while its result is waited for.
                .filter(|(_, call)| matches!(call.method.as_str(), "tools/call" | "tasks/result"))
        };
        let named = calls().find(|(id, _)| Some(**id) == related);
        let only = || calls().next().filter(|_| calls().count() == 1);
        match named.or_else(only) {
            Some((
                id,
                Waiting {
                    can_ask: true,
                    events: Some(events),
                    ..
                },
            )) => Asked::Caller(*id, events.clone()),
            None if calls().any(|(_, call)| call.can_ask) => Asked::Unclear,
            Some(_) | None => Asked::Nobody,
        }
    }

    /// While a person thinks, the time of the call stands still.
    fn asking(&self, call: i64, begins: bool) {
        if let Some(waiting) = self.state().waiting.get_mut(&call) {
            let patience = &mut waiting.patience;
            match begins {
                true => {
                    patience.questions += 1;
                    patience.since.get_or_insert_with(Instant::now);
                }
                false => {
                    patience.questions = patience.questions.saturating_sub(1);
                    if patience.questions == 0
                        && let Some(since) = patience.since.take()
                    {
                        patience.granted += since.elapsed();
                    }
                }
            }
        }
    }

    /// Answers the server, unless it does not listen to what it was answered before.
    fn reply(&self, body: String) {
        if self.posting() < MOST_REPLIES {
            self.post([Outgoing {
                id: None,
                method: String::new(),
                name: None,
                body,
            }]);
        }
    }
}

/// The request that a question says it belongs to.
fn related(params: &RawValue) -> Option<i64> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow, rename = "_meta")]
        meta: Meta<'a>,
    }
    #[derive(Deserialize)]
    struct Meta<'a> {
        #[serde(borrow, rename = "progressToken")]
        token: &'a RawValue,
    }
    let params: Params<'_> = serde_json::from_str(params.get()).ok()?;
    message::number(params.meta.token)
}

/// What a server remarks, bounded.
fn remark(value: &RawValue) -> String {
    remark_of(message::words(value))
}

pub(super) fn remark_of(mut text: String) -> String {
    if text.len() > REMARK {
        text.truncate(text.floor_char_boundary(REMARK));
        text.shrink_to_fit();
        text.push('…');
    }
    text
}

fn cancel() -> Box<RawValue> {
    object(r#"{"action":"cancel"}"#)
}

fn object(text: &'static str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap_or_default()
}
