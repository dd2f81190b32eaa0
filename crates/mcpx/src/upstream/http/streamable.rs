//! Streamable HTTP: every message is a POST, and its answer comes back with it, as a
//! body or as a stream of events.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Response, StatusCode};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::super::life::Life;
use super::super::peer::{Doing, Link, Outgoing, Peer};
use super::super::{Event, UpstreamError};
use super::answer::{self, Events, Shape};
use super::client::{Client, place};
use super::headers;
use super::headers::Marked;
use super::said::{Refusal, Rpc, opened_protocol, rpc_error};
use super::tasks::Tasks;
use crate::harmless;

/// How long a server may take over a message that it does not answer.
const NOTIFY: Duration = Duration::from_secs(30);

/// How long hanging up may take.
const CLOSE: Duration = Duration::from_secs(2);

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
pub(super) struct Line {
    pub(super) client: Arc<Client>,
    pub(super) peer: Peer,
    pub(super) manner: Manner,
    /// Weak, so that the end of the conversation closes the channel.
    events: mpsc::WeakSender<Event>,
    pub(super) tasks: Arc<Tasks>,
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
    /// The log messages that it was asked for.
    level: Option<Bytes>,
}

impl Streamable {
    /// A link that has said nothing yet.
    pub fn new(
        client: Arc<Client>,
        peer: Peer,
        manner: Manner,
        events: &mpsc::Sender<Event>,
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

    /// Asks a stateless server to tell when its tools change.
    pub fn subscribe(&self) {
        let line = Arc::clone(&self.0);
        self.0.tasks.listen(async move { line.subscribe().await });
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
        let is_ping = message.method == "ping";
        let session = self.session().id.clone();
        let Err(error) = self.ask(id, message).await else {
            return;
        };
        // A session that hangs up on a ping hangs up on every request.
        if is_ping
            && matches!(error, UpstreamError::Ended { .. })
            && let Some(lost) = session
            && self.reopen(&lost).await.is_err()
        {
            self.forgotten();
        }
        self.peer.failed(id, error);
    }

    async fn ask(self: &Arc<Self>, id: i64, message: Outgoing) -> Result<(), UpstreamError> {
        let body = Bytes::from(message.body);
        let about = About {
            method: message.method,
            name: message.name,
        };
        match about.method.as_str() {
            "initialize" => self.session().opening = Some(body.clone()),
            "logging/setLevel" => self.session().level = Some(body.clone()),
            _ => {}
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
            self.peer.failed(id, error);
            self.forgotten();
            return Ok(());
        }
        let session = self.session().id.clone();
        let response = self.post(&about, &body, session.as_ref()).await?;
        match response.status().is_success() {
            true => self.take(id, &about, response).await,
            false => self.refused(id, Refusal::read(&self.client, response).await),
        }
    }

    /// The session cannot be opened again: the next call opens everything anew.
    fn forgotten(&self) {
        self.peer.ended(UpstreamError::Ended {
            reason: format!("{} forgot the session", self.place()),
            stderr: String::new(),
        });
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
        let kind = harmless::line_within(answer::kind(&response), 80);
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
    pub(super) fn notice(&self, about: &About, text: &str) {
        if self.manner == Manner::Stateless && about.method == "tools/list" {
            let mut marked = self.marked.lock().unwrap_or_else(PoisonError::into_inner);
            marked.learn(text);
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
        let (opening, opened, level) = {
            let session = self.session();
            if session.id.as_ref() != Some(lost) {
                return Ok(());
            }
            (
                session.opening.clone(),
                session.opened.clone(),
                session.level.clone(),
            )
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
        if let Some(level) = level {
            let about = About {
                method: "logging/setLevel".to_owned(),
                name: None,
            };
            // A call is worth more than its remarks.
            _ = timeout(NOTIFY, self.post(&about, &level, id.as_ref())).await;
        }
        self.listen();
        // A server that forgot everything may be another one now.
        if let Some(events) = self.events.upgrade() {
            let _ = events.try_send(Event::ToolsChanged);
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

    pub(super) async fn get(&self, last_id: Option<&str>) -> Result<Response, UpstreamError> {
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
        let mut sent = HeaderMap::new();
        let life = self.peer.life();
        if let Some(version) = life.and_then(|life| headers::value(life.protocol())) {
            sent.insert(headers::VERSION, version);
        }
        if let Some(session) = session {
            sent.insert(headers::SESSION, session.clone());
        }
        sent
    }

    pub(super) fn place(&self) -> String {
        place(&self.client.url())
    }
}

/// What a message is about.
#[derive(Debug)]
pub(super) struct About {
    pub(super) method: String,
    pub(super) name: Option<String>,
}
