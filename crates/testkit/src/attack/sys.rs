//! The attacker's `unsafe`: system calls in forms that no safe interface offers, which
//! is what makes them attacks.

#![allow(
    unsafe_code,
    reason = "an attack is a system call that nobody wraps; each function says why it harms only this process"
)]

use std::io;
use std::ptr;

use libc::c_long;

/// Makes a system call. Pointers among `words` come from [`place`], [`bytes`] or
/// [`text`] of values that live until this returns.
pub fn call(number: c_long, words: &[usize]) -> io::Result<usize> {
    let word = |index| words.get(index).copied().unwrap_or(0);
    // SAFETY: the callers in this program pass numbers, and addresses of values that they
    // hold; a wrong one ends this process, which is a test's tool and nothing else.
    let result =
        unsafe { libc::syscall(number, word(0), word(1), word(2), word(3), word(4), word(5)) };
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// Where a value is, for the system to read or write.
pub fn place<T>(value: &mut T) -> usize {
    ptr::from_mut(value).addr()
}

/// Where bytes are.
pub fn bytes(value: &mut [u8]) -> usize {
    value.as_mut_ptr().addr()
}

/// Where a text is that ends in NUL.
pub fn text(value: &std::ffi::CStr) -> usize {
    value.as_ptr().addr()
}

/// `fork`: the child's number, or nothing in the child.
pub fn fork() -> io::Result<Option<i32>> {
    // SAFETY: this program has one thread wherever it forks, so the child may do anything.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        child => Ok(Some(child)),
    }
}

/// Waits for a child of this process and gives its wait status.
pub fn wait(child: i32) -> io::Result<i32> {
    let mut status = 0;
    // SAFETY: `status` is a place for one number and lives through the call.
    match unsafe { libc::waitpid(child, &raw mut status, 0) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(status),
    }
}

/// Ends this process without a word.
pub fn exit(code: i32) -> ! {
    // SAFETY: never returns, touches no memory.
    unsafe { libc::_exit(code) }
}

/// Memory that is this process' own or shared with its children, until it ends.
pub fn map(length: usize, shared: bool, file: Option<i32>) -> io::Result<&'static mut [u8]> {
    let kind = match shared {
        true => libc::MAP_SHARED,
        false => libc::MAP_PRIVATE,
    };
    let flags = match file {
        Some(_) => kind,
        None => kind | libc::MAP_ANONYMOUS,
    };
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at a place of the system's choice overlaps nothing; it is
    // never unmapped, so the slice stays good.
    unsafe {
        let start = libc::mmap(
            ptr::null_mut(),
            length,
            access,
            flags,
            file.unwrap_or(-1),
            0,
        );
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(std::slice::from_raw_parts_mut(start.cast(), length))
    }
}

/// Reads one byte in every `step` of `length` addresses that hold nothing: they cost
/// only the notes of where they are. Kept until this process ends.
pub fn look_around(length: usize, step: usize) -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping that is only read, at a place of the system's choice, and
    // never unmapped; every address that is read is within it.
    unsafe {
        let start = libc::mmap(ptr::null_mut(), length, libc::PROT_READ, flags, -1, 0);
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        libc::madvise(start, length, libc::MADV_NOHUGEPAGE);
        for offset in (0..length).step_by(step) {
            start.cast::<u8>().add(offset).read_volatile();
        }
    }
    Ok(())
}

/// This process ends after so many seconds, whatever else it does.
pub fn end_after(seconds: u32) {
    // SAFETY: sets a timer of this process.
    unsafe { libc::alarm(seconds) };
}

/// From now on these signals do nothing here.
pub fn ignore(signals: &[i32]) {
    for &signal in signals {
        // SAFETY: ignoring runs no code of ours at a signal.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// From now on this signal waits, and can be seen waiting in `/proc`.
pub fn hold(signal: i32) {
    // SAFETY: the set is made here and lives through the calls.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, signal);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, ptr::null_mut());
    }
}

/// `socket(AF_INET, SOCK_STREAM, 0)` by the door for 32-bit programs.
#[cfg(target_arch = "x86_64")]
pub fn socket_by_interrupt() -> io::Result<usize> {
    let result: i32;
    // SAFETY: three numbers go in, one comes out; `rbx` is given back as it was.
    unsafe {
        std::arch::asm!(
            "xchg {family:r}, rbx",
            "int 0x80",
            "xchg {family:r}, rbx",
            family = inout(reg) 2_u64 => _,
            inout("eax") 359 => result,
            in("ecx") 1,
            in("edx") 0,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
    usize::try_from(result).map_err(|_| io::Error::from_raw_os_error(-result))
}

/// Other processors have no such door.
#[cfg(not(target_arch = "x86_64"))]
pub fn socket_by_interrupt() -> io::Result<usize> {
    Err(io::Error::from_raw_os_error(libc::ENOSYS))
}

/// A descriptor that the system has just given to this process.
pub fn owned(number: usize) -> io::Result<std::os::fd::OwnedFd> {
    use std::os::fd::FromRawFd;
    let number = i32::try_from(number).map_err(io::Error::other)?;
    // SAFETY: the caller got it from the system and has no other owner for it.
    Ok(unsafe { std::os::fd::OwnedFd::from_raw_fd(number) })
}
