//! Finds each flag's type: from what is printed, and where that leaves it open,
//! from the program's own parser.
//!
//! A flag that many commands have in the same words is asked about once.

use std::collections::BTreeMap;

use crate::model::{Evidence, Kind, Scalar, Split};
use crate::probe::{Probe, Question};
use crate::sources::complete;
use crate::sources::help::{ListedFlag, Style};
use crate::sources::oracle::{self, Complaint, Heard, Refusal};

use super::flags::Flag;

/// How often a batch is asked again without the flag that spoiled it.
const MAX_PEELS: usize = 6;

/// What is known of a flag's values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Typing {
    pub kind: Kind,
    pub kind_from: Evidence,
    /// The value that the flag alone stands for; empty where it is not printed.
    pub bare: Option<String>,
    pub bare_from: Evidence,
    pub choices: Vec<String>,
    /// Nothing said what it takes.
    pub guessed: bool,
}

/// What the text leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Doubt {
    /// Its type.
    kind: bool,
    /// Whether it is really a switch: asked of a whole batch at once.
    switch: bool,
    /// Whether it needs a value, where the template does not print NoOptDefVal.
    optional: bool,
    /// Whether it needs a value, asked singly.
    needs_value: bool,
    /// Whether a list in its text is all that it takes.
    choices: bool,
}

/// The flags whose typing is the same: one name, printed in the same words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(String);

impl Key {
    pub fn of(flag: &Flag) -> Self {
        let listed = flag.listed.as_ref();
        let part = |text: Option<&str>| text.unwrap_or("\u{1}").to_owned();
        Key([
            flag.name.clone(),
            part(listed.and_then(|flag| flag.value_name.as_deref())),
            part(listed.and_then(|flag| flag.bare.as_deref())),
            part(listed.and_then(|flag| flag.default.as_deref())),
            part(flag.offered.as_ref().map(|flag| flag.text.as_str())),
            part(listed.map(|flag| flag.text.as_str())),
        ]
        .join("\0"))
    }
}

/// A flag to be typed, with where it can be asked about.
pub(super) struct Subject<'a> {
    pub flag: &'a Flag,
    pub style: Style,
    pub path: &'a [String],
    /// `--name=value` for the flags without which the command offers nothing else.
    pub satisfied: Vec<String>,
    /// It parses no flags: nothing can be asked.
    pub raw: bool,
}

struct Case<'a> {
    subject: Subject<'a>,
    typing: Typing,
    doubt: Doubt,
    heard: Heard,
}

/// How the parser can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Oracle {
    /// Not at all: only the text counts.
    Off,
    /// `__complete PATH --f="@ -`
    Completion,
    /// `PATH --f="@ --help`, where completion does not answer.
    Help,
}

/// Types every subject; the first of each key speaks for all.
pub(super) fn resolve<'a>(
    subjects: impl Iterator<Item = (Key, Subject<'a>)>,
    oracle: Oracle,
    probe: &mut dyn Probe,
) -> BTreeMap<Key, Typing> {
    let mut cases: BTreeMap<Key, Case<'a>> = BTreeMap::new();
    let mut order: Vec<Key> = Vec::new();
    for (key, subject) in subjects {
        if cases.contains_key(&key) {
            continue;
        }
        let (typing, doubt) = from_text(subject.style, subject.flag);
        order.push(key.clone());
        cases.insert(
            key,
            Case {
                subject,
                typing,
                doubt,
                heard: Heard::default(),
            },
        );
    }
    let mut inquiry = Inquiry {
        cases: order
            .iter()
            .filter_map(|key| cases.remove(key))
            .collect::<Vec<_>>(),
        probe,
    };
    match oracle {
        Oracle::Off => {}
        Oracle::Completion => inquiry.through_completion(),
        Oracle::Help => inquiry.through_help(),
    }
    order
        .into_iter()
        .zip(inquiry.cases)
        .map(|(key, case)| (key, case.settle()))
        .collect()
}

// ---- what the text says ------------------------------------------------------

