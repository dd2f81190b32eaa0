//! Sources that are given instead of a server's name: a URL, or a command line with a
//! slash in it. Words are split as a shell would, but no shell is used: what only a
//! shell could do is an error.

use std::collections::BTreeMap;

use super::template::Template;
use super::{ConfigError, EndpointText, Scope, ServerEntry, Settings, check};

/// The server that `source` describes; nothing if it is a plain name.
pub fn entry(source: &str) -> Option<Result<ServerEntry, ConfigError>> {
    let lower = source.to_ascii_lowercase();
    let is_http = lower.starts_with("http:") || lower.starts_with("https:");
    if is_http || has_scheme(source) {
        return Some(url(source));
    }
    source.contains('/').then(|| command(source))
}

/// `ws://x` is a URL; `./x --to http://y` is not.
fn has_scheme(source: &str) -> bool {
    let Some((scheme, _)) = source.split_once("://") else {
        return false;
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(allowed)
}

fn url(source: &str) -> Result<ServerEntry, ConfigError> {
    let error = |reason: String| ConfigError(format!("`{}` {reason}", without_secrets(source)));
    let url = check::url(source).map_err(error)?;
    if source.contains(char::is_whitespace) {
        return Err(error("has a space in it; a URL has none".to_owned()));
    }
    let mut shown = url.clone();
    let hidden = shown.set_username("").is_ok() && shown.set_password(None).is_ok();
    let name = match hidden && (!url.username().is_empty() || url.password().is_some()) {
        true => shown.to_string(),
        false => source.to_owned(),
    };
    Ok(direct(
        name,
        EndpointText::Http {
            url: Template::literal(source).to_string(),
            headers: BTreeMap::new(),
            ca_file: None,
        },
    ))
}

/// A text that was meant as a URL, for a message.
fn without_secrets(source: &str) -> String {
    let shown = match source.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            match rest[..end].rfind('@') {
                Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
                None => source.to_owned(),
            }
        }
        None => source.to_owned(),
    };
    shown.escape_debug().to_string()
}

fn command(source: &str) -> Result<ServerEntry, ConfigError> {
    let shown = source.escape_debug().to_string();
    let error = |reason: String| ConfigError(format!("`{shown}`: {reason}"));
    let mut words = words(source).map_err(error)?.into_iter();
    let program = words.next().filter(|word| !word.is_empty());
    let program = program.ok_or_else(|| error("there is no command in it".to_owned()))?;
    if let Some((before, _)) = program.split_once('=')
        && super::template::is_name(before)
    {
        return Err(error(format!(
            "`{}` before a command is for a shell, and no shell is used; write `env {} …`",
            program.escape_debug(),
            program.escape_debug()
        )));
    }
    if program.contains('\0') {
        return Err(error("it has a NUL character".to_owned()));
    }
    Ok(direct(
        source.to_owned(),
        EndpointText::Stdio {
            command: Template::literal(&program).to_string(),
            args: words
                .map(|word| Template::literal(&word).to_string())
                .collect(),
            env: BTreeMap::new(),
            cwd: None,
        },
    ))
}

fn direct(name: String, endpoint: EndpointText) -> ServerEntry {
    ServerEntry {
        name,
        origin: None,
        scope: Scope::Direct,
        endpoint,
        settings: Settings::default(),
    }
}

/// The words of a command line.
fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\r' => return Err(shell("a line break")),
            _ if character.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('\'') => break,
                        Some(inside) => word.push(inside),
                        None => return Err("a `'` is not closed".to_owned()),
                    }
                }
            }
            '"' => double_quoted(&mut characters, word.get_or_insert_default())?,
            '\\' => match characters.next() {
                Some(next) => word.get_or_insert_default().push(next),
                None => return Err("it ends in a `\\`".to_owned()),
            },
            '$' | '`' | ';' | '|' | '&' | '<' | '>' | '(' | ')' | '*' | '?' | '[' => {
                return Err(shell(&format!("`{character}`")));
            }
            '#' if word.is_none() => return Err(shell("`#`")),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    Ok(words)
}

