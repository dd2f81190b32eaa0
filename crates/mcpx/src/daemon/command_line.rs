//! The words of one command: mcpx's own flags, the server, the tool, the rest.
