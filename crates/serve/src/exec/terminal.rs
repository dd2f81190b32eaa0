//! Keeps children away from the caller's terminal.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use super::survey::myself;

/// Gives up the controlling terminal where that costs nothing, so that children
/// cannot open `/dev/tty`. A program in the foreground keeps it, because Ctrl-C
/// comes through it; there, [`waits_for`] notices a child that wants it.
///
/// Call it once, first thing in `main`.
pub fn leave_terminal() {
    let Ok(terminal) = rustix::fs::open(
        "/dev/tty",
        rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC,
        rustix::fs::Mode::empty(),
    ) else {
        return;
    };
    let Some(mine) = own_group() else {
        return;
    };
    let foreground = rustix::termios::tcgetpgrp(&terminal).is_ok_and(|group| group == mine);
    if !foreground {
        // Fails for the leader of a group, which then keeps its terminal.
        let _ = rustix::process::setsid();
    }
}

/// None where the group was made outside of the container that this runs in. There
/// the system says 0, which `getpgrp` of rustix takes for impossible.
fn own_group() -> Option<Pid> {
    match cfg!(target_os = "linux") {
        true => Pid::from_raw(myself().group),
        false => Some(rustix::process::getpgrp()),
    }
}

/// The signal that stopped a child because it used a terminal from the
/// background, if one did.
pub(super) fn waits_for(child: Pid) -> Option<i32> {
    // Without WNOWAIT the news could be read only once, and it is tokio's.
    let look = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = rustix::process::waitid(WaitId::Pid(child), look).ok()??;
    status
        .stopping_signal()
        .filter(|&signal| signal == Signal::TTIN.as_raw() || signal == Signal::TTOU.as_raw())
}
