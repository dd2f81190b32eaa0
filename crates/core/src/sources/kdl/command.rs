//! `cli` and `subcommand`: commands with their parameters.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::checks;
use super::fault::{Fault, Sort};
use super::fields::{self, Faults, Field, Fields, Form, Known};
use super::param::{self, EFFECTS, NO_EFFECT, Named};
use super::relations;
use super::run;
use super::syntax::{Node, Value};
use crate::model::{
    Annotations, CommandSpec, Effect, Evidence, Fact, Family, Group, Kind, Param, Program, Reading,
    RunSpec,
};

const CLI: Known = Known {
    once: &[
        "description",
        "command",
        "args",
        "stdin",
        "stdout",
        "stderr",
        "timeout",
        "workdir",
        "env",
        "expand_env",
        "pass_env",
        "shell",
        "allow_failure",
        "end_of_options",
        "sandbox",
        "effect",
        "annotations",
        "output",
        "hidden",
        "deprecated",
        "runnable",
        "family",
        "usage",
        "alias",
        "inherits",
    ],
    often: &[
        "arg",
        "flag",
        "flags",
        "subcommand",
        "example",
        "exclusive",
        "together",
        "any_of",
        "requires",
    ],
    form: Form::Children,
};

const ANNOTATIONS: Known = Known {
    once: &[
        "title",
        "read_only",
        "destructive",
        "idempotent",
        "open_world",
    ],
    often: &[],
    form: Form::Either,
};

/// `flags "NAME" { flag … }`.
const FLAGS: Known = Known {
    once: &[],
    often: &["flag"],
    form: Form::Children,
};

/// The families that `family` can say.
const FAMILIES: [(&str, Family); 15] = [
    ("cobra", Family::Cobra),
    ("clap", Family::Clap),
    ("argparse", Family::Argparse),
    ("optparse", Family::Optparse),
    ("click", Family::Click),
    ("commander", Family::Commander),
    ("yargs", Family::Yargs),
    ("oclif", Family::Oclif),
    ("go_flag", Family::GoFlag),
    ("urfave", Family::Urfave),
    ("kingpin", Family::Kingpin),
    ("git", Family::Git),
    ("gnu", Family::Gnu),
    ("described", Family::Described),
    ("unknown", Family::Unknown),
];

/// Commands of one definition.
const MOST_COMMANDS: usize = 500;
/// Parameters of one command, with those that it inherits.
const MOST_PARAMS: usize = 2000;
/// Bytes that each subcommand has from the command above it, as JSON.
const MOST_INHERITED: usize = 64 * 1024;

/// What becomes of the words of a definition that names no parameters.
const LINE: &str =
    "Words of the command line: an array, or a string that is split as a shell would";

/// What a command has from the one above it.
#[derive(Clone)]
struct Above<'a> {
    program: &'a str,
    path: &'a [String],
    flags: Arc<[Param]>,
    /// Whether those are a set, which every command below shares.
    is_set: bool,
    sets: &'a BTreeMap<String, Arc<[Param]>>,
    groups: Vec<Group>,
    run: RunSpec,
    effect: Effect,
    hidden: bool,
    /// Whether its shell or a short timeout was warned of already.
    warned: Vec<String>,
}

/// A `cli` and what its user should know, or only faults.
pub(crate) fn cli(node: &Node, faults: &mut Faults) -> Option<(Reading, Vec<String>)> {
    annotations_of_types(node, faults);
    let named = fields::name_of(node, faults);
    let named = named.filter(|(name, span)| checks::name("cli", name, *span, faults));
    let name = named.map_or("", |(name, _)| name);
    let fields = Fields::of(node, &CLI, faults);
    let shell = matches!(fields.get("shell").map(Field::is_true), Some(true));
    let mut words = fields
        .get("command")
        .map(|field| field.words(faults))
        .unwrap_or_default()
        .into_iter();
    let command = words.next();
    match command {
        Some((command, span)) if !shell => checks::command(command, span, faults),
        Some(_) => {}
        None if !fields.lacks("command") => {}
        None => {
            let fault = Fault::new(Sort::Missing, node.name.span, "a `cli` needs a `command`");
            faults.add(
                fault.help("write `command \"NAME\"`: a program on PATH, or an absolute path"),
            );
        }
    }
    let sets = sets(&fields, faults);
    let above = Above {
        program: name,
        path: &[],
        flags: Arc::new([]),
        is_set: false,
        sets: &sets,
        groups: Vec::new(),
        run: RunSpec {
            family: fields.choice("family", &FAMILIES, faults),
            words: words.map(|(word, _)| word.to_owned()).collect(),
            ..RunSpec::default()
        },
        effect: Effect::Unknown,
        hidden: false,
        warned: Vec::new(),
    };
    let mut commands = Vec::new();
    let mut warnings = Vec::new();
    body(
        node,
        &fields,
        Vec::new(),
        &above,
        &mut commands,
        &mut warnings,
        faults,
    );
    let program = Program {
        name: name.to_owned(),
        executable: Some(command?.0.to_owned()),
        version: None,
        family: Family::Definition,
        commands,
    };
    let losses = Vec::new();
    Some((Reading { program, losses }, warnings))
}

