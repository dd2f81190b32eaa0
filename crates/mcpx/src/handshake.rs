//! The state file beside the socket: the nonces by which client and daemon know that
//! they are of one user, and a little about the daemon.
//!
//! Each side says its half and expects the other. Who cannot read the file can neither
//! pass for the daemon nor use it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::process::geteuid;

/// A number that nobody can guess.
pub type Nonce = [u8; 16];

/// What the state file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nonces {
    /// What the daemon says.
    pub daemon: Nonce,
    /// What a client says.
    pub client: Nonce,
    /// The daemon's process.
    pub pid: u32,
    /// What the daemon was built from.
    pub build: String,
}

/// The file is a few lines; whatever is longer is something else.
const LONGEST_FILE: usize = 1 << 10;

impl Nonces {
    /// New ones, for this process.
    pub fn fresh() -> io::Result<Self> {
        let mut random = [0; 32];
        File::open("/dev/urandom")?.read_exact(&mut random)?;
        let (mut daemon, mut client) = ([0; 16], [0; 16]);
        daemon.copy_from_slice(&random[..16]);
        client.copy_from_slice(&random[16..]);
        Ok(Self {
            daemon,
            client,
            pid: std::process::id(),
            build: crate::BUILD.to_owned(),
        })
    }

    /// What a file says. Nothing where there is none, or one that is not ours alone:
    /// then nobody listens that could be trusted.
    pub fn read(path: &Path) -> Option<Self> {
        // A link is not followed, and a pipe not waited for.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(flags.bits() as i32);
        let mut file = options.open(path).ok()?;
        let found = file.metadata().ok()?;
        if !found.is_file() || found.uid() != geteuid().as_raw() || found.mode() & 0o077 != 0 {
            return None;
        }
        // One read: it was written all at once.
        let mut bytes = [0; LONGEST_FILE];
        let count = file.read(&mut bytes).ok()?;
        Self::parse(std::str::from_utf8(&bytes[..count]).ok()?)
    }

    /// Writes the file, for its owner alone, all at once.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let beside = path.with_extension(format!("state.{}", self.pid));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        // A process of the same number may have died here.
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let written = options.open(&beside).and_then(|mut file| {
            file.write_all(self.text().as_bytes())?;
            fs::rename(&beside, path)
        });
        if written.is_err() {
            _ = fs::remove_file(&beside);
        }
        written
    }

    fn text(&self) -> String {
        let Self {
            daemon,
            client,
            pid,
            build,
        } = self;
        let (daemon, client) = (u128::from_be_bytes(*daemon), u128::from_be_bytes(*client));
        format!("daemon {daemon:032x}\nclient {client:032x}\npid {pid}\nbuild {build}\n")
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut value = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        Some(Self {
            daemon: nonce(value("daemon")?)?,
            client: nonce(value("client")?)?,
            pid: value("pid")?.parse().ok()?,
            build: value("build")?.to_owned(),
        })
    }
}

fn nonce(text: &str) -> Option<Nonce> {
    let plain = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u128::from_str_radix(text, 16).ok().filter(|_| plain)?;
    Some(number.to_be_bytes())
}

/// Whether two nonces are one, in a time that does not tell where they differ.
pub fn same(one: &Nonce, other: &Nonce) -> bool {
    let differences = one.iter().zip(other).map(|(one, other)| one ^ other);
    std::hint::black_box(differences.fold(0, |all, bits| all | bits)) == 0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_is_written_is_read_by_its_owner() {
        let world = tempfile::tempdir().unwrap();
        let path = world.path().join("mcpx.state");
        let nonces = Nonces::fresh().unwrap();
        nonces.write(&path).unwrap();
        assert_eq!(Nonces::read(&path), Some(nonces.clone()));
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(world.path()).unwrap().count(), 1);

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(Nonces::read(&path), None);
    }

    #[test]
    fn nobody_guesses_the_next() {
        let (one, other) = (Nonces::fresh().unwrap(), Nonces::fresh().unwrap());
        assert_ne!(one.daemon, other.daemon);
        assert_ne!(one.client, other.client);
        assert_ne!(one.daemon, one.client);
    }

    #[test]
    fn a_file_that_says_something_else_says_nothing() {
        let whole = Nonces::fresh().unwrap().text();
        for length in 0..whole.rfind(' ').unwrap() {
            assert_eq!(Nonces::parse(&whole[..length]), None, "{length}");
        }
        for wrong in ["", "daemon +1", "daemon x\nclient y\npid 1\nbuild z"] {
            assert_eq!(Nonces::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Nonces::parse(&whole.replace("daemon ", "daemon +")), None);
    }

    #[test]
    fn a_link_is_not_followed() {
        let world = tempfile::tempdir().unwrap();
        let (real, link) = (world.path().join("real"), world.path().join("mcpx.state"));
        Nonces::fresh().unwrap().write(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(Nonces::read(&link), None);
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let world = tempfile::tempdir().unwrap();
        let pipe = world.path().join("mcpx.state");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        rustix::fs::chmod(&pipe, mode).unwrap();
        assert_eq!(Nonces::read(&pipe), None);
    }

    #[test]
    fn one_wrong_bit_is_another_nonce() {
        let nonce = [5; 16];
        assert!(same(&nonce, &nonce));
        for byte in 0..16 {
            let mut other = nonce;
            other[byte] ^= 0x80;
            assert!(!same(&nonce, &other));
        }
    }
}
