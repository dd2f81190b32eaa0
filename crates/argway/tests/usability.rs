//! Ordinary programs work under the default sandbox, in both tiers, for root and for an
//! ordinary user; and so do the example definitions with the real programs.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod ground;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, thread};

use ground::{Ground, Tier, Who, all_hold, copy, finish};
use serde_json::{Value, json};

const AT_A_TIME: usize = 3;

/// One line of a program, and what it must print.
struct Use {
    program: &'static str,
    words: &'static [&'static str],
    prints: &'static str,
    /// Why the portable tier cannot do it, where it cannot.
    not_portable: Option<&'static str>,
    /// Tried only where it is installed.
    optional: bool,
}

const fn line(program: &'static str, words: &'static [&'static str], prints: &'static str) -> Use {
    Use {
        program,
        words,
        prints,
        not_portable: None,
        optional: false,
    }
}

impl Use {
    const fn not_portable(mut self, why: &'static str) -> Self {
        self.not_portable = Some(why);
        self
    }

    const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }
}

const USES: &[Use] = &[
    line("jq", &[".name", "data.json"], "argway"),
    line("rg", &["alpha"], "text.txt"),
    line("rg", &["-n", "beta", "text.txt"], "2:beta"),
    line("git", &["status", "--short"], "?? data.json"),
    line("git", &["log", "--oneline"], "first words"),
    line("git", &["show", "--stat"], "README"),
    line(
        "bash",
        &[
            "-c",
            "git add text.txt && git commit -qm second && git log --oneline | wc -l",
        ],
        "2",
    ),
    line("bash", &["-c", "git clone -q . copy && ls copy"], "README"),
    line(
        "bash",
        &["-c", "git stash list; git branch side && git branch"],
        "side",
    ),
    line(
        "sqlite3",
        &["notes.db", "select text from notes"],
        "remember",
    ),
    line(
        "sqlite3",
        &[
            "notes.db",
            "insert into notes values ('more'); select count(*) from notes",
        ],
        "2",
    ),
    line(
        "python3",
        &["-c", "import json, ssl, sqlite3; print(sum(range(5)))"],
        "10",
    ),
    line(
        "python3",
        &[
            "-c",
            "import tempfile; f = tempfile.NamedTemporaryFile(); print('made', f.name)",
        ],
        "made",
    ),
    line(
        "python3",
        &[
            "-c",
            "import subprocess as s; print(s.check_output(['echo', 'a child']))",
        ],
        "a child",
    ),
    line(
        "python3",
        &[
            "-c",
            "import threading as t; x = t.Thread(target=print, args=('thread',)); x.start(); x.join()",
        ],
        "thread",
    ),
    line(
        "python3",
        &[
            "-c",
            "import multiprocessing as m; p = m.Pool(2); print(p.map(abs, [-3]))",
        ],
        "[3]",
    )
    .not_portable("it needs semaphores in /dev/shm"),
    line(
        "node",
        &["-e", "console.log([1, 2].map(x => x * 2).join())"],
        "2,4",
    ),
    line(
        "node",
        &[
            "-e",
            "console.log(require('child_process').execSync('echo child').toString())",
        ],
        "child",
    ),
    line(
        "node",
        &[
            "-e",
            "require('fs').promises.readFile('text.txt', 'utf8').then(t => console.log(t))",
        ],
        "gamma alpha",
    ),
    line("{bin}/hello", &["world"], "hello world from go"),
    line("gh", &["--version"], "gh version").optional(),
    line("kubectl", &["version", "--client"], "Client").optional(),
    line("docker", &["--version"], "Docker").optional(),
    line("curl", &["--version"], "curl"),
    line("tar", &["-cf", "all.tar", "text.txt", "data.json"], ""),
    line(
        "bash",
        &["-c", "tar -cf - text.txt | tar -xOf - | sort | head -n 1"],
        "alpha",
    ),
    line(
        "bash",
        &[
            "-c",
            "mkdir out && tar -cf - text.txt | tar -xf - -C out && cat out/*",
        ],
        "beta",
    ),
    line("find", &[".", "-name", "*.txt"], "./text.txt"),
    line(
        "bash",
        &[
            "-c",
            "find . -name '*.txt' | xargs cat | awk '/beta/ {print NR}'",
        ],
        "2",
    ),
    line("sed", &["-n", "s/beta/BETA/p", "text.txt"], "BETA"),
    line(
        "bash",
        &["-c", "f=$(mktemp) && echo kept > $f && cat $f"],
        "kept",
    ),
    line(
        "bash",
        &["-c", "mkfifo p; (echo through > p &); cat p"],
        "through",
    ),
    line(
        "bash",
        &["-c", "cat <<< here; diff <(echo a) <(echo a) && echo same"],
        "same",
    ),
    line("make", &["-s"], "made by make"),
    line("bash", &["-c", "gcc -o prog prog.c && ./prog"], "compiled"),
    line("perl", &["-e", "print join ',', reverse 1..3"], "3,2,1"),
    line("openssl", &["rand", "-hex", "8"], ""),
    line("openssl", &["dgst", "-sha256", "text.txt"], "SHA2-256"),
    line("date", &["-u", "-d", "@0", "+%Y"], "1970"),
    line("bash", &["-c", "locale | head -n 1"], "LANG"),
    line("id", &["-u"], ""),
    line(
        "bash",
        &["-c", "echo $HOME $TMPDIR; cd ~ && touch mine && ls"],
        "mine",
    ),
    line("df", &["."], "/"),
    line("du", &["-s", "."], "."),
    line("ls", &["/"], "usr").not_portable("nothing outside may be listed"),
    line("getent", &["hosts", "localhost"], "localhost"),
];

