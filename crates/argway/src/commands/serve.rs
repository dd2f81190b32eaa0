//! `argway serve`: an MCP server over stdin and stdout.

use std::sync::Arc;

use anyhow::Context;
use argway_core::catalog::Catalog;
use argway_core::model::Program;
use argway_serve::bridge::Bridge;
use argway_serve::mcp::{self, Identity, Refresh, Server};
use clap::Args;

use super::catalog;
use crate::cache::Key;
use crate::exit::Failure;
use crate::options::{ReadOptions, RunOptions, ToolOptions};
use crate::source::Source;
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
            source: Source::new(terminal, &self.read),
            tools: self.tools.clone(),
            seen: Vec::new(),
        };
        served.seen = served.keys();
        let programs = served.programs()?;
        let catalog = Arc::new(catalog(&programs, &self.tools)?);
        terminal.note(format_args!(
            "serving {} of {}",
            counted(catalog.tools().len(), "tool"),
            self.programs.join(", ")
        ));
        let bridge = Bridge {
            catalog,
            settings: self.run.settings(self.tools.layout),
        };
        let server = Server::new(identity(&programs), bridge, mcp::Options::default());
        // A changed program is read anew each time, so `--refresh` was for the start.
        served.source.options.refresh = false;
        mcp::run_stdio(server, Some(Box::new(served)))
            .context("serving over stdin and stdout")
            .map_err(Failure::Program)
    }
}

/// What the server is called: by its one program, or as argway where it has several.
fn identity(programs: &[Arc<Program>]) -> Identity {
    let names: Vec<&str> = programs
        .iter()
        .map(|program| program.name.as_str())
        .collect();
    Identity {
        name: match names[..] {
            [only] => only.to_owned(),
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
    fn programs(&self) -> Result<Vec<Arc<Program>>, Failure> {
        self.names
            .iter()
            .map(|name| {
                let reading = self.source.read(name)?;
                self.source.terminal.note(format_args!(
                    "{}: {}, {} not understood",
                    reading.program.name,
                    counted(reading.program.commands.len(), "command"),
                    counted(reading.losses.len(), "thing"),
                ));
                Ok(Arc::new(reading.program))
            })
            .collect()
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

    fn read(&mut self) -> Option<Arc<Catalog>> {
        // Before the reading: what changes while it goes on is read once more.
        self.seen = self.keys();
        let fresh = self
            .programs()
            .and_then(|programs| catalog(&programs, &self.tools));
        match fresh {
            Ok(catalog) => {
                self.source
                    .terminal
                    .note("a served program changed and was read again");
                Some(Arc::new(catalog))
            }
            Err(failure) => {
                let why = failure.message().unwrap_or_default();
                self.source
                    .terminal
                    .warn(format_args!("the old tools stay: {why}"));
                None
            }
        }
    }
}
