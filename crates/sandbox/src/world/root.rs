//! Builds the new root and moves in.
//!
//! The order matters: the root is changed first, which lays the old one over the new
//! one where nothing finds it but by a descriptor; then what the plan says is copied
//! from there; at last the old root is taken away.

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::plan::{self, Access, Place};
use super::{refusal, remount};
use crate::layers::LayerError;
use crate::pinned;
use crate::sys::world::{self as sys, attribute};
use crate::view::View;

/// Devices that harm nobody.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// Of a device. Read-only forbids no writing to it, but changing its mode.
const HARMLESS: u64 = attribute::READ_ONLY | attribute::NO_SET_USER_ID | attribute::NO_EXECUTION;

/// Files of `/proc` that root may read without any capability.
const OF_THE_MACHINE: [&str; 8] = [
    "kpagecgroup",
    "kpagecount",
    "kpageflags",
    "keys",
    "pagetypeinfo",
    "slabinfo",
    "timer_list",
    "vmallocinfo",
];

/// Links that programs look through and that a canonical path no longer says.
const LINKS: [&str; 11] = [
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc/localtime",
    "/etc/mtab",
    "/etc/os-release",
    "/etc/resolv.conf",
    "/var/run",
];

/// Folders, links and mount points only; all of it read-only in the end.
const ROOT_OPTIONS: &CStr = c"mode=0755,size=256k,nr_inodes=16k";

const FOLDER: Mode = Mode::from_raw_mode(0o755);

/// What the kernel is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// `mount_setattr`, and where there is none, the older way.
    Current,
    /// As before Linux 5.12: every mount is mounted again with its attributes.
    #[cfg(test)]
    Old,
}

/// A step that failed, and why: becomes a [`LayerError`] at the door.
struct Failed {
    step: String,
    error: io::Error,
    /// It is about something that programs may change: no reason to think that the
    /// system has no namespaces, which a program could otherwise make us think.
    changeable: bool,
}

/// Names the step that an error stopped.
trait While<T> {
    fn during(self, step: impl FnOnce() -> String) -> Result<T, Failed>;
}

impl<T, E: Into<io::Error>> While<T> for Result<T, E> {
    fn during(self, step: impl FnOnce() -> String) -> Result<T, Failed> {
        self.map_err(|error| Failed {
            step: step(),
            error: error.into(),
            changeable: false,
        })
    }
}

pub fn furnish(view: &View, kernel: Kernel) -> Result<(), LayerError> {
    rustix::process::umask(Mode::from_raw_mode(0o022));
    let furnished = if view.everything {
        cover(view, kernel)
    } else {
        rebuild(view, kernel)
    };
    furnished.map_err(|failed| {
        if failed.step == PROC {
            refusal::proc(failed.error)
        } else if failed.changeable {
            refusal::step("working files", &failed.step, failed.error)
        } else {
            refusal::step("mount namespace", &failed.step, failed.error)
        }
    })
}

const PROC: &str = "mounting /proc";

/// The whole old root stays, without what set-user-ID bits and other processes mean.
fn cover(view: &View, kernel: Kernel) -> Result<(), Failed> {
    let old = folder(CWD, c"/").during(|| "opening the root".to_owned())?;
    let mut builder = Builder { old, kernel };
    // An older kernel leaves the bits to `no_new_privs`, which every program has.
    match sys::set_attributes(builder.old.as_fd(), attribute::NO_SET_USER_ID) {
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
            sys::mount(c"none", c"/", libc::MS_REC | libc::MS_PRIVATE, c"")
        }
        result => result,
    }
    .during(|| "restricting the mounts".to_owned())?;
    rustix::process::chdir("/").during(|| "entering the root".to_owned())?;
    for guard in plan::guards(view) {
        builder.bind(&guard)?;
    }
    mount_proc()
}

/// A new root that holds the view.
fn rebuild(view: &View, kernel: Kernel) -> Result<(), Failed> {
    let mut places = plan::places(view);
    let whole = match places.first() {
        Some(first) if first.target == Path::new("/") => Some(places.remove(0)),
        _ => None,
    };
    let mut builder = Builder::change_root(view, whole.as_ref(), kernel)?;
    for place in &places {
        builder.bind(place)?;
    }
    if whole.is_none() {
        builder.links(&places)?;
    }
    builder.devices(view, &places, whole.is_some())?;
    stand(c"proc", FileType::Directory).during(|| "making /proc".to_owned())?;
    mount_proc()?;
    builder.cover_the_machines_files()?;
    builder.close(whole.is_none())
}

/// One with only the world's own processes, in which nothing can be written: some of
/// its files are the whole system's, and root inside is their owner.
fn mount_proc() -> Result<(), Failed> {
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC | libc::MS_RDONLY;
    sys::mount(c"proc", c"proc", flags, c"").during(|| PROC.to_owned())
}

struct Builder {
    /// The old root, wherever it is by now.
    old: OwnedFd,
    kernel: Kernel,
}

