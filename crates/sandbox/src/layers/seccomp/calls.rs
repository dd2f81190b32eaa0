//! Which system calls are refused, and how: the one table.
//!
//! Everything that is not listed is allowed, up to the newest call that somebody
//! looked at. `ENOSYS` is for calls that programs know how to do without.

use libc::{EACCES, EAFNOSUPPORT, ENOSYS, EPERM};

use super::Openings;

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Let through.
    Allow,
    /// Fails with this error number.
    Fail(i32),
    /// The families that the openings leave.
    Socket,
    /// Connected pairs: a datagram socket of a pair could send to any path.
    SocketPair,
    /// Processes and threads, but no namespaces.
    Clone,
    /// No typing into a terminal.
    Ioctl,
    /// No leases: whoever else opens the file would wait.
    Fcntl,
    /// No set-user-ID or set-group-ID bit in the mode, which is this argument.
    Mode(u8),
    /// The same where a file is made: flags in this argument, the mode in the next.
    Open(u8),
    /// A file cut by its path.
    Truncate,
    /// Only on the caller itself: this argument is 0.
    Own(u8),
    /// Priorities of the caller: (kind, whose); this kind means all of a user's.
    Priority(u8),
    /// The personalities that weaken nothing.
    Personality,
}

/// A call with a rule. Its number depends on the machine, and old ones are not everywhere.
pub struct Call {
    #[cfg_attr(
        not(test),
        allow(dead_code, reason = "for who reads the table, and tests")
    )]
    pub name: &'static str,
    pub x86_64: u16,
    pub aarch64: Option<u16>,
    pub rule: Rule,
}

const fn both(name: &'static str, x86_64: u16, aarch64: u16, rule: Rule) -> Call {
    Call {
        name,
        x86_64,
        aarch64: Some(aarch64),
        rule,
    }
}

const fn old(name: &'static str, x86_64: u16, rule: Rule) -> Call {
    Call {
        name,
        x86_64,
        aarch64: None,
        rule,
    }
}

/// Calls from here on are newer than this table: absent, until somebody looks at them.
pub const UNKNOWN: u32 = 470;

const NO: Rule = Rule::Fail(EPERM);
const ABSENT: Rule = Rule::Fail(ENOSYS);

