//! Reaches the daemon, and has one started where there is none.
//!
//! Nothing is locked on the way to a daemon that listens. Only who finds none, or one
//! that cannot be the right one, waits for the lock, looks again, and then replaces it.
//! A command is said again only if no daemon can have acted on it: a daemon acts only
//! after it greeted.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use nix::sys::socket::sockopt::PeerCredentials;
use rustix::event::{PollFd, PollFlags, poll};

use super::relay::{self, Ended};
use super::{start, system};
use crate::BUILD;
use crate::exit::Failure;
use crate::handshake::{self, Nonces};
use crate::paths::Places;
use crate::wire::{self, Hello, ToClient, ToDaemon, WireError};

const TRIES: usize = 3;
const GREETING_TIME: Duration = Duration::from_secs(10);
/// Longer than the one who has the lock may wait for its daemon.
const LOCK_TIME: Duration = Duration::from_secs(30);
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// A daemon that greeted as it should.
pub struct Conversation {
    /// Buffered for reading; written to directly.
    pub stream: BufReader<UnixStream>,
    nonces: Nonces,
}

/// What came of a try to reach the daemon.
enum Knock {
    Open(Conversation),
    /// Nobody listens, or somebody who does not know what was to be said. Nothing was
    /// done. With what the state file said.
    Closed(Option<Nonces>),
}

/// Has the daemon do one command; gives the exit code.
pub fn run(places: &Places, invocation: &[u8]) -> Result<u8, Failure> {
    let mut closed = match first_knock(places, invocation)? {
        Knock::Open(conversation) => match talk(conversation)? {
            Talk::Done(code) => return Ok(code),
            Talk::Refused(nonces) => Some(nonces),
        },
        Knock::Closed(nonces) => nonces,
    };
    for tried in 1..=TRIES {
        // The last one is no race any more: who has the lock meets its daemon.
        let watched = (tried < TRIES).then_some(closed.as_ref());
        let knock = match turn(places, watched)? {
            Turn::Changed => knock(places, invocation)?,
            Turn::Ours(lock) => under_the_lock(places, invocation, closed.as_ref(), &lock)?,
        };
        closed = match knock {
            Knock::Open(conversation) => match talk(conversation)? {
                Talk::Done(code) => return Ok(code),
                Talk::Refused(nonces) => Some(nonces),
            },
            Knock::Closed(nonces) => nonces,
        };
    }
    Err(Failure::System(format!(
        "no daemon at {} that does its work; {TRIES} were tried",
        places.socket.display()
    )))
}

fn first_knock(places: &Places, invocation: &[u8]) -> Result<Knock, Failure> {
    match places.check_runtime().map_err(Failure::System)? {
        Some(_) => knock(places, invocation),
        None => Ok(Knock::Closed(None)),
    }
}

/// Whose turn it is to start a daemon.
enum Turn {
    Ours(File),
    /// Somebody else started one while we waited.
    Changed,
}

/// Waits for the lock, or, where `watched` says what the state file said, for another's
/// daemon.
fn turn(places: &Places, watched: Option<Option<&Nonces>>) -> Result<Turn, Failure> {
    places.make_runtime().map_err(Failure::System)?;
    let path = places.lock();
    let mut options = File::options();
    let options = options.write(true).create(true).truncate(false).mode(0o600);
    let lock = options
        .open(&path)
        .map_err(|error| system(format_args!("{} cannot be opened", path.display()), error))?;
    let deadline = Instant::now() + LOCK_TIME;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Turn::Ours(lock)),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::System(format!(
                    "another mcpx has held {} for {} s",
                    path.display(),
                    LOCK_TIME.as_secs()
                )));
            }
            Err(TryLockError::Error(error)) => {
                return Err(system(
                    format_args!("{} cannot be locked", path.display()),
                    error,
                ));
            }
        }
        std::thread::sleep(LOCK_PAUSE);
        if let Some(closed) = watched
            && let now @ Some(_) = Nonces::read(&places.nonces()).as_ref()
            && now != closed
        {
            return Ok(Turn::Changed);
        }
    }
}

/// Reaches the daemon that somebody started meanwhile, or else a new one.
fn under_the_lock(
    places: &Places,
    invocation: &[u8],
    closed: Option<&Nonces>,
    _lock: &File,
) -> Result<Knock, Failure> {
    if Nonces::read(&places.nonces()).as_ref() != closed
        && let open @ Knock::Open(_) = knock(places, invocation)?
    {
        return Ok(open);
    }
    for stale in [&places.socket, &places.nonces()] {
        match fs::remove_file(stale) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let what = format_args!("{} cannot be replaced", stale.display());
                return Err(system(what, error));
            }
            _ => {}
        }
    }
    start::daemon()?;
    knock(places, invocation)
}

