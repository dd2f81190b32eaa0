//! One file of definitions, read once: what is judged, hashed and parsed are the same
//! bytes.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use argway_core::argv;
use ring::digest;
use rustix::fs::{Mode, OFlags};

/// A larger file is no definitions that somebody wrote.
pub const LARGEST: u64 = 1 << 20;

const OTHERS_WRITE: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// A file as it was when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The file behind any links.
    pub real: PathBuf,
    /// What it says.
    pub text: String,
    /// The hash of exactly that.
    pub hash: Hash,
}

/// A SHA-256, in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hash(pub String);

impl Hash {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let sum = digest::digest(&digest::SHA256, bytes);
        Self(
            sum.as_ref()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect(),
        )
    }
}

/// Whose files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// This user's and root's.
    UserOrRoot(u32),
    /// Anybody's: the user named the file.
    Anybody,
}

/// Why a file is not used, and what would change that.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("{} does not exist", .0.display())]
    NotThere(PathBuf),
    #[error("{} cannot be read: {source}", .path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} is {what}, not a file with definitions", .path.display())]
    NotAFile { path: PathBuf, what: &'static str },
    #[error("{} is larger than {} KiB; definitions are written by hand, in several files if need be", .0.display(), LARGEST / 1024)]
    TooLarge(PathBuf),
    #[error("{} can be changed by everybody on this machine and is not used; run: {}", .path.display(), closing(.open))]
    Open {
        path: PathBuf,
        /// The file itself, or the folder in which it could be replaced.
        open: PathBuf,
    },
    #[error("{} belongs to another user ({owner}) and is not used; make it yours with chown, or name the file on the command line", .path.display())]
    Stranger { path: PathBuf, owner: u32 },
    #[error("{} was replaced while it was read; try again", .0.display())]
    Replaced(PathBuf),
    #[error("{} is not text in UTF-8", .0.display())]
    NotText(PathBuf),
}

fn closing(path: &Path) -> String {
    argv::shell_line(["chmod", "o-w", &path.to_string_lossy()])
}

/// Reads the file at `path`, if nobody but `owner` could have written it.
///
/// Links are followed and what they lead to is judged. Never waits: a pipe is no file.
pub fn read(path: &Path, owner: Owner) -> Result<Content, Refusal> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Refusal::NotThere(path.to_owned()),
        _ => Refusal::Unreadable {
            path: path.to_owned(),
            source: error,
        },
    };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        // A socket cannot be opened at all, nor a terminal where there is none.
        Err(rustix::io::Errno::NXIO) => return Err(not_a_file(path, "a socket or a device")),
        Err(error) => return Err(unreadable(error.into())),
    };
    let found = file.metadata().map_err(unreadable)?;
    judge(path, &found, owner)?;
    let real = fs::canonicalize(path).map_err(unreadable)?;
    let there = fs::metadata(&real).map_err(unreadable)?;
    if (there.dev(), there.ino()) != (found.dev(), found.ino()) {
        return Err(Refusal::Replaced(path.to_owned()));
    }
    closed_folders(path, &real)?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Refusal::TooLarge(path.to_owned()));
    }
    let hash = Hash::of(&bytes);
    let text = String::from_utf8(bytes).map_err(|_| Refusal::NotText(path.to_owned()))?;
    Ok(Content { real, text, hash })
}

fn judge(path: &Path, found: &Metadata, owner: Owner) -> Result<(), Refusal> {
    if found.is_dir() {
        return Err(not_a_file(path, "a folder"));
    }
    if !found.is_file() {
        return Err(not_a_file(path, "a pipe or a device"));
    }
    if found.mode() & OTHERS_WRITE != 0 {
        return Err(Refusal::Open {
            path: path.to_owned(),
            open: path.to_owned(),
        });
    }
    match owner {
        Owner::UserOrRoot(user) if found.uid() != user && found.uid() != 0 => {
            Err(Refusal::Stranger {
                path: path.to_owned(),
                owner: found.uid(),
            })
        }
        Owner::UserOrRoot(_) | Owner::Anybody => Ok(()),
    }
}

fn not_a_file(path: &Path, what: &'static str) -> Refusal {
    Refusal::NotAFile {
        path: path.to_owned(),
        what,
    }
}

