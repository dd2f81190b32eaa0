//! The files of other MCP clients, read and never written.
