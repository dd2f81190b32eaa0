//! What a program needs beside itself.
//!
//! The file, always; a script's interpreter, with what that needs. Then by the place,
//! for every link on the way from the name to the file:
//!
//! - A folder called `bin`, `sbin`, `libexec`, `shims` or `.bin`, and beside it `lib`,
//!   `lib32`, `lib64`, `libexec` and `share`: the parts of a prefix that hold no
//!   settings. Not the prefix itself (`~/.cargo` has credentials), nothing beside
//!   `~/bin`, and no `~/.local/share` (keyrings).
//! - What marks a prefix as a known kind (a Python environment, a JDK, a Go tree, a
//!   manager of versions) shows that kind's parts too.
//! - Below `/opt`: the whole `/opt/NAME`. In a store (`/nix/store`): the store. In
//!   `node_modules`: the outermost of them. In a Homebrew `Cellar`: it and its links.
//!
//! Never the home folder, never one that holds it. A program anywhere else brings its
//! file alone; a policy can name the rest.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use super::{ViewError, refused};

const FOLDERS: &[&str] = &["bin", "sbin", "libexec", "shims", ".bin"];
const BESIDE: &[&str] = &["lib", "lib32", "lib64", "libexec"];
const SHARE: &str = "share";

/// What shows the kind of a prefix, and the parts that such a one has.
const KINDS: &[(&str, &[&str])] = &[
    ("pyvenv.cfg", &["pyvenv.cfg"]),
    ("lib/modules", &["conf", "release"]),
    ("pkg/tool", &["src", "pkg", "VERSION", "go.env"]),
    (
        "shims",
        &["bin", "versions", "installs", "plugins", "version"],
    ),
];

const STORES: &[&str] = &["/nix/store", "/gnu/store"];
const CELLAR: &[&str] = &["Cellar", "opt", "lib", "share"];

/// Links that may follow each other, as the kernel has it.
const MOST_LINKS: usize = 40;
/// A script's interpreter may be a script, so often.
const MOST_SCRIPTS: usize = 4;
const LONGEST_SCRIPT_LINE: u64 = 256;

/// The paths, canonical, that `program` needs to read.
pub fn of(program: &Path, home: Option<&Path>, path: &OsStr) -> Result<Vec<PathBuf>, ViewError> {
    let mut place = Place {
        home,
        paths: Vec::new(),
    };
    let mut next = Some(program.to_owned());
    for _ in 0..=MOST_SCRIPTS {
        let Some(program) = next.take() else { break };
        let hops = hops(&program).map_err(|error| {
            refused(format_args!(
                "`{}` cannot be run: {error}",
                program.display()
            ))
        })?;
        let Some(file) = hops.last() else { break };
        // A script names what it likes; what cannot be run is no interpreter but
        // something that it wants to read.
        if !place.paths.is_empty() && !is_executable(&file.path) {
            break;
        }
        if !file.path.is_file() {
            return Err(refused(format_args!(
                "`{}` cannot be run: it is not a file",
                program.display()
            )));
        }
        for hop in &hops {
            place.surroundings(&hop.path);
        }
        place.paths.push(file.path.clone());
        if let Some(line) = Script::read(&file.path) {
            // `env` is a program of its own that starts another.
            if let Some(command) = line.started_by_env(path) {
                if is_executable(&line.interpreter) {
                    place.grant(&line.interpreter);
                }
                next = Some(command);
            } else {
                next = line.interpreter.exists().then_some(line.interpreter);
            }
        }
    }
    Ok(place.paths)
}

/// A step from a program's name to its file: a link, or the file at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// Its folder is canonical.
    pub path: PathBuf,
    /// Whether the link before names this very path, through no link to a folder.
    pub direct: bool,
}

