//! What `config.toml` may say, and what is said of what it may not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use super::*;

fn load(text: &str) -> Result<OwnFile, ConfigError> {
    read(Path::new("/c/config.toml"), text)
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let error = load(text).unwrap_err();
    assert_eq!(error.0, expected, "{text}");
}

#[test]
fn every_key_is_read() {
    let file = load(
        r#"
[servers.github]
command = "npx"
args = ["-y", "server"]
env = { TOKEN = "${GITHUB_TOKEN}" }
cwd = "~/src"
timeout = "2m"
connect_timeout = 90
keepalive = "1h30m"
default_cache_ttl = "30s"
no_cache_tools = ["create-*"]

[servers.github.tools.create-issue]
cache = false

[servers.github.tools.search]
cache = "60s"

[servers.apify]
url = "https://mcp.apify.com"
headers = { Authorization = "Bearer ${APIFY_TOKEN}" }
ca_file = "ca.pem"
"#,
    )
    .unwrap();
    let github = &file.servers["github"];
    assert_eq!(github.scope, Scope::Own);
    assert_eq!(github.origin.as_deref(), Some(Path::new("/c/config.toml")));
    assert_eq!(
        github.endpoint,
        EndpointText::Stdio {
            command: "npx".into(),
            args: vec!["-y".into(), "server".into()],
            env: BTreeMap::from([("TOKEN".into(), "${GITHUB_TOKEN}".into())]),
            cwd: Some("~/src".into()),
        }
    );
    let cache = |cache| ToolSettings { cache: Some(cache) };
    assert_eq!(
        github.settings,
        Settings {
            timeout: Duration::from_secs(120),
            connect_timeout: Duration::from_secs(90),
            keepalive: Duration::from_secs(5400),
            cache_ttl: Some(Duration::from_secs(30)),
            no_cache_tools: vec!["create-*".into()],
            tools: BTreeMap::from([
                ("create-issue".into(), cache(ToolCache::Never)),
                (
                    "search".into(),
                    cache(ToolCache::For(Duration::from_secs(60)))
                ),
            ]),
        }
    );
    assert_eq!(
        file.servers["apify"].endpoint,
        EndpointText::Http {
            url: "https://mcp.apify.com".into(),
            headers: BTreeMap::from([("Authorization".into(), "Bearer ${APIFY_TOKEN}".into())]),
            ca_file: Some("ca.pem".into()),
        }
    );
    assert_eq!(file.fallback_sources, None);
}

#[test]
fn what_is_not_said_has_a_default() {
    let file = load("[servers.x]\ncommand = 'x'").unwrap();
    let settings = &file.servers["x"].settings;
    assert_eq!(settings.timeout, Duration::from_secs(300));
    assert_eq!(settings.connect_timeout, Duration::from_secs(60));
    assert_eq!(settings.keepalive, Duration::from_secs(60));
    assert_eq!(settings.cache_ttl, None);
    assert_eq!(load("").unwrap(), OwnFile::default());
}

#[test]
fn fallback_sources_are_a_list_that_may_be_empty() {
    let sources = |text: &str| load(text).unwrap().fallback_sources;
    assert_eq!(sources("fallback_sources = []"), Some(vec![]));
    assert_eq!(
        sources("fallback_sources = ['/a.json', '~/b.toml']"),
        Some(vec!["/a.json".into(), "~/b.toml".into()])
    );
}

#[test]
fn an_unknown_key_is_told_with_its_place_and_the_nearest_right_one() {
    refused(
        "fallback_source = []",
        "/c/config.toml:1:1: unknown key `fallback_source`; did you mean `fallback_sources`?",
    );
    refused(
        "[servers.x]\ncommand = 'x'\n  comand = 'y'",
        "/c/config.toml:3:3: unknown key `comand`; did you mean `command`?",
    );
    refused(
        "[servers.x]\ncommand = 'x'\nqqq = 1",
        "/c/config.toml:3:1: unknown key `qqq`; there is `command`, `args`, `env`, `cwd`, `url`, `headers`, `ca_file`, `timeout`, `connect_timeout`, `keepalive`, `default_cache_ttl`, `no_cache_tools` and `tools`",
    );
    refused(
        "[servers.x]\ncommand = 'x'\n[servers.x.tools.y]\ncach = false",
        "/c/config.toml:4:1: unknown key `cach`; did you mean `cache`?",
    );
}

#[test]
fn columns_count_characters() {
    refused(
        "[servers.x]\ncommand = 'x'\nenv = { Ä = 'ü', B = 1 }",
        "/c/config.toml:3:9: invalid unquoted key, expected letters, numbers, `-`, `_`",
    );
    refused(
        "[servers.x]\ncommand = 'x'\nenv = { 'Ä' = 'ü', B = 1 }",
        "/c/config.toml:3:24: `env.B` takes a string, not an integer",
    );
}

#[test]
fn several_mistakes_are_told_together_in_the_order_of_the_file() {
    refused(
        "[servers.b]\nurl = 'ftp://x'\ntimeout = 'soon'\n[servers.a]\nargs = 'x'\ncommand = ''",
        "/c/config.toml:2:7: `url` begins with `ftp:`; mcpx connects to `https://` and `http://`\n\
         /c/config.toml:3:11: `timeout`: `soon` is not a duration; write it like 30s, 2m, 1h30m or 500ms\n\
         /c/config.toml:5:8: `args` takes a list of strings, not a string\n\
         /c/config.toml:6:11: `command` is empty; it is the program to run",
    );
}

