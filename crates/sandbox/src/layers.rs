//! The layers that a process puts on before it becomes the program. Each enforces a
//! part of the policy alone; together they are a tier.

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