/// The links that lead from `program` to its file, and the file.
pub fn hops(program: &Path) -> io::Result<Vec<Hop>> {
    let mut hops = Vec::with_capacity(2);
    let mut named = program.to_owned();
    for _ in 0..MOST_LINKS {
        let (Some(folder), Some(name)) = (named.parent(), named.file_name()) else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        let path = folder.canonicalize()?.join(name);
        let direct = hops.is_empty() || plain(&named) == path;
        let link = std::fs::symlink_metadata(&path)?.is_symlink();
        if link {
            // Relative to the canonical folder; an absolute target replaces it.
            named = path.with_file_name(std::fs::read_link(&path)?);
        }
        hops.push(Hop { path, direct });
        if !link {
            return Ok(hops);
        }
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

/// `path` without `.` and `..`, by its words alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

struct Place<'a> {
    home: Option<&'a Path>,
    paths: Vec<PathBuf>,
}

impl Place<'_> {
    /// Never the home folder, nor one that holds it.
    fn is_too_much(&self, path: &Path) -> bool {
        path.parent().is_none() || self.home.is_some_and(|home| home.starts_with(path))
    }

    fn grant(&mut self, path: &Path) {
        if let Ok(path) = path.canonicalize()
            && !self.is_too_much(&path)
        {
            self.paths.push(path);
        }
    }

    fn surroundings(&mut self, program: &Path) {
        if let Some(store) = STORES.iter().find(|store| program.starts_with(store)) {
            self.grant(Path::new(store));
            return;
        }
        self.installation(program);
        for holder in program.ancestors().skip(1) {
            let Some(above) = holder.parent() else { break };
            if holder.ends_with("Cellar") {
                for part in CELLAR {
                    self.grant(&above.join(part));
                }
            }
        }
        let outermost = program
            .ancestors()
            .filter(|holder| holder.ends_with("node_modules"))
            .last();
        if let Some(modules) = outermost {
            self.grant(modules);
        }

        let Some(folder) = program.parent() else {
            return;
        };
        if !FOLDERS.iter().any(|name| folder.ends_with(name)) {
            return;
        }
        self.grant(folder);
        if let Some(prefix) = folder.parent()
            && !self.is_too_much(prefix)
        {
            self.prefix(prefix);
        }
    }

    /// `/opt/NAME`.
    fn installation(&mut self, program: &Path) {
        if let Ok(below) = program.strip_prefix("/opt")
            && let Some(name) = below.components().next()
            && Path::new(&name) != below
            && name.as_os_str() != "homebrew"
        {
            self.grant(&Path::new("/opt").join(name));
        }
    }

    fn prefix(&mut self, prefix: &Path) {
        for part in BESIDE {
            self.within(prefix, part);
        }
        let local = self.home.map(|home| home.join(".local"));
        if local.as_deref() != Some(prefix) {
            self.within(prefix, SHARE);
        }
        for (mark, parts) in KINDS {
            if prefix.join(mark).exists() {
                for part in *parts {
                    self.within(prefix, part);
                }
            }
        }
    }

    /// A part of a prefix, unless it is a link that leads elsewhere.
    fn within(&mut self, prefix: &Path, part: &str) {
        if let Ok(path) = prefix.join(part).canonicalize()
            && path.starts_with(prefix)
        {
            self.grant(&path);
        }
    }
}

/// The first line of a script.
#[derive(Debug, PartialEq, Eq)]
struct Script {
    interpreter: PathBuf,
    words: Vec<OsString>,
}

impl Script {
    fn read(file: &Path) -> Option<Self> {
        let mut start = Vec::new();
        let file = super::open_without_waiting(file).ok()?;
        file.take(LONGEST_SCRIPT_LINE)
            .read_to_end(&mut start)
            .ok()?;
        Self::parse(&start)
    }

    fn parse(start: &[u8]) -> Option<Self> {
        let line = start.strip_prefix(b"#!")?;
        let line = line.split(|byte| *byte == b'\n').next()?;
        let mut words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .map(|word| OsString::from_vec(word.to_owned()));
        let interpreter = PathBuf::from(words.next()?);
        interpreter.is_absolute().then(|| Self {
            interpreter,
            words: words.collect(),
        })
    }

    /// The file that `#!/usr/bin/env NAME` means.
    fn started_by_env(&self, path: &OsStr) -> Option<PathBuf> {
        if self.interpreter.file_name()? != "env" {
            return None;
        }
        let mut words = self.words.iter();
        let name = loop {
            let word = words.next()?;
            let bytes = word.as_bytes();
            match bytes {
                b"-u" | b"-C" | b"--unset" | b"--chdir" => {
                    words.next();
                }
                // Glued to what it splits.
                [b'-', b'S', rest @ ..] if !rest.is_empty() => {
                    break OsStr::from_bytes(rest);
                }
                [b'-', ..] => {}
                _ if bytes.contains(&b'=') => {}
                _ => break word.as_os_str(),
            }
        };
        if name.as_bytes().contains(&b'/') {
            let named = PathBuf::from(name);
            return (named.is_absolute() && named.exists()).then_some(named);
        }
        std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name))
            .find(|file| is_executable(file))
    }
}

fn is_executable(file: &Path) -> bool {
    std::fs::metadata(file)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[track_caller]
    fn check(start: &str, interpreter: &str, words: &[&str]) {
        let script = Script::parse(start.as_bytes()).unwrap();
        assert_eq!(script.interpreter, Path::new(interpreter));
        assert_eq!(script.words, words);
    }

    #[test]
    fn the_first_line_of_a_script_names_its_interpreter() {
        check("#!/bin/sh\necho", "/bin/sh", &[]);
        check(
            "#! /usr/bin/env -S node --x\r\n",
            "/usr/bin/env",
            &["-S", "node", "--x"],
        );
        assert_eq!(Script::parse(b"#!python3\n"), None);
        assert_eq!(Script::parse(b"\x7fELF"), None);
        assert_eq!(Script::parse(b"#!"), None);
    }

    #[test]
    fn env_is_seen_through() {
        let found = |line: &str| {
            let script = Script::parse(line.as_bytes()).unwrap();
            script.started_by_env(OsStr::new("relative:/bin:/usr/bin"))
        };
        let sh = Some(PathBuf::from("/bin/sh"));
        assert_eq!(found("#!/usr/bin/env sh"), sh);
        assert_eq!(found("#!/usr/bin/env -S A=b -u B sh -e"), sh);
        assert_eq!(found("#!/usr/bin/env -Ssh -e"), sh);
        assert_eq!(found("#!/usr/bin/env no-such-program"), None);
        assert_eq!(found("#!/bin/sh env"), None);
    }
}
