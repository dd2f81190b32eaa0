//! From what the user named to what is known of it: a program on PATH, a path, a
//! description file, or a folder of captured pages.
//!
//! A program is read at most once: what came of it is cached until its file changes.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};
use argway_core::model::{Family, Reading};
use argway_core::probe::Probe;
use argway_core::sources::{cobra, transcript};
use argway_serve::identify;
use argway_serve::probe::ProcessProbe;

use crate::cache::{Cache, Choices, Key};
use crate::exit::Failure;
use crate::options::ReadOptions;
use crate::terminal::Terminal;

/// One help page is given up after this long; the walk goes on without it.
const PAGE_TIMEOUT: Duration = Duration::from_secs(10);
/// More than this is no help page.
const PAGE_BYTES: usize = 4 << 20;

/// Reads what users name.
#[derive(Debug)]
pub struct Source<'a> {
    /// Where warnings go.
    pub terminal: &'a Terminal,
    /// How programs are read.
    pub options: &'a ReadOptions,
}

impl Source<'_> {
    /// What is known of `program`: a name on PATH, a path, or a description file.
    pub fn read(&self, program: &str) -> Result<Reading, Failure> {
        self.known(program).map_err(Failure::Program)
    }

    /// What the pages in `folder` say. `program` is its name, where the folder does
    /// not tell.
    pub fn read_transcript(&self, folder: &Path, program: Option<&str>) -> Result<Reading, Failure> {
        todo!()
    }
}
