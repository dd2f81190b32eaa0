//! One request: what it may get, by the words of its path, the session and the headers.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;

use serde_json::{Value, json};

use super::World;
use super::message::{EVENTS, JSON, Request, answer, begin, piece};

/// Whether the connection is used further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    Next,
    HangUp,
    Reset,
}

/// One request and how it is answered.
pub(super) struct Exchange<'a> {
    pub(super) request: &'a Request,
    pub(super) stream: &'a TcpStream,
    pub(super) world: &'a Arc<World>,
}

impl Exchange<'_> {
    pub(super) fn path(&self) -> &str {
        self.request
            .target
            .split('?')
            .next()
            .unwrap_or_default()
            .trim_start_matches('/')
    }

    pub(super) fn has(&self, word: &str) -> bool {
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

    pub(super) fn serve(&self, to: &mut dyn Write) -> io::Result<Then> {
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

    pub(super) fn refuse(&self, to: &mut dyn Write, status: u16) -> io::Result<Then> {
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
    pub(super) fn complain(
        &self,
        to: &mut dyn Write,
        status: u16,
        code: i32,
        text: &str,
    ) -> io::Result<Then> {
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

    pub(super) fn session_trouble(&self) -> Option<(u16, &'static str)> {
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
}
