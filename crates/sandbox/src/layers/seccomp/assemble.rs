//! Makes the filter's program: a search tree over the calls' numbers, whose leaves
//! return a verdict or look at arguments.
//!
//! When the filter is installed, kernels from 5.11 on try every number and remember
//! which are let through whatever their arguments: those calls cost nothing later. The
//! trying is most of the installation, so the tree is balanced by how many numbers are
//! below a branch, not by how many rules.

use libc::{
    BPF_ABS, BPF_ALU, BPF_AND, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W,
    EACCES, EAFNOSUPPORT, ENOSYS, EPERM, EPROTONOSUPPORT, SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO,
    SECCOMP_RET_KILL_PROCESS, sock_filter,
};

use super::Openings;
use super::calls::{CALLS, Rule, UNKNOWN};

/// The machine that a program is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// Also runs x32 programs, whose calls have a high bit: unknown numbers, here.
    X86_64,
    Aarch64,
}

impl Machine {
    /// The one that this was built for, where there is a table for it.
    pub const HERE: Option<Self> = if cfg!(all(target_arch = "x86_64", target_pointer_width = "64"))
    {
        Some(Self::X86_64)
    } else if cfg!(all(target_arch = "aarch64", target_endian = "little")) {
        Some(Self::Aarch64)
    } else {
        None
    };

    /// How the kernel names it to filters.
    pub const fn audit(self) -> u32 {
        match self {
            Self::X86_64 => 0xC000_003E,
            Self::Aarch64 => 0xC000_00B7,
        }
    }
}

/// The kernel tries numbers up to about here.
const TRIED: u32 = UNKNOWN + 2;

/// Offsets into `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

/// The low half of an argument: all that the kernel looks at in those that are checked.
const fn low(argument: u8) -> u32 {
    ARGUMENTS + 8 * argument as u32
}

const SET_ID: u32 = libc::S_ISUID | libc::S_ISGID;
/// `O_CREAT` and the bit of `O_TMPFILE` that is not `O_DIRECTORY`.
const MAKES_A_FILE: u32 = 0o100 | 0o20_000_000;
/// `O_TRUNC`, and the bits that say for what a file is opened. One of their values is
/// neither reading nor writing, and cuts too.
const TRUNCATES: u32 = 0o1000;
const ACCESS: u32 = 0o3;
const NEW_WORLDS: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;
const SOCKET_TYPE: u32 = 0xF;
const TYPES_INTO_TERMINAL: [u32; 2] = [0x5412, 0x541C];
/// `F_SETLEASE` and `F_SETDELEG`.
const LEASES: [u32; 2] = [1024, 1040];
/// The default, a question, and no randomised addresses, which debuggers like.
const PERSONALITIES: [u32; 3] = [0, 0xFFFF_FFFF, 0x0004_0000];
const NETLINK_ROUTE: u32 = 0;

/// The filter for `machine`. None if the table has outgrown what a jump can reach.
pub fn program(machine: Machine, openings: Openings) -> Option<Vec<sock_filter>> {
    let intervals = intervals(machine, openings);
    let mut assembly = Assembly {
        code: Vec::with_capacity(256),
        branches: Vec::with_capacity(intervals.len()),
    };
    assembly.load(ARCHITECTURE);
    assembly.jump(BPF_JEQ, machine.audit(), 1, 0);
    assembly.verdict(SECCOMP_RET_KILL_PROCESS);
    assembly.load(NUMBER);
    assembly.tree(&intervals, TRIED);
    assembly.leaves(openings)?;
    Some(assembly.code)
}

