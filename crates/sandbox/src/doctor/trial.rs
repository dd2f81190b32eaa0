//! Launches the attempts in a tier, exactly as a call would be, and hears what came of
//! them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use argway_core::policy::{Demand, Exceeded, Resources, SandboxPolicy};
use rustix::event::{PollFd, PollFlags, Timespec};

use super::attempts::{self, Targets};
use super::promises::Attempt;
use crate::frame::Report;
use crate::launch::{Job, Sandboxed, Stdio as Streams, launch};

/// How long all attempts may take, and how long everything may take to end.
const PATIENCE: Duration = Duration::from_secs(15);
/// What is kept of the answers.
const MOST_SAID: usize = 64 * 1024;
/// How many processes the crowd may be.
const PROCESSES: u64 = 8;

/// Why a tier is not to be had.
pub struct Refusal {
    pub why: String,
    /// A call would be tried in the portable tier then.
    pub portable_takes_over: bool,
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self {
            why,
            portable_takes_over: false,
        }
    }
}

/// Tries the tier that `demand` asks for.
pub fn perform(demand: Demand) -> Result<BTreeMap<String, Attempt>, Refusal> {
    let scene = Scene::prepare().map_err(|error| format!("preparing the attempts: {error}"))?;
    let itself = std::env::current_exe().map_err(|error| format!("finding itself: {error}"))?;
    let job = |words: Vec<OsString>, processes: u64| Job {
        program: itself.clone(),
        words,
        environment: Vec::new(),
        directory: scene.directory(),
        home: None,
        policy: SandboxPolicy {
            resources: Resources {
                open_files: attempts::OPEN_FILES,
                file_mb: attempts::FILE_MB,
                processes,
                ..Resources::default()
            },
            ..SandboxPolicy::default()
        },
        demand,
    };
    let all = Course::follow(&job(
        scene.targets().words(),
        Resources::default().processes,
    ))?;
    let mut attempts = all.attempts();
    if attempts.is_empty() {
        return Err("the attempts gave no answer, so nothing is known"
            .to_owned()
            .into());
    }
    let crowd = Course::follow(&job(attempts::crowd(), PROCESSES))?;
    attempts.extend(crowd.attempts());
    if crowd
        .reports
        .contains(&Report::Exceeded(Exceeded::Processes))
    {
        attempts.insert("crowd".to_owned(), Attempt::Stopped);
    }
    let left = if crowd.is_over {
        Attempt::Stopped
    } else {
        Attempt::Done("a process was left".to_owned())
    };
    attempts.insert("left".to_owned(), left);
    Ok(attempts)
}

/// What became of one launch.
struct Course {
    said: Vec<u8>,
    reports: Vec<Report>,
    /// Nobody holds the stream any more that every process of the run had.
    is_over: bool,
}

impl Course {
    fn follow(job: &Job) -> Result<Self, Refusal> {
        let (out, streams, _inheritable) =
            streams().map_err(|error| format!("making the streams: {error}"))?;
        let mut sandboxed = launch(job, streams).map_err(|error| error.to_string())?;
        let mut course = Self {
            said: Vec::new(),
            reports: Vec::new(),
            is_over: false,
        };
        course.listen(&mut sandboxed, &out, |course| course.has_answered());
        sandboxed.kill();
        course.listen(&mut sandboxed, &out, |course| course.is_over);
        // The last report may be on its way still.
        course.listen(&mut sandboxed, &out, |course| course.has_ended());
        for report in &course.reports {
            if let Report::Refused {
                layer,
                what,
                remedy,
                ..
            } = report
            {
                return Err(Refusal {
                    why: format!("{layer}: {what}; {remedy}"),
                    portable_takes_over: report.lets_portable_take_over(),
                });
            }
        }
        Ok(course)
    }

    /// Takes in what is said and reported until `enough`, or for as long as patience lasts.
    fn listen(&mut self, sandboxed: &mut Sandboxed, out: &OwnedFd, enough: fn(&Self) -> bool) {
        let start = Instant::now();
        while !enough(self) && start.elapsed() < PATIENCE {
            self.hear(out);
            while let Some(report) = sandboxed.report() {
                self.reports.push(report);
            }
            if self.is_over && self.reports.is_empty() && start.elapsed() > PATIENCE / 10 {
                return;
            }
        }
    }

