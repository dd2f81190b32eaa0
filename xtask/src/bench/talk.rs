//! A client that does as little as possible, so that what is measured is the server.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, bail};
use serde_json::{Value, json};

/// One conversation over a server's stdin and stdout.
pub(super) struct Talk {
    child: Child,
    write: ChildStdin,
    read: BufReader<ChildStdout>,
    line: String,
    next_id: u64,
}

impl Talk {
    /// Starts a server, with its cache under `home` where one is given.
    pub(super) fn start(
        argway: &Path,
        words: &[&OsStr],
        home: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let mut command = Command::new(argway);
        command
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(home) = home {
            command.env("XDG_CACHE_HOME", home);
        }
        let mut child = command
            .spawn()
            .with_context(|| format!("starting {}", argway.display()))?;
        let write = child.stdin.take().context("its stdin")?;
        let read = BufReader::new(child.stdout.take().context("its stdout")?);
        Ok(Self {
            child,
            write,
            read,
            line: String::new(),
            next_id: 0,
        })
    }

    pub(super) fn initialize(&mut self) -> anyhow::Result<()> {
        self.request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            }),
        )?;
        Ok(writeln!(
            self.write,
            r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#
        )?)
    }

    pub(super) fn request(&mut self, method: &str, params: Value) -> anyhow::Result<Value> {
        self.next_id += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params});
        self.exchange(&format!("{request}\n"))?;
        let mut answer: Value = serde_json::from_str(&self.line)?;
        if answer["id"] != self.next_id || answer.get("error").is_some() {
            bail!("{method} was answered with {}", self.line);
        }
        Ok(answer["result"].take())
    }

    /// Calls a tool without arguments; its answer is only looked at for success.
    pub(super) fn call(&mut self, tool: &str) -> anyhow::Result<()> {
        self.next_id += 1;
        let id = self.next_id;
        self.exchange(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}{}"#,
            "\n"
        ))?;
        if !self.line.contains(r#""exitCode":0"#) {
            bail!("{tool} was answered with {}", self.line);
        }
        Ok(())
    }

    fn exchange(&mut self, request: &str) -> anyhow::Result<()> {
        self.write.write_all(request.as_bytes())?;
        self.line.clear();
        if self.read.read_line(&mut self.line)? == 0 {
            bail!("the server ended: {}", self.child.wait()?);
        }
        Ok(())
    }

    /// What the server has in memory.
    pub(super) fn resident_kb(&self) -> anyhow::Result<f64> {
        self.status_kb("VmRSS:")
    }

    /// The most that it ever had.
    pub(super) fn peak_kb(&self) -> anyhow::Result<f64> {
        self.status_kb("VmHWM:")
    }

    fn status_kb(&self, field: &str) -> anyhow::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(field))
            .with_context(|| format!("its {field}"))?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }

    /// Leaves, and waits for the server's end.
    pub(super) fn leave(self) -> anyhow::Result<()> {
        let Self {
            mut child, write, ..
        } = self;
        drop(write);
        let status = child.wait()?;
        if !status.success() {
            bail!("the server ended with {status}");
        }
        Ok(())
    }
}
