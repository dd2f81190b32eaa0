//! The server's side: starts a launcher and hears its reports.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use argway_core::policy::{Demand, Filesystem, SandboxPolicy, Tier};
use rustix::process::{Pid, Signal, WaitOptions};

use crate::frame::{ASK, DESCRIPTORS, Inbox, Order, Report};
use crate::layers::LayerError;
use crate::scratch;
use crate::view::ViewError;

mod ward;

pub use ward::Ward;

/// The file that runs here.
const ITSELF: &str = "/proc/self/exe";

/// How long a launcher may take to end everything before it is ended itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a launcher that has ended everything is waited for.
const CLEANING: Duration = Duration::from_secs(2);

/// One program to run in a sandbox.
#[derive(Debug, Clone)]
pub struct Job {
    /// The file to run, absolute.
    pub program: PathBuf,
    /// The words after it.
    pub words: Vec<OsString>,
    /// Its whole environment. The sandbox adds HOME and TMPDIR where they are not in it.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it runs, canonical: a link on the way is one that somebody put there since.
    pub directory: PathBuf,
    /// The caller's home, for [`argway_core::policy::Filesystem::Home`].
    pub home: Option<PathBuf>,
    /// What it may do.
    pub policy: SandboxPolicy,
    /// How much of that must hold.
    pub demand: Demand,
}

/// What the program's streams are.
#[derive(Debug)]
pub struct Stdio {
    /// What it reads.
    pub stdin: OwnedFd,
    /// Where it prints.
    pub stdout: OwnedFd,
    /// Where it complains.
    pub stderr: OwnedFd,
}

impl Stdio {
    /// The same streams once more, for a second attempt.
    pub fn try_clone(&self) -> std::io::Result<Self> {
        Ok(Self {
            stdin: self.stdin.try_clone()?,
            stdout: self.stdout.try_clone()?,
            stderr: self.stderr.try_clone()?,
        })
    }
}

/// A launched program. Dropping it ends everything that the program started.
#[derive(Debug)]
pub struct Sandboxed {
    launcher: Launcher,
    /// Readable when there is a report or the launcher is gone; does not block.
    pub control: OwnedFd,
    inbox: Inbox,
    /// Nothing more will be said.
    silent: bool,
    /// It said that nobody is left.
    ended: bool,
    over: bool,
}

/// Who launched a program and stays beside it.
#[derive(Debug)]
enum Launcher {
    /// A child of this process: whoever holds it waits for it, with [`Sandboxed::is_over`].
    Child { pid: Pid, temporary: PathBuf },
    /// A child of a ward's.
    InWard,
}

impl Sandboxed {
    fn new(launcher: Launcher, control: OwnedFd) -> Self {
        Self {
            launcher,
            control,
            inbox: Inbox::default(),
            silent: false,
            ended: false,
            over: false,
        }
    }

    /// The launcher's process, where it is a child of this one.
    pub fn pid(&self) -> Option<Pid> {
        match &self.launcher {
            Launcher::Child { pid, .. } => Some(*pid),
            Launcher::InWard => None,
        }
    }

    /// The next report that has arrived, if one has.
    pub fn report(&mut self) -> Option<Report> {
        loop {
            match self.inbox.next() {
                Ok(Some(report)) => {
                    self.ended |= matches!(report, Report::Ended(_) | Report::Refused { .. });
                    return Some(report);
                }
                Ok(None) if self.silent => return None,
                Ok(None) => {}
                // Only a launcher that is not ours speaks so: nothing more is heard of it.
                Err(_) => {
                    self.kill();
                    self.silent = true;
                    return None;
                }
            }
            if !self.listen() {
                return None;
            }
        }
    }

    /// Takes in what was said; false where nothing was.
    fn listen(&mut self) -> bool {
        let mut piece = [0; 4096];
        match rustix::io::read(&self.control, &mut piece) {
            Ok(length @ 1..) => self.inbox.push(&piece[..length]),
            Err(rustix::io::Errno::AGAIN) => return false,
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => self.silent = true,
        }
        true
    }

    /// Whether there will be no more reports.
    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// Asks the program and everything that it started to end (SIGTERM).
    pub fn ask_to_end(&self) {
        // A launcher that is gone has ended everything.
        let _ = rustix::net::send(&self.control, &[ASK], rustix::net::SendFlags::NOSIGNAL);
    }

    /// Ends the program and everything that it started. The launcher goes last.
    pub fn kill(&self) {
        let _ = rustix::net::shutdown(&self.control, rustix::net::Shutdown::Write);
    }

    /// Whether the launcher ended, and with it everything. Does not block.
    pub fn is_over(&mut self) -> bool {
        if let Launcher::Child { pid, temporary } = &self.launcher {
            if self.over {
                return true;
            }
            match rustix::process::waitpid(Some(*pid), WaitOptions::NOHANG) {
                Ok(None) | Err(rustix::io::Errno::INTR) => return false,
                Ok(Some(_)) | Err(_) => self.over = true,
            }
            // Its launcher did that, unless it was killed.
            let _ = scratch::remove(temporary);
            return true;
        }
        // Nobody else has the other end.
        while !self.ended && !self.silent {
            if !self.listen() {
                return false;
            }
        }
        true
    }

