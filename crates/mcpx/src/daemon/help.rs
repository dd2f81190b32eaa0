//! Help pages of mcpx, a server and a tool, and the man page.
//!
//! `columns` is the width of the caller's terminal, or 0 where there is none: then
//! no line is broken, so that `grep` finds what belongs together.

use argway_core::sources::tool::ToolSpec;

/// What a server says about itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct About<'a> {
    /// Its title, or else its own name.
    pub title: Option<&'a str>,
    /// Its version.
    pub version: Option<&'a str>,
    /// How it wants to be used.
    pub instructions: Option<&'a str>,
}

/// `mcpx SERVER TOOL --help`.
pub fn tool(server: &str, tool: &ToolSpec, columns: usize) -> String {
    let _ = (server, tool, columns);
    todo!()
}

/// `mcpx SERVER TOOL --help --json`.
pub fn tool_json(server: &str, tool: &ToolSpec) -> String {
    let _ = (server, tool);
    todo!()
}

/// `mcpx SERVER --help`.
pub fn server(name: &str, about: &About<'_>, tools: &[ToolSpec], columns: usize) -> String {
    let _ = (name, about, tools, columns);
    todo!()
}

/// `mcpx SERVER --help --json`.
pub fn server_json(name: &str, about: &About<'_>, tools: &[ToolSpec]) -> String {
    let _ = (name, about, tools);
    todo!()
}

/// `mcpx --help`.
pub fn root(columns: usize) -> String {
    let _ = columns;
    todo!()
}

/// `mcpx --help --json`.
pub fn root_json() -> String {
    todo!()
}

/// `mcpx --version`.
pub fn version() -> String {
    format!("mcpx {}\n", env!("CARGO_PKG_VERSION"))
}
