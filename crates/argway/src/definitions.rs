//! Tools that somebody described by hand: found, judged, trusted, read, and put over
//! each other.
//!
//! Nothing here prints: what a person should know comes back as sentences.

pub mod file;
pub mod places;
pub mod report;
pub mod trust;

use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use argway_core::argv;
use argway_core::model::{Program, Reading};
use argway_core::overlay;
use argway_core::sources::kdl;
use argway_serve::identify::{self, ResolveError};

use file::{Content, Owner, Refusal};
use places::{Place, Scope, Surroundings};
use trust::{Standing, Store};

/// What every tool of a definition is called by at first.
pub const PREFIX: &str = "cli_";

/// How definition files are called.
pub const EXTENSION: &str = "kdl";

/// Where definitions are looked for, and whom they may come from.
#[derive(Debug, Clone)]
pub struct Desk {
    surroundings: Surroundings,
    store: Option<Store>,
}

/// One file that was looked at.
#[derive(Debug)]
pub struct Sheet {
    /// Whose choice it is.
    pub scope: Scope,
    /// Where it was found.
    pub path: PathBuf,
    /// What it says, unless it is not used.
    pub content: Result<Content, Refusal>,
    /// Whether it was trusted; a project's file is used only then.
    pub standing: Standing,
}

impl Sheet {
    /// The definitions in it and its mistakes; nothing where it is not used.
    pub fn read(&self) -> kdl::Definitions {
        match &self.content {
            Ok(content) => kdl::read(&self.path.to_string_lossy(), &content.text),
            Err(_) => kdl::Definitions::default(),
        }
    }

    /// Whether it corrects programs that are read, and defines none.
    pub fn is_overlay(&self) -> bool {
        let content = self.content.as_ref();
        content.is_ok_and(|content| overlay::is_overlay(&content.text))
    }

    /// The corrections in it and their mistakes; nothing where it is not used.
    pub fn read_overlays(&self) -> overlay::Overlays {
        match &self.content {
            Ok(content) => overlay::read(&self.path.to_string_lossy(), &content.text),
            Err(_) => overlay::Overlays::default(),
        }
    }

    /// Why a file that can be read is passed over; nothing where it is used.
    pub fn distrust(&self) -> Option<String> {
        let why = match (self.scope, self.standing) {
            (Scope::User | Scope::Named, _) | (_, Standing::Trusted) => return None,
            (Scope::Project, Standing::Changed) => "has changed since it was trusted",
            (Scope::Project, Standing::Unknown) => "is not trusted yet",
        };
        let path = self.path.to_string_lossy();
        let command = argv::shell_line(["argway", "trust", &path]);
        Some(format!(
            "{path} {why} and is not used; look at it, then run: {command}"
        ))
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The file.
    pub file: PathBuf,
    /// The line of the `cli` node, from 1.
    pub line: usize,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// A definition that is in force.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The tool. Its executable is the file that is run, where that was found.
    pub reading: Reading,
    /// Where it is written.
    pub at: Spot,
    /// Those that it stands in the place of, the weakest first.
    pub overrode: Vec<Spot>,
    /// What a person should know before it is used, a sentence each.
    pub warnings: Vec<String>,
}

impl Loaded {
    /// Whether it is written in `file`.
    pub fn is_from(&self, file: &Path) -> bool {
        self.at.file == file
    }

    /// Whether one that it stands in the place of is written in `file`.
    pub fn replaces(&self, file: &Path) -> bool {
        self.overrode.iter().any(|spot| spot.file == file)
    }

    /// What is run, where it is written, and in whose place it stands.
    pub fn story(&self) -> String {
        let program = &self.reading.program;
        let command = program.executable.as_deref().unwrap_or(&program.name);
        let mut story = format!("{}: {command}, defined in {}", tool_name(program), self.at);
        for (index, spot) in self.overrode.iter().rev().enumerate() {
            let before = if index == 0 {
                ", in place of "
            } else {
                " and "
            };
            story.push_str(&format!("{before}{spot}"));
        }
        story
    }
}

/// Everything that is in force, by name.
#[derive(Debug, Default)]
pub struct Library {
    /// In the order of their names.
    pub tools: Vec<Loaded>,
    /// What a person should know, a sentence each.
    pub notices: Vec<String>,
}

impl Library {
    /// The definition whose tool is called `word`.
    pub fn find(&self, word: &str) -> Option<&Loaded> {
        let program = |tool: &&Loaded| is_called(&tool.reading.program, word);
        self.tools.iter().find(program)
    }

