//! Corrections of a program that was read, in KDL: text → [`Overlay`]s, and what they
//! change.
//!
//! An overlay replaces nothing: what it does not name stays as it was read. Where files
//! come from and who may be trusted are the caller's business.

use std::sync::Arc;

use crate::model::{Reading, StdoutFormat};
use crate::sources::kdl::fault::{Fault, Sort, Span};
use crate::sources::kdl::fields::{self, Faults, Fields, Form, Known};
use crate::sources::kdl::mistake::line_of;
use crate::sources::kdl::param::{EFFECTS, NO_EFFECT};
use crate::sources::kdl::syntax::{self, Node, Value};
use crate::sources::kdl::{self, Mistake, checks};

mod apply;

/// What one file holds.
#[derive(Debug, Clone, Default)]
pub struct Overlays {
    /// In order.
    pub overlays: Vec<Overlay>,
    /// Everything that is wrong whatever the program is, in order.
    pub mistakes: Vec<Mistake>,
}

/// One `overlay` node.
#[derive(Debug, Clone)]
pub struct Overlay {
    /// The program that it corrects, by its name.
    pub program: String,
    /// The line of the node, from 1.
    pub line: usize,
    /// The file that it stands in, for mistakes that only the program shows.
    file: Arc<(String, String)>,
    commands: Vec<Entry>,
}

/// What an overlay did to a program.
#[derive(Debug, Clone, Default)]
pub struct Applied {
    /// What it changed, a few words each: `pr list --limit (type, default)`.
    pub changes: Vec<String>,
    /// What it names and the program does not have, and what else cannot be; each cost
    /// its entry.
    pub mistakes: Vec<Mistake>,
}

impl Overlay {
    /// Corrects `reading`, which is of this overlay's program.
    pub fn apply(&self, reading: &mut Reading) -> Applied {
        let mut faults = Faults::default();
        let changes = apply::apply(&self.commands, reading, &mut faults);
        let (name, text) = &*self.file;
        Applied {
            changes,
            mistakes: match faults.count() {
                0 => Vec::new(),
                _ => kdl::told(name, text, faults),
            },
        }
    }
}

/// What is said of one command.
#[derive(Debug, Clone)]
struct Entry {
    /// Its words, and where they stand.
    path: Vec<String>,
    span: Span,
    name: Option<(String, Span)>,
    hidden: Option<bool>,
    deprecated: Option<String>,
    description: Option<String>,
    summary: Option<String>,
    effect: Option<crate::model::Effect>,
    output: Option<StdoutFormat>,
    examples: Option<String>,
    /// Its `flag` and `arg` nodes.
    params: Vec<Node>,
}

const OVERLAY: Known = Known {
    once: &[
        "name",
        "hidden",
        "deprecated",
        "description",
        "summary",
        "effect",
        "output",
    ],
    often: &["command", "flag", "arg", "example"],
    form: Form::Children,
};

const COMMAND: Known = Known {
    often: &["flag", "arg", "example"],
    ..OVERLAY
};

const FLAG: Known = Known {
    once: &[
        "name",
        "hidden",
        "deprecated",
        "description",
        "type",
        "items",
        "repeat",
        "separator",
        "split",
        "enum",
        "default",
        "program_default",
        "required",
        "effect",
        "joiner",
        "negative",
        "bare",
    ],
    often: &[],
    form: Form::Either,
};

const ARG: Known = Known {
    once: &[
        "name",
        "description",
        "type",
        "items",
        "enum",
        "default",
        "program_default",
        "required",
    ],
    ..FLAG
};

const OUTPUTS: [(&str, StdoutFormat); 3] = [
    ("json", StdoutFormat::Json),
    ("text", StdoutFormat::Text),
    ("auto", StdoutFormat::Auto),
];

/// Whether a file of definitions or corrections is one of corrections.
pub fn is_overlay(text: &str) -> bool {
    let nodes = syntax::parse(text).unwrap_or_default();
    nodes.iter().any(|node| node.name.text == "overlay")
}

/// Reads the `overlay` nodes of a file called `name`.
pub fn read(name: &str, text: &str) -> Overlays {
    let mut read = Overlays::default();
    let mut faults = Faults::default();
    let file = Arc::new((name.to_owned(), text.to_owned()));
    match syntax::parse(text) {
        Ok(nodes) => {
            for node in &nodes {
                read.overlays.extend(overlay(node, &file, &mut faults));
            }
        }
        Err(fault) => faults.add(fault),
    }
    if faults.count() > 0 {
        read.mistakes = kdl::told(name, text, faults);
    }
    read
}

