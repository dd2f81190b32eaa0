//! A call's arguments, checked and taken apart by where each goes: words, stdin,
//! variables.
//!
//! All of the work is `argway_core::argv`'s; this is the one place that knows how
//! it is asked.

use argway_core::argv::{self, ArgumentError, Arguments};
use argway_core::catalog::{Layout, Tool};
use argway_core::model::{Kind, Param, Scalar, Secret};
use serde_json::{Map, Value};

/// Checked arguments, by where each goes.
#[derive(Clone, Default)]
pub(super) struct Checked {
    /// The words after the program.
    pub words: Vec<String>,
    /// What it reads.
    pub stdin: Option<Vec<u8>>,
    /// Whether what it reads is a secret.
    pub stdin_is_secret: bool,
    /// Variables that hold secrets.
    pub secrets: Vec<(String, String)>,
    /// The arguments that are paths, by their names.
    pub paths: Vec<(String, String)>,
    /// The program's own JSON switch was added.
    pub json: bool,
}

/// `arguments` of a call of `tool`, or everything that is wrong with them.
pub(super) fn check(
    tool: &Tool,
    layout: Layout,
    json_output: bool,
    arguments: &Map<String, Value>,
) -> Result<Checked, ArgumentError> {
    let (open, secrets) = split_secrets(tool, layout, arguments);
    let mut checked = Arguments::check(tool, layout, &open)?;
    let switch = json_output.then(|| argv::json_switch(tool, &checked));
    let switch = switch.flatten();
    if let Some(switch) = &switch {
        checked = checked.with_json(switch);
    }
    let mut words = match &tool.spec().run {
        Some(run) => run.words.clone(),
        None => Vec::new(),
    };
    words.extend(argv::encode(tool, &checked)?);
    let mut all = Checked {
        words,
        stdin: checked.stdin().map(|text| text.as_bytes().to_vec()),
        paths: paths(tool, layout, &open),
        json: switch.is_some(),
        ..Checked::default()
    };
    for (secret, value) in secrets {
        match secret {
            Secret::Environment(name) => all.secrets.push((name, value)),
            Secret::Stdin => {
                all.stdin = Some(value.into_bytes());
                all.stdin_is_secret = true;
            }
        }
    }
    Ok(all)
}

/// `words` as a shell reads them back, each quoted.
pub(super) fn quoted(words: &[String]) -> String {
    words
        .iter()
        .map(|word| format!("'{}'", word.replace('\'', r"'\''")))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a variable makes programs load code: no call may set it.
pub(super) fn loads_code(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "BASH_ENV",
        "ENV",
        "SHELLOPTS",
        "BASHOPTS",
        "PS4",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PYTHONSTARTUP",
        "PYTHONPATH",
        "PYTHONHOME",
        "PERL5OPT",
        "PERL5LIB",
        "RUBYOPT",
        "RUBYLIB",
        "JAVA_TOOL_OPTIONS",
        "GIT_SSH_COMMAND",
    ];
    ["LD_", "DYLD_", "BASH_FUNC_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || NAMES.contains(&name)
}

type Secrets = Vec<(Secret, String)>;

fn split_secrets(
    tool: &Tool,
    layout: Layout,
    arguments: &Map<String, Value>,
) -> (Map<String, Value>, Secrets) {
    let mut open = arguments.clone();
    let mut secrets = Vec::new();
    for property in tool.properties(layout) {
        let Some(secret) = &property.param.secret else {
            continue;
        };
        if let Some(Value::String(value)) = open.shift_remove(&property.name) {
            secrets.push((secret.clone(), value));
        }
    }
    (open, secrets)
}

fn paths(tool: &Tool, layout: Layout, arguments: &Map<String, Value>) -> Vec<(String, String)> {
    let is_path = |param: &Param| {
        matches!(
            &param.kind,
            Kind::One(Scalar::Path) | Kind::List(Scalar::Path, _)
        )
    };
    let mut all = Vec::new();
    for property in tool.properties(layout) {
        if !is_path(property.param) {
            continue;
        }
        let values = match arguments.get(&property.name) {
            Some(Value::Array(values)) => values.clone(),
            Some(value) => vec![value.clone()],
            None => Vec::new(),
        };
        for value in values {
            if let Value::String(path) = value {
                all.push((property.name.clone(), path));
            }
        }
    }
    all
}
