//! A program of 300 pages: what argway itself has in memory while it reads them, and
//! whether all cores are at work, beside `xargs` making the very same calls.
//!
//! `cargo xbench pages [--check]`. The program is a script that is written for it, as
//! large as programs of that many commands are: twenty flags a page. A server is started
//! with an empty cache: the most memory it ever had is known while it still lives, and is
//! its own, without that of the programs it ran. The share of the cores is what all
//! processes below this one used, over the time that passed, in the best of a few rounds.
//! Others may be at work on the machine: where `xargs` does not get two cores either, the
//! limit is as much lower. A walk that asks one question at a time keeps it nowhere.

use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use argway_core::probe::Question;
use serde_json::json;

use super::talk::Talk;
use super::{Row, argway, mb, ms, print, walk};

/// Pages below the first.
const PAGES: usize = 300;
const FLAGS: usize = 20;
const ROUNDS: usize = 3;

/// Of a second, in which Linux tells the times of processes.
const TICKS: f64 = 100.0;

/// Limits of the specification: memory, and of two cores both.
const SHARE: f64 = 1.5;
const MEMORY_MB: f64 = 50.0;

/// What one way of making all calls took.
#[derive(Clone, Copy)]
struct Took {
    time: Duration,
    /// Cores that were at work on average.
    share: f64,
}

/// Reads the program in turns with `xargs`, and prints a table.
pub(super) fn run(words: &[String]) -> anyhow::Result<()> {
    let check = match words {
        [] => false,
        [word] if word == "--check" => true,
        _ => bail!("`bench pages` takes nothing but --check"),
    };
    let argway = argway()?;
    let folder = tempfile::tempdir()?;
    let program = program(folder.path())?;
    let list = folder.path().join("calls");
    std::fs::write(&list, calls())?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = 2 * cores;
    let mut walks = Vec::new();
    let mut floors = Vec::new();
    let mut peak = 0.0_f64;
    for _ in 0..ROUNDS {
        floors.push(measured(|| {
            walk::xargs(&program, &list, folder.path(), jobs).map(drop)
        })?);
        walks.push(measured(|| {
            peak = peak.max(read(&argway, &program)?);
            Ok(())
        })?);
    }
    let (walk, floor) = (best(&walks)?, best(&floors)?);
    let least = SHARE * (floor.share / 2.0).min(1.0);
    let rows = [
        Row {
            what: format!("memory while {PAGES} pages are read"),
            measured: format!("{:.1} MB at most", mb(peak)),
            beside: format!("{:.0} ms", ms(walk.time)),
            limit: format!("{MEMORY_MB} MB"),
            passed: mb(peak) <= MEMORY_MB,
        },
        Row {
            what: format!("cores at work meanwhile, of {cores}"),
            measured: format!("{:.2}", walk.share),
            beside: format!(
                "{:.2} by xargs -P {jobs}, in {:.0} ms",
                floor.share,
                ms(floor.time)
            ),
            limit: match cores {
                1 => String::new(),
                _ => format!("at least {least:.2}"),
            },
            passed: cores == 1 || walk.share >= least,
        },
    ];
    print(&rows)?;
    let failed = rows.iter().filter(|row| !row.passed).count();
    if check && failed > 0 {
        bail!("{failed} of {} limits are not kept", rows.len());
    }
    Ok(())
}

/// The round in which most cores were at work.
fn best(rounds: &[Took]) -> anyhow::Result<Took> {
    let best = rounds
        .iter()
        .copied()
        .max_by(|a, b| a.share.total_cmp(&b.share));
    best.context("no round was made")
}

/// Reads `program` with an empty cache; gives the most memory that argway had, in KB.
fn read(argway: &Path, program: &Path) -> anyhow::Result<f64> {
    let cache = tempfile::tempdir()?;
    let words = [
        "serve".as_ref(),
        program.as_os_str(),
        "--no-oracle".as_ref(),
    ];
    let mut talk = Talk::start(argway, &words, Some(cache.path()))?;
    talk.initialize()?;
    let mut tools = 0;
    let mut params = json!({});
    loop {
        let listed = talk.request("tools/list", params)?;
        tools += listed["tools"].as_array().map_or(0, Vec::len);
        match listed["nextCursor"].as_str() {
            Some(next) => params = json!({"cursor": next}),
            None => break,
        }
    }
    if tools != PAGES {
        bail!("{tools} of {PAGES} pages became tools");
    }
    let peak = talk.peak_kb()?;
    talk.leave()?;
    Ok(peak)
}

/// What `work` takes, with all processes that it starts and waits for.
fn measured(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<Took> {
    let (before, begun) = (below()?, Instant::now());
    work()?;
    let time = begun.elapsed();
    let used = below()? - before;
    Ok(Took {
        time,
        share: used / time.as_secs_f64(),
    })
}

/// Seconds that processes below this one have used, those that were waited for.
fn below() -> anyhow::Result<f64> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    // Behind the name, which may hold anything: state first, the times at 14 and 15.
    let (_, fields) = text.rsplit_once(')').context("a name in brackets")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let mut ticks = 0.0;
    for at in [13, 14] {
        let field = fields.get(at).context("times of its children")?;
        ticks += field.parse::<f64>()?;
    }
    Ok(ticks / TICKS)
}

fn name(page: usize) -> String {
    format!("command-{page}")
}

/// The calls of a walk, as lines for xargs.
fn calls() -> String {
    let pages = (0..PAGES).map(|page| Question::new([&*name(page), "--help"]));
    std::iter::once(Question::new(["--help"]))
        .chain(pages)
        .map(|question| walk::line(&question))
        .collect()
}

/// Writes the program: a script that prints pages in clap's manner.
fn program(folder: &Path) -> anyhow::Result<PathBuf> {
    let mut text = "#!/bin/sh\ncase $1 in\n--help) cat <<'END'\nA program of many commands\n\nUsage: many <COMMAND>\n\nCommands:\n".to_owned();
    for page in 0..PAGES {
        writeln!(text, "  {:<12}  Does the thing number {page}", name(page))?;
    }
    text.push_str("\nOptions:\n  -h, --help  Print help\nEND\n;;\n");
    text.push_str("*) cat <<END\nDoes the thing of $1\n\nUsage: many $1 [OPTIONS] <FILE>\n\nArguments:\n  <FILE>  What it is done to\n\nOptions:\n");
    for flag in 0..FLAGS {
        writeln!(
            text,
            "      --respect-{flag:<2} <VALUE>  Sets what $1 does in its respect number {flag}, and how it does that where nothing else is said [default: {flag}]"
        )?;
    }
    text.push_str("  -h, --help                Print help\nEND\n;;\nesac\n");
    let path = folder.join("many");
    std::fs::write(&path, text)?;
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755))?;
    Ok(path)
}
