//! Where the sandbox is tried: a home with secrets, a working directory, and the real
//! binaries, for root and for an ordinary user.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::any::Any;
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak, mpsc};
use std::time::{Duration, Instant};
use std::{fmt, fs, thread};

use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::{Value, json};

pub mod server;

/// Longer than anything here takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Set where the system allows no namespaces: the strict tier is left out then.
const WITHOUT_NAMESPACES: &str = "ARGWAY_TESTS_WITHOUT_NAMESPACES";

/// An ordinary user, to whom nothing belongs.
const NOBODY: u32 = 65534;

/// Who calls argway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Root itself; only where the tests run as root.
    Root,
    /// An ordinary user: whoever runs the tests, or nobody where that is root.
    User,
}

impl Who {
    /// Everyone that these tests can be.
    pub fn all() -> Vec<Self> {
        match (is_root_among_others(), geteuid().is_root()) {
            (true, _) => vec![Self::Root, Self::User],
            (false, true) => vec![Self::Root],
            (false, false) => vec![Self::User],
        }
    }

    /// The user to change to.
    fn user(self) -> Option<u32> {
        (is_root_among_others() && self == Self::User).then_some(NOBODY)
    }
}

/// Whether this is root with others to become: a container may have root alone.
fn is_root_among_others() -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let has_nobody = map.lines().any(|line| {
        let mut numbers = line.split_whitespace().flat_map(str::parse::<u64>);
        let (first, count) = (numbers.next().unwrap_or(0), numbers.nth(1).unwrap_or(0));
        (first..first + count).contains(&u64::from(NOBODY))
    });
    rustix::process::geteuid().is_root() && has_nobody
}

/// What holds a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    Strict,
    Portable,
}

impl Tier {
    /// Every tier that must hold here.
    pub fn all() -> Vec<Self> {
        if std::env::var_os(WITHOUT_NAMESPACES).is_some_and(|value| value == "1") {
            let _ = writeln!(
                io::stderr(),
                "{WITHOUT_NAMESPACES} is set: the strict tier is NOT tried"
            );
            return vec![Self::Portable];
        }
        vec![Self::Strict, Self::Portable]
    }

    pub fn flag(self) -> &'static str {
        match self {
            Self::Strict => "--sandbox=strict",
            Self::Portable => "--sandbox=portable",
        }
    }
}

/// The binaries where everyone can reach them, shared by the grounds that there are.
pub struct Binaries {
    folder: tempfile::TempDir,
}

