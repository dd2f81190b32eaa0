//! The daemon: holds servers open and does the work of every command.

mod cache;
mod call;
mod caller;
mod command_line;
mod complete;
mod elicit;
mod help;
mod listing;
pub mod log;
mod media;
mod pool;
mod session;

use std::process::ExitCode;

/// Listens until nobody needs it.
pub fn main() -> ExitCode {
    todo!()
}
