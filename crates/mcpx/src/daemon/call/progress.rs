//! How far a call is: one line at the foot of the terminal, rewritten in place.

use std::time::Duration;

use tokio::time::Instant;

use crate::harmless;

/// Faster than this nobody reads.
const APART: Duration = Duration::from_millis(100);

/// Clears the line that the cursor is on.
const CLEAR: &[u8] = b"\r\x1b[K";

/// The line, if there is a terminal to draw it on.
#[derive(Debug)]
pub struct ProgressLine {
    columns: Option<usize>,
    drawn: Option<Instant>,
    visible: bool,
    waiting: Option<String>,
}

impl ProgressLine {
    /// A line of so many columns; nothing draws nothing.
    pub fn new(columns: Option<usize>) -> Self {
        Self {
            columns,
            drawn: None,
            visible: false,
            waiting: None,
        }
    }

    /// What is to be shown as soon as [`ProgressLine::due`].
    pub fn set(&mut self, progress: Option<f64>, total: Option<f64>, message: Option<&str>) {
        let Some(columns) = self.columns else { return };
        let how_far = match (progress, total) {
            (Some(progress), Some(total)) if total > 0.0 => {
                let percent = (progress / total * 100.0).clamp(0.0, 100.0);
                Some(format!("{percent:.0}%"))
            }
            (Some(progress), _) => Some(format!("{progress}")),
            (None, _) => None,
        };
        // It is cut to the line anyway.
        let message =
            message.map(|message| harmless::text_within(message, 1000).replace('\n', " "));
        let parts: Vec<String> = [how_far, message].into_iter().flatten().collect();
        self.waiting = Some(cut(parts.join(" ").trim(), columns.saturating_sub(1)));
    }

    /// When the line wants to be drawn; nothing if it is as it should be.
    pub fn due(&self) -> Option<Instant> {
        self.waiting.as_ref()?;
        Some(match self.drawn {
            Some(drawn) => drawn + APART,
            None => Instant::now(),
        })
    }

    /// The bytes that draw it.
    pub fn draw(&mut self) -> Vec<u8> {
        let Some(text) = self.waiting.take() else {
            return Vec::new();
        };
        self.drawn = Some(Instant::now());
        self.visible = true;
        [CLEAR, text.as_bytes()].concat()
    }

    /// The bytes that make room for something else; nothing if there is no line.
    pub fn clear(&mut self) -> &'static [u8] {
        match std::mem::take(&mut self.visible) {
            true => CLEAR,
            false => b"",
        }
    }
}

/// The beginning that fits. What is not ASCII may be two columns wide.
fn cut(text: &str, columns: usize) -> String {
    let mut used = 0;
    text.chars()
        .take_while(|c| {
            used += if c.is_ascii() { 1 } else { 2 };
            used <= columns
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(set: (Option<f64>, Option<f64>, Option<&str>), expected: &str) {
        let mut line = ProgressLine::new(Some(20));
        line.set(set.0, set.1, set.2);
        let drawn = line.draw();
        let drawn = String::from_utf8_lossy(&drawn).into_owned();
        assert_eq!(drawn, format!("\r\x1b[K{expected}"));
    }

    #[test]
    fn a_line_tells_how_far_and_what() {
        check((Some(3.0), Some(4.0), Some("reading")), "75% reading");
        check((Some(3.0), None, None), "3");
        check((Some(0.5), Some(0.0), None), "0.5");
        check((Some(9.0), Some(4.0), None), "100%");
        check((None, None, Some("thinking")), "thinking");
    }

    #[test]
    fn a_message_cannot_leave_its_line_or_command_the_terminal() {
        let text = "one\ntwo\x1b[2J\x07 three four five";
        check((Some(1.0), None, Some(text)), "1 one two three fou");
        check((None, None, Some("ééééééééééééé")), "ééééééééé");
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_is_not_drawn_more_often_than_anybody_reads() {
        let mut line = ProgressLine::new(Some(20));
        assert_eq!(line.due(), None);
        line.set(Some(1.0), None, None);
        assert_eq!(line.due(), Some(Instant::now()));
        line.draw();
        assert_eq!(line.due(), None);
        line.set(Some(2.0), None, None);
        assert_eq!(line.due(), Some(Instant::now() + APART));
    }

    #[test]
    fn without_a_terminal_nothing_is_drawn() {
        let mut line = ProgressLine::new(None);
        line.set(Some(1.0), Some(2.0), None);
        assert_eq!(line.draw(), b"");
        assert_eq!(line.clear(), b"");
    }

    #[test]
    fn a_line_is_cleared_once() {
        let mut line = ProgressLine::new(Some(20));
        line.set(Some(1.0), None, None);
        line.draw();
        assert_eq!(line.clear(), CLEAR);
        assert_eq!(line.clear(), b"");
    }
}
