//! Opens a path that was found canonical before: between the finding and the use
//! another run may have put a link in the place of a folder, and what that leads to was
//! granted by nobody.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

const LAST: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A handle of what lies at `path`, seen from `at`, if no link is on the way; a link at
/// its very end is opened as the link that it is.
pub(crate) fn open(at: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(at, path, LAST, Mode::empty(), resolve) {
        // Before Linux 5.6, and in containers whose filter is older than that.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(at, path),
        opened => opened,
    }
}

fn step_by_step(at: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
    let start = match path.is_absolute() {
        true => Path::new("/"),
        false => Path::new("."),
    };
    let mut here = rustix::fs::openat(at, start, LAST, Mode::empty())?;
    for part in path.components() {
        match part {
            Component::Normal(name) => {
                here = rustix::fs::openat(here.as_fd(), name, LAST, Mode::empty())?;
            }
            Component::RootDir | Component::CurDir => {}
            // No canonical path has these.
            Component::ParentDir | Component::Prefix(_) => return Err(Errno::INVAL),
        }
    }
    Ok(here)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType};

    use super::*;

    #[test]
    fn a_link_on_the_way_is_not_followed_by_either_way() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/deep")).unwrap();
        symlink("real", root.join("link")).unwrap();
        type Open = fn(BorrowedFd<'_>, &Path) -> Result<OwnedFd, Errno>;
        for open in [open as Open, step_by_step as Open] {
            let kind = |path: &str| {
                let opened = open(CWD, &root.join(path))?;
                rustix::fs::fstat(opened).map(|stat| FileType::from_raw_mode(stat.st_mode))
            };
            assert_eq!(kind("real/deep"), Ok(FileType::Directory));
            assert_eq!(kind("link"), Ok(FileType::Symlink));
            assert_eq!(kind("gone"), Err(Errno::NOENT));
            let through = kind("link/deep").unwrap_err();
            assert!(matches!(through, Errno::LOOP | Errno::NOTDIR), "{through}");
        }
    }
}
