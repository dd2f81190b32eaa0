//! Which life worked with which server, in one small private file.

use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use super::{Life, OPENED, STATELESS};
use crate::config::Endpoint;

/// How many servers are remembered; the longest unused go first.
const LIMIT: usize = 500;
/// A file that is larger is not ours.
const FILE_LIMIT: u64 = 1024 * 1024;
const FILE: &str = "lives.json";

/// Which life worked with which server, kept over restarts.
#[derive(Debug)]
pub struct Memory {
    /// The folder, if it is kept at all.
    folder: Option<PathBuf>,
    /// Least recently learnt first.
    entries: Mutex<Vec<Entry>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    server: String,
    protocol: String,
}

impl Memory {
    /// What is remembered in this folder of the user's. A file that cannot be read is
    /// an empty memory.
    pub fn load(state: &Path) -> Self {
        let path = state.join(FILE);
        let sane = fs::metadata(&path).is_ok_and(|data| data.is_file() && data.len() <= FILE_LIMIT);
        let text = sane.then(|| fs::read(&path).ok()).flatten();
        let entries = text.and_then(|text| serde_json::from_slice(&text).ok());
        Self {
            folder: Some(state.to_path_buf()),
            entries: Mutex::new(entries.unwrap_or_default()),
        }
    }

    /// A memory that ends with the process.
    #[cfg(test)]
    pub fn fleeting() -> Self {
        Self {
            folder: None,
            entries: Mutex::default(),
        }
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an endpoint is remembered by: nothing secret can be read from it.
    pub fn key(endpoint: &Endpoint) -> String {
        let (kind, mut words) = match endpoint {
            Endpoint::Stdio { program, args, .. } => {
                let program = program.as_os_str().as_encoded_bytes();
                let args = args.iter().map(String::as_bytes);
                ("stdio", std::iter::once(program).chain(args).collect())
            }
            Endpoint::Http { url, .. } => ("http", vec![url.as_bytes()]),
        };
        words.push(b"");
        format!("{kind}-{:016x}", hash(&words.join(&0)))
    }

    /// What worked with this server last.
    pub fn recall(&self, key: &str) -> Option<Life> {
        let entries = self.entries();
        let protocol = &entries.iter().find(|entry| entry.server == key)?.protocol;
        let protocol = protocol.clone();
        match protocol.as_str() {
            STATELESS => Some(Life::Stateless { protocol }),
            version if OPENED.contains(&version) => Some(Life::Opened { protocol }),
            _ => None,
        }
    }

    /// This worked.
    pub fn learn(&self, key: &str, life: &Life) {
        let entry = Entry {
            server: key.to_owned(),
            protocol: life.protocol().to_owned(),
        };
        let mut entries = self.entries();
        if entries.contains(&entry) {
            return;
        }
        entries.retain(|known| known.server != key);
        entries.push(entry);
        let surplus = entries.len().saturating_sub(LIMIT);
        entries.drain(..surplus);
        if let Some(folder) = &self.folder {
            // Not to be able to remember costs a moment at the next start, no more.
            let _ = save(folder, &entries);
        }
    }
}

/// Written beside its place and moved there, so that nobody reads half of it.
fn save(folder: &Path, entries: &[Entry]) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, entries)?;
    file.flush()?;
    file.persist(folder.join(FILE))?;
    Ok(())
}

/// A hash that stays the same across builds, unlike the standard library's (FNV-1a).
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn stateless() -> Life {
        Life::Stateless {
            protocol: STATELESS.to_owned(),
        }
    }

    #[test]
    fn what_was_learnt_is_there_after_a_restart_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("mcpx");
        let memory = Memory::load(&state);
        assert_eq!(memory.recall("a"), None);
        memory.learn("a", &stateless());
        assert_eq!(Memory::load(&state).recall("a"), Some(stateless()));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&state), 0o700);
        assert_eq!(mode(&state.join(FILE)), 0o600);
    }

    #[test]
    fn it_stays_small_and_forgets_the_oldest() {
        let memory = Memory::fleeting();
        for number in 0..=LIMIT {
            memory.learn(&number.to_string(), &stateless());
        }
        assert_eq!(memory.entries().len(), LIMIT);
        assert_eq!(memory.recall("0"), None);
        assert_eq!(memory.recall("1"), Some(stateless()));
    }

    #[test]
    fn a_spoilt_file_is_an_empty_memory() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "{]").unwrap();
        let memory = Memory::load(folder.path());
        assert_eq!(memory.recall("a"), None);
        memory.learn("a", &stateless());
        assert_eq!(Memory::load(folder.path()).recall("a"), Some(stateless()));
    }

    #[test]
    fn a_key_tells_endpoints_apart_and_keeps_their_secrets() {
        let stdio = |args: &[&str]| {
            Memory::key(&Endpoint::Stdio {
                program: "/bin/server".into(),
                args: args.iter().map(|&arg| arg.to_owned()).collect(),
                environment: Vec::new(),
                folder: "/".into(),
            })
        };
        let http = Memory::key(&Endpoint::Http {
            url: "https://user:secret@host/mcp".to_owned(),
            headers: BTreeMap::new(),
            ca_file: None,
            proxies: Vec::new(),
        });
        assert_ne!(stdio(&["ab"]), stdio(&["a", "b"]));
        assert_eq!(stdio(&["--token=secret"]), stdio(&["--token=secret"]));
        assert!(!stdio(&["--token=secret"]).contains("secret"));
        assert!(!http.contains("secret"));
    }
}
