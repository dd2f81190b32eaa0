//! The completion scripts in the shells that they are for: lines are typed into a real
//! shell on a terminal, with the Tab key, and what the shell runs in the end is told by
//! a program that stands for mcpx.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// What the shells print when they wait for a line.
const PROMPT: &str = "READY>";

/// Answers `__complete` as the daemon would, for a server with one tool; otherwise writes
/// down what it was called with.
const STAND_IN: &str = r#"#!/bin/sh
if [ "$1" != __complete ]; then
    { printf '<%s>' "$@"; echo; } >> "$WORLD/ran"
    exit
fi
shift 2
{ printf '<%s>' "$@"; echo; } >> "$WORLD/asked"
before=
for word in "$@"; do
    [ "$#" -gt 1 ] && before=$word && shift && continue
done
offer() {
    case $1 in "$word"*) printf '%s\t%s\n' "$1" "$2" ;; esac
}
case $before in
    '') offer fake 'A server: of tests'; offer we:ird 'With a colon'; offer 'two words' 'With a space' ;;
    fake | 'two words') offer list "Lists 'things'"; offer 'cost$' '' ;;
    --sort) offer desc ''; offer 'as is' '' ;;
    *)
        offer --sort= 'Order'; offer --all 'All of them'; offer --title= 'Text'
        case $word in --sort=*)
            offer --sort=desc ''; offer '--sort=as is' ''; offer '--sort=we:ird' '' ;;
        esac ;;
esac
"#;

/// What is typed, and what the shell runs.
const LINES: [(&str, &str); 17] = [
    ("mcpx fa\t", "<fake>"),
    ("./mcpx fa\t", "<fake>"),
    ("~/mcpx fa\t", "<fake>"),
    ("mcpx zz\t", "<zz>"),
    ("mcpx we\t", "<we:ird>"),
    ("mcpx we:\t", "<we:ird>"),
    ("mcpx tw\t", "<two words>"),
    ("mcpx tw\tli\t", "<two words><list>"),
    ("mcpx fake li\t--al\t", "<fake><list><--all>"),
    ("mcpx fake co\t", "<fake><cost$>"),
    ("mcpx fake list --so\tde\t", "<fake><list><--sort=desc>"),
    ("mcpx fake list --sort=as\t", "<fake><list><--sort=as is>"),
    ("mcpx fake list --sort=we:\t", "<fake><list><--sort=we:ird>"),
    ("mcpx fake list --sort de\t", "<fake><list><--sort><desc>"),
    (
        "mcpx fake list --title='a b' --so\tde\t",
        "<fake><list><--title=a b><--sort=desc>",
    ),
    ("mcpx fake list --sort='as\t", "<fake><list><--sort=as is>"),
    (
        "mcpx fake list --title=./dat\t",
        "<fake><list><--title=./data.txt>",
    ),
];

/// A shell on a terminal.
struct Typist {
    folder: tempfile::TempDir,
    shell: Child,
    keys: ChildStdin,
    screen: Receiver<Vec<u8>>,
    seen: String,
    deadline: Instant,
}

