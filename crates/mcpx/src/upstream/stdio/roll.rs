//! The roll of the daemon's child processes, in one small private file: a daemon that is
//! killed leaves it to the next one, which ends what is still there.
//!
//! A process is known by more than its number, which may be another's by now: the boot
//! and the namespace that the number is of, and the time of its start. What it has
//! started is known by its group, in the session that the daemon had for itself.
//! Where there is no `/proc`, nobody is on the roll.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, geteuid};

/// Every daemon has a file of its own: an old one may still be serving its last calls.
const PREFIX: &str = "mcpx.children.";
/// A file that is larger is not ours.
const LARGEST: u64 = 256 * 1024;
/// More files than this are not looked at.
const MOST_FILES: usize = 64;
/// How long processes have to end after they were asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How long they are killed at most: what a signal cannot end stays.
const KILLING: Duration = Duration::from_secs(2);
const BETWEEN: Duration = Duration::from_millis(20);

/// The processes that this daemon has started and that have not ended.
#[derive(Debug)]
pub struct Roll {
    folder: Option<PathBuf>,
    /// The number and start of each group's leader.
    leaders: Mutex<BTreeMap<i32, u64>>,
}

impl Roll {
    /// A roll that is kept in this folder.
    pub fn new(folder: &Path) -> Arc<Self> {
        Arc::new(Self {
            folder: Some(folder.to_path_buf()),
            leaders: Mutex::default(),
        })
    }

    /// A roll that nobody will read.
    #[cfg(test)]
    pub fn fleeting() -> Arc<Self> {
        Arc::new(Self {
            folder: None,
            leaders: Mutex::default(),
        })
    }

    /// Notes the leader of a group, until the result is dropped.
    pub fn enter(self: &Arc<Self>, leader: Pid) -> Entry {
        let leader = leader.as_raw_nonzero().get();
        if let Some(process) = Seen::of(leader) {
            self.change(|leaders| {
                leaders.insert(leader, process.started);
            });
        }
        Entry {
            roll: Arc::clone(self),
            leader,
        }
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<i32, u64>)) {
        let mut leaders = self.leaders.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut leaders);
        if let Some(folder) = &self.folder {
            // A disk that is full costs the next daemon's help, not this one's work.
            _ = write(folder, &leaders);
        }
    }
}

/// A process on the roll.
#[derive(Debug)]
pub struct Entry {
    roll: Arc<Roll>,
    leader: i32,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.roll.change(|leaders| {
            leaders.remove(&self.leader);
        });
    }
}

/// Ends what daemons have left behind that are not there any more. Blocks for as long as
/// that takes, some seconds at most.
pub fn end_left_behind(folder: &Path) {
    let Some(world) = world() else {
        return;
    };
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let names = entries.flatten().map(|entry| entry.path());
    let rolls = names.filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(PREFIX))
    });
    let mut left = Vec::new();
    for path in rolls.take(MOST_FILES) {
        match read(&path) {
            // Of another boot everything is gone; of another namespace nothing is seen.
            Some(found) if found.world != world => {
                if found.boot() != boot_of(&world) {
                    _ = fs::remove_file(&path);
                }
            }
            Some(found) if found.daemon.is_there() => {}
            Some(found) => left.push((path, found)),
            None => _ = fs::remove_file(&path),
        }
    }
    end(&left);
    for (path, found) in &left {
        if found.processes().is_empty() {
            _ = fs::remove_file(path);
        }
    }
}

fn end(left: &[(PathBuf, Found)]) {
    let all = || -> Vec<Seen> { left.iter().flat_map(|(_, roll)| roll.processes()).collect() };
    for process in all() {
        process.send(Signal::TERM);
        // A stopped process hears nothing until it goes on.
        process.send(Signal::CONT);
    }
    let asked = Instant::now();
    while !all().is_empty() && asked.elapsed() < GRACE {
        sleep(BETWEEN);
    }
    let killing = Instant::now();
    loop {
        let processes = all();
        if processes.is_empty() || killing.elapsed() > KILLING {
            return;
        }
        for process in processes {
            process.send(Signal::KILL);
        }
        sleep(BETWEEN);
    }
}

