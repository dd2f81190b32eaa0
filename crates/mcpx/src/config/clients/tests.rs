//! What is made of other clients' files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::super::EndpointText;
use super::super::testing::Home;
use super::*;

/// What a caller in `~/work/sub` has, a line for each server, problem and note.
fn listing(home: &Home) -> String {
    let folder = home.folder("work/sub");
    let config = Config::load(&home.places, &home.environment, &folder).unwrap();
    let mut lines = Vec::new();
    for (name, entry) in &config.servers {
        let scope = match entry.scope {
            Scope::Project => " (project)",
            _ => "",
        };
        let origin = entry.origin.as_ref().unwrap().display();
        let endpoint = match &entry.endpoint {
            EndpointText::Stdio {
                command,
                args,
                env,
                cwd,
            } => {
                let mut line = format!("{command} {}", args.join(" ")).trim().to_owned();
                for (name, value) in env {
                    line = format!("{line} {name}={value}");
                }
                cwd.iter()
                    .fold(line, |line, cwd| format!("{line} in {cwd}"))
            }
            EndpointText::Http { url, headers, .. } => {
                headers.iter().fold(url.clone(), |line, (name, value)| {
                    format!("{line} {name}: {value}")
                })
            }
        };
        lines.push(format!("{name}: {endpoint} <- {origin}{scope}"));
    }
    lines.extend(
        config
            .problems
            .iter()
            .map(|line| format!("problem: {line}")),
    );
    lines.extend(config.notes.iter().map(|line| format!("note: {line}")));
    home.short(&lines.join("\n"))
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &str) {
    let home = Home::new();
    for (path, text) in files {
        home.write(path, text);
    }
    assert_eq!(listing(&home), expected);
}

#[test]
fn every_client_has_its_place_on_linux_and_mac() {
    let home = Home::new();
    let place = |system| -> Vec<String> {
        let folder = home.folder("work");
        usual_sources(&home.places, &home.environment, &folder, system)
            .iter()
            .filter(|source| source.kind == Kind::Usual)
            .map(|source| home.short(&source.path.display().to_string()))
            .collect()
    };
    assert_eq!(
        place(System::Linux),
        [
            "~/.config/Claude/claude_desktop_config.json",
            "~/.claude.json",
            "~/.cursor/mcp.json",
            "~/.config/Code/User/mcp.json",
            "~/.config/Code/User/settings.json",
            "~/.config/Code - Insiders/User/mcp.json",
            "~/.config/Code - Insiders/User/settings.json",
            "~/.config/VSCodium/User/mcp.json",
            "~/.config/VSCodium/User/settings.json",
            "~/.codeium/windsurf/mcp_config.json",
            "~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            "~/.config/Code - Insiders/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            "~/.config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            "~/.cline/data/settings/cline_mcp_settings.json",
            "~/.codex/config.toml",
            "~/.gemini/settings.json",
            "~/.kiro/settings/mcp.json",
            "~/.config/zed/settings.json",
        ]
    );
    let mac = place(System::Mac);
    for path in [
        "~/Library/Application Support/Claude/claude_desktop_config.json",
        "~/Library/Application Support/Code/User/mcp.json",
        "~/.config/zed/settings.json",
    ] {
        assert!(mac.contains(&path.to_owned()), "{path}");
    }
}

