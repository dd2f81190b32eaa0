//! What comes back over HTTP: a body or a stream of events, both bounded.

use std::collections::VecDeque;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, Url};

use super::super::UpstreamError;
use super::super::sse::{Decoder, SseEvent};
use super::client::{Client, place};

/// The most that one message may have.
pub const MESSAGE: usize = 256 * 1024 * 1024;

/// The most that is read of what comes with an error.
pub const ERROR_BODY: usize = 64 * 1024;

/// How an answer comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Message after message, over time.
    Events,
    /// Everything in the body.
    Body,
}

/// How this answer comes.
pub fn shape(response: &Response) -> Shape {
    match kind(response)
        .to_ascii_lowercase()
        .starts_with("text/event-stream")
    {
        true => Shape::Events,
        false => Shape::Body,
    }
}

/// What the answer says that it is.
pub fn kind(response: &Response) -> &str {
    let value = response.headers().get(CONTENT_TYPE);
    value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// A whole body. More than `limit` is an error.
pub async fn body(
    client: &Client,
    mut response: Response,
    limit: usize,
) -> Result<String, UpstreamError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = next_chunk(client, &mut response).await? {
        if bytes.len() + chunk.len() > limit {
            return Err(too_large(response.url(), limit));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(text(bytes))
}

/// The beginning of a body that is only shown. A body that breaks is as good as one
/// that ends.
pub async fn beginning(client: &Client, mut response: Response) -> String {
    let mut bytes = Vec::new();
    while bytes.len() < ERROR_BODY
        && let Ok(Some(chunk)) = next_chunk(client, &mut response).await
    {
        bytes.extend_from_slice(&chunk);
    }
    bytes.truncate(ERROR_BODY);
    text(bytes)
}

fn text(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

async fn next_chunk(
    client: &Client,
    response: &mut Response,
) -> Result<Option<bytes::Bytes>, UpstreamError> {
    let chunk = response.chunk().await;
    chunk.map_err(|error| client.failure(response.url(), &error))
}

fn too_large(url: &Url, limit: usize) -> UpstreamError {
    let mebibytes = limit / (1024 * 1024);
    UpstreamError::Protocol(format!(
        "{} sent more than {mebibytes} MiB in one message",
        place(url)
    ))
}

/// A stream of events.
#[derive(Debug)]
pub struct Events {
    response: Response,
    decoder: Decoder,
    waiting: VecDeque<SseEvent>,
}

impl Events {
    /// The events of an answer.
    pub fn of(response: Response) -> Self {
        Self {
            response,
            decoder: Decoder::new(MESSAGE),
            waiting: VecDeque::new(),
        }
    }

    /// The next event; nothing at the end. Cancel safe.
    pub async fn next(&mut self, client: &Client) -> Result<Option<SseEvent>, UpstreamError> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Ok(Some(event));
            }
            let Some(chunk) = next_chunk(client, &mut self.response).await? else {
                return Ok(None);
            };
            let events = self.decoder.push(&chunk);
            self.waiting
                .extend(events.map_err(|_| too_large(self.response.url(), MESSAGE))?);
        }
    }

    /// The last id that the stream gave.
    pub fn last_id(&self) -> Option<&str> {
        self.decoder.last_id()
    }

    /// How long the server wants to be left alone after a break, in milliseconds.
    pub fn retry(&self) -> Option<u64> {
        self.decoder.retry()
    }
}
