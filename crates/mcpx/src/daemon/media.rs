//! Images, audio and files in results: written for the owner alone, their paths printed.
//!
//! Also the way back to what argway wrote to files because it was too long for a
//! result. A server names such a file, and servers are not trusted with the choice of
//! what is printed: only files that argway could have written are opened.

mod name;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use argway_core::output::Media;
use rustix::fs::{FileType, Mode, OFlags, Stat};

use crate::paths::Environment;

/// Folders with media begin so.
const PREFIX: &str = "mcpx-media-";

/// Folders with media stay for so long.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Where a caller wants temporary files.
pub fn folder(environment: &Environment) -> PathBuf {
    let named = environment.get("TMPDIR").map(PathBuf::from);
    named
        .filter(|folder| folder.is_absolute())
        .unwrap_or_else(|| PathBuf::from("/tmp"))
}

/// Writes `media` to a file of its own, in a private folder of its own under `folder`.
pub fn write(folder: &Path, media: &Media) -> Result<PathBuf, String> {
    let private = tempfile::Builder::new()
        .prefix(PREFIX)
        .rand_bytes(10)
        .permissions(PermissionsExt::from_mode(0o700))
        .tempdir_in(folder)
        .map_err(|error| format!("no folder for a file in {}: {error}", folder.display()))?;
    let path = private.path().join(name::of(media));
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .and_then(|mut file| file.write_all(&media.bytes))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    // From here on it is the user's.
    let _ = private.keep();
    Ok(path)
}

/// Removes folders under `folder` that were written for this user a week ago.
pub fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let Ok(meta) = entry.path().symlink_metadata() else {
            continue;
        };
        let is_old = (meta.modified().ok())
            .and_then(|time| time.elapsed().ok())
            .is_some_and(|age| age > KEPT);
        let own = meta.uid() == rustix::process::geteuid().as_raw();
        if ours && own && is_old && meta.is_dir() {
            // Another daemon may have been faster.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Opens a file that argway says it wrote a long output to. Anything that argway would
/// not have written is refused: another name or folder, a link, another's file, a
/// folder or file that others can reach.
pub fn spilled(path: &str) -> Result<File, String> {
    open_spilled(Path::new(path))
        .map_err(|why| format!("the rest of the output is not to be had from {path:?}: {why}"))
}

fn open_spilled(path: &Path) -> Result<File, String> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err("it is no file".to_owned());
    };
    let own = rustix::process::geteuid().as_raw();
    let is_plain = path.is_absolute() && !has_dots(path);
    if !is_plain || !is_spill(&name.to_string_lossy()) || !is_spill_folder(folder, own) {
        return Err("argway keeps none there".to_owned());
    }
    let system = |error: rustix::io::Errno| std::io::Error::from(error).to_string();
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = rustix::fs::open(folder, flags | OFlags::DIRECTORY, Mode::empty());
    let directory = directory.map_err(system)?;
    if !is_private(&rustix::fs::fstat(&directory).map_err(system)?, own) {
        return Err("its folder is not private".to_owned());
    }
    // Without waiting: it might be a pipe.
    let flags = flags | OFlags::NONBLOCK;
    let file = rustix::fs::openat(&directory, name, flags, Mode::empty()).map_err(system)?;
    let stat = rustix::fs::fstat(&file).map_err(system)?;
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    // A second name would be a link to something else.
    if !is_file || stat.st_nlink != 1 || !is_private(&stat, own) {
        return Err("it is not a private file".to_owned());
    }
    Ok(File::from(file))
}

fn is_private(stat: &Stat, own: u32) -> bool {
    stat.st_uid == own && stat.st_mode & 0o077 == 0
}

fn has_dots(path: &Path) -> bool {
    let up = |part| matches!(part, std::path::Component::ParentDir);
    path.components().any(up)
}

