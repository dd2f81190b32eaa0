//! Speed and size, each beside something comparable that is run in the same minute.
//!
//! `cargo xbench [--check] [PROGRAM]` prints one table. A machine is as fast as
//! it is, so times are shown with what the system itself takes; `--check` fails when
//! a limit is passed. PROGRAM is the one whose cold reading is measured; without it,
//! one that is on PATH. `cargo xbench mcpx [--check]` measures mcpx instead,
//! `cargo xbench sandbox [--check]` what the sandbox adds to a run, and
//! `cargo xbench pages [--check]` what reading a program of 300 pages takes.

pub(crate) mod mcpx;
mod pages;
pub(crate) mod sandbox;
mod talk;
mod walk;

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use mcpx::parts::{root, succeeds, target};
use talk::Talk;

/// Pairs of runs whose medians are compared.
const PAIRS: usize = 400;
const STARTS: usize = 40;
const CALLS: usize = 10_000;

/// Limits of the specification.
const CALL_MS: f64 = 1.5;
const IDLE_MB: f64 = 12.0;
const START_MS: f64 = 15.0;
const WALK_RATIO: f64 = 1.5;

/// What a server may grow by in all those calls: less than 0.2 bytes a call more than
/// nothing would be seen, and the allocator's own ups and downs are not.
const GROWTH_KB: f64 = 512.0;

/// Bytes that a program prints at once, and what a server may have in memory then:
/// the answer of 1 MiB, in the few forms it takes on its way.
const FLOOD: u64 = 2 << 30;
const FLOOD_MB: f64 = 32.0;

/// One line of the table.
pub(crate) struct Row {
    what: String,
    measured: String,
    beside: String,
    limit: String,
    passed: bool,
}

/// Runs every benchmark and prints a table.
pub fn run(words: Vec<String>) -> anyhow::Result<()> {
    match words.split_first().map(|(first, rest)| (&**first, rest)) {
        Some(("mcpx", rest)) => return mcpx::run(rest),
        Some(("pages", rest)) => return pages::run(rest),
        Some(("sandbox", rest)) => return sandbox::run(rest),
        _ => {}
    }
    let mut check = false;
    let mut program = None;
    for word in words {
        match word.as_str() {
            "--check" => check = true,
            word if word.starts_with('-') => {
                bail!("`{word}` is not an option of bench; it has --check")
            }
            _ => program = Some(word),
        }
    }
    let argway = argway()?;
    let folder = tempfile::tempdir()?;
    let trivial = folder.path().join("true.json");
    std::fs::write(&trivial, description("true", "/bin/true", 1).to_string())?;
    let large = folder.path().join("large.json");
    std::fs::write(&large, description("large", "/bin/true", 200).to_string())?;

    let mut rows = vec![call(&argway, &trivial)?];
    rows.extend(memory(&argway, &trivial, &large)?);
    rows.push(flood(&argway, folder.path())?);
    rows.push(start(
        &argway,
        "description file",
        &[large.as_os_str()],
        folder.path(),
    )?);
    match walk::program(program.as_deref()) {
        Some(program) => {
            rows.push(walk::cold(&argway, &program, folder.path(), WALK_RATIO)?);
            // The walk left the description in the cache.
            let label = format!("{} from the cache", program.display());
            rows.push(start(
                &argway,
                &label,
                &[program.as_os_str()],
                folder.path(),
            )?);
            let name = program.file_name().unwrap_or_default().to_string_lossy();
            rows.push(idle(&argway, &name, &program, Some(folder.path()))?);
        }
        None => rows.push(Row {
            what: "cold reading".to_owned(),
            measured: "not measured".to_owned(),
            beside: "no Cobra program on PATH".to_owned(),
            limit: String::new(),
            passed: true,
        }),
    }
    print(&rows)?;
    let failed = rows.iter().filter(|row| !row.passed).count();
    if check && failed > 0 {
        bail!("{failed} of {} limits are not kept", rows.len());
    }
    Ok(())
}

