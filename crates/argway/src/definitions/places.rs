//! Where definitions are looked for, from the weakest place to the strongest.
//!
//! The environment arrives as values; which files may be used is decided elsewhere.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

/// More files than this in one folder are nobody's handwriting.
const MOST_FILES: usize = 1000;

/// Folders and users that decide what is looked at.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Where the user's settings are.
    pub config: Option<PathBuf>,
    /// Where programs keep what they know about a user.
    pub state: Option<PathBuf>,
    /// The working folder, absolute and without links.
    pub folder: PathBuf,
    /// Who asks.
    pub user: u32,
}

impl Surroundings {
    /// Those of this process.
    pub fn of_process() -> io::Result<Self> {
        let folder = std::env::current_dir()?.canonicalize()?;
        let variable = |name: &str| std::env::var_os(name);
        Ok(Self::new(variable, folder, geteuid().as_raw()))
    }

    fn new(variable: impl Fn(&str) -> Option<OsString>, folder: PathBuf, user: u32) -> Self {
        // Relative ones are to be ignored, says the standard of these variables.
        let absolute = |name: &str| {
            variable(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = absolute("HOME");
        let below = |inner: &str| home.as_ref().map(|home| home.join(inner));
        Self {
            config: absolute("XDG_CONFIG_HOME").or_else(|| below(".config")),
            state: absolute("XDG_STATE_HOME").or_else(|| below(".local/state")),
            home: home.clone(),
            folder,
            user,
        }
    }

    /// Every place, the weakest first.
    pub fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        if let Some(config) = &self.config {
            places.push(Place::folder(Scope::User, config.join("slop-mcp/cli")));
            places.push(Place::folder(Scope::User, config.join("argway/cli")));
            places.push(Place::file(Scope::User, config.join("argway/argway.kdl")));
        }
        if let Some(project) = self.project() {
            places.push(Place::folder(Scope::Project, project.join(".slop-mcp/cli")));
            places.push(Place::folder(Scope::Project, project.join(".argway/cli")));
            places.push(Place::file(Scope::Project, project.join("argway.kdl")));
        }
        places
    }

    /// Where corrections of programs are, the weakest place first.
    pub fn overlay_places(&self) -> Vec<Place> {
        let user = self.config.iter();
        let user = user.map(|it| Place::folder(Scope::User, it.join("argway/overlay")));
        let project = self.project().into_iter();
        let project = project.map(|it| Place::folder(Scope::Project, it.join(".argway/overlay")));
        user.chain(project).collect()
    }

    /// The nearest folder from the working folder up that has definitions' places.
    ///
    /// Not above the home folder, not across to another filesystem, and not beyond a
    /// folder of another user: what lies there is somebody else's.
    pub fn project(&self) -> Option<PathBuf> {
        let home = self.home.as_ref().and_then(|home| home.canonicalize().ok());
        let device = fs::metadata(&self.folder).ok()?.dev();
        for folder in self.folder.ancestors() {
            let found = fs::metadata(folder).ok()?;
            if found.dev() != device || !(found.uid() == self.user || found.uid() == 0) {
                return None;
            }
            let marks = [".argway", ".slop-mcp", "argway.kdl"];
            if marks.iter().any(|mark| folder.join(mark).exists()) {
                return Some(folder.to_owned());
            }
            if home.as_deref() == Some(folder) {
                return None;
            }
        }
        None
    }
}

/// Whose choice a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The user's own.
    User,
    /// Of a repository that somebody cloned.
    Project,
    /// Named on the command line.
    Named,
}

/// A folder of definition files, or one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Whose it is.
    pub scope: Scope,
    /// Where.
    pub path: PathBuf,
    is_folder: bool,
}

/// The files of a place, as far as they were listed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// In the order of their names.
    pub files: Vec<PathBuf>,
    /// Why there may be more.
    pub problem: Option<String>,
}

impl Place {
    fn folder(scope: Scope, path: PathBuf) -> Self {
        let is_folder = true;
        Self {
            scope,
            path,
            is_folder,
        }
    }

    fn file(scope: Scope, path: PathBuf) -> Self {
        let is_folder = false;
        Self {
            scope,
            path,
            is_folder,
        }
    }

    /// What a user named: a file, or a folder with files.
    pub fn named(path: &Path) -> Self {
        Self::at(Scope::Named, path)
    }

    /// A file, or a folder with files, that is judged as `scope` is.
    pub fn at(scope: Scope, path: &Path) -> Self {
        match path.is_dir() {
            true => Self::folder(scope, path.to_owned()),
            false => Self::file(scope, path.to_owned()),
        }
    }

    /// How a person finds it: `~/.config/argway/cli/*.kdl`.
    pub fn pattern(&self) -> String {
        match self.is_folder {
            true => self.path.join("*.kdl").display().to_string(),
            false => self.path.display().to_string(),
        }
    }

