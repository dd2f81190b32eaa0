//! The servers in another client's file: under which key, in JSON with comments or
//! in TOML.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Entries by name.
pub type Servers = Map<String, Value>;

/// What a file names.
#[derive(Debug, Default)]
pub struct Document {
    /// Those that hold everywhere.
    pub servers: Vec<Servers>,
    /// Those that hold in one folder (Claude Code).
    pub projects: Vec<(PathBuf, Servers)>,
    /// What is no list of servers where one should be.
    pub problems: Vec<String>,
}

impl Document {
    /// Whether the file has no place for servers at all.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty() && self.projects.is_empty() && self.problems.is_empty()
    }
}

/// The few keys that matter: these files can be megabytes of history.
#[derive(Deserialize)]
struct Keys<'a> {
    #[serde(rename = "mcpServers")]
    mcp_servers: Option<Value>,
    #[serde(rename = "mcp_servers")]
    codex: Option<Value>,
    servers: Option<Value>,
    context_servers: Option<Value>,
    mcp: Option<Value>,
    #[serde(rename = "mcp.servers")]
    mcp_dot_servers: Option<Value>,
    #[serde(borrow)]
    projects: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Project {
    #[serde(rename = "mcpServers")]
    mcp_servers: Option<Value>,
}

/// Reads a file's text. TOML if it is called so or cannot be JSON.
pub fn read(path: &Path, text: &str) -> Result<Document, String> {
    if text.trim().is_empty() {
        return Ok(Document::default());
    }
    let begins_as_json = text.trim_start().starts_with(['{', '/']);
    let is_toml = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => true,
        Some("json" | "jsonc") => false,
        _ => !begins_as_json,
    };
    if is_toml {
        let value = toml(text)?;
        return document(&value.to_string());
    }
    match document(text) {
        Ok(document) => Ok(document),
        // Perhaps there are comments in it.
        Err(_) => document(&jsonc(text)?.to_string()),
    }
}

fn toml(text: &str) -> Result<Value, String> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        let message = error.message().lines().next().unwrap_or_default();
        format!("is no TOML (line {line}: {message})")
    })
}

fn jsonc(text: &str) -> Result<Value, String> {
    let options = jsonc_parser::ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    jsonc_parser::parse_to_serde_value(text, &options)
        .map_err(|error| format!("is no JSON ({error})"))
}

fn document(json: &str) -> Result<Document, String> {
    // A list would do for serde: its items would be the fields.
    if !json.trim_start().starts_with('{') {
        return Err("is no JSON object".to_owned());
    }
    let keys: Keys<'_> =
        serde_json::from_str(json).map_err(|error| format!("is no JSON object ({error})"))?;
    let mut document = Document::default();
    let inner = |value: Option<Value>| match value {
        Some(Value::Object(mut map)) => map.remove("servers"),
        _ => None,
    };
    let containers = [
        ("mcpServers", keys.mcp_servers),
        ("servers", keys.servers),
        ("mcp.servers", keys.mcp_dot_servers.or(inner(keys.mcp))),
        ("context_servers", keys.context_servers),
        ("mcp_servers", keys.codex),
    ];
    for (key, value) in containers {
        match value {
            None | Some(Value::Null) => {}
            Some(Value::Object(servers)) => document.servers.push(servers),
            Some(_) => document.problems.push(format!(
                "`{key}` is no object with a server under each name"
            )),
        }
    }
    let projects = keys.projects.map(RawValue::get).unwrap_or("{}");
    // Keys of other programs are called `projects` too: what is no map is not ours.
    let projects: BTreeMap<Cow<'_, str>, &RawValue> =
        serde_json::from_str(projects).unwrap_or_default();
    for (folder, project) in projects {
        if let Ok(Project {
            mcp_servers: Some(Value::Object(servers)),
        }) = serde_json::from_str(project.get())
            && !servers.is_empty()
        {
            let folder = PathBuf::from(folder.as_ref());
            document.projects.push((folder, servers));
        }
    }
    Ok(document)
}
