//! From what the user named to what is known of it: a program on PATH, a path, a
//! description file, or a folder of captured pages.
//!
//! A program is read at most once: what came of it is cached until its file changes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use argway_core::model::{Family, Reading};
use argway_core::probe::Probe;
use argway_core::sources::transcript::{Recorder, Transcript};
use argway_core::sources::{cobra, plain};
use argway_serve::identify::{self, Identity};
use argway_serve::probe::ProcessProbe;

use crate::cache::{Cache, Choices, Key};
use crate::exit::Failure;
use crate::interrupt;
use crate::options::{ReadOptions, TranscriptOption};
use crate::terminal::Terminal;

/// Reads what users name.
#[derive(Debug, Clone)]
pub struct Source {
    /// Where warnings go.
    pub terminal: Terminal,
    /// How programs are read.
    pub options: ReadOptions,
    /// Who hears a signal while a program is read.
    pub signals: Signals,
}

/// Who hears the signals that ask this process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signals {
    /// The reading itself: what it started ends, then this process.
    Reading,
    /// The caller, who has more to end.
    Caller,
}

/// What a user's word stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Named {
    /// A program's file, absolute.
    Program(PathBuf),
    /// A description that somebody wrote or kept.
    Description(PathBuf),
}

/// Who reads a program's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// A Cobra program's help and completion.
    Cobra,
    /// The help alone, of a Cobra from before there was completion.
    CobraPages,
    /// One page of a program of no known family.
    Plain,
}

impl Source {
    /// A reader with these choices.
    pub fn new(terminal: &Terminal, options: &ReadOptions) -> Self {
        Self {
            terminal: *terminal,
            options: options.clone(),
            signals: Signals::Reading,
        }
    }

    /// What is known of `program`: a name on PATH, a path, or a description file.
    pub fn read(&self, program: &str) -> Result<Reading, Failure> {
        match named(program).map_err(Failure::Program)? {
            Named::Program(path) => self.read_program(&path),
            Named::Description(path) => read_description(&path),
        }
        .map_err(Failure::Program)
    }

    /// What is known of every one of `programs` without asking any; nothing where one
    /// would have to be read first.
    pub fn all_known(&self, programs: &[String]) -> Result<Option<Vec<Reading>>, Failure> {
        programs
            .iter()
            .map(|program| match named(program)? {
                Named::Program(path) => {
                    let key = self.key_of(&path)?;
                    Ok(self.cached(&path, &key, &cache()))
                }
                Named::Description(path) => read_description(&path).map(Some),
            })
            .collect::<anyhow::Result<_>>()
            .map_err(Failure::Program)
    }

    /// The name of the program that `program` stands for.
    pub fn title(&self, program: &str) -> Result<String, Failure> {
        match named(program).map_err(Failure::Program)? {
            Named::Program(path) => Ok(name_of(&path)),
            Named::Description(path) => match read_description(&path) {
                Ok(reading) => Ok(reading.program.name),
                Err(error) => Err(Failure::Program(error)),
            },
        }
    }

    /// What is known of `program`, or what the pages of `transcript` say where it is given.
    pub fn read_either(
        &self,
        program: Option<&str>,
        transcript: &TranscriptOption,
    ) -> Result<Reading, Failure> {
        match (&transcript.transcript, program) {
            (Some(folder), name) => self.read_transcript(folder, name).map_err(Failure::Program),
            (None, Some(program)) => self.read(program),
            (None, None) => Err(Failure::Usage(anyhow!(
                "name a PROGRAM or a --transcript FOLDER"
            ))),
        }
    }

    /// As [`Source::read_either`], for verbs that take several programs.
    pub fn read_all(
        &self,
        programs: &[String],
        transcript: &TranscriptOption,
    ) -> Result<Vec<Reading>, Failure> {
        if transcript.transcript.is_none() {
            return programs.iter().map(|program| self.read(program)).collect();
        }
        match programs {
            [] => Ok(vec![self.read_either(None, transcript)?]),
            [program] => Ok(vec![self.read_either(Some(program), transcript)?]),
            _ => Err(Failure::Usage(anyhow!(
                "--transcript holds one program's pages; name one PROGRAM or none"
            ))),
        }
    }

    /// The identity of what `program` names now; nothing where it names nothing.
    /// Descriptions have one too, so that an edited file is noticed.
    pub fn key(&self, program: &str) -> Option<Key> {
        let (Named::Program(path) | Named::Description(path)) = named(program).ok()?;
        Key::of(&name_of(&path), &path, self.choices()).ok()
    }

    /// Asks the program at `path`, with the usual bounds.
    pub fn probe(&self, path: &Path) -> ProcessProbe {
        let mut probe = ProcessProbe::new(path);
        probe.with_home = self.options.with_home;
        if let Some(jobs) = self.options.jobs {
            probe.jobs = jobs.get();
        }
        probe
    }

    fn choices(&self) -> Choices {
        Choices {
            oracle: !self.options.no_oracle,
            with_home: self.options.with_home,
        }
    }

