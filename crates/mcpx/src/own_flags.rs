//! mcpx's own flags: the one definition that the command line, the help, the man
//! page and the completions are made from.

use std::ffi::OsString;

use argway_core::argv::{OwnFlag, Takes};

/// Which of mcpx's own flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Own {
    Cache,
    NoCache,
    Timeout,
    Answer,
    Json,
    Verbose,
    Quiet,
    Version,
    Help,
}

/// Every flag of mcpx, in the order of the help.
pub const OWN_FLAGS: &[OwnFlag<Own>] = &[
    OwnFlag {
        id: Own::Cache,
        long: "cache",
        short: None,
        takes: Takes::Value("DURATION"),
        text: "Answer from the cache if an answer is not older than this (30s, 5m, 1h), and keep this one",
    },
    OwnFlag {
        id: Own::NoCache,
        long: "no-cache",
        short: None,
        takes: Takes::Nothing,
        text: "Ask the server, whatever the configuration says",
    },
    OwnFlag {
        id: Own::Timeout,
        long: "timeout",
        short: None,
        takes: Takes::Value("DURATION"),
        text: "Give up on the call after this time",
    },
    OwnFlag {
        id: Own::Answer,
        long: "answer",
        short: None,
        takes: Takes::Value("NAME=VALUE"),
        text: "Answer a question that the tool asks (NAME=VALUE, a JSON object, accept or decline); repeatable",
    },
    OwnFlag {
        id: Own::Json,
        long: "json",
        short: None,
        takes: Takes::Nothing,
        text: "Print listings and help as JSON (a tool's result is never changed)",
    },
    OwnFlag {
        id: Own::Verbose,
        long: "verbose",
        short: Some('v'),
        takes: Takes::Nothing,
        text: "Say on stderr what is done; list tools with their full text",
    },
    OwnFlag {
        id: Own::Quiet,
        long: "quiet",
        short: Some('q'),
        takes: Takes::Nothing,
        text: "Say nothing on stderr",
    },
    OwnFlag {
        id: Own::Version,
        long: "version",
        short: None,
        takes: Takes::Nothing,
        text: "Print the version",
    },
    OwnFlag {
        id: Own::Help,
        long: "help",
        short: Some('h'),
        takes: Takes::Nothing,
        text: "Print help: of mcpx, of a server or of a tool",
    },
];

/// The long names: what a tool's flags cannot be called.
pub fn long_names() -> Vec<&'static str> {
    OWN_FLAGS.iter().map(|flag| flag.long).collect()
}

/// Whether a command line asks for silence, as far as can be told without knowing
/// the tool: for a client that has no daemon to ask.
pub fn quiet_words(words: &[OsString]) -> bool {
    let mut quiet = false;
    let mut has_server = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let word = word.to_string_lossy();
        match word.strip_prefix("--") {
            // After the server it is the tool's flags that follow.
            Some("") if has_server => break,
            Some("") => {}
            Some("quiet") => quiet = true,
            Some("verbose") => quiet = false,
            Some(long) => {
                let mut flags = OWN_FLAGS.iter().filter(|flag| flag.long == long);
                if flags.any(|flag| flag.takes != Takes::Nothing) {
                    words.next();
                }
            }
            None => match word.strip_prefix('-') {
                None | Some("") => has_server = true,
                Some(letters) if letters.chars().all(is_short) => {
                    let mut voices = letters
                        .chars()
                        .rev()
                        .filter(|letter| "qv".contains(*letter));
                    quiet = voices.next().map_or(quiet, |letter| letter == 'q');
                }
                Some(_) => {}
            },
        }
    }
    quiet
}

/// Whether a letter is a flag of mcpx.
pub fn is_short(letter: char) -> bool {
    OWN_FLAGS.iter().any(|flag| flag.short == Some(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_asked_for_before_the_flags_of_a_tool_alone() {
        for (line, quiet) in [
            ("-q", true),
            ("fake add --quiet", true),
            ("fake -vq add", true),
            ("-q -v fake", false),
            ("-- fake add -q", true),
            ("fake add -- -q", false),
            ("fake add --quiet=yes", false),
            ("fake add -query", false),
            ("--timeout -q fake", false),
            ("--timeout=5s -q fake", true),
            ("", false),
        ] {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            assert_eq!(quiet_words(&words), quiet, "{line}");
        }
    }
}
