//! Which commands are tools, and under which names.
//!
//! Tool names are looked up here and nowhere taken apart. What a selection leaves
//! out is left out of the [`Tool`] itself, so that no later step can reach it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::{CommandSpec, Family, Param, Program};
use crate::schema::{self, DataSchema};

pub mod names;
mod selection;

use selection::Named;

/// The shape of tools and their arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Flags and positionals as sibling properties.
    #[default]
    Flat,
    /// `{flags, args}` as ophis has it.
    Nested,
}

/// Which commands and flags are offered.
///
/// Command globs are matched against `pr list`, `gh pr list` (by name or alias,
/// word by word) and the tool's name `gh_pr_list`; naming a parent names its
/// subtree. Flag globs are matched against `dry-run`, `--dry-run`, `dry_run` and,
/// as `-n`, the short spelling.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Command globs; empty allows every command.
    pub allow: Vec<String>,
    /// Command globs that are left out; stronger than `allow`.
    pub deny: Vec<String>,
    /// Flag globs; empty allows every flag.
    pub allow_flags: Vec<String>,
    /// Flag globs that are left out; stronger than `allow_flags`.
    pub deny_flags: Vec<String>,
    /// Only commands known to be harmless, without the flags that raise them.
    pub read_only: bool,
    /// Hidden and deprecated commands and flags too.
    pub include_hidden: bool,
    /// Command globs: what these read from their stdin can be given.
    pub stdin: Vec<String>,
}

/// How inherited flags appear in schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inherited {
    /// Listed in each schema up to so many, beyond it folded into `global_flags`.
    Limit(usize),
    /// Always listed.
    All,
    /// Not offered, but for those without which the program refuses to run.
    None,
}

/// Inherited flags that a tool lists unless told otherwise.
const MOST_LISTED: usize = 20;

impl Default for Inherited {
    fn default() -> Self {
        Inherited::Limit(MOST_LISTED)
    }
}

/// Every tool of the programs served.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    tools: Vec<Tool>,
    by_name: BTreeMap<String, usize>,
}

/// One command as a tool: what of it the selection left.
#[derive(Debug, Clone)]
pub struct Tool {
    /// The name under which it is called.
    pub name: String,
    /// The program it belongs to.
    pub program: Arc<Program>,
    /// What addresses call that program: its name, numbered where two share it.
    pub label: Arc<str>,
    /// Its index in the program's commands.
    pub command: usize,
    /// Own flags that are offered, and inherited ones that are required although
    /// the rest is folded or left out.
    pub flags: Vec<Param>,
    /// Inherited flags that are offered.
    pub inherited: Arc<[Param]>,
    /// Whether inherited flags are folded into one `global_flags` object.
    pub folded: bool,
    /// Positionals in order.
    pub positionals: Vec<Param>,
    /// Words that must not stand as a positional because the program would read
    /// them as a subcommand: names and aliases of the command's children.
    pub reserved: Vec<String>,
    /// Whether a call may give what the command reads from its stdin.
    pub stdin: bool,
    /// Flags that no caller is shown and every call gives, with their defaults: a
    /// definition says so.
    pub constants: Vec<Param>,
    /// What the command's output must be, where a definition declares it.
    pub data_schema: Option<Arc<DataSchema>>,
}

impl Tool {
    /// The command behind it.
    pub fn spec(&self) -> &CommandSpec {
        &self.program.commands[self.command]
    }

    /// The family that its words are written for: the program's, or the one that a
    /// definition says.
    pub fn family(&self) -> Family {
        family(&self.program, self.spec())
    }

    /// The command as a person types it: `gh pr list`.
    pub fn command_line(&self) -> String {
        self.program.command_line(&self.spec().path)
    }
}

fn family(program: &Program, spec: &CommandSpec) -> Family {
    let said = spec.run.as_ref().and_then(|run| run.family);
    said.unwrap_or(program.family)
}

