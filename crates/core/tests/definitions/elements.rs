//! Every element of the format, one by one.

use std::collections::BTreeMap;

use argway_core::model::{
    Annotations, Effect, Encoding, Evidence, Fact, Family, Group, Joiner, Kind, Param, Program,
    RunSpec, Scalar, Secret, StdinFormat, StdoutFormat,
};
use argway_core::policy::{Filesystem, Resources, SandboxPolicy};
use serde_json::json;

use super::{program, programs, properties, read};

fn run(body: &str) -> RunSpec {
    let program = program(body);
    RunSpec::clone(program.commands[0].run.as_ref().unwrap())
}

/// The only parameter.
#[track_caller]
fn param(body: &str) -> Param {
    let mut params = program(body).commands.remove(0).params;
    assert_eq!(params.len(), 1);
    params.remove(0)
}

fn names(program: &Program) -> Vec<&str> {
    let params = program.commands[0].params.iter();
    params.map(|param| param.name.as_str()).collect()
}

#[test]
fn a_definition_is_a_program_with_one_command() {
    let program = program("");
    assert_eq!(program.name, "x");
    assert_eq!(program.executable.as_deref(), Some("c"));
    assert_eq!(program.family, Family::Definition);
    let [command] = program.commands.as_slice() else {
        panic!("one command")
    };
    assert!(command.runnable && command.path.is_empty() && !command.hidden);
    assert_eq!(command.summary, "d");
    assert_eq!(command.effect, Effect::Unknown);
    assert_eq!(command.from.of(Fact::Text), Some(Evidence::Definition));
    assert_eq!(*command.run.as_ref().unwrap().as_ref(), RunSpec::default());
}

#[test]
fn without_parameters_it_takes_a_line_unless_it_says_no() {
    let line = param("");
    assert_eq!((line.name.as_str(), &line.kind), ("args", &Kind::Line));
    assert_eq!(program("").commands[0].usage, "x [args...]");
    assert_eq!(names(&program("args true")), ["args"]);
    assert_eq!(names(&program("args false")), [""; 0]);
    let with = program("subcommand a { description d }\nsubcommand b { description d; args true }");
    assert!(with.commands[0].params.is_empty() && with.commands[1].params.is_empty());
    assert_eq!(with.commands[2].params[0].kind, Kind::Line);
}

#[test]
fn types_of_args_are_kinds_of_one_word() {
    let cases = [
        ("", "string"),
        ("type=string", "string"),
        ("type=number", "float"),
        ("type=integer", "int"),
        ("type=boolean", "bool"),
        ("type=path", "path"),
        ("type=array", "words<string>"),
        ("type=array items=path", "words<path>"),
        ("type=array items=integer", "words<int>"),
    ];
    for (body, kind) in cases {
        let param = param(&format!("arg a {body}"));
        assert_eq!(param.kind.to_string(), kind, "{body}");
        assert!(!param.is_flag() && !param.required && !param.inject_default);
    }
}

#[test]
fn types_of_flags_say_whether_a_value_follows() {
    let cases = [
        ("", "switch", None),
        ("type=boolean", "switch", None),
        ("type=count", "count", None),
        ("type=string", "string", None),
        ("type=number", "float", None),
        ("type=integer", "int", None),
        ("type=path", "path", None),
        ("type=array", "joined<string>", Some(" ")),
        ("type=array separator=\",\"", "joined<string>", Some(",")),
        ("type=array repeat=true items=number", "repeat<float>", None),
    ];
    for (body, kind, separator) in cases {
        let param = param(&format!("flag a {body}"));
        assert_eq!(param.kind.to_string(), kind, "{body}");
        assert_eq!(param.spelling().unwrap().separator.as_deref(), separator);
    }
}