#[test]
fn each_clients_words_are_understood() {
    check(
        &[
            (
                ".config/Claude/claude_desktop_config.json",
                r#"{"mcpServers": {"desktop": {"command": "npx", "args": ["-y", "x"], "env": {"A": "1", "B": 2, "C": null}}}}"#,
            ),
            (
                ".claude.json",
                r#"{"history": [1, 2], "mcpServers": {"code": {"type": "http", "url": "https://c/mcp", "headers": {"X": "${T:-d}"}}}, "projects": {}}"#,
            ),
            (
                ".cursor/mcp.json",
                r#"{"mcpServers": {"cursor": {"url": "https://cursor/", "headers": {"Authorization": "Bearer ${env:T}"}}}}"#,
            ),
            (
                ".config/Code/User/mcp.json",
                r#"{"inputs": [], "servers": {"vscode": {"type": "stdio", "command": "${userHome}/x", "args": ["${input:key}"]}}}"#,
            ),
            (
                ".config/Code/User/settings.json",
                "{\n  // comment\n  \"mcp\": {\"servers\": {\"settings\": {\"command\": \"s\"},},},\n}",
            ),
            (
                ".codeium/windsurf/mcp_config.json",
                r#"{"mcpServers": {"windsurf": {"serverUrl": "https://w/sse"}}}"#,
            ),
            (
                ".cline/data/settings/cline_mcp_settings.json",
                r#"{"mcpServers": {"github.com/org/repo/src/cline": {"type": "streamableHttp", "url": "https://cline/", "disabled": false}}}"#,
            ),
            (
                ".codex/config.toml",
                "model = 'm'\n[mcp_servers.codex]\ncommand = 'c'\nenv_vars = ['T', { name = 'U' }]\n[mcp_servers.remote]\nurl = 'https://r/'\nbearer_token_env_var = 'T'\nhttp_headers = { A = 'b' }\nenv_http_headers = { B = 'BV' }\n",
            ),
            (
                ".gemini/settings.json",
                r#"{"mcp": {"allowed": ["x"]}, "mcpServers": {"gemini": {"httpUrl": "https://g/", "url": "https://sse/", "headers": {"K": "$T"}}}}"#,
            ),
            (
                ".kiro/settings/mcp.json",
                r#"{"mcpServers": {"kiro": {"command": "k", "autoApprove": []}}}"#,
            ),
            (
                ".config/zed/settings.json",
                r#"{"context_servers": {
                    "zed": {"source": "custom", "command": {"path": "z", "args": ["a"], "env": {"A": "b"}}},
                    "newer": {"command": "z", "args": ["b"]},
                    "extension": {"source": "extension", "settings": {}}
                }}"#,
            ),
        ],
        "\
cline: https://cline/ <- ~/.cline/data/settings/cline_mcp_settings.json
code: https://c/mcp X: ${T:-d} <- ~/.claude.json
codex: c T=${T:-} U=${U:-} <- ~/.codex/config.toml
cursor: https://cursor/ Authorization: Bearer ${T} <- ~/.cursor/mcp.json
desktop: npx -y x A=1 B=2 <- ~/.config/Claude/claude_desktop_config.json
gemini: https://g/ K: ${T:-$T} <- ~/.gemini/settings.json
kiro: k <- ~/.kiro/settings/mcp.json
newer: z b <- ~/.config/zed/settings.json
remote: https://r/ A: b Authorization: Bearer ${T} B: ${BV} <- ~/.codex/config.toml
settings: s <- ~/.config/Code/User/settings.json
vscode: ~/x ${input:key} <- ~/.config/Code/User/mcp.json
windsurf: https://w/sse <- ~/.codeium/windsurf/mcp_config.json
zed: z a A=b <- ~/.config/zed/settings.json",
    );
}

#[test]
fn own_servers_leave_other_files_alone() {
    check(
        &[
            (".config/mcpx/config.toml", "[servers.own]\ncommand = 'o'"),
            (
                ".cursor/mcp.json",
                r#"{"mcpServers": {"c": {"command": "c"}}}"#,
            ),
        ],
        "own: o <- ~/.config/mcpx/config.toml",
    );
}

#[test]
fn project_files_are_found_upward_and_marked() {
    check(
        &[
            (
                "work/.mcp.json",
                r#"{"mcpServers": {
                    "near": {"command": "outer"},
                    "local": {"command": "./bin/x", "args": ["${workspaceFolder}"], "cwd": "data"},
                    "found": {"command": "node"}
                }}"#,
            ),
            (
                "work/sub/.cursor/mcp.json",
                r#"{"mcpServers": {"near": {"command": "inner"}}}"#,
            ),
            (
                "work/.vscode/mcp.json",
                r#"{"servers": {"web": {"url": "https://v/"}}}"#,
            ),
        ],
        "\
found: node in ~/work <- ~/work/.mcp.json (project)
local: ~/work/./bin/x ~/work in ~/work/data <- ~/work/.mcp.json (project)
near: inner in ~/work/sub <- ~/work/sub/.cursor/mcp.json (project)
web: https://v/ <- ~/work/.vscode/mcp.json (project)
note: the server `near` of ~/work/sub/.cursor/mcp.json is used, not that of ~/work/.mcp.json",
    );
}

