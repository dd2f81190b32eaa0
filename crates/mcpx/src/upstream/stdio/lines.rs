//! The stdout of a server: messages a line each, and whatever else gets printed there.

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

use crate::daemon::log::Log;
use crate::upstream::peer::Peer;

/// The longest line that is read. Whoever sends more is ended.
pub const LINE_LIMIT: usize = 256 * 1024 * 1024;
/// Lines from this length on are looked at outside of the runtime's threads.
const LONG_LINE: usize = 1024 * 1024;
/// How many lines that are no messages are put into the log, and how much of each.
const ODD_LINES: usize = 10;
const ODD_LENGTH: usize = 500;

/// Why reading came to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The server closed its stdout.
    Closed,
    /// A line was longer than the limit.
    TooLong,
}

/// Hands every message to the peer until the end.
pub async fn read(stdout: impl AsyncRead + Unpin, limit: usize, peer: &Peer, log: &Log) -> End {
    let mut reader = BufReader::with_capacity(64 * 1024, stdout);
    let mut line = Vec::new();
    let mut odd = 0;
    loop {
        // What is read already would else be gone through in one go, however many lines
        // it has, while others wait for the thread.
        tokio::task::consume_budget().await;
        line.clear();
        let mut bounded = (&mut reader).take(limit as u64 + 1);
        match bounded.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return End::Closed,
            Ok(_) if line.len() > limit => return End::TooLong,
            Ok(_) => {}
        }
        let beginning = String::from_utf8_lossy(&line[..line.len().min(ODD_LENGTH)]);
        let beginning = beginning.trim_end();
        if beginning.is_empty() {
            continue;
        }
        let shown = (odd < ODD_LINES).then(|| beginning.to_owned());
        if !take(&mut line, peer).await
            && let Some(shown) = shown
        {
            odd += 1;
            log.note(&format!("no message on stdout: {shown}"));
        }
    }
}

/// Hands one line over. Long ones take their memory with them.
async fn take(line: &mut Vec<u8>, peer: &Peer) -> bool {
    if line.len() < LONG_LINE {
        return peer.incoming(&String::from_utf8_lossy(line));
    }
    let line = std::mem::take(line);
    let peer = peer.clone();
    let taken = tokio::task::spawn_blocking(move || peer.incoming(&String::from_utf8_lossy(&line)));
    taken.await.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::path::Path;
    use std::pin::pin;
    use std::task::Poll;

    use tokio::sync::mpsc;

    use super::*;
    use crate::upstream::{CallEvent, EVENTS};

    async fn logs_of(bytes: &[u8], limit: usize) -> (End, Vec<String>, String) {
        let (sender, _events) = mpsc::channel(EVENTS);
        let peer = Peer::new(sender);
        let mut remarks = peer.overheard();
        let log = Log::open(Path::new("/dev/null/no.log"));
        let end = read(bytes, limit, &peer, &log).await;
        drop(peer);
        let mut texts = Vec::new();
        while let Some(event) = remarks.recv().await {
            if let CallEvent::Log { text, .. } = event {
                texts.push(text);
            }
        }
        (end, texts, log.tail())
    }

    fn message(data: &str) -> String {
        format!(r#"{{"method":"notifications/message","params":{{"data":"{data}"}}}}"#)
    }

    #[tokio::test]
    async fn messages_are_found_among_marks_returns_blank_lines_and_banners() {
        let text = format!(
            "\u{feff}{}\r\n\n  \nServer ready!\n{}\n[{},{}]\n{}",
            message("one"),
            message("two"),
            message("three"),
            message("four"),
            message("without a line end"),
        );
        let (end, texts, log) = logs_of(text.as_bytes(), LINE_LIMIT).await;
        assert_eq!(end, End::Closed);
        assert_eq!(texts, ["one", "two", "three", "four", "without a line end"]);
        assert_eq!(log, "mcpx: no message on stdout: Server ready!");
    }

    #[tokio::test]
    async fn bytes_that_are_no_text_cost_only_themselves() {
        let mut line = message("caf?").into_bytes();
        let place = line.iter().position(|&byte| byte == b'?').unwrap();
        line[place] = 0xe9;
        let (_, texts, _) = logs_of(&line, LINE_LIMIT).await;
        assert_eq!(texts, ["caf\u{fffd}"]);
    }

    #[tokio::test]
    async fn a_long_line_is_read_and_one_beyond_the_limit_ends_it() {
        let long = "x".repeat(3 * LONG_LINE);
        let text = format!("{}\n{}\n", "y".repeat(2 * LONG_LINE), message(&long));
        let (end, texts, _) = logs_of(text.as_bytes(), text.len()).await;
        assert_eq!((end, texts.len()), (End::Closed, 1));
        let (end, texts, _) = logs_of(text.as_bytes(), 3 * LONG_LINE).await;
        assert_eq!((end, texts.len()), (End::TooLong, 0));
    }

    #[tokio::test]
    async fn a_flood_of_short_lines_lets_others_have_their_turn() {
        let (sender, _events) = mpsc::channel(EVENTS);
        let (peer, log) = (Peer::new(sender), Log::open(Path::new("/dev/null/no.log")));
        let text = "y\n".repeat(10_000);
        let mut reading = pin!(read(text.as_bytes(), LINE_LIMIT, &peer, &log));
        let first = poll_fn(|context| Poll::Ready(reading.as_mut().poll(context))).await;
        assert!(first.is_pending(), "all of it in one go");
        assert_eq!(reading.await, End::Closed);
    }

    #[tokio::test]
    async fn a_flood_of_odd_lines_does_not_flood_the_log() {
        let text = format!("{}\n", "x".repeat(10_000)).repeat(100);
        let (_, _, log) = logs_of(text.as_bytes(), LINE_LIMIT).await;
        assert_eq!(log.lines().count(), ODD_LINES);
        assert!(log.len() < ODD_LINES * 2 * ODD_LENGTH);
    }
}
