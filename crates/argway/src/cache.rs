//! Descriptions of programs, kept until the program's file changes.
//!
//! One file a program: its first line says what was read and how, the rest is
//! what came of it. A file that does not fit, for whatever reason, is as good as
//! none: the program is read again and the file replaced.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use argway_core::model::{FORMAT, Reading};
use argway_serve::identify::FileId;
use rustix::fs::{Mode, OFlags};
use serde_json::json;

/// A folder of descriptions that belongs to this user alone.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// What a description was made of: the file's identity, and how it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The program's file as it is called; what a cache file is named after.
    place: String,
    /// Everything that must still be so for the description to hold.
    identity: String,
}

/// Choices that change what a reading finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choices {
    /// The program's parser was asked about types.
    pub oracle: bool,
    /// The program saw the user's HOME.
    pub with_home: bool,
}

impl Key {
    /// The key of the program called as `name` at `path`, as its file is now.
    pub fn of(name: &str, path: &Path, choices: Choices) -> io::Result<Self> {
        let place = json!({
            "name": name,
            "path": path.to_string_lossy(),
            "oracle": choices.oracle,
            "with_home": choices.with_home,
        });
        let identity = json!({
            "argway": env!("CARGO_PKG_VERSION"),
            "format": FORMAT,
            "read": place,
            "file": FileId::of(path)?,
        });
        Ok(Self {
            place: place.to_string(),
            identity: identity.to_string(),
        })
    }

    /// The same, for a description that the file at `path` is part of.
    pub fn beside(mut self, path: &Path) -> io::Result<Self> {
        self.identity
            .push_str(&json!(FileId::of(path)?).to_string());
        Ok(self)
    }

    fn file_name(&self, name: &str) -> String {
        let safe: String = name
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .take(64)
            .collect();
        format!("{safe}-{:016x}.json", fnv1a(self.place.as_bytes()))
    }
}

/// A hash that stays the same across builds, unlike the standard library's. It
/// only names files: what a file holds is checked against the whole key.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl Cache {
    /// The user's cache: `$XDG_CACHE_HOME/argway`, else `~/.cache/argway`. Created
    /// if missing; an error says why there is none.
    pub fn open(environment: impl Fn(&str) -> Option<std::ffi::OsString>) -> io::Result<Self> {
        let absolute = |name: &str| {
            environment(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let base = absolute("XDG_CACHE_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
            .ok_or_else(|| io::Error::other("neither XDG_CACHE_HOME nor HOME names a folder"))?;
        let folder = base.join("argway");
        fs::create_dir_all(&base).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", base.display()))
        })?;
        match rustix::fs::mkdir(&folder, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let found = fs::symlink_metadata(&folder)?;
        own(&found, &folder)?;
        if !found.is_dir() {
            return Err(io::Error::other(format!(
                "{} is not a folder",
                folder.display()
            )));
        }
        if found.mode() & 0o077 != 0 {
            // Closed to others; what the owner may do there is the owner's choice.
            let owners = Permissions::from_mode(found.mode() & 0o700);
            fs::set_permissions(&folder, owners)?;
        }
        Ok(Self { folder })
    }

    /// The description kept for `key`, if it is whole and still holds.
    pub fn find(&self, name: &str, key: &Key) -> Option<Reading> {
        let path = self.folder.join(key.file_name(name));
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let mut file = File::from(rustix::fs::open(&path, flags, Mode::empty()).ok()?);
        let found = file.metadata().ok()?;
        own(&found, &path).ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(found.len()).ok()?);
        file.read_to_end(&mut bytes).ok()?;
        let end = bytes.iter().position(|&byte| byte == b'\n')?;
        if bytes[..end] != *key.identity.as_bytes() {
            return None;
        }
        serde_json::from_slice(&bytes[end + 1..]).ok()
    }

    /// Keeps `reading` for `key`. Readers see the old file or the new one, never a part.
    pub fn keep(&self, name: &str, key: &Key, reading: &Reading) -> io::Result<()> {
        let mut file = tempfile::Builder::new()
            .prefix(".writing-")
            .tempfile_in(&self.folder)?;
        let mut text = key.identity.clone().into_bytes();
        text.push(b'\n');
        serde_json::to_writer(&mut text, reading)?;
        file.write_all(&text)?;
        file.persist(self.folder.join(key.file_name(name)))?;
        Ok(())
    }
}

