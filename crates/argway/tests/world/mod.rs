//! A small world for each test: an empty HOME, a cache, and a `toy` program on PATH.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub mod client;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::OnceLock;

use snapbox::cmd::{Command, OutputAssert, cargo_bin};

/// The script of `toy`.
pub const TOY: &str = include_str!("../programs/toy.sh");

pub struct World {
    folder: tempfile::TempDir,
}

impl World {
    /// A world with `toy` on PATH.
    pub fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for name in ["bin", "home", "cache"] {
            fs::create_dir(world.path(name)).unwrap();
        }
        world.toy(TOY);
        world
    }

    /// A place in this world.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts `toy` on PATH, with this script: a native file, as Cobra programs are.
    pub fn toy(&self, script: &str) -> PathBuf {
        let runner = fs::read(runner()).unwrap();
        let appended = [&runner[..], b"\n#appended script#\n", script.as_bytes()].concat();
        self.program("toy", &appended)
    }

    /// Puts an executable on PATH. Written elsewhere and moved into place, as an
    /// installer would: a file that is open for writing cannot be run.
    pub fn program(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path("bin").join(name);
        let fresh = self.path("fresh");
        fs::write(&fresh, bytes).unwrap();
        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&fresh, &path).unwrap();
        path
    }

    /// A file with this text, in folders that are made for it.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// `argway` with these words, not yet run.
    pub fn command<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Command {
        let search = format!("{}:/usr/bin:/bin", self.path("bin").display());
        Command::new(cargo_bin!("argway"))
            .with_assert(self.assertion())
            .args(words)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", search)
            .env("HOME", self.path("home"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("TOY_TRACE", self.path("trace"))
            .timeout(std::time::Duration::from_secs(300))
    }

    /// Compares what is printed with this world's places replaced by names.
    fn assertion(&self) -> snapbox::Assert {
        let mut redactions = snapbox::Redactions::new();
        let folder = self.folder.path().display().to_string();
        redactions.insert("[WORLD]", folder).unwrap();
        let argway = cargo_bin!("argway").display().to_string();
        redactions.insert("[ARGWAY]", argway).unwrap();
        snapbox::Assert::new()
            .action_env(snapbox::assert::DEFAULT_ACTION_ENV)
            .redact_with(redactions)
    }

    /// Runs `argway` with these words.
    pub fn argway<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> OutputAssert {
        self.command(words).assert()
    }

    /// What `argway` with these words prints, which must succeed.
    pub fn stdout<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> String {
        let output = self.argway(words).success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    }

    /// `argway` with these words, running.
    pub fn start<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> process::Child {
        let search = format!("{}:/usr/bin:/bin", self.path("bin").display());
        process::Command::new(cargo_bin!("argway"))
            .args(words)
            .current_dir(self.folder.path())
            .env("PATH", search)
            .env("HOME", self.path("home"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .env("TOY_TRACE", self.path("trace"))
            .stdin(process::Stdio::piped())
            .stdout(process::Stdio::piped())
            .stderr(process::Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Waits until `toy nap` naps: its process and the one that it started.
    pub fn wait_for_nap(&self) -> (String, String) {
        for _ in 0..600 {
            if let Ok(text) = fs::read_to_string(self.path("trace.nap")) {
                let (own, child) = text.trim().split_once(' ').unwrap();
                return (own.to_owned(), child.to_owned());
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("toy does not nap");
    }

    /// What of `toy` really ran, a line a run.
    pub fn trace(&self) -> String {
        fs::read_to_string(self.path("trace")).unwrap_or_default()
    }

    /// The files that argway keeps.
    pub fn cached(&self) -> Vec<PathBuf> {
        let Ok(folder) = fs::read_dir(self.path("cache/argway")) else {
            return Vec::new();
        };
        let mut files: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }
}

/// The example that runs what is appended to it. `cargo test` builds it beside the
/// binary; where only some tests are built, it is built here.
fn runner() -> &'static Path {
    static RUNNER: OnceLock<PathBuf> = OnceLock::new();
    RUNNER.get_or_init(|| {
        let built = cargo_bin!("argway").with_file_name("examples").join("toy");
        match built.is_file() {
            true => built,
            false => snapbox::cmd::compile_example("toy", []).unwrap(),
        }
    })
}

/// The permission bits of a file.
pub fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}