    /// What has been said, waiting a little for it.
    fn hear(&mut self, out: &OwnedFd) {
        let moment = Timespec {
            tv_sec: 0,
            tv_nsec: 10_000_000,
        };
        if self.is_over {
            std::thread::sleep(Duration::from_millis(5));
            return;
        }
        let mut ready = [PollFd::new(out, PollFlags::IN)];
        if !matches!(rustix::event::poll(&mut ready, Some(&moment)), Ok(1..)) {
            return;
        }
        let mut piece = [0; 4096];
        match rustix::io::read(out, &mut piece) {
            Ok(0) => self.is_over = true,
            Ok(count) if self.said.len() < MOST_SAID => {
                self.said.extend_from_slice(&piece[..count]);
            }
            Ok(_) | Err(_) => {}
        }
    }

    /// The program has said what it had to say, or will not.
    fn has_answered(&self) -> bool {
        let crowded = self
            .reports
            .contains(&Report::Exceeded(Exceeded::Processes))
            || self.said.starts_with(b"crowd ") && self.said.ends_with(b"\n");
        crowded || self.has_ended()
    }

    fn has_ended(&self) -> bool {
        self.reports
            .iter()
            .any(|report| matches!(report, Report::Ended(_) | Report::Refused { .. }))
    }

    fn attempts(&self) -> BTreeMap<String, Attempt> {
        String::from_utf8_lossy(&self.said)
            .lines()
            .filter_map(Attempt::from_line)
            .collect()
    }
}

/// The reading end of what is said, the program's streams, and a descriptor that a
/// careless launcher would let the program inherit.
fn streams() -> io::Result<(OwnedFd, Streams, (OwnedFd, OwnedFd))> {
    let (out, stdout) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let nothing = || {
        fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/null")
    };
    let streams = Streams {
        stdin: nothing()?.into(),
        stdout,
        stderr: nothing()?.into(),
    };
    Ok((out, streams, rustix::pipe::pipe()?))
}

/// What the attempts aim at. Gone when dropped.
pub struct Scene {
    folder: PathBuf,
    tcp: TcpListener,
    udp: UdpSocket,
    name: String,
    _listeners: [UnixListener; 2],
    process: Child,
}

impl Scene {
    pub fn prepare() -> io::Result<Self> {
        // Another container with the same network may have a process of the same number.
        let random = RandomState::new().build_hasher().finish();
        let name = format!("argway-doctor-{}-{random:016x}", std::process::id());
        let folder = std::env::temp_dir().canonicalize()?.join(&name);
        DirBuilder::new().mode(0o700).create(&folder)?;
        Self::fill(&folder, name).inspect_err(|_| drop(fs::remove_dir_all(&folder)))
    }

    fn fill(folder: &Path, name: String) -> io::Result<Self> {
        let outside = folder.join("outside");
        let repository = folder.join("work/.git");
        fs::create_dir_all(repository.join("hooks"))?;
        fs::write(repository.join("HEAD"), "ref: refs/heads/main\n")?;
        fs::create_dir(&outside)?;
        for file in ["secret", "spare"] {
            fs::write(outside.join(file), file)?;
        }
        let here = Ipv4Addr::LOCALHOST;
        let address = SocketAddr::from_abstract_name(&name)?;
        Ok(Self {
            folder: folder.to_owned(),
            tcp: TcpListener::bind((here, 0))?,
            udp: UdpSocket::bind((here, 0))?,
            _listeners: [
                UnixListener::bind(outside.join("socket"))?,
                UnixListener::bind_addr(&address)?,
            ],
            name,
            process: bystander()?,
        })
    }

    /// Where the attempts run.
    pub fn directory(&self) -> PathBuf {
        self.folder.join("work")
    }

    pub fn targets(&self) -> Targets {
        let port = |address: io::Result<std::net::SocketAddr>| {
            address.map(|address| address.port()).unwrap_or_default()
        };
        Targets {
            outside: self.folder.join("outside"),
            process: i32::try_from(self.process.id()).unwrap_or_default(),
            tcp: port(self.tcp.local_addr()),
            udp: port(self.udp.local_addr()),
            socket: self.name.clone(),
        }
    }
}

/// A process with a number that a world of its own does not give out soon: in a new
/// container the first ones have low numbers.
fn bystander() -> io::Result<Child> {
    let start = || {
        Command::new("sleep")
            .arg("120")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    };
    let mut process = start()?;
    for _ in 0..=attempts::LOW {
        if process.id() > attempts::LOW {
            break;
        }
        process.kill()?;
        process.wait()?;
        process = start()?;
    }
    Ok(process)
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
