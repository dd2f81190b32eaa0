//! Finds a program's file: for a user as the user's shell would, for a definition
//! without ever looking at the folder that somebody happens to be in.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where common tools are installed. A server that a desktop started has a short PATH.
const WELL_KNOWN: [&str; 12] = [
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
    "/usr/local/sbin",
    "/usr/sbin",
    "/sbin",
    "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/opt/local/bin",
    "/snap/bin",
    "/usr/local/go/bin",
    "/usr/lib/go/bin",
];

/// And below the home folder.
const WELL_KNOWN_AT_HOME: [&str; 7] = [
    ".local/bin",
    "bin",
    ".cargo/bin",
    "go/bin",
    ".bun/bin",
    ".deno/bin",
    ".volta/bin",
];

/// Why there is no such program.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// No folder that was searched has it.
    #[error("no program is called `{name}`; looked in {}", .looked.join(", "))]
    NotFound {
        /// What was asked for.
        name: String,
        /// The folders that were searched.
        looked: Vec<String>,
    },
    /// PATH has no folder to look in.
    #[error("no program is called `{0}`: PATH has no absolute folders; give the program's path")]
    EmptyPath(String),
    /// A definition names a file relative to some folder or other.
    #[error(
        "`{0}` is not a command for a definition: write an absolute path, or a name without `/` \
         that is looked for on PATH"
    )]
    Relative(String),
    /// The file is there and cannot be run.
    #[error("{} {reason}", .path.display())]
    NotRunnable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, as the rest of a sentence.
        reason: String,
    },
}

/// The absolute path of the program called `name`: a path as it is, another name
/// from PATH.
pub fn resolve(name: impl AsRef<OsStr>) -> Result<PathBuf, ResolveError> {
    resolve_in(name.as_ref(), std::env::var_os("PATH").as_deref())
}

fn resolve_in(name: &OsStr, path: Option<&OsStr>) -> Result<PathBuf, ResolveError> {
    if name.as_encoded_bytes().contains(&b'/') {
        let given = Path::new(name);
        let not_runnable = |reason: String| ResolveError::NotRunnable {
            path: given.to_path_buf(),
            reason,
        };
        runnable(given).map_err(not_runnable)?;
        // Absolute, because a run in another folder would not find it otherwise.
        return std::path::absolute(given).map_err(|error| not_runnable(error.to_string()));
    }
    search(name, &folders_of(path))
}

/// The absolute path of the command that a definition names: an absolute path as it
/// is, another name from PATH and then from where common tools are installed.
pub fn resolve_command(command: impl AsRef<OsStr>) -> Result<PathBuf, ResolveError> {
    resolve_command_in(
        command.as_ref(),
        std::env::var_os("PATH").as_deref(),
        std::env::home_dir().as_deref(),
    )
}

