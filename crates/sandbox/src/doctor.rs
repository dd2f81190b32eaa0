//! What the sandbox can promise on this machine, found out by trying.

/// One promise, the layers that keep it, and whether they hold here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is promised: `no network`, `files outside cannot be read` …
    pub promise: &'static str,
    /// The layers that keep it, where they can be had.
    pub layers: &'static str,
    /// Whether it is kept in the strict tier here.
    pub strict: Result<(), String>,
    /// Whether it is kept in the portable tier here.
    pub portable: Result<(), String>,
}

/// Tries every layer and tier, each in a process of its own.
pub fn examine() -> Vec<Finding> {
    Vec::new()
}
