//! The verbs, one file each, and what several of them share.

pub mod call;
pub mod capture;
mod cost;
pub mod describe;
mod effect;
pub mod serve;
pub mod tools;
pub mod tryout;

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use argway_core::catalog::Catalog;
use argway_core::model::{Loss, Program};

use crate::exit::Failure;
use crate::options::ToolOptions;
use crate::terminal::{Terminal, counted};

/// How many losses are shown before the rest is only counted.
const LOSSES_SHOWN: usize = 5;

/// The tools of `programs` that the user chose.
fn catalog(programs: &[Arc<Program>], options: &ToolOptions) -> Result<Catalog, Failure> {
    Catalog::build(programs, &options.selection(), options.inherited())
        .map_err(|error| Failure::Usage(error.into()))
}

/// Tells on stderr what was not understood, the first few in words.
fn tell_losses(terminal: &Terminal, name: &str, losses: &[Loss]) {
    if losses.is_empty() {
        return;
    }
    terminal.warn(format_args!(
        "{name}: {} not understood",
        counted(losses.len(), "thing")
    ));
    for line in loss_lines(name, losses, LOSSES_SHOWN) {
        terminal.warn(line);
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

/// Writes `text` to `path`: readers see the old file or the new one, never a part.
fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let write = || -> anyhow::Result<()> {
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
