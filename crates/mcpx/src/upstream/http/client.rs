//! The way to one server over HTTP: redirects, and what went wrong in words. Knows nothing of MCP.
//!
//! The caller's headers and tokens go to the configured origin and nowhere else.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, Response, StatusCode, Url};
use tokio::sync::OnceCell;

use super::super::UpstreamError;
use super::plan::{Plan, proxies, variable};
use super::words;
use crate::harmless;

/// How many redirects are followed for one request.
const REDIRECTS: usize = 5;

/// How long a connection may take to be there, whatever the server may take to be ready.
const CONNECT: Duration = Duration::from_secs(15);

/// The way to one server.
#[derive(Debug)]
pub struct Client {
    /// Where requests go; moves where the server says so for good.
    url: Mutex<Url>,
    headers: HeaderMap,
    /// What must not be repeated to anybody.
    secrets: Vec<String>,
    ca_file: Option<PathBuf>,
    proxies: Vec<(String, String)>,
    connect_timeout: Duration,
    plain: OnceCell<reqwest::Client>,
    secure: OnceCell<reqwest::Client>,
}

/// What a way is made of.
#[derive(Debug)]
pub struct Settings<'a> {
    pub url: &'a str,
    pub headers: &'a BTreeMap<String, String>,
    pub ca_file: Option<PathBuf>,
    pub proxies: &'a [(String, String)],
    pub connect_timeout: Duration,
}

