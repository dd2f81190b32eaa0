//! One tool call: arguments, the cache, the server, what is printed.
//!
//! [`arguments`] finds what the tool is called with, [`rounds`] asks the server until
//! it has an answer, [`tasks`] follows what the server does in its own time, [`progress`]
//! tells the person how far it is.

mod arguments;
mod progress;
mod rounds;
mod tasks;
#[cfg(test)]
mod tests;

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use argway_core::argv::Source;
use argway_core::output::{self, Piece, Printed};
use argway_core::sources::tool::ToolSpec;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::cache;
use super::caller::{Caller, Gone, Voice};
use super::command_line::Options;
use super::elicit::Person;
use super::elicit::answers::Answers;
use super::media;
use super::pool::InUse;
use super::session::{Shared, Stop, opened};
use crate::config::{Settings, Target};
use crate::exit::{Exit, Failure};

/// Spilled output is passed on in pieces of this size.
const PIECE: usize = 256 * 1024;

/// Results from this length on take a while to read.
const LONG_RESULT: usize = 1 << 20;

/// What a call needs of the terminal that it was made from.
pub trait Terminal: Person {
    /// How much is said on stderr.
    fn voice(&self) -> Voice;

    /// Bytes for stderr, exactly.
    async fn stderr(&mut self, bytes: &[u8]) -> Result<(), Gone>;

    /// A line for stderr.
    async fn warn(&mut self, text: &str) -> Result<(), Gone>;

    /// A line for `-v`.
    async fn note(&mut self, text: &str) -> Result<(), Gone>;

    /// Comes back when nobody waits for the call any more.
    async fn gone(&mut self) -> Gone;

    /// Columns of a line that may be rewritten; nothing where nobody looks at stderr.
    fn columns(&self) -> Option<usize>;
}

impl Terminal for Caller {
    fn voice(&self) -> Voice {
        Caller::voice(self)
    }

    async fn stderr(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        Caller::stderr(self, bytes).await
    }

    async fn warn(&mut self, text: &str) -> Result<(), Gone> {
        Caller::warn(self, text).await
    }

    async fn note(&mut self, text: &str) -> Result<(), Gone> {
        Caller::note(self, text).await
    }

    async fn gone(&mut self) -> Gone {
        Caller::gone(self).await
    }

    fn columns(&self) -> Option<usize> {
        let columns = self.invocation.columns.map_or(80, usize::from);
        self.invocation.stderr_is_terminal.then_some(columns)
    }
}

/// What is called, and how.
pub struct Call<'a> {
    /// Which server, and which instance of it.
    pub target: &'a Target,
    /// How that is used.
    pub settings: &'a Settings,
    /// Which of its tools.
    pub tool: &'a ToolSpec,
    /// mcpx's own flags.
    pub options: &'a Options,
    /// What `--answer` says to its questions.
    pub answers: &'a Answers,
}

impl Call<'_> {
    /// How long one answer may take.
    fn timeout(&self) -> Duration {
        self.options.timeout.unwrap_or(self.settings.timeout)
    }
}

/// Calls the tool with what `source` says, and prints its result.
pub async fn run(
    caller: &mut Caller,
    shared: &Shared,
    mut server: InUse,
    call: &Call<'_>,
    source: Source,
) -> Result<Exit, Stop> {
    let arguments = arguments::gather(caller, call.tool, source).await?;
    let cache = shared.cache(&caller.places.cache);
    let ttl = match call.answers.is_empty() {
        true => cache::policy(
            call.settings,
            &call.tool.name,
            call.options.cache,
            call.options.no_cache,
        ),
        // What was answered is not in the key.
        false => None,
    };
    if call.options.cache.is_some() && cache::is_forbidden(call.settings, &call.tool.name) {
        let rule = "the configuration says that its answers are never kept";
        let name = &call.tool.name;
        caller
            .warn(format!("--cache does nothing for {name}: {rule}"))
            .await?;
    }
    let kept = ttl.map(|ttl| {
        let key = cache::key(&call.target.identity, &call.tool.name, &arguments);
        (key, ttl)
    });
    if let Some((key, ttl)) = &kept {
        if let Some(hit) = cache.get(key, *ttl) {
            let (age, ttl) = (hit.age.as_secs(), seconds(*ttl));
            caller
                .note(format!("cache hit (age={age}s ttl={ttl})"))
                .await?;
            return print(caller, shared, &call.target.name, hit.result.into()).await;
        }
        let ttl = seconds(*ttl);
        caller.note(format!("cache miss (ttl={ttl})")).await?;
    }
    if !server.connection.is_alive() {
        // It ended before it was asked anything, so nothing is done twice.
        server = opened(
            caller,
            &shared.pool,
            call.target,
            call.settings,
            call.options.timeout,
        )
        .await?;
    }
    if caller.voice() == Voice::Verbose {
        server.connection.ask_for_logs().await;
    }
    let before = Instant::now();
    let answer = rounds::answer(caller, &server.connection, call, &arguments).await?;
    let took = before.elapsed().as_secs_f64() * 1000.0;
    let note = format!("{} answered in {took:.1} ms", call.tool.name);
    caller.note(note).await?;
    let result = Arc::new(answer.result);
    let kept = kept.filter(|_| !answer.asked);
    // What is not kept is gone before a slow reader has read it.
    let kept = kept.map(|(key, _)| (key, Arc::clone(&result)));
    let exit = print(caller, shared, &call.target.name, result).await?;
    if let (Exit::Success, Some((key, result))) = (exit, kept)
        && let Err(problem) = cache.put(&key, &result)
    {
        caller.warn(format!("not cached: {problem}")).await?;
    }
    Ok(exit)
}

