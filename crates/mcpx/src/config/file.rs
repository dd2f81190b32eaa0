//! mcpx's own file, `config.toml`. Everything that is wrong in it is told at once,
//! each with its line and column.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use argway_core::catalog::names::nearest;
use argway_core::units;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::template::Template;
use super::{
    ConfigError, EndpointText, Scope, ServerEntry, Settings, ToolCache, ToolSettings, check,
};

/// How many mistakes are told at once.
const MISTAKES: usize = 20;
/// No setting waits longer than this.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

const TOP_KEYS: &[&str] = &["fallback_sources", "servers"];
const STDIO_KEYS: &[&str] = &["command", "args", "env", "cwd"];
const HTTP_KEYS: &[&str] = &["url", "headers", "ca_file"];
const SERVER_KEYS: &[&str] = &[
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "ca_file",
    "timeout",
    "connect_timeout",
    "keepalive",
    "default_cache_ttl",
    "no_cache_tools",
    "tools",
];
const TOOL_KEYS: &[&str] = &["cache"];

/// What the file says.
#[derive(Debug, Default, PartialEq)]
pub struct OwnFile {
    /// By name.
    pub servers: BTreeMap<String, ServerEntry>,
    /// The files that are read instead of the usual ones, where no server is named.
    pub fallback_sources: Option<Vec<String>>,
}

/// Reads the text of the file at `path`.
pub fn read(path: &Path, text: &str) -> Result<OwnFile, ConfigError> {
    let mut reader = Reader {
        path,
        text,
        mistakes: Vec::new(),
    };
    let file = match DeTable::parse(text) {
        Ok(table) => reader.file(table.get_ref()),
        Err(error) => {
            let span = error.span().unwrap_or_default();
            reader.mistake(&span, first_line(error.message()));
            OwnFile::default()
        }
    };
    match reader.mistakes.is_empty() {
        true => Ok(file),
        false => Err(reader.error()),
    }
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_owned()
}

type Name<'i> = Spanned<Cow<'i, str>>;
type Value<'i> = Spanned<DeValue<'i>>;

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    /// Each with the offset of its place.
    mistakes: Vec<(usize, String)>,
}

