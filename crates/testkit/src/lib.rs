//! What tests of several crates want in their own process: stand-ins for the outside
//! world, and transcripts of a shell.

pub mod fake_http;
pub mod transcript;
