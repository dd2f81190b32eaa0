//! Nothing happens because a program was read: over every real program that
//! `scripts/programs` fetches and the system's own, no file is made, changed or removed,
//! no port is opened, no process is left, and no question is one that the program
//! complains about.
//!
//! They are read with `--sandbox=off`, where nothing but the questions themselves keeps
//! them from acting, and as usual. Where strace is installed, it sees what a comparison
//! of folders cannot: files elsewhere, and ports that were open for a moment.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod ground;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ground::{Ground, Who, all_hold, finish, happens};
use serde_json::Value;

const AT_A_TIME: usize = 2;

/// Programs of the system; those that it lacks are left out.
const SYSTEM: &[&str] = &[
    "git",
    "busybox",
    "tar",
    "grep",
    "sort",
    "find",
    "ls",
    "cp",
    "rm",
    "sed",
    "make",
    "curl",
    "jq",
    "openssl",
    "ssh",
    "gpg",
    "python3",
    "node",
    "npm",
    "perl",
    "go",
    "sqlite3",
    "wget",
    "systemctl",
];

/// Pages that come with a code of their own, and why.
const CODES: &[(&str, &[&str], i64)] = &[
    // Its business is to fail.
    ("busybox", &["false", "--help"], 1),
    // They print their page and say with the code that they did nothing.
    ("go", &["--help"], 2),
    ("npm", &["--help"], 1),
    ("sqlite3", &["--help"], 1),
    // Has no help; its usage, which it prints for any wrong option, is its only page.
    ("ssh", &["--help"], 255),
];

/// How a complaint about a question starts, whatever the code.
const COMPLAINTS: &[&str] = &[
    "unrecognized option",
    "unrecognised option",
    "unknown option",
    "invalid option",
    "illegal option",
    "unknown command",
    "no such command",
    "unrecognized subcommand",
    "is not a command",
];

/// Calls that change files, beside those that open one for writing.
const CHANGES: &[&str] = &[
    "unlink",
    "rename",
    "mkdir",
    "rmdir",
    "link",
    "symlink",
    "mknod",
    "truncate",
    "chmod",
    "chown",
    "lchown",
    "fchmodat",
    "fchownat",
    "utimensat",
];

/// Everything that is watched, in strace's words: a question mark for calls that not
/// every machine has.
const WATCHED: &str = "trace=?open,openat,?openat2,?creat,?unlink,unlinkat,?rename,?renameat,renameat2,\
?mkdir,mkdirat,?rmdir,?link,linkat,?symlink,symlinkat,?mknod,mknodat,truncate,?chmod,fchmodat,\
?fchmodat2,?chown,?lchown,fchownat,utimensat,bind,listen,connect";

/// The program of a folder or of PATH that is called `name`.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

fn fetched() -> PathBuf {
    let folder = std::env::var_os("ARGWAY_PROGRAMS");
    folder.map(PathBuf::from).expect(
        "ARGWAY_PROGRAMS is not set: run ./scripts/programs, which prints the folder for it",
    )
}

/// A program of those that were fetched.
fn real(name: &str) -> PathBuf {
    let path = fetched().join(name);
    assert!(path.is_file(), "{name} is not in {}", fetched().display());
    path
}

fn programs() -> Vec<PathBuf> {
    let entries = fs::read_dir(fetched()).unwrap();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.sort();
    assert!(found.len() >= 25, "only {} programs are here", found.len());
    found.extend(SYSTEM.iter().filter_map(|name| on_path(name)));
    found
}

/// What is in a folder: the mode of everything, and the size and time of files.
fn contents(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(meta) = fs::symlink_metadata(&path) else {
                continue;
            };
            // A folder's own time changes with what is put into it and taken out.
            let time = match meta.is_dir() {
                true => String::new(),
                false => format!("{}, {}.{}", meta.len(), meta.mtime(), meta.mtime_nsec()),
            };
            let state = format!("{:o} {time}", meta.mode());
            if meta.is_dir() {
                folders.push(path.clone());
            }
            found.insert(path, state);
        }
    }
    found
}

/// What differs between two looks at a folder, apart from what is below `apart`.
fn changes(
    before: &BTreeMap<PathBuf, String>,
    after: &BTreeMap<PathBuf, String>,
    apart: &[PathBuf],
) -> Vec<String> {
    let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    paths
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path))
        .filter(|path| !apart.iter().any(|own| path.starts_with(own)))
        .map(|path| {
            let (was, is) = (before.get(path), after.get(path));
            format!("{}: {was:?} is now {is:?}", path.display())
        })
        .collect()
}

