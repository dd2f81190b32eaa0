//! Notices that a command wanted to ask somebody something, and says what to
//! pass so that it need not.

use std::collections::BTreeSet;

use crate::catalog::Tool;
use crate::model::Param;

/// What a command wanted from the terminal it did not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A yes or a no.
    Confirmation,
    /// A password, a token or the like.
    Secret,
    /// An answer of another kind, or a terminal as such.
    Terminal,
}

/// Endings of a line that wait for yes or no, in lower case.
const CONFIRMATIONS: &[&str] = &[
    "(y/n)",
    "[y/n]",
    "(yes/no)",
    "[yes/no]",
    "(y|n)",
    "[y|n]",
    "y/n",
    "yes/no",
    "(yes/no/[fingerprint])",
    "[y/n/a/q]",
    "[y/n/q]",
];

/// Words of a line that waits for a secret.
const SECRETS: &[&str] = &[
    "password",
    "passphrase",
    "token",
    "secret",
    "pin",
    "passcode",
    "otp",
];

/// What programs say when they need a terminal, in lower case.
const COMPLAINTS: &[&str] = &[
    "not a terminal",
    "not a tty",
    "not a console",
    "non tty",
    "non-tty",
    "no tty present",
    "cannot prompt",
    "can't prompt",
    "could not prompt",
    "unable to prompt",
    "prompts disabled",
    "terminal prompts disabled",
    "inappropriate ioctl for device",
    "/dev/tty",
    "device not configured",
    "not running interactively",
    "non-interactive mode",
    "noninteractive mode",
    "requires an interactive",
    "requires a terminal",
    "requires a tty",
    "must be run interactively",
    "interactive terminal",
    "is an interactive command",
    "an interactive login",
    "password from stdin",
    "empty password",
    "a terminal is required",
];

/// What a run wanted, going by the text it ended with.
pub(super) fn wanted(stdout: &str, stderr: &str) -> Option<Wanted> {
    let asked = [stderr, stdout].into_iter().find_map(asked);
    let complained = || {
        let said = stderr.to_lowercase();
        let complaint = COMPLAINTS.iter().any(|complaint| said.contains(complaint));
        complaint.then(
            || match SECRETS.iter().any(|secret| has_word(&said, secret)) {
                true => Wanted::Secret,
                false => Wanted::Terminal,
            },
        )
    };
    asked.or_else(complained)
}

/// What the last line of a stream asks for. A question that somebody answered
/// has its line ended; one at the end of a file often gets a newline from the
/// program that gives up, so that both count for yes-or-no questions.
fn asked(text: &str) -> Option<Wanted> {
    let unfinished = !text.ends_with('\n');
    let last = text.trim_end().lines().next_back()?.trim().to_lowercase();
    let bare = last.trim_end_matches([':', '?', '>', ' ', '.']);
    if CONFIRMATIONS.iter().any(|mark| bare.ends_with(mark)) {
        return Some(Wanted::Confirmation);
    }
    let waits = unfinished && last.ends_with([':', '?', '>']) && last.len() < 200;
    if !waits {
        return None;
    }
    if SECRETS.iter().any(|secret| has_word(&last, secret)) {
        return Some(Wanted::Secret);
    }
    let sure = ["are you sure", "continue?", "proceed?", "confirm"];
    if sure.iter().any(|words| last.contains(words)) {
        return Some(Wanted::Confirmation);
    }
    Some(Wanted::Terminal)
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|part| part == word)
}

/// A sentence on what the command wanted and what of `tool` answers it. `said`
/// is what it printed: flags named there come first.
pub(super) fn advice(wanted: Wanted, tool: &Tool, said: &str) -> String {
    let what = match wanted {
        Wanted::Confirmation => "The command asked for a confirmation",
        Wanted::Secret => "The command asked for a password or another secret",
        Wanted::Terminal => "The command wanted to ask something on a terminal",
    };
    let mut seen = BTreeSet::new();
    let flags: Vec<&Param> = tool.flags.iter().chain(tool.inherited.iter()).collect();
    let named = named_in(said);
    let named = flags
        .iter()
        .filter(|flag| named.contains(flag.name.as_str()));
    let fitting = flags.iter().filter(|flag| fits(wanted, flag));
    let answers: Vec<String> = named
        .chain(fitting)
        .filter(|flag| !is_interactive(flag) && seen.insert(flag.name.as_str()))
        .take(8)
        .map(|flag| format!("`{}`", spelled(flag)))
        .collect();
    let unwanted: Vec<String> = flags
        .iter()
        .filter(|flag| wanted == Wanted::Terminal && is_interactive(flag))
        .map(|flag| format!("`{}`", spelled(flag)))
        .collect();
    let mut sentence = format!("{what}, and there is none here.");
    if wanted == Wanted::Confirmation || wanted == Wanted::Secret {
        sentence = format!("{what}, and nobody is here to answer.");
    }
    match answers.as_slice() {
        [] => sentence.push_str(" Give everything that it asks for as arguments."),
        [one] => sentence.push_str(&format!(" Pass {one} instead.")),
        [several @ .., last] => {
            let several = several.join(", ");
            sentence.push_str(&format!(" Pass what it needs with {several} or {last}."));
        }
    }
    if !unwanted.is_empty() {
        sentence.push_str(&format!(" Leave out {}.", unwanted.join(" and ")));
    }
    sentence
}

