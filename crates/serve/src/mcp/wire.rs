//! Messages as lines of JSON, one each way: what the protocol calls stdio.
//!
//! rmcp has such a transport too. This one answers what that one drops or gives
//! up on, because a client that hears nothing waits for ever: a line that is no
//! JSON, a request whose shape is wrong, a message before its time. It also says
//! when the client is gone, so that calls need not wait for rmcp to notice.

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use argway_core::unique::Unique;
use rmcp::model::{
    ClientJsonRpcMessage, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::{RoleServer, transport};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FileType;
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::Mutex;

/// A longer line is refused and not kept.
pub(super) const MAX_LINE: usize = 64 * 1024 * 1024;

/// A line buffer that one long message made larger than this is given back.
const KEEP_BUFFER: usize = 64 * 1024;

pub(super) type Reader = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// This process's stdin and stdout, read without a thread where they allow it:
/// pipes, and the sockets that Node gives its children.
pub(super) fn stdio() -> (Reader, Writer) {
    match (socket(std::io::stdin()), socket(std::io::stdout())) {
        (Some(stdin), Some(stdout)) => (Box::new(stdin), Box::new(stdout)),
        _ => {
            let (stdin, stdout) = transport::io::stdio_pipes();
            (Box::new(stdin), Box::new(stdout))
        }
    }
}

/// Whether anybody still reads this process's stdout.
pub(super) fn stdout_is_heard() -> bool {
    let stdout = std::io::stdout();
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    let now = Timespec::default();
    let broken = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
    match poll(&mut watched, Some(&now)) {
        Ok(_) => !watched[0].revents().intersects(broken),
        Err(_) => true,
    }
}

fn socket(stream: impl AsFd) -> Option<UnixStream> {
    let file = rustix::fs::fstat(&stream).ok()?;
    if FileType::from_raw_mode(file.st_mode) != FileType::Socket {
        return None;
    }
    let socket = std::os::unix::net::UnixStream::from(stream.as_fd().try_clone_to_owned().ok()?);
    socket.set_nonblocking(true).ok()?;
    UnixStream::from_std(socket).ok()
}

/// The transport that rmcp's service loop runs on.
pub(super) struct Lines<Gone> {
    read: BufReader<Reader>,
    write: Arc<Mutex<Writer>>,
    line: Vec<u8>,
    /// The rest of a line that was refused for its length is passed over.
    skipping: bool,
    /// Messages of one line, where a client sent several (2025-03-26 has batches).
    waiting: VecDeque<ClientJsonRpcMessage>,
    open: Arc<AtomicBool>,
    /// Told once when there will be no more messages.
    gone: Option<Gone>,
}

impl<Gone: FnOnce() + Send> Lines<Gone> {
    pub(super) fn new(read: Reader, write: Writer, gone: Gone) -> Self {
        Self {
            read: BufReader::new(read),
            write: Arc::new(Mutex::new(write)),
            line: Vec::new(),
            skipping: false,
            waiting: VecDeque::new(),
            open: Arc::new(AtomicBool::new(false)),
            gone: Some(gone),
        }
    }

    /// Set once the client has opened the conversation with a request. Until then
    /// everything else is passed over: rmcp would end at it.
    pub(super) fn open(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.open)
    }

    /// Reads on to the end of a line. Nothing is lost when this is dropped half-way.
    async fn read_line(&mut self) -> io::Result<Read> {
        loop {
            let available = self.read.fill_buf().await?;
            if available.is_empty() {
                return Ok(Read::End);
            }
            let newline = available.iter().position(|&byte| byte == b'\n');
            let take = newline.map_or(available.len(), |at| at + 1);
            let too_long = self.line.len() + take > MAX_LINE;
            if !self.skipping && !too_long {
                self.line.extend_from_slice(&available[..take]);
            }
            self.read.consume(take);
            if too_long {
                self.line = Vec::new();
                self.skipping = true;
            }
            if newline.is_some() {
                return Ok(if std::mem::take(&mut self.skipping) {
                    Read::TooLong
                } else {
                    Read::Line
                });
            }
        }
    }

    /// Takes the messages out of the line read last; returns what is not one.
    fn take_messages(&mut self) -> Vec<Refusal> {
        let line = self.line.trim_ascii();
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        let messages = match line.first() {
            None => Vec::new(),
            Some(b'[') => batch(line),
            Some(_) => vec![message(line)],
        };
        self.line.clear();
        if self.line.capacity() > KEEP_BUFFER {
            self.line = Vec::new();
        }
        let mut refusals = Vec::new();
        for message in messages {
            match message {
                Ok(message) => self.waiting.push_back(message),
                Err(refusal) => refusals.extend(refusal),
            }
        }
        refusals
    }

    fn ended(&mut self) {
        if let Some(gone) = self.gone.take() {
            gone();
        }
    }
}

