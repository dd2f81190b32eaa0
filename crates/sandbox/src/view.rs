//! Which paths a policy means: the same answer for every tier and system.
//!
//! Three questions with a file each: what of the system every program sees
//! ([`system`]), what a program needs beside itself ([`place`]), and what may not be
//! changed although it lies where the program may write ([`protected`]).

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use argway_core::policy::{Filesystem, SandboxPolicy};

mod git;
mod place;
mod protected;
mod system;
#[cfg(test)]
mod tests;

use protected::Surroundings;
pub use system::links;

/// The files that a run sees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    /// Everything that the caller may; the lists below say nothing then.
    pub everything: bool,
    /// Folders and files that are there to be read and executed, canonical, none within another.
    pub readable: Vec<PathBuf>,
    /// Folders and files that may be changed; some may lie within `readable`.
    pub writable: Vec<PathBuf>,
    /// What within `writable` may not be changed because it would become code outside.
    /// They exist; a folder that holds one of them must not be moved away either.
    pub protected: Vec<PathBuf>,
    /// Where the program runs.
    pub directory: PathBuf,
    /// A folder of its own, 0700: TMPDIR and, unless the policy gives more, HOME.
    pub temporary: PathBuf,
    /// What HOME is.
    pub home: PathBuf,
}

/// Where programs look for temporary files whatever TMPDIR says.
const TEMPORARY: &str = "/tmp";

impl View {
    /// Where a world of its own shows the temporary folder: as `/tmp` and nowhere else,
    /// unless that is part of what the policy grants.
    pub fn own_temporary(&self) -> &Path {
        let mut granted = self.readable.iter().chain(&self.writable);
        let tmp = Path::new(TEMPORARY);
        match self.everything || granted.any(|path| tmp.starts_with(path)) {
            true => &self.temporary,
            false => tmp,
        }
    }

    /// `path` as a world of its own shows it.
    pub fn in_own_world<'a>(&'a self, path: &'a Path) -> &'a Path {
        match path == self.temporary {
            true => self.own_temporary(),
            false => path,
        }
    }
}

/// Why a policy cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// Something that the policy names is wrong, and what would be right.
    #[error("{0}")]
    Refused(String),
}

/// What `policy` means for `program` run in `directory` (both absolute).
///
/// `temporary` exists. A script's interpreter that `env` is to find is looked for in
/// this process' PATH.
pub fn view(
    policy: &SandboxPolicy,
    program: &Path,
    directory: &Path,
    home: Option<&Path>,
    temporary: &Path,
) -> Result<View, ViewError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // A home that does not exist, such as nobody's, holds nothing to keep.
    let home = home.and_then(|home| home.canonicalize().ok());
    let question = Question {
        policy,
        program,
        directory,
        surroundings: Surroundings::new(home.as_deref(), |name| std::env::var_os(name)),
        home,
        temporary: folder("temporary folder", temporary)?,
        path: &path,
    };
    question.answer()
}

/// By which path `program` is to be executed within `view`: the name that it was called
/// by where the view shows every link on the way, so that programs with many names know
/// which one it was; the file itself otherwise.
pub fn executable(view: &View, program: &Path) -> io::Result<PathBuf> {
    if view.everything {
        return Ok(program.to_owned());
    }
    let hops = place::hops(program)?;
    let shown = |path: &Path| {
        let mut granted = view.readable.iter().chain(&view.writable);
        granted.any(|granted| path.starts_with(granted))
    };
    let first = hops.first().cloned();
    let file = hops.last().map(|hop| hop.path.clone());
    match first {
        Some(first) if hops.iter().all(|hop| hop.direct && shown(&hop.path)) => Ok(first.path),
        _ => file.ok_or_else(|| io::ErrorKind::NotFound.into()),
    }
}

/// Undoes, once everything that ran in `view` has ended, what no layer could keep from
/// being made: a file in a repository that leads Git to settings of the program's own.
/// Says what was removed; a caller tells.
pub fn sweep(view: &View) -> Vec<PathBuf> {
    git::sweep(&view.protected)
}