    /// Ends everything and comes back when it is over; false where even the launcher
    /// had to be killed, so that somebody may be left.
    pub fn end(&mut self) -> bool {
        self.kill();
        if self.is_over_within(PATIENCE) {
            return true;
        }
        // What cannot be killed (sleep that no signal ends) holds the launcher up. In the
        // strict tier the rest dies with it; in the portable one it had its chance.
        if let Some(pid) = self.pid() {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
            self.is_over_within(Duration::from_secs(1));
        }
        false
    }

    fn is_over_within(&mut self, patience: Duration) -> bool {
        let start = Instant::now();
        while !self.is_over() {
            if start.elapsed() > patience {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }
}

impl AsMut<Sandboxed> for Sandboxed {
    fn as_mut(&mut self) -> &mut Sandboxed {
        self
    }
}

impl Drop for Sandboxed {
    fn drop(&mut self) {
        match self.ended {
            // It only cleans up, and needs nobody for that; but it is soon done.
            true => self.is_over_within(CLEANING),
            false => self.is_over() || self.end(),
        };
        if let Some(pid) = self.pid().filter(|_| !self.over) {
            left().push(pid);
        }
    }
}

/// Launchers that took too long to be waited for: whoever launches next looks after them.
fn left() -> MutexGuard<'static, Vec<Pid>> {
    static LEFT: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why a program was not started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The policy cannot mean what it says here.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A promised layer is not to be had.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// The launcher itself could not be started.
    #[error("the sandbox's launcher could not be started: {0}")]
    Spawn(std::io::Error),
}

/// Starts `job` in the tier that it demands first. The streams are the program's own
/// from then on.
///
/// Returns at once: whether the layers held is told by the first report.
pub fn launch(job: &Job, stdio: Stdio) -> Result<Sandboxed, LaunchError> {
    let tier = match job.demand {
        Demand::Enforced | Demand::Strict | Demand::BestEffort => Tier::Strict,
        Demand::Portable => Tier::Portable,
    };
    launch_as(job, tier, stdio)
}

/// Like [`launch`], in this tier: for a second attempt where namespaces cannot be had.
pub fn launch_as(job: &Job, tier: Tier, stdio: Stdio) -> Result<Sandboxed, LaunchError> {
    // The very file that runs here, whatever its name leads to by now.
    launch_by(Path::new(ITSELF), job, tier, stdio)
}

/// Like [`launch_as`], by the launcher of another binary: for measures, whose own
/// binary is not what is shipped.
#[cfg(target_os = "linux")]
pub fn launch_by(
    launcher: &Path,
    job: &Job,
    tier: Tier,
    stdio: Stdio,
) -> Result<Sandboxed, LaunchError> {
    left().retain(|pid| {
        let ended = rustix::process::waitpid(Some(*pid), WaitOptions::NOHANG);
        matches!(ended, Ok(None) | Err(rustix::io::Errno::INTR))
    });
    with_temporary(|temporary| start(launcher, &order(job, tier, temporary)?, &stdio))
}

/// Makes the temporary folder of a launch, and removes it where there is none.
#[cfg(target_os = "linux")]
fn with_temporary<T>(
    launch: impl FnOnce(&Path) -> Result<T, LaunchError>,
) -> Result<T, LaunchError> {
    let temporary = scratch::create().map_err(|error| LayerError {
        layer: "temporary folder",
        what: format!(
            "none could be made in {}: {error}",
            std::env::temp_dir().display()
        ),
        remedy: "let TMPDIR name a folder that this user can write to".to_owned(),
        errno: error.raw_os_error().unwrap_or_default(),
    })?;
    launch(&temporary).inspect_err(|_| {
        let _ = scratch::remove(&temporary);
    })
}

/// Like [`launch_as`], by the launcher of another binary.
#[cfg(not(target_os = "linux"))]
pub fn launch_by(
    _launcher: &Path,
    _job: &Job,
    _tier: Tier,
    _stdio: Stdio,
) -> Result<Sandboxed, LaunchError> {
    Err(LaunchError::Spawn(std::io::ErrorKind::Unsupported.into()))
}

/// What a launcher is told to run `job`.
#[cfg(target_os = "linux")]
fn order(job: &Job, tier: Tier, temporary: &Path) -> Result<Order, ViewError> {
    let view = crate::view::view(
        &job.policy,
        &job.program,
        &job.directory,
        job.home.as_deref(),
        temporary,
    )?;
    if job.policy.filesystem != Filesystem::None && view.directory != job.directory {
        return Err(ViewError::Refused(format!(
            "the working directory `{}` leads to `{}` by a link: name that folder itself",
            job.directory.display(),
            view.directory.display()
        )));
    }
    Ok(Order {
        ward: false,
        tier,
        best_effort: job.demand == Demand::BestEffort,
        program: job.program.clone(),
        // One that is gone is told of by whoever tries to execute it.
        file: crate::view::executable(&view, &job.program).unwrap_or_else(|_| job.program.clone()),
        words: job.words.clone(),
        environment: environment(&job.environment, &view, tier),
        view,
        network: job.policy.network,
        resources: job.policy.resources.clone(),
        cgroup: std::env::var_os("ARGWAY_CGROUP").map(PathBuf::from),
    })
}

/// Starts a launcher with `order`.
#[cfg(target_os = "linux")]
fn start(launcher: &Path, order: &Order, stdio: &Stdio) -> Result<Sandboxed, LaunchError> {
    use std::os::unix::ffi::OsStrExt;

    let temporary = order.view.temporary.clone();
    let attempt = || -> std::io::Result<Sandboxed> {
        let file = order_file(order, &temporary)?;
        let (control, theirs) = line()?;
        let pid = crate::sys::spawn::spawn(
            &std::ffi::CString::new(launcher.as_os_str().as_bytes())?,
            &[c"argway", c"__sandbox"],
            &descriptors(stdio, &theirs, &file),
        )?;
        let temporary = temporary.clone();
        Ok(Sandboxed::new(Launcher::Child { pid, temporary }, control))
    };
    attempt().map_err(|error| match crate::supervise::can_be_seen() {
        Ok(()) => LaunchError::Spawn(error),
        // Then this very file cannot be found either.
        Err(unseen) => unseen.into(),
    })
}

/// Both ends of a socket for asks and reports; ours does not block.
#[cfg(target_os = "linux")]
fn line() -> std::io::Result<(OwnedFd, OwnedFd)> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    let (control, theirs) = socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    rustix::io::ioctl_fionbio(&control, true)?;
    Ok((control, theirs))
}

