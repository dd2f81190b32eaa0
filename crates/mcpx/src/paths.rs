//! Where mcpx keeps its files, from the environment: XDG, with the usual defaults.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The environment of a caller, as the client sent it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment(pub Vec<(OsString, OsString)>);

impl Environment {
    /// This process's own.
    pub fn own() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_os_str())
    }

    /// The value of a variable that names an absolute folder, as XDG asks.
    fn folder(&self, name: &str) -> Option<PathBuf> {
        let path = Path::new(self.get(name)?);
        path.is_absolute().then(|| path.to_path_buf())
    }
}

/// The places of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// `$HOME`.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, `~/.config`: other programs' files are looked for here too.
    pub config_home: PathBuf,
    /// `$XDG_CONFIG_HOME/mcpx/config.toml`.
    pub config: PathBuf,
    /// `$XDG_CACHE_HOME/mcpx`: answers that may be given again.
    pub cache: PathBuf,
    /// `$XDG_STATE_HOME/mcpx`: logs, what was learnt of servers.
    pub state: PathBuf,
    /// The folder of the socket, the lock and the nonces.
    pub runtime: PathBuf,
    /// The daemon's socket; a hashed short one where the folder's path is too long.
    pub socket: PathBuf,
}

impl Places {
    /// The places that an environment names. Fails where there is not even a HOME.
    pub fn of(environment: &Environment) -> Result<Self, String> {
        let _ = environment.folder("HOME");
        todo!()
    }
}