/// The roll of some daemon.
#[derive(Debug)]
struct Found {
    world: String,
    daemon: Known,
    /// Whether the daemon had a session for itself.
    alone: bool,
    leaders: Vec<Known>,
}

/// A process that was noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Known {
    pid: i32,
    started: u64,
}

impl Known {
    fn is_there(self) -> bool {
        Seen::of(self.pid).is_some_and(|seen| seen.started == self.started && !seen.over)
    }
}

impl Found {
    fn boot(&self) -> &str {
        boot_of(&self.world)
    }

    /// Those on the roll that are still there, with all of their groups.
    fn processes(&self) -> Vec<Seen> {
        let mut found = everybody();
        found.retain(|seen| !seen.over && seen.is_ours() && self.has(seen));
        found
    }

    fn has(&self, seen: &Seen) -> bool {
        self.leaders.iter().any(|leader| {
            let is_leader = seen.pid == leader.pid && seen.started == leader.started;
            // The number of a group or session is not given away while it has members.
            let is_member = self.alone
                && seen.group == leader.pid
                && seen.session == self.daemon.pid
                && seen.started >= leader.started;
            is_leader || is_member
        })
    }
}

/// A process at the moment it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    pid: i32,
    group: i32,
    session: i32,
    /// It ended and waits for its parent to notice.
    over: bool,
    /// In ticks since boot.
    started: u64,
}

impl Seen {
    fn of(pid: i32) -> Option<Self> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        // The name stands in parentheses and may hold anything, parentheses too.
        let end = stat.iter().rposition(|&byte| byte == b')')?;
        let text = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
        let fields: Vec<&str> = text.split_ascii_whitespace().take(20).collect();
        let number = |at: usize| fields.get(at)?.parse().ok();
        Some(Self {
            pid,
            group: number(2)?,
            session: number(3)?,
            over: matches!(*fields.first()?, "Z" | "X"),
            started: fields.get(19)?.parse().ok()?,
        })
    }

    fn is_ours(&self) -> bool {
        let owner = fs::metadata(format!("/proc/{}", self.pid));
        owner.is_ok_and(|found| found.uid() == geteuid().as_raw())
    }

    /// Sends a signal to the process that was seen, not to one that has its number now.
    #[cfg(target_os = "linux")]
    fn send(&self, signal: Signal) {
        use rustix::io::Errno;
        use rustix::process::{PidfdFlags, kill_process, pidfd_open, pidfd_send_signal};
        let Some(pid) = Pid::from_raw(self.pid) else {
            return;
        };
        let still = || Seen::of(self.pid).is_some_and(|now| now.started == self.started);
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(handle) if still() => _ = pidfd_send_signal(handle, signal),
            Err(Errno::NOSYS | Errno::PERM) if still() => _ = kill_process(pid, signal),
            _ => {}
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn send(&self, _signal: Signal) {}
}

fn everybody() -> Vec<Seen> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(Seen::of)
        .collect()
}

/// What the numbers of processes mean here: this boot, this namespace.
fn world() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), namespace.display()))
}

fn boot_of(world: &str) -> &str {
    world.split(' ').next().unwrap_or_default()
}

fn write(folder: &Path, leaders: &BTreeMap<i32, u64>) -> io::Result<()> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let path = folder.join(format!("{PREFIX}{own}"));
    if leaders.is_empty() {
        return fs::remove_file(path);
    }
    let (Some(world), Some(daemon)) = (world(), Seen::of(own)) else {
        return Ok(());
    };
    let alone = match daemon.session == own {
        true => "alone",
        false => "among others",
    };
    let mut text = format!("{world}\n{own} {}\n{alone}\n", daemon.started);
    for (pid, started) in leaders {
        text.push_str(&format!("{pid} {started}\n"));
    }
    let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
    fresh.write_all(text.as_bytes())?;
    fresh.persist(path)?;
    Ok(())
}

/// What a file says; nothing of one that is not ours alone, or is no roll.
fn read(path: &Path) -> Option<Found> {
    // A link is not followed, and a pipe not waited for.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut options = fs::OpenOptions::new();
    options.read(true).custom_flags(flags.bits() as i32);
    let file = options.open(path).ok()?;
    let found = file.metadata().ok()?;
    if !found.is_file() || found.uid() != geteuid().as_raw() || found.mode() & 0o077 != 0 {
        return None;
    }
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).ok()?;
    parse(&text)
}