/// A ground with everything that the lines above read.
fn furnished(who: Who) -> Ground {
    let ground = Ground::new(who);
    fs::remove_dir_all(ground.path("work/.git")).unwrap();
    ground.file("work/README", "first words\n");
    ground.file("work/makefile", "all:\n\t@echo made by make\n");
    ground.file(
        "work/prog.c",
        "#include <stdio.h>\nint main(void) { puts(\"compiled\"); return 0; }\n",
    );
    let steps = "git init -q && git config user.name A && git config user.email a@example.com \
                 && git add README && git commit -qm 'first words' \
                 && sqlite3 notes.db \"create table notes (text); insert into notes values ('remember')\"";
    let made = finish(ground.command("bash").args(["-c", steps]).spawn().unwrap());
    assert!(made.status.success(), "{made:?}");
    fs::create_dir(ground.path("bin")).unwrap();
    copy(&go_program(), &ground.path("bin/hello"));
    ground
}

/// A program in Go, whose runtime wants more of a system than most.
fn go_program() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hello-go");
    fs::create_dir_all(&folder).unwrap();
    // Another user may have made it.
    let path = folder.join("lock");
    let lock = fs::File::create(&path).or_else(|_| fs::File::open(&path));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    let program = folder.join("hello");
    if !program.is_file() {
        let source = "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\n\
                      func main() {\n\tdone := make(chan string)\n\
                      \tgo func() { done <- os.Args[1] }()\n\
                      \tfmt.Println(\"hello\", <-done, \"from go\")\n}\n";
        fs::write(folder.join("main.go"), source).unwrap();
        let built = Command::new("go")
            .args(["build", "-o", "hello", "main.go"])
            .current_dir(&folder)
            .env("CGO_ENABLED", "0")
            .output()
            .unwrap();
        assert!(built.status.success(), "go build: {built:?}");
    }
    program
}

fn installed(ground: &Ground, program: &str) -> bool {
    let mut command = ground.command("sh");
    command.args(["-c", "command -v \"$0\" >/dev/null", program]);
    finish(command.spawn().unwrap()).status.success()
}

