//! A place in a text, and what may be skipped there.

use super::super::fault::{Fault, Sort, Span};

/// The longest stretch that a message quotes.
const MOST_QUOTED: usize = 40;

pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

/// Refuses what KDL 2 allows nowhere: control characters, and those that change the
/// direction of writing, behind which a file can look like another.
pub(super) fn check_characters(text: &str) -> Result<(), Fault> {
    let found = text
        .char_indices()
        .find(|&(at, char)| is_forbidden(char) && (at, char) != (0, '\u{feff}'));
    match found {
        None => Ok(()),
        Some((at, char)) => {
            let span = Span::new(at, at + char.len_utf8());
            let message = format!("the character U+{:04X} cannot stand here", u32::from(char));
            let fault = Fault::new(Sort::Syntax, span, message);
            Err(fault.help("within a string it is written as an escape: `\\u{1b}`"))
        }
    }
}

fn is_forbidden(char: char) -> bool {
    matches!(
        char,
        '\0'..='\u{8}'
            | '\u{e}'..='\u{1f}'
            | '\u{7f}'
            | '\u{200e}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
    )
}

pub(super) fn is_newline(char: char) -> bool {
    matches!(
        char,
        '\n' | '\r' | '\u{85}' | '\u{b}' | '\u{c}' | '\u{2028}' | '\u{2029}'
    )
}

pub(super) fn is_space(char: char) -> bool {
    matches!(
        char,
        '\t' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Whether a word without quotes may hold it.
fn is_bare(char: char) -> bool {
    !is_newline(char)
        && !is_space(char)
        && !matches!(
            char,
            '\\' | '/' | '(' | ')' | '{' | '}' | ';' | '[' | ']' | '"' | '#' | '='
        )
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        let at = match text.starts_with('\u{feff}') {
            true => '\u{feff}'.len_utf8(),
            false => 0,
        };
        Self { text, at }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn slice(&self, span: Span) -> &'a str {
        &self.text[span.start..span.end]
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    pub fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    pub fn back_to(&mut self, at: usize) {
        self.at = at;
    }

    pub fn eat(&mut self, word: &str) -> bool {
        let is_there = self.rest().starts_with(word);
        if is_there {
            self.at += word.len();
        }
        is_there
    }

    /// Whether a value or a name begins here.
    pub fn starts_value(&self) -> bool {
        self.peek()
            .is_some_and(|char| is_bare(char) || matches!(char, '"' | '#'))
    }

    /// The word without quotes that begins here; empty where none does.
    pub fn bare_word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|char| !is_bare(char)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// What stands here, for a message: a word, or the one character.
    pub fn word_here(&self) -> Span {
        let rest = self.rest();
        let end = rest
            .char_indices()
            .find(|&(at, char)| !is_bare(char) || at >= MOST_QUOTED)
            .map_or(rest.len(), |(at, _)| at);
        let single = self
            .peek()
            .filter(|&char| !is_newline(char))
            .map_or(0, char::len_utf8);
        Span::new(self.at, self.at + end.max(single))
    }

    /// Skips everything between nodes.
    pub fn skip_lines(&mut self) -> Result<(), Fault> {
        loop {
            self.skip_spaces()?;
            let ends = matches!(self.peek(), Some(';'));
            match ends {
                true => self.bump(),
                false if self.skip_line_end() => {}
                false => return Ok(()),
            }
        }
    }

    /// Skips a `//` comment and the line break, if one of them is here.
    pub fn skip_line_end(&mut self) -> bool {
        let comment = self.rest().starts_with("//");
        if comment {
            let rest = self.rest();
            self.at += rest.find(is_newline).unwrap_or(rest.len());
        }
        comment | self.skip_newline()
    }

    fn skip_newline(&mut self) -> bool {
        if self.eat("\r\n") {
            return true;
        }
        let is_there = self.peek().is_some_and(is_newline);
        if is_there {
            self.bump();
        }
        is_there
    }

    /// Skips what may stand within a node: spaces, `/* … */`, and a line break behind a
    /// backslash. Whether there was anything.
    pub fn skip_spaces(&mut self) -> Result<bool, Fault> {
        let start = self.at;
        loop {
            let rest = self.rest();
            let spaces = rest.find(|char| !is_space(char)).unwrap_or(rest.len());
            self.at += spaces;
            match self.peek() {
                Some('/') if self.rest().starts_with("/*") => self.skip_block_comment()?,
                Some('\\') => self.skip_continuation()?,
                _ => return Ok(self.at > start),
            }
        }
    }

    /// `/* … */`, which may hold others.
    fn skip_block_comment(&mut self) -> Result<(), Fault> {
        let open = Span::new(self.at, self.at + 2);
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        let mut at = self.at;
        while at < bytes.len() {
            match &bytes[at..(at + 2).min(bytes.len())] {
                b"/*" => depth += 1,
                b"*/" => depth -= 1,
                _ => {
                    at += 1;
                    continue;
                }
            }
            at += 2;
            if depth == 0 {
                self.at = at;
                return Ok(());
            }
        }
        let fault = Fault::new(Sort::Syntax, open, "this comment is never closed");
        Err(fault.help("write `*/` where it ends"))
    }

    fn skip_continuation(&mut self) -> Result<(), Fault> {
        let backslash = Span::new(self.at, self.at + 1);
        self.at += 1;
        loop {
            let rest = self.rest();
            self.at += rest.find(|char| !is_space(char)).unwrap_or(rest.len());
            match self.rest().starts_with("/*") {
                true => self.skip_block_comment()?,
                false => break,
            }
        }
        if self.skip_line_end() || self.peek().is_none() {
            return Ok(());
        }
        let message = "a backslash outside of quotes continues the line: a line break must follow";
        Err(Fault::new(Sort::Syntax, backslash, message))
    }
}
