//! A call's arguments, checked and taken apart by where each goes: words, stdin,
//! variables.

use argway_core::argv::{self, ArgumentError, Arguments};
use argway_core::catalog::{Layout, Tool};
use serde_json::{Map, Value};

/// Checked arguments, by where each goes.
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
    let mut checked = Arguments::check(tool, layout, arguments)?;
    let mut json = false;
    if json_output && let Some(switch) = argv::json_switch(tool, &checked) {
        checked = checked.with_json(&switch);
        json = true;
    }
    let secrets = checked.secrets(tool);
    let secret_stdin = secrets.stdin.map(|text| text.expose().as_bytes().to_vec());
    let exposed = |(name, text): (String, argv::SecretText)| (name, text.expose().to_owned());
    Ok(Checked {
        words: argv::encode(tool, &checked)?,
        stdin_is_secret: secret_stdin.is_some(),
        stdin: secret_stdin.or_else(|| checked.stdin().map(<[u8]>::to_vec)),
        secrets: secrets.environment.into_iter().map(exposed).collect(),
        paths: checked.paths(tool),
        json,
    })
}
