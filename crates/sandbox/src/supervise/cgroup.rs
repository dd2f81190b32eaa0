//! A cgroup of its own for one run, where the operator delegated a cgroup v2 folder:
//! there the system itself counts memory, processes and time of everything together.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use argway_core::policy::Resources;
use rustix::process::Pid;

use crate::layers::LayerError;

/// One run's folder. Its files are opened before the run's own world hides them.
#[derive(Debug)]
pub(crate) struct Cgroup {
    folder: PathBuf,
    processes: fs::File,
    kill: Option<fs::File>,
    time: Option<fs::File>,
    memory: Option<fs::File>,
}

impl Cgroup {
    /// Makes a folder within `parent` with the bounds that its controllers know. Those
    /// that they do not know are watched by sampling as everywhere else.
    pub fn prepare(parent: &Path, resources: &Resources) -> Result<Self, LayerError> {
        let folder = parent.join(format!("argway-{}", std::process::id()));
        Self::make(&folder, resources).map_err(|error| {
            let _ = fs::remove_dir(&folder);
            LayerError {
                layer: "cgroup",
                what: format!("{}: {error}", folder.display()),
                remedy: "let ARGWAY_CGROUP name a cgroup v2 folder that was delegated to this \
                         user, or unset it"
                    .to_owned(),
                errno: error.raw_os_error().unwrap_or_default(),
            }
        })
    }

    fn make(folder: &Path, resources: &Resources) -> io::Result<Self> {
        fs::create_dir(folder)?;
        let memory = resources.memory_mb.saturating_mul(1 << 20);
        let bounds = [
            ("memory.max", memory.to_string()),
            ("memory.swap.max", "0".to_owned()),
            ("memory.oom.group", "1".to_owned()),
            ("pids.max", resources.processes.to_string()),
        ];
        for (name, bound) in bounds {
            match fs::OpenOptions::new().write(true).open(folder.join(name)) {
                Ok(mut file) => file.write_all(bound.as_bytes())?,
                // Its controller is not enabled for this folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let write = |name: &str| fs::OpenOptions::new().write(true).open(folder.join(name));
        let read = |name: &str| fs::File::open(folder.join(name));
        Ok(Self {
            folder: folder.to_owned(),
            processes: write("cgroup.procs")?,
            kill: write("cgroup.kill").ok(),
            time: read("cpu.stat").ok(),
            memory: read("memory.events").ok(),
        })
    }

    /// Takes a process in, and all that it starts.
    pub fn hold(&self, process: Pid) -> io::Result<()> {
        let pid = process.as_raw_nonzero().to_string();
        (&self.processes).write_all(pid.as_bytes())
    }

    /// Kills everybody in it at once, where the system can (Linux 5.14).
    pub fn kill(&self) {
        if let Some(mut file) = self.kill.as_ref() {
            let _ = file.write_all(b"1");
        }
    }

    /// The processor time of everybody who was ever in it, in µs.
    pub fn time(&self) -> Option<u64> {
        number(self.time.as_ref()?, "usage_usec")
    }

    /// Whether the system ended somebody because there was no memory left.
    pub fn ran_out_of_memory(&self) -> bool {
        let kills = self
            .memory
            .as_ref()
            .and_then(|file| number(file, "oom_kill"));
        kills.is_some_and(|kills| kills > 0)
    }

    /// Removes the folder once it is empty.
    pub fn remove(&self) {
        let _ = fs::remove_dir(&self.folder);
    }
}

fn number(file: &fs::File, name: &str) -> Option<u64> {
    let mut text = [0; 1024];
    let length = file.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?
        .parse()
        .ok()
}