/// One command, and after it those below.
fn body(
    node: &Node,
    fields: &Fields<'_>,
    path: Vec<String>,
    above: &Above<'_>,
    commands: &mut Vec<CommandSpec>,
    warnings: &mut Vec<String>,
    faults: &mut Faults,
) {
    let line: Vec<&str> = std::iter::once(above.program)
        .chain(path.iter().map(String::as_str))
        .collect();
    let line = match line.as_slice() {
        [""] => "cli".to_owned(),
        words => words.join(" "),
    };
    let above = &inherited(fields, above, faults);
    let subcommands: Vec<&Node> = fields.all_of("subcommand").collect();
    let runnable = runnable(fields, &subcommands, faults);

    if too_much(
        node,
        fields.all_of("flag").chain(fields.all_of("arg")).count(),
        above,
        commands,
        faults,
    ) {
        return;
    }
    let mut flags: Vec<Named> = fields
        .all_of("flag")
        .filter_map(|node| param::flag(node, faults))
        .collect();
    let args: Vec<Named> = fields
        .all_of("arg")
        .filter_map(|node| param::arg(node, faults))
        .collect();
    if let (false, Some(arg)) = (runnable, fields.all_of("arg").next()) {
        let message =
            format!("`{line}` is not run by itself: an `arg` belongs to one of its subcommands");
        let fault = Fault::new(Sort::Conflict, arg.name.span, message);
        faults.add(fault.help("write `runnable true` if it is"));
    }
    let mut args = relations::in_order(args, above.run.family, faults);
    if takes_line(fields, &args, &flags, node, &subcommands, faults) {
        let mut param = Param::positional("args", Kind::Line);
        param.text = LINE.to_owned();
        param.from.note(Fact::Name, Evidence::Definition);
        param.from.note(Fact::Type, Evidence::Definition);
        args.push(Named {
            param,
            span: node.name.span,
            position: None,
        });
    }

    let run = run::run(&above.run, fields, faults);
    relations::check_names(&flags, &args, &above.flags, &run, fields, faults);
    relations::check_secrets(&flags, &above.flags, &run, fields, node, faults);

    let mut spec = described(node, fields, &line, above, faults);
    spec.runnable = runnable;
    spec.path.clone_from(&path);
    spec.usage = match fields.text("usage", faults) {
        Some((said, _)) => said.split_whitespace().collect::<Vec<_>>().join(" "),
        None => usage(
            &line,
            runnable,
            !flags.is_empty() || !above.flags.is_empty(),
            &args,
        ),
    };
    let own_flags = flags.iter().map(|flag| flag.param.name.as_str());
    let inherited = above.flags.iter().map(|flag| flag.name.as_str());
    let shared: Vec<&str> = inherited.chain(own_flags).collect();
    let own_args = args.iter().map(|arg| arg.param.name.as_str());
    let all: Vec<&str> = shared.iter().copied().chain(own_args).collect();
    spec.groups.clone_from(&above.groups);
    for node in &fields.often {
        spec.groups.extend(relations::group(node, &all, faults));
    }
    let is_shared = |name: &String| shared.contains(&name.as_str());
    let groups = spec.groups.iter();
    let inherits: Vec<Group> = groups
        .filter(|group| relations::names_of(group).iter().all(is_shared))
        .cloned()
        .collect();

    let mut warned = above.warned.clone();
    for warning in run::warnings(&line, &run) {
        let kind = warning.replace(&format!("`{line}`"), "");
        if !warned.contains(&kind) {
            warned.push(kind);
            warnings.push(warning);
        }
    }
    let hidden = spec.hidden;
    let effect = spec.effect;
    spec.run = Some(Arc::new(run.clone()));
    let below_flags: Arc<[Param]> = match flags.is_empty() || subcommands.is_empty() {
        true => Arc::clone(&above.flags),
        false => {
            let own = flags.iter().map(|flag| &flag.param);
            above.flags.iter().chain(own).cloned().collect()
        }
    };
    let own_flags_are_none = flags.is_empty();
    let own = flags.drain(..).chain(args).map(|named| named.param);
    spec.params = own.collect();
    commands.push(spec);

    let below = Above {
        program: above.program,
        path: &path,
        is_set: above.is_set && own_flags_are_none,
        sets: above.sets,
        flags: below_flags,
        groups: inherits,
        run,
        effect,
        hidden,
        warned,
    };
    let says = |node: &&&Node| {
        node.children
            .iter()
            .flatten()
            .any(|it| it.name.text == "inherits")
    };
    let heir = subcommands.iter().find(|node| !says(node));
    if let (Some(first), true) = (heir, below.weight() > MOST_INHERITED) {
        let message =
            format!("subcommands would inherit more than {MOST_INHERITED} bytes from `{line}`");
        faults.add(Fault::new(Sort::Size, first.name.span, message));
        return;
    }
    let mut seen = BTreeMap::new();
    for node in subcommands {
        let Some((name, span)) = fields::name_of(node, faults) else {
            continue;
        };
        if !checks::name("subcommand", name, span, faults) {
            continue;
        }
        if let Some(first) = seen.insert(name, span) {
            let message = format!("`{line}` has the subcommand `{name}` twice");
            let fault = Fault::new(Sort::Conflict, span, message);
            faults.add(fault.other(first, "it is first given here"));
        }
        let fields = Fields::of(node, &CLI, faults);
        if let Some(span) = fields.span("command") {
            let message = format!("a subcommand runs the `command` of `{}`", above.program);
            let fault = Fault::new(Sort::Conflict, span, message);
            faults.add(fault.help("another program is a `cli` of its own"));
        }
        for once in ["family", "flags"] {
            let set = fields.all_of("flags").next().filter(|_| once == "flags");
            let span = set.map(|node| node.name.span).or(fields.span(once));
            if let Some(span) = span {
                let message = format!("`{once}` stands in `cli`, for all of its commands");
                faults.add(Fault::new(Sort::Conflict, span, message));
            }
        }
        let path: Vec<String> = below
            .path
            .iter()
            .cloned()
            .chain([name.to_owned()])
            .collect();
        body(node, &fields, path, &below, commands, warnings, faults);
    }
}

