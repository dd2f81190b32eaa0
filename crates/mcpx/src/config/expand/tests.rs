//! What a server becomes for a caller, and who shares one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::super::testing::Home;
use super::super::{Config, Settings};
use super::*;

/// The server `x` of a file, for a caller in `~/work`.
fn expand(home: &Home, file: &str) -> Result<Target, String> {
    home.write(".config/mcpx/config.toml", file);
    let folder = home.folder("work");
    let config = Config::load(&home.places, &home.environment, &folder).unwrap();
    let target = config.servers["x"].expand(&home.places, &home.environment, &folder);
    target.map_err(|error| home.short(&error.to_string()))
}

fn program(home: &Home, path: &str) -> PathBuf {
    let path = home.write(path, "#!/bin/sh\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_program_is_found_by_the_callers_path_and_gets_its_environment() {
    let mut home = Home::new().with("TOKEN", "t").with("PWD", "/elsewhere");
    let found = program(&home, "bin/tool");
    home.environment.0[0].1 = home.folder("bin").into();
    let target = expand(
        &home,
        "[servers.x]\ncommand = 'tool'\nargs = ['a ${TOKEN}', '$']\nenv = { KEY = '${TOKEN}' }\nconnect_timeout = 7",
    )
    .unwrap();
    let folder = home.folder("work");
    let text = |text: &str| OsString::from(text);
    assert_eq!(
        target.endpoint,
        Endpoint::Stdio {
            program: found,
            args: vec!["a t".into(), "$".into()],
            environment: vec![
                (text("PATH"), home.folder("bin").into()),
                (text("TOKEN"), text("t")),
                (text("PWD"), folder.clone().into()),
                (text("KEY"), text("t")),
            ],
            folder,
        }
    );
    assert_eq!(target.name, "x");
    assert_eq!(target.connect_timeout.as_secs(), 7);
    assert_eq!(target.identity.len(), 32);
    assert_eq!(
        target.log,
        home.places
            .state
            .join(format!("logs/x-{}.log", target.identity))
    );
}

#[test]
fn configured_variables_replace_the_callers() {
    let home = Home::new().with("KEY", "caller's");
    let target = expand(&home, "[servers.x]\ncommand = 'sh'\nenv = { KEY = 'mine' }").unwrap();
    let Endpoint::Stdio { environment, .. } = target.endpoint else {
        panic!("not run");
    };
    let keys: Vec<_> = environment
        .iter()
        .filter(|(name, _)| name == "KEY")
        .collect();
    assert_eq!(keys, [&("KEY".into(), "mine".into())]);
}

#[test]
fn relative_paths_are_relative_to_the_file() {
    let home = Home::new();
    let found = program(&home, ".config/mcpx/tools/run");
    home.folder(".config/mcpx/data");
    let target = expand(&home, "[servers.x]\ncommand = './tools/run'\ncwd = 'data'").unwrap();
    let Endpoint::Stdio {
        program, folder, ..
    } = target.endpoint
    else {
        panic!("not run");
    };
    assert_eq!(program, found);
    assert_eq!(folder, home.folder(".config/mcpx/data"));
}

#[test]
fn a_tilde_is_the_home_folder() {
    let home = Home::new();
    let found = program(&home, "tools/run");
    let target = expand(&home, "[servers.x]\ncommand = '~/tools/run'\ncwd = '~'").unwrap();
    let Endpoint::Stdio {
        program, folder, ..
    } = target.endpoint
    else {
        panic!("not run");
    };
    assert_eq!((program, folder), (found, home.places.home.clone()));
}

#[test]
fn a_direct_command_is_relative_to_the_caller() {
    let home = Home::new();
    let found = program(&home, "work/server");
    let folder = home.folder("work");
    let entry = ServerEntry::direct("./server --flag 'a b'")
        .unwrap()
        .unwrap();
    let target = entry
        .expand(&home.places, &home.environment, &folder)
        .unwrap();
    let Endpoint::Stdio { program, args, .. } = target.endpoint else {
        panic!("not run");
    };
    assert_eq!(
        (program, args),
        (found, vec!["--flag".into(), "a b".into()])
    );
    let log = target.log.file_name().unwrap().to_str().unwrap();
    assert!(log.starts_with("__server_--flag__a_b_-"), "{log}");
}

#[test]
fn a_configured_path_is_where_the_command_is_looked_for() {
    let home = Home::new();
    let found = program(&home, "other/tool");
    let file = "[servers.x]\ncommand = 'tool'\nenv = { PATH = '${HOME}/other:/bin' }";
    let home_path = home.places.home.to_str().unwrap().to_owned();
    let home = home.with("HOME", &home_path);
    let Endpoint::Stdio { program, .. } = expand(&home, file).unwrap().endpoint else {
        panic!("not run");
    };
    assert_eq!(program, found);
}

#[test]
fn what_cannot_be_used_is_told_with_the_server_and_the_key() {
    let home = Home::new();
    home.write("work/plain", "");
    home.folder("work/sub");
    let cases = [
        (
            "command = 'x'\nenv = { T = '${TOKEN}' }",
            "the server `x`: `env.T`: the variable `TOKEN` is not set",
        ),
        (
            "command = 'sh'\nargs = ['${TOKEN}']",
            "the server `x`: `args`: the variable `TOKEN` is not set",
        ),
        (
            "url = 'https://${HOST}/'",
            "the server `x`: `url`: the variable `HOST` is not set",
        ),
        (
            "url = 'https://x'\nheaders = { A = 'Bearer ${TOKEN}' }",
            "the server `x`: `headers.A`: the variable `TOKEN` is not set",
        ),
        (
            "command = 'no-such-command'",
            "the server `x`: the command `no-such-command` is not in PATH; install it, or give its whole path",
        ),
        (
            "command = '~/work/none'",
            "the server `x`: the command `~/work/none` cannot be run: ~/work/none is not there",
        ),
        (
            "command = '~/work/plain'",
            "the server `x`: the command `~/work/plain` cannot be run: ~/work/plain is not executable (chmod +x)",
        ),
        (
            "command = '~/work/sub'",
            "the server `x`: the command `~/work/sub` cannot be run: ~/work/sub is a folder",
        ),
        (
            "command = '${EMPTY:-}'",
            "the server `x`: `command` is empty",
        ),
        (
            "command = 'sh'\ncwd = '~/none'",
            "the server `x`: `cwd` is ~/none, which is no folder",
        ),
        (
            "url = 'https://x'\nca_file = '/none.pem'",
            "the server `x`: `ca_file` is /none.pem, which is no file",
        ),
        (
            "url = '${PATH}'",
            "the server `x`: `url` is no URL; it begins with `https://` or `http://`, for example `https://example.com/mcp`",
        ),
    ];
    for (lines, expected) in cases {
        let error = expand(&home, &format!("[servers.x]\n{lines}")).unwrap_err();
        assert_eq!(error, expected, "{lines}");
    }
}

#[test]
fn a_variable_that_breaks_a_header_is_refused_without_its_value() {
    let home = Home::new().with("TOKEN", "secret\nX-Other: y");
    let error = expand(
        &home,
        "[servers.x]\nurl = 'https://x'\nheaders = { A = '${TOKEN}' }",
    );
    assert_eq!(
        error.unwrap_err(),
        "the server `x`: the value of the header `A` has a character that HTTP does not allow, such as a line break"
    );
}

#[test]
fn a_missing_variable_costs_only_its_own_server() {
    let home = Home::new();
    home.write(
        ".config/mcpx/config.toml",
        "[servers.x]\nurl = '${NONE}'\n[servers.y]\ncommand = 'sh'",
    );
    let folder = home.folder("work");
    let config = Config::load(&home.places, &home.environment, &folder).unwrap();
    let ready = |name: &str| {
        let entry = &config.servers[name];
        entry
            .expand(&home.places, &home.environment, &folder)
            .is_ok()
    };
    assert!(!ready("x"));
    assert!(ready("y"));
}

#[test]
fn proxies_are_the_callers() {
    let home = Home::new()
        .with("HTTP_PROXY", "http://from-a-request")
        .with("HTTPS_PROXY", "http://upper")
        .with("https_proxy", "http://lower")
        .with("ALL_PROXY", "")
        .with("NO_PROXY", "localhost");
    let target = expand(&home, "[servers.x]\nurl = 'https://x/'").unwrap();
    let Endpoint::Http { proxies, .. } = target.endpoint else {
        panic!("not connected to");
    };
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        proxies,
        [
            pair("https_proxy", "http://lower"),
            pair("no_proxy", "localhost")
        ]
    );
}

