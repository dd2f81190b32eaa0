//! `argway tools`: the tools that a server would offer, and what they cost.

use std::path::PathBuf;
use std::sync::Arc;

use argway_core::catalog::Catalog;
use argway_core::cost::Cost;
use argway_core::schema;
use clap::Args;
use serde_json::{Value, json};

use super::effect::{effect_name, effect_style};
use super::{catalog, cost, count_losses, write_file};
use crate::exit::Failure;
use crate::options::{LayoutName, ReadOptions, ToolOptions, TranscriptOption};
use crate::source::Source;
use crate::terminal::{Style, Terminal, fit, thousands};

/// List the tools that a server would offer
///
/// One line a tool: its name, what calling it does (read, write, destructive, unknown), its summary.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  argway tools gh --read-only
  argway tools gh kubectl --json
  argway tools gh -o mcp-tools.json
  argway tools docker --cost --inherited none
  argway tools -v                     every definition in force, where it is, what it replaces")]
pub struct Tools {
    /// Names on PATH, paths, description files, definitions (FILE.kdl, cli_NAME) [default: all
    /// definitions in force]
    #[arg(value_name = "PROGRAM")]
    programs: Vec<String>,
    /// Print the tools as MCP's tools/list has them
    #[arg(long, conflicts_with = "cost")]
    json: bool,
    /// Write that JSON to FILE
    #[arg(short, long, value_name = "FILE", conflicts_with = "cost")]
    output: Option<PathBuf>,
    /// Print what each tool costs in a model's context, in each layout
    #[arg(long)]
    cost: bool,
    #[command(flatten)]
    tools: ToolOptions,
    #[command(flatten)]
    transcript: TranscriptOption,
    #[command(flatten)]
    read: ReadOptions,
}

impl Tools {
    /// Prints the list, its JSON or its cost.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        let source = Source::new(terminal, &self.read);
        let readings = source.read_all(&self.programs, &self.transcript)?;
        let mut programs = Vec::new();
        for reading in readings {
            count_losses(terminal, &reading);
            programs.push(Arc::new(reading.program));
        }
        let catalog = catalog(&programs, &self.tools)?;
        if self.cost {
            return Self::print_cost(terminal, &catalog);
        }
        if !self.json && self.output.is_none() {
            return print_list(terminal, &catalog);
        }
        let tools: Vec<Value> = catalog
            .tools()
            .iter()
            .map(|tool| schema::tool(tool, self.tools.layout.into()))
            .collect();
        let text = format!("{:#}\n", json!({ "tools": tools }));
        match &self.output {
            Some(path) => write_file(path, &text),
            None => terminal.raw(text.as_bytes()),
        }
    }

    fn print_cost(terminal: &Terminal, catalog: &Catalog) -> Result<(), Failure> {
        let rows: Vec<(&str, [Cost; 2])> = catalog
            .tools()
            .iter()
            .map(|tool| {
                (
                    tool.name.as_str(),
                    LayoutName::ALL.map(|layout| cost::of(tool, layout)),
                )
            })
            .collect();
        let total = LayoutName::ALL.map(|layout| cost::total(catalog, layout));
        let total = ("total", total);
        let wide = rows
            .iter()
            .map(|(name, _)| name.len())
            .max()
            .unwrap_or(0)
            .max(5);
        let mut heading = format!("{:wide$}", "tool");
        for layout in LayoutName::ALL {
            let bytes = format!("{} bytes", layout.name());
            heading.push_str(&format!("  {bytes:>14}  {:>10}", "~tokens"));
        }
        terminal.line(terminal.styled(Style::Bold, heading))?;
        for (name, costs) in rows.iter().chain([&total]) {
            let mut line = format!("{name:wide$}");
            for cost in costs {
                let (bytes, tokens) = (thousands(cost.bytes), thousands(cost.tokens));
                line.push_str(&format!("  {bytes:>14}  {tokens:>10}"));
            }
            terminal.line(line)?;
        }
        Ok(())
    }
}

fn print_list(terminal: &Terminal, catalog: &Catalog) -> Result<(), Failure> {
    let wide = catalog
        .tools()
        .iter()
        .map(|tool| tool.name.len())
        .max()
        .unwrap_or(0);
    for tool in catalog.tools() {
        let effect = tool.spec().effect;
        // A pipe gets the whole summary.
        let room = match terminal.is_interactive() {
            true => terminal.width().saturating_sub(wide + 15).max(20),
            false => usize::MAX,
        };
        terminal.line(format_args!(
            "{:wide$}  {}  {}",
            tool.name,
            terminal.styled(
                effect_style(effect),
                format_args!("{:11}", effect_name(effect))
            ),
            fit(&tool.spec().summary, room)
        ))?;
    }
    Ok(())
}
