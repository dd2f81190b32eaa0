//! Reading configuration files, and noticing later that one changed.

use std::cell::RefCell;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{Mode, OFlags};

/// Other programs keep their history in the same files as their servers.
const LARGEST: u64 = 16 << 20;
/// A file system's clock ticks in steps of up to this. What changed less than this
/// ago may change again without a sign.
const TICK: Duration = Duration::from_millis(50);

/// The files that were looked at, those that are not there included.
#[derive(Debug, Default)]
pub struct Disk {
    looked: RefCell<Vec<(PathBuf, Stamp)>>,
}

/// What a file was when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stamp {
    /// There is none, or it cannot be looked at.
    Absent,
    /// It is there.
    Present {
        device: u64,
        inode: u64,
        size: u64,
        mode: u32,
        owner: u32,
        modified: (i64, i64),
        changed: (i64, i64),
    },
    /// It changed just now: look again.
    Unsettled,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let changed = (metadata.ctime(), metadata.ctime_nsec());
        if !is_settled(changed) {
            return Stamp::Unsettled;
        }
        Stamp::Present {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            mode: metadata.mode(),
            owner: metadata.uid(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed,
        }
    }

    fn at(path: &Path) -> Self {
        match std::fs::metadata(path) {
            Ok(metadata) => Self::of(&metadata),
            Err(_) => Stamp::Absent,
        }
    }
}

fn is_settled((seconds, nanoseconds): (i64, i64)) -> bool {
    let (Ok(seconds), Ok(nanoseconds)) = (u64::try_from(seconds), u32::try_from(nanoseconds))
    else {
        return true;
    };
    let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
    SystemTime::now()
        .duration_since(changed)
        .is_ok_and(|age| age > TICK)
}

/// A file's text, and whose it is.
#[derive(Debug)]
pub struct Found {
    pub text: String,
    pub owner: u32,
    pub group: u32,
    pub mode: u32,
}

impl Disk {
    /// The text of a file; nothing where there is none. Never waits: what is no
    /// ordinary file is refused.
    pub fn read(&self, path: &Path) -> Result<Option<Found>, String> {
        match open(path) {
            Ok((file, metadata)) => {
                self.note(path, Stamp::of(&metadata));
                text(file, &metadata).map(Some)
            }
            Err(error) => {
                self.note(path, Stamp::at(path));
                match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
                    _ => Err(format!("cannot be read: {error}")),
                }
            }
        }
    }

    fn note(&self, path: &Path, stamp: Stamp) {
        self.looked.borrow_mut().push((path.to_path_buf(), stamp));
    }

    /// What was looked at.
    pub fn looked(self) -> Looked {
        Looked(self.looked.into_inner())
    }
}

/// What a reading depended on.
#[derive(Debug)]
pub struct Looked(Vec<(PathBuf, Stamp)>);

impl Looked {
    /// Whether every file still is what it was.
    pub fn is_fresh(&self) -> bool {
        let same = |(path, stamp): &(PathBuf, Stamp)| match stamp {
            Stamp::Unsettled => false,
            stamp => Stamp::at(path) == *stamp,
        };
        self.0.iter().all(same)
    }
}

fn open(path: &Path) -> io::Result<(File, Metadata)> {
    // Not blocking: opening a named pipe would wait for its writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

fn text(file: File, metadata: &Metadata) -> Result<Found, String> {
    if !metadata.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("is larger than {} MiB", LARGEST >> 20));
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        format!("is not UTF-8 (line {})", line + 1)
    })?;
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(Found {
        text,
        owner: metadata.uid(),
        group: metadata.gid(),
        mode: metadata.mode(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::fs;

    use super::super::Config;
    use super::super::testing::Home;

    fn load(home: &Home) -> Result<Config, String> {
        let folder = home.folder("work");
        Config::load(&home.places, &home.environment, &folder).map_err(|error| home.short(&error.0))
    }

    #[test]
    fn a_file_that_is_no_text_or_no_file_is_told_by_its_path() {
        let home = Home::new();
        let path = home.write(".config/mcpx/config.toml", "");
        fs::write(&path, b"# one\n# \xff\n").unwrap();
        assert_eq!(
            load(&home).unwrap_err(),
            "~/.config/mcpx/config.toml is not UTF-8 (line 2)"
        );
        fs::remove_file(&path).unwrap();
        home.folder(".config/mcpx/config.toml");
        assert_eq!(
            load(&home).unwrap_err(),
            "~/.config/mcpx/config.toml is not a file"
        );
    }

    #[test]
    fn a_mark_of_byte_order_is_not_part_of_the_text() {
        let home = Home::new();
        home.write(
            ".cursor/mcp.json",
            "\u{feff}{\"mcpServers\": {\"a\": {\"command\": \"a\"}}}",
        );
        assert_eq!(load(&home).unwrap().servers.len(), 1);
    }

    #[test]
    fn a_file_that_would_fill_the_memory_is_refused() {
        let home = Home::new();
        let path = home.write(".config/mcpx/config.toml", "");
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_len(super::LARGEST + 1).unwrap();
        assert_eq!(
            load(&home).unwrap_err(),
            "~/.config/mcpx/config.toml is larger than 16 MiB"
        );
    }
}
