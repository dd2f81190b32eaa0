//! Counts where a reading and the truth agree.

use std::collections::{BTreeMap, BTreeSet};

use argway_core::model::{CommandSpec, Kind, Param, Reading, Scalar, Split};
use argway_core::sources::oracle::{self, Refusal};

use super::truth::{Truth, Verdict};

/// Right answers out of all, for each measure.
#[derive(Default)]
pub(super) struct Score {
    pub commands_found: usize,
    pub commands_true: usize,
    pub commands_extra: usize,
    pub flags_common: usize,
    pub flags_true: usize,
    pub flags_read: usize,
    pub value: (usize, usize),
    pub kind: (usize, usize),
    pub losses: usize,
    pub differences: Vec<String>,
    pub effects: Vec<String>,
}

impl Score {
    pub(super) fn add(&mut self, other: &Score) {
        self.commands_found += other.commands_found;
        self.commands_true += other.commands_true;
        self.commands_extra += other.commands_extra;
        self.flags_common += other.flags_common;
        self.flags_true += other.flags_true;
        self.flags_read += other.flags_read;
        self.value.0 += other.value.0;
        self.value.1 += other.value.1;
        self.kind.0 += other.kind.0;
        self.kind.1 += other.kind.1;
        self.losses += other.losses;
    }

    pub(super) fn passes(&self) -> bool {
        self.commands_found == self.commands_true
            && self.commands_extra == 0
            && percent(self.flags_common, self.flags_true) >= 99.5
            && percent(self.flags_common, self.flags_read) >= 99.5
            && self.value.0 == self.value.1
            && percent(self.kind.0, self.kind.1) >= 98.0
    }
}

pub(super) fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 100.0;
    }
    #[allow(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    let ratio = part as f64 / whole as f64;
    ratio * 100.0
}

impl Truth {
    pub(super) fn score(&self, reading: &Reading) -> Score {
        let mut score = Score {
            commands_true: self.commands.len(),
            losses: reading.losses.len(),
            ..Score::default()
        };
        let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
        let read: BTreeMap<&[String], &CommandSpec> = reading
            .program
            .commands
            .iter()
            .map(|command| (command.path.as_slice(), command))
            .collect();
        for path in &self.commands {
            match read.get(path.as_slice()) {
                None => score
                    .differences
                    .push(format!("missing command: {}", path.join(" "))),
                Some(command) => {
                    score.commands_found += 1;
                    self.score_flags(command, &mut score, &mut seen);
                }
            }
        }
        for path in read.keys() {
            if !self.commands.contains(*path) {
                score.commands_extra += 1;
                score
                    .differences
                    .push(format!("no such command: {}", path.join(" ")));
            }
        }
        score.effects = reading
            .program
            .commands
            .iter()
            .filter(|command| command.runnable)
            .map(|command| {
                let path = command.path.join(" ");
                format!(
                    "{:?}: {} {path}: {}",
                    command.effect, reading.program.name, command.summary
                )
            })
            .collect();
        for loss in &reading.losses {
            score
                .differences
                .push(format!("loss: {}: {}", loss.path.join(" "), loss.what));
        }
        score
    }

    /// Whether the answers show all flags of a command: one that has required flags
    /// shows only those, and not every transcript found values for them.
    fn is_complete(&self, offered: &BTreeMap<String, String>) -> bool {
        let shown_anywhere = self.flags.values().any(|flags| flags.contains_key("help"));
        !shown_anywhere || offered.contains_key("help")
    }

