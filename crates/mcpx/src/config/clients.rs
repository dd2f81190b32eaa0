//! The files of other MCP clients: where they are, which wins, and which are not to
//! be trusted. They are only ever read.
//!
//! [`document`] finds the servers in a file, [`entry`] understands one of them.

mod document;
mod entry;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::disk::{Disk, Found};
use super::template::Dialect;
use super::{Config, Scope, ServerEntry, check};
use crate::paths::{Environment, Places};
use entry::Context;

/// How far up from the caller's folder project files are looked for.
const LEVELS: usize = 64;

/// Files of a folder may be anybody's, and reading them must not take long. The user's
/// own may hold years of history.
const LARGEST_PROJECT: usize = 1 << 20;
const MOST_PROJECT: usize = 200;

/// Where clients keep their files on this system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    Linux,
    Mac,
}

impl System {
    const THIS: Self = match cfg!(target_os = "macos") {
        true => System::Mac,
        false => System::Linux,
    };
}

/// A file that may name servers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// One of the user's, in its usual place.
    Usual,
    /// Named in `fallback_sources`: it is a problem if it is not there.
    Named,
    /// Found in a folder that the caller is in: anybody may have written it.
    Project(PathBuf),
}

/// The servers of other clients' files: of those that `named` lists, or else of the
/// usual ones.
pub fn read(
    disk: &Disk,
    named: Option<&[String]>,
    places: &Places,
    environment: &Environment,
    folder: &Path,
) -> Config {
    let sources = match named {
        Some(names) => named_sources(names, places),
        None => usual_sources(places, environment, folder, System::THIS),
    };
    let mut reading = Reading {
        disk,
        places,
        folder,
        candidates: Vec::new(),
        problems: Vec::new(),
        left_out: BTreeMap::new(),
    };
    for source in &sources {
        if let Err(reason) = reading.source(source) {
            let problem = format!("{}: {reason}", source.path.display());
            reading.problems.push(problem);
        }
    }
    reading.config()
}

fn named_sources(names: &[String], places: &Places) -> Vec<Source> {
    let base = places.config.parent().unwrap_or(Path::new("/"));
    let path = |name: &String| match name.strip_prefix("~/") {
        Some(rest) => places.home.join(rest),
        None => base.join(name),
    };
    let source = |name| Source {
        path: path(name),
        kind: Kind::Named,
    };
    names.iter().map(source).collect()
}

/// Files of the user, then those of the folders that the caller is in, nearest first.
fn usual_sources(
    places: &Places,
    environment: &Environment,
    folder: &Path,
    system: System,
) -> Vec<Source> {
    let home = &places.home;
    let applications = match system {
        System::Linux => places.config_home.clone(),
        System::Mac => home.join("Library/Application Support"),
    };
    let moved = |name: &str, usual: PathBuf| match environment.get(name).map(Path::new) {
        Some(path) if path.is_absolute() => path.to_path_buf(),
        _ => usual,
    };
    let mut paths = vec![
        applications.join("Claude/claude_desktop_config.json"),
        moved("CLAUDE_CONFIG_DIR", home.clone()).join(".claude.json"),
        home.join(".cursor/mcp.json"),
    ];
    let editors = ["Code", "Code - Insiders", "VSCodium"];
    for editor in editors {
        let user = applications.join(editor).join("User");
        paths.extend([user.join("mcp.json"), user.join("settings.json")]);
    }
    paths.push(home.join(".codeium/windsurf/mcp_config.json"));
    for editor in editors {
        let user = applications.join(editor).join("User");
        paths.push(
            user.join("globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
        );
    }
    paths.extend([
        home.join(".cline/data/settings/cline_mcp_settings.json"),
        moved("CODEX_HOME", home.join(".codex")).join("config.toml"),
        home.join(".gemini/settings.json"),
        home.join(".kiro/settings/mcp.json"),
        // Zed follows XDG on every system.
        places.config_home.join("zed/settings.json"),
    ]);
    let mut sources: Vec<Source> = Vec::new();
    for path in paths {
        sources.push(Source {
            path,
            kind: Kind::Usual,
        });
    }
    for root in folder.ancestors().take(LEVELS) {
        for name in [
            ".mcp.json",
            ".cursor/mcp.json",
            ".vscode/mcp.json",
            ".kiro/settings/mcp.json",
            ".gemini/settings.json",
            ".codex/config.toml",
        ] {
            let path = root.join(name);
            // Below HOME, `~/.cursor` is the user's own.
            if sources.iter().all(|source| source.path != path) {
                let kind = Kind::Project(root.to_path_buf());
                sources.push(Source { path, kind });
            }
        }
    }
    sources
}

/// How specific a server is. The less wins. What a folder holds comes last, so that
/// a repository cannot take the name of a server that the user has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The user's, for a folder so many levels up.
    Local(usize),
    User,
    Project,
}

struct Reading<'a> {
    disk: &'a Disk,
    places: &'a Places,
    folder: &'a Path,
    candidates: Vec<(Rank, ServerEntry)>,
    problems: Vec<String>,
    left_out: BTreeMap<String, String>,
}

