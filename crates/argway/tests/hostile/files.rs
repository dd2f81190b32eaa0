//! Files of definitions and of trust that are not what they should be.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::ground::{Ground, Who, finish};
use crate::stage::{Case, all_are_answered, definition, file};
use crate::world::World;

fn right() -> String {
    definition(r#""echo" "hi""#, "args false")
}

#[test]
fn a_file_that_is_none_or_anybodys_is_not_read() {
    let refused = |what: &str, prepare: fn(&World), why: &str| {
        let message = format!("{why}\nargway: WORLD/z.kdl has no definition that can be used");
        Case::argway(what, ["tools", "WORLD/z.kdl"])
            .after(prepare)
            .fails(3, &message)
    };
    let special = "WORLD/z.kdl is a pipe or a device, not a file with definitions";
    let open = "WORLD/z.kdl can be changed by everybody on this machine and is not used; run: chmod o-w WORLD/z.kdl";
    all_are_answered(&[
        refused(
            "a pipe",
            |world| mknodat(CWD, world.path("z.kdl"), FileType::Fifo, Mode::RUSR, 0).unwrap(),
            special,
        ),
        refused(
            "a device",
            |world| symlink("/dev/zero", world.path("z.kdl")).unwrap(),
            special,
        ),
        refused(
            "a link to itself",
            |world| symlink("z.kdl", world.path("z.kdl")).unwrap(),
            "WORLD/z.kdl cannot be read: Too many levels of symbolic links (os error 40)",
        ),
        refused(
            "a link to nowhere",
            |world| symlink("none", world.path("z.kdl")).unwrap(),
            "WORLD/z.kdl does not exist",
        ),
        refused(
            "open to all",
            |world| file(world, "z.kdl", right(), 0o666),
            open,
        ),
        refused(
            "a process's memory",
            |world| symlink("/proc/self/mem", world.path("z.kdl")).unwrap(),
            "WORLD/z.kdl cannot be read: Input/output error (os error 5)",
        ),
        Case::argway("an empty folder", ["tools", "WORLD/z.kdl"])
            .after(|world| fs::create_dir(world.path("z.kdl")).unwrap())
            .fails(3, "WORLD/z.kdl has no definition that can be used"),
        Case::argway("a name that is no UTF-8", ["tools"])
            .word(b"\xff.kdl".to_vec())
            .says(2, &["invalid UTF-8 was detected in one or more arguments"]),
        Case::argway("a folder with a name that is no UTF-8", ["tools"])
            .after(|world| {
                use std::os::unix::ffi::OsStrExt;
                let folder = world.path("home/.config/argway/cli");
                fs::create_dir_all(&folder).unwrap();
                let name = std::ffi::OsStr::from_bytes(b"\xff.kdl");
                fs::write(folder.join(name), right()).unwrap();
            })
            .prints("cli_t  unknown      x\n"),
    ]);
}

#[test]
fn trust_that_somebody_else_could_have_given_is_none() {
    const STORE: &str = "home/.local/state/argway/trust";
    let not_yet = "is not trusted yet and is not used; look at it, then run: argway trust";
    /// A project's file that was trusted, and then something is done to the store.
    fn trusted(world: &World) {
        world.file("work/argway.kdl", &right());
        let trust = world.command(["trust"]);
        trust.current_dir(world.path("work")).assert().success();
    }
    fn entry(world: &World) -> std::path::PathBuf {
        let mut entries = fs::read_dir(world.path(STORE)).unwrap();
        entries.next().unwrap().unwrap().path()
    }
    all_are_answered(&[
        Case::argway("as it was", ["tools"])
            .after(trusted)
            .prints("cli_t  unknown      x\n"),
        Case::argway("a damaged entry", ["tools"])
            .after(|world| {
                trusted(world);
                fs::write(entry(world), b"{\"path\": \"\xff").unwrap();
            })
            .says(3, &[not_yet]),
        Case::argway("an entry that is a link", ["tools"])
            .after(|world| {
                trusted(world);
                let entry = entry(world);
                fs::rename(&entry, world.path("elsewhere")).unwrap();
                symlink(world.path("elsewhere"), &entry).unwrap();
            })
            .says(3, &[not_yet]),
        Case::argway("an entry that is open to all", ["tools"])
            .after(|world| {
                trusted(world);
                fs::set_permissions(entry(world), Permissions::from_mode(0o666)).unwrap();
            })
            .says(3, &[not_yet]),
        Case::argway("an entry that is a pipe", ["tools"])
            .after(|world| {
                trusted(world);
                let entry = entry(world);
                fs::remove_file(&entry).unwrap();
                mknodat(CWD, &entry, FileType::Fifo, Mode::RUSR, 0).unwrap();
            })
            .says(3, &[not_yet]),
        Case::argway("the entry of another file", ["tools"])
            .after(|world| {
                trusted(world);
                let entry = entry(world);
                let text = fs::read_to_string(&entry).unwrap();
                fs::write(&entry, text.replace("argway.kdl", "other.kdl")).unwrap();
            })
            .says(3, &[not_yet]),
        Case::argway("a store that is a link", ["trust"])
            .after(|world| {
                world.file("work/argway.kdl", &right());
                fs::create_dir_all(world.path("home/.local/state/argway")).unwrap();
                symlink(world.path("cache"), world.path(STORE)).unwrap();
            })
            .prints_anything()
            .says(
                3,
                &["WORLD/home/.local/state/argway/trust: not a directory"],
            ),
        Case::argway("a store that is a file", ["trust"])
            .after(|world| {
                world.file("work/argway.kdl", &right());
                world.file(STORE, "");
            })
            .prints_anything()
            .says(
                3,
                &["WORLD/home/.local/state/argway/trust: not a directory"],
            ),
        Case::argway("a file that has changed since", ["tools"])
            .after(|world| {
                trusted(world);
                world.file("work/argway.kdl", &(right() + "\n"));
            })
            .says(3, &["has changed since it was trusted and is not used"]),
    ]);
}

/// Root reads and writes everything, so an ordinary user tries.
#[test]
fn what_may_not_be_read_or_written_is_told() {
    let ground = Ground::new(Who::User);
    let definition = ground.file("t.kdl", &right());
    let told = |variables: &[(&str, &str)], words: &[&str]| {
        let mut command = ground.command(ground.argway());
        command
            .args(words)
            .arg(&definition)
            .envs(variables.iter().copied());
        let output = finish(command.spawn().unwrap());
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let path = definition.display();

    fs::set_permissions(&definition, Permissions::from_mode(0o200)).unwrap();
    let unreadable = format!(
        "argway: {path} cannot be read: Permission denied (os error 13)\nargway: {path} has no definition that can be used\n"
    );
    assert_eq!(told(&[], &["tools"]), (Some(3), unreadable));
    fs::set_permissions(&definition, Permissions::from_mode(0o600)).unwrap();

    let (code, text) = told(&[("XDG_STATE_HOME", "/usr")], &["trust"]);
    assert_eq!(code, Some(3), "{text}");
    assert!(
        text.contains("/usr/argway/trust: Permission denied"),
        "{text}"
    );

    let mut command = ground.command(ground.argway());
    command
        .arg("call")
        .arg(&definition)
        .arg("cli_t")
        .env("TMPDIR", "/usr");
    let output = finish(command.spawn().unwrap());
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert_eq!(
        text,
        "argway: the sandbox cannot hold here: temporary folder: none could be made in /usr: Permission denied (os error 13); let TMPDIR name a folder that this user can write to\n"
    );
}
