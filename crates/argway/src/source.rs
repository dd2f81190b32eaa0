//! From what the user named to what is known of it: a program on PATH, a path, a
//! description file, definitions, or a folder of captured pages. What programs and files
//! say in formats made for that is read in [`described`].
//!
//! A program is read at most once: what came of it is cached until its file changes.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use argway_core::model::{Family, Reading};
use argway_core::probe::Probe;
use argway_core::sources::described::Sign;
use argway_core::sources::families::Hint;
use argway_core::sources::transcript::{Recorder, Transcript};
use argway_core::sources::{cobra, families};
use argway_serve::identify::{self, Identity};
use argway_serve::probe::ProcessProbe;

use crate::cache::{Cache, Choices, Key};
use crate::definitions::report::harmless;
use crate::definitions::{self, Stamp};
use crate::exit::Failure;
use crate::interrupt;
use crate::options::{ReadOptions, TranscriptOption};
use crate::terminal::Terminal;

mod described;
mod words;

use words::{OneProgram, Words};

/// Reads what users name.
#[derive(Debug, Clone)]
pub struct Source {
    /// Where warnings go.
    pub terminal: Terminal,
    /// How programs are read.
    pub options: ReadOptions,
    /// Who hears a signal while a program is read.
    pub signals: Signals,
    /// What a program may look at while it is read, beside what it needs to start.
    pub readable: Vec<PathBuf>,
    /// Of which definitions it is said what a person should know before they are used.
    pub warnings: Warnings,
}

/// Of which definitions warnings are said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warnings {
    /// Of all that are read.
    All,
    /// Of none: the caller uses one of them and says it of that one.
    Caller,
}

/// Who hears the signals that ask this process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signals {
    /// The reading itself: what it started ends, then this process.
    Reading,
    /// The caller, who has more to end.
    Caller,
}

/// What the user's words stood for at some time: another when one of the files is.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    programs: Vec<Option<Key>>,
    definitions: Vec<(PathBuf, Option<Stamp>)>,
}

/// Who reads a program's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// A Cobra program's help and completion.
    Cobra,
    /// The help alone, of a Cobra from before there was completion.
    CobraPages,
    /// The pages of a program of another family, with what its file shows of that.
    Pages(Hint),
}

impl Source {
    /// A reader with these choices.
    pub fn new(terminal: &Terminal, options: &ReadOptions) -> Self {
        Self {
            terminal: *terminal,
            options: options.clone(),
            signals: Signals::Reading,
            readable: Vec::new(),
            warnings: Warnings::All,
        }
    }

    /// What is known of `program`: a name on PATH, a path, a description file, or
    /// definitions where those are of one program.
    pub fn read(&self, program: &str) -> Result<Reading, Failure> {
        let mut readings = self.read_words(&[program.to_owned()])?;
        match readings.len() {
            1 => Ok(readings.remove(0)),
            _ => Err(Failure::Usage(words::one_of(program, &readings))),
        }
    }

    /// The definition whose tool is called `definition`, of those that `program` stands for.
    pub fn read_of(&self, program: &str, definition: &str) -> Result<Reading, Failure> {
        let readings = self.read_words(&[program.to_owned()])?;
        let error = words::one_of(program, &readings);
        let is_meant = |reading: &Reading| definitions::is_called(&reading.program, definition);
        readings
            .into_iter()
            .find(is_meant)
            .ok_or(Failure::Usage(error))
    }

    /// What is known of all of `programs`; without any, every definition in force.
    pub fn read_words(&self, programs: &[String]) -> Result<Vec<Reading>, Failure> {
        match self.read_again(programs)? {
            (_, Some(missing)) => Err(Failure::Program(missing)),
            (readings, None) => Ok(readings),
        }
    }

    /// As [`Source::read_words`], but definitions that are not there (any more) only
    /// come back as what is to be said of them.
    pub fn read_again(
        &self,
        programs: &[String],
    ) -> Result<(Vec<Reading>, Option<anyhow::Error>), Failure> {
        let read = || {
            let words = Words::sort(programs)?;
            let mut readings = Vec::new();
            for program in &words.programs {
                let reading = match program {
                    OneProgram::File(path) => self.read_program(path)?,
                    OneProgram::Description(path) => described::read_file(path)?,
                };
                readings.push(self.corrected(reading)?);
            }
            let missing = self.add_defined(&words, &mut readings)?;
            Ok((readings, missing))
        };
        read().map_err(Failure::Program)
    }