    /// Its files. A file that was named is listed though it is not there.
    pub fn list(&self) -> Listing {
        if !self.is_folder {
            // A link that leads nowhere is there, and told of.
            let is_there = fs::symlink_metadata(&self.path).is_ok();
            let files = match is_there || self.scope == Scope::Named {
                true => vec![self.path.clone()],
                false => Vec::new(),
            };
            return Listing {
                files,
                problem: None,
            };
        }
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Listing::default(),
            Err(error) => {
                let problem = format!("{} cannot be read: {error}", self.path.display());
                return Listing {
                    problem: Some(problem),
                    ..Listing::default()
                };
            }
        };
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|end| end == "kdl"))
            .filter(|path| !is_hidden(path))
            .take(MOST_FILES + 1)
            .collect();
        files.sort();
        let problem = (files.len() > MOST_FILES).then(|| {
            files.truncate(MOST_FILES);
            format!(
                "{} has more than {MOST_FILES} files; the rest is not used",
                self.path.display()
            )
        });
        Listing { files, problem }
    }
}

/// Editors keep their own copies under such names.
fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings(root: &Path, folder: &str) -> Surroundings {
        let root = root.canonicalize().unwrap();
        Surroundings::new(
            |name| (name == "HOME").then(|| root.join("home").into()),
            root.join(folder),
            geteuid().as_raw(),
        )
    }

    /// A world in which `there` are folders, and the project found from `folder` in it.
    #[track_caller]
    fn project(there: &[&str], folder: &str, expected: Option<&str>) {
        let world = tempfile::tempdir().unwrap();
        for inner in there {
            fs::create_dir_all(world.path().join(inner)).unwrap();
        }
        let root = world.path().canonicalize().unwrap();
        let found = surroundings(world.path(), folder).project();
        assert_eq!(found, expected.map(|inner| root.join(inner)));
    }

    #[test]
    fn the_project_is_the_nearest_folder_that_has_a_place() {
        project(&["a/.argway", "a/b/c"], "a/b/c", Some("a"));
        project(&["a/.argway", "a/b/.slop-mcp"], "a/b", Some("a/b"));
        project(&["a/argway.kdl"], "a", Some("a"));
    }

    #[test]
    fn the_home_folder_is_the_last_that_is_looked_at() {
        project(&[".argway", "home/a"], "home/a", None);
        project(
            &[".argway", "home/.argway", "home/a"],
            "home/a",
            Some("home"),
        );
    }

    #[test]
    fn a_folder_of_another_user_ends_the_search() {
        let world = tempfile::tempdir().unwrap();
        fs::create_dir_all(world.path().join("a/.argway")).unwrap();
        let mut ours = surroundings(world.path(), "a");
        assert!(ours.project().is_some());
        let a = world.path().join("a");
        if geteuid().is_root() {
            rustix::fs::chown(&a, Some(rustix::fs::Uid::from_raw(4711)), None).unwrap();
        } else {
            ours.user += 1;
        }
        assert_eq!(ours.project(), None);
    }

    #[test]
    fn variables_decide_where_the_users_places_are() {
        let variable = |name: &str| match name {
            "HOME" => Some("/home/ada".into()),
            "XDG_CONFIG_HOME" => Some("/settings".into()),
            "XDG_STATE_HOME" => Some("relative".into()),
            _ => None,
        };
        let found = Surroundings::new(variable, "/nowhere".into(), 1);
        let patterns: Vec<String> = found.places().iter().map(Place::pattern).collect();
        assert_eq!(
            patterns,
            [
                "/settings/slop-mcp/cli/*.kdl",
                "/settings/argway/cli/*.kdl",
                "/settings/argway/argway.kdl"
            ]
        );
        assert_eq!(found.state, Some("/home/ada/.local/state".into()));
    }

    #[test]
    fn files_come_in_the_order_of_their_names_and_only_definitions() {
        let world = tempfile::tempdir().unwrap();
        for name in ["b.kdl", "a.kdl", "c.txt", ".#a.kdl"] {
            fs::write(world.path().join(name), "").unwrap();
        }
        let listing = Place::named(world.path()).list();
        let names: Vec<_> = listing
            .files
            .iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["a.kdl", "b.kdl"]);
        assert_eq!(listing.problem, None);
    }

    #[test]
    fn a_folder_with_too_many_files_says_so() {
        let world = tempfile::tempdir().unwrap();
        for number in 0..=MOST_FILES {
            fs::write(world.path().join(format!("{number}.kdl")), "").unwrap();
        }
        let listing = Place::named(world.path()).list();
        assert_eq!(listing.files.len(), MOST_FILES);
        assert!(listing.problem.unwrap().contains("more than 1000 files"));
    }
}
