//! Attacks by system calls: new worlds, other users, the machine itself.

use std::ffi::CStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::process::Command;

use libc::c_long;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, geteuid, getrlimit, setrlimit};

use super::sys::{self, call, place, text};
use super::words::{Attack, Words};

pub const ATTACKS: &[(&str, Attack)] = &[
    ("privileged", privileged),
    ("effective-user", effective_user),
    ("run-setuid", run_setuid),
    ("become", become_another),
    ("unshare", unshare),
    ("clone3", clone3),
    ("join-world", join_world),
    ("mount", mount),
    ("chroot", chroot),
    ("keyring", keyring),
    ("add-key", add_key),
    ("request-key", request_key),
    ("bpf", bpf),
    ("perf", perf),
    ("userfaultfd", userfaultfd),
    ("forget", forget),
    ("shared-memory", shared_memory),
    ("message-queue", message_queue),
    ("semaphore", semaphore),
    ("named-queue", named_queue),
    ("run-from-memory", run_from_memory),
    ("personality", personality),
    ("real-time", real_time),
    ("priority", priority),
    ("raise-limit", raise_limit),
    ("dump-core", dump_core),
    ("outlive-others", outlive_others),
    ("kernel-log", kernel_log),
    ("hostname", hostname),
    ("clock", clock),
    ("terminal", terminal),
    ("type-into-terminal", type_into_terminal),
];

const NEW_USER: usize = 0x1000_0000;
const NEW_MOUNTS: usize = 0x0002_0000;
const HERE: usize = usize::MAX - 99;

/// A call that only some may make, with arguments that are refused after the right to
/// make it was looked at: any other error than these says that it would have worked.
struct Probe {
    name: &'static str,
    number: c_long,
    words: fn() -> Vec<usize>,
}

const REFUSED: [Errno; 3] = [Errno::PERM, Errno::ACCESS, Errno::NOSYS];
const NOWHERE: &CStr = c"no-such-thing-here";

const PROBES: &[Probe] = &[
    probe("reboot", libc::SYS_reboot, || vec![0, 0, 0, 0]),
    probe("pivot_root", libc::SYS_pivot_root, || {
        vec![text(NOWHERE), text(NOWHERE)]
    }),
    probe("umount", libc::SYS_umount2, || vec![text(NOWHERE), 0]),
    probe("fsopen", libc::SYS_fsopen, || vec![text(NOWHERE), 0]),
    probe("open_tree", libc::SYS_open_tree, || {
        vec![HERE, text(NOWHERE), 1]
    }),
    probe("swapon", libc::SYS_swapon, || vec![text(NOWHERE), 0]),
    probe("swapoff", libc::SYS_swapoff, || vec![text(NOWHERE)]),
    probe("init_module", libc::SYS_init_module, || {
        vec![0, 0, text(NOWHERE)]
    }),
    probe("delete_module", libc::SYS_delete_module, || {
        vec![text(NOWHERE), 0o4000]
    }),
    probe("kexec_load", libc::SYS_kexec_load, || {
        vec![0, 99, 0, usize::MAX]
    }),
    probe("acct", libc::SYS_acct, || vec![text(NOWHERE)]),
    probe("quotactl", libc::SYS_quotactl, || {
        vec![0x8000_0100, 0, 0, 0]
    }),
    probe("fanotify_init", libc::SYS_fanotify_init, || vec![0, 0]),
    #[cfg(target_arch = "x86_64")]
    probe("iopl", libc::SYS_iopl, || vec![3]),
    #[cfg(target_arch = "x86_64")]
    probe("ioperm", libc::SYS_ioperm, || vec![0x80, 1, 1]),
];

const fn probe(name: &'static str, number: c_long, words: fn() -> Vec<usize>) -> Probe {
    Probe {
        name,
        number,
        words,
    }
}

