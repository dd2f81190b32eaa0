//! A program's commands in few lines: each with its effect, big trees abbreviated.

use std::collections::BTreeMap;

use argway_core::catalog::{Catalog, Tool};
use argway_core::model::Effect;

use super::super::effect::{EFFECTS, effect_name, effect_style};
use crate::terminal::{Style, Terminal, fit};

/// Lines for first words beyond which the rest is only counted.
const LINES: usize = 30;

/// How much of a tree is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// One line for each first word.
    Abbreviated,
    /// One line for each command.
    Full,
}

/// How many tools have which effect: `12 read, 3 write`.
pub fn counts<'a>(tools: impl Iterator<Item = &'a Tool>) -> String {
    let mut counts: BTreeMap<Effect, usize> = BTreeMap::new();
    for tool in tools {
        *counts.entry(tool.spec().effect).or_default() += 1;
    }
    EFFECTS
        .iter()
        .filter_map(|effect| Some(format!("{} {}", counts.get(effect)?, effect_name(*effect))))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The tree of `catalog`'s commands, one line an entry.
pub fn lines(terminal: &Terminal, catalog: &Catalog, detail: Detail) -> Vec<String> {
    match detail {
        Detail::Full => catalog
            .tools()
            .iter()
            .map(|tool| full(terminal, tool))
            .collect(),
        Detail::Abbreviated => abbreviated(terminal, catalog),
    }
}

fn full(terminal: &Terminal, tool: &Tool) -> String {
    let spec = tool.spec();
    let depth = spec.path.len().saturating_sub(1);
    let name = match spec.path.is_empty() {
        true => tool.program.name.clone(),
        false => spec.path.join(" "),
    };
    let room = terminal.width().saturating_sub(46).max(30);
    format!(
        "  {}{name:wide$}  {}  {}",
        "  ".repeat(depth),
        terminal.styled(
            effect_style(spec.effect),
            format_args!("{:11}", effect_name(spec.effect))
        ),
        fit(&spec.summary, room),
        wide = 28_usize.saturating_sub(2 * depth),
    )
}

/// Commands that share their first word, in the order that it was met.
fn branches(catalog: &Catalog) -> Vec<(&str, Vec<&Tool>)> {
    let mut branches: Vec<(&str, Vec<&Tool>)> = Vec::new();
    for tool in catalog.tools() {
        let first = match tool.spec().path.first() {
            Some(word) => word.as_str(),
            None => tool.program.name.as_str(),
        };
        match branches.iter_mut().find(|(word, _)| *word == first) {
            Some((_, tools)) => tools.push(tool),
            None => branches.push((first, vec![tool])),
        }
    }
    branches
}

fn abbreviated(terminal: &Terminal, catalog: &Catalog) -> Vec<String> {
    let branches = branches(catalog);
    let wide = branches
        .iter()
        .map(|(word, _)| word.len())
        .max()
        .unwrap_or(0)
        .min(24);
    let mut lines: Vec<String> = branches
        .iter()
        .take(LINES)
        .map(|(word, tools)| branch(terminal, word, tools, wide))
        .collect();
    let rest: usize = branches
        .iter()
        .skip(LINES)
        .map(|(_, tools)| tools.len())
        .sum();
    if rest > 0 {
        lines.push(format!("  … and {rest} more commands (--all shows them)"));
    }
    lines
}

fn branch(terminal: &Terminal, word: &str, tools: &[&Tool], wide: usize) -> String {
    let room = terminal.width().saturating_sub(wide + 8).max(30);
    let count = match tools {
        [_] => String::new(),
        _ => tools.len().to_string(),
    };
    let head = format!("  {word:wide$} {count:>3}  ");
    if let [only] = tools {
        let effect = only.spec().effect;
        let name = effect_name(effect);
        let text = match only.spec().path.len() {
            0 | 1 => only.spec().summary.clone(),
            _ => only.spec().path[1..].join(" "),
        };
        let text = fit(&text, room.saturating_sub(name.len() + 2));
        let colon = if text.is_empty() { "" } else { ": " };
        return format!(
            "{head}{}{colon}{text}",
            terminal.styled(effect_style(effect), name)
        );
    }
    // The plain text decides what fits; styles take no room.
    let mut plain = 0;
    let mut parts = Vec::new();
    for effect in EFFECTS {
        let names: Vec<String> = tools
            .iter()
            .filter(|tool| tool.spec().effect == effect)
            .map(|tool| match tool.spec().path.get(1..) {
                None | Some([]) => tool.spec().path.join(" "),
                Some(rest) => rest.join(" "),
            })
            .collect();
        if names.is_empty() {
            continue;
        }
        let left = room.saturating_sub(plain);
        if left < 16 {
            parts.push(terminal.styled(Style::Dim, "…"));
            break;
        }
        let text = fit(
            &format!("{}: {}", effect_name(effect), names.join(", ")),
            left,
        );
        plain += text.chars().count() + 2;
        let (label, names) = text.split_once(':').unwrap_or((&text, ""));
        parts.push(format!(
            "{}:{names}",
            terminal.styled(effect_style(effect), label)
        ));
    }
    format!("{head}{}", parts.join("; "))
}
