//! How much of a program is read right: what was read, against what the program's
//! own completion and parser say.
//!
//! Definitions, the same for a transcript and for a live program:
//!
//! - **commands**: the truth is what Cobra's completion of `help` names at every level
//!   (or, where a program replaced `help`, what its pages list); in a transcript every
//!   command whose page was recorded. Not counted: `help`, Cobra's own `completion`,
//!   help topics (a page with nothing to call), names whose page is their parent's, and
//!   names that completion says it cannot find. Both a missing and an extra command
//!   are errors.
//! - **flags**: the truth is every flag that completion offers for a command in any of
//!   the answers. `--help` and Cobra's `--version` are not counted; nor is a flag that
//!   the page marks as deprecated, because completion never offers it. Precision is
//!   not counted where the answers stop at required flags.
//! - **value**: for each flag with its own words, once for a program: does
//!   `__complete PATH --f -` say that it needs an argument, and did we?
//! - **type**: likewise, the class of the error for a value that no parser likes, and
//!   whether the flag is offered again once given. A type of the program's own agrees
//!   with free text; how many bits a number has is not counted.
//!
//! Words: `--diff` prints every disagreement, `--calls` what one read asked,
//! `--effects` what every command is taken to do; `--capture=FOLDER` writes the
//! transcript of the one program named, the measure's own questions included.
//!
//! On a live program value and type are asked of every flag; a transcript answers
//! for the flags in its `flagprobe.json` or `answers.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use argway_core::model::{CommandSpec, Kind, Param, Reading, Scalar, Split};
use argway_core::probe::{Answer, Probe, ProbeError, Question};
use argway_core::sources::cobra::{self, Options};
use argway_core::sources::oracle::{self, Complaint, Refusal};
use argway_core::sources::transcript::{Recorder, Transcript, record};
use argway_core::sources::{complete, help};
use argway_serve::probe::ProcessProbe;

/// Measures the programs and transcript folders named, or the corpus.
pub fn run(words: Vec<String>) -> anyhow::Result<()> {
    let diff = words.iter().any(|word| word == "--diff");
    let capture = words
        .iter()
        .find_map(|word| word.strip_prefix("--capture="))
        .map(Path::new);
    let named: Vec<&String> = words
        .iter()
        .filter(|word| !word.starts_with("--"))
        .collect();
    let subjects = if named.is_empty() {
        everything()?
    } else {
        named
            .into_iter()
            .map(|word| subject(word))
            .collect::<Result<_, _>>()?
    };
    let mut total = [Score::default(), Score::default()];
    let mut table = String::new();
    let mut failed = Vec::new();
    header(&mut table);
    for subject in subjects {
        let (name, scores, asked) =
            measure(&subject, capture).with_context(|| format!("measuring {}", subject.label()))?;
        row(&mut table, &name, &scores, asked.len());
        if !scores[0].passes() {
            failed.push(name.clone());
        }
        if words.iter().any(|word| word == "--calls") {
            let _ = writeln!(table, "    {}", calls_by_kind(&asked));
        }
        if words.iter().any(|word| word == "--effects") {
            for line in &scores[0].effects {
                let _ = writeln!(table, "    {line}");
            }
        }
        if diff {
            for line in &scores[0].differences {
                let _ = writeln!(table, "    {line}");
            }
        }
        for (total, score) in total.iter_mut().zip(&scores) {
            total.add(score);
        }
    }
    row(&mut table, "TOTAL", &total, 0);
    print(&table);
    if !failed.is_empty() {
        bail!("below the thresholds: {}", failed.join(", "));
    }
    Ok(())
}

#[allow(
    clippy::print_stdout,
    reason = "the one place where the measure prints"
)]
fn print(table: &str) {
    print!("{table}");
}

enum Subject {
    Folder(PathBuf),
    Program(PathBuf),
}

