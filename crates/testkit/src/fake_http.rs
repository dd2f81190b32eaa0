//! An MCP server over HTTP that does what servers do, right and wrong.
//!
//! The path says how it behaves, as words joined by `+`:
//!
//! | word | meaning |
//! |---|---|
//! | `modern` | speaks 2026-07-28 only, and insists on its headers |
//! | `legacy` | wants `initialize` first; anything else before is a 400 |
//! | `old` | HTTP+SSE as in 2024: GET for the stream, POST where that says |
//! | `foreign` | with `old`: names an endpoint of another origin |
//! | `session` | gives a session, and wants it with every request |
//! | `forgetful` | with `session`: forgets it after each call |
//! | `vague` | with `session`: says 400 instead of 404 for one that it does not know |
//! | `fickle` | refuses the first modern request for its version, and names that version |
//! | `once` | with `session`: opens only one, ever |
//! | `frail` | with `session`: one that a call is cancelled in hangs up from then on |
//! | `sse` | answers as a stream of events, with progress and a comment before |
//! | `listen` | offers a stream of its own |
//! | `mute` | never answers `server/discover` |
//! | `refuse-401` | refuses everything with that status, any |
//! | `redirect-307` | redirects to the same path without this word, any 3xx |
//! | `away-307` | redirects to another host |
//! | `circle` | redirects to itself |
//! | `page` | is a web page |
//!
//! The faults of calls are tools: `tools/list` names them. A request with a whole URL,
//! or CONNECT, makes it a proxy, which goes to loopback whatever the name; `GET
//! /proxied` tells how many passed, `GET /seen` what it got: a line for each request.

mod message;
mod proxy;
mod tls;
mod tools;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use message::{Request, answer, begin, piece};
use serde_json::{Value, json};

/// The longest that a stall lasts, so that nothing is left running.
const STALL: Duration = Duration::from_secs(60);

const JSON: (&str, &str) = ("content-type", "application/json");
const EVENTS: (&str, &str) = ("content-type", "text/event-stream");

/// A server that runs in threads of this process until that ends.
#[derive(Debug, Clone)]
pub struct Fake {
    port: u16,
    world: Arc<World>,
}

/// What its connections share.
#[derive(Debug, Default)]
struct World {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    port: u16,
    count: u64,
    sessions: BTreeSet<String>,
    /// Those that hang up.
    broken: BTreeSet<String>,
    /// Who listens, by session.
    streams: BTreeMap<String, Sender<Value>>,
    /// Answers that were cut off, by the id of the last event.
    rest: BTreeMap<String, Value>,
    seen: Vec<String>,
    proxied: u64,
}

impl World {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> u64 {
        let mut state = self.state();
        state.count += 1;
        state.count
    }
}

impl Fake {
    /// Serves on a free port of loopback.
    pub fn start() -> io::Result<Self> {
        Self::serve(|stream, world| {
            let reader = BufReader::new(stream.try_clone()?);
            converse(reader, Box::new(stream.try_clone()?), &stream, world)
        })
    }

    /// Serves with TLS. The authority to trust is written to a file.
    pub fn start_tls(authority: &Path) -> io::Result<Self> {
        let config = tls::config(authority)?;
        Self::serve(move |stream, world| {
            let connection = rustls::ServerConnection::new(Arc::clone(&config));
            let connection = connection.map_err(io::Error::other)?;
            let both = rustls::StreamOwned::new(connection, stream.try_clone()?);
            let both = Shared(Arc::new(Mutex::new(both)));
            converse(BufReader::new(both.clone()), Box::new(both), &stream, world)
        })
    }

    fn serve<F>(each: F) -> io::Result<Self>
    where
        F: Fn(TcpStream, &Arc<World>) -> io::Result<()> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let world = Arc::new(World::default());
        world.state().port = port;
        let fake = Self {
            port,
            world: Arc::clone(&world),
        };
        let each = Arc::new(each);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (each, world) = (Arc::clone(&each), Arc::clone(&world));
                // A client that hangs up is no failure of the server.
                thread::spawn(move || stream.set_nodelay(true).and_then(|()| each(stream, &world)));
            }
        });
        Ok(fake)
    }

    /// Where it serves.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A URL with this behaviour.
    pub fn url(&self, behaviour: &str) -> String {
        format!("http://127.0.0.1:{}/{behaviour}", self.port)
    }

    /// What it was asked: HTTP method and JSON-RPC method.
    pub fn seen(&self) -> Vec<String> {
        self.world.state().seen.clone()
    }

    /// How many requests and tunnels passed through it as a proxy.
    pub fn proxied(&self) -> u64 {
        self.world.state().proxied
    }

    /// How many streams of its own are listened to.
    pub fn streams(&self) -> usize {
        self.world.state().streams.len()
    }

    /// Forgets every session, as a restart does.
    pub fn forget(&self) {
        self.world.state().sessions.clear();
    }

    /// The sessions that it knows.
    pub fn sessions(&self) -> usize {
        self.world.state().sessions.len()
    }
}

