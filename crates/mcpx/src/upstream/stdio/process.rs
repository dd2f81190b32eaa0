//! The child process: started in a group of its own, watched, and ended with all that
//! it has started.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::lines::{self, End};
use super::roll::{Entry, Roll};
use crate::daemon::log::Log;
use crate::upstream::UpstreamError;
use crate::upstream::peer::{Doing, Link, Outgoing, Peer};

/// Messages that wait for a server to read them. Who sends more waits with them.
const QUEUE: usize = 64;
/// How long a server that has hung up has for its exit status, and one that has ended
/// for its last words.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How long a server has for each step of its ending.
const STEP: Duration = Duration::from_secs(2);

/// What is to be run.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// Absolute.
    pub path: &'a Path,
    pub args: &'a [String],
    /// All of it.
    pub environment: &'a [(OsString, OsString)],
    pub folder: &'a Path,
}

/// A running server.
#[derive(Debug)]
pub struct Process {
    group: Group,
    /// None once it is hung up.
    queue: Mutex<Option<mpsc::Sender<String>>>,
    /// True when it has ended, and everything that it started.
    over: watch::Receiver<bool>,
}

impl Process {
    /// Starts a program whose messages go to `peer`, and what it says besides to a log.
    pub fn start(
        program: Program<'_>,
        log: &Path,
        roll: &Arc<Roll>,
        peer: &Peer,
    ) -> Result<Arc<Self>, UpstreamError> {
        let failed = |error| UpstreamError::Start {
            reason: not_started(program, &error),
            stderr: String::new(),
        };
        let mut child = Command::new(program.path)
            .args(program.args)
            .env_clear()
            .envs(
                program
                    .environment
                    .iter()
                    .map(|(name, value)| (name, value)),
            )
            .current_dir(program.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Its own group, so that what it starts ends with it, and no key of the
            // caller's terminal reaches it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let lost = || failed(io::ErrorKind::BrokenPipe.into());
        let group = Group::of(&child).ok_or_else(lost)?;
        let (stdin, stdout, stderr) =
            match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
                (Some(stdin), Some(stdout), Some(stderr)) => (stdin, stdout, stderr),
                _ => return Err(lost()),
            };
        let entry = roll.enter(group.leader);
        let log = Arc::new(Log::open(log));
        let (queue, messages) = mpsc::channel(QUEUE);
        let (end, over) = watch::channel(false);
        let reader = {
            let (peer, log) = (peer.clone(), Arc::clone(&log));
            async move { lines::read(stdout, lines::LINE_LIMIT, &peer, &log).await }
        };
        let watched = Watched {
            child,
            group: group.clone(),
            reader: tokio::spawn(reader),
            writer: tokio::spawn(write(stdin, messages)),
            listener: tokio::spawn(listen(stderr, Arc::clone(&log))),
            log,
            _entry: entry,
        };
        let peer = peer.clone();
        tokio::spawn(async move {
            watched.watch(&peer).await;
            let _ = end.send(true);
        });
        Ok(Arc::new(Self {
            group,
            queue: Mutex::new(Some(queue)),
            over,
        }))
    }
}

