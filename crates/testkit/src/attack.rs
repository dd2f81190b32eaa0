//! Tries one attack on whatever it runs in, and says whether it worked.
//!
//! `attack NAME [WORD…]` exits with 0 and prints `works: …` when the attack succeeded,
//! with 1 and `blocked: …` when something stopped it, with 2 and `n/a: …` when there is
//! nothing here that could be attacked. Any other code is a mistake in the call. The
//! attacks do no lasting harm: what they take is made for them by the tests, and calls
//! that could hurt a machine are made with arguments that are refused later than the
//! missing right would be.

#[cfg(target_os = "linux")]
#[path = "attack/calls.rs"]
mod calls;
#[cfg(target_os = "linux")]
#[path = "attack/files.rs"]
mod files;
#[cfg(target_os = "linux")]
#[path = "attack/hogs.rs"]
mod hogs;
#[cfg(target_os = "linux")]
#[path = "attack/linger.rs"]
mod linger;
#[cfg(target_os = "linux")]
#[path = "attack/network.rs"]
mod network;
#[cfg(target_os = "linux")]
#[path = "attack/processes.rs"]
mod processes;
#[cfg(target_os = "linux")]
#[path = "attack/sys.rs"]
mod sys;
#[cfg(target_os = "linux")]
#[path = "attack/words.rs"]
mod words;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use words::{Words, tell};

    // Nothing of an attack outlives its test by much, whatever becomes of the test.
    sys::end_after(120);
    let words = Words::from_command_line();
    let tables = [
        files::ATTACKS,
        network::ATTACKS,
        processes::ATTACKS,
        calls::ATTACKS,
        hogs::ATTACKS,
        linger::ATTACKS,
    ];
    let name = words.name();
    let found = tables.into_iter().flatten().find(|(it, _)| *it == name);
    match found {
        Some((_, attack)) => tell(attack(&words)),
        None => words::misused(&format!("there is no attack `{name}`")),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(2)
}
