//! The client: blocking, without an async runtime, because its start is what a user
//! waits for at every call.

mod connect;
mod relay;

use std::process::ExitCode;

/// Runs one command.
pub fn main() -> ExitCode {
    todo!()
}
