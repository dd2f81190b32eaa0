//! Asks a program's parser about what its pages leave open: a value that no type likes,
//! before `--help`. Whatever the parser says, nothing is run: it refuses the value, or
//! prints the page.
//!
//! What keeps this harmless, for every program of the families that are asked:
//!
//! - Only commands whose plain `--help` prints a page and succeeds are asked, and only
//!   with `--flag=value` in one word. A flag alone could swallow `--help`.
//! - Commands that hand words on to another program are not asked: they could take a
//!   flag that they do not know for such a word, and `--help` with it.
//! - The value is a path that cannot be made, written or run by anyone, for parsers
//!   that open a file as soon as they see its name.
//! - An answer that is neither a refusal nor the page ends the questions; a complaint
//!   in words of the program's own may come a few times.
//!
//! `refusal` reads what parsers say; here is what is asked, and what is made of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Ask, page_of};
use crate::model::{CommandSpec, Evidence, Fact, Joiner, Kind, Loss, Param, Role, Scalar, Split};
use crate::probe::{Answer, Probe, ProbeError, Question};

mod refusal;

use refusal::Refusal;

/// Whose refusals are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Clap,
    Argparse,
    Gnu,
}

/// A value that only free text accepts. Nothing is below `/dev/null`, and nothing can be.
const BAD: &str = "/dev/null/\"@";
/// So many switches show whether a parser refuses values at all before it helps.
const CANARIES: usize = 3;
/// So many complaints in a program's own words are taken for refusals.
const OWN_WORDS: usize = 4;
/// So many questions are put at once, so that a surprise comes early.
const BATCH: usize = 64;

impl Dialect {
    /// How many questions a program is asked at most; Python takes up to a second each.
    fn budget(self) -> usize {
        match self {
            Dialect::Clap => 600,
            Dialect::Argparse => 40,
            Dialect::Gnu => 60,
        }
    }
}

/// Asks about the flags of `commands`, which show their page when they are asked as
/// `ask` says, and notes what came of it.
pub(super) fn confirm(
    commands: &mut Vec<CommandSpec>,
    dialect: Dialect,
    ask: Ask,
    probe: &mut dyn Probe,
    losses: &mut Vec<Loss>,
) {
    let last_word = match ask {
        Ask::ShortFlag => "-h",
        Ask::Flag | Ask::Help | Ask::Never => "--help",
    };
    let mut inquiry = Inquiry {
        dialect,
        last_word,
        probe,
        left: dialect.budget(),
        pages: BTreeMap::new(),
        own_words: 0,
        surprise: None,
    };
    let mut subjects = subjects(commands, dialect);
    if dialect == Dialect::Clap && !inquiry.refuses(&mut subjects) {
        return;
    }
    inquiry.ask_types(&mut subjects);
    if dialect == Dialect::Clap {
        inquiry.ask_numbers(&mut subjects);
        inquiry.ask_several(&mut subjects);
        inquiry.ask_existence(&mut subjects);
    }
    if let Some((path, what)) = inquiry.surprise {
        losses.push(Loss { path, what });
    }
    tell(commands, &subjects, losses);
}

/// Flags with the same words in several commands: they are one to the program too.
struct Subject {
    key: Key,
    /// The command that is asked, and those that have it besides.
    path: Vec<String>,
    kind: Kind,
    choices: Vec<String>,
    verdict: Verdict,
}

/// A flag as printed: long form, placeholder, text, and the values that it lists.
type Key = (String, String, String, Vec<String>);

/// What was heard.
#[derive(Debug, Default, Clone, PartialEq)]
struct Verdict {
    /// The answer to [`BAD`].
    bad: Option<Heard>,
    /// A number may be below zero.
    negative: Option<bool>,
    /// Given twice, it is taken.
    again: Option<bool>,
    /// Two values in one word are taken.
    comma: Option<bool>,
}

#[derive(Debug, Clone, PartialEq)]
enum Heard {
    /// The page was printed.
    Accepted,
    Refused(Refusal),
}

fn key(flag: &Param) -> Option<Key> {
    let long = flag.spelling()?.long.clone()?;
    let asked = long.starts_with("--") && !long.contains('=');
    let placeholder = flag.value_name.clone().unwrap_or_default();
    asked.then(|| (long, placeholder, flag.text.clone(), flag.choices.clone()))
}

