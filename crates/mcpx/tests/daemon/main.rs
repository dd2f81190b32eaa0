//! The daemon's door as a shell meets it: the real binary, and what can go wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

mod world;

use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use rustix::process::Uid;
use world::{NOBODY, World, is_root, until};

#[test]
fn a_hundred_clients_on_a_cold_start_share_one_daemon() {
    let world = World::new();
    let spawn = |_| world.mcpx().spawn().unwrap();
    let clients: Vec<_> = (0..100).map(spawn).collect();
    for client in clients {
        world::ended(client.wait_with_output().unwrap(), 0, "");
    }
    let daemons = world.daemons();
    assert_eq!(
        daemons,
        [world.daemon()],
        "one, and it wrote the state file"
    );
}

#[test]
fn a_second_call_meets_the_same_daemon() {
    let world = World::new();
    world.run([]).code(0);
    let first = world.daemon();
    world.run([]).code(0);
    assert_eq!(world.daemon(), first);
}

#[test]
fn a_daemon_that_was_killed_is_replaced_at_the_next_call() {
    let world = World::new();
    for _ in 0..3 {
        world.run([]).code(0);
        world.kill(world.daemon());
    }
}

#[test]
fn a_stale_socket_and_a_stale_state_file_are_replaced() {
    let world = World::new();
    world.run([]).code(0);
    let state = fs::read(world.state()).unwrap();
    world.kill(world.daemon());
    assert!(world.socket().exists());
    world.run([]).code(0);
    world.kill(world.daemon());
    fs::remove_file(world.state()).unwrap();
    world.run([]).code(0);
    world.kill(world.daemon());

    // A socket on which nobody ever listened as the state file says.
    fs::remove_file(world.socket()).unwrap();
    drop(UnixListener::bind(world.socket()).unwrap());
    fs::write(world.state(), state).unwrap();
    world.run([]).code(0);
}

#[test]
fn a_listener_that_is_no_daemon_is_replaced() {
    for said in ["", "HTTP/1.1 400 Bad Request\r\n\r\n"] {
        let world = World::new();
        let impostor = world.impostor(said.as_bytes().to_vec());
        world.run([]).code(0);
        assert_eq!(impostor.join().unwrap(), 1, "{said:?}");
    }
}

#[test]
fn a_daemon_that_refuses_is_replaced() {
    let world = World::new();
    let refused = [0x82, 2, 0, 0, 0, b'n', b'o'];
    let impostor = world.impostor([world.greeting(), refused.to_vec()].concat());
    world.run([]).code(0);
    assert_eq!(impostor.join().unwrap(), 1);
}

#[test]
fn a_command_is_not_said_again_once_a_daemon_greeted() {
    let world = World::new();
    let impostor = world.impostor(world.greeting());
    let failed = world.run([]).code(3);
    failed.stderr("mcpx: the daemon ended during the call\n");
    assert_eq!(impostor.join().unwrap(), 1);
    assert_eq!(world.daemons(), []);
}

#[test]
fn wrong_nonces_have_the_daemon_replaced() {
    let world = World::new();
    for name in ["daemon", "client"] {
        world.run([]).code(0);
        let before = world.daemon();
        let state = fs::read_to_string(world.state()).unwrap();
        let place = state.find(&format!("{name} ")).unwrap() + name.len() + 1;
        let other = if state[place..].starts_with('0') {
            "1"
        } else {
            "0"
        };
        let state = format!("{}{other}{}", &state[..place], &state[place + 1..]);
        fs::write(world.state(), state).unwrap();
        world.run([]).code(0);
        assert_ne!(world.daemon(), before, "{name}");
        until("the old daemon ends", || !world::is_alive(before));
    }
}

#[test]
fn a_daemon_of_another_build_is_replaced() {
    let world = World::new();
    world.run([]).code(0);
    let before = world.daemon();
    let other = world.other_build();
    world::ended(world.program(&other).output().unwrap(), 0, "");
    assert_ne!(world.daemon(), before);
    until("the old daemon ends", || !world::is_alive(before));
    assert_eq!(world.daemons(), [world.daemon()]);
    world.run([]).code(0);
}

#[test]
fn a_call_that_runs_is_finished_by_the_outdated_daemon() {
    let world = World::new().with_slow_server();
    let call = world.slow_call();
    let before = world.daemon();
    let other = world.other_build();
    world::ended(world.program(&other).output().unwrap(), 0, "slow\n");
    assert_ne!(world.daemon(), before);
    assert!(world::is_alive(before));
    world.let_the_slow_call_end();
    let output = call.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "done");
    world::ended(output, 0, "done");
    until("the old daemon ends", || !world::is_alive(before));
}

#[test]
fn a_daemon_that_is_killed_during_a_call_is_said_to_have_ended() {
    let world = World::new().with_slow_server();
    let call = world.slow_call();
    world.kill(world.daemon());
    let output = call.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr, "mcpx: the daemon ended during the call\n");
    world.run([]).code(0).stdout("slow\n");
}

