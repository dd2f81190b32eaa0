//! Each layer alone, in a process of its own, and what it depends on.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use argway_core::policy::Resources;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal, WaitOptions};

use super::trial::Scene;
use super::{Fact, Layer};
use crate::layers::{LayerError, capabilities, landlock, limits, seccomp};
use crate::sys::world as sys;
use crate::view::View;
use crate::world::{self, Side, refusal::Settings};

/// How long a layer may take to be put on.
const PATIENCE: Duration = Duration::from_secs(10);

pub fn tried() -> Vec<Layer> {
    let scene = Scene::prepare();
    let folder = match &scene {
        Ok(scene) => scene.directory(),
        Err(_) => std::env::temp_dir(),
    };
    let view = View {
        readable: vec![PathBuf::from("/usr")],
        writable: vec![folder.clone()],
        directory: folder.clone(),
        temporary: folder.clone(),
        home: folder,
        ..View::default()
    };
    let layer = |name, held| Layer { name, held };
    vec![
        layer(
            "namespaces",
            in_child(|| match world::enter(false)? {
                Side::Outside(init) => await_end(init),
                Side::Inside => Ok(()),
            }),
        ),
        layer(
            "root of its own",
            in_child(|| match world::enter(false)? {
                Side::Outside(init) => await_end(init),
                Side::Inside => world::furnish(&view),
            }),
        ),
        layer(
            "Landlock",
            in_child(|| {
                no_new_privileges()?;
                landlock::restrict(&view, false).map(drop)
            }),
        ),
        layer(
            "seccomp",
            in_child(|| {
                seccomp::install(seccomp::Openings {
                    network: false,
                    unix_sockets: false,
                    truncation: true,
                })
            }),
        ),
        layer("capabilities", in_child(capabilities::drop_all)),
        layer("limits", in_child(|| limits::apply(&Resources::default()))),
    ]
}

fn no_new_privileges() -> Result<(), LayerError> {
    rustix::thread::set_no_new_privs(true).map_err(|error| LayerError {
        layer: "no_new_privs",
        what: error.to_string(),
        remedy: "Linux has it since 3.5".to_owned(),
        errno: error.raw_os_error(),
    })
}

/// Outside of a world: ends as init did, so that only init's word counts.
fn await_end(init: Pid) -> ! {
    let status =
        rustix::io::retry_on_intr(|| rustix::process::waitpid(Some(init), WaitOptions::empty()));
    let code = match status {
        Ok(Some((_, status))) => status.exit_status().unwrap_or(1),
        Ok(None) | Err(_) => 1,
    };
    sys::leave(code)
}

/// Whether `work` succeeds in a process of its own; otherwise why not.
fn in_child(work: impl FnOnce() -> Result<(), LayerError>) -> Result<(), String> {
    let fault = |error: io::Error| format!("could not be tried: {error}");
    let (answer, end) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
        .map_err(|error| fault(error.into()))?;
    match sys::fork().map_err(fault)? {
        None => {
            drop(answer);
            let Err(error) = work() else { sys::leave(0) };
            let _ = rustix::io::write(&end, error.gap().as_bytes());
            sys::leave(1)
        }
        Some(child) => {
            drop(end);
            let said = hear(&answer);
            // It has ended by now, unless it hangs.
            let _ = rustix::process::kill_process(child, Signal::KILL);
            let status = rustix::io::retry_on_intr(|| {
                rustix::process::waitpid(Some(child), WaitOptions::empty())
            });
            let ended_well =
                matches!(status, Ok(Some((_, status))) if status.exit_status() == Some(0));
            match said {
                Some(text) if text.is_empty() && ended_well => Ok(()),
                Some(text) if text.is_empty() => Err("ended without a word".to_owned()),
                Some(text) => Err(text),
                None => Err("gave no answer in time".to_owned()),
            }
        }
    }
}

/// All that is said until the other end is closed; nothing where that takes too long.
fn hear(answer: &OwnedFd) -> Option<String> {
    let start = Instant::now();
    let mut said = Vec::new();
    while start.elapsed() < PATIENCE && said.len() < 4096 {
        let moment = Timespec {
            tv_sec: 0,
            tv_nsec: 100_000_000,
        };
        let mut ready = [PollFd::new(answer, PollFlags::IN)];
        if !matches!(rustix::event::poll(&mut ready, Some(&moment)), Ok(1..)) {
            continue;
        }
        let mut piece = [0; 1024];
        match rustix::io::read(answer, &mut piece) {
            Ok(0) => return Some(String::from_utf8_lossy(&said).into_owned()),
            Ok(count) => said.extend_from_slice(&piece[..count]),
            Err(_) => return None,
        }
    }
    None
}

