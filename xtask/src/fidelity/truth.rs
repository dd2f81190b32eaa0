//! What a program says of itself: its completion and its parser, asked in full.

use std::collections::{BTreeMap, BTreeSet};

use argway_core::probe::{Answer, Probe, ProbeError, Question};
use argway_core::sources::oracle::{self, Complaint};
use argway_core::sources::transcript::Transcript;
use argway_core::sources::{complete, help};

use super::Asked;

pub(super) type CommandPath = Vec<String>;

/// What the program says of itself.
#[derive(Default)]
pub(super) struct Truth {
    pub commands: BTreeSet<CommandPath>,
    /// Offered flags with their texts.
    pub flags: BTreeMap<CommandPath, BTreeMap<String, String>>,
    /// Flags that the program needs before it offers others.
    pub satisfied: BTreeMap<CommandPath, Vec<String>>,
    /// What the parser says, by name and text.
    pub values: BTreeMap<(String, String), Verdict>,
}

#[derive(Debug, Clone)]
pub(super) struct Verdict {
    pub path: CommandPath,
    pub needs_value: bool,
    pub refused: Option<String>,
    pub repeatable: Option<bool>,
}

fn is_own_of_cobra(path: &[String], text: &str) -> bool {
    path.iter().any(|word| word == "help")
        || (path.first().is_some_and(|word| word == "completion")
            && text.to_lowercase().contains("complet"))
}

impl Truth {
    pub(super) fn of_transcript(name: &str, transcript: &Transcript) -> Self {
        let mut truth = Truth::default();
        let mut probe = transcript.clone();
        let paths = transcript.paths();
        let page = |probe: &mut Transcript, path: &[String]| {
            let question = Question::new(
                path.iter()
                    .cloned()
                    .chain(std::iter::once("--help".to_owned())),
            );
            match probe.ask(&[question]).pop() {
                Some(Ok(answer)) => Some(answer),
                _ => None,
            }
        };
        for path in paths {
            let Some(answer) = page(&mut probe, &path) else {
                continue;
            };
            let text = format!("{}{}", answer.stdout, answer.stderr);
            let parent = path
                .split_last()
                .and_then(|(_, parent)| page(&mut probe, parent))
                .map(|answer| answer.stdout);
            let read = help::parse(&text, name, &path);
            let nothing_to_call =
                read.usage.is_empty() && read.flags.is_empty() && read.commands.is_empty();
            let lost = probe
                .ask(&[flags_question(&path, &[])])
                .pop()
                .and_then(Result::ok)
                .is_some_and(|answer| answer.stderr.contains("Unable to find a command"));
            let listed_as_topic = path.split_last().is_some_and(|(word, above)| {
                let text = parent.as_deref().unwrap_or_default();
                help::parse(text, name, above)
                    .topics
                    .iter()
                    .any(|topic| topic.name == *word)
            });
            let topic = (nothing_to_call || listed_as_topic) && !named_by_help(&mut probe, &path);
            let own = is_own_of_cobra(&path, &text);
            if !(topic || own || lost || parent.as_deref() == Some(&text)) {
                truth.commands.insert(path);
            }
        }
        truth
    }

    pub(super) fn of_program(name: &str, asked: &Asked, probe: &mut dyn Probe) -> Self {
        let mut truth = Truth::default();
        truth.commands.insert(Vec::new());
        let mut level: Vec<CommandPath> = vec![Vec::new()];
        let mut replaced = false;
        while !level.is_empty() {
            let questions: Vec<Question> =
                level.iter().map(|path| children_question(path)).collect();
            let answers = probe.ask(&questions);
            let mut next = Vec::new();
            for (path, answer) in level.iter().zip(answers) {
                let mut names: Vec<(String, String)> = answer
                    .ok()
                    .and_then(|answer| complete::parse(&answer.stdout))
                    .map(|completion| {
                        completion
                            .names()
                            .map(|name| (name.word.clone(), name.text.clone()))
                            .collect()
                    })
                    .unwrap_or_default();
                if path.is_empty() {
                    // A `help` of the program's own names other things, or nothing.
                    let listed = listed_children(name, path, asked);
                    let common = listed
                        .iter()
                        .filter(|known| names.iter().any(|name| name.0 == known.0));
                    replaced = names.is_empty() || common.count() * 2 < listed.len();
                }
                if replaced {
                    names = listed_children(name, path, asked);
                    if names.is_empty() && path.is_empty() {
                        names = root_names(probe);
                    }
                }
                for (word, text) in names {
                    let mut child = path.clone();
                    child.push(word);
                    if !is_own_of_cobra(&child, &text) && truth.commands.insert(child.clone()) {
                        next.push(child);
                    }
                }
            }
            level = next;
        }
        truth
    }

