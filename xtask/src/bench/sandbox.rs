//! The sandbox beside a plain start and beside bubblewrap with the same binds.
//!
//! All kinds are run in turns by a process that stands for the server: a small one and
//! one of a gigabyte, as the caller and, for root, as nobody too; where that is allowed,
//! before everything else on the machine, so that waiting for others is not measured.
//! The launcher is argway as it is shipped, not this program: what a launcher costs is
//! first of all what it costs to start that binary.

mod server;

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;

use super::mcpx::parts::succeeds;
use super::{Row, argway, print};

pub(crate) use server::serve;

/// Rounds whose medians are compared, after some that only warm up.
const ROUNDS: usize = 300;
const WARM_UP: usize = 20;

/// What the sandbox promises, as parts of what bubblewrap takes.
const STRICT: f64 = 1.0;
const PORTABLE: f64 = 0.5;

/// Of a server, in MB.
const LARGE: usize = 1024;
/// What a large server may add to a run that a small one makes: noise, not growth. A
/// fork of one adds tens of milliseconds.
const GROWTH: f64 = 1.15;

/// Nobody, on any system.
const NOBODY: u32 = 65534;

/// Medians of one server's runs, in milliseconds.
struct Medians {
    plain: f64,
    bubblewrap: f64,
    strict: f64,
    portable: f64,
    /// Until the launcher has cleaned up and is gone.
    strict_gone: f64,
    portable_gone: f64,
}

/// Runs every benchmark of the sandbox and prints a table.
pub(super) fn run(words: &[String]) -> anyhow::Result<()> {
    let check = match words {
        [] => false,
        [word] if word == "--check" => true,
        _ => bail!("`bench sandbox` takes nothing but --check"),
    };
    // Not below /tmp, which a world of its own replaces: few projects are there.
    let folder = tempfile::tempdir_in("/var/tmp")?;
    let stage = Stage::set(folder.path())?;
    let mut users = vec![None];
    if rustix::process::geteuid().is_root() {
        users.push(Some(NOBODY));
    }
    let mut rows = Vec::new();
    for user in users {
        rows.extend(compared(&stage, user)?);
    }
    print(&rows)?;
    let failed = rows.iter().filter(|row| !row.passed).count();
    if check && failed > 0 {
        bail!("{failed} of {} limits are not kept", rows.len());
    }
    Ok(())
}

fn compared(stage: &Stage, user: Option<u32>) -> anyhow::Result<Vec<Row>> {
    let small = stage.medians(user, 0)?;
    let large = stage.medians(user, LARGE)?;
    let who = match user {
        Some(_) => "nobody",
        None if rustix::process::geteuid().is_root() => "root",
        None => "this user",
    };
    let mut rows = vec![Row {
        what: format!("/bin/true as {who}, median of {ROUNDS}"),
        measured: format!("{:.2} ms", small.plain),
        beside: format!("{:.2} ms from a server of 1 GB", large.plain),
        limit: String::new(),
        passed: true,
    }];
    type Pick = fn(&Medians) -> (f64, f64);
    let tiers: [(&str, f64, Pick); 2] = [
        ("strict", STRICT, |of| (of.strict, of.strict_gone)),
        ("portable", PORTABLE, |of| (of.portable, of.portable_gone)),
    ];
    for (tier, limit, pick) in tiers {
        for (size, medians) in [("", &small), (", server of 1 GB", &large)] {
            let (run, gone) = pick(medians);
            // The caller has its answer before, but the machine is at work until then.
            let ratio = gone / medians.bubblewrap;
            rows.push(Row {
                what: format!("{tier} as {who}{size}"),
                measured: format!("{run:.2} ms, {gone:.2} with its cleaning: {ratio:.2} × bwrap"),
                beside: format!("{:.2} ms by bwrap", medians.bubblewrap),
                limit: format!("{limit} × bwrap"),
                passed: ratio <= limit,
            });
        }
        let growth = pick(&large).0 / pick(&small).0;
        // The machine may have been busier with one of them: that is in bwrap's time too.
        let machine = large.bubblewrap / small.bubblewrap;
        rows.push(Row {
            what: format!("{tier} as {who}, growth with the server"),
            measured: format!("{growth:.2} ×"),
            beside: format!("{machine:.2} × of bwrap"),
            limit: format!("{GROWTH} × that"),
            passed: growth <= GROWTH * machine.max(1.0),
        });
    }
    Ok(rows)
}

/// What everybody can read, and so nobody too.
struct Stage {
    server: PathBuf,
    launcher: PathBuf,
    /// Where the programs run.
    project: PathBuf,
    /// Words that run what follows them first of all, or none where nobody may.
    at_once: &'static [&'static str],
}

impl Stage {
    fn set(folder: &Path) -> anyhow::Result<Self> {
        let found = Command::new("bwrap").arg("--version").output();
        if !found.is_ok_and(|output| output.status.success()) {
            bail!("bwrap is not there: install bubblewrap, which the sandbox is held against");
        }
        let argway = argway()?;
        let stage = Self {
            server: folder.join("server"),
            launcher: folder.join("argway"),
            project: folder.join("project"),
            at_once: match succeeds(Command::new("chrt").args(["-f", "10", "true"])) {
                Ok(()) => &["chrt", "-f", "10"],
                Err(_) => &[],
            },
        };
        std::fs::copy(std::env::current_exe()?, &stage.server)?;
        std::fs::copy(argway, &stage.launcher)?;
        for (open, mode) in [(folder, 0o755), (&stage.project, 0o777)] {
            std::fs::create_dir_all(open)?;
            std::fs::set_permissions(open, PermissionsExt::from_mode(mode))?;
        }
        Ok(stage)
    }

    fn medians(&self, user: Option<u32>, megabytes: usize) -> anyhow::Result<Medians> {
        let mut words: Vec<OsString> = self.at_once.iter().map(Into::into).collect();
        if let Some(user) = user {
            words.push("setpriv".into());
            words.extend(["--reuid", "--regid"].map(|id| format!("{id}={user}").into()));
            words.push("--clear-groups".into());
        }
        words.extend([&self.server, Path::new("sandbox-server")].map(Into::into));
        words.extend([&self.launcher, &self.project].map(Into::into));
        words.extend([megabytes, WARM_UP, ROUNDS].map(|number| number.to_string().into()));
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .current_dir(&self.project)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        let output = command.output().context("starting a server")?;
        if !output.status.success() {
            bail!("a server ended with {}", output.status);
        }
        let said: Value = serde_json::from_slice(&output.stdout)?;
        let number = |name: &str| said[name].as_f64().context("a median");
        Ok(Medians {
            plain: number("plain")?,
            bubblewrap: number("bubblewrap")?,
            strict: number("strict")?,
            portable: number("portable")?,
            strict_gone: number("strict_gone")?,
            portable_gone: number("portable_gone")?,
        })
    }
}
