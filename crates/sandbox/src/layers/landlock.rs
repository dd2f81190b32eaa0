//! Landlock: which files may be reached, which ports, and nobody outside signalled.
//!
//! What it cannot hold: changes of mode, times and attributes, and the existence of
//! files. The strict tier's root holds those.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::LayerError;
use crate::pinned;
use crate::sys::filter::{self, Handled};
use crate::view::View;

/// The layer's name in errors and in what `doctor` prints.
pub const NAME: &str = "landlock";

/// What the system's Landlock can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abi(pub u32);

/// Rights on files, with the version that brought the later ones.
mod rights {
    pub const EXECUTE: u64 = 1 << 0;
    pub const WRITE_FILE: u64 = 1 << 1;
    pub const READ_FILE: u64 = 1 << 2;
    pub const READ_DIR: u64 = 1 << 3;
    pub const MAKE_CHAR: u64 = 1 << 6;
    pub const MAKE_SOCK: u64 = 1 << 9;
    pub const MAKE_BLOCK: u64 = 1 << 11;
    /// Everything of version 1.
    pub const FIRST: u64 = (1 << 13) - 1;
    /// Version 2: moves between folders.
    pub const REFER: u64 = 1 << 13;
    /// Version 3.
    pub const TRUNCATE: u64 = 1 << 14;
    /// Version 5: commands to devices.
    pub const IOCTL_DEV: u64 = 1 << 15;

    pub const READ: u64 = EXECUTE | READ_FILE | READ_DIR;
    pub const LOOK: u64 = READ_FILE | READ_DIR;
    /// Everything but devices and sockets, made or commanded.
    pub const CHANGE: u64 = (FIRST | REFER | TRUNCATE) & !(MAKE_CHAR | MAKE_SOCK | MAKE_BLOCK);
    pub const USE: u64 = READ_FILE | WRITE_FILE | TRUNCATE;
    /// Those that a rule for a file, not a folder, may have.
    pub const OF_A_FILE: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
}

/// Versions 4: TCP ports, and 6: abstract sockets, signals.
const TCP: u64 = 0b11;
const ABSTRACT_SOCKETS: u64 = 1 << 0;
const SIGNALS: u64 = 1 << 1;

/// Devices that everybody may use, and what may be done with them.
const DEVICES: &[(&str, u64)] = &[
    ("/dev/null", rights::USE),
    ("/dev/zero", rights::USE),
    ("/dev/full", rights::USE),
    ("/dev/random", rights::READ_FILE),
    ("/dev/urandom", rights::READ_FILE),
];

/// What programs ask about the machine and themselves, where `/proc` also shows others.
const SHARED_PROC: &[(&str, u64)] = &[
    ("/proc/self", rights::LOOK),
    ("/proc/cpuinfo", rights::READ_FILE),
    ("/proc/filesystems", rights::READ_FILE),
    ("/proc/loadavg", rights::READ_FILE),
    ("/proc/meminfo", rights::READ_FILE),
    ("/proc/stat", rights::READ_FILE),
    ("/proc/uptime", rights::READ_FILE),
    ("/proc/version", rights::READ_FILE),
    ("/proc/sys/kernel/osrelease", rights::READ_FILE),
    ("/proc/sys/kernel/random", rights::LOOK),
    ("/proc/sys/vm/overcommit_memory", rights::READ_FILE),
    ("/sys/devices/system/cpu", rights::LOOK),
];

/// What only a world of its own has: everything in it is the program's.
const OWN_WORLD: &[(&str, u64)] = &[
    ("/", rights::READ_DIR),
    ("/proc", rights::LOOK),
    ("/dev/shm", rights::CHANGE),
    ("/tmp", rights::CHANGE),
];

impl Abi {
    /// Whether cutting a file is a right of its own, as writing to it is.
    pub fn holds_truncation(self) -> bool {
        self.0 >= 3
    }

    /// Whether signals stay within the sandbox.
    pub fn holds_signals(self) -> bool {
        self.0 >= 6
    }

    fn files(self) -> u64 {
        let mut files = rights::FIRST;
        for (version, right) in [
            (2, rights::REFER),
            (3, rights::TRUNCATE),
            (5, rights::IOCTL_DEV),
        ] {
            if self.0 >= version {
                files |= right;
            }
        }
        files
    }

