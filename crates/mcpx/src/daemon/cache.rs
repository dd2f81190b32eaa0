//! Answers that may be given again: off unless asked for, for the owner alone, bounded.
//!
//! An answer is a file: a line with its time, length and hash, then the result's bytes
//! as the server sent them. What does not fit that is no answer. Nothing here ever
//! fails a call: what cannot be read is a miss, what cannot be kept is a warning.

mod canonical;
mod sweep;

use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use argway_core::glob;
use ring::digest::{Context as Hash, SHA256, digest};
use rustix::fs::{Mode, OFlags};
use serde_json::value::RawValue;

use crate::config::{Settings, ToolCache};

/// The largest answer that is kept.
const LARGEST: usize = 8 << 20;
/// The line before an answer is never longer.
const HEADER: usize = 256;
/// What the line begins with.
const FORMAT: &str = "mcpx-answer-1";

/// Which call an answer is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(String);

/// An answer that was given before.
#[derive(Debug)]
pub struct Hit {
    /// Exactly as the server sent it.
    pub result: Box<RawValue>,
    /// How long ago.
    pub age: Duration,
}

/// Answers on disk.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// The call of `tool` with `arguments` at the server of this identity. Arguments that
/// mean the same are the same: the order of keys and the space between them do not
/// matter.
pub fn key(identity: &str, tool: &str, arguments: &RawValue) -> Key {
    let mut hash = Hash::new(&SHA256);
    for part in [identity, tool, &canonical::text(arguments)] {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    Key(hex(hash.finish().as_ref()))
}

/// How long answers of `tool` are kept; nothing if they are not. What forbids counts
/// more than what allows: `--no-cache`, and then the configuration, which protects tools
/// that change something. An answer from the cache would be a change that was not made.
pub fn policy(
    settings: &Settings,
    tool: &str,
    cache: Option<Duration>,
    no_cache: bool,
) -> Option<Duration> {
    if no_cache || is_forbidden(settings, tool) {
        return None;
    }
    let own = settings.tools.get(tool).and_then(|tool| tool.cache);
    cache.or(match own {
        Some(ToolCache::For(time)) => Some(time),
        Some(ToolCache::Never) => None,
        None => settings.cache_ttl,
    })
}

/// Whether the configuration says that answers of `tool` are never kept.
pub fn is_forbidden(settings: &Settings, tool: &str) -> bool {
    let own = settings.tools.get(tool).and_then(|tool| tool.cache);
    let globs = &settings.no_cache_tools;
    own == Some(ToolCache::Never) || globs.iter().any(|glob| glob::matches(glob, tool))
}

impl Cache {
    /// Answers in this folder, which is made when one is kept.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The answer to this call, if there is one that is younger than `ttl`.
    pub fn get(&self, key: &Key, ttl: Duration) -> Option<Hit> {
        let bytes = read(&self.path(key)).ok()?;
        let (written, result) = decode(bytes)?;
        // A time in the future is that of another clock: nothing is known of its age.
        let age = SystemTime::now().duration_since(written).ok()?;
        (age < ttl).then_some(Hit { result, age })
    }

    /// Keeps the answer to this call. What went wrong is a sentence for a warning.
    pub fn put(&self, key: &Key, result: &RawValue) -> Result<(), String> {
        let body = result.get().as_bytes();
        if body.len() > LARGEST {
            return Err(format!("the answer is larger than {} MiB", LARGEST >> 20));
        }
        let bytes = encode(SystemTime::now(), body);
        let failed = |error: io::Error| format!("{}: {}", self.folder.display(), plain(&error));
        prepare(&self.folder).map_err(failed)?;
        sweep::make_room(&self.folder, bytes.len() as u64);
        write(&self.path(key), &bytes).map_err(failed)
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{}{}", key.0, sweep::ENDING))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn encode(now: SystemTime, body: &[u8]) -> Vec<u8> {
    let since = now.duration_since(SystemTime::UNIX_EPOCH);
    let milliseconds = since.unwrap_or_default().as_millis();
    let sum = hex(digest(&SHA256, body).as_ref());
    let mut bytes = format!("{FORMAT} {milliseconds} {} {sum}\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// When an answer was written, and the answer; nothing if any of it is damaged.
fn decode(mut bytes: Vec<u8>) -> Option<(SystemTime, Box<RawValue>)> {
    let end = bytes.iter().take(HEADER).position(|byte| *byte == b'\n')?;
    let body = bytes.split_off(end + 1);
    let header = std::str::from_utf8(&bytes[..end]).ok()?;
    let fields: Vec<&str> = header.split(' ').collect();
    let [FORMAT, milliseconds, length, sum] = fields[..] else {
        return None;
    };
    let intact = length.parse() == Ok(body.len()) && sum == hex(digest(&SHA256, &body).as_ref());
    if !intact {
        return None;
    }
    let since = Duration::from_millis(milliseconds.parse().ok()?);
    let written = SystemTime::UNIX_EPOCH.checked_add(since)?;
    let result = RawValue::from_string(String::from_utf8(body).ok()?).ok()?;
    Some((written, result))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    let own = metadata.uid() == rustix::process::geteuid().as_raw();
    let largest = (LARGEST + HEADER) as u64;
    if !metadata.is_file() || !own || metadata.len() > largest {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(largest).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The folder, for the owner alone.
fn prepare(folder: &Path) -> io::Result<()> {
    match folder.metadata() {
        Ok(found) if !found.is_dir() => Err(io::ErrorKind::NotADirectory.into()),
        Ok(found) if found.mode() & 0o077 != 0 => {
            std::fs::set_permissions(folder, Permissions::from_mode(0o700))
        }
        Ok(_) => Ok(()),
        Err(_) => DirBuilder::new().recursive(true).mode(0o700).create(folder),
    }
}

/// What went wrong, without the name of a file that is gone already.
fn plain(error: &io::Error) -> String {
    match error.get_ref() {
        Some(_) => error.kind().to_string(),
        None => error.to_string(),
    }
}

/// All of it or nothing, whoever reads meanwhile. The file is the owner's alone.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::Builder::new()
        .prefix(sweep::UNFINISHED)
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests;