/// `60s`, `0.5s`.
fn seconds(time: Duration) -> String {
    match time < Duration::from_secs(1) {
        true => format!("{}s", time.as_millis() as f64 / 1000.0),
        false => format!("{}s", time.as_secs()),
    }
}

async fn print(
    caller: &mut Caller,
    shared: &Shared,
    server: &str,
    result: Arc<Box<RawValue>>,
) -> Result<Exit, Stop> {
    let printed = unwrapped(result)
        .await
        .map_err(|why| Failure::protocol(server, why))?;
    let mut last = None;
    for piece in &printed.stdout {
        last = print_piece(caller, shared, Stream::Stdout, piece)
            .await?
            .or(last);
    }
    if caller.invocation.stdout_is_terminal && last.is_some_and(|byte| byte != b'\n') {
        // The prompt gets a line of its own; a pipe gets what the server sent.
        caller.stdout(b"\n").await?;
    }
    for piece in &printed.stderr {
        print_piece(caller, shared, Stream::Stderr, piece).await?;
    }
    Ok(match printed.failed {
        true => Exit::Tool,
        false => Exit::Success,
    })
}

/// What to print for a result. A long one is read where nobody else waits for it.
async fn unwrapped(result: Arc<Box<RawValue>>) -> Result<Printed, String> {
    if result.get().len() < LONG_RESULT {
        return output::unwrap(&result).map_err(|none| none.to_string());
    }
    let read = tokio::task::spawn_blocking(move || output::unwrap(&result));
    match read.await {
        Ok(read) => read.map_err(|none| none.to_string()),
        Err(error) => Err(format!("the result cannot be read: {error}")),
    }
}

#[derive(Clone, Copy)]
enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    async fn write(self, caller: &mut Caller, bytes: &[u8]) -> Result<(), Gone> {
        match self {
            Stream::Stdout => caller.stdout(bytes).await,
            Stream::Stderr => caller.stderr(bytes).await,
        }
    }
}

/// Prints a piece; gives the last byte of it, if it has any.
async fn print_piece(
    caller: &mut Caller,
    shared: &Shared,
    stream: Stream,
    piece: &Piece,
) -> Result<Option<u8>, Stop> {
    let mut last = None;
    match piece {
        Piece::Bytes(bytes) => {
            stream.write(caller, bytes).await?;
            last = bytes.last().copied();
        }
        Piece::Media(media) => {
            let folder = media::folder(&caller.invocation.environment);
            let path = media::write(&folder, media).map_err(Failure::System)?;
            let line = [path.as_os_str().as_encoded_bytes(), b"\n"].concat();
            stream.write(caller, &line).await?;
            last = line.last().copied();
            shared.sweep_media(folder);
        }
        Piece::Spilled(path) => {
            let mut file = media::spilled(path).map_err(Failure::System)?;
            let mut buffer = vec![0; PIECE];
            loop {
                let count = file
                    .read(&mut buffer)
                    .map_err(|error| Failure::System(format!("reading {path:?}: {error}")))?;
                if count == 0 {
                    break;
                }
                stream.write(caller, &buffer[..count]).await?;
                last = buffer[..count].last().copied();
            }
        }
    }
    Ok(last)
}