#[test]
fn a_daemon_of_somebody_else_is_told_nothing() {
    if !is_root() {
        return;
    }
    let world = World::new();
    world.run([]).code(0);
    // A folder of the other user's own, in which only the socket is not.
    let others = world.folder("others");
    fs::create_dir_all(others.join("mcpx")).unwrap();
    symlink(world.socket(), others.join("mcpx/mcpx.sock")).unwrap();
    fs::copy(world.state(), others.join("mcpx/mcpx.state")).unwrap();
    for path in [
        &others,
        &others.join("mcpx"),
        &others.join("mcpx/mcpx.state"),
    ] {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    fs::set_permissions(others.join("mcpx"), fs::Permissions::from_mode(0o700)).unwrap();
    world.open_to_everybody();
    let mut command = world.program(&world.public_copy());
    let command = command.env("XDG_RUNTIME_DIR", &others).uid(NOBODY);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("belongs to user 0, not to you (user 65534)"),
        "{stderr}"
    );
    assert_eq!(world.daemons().len(), 1);
}

#[test]
fn a_folder_of_somebody_else_is_refused() {
    if !is_root() {
        return;
    }
    let world = World::new();
    world.run([]).code(0);
    world.open_to_everybody();
    let mut command = world.program(&world.public_copy());
    let output = command.uid(NOBODY).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("belongs to user 0, not to you"), "{stderr}");
}

#[test]
fn a_client_of_somebody_else_is_told_nothing() {
    if !is_root() {
        return;
    }
    let world = World::new();
    world.run([]).code(0);
    world.open_to_everybody();
    let socket = world.socket();
    // Linux gives every thread a user of its own.
    let knock = std::thread::spawn(move || {
        rustix::thread::set_thread_uid(Uid::from_raw(NOBODY)).unwrap();
        let mut heard = Vec::new();
        let mut stream = UnixStream::connect(socket).unwrap();
        stream.read_to_end(&mut heard).unwrap();
        heard
    });
    assert_eq!(knock.join().unwrap(), b"");
    world.run([]).code(0);
    assert_eq!(world.daemons().len(), 1);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let world = World::new();
    let closed = world.folder("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    let mut command = world.program(&world.public_copy());
    command.env("XDG_RUNTIME_DIR", &closed);
    if is_root() {
        command.uid(NOBODY);
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let stderr = String::from_utf8_lossy(&output.stderr);
    let expected = format!("mcpx: {}/mcpx cannot be made: ", closed.display());
    assert!(stderr.starts_with(&expected), "{stderr}");
    assert_eq!(stderr.lines().count(), 1);
}

#[test]
fn a_folder_that_others_can_write_to_is_refused_until_it_is_private() {
    let world = World::new();
    let folder = world.runtime().join("mcpx");
    fs::create_dir(&folder).unwrap();
    let mode = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o777);
    let refused = world.run([]).code(3);
    refused.stderr_has("(mode 777); make it yours alone: chmod 700 ");
    world.run(["-q"]).code(3).stderr("");
    assert_eq!(world.daemons(), []);
    mode(0o700);
    world.run([]).code(0);
}

#[test]
fn everything_in_the_folder_is_for_the_owner_alone() {
    let world = World::new();
    world.run([]).code(0);
    let folder = world.runtime().join("mcpx");
    let mode = |path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(folder.clone()), 0o700);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(path.clone()), 0o600, "{}", path.display());
    }
}

#[test]
fn a_socket_path_that_is_too_long_has_a_short_one_instead() {
    let world = World::new();
    let long = world.folder(&"long".repeat(40));
    let run = || world.mcpx().env("XDG_RUNTIME_DIR", &long).output().unwrap();
    world::ended(run(), 0, "");
    let daemons = world.daemons();
    assert_eq!(daemons.len(), 1);
    world::ended(run(), 0, "");
    assert_eq!(world.daemons(), daemons);
    let short = world::folder_of_daemon(daemons[0]);
    assert!(short.join("mcpx.sock").as_os_str().len() < 108);
    assert_eq!(fs::metadata(&short).unwrap().mode() & 0o777, 0o700);
    world.kill(daemons[0]);
    fs::remove_dir_all(short).unwrap();
}

#[test]
fn the_daemon_is_on_its_own() {
    let world = World::new();
    let mut shell = world.program("/bin/sh".as_ref());
    // Kills everything in the shell's process group, itself too.
    let script = format!("'{}'; kill -9 0", world.binary().display());
    let output = shell.args(["-c", &script]).process_group(0).output();
    assert_eq!(output.unwrap().status.code(), None);
    let daemon = world.daemon();
    assert!(world::is_alive(daemon));
    let stat = fs::read_to_string(format!("/proc/{daemon}/stat")).unwrap();
    let fields: Vec<_> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    let number = |index: usize| fields[index].parse::<i32>().unwrap();
    assert_eq!(
        (number(2), number(3)),
        (daemon, daemon),
        "group and session"
    );
    assert_eq!(number(4), 0, "no terminal");
    let folder = fs::read_link(format!("/proc/{daemon}/cwd")).unwrap();
    assert_eq!(folder, std::path::Path::new("/"));
    world.run([]).code(0);
    assert_eq!(world.daemon(), daemon);
}