pub fn facts() -> Vec<Fact> {
    let fact = |name, value| Fact { name, value };
    vec![
        fact("kernel", read("/proc/sys/kernel/osrelease")),
        fact("user", rustix::process::geteuid().as_raw().to_string()),
        fact(
            "Landlock",
            match landlock::abi() {
                Ok(abi) => format!("version {}", abi.0),
                Err(error) => error.what,
            },
        ),
        fact("user namespaces", user_namespaces(&Settings::read())),
        fact("cgroup v2", cgroup()),
    ]
}

fn read(path: &str) -> String {
    match std::fs::read_to_string(path) {
        Ok(text) => text.trim().to_owned(),
        Err(error) => format!("not known: {error}"),
    }
}

/// What the system's settings say; whether it is so is for the layers to try.
fn user_namespaces(settings: &Settings) -> String {
    let mut said = Vec::new();
    for name in &settings.none_of {
        said.push(format!("user.max_{name}_namespaces is 0"));
    }
    if settings.unprivileged == Some(false) {
        said.push("kernel.unprivileged_userns_clone is 0".to_owned());
    }
    if settings.apparmor == Some(true) {
        said.push("kernel.apparmor_restrict_unprivileged_userns is 1".to_owned());
    }
    if said.is_empty() {
        return "no setting forbids them".to_owned();
    }
    said.join(", ")
}

/// Whether this process has a folder in which it could bound others.
fn cgroup() -> String {
    let list = read("/proc/self/cgroup");
    let Some(own) = own_cgroup(&list) else {
        return "not here".to_owned();
    };
    let mount = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        .map(Path::new)
        .into_iter()
        .find(|mount| mount.join("cgroup.controllers").exists());
    let Some(mount) = mount else {
        return "not mounted".to_owned();
    };
    let folder = mount.join(own.trim_start_matches('/'));
    let controllers = std::fs::read_to_string(folder.join("cgroup.controllers"));
    let controllers = controllers.unwrap_or_default();
    let missing: Vec<&str> = ["memory", "pids"]
        .into_iter()
        .filter(|wanted| !controllers.split_whitespace().any(|name| name == *wanted))
        .collect();
    if !missing.is_empty() {
        return format!("without the controllers {}", missing.join(" and "));
    }
    let writable = ["cgroup.procs", "cgroup.subtree_control"]
        .iter()
        .all(|file| rustix::fs::access(folder.join(file), rustix::fs::Access::WRITE_OK).is_ok());
    let state = if writable {
        "delegated"
    } else {
        "not delegated"
    };
    format!("{state}: {}", folder.display())
}

/// The folder of the second version, as the kernel lists it.
fn own_cgroup(list: &str) -> Option<&str> {
    list.lines().find_map(|line| line.strip_prefix("0::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_that_fails_says_why() {
        let refused = in_child(|| {
            Err(LayerError {
                layer: "landlock",
                what: "there is none".to_owned(),
                remedy: "take a newer kernel".to_owned(),
                errno: libc::ENOSYS,
            })
        });
        assert_eq!(
            refused,
            Err("landlock: there is none; take a newer kernel".to_owned())
        );
    }

    #[test]
    fn a_layer_that_ends_its_process_does_not_hold() {
        assert_eq!(
            in_child(|| sys::leave(3)),
            Err("ended without a word".to_owned())
        );
    }

    #[test]
    fn a_layer_tried_leaves_the_caller_as_it_was() {
        let before = std::fs::read_link("/proc/self/ns/mnt").ok();
        let layers = tried();
        assert_eq!(std::fs::read_link("/proc/self/ns/mnt").ok(), before);
        assert_eq!(layers.len(), 6);
        // Where one namespace cannot be had, no root can: never the other way round.
        assert!(layers[0].held.is_ok() || layers[1].held.is_err());
    }

    #[test]
    fn the_second_version_is_found_among_the_first() {
        let list = "12:pids:/a\n1:name=systemd:/b\n0::/user.slice/x\n";
        assert_eq!(own_cgroup(list), Some("/user.slice/x"));
        assert_eq!(own_cgroup("12:pids:/a\n"), None);
    }

    #[test]
    fn settings_that_forbid_are_named() {
        let settings = Settings {
            none_of: vec!["user"],
            unprivileged: Some(false),
            apparmor: Some(true),
        };
        let said = user_namespaces(&settings);
        for name in ["max_user_namespaces", "userns_clone", "apparmor_restrict"] {
            assert!(said.contains(name), "{said}");
        }
        assert_eq!(
            user_namespaces(&Settings::default()),
            "no setting forbids them"
        );
    }
}
