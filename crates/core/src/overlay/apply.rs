//! Corrections, made: each entry finds what it names, or says that it is not there.

use std::sync::Arc;

use super::{Entry, is_added, not_there, param_fields, without_add};
use crate::catalog::names::snake;
use crate::model::{
    CommandSpec, Evidence, Fact, Group, Joiner, Kind, Param, Program, Reading, Role, Spelling,
    Split,
};
use crate::sources::kdl::fault::{Fault, Sort};
use crate::sources::kdl::fields::{self, Faults, Fields};
use crate::sources::kdl::param::{self, EFFECTS, NO_EFFECT};
use crate::sources::kdl::syntax::Node;
use crate::sources::kdl::{checks, types};

/// Flags that commands share.
type Flags = Arc<[Param]>;

/// Makes the corrections of `entries`, and tells them.
pub(super) fn apply(entries: &[Entry], reading: &mut Reading, faults: &mut Faults) -> Vec<String> {
    let mut changes = Vec::new();
    for entry in entries {
        let program = &mut reading.program;
        let Some(index) = position(program, entry, faults) else {
            continue;
        };
        let told = command(program, index, entry, faults);
        let line = match entry.path.as_slice() {
            [] => program.name.clone(),
            words => words.join(" "),
        };
        if !told.is_empty() {
            changes.push(format!("{line} ({})", told.join(", ")));
        }
        for node in &entry.params {
            let told = match (node.name.text.as_str(), is_added(node)) {
                ("flag", true) => add(program, index, node, faults),
                ("flag", false) => flag(program, index, node, faults),
                _ => arg(program, index, node, faults),
            };
            changes.extend(told.map(|told| format!("{line} {told}")));
        }
    }
    changes
}

fn position(program: &Program, entry: &Entry, faults: &mut Faults) -> Option<usize> {
    let found = program
        .commands
        .iter()
        .position(|command| command.path == entry.path);
    if found.is_none() {
        let wanted = entry.path.join(" ");
        let shown: String = wanted.chars().take(60).collect();
        let paths: Vec<String> = program
            .commands
            .iter()
            .map(|command| command.path.join(" "))
            .collect();
        let what = format!("`{}` has no command `{shown}`", program.name);
        let names = paths.iter().map(String::as_str);
        not_there(what, &wanted, entry.span, names, faults);
    }
    found
}

/// Changes the command at `index` itself; what of it is changed.
fn command(
    program: &mut Program,
    index: usize,
    entry: &Entry,
    faults: &mut Faults,
) -> Vec<&'static str> {
    let mut told = Vec::new();
    if let Some((name, span)) = &entry.name {
        let path = program.commands[index].path.clone();
        let taken = program.commands.iter().enumerate().any(|(at, command)| {
            let same_parent = command.path.len() == path.len()
                && command.path.split_last().map(|it| it.1) == path.split_last().map(|it| it.1);
            let word = command.called.as_ref().or(command.path.last());
            at != index && same_parent && word == Some(name)
        });
        match taken {
            true => {
                let message = format!("there is a command called `{name}` beside it already");
                faults.add(Fault::new(Sort::Conflict, *span, message));
            }
            false => {
                program.commands[index].called = Some(name.clone());
                program.commands[index]
                    .from
                    .note(Fact::Name, Evidence::Definition);
                told.push("name");
            }
        }
    }
    let command = &mut program.commands[index];
    if let Some(hidden) = entry.hidden {
        command.hidden = hidden;
        told.push("hidden");
    }
    if let Some(why) = &entry.deprecated {
        command.deprecated = Some(why.clone());
        told.push("deprecated");
    }
    if let Some(text) = &entry.description {
        command.description = text.clone();
        if entry.summary.is_none() {
            command.summary = text
                .lines()
                .next()
                .unwrap_or_default()
                .trim_end()
                .to_owned();
        }
        told.push("description");
    }
    if let Some(text) = &entry.summary {
        command.summary = text.lines().next().unwrap_or_default().to_owned();
        told.push("summary");
    }
    if entry.description.is_some() || entry.summary.is_some() {
        command.from.note(Fact::Text, Evidence::Definition);
    }
    if let Some(effect) = entry.effect {
        command.effect = effect;
        command.from.note(Fact::Effect, Evidence::Definition);
        told.push("effect");
    }
    if let Some(output) = entry.output {
        command.output = Some(output);
        told.push("output");
    }
    if let Some(examples) = &entry.examples {
        command.examples.clone_from(examples);
        command.from.note(Fact::Examples, Evidence::Definition);
        told.push("example");
    }
    told
}

