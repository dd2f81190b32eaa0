//! Which commands and flags a [`Selection`] offers.
//!
//! A glob that matches nothing is an error: a misspelled `--deny` must not leave
//! its command open.

use crate::catalog::names::{nearest, snake};
use crate::catalog::{CatalogError, DEFINED, Selection};
use crate::glob::matches;
use crate::model::{CommandSpec, Effect, Family, Param, Program};

/// Spellings of one command beyond which further aliases of its ancestors are
/// not tried together.
const MOST_SPELLINGS: usize = 256;

/// A command with every name that a glob may call it by.
pub(super) struct Named<'a> {
    pub(super) command: &'a CommandSpec,
    /// Its names and those of each ancestor: whoever names a parent names its subtree.
    spellings: Vec<String>,
    /// The same of commands that are this one under another path.
    twins: Vec<String>,
    /// The tool's name; empty where it is no tool.
    pub(super) tool: &'a str,
}

impl<'a> Named<'a> {
    fn new(program: &Program, command: &'a CommandSpec, tool: &'a str) -> Self {
        let twins = program.commands.iter().filter(|it| is_twin(it, command));
        Self {
            command,
            spellings: spellings(program, command),
            twins: twins.flat_map(|twin| spellings(program, twin)).collect(),
            tool,
        }
    }

    fn matches(&self, glob: &str) -> bool {
        let glob = normal(glob);
        self.spellings.iter().any(|name| matches(&glob, name))
            || (!self.tool.is_empty() && matches(&glob, self.tool))
    }

    /// As [`Self::matches`], by tool-like names of parents (`gh_pr`, `pr_list`) and by
    /// the names of its twins too: one too many left out is better than one too few.
    fn matches_widely(&self, glob: &str) -> bool {
        let glob = normal(glob);
        let names = self.spellings.iter().chain(&self.twins);
        self.matches(&glob)
            || names
                .flat_map(|name| [name.clone(), name.replace(' ', "_")])
                .any(|name| matches(&glob, &name))
    }
}

fn spellings(program: &Program, command: &CommandSpec) -> Vec<String> {
    let mut spellings = Vec::new();
    for depth in 0..=command.path.len() {
        for path in paths(program, &command.path[..depth]) {
            if !path.is_empty() {
                spellings.push(path.join(" "));
            }
            let full: Vec<&str> = [program.name.as_str()].into_iter().chain(path).collect();
            spellings.push(full.join(" "));
            if program.family == Family::Definition {
                spellings.push(format!("{DEFINED} {}", full.join(" ")));
            }
        }
    }
    spellings
}

/// Whether two commands are one under two paths, as `docker rm` and `docker container
/// rm` are: the same texts, arguments and flags.
fn is_twin(one: &CommandSpec, other: &CommandSpec) -> bool {
    fn arguments(command: &CommandSpec) -> impl Iterator<Item = &str> {
        command
            .usage
            .split_whitespace()
            .skip(1 + command.path.len())
    }
    fn names(command: &CommandSpec) -> impl Iterator<Item = &str> {
        command.params.iter().map(|param| param.name.as_str())
    }
    one.path != other.path
        && !one.summary.is_empty()
        && one.summary == other.summary
        && one.description == other.description
        && one.runnable == other.runnable
        && arguments(one).eq(arguments(other))
        && names(one).eq(names(other))
}

/// One blank between words, none around them.
fn normal(glob: &str) -> String {
    glob.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `path` with each word by its name and by each of its aliases. The path's own
/// names come last.
fn paths<'a>(program: &'a Program, path: &'a [String]) -> Vec<Vec<&'a str>> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    for depth in 0..path.len() {
        let aliases = program
            .command(&path[..=depth])
            .map_or(&[][..], |command| &command.aliases);
        let mut next = Vec::new();
        for head in &all {
            for name in aliases.iter().chain([&path[depth]]) {
                if next.len() < MOST_SPELLINGS {
                    next.push([head.as_slice(), &[name.as_str()]].concat());
                }
            }
        }
        all = next;
    }
    let own: Vec<&str> = path.iter().map(String::as_str).collect();
    all.retain(|path| *path != own);
    all.push(own);
    all
}

