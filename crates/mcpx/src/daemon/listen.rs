//! The daemon's door: who is let in, and when it is closed for good.
//!
//! A connection is the user's own, knows the nonce and is of this build before its
//! command is looked at. The greeting is written before anything is done, so a client
//! that heard none may say its command again to somebody else. That is also why nobody
//! is lost when the door closes: who is still in the queue then hears no greeting.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener as BlockingListener;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use rustix::process::{Resource, geteuid, getrlimit};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::caller::{Caller, Gone};
use super::line::Line;
use crate::exit::Exit;
use crate::handshake::{self, Nonces};
use crate::paths::Places;
use crate::wire::{Hello, Invocation, ToClient, ToDaemon};

/// How long a client may take to say who it is and how it was called.
const HELLO_TIME: Duration = Duration::from_secs(10);
const CLOSING_TIME: Duration = Duration::from_secs(15);
const MOST_CALLERS: usize = 1024;
/// How often the daemon looks whether it is still wanted.
const LOOK: Duration = Duration::from_secs(2);
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What is done for callers.
pub trait Work: Send + Sync + 'static {
    /// One command, from beginning to end.
    fn run(&self, caller: &mut Caller) -> impl Future<Output = Result<Exit, Gone>> + Send;
    /// Whether nothing is kept for the next caller.
    fn is_idle(&self) -> bool;
    /// Ends what is kept for callers.
    fn close(&self) -> impl Future<Output = ()> + Send;
}

/// An open door: the socket, and the state file beside it.
#[derive(Debug)]
pub struct Door {
    places: Places,
    nonces: Arc<Nonces>,
    listener: UnixListener,
    /// Device and inode of the socket: another daemon's has the same name.
    mark: (u64, u64),
}

impl Door {
    /// Listens, and writes the state file. Inside a runtime.
    pub fn open(places: Places) -> Result<Self, String> {
        places.make_runtime()?;
        let nonces = Nonces::fresh().map_err(|error| format!("no random numbers: {error}"))?;
        let socket = &places.socket;
        // First: where another daemon listens, its nonces stay.
        let listening = BlockingListener::bind(socket).and_then(|listener| {
            fs::set_permissions(socket, fs::Permissions::from_mode(0o600))?;
            listener.set_nonblocking(true)?;
            let found = fs::symlink_metadata(socket)?;
            Ok((
                UnixListener::from_std(listener)?,
                (found.dev(), found.ino()),
            ))
        });
        let (listener, mark) =
            listening.map_err(|error| format!("{} cannot be opened: {error}", socket.display()))?;
        let path = places.nonces();
        if let Err(error) = nonces.write(&path) {
            _ = fs::remove_file(socket);
            return Err(format!("{} cannot be written: {error}", path.display()));
        }
        Ok(Self {
            places,
            nonces: Arc::new(nonces),
            listener,
            mark,
        })
    }

    /// Whether clients that look for a daemon find this one.
    fn is_found(&self) -> bool {
        let socket = fs::symlink_metadata(&self.places.socket);
        socket.is_ok_and(|found| (found.dev(), found.ino()) == self.mark)
    }

    /// The lock, unless a client has it: one that looks for a daemon or replaces this
    /// one.
    fn lock(&self) -> Option<File> {
        let mut options = File::options();
        let options = options.write(true).create(true).truncate(false).mode(0o600);
        let lock = options.open(self.places.lock()).ok()?;
        lock.try_lock().is_ok().then_some(lock)
    }

    /// Removes the socket and the state file, if they are still ours, and hangs up on
    /// those who were not let in yet. Without the lock they stay: what is ours now could
    /// be another's a moment later, and who has the lock replaces them anyway.
    fn close(self, lock: Option<File>) {
        if lock.is_none() {
            return;
        }
        if self.is_found() {
            _ = fs::remove_file(&self.places.socket);
        }
        if Nonces::read(&self.places.nonces()).as_ref() == Some(&*self.nonces) {
            _ = fs::remove_file(self.places.nonces());
        }
    }
}

/// What came of one connection.
enum Attended {
    Done,
    /// Its client is of another build, and wants a daemon of its own.
    Outdated,
}

/// How the daemon ends.
enum Ending {
    /// Nobody needs it. It has the lock: nobody is on the way to it either, unless it
    /// comes to a closed door.
    Unused(File),
    /// Those who were let in are served.
    Served,
    /// At once.
    Dropped,
}