    fn score_flags(
        &self,
        command: &CommandSpec,
        score: &mut Score,
        seen: &mut BTreeSet<(String, String)>,
    ) {
        let Some(offered) = self.flags.get(&command.path) else {
            return;
        };
        let own_version = |name: &str| {
            name == "version"
                && (command.path.is_empty()
                    || self.flags.get(&Vec::new()).and_then(|root| root.get(name))
                        == offered.get(name)
                    || offered
                        .get(name)
                        .is_some_and(|text| text.starts_with("version for ")))
        };
        let label = |name: &str| format!("{} --{name}", command.path.join(" "));
        for (name, text) in offered {
            if name == "help" || own_version(name) {
                continue;
            }
            score.flags_true += 1;
            let Some(param) = command.flags().find(|param| param.name == *name) else {
                score
                    .differences
                    .push(format!("missing flag: {}", label(name)));
                continue;
            };
            score.flags_common += 1;
            let key = (name.clone(), text.clone());
            let Some(verdict) = self.values.get(&key) else {
                continue;
            };
            if !seen.insert(key) {
                continue;
            }
            let needs_value =
                param.kind.takes_value() && param.spelling().is_some_and(|s| s.bare.is_none());
            score.value.1 += 1;
            if needs_value == verdict.needs_value {
                score.value.0 += 1;
            } else {
                score.differences.push(format!(
                    "value: {} is read as {}; needs an argument: {}",
                    label(name),
                    param.kind,
                    verdict.needs_value
                ));
            }
            score.kind.1 += 1;
            if agrees(param, verdict) {
                score.kind.0 += 1;
            } else {
                score.differences.push(format!(
                    "type: {} is read as {}; the parser at `{}` says {:?}, repeatable {:?}",
                    label(name),
                    param.kind,
                    verdict.path.join(" "),
                    verdict.refused,
                    verdict.repeatable
                ));
            }
        }
        for param in command.flags() {
            let known = offered.contains_key(&param.name);
            if !known && (param.deprecated.is_some() || !self.is_complete(offered)) {
                continue;
            }
            score.flags_read += 1;
            if !known {
                score
                    .differences
                    .push(format!("no such flag: {}", label(&param.name)));
            }
        }
    }
}

/// Whether a kind is of the class that the parser showed.
fn agrees(param: &Param, verdict: &Verdict) -> bool {
    let several = verdict.repeatable == Some(true);
    let is_text = |scalar: &Scalar| matches!(scalar, Scalar::String | Scalar::Other(_));
    let Some(reason) = &verdict.refused else {
        return match &param.kind {
            Kind::List(of, Split::Repeat) => is_text(of) && (several || param.value_name.is_some()),
            Kind::One(of) => is_text(of) && !several,
            // A boolfunc takes anything and needs nothing.
            Kind::Switch => !verdict.needs_value,
            Kind::List(..) | Kind::Map(_) | Kind::Count | Kind::Line => false,
        };
    };
    let same =
        |one: &Scalar, other: &Scalar| std::mem::discriminant(one) == std::mem::discriminant(other);
    match oracle::refusal(reason) {
        Refusal::Map => matches!(param.kind, Kind::Map(_)),
        Refusal::List(of, _) => match &param.kind {
            Kind::List(read, _) => same(read, &of),
            // Not pflag's list of numbers: a number of the program's own.
            Kind::One(Scalar::Int(_) | Scalar::Uint(_)) => verdict.repeatable == Some(false),
            _ => false,
        },
        Refusal::GoFlag => match &param.kind {
            Kind::Switch => !verdict.needs_value,
            Kind::One(of) => verdict.needs_value && !matches!(of, Scalar::Bool),
            Kind::List(..) | Kind::Map(_) | Kind::Count | Kind::Line => false,
        },
        Refusal::Custom => match &param.kind {
            Kind::One(of) => is_text(of) && !several,
            Kind::List(of, _) => is_text(of),
            Kind::Map(_) => true,
            Kind::Switch | Kind::Count | Kind::Line => false,
        },
        Refusal::Scalar(of) => match (&param.kind, &of) {
            (Kind::Switch, Scalar::Bool) | (Kind::Count, Scalar::Int(_)) => !verdict.needs_value,
            (Kind::One(read), of) => same(read, of) && !several,
            (Kind::List(read, _), of) => same(read, of),
            _ => false,
        },
    }
}
