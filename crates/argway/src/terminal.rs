//! The only file that prints: results to stdout, everything else to stderr.
//!
//! It knows about `-q`, about colour, and about a reader that went away.

use std::fmt;
use std::io::{self, IsTerminal, Read, Write};

use argway_core::output::shown;

use crate::exit::Failure;

/// How much is said on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Voice {
    /// Errors only.
    Quiet,
    /// Warnings too.
    Normal,
    /// What is being done too.
    Verbose,
}

/// Where a person or a pipe reads what argway says.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    voice: Voice,
    interactive: bool,
    colour: bool,
    width: usize,
}

/// How a piece of text stands out, where colour is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A heading.
    Bold,
    /// Of less weight.
    Dim,
    /// Harmless.
    Green,
    /// To be careful with.
    Yellow,
    /// Dangerous.
    Red,
}

impl Terminal {
    /// The terminal of this process.
    pub fn new(voice: Voice) -> Self {
        let stdout = io::stdout();
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let columns = rustix::termios::tcgetwinsize(&stdout)
            .ok()
            .map(|size| usize::from(size.ws_col))
            .filter(|&columns| columns > 0);
        Self {
            voice,
            interactive: stdout.is_terminal(),
            colour: wanted && stdout.is_terminal(),
            width: columns.unwrap_or(100),
        }
    }

    /// Whether a person looks at stdout, rather than a program.
    pub fn is_interactive(&self) -> bool {
        self.interactive
    }

    /// Columns of a line.
    pub fn width(&self) -> usize {
        self.width
    }

    /// A line on stdout.
    pub fn line(&self, text: impl fmt::Display) -> Result<(), Failure> {
        writeln!(io::stdout().lock(), "{text}").map_err(Failure::from_output)
    }

    /// Text or bytes on stdout, exactly.
    pub fn raw(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)
            .and_then(|()| out.flush())
            .map_err(Failure::from_output)
    }

    /// All that `reader` has, on stdout, exactly.
    pub fn copy(&self, reader: &mut impl Read) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        io::copy(reader, &mut out)
            .and_then(|_| out.flush())
            .map_err(Failure::from_output)
    }

    /// Bytes on stderr, exactly. A reader that went away is nobody's loss here.
    pub fn raw_error(&self, bytes: &[u8]) {
        let _ = io::stderr().lock().write_all(bytes);
    }

    /// All that `reader` has, on stderr, exactly.
    pub fn copy_error(&self, reader: &mut impl Read) {
        let _ = io::copy(reader, &mut io::stderr().lock());
    }

    /// What is being done, for those who asked with `-v`.
    pub fn note(&self, text: impl fmt::Display) {
        if self.voice >= Voice::Verbose {
            self.say(&text);
        }
    }

    /// What is being done and may take a while, for a person who waits.
    pub fn wait(&self, text: impl fmt::Display) {
        let watched = self.voice == Voice::Normal && io::stderr().is_terminal();
        if watched || self.voice == Voice::Verbose {
            self.say(&text);
        }
    }

    /// Something that a person should know and that stops nothing.
    pub fn warn(&self, text: impl fmt::Display) {
        if self.voice >= Voice::Normal {
            self.say(&text);
        }
    }

    /// Why argway ends without its result.
    pub fn error(&self, text: impl fmt::Display) {
        self.say(&text);
    }

    fn say(&self, text: &dyn fmt::Display) {
        let text = harmless(&text.to_string());
        let _ = writeln!(io::stderr().lock(), "argway: {text}");
    }

    /// `text` in `style`, or plain where colour is not shown.
    pub fn styled(&self, style: Style, text: impl fmt::Display) -> String {
        if !self.colour {
            return text.to_string();
        }
        let code = match style {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Green => "32",
            Style::Yellow => "33",
            Style::Red => "31",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// `text` without anything that moves a cursor, changes a colour or the direction of
/// writing: it may be a stranger's, who wants it to look like something else.
pub fn harmless(text: &str) -> String {
    let text = shown(text.as_bytes());
    text.replace(
        |char| {
            matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
        },
        "\u{fffd}",
    )
}

/// `text` on one line of at most `width` columns, cut with an ellipsis, without what a
/// terminal would act on.
pub fn fit(text: &str, width: usize) -> String {
    let text = harmless(text);
    let line = text.lines().next().unwrap_or_default().trim_end();
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// `text` in at most `most` lines of `width` columns, broken between words and
/// indented as it begins.
pub fn wrap(text: &str, width: usize, most: usize) -> Vec<String> {
    let indent = &text[..text.len() - text.trim_start().len()];
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let used = indent.len() + lines[last].chars().count() + 1 + word.chars().count();
        if lines[last].is_empty() {
            lines[last].push_str(word);
        } else if used <= width {
            lines[last].push(' ');
            lines[last].push_str(word);
        } else if lines.len() == most {
            lines[last].push('…');
            break;
        } else {
            lines.push(format!("  {word}"));
        }
    }
    lines.iter().map(|line| format!("{indent}{line}")).collect()
}

/// `n` with a comma every three digits.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 command`, `2 commands`.
pub fn counted(n: usize, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_between_characters() {
        assert_eq!(fit("größer\nzweite", 20), "größer");
        assert_eq!(fit("größer als der Platz", 7), "größer…");
        assert_eq!(fit("\u{1b}[31mrot", 7), "rot");
    }

    #[test]
    fn long_text_is_broken_between_words_and_cut_at_last() {
        assert_eq!(
            wrap("  one two three four five", 12, 9),
            ["  one two", "    three", "    four", "    five"]
        );
        assert_eq!(
            wrap("  one two three four five", 12, 2),
            ["  one two", "    three…"]
        );
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(8_123_456), "8,123,456");
    }

    #[test]
    fn one_is_not_plural() {
        assert_eq!(counted(1, "command"), "1 command");
        assert_eq!(counted(1200, "command"), "1,200 commands");
    }
}
