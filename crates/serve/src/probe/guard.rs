//! The sandbox in which a program is asked, and whether it stands in the way.
//!
//! A program that is only read should reach nothing, but it should be read: one whose
//! files lie where no sandbox lets it look fails inside and works outside. That is
//! found out with the first question, and told.

use std::path::{Path, PathBuf};

use argway_core::output::{Captured, Ending, Outcome};
use argway_core::policy::{Demand, Filesystem, Resources, SandboxPolicy};

use crate::exec::ExecError;

/// Whether a program that is read runs in a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Guard {
    /// Where the system has one and the program works in it.
    #[default]
    WherePossible,
    /// Never.
    Off,
}

/// How the questions of one probe are asked, once that is settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    /// In a sandbox of this kind.
    Guarded(Demand),
    /// Without one, because of this.
    Unguarded(String),
}

impl Standing {
    pub fn demand(&self) -> Option<Demand> {
        match self {
            Standing::Guarded(demand) => Some(*demand),
            Standing::Unguarded(_) => None,
        }
    }
}

/// What is tried, in this order. A walk asks hundreds of questions, and the portable
/// tier takes half of the time of the strict one; what that holds beyond it (the modes
/// and times of the caller's own files) no help page is a likely threat to.
pub(super) const ATTEMPTS: [Demand; 2] = [Demand::Portable, Demand::Enforced];

/// What a program may do that runs in `work` and is given `own` to write to, and that
/// may look at `readable`.
pub(super) fn policy<'a>(
    own: impl IntoIterator<Item = &'a Path>,
    readable: impl IntoIterator<Item = PathBuf>,
) -> SandboxPolicy {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    SandboxPolicy {
        network: false,
        // The folder that it runs in is an empty one.
        filesystem: Filesystem::Cwd,
        readable: readable
            .into_iter()
            .filter(|path| path.is_absolute() && path.exists())
            .map(|path| text(&path))
            .collect(),
        writable: own.into_iter().map(text).collect(),
        variables: Vec::new(),
        resources: Resources {
            cpu_seconds: 60,
            // A runtime may take much before it prints its first line.
            memory_mb: 4096,
            file_mb: 64,
            ..Resources::default()
        },
    }
}

/// How far an answer is from one: the more, the worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    /// It answered, whatever it said.
    None,
    /// It failed in a way in which programs fail that miss something.
    Failed,
    /// It did not start.
    NotStarted,
}

/// What programs say that miss a file, a right or a system call, in lower case.
const COMPLAINTS: [&str; 16] = [
    "permission denied",
    "operation not permitted",
    "no such file or directory",
    "read-only file system",
    "function not implemented",
    "address family not supported",
    "shared object",
    "shared libraries",
    "shared library",
    "cannot find module",
    "no module named",
    "could not find or load main class",
    "cannot find the",
    "eacces",
    "enoent",
    "eperm",
];

/// Bytes of each stream in which a complaint is looked for.
const LISTENED_TO: usize = 16 * 1024;

/// Characters of what a program said that a reason holds.
const LONGEST_REASON: usize = 200;

/// Whether a question's run shows that something was missing.
pub(super) fn trouble(result: &Result<Outcome, ExecError>) -> Trouble {
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(_) => return Trouble::NotStarted,
    };
    match outcome.ending {
        Ending::Exited(0) | Ending::TimedOut(_) | Ending::Flooded(_) | Ending::Cancelled => {
            Trouble::None
        }
        // What a shell says of a program that it cannot run.
        Ending::Exited(126 | 127) | Ending::Signalled(_) | Ending::Exceeded(_) => Trouble::Failed,
        Ending::Exited(_) => match complains(&outcome.stderr) || complains(&outcome.stdout) {
            true => Trouble::Failed,
            false => Trouble::None,
        },
    }
}

fn complains(stream: &Captured) -> bool {
    let heard = &stream.head[..stream.head.len().min(LISTENED_TO)];
    let heard = String::from_utf8_lossy(heard).to_lowercase();
    COMPLAINTS.iter().any(|complaint| heard.contains(complaint))
}

