//! What is left out when a server's command or URL is shown.
//!
//! A `${VAR}` is shown: it says where a secret is, not what it is.

/// What stands for a secret.
const HIDDEN: &str = "***";

/// Parts of names whose values are not to be seen.
const SECRET: [&str; 9] = [
    "token",
    "secret",
    "password",
    "passwd",
    "apikey",
    "api-key",
    "api_key",
    "credential",
    "auth",
];

/// A URL without user and password, and without the values of its query.
pub fn url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) if !is_variables(user) => format!("{HIDDEN}@{host}"),
        _ => authority.to_owned(),
    };
    let (path, fragment) = match path.split_once('#') {
        Some((path, fragment)) => (path, Some(fragment)),
        None => (path, None),
    };
    let path = match path.split_once('?') {
        Some((path, query)) => {
            let pairs: Vec<String> = query.split('&').map(pair).collect();
            format!("{path}?{}", pairs.join("&"))
        }
        None => path.to_owned(),
    };
    let fragment = fragment.map(|_| format!("#{HIDDEN}")).unwrap_or_default();
    format!("{scheme}://{authority}{path}{fragment}")
}

fn pair(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, value)) if !is_variables(value) => format!("{name}={HIDDEN}"),
        _ => pair.to_owned(),
    }
}

/// A program's arguments without what looks like a secret.
pub fn without(args: &[String]) -> Vec<String> {
    let mut shown = Vec::new();
    let mut follows = None;
    for arg in args {
        let word = match follows.take() {
            Some(Follows::Secret) if !arg.starts_with('-') => hidden(arg),
            Some(Follows::Header) => header(arg),
            _ => word(arg),
        };
        if !arg.contains('=') {
            follows = match arg.as_str() {
                "-H" | "--header" => Some(Follows::Header),
                name if name.starts_with('-') && is_secret(name) => Some(Follows::Secret),
                _ => None,
            };
        }
        shown.push(word);
    }
    shown
}

/// What the next argument is.
enum Follows {
    Secret,
    Header,
}

fn word(arg: &str) -> String {
    match arg.split_once('=') {
        Some((name @ ("-H" | "--header"), value)) => format!("{name}={}", header(value)),
        Some((name, value)) if !name.contains("://") && is_secret(name) => {
            format!("{name}={}", hidden(value))
        }
        Some((name, value)) if !name.contains("://") => format!("{name}={}", url(value)),
        _ => url(arg),
    }
}

/// `Authorization: ***`.
fn header(text: &str) -> String {
    match text.split_once(':') {
        Some((name, value)) if !has_variable(value) => format!("{name}: {HIDDEN}"),
        Some(_) => text.to_owned(),
        None => hidden(text),
    }
}

fn hidden(value: &str) -> String {
    match is_variables(value) {
        true => value.to_owned(),
        false => HIDDEN.to_owned(),
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET.iter().any(|part| name.contains(part)) || name.ends_with("key")
}

/// Whether a text has nothing in it but variables.
fn is_variables(text: &str) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        rest = match rest
            .strip_prefix("${")
            .and_then(|rest| rest.split_once('}'))
        {
            Some((_, after)) => after,
            None => match rest.strip_prefix(':') {
                Some(after) => after,
                None => return false,
            },
        };
    }
    true
}

/// Whether a header's value is a word and a variable: `Bearer ${TOKEN}`.
fn has_variable(value: &str) -> bool {
    let mut words = value.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(only), None, _) => is_variables(only),
        (Some("Bearer" | "Basic" | "Token" | "token" | "bearer"), Some(secret), None) => {
            is_variables(secret)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_what_lets_somebody_in() {
        for (written, seen) in [
            ("https://mcp.example.com/mcp", "https://mcp.example.com/mcp"),
            ("https://me:pass@host/p@th", "https://***@host/p@th"),
            ("https://me:p@ss@host", "https://***@host"),
            (
                "https://${USER}:${PASS}@host/",
                "https://${USER}:${PASS}@host/",
            ),
            (
                "https://host/?api_key=abc&page=${PAGE}",
                "https://host/?api_key=***&page=${PAGE}",
            ),
            ("https://host#token", "https://host#***"),
            (
                "postgresql://u:p@[::1]:5432/db",
                "postgresql://***@[::1]:5432/db",
            ),
        ] {
            assert_eq!(url(written), seen);
        }
    }

    #[test]
    fn arguments_are_shown_without_what_looks_like_a_secret() {
        for (written, seen) in [
            ("-y @scope/server-github", "-y @scope/server-github"),
            ("--api-key=abc --verbose", "--api-key=*** --verbose"),
            ("--token abc next", "--token *** next"),
            ("--token --other", "--token --other"),
            ("--token ${TOKEN}", "--token ${TOKEN}"),
            ("postgresql://u:p@host/db", "postgresql://***@host/db"),
            (
                "--url=postgresql://u:p@host/db",
                "--url=postgresql://***@host/db",
            ),
            ("https://host/?q=1", "https://host/?q=***"),
            ("--header X-Key:abc", "--header X-Key: ***"),
            ("PASSWORD=abc", "PASSWORD=***"),
        ] {
            let args: Vec<String> = written.split(' ').map(str::to_owned).collect();
            assert_eq!(without(&args).join(" "), seen);
        }
        let header = ["-H", "Authorization: Bearer ${TOKEN}"].map(str::to_owned);
        assert_eq!(without(&header), header);
        let header = ["-H", "Authorization: Bearer abc"].map(str::to_owned);
        assert_eq!(without(&header)[1], "Authorization: ***");
    }
}
