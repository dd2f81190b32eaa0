//! `argway serve`: an MCP server over stdin and stdout.

use std::sync::Arc;

use anyhow::Context;
use argway_core::catalog::Catalog;
use argway_core::model::{Program, Reading};
use argway_serve::bridge::Bridge;
use argway_serve::mcp::{self, Identity, Operator, Refresh, Server};
use clap::Args;

use super::catalog;
use crate::exit::Failure;
use crate::options::{ReadOptions, RunOptions, SandboxOptions, ToolOptions};
use crate::source::{Seen, Signals, Source};
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
  argway serve tools.kdl              definitions, each in a sandbox
  argway serve                        every definition of yours and of this project

In a client's configuration:
  {\"mcpServers\": {\"gh\": {\"command\": \"argway\", \"args\": [\"serve\", \"gh\"]}}}")]
pub struct Serve {
    /// Names on PATH, paths, description files, definitions (FILE.kdl, cli_NAME) [default: all
    /// definitions in force]
    #[arg(value_name = "PROGRAM")]
    programs: Vec<String>,
    #[command(flatten)]
    tools: ToolOptions,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    sandbox: SandboxOptions,
    #[command(flatten)]
    read: ReadOptions,
}

impl Serve {
    /// Serves until the client goes away.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        let settings =
            (self.run).settings(self.tools.layout, self.sandbox.settings(self.read.sandbox)?);
        let source = Source {
            signals: Signals::Caller,
            readable: self.sandbox.readable(),
            ..Source::new(terminal, &self.read)
        };
        let served = Served {
            seen: source.seen(&self.programs),
            names: self.programs.clone(),
            source,
            tools: self.tools.clone(),
        };
        let voice = *terminal;
        let options = mcp::Options {
            operator: Operator::told_by(move |text| voice.warn(text)),
            ..mcp::Options::default()
        };
        let server = match served.source.all_known(&self.programs)? {
            Some(readings) => {
                let names: Vec<String> = readings
                    .iter()
                    .map(|reading| reading.program.name.clone())
                    .collect();
                let catalog = served.catalog(readings)?;
                Server::new(identity(&names), Bridge { catalog, settings }, options)
            }
            // Reading takes longer than many a client waits for the opening.
            None => {
                let identity = identity(&served.source.titles(&self.programs)?);
                Server::unread(identity, settings, options)
            }
        };
        mcp::run_stdio(server, Some(Box::new(served)))
            .context("serving over stdin and stdout")
            .map_err(Failure::Program)
    }
}

/// Programs that a server's title names.
const NAMED: usize = 5;

/// What the server is called: by its one program, or as argway where it has several.
fn identity(names: &[String]) -> Identity {
    let mut shown = names[..names.len().min(NAMED)].join(", ");
    if names.len() > NAMED {
        shown.push_str(", …");
    }
    Identity {
        name: match names {
            [only] => only.clone(),
            _ => "argway".to_owned(),
        },
        version: env!("CARGO_PKG_VERSION").to_owned(),
        title: format!("{shown} (argway)"),
    }
}

/// The served programs, to be read again when their files change.
struct Served {
    names: Vec<String>,
    source: Source,
    tools: ToolOptions,
    /// What the files were when they were last read.
    seen: Seen,
}

impl Served {
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
            "serving {}",
            counted(catalog.tools().len(), "tool")
        ));
        Ok(Arc::new(catalog))
    }
}

impl Refresh for Served {
    fn changed(&mut self) -> bool {
        self.source.seen(&self.names) != self.seen
    }

    fn read(&mut self) -> Result<Arc<Catalog>, String> {
        // Before the reading: what changes while it goes on is read once more.
        self.seen = self.source.seen(&self.names);
        let readings = self.source.read_again(&self.names);
        // A changed program is read anew each time, so `--refresh` was for the start.
        self.source.options.refresh = false;
        let fresh = readings.and_then(|(readings, missing)| {
            if let Some(missing) = missing {
                self.source.terminal.warn(missing);
            }
            match readings.is_empty() {
                // The last definition is gone, or not trusted any more.
                true => Ok(Arc::default()),
                false => self.catalog(readings),
            }
        });
        fresh.map_err(|failure| {
            let why = failure.message().unwrap_or_default();
            self.source.terminal.warn(&why);
            why
        })
    }
}
