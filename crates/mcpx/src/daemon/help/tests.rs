//! The pages as they are printed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::{Value, json};
use snapbox::{assert_data_eq, file, str};

use super::*;

fn read(tool: &Value) -> ToolSpec {
    let raw = RawValue::from_string(tool.to_string()).unwrap();
    ToolSpec::read(&raw, &crate::own_flags::long_names()).unwrap()
}

/// The lines of one section.
fn section(page: &str, title: &str) -> String {
    let lines = page.lines().skip_while(|line| *line != title).skip(1);
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
    let lines: Vec<&str> = lines.collect();
    lines.join("\n").trim_end().to_owned()
}

fn search() -> ToolSpec {
    read(&json!({
        "name": "search-repositories",
        "description": "Search for GitHub repositories",
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Search query", "examples": ["mcp"]},
                "page": {"type": "number", "description": "Page number for pagination", "default": 1},
                "sort": {"enum": ["stars", "forks"]},
                "archived": {"type": "boolean", "description": "Archived ones too"},
                "topic": {"type": "array", "items": {"type": "string"}, "description": "A topic"},
            },
            "required": ["query"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {"items": {"type": "array", "items": {"type": "object", "properties": {
                "name": {"type": "string", "description": "Repository name"},
                "stargazers_count": {"type": "number", "description": "Star count"},
            }}}},
        },
        "annotations": {"readOnlyHint": true},
    }))
}

