//! What a command left behind, as argway and ophis return it: printed as the command
//! itself would have printed it.

use serde_json::value::RawValue;

use super::encoded::decode;
use super::text::text;
use super::{Members, Piece, Printed, line, member, members};

/// Members that an envelope may have besides its exit code and its streams. Any other
/// makes it something else, which is not to be thrown away.
const BESIDES: [&str; 3] = ["data", "truncated", "durationMs"];

/// A command's exit code and streams.
#[derive(Debug)]
pub(super) struct Envelope {
    failed: bool,
    stdout: Stream,
    stderr: Stream,
    /// What its server says about the run.
    notes: Vec<String>,
}

#[derive(Debug)]
enum Stream {
    Whole(Vec<u8>),
    /// Both ends, with a line between them; there is no more to be had.
    Cut(String),
    /// All of it, in this file.
    File(String),
}

impl Envelope {
    /// Reads structured content, with the `_meta` of its result; nothing where it is
    /// no envelope.
    pub(super) fn read(structured: &RawValue, meta: Option<&RawValue>) -> Option<Self> {
        let envelope = members(structured.get())?;
        let own = |name: &str| ["exitCode", "stdout", "stderr"].contains(&name);
        let known = |name: &String| own(name) || BESIDES.contains(&name.as_str());
        if !envelope.keys().all(known) {
            return None;
        }
        let exit_code: i64 = serde_json::from_str(member(&envelope, "exitCode")?.get()).ok()?;
        let meta = meta.and_then(|raw| members(raw.get())).unwrap_or_default();
        let truncated = member(&envelope, "truncated").and_then(|raw| members(raw.get()));
        let truncated = truncated.unwrap_or_default();
        Some(Self {
            failed: exit_code != 0,
            stdout: Stream::read("stdout", &envelope, &truncated, &meta)?,
            stderr: Stream::read("stderr", &envelope, &truncated, &meta)?,
            notes: (member(&meta, "argway/notes"))
                .and_then(|raw| serde_json::from_str(raw.get()).ok())
                .unwrap_or_default(),
        })
    }

    pub(super) fn print(self, is_error: bool) -> Printed {
        let mut notes = self.notes;
        for (name, stream) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if matches!(stream, Stream::Cut(_)) {
                notes.push(format!("The server did not keep all of {name}."));
            }
        }
        let mut stderr = self.stderr.pieces();
        if let Some(Piece::Bytes(said)) = stderr.last_mut()
            && !notes.is_empty()
            && !said.ends_with(b"\n")
        {
            said.push(b'\n');
        }
        let notes = notes.iter().map(|note| line(&format!("mcpx: {note}")));
        stderr.extend(notes.map(Piece::Bytes));
        Printed {
            stdout: self.stdout.pieces(),
            stderr,
            failed: self.failed || is_error,
        }
    }
}

impl Stream {
    /// A stream of an envelope; nothing where it is no text.
    fn read(name: &str, envelope: &Members, truncated: &Members, meta: &Members) -> Option<Self> {
        let shown = match member(envelope, name) {
            Some(raw) => text(raw)?,
            None => String::new(),
        };
        if let Some(facts) = member(truncated, name) {
            let facts = members(facts.get()).unwrap_or_default();
            let file = member(&facts, "file").and_then(text);
            return Some(file.map_or(Self::Cut(shown), Self::File));
        }
        let exact = member(meta, &format!("argway/{name}Base64"));
        let exact = exact.and_then(text).and_then(|code| decode(&code));
        Some(Self::Whole(exact.unwrap_or_else(|| shown.into_bytes())))
    }

    fn pieces(self) -> Vec<Piece> {
        match self {
            Stream::Whole(bytes) if bytes.is_empty() => Vec::new(),
            Stream::Whole(bytes) => vec![Piece::Bytes(bytes)],
            Stream::Cut(text) => vec![Piece::Bytes(text.into_bytes())],
            Stream::File(file) => vec![Piece::Spilled(file)],
        }
    }
}
