//! What stands for the server: a process of a chosen size that runs `/bin/true` in each
//! way, in turns, and prints the medians.

use std::hint::black_box;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use argway_core::policy::{Demand, SandboxPolicy, Tier};
use argway_sandbox::frame::Report;
use argway_sandbox::view::{self, View};
use argway_sandbox::{Job, launch_by};
use serde_json::json;

use crate::bench::{median, ms};

const PROGRAM: &str = "/bin/true";

/// One run: until its end was seen, and until nothing of it is left.
struct Took {
    answer: Duration,
    gone: Duration,
}

/// The words: launcher, working directory, MB to be large, rounds to warm up, rounds.
pub(crate) fn serve(words: &[String]) -> anyhow::Result<()> {
    let [launcher, project, numbers @ ..] = words else {
        bail!("sandbox-server is for `bench sandbox` alone");
    };
    let numbers: Vec<usize> = numbers
        .iter()
        .map(|word| word.parse())
        .collect::<Result<_, _>>()?;
    let &[megabytes, warm_up, rounds] = &numbers[..] else {
        bail!("sandbox-server is for `bench sandbox` alone");
    };
    // Written, so that the pages are there.
    let weight = black_box(vec![1_u8; megabytes << 20]);
    let job = Job {
        program: PROGRAM.into(),
        words: Vec::new(),
        environment: Vec::new(),
        directory: project.into(),
        home: None,
        policy: SandboxPolicy::default(),
        demand: Demand::Strict,
    };
    let launcher = PathBuf::from(launcher);
    let temporary = tempfile::tempdir()?;
    let seen = view::view(
        &job.policy,
        &job.program,
        &job.directory,
        None,
        temporary.path(),
    )?;
    let sandboxed = |tier| sandboxed(&launcher, &job, tier);
    type Run<'a> = &'a dyn Fn() -> anyhow::Result<Took>;
    let kinds: [(&str, Run); 4] = [
        ("plain", &|| started(&mut Command::new(PROGRAM))),
        ("bubblewrap", &|| started(&mut bubblewrap(&seen))),
        ("strict", &|| sandboxed(Tier::Strict)),
        ("portable", &|| sandboxed(Tier::Portable)),
    ];
    let mut times = kinds.map(|(name, run)| (name, run, Vec::new(), Vec::new()));
    for round in 0..warm_up + rounds {
        for (name, run, answers, goings) in &mut times {
            let took = run().with_context(|| format!("{name}, round {round}"))?;
            if round >= warm_up {
                answers.push(took.answer);
                goings.push(took.gone);
            }
        }
    }
    let mut medians = serde_json::Map::new();
    for (name, _, mut answers, mut goings) in times {
        medians.insert(name.to_owned(), json!(ms(median(&mut answers))));
        medians.insert(format!("{name}_gone"), json!(ms(median(&mut goings))));
    }
    black_box(&weight);
    writeln!(std::io::stdout(), "{}", serde_json::Value::from(medians))?;
    Ok(())
}

fn started(command: &mut Command) -> anyhow::Result<Took> {
    command.env_clear().stdin(Stdio::null());
    let begun = Instant::now();
    let output = command.output()?;
    let took = begun.elapsed();
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{command:?} ended with {}: {said}", output.status);
    }
    Ok(Took {
        answer: took,
        gone: took,
    })
}

/// `--unshare-all`, and what the view shows, nothing else.
fn bubblewrap(view: &View) -> Command {
    let mut command = Command::new("/usr/bin/bwrap");
    command.arg("--unshare-all");
    let mut bind = |how: &str, from: &Path, to: &Path| {
        command.arg(how).arg(from).arg(to);
    };
    for path in &view.readable {
        bind("--ro-bind", path, path);
    }
    for path in view.writable.iter().filter(|&path| *path != view.temporary) {
        bind("--bind", path, path);
    }
    bind("--bind", &view.temporary, Path::new("/tmp"));
    for path in &view.protected {
        bind("--ro-bind", path, path);
    }
    for name in ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"] {
        if let Ok(target) = std::fs::read_link(name) {
            bind("--symlink", &target, Path::new(name));
        }
    }
    command.args(["--proc", "/proc", "--dev", "/dev", "--chdir"]);
    command.arg(&view.directory).arg(PROGRAM);
    command
}

/// As the server does it: the streams to their end, and the report of the program's.
fn sandboxed(launcher: &Path, job: &Job, tier: Tier) -> anyhow::Result<Took> {
    let begun = Instant::now();
    let (mut stdout, their_stdout) = std::io::pipe()?;
    let (mut stderr, their_stderr) = std::io::pipe()?;
    let stdio = argway_sandbox::Stdio {
        stdin: std::fs::File::open("/dev/null")?.into(),
        stdout: OwnedFd::from(their_stdout),
        stderr: OwnedFd::from(their_stderr),
    };
    let mut run = launch_by(launcher, job, tier, stdio)?;
    let mut said = Vec::new();
    stdout.read_to_end(&mut said)?;
    stderr.read_to_end(&mut said)?;
    rustix::io::ioctl_fionbio(&run.control, false)?;
    let status = loop {
        match run.report().context("the launcher is gone")? {
            Report::Ended(status) => break status,
            Report::Started(enforcement) if enforcement.tier == tier => {}
            other => bail!("{other:?}"),
        }
    };
    let answer = begun.elapsed();
    if status != 0 {
        bail!("it ended with {status}");
    }
    // Whatever it still does is not to be seen in the next run's time.
    if let Some(launcher) = run.pid() {
        rustix::process::waitpid(Some(launcher), rustix::process::WaitOptions::empty())?;
    }
    Ok(Took {
        answer,
        gone: begun.elapsed(),
    })
}