/// A tool call of a program that does nothing, and the same program started directly.
fn call(argway: &Path, description: &Path) -> anyhow::Result<Row> {
    let mut talk = Talk::start(argway, &["serve".as_ref(), description.as_os_str()], None)?;
    talk.initialize()?;
    let mut calls = Vec::new();
    let mut spawns = Vec::new();
    for round in 0..PAIRS + 20 {
        let begun = Instant::now();
        let output = Command::new("/bin/true")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()?;
        let spawn = begun.elapsed();
        if !output.status.success() {
            bail!("/bin/true failed");
        }
        let begun = Instant::now();
        talk.call("true")?;
        let call = begun.elapsed();
        if round >= 20 {
            spawns.push(spawn);
            calls.push(call);
        }
    }
    talk.leave()?;
    let (call, spawn) = (ms(median(&mut calls)), ms(median(&mut spawns)));
    Ok(Row {
        what: format!("tools/call of /bin/true, median of {PAIRS}"),
        measured: format!("{call:.2} ms, {:+.2} ms", call - spawn),
        beside: format!("{spawn:.2} ms to start it directly"),
        limit: format!("+{CALL_MS} ms"),
        passed: call - spawn <= CALL_MS,
    })
}

fn mb(kb: f64) -> f64 {
    kb / 1024.0
}

/// What a server of `served` takes when it does nothing.
fn idle(argway: &Path, label: &str, served: &Path, home: Option<&Path>) -> anyhow::Result<Row> {
    let mut talk = Talk::start(argway, &["serve".as_ref(), served.as_os_str()], home)?;
    talk.initialize()?;
    std::thread::sleep(Duration::from_millis(300));
    let idle = talk.resident_kb()?;
    talk.request("tools/list", json!({}))?;
    std::thread::sleep(Duration::from_millis(300));
    let listed = talk.resident_kb()?;
    talk.leave()?;
    Ok(Row {
        what: format!("idle server of {label}"),
        measured: format!("{:.1} MB", mb(idle)),
        beside: format!("{:.1} MB once tools are listed", mb(listed)),
        limit: format!("{IDLE_MB} MB"),
        passed: mb(idle) <= IDLE_MB,
    })
}

/// The most memory that a server has while a program prints without end, all of it
/// within the limit on files.
fn flood(argway: &Path, folder: &Path) -> anyhow::Result<Row> {
    let program = folder.join("flood");
    let script = format!("#!/bin/sh\nyes | head -c {FLOOD}\n");
    std::fs::write(&program, script)?;
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
    let file = folder.join("flood.json");
    let executable = program.display().to_string();
    std::fs::write(&file, description("flood", &executable, 1).to_string())?;
    let words = ["--max-spill", "4GiB"].map(OsStr::new);
    let words = [&["serve".as_ref(), file.as_os_str()], &words[..]].concat();
    let mut talk = Talk::start(argway, &words, Some(folder))?;
    talk.initialize()?;
    let begun = Instant::now();
    talk.call("flood")?;
    let took = begun.elapsed();
    let peak = talk.peak_kb()?;
    talk.leave()?;
    Ok(Row {
        what: format!("memory while a program prints {} GB", FLOOD >> 30),
        measured: format!("{:.1} MB at most", mb(peak)),
        beside: format!("{:.1} s", took.as_secs_f64()),
        limit: format!("{FLOOD_MB} MB"),
        passed: mb(peak) <= FLOOD_MB,
    })
}

/// What a server takes when idle, and after many calls.
fn memory(argway: &Path, trivial: &Path, large: &Path) -> anyhow::Result<Vec<Row>> {
    let idle = idle(argway, "200 commands", large, None)?;
    let mut talk = Talk::start(argway, &["serve".as_ref(), trivial.as_os_str()], None)?;
    talk.initialize()?;
    for _ in 0..500 {
        talk.call("true")?;
    }
    let before = talk.resident_kb()?;
    for _ in 0..CALLS {
        talk.call("true")?;
    }
    let after = talk.resident_kb()?;
    talk.leave()?;
    let growth = Row {
        what: format!("growth in {CALLS} calls"),
        measured: format!("{:+.0} KB", after - before),
        beside: format!("{:.1} MB before", mb(before)),
        limit: format!("+{GROWTH_KB} KB"),
        passed: after - before <= GROWTH_KB,
    };
    Ok(vec![idle, growth])
}

