//! The system calls that no program under a policy may make.
//!
//! [`calls`] is the table, [`assemble`] makes a program of it for the kernel.

mod assemble;
mod calls;
#[cfg(test)]
mod tests;

use assemble::Machine;

use super::LayerError;
use crate::sys::filter;

/// The layer's name in errors and in what `doctor` prints.
pub const NAME: &str = "seccomp";

/// What the filter leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Openings {
    /// INET, INET6 and (for addresses and routes) NETLINK sockets.
    pub network: bool,
    /// Unix sockets by path too: only with the network and all files.
    pub unix_sockets: bool,
    /// Files are cut by their path, and by who opens them only to read: not where that is
    /// hidden from a Landlock before version 3.
    pub truncation: bool,
}

/// Filters the system calls of this process and all that it starts. Needs
/// `no_new_privs`, which it sets.
pub fn install(openings: Openings) -> Result<(), LayerError> {
    let program = Machine::HERE.and_then(|machine| assemble::program(machine, openings));
    let Some(program) = program else {
        return Err(LayerError {
            layer: NAME,
            what: format!("there is no filter for {} yet", std::env::consts::ARCH),
            remedy: "x86_64 and aarch64 are supported".to_owned(),
            errno: libc::ENOSYS,
        });
    };
    super::no_new_privileges()?;
    filter::seccomp(&program).map_err(|error| {
        LayerError::new(
            NAME,
            "the filter could not be installed",
            &error,
            "the kernel must be built with CONFIG_SECCOMP_FILTER, and a container must allow \
             the `seccomp` call",
        )
    })
}
