//! Names the flags of a tool's properties.
//!
//! A property's own spelling always means that property. The shown names are GNU
//! style and differ from each other whatever the case.

use std::collections::{BTreeMap, BTreeSet};

/// What comes before the name of a tool's flag to tell it from the program's own.
const PREFIX: &str = "tool-";

/// Stands for a name that has no letter and no digit.
const NAMELESS: &str = "arg";

/// The names of one property's flag, without dashes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Named {
    /// The one that is shown.
    pub(super) flag: String,
    /// The others.
    pub(super) aliases: Vec<String>,
}

/// Flags for `properties`, in their order, none of them one of `taken`.
pub(super) fn name(properties: &[&str], taken: &[&str]) -> Vec<Named> {
    let mut names = Names {
        shown: taken.iter().map(|name| name.to_lowercase()).collect(),
        numbers: BTreeMap::new(),
    };
    let wanted: Vec<String> = properties.iter().map(|property| kebab(property)).collect();
    let is_taken = |name: &str| taken.contains(&name);
    let mut flags: Vec<Option<String>> = vec![None; properties.len()];
    // A property that is spelled like a flag keeps its spelling, then come the
    // ones that are rewritten, and a prefix yields to both.
    let is_exact = |index: usize| wanted[index] == properties[index];
    let ranks: [&dyn Fn(usize) -> bool; 3] = [
        &|index| is_exact(index) && !is_taken(&wanted[index]),
        &|index| !is_exact(index) && !is_taken(&wanted[index]),
        &|index| is_taken(&wanted[index]),
    ];
    for belongs in ranks {
        for index in (0..properties.len()).filter(|&index| belongs(index)) {
            flags[index] = Some(match is_taken(&wanted[index]) {
                true => names.claim(&format!("{PREFIX}{}", wanted[index])),
                false => names.claim(&wanted[index]),
            });
        }
    }
    let flags: Vec<String> = flags.into_iter().map(Option::unwrap_or_default).collect();
    with_aliases(properties, &wanted, flags)
}

/// Adds the other spellings, each to the first property that has a claim on it:
/// its own spelling before all, then what its flag would be without a collision,
/// then either of them with the prefix.
fn with_aliases(properties: &[&str], wanted: &[String], flags: Vec<String>) -> Vec<Named> {
    let mut owners: BTreeMap<String, usize> = BTreeMap::new();
    for (index, property) in properties.iter().enumerate() {
        if is_carried(property) {
            owners.insert((*property).to_owned(), index);
        }
    }
    for (index, flag) in flags.iter().enumerate() {
        owners.entry(flag.clone()).or_insert(index);
    }
    let mut named: Vec<Named> = flags
        .into_iter()
        .zip(properties)
        .map(|(flag, property)| Named {
            aliases: match is_carried(property) && flag != *property {
                true => vec![(*property).to_owned()],
                false => Vec::new(),
            },
            flag,
        })
        .collect();
    let mut offer = |named: &mut [Named], index: usize, alias: String| {
        if is_carried(&alias) && *owners.entry(alias.clone()).or_insert(index) == index {
            let Named { flag, aliases } = &mut named[index];
            if *flag != alias && !aliases.contains(&alias) {
                aliases.push(alias);
            }
        }
    };
    for (index, plain) in wanted.iter().enumerate() {
        offer(&mut named, index, plain.clone());
    }
    for (index, property) in properties.iter().enumerate() {
        offer(&mut named, index, format!("{PREFIX}{property}"));
        if !named[index].flag.starts_with(PREFIX) {
            let prefixed = format!("{PREFIX}{}", named[index].flag);
            offer(&mut named, index, prefixed);
        }
    }
    named
}

/// Whether a word can carry this name before its `=`.
fn is_carried(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

struct Names {
    shown: BTreeSet<String>,
    /// The number to try next where a name is taken.
    numbers: BTreeMap<String, u32>,
}

impl Names {
    /// `wanted`, or `wanted-2`, `wanted-3` … where that is taken; takes it.
    fn claim(&mut self, wanted: &str) -> String {
        if self.shown.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        let number = self.numbers.entry(wanted.to_owned()).or_insert(2);
        loop {
            let name = format!("{wanted}-{number}");
            *number += 1;
            if self.shown.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// `name` as a flag: `maxResults`, `max_results` and `Max Results` are all
/// `max-results`. Letters of every script are kept.
fn kebab(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut flag = String::with_capacity(name.len() + 4);
    for (index, &char) in chars.iter().enumerate() {
        if !char.is_alphanumeric() {
            if !flag.is_empty() && !flag.ends_with('-') {
                flag.push('-');
            }
            continue;
        }
        if char.is_uppercase() && index > 0 && !flag.is_empty() && !flag.ends_with('-') {
            let before = chars[index - 1];
            let is_lowercase = |at: usize| chars.get(at).is_some_and(|char| char.is_lowercase());
            // The last capital begins a word, unless only a plural follows: `URLs`.
            let is_plural = chars.get(index + 1) == Some(&'s') && !is_lowercase(index + 2);
            let ends_capitals = before.is_uppercase() && is_lowercase(index + 1) && !is_plural;
            if before.is_lowercase() || before.is_numeric() || ends_capitals {
                flag.push('-');
            }
        }
        // A lower-case letter of some scripts comes with marks that are no letters.
        flag.extend(char.to_lowercase().filter(|lower| lower.is_alphanumeric()));
    }
    let end = flag.trim_end_matches('-').len();
    flag.truncate(end);
    match flag.is_empty() {
        true => NAMELESS.to_owned(),
        false => flag,
    }
}
