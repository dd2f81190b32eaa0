//! Reads a Cobra program: walks its help pages and static completions, and joins
//! what they say into the model.
//!
//! [`walk`] asks for pages and completions, [`flags`] joins the two, [`types`] finds
//! what each flag takes; here commands are put together from their parts.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{
    CommandSpec, Evidence, Fact, Family, Kind, Loss, Param, Program, Reading, Role, Scalar,
    Spelling, Split,
};
use crate::probe::Probe;
use crate::sources::help::{Page, Style};
use crate::sources::{effect, plain, usage};

mod flags;
mod types;
mod walk;

use flags::Flag;
pub(in crate::sources) use types::builtin;
use types::{Key, Oracle, Subject, Typing};
use walk::{Harvest, Node, Stop};

/// Choices in reading a program.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Ask the program's parser about types that the text leaves open.
    pub oracle: bool,
}

/// Why a program could not be read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Its root page could not be had.
    #[error("`{program} --help` {why}")]
    NoHelp {
        /// The program's name.
        program: String,
        /// What happened instead.
        why: String,
    },
}

/// Reads the Cobra program `name`. Cobra must be known to be linked into it: another
/// program would take `__complete` for an argument. If it then answers as another
/// family does, it is read as one of no known family.
pub fn read(name: &str, probe: &mut dyn Probe, options: Options) -> Result<Reading, ReadError> {
    confirmed(name, walk::walk(name, probe, true), probe, options)
}

/// Reads `name` from its help pages alone: a program linked with a Cobra older than
/// 1.0, which has no completion to ask.
pub fn read_pages(
    name: &str,
    probe: &mut dyn Probe,
    options: Options,
) -> Result<Reading, ReadError> {
    confirmed(name, walk::walk(name, probe, false), probe, options)
}

fn confirmed(
    name: &str,
    walked: Result<Harvest, Stop>,
    probe: &mut dyn Probe,
    options: Options,
) -> Result<Reading, ReadError> {
    match walked {
        Ok(harvest) => Ok(assemble(name, harvest, probe, options)),
        Err(Stop::NotCobra) => plain::read(name, probe),
        Err(Stop::NoHelp(why)) => Err(ReadError::NoHelp {
            program: name.to_owned(),
            why,
        }),
    }
}

fn assemble(name: &str, mut harvest: Harvest, probe: &mut dyn Probe, options: Options) -> Reading {
    let gathered = flags::gather(&mut harvest, probe);
    let oracle = match (options.oracle, harvest.completes && harvest.parses) {
        (false, _) => Oracle::Off,
        (true, true) => Oracle::Completion,
        (true, false) => Oracle::Help,
    };
    let subjects = harvest
        .nodes
        .iter()
        .zip(&gathered.flags)
        .zip(&gathered.satisfied)
        .flat_map(|((node, flags), satisfied)| {
            flags.iter().map(move |flag| {
                let subject = Subject {
                    flag,
                    style: style_of(node),
                    path: &node.path,
                    satisfied: satisfied.clone(),
                    // Unless completion tells commands that parse no flags from others,
                    // flags are put only to the command that declares them.
                    raw: node.raw || (oracle == Oracle::Help && flag.inherited),
                };
                (Key::of(flag), subject)
            })
        });
    let typings = types::resolve(subjects, oracle, probe);

    let mut losses = std::mem::take(&mut harvest.losses);
    let mut shared = Shared::default();
    let mut commands: Vec<CommandSpec> = Vec::with_capacity(harvest.nodes.len());
    for (index, node) in harvest.nodes.iter().enumerate() {
        let has_children = harvest
            .nodes
            .iter()
            .skip(index + 1)
            .take_while(|other| other.path.starts_with(&node.path))
            .next()
            .is_some();
        let siblings_path = &node.path[..node.path.len().saturating_sub(1)];
        let mut command = command(name, node, siblings_path, has_children, &mut losses);
        let (own, inherited): (Vec<&Flag>, Vec<&Flag>) = gathered.flags[index]
            .iter()
            .partition(|flag| !flag.inherited);
        let mut params: Vec<Param> = own.iter().map(|flag| param(flag, &typings)).collect();
        params.append(&mut command.params);
        command.params = params;
        command.inherited =
            shared.share(inherited.iter().map(|flag| param(flag, &typings)).collect());
        command.effect = effect::of_command(&command);
        command.from.note(Fact::Effect, Evidence::Convention);
        raise(&mut command, &mut shared);
        commands.push(command);
    }
    let guessed: Vec<&str> = guessed(&gathered.flags, &typings);
    if options.oracle && !guessed.is_empty() {
        losses.push(Loss {
            path: Vec::new(),
            what: format!(
                "nothing says what these flags take, so they take any text: --{}",
                guessed.join(", --")
            ),
        });
    }
    Reading {
        program: Program {
            name: name.to_owned(),
            executable: None,
            version: gathered.version,
            family: Family::Cobra,
            commands,
        },
        losses,
    }
}

