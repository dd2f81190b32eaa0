//! A home of its own for each test.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::paths::{Environment, Places};

pub struct Home {
    root: TempDir,
    pub places: Places,
    pub environment: Environment,
}

impl Home {
    pub fn new() -> Self {
        let root = TempDir::new().unwrap();
        let home = root.path().canonicalize().unwrap();
        let config_home = home.join(".config");
        let places = Places {
            config: config_home.join("mcpx/config.toml"),
            cache: home.join(".cache/mcpx"),
            state: home.join(".local/state/mcpx"),
            runtime: home.join("run"),
            socket: home.join("run/mcpx.sock"),
            config_home,
            home,
        };
        Self {
            root,
            places,
            environment: Environment(vec![("PATH".into(), "/usr/bin:/bin".into())]),
        }
    }

    /// Writes a file, in a folder that is made for it.
    pub fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        self.places
            .home
            .join(path.strip_prefix(self.root.path()).unwrap())
    }

    /// A folder that is there.
    pub fn folder(&self, path: &str) -> PathBuf {
        let path = self.places.home.join(path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// With another variable.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.0.push((name.into(), value.into()));
        self
    }

    /// A text with the home's path written `~`.
    pub fn short(&self, text: &str) -> String {
        text.replace(self.places.home.to_str().unwrap(), "~")
    }
}
