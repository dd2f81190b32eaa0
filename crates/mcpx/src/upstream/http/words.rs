//! What a server says with an error's status, as far as it is for people.

use reqwest::header::{CONTENT_TYPE, HeaderMap, WWW_AUTHENTICATE};
use serde::Deserialize;

/// The most that is shown of what a server says with an error.
pub const DETAIL: usize = 500;

#[derive(Deserialize)]
struct Complaint {
    error: Option<Said>,
    error_description: Option<String>,
    message: Option<String>,
    detail: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Text(String),
    Object { message: String },
    Other(serde::de::IgnoredAny),
}

/// What an answer with an error's status says, as far as it is for people.
pub fn complaint(headers: &HeaderMap, body: &str) -> String {
    let asks = headers
        .get_all(WWW_AUTHENTICATE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let asks: Vec<&str> = asks.collect();
    let said = spoken(headers, body);
    match (asks.is_empty(), said.is_empty()) {
        (true, _) => said,
        (false, true) => format!("it asks for {}", asks.join(", ")),
        (false, false) => format!("{said} (it asks for {})", asks.join(", ")),
    }
}

fn spoken(headers: &HeaderMap, body: &str) -> String {
    if let Ok(complaint) = serde_json::from_str::<Complaint>(body) {
        let error = match complaint.error {
            Some(Said::Text(text) | Said::Object { message: text }) => Some(text),
            Some(Said::Other(_)) | None => None,
        };
        let more = complaint.error_description.or(complaint.message);
        let detail = complaint.detail.map(|detail| match detail {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        });
        let parts: Vec<String> = [error, more, detail].into_iter().flatten().collect();
        if !parts.is_empty() {
            return parts.join(": ");
        }
    }
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    match kind.is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/html")) {
        true => title(body).unwrap_or_default().to_owned(),
        false => body.to_owned(),
    }
}

/// The title of a page that is meant for a browser.
fn title(page: &str) -> Option<&str> {
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let end = start + lower[start..].find("</title>")?;
    page.get(start..end)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[track_caller]
    fn check(headers: &[(reqwest::header::HeaderName, &str)], body: &str, expected: &str) {
        let pair = |(name, value): &(reqwest::header::HeaderName, &str)| {
            (name.clone(), value.parse().unwrap())
        };
        let headers: HeaderMap = headers.iter().map(pair).collect();
        assert_eq!(complaint(&headers, body), expected);
    }

    #[test]
    fn a_complaint_in_json_is_its_text() {
        check(
            &[],
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":null}"#,
            "no",
        );
        check(
            &[],
            r#"{"error":"invalid_token","error_description":"expired"}"#,
            "invalid_token: expired",
        );
        check(&[], r#"{"detail":"Not Found"}"#, "Not Found");
        check(&[], r#"{"error":7}"#, r#"{"error":7}"#);
    }

    #[test]
    fn a_page_is_its_title() {
        let page = "<html><TITLE>502 Bad Gateway</TITLE><body>x";
        check(
            &[(CONTENT_TYPE, "text/html; charset=utf-8")],
            page,
            "502 Bad Gateway",
        );
        check(&[(CONTENT_TYPE, "text/html")], "<p>x", "");
    }

    #[test]
    fn what_is_asked_for_is_told() {
        let asks = [(WWW_AUTHENTICATE, r#"Bearer realm="mcp""#)];
        check(&asks, "", r#"it asks for Bearer realm="mcp""#);
        check(
            &asks,
            "no token",
            r#"no token (it asks for Bearer realm="mcp")"#,
        );
    }
}
