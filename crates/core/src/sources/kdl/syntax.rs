//! KDL as nodes with their places.
//!
//! One grammar for both dialects, because what one of them means the other does not
//! allow: KDL 1's bare `true`, `r"raw"` and strings over several lines are read beside
//! KDL 2's `#true`, `#"raw"#`, `"""` and bare words, in one file too.
//!
//! It is our own because the text may be hostile: time is linear, recursion is bounded,
//! and the first thing that is wrong is said in words. The tests hold it against the
//! `kdl` crate's readers of both dialects, which overflow the stack on twenty thousand
//! `)` and take twice as long for every nested `/-{`.

mod cursor;
mod numbers;
mod strings;

use super::fault::{Fault, Sort, Span};
use cursor::Cursor;

/// Bytes of a file beyond which it is not read.
pub(crate) const MOST_BYTES: usize = 1 << 20;
/// Braces within braces.
pub(crate) const DEEPEST: usize = 32;
/// Nodes, values and properties together.
pub(crate) const MOST_PARTS: usize = 50_000;

/// A name or text and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub text: String,
    pub span: Span,
}

/// `name value key=value { … }`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub name: Word,
    /// Values and properties in order.
    pub entries: Vec<Entry>,
    pub children: Option<Vec<Node>>,
    /// Where a `(type)` stands.
    pub annotation: Option<Span>,
}

/// A value, or a property with its key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub key: Option<Word>,
    pub value: Value,
    pub span: Span,
    /// Where a `(type)` stands.
    pub annotation: Option<Span>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Integer(i128),
    Float(f64),
    Bool(bool),
    Null,
}

/// The nodes of `text`, or the first thing that keeps it from being KDL.
pub(crate) fn parse(text: &str) -> Result<Vec<Node>, Fault> {
    if text.len() > MOST_BYTES {
        let message = format!(
            "the file has {} bytes; definitions have at most {MOST_BYTES}",
            text.len()
        );
        return Err(Fault::new(Sort::Size, Span::default(), message));
    }
    cursor::check_characters(text)?;
    let mut parser = Parser {
        cursor: Cursor::new(text),
        parts: 0,
        wrapped: None,
    };
    parser.nodes(None, 0)
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    parts: usize,
    /// The last quoted string with a line break in it: where a quote is missing, it is
    /// that one which ran on.
    wrapped: Option<Span>,
}

