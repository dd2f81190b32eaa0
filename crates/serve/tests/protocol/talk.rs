//! A client that speaks raw lines, so that tests see every byte of the protocol.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use argway_core::catalog::{Catalog, Inherited, Layout, Selection};
use argway_core::model::{Program, Reading};
use argway_core::output::DataFormat;
use argway_serve::bridge::{Bridge, SandboxSettings, Settings};
use argway_serve::mcp::{Identity, Options, PageLimit, Refresh, ServeError, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

const TICKER: &str = include_str!("../../../../conformance/clients/ticker");
const DESCRIPTION: &str = include_str!("../../../../conformance/clients/ticker.json");

/// How long a test waits for anything before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// The versions that open with `initialize`.
pub const HANDSHAKES: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The version that does not.
pub const NEWEST: &str = "2026-07-28";

/// A folder with the program that the tests serve.
pub struct World {
    pub folder: tempfile::TempDir,
}

impl World {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let ticker = folder.path().join("ticker");
        fs::write(&ticker, TICKER).expect("a program");
        fs::set_permissions(&ticker, fs::Permissions::from_mode(0o755)).expect("its mode");
        Self { folder }
    }

    pub fn ticker(&self) -> PathBuf {
        self.folder.path().join("ticker")
    }

    pub fn catalog(&self) -> Arc<Catalog> {
        let ticker = self.ticker();
        let text = DESCRIPTION.replace("@TICKER@", ticker.to_str().expect("a name"));
        let reading: Reading = serde_json::from_str(&text).expect("a description");
        let programs = [Arc::new(reading.program)];
        let catalog = Catalog::build(&programs, &Selection::default(), Inherited::default());
        Arc::new(catalog.expect("a catalog"))
    }

    /// A client of a server that has read nothing yet.
    pub fn talk_unread(&self, refresh: Option<Box<dyn Refresh>>) -> Talk {
        let options = Options {
            look_every: Duration::from_millis(20),
            ..Options::default()
        };
        Talk::start(Server::unread(identity(), settings(), options), refresh)
    }

    pub fn server(&self, options: Options) -> Server {
        let bridge = Bridge {
            catalog: self.catalog(),
            settings: settings(),
        };
        Server::new(identity(), bridge, options)
    }

    /// A client of a fresh server that has said nothing yet.
    pub fn talk(&self) -> Talk {
        Talk::start(self.server(Options::default()), None)
    }

    /// A client of a server of this one program, which runs without a sandbox.
    pub fn talk_of(&self, program: Program) -> Talk {
        let programs = [Arc::new(program)];
        let catalog = Catalog::build(&programs, &Selection::default(), Inherited::default());
        let mut settings = settings();
        settings.sandbox.off = true;
        let bridge = Bridge {
            catalog: Arc::new(catalog.expect("a catalog")),
            settings,
        };
        Talk::start(Server::new(identity(), bridge, Options::default()), None)
    }

    /// One whose server looks often at what it serves, and pages its lists small.
    pub fn talk_with(&self, entries: usize, refresh: Option<Box<dyn Refresh>>) -> Talk {
        let page = PageLimit {
            entries,
            ..PageLimit::default()
        };
        let look_every = Duration::from_millis(20);
        Talk::start(
            self.server(Options {
                page,
                look_every,
                ..Options::default()
            }),
            refresh,
        )
    }

    /// The numbers that `ticker wait` writes to `file`, once it has.
    pub async fn processes(&self, file: &Path) -> Vec<i32> {
        soon("the program starts", || file.exists()).await;
        let text = fs::read_to_string(file).expect("numbers");
        text.split_whitespace()
            .map(|number| number.parse().expect("a number"))
            .collect()
    }
}

fn identity() -> Identity {
    Identity {
        name: "ticker".to_owned(),
        version: "0.0.1".to_owned(),
        title: "Ticker".to_owned(),
    }
}

fn settings() -> Settings {
    Settings {
        layout: Layout::Flat,
        timeout: Duration::from_secs(60),
        operator_timeout: None,
        max_output: 1 << 20,
        max_spill: 1 << 24,
        format: DataFormat::Json,
        json_output: false,
        directory: None,
        sandbox: SandboxSettings::default(),
    }
}

