//! A server that a file describes, for examples that look like real life.
//!
//! The file is JSON:
//!
//! ```json
//! {
//!   "tools": [{"name": "greet", "inputSchema": {"type": "object"}}],
//!   "answers": [
//!     {"name": "greet", "when": {"arguments": {"who": "Ada"}}, "text": "Hello, Ada."},
//!     {"name": "greet", "fails": "I do not know you."}
//!   ]
//! }
//! ```
//!
//! `tools` is what `tools/list` has. A call is answered by the first of `answers` with
//! its name whose `when` is part of the call's `params`: with `text`, with `json` (the
//! structured content, and its text), with `fails` (a text and `isError`), or with a
//! whole `result`. A call that none of them is for is answered with -32602.

use std::path::PathBuf;

use serde_json::{Value, json};

/// What the server offers and answers.
pub struct Script {
    pub tools: Vec<Value>,
    answers: Vec<Value>,
}

impl Script {
    pub fn read(file: &PathBuf) -> Result<Self, String> {
        let shown = file.display();
        let text = std::fs::read_to_string(file).map_err(|error| format!("{shown}: {error}"))?;
        let mut script: Value =
            serde_json::from_str(&text).map_err(|error| format!("{shown}: {error}"))?;
        let mut list = |name: &str| match script[name].take() {
            Value::Array(list) => Ok(list),
            _ => Err(format!("{shown}: `{name}` is not a list")),
        };
        Ok(Self {
            tools: list("tools")?,
            answers: list("answers")?,
        })
    }

    /// The result of a call with these parameters, if there is one for it.
    pub fn answer(&self, params: &Value) -> Option<Value> {
        let fits = |answer: &&Value| {
            answer["name"] == params["name"]
                && answer.get("when").is_none_or(|when| within(when, params))
        };
        self.answers.iter().find(fits).map(result)
    }
}

fn result(answer: &Value) -> Value {
    if let Some(result) = answer.get("result") {
        return result.clone();
    }
    if let Some(value) = answer.get("json") {
        let text = json!({"type": "text", "text": value.to_string()});
        return json!({"content": [text], "structuredContent": value});
    }
    let (text, failed) = match answer.get("fails") {
        Some(text) => (text, true),
        None => (&answer["text"], false),
    };
    json!({"content": [{"type": "text", "text": text}], "isError": failed})
}

/// Whether everything in `part` is in `whole`.
fn within(part: &Value, whole: &Value) -> bool {
    match part {
        Value::Object(fields) => fields
            .iter()
            .all(|(name, value)| whole.get(name).is_some_and(|whole| within(value, whole))),
        value => value == whole,
    }
}
