//! What a run needs besides its words: where it happens, for how long, in which
//! sandbox. Settings and definition, put together.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use argway_core::model::RunSpec;

use super::Settings;
use crate::exec::Sandbox;

/// Why a tool cannot be run as it is defined.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// `env` names variables that are not there.
    #[error("{} not set in the server's environment, and the definition's `env` needs {}", are(.0), if .0.len() == 1 { "it" } else { "them" })]
    Unset(Vec<String>),
    /// `env` has a `${` that is no variable.
    #[error(
        "the definition's `env` {name} is {written:?}: write `${{NAME}}`, or `$$` for a dollar"
    )]
    Expansion {
        /// The variable that it sets.
        name: String,
        /// As it is written.
        written: String,
    },
    /// A variable that makes programs load code.
    #[error("the variable {0} is not given to any tool: it makes programs load code")]
    LoadsCode(String),
    /// No variable can have this name.
    #[error("{0:?} cannot be the name of a variable: it is empty or holds `=` or NUL")]
    Name(String),
    /// No variable can have this value.
    #[error("the variable {0} cannot hold a NUL byte, and this call would give it one")]
    Nul(String),
    /// There is no such folder.
    #[error("the folder to run in, {}, {reason}", .folder.display())]
    Folder {
        /// Where it was looked for.
        folder: PathBuf,
        /// What is wrong with it, as the rest of a sentence.
        reason: String,
    },
}

fn are(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => format!("{name} is"),
        [names @ .., last] => format!("{} and {last} are", names.join(", ")),
    }
}

impl Settings {
    /// How long a call may take. The operator's word counts, then the definition's.
    pub(super) fn timeout(&self, run: Option<&RunSpec>) -> Duration {
        let defined = run.map(|run| Duration::from_millis(run.timeout_ms));
        self.operator_timeout.or(defined).unwrap_or(self.timeout)
    }

    /// Which sandbox a call gets; none where the operator wants none, or neither the
    /// tool nor the operator brings a policy.
    pub(super) fn sandbox(&self, run: Option<&RunSpec>) -> Option<Sandbox> {
        let settings = &self.sandbox;
        let policy = match run {
            _ if settings.off => None,
            Some(run) => Some(&run.sandbox),
            None => settings.programs.as_ref(),
        };
        policy.map(|policy| Sandbox {
            policy: settings.overrides.apply(policy),
            demand: settings.demand,
        })
    }

    /// Where a defined or sandboxed tool runs: canonical, and there.
    pub(super) fn folder(&self, run: Option<&RunSpec>) -> Result<PathBuf, SetupError> {
        let failed = |folder: &Path, reason: String| SetupError::Folder {
            folder: folder.to_path_buf(),
            reason,
        };
        let real = |folder: &Path| {
            fs::canonicalize(folder).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => failed(folder, "does not exist".to_owned()),
                _ => failed(folder, format!("cannot be entered: {error}")),
            })
        };
        let base = std::path::absolute(self.directory.as_deref().unwrap_or(Path::new(".")))
            .map_err(|error| failed(Path::new("."), error.to_string()))?;
        let workdir = run.map(|run| Path::new(&run.workdir));
        let folder = workdir.map_or_else(|| base.clone(), |workdir| base.join(workdir));
        let found = real(&folder)?;
        // Whatever ran there before could have put a link in its place.
        let is_below = workdir.is_some_and(Path::is_relative);
        if is_below && !found.starts_with(real(&base)?) {
            let reason = format!(
                "leads by links to {}, out of {}: name that folder itself if it is meant",
                found.display(),
                base.display()
            );
            return Err(failed(&folder, reason));
        }
        match found.is_dir() {
            true => Ok(found),
            false => Err(failed(&folder, "is not a folder".to_owned())),
        }
    }

    /// Bytes of each stream after which a call is ended.
    pub(super) fn most_output(&self, sandbox: Option<&Sandbox>) -> u64 {
        match sandbox {
            Some(sandbox) => {
                let most = sandbox.policy.resources.output_mb.saturating_mul(1 << 20);
                self.max_spill.min(most)
            }
            None => self.max_spill,
        }
    }
}

#[cfg(test)]
mod tests {
    use argway_core::catalog::Layout;
    use argway_core::output::DataFormat;
    use argway_core::policy::{Demand, Filesystem, PolicyOverrides, Resources, SandboxPolicy};

    use super::super::SandboxSettings;
    use super::*;

