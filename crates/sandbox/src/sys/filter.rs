//! For the layers: filters and rulesets.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// What a ruleset handles: `struct landlock_ruleset_attr`. Systems that know fewer
/// fields take it as long as those are zero.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Handled {
    pub files: u64,
    pub ports: u64,
    pub scopes: u64,
}

/// `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct Beneath {
    allowed: u64,
    parent: i32,
}

const VERSION: u32 = 1;
const PATH_BENEATH: u32 = 1;
/// Leaves speculation as it is: older kernels slow a filtered process down otherwise.
const SPEC_ALLOW: libc::c_ulong = 1 << 2;

fn outcome(value: libc::c_long) -> io::Result<libc::c_long> {
    if value < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(value)
    }
}

/// The version of Landlock's interface.
pub fn landlock_version() -> io::Result<u32> {
    // SAFETY: with the version flag the call reads no memory.
    let version = outcome(unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<Handled>(),
            0_usize,
            VERSION,
        )
    })?;
    Ok(u32::try_from(version).unwrap_or(u32::MAX))
}

/// A ruleset that denies what it handles, but for the rules to come.
pub fn landlock_ruleset(handled: &Handled) -> io::Result<OwnedFd> {
    // SAFETY: `handled` outlives the call and has the size that is told.
    let descriptor = outcome(unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::from_ref(handled),
            size_of::<Handled>(),
            0_u32,
        )
    })?;
    let descriptor = i32::try_from(descriptor).map_err(io::Error::other)?;
    // SAFETY: the call has just made this descriptor, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Allows `rights` on `parent` and whatever is beneath it.
pub fn landlock_allow(
    ruleset: BorrowedFd<'_>,
    parent: BorrowedFd<'_>,
    rights: u64,
) -> io::Result<()> {
    let rule = Beneath {
        allowed: rights,
        parent: parent.as_raw_fd(),
    };
    // SAFETY: `rule` has the layout of this type of rule and outlives the call; both
    // descriptors are borrowed and therefore open.
    outcome(unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            ruleset.as_raw_fd(),
            PATH_BENEATH,
            std::ptr::from_ref(&rule),
            0_u32,
        )
    })
    .map(drop)
}

/// Puts the ruleset on this thread and all that it starts.
pub fn landlock_restrict(ruleset: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the call takes a descriptor, which is borrowed and therefore open.
    outcome(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0_u32) })
        .map(drop)
}

/// Filters the system calls of this thread and all that it starts.
pub fn seccomp(program: &[libc::sock_filter]) -> io::Result<()> {
    let length = u16::try_from(program.len()).map_err(io::Error::other)?;
    let program = libc::sock_fprog {
        len: length,
        filter: program.as_ptr().cast_mut(),
    };
    // SAFETY: the program outlives the call, which only reads it, and `len` is its length.
    outcome(unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            SPEC_ALLOW,
            std::ptr::from_ref(&program),
        )
    })
    .map(drop)
}

/// Any system call with numbers for arguments, as a program under attack would make it.
#[cfg(test)]
pub fn any_call(number: i64, arguments: [u64; 6]) -> Result<i64, i32> {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: the tests that use it pass no address but null, in a process of their own.
    outcome(unsafe { libc::syscall(number, a, b, c, d, e, f) })
        .map_err(|error| error.raw_os_error().unwrap_or(0))
}

/// `socket(AF_UNIX, SOCK_STREAM, 0)` by the gate of 32-bit programs.
#[cfg(all(test, target_arch = "x86_64"))]
pub fn socket_by_the_old_gate() -> i64 {
    let answer: i64;
    // SAFETY: the call takes three numbers; it reads and writes no memory of ours.
    unsafe {
        std::arch::asm!(
            "push rbx",
            "mov ebx, 1",
            "int 0x80",
            "pop rbx",
            inlateout("rax") 359_i64 => answer,
            in("rcx") 1_i64,
            in("rdx") 0_i64,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
    answer
}