fn from_text(style: Style, flag: &Flag) -> (Typing, Doubt) {
    let mut typing = Typing {
        kind: Kind::Switch,
        kind_from: Evidence::Help,
        bare: None,
        bare_from: Evidence::Help,
        choices: Vec::new(),
        guessed: false,
    };
    let mut doubt = Doubt::default();
    let Some(listed) = &flag.listed else {
        // Free text works for any type: `--f=true`, `--f=5`.
        typing.kind = Kind::One(Scalar::String);
        typing.kind_from = Evidence::Convention;
        typing.guessed = true;
        doubt.kind = true;
        doubt.needs_value = true;
        return (typing, doubt);
    };
    typing.bare.clone_from(&listed.bare);
    match style {
        Style::Kubernetes | Style::Etcd => untyped(style, listed, &mut typing, &mut doubt),
        Style::Cobra | Style::Gh | Style::Other => typed(flag, listed, &mut typing, &mut doubt),
    }
    if matches!(
        typing.kind,
        Kind::One(Scalar::String) | Kind::List(Scalar::String, _)
    ) {
        doubt.choices = hints_choices(&listed.text);
    }
    (typing, doubt)
}

/// A line of pflag's own: a type name or a placeholder, or none for a switch.
fn typed(flag: &Flag, listed: &ListedFlag, typing: &mut Typing, doubt: &mut Doubt) {
    let usage = flag.offered.as_ref().map(|flag| flag.text.as_str());
    let placeholder = usage.and_then(back_quoted);
    let default_is_bool = matches!(
        listed.default.as_deref(),
        None | Some("true" | "false" | "")
    );
    match listed.value_name.as_deref() {
        // Empty back-quotes hide the type name, and a type may have no name.
        None if placeholder == Some("") || !default_is_bool || listed.default_quoted => {
            typing.kind = by_default(listed).unwrap_or(Kind::One(Scalar::String));
            typing.kind_from = Evidence::Convention;
            doubt.kind = true;
            doubt.needs_value = true;
        }
        None => {
            typing.kind = Kind::Switch;
            doubt.switch = true;
        }
        Some(word) if placeholder == Some(word) => {
            typing.kind = by_default(listed).unwrap_or(Kind::One(Scalar::String));
            typing.kind_from = Evidence::Convention;
            doubt.kind = true;
        }
        Some(word) => {
            if let Some(kind) = builtin(word) {
                typing.kind = kind;
            } else if let Some(kind) = container(word) {
                typing.kind = kind;
                typing.kind_from = Evidence::Convention;
            } else {
                typing.kind =
                    by_default(listed).unwrap_or(Kind::One(Scalar::Other(word.to_owned())));
                typing.kind_from = Evidence::Convention;
                doubt.kind = true;
            }
        }
    }
}

/// A template without type names, where the default is the only evidence. Quotes
/// around it mean that the type's name is `string`.
fn untyped(style: Style, listed: &ListedFlag, typing: &mut Typing, doubt: &mut Doubt) {
    if listed.default_quoted {
        typing.kind = Kind::One(Scalar::String);
        doubt.optional = style == Style::Kubernetes;
        return;
    }
    typing.kind_from = Evidence::Convention;
    match by_default(listed) {
        Some(Kind::One(Scalar::Bool)) => {
            typing.kind = Kind::Switch;
            typing.bare = None;
            doubt.switch = true;
        }
        Some(kind @ Kind::One(Scalar::Duration)) => typing.kind = kind,
        Some(kind) => {
            typing.kind = kind;
            doubt.kind = true;
            doubt.needs_value = true;
        }
        None => {
            typing.kind = Kind::One(Scalar::String);
            doubt.kind = true;
            doubt.needs_value = true;
        }
    }
}

/// What an unquoted default looks like: pflag quotes those of strings.
fn by_default(listed: &ListedFlag) -> Option<Kind> {
    let default = listed.default.as_deref()?;
    if listed.default_quoted {
        return Some(Kind::One(Scalar::String));
    }
    Some(match default {
        "true" | "false" => Kind::One(Scalar::Bool),
        list if list.starts_with('[') && list.ends_with(']') => {
            Kind::List(Scalar::String, Split::Csv)
        }
        number if number.parse::<i64>().is_ok() => Kind::One(Scalar::Int(64)),
        number if number.contains('.') && number.parse::<f64>().is_ok() => {
            Kind::One(Scalar::Float(64))
        }
        duration if is_duration(duration) => Kind::One(Scalar::Duration),
        _ => return None,
    })
}

