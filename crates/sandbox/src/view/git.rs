//! What of a Git repository becomes code, and where a working tree's repository is.
//!
//! Hooks and settings run commands at the next `git status`; so does whatever the
//! settings point to, and files that point to other settings.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::protected::Kept;

/// Parts of a repository that become code or lead to it. Links among them could be
/// replaced, which makes all of the repository read-only.
const PARTS: &[&str] = &[
    "hooks",
    "config",
    "config.worktree",
    "commondir",
    "worktrees",
];

/// What a working tree changes in the repository that it belongs to.
const SHARED_BY_TREES: &[&str] = &["objects", "refs", "logs"];

/// Repositories of submodules that are looked at one by one, and how deep their names go.
const MOST_MODULES: usize = 64;
const DEEPEST_MODULE: usize = 6;

/// By which a submodule's repository is known; the last two cannot be taken away.
const MARKS: [&str; 3] = ["HEAD", "config", "hooks"];

const LONGEST_FILE: u64 = 256 * 1024;

/// Keeps what `repository`, the `.git` of `root`, has that becomes code.
pub fn keep(root: &Path, repository: &Path, home: Option<&Path>, kept: &mut Kept) {
    if repository.is_dir() {
        keep_folder(repository, kept);
        keep_what_settings_name(root, repository, home, kept);
    } else {
        kept.protected.push(repository.to_owned());
        keep_elsewhere(root, repository, home, kept);
    }
}

/// The same for a folder that is a repository, or could be made one again: a program
/// may have taken away what Git knows it by.
pub fn keep_folder(repository: &Path, kept: &mut Kept) {
    if !repository.is_dir() {
        return;
    }
    let hooks = repository.join("hooks");
    if !exists(&hooks) {
        // An empty folder as `git init` makes one: what is not there cannot be kept.
        // Where it cannot be made, the program cannot make it either.
        let _ = std::fs::create_dir(&hooks);
    }
    let parts: Vec<_> = PARTS.iter().map(|part| repository.join(part)).collect();
    if parts.iter().any(|part| part.is_symlink()) {
        kept.protected.push(repository.to_owned());
        return;
    }
    kept.protected
        .extend(parts.into_iter().filter(|part| exists(part)));

    let modules = repository.join("modules");
    let mut left = MOST_MODULES;
    let mut of_modules = Kept::default();
    if keep_modules(&modules, DEEPEST_MODULE, &mut left, &mut of_modules) {
        kept.protected.append(&mut of_modules.protected);
    } else if modules.is_dir() {
        kept.protected.push(modules);
    }
}

/// Removes what a program put into a repository of `protected` to make Git read other
/// settings than the protected ones, and says what. Nobody else puts it there: Git
/// itself writes `commondir` only into the folders of further working trees.
pub fn sweep(protected: &[PathBuf]) -> Vec<PathBuf> {
    let settings = protected.iter().filter(|path| path.ends_with("config"));
    let repositories = settings.filter_map(|path| path.parent());
    repositories
        // The program could have put a link to somebody else's in its place.
        .filter(|repository| {
            repository
                .canonicalize()
                .is_ok_and(|real| real == *repository)
        })
        .map(|repository| repository.join("commondir"))
        .filter(|planted| !protected.contains(planted) && std::fs::remove_file(planted).is_ok())
        .collect()
}

/// Whether all repositories below `folder` were seen.
fn keep_modules(folder: &Path, depth: usize, left: &mut usize, kept: &mut Kept) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return !exists(folder);
    };
    if depth == 0 {
        return false;
    }
    for entry in entries.flatten() {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let path = entry.path();
        if path.is_symlink() {
            return false;
        }
        if !path.is_dir() {
            continue;
        }
        if MARKS.iter().any(|mark| exists(&path.join(mark))) {
            keep_folder(&path, kept);
        } else if !keep_modules(&path, depth - 1, left, kept) {
            return false;
        }
    }
    true
}

/// Hooks and further settings that lie in the working tree.
fn keep_what_settings_name(root: &Path, repository: &Path, home: Option<&Path>, kept: &mut Kept) {
    let Some(settings) = text(&repository.join("config")) else {
        return;
    };
    for (section, key, value) in Settings::new(&settings) {
        // Hooks are relative to where they run, further settings to these.
        let base = match (section.as_str(), key.as_str()) {
            ("core", "hookspath") => root,
            ("include" | "includeif", "path") => repository,
            _ => continue,
        };
        let path = match (value.strip_prefix("~/"), home) {
            (Some(below), Some(home)) => home.join(below),
            _ => base.join(value),
        };
        if !exists(&path) && is_within(&path, root) {
            // Empty it means the same to Git, and what is not there cannot be kept.
            let _ = match key.as_str() {
                "hookspath" => std::fs::create_dir_all(&path),
                _ => make_empty(&path),
            };
        }
        if let Ok(path) = path.canonicalize()
            && path != root
        {
            kept.protected.push(path);
        }
    }
}