fn privileged(words: &Words) -> io::Result<String> {
    let wanted = words.text(0);
    let Some(probe) = PROBES.iter().find(|probe| probe.name == wanted) else {
        let _ = super::words::misused(&format!("there is no probe `{wanted}`"));
        std::process::exit(64)
    };
    match call(probe.number, &(probe.words)()) {
        Err(error)
            if REFUSED
                .map(Errno::raw_os_error)
                .map(Some)
                .contains(&error.raw_os_error()) =>
        {
            Err(error)
        }
        Err(error) => Ok(format!("{wanted} looked at its arguments: {error}")),
        Ok(_) => Ok(format!("{wanted} was done")),
    }
}

fn effective_user(_: &Words) -> io::Result<String> {
    Ok(geteuid().as_raw().to_string())
}

/// Runs a copy of this program that belongs to somebody else.
fn run_setuid(words: &Words) -> io::Result<String> {
    let output = Command::new(words.path(0)).arg("effective-user").output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let own = format!("works: {}", geteuid().as_raw());
    match said.trim() {
        "" => Err(io::Error::other(output.status.to_string())),
        same if same == own => Err(io::Error::other("it runs as the same user")),
        other => Ok(format!("it runs as another user: {other}")),
    }
}

fn become_another(_: &Words) -> io::Result<String> {
    call(libc::SYS_setresuid, &[1, 1, 1])?;
    Ok("is another user".to_owned())
}

fn unshare(_: &Words) -> io::Result<String> {
    call(libc::SYS_unshare, &[NEW_USER | NEW_MOUNTS])?;
    Ok("has a world where it is root".to_owned())
}

fn clone3(_: &Words) -> io::Result<String> {
    // Flags first, the signal at its end fifth.
    let mut request = [0_u64; 11];
    request[0] = NEW_USER as u64;
    request[4] = libc::SIGCHLD as u64;
    let child = call(libc::SYS_clone3, &[place(&mut request), 88])?;
    if child == 0 {
        sys::exit(0);
    }
    sys::wait(i32::try_from(child).map_err(io::Error::other)?)?;
    Ok("a child had a world where it is root".to_owned())
}

fn join_world(_: &Words) -> io::Result<String> {
    let world = File::open("/proc/self/ns/uts")?;
    let descriptor = usize::try_from(world.as_raw_fd()).map_err(io::Error::other)?;
    call(libc::SYS_setns, &[descriptor, 0])?;
    Ok("may choose its world".to_owned())
}

fn mount(_: &Words) -> io::Result<String> {
    let folder = format!("mounted-{}", std::process::id());
    fs::create_dir(&folder)?;
    let folder_text = std::ffi::CString::new(folder.as_str())?;
    let kind = text(c"tmpfs");
    let mounted = call(
        libc::SYS_mount,
        &[kind, text(&folder_text), kind, 0, text(c"size=4k")],
    );
    if mounted.is_ok() {
        call(libc::SYS_umount2, &[text(&folder_text), 2])?;
    }
    fs::remove_dir(&folder)?;
    mounted.map(|_| "mounted a file system".to_owned())
}

fn chroot(_: &Words) -> io::Result<String> {
    call(libc::SYS_chroot, &[text(c".")])?;
    Ok("has another root".to_owned())
}

fn keyring(_: &Words) -> io::Result<String> {
    let session = usize::MAX - 2;
    let number = call(libc::SYS_keyctl, &[0, session, 0])?;
    Ok(format!("the session's keyring is {number}"))
}

fn add_key(_: &Words) -> io::Result<String> {
    let own_process = usize::MAX - 1;
    let mut payload = *b"loot";
    let wanted = [
        text(c"user"),
        text(c"attack"),
        sys::bytes(&mut payload),
        4,
        own_process,
    ];
    call(libc::SYS_add_key, &wanted)?;
    Ok("keeps a key in the kernel".to_owned())
}

fn request_key(_: &Words) -> io::Result<String> {
    let wanted = [text(c"user"), text(NOWHERE), 0, 0];
    match call(libc::SYS_request_key, &wanted) {
        Err(error) if error.raw_os_error() == Some(libc::ENOKEY) => {
            Ok("may ask for anybody's keys".to_owned())
        }
        other => other.map(|number| format!("got key {number}")),
    }
}

