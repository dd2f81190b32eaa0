//! A server made ready for one caller: variables filled in, the program found, and
//! the identity that decides who shares an instance.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use ring::digest::{Context as Hash, SHA256};

use super::template::Template;
use super::{ConfigError, Endpoint, EndpointText, ExpandError, Scope, ServerEntry, Target, check};
use crate::paths::{Environment, Places};

/// Where programs are looked for if the caller does not say.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The variables that name proxies, as curl reads them: `HTTP_PROXY` in capitals is
/// left out, because a request to a CGI program can set it.
const PROXIES: [(&str, &[&str]); 4] = [
    ("http_proxy", &["http_proxy"]),
    ("https_proxy", &["https_proxy", "HTTPS_PROXY"]),
    ("all_proxy", &["all_proxy", "ALL_PROXY"]),
    ("no_proxy", &["no_proxy", "NO_PROXY"]),
];

/// The server of `entry` for a caller in `folder`.
pub fn target(
    entry: &ServerEntry,
    places: &Places,
    environment: &Environment,
    folder: &Path,
) -> Result<Target, ExpandError> {
    let base = match (entry.scope, &entry.origin) {
        (Scope::Own, Some(origin)) => origin.parent().unwrap_or(folder),
        _ => folder,
    };
    let mut caller = Caller {
        places,
        environment,
        folder,
        base,
        used: BTreeMap::new(),
    };
    let endpoint = match &entry.endpoint {
        EndpointText::Stdio {
            command,
            args,
            env,
            cwd,
        } => caller.stdio(command, args, env, cwd.as_deref()),
        EndpointText::Http {
            url,
            headers,
            ca_file,
        } => caller.http(url, headers, ca_file.as_deref()),
    };
    let (endpoint, configured) = endpoint.map_err(|wrong| {
        let told = |reason| format!("the server `{}`: {reason}", entry.name.escape_debug());
        match wrong {
            Wrong::Configured(reason) => ConfigError(told(reason)).into(),
            Wrong::Missing(reason) => ExpandError::NoProgram(told(reason)),
        }
    })?;
    let identity = identity(&endpoint, &configured, &caller.used, folder);
    let log = format!("{}-{identity}.log", file_name(&entry.name));
    Ok(Target {
        name: entry.name.clone(),
        endpoint,
        identity,
        connect_timeout: entry.settings.connect_timeout,
        log: places.state.join("logs").join(log),
    })
}

struct Caller<'a> {
    places: &'a Places,
    environment: &'a Environment,
    folder: &'a Path,
    /// What relative paths are relative to.
    base: &'a Path,
    /// The variables that the configuration names, with their values.
    used: BTreeMap<String, Option<String>>,
}

type Variables = BTreeMap<String, String>;

/// What is wrong with an endpoint.
enum Wrong {
    Configured(String),
    /// The program.
    Missing(String),
}

impl From<String> for Wrong {
    fn from(reason: String) -> Self {
        Wrong::Configured(reason)
    }
}