/// Lets clients in until nobody needs the daemon, another took its place, a client of
/// another build came, or it is `told` to end.
pub async fn serve<W: Work>(
    door: Door,
    work: Arc<W>,
    idle_time: Duration,
    told: impl Future<Output = ()>,
) {
    let mut told = pin!(told);
    let mut callers = JoinSet::new();
    let most = most_callers();
    let mut last_use = Instant::now();
    let mut look = interval(LOOK.min(idle_time / 2).max(Duration::from_millis(1)));
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let ending = loop {
        tokio::select! {
            accepted = door.listener.accept(), if callers.len() < most => match accepted {
                Ok((stream, _)) => {
                    let attending = attend(stream, Arc::clone(&door.nonces), Arc::clone(&work));
                    callers.spawn(attending);
                }
                // Out of descriptors, most likely: those who wait can wait a little more.
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
            Some(attended) = callers.join_next() => {
                last_use = Instant::now();
                if matches!(attended, Ok(Attended::Outdated)) {
                    break Ending::Served;
                }
            }
            _ = look.tick() => {
                if !door.is_found() {
                    break Ending::Served;
                }
                let unused = callers.is_empty() && work.is_idle() && last_use.elapsed() >= idle_time;
                if unused && let Some(lock) = door.lock() {
                    break Ending::Unused(lock);
                }
            }
            () = &mut told => break Ending::Dropped,
        }
    };
    match ending {
        Ending::Unused(lock) => door.close(Some(lock)),
        Ending::Served => {
            let lock = door.lock();
            door.close(lock);
            tokio::select! {
                () = async { while callers.join_next().await.is_some() {} } => {}
                () = told => {}
            }
        }
        Ending::Dropped => {
            let lock = door.lock();
            door.close(lock);
        }
    }
    callers.shutdown().await;
    _ = timeout(CLOSING_TIME, work.close()).await;
}

/// Half of what this process may have open: servers need some too.
fn most_callers() -> usize {
    let open = getrlimit(Resource::Nofile).current;
    let open = open.and_then(|most| usize::try_from(most).ok());
    open.map_or(MOST_CALLERS, |most| (most / 2).clamp(1, MOST_CALLERS))
}

/// One connection from beginning to end.
async fn attend<W: Work>(stream: UnixStream, nonces: Arc<Nonces>, work: Arc<W>) -> Attended {
    let own = geteuid().as_raw();
    if !stream.peer_cred().is_ok_and(|peer| peer.uid() == own) {
        return Attended::Done;
    }
    let mut line = Line::new(stream);
    match timeout(HELLO_TIME, meet(&mut line, &nonces)).await {
        Ok(Ok(Meeting::Let(invocation))) => {
            command(line, *invocation, &*work).await;
            Attended::Done
        }
        Ok(Ok(Meeting::Outdated)) => Attended::Outdated,
        Ok(Ok(Meeting::Stranger) | Err(Gone)) | Err(_) => Attended::Done,
    }
}

/// Who a client turned out to be.
enum Meeting {
    /// One of ours, called like this.
    Let(Box<Invocation>),
    /// Ours, of another build.
    Outdated,
    /// One that does not know the nonce.
    Stranger,
}

async fn meet(line: &mut Line, nonces: &Nonces) -> Result<Meeting, Gone> {
    let nonce = nonces.daemon;
    line.keep(&ToClient::Greeting { nonce })?;
    line.flush().await?;
    let ToDaemon::Hello(Hello { nonce, build }) = line.hear().await? else {
        return Err(Gone);
    };
    if !handshake::same(&nonce, &nonces.client) {
        refuse(line, "the nonce is another").await?;
        return Ok(Meeting::Stranger);
    }
    if build != nonces.build {
        refuse(line, "the daemon is of another build, and ends").await?;
        return Ok(Meeting::Outdated);
    }
    match line.hear().await? {
        ToDaemon::Invocation(invocation) => Ok(Meeting::Let(invocation)),
        ToDaemon::Hello(_) | ToDaemon::Stdin(_) | ToDaemon::Answer(_) => Err(Gone),
    }
}

async fn refuse(line: &mut Line, reason: &str) -> Result<(), Gone> {
    line.keep(&ToClient::Refused(reason.to_owned()))?;
    line.flush().await
}

async fn command<W: Work>(mut line: Line, invocation: Invocation, work: &W) {
    let places = match Places::of(&invocation.environment) {
        Ok(places) => places,
        Err(complaint) => {
            let complaint = format!("mcpx: {complaint}\n").into_bytes();
            let last_words = [
                ToClient::Stderr(complaint),
                ToClient::Exit(Exit::Transport.code()),
            ];
            if last_words.iter().all(|word| line.keep(word).is_ok()) {
                _ = line.flush().await;
            }
            return;
        }
    };
    let mut caller = Caller::new(line, invocation, places);
    // A mistake of ours costs one command, not everybody's.
    let done = AssertUnwindSafe(work.run(&mut caller)).catch_unwind().await;
    match done {
        Ok(Ok(exit)) => caller.exit(exit).await,
        Ok(Err(Gone)) => {}
        Err(_) => {
            let apology = "internal error: the daemon stumbled over this command";
            if caller.warn(apology).await.is_ok() {
                caller.exit(Exit::Transport).await;
            }
        }
    }
}

#[cfg(test)]
mod tests;
