//! Lists of servers and of tools.

use std::collections::BTreeMap;

use argway_core::sources::tool::ToolSpec;

use crate::config::ServerEntry;

/// `mcpx`: a server a line; with `verbose` what it is and the file that it is from.
pub fn servers(entries: &BTreeMap<String, ServerEntry>, verbose: bool, json: bool) -> String {
    let _ = (entries, verbose, json);
    todo!()
}

/// `mcpx SERVER`: a tool a line with its summary; with `verbose` the whole text.
pub fn tools(tools: &[ToolSpec], verbose: bool, json: bool) -> String {
    let _ = (tools, verbose, json);
    todo!()
}