/// Waits until `condition` holds.
pub async fn soon(what: &str, mut condition: impl FnMut() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting)
        .await
        .unwrap_or_else(|_| panic!("never: {what}"));
}

/// Whether a process runs; one that waits to be collected does not.
pub fn runs(process: i32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat"))
        .ok()
        .and_then(|stat| Some(stat.rsplit_once(") ")?.1.starts_with('Z')))
        .is_some_and(|zombie| !zombie)
}

/// How a client talks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Life {
    /// It opened with `initialize`.
    Session,
    /// Every request says its version.
    Inline,
}

/// One conversation.
pub struct Talk {
    write: Option<WriteHalf<DuplexStream>>,
    read: BufReader<ReadHalf<DuplexStream>>,
    server: JoinHandle<Result<(), ServeError>>,
    life: Life,
    next_id: u64,
    /// Notifications that came while something else was waited for, in order.
    pub heard: VecDeque<Value>,
    /// Answers that came while another was waited for.
    answers: Vec<Value>,
}

impl Talk {
    fn start(server: Server, refresh: Option<Box<dyn Refresh>>) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (their_read, their_write) = tokio::io::split(theirs);
        let (read, write) = tokio::io::split(ours);
        let server =
            tokio::spawn(async move { server.serve(their_read, their_write, refresh).await });
        Self {
            write: Some(write),
            read: BufReader::new(read),
            server,
            life: Life::Session,
            next_id: 0,
            heard: VecDeque::new(),
            answers: Vec::new(),
        }
    }

    /// Opens with `initialize` and returns its result.
    pub async fn initialize(&mut self, version: &str) -> Value {
        let result = self
            .result(
                "initialize",
                json!({
                    "protocolVersion": version,
                    "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"},
                }),
            )
            .await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        result
    }

    /// Opens in the version's own way.
    pub async fn open(&mut self, version: &str) {
        if version == NEWEST {
            self.life = Life::Inline;
        } else {
            self.initialize(version).await;
        }
    }

    pub async fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes()).await;
    }

    pub async fn send_line(&mut self, line: &[u8]) {
        let write = self.write.as_mut().expect("an open line");
        write.write_all(line).await.expect("a line is taken");
        write.write_all(b"\n").await.expect("a line is taken");
    }

    /// Sends a request and returns its id without waiting.
    pub async fn ask(&mut self, method: &str, mut params: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        if self.life == Life::Inline {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(NEWEST);
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        id
    }

    /// The next message of any kind.
    pub async fn next(&mut self) -> Value {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.read.read_line(&mut line));
        let count = read.await.expect("an answer in time").expect("a line");
        assert_ne!(count, 0, "the server ended the conversation");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"))
    }

    /// The answer to `id`; notifications before it are kept in `heard`.
    pub async fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(at) = self.answers.iter().position(|answer| answer["id"] == id) {
                return self.answers.remove(at);
            }
            let message = self.next().await;
            match message.get("id") {
                Some(_) => self.answers.push(message),
                None => self.heard.push_back(message),
            }
        }
    }

    /// The next notification called `method`.
    pub async fn notification(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self
                .heard
                .iter()
                .position(|heard| heard["method"] == method)
            {
                return self.heard.remove(at).expect("the one found");
            }
            let message = self.next().await;
            match message.get("id") {
                Some(_) => self.answers.push(message),
                None => self.heard.push_back(message),
            }
        }
    }

    pub async fn result(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        let mut answer = self.answer(id).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    pub async fn error(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        let mut answer = self.answer(id).await;
        assert!(answer.get("result").is_none(), "{method}: {answer}");
        answer["error"].take()
    }

    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments}))
            .await
    }

    /// Says no more, and goes on listening.
    pub async fn close_input(&mut self) {
        if let Some(mut write) = self.write.take() {
            write.shutdown().await.expect("an end");
        }
    }

    /// Leaves, and returns when the server has ended.
    pub async fn leave(mut self) {
        self.close_input().await;
        let ended = tokio::time::timeout(PATIENCE, self.server).await;
        ended
            .expect("an end in time")
            .expect("no panic")
            .expect("a clean end");
    }
}