impl Client {
    /// Checks the settings; nothing is connected yet.
    pub fn new(settings: Settings<'_>) -> Result<Self, UpstreamError> {
        let url = Url::parse(settings.url)
            .map_err(|error| UpstreamError::Network(format!("the URL is not one: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            let scheme = url.scheme();
            let reason = format!("a URL begins with http:// or https://, not `{scheme}:`");
            return Err(UpstreamError::Network(reason));
        }
        let mut headers = HeaderMap::new();
        let mut secrets = Vec::new();
        for (name, value) in settings.headers {
            let wrong = |what: &str| {
                UpstreamError::Network(format!(
                    "the header `{}` {what}",
                    harmless::line_within(name, 80)
                ))
            };
            let key = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| wrong("has a character that no header's name has"))?;
            let mut sent = HeaderValue::from_str(value.trim())
                .map_err(|_| wrong("has a value with a character that no header has"))?;
            sent.set_sensitive(true);
            secrets.extend(secret_parts(value));
            headers.insert(key, sent);
        }
        secrets.extend(url.password().map(str::to_owned));
        // The longest first, so that no part of one is left over.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Ok(Self {
            url: Mutex::new(url),
            headers,
            secrets,
            ca_file: settings.ca_file,
            proxies: settings.proxies.to_vec(),
            connect_timeout: settings.connect_timeout.min(CONNECT),
            plain: OnceCell::new(),
            secure: OnceCell::new(),
        })
    }

    /// Where requests go.
    pub fn url(&self) -> Url {
        self.url
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Sends a request and gives the answer's beginning, whatever its status.
    /// Redirects within the origin are followed, with method and body.
    pub async fn send(
        &self,
        method: Method,
        url: &Url,
        headers: &HeaderMap,
        body: Option<Bytes>,
    ) -> Result<Response, UpstreamError> {
        let mut url = url.clone();
        for _ in 0..=REDIRECTS {
            let client = self.client_for(&url).await?;
            let mut request = client.request(method.clone(), url.clone());
            request = request
                .headers(self.headers.clone())
                .headers(headers.clone());
            if let Some(body) = &body {
                request = request.body(body.clone());
            }
            let response = request
                .send()
                .await
                .map_err(|error| self.failure(&url, &error))?;
            let Some(next) = self.redirect(&url, &response)? else {
                return Ok(response);
            };
            if response.status() == StatusCode::PERMANENT_REDIRECT {
                let mut home = self.url.lock().unwrap_or_else(PoisonError::into_inner);
                if *home == url {
                    *home = next.clone();
                }
            }
            url = next;
        }
        Err(UpstreamError::Network(format!(
            "{} redirects in a circle",
            shown(&url)
        )))
    }

    /// Where an answer wants the request to go instead. An error where that is not
    /// followed.
    fn redirect(&self, from: &Url, response: &Response) -> Result<Option<Url>, UpstreamError> {
        let status = response.status();
        if !status.is_redirection() || status == StatusCode::NOT_MODIFIED {
            return Ok(None);
        }
        let target = response
            .headers()
            .get(LOCATION)
            .and_then(|value| value.to_str().ok());
        let Some(mut to) = target.and_then(|target| from.join(target).ok()) else {
            return Ok(None);
        };
        let kept = matches!(
            status,
            StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
        );
        if !kept || !same_place(from, &to) {
            return Err(UpstreamError::Http {
                url: shown(from),
                status: status.as_u16(),
                body: self.hide(&format!(
                    "it redirects to {}; configure that URL if it is the server",
                    shown(&to)
                )),
            });
        }
        // Setting them cannot fail: the URL has a host.
        let _ = to.set_username(from.username());
        let _ = to.set_password(from.password());
        Ok(Some(to))
    }

    async fn client_for(&self, url: &Url) -> Result<reqwest::Client, UpstreamError> {
        let through_tls = self
            .proxies
            .iter()
            .any(|(_, proxy)| proxy.starts_with("https:"));
        let secure = url.scheme() == "https" || through_tls;
        let cell = if secure { &self.secure } else { &self.plain };
        let made = cell.get_or_try_init(|| async {
            let plan = self.plan(secure)?;
            // Certificates are read from many files.
            let made = tokio::task::spawn_blocking(move || plan.build()).await;
            made.map_err(|error| UpstreamError::Network(error.to_string()))?
        });
        made.await.cloned()
    }

    fn plan(&self, secure: bool) -> Result<Plan, UpstreamError> {
        Ok(Plan {
            proxies: proxies(&self.proxies)?,
            ca_file: self.ca_file.clone(),
            connect_timeout: self.connect_timeout,
            secure,
        })
    }

    /// What a network error means, with the host it is about.
    pub fn failure(&self, url: &Url, error: &reqwest::Error) -> UpstreamError {
        let place = place(url);
        let cause = self.hide(&cause(error));
        let proxy = self.proxy_of(url);
        UpstreamError::Network(if error.is_dns() {
            let host = url.host_str().unwrap_or_default();
            format!("{host} is not found: {cause}{proxy}")
        } else if error.is_connect() && error.is_timeout() {
            let time = self.connect_timeout.as_secs_f64();
            format!("cannot connect to {place}: no answer within {time} s{proxy}")
        } else if error.is_connect() {
            format!("cannot connect to {place}: {cause}{proxy}")
        } else if error.is_body() || error.is_decode() {
            format!("{place} broke off in the middle of its answer: {cause}")
        } else {
            format!("{place} gave no answer: {cause}")
        })
    }

    /// The variable that may stand in the way, for what cannot be reached.
    fn proxy_of(&self, url: &Url) -> String {
        let own = format!("{}_proxy", url.scheme());
        let set = [own.as_str(), "all_proxy"];
        let set = set
            .into_iter()
            .find_map(|name| variable(&self.proxies, name));
        set.map(|(name, _)| format!(" ({name} is set)"))
            .unwrap_or_default()
    }

    /// An answer that is no answer, in words.
    pub fn refusal(&self, url: &Url, status: StatusCode, text: &str) -> UpstreamError {
        UpstreamError::Http {
            url: shown(url),
            status: status.as_u16(),
            body: self.hide(text),
        }
    }

    /// Text of the server without what was sent in confidence.
    pub fn hide(&self, text: &str) -> String {
        let hidden = self.secrets.iter().fold(text.to_owned(), |text, secret| {
            match text.contains(secret.as_str()) {
                true => text.replace(secret.as_str(), "***"),
                false => text,
            }
        });
        harmless::line_within(&hidden, words::DETAIL)
    }
}

/// Whether a request may follow with all that it carries: the same origin, or the
/// same host with TLS added.
pub fn same_place(from: &Url, to: &Url) -> bool {
    if from.host_str() != to.host_str() {
        return false;
    }
    let same =
        from.scheme() == to.scheme() && from.port_or_known_default() == to.port_or_known_default();
    let upgraded = from.scheme() == "http"
        && to.scheme() == "https"
        && from.port().is_none()
        && to.port().is_none();
    same || upgraded
}

/// A URL as it may be shown: no user, no password, no query, where keys are put too.
pub fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    harmless::line_within(url.as_str(), 300)
}

