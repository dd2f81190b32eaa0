//! The words of one command: mcpx's own flags, the server, the tool, the rest.
//!
//! What follows a tool's name is left as it is: only the tool's schema tells its
//! flags from mcpx's own, and `argv::decode` knows it.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use argway_core::argv::{OwnFlag, Takes};
use argway_core::catalog::names::nearest;
use argway_core::units;

use super::caller::Voice;
pub use crate::own_flags::quiet_words;
use crate::own_flags::{OWN_FLAGS, Own};

/// What a command line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// mcpx's own flags that stand before the tool, in order, with their values.
    pub own: Vec<(Own, Option<String>)>,
    /// What is to be done.
    pub verb: Verb,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verb {
    /// List the servers.
    Servers,
    /// List a server's tools, or show its page if [`Own::Help`] was given.
    Tools { server: String },
    /// Call a tool, or show its page.
    Tool {
        server: String,
        tool: String,
        /// What follows the tool, mcpx's own flags included.
        words: Vec<String>,
    },
    /// Print the completion script of a shell.
    Completion { shell: Option<String> },
    /// Complete the last of these words.
    Complete { words: Vec<String> },
    /// Show mcpx's own page.
    RootHelp,
    /// Tell the version.
    Version,
}

/// Reads the words after `mcpx`. `is_server` tells whether a server is configured
/// under a name: `completion` and `__complete` then mean that server.
pub fn parse(words: &[OsString], is_server: impl Fn(&str) -> bool) -> Result<Command, String> {
    let mut own = Vec::new();
    let mut names = Vec::new();
    let mut ended = false;
    let mut rest = words.iter();
    while names.len() < 2 {
        let Some(word) = rest.next() else { break };
        let word = text(word)?;
        if ended || !word.starts_with('-') || word == "-" {
            names.push(word.to_owned());
            match reserved(&names, &is_server) {
                Some("completion") => return completion(own, rest.as_slice()),
                Some(_) => return Ok(completing(own, rest.as_slice())),
                None => continue,
            }
        }
        match word.strip_prefix("--") {
            Some("") => ended = true,
            Some(long) => {
                let mut value = || match rest.next() {
                    Some(word) => text(word).map(|word| Some(word.to_owned())),
                    None => Ok(None),
                };
                own.push(long_flag(long, &mut value)?);
            }
            None => {
                for letter in word.chars().skip(1) {
                    own.push((short_flag(letter, word)?, None));
                }
            }
        }
    }
    let words = rest.map(|word| text(word).map(str::to_owned));
    let words = words.collect::<Result<Vec<_>, _>>()?;
    let mut names = names.into_iter();
    let mut flags = own.iter().map(|(flag, _)| *flag);
    let page = flags.find(|flag| matches!(flag, Own::Help | Own::Version));
    let verb = match (names.next(), names.next(), page) {
        (_, _, Some(Own::Version)) => Verb::Version,
        (None, _, Some(Own::Help)) => Verb::RootHelp,
        (None, ..) => Verb::Servers,
        (Some(server), None, _) => Verb::Tools { server },
        (Some(server), Some(tool), _) => Verb::Tool {
            server,
            tool,
            words,
        },
    };
    Ok(Command { own, verb })
}

/// The reserved word that `names` consist of, unless a server is called so.
fn reserved(names: &[String], is_server: impl Fn(&str) -> bool) -> Option<&str> {
    match names {
        [name] if ["completion", "__complete"].contains(&name.as_str()) && !is_server(name) => {
            Some(name)
        }
        _ => None,
    }
}

/// `completion [SHELL]`, with flags anywhere.
fn completion(mut own: Vec<(Own, Option<String>)>, words: &[OsString]) -> Result<Command, String> {
    let after = parse(words, |_| true)?;
    own.extend(after.own);
    let shell = match after.verb {
        Verb::Servers | Verb::RootHelp => None,
        Verb::Tools { server } => Some(server),
        Verb::Tool { tool, .. } => {
            return Err(format!(
                "`completion` takes one shell, so `{tool}` is too much; try `mcpx completion bash`"
            ));
        }
        verb @ (Verb::Version | Verb::Completion { .. } | Verb::Complete { .. }) => {
            return Ok(Command { own, verb });
        }
    };
    Ok(Command {
        own,
        verb: Verb::Completion { shell },
    })
}

/// `__complete [--] WORDS…`. Half-typed words may be anything, so nothing is refused.
fn completing(own: Vec<(Own, Option<String>)>, words: &[OsString]) -> Command {
    let words = match words {
        [first, rest @ ..] if first == "--" => rest,
        words => words,
    };
    let words = words.iter().map(|word| word.to_string_lossy().into_owned());
    Command {
        own,
        verb: Verb::Complete {
            words: words.collect(),
        },
    }
}