/// Both directions of a TLS connection, which are one thing.
#[derive(Debug, Clone)]
struct Shared(Arc<Mutex<rustls::StreamOwned<rustls::ServerConnection, TcpStream>>>);

impl Read for Shared {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .read(into)
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .flush()
    }
}

/// Whether the connection is used further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Next,
    HangUp,
    Reset,
}

fn converse(
    mut from: impl io::BufRead,
    mut to: Box<dyn Write>,
    stream: &TcpStream,
    world: &Arc<World>,
) -> io::Result<()> {
    // Somebody who wants TLS where there is none begins with a handshake's number.
    if from.fill_buf()?.first() == Some(&22) {
        return answer(to.as_mut(), 400, &[], b"");
    }
    while let Some(request) = Request::read(&mut from)? {
        if request.method == "CONNECT" || request.target.starts_with("http://") {
            world.state().proxied += 1;
            return proxy::forward(&request, stream);
        }
        let exchange = Exchange {
            request: &request,
            stream,
            world,
        };
        match exchange.serve(to.as_mut())? {
            Then::Next => {}
            Then::HangUp => break,
            Then::Reset => {
                // Without lingering, the end is a reset.
                rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO))?;
                return Ok(());
            }
        }
    }
    // A client that is gone needs no shutdown.
    let _ = stream.shutdown(Shutdown::Both);
    Ok(())
}

/// One request and how it is answered.
struct Exchange<'a> {
    request: &'a Request,
    stream: &'a TcpStream,
    world: &'a Arc<World>,
}

