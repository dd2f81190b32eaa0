//! What sessions share: the open servers, and what is known of files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::config::ConfigStore;
use crate::daemon::cache::Cache;
use crate::daemon::pool::{Pool, Upstream};
use crate::daemon::{log, media};
use crate::paths::Places;
use crate::upstream::{Memory, Roll};

/// What is known of more caches than this is not worth keeping.
const MOST_CACHES: usize = 16;

/// What sessions share.
pub struct Shared {
    /// The open servers.
    pub pool: Pool,
    /// What callers have configured.
    pub configs: ConfigStore,
    /// The caches of callers, by their folders: mostly there is one.
    caches: Mutex<BTreeMap<PathBuf, Arc<Cache>>>,
    /// Old media were looked for.
    swept: AtomicBool,
}

impl Shared {
    /// No server is open yet. Logs of old are removed meanwhile, so this is called
    /// where tasks can be.
    pub fn new(places: &Places) -> Self {
        let memory = Memory::load(&places.state);
        let roll = Roll::new(&places.runtime);
        let logs = places.state.join("logs");
        tokio::task::spawn_blocking(move || log::sweep(&logs, SystemTime::now(), log::KEPT_FOR));
        Self {
            pool: Pool::new(Upstream { memory, roll }),
            configs: ConfigStore::default(),
            caches: Mutex::default(),
            swept: AtomicBool::new(false),
        }
    }

    /// Old media in this folder are removed, once in the daemon's life.
    pub fn sweep_media(&self, folder: PathBuf) {
        if !self.swept.swap(true, Ordering::Relaxed) {
            tokio::task::spawn_blocking(move || media::sweep(&folder));
        }
    }

    /// The cache in this folder.
    pub fn cache(&self, folder: &Path) -> Arc<Cache> {
        let mut caches = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cache) = caches.get(folder) {
            return Arc::clone(cache);
        }
        if caches.len() == MOST_CACHES {
            caches.clear();
        }
        let cache = Arc::new(Cache::new(folder.to_owned()));
        caches.insert(folder.to_owned(), Arc::clone(&cache));
        cache
    }
}
