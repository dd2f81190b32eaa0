//! The fake HTTP server as a program: prints its port, serves until its stdin ends.
//!
//! `fake-mcp-http [--tls CA_FILE]`: with TLS, the authority that it is signed by is
//! written to the file.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use argway_testkit::fake_http::Fake;

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let fake = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Fake::start()?,
        ["--tls", path] => Fake::start_tls(&PathBuf::from(path))?,
        _ => return Err(io::Error::other("usage: fake-mcp-http [--tls CA_FILE]")),
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{}", fake.port())?;
    out.flush()?;
    io::copy(&mut io::stdin().lock().by_ref(), &mut io::sink())?;
    Ok(())
}