/// From which number on which rule holds, in order.
fn intervals(machine: Machine, openings: Openings) -> Vec<(u32, Rule)> {
    let mut ruled: Vec<(u32, Rule)> = CALLS
        .iter()
        .filter_map(|call| {
            let number = match machine {
                Machine::X86_64 => Some(call.x86_64),
                Machine::Aarch64 => call.aarch64,
            };
            Some((u32::from(number?), call.rule.under(openings)))
        })
        .collect();
    ruled.sort_unstable_by_key(|(number, _)| *number);

    let mut intervals = Vec::with_capacity(2 * ruled.len() + 2);
    let mut push = |start, rule| match intervals.last_mut() {
        Some((_, last)) if *last == rule => {}
        Some((at, last)) if *at == start => *last = rule,
        _ => intervals.push((start, rule)),
    };
    let mut next = 0;
    for (number, rule) in ruled {
        if number > next {
            push(next, Rule::Allow);
        }
        push(number, rule);
        next = number + 1;
    }
    push(next, Rule::Allow);
    push(UNKNOWN, Rule::Fail(ENOSYS));
    intervals
}

struct Assembly {
    code: Vec<sock_filter>,
    /// Where the tree branches, and to what: below the number, and from it on.
    branches: Vec<(usize, Target, Target)>,
}

#[derive(Clone, Copy)]
enum Target {
    /// Another branch, at this place.
    Branch(usize),
    /// What all calls of this rule share, written behind the tree.
    Leaf(Rule),
}

impl Assembly {
    fn push(&mut self, code: u32, jt: u8, jf: u8, k: u32) {
        self.code.push(sock_filter {
            code: code as u16,
            jt,
            jf,
            k,
        });
    }

    fn load(&mut self, offset: u32) {
        self.push(BPF_LD | BPF_W | BPF_ABS, 0, 0, offset);
    }

    fn jump(&mut self, test: u32, value: u32, yes: u8, no: u8) {
        self.push(BPF_JMP | test | BPF_K, yes, no, value);
    }

    fn verdict(&mut self, verdict: u32) {
        self.push(BPF_RET | BPF_K, 0, 0, verdict);
    }

    fn fail(&mut self, errno: i32) {
        self.verdict(SECCOMP_RET_ERRNO | errno.unsigned_abs());
    }

    fn allow(&mut self) {
        self.verdict(SECCOMP_RET_ALLOW);
    }

    /// Decides numbers up to `end`.
    fn tree(&mut self, intervals: &[(u32, Rule)], end: u32) -> Target {
        let [(start, rule), rest @ ..] = intervals else {
            return Target::Leaf(Rule::Allow);
        };
        if rest.is_empty() {
            return Target::Leaf(*rule);
        }
        let middle = start.midpoint(end);
        let below = rest.partition_point(|(at, _)| *at < middle);
        // Of the boundaries around the middle, the nearer one.
        let lower = below.checked_sub(1).map(|lower| middle - rest[lower].0);
        let upper = rest.get(below).map(|upper| upper.0 - middle);
        let is_lower = lower.is_some_and(|lower| upper.is_none_or(|upper| lower < upper));
        let (left, right) = intervals.split_at(if is_lower { below } else { below + 1 });

        let place = self.code.len();
        self.jump(BPF_JGE, right[0].0, 0, 0);
        let left = self.tree(left, right[0].0);
        let right = self.tree(right, end);
        self.branches.push((place, left, right));
        Target::Branch(place)
    }

    /// Writes each leaf once and lets the branches jump there.
    fn leaves(&mut self, openings: Openings) -> Option<()> {
        let mut written: Vec<(Rule, usize)> = Vec::with_capacity(16);
        for (place, left, right) in std::mem::take(&mut self.branches) {
            let mut distance = |target| {
                let at = match target {
                    Target::Branch(at) => at,
                    Target::Leaf(rule) => match written.iter().find(|(known, _)| *known == rule) {
                        Some((_, at)) => *at,
                        None => {
                            let at = self.code.len();
                            written.push((rule, at));
                            self.check(rule, openings);
                            at
                        }
                    },
                };
                u8::try_from(at - place - 1).ok()
            };
            let (no, yes) = (distance(left)?, distance(right)?);
            self.code[place].jf = no;
            self.code[place].jt = yes;
        }
        Some(())
    }

