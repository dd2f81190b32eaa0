//! Writes down what a program was asked and what it answered.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::Family;
use crate::probe::{Answer, Probe, ProbeError, Question};

use super::{ANSWERS, Entry, INDEX, Index, Meta, STDERR, file_name};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answers {
    pub program: String,
    pub answers: Vec<Recorded>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Recorded {
    words: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<i32>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    stdout: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    stderr: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed: Option<Failure>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Failure {
    TimedOutMs(u64),
    FloodedBytes(usize),
    NotStarted(String),
}

/// A probe that remembers what it was asked and what it answered.
#[derive(Debug)]
pub struct Recorder<P> {
    probe: P,
    asked: Vec<(Question, Result<Answer, ProbeError>)>,
}

impl<P: Probe> Recorder<P> {
    /// Records what `probe` answers.
    pub fn new(probe: P) -> Self {
        Self {
            probe,
            asked: Vec::new(),
        }
    }

    /// The probe that is recorded.
    pub fn probe(&self) -> &P {
        &self.probe
    }

    /// Everything asked so far, in order.
    pub fn asked(&self) -> &[(Question, Result<Answer, ProbeError>)] {
        &self.asked
    }

    /// The transcript of everything asked of `program`, which was read as one of `family`.
    pub fn files(&self, program: &str, family: Family) -> BTreeMap<String, String> {
        record(program, family, &self.asked)
    }
}

impl<P: Probe> Probe for Recorder<P> {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        let answers = self.probe.ask(questions);
        self.asked
            .extend(questions.iter().cloned().zip(answers.iter().cloned()));
        answers
    }

    fn is_guarded(&self) -> bool {
        self.probe.is_guarded()
    }
}

/// The files of a transcript that answers all that was `asked` of `program`, which was
/// read as one of `family`.
pub fn record(
    program: &str,
    family: Family,
    asked: &[(Question, Result<Answer, ProbeError>)],
) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut index = Index {
        meta: Meta {
            family: serde_json::to_value(family)
                .ok()
                .and_then(|name| Some(name.as_str()?.to_owned()))
                .unwrap_or_default(),
            tool: program.to_owned(),
            ..Meta::default()
        },
        index: Vec::new(),
    };
    let mut answers: BTreeMap<Vec<String>, Recorded> = BTreeMap::new();
    let mut seen: BTreeSet<&Question> = BTreeSet::new();
    for (question, answer) in asked {
        if !seen.insert(question) {
            continue;
        }
        let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
        let kept = match (words.as_slice(), answer) {
            (["__complete", path @ .., "-"], Ok(answer)) if is_path(path) => {
                let text = format!("{}{STDERR}{}", answer.stdout, answer.stderr);
                let exact = answer.code == Some(0) && !answer.stdout.contains(STDERR);
                exact && keep(&mut files, program, path, "flags", text)
            }
            ([path @ .., "--help"], Ok(answer)) if is_path(path) => {
                let on_stderr = answer.stdout.is_empty();
                let (text, other, stream) = if on_stderr {
                    (&answer.stderr, &answer.stdout, "stderr")
                } else {
                    (&answer.stdout, &answer.stderr, "stdout")
                };
                let file = keep(&mut files, program, path, "help", text.clone());
                if file {
                    index.index.push(Entry {
                        path: path.iter().map(|&word| word.to_owned()).collect(),
                        rc: answer.code,
                        stream: stream.to_owned(),
                    });
                }
                file && other.is_empty()
            }
            (["--version"], Ok(answer)) => {
                index.meta.version = answer.stdout.lines().map(str::to_owned).collect();
                false
            }
            _ => false,
        };
        if !kept && !matches!(answer, Err(ProbeError::NotRecorded)) {
            answers.insert(question.words.clone(), Recorded::new(question, answer));
        }
    }
    index.meta.commands = index.index.len();
    let answers = Answers {
        program: program.to_owned(),
        answers: answers.into_values().collect(),
    };
    // Values of plain data types: writing them cannot fail.
    if let Ok(text) = serde_json::to_string_pretty(&answers) {
        files.insert(ANSWERS.to_owned(), text + "\n");
    }
    if let Ok(text) = serde_json::to_string_pretty(&index) {
        files.insert(INDEX.to_owned(), text + "\n");
    }
    files
}

/// Keeps `text` in a file of its own, unless two paths come to one name.
fn keep(
    files: &mut BTreeMap<String, String>,
    program: &str,
    path: &[&str],
    kind: &str,
    text: String,
) -> bool {
    let path: Vec<String> = path.iter().map(|&word| word.to_owned()).collect();
    let name = file_name(program, &path, kind);
    if files.contains_key(&name) {
        return false;
    }
    files.insert(name, text);
    true
}

/// Whether words are a command's path.
fn is_path(words: &[&str]) -> bool {
    words
        .iter()
        .all(|word| !word.is_empty() && !word.starts_with('-') && *word != "help")
}

impl Recorded {
    fn new(question: &Question, answer: &Result<Answer, ProbeError>) -> Self {
        let mut recorded = Recorded {
            words: question.words.clone(),
            code: None,
            stdout: String::new(),
            stderr: String::new(),
            failed: None,
        };
        match answer {
            Ok(answer) => {
                recorded.code = answer.code;
                recorded.stdout.clone_from(&answer.stdout);
                recorded.stderr.clone_from(&answer.stderr);
            }
            Err(ProbeError::TimedOut(after)) => {
                let millis = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
                recorded.failed = Some(Failure::TimedOutMs(millis));
            }
            Err(ProbeError::Flooded(bytes)) => {
                recorded.failed = Some(Failure::FloodedBytes(*bytes));
            }
            Err(ProbeError::NotStarted(why)) => {
                recorded.failed = Some(Failure::NotStarted(why.clone()));
            }
            Err(ProbeError::NotRecorded) => {}
        }
        recorded
    }

    pub(super) fn into_pair(self) -> (Vec<String>, Result<Answer, ProbeError>) {
        let answer = match self.failed {
            None => Ok(Answer {
                code: self.code,
                stdout: self.stdout,
                stderr: self.stderr,
            }),
            Some(Failure::TimedOutMs(millis)) => {
                Err(ProbeError::TimedOut(Duration::from_millis(millis)))
            }
            Some(Failure::FloodedBytes(bytes)) => Err(ProbeError::Flooded(bytes)),
            Some(Failure::NotStarted(why)) => Err(ProbeError::NotStarted(why)),
        };
        (self.words, answer)
    }
}
