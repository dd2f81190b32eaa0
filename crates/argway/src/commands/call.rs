//! `argway call`: one tool call from the command line, as a client would make it.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use argway_core::argv;
use argway_core::output::{Ending, Outcome};
use argway_serve::bridge::{Bridge, CallError, Prepared};
use clap::Args;
use serde_json::{Map, Value};

use super::catalog;
use crate::exit::Failure;
use crate::interrupt::end_signal;
use crate::options::{ReadOptions, RunOptions, ToolOptions};
use crate::source::Source;
use crate::terminal::Terminal;

/// Call one tool and print what its command prints
///
/// stdout and stderr are the command's own. The exit code is 0 if the command succeeded and 1 if it
/// failed; see `argway --help` for the others.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  argway call gh gh_pr_list '{\"limit\": 5, \"state\": \"all\"}'
  argway call docker docker_run '{\"image\": \"alpine\", \"rm\": true}' --dry-run
  echo '{\"limit\": 5}' | argway call gh gh_pr_list - --json")]
pub struct Call {
    /// A name on PATH, a path, or a description file
    program: String,
    /// The tool's name, as `argway tools` lists it
    tool: String,
    /// The arguments as a JSON object, or `-` to read it from stdin
    #[arg(default_value = "{}", value_name = "JSON", hide_default_value = true)]
    arguments: String,
    /// Print the words that would be run, quoted for a shell, and run nothing
    #[arg(long, conflicts_with = "json")]
    dry_run: bool,
    /// Print the whole result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tools: ToolOptions,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    read: ReadOptions,
}

impl Call {
    /// Makes the call.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        let arguments = self.arguments().map_err(Failure::Usage)?;
        let reading = Source::new(terminal, &self.read).read(&self.program)?;
        let bridge = Bridge {
            catalog: Arc::new(catalog(&[Arc::new(reading.program)], &self.tools)?),
            settings: self.run.settings(self.tools.layout),
        };
        let prepared = bridge.prepare(&self.tool, &arguments).map_err(failure)?;
        if self.dry_run {
            return terminal.line(shell_line(&prepared));
        }
        let outcome = run_to_end(&bridge, &prepared)?;
        let reply = bridge.reply(&prepared, &outcome).map_err(failure)?;
        if self.json {
            terminal.line(format_args!("{:#}", reply.structured))?;
        } else {
            show(terminal, &self.tool, &outcome)?;
            if let Some(advice) = bridge.advice(&prepared, &outcome) {
                terminal.warn(advice);
            }
        }
        match reply.is_error {
            true => Err(Failure::Called),
            false => Ok(()),
        }
    }

    fn arguments(&self) -> anyhow::Result<Map<String, Value>> {
        let mut text = self.arguments.clone();
        if text == "-" {
            text.clear();
            std::io::stdin()
                .read_to_string(&mut text)
                .context("the arguments could not be read from stdin")?;
        }
        match serde_json::from_str(&text) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(_) => Err(anyhow!(
                "the arguments must be a JSON object like {{\"limit\": 5}}, not {text}"
            )),
            Err(error) => Err(anyhow!(
                "the arguments are not JSON ({error}); write an object like {{\"limit\": 5}}"
            )),
        }
    }
}

/// The command's own output, byte for byte, and how it ended where that is not plain.
fn show(terminal: &Terminal, tool: &str, outcome: &Outcome) -> Result<(), Failure> {
    match &outcome.stderr.file {
        None => terminal.raw_error(&outcome.stderr.head),
        Some(file) => take(file, |all| {
            terminal.copy_error(all);
            Ok(())
        })?,
    }
    match outcome.ending {
        Ending::Exited(_) => {}
        Ending::Signalled(signal) => {
            terminal.warn(format_args!("{tool}: ended by signal {signal}"))
        }
        Ending::TimedOut(after) => terminal.warn(format_args!(
            "{tool}: ended after {after:?}; give it longer with --timeout"
        )),
        Ending::Flooded(bytes) => terminal.warn(format_args!(
            "{tool}: ended after {bytes} bytes of output; allow more with --max-spill"
        )),
        Ending::Exceeded(_) => terminal.warn(format_args!(
            "{tool}: ended because it used more than its sandbox allows"
        )),
        Ending::Cancelled => terminal.warn(format_args!("{tool}: cancelled")),
    }
    let Some(file) = &outcome.stdout.file else {
        return terminal.raw(&outcome.stdout.head);
    };
    take(file, |all| terminal.copy(all))
}

/// Passes a long output on and deletes its file: it was kept there only because
/// memory is bounded.
fn take(
    file: &Path,
    pass_on: impl FnOnce(&mut File) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let passed = File::open(file)
        .with_context(|| format!("{} could not be read", file.display()))
        .map_err(Failure::Program)
        .and_then(|mut all| pass_on(&mut all));
    let _ = fs::remove_file(file);
    passed
}

/// Runs a prepared call to its end. Ctrl-C and its kin end the whole process tree first.
pub fn run_to_end(bridge: &Bridge, call: &Prepared) -> Result<Outcome, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("starting a call")
        .map_err(Failure::Program)?;
    let mut ended_by = None;
    let outcome = runtime.block_on(async {
        let ending = async { ended_by = end_signal(|| ()).await.ok() };
        bridge.execute(call, ending, &mut |_| ()).await
    });
    match ended_by {
        Some(number) => Err(Failure::Interrupted(number)),
        None => outcome.map_err(failure),
    }
}

/// The whole command line of a call, as a shell would read it.
pub fn shell_line(call: &Prepared) -> String {
    let program = call.program.to_string_lossy();
    let words: Vec<_> = call
        .words
        .iter()
        .map(|word| word.to_string_lossy())
        .collect();
    argv::shell_line(std::iter::once(&*program).chain(words.iter().map(|word| &**word)))
}

/// Which failure of ours a refused call is.
fn failure(error: CallError) -> Failure {
    match error {
        CallError::UnknownTool { .. } | CallError::Arguments(_) | CallError::TooLong(_) => {
            Failure::Usage(error.into())
        }
        // Only a server has calls that wait for their turn.
        CallError::Program(_) | CallError::Exec(_) | CallError::Setup(_) | CallError::Cancelled => {
            Failure::Program(error.into())
        }
    }
}
