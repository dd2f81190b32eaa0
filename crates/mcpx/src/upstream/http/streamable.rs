//! Streamable HTTP: every message is a POST, and its answer comes back with it, as a
//! body or as a stream of events.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Response, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::super::life::Life;
use super::super::peer::{Doing, Link, Outgoing, Peer};
use super::super::{CallOptions, Event, UpstreamError};
use super::answer::{self, Events, Shape};
use super::client::{Client, place};
use super::headers::Marked;
use super::tasks::Tasks;
use super::{headers, words};

/// How long a server may take over a message that it does not answer.
const NOTIFY: Duration = Duration::from_secs(30);

/// How long hanging up may take.
const CLOSE: Duration = Duration::from_secs(2);

/// How long a stream may stay open after its answer, so that its connection can be
/// used again.
const LINGER: Duration = Duration::from_millis(500);

/// How often the rest of a broken stream is asked for without getting an event.
const RESUMES: u32 = 5;

/// How often the server's own stream may fail before it is left alone.
const LISTENS: u32 = 6;

/// A listening stream that lived so long did not fail.
const LASTING: Duration = Duration::from_secs(5);

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Opened once; the server may give a session.
    Session,
    /// Every request stands alone.
    Stateless,
}

/// The link to a server.
#[derive(Debug)]
pub struct Streamable(Arc<Line>);

/// What the link and its tasks share.
#[derive(Debug)]
struct Line {
    client: Arc<Client>,
    peer: Peer,
    manner: Manner,
    /// Weak, so that the end of the conversation closes the channel.
    events: mpsc::WeakUnboundedSender<Event>,
    tasks: Arc<Tasks>,
    session: Mutex<Session>,
    marked: Mutex<Marked>,
    /// Only one request opens a lost session again.
    reopening: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Session {
    id: Option<HeaderValue>,
    /// How it was opened, to do it again.
    opening: Option<Bytes>,
    opened: Option<Bytes>,
}

impl Streamable {
    /// A link that has said nothing yet.
    pub fn new(
        client: Arc<Client>,
        peer: Peer,
        manner: Manner,
        events: &mpsc::UnboundedSender<Event>,
    ) -> Self {
        Self(Arc::new(Line {
            client,
            peer,
            manner,
            events: events.downgrade(),
            tasks: Arc::default(),
            session: Mutex::default(),
            marked: Mutex::default(),
            reopening: tokio::sync::Mutex::new(()),
        }))
    }
}

impl Link for Streamable {
    fn send(&self, message: Outgoing) -> Doing<'_, Result<(), UpstreamError>> {
        let line = Arc::clone(&self.0);
        Box::pin(async move {
            match message.id {
                Some(id) => {
                    let tasks = Arc::clone(&line.tasks);
                    tasks.start(id, async move { line.exchange(id, message).await });
                    Ok(())
                }
                None => line.tell(message).await,
            }
        })
    }

    fn abandon(&self, id: i64) -> bool {
        self.0.tasks.abandon(id);
        self.0.manner == Manner::Stateless
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn close(&self) -> Doing<'_, ()> {
        let line = Arc::clone(&self.0);
        Box::pin(async move {
            if line.tasks.close() {
                line.hang_up().await;
            }
        })
    }
}

impl Drop for Streamable {
    fn drop(&mut self) {
        if self.0.tasks.close()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let line = Arc::clone(&self.0);
            runtime.spawn(async move { line.hang_up().await });
        }
    }
}

impl Line {
    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One request with its answer.
    async fn exchange(self: Arc<Self>, id: i64, message: Outgoing) {
        if let Err(error) = self.ask(id, message).await {
            self.peer.failed(id, error);
        }
    }

    async fn ask(self: &Arc<Self>, id: i64, message: Outgoing) -> Result<(), UpstreamError> {
        let body = Bytes::from(message.body);
        let about = About {
            method: message.method,
            name: message.name,
        };
        if about.method == "initialize" {
            self.session().opening = Some(body.clone());
        }
        let session = self.session().id.clone();
        let response = self.post(&about, &body, session.as_ref()).await?;
        if response.status().is_success() {
            return self.take(id, &about, response).await;
        }
        let refusal = Refusal::read(&self.client, response).await;
        let Some(lost) = session.filter(|_| refusal.means_lost_session(id)) else {
            return self.refused(id, refusal);
        };
        // Such a refusal says that the request was not looked at, so that it can be
        // made again.
        if let Err(error) = self.reopen(&lost).await {
            self.peer.ended(UpstreamError::Ended {
                reason: format!(
                    "{} forgot the session; opening it again: {error}",
                    self.place()
                ),
                stderr: String::new(),
            });
            return Err(error);
        }
        let session = self.session().id.clone();
        let response = self.post(&about, &body, session.as_ref()).await?;
        match response.status().is_success() {
            true => self.take(id, &about, response).await,
            false => self.refused(id, Refusal::read(&self.client, response).await),
        }
    }