fn resolve_command_in(
    command: &OsStr,
    path: Option<&OsStr>,
    home: Option<&Path>,
) -> Result<PathBuf, ResolveError> {
    if Path::new(command).is_absolute() {
        return resolve_in(command, path);
    }
    if command.as_encoded_bytes().contains(&b'/') {
        let shown = command.to_string_lossy().into_owned();
        return Err(ResolveError::Relative(shown));
    }
    let mut folders = folders_of(path);
    let homes = WELL_KNOWN_AT_HOME.iter();
    let homes = homes.filter_map(|folder| Some(home?.join(folder)));
    for folder in WELL_KNOWN.iter().map(PathBuf::from).chain(homes) {
        if folder.is_absolute() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    search(command, &folders)
}

/// The folders of PATH. An empty or relative entry would run whatever lies in the
/// current folder.
fn folders_of(path: Option<&OsStr>) -> Vec<PathBuf> {
    let folders = path.map(|path| std::env::split_paths(path).collect::<Vec<_>>());
    let mut folders = folders.unwrap_or_default();
    folders.retain(|folder| folder.is_absolute());
    folders
}

/// The first of `folders` that has a program called `name`.
fn search(name: &OsStr, folders: &[PathBuf]) -> Result<PathBuf, ResolveError> {
    let shown = name.to_string_lossy().into_owned();
    if folders.is_empty() || name.is_empty() {
        return Err(ResolveError::EmptyPath(shown));
    }
    let mut refused = None;
    for folder in folders {
        let path = folder.join(name);
        match runnable(&path) {
            Ok(()) => return Ok(path),
            Err(reason) if path.is_file() => {
                refused.get_or_insert(ResolveError::NotRunnable { path, reason });
            }
            Err(_) => {}
        }
    }
    Err(refused.unwrap_or_else(|| ResolveError::NotFound {
        name: shown,
        looked: folders
            .iter()
            .map(|folder| folder.display().to_string())
            .collect(),
    }))
}

fn runnable(path: &Path) -> Result<(), String> {
    let meta = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        _ => format!("cannot be looked at: {error}"),
    })?;
    if meta.is_dir() {
        return Err("is a folder".to_owned());
    }
    if !meta.is_file() || meta.permissions().mode() & 0o111 == 0 {
        return Err("is not executable".to_owned());
    }
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK)
        .map_err(|_| "may not be run by this user".to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn write(folder: &Path, name: &str, bytes: &[u8], mode: u32) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn a_name_is_found_on_the_path_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        fs::create_dir_all(one.join("folder")).unwrap();
        fs::create_dir_all(&two).unwrap();
        write(&one, "plain", b"", 0o644);
        let plain = write(&two, "plain", b"", 0o755);
        let both = write(&one, "both", b"", 0o755);
        write(&two, "both", b"", 0o755);
        let path =
            std::env::join_paths([Path::new(""), Path::new("relative"), &one, &two]).unwrap();
        let find = |name: &str| resolve_in(OsStr::new(name), Some(&path));
        assert_eq!(find("both").unwrap(), both);
        assert_eq!(find("plain").unwrap(), plain);
        let missing = find("missing").unwrap_err().to_string();
        let looked = format!("{}, {}", one.display(), two.display());
        assert_eq!(
            missing,
            format!("no program is called `missing`; looked in {looked}")
        );
        assert!(
            find("folder")
                .unwrap_err()
                .to_string()
                .contains("looked in")
        );
        assert!(find("").is_err());
    }

    #[test]
    fn the_current_folder_is_never_searched() {
        let error = resolve_in(OsStr::new("Cargo.toml"), Some(OsStr::new(":.::"))).unwrap_err();
        assert!(matches!(error, ResolveError::EmptyPath(_)));
    }

    #[test]
    fn a_path_is_taken_as_it_is_and_made_absolute() {
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path(), "tool", b"", 0o755);
        assert_eq!(resolve_in(path.as_os_str(), None).unwrap(), path);
        let text = write(folder.path(), "text", b"", 0o644);
        let error = |path: &Path| resolve_in(path.as_os_str(), None).unwrap_err().to_string();
        assert_eq!(
            error(&text),
            format!("{} is not executable", text.display())
        );
        assert_eq!(error(Path::new("./nowhere")), "./nowhere does not exist");
        assert_eq!(error(Path::new("/tmp/")), "/tmp/ is a folder");
    }

    #[test]
    fn a_definitions_command_is_a_path_or_on_the_path_or_where_tools_are() {
        let folder = tempfile::tempdir().unwrap();
        let (bin, home) = (folder.path().join("bin"), folder.path().join("home"));
        let cargo = home.join(".cargo/bin");
        fs::create_dir_all(bin.join("folder")).unwrap();
        fs::create_dir_all(&cargo).unwrap();
        let first = write(&bin, "both", b"", 0o755);
        write(&cargo, "both", b"", 0o755);
        let known = write(&cargo, "known-tool", b"", 0o755);
        let text = write(&bin, "only-text", b"", 0o644);
        let link = bin.join("linked");
        symlink("between", &link).unwrap();
        symlink(&known, bin.join("between")).unwrap();
        let path = std::env::join_paths([Path::new("."), Path::new(""), &bin]).unwrap();
        let find = |name: &str| {
            resolve_command_in(OsStr::new(name), Some(&path), Some(&home))
                .map_err(|error| error.to_string())
        };
        assert_eq!(find("both"), Ok(first.clone()));
        assert_eq!(find("known-tool"), Ok(known));
        assert_eq!(find("linked"), Ok(link));
        assert_eq!(find(first.to_str().unwrap()), Ok(first));
        assert_eq!(find("sh").map(|path| path.ends_with("sh")), Ok(true));
        let refused = format!("{} is not executable", text.display());
        assert_eq!(find("only-text"), Err(refused));
        let refused = format!("{} is a folder", bin.display());
        assert_eq!(find(bin.to_str().unwrap()), Err(refused));
        let missing = find("no-such-tool").unwrap_err();
        let looked = format!("looked in {}, /usr/local/bin, /usr/bin", bin.display());
        assert!(missing.contains(&looked), "{missing}");
        assert!(missing.contains(".cargo/bin"), "{missing}");
        assert!(find("folder").unwrap_err().contains("looked in"));
        let gone = find("/no/such/tool").unwrap_err();
        assert_eq!(gone, "/no/such/tool does not exist");
        for relative in ["./both", "bin/both", "../both", "~/both"] {
            let refused = find(relative).unwrap_err();
            let start = format!("`{relative}` is not a command for a definition");
            assert!(refused.starts_with(&start), "{refused}");
        }
        assert!(find("").is_err());
    }
}
