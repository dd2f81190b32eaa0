//! The socket to one client: messages out, kept together until they must go, and
//! messages in.
//!
//! Everything here may be dropped while it waits, and taken up again: nothing that was
//! half written or half read is lost.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::caller::Gone;
use crate::wire::{self, PIECE, ToClient, ToDaemon};

/// How much is read at once.
const READ: usize = 16 << 10;

/// A client's end of the wire.
#[derive(Debug)]
pub struct Line {
    stream: UnixStream,
    said: Vec<u8>,
    heard: Vec<u8>,
}

impl Line {
    /// Over a fresh connection.
    pub fn new(stream: UnixStream) -> Self {
        Self {
            stream,
            said: Vec::new(),
            heard: Vec::new(),
        }
    }

    /// Keeps a message to be sent with the next [`Line::flush`].
    pub fn keep(&mut self, message: &ToClient) -> Result<(), Gone> {
        // One that is too long cannot be said, and without it the rest makes no sense.
        wire::append(&mut self.said, message).map_err(|_| Gone)
    }

    /// Keeps output; what is more than a piece goes at once.
    pub async fn keep_stdout(&mut self, output: &[u8]) -> Result<(), Gone> {
        for piece in output.chunks(PIECE) {
            wire::append_stdout(&mut self.said, piece);
            if self.said.len() >= PIECE {
                self.flush().await?;
            }
        }
        Ok(())
    }

    /// Sends what was kept.
    pub async fn flush(&mut self) -> Result<(), Gone> {
        while !self.said.is_empty() {
            let count = self.stream.write(&self.said).await.map_err(|_| Gone)?;
            self.said.drain(..count);
        }
        Ok(())
    }

    /// The next message. A client that says something wrong is as good as gone.
    pub async fn hear(&mut self) -> Result<ToDaemon, Gone> {
        loop {
            if let Some(message) = wire::take(&mut self.heard).map_err(|_| Gone)? {
                if self.heard.is_empty() {
                    self.heard = Vec::new();
                }
                return Ok(message);
            }
            self.heard.reserve(READ);
            match self.stream.read_buf(&mut self.heard).await {
                Ok(0) | Err(_) => return Err(Gone),
                Ok(_) => {}
            }
        }
    }
}
