//! Commands that are not what they should be, and programs that behave badly.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::stage::{Case, all_are_answered, definition, file, shell};
use crate::world::World;

fn runs(command: &str) -> String {
    definition(&format!("\"{command}\""), "args false")
}

#[test]
fn a_command_that_cannot_be_run_says_why() {
    let left_out = |why: &str| {
        format!(
            "WORLD/t.kdl:1: cli_t is left out: {why}\nargway: WORLD/t.kdl has no definition that can be used"
        )
    };
    let with = |name: &'static str, text: &'static str, mode: u32| {
        move |world: &World| file(world, name, text, mode)
    };
    let no_program = "WORLD/x cannot be started: it is no program for this machine; a script begins with a line like `#!/bin/sh`";
    all_are_answered(&[
        Case::call("a folder", runs("WORLD/work"), "{}").fails(3, &left_out("WORLD/work is a folder")),
        Case::call("not executable", runs("WORLD/x"), "{}")
            .after(with("x", "#!/bin/sh\n", 0o644))
            .fails(3, &left_out("WORLD/x is not executable")),
        Case::call("a device", runs("/dev/null"), "{}")
            .fails(3, &left_out("/dev/null is not executable")),
        Case::call("a link to nowhere", runs("WORLD/x"), "{}")
            .after(|world| symlink("none", world.path("x")).unwrap())
            .fails(3, &left_out("WORLD/x does not exist")),
        Case::call("a link to itself", runs("WORLD/x"), "{}")
            .after(|world| symlink("x", world.path("x")).unwrap())
            .says(3, &["WORLD/x cannot be looked at: Too many levels of symbolic links"]),
        Case::call("a name that is nowhere", runs("no-such-program"), "{}")
            .says(3, &["no program is called `no-such-program`; looked in /usr/bin, /bin"]),
        Case::call("nothing", runs(""), "{}").mistaken("`command` is empty"),
        Case::call("a relative path", runs("./x"), "{}").mistaken("\"./x\" is a relative path"),
        Case::call("a line", runs("rm -rf x"), "{}").mistaken("is not the name of one program"),
        Case::call("a script without its first line", runs("WORLD/x"), "{}")
            .after(with("x", "echo hi\n", 0o755))
            .fails(3, no_program),
        Case::call("an empty file", runs("WORLD/x"), "{}")
            .after(with("x", "", 0o755))
            .fails(3, no_program),
        Case::call("half a program", runs("WORLD/x"), "{}")
            .after(with("x", "\x7fELF", 0o755))
            .fails(3, no_program),
        Case::call("a script whose interpreter is missing", runs("WORLD/x"), "{}")
            .after(with("x", "#!/no/such/sh\n", 0o755))
            .fails(3, "WORLD/x cannot be started: the interpreter that it names in its first line, or its loader, is not there"),
    ]);
}

#[test]
fn however_a_program_ends_it_is_told() {
    let mut cases: Vec<Case> = [
        ("HUP", 1),
        ("INT", 2),
        ("QUIT", 3),
        ("ILL", 4),
        ("ABRT", 6),
        ("BUS", 7),
        ("FPE", 8),
        ("KILL", 9),
        ("USR1", 10),
        ("SEGV", 11),
        ("PIPE", 13),
        ("ALRM", 14),
        ("TERM", 15),
        ("SYS", 31),
    ]
    .iter()
    .map(|(name, number)| {
        Case::call(name, shell(&format!("kill -{name} $$"), ""), "{}")
            .fails(1, &format!("cli_t: ended by signal {number}"))
    })
    .collect();
    cases.extend([
        Case::call(
            "with a core",
            shell("ulimit -c unlimited 2>/dev/null; kill -SEGV $$", ""),
            "{}",
        )
        .fails(1, "cli_t: ended by signal 11"),
        Case::call("stopped", shell("kill -STOP $$", "timeout 500"), "{}").says(
            1,
            &["cli_t: ended after 500ms; give it longer with --timeout"],
        ),
        Case::call("255", shell("exit 255", ""), "{}").answers(1, "", &[]),
        Case::call(
            "a failure that is allowed",
            shell("exit 255", "allow_failure true"),
            "{}",
        )
        .prints(""),
        Case::call("too late", shell("sleep 60", "timeout 200"), "{}")
            .fails(1, "cli_t: ended after 200ms; give it longer with --timeout"),
        Case::call(
            "deaf to every signal",
            shell(
                "trap '' TERM INT HUP; while :; do sleep 1; done",
                "timeout 200",
            ),
            "{}",
        )
        .fails(1, "cli_t: ended after 200ms; give it longer with --timeout"),
    ]);
    all_are_answered(&cases);
}

