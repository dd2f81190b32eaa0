//! A run in a sandbox: its launcher, what that reports, and which tier it gets.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use argway_core::policy::{Demand, Enforcement, Exceeded, Tier};
use argway_sandbox::frame::Report;
use argway_sandbox::{Job, LaunchError, Sandboxed, Stdio, launch_as};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use super::tree::{Planned, Tree};
use super::{Environment, ExecError, Invocation, Limits, Sandbox};

/// How long a launcher may take to end everything when it was told to.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a launcher that said all it had to say is looked at until it is gone.
const LOOK: Duration = Duration::from_millis(2);

/// Namespaces were refused once: the system will not change its mind while this
/// process lives.
static NO_NAMESPACES: AtomicBool = AtomicBool::new(false);

/// A launched program.
pub(super) struct Guarded {
    launched: Launched,
    pub enforcement: Enforcement,
    pub exceeded: Option<Exceeded>,
    /// It left others behind, which were ended.
    pub leftovers: bool,
}

/// The server's ends of a program's streams.
pub(super) struct Streams {
    pub stdin: Option<ChildStdin>,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

/// Starts `invocation` in `sandbox` and waits until the program runs, or does not.
/// Dropped half-way, it ends what it started.
///
/// In `ward` where one is given and still stands.
pub(super) async fn start(
    invocation: &Invocation,
    sandbox: &Sandbox,
    ward: Option<&Ward>,
    planned: &Planned,
) -> Result<(Tree, Guarded, Streams), ExecError> {
    let failed = |reason| spawn_error(invocation, reason);
    let job = job(invocation, sandbox)?;
    // Said as it is said without a sandbox, before anybody asks what it may reach.
    if invocation.program.metadata().map_err(failed)?.is_dir() {
        return Err(failed(Errno::ISDIR.into()));
    }
    let (streams, theirs) = streams(invocation.stdin.is_some()).map_err(|error| {
        let remedy = "there must be a /dev/null, and descriptors for three pipes: see `ulimit -n`";
        ExecError::Sandbox(refusal(
            "launcher",
            &format!("its streams: {error}"),
            remedy,
        ))
    })?;
    let within = match ward {
        Some(ward) => ward.start(invocation, &theirs, planned).await?,
        None => None,
    };
    let (tree, launched, enforcement) = match within {
        Some(begun) => begun,
        None => {
            let launch = |tier| {
                let attempt = theirs.try_clone().map_err(LaunchError::Spawn)?;
                launch_as(&job, tier, attempt)
            };
            in_best_tier(invocation, sandbox, planned, launch).await?
        }
    };
    let guarded = Guarded {
        launched,
        enforcement,
        exceeded: None,
        leftovers: false,
    };
    Ok((tree, guarded, streams))
}

/// A program that runs, or a ward that stands: whose processes, who answers for them and
/// what holds.
type Begun<S> = (Tree, Launched<S>, Enforcement);

/// Why nothing runs.
enum NotBegun {
    /// The strict tier is not to be had here at all.
    NoNamespaces(ExecError),
    /// Its launcher ended without a word.
    Silent(ExecError),
    Refused(ExecError),
}

impl From<NotBegun> for ExecError {
    fn from(why: NotBegun) -> Self {
        match why {
            NotBegun::NoNamespaces(error) | NotBegun::Silent(error) | NotBegun::Refused(error) => {
                error
            }
        }
    }
}

/// Launches in the best tier that the demand allows and the system has.
async fn in_best_tier<S: AsMut<Sandboxed> + Send + 'static>(
    invocation: &Invocation,
    sandbox: &Sandbox,
    planned: &Planned,
    launch: impl Fn(Tier) -> Result<S, LaunchError>,
) -> Result<Begun<S>, ExecError> {
    let may_fall_back = matches!(sandbox.demand, Demand::Enforced | Demand::BestEffort);
    let mut tier = match sandbox.demand {
        Demand::Portable => Tier::Portable,
        _ if may_fall_back && NO_NAMESPACES.load(Ordering::Relaxed) => Tier::Portable,
        Demand::Enforced | Demand::Strict | Demand::BestEffort => Tier::Strict,
    };
    loop {
        // Dropped before the tree, which takes what a killed launcher would leave.
        let (tree, launched) = Tree::begin_guarded(planned, || {
            let mut launched = launch(tier)?;
            let pid = launched.as_mut().pid();
            let pid = pid.ok_or_else(|| LaunchError::Spawn(io::ErrorKind::NotFound.into()))?;
            Ok((pid, launched))
        })
        .map_err(|error: LaunchError| ExecError::Sandbox(error.to_string()))?;
        match begin(invocation, tree, launched).await {
            Err(NotBegun::NoNamespaces(_)) if may_fall_back && tier == Tier::Strict => {
                NO_NAMESPACES.store(true, Ordering::Relaxed);
                tier = Tier::Portable;
            }
            begun => return Ok(begun?),
        }
    }
}