/// The identity of a server for a caller with these variables, in this folder.
fn identity(endpoint: &EndpointText, variables: &[(&str, &str)], folder: &str) -> String {
    let home = Home::new();
    let mut environment = Environment(vec![("PATH".into(), "/bin".into())]);
    for (name, value) in variables {
        environment.0.push((name.into(), value.into()));
    }
    let entry = ServerEntry {
        name: "x".into(),
        origin: None,
        scope: Scope::Direct,
        endpoint: endpoint.clone(),
        settings: Settings::default(),
    };
    let target = entry.expand(&home.places, &environment, Path::new(folder));
    target.unwrap().identity
}

fn run(args: &[&str], env: &[(&str, &str)]) -> EndpointText {
    let own = |text: &&str| (*text).to_owned();
    EndpointText::Stdio {
        command: "sh".into(),
        args: args.iter().map(own).collect(),
        env: env
            .iter()
            .map(|(name, value)| (own(name), own(value)))
            .collect(),
        cwd: None,
    }
}

fn connect(url: &str, headers: &[(&str, &str)]) -> EndpointText {
    let own = |text: &&str| (*text).to_owned();
    EndpointText::Http {
        url: url.into(),
        headers: headers
            .iter()
            .map(|(name, value)| (own(name), own(value)))
            .collect(),
        ca_file: None,
    }
}