impl Subject {
    fn label(&self) -> String {
        match self {
            Subject::Folder(path) | Subject::Program(path) => path.display().to_string(),
        }
    }
}

fn subject(word: &str) -> anyhow::Result<Subject> {
    let path = Path::new(word);
    if path.is_dir() {
        return Ok(Subject::Folder(path.to_owned()));
    }
    if word.contains('/') {
        return Ok(Subject::Program(path.canonicalize()?));
    }
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|folder| folder.join(word))
        .find(|path| path.is_file());
    Ok(Subject::Program(found.with_context(|| {
        format!("{word} is neither a folder nor a program on PATH")
    })?))
}

/// Every folder of the corpus, and the programs that the tests installed.
fn everything() -> anyhow::Result<Vec<Subject>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/cobra");
    let mut subjects = Vec::new();
    for folder in sorted(&root)? {
        if folder.is_dir() {
            subjects.push(Subject::Folder(folder));
        }
    }
    if let Some(tools) = std::env::var_os("ARGWAY_TOOLS") {
        for program in sorted(&Path::new(&tools).join("bin"))? {
            if is_cobra(&program) {
                subjects.push(Subject::Program(program.canonicalize()?));
            }
        }
    }
    Ok(subjects)
}

fn sorted(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| format!("reading {}", folder.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}

/// Whether Cobra with completion is linked into the file.
fn is_cobra(path: &Path) -> bool {
    const MARK: &[u8] = b"__completeNoDesc";
    std::fs::read(path).is_ok_and(|bytes| bytes.windows(MARK.len()).any(|window| window == MARK))
}

// ---- measuring ---------------------------------------------------------------

/// Right answers out of all, for each measure.
#[derive(Default)]
struct Score {
    commands_found: usize,
    commands_true: usize,
    commands_extra: usize,
    flags_common: usize,
    flags_true: usize,
    flags_read: usize,
    value: (usize, usize),
    kind: (usize, usize),
    losses: usize,
    differences: Vec<String>,
    effects: Vec<String>,
}

impl Score {
    fn add(&mut self, other: &Score) {
        self.commands_found += other.commands_found;
        self.commands_true += other.commands_true;
        self.commands_extra += other.commands_extra;
        self.flags_common += other.flags_common;
        self.flags_true += other.flags_true;
        self.flags_read += other.flags_read;
        self.value.0 += other.value.0;
        self.value.1 += other.value.1;
        self.kind.0 += other.kind.0;
        self.kind.1 += other.kind.1;
        self.losses += other.losses;
    }

    fn passes(&self) -> bool {
        self.commands_found == self.commands_true
            && self.commands_extra == 0
            && percent(self.flags_common, self.flags_true) >= 99.5
            && percent(self.flags_common, self.flags_read) >= 99.5
            && self.value.0 == self.value.1
            && percent(self.kind.0, self.kind.1) >= 98.0
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 100.0;
    }
    #[allow(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    let ratio = part as f64 / whole as f64;
    ratio * 100.0
}

fn header(table: &mut String) {
    let _ = writeln!(
        table,
        "{:<16} {:>11} {:>6} {:>7} {:>7} {:>11} {:>11} {:>6}   {:>15} {:>15} {:>6}",
        "",
        "commands",
        "extra",
        "recall",
        "precis",
        "value",
        "type",
        "losses",
        "value, no oracle",
        "type, no oracle",
        "calls"
    );
}

fn row(table: &mut String, name: &str, scores: &[Score; 2], calls: usize) {
    let [with, without] = scores;
    let _ = writeln!(
        table,
        "{name:<16} {:>11} {:>6} {:>7.2} {:>7.2} {:>11} {:>11} {:>6}   {:>15} {:>15} {:>6} {}",
        format!("{}/{}", with.commands_found, with.commands_true),
        with.commands_extra,
        percent(with.flags_common, with.flags_true),
        percent(with.flags_common, with.flags_read),
        format!("{}/{}", with.value.0, with.value.1),
        format!("{}/{}", with.kind.0, with.kind.1),
        with.losses,
        format!("{:.2}%", percent(without.value.0, without.value.1)),
        format!("{:.2}%", percent(without.kind.0, without.kind.1)),
        calls,
        if with.passes() { "" } else { "BELOW" },
    );
}

fn measure(
    subject: &Subject,
    capture: Option<&Path>,
) -> anyhow::Result<(String, [Score; 2], Asked)> {
    match subject {
        Subject::Folder(folder) => {
            let files = read_folder(folder)?;
            let transcript = Transcript::new(files)?;
            let name = transcript.program().to_owned();
            let label = folder
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_else(|| name.clone());
            let (readings, asked) = read_both(&name, transcript.clone())?;
            let mut probe = transcript.clone();
            let mut truth = if transcript.is_capture() {
                let mut truth = Truth::of_program(&name, &asked, &mut probe);
                truth.see_nested(&asked);
                truth
            } else {
                Truth::of_transcript(&name, &transcript)
            };
            truth.see_flags(&asked);
            truth.ask_values(&mut probe);
            Ok((label, readings.map(|reading| truth.score(&reading)), asked))
        }
        Subject::Program(program) => {
            let name = program
                .file_name()
                .context("the program has no file name")?
                .to_string_lossy()
                .into_owned();
            let probe = ProcessProbe::new(program.clone());
            let (readings, asked) = read_both(&name, probe.clone())?;
            let mut probe = Recorder::new(probe);
            let mut truth = Truth::of_program(&name, &asked, &mut probe);
            truth.see_nested(&asked);
            truth.see_flags(&asked);
            truth.ask_all_flags(&mut probe);
            truth.ask_values(&mut probe);
            if let Some(folder) = capture {
                let all: Asked = asked.iter().chain(probe.asked()).cloned().collect();
                write_folder(folder, &record(&name, &all))?;
            }
            Ok((name, readings.map(|reading| truth.score(&reading)), asked))
        }
    }
}

type Asked = Vec<(Question, Result<Answer, ProbeError>)>;

/// The program read with the oracle and without it, and what the first asked.
fn read_both<P: Probe + Clone>(name: &str, probe: P) -> anyhow::Result<([Reading; 2], Asked)> {
    let mut recorder = Recorder::new(probe.clone());
    let with = cobra::read(name, &mut recorder, Options { oracle: true })?;
    let mut probe = probe;
    let without = cobra::read(name, &mut probe, Options { oracle: false })?;
    Ok(([with, without], recorder.asked().to_vec()))
}

/// Writes the transcript of one program.
fn write_folder(folder: &Path, files: &BTreeMap<String, String>) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

fn read_folder(folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for path in sorted(folder)? {
        if path.is_file()
            && let Some(name) = path.file_name()
        {
            let bytes =
                std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
            files.insert(
                name.to_string_lossy().into_owned(),
                String::from_utf8_lossy(&bytes).into_owned(),
            );
        }
    }
    Ok(files)
}

// ---- the truth ---------------------------------------------------------------

type CommandPath = Vec<String>;

/// What the program says of itself.
#[derive(Default)]
struct Truth {
    commands: BTreeSet<CommandPath>,
    /// Offered flags with their texts.
    flags: BTreeMap<CommandPath, BTreeMap<String, String>>,
    /// Flags that the program needs before it offers others.
    satisfied: BTreeMap<CommandPath, Vec<String>>,
    /// What the parser says, by name and text.
    values: BTreeMap<(String, String), Verdict>,
}

#[derive(Debug, Clone)]
struct Verdict {
    path: CommandPath,
    needs_value: bool,
    refused: Option<String>,
    repeatable: Option<bool>,
}

fn is_own_of_cobra(path: &[String], text: &str) -> bool {
    path.iter().any(|word| word == "help")
        || (path.first().is_some_and(|word| word == "completion")
            && text.to_lowercase().contains("complet"))
}

impl Truth {
    fn of_transcript(name: &str, transcript: &Transcript) -> Self {
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

    fn of_program(name: &str, asked: &Asked, probe: &mut dyn Probe) -> Self {
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
    fn see_flags(&mut self, asked: &Asked) {
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
    fn see_nested(&mut self, asked: &Asked) {
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
    fn ask_all_flags(&mut self, probe: &mut dyn Probe) {
        let paths: Vec<CommandPath> = self.commands.iter().cloned().collect();
        let questions: Vec<Question> = paths.iter().map(|path| flags_question(path, &[])).collect();
        let answers = probe.ask(&questions);
        let asked: Asked = questions.into_iter().zip(answers).collect();
        self.see_flags(&asked);
    }

    /// Puts each flag with its own words to the parser once.
    fn ask_values(&mut self, probe: &mut dyn Probe) {
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

    fn score(&self, reading: &Reading) -> Score {
        let mut score = Score {
            commands_true: self.commands.len(),
            losses: reading.losses.len(),
            ..Score::default()
        };
        let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
        let read: BTreeMap<&[String], &CommandSpec> = reading
            .program
            .commands
            .iter()
            .map(|command| (command.path.as_slice(), command))
            .collect();
        for path in &self.commands {
            match read.get(path.as_slice()) {
                None => score
                    .differences
                    .push(format!("missing command: {}", path.join(" "))),
                Some(command) => {
                    score.commands_found += 1;
                    self.score_flags(command, &mut score, &mut seen);
                }
            }
        }
        for path in read.keys() {
            if !self.commands.contains(*path) {
                score.commands_extra += 1;
                score
                    .differences
                    .push(format!("no such command: {}", path.join(" ")));
            }
        }
        score.effects = reading
            .program
            .commands
            .iter()
            .filter(|command| command.runnable)
            .map(|command| {
                let path = command.path.join(" ");
                format!(
                    "{:?}: {} {path}: {}",
                    command.effect, reading.program.name, command.summary
                )
            })
            .collect();
        for loss in &reading.losses {
            score
                .differences
                .push(format!("loss: {}: {}", loss.path.join(" "), loss.what));
        }
        score
    }

    /// Whether the answers show all flags of a command: one that has required flags
    /// shows only those, and not every transcript found values for them.
    fn is_complete(&self, offered: &BTreeMap<String, String>) -> bool {
        let shown_anywhere = self.flags.values().any(|flags| flags.contains_key("help"));
        !shown_anywhere || offered.contains_key("help")
    }

    fn score_flags(
        &self,
        command: &CommandSpec,
        score: &mut Score,
        seen: &mut BTreeSet<(String, String)>,
    ) {
        let Some(offered) = self.flags.get(&command.path) else {
            return;
        };
        let own_version = |name: &str| {
            name == "version"
                && (command.path.is_empty()
                    || self.flags.get(&Vec::new()).and_then(|root| root.get(name))
                        == offered.get(name)
                    || offered
                        .get(name)
                        .is_some_and(|text| text.starts_with("version for ")))
        };
        let label = |name: &str| format!("{} --{name}", command.path.join(" "));
        for (name, text) in offered {
            if name == "help" || own_version(name) {
                continue;
            }
            score.flags_true += 1;
            let Some(param) = command.flags().find(|param| param.name == *name) else {
                score
                    .differences
                    .push(format!("missing flag: {}", label(name)));
                continue;
            };
            score.flags_common += 1;
            let key = (name.clone(), text.clone());
            let Some(verdict) = self.values.get(&key) else {
                continue;
            };
            if !seen.insert(key) {
                continue;
            }
            let needs_value =
                param.kind.takes_value() && param.spelling().is_some_and(|s| s.bare.is_none());
            score.value.1 += 1;
            if needs_value == verdict.needs_value {
                score.value.0 += 1;
            } else {
                score.differences.push(format!(
                    "value: {} is read as {}; needs an argument: {}",
                    label(name),
                    param.kind,
                    verdict.needs_value
                ));
            }
            score.kind.1 += 1;
            if agrees(param, verdict) {
                score.kind.0 += 1;
            } else {
                score.differences.push(format!(
                    "type: {} is read as {}; the parser at `{}` says {:?}, repeatable {:?}",
                    label(name),
                    param.kind,
                    verdict.path.join(" "),
                    verdict.refused,
                    verdict.repeatable
                ));
            }
        }
        for param in command.flags() {
            let known = offered.contains_key(&param.name);
            if !known && (param.deprecated.is_some() || !self.is_complete(offered)) {
                continue;
            }
            score.flags_read += 1;
            if !known {
                score
                    .differences
                    .push(format!("no such flag: {}", label(&param.name)));
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

/// Whether a kind is of the class that the parser showed.
fn agrees(param: &Param, verdict: &Verdict) -> bool {
    let several = verdict.repeatable == Some(true);
    let is_text = |scalar: &Scalar| matches!(scalar, Scalar::String | Scalar::Other(_));
    let Some(reason) = &verdict.refused else {
        return match &param.kind {
            Kind::List(of, Split::Repeat) => is_text(of) && (several || param.value_name.is_some()),
            Kind::One(of) => is_text(of) && !several,
            // A boolfunc takes anything and needs nothing.
            Kind::Switch => !verdict.needs_value,
            Kind::List(..) | Kind::Map(_) | Kind::Count => false,
        };
    };
    let same =
        |one: &Scalar, other: &Scalar| std::mem::discriminant(one) == std::mem::discriminant(other);
    match oracle::refusal(reason) {
        Refusal::Map => matches!(param.kind, Kind::Map(_)),
        Refusal::List(of, _) => matches!(&param.kind, Kind::List(read, _) if same(read, &of)),
        Refusal::Custom => match &param.kind {
            Kind::One(of) => is_text(of) && !several,
            Kind::List(of, _) => is_text(of),
            Kind::Map(_) => true,
            Kind::Switch | Kind::Count => false,
        },
        Refusal::Scalar(of) => match (&param.kind, &of) {
            (Kind::Switch, Scalar::Bool) | (Kind::Count, Scalar::Int(_)) => !verdict.needs_value,
            (Kind::One(read), of) => same(read, of) && !several,
            (Kind::List(read, _), of) => same(read, of),
            _ => false,
        },
    }
}

/// How many questions of each kind one read asked.
fn calls_by_kind(asked: &Asked) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (question, _) in asked {
        let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
        let kind = match words.as_slice() {
            [.., "--help"] | ["help", ..] => "page",
            ["__complete", "help", .., ""] => "children",
            ["__complete", rest @ .., "-"] => {
                let given: Vec<&&str> = rest.iter().filter(|word| word.starts_with("--")).collect();
                match given.as_slice() {
                    [] => "flags",
                    [word] if word.starts_with("--help=") => "parses flags?",
                    [.., word] if word.ends_with(oracle::BAD) => "bad value",
                    [.., word] if word.contains('=') => "required or again",
                    [_] => "needs value?",
                    _ => "switches at once",
                }
            }
            _ => "other",
        };
        *counts.entry(kind).or_default() += 1;
    }
    let shown: Vec<String> = counts
        .iter()
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    shown.join(", ")
}

// ---- questions ---------------------------------------------------------------

fn flags_question(path: &[String], given: &[String]) -> Question {
    Question::new(
        std::iter::once("__complete".to_owned())
            .chain(path.iter().cloned())
            .chain(given.iter().cloned())
            .chain(std::iter::once("-".to_owned())),
    )
}

/// The path and the flags given in `__complete PATH --f=v… -`.
fn flags_asked(words: &[String]) -> Option<(&[String], &[String])> {
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

fn children_question(path: &[String]) -> Question {
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
