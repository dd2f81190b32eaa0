//! What a server says, looked at just closely enough to decide what to do.

use reqwest::header::HeaderMap;
use reqwest::{Response, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::UpstreamError;
use super::client::Client;
use super::{answer, words};

/// The few fields of a message that decide what becomes of it.
#[derive(Debug, Deserialize)]
pub struct Rpc {
    pub id: Option<Box<RawValue>>,
    pub error: Option<Box<RawValue>>,
    pub result: Option<Box<RawValue>>,
}

/// A JSON-RPC error.
pub fn rpc_error(said: &RawValue) -> Option<UpstreamError> {
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

/// The version in an answer to `initialize`.
pub fn opened_protocol(text: &str) -> Result<String, UpstreamError> {
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
pub struct Refusal {
    url: reqwest::Url,
    status: StatusCode,
    headers: HeaderMap,
    pub body: String,
    pub rpc: Option<Rpc>,
}

impl Refusal {
    /// Reads what came with it.
    pub async fn read(client: &Client, response: Response) -> Self {
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
    pub fn is_about_rights(&self) -> bool {
        matches!(
            self.status,
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN
        )
    }

    /// Whether it is a JSON-RPC error of this very request.
    pub fn is_about(&self, id: i64) -> bool {
        let rpc = self.rpc.as_ref().filter(|rpc| rpc.error.is_some());
        let named = rpc.and_then(|rpc| rpc.id.as_ref());
        !self.is_about_rights() && named.is_some_and(|named| named.get() == id.to_string())
    }

    /// Whether the server does not know the session (404), or refused a message in it
    /// before reading it (400 about no request): some say it so.
    pub fn means_lost_session(&self, id: i64) -> bool {
        matches!(self.status, StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST) && !self.is_about(id)
    }

    /// It as an error.
    pub fn error(&self, client: &Client) -> UpstreamError {
        client.refusal(
            &self.url,
            self.status,
            &words::complaint(&self.headers, &self.body),
        )
    }
}