#[test]
fn incidental_variables_do_not_make_another_server() {
    let server = run(&[], &[("T", "${TOKEN}")]);
    let one = identity(&server, &[("TOKEN", "t"), ("SHLVL", "1")], "/");
    let two = identity(
        &server,
        &[("SHLVL", "2"), ("WINDOWID", "7"), ("TOKEN", "t")],
        "/",
    );
    assert_eq!(one, two);
    // Stable from one daemon to the next: the cache on disk depends on it.
    assert_eq!(one, identity(&server, &[("TOKEN", "t")], "/"));
}

#[test]
fn tokens_folders_and_words_make_another_server() {
    let server = run(&["a", "b"], &[("T", "${TOKEN:-none}")]);
    let one = identity(&server, &[("TOKEN", "1")], "/");
    let others = [
        identity(&server, &[("TOKEN", "2")], "/"),
        identity(&server, &[], "/"),
        identity(&server, &[("TOKEN", "1")], "/usr"),
        identity(&run(&["ab"], &[("T", "1")]), &[], "/"),
        identity(&run(&["a", "b"], &[("T", "2")]), &[], "/"),
        identity(&run(&["a", "b"], &[("TT", "1")]), &[], "/"),
        identity(&connect("http://x", &[]), &[], "/"),
        identity(
            &connect("http://x", &[]),
            &[("http_proxy", "http://p")],
            "/",
        ),
        identity(&connect("http://x", &[]), &[], "/usr"),
        identity(&connect("http://x", &[("A", "1")]), &[], "/"),
        identity(&connect("http://x", &[("A", "2")]), &[], "/"),
        identity(&connect("http://y", &[]), &[], "/"),
    ];
    let mut all: Vec<&String> = others.iter().chain([&one]).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), others.len() + 1);
}

#[test]
fn logs_are_named_without_what_a_url_may_hide() {
    assert_eq!(
        file_name("https://example.com/mcp?key=secret"),
        "example_com_mcp"
    );
    assert_eq!(file_name("../../etc"), "______etc");
    assert_eq!(file_name(&"x".repeat(300)).len(), 40);
}

#[test]
fn two_tokens_never_share_a_server_though_nothing_names_them() {
    let server = run(&["a"], &[]);
    let identity = |name: &str, value: &str| identity(&server, &[(name, value)], "/");
    for name in [
        "GITHUB_TOKEN",
        "OPENAI_API_KEY",
        "aws_secret_access_key",
        "AWS_PROFILE",
        "KUBECONFIG",
    ] {
        assert_ne!(identity(name, "a"), identity(name, "b"), "{name}");
        assert_eq!(identity(name, "a"), identity(name, "a"), "{name}");
    }
    for name in [
        "SHLVL",
        "TERM_SESSION_ID",
        "SSH_AUTH_SOCK",
        "ITERM_PROFILE",
        "WINDOWID",
    ] {
        assert_eq!(identity(name, "a"), identity(name, "b"), "{name}");
    }
}
