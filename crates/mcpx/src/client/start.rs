//! Starts the daemon: this same binary, under another name, on its own.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};

use super::{inherited, system};
use crate::exit::Failure;

/// How long a daemon may take to listen.
const START_TIME: Duration = Duration::from_secs(10);
const LONGEST_COMPLAINT: usize = 4 << 10;

/// Comes back when a new daemon listens.
pub fn daemon() -> Result<(), Failure> {
    inherited::keep_from_children();
    let mut child = Command::new(own_binary())
        .arg0("mcpxd")
        // Nothing is held back by a folder that somebody wants to unmount.
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        // Who started it is chance: no secret of the first caller lives on in it. What a
        // server gets is the environment of its own caller.
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| is_needed(name)))
        // Freed memory goes back to the system: the daemon waits more than it works.
        .env("MALLOC_ARENA_MAX", "2")
        .env("MALLOC_TRIM_THRESHOLD_", "131072")
        .env("MALLOC_MMAP_THRESHOLD_", "131072")
        .spawn()
        .map_err(|error| system("the daemon cannot be started", error))?;
    let said = match child.stdout.take() {
        Some(pipe) => first_line(File::from(std::os::fd::OwnedFd::from(pipe))),
        None => Ok(None),
    };
    let complaint = match said {
        // An empty line: it listens.
        Ok(Some(line)) if line.is_empty() => return Ok(()),
        Ok(Some(line)) => Some(line),
        Ok(None) => None,
        Err(error) => Some(error.to_string()),
    };
    // Whatever it does now, it is no daemon for us.
    _ = child.kill();
    let status = child.wait();
    let complaint = complaint.unwrap_or_else(|| match status {
        Ok(status) => format!("it ended with {status}"),
        Err(error) => error.to_string(),
    });
    Err(system("the daemon did not start", complaint))
}

/// Whether the daemon itself needs a variable: to find its places and the system's
/// certificates, to be loaded at all, and to be watched when it is searched for faults.
fn is_needed(name: &OsStr) -> bool {
    const NAMES: [&str; 10] = [
        "HOME",
        "PATH",
        "TMPDIR",
        "LANG",
        "TZ",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "RUST_BACKTRACE",
        "MCPX_IDLE",
        "LLVM_PROFILE_FILE",
    ];
    const BEGINNINGS: [&str; 5] = ["XDG_", "LC_", "MALLOC_", "LD_", "DYLD_"];
    let Some(name) = name.to_str() else {
        return false;
    };
    NAMES.contains(&name) || BEGINNINGS.iter().any(|start| name.starts_with(start))
}

/// This program's file, even if it was replaced or removed since it was started.
fn own_binary() -> PathBuf {
    match std::env::current_exe() {
        Ok(path) if path.exists() => path,
        _ => PathBuf::from("/proc/self/exe"),
    }
}

/// The first line, without its end; nothing if there is none.
fn first_line(mut pipe: File) -> io::Result<Option<String>> {
    let deadline = Instant::now() + START_TIME;
    let mut said = Vec::new();
    loop {
        if let Some(end) = said.iter().position(|byte| *byte == b'\n') {
            return Ok(Some(String::from_utf8_lossy(&said[..end]).into_owned()));
        }
        if said.len() > LONGEST_COMPLAINT {
            return Err(io::Error::other("it said something that is no answer"));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = left.try_into().map_err(io::Error::other)?;
        let mut waiting = [PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)];
        match poll(&mut waiting, Some(&timeout)) {
            Ok(0) => {
                let seconds = START_TIME.as_secs();
                return Err(io::Error::other(format!(
                    "it did not listen within {seconds} s"
                )));
            }
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let mut piece = [0; 512];
        match pipe.read(&mut piece)? {
            0 => return Ok(None),
            count => said.extend_from_slice(&piece[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_daemon_gets_what_it_needs_and_no_secret_of_its_first_caller() {
        for name in [
            "HOME",
            "XDG_RUNTIME_DIR",
            "LC_ALL",
            "SSL_CERT_FILE",
            "MCPX_IDLE",
        ] {
            assert!(is_needed(OsStr::new(name)), "{name}");
        }
        for name in [
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "https_proxy",
            "HOMEPAGE",
            "SHLVL",
        ] {
            assert!(!is_needed(OsStr::new(name)), "{name}");
        }
    }
}
