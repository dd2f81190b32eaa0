//! Runs one command line: its own process group, bounded output, a sure end.
//!
//! Here is the course of a run, from start to end. The process and its pipes are in
//! `running` (in a sandbox, its launcher in `sandboxed`), what a stream says is kept by `capture`, and which processes belong to
//! a run and how they are ended is the work of `tree` and `survey`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use argway_core::output::{Captured, Ending, Outcome};
use argway_core::policy::{Demand, SandboxPolicy};
use rustix::io::Errno;
use tokio::time::Instant;

use hold::Hold;
use running::{Running, feed};
pub(crate) use sandboxed::Ward;
pub use terminal::leave_terminal;
pub(crate) use tree::end as end_left_behind;
pub use tree::{any_under_way, end_all};

mod capture;
mod environment;
mod hold;
mod processes;
mod running;
mod sandboxed;
mod survey;
mod terminal;
mod tree;

pub use environment::environment;

/// After the program ended, whoever still has its output open may go on for as
/// long as it says something at least this often …
const QUIET: Duration = Duration::from_millis(300);
/// … and for no longer than this.
const LONGEST_DRAIN: Duration = Duration::from_secs(10);
/// What is left behind gets this long to end when asked to.
const RELEASE: Duration = Duration::from_millis(500);

/// How often a run that takes its time is looked at.
const LOOK: Duration = Duration::from_millis(250);
/// How often a tree that was asked to end is looked at.
const LOOK_CLOSELY: Duration = Duration::from_millis(20);

/// One command line to run.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The file to run, absolute.
    pub program: PathBuf,
    /// The words after it.
    pub words: Vec<OsString>,
    /// What it reads; nothing means an empty stdin.
    pub stdin: Option<Vec<u8>>,
    /// Where it runs; the caller's folder otherwise.
    pub directory: Option<PathBuf>,
    /// The environment: inherited and added to, or exactly this.
    pub environment: Environment,
    /// Bounds.
    pub limits: Limits,
    /// What it may do; nothing means whatever the caller may.
    pub sandbox: Option<Sandbox>,
}

/// The sandbox of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// What the run may do.
    pub policy: SandboxPolicy,
    /// How much of that must hold.
    pub demand: Demand,
}

/// The variables that a run sees.
#[derive(Debug, Clone)]
pub enum Environment {
    /// The caller's, with these set (or unset).
    Inherit(Vec<(OsString, Option<OsString>)>),
    /// These alone.
    Exactly(Vec<(OsString, OsString)>),
}

/// Bounds on one run.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Ended after this long.
    pub timeout: Duration,
    /// Bytes of each stream kept in memory.
    pub keep: usize,
    /// Bytes of each stream kept in a file beyond that; the run is ended after it.
    pub spill: u64,
    /// Where such files go: the first of these that is, or can be made, a private folder.
    /// None: nothing is spilled, the run is ended.
    pub spill_folders: Vec<PathBuf>,
}

/// Something that happened while a run went on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// So many bytes of stdout so far.
    Stdout(u64),
    /// A whole line of stderr.
    StderrLine(String),
}

/// Why a run did not start.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The file could not be run.
    #[error("{} cannot be started: {}", .program.display(), why(.program, .reason))]
    Spawn {
        /// The file.
        program: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// The folder to run in is not there.
    #[error("{} is not a folder to run in", .0.display())]
    Directory(PathBuf),
    /// What its sandbox promises cannot be kept here, and what would allow it.
    #[error("{0}")]
    Sandbox(String),
}

/// The system's reason not to start a program, in words that say what to do.
fn why(program: &Path, reason: &std::io::Error) -> String {
    match reason.kind() {
        std::io::ErrorKind::NotFound if program.exists() => {
            "the interpreter that it names in its first line, or its loader, is not there"
                .to_owned()
        }
        _ if reason.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) => {
            "it is no program for this machine; a script begins with a line like `#!/bin/sh`"
                .to_owned()
        }
        _ => reason.to_string(),
    }
}

