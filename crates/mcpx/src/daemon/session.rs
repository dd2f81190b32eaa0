//! One command from beginning to end.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use argway_core::argv;
use argway_core::catalog::names::nearest;
use argway_core::output::shown;
use argway_core::sources::tool::ToolSpec;

use super::cache::Cache;
use super::call::{self, Call};
use super::caller::{Caller, Gone, Voice};
use super::command_line::{self, Options, Verb, quiet_words};
use super::complete::{self, Needs};
use super::elicit::answers::Answers;
use super::pool::{InUse, Opened, Pool, Tools, Upstream};
use super::{help, listing, log, media};
use crate::config::{Config, ConfigError, ConfigStore, Scope, ServerEntry, Settings, Target};
use crate::exit::{Exit, Failure};
use crate::own_flags::{OWN_FLAGS, Own};
use crate::paths::Places;
use crate::upstream::{Memory, UpstreamError};

/// Somebody who presses Tab waits no longer. The server goes on opening, and is there
/// at the next Tab.
const COMPLETION: Duration = Duration::from_secs(4);

/// A tool that is not in a list of this age may be new.
const STALE: Duration = Duration::from_secs(2);

/// What is known of more caches than this is not worth keeping.
const MOST_CACHES: usize = 16;

/// What is shown of an error, and of what a server wrote to stderr.
const LONGEST_ERROR: usize = 8_000;

/// What sessions share.
pub struct Shared {
    /// The open servers.
    pub pool: Pool,
    /// What callers have configured.
    configs: ConfigStore,
    /// The caches of callers, by their folders: mostly there is one.
    caches: Mutex<BTreeMap<PathBuf, Arc<Cache>>>,
    /// Old media were looked for.
    swept: AtomicBool,
}

impl Shared {
    /// No server is open yet. Logs of old are removed meanwhile, so this is called
    /// where tasks can be.
    pub fn new(places: &Places) -> Self {
        let memory = Memory::load(&places.state);
        let logs = places.state.join("logs");
        tokio::task::spawn_blocking(move || log::sweep(&logs, SystemTime::now(), log::KEPT_FOR));
        Self {
            pool: Pool::new(Upstream { memory }),
            configs: ConfigStore::default(),
            caches: Mutex::default(),
            swept: AtomicBool::new(false),
        }
    }

    /// Old media in this folder are removed, once in the daemon's life.
    pub fn sweep_media(&self, folder: PathBuf) {
        if !self.swept.swap(true, Ordering::Relaxed) {
            tokio::task::spawn_blocking(move || media::sweep(&folder));
        }
    }

    /// The cache in this folder.
    pub fn cache(&self, folder: &Path) -> Arc<Cache> {
        let mut caches = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cache) = caches.get(folder) {
            return Arc::clone(cache);
        }
        if caches.len() == MOST_CACHES {
            caches.clear();
        }
        let cache = Arc::new(Cache::new(folder.to_owned()));
        caches.insert(folder.to_owned(), Arc::clone(&cache));
        cache
    }
}

/// Why a command stops before its end.
#[derive(Debug)]
pub enum Stop {
    /// Nobody waits for it.
    Gone,
    /// It cannot go on.
    Failure(Failure),
}

impl From<Gone> for Stop {
    fn from(_: Gone) -> Self {
        Stop::Gone
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failure(failure)
    }
}

impl From<ConfigError> for Stop {
    fn from(error: ConfigError) -> Self {
        Stop::Failure(error.into())
    }
}

/// Does what `caller` was called for. Everything it prints goes through the caller.
pub async fn run(caller: &mut Caller, shared: &Arc<Shared>) -> Result<Exit, Gone> {
    // What follows a tool is only understood with its schema; what goes wrong before
    // that is told as loudly as the words seem to ask.
    caller.set_voice(glimpsed_voice(&caller.invocation.words));
    match command(caller, shared).await {
        Ok(exit) => Ok(exit),
        Err(Stop::Gone) => Err(Gone),
        Err(Stop::Failure(failure)) => {
            report(caller, &failure).await?;
            Ok(failure.exit())
        }
    }
}

