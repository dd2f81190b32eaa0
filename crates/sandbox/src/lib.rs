//! Runs one program with what a policy allows, and ends everything that it started.
//!
//! ```text
//! server ──posix_spawn──▶ launcher (this binary again; one thread; the order on descriptor 4)
//!            strict:        ──clone──▶ init (pid 1 of its own world) ──fork──▶ program
//!            portable:      ──fork──▶ program
//! ```
//!
//! Where one program runs hundreds of times, a [`Ward`] is launched once and forks a
//! launcher for each run.
//!
//! [`launch`] is the server's side; [`launcher`] is what the new process does. They
//! speak as [`frame`] has it: the order lies in a file, reports come out of a socket, and
//! when the server's end of that closes, for whatever reason, everything is ended. [`view`] decides
//! which paths a policy means; [`layers`] each enforce a part of it; [`supervise`]
//! watches what no layer holds.
//!
//! All `unsafe` of the sandbox is in `sys`.

pub mod doctor;
pub mod frame;
mod launch;
pub mod launcher;
pub mod layers;
#[cfg(target_os = "linux")]
mod pinned;
mod scratch;
pub mod seatbelt;
#[cfg(target_os = "linux")]
mod supervise;
mod sys;
pub mod view;
#[cfg(target_os = "linux")]
mod world;

pub use launch::{Job, LaunchError, Sandboxed, Stdio, Ward, launch, launch_as, launch_by};
