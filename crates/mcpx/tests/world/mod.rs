//! A small world for each test: a HOME, a configuration and a daemon of its own. When
//! it ends, nothing that was started in it may be left.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod processes;

pub use processes::wait;

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use snapbox::cmd::{OutputAssert, cargo_bin};

/// Longer than anything takes that is right.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long processes have to end after they were told to.
const FAREWELL: Duration = Duration::from_secs(20);

pub struct World {
    folder: tempfile::TempDir,
}

impl World {
    /// A world without servers.
    pub fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for name in [
            "bin", "home", "config", "cache", "state", "run", "tmp", "work",
        ] {
            let mut folder = fs::DirBuilder::new();
            folder.mode(0o700).create(world.path(name)).unwrap();
        }
        world
    }

    /// With a server in its configuration.
    pub fn server(self, name: &str, command: impl AsRef<Path>, args: &[&str]) -> Self {
        self.add(name, command, args);
        self
    }

    /// With a server behind a URL in its configuration.
    pub fn url(self, name: &str, url: &str) -> Self {
        self.append(&format!("\n[servers.{name:?}]\nurl = {url:?}\n"));
        self
    }

    /// Adds a server to the configuration.
    pub fn add(&self, name: &str, command: impl AsRef<Path>, args: &[&str]) {
        let command = command.as_ref().to_str().unwrap();
        let args: Vec<String> = args.iter().map(|word| quoted(word)).collect();
        self.append(&format!(
            "\n[servers.{}]\ncommand = {}\nargs = [{}]\n",
            quoted(name),
            quoted(command),
            args.join(", ")
        ));
    }

    /// Adds lines to the configuration.
    pub fn append(&self, more: &str) {
        let before = fs::read_to_string(self.config_file()).unwrap_or_default();
        self.config(&(before + more));
    }

    /// Replaces the whole configuration, as an editor would.
    pub fn config(&self, toml: &str) {
        let file = self.config_file();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let fresh = file.with_extension("new");
        fs::write(&fresh, toml).unwrap();
        fs::rename(&fresh, &file).unwrap();
    }

    /// Where the configuration is.
    pub fn config_file(&self) -> PathBuf {
        self.path("config/mcpx/config.toml")
    }

    /// A place in this world.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file with these bytes, in the folder that commands are run in.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path("work").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Puts an executable on PATH. Written elsewhere and moved into place, as an
    /// installer would: a file that is open for writing cannot be run.
    pub fn program(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path("bin").join(name);
        let fresh = self.path("fresh");
        fs::write(&fresh, bytes).unwrap();
        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&fresh, &path).unwrap();
        path
    }

    /// Everything that a command of this world finds in its environment.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut search = self.path("bin").into_os_string();
        search.push(":");
        search.push(std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()));
        let place = |name: &str| self.path(name).into_os_string();
        vec![
            ("PATH", search),
            ("HOME", place("home")),
            ("XDG_CONFIG_HOME", place("config")),
            ("XDG_CACHE_HOME", place("cache")),
            ("XDG_STATE_HOME", place("state")),
            ("XDG_RUNTIME_DIR", place("run")),
            ("TMPDIR", place("tmp")),
            ("LANG", "C.UTF-8".into()),
        ]
    }

    /// Any program in this world, not yet run: nothing on its stdin.
    pub fn run(&self, program: impl AsRef<Path>) -> Call<'_> {
        let mut command = process::Command::new(program.as_ref());
        command
            .env_clear()
            .envs(self.environment())
            .current_dir(self.path("work"));
        Call {
            world: self,
            command,
            stdin: None,
        }
    }

    /// `mcpx` with these words, not yet run.
    pub fn call(&self, words: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>) -> Call<'_> {
        self.run(cargo_bin!("mcpx")).args(words)
    }

    /// Runs `mcpx` with these words.
    pub fn mcpx(
        &self,
        words: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
    ) -> OutputAssert {
        self.call(words).assert()
    }

    /// What `mcpx` with these words prints, which must succeed.
    #[track_caller]
    pub fn stdout(&self, words: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>) -> String {
        let output = self.mcpx(words).success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    }

    /// `mcpx` with these words, running, its streams piped.
    pub fn start(
        &self,
        words: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
    ) -> process::Child {
        let mut command = self.call(words).command;
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Compares what is printed with this world's places replaced by names.
    pub fn assertion(&self) -> snapbox::Assert {
        let mut redactions = snapbox::Redactions::new();
        let folder = self.folder.path().display().to_string();
        redactions.insert("[WORLD]", folder).unwrap();
        snapbox::Assert::new()
            .action_env(snapbox::assert::DEFAULT_ACTION_ENV)
            .redact_with(redactions)
    }

    /// The daemon of this world, if there is one that listens.
    pub fn daemon(&self) -> Option<Pid> {
        let socket = UnixStream::connect(self.path("run/mcpx/mcpx.sock")).ok()?;
        let peer = rustix::net::sockopt::socket_peercred(&socket).unwrap();
        Some(peer.pid)
    }

    /// Ends the daemon as nothing else would: it has no time to put things in order.
    #[track_caller]
    pub fn kill_daemon(&self) {
        let daemon = self.daemon().expect("no daemon is listening");
        rustix::process::kill_process(daemon, Signal::KILL).unwrap();
        assert!(
            wait(FAREWELL, || !processes::runs(daemon)),
            "the daemon does not die"
        );
    }

    /// What runs in this world besides the test: a line each.
    pub fn running(&self) -> Vec<String> {
        let found = processes::with_folder(self.folder.path());
        found.into_iter().map(|one| one.to_string()).collect()
    }

    /// Ends the daemon in order, before what it talks to is ended.
    #[track_caller]
    pub fn end_now(&self) {
        if let Some(daemon) = self.daemon() {
            // It may have ended by itself meanwhile.
            let _ = rustix::process::kill_process(daemon, Signal::TERM);
            let ended = wait(FAREWELL, || !processes::runs(daemon));
            assert!(ended, "the daemon does not end when it is told to");
        }
    }

    /// Tells the daemon to end, and waits until all that it started has ended too. What
    /// is still there then, a line each, is ended.
    fn end(&self) -> Vec<String> {
        if let Some(daemon) = self.daemon() {
            // It may have ended by itself meanwhile.
            let _ = rustix::process::kill_process(daemon, Signal::TERM);
        }
        if wait(FAREWELL, || self.running().is_empty()) {
            return Vec::new();
        }
        let left = processes::with_folder(self.folder.path());
        for one in &left {
            let _ = rustix::process::kill_process(one.id, Signal::KILL);
        }
        left.iter().map(ToString::to_string).collect()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let left = self.end();
        // A test that failed may well leave something; what failed is to be read first.
        if !std::thread::panicking() {
            assert!(left.is_empty(), "left running: {left:#?}");
        }
    }
}

