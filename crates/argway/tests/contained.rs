//! In a container, the process group may be one that nobody there can name.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::process::Command;

use snapbox::cmd::cargo_bin;
use world::World;

const UNSHARE: [&str; 5] = [
    "--user",
    "--map-root-user",
    "--pid",
    "--fork",
    "--mount-proc",
];

#[test]
fn a_process_group_from_outside_the_container_does_no_harm() {
    let unshare = || {
        let mut command = Command::new("unshare");
        command.args(UNSHARE);
        command
    };
    // Some systems keep namespaces from ordinary users: there is no such place there.
    if !unshare().arg("true").status().is_ok_and(|it| it.success()) {
        return;
    }
    let world = World::new();
    let output = unshare()
        .arg(cargo_bin!("argway"))
        .args(["call", "toy", "toy_item_list", "{}"])
        .env(
            "PATH",
            format!("{}:/usr/bin:/bin", world.path("bin").display()),
        )
        .env("HOME", world.path("home"))
        .env("XDG_CACHE_HOME", world.path("cache"))
        .env("TOY_TRACE", world.path("trace"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    assert!(world.trace().contains("item list"), "{}", world.trace());
}
