//! A native file that runs the shell script appended to it, for tests that need a small
//! program which answers as Cobra's do: such programs are known by their file, and a
//! script alone would not be taken for one.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// What stands before the script at the end of the file. Built from two parts, so that
/// it is not found in the code.
fn mark() -> Vec<u8> {
    [&b"\n#appended "[..], b"script#\n"].concat()
}

fn main() -> std::io::Result<()> {
    let whole = std::fs::read("/proc/self/exe")?;
    let mark = mark();
    let at = whole
        .windows(mark.len())
        .rposition(|window| window == mark)
        .ok_or_else(|| std::io::Error::other("no script is appended"))?;
    let script = String::from_utf8_lossy(&whole[at + mark.len()..]).into_owned();
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_default();
    Err(Command::new("/bin/sh")
        .arg("-c")
        .arg(script)
        .arg(name)
        .args(words)
        .exec())
}
