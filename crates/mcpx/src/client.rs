//! The client: blocking, without an async runtime, because its start is what a user
//! waits for at every call.
//!
//! It reads no configuration and understands no words: it reaches the daemon
//! ([`connect`]), says how it was called, and is the daemon's terminal ([`relay`]).

mod connect;
mod inherited;
mod person;
mod relay;
mod start;
mod stdin;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use crate::daemon::help;
use crate::exit::{Exit, Failure};
use crate::own_flags::quiet_words;
use crate::paths::{Environment, Places};
use crate::wire::{self, Invocation, ToDaemon};

/// Runs one command.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let quiet = quiet_words(&words);
    let ended = match alone(&words) {
        Some(text) => relay::print(text.as_bytes()),
        None => through_the_daemon(words),
    };
    let code = ended.unwrap_or_else(|failure| {
        if !quiet {
            relay::complain(&failure);
        }
        failure.exit().code()
    });
    ExitCode::from(code)
}

/// What is answered without a daemon.
fn alone(words: &[OsString]) -> Option<String> {
    let [word] = words else {
        return None;
    };
    match word.to_str()? {
        "--version" => Some(help::version()),
        "--help" | "-h" => Some(help::root(page_width())),
        _ => None,
    }
}

/// The width of a terminal on stdout; without one, no line is broken.
fn page_width() -> usize {
    match io::stdout().is_terminal() {
        true => columns().map_or(80, usize::from),
        false => 0,
    }
}

fn through_the_daemon(words: Vec<OsString>) -> Result<u8, Failure> {
    let environment = Environment::own();
    let places = Places::of(&environment).map_err(Failure::System)?;
    let folder = std::env::current_dir()
        .map_err(|error| system("the working folder cannot be used", error))?;
    let (stdout_is_terminal, stderr_is_terminal) =
        (io::stdout().is_terminal(), io::stderr().is_terminal());
    let invocation = ToDaemon::Invocation(Box::new(Invocation {
        words,
        folder,
        environment,
        stdin: stdin::kind(),
        stdout_is_terminal,
        stderr_is_terminal,
        columns: match stdout_is_terminal || stderr_is_terminal {
            true => columns(),
            false => None,
        },
    }));
    let mut frame = Vec::with_capacity(8 << 10);
    wire::append(&mut frame, &invocation).map_err(|_| {
        let rule = "the command line and the environment are too long: they may have 8 MiB";
        Failure::Usage(format!("{rule}; give a long value on stdin"))
    })?;
    connect::run(&places, &frame)
}

/// The width of the terminal that somebody reads.
fn columns() -> Option<u16> {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    let size = size.or_else(|_| rustix::termios::tcgetwinsize(io::stderr()));
    size.ok().map(|size| size.ws_col).filter(|wide| *wide > 0)
}

/// A failure of this machine, and what was being done.
fn system(what: impl std::fmt::Display, error: impl std::fmt::Display) -> Failure {
    Failure::System(format!("{what}: {error}"))
}

/// The exit of a command whose reader went away: it has what it wanted.
const READER_LEFT: Exit = Exit::Success;

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn the_version_and_the_root_help_need_no_daemon() {
        assert_eq!(alone(&words(&["--version"])), Some(help::version()));
        assert_eq!(alone(&words(&["--help"])), Some(help::root(page_width())));
        assert!(alone(&words(&["--version", "-v"])).is_none());
        assert!(alone(&words(&["fake", "--help"])).is_none());
        assert!(alone(&words(&[])).is_none());
    }
}
