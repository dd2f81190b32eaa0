//! Turns the result of a tool call into what a command prints: the way back.
//!
//! What a server sent is not re-encoded: structured content is printed as it was
//! written, text byte for byte. Here it is decided which part of a result is printed
//! where; [`blocks`] reads the content, [`envelope`] what a command left behind.

mod blocks;
mod encoded;
mod envelope;
mod text;

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use blocks::Block;
use envelope::Envelope;
use text::text;

/// What a command prints, and whether it succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// In order.
    pub stdout: Vec<Piece>,
    /// In order.
    pub stderr: Vec<Piece>,
    /// The tool says that it failed.
    pub failed: bool,
}

/// A piece of what is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Exactly these.
    Bytes(Vec<u8>),
    /// To be written to a file whose path is printed, a line of its own.
    Media(Media),
    /// All that is in a file which the served program's output was spilled to.
    Spilled(String),
}

/// Binary content of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// `image/png`; empty where the server says nothing.
    pub mime: String,
    /// What a file of it might be called, from its URI, if it has one.
    pub name: Option<String>,
    /// Decoded.
    pub bytes: Vec<u8>,
}

/// A result that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoResult(pub String);

/// The members of a JSON object, still as they were written. Of two with one name the
/// later counts.
type Members<'a> = BTreeMap<String, &'a RawValue>;

/// What to print for the `result` of a `tools/call`.
///
/// Fails where it is not even an object, or is of a kind that has nothing to print.
pub fn unwrap(result: &RawValue) -> Result<Printed, NoResult> {
    let members = match result.get() {
        "null" => Members::new(),
        json => members(json).ok_or_else(|| {
            let shown: String = json.chars().take(80).collect();
            NoResult(format!("the result is {shown}, not an object"))
        })?,
    };
    let is_error = member(&members, "isError").is_some_and(|raw| raw.get() == "true");
    let raw_content = member(&members, "content");
    let content = raw_content.map(blocks::read);
    // The only member of results before there was content.
    let structured =
        member(&members, "structuredContent").or_else(|| member(&members, "toolResult"));
    if let (None, None) = (&content, structured) {
        answered(&members)?;
    }
    let content = content.unwrap_or_default();

    let meta = member(&members, "_meta");
    if let Some(envelope) = structured.and_then(|raw| Envelope::read(raw, meta)) {
        return Ok(envelope.print(is_error));
    }
    if is_error {
        return Ok(failure(content, structured));
    }
    Ok(match structured {
        Some(raw) if wraps(raw, &content) || raw_content.is_some_and(|all| repeats(raw, all)) => {
            blocks::print(content)
        }
        Some(raw) => structure(raw, content),
        None => blocks::print(content),
    })
}

/// A result without anything in it is a success, unless it says that it is not the end.
fn answered(members: &Members) -> Result<(), NoResult> {
    match member(members, "resultType").and_then(text).as_deref() {
        None | Some("complete") => Ok(()),
        Some(kind) => Err(NoResult(format!(
            "the result is of type `{kind}`, which mcpx cannot wait for"
        ))),
    }
}

/// Structured content, as the server wrote it. What the content has besides text is
/// named on stderr, so that stdout is JSON and nothing is lost.
fn structure(raw: &RawValue, content: Vec<Block>) -> Printed {
    let besides = content.into_iter().filter(|block| !block.is_text());
    let besides = blocks::print(besides.collect());
    Printed {
        stdout: vec![Piece::Bytes(line(raw.get()))],
        stderr: [besides.stdout, besides.stderr].concat(),
        failed: false,
    }
}

/// What the tool says about its failure; all of it on stderr.
fn failure(mut content: Vec<Block>, structured: Option<&RawValue>) -> Printed {
    let says_nothing = |block: &Block| matches!(block, Block::Text(text) if text.is_empty());
    if content.iter().all(says_nothing) {
        content = vec![Block::Text(match structured {
            Some(raw) => raw.get().to_owned(),
            None => "the tool failed without saying why".to_owned(),
        })];
    }
    let Printed {
        mut stdout, stderr, ..
    } = blocks::print(content);
    if let Some(Piece::Bytes(last)) = stdout.last_mut()
        && !last.ends_with(b"\n")
    {
        last.push(b'\n');
    }
    stdout.extend(stderr);
    Printed {
        stdout: Vec::new(),
        stderr: stdout,
        failed: true,
    }
}

/// Whether structured content says nothing but the one text of the content.
fn wraps(structured: &RawValue, content: &[Block]) -> bool {
    let mut texts = content.iter().filter_map(Block::text);
    let (Some(only), None) = (texts.next(), texts.next()) else {
        return false;
    };
    let wrapped = match members(structured.get()) {
        Some(members) if members.len() == 1 => members.into_values().next(),
        Some(_) => None,
        None => Some(structured),
    };
    wrapped.and_then(text).is_some_and(|text| text == only)
}

/// Content that is longer is not read to be compared.
const LONGEST_REPEATED: usize = 8 << 20;

/// Whether structured content says nothing but the content itself, block for block, as
/// tools do that are declared to give content back.
fn repeats(structured: &RawValue, content: &RawValue) -> bool {
    let Some(members) = members(structured.get()).filter(|members| members.len() == 1) else {
        return false;
    };
    // Values take many times the room of their text; what is long is told by that alone.
    let is_long = |raw: &RawValue| raw.get().len() > LONGEST_REPEATED;
    if is_long(content) || is_long(structured) {
        return members.into_values().any(|raw| raw.get() == content.get());
    }
    let same = |raw: &RawValue| serde_json::from_str::<Vec<Value>>(raw.get()).ok();
    let mut blocks = members.into_values().filter_map(same);
    (blocks.next()).is_some_and(|blocks| !blocks.is_empty() && same(content) == Some(blocks))
}

fn line(text: &str) -> Vec<u8> {
    let mut line = text.as_bytes().to_vec();
    if !text.ends_with('\n') {
        line.push(b'\n');
    }
    line
}

/// The members of an object; nothing where it is none.
fn members(json: &str) -> Option<Members<'_>> {
    serde_json::from_str(json).ok()
}

/// A member that is there and not null.
fn member<'a>(members: &Members<'a>, name: &str) -> Option<&'a RawValue> {
    let raw = members.get(name).copied()?;
    (raw.get() != "null").then_some(raw)
}

#[cfg(test)]
mod tests;
