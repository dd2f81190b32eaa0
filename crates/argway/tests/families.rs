//! One real program of each family, from its reading to a real call, as a user would do
//! it. `scripts/programs` fetches those that are not the system's.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::path::PathBuf;

use serde_json::Value;
use world::World;

/// A program in a world with a few small files to work on.
struct Real {
    world: World,
    path: String,
}

#[track_caller]
fn find(name: &str) -> PathBuf {
    let fetched = std::env::var_os("ARGWAY_PROGRAMS").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = fetched.into_iter().chain(std::env::split_paths(&path));
    let mut files = folders.map(|folder| folder.join(name));
    files.find(|file| file.is_file()).unwrap_or_else(|| {
        panic!(
            "{name} is not here: run ./scripts/programs and put what it prints into ARGWAY_PROGRAMS"
        )
    })
}

impl Real {
    /// `argway describe` says that it is of this family.
    #[track_caller]
    fn of(family: &str, name: &str) -> Self {
        let world = World::new();
        world.file("words.txt", "teh word\n");
        world.file("lines.txt", "b\na\nb\n");
        world.file("data.json", "{\"a\": [1, 2]}\n");
        world.file("code.py", "x  =  1\n");
        world.file("code.go", "package  main\n");
        world.file("tree/one.rs", "");
        world.file("tree/two.txt", "");
        world.file("rules.yml", "groups: []\n");
        let picture = "<svg xmlns=\"http://www.w3.org/2000/svg\"><!-- a remark --></svg>\n";
        world.file("picture.svg", picture);
        let path = find(name).to_str().unwrap().to_owned();
        let real = Self { world, path };
        let described: Value = serde_json::from_str(&real.says(["describe"], &[])).unwrap();
        assert_eq!(described["family"], family, "{name}");
        assert_eq!(described["name"], name);
        real
    }

    /// What `argway VERB PROGRAM WORDS…` prints, which must succeed.
    #[track_caller]
    fn says<'a>(&'a self, verb: [&'a str; 1], words: &[&'a str]) -> String {
        let line = [&verb[..], &[self.path.as_str(), "-q"], words].concat();
        self.world.stdout(line)
    }

    /// `argway tools` offers this one.
    #[track_caller]
    fn offers(&self, tool: &str) -> &Self {
        let listed = self.says(["tools"], &[]);
        let found = listed
            .lines()
            .any(|line| line.split_whitespace().next() == Some(tool));
        assert!(found, "no {tool}:\n{listed}");
        self
    }

    /// A call would run these very words.
    #[track_caller]
    fn would_run(&self, tool: &str, arguments: &str, expected: &str) -> &Self {
        let line = self.says(["call"], &[tool, arguments, "--dry-run"]);
        assert_eq!(line.trim_end(), format!("{} {expected}", self.path));
        self
    }

    /// A call really prints this.
    #[track_caller]
    fn prints(&self, tool: &str, arguments: &str, expected: &str) -> &Self {
        let text = self.says(["call"], &[tool, arguments]);
        assert!(text.contains(expected), "{text}");
        self
    }

    /// A misspelt argument is refused with the one that was meant, and nothing is run.
    #[track_caller]
    fn corrects(&self, tool: &str, wrong: &str, meant: &str) -> &Self {
        let arguments = format!("{{\"{wrong}\": true}}");
        let words = ["call", self.path.as_str(), tool, &arguments, "-q"];
        let refused = self.world.argway(words).code(2);
        let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        let expected =
            format!("`{wrong}` is not an argument of this tool; did you mean `{meant}`?");
        assert!(said.contains(&expected), "{said}");
        self
    }
}

#[test]
fn clap() {
    Real::of("clap", "fd")
        .offers("fd")
        .would_run(
            "fd",
            r#"{"extension": "rs", "max-depth": 3, "pattern": "o", "path": ["tree"]}"#,
            "--max-depth=3 --extension=rs o tree",
        )
        .prints(
            "fd",
            r#"{"extension": "rs", "path": ["tree"], "pattern": "o"}"#,
            "tree/one.rs",
        )
        .corrects("fd", "max-dept", "max_depth");
}

