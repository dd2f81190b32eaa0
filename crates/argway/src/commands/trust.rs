//! `argway trust`: says that a project's definitions were looked at and may be used.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use argway_core::argv;
use argway_core::model::Program;
use argway_core::policy::Filesystem;
use clap::Args;

use crate::definitions::file::{self, Owner};
use crate::definitions::places::{Place, Scope};
use crate::definitions::report::{harmless, line};
use crate::definitions::trust::{Standing, Store};
use crate::definitions::{Desk, Sheet, tool_name};
use crate::exit::Failure;
use crate::terminal::{Terminal, counted};

/// Let definitions of a project be used, as they are now
///
/// A project's files are code from whoever wrote them: they are used only after this, and only
/// until they change. Without PATH: all of the project that the working folder is in. Your own
/// definitions, and files that you name to other verbs, need no trust.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  argway trust
  argway trust .argway/cli/deploy.kdl
  argway trust --revoke
  argway trust --list")]
pub struct Trust {
    /// Files with definitions, or folders of them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Take trust back
    #[arg(long)]
    revoke: bool,
    /// Show every file that is trusted
    #[arg(long, conflicts_with_all = ["revoke", "paths"])]
    list: bool,
}

impl Trust {
    /// Trusts, takes trust back, or lists.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        let desk = Desk::of_process()
            .context("the working folder cannot be looked at")
            .map_err(Failure::Program)?;
        let store = desk.store().ok_or_else(|| {
            Failure::Program(anyhow!(
                "there is nowhere to keep what is trusted: neither XDG_STATE_HOME nor HOME names a folder"
            ))
        })?;
        match (self.list, self.revoke) {
            (true, _) => list(terminal, store),
            (_, true) => self.take_back(terminal, &desk, store),
            (_, false) => self.trust(terminal, &desk, store),
        }
    }

    /// The places that were named, or those of the project.
    fn places(&self, desk: &Desk) -> Result<Vec<Place>, Failure> {
        if !self.paths.is_empty() {
            // Judged as they will be when they are used.
            let place = |path: &PathBuf| Place::at(Scope::Project, path);
            return Ok(self.paths.iter().map(place).collect());
        }
        let mut places = desk.places();
        places.extend(desk.overlay_places());
        places.retain(|place| place.scope == Scope::Project);
        match places.is_empty() {
            false => Ok(places),
            true => Err(Failure::Usage(anyhow!(
                "this folder is in no project with definitions (.argway, .slop-mcp, argway.kdl); name a PATH"
            ))),
        }
    }

    fn trust(&self, terminal: &Terminal, desk: &Desk, store: &Store) -> Result<(), Failure> {
        let places = self.places(desk)?;
        let (sheets, mut refused) = desk.look(&places);
        let missing = self.paths.iter();
        let missing = missing.filter(|path| path.symlink_metadata().is_err());
        refused.extend(missing.map(|path| format!("{} does not exist", path.display())));
        if sheets.is_empty() && refused.is_empty() {
            let looked: Vec<String> = places.iter().map(Place::pattern).collect();
            return Err(Failure::Usage(anyhow!(
                "there is nothing to trust in {}",
                looked.join(", ")
            )));
        }
        for sheet in &sheets {
            match &sheet.content {
                Ok(content) => {
                    show(terminal, sheet)?;
                    store
                        .trust(&content.real, &content.hash)
                        .with_context(|| format!("{} could not be trusted", sheet.path.display()))
                        .map_err(Failure::Program)?;
                    terminal.line(match sheet.standing {
                        Standing::Trusted => "  was trusted already",
                        Standing::Changed => "  trusted again, as it is now",
                        Standing::Unknown => "  trusted, until it changes",
                    })?;
                }
                Err(refusal) => refused.push(refusal.to_string()),
            }
        }
        match refused.is_empty() {
            true => Ok(()),
            false => {
                let refused: Vec<String> = refused.iter().map(|why| harmless(why)).collect();
                Err(Failure::Usage(anyhow!(refused.join("\n"))))
            }
        }
    }

    fn take_back(&self, terminal: &Terminal, desk: &Desk, store: &Store) -> Result<(), Failure> {
        let places = self.places(desk)?;
        let mut paths: Vec<PathBuf> = places.iter().flat_map(|it| it.list().files).collect();
        // What is gone from a folder may still be trusted.
        let entries = store
            .list()
            .map_err(|error| Failure::Program(error.into()))?;
        for place in &places {
            let folder = real(&place.path);
            let inside = entries.iter().filter(|it| it.path.starts_with(&folder));
            paths.extend(inside.map(|entry| entry.path.clone()));
        }
        let mut count = 0;
        for path in paths {
            let was = store
                .revoke(&real(&path))
                .with_context(|| format!("{} is still trusted", path.display()))
                .map_err(Failure::Program)?;
            if was {
                terminal.line(format_args!("{}", harmless(&path.to_string_lossy())))?;
                count += 1;
            }
        }
        terminal.line(format_args!(
            "{} not trusted any more",
            counted(count, "file")
        ))
    }
}

