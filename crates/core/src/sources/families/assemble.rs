//! Makes the model of what a walk found.

use std::sync::Arc;

use super::walk::{Harvest, Node};
use super::{Manner, Options, oracle};
use crate::model::{
    CommandSpec, Evidence, Fact, Kind, Loss, Param, Program, Reading, Role, Scalar, Split,
};
use crate::probe::Probe;
use crate::sources::effect;

/// The program that `harvest` shows. Types that the pages leave open are asked for.
pub(super) fn assemble(
    name: &str,
    manner: Manner,
    harvest: Harvest,
    probe: &mut dyn Probe,
    options: Options,
) -> Reading {
    let mut losses = harvest.losses;
    let mut commands: Vec<CommandSpec> = Vec::with_capacity(harvest.nodes.len());
    for node in &harvest.nodes {
        let inherited = inherited(node, &commands);
        let has_children = harvest
            .nodes
            .iter()
            .any(|other| other.path.len() > node.path.len() && other.path.starts_with(&node.path));
        let mut command = command(node, has_children, &mut losses);
        command.inherited = share(&commands, inherited);
        commands.push(command);
    }
    if let Some(dialect) = manner.oracle.filter(|_| options.oracle) {
        oracle::confirm(&mut commands, dialect, manner.ask, probe, &mut losses);
    }
    for command in &mut commands {
        command.effect = effect::of_command(command);
        command.from.note(Fact::Effect, Evidence::Convention);
        raise(command);
    }
    Reading {
        program: Program {
            name: name.to_owned(),
            executable: None,
            version: None,
            family: manner.family,
            commands,
        },
        losses,
    }
}

fn command(node: &Node, has_children: bool, losses: &mut Vec<Loss>) -> CommandSpec {
    let mut command = CommandSpec {
        path: node.path.clone(),
        runnable: true,
        ..CommandSpec::default()
    };
    command.from.note(Fact::Name, Evidence::Help);
    command.from.note(Fact::Text, Evidence::Help);
    if let Some(listed) = &node.listed {
        command.summary.clone_from(&listed.summary);
        command.group.clone_from(&listed.group);
        command.aliases.clone_from(&listed.aliases);
    }
    let Some(page) = &node.page else {
        command.from.note(Fact::Runnable, Evidence::Convention);
        return command;
    };
    // A list may cut a text short; the page does not.
    if !page.summary.is_empty() && (command.summary.is_empty() || command.summary.ends_with("..."))
    {
        command.summary.clone_from(&page.summary);
    }
    command.description.clone_from(&page.description);
    command.examples.clone_from(&page.examples);
    if !command.examples.is_empty() {
        command.from.note(Fact::Examples, Evidence::Help);
    }
    command.usage = page.usage.first().cloned().unwrap_or_default();
    for alias in &page.aliases {
        if !command.aliases.contains(alias) && command.path.last() != Some(alias) {
            command.aliases.push(alias.clone());
        }
    }
    if !command.aliases.is_empty() {
        command.from.note(Fact::Aliases, Evidence::Help);
    }
    if command.group.is_some() {
        command.from.note(Fact::Group, Evidence::Help);
    }
    command.runnable = page
        .runnable
        .unwrap_or(!has_children || !page.positionals.is_empty());
    command.from.note(Fact::Runnable, Evidence::Help);
    command.params = super::with_opposites_apart(page.flags.clone());
    command.params.extend(page.positionals.iter().cloned());
    command.groups.clone_from(&page.groups);
    losses.extend(page.unread.iter().map(|line| Loss {
        path: node.path.clone(),
        what: format!("a line of its page was not understood: {}", line.trim()),
    }));
    command
}

/// The flags of the commands above that a command's own page does not have: they stand
/// behind the words of the command that they belong to.
fn inherited(node: &Node, above: &[CommandSpec]) -> Vec<Param> {
    let own = node.page.iter().flat_map(|page| &page.flags);
    let own: Vec<&str> = own.flat_map(forms).collect();
    let mut inherited: Vec<Param> = Vec::new();
    for depth in (0..node.path.len()).rev() {
        let Some(parent) = above.iter().find(|it| it.path == node.path[..depth]) else {
            continue;
        };
        for flag in parent.own_flags() {
            let known = |form: &str| {
                own.contains(&form)
                    || inherited
                        .iter()
                        .any(|it| forms(it).any(|have| have == form))
            };
            if forms(flag).any(known) || matches!(flag.name.as_str(), "version" | "V") {
                continue;
            }
            let mut flag = flag.clone();
            if let Role::Flag(spelling) = &mut flag.role {
                spelling.after_words = Some(depth);
            }
            // It belongs to another command: that one needs it, if at all.
            flag.required = false;
            inherited.push(flag);
        }
    }
    inherited
}

fn forms(flag: &Param) -> impl Iterator<Item = &str> {
    let spelling = flag.spelling();
    let long = spelling.and_then(|spelling| spelling.long.as_deref());
    let short = spelling.and_then(|spelling| spelling.short.as_deref());
    long.into_iter().chain(short)
}

/// Equal sets of inherited flags are kept once.
fn share(commands: &[CommandSpec], params: Vec<Param>) -> Arc<[Param]> {
    let same = commands
        .iter()
        .rev()
        .find(|it| it.inherited[..] == params[..]);
    match same {
        Some(command) => Arc::clone(&command.inherited),
        None => params.into(),
    }
}

/// Notes the flags that do more than the command itself.
fn raise(command: &mut CommandSpec) {
    let effects: Vec<_> = command
        .params
        .iter()
        .map(|param| effect::of_flag(command, param))
        .collect();
    for (param, effect) in command.params.iter_mut().zip(effects) {
        param.effect = effect;
    }
}

/// One optional list of words, for a command of which it is not known what it takes.
pub(super) fn any_words(usage: &str) -> Param {
    let mut args = Param::positional("args", Kind::List(Scalar::String, Split::Words));
    args.value_name = Some(usage.to_owned());
    args.from.note(Fact::Name, Evidence::Convention);
    args
}