impl Typist {
    /// Starts `shell`, which is in the Debian package of the same name.
    fn at(shell: &str, start: &str, setup: &str) -> Self {
        for program in [shell, "script"] {
            let found = Command::new("sh")
                .args(["-c", &format!("command -v {program}")])
                .output();
            let package = if program == "script" {
                "bsdutils"
            } else {
                program
            };
            assert!(
                found.unwrap().status.success(),
                "this test needs {program}: install the package {package}"
            );
        }
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("mcpx");
        fs::write(&program, STAND_IN).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(folder.path().join("data.txt"), "").unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut shell = Command::new("script")
            .args(["-qefc", start, "/dev/null"])
            .env_clear()
            .env("PATH", format!("{}:{path}", folder.path().display()))
            .env("WORLD", folder.path())
            .env("HOME", folder.path())
            .env("TERM", "dumb")
            .env("LC_ALL", "C.UTF-8")
            .env("SHELL", "/bin/sh")
            .env("SCRIPT", script(shell))
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let keys = shell.stdin.take().unwrap();
        let mut output = shell.stdout.take().unwrap();
        let (send, screen) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(size @ 1..) = output.read(&mut buffer) {
                if send.send(buffer[..size].to_vec()).is_err() {
                    break;
                }
            }
        });
        let mut typist = Self {
            folder,
            shell,
            keys,
            screen,
            seen: String::new(),
            deadline: Instant::now() + Duration::from_secs(30),
        };
        typist.press(&format!("{setup}\r"));
        typist.wait_for("SET UP");
        typist.wait_for(PROMPT);
        typist
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until `text` is on the screen, and forgets it and what came before.
    fn wait_for(&mut self, text: &str) {
        self.wait_until(|seen| seen.contains(text));
        let at = self.seen.find(text).unwrap_or_default();
        self.seen.drain(..at + text.len());
    }

    fn wait_until(&mut self, done: impl Fn(&str) -> bool) {
        while !done(&self.seen) {
            let left = self.deadline.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("waited in vain; the screen shows {:?}", self.seen),
            }
        }
    }

    /// Types a line with its tabs, and tells what the shell ran.
    fn ran(&mut self, line: &str) -> String {
        let before = self.told("ran").len();
        self.press(&format!("{line}\r"));
        while self.told("ran").len() == before {
            let rest: Vec<Vec<u8>> = self.screen.try_iter().collect();
            self.seen.push_str(&String::from_utf8_lossy(&rest.concat()));
            assert!(
                Instant::now() < self.deadline,
                "{line:?} ran nothing: {:?}",
                self.seen
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        self.wait_for(PROMPT);
        self.told("ran")[before..].join(" ")
    }

    fn told(&self, file: &str) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join(file)).unwrap_or_default();
        text.split_inclusive('\n')
            .filter_map(|line| line.strip_suffix('\n'))
            .map(str::to_owned)
            .collect()
    }
}

impl Drop for Typist {
    fn drop(&mut self) {
        let _ = self.keys.write_all(b"\x03exit\r");
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

fn script(shell: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/daemon/complete");
    folder.join(format!("mcpx.{shell}"))
}

/// Types every line, and tells those that came out wrong.
#[track_caller]
fn check(mut typist: Typist) {
    let mut wrong = Vec::new();
    for (line, expected) in LINES {
        let ran = typist.ran(line);
        if ran != expected {
            wrong.push(format!("{line:?} ran {ran}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Words reach mcpx as the shell would give them, quotes and all taken away.
    let asked = typist.told("asked");
    assert!(
        asked.contains(&"<fake><list><--title=a b><--so>".to_owned()),
        "{asked:#?}"
    );
}

fn bash(setup: &str) -> Typist {
    let setup = format!(
        r#"PS1='READY> '; bind 'set enable-bracketed-paste off'; {setup} source "$SCRIPT"; echo SET'' UP"#
    );
    Typist::at("bash", "bash --norc --noprofile -i", &setup)
}

fn zsh(setup: &str) -> Typist {
    let setup = format!(
        "PS1='READY> '; unset zle_bracketed_paste; autoload -Uz compinit; {setup}; echo SET'' UP"
    );
    Typist::at("zsh", "zsh -f -i", &setup)
}

fn fish() -> Typist {
    let setup = "function fish_prompt; echo 'READY> '; end; source $SCRIPT; echo SET'' UP";
    Typist::at("fish", "fish --no-config -i", setup)
}

#[test]
fn bash_completes_what_is_typed() {
    check(bash(""));
}

#[test]
fn bash_completes_whatever_it_cuts_words_at() {
    check(bash("COMP_WORDBREAKS=${COMP_WORDBREAKS//[=:]};"));
}

#[test]
fn zsh_completes_what_is_typed() {
    check(zsh(r#"compinit -u -D; source "$SCRIPT""#));
}

#[test]
fn zsh_finds_the_script_among_its_functions() {
    check(zsh(
        r#"mkdir f; cp "$SCRIPT" f/_mcpx; fpath=($PWD/f $fpath); compinit -u -D"#,
    ));
}

#[test]
fn zsh_tells_what_the_words_are() {
    let mut typist = zsh(r#"compinit -u -D; source "$SCRIPT""#);
    typist.press("mcpx \t");
    let all = ["A server: of tests", "With a space", "With a colon"];
    typist.wait_until(|seen| all.iter().all(|text| seen.contains(text)));
}

#[test]
fn fish_completes_what_is_typed() {
    check(fish());
}

#[test]
fn fish_tells_what_the_words_are() {
    let mut typist = fish();
    typist.press("complete -C 'mcpx f' | string replace \\t ' is '\r");
    typist.wait_for("fake is A server: of tests");
}