fn text(word: &OsStr) -> Result<&str, String> {
    word.to_str().ok_or_else(|| {
        let shown = word.to_string_lossy();
        format!("`{shown}` is not UTF-8, and a server is only told text")
    })
}

/// The flag `--long`, with its value after `=` or in the next word.
fn long_flag(
    long: &str,
    next: &mut dyn FnMut() -> Result<Option<String>, String>,
) -> Result<(Own, Option<String>), String> {
    let (name, value) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (long, None),
    };
    let Some(flag) = OWN_FLAGS.iter().find(|flag| flag.long == name) else {
        return Err(unknown(name));
    };
    match (flag.takes, value) {
        (Takes::Nothing, None) => Ok((flag.id, None)),
        (Takes::Nothing, Some(_)) => Err(format!("`--{name}` takes no value; write --{name}")),
        (Takes::Value(_), Some(value)) => Ok((flag.id, Some(value))),
        (Takes::Value(kind), None) => match next()? {
            Some(value) => Ok((flag.id, Some(value))),
            None => Err(needs_value(flag, kind)),
        },
    }
}

fn short_flag(letter: char, word: &str) -> Result<Own, String> {
    let found = OWN_FLAGS.iter().find(|flag| flag.short == Some(letter));
    found.map(|flag| flag.id).ok_or_else(|| {
        let all: Vec<String> = OWN_FLAGS
            .iter()
            .filter_map(|flag| flag.short.map(|short| format!("-{short}")))
            .collect();
        let within = match word.chars().count() {
            2 => String::new(),
            _ => format!(" (in `{word}`)"),
        };
        let all = all.join(", ");
        format!("`-{letter}`{within} is not a flag of mcpx; the short ones are {all}")
    })
}

fn unknown(name: &str) -> String {
    let longs = OWN_FLAGS.iter().map(|flag| flag.long);
    let hint = match nearest(name, longs) {
        Some(near) => format!("did you mean --{near}?"),
        None => "see mcpx --help".to_owned(),
    };
    format!("`--{name}` is not a flag of mcpx; {hint} (a tool's flags come after the tool)")
}

fn needs_value(flag: &OwnFlag<Own>, kind: &str) -> String {
    let long = flag.long;
    let example = match flag.id {
        Own::Answer => "name=Ada",
        _ => "30s",
    };
    format!("`--{long}` needs a {kind}, for example --{long}={example}")
}

/// mcpx's own flags, resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// `--cache`: how old an answer may be.
    pub cache: Option<Duration>,
    /// `--no-cache`.
    pub no_cache: bool,
    /// `--timeout`.
    pub timeout: Option<Duration>,
    /// `--json`.
    pub json: bool,
    /// `-v` and `-q`, the last of them.
    pub voice: Voice,
    /// `--help`.
    pub help: bool,
    /// `--version`.
    pub version: bool,
}

impl Options {
    /// What the flags say together; of one flag given twice, the last.
    pub fn of(own: &[(Own, Option<String>)]) -> Result<Self, String> {
        let mut options = Self {
            cache: None,
            no_cache: false,
            timeout: None,
            json: false,
            voice: Voice::Normal,
            help: false,
            version: false,
        };
        for (flag, value) in own {
            match flag {
                Own::Cache => options.cache = Some(duration("cache", value)?),
                Own::NoCache => options.no_cache = true,
                Own::Timeout => options.timeout = Some(duration("timeout", value)?),
                // Repeatable: read where the questions are.
                Own::Answer => {}
                Own::Json => options.json = true,
                Own::Verbose => options.voice = Voice::Verbose,
                Own::Quiet => options.voice = Voice::Quiet,
                Own::Version => options.version = true,
                Own::Help => options.help = true,
            }
        }
        if options.cache.is_some() && options.no_cache {
            return Err("`--cache` and `--no-cache` contradict each other; give one".to_owned());
        }
        Ok(options)
    }
}

