//! Keeps the cache small: old answers go, then the oldest until the rest fits.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How the files of answers end.
pub const ENDING: &str = ".answer";
/// How files begin that are being written.
pub const UNFINISHED: &str = ".new-";

/// How much all answers may take.
const TOTAL: u64 = 64 << 20;
/// What is left when room was made, so that it is not made for every answer.
const AFTERWARDS: u64 = TOTAL / 4 * 3;
/// Every file takes at least this much of a disk.
const BLOCK: u64 = 4 << 10;
/// Older answers are of no use.
const OLDEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Nobody takes longer to write a file.
const WRITING: Duration = Duration::from_secs(60 * 60);
/// How often old answers are looked for.
const PAUSE: Duration = Duration::from_secs(60);

/// What is known of each folder without looking. Callers may have caches of their own,
/// and every call opens its own; the daemon knows them all.
static FOLDERS: Mutex<BTreeMap<PathBuf, State>> = Mutex::new(BTreeMap::new());
/// How many folders are known at once.
const REMEMBERED: usize = 32;

#[derive(Debug)]
struct State {
    swept: Instant,
    /// What was there after the last sweep, and what was added since. An answer that
    /// replaces another counts twice until then.
    used: u64,
}

/// Sees to it that another answer of `size` fits into `folder`.
pub fn make_room(folder: &Path, size: u64) {
    let size = size.max(BLOCK);
    let mut folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(state) = folders.get_mut(folder)
        && state.swept.elapsed() < PAUSE
        && state.used + size <= TOTAL
    {
        state.used += size;
        return;
    }
    if folders.len() >= REMEMBERED {
        folders.clear();
    }
    let used = sweep(folder, size, SystemTime::now()) + size;
    let swept = Instant::now();
    folders.insert(folder.to_path_buf(), State { swept, used });
}

struct Answer {
    path: PathBuf,
    size: u64,
    written: SystemTime,
}

/// Removes what is too old or too much, and tells how much is left.
fn sweep(folder: &Path, size: u64, now: SystemTime) -> u64 {
    let mut answers = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let (is_answer, is_unfinished) = (name.ends_with(ENDING), name.starts_with(UNFINISHED));
        if !is_answer && !is_unfinished {
            continue;
        }
        // Not followed, should it be a link.
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let age = now.duration_since(written).unwrap_or_default();
        let limit = if is_answer { OLDEST } else { WRITING };
        if age > limit {
            let _ = fs::remove_file(entry.path());
            continue;
        }
        answers.push(Answer {
            path: entry.path(),
            size: metadata.size().max(BLOCK),
            written,
        });
    }
    answers.sort_by_key(|answer| answer.written);
    let mut used: u64 = answers.iter().map(|answer| answer.size).sum();
    let is_too_much = used + size > TOTAL;
    for answer in answers {
        if !is_too_much || used + size <= AFTERWARDS {
            break;
        }
        if fs::remove_file(&answer.path).is_ok() {
            used -= answer.size;
        }
    }
    used
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::fs::File;

    use super::*;

    /// A file of so many bytes, written so many seconds ago.
    fn file(folder: &Path, name: &str, size: u64, age: u64) {
        let file = File::create(folder.join(name)).unwrap();
        file.set_len(size).unwrap();
        let written = SystemTime::now() - Duration::from_secs(age);
        file.set_modified(written).unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_old_goes_and_what_is_not_ours_stays() {
        let folder = tempfile::tempdir().unwrap();
        let week = OLDEST.as_secs();
        file(folder.path(), "old.answer", 10, week + 1);
        file(folder.path(), "young.answer", 10, week - 60);
        file(folder.path(), ".new-left-behind", 10, 2 * 60 * 60);
        file(folder.path(), ".new-now", 10, 1);
        file(folder.path(), "somebody's.txt", 10, 10 * week);
        let used = sweep(folder.path(), 0, SystemTime::now());
        assert_eq!(
            names(folder.path()),
            [".new-now", "somebody's.txt", "young.answer"]
        );
        assert_eq!(used, 2 * BLOCK);
    }

    #[test]
    fn the_oldest_make_room() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..10 {
            file(
                folder.path(),
                &format!("{number}.answer"),
                7 << 20,
                100 - number,
            );
        }
        let used = sweep(folder.path(), 1 << 20, SystemTime::now());
        assert_eq!(used, 42 << 20);
        let left: Vec<String> = (4..10).map(|number| format!("{number}.answer")).collect();
        assert_eq!(names(folder.path()), left);
        assert_eq!(sweep(folder.path(), 1 << 20, SystemTime::now()), used);
    }

    #[test]
    fn the_bound_holds_between_sweeps_too() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..40 {
            make_room(folder.path(), 4 << 20);
            file(
                folder.path(),
                &format!("{number:02}.answer"),
                4 << 20,
                100 - number,
            );
            let total: u64 = fs::read_dir(folder.path())
                .unwrap()
                .map(|entry| entry.unwrap().metadata().unwrap().len())
                .sum();
            assert!(total <= TOTAL, "{total} after {number}");
        }
        assert!(names(folder.path()).contains(&"39.answer".to_owned()));
    }

    #[test]
    fn a_folder_is_not_swept_for_every_answer() {
        let folder = tempfile::tempdir().unwrap();
        make_room(folder.path(), 1);
        file(folder.path(), "old.answer", 10, OLDEST.as_secs() + 1);
        make_room(folder.path(), 1);
        assert_eq!(names(folder.path()), ["old.answer"]);
        make_room(folder.path(), TOTAL);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn a_folder_that_is_not_there_is_empty() {
        assert_eq!(sweep(Path::new("/no/such/folder"), 1, SystemTime::now()), 0);
    }
}