impl Caller<'_> {
    fn stdio(
        &mut self,
        command: &str,
        args: &[String],
        env: &Variables,
        cwd: Option<&str>,
    ) -> Result<(Endpoint, Variables), Wrong> {
        let mut configured = Variables::new();
        for (name, text) in env {
            let value = self.fill(&format!("env.{name}"), text)?;
            configured.insert(name.clone(), value);
        }
        let mut words = Vec::new();
        for text in args {
            words.push(self.fill("args", text)?);
        }
        let folder = match cwd {
            Some(text) => {
                let text = self.fill_path("cwd", text)?;
                let path = self.path(&text);
                if !path.is_dir() {
                    let reason = format!("`cwd` is {}, which is no folder", path.display());
                    return Err(reason.into());
                }
                path
            }
            None => self.folder.to_path_buf(),
        };
        let command = self.fill_path("command", command)?;
        let program = self
            .program(&command, &configured)
            .map_err(Wrong::Missing)?;
        let mut environment: Vec<(OsString, OsString)> = Vec::new();
        for (name, value) in &self.environment.0 {
            let replaced = name
                .to_str()
                .is_some_and(|name| configured.contains_key(name));
            // A shell sets PWD to where it is; the program is somewhere else.
            if !replaced && name != "PWD" {
                environment.push((name.clone(), value.clone()));
            }
        }
        if !configured.contains_key("PWD") {
            environment.push(("PWD".into(), folder.clone().into()));
        }
        for (name, value) in &configured {
            environment.push((name.into(), value.into()));
        }
        let endpoint = Endpoint::Stdio {
            program,
            args: words,
            environment,
            folder,
        };
        Ok((endpoint, configured))
    }

    fn http(
        &mut self,
        url: &str,
        headers: &Variables,
        ca_file: Option<&str>,
    ) -> Result<(Endpoint, Variables), Wrong> {
        let url = self.fill("url", url)?;
        check::url(&url).map_err(|reason| format!("`url` {reason}"))?;
        let mut filled = Variables::new();
        for (name, text) in headers {
            let value = self.fill(&format!("headers.{name}"), text)?;
            check::header_value(name, &value)?;
            filled.insert(name.clone(), value);
        }
        let ca_file = match ca_file {
            Some(text) => {
                let text = self.fill_path("ca_file", text)?;
                let path = self.path(&text);
                if !path.is_file() {
                    let reason = format!("`ca_file` is {}, which is no file", path.display());
                    return Err(reason.into());
                }
                Some(path)
            }
            None => None,
        };
        let endpoint = Endpoint::Http {
            url,
            headers: filled,
            ca_file,
            proxies: self.proxies(),
        };
        Ok((endpoint, Variables::new()))
    }

    fn proxies(&self) -> Vec<(String, String)> {
        let mut proxies = Vec::new();
        for (name, spellings) in PROXIES {
            let values = spellings.iter().filter_map(|spelling| {
                let value = self.environment.get(spelling)?.to_str()?;
                (!value.is_empty()).then(|| value.to_owned())
            });
            proxies.extend(values.take(1).map(|value| (name.to_owned(), value)));
        }
        proxies
    }

    fn fill(&mut self, key: &str, text: &str) -> Result<String, String> {
        let template = Template::parse(text).map_err(|reason| format!("`{key}`: {reason}"))?;
        let filled = template.fill(|name| {
            let value = match self.environment.get(name) {
                Some(value) => {
                    let text = value.to_str();
                    Some(text.ok_or_else(|| format!("the variable `{name}` is not UTF-8"))?)
                }
                None => None,
            };
            let value = value.map(str::to_owned);
            self.used.insert(name.to_owned(), value.clone());
            Ok(value)
        });
        let filled = filled.map_err(|reason| format!("`{key}`: {reason}"))?;
        match filled.contains('\0') {
            true => Err(format!("`{key}` has a NUL character")),
            false => Ok(filled),
        }
    }

    /// As [`Caller::fill`], with `~/` as the home folder.
    fn fill_path(&mut self, key: &str, text: &str) -> Result<String, String> {
        let filled = self.fill(key, text)?;
        let home = self.places.home.to_str();
        match (filled.strip_prefix('~'), home) {
            (Some(""), Some(home)) => Ok(home.to_owned()),
            (Some(rest), Some(home)) if rest.starts_with('/') => Ok(format!("{home}{rest}")),
            (None, _) if filled.is_empty() => Err(format!("`{key}` is empty")),
            _ => Ok(filled),
        }
    }

    fn path(&self, text: &str) -> PathBuf {
        tidy(&self.base.join(text))
    }

    /// The program that a command means: the file at a path, or the first of that
    /// name in PATH. A configured PATH is the one that counts, as for the child.
    fn program(&self, command: &str, configured: &Variables) -> Result<PathBuf, String> {
        let shown = command.escape_debug();
        if command.contains('/') {
            let path = self.path(command);
            return match runnable(&path) {
                Runnable::Yes => Ok(path),
                Runnable::No(reason) => Err(format!(
                    "the command `{shown}` cannot be run: {} {reason}",
                    path.display()
                )),
            };
        }
        let path = match configured.get("PATH") {
            Some(path) => OsStr::new(path),
            None => self
                .environment
                .get("PATH")
                .unwrap_or(OsStr::new(USUAL_PATH)),
        };
        for folder in std::env::split_paths(path) {
            let candidate = self.folder.join(folder).join(command);
            if let Runnable::Yes = runnable(&candidate) {
                return Ok(tidy(&candidate));
            }
        }
        Err(format!(
            "the command `{shown}` is not in PATH; install it, or give its whole path"
        ))
    }
}

