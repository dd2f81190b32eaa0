//! An MCP server over stdio that does everything that servers do wrong.
//!
//! Its faults are chosen by its tools (`tools.rs` lists them) and by its flags
//! (`flags.rs`); with `--script FILE` it is well-behaved, and does what the file says
//! (`script.rs`). With `FAKE_LOG` naming a file, every line that it is sent is
//! recorded there, between `start PID` and, if it ends in order, `end PID`.

#[path = "fake_mcp/calls.rs"]
mod calls;
#[path = "fake_mcp/flags.rs"]
mod flags;
#[path = "fake_mcp/script.rs"]
mod script;
#[path = "fake_mcp/tools.rs"]
mod tools;
#[path = "fake_mcp/wire.rs"]
mod wire;

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use flags::{Era, Flags};
use script::Script;
use wire::Wire;

/// Longer than any test, but not for ever.
const A_LONG_TIME: Duration = Duration::from_secs(3600);
const MODERN: &str = "2026-07-28";
const PROTOCOL_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

fn main() -> ExitCode {
    let flags = match Flags::parse(std::env::args().skip(1)) {
        Ok(flags) => flags,
        Err(problem) => {
            wire::complain(&format!("fake-mcp: {problem}"));
            return ExitCode::from(2);
        }
    };
    if let Some(code) = flags.fail_to_start {
        wire::complain("fake-mcp: there is no database here");
        return ExitCode::from(code);
    }
    let script = match flags.script.as_ref().map(Script::read).transpose() {
        Ok(script) => script,
        Err(problem) => {
            wire::complain(&format!("fake-mcp: {problem}"));
            return ExitCode::from(2);
        }
    };
    let wire = Arc::new(Wire::new(&flags));
    wire.record(&format!("start {}", std::process::id()));
    if flags.banner {
        wire.raw(b"fake-mcp is listening on stdio\n{\"level\":30,\"msg\":\"ready\"}\n\n");
    }
    let mut server = Server {
        flags,
        script,
        wire,
        opened: false,
        listening: false,
        added: 0,
        dying: false,
    };
    let code = server.serve();
    server.wire.record(&format!("end {}", std::process::id()));
    code
}

/// One conversation.
struct Server {
    flags: Flags,
    script: Option<Script>,
    wire: Arc<Wire>,
    /// Whether `initialize` was answered.
    opened: bool,
    /// Whether the client wants to hear of changes, where that has to be said.
    listening: bool,
    /// How many tools `list_changed` has added.
    added: usize,
    /// Whether the next message is the last.
    dying: bool,
}

impl Server {
    fn serve(&mut self) -> ExitCode {
        let lines = stdin_lines();
        let idle = self.flags.exit_after_idle.unwrap_or(A_LONG_TIME);
        loop {
            match lines.recv_timeout(idle) {
                Ok(line) => {
                    self.wire.record(line.trim_end());
                    let Ok(message) = serde_json::from_str::<Value>(&line) else {
                        self.wire.error(&Value::Null, -32700, "that is no JSON");
                        continue;
                    };
                    if let Some(code) = self.handle(&message) {
                        return code;
                    }
                    if self.flags.deaf && self.opened {
                        thread::sleep(A_LONG_TIME);
                    }
                }
                Err(RecvTimeoutError::Timeout) => return ExitCode::SUCCESS,
                Err(RecvTimeoutError::Disconnected) if self.flags.ignore_eof => {
                    thread::sleep(A_LONG_TIME);
                    return ExitCode::SUCCESS;
                }
                Err(RecvTimeoutError::Disconnected) => return ExitCode::SUCCESS,
            }
        }
    }

    /// One message. An exit code ends the program.
    fn handle(&mut self, message: &Value) -> Option<ExitCode> {
        let (id, method) = (&message["id"], message["method"].as_str());
        let Some(method) = method else {
            self.wire.answered(message);
            return None;
        };
        let params = &message["params"];
        if self.dying {
            return Some(ExitCode::from(1));
        }
        match method {
            "notifications/cancelled" => {
                self.wire.cancel(&params["requestId"]);
                self.dying = self.flags.dies_of_cancel;
            }
            _ if id.is_null() => {}
            "initialize" => return self.initialize(id, params),
            "server/discover" => return self.discover(id, params),
            "ping" => self.wire.result(id, &json!({})),
            "logging/setLevel" if self.opened => {
                self.wire.tell_logs();
                self.wire.result(id, &json!({}));
            }
            "tools/list" if self.dressed(id, params) => self.list(id, params),
            "tools/call" if self.dressed(id, params) => self.call(id, params),
            "subscriptions/listen" if self.flags.era != Era::Legacy && self.dressed(id, params) => {
                self.listen(id, params);
            }
            "tools/list" | "tools/call" => {}
            _ => self
                .wire
                .error(id, -32601, &format!("unknown method {method}")),
        }
        None
    }

