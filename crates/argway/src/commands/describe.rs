//! `argway describe`: what was read of a program, as JSON, as a definition, or as a usage
//! spec.

use std::path::PathBuf;

use argway_core::export;
use argway_core::model::Reading;
use argway_core::sources::kdl;
use clap::{Args, ValueEnum};

use super::{loss_lines, write_file};
use crate::definitions::report::line;
use crate::exit::Failure;
use crate::options::{ReadOptions, TranscriptOption};
use crate::source::Source;
use crate::terminal::{Terminal, counted};

/// How many losses are shown before the rest is only counted.
const LOSSES_SHOWN: usize = 5;

/// Print what argway reads of a program: as JSON, as a definition, as a usage spec
///
/// The JSON is the description format of GUIDE.md, and a definition (kdl) is one of
/// GUIDE-DEFINITIONS.md. Review it, edit it, commit it: serve, tools and call take either file in
/// place of PROGRAM.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  argway describe gh
  argway describe gh -o gh.json && argway serve gh.json
  argway describe jq --format kdl -o jq.kdl && argway serve jq.kdl
  argway describe gh --format usage -o gh.usage.kdl
  argway describe --transcript captured/gh gh
  argway describe tools.kdl cli_jq")]
pub struct Describe {
    /// A name on PATH, a path, a description file, or a definition (FILE.kdl, cli_NAME)
    #[arg(required_unless_present = "transcript")]
    program: Option<String>,
    /// Which one of several definitions in FILE.kdl
    #[arg(value_name = "cli_NAME", conflicts_with = "transcript")]
    definition: Option<String>,
    /// In which format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Json)]
    format: Format,
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
        let text = self.written(terminal, &reading)?;
        tell_losses(terminal, &reading);
        match &self.output {
            Some(path) => write_file(path, &text),
            None => terminal.raw(text.as_bytes()),
        }
    }
}

/// How a description is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Everything that is known, and where it came from
    Json,
    /// A definition, with comments where the reader was unsure
    Kdl,
    /// A usage spec
    Usage,
}

impl Describe {
    fn written(&self, terminal: &Terminal, reading: &Reading) -> Result<String, Failure> {
        match self.format {
            Format::Json => {
                let mut text = serde_json::to_string_pretty(reading)
                    .map_err(|error| Failure::Program(error.into()))?;
                text.push('\n');
                Ok(text)
            }
            Format::Kdl => {
                let text = export::kdl::definition(reading, &self.command(reading))
                    .map_err(|error| Failure::Usage(error.into()))?;
                let mistakes = kdl::read("it", &text).mistakes;
                for mistake in mistakes.iter().take(LOSSES_SHOWN) {
                    terminal.warn(line(mistake));
                }
                if !mistakes.is_empty() {
                    terminal.warn(format_args!(
                        "{}: the definition cannot be used as it is: {} to put right by hand",
                        reading.program.name,
                        counted(mistakes.len(), "mistake")
                    ));
                }
                Ok(text)
            }
            Format::Usage => {
                export::usage::spec(reading).map_err(|error| Failure::Usage(error.into()))
            }
        }
    }

    /// How a definition calls the program: as the user did, unless that depends on the
    /// folder.
    fn command(&self, reading: &Reading) -> String {
        let program = &reading.program;
        let named_by_path = self.program.as_ref().is_some_and(|it| it.contains('/'));
        match &program.executable {
            Some(path) if named_by_path => path.clone(),
            _ => program.name.clone(),
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
