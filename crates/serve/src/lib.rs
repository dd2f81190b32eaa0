//! Runs programs, and serves them over MCP.

pub mod bridge;
pub mod exec;
pub mod identify;
pub mod mcp;
pub mod probe;