    /// The names that [`Library::find`] finds.
    pub fn names(&self) -> Vec<String> {
        let name = |tool: &Loaded| tool_name(&tool.reading.program);
        self.tools.iter().map(name).collect()
    }
}

/// What the root of a definition is called as a tool.
pub fn tool_name(program: &Program) -> String {
    format!("{PREFIX}{}", program.name)
}

/// Whether the root of a definition is called `word`; dashes and underscores are one.
pub fn is_called(program: &Program, word: &str) -> bool {
    tool_name(program).replace('-', "_") == word.replace('-', "_")
}

impl Desk {
    /// The desk of this process.
    pub fn of_process() -> std::io::Result<Self> {
        Ok(Self::new(Surroundings::of_process()?))
    }

    /// A desk in `surroundings`.
    pub fn new(surroundings: Surroundings) -> Self {
        let state = surroundings.state.as_deref();
        let store = state.map(|state| Store::new(state, surroundings.user));
        Self {
            surroundings,
            store,
        }
    }

    /// Where the user's trust is kept; nothing for a user without a home.
    pub fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// The places of this user and project, the weakest first.
    pub fn places(&self) -> Vec<Place> {
        self.surroundings.places()
    }

    /// Where this user's and project's corrections of programs are, the weakest first.
    pub fn overlay_places(&self) -> Vec<Place> {
        self.surroundings.overlay_places()
    }

    /// Every file of `places`, read once, and what could not be listed.
    pub fn look(&self, places: &[Place]) -> (Vec<Sheet>, Vec<String>) {
        let (mut sheets, mut problems) = (Vec::new(), Vec::new());
        for place in places {
            let listing = place.list();
            let files = listing.files.iter();
            sheets.extend(files.map(|file| self.sheet(place.scope, file)));
            problems.extend(listing.problem);
        }
        (sheets, problems)
    }

    fn sheet(&self, scope: Scope, path: &Path) -> Sheet {
        let owner = match scope {
            Scope::Named => Owner::Anybody,
            Scope::User | Scope::Project => Owner::UserOrRoot(self.surroundings.user),
        };
        let content = file::read(path, owner);
        let standing = match (&self.store, &content) {
            (Some(store), Ok(content)) => store.standing(&content.real, &content.hash),
            _ => Standing::Unknown,
        };
        Sheet {
            scope,
            path: path.to_owned(),
            content,
            standing,
        }
    }

    /// What is in force of `places`, the later over the earlier.
    pub fn load(&self, places: &[Place]) -> Library {
        let (sheets, mut notices) = self.look(places);
        let mut by_name: BTreeMap<String, Loaded> = BTreeMap::new();
        for sheet in &sheets {
            let passed_over = match &sheet.content {
                Err(refusal) => Some(refusal.to_string()),
                Ok(_) => sheet.distrust(),
            };
            if let Some(why) = passed_over {
                notices.push(why);
                continue;
            }
            let read = sheet.read();
            notices.extend(read.mistakes.iter().map(report::line));
            for definition in read.definitions {
                let name = definition.reading.program.name.clone();
                let at = Spot {
                    file: sheet.path.clone(),
                    line: definition.line,
                };
                let warnings = definition.warnings.iter();
                let mut loaded = Loaded {
                    reading: definition.reading,
                    overrode: Vec::new(),
                    warnings: warnings.map(|warning| format!("{at}: {warning}")).collect(),
                    at,
                };
                if let Some(earlier) = by_name.remove(&name) {
                    loaded.overrode = earlier.overrode;
                    loaded.overrode.push(earlier.at);
                }
                by_name.insert(name, loaded);
            }
        }
        let mut tools = Vec::new();
        for mut loaded in by_name.into_values() {
            match find_command(&mut loaded.reading.program) {
                Ok(()) => tools.push(loaded),
                Err(error) => notices.push(format!(
                    "{}: {} is left out: {error}",
                    loaded.at,
                    tool_name(&loaded.reading.program)
                )),
            }
        }
        Library { tools, notices }
    }

    /// Something that is another when a file of `places`, or what is trusted, is.
    pub fn stamp(&self, places: &[Place]) -> Vec<(PathBuf, Option<Stamp>)> {
        let files = places.iter().flat_map(|place| place.list().files);
        let trust = self.store.iter().map(|store| store.folder().to_owned());
        files
            .chain(trust)
            .map(|path| {
                let stamp = Stamp::of(&path);
                (path, stamp)
            })
            .collect()
    }
}

/// A file as it was at some time; its rights too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok()?;
        Some(Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }
}

/// Puts the file in the place of the command as it is written. A line for a shell
/// stays as it is: the shell finds what it names.
pub fn find_command(program: &mut Program) -> Result<(), ResolveError> {
    let mut runs = program.commands.iter().filter(|command| command.runnable);
    let only_shell = runs.all(|command| command.run.as_ref().is_some_and(|run| run.shell));
    let Some(command) = program.executable.as_deref().filter(|_| !only_shell) else {
        return Ok(());
    };
    let path = identify::resolve_command(command)?;
    program.executable = Some(path.display().to_string());
    Ok(())
}