impl Exchange<'_> {
    fn path(&self) -> &str {
        self.request
            .target
            .split('?')
            .next()
            .unwrap_or_default()
            .trim_start_matches('/')
    }

    fn has(&self, word: &str) -> bool {
        self.path().split(['+', '/']).any(|each| each == word)
    }

    /// The status in a word such as `refuse-401`.
    fn status(&self, word: &str) -> Option<u16> {
        let found = self
            .path()
            .split('+')
            .find_map(|each| each.strip_prefix(word));
        found.and_then(|status| status.parse().ok())
    }

    fn serve(&self, to: &mut dyn Write) -> io::Result<Then> {
        match self.path() {
            "proxied" => return self.tell(to, &self.world.state().proxied.to_string()),
            "seen" => return self.tell(to, &self.world.state().seen.join("\n")),
            _ => {}
        }
        let message: Value = serde_json::from_slice(&self.request.body).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default();
        let seen = format!("{} {method}", self.request.method)
            .trim_end()
            .to_owned();
        self.world.state().seen.push(seen);
        if let Some(status) = self.status("refuse-") {
            let secret = self.request.header("authorization").unwrap_or_default();
            let body = format!("not here,\r\n\x1b[31m{secret}\x1b[0m");
            let ask = ("www-authenticate", "Bearer realm=\"fake\"");
            answer(
                to,
                status,
                &[("content-type", "text/plain"), ask],
                body.as_bytes(),
            )?;
            return Ok(Then::Next);
        }
        if let Some(place) = self.redirect() {
            let status = self
                .status("redirect-")
                .or(self.status("away-"))
                .unwrap_or(307);
            answer(to, status, &[("location", &place)], b"")?;
            return Ok(Then::Next);
        }
        if self.has("page") {
            let page = b"<html><title>Welcome</title></html>";
            answer(to, 200, &[("content-type", "text/html")], page)?;
            return Ok(Then::Next);
        }
        match self.request.method.as_str() {
            "GET" if self.has("old") => self.old_stream(to),
            "GET" => self.own_stream(to),
            "DELETE" => {
                let session = self.request.header("mcp-session-id").unwrap_or_default();
                self.world.state().sessions.remove(session);
                answer(to, 200, &[], b"")?;
                Ok(Then::Next)
            }
            "POST" if self.has("old") && !self.has("messages") => self.refuse(to, 405),
            "POST" if self.has("messages") => self.old_message(to, &message),
            "POST" => self.post(to, &message),
            _ => self.refuse(to, 405),
        }
    }

    fn tell(&self, to: &mut dyn Write, text: &str) -> io::Result<Then> {
        answer(to, 200, &[("content-type", "text/plain")], text.as_bytes())?;
        Ok(Then::Next)
    }

    fn refuse(&self, to: &mut dyn Write, status: u16) -> io::Result<Then> {
        answer(to, status, &[], b"")?;
        Ok(Then::Next)
    }

    fn redirect(&self) -> Option<String> {
        if self.has("circle") {
            return Some(format!("/{}", self.path()));
        }
        let words = |drop: &str| -> String {
            let kept = self
                .path()
                .split('+')
                .filter(|word| !word.starts_with(drop));
            kept.collect::<Vec<_>>().join("+")
        };
        if self.status("redirect-").is_some() {
            return Some(format!("/{}", words("redirect-")));
        }
        self.status("away-")?;
        let port = self.world.state().port;
        Some(format!(
            "http://user:pw@localhost:{port}/{}?key=secret",
            words("away-")
        ))
    }

    /// An error about no request, as transports give it.
    fn complain(&self, to: &mut dyn Write, status: u16, code: i32, text: &str) -> io::Result<Then> {
        let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": text}});
        answer(to, status, &[JSON], body.to_string().as_bytes())?;
        Ok(Then::Next)
    }

    fn post(&self, to: &mut dyn Write, message: &Value) -> io::Result<Then> {
        let method = message["method"].as_str().unwrap_or_default();
        let is_modern = message["params"]["_meta"]
            .get("io.modelcontextprotocol/protocolVersion")
            .is_some();
        if self.has("mute") && method == "server/discover" {
            return self.stall();
        }
        if self.has("modern") && (method == "initialize" || !is_modern) {
            return self.complain(to, 400, -32022, "only 2026-07-28 is spoken here");
        }
        if self.has("fickle") && is_modern && self.world.next() == 1 {
            let data = json!({"supported": ["2026-07-28"], "requested": "2026-07-28"});
            let error = json!({"code": -32022, "message": "not yet", "data": data});
            let body = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
            answer(to, 400, &[JSON], body.to_string().as_bytes())?;
            return Ok(Then::Next);
        }
        if self.has("legacy") && is_modern {
            return self.complain(to, 400, -32000, "Bad Request: Server not initialized");
        }
        if is_modern && let Err(wrong) = self.check_headers(message) {
            return self.complain(to, 400, -32020, &wrong);
        }
        let opens = self.has("session") && method == "initialize";
        if self.has("session")
            && !is_modern
            && !opens
            && let Some((status, text)) = self.session_trouble()
        {
            return self.complain(to, status, -32000, text);
        }
        let session = self.request.header("mcp-session-id").unwrap_or_default();
        if self.has("frail") && method == "notifications/cancelled" {
            self.world.state().broken.insert(session.to_owned());
        }
        if message.get("id").is_none() || method.is_empty() {
            return self.refuse(to, 202);
        }
        if self.world.state().broken.contains(session) {
            begin(to, &[EVENTS])?;
            piece(to, b"")?;
            return Ok(Then::Next);
        }
        if is_modern && method == "subscriptions/listen" && self.has("listen") {
            let method = "notifications/subscriptions/acknowledged";
            let hello = json!({"jsonrpc": "2.0", "method": method, "params": message["params"]});
            let name = format!("stream-{}", self.world.next());
            return self.relay(to, &name, Some(format!("data: {hello}\n\n")));
        }
        if !opens {
            return self.answer(to, message, &[]);
        }
        if self.has("once") && self.world.state().count > 0 {
            return self.refuse(to, 503);
        }
        let given = format!("session-{}", self.world.next());
        self.world.state().sessions.insert(given.clone());
        self.answer(to, message, &[("mcp-session-id", &given)])
    }

    fn session_trouble(&self) -> Option<(u16, &'static str)> {
        let Some(session) = self.request.header("mcp-session-id") else {
            return Some((400, "Bad Request: Mcp-Session-Id is missing"));
        };
        if self.request.header("mcp-protocol-version").is_none() {
            return Some((400, "Bad Request: MCP-Protocol-Version is missing"));
        }
        match (
            self.world.state().sessions.contains(session),
            self.has("vague"),
        ) {
            (true, _) => None,
            (false, true) => Some((400, "Bad Request: No valid session ID provided")),
            (false, false) => Some((404, "Session not found")),
        }
    }

    fn check_headers(&self, message: &Value) -> Result<(), String> {
        let method = message["method"].as_str();
        let wanted = [
            ("mcp-protocol-version", Some("2026-07-28")),
            ("mcp-method", method),
            (
                "mcp-name",
                message["params"]["name"]
                    .as_str()
                    .filter(|name| name.is_ascii()),
            ),
        ];
        for (name, value) in wanted {
            let sent = self.request.header(name);
            if value.is_some() && sent != value {
                return Err(format!("{name} is {sent:?}, not {value:?}"));
            }
        }
        Ok(())
    }

    /// Answers a request as the path and the tool say.
    fn answer(
        &self,
        to: &mut dyn Write,
        message: &Value,
        headers: &[(&str, &str)],
    ) -> io::Result<Then> {
        let tool = match message["method"].as_str() {
            Some("tools/call") => message["params"]["name"].as_str().unwrap_or_default(),
            _ => "",
        };
        let arguments = &message["params"]["arguments"];
        let reply = self.reply(message);
        match tool {
            "stall" => return self.stall(),
            "slow" => {
                thread::sleep(Duration::from_millis(
                    arguments["ms"].as_u64().unwrap_or(500),
                ));
            }
            "reset" => return self.reset(to, &reply),
            "truncated" | "resumable" => return self.cut_off(to, message, &reply, tool),
            "fail" => {
                let status = arguments["status"].as_u64().unwrap_or(500);
                let page = b"<html><head><title>It broke</title></head></html>";
                let kind = ("content-type", "text/html");
                answer(to, u16::try_from(status).unwrap_or(500), &[kind], page)?;
                return Ok(Then::Next);
            }
            "change" => self.news(),
            _ => {}
        }
        if !tool.is_empty() && self.has("forgetful") {
            self.world.state().sessions.clear();
        }
        if !self.has("sse") {
            let headers = [&[JSON], headers].concat();
            // The newest servers have a status for each error.
            let status = match (self.has("modern"), reply["error"]["code"].as_i64()) {
                (true, Some(-32601)) => 404,
                (true, Some(_)) => 400,
                _ => 200,
            };
            answer(to, status, &headers, reply.to_string().as_bytes())?;
            return Ok(Then::Next);
        }
        begin(to, &[&[EVENTS], headers].concat())?;
        piece(to, b": a comment\n\n")?;
        if let Some(token) = message["params"]["_meta"].get("progressToken") {
            let params = json!({"progressToken": token, "progress": 1, "total": 2});
            let news =
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
            piece(
                to,
                format!("event: message\r\ndata: {news}\r\n\r\n").as_bytes(),
            )?;
        }
        piece(to, format!("data: {reply}\n\n").as_bytes())?;
        piece(to, b"")?;
        Ok(Then::Next)
    }

    /// Tells everybody who listens that the tools changed.
    fn news(&self) {
        let news = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        for listener in self.world.state().streams.values() {
            // Who hung up needs no news.
            let _ = listener.send(news.clone());
        }
    }

    /// Half an answer, and then a reset.
    fn reset(&self, to: &mut dyn Write, reply: &Value) -> io::Result<Then> {
        let text = reply.to_string();
        write!(
            to,
            "HTTP/1.1 200 Fake\r\ncontent-type: application/json\r\n"
        )?;
        write!(
            to,
            "content-length: {}\r\n\r\n{}",
            text.len(),
            &text[..text.len() / 2]
        )?;
        to.flush()?;
        // A reset overtakes what has not been read yet.
        thread::sleep(Duration::from_millis(100));
        Ok(Then::Reset)
    }

    /// Says nothing until the client hangs up.
    fn stall(&self) -> io::Result<Then> {
        self.stream.set_read_timeout(Some(STALL))?;
        if matches!(self.stream.peek(&mut [0]), Ok(0)) {
            self.world.state().seen.push("hung up".to_owned());
        }
        Ok(Then::HangUp)
    }

    /// A stream that ends before its answer; with ids, the rest can be had.
    fn cut_off(
        &self,
        to: &mut dyn Write,
        message: &Value,
        reply: &Value,
        tool: &str,
    ) -> io::Result<Then> {
        begin(to, &[EVENTS])?;
        if tool == "resumable" {
            let id = format!("event-{}", self.world.next());
            self.world.state().rest.insert(id.clone(), reply.clone());
            piece(to, format!("id: {id}\nretry: 50\ndata:\n\n").as_bytes())?;
        } else {
            let params = json!({"level": "info", "data": "begun"});
            let news =
                json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params});
            piece(to, format!("data: {news}\n\n").as_bytes())?;
        }
        let text = format!("data: {reply}");
        piece(to, &text.as_bytes()[..text.len() / 2])?;
        match message["params"]["arguments"]["how"].as_str() {
            Some("politely") => piece(to, b"").map(|()| Then::Next),
            _ => Ok(Then::HangUp),
        }
    }

    fn reply(&self, message: &Value) -> Value {
        let id = &message["id"];
        match self.result(message) {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, text)) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}})
            }
        }
    }

    fn result(&self, message: &Value) -> Result<Value, (i32, String)> {
        let server = json!({"name": "fake-http", "version": "1"});
        let capabilities = json!({"tools": {"listChanged": self.has("listen")}});
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => Ok(json!({
                "protocolVersion": "2025-06-18",
                "serverInfo": server,
                "capabilities": capabilities,
            })),
            "server/discover" => Ok(json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "serverInfo": server,
                "capabilities": capabilities,
                "ttlMs": 0,
                "cacheScope": "private",
            })),
            "ping" | "logging/setLevel" => Ok(json!({})),
            "tools/list" => Ok(json!({
                "resultType": "complete", "tools": tools::tools(), "ttlMs": 0, "cacheScope": "private",
            })),
            "tools/call" => tools::call(self.request, &message["params"]),
            other => Err((-32601, format!("no method {other}"))),
        }
    }

    /// The server's own stream, or the rest of one that was cut off.
    fn own_stream(&self, to: &mut dyn Write) -> io::Result<Then> {
        if let Some(last) = self.request.header("last-event-id") {
            let Some(rest) = self.world.state().rest.remove(last) else {
                return self.refuse(to, 404);
            };
            begin(to, &[EVENTS])?;
            piece(to, format!("id: {last}-rest\ndata: {rest}\n\n").as_bytes())?;
            piece(to, b"")?;
            return Ok(Then::Next);
        }
        if !self.has("listen") {
            return self.refuse(to, 405);
        }
        if self.has("session")
            && let Some((status, text)) = self.session_trouble()
        {
            return self.complain(to, status, -32000, text);
        }
        self.relay(to, &format!("stream-{}", self.world.next()), None)
    }

    /// Passes on what is sent to a stream until its client hangs up.
    fn relay(&self, to: &mut dyn Write, name: &str, first: Option<String>) -> io::Result<Then> {
        let (sender, receiver) = mpsc::channel();
        self.world.state().streams.insert(name.to_owned(), sender);
        begin(to, &[EVENTS])?;
        if let Some(first) = first {
            piece(to, first.as_bytes())?;
        }
        let mut failed = Ok(());
        while failed.is_ok() {
            failed = match receiver.recv_timeout(Duration::from_millis(200)) {
                Ok(message) => piece(to, format!("data: {message}\n\n").as_bytes()),
                Err(mpsc::RecvTimeoutError::Timeout) => piece(to, b": still here\n\n"),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            };
        }
        self.world.state().streams.remove(name);
        Ok(Then::HangUp)
    }

    fn old_stream(&self, to: &mut dyn Write) -> io::Result<Then> {
        let name = format!("old-{}", self.world.next());
        let origin = match self.has("foreign") {
            true => "http://elsewhere.test",
            false => "",
        };
        let endpoint = format!("{origin}/{}/messages?session={name}", self.path());
        self.relay(
            to,
            &name,
            Some(format!("event: endpoint\ndata: {endpoint}\n\n")),
        )
    }

    fn old_message(&self, to: &mut dyn Write, message: &Value) -> io::Result<Then> {
        let name = self
            .request
            .target
            .split("session=")
            .nth(1)
            .unwrap_or_default();
        let Some(stream) = self.world.state().streams.get(name).cloned() else {
            return self.refuse(to, 404);
        };
        let tool = message["params"]["name"].as_str().unwrap_or_default();
        match tool {
            "reset" | "truncated" => {
                self.world.state().streams.remove(name);
            }
            "fail" => return self.refuse(to, 500),
            "stall" => {}
            _ if message.get("id").is_some() && message.get("method").is_some() => {
                if tool == "change" {
                    self.news();
                }
                // A stream that is gone has nobody to tell.
                let _ = stream.send(self.reply(message));
            }
            _ => {}
        }
        drop(stream);
        answer(to, 202, &[], b"Accepted")?;
        Ok(Then::Next)
    }
}
