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
    /// In this one, or it is not read.
    Always(Demand),
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

/// What came of a question: its run, or why there was none.
pub(super) type Asked = Result<Result<Outcome, ExecError>, String>;

/// What is tried, in this order. A walk makes its sandbox once, so that the strict tier
/// costs it no more than the portable one; a program that does not work in the strict
/// one, where what it may not read is not even there, may work in the other.
const ATTEMPTS: [Demand; 2] = [Demand::Enforced, Demand::Portable];

/// What a program may do that is only asked: write to the folder that it runs in and to
/// its `own`, and look at those of `readable` that are there.
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
            .filter(|path| path.is_absolute())
            .filter_map(|path| path.canonicalize().ok())
            .filter(|path| is_grantable(path))
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

/// Asks the first question with `ask`, and finds out whether the program works in a
/// sandbox. Nothing is settled where it does not start at all.
pub(super) fn settle(mut ask: impl FnMut(Option<Demand>) -> Asked) -> (Option<Standing>, Asked) {
    let mut best: Option<(Demand, Asked, Trouble)> = None;
    for demand in ATTEMPTS {
        let asked = ask(Some(demand));
        let trouble = trouble(&asked);
        if trouble == Trouble::None {
            return (Some(Standing::Guarded(demand)), asked);
        }
        let better = |(.., least): &(_, _, Trouble)| trouble < *least;
        // Of two that cannot be had, the last says more: it was all there is.
        if best.as_ref().is_none_or(better) || trouble == Trouble::NotStarted {
            best = Some((demand, asked, trouble));
        }
    }
    let outside = ask(None);
    match (best, trouble(&outside)) {
        // It fails outside too: that is its way.
        (Some((demand, inside, Trouble::Failed)), Trouble::Failed) => {
            (Some(Standing::Guarded(demand)), inside)
        }
        (_, Trouble::NotStarted) | (None, _) => (None, outside),
        (Some((_, inside, _)), _) => {
            let reason = reason(&inside);
            (Some(Standing::Unguarded(reason)), outside)
        }
    }
}

/// Whether a sandbox can show `path` without showing everything: a user without a home
/// has `/` for one, and the kernel's trees are no files.
fn is_grantable(path: &Path) -> bool {
    let made_up = ["/proc", "/sys", "/dev"];
    let is_made_up = made_up.iter().any(|tree| path.starts_with(tree));
    (path.is_dir() || path.is_file()) && path.parent().is_some() && !is_made_up
}

/// How far an answer is from one: the more, the worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trouble {
    /// It answered, whatever it said.
    None,
    /// It failed in a way in which programs fail that miss something.
    Failed,
    /// It did not start.
    NotStarted,
}

