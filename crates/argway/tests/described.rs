//! Programs that describe themselves, and files that describe programs, as a user meets
//! them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use snapbox::str;
use world::World;

/// Prints its words, one a line.
const ECHO: &str = "#!/bin/sh\nfor word; do echo \"$word\"; done\n";

const SPEC: &str = r#"bin ferry
about "Crosses rivers"
flag "-C --cd <DIR>" global=#true help="Start there"
cmd cross help="Show the way over" effect=read {
    flag "--bank <BANK>" required=#true { choices left right; }
    flag "--color" negate="--no-color"
    arg "<RIVER>"
    arg "[-- WORDS]..." var=#true
}
cmd sink effect=destructive help="Sink it"
complete river run="touch ran"
"#;

/// A file of the project.
fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// What `describe` prints, as JSON.
fn describe<'a>(world: &World, words: impl IntoIterator<Item = &'a str>) -> Value {
    let words = ["describe"].into_iter().chain(words);
    serde_json::from_str(&world.stdout(words)).unwrap()
}

/// The commands of a description, by their paths.
fn paths(described: &Value) -> Vec<String> {
    let commands = described["commands"].as_array().unwrap();
    let words = |command: &Value| -> Vec<String> {
        let path = command["path"].as_array().unwrap();
        path.iter()
            .map(|it| it.as_str().unwrap().to_owned())
            .collect()
    };
    commands.iter().map(|it| words(it).join(" ")).collect()
}

