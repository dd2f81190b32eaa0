//! Tells which run a process belongs to.

use std::collections::{BTreeMap, BTreeSet};

use rustix::process::Pid;

use super::processes::{self, Process};
use super::tree::{MARK, MARK_PREFIX, registry};

/// Whose a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Run(u64),
    /// Started by some run that cannot be told any more.
    Orphan,
    /// Not started by any run.
    Stranger,
}

/// Living processes that `wanted` says yes to.
pub(super) fn survey(mut wanted: impl FnMut(Owner, &Process) -> bool) -> Vec<Process> {
    let all = processes::all();
    let view = View::new(&all);
    let mut known = BTreeMap::new();
    all.iter()
        .filter(|process| !process.zombie && process.pid != view.me.pid)
        .filter(|process| wanted(view.owner(process, &mut known), process))
        .copied()
        .collect()
}

/// What the owner of a process is told from.
struct View<'a> {
    me: Process,
    by_pid: BTreeMap<i32, &'a Process>,
    mains: BTreeMap<i32, u64>,
    past: BTreeSet<i32>,
}

impl<'a> View<'a> {
    fn new(all: &'a [Process]) -> Self {
        let by_pid: BTreeMap<i32, &Process> =
            all.iter().map(|process| (process.pid, process)).collect();
        let registry = registry();
        Self {
            me: myself(),
            by_pid,
            mains: registry
                .live
                .iter()
                .map(|(&number, live)| (live.main, number))
                .collect(),
            past: registry.past.iter().copied().collect(),
        }
    }

    fn owner(&self, process: &Process, known: &mut BTreeMap<i32, Owner>) -> Owner {
        let mut chain: Vec<&Process> = Vec::new();
        let mut at = process;
        // Whose the top of the chain is, if nothing on the way says otherwise.
        let top = loop {
            if let Some(&owner) = known.get(&at.pid) {
                break owner;
            }
            chain.push(at);
            if at.parent == self.me.pid {
                break match is_adopted(at, &self.me, |group| self.past.contains(&group)) {
                    true => Owner::Orphan,
                    false => Owner::Stranger,
                };
            }
            match self.by_pid.get(&at.parent) {
                // A loop can only be seen while pids are being used again.
                Some(parent) if !chain.iter().any(|seen| seen.pid == parent.pid) => at = parent,
                // A parent that may not be seen hides where the chain leads.
                None if at.parent > 1 => break Owner::Stranger,
                // Everything that runs start descends from here: this does not.
                _ => {
                    known.extend(chain.iter().map(|seen| (seen.pid, Owner::Stranger)));
                    return Owner::Stranger;
                }
            }
        };
        for (index, seen) in chain.iter().enumerate() {
            if let Some(owner) = self.sign(seen) {
                known.extend(chain[..=index].iter().map(|below| (below.pid, owner)));
                return owner;
            }
        }
        known.extend(chain.iter().map(|seen| (seen.pid, top)));
        top
    }

    /// The run that a process itself points to: by its group, session or mark.
    fn sign(&self, process: &Process) -> Option<Owner> {
        let group = self.mains.get(&process.group);
        let by_group = group.or_else(|| self.mains.get(&process.session)).copied();
        by_group.or_else(|| marked(process.pid)).map(Owner::Run)
    }
}

/// Whether a child of this process was not started by it but came to it. What
/// another part of the program starts stays in the program's session.
pub(super) fn is_adopted(child: &Process, me: &Process, is_past: impl Fn(i32) -> bool) -> bool {
    !is_past(child.pid) && (child.session != me.session || is_past(child.group))
}

/// This process. Its group and session are 0 where they cannot be known: without
/// `/proc`, where nobody else is seen either, and where they belong to the outside of
/// a container. Never asked of the system calls, whose wrappers take no 0.
pub(super) fn myself() -> Process {
    let pid = raw(rustix::process::getpid());
    processes::one(pid).unwrap_or(Process {
        pid,
        parent: 0,
        group: 0,
        session: 0,
        zombie: false,
        started: 0,
    })
}

/// The number of the run whose mark a process carries.
fn marked(pid: i32) -> Option<u64> {
    processes::variable(pid, MARK)?
        .split('/')
        .find_map(|mark| mark.strip_prefix(MARK_PREFIX.as_str())?.parse().ok())
}

pub(super) fn raw(pid: Pid) -> i32 {
    pid.as_raw_nonzero().get()
}
