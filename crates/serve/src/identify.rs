//! Finds a program's file and tells its family by reading it, never by running it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use argway_core::model::Family;
use argway_core::sources::described::Sign;
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

pub mod node;
pub mod python;
mod resolve;
mod wrapper;

pub use resolve::{ResolveError, resolve, resolve_command};

/// A script longer than this is more than a wrapper.
const LONGEST_WRAPPER: u64 = 64 * 1024;

/// Wrappers around wrappers are followed this far.
const DEEPEST_WRAPPER: usize = 5;

/// Files are searched in pieces that stay in the processor's cache.
const PIECE: usize = 256 * 1024;

/// What a program is, going by its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// A Cobra program whose completion can be asked.
    Cobra,
    /// A Cobra program from before 1.0: only its help can be read.
    OldCobra,
    /// Anything else.
    NotCobra {
        /// The family, where the file shows it.
        family: Option<Family>,
    },
    /// A program with a library that lets it describe itself.
    Describes {
        /// Which one.
        sign: Sign,
        /// The family that it is of besides, where the file shows it.
        family: Option<Family>,
    },
    /// A script that does nothing but run another program.
    Wrapper {
        /// The program behind it, resolved.
        target: PathBuf,
        /// What that is.
        identity: Box<Identity>,
    },
}

impl Identity {
    /// Its file says nothing.
    const UNKNOWN: Self = Identity::NotCobra { family: None };

    /// The program itself, behind any wrappers.
    pub fn inner(&self) -> &Identity {
        match self {
            Identity::Wrapper { identity, .. } => identity.inner(),
            other => other,
        }
    }

    /// Whether `__complete` may be sent to it.
    pub fn answers_completion(&self) -> bool {
        *self.inner() == Identity::Cobra
    }
}

/// Tells the family of the program at `path` without running it.
pub fn family(path: &Path) -> io::Result<Identity> {
    family_within(path, DEEPEST_WRAPPER)
}

/// Whether the program at `path` is machine code, not a script.
pub fn is_native(path: &Path) -> io::Result<bool> {
    let mut start = [0; 4];
    let read = read_full(&mut File::open(path)?, &mut start)?;
    Ok(is_machine_code(&start[..read]))
}

fn family_within(path: &Path, depth: usize) -> io::Result<Identity> {
    let mut file = File::open(path)?;
    let mut start = [0; 4];
    let read = read_full(&mut file, &mut start)?;
    if start[..read].starts_with(b"#!") {
        if depth == 0 || file.metadata()?.len() > LONGEST_WRAPPER {
            return Ok(Identity::UNKNOWN);
        }
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        let Some(target) = wrapper::target(&text, path) else {
            return Ok(Identity::UNKNOWN);
        };
        return Ok(match family_within(&target, depth - 1) {
            Ok(identity) => Identity::Wrapper {
                target,
                identity: Box::new(identity),
            },
            Err(_) => Identity::UNKNOWN,
        });
    }
    if !is_machine_code(&start[..read]) {
        return Ok(Identity::UNKNOWN);
    }
    search(&mut file, PIECE)
}

/// ELF, PE, and Mach-O of either width and order, or for several machines.
fn is_machine_code(start: &[u8]) -> bool {
    start.starts_with(b"MZ")
        || matches!(
            start,
            b"\x7fELF"
                | b"\xcf\xfa\xed\xfe"
                | b"\xce\xfa\xed\xfe"
                | b"\xfe\xed\xfa\xcf"
                | b"\xfe\xed\xfa\xce"
                | b"\xca\xfe\xba\xbe"
                | b"\xca\xfe\xba\xbf"
        )
}

/// What libraries leave in every binary that they are linked into, backwards. Whoever
/// comes first is meant where there are several: a library of flags can come along with
/// another, Cobra is what the program itself is made of. Go's stands before its imports.
const MARKS: [(Found, &[u8]); 9] = [
    (Found::Completion, b"cseDoNetelpmoc__"),
    (Found::Go, b"tixeog.emitnur"),
    (Found::Cobra, b"arboc/31fps/moc.buhtig"),
    (Found::Sign(Sign::Swift), b"pleh-pmud-latnemirepxe"),
    (Found::Sign(Sign::Usage), b"-bil-egasu/"),
    (Found::Family(Family::Clap), b"redliub_palc"),
    (Found::Import(Family::Urfave), b"ilc/evafru/moc.buhtig"),
    (Found::Import(Family::Kingpin), b"nipgnik/samohtcela/"),
    (
        Found::Import(Family::Kingpin),
        b"gnok/samohtcela/moc.buhtig",
    ),
];

#[derive(Clone, Copy)]
enum Found {
    /// A Cobra that answers completion.
    Completion,
    /// Go's runtime. Without it an import path is only text: lists of tools to install
    /// are full of them.
    Go,
    /// The import path of any Cobra.
    Cobra,
    Sign(Sign),
    Family(Family),
    /// The import path of a library of Go's.
    Import(Family),
}

