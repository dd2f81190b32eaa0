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

/// Numbers begin anew in a pid namespace: one up to here may be somebody else's.
pub const LOW: u32 = 64;

fn processes(process: i32) -> Vec<(&'static str, Attempt)> {
    let Some(pid) = Pid::from_raw(process).filter(|_| process.unsigned_abs() > LOW) else {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
    use std::collections::BTreeMap;

    use rustix::process::WaitOptions;

    use super::super::trial::Scene;
    use super::*;
    use crate::view::View;
    use crate::world::{self, Side};

    /// Says which of the two the child is: `bare`, or in a `world` without further layers.
    const MODE: &str = "ARGWAY_TEST_ATTEMPTS";
    const TARGETS: &str = "ARGWAY_TEST_TARGETS";

    /// What came of the attempts in a process of its own; nothing where no world can be had.
    fn attempted(mode: &str) -> Option<BTreeMap<String, Attempt>> {
        let scene = Scene::prepare().unwrap();
        let targets: Vec<String> = scene.targets().words()[2..]
            .iter()
            .map(|word| word.to_str().unwrap().to_owned())
            .collect();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["doctor::attempts::tests::attempt", "--exact", "--nocapture"])
            .arg("--test-threads=1")
            .current_dir(scene.directory())
            .env(MODE, mode)
            .env(TARGETS, targets.join("\n"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        if said.contains("no world") {
            let _ = writeln!(io::stderr(), "NOT TESTED: {said}");
            return None;
        }
        let attempts: BTreeMap<_, _> = said.lines().filter_map(Attempt::from_line).collect();
        assert!(!attempts.is_empty(), "{output:?}");
        Some(attempts)
    }

    #[test]
    fn attempt() {
        let Some(mode) = std::env::var_os(MODE) else {
            return;
        };
        let words = std::env::var(TARGETS).unwrap();
        let targets = Targets::read(words.lines().map(OsString::from)).unwrap();
        if mode == "world" {
            settle();
        }
        // The harness has begun a line.
        io::stdout().write_all(b"\n").unwrap();
        tell(&targets).unwrap();
        crate::sys::world::leave(0);
    }

    /// Comes back inside of a world that holds the working directory.
    fn settle() {
        let directory = std::env::current_dir().unwrap();
        let view = View {
            readable: vec!["/usr".into()],
            writable: vec![directory.clone()],
            protected: vec![directory.join(".git/hooks")],
            directory: directory.clone(),
            temporary: directory.clone(),
            ..View::default()
        };
        let settled = world::enter(false).and_then(|side| match side {
            Side::Outside(init) => {
                let _ = rustix::process::waitpid(Some(init), WaitOptions::empty());
                crate::sys::world::leave(0)
            }
            Side::Inside => world::furnish(&view),
        });
        if let Err(error) = settled {
            let _ = writeln!(io::stdout(), "no world: {error}");
            crate::sys::world::leave(0);
        }
        std::env::set_current_dir(directory).unwrap();
    }

    #[test]
    fn without_a_sandbox_the_attempts_work() {
        let attempts = attempted("bare").unwrap();
        // Who runs the tests decides about capabilities, namespaces, limits, a terminal.
        let names = "create descriptors-limit environment hook list mode netlink new-privileges \
                     process read remove replace see signal tcp udp unix-abstract unix-path write";
        for name in names.split(' ') {
            let attempt = &attempts[name];
            assert!(matches!(attempt, Attempt::Done(_)), "{name}: {attempt:?}");
        }
    }

    #[test]
    fn a_world_alone_stops_those_on_files_processes_and_the_network() {
        let Some(attempts) = attempted("world") else {
            return;
        };
        let names = "create hook list mode process read remove replace see signal tcp terminal \
                     udp unix-abstract unix-path write";
        for name in names.split(' ') {
            assert_eq!(attempts[name], Attempt::Stopped, "{name}");
        }
        for name in ["environment", "new-privileges", "netlink"] {
            assert_ne!(attempts[name], Attempt::Stopped, "{name}");
        }
    }

    #[test]
    fn targets_survive_being_words() {
        let targets = Targets {
            outside: "/a folder".into(),
            process: 4711,
            tcp: 1,
            udp: 65535,
            socket: "name".to_owned(),
        };
        assert_eq!(
            Targets::read(targets.words().into_iter().skip(2)),
            Some(targets)
        );
    }
}
