//! In a container, processes may be outside that nobody there can name: the caller's
//! group, and the daemon.

use super::{works, world};

const UNSHARE: [&str; 5] = [
    "--user",
    "--map-root-user",
    "--pid",
    "--fork",
    "--mount-proc",
];

#[test]
fn a_call_in_a_container_has_a_daemon_inside_or_outside() {
    let world = world(&[]);
    let unshare = || world.run("unshare").args(UNSHARE);
    // Some systems keep namespaces from ordinary users: there is no such place there.
    if !unshare().args(["true"]).output().status.success() {
        return;
    }
    let inside = || {
        let call = unshare().args([snapbox::cmd::cargo_bin!("mcpx")]);
        let call = call.args(["fake", "add", "--a=1", "--b=2"]);
        call.assert().success().stdout_eq("3").stderr_eq("");
    };
    // The daemon is inside, and ends with the container.
    inside();
    assert_eq!(world.running(), [""; 0]);
    // The daemon is outside.
    works(&world, "fake");
    let daemon = world.daemon();
    inside();
    assert_eq!(world.daemon(), daemon);
}