#[test]
fn a_server_is_run_or_connected_to() {
    refused(
        "[servers.x]\ncommand = 'x'\nurl = 'http://x'",
        "/c/config.toml:3:7: the server `x` has both `command` and `url`; it is either run or connected to",
    );
    refused(
        "[servers.x]\ntimeout = 1",
        "/c/config.toml:1:10: the server `x` has neither `command` nor `url`",
    );
    refused(
        "[servers.x]\ncommand = 'x'\nheaders = {}",
        "/c/config.toml:3:1: `headers` is for servers with `url`, which this is not",
    );
    refused(
        "[servers.x]\nurl = 'http://x'\nenv = {}",
        "/c/config.toml:3:1: `env` is for servers with `command`, which this is not",
    );
    refused(
        "servers = 1",
        "/c/config.toml:1:11: `servers` takes tables, `[servers.NAME]` for each server, not an integer",
    );
    refused(
        "[servers]\nx = 'npx'",
        "/c/config.toml:2:5: `servers.x` takes a table with `command` or `url`, not a string",
    );
}

#[test]
fn names_that_a_command_line_cannot_have_are_refused() {
    refused(
        "[servers.'a/b']\ncommand = 'x'",
        "/c/config.toml:1:10: the server's name `a/b` looks like a URL or a path, which `mcpx` would use directly; choose a name without `/`",
    );
    refused(
        "[servers.-a]\ncommand = 'x'",
        "/c/config.toml:1:10: the server's name `-a` begins with `-`, so it would be read as a flag",
    );
    refused(
        "[servers.'']\ncommand = 'x'",
        "/c/config.toml:1:10: a server needs a name",
    );
}

#[test]
fn values_of_the_wrong_kind_are_refused() {
    let server = "[servers.x]\nurl = 'http://x'\n";
    let cases = [
        (
            "timeout = true",
            "`timeout` takes a duration such as \"30s\", or a number of seconds, not a boolean",
        ),
        (
            "timeout = 0",
            "`timeout`: `0` leaves no time at all; write it like 30s or 2m",
        ),
        ("timeout = '100000h'", "`timeout` is more than a year"),
        (
            "keepalive = -1",
            "`keepalive`: `-1` is not a duration; write it like 30s, 2m, 1h30m or 500ms",
        ),
        (
            "no_cache_tools = 'x'",
            "`no_cache_tools` takes a list of strings, not a string",
        ),
        (
            "no_cache_tools = [1]",
            "`no_cache_tools` takes a list of strings, not an integer",
        ),
        (
            "no_cache_tools = ['[ab]*']",
            "the pattern `[ab]*` has more than `*` and `?`, which are all that is understood",
        ),
        (
            "no_cache_tools = ['']",
            "an empty pattern matches no tool; `*` matches every one",
        ),
        (
            "tools.y.cache = true",
            "`cache = true` does not say for how long; write `false` or a duration such as \"60s\"",
        ),
        (
            "tools.y.cache = 1.5",
            "`cache` takes `false` or a duration such as \"60s\", not a number",
        ),
        (
            "tools.y = false",
            "`tools.y` takes a table, such as `{ cache = false }`, not a boolean",
        ),
        (
            "headers = { 'X Y' = 'z' }",
            "`X Y` cannot be the name of an HTTP header; it has letters, digits and `-`",
        ),
        (
            "headers = { authorization = 'a', Authorization = 'b' }",
            "the headers `Authorization` and `authorization` are the same to HTTP; keep one of them",
        ),
        (
            "headers = { A = \"se\\ncret\" }",
            "the value of the header `A` has a character that HTTP does not allow, such as a line break",
        ),
        (
            "headers = { A = '${B' }",
            "`headers.A`: `${` has no `}`; write `$${` for one that begins no variable",
        ),
        ("headers = ['A: b']", "`headers` takes a table, not a list"),
        ("ca_file = ''", "`ca_file` is empty"),
    ];
    for (line, expected) in cases {
        let error = load(&format!("{server}{line}")).unwrap_err().0;
        let (place, message) = error.split_once(": ").unwrap();
        assert_eq!(message, expected, "{line}");
        assert!(place.starts_with("/c/config.toml:3:"), "{place}");
    }
}

#[test]
fn a_secret_in_a_url_is_not_repeated() {
    let error = load("[servers.x]\nurl = 'ws://ada:secret@x'").unwrap_err();
    assert!(!error.0.contains("secret"), "{error}");
}

#[test]
fn text_that_is_no_toml_has_a_place_too() {
    refused(
        "[servers.x\ncommand = 'x'",
        "/c/config.toml:1:11: unclosed table, expected `]`",
    );
    refused(
        "[servers.x]\ncommand = 'x'\n[servers.x]\n",
        "/c/config.toml:3:10: duplicate key",
    );
}

#[test]
fn only_so_many_mistakes_are_told() {
    let text: String = (0..30).map(|n| format!("key{n} = 1\n")).collect();
    let error = load(&text).unwrap_err().0;
    assert_eq!(error.lines().count(), MISTAKES + 1);
    assert!(error.ends_with("/c/config.toml: and 10 more"), "{error}");
}
