//! Input of those who mean ill, and of machines in a bad state: each case is something
//! that is done to the built program, and the documented answer to it. Nothing panics,
//! hangs, leaks or is lost in silence.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../ground/mod.rs"]
mod ground;
#[path = "../world/mod.rs"]
mod world;

mod bombs;
mod commands;
mod files;
mod secrets;
mod server;
mod stage;
mod surroundings;
mod values;
