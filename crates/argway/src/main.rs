//! `argway`: any command-line program as an MCP server.

fn main() -> anyhow::Result<()> {
    Ok(())
}
