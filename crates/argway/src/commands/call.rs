//! `argway call`: one tool call from the command line, as a client would make it.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use argway_core::model::Program;
use argway_core::output::{Ending, Outcome, Reply};
use argway_core::policy::Exceeded;
use argway_core::sources::kdl;
use argway_core::unique::Unique;
use argway_serve::bridge::{Bridge, CallError, Prepared};
use clap::Args;
use serde_json::{Map, Value};

use super::catalog;
use crate::definitions::{self, report::harmless};
use crate::exit::Failure;
use crate::interrupt::end_signal;
use crate::options::{ReadOptions, RunOptions, SandboxOptions, ToolOptions};
use crate::source::{Source, Warnings};
use crate::terminal::Terminal;

/// Call one tool and print what its command prints
///
/// stdout and stderr are the command's own. The exit code is 0 if the command succeeded and 1 if it
/// failed; see `argway --help` for the others.
#[derive(Debug, Args)]
#[command(
    override_usage = "argway call [OPTIONS] [PROGRAM] <TOOL> [JSON]",
    after_help = "\
Examples:
  argway call gh gh_pr_list '{\"limit\": 5, \"state\": \"all\"}'
  argway call docker docker_run '{\"image\": \"alpine\", \"rm\": true}' --dry-run
  echo '{\"limit\": 5}' | argway call gh gh_pr_list - --json
  argway call cli_jq '{\"filter\": \".name\", \"file\": \"package.json\"}'
  argway call tools.kdl cli_jq '{\"filter\": \".\"}'"
)]
pub struct Call {
    /// PROGRAM: a name on PATH, a path, a description file, FILE.kdl; left out for a tool of a
    /// definition in force. TOOL: its name, as `argway tools` lists it. JSON: the arguments as an
    /// object, or `-` to read it from stdin
    #[arg(required = true, num_args = 1..=3, value_name = "WORD")]
    words: Vec<String>,
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
    sandbox: SandboxOptions,
    #[command(flatten)]
    read: ReadOptions,
}

impl Call {
    /// Makes the call.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        let asked = Asked::of(&self.words).map_err(Failure::Usage)?;
        let arguments = arguments(asked.arguments).map_err(Failure::Usage)?;
        let settings =
            (self.run).settings(self.tools.layout, self.sandbox.settings(self.read.sandbox)?);
        let program: Vec<String> = asked.program.into_iter().map(str::to_owned).collect();
        let source = Source {
            readable: self.sandbox.readable(),
            warnings: Warnings::Caller,
            ..Source::new(terminal, &self.read)
        };
        let programs: Vec<Arc<Program>> = source
            .read_words(&program)?
            .into_iter()
            .map(|reading| Arc::new(reading.program))
            .collect();
        let bridge = Bridge {
            catalog: Arc::new(catalog(&programs, &self.tools)?),
            settings,
        };
        let tool = bridge.catalog.find(asked.tool);
        if tool.is_none() && self.leaves_out(&programs, asked.tool) {
            return Err(Failure::Usage(anyhow!(
                "`{}` is not offered: --read-only, --allow or --deny leave it out, or it is hidden (--include-hidden)",
                asked.tool
            )));
        }
        if let Some((tool, run)) = tool.and_then(|tool| Some((tool, tool.spec().run.as_deref()?))) {
            for warning in kdl::warnings(&tool.command_line(), run) {
                terminal.warn(harmless(&warning));
            }
        }
        let prepared = bridge.prepare(asked.tool, &arguments).map_err(failure)?;
        if self.dry_run {
            return terminal.line(prepared.shell_line());
        }
        let outcome = run_to_end(&bridge, &prepared)?;
        let reply = bridge.reply(&prepared, &outcome).map_err(failure)?;
        tell_gaps(terminal, asked.tool, &outcome);
        if self.json {
            terminal.line(format_args!("{:#}", with_meta(&reply)))?;
        } else {
            show(terminal, asked.tool, &outcome)?;
            for why in bridge.failures(&prepared, &outcome) {
                terminal.warn(format_args!("{}: {why}", asked.tool));
            }
            if let Some(advice) = bridge.advice(&prepared, &outcome) {
                terminal.warn(advice);
            }
        }
        match reply.is_error {
            true => Err(Failure::Called),
            false => Ok(()),
        }
    }
}

impl Call {
    /// Whether only the selection keeps `tool` from being offered.
    fn leaves_out(&self, programs: &[Arc<Program>], tool: &str) -> bool {
        let unselected = ToolOptions {
            allow: Vec::new(),
            deny: Vec::new(),
            allow_flags: Vec::new(),
            deny_flags: Vec::new(),
            read_only: false,
            include_hidden: true,
            ..self.tools.clone()
        };
        catalog(programs, &unselected).is_ok_and(|all| all.find(tool).is_some())
    }
}

/// The structured result as a client gets it, with what stands beside it.
fn with_meta(reply: &Reply) -> Value {
    let mut whole = reply.structured.clone();
    if let (Value::Object(whole), Some(meta)) = (&mut whole, &reply.meta) {
        whole.insert("_meta".to_owned(), meta.clone());
    }
    whole
}

