//! `argway doctor`: what the sandbox can promise on this machine.

use anyhow::anyhow;
use argway_sandbox::doctor::{self, Fact, Finding, Layer};
use clap::Args;
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::terminal::{Style, Terminal};

/// Show what the sandbox can promise on this machine, by trying it
///
/// Each promise is tested by doing, inside the sandbox, what would break it. The exit code is 0 if a
/// call gets a sandbox here, and 3 if it would be refused.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

impl Doctor {
    /// Tries everything and prints the table.
    pub fn run(&self, terminal: &Terminal) -> Result<(), Failure> {
        terminal.wait("trying every layer; this takes a few seconds");
        let table = doctor::examine();
        let examination = Examination {
            findings: table.findings,
            portable_takes_over: table.portable_takes_over,
            layers: doctor::layers(),
            facts: doctor::facts(),
        };
        if self.json {
            terminal.line(format_args!("{:#}", examination.json()))?;
        } else {
            for line in examination.lines(terminal) {
                terminal.line(line)?;
            }
        }
        match examination.verdict() {
            Verdict::Strict | Verdict::Portable => Ok(()),
            Verdict::Broken => Err(Failure::Program(anyhow!(
                "the sandbox does not keep its promises on this machine"
            ))),
            Verdict::Refused => Err(Failure::Program(anyhow!(
                "there is no sandbox on this machine: definitions are not run, unless --sandbox=best-effort or --sandbox=off allows it"
            ))),
        }
    }
}

/// All that was found.
#[derive(Debug)]
struct Examination {
    findings: Vec<Finding>,
    portable_takes_over: bool,
    layers: Vec<Layer>,
    facts: Vec<Fact>,
}

/// What a call gets here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The strict tier, with all that it promises.
    Strict,
    /// The portable tier, with its gaps.
    Portable,
    /// The strict tier, which does not hold.
    Broken,
    /// Nothing: it is not run.
    Refused,
}

impl Verdict {
    fn tier(self) -> Option<&'static str> {
        match self {
            Verdict::Strict | Verdict::Broken => Some("strict"),
            Verdict::Portable => Some("portable"),
            Verdict::Refused => None,
        }
    }
}

/// One tier's column.
type Column = fn(&Finding) -> &Result<(), String>;

const COLUMNS: [(&str, Column); 2] = [
    ("strict", |finding| &finding.strict),
    ("portable", |finding| &finding.portable),
];

impl Examination {
    /// A tier that cannot be had keeps no promise at all; one that can be had is used.
    fn verdict(&self) -> Verdict {
        let some = |of: Column| self.findings.iter().any(|finding| of(finding).is_ok());
        let [(_, strict), (_, portable)] = COLUMNS;
        let all = self.findings.iter().all(|finding| strict(finding).is_ok());
        match (some(strict), some(portable)) {
            (true, _) if all => Verdict::Strict,
            (true, _) => Verdict::Broken,
            (false, true) if self.portable_takes_over => Verdict::Portable,
            (false, _) => Verdict::Refused,
        }
    }

    fn json(&self) -> Value {
        let kept = |kept: &Result<(), String>| match kept {
            Ok(()) => json!({ "kept": true }),
            Err(why) => json!({ "kept": false, "why": why }),
        };
        let finding = |finding: &Finding| {
            json!({
                "promise": finding.promise,
                "layers": finding.layers,
                "strict": kept(&finding.strict),
                "portable": kept(&finding.portable),
            })
        };
        let layer = |layer: &Layer| match &layer.held {
            Ok(()) => json!({ "name": layer.name, "held": true }),
            Err(why) => json!({ "name": layer.name, "held": false, "why": why }),
        };
        let facts = self.facts.iter();
        let facts = facts.map(|fact| (fact.name.to_owned(), Value::from(fact.value.clone())));
        json!({
            "tier": self.verdict().tier(),
            "promises": self.findings.iter().map(finding).collect::<Vec<_>>(),
            "layers": self.layers.iter().map(layer).collect::<Vec<_>>(),
            "facts": facts.collect::<serde_json::Map<_, _>>(),
        })
    }

    /// The table, then the reasons.
    fn lines(&self, terminal: &Terminal) -> Vec<String> {
        let mut lines = self.table(terminal);
        let heading = |text: &str| terminal.styled(Style::Bold, text);
        for (tier, column) in COLUMNS {
            let reasons = self.reasons(column);
            if !reasons.is_empty() {
                let text = format!("Not kept in the {tier} tier");
                lines.extend([String::new(), heading(&text)]);
                lines.extend(reasons);
            }
        }
        let missing: Vec<String> = self
            .layers
            .iter()
            .filter_map(|layer| Some((layer.name, layer.held.as_ref().err()?)))
            .map(|(name, why)| format!("  {name}: {why}"))
            .collect();
        if !missing.is_empty() {
            lines.extend([String::new(), heading("Layers that cannot be had")]);
            lines.extend(missing);
        }
        if !self.facts.is_empty() {
            lines.extend([String::new(), heading("This machine")]);
            let wide = self.facts.iter().map(|fact| fact.name.len()).max();
            let wide = wide.unwrap_or_default();
            let facts = self.facts.iter();
            lines.extend(facts.map(|fact| format!("  {:wide$}  {}", fact.name, fact.value)));
        }
        lines.push(String::new());
        lines.push(match self.verdict() {
            Verdict::Strict => "A call gets the strict tier here, and all of it holds.".to_owned(),
            Verdict::Broken => {
                "A call gets the strict tier here, and it does not hold: see above.".to_owned()
            }
            Verdict::Portable => {
                "A call gets the portable tier here, with the gaps above.".to_owned()
            }
            Verdict::Refused => "A call is refused here.".to_owned(),
        });
        lines
    }

