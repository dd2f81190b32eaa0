//! Attacks on other processes: those of the user, the server, the supervisor.

use std::fs;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getppid, kill_process};

use super::calls::Shared;
use super::sys;
use super::words::{Attack, Words, say};

pub const ATTACKS: &[(&str, Attack)] = &[
    ("victim", victim),
    ("beneath", beneath),
    ("scan-environments", scan_environments),
    ("scan-command-lines", scan_command_lines),
    ("through-root-of", through_root_of),
    ("memory-of", memory_of),
    ("trace", trace),
    ("read-memory", read_memory),
    ("kill", kill),
    ("kill-by-descriptor", kill_by_descriptor),
    ("kill-everyone", kill_everyone),
    ("signal-by-owner", signal_by_owner),
    ("renice", renice),
    ("limit", limit),
    ("take-descriptor", take_descriptor),
    ("compare", compare),
    ("advise-memory", advise_memory),
    ("move-memory", move_memory),
    ("inherited-descriptors", inherited_descriptors),
    ("environment", environment),
    ("preloaded", preloaded),
    ("kill-supervisor", kill_supervisor),
    ("stop-supervisor", stop_supervisor),
    ("trace-supervisor", trace_supervisor),
];

const PTRACE_ATTACH: usize = 16;
const PTRACE_DETACH: usize = 17;

/// The bit of a signal in the masks of `/proc/PID/status`.
const URGENT: i32 = libc::SIGURG;

/// Is attacked: holds a secret in its memory and things under a key, says where, and
/// waits until stdin ends.
fn victim(words: &Words) -> io::Result<String> {
    sys::end_after(300);
    sys::hold(URGENT);
    // Yama lets only ancestors trace unless one asks for it.
    let anyone = usize::MAX;
    let _ = sys::call(libc::SYS_prctl, &[0x5961_6d61, anyone]);
    let mut secret = words.text(0).to_owned().into_bytes();
    let key = 0x4147_0000 + usize::try_from(std::process::id()).map_err(io::Error::other)?;
    let shared = Shared::make(key)?;
    say(&format!("{} {key}", sys::bytes(&mut secret)));
    io::stdin().read_to_end(&mut Vec::new())?;
    shared.remove()?;
    Ok(format!("{} bytes were kept", secret.len()))
}

/// Is the supervisor of another attack, where there is none that may be attacked.
fn beneath(words: &Words) -> io::Result<String> {
    sys::end_after(120);
    let own = std::env::current_exe()?;
    let status = std::process::Command::new(own)
        .args(words.from(0))
        .status()?;
    std::process::exit(status.code().unwrap_or(1))
}

fn process(words: &Words) -> io::Result<Pid> {
    Pid::from_raw(words.number(0)).ok_or_else(|| io::Error::other("0 is no process"))
}

fn raw(words: &Words) -> usize {
    words.number(0)
}

/// Looks into this file of every process but its own.
fn scan(file: &str, wanted: &str) -> io::Result<String> {
    let own = std::process::id().to_string();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(name) = name.to_str().filter(|it| it.parse::<u32>().is_ok()) else {
            continue;
        };
        let Ok(bytes) = fs::read(format!("/proc/{name}/{file}")) else {
            continue;
        };
        if name != own && String::from_utf8_lossy(&bytes).contains(wanted) {
            return Ok(format!("found it in process {name}"));
        }
    }
    Err(io::Error::other("no process shows it"))
}

/// The secret is `ATTACK_SECRET`, or this process would show it itself.
fn scan_environments(words: &Words) -> io::Result<String> {
    scan("environ", &format!("{}={}", words.text(0), words.text(1)))
}

/// The token comes in two halves, or this process' ancestors would show it.
fn scan_command_lines(words: &Words) -> io::Result<String> {
    scan("cmdline", &format!("{}{}", words.text(0), words.text(1)))
}

fn through_root_of(words: &Words) -> io::Result<String> {
    let path = format!("/proc/{}/root{}", words.text(0), words.text(1));
    let bytes = fs::read(path)?;
    Ok(format!("{} bytes through another's root", bytes.len()))
}

fn memory_of(words: &Words) -> io::Result<String> {
    use std::os::unix::fs::FileExt;
    let memory = fs::File::open(format!("/proc/{}/mem", words.text(0)))?;
    let mut bytes = [0; 8];
    memory.read_exact_at(&mut bytes, words.number(1))?;
    Ok(format!("read {}", String::from_utf8_lossy(&bytes)))
}

