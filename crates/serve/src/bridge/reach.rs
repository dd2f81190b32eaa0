//! Whether the paths that a call names lie where its sandbox lets it reach.
//!
//! The sandbox itself holds whatever is said here; this tells a caller before
//! anything runs, and which argument it was.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use argway_core::argv::ArgumentError;
use argway_core::policy::{Filesystem, SandboxPolicy};
use argway_sandbox::view::{self, View};

/// Links that are followed in one path, as the system does.
const MOST_LINKS: usize = 40;

/// What one run may reach.
pub(super) struct Reach<'a> {
    pub policy: &'a SandboxPolicy,
    pub program: &'a Path,
    /// Where it runs, canonical.
    pub directory: &'a Path,
    /// The caller's home.
    pub home: Option<&'a Path>,
}

impl Reach<'_> {
    /// Refuses those of `paths` (the argument's name, and its value) that lead out.
    pub fn check(&self, paths: &[(String, String)]) -> Result<(), ArgumentError> {
        if paths.is_empty() || self.policy.filesystem == Filesystem::Full {
            return Ok(());
        }
        let own = self.own_places();
        let mut system = None;
        let mut problems = Vec::new();
        for (name, path) in paths {
            if self.policy.filesystem == Filesystem::None && Path::new(path).is_relative() {
                // It runs in a folder of its own, empty: what stays there can do no harm.
                if !stays(path) {
                    let own = "it leads out of the empty folder that this tool runs in";
                    problems.push(format!("`{name}` cannot be {path:?}: {own}"));
                }
                continue;
            }
            let Some(real) = real(self.directory, Path::new(path)) else {
                let links = "its links lead to each other without end";
                problems.push(format!("`{name}` cannot be {path:?}: {links}"));
                continue;
            };
            let inside = |places: &[PathBuf]| places.iter().any(|place| real.starts_with(place));
            if inside(&own) || inside(system.get_or_insert_with(|| self.system_places())) {
                continue;
            }
            problems.push(format!(
                "`{name}` cannot be {path:?}: it leads to {}, out of the sandbox's reach; {}",
                real.display(),
                self.reachable(&own)
            ));
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(ArgumentError { problems }),
        }
    }

    /// What the policy itself names, canonical.
    fn own_places(&self) -> Vec<PathBuf> {
        let policy = self.policy;
        let (home, directory) = match policy.filesystem {
            Filesystem::None | Filesystem::Full => (None, None),
            Filesystem::Cwd => (None, Some(self.directory)),
            Filesystem::Home => (self.home, Some(self.directory)),
        };
        let named = policy.readable.iter().chain(&policy.writable);
        let all = directory
            .into_iter()
            .chain(home)
            .chain(named.map(Path::new));
        all.map(|place| fs::canonicalize(place).unwrap_or_else(|_| place.to_path_buf()))
            .collect()
    }

    /// What every sandboxed program may read, so that programs start.
    fn system_places(&self) -> Vec<PathBuf> {
        // Its temporary folder is another one at every call, so no path can mean it.
        let Ok(temporary) = tempfile::tempdir() else {
            return Vec::new();
        };
        let view = view::view(
            self.policy,
            self.program,
            self.directory,
            self.home,
            temporary.path(),
        );
        match view {
            // The sandbox says what is wrong with the policy, when it is asked to hold it.
            Err(_) => Vec::new(),
            Ok(View {
                everything: true, ..
            }) => vec![PathBuf::from("/")],
            Ok(view) => [view.readable, view.writable].concat(),
        }
    }

    fn reachable(&self, own: &[PathBuf]) -> String {
        match own {
            [] => "this tool reaches no files of yours".to_owned(),
            places => {
                let shown: Vec<String> = places
                    .iter()
                    .map(|place| place.display().to_string())
                    .collect();
                format!("this tool reaches {}", shown.join(", "))
            }
        }
    }
}

