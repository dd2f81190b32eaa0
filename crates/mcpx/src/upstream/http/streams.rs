//! The streams of a link: the answer that comes in pieces, resumed where it breaks,
//! and what the server says of its own accord.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Response;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep, timeout};

use super::super::{CallOptions, UpstreamError};
use super::answer::{self, Events, Shape};
use super::streamable::{About, Line, Manner};

/// How long a stream may stay open after its answer, so that its connection can be
/// used again.
const LINGER: Duration = Duration::from_millis(500);

/// How often the rest of a broken stream is asked for without getting an event.
const RESUMES: u32 = 5;

/// How often the server's own stream may fail before it is left alone.
const LISTENS: u32 = 6;

/// A listening stream that lived so long did not fail.
const LASTING: Duration = Duration::from_secs(5);

impl Line {
    /// Reads a stream until the answer has come; where it breaks before, asks for the
    /// rest, if the server numbers its events.
    pub(super) async fn follow(
        &self,
        id: i64,
        about: &About,
        first: Response,
    ) -> Result<(), UpstreamError> {
        let mut stream = Events::of(first);
        let (mut last_id, mut retry) = (None, None);
        let mut tries = 0;
        loop {
            loop {
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
                    // How a stream breaks is no news: it is not whole.
                    Ok(None) | Err(UpstreamError::Network(_)) => break,
                    Err(error) => return Err(error),
                }
            }
            last_id = stream.last_id().map(str::to_owned).or(last_id);
            retry = stream.retry().or(retry);
            let resumed = match (last_id.as_deref(), self.manner) {
                (Some(last), Manner::Session) => self.resume(last, retry, &mut tries).await,
                (None, _) | (_, Manner::Stateless) => None,
            };
            match resumed {
                Some(rest) => stream = Events::of(rest),
                None => return Err(self.broken(about)),
            }
        }
    }

    /// The rest of a stream, after the event with this id.
    async fn resume(&self, last: &str, retry: Option<u64>, tries: &mut u32) -> Option<Response> {
        while *tries < RESUMES {
            sleep(pause(retry, *tries)).await;
            *tries += 1;
            match self.get(Some(last)).await {
                Ok(response) if is_stream(&response) => return Some(response),
                // Not now, perhaps later.
                Ok(response) if response.status().is_server_error() => {}
                Ok(_) => return None,
                Err(_) => {}
            }
        }
        None
    }

    fn broken(&self, about: &About) -> UpstreamError {
        let (place, method) = (self.place(), &about.method);
        UpstreamError::Ended {
            reason: format!("{place} hung up before it answered {method}"),
            stderr: String::new(),
        }
    }

    /// Waits a moment for the end of a stream.
    async fn linger(&self, mut stream: Events) {
        let end = async { while let Ok(Some(_)) = stream.next(&self.client).await {} };
        // Whether it comes or not, there is nothing more to do.
        let _ = timeout(LINGER, end).await;
    }

    /// Listens to what the server says of its own accord, if it offers that.
    pub(super) fn listen(self: &Arc<Self>) {
        if self.manner == Manner::Session {
            let line = Arc::clone(self);
            self.tasks.listen(async move { line.hear().await });
        }
    }

    async fn hear(&self) {
        let (mut last_id, mut retry) = (None, None);
        let mut failures = 0;
        while failures < LISTENS {
            let since = Instant::now();
            match self.get(last_id.as_deref()).await {
                Ok(response) if is_stream(&response) => {
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
            failures = count(failures, since);
            sleep(pause(retry, failures)).await;
        }
    }

    /// Asks to be told of changes, where there is no stream for that: a request that is
    /// never answered.
    pub(super) async fn subscribe(&self) {
        let wish = r#"{"notifications":{"toolsListChanged":true}}"#.to_owned();
        let Ok(wish) = RawValue::from_string(wish) else {
            return;
        };
        let mut failures = 0;
        while failures < LISTENS {
            let since = Instant::now();
            let end = self
                .peer
                .request("subscriptions/listen", &wish, CallOptions::default());
            match end.await {
                Ok(_) | Err(UpstreamError::Ended { .. } | UpstreamError::Network(_)) => {}
                // It does not want to, and will not later.
                Err(_) => return,
            }
            failures = count(failures, since);
            sleep(pause(None, failures)).await;
        }
    }
}

fn is_stream(response: &Response) -> bool {
    response.status().is_success() && answer::shape(response) == Shape::Events
}

/// One failure more, unless the stream lasted since then.
fn count(failures: u32, since: Instant) -> u32 {
    match since.elapsed() >= LASTING {
        true => 0,
        false => failures + 1,
    }
}

/// How long to wait before the next try.
fn pause(retry: Option<u64>, tries: u32) -> Duration {
    match retry {
        Some(milliseconds) => Duration::from_millis(milliseconds.min(60_000)),
        None => Duration::from_millis(200 << tries.min(6)),
    }
}
