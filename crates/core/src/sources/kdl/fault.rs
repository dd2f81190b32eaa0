//! Something wrong with a text, before it is known whose: a place and words.

use std::borrow::Cow;

/// A stretch of the source, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// Which sort of mistake it is: the last word of its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// It is not KDL.
    Syntax,
    /// There is too much of it.
    Size,
    /// A word that nothing here is called.
    Unknown,
    /// A value that does not do.
    Value,
    /// Something is not there.
    Missing,
    /// Two things that cannot both be.
    Conflict,
    /// It would let somebody else's code run.
    Unsafe,
}

impl Sort {
    pub fn code(self) -> &'static str {
        match self {
            Sort::Syntax => "argway::definition::syntax",
            Sort::Size => "argway::definition::size",
            Sort::Unknown => "argway::definition::unknown",
            Sort::Value => "argway::definition::value",
            Sort::Missing => "argway::definition::missing",
            Sort::Conflict => "argway::definition::conflict",
            Sort::Unsafe => "argway::definition::unsafe",
        }
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub sort: Sort,
    pub span: Span,
    pub message: String,
    pub help: Option<String>,
    /// Another place that has to do with it, and what it is.
    pub other: Option<(Span, Cow<'static, str>)>,
}

impl Fault {
    pub fn new(sort: Sort, span: Span, message: impl Into<String>) -> Self {
        Self {
            sort,
            span,
            message: message.into(),
            help: None,
            other: None,
        }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn other(mut self, span: Span, what: impl Into<Cow<'static, str>>) -> Self {
        self.other = Some((span, what.into()));
        self
    }
}