/// Whether `path` cannot leave the folder that it starts in, whatever is there.
fn stays(path: &str) -> bool {
    Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Where `path` leads from `base`, links followed as far as there is something: what
/// does not exist yet is where it would be made. Nothing where links go in circles.
fn real(base: &Path, path: &Path) -> Option<PathBuf> {
    let mut current = base.to_path_buf();
    let mut rest: VecDeque<OsString> = VecDeque::new();
    let mut links = 0;
    let put = |path: &Path, rest: &mut VecDeque<OsString>| {
        for part in path.components().rev() {
            rest.push_front(part.as_os_str().to_owned());
        }
    };
    put(path, &mut rest);
    while let Some(part) = rest.pop_front() {
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => {
                current.pop();
            }
            Some(Component::RootDir) => current = PathBuf::from("/"),
            Some(Component::Normal(name)) => {
                let next = current.join(name);
                match fs::read_link(&next) {
                    Ok(target) => {
                        links += 1;
                        if links > MOST_LINKS {
                            return None;
                        }
                        put(&target, &mut rest);
                    }
                    Err(_) => current = next,
                }
            }
            Some(Component::CurDir | Component::Prefix(_)) | None => {}
        }
    }
    Some(current)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder with `work` (a run's directory, with a file and a folder in it) and
    /// `outside` beside it.
    struct Place {
        root: PathBuf,
        _folder: tempfile::TempDir,
    }

    fn place() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for name in ["work/deep", "outside"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("work/file"), "").unwrap();
        fs::write(root.join("outside/secret"), "").unwrap();
        Place {
            root,
            _folder: folder,
        }
    }

    impl Place {
        fn check(&self, policy: &SandboxPolicy, path: &str) -> Result<(), String> {
            let reach = Reach {
                policy,
                program: Path::new("/bin/cat"),
                directory: &self.root.join("work"),
                home: Some(&self.root.join("outside")),
            };
            let path = path.replace("ROOT", self.root.to_str().unwrap());
            reach.check(&[("file".to_owned(), path)]).map_err(|error| {
                error
                    .to_string()
                    .replace(self.root.to_str().unwrap(), "ROOT")
            })
        }
    }

    #[test]
    fn paths_within_the_folder_are_fine_however_they_are_written() {
        let place = place();
        symlink("file", place.root.join("work/link")).unwrap();
        symlink("../..", place.root.join("work/deep/up")).unwrap();
        for path in [
            "file",
            "./file",
            "",
            ".",
            "link",
            "deep/../file",
            "deep/new/not/there",
            "new/../../work/file",
            "deep/up/work/file",
            "../work/file",
            "ROOT/work/file",
            "ROOT/outside/../work",
        ] {
            let answer = place.check(&SandboxPolicy::default(), path);
            assert_eq!(answer, Ok(()), "{path}");
        }
    }

    #[test]
    fn paths_that_lead_out_are_refused_with_where_they_lead() {
        let place = place();
        let work = place.root.join("work");
        symlink("../outside", work.join("link")).unwrap();
        symlink("../outside/new", work.join("dangling")).unwrap();
        symlink(place.root.join("outside"), work.join("deep/absolute")).unwrap();
        for (path, leads) in [
            ("..", "ROOT"),
            ("../outside/secret", "ROOT/outside/secret"),
            ("ROOT/outside/secret", "ROOT/outside/secret"),
            ("link/secret", "ROOT/outside/secret"),
            ("link/not/there", "ROOT/outside/not/there"),
            ("dangling", "ROOT/outside/new"),
            ("deep/absolute/../secret", "ROOT/secret"),
            ("new/../../secret", "ROOT/secret"),
            ("../workshop", "ROOT/workshop"),
        ] {
            let expected = format!(
                "`file` cannot be {:?}: it leads to {leads}, out of the sandbox's reach; \
                 this tool reaches ROOT/work",
                path
            );
            let answer = place.check(&SandboxPolicy::default(), path);
            assert_eq!(answer, Err(expected), "{path}");
        }
        symlink("circle", work.join("circle")).unwrap();
        let answer = place.check(&SandboxPolicy::default(), "circle");
        assert!(answer.unwrap_err().contains("without end"));
    }

    #[test]
    fn a_policy_widens_and_narrows_what_is_reached() {
        let place = place();
        let outside = place.root.join("outside").to_str().unwrap().to_owned();
        let secret = "../outside/secret";
        let policy = |filesystem| SandboxPolicy {
            filesystem,
            ..SandboxPolicy::default()
        };
        assert_eq!(place.check(&policy(Filesystem::Full), secret), Ok(()));
        assert_eq!(place.check(&policy(Filesystem::Home), secret), Ok(()));
        let readable = SandboxPolicy {
            readable: vec![outside.clone()],
            ..SandboxPolicy::default()
        };
        let writable = SandboxPolicy {
            writable: vec![outside],
            ..SandboxPolicy::default()
        };
        assert_eq!(place.check(&readable, secret), Ok(()));
        assert_eq!(place.check(&writable, secret), Ok(()));
        let none = policy(Filesystem::None);
        assert_eq!(place.check(&none, "anything/below"), Ok(()));
        let refused = place.check(&none, "ROOT/work/file").unwrap_err();
        assert!(refused.ends_with("reaches no files of yours"), "{refused}");
        let refused = place.check(&none, "../work/file").unwrap_err();
        assert!(refused.contains("out of the empty folder"), "{refused}");
    }
}