/// `.git` is a file that names a folder: of a further working tree, or of a submodule.
/// It is believed only where that folder names this tree in turn: a file alone could
/// name anything.
fn keep_elsewhere(root: &Path, pointer: &Path, home: Option<&Path>, kept: &mut Kept) {
    let Some(repository) = text(pointer)
        .and_then(|text| Some(root.join(text.strip_prefix("gitdir:")?.trim())))
        .and_then(|path| path.canonicalize().ok())
    else {
        return;
    };
    let names_this_tree = |named: PathBuf| named.canonicalize().is_ok_and(|named| named == root);

    let common = repository
        .parent()
        .filter(|above| above.ends_with("worktrees"));
    if let Some(common) = common.and_then(Path::parent) {
        let back = text(&repository.join("gitdir")).map(|back| repository.join(back.trim()));
        let back = back.as_deref().and_then(Path::parent).map(Path::to_owned);
        if !common.join("HEAD").is_file() || !back.is_some_and(names_this_tree) {
            return;
        }
        for part in SHARED_BY_TREES {
            if let Ok(part) = common.join(part).canonicalize()
                && part.starts_with(common)
            {
                kept.repository_writable.push(part);
            }
        }
        for part in ["commondir", "gitdir", "config.worktree"] {
            let part = repository.join(part);
            if exists(&part) {
                kept.protected.push(part);
            }
        }
        keep_what_settings_name(root, common, home, kept);
        kept.repository_readable.push(common.to_owned());
        kept.repository_writable.push(repository);
        return;
    }

    let settings = text(&repository.join("config")).unwrap_or_default();
    let tree = Settings::new(&settings)
        .find(|(section, key, _)| section == "core" && key == "worktree")
        .map(|(_, _, value)| repository.join(value));
    if repository.join("HEAD").is_file() && tree.is_some_and(names_this_tree) {
        keep_folder(&repository, kept);
        keep_what_settings_name(root, &repository, home, kept);
        kept.repository_writable.push(repository);
    }
}

/// Whether `path` would be made below `root`, by a way that no link leads away from.
fn is_within(path: &Path, root: &Path) -> bool {
    let there = path.ancestors().find_map(|above| above.canonicalize().ok());
    there.is_some_and(|there| there.starts_with(root))
}

fn make_empty(file: &Path) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::File::create_new(file).map(drop)
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// What a file says, whatever its encoding. Never waits: a pipe in its place is no file.
fn text(path: &Path) -> Option<String> {
    let file = super::open_without_waiting(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LONGEST_FILE).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The entries of a settings file: section and key in lower case, and the value.
struct Settings<'a> {
    lines: std::str::Lines<'a>,
    section: String,
}

impl<'a> Settings<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines(),
            section: String::new(),
        }
    }
}

impl<'a> Iterator for Settings<'a> {
    type Item = (String, String, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut line = self.lines.next()?.trim();
            if let Some(header) = line.strip_prefix('[') {
                let (name, rest) = header.split_once(']').unwrap_or((header, ""));
                let name = name.split([' ', '\t', '"']).next().unwrap_or_default();
                self.section = name.to_ascii_lowercase();
                line = rest.trim();
            }
            if let Some((key, value)) = line.split_once('=') {
                let value = value.trim();
                let value = match value.strip_prefix('"') {
                    Some(quoted) => quoted.split('"').next().unwrap_or_default(),
                    None => value
                        .split([';', '#'])
                        .next()
                        .unwrap_or_default()
                        .trim_end(),
                };
                let key = key.trim().to_ascii_lowercase();
                return Some((self.section.clone(), key, value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_git_writes_them() {
        let text = "[core]\n\tbare = false\n\thooksPath = .hooks # mine\n\
                    [includeIf \"gitdir:~/work/\"] path = \"../a b\"\n; path = no\n[Core]worktree=../..";
        let entries: Vec<_> = Settings::new(text).collect();
        let expected = [
            ("core", "bare", "false"),
            ("core", "hookspath", ".hooks"),
            ("includeif", "path", "../a b"),
            ("includeif", "; path", "no"),
            ("core", "worktree", "../.."),
        ];
        let entries: Vec<_> = entries
            .iter()
            .map(|(section, key, value)| (section.as_str(), key.as_str(), *value))
            .collect();
        assert_eq!(entries, expected);
    }
}
