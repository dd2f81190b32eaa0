//! The filter's program is interpreted here as the kernel would, for both machines;
//! and put on for real.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use libc::{
    BPF_ABS, BPF_ALU, BPF_AND, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W,
    sock_filter,
};

use super::assemble::{Machine, program};
use super::calls::{CALLS, Rule};
use super::{Openings, install};
use crate::layers::testing::{check_alone, word};
use crate::sys::filter::any_call;

const CLOSED: Openings = Openings {
    network: false,
    unix_sockets: false,
    truncation: true,
};
const NETWORK: Openings = Openings {
    network: true,
    unix_sockets: false,
    truncation: true,
};
const ALL: Openings = Openings {
    network: true,
    unix_sockets: true,
    truncation: true,
};

/// Beside a Landlock before version 3.
const UNCUT: Openings = Openings {
    truncation: false,
    ..CLOSED
};

/// The instructions that the filter uses; any other is a mistake.
fn interpret(program: &[sock_filter], audit: u32, number: u32, arguments: [u64; 6]) -> (u32, u32) {
    let word = |offset: u32| match offset {
        0 => number,
        4 => audit,
        16.. => {
            let argument = arguments[(offset as usize - 16) / 8];
            if offset.is_multiple_of(8) {
                argument as u32
            } else {
                (argument >> 32) as u32
            }
        }
        _ => panic!("no argument at {offset}"),
    };
    let (mut at, mut accumulator, mut steps) = (0, 0_u32, 0);
    loop {
        let sock_filter { code, jt, jf, k } = program[at];
        let code = u32::from(code);
        let branch = |yes| usize::from(if yes { jt } else { jf });
        at += 1;
        steps += 1;
        if code == BPF_LD | BPF_W | BPF_ABS {
            accumulator = word(k);
        } else if code == BPF_ALU | BPF_AND | BPF_K {
            accumulator &= k;
        } else if code == BPF_JMP | BPF_JEQ | BPF_K {
            at += branch(accumulator == k);
        } else if code == BPF_JMP | BPF_JGE | BPF_K {
            at += branch(accumulator >= k);
        } else if code == BPF_JMP | BPF_JSET | BPF_K {
            at += branch(accumulator & k != 0);
        } else if code == BPF_RET | BPF_K {
            return (k, steps);
        } else {
            panic!("instruction {code:#x}")
        }
    }
}

fn verdict_word(verdict: u32) -> String {
    match verdict {
        libc::SECCOMP_RET_ALLOW => "works".to_owned(),
        libc::SECCOMP_RET_KILL_PROCESS => "kill".to_owned(),
        errno => word::<()>(Err((errno & 0xFFFF) as i32)),
    }
}

fn number(machine: Machine, name: &str) -> Option<u16> {
    // Calls that every program makes and no rule mentions.
    let common = [
        ("read", 0, 63),
        ("write", 1, 64),
        ("mmap", 9, 222),
        ("futex", 202, 98),
        ("execve", 59, 221),
        ("kill", 62, 129),
        ("pidfd_open", 434, 434),
        ("statx", 332, 291),
        ("landlock_restrict_self", 446, 446),
        ("seccomp", 317, 277),
    ];
    let call = CALLS.iter().find(|call| call.name == name);
    let numbers = call
        .map(|call| (Some(call.x86_64), call.aarch64))
        .or_else(|| {
            let (_, x86_64, aarch64) = common.iter().find(|(common, ..)| *common == name)?;
            Some((Some(*x86_64), Some(*aarch64)))
        });
    let (x86_64, aarch64) = numbers.unwrap_or_else(|| panic!("no number of {name}"));
    match machine {
        Machine::X86_64 => x86_64,
        Machine::Aarch64 => aarch64,
    }
}

