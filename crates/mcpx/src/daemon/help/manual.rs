//! What `mcpx --help` and `man mcpx` say: one text, of which the help leaves out what
//! is only for reference.
//!
//! What stands between backticks is set in bold where there is bold.

use argway_core::argv::Takes;
use serde_json::{Map, Value, json};

use super::flags;
use super::text::Page;
use crate::exit::Exit;
use crate::own_flags::OWN_FLAGS;

/// What mcpx is, in a line.
pub const SUMMARY: &str = "any MCP server is a shell command";

/// A part of the manual.
#[derive(Debug)]
pub struct Section {
    pub title: &'static str,
    pub blocks: Vec<Block>,
    /// Whether `--help` has it too.
    pub in_help: bool,
}

/// A part of a section.
#[derive(Debug)]
pub enum Block {
    /// A paragraph.
    Text(&'static str),
    /// Terms and what they mean.
    Terms(Vec<(String, String)>),
    /// Lines as they are.
    Lines(&'static str),
}

pub const USAGE: [&str; 5] = [
    "mcpx [FLAGS]",
    "mcpx [FLAGS] SERVER",
    "mcpx [FLAGS] SERVER TOOL [--PARAMETER=VALUE]... [FLAGS]",
    "mcpx [FLAGS] SERVER TOOL JSON|-",
    "mcpx completion bash|zsh|fish",
];

const DESCRIPTION: &str = "\
mcpx turns the tools of MCP servers into commands. Without arguments it lists the \
servers; with a server, its tools; with a tool, it calls it. The tool's parameters are \
flags, its result is printed as the server sent it, and its failure is an exit code. \
`mcpx SERVER TOOL --help` tells a tool's flags and what it prints.";

const SOURCES: &str = "\
SERVER is a name from the configuration. Where it contains a slash or a scheme it is the \
server itself: a URL, or a command in quotes.";

const ARGUMENTS: &str = "\
A tool takes its arguments as flags (`--query=mcp`, `--all`, `--no-all`, `--tag=a --tag=b`, \
objects as JSON), or all of them as one JSON object, or that object on stdin: where \
nothing else is given, or where `-` asks for it.";

const NAMESPACES: &str = "\
FLAGS are mcpx's own. They may stand before the server, before the tool or after it. A \
parameter of a tool that is called like one of them is given with the prefix `--tool-` \
(`--tool-cache`), or by its own name after a `--`: what follows that is the tool's alone.";

const OUTPUT: &str = "\
Structured results are printed as the JSON that the server sent, text as it is, images and \
other files as the path of a file that holds them. Errors and messages go to stderr.";

const CONFIGURATION: &str = "\
The file is TOML. Every server has a table `[servers.NAME]`, with a `command` or a `url`. \
In texts, `${VAR}` stands for a variable of the environment that mcpx is called in; one \
that is not set is an error. Times are written like 500ms, 30s, 5m or 1h. A change takes \
effect at the next call.";

const FALLBACK: &str = "\
If the file names no server, those of other MCP clients are used, read only: Claude \
Desktop, Claude Code, Cursor, VS Code, Windsurf, Cline, Codex, Gemini CLI, Kiro and Zed. \
`mcpx -v` tells where each server is from.";

const CONFIGURATION_EXAMPLE: &str = r#"[servers.github]
command = "npx"
args = ["-y", "@modelcontextprotocol/server-github"]
env = { GITHUB_TOKEN = "${GITHUB_TOKEN}" }
default_cache_ttl = "30s"
no_cache_tools = ["create-*", "delete-*"]

[servers.apify]
url = "https://mcp.apify.com"
headers = { Authorization = "Bearer ${APIFY_TOKEN}" }"#;

const KEYS: [(&str, &str); 14] = [
    (
        "servers.NAME.command",
        "The program of a server that is run: a path, or a name that is looked for in PATH.",
    ),
    ("servers.NAME.args", "Its arguments, a list of texts."),
    (
        "servers.NAME.env",
        "Variables that it gets beside those of the caller, a table.",
    ),
    (
        "servers.NAME.cwd",
        "The folder that it runs in; the caller's if there is none.",
    ),
    (
        "servers.NAME.url",
        "The URL of a server that is connected to.",
    ),
    (
        "servers.NAME.headers",
        "HTTP headers that are sent with every request, a table.",
    ),
    (
        "servers.NAME.ca_file",
        "A PEM file of certificates to trust beside those of the system.",
    ),
    (
        "servers.NAME.timeout",
        "How long a call may take (default: 5m).",
    ),
    (
        "servers.NAME.connect_timeout",
        "How long the server may take to be ready (default: 60s).",
    ),
    (
        "servers.NAME.keepalive",
        "How long the server is kept open after its last use (default: 60s).",
    ),
    (
        "servers.NAME.default_cache_ttl",
        "How long answers are kept and given again. Without it nothing is kept unless --cache asks for it.",
    ),
    (
        "servers.NAME.no_cache_tools",
        "Patterns of tools whose answers are never kept, whatever --cache asks for: a list such as [\"create-*\", \"delete-*\"].",
    ),
    (
        "servers.NAME.tools.TOOL.cache",
        "The same for one tool: false for never, or a time of its own.",
    ),
    (
        "fallback_sources",
        "The files that servers are looked for in if this one names none, a list of paths (~/ is the home folder). An empty list switches that off.",
    ),
];

const FILES: [(&str, &str); 4] = [
    (
        "$XDG_CONFIG_HOME/mcpx/config.toml",
        "The configuration. Without XDG_CONFIG_HOME it is under ~/.config.",
    ),
    (
        "$XDG_CACHE_HOME/mcpx/",
        "Answers that are kept, for the owner alone. Without XDG_CACHE_HOME it is under ~/.cache.",
    ),
    (
        "$XDG_STATE_HOME/mcpx/",
        "What the servers write to stderr, and what was learnt of them. Without XDG_STATE_HOME it is under ~/.local/state.",
    ),
    (
        "$XDG_RUNTIME_DIR/mcpx/mcpx.sock",
        "The socket of the daemon, which is started at the first call and ends when it is not used. Without XDG_RUNTIME_DIR it is in the folder above.",
    ),
];

const ENVIRONMENT: [(&str, &str); 9] = [
    ("HOME", "The folder that the defaults above start from."),
    (
        "XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR",
        "Where files are, see FILES. Only absolute paths count.",
    ),
    (
        "https_proxy, http_proxy, all_proxy, no_proxy",
        "Proxies for servers that are connected to. All but http_proxy may be in capitals, as for curl.",
    ),
    ("PATH", "Where the programs of servers are looked for."),
    (
        "TMPDIR",
        "Where the files for images and the like are written; otherwise /tmp.",
    ),
    (
        "CLAUDE_CONFIG_DIR, CODEX_HOME",
        "Where Claude Code and Codex have their files, if not in the usual places.",
    ),
    (
        "SSL_CERT_FILE, SSL_CERT_DIR",
        "Certificates to trust in place of the system's; those of the call that starts the daemon.",
    ),
    (
        "MCPX_IDLE",
        "How long the daemon stays without work (default: 10s), in the call that starts it.",
    ),
    (
        "any other",
        "What the configuration names as ${VAR}. The programs of servers get the caller's environment.",
    ),
];

const EXAMPLES: &str = r#"mcpx
mcpx github
mcpx github search-repositories --help
mcpx github search-repositories --query=mcp --page=2
mcpx github search-repositories '{"query": "mcp", "page": 2}'
echo '{"path": "./file"}' | mcpx filesystem read-file
mcpx github search-repositories --query=mcp --cache=60s | jq '.items[].full_name'
mcpx https://mcp.example.com/mcp
mcpx './server --verbose' echo --text=hello"#;

const COMPLETION_EXAMPLE: &str = r#"source <(mcpx completion bash)        # in ~/.bashrc
source <(mcpx completion zsh)         # in ~/.zshrc, after compinit
mcpx completion fish | source         # in ~/.config/fish/config.fish"#;

/// The whole manual, in the order of a man page.
pub fn sections() -> Vec<Section> {
    let section = |title, in_help, blocks| Section {
        title,
        blocks,
        in_help,
    };
    vec![
        section(
            "DESCRIPTION",
            true,
            [DESCRIPTION, SOURCES, ARGUMENTS, OUTPUT]
                .map(Block::Text)
                .into(),
        ),
        section(
            "FLAGS",
            true,
            vec![Block::Terms(own_flags()), Block::Text(NAMESPACES)],
        ),
        section("EXIT STATUS", true, vec![Block::Terms(exit_codes())]),
        section(
            "CONFIGURATION",
            false,
            vec![
                Block::Text(CONFIGURATION),
                Block::Lines(CONFIGURATION_EXAMPLE),
                Block::Terms(owned(&KEYS)),
                Block::Text(FALLBACK),
            ],
        ),
        section("FILES", true, vec![Block::Terms(owned(&FILES))]),
        section("ENVIRONMENT", true, vec![Block::Terms(owned(&ENVIRONMENT))]),
        section(
            "COMPLETION",
            false,
            vec![
                Block::Text(
                    "Servers, tools, flags and their values can be completed. The words \
                     completion and __complete are reserved for that, unless a server is \
                     called so.",
                ),
                Block::Lines(COMPLETION_EXAMPLE),
            ],
        ),
        section("EXAMPLES", true, vec![Block::Lines(EXAMPLES)]),
    ]
}

fn owned(terms: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(term, text): &(&str, &str)| ((*term).to_owned(), (*text).to_owned());
    terms.iter().map(owned).collect()
}

fn own_flags() -> Vec<(String, String)> {
    let term = |flag| (flags::own(flag), format!("{}.", flag.text));
    OWN_FLAGS.iter().map(term).collect()
}

fn exit_codes() -> Vec<(String, String)> {
    let meaning = |exit| match exit {
        Exit::Success => "Success: stdout has the result.",
        Exit::Tool => "The tool ran and reported a failure, which is on stderr.",
        Exit::Usage => {
            "It was called wrong: an unknown server, tool or flag, a missing or wrong \
             argument, a mistake in the configuration, or arguments that the server refused."
        }
        Exit::Transport => {
            "The tool could not be reached: the server did not start, did not answer in \
             time, hung up, or broke the protocol."
        }
    };
    let all = [Exit::Success, Exit::Tool, Exit::Usage, Exit::Transport];
    all.map(|exit| (exit.code().to_string(), meaning(exit).to_owned()))
        .into()
}

/// `mcpx --help`.
pub fn page(columns: usize) -> String {
    let mut page = Page::new(columns);
    page.heading("NAME");
    page.paragraph(&format!("mcpx — {SUMMARY}"));
    page.heading("SYNOPSIS");
    for usage in USAGE {
        page.paragraph(usage);
    }
    for section in sections().iter().filter(|section| section.in_help) {
        page.heading(section.title);
        for (index, block) in section.blocks.iter().enumerate() {
            if index > 0 {
                page.gap();
            }
            match block {
                Block::Text(text) => page.paragraph(&text.replace('`', "")),
                Block::Terms(terms) => {
                    let row = |(term, text): &(String, String)| vec![term.clone(), text.clone()];
                    page.table(&terms.iter().map(row).collect::<Vec<_>>(), 4);
                }
                Block::Lines(lines) => page.verbatim(lines),
            }
        }
    }
    page.heading("SEE ALSO");
    page.paragraph("man mcpx: the same, with the keys of the configuration");
    page.finish()
}

/// `mcpx --help --json`.
pub fn json() -> String {
    let flag = |flag: &argway_core::argv::OwnFlag<_>| {
        json!({
            "flag": format!("--{}", flag.long),
            "short": flag.short.map(|short| format!("-{short}")),
            "value": match flag.takes {
                Takes::Nothing => None,
                Takes::Value(kind) => Some(kind),
            },
            "description": flag.text,
        })
    };
    let exits = exit_codes()
        .into_iter()
        .map(|(code, text)| (code, Value::from(text)));
    super::printed(&json!({
        "name": "mcpx",
        "version": env!("CARGO_PKG_VERSION"),
        "summary": SUMMARY,
        "usage": USAGE,
        "flags": OWN_FLAGS.iter().map(flag).collect::<Vec<_>>(),
        "exitStatus": exits.collect::<Map<_, _>>(),
    }))
}
