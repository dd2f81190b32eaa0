//! Stays beside many launchers: reaps them, and ends everybody at the end.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

use argway_core::policy::Tier;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal, WaitOptions};

use super::processes::Reach;
use super::{GRACE, Line, SHORTEST_PAUSE, kill_round, timespec};
use crate::sys::spawn::{self, Signals};

/// The supervisor of supervisors.
pub(crate) struct Ward<'a> {
    line: &'a Line,
    reach: Reach,
    signals: Signals,
    /// Everybody was asked to end and has until then.
    deadline: Option<Instant>,
}

impl<'a> Ward<'a> {
    /// Makes this process the one that everybody comes to who loses its parent.
    pub fn new(tier: Tier, line: &'a Line, null: &OwnedFd) -> io::Result<Self> {
        let reach = Reach::here(tier);
        if reach != Reach::World {
            rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        }
        spawn::replace_stdio(null.as_fd())?;
        Ok(Self {
            line,
            reach,
            signals: Signals::new()?,
            deadline: None,
        })
    }

    /// Calls `heard` whenever there is something to hear, until that says that there
    /// will be no more; comes back when nobody is left.
    pub fn attend(mut self, mut heard: impl FnMut() -> bool) {
        while self.wait(&mut heard) {
            reap();
        }
        let mut pause = SHORTEST_PAUSE;
        while reap() {
            kill_round(self.reach, &self.signals, &mut pause);
        }
    }

    fn wait(&mut self, heard: &mut impl FnMut() -> bool) -> bool {
        let now = Instant::now();
        if self.deadline.is_some_and(|until| now >= until) {
            return false;
        }
        let patience = self.deadline.map(|until| timespec(until - now));
        let mut news = [
            PollFd::new(&self.signals.0, PollFlags::IN),
            PollFd::new(&self.line.0, PollFlags::IN),
        ];
        let _ = poll(&mut news, patience.as_ref());
        let spoken_to = !news[1].revents().is_empty();
        if self.signals.take() && self.deadline.is_none() {
            self.reach.send(Signal::TERM);
            self.reach.send(Signal::CONT);
            self.deadline = Some(Instant::now() + GRACE);
        }
        !spoken_to || heard()
    }
}

/// Takes note of everybody who ended; true while there are others.
fn reap() -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}
