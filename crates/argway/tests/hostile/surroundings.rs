//! Machines in a bad state: variables, folders and streams that are not there.

use std::fs;

use crate::stage::{Case, all_are_answered};

fn called() -> [&'static str; 3] {
    ["call", "WORLD/t.kdl", "cli_t"]
}

#[test]
fn a_home_that_is_none_costs_only_what_needs_one() {
    let mut cases = Vec::new();
    for home in [None, Some(""), Some("relative"), Some("/no/such/home")] {
        let what = format!("HOME is {home:?}");
        cases.push(
            Case::argway(&what, called())
                .variable("HOME", home)
                .prints("hi\n"),
        );
    }
    for home in [None, Some(""), Some("relative")] {
        cases.push(
            Case::argway(&format!("tools without a home: {home:?}"), ["tools"])
                .variable("HOME", home)
                .fails(3, "no definition is in force: neither XDG_CONFIG_HOME nor HOME names a folder, and no project is here"),
        );
        cases.push(
            Case::argway(&format!("trust without a home: {home:?}"), ["trust", "--list"])
                .variable("HOME", home)
                .fails(3, "there is nowhere to keep what is trusted: neither XDG_STATE_HOME nor HOME names a folder"),
        );
    }
    for name in [
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "XDG_RUNTIME_DIR",
    ] {
        let what = format!("a relative {name} says nothing");
        cases.push(
            Case::argway(&what, called())
                .variable(name, Some("relative"))
                .prints("hi\n"),
        );
    }
    all_are_answered(&cases);
}

#[test]
fn a_temporary_folder_that_is_none_is_named() {
    let none = |folder: &str, why: &str| {
        format!(
            "the sandbox cannot hold here: temporary folder: none could be made in {folder}: {why}; let TMPDIR name a folder that this user can write to"
        )
    };
    all_are_answered(&[
        Case::argway("not there", called())
            .variable("TMPDIR", Some("/no/such/folder"))
            .fails(
                3,
                &none("/no/such/folder", "No such file or directory (os error 2)"),
            ),
        Case::argway("a file", called())
            .variable("TMPDIR", Some("/dev/null"))
            .fails(3, &none("/dev/null", "Not a directory (os error 20)")),
        Case::argway("one where nothing can be made", called())
            .variable("TMPDIR", Some("/proc"))
            .says(3, &["none could be made in /proc: "]),
        Case::argway("an empty TMPDIR says nothing", called())
            .variable("TMPDIR", Some(""))
            .prints("hi\n"),
    ]);
}

#[test]
fn programs_are_looked_for_in_absolute_folders_only() {
    let mut cases = Vec::new();
    for path in [None, Some(""), Some(".:bin"), Some("::")] {
        cases.push(
            Case::argway(&format!("PATH is {path:?}"), called())
                .variable("PATH", path)
                .after(|world| {
                    crate::stage::file(world, "work/echo", "#!/bin/sh\necho stolen\n", 0o755);
                    crate::stage::file(world, "work/bin/echo", "#!/bin/sh\necho stolen\n", 0o755);
                })
                .prints("hi\n"),
        );
    }
    all_are_answered(&cases);
}

#[test]
fn a_working_folder_that_is_gone_is_told() {
    let gone = "the working folder cannot be looked at: No such file or directory (os error 2)";
    let line = |verb: &str| {
        format!("mkdir WORLD/gone; cd WORLD/gone; rmdir WORLD/gone; exec $ARGWAY {verb}")
    };
    all_are_answered(&[
        Case::line("a call", &line("call WORLD/t.kdl cli_t")).fails(3, gone),
        Case::line("a list", &line("tools")).fails(3, gone),
        Case::line("a server", &line("serve WORLD/t.kdl")).fails(3, gone),
    ]);
}

#[test]
fn streams_that_are_closed_or_full_are_no_reason_to_hang() {
    let full = "the result could not be written: No space left on device (os error 28)";
    let call = "$ARGWAY call WORLD/t.kdl cli_t";
    let line = |what: &str, rest: &str| Case::line(what, &format!("{call} {rest}"));
    all_are_answered(&[
        line("no stdin", "<&-").prints("hi\n"),
        line("no stdin to read arguments from", "- <&-")
            .says(2, &["the arguments are not JSON (EOF"]),
        line("a folder as stdin", "- < /").fails(
            2,
            "the arguments could not be read from stdin: Is a directory (os error 21)",
        ),
        line("no stdout", ">&-").prints(""),
        line("no stderr", "2>&-").prints("hi\n"),
        line("none at all", "<&- >&- 2>&-").prints(""),
        line("a full disk", "> /dev/full").fails(1, full),
        Case::line(
            "a list on a full disk",
            "$ARGWAY tools WORLD/t.kdl > /dev/full",
        )
        .fails(1, full),
        Case::line(
            "an error on a full disk",
            "$ARGWAY call WORLD/t.kdl none 2> /dev/full",
        )
        .answers(2, "", &[]),
        Case::line(
            "a reader that leaves",
            "$ARGWAY call WORLD/t.kdl cli_t | true",
        )
        .prints(""),
        Case::line("a server without stdin", "$ARGWAY serve WORLD/t.kdl <&-").prints(""),
        Case::line("a server without stdout", "$ARGWAY serve WORLD/t.kdl >&-").prints(""),
        Case::line(
            "a server on a full disk",
            "$ARGWAY serve WORLD/t.kdl > /dev/full",
        )
        .stdin("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
        .fails(
            3,
            "serving over stdin and stdout: No space left on device (os error 28)",
        ),
    ]);
}

#[test]
fn output_that_cannot_be_kept_anywhere_is_still_bounded() {
    all_are_answered(&[Case::argway(
        "a cache that is a file",
        ["call", "WORLD/t.kdl", "cli_t", "--json"],
    )
    .defined(crate::stage::shell(
        "head -c 3000000 /dev/zero | tr '\\0' x",
        "",
    ))
    .after(|world| {
        fs::remove_dir_all(world.path("cache")).unwrap();
        world.file("cache", "");
    })
    .prints_with(&["\"truncated\"", "\"bytes\": 3000000"])]);
}
