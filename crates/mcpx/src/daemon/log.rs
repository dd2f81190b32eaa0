//! What servers write to stderr: a bounded file each.
//!
//! A log never fails: where its file cannot be written, the last lines are still kept
//! in memory, for the error that may come.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How long a file may be before it is moved away, over the one before it.
const FILE_LIMIT: u64 = 1024 * 1024;
/// How much is kept in memory.
const TAIL_LIMIT: usize = 16 * 1024;
/// Logs that nobody has written to for this time are removed.
pub const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What one server said.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// None where it cannot be written.
    file: Option<File>,
    /// Bytes in the file.
    length: u64,
    tail: VecDeque<u8>,
}

impl Log {
    /// A log that goes on where the file ends.
    pub fn open(path: &Path) -> Self {
        let mut state = State::default();
        if let Ok((file, length)) = open(path) {
            state.file = Some(file);
            state.length = length;
        }
        Self {
            path: path.to_path_buf(),
            state: Mutex::new(state),
        }
    }

    /// Bytes as the server wrote them.
    pub fn write(&self, bytes: &[u8]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.remember(bytes);
        if state.length + bytes.len() as u64 > FILE_LIMIT {
            state.turn(&self.path);
        }
        let written = match &mut state.file {
            Some(file) => file.write_all(bytes),
            None => return,
        };
        match written {
            Ok(()) => state.length += bytes.len() as u64,
            // A full disk now does not mean a full disk at the next start.
            Err(_) => state.file = None,
        }
    }

    /// A line of mcpx's own.
    pub fn note(&self, text: &str) {
        self.write(format!("mcpx: {text}\n").as_bytes());
    }

    /// The last lines, whole ones where there is more than one.
    pub fn tail(&self) -> String {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = state.tail.iter().copied().collect();
        let mut tail = &bytes[..];
        if tail.len() == TAIL_LIMIT
            && let Some(end) = tail.iter().position(|&byte| byte == b'\n')
            && end + 1 < tail.len()
        {
            tail = &tail[end + 1..];
        }
        String::from_utf8_lossy(tail).trim_end().to_owned()
    }
}

impl State {
    fn remember(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(TAIL_LIMIT)..];
        let surplus = (self.tail.len() + bytes.len()).saturating_sub(TAIL_LIMIT);
        self.tail.drain(..surplus);
        self.tail.extend(bytes);
    }

    /// Moves the file away and begins another.
    fn turn(&mut self, path: &Path) {
        if self.file.take().is_none() || fs::rename(path, earlier(path)).is_err() {
            return;
        }
        if let Ok((file, length)) = open(path) {
            self.file = Some(file);
            self.length = length;
        }
    }
}

/// Where the file before this one is.
fn earlier(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    PathBuf::from(name)
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    // What is there already must be a file of our own: a link could lead anywhere.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = File::options()
        .create(true)
        .append(true)
        .mode(0o600)
        .custom_flags(flags.bits() as i32)
        .open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok((file, found.len()))
}

/// Removes the logs in a folder that were not written to for so long before `now`.
/// What cannot be removed stays.
pub fn sweep(folder: &Path, now: SystemTime, kept_for: Duration) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(data) = entry.metadata() else { continue };
        let age = data.modified().ok().map(|then| now.duration_since(then));
        if data.is_file() && matches!(age, Some(Ok(age)) if age > kept_for) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_flood_leaves_two_files_of_a_bounded_size_and_the_last_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logs/fake.log");
        let log = Log::open(&path);
        let line = "noise ".repeat(1000) + "\n";
        for _ in 0..1000 {
            log.write(line.as_bytes());
        }
        log.write(b"the last line\n");
        let length = |path: &Path| fs::metadata(path).unwrap().len();
        assert!(length(&path) <= FILE_LIMIT);
        assert!(length(&earlier(&path)) <= FILE_LIMIT);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 2);
        let tail = log.tail();
        assert!(tail.ends_with("the last line"), "{tail}");
        assert!(tail.starts_with("noise "), "{tail}");
        assert!(tail.len() <= TAIL_LIMIT);
    }

    #[test]
    fn files_are_for_the_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logs/fake.log");
        Log::open(&path).write(b"x");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }

    #[test]
    fn a_link_is_not_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let (victim, path) = (folder.path().join("victim"), folder.path().join("fake.log"));
        fs::write(&victim, "mine").unwrap();
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        let log = Log::open(&path);
        log.write(b"noise\n");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
        assert_eq!(log.tail(), "noise", "it is still kept in memory");
    }

    #[test]
    fn a_log_goes_on_where_it_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fake.log");
        Log::open(&path).write(b"one\n");
        Log::open(&path).write(b"two\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    }

    #[test]
    fn without_a_file_the_last_lines_are_still_known() {
        let log = Log::open(Path::new("/dev/null/no/such.log"));
        log.write(b"no database here\n");
        assert_eq!(log.tail(), "no database here");
    }

    #[test]
    fn only_old_logs_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fake.log");
        Log::open(&path).write(b"x");
        let now = SystemTime::now();
        sweep(folder.path(), now, KEPT_FOR);
        assert!(path.exists());
        sweep(folder.path(), now + KEPT_FOR + KEPT_FOR, KEPT_FOR);
        assert!(!path.exists());
    }
}
