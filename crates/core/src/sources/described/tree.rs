//! The model of what a description says, whatever its format.
//!
//! Readers say one command after the other; here parents that nobody described are
//! added, flags reach the commands below, effects are found and every fact is noted as
//! the program's own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::DescribedError;
use crate::model::{
    CommandSpec, Effect, Evidence, Fact, Family, Group, Kind, Loss, Param, Program, Reading, Role,
    Scalar, Spelling, Split,
};
use crate::sources::effect;

/// Commands beyond these are not kept.
const MOST_COMMANDS: usize = 20_000;
/// Words of a command's path.
pub(super) const MOST_WORDS: usize = 12;

/// Commands that a description has said so far.
#[derive(Debug)]
pub(super) struct Tree {
    name: String,
    version: Option<String>,
    said: Vec<Said>,
    known: BTreeSet<Vec<String>>,
    losses: Vec<Loss>,
    left_out: usize,
}

/// One command, as a description says it.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Own flags, then positionals; what is not said is empty.
    pub spec: CommandSpec,
    /// Own flags, by their names, that the commands below have as well.
    pub passed_on: BTreeSet<String>,
    /// Whether it does something by itself; nothing where the description does not say.
    pub runnable: Option<bool>,
    /// What it does, and who says so.
    pub effect: Option<(Effect, Evidence)>,
    /// Parameters that depend on each other, by a written form or a positional's name.
    pub groups: Vec<Group>,
    /// The first positional that stands only behind `--`.
    pub behind_dashes: Option<String>,
}

impl Said {
    /// The command at `path`, with nothing said of it.
    pub fn at(path: &[String]) -> Self {
        Self {
            spec: CommandSpec {
                path: path.to_vec(),
                ..CommandSpec::default()
            },
            ..Self::default()
        }
    }

    /// Takes `text` apart into the one line and the long text.
    pub fn tell(&mut self, short: &str, long: &str) {
        let (short, long) = (short.trim(), long.trim());
        let first = if short.is_empty() { long } else { short };
        let first = first.lines().next().unwrap_or_default();
        self.spec.summary = first.trim().to_owned();
        let long = if long.is_empty() { short } else { long };
        if long != self.spec.summary {
            self.spec.description = long.to_owned();
        }
    }

    /// Adds a flag, unless it is the one that asks for help.
    pub fn flag(&mut self, flag: Param, passed_on: bool) {
        if asks_for_help(&flag) || self.has(&flag) {
            return;
        }
        // A version is asked of the program, not of its commands.
        if passed_on && flag.name != "version" {
            self.passed_on.insert(flag.name.clone());
        }
        let flags = self.spec.params.iter().filter(|it| it.is_flag()).count();
        self.spec.params.insert(flags, flag);
    }

    fn has(&self, flag: &Param) -> bool {
        self.spec
            .own_flags()
            .any(|it| it.name == flag.name || forms(it).any(|form| forms(flag).any(|f| f == form)))
    }

    /// Adds a positional.
    pub fn positional(&mut self, positional: Param) {
        self.spec.params.push(positional);
    }
}

impl Tree {
    /// A tree for the program `name`.
    pub fn new(name: &str, version: Option<String>) -> Result<Self, DescribedError> {
        if name.is_empty() || name.starts_with('-') || name.contains(char::is_whitespace) {
            return Err(DescribedError(match name.trim() {
                "" => "does not say what its program is called".to_owned(),
                name => format!("calls its program `{name}`, which is no command's name"),
            }));
        }
        Ok(Self {
            name: name.to_owned(),
            version: version.filter(|version| !version.trim().is_empty()),
            said: Vec::new(),
            known: BTreeSet::new(),
            losses: Vec::new(),
            left_out: 0,
        })
    }

    /// Notes what the model does not hold of the command at `path`.
    pub fn lose(&mut self, path: &[String], what: impl Into<String>) {
        self.losses.push(Loss {
            path: path.to_vec(),
            what: what.into(),
        });
    }

