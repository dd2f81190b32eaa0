//! Speed, as ratios to something run beside it.

/// Runs every benchmark and prints a table.
pub fn run(_words: Vec<String>) -> anyhow::Result<()> {
    todo!()
}