/// Whether `param` is what an overlay calls `name`.
fn is_called(param: &Param, name: &str) -> bool {
    let typed = param.spelling();
    let typed = typed.map(|spelling| [&spelling.long, &spelling.short]);
    let mut typed = typed.into_iter().flatten().flatten();
    param.name == name || typed.any(|form| form == name || form.trim_start_matches('-') == name)
}

/// Changes a flag wherever the command, or one below it, has it.
fn flag(program: &mut Program, index: usize, node: &Node, faults: &mut Faults) -> Option<String> {
    let (name, span) = fields::name_of(node, faults)?;
    let spec = &program.commands[index];
    let below: Vec<usize> = (0..program.commands.len())
        .filter(|&at| program.commands[at].path.starts_with(&spec.path))
        .collect();
    let inherited = below
        .iter()
        .flat_map(|&at| program.commands[at].inherited.iter());
    let found = spec
        .flags()
        .chain(inherited)
        .find(|flag| is_called(flag, name));
    let Some(old) = found.cloned() else {
        let what = format!(
            "`{}` has no flag `{}`",
            program.command_line(&spec.path),
            cut(name)
        );
        let names: Vec<&str> = spec.flags().map(|flag| flag.name.as_str()).collect();
        not_there(what, name, span, names.into_iter(), faults);
        return None;
    };
    let fields = param_fields(node, faults);
    let (new, told) = changed(&old, spec, &fields, faults)?;
    let is_it = |param: &Param| {
        let forms = |param: &Param| {
            param
                .spelling()
                .map(|it| (it.long.clone(), it.short.clone()))
        };
        param.name == old.name && forms(param) == forms(&old)
    };
    let mut shared: Vec<(Flags, Flags)> = Vec::new();
    for at in below {
        let spec = &mut program.commands[at];
        let mut has = false;
        if at == index {
            for param in spec
                .params
                .iter_mut()
                .filter(|param| param.is_flag() && is_it(param))
            {
                *param = new.clone();
                has = true;
            }
        }
        if spec.inherited.iter().any(is_it) {
            has = true;
            let known = shared
                .iter()
                .find(|(before, _)| Arc::ptr_eq(before, &spec.inherited));
            let changed = match known {
                Some((_, changed)) => Arc::clone(changed),
                None => {
                    let params = spec.inherited.iter();
                    let changed = params.map(|param| match is_it(param) {
                        // Where it stands is the command's own affair.
                        true => with_place(&new, param),
                        false => param.clone(),
                    });
                    let changed: Flags = changed.collect();
                    shared.push((Arc::clone(&spec.inherited), Arc::clone(&changed)));
                    changed
                }
            };
            spec.inherited = changed;
        }
        if has && new.name != old.name {
            rename(spec, &old.name, &new.name);
        }
    }
    Some(format!("--{} ({})", old.name, told.join(", ")))
}

fn with_place(new: &Param, old: &Param) -> Param {
    let mut new = new.clone();
    let place = old.spelling().and_then(|spelling| spelling.after_words);
    if let Role::Flag(spelling) = &mut new.role {
        spelling.after_words = place;
    }
    new
}

/// Changes a positional.
fn arg(program: &mut Program, index: usize, node: &Node, faults: &mut Faults) -> Option<String> {
    let (name, span) = fields::name_of(node, faults)?;
    let line = program.command_line(&program.commands[index].path);
    let spec = &mut program.commands[index];
    let plain = |param: &Param| snake(&param.name, "arg") == snake(name, "arg");
    let found = spec
        .params
        .iter()
        .position(|param| !param.is_flag() && (param.name == name || plain(param)));
    let Some(at) = found else {
        let what = format!("`{line}` has no argument `{}`", cut(name));
        let names: Vec<&str> = spec.positionals().map(|it| it.name.as_str()).collect();
        not_there(what, name, span, names.into_iter(), faults);
        return None;
    };
    let fields = param_fields(node, faults);
    let old = spec.params[at].clone();
    let (new, told) = changed(&old, spec, &fields, faults)?;
    spec.params[at] = new.clone();
    if new.name != old.name {
        rename(spec, &old.name, &new.name);
        // What stands behind `--` is found by its name there.
        let words = spec.usage.split(' ').map(|word| {
            match word.trim_matches(['[', ']', '(', ')', '<', '>', '.']) == old.name {
                true => word.replacen(&old.name, &new.name, 1),
                false => word.to_owned(),
            }
        });
        spec.usage = words.collect::<Vec<_>>().join(" ");
    }
    Some(format!("{} ({})", old.name, told.join(", ")))
}

