//! Asks the person at the terminal for a line.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

use super::relay::write_all;
use super::system;
use crate::exit::Failure;

const LONGEST_LINE: usize = 16 << 10;

/// What the person said.
pub enum Said {
    /// A line, without its end; nothing at end of file.
    Line(Option<String>),
    /// The daemon hung up while we waited: nobody wants the answer any more.
    Interrupted,
}

/// Prints a question and reads the answer, past whatever stdin and stdout are.
pub fn ask(question: &str, secret: bool, daemon: BorrowedFd<'_>) -> Result<Said, Failure> {
    let terminal = File::options().read(true).write(true).open("/dev/tty");
    let (stdin, stderr) = (io::stdin(), io::stderr());
    let (input, output) = match &terminal {
        Ok(terminal) => (terminal.as_fd(), terminal.as_fd()),
        Err(_) => (stdin.as_fd(), stderr.as_fd()),
    };
    let said = write_all(output, question.as_bytes()).and_then(|()| match secret {
        true => unseen(input, output, daemon),
        false => line(input, output, daemon),
    });
    said.map_err(|error| system("asking at the terminal", error))
}

/// One byte of the person's; nothing at end of file.
enum Key {
    Byte(u8),
    End,
    Interrupted,
}

fn key(input: BorrowedFd<'_>, daemon: BorrowedFd<'_>) -> Result<Key, Errno> {
    loop {
        let mut waiting = [
            PollFd::from_borrowed_fd(input, PollFlags::IN),
            // Only its end is of interest, which is always told.
            PollFd::from_borrowed_fd(daemon, PollFlags::empty()),
        ];
        match poll(&mut waiting, None) {
            Ok(_) if !waiting[1].revents().is_empty() => return Ok(Key::Interrupted),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        let mut byte = [0];
        match rustix::io::read(input, &mut byte) {
            Ok(0) => return Ok(Key::End),
            Ok(_) => return Ok(Key::Byte(byte[0])),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error),
        }
    }
}

fn line(
    input: BorrowedFd<'_>,
    output: BorrowedFd<'_>,
    daemon: BorrowedFd<'_>,
) -> Result<Said, Errno> {
    let mut typed = Vec::new();
    let said = loop {
        match key(input, daemon)? {
            Key::Byte(b'\n') => return Ok(answer(typed)),
            Key::Byte(_) if typed.len() == LONGEST_LINE => return Err(Errno::TOOBIG),
            Key::Byte(byte) => typed.push(byte),
            Key::End if typed.is_empty() => break Said::Line(None),
            Key::End => break answer(typed),
            Key::Interrupted => break Said::Interrupted,
        }
    };
    // The person ended no line, and what is said next begins one.
    write_all(output, b"\n")?;
    Ok(said)
}

fn answer(mut typed: Vec<u8>) -> Said {
    if typed.last() == Some(&b'\r') {
        typed.pop();
    }
    Said::Line(Some(String::from_utf8_lossy(&typed).into_owned()))
}

/// A line that the terminal does not show. Keys come one by one, Ctrl-C among them: the
/// terminal is as it was before this process ends.
fn unseen(
    input: BorrowedFd<'_>,
    output: BorrowedFd<'_>,
    daemon: BorrowedFd<'_>,
) -> Result<Said, Errno> {
    let Some(hidden) = Hidden::begin(input) else {
        return line(input, output, daemon);
    };
    let mut typed = Vec::new();
    let said = loop {
        match key(input, daemon)? {
            Key::Byte(b'\n' | b'\r') => break answer(typed),
            Key::Byte(CTRL_D) | Key::End if typed.is_empty() => break Said::Line(None),
            Key::Byte(CTRL_D) | Key::End => break answer(typed),
            Key::Byte(CTRL_C | CTRL_BACKSLASH) => {
                drop(hidden);
                _ = write_all(output, b"\n");
                let own = rustix::process::getpid();
                _ = rustix::process::kill_process(own, rustix::process::Signal::INT);
                return Ok(Said::Interrupted);
            }
            Key::Byte(CTRL_U) => typed.clear(),
            Key::Byte(BACKSPACE | DELETE) => erase(&mut typed),
            Key::Byte(_) if typed.len() == LONGEST_LINE => return Err(Errno::TOOBIG),
            Key::Byte(byte) => typed.push(byte),
            Key::Interrupted => break Said::Interrupted,
        }
    };
    // The person's own was not shown.
    write_all(output, b"\n")?;
    Ok(said)
}

const CTRL_C: u8 = 0x03;
const CTRL_D: u8 = 0x04;
const CTRL_U: u8 = 0x15;
const CTRL_BACKSLASH: u8 = 0x1c;
const BACKSPACE: u8 = 0x08;
const DELETE: u8 = 0x7f;

/// Takes the last character away, however many bytes it has.
fn erase(typed: &mut Vec<u8>) {
    while let Some(byte) = typed.pop() {
        if byte & 0b1100_0000 != 0b1000_0000 {
            return;
        }
    }
}

/// A terminal that shows nothing, until this is dropped.
struct Hidden<'a> {
    terminal: BorrowedFd<'a>,
    before: Termios,
}

impl<'a> Hidden<'a> {
    /// Nothing if it is no terminal.
    fn begin(terminal: BorrowedFd<'a>) -> Option<Self> {
        let before = tcgetattr(terminal).ok()?;
        let mut hidden = before.clone();
        hidden.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        hidden.special_codes[SpecialCodeIndex::VMIN] = 1;
        hidden.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(terminal, OptionalActions::Now, &hidden).ok()?;
        Some(Self { terminal, before })
    }
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        _ = tcsetattr(self.terminal, OptionalActions::Now, &self.before);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use super::*;

    /// What was said, and what was printed beside.
    fn typed(keys: &str) -> (Said, String) {
        let (daemon, _other_end) = UnixStream::pair().unwrap();
        let (input, mut writer) = io::pipe().unwrap();
        writer.write_all(keys.as_bytes()).unwrap();
        drop(writer);
        let (printed, output) = io::pipe().unwrap();
        let said = line(input.as_fd(), output.as_fd(), daemon.as_fd()).unwrap();
        drop(output);
        (said, io::read_to_string(printed).unwrap())
    }

    #[test]
    fn a_line_ends_with_its_end_or_with_the_file() {
        for (keys, expected, printed) in [
            ("yes\nmore\n", Some("yes"), ""),
            ("yes\r\n", Some("yes"), ""),
            ("yes", Some("yes"), "\n"),
            ("\n", Some(""), ""),
            ("", None, "\n"),
        ] {
            let (Said::Line(line), beside) = typed(keys) else {
                panic!("{keys:?} was interrupted");
            };
            assert_eq!(line.as_deref(), expected, "{keys:?}");
            assert_eq!(
                beside, printed,
                "the line after {keys:?} begins at its beginning"
            );
        }
    }

    #[test]
    fn nobody_waits_for_a_person_when_the_daemon_is_gone() {
        let (daemon, other_end) = UnixStream::pair().unwrap();
        drop(other_end);
        let (input, _open_and_silent) = io::pipe().unwrap();
        let (_printed, output) = io::pipe().unwrap();
        let said = line(input.as_fd(), output.as_fd(), daemon.as_fd()).unwrap();
        assert!(matches!(said, Said::Interrupted));
    }

    #[test]
    fn a_character_is_erased_whole() {
        let mut typed = "aß".as_bytes().to_vec();
        erase(&mut typed);
        assert_eq!(typed, b"a");
        erase(&mut typed);
        erase(&mut typed);
        assert!(typed.is_empty());
    }
}
