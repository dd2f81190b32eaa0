//! Where mcpx keeps its files, from the environment: XDG, with the usual defaults.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

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
        let home = environment.folder("HOME").ok_or_else(|| {
            let wrong = match environment.get("HOME") {
                Some(_) => "is not an absolute path",
                None => "is not set",
            };
            format!("HOME {wrong}; mcpx keeps its files in your home folder")
        })?;
        let base = |name: &str, default: &str| {
            let named = environment.folder(name);
            named.unwrap_or_else(|| home.join(default))
        };
        let config_home = base("XDG_CONFIG_HOME", ".config");
        let state = base("XDG_STATE_HOME", ".local/state").join("mcpx");
        let wanted = match environment.folder("XDG_RUNTIME_DIR") {
            Some(folder) => folder.join("mcpx"),
            None => state.clone(),
        };
        let runtime = match wanted.join(SOCKET).as_os_str().len() <= LONGEST_SOCKET {
            true => wanted,
            false => short_folder(&wanted),
        };
        Ok(Self {
            config: config_home.join("mcpx/config.toml"),
            cache: base("XDG_CACHE_HOME", ".cache").join("mcpx"),
            socket: runtime.join(SOCKET),
            home,
            config_home,
            state,
            runtime,
        })
    }

    /// Held by the one client that starts a daemon.
    pub fn lock(&self) -> PathBuf {
        self.runtime.join("mcpx.lock")
    }

    /// What a client must know of the daemon: the nonces.
    pub fn nonces(&self) -> PathBuf {
        self.runtime.join("mcpx.state")
    }

    /// Makes the folder of the socket, for its owner alone. One that is there already
    /// must pass [`Places::check_runtime`].
    pub fn make_runtime(&self) -> Result<(), String> {
        let folder = self.runtime.display();
        let made = DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.runtime);
        made.map_err(|error| format!("{folder} cannot be made: {error}"))?;
        let mode = self.check_runtime()?;
        let mode = mode.ok_or_else(|| format!("{folder} is gone again"))?;
        if mode != 0o700 {
            // Ours, and nobody else could write: nothing wrong can be in it.
            let private = fs::Permissions::from_mode(0o700);
            fs::set_permissions(&self.runtime, private)
                .map_err(|error| format!("{folder} cannot be made private: {error}"))?;
        }
        Ok(())
    }

    /// Whether the folder of the socket can be trusted: a folder, ours, and writable by
    /// nobody else. Gives its permission bits; nothing if there is none.
    pub fn check_runtime(&self) -> Result<Option<u32>, String> {
        let folder = self.runtime.display();
        // Not followed: in a shared folder, a link could be anybody's.
        let found = match fs::symlink_metadata(&self.runtime) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{folder} cannot be used: {error}")),
        };
        if !found.is_dir() {
            return Err(format!("{folder} is not a folder; remove it"));
        }
        let own = geteuid().as_raw();
        if found.uid() != own {
            return Err(format!(
                "{folder} belongs to user {}, not to you (user {own}); nothing in it can be trusted",
                found.uid()
            ));
        }
        let mode = found.mode() & 0o777;
        if mode & 0o022 != 0 {
            return Err(format!(
                "others can write to {folder} (mode {mode:03o}); make it yours alone: chmod 700 {folder}"
            ));
        }
        Ok(Some(mode))
    }
}

const SOCKET: &str = "mcpx.sock";

/// The longest path of a socket: what `sun_path` holds, with its end.
const LONGEST_SOCKET: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// A folder with a short path in place of one whose path is too long: the same for the
/// same folder and user, and another for every other.
fn short_folder(wanted: &Path) -> PathBuf {
    let user = geteuid().as_raw();
    let hash = hash(wanted.as_os_str().as_bytes());
    let own = PathBuf::from(format!("/run/user/{user}"));
    match fs::symlink_metadata(&own) {
        Ok(found) if found.is_dir() && found.uid() == user => own.join(format!("mcpx-{hash:016x}")),
        _ => PathBuf::from(format!("/tmp/mcpx-{user}-{hash:016x}")),
    }
}

