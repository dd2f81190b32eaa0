//! What an attack is told, and how it tells what came of it.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

use rustix::io::Errno;

/// An attack: what it achieved, or what stopped it.
pub type Attack = fn(&Words) -> io::Result<String>;

/// The code of a call that makes no sense, so that it never looks like a blocked attack.
const MISUSED: u8 = 64;

/// Errors that say that the thing to attack is not there at all.
const NOTHING: [Errno; 8] = [
    Errno::NOENT,
    Errno::NOSYS,
    Errno::NODEV,
    Errno::NXIO,
    Errno::AFNOSUPPORT,
    Errno::PROTONOSUPPORT,
    Errno::SOCKTNOSUPPORT,
    Errno::OPNOTSUPP,
];

/// The words after `attack`.
pub struct Words(Vec<String>);

impl Words {
    pub fn from_command_line() -> Self {
        Self(std::env::args().skip(1).collect())
    }

    pub fn name(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// The word at this place after the name.
    pub fn text(&self, place: usize) -> &str {
        match self.0.get(place + 1) {
            Some(word) => word,
            None => end(&format!("`{}` needs {} words", self.name(), place + 1)),
        }
    }

    pub fn path(&self, place: usize) -> &Path {
        Path::new(self.text(place))
    }

    pub fn number<T: FromStr>(&self, place: usize) -> T {
        let word = self.text(place);
        word.parse()
            .unwrap_or_else(|_| end(&format!("`{word}` is not such a number")))
    }

    pub fn from(&self, place: usize) -> &[String] {
        self.0.get(place + 1..).unwrap_or_default()
    }
}

/// Says what came of an attack.
pub fn tell(result: io::Result<String>) -> ExitCode {
    let (code, line) = match result {
        Ok(what) => (0, format!("works: {what}")),
        Err(error) if nothing(&error) => (2, format!("n/a: {error}")),
        Err(error) => (1, format!("blocked: {error}")),
    };
    say(&line);
    ExitCode::from(code)
}

/// A line on stdout, at once.
pub fn say(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

pub fn misused(what: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "attack: {what}");
    ExitCode::from(MISUSED)
}

fn end(what: &str) -> ! {
    let _ = misused(what);
    std::process::exit(i32::from(MISUSED))
}

fn nothing(error: &io::Error) -> bool {
    error
        .raw_os_error()
        .is_some_and(|number| NOTHING.contains(&Errno::from_raw_os_error(number)))
}
