//! What this process was given open by its parent, beyond stdin, stdout and stderr.
//!
//! A shell's `exec 3>file` reaches every program that it starts. The daemon lives on
//! when the shell is gone, and a pipe that it held open would never end.

use std::os::fd::BorrowedFd;

use rustix::io::{FdFlags, fcntl_setfd};

/// Sees to it that no program started from here on gets any of them.
pub fn keep_from_children() {
    for number in open_numbers() {
        // What is closed by now (the folder that was read, for one) says so itself.
        _ = fcntl_setfd(borrow(number), FdFlags::CLOEXEC);
    }
}

fn open_numbers() -> Vec<i32> {
    let listing = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let names = listing.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    names.filter(|number| *number > 2).collect()
}

#[allow(
    unsafe_code,
    reason = "an inherited descriptor has no owner in this process that could lend it"
)]
fn borrow(number: i32) -> BorrowedFd<'static> {
    // SAFETY: the number is at least 3, so not the forbidden -1. It is used at once, for
    // a single `fcntl` that marks it, and the client has one thread: nothing opens or
    // closes a descriptor meanwhile. One that is closed already gives EBADF.
    unsafe { BorrowedFd::borrow_raw(number) }
}