/// A path without links, as far as it is there.
fn real(path: &Path) -> PathBuf {
    let absolute = || std::path::absolute(path).ok();
    path.canonicalize()
        .ok()
        .or_else(absolute)
        .unwrap_or_else(|| path.to_owned())
}

/// Shows what a person trusts with a file: what is run, and what it may do.
fn show(terminal: &Terminal, sheet: &Sheet) -> Result<(), Failure> {
    if sheet.is_overlay() {
        let read = sheet.read_overlays();
        terminal.line(harmless(&sheet.path.to_string_lossy()))?;
        for overlay in &read.overlays {
            let program = &overlay.program;
            terminal.line(harmless(&format!("  corrects what is read of {program}")))?;
        }
        for mistake in &read.mistakes {
            terminal.warn(harmless(&line(mistake)));
        }
        return Ok(());
    }
    let read = sheet.read();
    terminal.line(harmless(&sheet.path.to_string_lossy()))?;
    for definition in &read.definitions {
        let program = &definition.reading.program;
        let (name, command) = (tool_name(program), command(program));
        terminal.line(harmless(&format!("  {name}: {command}")))?;
        for opening in openings(program) {
            terminal.line(harmless(&format!("    {opening}")))?;
        }
    }
    for mistake in &read.mistakes {
        terminal.warn(harmless(&line(mistake)));
    }
    Ok(())
}

/// What is run, without the arguments of a call.
fn command(program: &Program) -> String {
    let command = program.executable.as_deref().unwrap_or(&program.name);
    let runs = program.commands.iter().filter_map(|it| it.run.as_deref());
    let mut lines: Vec<String> = Vec::new();
    for run in runs {
        let words = std::iter::once(command).chain(run.words.iter().map(String::as_str));
        let line = match run.shell {
            // A line for a shell is shown as the shell will read it.
            true => words.collect::<Vec<_>>().join(" "),
            false => argv::shell_line(words),
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    match lines.is_empty() {
        true => command.to_owned(),
        false => lines.join("; "),
    }
}

/// What a definition may do beyond its working folder, a line each.
fn openings(program: &Program) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for run in program.commands.iter().filter_map(|it| it.run.as_deref()) {
        let sandbox = &run.sandbox;
        let mut lines = Vec::new();
        if run.shell {
            lines.push("runs through a shell".to_owned());
        }
        if sandbox.network {
            lines.push("uses the network".to_owned());
        }
        match sandbox.filesystem {
            Filesystem::None | Filesystem::Cwd => {}
            Filesystem::Home => lines.push("reads and changes your home folder".to_owned()),
            Filesystem::Full => lines.push("reads and changes all files that you may".to_owned()),
        }
        for (does, what) in [
            ("reads", &sandbox.readable),
            ("reads and changes", &sandbox.writable),
            ("sees the variables", &sandbox.variables),
        ] {
            if !what.is_empty() {
                lines.push(format!("{does} {}", what.join(", ")));
            }
        }
        for (name, value) in &run.env {
            lines.push(format!("sets {name}={value}"));
        }
        for line in lines {
            if !found.contains(&line) {
                found.push(line);
            }
        }
    }
    if found.is_empty() {
        found.push("only its working folder, no network".to_owned());
    }
    found
}

/// Every file that is trusted, and whether it still is what it was.
fn list(terminal: &Terminal, store: &Store) -> Result<(), Failure> {
    let entries = store
        .list()
        .with_context(|| format!("{} could not be read", store.folder().display()))
        .map_err(Failure::Program)?;
    for entry in entries {
        let state = match file::read(&entry.path, Owner::Anybody) {
            Ok(now) if now.hash.0 == entry.sha256 => "trusted",
            Ok(_) => "changed",
            Err(file::Refusal::NotThere(_)) => "gone",
            Err(_) => "refused",
        };
        let path = entry.path.to_string_lossy();
        terminal.line(format_args!("{state:8} {}", harmless(&path)))?;
    }
    Ok(())
}
