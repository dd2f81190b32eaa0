//! What a client is built from: certificates and proxies.

use std::path::PathBuf;
use std::time::Duration;

use reqwest::{Certificate, NoProxy, Proxy};

use super::super::UpstreamError;
use super::client::cause;
use super::words;
use crate::harmless;

/// How long an idle connection is kept. Common servers hang up after 5 s, and a
/// request that meets that moment would be lost.
const IDLE: Duration = Duration::from_secs(4);

/// What is needed to build a client, away from the runtime.
#[derive(Debug)]
pub struct Plan {
    pub proxies: Vec<Proxy>,
    pub ca_file: Option<PathBuf>,
    pub connect_timeout: Duration,
    /// Whether TLS is needed.
    pub secure: bool,
}

impl Plan {
    /// Builds it; reads files.
    pub fn build(self) -> Result<reqwest::Client, UpstreamError> {
        // An error says that one is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("mcpx/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .http1_only()
            .tcp_nodelay(true)
            .pool_idle_timeout(IDLE)
            .connect_timeout(self.connect_timeout)
            .no_proxy();
        for proxy in self.proxies {
            builder = builder.proxy(proxy);
        }
        if !self.secure {
            // Without TLS there is no need to read the system's certificates, or to
            // have any.
            builder = builder.tls_certs_only([]);
        } else if let Some(path) = &self.ca_file {
            builder = builder.tls_certs_merge(certificates(path)?);
        }
        builder.build().map_err(|error| {
            let cause = harmless::line_within(&cause(&error), words::DETAIL);
            UpstreamError::Network(format!("TLS cannot be set up: {cause}"))
        })
    }
}

fn certificates(path: &PathBuf) -> Result<Vec<Certificate>, UpstreamError> {
    let wrong =
        |what: String| UpstreamError::Network(format!("ca_file {}: {what}", path.display()));
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let found = Certificate::from_pem_bundle(&text)
        .map_err(|error| wrong(format!("is no PEM file: {}", cause(&error))))?;
    match found.is_empty() {
        true => Err(wrong(
            "has no certificate (-----BEGIN CERTIFICATE-----)".into(),
        )),
        false => Ok(found),
    }
}

/// A variable by its lower-case name, in either spelling, if it has a value.
pub fn variable<'a>(variables: &'a [(String, String)], name: &str) -> Option<(&'a str, &'a str)> {
    let exact = variables.iter().find(|(key, _)| key == name);
    let any = || {
        variables
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
    };
    let (key, value) = exact.or_else(any)?;
    (!value.trim().is_empty()).then(|| (key.as_str(), value.trim()))
}

type MakeProxy = fn(&str) -> reqwest::Result<Proxy>;

/// The proxies that a caller's variables name. The lower-case spelling wins, as
/// everywhere; a scheme's own comes before the one for all.
pub fn proxies(variables: &[(String, String)]) -> Result<Vec<Proxy>, UpstreamError> {
    let value = |name: &str| variable(variables, name);
    let except = value("no_proxy").and_then(|(_, hosts)| NoProxy::from_string(hosts));
    let mut found = Vec::new();
    let kinds: [(&str, MakeProxy); 3] = [
        ("https_proxy", |url| Proxy::https(url)),
        ("http_proxy", |url| Proxy::http(url)),
        ("all_proxy", |url| Proxy::all(url)),
    ];
    for (name, make) in kinds {
        let Some((key, url)) = value(name) else {
            continue;
        };
        let proxy = make(url).map_err(|_| {
            UpstreamError::Network(format!(
                "{key} is not the URL of a proxy (http://HOST:PORT)"
            ))
        })?;
        found.push(proxy.no_proxy(except.clone()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[test]
    fn a_proxy_that_is_none_is_named_by_its_variable() {
        let variables = [(
            "HTTPS_PROXY".to_owned(),
            "http://user:pass word@".to_owned(),
        )];
        assert_eq!(
            proxies(&variables).map(|_| ()).unwrap_err().to_string(),
            "HTTPS_PROXY is not the URL of a proxy (http://HOST:PORT)"
        );
    }

    #[test]
    fn an_empty_proxy_is_none() {
        let variables = [
            ("https_proxy", ""),
            ("HTTPS_PROXY", "http://p:1"),
            ("http_proxy", " "),
        ];
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        assert_eq!(proxies(&variables.map(own)).unwrap().len(), 0);
    }
}