async fn command(caller: &mut Caller, shared: &Shared) -> Result<Exit, Stop> {
    let invocation = &caller.invocation;
    let (environment, folder) = (&invocation.environment, &invocation.folder);
    let (config, broken) = match shared.configs.load(&caller.places, environment, folder) {
        Ok(config) => (config, None),
        Err(error) => (Arc::default(), Some(error)),
    };
    let is_server = |name: &str| config.servers.contains_key(name);
    let command = command_line::parse(&invocation.words, is_server).map_err(Failure::Usage)?;
    let configured = Configured { config, broken };
    if let Verb::Complete { words } = &command.verb {
        return completed(caller, shared, &configured, words).await;
    }
    let options = Options::of(&command.own).map_err(Failure::Usage)?;
    match command.verb {
        Verb::Version => print(caller, &help::version()).await,
        Verb::RootHelp if options.json => print(caller, &help::root_json()).await,
        Verb::RootHelp => {
            let page = help::root(columns(caller));
            print(caller, &page).await
        }
        Verb::Completion { .. } if options.help => {
            let page = help::root(columns(caller));
            print(caller, &page).await
        }
        Verb::Completion { shell } => {
            let shell = shell.unwrap_or_default();
            let script = complete::script(&shell).ok_or_else(|| {
                let shells = complete::SHELLS.join(", ");
                Failure::Usage(match shell.as_str() {
                    "" => format!("`completion` takes a shell: {shells}"),
                    _ => format!("there is no completion for `{shell}`; there is for {shells}"),
                })
            })?;
            print(caller, script).await
        }
        Verb::Servers => servers(caller, configured, &options).await,
        Verb::Tools { server } => {
            caller.set_voice(options.voice);
            let open = Open::named(caller, shared, &configured, &server, &options).await?;
            tools(caller, &open, &options).await
        }
        Verb::Tool {
            server,
            tool,
            words,
        } => {
            let asked = Asked {
                own: command.own,
                tool,
                words,
            };
            let open = Open::named(caller, shared, &configured, &server, &options).await?;
            asked.run(caller, shared, open).await
        }
        // Answered above: nothing of it can fail.
        Verb::Complete { .. } => Ok(Exit::Success),
    }
}

/// The configuration, or why there is none. Sources that are given directly need none.
struct Configured {
    config: Arc<Config>,
    broken: Option<ConfigError>,
}

impl Configured {
    /// The server that `word` means.
    fn entry(&self, caller: &Caller, word: &str) -> Result<ServerEntry, Failure> {
        if let Some(entry) = self.config.servers.get(word) {
            return Ok(entry.clone());
        }
        if let Some(direct) = ServerEntry::direct(word) {
            return Ok(direct?);
        }
        if let Some(broken) = &self.broken {
            return Err(broken.clone().into());
        }
        let names = self.config.servers.keys().map(String::as_str);
        let file = caller.places.config.display();
        let hint = match nearest(word, names) {
            Some(near) => format!("did you mean `{near}`? (servers are configured in {file})"),
            None => format!("servers are configured in {file}"),
        };
        Err(Failure::Usage(format!(
            "there is no server `{word}`; {hint}"
        )))
    }
}

/// An open server and its tools.
struct Open {
    entry: ServerEntry,
    target: Target,
    server: InUse,
    tools: Arc<Tools>,
}

