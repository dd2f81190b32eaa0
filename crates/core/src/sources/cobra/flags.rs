//! Joins the flags that a page prints with those that completion offers: which
//! there are, whose they are, and which a command cannot do without.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Evidence, Kind, Loss};
use crate::probe::{Probe, Question};
use crate::sources::complete::{self, OfferedFlag};
use crate::sources::help::{ListedFlag, Page, Section};
use crate::sources::oracle::{self, Complaint, Refusal};

use super::types;
use super::walk::{Harvest, Node, lacks_help};

/// How often a value that the parser refuses is replaced by a better one.
const MAX_TRIES: usize = 4;

/// A flag of one command, as printed and as offered.
#[derive(Debug, Clone)]
pub(super) struct Flag {
    /// Without dashes.
    pub name: String,
    pub listed: Option<ListedFlag>,
    pub offered: Option<OfferedFlag>,
    /// It comes from an ancestor.
    pub inherited: bool,
    /// What showed that the command does not run without it.
    pub required: Option<Evidence>,
}

/// The flags of every command.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// By the command's place in the harvest.
    pub flags: Vec<Vec<Flag>>,
    /// For each command, `--name=value` for the flags without which it offers
    /// nothing else.
    pub satisfied: Vec<Vec<String>>,
    /// What `--version` prints, if the program has it.
    pub version: Option<String>,
}

/// Completes what completion offers, then joins it with the pages.
pub(super) fn gather(harvest: &mut Harvest, probe: &mut dyn Probe) -> Gathered {
    let mut gathered = Gathered {
        satisfied: vec![Vec::new(); harvest.nodes.len()],
        ..Gathered::default()
    };
    let required = find_required(harvest, &mut gathered, probe);
    for index in 0..harvest.nodes.len() {
        let flags = join(harvest, index, &gathered.flags, &required);
        gathered.flags.push(flags);
    }
    gathered
}

// ---- required ones -----------------------------------------------------------

/// A command that has required flags offers only those until they are given.
struct Gate {
    node: usize,
    names: Vec<String>,
    values: BTreeMap<String, String>,
}

impl Gate {
    fn words(&self, except: Option<&str>) -> Vec<String> {
        self.names
            .iter()
            .filter(|name| Some(name.as_str()) != except)
            .map(|name| format!("--{name}={}", self.values[name]))
            .collect()
    }

    fn question(&self, harvest: &Harvest, except: Option<&str>) -> Question {
        Question::new(
            std::iter::once("__complete".to_owned())
                .chain(harvest.nodes[self.node].path.iter().cloned())
                .chain(self.words(except))
                .chain(std::iter::once("-".to_owned())),
        )
    }
}

/// The names that each command requires; adds the flags behind them to what it offers.
fn find_required(
    harvest: &mut Harvest,
    gathered: &mut Gathered,
    probe: &mut dyn Probe,
) -> BTreeMap<usize, BTreeSet<String>> {
    let mut closed: Vec<Gate> = (0..harvest.nodes.len())
        .filter(|&node| offers_too_little(harvest, node))
        .map(|node| gate(&harvest.nodes[node], node))
        .collect();
    let mut version = has_version(&harvest.nodes[0]);
    let mut open = Vec::new();
    for _ in 0..MAX_TRIES {
        if closed.is_empty() && !version {
            break;
        }
        let mut questions: Vec<Question> = closed
            .iter()
            .map(|gate| gate.question(harvest, None))
            .collect();
        if version {
            questions.push(Question::new(["--version"]));
        }
        let mut answers = probe.ask(&questions);
        if std::mem::take(&mut version)
            && let Some(Ok(answer)) = answers.pop()
            && answer.code == Some(0)
        {
            gathered.version =
                version_line(&answer.stdout).or_else(|| version_line(&answer.stderr));
        }
        let mut again = Vec::new();
        for (mut gate, answer) in closed.into_iter().zip(answers) {
            let Ok(answer) = answer else { continue };
            if let Some(Complaint::Refused { flag, reason, .. }) = oracle::complaint(&answer.stderr)
            {
                if let Some(value) = gate.values.get_mut(&flag) {
                    *value = better_value(&reason);
                    again.push(gate);
                }
                continue;
            }
            let Some(completion) = complete::parse(&answer.stdout) else {
                continue;
            };
            let offered = harvest.nodes[gate.node].offered.get_or_insert_default();
            let before = offered.len();
            for flag in completion.flags() {
                if !offered.iter().any(|known| known.long == flag.long) {
                    offered.push(flag);
                }
            }
            if offered.len() > before {
                open.push(gate);
            }
        }
        closed = again;
    }
    single_out(harvest, gathered, open, probe)
}

