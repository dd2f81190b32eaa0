//! The fake server, started for real, with each of its faults.

mod calls;
mod ending;
mod opening;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::*;
use crate::config::Endpoint;
use crate::upstream::{self, CALL_EVENTS, CallEvent, CallOptions, EVENTS};

/// More than anything here takes, on a machine that does much else.
const LONG: Duration = Duration::from_secs(60);

/// A folder with a server in it.
struct Scene {
    folder: tempfile::TempDir,
    target: Target,
    memory: Memory,
}

impl Scene {
    fn new(flags: &[&str]) -> Self {
        Self::of(&fake_mcp(), flags)
    }

    fn of(program: &Path, args: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        let variable = |name: &str, value: &Path| (OsString::from(name), value.into());
        let target = Target {
            name: "fake".to_owned(),
            endpoint: Endpoint::Stdio {
                program: program.to_path_buf(),
                args: args.iter().map(|&arg| arg.to_owned()).collect(),
                environment: vec![
                    variable("PATH", Path::new("/usr/local/bin:/usr/bin:/bin")),
                    variable("FAKE_LOG", &path.join("heard")),
                ],
                folder: path.clone(),
            },
            identity: "fake".to_owned(),
            connect_timeout: LONG,
            log: path.join("logs/fake.log"),
        };
        Self {
            folder,
            target,
            memory: Memory::fleeting(),
        }
    }

    /// Through a shell that goes on as the fake server.
    fn by_shell(before: &str, flags: &str) -> Self {
        let script = format!("{before}; exec {} {flags}", fake_mcp().display());
        Self::of(Path::new("/bin/sh"), &["-c", &script])
    }

    async fn try_open(&self) -> Result<(Connection, mpsc::Receiver<Event>), UpstreamError> {
        let (sender, events) = mpsc::channel(EVENTS);
        let connection =
            upstream::open(&self.target, &self.memory, &Roll::fleeting(), sender).await?;
        Ok((connection, events))
    }

    async fn open(&self) -> Connection {
        self.try_open().await.unwrap().0
    }

    async fn fails_to_open(&self) -> UpstreamError {
        self.try_open().await.unwrap_err()
    }

    /// Everything that the server was sent, and its beginnings and ends.
    fn heard(&self) -> String {
        fs::read_to_string(self.folder.path().join("heard")).unwrap_or_default()
    }

    /// The methods of the requests that it was sent.
    fn methods(&self) -> Vec<String> {
        let heard = self.heard();
        let messages = heard
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let methods = messages.filter_map(|message| message["method"].as_str().map(str::to_owned));
        methods.collect()
    }

    async fn hears(&self, text: &str) {
        let heard = async {
            while !self.heard().contains(text) {
                sleep(Duration::from_millis(10)).await;
            }
        };
        let heard = timeout(LONG, heard).await;
        assert!(heard.is_ok(), "{text} is not in\n{}", self.heard());
    }

    /// Every process that was started.
    fn pids(&self) -> Vec<String> {
        let heard = self.heard();
        let starts = heard.lines().filter_map(|line| line.strip_prefix("start "));
        starts.map(str::to_owned).collect()
    }

    async fn leaves_nothing(&self) {
        for pid in self.pids() {
            ends(&pid).await;
        }
    }
}

/// Beside the tests, where cargo puts the programs of the workspace.
fn fake_mcp() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test
        .parent()
        .and_then(Path::parent)
        .unwrap()
        .join("fake-mcp");
    assert!(
        path.is_file(),
        "{} is missing: cargo build -p argway-testkit",
        path.display()
    );
    path
}

/// Waits until a process is no more; a zombie is none.
async fn ends(pid: &str) {
    let gone = async {
        loop {
            let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output();
            let state = String::from_utf8(state.unwrap().stdout).unwrap();
            if state.trim().is_empty() || state.trim().starts_with('Z') {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(timeout(LONG, gone).await.is_ok(), "{pid} is still running");
}

fn params(tool: &str, arguments: &Value) -> Box<RawValue> {
    let params = json!({"name": tool, "arguments": arguments});
    RawValue::from_string(params.to_string()).unwrap()
}

fn within(time: Duration) -> CallOptions {
    CallOptions {
        timeout: Some(time),
        ..CallOptions::default()
    }
}

async fn call(
    connection: &Connection,
    tool: &str,
    arguments: Value,
) -> Result<Value, UpstreamError> {
    let params = params(tool, &arguments);
    let result = connection
        .request("tools/call", &params, within(LONG))
        .await?;
    Ok(serde_json::from_str(result.get()).unwrap())
}

async fn text(connection: &Connection, tool: &str, arguments: Value) -> String {
    let result = call(connection, tool, arguments).await.unwrap();
    result["content"][0]["text"].as_str().unwrap().to_owned()
}
