//! One server in another client's file. Each client has its own words for the same
//! few things; all of them are understood in every file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::super::disk::Disk;
use super::super::template::{Dialect, Template};
use super::super::{EndpointText, check};

/// Where an entry was found.
pub struct Context<'a> {
    /// For the files that an entry names.
    pub disk: &'a Disk,
    /// The folder that it belongs to; none where it holds everywhere.
    pub root: Option<&'a Path>,
    /// What its variables stand for.
    pub dialect: Dialect<'a>,
}

/// What the entry runs or connects to; nothing for one that is switched off or that
/// only its own client can run.
pub fn read(value: &Value, context: &Context<'_>) -> Result<Option<EndpointText>, String> {
    let Value::Object(entry) = value else {
        return Err("it is no object".to_owned());
    };
    let says = |key: &str, wanted: bool| entry.get(key) == Some(&Value::Bool(wanted));
    if says("disabled", true) || says("enabled", false) {
        return Ok(None);
    }
    let command = entry.get("command").filter(|value| !value.is_null());
    let urls = ["httpUrl", "url", "serverUrl"];
    let url = urls.into_iter().find_map(|key| {
        let value = entry.get(key).filter(|value| !value.is_null())?;
        Some((key, value))
    });
    // An extension of Zed: its command is known to the extension alone.
    if command.is_none() && url.is_none() && entry.contains_key("settings") {
        return Ok(None);
    }
    let wants_url = match transport(entry)? {
        Some(wants_url) => wants_url,
        None if command.is_some() && url.is_some() => {
            return Err("it has both a `command` and a URL, and no `type`".to_owned());
        }
        None => url.is_some(),
    };
    match (command, url) {
        (_, Some((key, value))) if wants_url => http(entry, key, value, context).map(Some),
        (Some(command), _) if !wants_url => stdio(entry, command, context).map(Some),
        (_, None) if wants_url => Err("it has no `url`".to_owned()),
        (None, None) => Err("it has neither a `command` nor a `url`".to_owned()),
        _ => Err("it has no `command`".to_owned()),
    }
}

/// Whether the entry says that it is connected to (true) or run (false).
fn transport(entry: &Map<String, Value>) -> Result<Option<bool>, String> {
    let Some(kind) = entry.get("type").or(entry.get("transport")) else {
        return Ok(None);
    };
    let text = kind.as_str().unwrap_or_default();
    let plain: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    match plain.to_ascii_lowercase().as_str() {
        "stdio" | "local" => Ok(Some(false)),
        "http" | "sse" | "streamablehttp" | "httpstream" | "remote" => Ok(Some(true)),
        _ => Err(format!(
            "its `type` is {}; `stdio`, `http` and `sse` are understood",
            short(kind)
        )),
    }
}

fn stdio(
    entry: &Map<String, Value>,
    command: &Value,
    context: &Context<'_>,
) -> Result<EndpointText, String> {
    // Zed used to have the whole command in one object.
    let (program, whole) = match command {
        Value::Object(whole) => (whole.get("path").unwrap_or(&Value::Null), whole),
        other => (other, entry),
    };
    let program = string("command", program)?;
    if program.trim().is_empty() {
        return Err("its `command` is empty".to_owned());
    }
    let mut env = match entry.get("envFile").filter(|value| !value.is_null()) {
        Some(value) => env_file(string("envFile", value)?, context)?,
        None => BTreeMap::new(),
    };
    for name in forwarded(entry) {
        check::variable_name(name)?;
        env.insert(name.to_owned(), format!("${{{name}:-}}"));
    }
    for (name, value) in map("env", whole)? {
        check::variable_name(name)?;
        // A variable that is null is one that is not set.
        if !value.is_null() {
            let text = scalar(&format!("env.{name}"), value)?;
            env.insert(name.clone(), context.template(&text)?.to_string());
        }
    }
    let mut args = Vec::new();
    for value in list("args", whole)? {
        args.push(context.template(&scalar("args", value)?)?.to_string());
    }
    let cwd = match entry.get("cwd").filter(|value| !value.is_null()) {
        Some(value) => Some(context.below_root(string("cwd", value)?)?),
        None => context.root.map(literal_path),
    };
    let command = match program.contains('/') {
        true => context.below_root(program)?,
        false => context.template(program)?.to_string(),
    };
    Ok(EndpointText::Stdio {
        command,
        args,
        env,
        cwd,
    })
}