#[test]
fn a_flag_is_spelled_as_it_says() {
    let cases = [
        ("", Some("--dry-run"), None),
        ("short=\"-n\"", None, Some("-n")),
        ("long=\"--dry\"", Some("--dry"), None),
        ("long=\"-dry\"", Some("-dry"), None),
        ("short=\"-n\" long=\"--dry\"", Some("--dry"), Some("-n")),
    ];
    for (body, long, short) in cases {
        let param = param(&format!("flag dry-run {body}"));
        let spelling = param.spelling().unwrap();
        assert_eq!(spelling.long.as_deref(), long, "{body}");
        assert_eq!(spelling.short.as_deref(), short, "{body}");
        assert_eq!(spelling.joiner, Joiner::Space);
    }
    let joiners = [
        ("long=\"-O\" joiner=none", Joiner::Attached),
        ("joiner=equals", Joiner::Equals),
        ("joiner=space", Joiner::Space),
    ];
    for (body, joiner) in joiners {
        let param = param(&format!("flag a type=string {body}"));
        assert_eq!(param.spelling().unwrap().joiner, joiner, "{body}");
    }
}

#[test]
fn facts_of_a_parameter_are_children_or_properties() {
    let children = param(
        "flag a { description \"what\"; type string; required true; hidden false; deprecated \"why\"; effect destructive }",
    );
    let properties = param(
        "flag a description=what type=string required=#true hidden=#false deprecated=why effect=destructive",
    );
    assert_eq!(children, properties);
    assert_eq!(children.text, "what");
    assert!(children.required);
    assert_eq!(children.deprecated.as_deref(), Some("why"));
    assert_eq!(children.effect, Some(Effect::Destructive));
    assert!(param("flag a hidden=true").hidden);
}

#[test]
fn defaults_reach_the_schema_whatever_they_hold() {
    let cases = [
        ("flag a default=true", json!(true)),
        ("flag a default=false", json!(false)),
        ("flag a type=count default=2", json!(2)),
        (
            "flag a type=string default=\"a,b \\\"c\\\" [d]\"",
            json!("a,b \"c\" [d]"),
        ),
        ("flag a type=integer default=-5", json!(-5)),
        ("flag a type=number default=0.25", json!(0.25)),
        ("flag a type=number default=3", json!(3)),
        ("arg a type=path default=\".\"", json!(".")),
        ("arg a type=boolean default=true", json!(true)),
        (
            "flag a type=array { default \"a,b\" \"say \\\"hi\\\"\" \"\\\"\" \"]\" \" x \" \"two\\nlines\" }",
            json!(["a,b", "say \"hi\"", "\"", "]", " x ", "two\nlines"]),
        ),
        (
            "flag a type=array items=integer { default 1 2 }",
            json!([1, 2]),
        ),
        ("arg a type=string { enum x y; default y }", json!("y")),
        (
            "flag a type=number { enum 0.5 1 1.5; default 1.5 }",
            json!(1.5),
        ),
        (
            "flag a type=array { enum x y; default y x }",
            json!(["y", "x"]),
        ),
    ];
    for (body, expected) in cases {
        assert!(param(body).inject_default, "{body}");
        assert_eq!(
            properties(program(body))["a"]["default"],
            expected,
            "{body}"
        );
    }
}

#[test]
fn enums_reach_the_schema_by_their_type() {
    let cases = [
        ("arg a { enum x \"y z\" }", json!({"enum": ["x", "y z"]})),
        ("arg a type=integer { enum 1 -2 }", json!({"enum": [1, -2]})),
        (
            "arg a type=number { enum 1 2.5 }",
            json!({"enum": [1, 2.5]}),
        ),
        ("arg a enum=x", json!({"enum": ["x"]})),
    ];
    for (body, expected) in cases {
        assert_eq!(
            properties(program(body))["a"]["enum"],
            expected["enum"],
            "{body}"
        );
    }
    let list = properties(program("flag a type=array { enum x y }"));
    assert_eq!(list["a"]["items"]["enum"], json!(["x", "y"]));
}

