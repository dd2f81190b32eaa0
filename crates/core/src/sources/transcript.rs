//! Answers a reader's questions from recorded pages, and records them.
//!
//! A transcript is a folder of text files named after the command's path joined
//! with dots: `.help.txt` is what `--help` printed and `.flags.txt` what
//! `__complete PATH -` answered (standard error after a `#STDERR ` mark).
//! `answers.json` holds every other question as asked, so that a recorded read can
//! be repeated word for word. Older transcripts have `.flags2.txt` (the same once
//! required flags are given), `.args.txt` and `flagprobe.json` (single flags put to
//! the parser) in its place.
//!
//! Nothing here reads or writes a folder: files arrive and leave as a map from name
//! to content.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::model::Family;
use crate::probe::{Answer, Probe, ProbeError, Question};
use crate::sources::complete::{self, Completion};
use crate::sources::oracle;

mod recording;

use recording::{Answers, Recorded};
pub use recording::{Recorder, record};

/// Separates the two streams in a `.flags.txt`.
const STDERR: &str = "\n#STDERR ";
const ANSWERS: &str = "answers.json";
const INDEX: &str = "index.json";
const FLAGPROBE: &str = "flagprobe.json";

/// Why files are not a transcript.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// No file ends in `.help.txt`.
    #[error("has no file PROGRAM.help.txt")]
    NoRootPage,
    /// A JSON file cannot be read.
    #[error("{file} cannot be understood")]
    Json {
        /// Its name.
        file: &'static str,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// Recorded answers of one program.
#[derive(Debug, Clone)]
pub struct Transcript {
    program: String,
    files: BTreeMap<String, String>,
    answers: BTreeMap<Vec<String>, Result<Answer, ProbeError>>,
    index: Index,
    flags: Vec<FlagRecord>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Index {
    #[serde(default)]
    meta: Meta,
    #[serde(default)]
    index: Vec<Entry>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Meta {
    #[serde(default)]
    family: String,
    #[serde(default)]
    tool: String,
    #[serde(default)]
    version: Vec<String>,
    #[serde(default)]
    commands: usize,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Entry {
    path: Vec<String>,
    rc: Option<i32>,
    #[serde(default)]
    stream: String,
}

/// What an older transcript recorded of one flag.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FlagRecord {
    /// The command it was asked at.
    pub path: Vec<String>,
    /// Its long name.
    pub flag: String,
    /// What the parser said about a bad value; empty if it took it.
    #[serde(default)]
    pub bad: String,
    /// Whether it must be followed by a value.
    #[serde(default)]
    pub needs_arg: bool,
    /// Whether it is offered again once given.
    #[serde(default)]
    pub repeat: Option<bool>,
}

impl Transcript {
    /// The transcript in `files`.
    pub fn new(files: BTreeMap<String, String>) -> Result<Self, TranscriptError> {
        let index: Index = json(&files, INDEX)?.unwrap_or_default();
        let flags: Vec<FlagRecord> = json(&files, FLAGPROBE)?.unwrap_or_default();
        let recorded: Option<Answers> = json(&files, ANSWERS)?;
        // The root's page has the shortest name: every other adds words to it.
        let program = files
            .keys()
            .filter_map(|name| name.strip_suffix(".help.txt"))
            .min_by_key(|name| name.len())
            .map(str::to_owned)
            .or_else(|| recorded.as_ref().map(|recorded| recorded.program.clone()))
            .ok_or(TranscriptError::NoRootPage)?;
        let answers = recorded
            .into_iter()
            .flat_map(|recorded| recorded.answers)
            .map(Recorded::into_pair)
            .collect();
        Ok(Self {
            program,
            files,
            answers,
            index,
            flags,
        })
    }

    /// The program's name.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The family that the program was read as. Folders that do not say are Cobra
    /// programs'.
    pub fn family(&self) -> Family {
        match self.index.meta.family.as_str() {
            "" => Family::Cobra,
            name => serde_json::from_value(name.into()).unwrap_or(Family::Unknown),
        }
    }

    /// Whether it holds every question of a read, as [`record`] writes it, rather than
    /// the pages and facts of an older one.
    pub fn is_capture(&self) -> bool {
        !self.answers.is_empty()
    }

    /// The paths of the commands whose help was recorded.
    pub fn paths(&self) -> Vec<Vec<String>> {
        if !self.index.index.is_empty() {
            return self
                .index
                .index
                .iter()
                .map(|entry| entry.path.clone())
                .collect();
        }
        self.files
            .keys()
            .filter_map(|name| name.strip_suffix(".help.txt"))
            .filter_map(|name| name.strip_prefix(&self.program))
            .map(|rest| {
                rest.split('.')
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned)
                    .collect()
            })
            .collect()
    }

    /// What an older transcript says of single flags.
    pub fn flag_records(&self) -> &[FlagRecord] {
        &self.flags
    }

    fn file(&self, path: &[String], kind: &str) -> Option<&str> {
        self.files
            .get(&file_name(&self.program, path, kind))
            .map(String::as_str)
    }

    fn answer(&self, question: &Question) -> Result<Answer, ProbeError> {
        if let Some(answer) = self.answers.get(&question.words) {
            return answer.clone();
        }
        let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
        let owned = |path: &[&str]| path.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        match words.as_slice() {
            ["--version"] => self.version(),
            ["__complete", "help", path @ .., ""] => self.children(&owned(path)),
            ["__complete", rest @ .., "-"] => {
                let flags_at = rest
                    .iter()
                    .position(|word| word.starts_with("--"))
                    .unwrap_or(rest.len());
                let (path, given) = rest.split_at(flags_at);
                self.completion(&owned(path), given)
            }
            [path @ .., "--help"] => self.page(&owned(path)),
            _ => None,
        }
        .ok_or(ProbeError::NotRecorded)
    }

    fn version(&self) -> Option<Answer> {
        let lines = &self.index.meta.version;
        let refused = lines.first()?.to_lowercase();
        (!refused.starts_with("error") && !refused.starts_with("unknown")).then(|| Answer {
            code: Some(0),
            stdout: lines.join("\n"),
            stderr: String::new(),
        })
    }

    fn page(&self, path: &[String]) -> Option<Answer> {
        let text = self.file(path, "help")?.to_owned();
        let entry = self.index.index.iter().find(|entry| entry.path == path);
        let on_stderr = entry.is_some_and(|entry| entry.stream == "stderr");
        let (stdout, stderr) = if on_stderr {
            (String::new(), text)
        } else {
            (text, String::new())
        };
        Some(Answer {
            code: entry.map_or(Some(0), |entry| entry.rc),
            stdout,
            stderr,
        })
    }

    /// Older transcripts did not ask for subcommands alone: of what could follow the
    /// path, those words are commands that have a page.
    fn children(&self, path: &[String]) -> Option<Answer> {
        let (stdout, _) = split_streams(self.file(path, "args")?);
        let completion = complete::parse(stdout)?;
        let mut listed = String::new();
        for candidate in completion.names() {
            let mut child = path.to_vec();
            child.push(candidate.word.clone());
            if self.file(&child, "help").is_some() {
                listed.push_str(&format!("{}\t{}\n", candidate.word, candidate.text));
            }
        }
        listed.push_str(":4\n");
        Some(Answer {
            code: Some(0),
            stdout: listed,
            stderr: String::new(),
        })
    }

    fn completion(&self, path: &[String], given: &[&str]) -> Option<Answer> {
        let (stdout, stderr) = split_streams(self.file(path, "flags")?);
        if given.is_empty() {
            return Some(Answer {
                code: Some(0),
                stdout: stdout.to_owned(),
                stderr: stderr.to_owned(),
            });
        }
        self.parsed(path, given, &complete::parse(stdout)?)
    }

    /// What the parser would say to `given`, from what is recorded of each flag.
    fn parsed(&self, path: &[String], given: &[&str], first: &Completion) -> Option<Answer> {
        let behind = self
            .file(path, "flags2")
            .and_then(|text| complete::parse(split_streams(text).0));
        let required: BTreeSet<String> = match behind {
            Some(_) => first.flags().into_iter().map(|flag| flag.long).collect(),
            None => BTreeSet::new(),
        };
        let mut set: BTreeSet<String> = BTreeSet::new();
        let mut words = given.iter();
        while let Some(word) = words.next() {
            let word = word.strip_prefix("--")?;
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word, None),
            };
            if value != Some(oracle::BAD) && value.is_some() && required.contains(name) {
                set.insert(name.to_owned());
                continue;
            }
            if !self.offers(first, behind.as_ref(), name) && value.is_none() {
                return Some(complained(&format!("unknown flag: --{name}")));
            }
            let record = self.record(path, name)?;
            match value {
                Some(oracle::BAD) if !record.bad.is_empty() => {
                    return Some(complained(&record.bad));
                }
                Some(value) if value.contains('=') => return None,
                // Asked without the required flags, it could not have been offered again.
                Some(_) if record.repeat == Some(false) && self.has_required(&record.path) => {
                    return None;
                }
                Some(_) => {}
                None => {
                    let swallowed = !record.needs_arg || words.next().is_some();
                    if !swallowed {
                        return Some(complained(&format!("flag needs an argument: --{name}")));
                    }
                }
            }
            if record.repeat != Some(true) {
                set.insert(name.to_owned());
            }
        }
        let opened = required.is_subset(&set);
        let offered = match &behind {
            Some(behind) if opened => behind,
            _ => first,
        };
        let mut stdout = String::new();
        for candidate in &offered.candidates {
            let name = candidate.word.trim_start_matches('-');
            if !(candidate.word.starts_with("--") && set.contains(name)) {
                stdout.push_str(&format!("{}\t{}\n", candidate.word, candidate.text));
            }
        }
        stdout.push_str(":4\n");
        Some(Answer {
            code: Some(0),
            stdout,
            stderr: String::new(),
        })
    }

    fn has_required(&self, path: &[String]) -> bool {
        self.file(path, "flags2").is_some()
    }

    fn offers(&self, first: &Completion, behind: Option<&Completion>, name: &str) -> bool {
        std::iter::once(first)
            .chain(behind)
            .flat_map(Completion::flags)
            .any(|flag| flag.long == name)
    }

    /// The record of a flag: asked here, or elsewhere in the same words.
    fn record(&self, path: &[String], name: &str) -> Option<&FlagRecord> {
        let sound = |record: &&FlagRecord| {
            record.flag == name
                && !record.bad.contains("unknown flag")
                && !record.bad.contains("Unable to find a command")
        };
        if let Some(record) = self
            .flags
            .iter()
            .filter(sound)
            .find(|record| record.path == path)
        {
            return Some(record);
        }
        let text = self.text_of(path, name)?;
        self.flags
            .iter()
            .filter(sound)
            .find(|record| self.text_of(&record.path, name).as_ref() == Some(&text))
    }

    fn text_of(&self, path: &[String], name: &str) -> Option<String> {
        ["flags", "flags2"].iter().find_map(|kind| {
            let completion = complete::parse(split_streams(self.file(path, kind)?).0)?;
            completion
                .flags()
                .into_iter()
                .find(|flag| flag.long == name)
                .map(|flag| flag.text)
        })
    }
}

impl Probe for Transcript {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        questions
            .iter()
            .map(|question| self.answer(question))
            .collect()
    }
}

fn json<T: serde::de::DeserializeOwned>(
    files: &BTreeMap<String, String>,
    file: &'static str,
) -> Result<Option<T>, TranscriptError> {
    files
        .get(file)
        .map(|text| serde_json::from_str(text))
        .transpose()
        .map_err(|source| TranscriptError::Json { file, source })
}

fn complained(what: &str) -> Answer {
    Answer {
        code: Some(0),
        stdout: ":0\n".to_owned(),
        stderr: format!("{what}\n"),
    }
}

fn split_streams(text: &str) -> (&str, &str) {
    text.split_once(STDERR).unwrap_or((text, ""))
}

/// `gh.pr.list.help.txt`. What could not stand in a file's name, or would read as
/// another word of the path, becomes an underscore.
fn file_name(program: &str, path: &[String], kind: &str) -> String {
    let mut name = program.to_owned();
    for word in path {
        name.push('.');
        name.extend(word.chars().map(|char| {
            if char.is_ascii_alphanumeric() || "-_+:@".contains(char) {
                char
            } else {
                '_'
            }
        }));
    }
    format!("{name}.{kind}.txt")
}
