//! From a fork of the supervisor to the program: the layers, one after the other.

use std::convert::Infallible;
use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use argway_core::policy::Tier;
use rustix::process::{DumpableBehavior, Pid, Signal};

use crate::frame::{Message, Order, Report, Step};
use crate::layers::seccomp::Openings;
use crate::layers::{LayerError, capabilities, landlock, limits, seccomp};
use crate::sys::spawn::{self, Strings};

/// What the portable tier cannot keep: Landlock does not cover it.
const PORTABLE_GAPS: [&str; 3] = [
    "modes, times and extended attributes of files outside can be changed where the user may",
    "whether a path outside exists can be found out, its size, owner and times, and when it changes",
    "what would become code outside (.git/hooks, .git/config, .argway, editors' folders) can be \
     changed within the working directory",
];
const SIGNALS_GAP: &str = "processes outside of the same user can be sent signals, \
     because Landlock is older than version 6 here";

/// Becomes the program of `order`, or tells the supervisor through `steps` why not.
pub(super) fn run(order: &Order, supervisor: Pid, steps: OwnedFd) -> ! {
    let mut steps = File::from(steps);
    let Err(refusal) = prepare_and_execute(order, supervisor, &mut steps);
    let _ = steps.write_all(&Step::Refused(refusal).frame());
    spawn::leave(125)
}

/// Comes back only with the reason why the program does not run.
fn prepare_and_execute(
    order: &Order,
    supervisor: Pid,
    steps: &mut File,
) -> Result<Infallible, Report> {
    let failed = |what: &str, error: io::Error| refused("launcher", what, &error);
    die_with(supervisor).map_err(|error| failed("the supervisor is gone", error))?;
    // The supervisor has made itself ready by now.
    (steps.read_exact(&mut [0])).map_err(|error| failed("the supervisor is gone", error))?;
    if order.tier != Tier::Strict {
        // It saw that it can see even those who hide.
        rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable)
            .map_err(|error| failed("being seen again", error.into()))?;
    }
    // No controlling terminal, and no group in common with the supervisor.
    rustix::process::setsid().map_err(|error| failed("setsid", error.into()))?;
    let directory = match order.tier {
        Tier::Strict => order.view.in_own_world(&order.view.directory),
        Tier::Portable | Tier::Partial => &order.view.directory,
    };
    let entered = crate::pinned::open(rustix::fs::CWD, directory).and_then(rustix::process::fchdir);
    entered.map_err(|error| {
        let what = format!("{} cannot be entered", directory.display());
        refused("working directory", &what, &error.into())
    })?;
    let words = [order.program.as_os_str()]
        .into_iter()
        .chain(order.words.iter().map(|word| &**word));
    let words = Strings::new(words.map(|word| word.as_bytes().to_vec()));
    let environment = Strings::new(
        order
            .environment
            .iter()
            .map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat()),
    );
    let file = CString::new(order.file.as_os_str().as_bytes());
    let (Ok(words), Ok(environment), Ok(file)) = (words, environment, file) else {
        let error = io::Error::from_raw_os_error(libc::EINVAL);
        return Err(refused(
            "",
            "a word, a variable or the program's path has a zero byte",
            &error,
        ));
    };

    put_on_layers(order, steps)?;

    // Changed credentials may have taken it back.
    die_with(supervisor).map_err(|error| failed("the supervisor is gone", error))?;
    spawn::usual_signals();
    tell(steps, &Step::Ready)?;
    let error = spawn::exec(&file, &words, &environment);
    Err(refused("", &order.program.display().to_string(), &error))
}

fn put_on_layers(order: &Order, steps: &mut File) -> Result<(), Report> {
    let mut put_on = |result: Result<(), LayerError>| match result {
        Ok(()) => Ok(()),
        Err(error) if order.best_effort => tell(steps, &Step::Without(error.gap())),
        Err(error) => Err(Report::from(&error)),
    };
    let mut abi = None;
    put_on(limits::apply(&order.resources))?;
    put_on(capabilities::drop_all())?;
    // The strict tier holds without it, and better with it.
    if order.tier != Tier::Strict || landlock::abi().is_ok() {
        let restricted = match order.tier {
            Tier::Strict => landlock::restrict_in_own_world(&order.view, order.network),
            Tier::Portable | Tier::Partial => landlock::restrict(&order.view, order.network),
        };
        put_on(restricted.map(|version| abi = Some(version)))?;
    }
    let cut_unseen = order.tier != Tier::Strict
        && !order.view.everything
        && abi.is_some_and(|abi: landlock::Abi| !abi.holds_truncation());
    // Last: it forbids what the others need.
    put_on(seccomp::install(Openings {
        network: order.network,
        unix_sockets: order.network && order.view.everything,
        truncation: !cut_unseen,
    }))?;
    if order.tier != Tier::Strict {
        if !order.view.everything {
            for gap in PORTABLE_GAPS {
                tell(steps, &Step::Gap(gap.to_owned()))?;
            }
        }
        if abi.is_none_or(|abi| !abi.holds_signals()) {
            tell(steps, &Step::Gap(SIGNALS_GAP.to_owned()))?;
        }
    }
    Ok(())
}

/// Dies when `supervisor` does, and now if it already has.
fn die_with(supervisor: Pid) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    match rustix::process::getppid() == Some(supervisor) {
        true => Ok(()),
        false => Err(io::ErrorKind::BrokenPipe.into()),
    }
}

fn tell(steps: &mut File, step: &Step) -> Result<(), Report> {
    steps
        .write_all(&step.frame())
        .map_err(|error| refused("launcher", "the supervisor is gone", &error))
}

fn refused(layer: &str, what: &str, error: &io::Error) -> Report {
    Report::Refused {
        layer: layer.to_owned(),
        what: format!("{what}: {error}"),
        remedy: match layer {
            "working directory" => "run it in a folder that the policy lets it see".to_owned(),
            _ => String::new(),
        },
        errno: error.raw_os_error().unwrap_or_default(),
    }
}
