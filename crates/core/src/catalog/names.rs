//! Names that models and people call things by: tools, and the properties of
//! their arguments.
//!
//! Clients refuse names that are longer than 64 characters or hold anything but
//! letters, digits, `_`, `-` and `.`; what a program calls its things obeys no rule.

use std::collections::BTreeSet;

use crate::catalog::{Layout, Tool};
use crate::model::Param;

/// Longest name that every client takes.
pub const LONGEST: usize = 64;

/// The name under which folded inherited flags are given.
pub const GLOBAL_FLAGS: &str = "global_flags";

/// The name under which what a command reads from its stdin is given.
pub const STDIN: &str = "stdin";

/// One parameter of a tool under the name that a layout gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct Property<'a> {
    /// The key in the arguments.
    pub name: String,
    /// What it stands for.
    pub param: &'a Param,
    /// Where in the tool `param` is.
    pub slot: Slot,
}

/// A parameter's place in its [`Tool`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// In `flags`.
    Own(usize),
    /// In `inherited`.
    Inherited(usize),
    /// In `positionals`.
    Positional(usize),
}

impl Tool {
    /// The parameters that have a property of their own in `layout`, named:
    /// positionals (where the layout names them), own flags, and the inherited
    /// ones unless they are folded.
    pub fn properties(&self, layout: Layout) -> Vec<Property<'_>> {
        let own = (0..self.flags.len()).map(Slot::Own);
        let inherited = match self.folded {
            true => 0..0,
            false => 0..self.inherited.len(),
        };
        let flags: Vec<Slot> = own.chain(inherited.map(Slot::Inherited)).collect();
        match layout {
            Layout::Nested => flags
                .into_iter()
                .map(|slot| self.property(slot, self.param(slot).name.clone()))
                .collect(),
            Layout::Flat => {
                let mut taken = BTreeSet::new();
                if self.folded {
                    taken.insert(GLOBAL_FLAGS.to_owned());
                }
                if self.stdin {
                    taken.insert(STDIN.to_owned());
                }
                let flags = self.snake_flags(&flags, &mut taken);
                let mut all: Vec<Property<'_>> = (0..self.positionals.len())
                    .map(|index| {
                        let snake = snake(&self.positionals[index].name, "arg");
                        let name = match flags.iter().any(|flag| flag.name == snake) {
                            true => format!("{snake}_arg"),
                            false => snake,
                        };
                        self.property(Slot::Positional(index), claim(&mut taken, &name))
                    })
                    .collect();
                all.extend(flags);
                all
            }
        }
    }

    /// The flags that are given inside `global_flags`, named; none unless folded.
    pub fn global_properties(&self, layout: Layout) -> Vec<Property<'_>> {
        if !self.folded {
            return Vec::new();
        }
        let slots: Vec<Slot> = (0..self.inherited.len()).map(Slot::Inherited).collect();
        match layout {
            Layout::Flat => self.snake_flags(&slots, &mut BTreeSet::new()),
            Layout::Nested => slots
                .into_iter()
                .map(|slot| self.property(slot, self.param(slot).name.clone()))
                .collect(),
        }
    }

    /// The flag that `key` names inside `global_flags`.
    pub fn find_global(&self, layout: Layout, key: &str) -> Option<Slot> {
        if !self.folded {
            return None;
        }
        if let Some(index) = self.inherited.iter().position(|flag| is_spelled(flag, key)) {
            return Some(Slot::Inherited(index));
        }
        if layout == Layout::Nested {
            return None;
        }
        // There may be a thousand: name them all only where two share a name.
        let mut alike = (0..self.inherited.len())
            .filter(|&index| snake(&self.inherited[index].name, "flag") == key);
        match (alike.next(), alike.next()) {
            (Some(index), None) => Some(Slot::Inherited(index)),
            _ => self
                .global_properties(layout)
                .iter()
                .find(|property| property.name == key)
                .map(|property| property.slot),
        }
    }

    /// The parameter at `slot`.
    pub fn param(&self, slot: Slot) -> &Param {
        match slot {
            Slot::Own(index) => &self.flags[index],
            Slot::Inherited(index) => &self.inherited[index],
            Slot::Positional(index) => &self.positionals[index],
        }
    }

    fn property(&self, slot: Slot, name: String) -> Property<'_> {
        Property {
            name,
            param: self.param(slot),
            slot,
        }
    }

    /// Flags in order, each with a snake_case name of its own. A flag that is
    /// already spelled so keeps its name; others make way.
    fn snake_flags(&self, slots: &[Slot], taken: &mut BTreeSet<String>) -> Vec<Property<'_>> {
        let mut names: Vec<Option<String>> = vec![None; slots.len()];
        for exact in [true, false] {
            for (slot, name) in slots.iter().zip(&mut names) {
                let original = &self.param(*slot).name;
                let wanted = snake(original, "flag");
                if name.is_none() && (wanted == *original) == exact {
                    *name = Some(claim(taken, &wanted));
                }
            }
        }
        slots
            .iter()
            .zip(names)
            .map(|(&slot, name)| self.property(slot, name.unwrap_or_default()))
            .collect()
    }
}

