//! `argway tools`: the tools that a server would offer, and what they cost.

use std::path::PathBuf;
use std::sync::Arc;

use argway_core::catalog::{Catalog, Tool};
use argway_core::cost::{self, Cost};
use argway_core::model::Effect;
use argway_core::schema;
use clap::Args;
use serde_json::{Value, json};

use super::{catalog, tell_losses, write_file};
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
  argway tools docker --cost --inherited none")]
pub struct Tools {
    /// Names on PATH, paths, or description files
    #[arg(required_unless_present = "transcript", value_name = "PROGRAM")]
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
            tell_losses(terminal, &reading.program.name, &reading.losses);
            programs.push(Arc::new(reading.program));
        }
        let catalog = catalog(&programs, &self.tools)?;
        if self.cost {
            return self.print_cost(terminal, &catalog);
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

    fn print_cost(&self, terminal: &Terminal, catalog: &Catalog) -> Result<(), Failure> {
        let rows: Vec<(&str, Vec<Cost>)> = catalog
            .tools()
            .iter()
            .map(|tool| (tool.name.as_str(), costs(tool)))
            .collect();
        let total = LayoutName::ALL.iter().enumerate().map(|(layout, _)| {
            rows.iter().fold(Cost::default(), |sum, (_, costs)| Cost {
                bytes: sum.bytes + costs[layout].bytes,
                tokens: sum.tokens + costs[layout].tokens,
            })
        });
        let total = ("total", total.collect::<Vec<_>>());
        let wide = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(5);
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

/// What `tool` costs in each layout, in the order of [`LayoutName::ALL`].
fn costs(tool: &Tool) -> Vec<Cost> {
    LayoutName::ALL
        .into_iter()
        .map(|layout| cost::of(&schema::tool(tool, layout.into()).to_string()))
        .collect()
}

fn print_list(terminal: &Terminal, catalog: &Catalog) -> Result<(), Failure> {
    let wide = catalog.tools().iter().map(|tool| tool.name.len()).max().unwrap_or(0);
    for tool in catalog.tools() {
        let effect = tool.spec().effect;
        let room = terminal.width().saturating_sub(wide + 15).max(20);
        terminal.line(format_args!(
            "{:wide$}  {}  {}",
            tool.name,
            terminal.styled(effect_style(effect), format_args!("{:11}", effect_name(effect))),
            fit(&tool.spec().summary, room)
        ))?;
    }
    Ok(())
}

/// The word for an effect.
pub fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "read",
        Effect::Unknown => "unknown",
        Effect::Write => "write",
        Effect::Destructive => "destructive",
    }
}

/// The colour for an effect.
pub fn effect_style(effect: Effect) -> Style {
    match effect {
        Effect::Read => Style::Green,
        Effect::Unknown => Style::Dim,
        Effect::Write => Style::Yellow,
        Effect::Destructive => Style::Red,
    }
}

/// What all tools of `catalog` cost together in `layout`.
pub fn total(catalog: &Catalog, layout: LayoutName) -> Cost {
    catalog.tools().iter().fold(Cost::default(), |sum, tool| {
        let one = cost::of(&schema::tool(tool, layout.into()).to_string());
        Cost {
            bytes: sum.bytes + one.bytes,
            tokens: sum.tokens + one.tokens,
        }
    })
}