    /// A request that was refused: by a JSON-RPC error, or by the status alone.
    fn refused(&self, id: i64, refusal: Refusal) -> Result<(), UpstreamError> {
        if refusal.is_about(id) && self.peer.incoming_for(id, &refusal.body) {
            return match self.peer.awaits(id) {
                true => Err(refusal.error(&self.client)),
                false => Ok(()),
            };
        }
        match refusal.rpc.as_ref().and_then(|rpc| rpc.error.as_deref()) {
            Some(said) if self.manner == Manner::Stateless && !refusal.is_about_rights() => {
                Err(rpc_error(said).unwrap_or_else(|| refusal.error(&self.client)))
            }
            _ => Err(refusal.error(&self.client)),
        }
    }

    /// The answer of a request that was accepted.
    async fn take(
        self: &Arc<Self>,
        id: i64,
        about: &About,
        response: Response,
    ) -> Result<(), UpstreamError> {
        if about.method == "initialize" {
            self.session().id = response.headers().get(headers::SESSION).cloned();
        }
        if answer::shape(&response) == Shape::Events {
            return self.follow(id, about, response).await;
        }
        let status = response.status();
        let kind = words::clean(answer::kind(&response), 80);
        let text = answer::body(&self.client, response, answer::MESSAGE).await?;
        if text.trim().is_empty() {
            // Some servers answer on their own stream instead.
            if status == StatusCode::ACCEPTED && self.tasks.is_listening() {
                return Ok(());
            }
            let place = self.place();
            let reason = format!("{place} accepted {} but gave no answer", about.method);
            return Err(UpstreamError::Protocol(reason));
        }
        if !self.peer.incoming_for(id, &text) {
            let place = self.place();
            let what = match kind.as_str() {
                "" => String::new(),
                kind => format!(" ({kind})"),
            };
            let reason = format!("{place} answered with something that is no JSON-RPC{what}");
            return Err(UpstreamError::Protocol(reason));
        }
        self.notice(about, &text);
        self.answered(id, about, &text)
    }

    /// What in an answer is for the link itself.
    fn notice(self: &Arc<Self>, about: &About, text: &str) {
        if self.manner == Manner::Session {
            return;
        }
        match about.method.as_str() {
            "server/discover" if announces_changes(text) => {
                let line = Arc::clone(self);
                self.tasks.listen(async move { line.subscribe().await });
            }
            "tools/list" => {
                let mut marked = self.marked.lock().unwrap_or_else(PoisonError::into_inner);
                marked.learn(text);
            }
            _ => {}
        }
    }

    /// What came must have been the answer.
    fn answered(&self, id: i64, about: &About, text: &str) -> Result<(), UpstreamError> {
        if !self.peer.awaits(id) {
            return Ok(());
        }
        let said = serde_json::from_str::<Rpc>(text)
            .ok()
            .and_then(|rpc| rpc.error);
        Err(said.and_then(|said| rpc_error(&said)).unwrap_or_else(|| {
            let place = self.place();
            UpstreamError::Protocol(format!(
                "{place} answered something else than {}",
                about.method
            ))
        }))
    }

