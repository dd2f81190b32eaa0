//! Calls of tools that somebody described by hand, run with the real programs.
//!
//! The model is built here; how KDL becomes it, and what the sandbox itself holds, is
//! tested elsewhere.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use argway_core::catalog::{Catalog, Inherited, Layout, Selection};
use argway_core::model::{
    CommandSpec, Family, Joiner, Kind, Param, Program, Role, RunSpec, Scalar, Secret, Spelling,
    Split, StdinSpec,
};
use argway_core::output::{DataFormat, Ending, Outcome};
use argway_core::policy::{Filesystem, SandboxPolicy};
use argway_serve::bridge::{Bridge, CallError, SandboxSettings, Settings};
use argway_serve::exec::Event;
use common::{alive, runtime, token};
use serde_json::{Map, Value, json};

/// A tool called `tool`, built by chaining.
struct Definition {
    command: String,
    params: Vec<Param>,
    run: RunSpec,
}

fn define(command: impl AsRef<Path>) -> Definition {
    Definition {
        command: command.as_ref().to_str().unwrap().to_owned(),
        params: Vec::new(),
        run: RunSpec::default(),
    }
}

impl Definition {
    fn words(mut self, words: &[&str]) -> Self {
        self.run.words = words.iter().map(|&word| word.to_owned()).collect();
        self
    }

    fn arg(mut self, name: &str, kind: Kind) -> Self {
        self.params.push(Param::positional(name, kind));
        self
    }

    fn flag(mut self, name: &str, long: &str, kind: Kind) -> Self {
        let mut flag = Param::flag(name, kind);
        flag.role = Role::Flag(Spelling {
            long: Some(long.to_owned()),
            joiner: Joiner::Space,
            ..Spelling::default()
        });
        self.params.insert(0, flag);
        self
    }

    fn secret(self, name: &str, secret: Secret) -> Self {
        let mut definition = self.flag(name, &format!("--{name}"), Kind::One(Scalar::String));
        definition.params[0].secret = Some(secret);
        definition
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.run.env.insert(name.to_owned(), value.to_owned());
        self
    }

    fn run(mut self, change: impl FnOnce(&mut RunSpec)) -> Self {
        change(&mut self.run);
        self
    }

    fn bridge(self, settings: Settings) -> Bridge {
        let program = Program {
            name: "tool".to_owned(),
            executable: Some(self.command),
            version: None,
            family: Family::Definition,
            commands: vec![CommandSpec {
                runnable: true,
                params: self.params,
                run: Some(Arc::new(self.run)),
                ..CommandSpec::default()
            }],
        };
        let selection = Selection {
            stdin: vec!["*".to_owned()],
            ..Selection::default()
        };
        let programs = [Arc::new(program)];
        let catalog = Catalog::build(&programs, &selection, Inherited::default()).unwrap();
        Bridge {
            catalog: Arc::new(catalog),
            settings,
        }
    }

    /// Served in `folder`, without a sandbox.
    fn open(self, folder: &Path) -> Bridge {
        let mut settings = settings(folder);
        settings.sandbox.off = true;
        self.bridge(settings)
    }

    /// Served in `folder`, with the sandbox that it says.
    fn guarded(self, folder: &Path) -> Bridge {
        self.bridge(settings(folder))
    }
}

fn settings(folder: &Path) -> Settings {
    Settings {
        layout: Layout::Flat,
        timeout: Duration::from_secs(60),
        operator_timeout: None,
        max_output: 1 << 20,
        max_spill: 1 << 24,
        format: DataFormat::Json,
        json_output: false,
        directory: Some(folder.to_path_buf()),
        sandbox: SandboxSettings::default(),
    }
}

/// The name of the only tool.
fn name(bridge: &Bridge) -> String {
    bridge.catalog.tools()[0].name.clone()
}

fn object(arguments: Value) -> Map<String, Value> {
    match arguments {
        Value::Object(arguments) => arguments,
        other => panic!("{other} is no object"),
    }
}

fn prepare(bridge: &Bridge, arguments: Value) -> argway_serve::bridge::Prepared {
    bridge.prepare(&name(bridge), &object(arguments)).unwrap()
}

/// What the call is refused with, before or when it is run.
fn refusal(bridge: &Bridge, arguments: Value) -> String {
    match try_call(bridge, arguments) {
        Ok(outcome) => panic!("it ran: {outcome:?}"),
        Err(error) => error.to_string(),
    }
}