/// The sets of flags that a `cli` names for its subcommands.
fn sets(fields: &Fields<'_>, faults: &mut Faults) -> BTreeMap<String, Arc<[Param]>> {
    let mut sets: BTreeMap<String, Arc<[Param]>> = BTreeMap::new();
    for node in fields.all_of("flags") {
        let Some((name, span)) = fields::name_of(node, faults) else {
            continue;
        };
        if sets.contains_key(name) {
            let message = format!("there is a set of flags called `{name}` already");
            faults.add(Fault::new(Sort::Conflict, span, message));
        }
        let fields = Fields::of(node, &FLAGS, faults);
        let nodes: Vec<&Node> = fields.all_of("flag").collect();
        if nodes.len() > MOST_PARAMS {
            let message = format!("a set has at most {MOST_PARAMS} flags");
            faults.add(Fault::new(Sort::Size, node.name.span, message));
            continue;
        }
        let flags = nodes.into_iter().filter_map(|it| param::flag(it, faults));
        let flags: Vec<Named> = flags.collect();
        relations::check_set(&flags, faults);
        let params: Vec<Param> = flags.into_iter().map(|named| named.param).collect();
        if let Some(secret) = params.iter().find(|flag| flag.secret.is_some()) {
            let message = format!(
                "the secret `{}` belongs to a command, not to a set",
                secret.name
            );
            faults.add(Fault::new(Sort::Conflict, span, message));
        }
        sets.insert(name.to_owned(), params.into());
    }
    sets
}

