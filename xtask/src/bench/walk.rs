//! A cold reading of a program, beside `xargs` making the very same calls.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use argway_core::probe::{Answer, Probe, ProbeError, Question};
use argway_core::sources::cobra;
use argway_serve::probe::ProcessProbe;

use super::{Row, median, ms};

/// Readings of each kind, taken in turns.
const ROUNDS: usize = 3;

/// Programs worth reading, by how many commands they have.
const KNOWN: [&str; 8] = [
    "docker", "gh", "kubectl", "podman", "hugo", "rclone", "hcloud", "restic",
];

/// The program to read: the one named, or one on PATH.
pub(super) fn program(named: Option<&str>) -> Option<PathBuf> {
    let find = |name: &str| {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path)
            .map(|folder| folder.join(name))
            .find(|file| file.is_file())
    };
    match named {
        Some(path) if path.contains('/') => Path::new(path).canonicalize().ok(),
        Some(name) => find(name),
        None => KNOWN.iter().find_map(|name| find(name)),
    }
}

/// Reads `program` cold, and makes the same calls with `xargs -P`.
pub(super) fn cold(
    argway: &Path,
    program: &Path,
    folder: &Path,
    limit: f64,
) -> anyhow::Result<Row> {
    let jobs = std::thread::available_parallelism()
        .map_or(4, usize::from)
        .max(4);
    let calls = calls(program, jobs)?;
    let list = folder.join("calls");
    std::fs::write(&list, calls.iter().map(line).collect::<String>())?;
    let mut walks = Vec::new();
    let mut floors = Vec::new();
    for _ in 0..ROUNDS {
        floors.push(xargs(program, &list, folder, jobs)?);
        let begun = Instant::now();
        let status = Command::new(argway)
            .arg("describe")
            .arg(program)
            .args(["--refresh", "--jobs", &jobs.to_string()])
            .env("XDG_CACHE_HOME", folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        walks.push(begun.elapsed());
        if !status.success() {
            bail!("{} could not be described: {status}", program.display());
        }
    }
    let (walk, floor) = (ms(median(&mut walks)), ms(median(&mut floors)));
    let name = program
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Ok(Row {
        what: format!(
            "cold reading of {name}, {} calls, {jobs} at once",
            calls.len()
        ),
        measured: format!("{walk:.0} ms, {:.2} ×", walk / floor),
        beside: format!("{floor:.0} ms by xargs -P {jobs}"),
        limit: format!("{limit} ×"),
        passed: walk / floor <= limit,
    })
}

/// What a reading asks `program`, in order.
fn calls(program: &Path, jobs: usize) -> anyhow::Result<Vec<Question>> {
    let mut probe = ProcessProbe::new(program);
    probe.jobs = jobs;
    let mut recorder = Recorder {
        probe,
        asked: Vec::new(),
    };
    let name = program
        .file_name()
        .context("a program's name")?
        .to_string_lossy();
    cobra::read(&name, &mut recorder, cobra::Options { oracle: true })?;
    Ok(recorder.asked)
}

/// Passes questions on and keeps those that were answered.
struct Recorder {
    probe: ProcessProbe,
    asked: Vec<Question>,
}

impl Probe for Recorder {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        let answers = self.probe.ask(questions);
        let answered = questions
            .iter()
            .zip(&answers)
            .filter(|(_, answer)| answer.is_ok());
        self.asked
            .extend(answered.map(|(question, _)| question.clone()));
        answers
    }
}

/// A question as a line that xargs reads back to the same words.
pub(super) fn line(question: &Question) -> String {
    let word = |word: &String| match word.contains('\'') {
        true => format!("\"{word}\""),
        false => format!("'{word}'"),
    };
    let words: Vec<String> = question.words.iter().map(word).collect();
    format!("{}\n", words.join(" "))
}

pub(super) fn xargs(
    program: &Path,
    list: &Path,
    folder: &Path,
    jobs: usize,
) -> anyhow::Result<Duration> {
    let home = folder.join("home");
    std::fs::create_dir_all(&home)?;
    let begun = Instant::now();
    let status = Command::new("xargs")
        .args(["-P", &jobs.to_string(), "-L", "1", "-a"])
        .arg(list)
        .arg(program)
        .env("HOME", &home)
        .env("NO_COLOR", "1")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_DATA_HOME")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("running xargs")?;
    let took = begun.elapsed();
    // 123: some call failed, as calls of an oracle should.
    match status.code() {
        Some(0 | 123) => Ok(took),
        _ => bail!("xargs ended with {status}"),
    }
}
