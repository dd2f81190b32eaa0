//! Does, from inside, what no program under the default policy may, and tells what came
//! of it. Everything tried is the examiner's own: its folder, its sockets, its process.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::net::{AddressFamily, SocketType};
use rustix::process::{Pid, Resource};

use super::WORD;
use super::promises::Attempt;

/// What the examiner has prepared, as words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Targets {
    /// A folder that is not in the view, with a file `secret` and a socket `socket`.
    pub outside: PathBuf,
    /// A process of the examiner's.
    pub process: i32,
    /// A port on which it listens.
    pub tcp: u16,
    /// A port on which it hears.
    pub udp: u16,
    /// The name of an abstract socket on which it listens.
    pub socket: String,
}

impl Targets {
    /// As words behind [`WORD`] and `all`.
    pub fn words(&self) -> Vec<OsString> {
        vec![
            WORD.into(),
            "all".into(),
            self.outside.clone().into(),
            self.process.to_string().into(),
            self.tcp.to_string().into(),
            self.udp.to_string().into(),
            self.socket.clone().into(),
        ]
    }

    fn read(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        fn number<T: std::str::FromStr>(word: Option<OsString>) -> Option<T> {
            word?.to_str()?.parse().ok()
        }
        Some(Self {
            outside: words.next()?.into(),
            process: number(words.next())?,
            tcp: number(words.next())?,
            udp: number(words.next())?,
            socket: words.next()?.into_string().ok()?,
        })
    }
}

/// How many processes the crowd is; the examiner allows fewer.
pub const CROWD: u64 = 48;

/// The words of the program that starts more processes than it may and does not wait.
pub fn crowd() -> Vec<OsString> {
    vec![WORD.into(), "crowd".into()]
}

pub fn carry_out(mut words: impl Iterator<Item = OsString>) -> ! {
    let order = words.next().unwrap_or_default();
    let done = match order.to_str() {
        Some("all") => Targets::read(words).is_some_and(|targets| tell(&targets).is_ok()),
        Some("crowd") => start_crowd(),
        Some("idle") => {
            std::thread::sleep(Duration::from_secs(60));
            true
        }
        _ => false,
    };
    std::process::exit(if done { 0 } else { 2 })
}

/// Starts itself many times over, tells whether it could, and stays.
fn start_crowd() -> bool {
    let Ok(itself) = std::env::current_exe() else {
        return false;
    };
    let refused = (0..CROWD)
        .map(|_| Command::new(&itself).args([WORD, "idle"]).spawn())
        .any(|child| child.is_err());
    let attempt = if refused {
        Attempt::Stopped
    } else {
        // Whoever counts may look only now and then.
        std::thread::sleep(Duration::from_secs(2));
        Attempt::Done("more processes could be started than allowed".to_owned())
    };
    let told = io::stdout().write_all(attempt.to_line("crowd").as_bytes());
    std::thread::sleep(Duration::from_secs(60));
    told.is_ok()
}

fn tell(targets: &Targets) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (name, attempt) in all(targets) {
        out.write_all(attempt.to_line(name).as_bytes())?;
    }
    out.flush()
}

/// Every attempt but those that take a crowd, by name.
pub fn all(targets: &Targets) -> Vec<(&'static str, Attempt)> {
    let mut attempts = network(targets);
    attempts.extend(files(&targets.outside));
    attempts.extend(processes(targets.process));
    attempts.extend(privileges());
    attempts.extend(limits());
    attempts.extend(inheritance());
    attempts
}

/// Whatever worked was not stopped.
fn worked<T, E>(result: Result<T, E>, what: &str) -> Attempt {
    match result {
        Ok(_) => Attempt::Done(what.to_owned()),
        Err(_) => Attempt::Stopped,
    }
}

/// A fact that must not be so.
fn is(bad: bool, what: &str) -> Attempt {
    worked(if bad { Ok(()) } else { Err(()) }, what)
}

fn network(targets: &Targets) -> Vec<(&'static str, Attempt)> {
    let here = Ipv4Addr::LOCALHOST;
    let datagram = || {
        let socket = UdpSocket::bind((here, 0))?;
        socket.send_to(b"x", (here, targets.udp))
    };
    let abstract_socket = || {
        let address = SocketAddr::from_abstract_name(&targets.socket)?;
        UnixStream::connect_addr(&address)
    };
    let netlink = rustix::net::socket(AddressFamily::NETLINK, SocketType::RAW, None);
    vec![
        (
            "tcp",
            worked(
                TcpStream::connect((here, targets.tcp)),
                "a TCP connection to another process worked",
            ),
        ),
        (
            "udp",
            worked(datagram(), "a UDP packet to another process was sent"),
        ),
        (
            "unix-path",
            worked(
                UnixStream::connect(targets.outside.join("socket")),
                "a unix socket outside could be reached",
            ),
        ),
        (
            "unix-abstract",
            worked(
                abstract_socket(),
                "an abstract unix socket could be reached",
            ),
        ),
        ("netlink", worked(netlink, "a netlink socket could be made")),
    ]
}

