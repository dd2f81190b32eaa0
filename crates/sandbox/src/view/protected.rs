//! What lies where a program may write and would become code outside of the sandbox:
//! the next commit, the next shell, the next folder opened in an editor would run it.
//!
//! Protected is what is there. What is not there can be made: a source file becomes
//! code as well, and no list can tell. Workflows that run elsewhere after a push
//! (`.github`) are source in that sense, and so is a repository within a folder.

use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::{ViewError, git, refused};

/// In each folder that may be written. A link of these names is refused: nothing could
/// keep the program from putting something else in its place.
const IN_A_PROJECT: &[&str] = &[
    // Definitions and settings of tools like this one.
    ".argway",
    "argway.kdl",
    ".slop-mcp",
    ".mcp.json",
    // Editors.
    ".cursor",
    ".devcontainer",
    ".dir-locals.el",
    ".exrc",
    ".fleet",
    ".helix",
    ".idea",
    ".nvim.lua",
    ".nvimrc",
    ".vim",
    ".vimrc",
    ".vs",
    ".vscode",
    ".zed",
    // Agents.
    ".claude",
    ".codex",
    ".gemini",
    ".windsurf",
    // Shells and hooks.
    ".envrc",
    ".githooks",
    ".husky",
    ".mise.toml",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "mise.toml",
];

/// In the caller's home, where that may be written. Links are common there: they are
/// protected, and so is what they lead to.
const AT_HOME: &[&str] = &[
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cargo/bin",
    ".cargo/config.toml",
    ".claude/settings.json",
    ".config/autostart",
    ".config/direnv",
    ".config/environment.d",
    ".config/fish",
    ".config/git",
    ".config/nvim",
    ".config/systemd",
    ".cursor",
    ".emacs",
    ".emacs.d",
    ".gitconfig",
    ".local/bin",
    ".local/share/systemd",
    ".pam_environment",
    ".profile",
    ".ssh",
    ".vim",
    ".vimrc",
    ".vscode",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "Library/LaunchAgents",
    "bin",
];

/// Nobody works within these.
const CLOSED: &[&str] = &[".git", ".argway", ".slop-mcp"];
const CLOSED_AT_HOME: &[&str] = &[".ssh"];

/// What argway and its kin believe without asking: settings, what was trusted, what
/// was read of programs. By the variable that names the folder that they are in, and
/// where that is in a home otherwise.
const BELIEVED: &[(&str, &str, &str)] = &[
    ("XDG_CONFIG_HOME", ".config", "argway"),
    ("XDG_CONFIG_HOME", ".config", "slop-mcp"),
    ("XDG_CONFIG_HOME", ".config", "mcpx"),
    ("XDG_STATE_HOME", ".local/state", "argway"),
    ("XDG_CACHE_HOME", ".cache", "argway"),
    ("XDG_CACHE_HOME", ".cache", "mcpx"),
];

/// Where a user's programs look.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Folders of which everything is believed; they need not be there.
    believed: Vec<PathBuf>,
    /// Links that lead to them from a home.
    links: Vec<PathBuf>,
    /// Folders from which programs are started by their names.
    programs: Vec<PathBuf>,
}

impl Surroundings {
    /// Those of a user with this home, canonical as far as they are there.
    pub fn new(home: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let believed = BELIEVED.iter().filter_map(|(name, below, folder)| {
            let named = variable(name).map(PathBuf::from);
            let named = named.filter(|path| path.is_absolute());
            let base = named.or_else(|| Some(home?.join(below)))?;
            Some(base.join(folder))
        });
        let believed: Vec<PathBuf> = believed.collect();
        let below_home = |path: &&PathBuf| home.is_some_and(|home| path.starts_with(home));
        let below_home = believed.iter().filter(below_home);
        let links = below_home.flat_map(|path| links(home, path));
        let path = variable("PATH").unwrap_or_default();
        let programs = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
        Self {
            links: links.collect(),
            believed: believed.iter().map(|folder| real(folder)).collect(),
            programs: programs.map(|folder| real(&folder)).collect(),
        }
    }