/// `5m0s`, as Go prints durations.
fn is_duration(text: &str) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        let number = rest.trim_start_matches(|char: char| char.is_ascii_digit() || char == '.');
        if number.len() == rest.len() {
            return false;
        }
        let Some(after) = ["ns", "us", "µs", "ms", "s", "m", "h"]
            .iter()
            .filter_map(|unit| number.strip_prefix(unit))
            .find(|after| {
                after.is_empty() || after.starts_with(|char: char| char.is_ascii_digit())
            })
        else {
            return false;
        };
        rest = after;
    }
    !text.is_empty()
}

/// The first back-quoted word of a usage text, which pflag prints in place of the
/// type name.
fn back_quoted(usage: &str) -> Option<&str> {
    let (_, rest) = usage.split_once('`')?;
    rest.split_once('`').map(|(word, _)| word)
}

/// pflag's own type names, as its help prints them.
pub(super) fn builtin(word: &str) -> Option<Kind> {
    use Scalar::{Base64, Bool, Duration, Float, Hex, Int, Ip, IpMask, IpNet, String, Time, Uint};
    let list = |of| Kind::List(of, Split::Comma);
    Some(match word {
        "string" => Kind::One(String),
        "strings" | "stringSlice" => Kind::List(String, Split::Csv),
        "stringArray" => Kind::List(String, Split::Repeat),
        "int" | "int64" => Kind::One(Int(64)),
        "int8" => Kind::One(Int(8)),
        "int16" => Kind::One(Int(16)),
        "int32" => Kind::One(Int(32)),
        "uint" | "uint64" => Kind::One(Uint(64)),
        "uint8" => Kind::One(Uint(8)),
        "uint16" => Kind::One(Uint(16)),
        "uint32" => Kind::One(Uint(32)),
        "float" | "float64" => Kind::One(Float(64)),
        "float32" => Kind::One(Float(32)),
        "ints" | "intSlice" | "int64Slice" => list(Int(64)),
        "int32Slice" => list(Int(32)),
        "uints" | "uintSlice" => list(Uint(64)),
        "float32Slice" => list(Float(32)),
        "float64Slice" => list(Float(64)),
        "bools" | "boolSlice" => list(Bool),
        "duration" => Kind::One(Duration),
        "durationSlice" => list(Duration),
        "count" => Kind::Count,
        "stringToString" => Kind::Map(String),
        "stringToInt" | "stringToInt64" => Kind::Map(Int(64)),
        "ip" => Kind::One(Ip),
        "ipSlice" => list(Ip),
        "ipMask" => Kind::One(IpMask),
        "ipNet" => Kind::One(IpNet),
        "ipNetSlice" => list(IpNet),
        "bytesHex" => Kind::One(Hex),
        "bytesBase64" => Kind::One(Base64),
        "time" => Kind::One(Time),
        _ => return None,
    })
}

/// Type names that docker's family gives to what may be given several times, one
/// value each.
fn container(word: &str) -> Option<Kind> {
    match word {
        "list" | "map" => Some(Kind::List(Scalar::String, Split::Repeat)),
        "filter" => Some(Kind::List(Scalar::Other(word.to_owned()), Split::Repeat)),
        _ => None,
    }
}

/// Whether `text` seems to list the values of a flag. Only a reason to ask.
fn hints_choices(text: &str) -> bool {
    let lower = text.to_lowercase();
    braced(text).is_some()
        || [
            "one of",
            "valid values",
            "valid options",
            "allowed values",
            "supported values",
            "possible values",
            "must be",
        ]
        .iter()
        .any(|mark| lower.contains(mark))
        || text.split_whitespace().any(|word| {
            let word = word.trim_matches(['(', ')', '[', ']', '.', ',', '"', '\'']);
            word.split('|').count() > 1 && word.split('|').all(|part| !part.is_empty())
        })
}

/// gh's convention: the values in braces at the end of the text.
fn braced(text: &str) -> Option<Vec<String>> {
    let (_, rest) = text.rsplit_once('{')?;
    let (body, _) = rest.split_once('}')?;
    alternatives(body)
}

/// `a|b|c`
fn alternatives(text: &str) -> Option<Vec<String>> {
    let parts: Vec<String> = text.split('|').map(|part| part.trim().to_owned()).collect();
    let plausible = parts.len() > 1
        && parts.iter().all(|part| {
            !part.is_empty() && !part.contains(['<', '>', '[', ']', '{', '}', '.', ':', '='])
        });
    plausible.then_some(parts)
}

