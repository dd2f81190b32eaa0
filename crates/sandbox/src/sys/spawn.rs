//! For the launch: starting a process with chosen descriptors, forking, executing,
//! signals.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use rustix::process::Pid;

/// Starts `file` in a session of its own, with an empty environment, all signals as
/// they are by default, and `descriptors` as its 0, 1, 2 …
///
/// Everything else must be close-on-exec. Never forks: the cost does not grow with
/// this process.
#[cfg(target_os = "linux")]
pub fn spawn(file: &CStr, words: &[&CStr], descriptors: &[BorrowedFd]) -> io::Result<Pid> {
    // Above all numbers that are given out, so that no copy lands on one still needed.
    let first_free = RawFd::try_from(descriptors.len()).unwrap_or(RawFd::MAX);
    let sources: Vec<OwnedFd> = descriptors
        .iter()
        .map(|fd| rustix::io::fcntl_dupfd_cloexec(fd, first_free))
        .collect::<Result<_, _>>()?;
    let mut argv: Vec<*mut libc::c_char> =
        words.iter().map(|word| word.as_ptr().cast_mut()).collect();
    argv.push(ptr::null_mut());
    let environment: [*mut libc::c_char; 1] = [ptr::null_mut()];
    let flags = libc::POSIX_SPAWN_SETSIGMASK
        | libc::POSIX_SPAWN_SETSIGDEF
        | libc::c_int::from(libc::POSIX_SPAWN_SETSID);
    let flags = libc::c_short::try_from(flags).map_err(io::Error::other)?;

    // SAFETY: `actions`, `attributes` and `signals` are initialised by the first call on
    // each before anything reads them and destroyed on every way out; the strings and
    // arrays that `posix_spawn` reads outlive it and end with null.
    unsafe {
        let mut actions: libc::posix_spawn_file_actions_t = std::mem::zeroed();
        check(libc::posix_spawn_file_actions_init(&raw mut actions))?;
        let mut attributes: libc::posix_spawnattr_t = std::mem::zeroed();
        if let Err(error) = check(libc::posix_spawnattr_init(&raw mut attributes)) {
            libc::posix_spawn_file_actions_destroy(&raw mut actions);
            return Err(error);
        }
        let mut pid: libc::pid_t = 0;
        let result = (|| {
            for (target, source) in (0..).zip(&sources) {
                check(libc::posix_spawn_file_actions_adddup2(
                    &raw mut actions,
                    source.as_raw_fd(),
                    target,
                ))?;
            }
            let mut signals: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut signals);
            check(libc::posix_spawnattr_setsigmask(
                &raw mut attributes,
                &raw const signals,
            ))?;
            libc::sigfillset(&raw mut signals);
            check(libc::posix_spawnattr_setsigdefault(
                &raw mut attributes,
                &raw const signals,
            ))?;
            check(libc::posix_spawnattr_setflags(&raw mut attributes, flags))?;
            check(libc::posix_spawn(
                &raw mut pid,
                file.as_ptr(),
                &raw const actions,
                &raw const attributes,
                argv.as_ptr(),
                environment.as_ptr(),
            ))
        })();
        libc::posix_spawnattr_destroy(&raw mut attributes);
        libc::posix_spawn_file_actions_destroy(&raw mut actions);
        result?;
        Pid::from_raw(pid).ok_or_else(|| io::Error::other("it has no process"))
    }
}

fn check(code: libc::c_int) -> io::Result<()> {
    match code {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Forks: the child's pid in the parent, nothing in the child. Only for a process
/// that has one thread.
pub fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: a launcher has one thread, so no lock is held by anybody whom the child
    // does not have.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(Pid::from_raw(pid)),
    }
}

/// Words or variables in the form that `execve` reads.
pub struct Strings {
    _owned: Vec<CString>,
    pointers: Vec<*const libc::c_char>,
}

impl Strings {
    /// An error where one of them has a zero byte within.
    pub fn new(strings: impl IntoIterator<Item = Vec<u8>>) -> io::Result<Self> {
        let owned = strings
            .into_iter()
            .map(CString::new)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let mut pointers: Vec<*const libc::c_char> =
            owned.iter().map(|string| string.as_ptr()).collect();
        pointers.push(ptr::null());
        Ok(Self {
            _owned: owned,
            pointers,
        })
    }
}

/// Becomes the program in `file`; comes back only with the reason why not.
pub fn exec(file: &CStr, words: &Strings, environment: &Strings) -> io::Error {
    // SAFETY: both arrays end with null and point to strings that they own.
    unsafe {
        libc::execve(
            file.as_ptr(),
            words.pointers.as_ptr(),
            environment.pointers.as_ptr(),
        )
    };
    io::Error::last_os_error()
}