/// Runs `invocation`. Dropping the future, or completing `cancel`, ends the whole
/// process tree.
pub async fn run(
    invocation: Invocation,
    cancel: impl Future<Output = ()>,
    events: &mut (dyn FnMut(Event) + Send),
) -> Result<Outcome, ExecError> {
    let (_, outcome) = run_within(None, invocation, cancel, events).await?;
    Ok(outcome)
}

/// Like [`run`], in a ward where there is one, and says under which number
/// [`end_left_behind`] finds what was left.
pub(crate) async fn run_within(
    ward: Option<&Ward>,
    invocation: Invocation,
    cancel: impl Future<Output = ()>,
    events: &mut (dyn FnMut(Event) + Send),
) -> Result<(u64, Outcome), ExecError> {
    let started = Instant::now();
    let mut cancel = pin!(cancel);
    let mut cancelled = false;
    let deadline = after(started, invocation.limits.timeout);
    let mut running = tokio::select! {
        biased;
        running = Running::start(&invocation, ward) => running?,
        () = &mut cancel => return Ok((0, not_begun(Ending::Cancelled, started))),
        () = tokio::time::sleep_until(deadline) => {
            let ending = Ending::TimedOut(invocation.limits.timeout);
            return Ok((0, not_begun(ending, started)));
        }
    };
    let mut course = Course::new(deadline);
    let mut timer = pin!(tokio::time::sleep_until(course.next_look()));

    loop {
        tokio::select! {
            read = running.stdout.read(), if running.stdout.is_open() => {
                if running.stdout.took(read) {
                    events(Event::Stdout(running.stdout.capture.total()));
                }
                course.heard();
            }
            read = running.stderr.read(), if running.stderr.is_open() => {
                running.stderr.took(read);
                let piece = &running.stderr.piece;
                running.lines.push(piece, &mut |line| events(Event::StderrLine(line)));
                course.heard();
            }
            () = feed(&mut running.stdin, &mut running.input), if running.stdin.is_some() => {
                running.stdin = None;
            }
            () = running.hold.wait(), if !running.hold.is_reaped() => {
                course.main_ended(&running.hold);
            }
            () = &mut cancel, if !cancelled => {
                cancelled = true;
                course.stop(Stop::Ended(Ending::Cancelled), &mut running);
            }
            () = &mut timer => {}
        }
        if let Some(limit) = running.flooded() {
            course.stop(Stop::Ended(Ending::Flooded(limit)), &mut running);
        }
        if course.step(&mut running).await == Step::Over {
            break;
        }
        timer.as_mut().reset(course.next_look());
    }

    running
        .lines
        .flush(&mut |line| events(Event::StderrLine(line)));
    let ending = course.ending(&running, invocation.limits.timeout);
    let guarded = running.hold.guarded();
    let sandbox = guarded.map(|guarded| guarded.enforcement.clone());
    let ended_leftovers = course.ended_leftovers || guarded.is_some_and(|it| it.leftovers);
    let number = running.hold.let_go();
    Ok((
        number,
        Outcome {
            ending,
            stdout: running.stdout.capture.finish(),
            stderr: running.stderr.capture.finish(),
            duration: started.elapsed(),
            ended_leftovers,
            sandbox,
        },
    ))
}

/// What is told of a run that was ended before its program ran.
fn not_begun(ending: Ending, started: Instant) -> Outcome {
    Outcome {
        ending,
        stdout: Captured::default(),
        stderr: Captured::default(),
        duration: started.elapsed(),
        ended_leftovers: false,
        sandbox: None,
    }
}

/// So much later, or at least later than anybody waits.
fn after(start: Instant, duration: Duration) -> Instant {
    const YEARS: Duration = Duration::from_secs(10 * 365 * 86400);
    start + duration.min(YEARS)
}

/// Where a run stands between its start and its end.
#[derive(Debug)]
struct Course {
    deadline: Instant,
    phase: Phase,
    stopped_by: Option<Stop>,
    ended_leftovers: bool,
    last_heard: Instant,
    last_look: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The program runs.
    Running,
    /// It ended; somebody still has its output open.
    Draining { until: Instant },
    /// Those were asked to let go.
    Releasing { until: Instant },
    /// The whole tree was asked to end.
    Stopping { until: Instant },
    /// Nobody is left; what is in the pipes is still read.
    Emptying { until: Instant },
}

