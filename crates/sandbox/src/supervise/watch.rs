//! What everything together uses, sampled: no rlimit counts more than one process.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use argway_core::policy::{Exceeded, Resources};

use super::cgroup::Cgroup;
use super::processes::{self, Process, Reach};
use crate::sys::spawn;

/// Looked at this often while anything grows …
const OFTEN: Duration = Duration::from_millis(5);
/// … and so often when nothing does.
const SELDOM: Duration = Duration::from_millis(50);

/// Microseconds in a tick of `/proc`: fixed by the kernel's interface (USER_HZ).
const TICK: u64 = 10_000;

/// So many threads for each process that is allowed.
const THREADS: u64 = 16;

/// A byte of notes is for so many addresses at least.
const ADDRESSES: u64 = 512;

/// The bounds, and what was seen so far.
#[derive(Debug)]
pub(super) struct Watch {
    time: u64,
    memory: u64,
    processes: u64,
    next: Instant,
    interval: Duration,
    page: u64,
    seen: Seen,
    last: Size,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    resident: u64,
    count: u64,
}

/// Processor time by what was seen of each process. A parent that ignores the end of
/// its children makes the system forget their time; this does not.
#[derive(Debug, Default)]
struct Seen {
    living: BTreeMap<(i32, u64), u64>,
    gone: u64,
}

impl Seen {
    /// Ticks of all that were ever seen.
    fn update(&mut self, processes: &[Process]) -> u64 {
        let now: BTreeMap<(i32, u64), u64> = processes
            .iter()
            .map(|process| ((process.pid, process.started), process.own))
            .collect();
        let ended = self.living.iter().filter(|(who, _)| !now.contains_key(who));
        self.gone += ended.map(|(_, ticks)| ticks).sum::<u64>();
        self.living = now;
        self.gone + self.living.values().sum::<u64>()
    }
}

impl Watch {
    pub fn new(resources: &Resources) -> Self {
        Self {
            time: resources.cpu_seconds.saturating_mul(1_000_000),
            memory: resources.memory_mb.saturating_mul(1 << 20),
            processes: resources.processes,
            next: Instant::now() + OFTEN,
            interval: OFTEN,
            page: spawn::page_size(),
            seen: Seen::default(),
            last: Size::default(),
        }
    }

    pub fn next_look(&self) -> Instant {
        self.next
    }

    /// The bound that is passed, if one is. Looks only when it is time to.
    pub fn look(&mut self, reach: Reach, cgroup: Option<&Cgroup>) -> Option<Exceeded> {
        if Instant::now() < self.next {
            return None;
        }
        let exceeded = self.judge(&reach.look(), cgroup.and_then(Cgroup::time));
        self.next = Instant::now() + self.interval;
        exceeded
    }

    fn judge(&mut self, processes: &[Process], counted_time: Option<u64>) -> Option<Exceeded> {
        let size = Size {
            resident: processes
                .iter()
                .map(|process| process.resident)
                .sum::<u64>()
                * self.page,
            count: processes.len() as u64,
        };
        self.adapt(size);
        let threads: u64 = processes.iter().map(|process| process.threads).sum();
        if size.count > self.processes || threads > self.processes.saturating_mul(THREADS) {
            return Some(Exceeded::Processes);
        }
        let ticks: u64 = processes.iter().map(|it| it.own + it.waited).sum();
        let seen = self.seen.update(processes) * TICK;
        let time = (ticks * TICK + spawn::time_of_children()).max(seen);
        if time.max(counted_time.unwrap_or(0)) > self.time {
            return Some(Exceeded::Cpu);
        }
        let tables = self.tables(processes);
        // Shared pages are counted more than once here: little is little for sure.
        if size.resident + tables > self.memory
            && self.fair_memory(processes) + tables > self.memory
        {
            return Some(Exceeded::Memory);
        }
        None
    }

    /// Looks often while there is much or more and more, seldom otherwise.
    fn adapt(&mut self, size: Size) {
        let much = size.resident > self.memory / 2 || size.count > self.processes / 2;
        let more = size.resident > self.last.resident + self.memory / 16
            || size.count > self.last.count + self.processes / 16;
        self.interval = match much || more {
            true => OFTEN,
            false => (self.interval * 3 / 2).min(SELDOM),
        };
        self.last = size;
    }

    /// Pages that nobody wrote to cost nothing but the note of where they are, which no
    /// other number has. Asked only of those who use so many addresses that it may be much.
    fn tables(&self, processes: &[Process]) -> u64 {
        let most: u64 = processes.iter().map(|it| it.addresses / ADDRESSES).sum();
        match most > self.memory / 8 {
            true => processes
                .iter()
                .flat_map(|it| processes::tables(it.pid))
                .sum(),
            false => 0,
        }
    }

    fn fair_memory(&self, processes: &[Process]) -> u64 {
        processes
            .iter()
            // Who hides its memory is taken at its size.
            .map(|it| processes::share(it.pid).unwrap_or(it.resident * self.page))
            .sum()
    }

    /// The bound on time where those that ended passed it by themselves.
    pub fn look_at_time(&self) -> Option<Exceeded> {
        (spawn::time_of_children() >= self.time).then_some(Exceeded::Cpu)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    fn process(pid: i32, own: u64, waited: u64, pages: u64) -> Process {
        Process::for_test(pid, own, waited, pages)
    }

    fn watch() -> Watch {
        Watch::new(&Resources {
            cpu_seconds: 1000,
            memory_mb: 64,
            processes: 4,
            ..Resources::default()
        })
    }

    #[test]
    fn each_bound_is_passed_by_all_together() {
        let one = || process(1, 0, 0, 0);
        assert_eq!(watch().judge(&[one(), one(), one(), one()], None), None);
        let many = [one(), one(), one(), one(), one()];
        assert_eq!(watch().judge(&many, None), Some(Exceeded::Processes));

        let busy = [process(1, 50_000, 0, 0), process(2, 0, 40_000, 0)];
        assert_eq!(watch().judge(&busy, None), None);
        let busier = [process(1, 60_000, 0, 0), process(2, 0, 60_000, 0)];
        assert_eq!(watch().judge(&busier, None), Some(Exceeded::Cpu));
        assert_eq!(watch().judge(&[], Some(2_000_000_000)), Some(Exceeded::Cpu));

        // Nobody has these pids, so their share cannot be known.
        let page = spawn::page_size();
        let half = (40 << 20) / page;
        let large = [
            process(i32::MAX, 0, 0, half),
            process(i32::MAX - 1, 0, 0, half),
        ];
        assert_eq!(watch().judge(&large[..1], None), None);
        assert_eq!(watch().judge(&large, None), Some(Exceeded::Memory));
    }

    #[test]
    fn time_of_those_that_nobody_waited_for_is_not_forgotten() {
        let mut watch = watch();
        for pid in 2..8 {
            assert_eq!(watch.judge(&[process(pid, 16_000, 0, 0)], None), None);
        }
        let last = watch.judge(&[process(8, 16_000, 0, 0)], None);
        assert_eq!(last, Some(Exceeded::Cpu));
    }

    #[test]
    fn it_looks_seldom_when_nothing_happens_and_often_when_something_does() {
        let mut watch = watch();
        for _ in 0..20 {
            watch.judge(&[process(1, 0, 0, 1)], None);
        }
        assert_eq!(watch.interval, SELDOM);
        watch.judge(
            &[
                process(1, 0, 0, 1),
                process(2, 0, 0, 1),
                process(3, 0, 0, 1),
            ],
            None,
        );
        assert_eq!(watch.interval, OFTEN);
    }
}