/// Long flag names that a text mentions: `--title` gives `title`.
fn named_in(text: &str) -> BTreeSet<&str> {
    text.split("--")
        .skip(1)
        .filter_map(|rest| {
            let end = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
                .unwrap_or(rest.len());
            let name = rest[..end].trim_end_matches('-');
            (name.len() > 1).then_some(name)
        })
        .collect()
}

fn fits(wanted: Wanted, flag: &Param) -> bool {
    let name = flag.name.as_str();
    let silences = matches!(
        name,
        "no-input"
            | "no-prompt"
            | "no-prompts"
            | "noprompt"
            | "no-interactive"
            | "no-interaction"
            | "non-interactive"
            | "noninteractive"
            | "batch"
            | "disable-prompts"
            | "skip-prompt"
            | "skip-prompts"
            | "no-ask"
    );
    let agrees = matches!(
        name,
        "yes"
            | "y"
            | "assume-yes"
            | "assumeyes"
            | "force"
            | "confirm"
            | "no-confirm"
            | "noconfirm"
            | "auto-approve"
            | "autoapprove"
            | "approve"
            | "auto-confirm"
            | "skip-confirm"
            | "skip-confirmation"
            | "skip-confirmations"
            | "accept"
            | "agree"
            | "no-dry-run"
    );
    let parts: Vec<&str> = name.split('-').collect();
    let secret = [
        "password",
        "passphrase",
        "token",
        "secret",
        "username",
        "user",
        "pin",
        "otp",
    ]
    .iter()
    .any(|part| parts.contains(part));
    match wanted {
        Wanted::Confirmation => agrees || silences,
        Wanted::Secret => secret || silences,
        Wanted::Terminal => silences || agrees || flag.required,
    }
}

/// A flag that asks for a terminal.
fn is_interactive(flag: &Param) -> bool {
    matches!(
        flag.name.as_str(),
        "tty" | "interactive" | "edit" | "editor"
    )
}

fn spelled(flag: &Param) -> &str {
    flag.spelling()
        .and_then(|spelling| spelling.long.as_deref().or(spelling.short.as_deref()))
        .unwrap_or(&flag.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_at_the_end_are_noticed() {
        for (text, expected) in [
            (
                "Are you sure you want to continue? [y/N] ",
                Wanted::Confirmation,
            ),
            ("Delete 3 files? (y/n)", Wanted::Confirmation),
            ("Proceed (yes/no)? \n", Wanted::Confirmation),
            ("This is final.\nContinue? ", Wanted::Confirmation),
            ("Password: ", Wanted::Secret),
            (
                "Enter passphrase for key '/home/x/.ssh/id_rsa': ",
                Wanted::Secret,
            ),
            ("Username for 'https://github.com': ", Wanted::Terminal),
        ] {
            assert_eq!(wanted(text, ""), Some(expected), "{text}");
            assert_eq!(wanted("", text), Some(expected), "{text}");
        }
    }

    #[test]
    fn complaints_about_a_missing_terminal_are_noticed() {
        for (text, expected) in [
            ("the input device is not a TTY\n", Wanted::Terminal),
            (
                "fatal: could not read Username for 'https://x': terminal prompts disabled\n",
                Wanted::Terminal,
            ),
            (
                "fatal: could not read Password for 'https://x': No such device or address /dev/tty\n",
                Wanted::Secret,
            ),
            (
                "Error: failed to read password: inappropriate ioctl for device\n",
                Wanted::Secret,
            ),
            (
                "hcloud: context create is an interactive command\n",
                Wanted::Terminal,
            ),
            (
                "Error: Cannot perform an interactive login from a non TTY device\n",
                Wanted::Terminal,
            ),
            (
                "Fatal: an empty password is not a password\nreading repository password from stdin\n",
                Wanted::Secret,
            ),
            (
                "must provide `--title` and `--body` when not running interactively\n",
                Wanted::Terminal,
            ),
        ] {
            assert_eq!(wanted("", text), Some(expected), "{text}");
        }
    }

    #[test]
    fn ordinary_output_asks_nothing() {
        for text in [
            "",
            "done\n",
            "Error: no such container: x\n",
            "The password is wrong.\n",
            "Files:\n",
            "What is new? Read on.\n",
            "name:\n  value\n",
        ] {
            assert_eq!(wanted(text, text), None, "{text}");
        }
    }

    #[test]
    fn flags_are_found_in_sentences() {
        let names = named_in("use --title, `--body-file` or --fill- but not -- or -x (--web)");
        assert_eq!(
            names.into_iter().collect::<Vec<_>>(),
            ["body-file", "fill", "title", "web"]
        );
    }
}