fn bpf(_: &Words) -> io::Result<String> {
    // An array of one entry: type, sizes of key and value, entries.
    let mut attributes = [0_u32; 32];
    attributes[..4].copy_from_slice(&[2, 4, 4, 1]);
    call(libc::SYS_bpf, &[0, place(&mut attributes), 128])?;
    Ok("has a map in the kernel".to_owned())
}

fn perf(_: &Words) -> io::Result<String> {
    // A software clock of this process, without the kernel's part.
    let mut attributes = [0_u64; 14];
    attributes[0] = 1 | 112 << 32;
    attributes[5] = 1 << 5 | 1 << 6;
    let wanted = [place(&mut attributes), 0, usize::MAX, usize::MAX, 0];
    call(libc::SYS_perf_event_open, &wanted)?;
    Ok("counts events".to_owned())
}

fn userfaultfd(_: &Words) -> io::Result<String> {
    call(libc::SYS_userfaultfd, &[1])?;
    Ok("handles page faults itself".to_owned())
}

/// What an attack on shared keys is made on: all four kinds under one number.
pub struct Shared {
    key: usize,
    memory: usize,
    queue: usize,
    semaphores: usize,
}

impl Shared {
    /// Makes them; to be removed with [`Shared::remove`].
    pub fn make(key: usize) -> io::Result<Self> {
        const CREATE: usize = 0o1000 | 0o600;
        let name = queue_name(key)?;
        let flags = libc::O_CREAT as usize | 2;
        // Not every system has named queues.
        let _ = call(libc::SYS_mq_open, &[text(&name), flags, 0o600, 0]);
        Ok(Self {
            key,
            memory: call(libc::SYS_shmget, &[key, 4096, CREATE])?,
            queue: call(libc::SYS_msgget, &[key, CREATE])?,
            semaphores: call(libc::SYS_semget, &[key, 1, CREATE])?,
        })
    }

    pub fn remove(self) -> io::Result<()> {
        let _ = call(libc::SYS_mq_unlink, &[text(&queue_name(self.key)?)]);
        call(libc::SYS_shmctl, &[self.memory, 0, 0])?;
        call(libc::SYS_msgctl, &[self.queue, 0, 0])?;
        call(libc::SYS_semctl, &[self.semaphores, 0, 0])?;
        Ok(())
    }
}

/// Removes what a victim could not, because it was killed.
fn forget(words: &Words) -> io::Result<String> {
    Shared::make(words.number(0))?.remove()?;
    Ok("nothing is left under the key".to_owned())
}

fn queue_name(key: usize) -> io::Result<std::ffi::CString> {
    Ok(std::ffi::CString::new(format!("attack-{key}"))?)
}

fn shared_memory(words: &Words) -> io::Result<String> {
    let number = call(libc::SYS_shmget, &[words.number(0), 0, 0])?;
    call(libc::SYS_shmat, &[number, 0, 0])?;
    Ok("shares memory with somebody outside".to_owned())
}

fn message_queue(words: &Words) -> io::Result<String> {
    call(libc::SYS_msgget, &[words.number(0), 0])?;
    Ok("reaches a message queue".to_owned())
}

fn semaphore(words: &Words) -> io::Result<String> {
    call(libc::SYS_semget, &[words.number(0), 0, 0])?;
    Ok("reaches semaphores".to_owned())
}

fn named_queue(words: &Words) -> io::Result<String> {
    let name = queue_name(words.number(0))?;
    call(libc::SYS_mq_open, &[text(&name), 2, 0, 0])?;
    Ok("reaches a named queue".to_owned())
}

/// Runs a program that is in no file system.
fn run_from_memory(_: &Words) -> io::Result<String> {
    let number = call(libc::SYS_memfd_create, &[text(c"innocent"), 0])?;
    let mut memory = File::from(sys::owned(number)?);
    memory.write_all(&fs::read("/proc/self/exe")?)?;
    let output = Command::new(format!("/proc/self/fd/{number}"))
        .arg("effective-user")
        .output()?;
    match output.status.success() {
        true => Ok("ran a program from memory".to_owned()),
        false => Err(io::Error::other(output.status.to_string())),
    }
}

