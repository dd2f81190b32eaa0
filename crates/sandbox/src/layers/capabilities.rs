//! No capability, now or ever: bounding, inheritable, permitted, effective and ambient
//! sets are emptied, and no new privileges can be had.

use rustix::io::Errno;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities,
    clear_ambient_capability_set, remove_capability_from_bounding_set, set_capabilities,
    set_capabilities_secure_bits,
};

use super::LayerError;

/// The layer's name in errors and in what `doctor` prints.
pub const NAME: &str = "capabilities";

/// Gives up every capability of this process, and `exec`'s power to give one back.
///
/// The bounding set and the secure bits are only for those who hold `CAP_SETPCAP`; for
/// others, and root without it too, `no_new_privs` has the same effect: `exec` then
/// gives nothing that the process did not have.
pub fn drop_all() -> Result<(), LayerError> {
    super::no_new_privileges()?;
    let held = capabilities(None).map_err(|error| failed("they could not be read", error))?;
    if held.effective.contains(CapabilitySet::SETPCAP) {
        seal()?;
    }
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    // Goes with the permitted set; kernels before 4.3 have none.
    match clear_ambient_capability_set() {
        Ok(()) | Err(Errno::INVAL) => {}
        Err(error) => return Err(failed("the ambient set could not be emptied", error)),
    }
    if held != none {
        set_capabilities(None, none)
            .map_err(|error| failed("they could not be given up", error))?;
    }
    Ok(())
}

/// Empties the bounding set, and makes root a user like others.
fn seal() -> Result<(), LayerError> {
    let bits = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
    match set_capabilities_secure_bits(bits) {
        // Somebody locked other bits before: `no_new_privs` holds alone.
        Ok(()) | Err(Errno::PERM) => {}
        Err(error) => return Err(failed("the secure bits could not be set", error)),
    }
    for number in 0..64 {
        match remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << number)) {
            Ok(()) => {}
            // The first that this kernel does not know.
            Err(Errno::INVAL) => break,
            Err(error) => return Err(failed("the bounding set could not be emptied", error)),
        }
    }
    Ok(())
}

fn failed(step: &str, error: Errno) -> LayerError {
    LayerError::new(
        NAME,
        step,
        &error.into(),
        "the container that this runs in must allow `capset` and `prctl`",
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;
    use crate::layers::testing::check_alone;

    /// The process' own view of its sets, before and after an `exec`.
    fn sets(status: &str) -> Vec<String> {
        let wanted = ["CapInh", "CapPrm", "CapEff", "CapAmb", "NoNewPrivs"];
        let lines = status.lines().filter_map(|line| line.split_once(":\t"));
        lines
            .filter(|(name, _)| wanted.contains(name))
            .map(|(name, value)| format!("{name} {}", value.trim_start_matches('0')))
            .collect()
    }

    #[test]
    fn nothing_is_held_and_exec_gives_nothing_back() {
        check_alone(
            "layers::capabilities::tests::nothing_is_held_and_exec_gives_nothing_back",
            || {
                let root = rustix::process::geteuid().is_root();
                drop_all().unwrap();
                // A second time there is nothing to give up, and that is fine.
                drop_all().unwrap();
                let own = std::fs::read_to_string("/proc/thread-self/status").unwrap();
                let mut lines = sets(&own);
                let cat = std::process::Command::new("cat")
                    .arg("/proc/self/status")
                    .output();
                let after = String::from_utf8(cat.unwrap().stdout).unwrap();
                lines.extend(sets(&after));
                let bounding = own.lines().find_map(|line| line.strip_prefix("CapBnd:\t"));
                let empty = bounding.unwrap().trim_start_matches('0').is_empty();
                lines.push(format!(
                    "bounding set empty where allowed: {}",
                    empty || !root
                ));
                let owner = rustix::process::Uid::from_raw(7);
                let moved = rustix::fs::chown("/proc/self", Some(owner), None);
                lines.push(format!("chown: {}", moved.is_ok()));
                lines
            },
            &[
                "CapInh ",
                "CapPrm ",
                "CapEff ",
                "CapAmb ",
                "NoNewPrivs 1",
                "CapInh ",
                "CapPrm ",
                "CapEff ",
                "CapAmb ",
                "NoNewPrivs 1",
                "bounding set empty where allowed: true",
                "chown: false",
            ],
        );
    }
}