/// Refuses a file that everybody could put another one in the place of: where it is
/// called so, or where it really lies. Folders further up are not looked at: who could
/// move those still cannot make files of ours, and some machines have them open.
fn closed_folders(path: &Path, real: &Path) -> Result<(), Refusal> {
    let called = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for folder in called.parent().into_iter().chain(real.parent()) {
        let Ok(found) = fs::metadata(folder) else {
            continue;
        };
        if found.mode() & OTHERS_WRITE != 0 && found.mode() & STICKY == 0 {
            return Err(Refusal::Open {
                path: path.to_owned(),
                open: folder.to_owned(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    fn own() -> Owner {
        Owner::UserOrRoot(rustix::process::geteuid().as_raw())
    }

    fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn open_to_all(path: &Path) {
        let mode = fs::metadata(path).unwrap().mode();
        fs::set_permissions(path, Permissions::from_mode(mode | OTHERS_WRITE)).unwrap();
    }

    #[track_caller]
    fn refused(path: &Path, expected: &str) {
        let folder = path.parent().unwrap().display().to_string();
        let said = read(path, own()).unwrap_err().to_string();
        assert_eq!(said.replace(&folder, "FOLDER"), expected);
    }

    #[test]
    fn the_text_and_its_hash_are_of_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), "a.kdl", b"abc");
        let content = read(&path, own()).unwrap();
        assert_eq!(content.text, "abc");
        assert_eq!(
            content.hash.0,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_link_is_followed_and_what_it_leads_to_is_judged() {
        let folder = tempfile::tempdir().unwrap();
        let real = written(folder.path(), "real", b"abc");
        let link = folder.path().join("link.kdl");
        symlink(&real, &link).unwrap();
        assert_eq!(
            read(&link, own()).unwrap().real,
            real.canonicalize().unwrap()
        );
        open_to_all(&real);
        refused(
            &link,
            "FOLDER/link.kdl can be changed by everybody on this machine and is not used; run: chmod o-w FOLDER/link.kdl",
        );
    }

    #[test]
    fn what_is_no_file_is_refused_without_waiting_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.kdl");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            Mode::RUSR,
            0,
        )
        .unwrap();
        refused(
            &pipe,
            "FOLDER/pipe.kdl is a pipe or a device, not a file with definitions",
        );
        let socket = folder.path().join("socket.kdl");
        let _listener = UnixListener::bind(&socket).unwrap();
        refused(
            &socket,
            "FOLDER/socket.kdl is a socket or a device, not a file with definitions",
        );
        let inner = folder.path().join("folder.kdl");
        fs::create_dir(&inner).unwrap();
        refused(
            &inner,
            "FOLDER/folder.kdl is a folder, not a file with definitions",
        );
        refused(
            &folder.path().join("none.kdl"),
            "FOLDER/none.kdl does not exist",
        );
    }

    #[test]
    fn a_file_that_everybody_could_replace_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("in ner");
        fs::create_dir(&inner).unwrap();
        let path = written(&inner, "a.kdl", b"abc");
        open_to_all(&inner);
        refused(
            &path,
            "FOLDER/a.kdl can be changed by everybody on this machine and is not used; run: chmod o-w 'FOLDER'",
        );
        // As /tmp is: whoever may put files there may not replace others'.
        fs::set_permissions(&inner, Permissions::from_mode(0o1777)).unwrap();
        assert!(read(&path, own()).is_ok());
    }

    #[test]
    fn a_link_from_an_open_folder_is_refused_though_its_target_is_safe() {
        let folder = tempfile::tempdir().unwrap();
        let real = written(folder.path(), "real", b"abc");
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        symlink(&real, inner.join("a.kdl")).unwrap();
        open_to_all(&inner);
        refused(
            &inner.join("a.kdl"),
            "FOLDER/a.kdl can be changed by everybody on this machine and is not used; run: chmod o-w FOLDER",
        );
    }

    #[test]
    fn a_file_of_another_user_is_refused_unless_the_user_named_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), "a.kdl", b"abc");
        let owner = fs::metadata(&path).unwrap().uid();
        if owner == 0 {
            rustix::fs::chown(&path, Some(rustix::fs::Uid::from_raw(4711)), None).unwrap();
        }
        let somebody = Owner::UserOrRoot(owner + 1);
        let error = read(&path, somebody).unwrap_err();
        assert!(matches!(error, Refusal::Stranger { .. }), "{error}");
        assert!(read(&path, Owner::Anybody).is_ok());
    }

    #[test]
    fn what_is_too_large_or_no_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let large = written(
            folder.path(),
            "large.kdl",
            &vec![b' '; LARGEST as usize + 1],
        );
        refused(
            &large,
            "FOLDER/large.kdl is larger than 1024 KiB; definitions are written by hand, in several files if need be",
        );
        let fits = written(folder.path(), "fits.kdl", &vec![b' '; LARGEST as usize]);
        assert!(read(&fits, own()).is_ok());
        let binary = written(folder.path(), "binary.kdl", b"\xff\xfe");
        refused(&binary, "FOLDER/binary.kdl is not text in UTF-8");
    }
}
