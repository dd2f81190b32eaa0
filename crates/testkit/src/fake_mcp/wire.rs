//! What the fake server says, and what is remembered of what it was told.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::flags::Flags;

/// The way out, shared by the calls under way.
pub struct Wire {
    log: Option<PathBuf>,
    line_end: &'static str,
    state: Mutex<State>,
    cancelled: Condvar,
}

#[derive(Default)]
struct State {
    /// Whether log messages are told.
    tells_logs: bool,
    /// Whether a byte order mark is still to be written.
    mark: bool,
    /// The calls that were cancelled, by their id as JSON.
    cancelled: BTreeSet<String>,
    /// Who waits for an answer of the client, by the id of the request.
    asked: BTreeMap<String, Sender<Value>>,
    /// Answers that wait for another call, see `out_of_order`.
    held: Vec<Value>,
    /// Calls that wait for others, see `together`.
    gathered: Vec<Value>,
}

impl Wire {
    pub fn new(flags: &Flags) -> Self {
        Self {
            log: std::env::var_os("FAKE_LOG").map(PathBuf::from),
            line_end: if flags.crlf { "\r\n" } else { "\n" },
            state: Mutex::new(State {
                mark: flags.bom,
                tells_logs: !flags.shy,
                ..State::default()
            }),
            cancelled: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes something in the file that `FAKE_LOG` names.
    pub fn record(&self, text: &str) {
        let Some(path) = &self.log else { return };
        if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path) {
            let _ = file.write_all(format!("{text}\n").as_bytes());
        }
    }

    /// Bytes as they are.
    pub fn raw(&self, bytes: &[u8]) {
        crate::write_out(bytes);
    }

    /// A message whose JSON is already written.
    pub fn line(&self, json: &str) {
        let mark = match std::mem::take(&mut self.state().mark) {
            true => "\u{feff}",
            false => "",
        };
        crate::write_out(format!("{mark}{json}{}", self.line_end).as_bytes());
    }

    pub fn send(&self, message: &Value) {
        self.line(&message.to_string());
    }

    pub fn result(&self, id: &Value, result: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    /// A result of one text block.
    pub fn text(&self, id: &Value, text: &str) {
        self.result(id, &json!({"content": [{"type": "text", "text": text}]}));
    }

    pub fn error(&self, id: &Value, code: i64, message: &str) {
        self.send(
            &json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}),
        );
    }

    pub fn error_with(&self, id: &Value, code: i64, message: &str, data: &Value) {
        let error = json!({"code": code, "message": message, "data": data});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
    }

    /// The client wants log messages.
    pub fn tell_logs(&self) {
        self.state().tells_logs = true;
    }

    /// Whether log messages are told.
    pub fn tells_logs(&self) -> bool {
        self.state().tells_logs
    }

    /// The client does not want the answer any more.
    pub fn cancel(&self, id: &Value) {
        self.state().cancelled.insert(id.to_string());
        self.cancelled.notify_all();
    }

    /// Waits for this time. False if the call was cancelled meanwhile.
    pub fn wait(&self, id: &Value, time: Duration) -> bool {
        let id = id.to_string();
        let still = |state: &mut State| !state.cancelled.contains(&id);
        let waited = self.cancelled.wait_timeout_while(self.state(), time, still);
        waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Sends a request to the client; its whole answer comes through the channel.
    pub fn ask(&self, id: &str, method: &str, params: &Value) -> Receiver<Value> {
        let (sender, answer) = mpsc::channel();
        self.state().asked.insert(json!(id).to_string(), sender);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        answer
    }

    /// The client has answered a request.
    pub fn answered(&self, message: &Value) {
        let asked = self.state().asked.remove(&message["id"].to_string());
        if let Some(asked) = asked {
            let _ = asked.send(message.clone());
        }
    }

    /// Everybody who waits, this one too, once they are so many; nobody before.
    pub fn gather(&self, id: &Value, count: usize) -> Vec<Value> {
        let gathered = &mut self.state().gathered;
        gathered.push(id.clone());
        match gathered.len() < count {
            true => Vec::new(),
            false => std::mem::take(gathered),
        }
    }

    /// Keeps the first answer until a second one is there, and then sends the second
    /// before the first.
    pub fn swap(&self, answer: Value) {
        let first = self.state().held.pop();
        match first {
            None => self.state().held.push(answer),
            Some(first) => {
                self.send(&answer);
                self.send(&first);
            }
        }
    }
}

/// A line on stderr.
pub fn complain(text: &str) {
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
}
