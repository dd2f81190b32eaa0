//! `argway check`: every mistake in definitions, where it stands.

use std::path::PathBuf;

use anyhow::Context;
use argway_core::model::{Program, RunSpec};
use argway_core::policy::Filesystem;
use clap::Args;

use crate::definitions::places::Place;
use crate::definitions::report::harmless;
use crate::definitions::{Desk, Sheet, find_command, tool_name};
use crate::exit::Failure;
use crate::options::ReadOptions;
use crate::source::Source;
use crate::terminal::{Terminal, counted};

/// Show every mistake in definitions, with its place
///
/// Reads FILES, or without any all that would be loaded here, trusted or not. Nothing is run. The
/// exit code is 2 if something is wrong; warnings alone are no failure.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  argway check
  argway check tools.kdl .argway/cli")]
pub struct Check {
    /// Files with definitions, or folders of them
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Check {
    /// Prints what is wrong, file by file, and a summary.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        let desk = Desk::of_process()
            .context("the working folder cannot be looked at")
            .map_err(Failure::Program)?;
        let places: Vec<Place> = match self.files.is_empty() {
            true => {
                let places = desk.places().into_iter();
                places.chain(desk.overlay_places()).collect()
            }
            false => self.files.iter().map(|file| Place::named(file)).collect(),
        };
        let (sheets, problems) = desk.look(&places);
        let mut count = Count {
            mistakes: problems.len(),
            ..Count::default()
        };
        for problem in problems {
            terminal.line(harmless(&problem))?;
        }
        for sheet in &sheets {
            count.add(match sheet.is_overlay() {
                true => examine_overlays(terminal, sheet)?,
                false => examine(terminal, sheet)?,
            });
        }
        let mut summary = format!(
            "{}, {}",
            counted(count.definitions, "definition"),
            counted(count.mistakes, "mistake")
        );
        if count.overlays > 0 {
            let overlays = counted(count.overlays, "overlay");
            summary = match count.definitions {
                0 => format!("{overlays}, {}", counted(count.mistakes, "mistake")),
                _ => format!("{overlays}, {summary}"),
            };
        }
        if count.warnings > 0 {
            summary.push_str(&format!(", {}", counted(count.warnings, "warning")));
        }
        terminal.line(summary)?;
        match count.mistakes {
            0 => Ok(()),
            _ => Err(Failure::Mistakes),
        }
    }
}

#[derive(Debug, Default)]
struct Count {
    definitions: usize,
    overlays: usize,
    mistakes: usize,
    warnings: usize,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.definitions += other.definitions;
        self.overlays += other.overlays;
        self.mistakes += other.mistakes;
        self.warnings += other.warnings;
    }
}

/// Shows all that is to be said of one file.
fn examine(terminal: &Terminal, sheet: &Sheet) -> Result<Count, Failure> {
    if let Err(refusal) = &sheet.content {
        terminal.line(harmless(&refusal.to_string()))?;
        return Ok(Count {
            mistakes: 1,
            ..Count::default()
        });
    }
    let read = sheet.read();
    for mistake in &read.mistakes {
        terminal.line(mistake.render())?;
    }
    let mut warnings: Vec<String> = sheet.distrust().into_iter().collect();
    for definition in &read.definitions {
        let mut program = definition.reading.program.clone();
        let place = format!("{}:{}", sheet.path.display(), definition.line);
        let said = definition.warnings.iter().cloned();
        let found = said
            .chain(wide_open(&program))
            .chain(find_command(&mut program).err().map(|error| {
                let name = tool_name(&definition.reading.program);
                format!("{name} would be left out here: {error}")
            }));
        warnings.extend(found.map(|warning| format!("{place}: {warning}")));
    }
    for warning in &warnings {
        terminal.line(format_args!("warning: {}", harmless(warning)))?;
    }
    Ok(Count {
        definitions: read.definitions.len(),
        overlays: 0,
        mistakes: read.mistakes.len(),
        warnings: warnings.len(),
    })
}

/// Shows all that is to be said of one file of corrections: what is wrong with them
/// whatever their program is, and what it does not have, where it was read before.
fn examine_overlays(terminal: &Terminal, sheet: &Sheet) -> Result<Count, Failure> {
    let read = sheet.read_overlays();
    let mut mistakes: Vec<String> = read.mistakes.iter().map(|it| it.render()).collect();
    let mut warnings: Vec<String> = sheet.distrust().into_iter().collect();
    for overlay in &read.overlays {
        let source = Source::new(terminal, &ReadOptions::default());
        let known = source
            .known(&overlay.program)
            .map_err(|why| why.to_string());
        match known {
            Ok(Some(mut reading)) => {
                let applied = overlay.apply(&mut reading);
                mistakes.extend(applied.mistakes.iter().map(|it| it.render()));
            }
            not_known => {
                let why = not_known.err().unwrap_or_else(|| {
                    let name = &overlay.program;
                    format!("`{name}` was not read yet: argway tools {name}")
                });
                let (file, line) = (sheet.path.display(), overlay.line);
                warnings.push(format!("{file}:{line}: its names are not checked: {why}"));
            }
        }
    }
    for mistake in &mistakes {
        terminal.line(mistake)?;
    }
    for warning in &warnings {
        terminal.line(format_args!("warning: {}", harmless(warning)))?;
    }
    Ok(Count {
        definitions: 0,
        overlays: read.overlays.len(),
        mistakes: mistakes.len(),
        warnings: warnings.len(),
    })
}

/// A tool that reads everything and talks to the network can carry everything away.
fn wide_open(program: &Program) -> Option<String> {
    let is_open = |run: &RunSpec| {
        let sandbox = &run.sandbox;
        let reads_all = matches!(sandbox.filesystem, Filesystem::Home | Filesystem::Full);
        sandbox.network && reads_all
    };
    let mut runs = program.commands.iter().filter_map(|it| it.run.as_deref());
    runs.any(is_open).then(|| {
        format!(
            "`{}` may read your files and use the network: what it reads can leave this machine",
            program.name
        )
    })
}