// ---- what the parser says ----------------------------------------------------

struct Inquiry<'a, 'p> {
    cases: Vec<Case<'a>>,
    probe: &'p mut dyn Probe,
}

/// One question about one case.
#[derive(Clone, Copy)]
enum Single {
    /// `--f="@`
    Bad,
    /// `--f`
    NeedsValue,
    /// `--f=1`
    Again,
    /// `--f=k=x`
    MapValue,
}

impl Inquiry<'_, '_> {
    /// Types first, then whether values are needed, then what batches left in doubt.
    fn through_completion(&mut self) {
        let singles = self
            .askable()
            .filter(|(_, case)| case.doubt.kind || case.doubt.choices)
            .map(|(index, _)| (index, Single::Bad))
            .collect();
        let switches = self.batches(|case| case.doubt.switch);
        let optionals = self.batches(|case| case.doubt.optional);
        let mut singles = self.ask_together(singles, switches, optionals);

        // Now that types are known, what is still open is asked in the cheapest way.
        let refused_as_bool =
            |case: &Case| case.heard.refusal == Some(Refusal::Scalar(Scalar::Bool));
        for (index, case) in self.askable().filter(|(_, case)| case.doubt.kind) {
            match &case.heard.refusal {
                Some(Refusal::Map) => singles.push((index, Single::MapValue)),
                Some(Refusal::Scalar(Scalar::Bool)) if !case.doubt.needs_value => {
                    singles.push((index, Single::NeedsValue));
                }
                Some(Refusal::Scalar(Scalar::Bool) | Refusal::List(..)) | None => {}
                Some(Refusal::Scalar(_) | Refusal::Custom) => {
                    singles.push((index, Single::Again));
                    if case.doubt.needs_value {
                        singles.push((index, Single::NeedsValue));
                    }
                }
            }
        }
        let switches = self.batches(|case| case.doubt.needs_value && refused_as_bool(case));
        let optionals = self.batches(|case| {
            case.doubt.needs_value
                && (case.heard.accepted == Some(true)
                    || matches!(case.heard.refusal, Some(Refusal::List(..))))
        });
        let singles = self.ask_together(singles, switches, optionals);
        self.ask_singles(&singles);
    }

    /// The cases whose commands parse flags.
    fn askable(&self) -> impl Iterator<Item = (usize, &Case<'_>)> {
        self.cases
            .iter()
            .enumerate()
            .filter(|(_, case)| !case.subject.raw)
    }

    /// Where completion cannot be asked the parser answers `--f="@ --help` too, as to
    /// type alone: a bad value is refused before help is thought of, and nothing runs.
    fn through_help(&mut self) {
        let open: Vec<usize> = self
            .askable()
            .filter(|(_, case)| case.doubt.kind || case.doubt.choices || case.doubt.switch)
            .map(|(index, _)| index)
            .collect();
        let questions: Vec<Question> = open
            .iter()
            .map(|&index| {
                let subject = &self.cases[index].subject;
                Question::new(subject.path.iter().cloned().chain([
                    format!("--{}={}", subject.flag.name, oracle::BAD),
                    "--help".to_owned(),
                ]))
            })
            .collect();
        let answers = self.probe.ask(&questions);
        for (index, answer) in open.into_iter().zip(answers) {
            if let Ok(answer) = answer {
                let complaint =
                    oracle::complaint(&answer.stderr).or_else(|| oracle::complaint(&answer.stdout));
                if complaint.is_some() || answer.code == Some(0) {
                    let case = &mut self.cases[index];
                    case.heard.tried_bad(complaint.as_ref(), None);
                    // A switch would have wanted a boolean.
                    let wants_bool = Some(Refusal::Scalar(Scalar::Bool));
                    case.doubt.kind |= case.doubt.switch && case.heard.refusal != wants_bool;
                }
            }
        }
    }

    /// The cases of one kind, by the command that they are asked at.
    fn batches(&self, belongs: impl Fn(&Case) -> bool) -> Vec<Vec<usize>> {
        let mut by_path: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
        for (index, case) in self.cases.iter().enumerate() {
            if belongs(case) && !case.subject.raw && case.subject.flag.offered.is_some() {
                by_path.entry(case.subject.path).or_default().push(index);
            }
        }
        by_path.into_values().collect()
    }

