//! Which servers there are: mcpx's own file, or else the files of other MCP clients.

mod check;
mod clients;
mod direct;
mod disk;
mod expand;
mod file;
mod store;
mod template;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod testing;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::paths::{Environment, Places};

use disk::Disk;

pub use store::ConfigStore;

/// Why the configuration cannot be used. Names the file, the place and what would be
/// right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// Why a server cannot be opened for a caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// What is configured cannot be.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Its program is not there, or cannot be run.
    #[error("{0}")]
    NoProgram(String),
}

/// Every server that is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Config {
    /// By name.
    pub servers: BTreeMap<String, ServerEntry>,
    /// Entries of other programs' files that cannot be used: a sentence each. They
    /// cost nothing but themselves.
    pub problems: Vec<String>,
    /// What is worth knowing and no problem, for `-v`: which of two servers of one
    /// name is used.
    pub notes: Vec<String>,
    /// Servers of other programs' files that are not among these, and why: `FILE
    /// switches it off`.
    pub left_out: BTreeMap<String, String>,
}

/// Whose word a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// The command line's.
    #[default]
    Direct,
    /// mcpx's own file's.
    Own,
    /// Another client's, in a file of the user's.
    User,
    /// That of a file which lies in a folder that the caller is in, perhaps with a
    /// repository that somebody else wrote. Such a server is only started if the user
    /// names it: never for a listing, never for completion.
    Project,
}

/// A server as configured.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerEntry {
    /// What it is called by; for a direct source, the source itself.
    pub name: String,
    /// The file that it is from, for `-v`; nothing for a direct source.
    pub origin: Option<PathBuf>,
    /// Whose word it is.
    pub scope: Scope,
    /// What is run or connected to, with its `${VAR}`s.
    pub endpoint: EndpointText,
    /// How it is used.
    pub settings: Settings,
}

/// An endpoint before expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndpointText {
    /// A program to run.
    Stdio {
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, String>,
        cwd: Option<String>,
    },
    /// A URL to connect to.
    Http {
        url: String,
        headers: BTreeMap<String, String>,
        ca_file: Option<String>,
    },
}

/// How a server is used.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// `timeout`: how long a call may take.
    pub timeout: Duration,
    /// `connect_timeout`: how long a server may take to be ready.
    pub connect_timeout: Duration,
    /// `keepalive`: how long it is kept open after its last use.
    pub keepalive: Duration,
    /// `default_cache_ttl`.
    pub cache_ttl: Option<Duration>,
    /// `no_cache_tools`: globs.
    pub no_cache_tools: Vec<String>,
    /// `[servers.NAME.tools.TOOL]`.
    pub tools: BTreeMap<String, ToolSettings>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(5 * 60),
            // The first start of a server may download it.
            connect_timeout: Duration::from_secs(60),
            keepalive: Duration::from_secs(60),
            cache_ttl: None,
            no_cache_tools: Vec::new(),
            tools: BTreeMap::new(),
        }
    }
}

/// What is configured for one tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolSettings {
    /// `cache = false`, or a time of its own.
    pub cache: Option<ToolCache>,
}

/// Whether and how long a tool's answers are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolCache {
    Never,
    For(Duration),
}

/// A server, ready to be opened: everything expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// What the user calls it.
    pub name: String,
    /// What is run or connected to.
    pub endpoint: Endpoint,
    /// Which instance it is: a hash of the expanded configuration, the working folder
    /// and the variables that the configuration names. Callers with the same identity
    /// share a server.
    pub identity: String,
    /// How long it may take to be ready.
    pub connect_timeout: Duration,
    /// Where its stderr is kept.
    pub log: PathBuf,
}

/// What is run or connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A program.
    Stdio {
        /// Absolute, found by the caller's PATH.
        program: PathBuf,
        args: Vec<String>,
        /// Everything that it gets: the caller's variables and the configured ones.
        environment: Vec<(OsString, OsString)>,
        folder: PathBuf,
    },
    /// A URL.
    Http {
        url: String,
        headers: BTreeMap<String, String>,
        /// More certificates to trust, PEM.
        ca_file: Option<PathBuf>,
        /// `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy` of the caller, by
        /// these names whichever way they are spelled in its environment.
        proxies: Vec<(String, String)>,
    },
}

impl Config {
    /// What a caller in `folder` has configured. Its own file first; other clients'
    /// files only if that names no server.
    #[cfg(test)]
    pub fn load(
        places: &Places,
        environment: &Environment,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        Self::read(&Disk::default(), places, environment, folder)
    }

    fn read(
        disk: &Disk,
        places: &Places,
        environment: &Environment,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        let path = &places.config;
        let own = match disk.read(path) {
            Ok(Some(found)) => file::read(path, &found.text)?,
            Ok(None) => file::OwnFile::default(),
            Err(reason) => {
                return Err(ConfigError(format!("{} {reason}", path.display())));
            }
        };
        if !own.servers.is_empty() {
            return Ok(Self {
                servers: own.servers,
                ..Self::default()
            });
        }
        let named = own.fallback_sources.as_deref();
        Ok(clients::read(disk, named, places, environment, folder))
    }
}

impl ServerEntry {
    /// A source that is given instead of a server's name: a URL, or a command with a
    /// slash in it. Nothing if it is a plain name.
    pub fn direct(source: &str) -> Option<Result<Self, ConfigError>> {
        direct::entry(source)
    }

    /// With every `${VAR}` filled in, for this caller.
    pub fn expand(
        &self,
        places: &Places,
        environment: &Environment,
        folder: &Path,
    ) -> Result<Target, ExpandError> {
        expand::target(self, places, environment, folder)
    }
}