impl Reader<'_> {
    fn mistake(&mut self, span: &Range<usize>, text: impl Into<String>) {
        self.mistakes.push((span.start, text.into()));
    }

    fn error(mut self) -> ConfigError {
        self.mistakes.sort();
        let count = self.mistakes.len();
        let mut lines: Vec<String> = Vec::new();
        for (offset, text) in self.mistakes.iter().take(MISTAKES) {
            let (line, column) = place(self.text, *offset);
            lines.push(format!("{}:{line}:{column}: {text}", self.path.display()));
        }
        if count > MISTAKES {
            lines.push(format!(
                "{}: and {} more",
                self.path.display(),
                count - MISTAKES
            ));
        }
        ConfigError(lines.join("\n"))
    }

    fn file(&mut self, table: &DeTable<'_>) -> OwnFile {
        self.keys(table, TOP_KEYS);
        let mut file = OwnFile::default();
        if let Some(value) = table.get("fallback_sources") {
            file.fallback_sources = Some(self.strings("fallback_sources", value));
        }
        let Some(value) = table.get("servers") else {
            return file;
        };
        let Some(servers) = value.get_ref().as_table() else {
            self.wrong_type("servers", "tables, `[servers.NAME]` for each server", value);
            return file;
        };
        for (name, value) in servers {
            if let Err(reason) = check::server_name(name.get_ref()) {
                self.mistake(&name.span(), reason);
            }
            let Some(table) = value.get_ref().as_table() else {
                let what = format!("servers.{}", name.get_ref());
                self.wrong_type(&what, "a table with `command` or `url`", value);
                continue;
            };
            if let Some(entry) = self.server(name, table) {
                file.servers.insert(entry.name.clone(), entry);
            }
        }
        file
    }

    fn server(&mut self, name: &Name<'_>, table: &DeTable<'_>) -> Option<ServerEntry> {
        self.keys(table, SERVER_KEYS);
        let settings = self.settings(table);
        let endpoint = match (table.get("command"), table.get("url")) {
            (Some(_), Some(url)) => {
                self.mistake(
                    &url.span(),
                    format!(
                        "the server `{}` has both `command` and `url`; it is either run or connected to",
                        name.get_ref()
                    ),
                );
                None
            }
            (None, None) => {
                self.mistake(
                    &name.span(),
                    format!(
                        "the server `{}` has neither `command` nor `url`",
                        name.get_ref()
                    ),
                );
                None
            }
            (Some(command), None) => {
                self.foreign(table, HTTP_KEYS, "url");
                Some(self.stdio(table, command))
            }
            (None, Some(url)) => {
                self.foreign(table, STDIO_KEYS, "command");
                Some(self.http(table, url))
            }
        };
        Some(ServerEntry {
            name: name.get_ref().to_string(),
            origin: Some(self.path.to_path_buf()),
            scope: Scope::Own,
            endpoint: endpoint?,
            settings,
        })
    }

    fn stdio(&mut self, table: &DeTable<'_>, command: &Value<'_>) -> EndpointText {
        let (text, template) = self.template("command", command);
        if template.plain().is_some_and(|text| text.trim().is_empty()) && command.get_ref().is_str()
        {
            self.mistake(
                &command.span(),
                "`command` is empty; it is the program to run",
            );
        }
        let args = table.get("args").map(|value| self.list("args", value));
        let mut args_text = Vec::new();
        for value in args.into_iter().flatten() {
            args_text.push(self.template("args", value).0);
        }
        let mut env = BTreeMap::new();
        for (name, value) in self.map("env", table) {
            if let Err(reason) = check::variable_name(name.get_ref()) {
                self.mistake(&name.span(), reason);
            }
            let key = format!("env.{}", name.get_ref());
            env.insert(name.get_ref().to_string(), self.template(&key, value).0);
        }
        EndpointText::Stdio {
            command: text,
            args: args_text,
            env,
            cwd: table.get("cwd").map(|value| self.path_text("cwd", value)),
        }
    }

    fn http(&mut self, table: &DeTable<'_>, value: &Value<'_>) -> EndpointText {
        let (url, template) = self.template("url", value);
        if let (Some(text), true) = (template.plain(), value.get_ref().is_str())
            && let Err(reason) = check::url(text)
        {
            self.mistake(&value.span(), format!("`url` {reason}"));
        }
        let mut headers = BTreeMap::new();
        for (name, value) in self.map("headers", table) {
            let beside = || check::header_beside(name.get_ref(), headers.keys());
            if let Err(reason) = check::header_name(name.get_ref()).and_then(|()| beside()) {
                self.mistake(&name.span(), reason);
            }
            let key = format!("headers.{}", name.get_ref());
            let (text, template) = self.template(&key, value);
            if let Some(plain) = template.plain()
                && let Err(reason) = check::header_value(name.get_ref(), plain)
            {
                self.mistake(&value.span(), reason);
            }
            headers.insert(name.get_ref().to_string(), text);
        }
        EndpointText::Http {
            url,
            headers,
            ca_file: table
                .get("ca_file")
                .map(|value| self.path_text("ca_file", value)),
        }
    }

    fn settings(&mut self, table: &DeTable<'_>) -> Settings {
        let mut settings = Settings::default();
        let times = [
            ("timeout", &mut settings.timeout),
            ("connect_timeout", &mut settings.connect_timeout),
            ("keepalive", &mut settings.keepalive),
        ];
        for (key, place) in times {
            if let Some(time) = table.get(key).and_then(|value| self.duration(key, value)) {
                *place = time;
            }
        }
        let ttl = table.get("default_cache_ttl");
        settings.cache_ttl = ttl.and_then(|value| self.duration("default_cache_ttl", value));
        if let Some(value) = table.get("no_cache_tools") {
            settings.no_cache_tools = self.strings("no_cache_tools", value);
            for item in value.get_ref().as_array().into_iter().flatten() {
                if let Some(Err(reason)) = item.get_ref().as_str().map(check::glob) {
                    self.mistake(&item.span(), reason);
                }
            }
        }
        for (name, value) in self.map("tools", table) {
            let Some(table) = value.get_ref().as_table() else {
                let what = format!("tools.{}", name.get_ref());
                self.wrong_type(&what, "a table, such as `{ cache = false }`", value);
                continue;
            };
            self.keys(table, TOOL_KEYS);
            let cache = table.get("cache").and_then(|value| self.tool_cache(value));
            let tool = ToolSettings { cache };
            settings.tools.insert(name.get_ref().to_string(), tool);
        }
        settings
    }

    fn tool_cache(&mut self, value: &Value<'_>) -> Option<ToolCache> {
        match value.get_ref() {
            DeValue::Boolean(false) => Some(ToolCache::Never),
            DeValue::Boolean(true) => {
                self.mistake(
                    &value.span(),
                    "`cache = true` does not say for how long; write `false` or a duration such as \"60s\"",
                );
                None
            }
            DeValue::String(_) | DeValue::Integer(_) => {
                self.duration("cache", value).map(ToolCache::For)
            }
            _ => {
                self.wrong_type("cache", "`false` or a duration such as \"60s\"", value);
                None
            }
        }
    }

    fn duration(&mut self, key: &str, value: &Value<'_>) -> Option<Duration> {
        let time = match value.get_ref() {
            DeValue::String(text) => units::duration(text),
            DeValue::Integer(number) => match number.radix() {
                10 => units::duration(&number.as_str().replace('_', "")),
                _ => units::duration(&number.to_string()),
            },
            _ => {
                self.wrong_type(
                    key,
                    "a duration such as \"30s\", or a number of seconds",
                    value,
                );
                return None;
            }
        };
        match time {
            Ok(time) if time > LONGEST => {
                self.mistake(&value.span(), format!("`{key}` is more than a year"));
                None
            }
            Ok(time) => Some(time),
            Err(reason) => {
                self.mistake(&value.span(), format!("`{key}`: {reason}"));
                None
            }
        }
    }

    /// A text with variables, as it is written and as it is read.
    fn template(&mut self, key: &str, value: &Value<'_>) -> (String, Template) {
        let Some(text) = value.get_ref().as_str() else {
            self.wrong_type(key, "a string", value);
            return Default::default();
        };
        if text.contains('\0') {
            self.mistake(&value.span(), format!("`{key}` has a NUL character"));
        }
        let template = Template::parse(text).and_then(|template| {
            template.check()?;
            Ok(template)
        });
        match template {
            Ok(template) => (text.to_owned(), template),
            Err(reason) => {
                self.mistake(&value.span(), format!("`{key}`: {reason}"));
                (text.to_owned(), Template::literal(text))
            }
        }
    }

    fn path_text(&mut self, key: &str, value: &Value<'_>) -> String {
        let (text, _) = self.template(key, value);
        if text.is_empty() && value.get_ref().is_str() {
            self.mistake(&value.span(), format!("`{key}` is empty"));
        }
        text
    }

    fn strings(&mut self, key: &str, value: &Value<'_>) -> Vec<String> {
        let mut texts = Vec::new();
        for item in self.list(key, value) {
            match item.get_ref().as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => self.wrong_type(key, "a list of strings", item),
            }
        }
        texts
    }

    fn list<'v, 'i>(&mut self, key: &str, value: &'v Value<'i>) -> Vec<&'v Value<'i>> {
        match value.get_ref().as_array() {
            Some(items) => items.iter().collect(),
            None => {
                self.wrong_type(key, "a list of strings", value);
                Vec::new()
            }
        }
    }

    fn map<'v, 'i>(
        &mut self,
        key: &str,
        table: &'v DeTable<'i>,
    ) -> Vec<(&'v Name<'i>, &'v Value<'i>)> {
        let Some(value) = table.get(key) else {
            return Vec::new();
        };
        match value.get_ref().as_table() {
            Some(table) => table.iter().collect(),
            None => {
                self.wrong_type(key, "a table", value);
                Vec::new()
            }
        }
    }

    fn wrong_type(&mut self, key: &str, takes: &str, value: &Value<'_>) {
        let found = match value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.mistake(&value.span(), format!("`{key}` takes {takes}, not {found}"));
    }

    /// Every key that is none of `known`.
    fn keys(&mut self, table: &DeTable<'_>, known: &[&str]) {
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let hint = match nearest(name, known.iter().copied()) {
                Some(right) => format!("did you mean `{right}`?"),
                None => format!("there is {}", sequence(known)),
            };
            let shown = name.escape_debug();
            self.mistake(&key.span(), format!("unknown key `{shown}`; {hint}"));
        }
    }

    /// Keys that mean nothing beside the one that the server has.
    fn foreign(&mut self, table: &DeTable<'_>, keys: &[&str], owner: &str) {
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if name != owner && keys.contains(&name) {
                let text = format!("`{name}` is for servers with `{owner}`, which this is not");
                self.mistake(&key.span(), text);
            }
        }
    }
}

/// "`a`, `b` and `c`".
fn sequence(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Line and column of an offset, both from 1; a column is a character.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let begin = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[begin..].chars().count() + 1)
}

#[cfg(test)]
mod tests;
