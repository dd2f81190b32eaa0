//! From the word for a server to the open server and its tools.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use argway_core::catalog::names::nearest;

use super::report::fit;
use super::{Shared, Stop};
use crate::config::{Config, ConfigError, Scope, ServerEntry, Settings, Target};
use crate::daemon::caller::{Caller, Gone, Voice};
use crate::daemon::command_line::Options;
use crate::daemon::pool::{InUse, Opened, Pool, Tools};
use crate::exit::Failure;
use crate::upstream::{UpstreamError, deadline};

/// The configuration, or why there is none. Sources that are given directly need none.
pub struct Configured {
    pub config: Arc<Config>,
    pub broken: Option<ConfigError>,
}

impl Configured {
    /// The server that `word` means.
    pub fn entry(&self, caller: &Caller, word: &str) -> Result<ServerEntry, Failure> {
        if let Some(entry) = self.config.servers.get(word) {
            return Ok(entry.clone());
        }
        if let Some(direct) = ServerEntry::direct(word) {
            return Ok(direct?);
        }
        if let Some(broken) = &self.broken {
            return Err(broken.clone().into());
        }
        if let Some(why) = self.config.left_out.get(word) {
            return Err(Failure::Usage(format!(
                "the server `{word}` is left out: {why}"
            )));
        }
        let names = self.config.servers.keys().map(String::as_str);
        let file = caller.places.config.display();
        let has_blank = |text: &str| text.contains(char::is_whitespace);
        // Several words are a command, unless there is a server of such a name.
        let near = nearest(word, names).filter(|near| has_blank(near) || !has_blank(word));
        let hint = match near {
            Some(near) => format!("did you mean `{near}`? (servers are configured in {file})"),
            None if has_blank(word) => {
                format!("to run a command, write its path: `/path/to/{word}`")
            }
            None => format!("servers are configured in {file}"),
        };
        let more = match self.config.problems.is_empty() {
            true => "",
            false => "; not all that names servers could be read, `mcpx -v` tells why",
        };
        Err(Failure::Usage(format!(
            "there is no server `{word}`; {hint}{more}"
        )))
    }
}

/// An open server and its tools.
pub struct Open {
    pub entry: ServerEntry,
    pub target: Target,
    pub server: InUse,
    pub tools: Arc<Tools>,
    /// How long listing them may take.
    timeout: Duration,
    /// A tool that is not in a list from before may be new: servers tell of changes
    /// late, or not at all.
    begun: tokio::time::Instant,
}

impl Open {
    /// The server that `word` means, opened if it is not.
    pub async fn named(
        caller: &mut Caller,
        shared: &Shared,
        configured: &Configured,
        word: &str,
        options: &Options,
    ) -> Result<Self, Stop> {
        let begun = tokio::time::Instant::now();
        let entry = configured.entry(caller, word)?;
        let invocation = &caller.invocation;
        let (environment, folder) = (&invocation.environment, &invocation.folder);
        let target = entry.expand(&caller.places, environment, folder);
        let mut target = target.map_err(Failure::from)?;
        target.name = without_credentials(&target.name);
        let from = match &entry.origin {
            Some(file) => format!("from {}", file.display()),
            None => "given directly".to_owned(),
        };
        caller.note(format!("{}: {from}", target.name)).await?;
        let limit = options.timeout;
        let mut server = opened(caller, &shared.pool, &target, &entry.settings, limit).await?;
        let timeout = limit.unwrap_or(entry.settings.timeout);
        let mut listed = until_gone(caller, server.tools(timeout)).await?;
        if listed.is_err() && !server.connection.is_alive() {
            // It ended before it was asked to do anything.
            server = opened(caller, &shared.pool, &target, &entry.settings, limit).await?;
            listed = until_gone(caller, server.tools(timeout)).await?;
        }
        let tools = listed.map_err(|source| no_list(&target, source))?;
        for problem in &tools.problems {
            caller.note(format!("{}: {problem}", target.name)).await?;
        }
        Ok(Self {
            entry,
            target,
            server,
            tools,
            timeout,
            begun,
        })
    }

    /// Asks for the tools again, if the list could be old.
    pub async fn refresh(&mut self, caller: &mut Caller) -> Result<(), Stop> {
        if self.tools.asked < self.begun {
            self.server.forget_tools();
            let listed = until_gone(caller, self.server.tools(self.timeout)).await?;
            self.tools = listed.map_err(|source| no_list(&self.target, source))?;
        }
        Ok(())
    }
}