    /// Every flag that any answer offered.
    pub(super) fn see_flags(&mut self, asked: &Asked) {
        for (question, answer) in asked {
            let Some((path, given)) = flags_asked(&question.words) else {
                continue;
            };
            let Ok(answer) = answer else { continue };
            if !self.commands.contains(path) {
                continue;
            }
            let Some(completion) = complete::parse(&answer.stdout) else {
                continue;
            };
            let known = self.flags.entry(path.to_vec()).or_default();
            let opened = completion
                .flags()
                .iter()
                .any(|flag| !known.is_empty() && !known.contains_key(&flag.long));
            if opened && given.iter().all(|word| word.contains('=')) {
                self.satisfied.insert(path.to_vec(), given.to_vec());
            }
            for flag in completion.flags() {
                known.entry(flag.long).or_insert(flag.text);
            }
        }
    }

    /// Commands below a manual's are named by nothing but text; Cobra shows that one
    /// exists by naming it in the text of its `--help`.
    pub(super) fn see_nested(&mut self, asked: &Asked) {
        for (question, answer) in asked {
            let (Some((path, [])), Ok(answer)) = (flags_asked(&question.words), answer) else {
                continue;
            };
            let Some((name, parent)) = path.split_last() else {
                continue;
            };
            let itself = complete::parse(&answer.stdout).is_some_and(|completion| {
                completion
                    .flags()
                    .iter()
                    .any(|flag| flag.long == "help" && flag.text == format!("help for {name}"))
            });
            if itself && !parent.is_empty() && self.commands.contains(parent) {
                self.commands.insert(path.to_vec());
            }
        }
    }

    /// On a live program the reader's questions are not relied on.
    pub(super) fn ask_all_flags(&mut self, probe: &mut dyn Probe) {
        let paths: Vec<CommandPath> = self.commands.iter().cloned().collect();
        let questions: Vec<Question> = paths.iter().map(|path| flags_question(path, &[])).collect();
        let answers = probe.ask(&questions);
        let asked: Asked = questions.into_iter().zip(answers).collect();
        self.see_flags(&asked);
    }

    /// Puts each flag with its own words to the parser once.
    pub(super) fn ask_values(&mut self, probe: &mut dyn Probe) {
        // Completion of Cobra 1.0 parses nothing: its silence is no answer.
        let control = flags_question(&[], &[format!("--help={}", oracle::BAD)]);
        if let Some(Ok(answer)) = probe.ask(&[control]).pop()
            && oracle::complaint(&answer.stderr).is_none()
        {
            return;
        }
        let mut subjects: BTreeMap<(String, String), CommandPath> = BTreeMap::new();
        for (path, flags) in &self.flags {
            for (name, text) in flags {
                if name != "help" && name != "version" {
                    subjects
                        .entry((name.clone(), text.clone()))
                        .or_insert_with(|| path.clone());
                }
            }
        }
        let mut questions = Vec::new();
        for ((name, _), path) in &subjects {
            let satisfied: Vec<String> = self
                .satisfied
                .get(path)
                .into_iter()
                .flatten()
                .filter(|word| !word.starts_with(&format!("--{name}=")))
                .cloned()
                .collect();
            for word in [
                format!("--{name}"),
                format!("--{name}={}", oracle::BAD),
                format!("--{name}=1"),
            ] {
                let mut given = satisfied.clone();
                given.push(word);
                questions.push(flags_question(path, &given));
            }
        }
        let answers = probe.ask(&questions);
        for (((name, text), path), three) in subjects.into_iter().zip(answers.chunks(3)) {
            if let Some(verdict) = verdict(&name, path, three) {
                self.values.insert((name, text), verdict);
            }
        }
    }
}

