//! Who is attacked: listeners, a process with a secret, an exposed environment, and the
//! files around. What the attacker says is checked against what happened to them.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{fs, thread};

use crate::ground::Ground;

/// Answer everyone that reaches them, for as long as the tests run.
pub struct Listeners {
    folder: tempfile::TempDir,
    places: BTreeMap<&'static str, String>,
}

impl Listeners {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let everyone = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        everyone(folder.path(), 0o755);
        let mut places = BTreeMap::new();
        for (name, address) in [("tcp", "127.0.0.1:0"), ("tcp6", "[::1]:0")] {
            // Not every machine has IPv6.
            let port = match TcpListener::bind(address) {
                Ok(listener) => {
                    let port = listener.local_addr().unwrap().port();
                    answer(move || listener.accept().map(|(stream, _)| stream));
                    port
                }
                Err(_) => 9,
            };
            places.insert(name, port.to_string());
        }
        for (name, address) in [("udp", "127.0.0.1:0"), ("udp6", "[::1]:0")] {
            let port = UdpSocket::bind(address).map_or(9, echo);
            places.insert(name, port.to_string());
        }
        let stream = folder.path().join("stream");
        let listener = UnixListener::bind(&stream).unwrap();
        answer(move || listener.accept().map(|(stream, _)| stream));
        everyone(&stream, 0o777);
        let datagram = folder.path().join("datagram");
        let socket = UnixDatagram::bind(&datagram).unwrap();
        thread::spawn(move || while socket.recv(&mut [0; 64]).is_ok() {});
        everyone(&datagram, 0o777);
        let name = format!("argway-attacks-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(format!("{name}-{}", stream.display()));
        let listener = UnixListener::bind_addr(&address.unwrap()).unwrap();
        answer(move || listener.accept().map(|(stream, _)| stream));
        places.insert("abstract", format!("{name}-{}", stream.display()));
        let spy = folder.path().join("spy.so");
        build_library(&spy);
        for (name, path) in [("stream", stream), ("datagram", datagram), ("spy", spy)] {
            places.insert(name, path.display().to_string());
        }
        Self { folder, places }
    }
}

/// Says back the first word of everyone that connects.
fn answer<S: Read + Write>(mut accept: impl FnMut() -> std::io::Result<S> + Send + 'static) {
    thread::spawn(move || {
        while let Ok(mut stream) = accept() {
            let mut word = [0; 4];
            if stream.read_exact(&mut word).is_ok() {
                let _ = stream.write_all(&word);
            }
        }
    });
}

fn echo(socket: UdpSocket) -> u16 {
    let port = socket.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut word = [0; 512];
        while let Ok((count, sender)) = socket.recv_from(&mut word) {
            let _ = socket.send_to(&word[..count], sender);
        }
    });
    port
}

/// A library that does nothing but be there.
fn build_library(path: &Path) {
    let source = path.with_extension("c");
    fs::write(&source, "int argway_spy = 1;\n").unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-o"])
        .arg(path)
        .arg(&source)
        .output()
        .unwrap();
    assert!(built.status.success(), "cc: {built:?}");
}

/// Those of one attack.
pub struct Victims {
    process: Child,
    /// Cleans up behind it where it cannot.
    forget: Command,
    places: BTreeMap<&'static str, String>,
}

impl Victims {
    pub fn new(ground: &Ground, listeners: &Listeners) -> Self {
        for name in ["stream", "datagram"] {
            // Another name of the same socket.
            let outside = listeners.folder.path().join(name);
            fs::hard_link(outside, ground.path("work").join(name)).unwrap();
        }
        let mut process = ground
            .command(ground.attacker())
            .args(["victim", &ground.token])
            .env("ATTACK_SECRET", &ground.token)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = process.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let (address, key) = line.trim().split_once(' ').expect("a victim");
        let (first, second) = ground.token.split_at(ground.token.len() / 2);
        let binaries = &ground.binaries;
        let mut places = listeners.places.clone();
        places.extend([
            ("victim", process.id().to_string()),
            ("address", address.to_owned()),
            ("key", key.to_owned()),
            ("token", ground.token.clone()),
            ("first-half", first.to_owned()),
            ("second-half", second.to_owned()),
            ("home", shown(ground.path("home"))),
            ("outside", shown(ground.path("outside"))),
            ("raised", shown(binaries.path("bin/raised"))),
            ("system", system(ground)),
            ("disk", disk()),
            ("cgroup", cgroup()),
        ]);
        let mut forget = ground.command(ground.attacker());
        forget.args(["forget", key]);
        Self {
            process,
            forget,
            places,
        }
    }

