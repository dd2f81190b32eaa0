//! `argway capture`: a program's pages in a folder, for a reader who does not have the program.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::exit::Failure;
use crate::options::ReadOptions;
use crate::terminal::Terminal;

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
        todo!()
    }
}