/// What there is to ask, most promising first.
fn subjects(commands: &[CommandSpec], dialect: Dialect) -> Vec<Subject> {
    let mut known: BTreeSet<Key> = BTreeSet::new();
    let mut subjects: Vec<(u8, Subject)> = Vec::new();
    for command in commands.iter().filter(|command| !swallows(command)) {
        for flag in command.own_flags() {
            let Some(rank) = promise(flag, dialect) else {
                continue;
            };
            if let Some(key) = key(flag).filter(|key| !known.contains(key)) {
                known.insert(key.clone());
                let subject = Subject {
                    key,
                    path: command.path.clone(),
                    kind: flag.kind.clone(),
                    choices: flag.choices.clone(),
                    verdict: Verdict::default(),
                };
                subjects.push((rank, subject));
            }
        }
    }
    subjects.sort_by_key(|(rank, _)| *rank);
    subjects.into_iter().map(|(_, subject)| subject).collect()
}

/// Whether the command hands words on, flags among them: then it is not known what it
/// would do with one that it does not know.
fn swallows(command: &CommandSpec) -> bool {
    let any_words = |name: &str| {
        let name = name.to_lowercase();
        let words = [
            "command",
            "cmd",
            "args",
            "arguments",
            "argv",
            "script",
            "program",
        ];
        words.iter().any(|word| name.contains(word)) || name == "rest"
    };
    let many = |param: &Param| matches!(param.kind, Kind::List(..) | Kind::Line);
    command.raw_words
        || command.positionals().any(|param| {
            many(param) && any_words(&param.name) || param.name.to_lowercase() == "command"
        })
}

/// How much an answer could tell, least first; nothing where it could tell nothing.
fn promise(flag: &Param, dialect: Dialect) -> Option<u8> {
    if dialect == Dialect::Gnu {
        // Refusals name the words of an enumeration; whatever else a GNU program says
        // has no form that could be read.
        let words = [
            "WHEN", "WORD", "METHOD", "STYLE", "FORMAT", "MODE", "TYPE", "SORT", "HOW", "TIME",
            "CONTROL", "ORDER", "ATTRS", "FMT", "UNIT", "ACTION",
        ];
        let name = flag.value_name.as_deref().unwrap_or_default();
        let enumerates = words.iter().any(|word| name.contains(word));
        return (flag.kind.takes_value() && enumerates).then_some(0);
    }
    if !flag.kind.takes_value() {
        return (dialect == Dialect::Clap).then_some(3);
    }
    if !flag.choices.is_empty() || flag.kind == Kind::One(Scalar::Bool) {
        return (dialect == Dialect::Clap).then_some(2);
    }
    let numbers = [
        "n", "num", "number", "int", "count", "port", "seconds", "secs", "timeout", "size", "jobs",
        "depth", "level", "limit", "max", "min", "width", "height", "retries", "workers", "seed",
        "threads", "length", "lines", "interval", "delay", "rate",
    ];
    let placeholder = flag
        .value_name
        .as_deref()
        .unwrap_or_default()
        .to_lowercase();
    let named = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|word| numbers.contains(&word))
    };
    let number = |text: &String| text.parse::<f64>().is_ok();
    let likely =
        named(&placeholder) || named(&flag.name) || flag.default.as_ref().is_some_and(number);
    Some(u8::from(!likely))
}

struct Inquiry<'a> {
    dialect: Dialect,
    last_word: &'static str,
    probe: &'a mut dyn Probe,
    /// Questions that may still be asked.
    left: usize,
    /// The page of each command, where it can be asked.
    pages: BTreeMap<Vec<String>, Option<String>>,
    /// Complaints of no known form.
    own_words: usize,
    /// Where something else than a refusal or the page came.
    surprise: Option<(Vec<String>, String)>,
}

