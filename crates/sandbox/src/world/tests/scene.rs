//! A folder, a view of it, and a shell in a world that holds the view.
//!
//! Each script runs in a process of its own (this test binary again), as the user who
//! runs the tests, and where that is root, as somebody without privileges too.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use rustix::process::WaitOptions;
use tempfile::TempDir;

use super::super::root::{self, Kernel};
use super::super::{Side, enter};
use crate::layers::LayerError;
use crate::layers::testing::is_root_among_others;
use crate::sys::world as sys;
use crate::view::View;

/// Names the file that says what the child is to do.
pub const ORDER: &str = "ARGWAY_TEST_WORLD";
/// How the child says that this system does not allow a world.
const NOT_ALLOWED: i32 = 77;
/// Somebody without privileges.
const NOBODY: u32 = 65534;

/// A folder with something to protect, something to hide, and a view of it.
pub struct Scene {
    pub folder: TempDir,
    pub view: View,
    pub network: bool,
    pub kernel: Kernel,
    pub obstacle: Option<Obstacle>,
}

/// What stands in the way of a world within the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// No namespace of this kind may be made.
    Limit(&'static str),
    /// A part of /proc is covered, as containers do.
    Cover,
}

/// All of them, as an order names them.
const OBSTACLES: [(&str, Obstacle); 3] = [
    ("no-user", Obstacle::Limit("user")),
    ("no-net", Obstacle::Limit("net")),
    ("cover", Obstacle::Cover),
];

impl Scene {
    pub fn new() -> Self {
        Self::under(&std::env::temp_dir(), "work")
    }

    /// The working directory is `work` below a new folder in `parent`.
    pub fn under(parent: &Path, work: &str) -> Self {
        let folder = tempfile::Builder::new()
            .permissions(PermissionsExt::from_mode(0o755))
            .tempdir_in(parent)
            .unwrap();
        let at = folder.path().canonicalize().unwrap();
        let (work, temporary) = (at.join(work), at.join("temporary"));
        for made in [
            work.join(".git/hooks"),
            work.join(".argway"),
            temporary.clone(),
            at.join("outside"),
            at.join("read"),
        ] {
            std::fs::create_dir_all(made).unwrap();
        }
        for (path, text) in [
            (work.join(".git/config"), "configured"),
            (work.join("file"), "work"),
            (at.join("outside/secret"), "secret"),
            (at.join("read/file"), "readable"),
        ] {
            std::fs::write(path, text).unwrap();
        }
        let view = View {
            everything: false,
            readable: ["/usr", "/lib", "/lib64", "/bin", "/etc/passwd"]
                .iter()
                .map(PathBuf::from)
                .chain([at.join("read")])
                .collect(),
            writable: vec![work.clone(), temporary.clone()],
            protected: [".git/hooks", ".git/config", ".argway"]
                .iter()
                .map(|name| work.join(name))
                .collect(),
            directory: work,
            temporary: temporary.clone(),
            home: temporary,
        };
        Self {
            folder,
            view,
            network: false,
            kernel: Kernel::Current,
            obstacle: None,
        }
    }

