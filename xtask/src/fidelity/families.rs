//! How much of a program of any other family is read right, against what its own parser
//! knows: a *witness* that loads the real parser, or a completion that the program itself
//! prints. A witness is no reader of help pages, and knows nothing of argway.
//!
//! - **commands**: every command that the witness names and does not hide, against every
//!   command read, but for `help`. An alias of a command, and one that is hidden, is neither missing nor extra.
//! - **options**: of every command that both have, each option that the witness does not
//!   hide is found if one of its spellings was read; each option read is true if the witness
//!   has one of its spellings, hidden or not. `--help` is not counted.
//! - **value**: of every option that both have, whether it takes a value. One that may be
//!   given without is counted as taking one.
//! - **choices**: of every option for which the witness has a closed list, whether the same
//!   list was read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use argway_core::model::{CommandSpec, Param, Reading};
use serde::Deserialize;

use super::score::percent;

/// What a witness says of a program.
#[derive(Debug, Deserialize)]
pub(super) struct Witness {
    pub commands: Vec<Command>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Command {
    pub path: Vec<String>,
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub hidden: bool,
    #[serde(default)]
    pub flags: Vec<Flag>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Flag {
    /// Every spelling, with dashes.
    pub names: Vec<String>,
    #[serde(default)]
    pub takes_value: bool,
    #[serde(default)]
    pub optional_value: bool,
    #[serde(default)]
    pub choices: Vec<String>,
    #[serde(default)]
    pub repeatable: bool,
    #[serde(default)]
    pub hidden: bool,
}

/// Right answers out of all, for each measure.
#[derive(Debug, Default)]
pub(super) struct Score {
    pub programs: usize,
    pub commands: (usize, usize),
    pub commands_extra: usize,
    /// Options found, and all that there are.
    pub recall: (usize, usize),
    /// Options that are true, and all that were read.
    pub precision: (usize, usize),
    pub value: (usize, usize),
    pub choices: (usize, usize),
    pub repeatable: (usize, usize),
    pub differences: Vec<String>,
}

/// What a family must reach, in percent.
const RECALL: f64 = 97.0;
const PRECISION: f64 = 98.0;
const VALUE: f64 = 99.0;
const COMMANDS: f64 = 99.0;

impl Score {
    pub(super) fn passes(&self) -> bool {
        let at_least = |(part, whole): (usize, usize), least| percent(part, whole) >= least;
        at_least(self.commands, COMMANDS)
            && at_least(self.recall, RECALL)
            && at_least(self.precision, PRECISION)
            && at_least(self.value, VALUE)
    }

    pub(super) fn add(&mut self, other: &Score) {
        let sum = |one: &mut (usize, usize), two: (usize, usize)| {
            one.0 += two.0;
            one.1 += two.1;
        };
        self.programs += other.programs;
        self.commands_extra += other.commands_extra;
        sum(&mut self.commands, other.commands);
        sum(&mut self.recall, other.recall);
        sum(&mut self.precision, other.precision);
        sum(&mut self.value, other.value);
        sum(&mut self.choices, other.choices);
        sum(&mut self.repeatable, other.repeatable);
    }
}

impl Witness {
    /// Compares `reading` with what the witness knows.
    pub(super) fn score(&self, reading: &Reading) -> Score {
        let mut score = Score {
            programs: 1,
            ..Score::default()
        };
        let read: BTreeMap<&[String], &CommandSpec> = reading
            .program
            .commands
            .iter()
            .map(|command| (command.path.as_slice(), command))
            .collect();
        let mut known: BTreeSet<Vec<String>> = BTreeSet::new();
        let is_help = |command: &&Command| command.path.iter().any(|word| word == "help");
        for command in self.commands.iter().filter(|it| !is_help(it)) {
            known.insert(command.path.clone());
            if let Some((_, parent)) = command.path.split_last() {
                let alias = |alias: &String| [parent, std::slice::from_ref(alias)].concat();
                known.extend(command.aliases.iter().map(alias));
            }
            let found = read.get(command.path.as_slice());
            if !command.hidden {
                score.commands.1 += 1;
                score.commands.0 += usize::from(found.is_some());
                if found.is_none() {
                    score.differ(&command.path, "the command was not read");
                }
            }
            if let Some(found) = found {
                command.score(found, &mut score);
            }
        }
        for path in read.keys().filter(|path| !self.is_known(&known, path)) {
            score.commands_extra += 1;
            score.differ(path, "there is no such command");
        }
        score
    }

    /// Whether a command is one, below an alias too.
    fn is_known(&self, known: &BTreeSet<Vec<String>>, path: &[String]) -> bool {
        known.contains(path) || (1..path.len()).any(|end| self.is_alias(&path[..end]))
    }

    fn is_alias(&self, path: &[String]) -> bool {
        let Some((last, parent)) = path.split_last() else {
            return false;
        };
        self.commands.iter().any(|command| {
            command.path.len() == path.len()
                && command.path.starts_with(parent)
                && command.aliases.contains(last)
        })
    }
}

impl Command {
    fn score(&self, read: &CommandSpec, score: &mut Score) {
        let all: Vec<&Param> = read.flags().collect();
        for flag in &self.flags {
            if flag.names.iter().any(|name| is_help(name)) {
                continue;
            }
            let found = all
                .iter()
                .find(|param| forms(param).any(|form| flag.names.iter().any(|name| name == form)));
            if !flag.hidden {
                score.recall.1 += 1;
                score.recall.0 += usize::from(found.is_some());
                if found.is_none() {
                    let missing = format!("{} was not read", flag.names.join(", "));
                    score.differ(&self.path, &missing);
                }
            }
            if let Some(param) = found {
                flag.compare(param, &self.path, score);
            }
        }
        for param in read.own_flags() {
            let is_true = forms(param).any(|form| {
                is_help(form)
                    || self
                        .flags
                        .iter()
                        .any(|flag| flag.names.iter().any(|name| name == form))
            });
            score.precision.1 += 1;
            score.precision.0 += usize::from(is_true);
            if !is_true {
                let invented = format!(
                    "there is no {}",
                    forms(param).collect::<Vec<_>>().join(", ")
                );
                score.differ(&self.path, &invented);
            }
        }
    }
}

impl Flag {
    fn compare(&self, param: &Param, path: &[String], score: &mut Score) {
        let takes = self.takes_value || self.optional_value;
        let name = self.names.join(", ");
        score.value.1 += 1;
        score.value.0 += usize::from(param.kind.takes_value() == takes);
        if param.kind.takes_value() != takes {
            score.differ(
                path,
                &format!("{name} takes a value: {takes}, read as {}", param.kind),
            );
        }
        if !self.choices.is_empty() {
            let (want, have) = (sorted(&self.choices), sorted(&param.choices));
            score.choices.1 += 1;
            score.choices.0 += usize::from(want == have);
            if want != have {
                score.differ(
                    path,
                    &format!("{name} has the choices {want:?}, read as {have:?}"),
                );
            }
        }
        if self.repeatable && takes {
            score.repeatable.1 += 1;
            score.repeatable.0 += usize::from(param.kind.is_repeatable());
        }
    }
}

impl Score {
    fn differ(&mut self, path: &[String], what: &str) {
        let path = path.join(" ");
        self.differences.push(format!("[{path}] {what}"));
    }
}

fn sorted(values: &[String]) -> Vec<&str> {
    let mut values: Vec<&str> = values.iter().map(String::as_str).collect();
    values.sort_unstable();
    values.dedup();
    values
}

fn is_help(form: &str) -> bool {
    matches!(form, "--help" | "-h" | "-?" | "-help")
}

/// Every spelling that argway would write.
fn forms(param: &Param) -> impl Iterator<Item = &str> {
    let spelling = param.spelling();
    let long = spelling.and_then(|it| it.long.as_deref());
    let short = spelling.and_then(|it| it.short.as_deref());
    let negative = spelling.and_then(|it| it.negative.as_deref());
    long.into_iter().chain(short).chain(negative)
}

/// The head of the table.
pub(super) fn header(table: &mut String) {
    let _ = writeln!(
        table,
        "{:<28} {:>13} {:>6} {:>16} {:>16} {:>16} {:>12} {:>12}",
        "", "commands", "extra", "recall", "precision", "value", "choices", "repeatable"
    );
}

/// A line of the table.
pub(super) fn row(table: &mut String, name: &str, score: &Score) {
    let share = |(part, whole): (usize, usize)| format!("{:.1} % of {whole}", percent(part, whole));
    let _ = writeln!(
        table,
        "{name:<28} {:>13} {:>6} {:>16} {:>16} {:>16} {:>12} {:>12} {}",
        format!("{}/{}", score.commands.0, score.commands.1),
        score.commands_extra,
        share(score.recall),
        share(score.precision),
        share(score.value),
        format!("{}/{}", score.choices.0, score.choices.1),
        format!("{}/{}", score.repeatable.0, score.repeatable.1),
        if score.passes() { "" } else { "BELOW" },
    );
}