    fn initialize(&mut self, id: &Value, params: &Value) -> Option<ExitCode> {
        if self.flags.never_initialize {
            return None;
        }
        if let Some(time) = self.flags.slow_initialize {
            thread::sleep(time);
        }
        if self.flags.era == Era::ModernOnly {
            let data = json!({"requested": params["protocolVersion"], "supported": [MODERN]});
            self.wire
                .error_with(id, -32022, "Unsupported protocol version", &data);
            return self.flags.exit_on_initialize.then(|| ExitCode::from(4));
        }
        let protocol = match &self.flags.protocol {
            Some(protocol) => json!(protocol),
            None => params["protocolVersion"].clone(),
        };
        self.opened = true;
        self.wire.result(
            id,
            &json!({
                "protocolVersion": protocol,
                "capabilities": {"tools": {"listChanged": true}, "logging": {}},
                "serverInfo": {"name": "fake-mcp", "version": "1.2.3"},
                "instructions": "Use `add` to add."
            }),
        );
        None
    }

    fn discover(&mut self, id: &Value, params: &Value) -> Option<ExitCode> {
        if self.flags.exit_on_discover {
            return Some(ExitCode::from(5));
        }
        if self.flags.era == Era::Legacy {
            self.wire
                .error(id, -32601, "unknown method server/discover");
        } else if self.dressed(id, params) {
            self.wire.result(
                id,
                &json!({
                    "resultType": "complete",
                    "supportedVersions": [MODERN],
                    "capabilities": {"tools": {"listChanged": true}},
                    "instructions": "Use `add` to add.",
                    "ttlMs": 60000,
                    "cacheScope": "private",
                    "_meta": {"io.modelcontextprotocol/serverInfo":
                        {"name": "fake-mcp", "version": "1.2.3"}}
                }),
            );
        }
        None
    }

    /// Whether the request says everything that its life asks for; refuses it if not.
    fn dressed(&self, id: &Value, params: &Value) -> bool {
        if self.opened {
            return true;
        }
        if self.flags.era == Era::Legacy {
            self.wire.error(id, -32600, "not initialized");
            return false;
        }
        let meta = &params["_meta"];
        if meta[PROTOCOL_KEY].is_null() || !meta[CAPABILITIES_KEY].is_object() {
            self.wire.error(
                id,
                -32602,
                "_meta lacks the protocol version or the capabilities",
            );
            return false;
        }
        if meta[PROTOCOL_KEY] != MODERN {
            let data = json!({"requested": meta[PROTOCOL_KEY], "supported": [MODERN]});
            self.wire
                .error_with(id, -32022, "Unsupported protocol version", &data);
            return false;
        }
        true
    }

    fn list(&self, id: &Value, params: &Value) {
        let tools = self.tools();
        let size = tools.len().div_ceil(self.flags.pages.max(1));
        let page: usize = match params["cursor"].as_str() {
            None => 0,
            Some(cursor) => match cursor.strip_prefix("page ").map(str::parse) {
                Some(Ok(page)) => page,
                _ => return self.wire.error(id, -32602, "unknown cursor"),
            },
        };
        let shown: Vec<&Value> = tools.iter().skip(page * size).take(size).collect();
        let mut result = json!({"tools": shown, "ttlMs": 60000, "cacheScope": "private"});
        if (page + 1) * size < tools.len() {
            result["nextCursor"] = json!(format!("page {}", page + 1));
        }
        if !self.opened {
            result["resultType"] = json!("complete");
        }
        self.wire.result(id, &result);
    }

    fn tools(&self) -> Vec<Value> {
        match &self.script {
            Some(script) => script.tools.clone(),
            None => tools::list(&self.flags, self.added),
        }
    }

    fn listen(&mut self, id: &Value, params: &Value) {
        self.listening = params["notifications"]["toolsListChanged"] == true;
        self.wire.send(&json!({
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {
                "notifications": params["notifications"],
                "_meta": {"io.modelcontextprotocol/subscriptionId": id}
            }
        }));
    }

    fn call(&mut self, id: &Value, params: &Value) {
        if let Some(script) = &self.script {
            match script.answer(params) {
                Some(result) => self.wire.result(id, &result),
                None => self
                    .wire
                    .error(id, -32602, "nothing is written for this call"),
            }
            return;
        }
        if params["name"] == "list_changed" {
            self.added += 1;
            if (self.opened || self.listening) && !self.flags.untold {
                let changed = "notifications/tools/list_changed";
                self.wire
                    .send(&json!({"jsonrpc": "2.0", "method": changed}));
            }
            self.wire.text(id, &format!("added_{}", self.added));
            return;
        }
        let known = self.tools();
        let name = params["name"].as_str().unwrap_or_default();
        if !known.iter().any(|tool| tool["name"] == name) {
            self.wire.error(id, -32602, &format!("unknown tool {name}"));
            return;
        }
        calls::start(&self.wire, id, params);
    }
}

/// The lines of stdin, read by a thread of their own, so that waiting can be bounded.
fn stdin_lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::sync_channel(16);
    thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut line = String::new();
        while matches!(stdin.read_line(&mut line), Ok(length) if length > 0) {
            if sender.send(std::mem::take(&mut line)).is_err() {
                break;
            }
        }
    });
    lines
}

/// Writes to stdout until it is closed.
fn write_out(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
