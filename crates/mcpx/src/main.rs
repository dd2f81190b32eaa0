//! `mcpx` turns any MCP server into shell commands.
//!
//! One binary, two lives. Called as `mcpx` it is a thin client: it hands its words,
//! its folder and its environment to the daemon and becomes the daemon's terminal.
//! Called as `mcpxd` it is that daemon, which holds the servers open and does the work.

mod client;
mod config;
mod daemon;
mod exit;
mod handshake;
mod harmless;
mod own_flags;
mod paths;
mod upstream;
mod wire;

use std::process::ExitCode;

/// What this binary was built from.
pub const BUILD: &str = env!("MCPX_BUILD");

fn main() -> ExitCode {
    let called = std::env::args_os().next().unwrap_or_default();
    match std::path::Path::new(&called).file_name() {
        Some(name) if name == "mcpxd" => daemon::main(),
        _ => client::main(),
    }
}