#[test]
fn a_spec_file_is_served_for_the_program_on_path() {
    let world = World::new();
    world.program("ferry", ECHO);
    // By its content too: no name says what it is.
    for file in ["ferry.usage.kdl", "boats.kdl"] {
        world.file(file, SPEC);
        world
            .argway(["tools", file])
            .success()
            .stdout_eq(str![[r#"
ferry_cross  read         Show the way over
ferry_sink   destructive  Sink it

"#]])
            .stderr_eq("");
        world
            .argway([
                "call",
                file,
                "ferry_cross",
                r#"{"RIVER": "rhine", "bank": "left", "color": false, "WORDS": ["-x", "y"]}"#,
            ])
            .success()
            .stdout_eq("cross\n--bank=left\n--no-color\nrhine\n--\n-x\ny\n");
        world
            .argway([
                "call",
                file,
                "ferry_cross",
                r#"{"RIVER": "rhine", "bank": "up"}"#,
            ])
            .failure();
    }
    assert!(
        !world.path("ran").exists(),
        "nothing that a spec names is run"
    );
}

#[test]
fn every_format_is_known_by_what_a_file_holds() {
    let world = World::new();
    let files = [
        (
            "cli.yaml",
            "opencli: '0.1'\ninfo: {title: raft, version: '1'}\ncommands:\n  - name: float\n",
        ),
        (
            "spec.yml",
            "name: canoe\nflags:\n  -v: more\ncommands:\n  - name: row\n",
        ),
        (
            "dump.json",
            r#"{"serializationVersion": 0, "command": {"commandName": "skiff", "subcommands": [{"commandName": "sail"}]}}"#,
        ),
        (
            "schema.json",
            r#"{"name": "tug", "version": "1", "hidden": false, "subcommands": {"pull": {"hidden": false}}}"#,
        ),
        (
            "machine.json",
            r#"{"version": "1.2", "name": "fleet", "cli_version": "1", "commands": [{"path": ["list"], "category": "read", "flags": []}], "global_flags": []}"#,
        ),
    ];
    let mut told = String::new();
    for (name, text) in files {
        world.file(name, text);
        let described = describe(&world, [name]);
        let family = described["family"].as_str().unwrap();
        let program = described["name"].as_str().unwrap();
        told.push_str(&format!(
            "{name}: {program} {family}{}\n",
            paths(&described).join(" ")
        ));
    }
    snapbox::assert_data_eq!(
        told,
        str![[r#"
cli.yaml: raft described float
spec.yml: canoe described row
dump.json: skiff described sail
schema.json: tug described pull
machine.json: fleet described list

"#]]
    );
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let world = World::new();
    for (name, text, told) in [
        (
            "a.usage.kdl",
            "bin a\ncmd \"b {\n",
            "argway: a.usage.kdl is not KDL: line 2: this string is never closed\n",
        ),
        (
            "b.usage.kdl",
            "about nothing\n",
            "argway: b.usage.kdl does not say what its program is called\n",
        ),
        ("c.yaml", "a: [\n", "argway: c.yaml is not YAML: [..]\n"),
        (
            "d.yaml",
            "a: b\nc: d\n",
            "argway: d.yaml is no description that argway knows: [..]\n",
        ),
        (
            "e.json",
            "{\"opencli\": \"0.1\", \"info\": {\"title\": \"Two Words\"}}",
            "argway: e.json calls its program `Two Words`, which is no command's name\n",
        ),
        ("f.json", "{", "argway: f.json is not JSON: [..]\n"),
    ] {
        world.file(name, text);
        world.argway(["describe", name]).failure().stderr_eq(told);
    }
    // A title for people, and a file that is called after the program.
    world.program("barge", ECHO);
    world.file(
        "barge.json",
        "{\"opencli\": \"0.1\", \"info\": {\"title\": \"The Barge\", \"version\": \"1\"}}",
    );
    assert_eq!(describe(&world, ["barge.json"])["name"], "barge");
}

/// A program whose help lists a command that prints a usage spec.
fn boat(spec: &str) -> String {
    format!(
        "#!/bin/sh\ncase \"$*\" in\n--help) cat <<'EOF'\nUsage: ferry [COMMAND]\n\nCommands:\n  \
         cross  Go over\n  usage  Generate a usage CLI spec\n\nOptions:\n  -h, --help  Print help\n\
         EOF\n;;\nusage) cat <<'EOF'\n{spec}EOF\n;;\n*) exit 2;;\nesac\n"
    )
}

#[test]
fn a_program_that_prints_a_spec_is_read_by_it_and_so_is_its_capture() {
    let world = World::new();
    world.program("ferry", boat(SPEC));
    let mut live = describe(&world, ["ferry"]);
    assert_eq!(live["family"], "described");
    assert_eq!(paths(&live), ["", "cross", "sink"]);
    world.argway(["capture", "ferry", "captured"]).success();
    let captured = describe(&world, ["--transcript", "captured"]);
    live.as_object_mut().unwrap().remove("executable").unwrap();
    assert_eq!(live, captured);
}

#[test]
fn a_description_that_cannot_be_read_is_said_and_the_help_is_read() {
    let world = World::new();
    world.program("ferry", boat("bin ferry\ncmd \"cross {\n"));
    let live = describe(&world, ["ferry"]);
    assert_ne!(live["family"], "described");
    let loss = live["losses"][0]["what"].as_str().unwrap();
    assert_eq!(
        loss,
        "`ferry usage` should describe it, but what it prints is not KDL: line 2: this string is never \
         closed; its help was read instead"
    );
}

#[test]
fn a_swift_program_is_known_by_its_file() {
    let world = World::new();
    let script = r#"#!/bin/sh
case "$*" in
--help) printf 'USAGE: toy <subcommand>\n\nOPTIONS:\n  -h, --help   Show help information.\n';;
--experimental-dump-help) echo '{"serializationVersion": 0, "command": {"commandName": "toy", "subcommands": [{"commandName": "sail"}]}}';;
*) exit 64;;
esac
"#;
    world.toy(script);
    let live = describe(&world, ["toy"]);
    assert_eq!(live["family"], "described");
    assert_eq!(paths(&live), ["", "sail"]);
    world.argway(["capture", "toy", "captured"]).success();
    let captured = describe(&world, ["--transcript", "captured"]);
    assert_eq!(live["commands"], captured["commands"]);
    // Asked of a script, which shows nothing, it is not.
    world.program("other", script);
    assert_ne!(describe(&world, ["other"])["family"], "described");
}

#[test]
fn help_machine_is_joined_with_a_cobra_programs_pages() {
    let world = World::new();
    let folder = project("conformance/machine-help/transcript");
    let described = describe(&world, ["--transcript", folder.to_str().unwrap()]);
    assert_eq!(described["family"], "cobra");
    assert_eq!(described["version"], "v0.3.1");
    let command = |path: &str| {
        let at = paths(&described).iter().position(|it| it == path).unwrap();
        described["commands"][at].clone()
    };
    // Its parser takes any value; only the description says which ones it means.
    let set = &described["flag_sets"][command("get plan")["inherits"].as_str().unwrap()];
    let output = set
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["name"] == "output")
        .unwrap();
    assert_eq!(
        output["choices"],
        serde_json::json!(["table", "json", "yaml"])
    );
    assert_eq!(output["from"]["choices"], "self_description");
    let effects = ["get plan", "create machine", "delete", "settings"].map(|path| {
        let command = command(path);
        format!("{} {}", command["effect"], command["from"]["effect"])
    });
    assert_eq!(
        effects,
        [
            r#""read" "self_description""#,
            r#""write" "self_description""#,
            r#""destructive" "convention""#,
            r#""write" "self_description""#
        ]
    );
}

#[test]
fn a_real_spec_is_read_whole() {
    let world = World::new();
    let file = project("corpus/usage-kdl/mise/mise.usage.kdl");
    fs::copy(file, world.path("mise.usage.kdl")).unwrap();
    let described = describe(&world, ["mise.usage.kdl"]);
    let commands = described["commands"].as_array().unwrap();
    // As many as the library that wrote it counts, without help.
    assert_eq!(commands.len(), 290);
    let flags = commands
        .iter()
        .flat_map(|command| command["params"].as_array().into_iter().flatten())
        .filter(|param| param["role"] == "flag");
    assert_eq!(flags.count(), 950);
    let lost: Vec<&str> = described["losses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|loss| loss["what"].as_str().unwrap())
        .collect();
    let mount =
        "has more commands, which `mise tasks --usage` would list; what a spec names is not run";
    assert_eq!(lost, [mount, mount]);
}