    /// Adds a command and says whether its children are wanted too. Help commands are
    /// not: what they print is here.
    pub fn add(&mut self, said: Said) -> bool {
        let path = &said.spec.path;
        if path.last().is_some_and(|word| word == "help") {
            return false;
        }
        let is_word = |word: &String| {
            !word.is_empty() && !word.starts_with('-') && !word.contains(char::is_whitespace)
        };
        if let Some(word) = path.iter().find(|word| !is_word(word)) {
            let what = format!("`{word}` is not the name of a command");
            let above = path.split_last().map_or(&[][..], |(_, above)| above);
            self.losses.push(Loss {
                path: above.to_vec(),
                what,
            });
            return false;
        }
        if path.len() > MOST_WORDS || self.said.len() >= MOST_COMMANDS {
            self.left_out += 1;
            return false;
        }
        if !self.known.insert(path.clone()) {
            let (path, what) = (path.clone(), "is described twice; the first is taken");
            self.lose(&path, what);
            return false;
        }
        self.said.push(said);
        true
    }

    /// The program.
    pub fn finish(mut self) -> Reading {
        self.add_parents();
        let order: BTreeMap<Vec<String>, usize> = self
            .said
            .iter()
            .enumerate()
            .map(|(at, said)| (said.spec.path.clone(), at))
            .collect();
        // Parents before their children, and each with its own behind it.
        self.said.sort_by_cached_key(|said| {
            let path = &said.spec.path;
            let place = |end| order.get(&path[..end]).copied().unwrap_or(usize::MAX);
            (1..=path.len()).map(place).collect::<Vec<usize>>()
        });
        let parents: BTreeSet<Vec<String>> = self
            .said
            .iter()
            .filter_map(|said| said.spec.path.split_last())
            .map(|(_, parent)| parent.to_vec())
            .collect();
        let mut below: BTreeMap<Vec<String>, Arc<[Param]>> = BTreeMap::new();
        let mut commands = Vec::with_capacity(self.said.len());
        for said in self.said {
            let has_children = parents.contains(&said.spec.path);
            let above = said.spec.path.split_last();
            let above = above.and_then(|(_, parent)| below.get(parent)).cloned();
            let (command, passed) = command(&self.name, said, has_children, above);
            if has_children {
                below.insert(command.path.clone(), passed);
            }
            commands.push(command);
        }
        if self.left_out > 0 {
            self.losses.push(Loss {
                path: Vec::new(),
                what: format!(
                    "{} commands were left out: at most {MOST_COMMANDS} of {MOST_WORDS} words are kept",
                    self.left_out
                ),
            });
        }
        Reading {
            program: Program {
                name: self.name,
                executable: None,
                version: self.version,
                family: Family::Described,
                commands,
            },
            losses: self.losses,
        }
    }

    /// Commands that only lead to others may have been left out.
    fn add_parents(&mut self) {
        let missing: BTreeSet<Vec<String>> = self
            .known
            .iter()
            .flat_map(|path| (0..path.len()).map(|end| path[..end].to_vec()))
            .chain([Vec::new()])
            .filter(|path| !self.known.contains(path))
            .collect();
        for path in missing {
            let mut said = Said::at(&path);
            said.runnable = Some(self.known.is_empty());
            // Where the first of its children stood.
            let at = self
                .said
                .iter()
                .position(|it| it.spec.path.starts_with(&path))
                .unwrap_or(0);
            self.known.insert(path);
            self.said.insert(at, said);
        }
    }
}

