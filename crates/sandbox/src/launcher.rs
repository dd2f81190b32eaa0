//! What a launcher does: reads its order, puts the layers on, becomes the program's
//! supervisor.
//!
//! It is this very binary, executed again, so that nothing runs between `fork` and
//! `exec` of a process with threads. It has one thread for all of its life.

#[cfg(target_os = "linux")]
mod become_program;
#[cfg(target_os = "linux")]
mod ward;

/// The first word by which a binary knows that it is a launcher.
pub const WORD: &str = "__sandbox";

/// Whether this process was started as a launcher: to be asked first thing in `main`.
pub fn is_wanted() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == WORD)
}

/// The exit code of a launcher that has nobody to report to.
const REFUSED: i32 = 125;

/// Carries out the order on descriptor 4 and ends this process.
#[cfg(not(target_os = "linux"))]
pub fn main() -> ! {
    std::process::exit(REFUSED)
}

/// Carries out the order on descriptor 4 and ends this process.
#[cfg(target_os = "linux")]
pub fn main() -> ! {
    let code = match linux::carry_out() {
        Ok(()) => 0,
        Err(_) => REFUSED,
    };
    crate::sys::spawn::leave(code)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::{self, Read};
    use std::os::fd::{AsFd, OwnedFd};

    use argway_core::policy::Tier;
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    use rustix::process::{Pid, Signal, WaitOptions};

    use super::{become_program, ward};
    use crate::frame::{CONTROL, LARGEST_ORDER, ORDER, Order, Report};
    use crate::layers::LayerError;
    use crate::scratch;
    use crate::supervise::{self, Cgroup, Line};
    use crate::sys::spawn::{self, Signals};
    use crate::world::{self, Side};

    pub(super) fn carry_out() -> io::Result<()> {
        spawn::close_from(ORDER + 1);
        spawn::block_signals();
        let line = Line(spawn::inherited(CONTROL)?);
        let order = match read_order() {
            Ok(order) => order,
            Err(error) => {
                line.report(&refusal("its order", &error));
                return Err(error);
            }
        };
        // Opened while the old files are still there.
        let null = match File::options().read(true).write(true).open("/dev/null") {
            Ok(null) => null,
            Err(error) => {
                line.report(&refusal("/dev/null", &error));
                clean_up(&order, None);
                return Err(error);
            }
        };
        let cgroup = match order.cgroup.as_deref() {
            Some(parent) => match Cgroup::prepare(parent, &order.resources) {
                Ok(cgroup) => Some(cgroup),
                Err(error) => {
                    line.report(&Report::from(&error));
                    clean_up(&order, None);
                    return Ok(());
                }
            },
            None => None,
        };
        let mut supervised = true;
        if order.tier == Tier::Strict {
            match world::enter(order.network) {
                Ok(Side::Outside(init)) => {
                    let waited = attend(init, &null.into());
                    clean_up(&order, cgroup.as_ref());
                    return waited;
                }
                Ok(Side::Inside) => {
                    if let Err(error) = world::furnish(&order.view) {
                        line.report(&Report::from(&error));
                        supervised = false;
                    }
                }
                Err(error) => {
                    line.report(&Report::from(&error));
                    supervised = false;
                }
            }
        }
        let outcome = match supervised {
            true if order.ward => ward::keep(&order, &line, &null.into()),
            true => supervise(&order, &line, null.into(), cgroup.as_ref()),
            false => Ok(()),
        };
        // Inside a world the folder is seen by another name, if at all.
        if std::process::id() != 1 {
            clean_up(&order, cgroup.as_ref());
        }
        outcome
    }

    /// Carries out the order on descriptor 4 in the world that is here, which somebody
    /// else cleans up.
    pub(super) fn carry_out_here() -> io::Result<()> {
        let line = Line(spawn::inherited(CONTROL)?);
        let order = read_order()?;
        let null = File::options().read(true).write(true).open("/dev/null")?;
        supervise(&order, &line, null.into(), None)
    }

    fn supervise(
        order: &Order,
        line: &Line,
        null: OwnedFd,
        cgroup: Option<&Cgroup>,
    ) -> io::Result<()> {
        supervise::run(order, line, &null, cgroup, become_program::run)
            .inspect_err(|error| line.report(&refusal("its supervisor", error)))
    }

    fn read_order() -> io::Result<Order> {
        let file = File::from(spawn::inherited(ORDER)?);
        let size = file.metadata()?.len().min(LARGEST_ORDER as u64);
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
        file.take(LARGEST_ORDER as u64 + 1)
            .read_to_end(&mut bytes)?;
        Order::decode(&bytes).map_err(io::Error::other)
    }

    /// Beside a world: waits until its init, and so everybody in it, is gone. Asked to
    /// end, it asks init, who asks everybody.
    fn attend(init: Pid, null: &OwnedFd) -> io::Result<()> {
        spawn::replace_stdio(null.as_fd())?;
        let signals = Signals::new()?;
        loop {
            match rustix::process::waitpid(Some(init), WaitOptions::NOHANG) {
                Ok(None) | Err(Errno::INTR) => {}
                Ok(Some(_)) | Err(_) => return Ok(()),
            }
            let mut news = [PollFd::new(&signals.0, PollFlags::IN)];
            let _ = poll(&mut news, None);
            if signals.take() {
                let _ = rustix::process::kill_process(init, Signal::TERM);
            }
        }
    }

    fn clean_up(order: &Order, cgroup: Option<&Cgroup>) {
        if let Some(cgroup) = cgroup {
            cgroup.remove();
        }
        let _ = scratch::remove(&order.view.temporary);
    }

    fn refusal(what: &str, error: &io::Error) -> Report {
        Report::from(&LayerError {
            layer: "launcher",
            what: format!("{what}: {error}"),
            remedy: "this is a mistake of argway itself, or the system is out of memory, \
                     processes or descriptors"
                .to_owned(),
            errno: error.raw_os_error().unwrap_or_default(),
        })
    }
}