impl Builder {
    /// Makes an empty root, or a copy of the `whole` old one, the root and working directory.
    fn change_root(view: &View, whole: Option<&Place>, kernel: Kernel) -> Result<Self, Failed> {
        let changing = || "changing the root".to_owned();
        let old = folder(CWD, c"/").during(changing)?;
        let mut builder = Self { old, kernel };
        // Any folder will do: the new root is there only until it becomes the root.
        let somewhere = c_string(&view.temporary)?;
        match whole {
            Some(place) => {
                let tree = sys::copy_of_mounts(builder.old.as_fd()).during(changing)?;
                let target = pinned::open(CWD, &view.temporary).during(changing)?;
                sys::attach(tree.as_fd(), target.as_fd()).during(changing)?;
                builder.finish(&tree, place, &view.temporary)?;
            }
            None => {
                let flags = libc::MS_NOSUID | libc::MS_NODEV;
                sys::mount(c"tmpfs", &somewhere, flags, ROOT_OPTIONS)
                    .during(|| format!("making a root at {}", view.temporary.display()))?;
            }
        }
        rustix::process::chdir(&somewhere).during(changing)?;
        sys::pivot().during(changing)?;
        Ok(builder)
    }

    /// Binds one place, making what it needs to stand on.
    fn bind(&mut self, place: &Place) -> Result<(), Failed> {
        let binding = || format!("binding {}", place.target.display());
        let of_place = |failed: Failed| Failed {
            changeable: place.access != Access::Read,
            ..failed
        };
        let tree = match self.copy(relative_path(&place.source)) {
            // Gone, or not ours to see: then there is nothing to be read.
            Err(error) if is_absent(&error) && place.access == Access::Read => return Ok(()),
            tree => tree.during(binding).map_err(of_place)?,
        };
        let source = rustix::fs::fstat(&tree).during(binding)?;
        let kind = FileType::from_raw_mode(source.st_mode);
        if kind == FileType::Symlink && place.access == Access::Read {
            return self.link(&place.target).during(binding);
        }
        let target = self
            .stand(&place.target, kind)
            .during(binding)
            .map_err(of_place)?;
        if matches!(place.access, Access::Hold | Access::Protect) {
            let there = rustix::fs::fstat(&target).during(binding)?;
            if (there.st_dev, there.st_ino) != (source.st_dev, source.st_ino) {
                let replaced = io::Error::from(Errno::STALE);
                return Err(replaced).during(binding).map_err(of_place);
            }
        }
        sys::attach(tree.as_fd(), target.as_fd())
            .during(binding)
            .map_err(of_place)?;
        self.finish(&tree, place, &place.target)
    }

    /// A copy of the mounts at `path` of the old root.
    fn copy(&self, path: &Path) -> io::Result<OwnedFd> {
        let source = match path.as_os_str().is_empty() {
            true => self.old.try_clone()?,
            false => pinned::open(self.old.as_fd(), path)?,
        };
        sys::copy_of_mounts(source.as_fd())
    }

    /// What a mount is to stand on, made where it is missing.
    fn stand(&self, target: &Path, kind: FileType) -> io::Result<OwnedFd> {
        let target = relative_path(target);
        let name = CString::new(target.as_os_str().as_bytes())?;
        stand(&name, kind)?;
        Ok(pinned::open(CWD, target)?)
    }

    /// Gives an attached tree its attributes.
    fn finish(&mut self, tree: &OwnedFd, place: &Place, at: &Path) -> Result<(), Failed> {
        let mut attributes = attribute::NO_SET_USER_ID;
        if !place.access.is_writable() {
            attributes |= attribute::READ_ONLY;
        }
        // A device that a policy names is meant to be one.
        if !place.target.starts_with("/dev") || place.target.starts_with("/dev/shm") {
            attributes |= attribute::NO_DEVICES;
        }
        self.set(tree, at, attributes)
            .during(|| format!("restricting {}", place.target.display()))
    }

    fn set(&mut self, tree: &OwnedFd, at: &Path, attributes: u64) -> io::Result<()> {
        if self.kernel == Kernel::Current {
            match sys::set_attributes(tree.as_fd(), attributes) {
                Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {}
                result => return result,
            }
        }
        remount::set(self.old.as_fd(), at, attributes)
    }

    /// Recreates the links that the old root has and the new one would miss.
    fn links(&self, places: &[Place]) -> Result<(), Failed> {
        for path in LINKS.map(Path::new) {
            if !shows(places, path) {
                self.link(path)
                    .during(|| format!("linking {}", path.display()))?;
            }
        }
        Ok(())
    }

    /// The same link in the new root, where the old one has a link there.
    fn link(&self, path: &Path) -> io::Result<()> {
        let name = relative_path(path);
        match rustix::fs::readlinkat(&self.old, name, Vec::new()) {
            Ok(content) => Ok(link(OsStr::from_bytes(content.to_bytes()), name)?),
            Err(_) => Ok(()),
        }
    }

