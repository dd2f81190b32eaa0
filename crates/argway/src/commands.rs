//! The verbs, one file each, and what several of them share.

pub mod call;
pub mod capture;
pub mod check;
mod cost;
pub mod describe;
pub mod doctor;
mod effect;
pub mod serve;
pub mod tools;
pub mod trust;
pub mod tryout;

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use argway_core::catalog::Catalog;
use argway_core::model::{Loss, Program, Reading};

use crate::exit::Failure;
use crate::options::ToolOptions;
use crate::terminal::{Terminal, counted};

/// The tools of `programs` that the user chose.
///
/// A program that was named twice is there once.
fn catalog(programs: &[Arc<Program>], options: &ToolOptions) -> Result<Catalog, Failure> {
    let mut once: Vec<Arc<Program>> = Vec::new();
    for program in programs {
        if !once.contains(program) {
            once.push(Arc::clone(program));
        }
    }
    Catalog::build(&once, &options.selection(), options.inherited())
        .map_err(|error| Failure::Usage(error.into()))
}

/// Tells on stderr how much was not understood, and where to read what.
fn count_losses(terminal: &Terminal, reading: &Reading) {
    if !reading.losses.is_empty() {
        let name = &reading.program.name;
        terminal.warn(format_args!(
            "{name}: {} not understood (`argway describe {name}` lists them under `losses`)",
            counted(reading.losses.len(), "thing"),
        ));
    }
}

/// One line for each of the first `shown` losses, and one for the rest.
fn loss_lines(name: &str, losses: &[Loss], shown: usize) -> Vec<String> {
    let mut lines: Vec<String> = losses
        .iter()
        .take(shown)
        .map(|loss| {
            let mut place = vec![name];
            place.extend(loss.path.iter().map(String::as_str));
            format!("  {}: {}", place.join(" "), loss.what)
        })
        .collect();
    if losses.len() > shown {
        lines.push(format!(
            "  … and {} more (`argway describe {name}` lists all under `losses`)",
            losses.len() - shown
        ));
    }
    lines
}

/// Writes `text` to `path`: readers see the old file or the new one, never a part. What
/// is there and is no file (`/dev/null`, a pipe) is written to, not replaced.
fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let write = || -> anyhow::Result<()> {
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            std::fs::OpenOptions::new()
                .write(true)
                .open(path)?
                .write_all(text.as_bytes())?;
            return Ok(());
        }
        // A link stays one.
        let target = path.canonicalize();
        let path = target.as_deref().unwrap_or(path);
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            bail!("{} is not a folder", folder.display());
        }
        let mut file = tempfile::Builder::new()
            .prefix(".argway-")
            .permissions(Permissions::from_mode(0o644))
            .tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(path)?;
        Ok(())
    };
    write()
        .with_context(|| format!("{} could not be written", path.display()))
        .map_err(Failure::Usage)
}
