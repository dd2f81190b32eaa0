//! Parameters that depend on each other: what a call must give together, and what not.

use std::collections::BTreeSet;

use crate::catalog::Tool;
use crate::catalog::names::{STDIN, Slot};
use crate::model::Group;

/// Something that a group names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Member {
    /// A parameter.
    Param(Slot),
    /// What the command reads.
    Stdin,
}

/// What `name` of a group stands for in `tool`; nothing where it is not offered.
fn member(tool: &Tool, name: &str) -> Option<Member> {
    let own = (0..tool.flags.len()).map(Slot::Own);
    let inherited = (0..tool.inherited.len()).map(Slot::Inherited);
    let positional = (0..tool.positionals.len()).map(Slot::Positional);
    own.chain(inherited)
        .chain(positional)
        .find(|slot| tool.param(*slot).name == name)
        .map(Member::Param)
        .or_else(|| (name == STDIN && tool.stdin).then_some(Member::Stdin))
}

/// Whether one of `asked` excludes the parameter at `slot`.
pub(super) fn is_excluded(tool: &Tool, slot: Slot, asked: &BTreeSet<Member>) -> bool {
    tool.spec().groups.iter().any(|group| match group {
        Group::Exclusive(names) => {
            let members = || names.iter().filter_map(|name| member(tool, name));
            members().any(|it| it == Member::Param(slot))
                && members().any(|it| it != Member::Param(slot) && asked.contains(&it))
        }
        Group::Together(_) | Group::AnyOf(_) | Group::Requires(_) => false,
    })
}

/// Everything that is wrong between the parameters of a call. `asked` is what the
/// caller gave, `present` has the defaults too; `shown` is what the caller knows a
/// member by.
pub(super) fn problems(
    tool: &Tool,
    asked: &BTreeSet<Member>,
    present: &BTreeSet<Member>,
    shown: impl Fn(Member) -> String,
) -> Vec<String> {
    let known = |names: &[String]| -> Vec<Member> {
        names.iter().filter_map(|name| member(tool, name)).collect()
    };
    let missing = |names: &[String]| -> Vec<String> {
        let name = |name: &String| match member(tool, name) {
            Some(member) if present.contains(&member) => None,
            Some(member) => Some(shown(member)),
            None => Some(name.clone()),
        };
        names.iter().filter_map(name).collect()
    };
    let is_asked = |member: &Member| asked.contains(member);
    let names = |members: &[Member]| -> Vec<String> {
        members.iter().map(|member| shown(*member)).collect()
    };
    let problem = |group: &Group| match group {
        Group::Exclusive(group) => {
            let given: Vec<Member> = known(group).into_iter().filter(is_asked).collect();
            let several = given.len() > 1;
            several.then(|| {
                format!(
                    "{} exclude each other: give one of them",
                    enumerate(&names(&given), "and")
                )
            })
        }
        Group::Together(group) => {
            let given: Vec<Member> = known(group).into_iter().filter(is_asked).collect();
            let missing = missing(group);
            (!given.is_empty() && !missing.is_empty()).then(|| {
                format!(
                    "{} can only be given together with {}",
                    enumerate(&names(&given), "and"),
                    enumerate(&missing, "and")
                )
            })
        }
        Group::AnyOf(group) => {
            let members = known(group);
            let none = !members.is_empty() && !members.iter().any(|it| present.contains(it));
            none.then(|| match names(&members).as_slice() {
                [one] => format!("`{one}` is required"),
                several => format!("at least one of {} is required", enumerate(several, "or")),
            })
        }
        Group::Requires(group) => {
            let (first, others) = group.split_first()?;
            let first = member(tool, first).filter(is_asked)?;
            let missing = missing(others);
            (!missing.is_empty())
                .then(|| format!("`{}` needs {}", shown(first), enumerate(&missing, "and")))
        }
    };
    tool.spec().groups.iter().filter_map(problem).collect()
}

/// The rules of `tool`'s groups for whoever calls it, a sentence each.
pub(crate) fn rules(tool: &Tool, shown: impl Fn(Option<Slot>) -> String) -> Vec<String> {
    let names = |names: &[String]| -> Vec<String> {
        let offered = names.iter().filter_map(|name| member(tool, name));
        offered
            .map(|member| match member {
                Member::Param(slot) => shown(Some(slot)),
                Member::Stdin => shown(None),
            })
            .collect()
    };
    let rule = |group: &Group| match group {
        Group::Exclusive(group) => {
            let names = names(group);
            (names.len() > 1).then(|| format!("Give at most one of {}.", enumerate(&names, "and")))
        }
        Group::Together(group) => {
            let names = names(group);
            (names.len() > 1)
                .then(|| format!("Give {} together or not at all.", enumerate(&names, "and")))
        }
        Group::AnyOf(group) => {
            let names = names(group);
            (!names.is_empty())
                .then(|| format!("Give at least one of {}.", enumerate(&names, "and")))
        }
        Group::Requires(group) => {
            let (first, others) = group.split_first()?;
            let first = names(std::slice::from_ref(first)).pop()?;
            let others = names(others);
            (!others.is_empty()).then(|| format!("`{first}` needs {}.", enumerate(&others, "and")))
        }
    };
    tool.spec().groups.iter().filter_map(rule).collect()
}

/// `` `a`, `b` and `c` ``.
fn enumerate(names: &[String], last: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((end, [])) => end.clone(),
        Some((end, head)) => format!("{} {last} {end}", head.join(", ")),
        None => String::new(),
    }
}