#[test]
fn what_is_in_the_json_of_a_parameter_is_told() {
    let edit = read(&json!({
        "name": "edit",
        "inputSchema": {"properties": {
            "edits": {
                "type": "array",
                "description": "What to change",
                "items": {
                    "properties": {
                        "old": {"type": "string", "description": "What to\nlook for"},
                        "new": {"type": "string"},
                    },
                    "required": ["old"],
                },
            },
            "dry": {"type": "boolean"},
            "at": {"properties": {"line": {"type": "integer"}, "column": {"type": "integer"}}},
        }},
    }));
    assert_data_eq!(
        section(&tool("fs", &edit, 0), "OPTIONS"),
        str![[r#"
    --edits=JSON       What to change (may be repeated)
                         old: string (required) What to look for
                         new: string
    --dry, --no-dry
    --at=JSON          line: integer
                       column: integer
"#]]
    );
}

#[test]
fn the_page_of_a_tool_has_the_form_of_a_man_page() {
    assert_data_eq!(
        tool("github", &search(), 0),
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
    --cache=DURATION       Answer from the cache if an answer is not older than this (30s, 5m, 1h), and keep this one
    --no-cache             Ask the server, whatever the configuration says
    --timeout=DURATION     Give up on the call after this time
    --answer=NAME=VALUE    Answer a question that the tool asks (NAME=VALUE, a JSON object, accept or decline); repeatable
    --json                 Print listings and help as JSON (a tool's result is never changed)
    -v, --verbose          Say on stderr what is done; list tools with their full text
    -q, --quiet            Say nothing on stderr
    --version              Print the version
    -h, --help             Print help: of mcpx, of a server or of a tool

    These are mcpx's own. After a `--`, every flag is the tool's.

"#]]
    );
}

#[test]
fn a_terminal_gets_lines_that_fit() {
    assert_data_eq!(
        tool("github", &search(), 60),
        str![[r#"
NAME
    mcpx github search-repositories — Search for GitHub
    repositories

SYNOPSIS
    mcpx github search-repositories --query=STRING
        [--page=NUMBER] [--sort=stars|forks]
        [--[no-]archived] [--topic=STRING]...
    mcpx github search-repositories JSON

OPTIONS
    --query=STRING        (required) Search query
    --page=NUMBER         Page number for pagination
                          (default: 1)
    --sort=stars|forks
    --archived, --no-archived
                          Archived ones too
    --topic=STRING        A topic (may be repeated)

OUTPUT (json)
    items[].name              string  Repository name
    items[].stargazers_count  number  Star count

EXAMPLES
    mcpx github search-repositories --query=mcp
    mcpx github search-repositories '{"query":"mcp"}'
    mcpx github search-repositories --query=mcp | jq .

MCPX FLAGS
    --cache=DURATION       Answer from the cache if an
                           answer is not older than this
                           (30s, 5m, 1h), and keep this one
    --no-cache             Ask the server, whatever the
                           configuration says
    --timeout=DURATION     Give up on the call after this
                           time
    --answer=NAME=VALUE    Answer a question that the tool
                           asks (NAME=VALUE, a JSON object,
                           accept or decline); repeatable
    --json                 Print listings and help as JSON
                           (a tool's result is never
                           changed)
    -v, --verbose          Say on stderr what is done; list
                           tools with their full text
    -q, --quiet            Say nothing on stderr
    --version              Print the version
    -h, --help             Print help: of mcpx, of a server
                           or of a tool

    These are mcpx's own. After a `--`, every flag is the
    tool's.

"#]]
    );
}

#[test]
fn a_text_of_several_lines_keeps_them() {
    let page = tool(
        "fake",
        &read(&json!({
            "name": "t",
            "description": "Does it. More of it.\n\nArgs:\n    a: first\n    b: second\n\u{1b}[2Jend",
            "inputSchema": {"properties": {"a": {"type": "string", "description": "One\n- x\n- y"}}},
        })),
        0,
    );
    assert_eq!(
        section(&page, "DESCRIPTION"),
        "    Does it. More of it.\n\n    Args:\n        a: first\n        b: second\n    end"
    );
    assert_eq!(
        section(&page, "OPTIONS"),
        "    --a=STRING    One\n                  - x\n                  - y"
    );
}

#[test]
fn what_comes_back_is_told_as_far_as_the_server_tells() {
    let output = |schema: Value| {
        let mut tool = json!({"name": "t", "outputSchema": schema});
        if tool["outputSchema"].is_null() {
            tool = json!({"name": "t"});
        }
        let page = super::tool("s", &read(&tool), 0);
        let start = page.find("OUTPUT").unwrap();
        let end = page.find("\nEXAMPLES").unwrap();
        page[start..end].trim_end().to_owned()
    };
    assert_eq!(output(Value::Null), "OUTPUT: not declared by server");
    let properties = |properties: Value| json!({"type": "object", "properties": properties});
    assert_eq!(
        output(properties(json!({"content": {"type": "string"}}))),
        "OUTPUT (json)\n    content  string\n    Printed as the text alone where the server sends that beside the JSON."
    );
    let inside = json!({"items": {"type": "array", "items": {"type": "string"}}});
    assert_eq!(
        output(properties(inside)),
        "OUTPUT (json)\n    items[]  string"
    );
    let envelope = json!({"stdout": {"type": "string"}, "exitCode": {"type": "integer"}});
    assert!(output(properties(envelope)).starts_with("OUTPUT (text)\n    What the command"));
}

#[test]
fn examples_are_calls_that_the_schema_allows() {
    let examples = |properties: Value, required: Value| {
        let schema = json!({"properties": properties, "required": required,
            "$defs": {"point": {"type": "object", "required": ["x"],
                "properties": {"x": {"type": "integer", "minimum": 5}}}}});
        let tool = read(&json!({"name": "t", "inputSchema": schema}));
        section(&super::tool("s", &tool, 0), "EXAMPLES").replace("    ", "")
    };
    assert_eq!(
        examples(json!({}), json!([])),
        "mcpx s t\nmcpx s t | head -5"
    );
    let all = json!({
        "path": {"type": "string"},
        "when": {"type": "string", "format": "date"},
        "mode": {"enum": ["fast", "slow"]},
        "count": {"type": "integer", "minimum": 3},
        "all": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "at": {"$ref": "#/$defs/point"},
        "note": {"type": ["string", "null"], "default": "it's"},
        "other": {"type": "string"},
    });
    let required = json!(["path", "when", "mode", "count", "all", "tags", "at", "note"]);
    let flags = r#"--path=./example.txt --when=2026-01-31 --mode=fast --count=3 --all --tags=text --at='{"x":5}' --note='it'\''s'"#;
    let json = r#"'{"path":"./example.txt","when":"2026-01-31","mode":"fast","count":3,"all":true,"tags":["text"],"at":{"x":5},"note":"it'\''s"}'"#;
    assert_eq!(
        examples(all, required),
        format!("mcpx s t {flags}\nmcpx s t {json}\nmcpx s t {flags} | head -5")
    );
}

#[test]
fn a_flag_of_the_tool_that_is_called_like_mcpxs_own_is_told_apart() {
    let schema = json!({"properties": {"cache": {"type": "string"}, "help": {"type": "boolean"}}});
    let page = tool("s", &read(&json!({"name": "t", "inputSchema": schema})), 0);
    assert_eq!(
        section(&page, "OPTIONS"),
        "    --tool-cache=STRING\n    --tool-help, --no-tool-help"
    );
    assert!(section(&page, "MCPX FLAGS").ends_with(
        "\n    --cache is mcpx's own. The tool's is given as --tool-cache, or as --cache after a `--`.\
         \n    --help is mcpx's own. The tool's is given as --tool-help, or as --help after a `--`."
    ));
}

#[test]
fn programs_get_the_page_as_json_with_the_schemas_as_sent() {
    let raw = r#"{"name":"t","inputSchema":{"type":"object","properties":{"n":{"type":"integer","default":12345678901234567890,"enum":[12345678901234567890,1.50]}}},"annotations":{"b":1,"a":2}}"#;
    let raw = RawValue::from_string(raw.to_owned()).unwrap();
    let spec = ToolSpec::read(&raw, &[]).unwrap();
    assert_data_eq!(
        tool_json("s", &spec),
        str![[r#"
{
  "name": "t",
  "server": "s",
  "summary": "",
  "description": "",
  "parameters": [
    {
      "flag": "--n",
      "property": "n",
      "type": "integer",
      "required": false,
      "default": 12345678901234567890,
      "choices": [
        "12345678901234567890"
      ],
      "description": ""
    }
  ],
  "output": null,
  "annotations": {"b":1,"a":2},
  "inputSchema": {"type":"object","properties":{"n":{"type":"integer","default":12345678901234567890,"enum":[12345678901234567890,1.50]}}}
}

"#]]
    );
}

#[test]
fn a_flag_that_does_not_tell_its_property_is_shown_with_it() {
    let schema = json!({"type": "object", "properties": {
        "name": {"type": "string"}, "Name": {"type": "string", "description": "Another."},
        "max_results": {"type": "integer"}, "maxDepth": {"type": "integer"},
        "a.b": {"type": "string"}, "cache": {"type": "string"}
    }});
    let spec = read(&json!({"name": "t", "inputSchema": schema}));
    assert_data_eq!(
        section(&tool("s", &spec, 0), "OPTIONS"),
        str![[r#"
    --name=STRING
    --name-2=STRING          Another. (the property "Name")
    --max-results=INTEGER
    --max-depth=INTEGER
    --a-b=STRING             (the property "a.b")
    --tool-cache=STRING
"#]]
    );
}

#[test]
fn long_choices_do_not_hide_what_else_is_allowed() {
    let zones = json!({"enum": ["Europe/Berlin", "Europe/London", "Asia/Tokyo"]});
    let spec = read(
        &json!({"name": "t", "inputSchema": {"type": "object", "properties": {
            "zone": zones,
            "offset": {"anyOf": [zones, {"type": "integer"}]},
            "many": {"type": "array", "items": {"anyOf": [zones, {"type": "number"}]}}
        }}}),
    );
    assert_data_eq!(
        section(&tool("s", &spec, 0), "OPTIONS"),
        str![[r#"
    --zone=CHOICE      (one of: Europe/Berlin, Europe/London, Asia/Tokyo)
    --offset=CHOICE    (one of: Europe/Berlin, Europe/London, Asia/Tokyo; or INTEGER)
    --many=CHOICE      (one of: Europe/Berlin, Europe/London, Asia/Tokyo; or NUMBER) (may be repeated)
"#]]
    );
}

#[test]
fn the_page_of_a_server_has_its_words_and_its_tools() {
    let about = About {
        title: Some("Fake\u{1b}[31m"),
        version: Some("1.2"),
        instructions: Some("Be kind.\nAlways."),
    };
    assert_data_eq!(
        server("fake", &about, &[search()], 0),
        str![[r#"
NAME
    mcpx fake — Fake 1.2

SYNOPSIS
    mcpx fake
    mcpx fake TOOL [FLAGS]
    mcpx fake TOOL --help

DESCRIPTION
    Be kind.
    Always.

TOOLS
    search-repositories    Search for GitHub repositories

MCPX FLAGS
    --cache=DURATION       Answer from the cache if an answer is not older than this (30s, 5m, 1h), and keep this one
    --no-cache             Ask the server, whatever the configuration says
    --timeout=DURATION     Give up on the call after this time
    --answer=NAME=VALUE    Answer a question that the tool asks (NAME=VALUE, a JSON object, accept or decline); repeatable
    --json                 Print listings and help as JSON (a tool's result is never changed)
    -v, --verbose          Say on stderr what is done; list tools with their full text
    -q, --quiet            Say nothing on stderr
    --version              Print the version
    -h, --help             Print help: of mcpx, of a server or of a tool

"#]]
    );
    let bare = server("fake", &About::default(), &[], 0);
    assert_eq!(section(&bare, "NAME"), "    mcpx fake");
    assert_eq!(section(&bare, "TOOLS"), "    None.");
}

#[test]
fn the_page_of_mcpx_tells_everything_that_one_must_know() {
    assert_data_eq!(
        root(80),
        str![[r#"
NAME
    mcpx — any MCP server is a shell command

SYNOPSIS
    mcpx [FLAGS]
    mcpx [FLAGS] SERVER
    mcpx [FLAGS] SERVER TOOL [--PARAMETER=VALUE]... [FLAGS]
    mcpx [FLAGS] SERVER TOOL JSON|-
    mcpx completion bash|zsh|fish

DESCRIPTION
    mcpx turns the tools of MCP servers into commands. Without arguments it
    lists the servers; with a server, its tools; with a tool, it calls it. The
    tool's parameters are flags, its result is printed as the server sent it,
    and its failure is an exit code. mcpx SERVER TOOL --help tells a tool's
    flags and what it prints.

    SERVER is a name from the configuration. Where it contains a slash or a
    scheme it is the server itself: a URL, or a command in quotes.

    A tool takes its arguments as flags (--query=mcp, --all, --no-all, --tag=a
    --tag=b, objects as JSON), or all of them as one JSON object, or that object
    on stdin: where nothing else is given, or where - asks for it.

    Structured results are printed as the JSON that the server sent, text as it
    is, images and other files as the path of a file that holds them. Errors and
    messages go to stderr.

FLAGS
    --cache=DURATION       Answer from the cache if an answer is not older than
                           this (30s, 5m, 1h), and keep this one.
    --no-cache             Ask the server, whatever the configuration says.
    --timeout=DURATION     Give up on the call after this time.
    --answer=NAME=VALUE    Answer a question that the tool asks (NAME=VALUE, a
                           JSON object, accept or decline); repeatable.
    --json                 Print listings and help as JSON (a tool's result is
                           never changed).
    -v, --verbose          Say on stderr what is done; list tools with their
                           full text.
    -q, --quiet            Say nothing on stderr.
    --version              Print the version.
    -h, --help             Print help: of mcpx, of a server or of a tool.

    FLAGS are mcpx's own. They may stand before the server, before the tool or
    after it. A parameter of a tool that is called like one of them is given
    with the prefix --tool- (--tool-cache), or by its own name after a --: what
    follows that is the tool's alone.

EXIT STATUS
    0    Success: stdout has the result.
    1    The tool ran and reported a failure, which is on stderr.
    2    It was called wrong: an unknown server, tool or flag, a missing or
         wrong argument, a mistake in the configuration, or arguments that the
         server refused.
    3    The tool could not be reached: the server did not start, did not answer
         in time, hung up, or broke the protocol.

FILES
    $XDG_CONFIG_HOME/mcpx/config.toml
                             The configuration. Without XDG_CONFIG_HOME it is
                             under ~/.config.
    $XDG_CACHE_HOME/mcpx/    Answers that are kept, for the owner alone. Without
                             XDG_CACHE_HOME it is under ~/.cache.
    $XDG_STATE_HOME/mcpx/    What the servers write to stderr, and what was
                             learnt of them. Without XDG_STATE_HOME it is under
                             ~/.local/state.
    $XDG_RUNTIME_DIR/mcpx/mcpx.sock
                             The socket of the daemon, which is started at the
                             first call and ends when it is not used. Without
                             XDG_RUNTIME_DIR it is in the folder above.

ENVIRONMENT
    HOME         The folder that the defaults above start from.
    XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR
                 Where files are, see FILES. Only absolute paths count.
    https_proxy, http_proxy, all_proxy, no_proxy
                 Proxies for servers that are connected to. All but http_proxy
                 may be in capitals, as for curl.
    PATH         Where the programs of servers are looked for.
    TMPDIR       Where the files for images and the like are written; otherwise
                 /tmp.
    CLAUDE_CONFIG_DIR, CODEX_HOME
                 Where Claude Code and Codex have their files, if not in the
                 usual places.
    SSL_CERT_FILE, SSL_CERT_DIR
                 Certificates to trust in place of the system's; those of the
                 call that starts the daemon.
    MCPX_IDLE    How long the daemon stays without work (default: 10s), in the
                 call that starts it.
    any other    What the configuration names as ${VAR}. The programs of servers
                 get the caller's environment.

EXAMPLES
    mcpx
    mcpx github
    mcpx github search-repositories --help
    mcpx github search-repositories --query=mcp --page=2
    mcpx github search-repositories '{"query": "mcp", "page": 2}'
    echo '{"path": "./file"}' | mcpx filesystem read-file
    mcpx github search-repositories --query=mcp --cache=60s | jq '.items[].full_name'
    mcpx https://mcp.example.com/mcp
    mcpx './server --verbose' echo --text=hello

SEE ALSO
    man mcpx: the same, with the keys of the configuration

"#]]
    );
    let json: Value = serde_json::from_str(&root_json()).unwrap();
    assert_eq!(json["flags"].as_array().unwrap().len(), OWN_FLAGS.len());
}

#[test]
fn the_committed_man_page_is_the_one_that_is_written() {
    // Renew it with: SNAPSHOTS=overwrite cargo test -p mcpx-cli man_page
    assert_data_eq!(roff::man_page(), file!["../../../man/mcpx.1"].raw());
}

#[test]
fn the_man_page_names_every_flag_and_every_exit_code() {
    let page = roff::man_page().replace("\\-", "-");
    for flag in OWN_FLAGS {
        assert!(page.contains(&format!("--{}", flag.long)), "{}", flag.long);
    }
    for code in 0..4 {
        assert!(page.contains(&format!(".TP\n\\fB{code}\\fR")), "{code}");
    }
}