impl Open {
    /// The server that `word` means, opened if it is not.
    async fn named(
        caller: &mut Caller,
        shared: &Shared,
        configured: &Configured,
        word: &str,
        options: &Options,
    ) -> Result<Self, Stop> {
        let entry = configured.entry(caller, word)?;
        let invocation = &caller.invocation;
        let (environment, folder) = (&invocation.environment, &invocation.folder);
        let mut target = entry.expand(&caller.places, environment, folder)?;
        target.name = without_credentials(&target.name);
        let from = match &entry.origin {
            Some(file) => format!("from {}", file.display()),
            None => "given directly".to_owned(),
        };
        caller.note(format!("{}: {from}", target.name)).await?;
        let mut server = opened(caller, &shared.pool, &target, &entry.settings).await?;
        let timeout = options.timeout.unwrap_or(entry.settings.timeout);
        let mut listed = until_gone(caller, server.tools(timeout)).await?;
        if listed.is_err() && !server.connection.is_alive() {
            // It ended before it was asked to do anything.
            server = opened(caller, &shared.pool, &target, &entry.settings).await?;
            listed = until_gone(caller, server.tools(timeout)).await?;
        }
        let tools = listed.map_err(|source| upstream(&target, source))?;
        for problem in &tools.problems {
            caller.note(format!("{}: {problem}", target.name)).await?;
        }
        Ok(Self {
            entry,
            target,
            server,
            tools,
        })
    }

    /// Asks for the tools again, if the list could be old.
    async fn refresh(&mut self, caller: &mut Caller) -> Result<(), Stop> {
        if self.tools.asked.elapsed() > STALE {
            self.server.forget_tools();
            let listed = until_gone(caller, self.server.tools(self.entry.settings.timeout)).await?;
            self.tools = listed.map_err(|source| upstream(&self.target, source))?;
        }
        Ok(())
    }
}

fn no_tool(target: &Target, tools: &Tools, name: &str) -> Failure {
    let server = &target.name;
    let names = tools.tools.iter().map(|tool| tool.name.as_str());
    let hint = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None if tools.tools.is_empty() => "it has none".to_owned(),
        None => format!("`mcpx {server}` lists those that there are"),
    };
    Failure::Usage(format!("{server} has no tool `{name}`; {hint}"))
}

fn upstream(target: &Target, source: UpstreamError) -> Failure {
    Failure::Upstream {
        server: target.name.clone(),
        source,
    }
}

