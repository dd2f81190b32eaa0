//! Streams that stay open: the server's own, and those of HTTP+SSE.

use std::io::{self, Write};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use super::exchange::{Exchange, Then};
use super::message::{EVENTS, answer, begin, piece};

impl Exchange<'_> {
    /// Tells everybody who listens that the tools changed.
    pub(super) fn news(&self) {
        let news = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        for listener in self.world.state().streams.values() {
            // Who hung up needs no news.
            let _ = listener.send(news.clone());
        }
    }

    /// The server's own stream, or the rest of one that was cut off.
    pub(super) fn own_stream(&self, to: &mut dyn Write) -> io::Result<Then> {
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
    pub(super) fn relay(
        &self,
        to: &mut dyn Write,
        name: &str,
        first: Option<String>,
    ) -> io::Result<Then> {
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

    pub(super) fn old_stream(&self, to: &mut dyn Write) -> io::Result<Then> {
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

    pub(super) fn old_message(&self, to: &mut dyn Write, message: &Value) -> io::Result<Then> {
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