/// FNV-1a: the same in every build, which the standard library's need not be.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    fn places(variables: &[(&str, &str)]) -> Result<Places, String> {
        let pairs = variables
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        Places::of(&Environment(pairs.collect()))
    }

    #[test]
    fn everything_is_below_home_by_default() {
        let places = places(&[("HOME", "/home/me")]).unwrap();
        assert_eq!(
            places.config,
            Path::new("/home/me/.config/mcpx/config.toml")
        );
        assert_eq!(places.cache, Path::new("/home/me/.cache/mcpx"));
        assert_eq!(places.state, Path::new("/home/me/.local/state/mcpx"));
        assert_eq!(
            places.socket,
            Path::new("/home/me/.local/state/mcpx/mcpx.sock")
        );
        assert_eq!(
            places.lock(),
            Path::new("/home/me/.local/state/mcpx/mcpx.lock")
        );
        assert_eq!(
            places.nonces(),
            Path::new("/home/me/.local/state/mcpx/mcpx.state")
        );
    }

    #[test]
    fn xdg_variables_name_other_places_unless_they_are_relative() {
        let places = places(&[
            ("HOME", "/home/me"),
            ("XDG_CONFIG_HOME", "/c"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_STATE_HOME", "/s"),
            ("XDG_RUNTIME_DIR", "/run/user/7"),
        ])
        .unwrap();
        assert_eq!(places.config, Path::new("/c/mcpx/config.toml"));
        assert_eq!(places.cache, Path::new("/home/me/.cache/mcpx"));
        assert_eq!(places.state, Path::new("/s/mcpx"));
        assert_eq!(places.socket, Path::new("/run/user/7/mcpx/mcpx.sock"));
    }

    #[test]
    fn without_a_home_there_are_no_places() {
        let missing = places(&[]).unwrap_err();
        assert!(missing.starts_with("HOME is not set"), "{missing}");
        let relative = places(&[("HOME", "here")]).unwrap_err();
        assert!(
            relative.starts_with("HOME is not an absolute path"),
            "{relative}"
        );
    }

    #[test]
    fn too_long_a_path_has_a_short_one_of_its_own() {
        let long = |last: &str| format!("/{}/{last}", "long/".repeat(30));
        let of = |folder: &str| places(&[("HOME", "/h"), ("XDG_RUNTIME_DIR", folder)]).unwrap();
        let (one, other) = (of(&long("one")), of(&long("other")));
        assert!(one.socket.as_os_str().len() <= LONGEST_SOCKET);
        assert_eq!(one.socket.parent(), Some(one.runtime.as_path()));
        assert_ne!(one.runtime, other.runtime);
        assert_eq!(one, of(&long("one")));
    }

    #[test]
    fn the_longest_path_that_fits_is_kept() {
        let fitting = format!(
            "/{}",
            "x".repeat(LONGEST_SOCKET - "/".len() - "/mcpx/mcpx.sock".len())
        );
        let of = |folder: &str| places(&[("HOME", "/h"), ("XDG_RUNTIME_DIR", folder)]).unwrap();
        assert!(of(&fitting).socket.starts_with(&fitting));
        let longer = format!("{fitting}x");
        assert!(!of(&longer).socket.starts_with(&longer));
    }

    fn in_a_folder(mode: Option<u32>) -> (tempfile::TempDir, Places) {
        let world = tempfile::tempdir().unwrap();
        let runtime = world.path().join("run");
        if let Some(mode) = mode {
            fs::create_dir_all(runtime.join("mcpx")).unwrap();
            fs::set_permissions(runtime.join("mcpx"), fs::Permissions::from_mode(mode)).unwrap();
        }
        let runtime = runtime.to_str().unwrap().to_owned();
        let places = places(&[("HOME", "/h"), ("XDG_RUNTIME_DIR", &runtime)]).unwrap();
        (world, places)
    }

    #[test]
    fn the_folder_of_the_socket_is_private() {
        for mode in [None, Some(0o700), Some(0o755)] {
            let (_world, places) = in_a_folder(mode);
            places.make_runtime().unwrap();
            assert_eq!(places.check_runtime(), Ok(Some(0o700)));
        }
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_refused() {
        for mode in [0o777, 0o770, 0o702] {
            let (_world, places) = in_a_folder(Some(mode));
            let refusal = places.make_runtime().unwrap_err();
            assert!(refusal.contains(&format!("mode {mode:03o}")), "{refusal}");
        }
    }

    #[test]
    fn a_link_to_a_folder_is_refused() {
        let (world, places) = in_a_folder(None);
        fs::create_dir_all(world.path().join("run")).unwrap();
        fs::create_dir(world.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(world.path().join("elsewhere"), &places.runtime).unwrap();
        let refusal = places.make_runtime().unwrap_err();
        assert!(refusal.ends_with("is not a folder; remove it"), "{refusal}");
    }
}
