//! What a launcher does: reads its order, puts the layers on, becomes the program's
//! supervisor.
//!
//! It is this very binary, executed again, so that nothing runs between `fork` and
//! `exec` of a process with threads.

/// The first word by which a binary knows that it is a launcher.
pub const WORD: &str = "__sandbox";

/// Whether this process was started as a launcher: to be asked first thing in `main`.
pub fn is_wanted() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == WORD)
}

/// Carries out the order on descriptor 3 and ends this process.
pub fn main() -> ! {
    std::process::exit(125)
}
