//! Goes through a program's commands, asking each for its flags and its page.
//!
//! Everything that can be asked at a moment is asked in one batch, so commands of
//! different depth move on together. The order of questions to one command is what
//! keeps the walk harmless: a command that parses no flags would RUN on `--help`,
//! so completion is asked first and such a command is asked through `help PATH`.

use std::collections::BTreeMap;

use crate::model::Loss;
use crate::probe::{Answer, Probe, ProbeError, Question};
use crate::sources::complete::{self, Completion, OfferedFlag};
use crate::sources::help::{self, ListedCommand, ListedFlag, Page, Style};
use crate::sources::oracle;

/// Why a walk ended at the root.
#[derive(Debug)]
pub(super) enum Stop {
    /// Its root page could not be had, for this reason.
    NoHelp(String),
    /// Neither its completion nor its page is Cobra's: it only has Cobra linked in.
    NotCobra,
}

/// Deeper than any program; a page that lists itself ends here.
const MAX_DEPTH: usize = 12;
/// More commands than any program that can be read eagerly.
const MAX_COMMANDS: usize = 20_000;

/// One command as far as it was seen.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub path: Vec<String>,
    /// Index of its parent; the root is its own.
    pub parent: usize,
    /// How its parent's page lists it.
    pub listed: Option<ListedCommand>,
    /// Cobra's own completion of `help` names it: a command for certain.
    pub certain: bool,
    /// Its page, if one could be had.
    pub page: Option<Page>,
    /// The page as printed.
    pub text: String,
    /// Flags that completion offers, in order; nothing if it does not answer.
    pub offered: Option<Vec<OfferedFlag>>,
    /// It parses no flags (DisableFlagParsing).
    pub raw: bool,
    /// Only a manual's text mentions it: completion must show that it exists.
    pub mentioned: bool,
    /// It turned out not to be a command.
    pub rejected: bool,
}

impl Node {
    /// Whether completion offers `--help`.
    pub fn offers_help(&self) -> bool {
        self.offers("help")
    }

    /// Whether completion offers the flag `--long`.
    pub fn offers(&self, long: &str) -> bool {
        self.offered
            .as_deref()
            .is_some_and(|flags| flags.iter().any(|flag| flag.long == long))
    }
}

/// What the walk brought home.
#[derive(Debug)]
pub(super) struct Harvest {
    /// The root first, parents before their children.
    pub nodes: Vec<Node>,
    /// Whether completion answers at all.
    pub completes: bool,
    /// Whether completion parses the flags before the word it completes. Cobra 1.0
    /// does not.
    pub parses: bool,
    /// Flags on a page of their own that the root page points to.
    pub elsewhere: Vec<ListedFlag>,
    pub losses: Vec<Loss>,
}

/// What is asked of one command next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    /// `__complete PATH -`
    Flags,
    /// `__complete PATH --help="@ -`: does it parse flags at all?
    Parses,
    /// `PATH --help`, or `help PATH`
    Page,
    /// `__complete help PATH ""`
    Children,
    /// `__complete ""`: of the root alone, and only where its page is a manual and
    /// `help` is not Cobra's, so that nothing else names the commands.
    Names,
    /// `help WORDS`, where the root page says that global flags are listed.
    Elsewhere,
}

/// What names a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Its parent's page lists it.
    Listed,
    /// Cobra itself names it.
    Certain,
    /// Its parent's manual mentions it.
    Mentioned,
}

struct Walk<'a> {
    name: &'a str,
    nodes: Vec<Node>,
    by_path: BTreeMap<Vec<String>, usize>,
    next: Vec<(usize, Ask)>,
    elsewhere_words: Vec<String>,
    /// `help` is a command of the program's own: its completion names no commands.
    own_help: bool,
    harvest: Harvest,
}