#[test]
fn the_daemon_holds_nothing_that_the_caller_had_open() {
    let world = World::new();
    let file = world.folder("files").join("three");
    let mut shell = world.program("/bin/sh".as_ref());
    let script = format!(
        "exec 3>'{}' 4>&1 5>&2; '{}'",
        file.display(),
        world.binary().display()
    );
    // Comes back only when nobody holds the pipes of the output any more.
    let output = shell.args(["-c", &script]).output().unwrap();
    world::ended(output, 0, "");
    let daemon = world.daemon();
    assert!(world::is_alive(daemon));
    for entry in fs::read_dir(format!("/proc/{daemon}/fd")).unwrap() {
        let path = entry.unwrap().path();
        assert_ne!(
            fs::read_link(&path).ok(),
            Some(file.clone()),
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_binary_that_was_removed_while_it_runs_still_starts_its_daemon() {
    let world = World::new();
    let copy = world.public_copy();
    let folder = world.runtime().join("mcpx");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    // The client waits for the lock, while its binary goes.
    let lock = fs::File::create(folder.join("mcpx.lock")).unwrap();
    lock.lock().unwrap();
    let client = world.program(&copy).spawn().unwrap();
    let opened = format!("/proc/{}/fd", client.id());
    until("the client waits", || {
        let mut files = fs::read_dir(&opened).unwrap().flatten();
        files.any(|file| fs::read_link(file.path()).is_ok_and(|to| to.ends_with("mcpx.lock")))
    });
    fs::remove_file(&copy).unwrap();
    drop(lock);
    world::ended(client.wait_with_output().unwrap(), 0, "");
    assert!(world::is_alive(world.daemon()));
}

#[test]
fn a_daemon_that_nobody_needs_ends_and_leaves_nothing_behind() {
    let world = World::new().idle("50ms");
    world.run([]).code(0);
    until("the daemon ends", || world.daemons().is_empty());
    assert!(!world.socket().exists());
    assert!(!world.state().exists());
    world.run([]).code(0);
}

#[test]
fn no_call_is_lost_while_daemons_end() {
    let world = World::new().idle("1ms");
    for _ in 0..10 {
        let spawn = |_| world.mcpx().spawn().unwrap();
        let clients: Vec<_> = (0..5).map(spawn).collect();
        for client in clients {
            world::ended(client.wait_with_output().unwrap(), 0, "");
        }
    }
}

#[test]
fn a_daemon_that_is_told_to_end_does() {
    for signal in [
        rustix::process::Signal::TERM,
        rustix::process::Signal::INT,
        rustix::process::Signal::HUP,
    ] {
        let world = World::new();
        world.run([]).code(0);
        let daemon = world.daemon();
        world::signal(daemon, signal);
        until("the daemon ends", || !world::is_alive(daemon));
        assert!(!world.socket().exists());
        assert!(!world.state().exists());
    }
}

#[test]
fn what_keeps_a_daemon_from_starting_is_said() {
    let world = World::new().idle("soon");
    let failed = world.run([]).code(3);
    failed.stderr_has("mcpx: the daemon did not start: MCPX_IDLE: `soon` is not a duration");
    assert_eq!(world.daemons(), []);

    let world = World::new();
    fs::create_dir_all(world.socket()).unwrap();
    let failed = world.run([]).code(3);
    failed.stderr_has("mcpx.sock cannot be replaced: ");
}

#[test]
fn without_a_home_nothing_is_started() {
    let world = World::new();
    let output = world.mcpx().env_remove("HOME").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("mcpx: HOME is not set"), "{stderr}");
}

#[test]
fn the_version_and_the_help_start_no_daemon_and_need_no_home() {
    let world = World::new();
    for word in ["--version", "--help"] {
        let output = world.mcpx().arg(word).env_remove("HOME").output().unwrap();
        assert!(output.status.success());
        assert!(!output.stdout.is_empty());
    }
    assert_eq!(world.daemons(), []);
}

#[test]
fn a_reader_that_left_is_no_error() {
    let world = World::new();
    for word in ["--help", "--version"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = world.mcpx();
        let client = command.arg(word).stdout(writer).stderr(Stdio::piped());
        let output = client.spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[test]
fn no_secret_of_the_first_caller_lives_on_in_the_daemon() {
    let world = World::new();
    let mut first = world.mcpx();
    let output = first.env("MY_TOKEN", "hush-hush").output().unwrap();
    assert!(output.status.success());
    let environment = std::fs::read(format!("/proc/{}/environ", world.daemon())).unwrap();
    let environment = String::from_utf8_lossy(&environment);
    assert!(environment.contains("XDG_RUNTIME_DIR="), "{environment}");
    assert!(!environment.contains("hush-hush"), "{environment}");
}