/// Says that there is no such tool, and which one may be meant.
pub fn no_tool(target: &Target, tools: &Tools, name: &str) -> Failure {
    let server = &target.name;
    let names = tools.tools.iter().map(|tool| tool.name.as_str());
    let hint = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None if tools.tools.is_empty() => "it has none".to_owned(),
        None => format!("`mcpx {server}` lists those that there are"),
    };
    Failure::Usage(format!("{server} has no tool `{name}`; {hint}"))
}

fn not_open(target: &Target, source: UpstreamError) -> Failure {
    not_ready(target, "cannot be opened", source)
}

fn no_list(target: &Target, source: UpstreamError) -> Failure {
    not_ready(target, "does not list its tools", source)
}

/// Nothing was called yet, so that an error of the protocol is no mistake of the caller.
fn not_ready(target: &Target, how: &str, source: UpstreamError) -> Failure {
    let source = match source {
        UpstreamError::Rpc {
            code,
            message,
            data,
        } => UpstreamError::Start {
            reason: format!("it {how}: {message} ({code})"),
            stderr: data.map_or_else(String::new, |data| data.get().to_owned()),
        },
        other => other,
    };
    Failure::Upstream {
        server: target.name.clone(),
        source,
    }
}

/// The server of `target`, opened if it is not, and told about with `-v`. Who has less
/// time than the server waits for `limit` only; the opening goes on for the others.
pub async fn opened(
    caller: &mut Caller,
    pool: &Pool,
    target: &Target,
    settings: &Settings,
    limit: Option<Duration>,
) -> Result<InUse, Stop> {
    let before = Instant::now();
    let opening = async {
        match limit {
            None => pool.server(target, settings).await,
            Some(after) => {
                let opening = pool.server(target, settings);
                let opened = tokio::time::timeout_at(deadline(after), opening).await;
                opened.unwrap_or_else(|_| {
                    let method = "initialize".to_owned();
                    Err(UpstreamError::Timeout { method, after })
                })
            }
        }
    };
    let server = until_gone(caller, opening).await?;
    let server = server.map_err(|source| not_open(target, source))?;
    if caller.voice() == Voice::Verbose {
        let about = server.connection.about();
        let name = about.name.as_deref().unwrap_or("a server without a name");
        let version = about.version.as_deref().unwrap_or("without a version");
        let opened = match server.opened {
            Opened::Now => format!("opened in {} ms", before.elapsed().as_millis()),
            Opened::Before => "already open".to_owned(),
        };
        let process = match server.connection.pid() {
            Some(pid) => format!(", process {pid}"),
            None => String::new(),
        };
        let text = format!(
            "{}: {name} {version}, MCP {}, {opened}{process}",
            target.name, about.protocol
        );
        caller.note(fit(&text)).await?;
    }
    Ok(server)
}

async fn until_gone<T>(caller: &mut Caller, work: impl Future<Output = T>) -> Result<T, Gone> {
    tokio::select! {
        done = work => Ok(done),
        gone = caller.gone() => Err(gone),
    }
}

/// Whether Tab may open a server: not one that only the command line or a file in the
/// caller's folder speaks for, unless it is open already.
pub fn may_open(caller: &Caller, shared: &Shared, configured: &Configured, word: &str) -> bool {
    let Ok(entry) = configured.entry(caller, word) else {
        return false;
    };
    match entry.scope {
        Scope::Own | Scope::User => true,
        Scope::Direct | Scope::Project => {
            let invocation = &caller.invocation;
            let (environment, folder) = (&invocation.environment, &invocation.folder);
            let target = entry.expand(&caller.places, environment, folder);
            target.is_ok_and(|target| shared.pool.is_open(&target))
        }
    }
}

/// A source that is a URL, without the user name and password in it, and without the
/// query, where keys are put too.
fn without_credentials(source: &str) -> String {
    let scheme = source.split_once("://");
    let is_scheme = |scheme: &str| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let Some((scheme, rest)) = scheme.filter(|(scheme, _)| is_scheme(scheme)) else {
        return source.to_owned();
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => format!("{scheme}://{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_named_without_its_password() {
        for (source, expected) in [
            ("https://me:secret@host/mcp", "https://host/mcp"),
            ("https://host/@scope", "https://host/@scope"),
            ("https://a@b:c@host", "https://host"),
            ("https://host/mcp?key=secret#x", "https://host/mcp"),
            ("./server --flag", "./server --flag"),
            ("./server --to http://x?y", "./server --to http://x?y"),
        ] {
            assert_eq!(without_credentials(source), expected);
        }
    }
}
