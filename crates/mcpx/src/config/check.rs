//! What names, URLs, headers and patterns may be, whichever file they are from.

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};

/// Whether a server can be called so on a command line.
pub fn server_name(name: &str) -> Result<(), String> {
    let shown = name.escape_debug();
    if name.trim().is_empty() {
        return Err("a server needs a name".to_owned());
    }
    if name.trim() != name || name.contains(char::is_control) {
        return Err(format!(
            "the server's name `{shown}` begins or ends with a space, or has a control character"
        ));
    }
    if name.starts_with('-') {
        return Err(format!(
            "the server's name `{shown}` begins with `-`, so it would be read as a flag"
        ));
    }
    let lower = name.to_ascii_lowercase();
    if name.contains('/') || lower.starts_with("http:") || lower.starts_with("https:") {
        return Err(format!(
            "the server's name `{shown}` looks like a URL or a path, which `mcpx` would use directly; choose a name without `/`"
        ));
    }
    Ok(())
}

/// A URL that a server can have. What is wrong is told without the URL: it may hold
/// a password.
pub fn url(text: &str) -> Result<Url, String> {
    let parsed = Url::parse(text).map_err(|error| format!("is no URL ({error})"));
    match parsed {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => Err(wrong_scheme(url.scheme())),
        // `localhost:8000` reads as a scheme, `example.com/mcp` as nothing.
        Err(_) if !text.contains("://") => Err(
            "is no URL; it begins with `https://` or `http://`, for example `https://example.com/mcp`"
                .to_owned(),
        ),
        other => other,
    }
}

fn wrong_scheme(scheme: &str) -> String {
    format!(
        "begins with `{}:`; mcpx connects to `https://` and `http://`",
        scheme.escape_debug()
    )
}

/// A header's name.
pub fn header_name(name: &str) -> Result<(), String> {
    match HeaderName::from_bytes(name.as_bytes()) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!(
            "`{}` cannot be the name of an HTTP header; it has letters, digits and `-`",
            name.escape_debug()
        )),
    }
}

/// A header beside those that there are: HTTP does not tell their names' case apart.
pub fn header_beside<'a>(
    name: &str,
    mut others: impl Iterator<Item = &'a String>,
) -> Result<(), String> {
    match others.find(|other| *other != name && other.eq_ignore_ascii_case(name)) {
        Some(other) => Err(format!(
            "the headers `{other}` and `{name}` are the same to HTTP; keep one of them"
        )),
        None => Ok(()),
    }
}

/// A header's value. It is a secret as often as not, so it is not shown.
pub fn header_value(name: &str, value: &str) -> Result<(), String> {
    match HeaderValue::from_str(value) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!(
            "the value of the header `{name}` has a character that HTTP does not allow, such as a line break"
        )),
    }
}

/// A pattern for the names of tools.
pub fn glob(glob: &str) -> Result<(), String> {
    if glob.is_empty() {
        return Err("an empty pattern matches no tool; `*` matches every one".to_owned());
    }
    match glob.contains(['[', ']', '{', '}', '!', '\\']) {
        true => Err(format!(
            "the pattern `{}` has more than `*` and `?`, which are all that is understood",
            glob.escape_debug()
        )),
        false => Ok(()),
    }
}

/// The name of a variable that a program is given.
pub fn variable_name(name: &str) -> Result<(), String> {
    match name.is_empty() || name.contains(['=', '\0']) {
        true => Err(format!(
            "`{}` cannot be the name of an environment variable",
            name.escape_debug()
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[test]
    fn a_name_is_a_word_that_is_no_flag_and_no_source() {
        for name in ["github", "My Server", "a.b_c-d", "数据"] {
            assert_eq!(server_name(name), Ok(()), "{name}");
        }
        let cases = [
            ("", "a server needs a name"),
            (
                "-v",
                "the server's name `-v` begins with `-`, so it would be read as a flag",
            ),
            (
                "a/b",
                "the server's name `a/b` looks like a URL or a path, which `mcpx` would use directly; choose a name without `/`",
            ),
            (
                "HTTPS:x",
                "the server's name `HTTPS:x` looks like a URL or a path, which `mcpx` would use directly; choose a name without `/`",
            ),
            (
                "a\u{1b}[2J",
                "the server's name `a\\u{1b}[2J` begins or ends with a space, or has a control character",
            ),
        ];
        for (name, expected) in cases {
            assert_eq!(server_name(name).unwrap_err(), expected);
        }
    }

    #[test]
    fn a_url_is_http_or_https_and_is_never_repeated() {
        for text in ["https://example.com/mcp", "http://127.0.0.1:80", "HTTP://x"] {
            assert!(url(text).is_ok(), "{text}");
        }
        let cases = [
            (
                "ftp://ada:secret@example.com",
                "begins with `ftp:`; mcpx connects to `https://` and `http://`",
            ),
            (
                "localhost:8000/mcp",
                "begins with `localhost:`; mcpx connects to `https://` and `http://`",
            ),
            (
                "example.com/mcp",
                "is no URL; it begins with `https://` or `http://`, for example `https://example.com/mcp`",
            ),
            ("https://", "is no URL (empty host)"),
            ("http://a:b:c@x:99999", "is no URL (invalid port number)"),
        ];
        for (text, expected) in cases {
            assert_eq!(url(text).unwrap_err(), expected);
        }
    }
}
