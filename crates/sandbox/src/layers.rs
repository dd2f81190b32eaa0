//! The layers that a process puts on before it becomes the program. Each enforces a
//! part of the policy alone; together they are a tier.
//!
//! They are put on in this order, by the process that becomes the program: limits
//! (which writes to `/proc`), capabilities, Landlock, seccomp.

#[cfg(target_os = "linux")]
pub mod capabilities;
#[cfg(target_os = "linux")]
pub mod landlock;
#[cfg(target_os = "linux")]
pub mod limits;
#[cfg(target_os = "linux")]
pub mod seccomp;

/// A layer that could not be put on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the sandbox cannot hold here: {layer}: {what}; {remedy}")]
pub struct LayerError {
    /// Which layer: `user namespace`, `mount namespace`, `landlock`, `seccomp` …
    pub layer: &'static str,
    /// The step that failed, with the system's reason.
    pub what: String,
    /// How to allow it.
    pub remedy: String,
    /// The system's error number.
    pub errno: i32,
}

#[cfg(target_os = "linux")]
impl LayerError {
    /// As one of the things that did not hold.
    pub(crate) fn gap(&self) -> String {
        format!("{}: {}; {}", self.layer, self.what, self.remedy)
    }

    /// `layer` failed at `step` with the system's `error`.
    fn new(
        layer: &'static str,
        step: impl std::fmt::Display,
        error: &std::io::Error,
        remedy: &str,
    ) -> Self {
        Self {
            layer,
            what: format!("{step}: {error}"),
            remedy: remedy.to_owned(),
            errno: error.raw_os_error().unwrap_or(0),
        }
    }
}

/// From here on `exec` gives no privilege: set-user-ID bits and file capabilities are
/// ignored. Landlock and seccomp ask for it.
#[cfg(target_os = "linux")]
fn no_new_privileges() -> Result<(), LayerError> {
    rustix::thread::set_no_new_privs(true).map_err(|error| {
        LayerError::new(
            "no new privileges",
            "it could not be set",
            &error.into(),
            "a kernel from 3.5 on has it",
        )
    })
}

#[cfg(all(test, target_os = "linux"))]
pub(crate) mod testing;