#[track_caller]
fn check(openings: Openings, name: &str, arguments: &[u64], expected: &str) {
    let mut all = [0; 6];
    all[..arguments.len()].copy_from_slice(arguments);
    for machine in [Machine::X86_64, Machine::Aarch64] {
        let Some(number) = number(machine, name) else {
            continue;
        };
        let code = program(machine, openings).unwrap();
        let (verdict, _) = interpret(&code, machine.audit(), number.into(), all);
        assert_eq!(
            verdict_word(verdict),
            expected,
            "{name}{arguments:x?} on {machine:?}"
        );
    }
}

#[test]
fn calls_without_arguments_to_look_at_get_the_verdict_of_the_table() {
    for call in CALLS {
        if let Rule::Fail(errno) = call.rule {
            check(ALL, call.name, &[1, 2, 3, 4, 5, 6], &word::<()>(Err(errno)));
        }
    }
}

#[test]
fn what_an_old_landlock_does_not_see_cuts_no_file() {
    let (read, write, both, neither) = (0, 1, 2, 3);
    let (create, cut) = (0o100, 0o1000);
    check(CLOSED, "truncate", &[1, 0], "works");
    check(CLOSED, "openat", &[1, 1, read | cut], "works");
    check(UNCUT, "truncate", &[1, 0], "EACCES");
    for flags in [read, read | create, neither] {
        check(UNCUT, "openat", &[1, 1, flags], "works");
        check(UNCUT, "openat", &[1, 1, flags | cut], "EACCES");
        check(UNCUT, "open", &[1, flags | cut], "EACCES");
    }
    for flags in [write, both, write | create, both | create] {
        check(UNCUT, "openat", &[1, 1, flags | cut], "works");
        check(
            UNCUT,
            "openat",
            &[1, 1, flags | cut | create, 0o4755],
            "EPERM",
        );
    }
}

#[test]
fn calls_that_programs_live_on_are_let_through() {
    let names = [
        "read",
        "write",
        "mmap",
        "futex",
        "execve",
        "kill",
        "pidfd_open",
        "statx",
        "seccomp",
        "landlock_restrict_self",
    ];
    for name in names {
        check(CLOSED, name, &[u64::MAX; 6], "works");
    }
}

