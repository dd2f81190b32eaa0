//! `argway try`: what argway sees in a program, for somebody who has never used it.

mod harmless;
mod tree;

use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use argway_core::argv;
use argway_core::catalog::{Catalog, Selection};
use argway_core::model::{Family, Program, Reading};
use argway_core::probe::{Probe, Question};
use argway_serve::bridge::{Bridge, SandboxSettings};
use argway_serve::identify;
use clap::Args;
use serde_json::json;

use super::call::run_to_end;
use super::{catalog, cost, loss_lines};
use crate::exit::Failure;
use crate::options::{LayoutName, ReadOptions, RunOptions, ToolOptions, TranscriptOption};
use crate::source::Source;
use crate::terminal::{Style, Terminal, counted, fit, thousands, wrap};

/// Programs that many people have and that show well what argway does.
const WELL_KNOWN: [&str; 12] = [
    "gh", "kubectl", "docker", "podman", "helm", "hugo", "glab", "restic", "rclone", "etcdctl",
    "hcloud", "git",
];
/// Losses shown in words.
const LOSSES_SHOWN: usize = 3;
/// Lines shown of each.
const LINES_OF_A_LOSS: usize = 4;
/// Lines shown of the harmless call's output.
const OUTPUT_SHOWN: usize = 6;
/// Harmless calls tried until one succeeds.
const CALLS_TRIED: usize = 3;

/// Show what argway sees in a program: commands, effects, cost, one harmless call
///
/// Without PROGRAM it picks one from PATH. Nothing is changed and nothing is served: help pages are
/// read, and one command that only reads is called.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  argway try
  argway try git
  argway try docker --all")]
pub struct Try {
    /// A name on PATH, a path, a description file, or a definition (FILE.kdl, cli_NAME) [default:
    /// one from PATH]
    program: Option<String>,
    /// Which one of several definitions in FILE.kdl
    #[arg(value_name = "cli_NAME", conflicts_with = "transcript")]
    definition: Option<String>,
    /// Show every command on a line of its own
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    tools: ToolOptions,
    #[command(flatten)]
    transcript: TranscriptOption,
    #[command(flatten)]
    read: ReadOptions,
}

impl Try {
    /// Tells the story, section by section.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        let source = Source::new(terminal, &self.read);
        let picked = match (&self.program, &self.transcript.transcript) {
            (None, None) => Some(pick().map_err(Failure::Program)?),
            _ => self.program.clone(),
        };
        let reading = match (&picked, &self.definition) {
            (Some(program), Some(definition)) => source.read_of(program, definition)?,
            (program, _) => source.read_either(program.as_deref(), &self.transcript)?,
        };
        let program = Arc::new(reading.program.clone());
        let catalog = catalog(&[Arc::clone(&program)], &self.tools)?;
        title(terminal, &program)?;
        self.commands(terminal, &program, &catalog)?;
        losses(terminal, &reading)?;
        let read_only = self.read_only(&program);
        costs(terminal, &catalog, read_only.as_ref())?;
        if self.transcript.transcript.is_some() {
            return section(terminal, "Read from captured pages, so nothing was called.");
        }
        harmless_call(terminal, &source, &program, read_only.as_ref())?;
        let named = picked.as_deref().unwrap_or(&program.name);
        next_step(terminal, named, read_only.is_some())?;
        match program.family {
            Family::Unknown => better_shown(terminal),
            _ => Ok(()),
        }
    }

    fn commands(
        &self,
        terminal: &Terminal,
        program: &Program,
        catalog: &Catalog,
    ) -> Result<(), Failure> {
        let tools = catalog.tools();
        section(
            terminal,
            format_args!(
                "{}, {}: {}",
                counted(program.commands.len(), "command"),
                counted(tools.len(), "tool"),
                tree::counts(tools.iter())
            ),
        )?;
        let detail = match self.all {
            true => tree::Detail::Full,
            false => tree::Detail::Abbreviated,
        };
        for line in tree::lines(terminal, catalog, detail) {
            terminal.line(line)?;
        }
        Ok(())
    }

    /// The tools that only read; nothing where there is none.
    fn read_only(&self, program: &Arc<Program>) -> Option<Catalog> {
        let selection = Selection {
            read_only: true,
            ..self.tools.selection()
        };
        Catalog::build(&[Arc::clone(program)], &selection, self.tools.inherited()).ok()
    }
}

fn costs(terminal: &Terminal, all: &Catalog, read_only: Option<&Catalog>) -> Result<(), Failure> {
    section(terminal, "What the tools would cost in a model's context")?;
    let heading = format!(
        "  {:24} {:>6} {:>12} {:>10}",
        "layout", "tools", "bytes", "~tokens"
    );
    terminal.line(terminal.styled(Style::Dim, heading))?;
    for layout in LayoutName::ALL {
        cost_row(terminal, layout.name(), all, layout)?;
        if let Some(read_only) = read_only {
            let name = format!("{} --read-only", layout.name());
            cost_row(terminal, &name, read_only, layout)?;
        }
    }
    Ok(())
}

