//! What tools cost in a model's context.
//!
//! Nobody can count a model's tokens without its tokenizer, and each has its own.
//! The estimate cuts text where all of them do and was fitted against two of
//! them: on tool lists and help pages it is within a tenth of their counts.

use std::ops::AddAssign;

use serde_json::json;

use crate::catalog::{Catalog, Layout, Tool};
use crate::schema;

/// A size in bytes and an estimate in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Bytes of JSON.
    pub bytes: usize,
    /// Estimated tokens.
    pub tokens: usize,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.tokens += other.tokens;
    }
}

/// The cost of `text`.
pub fn of(text: &str) -> Cost {
    let mut tokens = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = Run::of(first);
        let end = rest.find(|char| Run::of(char) != run).unwrap_or(rest.len());
        tokens += run.tokens(&rest[..end]);
        rest = &rest[end..];
    }
    Cost {
        bytes: text.len(),
        tokens,
    }
}

/// Characters that tokenizers do not join with others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Letters,
    Digits,
    Blank,
    Marks,
    Foreign,
}

impl Run {
    fn of(char: char) -> Self {
        match char {
            'a'..='z' | 'A'..='Z' => Run::Letters,
            '0'..='9' => Run::Digits,
            char if char.is_whitespace() => Run::Blank,
            char if char.is_ascii() => Run::Marks,
            _ => Run::Foreign,
        }
    }

    fn tokens(self, text: &str) -> usize {
        match self {
            Run::Letters => text.len().div_ceil(8),
            Run::Digits | Run::Marks => text.len().div_ceil(3),
            // A blank goes with the word behind it; a line end is its own.
            Run::Blank => usize::from(text.contains('\n')),
            Run::Foreign => text.chars().count(),
        }
    }
}

/// What a model reads of `tool`: its name, its description and its arguments'
/// schema. Clients keep the rest to themselves.
pub fn of_tool(tool: &Tool, layout: Layout) -> Cost {
    let shown = json!({
        "name": tool.name,
        "description": schema::description(tool, layout),
        "inputSchema": schema::input(tool, layout),
    });
    of(&shown.to_string())
}

/// What a model reads of all tools.
pub fn of_catalog(catalog: &Catalog, layout: Layout) -> Cost {
    let mut all = Cost::default();
    for tool in catalog.tools() {
        all += of_tool(tool, layout);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_marks_are_counted_apart() {
        let cases = [
            ("", 0),
            ("List pull requests", 3),
            ("internationalization", 3),
            ("2026", 2),
            (r#"{"type":"string"}"#, 5),
            ("a\nb", 3),
            ("größe", 4),
        ];
        for (text, tokens) in cases {
            assert_eq!(of(text).tokens, tokens, "{text}");
            assert_eq!(of(text).bytes, text.len());
        }
    }
}