fn verdict(
    name: &str,
    path: CommandPath,
    answers: &[Result<Answer, ProbeError>],
) -> Option<Verdict> {
    let [bare, bad, again] = answers else {
        return None;
    };
    let bare = bare.as_ref().ok()?;
    let bad = bad.as_ref().ok()?;
    let needs_value = match oracle::complaint(&bare.stderr) {
        Some(Complaint::NeedsArgument { .. }) => true,
        None => false,
        // Refused or unknown: the question was not understood as one about this flag.
        Some(_) => return None,
    };
    let refused = match oracle::complaint(&bad.stderr) {
        Some(Complaint::Refused { flag, reason, .. }) if flag == name => Some(reason),
        Some(_) => return None,
        None => None,
    };
    let repeatable = again.as_ref().ok().and_then(|answer| {
        if oracle::complaint(&answer.stderr).is_some() {
            return None;
        }
        let completion = complete::parse(&answer.stdout)?;
        Some(completion.flags().iter().any(|flag| flag.long == name))
    });
    Some(Verdict {
        path,
        needs_value,
        refused,
        repeatable,
    })
}

pub(super) fn flags_question(path: &[String], given: &[String]) -> Question {
    Question::new(
        std::iter::once("__complete".to_owned())
            .chain(path.iter().cloned())
            .chain(given.iter().cloned())
            .chain(std::iter::once("-".to_owned())),
    )
}

/// The path and the flags given in `__complete PATH --f=v… -`.
pub(super) fn flags_asked(words: &[String]) -> Option<(&[String], &[String])> {
    let (first, rest) = words.split_first()?;
    let (last, rest) = rest.split_last()?;
    if first != "__complete" || last != "-" {
        return None;
    }
    let at = rest
        .iter()
        .position(|word| word.starts_with('-'))
        .unwrap_or(rest.len());
    Some(rest.split_at(at))
}

pub(super) fn children_question(path: &[String]) -> Question {
    Question::new(
        ["__complete".to_owned(), "help".to_owned()]
            .into_iter()
            .chain(path.iter().cloned())
            .chain(std::iter::once(String::new())),
    )
}

/// What follows the root, for a program whose page is a manual.
fn root_names(probe: &mut dyn Probe) -> Vec<(String, String)> {
    probe
        .ask(&[Question::new(["__complete", ""])])
        .pop()
        .and_then(Result::ok)
        .and_then(|answer| complete::parse(&answer.stdout))
        .map(|completion| {
            completion
                .names()
                .map(|name| (name.word.clone(), name.text.clone()))
                .collect()
        })
        .unwrap_or_default()
}

fn named_by_help(probe: &mut Transcript, path: &[String]) -> bool {
    let Some((name, parent)) = path.split_last() else {
        return true;
    };
    probe
        .ask(&[children_question(parent)])
        .pop()
        .and_then(Result::ok)
        .and_then(|answer| complete::parse(&answer.stdout))
        .is_some_and(|completion| completion.names().any(|known| known.word == *name))
}

/// What the page of `path` lists, as far as those names have pages of their own. Only
/// pages that were asked for anyway count: a command may run on `--help`.
fn listed_children(name: &str, path: &[String], asked: &Asked) -> Vec<(String, String)> {
    let page = |path: &[String]| {
        asked.iter().find_map(|(question, answer)| {
            let words = &question.words;
            let is_page = match (words.first(), words.split_last()) {
                (_, Some((last, rest))) if last == "--help" => rest == path,
                (Some(first), _) if first == "help" => &words[1..] == path,
                _ => false,
            };
            let answer = answer.as_ref().ok()?;
            if !is_page || answer.code != Some(0) {
                return None;
            }
            Some(answer.stdout.clone())
        })
    };
    let Some(own) = page(path) else {
        return Vec::new();
    };
    help::parse(&own, name, path)
        .commands
        .into_iter()
        .filter(|listed| {
            let mut child = path.to_vec();
            child.push(listed.name.clone());
            let Some(text) = page(&child) else {
                return true;
            };
            let read = help::parse(&text, name, &child);
            text.is_empty() || (text != own && !(read.usage.is_empty() && read.flags.is_empty()))
        })
        .map(|listed| (listed.name, listed.summary))
        .collect()
}