fn cost_row(
    terminal: &Terminal,
    name: &str,
    catalog: &Catalog,
    layout: LayoutName,
) -> Result<(), Failure> {
    let cost = cost::total(catalog, layout);
    terminal.line(format_args!(
        "  {name:24} {:>6} {:>12} {:>10}",
        thousands(catalog.tools().len()),
        thousands(cost.bytes),
        thousands(cost.tokens)
    ))
}

fn section(terminal: &Terminal, heading: impl std::fmt::Display) -> Result<(), Failure> {
    terminal.line("")?;
    terminal.line(terminal.styled(Style::Bold, heading))
}

fn title(terminal: &Terminal, program: &Program) -> Result<(), Failure> {
    let version = program
        .version
        .as_deref()
        .map(|version| format!(" {}", fit(bare_version(version), 40)));
    let place = program
        .executable
        .as_deref()
        .map(|path| format!(" ({path})"));
    terminal.line(format_args!(
        "{}{}{}",
        terminal.styled(Style::Bold, &program.name),
        version.unwrap_or_default(),
        place.unwrap_or_default(),
    ))?;
    match program.family {
        Family::Cobra => terminal.line("a Cobra program: its help and its completion were read"),
        Family::Definition => terminal.line("described by hand, in KDL"),
        Family::Described => terminal.line("it describes itself: nothing had to be guessed"),
        Family::Unknown => terminal.line(
            "of no known family: only its `--help` was read, as far as it goes. Expect gaps:\n\
             options of its commands, types and required flags may be missing or wrong.",
        ),
        family => terminal.line(format_args!(
            "a program of {}: its help pages were read",
            family.title()
        )),
    }
}

/// The number in `gh version 2.23.0 (2023-02-27)`, or all of a text that has none.
fn bare_version(version: &str) -> &str {
    let is_number = |word: &&str| {
        let word = word.trim_start_matches('v');
        word.starts_with(|c: char| c.is_ascii_digit())
    };
    let number = version.split([' ', ',', '\t', '\n']).find(is_number);
    number.unwrap_or(version.trim())
}

fn losses(terminal: &Terminal, reading: &Reading) -> Result<(), Failure> {
    match (reading.losses.is_empty(), reading.program.family) {
        (false, _) => {}
        (true, Family::Cobra) => {
            return section(terminal, "Everything that it printed was understood");
        }
        // What such a page does not say is not even known to be missing.
        (true, _) => return Ok(()),
    }
    section(
        terminal,
        format_args!("{} not understood", counted(reading.losses.len(), "thing")),
    )?;
    for line in loss_lines(&reading.program.name, &reading.losses, LOSSES_SHOWN) {
        for line in wrap(&line, terminal.width(), LINES_OF_A_LOSS) {
            terminal.line(line)?;
        }
    }
    Ok(())
}

/// Makes one call that cannot do harm, and shows the words and what came of it.
fn harmless_call(
    terminal: &Terminal,
    source: &Source,
    program: &Program,
    read_only: Option<&Catalog>,
) -> Result<(), Failure> {
    if !matches!(program.family, Family::Cobra | Family::Definition) {
        return ask_version(terminal, source, program);
    }
    let bridge = Bridge {
        catalog: Arc::new(read_only.cloned().unwrap_or_default()),
        settings: RunOptions::default().settings(LayoutName::Flat, SandboxSettings::default()),
    };
    let mut shown = None;
    for call in harmless::calls(&bridge.catalog)
        .into_iter()
        .take(CALLS_TRIED)
    {
        let Ok(prepared) = bridge.prepare(&call.tool.name, &call.arguments) else {
            continue;
        };
        let outcome = run_to_end(&bridge, &prepared)?;
        let Ok(reply) = bridge.reply(&prepared, &outcome) else {
            continue;
        };
        let failed = reply.is_error;
        shown = Some((prepared.shell_line(), reply.text, failed));
        if !failed {
            break;
        }
    }
    match shown {
        Some((line, text, failed)) => show_call(terminal, &line, &text, failed),
        None => section(
            terminal,
            "No call was made: no command is surely harmless, local and without required arguments",
        ),
    }
}