fn trace_process(process: usize) -> io::Result<String> {
    sys::call(libc::SYS_ptrace, &[PTRACE_ATTACH, process, 0, 0])?;
    let number = i32::try_from(process).map_err(io::Error::other)?;
    sys::wait(number)?;
    sys::call(libc::SYS_ptrace, &[PTRACE_DETACH, process, 0, 0])?;
    Ok(format!("traced process {process}"))
}

fn trace(words: &Words) -> io::Result<String> {
    trace_process(raw(words))
}

fn read_memory(words: &Words) -> io::Result<String> {
    let mut bytes = [0_u8; 8];
    let mut local = [sys::bytes(&mut bytes), bytes.len()];
    let mut remote = [words.number::<usize>(1), bytes.len()];
    let wanted = [
        raw(words),
        sys::place(&mut local),
        1,
        sys::place(&mut remote),
        1,
        0,
    ];
    sys::call(libc::SYS_process_vm_readv, &wanted)?;
    Ok(format!("read {}", String::from_utf8_lossy(&bytes)))
}

fn kill(words: &Words) -> io::Result<String> {
    kill_process(process(words)?, Signal::TERM)?;
    Ok("sent SIGTERM".to_owned())
}

fn kill_by_descriptor(words: &Words) -> io::Result<String> {
    let descriptor = sys::call(libc::SYS_pidfd_open, &[raw(words), 0])?;
    let term = [descriptor, 15, 0, 0];
    sys::call(libc::SYS_pidfd_send_signal, &term)?;
    Ok("sent SIGTERM through a descriptor".to_owned())
}

/// A signal that does nothing unless one waits for it, to everyone.
fn kill_everyone(words: &Words) -> io::Result<String> {
    let everyone = usize::MAX;
    let urgent = usize::try_from(URGENT).map_err(io::Error::other)?;
    sys::call(libc::SYS_kill, &[everyone, urgent])?;
    heard(words)
}

/// Lets the system send the signal, at input on a pipe that the victim "owns".
fn signal_by_owner(words: &Words) -> io::Result<String> {
    const SET_FLAGS: usize = 4;
    const SET_OWNER: usize = 8;
    const SET_SIGNAL: usize = 10;
    const ASYNC: usize = 0o20000;
    let mut ends = [0_i32; 2];
    sys::call(libc::SYS_pipe2, &[sys::place(&mut ends), 0])?;
    let end = |index: usize| usize::try_from(ends[index]).map_err(io::Error::other);
    let urgent = usize::try_from(URGENT).map_err(io::Error::other)?;
    sys::call(libc::SYS_fcntl, &[end(0)?, SET_SIGNAL, urgent])?;
    sys::call(libc::SYS_fcntl, &[end(0)?, SET_OWNER, raw(words)])?;
    sys::call(libc::SYS_fcntl, &[end(0)?, SET_FLAGS, ASYNC])?;
    let mut byte = [1_u8];
    sys::call(libc::SYS_write, &[end(1)?, sys::bytes(&mut byte), 1])?;
    heard(words)
}