impl Inquiry<'_> {
    /// Whether the parser refuses a value before it prints the page: not all versions
    /// do, nor all that print as clap does, and then nothing can be learned.
    fn refuses(&mut self, subjects: &mut [Subject]) -> bool {
        let switch = |subject: &&mut Subject| !subject.kind.takes_value();
        let mut canaries: Vec<&mut Subject> =
            subjects.iter_mut().filter(switch).take(CANARIES).collect();
        self.put_bad(&mut canaries);
        let refused =
            |subject: &&mut Subject| matches!(subject.verdict.bad, Some(Heard::Refused(_)));
        canaries.iter().any(refused)
    }

    /// What the parser says to [`BAD`], of flags that take a value.
    fn ask_types(&mut self, subjects: &mut [Subject]) {
        let mut open: Vec<&mut Subject> = subjects
            .iter_mut()
            .filter(|subject| subject.kind.takes_value())
            .collect();
        self.put_bad(&mut open);
    }

    /// Whether switches are there, and take no value.
    fn ask_existence(&mut self, subjects: &mut [Subject]) {
        let mut open: Vec<&mut Subject> = subjects
            .iter_mut()
            .filter(|subject| subject.verdict.bad.is_none() && !subject.kind.takes_value())
            .collect();
        self.put_bad(&mut open);
    }

    fn put_bad(&mut self, subjects: &mut [&mut Subject]) {
        let asked: Vec<(&[String], Vec<String>)> = subjects
            .iter()
            .map(|subject| (&subject.path[..], vec![format!("{}={BAD}", subject.key.0)]))
            .collect();
        let heard = self.put(&asked);
        for (subject, heard) in subjects.iter_mut().zip(heard) {
            subject.verdict.bad = heard;
        }
    }

    /// Whether whole numbers may be below zero.
    fn ask_numbers(&mut self, subjects: &mut [Subject]) {
        let mut open: Vec<&mut Subject> = subjects
            .iter_mut()
            .filter(|subject| {
                let integer = Heard::Refused(Refusal::Type(Scalar::Int(64)));
                subject.verdict.bad.as_ref() == Some(&integer)
            })
            .collect();
        let asked: Vec<(&[String], Vec<String>)> = open
            .iter()
            .map(|subject| (&subject.path[..], vec![format!("{}=-1", subject.key.0)]))
            .collect();
        let heard = self.put(&asked);
        for (subject, heard) in open.iter_mut().zip(heard) {
            subject.verdict.negative = heard.map(|heard| heard == Heard::Accepted);
        }
    }

    /// Whether a flag can be given again, and takes several values in one word.
    fn ask_several(&mut self, subjects: &mut [Subject]) {
        let mut open: Vec<(&mut Subject, String)> = subjects
            .iter_mut()
            .filter(|subject| subject.kind.takes_value())
            .filter_map(|subject| {
                let good = subject.good()?;
                Some((subject, good))
            })
            .collect();
        let twice: Vec<(&[String], Vec<String>)> = open
            .iter()
            .map(|(subject, good)| {
                let word = format!("{}={good}", subject.key.0);
                (&subject.path[..], vec![word.clone(), word])
            })
            .collect();
        let heard = self.put(&twice);
        for ((subject, _), heard) in open.iter_mut().zip(heard) {
            subject.verdict.again = heard.map(|heard| heard == Heard::Accepted);
        }
        // Free text takes any comma.
        let mut closed: Vec<(&mut Subject, String)> = open
            .into_iter()
            .filter(|(subject, good)| {
                let one_only = subject.verdict.again == Some(false);
                good != BAD && !one_only
            })
            .collect();
        let joined: Vec<(&[String], Vec<String>)> = closed
            .iter()
            .map(|(subject, good)| {
                (
                    &subject.path[..],
                    vec![format!("{}={good},{good}", subject.key.0)],
                )
            })
            .collect();
        let heard = self.put(&joined);
        for ((subject, _), heard) in closed.iter_mut().zip(heard) {
            subject.verdict.comma = heard.map(|heard| heard == Heard::Accepted);
        }
    }

    /// What is heard to each of `asked`: words behind a command's path.
    fn put(&mut self, asked: &[(&[String], Vec<String>)]) -> Vec<Option<Heard>> {
        let mut heard = Vec::with_capacity(asked.len());
        for batch in asked.chunks(BATCH) {
            self.open(batch.iter().map(|(path, _)| *path));
            let mut questions = Vec::new();
            let mut places = Vec::new();
            for (path, words) in batch {
                let page = self.pages.get(*path).cloned().flatten();
                if let Some(page) = page
                    && self.left > 0
                    && self.surprise.is_none()
                {
                    self.left -= 1;
                    let words = path.iter().chain(words).map(String::as_str);
                    questions.push(Question::new(words.chain([self.last_word])));
                    places.push(Some((*path, page)));
                } else {
                    places.push(None);
                }
            }
            let mut answers = match questions.is_empty() {
                true => Vec::new(),
                false => self.probe.ask(&questions),
            }
            .into_iter();
            let mut questions = questions.into_iter();
            for place in places {
                heard.push(place.and_then(|(path, page)| {
                    let question = questions.next()?;
                    self.judge(path, &page, &question, answers.next()?)
                }));
            }
        }
        heard
    }

    /// Looks whether the commands at `paths` can be asked, those that it is not known of.
    fn open<'p>(&mut self, paths: impl Iterator<Item = &'p [String]>) {
        let unknown: BTreeSet<&[String]> = paths
            .filter(|path| !self.pages.contains_key(*path))
            .take(self.left)
            .collect();
        if unknown.is_empty() || self.surprise.is_some() {
            return;
        }
        self.left -= unknown.len();
        let question = |path: &&[String]| {
            let words = path.iter().map(String::as_str);
            Question::new(words.chain([self.last_word]))
        };
        let questions: Vec<Question> = unknown.iter().map(question).collect();
        let answers = self.probe.ask(&questions);
        for (path, answer) in unknown.into_iter().zip(answers) {
            let page = answer.ok().filter(|answer| answer.code == Some(0));
            let page = page.and_then(|answer| page_of(&answer).map(str::to_owned));
            self.pages.insert(path.to_vec(), page);
        }
    }

    fn judge(
        &mut self,
        path: &[String],
        page: &str,
        question: &Question,
        answer: Result<Answer, ProbeError>,
    ) -> Option<Heard> {
        let answer = match answer {
            Ok(answer) => answer,
            Err(ProbeError::NotRecorded) => return None,
            Err(error) => {
                self.surprised(path, question, &error.to_string());
                return None;
            }
        };
        if answer.code == Some(0) {
            if page_of(&answer).is_some_and(|shown| shown.trim() == page.trim()) {
                return Some(Heard::Accepted);
            }
        } else if let Some(refusal) = refusal::read(self.dialect, &answer.stderr) {
            return Some(Heard::Refused(refusal));
        } else if answer.stdout.is_empty() && answer.code.is_some() && self.own_words < OWN_WORDS {
            self.own_words += 1;
            return Some(Heard::Refused(Refusal::Other));
        }
        self.surprised(path, question, "printed neither its help nor a refusal");
        None
    }

    fn surprised(&mut self, path: &[String], question: &Question, what: &str) {
        let words = question.words.join(" ");
        self.surprise.get_or_insert_with(|| {
            let what = format!("its parser was asked no further: to `{words}` it {what}");
            (path.to_vec(), what)
        });
    }
}

