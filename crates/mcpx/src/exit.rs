//! Why a command ends without its result, and the exit code that says so.

use crate::config::{ConfigError, ExpandError};
use crate::upstream::UpstreamError;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// stdout has the result.
    Success,
    /// The tool ran and said no.
    Tool,
    /// It was called wrong.
    Usage,
    /// The tool could not be reached.
    Transport,
}

impl Exit {
    /// The number that a shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Tool => 1,
            Exit::Usage => 2,
            Exit::Transport => 3,
        }
    }
}

/// Why a command has no result.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The tool reported a failure; what it said is the whole message, which is
    /// printed as it is.
    #[error("{0}")]
    Tool(String),
    /// The command line cannot be understood.
    #[error("{0}")]
    Usage(String),
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A server's program is not there.
    #[error("{0}")]
    NoProgram(String),
    /// A server did not answer as it should.
    #[error("{}", told(server, source))]
    Upstream {
        /// As the user named it.
        server: String,
        /// What went wrong.
        source: UpstreamError,
    },
    /// Something of this machine: a folder, a file, a socket.
    #[error("{0}")]
    System(String),
}

/// A server that was named by its URL is not named twice.
fn told(server: &str, source: &UpstreamError) -> String {
    match source {
        UpstreamError::Http { url, .. }
            if url.trim_end_matches('/') == server.trim_end_matches('/') =>
        {
            source.to_string()
        }
        _ => format!("{server}: {source}"),
    }
}

impl From<ExpandError> for Failure {
    fn from(error: ExpandError) -> Self {
        match error {
            ExpandError::Config(error) => Failure::Config(error),
            ExpandError::NoProgram(reason) => Failure::NoProgram(reason),
        }
    }
}

impl Failure {
    /// The server said something that is no MCP.
    pub fn protocol(server: &str, what: impl Into<String>) -> Self {
        Failure::Upstream {
            server: server.to_owned(),
            source: UpstreamError::Protocol(what.into()),
        }
    }

    /// The exit code of this failure.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Tool(_) => Exit::Tool,
            Failure::Usage(_) | Failure::Config(_) => Exit::Usage,
            Failure::System(_) | Failure::NoProgram(_) => Exit::Transport,
            Failure::Upstream { source, .. } => match source {
                // The tool was reached, and told that it was called wrong.
                UpstreamError::Rpc { code, .. } if [-32601, -32602].contains(code) => Exit::Usage,
                // What the caller would have to answer first.
                UpstreamError::InputRequired { .. } => Exit::Tool,
                UpstreamError::Rpc { .. }
                | UpstreamError::Start { .. }
                | UpstreamError::Ended { .. }
                | UpstreamError::Timeout { .. }
                | UpstreamError::Protocol(_)
                | UpstreamError::Http { .. }
                | UpstreamError::Network(_)
                | UpstreamError::Cancelled => Exit::Transport,
            },
        }
    }
}
