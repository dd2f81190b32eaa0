//! How a command is run: everything that ends up in its [`RunSpec`].

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::checks;
use super::fault::{Fault, Sort};
use super::fields::{self, Faults, Fields, Form, Known};
use super::syntax::{Node, Value};
use crate::model::{
    Encoding, RunSpec, StderrSpec, StdinFormat, StdinSpec, StdoutFormat, StdoutSpec,
};
use crate::policy::{Filesystem, SandboxPolicy};

/// A day.
const MOST_MILLISECONDS: u64 = 24 * 60 * 60 * 1000;
/// Milliseconds below which seconds were meant.
const FEW_MILLISECONDS: u64 = 100;

const STDIN: Known = Known {
    once: &["description", "type", "format", "required"],
    often: &[],
    form: Form::Either,
};

const STDOUT: Known = Known {
    once: &["type", "format", "trim", "encoding"],
    often: &[],
    form: Form::Either,
};

const STDERR: Known = Known {
    once: &["capture", "fail_on_output"],
    often: &[],
    form: Form::Either,
};

const OUTPUT: Known = Known {
    once: &["schema"],
    often: &[],
    form: Form::Children,
};

const SANDBOX: Known = Known {
    once: &["network", "filesystem", "read", "write", "resources"],
    often: &[],
    form: Form::Children,
};

const RESOURCES: Known = Known {
    once: &[
        "cpu_seconds",
        "memory_mb",
        "open_files",
        "processes",
        "file_mb",
        "output_mb",
    ],
    often: &[],
    form: Form::Children,
};

/// What the fields of a command say of its run, on top of what its parent's say.
pub(crate) fn run(parent: &RunSpec, fields: &Fields<'_>, faults: &mut Faults) -> RunSpec {
    let mut run = RunSpec {
        stdin: None,
        output_schema: None,
        ..parent.clone()
    };
    let milliseconds = 1..=MOST_MILLISECONDS;
    if let Some(timeout) = fields.integer("timeout", "milliseconds", milliseconds, faults) {
        run.timeout_ms = timeout;
    }
    if let Some((path, span)) = fields.text("workdir", faults)
        && checks::workdir(path, span, faults)
    {
        run.workdir = path.to_owned();
    }
    let switches = [
        ("expand_env", &mut run.expand_env),
        ("shell", &mut run.shell),
        ("allow_failure", &mut run.allow_failure),
        ("end_of_options", &mut run.end_of_options),
    ];
    for (name, switch) in switches {
        *switch = fields.flag(name, faults).unwrap_or(*switch);
    }
    if let Some(node) = fields.node("env", faults) {
        variables(node, &mut run.env, faults);
    }
    if let Some(names) = fields.texts("pass_env", faults) {
        run.sandbox.variables = names
            .into_iter()
            .filter(|(name, span)| checks::variable(name, *span, faults))
            .map(|(name, _)| name.to_owned())
            .collect();
    }
    if let Some(node) = fields.node("stdin", faults) {
        run.stdin = Some(stdin(node, faults));
    }
    if let Some(node) = fields.node("stdout", faults) {
        stdout(node, &mut run.stdout, faults);
    }
    if let Some(node) = fields.node("stderr", faults) {
        stderr(node, &mut run.stderr, faults);
    }
    if let Some(node) = fields.node("output", faults) {
        run.output_schema = output(node, faults);
    }
    if let Some(node) = fields.node("sandbox", faults) {
        sandbox(node, &mut run.sandbox, faults);
    }
    run
}

/// What somebody should know before a command runs so.
pub fn warnings(command_line: &str, run: &RunSpec) -> Vec<String> {
    let mut warnings = Vec::new();
    if run.shell {
        warnings.push(format!(
            "`{command_line}` runs through a shell: its arguments are quoted, but the command itself is the shell's to read"
        ));
    }
    if run.timeout_ms < FEW_MILLISECONDS {
        warnings.push(format!(
            "`{command_line}` is ended after {} milliseconds; `timeout` counts those, not seconds",
            run.timeout_ms
        ));
    }
    warnings
}

fn variables(node: &Node, env: &mut BTreeMap<String, String>, faults: &mut Faults) {
    fields::no_values(node, faults);
    let mut seen = BTreeMap::new();
    let properties = node
        .entries
        .iter()
        .filter_map(|entry| Some((entry.key.as_ref()?, std::slice::from_ref(entry))));
    let nodes = node.children.iter().flatten();
    let nodes = nodes.map(|child| (&child.name, child.entries.as_slice()));
    for (name, values) in properties.chain(nodes) {
        if !checks::variable(&name.text, name.span, faults) {
            continue;
        }
        if let Some(first) = seen.insert(&name.text, name.span) {
            let message = format!("`{}` is given twice", name.text);
            let fault = Fault::new(Sort::Conflict, name.span, message);
            faults.add(fault.other(first, "it is first given here"));
            continue;
        }
        match values {
            [entry] => match &entry.value {
                Value::Text(text) => drop(env.insert(name.text.clone(), text.clone())),
                _ => faults.add(fields::wrong(&name.text, "a text in quotes", entry)),
            },
            _ => {
                let message = format!("`{}` takes one text in quotes", name.text);
                faults.add(Fault::new(Sort::Value, name.span, message));
            }
        }
    }
}

/// `type` of a stream: there is one.
fn stream_type(fields: &Fields<'_>, faults: &mut Faults) {
    if let Some((said, span)) = fields.text("type", faults)
        && said != "string"
    {
        let fault = Fault::new(Sort::Value, span, "the `type` of a stream is \"string\"");
        faults.add(fault.help("what it holds is said by `format`: \"json\" for anything but text"));
    }
}

