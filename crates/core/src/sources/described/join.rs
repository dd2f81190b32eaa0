//! What a program says of itself, joined with what was read of its help.
//!
//! The description wins wherever both say something; what only the help has stays:
//! groups of flags, values that a flag alone stands for, flags of commands between the
//! root and the last.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::tree::forms;
use crate::model::{
    CommandSpec, Effect, Evidence, Fact, Kind, Param, Provenance, Reading, Role, Scalar,
};

/// `described`, with what only `help` has.
pub fn join(described: Reading, help: Reading) -> Reading {
    let mut joined = help;
    joined.program.version = described.program.version.or(joined.program.version);
    joined.losses.splice(0..0, described.losses);
    let mut places: BTreeMap<Vec<String>, usize> = joined
        .program
        .commands
        .iter()
        .enumerate()
        .map(|(at, command)| (command.path.clone(), at))
        .collect();
    let mut shared = Shared::default();
    let mut new: Vec<CommandSpec> = Vec::new();
    for said in described.program.commands {
        match places.remove(&said.path) {
            Some(at) => take(&mut joined.program.commands[at], said, &mut shared),
            None => new.push(said),
        }
    }
    for command in new {
        // Behind its parent and what is below that already.
        let above = command
            .path
            .split_last()
            .map_or(&[][..], |(_, above)| above);
        let commands = &mut joined.program.commands;
        let last = commands.iter().rposition(|it| it.path.starts_with(above));
        commands.insert(last.map_or(commands.len(), |at| at + 1), command);
    }
    joined
}

fn take(command: &mut CommandSpec, said: CommandSpec, shared: &mut Shared) {
    let from = |fact| said.from.of(fact) == Some(Evidence::SelfDescription);
    let fill = |own: &mut String, said: &str| {
        if !said.is_empty() {
            own.clear();
            own.push_str(said);
        }
    };
    fill(&mut command.summary, &said.summary);
    // The help's text may go on where the description has the one line only.
    fill(&mut command.description, &said.description);
    fill(&mut command.examples, &said.examples);
    if command.usage.is_empty() {
        command.usage.clone_from(&said.usage);
    }
    if !said.aliases.is_empty() {
        command.aliases.clone_from(&said.aliases);
    }
    command.group = command.group.take().or(said.group);
    command.deprecated = said.deprecated.or(command.deprecated.take());
    command.hidden = said.hidden;
    if from(Fact::Runnable) {
        command.runnable = said.runnable;
    }
    let says_effect = from(Fact::Effect);
    if says_effect || said.effect == Effect::Destructive {
        command.effect = said.effect;
    }
    note(
        &mut command.from,
        &said.from,
        !says_effect && said.effect != Effect::Destructive,
    );
    let (flags, positionals): (Vec<Param>, Vec<Param>) =
        said.params.into_iter().partition(Param::is_flag);
    let (own, words): (Vec<Param>, Vec<Param>) = std::mem::take(&mut command.params)
        .into_iter()
        .partition(Param::is_flag);
    let inherited = shared.of(&command.inherited, &said.inherited);
    // What the description lists as a command's own the help may have from above.
    let above: Vec<&str> = inherited.iter().flat_map(forms).collect();
    let is_own = |flag: &Param| {
        own.iter().any(|it| same(it, flag)) || !forms(flag).any(|form| above.contains(&form))
    };
    let flags: Vec<Param> = flags.into_iter().filter(is_own).collect();
    command.params = merged(own, &flags);
    command.params.extend(match positionals.is_empty() {
        true => words,
        false => positionals
            .into_iter()
            .map(|said| match words.iter().find(|it| it.name == said.name) {
                Some(help) => param(help.clone(), &said),
                None => said,
            })
            .collect(),
    });
    command.inherited = inherited;
    for group in said.groups {
        if !command.groups.contains(&group) {
            command.groups.push(group);
        }
    }
}

fn note(own: &mut Provenance, said: &Provenance, without_effect: bool) {
    for fact in [
        Fact::Name,
        Fact::Aliases,
        Fact::Group,
        Fact::Text,
        Fact::Examples,
        Fact::Runnable,
        Fact::Effect,
        Fact::Type,
        Fact::Default,
        Fact::Required,
        Fact::Choices,
        Fact::Bare,
    ] {
        if fact == Fact::Effect && without_effect {
            continue;
        }
        if let Some(evidence @ Evidence::SelfDescription) = said.of(fact) {
            own.note(fact, evidence);
        }
    }
}

fn same(one: &Param, other: &Param) -> bool {
    one.is_flag() == other.is_flag() && one.name == other.name
}

/// The flags of both, those of the help first and in its order.
fn merged(help: Vec<Param>, said: &[Param]) -> Vec<Param> {
    let mut flags: Vec<Param> = Vec::with_capacity(help.len().max(said.len()));
    for flag in help {
        flags.push(match said.iter().find(|it| same(it, &flag)) {
            Some(said) => param(flag, said),
            None => flag,
        });
    }
    for flag in said {
        if !flags.iter().any(|it| same(it, flag)) {
            flags.push(flag.clone());
        }
    }
    flags
}

fn param(mut help: Param, said: &Param) -> Param {
    // A type of the program's own says less than values that its parser listed.
    let says_type = !matches!(&said.kind, Kind::One(Scalar::Other(_)));
    if says_type {
        help.kind.clone_from(&said.kind);
    }
    if let (Role::Flag(own), Role::Flag(said)) = (&mut help.role, &said.role) {
        own.short = own.short.take().or_else(|| said.short.clone());
        if !help.kind.takes_value() {
            own.bare = None;
        }
    }
    help.required |= said.required;
    if said.default.is_some() {
        help.default.clone_from(&said.default);
    }
    if !said.choices.is_empty() {
        help.choices.clone_from(&said.choices);
    }
    if !said.text.is_empty() {
        help.text.clone_from(&said.text);
    }
    help.hidden = said.hidden;
    help.env = said.env.clone().or(help.env);
    help.deprecated = said.deprecated.clone().or(help.deprecated);
    help.effect = help.effect.max(said.effect);
    let kind_from = help.from.of(Fact::Type);
    note(&mut help.from, &said.from, true);
    if let (false, Some(evidence)) = (says_type, kind_from) {
        help.from.note(Fact::Type, evidence);
    }
    help
}

/// Sets of inherited flags that many commands share stay shared.
#[derive(Default)]
struct Shared(Vec<Joined>);

struct Joined {
    help: Arc<[Param]>,
    said: Arc<[Param]>,
    both: Arc<[Param]>,
}

impl Shared {
    /// So many sets are looked through: neighbours have the same.
    const NEAR: usize = 64;

    fn of(&mut self, help: &Arc<[Param]>, said: &Arc<[Param]>) -> Arc<[Param]> {
        let mut near = self.0.iter().rev().take(Self::NEAR);
        let known = near.find(|it| Arc::ptr_eq(&it.help, help) && Arc::ptr_eq(&it.said, said));
        if let Some(known) = known {
            return Arc::clone(&known.both);
        }
        let both: Arc<[Param]> = merged(help.to_vec(), said).into();
        self.0.push(Joined {
            help: Arc::clone(help),
            said: Arc::clone(said),
            both: Arc::clone(&both),
        });
        both
    }
}