    pub fn at(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// What `script` prints in this world must be `expected`, whoever runs it.
    #[track_caller]
    pub fn prints(&self, script: &str, expected: &str) {
        for user in users() {
            if let Some(output) = self.run(script, user) {
                let said = String::from_utf8_lossy(&output.stdout);
                let complaints = String::from_utf8_lossy(&output.stderr);
                assert_eq!(
                    said.trim_end(),
                    expected,
                    "as {user:?}: {script}\n{complaints}"
                );
            }
        }
    }

    /// Runs `script` in this world; nothing where the system allows none.
    pub fn run(&self, script: &str, user: Option<u32>) -> Option<Output> {
        own(
            &self.at(),
            user.unwrap_or_else(|| rustix::process::geteuid().as_raw()),
        );
        let order = self.folder.path().join("order");
        std::fs::write(&order, self.order(script)).unwrap();
        let mut command = Command::new(runner());
        command
            .args([
                "world::tests::scene::inhabit",
                "--exact",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(ORDER, &order)
            .env("AT", self.at())
            .env("WORK", &self.view.directory)
            .env("TMPDIR", self.view.own_temporary());
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        let output = command.output().unwrap();
        if output.status.code() == Some(NOT_ALLOWED) {
            let why = String::from_utf8_lossy(&output.stderr);
            let _ = writeln!(
                std::io::stderr(),
                "NOT TESTED: this system allows no world as {user:?}: {why}"
            );
            return None;
        }
        // The harness speaks before the child does.
        let said = output
            .stdout
            .windows(BEGIN.len())
            .position(|part| part == BEGIN);
        let begin = said.unwrap_or_else(|| panic!("{output:?}")) + BEGIN.len();
        Some(Output {
            stdout: output.stdout[begin..].to_vec(),
            ..output
        })
    }

    pub fn order(&self, script: &str) -> Vec<u8> {
        let mut fields: Vec<(&str, OsString)> = vec![("script", script.into())];
        let view = &self.view;
        let lists = [
            ("readable", &view.readable),
            ("writable", &view.writable),
            ("protected", &view.protected),
        ];
        for (name, list) in lists {
            fields.extend(list.iter().map(|path| (name, path.clone().into())));
        }
        fields.push(("directory", view.directory.clone().into()));
        fields.push(("temporary", view.temporary.clone().into()));
        let flags = [
            ("everything", view.everything),
            ("network", self.network),
            ("old", self.kernel == Kernel::Old),
        ];
        fields.extend(
            flags
                .iter()
                .filter(|flag| flag.1)
                .map(|flag| (flag.0, OsString::new())),
        );
        let obstacles = OBSTACLES
            .iter()
            .filter(|named| Some(named.1) == self.obstacle);
        fields.extend(obstacles.map(|named| ("obstacle", named.0.into())));
        let mut bytes = Vec::new();
        for (name, value) in fields {
            bytes.extend_from_slice(name.as_bytes());
            bytes.push(b'=');
            bytes.extend_from_slice(value.as_bytes());
            bytes.push(0);
        }
        bytes
    }
}

const BEGIN: &[u8] = b"\n--- the world begins ---\n";

/// Who runs the scripts: the caller, and for root somebody else too.
pub fn users() -> Vec<Option<u32>> {
    if is_root_among_others() {
        vec![None, Some(NOBODY)]
    } else {
        vec![None]
    }
}

/// Gives everything below `path` to `user`, where that is not so already.
pub fn own(path: &Path, user: u32) {
    if !is_root_among_others() {
        return;
    }
    let _ = std::os::unix::fs::lchown(path, Some(user), Some(user));
    if path.is_dir() && !path.is_symlink() {
        for entry in std::fs::read_dir(path).unwrap() {
            own(&entry.unwrap().path(), user);
        }
    } else if !path.is_symlink() {
        chown(path, Some(user), Some(user)).unwrap();
    }
}

/// This test binary, where everybody may execute it.
pub fn runner() -> &'static Path {
    static RUNNER: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = RUNNER.get_or_init(|| {
        let folder = tempfile::Builder::new()
            .permissions(PermissionsExt::from_mode(0o755))
            .tempdir()
            .unwrap();
        let path = folder.path().join("runner");
        crate::layers::testing::copy_of_this_binary(&path);
        (folder, path)
    });
    path
}

/// The child's part: makes the world of its order and runs the script in it.
#[test]
fn inhabit() {
    let Some(order) = std::env::var_os(ORDER) else {
        return;
    };
    let mut view = View::default();
    let (mut script, mut network, mut kernel) = (OsString::new(), false, Kernel::Current);
    let mut obstacle = None;
    for field in std::fs::read(order).unwrap().split(|byte| *byte == 0) {
        let Some(sign) = field.iter().position(|byte| *byte == b'=') else {
            continue;
        };
        let value = OsString::from_vec(field[sign + 1..].to_vec());
        match &field[..sign] {
            b"script" => script = value,
            b"readable" => view.readable.push(value.into()),
            b"writable" => view.writable.push(value.into()),
            b"protected" => view.protected.push(value.into()),
            b"directory" => view.directory = value.into(),
            b"temporary" => view.temporary = value.into(),
            b"everything" => view.everything = true,
            b"network" => network = true,
            b"old" => kernel = Kernel::Old,
            b"obstacle" => obstacle = OBSTACLES.iter().find(|named| value == named.0),
            other => panic!("{other:?}"),
        }
    }
    match enter(network) {
        Ok(Side::Outside(init)) => {
            let (_, status) = rustix::process::waitpid(Some(init), WaitOptions::empty())
                .unwrap()
                .unwrap();
            sys::leave(status.exit_status().unwrap_or(1));
        }
        Ok(Side::Inside) if obstacle.is_some() => {
            let said = stumble(&view, obstacle.unwrap().1);
            let mut out = std::io::stdout();
            out.write_all(BEGIN).unwrap();
            out.write_all(said.as_bytes()).unwrap();
            out.flush().unwrap();
            sys::leave(0)
        }
        Ok(Side::Inside) => match root::furnish(&view, kernel) {
            Ok(()) => sys::leave(play(&script, &view)),
            Err(error) => give_up(&error),
        },
        Err(error) => give_up(&error),
    }
}

/// In init: puts the obstacle up and says how the next world fails.
fn stumble(view: &View, obstacle: Obstacle) -> String {
    // As a launcher is, which this one is now.
    let dumpable = rustix::process::DumpableBehavior::Dumpable;
    rustix::process::set_dumpable_behavior(dumpable).unwrap();
    match obstacle {
        Obstacle::Limit(name) => {
            std::fs::write(format!("/proc/sys/user/max_{name}_namespaces"), "0").unwrap();
        }
        Obstacle::Cover => {
            sys::mount(c"proc", c"/proc", 0, c"").unwrap();
            sys::mount(c"tmpfs", c"/proc/tty", 0, c"").unwrap();
        }
    }
    let refused = match enter(false) {
        Err(error) => {
            // Nothing is half done: there is no child, and nothing has changed.
            let child = rustix::process::wait(WaitOptions::NOHANG);
            assert!(matches!(child, Err(rustix::io::Errno::CHILD)));
            error
        }
        Ok(Side::Outside(init)) => {
            let _ = rustix::process::waitpid(Some(init), WaitOptions::empty());
            sys::leave(0)
        }
        Ok(Side::Inside) => root::furnish(view, Kernel::Current).unwrap_err(),
    };
    refused.to_string()
}

fn give_up(error: &LayerError) -> ! {
    let _ = writeln!(std::io::stderr(), "{error}");
    let forbidden = [
        libc::EPERM,
        libc::EACCES,
        libc::ENOSPC,
        libc::ENOSYS,
        libc::EINVAL,
    ];
    let early = error.layer != "mount namespace" || error.what.contains("/proc of its own");
    sys::leave(if early && forbidden.contains(&error.errno) {
        NOT_ALLOWED
    } else {
        1
    })
}

/// Runs the script as a program would be: with no capability left.
fn play(script: &OsString, view: &View) -> i32 {
    let mut out = std::io::stdout();
    out.write_all(BEGIN).unwrap();
    out.flush().unwrap();
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = Command::new("/usr/bin/setpriv");
        command.args(["--bounding-set", "-all", "--inh-caps", "-all", "/bin/sh"]);
        command
    } else {
        Command::new("/bin/sh")
    };
    command.arg("-c").arg(script).current_dir(&view.directory);
    match command.status() {
        Ok(status) => status.code().unwrap_or(1),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "the shell: {error}");
            1
        }
    }
}
