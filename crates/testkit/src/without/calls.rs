//! System calls that a kernel does not have or a container forbids.

use std::io;

use libc::{c_long, sock_filter};

use crate::sys;

/// A call that is refused, and when.
struct Refused {
    call: c_long,
    when: When,
    errno: i32,
}

enum When {
    Always,
    /// Any of these bits is set in the argument with this number.
    Bits(u32, u32),
    /// The argument with this number is this.
    Is(u32, u32),
    /// The argument with this number, an address, is given.
    Given(u32),
}

/// The rules of one lack.
pub struct Filter(Vec<Refused>);

const NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP)
    .cast_unsigned();

const MOUNTS: [c_long; 9] = [
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fspick,
];

const LANDLOCK: [c_long; 3] = [
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
];

/// What Linux 5.10 did not have, and Debian 11 has not; Landlock neither.
const AFTER_5_10: [c_long; 5] = [
    libc::SYS_mount_setattr,
    libc::SYS_epoll_pwait2,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
];

/// What Linux 5.0 did not have, but for Landlock.
const AFTER_5_0: [c_long; 16] = [
    libc::SYS_mount_setattr,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_clone3,
    libc::SYS_close_range,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_pidfd_getfd,
    libc::SYS_openat2,
    libc::SYS_faccessat2,
    libc::SYS_epoll_pwait2,
    libc::SYS_futex_waitv,
];

/// What is refused where `lack` is lacking; nothing where that is no matter of calls.
pub fn filter(lack: &str) -> Option<Filter> {
    let all = |calls: &[c_long], errno: i32| {
        let refused = calls.iter().map(|&call| refused(call, When::Always, errno));
        refused.collect::<Vec<_>>()
    };
    Some(Filter(match lack {
        // As a container's profile does it.
        "namespaces" => vec![
            refused(libc::SYS_clone, When::Bits(0, NAMESPACES), libc::EPERM),
            refused(libc::SYS_unshare, When::Bits(0, NAMESPACES), libc::EPERM),
            refused(libc::SYS_clone3, When::Always, libc::ENOSYS),
        ],
        // As AppArmor does it: namespaces are made, and good for nothing.
        "mounts" => all(&MOUNTS, libc::EPERM),
        "landlock" => all(&LANDLOCK, libc::ENOSYS),
        // It is built in, and was not named when the kernel started.
        "landlock-in-use" => all(&LANDLOCK, libc::EOPNOTSUPP),
        "landlock-permission" => all(&LANDLOCK, libc::EPERM),
        "seccomp" => vec![
            refused(libc::SYS_seccomp, When::Always, libc::EINVAL),
            refused(
                libc::SYS_prctl,
                When::Is(0, libc::PR_SET_SECCOMP.cast_unsigned()),
                libc::EINVAL,
            ),
        ],
        "calls-after-5.10" => all(&AFTER_5_10, libc::ENOSYS),
        "calls-after-5.0" => all(&AFTER_5_0, libc::ENOSYS),
        "memfd" => all(&[libc::SYS_memfd_create], libc::ENOSYS),
        "limits" => vec![
            refused(libc::SYS_prlimit64, When::Given(2), libc::EPERM),
            refused(libc::SYS_setrlimit, When::Always, libc::EPERM),
        ],
        "capset" => all(&[libc::SYS_capset], libc::EPERM),
        "subreapers" => vec![refused(
            libc::SYS_prctl,
            When::Is(0, libc::PR_SET_CHILD_SUBREAPER.cast_unsigned()),
            libc::EINVAL,
        )],
        _ => return None,
    }))
}

fn refused(call: c_long, when: When, errno: i32) -> Refused {
    Refused { call, when, errno }
}

/// Puts all of them on this process as one program, so that none can keep another out.
pub fn install(filters: Vec<Filter>) -> io::Result<()> {
    let rules: Vec<Refused> = filters.into_iter().flat_map(|filter| filter.0).collect();
    if rules.is_empty() {
        return Ok(());
    }
    let mut program: Vec<sock_filter> = rules.iter().flat_map(Refused::assemble).collect();
    program.push(statement(libc::BPF_RET, libc::SECCOMP_RET_ALLOW));
    let mut header = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(io::Error::other)?,
        filter: program.as_mut_ptr(),
    };
    rustix::thread::set_no_new_privs(true)?;
    let mode = libc::SECCOMP_SET_MODE_FILTER as usize;
    sys::call(libc::SYS_seccomp, &[mode, 0, sys::place(&mut header)])?;
    Ok(())
}

impl Refused {
    /// Instructions that end in a refusal, or go past themselves.
    fn assemble(&self) -> Vec<sock_filter> {
        let answer = libc::SECCOMP_RET_ERRNO | self.errno.cast_unsigned();
        let refuse = statement(libc::BPF_RET, answer);
        let condition = match self.when {
            When::Always => Vec::new(),
            When::Bits(argument, mask) => {
                vec![load(offset(argument)), jump(libc::BPF_JSET, mask, 0, 1)]
            }
            When::Is(argument, value) => {
                vec![load(offset(argument)), jump(libc::BPF_JEQ, value, 0, 1)]
            }
            When::Given(argument) => vec![
                load(offset(argument)),
                jump(libc::BPF_JEQ, 0, 0, 2),
                load(offset(argument) + 4),
                jump(libc::BPF_JEQ, 0, 1, 0),
            ],
        };
        let past = u8::try_from(condition.len() + 1).unwrap_or(u8::MAX);
        let number = u32::try_from(self.call).unwrap_or(u32::MAX);
        let mut block = vec![load(0), jump(libc::BPF_JEQ, number, 0, past)];
        block.extend(condition);
        block.push(refuse);
        block
    }
}

/// Where the low half of an argument is in `struct seccomp_data`.
const fn offset(argument: u32) -> u32 {
    16 + 8 * argument
}

fn load(offset: u32) -> sock_filter {
    statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset)
}

fn statement(code: u32, k: u32) -> sock_filter {
    instruction(code, k, 0, 0)
}

fn jump(test: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    instruction(libc::BPF_JMP | test | libc::BPF_K, k, jt, jf)
}

fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter {
        // All codes are smaller than this.
        code: u16::try_from(code).unwrap_or_default(),
        jt,
        jf,
        k,
    }
}