/// Whether the victim has the signal waiting.
fn heard(words: &Words) -> io::Result<String> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(2) {
        let status = fs::read_to_string(format!("/proc/{}/status", words.text(0)))?;
        let waiting = status
            .lines()
            .filter_map(|line| {
                line.strip_prefix("ShdPnd:")
                    .or(line.strip_prefix("SigPnd:"))
            })
            .filter_map(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .any(|mask| mask & (1 << (URGENT - 1)) != 0);
        if waiting {
            return Ok("the victim got it".to_owned());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(io::Error::other("nobody heard it"))
}

fn renice(words: &Words) -> io::Result<String> {
    sys::call(libc::SYS_setpriority, &[0, raw(words), 10])?;
    Ok("slowed another process".to_owned())
}

fn limit(words: &Words) -> io::Result<String> {
    let (files, mut none) = (7, [16_u64, 4096]);
    let mut before = [0_u64; 2];
    sys::call(
        libc::SYS_prlimit64,
        &[raw(words), files, 0, sys::place(&mut before)],
    )?;
    none[1] = before[1];
    sys::call(
        libc::SYS_prlimit64,
        &[raw(words), files, sys::place(&mut none), 0],
    )?;
    Ok("limited another process".to_owned())
}

fn take_descriptor(words: &Words) -> io::Result<String> {
    let descriptor = sys::call(libc::SYS_pidfd_open, &[raw(words), 0])?;
    sys::call(libc::SYS_pidfd_getfd, &[descriptor, 0, 0])?;
    Ok("has another's descriptor".to_owned())
}

fn compare(words: &Words) -> io::Result<String> {
    let own = usize::try_from(std::process::id()).map_err(io::Error::other)?;
    sys::call(libc::SYS_kcmp, &[own, raw(words), 1, 0, 0])?;
    Ok("knows how another's memory is ordered".to_owned())
}

fn advise_memory(words: &Words) -> io::Result<String> {
    const COLD: usize = 20;
    let descriptor = sys::call(libc::SYS_pidfd_open, &[raw(words), 0])?;
    let page = words.number::<usize>(1) & !4095;
    let mut range = [page, 4096];
    let wanted = [descriptor, sys::place(&mut range), 1, COLD, 0];
    sys::call(libc::SYS_process_madvise, &wanted)?;
    Ok("advised on another's memory".to_owned())
}

fn move_memory(words: &Words) -> io::Result<String> {
    let mut pages = [words.number::<usize>(1) & !4095];
    let mut status = [0_i32];
    let wanted = [
        raw(words),
        1,
        sys::place(&mut pages),
        0,
        sys::place(&mut status),
        0,
    ];
    sys::call(libc::SYS_move_pages, &wanted)?;
    Ok("knows where another's pages are".to_owned())
}

/// Looks for a secret in every descriptor that it was started with.
fn inherited_descriptors(words: &Words) -> io::Result<String> {
    let mut bytes = vec![0_u8; 4096];
    for descriptor in 3..1024 {
        let at = sys::bytes(&mut bytes);
        let Ok(count) = sys::call(libc::SYS_pread64, &[descriptor, at, 4096, 0]) else {
            continue;
        };
        if String::from_utf8_lossy(&bytes[..count]).contains(words.text(0)) {
            return Ok(format!("descriptor {descriptor} holds it"));
        }
    }
    Err(io::Error::other("no descriptor holds it"))
}

fn environment(words: &Words) -> io::Result<String> {
    match std::env::var_os(words.text(0)) {
        Some(_) => Ok(format!("{} is set", words.text(0))),
        None => Err(io::Error::other(format!("{} is not set", words.text(0)))),
    }
}

fn preloaded(words: &Words) -> io::Result<String> {
    let maps = fs::read_to_string("/proc/self/maps")?;
    match maps.contains(words.text(0)) {
        true => Ok(format!("{} is in memory", words.text(0))),
        false => Err(io::Error::other(format!(
            "{} is not in memory",
            words.text(0)
        ))),
    }
}

fn supervisor() -> io::Result<Pid> {
    getppid().ok_or_else(|| io::Error::other("its parent cannot be named"))
}

/// Leaves a process behind, then ends the one that would end it.
fn kill_supervisor(words: &Words) -> io::Result<String> {
    super::linger::leave_behind(words.text(0))?;
    let supervisor = supervisor()?;
    kill_process(supervisor, Signal::KILL)?;
    soon(|| getppid() != Some(supervisor))
        .then(|| "lives on without a supervisor".to_owned())
        .ok_or_else(|| io::Error::other("the supervisor lives on"))
}

fn stop_supervisor(_: &Words) -> io::Result<String> {
    let supervisor = supervisor()?;
    kill_process(supervisor, Signal::STOP)?;
    let stat = format!("/proc/{}/stat", supervisor.as_raw_nonzero());
    let stopped = soon(|| fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") T ")));
    kill_process(supervisor, Signal::CONT)?;
    match stopped {
        true => Ok("the supervisor was stopped".to_owned()),
        false => Err(io::Error::other("the supervisor goes on")),
    }
}

fn trace_supervisor(_: &Words) -> io::Result<String> {
    let supervisor = supervisor()?.as_raw_nonzero().get();
    trace_process(usize::try_from(supervisor).map_err(io::Error::other)?)
}

fn soon(mut condition: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(2) {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}
