//! What was read of a program, in formats that people correct and other tools read.
//!
//! Everything here is made of text that programs print: it is quoted or commented out in
//! one place, `text`, and never written otherwise.

pub mod kdl;
pub mod usage;

mod resolve;
mod text;

/// Why a reading is not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotWritten {
    /// Somebody wrote it by hand already.
    #[error("`{0}` is a definition already: its file is what would be written")]
    Definition(String),
}
