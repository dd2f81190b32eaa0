//! Every process that a run started, wherever it went, and a sure end for them.
//!
//! A run's processes are known by four signs: its process group, descent from
//! its main process, a mark in the environment, and (for what shook all of
//! these off) being an orphan that came to this process, which is the
//! "subreaper" of everything it starts. Quick calls never look at `/proc`: only
//! those that are taken back, run out of time or leave somebody behind do.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher, Hasher};
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::processes::{self, Process};
use super::survey::{Owner, is_adopted, myself, raw, survey};

/// The variable that marks every process of a run.
pub(super) const MARK: &str = "ARGWAY_RUN";

/// How long a tree may take to end by itself after it was asked to.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// Rounds of looking and killing before giving up on what cannot be killed
/// (another user's processes, or sleep that no signal ends).
const ROUNDS: usize = 200;
const BETWEEN_ROUNDS: Duration = Duration::from_millis(5);

/// Process groups of finished runs that are remembered, to know their orphans.
const REMEMBERED: usize = 4096;

/// A start time in `/proc` is rounded down to a hundredth of a second.
const ROUNDING: u64 = 2;

static REGISTRY: Mutex<Registry> = Mutex::new(Registry::new());

/// What a mark of this very process starts with. Inside another argway the
/// outer mark stays in front, so that both find their processes.
pub(super) static MARK_PREFIX: LazyLock<String> = LazyLock::new(|| {
    let random = std::hash::RandomState::new().build_hasher().finish();
    format!("{random:016x}.")
});

pub(super) struct Registry {
    next: u64,
    pub live: BTreeMap<u64, Live>,
    /// Main processes of finished runs, which their groups are named after.
    pub past: VecDeque<i32>,
    /// A run was ended while others went on, so that orphans started since then
    /// could not be told apart: they are ended when the last run is over.
    unsettled: Option<Instant>,
}

#[derive(Clone, Copy)]
pub(super) struct Live {
    pub main: i32,
    began: Instant,
}

impl Registry {
    const fn new() -> Self {
        Self {
            next: 0,
            live: BTreeMap::new(),
            past: VecDeque::new(),
            unsettled: None,
        }
    }
}

pub(super) fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A run that has a number and a mark but no process yet.
pub(super) struct Planned {
    number: u64,
    pub mark: String,
    /// Before the start: on a busy machine a process may have children before its
    /// starter goes on, and what is older than the run is not taken for its own.
    planned: Instant,
}

/// Gives the next run its number. The first call makes orphans come here.
pub(super) fn plan() -> Planned {
    static ADOPT: Once = Once::new();
    ADOPT.call_once(|| {
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    });
    let number = {
        let mut registry = registry();
        registry.next += 1;
        registry.next
    };
    let outer = std::env::var(MARK).map(|outer| outer + "/");
    Planned {
        number,
        mark: format!("{}{}{number}", outer.unwrap_or_default(), *MARK_PREFIX),
        planned: Instant::now(),
    }
}

/// The processes of one run. Dropped before [`Tree::let_go`], it kills them.
#[derive(Debug)]
pub(super) struct Tree {
    number: u64,
    main: Pid,
    began: Instant,
    /// The main process ended and its pid may be somebody else's by now.
    reaped: bool,
    over: bool,
}

impl Tree {
    pub fn begin(planned: &Planned, main: Pid) -> Self {
        let began = planned.planned;
        let live = Live {
            main: raw(main),
            began,
        };
        registry().live.insert(planned.number, live);
        Self {
            number: planned.number,
            main,
            began,
            reaped: false,
            over: false,
        }
    }

    /// Begins a run whose main process is the launcher of a sandbox, which ends the run's
    /// processes by itself: they are looked for here only where it was killed.
    ///
    /// Nobody looks at the children of this process meanwhile: a launcher is in a
    /// session of its own, and would pass for an orphan until its run is known.
    pub fn begin_guarded<T, E>(
        planned: &Planned,
        launch: impl FnOnce() -> Result<(Pid, T), E>,
    ) -> Result<(Self, T), E> {
        let mut registry = registry();
        let (main, launched) = launch()?;
        let began = planned.planned;
        let live = Live {
            main: raw(main),
            began,
        };
        registry.live.insert(planned.number, live);
        let tree = Self {
            number: planned.number,
            main,
            began,
            // Whoever holds the launcher waits for it, at any time.
            reaped: true,
            over: false,
        };
        Ok((tree, launched))
    }