impl Subject {
    /// A value that it takes, as far as is known.
    fn good(&self) -> Option<String> {
        match self.verdict.bad.as_ref()? {
            Heard::Accepted => Some(BAD.to_owned()),
            Heard::Refused(Refusal::Values(values)) => values.first().cloned(),
            Heard::Refused(Refusal::Type(Scalar::Bool)) => Some("true".to_owned()),
            Heard::Refused(Refusal::Type(_)) => Some("1".to_owned()),
            Heard::Refused(Refusal::Other) => self.choices.first().cloned(),
            Heard::Refused(Refusal::NoValue | Refusal::Unknown | Refusal::Twice) => None,
        }
    }
}

/// Tells the commands what was heard of their flags.
fn tell(commands: &mut Vec<CommandSpec>, subjects: &[Subject], losses: &mut Vec<Loss>) {
    let heard: BTreeMap<&Key, &Subject> = subjects
        .iter()
        .filter(|subject| subject.verdict != Verdict::default())
        .map(|subject| (&subject.key, subject))
        .collect();
    // Where one flag is refused a second time, the parser does not let the last one win.
    let strict = subjects
        .iter()
        .any(|subject| subject.verdict.again == Some(false));
    let mut unknown: BTreeSet<(Vec<String>, String)> = BTreeSet::new();
    for command in commands.iter_mut() {
        let path = command.path.clone();
        for flag in &mut command.params {
            let Some(subject) = key(flag).and_then(|key| heard.get(&key)) else {
                continue;
            };
            if subject.verdict.bad == Some(Heard::Refused(Refusal::Unknown)) {
                if subject.path == path {
                    unknown.insert((path.clone(), subject.key.0.clone()));
                }
                continue;
            }
            apply(flag, &subject.verdict, strict);
        }
        command.params.retain(|flag| {
            let long = flag.spelling().and_then(|spelling| spelling.long.clone());
            !long.is_some_and(|long| unknown.contains(&(path.clone(), long)))
        });
    }
    for (path, long) in &unknown {
        losses.push(Loss {
            path: path.clone(),
            what: format!("{long} is on its page, and its parser does not know it; it is left out"),
        });
    }
    inherit(commands, &heard, strict, &unknown);
}

