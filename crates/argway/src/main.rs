//! `argway`: any command-line program as an MCP server.

mod cache;
mod commands;
mod definitions;
mod exit;
mod interrupt;
mod options;
mod overlays;
mod source;
mod terminal;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::{call, capture, check, describe, doctor, serve, tools, trust, tryout};
use crate::exit::Failure;
use crate::terminal::{Terminal, Voice};

/// Any command-line program as an MCP server, with no change to the program.
#[derive(Debug, Parser)]
#[command(
    name = "argway",
    version,
    max_term_width = 100,
    after_help = "\
Start here:
  argway try git          what argway sees in a program, and what it would cost
  argway serve gh         gh's commands as MCP tools over stdio
  argway check            definitions of your own, in KDL: what is wrong with them

Exit codes: 0 done; 1 the called command failed; 2 wrong usage, arguments or definitions;
3 the program could not be read or started, or its sandbox does not hold here."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// Say nothing on stderr but errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say on stderr what is being done
    #[arg(short, long, global = true)]
    verbose: bool,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Try(tryout::Try),
    Serve(serve::Serve),
    Tools(tools::Tools),
    Call(call::Call),
    Describe(describe::Describe),
    Capture(capture::Capture),
    Check(check::Check),
    Trust(trust::Trust),
    Doctor(doctor::Doctor),
}

fn main() -> ExitCode {
    // Before anything else: a launcher is what every sandboxed call pays for.
    if argway_sandbox::launcher::is_wanted() {
        argway_sandbox::launcher::main();
    }
    if argway_sandbox::doctor::is_wanted() {
        argway_sandbox::doctor::main();
    }
    argway_serve::exec::leave_terminal();
    // clap itself prints help, versions and usage errors, with exit codes 0 and 2.
    let cli = Cli::parse();
    let terminal = Terminal::new(match (cli.quiet, cli.verbose) {
        (true, _) => Voice::Quiet,
        (false, false) => Voice::Normal,
        (false, true) => Voice::Verbose,
    });
    match run(&cli.verb, &terminal) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(message) = failure.message() {
                terminal.error(message);
            }
            failure.code()
        }
    }
}

fn run(verb: &Verb, terminal: &Terminal) -> Result<(), Failure> {
    match verb {
        Verb::Try(verb) => verb.run(terminal),
        Verb::Serve(verb) => verb.run(terminal),
        Verb::Tools(verb) => verb.run(terminal),
        Verb::Call(verb) => verb.run(terminal),
        Verb::Describe(verb) => verb.run(terminal),
        Verb::Capture(verb) => verb.run(terminal),
        Verb::Check(verb) => verb.run(terminal),
        Verb::Trust(verb) => verb.run(terminal),
        Verb::Doctor(verb) => verb.run(terminal),
    }
}