fn stdin(node: &Node, faults: &mut Faults) -> StdinSpec {
    const FORMATS: [(&str, StdinFormat); 3] = [
        ("text", StdinFormat::Text),
        ("json", StdinFormat::Json),
        ("binary", StdinFormat::Binary),
    ];
    fields::no_values(node, faults);
    let fields = Fields::of(node, &STDIN, faults);
    stream_type(&fields, faults);
    let text = fields.text("description", faults);
    StdinSpec {
        text: text.map_or(String::new(), |(text, _)| text.trim().to_owned()),
        format: fields
            .choice("format", &FORMATS, faults)
            .unwrap_or_default(),
        required: fields.flag("required", faults).unwrap_or(false),
    }
}

fn stdout(node: &Node, stdout: &mut StdoutSpec, faults: &mut Faults) {
    const FORMATS: [(&str, StdoutFormat); 3] = [
        ("json", StdoutFormat::Json),
        ("text", StdoutFormat::Text),
        ("auto", StdoutFormat::Auto),
    ];
    const ENCODINGS: [(&str, Encoding); 2] =
        [("utf8", Encoding::Utf8), ("base64", Encoding::Base64)];
    fields::no_values(node, faults);
    let fields = Fields::of(node, &STDOUT, faults);
    stream_type(&fields, faults);
    let format = fields.choice("format", &FORMATS, faults);
    stdout.format = format.unwrap_or(stdout.format);
    stdout.trim = fields.flag("trim", faults).unwrap_or(stdout.trim);
    let encoding = fields.choice("encoding", &ENCODINGS, faults);
    stdout.encoding = encoding.unwrap_or(stdout.encoding);
    if let (StdoutFormat::Json, Encoding::Base64, Some(span)) =
        (stdout.format, stdout.encoding, fields.span("encoding"))
    {
        let message = "JSON is text: `encoding \"base64\"` is for output that is not";
        faults.add(Fault::new(Sort::Conflict, span, message));
    }
}

fn stderr(node: &Node, stderr: &mut StderrSpec, faults: &mut Faults) {
    fields::no_values(node, faults);
    let fields = Fields::of(node, &STDERR, faults);
    stderr.capture = fields.flag("capture", faults).unwrap_or(stderr.capture);
    let fails = fields.flag("fail_on_output", faults);
    stderr.fail_on_output = fails.unwrap_or(stderr.fail_on_output);
}

fn output(node: &Node, faults: &mut Faults) -> Option<Json> {
    fields::no_values(node, faults);
    let fields = Fields::of(node, &OUTPUT, faults);
    if fields.lacks("schema") {
        let fault = Fault::new(Sort::Missing, node.name.span, "`output` needs a `schema`");
        faults.add(fault.help("write `schema #\"{\"type\": \"object\"}\"#`"));
        return None;
    }
    let (text, span) = fields.text("schema", faults)?;
    let problem = match serde_json::from_str(text) {
        Ok(schema @ Json::Object(_)) => match crate::schema::check_schema(&schema) {
            Ok(()) => return Some(schema),
            Err(problem) => problem,
        },
        Ok(_) => "it is no JSON object".to_owned(),
        Err(error) => error.to_string(),
    };
    let message = format!("`schema` takes a JSON Schema: {problem}");
    faults.add(Fault::new(Sort::Value, span, message));
    None
}

fn sandbox(node: &Node, policy: &mut SandboxPolicy, faults: &mut Faults) {
    const FILESYSTEMS: [(&str, Filesystem); 4] = [
        ("none", Filesystem::None),
        ("cwd", Filesystem::Cwd),
        ("home", Filesystem::Home),
        ("full", Filesystem::Full),
    ];
    let switched = node
        .entries
        .iter()
        .find(|entry| entry.key.is_none() && matches!(entry.value, Value::Bool(_)));
    match switched {
        Some(entry) => {
            let message = "no definition switches its sandbox on or off: it is on";
            let fault = Fault::new(Sort::Unsafe, entry.span, message);
            faults.add(
                fault.help(
                    "say in its braces what it needs; who runs argway may say `--sandbox=off`",
                ),
            );
        }
        None => fields::no_values(node, faults),
    }
    let fields = Fields::of(node, &SANDBOX, faults);
    policy.network = fields.flag("network", faults).unwrap_or(policy.network);
    let filesystem = fields.choice("filesystem", &FILESYSTEMS, faults);
    policy.filesystem = filesystem.unwrap_or(policy.filesystem);
    let lists = [
        ("read", &mut policy.readable),
        ("write", &mut policy.writable),
    ];
    for (name, list) in lists {
        if let Some(paths) = fields.texts(name, faults) {
            *list = paths
                .into_iter()
                .filter(|(path, span)| checks::absolute(name, path, *span, faults))
                .map(|(path, _)| path.to_owned())
                .collect();
        }
    }
    if let Some(node) = fields.node("resources", faults) {
        fields::no_values(node, faults);
        let fields = Fields::of(node, &RESOURCES, faults);
        let resources = &mut policy.resources;
        let limits = [
            (
                "cpu_seconds",
                "seconds",
                1..=86_400,
                &mut resources.cpu_seconds,
            ),
            ("memory_mb", "MiB", 16..=1_048_576, &mut resources.memory_mb),
            (
                "open_files",
                "a number",
                // The sandbox itself needs some while it is put on.
                16..=1_048_576,
                &mut resources.open_files,
            ),
            (
                "processes",
                "a number",
                1..=65_536,
                &mut resources.processes,
            ),
            ("file_mb", "MiB", 1..=1_048_576, &mut resources.file_mb),
            ("output_mb", "MiB", 1..=1024, &mut resources.output_mb),
        ];
        for (name, what, range, limit) in limits {
            *limit = fields.integer(name, what, range, faults).unwrap_or(*limit);
        }
    }
}