#[test]
fn a_folder_cannot_take_the_name_of_a_server_of_the_users() {
    check(
        &[
            (
                ".cursor/mcp.json",
                r#"{"mcpServers": {"github": {"command": "mine"}}}"#,
            ),
            (
                "work/.mcp.json",
                r#"{"mcpServers": {"github": {"command": "theirs"}}}"#,
            ),
        ],
        "\
github: mine <- ~/.cursor/mcp.json
note: the server `github` of ~/.cursor/mcp.json is used, not that of ~/work/.mcp.json",
    );
}

#[test]
fn claude_code_has_servers_for_a_folder() {
    let home = Home::new();
    let path = |folder: &str| home.folder(folder).display().to_string();
    let text = format!(
        r#"{{"mcpServers": {{"a": {{"command": "everywhere"}}}}, "projects": {{
            "{}": {{"history": [], "mcpServers": {{"a": {{"command": "outer"}}, "b": {{"command": "./b"}}}}}},
            "{}": {{"mcpServers": {{"a": {{"command": "inner"}}}}}},
            "{}": {{"mcpServers": {{"c": {{"command": "elsewhere"}}}}}}
        }}}}"#,
        path("work"),
        path("work/sub"),
        path("other")
    );
    home.write(".claude.json", &text);
    home.write(
        ".config/Claude/claude_desktop_config.json",
        r#"{"mcpServers": {"a": {"command": "desktop"}}}"#,
    );
    assert_eq!(
        listing(&home),
        "\
a: inner in ~/work/sub <- ~/.claude.json
b: ~/work/./b in ~/work <- ~/.claude.json
note: the server `a` of ~/.claude.json is used, not that of ~/.config/Claude/claude_desktop_config.json"
    );
}

#[test]
fn clients_that_were_moved_are_found() {
    let home = Home::new();
    let (claude, codex) = (home.folder("c1"), home.folder("c2"));
    let home = home
        .with("CLAUDE_CONFIG_DIR", claude.to_str().unwrap())
        .with("CODEX_HOME", codex.to_str().unwrap());
    home.write(
        "c1/.claude.json",
        r#"{"mcpServers": {"a": {"command": "a"}}}"#,
    );
    home.write("c2/config.toml", "[mcp_servers.b]\ncommand = 'b'");
    assert_eq!(
        listing(&home),
        "a: a <- ~/c1/.claude.json\nb: b <- ~/c2/config.toml"
    );
}

