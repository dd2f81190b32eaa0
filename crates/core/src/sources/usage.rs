//! Reads positional parameters out of a usage line.

use crate::model::Param;

/// What a usage line says of positionals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Positionals {
    /// In order; variadic ones are `words<string>`.
    pub params: Vec<Param>,
    /// Parts that could not be read, as printed.
    pub unread: Vec<String>,
}

/// Positionals of `line` (`gh repo clone <repository> [<directory>] [-- <gitflags>...]`),
/// whose first `words` words are the program's name and the command's path.
pub fn positionals(_line: &str, _words: usize) -> Positionals {
    todo!()
}