fn try_call(bridge: &Bridge, arguments: Value) -> Result<Outcome, CallError> {
    let prepared = bridge.prepare(&name(bridge), &object(arguments))?;
    runtime().block_on(bridge.execute(&prepared, std::future::pending(), &mut |_| ()))
}

/// What a call prints that succeeds.
#[track_caller]
fn call(bridge: &Bridge, arguments: Value) -> String {
    let outcome = try_call(bridge, arguments).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        outcome.ending,
        Ending::Exited(0),
        "{}",
        text(&outcome.stderr.head)
    );
    text(&outcome.stdout.head)
}

fn string() -> Kind {
    Kind::One(Scalar::String)
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap();
    (folder, path)
}

#[test]
fn jq_reads_what_the_call_gives_it() {
    let (_folder, path) = folder();
    let bridge = define("jq")
        .arg("filter", string())
        .flag("compact", "--compact-output", Kind::Switch)
        .run(|run| run.stdin = Some(StdinSpec::default()))
        .open(&path);
    let arguments =
        json!({"filter": ".a | map(. + 1)", "compact": true, "stdin": "{\"a\": [1, 2]}"});
    assert_eq!(call(&bridge, arguments), "[2,3]\n");
}

#[test]
fn sqlite3_works_in_its_folder_with_its_own_spellings() {
    let (_folder, path) = folder();
    fs::create_dir(path.join("data")).unwrap();
    let bridge = define("sqlite3")
        .arg("database", Kind::One(Scalar::Path))
        .arg("sql", string())
        .flag("json", "-json", Kind::Switch)
        .run(|run| run.workdir = "data".to_owned())
        .open(&path);
    let sql = "create table t(a); insert into t values (1), (2);";
    call(&bridge, json!({"database": "x.db", "sql": sql}));
    assert!(path.join("data/x.db").exists());
    let rows = call(
        &bridge,
        json!({"database": "x.db", "sql": "select a from t", "json": true}),
    );
    let rows: Value = serde_json::from_str(&rows).unwrap();
    assert_eq!(rows, json!([{"a": 1}, {"a": 2}]));
}

#[test]
fn fixed_words_stand_before_all_others() {
    let (_folder, path) = folder();
    let bridge = define("printf")
        .words(&["%s|", "one"])
        .arg("more", Kind::List(Scalar::String, Split::Words))
        .open(&path);
    assert_eq!(
        call(&bridge, json!({"more": ["two", "a b"]})),
        "one|two|a b|"
    );
}

#[test]
fn the_folder_is_the_definitions_with_links_and_dots_resolved() {
    let (_folder, path) = folder();
    fs::create_dir_all(path.join("one/two")).unwrap();
    fs::write(path.join("file"), "").unwrap();
    symlink(path.join("one/two"), path.join("link")).unwrap();
    let run_in = |workdir: &str| {
        let workdir = workdir.replace("ROOT", path.to_str().unwrap());
        define("/bin/pwd")
            .words(&["-P"])
            .run(|run| run.workdir = workdir)
            .open(&path)
    };
    for (workdir, expected) in [
        (".", ""),
        ("one/two", "/one/two"),
        ("one/two/..", "/one"),
        ("link/..", "/one"),
        ("ROOT/one", "/one"),
    ] {
        let expected = format!("{}{expected}\n", path.display());
        assert_eq!(call(&run_in(workdir), json!({})), expected, "{workdir}");
    }
    let refused = |workdir| refusal(&run_in(workdir), json!({}));
    let start = format!("the folder to run in, {}", path.display());
    assert_eq!(refused("three"), format!("{start}/three, does not exist"));
    assert_eq!(refused("file"), format!("{start}/file, is not a folder"));
}

#[test]
fn variables_are_set_as_written_or_expanded() {
    let (_folder, path) = folder();
    let tool = || {
        define("/bin/sh")
            .words(&["-c", "printf '%s' \"$OWN\""])
            .env("OWN", "[$PATH]")
    };
    assert_eq!(call(&tool().open(&path), json!({})), "[$PATH]");
    let expanded = call(
        &tool().run(|run| run.expand_env = true).open(&path),
        json!({}),
    );
    assert_eq!(expanded, format!("[{}]", std::env::var("PATH").unwrap()));
    let unset = tool()
        .env("OTHER", "$ARGWAY_IS_NOT_SET")
        .run(|run| run.expand_env = true)
        .open(&path);
    assert_eq!(
        refusal(&unset, json!({})),
        "ARGWAY_IS_NOT_SET is not set in the server's environment, and the definition's `env` needs it"
    );
    let loads = tool().env("LD_PRELOAD", "/x.so").open(&path);
    assert_eq!(
        refusal(&loads, json!({})),
        "the variable LD_PRELOAD is not given to any tool: it makes programs load code"
    );
}

