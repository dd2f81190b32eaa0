//! Runs one program with what a policy allows, and ends everything that it started.
//!
//! ```text
//! server ──posix_spawn──▶ launcher (this binary again; one thread; the order on descriptor 3)
//!            strict:        ──clone──▶ init (pid 1 of its own world) ──fork──▶ program
//!            portable:      ──fork──▶ program
//! ```
//!
//! [`launch`] is the server's side; [`launcher`] is what the new process does. They
//! speak through one socket ([`frame`]): the order goes in, reports come out, and when
//! the server's end closes, for whatever reason, everything is ended. [`view`] decides
//! which paths a policy means; [`layers`] each enforce a part of it; [`supervise`]
//! watches what no layer holds.
//!
//! All `unsafe` of the sandbox is in `sys`.

pub mod doctor;
pub mod frame;
mod launch;
pub mod launcher;
pub mod layers;
mod scratch;
pub mod seatbelt;
#[cfg(target_os = "linux")]
mod supervise;
mod sys;
pub mod view;
#[cfg(target_os = "linux")]
mod world;

pub use launch::{Job, LaunchError, Sandboxed, Stdio, launch, launch_as};