fn http(
    entry: &Map<String, Value>,
    key: &str,
    url: &Value,
    context: &Context<'_>,
) -> Result<EndpointText, String> {
    let url = context.template(string(key, url)?)?;
    if let Some(plain) = url.plain() {
        check::url(plain).map_err(|reason| format!("its `{key}` {reason}"))?;
    }
    let mut headers = BTreeMap::new();
    for key in ["headers", "http_headers"] {
        for (name, value) in map(key, entry)? {
            check::header_name(name)?;
            check::header_beside(name, headers.keys())?;
            let text = context.template(&scalar(&format!("{key}.{name}"), value)?)?;
            if let Some(plain) = text.plain() {
                check::header_value(name, plain)?;
            }
            headers.insert(name.clone(), text.to_string());
        }
    }
    // Codex names the variables instead of writing `${…}`.
    for (name, value) in map("env_http_headers", entry)? {
        check::header_name(name)?;
        check::header_beside(name, headers.keys())?;
        let variable = string("env_http_headers", value)?;
        headers.insert(name.clone(), format!("${{{variable}}}"));
    }
    if let Some(value) = entry.get("bearer_token_env_var") {
        let variable = string("bearer_token_env_var", value)?;
        check::header_beside("Authorization", headers.keys())?;
        headers.insert("Authorization".into(), format!("Bearer ${{{variable}}}"));
    }
    Ok(EndpointText::Http {
        url: url.to_string(),
        headers,
        ca_file: None,
    })
}

/// Codex's `env_vars`: names, or objects with a name.
fn forwarded(entry: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let list = entry.get("env_vars").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|value| value.get("name").unwrap_or(value).as_str())
}

/// The variables in a file of `NAME=value` lines.
/// More than the variables of a program can have together on most systems.
const LARGEST_ENV_FILE: usize = 256 << 10;

fn env_file(text: &str, context: &Context<'_>) -> Result<BTreeMap<String, String>, String> {
    let template = context.template(text)?;
    let path = template
        .plain()
        .ok_or_else(|| "its `envFile` has variables in it".to_owned())?;
    let path = match path.strip_prefix("~/") {
        Some(rest) => context.dialect.home.join(rest),
        None => context.dialect.workspace.join(path),
    };
    let found = context.disk.read(&path);
    let wrong = |reason: &str| format!("its `envFile` {} {reason}", path.display());
    let found = found
        .map_err(|reason| wrong(&reason))?
        .ok_or_else(|| wrong("is not there"))?;
    if found.text.len() > LARGEST_ENV_FILE {
        let most = LARGEST_ENV_FILE >> 10;
        return Err(wrong(&format!("is larger than {most} KiB")));
    }
    let mut env = BTreeMap::new();
    for line in found.text.lines() {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        if line.starts_with('#') || check::variable_name(name.trim()).is_err() {
            continue;
        }
        let value = Template::literal(&unquoted(value.trim())).to_string();
        env.insert(name.trim().to_owned(), value);
    }
    Ok(env)
}

/// `"a"` and `'a'` are a; what follows ` #` is a comment.
fn unquoted(value: &str) -> String {
    for quote in ['"', '\''] {
        if let Some(inside) = value.strip_prefix(quote)
            && let Some(end) = inside.find(quote)
        {
            return match quote {
                '"' => inside[..end].replace("\\n", "\n"),
                _ => inside[..end].to_owned(),
            };
        }
    }
    let end = value.find(" #").unwrap_or(value.len());
    value[..end].trim_end().to_owned()
}

impl Context<'_> {
    fn template(&self, text: &str) -> Result<Template, String> {
        match text.contains('\0') {
            true => Err("it has a NUL character".to_owned()),
            false => Ok(Template::of_client(text, self.dialect)),
        }
    }

    /// A path of a project's file, which is meant from the project's folder.
    fn below_root(&self, text: &str) -> Result<String, String> {
        let template = self.template(text)?;
        let begins = template.beginning();
        match self.root {
            Some(root) if !template.begins_with_variable() && !begins.starts_with(['/', '~']) => {
                let mut path = literal_path(root);
                if !path.ends_with('/') {
                    path.push('/');
                }
                path.push_str(&template.to_string());
                Ok(path)
            }
            _ => Ok(template.to_string()),
        }
    }
}

fn literal_path(path: &Path) -> String {
    let path: PathBuf = path.components().collect();
    Template::literal(&path.to_string_lossy()).to_string()
}

fn string<'v>(key: &str, value: &'v Value) -> Result<&'v str, String> {
    value
        .as_str()
        .ok_or_else(|| format!("its `{key}` is {}, not a string", kind(value)))
}

/// Numbers and booleans are often written without quotes.
fn scalar(key: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        other => string(key, other).map(str::to_owned),
    }
}

fn list<'v>(key: &str, entry: &'v Map<String, Value>) -> Result<&'v [Value], String> {
    match entry.get(key) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(other) => Err(format!("its `{key}` is {}, not a list", kind(other))),
    }
}

fn map<'v>(
    key: &str,
    entry: &'v Map<String, Value>,
) -> Result<impl Iterator<Item = (&'v String, &'v Value)>, String> {
    match entry.get(key) {
        None | Some(Value::Null) => Ok(None.into_iter().flatten()),
        Some(Value::Object(map)) => Ok(Some(map).into_iter().flatten()),
        Some(other) => Err(format!("its `{key}` is {}, not an object", kind(other))),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) if text.len() <= 40 => format!("`{}`", text.escape_debug()),
        other => kind(other).to_owned(),
    }
}
