//! What of the system every program sees, so that it starts and knows users, hosts,
//! times and certificates.
//!
//! Of `/etc` only what is listed, and of that only what everybody may read: root may
//! read its secrets, and a program that root starts must not.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

#[cfg(not(target_os = "macos"))]
const FOLDERS: &[&str] = &[
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
];
#[cfg(target_os = "macos")]
const FOLDERS: &[&str] = &[
    "/System",
    "/usr",
    "/bin",
    "/sbin",
    "/Library/Apple",
    "/Library/Developer/CommandLineTools",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
];

/// For every program.
const ETC: &[&str] = &[
    // The loader.
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "ld.so.preload",
    "ld-musl-x86_64.path",
    "ld-musl-aarch64.path",
    "alternatives",
    // Users, hosts, time, language, terminals.
    "passwd",
    "group",
    "nsswitch.conf",
    "hosts",
    "resolv.conf",
    "localtime",
    "timezone",
    "locale.conf",
    "os-release",
    "lsb-release",
    "debian_version",
    "terminfo",
    // Certificates and what the libraries that read them are told.
    "ssl/certs",
    "ssl/cert.pem",
    "ssl/openssl.cnf",
    "ca-certificates",
    "pki/tls/certs",
    "pki/tls/cert.pem",
    "pki/tls/openssl.cnf",
    "pki/ca-trust",
    "crypto-policies",
    // Programs that do not start without.
    "fonts",
    "gitconfig",
];

/// The same, for every version: `java-17-openjdk`, `python3.11`.
const ETC_FAMILIES: &[&str] = &["java-", "python3", "ImageMagick-"];

/// Beyond that for those who use the network.
const ETC_NETWORK: &[&str] = &["gai.conf", "host.conf", "networks", "protocols", "services"];

/// Too much to write in: as they are, and what holds one of them.
const SHARED: &[&str] = &[
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/bin",
    "/boot",
    "/etc",
    "/gnu",
    "/home",
    "/lib",
    "/lib64",
    "/nix",
    "/opt",
    "/private/etc",
    "/private/tmp",
    "/private/var",
    "/root",
    "/run",
    "/sbin",
    "/snap",
    "/srv",
    "/tmp",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/sbin",
    "/usr/share",
    "/var",
    "/var/lib",
    "/var/tmp",
];

/// What was found, and when `/` and `/etc` had last been changed by then.
struct Found {
    changed: [Option<(i64, i64)>; 2],
    paths: Vec<PathBuf>,
}

/// Without and with the network.
static FOUND: [Mutex<Option<Found>>; 2] = [const { Mutex::new(None) }; 2];

/// What every program may read, canonical. Every call asks, and the answer takes a
/// hundred looks at the disk, so it is kept until the system's folders change.
pub fn readable(network: bool) -> Vec<PathBuf> {
    let changed = ["/", "/etc"].map(|folder| {
        let metadata = std::fs::metadata(folder).ok()?;
        Some((metadata.mtime(), metadata.mtime_nsec()))
    });
    let mut found = FOUND[usize::from(network)]
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let fresh = found.take().filter(|found| found.changed == changed);
    let found = found.insert(fresh.unwrap_or_else(|| Found {
        changed,
        paths: find(network),
    }));
    found.paths.clone()
}

fn find(network: bool) -> Vec<PathBuf> {
    let folders = FOLDERS
        .iter()
        .filter_map(|folder| Path::new(folder).canonicalize().ok());
    let etc = etc(network).into_iter().filter(|path| is_public(path));
    let etc = etc.filter_map(|path| path.canonicalize().ok());
    folders.chain(etc).collect()
}

/// Names of the system that are links, such as `/bin`, and the canonical paths that
/// they stand for: a root that is made of a view's paths needs them too.
pub fn links() -> Vec<(PathBuf, PathBuf)> {
    let names = FOLDERS.iter().map(PathBuf::from).chain(etc(true));
    names
        .filter_map(|name| {
            let target = name.canonicalize().ok()?;
            (target != name).then_some((name, target))
        })
        .collect()
}

/// Whether `path` is a folder of everybody, or holds one.
pub fn is_shared(path: &Path) -> bool {
    SHARED
        .iter()
        .any(|shared| Path::new(shared).starts_with(path))
}

fn etc(network: bool) -> Vec<PathBuf> {
    let etc = Path::new("/etc");
    let more = if network { ETC_NETWORK } else { &[] };
    let mut paths: Vec<_> = ETC.iter().chain(more).map(|name| etc.join(name)).collect();
    let entries = std::fs::read_dir(etc).into_iter().flatten().flatten();
    paths.extend(
        entries
            .filter(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                ETC_FAMILIES.iter().any(|family| name.starts_with(family))
            })
            .map(|entry| entry.path()),
    );
    paths
}

fn is_public(path: &Path) -> bool {
    let wanted = |metadata: &std::fs::Metadata| if metadata.is_dir() { 0o005 } else { 0o004 };
    std::fs::metadata(path).is_ok_and(|metadata| {
        let wanted = wanted(&metadata);
        metadata.mode() & wanted == wanted
    })
}