    /// Singles and batches go out together; batches that an unexpected flag spoils
    /// are asked again without it. Returns the singles that the batches call for.
    fn ask_together(
        &mut self,
        singles: Vec<(usize, Single)>,
        switches: Vec<Vec<usize>>,
        optionals: Vec<Vec<usize>>,
    ) -> Vec<(usize, Single)> {
        let mut more = Vec::new();
        let mut singles = Some(singles);
        let mut batches: Vec<(bool, Vec<usize>)> = switches
            .into_iter()
            .map(|batch| (true, batch))
            .chain(optionals.into_iter().map(|batch| (false, batch)))
            .collect();
        for _ in 0..=MAX_PEELS {
            let asked = singles.take().unwrap_or_default();
            if asked.is_empty() && batches.is_empty() {
                break;
            }
            let mut questions: Vec<Question> = asked
                .iter()
                .map(|&(index, single)| self.single(index, single))
                .collect();
            questions.extend(batches.iter().map(|(switches, batch)| {
                if *switches {
                    self.switch_batch(batch)
                } else {
                    self.optional_batch(batch)
                }
            }));
            let mut answers = self.probe.ask(&questions).into_iter();
            for &(index, single) in &asked {
                if let Some(Ok(answer)) = answers.next() {
                    self.hear(index, single, &answer.stdout, &answer.stderr);
                }
            }
            let mut again = Vec::new();
            for ((switches, batch), answer) in batches.into_iter().zip(answers) {
                let Ok(answer) = answer else { continue };
                let left = if switches {
                    self.hear_switches(batch, &answer.stdout, &answer.stderr, &mut more)
                } else {
                    self.hear_optionals(batch, &answer.stderr)
                };
                if !left.is_empty() {
                    again.push((switches, left));
                }
            }
            batches = again;
        }
        // A batch that never came out clean is asked flag by flag.
        for (_, batch) in batches {
            more.extend(batch.into_iter().map(|index| (index, Single::NeedsValue)));
        }
        more
    }

    fn ask_singles(&mut self, singles: &[(usize, Single)]) {
        let questions: Vec<Question> = singles
            .iter()
            .map(|&(index, single)| self.single(index, single))
            .collect();
        let answers = self.probe.ask(&questions);
        for (&(index, single), answer) in singles.iter().zip(answers) {
            if let Ok(answer) = answer {
                self.hear(index, single, &answer.stdout, &answer.stderr);
            }
        }
        // A switch that takes a value after all: now its type is open.
        let late: Vec<(usize, Single)> = singles
            .iter()
            .filter(|&&(index, single)| {
                let case = &self.cases[index];
                matches!(single, Single::NeedsValue)
                    && case.heard.needs_value == Some(true)
                    && !case.heard.knows_type()
            })
            .map(|&(index, _)| (index, Single::Bad))
            .collect();
        if !late.is_empty() {
            for &(index, _) in &late {
                self.cases[index].doubt.kind = true;
            }
            self.ask_singles(&late);
        }
    }

    fn at(&self, index: usize, words: impl IntoIterator<Item = String>) -> Question {
        let subject = &self.cases[index].subject;
        let own = format!("--{}=", subject.flag.name);
        Question::new(
            std::iter::once("__complete".to_owned())
                .chain(subject.path.iter().cloned())
                .chain(
                    subject
                        .satisfied
                        .iter()
                        .filter(|word| !word.starts_with(&own))
                        .cloned(),
                )
                .chain(words)
                .chain(std::iter::once("-".to_owned())),
        )
    }

    fn single(&self, index: usize, single: Single) -> Question {
        let name = &self.cases[index].subject.flag.name;
        let word = match single {
            Single::Bad => format!("--{name}={}", oracle::BAD),
            Single::NeedsValue => format!("--{name}"),
            Single::Again => format!("--{name}={}", self.sample(index)),
            Single::MapValue => format!("--{name}=k=x"),
        };
        self.at(index, [word])
    }

    /// A value that the flag will probably take.
    fn sample(&self, index: usize) -> String {
        let heard = &self.cases[index].heard;
        match (heard.choices.first(), &heard.refusal) {
            (Some(choice), _) => choice.clone(),
            (None, Some(Refusal::Scalar(scalar))) => sample(scalar).to_owned(),
            (None, _) => "1".to_owned(),
        }
    }