    fn key_of(&self, path: &Path) -> anyhow::Result<Key> {
        Key::of(&name_of(path), path, self.choices())
            .with_context(|| format!("{} could not be read", path.display()))
    }

    fn cached(&self, path: &Path, key: &Key, cache: &io::Result<Cache>) -> Option<Reading> {
        match (cache, self.options.refresh) {
            (Ok(cache), false) => cache.find(&name_of(path), key),
            _ => None,
        }
    }

    fn read_program(&self, path: &Path) -> anyhow::Result<Reading> {
        let key = self.key_of(path)?;
        let cache = cache();
        if let Some(reading) = self.cached(path, &key, &cache) {
            return Ok(reading);
        }
        self.terminal
            .wait(format_args!("reading {}, once", path.display()));
        let reading = self.walk(path, &mut self.probe(path))?;
        if let Err(error) = cache.and_then(|cache| cache.keep(&name_of(path), &key, &reading)) {
            self.terminal
                .warn(format_args!("the description is not cached: {error}"));
        }
        Ok(reading)
    }

    /// Reads the program at `path` by asking `probe`.
    fn walk(&self, path: &Path, probe: &mut dyn Probe) -> anyhow::Result<Reading> {
        let _heard = match self.signals {
            Signals::Reading => Some(interrupt::Reading::begin()),
            Signals::Caller => None,
        };
        let identity = identify::family(path)
            .with_context(|| format!("{} could not be read", path.display()))?;
        let reader = match identity.inner() {
            Identity::Cobra => Reader::Cobra,
            Identity::OldCobra => Reader::CobraPages,
            Identity::NotCobra | Identity::Wrapper { .. } => Reader::Plain,
        };
        let mut reading = self.read_pages(&name_of(path), reader, probe)?;
        reading.program.executable = Some(path.display().to_string());
        Ok(reading)
    }

    fn read_pages(
        &self,
        name: &str,
        reader: Reader,
        probe: &mut dyn Probe,
    ) -> anyhow::Result<Reading> {
        let options = cobra::Options {
            oracle: !self.options.no_oracle,
        };
        Ok(match reader {
            Reader::Cobra => cobra::read(name, probe, options)?,
            Reader::CobraPages => cobra::read_pages(name, probe, options)?,
            Reader::Plain => plain::read(name, probe)?,
        })
    }

    fn read_transcript(&self, folder: &Path, name: Option<&str>) -> anyhow::Result<Reading> {
        let mut transcript = text_files(folder)
            .and_then(|files| Ok(Transcript::new(files)?))
            .with_context(|| format!("{} is not a transcript", folder.display()))?;
        let program = transcript.program().to_owned();
        if let Some(name) = name
            && name != program
        {
            anyhow::bail!(
                "{} holds the pages of `{program}`, not of `{name}`",
                folder.display()
            );
        }
        let reader = match transcript.family() {
            Family::Cobra => Reader::Cobra,
            Family::Unknown | Family::Definition => Reader::Plain,
        };
        self.read_pages(&program, reader, &mut transcript)
    }

    /// Reads `program` anew and gives the files of its transcript, by name.
    pub fn capture(&self, program: &str) -> Result<BTreeMap<String, String>, Failure> {
        let capture = || {
            let path = match named(program)? {
                Named::Program(path) => path,
                Named::Description(path) => anyhow::bail!(
                    "{} is a description; name the program itself",
                    path.display()
                ),
            };
            let mut recorder = Recorder::new(self.probe(&path));
            self.walk(&path, &mut recorder)?;
            Ok(recorder.files(&name_of(&path)))
        };
        capture().map_err(Failure::Program)
    }
}

fn cache() -> io::Result<Cache> {
    Cache::open(|variable| std::env::var_os(variable))
}

/// The name that a program is called by.
fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn named(program: &str) -> anyhow::Result<Named> {
    let is_path = program.contains('/');
    let path = Path::new(program);
    if (is_path || program.ends_with(".json")) && path.is_file() && is_json(path)? {
        return Ok(Named::Description(path.to_owned()));
    }
    Ok(Named::Program(identify::resolve(program)?))
}

/// Whether a file starts as a description does; no program starts so.
fn is_json(path: &Path) -> anyhow::Result<bool> {
    let mut start = [0; 64];
    let length = File::open(path)
        .and_then(|mut file| file.read(&mut start))
        .with_context(|| format!("{} could not be read", path.display()))?;
    Ok(start[..length].trim_ascii_start().starts_with(b"{"))
}

fn read_description(path: &Path) -> anyhow::Result<Reading> {
    let text = fs::read(path).with_context(|| format!("{} could not be read", path.display()))?;
    serde_json::from_slice(&text)
        .with_context(|| format!("{} is not a description of a program", path.display()))
}

/// The text files in `folder`, by name. Other files are nobody's pages.
fn text_files(folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_page = path
            .extension()
            .is_some_and(|extension| extension == "txt" || extension == "json");
        if is_page && path.is_file() {
            let text = fs::read(&path).with_context(|| path.display().to_string())?;
            files.insert(name_of(&path), String::from_utf8_lossy(&text).into_owned());
        }
    }
    Ok(files)
}
