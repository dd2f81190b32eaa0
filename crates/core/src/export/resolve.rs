//! The parameters of a command as a definition can hold them: each with a name of its
//! own, none typed like another.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::catalog::names::{Slot, snake};
use crate::catalog::{Layout, Tool};
use crate::model::{CommandSpec, Joiner, Param, Program, Role};
use crate::sources::kdl::checks;

/// A command's parameters, and what could not be kept of them.
pub(super) struct Resolved {
    /// Own flags, then positionals.
    pub own: Vec<Param>,
    /// Flags from above that no flag of its own stands in the place of.
    pub inherited: Vec<Param>,
    /// What was changed or left out, a sentence each.
    pub notes: Vec<String>,
    /// Old and new names of what had to be called otherwise.
    pub renamed: Vec<(String, String)>,
}

/// The parameters of the command at `index` of `program`.
pub(super) fn resolve(program: &Arc<Program>, index: usize) -> Resolved {
    let spec = &program.commands[index];
    let mut resolved = Resolved {
        own: Vec::new(),
        inherited: Vec::new(),
        notes: Vec::new(),
        renamed: Vec::new(),
    };
    let tool = whole(program, index, spec);
    let mut typed = BTreeSet::new();
    for property in tool.properties(Layout::Flat) {
        let mut param = property.param.clone();
        let otherwise = if param.is_flag() { "flag" } else { "arg" };
        if !is_name(&param.name) || snake(&param.name, otherwise) != property.name {
            let mut name = property.name.clone();
            name.truncate(checks::LONGEST_NAME);
            resolved.notes.push(format!(
                "`{}` is called `{name}` here: a name of its own, of letters, digits, `_`, `-` and `.`",
                param.name
            ));
            let old = std::mem::replace(&mut param.name, name.clone());
            resolved.renamed.push((old, name));
        }
        if param.default.take_if(|it| it.contains('\0')).is_some() {
            resolved.notes.push(format!(
                "the default of `{}` holds a NUL, which cannot be written",
                param.name
            ));
        }
        if let Some(lost) = spell(&mut param, &mut typed, &mut resolved.notes) {
            resolved.notes.push(lost);
            continue;
        }
        match property.slot {
            Slot::Inherited(_) => resolved.inherited.push(param),
            Slot::Own(_) | Slot::Positional(_) => resolved.own.push(param),
        }
    }
    // Properties name positionals first; words and definitions have them last.
    resolved.own.sort_by_key(|param| !param.is_flag());
    resolved
}

/// The command with all that it has, hidden or not.
fn whole(program: &Arc<Program>, index: usize, spec: &CommandSpec) -> Tool {
    let own: Vec<Param> = match spec.raw_words {
        true => Vec::new(),
        false => spec.own_flags().cloned().collect(),
    };
    let names: BTreeSet<&str> = own.iter().map(|flag| flag.name.as_str()).collect();
    let inherited = spec.inherited.iter();
    let inherited = inherited.filter(|it| !spec.raw_words && !names.contains(it.name.as_str()));
    let inherited: Arc<[Param]> = inherited.cloned().collect();
    Tool {
        name: String::new(),
        program: Arc::clone(program),
        label: Arc::from(program.name.as_str()),
        command: index,
        flags: own,
        inherited,
        folded: false,
        positionals: spec.positionals().cloned().collect(),
        reserved: Vec::new(),
        stdin: false,
        constants: Vec::new(),
        data_schema: None,
    }
}

pub(super) fn is_name(name: &str) -> bool {
    checks::is_name(name)
}

/// Makes a flag's spelling one that nothing else here has; a sentence where it has none.
fn spell(
    param: &mut Param,
    typed: &mut BTreeSet<String>,
    notes: &mut Vec<String>,
) -> Option<String> {
    let name = param.name.clone();
    let takes_value = param.kind.takes_value();
    let Role::Flag(spelling) = &mut param.role else {
        return None;
    };
    let attached = takes_value && spelling.joiner == Joiner::Attached;
    if attached && spelling.short.is_some() {
        // Only the short form is ever written.
        let long = spelling.long.take_if(|long| long.starts_with("--"));
        notes.extend(long.map(|long| format!("`{name}` can be written `{long}` too")));
    }
    for form in [&mut spelling.long, &mut spelling.short] {
        let unfit = form.take_if(|form| !checks::is_spelling(form));
        notes
            .extend(unfit.map(|form| {
                format!("`{name}` is written `{form}` too, which cannot be said here")
            }));
    }
    // A definition has one character there; what has more is a long form with one dash.
    if let Some(short) = spelling.short.take_if(|short| short.chars().count() != 2) {
        match spelling.long {
            None => spelling.long = Some(short),
            Some(_) => notes.push(format!("`{name}` can be written `{short}` too")),
        }
    }
    if spelling.long == spelling.short {
        spelling.long = None;
    }
    let taken = |form: &Option<String>| form.as_ref().is_some_and(|form| typed.contains(form));
    if taken(&spelling.long) || (spelling.long.is_none() && taken(&spelling.short)) {
        let form = spelling.long.as_ref().or(spelling.short.as_ref());
        let form = form.cloned().unwrap_or_default();
        return Some(format!(
            "`{name}` is left out: `{form}` stands for another flag already"
        ));
    }
    if taken(&spelling.short) {
        let short = spelling.short.take().unwrap_or_default();
        notes.push(format!(
            "`{name}` loses `{short}`, which stands for another flag already"
        ));
    }
    if spelling.long.is_none() && spelling.short.is_none() {
        return Some(format!(
            "the flag `{name}` is left out: it cannot be written here"
        ));
    }
    typed.extend(
        [&spelling.long, &spelling.short]
            .into_iter()
            .flatten()
            .cloned(),
    );
    None
}
