//! A user of their own: home, folders, and every daemon that was started in them. Low
//! enough for tests of the door: what is in the folder of the socket, and who runs.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// A user that owns nothing.
pub const NOBODY: u32 = 65534;

const PROMPT: Duration = Duration::from_secs(30);

/// Where one test lives.
pub struct World {
    folder: tempfile::TempDir,
    idle: Option<&'static str>,
}

impl World {
    /// With no server configured.
    pub fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
            idle: None,
        };
        for name in ["home", "run", "config/mcpx"] {
            fs::create_dir_all(world.path().join(name)).unwrap();
        }
        world.configure("fallback_sources = []\n");
        world
    }

    /// Whose daemons end after this time.
    pub fn idle(mut self, time: &'static str) -> Self {
        self.idle = Some(time);
        self
    }

    /// With a server whose tool `wait` waits for [`World::let_the_slow_call_end`].
    pub fn with_slow_server(self) -> Self {
        let script = self.path().join("slow.sh");
        fs::write(&script, SLOW_SERVER).unwrap();
        self.configure(&format!(
            "fallback_sources = []\n[servers.slow]\ncommand = \"/bin/sh\"\nargs = [\"{}\", \"{}\"]\n",
            script.display(),
            self.path().display()
        ));
        self
    }

    fn configure(&self, text: &str) {
        fs::write(self.path().join("config/mcpx/config.toml"), text).unwrap();
    }

    /// A call that the server has begun and does not end.
    pub fn slow_call(&self) -> Child {
        let call = self.mcpx().args(["slow", "wait"]).spawn().unwrap();
        until("the call runs", || self.path().join("begun").exists());
        call
    }

    pub fn let_the_slow_call_end(&self) {
        fs::write(self.path().join("go"), "").unwrap();
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A new folder.
    pub fn folder(&self, name: &str) -> PathBuf {
        let folder = self.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    pub fn runtime(&self) -> PathBuf {
        self.path().join("run")
    }

    pub fn socket(&self) -> PathBuf {
        self.path().join("run/mcpx/mcpx.sock")
    }

    pub fn state(&self) -> PathBuf {
        self.path().join("run/mcpx/mcpx.state")
    }

    pub fn binary(&self) -> PathBuf {
        PathBuf::from(env!("CARGO_BIN_EXE_mcpx"))
    }

    /// A copy of the program that every user can run.
    pub fn public_copy(&self) -> PathBuf {
        let everybody = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path(), everybody).unwrap();
        let copy = self.folder("bin").join("mcpx");
        copy_program(&self.binary(), &copy);
        copy
    }

    /// The same program, of another build: its id is in it as text.
    pub fn other_build(&self) -> PathBuf {
        let state = fs::read_to_string(self.state()).unwrap();
        let build = state.lines().find_map(|line| line.strip_prefix("build "));
        let build = build.unwrap().as_bytes();
        let mut bytes = fs::read(self.binary()).unwrap();
        let places: Vec<_> = bytes
            .windows(build.len())
            .enumerate()
            .filter_map(|(place, window)| (window == build).then_some(place))
            .collect();
        assert!(!places.is_empty());
        let other: Vec<u8> = build.iter().rev().copied().collect();
        assert_ne!(other, build);
        for place in places {
            bytes[place..place + build.len()].copy_from_slice(&other);
        }
        let folder = self.folder("other");
        fs::write(folder.join("bytes"), bytes).unwrap();
        copy_program(&folder.join("bytes"), &folder.join("mcpx"));
        folder.join("mcpx")
    }

    /// The frame by which the daemon of the state file is known.
    pub fn greeting(&self) -> Vec<u8> {
        if !self.state().exists() {
            self.run([]).code(0);
        }
        let state = fs::read_to_string(self.state()).unwrap();
        let nonce = state.lines().find_map(|line| line.strip_prefix("daemon "));
        let nonce = u128::from_str_radix(nonce.unwrap(), 16).unwrap();
        [&[0x81, 16, 0, 0, 0], nonce.to_be_bytes().as_slice()].concat()
    }

    /// Listens in the place of a daemon, for one client: hears its hello, says this, and
    /// hangs up. Gives how many came before the place was taken from it.
    pub fn impostor(&self, said: Vec<u8>) -> JoinHandle<usize> {
        self.greeting();
        self.kill(self.daemon());
        fs::remove_file(self.socket()).unwrap();
        let listener = UnixListener::bind(self.socket()).unwrap();
        std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            client.read_exact(&mut [0; 5]).unwrap();
            client.write_all(&said).unwrap();
            drop(client);
            // Who comes a second time comes soon.
            listener.set_nonblocking(true).unwrap();
            let seconds = (0..100).filter(|_| {
                std::thread::sleep(Duration::from_millis(5));
                listener.accept().is_ok()
            });
            1 + seconds.count()
        })
    }

    /// Lets everybody into the folder of the socket, as nobody should.
    pub fn open_to_everybody(&self) {
        let everybody = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        everybody(self.path(), 0o755);
        everybody(&self.runtime(), 0o755);
        everybody(&self.runtime().join("mcpx"), 0o755);
        everybody(&self.socket(), 0o666);
    }

    /// A program in this world.
    pub fn program(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.path().join("home"))
            .env("XDG_RUNTIME_DIR", self.runtime())
            .env(MARK, self.path().join("config"))
            .envs(self.idle.map(|time| ("MCPX_IDLE", time)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// `mcpx`, without a word yet.
    pub fn mcpx(&self) -> Command {
        self.program(&self.binary())
    }

    /// Runs `mcpx` with these words.
    pub fn run<const N: usize>(&self, words: [&str; N]) -> Ran {
        Ran(self.mcpx().args(words).output().unwrap())
    }

    /// The daemon that wrote the state file.
    pub fn daemon(&self) -> i32 {
        pid_in(&self.state()).unwrap()
    }

    /// Every daemon that was started in this world and lives.
    pub fn daemons(&self) -> Vec<i32> {
        let mark = format!("{MARK}={}", self.path().join("config").display());
        let has_mark = |pid: &i32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let mut variables = environment.split(|byte| *byte == 0);
            variables.any(|variable| variable == mark.as_bytes())
        };
        let is_daemon = |pid: &i32| {
            let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            words == b"mcpxd\0"
        };
        let numbers = fs::read_dir("/proc").unwrap().flatten();
        let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let daemons = numbers.filter(|pid| is_daemon(pid) && has_mark(pid));
        daemons.filter(|pid| is_alive(*pid)).collect()
    }

    /// Kills a process and waits until it is gone.
    pub fn kill(&self, pid: i32) {
        signal(pid, Signal::KILL);
        until("the process is gone", || !is_alive(pid));
    }
}

