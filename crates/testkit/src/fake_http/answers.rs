//! The answer to a request that was let in, and the ways in which one fails.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::exchange::{Exchange, Then};
use super::message::{EVENTS, JSON, answer, begin, piece};
use super::tools;

/// The longest that a stall lasts, so that nothing is left running.
const STALL: Duration = Duration::from_secs(60);

impl Exchange<'_> {
    /// Answers a request as the path and the tool say.
    pub(super) fn answer(
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
    pub(super) fn stall(&self) -> io::Result<Then> {
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

    pub(super) fn reply(&self, message: &Value) -> Value {
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
}