#[test]
fn arguments_decide_where_they_can() {
    const CLOEXEC: u64 = 0o2_000_000;
    let cases: &[(Openings, &str, &[u64], &str)] = &[
        (CLOSED, "socket", &[1, 1, 0], "EAFNOSUPPORT"),
        (CLOSED, "socket", &[2, 1, 0], "EAFNOSUPPORT"),
        (CLOSED, "socket", &[10, 2, 0], "EAFNOSUPPORT"),
        (CLOSED, "socket", &[16, 3, 0], "EAFNOSUPPORT"),
        (CLOSED, "socket", &[40, 1, 0], "EAFNOSUPPORT"),
        (NETWORK, "socket", &[1, 1, 0], "EAFNOSUPPORT"),
        (NETWORK, "socket", &[2, 1 | CLOEXEC, 0], "works"),
        (NETWORK, "socket", &[2, 1, 262], "works"),
        (NETWORK, "socket", &[10, 2, 0], "works"),
        (NETWORK, "socket", &[16, 3, 0], "works"),
        (NETWORK, "socket", &[16, 3, 9], "EPROTONOSUPPORT"),
        (NETWORK, "socket", &[17, 3, 0], "EAFNOSUPPORT"),
        (NETWORK, "socket", &[38, 5, 0], "EAFNOSUPPORT"),
        (NETWORK, "socket", &[40, 1, 0], "EAFNOSUPPORT"),
        (NETWORK, "socket", &[0x1_0000_0001, 1, 0], "EAFNOSUPPORT"),
        (ALL, "socket", &[1, 2, 0], "works"),
        (ALL, "socket", &[40, 1, 0], "EAFNOSUPPORT"),
        (CLOSED, "socketpair", &[1, 1 | CLOEXEC, 0], "works"),
        (CLOSED, "socketpair", &[1, 5, 0], "works"),
        (CLOSED, "socketpair", &[1, 2, 0], "EPROTONOSUPPORT"),
        (
            CLOSED,
            "socketpair",
            &[1, 3 | CLOEXEC, 0],
            "EPROTONOSUPPORT",
        ),
        (CLOSED, "socketpair", &[2, 1, 0], "EAFNOSUPPORT"),
        (NETWORK, "socketpair", &[1, 2, 0], "EPROTONOSUPPORT"),
        (ALL, "socketpair", &[1, 2, 0], "works"),
        (ALL, "socketpair", &[2, 1, 0], "EAFNOSUPPORT"),
        // A thread, a vfork; then a user, a network and a mount namespace.
        (CLOSED, "clone", &[0x3d_0f00], "works"),
        (CLOSED, "clone", &[0x4111], "works"),
        (CLOSED, "clone", &[0x1000_0011], "EPERM"),
        (CLOSED, "clone", &[0x4000_0011], "EPERM"),
        (CLOSED, "clone", &[0x2_0011], "EPERM"),
        (CLOSED, "ioctl", &[0, 0x5401], "works"),
        (CLOSED, "ioctl", &[0, 0x5412], "EPERM"),
        (CLOSED, "ioctl", &[0, 0x541C], "EPERM"),
        (CLOSED, "ioctl", &[0, 0xFFFF_FFFF_0000_5412], "EPERM"),
        (CLOSED, "chmod", &[0, 0o755], "works"),
        (CLOSED, "chmod", &[0, 0o4755], "EPERM"),
        (CLOSED, "fchmod", &[0, 0o2755], "EPERM"),
        (CLOSED, "fchmodat", &[0, 0, 0o1777], "works"),
        (CLOSED, "fchmodat", &[0, 0, 0o6755], "EPERM"),
        (CLOSED, "fchmodat2", &[0, 0, 0o4755, 0], "EPERM"),
        (CLOSED, "mknod", &[0, 0o104755, 0], "EPERM"),
        (CLOSED, "mknodat", &[0, 0, 0o10644, 0], "works"),
        (CLOSED, "mknodat", &[0, 0, 0o104755, 0], "EPERM"),
        (CLOSED, "creat", &[0, 0o4755], "EPERM"),
        (CLOSED, "open", &[0, 0o101, 0o644], "works"),
        (CLOSED, "open", &[0, 0o101, 0o4755], "EPERM"),
        // Nobody sets the mode where no file is made: it may be anything.
        (CLOSED, "open", &[0, 0, 0xFFFF_FFFF], "works"),
        (CLOSED, "openat", &[0, 0, 0, 0xFFFF_FFFF], "works"),
        (CLOSED, "openat", &[0, 0, 0o102, 0o600], "works"),
        (CLOSED, "openat", &[0, 0, 0o102, 0o4755], "EPERM"),
        (CLOSED, "openat", &[0, 0, 0o20_200_002, 0o4755], "EPERM"),
        (CLOSED, "prlimit64", &[0, 7], "works"),
        (CLOSED, "prlimit64", &[1, 7], "EPERM"),
        (CLOSED, "setpriority", &[0, 0, 10], "works"),
        (CLOSED, "setpriority", &[0, 1, 10], "EPERM"),
        (CLOSED, "setpriority", &[2, 0, 10], "EPERM"),
        (CLOSED, "ioprio_set", &[1, 0, 0], "works"),
        (CLOSED, "ioprio_set", &[3, 0, 0], "EPERM"),
        (CLOSED, "sched_setaffinity", &[0, 8], "works"),
        (CLOSED, "sched_setaffinity", &[1, 8], "EPERM"),
        (CLOSED, "personality", &[0xFFFF_FFFF], "works"),
        (CLOSED, "personality", &[0x0040_0000], "EPERM"),
    ];
    for (openings, name, arguments, expected) in cases {
        check(*openings, name, arguments, expected);
    }
}

