//! HTTP+SSE, as it was in 2024: one stream for everything that the server says, whose
//! first event names where to post what is said to it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use tokio::time::timeout;

use super::super::UpstreamError;
use super::super::peer::{Doing, Link, Outgoing, Peer};
use super::answer::{self, Events, Shape};
use super::client::{Client, place, same_place, shown};
use super::tasks::Tasks;
use super::words;

/// How long a server may take to accept a message.
const ACCEPTED: Duration = Duration::from_secs(30);

/// The link to a server.
#[derive(Debug)]
pub struct Old {
    line: Arc<Line>,
    tasks: Arc<Tasks>,
}

#[derive(Debug)]
struct Line {
    client: Arc<Client>,
    peer: Peer,
    endpoint: Url,
}

impl Old {
    /// Opens the stream and waits for the endpoint.
    pub async fn open(
        client: Arc<Client>,
        peer: Peer,
        time: Duration,
    ) -> Result<Self, UpstreamError> {
        let waited = timeout(time, connect(&client)).await;
        let (endpoint, mut stream) = waited.map_err(|_| UpstreamError::Timeout {
            method: "the event stream's endpoint".to_owned(),
            after: time,
        })??;
        let line = Arc::new(Line {
            client,
            peer,
            endpoint,
        });
        let tasks = Arc::new(Tasks::default());
        let reader = Arc::clone(&line);
        tasks.listen(async move {
            loop {
                match stream.next(&reader.client).await {
                    Ok(Some(event)) if event.kind == "message" => {
                        reader.peer.incoming(&event.data);
                    }
                    Ok(Some(_)) => {}
                    // A stream that breaks off has ended, however that looks.
                    Ok(None) | Err(UpstreamError::Network(_)) => break,
                    Err(error) => return reader.peer.ended(error),
                }
            }
            reader.peer.ended(UpstreamError::Ended {
                reason: format!("{} ended its event stream", place(&reader.endpoint)),
                stderr: String::new(),
            });
        });
        Ok(Self { line, tasks })
    }
}

async fn connect(client: &Client) -> Result<(Url, Events), UpstreamError> {
    let url = client.url();
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    let response = client.send(Method::GET, &url, &headers, None).await?;
    if !response.status().is_success() {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = answer::beginning(client, response).await;
        return Err(client.refusal(&url, status, &words::complaint(&headers, &body)));
    }
    if answer::shape(&response) != Shape::Events {
        return Err(UpstreamError::Protocol(format!(
            "{} is no event stream",
            shown(&url)
        )));
    }
    let base = response.url().clone();
    let mut stream = Events::of(response);
    while let Some(event) = stream.next(client).await? {
        if event.kind != "endpoint" {
            continue;
        }
        let wrong = |what: &str| {
            let place = place(&base);
            UpstreamError::Protocol(format!("the endpoint that {place} names is {what}"))
        };
        let mut endpoint = base.join(event.data.trim()).map_err(|_| wrong("no URL"))?;
        if !same_place(&base, &endpoint) || endpoint.scheme() != base.scheme() {
            return Err(wrong(&format!("of another origin: {}", shown(&endpoint))));
        }
        // Setting them cannot fail: the URL has a host.
        let _ = endpoint.set_username(base.username());
        let _ = endpoint.set_password(base.password());
        return Ok((endpoint, stream));
    }
    let place = place(&base);
    Err(UpstreamError::Protocol(format!(
        "{place} ended its event stream without an endpoint"
    )))
}

impl Link for Old {
    fn send(&self, message: Outgoing) -> Doing<'_, Result<(), UpstreamError>> {
        let line = Arc::clone(&self.line);
        let Some(id) = message.id else {
            return Box::pin(async move { line.post(message).await });
        };
        self.tasks.start(id, async move {
            let peer = line.peer.clone();
            if let Err(error) = line.post(message).await {
                peer.failed(id, error);
            }
        });
        Box::pin(async { Ok(()) })
    }

    fn abandon(&self, id: i64) -> bool {
        self.tasks.abandon(id);
        false
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn close(&self) -> Doing<'_, ()> {
        // The end of the stream is the end of the session.
        self.tasks.close();
        Box::pin(async {})
    }
}

impl Drop for Old {
    fn drop(&mut self) {
        self.tasks.close();
    }
}

impl Line {
    async fn post(&self, message: Outgoing) -> Result<(), UpstreamError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let body = Some(Bytes::from(message.body));
        let sent = self
            .client
            .send(Method::POST, &self.endpoint, &headers, body);
        let response = timeout(ACCEPTED, sent)
            .await
            .map_err(|_| UpstreamError::Timeout {
                method: message.method.clone(),
                after: ACCEPTED,
            })??;
        if response.status().is_success() {
            return Ok(());
        }
        let (status, headers) = (response.status(), response.headers().clone());
        let body = answer::beginning(&self.client, response).await;
        Err(self
            .client
            .refusal(&self.endpoint, status, &words::complaint(&headers, &body)))
    }
}
