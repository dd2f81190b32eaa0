//! What the tools of the fake server do.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::wire::{Wire, complain};

/// A picture of one pixel, PNG in base64.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// A WAV file without a sample.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
/// How long the client may take to answer a question.
const PATIENCE: Duration = Duration::from_secs(60);

/// Answers a call, at once or from a thread of its own.
pub fn start(wire: &Arc<Wire>, id: &Value, params: &Value) {
    let call = Call {
        wire: Arc::clone(wire),
        id: id.clone(),
        arguments: params["arguments"].clone(),
        token: params["_meta"]["progressToken"].clone(),
        responses: params["inputResponses"].clone(),
    };
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    match name.as_str() {
        "slow" | "progress" | "elicit" | "sampling" | "roots" | "ping_back" | "flood_stderr" => {
            thread::spawn(move || call.run(&name));
        }
        _ => call.run(&name),
    }
}

/// One call of a tool.
struct Call {
    wire: Arc<Wire>,
    id: Value,
    arguments: Value,
    token: Value,
    responses: Value,
}

impl Call {
    fn run(&self, name: &str) {
        match name {
            "add" => self.add(),
            "echo" => self.text(self.word("text")),
            "fail" => self.content(&json!([text("it did not work")]), true),
            "fail_structured" => self.result(&json!({
                "content": [text("it did not work either")],
                "structuredContent": {"reason": "weather"},
                "isError": true
            })),
            "structured" => self.structured(),
            "wraps_text" => self.result(&json!({
                "content": [text("first line\nsecond line\n")],
                "structuredContent": {"content": "first line\nsecond line\n"}
            })),
            "envelope" => self.envelope(),
            "big" => self.big(),
            "together" => self.together(),
            "slow" => self.slow(),
            "progress" => self.progress(),
            "logs" => self.logs(),
            "image" => self.content(
                &json!([{"type": "image", "data": PIXEL, "mimeType": "image/png"}]),
                false,
            ),
            "audio" => self.content(
                &json!([{"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}]),
                false,
            ),
            "resource" => self.content(
                &json!([
                    {"type": "resource", "resource": {"uri": "file:///notes.md",
                        "mimeType": "text/markdown", "text": "# Notes\n"}},
                    {"type": "resource", "resource": {"uri": "file:///pixel.png",
                        "mimeType": "image/png", "blob": PIXEL}}
                ]),
                false,
            ),
            "link" => self.content(
                &json!([{"type": "resource_link", "uri": "file:///notes.md", "name": "notes"}]),
                false,
            ),
            "multi" => self.content(&json!([text("one"), text("two"), text("three")]), false),
            "unknown_content" => self.content(
                &json!([{"type": "hologram", "beams": 3}, text("and a text")]),
                false,
            ),
            "text_null" => self.content(&json!([{"type": "text", "text": null}]), false),
            "empty" => self.result(&json!({})),
            "null_result" => self.result(&Value::Null),
            "extra_fields" => self.wire.send(&json!({
                "jsonrpc": "2.0", "id": self.id, "elapsed": 3, "trace": {"span": [1]},
                "result": {
                    "content": [{"type": "text", "text": "plain", "colour": "blue"}],
                    "resultKind": "odd"
                }
            })),
            "rpc_error" => self.rpc_error(),
            "odd_error" => self.wire.send(
                &json!({"jsonrpc": "2.0", "id": self.id, "error": {"code": "E_ODD", "message": null}}),
            ),
            "no_result" => self.wire.send(&json!({"jsonrpc": "2.0", "id": self.id})),
            "crash" => {
                complain("fake-mcp: out of paper");
                let code = self.arguments["code"].as_i64().unwrap_or(3);
                std::process::exit(i32::try_from(code).unwrap_or(3));
            }
            "abort" => std::process::abort(),
            "hang" => {}
            "garbage" => {
                self.wire.raw(b"debug: here we go\n\n[1, 2\n{\"half\": \n\xff\xfe\x00 binary\nnull\n42\n\"text\"\n");
                self.text("after the garbage");
            }
            "invalid_utf8" => self.invalid_utf8(),
            "string_id" => {
                let id = self.id.to_string();
                let result = json!({"content": [text("by a string")]});
                self.wire.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
            }
            "batch" => self.batch(),
            "flood_stderr" => self.flood_stderr(),
            "flood_stdout" => self.flood_stdout(),
            "out_of_order" => {
                let result = json!({"content": [text(self.word("text"))]});
                self.wire.swap(json!({"jsonrpc": "2.0", "id": self.id, "result": result}));
            }
            "twice" => {
                self.text("the first answer");
                self.text("the second answer");
            }
            "elicit" => self.elicit(),
            "sampling" => self.ask("sampling/createMessage", &json!({
                "messages": [{"role": "user", "content": text("hello")}], "maxTokens": 10
            })),
            "roots" => self.ask("roots/list", &json!({})),
            "ping_back" => self.ask("ping", &json!({})),
            "cwd" => match std::env::current_dir() {
                Ok(folder) => self.text(&folder.to_string_lossy()),
                Err(error) => self.content(&json!([text(&error.to_string())]), true),
            },
            "env" => match std::env::var(self.word("name")) {
                Ok(value) => self.text(&value),
                Err(_) => self.content(&json!([text("not set")]), true),
            },
            "pid" => self.text(&std::process::id().to_string()),
            "args" => {
                let words: Vec<String> = std::env::args().skip(1).collect();
                self.text(&json!(words).to_string());
            }
            "child" => self.child(),
            "confirm" => self.confirm(),
            other => self.text(&format!("{other} was called")),
        }
    }

    fn word(&self, name: &str) -> &str {
        self.arguments[name].as_str().unwrap_or_default()
    }

    fn number(&self, name: &str) -> usize {
        let number = self.arguments[name].as_u64().unwrap_or_default();
        usize::try_from(number).unwrap_or_default()
    }

    fn result(&self, result: &Value) {
        self.wire.result(&self.id, result);
    }

    fn text(&self, text: &str) {
        self.wire.text(&self.id, text);
    }

    fn content(&self, content: &Value, is_error: bool) {
        self.result(&json!({"content": content, "isError": is_error}));
    }

    fn add(&self) {
        let number = |name: &str| self.arguments[name].as_i64().map(i128::from);
        match (number("a"), number("b")) {
            (Some(a), Some(b)) => self.text(&(a + b).to_string()),
            _ => self
                .wire
                .error(&self.id, -32602, "a and b must be integers"),
        }
    }

    /// Written by hand: no number may pass through a parser.
    fn structured(&self) {
        self.wire.line(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"see the structure"}}],"structuredContent":{{"zebra":9223372036854775807,"apple":-9223372036854775808,"unsigned":18446744073709551615,"beyond":123456789012345678901234567890,"pi":3.14159265358979323846264338327950288,"one":1.0,"tenth":0.1,"large":1E400,"items":[{{"name":"a"}},{{"name":"\u00e9 \/"}}],"empty":{{}}, "spaced" : [ 1 , 2 ]}}}}}}"#,
            self.id
        ));
    }

    /// Written by hand too: it may be very long.
    fn big(&self) {
        self.wire.line(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"{}"}}]}}}}"#,
            self.id,
            "x".repeat(self.number("bytes"))
        ));
    }

    fn together(&self) {
        let count = self.number("count");
        for id in self.wire.gather(&self.id, count) {
            self.wire.text(&id, &format!("{count} together"));
        }
    }

    fn envelope(&self) {
        let code = self.arguments["exitCode"].as_i64().unwrap_or_default();
        let envelope = json!({
            "stdout": self.word("stdout"),
            "stderr": self.word("stderr"),
            "exitCode": code
        });
        self.result(&json!({
            "content": [text(&envelope.to_string())],
            "structuredContent": envelope,
            "isError": code != 0
        }));
    }

    fn slow(&self) {
        let time = Duration::from_millis(self.number("ms") as u64);
        if self.wire.wait(&self.id, time) {
            self.text(&format!("waited {} ms", time.as_millis()));
        } else {
            self.wire.record(&format!("stopped {}", self.id));
        }
    }

    fn progress(&self) {
        let steps = self.arguments["steps"].as_u64().unwrap_or(3);
        let pause = Duration::from_millis(self.arguments["ms"].as_u64().unwrap_or_default());
        for step in 1..=steps {
            if !self.token.is_null() {
                self.notify(
                    "notifications/progress",
                    &json!({
                        "progressToken": self.token, "progress": step, "total": steps,
                        "message": format!("step {step}")
                    }),
                );
            }
            if !self.wire.wait(&self.id, pause) {
                return;
            }
        }
        self.text("done");
    }

    fn logs(&self) {
        if !self.wire.tells_logs() {
            return self.text("logged in silence");
        }
        self.notify(
            "notifications/message",
            &json!({"level": "info", "data": "a plain text"}),
        );
        self.notify(
            "notifications/message",
            &json!({
                "level": "warning", "logger": "engine", "data": {"heat": 99}
            }),
        );
        self.text("logged");
    }

    fn notify(&self, method: &str, params: &Value) {
        self.wire
            .send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn rpc_error(&self) {
        let code = self.arguments["code"].as_i64().unwrap_or(-32000);
        let data = json!({"hint": "try another"});
        self.wire
            .error_with(&self.id, code, "that went wrong", &data);
    }

    fn invalid_utf8(&self) {
        let mut line = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"caf"#,
            self.id
        )
        .into_bytes();
        line.extend_from_slice(b"\xe9\"}]}}\n");
        self.wire.raw(&line);
    }

    fn batch(&self) {
        let result = json!({"content": [text("from a batch")]});
        self.wire.send(&json!([
            {"jsonrpc": "2.0", "method": "notifications/message",
                "params": {"level": "info", "data": "in the batch"}},
            {"jsonrpc": "2.0", "id": self.id, "result": result}
        ]));
    }

    /// Writes noise, in pieces of lines, and then answers.
    fn flood(&self, write: impl Fn(&[u8]) -> bool) {
        let noise = format!("{}\n", "noise ".repeat(20)).repeat(100);
        let mut left = self.number("bytes");
        while left > 0 {
            let piece = &noise.as_bytes()[..noise.len().min(left)];
            if !write(piece) {
                break;
            }
            left -= piece.len();
        }
    }

    fn flood_stderr(&self) {
        self.flood(|piece| std::io::stderr().write_all(piece).is_ok());
        self.text("flooded");
    }

    fn flood_stdout(&self) {
        self.flood(|piece| {
            self.wire.raw(piece);
            true
        });
        self.wire.raw(b"\n");
        self.text("flooded");
    }

    fn elicit(&self) {
        let params = json!({
            "message": "Who are you?",
            "requestedSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "title": "Your name"}},
                "required": ["name"]
            }
        });
        self.ask("elicitation/create", &params);
    }

    /// Asks the client, and shows what it answered.
    fn ask(&self, method: &str, params: &Value) {
        let answer = self.wire.ask(&format!("ask-{}", self.id), method, params);
        match answer.recv_timeout(PATIENCE) {
            Ok(answer) if answer["error"].is_object() => {
                self.text(&format!("refused {}", answer["error"]["code"]));
            }
            Ok(answer) => self.text(&answer["result"].to_string()),
            Err(_) => self.content(&json!([text("the client does not answer")]), true),
        }
    }

    fn child(&self) {
        let started = Command::new("sleep")
            .arg("600")
            .stdin(Stdio::null())
            .spawn();
        match started {
            Ok(child) => self.text(&child.id().to_string()),
            Err(error) => self.content(&json!([text(&error.to_string())]), true),
        }
    }

    /// Answers with a question, and with a text when that was answered.
    fn confirm(&self) {
        let response = &self.responses["sure"];
        match response["action"].as_str() {
            Some("accept") => self.result(&json!({
                "resultType": "complete",
                "content": [text(&format!("{}: {}", self.word("what"), response["content"]["sure"]))]
            })),
            Some(action) => self.content(&json!([text(&format!("you said {action}"))]), true),
            None => self.ask_first(),
        }
    }

    /// The state is written by hand: it has to come back as it is, escapes and all.
    fn ask_first(&self) {
        let requests = json!({"sure": {"method": "elicitation/create", "params": {
            "mode": "form",
            "message": format!("Really {}?", self.word("what")),
            "requestedSchema": {
                "type": "object",
                "properties": {"sure": {"type": "boolean", "title": "Sure"}},
                "required": ["sure"]
            }
        }}});
        self.wire.line(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"resultType":"input_required","inputRequests":{requests},"requestState":"fake\u002dstate \/ 1.50"}}}}"#,
            self.id
        ));
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}