    /// What a ruleset for this policy takes in hand.
    fn handled(self, everything: bool, network: bool) -> Handled {
        // With all files and the network, sockets without a path are the caller's too.
        let scopes = if everything && network {
            SIGNALS
        } else {
            SIGNALS | ABSTRACT_SOCKETS
        };
        Handled {
            files: if everything { 0 } else { self.files() },
            ports: if network || self.0 < 4 { 0 } else { TCP },
            scopes: if self.0 < 6 { 0 } else { scopes },
        }
    }
}

/// The version of Landlock here; an error where there is none.
pub fn abi() -> Result<Abi, LayerError> {
    filter::landlock_version().map(Abi).map_err(|error| {
        let remedy = match error.raw_os_error() {
            Some(libc::EOPNOTSUPP) => {
                "the kernel has it but does not use it: add `landlock` to its boot parameter `lsm=`"
            }
            Some(libc::ENOSYS) => "a kernel from 5.13 on with CONFIG_SECURITY_LANDLOCK has it",
            _ => "the container that this runs in must allow the `landlock_*` calls",
        };
        LayerError::new(NAME, "there is none", &error, remedy)
    })
}

/// Confines this process to `view`, and to no TCP unless `network`. Paths are those
/// that the process sees. To be called by the process that becomes the program, after
/// `limits`: of `/proc` it leaves that process' own folder.
pub fn restrict(view: &View, network: bool) -> Result<Abi, LayerError> {
    confine(view, network, SHARED_PROC)
}

/// The same inside the strict tier's root, whose `/proc`, `/tmp` and `/dev/shm` are the
/// program's own.
pub fn restrict_in_own_world(view: &View, network: bool) -> Result<Abi, LayerError> {
    confine(view, network, OWN_WORLD)
}

fn confine(view: &View, network: bool, surroundings: &[(&str, u64)]) -> Result<Abi, LayerError> {
    let abi = abi()?;
    let handled = abi.handled(view.everything, network);
    if handled == Handled::default() {
        return Ok(abi);
    }
    super::no_new_privileges()?;
    let ruleset = filter::landlock_ruleset(&handled)
        .map_err(|error| failed("the ruleset could not be made", &error))?;
    if !view.everything {
        let rules = Rules {
            ruleset: ruleset.as_fd(),
            handled: handled.files,
        };
        for path in &view.readable {
            rules.allow(path, pinned::open(CWD, path), rights::READ)?;
        }
        for path in &view.writable {
            rules.allow(path, pinned::open(CWD, path), rights::CHANGE)?;
        }
        for (path, rights) in DEVICES.iter().chain(surroundings) {
            let path = Path::new(path);
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            let opened = rustix::fs::openat(CWD, path, flags, Mode::empty());
            rules.allow(path, opened, *rights)?;
        }
    }
    filter::landlock_restrict(ruleset.as_fd())
        .map_err(|error| failed("the ruleset could not be put on", &error))?;
    Ok(abi)
}

struct Rules<'a> {
    ruleset: BorrowedFd<'a>,
    handled: u64,
}

impl Rules<'_> {
    /// Allows `rights` on `path`; what is not there, or may not be reached, needs no rule.
    fn allow(
        &self,
        path: &Path,
        opened: Result<OwnedFd, Errno>,
        rights: u64,
    ) -> Result<(), LayerError> {
        let parent = match opened {
            Ok(parent) => parent,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => return Ok(()),
            Err(error) => return Err(failed(path.display(), &error.into())),
        };
        let rights = rights & self.handled;
        filter::landlock_allow(self.ruleset, parent.as_fd(), rights)
            .or_else(|error| match error.raw_os_error() {
                // A file, then: it cannot have a folder's rights.
                Some(libc::EINVAL) => {
                    filter::landlock_allow(self.ruleset, parent.as_fd(), rights & rights::OF_A_FILE)
                }
                _ => Err(error),
            })
            .map_err(|error| failed(path.display(), &error))
    }
}

fn failed(step: impl std::fmt::Display, error: &io::Error) -> LayerError {
    let remedy = match error.raw_os_error() {
        Some(libc::E2BIG) => "sixteen sandboxes within each other are the most",
        Some(libc::EMFILE | libc::ENFILE) => "more descriptors are needed: see `ulimit -n`",
        _ => "the container that this runs in must allow the `landlock_*` calls",
    };
    LayerError::new(NAME, step, error, remedy)
}

#[cfg(test)]
mod tests;