    /// Reads a stream until the answer has come; where it breaks before, asks for the
    /// rest, if the server numbers its events.
    async fn follow(
        self: &Arc<Self>,
        id: i64,
        about: &About,
        first: Response,
    ) -> Result<(), UpstreamError> {
        let mut stream = Events::of(first);
        let (mut last_id, mut retry) = (None, None);
        let mut tries = 0;
        loop {
            let end = loop {
                match stream.next(&self.client).await {
                    Ok(Some(event)) => {
                        tries = 0;
                        if event.kind == "message" && !event.data.is_empty() {
                            self.peer.incoming_for(id, &event.data);
                        }
                        if !self.peer.awaits(id) {
                            self.notice(about, &event.data);
                            self.linger(stream).await;
                            return Ok(());
                        }
                    }
                    Ok(None) => break None,
                    Err(error) => break Some(error),
                }
            };
            last_id = stream.last_id().map(str::to_owned).or(last_id);
            retry = stream.retry().or(retry);
            let resumed = loop {
                let Some(last) = last_id
                    .as_deref()
                    .filter(|_| self.manner == Manner::Session)
                else {
                    return Err(self.broken(about, end.as_ref()));
                };
                if tries >= RESUMES {
                    return Err(self.broken(about, end.as_ref()));
                }
                sleep(pause(retry, tries)).await;
                tries += 1;
                match self.get(Some(last)).await {
                    Ok(response)
                        if response.status().is_success()
                            && answer::shape(&response) == Shape::Events =>
                    {
                        break response;
                    }
                    // Not now, perhaps later.
                    Ok(response) if response.status().is_server_error() => {}
                    Ok(_) => return Err(self.broken(about, end.as_ref())),
                    Err(_) => {}
                }
            };
            stream = Events::of(resumed);
        }
    }

    fn broken(&self, about: &About, end: Option<&UpstreamError>) -> UpstreamError {
        let how = end.map(|error| format!(": {error}")).unwrap_or_default();
        UpstreamError::Ended {
            reason: format!(
                "{} hung up before it answered {}{how}",
                self.place(),
                about.method
            ),
            stderr: String::new(),
        }
    }

    /// Waits a moment for the end of a stream.
    async fn linger(&self, mut stream: Events) {
        let end = async { while let Ok(Some(_)) = stream.next(&self.client).await {} };
        // Whether it comes or not, there is nothing more to do.
        let _ = timeout(LINGER, end).await;
    }

    /// A message that is not answered.
    async fn tell(self: &Arc<Self>, message: Outgoing) -> Result<(), UpstreamError> {
        let body = Bytes::from(message.body);
        let about = About {
            method: message.method,
            name: message.name,
        };
        let opens = about.method == "notifications/initialized";
        if opens {
            self.session().opened = Some(body.clone());
        }
        let session = self.session().id.clone();
        let sent = timeout(NOTIFY, self.post(&about, &body, session.as_ref())).await;
        let response = sent.map_err(|_| UpstreamError::Timeout {
            method: about.method.clone(),
            after: NOTIFY,
        })??;
        if !response.status().is_success() {
            let refusal = Refusal::read(&self.client, response).await;
            // Servers that do not know a notification say so in many ways.
            if !opens || refusal.is_about_rights() {
                return Err(refusal.error(&self.client));
            }
        }
        if opens {
            self.listen();
        }
        Ok(())
    }

    /// Opens a session anew, unless somebody else did.
    async fn reopen(self: &Arc<Self>, lost: &HeaderValue) -> Result<(), UpstreamError> {
        let _one = self.reopening.lock().await;
        let (opening, opened) = {
            let session = self.session();
            if session.id.as_ref() != Some(lost) {
                return Ok(());
            }
            (session.opening.clone(), session.opened.clone())
        };
        let never = || UpstreamError::Protocol("there was no session to open again".to_owned());
        let about = About {
            method: "initialize".to_owned(),
            name: None,
        };
        let response = self.post(&about, &opening.ok_or_else(never)?, None).await?;
        if !response.status().is_success() {
            return Err(Refusal::read(&self.client, response)
                .await
                .error(&self.client));
        }
        let id = response.headers().get(headers::SESSION).cloned();
        let text = self.first_message(response).await?;
        let protocol = opened_protocol(&text)?;
        self.peer.live(Some(Life::Opened { protocol }));
        self.session().id = id.clone();
        if let Some(opened) = opened {
            let about = About {
                method: "notifications/initialized".to_owned(),
                name: None,
            };
            self.post(&about, &opened, id.as_ref()).await?;
        }
        self.listen();
        // A server that forgot everything may be another one now.
        if let Some(events) = self.events.upgrade() {
            let _ = events.send(Event::ToolsChanged);
        }
        Ok(())
    }