#[test]
fn what_is_wrong_costs_only_itself() {
    check(
        &[
            (".claude.json", "{\"mcpServers\": {"),
            (
                ".cursor/mcp.json",
                r#"{"mcpServers": {
                    "good": {"command": "g"},
                    "off": {"command": "o", "disabled": true},
                    "off2": {"command": "o", "enabled": false},
                    "-flag": {"command": "x"},
                    "text": "npx",
                    "none": {},
                    "both": {"command": "x", "url": "https://x"},
                    "number": {"command": 1},
                    "empty": {"command": " "},
                    "args": {"command": "x", "args": "a b"},
                    "env": {"command": "x", "env": ["A=1"]},
                    "value": {"command": "x", "env": {"A": {}}},
                    "scheme": {"url": "ftp://ada:secret@x"},
                    "header": {"url": "https://x", "headers": {"A B": "c"}},
                    "headers": {"url": "https://x", "headers": {"X-Key": "c", "x-key": "d"}},
                    "bearer": {"url": "https://x", "headers": {"authorization": "c"}, "bearer_token_env_var": "T"},
                    "socket": {"type": "ws", "url": "https://x"},
                    "typed": {"type": "http", "command": "x"},
                    "file": {"command": "x", "envFile": "${workspaceFolder}/none"}
                }}"#,
            ),
            (".kiro/settings/mcp.json", r#"{"mcpServers": []}"#),
            (".codex/config.toml", "a = \n"),
            (".gemini/settings.json", "[]"),
        ],
        "\
good: g <- ~/.cursor/mcp.json
problem: ~/.claude.json: is no JSON (Unterminated object on line 1 column 17)
problem: ~/.cursor/mcp.json: the server `-flag` is left out: the server's name `-flag` begins with `-`, so it would be read as a flag
problem: ~/.cursor/mcp.json: the server `text` is left out: it is no object
problem: ~/.cursor/mcp.json: the server `none` is left out: it has neither a `command` nor a `url`
problem: ~/.cursor/mcp.json: the server `both` is left out: it has both a `command` and a URL, and no `type`
problem: ~/.cursor/mcp.json: the server `number` is left out: its `command` is a number, not a string
problem: ~/.cursor/mcp.json: the server `empty` is left out: its `command` is empty
problem: ~/.cursor/mcp.json: the server `args` is left out: its `args` is a string, not a list
problem: ~/.cursor/mcp.json: the server `env` is left out: its `env` is a list, not an object
problem: ~/.cursor/mcp.json: the server `value` is left out: its `env.A` is an object, not a string
problem: ~/.cursor/mcp.json: the server `scheme` is left out: its `url` begins with `ftp:`; mcpx connects to `https://` and `http://`
problem: ~/.cursor/mcp.json: the server `header` is left out: `A B` cannot be the name of an HTTP header; it has letters, digits and `-`
problem: ~/.cursor/mcp.json: the server `headers` is left out: the headers `X-Key` and `x-key` are the same to HTTP; keep one of them
problem: ~/.cursor/mcp.json: the server `bearer` is left out: the headers `authorization` and `Authorization` are the same to HTTP; keep one of them
problem: ~/.cursor/mcp.json: the server `socket` is left out: its `type` is `ws`; `stdio`, `http` and `sse` are understood
problem: ~/.cursor/mcp.json: the server `typed` is left out: it has no `url`
problem: ~/.cursor/mcp.json: the server `file` is left out: its `envFile` ~/work/sub/none is not there
problem: ~/.codex/config.toml: is no TOML (line 1: string values must be quoted, expected literal string)
problem: ~/.gemini/settings.json: is no JSON object
problem: ~/.kiro/settings/mcp.json: `mcpServers` is no object with a server under each name",
    );
}

#[test]
fn an_input_of_an_editor_is_a_problem_only_when_the_server_is_used() {
    let home = Home::new();
    home.write(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"x": {"url": "https://x", "headers": {"A": "${input:key}"}}}}"#,
    );
    let folder = home.folder("work");
    let config = Config::load(&home.places, &home.environment, &folder).unwrap();
    assert!(config.problems.is_empty());
    let error = config.servers["x"].expand(&home.places, &home.environment, &folder);
    assert_eq!(
        error.unwrap_err().to_string(),
        "the server `x`: `headers.A`: `${input:key}` can only be filled in by the program that the file belongs to; name an environment variable instead"
    );
}

#[test]
fn variables_come_from_an_env_file_too() {
    check(
        &[
            (
                "work/.vscode/mcp.json",
                r#"{"servers": {"x": {"command": "x", "envFile": "${workspaceFolder}/.env", "env": {"B": "mine"}}}}"#,
            ),
            (
                "work/.env",
                "# comment\nexport A=1\nB=2\nC=\"a ${X}\" # more\nD='e' \nE=f # g\n\nnonsense\n",
            ),
        ],
        "x: x A=1 B=mine C=a $${X} D=e E=f in ~/work <- ~/work/.vscode/mcp.json (project)",
    );
}

