//! The tools of the fake. What goes wrong with some of them is done where answers are
//! sent.

use serde_json::{Value, json};

use super::message::Request;

/// Every tool.
pub fn tools() -> Vec<Value> {
    let tool = |name: &str, description: &str, properties: Value| {
        let schema = json!({"type": "object", "properties": properties});
        json!({"name": name, "description": description, "inputSchema": schema})
    };
    vec![
        tool(
            "echo",
            "Gives back a text",
            json!({"text": {"type": "string"}}),
        ),
        tool("headers", "The headers that came with this call", json!({})),
        tool("slow", "Takes its time", json!({"ms": {"type": "integer"}})),
        tool("big", "A long text", json!({"bytes": {"type": "integer"}})),
        tool("stall", "Never answers", json!({})),
        tool("reset", "Breaks off in the middle of its answer", json!({})),
        tool(
            "truncated",
            "A stream that ends before the answer",
            json!({"how": {"type": "string"}}),
        ),
        tool(
            "resumable",
            "The same, but the rest can be had",
            json!({"how": {"type": "string"}}),
        ),
        tool(
            "fail",
            "An HTTP status instead of an answer",
            json!({"status": {"type": "integer"}}),
        ),
        tool("change", "Says that the tools changed", json!({})),
        tool(
            "marked",
            "Wants a parameter in a header too",
            json!({"region": {"type": "string", "x-mcp-header": "Region"}}),
        ),
        tool("größe", "Has a name that no header carries", json!({})),
    ]
}

/// What a tool gives, or the protocol's error.
pub fn call(request: &Request, params: &Value) -> Result<Value, (i32, String)> {
    let name = params["name"].as_str().unwrap_or_default();
    let arguments = &params["arguments"];
    if !tools().iter().any(|tool| tool["name"] == name) {
        return Err((-32602, format!("no tool {name}")));
    }
    let text = match name {
        "echo" => arguments["text"].as_str().unwrap_or_default().to_owned(),
        "headers" | "marked" => {
            let headers = request.headers.iter();
            let lines = headers.map(|(name, value)| format!("{name}: {value}"));
            lines.collect::<Vec<_>>().join("\n")
        }
        "big" => {
            let size = arguments["bytes"].as_u64().unwrap_or(1024);
            "x".repeat(usize::try_from(size).unwrap_or_default())
        }
        _ => "done".to_owned(),
    };
    Ok(json!({"resultType": "complete", "content": [{"type": "text", "text": text}]}))
}