    /// `--b1 --b2 … -` sets every switch; one that takes a value swallows the next.
    fn switch_batch(&self, batch: &[usize]) -> Question {
        let names = batch
            .iter()
            .map(|&index| format!("--{}", self.cases[index].subject.flag.name));
        self.at(batch[0], names)
    }

    /// `--s1 --FODDER0 --s2 --FODDER1 … -`: a flag that needs a value swallows the
    /// word after it; the word after one that does not is an unknown flag.
    fn optional_batch(&self, batch: &[usize]) -> Question {
        let words = batch.iter().enumerate().flat_map(|(place, &index)| {
            [
                format!("--{}", self.cases[index].subject.flag.name),
                format!("--{FODDER}{place}"),
            ]
        });
        self.at(batch[0], words)
    }

    fn hear(&mut self, index: usize, single: Single, stdout: &str, stderr: &str) {
        let complaint = oracle::complaint(stderr);
        let offered = complete::parse(stdout).map(|completion| completion.flags());
        let case = &mut self.cases[index];
        let name = &case.subject.flag.name;
        let still = offered
            .as_ref()
            .map(|flags| flags.iter().any(|flag| flag.long == *name));
        let about_it = match &complaint {
            Some(Complaint::Refused { flag, .. } | Complaint::NeedsArgument { flag }) => {
                flag == name
            }
            Some(Complaint::UnknownFlag { .. } | Complaint::Other(_)) => false,
            None => offered.is_some(),
        };
        if !about_it {
            return;
        }
        match (single, &complaint) {
            (Single::Bad, complaint) => {
                let keep = std::mem::take(&mut case.heard.needs_value);
                case.heard.tried_bad(complaint.as_ref(), still);
                case.heard.needs_value = keep;
            }
            (Single::NeedsValue, Some(Complaint::NeedsArgument { .. })) => {
                case.heard.needs_value = Some(true);
            }
            (Single::NeedsValue, None) => case.heard.needs_value = Some(false),
            (Single::Again, None) => case.heard.repeatable = still,
            (Single::MapValue, Some(Complaint::Refused { reason, .. })) => {
                case.heard.map_of = match oracle::refusal(reason) {
                    Refusal::Scalar(of) | Refusal::List(of, _) => Some(of),
                    Refusal::Map | Refusal::Custom => None,
                };
            }
            _ => {}
        }
    }

    /// Takes what a batch of switches showed. Returns what must be asked again.
    fn hear_switches(
        &mut self,
        batch: Vec<usize>,
        stdout: &str,
        stderr: &str,
        more: &mut Vec<(usize, Single)>,
    ) -> Vec<usize> {
        let name = |inquiry: &Self, index: usize| inquiry.cases[index].subject.flag.name.clone();
        match oracle::complaint(stderr) {
            Some(Complaint::Refused { flag, .. } | Complaint::NeedsArgument { flag }) => {
                let Some(at) = batch.iter().position(|&index| name(self, index) == flag) else {
                    return Vec::new();
                };
                more.push((batch[at], Single::NeedsValue));
                let mut left = batch;
                left.remove(at);
                left
            }
            // One of them cannot be set with others: ask each by itself.
            Some(Complaint::UnknownFlag { .. } | Complaint::Other(_)) => {
                more.extend(batch.iter().map(|&index| (index, Single::NeedsValue)));
                Vec::new()
            }
            None => {
                let Some(completion) = complete::parse(stdout) else {
                    return Vec::new();
                };
                let offered = completion.flags();
                for (place, &index) in batch.iter().enumerate() {
                    let own = name(self, index);
                    if !offered.iter().any(|flag| flag.long == own) {
                        continue;
                    }
                    // Not set: the one before it took it for its value. Or it is offered
                    // however often it is given.
                    more.push((index, Single::NeedsValue));
                    if place > 0 {
                        more.push((batch[place - 1], Single::NeedsValue));
                    }
                }
                for index in batch {
                    if !more.iter().any(|&(other, _)| other == index) {
                        self.cases[index].heard.needs_value = Some(false);
                    }
                }
                Vec::new()
            }
        }
    }