/// Why a sandbox was given up, as a sentence's reason.
pub(super) fn reason(result: &Result<Outcome, ExecError>) -> String {
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(error) => return error.to_string(),
    };
    let said = [&outcome.stderr, &outcome.stdout]
        .into_iter()
        .map(|stream| argway_core::output::shown(&stream.head))
        .find_map(|text| {
            let lines = text.lines().map(str::trim);
            let mut lines = lines.filter(|line| !line.is_empty());
            lines
                .next()
                .map(|line| line.chars().take(LONGEST_REASON).collect::<String>())
        });
    let ended = match outcome.ending {
        Ending::Signalled(signal) => format!("it was ended by signal {signal} in the sandbox"),
        Ending::Exceeded(_) => "it used more than the sandbox allows".to_owned(),
        _ => "it failed in the sandbox".to_owned(),
    };
    match said {
        Some(line) => format!("{ended}: {line}"),
        None => ended,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use argway_core::policy::Exceeded;

    use super::*;

    fn ended(ending: Ending, stdout: &str, stderr: &str) -> Result<Outcome, ExecError> {
        let captured = |text: &str| Captured {
            head: text.as_bytes().to_vec(),
            total: text.len() as u64,
            ..Captured::default()
        };
        Ok(Outcome {
            ending,
            stdout: captured(stdout),
            stderr: captured(stderr),
            duration: Duration::ZERO,
            ended_leftovers: false,
            sandbox: None,
        })
    }

    #[test]
    fn programs_that_miss_something_are_told_from_programs_that_refuse() {
        let exited = |code, stderr: &str| trouble(&ended(Ending::Exited(code), "", stderr));
        for fine in [
            exited(0, "warning: ~/.config: Permission denied"),
            exited(1, "error: unknown flag --help\nusage: tool"),
            exited(2, "tool: illegal option -- -"),
            trouble(&ended(Ending::TimedOut(Duration::ZERO), "", "")),
        ] {
            assert_eq!(fine, Trouble::None);
        }
        for failed in [
            exited(127, ""),
            exited(126, ""),
            exited(
                1,
                "tool: error while loading shared libraries: libx.so: cannot open shared object file",
            ),
            exited(1, "Error: Cannot find module '/opt/tool/lib/cli.js'"),
            exited(1, "ModuleNotFoundError: No module named 'tool'"),
            exited(
                2,
                "python3: can't open file 'x': [Errno 13] Permission denied",
            ),
            trouble(&ended(
                Ending::Exited(1),
                "socket: Operation not permitted",
                "",
            )),
            trouble(&ended(Ending::Signalled(31), "", "")),
            trouble(&ended(Ending::Exceeded(Exceeded::Memory), "", "")),
        ] {
            assert_eq!(failed, Trouble::Failed);
        }
        let refused = Err(ExecError::Directory(PathBuf::from("/nowhere")));
        assert_eq!(trouble(&refused), Trouble::NotStarted);
    }

    #[test]
    fn the_reason_is_what_the_program_said_first() {
        let failed = ended(Ending::Exited(1), "", "\n  \x1b[31mno lib\x1b[0m\nmore\n");
        assert_eq!(reason(&failed), "it failed in the sandbox: no lib");
        let killed = ended(Ending::Signalled(31), "", "");
        assert_eq!(reason(&killed), "it was ended by signal 31 in the sandbox");
    }

    #[test]
    fn a_walk_may_write_to_its_own_folders_and_reach_nothing_else() {
        let there = tempfile::tempdir().unwrap();
        let gone = there.path().join("gone");
        let policy = policy(
            [Path::new("/a/home"), Path::new("/a/tmp")],
            [there.path().to_path_buf(), gone, PathBuf::from("relative")],
        );
        assert_eq!(policy.writable, ["/a/home", "/a/tmp"]);
        assert_eq!(policy.readable, [there.path().to_str().unwrap()]);
        assert!(!policy.network);
    }
}