/// Several flags offered alone are each required, or it is enough to give one.
fn single_out(
    harvest: &Harvest,
    gathered: &mut Gathered,
    open: Vec<Gate>,
    probe: &mut dyn Probe,
) -> BTreeMap<usize, BTreeSet<String>> {
    let doubtful: Vec<(&Gate, &String)> = open
        .iter()
        .filter(|gate| gate.names.len() > 1)
        .flat_map(|gate| gate.names.iter().map(move |name| (gate, name)))
        .collect();
    let questions: Vec<Question> = doubtful
        .iter()
        .map(|(gate, name)| gate.question(harvest, Some(name)))
        .collect();
    let answers = if questions.is_empty() {
        Vec::new()
    } else {
        probe.ask(&questions)
    };
    let mut required: BTreeMap<usize, BTreeSet<String>> = open
        .iter()
        .map(|gate| (gate.node, gate.names.iter().cloned().collect()))
        .collect();
    for ((gate, name), answer) in doubtful.into_iter().zip(answers) {
        let Some(completion) = answer
            .ok()
            .and_then(|answer| complete::parse(&answer.stdout))
        else {
            continue;
        };
        let without_it = completion.flags();
        let still_closed = without_it.iter().any(|flag| flag.long == *name)
            && without_it
                .iter()
                .all(|flag| gate.names.contains(&flag.long));
        if !still_closed && let Some(names) = required.get_mut(&gate.node) {
            names.remove(name);
        }
    }
    for gate in &open {
        gathered.satisfied[gate.node] = gate.words(None);
    }
    required
}

fn offers_too_little(harvest: &Harvest, index: usize) -> bool {
    let node = &harvest.nodes[index];
    let Some(offered) = &node.offered else {
        return false;
    };
    if node.raw || offered.is_empty() {
        return false;
    }
    !node.offers_help()
        && (lacks_help(&harvest.nodes, index) || printed(node).any(|long| !node.offers(long)))
}

/// Long names that the page prints and completion would offer.
fn printed(node: &Node) -> impl Iterator<Item = &str> {
    node.page
        .iter()
        .flat_map(|page| &page.flags)
        .filter(|flag| flag.deprecated.is_none())
        .filter_map(|flag| flag.long.as_deref())
        .filter(|&long| long != "help" && long != "version")
}

fn gate(node: &Node, index: usize) -> Gate {
    let names: Vec<String> = node
        .offered
        .iter()
        .flatten()
        .map(|flag| flag.long.clone())
        .collect();
    let values = names
        .iter()
        .map(|name| {
            let listed = node
                .page
                .as_ref()
                .and_then(|page| find_listed(page, name))
                .and_then(|flag| flag.value_name.as_deref());
            (name.clone(), likely_value(listed).to_owned())
        })
        .collect();
    Gate {
        node: index,
        names,
        values,
    }
}

fn likely_value(value_name: Option<&str>) -> &'static str {
    match value_name.and_then(types::builtin) {
        Some(Kind::One(scalar) | Kind::List(scalar, _)) => types::sample(&scalar),
        Some(Kind::Map(_)) => "k=1",
        Some(Kind::Switch | Kind::Count | Kind::Line) | None => "1",
    }
}