    /// What is known of every one of `programs` without asking any; nothing where one
    /// would have to be read first.
    pub fn all_known(&self, programs: &[String]) -> Result<Option<Vec<Reading>>, Failure> {
        let known = || {
            let words = Words::sort(programs)?;
            let mut readings = Vec::new();
            for program in &words.programs {
                let known = match program {
                    OneProgram::File(path) => self.cached(path, &self.key_of(path)?, &cache()),
                    OneProgram::Description(path) => Some(described::read_file(path)?),
                };
                match known {
                    Some(reading) => readings.push(self.corrected(reading)?),
                    None => return Ok(None),
                }
            }
            match self.add_defined(&words, &mut readings)? {
                Some(missing) => Err(missing),
                None => Ok(Some(readings)),
            }
        };
        known().map_err(Failure::Program)
    }

    /// What the cache holds of the program called `name`, as it was read.
    pub fn known(&self, name: &str) -> anyhow::Result<Option<Reading>> {
        let path = identify::resolve(name)?;
        Ok(self.cached(&path, &self.key_of(&path)?, &cache()))
    }

    /// Adds the definitions that `words` mean, and gives what is missing of them. What
    /// a person should know about them is said.
    fn add_defined(
        &self,
        words: &Words,
        readings: &mut Vec<Reading>,
    ) -> anyhow::Result<Option<anyhow::Error>> {
        let defined = words.definitions()?;
        for notice in &defined.notices {
            self.terminal.warn(harmless(notice));
        }
        for tool in &defined.tools {
            if self.warnings == Warnings::All {
                for warning in &tool.warnings {
                    self.terminal.warn(harmless(warning));
                }
            }
            self.terminal.note(harmless(&tool.story()));
        }
        readings.extend(defined.tools.into_iter().map(|tool| tool.reading));
        Ok(defined.missing)
    }

    /// The names of the programs that `programs` stand for. An error names the first
    /// that is not there.
    pub fn titles(&self, programs: &[String]) -> Result<Vec<String>, Failure> {
        let titles = || {
            let words = Words::sort(programs)?;
            let mut titles = Vec::new();
            for program in &words.programs {
                titles.push(match program {
                    OneProgram::File(path) => name_of(path),
                    OneProgram::Description(path) => described::read_file(path)?.program.name,
                });
            }
            let defined = words.definitions()?;
            titles.extend(
                defined
                    .tools
                    .into_iter()
                    .map(|tool| tool.reading.program.name),
            );
            match defined.missing {
                Some(missing) => Err(missing),
                None => Ok(titles),
            }
        };
        titles().map_err(Failure::Program)
    }

    /// What is known of `program`, or what the pages of `transcript` say where it is given.
    pub fn read_either(
        &self,
        program: Option<&str>,
        transcript: &TranscriptOption,
    ) -> Result<Reading, Failure> {
        match (&transcript.transcript, program) {
            (Some(folder), name) => self
                .read_transcript(folder, name)
                .and_then(|reading| self.corrected(reading))
                .map_err(Failure::Program),
            (None, Some(program)) => self.read(program),
            (None, None) => Err(Failure::Usage(anyhow!(
                "name a PROGRAM or a --transcript FOLDER"
            ))),
        }
    }

    /// As [`Source::read_either`], for verbs that take several programs or none.
    pub fn read_all(
        &self,
        programs: &[String],
        transcript: &TranscriptOption,
    ) -> Result<Vec<Reading>, Failure> {
        if transcript.transcript.is_none() {
            return self.read_words(programs);
        }
        match programs {
            [] => Ok(vec![self.read_either(None, transcript)?]),
            [program] => Ok(vec![self.read_either(Some(program), transcript)?]),
            _ => Err(Failure::Usage(anyhow!(
                "--transcript holds one program's pages; name one PROGRAM or none"
            ))),
        }
    }

    /// What `programs` stand for now. Descriptions and definitions have a state too,
    /// so that an edited file is noticed.
    pub fn seen(&self, programs: &[String]) -> Seen {
        let Ok(words) = Words::sort(programs) else {
            return Seen {
                programs: vec![None],
                definitions: Vec::new(),
            };
        };
        let key = |program: &OneProgram| match program {
            OneProgram::File(path) => self.key_of(path).ok(),
            OneProgram::Description(path) => Key::of(&name_of(path), path, self.choices()).ok(),
        };
        Seen {
            programs: words.programs.iter().map(key).collect(),
            definitions: words
                .stamp()
                .into_iter()
                .chain(self.overlay_stamp())
                .collect(),
        }
    }

