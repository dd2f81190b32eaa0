//! What is not in a file system, or is there only to be looked at; and namespaces whose
//! number is up.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use rustix::process::{getegid, geteuid};

use crate::sys;

/// Parts of /proc that containers cover.
const MASKED: [&str; 6] = [
    "/proc/acpi",
    "/proc/kcore",
    "/proc/keys",
    "/proc/timer_list",
    "/proc/scsi",
    "/sys/firmware",
];

/// Takes `lack` away; false where it is nothing of a file system.
pub fn take_away(lack: &str) -> io::Result<bool> {
    match lack {
        // Nobody below has any left to make.
        "namespace-quota" => {
            own_users(0)?;
            fs::write("/proc/sys/user/max_user_namespaces", "0")?;
        }
        "proc" => {
            own_mounts()?;
            cover(Path::new("/proc"), 0)?;
        }
        "whole-proc" => {
            own_mounts()?;
            for path in MASKED.map(Path::new) {
                match path.is_dir() {
                    true => cover(path, libc::MS_RDONLY)?,
                    false if path.exists() => bind(Path::new("/dev/null"), path)?,
                    false => {}
                }
            }
            let sys = Path::new("/proc/sys");
            bind(sys, sys)?;
            restrict(sys, libc::MS_RDONLY)?;
        }
        "dev-null" => {
            own_mounts()?;
            cover(Path::new("/dev"), 0)?;
        }
        // Everything but the working directory and the folder for temporary files.
        "writable-root" => {
            own_mounts()?;
            let kept = [temporary(), std::env::current_dir()?];
            for path in &kept {
                bind(path, path)?;
            }
            let root = Path::new("/mnt");
            rbind(Path::new("/"), root)?;
            read_only(root)?;
            for path in &kept {
                restrict(&root.join(path.strip_prefix("/").unwrap_or(path)), 0)?;
            }
            enter(root)?;
        }
        // Whoever cannot be read is not seen by others.
        "visible-processes" => {
            own_mounts()?;
            become_first()?;
            mount(
                Some(c"proc"),
                Path::new("/proc"),
                Some(c"proc"),
                0,
                Some(c"hidepid=2"),
            )?;
        }
        "writable-tmp" => {
            own_mounts()?;
            let temporary = temporary();
            bind(&temporary, &temporary)?;
            restrict(&temporary, libc::MS_RDONLY)?;
        }
        "exec-in-tmp" => {
            own_mounts()?;
            let temporary = temporary();
            bind(&temporary, &temporary)?;
            restrict(&temporary, libc::MS_NOEXEC)?;
        }
        // In a `chroot` nobody may make user namespaces.
        "real-root" => {
            own_mounts()?;
            rbind(Path::new("/"), Path::new("/mnt"))?;
            let folder = std::env::current_dir()?;
            rustix::process::chroot("/mnt")?;
            rustix::process::chdir(&folder)?;
        }
        // The first process of a container, with a /proc of its own.
        "parent" => {
            own_mounts()?;
            become_first()?;
            mount(Some(c"proc"), Path::new("/proc"), Some(c"proc"), 0, None)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Goes on as the first process of a new container; this one ends as that does.
fn become_first() -> io::Result<()> {
    unshare(libc::CLONE_NEWPID)?;
    if let Some(child) = sys::fork()? {
        let status = sys::wait(child)?;
        sys::exit(match libc::WIFEXITED(status) {
            true => libc::WEXITSTATUS(status),
            false => 128 + libc::WTERMSIG(status),
        });
    }
    Ok(())
}

fn temporary() -> PathBuf {
    std::env::temp_dir()
}

/// Mounts of its own: with the help of users of its own where that takes root.
fn own_mounts() -> io::Result<()> {
    match geteuid().is_root() {
        true => unshare(libc::CLONE_NEWNS)?,
        false => own_users(libc::CLONE_NEWNS)?,
    }
    let slave = libc::MS_REC | libc::MS_SLAVE;
    mount(None, Path::new("/"), None, slave, None)
}

/// Users of its own, who is mapped to itself and to nobody else; with `more` namespaces.
fn own_users(more: i32) -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(libc::CLONE_NEWUSER | more)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

fn unshare(namespaces: i32) -> io::Result<()> {
    let namespaces = usize::try_from(namespaces).map_err(io::Error::other)?;
    sys::call(libc::SYS_unshare, &[namespaces]).map(drop)
}

/// An empty folder in its place.
fn cover(path: &Path, flags: u64) -> io::Result<()> {
    mount(Some(c"none"), path, Some(c"tmpfs"), flags, None)
}

fn bind(from: &Path, to: &Path) -> io::Result<()> {
    mount_path(from, to, libc::MS_BIND)
}

fn rbind(from: &Path, to: &Path) -> io::Result<()> {
    mount_path(from, to, libc::MS_BIND | libc::MS_REC)
}

fn mount_path(from: &Path, to: &Path, flags: u64) -> io::Result<()> {
    let from = CString::new(from.as_os_str().as_bytes())?;
    mount(Some(&from), to, None, flags, None)
}

/// Changes what a mount allows, and keeps what it must not allow anyway.
fn restrict(path: &Path, flags: u64) -> io::Result<()> {
    let kept = rustix::fs::statvfs(path)?.f_flag.bits();
    let kept = kept & (libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC | libc::MS_RELATIME);
    mount(
        None,
        path,
        None,
        libc::MS_REMOUNT | libc::MS_BIND | kept | flags,
        None,
    )
}

/// Nothing on this mount, or on those in it, can be written any more.
fn read_only(path: &Path) -> io::Result<()> {
    const HERE: i32 = libc::AT_FDCWD;
    let mut attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let path = CString::new(path.as_os_str().as_bytes())?;
    let words = [
        HERE.cast_unsigned() as usize,
        sys::text(&path),
        libc::AT_RECURSIVE.cast_unsigned() as usize,
        sys::place(&mut attributes),
        size_of::<libc::mount_attr>(),
    ];
    sys::call(libc::SYS_mount_setattr, &words).map(drop)
}

/// Makes this mount the root, as a container's runtime does.
fn enter(root: &Path) -> io::Result<()> {
    let folder = std::env::current_dir()?;
    rustix::process::chdir(root)?;
    sys::call(libc::SYS_pivot_root, &[sys::text(c"."), sys::text(c".")])?;
    let detach = usize::try_from(libc::MNT_DETACH).map_err(io::Error::other)?;
    sys::call(libc::SYS_umount2, &[sys::text(c"."), detach])?;
    Ok(rustix::process::chdir(&folder)?)
}

fn mount(
    source: Option<&std::ffi::CStr>,
    target: &Path,
    kind: Option<&std::ffi::CStr>,
    flags: u64,
    options: Option<&std::ffi::CStr>,
) -> io::Result<()> {
    let target_text = CString::new(target.as_os_str().as_bytes())?;
    let place = |text: Option<&std::ffi::CStr>| text.map_or(0, sys::text);
    let flags = usize::try_from(flags).map_err(io::Error::other)?;
    let words = [
        place(source),
        sys::text(&target_text),
        place(kind),
        flags,
        place(options),
    ];
    sys::call(libc::SYS_mount, &words)
        .map(drop)
        .map_err(|error| io::Error::other(format!("{}: {error}", target.display())))
}
