//! `argway doctor`: what the sandbox can promise on this machine.

use anyhow::anyhow;
use argway_sandbox::doctor::{self, Finding};
use clap::Args;
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::terminal::{Style, Terminal};

/// Show what the sandbox can promise on this machine, by trying it
///
/// The exit code is 0 if a call gets a sandbox here, and 3 if it would be refused.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// The set of layers that a call gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tier {
    Strict,
    Portable,
}

impl Tier {
    fn name(self) -> &'static str {
        match self {
            Tier::Strict => "strict",
            Tier::Portable => "portable",
        }
    }
}

impl Doctor {
    /// Tries everything and prints the table.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        let findings = doctor::examine();
        let tier = tier(&findings);
        match self.json {
            true => terminal.line(format_args!("{:#}", as_json(&findings, tier)))?,
            false => print(terminal, &findings, tier)?,
        }
        match tier {
            Some(_) => Ok(()),
            None => Err(Failure::Program(anyhow!(
                "no sandbox holds on this machine: definitions are refused unless --sandbox=best-effort or --sandbox=off says otherwise"
            ))),
        }
    }
}

/// The tier that a call gets here.
fn tier(findings: &[Finding]) -> Option<Tier> {
    let holds = |kept: fn(&Finding) -> bool| !findings.is_empty() && findings.iter().all(kept);
    if holds(|finding| finding.strict.is_ok()) {
        return Some(Tier::Strict);
    }
    holds(|finding| finding.portable.is_ok()).then_some(Tier::Portable)
}

fn as_json(findings: &[Finding], tier: Option<Tier>) -> Value {
    let kept = |kept: &Result<(), String>| match kept {
        Ok(()) => json!({ "kept": true }),
        Err(why) => json!({ "kept": false, "why": why }),
    };
    let findings: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({
                "promise": finding.promise,
                "layers": finding.layers,
                "strict": kept(&finding.strict),
                "portable": kept(&finding.portable),
            })
        })
        .collect();
    json!({ "tier": tier.map(Tier::name), "findings": findings })
}

fn print(terminal: &Terminal, findings: &[Finding], tier: Option<Tier>) -> Result<(), Failure> {
    let wide = |of: fn(&Finding) -> &str, heading: &str| {
        let longest = findings.iter().map(|finding| of(finding).chars().count());
        longest.max().unwrap_or(0).max(heading.len())
    };
    let promise = wide(|finding| finding.promise, "promise");
    let layers = wide(|finding| finding.layers, "layers");
    let heading = format!(
        "{:promise$}  {:layers$}  {:6}  portable",
        "promise", "layers", "strict"
    );
    terminal.line(terminal.styled(Style::Bold, heading))?;
    let mark = |kept: &Result<(), String>, width: usize| match kept {
        Ok(()) => terminal.styled(Style::Green, format_args!("{:width$}", "yes")),
        Err(_) => terminal.styled(Style::Red, format_args!("{:width$}", "no")),
    };
    for finding in findings {
        terminal.line(format_args!(
            "{:promise$}  {:layers$}  {}  {}",
            finding.promise,
            finding.layers,
            mark(&finding.strict, 6),
            mark(&finding.portable, 0),
        ))?;
    }
    for (name, kept) in [
        (
            Tier::Strict,
            (|it| &it.strict) as fn(&Finding) -> &Result<(), String>,
        ),
        (Tier::Portable, |it| &it.portable),
    ] {
        reasons(terminal, name, findings, kept)?;
    }
    terminal.line("")?;
    terminal.line(match tier {
        Some(tier) => format!("A call gets the {} tier here.", tier.name()),
        None => "A call is refused here.".to_owned(),
    })
}

/// Why promises are not kept in a tier, each reason once.
fn reasons(
    terminal: &Terminal,
    tier: Tier,
    findings: &[Finding],
    kept: fn(&Finding) -> &Result<(), String>,
) -> Result<(), Failure> {
    let mut told: Vec<&str> = Vec::new();
    for finding in findings {
        if let Err(why) = kept(finding)
            && !told.contains(&why.as_str())
        {
            if told.is_empty() {
                let heading = format!("Not kept in the {} tier", tier.name());
                terminal.line("")?;
                terminal.line(terminal.styled(Style::Bold, heading))?;
            }
            terminal.line(format_args!("  {}: {why}", finding.promise))?;
            told.push(why);
        }
    }
    Ok(())
}