/// Flags that come from above are told too; equal sets stay shared.
fn inherit(
    commands: &mut [CommandSpec],
    heard: &BTreeMap<&Key, &Subject>,
    strict: bool,
    unknown: &BTreeSet<(Vec<String>, String)>,
) {
    let mut told: Vec<(Arc<[Param]>, Arc<[Param]>)> = Vec::new();
    for command in commands {
        let known = told
            .iter()
            .rev()
            .find(|(before, _)| Arc::ptr_eq(before, &command.inherited));
        if let Some((_, after)) = known {
            command.inherited = Arc::clone(after);
            continue;
        }
        let mut flags = command.inherited.to_vec();
        flags.retain(|flag| {
            let Some(spelling) = flag.spelling() else {
                return true;
            };
            let owner = command.path.get(..spelling.after_words.unwrap_or(0));
            let long = spelling.long.clone().unwrap_or_default();
            !owner.is_some_and(|owner| unknown.contains(&(owner.to_vec(), long)))
        });
        for flag in &mut flags {
            if let Some(subject) = key(flag).and_then(|key| heard.get(&key)) {
                apply(flag, &subject.verdict, strict);
            }
        }
        let after: Arc<[Param]> = flags.into();
        told.push((Arc::clone(&command.inherited), Arc::clone(&after)));
        command.inherited = after;
    }
}

/// Tells `flag` what was heard of it.
fn apply(flag: &mut Param, verdict: &Verdict, strict: bool) {
    let Some(bad) = &verdict.bad else {
        return;
    };
    match bad {
        Heard::Refused(Refusal::NoValue) => {
            if flag.kind.takes_value() {
                flag.kind = Kind::Switch;
                flag.value_name = None;
                flag.choices.clear();
                if let Role::Flag(spelling) = &mut flag.role {
                    spelling.bare = None;
                }
            }
            flag.from.note(Fact::Type, Evidence::Oracle);
            return;
        }
        Heard::Refused(Refusal::Unknown | Refusal::Twice) => return,
        // A switch that takes what no boolean would: how, is not known.
        _ if !flag.kind.takes_value() => return,
        Heard::Refused(Refusal::Type(scalar)) => {
            let scalar = match (scalar, verdict.negative) {
                (Scalar::Int(bits), Some(false)) => Scalar::Uint(*bits),
                _ => scalar.clone(),
            };
            rescale(&mut flag.kind, &scalar);
            if scalar == Scalar::Bool {
                flag.choices.clear();
            }
            flag.from.note(Fact::Type, Evidence::Oracle);
        }
        Heard::Refused(Refusal::Values(values)) => {
            let is_bool = values.len() == 2
                && ["true", "false"]
                    .iter()
                    .all(|it| values.iter().any(|have| have == it));
            if is_bool {
                rescale(&mut flag.kind, &Scalar::Bool);
                flag.choices.clear();
            } else {
                flag.choices.clone_from(values);
                flag.from.note(Fact::Choices, Evidence::Oracle);
            }
            flag.from.note(Fact::Type, Evidence::Oracle);
        }
        Heard::Accepted => {
            // What it would take then is more than the page lists.
            flag.from.note(Fact::Type, Evidence::Oracle);
        }
        Heard::Refused(Refusal::Other) => {}
    }
    repeat(flag, verdict, strict);
}

fn rescale(kind: &mut Kind, scalar: &Scalar) {
    match kind {
        Kind::One(of) | Kind::List(of, _) => of.clone_from(scalar),
        Kind::Map(_) | Kind::Switch | Kind::Count | Kind::Line => {}
    }
}

/// Makes a list of a flag that can be given again.
fn repeat(flag: &mut Param, verdict: &Verdict, strict: bool) {
    let several = verdict.again == Some(true) && strict;
    flag.kind = match flag.kind.clone() {
        Kind::One(of) | Kind::List(of, Split::Words) if several && verdict.comma == Some(true) => {
            Kind::List(of, Split::Comma)
        }
        Kind::One(of) if several => Kind::List(of, Split::Repeat),
        // Given again it is the same as with more words, and no word is mistaken for one.
        Kind::List(of, Split::Words)
            if several && !flag.value_name.as_ref().is_some_and(|it| it.contains(' ')) =>
        {
            Kind::List(of, Split::Repeat)
        }
        kind => kind,
    };
    if let (Role::Flag(spelling), Kind::List(_, Split::Repeat | Split::Comma)) =
        (&mut flag.role, &flag.kind)
        && spelling.long.is_some()
    {
        spelling.joiner = Joiner::Equals;
    }
}

#[cfg(test)]
mod tests;
