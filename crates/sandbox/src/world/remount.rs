//! Attributes of mounts on kernels before 5.12: each mount below is found and mounted
//! again, because a recursive bind restricts only its uppermost mount.

use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::io::{self, Read};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use libc::c_ulong;
use rustix::fs::{Mode, OFlags};

use crate::sys::world::{self as sys, attribute};

/// More mounts than this fit nobody's machine.
const LIST_LIMIT: u64 = 16 << 20;

/// Gives every mount at `path` and below, as this process sees it, further attributes,
/// and cuts them off from mounts made elsewhere. `proc_holder` has a `proc`.
pub fn set(proc_holder: BorrowedFd<'_>, path: &Path, attributes: u64) -> io::Result<()> {
    let target = c_string(path)?;
    sys::mount(c"none", &target, libc::MS_REC | libc::MS_PRIVATE, c"")?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let list = rustix::fs::openat(proc_holder, "proc/self/mountinfo", flags, Mode::empty())?;
    let mut lines = Vec::new();
    std::fs::File::from(list)
        .take(LIST_LIMIT)
        .read_to_end(&mut lines)?;
    for (at, flags) in uppermost(mounts(&lines)) {
        if !at.starts_with(path) {
            continue;
        }
        let flags = libc::MS_REMOUNT | libc::MS_BIND | flags | as_flags(attributes);
        match sys::mount(c"none", &c_string(&at)?, flags, c"") {
            // Covered by another mount, or in a folder that is closed to us: nobody
            // inside gets there either.
            Err(error) if at != path && is_out_of_reach(&error) => {}
            result => result?,
        }
    }
    Ok(())
}

/// Of mounts at the same path only the last is reached by it; it lies on the others, and
/// the kernel lists it after them.
fn uppermost(mounts: impl Iterator<Item = Mount>) -> BTreeMap<PathBuf, c_ulong> {
    mounts.map(|mount| (mount.path, mount.flags)).collect()
}

fn is_out_of_reach(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::EACCES | libc::ENOENT | libc::EINVAL)
    )
}

/// One line of `mountinfo`.
#[derive(Debug, PartialEq, Eq)]
struct Mount {
    path: PathBuf,
    /// Those that it has: a copied mount may lose none of them.
    flags: c_ulong,
}

fn mounts(lines: &[u8]) -> impl Iterator<Item = Mount> {
    lines.split(|byte| *byte == b'\n').filter_map(|line| {
        let mut fields = line.split(|byte| *byte == b' ');
        let path = unescape(fields.nth(4)?);
        let flags = fields
            .next()?
            .split(|byte| *byte == b',')
            .map(flag)
            .fold(0, |all, flag| all | flag);
        Some(Mount {
            path: PathBuf::from(OsString::from_vec(path)),
            flags,
        })
    })
}

fn flag(word: &[u8]) -> c_ulong {
    match word {
        b"ro" => libc::MS_RDONLY,
        b"nosuid" => libc::MS_NOSUID,
        b"nodev" => libc::MS_NODEV,
        b"noexec" => libc::MS_NOEXEC,
        b"noatime" => libc::MS_NOATIME,
        b"nodiratime" => libc::MS_NODIRATIME,
        b"relatime" => libc::MS_RELATIME,
        _ => 0,
    }
}

fn as_flags(attributes: u64) -> c_ulong {
    [
        (attribute::READ_ONLY, libc::MS_RDONLY),
        (attribute::NO_SET_USER_ID, libc::MS_NOSUID),
        (attribute::NO_DEVICES, libc::MS_NODEV),
        (attribute::NO_EXECUTION, libc::MS_NOEXEC),
    ]
    .into_iter()
    .filter(|(attribute, _)| attributes & attribute != 0)
    .fold(0, |all, (_, flag)| all | flag)
}

/// The kernel writes blanks, tabs, newlines and backslashes as three octal digits.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, tail)) = rest.split_first() {
        let octal = tail
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| {
                let digits = std::str::from_utf8(digits).ok()?;
                u8::from_str_radix(digits, 8).ok()
            });
        bytes.push(octal.unwrap_or(*first));
        rest = if octal.is_some() { &tail[3..] } else { tail };
    }
    bytes
}

fn c_string(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_a_path_and_the_flags_that_must_stay() {
        let line = b"28 27 0:25 / /a\\040b\\012c\\134 ro,nosuid,relatime shared:1 - tmpfs t rw\n";
        let expected = Mount {
            path: "/a b\nc\\".into(),
            flags: libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_RELATIME,
        };
        assert_eq!(mounts(line).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn of_mounts_at_one_path_the_one_on_top_has_the_flags() {
        let lines = b"22 27 0:21 / /proc rw,relatime - proc proc rw\n\
                      99 22 0:60 / /proc rw,nosuid,noexec - proc proc rw\n";
        let found = uppermost(mounts(lines));
        let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
        assert_eq!(found, BTreeMap::from([("/proc".into(), flags)]));
    }

    #[test]
    fn a_line_that_is_none_is_left_out() {
        assert_eq!(mounts(b"1 2 3\n\n").count(), 0);
    }
}
