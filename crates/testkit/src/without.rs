//! Runs a command on a system that lacks something.
//!
//! `without LACK… -- COMMAND [WORD…]` takes each of these away for real, in this process,
//! and becomes the command: what a kernel does not have or a container forbids is refused
//! by a filter of system calls, what is not in a file system is covered. Exits with 125
//! where it cannot be taken away here.

#[cfg(target_os = "linux")]
#[path = "without/calls.rs"]
mod calls;
#[cfg(target_os = "linux")]
#[path = "without/places.rs"]
mod places;
#[cfg(target_os = "linux")]
#[path = "attack/sys.rs"]
#[allow(
    dead_code,
    reason = "the attacker's calls; a part of them is used here"
)]
mod sys;

use std::process::ExitCode;

/// It could not be taken away, or nobody knows what that is.
const UNABLE: u8 = 125;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    use std::io::Write;
    let Err(error) = linux::run();
    let _ = writeln!(std::io::stderr(), "without: {error}");
    ExitCode::from(UNABLE)
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::from(UNABLE)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::convert::Infallible;
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use rustix::process::{Resource, Rlimit, setrlimit};

    use crate::{calls, places};

    /// Becomes the command; comes back only with the reason why not.
    pub fn run() -> io::Result<Infallible> {
        let mut words = std::env::args_os().skip(1);
        let mut lacks = Vec::new();
        for word in words.by_ref().take_while(|word| word != "--") {
            let word = word.into_string().map_err(|_| unknown("what is no text"))?;
            lacks.push(word);
        }
        let program = words.next().ok_or_else(|| unknown("no command"))?;
        let mut filters = Vec::new();
        for lack in &lacks {
            let name = lack.as_str();
            if let Some(filter) = calls::filter(name) {
                filters.push(filter);
            } else if !places::take_away(name)? && !bound(name)? {
                return Err(unknown(name));
            }
        }
        // Last: what was done until here needs the calls.
        calls::install(filters)?;
        Err(Command::new(program).args(words).exec())
    }

    fn unknown(what: &str) -> io::Error {
        io::Error::other(format!("{what}: see the table in its source"))
    }

    /// `descriptors=N`, `processes=N`: only so many.
    fn bound(name: &str) -> io::Result<bool> {
        let Some((name, number)) = name.split_once('=') else {
            return Ok(false);
        };
        let number = number.parse().map_err(io::Error::other)?;
        let resource = match name {
            "descriptors" => Resource::Nofile,
            "processes" => Resource::Nproc,
            _ => return Ok(false),
        };
        let limit = Rlimit {
            current: Some(number),
            maximum: Some(number),
        };
        setrlimit(resource, limit)?;
        Ok(true)
    }
}