/// What `program` needs to read beside the system's folders: for a policy that starts
/// it through another one, such as a shell.
pub fn beside(program: &Path, home: Option<&Path>) -> Result<Vec<PathBuf>, ViewError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = home.and_then(|home| home.canonicalize().ok());
    let beside = place::of(program, home.as_deref(), &path)?;
    let system = system::readable(false);
    let mut beside = outermost(beside);
    beside.retain(|path| !system.iter().any(|holder| path.starts_with(holder)));
    Ok(beside)
}

struct Question<'a> {
    policy: &'a SandboxPolicy,
    program: &'a Path,
    directory: &'a Path,
    home: Option<PathBuf>,
    surroundings: Surroundings,
    temporary: PathBuf,
    path: &'a OsStr,
}

impl Question<'_> {
    fn answer(self) -> Result<View, ViewError> {
        if !self.program.is_absolute() {
            return Err(refused(format_args!(
                "the command `{}` must be absolute in a sandbox",
                self.program.display()
            )));
        }
        let home = match (self.policy.filesystem, &self.home) {
            (Filesystem::Home, None) => {
                return Err(refused(format_args!(
                    "filesystem \"home\" needs a home folder, and there is none: set HOME"
                )));
            }
            (Filesystem::Home | Filesystem::Full, Some(home)) => home.clone(),
            _ => self.temporary.clone(),
        };
        let directory = self.working_directory()?;
        if self.policy.filesystem == Filesystem::Full {
            return Ok(View {
                everything: true,
                directory,
                temporary: self.temporary,
                home,
                ..View::default()
            });
        }

        let mut writable = self.writable(&directory)?;
        let kept = protected::within(&writable, self.home.as_deref(), &self.surroundings)?;
        self.refuse_protected(&kept.protected)?;
        writable.extend(kept.repository_writable);
        writable.push(self.temporary.clone());
        let writable = outermost(writable);

        let mut readable = system::readable(self.policy.network);
        readable.extend(place::of(self.program, self.home.as_deref(), self.path)?);
        readable.extend(kept.repository_readable);
        for path in &self.policy.readable {
            readable.push(self.named_readable(path)?);
        }
        let mut readable = outermost(readable);
        readable.retain(|path| !writable.iter().any(|holder| path.starts_with(holder)));

        let mut protected = outermost(kept.protected);
        protected.retain(|path| writable.iter().any(|holder| path.starts_with(holder)));
        Ok(View {
            everything: false,
            readable,
            writable,
            protected,
            directory,
            temporary: self.temporary,
            home,
        })
    }

    fn working_directory(&self) -> Result<PathBuf, ViewError> {
        let what = "working directory";
        match self.policy.filesystem {
            Filesystem::None => Ok(self.temporary.clone()),
            Filesystem::Full => folder(what, self.directory),
            Filesystem::Cwd => {
                let directory = folder(what, self.directory)?;
                self.refuse_too_much(what, &directory)?;
                Ok(directory)
            }
            Filesystem::Home => {
                let directory = folder(what, self.directory)?;
                if self.home.as_ref() != Some(&directory) {
                    self.refuse_too_much(what, &directory)?;
                }
                Ok(directory)
            }
        }
    }

    /// The folders and files that the policy lets the program change.
    fn writable(&self, directory: &Path) -> Result<Vec<PathBuf>, ViewError> {
        let mut writable = Vec::new();
        match self.policy.filesystem {
            Filesystem::None | Filesystem::Full => {}
            Filesystem::Cwd => writable.push(directory.to_owned()),
            Filesystem::Home => {
                writable.push(directory.to_owned());
                if let Some(home) = &self.home {
                    if home.parent().is_none() {
                        return Err(refused(format_args!(
                            "filesystem \"home\" would be everything, since the home folder is \
                             `/`: say \"full\" if that is meant"
                        )));
                    }
                    writable.push(home.clone());
                }
            }
        }
        for path in &self.policy.writable {
            let what = "writable path";
            let path = existing(what, Path::new(path))?;
            self.refuse_too_much(what, &path)?;
            writable.push(path);
        }
        Ok(writable)
    }

    /// Protected things are not granted by naming them: that would be found out only
    /// when the program fails to write there.
    fn refuse_protected(&self, protected: &[PathBuf]) -> Result<(), ViewError> {
        for path in &self.policy.writable {
            let named = existing("writable path", Path::new(path))?;
            if let Some(holder) = protected.iter().find(|holder| named.starts_with(holder)) {
                return Err(within_protected("writable path", &named, holder));
            }
        }
        Ok(())
    }

    fn named_readable(&self, path: &str) -> Result<PathBuf, ViewError> {
        let what = "readable path";
        let path = existing(what, Path::new(path))?;
        if path.parent().is_none() {
            return Err(refused(format_args!(
                "the {what} `/` is everything: say filesystem \"full\" if that is meant"
            )));
        }
        refuse_made_up(what, &path)?;
        Ok(path)
    }

    /// What nobody means who names a folder to write in.
    fn refuse_too_much(&self, what: &str, path: &Path) -> Result<(), ViewError> {
        refuse_made_up(what, path)?;
        let shown = path.display();
        if path.parent().is_none() {
            return Err(refused(format_args!(
                "the {what} `/` is everything: name a folder below it{}, or say filesystem \"full\"",
                by_flag(what)
            )));
        }
        if let Some(home) = &self.home
            && home.starts_with(path)
        {
            let relation = if home == path { "is" } else { "holds" };
            return Err(refused(format_args!(
                "the {what} `{shown}` {relation} the home folder: name a folder within it{}, \
                 or say filesystem \"home\" or \"full\"",
                by_flag(what)
            )));
        }
        if system::is_shared(path) {
            return Err(refused(format_args!(
                "the {what} `{shown}` is the system's or everybody's: name a folder within it{}, or \
                 say filesystem \"full\"",
                by_flag(what)
            )));
        }
        if let Some(holder) = protected::holder(path, self.home.as_deref(), &self.surroundings) {
            return Err(within_protected(what, path, &holder));
        }
        Ok(())
    }
}