impl Selection {
    /// `command` with the names that this selection's globs may call it by.
    pub(super) fn name<'a>(
        &self,
        program: &Program,
        command: &'a CommandSpec,
        tool: &'a str,
    ) -> Named<'a> {
        match self.allow.is_empty() && self.deny.is_empty() && self.stdin.is_empty() {
            false => Named::new(program, command, tool),
            true => Named {
                command,
                spellings: Vec::new(),
                twins: Vec::new(),
                tool,
            },
        }
    }

    /// Whether `named` is offered, as far as its name, its effect and its being
    /// hidden go.
    pub(super) fn offers(&self, named: &Named<'_>) -> bool {
        let command = named.command;
        let allowed = self.allow.is_empty() || self.allow.iter().any(|glob| named.matches(glob));
        let denied = self.deny.iter().any(|glob| named.matches_widely(glob));
        // What a raw command does depends on words that nobody checks.
        let harmless = command.effect == Effect::Read && !command.raw_words;
        let shown = self.include_hidden || !(command.hidden || command.deprecated.is_some());
        allowed && !denied && shown && (harmless || !self.read_only)
    }

    /// Whether a call of `named` may give its stdin.
    pub(super) fn gives_stdin(&self, named: &Named<'_>) -> bool {
        self.stdin.iter().any(|glob| named.matches(glob))
    }

    /// Whether `flag` is offered.
    pub(super) fn offers_flag(&self, flag: &Param) -> bool {
        let allowed =
            self.allow_flags.is_empty() || self.allow_flags.iter().any(|glob| is_flag(glob, flag));
        let denied = self.deny_flags.iter().any(|glob| is_flag(glob, flag));
        let harmless = flag.effect.is_none_or(|effect| effect == Effect::Read);
        let shown = self.include_hidden || !(flag.hidden || flag.deprecated.is_some());
        allowed && !denied && shown && (harmless || !self.read_only)
    }

    /// Whether `flag` is left out of what callers see for being hidden, and for nothing else.
    pub(super) fn gives_unshown(&self, flag: &Param) -> bool {
        let shown = Self {
            include_hidden: true,
            ..self.clone()
        };
        (flag.hidden || flag.deprecated.is_some())
            && !self.offers_flag(flag)
            && shown.offers_flag(flag)
    }

    /// That each glob means something.
    pub(super) fn check(&self, named: &[Named<'_>]) -> Result<(), CatalogError> {
        for (option, globs) in [
            ("--allow", &self.allow),
            ("--deny", &self.deny),
            ("--stdin", &self.stdin),
        ] {
            for glob in globs {
                let known = match option {
                    "--deny" => named.iter().any(|named| named.matches_widely(glob)),
                    _ => named.iter().any(|named| named.matches(glob)),
                };
                if !known {
                    let names = named
                        .iter()
                        .flat_map(|named| named.spellings.iter().map(String::as_str));
                    return Err(unknown(option, "command", glob, nearest(glob, names)));
                }
            }
        }
        for (option, globs) in [
            ("--allow-flags", &self.allow_flags),
            ("--deny-flags", &self.deny_flags),
        ] {
            for glob in globs {
                let mut flags = named.iter().flat_map(|named| named.command.flags());
                if !flags.any(|flag| is_flag(glob, flag)) {
                    let names = named
                        .iter()
                        .flat_map(|named| named.command.flags())
                        .map(|flag| flag.name.as_str());
                    let wanted = glob.trim_start_matches('-');
                    return Err(unknown(option, "flag", glob, nearest(wanted, names)));
                }
            }
        }
        Ok(())
    }

    /// Why nothing is left.
    pub(super) fn nothing_left(&self, named: &[Named<'_>]) -> CatalogError {
        let tools: Vec<&Named<'_>> = named.iter().filter(|it| !it.tool.is_empty()).collect();
        let Some(first) = tools.first() else {
            return CatalogError::NothingSelected(
                "there is no command that runs by itself".to_owned(),
            );
        };
        let hidden = tools
            .iter()
            .filter(|it| it.command.hidden || it.command.deprecated.is_some())
            .count();
        let mut why = vec![format!("of {} commands like `{}`", tools.len(), first.tool)];
        if hidden > 0 && !self.include_hidden {
            why.push(format!("{hidden} would need --include-hidden"));
        }
        if self.read_only {
            why.push("--read-only keeps those known to be harmless".to_owned());
        }
        if !self.deny.is_empty() {
            why.push(format!("--deny takes away {}", self.deny.join(", ")));
        }
        CatalogError::NothingSelected(format!("the selection leaves no tool: {}", why.join("; ")))
    }
}

fn unknown(option: &str, what: &str, glob: &str, nearest: Option<&str>) -> CatalogError {
    let hint = nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    CatalogError::NothingSelected(format!("{option} `{glob}` matches no {what}{hint}"))
}

/// Whether `glob` names `flag`: by its name in any spelling, or as `-x` by its short one.
fn is_flag(glob: &str, flag: &Param) -> bool {
    let glob = glob.trim();
    let spelling = flag.spelling();
    let written = |form: &Option<String>| form.as_deref().is_some_and(|form| matches(glob, form));
    let bare = glob.strip_prefix("--").unwrap_or(glob);
    spelling.is_some_and(|spelling| written(&spelling.short) || written(&spelling.long))
        || matches(bare, &flag.name)
        || matches(bare, &snake(&flag.name, "flag"))
}
