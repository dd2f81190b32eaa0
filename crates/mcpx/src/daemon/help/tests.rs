#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use argway_core::sources::tool::Accepts;
use serde_json::json;
use snapbox::{assert_data_eq, file, str};

use super::*;

fn param(property: &str, accepts: Accepts, text: &str) -> ToolParam {
    ToolParam {
        property: property.to_owned(),
        flag: property.replace('_', "-"),
        aliases: vec![],
        accepts,
        required: false,
        default: None,
        text: text.to_owned(),
    }
}

fn required(property: &str, accepts: Accepts, text: &str) -> ToolParam {
    ToolParam {
        required: true,
        ..param(property, accepts, text)
    }
}

fn spec(description: &str, params: Vec<ToolParam>, raw: serde_json::Value) -> ToolSpec {
    let output = raw.get("outputSchema");
    ToolSpec {
        name: raw["name"].as_str().unwrap().to_owned(),
        title: None,
        description: description.to_owned(),
        params,
        open: false,
        output: output.map(|schema| RawValue::from_string(schema.to_string()).unwrap()),
        raw: RawValue::from_string(raw.to_string()).unwrap(),
    }
}

fn field(path: &str, kind: &str, text: &str) -> OutputField {
    OutputField {
        path: path.to_owned(),
        kind: kind.to_owned(),
        text: text.to_owned(),
    }
}

fn search() -> ToolSpec {
    let page = ToolParam {
        default: Some("1".to_owned()),
        ..param("page", Accepts::Number, "Page number for pagination")
    };
    let sort = Accepts::Choice(vec![json!("stars"), json!("forks")]);
    let raw = json!({
        "name": "search-repositories",
        "annotations": {"readOnlyHint": true},
        "inputSchema": {"properties": {"query": {"type": "string", "examples": ["mcp"]}}},
        "outputSchema": {"properties": {"items": {}}},
    });
    spec(
        "Search for GitHub repositories",
        vec![
            required("query", Accepts::Text, "Search query"),
            page,
            param("sort", sort, ""),
            param("archived", Accepts::Boolean, "Archived ones too"),
            param("topic", Accepts::List(Box::new(Accepts::Text)), "A topic"),
        ],
        raw,
    )
}

#[test]
fn the_page_of_a_tool_has_the_form_of_a_man_page() {
    let fields = [
        field("items[].name", "string", "Repository name"),
        field("items[].stargazers_count", "number", "Star count"),
    ];
    let tool = search();
    let page = tool_page("github", &tool, &tool.description, Some(&fields), 0);
    assert_data_eq!(
        page,
        str![[r#"
NAME
    mcpx github search-repositories — Search for GitHub repositories

SYNOPSIS
    mcpx github search-repositories --query=STRING [--page=NUMBER] [--sort=stars|forks] [--[no-]archived] [--topic=STRING]...
    mcpx github search-repositories JSON

OPTIONS
    --query=STRING               (required) Search query
    --page=NUMBER                Page number for pagination (default: 1)
    --sort=stars|forks
    --archived, --no-archived    Archived ones too
    --topic=STRING               A topic (may be repeated)

OUTPUT (json)
    items[].name              string  Repository name
    items[].stargazers_count  number  Star count

EXAMPLES
    mcpx github search-repositories --query=mcp
    mcpx github search-repositories '{"query":"mcp"}'
    mcpx github search-repositories --query=mcp | jq .

MCPX FLAGS
    --cache=DURATION      Answer from the cache if an answer is not older than this (30s, 5m, 1h), and keep this one
    --no-cache            Ask the server, whatever the configuration says
    --timeout=DURATION    Give up on the call after this time
    --json                Print listings and help as JSON (a tool's result is never changed)
    -v, --verbose         Say on stderr what is done; list tools with their full text
    -q, --quiet           Say nothing on stderr
    --version             Print the version
    -h, --help            Print help: of mcpx, of a server or of a tool

    These are mcpx's own. After a `--`, every flag is the tool's.

"#]]
    );
}

#[test]
fn the_committed_man_page_is_the_one_that_is_written() {
    // Renew it with: SNAPSHOTS=overwrite cargo test -p mcpx-cli man_page
    assert_data_eq!(roff::man_page(), file!["../../../man/mcpx.1"].raw());
}