fn own(found: &Metadata, path: &Path) -> io::Result<()> {
    if found.uid() == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!("{} belongs to another user", path.display()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use argway_core::model::{CommandSpec, Family, Program};

    fn cache_in(folder: &Path) -> io::Result<Cache> {
        Cache::open(|name| (name == "XDG_CACHE_HOME").then(|| folder.into()))
    }

    fn choices() -> Choices {
        Choices {
            oracle: true,
            with_home: false,
        }
    }

    fn reading() -> Reading {
        Reading {
            program: Program {
                name: "toy".into(),
                executable: Some("/opt/toy".into()),
                version: None,
                family: Family::Cobra,
                commands: vec![CommandSpec {
                    summary: "A toy".into(),
                    ..CommandSpec::default()
                }],
            },
            losses: Vec::new(),
        }
    }

    /// A cache with one description kept, and the program's file.
    fn kept() -> (tempfile::TempDir, Cache, PathBuf, Key) {
        let world = tempfile::tempdir().unwrap();
        let cache = cache_in(world.path()).unwrap();
        let program = world.path().join("toy");
        fs::write(&program, "one").unwrap();
        let key = Key::of("toy", &program, choices()).unwrap();
        cache.keep("toy", &key, &reading()).unwrap();
        (world, cache, program, key)
    }

    fn only_file(cache: &Cache) -> PathBuf {
        let mut files: Vec<_> = fs::read_dir(&cache.folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files.remove(0)
    }

    #[test]
    fn what_was_kept_is_found() {
        let (_world, cache, _, key) = kept();
        assert_eq!(cache.find("toy", &key), Some(reading()));
    }

    #[test]
    fn only_the_owner_can_look() {
        let (_world, cache, _, _) = kept();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!(mode(&cache.folder), 0o700);
        assert_eq!(mode(&only_file(&cache)), 0o600);
    }

    #[test]
    fn a_folder_that_others_could_look_into_is_closed() {
        let (world, cache, _, _) = kept();
        fs::set_permissions(&cache.folder, Permissions::from_mode(0o777)).unwrap();
        cache_in(world.path()).unwrap();
        assert_eq!(fs::metadata(&cache.folder).unwrap().mode() & 0o777, 0o700);
        fs::set_permissions(&cache.folder, Permissions::from_mode(0o555)).unwrap();
        cache_in(world.path()).unwrap();
        assert_eq!(fs::metadata(&cache.folder).unwrap().mode() & 0o777, 0o500);
    }

    #[test]
    fn a_changed_program_is_not_found_and_replaces_its_old_description() {
        let (_world, cache, program, _) = kept();
        fs::write(&program, "another").unwrap();
        let key = Key::of("toy", &program, choices()).unwrap();
        assert_eq!(cache.find("toy", &key), None);
        cache.keep("toy", &key, &reading()).unwrap();
        assert_eq!(cache.find("toy", &key), Some(reading()));
        only_file(&cache);
    }

    #[test]
    fn another_way_of_reading_is_another_description() {
        let (_world, cache, program, _) = kept();
        let key = Key::of(
            "toy",
            &program,
            Choices {
                oracle: false,
                ..choices()
            },
        )
        .unwrap();
        assert_eq!(cache.find("toy", &key), None);
    }

    #[test]
    fn damage_of_any_kind_is_as_good_as_nothing() {
        let (_world, cache, _, key) = kept();
        let path = only_file(&cache);
        let whole = fs::read(&path).unwrap();
        for damaged in [
            Vec::new(),
            b"\n".to_vec(),
            whole[..whole.len() / 2].to_vec(),
            whole[..whole.len() - 1].to_vec(),
            [&whole[..], b"}"].concat(),
            vec![0; whole.len()],
        ] {
            fs::write(&path, &damaged).unwrap();
            assert_eq!(cache.find("toy", &key), None, "{} bytes", damaged.len());
        }
    }

    #[test]
    fn a_link_in_place_of_a_description_is_not_followed() {
        let (world, cache, _, key) = kept();
        let path = only_file(&cache);
        let elsewhere = world.path().join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert_eq!(cache.find("toy", &key), None);
    }

    #[test]
    fn a_relative_cache_folder_is_ignored_as_its_standard_asks() {
        let opened = Cache::open(|name| (name == "XDG_CACHE_HOME").then(|| "relative".into()));
        assert!(opened.is_err());
    }
}