    fn hear_optionals(&mut self, batch: Vec<usize>, stderr: &str) -> Vec<usize> {
        let (at, optional) = match oracle::complaint(stderr) {
            None => {
                for index in batch {
                    self.cases[index].heard.needs_value = Some(true);
                }
                return Vec::new();
            }
            Some(Complaint::UnknownFlag { flag }) => {
                match flag
                    .strip_prefix(FODDER)
                    .and_then(|place| place.parse::<usize>().ok())
                {
                    Some(place) if place < batch.len() => (place, true),
                    _ => return Vec::new(),
                }
            }
            Some(Complaint::Refused { flag, .. }) => {
                match batch
                    .iter()
                    .position(|&index| self.cases[index].subject.flag.name == flag)
                {
                    Some(place) => (place, false),
                    None => return Vec::new(),
                }
            }
            Some(Complaint::NeedsArgument { .. } | Complaint::Other(_)) => return Vec::new(),
        };
        // Everything before it went as expected.
        for &index in &batch[..at] {
            self.cases[index].heard.needs_value = Some(true);
        }
        self.cases[batch[at]].heard.needs_value = Some(!optional);
        batch[at + 1..].to_vec()
    }
}

/// A flag that no program has.
const FODDER: &str = "argway-no-such-flag-";

/// A value of the type `scalar`.
pub(super) fn sample(scalar: &Scalar) -> &'static str {
    match scalar {
        Scalar::String | Scalar::Int(_) | Scalar::Uint(_) | Scalar::Float(_) | Scalar::Bool => "1",
        Scalar::Duration => "1s",
        Scalar::Time => "2006-01-02T15:04:05Z",
        Scalar::Ip => "127.0.0.1",
        Scalar::IpNet => "127.0.0.0/8",
        Scalar::IpMask => "255.0.0.0",
        Scalar::Hex => "01",
        Scalar::Base64 => "AQ==",
        Scalar::Other(_) => "1",
    }
}

impl Case<'_> {
    /// Text and answers together.
    fn settle(self) -> Typing {
        let Case {
            subject,
            mut typing,
            doubt,
            heard,
        } = self;
        let listed = subject.flag.listed.as_ref();
        let word = listed.and_then(|flag| flag.value_name.as_deref());
        let usage = subject.flag.offered.as_ref().map(|flag| flag.text.as_str());
        // A placeholder is no type name.
        let custom = word.filter(|&word| usage.and_then(back_quoted) != Some(word));
        if doubt.kind
            && let Some(kind) = heard.kind(custom)
        {
            typing.kind = match kind {
                Kind::One(scalar) if says_repeatable(&scalar, custom, listed) => {
                    Kind::List(scalar, Split::Repeat)
                }
                other => other,
            };
            typing.kind_from = Evidence::Oracle;
            typing.guessed = false;
        }
        match heard.needs_value {
            Some(false) if typing.kind.takes_value() => {
                if typing.bare.is_none() {
                    typing.bare = Some(String::new());
                    typing.bare_from = Evidence::Oracle;
                }
                typing.guessed = false;
            }
            Some(true) if !typing.kind.takes_value() => {
                typing.kind = Kind::One(Scalar::String);
                typing.kind_from = Evidence::Oracle;
            }
            Some(false) if doubt.switch => typing.kind_from = Evidence::Oracle,
            _ => {}
        }
        if matches!(typing.kind, Kind::Switch | Kind::Count) {
            typing.bare = None;
        }
        if heard.accepted == Some(false) && typing.kind.takes_value() {
            typing.choices = if !heard.choices.is_empty() {
                heard.choices
            } else if heard.refusal == Some(Refusal::Custom) {
                word.and_then(|word| alternatives(word.trim_matches(['{', '}', '(', ')'])))
                    .or_else(|| listed.and_then(|flag| braced(&flag.text)))
                    .unwrap_or_default()
            } else {
                Vec::new()
            };
        }
        typing
    }
}

/// Whether the text says that a value of the program's own type can be given again,
/// which completion knows of pflag's own lists only.
fn says_repeatable(scalar: &Scalar, custom: Option<&str>, listed: Option<&ListedFlag>) -> bool {
    let Some(listed) = listed else { return false };
    let text = listed.text.to_lowercase();
    matches!(scalar, Scalar::Other(_))
        && custom.is_some()
        && [
            "multiple times",
            "be repeated",
            "more than once",
            "repeatable",
        ]
        .iter()
        .any(|mark| text.contains(mark))
}
