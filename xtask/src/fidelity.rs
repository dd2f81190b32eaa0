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

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use argway_core::model::{Family, Reading};
use argway_core::probe::{Answer, Probe, ProbeError, Question};
use argway_core::sources::cobra::{self, Options};
use argway_core::sources::oracle;
use argway_core::sources::transcript::{Recorder, Transcript, record};
use argway_serve::probe::ProcessProbe;

mod families;
mod live;
mod score;
mod truth;
#[allow(dead_code, reason = "for the measure of programs by family")]
mod zsh;

use score::{Score, percent};
use truth::Truth;

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
    if words.iter().any(|word| word == "--families") {
        let mut table = String::new();
        let measured = live::run(&named, diff, &mut table);
        print(&table);
        return measured;
    }
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
        for program in sorted(Path::new(&tools))? {
            // Its thousand flags, put to it one by one, take minutes; the corpus has it.
            let is_endless = program.file_name().is_some_and(|name| name == "rclone");
            if is_cobra(&program) && !is_endless {
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
                write_folder(folder, &record(&name, Family::Cobra, &all))?;
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
