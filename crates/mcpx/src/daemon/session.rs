//! One command from beginning to end.

mod open;
mod report;
mod shared;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use argway_core::argv;
use argway_core::sources::tool::ToolSpec;
use argway_core::units;

use super::call::{self, Call};
use super::caller::{Caller, Gone, Voice};
use super::command_line::{self, Options, Verb, quiet_words};
use super::complete::{self, Needs};
use super::elicit::answers::Answers;
use super::{help, listing};
use crate::config::{Config, ConfigError, Target};
use crate::exit::{Exit, Failure};
use crate::own_flags::{OWN_FLAGS, Own, is_short};
use open::{Configured, Open, may_open, no_tool};

pub use open::opened;
pub use shared::Shared;

/// Somebody who presses Tab waits no longer. The server goes on opening, and is there
/// at the next Tab.
const COMPLETION: Duration = Duration::from_secs(4);

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
            report::report(caller, &failure).await?;
            Ok(failure.exit())
        }
    }
}

async fn command(caller: &mut Caller, shared: &Shared) -> Result<Exit, Stop> {
    let invocation = &caller.invocation;
    let (environment, folder) = (&invocation.environment, &invocation.folder);
    let loading = shared.configs.load(&caller.places, environment, folder);
    let (config, broken) = match loading.await {
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
            // Opening the server and listing its tools are part of what is waited for.
            let options = Options {
                timeout: glimpsed_timeout(&asked.words).or(options.timeout),
                ..options
            };
            let open = Open::named(caller, shared, &configured, &server, &options).await?;
            asked.run(caller, shared, open).await
        }
        // Answered above: nothing of it can fail.
        Verb::Complete { .. } => Ok(Exit::Success),
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
        ..
    } = &*configured.config;
    for problem in problems {
        // A file that cannot be read may be why there is nothing to list.
        match servers.is_empty() {
            true => caller.warn(problem).await?,
            false => caller.note(problem).await?,
        }
    }
    for note in notes {
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
        (false, json) => {
            let verbose = options.voice == Voice::Verbose;
            listing::tools(tools, verbose, json, columns(caller))
        }
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
            ..
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

/// The time that the words give the call, as far as can be told without the tool's
/// schema.
fn glimpsed_timeout(words: &[String]) -> Option<Duration> {
    let mut words = words.iter().take_while(|word| *word != "--");
    let mut time = None;
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--timeout") {
            Some("") => words.next().map(String::as_str),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        time = value.and_then(|text| units::duration(text).ok()).or(time);
    }
    time
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
                .is_some_and(|short| short.contains('v') && short.chars().all(is_short)),
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
    fn the_words_are_glimpsed_for_the_time_that_the_call_has() {
        for (words, expected) in [
            (&["--a=1"][..], None),
            (&["--a=1", "--timeout=2s"], Some(2)),
            (&["--timeout", "3s", "--a", "1"], Some(3)),
            (&["--timeout=3s", "--timeout=4s"], Some(4)),
            (&["--timeouts=3s"], None),
            (&["--timeout=soon"], None),
            (&["--timeout"], None),
            (&["--", "--timeout=2s"], None),
        ] {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            let expected = expected.map(Duration::from_secs);
            assert_eq!(glimpsed_timeout(&words), expected, "{words:?}");
        }
    }
}