/// Walks the whole program. Without `completion` only help pages are asked for.
pub(super) fn walk(name: &str, probe: &mut dyn Probe, completion: bool) -> Result<Harvest, Stop> {
    let mut walk = Walk {
        name,
        nodes: vec![Node::default()],
        by_path: BTreeMap::from([(Vec::new(), 0)]),
        next: if completion {
            vec![(0, Ask::Flags), (0, Ask::Parses)]
        } else {
            vec![(0, Ask::Page)]
        },
        elsewhere_words: Vec::new(),
        own_help: false,
        harvest: Harvest {
            nodes: Vec::new(),
            completes: completion,
            parses: false,
            elsewhere: Vec::new(),
            losses: Vec::new(),
        },
    };
    while !walk.next.is_empty() {
        let batch = std::mem::take(&mut walk.next);
        let questions: Vec<Question> = batch
            .iter()
            .map(|&(node, ask)| walk.question(node, ask))
            .collect();
        let answers = probe.ask(&questions);
        walk.take_flags(&batch, &answers);
        for (&(node, ask), answer) in batch.iter().zip(answers) {
            match ask {
                Ask::Flags => walk.after_flags(node),
                Ask::Parses => walk.after_parses(node, answer),
                Ask::Page => walk.after_page(node, answer)?,
                Ask::Children | Ask::Names => walk.after_names(node, ask, answer),
                Ask::Elsewhere => walk.after_elsewhere(answer),
            }
        }
    }
    Ok(walk.finish())
}