#[test]
fn fallback_sources_replace_the_usual_files() {
    check(
        &[
            (
                ".config/mcpx/config.toml",
                "fallback_sources = ['~/a.json', 'b.toml', '/none/c.json', '~/d.json', '~/e']",
            ),
            ("a.json", r#"{"servers": {"a": {"command": "a"}}}"#),
            (".config/mcpx/b.toml", "[mcp_servers.b]\ncommand = 'b'"),
            ("d.json", r#"{"other": 1}"#),
            ("e", "[mcp_servers.e]\ncommand = 'e'"),
            (".cursor/mcp.json", r#"{"mcpServers": {"c": {"command": "c"}}}"#),
        ],
        "\
a: a <- ~/a.json
b: b <- ~/.config/mcpx/b.toml
e: e <- ~/e
problem: /none/c.json: is named in `fallback_sources`, but is not there
problem: ~/d.json: names no servers; it has none of `mcpServers`, `servers`, `mcp.servers`, `context_servers` and `mcp_servers`",
    );
}

#[test]
fn no_fallback_sources_are_none() {
    check(
        &[
            (".config/mcpx/config.toml", "fallback_sources = []"),
            (
                ".cursor/mcp.json",
                r#"{"mcpServers": {"c": {"command": "c"}}}"#,
            ),
        ],
        "",
    );
}

#[test]
fn a_project_file_that_others_can_write_is_not_read() {
    let home = Home::new();
    let path = home.write(
        "work/.mcp.json",
        r#"{"mcpServers": {"x": {"command": "x"}}}"#,
    );
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(
        listing(&home),
        "problem: ~/work/.mcp.json: is not read, because others can write to it (mode 0666); a project's file can start programs: chmod go-w"
    );
}

#[test]
fn a_project_file_has_to_be_the_users_or_the_systems() {
    let foreign = "is not read, because it belongs to the user 7; a project's file can start programs, so it has to be yours";
    let cases = [
        ([1000, 1000], 0o644, true, None),
        ([0, 1000], 0o644, true, None),
        ([1000, 1000], 0o664, true, None),
        ([7, 1000], 0o644, true, Some(foreign)),
        // The link is somebody else's, what it leads to is not.
        ([1000, 7], 0o644, true, Some(foreign)),
        (
            [1000, 1000],
            0o664,
            false,
            Some(
                "is not read, because others can write to it (mode 0664); a project's file can start programs: chmod go-w",
            ),
        ),
    ];
    for (owners, mode, own_group, expected) in cases {
        let result = trust_facts(owners, mode, own_group, 1000);
        assert_eq!(result.err().as_deref(), expected);
    }
}

#[test]
fn a_pipe_in_a_files_place_is_not_waited_for() {
    let home = Home::new();
    let path = home.folder("work").join(".mcp.json");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    assert_eq!(listing(&home), "problem: ~/work/.mcp.json: is not a file");
}

#[test]
fn deep_nesting_is_a_problem_and_no_crash() {
    let home = Home::new();
    home.write("work/.mcp.json", &"[".repeat(100_000));
    home.write(
        "work/.codex/config.toml",
        &format!("a = {}", "[".repeat(100_000)),
    );
    assert_eq!(listing(&home).lines().count(), 2);
}

#[test]
fn a_project_file_that_takes_long_to_read_is_not_read_and_the_users_own_is() {
    let padding = " ".repeat(LARGEST_PROJECT);
    let file =
        |name: &str| format!(r#"{{"mcpServers": {{"{name}": {{"command": "x"}}}}}}{padding}"#);
    check(
        &[
            ("work/.mcp.json", &file("theirs")),
            (".cursor/mcp.json", &file("mine")),
        ],
        "mine: x <- ~/.cursor/mcp.json\nproblem: ~/work/.mcp.json: is not read: a project's file may have 1 MiB",
    );
}

#[test]
fn a_project_names_no_more_servers_than_it_can_need() {
    let server = |at: usize| format!(r#""s{at}": {{"command": "x"}}"#);
    let servers: Vec<String> = (0..=MOST_PROJECT).map(server).collect();
    check(
        &[(
            "work/.mcp.json",
            &format!(r#"{{"mcpServers": {{{}}}}}"#, servers.join(",")),
        )],
        "problem: ~/work/.mcp.json: is not read: it names 201 servers, and a project's file may name 200",
    );
}

#[test]
fn an_env_file_that_is_none_costs_its_server() {
    let file = r#"{"servers": {"x": {"command": "x", "envFile": ".env"}}}"#;
    check(
        &[
            ("work/.vscode/mcp.json", file),
            ("work/.env", &"A=1\n".repeat(100_000)),
        ],
        "problem: ~/work/.vscode/mcp.json: the server `x` is left out: its `envFile` ~/work/.env is larger than 256 KiB",
    );
}

#[test]
fn a_project_file_cannot_pass_for_the_users_own() {
    let theirs = r#"{"projects": {"/": {"mcpServers": {"github": {"command": "theirs"}, "new": {"command": "theirs"}}}}}"#;
    check(
        &[
            ("work/.mcp.json", theirs),
            ("work/.gemini/settings.json", theirs),
            (
                ".cursor/mcp.json",
                r#"{"mcpServers": {"github": {"command": "mine"}}}"#,
            ),
        ],
        "github: mine <- ~/.cursor/mcp.json",
    );
}
