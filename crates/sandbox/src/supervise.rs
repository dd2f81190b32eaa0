//! Stays beside the program: reaps, watches what no rlimit holds, ends everything.
//!
//! As init of a world it sees and reaches everybody in it. Outside of one it is the
//! "subreaper" of what it starts: whoever loses its parent becomes its child, so that
//! having no child left means that nobody is left, whatever they did.

mod cgroup;
mod processes;
mod ward;
mod watch;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use argway_core::policy::{Enforcement, Exceeded, Tier};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions};

pub(crate) use self::cgroup::Cgroup;
use self::processes::Reach;
pub(crate) use self::processes::can_be_seen;
pub(crate) use self::ward::Ward;
use self::watch::Watch;
use crate::frame::{ASK, Inbox, Message, Order, Report, Step};
use crate::layers::LayerError;
use crate::sys::spawn::{self, Signals};
use crate::view::{self, View};

/// How long everybody may take to end when a signal asks the supervisor to; less than
/// a server that stops gives before it kills.
const GRACE: Duration = Duration::from_millis(1500);

/// The first pause between two rounds of killing what does not die, and the longest.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The socket to the server.
#[derive(Debug)]
pub(crate) struct Line(pub OwnedFd);

impl Line {
    /// Says it where somebody is there to hear it. Reports are few and short: all of
    /// them find room.
    pub fn report(&self, report: &Report) {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        let _ = rustix::net::send(&self.0, &report.frame(), flags);
    }

    fn heard(&self) -> Heard {
        let mut bytes = [0; 16];
        match rustix::net::recv(&self.0, &mut bytes, RecvFlags::DONTWAIT) {
            Ok((0, _)) => Heard::Gone,
            Ok((length, _)) if bytes[..length].contains(&ASK) => Heard::Ask,
            Ok(_) | Err(Errno::AGAIN | Errno::INTR) => Heard::Nothing,
            Err(_) => Heard::Gone,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Heard {
    Nothing,
    Ask,
    Gone,
}

/// Starts what `program` becomes, in a fork of this process, and comes back when it and
/// everything that it started is gone.
pub(crate) fn run(
    order: &Order,
    line: &Line,
    null: &OwnedFd,
    cgroup: Option<&Cgroup>,
    program: fn(&Order, Pid, OwnedFd) -> !,
) -> io::Result<()> {
    let reach = Reach::here(order.tier);
    let mut enforcement = Enforcement {
        tier: order.tier,
        gaps: Vec::new(),
    };
    if let Err(error) = can_be_seen() {
        if !order.best_effort {
            line.report(&Report::from(&error));
            return Ok(());
        }
        enforcement.tier = Tier::Partial;
        enforcement.gaps.push(error.gap());
    }
    // Whoever is traced or read has no secrets and no power.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    if reach != Reach::World
        && let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
    {
        line.report(&Report::from(&LayerError {
            layer: "supervisor",
            what: format!("it cannot take in those who lose their parents: {error}"),
            remedy: "the container that this runs in must allow `prctl`".to_owned(),
            errno: error.raw_os_error(),
        }));
        return Ok(());
    }
    let signals = Signals::new()?;
    let (steps, theirs) = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    let me = rustix::process::getpid();
    let Some(main) = spawn::fork()? else {
        drop(steps);
        program(order, me, theirs)
    };
    drop(theirs);
    // It cannot be read as yet, as any program can bring about for itself: who is not
    // seen then would be neither counted nor ended.
    if let Err(error) = processes::hides(main) {
        if !order.best_effort {
            drop(steps);
            let _ = rustix::process::kill_process(main, Signal::KILL);
            let _ = rustix::process::waitpid(Some(main), WaitOptions::empty());
            line.report(&Report::from(&error));
            return Ok(());
        }
        enforcement.tier = Tier::Partial;
        enforcement.gaps.push(error.gap());
    }
    // Only the program holds its pipes, so that they end with it.
    spawn::replace_stdio(null.as_fd())?;
    if let Some(cgroup) = cgroup {
        cgroup.hold(main)?;
    }
    rustix::net::send(&steps, b"!", SendFlags::NOSIGNAL)?;
    let mut supervisor = Supervisor {
        line,
        signals,
        cgroup,
        reach,
        main,
        view: &order.view,
        status: None,
        beginning: Beginning::new(enforcement, steps),
        watch: Watch::new(&order.resources),
        deadline: None,
    };
    supervisor.watch_over();
    Ok(())
}

struct Supervisor<'a> {
    line: &'a Line,
    signals: Signals,
    cgroup: Option<&'a Cgroup>,
    reach: Reach,
    main: Pid,
    view: &'a View,
    /// How the program ended.
    status: Option<i32>,
    beginning: Beginning,
    watch: Watch,
    /// Everybody was asked to end and has until then.
    deadline: Option<Instant>,
}

impl Supervisor<'_> {
    fn watch_over(&mut self) {
        let why = loop {
            let gone = self.wait();
            self.reap();
            if let Some(report) = self.beginning.news(self.status.is_some()) {
                self.line.report(&report);
            }
            if gone || self.deadline.is_some_and(|until| Instant::now() >= until) {
                break None;
            }
            if self.status.is_some() {
                break self.excess_of_the_dead();
            }
            // Until then it is a copy of this process that puts layers on.
            if self.beginning.is_over()
                && let Some(exceeded) = self.watch.look(self.reach, self.cgroup)
            {
                break Some(exceeded);
            }
        };
        if let Some(exceeded) = why {
            self.line.report(&Report::Exceeded(exceeded));
        }
        let ended_by_itself = self.status.is_some();
        let left = self.kill_all();
        if self.beginning.is_refused() {
            return;
        }
        view::sweep(self.view);
        if ended_by_itself && left {
            self.line.report(&Report::Leftovers);
        }
        self.line
            .report(&Report::Ended(self.status.unwrap_or(Signal::KILL.as_raw())));
    }

    /// Until there is news or it is time to look; true when the server is gone.
    fn wait(&mut self) -> bool {
        let look = self.beginning.is_over().then(|| self.watch.next_look());
        let until = look.into_iter().chain(self.deadline).min();
        let patience = until.map(|until| timespec(until.saturating_duration_since(Instant::now())));
        let mut news = vec![
            PollFd::new(&self.signals.0, PollFlags::IN),
            PollFd::new(&self.line.0, PollFlags::IN),
        ];
        if let Some(steps) = &self.beginning.steps {
            news.push(PollFd::new(steps, PollFlags::IN));
        }
        let _ = poll(&mut news, patience.as_ref());
        if self.signals.take() && self.deadline.is_none() {
            self.ask();
            self.deadline = Some(Instant::now() + GRACE);
        }
        match self.line.heard() {
            Heard::Nothing => false,
            Heard::Ask => {
                self.ask();
                false
            }
            Heard::Gone => true,
        }
    }

    /// Asks everybody to end. Those that are stopped hear nothing until they go on.
    fn ask(&self) {
        self.reach.send(Signal::TERM);
        self.reach.send(Signal::CONT);
    }

    /// Takes note of everybody who ended; true while there are others.
    fn reap(&mut self) -> bool {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.main => self.status = Some(status.as_raw()),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Kills everybody and comes back when they are gone; true where there was somebody.
    fn kill_all(&mut self) -> bool {
        let mut left = false;
        let mut pause = SHORTEST_PAUSE;
        while self.reap() {
            left = true;
            if let Some(cgroup) = self.cgroup {
                cgroup.kill();
            }
            kill_round(self.reach, &self.signals, &mut pause);
        }
        left
    }

    /// The bound that the program itself was ended for by the system, if that is why.
    fn excess_of_the_dead(&self) -> Option<Exceeded> {
        let signal = self.status.filter(|&status| libc::WIFSIGNALED(status));
        match signal.map(|status| libc::WTERMSIG(status)) {
            Some(libc::SIGXCPU) => Some(Exceeded::Cpu),
            Some(libc::SIGKILL) if self.cgroup.is_some_and(Cgroup::ran_out_of_memory) => {
                Some(Exceeded::Memory)
            }
            Some(libc::SIGKILL) => self.watch.look_at_time(),
            _ => None,
        }
    }
}

/// One round of killing. There is always another one while anybody lives: what no signal
/// ends holds its supervisor up, not more.
fn kill_round(reach: Reach, signals: &Signals, pause: &mut Duration) {
    reach.kill();
    let mut news = [PollFd::new(&signals.0, PollFlags::IN)];
    let _ = poll(&mut news, Some(&timespec(*pause)));
    signals.take();
    *pause = (*pause * 2).min(LONGEST_PAUSE);
}

fn timespec(duration: Duration) -> Timespec {
    Timespec::try_from(duration).unwrap_or(Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    })
}

/// What the program's process says before it becomes the program.
struct Beginning {
    steps: Option<OwnedFd>,
    inbox: Inbox,
    enforcement: Enforcement,
    ready: bool,
    refusal: Option<Report>,
}

impl Beginning {
    fn new(enforcement: Enforcement, steps: OwnedFd) -> Self {
        Self {
            steps: Some(steps),
            inbox: Inbox::default(),
            enforcement,
            ready: false,
            refusal: None,
        }
    }