#[test]
fn positionals_go_to_their_places_and_the_rest_into_the_free_ones() {
    let cases = [
        ("arg a\narg b\narg c", ["a", "b", "c"]),
        ("arg a position=2\narg b\narg c", ["b", "c", "a"]),
        ("arg a\narg b position=0\narg c", ["b", "a", "c"]),
        (
            "arg a position=1\narg b position=0\narg c type=array",
            ["b", "a", "c"],
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(names(&program(body)), expected, "{body}");
    }
    let flags_first = program("arg a\nflag b\narg c required=true\nflag d");
    assert_eq!(names(&flags_first), ["b", "d", "a", "c"]);
    assert_eq!(flags_first.commands[0].usage, "x [flags] [a] <c>");
    let list = program("arg a type=array required=true");
    assert_eq!(list.commands[0].usage, "x <a...>");
}

#[test]
fn secrets_have_a_way_that_is_no_word() {
    let cases = [
        ("env=TOKEN", Secret::Environment("TOKEN".to_owned())),
        ("stdin=true", Secret::Stdin),
    ];
    for (body, secret) in cases {
        let param = param(&format!("flag a secret=true {body}"));
        assert_eq!(param.secret, Some(secret));
        assert_eq!(param.kind, Kind::One(Scalar::String));
    }
    assert_eq!(param("flag a secret=false").secret, None);
}

#[test]
fn streams_are_read_as_they_say() {
    let run = run(
        "stdin {\n description what\n type string\n format binary\n required true\n}\n\
                   stdout format=text trim=false encoding=base64\nstderr { capture false; fail_on_output true; }",
    );
    let stdin = run.stdin.unwrap();
    assert_eq!(
        (stdin.text.as_str(), stdin.format, stdin.required),
        ("what", StdinFormat::Binary, true)
    );
    assert_eq!(
        (run.stdout.format, run.stdout.trim, run.stdout.encoding),
        (StdoutFormat::Text, false, Encoding::Base64)
    );
    assert_eq!(
        (run.stderr.capture, run.stderr.fail_on_output),
        (false, true)
    );
    assert_eq!(
        super::elements::run("stdin").stdin,
        Some(argway_core::model::StdinSpec::default())
    );
}

#[test]
fn options_of_the_run_are_kept() {
    let run = run(
        "timeout 5_000\nworkdir \"a/b\"\nenv { A \"1\"; B \"$C\"; }\nexpand_env true\n\
                   allow_failure true\nend_of_options false\npass_env D E\noutput { schema #\"{\"type\":\"object\"}\"# }",
    );
    assert_eq!(run.timeout_ms, 5000);
    assert_eq!(run.workdir, "a/b");
    assert_eq!(
        run.env,
        BTreeMap::from([
            ("A".to_owned(), "1".to_owned()),
            ("B".to_owned(), "$C".to_owned())
        ])
    );
    assert!(run.expand_env && run.allow_failure && !run.end_of_options && !run.shell);
    assert_eq!(run.sandbox.variables, ["D", "E"]);
    assert_eq!(run.output_schema, Some(json!({"type": "object"})));
}

#[test]
fn the_sandbox_is_closed_until_it_is_opened() {
    assert_eq!(run("").sandbox, SandboxPolicy::default());
    assert_eq!(run("sandbox").sandbox, SandboxPolicy::default());
    let open = run(
        "sandbox {\n network true\n filesystem home\n read \"/a\" \"/b c\"\n write \"/d\"\n resources {\n  cpu_seconds 1\n  memory_mb 32\n  open_files 19\n  processes 2\n  file_mb 3\n  output_mb 4\n }\n}",
    );
    assert_eq!(
        open.sandbox,
        SandboxPolicy {
            network: true,
            filesystem: Filesystem::Home,
            readable: vec!["/a".to_owned(), "/b c".to_owned()],
            writable: vec!["/d".to_owned()],
            variables: Vec::new(),
            resources: Resources {
                cpu_seconds: 1,
                memory_mb: 32,
                open_files: 19,
                processes: 2,
                file_mb: 3,
                output_mb: 4,
            },
        }
    );
}

#[test]
fn fixed_words_follow_the_command() {
    let program =
        programs("cli a { description d; command python3 \"-m\" \"json.tool\" }").remove(0);
    assert_eq!(program.executable.as_deref(), Some("python3"));
    assert_eq!(
        program.commands[0].run.as_ref().unwrap().words,
        ["-m", "json.tool"]
    );
}

#[test]
fn hints_examples_and_groups_are_kept() {
    let program = program(
        "effect write\nhidden true\ndeprecated \"use y\"\nannotations title=T read_only=false idempotent=true\n\
         flag a\nflag b\narg c\nexclusive a b\ntogether a c\nany_of a b c\nrequires a b c\n\
         example \"x -a\" \"does\\nthis\"\nexample \"x -b\"",
    );
    let command = &program.commands[0];
    assert_eq!(command.effect, Effect::Write);
    assert_eq!(command.from.of(Fact::Effect), Some(Evidence::Definition));
    assert!(command.hidden);
    assert_eq!(command.deprecated.as_deref(), Some("use y"));
    let annotations = Annotations {
        title: Some("T".to_owned()),
        read_only: Some(false),
        idempotent: Some(true),
        ..Annotations::default()
    };
    assert_eq!(command.annotations, annotations);
    let list = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        command.groups,
        [
            Group::Exclusive(list(&["a", "b"])),
            Group::Together(list(&["a", "c"])),
            Group::AnyOf(list(&["a", "b", "c"])),
            Group::Requires(list(&["a", "b", "c"])),
        ]
    );
    assert_eq!(command.examples, "# does\n# this\nx -a\n\nx -b");
}