    /// Asks the program at `path`, with the usual bounds.
    pub fn probe(&self, path: &Path) -> ProcessProbe {
        let mut probe = ProcessProbe::new(path);
        probe.with_home = self.options.with_home;
        probe.guard = self.options.guard();
        probe.readable = self.readable.clone();
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
        let key = Key::of(&name_of(path), path, self.choices());
        match described::manifest(path) {
            Some(manifest) => key.and_then(|key| key.beside(&manifest)),
            None => key,
        }
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
        let mut probe = self.probe(path);
        let reading = self.walk(path, &mut probe)?;
        self.tell(path, &probe);
        if let Err(error) = cache.and_then(|cache| cache.keep(&name_of(path), &key, &reading)) {
            self.terminal
                .warn(format_args!("the description is not cached: {error}"));
        }
        Ok(reading)
    }

    /// Says where a program did what it liked while it was read.
    fn tell(&self, path: &Path, probe: &ProcessProbe) {
        if let Some(reason) = probe.unguarded() {
            let path = path.display();
            let reason = harmless(&reason);
            self.terminal
                .warn(format_args!("{path} was read without a sandbox: {reason}"));
        }
    }

    /// Reads the program at `path` by asking `probe`.
    fn walk(&self, path: &Path, probe: &mut dyn Probe) -> anyhow::Result<Reading> {
        let _heard = match self.signals {
            Signals::Reading => Some(interrupt::Reading::begin()),
            Signals::Caller => None,
        };
        let identity = identify::family(path)
            .with_context(|| format!("{} could not be read", path.display()))?;
        let (reader, signs) = match identity.inner() {
            Identity::Cobra => (Reader::Cobra, vec![Sign::Cobra]),
            Identity::OldCobra => (Reader::CobraPages, Vec::new()),
            Identity::NotCobra { family } => (pages_of(*family), Vec::new()),
            Identity::Describes { sign, family } => (pages_of(*family), vec![*sign]),
            Identity::Wrapper { .. } => (pages_of(None), Vec::new()),
        };
        let reader = match reader {
            Reader::Pages(hint) if identify::is_native(path)? => Reader::Pages(Hint {
                native: true,
                ..hint
            }),
            Reader::Pages(hint) => Reader::Pages(Hint {
                family: hint.family.or_else(|| identify::node::family(path)),
                otherwise: identify::python::family(path),
                ..hint
            }),
            reader => reader,
        };
        let manifest = described::manifest_text(path);
        let name = name_of(path);
        let mut reading = self.read_own(&name, reader, &signs, manifest.as_deref(), probe)?;
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
        let pages = families::Options {
            oracle: options.oracle,
        };
        Ok(match reader {
            Reader::Cobra => cobra::read(name, probe, options)?,
            Reader::CobraPages => cobra::read_pages(name, probe, options)?,
            Reader::Pages(hint) => families::read_with(name, hint, probe, pages)?,
        })
    }

    fn read_transcript(&self, folder: &Path, name: Option<&str>) -> anyhow::Result<Reading> {
        let is_not = || format!("{} is not a transcript", folder.display());
        let files = text_files(folder).with_context(is_not)?;
        let mut transcript = Transcript::new(files.clone()).with_context(is_not)?;
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
            Family::Unknown | Family::Definition | Family::Described => pages_of(None),
            family => pages_of(Some(family)),
        };
        // What its file showed is not recorded: pages that were not asked are not there.
        let signs = [Sign::Cobra, Sign::Swift, Sign::Usage];
        let manifest = files.get(described::MANIFEST).map(String::as_str);
        self.read_own(&program, reader, &signs, manifest, &mut transcript)
    }

    /// Reads `program` anew and gives the files of its transcript, by name.
    pub fn capture(&self, program: &str) -> Result<BTreeMap<String, String>, Failure> {
        let capture = || {
            let words = Words::sort(&[program.to_owned()])?;
            let [OneProgram::File(path)] = &words.programs[..] else {
                anyhow::bail!("{program} is a description; name the program itself");
            };
            let probe = self.probe(path);
            let mut recorder = Recorder::new(probe.clone());
            let reading = self.walk(path, &mut recorder)?;
            self.tell(path, &probe);
            let mut files = recorder.files(&name_of(path), reading.program.family);
            if let Some(text) = described::manifest_text(path) {
                files.insert(described::MANIFEST.to_owned(), text);
            }
            Ok(files)
        };
        capture().map_err(Failure::Program)
    }
}

/// Who reads the pages of a program of `family`, if that is known.
fn pages_of(family: Option<Family>) -> Reader {
    Reader::Pages(Hint {
        family,
        ..Hint::default()
    })
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
