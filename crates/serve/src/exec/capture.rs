//! Keeps what one stream says: all of it while it is little, both ends and a
//! file once it is much. Memory is bounded whatever a program prints.

use std::collections::VecDeque;
use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use argway_core::output::Captured;
use tempfile::NamedTempFile;

use super::Limits;

/// A line of stderr longer than this is cut for events; the result has all of it.
const LONGEST_LINE: usize = 4096;

/// Files with long output stay for so long.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// Whether a stream may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// There is room for more.
    Left,
    /// The limit of so many bytes is passed.
    Full(u64),
}

/// One stream while it is read.
#[derive(Debug)]
pub(super) struct Capture {
    name: &'static str,
    keep: usize,
    spill: u64,
    folders: Vec<PathBuf>,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    file: Spill,
}

#[derive(Debug)]
enum Spill {
    /// Memory still holds everything.
    NotNeeded,
    To(NamedTempFile),
    /// The disk would not take it: both ends are all there is.
    Failed,
}

impl Capture {
    pub fn new(name: &'static str, limits: &Limits) -> Self {
        Self {
            name,
            keep: limits.keep,
            spill: limits.spill.max(limits.keep as u64),
            folders: limits.spill_folders.clone(),
            head: Vec::new(),
            tail: VecDeque::new(),
            total: 0,
            file: Spill::NotNeeded,
        }
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// Takes what was read. Past the limit nothing more goes to the file.
    pub fn push(&mut self, bytes: &[u8]) -> Room {
        let before = self.total;
        self.total += bytes.len() as u64;
        if self.total <= self.keep as u64 {
            self.head.extend_from_slice(bytes);
            return Room::Left;
        }
        let limit = match self.folders.is_empty() {
            false => self.spill,
            true => self.keep as u64,
        };
        if matches!(self.file, Spill::NotNeeded) {
            self.overflow();
        }
        let room = usize::try_from(limit.saturating_sub(before)).unwrap_or(usize::MAX);
        self.write(&bytes[..bytes.len().min(room)]);
        self.remember(bytes);
        if self.total > limit {
            Room::Full(limit)
        } else {
            Room::Left
        }
    }

    /// Moves from "all in memory" to "both ends in memory, all in a file".
    fn overflow(&mut self) {
        let file = (self.folders.iter()).find_map(|folder| create(folder, self.name).ok());
        self.file = file.map_or(Spill::Failed, Spill::To);
        let head = std::mem::take(&mut self.head);
        self.write(&head);
        let cut = head.len().min(self.keep.div_ceil(2));
        self.head = head[..cut].to_vec();
        self.remember(&head[cut..]);
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Spill::To(file) = &mut self.file
            && file.write_all(bytes).is_err()
        {
            // Half a file would pass for the whole: better none.
            self.file = Spill::Failed;
        }
    }

    /// Fills the head up, then lets the rest run through the tail.
    fn remember(&mut self, mut bytes: &[u8]) {
        let head_room = self.keep.div_ceil(2).saturating_sub(self.head.len());
        let (more, rest) = bytes.split_at(bytes.len().min(head_room));
        self.head.extend_from_slice(more);
        let most = self.keep - self.keep.div_ceil(2);
        bytes = &rest[rest.len().saturating_sub(most)..];
        let excess = (self.tail.len() + bytes.len()).saturating_sub(most);
        self.tail.drain(..excess);
        self.tail.extend(bytes);
    }

    pub fn finish(self) -> Captured {
        let file = match self.file {
            Spill::To(file) => file.keep().ok().map(|(_, path)| path),
            Spill::NotNeeded | Spill::Failed => None,
        };
        Captured {
            head: self.head,
            tail: self.tail.into(),
            total: self.total,
            file,
        }
    }
}

/// A new file that only its owner can read, in a folder that only its owner can
/// enter.
fn create(folder: &Path, name: &str) -> io::Result<NamedTempFile> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let meta = std::fs::symlink_metadata(folder)?;
    let mine = meta.uid() == rustix::process::geteuid().as_raw();
    if !meta.is_dir() || !mine || meta.mode() & 0o077 != 0 {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("{} is not a private folder", folder.display()),
        ));
    }
    remove_old(folder);
    tempfile::Builder::new()
        .prefix(&format!("{name}-"))
        .suffix(".txt")
        .rand_bytes(10)
        .tempfile_in(folder)
}

