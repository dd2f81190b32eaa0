//! What a user sees who got something wrong: what, and what would be right.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use snapbox::str;
use world::World;

#[test]
fn no_verb_shows_the_help() {
    World::new().argway([]).code(2).stderr_eq(str![[r#"
Any command-line program as an MCP server, with no change to the program

Usage: argway [OPTIONS] <COMMAND>

Commands:
  try       Show what argway sees in a program: commands, effects, cost, one harmless call
  serve     Serve programs' commands as MCP tools over stdin and stdout
  tools     List the tools that a server would offer
  call      Call one tool and print what its command prints
  describe  Print what argway reads of a program: as JSON, as a definition, as a usage spec
  capture   Write the pages that argway reads of a program into a folder
  check     Show every mistake in definitions, with its place
  trust     Let definitions of a project be used, as they are now
  doctor    Show what the sandbox can promise on this machine, by trying it
  help      Print this message or the help of the given subcommand(s)

Options:
  -q, --quiet    Say nothing on stderr but errors
  -v, --verbose  Say on stderr what is being done
  -h, --help     Print help
  -V, --version  Print version

Start here:
  argway try git          what argway sees in a program, and what it would cost
  argway serve gh         gh's commands as MCP tools over stdio
  argway check            definitions of your own, in KDL: what is wrong with them

Exit codes: 0 done; 1 the called command failed; 2 wrong usage, arguments or definitions;
3 the program could not be read or started, or its sandbox does not hold here.

"#]]);
}

#[test]
fn a_wrong_verb_is_told_the_nearest() {
    World::new()
        .argway(["serv", "toy"])
        .code(2)
        .stderr_eq(str![[r#"
error: unrecognized subcommand 'serv'

  tip: a similar subcommand exists: 'serve'

Usage: argway [OPTIONS] <COMMAND>

For more information, try '--help'.

"#]]);
}

#[test]
fn a_wrong_flag_is_told_the_nearest() {
    World::new()
        .argway(["tools", "toy", "--read-olny"])
        .code(2)
        .stderr_eq(str![[r#"
error: unexpected argument '--read-olny' found

  tip: a similar argument exists: '--read-only'

Usage: argway tools --read-only <PROGRAM>...

For more information, try '--help'.

"#]]);
}

#[test]
fn a_wrong_time_says_how_times_are_written() {
    World::new()
        .argway(["call", "toy", "toy_nap", "--timeout", "soon"])
        .code(2)
        .stderr_eq(str![[r#"
error: invalid value 'soon' for '--timeout <TIME>': `soon` is not a duration; write it like 30s, 2m, 1h30m or 500ms

For more information, try '--help'.

"#]]);
}

#[test]
fn a_program_that_is_not_there() {
    World::new()
        .argway(["describe", "no-such-program"])
        .code(3)
        .stderr_eq(str![[r#"
argway: no program is called `no-such-program`; looked in [WORLD]/bin, /usr/bin, /bin

"#]]);
}

#[test]
fn a_path_that_is_not_there() {
    World::new()
        .argway(["describe", "./no/such/program"])
        .code(3)
        .stderr_eq(str![[r#"
argway: ./no/such/program does not exist

"#]]);
}

#[test]
fn a_file_that_cannot_be_run() {
    let world = World::new();
    let path = world.file("notes", "not a program");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    world
        .argway(["describe", "./notes"])
        .code(3)
        .stderr_eq(str![[r#"
argway: ./notes is not executable

"#]]);
}

#[test]
fn a_folder_is_not_a_program() {
    World::new()
        .argway(["describe", "./bin"])
        .code(3)
        .stderr_eq(str![[r#"
argway: ./bin is a folder

"#]]);
}

#[test]
fn a_program_with_spaces_in_its_path_is_read_and_called() {
    let world = World::new();
    fs::create_dir(world.path("bin/my tools")).unwrap();
    fs::rename(world.path("bin/toy"), world.path("bin/my tools/toy")).unwrap();
    world
        .argway(["call", "bin/my tools/toy", "toy_version"])
        .success()
        .stdout_eq("toy 1.0.0\n");
    world
        .argway(["call", "bin/my tools/toy", "toy_version", "--dry-run"])
        .success()
        .stdout_eq("'[..]/bin/my tools/toy' version\n");
}

#[test]
fn a_description_of_another_format_is_refused() {
    let world = World::new();
    world.file(
        "old.json",
        r#"{"argway": 99, "name": "x", "family": "cobra", "commands": []}"#,
    );
    world
        .argway(["tools", "old.json"])
        .code(3)
        .stderr_eq(str![[r#"
argway: old.json is not a description of a program: description format 99 is not the one this argway reads (1); describe the program again

"#]]);
}

#[test]
fn json_that_is_no_description_is_refused() {
    let world = World::new();
    world.file("package.json", r#"{"name": "x"}"#);
    world
        .argway(["tools", "package.json"])
        .code(3)
        .stderr_eq(str![[r#"
argway: package.json is no description that argway knows: not its own, a usage spec, OpenCLI, a carapace spec, `help --machine`, an oclif manifest, Swift's dump or .NET's schema

"#]]);
}

#[test]
fn a_transcript_folder_that_is_not_there() {
    World::new()
        .argway(["describe", "--transcript", "nowhere"])
        .code(3)
        .stderr_eq(str![[r#"
argway: nowhere is not a transcript: No such file or directory (os error 2)

"#]]);
}

#[test]
fn a_transcript_folder_without_pages() {
    let world = World::new();
    fs::create_dir(world.path("empty")).unwrap();
    world
        .argway(["describe", "--transcript", "empty"])
        .code(3)
        .stderr_eq(str![[r#"
argway: empty is not a transcript: has no file PROGRAM.help.txt

"#]]);
}

#[test]
fn a_wrong_tool_is_told_the_nearest() {
    World::new()
        .argway(["call", "toy", "toy_item_lst"])
        .code(2)
        .stderr_eq(str![[r#"
argway: no tool is called `toy_item_lst`; did you mean `toy_item_list`?

"#]]);
}

#[test]
fn every_problem_of_a_call_is_told_at_once_and_nothing_runs() {
    let world = World::new();
    world
        .argway([
            "call",
            "toy",
            "toy_greet",
            r#"{"tims": 2, "times": "many", "verbose": 3}"#,
        ])
        .code(2)
        .stderr_eq(str![[r#"
argway: `tims` is not an argument of this tool; did you mean `times`?
`times` takes an integer, not "many"
`verbose` takes true or false, not 3

"#]]);
    assert_eq!(world.trace(), "");
}

#[test]
fn a_missing_required_argument_is_named() {
    World::new()
        .argway(["call", "toy", "toy_item_delete"])
        .code(2)
        .stderr_eq(str![[r#"
argway: `id` is required

"#]]);
}

#[test]
fn arguments_that_are_not_json() {
    World::new()
        .argway(["call", "toy", "toy_greet", "times=2"])
        .code(2)
        .stderr_eq(str![[r#"
argway: the arguments are not JSON (expected ident at line 1 column 2); write an object like {"limit": 5}

"#]]);
}

#[test]
fn arguments_that_are_not_an_object() {
    World::new()
        .argway(["call", "toy", "toy_greet", "[1]"])
        .code(2)
        .stderr_eq(str![[r#"
argway: the arguments must be a JSON object like {"limit": 5}, not an array

"#]]);
}

#[test]
fn a_selection_that_matches_nothing() {
    World::new()
        .argway(["tools", "toy", "--allow", "itm *"])
        .code(2)
        .stderr_eq(str![[r#"
argway: --allow `itm *` matches no command; did you mean `item ls`?

"#]]);
}

#[test]
fn a_file_that_cannot_be_written() {
    World::new()
        .argway(["tools", "toy", "-o", "no/such/folder/tools.json"])
        .code(2)
        .stderr_eq(str![[r#"
argway: no/such/folder/tools.json could not be written: no/such/folder is not a folder

"#]]);
}

#[test]
fn a_reader_that_went_away_is_no_failure() {
    let world = World::new();
    for verb in ["describe", "tools", "try"] {
        let mut child = world.start([verb, "toy"]);
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{verb}");
        assert_eq!(output.status.code(), Some(0), "{verb}");
    }
}

#[test]
fn quiet_says_nothing_but_errors() {
    let world = World::new();
    world
        .argway(["-q", "describe", "no-such-program"])
        .code(3)
        .stderr_eq(str![[r#"
argway: no program is called `no-such-program`; looked in [WORLD]/bin, /usr/bin, /bin

"#]]);
}
