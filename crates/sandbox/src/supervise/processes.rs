//! The processes that a supervisor answers for: finds them in `/proc` and reaches them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use argway_core::policy::Tier;

use crate::layers::LayerError;
use crate::sys::spawn;

/// Rounds of stopping those that appear while others are stopped, before they are
/// killed all the same; another round of killing follows while anybody lives.
const ROUNDS: usize = 64;

/// Whom a supervisor answers for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Everybody in the world that it is the init of.
    World,
    /// Everybody who descends from it, in a world where hardly anybody else is.
    WithinWorld,
    /// Everybody who descends from it.
    Descendants,
}

/// A process at the moment it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub pid: i32,
    parent: i32,
    /// Processor time of its own, in ticks.
    pub own: u64,
    /// Processor time of children that it waited for, in ticks.
    pub waited: u64,
    pub threads: u64,
    /// When it started, in ticks since boot. With the pid, its identity.
    pub started: u64,
    /// Addresses in use, in bytes.
    pub addresses: u64,
    /// Pages in memory, shared ones too.
    pub resident: u64,
}

#[cfg(test)]
impl Process {
    pub fn for_test(pid: i32, own: u64, waited: u64, resident: u64) -> Self {
        Self {
            pid,
            parent: 1,
            own,
            waited,
            threads: 1,
            started: 0,
            addresses: 0,
            resident,
        }
    }
}

impl Reach {
    pub fn here(tier: Tier) -> Self {
        match (std::process::id(), tier) {
            (1, _) => Self::World,
            (_, Tier::Strict) => Self::WithinWorld,
            (_, Tier::Portable | Tier::Partial) => Self::Descendants,
        }
    }

    /// Everybody but this process, dead ones that nobody waited for too.
    pub fn look(self) -> Vec<Process> {
        match self {
            Self::World => all()
                .into_iter()
                .filter(|process| process.pid != 1)
                .collect(),
            Self::WithinWorld => descendants_of_all(myself()),
            Self::Descendants => descendants(),
        }
    }

    /// Sends a signal to everybody.
    pub fn send(self, signal: Signal) {
        match self {
            Self::World => {
                spawn::signal_world(signal);
            }
            Self::WithinWorld | Self::Descendants => {
                for process in self.look() {
                    send(&process, signal);
                }
            }
        }
    }

    /// Kills everybody that can be seen.
    pub fn kill(self) {
        match self {
            // Nobody can fork away from this: it reaches all at once.
            Self::World => {
                spawn::signal_world(Signal::KILL);
            }
            Self::WithinWorld | Self::Descendants => self.stop_and_kill(),
        }
    }

    /// Stops everybody until nobody new appears, so that none can fork away meanwhile, and
    /// kills them then.
    fn stop_and_kill(self) {
        let mut stopped: BTreeMap<i32, Process> = BTreeMap::new();
        for _ in 0..ROUNDS {
            let before = stopped.len();
            for process in self.look() {
                let known = stopped.insert(process.pid, process);
                if known.is_none_or(|known| known.started != process.started) {
                    send(&process, Signal::STOP);
                }
            }
            if stopped.len() == before {
                break;
            }
        }
        for process in stopped.values() {
            send(process, Signal::KILL);
        }
    }
}

/// Sends a signal to the process that was seen, not to one that has its pid by now.
fn send(process: &Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.pid) else {
        return;
    };
    let still = || one(process.pid).is_some_and(|now| now.started == process.started);
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) if still() => {
            let _ = pidfd_send_signal(handle, signal);
        }
        // Before Linux 5.3, and where descriptors have run out.
        Err(Errno::NOSYS | Errno::PERM | Errno::MFILE | Errno::NFILE | Errno::NOMEM) if still() => {
            let _ = rustix::process::kill_process(pid, signal);
        }
        _ => {}
    }
}

fn myself() -> i32 {
    std::process::id().cast_signed()
}

fn descendants() -> Vec<Process> {
    let me = myself();
    let Some(first) = children(me) else {
        return descendants_of_all(me);
    };
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([me]);
    let mut ahead = first;
    while let Some(pid) = ahead.pop() {
        if !seen.insert(pid) {
            continue;
        }
        if let Some(process) = one(pid) {
            found.push(process);
            ahead.extend(children(pid).unwrap_or_default());
        }
    }
    found
}

/// For kernels that do not list children, and where there are few processes: the lists
/// are one for each thread, and what the system remembers of having shown them makes the
/// end of every thread dearer.
fn descendants_of_all(me: i32) -> Vec<Process> {
    let all = all();
    let mut ours = BTreeSet::from([me]);
    loop {
        let before = ours.len();
        let more = all.iter().filter(|process| ours.contains(&process.parent));
        let more: Vec<i32> = more.map(|process| process.pid).collect();
        ours.extend(more);
        if ours.len() == before {
            break;
        }
    }
    ours.remove(&me);
    all.into_iter()
        .filter(|process| ours.contains(&process.pid))
        .collect()
}

/// Nothing where this kernel has no such lists.
fn children(pid: i32) -> Option<Vec<i32>> {
    let mut children = Vec::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => children.extend(list.split_ascii_whitespace().flat_map(str::parse::<i32>)),
            // Either the thread ended just now, or there are no lists at all.
            Err(_) if thread.path().exists() => return None,
            Err(_) => {}
        }
    }
    Some(children)
}

fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(one)
        .collect()
}

fn one(pid: i32) -> Option<Process> {
    use std::io::Read;
    // One line, and one read for it: this is done for everybody, many times a second.
    let mut line = [0; 1024];
    let mut file = fs::File::open(format!("/proc/{pid}/stat")).ok()?;
    let length = file.read(&mut line).ok()?;
    parse(pid, &line[..length])
}

/// Without `/proc` nobody is found, so that nobody is counted or ended.
pub(crate) fn can_be_seen() -> Result<(), LayerError> {
    let me = std::process::id();
    let seen = fs::metadata(format!("/proc/{me}/stat"));
    seen.map(drop).map_err(|error| {
        unseen(
            "processes cannot be seen in /proc",
            &error,
            "mount a /proc: `mount -t proc proc /proc`",
        )
    })
}

/// Whether `process`, which cannot be read, can be seen all the same.
pub(super) fn hides(process: Pid) -> Result<(), LayerError> {
    let path = format!("/proc/{}/stat", process.as_raw_nonzero());
    fs::read(path).map(drop).map_err(|error| {
        unseen(
            "a program could hide from /proc",
            &error,
            "mount it without `hidepid`, or with a `gid` of this user's",
        )
    })
}

fn unseen(what: &str, error: &std::io::Error, remedy: &str) -> LayerError {
    LayerError {
        layer: "watchdog",
        what: format!("{what}: {error}"),
        remedy: remedy.to_owned(),
        errno: error.raw_os_error().unwrap_or_default(),
    }
}

fn parse(pid: i32, stat: &[u8]) -> Option<Process> {
    // The name stands in parentheses and may hold anything, parentheses too.
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    let text = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    // Those of children may be negative on some kernels for a moment.
    let waited = |index: usize| number(index).unwrap_or_default();
    Some(Process {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        own: number(11)? + number(12)?,
        waited: waited(13) + waited(14),
        threads: number(17)?,
        started: number(19)?,
        addresses: number(20)?,
        resident: number(21)?,
    })
}

/// The memory of a process in bytes, what it shares counted in part; nothing where that
/// may not be known.
pub(super) fn share(pid: i32) -> Option<u64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let kilobytes = |name: &str| {
        let line = rollup.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_ascii_whitespace().next()?.parse::<u64>().ok()
    };
    Some((kilobytes("Pss:")? + kilobytes("SwapPss:").unwrap_or(0)) * 1024)
}

/// The memory in bytes in which the system notes where a process' pages are.
pub(super) fn tables(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmPTE:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[test]
    fn a_line_of_stat_is_read_whatever_the_name_holds() {
        let line = b"42 (a) R 1 (b) S 7 42 42 0 -1 4194304 9 8 7 6 100 20 3 4 20 0 5 0 12345 \
                     1000000 321 18446744073709551615 1 1 0 0 0\n";
        let expected = Process {
            pid: 42,
            parent: 7,
            own: 120,
            waited: 7,
            threads: 5,
            started: 12345,
            addresses: 1_000_000,
            resident: 321,
        };
        assert_eq!(parse(42, line), Some(expected));
        assert_eq!(parse(42, b"42 (short) S 1"), None);
    }

    #[test]
    fn descendants_are_found_with_and_without_lists_of_children() {
        let script = "sleep 60 & sleep 60 & wait";
        let mut child = std::process::Command::new("/bin/sh")
            .args(["-c", script])
            .spawn()
            .unwrap();
        let pid = child.id().cast_signed();
        let start = std::time::Instant::now();
        let family = |processes: Vec<Process>| {
            let mut family: Vec<i32> = processes
                .iter()
                .filter(|process| process.pid == pid || process.parent == pid)
                .map(|process| process.pid)
                .collect();
            family.sort_unstable();
            family
        };
        let me = std::process::id().cast_signed();
        let found = loop {
            let found = family(descendants());
            if found.len() == 3 || start.elapsed().as_secs() > 20 {
                break found;
            }
        };
        let without_lists = family(descendants_of_all(me));
        let group: Vec<Process> = found.iter().filter_map(|&pid| one(pid)).collect();
        for process in &group {
            send(process, Signal::KILL);
        }
        child.wait().unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(without_lists, found);
    }

    #[test]
    fn a_signal_for_somebody_who_is_gone_reaches_nobody() {
        let mut child = std::process::Command::new("/bin/sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let mut process = one(child.id().cast_signed()).unwrap();
        process.started += 1;
        send(&process, Signal::KILL);
        assert!(child.try_wait().unwrap().is_none());
        process.started -= 1;
        send(&process, Signal::KILL);
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn the_notes_on_memory_are_known() {
        let me = std::process::id().cast_signed();
        let tables = tables(me).unwrap();
        assert!(tables >= 4096);
        assert!(tables < one(me).unwrap().addresses);
        assert_eq!(super::tables(i32::MAX), None);
    }

    #[test]
    fn the_share_of_memory_is_at_most_what_is_resident() {
        let me = std::process::id().cast_signed();
        let share = share(me).unwrap();
        assert!(share > 0);
        // Numbers of two moments: twice is generous.
        assert!(share < 2 * one(me).unwrap().resident * spawn::page_size());
    }
}
