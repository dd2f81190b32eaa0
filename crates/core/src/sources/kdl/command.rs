//! `cli` and `subcommand`: commands with their parameters.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::checks;
use super::fault::{Fault, Sort, Span};
use super::fields::{self, Faults, Field, Fields, Form, Known};
use super::param::{self, EFFECTS, Named};
use super::run;
use super::syntax::{Node, Value};
use crate::catalog::names::{GLOBAL_FLAGS, STDIN, nearest, snake};
use crate::model::{
    Annotations, CommandSpec, Effect, Evidence, Fact, Family, Group, Kind, Param, Program, Reading,
    RunSpec, Secret,
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
    ],
    often: &[
        "arg",
        "flag",
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

/// What becomes of the words of a definition that names no parameters.
const LINE: &str =
    "Words of the command line: an array, or a string that is split as a shell would";

/// What a command has from the one above it.
struct Above<'a> {
    program: &'a str,
    path: &'a [String],
    flags: Arc<[Param]>,
    groups: Vec<Group>,
    run: RunSpec,
    effect: Effect,
    hidden: bool,
    /// Whether its shell or a short timeout was warned of already.
    warned: Vec<String>,
}

/// A `cli` and what its user should know, or only faults.
pub(super) fn cli(node: &Node, faults: &mut Faults) -> Option<(Reading, Vec<String>)> {
    annotations_of_types(node, faults);
    let (name, span) = fields::name_of(node, faults).unwrap_or_default();
    if !name.is_empty() || span != Span::default() {
        checks::name("cli", name, span, faults);
    }
    let fields = Fields::of(node, &CLI, faults);
    let shell = matches!(fields.get("shell").map(Field::is_true), Some(true));
    let mut words = fields
        .texts("command", faults)
        .unwrap_or_default()
        .into_iter();
    let command = words.next();
    match command {
        Some((command, span)) if !shell => checks::command(command, span, faults),
        Some(_) => {}
        None if fields.has("command") => {}
        None => {
            let fault = Fault::new(
                Sort::Missing,
                node.name.span,
                format!("`{name}` has no `command`"),
            );
            faults.add(
                fault.help("write `command \"NAME\"`: a program on PATH, or an absolute path"),
            );
        }
    }
    let above = Above {
        program: name,
        path: &[],
        flags: Arc::new([]),
        groups: Vec::new(),
        run: RunSpec {
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
    let line = line.join(" ");
    let nodes = |name: &'static str| {
        let often = fields.often.iter().copied();
        often.filter(move |node| node.name.text == name)
    };
    let subcommands: Vec<&Node> = nodes("subcommand").collect();
    let runnable = runnable(fields, &subcommands, faults);

    let mut flags: Vec<Named> = nodes("flag")
        .filter_map(|node| param::flag(node, faults))
        .collect();
    let args: Vec<Named> = nodes("arg")
        .filter_map(|node| param::arg(node, faults))
        .collect();
    if let (false, Some(arg)) = (runnable, nodes("arg").next()) {
        let message =
            format!("`{line}` is not run by itself: an `arg` belongs to one of its subcommands");
        let fault = Fault::new(Sort::Conflict, arg.name.span, message);
        faults.add(fault.help("write `runnable true` if it is"));
    }
    let mut args = in_order(args, faults);
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
    check_names(&flags, &args, above, &run, fields, faults);
    check_secrets(&flags, &run, fields, faults);

    let mut spec = CommandSpec {
        runnable,
        inherited: Arc::clone(&above.flags),
        annotations: annotations(fields, faults),
        effect: above.effect,
        hidden: fields.flag("hidden", faults).unwrap_or(false) || above.hidden,
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
        None if fields.has("description") => {}
        None => {
            let message = format!("`{line}` has no `description`");
            let fault = Fault::new(Sort::Missing, node.name.span, message);
            faults
                .add(fault.help("write `description \"what it does\"`: models choose tools by it"));
        }
    }
    if let Some(effect) = fields.choice("effect", &EFFECTS, faults) {
        spec.effect = effect;
    }
    if spec.effect != Effect::Unknown {
        spec.from.note(Fact::Effect, Evidence::Definition);
    }
    let deprecated = fields.text("deprecated", faults);
    spec.deprecated = deprecated.map(|(why, _)| why.to_owned());
    spec.examples = examples(nodes("example"), faults);
    if !spec.examples.is_empty() {
        spec.from.note(Fact::Examples, Evidence::Definition);
    }
    spec.usage = usage(
        &line,
        runnable,
        !flags.is_empty() || !above.flags.is_empty(),
        &args,
    );
    spec.groups = above.groups.clone();
    let own_flags = flags.iter().map(|flag| flag.param.name.as_str());
    let shared: Vec<&str> = above
        .flags
        .iter()
        .map(|flag| flag.name.as_str())
        .chain(own_flags)
        .collect();
    let own_args = args.iter().map(|arg| arg.param.name.as_str());
    let all: Vec<&str> = shared.iter().copied().chain(own_args).collect();
    for node in &fields.often {
        spec.groups.extend(group(node, &all, faults));
    }
    let inherits: Vec<Group> = spec
        .groups
        .iter()
        .filter(|group| {
            names_of(group)
                .iter()
                .all(|name| shared.contains(&name.as_str()))
        })
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
    spec.path.clone_from(&path);
    let hidden = spec.hidden;
    let effect = spec.effect;
    spec.run = Some(Arc::new(run.clone()));
    let below_flags: Arc<[Param]> = above
        .flags
        .iter()
        .cloned()
        .chain(flags.iter().map(|flag| flag.param.clone()))
        .collect();
    let own = flags.drain(..).chain(args).map(|named| named.param);
    spec.params = own.collect();
    commands.push(spec);

    let below = Above {
        program: above.program,
        path: &path,
        flags: below_flags,
        groups: inherits,
        run,
        effect,
        hidden,
        warned,
    };
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
        let path: Vec<String> = below
            .path
            .iter()
            .cloned()
            .chain([name.to_owned()])
            .collect();
        body(node, &fields, path, &below, commands, warnings, faults);
    }
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
        (true, Some(span)) => {
            let message =
                "`runnable` is for a command that has subcommands: without them it always is";
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

/// Positionals by their place; those that ask for none fill the free places in order.
fn in_order(args: Vec<Named>, faults: &mut Faults) -> Vec<Named> {
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
    for arg in &ordered[..before_last] {
        if matches!(arg.param.kind, Kind::List(..)) {
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
fn check_names(
    flags: &[Named],
    args: &[Named],
    above: &Above<'_>,
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
    let inherited = above.flags.iter().map(|flag| (flag, None));
    let own = flags
        .iter()
        .chain(args)
        .map(|named| (&named.param, Some(named.span)));
    for (param, span) in inherited.chain(own) {
        let what = format!("`{}`", param.name);
        let property = snake(&param.name, "arg");
        let at = span.unwrap_or_default();
        if let (Some((other, first)), true) = (names.get(&property), span.is_some()) {
            let message = format!(
                "`{}` and {other} would both be given as `{property}`",
                param.name
            );
            let mut fault = Fault::new(Sort::Conflict, at, message);
            if let Some(first) = first {
                fault = fault.other(*first, "the other is here");
            }
            faults.add(fault);
        }
        names
            .entry(property)
            .or_insert_with(|| (what.clone(), span));
        let typed = param
            .spelling()
            .map(|spelling| [spelling.long.clone(), spelling.short.clone()]);
        for typed in typed.into_iter().flatten().flatten() {
            if let (Some((other, first)), true) = (spellings.get(&typed), span.is_some()) {
                let message = format!("`{}` and {other} are both typed `{typed}`", param.name);
                let mut fault = Fault::new(Sort::Conflict, at, message);
                if let Some(first) = first {
                    fault = fault.other(*first, "the other is here");
                }
                faults.add(fault);
            }
            spellings
                .entry(typed)
                .or_insert_with(|| (what.clone(), span));
        }
    }
}

/// Finds fault with secrets that would meet something else on their way.
fn check_secrets(flags: &[Named], run: &RunSpec, fields: &Fields<'_>, faults: &mut Faults) {
    let mut ways: Vec<&Secret> = Vec::new();
    for flag in flags {
        let Some(secret) = &flag.param.secret else {
            continue;
        };
        let name = &flag.param.name;
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
            let message = format!("the secret `{name}` cannot be passed: {problem}");
            let mut fault = Fault::new(Sort::Conflict, flag.span, message);
            if let (Secret::Stdin, Some(span)) = (secret, fields.span(STDIN)) {
                fault = fault.other(span, "it is here");
            }
            faults.add(fault);
        }
        ways.push(secret);
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
fn examples<'a>(nodes: impl Iterator<Item = &'a Node>, faults: &mut Faults) -> String {
    let mut blocks = Vec::new();
    for node in nodes {
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

/// The group that `node` is, if it is one.
fn group(node: &Node, names: &[&str], faults: &mut Faults) -> Option<Group> {
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
            faults.add(match nearest(&bare, names.iter().copied()) {
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

fn names_of(group: &Group) -> &[String] {
    match group {
        Group::Exclusive(names)
        | Group::Together(names)
        | Group::AnyOf(names)
        | Group::Requires(names) => names,
    }
}

impl Field<'_> {
    /// Whether its first value is `true`, without finding fault.
    fn is_true(&self) -> bool {
        self.first() == Some(&Value::Bool(true))
    }
}