    /// A run within this one, whose processes are this one's to end.
    pub fn within(&self, planned: &Planned) -> Self {
        Self {
            number: planned.number,
            main: self.main,
            began: planned.planned,
            reaped: true,
            over: true,
        }
    }

    pub fn number(&self) -> u64 {
        self.number
    }

    /// The main process ended and was waited for.
    pub fn reaped(&mut self) {
        self.reaped = true;
    }

    /// Asks every process of the run to end.
    pub fn ask_to_end(&self) {
        if !self.reaped {
            let _ = rustix::process::kill_process_group(self.main, Signal::TERM);
            // A stopped process hears nothing until it goes on.
            let _ = rustix::process::kill_process_group(self.main, Signal::CONT);
        }
        for process in self.members() {
            if self.reaped || process.group != raw(self.main) {
                send(&process, Signal::TERM);
            }
        }
    }

    /// Those that live. Nobody where `/proc` is missing.
    pub fn members(&self) -> Vec<Process> {
        members(&[self.number], self.began)
    }

    /// Those that live and have one of these pipes open.
    pub fn holders(&self, pipes: &[u64]) -> Vec<Process> {
        let mut members = self.members();
        members.retain(|process| processes::holds(process.pid, pipes));
        members
    }

    /// One round of killing; true when nobody was left to kill.
    fn kill_round(&self) -> bool {
        if !self.reaped {
            let _ = rustix::process::kill_process_group(self.main, Signal::KILL);
        }
        kill_round(|| self.members())
    }

    /// Kills every process of the run, and comes back when they are gone.
    pub async fn kill(&self) {
        for _ in 0..ROUNDS {
            if self.kill_round() {
                return;
            }
            tokio::time::sleep(BETWEEN_ROUNDS).await;
        }
    }

    /// Kills those that have one of these pipes open, and comes back when they are
    /// gone. True when there were any.
    pub async fn kill_holders(&self, pipes: &[u64]) -> bool {
        for round in 0..ROUNDS {
            if kill_round(|| self.holders(pipes)) {
                return round > 0;
            }
            tokio::time::sleep(BETWEEN_ROUNDS).await;
        }
        true
    }

    /// The run is over and what it left behind, if anything, may live.
    pub fn let_go(&mut self) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        let unsettled = {
            let mut registry = registry();
            registry.live.remove(&self.number);
            if registry.past.len() == REMEMBERED {
                registry.past.pop_front();
            }
            registry.past.push_back(raw(self.main));
            match registry.live.is_empty() {
                true => registry.unsettled.take(),
                false => None,
            }
        };
        if let Some(since) = unsettled {
            end(&[], since);
        }
        reap();
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        for _ in 0..ROUNDS {
            if self.kill_round() {
                break;
            }
            std::thread::sleep(BETWEEN_ROUNDS);
        }
        self.let_go();
    }
}

/// Kills everything that runs with these numbers, already over, left behind, and
/// every orphan since then that no other run can own.
pub(crate) fn end(numbers: &[u64], since: Instant) {
    reap();
    if !has_orphans() {
        return;
    }
    for _ in 0..ROUNDS {
        if kill_round(|| members(numbers, since)) {
            break;
        }
        std::thread::sleep(BETWEEN_ROUNDS);
    }
    reap();
}

/// Ends every process that any run of this program started and that still lives:
/// runs under way, and what finished ones left behind. For a server that stops.
/// Blocks for as long as they take, at most a few seconds.
pub fn end_all() {
    reap();
    if registry().live.is_empty() && !has_orphans() {
        return;
    }
    let everybody = || survey(|owner, _| !matches!(owner, Owner::Stranger));
    let asked = Instant::now();
    for process in everybody() {
        send(&process, Signal::TERM);
        send(&process, Signal::CONT);
    }
    while asked.elapsed() < GRACE {
        std::thread::sleep(Duration::from_millis(10));
        reap();
        if everybody().is_empty() {
            break;
        }
    }
    if cfg!(not(target_os = "linux")) {
        for live in registry().live.values() {
            if let Some(group) = Pid::from_raw(live.main) {
                let _ = rustix::process::kill_process_group(group, Signal::KILL);
            }
        }
    }
    for _ in 0..ROUNDS {
        if kill_round(everybody) {
            break;
        }
        std::thread::sleep(BETWEEN_ROUNDS);
    }
    reap();
}

