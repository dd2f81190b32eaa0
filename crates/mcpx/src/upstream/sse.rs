//! Server-sent events: bytes in, events out.
//!
//! Bytes arrive cut anywhere, also inside a character or between the two bytes of a
//! line's end; the events are the same however they are cut.

/// The most that an id or an event's name may have: they are kept and sent back.
const SHORT: usize = 4 * 1024;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SseEvent {
    /// Its kind; `message` where the stream names none.
    pub kind: String,
    /// Its data lines, joined by line feeds.
    pub data: String,
    /// The last id that the stream gave, this event's or an earlier one's.
    pub id: Option<String>,
}

/// An event is larger than what is kept of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of more than {} MiB", .0 / (1024 * 1024))]
pub struct TooLarge(usize);

/// Reads one stream.
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed now belongs to it.
    after_return: bool,
    /// No line has ended yet, so that one may begin with a byte order mark.
    at_start: bool,
    kind: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    id: Option<String>,
    retry: Option<u64>,
}

impl Decoder {
    /// Reads a stream whose events have at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            after_return: false,
            at_start: true,
            kind: Vec::new(),
            data: Vec::new(),
            has_data: false,
            id: None,
            retry: None,
        }
    }

    /// The last id that the stream gave, also without an event that has data.
    pub fn last_id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// How many milliseconds the server wants to be left alone before it is asked
    /// for the rest of a stream that broke.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// The events that `bytes` complete.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<SseEvent>, TooLarge> {
        let mut events = Vec::new();
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|&byte| matches!(byte, b'\n' | b'\r'));
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            if self.line.len() + self.data.len() + piece.len() > self.limit {
                return Err(TooLarge(self.limit));
            }
            self.line.extend_from_slice(piece);
            let Some(end) = end else { break };
            self.after_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.line);
            events.extend(self.end_line(&line));
        }
        Ok(events)
    }

    fn end_line(&mut self, line: &[u8]) -> Option<SseEvent> {
        let line = match std::mem::take(&mut self.at_start) {
            true => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line),
            false => line,
        };
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" if value.len() <= SHORT => self.kind = value.to_vec(),
            b"id" if value.len() <= SHORT && !value.contains(&0) => {
                self.id = Some(text(value.to_vec())).filter(|id| !id.is_empty());
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                self.retry = text(value.to_vec()).parse().ok();
            }
            // Comments have an empty field; other fields mean nothing.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        let kind = std::mem::take(&mut self.kind);
        let data = std::mem::take(&mut self.data);
        if !std::mem::take(&mut self.has_data) {
            return None;
        }
        let kind = match kind.is_empty() {
            true => "message".to_owned(),
            false => text(kind),
        };
        Some(SseEvent {
            kind,
            data: text(data),
            id: self.id.clone(),
        })
    }
}

/// Bytes as text; what is no UTF-8 becomes the replacement character.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::{Decoder, SseEvent, TooLarge};

    fn read(pieces: &[&[u8]]) -> Vec<SseEvent> {
        let mut decoder = Decoder::new(1024);
        let events = pieces.iter().map(|piece| decoder.push(piece).unwrap());
        events.flatten().collect()
    }

    /// The events of a stream as `kind|id|data`, which must be the same when it is cut
    /// at any byte, and when it comes byte by byte.
    #[track_caller]
    fn check(stream: &str, expected: &[&str]) {
        let shown = |events: Vec<SseEvent>| -> Vec<String> {
            let line = |event: SseEvent| {
                format!(
                    "{}|{}|{}",
                    event.kind,
                    event.id.unwrap_or_default(),
                    event.data
                )
            };
            events.into_iter().map(line).collect()
        };
        let bytes = stream.as_bytes();
        assert_eq!(shown(read(&[bytes])), expected, "in one piece");
        for cut in 0..=bytes.len() {
            for end in cut..=bytes.len() {
                let pieces = [&bytes[..cut], &bytes[cut..end], &bytes[end..]];
                assert_eq!(shown(read(&pieces)), expected, "cut at {cut} and {end}");
            }
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(shown(read(&single)), expected, "byte by byte");
    }

    #[test]
    fn an_event_ends_with_an_empty_line() {
        check(
            "data: one\n\ndata: two\n\ndata: unfinished\n",
            &["message||one", "message||two"],
        );
    }

    #[test]
    fn lines_end_with_a_return_a_feed_or_both() {
        check(
            "data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r",
            &["message||a\nb\nc", "message||d"],
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_field() {
        check("\u{feff}data: x\n\n", &["message||x"]);
        check("data: x\n\n\u{feff}data: y\n\n", &["message||x"]);
    }

    #[test]
    fn comments_and_unknown_fields_mean_nothing() {
        check(": keep-alive\n\nfoo: bar\ndata: x\n:\n\n", &["message||x"]);
    }

    #[test]
    fn only_one_space_after_the_colon_is_dropped() {
        check("data:  x \ndata:y\n\n", &["message|| x \ny"]);
    }

    #[test]
    fn a_field_without_a_colon_has_an_empty_value() {
        check("data\n\ndata\ndata\n\n", &["message||", "message||\n"]);
    }

    #[test]
    fn an_event_has_a_kind_and_the_id_stays() {
        check(
            "event: endpoint\nid: 7\ndata: /messages\n\ndata: x\n\nid\ndata: y\n\n",
            &["endpoint|7|/messages", "message|7|x", "message||y"],
        );
    }

    #[test]
    fn characters_are_cut_and_joined() {
        check("id: ü€😀\ndata: ü€😀\n\n", &["message|ü€😀|ü€😀"]);
    }

    #[test]
    fn an_id_counts_without_data_and_an_id_with_a_zero_byte_does_not() {
        let mut decoder = Decoder::new(1024);
        assert_eq!(
            decoder.push(b"id: 3\nretry: 250\n\nid: a\0b\nretry: soon\n\n"),
            Ok(vec![])
        );
        assert_eq!(decoder.last_id(), Some("3"));
        assert_eq!(decoder.retry(), Some(250));
    }

    #[test]
    fn an_endless_line_and_endless_data_are_refused() {
        let mut line = Decoder::new(16);
        assert_eq!(line.push(b"data: 0123456789"), Ok(vec![]));
        assert_eq!(line.push(b"x"), Err(TooLarge(16)));
        let mut lines = Decoder::new(16);
        assert_eq!(lines.push(b"data: 01234\n"), Ok(vec![]));
        assert_eq!(lines.push(b"data: 0123456\n"), Err(TooLarge(16)));
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        assert_eq!(read(&[b"data: a\xffb\n\n"])[0].data, "a\u{fffd}b");
    }
}
