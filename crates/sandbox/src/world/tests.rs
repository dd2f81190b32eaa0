//! Worlds as their inhabitants see them: a shell in a real one, asked what is there.
//!
//! Each script runs in a process of its own (this test binary again), as the user who
//! runs the tests, and where that is root, as somebody without privileges too.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

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

use super::root::{self, Kernel};
use super::{Side, enter};
use crate::layers::LayerError;
use crate::sys::world as sys;
use crate::view::View;

/// Names the file that says what the child is to do.
const ORDER: &str = "ARGWAY_TEST_WORLD";
/// How the child says that this system does not allow a world.
const NOT_ALLOWED: i32 = 77;
/// Somebody without privileges.
const NOBODY: u32 = 65534;

/// A folder with something to protect, something to hide, and a view of it.
struct Scene {
    folder: TempDir,
    view: View,
    network: bool,
    kernel: Kernel,
}

impl Scene {
    fn new() -> Self {
        Self::under(&std::env::temp_dir(), "work")
    }

    /// The working directory is `work` below a new folder in `parent`.
    fn under(parent: &Path, work: &str) -> Self {
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
        }
    }

    fn at(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// What `script` prints in this world must be `expected`, whoever runs it.
    #[track_caller]
    fn prints(&self, script: &str, expected: &str) {
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
    fn run(&self, script: &str, user: Option<u32>) -> Option<Output> {
        own(
            &self.at(),
            user.unwrap_or_else(|| rustix::process::geteuid().as_raw()),
        );
        let order = self.folder.path().join("order");
        std::fs::write(&order, self.order(script)).unwrap();
        let mut command = Command::new(runner());
        command
            .args([
                "world::tests::inhabit",
                "--exact",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(ORDER, &order)
            .env("AT", self.at())
            .env("WORK", &self.view.directory)
            .env("TMPDIR", &self.view.temporary);
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

    fn order(&self, script: &str) -> Vec<u8> {
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
fn users() -> Vec<Option<u32>> {
    if rustix::process::geteuid().is_root() {
        vec![None, Some(NOBODY)]
    } else {
        vec![None]
    }
}

/// Gives everything below `path` to `user`, where that is not so already.
fn own(path: &Path, user: u32) {
    if !rustix::process::geteuid().is_root() {
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
fn runner() -> &'static Path {
    static RUNNER: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = RUNNER.get_or_init(|| {
        let folder = tempfile::Builder::new()
            .permissions(PermissionsExt::from_mode(0o755))
            .tempdir()
            .unwrap();
        let path = folder.path().join("runner");
        std::fs::copy(std::env::current_exe().unwrap(), &path).unwrap();
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
        Ok(Side::Inside) => match root::furnish(&view, kernel) {
            Ok(()) => sys::leave(play(&script, &view)),
            Err(error) => give_up(&error),
        },
        Err(error) => give_up(&error),
    }
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

#[test]
fn what_the_view_does_not_hold_is_not_there() {
    let scene = Scene::new();
    scene.prints("ls $AT", "read\ntemporary\nwork");
    scene.prints("test -e $AT/outside/secret || echo no", "no");
    scene.prints("test -e /etc/shadow || echo no; ls /etc | grep -v -e localtime -e mtab -e release -e resolv", "no\npasswd");
    scene.prints("ls -d /root /home /sys /run /boot 2>/dev/null", "");
}

#[test]
fn what_is_readable_cannot_be_changed() {
    let scene = Scene::new();
    scene.prints("cat $AT/read/file", "readable");
    scene.prints(
        "echo x 2>/dev/null > $AT/read/file || echo no; cat $AT/read/file",
        "no\nreadable",
    );
    scene.prints(
        "for tried in 'chmod 777' 'touch' 'rm -f'; do $tried $AT/read/file 2>/dev/null || echo no; done",
        "no\nno\nno",
    );
}

#[test]
fn the_working_directory_and_the_temporary_folder_can_be_written() {
    let scene = Scene::new();
    scene.prints(
        "echo 1 > new && cat new file && rm new; mkdir $TMPDIR/a && ls -d /tmp/a && rmdir /tmp/a",
        "1\nwork/tmp/a",
    );
    assert!(!scene.view.directory.join("new").exists());
}

#[test]
fn temporary_files_of_every_kind_are_in_the_runs_own_folder() {
    let scene = Scene::new();
    scene.prints(
        "for folder in /tmp /var/tmp /dev/shm; do echo $folder > $folder/x; cat $TMPDIR/x; done; rm /tmp/x",
        "/tmp\n/var/tmp\n/dev/shm",
    );
}

#[test]
fn what_is_protected_can_be_neither_changed_nor_moved() {
    let scene = Scene::new();
    let attempts = [
        "echo x > .git/hooks/pre-commit",
        "echo x > .git/config",
        "echo x > .argway/policy",
        "mv .git/hooks .git/away",
        "mv .git/config .git/away",
        "mv .argway away",
        "mv .git away",
        "rm -rf .git",
        "rm -rf .argway",
        "chmod 777 .git/hooks",
        "touch .git/config",
        "ln .git/config stolen",
    ];
    for attempt in attempts {
        scene.prints(&format!("{{ {attempt}; }} 2>/dev/null || echo no"), "no");
    }
    scene.prints(
        "cat .git/config; ls -A .git .argway; echo 1 > .git/index && cat .git/index && rm .git/index",
        "configured.argway:\n\n.git:\nconfig\nhooks\n1",
    );
}

#[test]
fn a_protected_link_cannot_be_replaced() {
    let mut scene = Scene::new();
    let link = scene.view.directory.join("linked");
    std::os::unix::fs::symlink(".argway", &link).unwrap();
    scene.view.protected.push(link);
    scene.prints(
        "rm -f linked 2>/dev/null || echo no; mv linked x 2>/dev/null || echo no; ls -d linked/",
        "no\nno\nlinked/",
    );
}

#[test]
fn the_root_itself_cannot_be_written() {
    let scene = Scene::new();
    for folder in ["/", "/dev", "/etc", "/usr", "/proc"] {
        scene.prints(
            &format!("{{ echo x > {folder}/new; }} 2>/dev/null || echo no"),
            "no",
        );
    }
}

#[test]
fn processes_outside_are_not_there() {
    let scene = Scene::new();
    scene.prints(
        "for process in /proc/[0-9]*; do cat $process/comm; done | sort -u | grep -v -e cat -e sort -e grep",
        "sh\nworld::tests::i",
    );
    scene.prints(
        "test $$ -lt 10 && echo low; test -d /proc/self/fd && echo own",
        "low\nown",
    );
}

#[test]
fn init_cannot_be_looked_into() {
    let scene = Scene::new();
    for secret in ["environ", "maps", "root/", "fd/0", "mem"] {
        scene.prints(
            &format!("head -c1 /proc/1/{secret} >/dev/null 2>&1 || echo no; readlink /proc/1/exe /proc/1/cwd || echo no"),
            "no\nno",
        );
    }
}

#[test]
fn a_world_goes_first_where_memory_is_short() {
    Scene::new().prints("cat /proc/self/oom_score_adj", "1000");
}

#[test]
fn the_systems_settings_cannot_be_opened_for_writing() {
    let scene = Scene::new();
    for file in [
        "sys/kernel/core_pattern",
        "sysrq-trigger",
        "sys/kernel/hostname",
    ] {
        scene.prints(
            &format!("{{ true >> /proc/{file}; }} 2>/dev/null || echo no"),
            "no",
        );
    }
}

#[test]
fn there_is_no_network_but_a_loopback_that_is_down() {
    let scene = Scene::new();
    scene.prints("grep : /proc/self/net/dev | cut -d: -f1 | tr -d ' '", "lo");
}

#[test]
fn with_the_network_allowed_it_is_the_hosts() {
    let mut scene = Scene::new();
    scene.network = true;
    let here = std::fs::read_link("/proc/self/ns/net").unwrap();
    scene.prints("readlink /proc/self/ns/net", &here.to_string_lossy());
}

#[test]
fn every_namespace_is_new() {
    let scene = Scene::new();
    for name in ["user", "mnt", "pid", "net", "ipc"] {
        let here = std::fs::read_link(format!("/proc/self/ns/{name}")).unwrap();
        let here = here.to_string_lossy();
        scene.prints(
            &format!("test \"$(readlink /proc/self/ns/{name})\" != '{here}' && echo new"),
            "new",
        );
    }
}

#[test]
fn a_user_is_still_the_same_user() {
    let scene = Scene::new();
    for user in users() {
        let expected = user.unwrap_or_else(|| rustix::process::geteuid().as_raw());
        if let Some(output) = scene.run("id -u; stat -c %u file", user) {
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(said, format!("{expected}\n{expected}\n"));
        }
    }
}

#[test]
fn the_harmless_devices_work_and_no_other_is_there() {
    let scene = Scene::new();
    scene.prints(
        "ls /dev | tr '\\n' ' '; echo x > /dev/null; head -c4 /dev/zero | wc -c; head -c4 /dev/urandom | wc -c; \
         readlink /dev/stdin /dev/fd; chmod 600 /dev/null 2>/dev/null || echo no",
        "fd full null random shm stderr stdin stdout urandom zero 4\n4\n/proc/self/fd/0\n/proc/self/fd\nno",
    );
}

#[test]
fn set_user_id_bits_mean_nothing() {
    let scene = Scene::new();
    let script = "awk '{print $5, $6}' /proc/self/mountinfo | grep -v nosuid";
    scene.prints(script, "");
}

#[test]
fn a_world_is_cut_off_from_mounts_made_outside() {
    let scene = Scene::new();
    scene.prints("grep -e shared: -e master: /proc/self/mountinfo", "");
}

#[test]
fn the_old_root_is_gone() {
    let scene = Scene::new();
    scene.prints(
        "ls -d /../root /proc/self/root/root 2>/dev/null; cd /; cd ..; ls -d root home 2>/dev/null; \
         grep -c ' / / ' /proc/self/mountinfo",
        "1",
    );
}

#[test]
fn names_of_folders_may_be_strange() {
    for name in [
        "with blank",
        "with\nnewline",
        "a/b/c/d/e/f/g/h/i/j",
        "-dash",
        "ü'\"\\",
    ] {
        let scene = Scene::under(&std::env::temp_dir(), name);
        scene.prints(
            "cd \"$WORK\" && cat file; { echo x > .git/config; } 2>/dev/null || echo ' no'",
            "work no",
        );
    }
}

#[test]
fn the_working_directory_may_be_on_another_mount() {
    let parent = Path::new("/dev/shm");
    if rustix::fs::access(parent, rustix::fs::Access::WRITE_OK).is_err() {
        let _ = writeln!(std::io::stderr(), "NOT TESTED: /dev/shm cannot be written");
        return;
    }
    let scene = Scene::under(parent, "work");
    scene.prints("cat file; rm -rf .git 2>/dev/null || echo ' no'", "work no");
}

#[test]
fn a_single_file_can_be_readable_or_writable() {
    let mut scene = Scene::new();
    let at = scene.at();
    std::fs::write(at.join("outside/open"), "open").unwrap();
    scene.view.readable.push(at.join("outside/secret"));
    scene.view.writable.push(at.join("outside/open"));
    scene.prints(
        "ls $AT/outside; cat $AT/outside/secret; { echo x > $AT/outside/secret; } 2>/dev/null || echo ' no'; \
         echo changed > $AT/outside/open; cat $AT/outside/open",
        "open\nsecret\nsecret no\nchanged",
    );
}

#[test]
fn what_is_gone_by_now_is_left_out_if_it_was_to_be_read() {
    let mut scene = Scene::new();
    scene.view.readable.push(scene.at().join("gone/for ever"));
    scene.prints("cat file", "work");
}

#[test]
fn the_whole_root_can_be_readable() {
    let mut scene = Scene::new();
    scene.view.readable = vec!["/".into()];
    scene.prints(
        "cat $AT/outside/secret; { echo x > $AT/outside/secret; } 2>/dev/null || echo ' no'; \
         echo 1 > new && rm new; ls /dev | wc -l; echo x > /dev/null; { echo x > /dev/x; } 2>/dev/null || echo no; \
         { echo x > .git/config; } 2>/dev/null || echo no; ls -d /proc/[0-9]* | wc -l | grep -q '^.$' && echo few",
        "secret no\n10\nno\nno\nfew",
    );
}

#[test]
fn with_everything_allowed_processes_are_still_hidden_and_protected_paths_kept() {
    let mut scene = Scene::new();
    scene.view.everything = true;
    scene.prints(
        "cat $AT/outside/secret; { echo x > .git/config; } 2>/dev/null || echo ' no'; mv .git x 2>/dev/null || echo no; \
         ls -d /proc/[0-9]* | wc -l | grep -q '^.$' && echo few; awk '{print $6}' /proc/self/mountinfo | grep -v nosuid",
        "secret no\nno\nfew",
    );
}

#[test]
fn an_older_kernel_gives_the_same_world() {
    let mut scene = Scene::new();
    scene.kernel = Kernel::Old;
    scene.prints(
        "ls $AT; { echo x > .git/config; } 2>/dev/null || echo no; { echo x > $AT/read/file; } 2>/dev/null || echo no; \
         awk '{print $5, $6}' /proc/self/mountinfo | grep -v nosuid; grep -e shared: -e master: /proc/self/mountinfo; \
         echo x > new && cat new && rm new; echo x > /dev/null; mv .git x 2>/dev/null || echo no",
        "read\ntemporary\nwork\nno\nno\nx\nno",
    );
}

#[test]
fn an_older_kernel_restricts_what_is_mounted_below_too() {
    let mut scene = Scene::new();
    scene.kernel = Kernel::Old;
    scene.view.readable = vec!["/".into()];
    scene.prints(
        "awk '{print $5, $6}' /proc/self/mountinfo | grep -v -e ' ro.*nosuid' -e \"^$AT/work\" -e \"^$AT/temporary\" -e ^/dev; { echo x > /dev/x; } 2>/dev/null || echo no",
        "no",
    );
}

#[test]
fn init_dies_with_its_maker() {
    for user in users() {
        let scene = Scene::new();
        own(&scene.at(), user.unwrap_or_default());
        let order = scene.folder.path().join("order");
        let script = "echo 1 > /tmp/started; sleep 60";
        std::fs::write(&order, scene.order(script)).unwrap();
        let mut command = Command::new(runner());
        command
            .args(["world::tests::inhabit", "--exact", "--test-threads=1"])
            .env(ORDER, &order)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null());
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        let mut maker = command.spawn().unwrap();
        let started = scene.view.temporary.join("started");
        while !started.exists() && maker.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        maker.kill().unwrap();
        maker.wait().unwrap();
        // The sleeping shell holds the other end of this pipe for as long as it lives.
        let mut rest = Vec::new();
        std::io::Read::read_to_end(&mut maker.stdout.take().unwrap(), &mut rest).unwrap();
    }
}