/// In the environment of everything that a world starts, daemons included: whose it is.
const MARK: &str = "XDG_CONFIG_HOME";

impl Drop for World {
    fn drop(&mut self) {
        // Servers of a daemon that is told to end are ended by it.
        let deadline = Instant::now() + Duration::from_secs(10);
        for daemon in self.daemons() {
            signal(daemon, Signal::TERM);
            while is_alive(daemon) && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(5));
            }
            signal(daemon, Signal::KILL);
        }
    }
}

/// What a run gave.
pub struct Ran(Output);

impl Ran {
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        let Output { status, stderr, .. } = &self.0;
        let stderr = String::from_utf8_lossy(stderr);
        assert_eq!(status.code(), Some(code), "{stderr}");
        self
    }

    #[track_caller]
    pub fn stdout(self, text: &str) -> Self {
        assert_eq!(String::from_utf8_lossy(&self.0.stdout), text);
        self
    }

    #[track_caller]
    pub fn stderr(self, text: &str) -> Self {
        assert_eq!(String::from_utf8_lossy(&self.0.stderr), text);
        self
    }

    /// One line, with this in it.
    #[track_caller]
    pub fn stderr_has(self, part: &str) -> Self {
        let stderr = String::from_utf8_lossy(&self.0.stderr);
        assert!(stderr.contains(part), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        self
    }
}

/// By another process: a file that this one writes is open in whatever its other threads
/// start meanwhile, and cannot be run as long.
fn copy_program(from: &Path, to: &Path) {
    let copied = Command::new("cp").args([from, to]).status().unwrap();
    assert!(copied.success());
    fs::set_permissions(to, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Checks how a run ended.
#[track_caller]
pub fn ended(output: Output, code: i32, stdout: &str) {
    Ran(output).code(code).stdout(stdout);
}

pub fn signal(pid: i32, signal: Signal) {
    // It may be gone by now.
    _ = kill_process(Pid::from_raw(pid).unwrap(), signal);
}

/// Whether a process runs; one that only waits to be reaped does not.
pub fn is_alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|rest| !rest.starts_with(['Z', 'X']))
}

/// The folder in which a daemon listens.
pub fn folder_of_daemon(pid: i32) -> PathBuf {
    let users = rustix::process::geteuid().as_raw();
    let places = [PathBuf::from("/tmp"), format!("/run/user/{users}").into()];
    let entries = places.iter().flat_map(fs::read_dir).flatten().flatten();
    let mut folders = entries.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().map(OsStr::to_string_lossy);
        name.is_some_and(|name| name.starts_with("mcpx-"))
    });
    folders
        .find(|folder| pid_in(&folder.join("mcpx.state")) == Some(pid))
        .unwrap()
}

fn pid_in(state: &Path) -> Option<i32> {
    let state = fs::read_to_string(state).ok()?;
    let pid = state.lines().find_map(|line| line.strip_prefix("pid "))?;
    pid.parse().ok()
}

/// Waits for something that is sure to come.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PROMPT;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}: it never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Speaks just enough MCP; `$1` is the world's folder.
const SLOW_SERVER: &str = r#"
while read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id": *\("[^"]*"\|[0-9]*\).*/\1/p')
    answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
    case $line in
    *'"initialize"'*)
        answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"slow","version":"1"}}' ;;
    *'"tools/list"'*)
        answer '{"tools":[{"name":"wait","inputSchema":{"type":"object","properties":{}}}]}' ;;
    *'"tools/call"'*)
        : > "$1/begun"
        tries=0
        while [ ! -e "$1/go" ] && [ $tries -lt 600 ]; do
            tries=$((tries + 1))
            sleep 0.1
        done
        answer '{"content":[{"type":"text","text":"done"}]}' ;;
    esac
done
"#;