/// Processes that belong to a ground: its folder is in their words, variables or their
/// working directory.
fn left(ground: &Ground) -> Vec<String> {
    let folder = ground.path("");
    let mark = folder.as_os_str().as_encoded_bytes();
    let mark = mark.strip_suffix(b"/").unwrap_or(mark);
    let has = |bytes: &[u8]| bytes.windows(mark.len()).any(|part| part == mark);
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let process = entry.path();
        let read = |name: &str| fs::read(process.join(name)).unwrap_or_default();
        let place = fs::read_link(process.join("cwd")).unwrap_or_default();
        let words = read("cmdline");
        if has(&words) || has(&read("environ")) || has(place.as_os_str().as_encoded_bytes()) {
            found.push(String::from_utf8_lossy(&words).replace('\0', " "));
        }
    }
    found
}

/// A question that was asked, and what came of it.
#[derive(Debug)]
struct Asked {
    words: Vec<String>,
    code: Option<i64>,
    text: String,
    failed: bool,
}

impl Asked {
    /// Whether it puts an option to the parser before it asks for help.
    fn is_of_oracle(&self) -> bool {
        let before = self
            .words
            .split_last()
            .map_or(&[][..], |(_, before)| before);
        let help = self.words.last().is_some_and(|word| word == "--help");
        help && before.iter().any(|word| word.starts_with('-'))
    }
}