/// Makes `descriptors` this process' 0, 1, 2 … and closes all others.
///
/// For a fork that begins anew and never comes back to who owned those.
#[cfg(target_os = "linux")]
pub fn begin_with(descriptors: Vec<OwnedFd>) -> io::Result<()> {
    let first_free = RawFd::try_from(descriptors.len()).unwrap_or(RawFd::MAX);
    // Above all numbers that are given out, so that no copy lands on one still needed.
    let sources: Vec<OwnedFd> = descriptors
        .iter()
        .map(|fd| rustix::io::fcntl_dupfd_cloexec(fd, first_free))
        .collect::<Result<_, _>>()?;
    for (target, source) in (0..).zip(&sources) {
        // SAFETY: whoever owned the target in this process never runs again.
        if unsafe { libc::dup2(source.as_raw_fd(), target) } == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    // Closed below, or somebody else's by now.
    std::mem::forget((descriptors, sources));
    close_from(first_free);
    Ok(())
}

/// Closes every descriptor from `first` on.
///
/// For a process that has just begun and owns none of them.
#[cfg(target_os = "linux")]
pub fn close_from(first: RawFd) {
    // SAFETY: at the beginning of a launcher nobody in it owns a descriptor yet, and a
    // fork that begins anew never comes back to those who did.
    let closed = unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) };
    if closed == 0 {
        return;
    }
    // Before Linux 5.9. The folder's own descriptor is among the names, and gone after.
    let open: Vec<RawFd> = std::fs::read_dir("/proc/self/fd")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|&fd| fd >= first)
        .collect();
    for fd in open {
        // SAFETY: as above.
        unsafe { libc::close(fd) };
    }
}

/// Takes a descriptor that this process was started with, and keeps it from programs
/// that it starts. An error where there is none of this number.
pub fn inherited(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: asks about a number and changes its flag; both are sound for any number.
    if unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) } == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is open, and a launcher asks once for each number that it was given.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Makes `file` this process' stdin, stdout and stderr.
pub fn replace_stdio(file: BorrowedFd) -> io::Result<()> {
    for number in 0..3 {
        // SAFETY: the standard descriptors belong to the process as a whole.
        if unsafe { libc::dup2(file.as_raw_fd(), number) } == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Holds back every signal that can be, so that only [`Signals`] hears them.
pub fn block_signals() {
    mask(libc::SIG_SETMASK, true);
}

/// What a program expects when it begins: no signal held back or ignored.
pub fn usual_signals() {
    // Rust's runtime ignores it; nothing else was changed since `spawn`.
    // SAFETY: sets the default, no code of ours runs.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    mask(libc::SIG_SETMASK, false);
}

fn mask(how: libc::c_int, all: bool) {
    // SAFETY: the set is initialised by either call before it is read.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        match all {
            true => libc::sigfillset(&raw mut set),
            false => libc::sigemptyset(&raw mut set),
        };
        libc::sigprocmask(how, &raw const set, ptr::null_mut());
    }
}

/// The signals that a supervisor listens to, as a descriptor that can be polled.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub struct Signals(pub OwnedFd);

#[cfg(target_os = "linux")]
impl Signals {
    /// Listens to the end of children and to being asked to end. They must be blocked.
    pub fn new() -> io::Result<Self> {
        // SAFETY: the set is initialised before it is read; the descriptor is new.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            for signal in [libc::SIGCHLD, libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
                libc::sigaddset(&raw mut set, signal);
            }
            match libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
                -1 => Err(io::Error::last_os_error()),
                fd => Ok(Self(OwnedFd::from_raw_fd(fd))),
            }
        }
    }

    /// Takes what arrived; true where somebody asked to end.
    pub fn take(&self) -> bool {
        const SIZE: usize = size_of::<libc::signalfd_siginfo>();
        let mut asked = false;
        let mut piece = [0; SIZE * 8];
        while let Ok(length @ 1..) = rustix::io::read(&self.0, &mut piece) {
            for information in piece[..length].chunks_exact(SIZE) {
                let number = information.first_chunk().map(|n| u32::from_ne_bytes(*n));
                asked |= number != Some(libc::SIGCHLD.cast_unsigned());
            }
        }
        asked
    }
}

/// Sends a signal to everybody in this process' world but itself; false where this
/// process is not the init of one: then nobody was meant.
#[cfg(target_os = "linux")]
pub fn signal_world(signal: rustix::process::Signal) -> bool {
    // Anywhere else this would be everybody on the machine.
    if std::process::id() != 1 {
        return false;
    }
    // SAFETY: sends signals; as init of a pid namespace, to those within it alone.
    unsafe { libc::kill(-1, signal.as_raw()) };
    true
}

/// The processor time of all children that were waited for, and theirs, in µs.
pub fn time_of_children() -> u64 {
    // SAFETY: plain numbers, filled by the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let micros = |time: libc::timeval| {
        u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000
            + u64::try_from(time.tv_usec).unwrap_or(0)
    };
    micros(usage.ru_utime) + micros(usage.ru_stime)
}

/// The size of a page of memory in bytes.
pub fn page_size() -> u64 {
    // SAFETY: asks for a number.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Ends this process at once, without anything that runs at an exit.
pub fn leave(code: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(code) }
}
