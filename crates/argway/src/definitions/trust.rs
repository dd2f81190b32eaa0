//! Which project files the user has looked at: by path and by content.
//!
//! One small file an entry, in a folder of the user's alone, so that two `argway trust`
//! at once lose nothing. Only the content that was trusted last counts.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};

use super::file::Hash;

/// An entry is a path and a hash; more is not ours.
const LARGEST_ENTRY: u64 = 64 * 1024;

/// The entries that a user made.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    user: u32,
}

/// Whether a file may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// As it is now.
    Trusted,
    /// It was, with another content.
    Changed,
    /// Nobody said so.
    Unknown,
}

/// One entry, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The file behind any links.
    pub path: PathBuf,
    /// Of what was trusted.
    pub sha256: String,
}

impl Store {
    /// The store of `user` under the folder `state`. Nothing is created.
    pub fn new(state: &Path, user: u32) -> Self {
        Self {
            folder: state.join("argway").join("trust"),
            user,
        }
    }

    /// Where the entries are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How the file at `path` stands that has this `hash`.
    pub fn standing(&self, path: &Path, hash: &Hash) -> Standing {
        match self.entry(&self.file(path)) {
            Some(entry) if entry.path != path => Standing::Unknown,
            Some(entry) if entry.sha256 == hash.0 => Standing::Trusted,
            Some(_) => Standing::Changed,
            None => Standing::Unknown,
        }
    }

    /// Trusts the file at `path` as long as it has this `hash`.
    pub fn trust(&self, path: &Path, hash: &Hash) -> io::Result<()> {
        self.prepare()?;
        let entry = Entry {
            path: path.to_owned(),
            sha256: hash.0.clone(),
        };
        // Made with mode 0600.
        let mut file = tempfile::Builder::new()
            .prefix(".writing-")
            .tempfile_in(&self.folder)?;
        serde_json::to_writer(&mut file, &entry)?;
        file.flush()?;
        file.persist(self.file(path))?;
        Ok(())
    }

    /// Forgets the file at `path`; says whether it was known.
    pub fn revoke(&self, path: &Path) -> io::Result<bool> {
        match fs::remove_file(self.file(path)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Every entry, in the order of their paths.
    pub fn list(&self) -> io::Result<Vec<Entry>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut found: Vec<Entry> = entries
            .filter_map(|entry| self.entry(&entry.ok()?.path()))
            .collect();
        found.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    fn file(&self, path: &Path) -> PathBuf {
        let name = Hash::of(path.as_os_str().as_bytes()).0;
        self.folder.join(format!("{name}.json"))
    }

    /// What a file of the store says, if the user wrote it.
    fn entry(&self, file: &Path) -> Option<Entry> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = File::from(rustix::fs::open(file, flags, Mode::empty()).ok()?);
        let found = file.metadata().ok()?;
        if !found.is_file() || found.uid() != self.user || found.mode() & 0o022 != 0 {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(LARGEST_ENTRY).read_to_end(&mut bytes).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Makes the folder, closed to others.
    fn prepare(&self) -> io::Result<()> {
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", self.folder.display()))
        };
        if let Some(parent) = self.folder.parent() {
            fs::create_dir_all(parent).map_err(named)?;
        }
        match rustix::fs::mkdir(&self.folder, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(named(error.into())),
        }
        let found = fs::symlink_metadata(&self.folder).map_err(named)?;
        if !found.is_dir() {
            return Err(named(io::ErrorKind::NotADirectory.into()));
        }
        if found.uid() != self.user {
            return Err(named(io::Error::other("belongs to another user")));
        }
        if found.mode() & 0o077 != 0 {
            let owners = Permissions::from_mode(found.mode() & 0o700);
            fs::set_permissions(&self.folder, owners).map_err(named)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn store(state: &Path) -> Store {
        Store::new(state, rustix::process::geteuid().as_raw())
    }

    #[test]
    fn a_file_is_trusted_as_it_was_then() {
        let state = tempfile::tempdir().unwrap();
        let (path, other) = (Path::new("/p/a.kdl"), Path::new("/p/b.kdl"));
        let (then, now) = (Hash::of(b"then"), Hash::of(b"now"));
        let store = store(state.path());
        assert_eq!(store.standing(path, &then), Standing::Unknown);
        store.trust(path, &then).unwrap();
        assert_eq!(store.standing(path, &then), Standing::Trusted);
        assert_eq!(store.standing(path, &now), Standing::Changed);
        assert_eq!(store.standing(other, &then), Standing::Unknown);
        store.trust(path, &now).unwrap();
        assert_eq!(store.standing(path, &now), Standing::Trusted);
        assert_eq!(store.standing(path, &then), Standing::Changed);
        assert!(store.revoke(path).unwrap());
        assert!(!store.revoke(path).unwrap());
        assert_eq!(store.standing(path, &now), Standing::Unknown);
    }

    #[test]
    fn entries_are_listed_by_path_and_are_the_owners_alone() {
        let state = tempfile::tempdir().unwrap();
        let store = store(state.path());
        assert_eq!(store.list().unwrap(), []);
        for path in ["/p/b", "/p/a"] {
            store.trust(Path::new(path), &Hash::of(b"x")).unwrap();
        }
        let paths: Vec<PathBuf> = store
            .list()
            .unwrap()
            .into_iter()
            .map(|entry| entry.path)
            .collect();
        assert_eq!(paths, [Path::new("/p/a"), Path::new("/p/b")]);
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!(mode(store.folder()), 0o700);
        for entry in fs::read_dir(store.folder()).unwrap() {
            assert_eq!(mode(&entry.unwrap().path()), 0o600);
        }
    }

    #[test]
    fn an_entry_that_others_could_have_made_counts_for_nothing() {
        let state = tempfile::tempdir().unwrap();
        let store = store(state.path());
        let (path, hash) = (Path::new("/p/a.kdl"), Hash::of(b"x"));
        store.trust(path, &hash).unwrap();
        let file = store.file(path);
        fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
        assert_eq!(store.standing(path, &hash), Standing::Unknown);
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let elsewhere = state.path().join("elsewhere");
        fs::rename(&file, &elsewhere).unwrap();
        symlink(&elsewhere, &file).unwrap();
        assert_eq!(store.standing(path, &hash), Standing::Unknown);
        assert_eq!(store.list().unwrap(), []);
    }

    #[test]
    fn a_damaged_entry_counts_for_nothing_and_can_be_replaced() {
        let state = tempfile::tempdir().unwrap();
        let store = store(state.path());
        let (path, hash) = (Path::new("/p/a.kdl"), Hash::of(b"x"));
        store.trust(path, &hash).unwrap();
        for damaged in [&b""[..], b"{", b"[]", b"\xff"] {
            fs::write(store.file(path), damaged).unwrap();
            assert_eq!(store.standing(path, &hash), Standing::Unknown);
            store.trust(path, &hash).unwrap();
            assert_eq!(store.standing(path, &hash), Standing::Trusted);
        }
    }
}
