//! One started program: its process, its pipes, and what came out of them.

use std::os::fd::AsFd;
use std::process::Stdio;

use rustix::process::Pid;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use super::capture::{Capture, Lines, Room};
use super::hold::Hold;
use super::sandboxed::{self, Ward};
use super::tree::{self, Planned, Tree};
use super::{Environment, ExecError, Invocation, Limits, Sandbox};

/// Output is read in pieces of at most a pipe's usual size.
const PIECE: usize = 64 * 1024;

/// A started program with everything that hangs on it. Dropping it kills the tree.
pub(super) struct Running {
    pub hold: Hold,
    pub stdin: Option<ChildStdin>,
    pub input: Vec<u8>,
    pub stdout: Stream<ChildStdout>,
    pub stderr: Stream<ChildStderr>,
    pub lines: Lines,
    /// The inodes of the pipes that stdout and stderr are.
    pub pipes: Vec<u64>,
}

impl Running {
    /// Starts the program, or ends with the reason why not. Dropped half-way, it ends
    /// what it started.
    pub async fn start(invocation: &Invocation, ward: Option<&Ward>) -> Result<Self, ExecError> {
        let planned = tree::plan();
        match &invocation.sandbox {
            Some(sandbox) => Self::start_sandboxed(invocation, sandbox, ward, &planned).await,
            None => Self::start_plain(invocation, &planned),
        }
    }

    async fn start_sandboxed(
        invocation: &Invocation,
        sandbox: &Sandbox,
        ward: Option<&Ward>,
        planned: &Planned,
    ) -> Result<Self, ExecError> {
        let (tree, guarded, streams) = sandboxed::start(invocation, sandbox, ward, planned).await?;
        let limits = sandboxed::limits(&invocation.limits, sandbox);
        let stdout = Stream::new(Some(streams.stdout), "stdout", &limits);
        let stderr = Stream::new(Some(streams.stderr), "stderr", &limits);
        Ok(Self {
            hold: Hold::sandboxed(tree, guarded),
            stdin: streams.stdin,
            input: invocation.stdin.clone().unwrap_or_default(),
            pipes: stdout.inode().into_iter().chain(stderr.inode()).collect(),
            stdout,
            stderr,
            lines: Lines::default(),
        })
    }

    fn start_plain(invocation: &Invocation, planned: &Planned) -> Result<Self, ExecError> {
        let mut command = tokio::process::Command::new(&invocation.program);
        command.args(&invocation.words);
        match &invocation.environment {
            Environment::Inherit(changes) => {
                for (name, value) in changes {
                    match value {
                        Some(value) => command.env(name, value),
                        None => command.env_remove(name),
                    };
                }
            }
            Environment::Exactly(variables) => {
                command.env_clear().envs(variables.iter().cloned());
            }
        }
        command.env(tree::MARK, &planned.mark);
        if let Some(directory) = &invocation.directory {
            command.current_dir(directory);
        }
        let stdin = match invocation.stdin {
            Some(_) => Stdio::piped(),
            None => Stdio::null(),
        };
        command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // No pre_exec here, ever: it makes spawning fork, which costs tens of
            // milliseconds in a large process.
            .process_group(0)
            .kill_on_drop(true);
        let failed = |reason| match &invocation.directory {
            Some(directory) if !directory.is_dir() => ExecError::Directory(directory.clone()),
            _ => ExecError::Spawn {
                program: invocation.program.clone(),
                reason,
            },
        };
        let mut child = command.spawn().map_err(failed)?;
        let main = child
            .id()
            .and_then(|id| Pid::from_raw(id.cast_signed()))
            .ok_or_else(|| failed(std::io::Error::other("it has no process")))?;
        let tree = Tree::begin(planned, main);
        let stdin = child.stdin.take();
        let stdout = Stream::new(child.stdout.take(), "stdout", &invocation.limits);
        let stderr = Stream::new(child.stderr.take(), "stderr", &invocation.limits);
        Ok(Self {
            hold: Hold::plain(tree, child, main),
            stdin,
            input: invocation.stdin.clone().unwrap_or_default(),
            pipes: stdout.inode().into_iter().chain(stderr.inode()).collect(),
            stdout,
            stderr,
            lines: Lines::default(),
        })
    }

    pub fn flooded(&self) -> Option<u64> {
        self.stdout.full.or(self.stderr.full)
    }
}

/// One end of a pipe while it is read, and what came out of it.
pub(super) struct Stream<R> {
    pipe: Option<R>,
    pub piece: Vec<u8>,
    pub capture: Capture,
    full: Option<u64>,
}

impl<R: AsyncRead + AsFd + Unpin> Stream<R> {
    fn new(pipe: Option<R>, name: &'static str, limits: &Limits) -> Self {
        Self {
            pipe,
            piece: Vec::new(),
            capture: Capture::new(name, limits),
            full: None,
        }
    }

    fn inode(&self) -> Option<u64> {
        let pipe = self.pipe.as_ref()?;
        rustix::fs::fstat(pipe).ok().map(|stat| stat.st_ino)
    }

    pub fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// The next piece. Safe to drop half-way: nothing is lost.
    pub async fn read(&mut self) -> std::io::Result<usize> {
        self.piece.clear();
        self.piece.reserve(PIECE);
        match &mut self.pipe {
            Some(pipe) => pipe.read_buf(&mut self.piece).await,
            None => Ok(0),
        }
    }

    /// Keeps the piece that was read; false at the end of the stream.
    pub fn took(&mut self, read: std::io::Result<usize>) -> bool {
        match read {
            Ok(0) | Err(_) => {
                self.pipe = None;
                self.piece.clear();
                false
            }
            Ok(_) => {
                if let Room::Full(limit) = self.capture.push(&self.piece) {
                    self.full = Some(limit);
                }
                true
            }
        }
    }
}

/// Writes what is left of `input`. A program that does not want it is fine.
pub(super) async fn feed(stdin: &mut Option<ChildStdin>, input: &mut Vec<u8>) {
    let Some(stdin) = stdin else { return };
    while !input.is_empty() {
        match stdin.write(input).await {
            Ok(0) | Err(_) => return,
            Ok(written) => {
                input.drain(..written);
            }
        }
    }
}