    /// The first message of an answer that the peer does not wait for.
    async fn first_message(&self, response: Response) -> Result<String, UpstreamError> {
        if answer::shape(&response) == Shape::Body {
            return answer::body(&self.client, response, answer::MESSAGE).await;
        }
        let mut stream = Events::of(response);
        while let Some(event) = stream.next(&self.client).await? {
            let is_answer = serde_json::from_str::<Rpc>(&event.data)
                .is_ok_and(|rpc| rpc.result.is_some() || rpc.error.is_some());
            if event.kind == "message" && is_answer {
                return Ok(event.data);
            }
        }
        Err(UpstreamError::Protocol(format!(
            "{} did not answer initialize",
            self.place()
        )))
    }

    /// Listens to what the server says of its own accord, if it offers that.
    fn listen(self: &Arc<Self>) {
        if self.manner == Manner::Session {
            let line = Arc::clone(self);
            self.tasks.listen(async move { line.hear().await });
        }
    }

    async fn hear(&self) {
        let (mut last_id, mut retry) = (None, None);
        let mut failures = 0;
        while failures < LISTENS {
            let since = tokio::time::Instant::now();
            match self.get(last_id.as_deref()).await {
                Ok(response)
                    if response.status().is_success()
                        && answer::shape(&response) == Shape::Events =>
                {
                    let mut stream = Events::of(response);
                    while let Ok(Some(event)) = stream.next(&self.client).await {
                        failures = 0;
                        if event.kind == "message" && !event.data.is_empty() {
                            self.peer.incoming(&event.data);
                        }
                    }
                    last_id = stream.last_id().map(str::to_owned).or(last_id);
                    retry = stream.retry().or(retry);
                }
                // 405: it offers none. 404: the session is gone, and the next request
                // will find out.
                Ok(response) if !response.status().is_server_error() => return,
                Ok(_) | Err(_) => {}
            }
            failures = if since.elapsed() >= LASTING {
                0
            } else {
                failures + 1
            };
            sleep(pause(retry, failures)).await;
        }
    }

    /// Asks to be told of changes, where there is no stream for that: a request that is
    /// never answered.
    async fn subscribe(&self) {
        let wish = r#"{"notifications":{"toolsListChanged":true}}"#.to_owned();
        let Ok(wish) = RawValue::from_string(wish) else {
            return;
        };
        let mut failures = 0;
        while failures < LISTENS {
            let since = tokio::time::Instant::now();
            let end = self
                .peer
                .request("subscriptions/listen", &wish, CallOptions::default());
            match end.await {
                Ok(_) | Err(UpstreamError::Ended { .. } | UpstreamError::Network(_)) => {}
                // It does not want to, and will not later.
                Err(_) => return,
            }
            failures = if since.elapsed() >= LASTING {
                0
            } else {
                failures + 1
            };
            sleep(pause(None, failures)).await;
        }
    }

    /// Ends the session at the server.
    async fn hang_up(&self) {
        let Some(session) = self.session().id.take() else {
            return;
        };
        let headers = self.common(Some(&session));
        let url = self.client.url();
        let sent = self.client.send(Method::DELETE, &url, &headers, None);
        // A server need not allow it, and nobody waits for the answer.
        let _ = timeout(CLOSE, sent).await;
    }

    async fn post(
        &self,
        about: &About,
        body: &Bytes,
        session: Option<&HeaderValue>,
    ) -> Result<Response, UpstreamError> {
        let mut sent = self.common(session);
        if about.method == "initialize" {
            // The version is what this message is about.
            sent.remove(headers::VERSION);
        }
        sent.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        sent.insert(
            ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        if self.manner == Manner::Stateless && !about.method.is_empty() {
            let method = headers::value(&about.method);
            let name = about.name.as_deref().and_then(headers::value);
            for (key, value) in [(headers::METHOD, method), (headers::NAME, name)] {
                if let Some(value) = value {
                    sent.insert(key, value);
                }
            }
            if let (Some(name), "tools/call") = (&about.name, about.method.as_str()) {
                let marked = self.marked.lock().unwrap_or_else(PoisonError::into_inner);
                sent.extend(marked.of(name, body));
            }
        }
        self.client
            .send(Method::POST, &self.client.url(), &sent, Some(body.clone()))
            .await
    }

    async fn get(&self, last_id: Option<&str>) -> Result<Response, UpstreamError> {
        let session = self.session().id.clone();
        let mut sent = self.common(session.as_ref());
        sent.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        let last_id = last_id.and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok());
        if let Some(last_id) = last_id {
            sent.insert(headers::LAST_EVENT, last_id);
        }
        self.client
            .send(Method::GET, &self.client.url(), &sent, None)
            .await
    }

