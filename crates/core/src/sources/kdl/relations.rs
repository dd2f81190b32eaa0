//! How parameters stand to each other: their order, their names, their groups.

use std::collections::BTreeMap;

use super::fault::{Fault, Sort, Span};
use super::fields::{Faults, Field, Fields};
use super::param::Named;
use super::syntax::Node;
use crate::catalog::names::{GLOBAL_FLAGS, STDIN, snake};
use crate::model::{Family, Group, Kind, Param, RunSpec, Secret};

/// Positionals by their place; those that ask for none fill the free places in order.
/// Who says of which `family` the parser is knows how it tells them apart.
pub(crate) fn in_order(
    args: Vec<Named>,
    family: Option<Family>,
    faults: &mut Faults,
) -> Vec<Named> {
    let known = faults.count();
    let mut placed: BTreeMap<usize, Named> = BTreeMap::new();
    let mut open = Vec::new();
    let count = args.len();
    for arg in args {
        let Some((place, span)) = arg.position else {
            open.push(arg);
            continue;
        };
        if let Some(other) = placed.get(&place) {
            let message = format!("`{}` is at position {place} already", other.param.name);
            let fault = Fault::new(Sort::Conflict, span, message);
            let first = other.position.map_or(other.span, |(_, span)| span);
            faults.add(fault.other(first, "it is here"));
            continue;
        }
        placed.insert(place, arg);
    }
    let mut place = 0;
    for arg in open {
        while placed.contains_key(&place) {
            place += 1;
        }
        placed.insert(place, arg);
    }
    let gap = (0..count).find(|place| !placed.contains_key(place));
    let last = placed.last_key_value();
    if let (Some(gap), Some((&place, arg)), true) = (gap, last, faults.count() == known) {
        let span = arg.position.map_or(arg.span, |(_, span)| span);
        let message = format!(
            "`{}` is at position {place}, but nothing is at {gap}",
            arg.param.name
        );
        let fault = Fault::new(Sort::Conflict, span, message);
        faults.add(fault.help("positions count from 0 without gaps; without `position` they follow the order of writing"));
    }
    let ordered: Vec<Named> = placed.into_values().collect();
    let before_last = ordered.len().saturating_sub(1);
    for (place, arg) in ordered[..before_last].iter().enumerate() {
        // `cp SOURCE... TARGET`: counted from the end, there is no doubt.
        let mut behind = ordered[place + 1..].iter().map(|arg| &arg.param);
        let is_clear = behind.all(|arg| arg.required && !matches!(arg.kind, Kind::List(..)));
        if matches!(arg.param.kind, Kind::List(..)) && !is_clear && family.is_none() {
            let message = format!(
                "`{}` takes any number of words and must be the last `arg`",
                arg.param.name
            );
            faults.add(Fault::new(Sort::Conflict, arg.span, message));
        }
    }
    ordered
}

/// Finds fault with two parameters that would be given or typed alike.
pub(crate) fn check_names(
    flags: &[Named],
    args: &[Named],
    inherited: &[Param],
    run: &RunSpec,
    fields: &Fields<'_>,
    faults: &mut Faults,
) {
    let mut names: BTreeMap<String, (String, Option<Span>)> = BTreeMap::new();
    let mut spellings: BTreeMap<String, (String, Option<Span>)> = BTreeMap::new();
    let taken = |name: &str| (format!("the {name}"), None);
    names.insert(GLOBAL_FLAGS.to_owned(), taken("shared flags"));
    let reads = run.stdin.is_some();
    if reads {
        names.insert(
            STDIN.to_owned(),
            ("what it reads".to_owned(), fields.span(STDIN)),
        );
    }
    let inherited = inherited.iter().map(|flag| (flag, None));
    let own = flags
        .iter()
        .chain(args)
        .map(|named| (&named.param, Some(named.span)));
    for (param, span) in inherited.chain(own) {
        let what = format!("`{}`", param.name);
        let property = snake(&param.name, "arg");
        let at = span.unwrap_or_default();
        if let (Some((other, first)), true) = (names.get(&property), span.is_some()) {
            let again = *other == what;
            let message = match again {
                true => format!("there is an `arg` or `flag` {what} already"),
                false => format!("{what} and {other} would both be given as `{property}`"),
            };
            faults.add(beside(Fault::new(Sort::Conflict, at, message), *first));
            if again {
                continue;
            }
        }
        names
            .entry(property)
            .or_insert_with(|| (what.clone(), span));
        let typed = param
            .spelling()
            .map(|spelling| [spelling.long.clone(), spelling.short.clone()]);
        for typed in typed.into_iter().flatten().flatten() {
            if let (Some((other, first)), true) = (spellings.get(&typed), span.is_some()) {
                let fault = match *other == what {
                    true => {
                        let message = format!("{what} has `{typed}` as `short` and as `long`");
                        Fault::new(Sort::Conflict, at, message).help("leave one of them out")
                    }
                    false => {
                        let message = format!("{what} and {other} are both typed `{typed}`");
                        beside(Fault::new(Sort::Conflict, at, message), *first)
                    }
                };
                faults.add(fault);
            }
            spellings
                .entry(typed)
                .or_insert_with(|| (what.clone(), span));
        }
    }
}