impl Binaries {
    /// Those of somebody else, or a fresh copy.
    fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Binaries>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap();
        if let Some(binaries) = shared.upgrade() {
            return binaries;
        }
        let binaries = Arc::new(Self::copy());
        *shared = Arc::downgrade(&binaries);
        binaries
    }

    fn copy() -> Self {
        let folder = tempfile::tempdir().unwrap();
        open_to_all(folder.path());
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let argway = Path::new(env!("CARGO_BIN_EXE_argway"));
        let attack = argway.with_file_name("attack");
        assert!(
            attack.is_file(),
            "attack is not built: run `cargo build --workspace --bins` first"
        );
        copy(argway, &bin.join("argway"));
        copy(&attack, &bin.join("attack"));
        copy(&argway.with_file_name("without"), &bin.join("without"));
        copy(&attack, &bin.join("raised"));
        if is_root_among_others() {
            chown(bin.join("raised"), Some(1), Some(1)).unwrap();
            chown(&bin, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        fs::set_permissions(bin.join("raised"), fs::Permissions::from_mode(0o4755)).unwrap();
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Copies a program. Another process does it: a file that this one writes would be open
/// for a moment in what its other threads start, and could not be run meanwhile.
pub fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status().unwrap();
    assert!(copied.success(), "{} was not copied", from.display());
}

fn open_to_all(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
}

/// One caller's home, working directory and the rest of the world.
pub struct Ground {
    pub who: Who,
    pub binaries: Arc<Binaries>,
    /// Different in every ground, and in the words of all that is started for it.
    pub token: String,
    folder: tempfile::TempDir,
}

/// What the ground holds before anything happens.
const FILES: &[(&str, &str)] = &[
    ("home/.ssh/id_rsa", "a private key\n"),
    ("home/.bashrc", "alias ll='ls -l'\n"),
    ("outside/notes", "some notes\n"),
    ("outside/program", "#!/bin/sh\necho ran\n"),
    (
        "work/data.json",
        "{\"name\": \"argway\", \"list\": [1, 2]}\n",
    ),
    ("work/text.txt", "alpha\nbeta\ngamma alpha\n"),
    ("work/.git/HEAD", "ref: refs/heads/main\n"),
    ("work/.git/config", "[core]\n\tbare = false\n"),
    ("work/.git/hooks/pre-commit", "#!/bin/sh\n"),
    ("work/.argway/cli/tool.kdl", "// none\n"),
    ("work/.slop-mcp/cli/tool.kdl", "// none\n"),
    ("work/.vscode/tasks.json", "{}\n"),
    ("work/.idea/workspace.xml", "<project/>\n"),
];

impl Ground {
    pub fn new(who: Who) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let folder = tempfile::tempdir().unwrap();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let ground = Self {
            who,
            binaries: Binaries::shared(),
            token: format!("token-{}-{number}-", std::process::id()),
            folder,
        };
        for (name, text) in FILES {
            ground.file(name, text);
        }
        ground.file("outside/secret", &ground.token.clone());
        for name in ["tmp", "cache"] {
            fs::create_dir(ground.path(name)).unwrap();
        }
        std::os::unix::fs::symlink("notes", ground.path("outside/link")).unwrap();
        let program = ground.path("outside/program");
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
        if let Some(user) = who.user() {
            give(ground.folder.path(), user);
        }
        open_to_all(ground.folder.path());
        // Whoever runs the tests owns this one: root, where there is a choice.
        fs::write(ground.path("system"), "a file of the system's\n").unwrap();
        ground
    }

    /// A place in this ground.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file of the caller's with this text.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        if let Some(user) = self.who.user() {
            chown(&path, Some(user), Some(user)).unwrap();
        }
        path
    }

    /// A program as the caller would start it, in the working directory.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        if let Some(user) = self.who.user() {
            command.uid(user).gid(user);
        }
        command
            .env_clear()
            .env("PATH", search_path())
            .env("HOME", self.path("home"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("TMPDIR", self.path("tmp"))
            .current_dir(self.path("work"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn argway(&self) -> PathBuf {
        self.binaries.path("bin/argway")
    }

    /// Takes away from what it starts what a system may lack.
    pub fn without(&self, lacks: &[&str]) -> Command {
        let mut command = self.command(self.binaries.path("bin/without"));
        command.args(lacks).arg("--").arg(self.argway());
        command
    }

    pub fn attacker(&self) -> PathBuf {
        self.binaries.path("bin/attack")
    }

    /// A file with a definition of the attacker: what it may do, in KDL.
    pub fn definition(&self, more: &str) -> PathBuf {
        let attacker = self.attacker();
        let text = format!(
            "cli \"attack\" {{\n    description \"Tries one attack\"\n    command \"{}\"\n{more}\n}}\n",
            attacker.display()
        );
        self.file("attack.kdl", &text)
    }

    /// `argway call` of a tool, as JSON.
    pub fn call(&self, definition: &Path, tool: &str, arguments: &Value, tier: Tier) -> Answer {
        let mut command = self.command(self.argway());
        command.arg("call").arg(definition).arg(tool);
        command
            .arg(arguments.to_string())
            .args(["--json", tier.flag()]);
        Answer::of_argway(&finish(command.spawn().unwrap()))
    }

    /// The attacker in the sandbox, with these words.
    pub fn attack(&self, definition: &Path, words: &[String], tier: Tier) -> Answer {
        self.call(definition, "cli_attack", &json!({ "args": words }), tier)
    }
}

impl Drop for Ground {
    /// Whatever a failed test left, ends.
    fn drop(&mut self) {
        for process in alive(&self.token) {
            if let Some(pid) = Pid::from_raw(process) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

/// Where programs are found, without the folders that only root can enter.
fn search_path() -> String {
    let open = |folder: &&str| !folder.starts_with("/root");
    let own = std::env::var("PATH").unwrap_or_default();
    let mut folders: Vec<&str> = own.split(':').filter(open).collect();
    folders.extend(["/usr/local/bin", "/usr/bin", "/bin"]);
    folders.join(":")
}

/// Gives a folder and all in it to a user.
fn give(folder: &Path, user: u32) {
    std::os::unix::fs::lchown(folder, Some(user), Some(user)).unwrap();
    if folder.is_symlink() || !folder.is_dir() {
        return;
    }
    for entry in fs::read_dir(folder).unwrap() {
        give(&entry.unwrap().path(), user);
    }
}

/// What came of a run.
#[derive(Clone)]
pub struct Answer {
    /// The program's exit code; nothing where argway started none.
    pub code: Option<i64>,
    pub stdout: String,
    pub stderr: String,
    /// The whole result.
    pub result: Value,
}

impl fmt::Debug for Answer {
    /// Without the whole result, which says the same again.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:?} {:?} {:?}", self.code, self.stdout, self.stderr)
    }
}

impl Answer {
    pub fn direct(output: &Output) -> Self {
        Self {
            code: output.status.code().map(i64::from),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            result: Value::Null,
        }
    }

    pub fn of_argway(output: &Output) -> Self {
        let printed = String::from_utf8_lossy(&output.stdout);
        let result: Value = serde_json::from_str(&printed).unwrap_or_default();
        let text = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
        Self {
            code: result["exitCode"].as_i64(),
            stdout: text("stdout"),
            stderr: match result.is_null() {
                true => format!("{printed}{}", String::from_utf8_lossy(&output.stderr)),
                false => text("stderr"),
            },
            result,
        }
    }
}

/// Waits for a process that must end by itself.
#[track_caller]
pub fn finish(child: Child) -> Output {
    let number = child.id();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(PATIENCE * 2) {
        Ok(output) => output.unwrap(),
        Err(_) => {
            let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
            let _ = kill_process(pid.unwrap(), Signal::KILL);
            panic!("process {number} does not end");
        }
    }
}

/// The attacker's processes that have this token among their words.
pub fn alive(token: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(process) = entry.file_name().to_string_lossy().parse() else {
            continue;
        };
        let Ok(line) = fs::read(entry.path().join("cmdline")) else {
            continue;
        };
        let line = String::from_utf8_lossy(&line);
        let mut words = line.split('\0');
        let attacks = words.next().is_some_and(|own| own.ends_with("/attack"));
        if attacks && words.any(|word| word == token) {
            found.push(process);
        }
    }
    found
}

/// Waits until none of them is left. Seen more than once, because a process that forks
/// and ends all the time may slip past one look.
pub fn none_left(token: &str) -> bool {
    happens(|| (0..4).all(|_| alive(token).is_empty()))
}

/// Waits for something that must happen.
#[track_caller]
pub fn soon(what: &str, mut condition: impl FnMut() -> bool) {
    assert!(happens(&mut condition), "never: {what}");
}

pub fn happens(mut condition: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !condition() {
        if begun.elapsed() > PATIENCE {
            return false;
        }
        thread::sleep(Duration::from_millis(10));
    }
    true
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a word").to_owned()
}

/// Does all of `jobs`, some at a time, and fails with everything that went wrong.
#[track_caller]
pub fn all_hold<T: Sync>(
    jobs: &[T],
    at_a_time: usize,
    check: impl Fn(&T) -> Result<(), String> + Sync,
) {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..at_a_time {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // A panic costs one job, as any other failure does.
                    let checked = catch_unwind(AssertUnwindSafe(|| check(job)));
                    if let Err(what) = checked.unwrap_or_else(|panic| Err(said(&*panic))) {
                        wrong.lock().unwrap().push(what);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(
        wrong.is_empty(),
        "{} of {} are wrong:\n{}",
        wrong.len(),
        jobs.len(),
        wrong.join("\n")
    );
}
