//! `argway serve`: an MCP server over stdin and stdout.

use clap::Args;

use crate::exit::Failure;
use crate::options::{ReadOptions, RunOptions, ToolOptions};
use crate::terminal::Terminal;

/// Serve programs' commands as MCP tools over stdin and stdout
///
/// MCP clients start this. Nothing but the protocol is written to stdout.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  argway serve gh
  argway serve gh kubectl --read-only
  argway serve docker --deny 'system prune,volume *' --timeout 5m

In a client's configuration:
  {\"mcpServers\": {\"gh\": {\"command\": \"argway\", \"args\": [\"serve\", \"gh\"]}}}")]
pub struct Serve {
    /// Names on PATH, paths, or description files
    #[arg(required = true, value_name = "PROGRAM")]
    programs: Vec<String>,
    #[command(flatten)]
    tools: ToolOptions,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    read: ReadOptions,
}

impl Serve {
    /// Serves until the client goes away.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        todo!()
    }
}
