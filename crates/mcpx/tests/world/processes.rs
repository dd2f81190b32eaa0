//! Which processes there are, by the environment that they were started with.

use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Pid;

/// A process that runs.
pub struct Process {
    pub id: Pid,
    words: String,
}

impl fmt::Display for Process {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let id = self.id.as_raw_nonzero();
        write!(formatter, "{id} {}", self.words)
    }
}

/// Every process that has `folder` in its environment: what was started there inherits
/// it, however far it went away.
pub fn with_folder(folder: &Path) -> Vec<Process> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let ids = ids.filter_map(Pid::from_raw);
    ids.filter(|&id| runs(id))
        .filter(|&id| contains(&read(id, "environ"), folder.as_os_str().as_bytes()))
        .map(|id| Process {
            id,
            words: String::from_utf8_lossy(&read(id, "cmdline")).replace('\0', " "),
        })
        .collect()
}

/// Whether a process is there and not only waiting to be collected.
pub fn runs(id: Pid) -> bool {
    let stat = read(id, "stat");
    // The state is behind the name, which may have brackets itself.
    let after = stat.iter().rposition(|&byte| byte == b')');
    after.is_some_and(|at| !matches!(stat.get(at + 2), None | Some(b'Z' | b'X')))
}

/// Waits until `done`, at most so long; whether it was.
pub fn wait(most: Duration, mut done: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    loop {
        if done() {
            return true;
        }
        if begun.elapsed() > most {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn read(id: Pid, what: &str) -> Vec<u8> {
    let id = id.as_raw_nonzero();
    fs::read(format!("/proc/{id}/{what}")).unwrap_or_default()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