impl Walk<'_> {
    fn question(&self, node: usize, ask: Ask) -> Question {
        let Node { path, raw, .. } = &self.nodes[node];
        let path = path.iter().map(String::as_str);
        let words = |before: &[&'static str], after: &[&str]| {
            Question::new(
                before
                    .iter()
                    .copied()
                    .chain(path.clone())
                    .chain(after.iter().copied()),
            )
        };
        match ask {
            Ask::Flags => words(&["__complete"], &["-"]),
            Ask::Parses => words(
                &["__complete"],
                &[format!("--help={}", oracle::BAD).as_str(), "-"],
            ),
            Ask::Page if *raw => words(&["help"], &[]),
            Ask::Page => words(&[], &["--help"]),
            Ask::Children => words(&["__complete", "help"], &[""]),
            Ask::Names => words(&["__complete"], &[""]),
            Ask::Elsewhere => Question::new(
                std::iter::once("help".to_owned()).chain(self.elsewhere_words.clone()),
            ),
        }
    }

    /// All answers about flags are taken before any is judged: whether a missing
    /// `--help` means something depends on the other commands.
    fn take_flags(&mut self, batch: &[(usize, Ask)], answers: &[Result<Answer, ProbeError>]) {
        for (&(node, ask), answer) in batch.iter().zip(answers) {
            if ask != Ask::Flags {
                continue;
            }
            let completion = answer.as_ref().ok().and_then(|answer| {
                if answer.stderr.contains("Unable to find a command") {
                    self.nodes[node].rejected = node != 0;
                }
                complete::parse(&answer.stdout)
            });
            self.nodes[node].offered = completion.map(|completion| completion.flags());
            if self.nodes[node].mentioned {
                self.nodes[node].certain = self.answers_for_itself(node);
                self.nodes[node].rejected = !self.nodes[node].certain;
            }
            if node == 0 && self.nodes[0].offered.is_none() {
                self.harvest.completes = false;
            }
        }
    }

    /// Whether completion calls `--help` by the command's own name, as Cobra does, and
    /// not by that of its parent.
    fn answers_for_itself(&self, node: usize) -> bool {
        let node = &self.nodes[node];
        let expected = node.path.last().map(|name| format!("help for {name}"));
        node.offered
            .iter()
            .flatten()
            .any(|flag| flag.long == "help" && Some(&flag.text) == expected.as_ref())
    }

    fn after_flags(&mut self, node: usize) {
        // The root is asked whether it parses flags in any case.
        if node == 0 || self.nodes[node].rejected {
            return;
        }
        let doubtful = self.nodes[node].offered.is_some()
            && (!self.harvest.parses
                || lacks_help(&self.nodes, node)
                || !self.has_flags_of_its_own(node));
        self.next
            .push((node, if doubtful { Ask::Parses } else { Ask::Page }));
    }

    /// Whether completion offers anything that its parent does not have. A command
    /// that parses no flags seldom declares any, and before Cobra 1.8 nothing else
    /// tells it from others.
    fn has_flags_of_its_own(&self, node: usize) -> bool {
        let own = &self.nodes[node];
        let parent = &self.nodes[own.parent];
        own.offered.iter().flatten().any(|flag| {
            flag.long != "help"
                && flag.long != "version"
                && (node == 0 || !parent.offers(&flag.long))
        })
    }

    fn after_parses(&mut self, node: usize, answer: Result<Answer, ProbeError>) {
        let complains = match &answer {
            Ok(answer) => oracle::complaint(&answer.stderr).is_some(),
            Err(ProbeError::NotRecorded) => true,
            // What does not answer a harmless question is not asked a harmful one.
            Err(_) => false,
        };
        self.harvest.parses |= complains;
        self.nodes[node].raw = !complains && self.nodes[node].offered.is_some();
        self.next.push((node, Ask::Page));
    }

    fn after_page(&mut self, node: usize, answer: Result<Answer, ProbeError>) -> Result<(), Stop> {
        // A transcript has every command that was found when it was made.
        let unheard_of = answer == Err(ProbeError::NotRecorded) && node != 0;
        if unheard_of && !self.nodes[node].certain && self.nodes[node].offered.is_none() {
            self.nodes[node].rejected = true;
            return Ok(());
        }
        match self.page(node, answer) {
            Ok((page, text)) => {
                if node == 0 && !self.harvest.completes && !help::is_cobras(&text, self.name) {
                    return Err(Stop::NotCobra);
                }
                if !self.is_command(node, &page, &text) {
                    self.nodes[node].rejected = true;
                    return Ok(());
                }
                for listed in &page.commands {
                    self.discover(node, listed.clone(), Known::Listed);
                }
                if node == 0
                    && let Some(words) = flags_elsewhere(&text, self.name)
                {
                    self.elsewhere_words = words;
                    self.next.push((0, Ask::Elsewhere));
                }
                let may_have_children = node == 0
                    || !page.commands.is_empty()
                    || page.style == Style::Other
                    || page.usage.is_empty();
                self.nodes[node].page = Some(page);
                self.nodes[node].text = text;
                if self.harvest.completes && may_have_children && !self.own_help {
                    self.next.push((node, Ask::Children));
                }
            }
            Err(why) if node == 0 => {
                return Err(Stop::NoHelp(why));
            }
            Err(why) => {
                self.lose(node, format!("its help page was not had: it {why}"));
                if self.harvest.completes {
                    self.next.push((node, Ask::Children));
                }
            }
        }
        Ok(())
    }

    /// The page in an answer, or why there is none, as the end of a sentence that
    /// opens with the command.
    fn page(
        &self,
        node: usize,
        answer: Result<Answer, ProbeError>,
    ) -> Result<(Page, String), String> {
        let answer = answer.map_err(|error| error.to_string())?;
        let text = if answer.stdout.trim().is_empty() {
            answer.stderr
        } else {
            answer.stdout
        };
        let page = help::parse(&text, self.name, &self.nodes[node].path);
        let is_help = !page.usage.is_empty() || page.flags.len() >= 2 || !page.commands.is_empty();
        if is_help || (answer.code == Some(0) && !text.trim().is_empty()) {
            return Ok((page, text));
        }
        Err(match (answer.code, text.trim().lines().next()) {
            (Some(0), _) => "printed nothing".to_owned(),
            (Some(code), Some(line)) => format!("ended with code {code}: {line}"),
            (Some(code), None) => format!("ended with code {code}"),
            (None, _) => "was ended by a signal".to_owned(),
        })
    }

    /// Whether a page is a command's own. A command that completion of `help` names
    /// needs no such proof, and may print a manual.
    fn is_command(&self, node: usize, page: &Page, text: &str) -> bool {
        if node == 0 || self.nodes[node].certain {
            return true;
        }
        // Cobra prints the parent's page for a child that does not exist.
        let parents = text.trim() == self.nodes[self.nodes[node].parent].text.trim();
        // A help topic prints its text and nothing to call.
        let topic = page.usage.is_empty() && page.flags.is_empty() && page.commands.is_empty();
        !parents && !topic
    }

    fn after_names(&mut self, node: usize, ask: Ask, answer: Result<Answer, ProbeError>) {
        let completion = answer
            .ok()
            .and_then(|answer| complete::parse(&answer.stdout))
            .unwrap_or_default();
        if node == 0 && ask == Ask::Children && !self.is_help_of_cobra(&completion) {
            self.own_help = true;
            return;
        }
        let mut named = false;
        for candidate in completion.names() {
            let listed = ListedCommand {
                name: candidate.word.clone(),
                group: None,
                summary: candidate.text.clone(),
            };
            named = true;
            self.discover(node, listed, Known::Certain);
        }
        let is_manual = self.nodes[node]
            .page
            .as_ref()
            .is_some_and(|page| page.style == Style::Other && page.commands.is_empty());
        if named || !is_manual {
            return;
        }
        if node == 0 && ask == Ask::Children {
            self.next.push((0, Ask::Names));
        } else if node != 0 {
            for name in mentioned(&self.nodes[node].text, self.name, &self.nodes[node].path) {
                let listed = ListedCommand {
                    name,
                    ..ListedCommand::default()
                };
                self.discover(node, listed, Known::Mentioned);
            }
        }
    }

    /// Whether completion of `help` names the program's commands. A `help` of the
    /// program's own may have commands of its own, as rclone's has.
    fn is_help_of_cobra(&self, completion: &Completion) -> bool {
        let listed: Vec<&ListedCommand> = self.nodes[0]
            .page
            .iter()
            .flat_map(|page| &page.commands)
            .filter(|listed| !is_cobras_own(0, listed))
            .collect();
        let named = listed
            .iter()
            .filter(|listed| completion.names().any(|name| name.word == listed.name))
            .count();
        named * 2 >= listed.len()
    }

    fn after_elsewhere(&mut self, answer: Result<Answer, ProbeError>) {
        if let Ok(answer) = answer
            && answer.code == Some(0)
        {
            self.harvest.elsewhere =
                help::parse(&answer.stdout, self.name, &self.elsewhere_words).flags;
        }
    }

    /// A child of `parent` that something names.
    fn discover(&mut self, parent: usize, listed: ListedCommand, known: Known) {
        let depth = self.nodes[parent].path.len();
        if is_cobras_own(depth, &listed) || !is_word(&listed.name) {
            return;
        }
        let mut path = self.nodes[parent].path.clone();
        path.push(listed.name.clone());
        if let Some(&node) = self.by_path.get(&path) {
            self.nodes[node].certain |= known == Known::Certain;
            return;
        }
        if path.len() > MAX_DEPTH || self.nodes.len() >= MAX_COMMANDS {
            self.lose(
                parent,
                format!("`{}` was not read: too deep or too many", listed.name),
            );
            return;
        }
        let node = self.nodes.len();
        self.by_path.insert(path.clone(), node);
        self.nodes.push(Node {
            path,
            parent,
            listed: Some(listed),
            certain: known == Known::Certain,
            mentioned: known == Known::Mentioned,
            ..Node::default()
        });
        let first = if self.harvest.completes {
            Ask::Flags
        } else {
            Ask::Page
        };
        self.next.push((node, first));
    }

    fn lose(&mut self, node: usize, what: String) {
        self.harvest.losses.push(Loss {
            path: self.nodes[node].path.clone(),
            what,
        });
    }

    /// The commands that stood the test, in the order of the tree.
    fn finish(mut self) -> Harvest {
        if !self.harvest.parses {
            // Nobody complained, so silence says nothing of a single command.
            for node in &mut self.nodes {
                node.raw = false;
            }
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            if !node.rejected {
                children[node.parent].push(index);
            }
        }
        let mut order = Vec::new();
        let mut stack = vec![0];
        while let Some(index) = stack.pop() {
            order.push(index);
            stack.extend(children[index].iter().rev());
        }
        let mut place = vec![0; self.nodes.len()];
        for (position, &index) in order.iter().enumerate() {
            place[index] = position;
        }
        let nodes = order
            .iter()
            .map(|&index| {
                let mut node = std::mem::take(&mut self.nodes[index]);
                node.parent = place[node.parent];
                node
            })
            .collect();
        Harvest {
            nodes,
            ..self.harvest
        }
    }
}

