//! Prints the words it was called with as a JSON array, so that a test can see
//! what arrived on the other side of a real process start.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, &words)?;
    out.write_all(b"\n")
}
