//! Finds each flag's type: from what is printed, and where that leaves it open,
//! from the program's own parser.
//!
//! A flag that many commands have in the same words is asked about once.

use std::collections::BTreeMap;

use crate::model::{Evidence, Kind, Scalar, Split};
use crate::probe::Probe;
use crate::sources::help::{ListedFlag, Style};
use crate::sources::oracle::{Heard, Refusal};

use super::flags::Flag;

mod inquiry;
mod text;

use inquiry::Inquiry;
pub(in crate::sources) use text::builtin;
use text::{alternatives, back_quoted, braced, from_text};

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
        Scalar::Path | Scalar::Other(_) => "1",
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
