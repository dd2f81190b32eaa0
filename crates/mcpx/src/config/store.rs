//! The configurations of recent callers, read again only when a file changed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use super::disk::{Disk, Looked};
use super::{Config, ConfigError};
use crate::paths::{Environment, Places};

/// How many callers' folders are remembered.
const REMEMBERED: usize = 64;
/// How many are read at once: files may be large, and callers many.
const READERS: usize = 4;
/// The variables that decide where files are looked for, besides those in [`Places`].
pub const VARIABLES: [&str; 2] = ["CLAUDE_CONFIG_DIR", "CODEX_HOME"];

/// What was read lately.
#[derive(Debug)]
pub struct ConfigStore {
    /// The latest used last.
    known: Mutex<Vec<Arc<Known>>>,
    readers: Semaphore,
}

impl Default for ConfigStore {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            readers: Semaphore::new(READERS),
        }
    }
}

#[derive(Debug)]
struct Known {
    caller: Caller,
    looked: Looked,
    result: Result<Arc<Config>, ConfigError>,
}

#[derive(Debug, PartialEq)]
struct Caller {
    places: Places,
    folder: PathBuf,
    variables: [Option<OsString>; VARIABLES.len()],
}

impl ConfigStore {
    /// What a caller in `folder` has configured. Nothing is parsed if no file changed;
    /// what is parsed delays no other call.
    pub async fn load(
        &self,
        places: &Places,
        environment: &Environment,
        folder: &Path,
    ) -> Result<Arc<Config>, ConfigError> {
        let caller = Caller {
            places: places.clone(),
            folder: folder.to_path_buf(),
            variables: VARIABLES.map(|name| environment.get(name).map(ToOwned::to_owned)),
        };
        if let Some(result) = self.fresh(&caller) {
            return result;
        }
        let _turn = self.readers.acquire().await;
        // Who was first may have read it for the others.
        if let Some(result) = self.fresh(&caller) {
            return result;
        }
        let (places, environment, folder) =
            (places.clone(), environment.clone(), folder.to_path_buf());
        let reading = tokio::task::spawn_blocking(move || {
            let disk = Disk::default();
            let result = Config::read(&disk, &places, &environment, &folder).map(Arc::new);
            (disk.looked(), result)
        });
        let (looked, result) = reading
            .await
            .map_err(|error| match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => ConfigError("the daemon is ending; call again".to_owned()),
            })?;
        self.keep(Arc::new(Known {
            caller,
            looked,
            result: result.clone(),
        }));
        result
    }

    fn fresh(&self, caller: &Caller) -> Option<Result<Arc<Config>, ConfigError>> {
        let known = self.find(caller)?;
        known.looked.is_fresh().then(|| known.result.clone())
    }

    fn find(&self, caller: &Caller) -> Option<Arc<Known>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let at = known.iter().position(|known| known.caller == *caller)?;
        known[at..].rotate_left(1);
        known.last().cloned()
    }

    fn keep(&self, new: Arc<Known>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|known| known.caller != new.caller);
        if known.len() >= REMEMBERED {
            known.remove(0);
        }
        known.push(new);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::fs;
    use std::thread::sleep;
    use std::time::Duration;

    use futures_util::FutureExt;

    use super::super::testing::Home;
    use super::*;

    fn load(store: &ConfigStore, home: &Home, folder: &str) -> Result<Arc<Config>, ConfigError> {
        let folder = home.folder(folder);
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let loading = store.load(&home.places, &home.environment, &folder);
        runtime.unwrap().block_on(loading)
    }

    /// Longer than a file system's clock takes to tick.
    fn settle() {
        sleep(Duration::from_millis(80));
    }

    #[test]
    fn nothing_is_read_again_until_a_file_changes() {
        let home = Home::new();
        let store = ConfigStore::default();
        let load = || load(&store, &home, "work");
        home.write(".config/mcpx/config.toml", "[servers.a]\ncommand = 'a'\n");
        settle();
        let first = load().unwrap();
        assert!(Arc::ptr_eq(&first, &load().unwrap()));

        home.write(".config/mcpx/config.toml", "[servers.b]\ncommand = 'b'\n");
        let second = load().unwrap();
        assert_eq!(second.servers.keys().collect::<Vec<_>>(), ["b"]);
        // Of the same size, in the same tick of the clock.
        home.write(".config/mcpx/config.toml", "[servers.c]\ncommand = 'c'\n");
        assert_eq!(load().unwrap().servers.keys().collect::<Vec<_>>(), ["c"]);
    }

    #[test]
    fn a_file_that_appears_or_goes_is_noticed() {
        let home = Home::new();
        let store = ConfigStore::default();
        let names = || -> Vec<String> {
            let config = load(&store, &home, "work").unwrap();
            config.servers.keys().cloned().collect()
        };
        assert_eq!(names(), [""; 0]);
        home.write(
            "work/.mcp.json",
            r#"{"mcpServers": {"p": {"command": "p"}}}"#,
        );
        assert_eq!(names(), ["p"]);
        home.write(".config/mcpx/config.toml", "[servers.own]\ncommand = 'x'");
        assert_eq!(names(), ["own"]);
        fs::remove_file(&home.places.config).unwrap();
        assert_eq!(names(), ["p"]);
    }

    #[test]
    fn a_mistake_is_remembered_until_it_is_mended() {
        let home = Home::new();
        let store = ConfigStore::default();
        let load = || load(&store, &home, "work");
        home.write(".config/mcpx/config.toml", "x = 1");
        settle();
        assert_eq!(load().unwrap_err(), load().unwrap_err());
        home.write(".config/mcpx/config.toml", "");
        assert!(load().is_ok());
    }

    #[tokio::test]
    async fn who_needs_nothing_read_does_not_wait() {
        let home = Home::new();
        let store = ConfigStore::default();
        let folder = home.folder("work");
        let load = || store.load(&home.places, &home.environment, &folder);
        home.write(".config/mcpx/config.toml", "[servers.a]\ncommand = 'a'\n");
        settle();
        assert!(load().now_or_never().is_none(), "it is read elsewhere");
        load().await.unwrap();
        assert!(load().now_or_never().is_some());
    }

    #[test]
    fn callers_in_other_folders_do_not_share() {
        let home = Home::new();
        let store = ConfigStore::default();
        home.write("a/.mcp.json", r#"{"mcpServers": {"p": {"command": "p"}}}"#);
        let load = |name: &str| load(&store, &home, name).unwrap();
        for _ in 0..2 {
            assert_eq!(load("a").servers.len(), 1);
            assert_eq!(load("b").servers.len(), 0);
        }
    }

    #[test]
    fn only_so_many_folders_are_remembered() {
        let home = Home::new();
        let store = ConfigStore::default();
        for number in 0..REMEMBERED + 10 {
            load(&store, &home, &number.to_string()).unwrap();
        }
        assert_eq!(store.known.lock().unwrap().len(), REMEMBERED);
    }
}