#[test]
fn subcommands_have_what_their_parents_say_until_they_say_otherwise() {
    let program = program(
        "timeout 1000\nenv { A \"1\"; B \"2\"; }\neffect read\nstdin\nsandbox { network true; read \"/a\"; }\noutput { schema \"{}\" }\n\
         flag quiet\nflag loud\nexclusive quiet loud\n\
         subcommand one {\n description d\n subcommand two {\n  description d\n  timeout 2000\n  env { B \"3\"; }\n  effect destructive\n  sandbox { network false; read \"/b\"; }\n  arg file\n }\n}\n\
         subcommand three { description d; hidden true; subcommand four { description d; } }",
    );
    let paths: Vec<String> = program
        .commands
        .iter()
        .map(|command| command.path.join(" "))
        .collect();
    assert_eq!(paths, ["", "one", "one two", "three", "three four"]);
    let runnable: Vec<bool> = program
        .commands
        .iter()
        .map(|command| command.runnable)
        .collect();
    assert_eq!(runnable, [false, false, true, false, true]);
    let two = program.command(&["one", "two"]).unwrap();
    let run = two.run.as_ref().unwrap();
    assert_eq!(run.timeout_ms, 2000);
    assert_eq!(
        run.env.values().map(String::as_str).collect::<Vec<_>>(),
        ["1", "3"]
    );
    assert_eq!(
        (run.sandbox.network, run.sandbox.readable.as_slice()),
        (false, &["/b".to_owned()][..])
    );
    assert_eq!((&run.stdin, &run.output_schema), (&None, &None));
    assert_eq!(two.effect, Effect::Destructive);
    assert_eq!(two.usage, "x one two [flags] [file]");
    assert_eq!(
        two.inherited
            .iter()
            .map(|flag| flag.name.as_str())
            .collect::<Vec<_>>(),
        ["quiet", "loud"]
    );
    assert_eq!(two.groups.len(), 1);
    let four = program.command(&["three", "four"]).unwrap();
    assert!(four.hidden && four.effect == Effect::Read);
    assert!(four.run.as_ref().unwrap().sandbox.network);
    assert_eq!(program.commands[0].usage, "x <command> [flags]");
}

#[test]
fn a_command_with_subcommands_may_run_by_itself() {
    let program = program("runnable true\narg a\nsubcommand b { description d }");
    assert!(program.commands[0].runnable);
    assert_eq!(names(&program), ["a"]);
}

#[test]
fn what_its_user_should_know_is_said_once() {
    let text = "cli a {\n description d\n command \"x | y\"\n shell true\n timeout 30\n subcommand b { description d; }\n subcommand c { description d; timeout 1000; }\n}";
    let read = read("x.kdl", text);
    assert_eq!(
        read.definitions[0].warnings,
        [
            "`a` runs through a shell: its arguments are quoted, but the command itself is the shell's to read",
            "`a` is ended after 30 milliseconds; `timeout` counts those, not seconds",
        ]
    );
}

#[test]
fn both_dialects_mean_the_same() {
    let first = "cli \"a\" {\n    description r\"x\\y\"\n    command \"c\"\n    hidden true\n    arg \"f\" required=true\n}\n";
    let second = "cli a { description #\"x\\y\"#; command c; hidden #true; arg f required=#true }";
    let mixed =
        "cli a { description #\"x\\y\"#; command \"c\"; hidden true; arg f required=#true }";
    assert_eq!(programs(first), programs(second));
    assert_eq!(programs(first), programs(mixed));
}