fn better_value(reason: &str) -> String {
    if let Some(choice) = oracle::choices(reason).first() {
        return choice.clone();
    }
    match oracle::refusal(reason) {
        Refusal::Scalar(scalar) | Refusal::List(scalar, _) => types::sample(&scalar).to_owned(),
        Refusal::Map => "k=1".to_owned(),
        Refusal::GoFlag => "1".to_owned(),
        Refusal::Custom => "k=1".to_owned(),
    }
}

/// Whether `--version` of the root prints a version, by its own words: Cobra's does, and
/// one of another meaning would run the program.
fn has_version(root: &Node) -> bool {
    let listed = root
        .page
        .as_ref()
        .and_then(|page| find_listed(page, "version"));
    let text = match listed {
        Some(flag) if flag.value_name.is_some() => return false,
        Some(flag) => Some(&flag.text),
        None => root
            .offered
            .iter()
            .flatten()
            .find(|flag| flag.long == "version")
            .map(|flag| &flag.text),
    };
    text.is_some_and(|text| says_version(text))
}

/// `version for gh`, `Print version information and quit`, `show the version`.
fn says_version(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|char: char| !char.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    lower.starts_with("version for ")
        || (words.contains(&"version")
            && words.iter().any(|word| {
                ["print", "show", "display", "output", "report"]
                    .iter()
                    .any(|verb| {
                        word.strip_prefix(verb)
                            .is_some_and(|end| matches!(end, "" | "s"))
                    })
            }))
}

/// The line with a number in it: some programs print a banner above it.
fn version_line(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next()?;
    let numbered = lines.find(|line| line.contains(|char: char| char.is_ascii_digit()));
    Some(numbered.unwrap_or(first).to_owned())
}

// ---- joining -----------------------------------------------------------------

fn find_listed<'a>(page: &'a Page, long: &str) -> Option<&'a ListedFlag> {
    page.flags
        .iter()
        .find(|flag| flag.long.as_deref() == Some(long))
}

/// The flags of the command at `index`; `done` holds those of its ancestors.
fn join(
    harvest: &mut Harvest,
    index: usize,
    done: &[Vec<Flag>],
    required: &BTreeMap<usize, BTreeSet<String>>,
) -> Vec<Flag> {
    let node = &harvest.nodes[index];
    let is_root = index == 0;
    let above: &[Flag] = if is_root { &[] } else { &done[node.parent] };
    let known = knows_all(harvest, index);
    let has_inherited_section = node
        .page
        .iter()
        .flat_map(|page| &page.flags)
        .any(|flag| flag.section == Section::Inherited);
    let mut flags: Vec<Flag> = Vec::new();
    let mut unoffered: Vec<String> = Vec::new();

    for listed in node.page.iter().flat_map(|page| &page.flags) {
        let Some(name) = listed
            .long
            .clone()
            .or_else(|| listed.short.map(String::from))
        else {
            continue;
        };
        if flags.iter().any(|flag| flag.name == name) {
            continue;
        }
        let offered = offer(node, &name);
        if known && offered.is_none() && listed.deprecated.is_none() {
            if name != "help" && name != "version" {
                unoffered.push(name);
            }
            continue;
        }
        let inherited = !is_root
            && (listed.section == Section::Inherited
                || (!has_inherited_section && in_every_sibling(harvest, index, &name, above)));
        let from_above = inherited
            .then(|| same_above(above, &name, offered.as_ref()))
            .flatten();
        flags.push(Flag {
            listed: match from_above {
                Some(flag) => flag.listed.clone().or_else(|| Some(listed.clone())),
                None => Some(listed.clone()),
            },
            required: None,
            name,
            offered,
            inherited,
        });
    }
    for offered in node.offered.iter().flatten() {
        if flags.iter().any(|flag| flag.name == offered.long) {
            continue;
        }
        let from_above = same_above(above, &offered.long, Some(offered));
        let listed = match from_above {
            Some(flag) => flag.listed.clone(),
            None => harvest
                .elsewhere
                .iter()
                .find(|flag| flag.long.as_deref() == Some(&offered.long))
                .cloned(),
        };
        flags.push(Flag {
            name: offered.long.clone(),
            listed,
            offered: Some(offered.clone()),
            inherited: from_above.is_some(),
            required: None,
        });
    }
    flags.retain(|flag| !is_cobras_own(flag, is_root));
    let names = required.get(&index);
    for flag in &mut flags {
        flag.required = if names.is_some_and(|names| names.contains(&flag.name)) {
            Some(Evidence::Completion)
        } else {
            flag.listed
                .as_ref()
                .is_some_and(|flag| says_required(&flag.text))
                .then_some(Evidence::Help)
        };
    }
    if !unoffered.is_empty() {
        let what = format!(
            "printed on its page, but not offered by completion and left out: --{}",
            unoffered.join(", --")
        );
        let path = harvest.nodes[index].path.clone();
        harvest.losses.push(Loss { path, what });
    }
    flags
}