/// From the start of a server to its answer to `initialize`.
fn start(
    argway: &Path,
    label: &str,
    served: &[&std::ffi::OsStr],
    folder: &Path,
) -> anyhow::Result<Row> {
    let mut words = vec!["serve".as_ref()];
    words.extend(served);
    let mut starts = Vec::new();
    let mut spawns = Vec::new();
    for _ in 0..STARTS {
        let begun = Instant::now();
        Command::new("/bin/true").status()?;
        spawns.push(begun.elapsed());
        let begun = Instant::now();
        let mut talk = Talk::start(argway, &words, Some(folder))?;
        talk.initialize()?;
        starts.push(begun.elapsed());
        talk.leave()?;
    }
    let (start, spawn) = (ms(median(&mut starts)), ms(median(&mut spawns)));
    Ok(Row {
        what: format!("warm start to initialize, {label}, median of {STARTS}"),
        measured: format!("{start:.2} ms"),
        beside: format!("{spawn:.2} ms to start /bin/true"),
        limit: format!("{START_MS} ms"),
        passed: start <= START_MS,
    })
}

/// A program of so many commands, twenty flags each, that all run `executable`.
fn description(name: &str, executable: &str, commands: usize) -> Value {
    let flag = |command: usize, number: usize| {
        let name = format!("flag-{number}");
        json!({
            "name": name,
            "role": "flag",
            "long": format!("--{name}"),
            "type": (["string", "int", "switch", "csv<string>"][number % 4]),
            "text": format!("Sets what command {command} does in its respect number {number}"),
            "from": {"name": "help", "type": "help", "text": "help"},
        })
    };
    let command = |number: usize| {
        let path = match number {
            0 => vec![],
            number => vec![
                format!("group-{}", number / 20),
                format!("command-{number}"),
            ],
        };
        json!({
            "path": path,
            "summary": format!("Does the thing number {number}"),
            "description": "Does it in the way that programs of this kind usually do it. ".repeat(5),
            "usage": format!("{name} {} [flags]", path.join(" ")),
            "runnable": true,
            "effect": "read",
            "params": (0..if commands == 1 { 0 } else { 20 }).map(|flag_number| flag(number, flag_number)).collect::<Vec<_>>(),
            "from": {"name": "help", "text": "help"},
        })
    };
    json!({
        "argway": argway_core::model::FORMAT,
        "name": name,
        "executable": executable,
        "family": "cobra",
        "commands": (0..commands).map(command).collect::<Vec<_>>(),
    })
}

/// argway as it is shipped, linked statically.
fn argway() -> anyhow::Result<PathBuf> {
    let cargo = &mut Command::new("cargo");
    succeeds(cargo.args(["--quiet", "argway-static"]).current_dir(root()))?;
    let argway = target().join("release/argway");
    argway
        .canonicalize()
        .with_context(|| format!("{} is not there", argway.display()))
}

pub(crate) fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn print(rows: &[Row]) -> anyhow::Result<()> {
    let heading = ["", "measured", "beside", "limit", ""].map(str::to_owned);
    let mut table = vec![heading];
    for row in rows {
        let verdict = match (row.passed, row.limit.is_empty()) {
            (_, true) => "",
            (true, false) => "pass",
            (false, false) => "FAIL",
        };
        table.push([
            row.what.clone(),
            row.measured.clone(),
            row.beside.clone(),
            row.limit.clone(),
            verdict.to_owned(),
        ]);
    }
    let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..5)
        .map(|column| width(column).unwrap_or_default())
        .collect();
    let mut out = std::io::stdout().lock();
    for row in &table {
        let cells: Vec<String> = (row.iter().zip(&widths))
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    Ok(())
}
