//! The server as a client sees it: raw lines, in every version of the protocol.

mod calls;
mod changes;
mod definitions;
mod ends;
mod lines;
mod lists;
mod lives;
mod talk;

use serde_json::Value;
use talk::{HANDSHAKES, NEWEST};

fn every_version() -> impl Iterator<Item = &'static str> {
    HANDSHAKES.into_iter().chain([NEWEST])
}

/// What a model reads of a call's result.
fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}