/// A flag that the help does not show.
fn add(program: &mut Program, index: usize, node: &Node, faults: &mut Faults) -> Option<String> {
    let node = &without_add(node);
    let mut named = param::flag(node, faults)?;
    let spec = &program.commands[index];
    let says_joiner = node.entries.iter().filter_map(|entry| entry.key.as_ref());
    let children = node.children.iter().flatten().map(|child| &child.name);
    let says_joiner = says_joiner
        .chain(children)
        .any(|word| word.text == "joiner");
    let usual = usual_joiner(program);
    if let Role::Flag(spelling) = &mut named.param.role
        && !says_joiner
        && named.param.kind.takes_value()
        && spelling.long.is_some()
    {
        spelling.joiner = usual;
    }
    let forms = |spelling: &Spelling| [spelling.long.clone(), spelling.short.clone()];
    let own: Vec<String> = named
        .param
        .spelling()
        .map(forms)
        .into_iter()
        .flatten()
        .flatten()
        .collect();
    let taken = spec.flags().find(|flag| {
        let typed = flag.spelling().map(forms).into_iter().flatten().flatten();
        flag.name == named.param.name || typed.into_iter().any(|form| own.contains(&form))
    });
    if let Some(taken) = taken {
        let message = format!(
            "there is the flag `{}` already, which has its name or spelling",
            taken.name
        );
        let fault = Fault::new(Sort::Conflict, named.span, message);
        faults.add(fault.help("leave out `add` to change it"));
        return None;
    }
    let told = format!("--{} (added)", named.param.name);
    let spec = &mut program.commands[index];
    let at = spec.params.iter().position(|param| !param.is_flag());
    spec.params
        .insert(at.unwrap_or(spec.params.len()), named.param);
    Some(told)
}

/// How most of the program's flags are joined to their values.
fn usual_joiner(program: &Program) -> Joiner {
    let flags = program.commands.iter().flat_map(CommandSpec::own_flags);
    let spelled = flags
        .filter(|flag| flag.kind.takes_value())
        .filter_map(Param::spelling);
    let mut long = spelled.filter(|spelling| spelling.long.is_some());
    long.next()
        .map_or(Joiner::Space, |spelling| spelling.joiner)
}

fn rename(spec: &mut CommandSpec, old: &str, new: &str) {
    for group in &mut spec.groups {
        let (Group::Exclusive(names)
        | Group::Together(names)
        | Group::AnyOf(names)
        | Group::Requires(names)) = group;
        for name in names.iter_mut().filter(|name| *name == old) {
            new.clone_into(name);
        }
    }
}

/// `old` as `fields` say, and which of them do; nothing where one is wrong: a mistake
/// costs the whole entry.
fn changed(
    old: &Param,
    spec: &CommandSpec,
    fields: &Fields<'_>,
    faults: &mut Faults,
) -> Option<(Param, Vec<&'static str>)> {
    let known = faults.count();
    let mut new = old.clone();
    let told = change(&mut new, fields, faults);
    let wanted = snake(&new.name, "arg");
    let mut all = spec.params.iter().chain(spec.inherited.iter());
    let taken = |param: &Param| param.name != old.name && snake(&param.name, "arg") == wanted;
    if new.name != old.name && all.any(taken) {
        let span = fields.span("name").unwrap_or_default();
        let message = format!("there is an `arg` or `flag` `{}` already", new.name);
        faults.add(Fault::new(Sort::Conflict, span, message));
    }
    (faults.count() == known).then_some((new, told))
}