/// Host and port.
pub fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port_or_known_default() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// The innermost reason. Never the outer ones, which carry the whole URL.
pub fn cause(error: &reqwest::Error) -> String {
    let mut source: Option<&(dyn Error + 'static)> = error.source();
    let mut last = None;
    while let Some(inner) = source {
        if let Some(reason) = known(inner) {
            return reason;
        }
        // Wrapped errors hide their own source.
        let wrapped = inner
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        last = Some(inner);
        source = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => inner.source(),
        };
    }
    last.map_or_else(|| "unknown reason".to_owned(), ToString::to_string)
}

fn known(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(tls) = error.downcast_ref::<rustls::Error>() {
        return Some(match tls {
            rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer) => {
                "TLS: the authority of its certificate is not trusted (`ca_file` can name it)"
                    .to_owned()
            }
            rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType) => {
                "it does not speak TLS (http:// instead of https://?)".to_owned()
            }
            other => format!("TLS: {other}"),
        });
    }
    let error = error.downcast_ref::<io::Error>()?;
    let reason = match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused",
        io::ErrorKind::ConnectionReset => "connection reset",
        io::ErrorKind::BrokenPipe => "connection closed",
        io::ErrorKind::TimedOut => "timed out",
        io::ErrorKind::NetworkUnreachable => "network unreachable",
        io::ErrorKind::HostUnreachable => "host unreachable",
        _ => return None,
    };
    Some(reason.to_owned())
}

/// What of a header's value is secret: all of it, and what follows a scheme such as
/// `Bearer`. Short values are no secrets, and hiding them would garble every text.
fn secret_parts(value: &str) -> Vec<String> {
    let parts = [
        Some(value.trim()),
        value.trim().split_once(' ').map(|(_, rest)| rest.trim()),
    ];
    let long = parts.into_iter().flatten().filter(|part| part.len() >= 8);
    long.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[track_caller]
    fn follows(from: &str, to: &str) -> bool {
        same_place(&Url::parse(from).unwrap(), &Url::parse(to).unwrap())
    }

    #[test]
    fn a_request_follows_within_its_origin_and_to_tls() {
        assert!(follows("http://a/x", "http://a:80/y"));
        assert!(follows("https://a:444/x", "https://a:444/y?z"));
        assert!(follows("http://a/x", "https://a/x"));
    }

    #[test]
    fn a_request_follows_to_no_other_host_port_or_plain_text() {
        assert!(!follows("http://a/x", "http://b/x"));
        assert!(!follows("http://a/x", "http://a.b/x"));
        assert!(!follows("http://a:1/x", "http://a:2/x"));
        assert!(!follows("https://a/x", "http://a/x"));
        assert!(!follows("http://a:8080/x", "https://a/x"));
    }

    #[test]
    fn a_url_is_shown_without_what_is_secret() {
        let url = Url::parse("https://user:pass@host:1/mcp?key=secret#part").unwrap();
        assert_eq!(shown(&url), "https://host:1/mcp");
    }

    #[track_caller]
    fn client(url: &str, headers: &[(&str, &str)]) -> Result<Client, UpstreamError> {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Client::new(Settings {
            url,
            headers: &headers.iter().map(own).collect(),
            ca_file: None,
            proxies: &[],
            connect_timeout: Duration::from_secs(1),
        })
    }

    #[test]
    fn what_was_sent_in_confidence_is_not_repeated() {
        let headers = [("Authorization", "Bearer s3cr3t-token"), ("X-Plan", "pro")];
        let client = client("http://me:passw0rd@host/", &headers).unwrap();
        assert_eq!(
            client.hide("Bearer s3cr3t-token or s3cr3t-token, passw0rd, pro"),
            "*** or ***, ***, pro"
        );
    }

    #[test]
    fn a_wrong_url_or_header_is_told_without_its_value() {
        let said = |url: &str, headers: &[(&str, &str)]| {
            client(url, headers).map(|_| ()).unwrap_err().to_string()
        };
        assert_eq!(
            said("ftp://user:secret@host/", &[]),
            "a URL begins with http:// or https://, not `ftp:`"
        );
        assert_eq!(
            said("http://h/", &[("X-Key", "secret\nvalue")]),
            "the header `X-Key` has a value with a character that no header has"
        );
        assert_eq!(
            said("http://h/", &[("X Key", "secret")]),
            "the header `X Key` has a character that no header's name has"
        );
    }
}
