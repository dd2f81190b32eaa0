//! Text of unknown origin as KDL: strings that read back the same, and comments that
//! end where their line does.

use std::fmt::Write;

/// Characters of a comment's line.
const WIDE: usize = 110;

/// What is written, with its indentation.
#[derive(Default)]
pub(super) struct Page {
    text: String,
    depth: usize,
}

impl Page {
    pub fn into_text(self) -> String {
        self.text
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
    }

    /// A line of our own; what stands in it is quoted already.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            self.indent();
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// `line {`, and what follows stands in it.
    pub fn open(&mut self, line: impl AsRef<str>) {
        self.line(format!("{} {{", line.as_ref()));
        self.depth += 1;
    }

    pub fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.line("}");
    }

    /// `name "text"`, over several lines where the text has them.
    pub fn text(&mut self, name: &str, text: &str) {
        let lines: Vec<&str> = text.split('\n').collect();
        // A line of blanks would lose them, and a carriage return would be a line's end.
        let is_plain = |line: &&str| line.is_empty() || !line.trim().is_empty();
        if lines.len() < 2 || !lines.iter().all(is_plain) {
            return self.line(format!("{name} {}", quoted(text)));
        }
        self.line(format!("{name} \"\"\""));
        for line in lines {
            self.line(escaped(line));
        }
        self.line("\"\"\"");
    }

    /// A comment, folded to lines that can be read.
    pub fn comment(&mut self, text: &str) {
        let words = harmless(text);
        let mut line = String::new();
        for word in words.split_whitespace() {
            if !line.is_empty() && line.chars().count() + word.chars().count() >= WIDE {
                self.line(format!("// {line}"));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if !line.is_empty() {
            self.line(format!("// {line}"));
        }
    }

    /// A comment that keeps its own shape.
    pub fn comment_line(&mut self, text: &str) {
        self.line(format!("// {}", harmless(text)));
    }
}

/// `text` as a string on one line.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// Each of `texts` as a string.
pub(super) fn all_quoted<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = texts.into_iter().map(quoted).collect();
    quoted.join(" ")
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            // No string of a definition can hold it.
            '\0' => {}
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char if is_unseen(char) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out
}

/// `text` on one line, without anything that is not seen.
fn harmless(text: &str) -> String {
    text.chars()
        .map(|char| match char {
            '\n' | '\r' | '\t' => ' ',
            char if is_unseen(char) => '\u{fffd}',
            char => char,
        })
        .collect()
}

/// Characters that end a line, change the direction of writing, or are no characters to
/// a person.
fn is_unseen(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{ad}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
        )
}
