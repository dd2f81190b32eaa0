//! mcpx's own file, config.toml.