/// Whether any run of this program is under way.
pub fn any_under_way() -> bool {
    !registry().live.is_empty()
}

/// Processes of these runs, and orphans since then that no other run can own.
fn members(numbers: &[u64], since: Instant) -> Vec<Process> {
    let Some(clock) = Clock::now() else {
        return Vec::new();
    };
    let earliest = clock.ticks(since);
    let others: Vec<u64> = registry()
        .live
        .iter()
        .filter(|(number, _)| !numbers.contains(number))
        .map(|(_, live)| clock.ticks(live.began))
        .collect();
    let mut unclear = false;
    let members = survey(|owner, process| match owner {
        Owner::Run(number) => numbers.contains(&number),
        Owner::Orphan if process.started + ROUNDING < earliest => false,
        Owner::Orphan => {
            let theirs = others
                .iter()
                .any(|&began| began <= process.started + ROUNDING);
            unclear |= theirs;
            !theirs
        }
        Owner::Stranger => false,
    });
    if unclear {
        let mut registry = registry();
        registry.unsettled = Some(
            registry
                .unsettled
                .map_or(since, |earlier| earlier.min(since)),
        );
    }
    members
}

/// Turns the program's instants into the ticks that `/proc` counts in.
struct Clock {
    ticks: u64,
    instant: Instant,
}

impl Clock {
    fn now() -> Option<Self> {
        Some(Self {
            ticks: processes::now()?,
            instant: Instant::now(),
        })
    }

    fn ticks(&self, then: Instant) -> u64 {
        let ago = self.instant.saturating_duration_since(then).as_millis() / 10;
        self.ticks
            .saturating_sub(u64::try_from(ago).unwrap_or(u64::MAX))
    }
}

/// Stops those found until no new ones appear (so that none can fork away
/// meanwhile), then kills them. True when nobody was there.
fn kill_round(look: impl Fn() -> Vec<Process>) -> bool {
    let mut found: Vec<Process> = Vec::new();
    for _ in 0..10 {
        let fresh: Vec<Process> = look()
            .into_iter()
            .filter(|process| !found.contains(process))
            .collect();
        if fresh.is_empty() {
            break;
        }
        for process in &fresh {
            send(process, Signal::STOP);
        }
        found.extend(fresh);
    }
    for process in &found {
        send(process, Signal::KILL);
    }
    found.is_empty()
}

/// Sends a signal to the process that was seen, not to one that has its pid by now.
#[cfg(target_os = "linux")]
pub(super) fn send(process: &Process, signal: Signal) {
    use rustix::io::Errno;
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let Some(pid) = Pid::from_raw(process.pid) else {
        return;
    };
    let still = || processes::one(process.pid).is_some_and(|now| now.started == process.started);
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) if still() => {
            let _ = pidfd_send_signal(handle, signal);
        }
        Err(Errno::NOSYS | Errno::PERM) if still() => {
            let _ = rustix::process::kill_process(pid, signal);
        }
        _ => {}
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn send(_process: &Process, _signal: Signal) {}

/// Whether there is a child that no run under way knows as its main process.
fn has_orphans() -> bool {
    let children = processes::children();
    let registry = registry();
    children
        .iter()
        .any(|&pid| !registry.live.values().any(|live| live.main == pid))
}

/// Takes note of the end of adopted orphans, by their pids: a wait for anybody
/// would take the exit codes of children that others wait for.
fn reap() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{WaitId, WaitIdOptions, WaitOptions};
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if !matches!(rustix::process::waitid(WaitId::All, look), Ok(Some(_))) {
            return;
        }
        let me = myself();
        for child in processes::children().into_iter().filter_map(processes::one) {
            let mine = {
                let registry = registry();
                let is_run = |pid| {
                    registry.past.contains(&pid)
                        || registry.live.values().any(|live| live.main == pid)
                };
                is_adopted(&child, &me, is_run)
            };
            if child.zombie
                && mine
                && let Some(pid) = Pid::from_raw(child.pid)
            {
                let _ = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
    }
}