#[test]
fn another_machine_s_calls_end_the_process_and_x32_is_absent() {
    let code = program(Machine::X86_64, CLOSED).unwrap();
    let verdict = |audit, number| verdict_word(interpret(&code, audit, number, [0; 6]).0);
    assert_eq!(verdict(0x4000_0003, 359), "kill");
    assert_eq!(verdict(Machine::Aarch64.audit(), 63), "kill");
    assert_eq!(verdict(Machine::X86_64.audit(), 0x4000_0000 | 41), "ENOSYS");
    assert_eq!(verdict(Machine::X86_64.audit(), u32::MAX), "ENOSYS");
}

#[test]
fn calls_newer_than_the_table_are_absent() {
    for machine in [Machine::X86_64, Machine::Aarch64] {
        let code = program(machine, ALL).unwrap();
        let verdict = |number| verdict_word(interpret(&code, machine.audit(), number, [0; 6]).0);
        assert_eq!(verdict(469), "works");
        assert_eq!(verdict(470), "ENOSYS");
        assert_eq!(verdict(600), "ENOSYS");
    }
}

#[test]
fn every_call_is_decided_within_a_dozen_steps_of_a_short_program() {
    for machine in [Machine::X86_64, Machine::Aarch64] {
        let code = program(machine, NETWORK).unwrap();
        assert!(code.len() < 250, "{} instructions", code.len());
        let common = ["read", "write", "mmap", "futex"];
        for name in common {
            let number = number(machine, name).unwrap();
            let (_, steps) = interpret(&code, machine.audit(), number.into(), [0; 6]);
            assert!(steps <= 13, "{name} takes {steps} steps");
        }
        for number in 0..500 {
            let (_, steps) = interpret(&code, machine.audit(), number, [0; 6]);
            assert!(steps <= 24, "{number} takes {steps} steps");
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_table_s_numbers_are_the_system_s() {
    let pairs = [
        ("ptrace", libc::SYS_ptrace),
        ("socket", libc::SYS_socket),
        ("socketpair", libc::SYS_socketpair),
        ("clone", libc::SYS_clone),
        ("ioctl", libc::SYS_ioctl),
        ("open", libc::SYS_open),
        ("openat", libc::SYS_openat),
        ("openat2", libc::SYS_openat2),
        ("bpf", libc::SYS_bpf),
        ("keyctl", libc::SYS_keyctl),
        ("unshare", libc::SYS_unshare),
        ("setns", libc::SYS_setns),
        ("mount", libc::SYS_mount),
        ("userfaultfd", libc::SYS_userfaultfd),
        ("prlimit64", libc::SYS_prlimit64),
        ("fchmodat2", libc::SYS_fchmodat2),
        ("shmat", libc::SYS_shmat),
        ("process_vm_writev", libc::SYS_process_vm_writev),
    ];
    for (name, system) in pairs {
        assert_eq!(
            number(Machine::X86_64, name).map(i64::from),
            Some(system),
            "{name}"
        );
    }
}

/// Real calls, most of which work or fail otherwise without the filter.
fn real_calls() -> Vec<String> {
    let calls: &[(&str, i64, [u64; 6])] = &[
        ("socket unix", libc::SYS_socket, [1, 1, 0, 0, 0, 0]),
        ("socket inet", libc::SYS_socket, [2, 1, 0, 0, 0, 0]),
        ("socket inet6 udp", libc::SYS_socket, [10, 2, 0, 0, 0, 0]),
        ("socket netlink", libc::SYS_socket, [16, 3, 0, 0, 0, 0]),
        ("socket vsock", libc::SYS_socket, [40, 1, 0, 0, 0, 0]),
        ("socketpair dgram", libc::SYS_socketpair, [1, 2, 0, 0, 0, 0]),
        ("ptrace", libc::SYS_ptrace, [0; 6]),
        ("unshare", libc::SYS_unshare, [0x1000_0000, 0, 0, 0, 0, 0]),
        ("clone3", libc::SYS_clone3, [0; 6]),
        ("io_uring", libc::SYS_io_uring_setup, [1, 0, 0, 0, 0, 0]),
        ("memfd", libc::SYS_memfd_create, [0; 6]),
        ("shmget", libc::SYS_shmget, [0, 4096, 0o1600, 0, 0, 0]),
        ("keyctl", libc::SYS_keyctl, [0; 6]),
        ("bpf", libc::SYS_bpf, [0; 6]),
        ("userfaultfd", libc::SYS_userfaultfd, [1, 0, 0, 0, 0, 0]),
        ("mount", libc::SYS_mount, [0; 6]),
        ("fchmod u+s", libc::SYS_fchmod, [1, 0o4755, 0, 0, 0, 0]),
        ("tiocsti", libc::SYS_ioctl, [0, 0x5412, 0, 0, 0, 0]),
        (
            "renice parent",
            libc::SYS_setpriority,
            [0, std::os::unix::process::parent_id().into(), 19, 0, 0, 0],
        ),
        ("getpid", libc::SYS_getpid, [0; 6]),
    ];
    calls
        .iter()
        .map(|(name, number, arguments)| format!("{name}: {}", word(any_call(*number, *arguments))))
        .collect()
}

#[test]
fn real_calls_are_refused_by_the_kernel() {
    check_alone(
        "layers::seccomp::tests::real_calls_are_refused_by_the_kernel",
        || {
            install(CLOSED).unwrap();
            let mut lines = real_calls();
            let child = std::process::Command::new("/bin/true").status();
            lines.push(format!(
                "a child: {}",
                child.is_ok_and(|status| status.success())
            ));
            let thread = std::thread::spawn(|| 7).join();
            lines.push(format!("a thread: {}", thread.is_ok()));
            let pair = std::os::unix::net::UnixStream::pair();
            lines.push(format!("a connected pair: {}", pair.is_ok()));
            lines
        },
        &[
            "socket unix: EAFNOSUPPORT",
            "socket inet: EAFNOSUPPORT",
            "socket inet6 udp: EAFNOSUPPORT",
            "socket netlink: EAFNOSUPPORT",
            "socket vsock: EAFNOSUPPORT",
            "socketpair dgram: EPROTONOSUPPORT",
            "ptrace: EPERM",
            "unshare: EPERM",
            "clone3: ENOSYS",
            "io_uring: ENOSYS",
            "memfd: ENOSYS",
            "shmget: ENOSYS",
            "keyctl: EPERM",
            "bpf: EPERM",
            "userfaultfd: EPERM",
            "mount: EPERM",
            "fchmod u+s: EPERM",
            "tiocsti: EPERM",
            "renice parent: EPERM",
            "getpid: works",
            "a child: true",
            "a thread: true",
            "a connected pair: true",
        ],
    );
}

#[test]
fn the_network_can_be_left_open_without_unix_sockets() {
    check_alone(
        "layers::seccomp::tests::the_network_can_be_left_open_without_unix_sockets",
        || {
            install(NETWORK).unwrap();
            real_calls().into_iter().take(5).collect()
        },
        &[
            "socket unix: EAFNOSUPPORT",
            "socket inet: works",
            "socket inet6 udp: works",
            "socket netlink: works",
            "socket vsock: EAFNOSUPPORT",
        ],
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_gate_of_32_bit_programs_is_deadly() {
    use std::os::unix::process::ExitStatusExt as _;

    check_alone(
        "layers::seccomp::tests::the_gate_of_32_bit_programs_is_deadly",
        || {
            const AGAIN: &str = "ARGWAY_LAYER_TEST_GATE";
            if std::env::var_os(AGAIN).is_some() {
                install(ALL).unwrap();
                let answer = crate::sys::filter::socket_by_the_old_gate();
                return vec![format!("still here with {answer}")];
            }
            let status = std::process::Command::new(std::env::current_exe().unwrap())
                .args(std::env::args_os().skip(1))
                .env(AGAIN, "1")
                .status()
                .unwrap();
            vec![format!("{:?}", status.signal() == Some(libc::SIGSYS))]
        },
        &["true"],
    );
}