/// Finds fault with two flags of a set that would be given or typed alike.
pub(crate) fn check_set(flags: &[Named], faults: &mut Faults) {
    let mut names: BTreeMap<String, Span> = BTreeMap::new();
    for Named { param, span, .. } in flags {
        let spelling = param.spelling();
        let typed = spelling.map(|spelling| [&spelling.long, &spelling.short]);
        let typed = typed.into_iter().flatten().flatten().cloned();
        for name in typed.chain([snake(&param.name, "flag")]) {
            if let Some(first) = names.insert(name.clone(), *span) {
                let message = format!("two flags of this set are `{name}`");
                faults.add(beside(
                    Fault::new(Sort::Conflict, *span, message),
                    Some(first),
                ));
            }
        }
    }
}

/// `fault` with the place of the other one, where that is known.
fn beside(fault: Fault, other: Option<Span>) -> Fault {
    match other {
        Some(span) => fault.other(span, "the other is here"),
        None => fault,
    }
}

/// Finds fault with secrets that would meet something else on their way.
pub(crate) fn check_secrets(
    flags: &[Named],
    inherited: &[Param],
    run: &RunSpec,
    fields: &Fields<'_>,
    node: &Node,
    faults: &mut Faults,
) {
    let mut ways: Vec<&Secret> = Vec::new();
    let inherited = inherited.iter().map(|flag| (flag, node.name.span));
    let own = flags.iter().map(|flag| (&flag.param, flag.span));
    for (flag, span) in inherited.chain(own) {
        let Some(secret) = &flag.secret else {
            continue;
        };
        let problem = match secret {
            _ if ways.contains(&secret) => Some("another secret goes the same way".to_owned()),
            Secret::Environment(variable) if run.env.contains_key(variable) => {
                Some(format!("`env` sets `{variable}` too"))
            }
            Secret::Stdin if run.stdin.is_some() => {
                Some("the command reads something else from its stdin".to_owned())
            }
            Secret::Environment(_) | Secret::Stdin => None,
        };
        if let Some(problem) = problem {
            let message = format!("the secret `{}` cannot be passed: {problem}", flag.name);
            let fault = Fault::new(Sort::Conflict, span, message);
            let other = match secret {
                Secret::Stdin => fields.span(STDIN),
                Secret::Environment(_) => fields.span("env"),
            };
            faults.add(beside(fault, other));
        }
        ways.push(secret);
    }
}

/// The group that `node` is, if it is one.
pub(crate) fn group(node: &Node, names: &[&str], faults: &mut Faults) -> Option<Group> {
    let make = match node.name.text.as_str() {
        "exclusive" => Group::Exclusive,
        "together" => Group::Together,
        "any_of" => Group::AnyOf,
        "requires" => Group::Requires,
        _ => return None,
    };
    let field = Field::of(node);
    let known = faults.count();
    let mut members: Vec<String> = Vec::new();
    for (name, span) in field.texts(faults) {
        if !names.contains(&name) {
            let shown: String = name.chars().take(40).collect();
            let message = format!("`{shown}` is no `arg` or `flag` here");
            let bare = name.trim_start_matches('-').replace('_', "-");
            let fault = Fault::new(Sort::Unknown, span, message);
            faults.add(match faults.nearest(&bare, names.iter().copied()) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault.help("members are named as after `arg` and `flag`"),
            });
        } else if members.iter().any(|member| member == name) {
            let message = format!("`{}` names `{name}` twice", field.name);
            faults.add(Fault::new(Sort::Conflict, span, message));
        } else {
            members.push(name.to_owned());
        }
    }
    if members.len() < 2 && faults.count() == known {
        let message = format!("`{}` takes at least two names", field.name);
        faults.add(Fault::new(Sort::Value, field.span, message));
    }
    Some(make(members))
}

/// The members of `group`.
pub(crate) fn names_of(group: &Group) -> &[String] {
    match group {
        Group::Exclusive(names)
        | Group::Together(names)
        | Group::AnyOf(names)
        | Group::Requires(names) => names,
    }
}