/// What a command has from above, where it says which flags it `inherits`.
fn inherited<'a>(fields: &Fields<'_>, above: &Above<'a>, faults: &mut Faults) -> Above<'a> {
    let mut taken = above.clone();
    let Some(field) = fields.get("inherits") else {
        return taken;
    };
    taken.groups.clear();
    taken.flags = Arc::new([]);
    taken.is_set = true;
    if field.first() == Some(&Value::Bool(false)) {
        fields.flag("inherits", faults);
        return taken;
    }
    let Some((name, span)) = fields.text("inherits", faults) else {
        return taken;
    };
    match above.sets.get(name) {
        Some(set) => taken.flags = Arc::clone(set),
        None => {
            let shown: String = name.chars().take(40).collect();
            let message = format!("no `flags` of this `cli` are called `{shown}`");
            let fault = Fault::new(Sort::Unknown, span, message);
            let names = above.sets.keys().map(String::as_str);
            faults.add(match faults.nearest(name, names) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault.help("write `flags \"NAME\" { flag … }` in it, or `inherits false`"),
            });
        }
    }
    taken
}

/// Whether a command is only a word that the program knows: nothing is told of it.
fn is_word(fields: &Fields<'_>) -> bool {
    let said = fields.get("runnable").and_then(Field::first);
    said == Some(&Value::Bool(false)) && fields.all_of("subcommand").next().is_none()
}

impl Above<'_> {
    /// How much each command below gets a copy of.
    fn weight(&self) -> usize {
        let copied: &[Param] = if self.is_set { &[] } else { &self.flags };
        serde_json::to_vec(&(copied, &self.groups, &self.run)).map_or(usize::MAX, |json| json.len())
    }
}

/// Finds fault with more commands or parameters than anybody writes.
fn too_much(
    node: &Node,
    params: usize,
    above: &Above<'_>,
    commands: &[CommandSpec],
    faults: &mut Faults,
) -> bool {
    let message = if commands.len() == MOST_COMMANDS {
        format!("a definition has at most {MOST_COMMANDS} commands")
    } else if params + if above.is_set { 0 } else { above.flags.len() } > MOST_PARAMS {
        format!("a command has at most {MOST_PARAMS} parameters")
    } else {
        return false;
    };
    faults.add(Fault::new(Sort::Size, node.name.span, message));
    true
}

/// A command with what is said of it to people and clients.
fn described(
    node: &Node,
    fields: &Fields<'_>,
    line: &str,
    above: &Above<'_>,
    faults: &mut Faults,
) -> CommandSpec {
    let mut spec = CommandSpec {
        inherited: Arc::clone(&above.flags),
        annotations: annotations(fields, faults),
        effect: above.effect,
        hidden: fields.flag("hidden", faults).unwrap_or(above.hidden),
        ..CommandSpec::default()
    };
    spec.from.note(Fact::Name, Evidence::Definition);
    spec.from.note(Fact::Runnable, Evidence::Definition);
    match fields.text("description", faults) {
        Some((text, _)) => {
            let text = text.trim();
            spec.summary = text
                .lines()
                .next()
                .unwrap_or_default()
                .trim_end()
                .to_owned();
            spec.description = text.to_owned();
            spec.from.note(Fact::Text, Evidence::Definition);
        }
        None if !fields.lacks("description") || is_word(fields) => {}
        None => {
            let message = format!("`{line}` has no `description`");
            let fault = Fault::new(Sort::Missing, node.name.span, message);
            faults
                .add(fault.help("write `description \"what it does\"`: models choose tools by it"));
        }
    }
    let aliases = fields.texts("alias", faults).unwrap_or_default();
    spec.aliases = aliases.into_iter().map(|(it, _)| it.to_owned()).collect();
    if let (Some(span), true) = (fields.span("alias"), node.name.text == "cli") {
        let message = "`alias` is another name of a subcommand";
        faults.add(Fault::new(Sort::Conflict, span, message));
    }
    if let Some(effect) = fields.choice_of("effect", &EFFECTS, &NO_EFFECT, faults) {
        spec.effect = effect;
    }
    if spec.effect != Effect::Unknown {
        spec.from.note(Fact::Effect, Evidence::Definition);
    }
    let deprecated = fields.text("deprecated", faults);
    spec.deprecated = deprecated.map(|(why, _)| why.to_owned());
    spec.examples = examples(fields, faults);
    if !spec.examples.is_empty() {
        spec.from.note(Fact::Examples, Evidence::Definition);
    }
    spec
}

/// `(type)` is KDL, but says nothing here.
fn annotations_of_types(node: &Node, faults: &mut Faults) {
    let entries = node.entries.iter().map(|entry| entry.annotation);
    for span in std::iter::once(node.annotation).chain(entries).flatten() {
        let message = "a type in parentheses means nothing here";
        let fault = Fault::new(Sort::Unknown, span, message);
        faults.add(fault.help("leave it out; `type \"…\"` is the type of a parameter"));
    }
    for child in node.children.iter().flatten() {
        annotations_of_types(child, faults);
    }
}

