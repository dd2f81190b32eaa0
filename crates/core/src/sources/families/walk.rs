//! Goes through a program's commands by their pages, level by level.
//!
//! Everything at one depth is asked in one batch. A page that is its parent's is that
//! of no command: most parsers print the parent's for a name that they do not know.

use std::collections::BTreeMap;

use super::{Ask, Listed, Manner, Page, Text, page_of};
use crate::model::{Family, Loss};
use crate::probe::{Answer, Probe, ProbeError, Question};
use crate::sources::help::text;

/// Deeper than any program; a page that lists itself ends here.
const MAX_DEPTH: usize = 8;
/// More commands than any program that can be read eagerly.
const MAX_COMMANDS: usize = 10_000;

/// One command as far as it was seen.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub path: Vec<String>,
    /// How its parent's page lists it.
    pub listed: Option<Listed>,
    /// Its page, if one could be had.
    pub page: Option<Page>,
    /// Index of its parent; the root is its own.
    parent: usize,
    /// The page as printed.
    text: String,
    rejected: bool,
}

/// What the walk brought home.
#[derive(Debug, Default)]
pub(super) struct Harvest {
    /// The root first, parents before their children.
    pub nodes: Vec<Node>,
    pub losses: Vec<Loss>,
}

struct Walk<'a> {
    name: &'a str,
    manner: Manner,
    nodes: Vec<Node>,
    known: BTreeMap<Vec<String>, usize>,
    /// Commands that are not asked, and why.
    unasked: Vec<usize>,
    losses: Vec<Loss>,
}

/// Walks the whole program, whose root printed `page`.
pub(super) fn walk(name: &str, manner: Manner, page: &str, probe: &mut dyn Probe) -> Harvest {
    let mut walk = Walk {
        name,
        manner,
        nodes: vec![Node::default()],
        known: BTreeMap::from([(Vec::new(), 0)]),
        unasked: Vec::new(),
        losses: Vec::new(),
    };
    walk.take(0, page);
    walk.look_up(probe);
    let mut level = walk.children(0);
    let askable = manner.ask != Ask::Never && (!manner.runs_parents || probe.is_guarded());
    while !level.is_empty() {
        if !askable {
            walk.unasked.append(&mut level);
            break;
        }
        let (left, level_asked): (Vec<usize>, Vec<usize>) = level.iter().partition(|node| {
            walk.nodes[**node]
                .listed
                .as_ref()
                .is_some_and(|it| it.unasked)
        });
        walk.unasked.extend(left);
        let asked: Vec<(usize, Question)> = level_asked
            .iter()
            .filter_map(|&node| Some((node, manner.ask.question(&walk.nodes[node].path)?)))
            .collect();
        let (nodes, questions): (Vec<usize>, Vec<Question>) = asked.into_iter().unzip();
        let answers = probe.ask(&questions);
        level = Vec::new();
        for (node, answer) in nodes.into_iter().zip(answers) {
            walk.judge(node, answer);
            level.extend(walk.children(node));
        }
    }
    walk.finish()
}