fn duration(flag: &str, value: &Option<String>) -> Result<Duration, String> {
    units::duration(value.as_deref().unwrap_or_default())
        .map_err(|error| format!("`--{flag}`: {error}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;
    use std::os::unix::ffi::OsStringExt;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    /// What a line asks for, written down, where `fake` is the only server.
    fn told(line: &str) -> String {
        let command = match parse(&words(line), |name| name == "fake") {
            Ok(command) => command,
            Err(error) => return error,
        };
        let own = command.own.iter().map(|(flag, value)| match value {
            Some(value) => format!("{flag:?}={value} "),
            None => format!("{flag:?} "),
        });
        let verb = match command.verb {
            Verb::Servers => "servers".to_owned(),
            Verb::Tools { server } => format!("tools of {server}"),
            Verb::Tool {
                server,
                tool,
                words,
            } => format!("{server}/{tool} {words:?}"),
            Verb::Completion { shell } => format!("completion {shell:?}"),
            Verb::Complete { words } => format!("complete {words:?}"),
            Verb::RootHelp => "root help".to_owned(),
            Verb::Version => "version".to_owned(),
        };
        own.collect::<String>() + &verb
    }

    #[test]
    fn a_line_is_flags_a_server_a_tool_and_the_rest() {
        for (line, expected) in [
            ("", "servers"),
            ("-v", "Verbose servers"),
            ("fake", "tools of fake"),
            ("fake --json", "Json tools of fake"),
            ("fake add", "fake/add []"),
            (
                "fake add --a=1 -v -- --help",
                r#"fake/add ["--a=1", "-v", "--", "--help"]"#,
            ),
            (
                "--cache 5s fake --timeout=1m add -",
                r#"Cache=5s Timeout=1m fake/add ["-"]"#,
            ),
            ("-vq fake", "Verbose Quiet tools of fake"),
            ("--help", "Help root help"),
            ("-h fake", "Help tools of fake"),
            ("fake --help", "Help tools of fake"),
            ("--help fake add", "Help fake/add []"),
            ("--version", "Version version"),
            ("fake --version", "Version version"),
            ("-h --version", "Help Version root help"),
            ("-- fake add", "fake/add []"),
            ("-- -odd- --tool", "-odd-/--tool []"),
            ("fake -- -tool", "fake/-tool []"),
            ("-- -- x", "--/x []"),
            ("https://host/mcp echo", "https://host/mcp/echo []"),
        ] {
            assert_eq!(told(line), expected, "{line}");
        }
    }

    #[test]
    fn completion_is_reserved_unless_a_server_is_called_so() {
        for (line, expected) in [
            ("completion", "completion None"),
            ("completion zsh", r#"completion Some("zsh")"#),
            ("completion --help", "Help completion None"),
            (
                "completion zsh fish",
                "`completion` takes one shell, so `fish` is too much; try `mcpx completion bash`",
            ),
            (
                "__complete -- -v fake --",
                r#"complete ["-v", "fake", "--"]"#,
            ),
            ("__complete", "complete []"),
            ("fake completion", "fake/completion []"),
        ] {
            assert_eq!(told(line), expected, "{line}");
        }
        for name in ["completion", "__complete"] {
            let command = parse(&words(name), |_| true).map(|command| command.verb);
            let server = name.to_owned();
            assert_eq!(command, Ok(Verb::Tools { server }));
        }
    }

    #[test]
    fn a_wrong_flag_is_told_with_the_right_one() {
        for (line, expected) in [
            (
                "--chace=1s",
                "`--chace` is not a flag of mcpx; did you mean --cache? (a tool's flags come after the tool)",
            ),
            (
                "fake --xyz",
                "`--xyz` is not a flag of mcpx; see mcpx --help (a tool's flags come after the tool)",
            ),
            (
                "-vx",
                "`-x` (in `-vx`) is not a flag of mcpx; the short ones are -v, -q, -h",
            ),
            ("--json=yes", "`--json` takes no value; write --json"),
            (
                "--timeout",
                "`--timeout` needs a DURATION, for example --timeout=30s",
            ),
            (
                "--answer",
                "`--answer` needs a NAME=VALUE, for example --answer=name=Ada",
            ),
        ] {
            assert_eq!(told(line), expected, "{line}");
        }
    }

    #[test]
    fn a_word_that_is_no_text_is_an_error_that_shows_it() {
        let odd = OsString::from_vec(b"caf\xe9".to_vec());
        for words in [
            vec![odd.clone()],
            vec!["fake".into(), "add".into(), odd.clone()],
            vec!["--cache".into(), odd.clone()],
        ] {
            assert_eq!(
                parse(&words, |_| false),
                Err("`caf\u{fffd}` is not UTF-8, and a server is only told text".to_owned())
            );
        }
        let words = ["__complete".into(), "--".into(), odd];
        assert!(parse(&words, |_| false).is_ok());
    }

    #[test]
    fn flags_are_resolved_together() {
        let of = |line: &str| parse(&words(line), |_| false).and_then(|c| Options::of(&c.own));
        let options = of("--cache=1s --cache=1h30m --timeout=500ms --json -h -q -v").unwrap();
        assert_eq!(options.cache, Some(Duration::from_secs(5400)));
        assert_eq!(options.timeout, Some(Duration::from_millis(500)));
        assert!(options.json && options.help && !options.no_cache && !options.version);
        assert_eq!(options.voice, Voice::Verbose);
        assert_eq!(of("-v -q").unwrap().voice, Voice::Quiet);
        assert_eq!(of("").unwrap().voice, Voice::Normal);
        for (line, error) in [
            (
                "--cache=1s --no-cache",
                "`--cache` and `--no-cache` contradict each other; give one",
            ),
            (
                "--timeout=soon",
                "`--timeout`: `soon` is not a duration; write it like 30s, 2m, 1h30m or 500ms",
            ),
        ] {
            assert_eq!(of(line), Err(error.to_owned()));
        }
    }
}