#[test]
fn values_cannot_break_out_of_a_shell_line() {
    let (_folder, path) = folder();
    let bridge = define("printf '%s\\0'")
        .arg("values", Kind::List(Scalar::String, Split::Words))
        .run(|run| run.shell = true)
        .open(&path);
    let values = [
        "; touch broken",
        "$(touch broken)",
        "`touch broken`",
        "' ; touch broken ; '",
        "'\"'\"'; touch broken #",
        "\" ; touch broken ; \"",
        "| touch broken",
        "& touch broken &",
        "> broken",
        "\ntouch broken\n",
        "\\'; touch broken; \\'",
        "${IFS}touch${IFS}broken",
        "$'\\x27; touch broken; \\x27'",
        "* ? ~ [a-z] {a,b} !x",
        "%s%n %d \\0",
        "",
        " ",
        "ünï'cödé",
        "\u{2018}; touch broken\u{2019}",
        "# comment",
        "\r\n\t\x0b\x07",
    ];
    let printed = call(&bridge, json!({ "values": values }));
    let read: Vec<&str> = printed.split_terminator('\0').collect();
    assert_eq!(read, values);
    let left: Vec<_> = fs::read_dir(&path).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    let one = prepare(&bridge, json!({"values": ["it's"]}));
    assert_eq!(
        one.shell_line(),
        format!(
            r"cd {} && /bin/sh -c 'printf '\''%s\0'\'' '\''it'\''\'\'''\''s'\'''",
            path.display()
        )
    );
}

#[test]
fn a_shell_line_is_a_line() {
    let (_folder, path) = folder();
    let bridge = define("echo one; echo two | tr a-z A-Z")
        .run(|run| run.shell = true)
        .open(&path);
    assert_eq!(call(&bridge, json!({})), "one\nTWO\n");
}

#[test]
fn a_secret_reaches_the_program_and_nobody_else() {
    let (_folder, path) = folder();
    let script =
        r#"printf '%s' "$TOKEN"; echo "using $TOKEN" >&2; tr '\0' ' ' </proc/$$/cmdline >&2"#;
    let bridge = define("/bin/sh")
        .words(&["-c", script])
        .env("PLAIN", "a b")
        .secret("token", Secret::Environment("TOKEN".to_owned()))
        .open(&path);
    let arguments = json!({"token": "hunter2"});
    let prepared = prepare(&bridge, arguments.clone());
    let line = prepared.shell_line();
    let start = format!("cd {} && PLAIN='a b' TOKEN=*** /bin/sh -c ", path.display());
    assert!(line.starts_with(&start), "{line}");
    let shown = format!("{prepared:?} {prepared:#?} {line}");
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(!prepared.words.iter().any(|word| word == "hunter2"));

    let mut told = Vec::new();
    let mut tell = |event| told.push(event);
    let run = bridge.execute(&prepared, std::future::pending(), &mut tell);
    let outcome = runtime().block_on(run).unwrap();
    assert_eq!(outcome.stdout.head, b"hunter2");
    let lines: Vec<&str> = told
        .iter()
        .filter_map(|event| match event {
            Event::StderrLine(line) => Some(line.as_str()),
            Event::Stdout(_) => None,
        })
        .collect();
    assert_eq!(lines[0], "using ***");
    assert!(!lines.concat().contains("hunter2"), "{lines:?}");
    // Its own command line, as every process of the machine can read it.
    assert!(!lines[1].contains("***"), "{lines:?}");
}

#[test]
fn a_secret_can_be_what_the_program_reads() {
    let (_folder, path) = folder();
    let bridge = define("/bin/cat").secret("key", Secret::Stdin).open(&path);
    let arguments = json!({"key": "hunter2\n"});
    let prepared = prepare(&bridge, arguments.clone());
    let shown = format!("{prepared:?} {}", prepared.shell_line());
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(prepared.shell_line().ends_with("/bin/cat < ***"));
    assert_eq!(call(&bridge, arguments), "hunter2\n");
}