impl Walk<'_> {
    /// Reads `page` as that of `node`.
    fn take(&mut self, node: usize, page: &str) {
        let plain = text::plain(page);
        let lines: Vec<&str> = plain.lines().map(str::trim_end).collect();
        let read = (self.manner.page)(&Text {
            lines: &lines,
            program: self.name,
            path: &self.nodes[node].path,
        });
        self.nodes[node].page = Some(read);
        self.nodes[node].text = page.to_owned();
    }

    /// Adds the commands that only further questions show.
    fn look_up(&mut self, probe: &mut dyn Probe) {
        let Some(index) = super::index(self.manner.family) else {
            return;
        };
        let questions: Vec<Question> = index
            .questions
            .iter()
            .map(|words| Question::new(words.iter().copied()))
            .collect();
        let answers = probe.ask(&questions);
        let texts: Vec<&str> = answers
            .iter()
            .map(|answer| answer.as_ref().map_or("", |answer| answer.stdout.as_str()))
            .collect();
        let found = (index.read)(&texts);
        if let Some(page) = self.nodes[0].page.as_mut().filter(|_| !found.is_empty()) {
            page.commands = found;
        }
    }

    /// What `answer` shows of `node`.
    fn judge(&mut self, node: usize, answer: Result<Answer, ProbeError>) {
        let page = match &answer {
            // A transcript has every command that was found when it was made.
            Err(ProbeError::NotRecorded) => {
                self.nodes[node].rejected = true;
                return;
            }
            Err(error) => Err(error.to_string()),
            Ok(answer) if is_complaint(self.manner.family, answer) => {
                Err("complained instead of printing it".to_owned())
            }
            Ok(answer) => page_of(answer).ok_or_else(|| "printed no help".to_owned()),
        };
        match page {
            Err(why) => self.lose(
                node,
                format!("its help page was not had: it {why}; no flag or argument of it is known"),
            ),
            Ok(page) => {
                let mut above = self.nodes[node].parent;
                // The page of any command above it says the same.
                loop {
                    if self.nodes[above].text.trim() == page.trim() {
                        self.nodes[node].rejected = true;
                        return;
                    }
                    if above == 0 {
                        break;
                    }
                    above = self.nodes[above].parent;
                }
                self.take(node, page);
            }
        }
    }

    /// Adds the commands that the page of `node` lists, and gives their numbers.
    fn children(&mut self, node: usize) -> Vec<usize> {
        let Some(page) = &self.nodes[node].page else {
            return Vec::new();
        };
        let path = self.nodes[node].path.clone();
        if page.commands.is_empty() || path.len() >= MAX_DEPTH {
            return Vec::new();
        }
        let mut found = Vec::new();
        for listed in page.commands.clone() {
            if !is_askable(&listed.name) || self.nodes.len() >= MAX_COMMANDS {
                continue;
            }
            let mut path = path.clone();
            // `apps` lists `apps:create`, which is one word and stands beside it.
            let whole = path.last().is_some_and(|topic| {
                let rest = listed.name.strip_prefix(topic.as_str());
                rest.is_some_and(|rest| rest.starts_with(':'))
            });
            if whole {
                path.pop();
            }
            path.push(listed.name.clone());
            let number = self.nodes.len();
            if self.known.contains_key(&path) {
                continue;
            }
            self.known.insert(path.clone(), number);
            self.nodes.push(Node {
                path,
                parent: node,
                listed: Some(listed),
                ..Node::default()
            });
            found.push(number);
        }
        found
    }

    /// Whether its list says that it is not to be asked.
    fn by_choice(&self, node: usize) -> bool {
        let listed = self.nodes[node].listed.as_ref();
        listed.is_some_and(|listed| listed.unasked)
    }

    fn lose(&mut self, node: usize, what: String) {
        self.losses.push(Loss {
            path: self.nodes[node].path.clone(),
            what,
        });
    }

    fn finish(mut self) -> Harvest {
        if !self.unasked.is_empty() {
            let names: Vec<String> = self
                .unasked
                .iter()
                .map(|node| self.nodes[*node].path.join(" "))
                .collect();
            let why = match self.manner.ask {
                _ if self.unasked.iter().any(|node| self.by_choice(*node)) => {
                    "asking them could run them"
                }
                Ask::Never => "asking them could run them",
                _ => "asking them runs code of the program, and there is no sandbox here",
            };
            self.lose(
                0,
                format!(
                    "these commands are known by name alone, because {why}: {}",
                    names.join(", ")
                ),
            );
        }
        if self.nodes.len() >= MAX_COMMANDS {
            self.lose(
                0,
                format!("only the first {MAX_COMMANDS} commands were read"),
            );
        }
        let mut nodes: Vec<Node> = self
            .nodes
            .into_iter()
            .filter(|node| !node.rejected)
            .collect();
        // Parents before their children, and each with its own behind it.
        let order: BTreeMap<Vec<String>, usize> = nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (node.path.clone(), at))
            .collect();
        nodes.sort_by_cached_key(|node| {
            (1..=node.path.len())
                .map(|end| order.get(&node.path[..end]).copied().unwrap_or(usize::MAX))
                .collect::<Vec<usize>>()
        });
        Harvest {
            nodes,
            losses: self.losses,
        }
    }
}

/// Whether an answer is what these parsers say of a wrong line: it has a usage too, but
/// not the command's.
fn is_complaint(family: Family, answer: &Answer) -> bool {
    let succeeds = matches!(
        family,
        Family::Clap | Family::Argparse | Family::Optparse | Family::Click
    );
    succeeds && answer.code != Some(0) && answer.stdout.trim().is_empty()
}

/// Whether a name can be put to a program as a word without meaning anything else.
fn is_askable(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_.:+@/".contains(c);
    name.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && name.chars().all(plain)
        && name.len() <= 64
        && name != "help"
}
