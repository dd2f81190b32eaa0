//! The `stdin` argument as the bytes that a command reads.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::catalog::Tool;
use crate::model::StdinFormat;

/// Why an argument is not what a command reads.
pub(super) enum NotStdin {
    /// It takes something else.
    Takes(&'static str),
    /// It holds something else.
    Problem(String),
}

/// How `tool` takes its stdin.
pub(super) fn format(tool: &Tool) -> StdinFormat {
    let run = tool.spec().run.as_ref();
    let stdin = run.and_then(|run| run.stdin.as_ref());
    stdin.map_or(StdinFormat::Text, |stdin| stdin.format)
}

/// The bytes that `value` stands for.
pub(super) fn bytes(format: StdinFormat, value: &Value) -> Result<Vec<u8>, NotStdin> {
    match (format, value) {
        (StdinFormat::Text, Value::String(text)) => Ok(text.clone().into_bytes()),
        (StdinFormat::Text, _) => Err(NotStdin::Takes("a string")),
        (StdinFormat::Json, Value::String(text)) => {
            match serde_json::from_str::<IgnoredAny>(text) {
                Ok(_) => Ok(text.clone().into_bytes()),
                Err(error) => Err(NotStdin::Problem(format!(
                    "takes JSON, and its text is not: {error}"
                ))),
            }
        }
        (StdinFormat::Json, value) => Ok(value.to_string().into_bytes()),
        (StdinFormat::Binary, Value::String(text)) => STANDARD
            .decode(text)
            .map_err(|_| NotStdin::Takes("bytes in base64")),
        (StdinFormat::Binary, _) => Err(NotStdin::Takes("bytes in base64")),
    }
}
