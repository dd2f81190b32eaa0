//! No word that is quoted for a shell is anything but that word: a corpus of attempts
//! to break out, run through every shell that is installed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use argway_core::argv::{quoted, shell_line};
use proptest::prelude::*;

/// A file that an attempt which succeeds makes, in the shell's own folder.
const CANARY: &str = "pwned";

const ATTEMPTS: [&str; 74] = [
    "",
    " ",
    "-",
    "--",
    "-n",
    "-e \\n",
    "--help",
    "; touch pwned",
    ";touch pwned;",
    "&& touch pwned",
    "|| touch pwned",
    "| touch pwned",
    "& touch pwned",
    "\ntouch pwned\n",
    "\r\ntouch pwned\r\n",
    "$(touch pwned)",
    "`touch pwned`",
    "\"$(touch pwned)\"",
    "\"`touch pwned`\"",
    "'$(touch pwned)'",
    "'; touch pwned; '",
    "'; touch pwned #",
    "' ; touch pwned ; echo '",
    "\"; touch pwned; \"",
    "\"; touch pwned #",
    "\\'; touch pwned; \\'",
    "\\\\'; touch pwned; '",
    "'\\''; touch pwned; '\\''",
    "''; touch pwned; ''",
    "'\"'; touch pwned; '\"'",
    "'\n; touch pwned\n'",
    "$'\\x27; touch pwned; \\x27'",
    "$\"$(touch pwned)\"",
    "${IFS}touch${IFS}pwned",
    "${x:-$(touch pwned)}",
    "${x:=`touch pwned`}",
    "$((`touch pwned`))",
    "$(( a[$(touch pwned)] ))",
    "a[$(touch pwned)]",
    "<(touch pwned)",
    ">(touch pwned)",
    "> pwned",
    ">> pwned",
    ">| pwned",
    "2> pwned",
    "< /etc/passwd",
    "<<EOF\n$(touch pwned)\nEOF",
    "<<< $(touch pwned)",
    "{touch,pwned}",
    "{ touch pwned; }",
    "(touch pwned)",
    "*",
    "?",
    "[a-z]*",
    "**/*",
    "~",
    "~root",
    "~/x",
    "a=~/x",
    "=touch",
    "X=1",
    "PATH=. touch",
    "!touch",
    "!!",
    "!$",
    "^a^b",
    "# touch pwned",
    "%1",
    "if true; then touch pwned; fi",
    "() { :; }; touch pwned",
    "eval touch pwned",
    "\\",
    "\\\n",
    "\u{1b}[31m\u{7}\u{8}\u{7f}",
];

/// Single quotes where a quoter could lose count, and characters whose bytes shells
/// use among themselves.
const ODD: [&str; 16] = [
    "'",
    "''",
    "'''",
    "'a",
    "a'",
    "'\"'\"'",
    "\"",
    "\"\"",
    "\\'",
    "\\\"",
    "\t\t",
    "\n",
    "\n\n",
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}",
    "\u{1}\u{2}\u{7f}\u{ff}",
    "漢字 🦀 é\u{301}\u{2028}\u{feff}",
];

/// The shells that are there, each as the words that start it.
fn shells() -> Vec<Vec<PathBuf>> {
    let path = std::env::var_os("PATH").unwrap();
    let find = |name: &str| {
        std::env::split_paths(&path)
            .map(|folder| folder.join(name))
            .find(|file| file.is_file())
    };
    let mut shells = vec![vec![PathBuf::from("/bin/sh")]];
    for name in ["dash", "bash", "zsh", "mksh", "ksh"] {
        shells.extend(find(name).map(|file| vec![file]));
    }
    shells.extend(find("busybox").map(|file| vec![file, PathBuf::from("sh")]));
    shells
}

/// What `shell` makes of the arguments of a command line, read inside of `folder`.
fn read_back(shell: &[PathBuf], line: &str, folder: &Path) -> Vec<Vec<u8>> {
    let out = Command::new(&shell[0])
        .args(&shell[1..])
        .args(["-c", line])
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", folder)
        .output()
        .unwrap();
    assert!(
        out.stderr.is_empty(),
        "{shell:?}: {:?}",
        OsStr::from_bytes(&out.stderr)
    );
    let mut words: Vec<Vec<u8>> = out
        .stdout
        .split(|byte| *byte == 0)
        .map(<[u8]>::to_vec)
        .collect();
    assert_eq!(words.pop(), Some(Vec::new()), "{shell:?}: {line}");
    words
}

/// That every shell reads `words` back, and does nothing else.
fn survives(words: &[&str]) {
    let folder = folder();
    let expected: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    // The author's line and the caller's words behind it, as `shell true` runs them; the
    // last is what a dry run shows.
    let given = format!("printf '%s\\0' {}", quoted(words.iter().copied()));
    let through_set = format!(
        "set -- {}; printf '%s\\0' \"$@\"",
        quoted(words.iter().copied())
    );
    let print = ["printf", "%s\\0"];
    let shown = shell_line(print.iter().chain(words).copied());
    for shell in shells() {
        for line in [&given, &through_set, &shown] {
            assert_eq!(
                read_back(&shell, line, &folder),
                expected,
                "{shell:?}: {line}"
            );
        }
        let left: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
        assert!(left.is_empty(), "{shell:?} made {left:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// An empty folder that nobody else uses.
fn folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("argway-injection-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir(&folder).unwrap();
    folder
}

#[test]
fn no_attempt_is_anything_but_a_word_in_any_shell() {
    for attempt in ATTEMPTS.iter().chain(&ODD) {
        survives(&[attempt]);
    }
}

#[test]
fn attempts_do_not_help_each_other() {
    let all: Vec<&str> = ATTEMPTS.iter().chain(&ODD).copied().collect();
    survives(&all);
    let turned: Vec<&str> = all.iter().rev().copied().collect();
    survives(&turned);
}

/// The corpus must be able to fail: without quotes it breaks out.
#[test]
fn the_same_words_without_quotes_do_break_out() {
    let folder = folder();
    let mut out = 0;
    for attempt in ATTEMPTS {
        let line = format!("printf '%s\\0' {attempt}");
        let status = Command::new("/bin/sh")
            .args(["-c", &line])
            .current_dir(&folder)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &folder)
            .stdin(std::process::Stdio::null())
            .output();
        status.unwrap();
        if std::fs::remove_file(folder.join(CANARY)).is_ok() {
            out += 1;
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(out >= 20, "only {out} of the attempts are any");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_words_come_back(words in proptest::collection::vec("[^\0]{0,10}|[ '\"\\\\$`;\n!-]{0,8}", 1..6)) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        survives(&words);
    }
}