/// Waits until what was launched runs, or does not.
async fn begin<S: AsMut<Sandboxed> + Send + 'static>(
    invocation: &Invocation,
    mut tree: Tree,
    launched: S,
) -> Result<Begun<S>, NotBegun> {
    let failed = |reason| NotBegun::Refused(spawn_error(invocation, reason));
    let mut launched = Launched::new(launched).map_err(failed)?;
    match launched.report().await.map_err(failed)? {
        Some(Report::Started(enforcement)) => Ok((tree, launched, enforcement)),
        Some(
            ref report @ Report::Refused {
                ref layer,
                ref what,
                ref remedy,
                errno,
            },
        ) => {
            launched.depart();
            tree.let_go();
            if layer.is_empty() {
                return Err(failed(io::Error::from_raw_os_error(errno)));
            }
            let error = ExecError::Sandbox(refusal(layer, what, remedy));
            Err(match report.lets_portable_take_over() {
                true => NotBegun::NoNamespaces(error),
                false => NotBegun::Refused(error),
            })
        }
        Some(Report::Ended(_) | Report::Exceeded(_) | Report::Leftovers) | None => {
            let what = "it ended without a word";
            let error = ExecError::Sandbox(refusal("launcher", what, ""));
            Err(NotBegun::Silent(error))
        }
    }
}

fn spawn_error(invocation: &Invocation, reason: io::Error) -> ExecError {
    ExecError::Spawn {
        program: invocation.program.clone(),
        reason,
    }
}

/// A sandbox that stays, for many runs of one program with other words. Dropping it ends
/// everything in it.
#[derive(Debug)]
pub(crate) struct Ward {
    ward: argway_sandbox::Ward,
    tree: Tree,
}

impl Ward {
    /// A ward for runs like `invocation`, which is one in a sandbox.
    pub async fn open(invocation: &Invocation, sandbox: &Sandbox) -> Result<Self, ExecError> {
        let job = job(invocation, sandbox)?;
        let planned = super::tree::plan();
        let launch = |tier| argway_sandbox::Ward::open(&job, tier);
        let (tree, launched, _) = in_best_tier(invocation, sandbox, &planned, launch).await?;
        Ok(Self {
            ward: launched.sandboxed,
            tree,
        })
    }

    /// Starts `invocation` here; nothing where the ward is gone.
    async fn start(
        &self,
        invocation: &Invocation,
        stdio: &Stdio,
        planned: &Planned,
    ) -> Result<Option<Begun<Sandboxed>>, ExecError> {
        let Ok(launched) = self.ward.launch(&invocation.words, stdio) else {
            return Ok(None);
        };
        match begin(invocation, self.tree.within(planned), launched).await {
            Ok(begun) => Ok(Some(begun)),
            Err(NotBegun::Silent(_)) => Ok(None),
            Err(why) => Err(why.into()),
        }
    }
}

impl Drop for Ward {
    fn drop(&mut self) {
        // A ward that was killed leaves to the tree who was in it.
        if self.ward.sandboxed.end() {
            self.tree.let_go();
        }
    }
}

fn refusal(layer: &str, what: &str, remedy: &str) -> String {
    let remedy = match remedy.is_empty() {
        true => String::new(),
        false => format!("; {remedy}"),
    };
    format!("the sandbox cannot hold here: {layer}: {what}{remedy}")
}

fn job(invocation: &Invocation, sandbox: &Sandbox) -> Result<Job, ExecError> {
    let directory = match &invocation.directory {
        Some(directory) => directory.clone(),
        None => std::env::current_dir().map_err(|_| ExecError::Directory(".".into()))?,
    };
    if !directory.is_dir() {
        return Err(ExecError::Directory(directory));
    }
    Ok(Job {
        program: invocation.program.clone(),
        words: invocation.words.clone(),
        environment: environment(&invocation.environment, sandbox),
        directory,
        home: std::env::var_os("HOME").map(Into::into),
        policy: sandbox.policy.clone(),
        demand: sandbox.demand,
    })
}