fn personality(_: &Words) -> io::Result<String> {
    const READ_IMPLIES_EXEC: usize = 0x0040_0000;
    call(libc::SYS_personality, &[READ_IMPLIES_EXEC])?;
    Ok("all that can be read can be run".to_owned())
}

fn real_time(_: &Words) -> io::Result<String> {
    let mut priority = 1_i32;
    call(libc::SYS_sched_setscheduler, &[0, 1, place(&mut priority)])?;
    Ok("goes before everyone".to_owned())
}

fn priority(_: &Words) -> io::Result<String> {
    let higher = 5_usize.wrapping_neg();
    call(libc::SYS_setpriority, &[0, 0, higher])?;
    Ok("goes before others".to_owned())
}

fn raise_limit(_: &Words) -> io::Result<String> {
    let now = getrlimit(Resource::Nofile);
    let Some(most) = now.maximum else {
        return Err(io::Error::other("there is no limit"));
    };
    let more = Some(most + 1);
    let wanted = Rlimit {
        current: more,
        maximum: more,
    };
    setrlimit(Resource::Nofile, wanted)?;
    Ok(format!("{} descriptors", most + 1))
}

fn dump_core(_: &Words) -> io::Result<String> {
    const SET_DUMPABLE: usize = 4;
    call(libc::SYS_prctl, &[SET_DUMPABLE, 1])?;
    let now = getrlimit(Resource::Core);
    if now.maximum == Some(0) {
        return Err(io::Error::other("no core may be written"));
    }
    let wanted = Rlimit {
        current: now.maximum,
        maximum: now.maximum,
    };
    setrlimit(Resource::Core, wanted)?;
    Ok("its memory may be dumped".to_owned())
}

/// Would be ended later than others when memory runs out.
fn outlive_others(_: &Words) -> io::Result<String> {
    let own = "/proc/self/oom_score_adj";
    let mut file = OpenOptions::new().write(true).open(own)?;
    file.write_all(b"0")?;
    Ok("others are ended first".to_owned())
}

fn kernel_log(_: &Words) -> io::Result<String> {
    let mut bytes = vec![0; 256];
    let count = call(libc::SYS_syslog, &[3, sys::bytes(&mut bytes), 256])?;
    Ok(format!("{count} bytes of the kernel's log"))
}

/// Gives the machine the name that it has.
fn hostname(_: &Words) -> io::Result<String> {
    // Six names of 65 bytes, of which this is the second.
    let mut names = [0_u8; 6 * 65];
    call(libc::SYS_uname, &[sys::bytes(&mut names)])?;
    let name = CStr::from_bytes_until_nul(&names[65..]).map_err(io::Error::other)?;
    let wanted = [text(name), name.to_bytes().len()];
    call(libc::SYS_sethostname, &wanted)?;
    Ok("may name the machine".to_owned())
}

/// Gives the kernel the time zone that it has, where that is none.
fn clock(_: &Words) -> io::Result<String> {
    let mut zone = [0_i32; 2];
    call(libc::SYS_gettimeofday, &[0, place(&mut zone)])?;
    if zone != [0, 0] {
        return Err(io::Error::from(Errno::OPNOTSUPP));
    }
    call(libc::SYS_settimeofday, &[0, place(&mut zone)])?;
    Ok("may set the clock".to_owned())
}

fn open_terminal() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty")
}

fn terminal(_: &Words) -> io::Result<String> {
    open_terminal()?.write_all(b"\x1b]0;evil\x07")?;
    Ok("wrote to the caller's terminal".to_owned())
}

fn type_into_terminal(_: &Words) -> io::Result<String> {
    const TYPE: usize = 0x5412;
    let terminal = match open_terminal() {
        Ok(terminal) => terminal,
        // The streams may be one, too.
        Err(_) => File::open("/proc/self/fd/0")?,
    };
    let descriptor = usize::try_from(terminal.as_raw_fd()).map_err(io::Error::other)?;
    let mut letter = b' ';
    call(libc::SYS_ioctl, &[descriptor, TYPE, place(&mut letter)])?;
    Ok("typed into the caller's terminal".to_owned())
}
