//! Corrections of programs that are read: found, trusted and made, after the cache.
//!
//! The cache holds what was read; a file of corrections counts as it is now.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use argway_core::model::{Family, Reading};

use crate::definitions::places::{Place, Scope};
use crate::definitions::report::{self, harmless};
use crate::definitions::{Desk, Sheet, Stamp};
use crate::source::Source;

impl Source {
    /// `reading` with all corrections of its program made; what was changed, and what is
    /// wrong with them, is said.
    ///
    /// # Errors
    ///
    /// A file that the user named must be one that can be used.
    pub fn corrected(&self, mut reading: Reading) -> anyhow::Result<Reading> {
        // Whoever wrote a definition corrects it there.
        if reading.program.family == Family::Definition {
            return Ok(reading);
        }
        let desk = desk()?;
        let (sheets, problems) = desk.look(&self.overlay_places(&desk));
        for problem in &problems {
            self.terminal.warn(harmless(problem));
        }
        for sheet in &sheets {
            self.correct(&mut reading, sheet)?;
        }
        Ok(reading)
    }

    fn correct(&self, reading: &mut Reading, sheet: &Sheet) -> anyhow::Result<()> {
        let passed_over = match &sheet.content {
            Err(refusal) if sheet.scope == Scope::Named => {
                return Err(anyhow!(harmless(&refusal.to_string())));
            }
            Err(refusal) => Some(refusal.to_string()),
            Ok(_) => sheet.distrust(),
        };
        if let Some(why) = passed_over {
            self.terminal.warn(harmless(&why));
            return Ok(());
        }
        let read = sheet.read_overlays();
        let name = reading.program.name.clone();
        let is_meant = |program: &str| program == name;
        let meant = read.overlays.iter().filter(|it| is_meant(&it.program));
        // What is wrong with other programs' corrections is said when those are read.
        if read.overlays.is_empty() || meant.clone().next().is_some() {
            for mistake in &read.mistakes {
                self.terminal.warn(harmless(&report::line(mistake)));
            }
        }
        for overlay in meant {
            let applied = overlay.apply(reading);
            for mistake in &applied.mistakes {
                self.terminal.warn(harmless(&report::line(mistake)));
            }
            let (file, line) = (sheet.path.display(), overlay.line);
            let changes = match applied.changes.is_empty() {
                true => "nothing".to_owned(),
                false => applied.changes.join("; "),
            };
            let story = format!("{name}: {file}:{line} changes {changes}");
            self.terminal.note(harmless(&story));
        }
        Ok(())
    }

    /// Something that is another when a file of corrections, or what is trusted, is.
    pub fn overlay_stamp(&self) -> Vec<(PathBuf, Option<Stamp>)> {
        match desk() {
            Ok(desk) => desk.stamp(&self.overlay_places(&desk)),
            Err(_) => Vec::new(),
        }
    }

    fn overlay_places(&self, desk: &Desk) -> Vec<Place> {
        let named = self.options.overlay.iter().map(|file| Place::named(file));
        desk.overlay_places().into_iter().chain(named).collect()
    }
}

fn desk() -> anyhow::Result<Desk> {
    Desk::of_process().context("the working folder cannot be looked at")
}
