//! A mistake as a person meets it: what, where, and what would be right.

use std::fmt::{self, Display, Write};
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use unicode_width::UnicodeWidthChar;

use super::fault::{Fault, Sort, Span};

/// Characters of a source line that are shown.
const MOST_SHOWN: usize = 160;
/// Characters of a message.
const MOST_TOLD: usize = 400;

/// Something wrong in a file, with its place.
///
/// [`Mistake::render`] shows it by itself; miette's handlers show it as any other
/// diagnostic.
#[derive(Debug, Clone)]
pub struct Mistake {
    /// What is wrong and what would be right.
    pub message: String,
    /// How to put it right, where the message does not say so.
    pub help: Option<String>,
    source: Arc<NamedSource<String>>,
    place: Span,
    other: Option<(Span, String)>,
    sort: Sort,
}

impl Mistake {
    pub(crate) fn new(source: &Arc<NamedSource<String>>, fault: Fault) -> Self {
        Self {
            message: told(&fault.message),
            help: fault.help.as_deref().map(told),
            source: Arc::clone(source),
            place: fault.span,
            other: fault.other.map(|(span, what)| (span, what.into_owned())),
            sort: fault.sort,
        }
    }

    /// The name of the file, as it was given.
    pub fn file(&self) -> &str {
        self.source.name()
    }

    /// The line that it begins on, from 1.
    pub fn line(&self) -> usize {
        line_of(self.text(), self.place.start)
    }

    /// The character of that line, from 1.
    pub fn column(&self) -> usize {
        let (line, _) = line_around(self.text(), self.place.start);
        self.text()[line.start..self.place.start].chars().count() + 1
    }

    /// Which sort of mistake: `argway::definition::unknown`.
    pub fn code(&self) -> &'static str {
        self.sort.code()
    }

    /// File, line and column, the message, the source line with the place pointed at,
    /// and the help, without colours. Ends with a line break.
    pub fn render(&self) -> String {
        let (line, column) = (self.line(), self.column());
        let mut out = format!("{}:{line}:{column}: {self}\n", visible(self.file()));
        self.point(&mut out, self.place, "");
        if let Some((span, what)) = &self.other {
            self.point(&mut out, *span, what);
        }
        if let Some(help) = &self.help {
            let _ = writeln!(out, "  help: {help}");
        }
        out
    }

    fn text(&self) -> &str {
        self.source.inner()
    }

    fn point(&self, out: &mut String, span: Span, what: &str) {
        let (line, text) = line_around(self.text(), span.start);
        let before = &text[..span.start - line.start];
        let marked = &text[before.len()..(span.end.min(line.end) - line.start).max(before.len())];
        // A long line is shown from shortly before the place.
        let skipped = before
            .chars()
            .count()
            .saturating_sub(MOST_SHOWN / 2)
            .min(before.chars().count());
        let cut: usize = before.chars().take(skipped).map(char::len_utf8).sum();
        let shown: String = text[cut..].chars().take(MOST_SHOWN).collect();
        let number = line_of(self.text(), span.start).to_string();
        let room = " ".repeat(number.len());
        let carets = width(marked).clamp(1, MOST_SHOWN / 2);
        let _ = writeln!(out, "  {number} | {}", visible(&shown));
        let _ = write!(
            out,
            "  {room} | {}{}",
            " ".repeat(width(&before[cut..])),
            "^".repeat(carets)
        );
        match what.is_empty() {
            true => out.push('\n'),
            false => drop(writeln!(out, " {what}")),
        }
    }
}

impl Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Mistake {}

impl Diagnostic for Mistake {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(self.sort.code()))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        let help = self.help.as_ref()?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = |span: Span, what: Option<String>| {
            LabeledSpan::new(what, span.start, span.end - span.start)
        };
        let first = label(self.place, Some("here".to_owned()));
        let second = self
            .other
            .as_ref()
            .map(|(span, what)| label(*span, Some(what.clone())));
        Some(Box::new(std::iter::once(first).chain(second)))
    }
}

/// A message with no more of a long text in it than anybody reads.
fn told(text: &str) -> String {
    let mut told = visible(text);
    if let Some((end, _)) = told.char_indices().nth(MOST_TOLD) {
        told.truncate(end);
        told.push('…');
    }
    told
}

/// The number of the line that holds the byte `at`, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1
}

/// The line around the byte `at`, without its line break.
fn line_around(text: &str, at: usize) -> (Span, &str) {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..]
        .find('\n')
        .map_or(text.len(), |newline| at + newline);
    let line = text[start..end].trim_end_matches('\r');
    // The place may be the line break itself.
    let end = (start + line.len()).max(at);
    (Span::new(start, end), &text[start..end])
}

/// Columns of a terminal, with characters as [`visible`] shows them.
fn width(text: &str) -> usize {
    let shown = visible(text);
    shown.chars().map(|char| char.width().unwrap_or(0)).sum()
}

/// `text` without anything that a terminal would act on, or show in another order.
fn visible(text: &str) -> String {
    text.chars()
        .map(|char| match char {
            '\t' => ' ',
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                '\u{fffd}'
            }
            char if char.is_control() => '\u{fffd}',
            char => char,
        })
        .collect()
}
