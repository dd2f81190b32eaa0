//! What shows that a program describes itself, and what it is asked then.
//!
//! A program is never asked on the chance that it might answer: another would take the
//! question for an argument and do something. Its file or its help has to show first
//! that it knows the question.

use std::collections::BTreeMap;

use super::{Format, read};
use crate::model::{Loss, Reading};
use crate::probe::{Answer, Probe, ProbeError, Question};

/// What a program's file shows of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Cobra is linked into it, so that `help --help` only prints a page.
    Cobra,
    /// Swift's ArgumentParser, which answers `--experimental-dump-help` before anything
    /// of the program runs.
    Swift,
    /// The library of usage specs. Which command prints the spec is up to the program.
    Usage,
}

/// What a program says of itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Own {
    /// Nothing shows that it says anything.
    Nothing,
    /// It was read.
    Read(Box<Reading>),
    /// It said something that could not be read.
    Unread(Vec<Loss>),
}

/// What the program `name` says of itself, if its file shows one of `signs` or its help
/// says that it does.
pub fn find(name: &str, signs: &[Sign], probe: &mut dyn Probe) -> Own {
    let mut losses = Vec::new();
    for (format, question) in questions(signs, probe) {
        let line = format!("{name} {}", question.words.join(" "));
        let what = match ask(probe, &question) {
            Ok(answer) if answer.code == Some(0) => {
                match read(format, Some(name), &answer.stdout) {
                    Ok(reading) => return Own::Read(Box::new(reading)),
                    Err(error) => format!("what it prints {error}"),
                }
            }
            Ok(answer) => match answer.code {
                Some(code) => format!("it ended with {code}"),
                None => "it was ended by a signal".to_owned(),
            },
            Err(ProbeError::NotRecorded) => continue,
            Err(error) => format!("it {error}"),
        };
        losses.push(Loss {
            path: Vec::new(),
            what: format!("`{line}` should describe it, but {what}; its help was read instead"),
        });
    }
    match losses.is_empty() {
        true => Own::Nothing,
        false => Own::Unread(losses),
    }
}

/// The questions that the program is known to answer with a description.
fn questions(signs: &[Sign], probe: &mut dyn Probe) -> Vec<(Format, Question)> {
    let mut found = Vec::new();
    if signs.contains(&Sign::Swift) {
        // In parts, so that argway's own file does not hold the mark of it.
        let dump = ["--experimental", "dump", "help"].join("-");
        found.push((Format::Swift, Question::new([dump])));
    }
    let Ok(root) = ask(probe, &Question::new(["--help"])) else {
        return found;
    };
    let root = page(&root);
    for (flag, format) in [
        ("--usage-spec", Format::Usage),
        ("--help-dump-opencli", Format::OpenCli),
        ("--cli-schema", Format::DotNet),
    ] {
        if lists_switch(root, flag) {
            found.push((format, Question::new([flag])));
        }
    }
    if command_text(root, "usage").is_some_and(|text| speaks_of(&text, &["usage", "spec"])) {
        found.push((Format::Usage, Question::new(["usage"])));
    }
    if command_text(root, "opencli").is_some_and(|text| speaks_of(&text, &["opencli"])) {
        found.push((Format::OpenCli, Question::new(["opencli"])));
    }
    if signs.contains(&Sign::Cobra)
        && let Ok(help) = ask(probe, &Question::new(["help", "--help"]))
        && lists_switch(page(&help), "--machine")
    {
        // Cobra's help command runs nothing but what every start runs.
        found.push((Format::Machine, Question::new(["help", "--machine"])));
    }
    let is_usage = |(format, _): &(Format, Question)| *format == Format::Usage;
    if signs.contains(&Sign::Usage) && !found.iter().any(is_usage) {
        // mise hides the command. Its page says what it is; who parses by a spec
        // answers `--help` before the command runs.
        let question = Question::new(["usage", "--help"]);
        if let Ok(answer) = ask(probe, &question)
            && let Some(text) = page(&answer).lines().find(|line| !line.trim().is_empty())
            && speaks_of(text, &["usage", "spec"])
            && page(&answer) != root
        {
            found.push((Format::Usage, Question::new(["usage"])));
        }
    }
    found
}

fn ask(probe: &mut dyn Probe, question: &Question) -> Result<Answer, ProbeError> {
    let mut answers = probe.ask(std::slice::from_ref(question));
    answers.pop().unwrap_or(Err(ProbeError::NotRecorded))
}

fn page(answer: &Answer) -> &str {
    match answer.stdout.trim().is_empty() {
        true => &answer.stderr,
        false => &answer.stdout,
    }
}

/// Whether a line of `page` lists `flag`, and without a value behind it.
fn lists_switch(page: &str, flag: &str) -> bool {
    page.lines().any(|line| {
        let line = line.trim_matches(|c: char| c.is_whitespace() || c == '│');
        if !line.starts_with('-') {
            return false;
        }
        let end = line.find("  ").into_iter().chain(line.find('\t')).min();
        let left = &line[..end.unwrap_or(line.len())];
        let mut words = left.split([' ', ',']).filter(|word| !word.is_empty());
        let is_there = words.any(|word| word == flag);
        is_there && words.all(|word| word.starts_with('-'))
    })
}

/// What a line of `page` says of the command `name` that it lists.
fn command_text(page: &str, name: &str) -> Option<String> {
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        let entry = line.trim_start();
        let Some(rest) = entry
            .strip_prefix(name)
            .filter(|_| entry.len() < line.len())
        else {
            continue;
        };
        // The text stands apart, or below with more indentation.
        let apart = rest.starts_with("  ") || rest.starts_with('\t') || rest.starts_with(": ");
        let indent = line.len() - entry.len();
        if apart {
            return Some(rest.trim_matches([':', ' ', '\t']).to_owned());
        }
        let below = |next: &&str| next.len() - next.trim_start().len() > indent;
        if rest.trim().is_empty()
            && let Some(next) = lines.peek().copied().filter(below)
        {
            return Some(next.trim().to_owned());
        }
    }
    None
}

fn speaks_of(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word))
}

/// A probe that does not ask twice what was asked while it learnt.
pub struct Memory<'a> {
    probe: &'a mut dyn Probe,
    known: BTreeMap<Question, Result<Answer, ProbeError>>,
    learns: bool,
}

impl<'a> Memory<'a> {
    /// Learns what `probe` answers from now on.
    pub fn new(probe: &'a mut dyn Probe) -> Self {
        Self {
            probe,
            known: BTreeMap::new(),
            learns: true,
        }
    }

    /// Keeps what it knows and learns no more: a whole walk is not worth keeping.
    pub fn learnt(&mut self) -> &mut Self {
        self.learns = false;
        self
    }
}

impl Probe for Memory<'_> {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        let is_new = |question: &&Question| !self.known.contains_key(question);
        let new: Vec<Question> = questions.iter().filter(is_new).cloned().collect();
        let mut fresh = match new.is_empty() {
            true => Vec::new(),
            false => self.probe.ask(&new),
        }
        .into_iter();
        let mut answers = Vec::with_capacity(questions.len());
        for question in questions {
            answers.push(match self.known.get(question) {
                Some(answer) => answer.clone(),
                None => fresh.next().unwrap_or(Err(ProbeError::NotRecorded)),
            });
        }
        if self.learns {
            self.known
                .extend(questions.iter().cloned().zip(answers.iter().cloned()));
        }
        answers
    }

    fn is_guarded(&self) -> bool {
        self.probe.is_guarded()
    }
}