/// The command, and the flags that the commands below it have from it.
fn command(
    program: &str,
    said: Said,
    has_children: bool,
    above: Option<Arc<[Param]>>,
) -> (CommandSpec, Arc<[Param]>) {
    let mut command = said.spec;
    let says = Evidence::SelfDescription;
    command.inherited = above.map_or_else(|| Arc::from([]), |above| without(&above, &command));
    for (fact, is_there) in [
        (Fact::Name, true),
        (Fact::Aliases, !command.aliases.is_empty()),
        (Fact::Group, command.group.is_some()),
        (Fact::Text, !command.summary.is_empty()),
        (Fact::Examples, !command.examples.is_empty()),
    ] {
        if is_there {
            command.from.note(fact, says);
        }
    }
    command.runnable = said
        .runnable
        .unwrap_or(!has_children || command.positionals().next().is_some())
        || !has_children;
    let runs = said.runnable.map_or(Evidence::Convention, |_| says);
    command.from.note(Fact::Runnable, runs);
    if command.usage.is_empty() {
        command.usage = usage_line(program, &command, said.behind_dashes.as_deref());
    }
    let mut groups: Vec<Group> = Vec::new();
    for group in said.groups.iter().filter_map(|it| named(it, &command)) {
        if !groups.iter().any(|it| means(it, &group)) {
            groups.push(group);
        }
    }
    command.groups = groups;
    let (effect, shown) = match said.effect {
        Some(said) => said,
        None => (effect::of_command(&command), Evidence::Convention),
    };
    command.effect = effect;
    command.from.note(Fact::Effect, shown);
    let effects: Vec<_> = command
        .params
        .iter()
        .map(|param| param.effect.or_else(|| effect::of_flag(&command, param)))
        .collect();
    for (param, effect) in command.params.iter_mut().zip(effects) {
        param.effect = effect;
    }
    let depth = command.path.len();
    let mut passed: Vec<Param> = Vec::new();
    for flag in command.own_flags() {
        if said.passed_on.contains(&flag.name) {
            passed.push(flag.clone());
        } else if !command.runnable && flag.name != "version" {
            // A command that does nothing by itself has flags for those below it, and
            // takes them before their names.
            let mut flag = flag.clone();
            flag.required = false;
            if let Role::Flag(spelling) = &mut flag.role {
                spelling.after_words = Some(depth);
            }
            passed.push(flag);
        }
    }
    let below = match passed.is_empty() {
        true => Arc::clone(&command.inherited),
        false => passed
            .into_iter()
            .chain(command.inherited.iter().cloned())
            .collect(),
    };
    (command, below)
}

/// `flags` without those that `command` has itself; the same where that is none.
fn without(flags: &Arc<[Param]>, command: &CommandSpec) -> Arc<[Param]> {
    let own: BTreeSet<&str> = command.own_flags().flat_map(forms).collect();
    let names: BTreeSet<&str> = command.params.iter().map(|it| it.name.as_str()).collect();
    let is_new = |flag: &Param| {
        !names.contains(flag.name.as_str()) && !forms(flag).any(|form| own.contains(form))
    };
    match flags.iter().all(is_new) {
        true => Arc::clone(flags),
        false => flags.iter().filter(|flag| is_new(flag)).cloned().collect(),
    }
}

/// A flag's written forms.
pub(super) fn forms(flag: &Param) -> impl Iterator<Item = &str> {
    let spelling = flag.spelling();
    let of = |part: fn(&Spelling) -> &Option<String>| spelling.and_then(|it| part(it).as_deref());
    of(|it| &it.long).into_iter().chain(of(|it| &it.short))
}

fn asks_for_help(flag: &Param) -> bool {
    match flag.kind {
        Kind::Switch | Kind::Count => {}
        _ => return false,
    }
    let form = |wanted: &str| forms(flag).any(|form| form == wanted);
    let long = flag.spelling().and_then(|spelling| spelling.long.as_ref());
    form("--help")
        || form("-help")
        || form("-?")
        || (long.is_none() && form("-h") && flag.text.to_lowercase().contains("help"))
}