/// The template of a command's page; pages of one program look alike.
fn style_of(node: &Node) -> Style {
    node.page
        .as_ref()
        .map(|page| page.style)
        .unwrap_or_default()
}

fn guessed<'a>(flags: &'a [Vec<Flag>], typings: &BTreeMap<Key, Typing>) -> Vec<&'a str> {
    let mut names: Vec<&str> = flags
        .iter()
        .flatten()
        .filter(|flag| {
            typings
                .get(&Key::of(flag))
                .is_some_and(|typing| typing.guessed)
        })
        .map(|flag| flag.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Equal sets of inherited flags, kept once.
#[derive(Default)]
struct Shared(Vec<Arc<[Param]>>);

impl Shared {
    fn share(&mut self, params: Vec<Param>) -> Arc<[Param]> {
        if let Some(known) = self.0.iter().find(|known| known[..] == params[..]) {
            return Arc::clone(known);
        }
        let params: Arc<[Param]> = params.into();
        self.0.push(Arc::clone(&params));
        params
    }
}

/// Notes the flags that do more than the command itself.
fn raise(command: &mut CommandSpec, shared: &mut Shared) {
    let inherited: Vec<Param> = command
        .inherited
        .iter()
        .map(|param| Param {
            effect: effect::of_flag(command, param),
            ..param.clone()
        })
        .collect();
    let own: Vec<_> = command
        .params
        .iter()
        .map(|param| effect::of_flag(command, param))
        .collect();
    for (param, effect) in command.params.iter_mut().zip(own) {
        param.effect = effect;
    }
    command.inherited = shared.share(inherited);
}

// ---- commands ----------------------------------------------------------------

fn command(
    program: &str,
    node: &Node,
    siblings_path: &[String],
    has_children: bool,
    losses: &mut Vec<Loss>,
) -> CommandSpec {
    let mut command = CommandSpec {
        path: node.path.clone(),
        raw_words: node.raw,
        runnable: !has_children,
        ..CommandSpec::default()
    };
    let known_from = if node.page.is_some() {
        Evidence::Help
    } else {
        Evidence::Completion
    };
    command.from.note(Fact::Name, known_from);
    if let Some(listed) = &node.listed {
        command.summary.clone_from(&listed.summary);
        command.group.clone_from(&listed.group);
        if command.group.is_some() {
            command.from.note(Fact::Group, Evidence::Help);
        }
    }
    let Some(page) = &node.page else {
        command.from.note(Fact::Text, Evidence::Completion);
        return with_any_words(command);
    };
    describe(&mut command, page, &node.text);
    command.aliases = aliases(page, program, &node.path, siblings_path);
    if !command.aliases.is_empty() {
        command.from.note(Fact::Aliases, Evidence::Help);
    }
    let words = |line: &str| usage::leading_words(line, program, &node.path);
    let callable = page
        .usage
        .iter()
        .find(|line| !calls_a_child(line, words(line), has_children));
    command.runnable = callable.is_some() || (page.usage.is_empty() && !has_children);
    command.from.note(Fact::Runnable, Evidence::Help);
    if let Some(line) = callable.or(page.usage.first()) {
        command.usage.clone_from(line);
    }
    if let Some(line) = callable {
        let mut positionals = usage::positionals(line, words(line));
        for param in &mut positionals.params {
            if let Some((_, text)) = page
                .arguments
                .iter()
                .find(|(name, _)| same_name(name, &param.name))
            {
                param.text.clone_from(text);
            }
        }
        command.params = positionals.params;
        losses.extend(positionals.unread.into_iter().map(|part| Loss {
            path: node.path.clone(),
            what: format!("part of its usage line was not understood: {part}"),
        }));
    }
    losses.extend(page.unread.iter().map(|line| Loss {
        path: node.path.clone(),
        what: format!("a line of its page was not understood: {}", line.trim()),
    }));
    if command.raw_words && command.runnable {
        return with_any_words(command);
    }
    command
}

fn describe(command: &mut CommandSpec, page: &Page, text: &str) {
    let prose = page.usage.is_empty() && page.flags.is_empty() && page.commands.is_empty();
    command.description = if prose && page.description.is_empty() {
        text.trim().to_owned()
    } else {
        page.description.clone()
    };
    if command.summary.is_empty() {
        let first = command
            .description
            .lines()
            .find(|line| !line.trim().is_empty());
        command.summary = if page.summary.is_empty() {
            first.unwrap_or_default().trim().to_owned()
        } else {
            page.summary.clone()
        };
    }
    command.from.note(Fact::Text, Evidence::Help);
    command.examples.clone_from(&page.examples);
    if !command.examples.is_empty() {
        command.from.note(Fact::Examples, Evidence::Help);
    }
}

/// A command of which it is not known what words it takes takes any.
fn with_any_words(mut command: CommandSpec) -> CommandSpec {
    if command.runnable && command.params.iter().all(Param::is_flag) {
        let mut any = Param::positional("args", Kind::List(Scalar::String, Split::Words));
        any.from.note(Fact::Name, Evidence::Convention);
        command.params.push(any);
    }
    command
}

fn same_name(described: &str, name: &str) -> bool {
    let plain = |text: &str| {
        text.chars()
            .filter(|char| char.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    plain(described) == plain(name)
}

/// Whether a usage line is that of a parent: what follows its path is a command.
fn calls_a_child(line: &str, words: usize, has_children: bool) -> bool {
    let mut rest = line.split_whitespace().skip(words).filter(|word| {
        let lower = word.trim_matches(['[', ']', '.']).to_lowercase();
        !["options", "flags", "global", "command_options"].contains(&lower.as_str())
    });
    let Some(word) = rest.next() else {
        return false;
    };
    let bare = word
        .trim_matches(['[', ']', '<', '>', '(', ')', '.', '{', '}'])
        .to_lowercase();
    has_children
        && matches!(
            bare.as_str(),
            "command" | "subcommand" | "commands" | "cmd" | "sub-command"
        )
}

/// Other names of the command. docker prints full paths; only those beside the
/// command itself are names of it.
fn aliases(page: &Page, program: &str, path: &[String], siblings_path: &[String]) -> Vec<String> {
    let Some(own) = path.last() else {
        return Vec::new();
    };
    let mut names: Vec<String> = Vec::new();
    for alias in &page.aliases {
        let words: Vec<&str> = alias.split_whitespace().collect();
        let name = match words.as_slice() {
            [name] => *name,
            [first, between @ .., name] if *first == program && between == siblings_path => *name,
            _ => continue,
        };
        if name != own && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

// ---- flags -------------------------------------------------------------------

fn param(flag: &Flag, typings: &BTreeMap<Key, Typing>) -> Param {
    let typing = &typings[&Key::of(flag)];
    let listed = flag.listed.as_ref();
    let offered = flag.offered.as_ref();
    let short = listed
        .and_then(|listed| listed.short)
        .or(offered.and_then(|offered| offered.short));
    let has_long = offered.is_some() || listed.is_some_and(|listed| listed.long.is_some());
    let mut param = Param::flag(flag.name.clone(), typing.kind.clone());
    param.role = Role::Flag(Spelling {
        long: has_long.then(|| format!("--{}", flag.name)),
        short: short.map(|char| format!("-{char}")),
        bare: typing.bare.clone(),
        ..Spelling::default()
    });
    let seen = if listed.is_some() {
        Evidence::Help
    } else {
        Evidence::Completion
    };
    param.from.note(Fact::Name, seen);
    param.from.note(Fact::Text, seen);
    param.from.note(Fact::Type, typing.kind_from);
    if typing.bare.is_some() {
        param.from.note(Fact::Bare, typing.bare_from);
    }
    param.text = match (listed, offered) {
        (Some(listed), _) => listed.text.clone(),
        (None, Some(offered)) => offered.text.replace('`', ""),
        (None, None) => String::new(),
    };
    if let Some(listed) = listed {
        param.default = default(listed.default.as_deref(), &typing.kind);
        param.deprecated.clone_from(&listed.deprecated);
        param.value_name = listed
            .value_name
            .clone()
            .filter(|name| types::builtin(name).is_none());
    }
    if param.default.is_some() {
        param.from.note(Fact::Default, Evidence::Help);
    }
    if let Some(evidence) = flag.required {
        param.required = true;
        param.from.note(Fact::Required, evidence);
    }
    if !typing.choices.is_empty() {
        param.choices.clone_from(&typing.choices);
        param.from.note(Fact::Choices, Evidence::Oracle);
    }
    param
}

/// A default that says something: not the zero that some templates print.
fn default(printed: Option<&str>, kind: &Kind) -> Option<String> {
    let printed = printed?;
    let says_nothing = match kind {
        Kind::Switch => printed == "false",
        Kind::List(..) | Kind::Map(_) | Kind::Line => matches!(printed, "[]" | "map[]" | "{}"),
        Kind::Count => printed == "0",
        Kind::One(_) => false,
    };
    (!says_nothing && !printed.is_empty()).then(|| printed.to_owned())
}
