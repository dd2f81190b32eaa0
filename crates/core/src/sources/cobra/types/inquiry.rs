//! Puts flags to the program's parser, with as few questions as will do.

use std::collections::BTreeMap;

use crate::model::Scalar;
use crate::probe::{Probe, Question};
use crate::sources::complete;
use crate::sources::oracle::{self, Complaint, Refusal};

use super::{Case, sample};

/// How often a batch is asked again without the flag that spoiled it.
const MAX_PEELS: usize = 6;

/// The cases of a program and the one who can be asked about them.
pub(super) struct Inquiry<'a, 'p> {
    pub cases: Vec<Case<'a>>,
    pub probe: &'p mut dyn Probe,
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
    pub(super) fn through_completion(&mut self) {
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
                Some(refusal @ (Refusal::Scalar(_) | Refusal::Custom | Refusal::GoFlag)) => {
                    singles.push((index, Single::Again));
                    // A count with a placeholder looks like a number, and Go's own
                    // switches are refused as its numbers are.
                    let either = [Refusal::Scalar(Scalar::Int(64)), Refusal::GoFlag];
                    if case.doubt.needs_value || either.contains(refusal) {
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
    pub(super) fn through_help(&mut self) {
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
                    Refusal::Map | Refusal::Custom | Refusal::GoFlag => None,
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