/// Why a run was ended from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Ended(Ending),
    TimedOut,
    /// It was stopped by this signal because it used a terminal.
    WantedTerminal(i32),
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    GoOn,
    Over,
}

impl Course {
    fn new(deadline: Instant) -> Self {
        Self {
            deadline,
            phase: Phase::Running,
            stopped_by: None,
            ended_leftovers: false,
            last_heard: Instant::now(),
            last_look: Instant::now(),
        }
    }

    fn heard(&mut self) {
        self.last_heard = Instant::now();
    }

    fn main_ended(&mut self, hold: &Hold) {
        let now = Instant::now();
        if hold.is_settled() {
            let until = now + RELEASE;
            self.phase = Phase::Emptying { until };
        } else if hold.is_abandoned() {
            self.phase = Phase::Stopping { until: now };
        } else if self.phase == Phase::Running {
            self.heard();
            let until = now + LONGEST_DRAIN;
            self.phase = Phase::Draining { until };
        }
    }

    /// Asks the tree to end; the first reason is the one that counts.
    fn stop(&mut self, why: Stop, running: &mut Running) {
        if self.stopped_by.is_some() {
            return;
        }
        self.stopped_by = Some(why);
        running.stdin = None;
        running.hold.ask_to_end();
        let until = Instant::now() + tree::GRACE;
        self.phase = Phase::Stopping { until };
    }

    fn next_look(&self) -> Instant {
        let now = Instant::now();
        match self.phase {
            Phase::Running => self.deadline.min(now + LOOK),
            Phase::Draining { until } => until.min(self.last_heard + QUIET),
            Phase::Releasing { until } | Phase::Emptying { until } => until,
            Phase::Stopping { until } => until.min(now + LOOK_CLOSELY),
        }
    }

    /// Moves on as far as the time and what is known allow.
    async fn step(&mut self, running: &mut Running) -> Step {
        let now = Instant::now();
        let closed = !running.stdout.is_open() && !running.stderr.is_open();
        match self.phase {
            Phase::Running if now >= self.deadline => self.stop(Stop::TimedOut, running),
            Phase::Running if now >= self.last_heard + LOOK => {
                if let Some(signal) = running.hold.waits_for_terminal() {
                    self.stop(Stop::WantedTerminal(signal), running);
                }
            }
            Phase::Running => {}
            Phase::Draining { .. } if closed => return Step::Over,
            Phase::Draining { until } => {
                if now >= until.min(self.last_heard + QUIET) {
                    self.ended_leftovers |= running.hold.ask_holders(&running.pipes);
                    let until = now + RELEASE;
                    self.phase = Phase::Releasing { until };
                }
            }
            Phase::Releasing { until } => {
                if closed || now >= until {
                    self.ended_leftovers |= running.hold.kill_holders(&running.pipes).await;
                    let until = Instant::now() + LOOK_CLOSELY;
                    self.phase = Phase::Emptying { until };
                }
            }
            Phase::Stopping { until } => {
                let mut gone = false;
                if running.hold.is_reaped() && now >= self.last_look + LOOK_CLOSELY {
                    gone = running.hold.is_over();
                    self.last_look = Instant::now();
                }
                if gone || now >= until {
                    running.hold.kill().await;
                    let until = Instant::now() + RELEASE;
                    self.phase = Phase::Emptying { until };
                }
            }
            Phase::Emptying { until } => {
                if now >= until || (closed && running.hold.is_reaped()) {
                    return Step::Over;
                }
            }
        }
        Step::GoOn
    }

    fn ending(&self, running: &Running, timeout: Duration) -> Ending {
        match self.stopped_by {
            Some(Stop::Ended(ending)) => ending,
            Some(Stop::TimedOut) => Ending::TimedOut(timeout),
            Some(Stop::WantedTerminal(signal)) => Ending::Signalled(signal),
            None => running.hold.ending(),
        }
    }
}
