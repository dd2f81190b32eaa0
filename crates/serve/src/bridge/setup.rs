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
        let mut folder = std::path::absolute(self.directory.as_deref().unwrap_or(Path::new(".")))
            .map_err(|error| failed(Path::new("."), error.to_string()))?;
        if let Some(run) = run {
            folder.push(&run.workdir);
        }
        let real = fs::canonicalize(&folder).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => failed(&folder, "does not exist".to_owned()),
            _ => failed(&folder, format!("cannot be entered: {error}")),
        })?;
        match real.is_dir() {
            true => Ok(real),
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