    fn check(&mut self, rule: Rule, openings: Openings) {
        match rule {
            Rule::Allow => self.allow(),
            Rule::Fail(errno) => self.fail(errno),
            Rule::Socket => self.socket(openings),
            Rule::SocketPair => {
                self.load(low(0));
                self.jump(BPF_JEQ, libc::AF_UNIX as u32, 1, 0);
                self.fail(EAFNOSUPPORT);
                if !openings.unix_sockets {
                    self.load(low(1));
                    self.push(BPF_ALU | BPF_AND | BPF_K, 0, 0, SOCKET_TYPE);
                    self.jump(BPF_JEQ, libc::SOCK_STREAM as u32, 2, 0);
                    self.jump(BPF_JEQ, libc::SOCK_SEQPACKET as u32, 1, 0);
                    self.fail(EPROTONOSUPPORT);
                }
                self.allow();
            }
            Rule::Clone => {
                self.load(low(0));
                self.refuse_bits(NEW_WORLDS);
            }
            Rule::Ioctl => {
                self.load(low(1));
                self.jump(BPF_JEQ, TYPES_INTO_TERMINAL[0], 1, 0);
                self.jump(BPF_JEQ, TYPES_INTO_TERMINAL[1], 0, 1);
                self.fail(EPERM);
                self.allow();
            }
            Rule::Fcntl => {
                self.load(low(1));
                self.jump(BPF_JEQ, LEASES[0], 1, 0);
                self.jump(BPF_JEQ, LEASES[1], 0, 1);
                self.fail(EPERM);
                self.allow();
            }
            Rule::Mode(argument) => {
                self.load(low(argument));
                self.refuse_bits(SET_ID);
            }
            // Decided by the openings alone.
            Rule::Truncate => self.fail(EACCES),
            Rule::Open(flags) => {
                self.load(low(flags));
                if !openings.truncation {
                    self.jump(BPF_JSET, TRUNCATES, 0, 4);
                    self.push(BPF_ALU | BPF_AND | BPF_K, 0, 0, ACCESS);
                    self.jump(BPF_JEQ, libc::O_WRONLY as u32, 2, 0);
                    self.jump(BPF_JEQ, libc::O_RDWR as u32, 1, 0);
                    self.fail(EACCES);
                    self.load(low(flags));
                }
                self.jump(BPF_JSET, MAKES_A_FILE, 1, 0);
                self.allow();
                self.load(low(flags + 1));
                self.refuse_bits(SET_ID);
            }
            Rule::Own(argument) => {
                self.load(low(argument));
                self.only(&[0]);
            }
            Rule::Priority(of_a_user) => {
                self.load(low(0));
                self.jump(BPF_JEQ, u32::from(of_a_user), 0, 1);
                self.fail(EPERM);
                self.load(low(1));
                self.only(&[0]);
            }
            Rule::Personality => {
                self.load(low(0));
                self.only(&PERSONALITIES);
            }
        }
    }

    fn socket(&mut self, openings: Openings) {
        self.load(low(0));
        if openings.unix_sockets {
            self.allow_value(libc::AF_UNIX as u32);
        }
        if openings.network {
            self.allow_value(libc::AF_INET as u32);
            self.allow_value(libc::AF_INET6 as u32);
            // Names and addresses of interfaces; other protocols configure the kernel.
            self.jump(BPF_JEQ, libc::AF_NETLINK as u32, 0, 4);
            self.load(low(2));
            self.jump(BPF_JEQ, NETLINK_ROUTE, 0, 1);
            self.allow();
            self.fail(EPROTONOSUPPORT);
        }
        self.fail(EAFNOSUPPORT);
    }

    fn allow_value(&mut self, value: u32) {
        self.jump(BPF_JEQ, value, 0, 1);
        self.allow();
    }

    fn only(&mut self, values: &[u32]) {
        for value in values {
            self.allow_value(*value);
        }
        self.fail(EPERM);
    }

    fn refuse_bits(&mut self, bits: u32) {
        self.jump(BPF_JSET, bits, 0, 1);
        self.fail(EPERM);
        self.allow();
    }
}
