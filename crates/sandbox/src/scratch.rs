//! The temporary folder of one run: made by the server, removed by whoever is last.

use std::ffi::CString;
use std::fs::DirBuilder;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

/// A folder of a server that is gone is removed when it is older than this.
const STALE: Duration = Duration::from_secs(24 * 3600);
/// So many entries are looked at for that.
const MOST_LOOKED_AT: usize = 256;

/// Makes an empty folder that only its owner can enter.
pub(crate) fn create() -> io::Result<PathBuf> {
    let temporary = folder()?;
    let base = temporary.join(format!("argway-{}", rustix::process::geteuid().as_raw()));
    match private(&base) {
        Ok(()) => {
            static SWEEP: Once = Once::new();
            SWEEP.call_once(|| sweep(&base));
            unique(&base, "")
        }
        // Somebody else was there first: beside it there is room too.
        Err(_) => unique(&temporary, "argway-"),
    }
}

/// Where temporary files go. An empty TMPDIR says nothing.
fn folder() -> io::Result<PathBuf> {
    let said = Some(std::env::temp_dir()).filter(|folder| !folder.as_os_str().is_empty());
    let folder = said.unwrap_or_else(|| "/tmp".into());
    folder.canonicalize()
}

fn private(base: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(base) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => made?,
    }
    let meta = std::fs::symlink_metadata(base)?;
    let mine = meta.uid() == rustix::process::geteuid().as_raw();
    match meta.is_dir() && mine && meta.mode() & 0o077 == 0 {
        true => Ok(()),
        false => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

fn unique(folder: &Path, prefix: &str) -> io::Result<PathBuf> {
    for _ in 0..16 {
        let random = std::hash::RandomState::new().build_hasher().finish();
        let path = folder.join(format!("{prefix}{}-{random:016x}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes what a server and its launchers left that were killed all at once. A
/// launcher removes its own folder even when its server is gone, so there is little.
fn sweep(base: &Path) {
    let Ok(entries) = std::fs::read_dir(base) else {
        return;
    };
    for entry in entries.flatten().take(MOST_LOOKED_AT) {
        let name = entry.file_name();
        let server = name.to_str().and_then(|name| name.split('-').next());
        let gone = server.is_some_and(|pid| !Path::new("/proc").join(pid).exists());
        // The server may be in another container, where its pid says nothing here.
        let age = entry.metadata().and_then(|meta| meta.modified());
        let old = age.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > STALE));
        if gone && old {
            let _ = remove(&entry.path());
        }
    }
}

/// Removes `folder` and all that is in it, whatever its modes and however deep it is.
/// Nothing is followed; nobody may be at work in it any more.
pub(crate) fn remove(folder: &Path) -> io::Result<()> {
    match rustix::fs::rmdir(folder) {
        Err(Errno::NOTEMPTY | Errno::EXIST) => {}
        done => return Ok(done?),
    }
    let top = open(CWD, folder)?;
    let mut raised = 0u64;
    // Folders are lifted to the top before they are emptied, so that depth costs
    // neither stack nor descriptors. Every round removes all that the one before left.
    loop {
        let mut folders = 0u64;
        for (name, kind) in entries(&top)? {
            if kind != FileType::Directory {
                rustix::fs::unlinkat(&top, &name, AtFlags::empty())?;
                continue;
            }
            folders += 1;
            rustix::fs::chmodat(&top, &name, Mode::RWXU, AtFlags::empty())?;
            let inner = open(&top, &name)?;
            for (below, kind) in entries(&inner)? {
                if kind != FileType::Directory {
                    rustix::fs::unlinkat(&inner, &below, AtFlags::empty())?;
                    continue;
                }
                rustix::fs::chmodat(&inner, &below, Mode::RWXU, AtFlags::empty())?;
                loop {
                    raised += 1;
                    let free = format!(".raised-{raised}");
                    match rustix::fs::renameat(&inner, &below, &top, &free) {
                        Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                        done => break done?,
                    }
                }
            }
            rustix::fs::unlinkat(&top, &name, AtFlags::REMOVEDIR)?;
        }
        if folders == 0 {
            break;
        }
    }
    Ok(rustix::fs::rmdir(folder)?)
}

fn open(at: impl std::os::fd::AsFd, name: impl rustix::path::Arg) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, name, flags, Mode::empty())
}

fn entries(folder: &OwnedFd) -> rustix::io::Result<Vec<(CString, FileType)>> {
    let mut found = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => {
                let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
                FileType::from_raw_mode(stat.st_mode)
            }
            kind => kind,
        };
        found.push((name.to_owned(), kind));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_folder_is_private_and_can_be_removed() {
        let folder = create().unwrap();
        let meta = std::fs::metadata(&folder).unwrap();
        assert_eq!(meta.mode() & 0o777, 0o700);
        remove(&folder).unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn what_is_read_only_goes_too_and_links_are_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("kept"), "x").unwrap();
        let folder = create().unwrap();
        let deep = folder.join("a/b/c");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("file"), "x").unwrap();
        std::fs::create_dir(folder.join(".raised-1")).unwrap();
        symlink(outside.path(), deep.join("link")).unwrap();
        symlink(outside.path(), folder.join("link")).unwrap();
        for path in ["a/b/c/file", "a/b/c", "a/b", "a"] {
            let closed = std::fs::Permissions::from_mode(0o000);
            std::fs::set_permissions(folder.join(path), closed).unwrap();
        }
        remove(&folder).unwrap();
        assert!(!folder.exists());
        assert!(outside.path().join("kept").exists());
    }

    #[test]
    fn depth_costs_neither_stack_nor_descriptors() {
        let folder = create().unwrap();
        let mut at = open(CWD, &folder).unwrap();
        for _ in 0..1500 {
            rustix::fs::mkdirat(&at, "d", Mode::RWXU).unwrap();
            at = open(&at, "d").unwrap();
        }
        remove(&folder).unwrap();
        assert!(!folder.exists());
    }
}
