//! A real `argway serve` and the client that it talks to.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{Ground, PATIENCE, Tier, soon};

pub struct Server {
    process: Child,
    stdin: Option<ChildStdin>,
    /// What it says, a message a line.
    messages: Receiver<Value>,
    last: u64,
}

impl Server {
    pub fn start(ground: &Ground, definition: &Path, tier: Tier) -> Self {
        let mut command = ground.command(ground.argway());
        command.arg("serve").arg(definition).arg(tier.flag());
        Self::talk_to(command)
    }

    /// The server that this command starts.
    pub fn talk_to(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or_default();
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut server = Self {
            stdin: process.stdin.take(),
            process,
            messages,
            last: 0,
        };
        let client = json!({"name": "test", "version": "1"});
        let open =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let id = server.ask("initialize", &open);
        server.answer(id);
        server.notify("notifications/initialized", &json!({}));
        server
    }

    /// Sends a request and gives its number.
    pub fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{message}").unwrap();
    }

    /// Begins a call of the attacker.
    pub fn begin(&mut self, words: &[&str]) -> u64 {
        let params = json!({"name": "cli_attack", "arguments": {"args": words}});
        self.ask("tools/call", &params)
    }

    /// Takes a call back.
    pub fn cancel(&mut self, id: u64) {
        self.notify("notifications/cancelled", &json!({"requestId": id}));
    }

    /// The whole answer to a request.
    #[track_caller]
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            match self.messages.recv_timeout(PATIENCE) {
                Ok(message) if message["id"] == json!(id) => return message,
                Ok(_) => {}
                Err(error) => panic!("no answer to request {id}: {error}"),
            }
        }
    }

    /// The client goes away.
    pub fn disconnect(&mut self) {
        drop(self.stdin.take());
    }

    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.process.id())
            .ok()
            .and_then(Pid::from_raw);
        kill_process(pid.unwrap(), signal).unwrap();
    }

    /// Waits for the server's end.
    #[track_caller]
    pub fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        soon("the server ends", || {
            status = self.process.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.process.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}