#[test]
fn whatever_a_program_does_with_its_pipes_the_call_ends() {
    let stdin = json!({"stdin": "x".repeat(10_000_000)}).to_string();
    let reads = |line: &str, body: &str| shell(line, &format!("stdin\n    {body}"));
    let small = "sandbox { resources { output_mb 1; }; }";
    let flooded = "cli_t: ended after 1048576 bytes of output; allow more with --max-spill";
    all_are_answered(&[
        Case::call("prints for ever", shell("yes", small), "{}")
            .prints_anything()
            .fails(1, flooded),
        Case::call("complains for ever", shell("yes >&2", small), "{}")
            .word("--json")
            .prints_with(&["\"exitCode\": 153"])
            .says(1, &[]),
        Case::call(
            "prints one endless line",
            shell("tr '\\0' x < /dev/zero", small),
            "{}",
        )
        .prints_anything()
        .fails(1, flooded),
        Case::call(
            "does not read its input",
            reads("echo done", ""),
            stdin.clone(),
        )
        .prints("done\n"),
        Case::call(
            "never reads its input",
            reads("sleep 60", "timeout 300"),
            stdin.clone(),
        )
        .fails(1, "cli_t: ended after 300ms; give it longer with --timeout"),
        Case::call(
            "closes its input early",
            reads("exec <&-; sleep 0.2; echo done", ""),
            stdin,
        )
        .prints("done\n"),
        Case::call(
            "closes its output and lives on",
            shell("exec >&- 2>&-; sleep 0.5; exit 7", ""),
            "{}",
        )
        .word("--json")
        .prints_with(&["\"exitCode\": 7"])
        .says(1, &[]),
        Case::call(
            "leaves a daemon",
            shell("(setsid sleep 3600 >/dev/null 2>&1 &); echo done", ""),
            "{}",
        )
        .prints("done\n"),
        Case::call(
            "leaves a daemon that holds its output",
            shell("setsid sleep 3600 & echo done", ""),
            "{}",
        )
        .prints("done\n"),
        Case::call("prints no text", shell("printf '\\377\\376'", ""), "{}")
            .word("--json")
            .prints_with(&["\"stdout\": \"\u{fffd}\u{fffd}\""]),
        Case::call(
            "prints terminal escapes",
            shell("printf '\\033[31mred\\033]0;title\\007\\n'", ""),
            "{}",
        )
        .word("--json")
        .prints_with(&["\"stdout\": \"red\""]),
        Case::call("prints only to stderr", shell("echo e >&2", ""), "{}").answers(0, "", &["e\n"]),
        Case::call(
            "5 MB of stderr",
            shell("head -c 5000000 /dev/zero >&2", ""),
            "{}",
        )
        .word("--json")
        .prints_with(&["\"truncated\"", "\"bytes\": 5000000"]),
    ]);
}

#[test]
fn a_program_that_removes_itself_runs_to_its_end() {
    all_are_answered(&[Case::call(
        "a program that removes itself",
        definition("\"WORLD/work/x\"", "args false"),
        "{}",
    )
    .after(|world| {
        let program = world.path("work/x");
        file(world, "work/x", "#!/bin/sh\nrm \"$0\"\necho done\n", 0o755);
        assert!(fs::metadata(program).is_ok());
    })
    .prints("done\n")]);
}