impl Reading<'_> {
    fn source(&mut self, source: &Source) -> Result<(), String> {
        let found = match (self.disk.read(&source.path)?, &source.kind) {
            (Some(found), _) => found,
            (None, Kind::Named) => {
                return Err("is named in `fallback_sources`, but is not there".to_owned());
            }
            (None, _) => return Ok(()),
        };
        if matches!(source.kind, Kind::Project(_)) {
            trust(&source.path, &found)?;
            if found.text.len() > LARGEST_PROJECT {
                let most = LARGEST_PROJECT >> 20;
                return Err(format!("is not read: a project's file may have {most} MiB"));
            }
        }
        let document = document::read(&source.path, &found.text)?;
        let count: usize = document.servers.iter().map(|servers| servers.len()).sum();
        if matches!(source.kind, Kind::Project(_)) && count > MOST_PROJECT {
            return Err(format!(
                "is not read: it names {count} servers, and a project's file may name {MOST_PROJECT}"
            ));
        }
        if matches!(source.kind, Kind::Named) && document.is_empty() {
            return Err(
                "names no servers; it has none of `mcpServers`, `servers`, `mcp.servers`, `context_servers` and `mcp_servers`"
                    .to_owned(),
            );
        }
        // Only a file of the user's can speak for folders: one that lies in a folder would
        // pass for the user's word, and take the names of the user's own servers.
        let projects = match &source.kind {
            Kind::Usual | Kind::Named => document.projects,
            Kind::Project(_) => Vec::new(),
        };
        for (project, servers) in projects {
            let levels = self.folder.ancestors();
            let Some(level) = levels.take(LEVELS).position(|folder| folder == project) else {
                continue;
            };
            let root = Some(project.as_path());
            self.servers(source, servers, Rank::Local(level), root);
        }
        for servers in document.servers {
            match &source.kind {
                Kind::Project(root) => self.servers(source, servers, Rank::Project, Some(root)),
                Kind::Usual | Kind::Named => self.servers(source, servers, Rank::User, None),
            }
        }
        self.problems.extend(
            document
                .problems
                .into_iter()
                .map(|problem| format!("{}: {problem}", source.path.display())),
        );
        Ok(())
    }

    fn servers(
        &mut self,
        source: &Source,
        servers: document::Servers,
        rank: Rank,
        root: Option<&Path>,
    ) {
        let in_gemini = source
            .path
            .parent()
            .is_some_and(|folder| folder.ends_with(".gemini"));
        let context = Context {
            disk: self.disk,
            root,
            dialect: Dialect {
                home: &self.places.home,
                workspace: root.unwrap_or(self.folder),
                bare: in_gemini,
            },
        };
        for (name, value) in servers {
            let entry = usable_name(&name).and_then(|name| {
                let endpoint = entry::read(&value, &context)?;
                Ok(endpoint.map(|endpoint| ServerEntry {
                    name,
                    origin: Some(source.path.clone()),
                    scope: match rank {
                        Rank::Project => Scope::Project,
                        Rank::Local(_) | Rank::User => Scope::User,
                    },
                    endpoint,
                    settings: Default::default(),
                }))
            });
            match entry {
                Ok(Some(entry)) => self.candidates.push((rank, entry)),
                Ok(None) => {
                    let why = format!("{} switches it off", source.path.display());
                    self.left_out.insert(name, why);
                }
                Err(reason) => {
                    let file = source.path.display();
                    self.problems.push(format!(
                        "{file}: the server `{}` is left out: {reason}",
                        name.escape_debug()
                    ));
                    self.left_out.insert(name, format!("{file}: {reason}"));
                }
            }
        }
    }

    fn config(mut self) -> Config {
        let mut config = Config::default();
        self.candidates.sort_by_key(|(rank, _)| *rank);
        for (_, entry) in self.candidates {
            if let Some(first) = config.servers.get(&entry.name) {
                if first.origin == entry.origin {
                    continue;
                }
                let note = format!(
                    "the server `{}` of {} is used, not that of {}",
                    entry.name,
                    shown(first),
                    shown(&entry)
                );
                config.notes.push(note);
                continue;
            }
            config.servers.insert(entry.name.clone(), entry);
        }
        config.problems = self.problems;
        config.left_out = self.left_out;
        config
    }
}

fn shown(entry: &ServerEntry) -> String {
    let origin = entry.origin.as_deref().unwrap_or(Path::new(""));
    origin.display().to_string()
}

/// Some clients call servers by whole paths (`github.com/org/repo/src/github`): the
/// last part is the name then.
fn usable_name(name: &str) -> Result<String, String> {
    let last = name
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(name);
    check::server_name(last)?;
    Ok(last.to_owned())
}

/// Whether a file that lies in a folder may say what is run. It is the user's or the
/// system's, and nobody else can write to it.
fn trust(path: &Path, found: &Found) -> Result<(), String> {
    let user = rustix::process::geteuid().as_raw();
    let link = std::fs::symlink_metadata(path).map_err(|error| error.to_string())?;
    let owners = [found.owner, std::os::unix::fs::MetadataExt::uid(&link)];
    let group = rustix::process::getegid().as_raw();
    trust_facts(owners, found.mode, found.group == group, user)
}

fn trust_facts(owners: [u32; 2], mode: u32, own_group: bool, user: u32) -> Result<(), String> {
    if let Some(owner) = owners.into_iter().find(|owner| ![user, 0].contains(owner)) {
        return Err(format!(
            "is not read, because it belongs to the user {owner}; a project's file can start programs, so it has to be yours"
        ));
    }
    // Where every user has a group of their own, files are often writable by it.
    let forbidden = if own_group { 0o002 } else { 0o022 };
    match mode & forbidden {
        0 => Ok(()),
        _ => Err(format!(
            "is not read, because others can write to it (mode {:04o}); a project's file can start programs: chmod go-w",
            mode & 0o7777
        )),
    }
}

#[cfg(test)]
mod tests;
