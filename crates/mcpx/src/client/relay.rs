//! Is the daemon's terminal: prints what it says, reads what it asks for. The only file of the client that prints.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::connect::{Conversation, hung_up};
use super::stdin::Taken;
use super::{READER_LEFT, person, stdin, system};
use crate::exit::{Exit, Failure};
use crate::wire::{self, ToClient, ToDaemon, WireError};

/// How a conversation ended.
pub enum Ended {
    /// The daemon's last word.
    Exit(u8),
    /// The daemon did nothing and wants another to be started.
    Refused,
    /// The daemon was gone without a last word.
    Lost,
}

/// Prints and answers until the daemon says how the command ends.
pub fn run(conversation: &mut Conversation) -> Result<Ended, Failure> {
    let mut first = true;
    loop {
        let message = match wire::read(&mut conversation.stream) {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(Ended::Lost),
            Err(WireError::Io(error)) if hung_up(&error) => return Ok(Ended::Lost),
            Err(error) => return Err(system("hearing the daemon", error)),
        };
        match message {
            ToClient::Stdout(output) => match write_all(io::stdout().as_fd(), &output) {
                Ok(()) => {}
                Err(Errno::PIPE) => return Ok(Ended::Exit(READER_LEFT.code())),
                Err(error) => return Err(system("writing to stdout", error)),
            },
            // Nobody could be told.
            ToClient::Stderr(output) => _ = write_all(io::stderr().as_fd(), &output),
            ToClient::ReadStdin(wish) => {
                let watched = conversation.stream.get_ref().as_fd();
                match stdin::take(wish, watched)? {
                    Taken::Data(data) => answer(conversation, &ToDaemon::Stdin(data))?,
                    Taken::Interrupted => {}
                }
            }
            ToClient::Ask { question, secret } => {
                let watched = conversation.stream.get_ref().as_fd();
                match person::ask(&question, secret, watched)? {
                    person::Said::Line(line) => answer(conversation, &ToDaemon::Answer(line))?,
                    person::Said::Interrupted => {}
                }
            }
            ToClient::Exit(code) => return Ok(Ended::Exit(code)),
            ToClient::Refused(_) if first => return Ok(Ended::Refused),
            ToClient::Refused(_) | ToClient::Greeting { .. } => {
                return Err(Failure::System("the daemon lost its thread".into()));
            }
        }
        first = false;
    }
}

fn answer(conversation: &mut Conversation, message: &ToDaemon) -> Result<(), Failure> {
    let mut frame = Vec::new();
    wire::append(&mut frame, message).map_err(|error| system("answering the daemon", error))?;
    match conversation.stream.get_mut().write_all(&frame) {
        // It is gone, or wants no answer any more: its last words tell.
        Err(error) if hung_up(&error) => Ok(()),
        said => said.map_err(|error| system("answering the daemon", error)),
    }
}

/// Prints what needs no daemon; gives the exit code.
pub fn print(text: &[u8]) -> Result<u8, Failure> {
    match write_all(io::stdout().as_fd(), text) {
        Ok(()) | Err(Errno::PIPE) => Ok(Exit::Success.code()),
        Err(error) => Err(system("writing to stdout", error)),
    }
}

/// Says what went wrong, on stderr.
pub fn complain(failure: &Failure) {
    _ = write_all(
        io::stderr().as_fd(),
        format!("mcpx: {failure}\n").as_bytes(),
    );
}

/// Writes past the standard library's buffers, to descriptors that may be set not to
/// block by those who share them.
pub fn write_all(file: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match rustix::io::write(file, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let mut waiting = [PollFd::from_borrowed_fd(file, PollFlags::OUT)];
                match poll(&mut waiting, None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error),
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