fn double_quoted(characters: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), String> {
    loop {
        match characters.next() {
            Some('"') => return Ok(()),
            Some('\\') => match characters.next() {
                Some(next @ ('"' | '\\' | '$' | '`')) => word.push(next),
                Some(next) => word.extend(['\\', next]),
                None => break,
            },
            Some(special @ ('$' | '`')) => return Err(shell(&format!("`{special}`"))),
            Some(inside) => word.push(inside),
            None => break,
        }
    }
    Err("a `\"` is not closed".to_owned())
}

fn shell(what: &str) -> String {
    format!(
        "{what} is for a shell, and no shell is used; put it in single quotes if it is meant as it is"
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[track_caller]
    fn runs(source: &str, expected: &[&str]) {
        let entry = entry(source).unwrap().unwrap();
        assert_eq!(entry.name, source);
        assert_eq!((entry.origin, entry.scope), (None, Scope::Direct));
        let EndpointText::Stdio { command, args, .. } = entry.endpoint else {
            panic!("{source} is no command");
        };
        let mut words = vec![command];
        words.extend(args);
        assert_eq!(words, expected, "{source}");
    }

    #[track_caller]
    fn refused(source: &str, expected: &str) {
        assert_eq!(entry(source).unwrap().unwrap_err().0, expected);
    }

    #[test]
    fn a_name_is_no_source() {
        for name in ["github", "my server", "a.b", "a:b", ""] {
            assert_eq!(entry(name), None, "{name}");
        }
    }

    #[test]
    fn a_command_is_split_into_words() {
        runs("./server --flag 'a b'", &["./server", "--flag", "a b"]);
        runs("/bin/x", &["/bin/x"]);
        runs(
            "npx -y @scope/server  /tmp",
            &["npx", "-y", "@scope/server", "/tmp"],
        );
        runs(
            r#"./x "a \"b\" \n" c\ d '' e'f'"g""#,
            &["./x", r#"a "b" \n"#, "c d", "", "efg"],
        );
        runs("./x '$HOME' \\* '{a}'", &["./x", "$HOME", "*", "{a}"]);
        runs("./x '${HOME}'", &["./x", "$${HOME}"]);
        runs("./x --to http://y", &["./x", "--to", "http://y"]);
        runs("./x a#b ~/c", &["./x", "a#b", "~/c"]);
    }

    #[test]
    fn what_only_a_shell_can_do_is_refused() {
        refused(
            "./x | tee y",
            "`./x | tee y`: `|` is for a shell, and no shell is used; put it in single quotes if it is meant as it is",
        );
        refused(
            "./x \"$HOME\"",
            "`./x \\\"$HOME\\\"`: `$` is for a shell, and no shell is used; put it in single quotes if it is meant as it is",
        );
        for source in [
            "./x *", "./x; y", "./x &", "./x > y", "./x `y`", "./x $(y)", "./x #y",
        ] {
            let error = entry(source).unwrap().unwrap_err().0;
            assert!(error.contains("no shell is used"), "{error}");
        }
        refused("./x 'a", "`./x \\'a`: a `'` is not closed");
        refused("./x \\", "`./x \\\\`: it ends in a `\\`");
        refused("'' /x", "`\\'\\' /x`: there is no command in it");
        refused(
            "A=1 ./x",
            "`A=1 ./x`: `A=1` before a command is for a shell, and no shell is used; write `env A=1 …`",
        );
    }

    #[test]
    fn a_url_is_a_source() {
        let found = entry("https://example.com/mcp?x=${y}").unwrap().unwrap();
        assert_eq!(found.name, "https://example.com/mcp?x=${y}");
        let EndpointText::Http { url, .. } = found.endpoint else {
            panic!("no URL");
        };
        assert_eq!(url, "https://example.com/mcp?x=$${y}");
    }

    #[test]
    fn passwords_stay_out_of_names_and_messages() {
        let found = entry("https://ada:secret@example.com/mcp")
            .unwrap()
            .unwrap();
        assert_eq!(found.name, "https://example.com/mcp");
        refused(
            "ws://ada:secret@x/y",
            "`ws://x/y` begins with `ws:`; mcpx connects to `https://` and `http://`",
        );
        refused("https://a:b@", "`https://` is no URL (empty host)");
        refused(
            "http:x y",
            "`http:x y` is no URL; it begins with `https://` or `http://`, for example `https://example.com/mcp`",
        );
    }
}
