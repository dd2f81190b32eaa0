//! What mcpx is measured with and against: each is built or installed here, started,
//! and ended when it is dropped.

use std::ffi::OsStr;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// The fastest other program that does this, of those that were tried.
const PEER: &str = "mcp2cli";
const PEER_VERSION: &str = "0.1.10";

pub(in crate::bench) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(in crate::bench) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

pub(in crate::bench) fn succeeds(command: &mut Command) -> anyhow::Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.with_context(|| format!("running {command:?}"))?;
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(())
}

/// One run, timed; it must print `expected`.
pub(super) fn timed(command: &mut Command, expected: &str) -> anyhow::Result<Duration> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let begun = Instant::now();
    let output = command.output()?;
    let took = begun.elapsed();
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || !said.contains(expected) {
        bail!("{command:?} ended with {} and said {said:?}", output.status);
    }
    Ok(took)
}

/// mcpx as it is released, linked statically, with a daemon of its own.
pub(super) struct Mcpx {
    folder: PathBuf,
    pub program: PathBuf,
}

impl Mcpx {
    /// Builds it and configures the server `echo`.
    pub(super) fn build(folder: &Path) -> anyhow::Result<Self> {
        succeeds(
            Command::new("cargo")
                .args(["--quiet", "mcpx-static"])
                .current_dir(root()),
        )?;
        let program = target().join("release/mcpx").canonicalize()?;
        let folder = folder.join("mcpx");
        for name in ["config/mcpx", "run"] {
            std::fs::create_dir_all(folder.join(name))?;
        }
        let server = std::env::current_exe()?;
        let config = format!("[servers.echo]\ncommand = {server:?}\nargs = [\"mcp-echo\"]\n");
        std::fs::write(folder.join("config/mcpx/config.toml"), config)?;
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(folder.join("run"), mode)?;
        Ok(Self { folder, program })
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).env_clear().env("PATH", path());
        for (name, place) in [
            ("HOME", "."),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_RUNTIME_DIR", "run"),
        ] {
            command.env(name, self.folder.join(place));
        }
        command
    }

    pub(super) fn call(&self) -> anyhow::Result<Duration> {
        timed(
            &mut self.command(&["echo", "echo", "--message=hi"]),
            "Echo: hi",
        )
    }

    /// A call whose result has so many bytes.
    pub(super) fn large(&self, bytes: usize) -> anyhow::Result<Duration> {
        let times = format!("--times={bytes}");
        timed(
            &mut self.command(&["echo", "echo", "--message=x", &times]),
            &"x".repeat(bytes),
        )
    }

    pub(super) fn help(&self) -> anyhow::Result<Duration> {
        timed(&mut self.command(&["echo", "echo", "--help"]), "--message")
    }

    /// The daemon's process.
    pub(super) fn daemon(&self) -> anyhow::Result<u32> {
        let folder = self.folder.display().to_string();
        for entry in std::fs::read_dir("/proc")?.flatten() {
            let Some(id) = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok())
            else {
                continue;
            };
            let read = |what: &str| std::fs::read(entry.path().join(what)).unwrap_or_default();
            let words = String::from_utf8_lossy(&read("cmdline")).into_owned();
            let called = words.split('\0').next().unwrap_or_default();
            let is_daemon = Path::new(called).file_name() == Some(OsStr::new("mcpxd"));
            if is_daemon && String::from_utf8_lossy(&read("environ")).contains(&folder) {
                return Ok(id);
            }
        }
        bail!("mcpx has no daemon")
    }
}

impl Drop for Mcpx {
    fn drop(&mut self) {
        // There may be none: then nothing is left either.
        if let Ok(daemon) = self.daemon() {
            let _ = Command::new("kill").arg(daemon.to_string()).status();
        }
    }
}

fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// A static C program and its daemon.
pub(super) struct Floor {
    program: PathBuf,
    socket: PathBuf,
    daemon: Child,
}

impl Floor {
    pub(super) fn build(folder: &Path) -> anyhow::Result<Self> {
        let source = folder.join("floor.c");
        std::fs::write(&source, include_str!("floor.c"))?;
        let program = folder.join("floor");
        let mut compiler = Command::new("cc");
        compiler.args(["-O2", "-static", "-o"]);
        succeeds(compiler.arg(&program).arg(&source))?;
        let socket = folder.join("floor.sock");
        let daemon = Command::new(&program)
            .arg("daemon")
            .arg(&socket)
            .stdin(Stdio::null())
            .spawn()?;
        let floor = Self {
            program,
            socket,
            daemon,
        };
        let begun = Instant::now();
        while UnixStream::connect(&floor.socket).is_err() {
            if begun.elapsed() > Duration::from_secs(5) {
                bail!("the floor's daemon does not listen");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(floor)
    }

    pub(super) fn call(&self) -> anyhow::Result<Duration> {
        let mut command = Command::new(&self.program);
        timed(command.arg(&self.socket).env_clear(), "echo")
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// The peer, with its daemon.
pub(super) struct Peer {
    program: PathBuf,
    home: PathBuf,
}

impl Peer {
    /// Installs it under the target folder, once, and starts its daemon for the same
    /// server.
    pub(super) fn install(folder: &Path) -> anyhow::Result<Self> {
        let place = target().join("peers");
        let program = place.join("bin").join(PEER);
        if !program.exists() {
            succeeds(
                Command::new("cargo")
                    .args(["install", "--quiet", "--locked", PEER, "--version"])
                    .args([PEER_VERSION, "--root"])
                    .arg(&place),
            )?;
        }
        let home = folder.join("peer");
        std::fs::create_dir_all(&home)?;
        let peer = Self {
            program: program.canonicalize()?,
            home,
        };
        let server = std::env::current_exe()?;
        let words = ["config", "init", "--name", "echo", "--transport", "stdio"];
        let mut command = peer.command(&words);
        command.arg("--stdio-command").arg(server);
        succeeds(command.args(["--stdio-arg", "mcp-echo"]))?;
        succeeds(&mut peer.command(&["daemon", "start", "echo"]))?;
        // Its commands are known once they are listed.
        succeeds(&mut peer.command(&["echo", "ls"]))?;
        Ok(peer)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(words)
            .env_clear()
            .env("PATH", path())
            .env("HOME", &self.home)
            .env("MCP2CLI_TELEMETRY", "off");
        command
    }

    pub(super) fn call(&self) -> anyhow::Result<Duration> {
        timed(
            &mut self.command(&["echo", "echo", "--message", "hi"]),
            "Echo: hi",
        )
    }

    pub(super) fn help(&self) -> anyhow::Result<Duration> {
        timed(&mut self.command(&["echo", "echo", "--help"]), "--message")
    }

    pub(super) fn name() -> String {
        format!("{PEER} {PEER_VERSION}")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = succeeds(&mut self.command(&["daemon", "stop", "echo"]));
    }
}
