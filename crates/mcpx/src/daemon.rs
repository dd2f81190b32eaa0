//! The daemon: holds servers open and does the work of every command.
//!
//! [`listen`] is its door and decides how long it lives; [`session`] does what a caller
//! was called for.

mod cache;
mod call;
mod caller;
mod command_line;
mod complete;
mod elicit;
pub mod help;
mod line;
mod listen;
mod listing;
pub mod log;
mod media;
pub mod pool;
mod session;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use argway_core::units;
use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};

use crate::exit::Exit;
use crate::paths::{Environment, Places};
use crate::upstream;
use caller::{Caller, Gone};
use listen::{Door, Work};
use session::Shared;

/// How long the daemon stays without a server and without a caller.
const IDLE_TIME: Duration = Duration::from_secs(10);

/// How long the end may take when everything is done.
const LAST_MOMENT: Duration = Duration::from_secs(2);

/// Commands are answered while others wait: they wait much more than they work.
const THREADS: usize = 2;

/// Listens until nobody needs it.
pub fn main() -> ExitCode {
    detach();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            say(&complaint);
            ExitCode::from(Exit::Transport.code())
        }
    }
}

/// On its own: no terminal, nobody's process group, no folder held. The umask stays: the
/// servers inherit it, and what they write is the user's as usual. Every file of our own
/// says itself who may read it.
fn detach() {
    // Who starts it by hand from a shell has made it the leader of a group, which cannot
    // leave; then it stays where it was put.
    _ = rustix::process::setsid();
    _ = std::env::set_current_dir("/");
    #[cfg(target_os = "linux")]
    {
        _ = rustix::thread::set_name(c"mcpxd");
    }
}

/// Tells the client that started us: an empty line is all it hopes for.
fn say(line: &str) {
    let line = line.replace('\n', " ");
    // It may have been interrupted meanwhile.
    _ = io::stdout().write_all(format!("{line}\n").as_bytes());
    _ = io::stdout().flush();
}

fn run() -> Result<(), String> {
    let environment = Environment::own();
    let places = Places::of(&environment)?;
    let idle_time = match environment.get("MCPX_IDLE") {
        Some(text) => units::duration(&text.to_string_lossy())
            .map_err(|wrong| format!("MCPX_IDLE: {wrong}"))?,
        None => IDLE_TIME,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name("mcpxd")
        .enable_all()
        .build()
        .map_err(|error| format!("no threads: {error}"))?;
    let ended = runtime.block_on(async {
        // Who has a limit for the size of files would else have a daemon that dies of it;
        // listened to, the signal leaves an error of the write.
        let _limit = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
        let told = told_to_end().map_err(|error| format!("no signals: {error}"))?;
        let work = Servers(Arc::new(Shared::new(&places)));
        let runtime = places.runtime.clone();
        let door = Door::open(places)?;
        say("");
        tokio::task::spawn_blocking(move || upstream::end_left_behind(&runtime));
        listen::serve(door, Arc::new(work), idle_time, told).await;
        Ok(())
    });
    // What is dropped with it ends servers, which takes a moment; a thread that waits for
    // a disk must not keep the process.
    runtime.shutdown_timeout(LAST_MOMENT);
    ended
}

/// Comes back when somebody wants the daemon to end.
fn told_to_end() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}

/// The work of the daemon: commands, by means of the open servers.
struct Servers(Arc<Shared>);

impl Work for Servers {
    fn run(&self, caller: &mut Caller) -> impl Future<Output = Result<Exit, Gone>> + Send {
        session::run(caller, &self.0)
    }

    fn is_idle(&self) -> bool {
        self.0.pool.is_empty()
    }

    async fn close(&self) {
        self.0.pool.close().await;
    }
}