    fn table(&self, terminal: &Terminal) -> Vec<String> {
        let wide = |of: fn(&Finding) -> &str, heading: &str| {
            let longest = self.findings.iter().map(|finding| of(finding).len());
            longest.max().unwrap_or(0).max(heading.len())
        };
        let promise = wide(|finding| finding.promise, "promise");
        let layers = wide(|finding| finding.layers, "layers");
        let heading = format!(
            "{:promise$}  {:layers$}  {:6}  portable",
            "promise", "layers", "strict"
        );
        let mark = |kept: &Result<(), String>| match kept {
            Ok(()) => terminal.styled(Style::Green, "yes   "),
            Err(_) => terminal.styled(Style::Red, "no    "),
        };
        let row = |finding: &Finding| {
            let (strict, portable) = (mark(&finding.strict), mark(&finding.portable));
            let row = format!(
                "{:promise$}  {:layers$}  {strict}  {portable}",
                finding.promise, finding.layers
            );
            row.trim_end().to_owned()
        };
        std::iter::once(terminal.styled(Style::Bold, heading))
            .chain(self.findings.iter().map(row))
            .collect()
    }

    /// Why promises are not kept in a tier. One reason for all is told once.
    fn reasons(&self, column: Column) -> Vec<String> {
        let broken: Vec<(&str, &str)> = self
            .findings
            .iter()
            .filter_map(|finding| Some((finding.promise, column(finding).as_ref().err()?.as_str())))
            .collect();
        match &broken[..] {
            [(_, first), _, ..] if broken.iter().all(|(_, why)| why == first) => {
                vec![format!("  {first}")]
            }
            _ => broken
                .iter()
                .map(|(promise, why)| format!("  {promise}: {why}"))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use snapbox::{assert_data_eq, str};

    use super::*;
    use crate::terminal::Voice;

    fn finding(
        promise: &'static str,
        strict: Result<(), &str>,
        portable: Result<(), &str>,
    ) -> Finding {
        Finding {
            promise,
            layers: "some layer",
            strict: strict.map_err(str::to_owned),
            portable: portable.map_err(str::to_owned),
        }
    }

    fn examination(findings: Vec<Finding>) -> Examination {
        Examination {
            findings,
            portable_takes_over: true,
            layers: vec![
                Layer {
                    name: "seccomp",
                    held: Ok(()),
                },
                Layer {
                    name: "namespaces",
                    held: Err("not permitted; ask for them".to_owned()),
                },
            ],
            facts: vec![Fact {
                name: "kernel",
                value: "6.18".to_owned(),
            }],
        }
    }

    #[track_caller]
    fn check(findings: Vec<Finding>, expected: Verdict) {
        assert_eq!(examination(findings).verdict(), expected);
    }

    #[test]
    fn a_call_gets_the_first_tier_that_can_be_had() {
        let (kept, gone) = (Ok(()), Err("not here"));
        check(
            vec![finding("a", kept, kept), finding("b", kept, gone)],
            Verdict::Strict,
        );
        check(
            vec![finding("a", gone, kept), finding("b", gone, gone)],
            Verdict::Portable,
        );
        check(
            vec![finding("a", kept, kept), finding("b", gone, kept)],
            Verdict::Broken,
        );
        check(vec![finding("a", gone, gone)], Verdict::Refused);
        let other_reason = Examination {
            portable_takes_over: false,
            ..examination(vec![finding("a", gone, kept)])
        };
        assert_eq!(other_reason.verdict(), Verdict::Refused);
        check(Vec::new(), Verdict::Refused);
    }

    #[test]
    fn the_table_is_followed_by_reasons_and_facts() {
        let findings = vec![
            finding("no network", Err("no namespaces"), Ok(())),
            finding(
                "modes cannot be changed",
                Err("no namespaces"),
                Err("a mode was changed"),
            ),
        ];
        let lines = examination(findings).lines(&Terminal::new(Voice::Normal));
        assert_data_eq!(
            lines.join("\n"),
            str![[r#"
promise                  layers      strict  portable
no network               some layer  no      yes
modes cannot be changed  some layer  no      no

Not kept in the strict tier
  no namespaces

Not kept in the portable tier
  modes cannot be changed: a mode was changed

Layers that cannot be had
  namespaces: not permitted; ask for them

This machine
  kernel  6.18

A call gets the portable tier here, with the gaps above.
"#]]
        );
    }

    #[test]
    fn as_json_it_has_the_same() {
        let findings = vec![finding("no network", Ok(()), Err("a socket worked"))];
        assert_eq!(
            examination(findings).json(),
            json!({
                "tier": "strict",
                "promises": [{
                    "promise": "no network",
                    "layers": "some layer",
                    "strict": {"kept": true},
                    "portable": {"kept": false, "why": "a socket worked"},
                }],
                "layers": [
                    {"name": "seccomp", "held": true},
                    {"name": "namespaces", "held": false, "why": "not permitted; ask for them"},
                ],
                "facts": {"kernel": "6.18"},
            })
        );
    }
}
