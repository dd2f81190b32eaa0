//! Looks at the system's processes through `/proc`. Linux only; elsewhere there
//! is nothing to see and process groups must do.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Clock ticks a second in `/proc`: fixed by the kernel's interface (USER_HZ).
const TICKS: u64 = 100;

/// A process at the moment it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub pid: i32,
    pub parent: i32,
    pub group: i32,
    pub session: i32,
    /// It ended and waits for its parent to notice.
    pub zombie: bool,
    /// When it started, in ticks since boot. With the pid, its identity.
    pub started: u64,
}

/// Every process that can be seen, by pid.
pub(super) fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let mut processes: Vec<Process> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(one)
        .collect();
    processes.sort_unstable_by_key(|process| process.pid);
    processes
}

/// The process called `pid`, if there is one.
pub(super) fn one(pid: i32) -> Option<Process> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold anything, parentheses too.
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    let text = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let state = fields.next()?;
    let mut number = || fields.next()?.parse().ok();
    let (parent, group, session) = (number()?, number()?, number()?);
    Some(Process {
        pid,
        parent,
        group,
        session,
        zombie: matches!(state, "Z" | "X"),
        started: text.split_ascii_whitespace().nth(19)?.parse().ok()?,
    })
}

/// The caller's own children, dead ones too.
pub(super) fn children() -> Vec<i32> {
    let Ok(threads) = fs::read_dir("/proc/self/task") else {
        return Vec::new();
    };
    let mut children = Vec::new();
    for thread in threads.flatten() {
        let Ok(list) = fs::read_to_string(thread.path().join("children")) else {
            // A kernel without these lists: look at everybody.
            let me = rustix::process::getpid().as_raw_nonzero().get();
            let mine = all().into_iter().filter(|process| process.parent == me);
            return mine.map(|process| process.pid).collect();
        };
        children.extend(list.split_ascii_whitespace().flat_map(str::parse::<i32>));
    }
    children
}

/// The value of `variable` that a process was started with, where it may be seen.
pub(super) fn variable(pid: i32, variable: &str) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environment.split(|&byte| byte == 0).find_map(|entry| {
        let value = entry
            .strip_prefix(variable.as_bytes())?
            .strip_prefix(b"=")?;
        String::from_utf8(value.to_vec()).ok()
    })
}

/// Whether a process has one of these pipes open. Not to be seen counts as yes.
pub(super) fn holds(pid: i32, pipes: &[u64]) -> bool {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else {
        return Path::new(&format!("/proc/{pid}")).exists();
    };
    entries
        .flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok())
        .any(|target| {
            let name = target.as_os_str().as_bytes();
            pipes
                .iter()
                .any(|inode| name == format!("pipe:[{inode}]").as_bytes())
        })
}

/// Now, in ticks since boot.
pub(super) fn now() -> Option<u64> {
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let (seconds, hundredths) = uptime.split_ascii_whitespace().next()?.split_once('.')?;
    Some(seconds.parse::<u64>().ok()? * TICKS + hundredths.parse::<u64>().ok()?)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_test_itself_is_seen_as_it_is() {
        let me = one(std::process::id().cast_signed()).unwrap();
        let parent = rustix::process::getppid().map_or(0, |parent| parent.as_raw_nonzero().get());
        assert_eq!(me.parent, parent);
        // In a container the group and the session may be those of nobody there.
        if me.group != 0 {
            assert_eq!(me.group, rustix::process::getpgrp().as_raw_nonzero().get());
        }
        if me.session != 0 {
            let session = rustix::process::getsid(None).unwrap();
            assert_eq!(me.session, session.as_raw_nonzero().get());
        }
        assert!(!me.zombie);
        assert!(me.started <= now().unwrap());
        assert!(all().contains(&me));
    }

    #[test]
    fn a_name_with_parentheses_does_not_confuse() {
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("a) R 1 (b");
        std::fs::copy("/bin/sleep", &odd).unwrap();
        let mut child = std::process::Command::new(&odd).arg("60").spawn().unwrap();
        let seen = one(child.id().cast_signed());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(seen.unwrap().parent, std::process::id().cast_signed());
    }
}