/// What a launcher begins with, as it numbers them.
#[cfg(target_os = "linux")]
fn descriptors<'a>(
    stdio: &'a Stdio,
    line: &'a OwnedFd,
    order: &'a OwnedFd,
) -> [BorrowedFd<'a>; DESCRIPTORS] {
    [
        stdio.stdin.as_fd(),
        stdio.stdout.as_fd(),
        stdio.stderr.as_fd(),
        line.as_fd(),
        order.as_fd(),
    ]
}

/// A file without a name, so that an order of any size can be left for the launcher
/// without waiting for it. Where there are none in memory (in a sandbox within another,
/// say) it is one of the temporary folder, whose name is gone before anybody reads it.
#[cfg(target_os = "linux")]
fn order_file(order: &Order, temporary: &Path) -> std::io::Result<OwnedFd> {
    use std::io::{Seek, Write};
    use std::os::unix::fs::OpenOptionsExt;
    let order = order.encode().map_err(std::io::Error::other)?;
    let memory = rustix::fs::memfd_create("order", rustix::fs::MemfdFlags::CLOEXEC);
    let mut file = match memory {
        Ok(file) => std::fs::File::from(file),
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
            let path = temporary.join("order");
            let mut options = std::fs::OpenOptions::new();
            let options = options.read(true).write(true).create_new(true).mode(0o600);
            let file = options.open(&path)?;
            std::fs::remove_file(path)?;
            file
        }
        Err(error) => return Err(error.into()),
    };
    file.write_all(&order)?;
    file.rewind()?;
    Ok(file.into())
}

/// The variables of `given` with HOME and TMPDIR as the view has them where the caller
/// sets none, and without the mark by which the server knows processes that run in no
/// sandbox.
fn environment(
    given: &[(OsString, OsString)],
    view: &crate::view::View,
    tier: Tier,
) -> Vec<(OsString, OsString)> {
    let mut environment = given.to_vec();
    environment.retain(|(name, _)| name != OsStr::new("ARGWAY_RUN"));
    for (name, folder) in [("HOME", &view.home), ("TMPDIR", &view.temporary)] {
        if !given.iter().any(|(given, _)| given == OsStr::new(name)) {
            let folder = match tier {
                Tier::Strict => view.in_own_world(folder),
                Tier::Portable | Tier::Partial => folder,
            };
            environment.push((name.into(), folder.into()));
        }
    }
    environment
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[test]
    fn a_folder_that_became_a_link_since_it_was_found_is_not_granted() {
        let scene = tempfile::tempdir().unwrap();
        let root = scene.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("outside/deep")).unwrap();
        std::os::unix::fs::symlink("outside", root.join("work")).unwrap();
        let null = || std::fs::File::open("/dev/null").unwrap().into();
        for directory in ["work", "work/deep"] {
            let job = Job {
                program: "/bin/true".into(),
                words: Vec::new(),
                environment: Vec::new(),
                directory: root.join(directory),
                home: None,
                policy: SandboxPolicy::default(),
                demand: Demand::Portable,
            };
            let stdio = Stdio {
                stdin: null(),
                stdout: null(),
                stderr: null(),
            };
            let error = launch(&job, stdio).unwrap_err().to_string();
            assert!(error.contains("by a link"), "{error}");
        }
    }
}