/// A command that is about to be run.
pub struct Call<'a> {
    world: &'a World,
    command: process::Command,
    stdin: Option<Vec<u8>>,
}

impl Call<'_> {
    pub fn args(mut self, words: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>) -> Self {
        self.command.args(words);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn env_remove(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub fn current_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.stdin = Some(bytes.as_ref().to_vec());
        self
    }

    /// Runs it; what takes too long is ended and fails the test.
    #[track_caller]
    pub fn output(mut self) -> process::Output {
        let stdin = match self.stdin {
            Some(_) => Stdio::piped(),
            None => Stdio::null(),
        };
        self.command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let shown = format!("{:?}", self.command.get_args().collect::<Vec<_>>());
        let mut child = self.command.spawn().unwrap();
        let id = Pid::from_child(&child);
        let (done, finished) = mpsc::channel();
        let pipe = child.stdin.take();
        let bytes = self.stdin.take().unwrap_or_default();
        std::thread::spawn(move || {
            // It need not read all of it.
            let _ = pipe.map(|mut pipe| pipe.write_all(&bytes));
        });
        std::thread::spawn(move || done.send(child.wait_with_output()));
        match finished.recv_timeout(PATIENCE) {
            Ok(output) => output.unwrap(),
            Err(_) => {
                let _ = rustix::process::kill_process(id, Signal::KILL);
                panic!("{shown} still runs after {PATIENCE:?}");
            }
        }
    }

    #[track_caller]
    pub fn assert(self) -> OutputAssert {
        let assertion = self.world.assertion();
        OutputAssert::new(self.output()).with_assert(assertion)
    }
}

/// A program of this workspace, which `cargo build --workspace --bins` puts beside mcpx.
#[track_caller]
pub fn sibling(name: &str) -> PathBuf {
    let path = cargo_bin!("mcpx").with_file_name(name);
    assert!(
        path.is_file(),
        "{name} is not built: run `cargo build --workspace --bins` first"
    );
    path
}

/// The stdio server that does everything that servers do wrong.
#[track_caller]
pub fn fake_mcp() -> PathBuf {
    sibling("fake-mcp")
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// The permission bits of a file.
pub fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}
