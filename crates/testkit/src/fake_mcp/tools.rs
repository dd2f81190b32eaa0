//! The tools of the fake server, each a virtue or a fault.

use serde_json::{Value, json};

use crate::flags::Flags;

/// What `tools/list` has, in order; `added` more than at the start.
pub fn list(flags: &Flags, added: usize) -> Vec<Value> {
    let mut tools = vec![
        json!({
            "name": "add",
            "title": "Addition",
            "description": "Adds two integers.\nThe sum is the only text.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "a": {"type": "integer", "description": "The first"},
                    "b": {"type": "integer", "description": "The second"}
                },
                "required": ["a", "b"],
                "additionalProperties": false
            },
            "annotations": {"readOnlyHint": true}
        }),
        tool("echo", "Gives the text back", &[("text", "string")]),
        tool("fail", "Reports a failure", &[]),
        tool(
            "fail_structured",
            "Reports a failure with structured content",
            &[],
        ),
        json!({
            "name": "structured",
            "description": "Numbers and keys that must arrive as they are",
            "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false},
            "outputSchema": {
                "type": "object",
                "properties": {
                    "zebra": {"type": "integer", "description": "Comes first"},
                    "apple": {"type": "integer"},
                    "items": {"type": "array", "items": {
                        "type": "object",
                        "properties": {"name": {"type": "string", "description": "Its name"}}
                    }}
                }
            }
        }),
        tool(
            "wraps_text",
            "Structured content that only wraps its text",
            &[],
        ),
        json!({
            "name": "envelope",
            "description": "What a command printed, and how it ended",
            "inputSchema": {"type": "object", "properties": {
                "stdout": {"type": "string"},
                "stderr": {"type": "string"},
                "exitCode": {"type": "integer"}
            }}
        }),
        required("big", "A text of so many bytes", "bytes", "integer"),
        required(
            "slow",
            "Answers after so many milliseconds",
            "ms",
            "integer",
        ),
        tool(
            "progress",
            "Tells how far it is",
            &[("steps", "integer"), ("ms", "integer")],
        ),
        tool("logs", "Says things meanwhile", &[]),
        tool("image", "A picture of one pixel", &[]),
        tool("audio", "A moment of silence", &[]),
        tool("resource", "A file, text and bytes", &[]),
        tool("link", "Where a file is", &[]),
        tool("multi", "Three texts", &[]),
        json!({"name": "no_input_schema", "description": "Has no inputSchema"}),
        tool("unknown_content", "A content block of an unknown type", &[]),
        tool("text_null", "A text block without a text", &[]),
        tool("empty", "A result without anything", &[]),
        tool("null_result", "A result that is null", &[]),
        tool("extra_fields", "Fields that nobody knows", &[]),
        required("rpc_error", "A JSON-RPC error", "code", "integer"),
        tool(
            "odd_error",
            "An error whose code is text, without a message",
            &[],
        ),
        tool("no_result", "An answer with neither result nor error", &[]),
        tool("crash", "Ends the server", &[("code", "integer")]),
        tool("abort", "Ends the server by a signal", &[]),
        tool("hang", "Never answers", &[]),
        tool(
            "garbage",
            "Prints lines that are no messages, then answers",
            &[],
        ),
        tool("invalid_utf8", "A text with bytes that are no UTF-8", &[]),
        tool("string_id", "Answers with the id as a string", &[]),
        tool("batch", "Answers in an array", &[]),
        required(
            "flood_stdout",
            "Writes so many bytes of noise to stdout",
            "bytes",
            "integer",
        ),
        required(
            "flood_stderr",
            "Writes so many bytes to stderr",
            "bytes",
            "integer",
        ),
        tool(
            "out_of_order",
            "Is answered after the next call of it",
            &[("text", "string")],
        ),
        required(
            "together",
            "Is answered when so many calls of it are there",
            "count",
            "integer",
        ),
        tool("twice", "Is answered twice", &[]),
        tool("elicit", "Asks the person for a name", &[]),
        tool("sampling", "Asks the client's model", &[]),
        tool("roots", "Asks for the client's folders", &[]),
        tool("ping_back", "Pings the client", &[]),
        tool("list_changed", "Adds a tool", &[]),
        tool("cwd", "The working folder", &[]),
        required("env", "The value of a variable", "name", "string"),
        tool("pid", "The process id", &[]),
        tool("args", "The words that it was started with", &[]),
        tool("child", "Starts a process that stays; gives its id", &[]),
    ];
    if flags.input_required {
        tools.push(required(
            "confirm",
            "Asks before it answers",
            "what",
            "string",
        ));
    }
    if flags.bad_tools {
        tools.insert(1, json!({"name": "bare"}));
        tools.insert(2, json!("this is no tool"));
        tools.insert(3, json!({"description": "has no name"}));
        tools.insert(
            4,
            json!({"name": "odd_schema", "inputSchema": ["no", "schema"]}),
        );
    }
    for number in 1..=added {
        tools.push(tool(
            &format!("added_{number}"),
            "Was not there before",
            &[],
        ));
    }
    tools
}

/// A tool with optional parameters of a name and a type each.
fn tool(name: &str, description: &str, parameters: &[(&str, &str)]) -> Value {
    let properties: serde_json::Map<String, Value> = parameters
        .iter()
        .map(|(name, kind)| ((*name).to_owned(), json!({"type": kind})))
        .collect();
    json!({
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties}
    })
}

/// A tool with one parameter that must be given.
fn required(name: &str, description: &str, parameter: &str, kind: &str) -> Value {
    let mut tool = tool(name, description, &[(parameter, kind)]);
    tool["inputSchema"]["required"] = json!([parameter]);
    tool
}