    fn settings(sandbox: SandboxSettings) -> Settings {
        Settings {
            layout: Layout::Flat,
            timeout: Duration::from_secs(120),
            operator_timeout: None,
            max_output: 1 << 20,
            max_spill: 1 << 30,
            format: DataFormat::Json,
            json_output: false,
            directory: None,
            sandbox,
        }
    }

    #[test]
    fn the_operator_says_how_long_then_the_definition_then_the_default() {
        let mut settings = settings(SandboxSettings::default());
        let run = RunSpec {
            timeout_ms: 5000,
            ..RunSpec::default()
        };
        assert_eq!(settings.timeout(None).as_secs(), 120);
        assert_eq!(settings.timeout(Some(&run)).as_secs(), 5);
        settings.operator_timeout = Some(Duration::from_secs(60));
        assert_eq!(settings.timeout(None).as_secs(), 60);
        assert_eq!(settings.timeout(Some(&run)).as_secs(), 60);
    }

    #[test]
    fn definitions_bring_their_sandbox_and_programs_get_the_operators() {
        let run = RunSpec {
            sandbox: SandboxPolicy {
                network: true,
                ..SandboxPolicy::default()
            },
            ..RunSpec::default()
        };
        let plain = settings(SandboxSettings::default());
        assert_eq!(plain.sandbox(None), None);
        let defined = plain.sandbox(Some(&run)).unwrap();
        assert_eq!(defined.policy, run.sandbox);
        assert_eq!(defined.demand, Demand::Enforced);

        let strict = settings(SandboxSettings {
            demand: Demand::Strict,
            programs: Some(SandboxPolicy::default()),
            overrides: PolicyOverrides {
                network: Some(false),
                filesystem: Some(Filesystem::None),
                memory_mb: Some(7),
                ..PolicyOverrides::default()
            },
            ..SandboxSettings::default()
        });
        for sandbox in [strict.sandbox(None), strict.sandbox(Some(&run))] {
            let sandbox = sandbox.unwrap();
            assert_eq!(sandbox.demand, Demand::Strict);
            assert!(!sandbox.policy.network);
            assert_eq!(sandbox.policy.filesystem, Filesystem::None);
            assert_eq!(sandbox.policy.resources.memory_mb, 7);
        }

        let off = settings(SandboxSettings {
            off: true,
            programs: Some(SandboxPolicy::default()),
            ..SandboxSettings::default()
        });
        assert_eq!(off.sandbox(None), None);
        assert_eq!(off.sandbox(Some(&run)), None);
    }

    #[test]
    fn a_relative_workdir_stays_below_the_callers_folder_whatever_links_say() {
        let scene = tempfile::tempdir().unwrap();
        let root = scene.path().canonicalize().unwrap();
        for folder in ["project/real/deep", "outside/deep"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(to, root.join("project").join(name)).unwrap();
        };
        link("real", "inner");
        link("../outside", "outer");
        std::os::unix::fs::symlink("project", root.join("called")).unwrap();
        let mut settings = settings(SandboxSettings::default());
        settings.directory = Some(root.join("called"));
        let folder = |workdir: &str| {
            let run = RunSpec {
                workdir: workdir.to_owned(),
                ..RunSpec::default()
            };
            settings.folder(Some(&run))
        };
        for (workdir, expected) in [
            (".", "project"),
            ("real/deep", "project/real/deep"),
            ("inner/deep", "project/real/deep"),
        ] {
            assert_eq!(folder(workdir).unwrap(), root.join(expected), "{workdir}");
        }
        for workdir in ["outer", "outer/deep"] {
            let said = folder(workdir).unwrap_err().to_string();
            assert!(said.contains("leads by links to"), "{said}");
        }
        // Who writes where it is has said so.
        let outside = root.join("project/outer");
        let found = folder(outside.to_str().unwrap()).unwrap();
        assert_eq!(found, root.join("outside"));
    }

    #[test]
    fn a_sandbox_lowers_how_much_may_be_printed() {
        let settings = settings(SandboxSettings::default());
        assert_eq!(settings.most_output(None), 1 << 30);
        let sandbox = |output_mb| Sandbox {
            policy: SandboxPolicy {
                resources: Resources {
                    output_mb,
                    ..Resources::default()
                },
                ..SandboxPolicy::default()
            },
            demand: Demand::Enforced,
        };
        assert_eq!(settings.most_output(Some(&sandbox(64))), 64 << 20);
        assert_eq!(settings.most_output(Some(&sandbox(u64::MAX))), 1 << 30);
    }
}
