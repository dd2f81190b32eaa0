//! What the user's words stand for: programs, descriptions of them, definitions.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use argway_core::catalog::names::nearest;
use argway_core::model::Reading;
use argway_serve::identify;

use super::described;
use crate::definitions::places::Place;
use crate::definitions::{self, Desk, Library, Loaded, Stamp};

/// The user's words, sorted by what they stand for.
#[derive(Debug, Default)]
pub struct Words {
    /// Programs, in order.
    pub programs: Vec<OneProgram>,
    /// Definitions in force that were named by their tools.
    defined: Vec<String>,
    /// Files with definitions.
    files: Vec<PathBuf>,
}

/// What stands for one program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OneProgram {
    /// Its file, absolute.
    File(PathBuf),
    /// A description that somebody wrote or kept.
    Description(PathBuf),
}

/// The definitions that words mean.
#[derive(Debug)]
pub struct Defined {
    /// In the order of their names.
    pub tools: Vec<Loaded>,
    /// What a person should know, a sentence each.
    pub notices: Vec<String>,
    /// The first that is meant and not there.
    pub missing: Option<anyhow::Error>,
}

impl Words {
    /// Sorts `words`; one that stands for nothing is an error.
    pub fn sort(words: &[String]) -> anyhow::Result<Self> {
        let mut sorted = Self::default();
        for word in words {
            let path = Path::new(word);
            if is_definitions(path) && described::is_usage(path) {
                let description = OneProgram::Description(path.to_owned());
                sorted.programs.push(description);
            } else if is_definitions(path) {
                sorted.files.push(path.to_owned());
            } else if is_tool(word)? {
                sorted.defined.push(word.clone());
            } else if described::is_description(path)? {
                let description = OneProgram::Description(path.to_owned());
                sorted.programs.push(description);
            } else {
                let file = OneProgram::File(identify::resolve(word)?);
                sorted.programs.push(file);
            }
        }
        Ok(sorted)
    }

    /// Without any word, every definition in force is meant.
    fn mean_all(&self) -> bool {
        self.programs.is_empty() && self.defined.is_empty() && self.files.is_empty()
    }

    /// Where what these words mean may be defined, the weakest place first.
    fn places(&self, desk: &Desk) -> Vec<Place> {
        let mut places = Vec::new();
        if self.mean_all() || !self.defined.is_empty() {
            places.extend(desk.places());
        }
        places.extend(self.files.iter().map(|file| Place::named(file)));
        places
    }

    /// Something that is another when what these words mean may be defined otherwise.
    pub fn stamp(&self) -> Vec<(PathBuf, Option<Stamp>)> {
        match desk() {
            Ok(desk) => desk.stamp(&self.places(&desk)),
            Err(_) => Vec::new(),
        }
    }

    /// The definitions that these words mean.
    pub fn definitions(&self) -> anyhow::Result<Defined> {
        let desk = desk()?;
        let library = desk.load(&self.places(&desk));
        let missing = self.missing(&library, &desk);
        let Library { tools, notices } = library;
        let is_meant = |tool: &Loaded| {
            self.mean_all()
                || self.files.iter().any(|file| tool.is_from(file))
                || self
                    .defined
                    .iter()
                    .any(|name| definitions::is_called(&tool.reading.program, name))
        };
        Ok(Defined {
            tools: tools.into_iter().filter(is_meant).collect(),
            notices,
            missing,
        })
    }

    fn missing(&self, library: &Library, desk: &Desk) -> Option<anyhow::Error> {
        if self.mean_all() && library.tools.is_empty() {
            return Some(nothing_defined(desk));
        }
        let is_there = |name: &&String| library.find(name).is_some();
        if let Some(name) = self.defined.iter().find(|name| !is_there(name)) {
            return Some(not_defined(name, library, desk));
        }
        let holds = |file: &Path| {
            let mut tools = library.tools.iter();
            tools.any(|tool| tool.is_from(file) || tool.replaces(file))
        };
        let file = self.files.iter().find(|file| !holds(file))?;
        Some(anyhow!(
            "{} has no definition that can be used",
            file.display()
        ))
    }
}

fn desk() -> anyhow::Result<Desk> {
    Desk::of_process().context("the working folder cannot be looked at")
}

fn is_definitions(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end == definitions::EXTENSION)
}

/// Whether `word` names a definition by its tool. A program may be called so too;
/// definitions come first.
fn is_tool(word: &str) -> anyhow::Result<bool> {
    if word.contains('/') || !word.starts_with(definitions::PREFIX) {
        return Ok(false);
    }
    let desk = desk()?;
    Ok(identify::resolve(word).is_err() || desk.load(&desk.places()).find(word).is_some())
}

fn not_defined(name: &str, library: &Library, desk: &Desk) -> anyhow::Error {
    let names = library.names();
    match nearest(name, names.iter().map(String::as_str)) {
        Some(nearest) => anyhow!("no definition is called `{name}`; did you mean `{nearest}`?"),
        None if names.is_empty() => nothing_defined(desk),
        None => anyhow!(
            "no definition is called `{name}`; there are {}",
            names.join(", ")
        ),
    }
}

fn nothing_defined(desk: &Desk) -> anyhow::Error {
    let places = desk.places();
    if places.is_empty() {
        return anyhow!(
            "no definition is in force: neither XDG_CONFIG_HOME nor HOME names a folder, and no project is here"
        );
    }
    let looked: Vec<String> = places.iter().map(Place::pattern).collect();
    anyhow!(
        "no definition is in force; looked for {}",
        looked.join(", ")
    )
}

/// Several definitions where one was asked for.
pub fn one_of(word: &str, readings: &[Reading]) -> anyhow::Error {
    let names: Vec<String> = readings
        .iter()
        .map(|reading| definitions::tool_name(&reading.program))
        .collect();
    anyhow!(
        "{word} has {} definitions; name one of them behind it: {}",
        names.len(),
        names.join(", ")
    )
}
