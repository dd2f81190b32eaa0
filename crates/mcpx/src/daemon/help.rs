//! Help pages of mcpx, a server and a tool, and the man page.