/// Of a program that is not understood nothing is called but `--version`, and that
/// only if its help speaks of it.
fn ask_version(terminal: &Terminal, source: &Source, program: &Program) -> Result<(), Failure> {
    let speaks_of_it = program.commands.first().is_some_and(|root| {
        root.flags().any(|flag| flag.name == "version")
            || [&root.usage, &root.description]
                .iter()
                .any(|text| text.contains("--version"))
    });
    let executable = program.executable.as_deref().filter(|_| speaks_of_it);
    let answer = executable.and_then(|path| {
        let mut probe = source.probe(Path::new(path));
        probe.ask(&[Question::new(["--version"])]).pop()?.ok()
    });
    match answer {
        Some(answer) => {
            let line = argv::shell_line([program.name.as_str(), "--version"]);
            let text = match answer.stdout.trim().is_empty() {
                true => answer.stderr,
                false => answer.stdout,
            };
            show_call(terminal, &line, &text, answer.code != Some(0))
        }
        None => section(
            terminal,
            "No call was made: its help names nothing that is surely harmless",
        ),
    }
}

fn show_call(terminal: &Terminal, line: &str, text: &str, failed: bool) -> Result<(), Failure> {
    section(
        terminal,
        match failed {
            false => "One harmless call, really made",
            true => "One harmless call, really made; it failed, as it would for you",
        },
    )?;
    terminal.line(format_args!("  $ {line}"))?;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    for line in lines.iter().take(OUTPUT_SHOWN) {
        terminal.line(format_args!("  {}", fit(line, terminal.width() - 2)))?;
    }
    if lines.len() > OUTPUT_SHOWN {
        let rest = counted(lines.len() - OUTPUT_SHOWN, "line");
        terminal.line(terminal.styled(Style::Dim, format_args!("  … and {rest} more")))?;
    }
    Ok(())
}

fn next_step(terminal: &Terminal, program: &str, some_read: bool) -> Result<(), Failure> {
    // A client starts the server in a folder of its own choosing.
    let program = match program.contains('/') {
        true => std::path::absolute(program)
            .map_or_else(|_| program.to_owned(), |path| path.display().to_string()),
        false => program.to_owned(),
    };
    let argway = own_name();
    section(terminal, "Next")?;
    let serve = argv::shell_line([argway.as_str(), "serve", &program]);
    terminal.line(format_args!("  serve it              {serve}"))?;
    if some_read {
        terminal.line(format_args!("  only what reads       {serve} --read-only"))?;
    }
    let call = argv::shell_line([argway.as_str(), "tools", &program]);
    terminal.line(format_args!("  see every tool        {call}"))?;
    terminal.line("  in a client's configuration (Claude Desktop, Cursor and others):")?;
    let name = Path::new(&program)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let entry = json!({ name: { "command": argway, "args": ["serve", program] } });
    terminal.line(format_args!("    {}", json!({ "mcpServers": entry })))
}

/// Points to a program that argway reads fully, where this machine has one.
fn better_shown(terminal: &Terminal) -> Result<(), Failure> {
    match readable().next() {
        Some(name) => terminal.line(format_args!(
            "  see a program that is read fully: {} try {name}",
            argv::shell_line([own_name().as_str()])
        )),
        None => Ok(()),
    }
}

/// How this argway is called: by name where PATH leads to it, else by its path.
fn own_name() -> String {
    let Ok(own) = std::env::current_exe() else {
        return "argway".to_owned();
    };
    let on_path = identify::resolve("argway").ok();
    match on_path.and_then(|path| path.canonicalize().ok()) {
        Some(found) if found == own => "argway".to_owned(),
        _ => own.display().to_string(),
    }
}

/// Well-known programs on PATH that are read fully.
fn readable() -> impl Iterator<Item = &'static str> {
    WELL_KNOWN.into_iter().filter(|name| {
        identify::resolve(name)
            .ok()
            .and_then(|path| identify::family(&path).ok())
            .is_some_and(|identity| identity.answers_completion())
    })
}

/// A program on PATH to show: the first well-known one that is read fully, else any.
fn pick() -> anyhow::Result<String> {
    let there = |name: &&str| identify::resolve(name).is_ok();
    readable()
        .next()
        .or_else(|| WELL_KNOWN.into_iter().find(there))
        .map(str::to_owned)
        .ok_or_else(|| {
            anyhow!(
                "none of {} is on PATH; name a program: argway try PROGRAM",
                WELL_KNOWN.join(", ")
            )
        })
}

#[cfg(test)]
mod tests {
    use super::bare_version;

    #[test]
    fn the_number_is_found_in_what_programs_say_of_their_version() {
        for (said, expected) in [
            ("gh version 2.23.0 (2023-02-27)", "2.23.0"),
            ("Docker version 28.2.2, build e6534b4", "28.2.2"),
            ("v1.4", "v1.4"),
            ("unknown", "unknown"),
        ] {
            assert_eq!(bare_version(said), expected);
        }
    }
}