#[test]
fn ordinary_programs_work_under_the_default() {
    let mut jobs = Vec::new();
    for line in USES {
        for who in Who::all() {
            jobs.extend(Tier::all().into_iter().map(|tier| (line, who, tier)));
        }
    }
    all_hold(&jobs, AT_A_TIME, |(line, who, tier)| {
        let ground = furnished(*who);
        let bin = ground.path("bin").display().to_string();
        let program = line.program.replace("{bin}", &bin);
        if line.optional && !installed(&ground, &program) {
            return Ok(());
        }
        let definition =
            format!("cli \"tool\" {{\n    description \"A tool\"\n    command \"{program}\"\n}}\n");
        let definition = ground.file("tool.kdl", &definition);
        let arguments = json!({ "args": line.words });
        let answer = ground.call(&definition, "cli_tool", &arguments, *tier);
        let works = answer.code == Some(0) && answer.stdout.contains(line.prints);
        let expected = *tier == Tier::Strict || line.not_portable.is_none();
        match works == expected && answer.code.is_some() {
            true => Ok(()),
            false => Err(format!(
                "{who:?}, {tier:?}: {program} {:?}: {answer:?} {}",
                line.words,
                line.not_portable.unwrap_or_default()
            )),
        }
    });
}

#[test]
fn these_programs_work_without_a_sandbox() {
    for who in Who::all() {
        for line in USES {
            let ground = furnished(who);
            let bin = ground.path("bin").display().to_string();
            let program = line.program.replace("{bin}", &bin);
            if line.optional && !installed(&ground, &program) {
                continue;
            }
            let started = ground.command(&program).args(line.words).spawn();
            let output = finish(started.unwrap_or_else(|error| panic!("{program}: {error}")));
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && printed.contains(line.prints),
                "{who:?}: {program} {:?}: {output:?}",
                line.words
            );
        }
    }
}

/// One call of an example definition, and what its result holds.
struct Example {
    definition: &'static str,
    tool: &'static str,
    arguments: fn(u16) -> Value,
    expects: fn(&Value) -> bool,
}