/// The family that a captured program was read as, and all it was asked.
fn captured(folder: &Path) -> (String, Vec<Asked>) {
    let read = |name: &str| -> Value {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let words = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let (index, answers) = (read("index.json"), read("answers.json"));
    let mut asked: BTreeMap<Vec<String>, Asked> = BTreeMap::new();
    let name = index["meta"]["tool"].as_str().unwrap();
    for page in index["index"].as_array().unwrap() {
        let path = words(&page["path"]);
        let mut parts = vec![name.to_owned()];
        parts.extend(path.clone());
        let file = folder.join(format!("{}.help.txt", parts.join(".")));
        let mut words = path;
        words.push("--help".to_owned());
        let one = Asked {
            words: words.clone(),
            code: page["rc"].as_i64(),
            text: fs::read_to_string(file).unwrap_or_default(),
            failed: false,
        };
        asked.insert(words, one);
    }
    for answer in answers["answers"].as_array().unwrap() {
        let text = |name: &str| answer[name].as_str().unwrap_or_default();
        let one = Asked {
            words: words(&answer["words"]),
            code: answer["code"].as_i64(),
            text: format!("{}{}", text("stderr"), text("stdout")),
            failed: !answer["failed"].is_null(),
        };
        asked.insert(one.words.clone(), one);
    }
    let family = index["meta"]["family"].as_str().unwrap().to_owned();
    (family, asked.into_values().collect())
}

/// What is wrong with the questions that a program was asked.
fn wrong_questions(name: &str, family: &str, asked: &[Asked]) -> Vec<String> {
    let mut wrong = Vec::new();
    for one in asked {
        let line = format!("{name} {}", one.words.join(" "));
        if one.failed {
            wrong.push(format!("`{line}` was not answered"));
        }
        if one.is_of_oracle() {
            continue;
        }
        let words: Vec<&str> = one.words.iter().map(String::as_str).collect();
        let known = CODES.iter().find(|it| it.0 == name && it.1 == words);
        let expected = match (known, words.last()) {
            (Some((.., code)), _) => vec![*code],
            // Its own parser, and its scripts.
            (None, Some(&"-h")) if family == "git" => vec![129, 0],
            (None, _) => vec![0],
        };
        if !one.code.is_some_and(|code| expected.contains(&code)) {
            wrong.push(format!("`{line}` ended with {:?}: {}", one.code, one.text));
        }
        let first = one.text.lines().find(|line| !line.trim().is_empty());
        let first = first.unwrap_or_default().to_lowercase();
        let complains = COMPLAINTS.iter().any(|words| first.contains(words));
        if known.is_none() && complains {
            wrong.push(format!("`{line}` was a mistake: {first}"));
        }
    }
    if family == "unknown" {
        let page = asked.iter().find(|one| one.words == ["--help"]);
        let page = page.map_or("", |one| &one.text);
        let mut documented = vec!["--help"];
        documented.extend(Some("--help all").filter(|words| page.contains(words)));
        let lines: Vec<String> = asked.iter().map(|one| one.words.join(" ")).collect();
        if lines != documented {
            wrong.push(format!("{name}, of no known family, was asked {lines:?}"));
        }
    }
    wrong
}

/// What strace saw done in files of its traces that `allowed` does not have, and to ports.
fn acts(traces: &Path, allowed: &[PathBuf]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(traces).unwrap().flatten() {
        let text = fs::read(entry.path()).unwrap();
        let text = String::from_utf8_lossy(&text);
        found.extend(
            text.lines()
                .filter(|line| is_act(line, allowed))
                .map(str::to_owned),
        );
    }
    found.into_iter().collect()
}

/// Whether a line of strace's shows something done that is not allowed.
fn is_act(line: &str, allowed: &[PathBuf]) -> bool {
    let call = line.split('(').next().unwrap_or_default();
    let is_allowed = |path: &str| {
        let devices = ["/dev/null", "/dev/tty", "/proc/self/"];
        let odd = ["pipe:", "socket:", "/memfd:"];
        devices
            .iter()
            .chain(&odd)
            .any(|start| path.starts_with(start))
            || allowed
                .iter()
                .any(|folder| Path::new(path).starts_with(folder))
    };
    let internet = line.contains("sa_family=AF_INET");
    match call {
        "listen" => true,
        // Port 0 without `listen` is how libraries ask whether there is IPv6.
        "bind" => internet && !line.contains("port=htons(0)"),
        "connect" => internet,
        "open" | "openat" | "openat2" | "creat" => {
            let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"];
            let writes = call == "creat" || writes.iter().any(|flag| line.contains(flag));
            let opened = line.rsplit_once(" = ").map_or("", |(_, result)| result);
            let opened = opened.split_once('<').map_or("", |(_, path)| path);
            writes && !is_allowed(opened.trim_end_matches('>'))
        }
        call if CHANGES.iter().any(|change| call.starts_with(change)) => {
            !changed(line).iter().all(|path| is_allowed(path))
        }
        _ => false,
    }
}

/// The paths in a line: those in quotes, behind the folder that stands before them.
fn changed(line: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut folder = "";
    for (number, part) in line.split('"').enumerate() {
        if number % 2 == 0 {
            folder = part.rsplit_once('<').map_or("", |(_, rest)| rest);
            folder = folder.split_once('>').map_or("", |(path, _)| path);
        } else if part.starts_with('/') || folder.is_empty() {
            paths.push(part.to_owned());
        } else {
            paths.push(format!("{folder}/{part}"));
        }
    }
    paths
}

/// `command`, watched by strace where there is one, which writes into `traces`.
fn watched(ground: &Ground, traces: &Path, command: &Command) -> Command {
    let mut strace = ground.command("strace");
    fs::create_dir_all(traces).unwrap();
    strace
        .args([
            "-ff",
            "--seccomp-bpf",
            "-z",
            "-qq",
            "-y",
            "-s",
            "1000",
            "-e",
            WATCHED,
            "-o",
        ])
        .arg(traces.join("trace"))
        .arg(command.get_program())
        .args(command.get_args());
    strace
}

fn can_watch() -> bool {
    let tried = Command::new("strace")
        .args([
            "-f",
            "--seccomp-bpf",
            "-e",
            WATCHED,
            "-o",
            "/dev/null",
            "true",
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}

/// Reads `program` with these words of argway's, and tells what happened meanwhile.
fn happened(ground: &Ground, words: &[&str], program: &Path, watch: bool) -> Vec<String> {
    let before = contents(&ground.path(""));
    let mut argway = ground.command(ground.argway());
    argway.args(words).arg(program);
    if words.contains(&"capture") {
        argway.arg(ground.path("captured"));
    }
    let traces = ground.path("traces");
    if watch {
        argway = watched(ground, &traces, &argway);
    }
    let output = finish(argway.spawn().unwrap());
    let mut wrong = Vec::new();
    if !output.status.success() {
        wrong.push(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    if !happens(|| left(ground).is_empty()) {
        wrong.push(format!("these still run: {:?}", left(ground)));
    }
    let own = ["captured", "cache/argway", "traces"].map(|name| ground.path(name));
    let mut after = contents(&ground.path(""));
    // Where the sandbox's launcher works; nothing may be in it.
    let user = rustix::process::geteuid().as_raw();
    after.remove(&ground.path(&format!("tmp/argway-{user}")));
    wrong.extend(changes(&before, &after, &own));
    if watch {
        // What a program is given for a home goes when it was read.
        let allowed = ["captured", "cache/argway", "tmp"].map(|name| ground.path(name));
        wrong.extend(acts(&traces, &allowed));
        fs::remove_dir_all(&traces).unwrap();
    }
    wrong
}

#[test]
fn reading_a_program_changes_nothing_opens_nothing_and_asks_nothing_wrong() {
    let who = Who::all()[0];
    let watch = can_watch();
    if !watch {
        let said = "strace is NOT there: ports and files elsewhere are not watched";
        let _ = writeln!(std::io::stderr(), "{said}");
    }
    let installed = fetched().parent().unwrap().to_owned();
    let before = contents(&installed);
    all_hold(&programs(), AT_A_TIME, |program| {
        let ground = Ground::new(who);
        let name = program.file_name().unwrap().to_string_lossy();
        let mut wrong = happened(&ground, &["capture", "--sandbox=off"], program, watch);
        if wrong.is_empty() {
            let (family, asked) = captured(&ground.path("captured"));
            wrong.extend(wrong_questions(&name, &family, &asked));
        }
        wrong.extend(happened(&ground, &["describe"], program, false));
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(format!("{name}:\n  {}", wrong.join("\n  "))),
        }
    });
    // Nothing is left beside the programs either, such as compiled modules.
    let none: [PathBuf; 0] = [];
    assert_eq!(changes(&before, &contents(&installed), &none), [""; 0]);
}

/// What a program is asked where no sandbox can be had.
fn asked_without_sandbox(name: &str) -> (Vec<String>, String) {
    let ground = Ground::new(Who::all()[0]);
    let mut argway = ground.without(&["namespaces", "landlock"]);
    argway.args(["capture", "--no-oracle"]).arg(real(name));
    argway.arg(ground.path("captured"));
    let output = finish(argway.spawn().unwrap());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{name}: {said}");
    let (_, asked) = captured(&ground.path("captured"));
    let lines = asked.iter().map(|one| one.words.join(" ")).collect();
    (lines, said)
}

#[test]
fn without_a_sandbox_a_family_that_runs_code_for_a_page_is_asked_for_its_first_alone() {
    for name in ["flask", "sqlite-utils", "mkdocs", "c8"] {
        let (asked, said) = asked_without_sandbox(name);
        assert_eq!(asked, ["--help"], "{name}");
        assert!(
            said.contains("was read without a sandbox"),
            "{name}: {said}"
        );
    }
    // A parser that meets `--help` before anything runs is asked all the same.
    for name in ["ruff", "pre-commit", "pip", "newman"] {
        let (asked, _) = asked_without_sandbox(name);
        assert!(asked.len() > 2, "{name}: {asked:?}");
    }
}

#[test]
fn a_watcher_sees_what_acts() {
    let allowed = [PathBuf::from("/place/tmp")];
    for (line, acts) in [
        (
            r#"openat(AT_FDCWD</w>, "a", O_RDONLY|O_CLOEXEC) = 3</w/a>"#,
            false,
        ),
        (
            r#"openat(AT_FDCWD</w>, "a", O_WRONLY|O_CREAT, 0666) = 3</w/a>"#,
            true,
        ),
        (
            r#"openat(AT_FDCWD</w>, "/dev/null", O_RDWR) = 3</dev/null>"#,
            false,
        ),
        (
            r#"openat(AT_FDCWD</w>, "x", O_WRONLY|O_CREAT, 0666) = 3</place/tmp/x>"#,
            false,
        ),
        (r#"mkdir("/home/somebody/.tool", 0777) = 0"#, true),
        (r#"mkdir("/place/tmp/.tool", 0777) = 0"#, false),
        (
            r#"unlinkat(9</place/tmp/a>, "work", AT_REMOVEDIR) = 0"#,
            false,
        ),
        (r#"unlinkat(9</home>, "work", AT_REMOVEDIR) = 0"#, true),
        (r#"rename("/place/tmp/a", "/home/a") = 0"#, true),
        (
            r#"renameat2(AT_FDCWD</w>, "a", AT_FDCWD</w>, "b", 0) = 0"#,
            true,
        ),
        (r#"listen(3<socket:[1]>, 128) = 0"#, true),
        (
            r#"bind(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(80)}, 16) = 0"#,
            true,
        ),
        (
            r#"bind(3<socket:[1]>, {sa_family=AF_INET6, sin6_port=htons(0)}, 28) = 0"#,
            false,
        ),
        (
            r#"connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(53)}, 16) = 0"#,
            true,
        ),
        (
            r#"connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path="/run/x"}, 16) = 0"#,
            false,
        ),
    ] {
        assert_eq!(is_act(line, &allowed), acts, "{line}");
    }
}
