//! Makes the namespaces, and says who is who in them.
//!
//! Somebody without privileges is mapped to itself, by init; root keeps all users and
//! groups, which only the outside may write. Init's last word over the socket shows
//! that its maker lived after the death signal was set: from then on, one dies with
//! the other.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions};

use super::{Side, refusal};
use crate::layers::LayerError;
use crate::sys::world as sys;

/// Namespaces that every world has.
const ALWAYS: i32 = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// Every user but the one that stands for nobody at all.
const EVERYBODY: &str = "0 0 4294967295";

/// The namespaces of a world.
pub fn namespaces(network: bool) -> i32 {
    if network {
        ALWAYS
    } else {
        ALWAYS | libc::CLONE_NEWNET
    }
}

pub fn enter(network: bool) -> Result<Side, LayerError> {
    let identity = Identity::own();
    let (outside, inside) = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )
    .map_err(|error| refusal::step("user namespace", "making a socket for init", error.into()))?;
    let wanted = namespaces(network);
    match sys::clone_into(wanted) {
        Err(error) => Err(refusal::clone(wanted, &error)),
        Ok(None) => {
            drop(outside);
            arrive(&identity, &inside);
            Ok(Side::Inside)
        }
        Ok(Some(init)) => {
            drop(inside);
            match send_off(&identity, init, &outside) {
                Ok(()) => Ok(Side::Outside(init)),
                Err(error) => {
                    // Init ends by itself or is ended here; either way it is gone before
                    // anybody hears of it.
                    let _ = rustix::process::kill_process(init, Signal::KILL);
                    let _ = rustix::io::retry_on_intr(|| {
                        rustix::process::waitpid(Some(init), WaitOptions::empty())
                    });
                    Err(refusal::step(
                        "user namespace",
                        "mapping users and groups",
                        error,
                    ))
                }
            }
        }
    }
}

/// Who makes the world.
struct Identity {
    user: u32,
    group: u32,
}

impl Identity {
    fn own() -> Self {
        Self {
            user: rustix::process::geteuid().as_raw(),
            group: rustix::process::getegid().as_raw(),
        }
    }

    /// Whether the outside has to write the maps.
    fn is_root(&self) -> bool {
        self.user == 0
    }

    /// Maps the user and group to themselves and nobody else, for the process whose
    /// folder below `/proc` this is.
    fn map_itself(&self, process: &str) -> io::Result<()> {
        // The kernel lets nobody map groups who could then drop one that forbids something.
        write(process, "setgroups", "deny")?;
        write(process, "uid_map", &format!("{0} {0} 1", self.user))?;
        write(process, "gid_map", &format!("{0} {0} 1", self.group))
    }
}

/// Outside: writes the maps where only the outside may, and hears that init is ready.
fn send_off(identity: &Identity, init: Pid, socket: &OwnedFd) -> io::Result<()> {
    if identity.is_root() {
        map_everybody(identity, &init.as_raw_pid().to_string())?;
        send(socket, 0)?;
    }
    match receive(socket)? {
        Some(0) => Ok(()),
        Some(errno) => Err(io::Error::from_raw_os_error(errno)),
        None => Err(io::Error::other("init ended without a word")),
    }
}

/// Inside: comes back only where the world is complete and its maker lives.
fn arrive(identity: &Identity, socket: &OwnedFd) {
    let settled = rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(io::Error::from)
        .and_then(|()| {
            if identity.is_root() {
                receive(socket)?
                    .map(drop)
                    .ok_or(io::Error::from(Errno::PIPE))
            } else {
                identity.map_itself("self")
            }
        })
        .and_then(|()| {
            // The first to go where memory is short. Only a wish, and the last moment
            // for it: what init forks can write nothing below /proc.
            let _ = write("self", "oom_score_adj", "1000");
            Ok(rustix::process::set_dumpable_behavior(
                DumpableBehavior::NotDumpable,
            )?)
        });
    let errno = match &settled {
        Ok(()) => 0,
        Err(error) => error.raw_os_error().unwrap_or(libc::EIO),
    };
    // A maker that has died has closed its end.
    if send(socket, errno).is_err() || settled.is_err() {
        sys::leave(125);
    }
}

/// All users and groups there are, or all that this user namespace has, or root alone.
fn map_everybody(identity: &Identity, process: &str) -> io::Result<()> {
    for (file, itself) in [("uid_map", identity.user), ("gid_map", identity.group)] {
        write(process, file, EVERYBODY)
            .or_else(|_| write(process, file, &themselves(&read(file)?).unwrap_or_default()))
            .or_else(|_| {
                write(process, "setgroups", "deny")?;
                write(process, file, &format!("{itself} {itself} 1"))
            })?;
    }
    Ok(())
}

/// A map that maps what `map` (as the kernel shows it) maps, each to itself.
fn themselves(map: &str) -> Option<String> {
    let mut lines = String::new();
    for line in map.lines() {
        let mut numbers = line.split_whitespace();
        let (first, count) = (numbers.next()?, numbers.nth(1)?);
        lines.push_str(&format!("{first} {first} {count}\n"));
    }
    Some(lines)
}

fn write(process: &str, file: &str, text: &str) -> io::Result<()> {
    let path = format!("/proc/{process}/{file}");
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    // The kernel takes a map in one piece or not at all.
    rustix::io::write(file.as_fd(), text.as_bytes())?;
    Ok(())
}

fn read(file: &str) -> io::Result<String> {
    std::fs::read_to_string(format!("/proc/self/{file}"))
}

fn send(socket: &OwnedFd, errno: i32) -> io::Result<()> {
    rustix::net::send(socket, &errno.to_ne_bytes(), SendFlags::NOSIGNAL)?;
    Ok(())
}

/// What the other end said; nothing where it is gone.
fn receive(socket: &OwnedFd) -> io::Result<Option<i32>> {
    let mut bytes = [0; 4];
    let (count, _) =
        rustix::io::retry_on_intr(|| rustix::net::recv(socket, &mut bytes, RecvFlags::WAITALL))?;
    Ok((count == bytes.len()).then(|| i32::from_ne_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_of_a_container_becomes_one_of_the_same_users_to_themselves() {
        let map = "         0     100000      65536\n     65536       1000          1\n";
        assert_eq!(
            themselves(map).as_deref(),
            Some("0 0 65536\n65536 65536 1\n")
        );
    }

    #[test]
    fn a_map_that_is_none_is_not_used() {
        assert_eq!(themselves("0 0\n"), None);
    }

    #[test]
    fn the_hosts_network_stays_only_where_it_is_allowed() {
        assert_eq!(namespaces(true) & libc::CLONE_NEWNET, 0);
        assert_ne!(namespaces(false) & libc::CLONE_NEWNET, 0);
    }
}