fn offer(node: &Node, name: &str) -> Option<OfferedFlag> {
    node.offered
        .iter()
        .flatten()
        .find(|flag| flag.long == name)
        .cloned()
}

/// The same flag of the parent: same name, and the same text where both are offered.
fn same_above<'a>(
    above: &'a [Flag],
    name: &str,
    offered: Option<&OfferedFlag>,
) -> Option<&'a Flag> {
    above
        .iter()
        .find(|flag| flag.name == name)
        .filter(|flag| match (&flag.offered, offered) {
            (Some(theirs), Some(ours)) => theirs.text == ours.text,
            _ => true,
        })
}

/// Whether completion knows every flag of the command, so that what only the page
/// has is no flag. A program whose completion is broken offers next to nothing.
fn knows_all(harvest: &Harvest, index: usize) -> bool {
    let node = &harvest.nodes[index];
    if node.offered.is_none() || lacks_help(&harvest.nodes, index) {
        return false;
    }
    if node.offers_help() {
        return true;
    }
    let (mut offered, mut all) = (0, 0);
    for long in printed(node) {
        all += 1;
        offered += usize::from(node.offers(long));
    }
    offered * 2 >= all && offered > 0
}

/// Where a template prints all flags in one section: a flag that the parent and all
/// of its children have in the same words was handed down.
fn in_every_sibling(harvest: &Harvest, index: usize, name: &str, above: &[Flag]) -> bool {
    let node = &harvest.nodes[index];
    let offered = offer(node, name);
    if offered.is_none() || same_above(above, name, offered.as_ref()).is_none() {
        return false;
    }
    let siblings: Vec<&Node> = harvest
        .nodes
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(other, sibling)| *other != index && sibling.parent == node.parent)
        .map(|(_, sibling)| sibling)
        .collect();
    !siblings.is_empty()
        && siblings
            .iter()
            .all(|sibling| offer(sibling, name) == offered)
}

/// `--help` and `--version` as Cobra adds them.
fn is_cobras_own(flag: &Flag, is_root: bool) -> bool {
    let takes_value = flag
        .listed
        .as_ref()
        .is_some_and(|listed| listed.value_name.is_some() || listed.default_quoted);
    match flag.name.as_str() {
        "help" => true,
        "version" if takes_value => false,
        "version" => {
            let text = flag
                .listed
                .as_ref()
                .map(|listed| listed.text.as_str())
                .or(flag.offered.as_ref().map(|offered| offered.text.as_str()))
                .unwrap_or_default();
            is_root || flag.inherited || text.starts_with("version for ")
        }
        _ => false,
    }
}

fn says_required(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.contains("(required)") || lower.contains("[required]")
}

#[cfg(test)]
mod tests {
    use super::says_version;

    #[test]
    fn a_version_flag_is_known_by_its_words() {
        for text in [
            "version for gh",
            "Print version information and quit",
            "Show gh version",
            "prints the version and exits",
        ] {
            assert!(says_version(text), "{text}");
        }
        for text in [
            "",
            "the chart version to install",
            "bump the version and publish",
            "Print everything",
        ] {
            assert!(!says_version(text), "{text}");
        }
    }
}