fn runnable(fields: &Fields<'_>, subcommands: &[&Node], faults: &mut Faults) -> bool {
    let said = fields.flag("runnable", faults);
    match (subcommands.is_empty(), fields.span("runnable")) {
        (false, _) => said.unwrap_or(false),
        (true, None) => true,
        // A word that the program knows, and no tool.
        (true, Some(_)) if said == Some(false) => false,
        (true, Some(span)) => {
            let message =
                "`runnable true` is for a command that has subcommands: without them it always is";
            faults.add(Fault::new(Sort::Conflict, span, message));
            true
        }
    }
}

/// Whether the command takes words as they come: one that names no parameters does,
/// unless it is a subcommand or says `args false`.
fn takes_line(
    fields: &Fields<'_>,
    args: &[Named],
    flags: &[Named],
    node: &Node,
    subcommands: &[&Node],
    faults: &mut Faults,
) -> bool {
    let said = fields.flag("args", faults);
    let bare = !fields
        .often
        .iter()
        .any(|node| matches!(node.name.text.as_str(), "arg" | "flag"))
        && subcommands.is_empty();
    match (fields.span("args"), bare) {
        (Some(span), false) if said == Some(true) => {
            let message = "`args` takes every word: it is for a command without `arg`, `flag` and `subcommand`";
            let fault = Fault::new(Sort::Conflict, span, message);
            faults.add(fault.help("write an `arg` of type \"array\" for any number of words"));
            false
        }
        _ => {
            let is_cli = node.name.text == "cli";
            bare && args.is_empty() && flags.is_empty() && said.unwrap_or(is_cli)
        }
    }
}

fn annotations(fields: &Fields<'_>, faults: &mut Faults) -> Annotations {
    let Some(node) = fields.node("annotations", faults) else {
        return Annotations::default();
    };
    fields::no_values(node, faults);
    let fields = Fields::of(node, &ANNOTATIONS, faults);
    let annotations = Annotations {
        title: fields
            .text("title", faults)
            .map(|(title, _)| title.to_owned()),
        read_only: fields.flag("read_only", faults),
        destructive: fields.flag("destructive", faults),
        idempotent: fields.flag("idempotent", faults),
        open_world: fields.flag("open_world", faults),
    };
    if let (Some(true), Some(true), Some(span)) = (
        annotations.read_only,
        annotations.destructive,
        fields.span("destructive"),
    ) {
        let message = "what is read-only cannot be destructive";
        let fault = Fault::new(Sort::Conflict, span, message);
        faults.add(match fields.span("read_only") {
            Some(first) => fault.other(first, "it is called read-only here"),
            None => fault,
        });
    }
    annotations
}

/// The examples as a help page would print them: `# what it does`, then the line.
fn examples(fields: &Fields<'_>, faults: &mut Faults) -> String {
    let mut blocks = Vec::new();
    for node in fields.all_of("example") {
        let field = Field::of(node);
        match field.texts(faults).as_slice() {
            [] => {}
            [(line, _)] => blocks.push(line.trim().to_owned()),
            [(line, _), (what, _)] => {
                let what: Vec<String> = what
                    .trim()
                    .lines()
                    .map(|line| format!("# {}", line.trim()))
                    .collect();
                blocks.push(format!("{}\n{}", what.join("\n"), line.trim()));
            }
            [_, _, (_, span), ..] => {
                let message = "`example` takes a command line and what it does";
                faults.add(Fault::new(Sort::Value, *span, message));
            }
        }
    }
    blocks.join("\n\n")
}

fn usage(line: &str, runnable: bool, has_flags: bool, args: &[Named]) -> String {
    let mut usage = line.to_owned();
    if !runnable {
        usage.push_str(" <command>");
    }
    if has_flags {
        usage.push_str(" [flags]");
    }
    for arg in args {
        let more = if arg.param.kind.is_repeatable() {
            "..."
        } else {
            ""
        };
        let name = &arg.param.name;
        usage.push_str(&match arg.param.required {
            true => format!(" <{name}{more}>"),
            false => format!(" [{name}{more}]"),
        });
    }
    usage
}

impl Field<'_> {
    /// Whether its first value is `true`, without finding fault.
    fn is_true(&self) -> bool {
        self.first() == Some(&Value::Bool(true))
    }
}
