//! For the strict tier's world: namespaces and mounts.
//!
//! Paths are C strings already: what calls these has made them once.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use libc::{c_int, c_long, c_uint, c_ulong};
use rustix::process::Pid;

const OPEN_TREE_CLONE: c_uint = 1;
const MOVE_MOUNT_F_EMPTY_PATH: c_uint = 0x4;
const MOVE_MOUNT_T_EMPTY_PATH: c_uint = 0x40;

/// Attributes of a mount, as `mount_setattr` counts them.
pub mod attribute {
    /// Nothing in it can be changed.
    pub const READ_ONLY: u64 = 1;
    /// Set-user-ID bits in it mean nothing.
    pub const NO_SET_USER_ID: u64 = 2;
    /// Device nodes in it are only names.
    pub const NO_DEVICES: u64 = 4;
    /// Nothing in it can be executed.
    pub const NO_EXECUTION: u64 = 8;
}

/// What `mount_setattr` takes; the kernel knows it by its size.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// `fork` into new namespaces: the child's pid here, nothing in the child.
///
/// For a process with one thread: the child goes on with a copy of this one.
pub fn clone_into(namespaces: c_int) -> io::Result<Option<Pid>> {
    let flags = namespaces as c_ulong | libc::SIGCHLD as c_ulong;
    let none: c_ulong = 0;
    // SAFETY: without CLONE_VM and with no new stack this is `fork`: the child has its
    // own copy of all memory, and no pointer is given to the kernel.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, none, none, none, none) };
    Ok(Pid::from_raw(whole(pid)?))
}

/// `fork`: the child's pid here, nothing in the child, which has one thread.
pub fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: the child has its own copy of all memory, and the C library leaves its
    // allocator usable there even where other threads were running.
    let pid = unsafe { libc::fork() };
    Ok(Pid::from_raw(whole(pid.into())?))
}

/// Ends this process without running anything on the way out.
pub fn leave(code: c_int) -> ! {
    // SAFETY: `_exit` takes a number and does not return.
    unsafe { libc::_exit(code) }
}

/// A copy of the mounts at this very file or folder and below, attached nowhere.
pub fn copy_of_mounts(of: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let flags = OPEN_TREE_CLONE
        | libc::O_CLOEXEC as c_uint
        | libc::AT_RECURSIVE as c_uint
        | libc::AT_EMPTY_PATH as c_uint;
    // SAFETY: the path is a C string that lives through the call, the descriptor is open.
    let descriptor =
        unsafe { libc::syscall(libc::SYS_open_tree, of.as_raw_fd(), c"".as_ptr(), flags) };
    let descriptor = whole(descriptor)?;
    // SAFETY: the kernel has just made this descriptor for us alone.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Attaches a copy of mounts at this very file or folder.
pub fn attach(tree: BorrowedFd<'_>, target: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: both paths are C strings that live through the call, the descriptors are open.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.as_raw_fd(),
            c"".as_ptr(),
            target.as_raw_fd(),
            c"".as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH,
        )
    };
    whole(result).map(drop)
}

/// Gives a tree of mounts further attributes and cuts it off from mounts made elsewhere.
pub fn set_attributes(tree: BorrowedFd<'_>, attributes: u64) -> io::Result<()> {
    let wanted = MountAttributes {
        set: attributes,
        clear: 0,
        propagation: libc::MS_PRIVATE,
        user_namespace: 0,
    };
    let flags = (libc::AT_EMPTY_PATH | libc::AT_RECURSIVE) as c_uint;
    // SAFETY: the structure is what the kernel expects at that size and lives through
    // the call, as does the empty path; the descriptor is open.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const wanted,
            size_of::<MountAttributes>(),
        )
    };
    whole(result).map(drop)
}

/// `mount`, for new file systems and for kernels that cannot [`set_attributes`].
pub fn mount(kind: &CStr, target: &CStr, flags: c_ulong, options: &CStr) -> io::Result<()> {
    // SAFETY: all strings are C strings that live through the call.
    let result = unsafe {
        libc::mount(
            kind.as_ptr(),
            target.as_ptr(),
            kind.as_ptr(),
            flags,
            options.as_ptr().cast(),
        )
    };
    whole(result.into()).map(drop)
}

/// Makes the working directory the root and lays the old root over it.
pub fn pivot() -> io::Result<()> {
    // SAFETY: both paths are C strings that live through the call.
    let result = unsafe { libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()) };
    whole(result).map(drop)
}

/// Takes away what is mounted at the working directory, with everything below.
pub fn detach_here() -> io::Result<()> {
    // SAFETY: the path is a C string that lives through the call.
    let result = unsafe { libc::umount2(c".".as_ptr(), libc::MNT_DETACH) };
    whole(result.into()).map(drop)
}

/// What a system call gave back, or why it failed.
fn whole(result: c_long) -> io::Result<c_int> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    c_int::try_from(result).map_err(io::Error::other)
}