const EXAMPLES: &[Example] = &[
    Example {
        definition: include_str!("definitions/jq-minimal.kdl"),
        tool: "cli_jq",
        arguments: |_| json!({"args": "-r '.list | length' data.json"}),
        expects: |result| text(result) == "2",
    },
    Example {
        definition: include_str!("definitions/jq-minimal.kdl"),
        tool: "cli_jq",
        arguments: |_| json!({"args": ["-c", ".list", "data.json"]}),
        expects: |result| result["data"] == json!([1, 2]),
    },
    Example {
        definition: include_str!("definitions/jq.kdl"),
        tool: "cli_jq",
        arguments: |_| json!({"filter": ".a.b", "raw_output": true, "stdin": "{\"a\": {\"b\": \"c\"}}"}),
        expects: |result| text(result) == "c",
    },
    Example {
        definition: include_str!("definitions/jq.kdl"),
        tool: "cli_jq",
        arguments: |_| json!({"filter": ".", "file": "data.json", "compact": true, "slurp": true}),
        expects: |result| result["data"] == json!([{"name": "argway", "list": [1, 2]}]),
    },
    Example {
        definition: include_str!("definitions/jq.kdl"),
        tool: "cli_jq",
        arguments: |_| json!({"filter": "1 + 1", "null_input": true}),
        expects: |result| text(result) == "2",
    },
    Example {
        definition: include_str!("definitions/rg.kdl"),
        tool: "cli_rg",
        arguments: |_| json!({"pattern": "ALPHA", "ignore_case": true, "glob": ["*.txt", "!data*"]}),
        expects: |result| text(result).contains("text.txt") && text(result).contains("gamma alpha"),
    },
    Example {
        definition: include_str!("definitions/rg.kdl"),
        tool: "cli_rg",
        arguments: |_| json!({"pattern": "beta", "path": "text.txt", "context": 1}),
        expects: |result| text(result) == "alpha\nbeta\ngamma alpha",
    },
    Example {
        definition: include_str!("definitions/rg.kdl"),
        tool: "cli_rg",
        arguments: |_| json!({"pattern": "argway", "type": ["json"], "json": true}),
        expects: |result| text(result).contains("\"type\":\"match\""),
    },
    Example {
        definition: include_str!("definitions/rg.kdl"),
        tool: "cli_rg",
        arguments: |_| json!({"pattern": "-r", "path": "text.txt"}),
        expects: |result| result["exitCode"] == 1,
    },
    Example {
        definition: include_str!("definitions/curl.kdl"),
        tool: "cli_curl",
        arguments: |port| json!({"url": format!("http://127.0.0.1:{port}/hello")}),
        expects: |result| text(result).starts_with("GET /hello"),
    },
    Example {
        definition: include_str!("definitions/curl.kdl"),
        tool: "cli_curl",
        arguments: |port| {
            json!({
                "url": format!("http://127.0.0.1:{port}/items"),
                "method": "POST",
                "header": ["X-One: first header", "X-Two: second"],
                "data": "a=b&c=d e",
            })
        },
        expects: |result| {
            let said = [
                "POST /items",
                "X-One: first header",
                "X-Two: second",
                "a=b&c=d e",
            ];
            said.iter().all(|line| text(result).contains(line))
        },
    },
    Example {
        definition: include_str!("definitions/curl.kdl"),
        tool: "cli_curl",
        arguments: |port| json!({"url": format!("http://127.0.0.1:{port}/file"), "output": "got"}),
        expects: |result| result["exitCode"] == 0,
    },
    Example {
        definition: include_str!("definitions/sqlite3.kdl"),
        tool: "cli_sqlite3",
        arguments: |_| json!({"database": "notes.db", "sql": "select text from notes", "json": true}),
        expects: |result| result["data"] == json!([{"text": "remember"}]),
    },
    Example {
        definition: include_str!("definitions/sqlite3.kdl"),
        tool: "cli_sqlite3",
        arguments: |_| json!({"database": "notes.db", "sql": "select 1 as one, 2 as two", "csv": true, "header": true}),
        expects: |result| text(result).replace('\r', "") == "one,two\n1,2",
    },
    Example {
        definition: include_str!("definitions/sqlite3.kdl"),
        tool: "cli_sqlite3",
        arguments: |_| json!({"database": "fresh.db", "stdin": "create table t (x);\ninsert into t values (7);\nselect x from t;\n"}),
        expects: |result| text(result) == "7",
    },
    Example {
        definition: include_str!("definitions/sqlite3.kdl"),
        tool: "cli_sqlite3",
        arguments: |_| json!({"database": "notes.db", "sql": "insert into notes values (1)", "readonly": true}),
        expects: |result| result["exitCode"] != 0 && said(result).contains("readonly"),
    },
];

fn text(result: &Value) -> &str {
    result["stdout"].as_str().unwrap_or_default().trim()
}

fn said(result: &Value) -> &str {
    result["stderr"].as_str().unwrap_or_default()
}

#[test]
fn the_example_definitions_work_with_the_real_programs() {
    let port = mirror();
    let mut jobs = Vec::new();
    for example in EXAMPLES {
        for who in Who::all() {
            jobs.extend(Tier::all().into_iter().map(|tier| (example, who, tier)));
        }
    }
    all_hold(&jobs, AT_A_TIME, |(example, who, tier)| {
        let ground = furnished(*who);
        let definition = ground.file("tool.kdl", example.definition);
        let arguments = (example.arguments)(port);
        let answer = ground.call(&definition, example.tool, &arguments, *tier);
        match (example.expects)(&answer.result) {
            true => Ok(()),
            false => Err(format!(
                "{who:?}, {tier:?}: {} {arguments}: {answer:?}",
                example.tool
            )),
        }
    });
}

/// An HTTP server that answers every request with the request itself.
fn mirror() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut reader = BufReader::new(&stream);
                let mut request = String::new();
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                        break;
                    }
                    let lower = line.to_ascii_lowercase();
                    if let Some(value) = lower.strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap_or(0);
                    }
                    request.push_str(&line);
                }
                let mut body = vec![0; length];
                let _ = reader.read_exact(&mut body);
                request.push_str(&String::from_utf8_lossy(&body));
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    request.len()
                );
                let _ = (&stream).write_all(format!("{head}{request}").as_bytes());
            });
        }
    });
    port
}
