//! Which paths a policy means: the same answer for every tier and system.

use std::path::{Path, PathBuf};

use argway_core::policy::SandboxPolicy;

/// The files that a run sees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    /// Everything that the caller may; the lists below say nothing then.
    pub everything: bool,
    /// Folders and files that are there to be read and executed, canonical, none within another.
    pub readable: Vec<PathBuf>,
    /// Folders and files that may be changed.
    pub writable: Vec<PathBuf>,
    /// What within `writable` may not be changed because it would become code outside.
    /// They exist; a folder that holds one of them must not be moved away either.
    pub protected: Vec<PathBuf>,
    /// Where the program runs.
    pub directory: PathBuf,
    /// A folder of its own, 0700: TMPDIR and, unless the policy gives more, HOME.
    pub temporary: PathBuf,
    /// What HOME is.
    pub home: PathBuf,
}

/// Why a policy cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// Something that the policy names is wrong, and what would be right.
    #[error("{0}")]
    Refused(String),
}

/// What `policy` means for `program` run in `directory` (both absolute).
pub fn view(
    _policy: &SandboxPolicy,
    _program: &Path,
    _directory: &Path,
    _home: Option<&Path>,
    _temporary: &Path,
) -> Result<View, ViewError> {
    Ok(View::default())
}
