//! The hold on a run's processes: its main process, plain or in a sandbox, and
//! everything that came of it.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use argway_core::output::Ending;
use rustix::process::{Pid, Signal};
use tokio::process::Child;

use super::sandboxed::Guarded;
use super::terminal;
use super::tree::{self, Tree};

/// Dropping it kills all of them.
pub(super) struct Hold {
    // Dropped first: kills while the main process still holds its pid.
    tree: Tree,
    main: Main,
    status: Option<io::Result<ExitStatus>>,
}

/// The process that a run stands and falls with.
enum Main {
    Plain {
        child: Child,
        pid: Pid,
    },
    /// Nothing once it was let go.
    Sandboxed(Option<Guarded>),
}

impl Hold {
    pub fn plain(tree: Tree, child: Child, pid: Pid) -> Self {
        Self {
            tree,
            main: Main::Plain { child, pid },
            status: None,
        }
    }

    pub fn sandboxed(tree: Tree, guarded: Guarded) -> Self {
        Self {
            tree,
            main: Main::Sandboxed(Some(guarded)),
            status: None,
        }
    }

    /// Until the main process ended, which is noted. Safe to drop half-way.
    pub async fn wait(&mut self) {
        let status = match &mut self.main {
            Main::Plain { child, .. } => child.wait().await,
            Main::Sandboxed(Some(guarded)) => guarded.wait().await,
            Main::Sandboxed(None) => std::future::pending().await,
        };
        self.status = Some(status);
        self.tree.reaped();
    }

    /// Whether the main process ended.
    pub fn is_reaped(&self) -> bool {
        self.status.is_some()
    }

    /// Whether a supervisor said that nobody is left.
    pub fn is_settled(&self) -> bool {
        matches!(self.main, Main::Sandboxed(_)) && matches!(self.status, Some(Ok(_)))
    }

    /// Whether a supervisor was killed, so that anybody may be left.
    pub fn is_abandoned(&self) -> bool {
        matches!(self.main, Main::Sandboxed(_)) && matches!(self.status, Some(Err(_)))
    }

    /// Whether nobody is left.
    pub fn is_over(&self) -> bool {
        self.is_settled() || (self.is_reaped() && self.tree.members().is_empty())
    }

    /// The signal that stopped the program because it used a terminal, if one did. In a
    /// sandbox there is none to use.
    pub fn waits_for_terminal(&self) -> Option<i32> {
        match &self.main {
            Main::Plain { pid, .. } => terminal::waits_for(*pid),
            Main::Sandboxed(_) => None,
        }
    }

    /// Asks everybody to end.
    pub fn ask_to_end(&self) {
        match &self.main {
            Main::Plain { .. } => self.tree.ask_to_end(),
            Main::Sandboxed(Some(guarded)) => guarded.ask_to_end(),
            Main::Sandboxed(None) => {}
        }
    }

    /// Kills everybody, and comes back when they are gone.
    pub async fn kill(&mut self) {
        if let Main::Sandboxed(Some(guarded)) = &mut self.main
            && self.status.is_none()
        {
            self.status = guarded.kill().await;
        }
        if !self.is_settled() {
            self.tree.kill().await;
        }
    }

    /// Asks those to end that have one of these pipes open; true where there were any.
    pub fn ask_holders(&self, pipes: &[u64]) -> bool {
        let holders = self.tree.holders(pipes);
        for process in &holders {
            tree::send(process, Signal::TERM);
            tree::send(process, Signal::CONT);
        }
        !holders.is_empty()
    }

    /// Kills them; true where there were any.
    pub async fn kill_holders(&self, pipes: &[u64]) -> bool {
        self.tree.kill_holders(pipes).await
    }

    /// What the supervisor knows, where there is one.
    pub fn guarded(&self) -> Option<&Guarded> {
        match &self.main {
            Main::Plain { .. } => None,
            Main::Sandboxed(guarded) => guarded.as_ref(),
        }
    }

    /// How the program ended.
    pub fn ending(&self) -> Ending {
        if let Some(exceeded) = self.guarded().and_then(|guarded| guarded.exceeded) {
            return Ending::Exceeded(exceeded);
        }
        match &self.status {
            Some(Ok(status)) => match status.code() {
                Some(code) => Ending::Exited(code),
                None => Ending::Signalled(status.signal().unwrap_or_default()),
            },
            // Nobody else waits for it, so its code can only be lost with it.
            Some(Err(_)) | None => Ending::Signalled(Signal::KILL.as_raw()),
        }
    }

    /// The run is over and what it left behind, if anything, may live: its number.
    pub fn let_go(&mut self) -> u64 {
        if self.is_settled()
            && let Main::Sandboxed(guarded) = &mut self.main
            && let Some(guarded) = guarded.take()
        {
            guarded.let_go();
        }
        self.tree.let_go();
        self.tree.number()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // A supervisor ends everybody by itself, and then goes: the tree's own way would
        // begin with the supervisor.
        if let Main::Sandboxed(Some(guarded)) = &mut self.main
            && guarded.end()
        {
            self.tree.let_go();
        }
    }
}