/// What the words of a call are.
#[derive(Debug, PartialEq, Eq)]
struct Asked<'a> {
    /// Nothing where the tool is one of the definitions in force.
    program: Option<&'a str>,
    tool: &'a str,
    arguments: &'a str,
}

impl<'a> Asked<'a> {
    fn of(words: &'a [String]) -> anyhow::Result<Self> {
        let is_defined = |word: &str| {
            let is_file = word.contains('/') || word.ends_with(".kdl") || word.ends_with(".json");
            word.starts_with(definitions::PREFIX) && !is_file
        };
        let (program, tool, arguments) = match words {
            [tool] if is_defined(tool) => (None, tool, "{}"),
            // `cli_git cli_git_log` is a definition and one of its tools.
            [tool, arguments] if is_defined(tool) && !is_defined(arguments) => {
                (None, tool, arguments.as_str())
            }
            [program, tool] => (Some(program.as_str()), tool, "{}"),
            [program, tool, arguments] => (Some(program.as_str()), tool, arguments.as_str()),
            [program, ..] => anyhow::bail!(
                "name a tool too: argway call {program} TOOL; `argway tools {program}` lists them"
            ),
            [] => anyhow::bail!("name a tool; `argway tools` lists those of definitions"),
        };
        Ok(Self {
            program,
            tool,
            arguments,
        })
    }
}

/// Longer arguments are no client's: as long as a line to a server may be.
const LONGEST: u64 = 64 * 1024 * 1024;

fn arguments(text: &str) -> anyhow::Result<Map<String, Value>> {
    let mut text = text.to_owned();
    if text == "-" {
        text.clear();
        std::io::stdin()
            .take(LONGEST + 1)
            .read_to_string(&mut text)
            .context("the arguments could not be read from stdin")?;
        anyhow::ensure!(
            text.len() as u64 <= LONGEST,
            "the arguments are longer than {LONGEST} bytes"
        );
    }
    let wrong = match serde_json::from_str(&text) {
        Ok(Unique(Value::Object(arguments))) => return Ok(arguments),
        Ok(Unique(Value::Null)) => "null",
        Ok(Unique(Value::Bool(_))) => "a boolean",
        Ok(Unique(Value::Number(_))) => "a number",
        Ok(Unique(Value::String(_))) => "a string",
        Ok(Unique(Value::Array(_))) => "an array",
        Err(error) if error.is_data() => anyhow::bail!("the arguments are ambiguous: {error}"),
        Err(error) => anyhow::bail!(
            "the arguments are not JSON ({error}); write an object like {{\"limit\": 5}}"
        ),
    };
    anyhow::bail!("the arguments must be a JSON object like {{\"limit\": 5}}, not {wrong}")
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
        Ending::Exceeded(what) => {
            let (what, flag) = match what {
                Exceeded::Cpu => ("processor time", "--cpu-seconds"),
                Exceeded::Memory => ("memory", "--memory-mb"),
                Exceeded::Processes => ("processes", "--processes"),
            };
            terminal.warn(format_args!(
                "{tool}: ended because it used more {what} than its sandbox allows; allow more with {flag}"
            ));
        }
        Ending::Cancelled => terminal.warn(format_args!("{tool}: cancelled")),
    }
    let Some(file) = &outcome.stdout.file else {
        return terminal.raw(&outcome.stdout.head);
    };
    take(file, |all| terminal.copy(all))
}

/// What the sandbox did not hold, on one line: the user chose that it may be so, not
/// that it is.
fn tell_gaps(terminal: &Terminal, tool: &str, outcome: &Outcome) {
    let Some(held) = &outcome.sandbox else {
        return;
    };
    if !held.gaps.is_empty() {
        let gaps = held.gaps.join("; ");
        terminal.warn(format_args!("{tool}: not held by its sandbox: {gaps}"));
    }
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

#[cfg(test)]
mod tests {
    use super::Asked;

    #[track_caller]
    fn check(words: &str, expected: (Option<&str>, &str, &str)) {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let asked = Asked::of(&words).unwrap();
        assert_eq!((asked.program, asked.tool, asked.arguments), expected);
    }

    #[test]
    fn the_program_may_be_left_out_for_a_tool_of_a_definition() {
        check("gh gh_pr_list", (Some("gh"), "gh_pr_list", "{}"));
        check("gh gh_pr_list -", (Some("gh"), "gh_pr_list", "-"));
        check("cli_jq", (None, "cli_jq", "{}"));
        check("cli_jq {}", (None, "cli_jq", "{}"));
        check("cli_jq times=2", (None, "cli_jq", "times=2"));
        check(
            "cli_git cli_git_log",
            (Some("cli_git"), "cli_git_log", "{}"),
        );
        check("x.kdl cli_jq", (Some("x.kdl"), "cli_jq", "{}"));
        check("cli_x.kdl cli_jq {}", (Some("cli_x.kdl"), "cli_jq", "{}"));
    }

    #[test]
    fn a_program_alone_is_no_call() {
        let error = Asked::of(&["gh".to_owned()]).unwrap_err().to_string();
        assert_eq!(
            error,
            "name a tool too: argway call gh TOOL; `argway tools gh` lists them"
        );
    }
}