impl Link for Process {
    fn send(&self, message: Outgoing) -> Doing<'_, Result<(), UpstreamError>> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = queue.clone();
        Box::pin(async move {
            let Some(queue) = queue else {
                return Err(UpstreamError::Cancelled);
            };
            let mut line = message.body;
            line.push('\n');
            // A closed queue is a server that ends: whoever waits is told how it ended,
            // which is known in a moment.
            let _ = queue.send(line).await;
            Ok(())
        })
    }

    fn abandon(&self, _id: i64) -> bool {
        false
    }

    fn pid(&self) -> Option<u32> {
        u32::try_from(self.group.leader.as_raw_nonzero().get()).ok()
    }

    fn close(&self) -> Doing<'_, ()> {
        drop(
            self.queue
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        Box::pin(async move {
            for signal in [None, Some(Signal::TERM), Some(Signal::KILL)] {
                if let Some(signal) = signal {
                    self.group.signal(signal);
                }
                let mut over = self.over.clone();
                if timeout(STEP, over.wait_for(|over| *over)).await.is_ok() {
                    return;
                }
            }
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.signal(Signal::KILL);
    }
}

/// A process and all that it has started, as far as it stays together.
#[derive(Debug, Clone)]
struct Group {
    leader: Pid,
    /// Whether its number may belong to somebody else by now.
    gone: Arc<AtomicBool>,
}

impl Group {
    fn of(child: &Child) -> Option<Self> {
        let leader = i32::try_from(child.id()?).ok().and_then(Pid::from_raw)?;
        Some(Self {
            leader,
            gone: Arc::default(),
        })
    }

    fn signal(&self, signal: Signal) {
        if !self.gone.load(Ordering::Acquire) {
            let _ = kill_process_group(self.leader, signal);
        }
    }

    /// The end of what the leader has left behind.
    fn sweep(&self) {
        self.signal(Signal::KILL);
        self.gone.store(true, Ordering::Release);
    }
}

/// A process, and those who speak with it.
struct Watched {
    child: Child,
    group: Group,
    reader: JoinHandle<End>,
    writer: JoinHandle<io::Result<()>>,
    listener: JoinHandle<()>,
    log: Arc<Log>,
    /// Dropped last: until then the next daemon has something to end.
    _entry: Entry,
}

/// What shows that a server is about to be over.
enum Sign {
    Exit(Option<ExitStatus>),
    Stdout(End),
    Stdin,
}

impl Watched {
    /// Waits for the end, tells the peer how it came, and leaves nothing running.
    async fn watch(mut self, peer: &Peer) {
        let sign = tokio::select! {
            status = self.child.wait() => Sign::Exit(status.ok()),
            end = &mut self.reader => Sign::Stdout(end.unwrap_or(End::Closed)),
            () = broken(&mut self.writer) => Sign::Stdin,
        };
        let status = match sign {
            Sign::Exit(status) => status,
            Sign::Stdout(End::TooLong) => None,
            Sign::Stdout(End::Closed) | Sign::Stdin => self.exit(LAST_WORDS).await,
        };
        let mut end = match sign {
            Sign::Stdout(end) => Some(end),
            Sign::Exit(_) | Sign::Stdin => None,
        };
        if status.is_some() {
            let last_words = async {
                if end.is_none() {
                    end = (&mut self.reader).await.ok();
                }
                let _ = (&mut self.listener).await;
            };
            // What it has started may hold its pipes open.
            let _ = timeout(LAST_WORDS, last_words).await;
        }
        let reason = match (status, &sign) {
            // Whoever is not read any more may end of that before it is looked at.
            _ if end == Some(End::TooLong) => format!(
                "sent a line of more than {} MiB",
                lines::LINE_LIMIT / 1024 / 1024
            ),
            (Some(status), _) => ending(status),
            (None, Sign::Stdin) => "closed its stdin".to_owned(),
            (None, Sign::Stdout(_) | Sign::Exit(_)) => "closed its stdout".to_owned(),
        };
        peer.ended(UpstreamError::Ended {
            reason,
            stderr: self.log.tail(),
        });
        if status.is_none() {
            self.writer.abort();
            self.group.signal(Signal::TERM);
            if self.exit(STEP).await.is_none() {
                self.group.signal(Signal::KILL);
                self.exit(STEP).await;
            }
        }
    }

    async fn exit(&mut self, time: Duration) -> Option<ExitStatus> {
        timeout(time, self.child.wait()).await.ok()?.ok()
    }
}

impl Drop for Watched {
    /// Also when the runtime ends before the server does.
    fn drop(&mut self) {
        self.group.sweep();
        for task in [
            self.reader.abort_handle(),
            self.writer.abort_handle(),
            self.listener.abort_handle(),
        ] {
            task.abort();
        }
    }
}

/// Comes back if a server's stdin broke, and never if it was closed in order.
async fn broken(writer: &mut JoinHandle<io::Result<()>>) {
    if let Ok(Ok(())) = writer.await {
        std::future::pending().await
    }
}

async fn write(mut stdin: ChildStdin, mut messages: mpsc::Receiver<String>) -> io::Result<()> {
    while let Some(message) = messages.recv().await {
        stdin.write_all(message.as_bytes()).await?;
        stdin.flush().await?;
    }
    Ok(())
}

/// Always reads: a server that writes a flood must not wait for anybody.
async fn listen(mut stderr: ChildStderr, log: Arc<Log>) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = stderr.read(&mut buffer).await {
        log.write(&buffer[..length]);
    }
}

/// How a process ended.
fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

/// Why a program does not start, and what would be right.
fn not_started(program: Program<'_>, error: &io::Error) -> String {
    let path = program.path.display();
    match error.kind() {
        _ if !program.folder.is_dir() => {
            let folder = PathBuf::from(program.folder);
            format!(
                "{path} cannot be started in {}: no such folder",
                folder.display()
            )
        }
        io::ErrorKind::NotFound if program.path.exists() => format!(
            "{path} cannot be started: the interpreter that its first line names does not exist"
        ),
        io::ErrorKind::NotFound => format!("there is no program {path}"),
        io::ErrorKind::PermissionDenied => format!("{path} is not an executable file"),
        _ => format!("{path} cannot be started: {error}"),
    }
}
