//! The headers that tell what a message is about, for those who do not read bodies.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::HeaderValue;

/// What a version of the protocol is sent in.
pub const VERSION: &str = "mcp-protocol-version";
/// What a session is sent in.
pub const SESSION: &str = "mcp-session-id";
/// What a request's method is sent in.
pub const METHOD: &str = "mcp-method";
/// What a tool's name is sent in.
pub const NAME: &str = "mcp-name";
/// What the last event's id is sent in, to get what came after it.
pub const LAST_EVENT: &str = "last-event-id";

const WRAP: (&str, &str) = ("=?base64?", "?=");

/// A value as a header: as it is, or wrapped as Base64 where a header could not carry
/// it, or where it looks wrapped itself.
pub fn value(text: &str) -> Option<HeaderValue> {
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && text.trim() == text
        && !(text.starts_with(WRAP.0) && text.ends_with(WRAP.1));
    match plain {
        true => HeaderValue::from_str(text),
        false => {
            let wrapped = format!("{}{}{}", WRAP.0, BASE64_STANDARD.encode(text), WRAP.1);
            HeaderValue::from_str(&wrapped)
        }
    }
    .ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(super::value(text).unwrap().to_str().unwrap(), expected);
    }

    #[test]
    fn a_plain_value_stays() {
        check("read_file", "read_file");
        check("a b~", "a b~");
        check("", "");
    }

    #[test]
    fn what_a_header_cannot_carry_is_wrapped() {
        check("größe", "=?base64?Z3LDtsOfZQ==?=");
        check(" x", "=?base64?IHg=?=");
        check("a\nb", "=?base64?YQpi?=");
        check("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?=");
    }
}