impl Parser<'_> {
    /// Nodes up to the end of the text, or to the `}` that closes `open`.
    fn nodes(&mut self, open: Option<Span>, depth: usize) -> Result<Vec<Node>, Fault> {
        let mut nodes = Vec::new();
        loop {
            self.cursor.skip_lines()?;
            let start = self.cursor.at();
            match (self.cursor.peek(), open) {
                (None, None) => return Ok(nodes),
                (None, Some(open)) => {
                    let fault = Fault::new(Sort::Syntax, open, "this `{` is never closed");
                    return Err(fault.help("write a `}` where its content ends"));
                }
                (Some('}'), Some(_)) => {
                    self.cursor.bump();
                    return Ok(nodes);
                }
                (Some('}'), None) => {
                    let span = Span::new(start, start + 1);
                    return Err(Fault::new(
                        Sort::Syntax,
                        span,
                        "this `}` closes nothing that is open",
                    ));
                }
                (Some(_), _) if self.cursor.eat("/-") => {
                    self.cursor.skip_lines()?;
                    self.node(depth)?;
                }
                (Some(_), _) => nodes.push(self.node(depth)?),
            }
        }
    }

    fn node(&mut self, depth: usize) -> Result<Node, Fault> {
        let (annotation, name) = match self.annotation()? {
            Some(span) => (Some(span), self.name("a name")?),
            None => (None, self.name("the name of a node")?),
        };
        self.count(name.span)?;
        let mut node = Node {
            name,
            entries: Vec::new(),
            children: None,
            annotation,
        };
        loop {
            let spaced = self.cursor.skip_spaces()?;
            let start = self.cursor.at();
            match self.cursor.peek() {
                None | Some('}') => return Ok(node),
                Some(';') => {
                    self.cursor.bump();
                    return Ok(node);
                }
                Some(_) if self.cursor.skip_line_end() => return Ok(node),
                Some('{') => {
                    let children = self.children(depth)?;
                    if node.children.is_some() {
                        let span = Span::new(start, start + 1);
                        let message = format!("`{}` already has its `{{ … }}`", node.name.text);
                        return Err(Fault::new(Sort::Syntax, span, message));
                    }
                    node.children = Some(children);
                }
                Some(_) if self.cursor.eat("/-") => {
                    self.cursor.skip_lines()?;
                    match self.cursor.peek() {
                        Some('{') => drop(self.children(depth)?),
                        _ => drop(self.entry()?),
                    }
                }
                Some(_) if node.children.is_some() => {
                    let message = "after `}` comes a line break or `;`";
                    return Err(Fault::new(Sort::Syntax, self.cursor.word_here(), message));
                }
                Some(_) if !spaced => return Err(self.unspaced()),
                Some(_) => {
                    let entry = self.entry()?;
                    node.entries.push(entry);
                }
            }
        }
    }

    fn children(&mut self, depth: usize) -> Result<Vec<Node>, Fault> {
        let start = self.cursor.at();
        let open = Span::new(start, start + 1);
        if depth == DEEPEST {
            let message = format!("braces stand within braces, more than {DEEPEST} deep");
            return Err(Fault::new(Sort::Size, open, message));
        }
        self.cursor.bump();
        self.nodes(Some(open), depth + 1)
    }

    fn entry(&mut self) -> Result<Entry, Fault> {
        let start = self.cursor.at();
        let annotation = self.annotation()?;
        let (value, name) = self.value()?;
        let end = self.cursor.at();
        self.count(Span::new(start, end))?;
        let mut entry = Entry {
            key: None,
            value,
            span: Span::new(start, end),
            annotation,
        };
        let Some(text) = name else { return Ok(entry) };
        let before = self.cursor.at();
        self.cursor.skip_spaces()?;
        if self.cursor.peek() != Some('=') {
            self.cursor.back_to(before);
            return Ok(entry);
        }
        self.cursor.bump();
        self.cursor.skip_spaces()?;
        entry.key = Some(Word {
            text,
            span: entry.span,
        });
        let start = self.cursor.at();
        entry.annotation = self.annotation()?.or(entry.annotation);
        entry.value = self.value()?.0;
        entry.span = Span::new(start, self.cursor.at());
        Ok(entry)
    }

    /// `(type)`, if there is one.
    fn annotation(&mut self) -> Result<Option<Span>, Fault> {
        if self.cursor.peek() != Some('(') {
            return Ok(None);
        }
        let start = self.cursor.at();
        self.cursor.bump();
        self.cursor.skip_spaces()?;
        self.name("a type")?;
        self.cursor.skip_spaces()?;
        let span = Span::new(start, self.cursor.at());
        if self.cursor.peek() != Some(')') {
            return Err(Fault::new(
                Sort::Syntax,
                span,
                "this `(` is closed by no `)`",
            ));
        }
        self.cursor.bump();
        self.cursor.skip_spaces()?;
        Ok(Some(Span::new(start, self.cursor.at())))
    }

    fn name(&mut self, what: &str) -> Result<Word, Fault> {
        let start = self.cursor.at();
        let (value, name) = match self.cursor.starts_value() {
            true => self.value()?,
            false => return Err(self.unexpected(what)),
        };
        let span = Span::new(start, self.cursor.at());
        match (name, value) {
            (Some(text), Value::Text(_)) => Ok(Word { text, span }),
            _ => {
                let message = format!("`{}` is not {what}", self.cursor.slice(span));
                Err(Fault::new(Sort::Syntax, span, message))
            }
        }
    }

    /// A value, and the text that it is as a key where it can be one.
    fn value(&mut self) -> Result<(Value, Option<String>), Fault> {
        let start = self.cursor.at();
        if let Some(string) = strings::read(&mut self.cursor)? {
            if string.wraps {
                self.wrapped = Some(Span::new(start, start + 1));
            }
            return Ok((Value::Text(string.text.clone()), Some(string.text)));
        }
        if self.cursor.peek() == Some('#') {
            return Ok((self.keyword()?, None));
        }
        if let Some(number) = numbers::read(&mut self.cursor)? {
            return Ok((number, None));
        }
        let word = self.cursor.bare_word();
        Ok(match word {
            "" => return Err(self.unexpected("a value")),
            "true" | "false" => (Value::Bool(word == "true"), Some(word.to_owned())),
            "null" => (Value::Null, Some(word.to_owned())),
            _ => (Value::Text(word.to_owned()), Some(word.to_owned())),
        })
    }

    /// `#true` and its like.
    fn keyword(&mut self) -> Result<Value, Fault> {
        let start = self.cursor.at();
        self.cursor.bump();
        let word = self.cursor.bare_word();
        let span = Span::new(start, self.cursor.at());
        match word {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            "inf" => Ok(Value::Float(f64::INFINITY)),
            "-inf" => Ok(Value::Float(f64::NEG_INFINITY)),
            "nan" => Ok(Value::Float(f64::NAN)),
            _ => {
                let message = format!("`#{word}` is no value");
                let help = "`#` begins `#true`, `#false`, `#null` or a raw string `#\"…\"#`; \
                            a comment begins with `//`";
                Err(Fault::new(Sort::Syntax, span, message).help(help))
            }
        }
    }

    fn count(&mut self, span: Span) -> Result<(), Fault> {
        self.parts += 1;
        match self.parts > MOST_PARTS {
            true => Err(Fault::new(
                Sort::Size,
                span,
                format!("the file has more than {MOST_PARTS} nodes and values"),
            )),
            false => Ok(()),
        }
    }

    fn unexpected(&self, what: &str) -> Fault {
        let span = self.cursor.word_here();
        let found = self.cursor.slice(span);
        match found {
            "" => Fault::new(Sort::Syntax, span, format!("{what} is missing")),
            _ => {
                let message = format!("{what} is expected, not `{found}`");
                let fault = Fault::new(Sort::Syntax, span, message);
                match what == "a value" && found.starts_with('=') {
                    true => {
                        fault.help("a node's value follows its name without `=`: `name \"value\"`")
                    }
                    false => fault,
                }
            }
        }
    }

    /// Two things without a space between them: mostly a quote too few or too many.
    fn unspaced(&self) -> Fault {
        match self.wrapped {
            Some(span) => Fault::new(
                Sort::Syntax,
                span,
                "the string that begins here goes on over the end of its line",
            )
            .help("is its closing quote missing?"),
            None => {
                let span = self.cursor.word_here();
                let found = self.cursor.slice(span);
                let fault = Fault::new(
                    Sort::Syntax,
                    span,
                    format!("a space is missing before `{found}`"),
                );
                fault.help("a quote within a string is written `\\\"`")
            }
        }
    }
}

#[cfg(test)]
mod tests;