fn overlay(node: &Node, file: &Arc<(String, String)>, faults: &mut Faults) -> Option<Overlay> {
    if node.name.text != "overlay" {
        let name = &node.name;
        let near = faults.nearest(&name.text, ["overlay"]);
        let names = ["overlay"].into_iter();
        let within = "a file of overlays";
        faults.add(fields::unknown(&name.text, name.span, within, near, names));
        return None;
    }
    let (program, _) = fields::name_of(node, faults)?;
    let said = Fields::of(node, &OVERLAY, faults);
    let mut commands: Vec<Entry> = entry(Vec::new(), node.name.span, &said, faults)
        .into_iter()
        .collect();
    for node in said.all_of("command") {
        let Some((words, span)) = fields::name_of(node, faults) else {
            continue;
        };
        let path = words.split_whitespace().map(str::to_owned).collect();
        let said = Fields::of(node, &COMMAND, faults);
        commands.extend(entry(path, span, &said, faults));
    }
    Some(Overlay {
        program: program.to_owned(),
        line: line_of(&file.1, node.name.span.start),
        file: Arc::clone(file),
        commands,
    })
}

/// What is said of one command; nothing where a part of that is wrong.
fn entry(path: Vec<String>, span: Span, fields: &Fields<'_>, faults: &mut Faults) -> Option<Entry> {
    let known = faults.count();
    let text = |name: &str, faults: &mut Faults| {
        let text = fields.text(name, faults);
        text.map(|(text, _)| text.trim().to_owned())
    };
    let name = fields.text("name", faults);
    let name = name.filter(|(name, span)| checks::name("command", name, *span, faults));
    let mut examples = Vec::new();
    for node in fields.all_of("example") {
        let lines = fields::Field::of(node).texts(faults);
        let mut lines = lines.iter().map(|(line, _)| line.trim());
        let line = lines.next().unwrap_or_default();
        let what: Vec<String> = lines.map(|what| format!("# {what}\n")).collect();
        examples.push(format!("{}{line}", what.concat()));
    }
    let entry = Entry {
        path,
        span,
        name: name.map(|(name, span)| (name.to_owned(), span)),
        hidden: fields.flag("hidden", faults),
        deprecated: text("deprecated", faults),
        description: text("description", faults),
        summary: text("summary", faults),
        effect: fields.choice_of("effect", &EFFECTS, &NO_EFFECT, faults),
        output: fields.choice("output", &OUTPUTS, faults),
        examples: (!examples.is_empty()).then(|| examples.join("\n\n")),
        params: Vec::new(),
    };
    let is_whole = faults.count() == known;
    let params = fields.all_of("flag").chain(fields.all_of("arg"));
    let params: Vec<Node> = params
        .filter(|node| is_param(node, faults))
        .cloned()
        .collect();
    match is_whole {
        true => Some(Entry { params, ..entry }),
        false => None,
    }
}

/// Whether a `flag` or `arg` says nothing that is wrong whatever the program is.
fn is_param(node: &Node, faults: &mut Faults) -> bool {
    let known = faults.count();
    if fields::name_of(node, faults).is_none() {
        return false;
    }
    if is_added(node) {
        return kdl::param::flag(&without_add(node), faults).is_some() && faults.count() == known;
    }
    let fields = param_fields(node, faults);
    fields.text("name", faults);
    fields.text("description", faults);
    for flag in ["hidden", "required", "repeat"] {
        fields.flag(flag, faults);
    }
    faults.count() == known
}

fn param_fields<'a>(node: &'a Node, faults: &mut Faults) -> Fields<'a> {
    let known = match node.name.text.as_str() {
        "arg" => &ARG,
        _ => &FLAG,
    };
    Fields::of(node, known, faults)
}

/// Whether a `flag` says `add=true`: the help does not show it, and the program has it.
fn is_added(node: &Node) -> bool {
    let keyed = node.entries.iter();
    let mut keyed = keyed.filter(|entry| entry.key.as_ref().is_some_and(|key| key.text == "add"));
    let property = keyed.any(|entry| entry.value == Value::Bool(true));
    let mut children = node.children.iter().flatten();
    let child = children.any(|child| {
        let first = child.entries.first().map(|entry| &entry.value);
        child.name.text == "add" && first == Some(&Value::Bool(true))
    });
    node.name.text == "flag" && (property || child)
}

/// The same node as a definition would have it.
fn without_add(node: &Node) -> Node {
    let mut node = node.clone();
    let is_add = |key: &Option<syntax::Word>| key.as_ref().is_some_and(|key| key.text == "add");
    node.entries.retain(|entry| !is_add(&entry.key));
    if let Some(children) = &mut node.children {
        children.retain(|child| child.name.text != "add");
    }
    node
}

/// A name that the program does not have.
fn not_there<'a>(
    what: String,
    name: &str,
    span: Span,
    names: impl Iterator<Item = &'a str>,
    faults: &mut Faults,
) {
    let fault = Fault::new(Sort::Unknown, span, what);
    faults.add(match faults.nearest(name, names) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault.help("`argway describe` shows what was read"),
    });
}