#[test]
fn paths_must_stay_where_the_sandbox_reaches() {
    let (_folder, root) = folder();
    let path = root.join("work");
    fs::create_dir(&path).unwrap();
    fs::write(root.join("secret"), "").unwrap();
    symlink("../secret", path.join("link")).unwrap();
    let tool = |filesystem| {
        define("/bin/cat")
            .arg("file", Kind::List(Scalar::Path, Split::Words))
            .run(|run| {
                run.sandbox = SandboxPolicy {
                    filesystem,
                    ..SandboxPolicy::default()
                }
            })
    };
    let guarded = tool(Filesystem::Cwd).guarded(&path);
    for fine in ["new", "./a/../b", path.join("x").to_str().unwrap()] {
        let prepared = prepare(&guarded, json!({ "file": [fine] }));
        assert_eq!(prepared.directory.as_deref(), Some(path.as_path()));
    }
    let outside = root.join("secret");
    for bad in ["../secret", "link", outside.to_str().unwrap()] {
        let refused = refusal(&guarded, json!({ "file": ["fine", bad] }));
        let expected = format!(
            "`file` cannot be {bad:?}: it leads to {}, out of the sandbox's reach; this tool reaches {}",
            outside.display(),
            path.display()
        );
        assert_eq!(refused, expected);
    }
    prepare(
        &tool(Filesystem::Full).guarded(&path),
        json!({"file": ["../secret"]}),
    );
    // The operator's choice of no sandbox leaves nothing to stay in.
    let open = tool(Filesystem::Cwd).open(&path);
    assert_eq!(call(&open, json!({"file": ["../secret"]})), "");
}

#[test]
fn a_command_that_cannot_be_run_says_why_when_it_is_called() {
    let (_folder, path) = folder();
    let program = path.join("program");
    let write = |mode| {
        fs::write(&program, "#!/bin/sh\necho fine\n").unwrap();
        fs::set_permissions(&program, PermissionsExt::from_mode(mode)).unwrap();
    };
    let bridge = |command: &Path| define(command).open(&path);
    let shown = program.display();
    write(0o755);
    let defined = bridge(&program);
    fs::remove_file(&program).unwrap();
    assert_eq!(
        refusal(&defined, json!({})),
        format!("{shown} does not exist")
    );
    write(0o644);
    assert_eq!(
        refusal(&defined, json!({})),
        format!("{shown} is not executable")
    );
    assert_eq!(
        refusal(&bridge(&path), json!({})),
        format!("{} is a folder", path.display())
    );
    let relative = refusal(&bridge(Path::new("./program")), json!({}));
    assert!(relative.starts_with("`./program` is not a command for a definition"));
    let missing = refusal(&bridge(Path::new("no-such-command")), json!({}));
    assert!(missing.starts_with("no program is called `no-such-command`; looked in "));
}

#[test]
fn what_is_too_long_is_refused_before_it_is_run() {
    let (_folder, path) = folder();
    let long = "x".repeat(200_000);
    let word = define("/bin/true").arg("word", string()).open(&path);
    let secret = define("/bin/true")
        .secret("token", Secret::Environment("TOKEN".to_owned()))
        .open(&path);
    for (bridge, argument) in [(word, "word"), (secret, "token")] {
        let mut arguments = Map::new();
        arguments.insert(argument.to_owned(), json!(long));
        let refused = refusal(&bridge, Value::Object(arguments));
        assert!(refused.contains("the system takes at most"), "{refused}");
    }
    let mut full = define("/bin/true");
    for number in 0..25 {
        full = full.env(&format!("V{number}"), &"x".repeat(100_000));
    }
    let refused = refusal(&full.open(&path), json!({}));
    assert!(refused.contains("with its environment"), "{refused}");
}

#[test]
fn the_definitions_timeout_ends_everything() {
    let (_folder, path) = folder();
    let token = token();
    let script = r#"setsid sh -c 'while :; do sleep 0.05; done' sh "$1" & wait"#;
    let bridge = define("/bin/sh")
        .words(&["-c", script, "sh", &token])
        .run(|run| run.timeout_ms = 300)
        .open(&path);
    let outcome = try_call(&bridge, json!({})).unwrap();
    assert_eq!(outcome.ending, Ending::TimedOut(Duration::from_millis(300)));
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[test]
fn a_call_that_is_taken_back_ends() {
    let (_folder, path) = folder();
    let token = token();
    let bridge = define("/bin/sh")
        .words(&["-c", "sleep 600; :", "sh", &token])
        .open(&path);
    let prepared = prepare(&bridge, json!({}));
    let started = async {
        while alive(&token).is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let outcome = runtime()
        .block_on(bridge.execute(&prepared, started, &mut |_| ()))
        .unwrap();
    assert_eq!(outcome.ending, Ending::Cancelled);
    assert_eq!(alive(&token), Vec::<String>::new());
}