/// Looks for all marks in one pass.
fn search(file: &mut impl Read, piece: usize) -> io::Result<Identity> {
    let marks = MARKS.map(|(found, mark)| (found, reversed(mark)));
    // Those that were not met yet.
    let mut wanted: Vec<(usize, Finder<'_>)> = marks
        .iter()
        .enumerate()
        .map(|(number, (_, mark))| (number, Finder::new(mark)))
        .collect();
    let longest = marks.iter().map(|(_, mark)| mark.len()).max();
    let overlap = longest.unwrap_or(1) - 1;
    let mut met = [false; MARKS.len()];
    let mut buffer = vec![0; overlap + piece];
    let mut kept = 0;
    loop {
        let read = read_full(file, &mut buffer[kept..])?;
        let filled = &buffer[..kept + read];
        wanted.retain(|(number, finder)| {
            met[*number] = finder.find(filled).is_some();
            !met[*number]
        });
        // Nothing is stronger.
        if met[0] || kept + read < buffer.len() {
            break;
        }
        let end = filled.len();
        buffer.copy_within(end - overlap..end, 0);
        kept = overlap;
    }
    Ok(identity(met))
}

/// What the marks that were met mean together.
fn identity(met: [bool; MARKS.len()]) -> Identity {
    let (mut sign, mut family, mut is_go) = (None, None, false);
    for ((found, _), _) in MARKS.iter().zip(met).filter(|(_, met)| *met) {
        match *found {
            Found::Completion => return Identity::Cobra,
            Found::Go => is_go = true,
            Found::Cobra if is_go => return Identity::OldCobra,
            Found::Import(found) if is_go => family = family.or(Some(found)),
            Found::Sign(found) => sign = sign.or(Some(found)),
            Found::Family(found) => family = family.or(Some(found)),
            Found::Cobra | Found::Import(_) => {}
        }
    }
    match sign {
        Some(sign) => Identity::Describes { sign, family },
        None => Identity::NotCobra { family },
    }
}

/// The marks are kept backwards, so that argway's own binary does not hold them
/// and pass for a Cobra program. It is a clap program, and does hold that one.
fn reversed(mark: &[u8]) -> Vec<u8> {
    std::hint::black_box(mark).iter().rev().copied().collect()
}

/// Reads until the buffer is full or the file ends.
fn read_full(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Which file a program is, precisely enough to notice that it was replaced.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileId {
    /// The path with every link followed.
    pub path: PathBuf,
    /// In bytes.
    pub size: u64,
    /// Last change, in nanoseconds since 1970.
    pub modified: i64,
    /// The file's number on its device.
    pub inode: u64,
    /// The device's number.
    pub device: u64,
}

impl FileId {
    /// The file that `path` leads to now.
    pub fn of(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        let meta = fs::metadata(&path)?;
        let nanoseconds =
            |duration: std::time::Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
        let modified = match meta.modified()?.duration_since(UNIX_EPOCH) {
            Ok(after) => nanoseconds(after),
            Err(before) => -nanoseconds(before.duration()),
        };
        Ok(Self {
            path,
            size: meta.size(),
            modified,
            inode: meta.ino(),
            device: meta.dev(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn write(folder: &Path, name: &str, bytes: &[u8], mode: u32) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn binary(mark: &str) -> Vec<u8> {
        let mut bytes = b"\x7fELF".to_vec();
        bytes.extend(vec![0; 3000]);
        bytes.extend_from_slice(mark.as_bytes());
        bytes.extend(vec![1; 5000]);
        bytes
    }

    #[test]
    fn libraries_are_known_by_their_marks_in_binaries_only() {
        let folder = tempfile::tempdir().unwrap();
        let check = |bytes: &[u8], expected: Identity| {
            let path = write(folder.path(), "tool", bytes, 0o755);
            assert_eq!(family(&path).unwrap(), expected);
        };
        check(&binary("__completeNoDesc"), Identity::Cobra);
        check(
            &binary("runtime.goexit github.com/spf13/cobra.(*Command)"),
            Identity::OldCobra,
        );
        check(
            &binary("a list of tools: github.com/spf13/cobra-cli, github.com/urfave/cli"),
            Identity::UNKNOWN,
        );
        check(&binary("github.com/spf13/viper"), Identity::UNKNOWN);
        let family = |family| Identity::NotCobra {
            family: Some(family),
        };
        check(&binary("clap_builder-4.5.1/src"), family(Family::Clap));
        check(
            &binary("github.com/urfave/cli/v2 runtime.goexit"),
            family(Family::Urfave),
        );
        check(
            &binary("runtime.goexit gopkg.in/alecthomas/kingpin.v2"),
            family(Family::Kingpin),
        );
        check(
            &binary("github.com/alecthomas/kong runtime.goexit"),
            family(Family::Kingpin),
        );
        let describes = |sign, family| Identity::Describes { sign, family };
        check(
            &binary("experimental-dump-help"),
            describes(Sign::Swift, None),
        );
        check(
            &binary("/usage-lib-7.1.5/src/spec.rs"),
            describes(Sign::Usage, None),
        );
        check(
            &binary("clap_builder /usage-lib-2"),
            describes(Sign::Usage, Some(Family::Clap)),
        );
        check(b"a text on __completeNoDesc", Identity::UNKNOWN);
        check(b"", Identity::UNKNOWN);
        check(
            b"#!/usr/bin/python3\n# __completeNoDesc\n",
            Identity::UNKNOWN,
        );
    }

    #[test]
    fn a_mark_is_found_wherever_the_pieces_are_cut() {
        let bytes = binary("__completeNoDesc");
        for piece in 1..200 {
            assert_eq!(
                search(&mut bytes.as_slice(), piece).unwrap(),
                Identity::Cobra,
                "{piece}"
            );
        }
        let bytes = binary("github.com/spf13/cobra runtime.goexit");
        for piece in [1, 7, 22, 23, 1000, 100_000] {
            assert_eq!(
                search(&mut bytes.as_slice(), piece).unwrap(),
                Identity::OldCobra,
                "{piece}"
            );
        }
        let bytes = [
            binary("alecthomas/kong clap_builder"),
            binary("/usage-lib-1"),
        ]
        .concat();
        for piece in [1, 5, 64, 4096] {
            let expected = Identity::Describes {
                sign: Sign::Usage,
                family: Some(Family::Clap),
            };
            let found = search(&mut bytes.as_slice(), piece).unwrap();
            assert_eq!(found, expected, "{piece}");
        }
    }

    #[test]
    fn links_and_wrappers_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let real = write(folder.path(), "real", &binary("__completeNoDesc"), 0o755);
        let real_name = real.to_str().unwrap();
        let link = folder.path().join("link");
        symlink(&real, &link).unwrap();
        assert_eq!(family(&link).unwrap(), Identity::Cobra);
        let scripts = [
            format!("#!/bin/sh\nexec {real_name} \"$@\"\n"),
            format!(
                "#!/usr/bin/env bash\n# comment\nset -eu\nexport A=1\nB=\"x y\"\nexec \"{real_name}\" \"$@\""
            ),
            format!("#!/bin/bash -e\nexec -a \"$0\" '{real_name}' --flag=x -v \"$@\"\n"),
            "#!/bin/sh\nexec \"$(dirname \"$0\")/real\" \"$@\"\n".to_owned(),
            "#!/bin/sh\nexec ${0%/*}/real $@\n".to_owned(),
        ];
        for script in scripts {
            let path = write(folder.path(), "wrapper", script.as_bytes(), 0o755);
            let expected = Identity::Wrapper {
                target: real.clone(),
                identity: Box::new(Identity::Cobra),
            };
            assert_eq!(family(&path).unwrap(), expected, "{script}");
            assert!(family(&path).unwrap().answers_completion());
        }
    }

    #[test]
    fn scripts_that_do_more_than_hand_over_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let real = write(folder.path(), "real", &binary("__completeNoDesc"), 0o755);
        let real = real.to_str().unwrap();
        for script in [
            format!("#!/bin/sh\nrm -rf x\nexec {real} \"$@\"\n"),
            format!("#!/bin/sh\nexec {real} run tool \"$@\"\n"),
            format!("#!/bin/sh\nexec {real}\n"),
            format!("#!/bin/sh\nif test -f x; then\nexec {real} \"$@\"\nfi\n"),
            format!("#!/bin/sh\nA=1 curl x\nexec {real} \"$@\"; rm x\n"),
            format!("#!/bin/sh\nexec $TOOL/{real} \"$@\"\n"),
            format!("#!/bin/sh\nexec {real} \"$@\"\nexec other \"$@\"\n"),
            "#!/bin/sh\nexec real \"$@\"\n".to_owned(),
            "#!/bin/sh\nexec /nowhere/real \"$@\"\n".to_owned(),
            format!("#!/usr/bin/perl\nexec {real} \"$@\"\n"),
        ] {
            let path = write(folder.path(), "wrapper", script.as_bytes(), 0o755);
            assert_eq!(family(&path).unwrap(), Identity::UNKNOWN, "{script}");
        }
    }

    #[test]
    fn a_wrapper_around_itself_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("loop");
        let script = format!("#!/bin/sh\nexec {} \"$@\"\n", path.display());
        write(folder.path(), "loop", script.as_bytes(), 0o755);
        assert_eq!(*family(&path).unwrap().inner(), Identity::UNKNOWN);
    }

    #[test]
    fn a_changed_file_has_another_identity() {
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path(), "tool", b"one", 0o755);
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        let before = FileId::of(&link).unwrap();
        assert_eq!(before, FileId::of(&path).unwrap());
        assert_eq!(before.path, fs::canonicalize(&path).unwrap());
        write(folder.path(), "new", b"two", 0o755);
        fs::rename(folder.path().join("new"), &path).unwrap();
        assert_ne!(before, FileId::of(&link).unwrap());
        assert!(FileId::of(Path::new("/nowhere")).is_err());
    }
}
