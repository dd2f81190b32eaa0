//! `argway serve`: an MCP server over stdin and stdout.

use std::sync::Arc;

use anyhow::Context;
use argway_core::catalog::Catalog;
use argway_core::model::{Program, Reading};
use argway_serve::bridge::Bridge;
use argway_serve::mcp::{self, Identity, Refresh, Server};
use clap::Args;

use super::catalog;
use crate::cache::Key;
use crate::exit::Failure;
use crate::options::{ReadOptions, RunOptions, ToolOptions};
use crate::source::{Signals, Source};
use crate::terminal::{Terminal, counted};

/// Serve programs' commands as MCP tools over stdin and stdout
///
/// MCP clients start this. Nothing but the protocol is written to stdout.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  argway serve gh
  argway serve gh kubectl --read-only
  argway serve docker --deny 'system prune,volume *' --timeout 5m

In a client's configuration:
  {\"mcpServers\": {\"gh\": {\"command\": \"argway\", \"args\": [\"serve\", \"gh\"]}}}")]
pub struct Serve {
    /// Names on PATH, paths, or description files
    #[arg(required = true, value_name = "PROGRAM")]
    programs: Vec<String>,
    #[command(flatten)]
    tools: ToolOptions,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    read: ReadOptions,
}

impl Serve {
    /// Serves until the client goes away.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        let mut served = Served {
            names: self.programs.clone(),
            source: Source {
                signals: Signals::Caller,
                ..Source::new(terminal, &self.read)
            },
            tools: self.tools.clone(),
            seen: Vec::new(),
        };
        served.seen = served.keys();
        let settings = self.run.settings(self.tools.layout);
        let server = match served.source.all_known(&self.programs)? {
            Some(readings) => {
                let names: Vec<String> = readings
                    .iter()
                    .map(|reading| reading.program.name.clone())
                    .collect();
                let catalog = served.catalog(readings)?;
                Server::new(
                    identity(&names),
                    Bridge { catalog, settings },
                    mcp::Options::default(),
                )
            }
            // Reading takes longer than many a client waits for the opening.
            None => {
                let identity = identity(&served.titles()?);
                Server::unread(identity, settings, mcp::Options::default())
            }
        };
        mcp::run_stdio(server, Some(Box::new(served)))
            .context("serving over stdin and stdout")
            .map_err(Failure::Program)
    }
}

/// What the server is called: by its one program, or as argway where it has several.
fn identity(names: &[String]) -> Identity {
    Identity {
        name: match names {
            [only] => only.clone(),
            _ => "argway".to_owned(),
        },
        version: env!("CARGO_PKG_VERSION").to_owned(),
        title: format!("{} (argway)", names.join(", ")),
    }
}

/// The served programs, to be read again when their files change.
struct Served {
    names: Vec<String>,
    source: Source,
    tools: ToolOptions,
    /// What the files were when they were last read.
    seen: Vec<Option<Key>>,
}

impl Served {
    /// The programs' own names. An error names the first that is not there.
    fn titles(&self) -> Result<Vec<String>, Failure> {
        self.names
            .iter()
            .map(|name| self.source.title(name))
            .collect()
    }

    fn catalog(&self, readings: Vec<Reading>) -> Result<Arc<Catalog>, Failure> {
        let terminal = &self.source.terminal;
        let programs: Vec<Arc<Program>> = readings
            .into_iter()
            .map(|reading| {
                terminal.note(format_args!(
                    "{}: {}, {} not understood",
                    reading.program.name,
                    counted(reading.program.commands.len(), "command"),
                    counted(reading.losses.len(), "thing"),
                ));
                Arc::new(reading.program)
            })
            .collect();
        let catalog = catalog(&programs, &self.tools)?;
        terminal.note(format_args!(
            "serving {} of {}",
            counted(catalog.tools().len(), "tool"),
            self.names.join(", ")
        ));
        Ok(Arc::new(catalog))
    }

    fn keys(&self) -> Vec<Option<Key>> {
        self.names
            .iter()
            .map(|name| self.source.key(name))
            .collect()
    }
}

impl Refresh for Served {
    fn changed(&mut self) -> bool {
        self.keys() != self.seen
    }

    fn read(&mut self) -> Result<Arc<Catalog>, String> {
        // Before the reading: what changes while it goes on is read once more.
        self.seen = self.keys();
        let readings = self
            .names
            .iter()
            .map(|name| self.source.read(name))
            .collect();
        // A changed program is read anew each time, so `--refresh` was for the start.
        self.source.options.refresh = false;
        let fresh = Result::and_then(readings, |readings| self.catalog(readings));
        fresh.map_err(|failure| {
            let why = failure.message().unwrap_or_default();
            self.source.terminal.warn(&why);
            why
        })
    }
}