/// The calls with a rule.
#[rustfmt::skip]
pub const CALLS: &[Call] = &[
    // Other processes.
    both("ptrace", 101, 117, NO),
    both("process_vm_readv", 310, 270, NO),
    both("process_vm_writev", 311, 271, NO),
    both("process_madvise", 440, 440, NO),
    both("process_mrelease", 448, 448, NO),
    both("pidfd_getfd", 438, 438, NO),
    both("kcmp", 312, 272, NO),
    both("prlimit64", 302, 261, Rule::Own(0)),
    both("setpriority", 141, 140, Rule::Priority(2)),
    both("ioprio_set", 251, 30, Rule::Priority(3)),
    both("sched_setparam", 142, 118, Rule::Own(0)),
    both("sched_setscheduler", 144, 119, Rule::Own(0)),
    both("sched_setaffinity", 203, 122, Rule::Own(0)),
    both("sched_setattr", 314, 274, Rule::Own(0)),
    both("migrate_pages", 256, 238, Rule::Own(0)),
    both("move_pages", 279, 239, Rule::Own(0)),
    // Worlds and mounts.
    both("clone", 56, 220, Rule::Clone),
    both("clone3", 435, 435, ABSENT),
    both("unshare", 272, 97, NO),
    both("setns", 308, 268, NO),
    both("mount", 165, 40, NO),
    both("umount2", 166, 39, NO),
    both("pivot_root", 155, 41, NO),
    both("chroot", 161, 51, NO),
    both("open_tree", 428, 428, NO),
    both("open_tree_attr", 467, 467, NO),
    both("move_mount", 429, 429, NO),
    both("fsopen", 430, 430, NO),
    both("fsconfig", 431, 431, NO),
    both("fsmount", 432, 432, NO),
    both("fspick", 433, 433, NO),
    both("mount_setattr", 442, 442, NO),
    both("statmount", 457, 457, ABSENT),
    both("listmount", 458, 458, ABSENT),
    // Files by another door than their path, or with another's rights.
    both("name_to_handle_at", 303, 264, NO),
    both("open_by_handle_at", 304, 265, NO),
    both("fanotify_init", 300, 262, NO),
    both("fcntl", 72, 25, Rule::Fcntl),
    old("open", 2, Rule::Open(1)),
    both("openat", 257, 56, Rule::Open(2)),
    // Its mode is in memory, where no filter sees it.
    both("openat2", 437, 437, ABSENT),
    both("truncate", 76, 45, Rule::Truncate),
    old("creat", 85, Rule::Mode(1)),
    old("chmod", 90, Rule::Mode(1)),
    both("fchmod", 91, 52, Rule::Mode(1)),
    both("fchmodat", 268, 53, Rule::Mode(2)),
    both("fchmodat2", 452, 452, Rule::Mode(2)),
    old("mknod", 133, Rule::Mode(1)),
    both("mknodat", 259, 33, Rule::Mode(2)),
    // Sockets, terminals.
    both("socket", 41, 198, Rule::Socket),
    both("socketpair", 53, 199, Rule::SocketPair),
    both("ioctl", 16, 29, Rule::Ioctl),
    both("vhangup", 153, 58, NO),
    // Work that the filter would not see.
    both("io_uring_setup", 425, 425, ABSENT),
    both("io_uring_enter", 426, 426, ABSENT),
    both("io_uring_register", 427, 427, ABSENT),
    // Memory that no limit counts, and what outlives a process or reaches others.
    both("memfd_create", 319, 279, ABSENT),
    both("memfd_secret", 447, 447, ABSENT),
    both("shmget", 29, 194, ABSENT),
    both("shmat", 30, 196, ABSENT),
    both("shmctl", 31, 195, ABSENT),
    both("shmdt", 67, 197, ABSENT),
    both("semget", 64, 190, ABSENT),
    both("semop", 65, 193, ABSENT),
    both("semctl", 66, 191, ABSENT),
    both("semtimedop", 220, 192, ABSENT),
    both("msgget", 68, 186, ABSENT),
    both("msgsnd", 69, 189, ABSENT),
    both("msgrcv", 70, 188, ABSENT),
    both("msgctl", 71, 187, ABSENT),
    both("mq_open", 240, 180, ABSENT),
    both("mq_unlink", 241, 181, ABSENT),
    both("add_key", 248, 217, NO),
    both("request_key", 249, 218, NO),
    both("keyctl", 250, 219, NO),
    // The kernel and the machine.
    both("bpf", 321, 280, NO),
    both("perf_event_open", 298, 241, NO),
    both("userfaultfd", 323, 282, NO),
    both("init_module", 175, 105, NO),
    both("finit_module", 313, 273, NO),
    both("delete_module", 176, 106, NO),
    both("kexec_load", 246, 104, NO),
    both("kexec_file_load", 320, 294, NO),
    both("reboot", 169, 142, NO),
    both("swapon", 167, 224, NO),
    both("swapoff", 168, 225, NO),
    both("settimeofday", 164, 170, NO),
    both("clock_settime", 227, 112, NO),
    both("adjtimex", 159, 171, NO),
    both("clock_adjtime", 305, 266, NO),
    both("sethostname", 170, 161, NO),
    both("setdomainname", 171, 162, NO),
    both("syslog", 103, 116, NO),
    both("acct", 163, 89, NO),
    both("quotactl", 179, 60, NO),
    both("quotactl_fd", 443, 443, NO),
    both("nfsservctl", 180, 42, ABSENT),
    both("lookup_dcookie", 212, 18, ABSENT),
    both("personality", 135, 92, Rule::Personality),
    old("iopl", 172, NO),
    old("ioperm", 173, NO),
    old("modify_ldt", 154, NO),
    old("uselib", 134, ABSENT),
    old("ustat", 136, ABSENT),
    old("sysfs", 139, ABSENT),
    old("_sysctl", 156, ABSENT),
];

impl Rule {
    /// The rule with what the openings already decide.
    pub fn under(self, openings: Openings) -> Self {
        match self {
            Self::Socket if !openings.network && !openings.unix_sockets => Self::Fail(EAFNOSUPPORT),
            Self::Truncate if openings.truncation => Self::Allow,
            Self::Truncate => Self::Fail(EACCES),
            other => other,
        }
    }
}