/// Removes files that nobody will ask for any more.
fn remove_old(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let age = entry.metadata().and_then(|meta| meta.modified());
        let is_old = age.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > KEPT));
        if is_old {
            // Another server may have been faster.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Cuts a stream into lines as they become whole.
#[derive(Debug, Default)]
pub(super) struct Lines {
    partial: Vec<u8>,
    cut: bool,
}

impl Lines {
    /// Hands every line that `bytes` completes to `each`.
    pub fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(String)) {
        let mut parts = bytes.split(|&byte| byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            let room = LONGEST_LINE.saturating_sub(self.partial.len());
            self.cut |= part.len() > room;
            self.partial
                .extend_from_slice(&part[..part.len().min(room)]);
            if parts.peek().is_some() {
                self.flush(each);
            }
        }
    }

    /// Hands over what is left without a newline.
    pub fn flush(&mut self, each: &mut dyn FnMut(String)) {
        let mut line = argway_core::output::shown(&std::mem::take(&mut self.partial));
        if std::mem::take(&mut self.cut) {
            line.push('…');
        }
        if !line.trim().is_empty() {
            each(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn limits(keep: usize, spill: u64, folder: Option<&Path>) -> Limits {
        Limits {
            timeout: std::time::Duration::from_secs(1),
            keep,
            spill,
            spill_folders: folder.into_iter().map(Path::to_path_buf).collect(),
        }
    }

    fn feed(capture: &mut Capture, bytes: &[u8], step: usize) -> Room {
        bytes
            .chunks(step)
            .map(|part| capture.push(part))
            .last()
            .unwrap_or(Room::Left)
    }

    #[test]
    fn what_fits_stays_in_memory_and_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let spill = folder.path().join("deep/er");
        let mut capture = Capture::new("stdout", &limits(10, 100, Some(&spill)));
        assert_eq!(feed(&mut capture, b"0123456789", 3), Room::Left);
        let captured = capture.finish();
        assert_eq!(captured.head, b"0123456789");
        assert_eq!((captured.tail.len(), captured.file), (0, None));
        assert!(!spill.exists());
    }

    #[test]
    fn what_does_not_fit_is_whole_in_a_private_file_whatever_the_pieces() {
        for step in [1, 3, 7, 10, 11, 60] {
            let folder = tempfile::tempdir().unwrap();
            let spill = folder.path().join("deep/er");
            let all: Vec<u8> = (0..60).collect();
            let mut capture = Capture::new("stdout", &limits(10, 100, Some(&spill)));
            assert_eq!(feed(&mut capture, &all, step), Room::Left);
            let captured = capture.finish();
            assert_eq!(captured.head, &all[..5], "step {step}");
            assert_eq!(captured.tail, &all[55..], "step {step}");
            assert_eq!(captured.total, 60);
            let file = captured.file.unwrap();
            assert_eq!(std::fs::read(&file).unwrap(), all, "step {step}");
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&file), mode(&spill)), (0o600, 0o700));
        }
    }

    #[test]
    fn the_file_ends_exactly_at_its_limit() {
        for step in [1, 7, 45] {
            let folder = tempfile::tempdir().unwrap();
            let spill = folder.path().join("spill");
            let mut capture = Capture::new("stdout", &limits(10, 30, Some(&spill)));
            assert_eq!(feed(&mut capture, &[7; 45], step), Room::Full(30));
            let captured = capture.finish();
            assert_eq!(captured.total, 45);
            assert_eq!(std::fs::read(captured.file.unwrap()).unwrap(), [7; 30]);
        }
    }

    #[test]
    fn without_a_folder_the_memory_limit_is_the_limit() {
        let mut capture = Capture::new("stdout", &limits(10, 30, None));
        assert_eq!(feed(&mut capture, &[7; 10], 3), Room::Left);
        assert_eq!(capture.push(&[8]), Room::Full(10));
    }

    #[test]
    fn a_folder_that_others_can_enter_gets_no_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let mut capture = Capture::new("stdout", &limits(4, 30, Some(folder.path())));
        assert_eq!(feed(&mut capture, b"0123456789", 10), Room::Left);
        let captured = capture.finish();
        assert_eq!((captured.head, captured.tail), (b"01".into(), b"89".into()));
        assert_eq!(captured.file, None);
    }

    #[test]
    fn lines_are_whole_however_they_arrive_and_long_ones_are_cut() {
        let long = "x".repeat(LONGEST_LINE + 5);
        let text = format!("one\ntwo\n\n\x1b[31mthree\x1b[0m\n{long}\nlast");
        let expected = [
            "one".to_owned(),
            "two".to_owned(),
            "three".to_owned(),
            format!("{}…", &long[..LONGEST_LINE]),
            "last".to_owned(),
        ];
        for step in [1, 2, 5, 10_000] {
            let mut lines = Lines::default();
            let mut seen = Vec::new();
            for part in text.as_bytes().chunks(step) {
                lines.push(part, &mut |line| seen.push(line));
            }
            lines.flush(&mut |line| seen.push(line));
            assert_eq!(seen, expected, "step {step}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_gives_way_to_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let mut limits = limits(10, 100, Some(Path::new("/proc/none/such")));
        limits.spill_folders.push(folder.path().join("second"));
        let mut capture = Capture::new("stdout", &limits);
        feed(&mut capture, &[b'x'; 50], 7);
        let file = capture.finish().file.unwrap();
        assert!(file.starts_with(folder.path().join("second")));
    }

    #[test]
    fn files_of_the_day_before_yesterday_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let spill = folder.path().join("spill");
        DirBuilder::new().mode(0o700).create(&spill).unwrap();
        for (name, age) in [("old", KEPT * 2), ("young", KEPT / 2)] {
            let file = std::fs::File::create(spill.join(name)).unwrap();
            let then = std::time::SystemTime::now() - age;
            file.set_modified(then).unwrap();
        }
        create(&spill, "stdout").unwrap();
        assert!(!spill.join("old").exists());
        assert!(spill.join("young").exists());
    }
}