    /// The words of an attack, with what they stand for.
    pub fn words(&self, line: &str) -> Vec<String> {
        let mut line = line.to_owned();
        for (name, value) in &self.places {
            line = line.replace(&format!("{{{name}}}"), value);
        }
        assert!(!line.contains('{'), "{line}");
        line.split(' ').map(str::to_owned).collect()
    }

    /// A program started by somebody careless: with secrets in its environment and an
    /// open descriptor.
    pub fn exposed(&self, ground: &Ground, program: &Path) -> Command {
        let mut command = ground.command("/bin/sh");
        command
            .args(["-c", "exec 7<\"$0\"; exec \"$@\""])
            .arg(ground.path("outside/secret"))
            .arg(program)
            .env("ATTACK_SECRET", &ground.token)
            .env("LD_PRELOAD", &self.places["spy"]);
        command
    }

    /// Everything that an attack could have changed.
    pub fn state(&self, ground: &Ground) -> State {
        let mut state = State(BTreeMap::new());
        for name in ["home", "outside"] {
            state.note(&ground.path(name));
        }
        for name in [
            ".git/config",
            ".git/hooks",
            ".argway",
            ".slop-mcp",
            ".vscode",
            ".idea",
        ] {
            state.note(&ground.path("work").join(name));
        }
        state.note(&ground.path("system"));
        let number = self.process.id();
        let status = fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
        let told = ["State:", "SigPnd:", "ShdPnd:", "TracerPid:"];
        let lines = status
            .lines()
            .filter(|line| told.iter().any(|name| line.starts_with(name)));
        // Whether it happens to wait at this moment is its own affair.
        let told: Vec<String> = lines
            .map(|line| line.replace("R (running)", "S (sleeping)"))
            .collect();
        state.0.insert("victim".into(), told.join(" "));
        state
    }
}

impl Drop for Victims {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        if !self.process.wait().is_ok_and(|status| status.success()) {
            let _ = self.forget.status();
        }
    }
}

fn shown(path: PathBuf) -> String {
    path.display().to_string()
}

/// A file of root's: a stand-in, or a real one for those who cannot make it.
fn system(ground: &Ground) -> String {
    match rustix::process::geteuid().is_root() {
        true => shown(ground.path("system")),
        false => "/etc/passwd".to_owned(),
    }
}

/// The first whole disk, or where one would be.
fn disk() -> String {
    let names = ["/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/xvda"];
    let found = names.iter().find(|name| Path::new(name).exists());
    (*found.unwrap_or(&names[0])).to_owned()
}

fn cgroup() -> String {
    let base = Path::new("/sys/fs/cgroup");
    let folders = fs::read_dir(base).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = folders.map(|it| it.path().join("cgroup.procs")).collect();
    files.insert(0, base.join("cgroup.procs"));
    let found = files.iter().find(|file| file.is_file());
    shown(found.unwrap_or(&files[0]).clone())
}

/// What every file and the victim are like.
pub struct State(BTreeMap<PathBuf, String>);

impl State {
    fn note(&mut self, path: &Path) {
        let Ok(facts) = fs::symlink_metadata(path) else {
            self.0.insert(path.to_owned(), "not there".to_owned());
            return;
        };
        let marked = rustix::fs::lgetxattr(path, "user.attack", &mut [0; 16]).is_ok();
        let text = match facts.is_file() {
            true => fs::read_to_string(path).unwrap_or_default(),
            false => String::new(),
        };
        let owner = (facts.uid(), facts.mode(), facts.nlink());
        let line = format!("{owner:?} {} {marked} {text:?}", facts.mtime());
        self.0.insert(path.to_owned(), line);
        if facts.is_dir() {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                self.note(&entry.path());
            }
        }
    }

    /// What is different in `after`.
    pub fn changed(&self, after: &Self) -> Vec<String> {
        let paths = self.0.keys().chain(after.0.keys());
        let mut changed: Vec<String> = paths
            .filter(|path| self.0.get(*path) != after.0.get(*path))
            .map(|path| {
                let (before, after) = (self.0.get(path), after.0.get(path));
                format!("{}: {before:?} became {after:?}", path.display())
            })
            .collect();
        changed.dedup();
        changed
    }
}