fn parse(text: &str) -> Option<Found> {
    let mut lines = text.lines();
    let (world, daemon, alone) = (lines.next()?, lines.next()?, lines.next()?);
    Some(Found {
        world: world.to_owned(),
        daemon: known(daemon)?,
        alone: alone == "alone",
        leaders: lines.map(known).collect::<Option<_>>()?,
    })
}

fn known(line: &str) -> Option<Known> {
    let (pid, started) = line.split_once(' ')?;
    Some(Known {
        pid: pid.parse().ok().filter(|pid| *pid > 1)?,
        started: started.parse().ok()?,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    use super::*;

    fn sleeper() -> Child {
        let mut command = Command::new("/bin/sleep");
        command.arg("600").process_group(0).spawn().unwrap()
    }

    fn pid(child: &Child) -> i32 {
        child.id().cast_signed()
    }

    fn runs(child: &mut Child) -> bool {
        child.try_wait().unwrap().is_none()
    }

    /// A process that was and is no more.
    fn dead() -> Known {
        let mut child = sleeper();
        let seen = Seen::of(pid(&child)).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        Known {
            pid: seen.pid,
            started: seen.started,
        }
    }

    fn leave(folder: &Path, world: &str, daemon: Known, leader: Known) -> PathBuf {
        let path = folder.join(format!("{PREFIX}{}", daemon.pid));
        let text = format!(
            "{world}\n{} {}\nalone\n{} {}\n",
            daemon.pid, daemon.started, leader.pid, leader.started
        );
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        path
    }

    fn now(pid: i32) -> Known {
        let started = Seen::of(pid).unwrap().started;
        Known { pid, started }
    }

    #[test]
    fn a_roll_is_private_and_gone_with_the_last_on_it() {
        let folder = tempfile::tempdir().unwrap();
        let roll = Roll::new(folder.path());
        let mut children = [sleeper(), sleeper()];
        let entries = children.each_ref().map(|child| {
            let pid = Pid::from_raw(pid(child)).unwrap();
            roll.enter(pid)
        });
        let own = std::process::id();
        let path = folder.path().join(format!("{PREFIX}{own}"));
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        let found = read(&path).unwrap();
        assert_eq!(found.world, world().unwrap());
        assert_eq!(found.daemon, now(own.cast_signed()));
        let mut leaders = children.each_ref().map(|child| now(pid(child))).to_vec();
        leaders.sort_by_key(|leader| leader.pid);
        assert_eq!(found.leaders, leaders);
        drop(entries);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    #[test]
    fn what_a_dead_daemon_left_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = sleeper();
        let path = leave(folder.path(), &world().unwrap(), dead(), now(pid(&child)));
        end_left_behind(folder.path());
        assert!(!runs(&mut child));
        assert!(!path.exists());
    }

    #[test]
    fn nobody_else_is_ended() {
        let here = world().unwrap();
        let (boot, namespace) = here.split_once(' ').unwrap();
        let mut child = sleeper();
        let leader = now(pid(&child));
        let older = Known {
            started: leader.started - 1,
            ..leader
        };
        let alive = now(std::process::id().cast_signed());
        let cases = [
            (
                "another has its number",
                here.as_str(),
                dead(),
                older,
                false,
            ),
            ("its daemon lives", &here, alive, leader, true),
            (
                "of another boot",
                &format!("x {namespace}"),
                dead(),
                leader,
                false,
            ),
            (
                "of another namespace",
                &format!("{boot} pid:[1]"),
                dead(),
                leader,
                true,
            ),
        ];
        for (case, world, daemon, leader, kept) in cases {
            let folder = tempfile::tempdir().unwrap();
            let path = leave(folder.path(), world, daemon, leader);
            end_left_behind(folder.path());
            assert!(runs(&mut child), "{case}");
            assert_eq!(path.exists(), kept, "{case}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = leave(folder.path(), &here, dead(), leader);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        end_left_behind(folder.path());
        assert!(runs(&mut child), "others could have written it");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