/// `stdout-4fjWq0aBcD.txt`.
fn is_spill(name: &str) -> bool {
    let stem = name.strip_suffix(".txt").and_then(|name| {
        let stdout = name.strip_prefix("stdout-");
        stdout.or_else(|| name.strip_prefix("stderr-"))
    });
    stem.is_some_and(|random| {
        random.len() == 10 && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// `…/argway/output`, or `…/argway-1000` for a user without a home.
fn is_spill_folder(folder: &Path, own: u32) -> bool {
    let temporary = format!("argway-{own}");
    folder.ends_with("argway/output") || folder.ends_with(temporary)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs::DirBuilder;
    use std::io::Read;
    use std::os::unix::fs::{DirBuilderExt, symlink};
    use std::time::SystemTime;

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn media_is_a_private_file_in_a_private_folder() {
        let folder = tempfile::tempdir().unwrap();
        let media = Media {
            mime: "image/png".into(),
            name: None,
            bytes: vec![0, 159, 146, 150],
        };
        let first = write(folder.path(), &media).unwrap();
        let second = write(folder.path(), &media).unwrap();
        assert_ne!(first, second);
        assert_eq!(first.file_name().unwrap(), "image.png");
        assert_eq!(std::fs::read(&first).unwrap(), media.bytes);
        assert_eq!(mode(&first), 0o600);
        assert_eq!(mode(first.parent().unwrap()), 0o700);
        assert_eq!(first.parent().unwrap().parent().unwrap(), folder.path());
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let media = Media {
            mime: String::new(),
            name: None,
            bytes: Vec::new(),
        };
        let error = write(Path::new("/proc/none"), &media).unwrap_err();
        assert!(
            error.starts_with("no folder for a file in /proc/none: "),
            "{error}"
        );
    }

    #[test]
    fn temporary_files_go_where_the_caller_wants_them() {
        let at = |value: &str| {
            let variables = vec![(OsString::from("TMPDIR"), OsString::from(value))];
            folder(&Environment(variables))
        };
        assert_eq!(at("/somewhere"), Path::new("/somewhere"));
        assert_eq!(at("relative"), Path::new("/tmp"));
        assert_eq!(folder(&Environment::default()), Path::new("/tmp"));
    }

    #[test]
    fn only_old_folders_of_media_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, age: Duration| {
            let path = folder.path().join(name);
            DirBuilder::new().mode(0o700).create(&path).unwrap();
            std::fs::write(path.join("image.png"), "x").unwrap();
            let then = SystemTime::now() - age;
            File::open(&path).unwrap().set_modified(then).unwrap();
            path
        };
        let old = make("mcpx-media-old", KEPT * 2);
        let young = make("mcpx-media-young", KEPT / 2);
        let other = make("elsewhere", KEPT * 2);
        let link = folder.path().join("mcpx-media-link");
        symlink(&other, &link).unwrap();
        sweep(folder.path());
        assert!(!old.exists());
        assert!(young.exists() && other.exists() && link.exists());
        sweep(Path::new("/proc/none"));
    }

    /// A place where argway might keep long outputs.
    struct Spills {
        folder: tempfile::TempDir,
    }

    impl Spills {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let output = folder.path().join("argway/output");
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(output)
                .unwrap();
            Self { folder }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn file(&self, name: &str) -> PathBuf {
            let path = self.path(name);
            std::fs::write(&path, "all of it").unwrap();
            set_mode(&path, 0o600);
            path
        }

        #[track_caller]
        fn is_refused(&self, path: &Path, why: &str) {
            let error = spilled(path.to_str().unwrap()).unwrap_err();
            // The system's number for it is the system's.
            let said = error.split(" (os error ").next().unwrap();
            assert!(said.ends_with(&format!(": {why}")), "{error}");
        }
    }

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    const SPILL: &str = "argway/output/stdout-abcDEF0123.txt";

    #[test]
    fn what_argway_wrote_is_read() {
        let spills = Spills::new();
        let own = rustix::process::geteuid().as_raw();
        let temporary = spills.path(&format!("argway-{own}"));
        DirBuilder::new().mode(0o700).create(&temporary).unwrap();
        for name in [SPILL, &format!("argway-{own}/stderr-abcDEF0123.txt")] {
            let path = spills.file(name);
            let mut text = String::new();
            let mut file = spilled(path.to_str().unwrap()).unwrap();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(text, "all of it");
        }
    }

    #[test]
    fn what_argway_would_not_write_is_refused() {
        let spills = Spills::new();
        let none = "argway keeps none there";
        spills.file(SPILL);
        spills.is_refused(Path::new("/etc/passwd"), none);
        spills.is_refused(Path::new("/"), "it is no file");
        spills.is_refused(Path::new("argway/output/stdout-abcDEF0123.txt"), none);
        let dotted = spills.path("argway/output/../output/stdout-abcDEF0123.txt");
        spills.is_refused(&dotted, none);
        for name in [
            "id_rsa",
            "stdout-.txt",
            "stdout-abcDEF012/.txt",
            "stdin-abcDEF0123.txt",
        ] {
            spills.is_refused(&spills.path("argway/output").join(name), none);
        }
        let elsewhere = spills.file("stdout-abcDEF0123.txt");
        spills.is_refused(&elsewhere, none);
        let absent = spills.path("argway/output/stdout-abcDEF0124.txt");
        spills.is_refused(&absent, "No such file or directory");
    }

    #[test]
    fn links_pipes_and_what_others_can_read_are_refused() {
        let spills = Spills::new();
        let secret = spills.file("secret");
        let at = |name: &str| spills.path("argway/output").join(name);

        let linked = at("stdout-symlinked0.txt");
        symlink(&secret, &linked).unwrap();
        spills.is_refused(&linked, "Too many levels of symbolic links");

        let hard = at("stdout-hardlinked.txt");
        std::fs::hard_link(&secret, &hard).unwrap();
        spills.is_refused(&hard, "it is not a private file");

        let pipe = at("stdout-namedpipe0.txt");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            FileType::Fifo,
            Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        spills.is_refused(&pipe, "it is not a private file");

        let shared = spills.file("argway/output/stdout-readable00.txt");
        set_mode(&shared, 0o644);
        spills.is_refused(&shared, "it is not a private file");

        let good = spills.file(SPILL);
        set_mode(good.parent().unwrap(), 0o755);
        spills.is_refused(&good, "its folder is not private");

        set_mode(good.parent().unwrap(), 0o700);
        let away = spills.path("away");
        std::fs::rename(good.parent().unwrap(), &away).unwrap();
        symlink(&away, good.parent().unwrap()).unwrap();
        spills.is_refused(&good, "Not a directory");
    }
}