/// How another working directory is named: clients start servers where they like.
fn by_flag(what: &str) -> &'static str {
    match what {
        "working directory" => " (--cwd)",
        _ => "",
    }
}

fn within_protected(what: &str, path: &Path, holder: &Path) -> ViewError {
    refused(format_args!(
        "the {what} `{}` lies within `{}`, which is protected because it becomes code: name \
         another, or say filesystem \"full\"",
        path.display(),
        holder.display()
    ))
}

/// The kernel's own trees are no files of anybody.
fn refuse_made_up(what: &str, path: &Path) -> Result<(), ViewError> {
    let trees = ["/proc", "/sys", "/dev"];
    if trees.iter().any(|tree| path.starts_with(tree)) {
        return Err(refused(format_args!(
            "the {what} `{}` is no file on a disk: a sandbox has a /proc and a /dev of its own",
            path.display()
        )));
    }
    Ok(())
}

fn refused(message: std::fmt::Arguments<'_>) -> ViewError {
    ViewError::Refused(message.to_string())
}

/// `path`, canonical: links lead to what is granted, not around it.
fn existing(what: &str, path: &Path) -> Result<PathBuf, ViewError> {
    let shown = path.display();
    if !path.is_absolute() {
        return Err(refused(format_args!(
            "the {what} `{shown}` must be absolute"
        )));
    }
    let canonical = path
        .canonicalize()
        .map_err(|error| refused(format_args!("the {what} `{shown}` is not there: {error}")))?;
    if !canonical.is_dir() && !canonical.is_file() {
        return Err(refused(format_args!(
            "the {what} `{shown}` is neither a folder nor a file"
        )));
    }
    Ok(canonical)
}

fn folder(what: &str, path: &Path) -> Result<PathBuf, ViewError> {
    let canonical = existing(what, path)?;
    if !canonical.is_dir() {
        return Err(refused(format_args!(
            "the {what} `{}` is not a folder",
            path.display()
        )));
    }
    Ok(canonical)
}

/// A file to be read that somebody may have replaced by a pipe that nobody writes to.
fn open_without_waiting(path: &Path) -> io::Result<std::fs::File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// Those of `paths` that lie within no other, in order.
fn outermost(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    // By components, so that what lies within a path comes right after it.
    paths.sort_unstable();
    paths.dedup_by(|later, earlier| later.starts_with(&*earlier));
    paths
}
