//! The content of a result: blocks of text, pictures, files, links, in any order.

use serde_json::value::RawValue;

use super::encoded::decode;
use super::text::text;
use super::{Media, Members, Piece, Printed, line, member, members};
use crate::few::few;

/// Blocks that a result may have, and how many of them may be files.
const MOST_BLOCKS: usize = 100_000;
const MOST_MEDIA: usize = 1_000;

/// One block, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    Text(String),
    /// Something that is on a line of its own: a link, or JSON of a type that is not known.
    Line(String),
    Media(Media),
    /// Something that cannot be printed, and why.
    Broken(String),
}

impl Block {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Block::Text(text) => Some(text),
            Block::Line(_) | Block::Media(_) | Block::Broken(_) => None,
        }
    }

    pub(super) fn is_text(&self) -> bool {
        self.text().is_some()
    }
}

/// The blocks of `content`, which should be a list; a server that forgot the list meant
/// a single one.
pub(super) fn read(content: &RawValue) -> Vec<Block> {
    let Some(list) = few(content.get(), MOST_BLOCKS) else {
        return vec![block(content)];
    };
    let mut media = 0;
    let mut blocks: Vec<Block> = list.items.into_iter().map(block).collect();
    blocks.retain(|block| {
        media += usize::from(matches!(block, Block::Media(_)));
        media <= MOST_MEDIA || !matches!(block, Block::Media(_))
    });
    if media > MOST_MEDIA {
        let why = format!("the result has {media} files; only {MOST_MEDIA} are written");
        blocks.push(Block::Broken(why));
    }
    if list.has_more {
        let why = format!("the result has more than {MOST_BLOCKS} blocks; the rest is left out");
        blocks.push(Block::Broken(why));
    }
    blocks
}

/// What is printed for blocks, in their order.
pub(super) fn print(blocks: Vec<Block>) -> Printed {
    let mut stdout = Vec::new();
    let mut stderr = Vec::new();
    let mut bytes = Vec::new();
    let mut after_text = false;
    for block in blocks {
        // Texts are joined; everything else is a line.
        let joins = match &block {
            Block::Text(_) => after_text,
            Block::Line(_) | Block::Media(_) => !bytes.is_empty() && !bytes.ends_with(b"\n"),
            Block::Broken(_) => false,
        };
        if joins {
            bytes.push(b'\n');
        }
        after_text = block.is_text() || (after_text && matches!(block, Block::Broken(_)));
        match block {
            // The first is most often the only one, and may be long.
            Block::Text(text) if bytes.is_empty() => bytes = text.into_bytes(),
            Block::Text(text) => bytes.extend_from_slice(text.as_bytes()),
            Block::Line(text) => bytes.extend_from_slice(&line(&text)),
            Block::Media(media) => {
                flush(&mut bytes, &mut stdout);
                stdout.push(Piece::Media(media));
            }
            Block::Broken(why) => stderr.push(Piece::Bytes(line(&format!("mcpx: {why}")))),
        }
    }
    flush(&mut bytes, &mut stdout);
    Printed {
        stdout,
        stderr,
        failed: false,
    }
}

fn flush(bytes: &mut Vec<u8>, pieces: &mut Vec<Piece>) {
    if !bytes.is_empty() {
        pieces.push(Piece::Bytes(std::mem::take(bytes)));
    }
}

fn block(raw: &RawValue) -> Block {
    if raw.get() == "null" {
        return Block::Text(String::new());
    }
    let Some(members) = members(raw.get()) else {
        return text(raw).map_or_else(|| unknown(raw), Block::Text);
    };
    let kind = member(&members, "type").and_then(text);
    let known = match kind.as_deref() {
        Some("text") => said(&members),
        Some(kind @ ("image" | "audio")) => Some(binary(kind, &members)),
        Some("resource") => resource(&members),
        Some("resource_link") => string(&members, "uri").map(Block::Line),
        Some(_) => None,
        None if members.contains_key("text") => said(&members),
        None => None,
    };
    known.unwrap_or_else(|| unknown(raw))
}

/// As JSON, which a reader may know what to do with.
fn unknown(raw: &RawValue) -> Block {
    Block::Line(raw.get().to_owned())
}

/// A text block; one without its text is empty.
fn said(members: &Members) -> Option<Block> {
    match member(members, "text") {
        Some(raw) => text(raw).map(Block::Text),
        None => Some(Block::Text(String::new())),
    }
}

fn binary(kind: &str, members: &Members) -> Block {
    let mime = string(members, "mimeType").unwrap_or_default();
    let Some(data) = string(members, "data") else {
        return Block::Broken(format!("the result has an {kind} without data"));
    };
    match decode(&data) {
        Some(bytes) => Block::Media(Media {
            mime,
            name: None,
            bytes,
        }),
        None => Block::Broken(format!("the result has an {kind} that is no base64")),
    }
}

/// An embedded file.
fn resource(members: &Members) -> Option<Block> {
    let inner = super::members(member(members, "resource")?.get())?;
    let uri = string(&inner, "uri");
    let bytes = match (member(&inner, "text"), string(&inner, "blob")) {
        (Some(raw), _) => text(raw)?.into_bytes(),
        (None, Some(blob)) => match decode(&blob) {
            Some(bytes) => bytes,
            None => {
                let called = uri.unwrap_or_else(|| "without a URI".to_owned());
                let why = format!("the result has a resource that is no base64: {called}");
                return Some(Block::Broken(why));
            }
        },
        (None, None) => return None,
    };
    Some(Block::Media(Media {
        mime: string(&inner, "mimeType").unwrap_or_default(),
        name: uri.as_deref().and_then(last_part),
        bytes,
    }))
}

/// What a URI ends with, without what a question mark or a hash adds.
fn last_part(uri: &str) -> Option<String> {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let part = path.trim_end_matches('/').rsplit('/').next()?;
    (!part.is_empty()).then(|| part.to_owned())
}

fn string(members: &Members, name: &str) -> Option<String> {
    member(members, name).and_then(text)
}