/// Whether the program itself calls `param` so: by its name, or as it is written.
pub(crate) fn is_spelled(param: &Param, key: &str) -> bool {
    param.name == key
        || param.spelling().is_some_and(|spelling| {
            spelling.long.as_deref() == Some(key) || spelling.short.as_deref() == Some(key)
        })
}

/// `wanted`, or `wanted_2`, `wanted_3` … where that is taken; takes it.
fn claim(taken: &mut BTreeSet<String>, wanted: &str) -> String {
    let name = free_name(wanted, |name| taken.contains(name));
    taken.insert(name.clone());
    name
}

/// The first of `wanted`, `wanted_2`, `wanted_3` … that is not taken, each no
/// longer than [`LONGEST`].
pub(super) fn free_name(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    let wanted = shorten(wanted);
    if !taken(&wanted) {
        return wanted;
    }
    let mut number = 2u32;
    loop {
        let suffix = format!("_{number}");
        let room = wanted.len().min(LONGEST - suffix.len());
        let name = format!("{}{suffix}", &wanted[..room]);
        if !taken(&name) {
            return name;
        }
        number += 1;
    }
}

/// `name` with everything but letters, digits, `_`, `-` and `.` replaced.
pub(super) fn plain(name: &str) -> String {
    name.chars()
        .map(|char| match char {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' | '.' => char,
            _ => '_',
        })
        .collect()
}

/// An ASCII `name` cut to [`LONGEST`], with a hash of the whole in place of the rest.
pub(super) fn shorten(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    // FNV-1a: the same on every machine and in every release, which std's is not.
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("{}_{hash:08x}", &name[..LONGEST - 9])
}

/// `name` in snake_case: `dry-run`, `dryRun` and `DRY RUN` are all `dry_run`.
/// A name without any letter or digit becomes `otherwise`.
pub fn snake(name: &str, otherwise: &str) -> String {
    let bytes = name.as_bytes();
    let mut out = String::with_capacity(bytes.len() + 4);
    for (index, &byte) in bytes.iter().enumerate() {
        if !byte.is_ascii_alphanumeric() {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            continue;
        }
        if byte.is_ascii_uppercase() && index > 0 && !out.ends_with('_') {
            let before = bytes[index - 1];
            let ends_capitals = before.is_ascii_uppercase()
                && bytes.get(index + 1).is_some_and(u8::is_ascii_lowercase);
            if before.is_ascii_lowercase() || before.is_ascii_digit() || ends_capitals {
                out.push('_');
            }
        }
        out.push(char::from(byte.to_ascii_lowercase()));
    }
    let end = out.trim_end_matches('_').len();
    out.truncate(end);
    match out.is_empty() {
        true => otherwise.to_owned(),
        false => shorten(&out),
    }
}

/// The one of `names` that `name` most looks like, if any looks like it.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    names
        .into_iter()
        .map(|candidate| {
            let alike = strsim::jaro_winkler(&name, &candidate.to_ascii_lowercase());
            (alike, candidate)
        })
        .filter(|(alike, _)| *alike >= 0.75)
        // The first of equals, so that the answer follows the order of the names.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_joining_words_becomes_snake_case() {
        let cases = [
            ("dry-run", "dry_run"),
            ("dryRun", "dry_run"),
            ("skipTLSVerify", "skip_tls_verify"),
            ("REPO", "repo"),
            ("TYPE/NAME", "type_name"),
            ("log.level", "log_level"),
            ("ipv6CIDR", "ipv6_cidr"),
            ("s3-acl", "s3_acl"),
            ("_private", "private"),
            ("file...", "file"),
            ("ü", "arg"),
        ];
        for (name, expected) in cases {
            assert_eq!(snake(name, "arg"), expected, "{name}");
        }
    }

    #[test]
    fn a_long_name_keeps_its_head_and_differs_from_its_like() {
        let one = shorten(&format!("{}_one", "x".repeat(80)));
        let two = shorten(&format!("{}_two", "x".repeat(80)));
        assert_eq!((one.len(), two.len()), (LONGEST, LONGEST));
        assert_ne!(one, two);
        assert_eq!(one, shorten(&format!("{}_one", "x".repeat(80))));
    }

    #[test]
    fn a_numbered_name_still_fits() {
        let long = "y".repeat(LONGEST);
        let name = free_name(&long, |name| name == long);
        assert_eq!(name, format!("{}_2", "y".repeat(LONGEST - 2)));
    }

    #[test]
    fn the_nearest_name_is_one_that_looks_alike_or_none() {
        let names = ["output", "namespace", "dry_run"];
        assert_eq!(nearest("ouput", names), Some("output"));
        assert_eq!(nearest("name-space", names), Some("namespace"));
        assert_eq!(nearest("zzz", names), None);
    }
}
