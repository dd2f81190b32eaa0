//! `cargo xtask`: measures that belong to the project rather than to the program.

mod bench;
mod fidelity;

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1);
    match words.next().as_deref() {
        Some("fidelity") => fidelity::run(words.collect()),
        Some("bench") => bench::run(words.collect()),
        // The server that `bench mcpx` calls.
        Some("mcp-echo") => bench::mcpx::echo::serve(),
        // What `bench sandbox` has run programs.
        Some("sandbox-server") => bench::sandbox::serve(&words.collect::<Vec<_>>()),
        _ => anyhow::bail!(
            "usage: cargo xtask fidelity [PROGRAM|FOLDER…] | cargo xtask bench [mcpx|pages|sandbox]"
        ),
    }
}
