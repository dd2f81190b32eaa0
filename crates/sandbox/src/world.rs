//! The strict tier's world: namespaces of its own, and a root that holds only what the
//! view says.
//!
//! The new root is a small read-only file system in memory on which parts of the old
//! one are bound: what is not bound is not there. It has a `/proc` that shows the
//! world's own processes, a `/dev` with five harmless devices, and the run's temporary
//! folder as `/tmp`, `/var/tmp` and `/dev/shm`, so that no memory outside of the
//! processes can be filled.
//!
//! `entrance` makes the namespaces, `plan` decides what is bound where, `root` does it,
//! `refusal` says what stands in the way and how to allow it.

mod entrance;
mod plan;
pub mod refusal;
mod remount;
mod root;
#[cfg(test)]
mod tests;

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
///
/// For a process with one thread. On an error there is no init, and nothing of this
/// process has changed: it can do without a world instead. Init is not dumpable, so
/// that the program cannot look into it; what it forks is neither, until it executes
/// something, and so cannot write below `/proc/self`.
pub fn enter(network: bool) -> Result<Side, LayerError> {
    entrance::enter(network)
}

/// In init: replaces the root by one that holds what `view` says, with a `/proc`, a
/// `/dev` and a `/tmp` of its own; protected paths are read-only and cannot be moved.
///
/// Where the view is everything, the root stays, but for `/proc`, set-user-ID bits and
/// the protected paths. The working directory is `/` afterwards. After an error init
/// is of no more use.
pub fn furnish(view: &View) -> Result<(), LayerError> {
    root::furnish(view, root::Kernel::Current)
}
