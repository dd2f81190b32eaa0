//! The cheapest MCP server there is, so that what is measured is the way to it.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// Answers on stdin and stdout until stdin ends.
pub(crate) fn serve() -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let Some(id) = request.get("id") else {
            continue;
        };
        let answer = match request["method"].as_str().unwrap_or_default() {
            "initialize" => json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "echo", "version": "1"},
            }),
            "ping" => json!({}),
            "tools/list" => json!({"tools": [tool()]}),
            "tools/call" => {
                let arguments = &request["params"]["arguments"];
                let message = arguments["message"].as_str().unwrap_or_default();
                let times = arguments["times"].as_u64().unwrap_or(1) as usize;
                let text = format!("Echo: {}", message.repeat(times));
                json!({"content": [{"type": "text", "text": text}]})
            }
            method => {
                let error = json!({"code": -32601, "message": format!("no method {method}")});
                let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
                writeln!(out, "{answer}")?;
                continue;
            }
        };
        writeln!(
            out,
            "{}",
            json!({"jsonrpc": "2.0", "id": id, "result": answer})
        )?;
    }
    Ok(())
}

fn tool() -> Value {
    json!({
        "name": "echo",
        "description": "Gives back what it is given",
        "inputSchema": {
            "type": "object",
            "properties": {
                "message": {"type": "string", "description": "What to give back"},
                "times": {"type": "integer", "description": "How often"},
            },
            "required": ["message"],
        },
    })
}