/// Whether completion does not offer `--help` although it does for most of the
/// command's siblings: it has required flags, or parses none. docker and podman hide
/// `--help` of nearly all commands, which says nothing.
pub(super) fn lacks_help(nodes: &[Node], index: usize) -> bool {
    let node = &nodes[index];
    if node.offers_help() {
        return false;
    }
    let (mut offering, mut all) = (0, 0);
    for (other, sibling) in nodes.iter().enumerate() {
        if other != index
            && other != 0
            && sibling.parent == node.parent
            && sibling.offered.is_some()
        {
            all += 1;
            offering += usize::from(sibling.offers_help());
        }
    }
    offering * 2 > all || (all == 0 && nodes[node.parent].offers_help())
}

/// Words that follow the command in its manual, where they could be subcommands:
/// `import` in `git lfs migrate import [options]`.
fn mentioned(text: &str, program: &str, path: &[String]) -> Vec<String> {
    const MAX_CANDIDATES: usize = 24;
    // `git-lfs` calls itself `git lfs` in its manual.
    let called = program.rsplit('-').next().unwrap_or(program);
    let mut names: Vec<String> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line
            .split_whitespace()
            .map(|word| word.trim_matches(['`', '*', '\'', '"', ',', '.', ':', '(', ')']))
            .collect();
        for (at, window) in words.windows(path.len() + 2).enumerate() {
            let (own, rest) = window.split_at(1);
            let calls = own[0] == program || own[0] == called;
            let candidate = rest[path.len()];
            let plausible = candidate.starts_with(|char: char| char.is_ascii_lowercase())
                && candidate
                    .chars()
                    .all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-');
            if calls
                && at < 8
                && rest[..path.len()] == *path
                && plausible
                && names.len() < MAX_CANDIDATES
                && !names.iter().any(|known| known == candidate)
            {
                names.push(candidate.to_owned());
            }
        }
    }
    names
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('-') && !name.contains(char::is_whitespace)
}

/// The commands that Cobra adds by itself: none of the program's own.
fn is_cobras_own(depth: usize, listed: &ListedCommand) -> bool {
    match listed.name.as_str() {
        "help" => true,
        "completion" => {
            let summary = listed.summary.to_lowercase();
            depth == 0 && (summary.is_empty() || summary.contains("complet"))
        }
        name => name.starts_with("__complete"),
    }
}

/// The words after `help` in a line like `Use "rclone help flags" to see the
/// global flags.`
fn flags_elsewhere(text: &str, program: &str) -> Option<Vec<String>> {
    let opening = format!("use \"{program} help ");
    text.lines().find_map(|line| {
        let lower = line.trim().to_lowercase();
        let (words, rest) = lower.strip_prefix(&opening)?.split_once('"')?;
        let about_flags = rest.contains("global") || rest.contains("flags");
        let plain = !words.is_empty() && !words.contains(['[', '<', '-']);
        (about_flags && plain).then(|| words.split_whitespace().map(str::to_owned).collect())
    })
}