#[test]
fn argparse() {
    Real::of("argparse", "codespell")
        .offers("codespell")
        .would_run(
            "codespell",
            r#"{"quiet-level": 2, "files": ["words.txt"]}"#,
            "--quiet-level=2 words.txt",
        )
        .prints("codespell", r#"{"version": true}"#, ".")
        .corrects("codespell", "quiet-levle", "quiet_level");
    Real::of("argparse", "yamllint").would_run(
        "yamllint",
        r#"{"format": "parsable", "strict": true, "FILE_OR_DIR": ["rules.yml"]}"#,
        "--format=parsable --strict rules.yml",
    );
}

#[test]
fn optparse() {
    Real::of("optparse", "pip")
        .offers("pip_list")
        .would_run("pip_list", r#"{"format": "json"}"#, "list --format=json")
        .prints("pip_list", r#"{"format": "freeze"}"#, "click==")
        .corrects("pip_list", "formt", "format");
}

#[test]
fn click() {
    Real::of("click", "black")
        .offers("black")
        .would_run(
            "black",
            r#"{"diff": true, "line-length": 80, "src": ["code.py"]}"#,
            "--line-length=80 --diff code.py",
        )
        .prints("black", r#"{"diff": true, "src": ["code.py"]}"#, "+x = 1")
        .corrects("black", "line-lenght", "line_length");
}

/// Its command stands behind an argument that takes any word: the command is known by
/// name, and asked nothing.
#[test]
fn typer() {
    let typer = Real::of("click", "typer");
    let described = typer.says(["describe"], &[]);
    assert!(described.contains("known by name alone"), "{described}");
}

#[test]
fn commander() {
    Real::of("commander", "svgo")
        .offers("svgo")
        .would_run(
            "svgo",
            r#"{"input": ["picture.svg"], "output": ["-"], "precision": "2"}"#,
            "--input picture.svg --output - --precision=2",
        )
        .prints(
            "svgo",
            r#"{"input": ["picture.svg"], "output": ["-"]}"#,
            "<svg xmlns=",
        )
        .corrects("svgo", "precison", "precision");
}

#[test]
fn yargs() {
    Real::of("yargs", "c8")
        .offers("c8_report")
        .would_run(
            "c8_report",
            r#"{"reporter": "text", "temp-directory": "home"}"#,
            "report --reporter=text --temp-directory=home",
        )
        .prints("c8_report", r#"{"temp-directory": "home"}"#, "All files")
        .corrects("c8_report", "reportr", "reporter");
}

#[test]
fn oclif() {
    Real::of("described", "oclif")
        .offers("oclif_manifest")
        .would_run("oclif_manifest", "{}", "manifest");
}

#[test]
fn git() {
    Real::of("git", "git")
        .offers("git_hash-object")
        .would_run(
            "git_hash-object",
            r#"{"path": "a", "file": ["lines.txt"]}"#,
            "hash-object --path=a -- lines.txt",
        )
        .prints(
            "git_hash-object",
            r#"{"file": ["tree/one.rs"]}"#,
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        )
        .corrects("git_status", "shrot", "short");
}

#[test]
fn gnu() {
    Real::of("gnu", "sort")
        .offers("sort")
        .would_run(
            "sort",
            r#"{"unique": true, "key": "1", "file": ["lines.txt"]}"#,
            "--key=1 --unique lines.txt",
        )
        .prints(
            "sort",
            r#"{"unique": true, "file": ["lines.txt"]}"#,
            "a\nb\n",
        )
        .corrects("sort", "uniqe", "unique");
}

#[test]
fn busybox() {
    Real::of("gnu", "busybox")
        .offers("busybox_head")
        .would_run(
            "busybox_head",
            r#"{"n": "1", "FILE": ["lines.txt"]}"#,
            "head -n 1 lines.txt",
        )
        .prints(
            "busybox_head",
            r#"{"n": "1", "FILE": ["lines.txt"]}"#,
            "b\n",
        );
}

/// Long options with one dash stay as they are.
#[test]
fn go_flag() {
    Real::of("go_flag", "gofmt")
        .offers("gofmt")
        .would_run(
            "gofmt",
            r#"{"cpuprofile": "a b", "d": true, "path": ["code.go"]}"#,
            "'-cpuprofile=a b' -d code.go",
        )
        .prints("gofmt", r#"{"path": ["code.go"]}"#, "package main")
        .corrects("gofmt", "cpuprofil", "cpuprofile");
}

/// A flag of the program stands before the word of its command.
#[test]
fn urfave() {
    Real::of("urfave", "runc")
        .offers("runc_list")
        .would_run(
            "runc_list",
            r#"{"format": "json", "root": "none"}"#,
            "--root=none list --format=json",
        )
        .prints("runc_list", r#"{"format": "json", "root": "none"}"#, "null")
        .corrects("runc_list", "fromat", "format");
}

#[test]
fn kingpin() {
    Real::of("kingpin", "promtool")
        .offers("promtool_check_rules")
        .would_run(
            "promtool_check_rules",
            r#"{"lint": "none", "rule-files": ["rules.yml"]}"#,
            "check rules --lint=none rules.yml",
        )
        .prints(
            "promtool_check_rules",
            r#"{"lint": "none", "rule-files": ["rules.yml"]}"#,
            "SUCCESS",
        )
        .corrects("promtool_check_rules", "lnit", "lint");
}

/// Programs of no known family take what their page shows: a blank before the value.
#[test]
fn unknown() {
    Real::of("unknown", "age").offers("age").would_run(
        "age",
        r#"{"recipient": "age1x", "armor": true, "INPUT": "words.txt"}"#,
        "--armor --recipient age1x words.txt",
    );
    Real::of("unknown", "jq")
        .offers("jq")
        .would_run("jq", r#"{"arg": ["x", "1"], "c": true}"#, "-c --arg x 1")
        .prints(
            "jq",
            r#"{"c": true, "args_arg": [".a", "data.json"]}"#,
            "[1,2]\n",
        );
    let curl = Real::of("unknown", "curl");
    let lines = format!("file://{}", curl.world.path("lines.txt").display());
    curl.offers("curl")
        .would_run(
            "curl",
            &format!(r#"{{"max-time": "2", "url_arg": "{lines}"}}"#),
            &format!("--max-time 2 {lines}"),
        )
        .prints(
            "curl",
            &format!(r#"{{"silent": true, "url_arg": "{lines}"}}"#),
            "b\na\nb\n",
        )
        .corrects("curl", "max-tim", "max_time");
}

#[test]
fn without_an_oracle_less_is_asked_and_less_is_known() {
    let world = World::new();
    let path = find("codespell").to_str().unwrap().to_owned();
    let asked = |folder: &str, more: &[&str]| {
        world.stdout([&["capture", &path, folder, "-q"], more].concat());
        let text = std::fs::read_to_string(world.path(folder).join("answers.json")).unwrap();
        let answers: Value = serde_json::from_str(&text).unwrap();
        answers["answers"].as_array().unwrap().len()
    };
    assert!(asked("with", &[]) > 5);
    assert_eq!(asked("without", &["--no-oracle"]), 0);
    let quiet = |more: &[&str]| {
        let line = [
            "call",
            &path,
            "codespell",
            r#"{"quiet-level": "much"}"#,
            "--dry-run",
            "-q",
        ];
        world.argway([&line[..], more].concat())
    };
    quiet(&[]).failure();
    quiet(&["--no-oracle"]).success();
}

#[test]
fn an_overlay_corrects_what_was_read() {
    let fd = Real::of("clap", "fd");
    let text = "overlay \"fd\" {\n    summary \"Finds files\"\n    effect \"read\"\n    flag \"extension\" { name \"ending\" }\n}\n";
    fd.world.file("fd.kdl", text);
    let words = [
        "fd",
        r#"{"ending": "rs"}"#,
        "--overlay",
        "fd.kdl",
        "--dry-run",
    ];
    let line = fd.says(["call"], &words);
    assert_eq!(line.trim_end(), format!("{} --extension=rs", fd.path));
    let listed = fd.says(["tools"], &["--overlay", "fd.kdl", "--read-only"]);
    assert!(listed.contains("Finds files"), "{listed}");
}