enum Runnable {
    Yes,
    No(&'static str),
}

fn runnable(path: &Path) -> Runnable {
    match path.metadata() {
        Err(_) => Runnable::No("is not there"),
        Ok(found) if found.is_dir() => Runnable::No("is a folder"),
        Ok(found) if !found.is_file() => Runnable::No("is not a file"),
        Ok(_) => match rustix::fs::access(path, rustix::fs::Access::EXEC_OK) {
            Ok(()) => Runnable::Yes,
            Err(_) => Runnable::No("is not executable (chmod +x)"),
        },
    }
}

/// Without `.`; `..` stays, since what it means depends on links.
fn tidy(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .collect()
}

/// Whether a variable decides as whom a program acts, though no configuration names it:
/// a token, a password, a profile, the home folder with what programs keep there.
/// Two callers that differ in one must not share a server.
fn tells_who(name: &str) -> bool {
    const WHOLE: [&str; 3] = ["HOME", "KUBECONFIG", "DATABASE_URL"];
    const PARTS: [&str; 7] = [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "CREDENTIAL",
        "ACCESS_KEY",
        "APIKEY",
    ];
    const ENDS: [&str; 4] = ["_KEY", "_PAT", "_PROFILE", "_ACCOUNT"];
    // A terminal's colours.
    const NOBODY: [&str; 1] = ["ITERM_PROFILE"];
    let name = name.to_ascii_uppercase();
    !NOBODY.contains(&name.as_str())
        && (WHOLE.contains(&name.as_str())
            || PARTS.iter().any(|part| name.contains(part))
            || ENDS.iter().any(|end| name.ends_with(end)))
}

/// What tells instances apart: everything that the configuration says, and of the rest of
/// the caller's environment what tells who it is. Nothing else that merely is there.
fn identity(
    endpoint: &Endpoint,
    configured: &Variables,
    used: &BTreeMap<String, Option<String>>,
    caller: &Path,
) -> String {
    let mut parts = Parts(Hash::new(&SHA256));
    match endpoint {
        Endpoint::Stdio {
            program,
            args,
            environment,
            folder,
        } => {
            parts.add(b"stdio 2");
            parts.add(program.as_os_str().as_bytes());
            parts.count(args.len());
            args.iter().for_each(|word| parts.add(word.as_bytes()));
            parts.pairs(configured.iter());
            parts.add(folder.as_os_str().as_bytes());
            let persons: BTreeMap<_, _> = environment
                .iter()
                .filter(|(name, _)| name.to_str().is_some_and(tells_who))
                .map(|(name, value)| (name, value))
                .collect();
            parts.count(persons.len());
            for (name, value) in persons {
                parts.add(name.as_bytes());
                parts.add(value.as_bytes());
            }
        }
        Endpoint::Http {
            url,
            headers,
            ca_file,
            proxies,
        } => {
            parts.add(b"http 1");
            parts.add(url.as_bytes());
            parts.pairs(headers.iter());
            let ca_file = ca_file.as_deref().unwrap_or(Path::new(""));
            parts.add(ca_file.as_os_str().as_bytes());
            parts.pairs(proxies.iter().map(|(name, value)| (name, value)));
            parts.add(caller.as_os_str().as_bytes());
        }
    }
    parts.count(used.len());
    for (name, value) in used {
        parts.add(name.as_bytes());
        parts.count(usize::from(value.is_some()));
        parts.add(value.as_deref().unwrap_or_default().as_bytes());
    }
    let digest = parts.0.finish();
    let half = &digest.as_ref()[..16];
    half.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Each part with its length, so that no two lists of parts look alike.
struct Parts(Hash);

impl Parts {
    fn count(&mut self, count: usize) {
        self.0.update(&(count as u64).to_le_bytes());
    }

    fn add(&mut self, part: &[u8]) {
        self.count(part.len());
        self.0.update(part);
    }

    fn pairs<'p>(&mut self, pairs: impl ExactSizeIterator<Item = (&'p String, &'p String)>) {
        self.count(pairs.len());
        for (name, value) in pairs {
            self.add(name.as_bytes());
            self.add(value.as_bytes());
        }
    }
}

/// A server's name as the beginning of a file's. Of a URL, without what may be secret.
fn file_name(name: &str) -> String {
    let name = name.split_once("://").map_or(name, |(_, rest)| rest);
    let name = name.split(['?', '#']).next().unwrap_or_default();
    let safe = |c: char| match c.is_ascii_alphanumeric() || "-_".contains(c) {
        true => c,
        false => '_',
    };
    name.chars().take(40).map(safe).collect()
}

#[cfg(test)]
mod tests;
