//! Why a world cannot be had here, and what would allow it.

use std::io;

use rustix::process::WaitOptions;

use crate::layers::LayerError;
use crate::sys::world as sys;

/// The namespaces by their names, the one that all others need first.
const NAMES: [(i32, &str); 7] = [
    (libc::CLONE_NEWUSER, "user namespace"),
    (libc::CLONE_NEWNS, "mount namespace"),
    (libc::CLONE_NEWPID, "pid namespace"),
    (libc::CLONE_NEWNET, "network namespace"),
    (libc::CLONE_NEWIPC, "ipc namespace"),
    (libc::CLONE_NEWUTS, "uts namespace"),
    (libc::CLONE_NEWCGROUP, "cgroup namespace"),
];

/// The kernel did not make the namespaces.
pub fn clone(wanted: i32, error: &io::Error) -> LayerError {
    let (flag, layer) = culprit(wanted);
    LayerError {
        layer,
        what: format!("the system does not make one: {error}"),
        remedy: remedy(flag, &Settings::read()),
        errno: error.raw_os_error().unwrap_or_default(),
    }
}

/// A step within the new namespaces failed.
pub fn step(layer: &'static str, what: &str, error: io::Error) -> LayerError {
    let remedy = match error.raw_os_error() {
        Some(libc::ENOENT | libc::ENOTDIR | libc::ELOOP) => {
            "it must be there for as long as the program runs".to_owned()
        }
        Some(libc::ENOSYS) => "a kernel from 5.2 on has it, and a container's seccomp profile \
                               must not hide it"
            .to_owned(),
        Some(libc::EPERM | libc::EACCES | libc::ENOSPC) => {
            remedy(libc::CLONE_NEWUSER, &Settings::read())
        }
        _ => "the portable tier does without it: `--sandbox=portable`".to_owned(),
    };
    LayerError {
        layer,
        what: format!("{what}: {error}"),
        remedy,
        errno: error.raw_os_error().unwrap_or_default(),
    }
}

/// A `/proc` of its own is not allowed: a container covers parts of the one it has, and
/// the kernel makes no new one that would show them.
pub fn proc(error: io::Error) -> LayerError {
    LayerError {
        layer: "mount namespace",
        what: format!("mounting a /proc of its own: {error}"),
        remedy: "a container that covers parts of /proc forbids it: start it with \
                 `--security-opt systempaths=unconfined` (Docker), `--security-opt \
                 unmask=ALL` (Podman) or `procMount: Unmasked` (Kubernetes)"
            .to_owned(),
        errno: error.raw_os_error().unwrap_or_default(),
    }
}

/// Which of the namespaces it is that cannot be had, found by asking for one after
/// the other. Each try is a process that ends at once.
fn culprit(wanted: i32) -> (i32, &'static str) {
    let asked = |flag: i32| match sys::clone_into(flag | libc::CLONE_NEWUSER) {
        Ok(None) => sys::leave(0),
        Ok(Some(pid)) => {
            let _ = rustix::io::retry_on_intr(|| {
                rustix::process::waitpid(Some(pid), WaitOptions::empty())
            });
            true
        }
        Err(_) => false,
    };
    NAMES
        .into_iter()
        .filter(|(flag, _)| wanted & flag != 0)
        .find(|(flag, _)| !asked(*flag))
        .unwrap_or(NAMES[0])
}

/// What the system says about user namespaces; nothing where it has no such setting.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `user.max_*_namespaces` that are zero.
    pub none_of: Vec<&'static str>,
    /// `kernel.unprivileged_userns_clone`, Debian's.
    pub unprivileged: Option<bool>,
    /// `kernel.apparmor_restrict_unprivileged_userns`, Ubuntu's.
    pub apparmor: Option<bool>,
}

impl Settings {
    /// As they are now.
    pub fn read() -> Self {
        const LIMITS: [&str; 7] = ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"];
        let number = |path: &str| {
            let text = std::fs::read_to_string(format!("/proc/sys/{path}")).ok()?;
            text.trim().parse::<u64>().ok()
        };
        Self {
            none_of: LIMITS
                .into_iter()
                .filter(|name| number(&format!("user/max_{name}_namespaces")) == Some(0))
                .collect(),
            unprivileged: number("kernel/unprivileged_userns_clone").map(|value| value != 0),
            apparmor: number("kernel/apparmor_restrict_unprivileged_userns")
                .map(|value| value != 0),
        }
    }
}

/// What would allow the namespace `flag`, as far as the system's settings tell.
fn remedy(flag: i32, settings: &Settings) -> String {
    if let Some(name) = settings.none_of.first() {
        return format!("allow some: `sysctl user.max_{name}_namespaces=15000`");
    }
    if flag != libc::CLONE_NEWUSER {
        return "the kernel must be built with it, and a container's seccomp profile must \
                allow it"
            .to_owned();
    }
    if settings.unprivileged == Some(false) {
        return "allow them: `sysctl kernel.unprivileged_userns_clone=1`".to_owned();
    }
    if settings.apparmor == Some(true) {
        return "AppArmor forbids it: allow this program by a profile with `userns,`, or all: \
                `sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
            .to_owned();
    }
    "in a container, its seccomp profile must allow namespaces and mounts: start it with \
     `--security-opt seccomp=unconfined` (Docker also needs `--security-opt \
     apparmor=unconfined` and `--security-opt systempaths=unconfined`); in a `chroot` there \
     are none"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(settings: Settings, expected: &str) {
        let remedy = remedy(libc::CLONE_NEWUSER, &settings);
        assert!(remedy.contains(expected), "{remedy}");
    }

    #[test]
    fn what_is_missing_is_not_blamed_on_the_system() {
        let error = io::Error::from_raw_os_error(libc::ENOENT);
        let refused = step("mount namespace", "binding /gone", error);
        assert_eq!(
            refused.to_string(),
            "the sandbox cannot hold here: mount namespace: binding /gone: No such file or \
             directory (os error 2); it must be there for as long as the program runs"
        );
    }

    #[test]
    fn a_limit_of_zero_is_named() {
        check(
            Settings {
                none_of: vec!["user"],
                ..Settings::default()
            },
            "user.max_user_namespaces=",
        );
    }

    #[test]
    fn debians_switch_is_named() {
        check(
            Settings {
                unprivileged: Some(false),
                apparmor: Some(true),
                ..Settings::default()
            },
            "kernel.unprivileged_userns_clone=1",
        );
    }

    #[test]
    fn apparmors_switch_is_named() {
        check(
            Settings {
                unprivileged: Some(true),
                apparmor: Some(true),
                ..Settings::default()
            },
            "kernel.apparmor_restrict_unprivileged_userns=0",
        );
    }

    #[test]
    fn where_no_setting_forbids_it_it_is_a_container() {
        check(Settings::default(), "--security-opt seccomp=unconfined");
    }
}
