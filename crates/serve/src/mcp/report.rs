//! What a client hears while a call runs: progress, and the lines of stderr.
//!
//! A program may print faster than a client reads, so events are only noted, and
//! what was noted is told a few times a second. Nothing here can hold a call up.

#![expect(
    deprecated,
    reason = "logging is deprecated from 2026-07-28 on, and the older versions have it"
)]

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
};
use rmcp::{Peer, RoleServer};
use serde_json::json;
use tokio::sync::Notify;

use crate::exec::Event;

/// Time between two tellings.
const PAUSE: Duration = Duration::from_millis(200);

/// Lines told at once, and so kept between two tellings.
const MAX_LINES: usize = 40;

/// Bytes of one line told.
const MAX_LINE: usize = 2000;

/// What one call tells its client.
pub(super) struct Report {
    peer: Peer<RoleServer>,
    tool: String,
    token: Option<ProgressToken>,
    level: Option<LoggingLevel>,
    seen: Mutex<Seen>,
    news: Notify,
    finish: Notify,
}

/// What has happened since the last telling.
#[derive(Default)]
struct Seen {
    stdout: u64,
    stderr: u64,
    stderr_lines: u64,
    last_line: Option<String>,
    lines: VecDeque<String>,
    lines_left_out: u64,
    ended: bool,
}

impl Report {
    pub(super) fn new(
        peer: Peer<RoleServer>,
        tool: &str,
        token: Option<ProgressToken>,
        level: Option<LoggingLevel>,
    ) -> Self {
        Self {
            peer,
            tool: tool.to_owned(),
            token,
            level,
            seen: Mutex::default(),
            news: Notify::new(),
            finish: Notify::new(),
        }
    }

    /// Whether the client asked for any of it.
    pub(super) fn is_wanted(&self) -> bool {
        self.token.is_some() || self.level.is_some()
    }

    /// Notes an event, to be told soon.
    pub(super) fn note(&self, event: Event) {
        let mut seen = self.seen();
        match event {
            Event::Stdout(total) => seen.stdout = seen.stdout.max(total),
            Event::StderrLine(line) => {
                seen.stderr += line.len() as u64 + 1;
                seen.stderr_lines += 1;
                if self
                    .level
                    .is_some_and(|level| rank(level_of(&line)) >= rank(level))
                {
                    if seen.lines.len() < MAX_LINES {
                        seen.lines.push_back(shorten(&line).to_owned());
                    } else {
                        seen.lines_left_out += 1;
                    }
                }
                seen.last_line = Some(line);
            }
        }
        drop(seen);
        self.news.notify_one();
    }

    /// Ends [`Report::tell`] after what is still to be told.
    pub(super) fn end(&self) {
        self.seen().ended = true;
        self.news.notify_one();
        self.finish.notify_one();
    }

    /// Tells what is noted until [`Report::end`].
    pub(super) async fn tell(&self) {
        let mut told = 0;
        loop {
            self.news.notified().await;
            let (progress, message, lines, left_out, ended) = {
                let mut seen = self.seen();
                (
                    seen.stdout + seen.stderr,
                    seen.message(),
                    std::mem::take(&mut seen.lines),
                    std::mem::take(&mut seen.lines_left_out),
                    seen.ended,
                )
            };
            for line in lines {
                self.log(level_of(&line), &line).await;
            }
            if left_out > 0 {
                let note = format!("{left_out} more lines are left out here; the result has them");
                self.log(LoggingLevel::Info, &note).await;
            }
            if progress > told {
                told = progress;
                self.progress(progress, message).await;
            }
            if ended {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = self.finish.notified() => {}
            }
        }
    }

    async fn progress(&self, progress: u64, message: String) {
        let Some(token) = self.token.clone() else {
            return;
        };
        let progress = ProgressNotificationParam::new(token, progress as f64).with_message(message);
        // A client that is gone hears nothing; the call ends by other means.
        let _ = self.peer.notify_progress(progress).await;
    }

    async fn log(&self, level: LoggingLevel, line: &str) {
        let message = LoggingMessageNotificationParam::new(level, json!(line));
        let _ = self
            .peer
            .notify_logging_message(message.with_logger(self.tool.clone()))
            .await;
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn message(&mut self) -> String {
        let count = format!(
            "{} bytes on stdout, {} lines on stderr",
            self.stdout, self.stderr_lines
        );
        match self.last_line.take() {
            Some(line) if !line.trim().is_empty() => format!("{count}: {}", shorten(line.trim())),
            _ => count,
        }
    }
}

/// How grave a line of stderr says it is. Most programs say nothing.
fn level_of(line: &str) -> LoggingLevel {
    let start = line
        .trim_start()
        .get(..24)
        .unwrap_or(line)
        .to_ascii_lowercase();
    let word = start
        .split(|c: char| !c.is_ascii_alphabetic())
        .find(|word| !word.is_empty())
        .unwrap_or_default();
    match word {
        "error" | "err" | "fatal" | "panic" => LoggingLevel::Error,
        "warning" | "warn" => LoggingLevel::Warning,
        "debug" | "trace" => LoggingLevel::Debug,
        _ => LoggingLevel::Info,
    }
}

fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

fn shorten(line: &str) -> &str {
    &line[..line.floor_char_boundary(MAX_LINE)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_level_it_names_and_info_otherwise() {
        for (line, level) in [
            ("Error: no such file", LoggingLevel::Error),
            ("[WARN] deprecated", LoggingLevel::Warning),
            ("  fatal: not a repository", LoggingLevel::Error),
            ("debug2: channel", LoggingLevel::Debug),
            ("errors will be shown here", LoggingLevel::Info),
            ("Pulling from library/alpine", LoggingLevel::Info),
            ("", LoggingLevel::Info),
            ("éééééééééééééééééééé", LoggingLevel::Info),
        ] {
            assert_eq!(level_of(line), level, "{line}");
        }
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let line = "é".repeat(MAX_LINE);
        assert_eq!(shorten(&line).len(), MAX_LINE);
        let line = format!("x{line}");
        assert_eq!(shorten(&line).len(), MAX_LINE - 1);
    }
}
