//! Tools that somebody described by hand: where they are found, which of them counts,
//! and how they are named on the command line.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::fs;

use snapbox::str;
use world::World;

/// A definition of `name` that prints `text` before its arguments.
fn echo(name: &str, text: &str) -> String {
    format!(
        "cli \"{name}\" {{\n    description \"Says {text}\"\n    command \"echo\" \"{text}\"\n}}\n"
    )
}

const USER: &str = "home/.config/argway/cli";

#[test]
fn a_file_of_definitions_stands_for_all_of_its_tools() {
    let world = World::new();
    world.file("tools.kdl", &(echo("b", "bee") + &echo("a", "ay")));
    world
        .argway(["tools", "tools.kdl"])
        .success()
        .stdout_eq(str![[r#"
cli_a  unknown      Says ay
cli_b  unknown      Says bee

"#]])
        .stderr_eq("");
}

#[test]
fn programs_and_definitions_are_listed_together() {
    let world = World::new();
    world.file("tools.kdl", &echo("a", "ay"));
    world.file(&format!("{USER}/b.kdl"), &echo("b", "bee"));
    world
        .argway([
            "tools",
            "tools.kdl",
            "toy",
            "cli_b",
            "--allow",
            "version,cli_*",
        ])
        .success()
        .stdout_eq(str![[r#"
toy_version  read         Show the version
cli_a        unknown      Says ay
cli_b        unknown      Says bee

"#]]);
}

#[test]
fn without_a_program_every_definition_in_force_is_meant() {
    let world = World::new();
    world.file(&format!("{USER}/a.kdl"), &echo("a", "ay"));
    world.file("home/.config/slop-mcp/cli/b.kdl", &echo("b", "bee"));
    world.file("home/.config/argway/argway.kdl", &echo("c", "sea"));
    world.argway(["tools"]).success().stdout_eq(str![[r#"
cli_a  unknown      Says ay
cli_b  unknown      Says bee
cli_c  unknown      Says sea

"#]]);
    world
        .argway(["tools", "cli_b"])
        .success()
        .stdout_eq("cli_b  unknown      Says bee\n");
}

#[test]
fn the_standard_variable_moves_the_users_places() {
    let world = World::new();
    world.file("settings/argway/cli/a.kdl", &echo("a", "ay"));
    world
        .command(["tools"])
        .env("XDG_CONFIG_HOME", world.path("settings"))
        .assert()
        .success()
        .stdout_eq("cli_a  unknown      Says ay\n");
}

#[test]
fn without_any_definition_the_places_are_told() {
    let world = World::new();
    world.argway(["tools"]).code(3).stderr_eq(str![[r#"
argway: no definition is in force; looked for [WORLD]/home/.config/slop-mcp/cli/*.kdl, [WORLD]/home/.config/argway/cli/*.kdl, [WORLD]/home/.config/argway/argway.kdl

"#]]);
    world.argway(["serve"]).code(3).stdout_eq("");
}

#[test]
fn a_later_place_counts_more_and_what_it_replaced_is_told() {
    let world = World::new();
    world.file("home/.config/slop-mcp/cli/z.kdl", &echo("a", "one"));
    world.file(&format!("{USER}/1.kdl"), &echo("a", "two"));
    world.file(
        &format!("{USER}/2.kdl"),
        &format!("\n{}", echo("a", "three")),
    );
    world.file("home/.config/argway/argway.kdl", &echo("b", "four"));
    world
        .argway(["tools", "-v"])
        .success()
        .stdout_eq(str![[r#"
cli_a  unknown      Says three
cli_b  unknown      Says four

"#]])
        .stderr_eq(str![[r#"
argway: cli_a: /usr/bin/echo, defined in [WORLD]/home/.config/argway/cli/2.kdl:2, in place of [WORLD]/home/.config/argway/cli/1.kdl:1 and [WORLD]/home/.config/slop-mcp/cli/z.kdl:1
argway: cli_b: /usr/bin/echo, defined in [WORLD]/home/.config/argway/argway.kdl:1

"#]]);
    // What the user names counts most.
    world.file("named.kdl", &echo("a", "five"));
    world
        .argway(["tools", "named.kdl", "cli_a", "cli_b"])
        .success()
        .stdout_eq(str![[r#"
cli_a  unknown      Says five
cli_b  unknown      Says four

"#]]);
}

#[test]
fn a_tool_is_called_by_its_name_alone() {
    let world = World::new();
    world.file(&format!("{USER}/a.kdl"), &echo("a", "ay"));
    let dry = "/usr/bin/echo ay x 'y z'\n";
    let arguments = r#"{"args": ["x", "y z"]}"#;
    world
        .argway(["call", "cli_a", arguments, "--dry-run"])
        .success()
        .stdout_eq(dry);
    world
        .argway(["call", "cli_a", "cli_a", arguments, "--dry-run"])
        .success()
        .stdout_eq(dry);
    world.file("tools.kdl", &echo("a", "other"));
    world
        .argway(["call", "tools.kdl", "cli_a", "--dry-run"])
        .success()
        .stdout_eq("/usr/bin/echo other\n");
    world
        .argway([
            "call",
            "cli_a",
            r#"{"args": "really 'so'"}"#,
            "--sandbox=off",
        ])
        .success()
        .stdout_eq("ay really so\n");
}

#[test]
fn a_tool_that_nobody_defined_is_told_the_nearest() {
    let world = World::new();
    world.file(&format!("{USER}/greet.kdl"), &echo("greet", "hello"));
    world
        .argway(["call", "cli_gret"])
        .code(2)
        .stderr_eq("argway: no tool is called `cli_gret`; did you mean `cli_greet`?\n");
    world
        .argway(["tools", "cli_gret"])
        .code(3)
        .stderr_eq("argway: no definition is called `cli_gret`; did you mean `cli_greet`?\n");
    world.argway(["call", "toy"]).code(2).stderr_eq(
        "argway: name a tool too: argway call toy TOOL; `argway tools toy` lists them\n",
    );
}

#[test]
fn a_program_that_is_called_like_a_definition_is_still_found() {
    let world = World::new();
    fs::rename(world.path("bin/toy"), world.path("bin/cli_toy")).unwrap();
    world
        .argway(["call", "cli_toy", "cli_toy_version", "--dry-run"])
        .success()
        .stdout_eq(str![[r#"
[WORLD]/bin/cli_toy version

"#]]);
}

#[test]
fn a_definition_is_described_and_the_description_serves_the_same() {
    let world = World::new();
    world.file("tools.kdl", &(echo("a", "ay") + &echo("b", "bee")));
    world.argway(["describe", "tools.kdl"]).code(2).stderr_eq(
        "argway: tools.kdl has 2 definitions; name one of them behind it: cli_a, cli_b\n",
    );
    let description = world.stdout(["describe", "tools.kdl", "cli_b"]);
    assert!(
        description.contains(r#""executable": "/usr/bin/echo""#),
        "{description}"
    );
    world.file("b.json", &description);
    let listed = |word: &'static str| {
        let text = world.stdout(["tools", word, "--json"]);
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["tools"].clone()
    };
    let both = listed("tools.kdl");
    assert_eq!(both[1], listed("b.json")[0]);
}

#[test]
fn try_shows_a_definition() {
    let world = World::new();
    world.file("tools.kdl", &echo("a", "ay"));
    let story = world.stdout(["try", "tools.kdl"]);
    assert!(
        story.starts_with("a (/usr/bin/echo)\ndescribed by hand, in KDL\n"),
        "{story}"
    );
}

#[test]
fn a_mistake_costs_its_definition_and_nothing_else() {
    let world = World::new();
    let text = "cli \"bad\" {\n    description \"x\"\n    comand \"echo\"\n}\n";
    world.file(
        &format!("{USER}/a.kdl"),
        &(text.to_owned() + &echo("a", "ay")),
    );
    world
        .argway(["tools"])
        .success()
        .stdout_eq("cli_a  unknown      Says ay\n")
        .stderr_eq(str![[r#"
argway: [WORLD]/home/.config/argway/cli/a.kdl:3:5: `comand` means nothing in `cli`; did you mean `command`?

"#]]);
}

#[test]
fn a_command_that_is_not_there_costs_its_definition() {
    let world = World::new();
    let text = "cli \"gone\" {\n    description \"x\"\n    command \"no-such-program\"\n}\n";
    world.file("tools.kdl", &(text.to_owned() + &echo("a", "ay")));
    world
        .argway(["tools", "tools.kdl"])
        .success()
        .stdout_eq("cli_a  unknown      Says ay\n")
        .stderr_eq(str![[r#"
argway: tools.kdl:1: cli_gone is left out: no program is called `no-such-program`; looked in [..]

"#]]);
    world.file("gone.kdl", text);
    world
        .argway(["tools", "gone.kdl"])
        .code(3)
        .stderr_eq(str![[r#"
argway: gone.kdl:1: cli_gone is left out: no program is called `no-such-program`; looked in [..]
argway: gone.kdl has no definition that can be used

"#]]);
}

#[test]
fn a_shell_is_warned_of() {
    let world = World::new();
    let text =
        "cli \"s\" {\n    description \"x\"\n    command \"echo hi | cat\"\n    shell true\n}\n";
    world.file("tools.kdl", text);
    let output = world.argway(["tools", "tools.kdl"]).success();
    output.stderr_eq(str![[r#"
argway: tools.kdl:1: `s` runs through a shell: [..]

"#]]);
}

#[test]
fn check_shows_every_mistake_where_it_stands() {
    let world = World::new();
    world.file(
        "tools.kdl",
        r#"cli "good" {
    description "x"
    command "echo"
}
cli "bad" {
    description "x"
    command "echo"
    flag "f" type="nubmer"
    timout 3
}
cli "open" {
    description "x"
    command "no-such-program"
    sandbox {
        network true
        filesystem "full"
    }
}
"#,
    );
    world
        .argway(["check", "tools.kdl", "none.kdl"])
        .code(2)
        .stdout_eq(str![[r#"
tools.kdl:8:19: `type` takes "boolean", "string", "number", "integer", "array", "path" or "count", not "nubmer"
  8 |     flag "f" type="nubmer"
    |                   ^^^^^^^^
  help: did you mean "number"?

tools.kdl:9:5: `timout` means nothing in `cli`
  9 |     timout 3
    |     ^^^^^^
  help: did you mean `timeout`?

warning: tools.kdl:11: `open` may read your files and use the network: what it reads can leave this machine
warning: tools.kdl:11: cli_open would be left out here: no program is called `no-such-program`; looked in [..]
none.kdl does not exist
2 definitions, 3 mistakes, 2 warnings

"#]])
        .stderr_eq("");
    world.file("good.kdl", &echo("a", "ay"));
    world
        .argway(["check", "good.kdl"])
        .success()
        .stdout_eq("1 definition, 0 mistakes\n");
}

#[test]
fn check_without_files_reads_all_that_would_be_loaded() {
    let world = World::new();
    world
        .argway(["check"])
        .success()
        .stdout_eq("0 definitions, 0 mistakes\n");
    world.file(&format!("{USER}/a.kdl"), &echo("a", "ay"));
    world.file(".argway/cli/b.kdl", "cli \"b\" {");
    world.argway(["check"]).code(2).stdout_eq(str![[r#"
[WORLD]/.argway/cli/b.kdl:1:9: this `{` is never closed
  1 | cli "b" {
    |         ^
  help: write a `}` where its content ends

warning: [WORLD]/.argway/cli/b.kdl is not trusted yet and is not used; look at it, then run: argway trust [WORLD]/.argway/cli/b.kdl
1 definition, 1 mistake, 1 warning

"#]]);
}

#[test]
fn what_a_file_says_to_a_terminal_is_not_passed_on() {
    let world = World::new();
    let wrong = "cli \"a\" {\n    \u{1b}]0;owned\u{7}x \"\u{1b}[31m\"\n}\n";
    let right = echo("a", "\\u{1b}[31mred");
    for text in [wrong, &right] {
        world.file("tools.kdl", text);
        for verb in ["check", "tools", "trust", "try"] {
            let output = world.argway([verb, "tools.kdl"]);
            let output = output.get_output();
            for bytes in [&output.stdout, &output.stderr] {
                assert!(!bytes.contains(&0x1b), "{verb}: {output:?}");
            }
        }
    }
}

#[test]
fn empty_words_and_defaults_reach_the_program() {
    let world = World::new();
    world.file(
        "tools.kdl",
        r#"cli "key" { description "d"; command "echo" "-q" ""; flag "N" long="-N" type="string" default=""; }"#,
    );
    world
        .argway(["call", "tools.kdl", "cli_key", "--dry-run"])
        .success()
        .stdout_eq("/usr/bin/echo -q '' -N ''\n");
}

#[test]
fn a_call_says_what_its_definition_counts_as_a_failure() {
    let world = World::new();
    world.file(
        "tools.kdl",
        r#"cli "x" { description "d"; command "sh" "-c" "echo oh >&2"; args false; stderr fail_on_output=true; }"#,
    );
    world
        .argway(["call", "tools.kdl", "cli_x", "--sandbox=off"])
        .code(1)
        .stderr_eq(str![[r#"
oh
argway: cli_x: The command printed to its stderr, which its definition counts as a failure.

"#]]);
}

#[test]
fn a_call_of_a_tool_that_is_left_out_says_so() {
    let world = World::new();
    world.file("tools.kdl", &echo("a", "ay"));
    world
        .argway(["call", "tools.kdl", "cli_a", "--read-only"])
        .code(2);
    world.file(
        "tools.kdl",
        &(echo("a", "ay") + &echo("b", "bee").replace("{\n", "{\n    effect \"read\"\n")),
    );
    world
        .argway(["call", "tools.kdl", "cli_a", "--read-only"])
        .code(2)
        .stderr_eq("argway: `cli_a` is not offered: --read-only, --allow or --deny leave it out, or it is hidden (--include-hidden)\n");
}

#[test]
fn what_the_portable_sandbox_leaves_open_is_said_on_stderr_and_in_the_result() {
    let world = World::new();
    world.file("tools.kdl", &echo("a", "ay"));
    world.file("home/project/x", "");
    let folder = "--cwd=home/project";
    let words = ["call", "tools.kdl", "cli_a", "--sandbox=portable", folder];
    let gaps = "argway: cli_a: not held by its sandbox: [..]\n";
    world
        .argway(words)
        .success()
        .stdout_eq("ay\n")
        .stderr_eq(gaps);
    let output = world.argway(words.into_iter().chain(["--json"])).success();
    let json: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let sandbox = &json["_meta"]["argway/sandbox"];
    assert_eq!(sandbox["tier"], "portable");
    assert_eq!(sandbox["gaps"].as_array().map(Vec::len), Some(3));
    output.stderr_eq(gaps);
}