/// The server of `target`, opened if it is not, and told about with `-v`.
pub async fn opened(
    caller: &mut Caller,
    pool: &Pool,
    target: &Target,
    settings: &Settings,
) -> Result<InUse, Stop> {
    let before = Instant::now();
    let server = until_gone(caller, pool.server(target, settings)).await?;
    let server = server.map_err(|source| upstream(target, source))?;
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

async fn servers(
    caller: &mut Caller,
    configured: Configured,
    options: &Options,
) -> Result<Exit, Stop> {
    caller.set_voice(options.voice);
    if let Some(broken) = configured.broken {
        return Err(broken.into());
    }
    let Config {
        servers,
        problems,
        notes,
    } = &*configured.config;
    for note in problems.iter().chain(notes) {
        caller.note(note).await?;
    }
    if servers.is_empty() {
        let file = caller.places.config.display().to_string();
        caller
            .warn(format!(
                "no servers are configured; write them to {file}, for example:"
            ))
            .await?;
        let example =
            "\n    [servers.time]\n    command = \"uvx\"\n    args = [\"mcp-server-time\"]\n\n";
        caller.stderr(example.as_bytes()).await?;
        caller
            .warn("or name one directly: mcpx https://example.org/mcp, mcpx \"./server --flag\"")
            .await?;
        if !options.json {
            return Ok(Exit::Success);
        }
    }
    let verbose = options.voice == Voice::Verbose;
    print(caller, &listing::servers(servers, verbose, options.json)).await
}

async fn tools(caller: &mut Caller, open: &Open, options: &Options) -> Result<Exit, Stop> {
    let tools = &open.tools.tools;
    let text = match (options.help, options.json) {
        (true, json) => {
            let about = open.server.connection.about();
            let about = help::About {
                title: about.name.as_deref(),
                version: about.version.as_deref(),
                instructions: about.instructions.as_deref(),
            };
            let name = &open.target.name;
            match json {
                true => help::server_json(name, &about, tools),
                false => help::server(name, &about, tools, columns(caller)),
            }
        }
        (false, json) => listing::tools(tools, options.voice == Voice::Verbose, json),
    };
    print(caller, &text).await
}

/// A tool, and the words that follow it.
struct Asked {
    own: Vec<(Own, Option<String>)>,
    tool: String,
    words: Vec<String>,
}

impl Asked {
    async fn run(
        mut self,
        caller: &mut Caller,
        shared: &Shared,
        mut open: Open,
    ) -> Result<Exit, Stop> {
        if open.tools.find(&self.tool).is_none() {
            open.refresh(caller).await?;
        }
        let Open {
            entry,
            target,
            server,
            tools,
        } = open;
        let found = tools.find(&self.tool);
        let tool = found.ok_or_else(|| no_tool(&target, &tools, &self.tool))?;
        let decoded = match argv::decode(tool, OWN_FLAGS, &self.words) {
            Ok(decoded) => decoded,
            // Who asks for help may well have the rest wrong.
            Err(_) if self.glimpses_help() => {
                let json = self.words.iter().any(|word| word == "--json");
                return self.help(caller, &target, tool, json).await;
            }
            Err(wrong) => return Err(Failure::Usage(wrong.to_string()).into()),
        };
        self.own.extend(decoded.own);
        let options = Options::of(&self.own).map_err(Failure::Usage)?;
        caller.set_voice(options.voice);
        if options.help {
            return self.help(caller, &target, tool, options.json).await;
        }
        if options.version {
            return print(caller, &help::version()).await;
        }
        let given = self.own.iter().filter(|(flag, _)| *flag == Own::Answer);
        let given = given.filter_map(|(_, value)| value.as_deref());
        let answers = Answers::read(given).map_err(Failure::Usage)?;
        let call = Call {
            target: &target,
            settings: &entry.settings,
            tool,
            options: &options,
            answers: &answers,
        };
        call::run(caller, shared, server, &call, decoded.arguments).await
    }

    fn glimpses_help(&self) -> bool {
        let before = self.words.iter().take_while(|word| *word != "--");
        let mut words = before.map(String::as_str);
        words.any(|word| word == "--help" || word == "-h")
    }

    async fn help(
        &self,
        caller: &mut Caller,
        target: &Target,
        tool: &ToolSpec,
        json: bool,
    ) -> Result<Exit, Stop> {
        let page = match json {
            true => help::tool_json(&target.name, tool),
            false => help::tool(&target.name, tool, columns(caller)),
        };
        print(caller, &page).await
    }
}

/// What could stand where the cursor is. Nothing that goes wrong is told: the person
/// is in the middle of a line.
async fn completed(
    caller: &mut Caller,
    shared: &Shared,
    configured: &Configured,
    words: &[String],
) -> Result<Exit, Stop> {
    caller.set_voice(Voice::Quiet);
    let open = match complete::needs(words) {
        Needs::Nothing => None,
        Needs::ToolsOf(server) if !may_open(caller, shared, configured, &server) => None,
        Needs::ToolsOf(server) => {
            let options = Options::of(&[]).map_err(Failure::Usage)?;
            let opening = Open::named(caller, shared, configured, &server, &options);
            match tokio::time::timeout(COMPLETION, opening).await {
                Ok(Ok(open)) => Some(open),
                Ok(Err(Stop::Gone)) => return Err(Stop::Gone),
                Ok(Err(Stop::Failure(_))) | Err(_) => None,
            }
        }
    };
    let tools = open.as_ref().map(|open| open.tools.tools.as_slice());
    let candidates = complete::complete(words, &configured.config.servers, tools);
    print(caller, &complete::lines(&candidates)).await
}

/// Whether Tab may open a server: not one that only the command line or a file in the
/// caller's folder speaks for, unless it is open already.
fn may_open(caller: &Caller, shared: &Shared, configured: &Configured, word: &str) -> bool {
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

async fn print(caller: &mut Caller, text: &str) -> Result<Exit, Stop> {
    caller.stdout(text.as_bytes()).await?;
    Ok(Exit::Success)
}

/// The width that pages are set in; 0 breaks no line.
fn columns(caller: &Caller) -> usize {
    match caller.invocation.stdout_is_terminal {
        true => caller.invocation.columns.map_or(80, usize::from),
        false => 0,
    }
}

/// Says why there is no result.
async fn report(caller: &mut Caller, failure: &Failure) -> Result<(), Gone> {
    if let Failure::Tool(text) = failure {
        caller.stderr(text.as_bytes()).await?;
        return match text.ends_with('\n') {
            true => Ok(()),
            false => caller.stderr(b"\n").await,
        };
    }
    for line in fit(&failure.to_string()).lines() {
        caller.warn(line).await?;
    }
    if let Failure::Upstream { source, .. } = failure {
        for line in details(source).lines() {
            caller.note(format!("  {line}")).await?;
        }
    }
    Ok(())
}

/// What is told of an error with `-v`.
fn details(error: &UpstreamError) -> String {
    match error {
        UpstreamError::Start { stderr, .. } | UpstreamError::Ended { stderr, .. } => {
            // The end says why; the beginning may be long ago.
            let text = shown(stderr.as_bytes());
            let start = text.len().saturating_sub(LONGEST_ERROR);
            let start = (start..=text.len()).find(|index| text.is_char_boundary(*index));
            text[start.unwrap_or_default()..].to_owned()
        }
        UpstreamError::Rpc {
            data: Some(data), ..
        } => fit(data.get()),
        UpstreamError::Rpc { data: None, .. }
        | UpstreamError::Timeout { .. }
        | UpstreamError::Protocol(_)
        | UpstreamError::Http { .. }
        | UpstreamError::Network(_)
        | UpstreamError::InputRequired { .. }
        | UpstreamError::Cancelled => String::new(),
    }
}

/// Fit for a terminal: bounded, and without what would command it.
fn fit(text: &str) -> String {
    let start: String = text.chars().take(LONGEST_ERROR).collect();
    shown(start.as_bytes())
}

/// A source that is a URL, without the user name and password in it.
fn without_credentials(source: &str) -> String {
    let Some((scheme, rest)) = source.split_once("://") else {
        return source.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => source.to_owned(),
    }
}

/// How much the words ask to be told, as far as can be told without the tool's schema.
fn glimpsed_voice(words: &[OsString]) -> Voice {
    if quiet_words(words) {
        return Voice::Quiet;
    }
    let verbose = words
        .iter()
        .take_while(|word| *word != "--")
        .filter_map(|word| word.to_str())
        .any(|word| match word.strip_prefix("--") {
            Some(long) => long == "verbose",
            None => word
                .strip_prefix('-')
                .is_some_and(|short| short.contains('v')),
        });
    match verbose {
        true => Voice::Verbose,
        false => Voice::Normal,
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
            ("./server --flag", "./server --flag"),
        ] {
            assert_eq!(without_credentials(source), expected);
        }
    }

    #[test]
    fn the_words_are_glimpsed_for_how_much_is_to_be_told() {
        for (words, expected) in [
            (&["fake", "add"][..], Voice::Normal),
            (&["fake", "add", "--a=1", "-v"], Voice::Verbose),
            (&["-q", "fake", "add"], Voice::Quiet),
            (&["fake", "add", "--", "-v"], Voice::Normal),
        ] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(glimpsed_voice(&words), expected, "{words:?}");
        }
    }

    #[test]
    fn the_end_of_a_long_stderr_is_told() {
        let stderr = format!("{}é\nError: no such file\n", "x".repeat(LONGEST_ERROR));
        let error = UpstreamError::Start {
            reason: String::new(),
            stderr,
        };
        let told = details(&error);
        assert!(told.len() <= LONGEST_ERROR);
        assert!(told.ends_with("\nError: no such file\n"));
    }
}