/// How reading a line ended.
enum Read {
    Line,
    TooLong,
    End,
}

impl<Gone: FnOnce() + Send> Transport<RoleServer> for Lines<Gone> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move { write_line(&write, &message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while let Some(message) = self.waiting.pop_front() {
                if matches!(message, JsonRpcMessage::Request(_))
                    || self.open.load(Ordering::Relaxed)
                {
                    return Some(message);
                }
            }
            let refusals = match self.read_line().await {
                Ok(Read::Line) => self.take_messages(),
                Ok(Read::TooLong) => {
                    let why = format!("a line is longer than {MAX_LINE} bytes");
                    vec![Refusal {
                        code: ErrorCode::INVALID_REQUEST,
                        why,
                        id: None,
                    }]
                }
                Ok(Read::End) | Err(_) => {
                    self.ended();
                    return None;
                }
            };
            for refusal in refusals {
                if write_line(&self.write, &refusal.into()).await.is_err() {
                    self.ended();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.shutdown().await
    }
}

async fn write_line(write: &Mutex<Writer>, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut write = write.lock().await;
    write.write_all(&line).await?;
    write.flush().await
}

/// Why a line was not taken, and whose request it was.
struct Refusal {
    code: ErrorCode,
    why: String,
    id: Option<RequestId>,
}

impl From<Refusal> for ServerJsonRpcMessage {
    fn from(refusal: Refusal) -> Self {
        let what = match refusal.code {
            ErrorCode::PARSE_ERROR => "not JSON",
            ErrorCode::INVALID_PARAMS => "wrong parameters",
            _ => "not a request",
        };
        let message = format!("{what}: {}", refusal.why);
        Self::error(ErrorData::new(refusal.code, message, None), refusal.id)
    }
}

type Message = Result<ClientJsonRpcMessage, Option<Refusal>>;

/// The messages of a batch, which 2025-03-26 has. Each is answered by itself.
fn batch(line: &[u8]) -> Vec<Message> {
    let refuse = |code, why: String| {
        vec![Err(Some(Refusal {
            code,
            why,
            id: None,
        }))]
    };
    match serde_json::from_slice::<Vec<Unique>>(line) {
        Ok(parts) if parts.is_empty() => {
            refuse(ErrorCode::INVALID_REQUEST, "an empty batch".to_owned())
        }
        Ok(parts) => parts
            .iter()
            .map(|Unique(part)| message(part.to_string().as_bytes()))
            .collect(),
        Err(error) if error.is_data() => refuse(ErrorCode::INVALID_REQUEST, error.to_string()),
        Err(error) => refuse(ErrorCode::PARSE_ERROR, error.to_string()),
    }
}

/// The one message in `line`, or what to answer instead (nothing to a notification).
fn message(line: &[u8]) -> Message {
    let read = serde_json::from_slice(line)
        .and_then(|message| serde_json::from_slice::<Unique>(line).map(|_| message));
    let problem = match read {
        Ok(message) => return Ok(message),
        Err(problem) => problem,
    };
    // What a client waits for is known by its id, so that is worth finding even
    // where the rest cannot be read: a lone surrogate or bad UTF-8 in a string.
    let (code, id) = match serde_json::from_slice(line) {
        Ok(Envelope {
            id: None,
            method: Some(_),
        }) => return Err(None),
        Ok(Envelope {
            id: Some(id),
            method: Some(Value::String(_)),
        }) => (ErrorCode::INVALID_PARAMS, Some(id)),
        Ok(Envelope { id, .. }) => (ErrorCode::INVALID_REQUEST, id),
        Err(error) if error.is_data() => (ErrorCode::INVALID_REQUEST, None),
        Err(_) => (ErrorCode::PARSE_ERROR, None),
    };
    let why = problem.to_string();
    Err(Some(Refusal { code, why, id }))
}

#[derive(Deserialize)]
struct Envelope {
    id: Option<RequestId>,
    method: Option<Value>,
}
