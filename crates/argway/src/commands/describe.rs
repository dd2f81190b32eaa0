//! `argway describe`: what was read of a program, as JSON.

use std::path::PathBuf;

use argway_core::model::Reading;
use clap::Args;

use super::{loss_lines, write_file};
use crate::exit::Failure;
use crate::options::{ReadOptions, TranscriptOption};
use crate::source::Source;
use crate::terminal::{Terminal, counted};

/// How many losses are shown before the rest is only counted.
const LOSSES_SHOWN: usize = 5;

/// Print what argway reads of a program, as JSON
///
/// The output is the description format of GUIDE.md. Review it, edit it, commit it: serve, tools
/// and call take the file in place of PROGRAM.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  argway describe gh
  argway describe gh -o gh.json && argway serve gh.json
  argway describe --transcript captured/gh gh
  argway describe tools.kdl cli_jq")]
pub struct Describe {
    /// A name on PATH, a path, a description file, or a definition (FILE.kdl, cli_NAME)
    #[arg(required_unless_present = "transcript")]
    program: Option<String>,
    /// Which one of several definitions in FILE.kdl
    #[arg(value_name = "cli_NAME", conflicts_with = "transcript")]
    definition: Option<String>,
    /// Write to FILE instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    transcript: TranscriptOption,
    #[command(flatten)]
    read: ReadOptions,
}

impl Describe {
    /// Prints the description; losses go to stderr.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        let source = Source::new(terminal, &self.read);
        let reading = match (&self.program, &self.definition) {
            (Some(program), Some(definition)) => source.read_of(program, definition)?,
            (program, _) => source.read_either(program.as_deref(), &self.transcript)?,
        };
        let mut text = serde_json::to_string_pretty(&reading)
            .map_err(|error| Failure::Program(error.into()))?;
        text.push('\n');
        tell_losses(terminal, &reading);
        match &self.output {
            Some(path) => write_file(path, &text),
            None => terminal.raw(text.as_bytes()),
        }
    }
}

/// Tells on stderr what was not understood, the first few in words.
fn tell_losses(terminal: &Terminal, reading: &Reading) {
    let losses = &reading.losses;
    if losses.is_empty() {
        return;
    }
    let name = &reading.program.name;
    terminal.warn(format_args!(
        "{name}: {} not understood",
        counted(losses.len(), "thing")
    ));
    for line in loss_lines(name, losses, LOSSES_SHOWN) {
        terminal.warn(line);
    }
}