    /// Whether it is known how it went.
    fn is_over(&self) -> bool {
        self.steps.is_none()
    }

    fn is_refused(&self) -> bool {
        self.refusal.is_some()
    }

    /// Hears what was said. The report, once, when it is known whether the program runs:
    /// the line closes when it is executed, or with its process.
    fn news(&mut self, is_over: bool) -> Option<Report> {
        let steps = self.steps.as_ref()?;
        let mut piece = [0; 4096];
        loop {
            match rustix::net::recv(steps, &mut piece, RecvFlags::DONTWAIT) {
                Ok((length @ 1.., _)) => self.inbox.push(&piece[..length]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if !is_over => return None,
                Ok(_) | Err(_) => break,
            }
        }
        self.steps = None;
        while let Ok(Some(step)) = self.inbox.next() {
            match step {
                Step::Gap(text) => self.enforcement.gaps.push(text),
                Step::Without(text) => {
                    self.enforcement.tier = Tier::Partial;
                    self.enforcement.gaps.push(text);
                }
                Step::Ready => self.ready = true,
                Step::Refused(report) => self.refusal = Some(report),
            }
        }
        if !self.ready && self.refusal.is_none() {
            self.refusal = Some(Report::Refused {
                layer: "launcher".to_owned(),
                what: "the process that was to become the program ended before".to_owned(),
                remedy: "see whether the system ran out of memory".to_owned(),
                errno: 0,
            });
        }
        Some(match &self.refusal {
            Some(refusal) => refusal.clone(),
            None => Report::Started(self.enforcement.clone()),
        })
    }
}
