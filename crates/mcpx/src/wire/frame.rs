//! Frames: how bytes become messages, blocking for the client, in pieces as they come
//! for the daemon. What a message's payload holds is told in [`super::payload`].

use std::io::{self, Read};

use super::{STDIN_LIMIT, ToClient, ToDaemon};

/// Output is sent in frames of at most this.
pub const PIECE: usize = 64 << 10;

const HEADER: usize = 5;
const KIBI: usize = 1 << 10;
const INVOCATION_LIMIT: usize = 8 << 20;

/// Why what came is no message.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The connection failed or ended inside a frame.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Nobody says this.
    #[error("a frame of the unknown kind {0}")]
    Kind(u8),
    /// More than such a message may have.
    #[error("a frame of {length} bytes, where at most {limit} are allowed")]
    Length {
        /// What was announced.
        length: usize,
        /// What is allowed.
        limit: usize,
    },
    /// The payload is not what its kind says.
    #[error("a frame with a broken {0}")]
    Payload(&'static str),
}

/// One side's messages.
pub trait Message: Sized {
    /// The longest payload of a kind; nothing for an unknown one.
    fn limit(kind: u8) -> Option<usize>;
    /// The kind of this message; its payload is put behind `bytes`.
    fn encode(&self, bytes: &mut Vec<u8>) -> u8;
    /// The message that a payload is.
    fn decode(kind: u8, payload: &[u8]) -> Result<Self, WireError>;
}

/// Puts a message behind `bytes`, as a frame. One that is longer than it may be is an
/// error here already, where it can be said whose it is.
pub fn append<M: Message>(bytes: &mut Vec<u8>, message: &M) -> Result<(), WireError> {
    let start = bytes.len();
    bytes.extend_from_slice(&[0; HEADER]);
    let kind = message.encode(bytes);
    let length = bytes.len() - start - HEADER;
    let size = check(M::limit(kind), kind, length);
    if let Err(error) = size {
        bytes.truncate(start);
        return Err(error);
    }
    header(&mut bytes[start..start + HEADER], kind, length);
    Ok(())
}

/// Puts output behind `bytes`, in as many frames as it takes, without copying it twice.
pub fn append_stdout(bytes: &mut Vec<u8>, output: &[u8]) {
    for piece in output.chunks(PIECE) {
        let start = bytes.len();
        bytes.reserve(HEADER + piece.len());
        bytes.extend_from_slice(&[0; HEADER]);
        header(&mut bytes[start..], ToClient::STDOUT, piece.len());
        bytes.extend_from_slice(piece);
    }
}

/// The next message of a blocking reader; nothing if it ended between two.
pub fn read<M: Message>(reader: &mut impl Read) -> Result<Option<M>, WireError> {
    let mut head = [0; HEADER];
    let mut filled = 0;
    while filled < HEADER {
        match reader.read(&mut head[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    let (kind, length) = parse::<M>(&head)?;
    // Grows with what really comes: an announced length costs nothing yet.
    let mut payload = Vec::with_capacity(length.min(PIECE));
    if reader.take(length as u64).read_to_end(&mut payload)? < length {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    M::decode(kind, &payload).map(Some)
}

/// Takes the first message out of what has come so far; nothing if it is not all there.
pub fn take<M: Message>(bytes: &mut Vec<u8>) -> Result<Option<M>, WireError> {
    let Some(head) = bytes.first_chunk::<HEADER>() else {
        return Ok(None);
    };
    let (kind, length) = parse::<M>(head)?;
    let Some(payload) = bytes.get(HEADER..HEADER + length) else {
        return Ok(None);
    };
    let message = M::decode(kind, payload)?;
    bytes.drain(..HEADER + length);
    Ok(Some(message))
}

fn header(place: &mut [u8], kind: u8, length: usize) {
    place[0] = kind;
    // Every limit is far below what four bytes hold.
    place[1..HEADER].copy_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

fn parse<M: Message>(head: &[u8; HEADER]) -> Result<(u8, usize), WireError> {
    let [kind, a, b, c, d] = *head;
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    check(M::limit(kind), kind, length)?;
    Ok((kind, length))
}

fn check(limit: Option<usize>, kind: u8, length: usize) -> Result<(), WireError> {
    match limit {
        None => Err(WireError::Kind(kind)),
        Some(limit) if length > limit => Err(WireError::Length { length, limit }),
        Some(_) => Ok(()),
    }
}

impl ToDaemon {
    pub(super) const HELLO: u8 = 1;
    pub(super) const INVOCATION: u8 = 2;
    pub(super) const STDIN: u8 = 3;
    pub(super) const ANSWER: u8 = 4;

    pub(super) fn longest(kind: u8) -> Option<usize> {
        match kind {
            Self::HELLO => Some(KIBI),
            Self::INVOCATION => Some(INVOCATION_LIMIT),
            // A byte says whether there was anything.
            Self::STDIN => Some(STDIN_LIMIT + 1),
            Self::ANSWER => Some(PIECE + 1),
            _ => None,
        }
    }
}

impl ToClient {
    pub(super) const GREETING: u8 = 0x81;
    pub(super) const REFUSED: u8 = 0x82;
    pub(super) const STDOUT: u8 = 0x83;
    pub(super) const STDERR: u8 = 0x84;
    pub(super) const READ_STDIN: u8 = 0x85;
    pub(super) const ASK: u8 = 0x86;
    pub(super) const EXIT: u8 = 0x87;

    pub(super) fn longest(kind: u8) -> Option<usize> {
        match kind {
            Self::GREETING => Some(16),
            Self::REFUSED => Some(KIBI),
            Self::STDOUT | Self::STDERR => Some(PIECE),
            Self::READ_STDIN | Self::EXIT => Some(1),
            Self::ASK => Some(PIECE + 1),
            _ => None,
        }
    }
}

#[cfg(test)]
pub use over_tokio::{receive, send};

/// The other end of a daemon that is tested in the same process.
#[cfg(test)]
mod over_tokio {
    use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

    use super::*;

    /// Sends one message.
    pub async fn send<M: Message>(
        writer: &mut (impl AsyncWrite + Unpin),
        message: &M,
    ) -> Result<(), WireError> {
        let mut bytes = Vec::new();
        append(&mut bytes, message)?;
        Ok(writer.write_all(&bytes).await?)
    }

    /// The next message; nothing if the other side closed between two.
    pub async fn receive<M: Message>(
        reader: &mut (impl AsyncRead + Unpin),
    ) -> Result<Option<M>, WireError> {
        let mut bytes = Vec::new();
        loop {
            if let Some(message) = take(&mut bytes)? {
                return Ok(Some(message));
            }
            // One byte at a time: what belongs to the next message stays there.
            match reader.read_u8().await {
                Ok(byte) => bytes.push(byte),
                Err(_) if bytes.is_empty() => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