    /// What every request carries once it is agreed: the version, the session.
    fn common(&self, session: Option<&HeaderValue>) -> HeaderMap {
        let protocol = match (self.peer.life(), self.manner) {
            (Some(life), _) => Some(life.protocol().to_owned()),
            (None, Manner::Stateless) => Some(super::STATELESS.to_owned()),
            (None, Manner::Session) => None,
        };
        let mut sent = HeaderMap::new();
        if let Some(version) = protocol.as_deref().and_then(headers::value) {
            sent.insert(headers::VERSION, version);
        }
        if let Some(session) = session {
            sent.insert(headers::SESSION, session.clone());
        }
        sent
    }

    fn place(&self) -> String {
        place(&self.client.url())
    }
}

/// What a message is about.
#[derive(Debug)]
struct About {
    method: String,
    name: Option<String>,
}

/// How long to wait before the next try.
fn pause(retry: Option<u64>, tries: u32) -> Duration {
    match retry {
        Some(milliseconds) => Duration::from_millis(milliseconds.min(60_000)),
        None => Duration::from_millis(200 << tries.min(6)),
    }
}

/// The few fields of a message that decide what becomes of it.
#[derive(Debug, Deserialize)]
struct Rpc {
    id: Option<Box<RawValue>>,
    error: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
}

fn rpc_error(said: &RawValue) -> Option<UpstreamError> {
    #[derive(Deserialize)]
    struct Said {
        code: i64,
        message: String,
        data: Option<Box<RawValue>>,
    }
    let said: Said = serde_json::from_str(said.get()).ok()?;
    Some(UpstreamError::Rpc {
        code: said.code,
        message: said.message,
        data: said.data,
    })
}

/// Whether a server says that it tells when its tools change.
fn announces_changes(discovered: &str) -> bool {
    let answer: serde_json::Value = serde_json::from_str(discovered).unwrap_or_default();
    answer["result"]["capabilities"]["tools"]["listChanged"] == true
}

fn opened_protocol(text: &str) -> Result<String, UpstreamError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Opened {
        protocol_version: String,
    }
    let wrong = || UpstreamError::Protocol("the answer to initialize is none".to_owned());
    let rpc: Rpc = serde_json::from_str(text).map_err(|_| wrong())?;
    if let Some(error) = rpc.error.as_deref().and_then(rpc_error) {
        return Err(error);
    }
    let result = rpc.result.ok_or_else(wrong)?;
    let opened: Opened = serde_json::from_str(result.get()).map_err(|_| wrong())?;
    Ok(opened.protocol_version)
}

/// An answer whose status says no.
#[derive(Debug)]
struct Refusal {
    url: reqwest::Url,
    status: StatusCode,
    headers: HeaderMap,
    body: String,
    rpc: Option<Rpc>,
}

impl Refusal {
    async fn read(client: &Client, response: Response) -> Self {
        let (url, status) = (response.url().clone(), response.status());
        let headers = response.headers().clone();
        let body = answer::beginning(client, response).await;
        let rpc = serde_json::from_str(&body).ok();
        Self {
            url,
            status,
            headers,
            body,
            rpc,
        }
    }

    /// Whether the caller may not, whatever is asked.
    fn is_about_rights(&self) -> bool {
        matches!(
            self.status,
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN
        )
    }

    /// Whether it is a JSON-RPC error of this very request.
    fn is_about(&self, id: i64) -> bool {
        let rpc = self.rpc.as_ref().filter(|rpc| rpc.error.is_some());
        let named = rpc.and_then(|rpc| rpc.id.as_ref());
        !self.is_about_rights() && named.is_some_and(|named| named.get() == id.to_string())
    }

    /// Whether the server does not know the session (404), or refused a message in it
    /// before reading it (400 about no request): some say it so.
    fn means_lost_session(&self, id: i64) -> bool {
        matches!(self.status, StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST) && !self.is_about(id)
    }

    fn error(&self, client: &Client) -> UpstreamError {
        client.refusal(
            &self.url,
            self.status,
            &words::complaint(&self.headers, &self.body),
        )
    }
}