    /// Makes those that are missing within `writable`, empty: what is not there cannot
    /// be kept. Where one cannot be made, a program cannot make it either.
    fn keep(&self, writable: &[PathBuf], home: Option<&Path>, kept: &mut Kept) {
        let within = |path: &Path, root: &PathBuf| path.starts_with(root) && path != root;
        let believed = self.believed.iter();
        let believed = believed.filter(|path| writable.iter().any(|root| within(path, root)));
        // A project's own are its own; those of a home are everybody's.
        let whole_home = home.filter(|home| writable.iter().any(|root| root == home));
        let programs = self.programs.iter().filter(|path| {
            let others = writable.iter().filter(|root| Some(root.as_path()) != home);
            let mut others = others.filter(|root| path.starts_with(root));
            whole_home.is_some_and(|home| path.starts_with(home) && *path != home)
                && others.next().is_none()
        });
        let links = self.links.iter();
        let links = links.filter(|path| writable.iter().any(|root| within(path, root)));
        kept.protected.extend(links.cloned());
        for folder in believed.chain(programs) {
            let mut maker = std::fs::DirBuilder::new();
            let _ = maker.recursive(true).mode(0o700).create(folder);
            if folder.is_dir() {
                kept.protected.push(folder.clone());
            }
        }
    }
}

/// `path` with the links followed that are there.
fn real(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| {
        let below = path.strip_prefix(above).ok()?;
        Some((above.canonicalize().ok()?, below))
    });
    match there {
        Some((there, below)) if !below.as_os_str().is_empty() => there.join(below),
        Some((there, _)) => there,
        None => path.to_owned(),
    }
}

/// What is protected, and what a repository that lies elsewhere needs.
#[derive(Debug, Default)]
pub struct Kept {
    /// Existing paths that may not be changed.
    pub protected: Vec<PathBuf>,
    /// Parts of the repository that a working tree belongs to.
    pub repository_writable: Vec<PathBuf>,
    /// The rest of it.
    pub repository_readable: Vec<PathBuf>,
}

/// What is to be kept within `writable`, which is canonical.
pub fn within(
    writable: &[PathBuf],
    home: Option<&Path>,
    surroundings: &Surroundings,
) -> Result<Kept, ViewError> {
    let mut kept = Kept::default();
    surroundings.keep(writable, home, &mut kept);
    for root in writable.iter().filter(|root| root.is_dir()) {
        if Some(root.as_path()) == home {
            git::keep_folder(&root.join(".git"), &mut kept);
            continue;
        }
        for name in IN_A_PROJECT {
            if let Some(path) = unlinked(root, name)? {
                kept.protected.push(path);
            }
        }
        if let Some(repository) = unlinked(root, ".git")? {
            git::keep(root, &repository, home, &mut kept);
        }
    }
    let at_home = home.into_iter().flat_map(|home| {
        let names = AT_HOME.iter().map(move |name| home.join(name));
        names
            .filter(|path| path.symlink_metadata().is_ok())
            .flat_map(move |path| {
                let target = path.canonicalize().ok();
                links(Some(home), &path).into_iter().chain(target)
            })
    });
    for path in at_home {
        if writable
            .iter()
            .any(|root| path.starts_with(root) && path != *root)
        {
            kept.protected.push(path);
        }
    }
    Ok(kept)
}

/// What protected thing `path`, which is canonical, is or lies within.
pub fn holder(path: &Path, home: Option<&Path>, surroundings: &Surroundings) -> Option<PathBuf> {
    let closed = path
        .ancestors()
        .find(|holder| CLOSED.iter().any(|name| holder.ends_with(name)));
    let at_home = || {
        let home = home?;
        let names = CLOSED_AT_HOME.iter().map(|name| home.join(name));
        names.into_iter().find(|closed| path.starts_with(closed))
    };
    let believed = || {
        let mut believed = surroundings.believed.iter();
        believed.find(|folder| path.starts_with(folder)).cloned()
    };
    closed
        .map(Path::to_owned)
        .or_else(at_home)
        .or_else(believed)
}

/// The links on the way from `home` to `path`.
fn links(home: Option<&Path>, path: &Path) -> Vec<PathBuf> {
    let below = path.ancestors().take_while(|above| Some(*above) != home);
    below
        .filter(|above| above.is_symlink())
        .filter_map(|link| Some(link.parent()?.canonicalize().ok()?.join(link.file_name()?)))
        .collect()
}

/// `name` in `root` if it is there.
fn unlinked(root: &Path, name: &str) -> Result<Option<PathBuf>, ViewError> {
    let path = root.join(name);
    match std::fs::symlink_metadata(&path) {
        Err(_) => Ok(None),
        Ok(metadata) if !metadata.is_symlink() => Ok(Some(path)),
        Ok(_) => Err(refused(format_args!(
            "`{}` is a link, which a program could replace, and what it would be replaced with \
             becomes code: put the thing itself there, run in another folder, or say filesystem \
             \"full\"",
            path.display()
        ))),
    }
}