fn files(outside: &Path) -> Vec<(&'static str, Attempt)> {
    let (secret, spare) = (outside.join("secret"), outside.join("spare"));
    let append = OpenOptions::new().append(true).open(&secret);
    let mode = fs::set_permissions(&secret, PermissionsExt::from_mode(0o640));
    let see = fs::symlink_metadata(&secret);
    // In the working directory, which the examiner made.
    let prepared = Path::new(".git/hooks").is_dir();
    let hook = fs::write(".git/hooks/planted", "x");
    let replace = fs::rename(".git", ".git-moved");
    let in_folder = |result, what| {
        if prepared {
            worked(result, what)
        } else {
            Attempt::Untried("the working directory is not the prepared one".to_owned())
        }
    };
    vec![
        (
            "read",
            worked(fs::read(&secret), "a file outside could be read"),
        ),
        (
            "list",
            worked(fs::read_dir(outside), "a folder outside could be listed"),
        ),
        (
            "write",
            worked(append, "a file outside could be opened for writing"),
        ),
        (
            "create",
            worked(
                fs::write(outside.join("planted"), "x"),
                "a file could be made outside",
            ),
        ),
        (
            "remove",
            worked(fs::remove_file(spare), "a file outside could be removed"),
        ),
        (
            "mode",
            worked(mode, "the mode of one's own file outside could be changed"),
        ),
        (
            "see",
            worked(see, "whether a file outside exists could be seen"),
        ),
        ("hook", in_folder(hook, "a git hook could be planted")),
        (
            "replace",
            in_folder(replace, "a folder that holds hooks could be moved away"),
        ),
    ]
}

fn processes(process: i32) -> Vec<(&'static str, Attempt)> {
    // Numbers begin anew in a pid namespace: a low one may be somebody else's.
    let Some(pid) = Pid::from_raw(process).filter(|_| process > 64) else {
        let unknown = Attempt::Untried("the process to be found has too low a number".to_owned());
        return vec![("process", unknown.clone()), ("signal", unknown)];
    };
    vec![
        (
            "process",
            worked(
                fs::read(format!("/proc/{process}/cmdline")),
                "the command line of another process could be read",
            ),
        ),
        (
            "signal",
            worked(
                rustix::process::test_kill_process(pid),
                "another process could be signalled",
            ),
        ),
    ]
}

fn privileges() -> Vec<(&'static str, Attempt)> {
    let capabilities = match rustix::thread::capabilities(None) {
        Ok(sets) => is(
            !(sets.effective.is_empty()
                && sets.permitted.is_empty()
                && sets.inheritable.is_empty()),
            "some capability is left",
        ),
        Err(error) => Attempt::Untried(error.to_string()),
    };
    let gained = match rustix::thread::no_new_privs() {
        Ok(set) => is(!set, "set-user-ID programs would have an effect"),
        Err(error) => Attempt::Untried(error.to_string()),
    };
    // A process with one thread; it goes on in its own copy of the file table if that works.
    let unshared = crate::sys::world::clone_into(libc::CLONE_NEWUSER);
    if let Ok(None) = unshared {
        crate::sys::world::leave(0);
    }
    if let Ok(child @ Some(_)) = unshared {
        let _ = rustix::process::waitpid(child, rustix::process::WaitOptions::empty());
    }
    vec![
        ("capabilities", capabilities),
        ("new-privileges", gained),
        (
            "namespaces",
            worked(unshared, "a user namespace of its own could be made"),
        ),
    ]
}

/// What the examiner's policy allows, for [`limits`] to be held against.
pub const OPEN_FILES: u64 = 64;
/// In MiB.
pub const FILE_MB: u64 = 1;

fn limits() -> Vec<(&'static str, Attempt)> {
    let mut opened = Vec::new();
    let beyond = (0..=OPEN_FILES).find_map(|_| match fs::File::open("/dev/null") {
        Ok(file) => {
            opened.push(file);
            None
        }
        Err(error) => Some(error),
    });
    drop(opened);
    // Only looked up: who writes beyond it is killed and could not tell.
    let largest = rustix::process::getrlimit(Resource::Fsize).current;
    let unbounded = [
        (Resource::Cpu, "processor time"),
        (Resource::Data, "memory"),
        (Resource::Core, "core files"),
    ]
    .into_iter()
    .find(|(resource, _)| rustix::process::getrlimit(*resource).maximum.is_none());
    vec![
        (
            "descriptors-limit",
            is(
                beyond.is_none(),
                "more files could be open at a time than allowed",
            ),
        ),
        (
            "file-limit",
            is(
                largest.is_none_or(|bytes| bytes > FILE_MB << 20),
                "a file larger than allowed could be made",
            ),
        ),
        (
            "limits",
            match unbounded {
                Some((_, name)) => Attempt::Done(format!("{name} of a process is not bounded")),
                None => Attempt::Stopped,
            },
        ),
    ]
}

fn inheritance() -> Vec<(&'static str, Attempt)> {
    const GIVEN: [&str; 2] = ["HOME", "TMPDIR"];
    let foreign = std::env::vars_os()
        .map(|(name, _)| name)
        .find(|name| !GIVEN.iter().any(|given| name == given));
    let environment = match foreign {
        Some(name) => Attempt::Done(format!(
            "the variable {} was inherited",
            name.to_string_lossy()
        )),
        None => Attempt::Stopped,
    };
    let descriptors = match fs::read_dir("/proc/self/fd") {
        // The folder that is being read is one of them.
        Ok(list) => is(
            list.flatten().count() > 4,
            "a descriptor of another process was inherited",
        ),
        Err(error) => Attempt::Untried(format!("reading /proc/self/fd: {error}")),
    };
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty");
    vec![
        ("environment", environment),
        ("descriptors", descriptors),
        (
            "terminal",
            worked(terminal, "the caller's terminal could be opened"),
        ),
    ]
}