/// What programs say that miss a file, a right or a system call, in lower case.
const COMPLAINTS: [&str; 18] = [
    "permission denied",
    "operation not permitted",
    // dash says no more.
    "no such file",
    "cannot open",
    "can't open",
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
fn trouble(asked: &Asked) -> Trouble {
    let Ok(Ok(outcome)) = asked else {
        return Trouble::NotStarted;
    };
    match outcome.ending {
        Ending::Exited(0) | Ending::TimedOut(_) | Ending::Flooded(_) | Ending::Cancelled => {
            Trouble::None
        }
        // What a shell says of a program that it cannot run.
        Ending::Exited(126 | 127) | Ending::Signalled(_) | Ending::Exceeded(_) => Trouble::Failed,
        Ending::Exited(_) => {
            let silent = outcome.stdout.total == 0 && outcome.stderr.total == 0;
            match silent || complains(&outcome.stderr) || complains(&outcome.stdout) {
                true => Trouble::Failed,
                false => Trouble::None,
            }
        }
    }
}

fn complains(stream: &Captured) -> bool {
    let heard = &stream.head[..stream.head.len().min(LISTENED_TO)];
    let heard = String::from_utf8_lossy(heard).to_lowercase();
    COMPLAINTS.iter().any(|complaint| heard.contains(complaint))
}

/// Why a sandbox was given up, as a sentence's reason.
fn reason(asked: &Asked) -> String {
    let outcome = match asked {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => return error.to_string(),
        Err(lost) => return lost.clone(),
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

    fn ended(ending: Ending, stdout: &str, stderr: &str) -> Asked {
        let captured = |text: &str| Captured {
            head: text.as_bytes().to_vec(),
            total: text.len() as u64,
            ..Captured::default()
        };
        Ok(Ok(Outcome {
            ending,
            stdout: captured(stdout),
            stderr: captured(stderr),
            duration: Duration::ZERO,
            ended_leftovers: false,
            sandbox: None,
        }))
    }

    fn refused(why: &str) -> Asked {
        Ok(Err(ExecError::Directory(PathBuf::from(why))))
    }

    /// What is settled where the attempts give these, and without a sandbox the last.
    #[track_caller]
    fn check(asked: [Asked; 3], expected: Option<Standing>, told: &str) {
        let mut asked = asked.into_iter();
        let (standing, answer) = settle(|demand| {
            let next = asked.next().unwrap();
            assert_eq!(demand.is_none(), asked.len() == 0);
            next
        });
        assert_eq!(standing, expected);
        let answer = match answer {
            Ok(Ok(outcome)) => String::from_utf8_lossy(&outcome.stdout.head).into_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(lost) => lost,
        };
        assert_eq!(answer, told);
    }

    #[test]
    fn a_program_that_answers_in_a_sandbox_stays_in_it() {
        let help = || ended(Ending::Exited(0), "help", "");
        let never = || Err("asked once more".to_owned());
        let strict = Some(Standing::Guarded(Demand::Enforced));
        check([help(), never(), never()], strict, "help");
        // It needs no sandbox to refuse `--help`.
        let refusal = ended(Ending::Exited(2), "usage", "unknown option --help");
        let strict = Some(Standing::Guarded(Demand::Enforced));
        check([refusal, never(), never()], strict, "usage");
        let portable = Some(Standing::Guarded(Demand::Portable));
        check([refused("mounts"), help(), never()], portable, "help");
    }

    #[test]
    fn a_program_that_works_only_outside_is_asked_there_and_it_is_said_why() {
        let help = || ended(Ending::Exited(0), "help", "");
        let missing = || ended(Ending::Exited(1), "", "Cannot find module 'x'\n");
        let unguarded = |reason: &str| Some(Standing::Unguarded(reason.to_owned()));
        check(
            [missing(), missing(), help()],
            unguarded("it failed in the sandbox: Cannot find module 'x'"),
            "help",
        );
        check(
            [refused("one"), refused("two"), help()],
            unguarded("two is not a folder to run in"),
            "help",
        );
        // The system has no sandbox, and the program has its own trouble.
        check(
            [refused("one"), refused("two"), missing()],
            unguarded("two is not a folder to run in"),
            "",
        );
    }

    #[test]
    fn a_program_that_fails_everywhere_is_asked_in_the_sandbox() {
        let inside = || ended(Ending::Exited(1), "inside", "no such file or directory");
        let outside = || ended(Ending::Exited(1), "outside", "no such file or directory");
        let strict = Some(Standing::Guarded(Demand::Enforced));
        check([inside(), inside(), outside()], strict, "inside");
        let nothing = [refused("one"), refused("two"), refused("three")];
        check(nothing, None, "three is not a folder to run in");
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
            exited(1, ""),
            exited(2, "sh: 2: .: cannot open /opt/tool/library: No such file"),
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
        assert_eq!(trouble(&refused("/nowhere")), Trouble::NotStarted);
        assert_eq!(trouble(&Err("lost".to_owned())), Trouble::NotStarted);
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
            [
                there.path().to_path_buf(),
                gone,
                PathBuf::from("relative"),
                PathBuf::from("/"),
                PathBuf::from("/dev/null"),
                PathBuf::from("/proc/self"),
            ],
        );
        assert_eq!(policy.writable, ["/a/home", "/a/tmp"]);
        let there = there.path().canonicalize().unwrap();
        assert_eq!(policy.readable, [there.to_str().unwrap()]);
        assert!(!policy.network);
    }
}
