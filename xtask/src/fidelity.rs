//! How much of a program is read right: what was read, against what the program's
//! own completion and parser say.

/// Measures the programs and transcript folders named, or the corpus.
pub fn run(_words: Vec<String>) -> anyhow::Result<()> {
    todo!()
}