/// In a sandbox nothing is inherited by itself: only PATH, what the policy names, and
/// what the caller sets.
fn environment(environment: &Environment, sandbox: &Sandbox) -> Vec<(OsString, OsString)> {
    let changes = match environment {
        Environment::Exactly(variables) => return variables.clone(),
        Environment::Inherit(changes) => changes,
    };
    let changed = |name: &str| changes.iter().any(|(it, _)| it == name);
    let named = sandbox.policy.variables.iter().map(String::as_str);
    let mut variables: Vec<(OsString, OsString)> = named
        .chain(["PATH"])
        .filter(|name| !changed(name))
        .filter_map(|name| Some((name.into(), std::env::var_os(name)?)))
        .collect();
    let set = changes
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
    variables.extend(set);
    variables
}

/// The caller's limits, or the policy's where that is smaller.
pub(super) fn limits(limits: &Limits, sandbox: &Sandbox) -> Limits {
    let most = sandbox.policy.resources.output_mb.saturating_mul(1 << 20);
    Limits {
        spill: limits.spill.min(most),
        keep: limits.keep.min(usize::try_from(most).unwrap_or(usize::MAX)),
        ..limits.clone()
    }
}

fn streams(with_stdin: bool) -> io::Result<(Streams, Stdio)> {
    let (stdout, their_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, their_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let (their_stdin, stdin) = match with_stdin {
        true => {
            let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
            (theirs, Some(ours))
        }
        // Not an empty pipe: some programs read whatever is no terminal and no null.
        false => (std::fs::File::open("/dev/null")?.into(), None),
    };
    let stdin = stdin.map(|end: OwnedFd| ChildStdin::from_std(end.into()));
    let streams = Streams {
        stdin: stdin.transpose()?,
        stdout: ChildStdout::from_std(stdout.into())?,
        stderr: ChildStderr::from_std(stderr.into())?,
    };
    let theirs = Stdio {
        stdin: their_stdin,
        stdout: their_stdout,
        stderr: their_stderr,
    };
    Ok((streams, theirs))
}

/// A launcher whose reports can be waited for.
struct Launched<S = Sandboxed> {
    sandboxed: S,
    /// The same socket, for the runtime to look at.
    news: UnixStream,
}

impl<S: AsMut<Sandboxed> + Send + 'static> Launched<S> {
    fn new(mut sandboxed: S) -> io::Result<Self> {
        let control = sandboxed.as_mut().control.try_clone()?;
        let news = std::os::unix::net::UnixStream::from(control);
        Ok(Self {
            news: UnixStream::from_std(news)?,
            sandboxed,
        })
    }

    /// The next report; nothing when there will be none. Safe to drop half-way.
    async fn report(&mut self) -> io::Result<Option<Report>> {
        loop {
            let sandboxed = self.sandboxed.as_mut();
            let heard = self
                .news
                .try_io(Interest::READABLE, || match sandboxed.report() {
                    Some(report) => Ok(Some(report)),
                    None if sandboxed.is_silent() => Ok(None),
                    None => Err(io::ErrorKind::WouldBlock.into()),
                });
            match heard {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                heard => return heard,
            }
            self.news.readable().await?;
        }
    }

    /// Lets a launcher whose program is over clean up, and waits for it beside.
    fn depart(self) {
        let mut sandboxed = self.sandboxed;
        if sandboxed.as_mut().is_over() {
            return;
        }
        tokio::spawn(async move {
            while !sandboxed.as_mut().is_over() {
                tokio::time::sleep(LOOK).await;
            }
        });
    }
}

impl Guarded {
    /// How the program ended, once it and everything that it started is gone; an error
    /// where the launcher went without saying so. Safe to drop half-way.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        while let Some(report) = self.launched.report().await? {
            match report {
                Report::Ended(status) => return Ok(ExitStatus::from_raw(status)),
                Report::Exceeded(what) => self.exceeded = Some(what),
                Report::Leftovers => self.leftovers = true,
                Report::Started(_) | Report::Refused { .. } => {}
            }
        }
        Err(io::ErrorKind::BrokenPipe.into())
    }

    /// Asks everything to end.
    pub fn ask_to_end(&self) {
        self.launched.sandboxed.ask_to_end();
    }

    /// Ends everything: how the program ended, where the launcher says so in time.
    pub async fn kill(&mut self) -> Option<io::Result<ExitStatus>> {
        self.launched.sandboxed.kill();
        tokio::time::timeout(PATIENCE, self.wait()).await.ok()
    }

    /// Ends everything and comes back when that is done; false where somebody may be
    /// left. Blocks.
    pub fn end(&mut self) -> bool {
        self.launched.sandboxed.end()
    }

    /// The run is over: what the launcher still does, it does by itself.
    pub fn let_go(self) {
        self.launched.depart();
    }
}