/// Connects, says everything at once, and hears who is there.
fn knock(places: &Places, invocation: &[u8]) -> Result<Knock, Failure> {
    let Some(nonces) = Nonces::read(&places.nonces()) else {
        return Ok(Knock::Closed(None));
    };
    let mut stream = match UnixStream::connect(&places.socket) {
        Ok(stream) => stream,
        Err(error) if nobody_listens(&error) => return Ok(Knock::Closed(Some(nonces))),
        Err(error) => {
            let what = format_args!("{} cannot be reached", places.socket.display());
            return Err(system(what, error));
        }
    };
    let mut words = Vec::with_capacity(invocation.len() + 64);
    let hello = ToDaemon::Hello(Hello {
        nonce: nonces.client,
        build: BUILD.to_owned(),
    });
    wire::append(&mut words, &hello).map_err(|error| system("saying hello", error))?;
    words.extend_from_slice(invocation);
    if knows_its_peer(&stream, places)? {
        say(&mut stream, &words)?;
        return greeting(BufReader::new(stream), nonces);
    }
    // Where the system does not tell whose a socket is, the daemon shows first that it
    // can read the state file.
    let mut knock = greeting(BufReader::new(stream), nonces)?;
    if let Knock::Open(conversation) = &mut knock {
        say(conversation.stream.get_mut(), &words)?;
    }
    Ok(knock)
}

fn nobody_listens(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, ConnectionReset, NotFound};
    [ConnectionRefused, ConnectionReset, NotFound].contains(&error.kind())
}

/// Whether the system tells that the daemon is ours. Another user's is an error.
#[cfg(target_os = "linux")]
fn knows_its_peer(stream: &UnixStream, places: &Places) -> Result<bool, Failure> {
    // Not of rustix, which takes it for impossible that the system names process 0: a
    // daemon outside of the caller's container.
    let peer = nix::sys::socket::getsockopt(stream, PeerCredentials)
        .map_err(|error| system("asking whose the daemon is", error))?;
    let own = rustix::process::geteuid().as_raw();
    match peer.uid() == own {
        true => Ok(true),
        false => Err(Failure::System(format!(
            "the daemon at {} belongs to user {}, not to you (user {}); it was told nothing",
            places.socket.display(),
            peer.uid(),
            own
        ))),
    }
}

#[cfg(not(target_os = "linux"))]
fn knows_its_peer(_: &UnixStream, _: &Places) -> Result<bool, Failure> {
    Ok(false)
}

fn say(stream: &mut UnixStream, words: &[u8]) -> Result<(), Failure> {
    match stream.write_all(words) {
        // It hung up before it had heard everything: what it said is still to be read.
        Err(error) if hung_up(&error) => Ok(()),
        said => said.map_err(|error| system("speaking to the daemon", error)),
    }
}

fn greeting(mut stream: BufReader<UnixStream>, nonces: Nonces) -> Result<Knock, Failure> {
    let timeout = GREETING_TIME
        .try_into()
        .map_err(|error| system("waiting", error))?;
    let mut waiting = [PollFd::from_borrowed_fd(
        stream.get_ref().as_fd(),
        PollFlags::IN,
    )];
    match poll(&mut waiting, Some(&timeout)) {
        Ok(0) => {
            return Err(Failure::System(format!(
                "the daemon (process {}) has not answered for {} s; end it: kill -9 {}",
                nonces.pid,
                GREETING_TIME.as_secs(),
                nonces.pid
            )));
        }
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(system("waiting for the daemon", error)),
    }
    match wire::read(&mut stream) {
        Ok(Some(ToClient::Greeting { nonce })) if handshake::same(&nonce, &nonces.daemon) => {
            Ok(Knock::Open(Conversation { stream, nonces }))
        }
        // An end, a refusal, the wrong nonce, or something that is no daemon of ours.
        Ok(_) => Ok(Knock::Closed(Some(nonces))),
        Err(WireError::Io(error)) if !hung_up(&error) => Err(system("hearing the daemon", error)),
        Err(_) => Ok(Knock::Closed(Some(nonces))),
    }
}

/// Whether an error means that the other side is gone.
pub fn hung_up(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    [BrokenPipe, ConnectionReset, UnexpectedEof].contains(&error.kind())
}

enum Talk {
    Done(u8),
    /// Nothing was done. With what its state file said.
    Refused(Nonces),
}

fn talk(mut conversation: Conversation) -> Result<Talk, Failure> {
    match relay::run(&mut conversation)? {
        Ended::Exit(code) => Ok(Talk::Done(code)),
        Ended::Refused => Ok(Talk::Refused(conversation.nonces)),
        Ended::Lost => Err(Failure::System("the daemon ended during the call".into())),
    }
}