/// Makes `param` what `fields` say; which of them do.
fn change(param: &mut Param, fields: &Fields<'_>, faults: &mut Faults) -> Vec<&'static str> {
    let mut told = Vec::new();
    if let Some((name, span)) = fields.text("name", faults)
        && checks::name("flag", name, span, faults)
    {
        param.name = name.to_owned();
        param.from.note(Fact::Name, Evidence::Definition);
        told.push("name");
    }
    kind(param, fields, &mut told, faults);
    if let Role::Flag(spelling) = &mut param.role {
        if fields.has("joiner") {
            spelling.joiner = param::joiner(&param.kind, spelling, fields, faults);
            told.push("joiner");
        }
        if fields.has("negative") || fields.has("bare") {
            let place = spelling.after_words;
            param::forms(spelling, &param.kind, fields, faults);
            spelling.after_words = place;
            told.push("forms");
        }
    }
    if let Some((text, _)) = fields.text("description", faults) {
        param.text = text.trim().to_owned();
        param.from.note(Fact::Text, Evidence::Definition);
        told.push("description");
    }
    if let Some(required) = fields.flag("required", faults) {
        param.required = required;
        param.from.note(Fact::Required, Evidence::Definition);
        told.push("required");
    }
    if let Some(hidden) = fields.flag("hidden", faults) {
        param.hidden = hidden;
        told.push("hidden");
    }
    if let Some((why, _)) = fields.text("deprecated", faults) {
        param.deprecated = Some(why.to_owned());
        told.push("deprecated");
    }
    if let Some(effect) = fields.choice_of("effect", &EFFECTS[1..], &NO_EFFECT, faults) {
        param.effect = Some(effect);
        param.from.note(Fact::Effect, Evidence::Definition);
        told.push("effect");
    }
    if let Some(field) = fields.get("enum") {
        param.choices = param::choices(&param.kind, field, faults);
        param.from.note(Fact::Choices, Evidence::Definition);
        told.push("enum");
    }
    if let Some(text) = fields.value_text("program_default", faults) {
        param.default = Some(text);
        param.inject_default = false;
        told.push("program_default");
    }
    if let Some(field) = fields.get("default") {
        param.default = param::default(param, field, faults);
        param.inject_default = param.default.is_some();
        told.push("default");
    }
    if fields.has("default") || fields.has("program_default") {
        param.from.note(Fact::Default, Evidence::Definition);
    }
    for (other, why) in [
        ("hidden", "hidden, nobody could give it"),
        ("default", "its default would never be used"),
    ] {
        let clash = match other {
            "hidden" => param.hidden,
            _ => param.inject_default,
        };
        let span = fields.span("required").or(fields.span(other));
        if let (true, true, Some(span)) = (param.required, clash, span) {
            let message = format!("`{}` is required: {why}", param.name);
            faults.add(Fault::new(Sort::Conflict, span, message));
        }
    }
    told
}

/// What values it takes, and how several of them are written.
fn kind(param: &mut Param, fields: &Fields<'_>, told: &mut Vec<&'static str>, faults: &mut Faults) {
    let splits = ["repeat", "separator", "split"];
    let said = splits.iter().find(|name| fields.has(name));
    let new = match (&mut param.role, &param.kind) {
        (Role::Flag(spelling), _) if fields.has("type") => types::of_flag(fields, spelling, faults),
        (Role::Positional, _) if fields.has("type") => types::of_arg(fields, faults),
        (Role::Flag(spelling), Kind::One(scalar) | Kind::List(scalar, _)) if said.is_some() => {
            let scalar = scalar.clone();
            match fields.flag("repeat", faults) {
                Some(false) => Some(Kind::One(scalar)),
                _ => Some(Kind::List(scalar, types::split(fields, spelling, faults))),
            }
        }
        _ => None,
    };
    if let (Some(name), None) = (said.filter(|_| !fields.has("type")), &new) {
        let span = fields.span(name).unwrap_or_default();
        let fault = Fault::new(Sort::Conflict, span, format!("`{name}` is for arrays"));
        faults.add(fault.help("write `type \"array\"`, or leave it out"));
    }
    let Some(new) = new else { return };
    if !matches!(new, Kind::List(_, Split::Joined))
        && let Role::Flag(spelling) = &mut param.role
    {
        spelling.separator = None;
    }
    if !new.takes_value()
        && let Role::Flag(spelling) = &mut param.role
    {
        spelling.bare = None;
        param.choices.clear();
    }
    param.kind = new;
    param.from.note(Fact::Type, Evidence::Definition);
    told.push(if fields.has("type") { "type" } else { "repeat" });
}

fn cut(name: &str) -> String {
    name.chars().take(60).collect()
}
