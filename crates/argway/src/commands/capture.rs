//! `argway capture`: a program's pages in a folder, for a reader who does not have the program.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use crate::exit::Failure;
use crate::options::ReadOptions;
use crate::source::Source;
use crate::terminal::{Terminal, counted};

/// How the names of captured pages end.
const PAGES: [&str; 2] = [".help.txt", ".flags.txt"];
/// What lies beside them.
const INDEXES: [&str; 3] = ["index.json", "answers.json", "oclif.manifest.json"];

/// Write the pages that argway reads of a program into a folder
///
/// `describe`, `tools` and `try` read them back with --transcript FOLDER and find the same. Attach the
/// folder to a bug report: its reader need not have the program.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  argway capture gh captured/gh
  argway describe --transcript captured/gh")]
pub struct Capture {
    /// A name on PATH or a path
    program: String,
    /// Where the pages go: a new or empty folder, or one that `capture` wrote
    folder: PathBuf,
    #[command(flatten)]
    read: ReadOptions,
}

impl Capture {
    /// Reads the program and writes what it printed.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        let folder = &self.folder;
        check(folder).map_err(Failure::Usage)?;
        let files = Source::new(terminal, &self.read).capture(&self.program)?;
        write(folder, &files)
            .with_context(|| format!("{} could not be written", folder.display()))
            .map_err(Failure::Usage)?;
        terminal.warn(format_args!(
            "{} in {}; look through them before you pass them on",
            counted(files.len(), "file"),
            folder.display()
        ));
        Ok(())
    }
}

/// Refuses a folder that holds anything that a capture would not have written.
fn check(folder: &Path) -> anyhow::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| folder.display().to_string()),
    };
    for entry in entries {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let ours = PAGES.iter().any(|end| name.ends_with(end)) || INDEXES.contains(&&*name);
        if !ours {
            bail!(
                "{} holds `{name}`, which is no captured page; name a new or empty folder",
                folder.display()
            );
        }
    }
    Ok(())
}

/// Replaces what an earlier capture left in `folder` by `files`.
fn write(folder: &Path, files: &BTreeMap<String, String>) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(folder)? {
        fs::remove_file(entry?.path())?;
    }
    for (name, text) in files {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}