    /// `/dev`: five devices, the links that programs expect, and shared memory that is
    /// files in the temporary folder.
    fn devices(&mut self, view: &View, places: &[Place], whole: bool) -> Result<(), Failed> {
        let making = || "making /dev".to_owned();
        stand(c"dev", FileType::Directory).during(making)?;
        if whole {
            let flags = libc::MS_NOSUID | libc::MS_NODEV;
            sys::mount(c"tmpfs", c"dev", flags, ROOT_OPTIONS).during(making)?;
        }
        for name in DEVICES {
            let path = Path::new("dev").join(name);
            let tree = match self.copy(&path) {
                Err(error) if is_absent(&error) => continue,
                tree => tree.during(making)?,
            };
            let target = self
                .stand(&path, FileType::CharacterDevice)
                .during(making)?;
            sys::attach(tree.as_fd(), target.as_fd()).during(making)?;
            self.set(&tree, &Path::new("/dev").join(name), HARMLESS)
                .during(making)?;
        }
        for (number, name) in ["dev/stdin", "dev/stdout", "dev/stderr"].iter().enumerate() {
            let content = format!("/proc/self/fd/{number}");
            link(OsStr::new(&content), Path::new(name)).during(making)?;
        }
        link(OsStr::new("/proc/self/fd"), Path::new("dev/fd")).during(making)?;
        link(view.own_temporary().as_os_str(), Path::new("dev/shm")).during(making)?;
        if whole {
            close(c"dev").during(making)?;
        } else if !shows(places, Path::new("/var/tmp")) {
            link(view.own_temporary().as_os_str(), Path::new("var/tmp"))
                .during(|| "linking /var/tmp".to_owned())?;
        }
        Ok(())
    }

    /// What `/proc` tells root alone is about everybody on the machine, and the program
    /// of root is root in this alone.
    fn cover_the_machines_files(&mut self) -> Result<(), Failed> {
        if !rustix::process::geteuid().is_root() {
            return Ok(());
        }
        for name in OF_THE_MACHINE {
            let covering = || format!("covering /proc/{name}");
            let path = Path::new("proc").join(name);
            let target = match pinned::open(CWD, &path) {
                Err(Errno::NOENT) => continue,
                target => target.during(covering)?,
            };
            let nothing = self.copy(Path::new("dev/null")).during(covering)?;
            sys::attach(nothing.as_fd(), target.as_fd()).during(covering)?;
            self.set(&nothing, &Path::new("/proc").join(name), HARMLESS)
                .during(covering)?;
        }
        Ok(())
    }

    /// Takes the old root away and closes the new one.
    fn close(self, own: bool) -> Result<(), Failed> {
        let leaving = || "leaving the old root".to_owned();
        rustix::process::fchdir(&self.old).during(leaving)?;
        sys::detach_here().during(leaving)?;
        rustix::process::chdir("/").during(leaving)?;
        if own {
            close(c"/").during(|| "closing the root".to_owned())?;
        }
        Ok(())
    }
}

/// Whether `path` is part of something that is bound.
fn shows(places: &[Place], path: &Path) -> bool {
    places.iter().any(|place| path.starts_with(&place.target))
}

/// Makes a file system of our own read-only.
fn close(target: &CStr) -> io::Result<()> {
    let again = libc::MS_REMOUNT | libc::MS_BIND;
    let flags = again | libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV;
    sys::mount(c"none", target, flags, c"")
}

/// Makes a link, and the folders that lead to it.
fn link(content: &OsStr, name: &Path) -> Result<(), Errno> {
    make(name, &|| rustix::fs::symlink(content, name))
}

/// Makes something for a mount to stand on, and the folders that lead there.
fn stand(target: &CStr, kind: FileType) -> Result<(), Errno> {
    make(Path::new(OsStr::from_bytes(target.to_bytes())), &|| {
        if kind == FileType::Directory {
            return rustix::fs::mkdir(target, FOLDER);
        }
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        rustix::fs::open(target, flags, Mode::from_raw_mode(0o600)).map(drop)
    })
}

/// Creates what `path` names, and the folders above it only where they are missing.
/// What is there already need not be made; what is read-only has it, or mounting says so.
fn make(path: &Path, create: &dyn Fn() -> Result<(), Errno>) -> Result<(), Errno> {
    let made = match (create(), path.parent()) {
        (Err(Errno::NOENT), Some(parent)) => {
            make(parent, &|| rustix::fs::mkdir(parent, FOLDER))?;
            create()
        }
        (made, _) => made,
    };
    match made {
        Err(Errno::EXIST | Errno::ROFS) => Ok(()),
        made => made,
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
    )
}

fn folder(at: BorrowedFd<'_>, path: &CStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(at, path, flags, Mode::empty())
}

/// An absolute path as one below the working directory or the old root.
fn relative_path(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}

fn c_string(path: &Path) -> Result<CString, Failed> {
    CString::new(path.as_os_str().as_bytes()).during(|| format!("naming {}", path.display()))
}
