//! What a user sees of each verb.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::fs;
use std::path::Path;
use std::process::Command;

use snapbox::str;
use world::World;

#[test]
fn tools_lists_name_effect_and_summary() {
    World::new()
        .argway(["tools", "toy"])
        .success()
        .stdout_eq(str![[r#"
toy_fail         unknown      Fail on purpose
toy_greet        read         Print a greeting
toy_item_delete  destructive  Delete an item
toy_item_list    read         List items
toy_nap          unknown      Wait for a minute
toy_version      read         Show the version

"#]])
        .stderr_eq(str![""]);
}

#[test]
fn tools_as_json_are_what_a_client_would_get() {
    World::new()
        .argway(["tools", "toy", "--allow", "item list", "--json"])
        .success()
        .stdout_eq(str![[r#"
{
  "tools": [
    {
      "name": "toy_item_list",
      "title": "toy item list",
      "description": "toy item list: List items",
      "inputSchema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
          "output": {
            "type": "string",
            "description": "how items are shown",
            "default": "table"
          },
          "verbose": {
            "type": "boolean",
            "description": "say more",
            "default": false
          }
        },
        "additionalProperties": false
      },
      "outputSchema": {
        "type": "object",
        "properties": {
          "exitCode": {
            "type": "integer"
          },
          "stdout": {
            "type": "string"
          },
          "stderr": {
            "type": "string"
          },
          "data": {
            "description": "stdout, parsed",
            "anyOf": [
              {
                "type": "object"
              },
              {
                "type": "array"
              }
            ]
          },
          "truncated": {
            "type": "object",
            "description": "What was cut, and where all of it is"
          },
          "durationMs": {
            "type": "integer"
          }
        },
        "required": [
          "exitCode",
          "stdout",
          "stderr",
          "durationMs"
        ]
      },
      "annotations": {
        "title": "toy item list",
        "readOnlyHint": true,
        "destructiveHint": false,
        "idempotentHint": true,
        "openWorldHint": true
      }
    }
  ]
}

"#]]);
}

#[test]
fn tools_in_the_nested_layout_have_flags_and_args() {
    World::new()
        .argway([
            "tools", "toy", "--allow", "greet", "--layout", "nested", "--json",
        ])
        .success()
        .stdout_eq(str![[r#"
{
  "tools": [
    {
      "name": "toy_greet",
      "title": "toy greet",
      "description": "Print a greeting for everybody named./nExamples:/ntoy greet Ada --times 2",
      "inputSchema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
          "flags": {
            "type": "object",
            "description": "Command line flags",
            "properties": {
              "times": {
                "type": "integer",
                "description": "how often",
                "default": 1
              },
              "verbose": {
                "type": "boolean",
                "description": "say more",
                "default": false
              }
            },
            "additionalProperties": false
          },
          "args": {
            "type": [
              "null",
              "array"
            ],
            "description": "Positional command line arguments/nUsage pattern: [name...]",
            "items": {
              "type": "string"
            }
          }
        },
        "required": [
          "flags"
        ],
        "additionalProperties": false
      },
      "outputSchema": {
        "type": "object",
        "properties": {
          "stdout": {
            "type": "string",
            "description": "Standard output"
          },
          "stderr": {
            "type": "string",
            "description": "Standard error"
          },
          "exitCode": {
            "type": "integer",
            "description": "Exit code"
          }
        },
        "required": [
          "exitCode"
        ],
        "additionalProperties": false
      },
      "annotations": {
        "title": "toy greet",
        "readOnlyHint": true,
        "destructiveHint": false,
        "idempotentHint": true,
        "openWorldHint": true
      }
    }
  ]
}

"#]]);
}

#[test]
fn tools_writes_a_file_with_the_same_json() {
    let world = World::new();
    let printed = world.stdout(["tools", "toy", "--json"]);
    world
        .argway(["tools", "toy", "-o", "mcp tools.json"])
        .success()
        .stdout_eq(str![""]);
    assert_eq!(
        fs::read_to_string(world.path("mcp tools.json")).unwrap(),
        printed
    );
}

#[test]
fn tools_tell_what_they_cost() {
    World::new()
        .argway(["tools", "toy", "--cost"])
        .success()
        .stdout_eq(str![[r#"
tool                 flat bytes     ~tokens    nested bytes     ~tokens
toy_fail [..]
toy_greet [..]
toy_item_delete [..]
toy_item_list [..]
toy_nap [..]
toy_version [..]
total [..]

"#]]);
}

#[test]
fn describe_prints_the_description() {
    World::new()
        .argway(["describe", "toy"])
        .success()
        .stdout_eq(snapbox::file!["snapshots/toy.json"])
        .stderr_eq(str![""]);
}

#[test]
fn a_description_file_stands_for_its_program() {
    let world = World::new();
    let described = world.stdout(["describe", "toy"]);
    world
        .argway(["describe", "toy", "-o", "my toy.json"])
        .success()
        .stdout_eq(str![""]);
    assert_eq!(
        fs::read_to_string(world.path("my toy.json")).unwrap(),
        described
    );
    assert_eq!(world.stdout(["describe", "my toy.json"]), described);
    // What is no file is written to, and stays what it is.
    assert_eq!(
        world.stdout(["describe", "toy", "-o", "/dev/stdout"]),
        described
    );
    std::os::unix::fs::symlink("my toy.json", world.path("link")).unwrap();
    world.argway(["describe", "toy", "-o", "link"]).success();
    assert!(world.path("link").is_symlink());
    assert_eq!(
        world.stdout(["tools", "my toy.json"]),
        world.stdout(["tools", "toy"])
    );
    world
        .argway(["call", "my toy.json", "toy_version"])
        .success()
        .stdout_eq("toy 1.0.0\n");
}

#[test]
fn an_edited_description_decides() {
    let world = World::new();
    let described = world.stdout(["describe", "toy"]);
    let edited = described.replace(
        "\"summary\": \"List items\"",
        "\"summary\": \"Show the toys\"",
    );
    assert_ne!(edited, described);
    world.file("toy.json", &edited);
    world
        .argway(["tools", "toy.json", "--allow", "item list"])
        .success()
        .stdout_eq("toy_item_list  read         Show the toys\n");
}

#[test]
fn the_example_in_the_guide_is_a_description() {
    let guide = include_str!("../../../GUIDE.md");
    let start = guide.find("{\n  \"argway\": 1,").unwrap();
    let end = start + guide[start..].find("```").unwrap();
    let world = World::new();
    world.file("guide.json", &guide[start..end]);
    world
        .argway(["tools", "guide.json"])
        .success()
        .stdout_eq("toy_item_list  read         List items\n")
        .stderr_eq(str![[r#"
argway: toy: 1 thing not understood (`argway describe toy` lists them under `losses`)

"#]]);
}

#[test]
fn describe_tells_what_was_not_understood() {
    let world = World::new();
    let described = world.stdout(["describe", "toy"]);
    let losses = r#", "losses": [{"path": ["item"], "what": "odd"}]}"#;
    let edited = described.trim_end().strip_suffix('}').unwrap().to_owned() + losses;
    world.file("toy.json", &edited);
    world
        .argway(["describe", "toy.json"])
        .success()
        .stderr_eq("argway: toy: 1 thing not understood\nargway:   toy item: odd\n");
}

#[test]
fn call_prints_what_the_command_prints() {
    World::new()
        .argway([
            "call",
            "toy",
            "toy_greet",
            r#"{"name": ["Ada", "Alan"], "times": 2}"#,
        ])
        .success()
        .stdout_eq("Hello Ada Alan\nHello Ada Alan\n")
        .stderr_eq("");
}

#[test]
fn call_takes_its_arguments_from_stdin() {
    World::new()
        .command(["call", "toy", "toy_greet", "-"])
        .stdin(r#"{"times": 1}"#)
        .assert()
        .success()
        .stdout_eq("Hello world\n");
}

#[test]
fn call_of_a_failing_command_exits_with_1_and_keeps_both_streams() {
    World::new()
        .argway(["call", "toy", "toy_fail"])
        .code(1)
        .stdout_eq("half a result\n")
        .stderr_eq("Error: failed on purpose\n");
}

#[test]
fn call_as_json_is_the_whole_result() {
    World::new()
        .argway([
            "call",
            "toy",
            "toy_item_list",
            r#"{"output": "json"}"#,
            "--json",
        ])
        .success()
        .stdout_eq(str![[r#"
{
  "exitCode": 0,
  "stdout": "[{/"id/": 1, /"name/": /"ball/"}, {/"id/": 2, /"name/": /"kite/"}]/n",
  "stderr": "",
  "data": [
    {
      "id": 1,
      "name": "ball"
    },
    {
      "id": 2,
      "name": "kite"
    }
  ],
  "durationMs": [..]
}

"#]]);
}

#[test]
fn call_can_read_tables() {
    World::new()
        .argway(["call", "toy", "toy_item_list", "--data", "any", "--json"])
        .success()
        .stdout_eq(str![[r#"
{
  "exitCode": 0,
  "stdout": "ID  NAME/n1   ball/n2   kite/n",
  "stderr": "",
  "data": [
    {
      "ID": "1",
      "NAME": "ball"
    },
    {
      "ID": "2",
      "NAME": "kite"
    }
  ],
  "durationMs": [..]
}

"#]]);
}

#[test]
fn call_ends_what_takes_too_long() {
    World::new()
        .argway(["call", "toy", "toy_nap", "--timeout", "200ms"])
        .code(1)
        .stdout_eq("")
        .stderr_eq(str![[r#"
argway: toy_nap: ended after 200ms; give it longer with --timeout

"#]]);
}

#[test]
fn ctrl_c_ends_the_command_and_everything_it_started() {
    let world = World::new();
    world.argway(["tools", "toy"]).success();
    let mut call = world.start(["call", "toy", "toy_nap"]);
    let (napping, sleeping) = world.wait_for_nap();
    let kill = ["-INT", &call.id().to_string()];
    assert!(Command::new("kill").args(kill).status().unwrap().success());
    assert_eq!(call.wait().unwrap().code(), Some(130));
    for process in [napping, sleeping] {
        assert!(
            !Path::new("/proc").join(&process).exists(),
            "{process} still runs"
        );
    }
}

#[test]
fn a_dry_run_prints_the_words_and_runs_nothing() {
    let world = World::new();
    world
        .argway([
            "call",
            "toy",
            "toy_item_delete",
            r#"{"id": "it's; rm -rf /", "force": true}"#,
            "--dry-run",
        ])
        .success()
        .stdout_eq(str![[r#"
[WORLD]/bin/toy item delete --force 'it'/''s; rm -rf /'

"#]]);
    assert_eq!(world.trace(), "");
}

#[test]
fn reading_a_program_runs_none_of_its_commands() {
    let world = World::new();
    world.argway(["describe", "toy"]).success();
    assert_eq!(world.trace(), "");
}

#[test]
fn capture_writes_pages_that_read_the_same() {
    let world = World::new();
    world
        .argway(["capture", "toy", "captured/toy"])
        .success()
        .stdout_eq("");
    let live = world.stdout(["tools", "toy", "--json"]);
    fs::remove_file(world.path("bin/toy")).unwrap();
    assert_eq!(
        world.stdout(["tools", "--transcript", "captured/toy", "--json"]),
        live
    );
    world
        .argway(["describe", "--transcript", "captured/toy", "toy"])
        .success();
    world
        .argway(["try", "--transcript", "captured/toy"])
        .success();
}

#[test]
fn capture_again_replaces_what_it_wrote() {
    let world = World::new();
    world.argway(["capture", "toy", "captured"]).success();
    world.argway(["capture", "toy", "captured"]).success();
}

#[test]
fn capture_leaves_other_folders_alone() {
    let world = World::new();
    fs::create_dir(world.path("mine")).unwrap();
    world.file("mine/diary.txt", "dear diary");
    world
        .argway(["capture", "toy", "mine"])
        .code(2)
        .stderr_eq(str![[r#"
argway: mine holds `diary.txt`, which is no captured page; name a new or empty folder

"#]]);
    assert_eq!(
        fs::read_to_string(world.path("mine/diary.txt")).unwrap(),
        "dear diary"
    );
    assert_eq!(fs::read_dir(world.path("mine")).unwrap().count(), 1);
}

#[test]
fn try_shows_a_newcomer_around() {
    let world = World::new();
    world
        .argway(["try", "toy"])
        .success()
        .stdout_eq(str![[r#"
toy 1.0.0 ([WORLD]/bin/toy)
a Cobra program: its help and its completion were read

8 commands, 6 tools: 3 read, 1 destructive, 2 unknown
  fail         unknown: Fail on purpose
  greet        read: Print a greeting
  item      2  read: list; destructive: delete
  nap          unknown: Wait for a minute
  version      read: Show the version

Everything that it printed was understood

What the tools would cost in a model's context
  layout                    tools        bytes    ~tokens
  flat [..] 6 [..]
  flat --read-only [..] 3 [..]
  nested [..] 6 [..]
  nested --read-only [..] 3 [..]

One harmless call, really made
  $ [WORLD]/bin/toy version
  toy 1.0.0

Next
  serve it              [ARGWAY] serve toy
  only what reads       [ARGWAY] serve toy --read-only
  see every tool        [ARGWAY] tools toy
  in a client's configuration (Claude Desktop, Cursor and others):
    {"mcpServers":{"toy":{"command":"[ARGWAY]","args":["serve","toy"]}}}

"#]])
        .stderr_eq("");
    // One harmless call was really made, and nothing else.
    assert_eq!(world.trace(), "version\n");
}

#[test]
fn try_can_show_every_command() {
    World::new()
        .argway(["try", "toy", "--all"])
        .success()
        .stdout_eq(str![[r#"
toy 1.0.0 ([WORLD]/bin/toy)
a Cobra program: its help and its completion were read

8 commands, 6 tools: 3 read, 1 destructive, 2 unknown
  fail                          unknown      Fail on purpose
  greet                         read         Print a greeting
    item delete                 destructive  Delete an item
    item list                   read         List items
  nap                           unknown      Wait for a minute
  version                       read         Show the version

Everything that it printed was understood

What the tools would cost in a model's context
  layout                    tools        bytes    ~tokens
  flat [..] 6 [..]
  flat --read-only [..] 3 [..]
  nested [..] 6 [..]
  nested --read-only [..] 3 [..]

One harmless call, really made
  $ [WORLD]/bin/toy version
  toy 1.0.0

Next
  serve it              [ARGWAY] serve toy
  only what reads       [ARGWAY] serve toy --read-only
  see every tool        [ARGWAY] tools toy
  in a client's configuration (Claude Desktop, Cursor and others):
    {"mcpServers":{"toy":{"command":"[ARGWAY]","args":["serve","toy"]}}}

"#]]);
}

#[test]
fn try_is_honest_about_a_program_it_does_not_know() {
    let world = World::new();
    world.program(
        "odd",
        "#!/bin/sh\n[ \"$*\" = --help ] && { printf 'Usage: odd [OPTION]... FILE\\n\\nOptions:\\n  -a, --all      everything\\n      --version  show the version\\n'; exit; }\n[ \"$*\" = --version ] && { echo odd 3; exit; }\necho \"$*\" >>\"$TOY_TRACE\"\n",
    );
    world.argway(["try", "odd"]).success().stdout_eq(str![[r#"
odd ([WORLD]/bin/odd)
not a Cobra program: only its `--help` was read, as far as it goes. Expect gaps:
options of its commands, types and required flags may be missing or wrong.

1 command, 1 tool: 1 unknown
  odd      unknown

What the tools would cost in a model's context
  layout                    tools        bytes    ~tokens
  flat [..] 1 [..]
  nested [..] 1 [..]

One harmless call, really made
  $ odd --version
  odd 3

Next
  serve it              [ARGWAY] serve odd
  see every tool        [ARGWAY] tools odd
  in a client's configuration (Claude Desktop, Cursor and others):
    {"mcpServers":{"odd":{"command":"[ARGWAY]","args":["serve","odd"]}}}
...
"#]]);
    assert_eq!(world.trace(), "");
}

/// A description written by hand: the smallest there is.
const CAT: &str = r#"{"argway": 1, "name": "cat", "family": "unknown",
    "commands": [{"path": [], "runnable": true, "effect": "read"}]}"#;

#[test]
fn a_command_reads_what_the_caller_gives_only_where_the_operator_says_so() {
    let world = World::new();
    let file = world.file("cat.json", CAT);
    let file = file.to_str().unwrap();
    let text = r#"{"stdin": "a\nb\n"}"#;
    world
        .argway(["call", file, "cat", text, "--stdin", "cat"])
        .success()
        .stdout_eq("a\nb\n");
    let nested = r#"{"flags": {}, "stdin": "a\n"}"#;
    let words = ["call", file, "cat", nested, "--stdin", "*", "--layout"];
    world
        .argway(words.into_iter().chain(["nested"]))
        .success()
        .stdout_eq("a\n");
    world.argway(["call", file, "cat"]).success().stdout_eq("");
    world
        .argway(["call", file, "cat", text])
        .code(2)
        .stderr_eq("argway: `stdin` is not an argument of this tool\n");
    world
        .argway(["call", file, "cat", "--stdin", "dog"])
        .code(2)
        .stderr_eq("argway: --stdin `dog` matches no command\n");
}
