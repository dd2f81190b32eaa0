//! Real MCP servers from npm and PyPI, used as a person would from a shell.
//! `scripts/servers` installs them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use snapbox::str;
use world::World;

#[track_caller]
fn installed(name: &str) -> PathBuf {
    let folder = std::env::var_os("MCPX_SERVERS").map(PathBuf::from);
    let path = folder.map(|folder| folder.join(name));
    path.filter(|path| path.exists()).unwrap_or_else(|| {
        panic!("{name} is not here: run ./scripts/test, which installs it and sets MCPX_SERVERS")
    })
}

#[track_caller]
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The lines of a text in which `part` is: `| grep part`.
fn grep<'a>(text: &'a str, part: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.contains(part)).collect()
}

/// The one line that a command printed, which names a file.
#[track_caller]
fn file_in(text: &str) -> PathBuf {
    let mut paths = text
        .lines()
        .map(Path::new)
        .filter(|path| path.is_absolute());
    let path = paths.next().unwrap_or_else(|| panic!("no file in {text}"));
    assert_eq!(paths.next(), None, "{text}");
    assert_eq!(world::mode(path), 0o600);
    assert_eq!(world::mode(path.parent().unwrap()), 0o700);
    path.to_owned()
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

fn everything() -> World {
    World::new().server("everything", installed("mcp-server-everything"), &[])
}

/// What the everything server does, whatever it is reached by.
#[track_caller]
fn use_everything(world: &World) {
    let listed = world.stdout(["everything"]);
    assert!(!grep(&listed, "get-sum").is_empty(), "{listed}");
    world
        .mcpx(["everything", "echo", "--message=hi there"])
        .success()
        .stdout_eq(str!["Echo: hi there"])
        .stderr_eq(str![""]);
    world
        .mcpx(["everything", "get-sum", "--a=2", "--b=-0.5"])
        .success()
        .stdout_eq(str!["The sum of 2 and -0.5 is 1.5."]);
    world
        .mcpx(["everything", "get-sum", r#"{"a": 1, "b": 2}"#])
        .success()
        .stdout_eq(str!["The sum of 1 and 2 is 3."]);
    let weather = world.stdout(["everything", "get-structured-content", "--location=Chicago"]);
    assert_eq!(json(&weather)["conditions"], "Light rain / drizzle");
    assert!(weather.ends_with("}\n"), "{weather}");

    let said = world.stdout(["everything", "get-tiny-image"]);
    let image = file_in(&said);
    assert_eq!(image.extension().unwrap(), "png");
    assert!(std::fs::read(&image).unwrap().starts_with(PNG));
    assert_eq!(grep(&said, "image you requested").len(), 1, "{said}");
}

#[test]
fn everything_over_stdio() {
    let world = everything();
    use_everything(&world);

    let links = world.stdout(["everything", "get-resource-links", "--count=2"]);
    let links = grep(&links, "demo://");
    let expected = [
        "demo://resource/dynamic/blob/1",
        "demo://resource/dynamic/text/2",
    ];
    assert_eq!(links, expected);

    let said = world.stdout([
        "everything",
        "get-resource-reference",
        "--resourceType=Text",
    ]);
    let resource = std::fs::read_to_string(file_in(&said)).unwrap();
    assert!(resource.starts_with("Resource 1: "), "{resource}");
}

#[test]
fn everything_that_is_called_wrong() {
    let world = everything();
    let usage = |words: &[&str], part: &str| {
        let output = world.mcpx(words).code(2).stdout_eq(str![""]);
        let said = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(said.contains(part), "{words:?}: {said}");
    };
    usage(&["everything", "no-such-tool"], "no-such-tool");
    usage(&["everything", "echo", "--mesage=x"], "--message");
    usage(&["everything", "get-sum", "--a=two", "--b=1"], "two");
    usage(
        &["everything", "get-structured-content", "--location=Paris"],
        "Chicago",
    );
    let missing = world.mcpx(["everything", "get-sum"]).code(2);
    let said = String::from_utf8_lossy(&missing.get_output().stderr).into_owned();
    assert!(said.contains("--a") && said.contains("--b"), "{said}");
}

#[test]
fn everything_has_help() {
    let world = everything();
    let help = world.stdout(["everything", "get-structured-content", "--help"]);
    for part in [
        "NAME",
        "SYNOPSIS",
        "OPTIONS",
        "--location",
        "OUTPUT",
        "temperature",
    ] {
        assert!(help.contains(part), "{part} is not in\n{help}");
    }
    let help = world.stdout(["everything", "echo", "--help"]);
    assert!(help.contains("not declared by server"), "{help}");
}

/// A child process, ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn everything_over_streamable_http() {
    let program = installed("mcp-server-everything");
    let world = World::new();
    let port = {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        free.local_addr().unwrap().port()
    };
    let loopback = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../conformance/servers/loopback.cjs")
        .canonicalize()
        .unwrap();
    let _server = Running(
        Command::new(program)
            .arg("streamableHttp")
            .env_clear()
            .envs(world.environment())
            .env("PORT", port.to_string())
            .env("NODE_OPTIONS", format!("--require={}", loopback.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let answers = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok();
    assert!(
        world::wait(Duration::from_secs(60), answers),
        "it does not listen"
    );
    let url = format!("http://127.0.0.1:{port}/mcp");
    world.config(&format!("[servers.everything]\nurl = \"{url}\"\n"));
    use_everything(&world);
    // The URL itself is as good as a name.
    world
        .mcpx([url.as_str(), "echo", "--message=direct"])
        .success()
        .stdout_eq(str!["Echo: direct"]);
    world.end_now();
}

#[test]
fn filesystem() {
    let world = World::new();
    let notes = world.file("notes.md", "first\ninstall it so\n  last: é\n");
    let picture = world.file("pictures/dot.png", [PNG, &[0; 20]].concat());
    let empty = world.file("empty", "");
    let folder = world.path("work");
    let folder = folder.to_str().unwrap();
    let world = world.server("filesystem", installed("mcp-server-filesystem"), &[folder]);

    let path = format!("--path={}", notes.display());
    let text = world.stdout(["filesystem", "read_text_file", &path]);
    assert_eq!(text, "first\ninstall it so\n  last: é\n");
    assert_eq!(grep(&text, "install"), ["install it so"]);
    let head = world.stdout(["filesystem", "read_text_file", &path, "--head=1"]);
    assert_eq!(head.trim_end(), "first");
    let path = format!("--path={}", empty.display());
    assert_eq!(world.stdout(["filesystem", "read_text_file", &path]), "");

    let listed = world.stdout(["filesystem", "list_directory", &format!("--path={folder}")]);
    let mut lines: Vec<&str> = listed.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["[DIR] pictures", "[FILE] empty", "[FILE] notes.md"]);

    let path = format!("--path={}", picture.display());
    let copy = file_in(&world.stdout(["filesystem", "read_media_file", &path]));
    assert_eq!(copy.extension().unwrap(), "png");
    assert_eq!(
        std::fs::read(copy).unwrap(),
        std::fs::read(picture).unwrap()
    );

    let written = format!("--path={folder}/written.txt");
    let content = "--content=a \"quoted\" text,\nwith $PATH and 'more'";
    world
        .mcpx(["filesystem", "write_file", &written, content])
        .success();
    let text = std::fs::read_to_string(world.path("work/written.txt")).unwrap();
    assert_eq!(text, &content["--content=".len()..]);

    let nothing = format!("--path={folder}/nothing");
    let output = world.mcpx(["filesystem", "read_text_file", &nothing]);
    let output = output.code(1).stdout_eq(str![""]);
    let said = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(said.contains("ENOENT") && said.ends_with('\n'), "{said}");
    world
        .mcpx(["filesystem", "read_text_file", &nothing, "-q"])
        .code(1)
        .stderr_eq(str![""]);

    // Arguments may come as JSON on stdin.
    let arguments = json!({"path": notes.to_str().unwrap()}).to_string();
    let read = world
        .call(["filesystem", "read_text_file"])
        .stdin(arguments);
    read.assert()
        .success()
        .stdout_eq("first\ninstall it so\n  last: é\n");
}

#[test]
fn memory() {
    let world = World::new();
    let memory = world.path("memory.jsonl");
    world.config(&format!(
        "[servers.memory]\ncommand = {:?}\nenv = {{ MEMORY_FILE_PATH = \"${{WHERE}}\" }}\n",
        installed("mcp-server-memory").to_str().unwrap()
    ));
    let run = |words: &[&str]| {
        let output = world.call(words).env("WHERE", &memory).assert().success();
        json(&String::from_utf8(output.get_output().stdout.clone()).unwrap())
    };
    let ada = r#"{"name": "Ada", "entityType": "person", "observations": ["likes engines, \"big\" ones"]}"#;
    let bob = r#"{"name": "Bob", "entityType": "person", "observations": []}"#;
    let ada = format!("--entities={ada}");
    let bob = format!("--entities={bob}");
    let made = run(&["memory", "create_entities", &ada, &bob]);
    assert_eq!(made["entities"][1]["name"], "Bob");
    let all = run(&["memory", "read_graph"]);
    let said = &all["entities"][0]["observations"][0];
    assert_eq!(said, "likes engines, \"big\" ones");
    let one = run(&["memory", "open_nodes", "--names=Bob"]);
    assert_eq!(one["entities"].as_array().unwrap().len(), 1);
    assert!(memory.exists());

    let unset = world.mcpx(["memory", "read_graph"]).code(2);
    let said = String::from_utf8_lossy(&unset.get_output().stderr).into_owned();
    assert!(said.contains("WHERE"), "{said}");
}

#[test]
fn time() {
    let world = World::new().server("time", installed("mcp-server-time"), &[]);
    let words = [
        "time",
        "convert_time",
        "--source_timezone=Asia/Kolkata",
        "--time=12:30",
        "--target_timezone=Asia/Tokyo",
    ];
    let converted = json(&world.stdout(words));
    assert_eq!(converted["time_difference"], "+3.5h");
    let wrong = world.mcpx(["time", "get_current_time", "--timezone=Mars/Base"]);
    let wrong = wrong.code(1).stdout_eq(str![""]);
    let said = String::from_utf8_lossy(&wrong.get_output().stderr).into_owned();
    assert!(said.contains("Mars/Base"), "{said}");
}

#[test]
fn git() {
    let world = World::new().server("git", installed("mcp-server-git"), &[]);
    let repository = world.path("work/repository");
    let repo = repository.to_str().unwrap();
    world.file("repository/a.txt", "one\n");
    let git = |words: &[&str]| {
        let git = world.run("git").args(["-C", repo]).args(words);
        let git = git
            .env("GIT_AUTHOR_NAME", "A")
            .env("GIT_AUTHOR_EMAIL", "a@example.org");
        let git = git
            .env("GIT_COMMITTER_NAME", "A")
            .env("GIT_COMMITTER_EMAIL", "a@example.org");
        git.assert().success();
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["config", "user.name", "A"]);
    git(&["config", "user.email", "a@example.org"]);

    let repo_path = format!("--repo_path={repo}");
    let status = world.stdout(["git", "git_status", &repo_path]);
    assert_eq!(grep(&status, "a.txt").len(), 1, "{status}");
    world
        .mcpx(["git", "git_add", &repo_path, "--files=a.txt"])
        .success();
    let message = "--message=It begins: \"é\", and so on";
    world
        .mcpx(["git", "git_commit", &repo_path, message])
        .success();
    let log = world.stdout(["git", "git_log", &repo_path, "--max_count=1"]);
    assert_eq!(grep(&log, "It begins: \"é\", and so on").len(), 1, "{log}");
    let diff = world.stdout(["git", "git_show", &repo_path, "--revision=HEAD"]);
    assert_eq!(grep(&diff, "+one").len(), 1, "{diff}");
    let nowhere = format!("--repo_path={repo}/nowhere");
    world
        .mcpx(["git", "git_log", &nowhere])
        .code(1)
        .stdout_eq(str![""]);
}

#[test]
fn sqlite() {
    let world = World::new();
    let database = world.path("work/data.db");
    let words = ["--db-path", database.to_str().unwrap()];
    let world = world.server("sqlite", installed("mcp-server-sqlite"), &words);
    let table = "--query=CREATE TABLE numbers (big INTEGER, name TEXT)";
    world
        .mcpx(["sqlite", "create_table", table])
        .success()
        .stdout_eq(str!["Table created successfully"]);
    let insert = "--query=INSERT INTO numbers VALUES (9223372036854775807, 'it''s, \"so\"')";
    world.mcpx(["sqlite", "write_query", insert]).success();
    let select = "--query=SELECT * FROM numbers";
    let rows = world.stdout(["sqlite", "read_query", select]);
    assert!(rows.contains("9223372036854775807"), "{rows}");
    assert!(rows.contains("so\"") && rows.contains("it"), "{rows}");
    let tables = world.stdout(["sqlite", "list_tables"]);
    assert_eq!(grep(&tables, "numbers").len(), 1, "{tables}");
}

#[test]
fn several_at_once_in_one_daemon() {
    let world = World::new()
        .server("everything", installed("mcp-server-everything"), &[])
        .server("memory", installed("mcp-server-memory"), &[])
        .server("time", installed("mcp-server-time"), &[]);
    let listed = world.stdout(std::iter::empty::<&str>());
    for name in ["everything", "memory", "time"] {
        assert!(!grep(&listed, name).is_empty(), "{listed}");
    }
    std::thread::scope(|scope| {
        for number in 0..8 {
            let world = &world;
            scope.spawn(move || {
                let message = format!("--message={number}");
                let said = world.stdout(["everything", "echo", &message]);
                assert_eq!(said, format!("Echo: {number}"));
                let zone = ["time", "get_current_time", "--timezone=Asia/Tokyo"];
                assert_eq!(json(&world.stdout(zone))["timezone"], "Asia/Tokyo");
            });
        }
    });
    let daemons = world.running();
    let daemons = daemons.iter().filter(|line| line.contains("mcpxd"));
    assert_eq!(daemons.count(), 1);
}
