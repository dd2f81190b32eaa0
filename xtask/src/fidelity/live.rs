//! The installed programs of every family that are measured, and how each one's witness is
//! called.
//!
//! `conformance/programs/witnesses.txt` has a line for each: the family, the program, who
//! testifies, and words for that. A program that is not installed is left out and said so.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use argway_core::model::Reading;

use super::families::{Score, Witness, header, row};
use super::zsh;

const LIST: &str = include_str!("../../../conformance/programs/witnesses.txt");

/// Fewer programs than this would show little.
const FEWEST: usize = 25;

struct Subject<'a> {
    family: &'a str,
    program: &'a str,
    witness: &'a str,
    words: Vec<&'a str>,
}

/// Measures the programs in `ARGWAY_PROGRAMS` and those of the system, or of them only
/// those `named`; prints every disagreement with `diff`.
pub(super) fn run(named: &[&String], diff: bool, table: &mut String) -> anyhow::Result<()> {
    let home = tempfile::tempdir()?;
    let mut families: BTreeMap<&str, Score> = BTreeMap::new();
    let mut below = Vec::new();
    let mut measured = 0;
    header(table);
    for subject in subjects() {
        if !named.is_empty() && !named.iter().any(|name| *name == subject.program) {
            continue;
        }
        let Some(path) = find(subject.program) else {
            let _ = writeln!(table, "{:<28} is not installed", subject.program);
            continue;
        };
        let score = match measure(&subject, &path, home.path()) {
            Ok(score) => score,
            Err(error) => {
                let _ = writeln!(table, "{:<28} {error:#}", subject.program);
                below.push(subject.program);
                continue;
            }
        };
        row(
            table,
            &format!("{} {}", subject.family, subject.program),
            &score,
        );
        if diff {
            for line in &score.differences {
                let _ = writeln!(table, "    {line}");
            }
        }
        families.entry(subject.family).or_default().add(&score);
        measured += 1;
    }
    let mut total = Score::default();
    for (family, score) in &families {
        row(
            table,
            &format!("{family}: {} programs", score.programs),
            score,
        );
        total.add(score);
        if !score.passes() {
            below.push(*family);
        }
    }
    row(
        table,
        &format!("TOTAL: {} programs", total.programs),
        &total,
    );
    ensure!(
        below.is_empty(),
        "below the thresholds: {}",
        below.join(", ")
    );
    ensure!(
        !named.is_empty() || measured >= FEWEST,
        "only {measured} programs are installed; scripts/programs fetches them"
    );
    Ok(())
}

fn subjects() -> impl Iterator<Item = Subject<'static>> {
    LIST.lines().filter_map(|line| {
        let mut words = line
            .split('#')
            .next()
            .unwrap_or_default()
            .split_whitespace();
        Some(Subject {
            family: words.next()?,
            program: words.next()?,
            witness: words.next()?,
            words: words.collect(),
        })
    })
}

/// The program's file: of those fetched for the tests, or the system's.
fn find(program: &str) -> Option<PathBuf> {
    let fetched = std::env::var_os("ARGWAY_PROGRAMS").map(PathBuf::from);
    let system = std::env::var_os("PATH").unwrap_or_default();
    fetched
        .into_iter()
        .chain(std::env::split_paths(&system))
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

fn measure(subject: &Subject<'_>, path: &Path, home: &Path) -> anyhow::Result<Score> {
    let argway = std::env::current_exe()?.with_file_name("argway");
    let described = output(
        Command::new(argway)
            .args(["describe", "--quiet"])
            .arg(path)
            .env("XDG_CACHE_HOME", home),
    )?;
    let reading: Reading = serde_json::from_slice(&described)?;
    let testimony = testimony(subject, path)?;
    let witness: Witness = serde_json::from_slice(&testimony).with_context(|| {
        format!(
            "its witness said {:.200}",
            String::from_utf8_lossy(&testimony)
        )
    })?;
    Ok(witness.score(&reading))
}

/// What the witness of `subject` says, as JSON.
fn testimony(subject: &Subject<'_>, path: &Path) -> anyhow::Result<Vec<u8>> {
    let witnesses = Path::new(env!("CARGO_MANIFEST_DIR")).join("witness");
    let script = witnesses.join(subject.witness);
    match subject.witness {
        "zsh" => {
            let script = output(Command::new(path).args(&subject.words))?;
            let script = String::from_utf8_lossy(&script);
            let mut witness = zsh::read(&script).context("its script is not one of clap's")?;
            // The script names hidden things too, without saying which.
            witness.hide(|words| {
                let page = output(Command::new(path).args(words).arg("--help")).ok()?;
                Some(String::from_utf8_lossy(&page).into_owned())
            });
            Ok(serde_json::to_vec(&witness.to_json())?)
        }
        name if name.ends_with(".py") => {
            // A link to a program in an environment: its Python stands beside it.
            let beside = path.canonicalize()?;
            let python = std::fs::read_link(path)
                .unwrap_or(beside)
                .with_file_name("python");
            output(
                Command::new(python)
                    .arg(script)
                    .arg(subject.program)
                    .args(&subject.words),
            )
        }
        name if name.ends_with(".mjs") => output(
            Command::new("node")
                .arg(script)
                .arg(path)
                .args(&subject.words),
        ),
        other => bail!("nobody is called {other}"),
    }
}

/// What `command` prints; its complaints are passed on.
fn output(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let output = command
        .stdin(Stdio::null())
        .env("NO_COLOR", "1")
        .output()
        .with_context(|| format!("starting {command:?}"))?;
    ensure!(
        output.status.success() || !output.stdout.is_empty(),
        "{command:?} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}