/// Why there is no catalog.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// A glob or the whole selection matches nothing.
    #[error("{0}")]
    NothingSelected(String),
    /// A command declares an output that is none.
    #[error("the output schema of `{command}` is not a JSON Schema: {reason}")]
    OutputSchema {
        /// The command as it is typed.
        command: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// What the names of tools begin with that somebody defined by hand.
const DEFINED: &str = "cli";

/// Commands of Cobra's own that are no tools.
pub(crate) const HELPERS: [&str; 4] = ["help", "completion", "__complete", "__completeNoDesc"];

impl Catalog {
    /// The tools of `programs` that `selection` offers.
    pub fn build(
        programs: &[Arc<Program>],
        selection: &Selection,
        inherited: Inherited,
    ) -> Result<Self, CatalogError> {
        let names = tool_names(programs);
        let families: Vec<Children<'_>> =
            programs.iter().map(|program| children(program)).collect();
        let all: Vec<(usize, usize, Named<'_>)> = programs
            .iter()
            .enumerate()
            .flat_map(|(at, program)| {
                let names = &names;
                program
                    .commands
                    .iter()
                    .enumerate()
                    .map(move |(command, spec)| {
                        let name = names.get(&(at, command)).map_or("", String::as_str);
                        (at, command, selection.name(program, spec, name))
                    })
            })
            .collect();
        let (places, named): (Vec<(usize, usize)>, Vec<Named<'_>>) = all
            .into_iter()
            .map(|(at, command, named)| ((at, command), named))
            .unzip();
        selection.check(&named)?;

        let labels = labels(programs);
        let mut catalog = Self::default();
        let mut shared = Shared::default();
        for ((at, command), named) in places.into_iter().zip(&named) {
            if named.tool.is_empty() || !selection.offers(named) {
                continue;
            }
            let program = &programs[at];
            let mut tool = tool(named.tool, program, command, selection, &mut shared);
            tool.label = Arc::clone(&labels[at]);
            tool.stdin = selection.gives_stdin(named) || reads_stdin(tool.spec());
            tool.data_schema = data_schema(&tool)?;
            let children = families[at].get(tool.spec().path.as_slice());
            let children = children.map_or(&[][..], Vec::as_slice);
            fold(&mut tool, inherited, children);
            tool.reserved = reserved(program, tool.spec(), children);
            catalog
                .by_name
                .insert(tool.name.clone(), catalog.tools.len());
            catalog.tools.push(tool);
        }
        match catalog.tools.is_empty() {
            true => Err(selection.nothing_left(&named)),
            false => Ok(catalog),
        }
    }

    /// The tools in order.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool called `name`.
    pub fn find(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name).map(|&index| &self.tools[index])
    }

    /// The tool whose name `name` most looks like.
    pub fn nearest(&self, name: &str) -> Option<&Tool> {
        let names = self.tools.iter().map(|tool| tool.name.as_str());
        self.find(names::nearest(name, names)?)
    }
}

/// The name of every command that could be a tool, by program and command. A
/// selection changes none of them.
fn tool_names(programs: &[Arc<Program>]) -> BTreeMap<(usize, usize), String> {
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (at, program) in programs.iter().enumerate() {
        let mut commands: Vec<usize> = (0..program.commands.len())
            .filter(|&command| is_tool(program, &program.commands[command]))
            .collect();
        commands.sort_by_key(|&command| &program.commands[command].path);
        order.extend(commands.into_iter().map(|command| (at, command)));
    }
    // What somebody called otherwise, by its path; the root is the program's name.
    let called: Vec<BTreeMap<&[String], &str>> = programs
        .iter()
        .map(|program| {
            let commands = program.commands.iter();
            let named = commands.filter_map(|it| Some((it.path.as_slice(), it.called.as_deref()?)));
            named.collect()
        })
        .collect();
    let wanted = |&(at, command): &(usize, usize)| {
        let program = &programs[at];
        let mut words = match program.family {
            Family::Definition => vec![DEFINED, program.name.as_str()],
            _ => vec![program.name.as_str()],
        };
        let path = &program.commands[command].path;
        words.extend(path.iter().map(String::as_str));
        let first = words.len() - path.len() - 1;
        for depth in 0..=path.len() {
            if let Some(name) = called[at].get(&path[..depth]) {
                words[first + depth] = name;
            }
        }
        names::shorten(&names::plain(&words.join("_")))
    };
    let mut names = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let mut late = Vec::new();
    for place in order {
        let name = wanted(&place);
        match taken.insert(name.clone()) {
            true => drop(names.insert(place, name)),
            false => late.push((place, name)),
        }
    }
    for (place, name) in late {
        let name = names::free_name(&name, |name| taken.contains(name));
        taken.insert(name.clone());
        names.insert(place, name);
    }
    names
}

/// A label for each of `programs` that no other has.
fn labels(programs: &[Arc<Program>]) -> Vec<Arc<str>> {
    let mut taken: BTreeSet<Arc<str>> = BTreeSet::new();
    let label = |program: &Arc<Program>| {
        let name = &program.name;
        let mut label: Arc<str> = Arc::from(name.as_str());
        let mut number = 2u32;
        while !taken.insert(Arc::clone(&label)) {
            label = format!("{name}_{number}").into();
            number += 1;
        }
        label
    };
    programs.iter().map(label).collect()
}

fn is_tool(program: &Program, command: &CommandSpec) -> bool {
    let first = command.path.first();
    let helper = first.is_some_and(|word| HELPERS.contains(&word.as_str()));
    // Whoever writes a definition means what it says.
    command.runnable && (!helper || program.family == Family::Definition)
}

/// Whether a definition says that the command reads something.
fn reads_stdin(spec: &CommandSpec) -> bool {
    spec.run.as_ref().is_some_and(|run| run.stdin.is_some())
}

fn data_schema(tool: &Tool) -> Result<Option<Arc<DataSchema>>, CatalogError> {
    let run = tool.spec().run.as_ref();
    let schema = run.and_then(|run| run.output_schema.as_ref());
    let compiled = schema.map(DataSchema::compile).transpose();
    compiled
        .map(|schema| schema.map(Arc::new))
        .map_err(|reason| CatalogError::OutputSchema {
            command: tool.command_line(),
            reason,
        })
}

/// Inherited sets that were met, each with what the selection offers of it.
#[derive(Default)]
struct Shared(Vec<Offer>);

struct Offer {
    whole: Arc<[Param]>,
    offered: Arc<[Param]>,
    names: BTreeSet<String>,
}

impl Shared {
    fn offer(&mut self, whole: &Arc<[Param]>, selection: &Selection) -> &Offer {
        let known = self.0.iter().position(|it| Arc::ptr_eq(&it.whole, whole));
        let index = known.unwrap_or_else(|| {
            let offered = match whole.iter().all(|flag| selection.offers_flag(flag)) {
                true => Arc::clone(whole),
                false => whole
                    .iter()
                    .filter(|flag| selection.offers_flag(flag))
                    .cloned()
                    .collect(),
            };
            self.0.push(Offer {
                whole: Arc::clone(whole),
                names: offered.iter().map(|flag| flag.name.clone()).collect(),
                offered,
            });
            self.0.len() - 1
        });
        &self.0[index]
    }
}

fn tool(
    name: &str,
    program: &Arc<Program>,
    command: usize,
    selection: &Selection,
    shared: &mut Shared,
) -> Tool {
    let spec = &program.commands[command];
    let mut flags: Vec<Param> = Vec::new();
    let mut offered: Arc<[Param]> = Arc::new([]);
    // A raw command hands every word on: none of them is a flag to it.
    if !spec.raw_words {
        flags.extend(
            spec.own_flags()
                .filter(|flag| selection.offers_flag(flag))
                .cloned(),
        );
        // Thousands of them stay for as long as a server runs.
        flags.shrink_to_fit();
        let offer = shared.offer(&spec.inherited, selection);
        offered = Arc::clone(&offer.offered);
        let shadows: Vec<&str> = spec
            .own_flags()
            .map(|own| own.name.as_str())
            .filter(|name| offer.names.contains(*name))
            .collect();
        if !shadows.is_empty() {
            offered = offered
                .iter()
                .filter(|flag| !shadows.contains(&flag.name.as_str()))
                .cloned()
                .collect();
        }
    }
    Tool {
        name: name.to_owned(),
        program: Arc::clone(program),
        label: Arc::from(program.name.as_str()),
        command,
        flags,
        inherited: offered,
        folded: false,
        positionals: spec.positionals().cloned().collect(),
        constants: spec
            .flags()
            .filter(|flag| schema::injected(flag).is_some() && selection.gives_unshown(flag))
            .cloned()
            .collect(),
        stdin: false,
        reserved: Vec::new(),
        data_schema: None,
    }
}

/// Folds inherited flags or leaves them out, as `choice` says, but for those
/// without which the program refuses to run.
///
/// The flags that a parent passes on are its own, and as many as its `children`
/// inherit: where those are too many to list, so are these.
fn fold(tool: &mut Tool, choice: Inherited, children: &[&CommandSpec]) {
    let most = match choice {
        Inherited::All => return,
        Inherited::Limit(most) => most,
        Inherited::None => {
            leave_out(tool);
            MOST_LISTED
        }
    };
    let passed_on: BTreeSet<&str> = children
        .iter()
        .map(|child| &child.inherited)
        .max_by_key(|inherited| inherited.len())
        .into_iter()
        .flat_map(|inherited| inherited.iter().map(|flag| flag.name.as_str()))
        .collect();
    let own_passed_on = tool
        .flags
        .iter()
        .filter(|flag| passed_on.contains(flag.name.as_str()))
        .count();
    tool.folded = tool.inherited.len() + own_passed_on > most;
    if !tool.folded {
        return;
    }
    if own_passed_on > 0 {
        let (shared, own): (Vec<Param>, Vec<Param>) = std::mem::take(&mut tool.flags)
            .into_iter()
            .partition(|flag| passed_on.contains(flag.name.as_str()));
        tool.flags = own;
        tool.inherited = shared
            .into_iter()
            .chain(tool.inherited.iter().cloned())
            .collect();
    }
    keep_required(tool);
}

/// Takes inherited flags away, but for the required.
fn leave_out(tool: &mut Tool) {
    keep_required(tool);
    let given = tool.inherited.iter().filter(|flag| flag.inject_default);
    tool.constants.extend(given.cloned());
    tool.inherited = Arc::new([]);
}

/// Makes the required of the inherited flags the tool's own.
fn keep_required(tool: &mut Tool) {
    if tool.inherited.iter().any(|flag| flag.required) {
        let (required, rest): (Vec<Param>, Vec<Param>) = tool
            .inherited
            .iter()
            .cloned()
            .partition(|flag| flag.required);
        tool.flags.extend(required);
        tool.inherited = rest.into();
    }
}

/// The children of each parent.
type Children<'a> = BTreeMap<&'a [String], Vec<&'a CommandSpec>>;

fn children(program: &Program) -> Children<'_> {
    let mut all = Children::new();
    for command in &program.commands {
        if let Some((_, parent)) = command.path.split_last() {
            all.entry(parent).or_default().push(command);
        }
    }
    all
}

/// Everything that `program` would take for a subcommand of `spec`.
fn reserved(program: &Program, spec: &CommandSpec, children: &[&CommandSpec]) -> Vec<String> {
    let mut words: Vec<String> = children
        .iter()
        .flat_map(|child| child.path.last().into_iter().chain(&child.aliases))
        .cloned()
        .collect();
    if spec.path.is_empty() && family(program, spec) == Family::Cobra {
        // Cobra adds the first two where there are other commands, the rest always.
        let from = if words.is_empty() { 2 } else { 0 };
        words.extend(HELPERS[from..].iter().map(|&word| word.to_owned()));
    }
    let mut seen = BTreeSet::new();
    words.retain(|word| seen.insert(word.clone()));
    words
}

#[cfg(test)]
mod tests;