/// `group` with the names of parameters in place of what they are written as.
fn named(group: &Group, command: &CommandSpec) -> Option<Group> {
    let name = |selector: &String| {
        let is_meant = |param: &&Param| match param.is_flag() {
            true => forms(param).any(|form| form == selector),
            false => param.name.eq_ignore_ascii_case(selector),
        };
        let own = command.params.iter().find(is_meant);
        let found = own.or_else(|| command.inherited.iter().find(is_meant));
        found.map(|param| param.name.clone())
    };
    let all = |members: &[String]| {
        let names: Vec<String> = members.iter().filter_map(name).collect();
        (names.len() == members.len() && names.len() > 1).then_some(names)
    };
    Some(match group {
        Group::Exclusive(members) => {
            // Each is only true of two at a time: one that is not there is no matter.
            let names: Vec<String> = members.iter().filter_map(name).collect();
            let distinct: BTreeSet<&String> = names.iter().collect();
            if distinct.len() < 2 || distinct.len() < names.len() {
                return None;
            }
            Group::Exclusive(names)
        }
        Group::Together(members) => Group::Together(all(members)?),
        Group::AnyOf(members) => Group::AnyOf(all(members)?),
        Group::Requires(members) => Group::Requires(all(members)?),
    })
}

/// Whether two groups say the same; what excludes another is excluded by it.
fn means(one: &Group, other: &Group) -> bool {
    match (one, other) {
        (Group::Exclusive(one), Group::Exclusive(other))
        | (Group::Together(one), Group::Together(other))
        | (Group::AnyOf(one), Group::AnyOf(other)) => {
            one.len() == other.len() && one.iter().all(|name| other.contains(name))
        }
        _ => one == other,
    }
}

/// `mise exec [flags] [TOOL]... [-- COMMAND]...`: what stands behind `--` is read off it.
fn usage_line(program: &str, command: &CommandSpec, behind: Option<&str>) -> String {
    let mut line = program.to_owned();
    for word in &command.path {
        line.push(' ');
        line.push_str(word);
    }
    if command.flags().next().is_some() {
        line.push_str(" [flags]");
    }
    for param in command.positionals() {
        let dashes = match behind == Some(param.name.as_str()) {
            true => "-- ",
            false => "",
        };
        let name = &param.name;
        line.push_str(&match param.required {
            true => format!(" {dashes}<{name}>"),
            false => format!(" [{dashes}{name}]"),
        });
        if param.kind.is_repeatable() {
            line.push_str("...");
        }
    }
    line
}

/// A flag with these forms: the first long one names it, else the first short one.
/// Nothing where there is none.
pub(super) fn flag<'a>(forms: impl IntoIterator<Item = &'a str>, kind: Kind) -> Option<Param> {
    let mut spelling = Spelling::default();
    for form in forms {
        let bare = form.trim_start_matches('-');
        let is_name = |c: char| !c.is_whitespace() && !c.is_control() && c != '=';
        if bare.is_empty() || !form.starts_with('-') || !bare.chars().all(is_name) {
            continue;
        }
        let place = match form.starts_with("--") || bare.chars().nth(1).is_some() {
            true => &mut spelling.long,
            false => &mut spelling.short,
        };
        place.get_or_insert_with(|| form.to_owned());
    }
    let name = spelling.long.as_ref().or(spelling.short.as_ref())?;
    let name = name.trim_start_matches('-').to_owned();
    let mut param = Param::flag(name, kind);
    param.role = Role::Flag(spelling);
    Some(param)
}

/// Notes where the facts of `param` come from, once it is whole.
pub(super) fn noted(mut param: Param) -> Param {
    let bare = param.spelling().is_some_and(|it| it.bare.is_some());
    for (fact, is_there) in [
        (Fact::Name, true),
        (Fact::Type, true),
        (Fact::Required, true),
        (Fact::Text, !param.text.is_empty()),
        (Fact::Default, param.default.is_some()),
        (Fact::Choices, !param.choices.is_empty()),
        (Fact::Bare, bare),
    ] {
        if is_there {
            param.from.note(fact, Evidence::SelfDescription);
        }
    }
    param
}

/// What takes from `least` to `most` values of type `scalar`, as a positional does.
pub(super) fn arity(scalar: Scalar, most: Option<u64>) -> Kind {
    match most {
        Some(0 | 1) => Kind::One(scalar),
        _ => Kind::List(scalar, Split::Words),
    }
}
