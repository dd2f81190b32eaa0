//! Calls of tools that somebody defined by hand.

use super::*;
use crate::model::{Group, RunSpec, Secret, StdinFormat, StdinSpec};

/// A flag written as `spelled`: `--name`, `-n`, or `-name`.
fn spelled(spelled: &str, kind: &str, joiner: Joiner) -> Param {
    let name = spelled.trim_start_matches('-');
    let is_short = name.chars().count() == 1;
    let mut param = flag(name, kind);
    param.role = Role::Flag(Spelling {
        long: (!is_short).then(|| spelled.to_owned()),
        short: is_short.then(|| spelled.to_owned()),
        joiner,
        ..Spelling::default()
    });
    param
}

fn space(name: &str, kind: &str) -> Param {
    spelled(name, kind, Joiner::Space)
}

fn positional(name: &str, kind: &str) -> Param {
    Param::positional(name, kind.parse().unwrap())
}

fn required(param: Param) -> Param {
    Param {
        required: true,
        ..param
    }
}

fn default(text: &str, param: Param) -> Param {
    Param {
        default: Some(text.to_owned()),
        inject_default: true,
        ..param
    }
}

fn joined(separator: Option<&str>) -> Param {
    let mut param = spelled("--x", "joined<string>", Joiner::Equals);
    if let Role::Flag(spelling) = &mut param.role {
        spelling.separator = separator.map(str::to_owned);
    }
    param
}

fn secret(name: &str, way: Secret) -> Param {
    Param {
        secret: Some(way),
        ..space(name, "string")
    }
}

fn environment(name: &str) -> Secret {
    Secret::Environment(name.to_owned())
}

fn names(all: &[&str]) -> Vec<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

fn defined(params: Vec<Param>, change: impl Fn(&mut CommandSpec, &mut RunSpec)) -> Tool {
    let mut command = CommandSpec {
        runnable: true,
        params,
        ..CommandSpec::default()
    };
    let mut run = RunSpec::default();
    change(&mut command, &mut run);
    command.run = Some(Arc::new(run));
    let program = Program {
        name: "app".to_owned(),
        executable: Some("app".to_owned()),
        version: None,
        family: Family::Definition,
        commands: vec![command],
    };
    let catalog = Catalog::build(
        &[Arc::new(program)],
        &Selection::default(),
        Inherited::default(),
    );
    catalog.unwrap().tools()[0].clone()
}

fn checked(tool: &Tool, json: &Value) -> Result<Arguments, ArgumentError> {
    Arguments::check(tool, Layout::Flat, json.as_object().unwrap())
}

/// All words, or the problems.
fn words(tool: &Tool, layout: Layout, json: &Value) -> String {
    match Arguments::check(tool, layout, json.as_object().unwrap()) {
        Ok(arguments) => encode(tool, &arguments).unwrap().join("|"),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(tool: &Tool, cases: &[(Value, &str)]) {
    for (json, expected) in cases {
        assert_eq!(words(tool, Layout::Flat, json), *expected, "{json}");
    }
}

#[test]
fn fixed_words_stand_first_then_the_path_flags_and_positionals() {
    let params = vec![
        space("--n", "int"),
        positional("file", "string"),
        spelled("-json", "switch", Joiner::Space),
    ];
    let tool = defined(params, |command, run| {
        command.path = names(&["sub", "deep"]);
        run.words = names(&["-m", "json.tool"]);
    });
    check(
        &tool,
        &[
            (json!({}), "-m|json.tool|sub|deep"),
            (
                json!({"file": "f", "n": 2, "json": true}),
                "-m|json.tool|sub|deep|--n|2|-json|f",
            ),
        ],
    );
}

#[test]
fn a_value_follows_its_flag_as_the_definition_says() {
    let cases = [
        (space("--x", "string"), json!("a b"), "--x|a b"),
        (space("--x", "string"), json!(""), "--x|"),
        (space("--x", "string"), json!("-"), "--x|-"),
        (space("--x", "int"), json!(-5), "--x|-5"),
        (space("--x", "float"), json!(5), "--x|5"),
        (
            space("--x", "string"),
            json!("-v"),
            "`x` cannot be \"-v\": behind a space it could be read as a flag; where the program \
             takes `--x=VALUE`, its definition can say `joiner \"equals\"`",
        ),
        (
            spelled("--x", "string", Joiner::Equals),
            json!("-v"),
            "--x=-v",
        ),
        (spelled("-x", "int", Joiner::Attached), json!(5), "-x5"),
        (
            spelled("-x", "string", Joiner::Attached),
            json!("-v"),
            "-x-v",
        ),
        (
            spelled("-x", "string", Joiner::Attached),
            json!(""),
            "`x` cannot be empty: its value stands right behind `-x`",
        ),
        (space("--x", "count"), json!(2), "--x|--x"),
        (space("--x", "switch"), json!(false), ""),
        (
            space("--x", "repeat<string>"),
            json!(["a", "b"]),
            "--x|a|--x|b",
        ),
        (space("--x", "repeat<string>"), json!([]), ""),
        (space("--x", "repeat<string>"), json!("a,b"), "--x|a,b"),
        (space("--x", "csv<string>"), json!(["a", "b"]), "--x|a,b"),
        (joined(None), json!(["a", "b"]), "--x=a b"),
        (joined(Some(",")), json!(["a", "b c"]), "--x=a,b c"),
        (joined(Some(",")), json!(["a", "", "b"]), "--x=a,,b"),
        (joined(Some("")), json!(["a", "b"]), "--x=ab"),
        (joined(Some(",")), json!("a"), "--x=a"),
        (
            joined(Some(",")),
            json!(["a,b"]),
            "`x` cannot hold \"a,b\": its values are joined with \",\", which would split it; the \
             definition can say another `separator`, or `repeat` where the program takes the flag \
             several times",
        ),
        (
            joined(None),
            json!(["a b", "c"]),
            "`x` cannot hold \"a b\": its values are joined with \" \", which would split it; the \
             definition can say another `separator`, or `repeat` where the program takes the flag \
             several times",
        ),
        (
            joined(None),
            json!(["a", ""]),
            "`x` cannot hold an empty value: nothing would be left of it",
        ),
        (
            space("--x", "string"),
            json!("a\0"),
            "an argument holds a NUL byte, which no command line can carry",
        ),
    ];
    for (param, value, expected) in cases {
        let tool = defined(vec![param], |_, _| {});
        check(&tool, &[(json!({"x": value}), expected)]);
    }
}

#[test]
fn an_attached_value_stands_behind_the_short_form() {
    let mut context = spelled("--context", "int", Joiner::Attached);
    if let Role::Flag(spelling) = &mut context.role {
        spelling.short = Some("-C".to_owned());
    }
    check(
        &defined(vec![context], |_, _| {}),
        &[(json!({"context": 5}), "-C5")],
    );
}

#[test]
fn a_positional_that_looks_like_a_flag_stands_behind_dashes_or_nowhere() {
    let params = || vec![positional("a", "string"), positional("b", "words<string>")];
    check(
        &defined(params(), |_, _| {}),
        &[
            (json!({"a": "x", "b": ["y", "-"]}), "x|y|-"),
            (json!({"a": "-x"}), "--|-x"),
            (json!({"a": "x", "b": ["y", "--z"]}), "--|x|y|--z"),
            (json!({"a": ""}), ""),
            (
                json!({"b": ["y"]}),
                "`b` can only be given together with `a`, which stands before it",
            ),
        ],
    );
    check(
        &defined(params(), |_, run| run.end_of_options = false),
        &[
            (json!({"a": "x", "b": ["-"]}), "x|-"),
            (
                json!({"a": "-x"}),
                "\"-x\" would be read as a flag: nothing protects it in `app`",
            ),
            (
                json!({"a": "x", "b": ["y", "-5"]}),
                "\"-5\" would be read as a flag: nothing protects it in `app`",
            ),
        ],
    );
}

#[test]
fn a_path_is_never_a_flag_and_is_told_apart() {
    let params = vec![
        space("--out-file", "path"),
        spelled("--with", "repeat<path>", Joiner::Equals),
        positional("in", "path"),
        positional("rest", "words<string>"),
    ];
    let tool = defined(params, |_, run| run.end_of_options = false);
    let json = json!({"out_file": "-x", "with": ["a", "-b,c"], "in": "--", "rest": ["r"]});
    check(
        &tool,
        &[
            (
                json.clone(),
                "--out-file|./-x|--with=a|--with=./-b,c|./--|r",
            ),
            (json!({"in": "-"}), "-"),
            (json!({"in": ""}), "`in` takes a path, not \"\""),
            (json!({"in": ["a"]}), "`in` takes a path, not [\"a\"]"),
            (
                json!({"in": "a\0b"}),
                "an argument holds a NUL byte, which no command line can carry",
            ),
        ],
    );
    let arguments = checked(&tool, &json).unwrap();
    let expected = [
        ("out_file", "./-x"),
        ("with", "a"),
        ("with", "./-b,c"),
        ("in", "./--"),
    ];
    assert_eq!(
        arguments.paths(&tool),
        expected.map(|(name, path)| (name.to_owned(), path.to_owned()))
    );
}

#[test]
fn a_line_is_words_or_a_string_of_them_and_passes_as_it_is() {
    let tool = defined(vec![positional("args", "line")], |_, _| {});
    let cases = [
        (json!({}), ""),
        (json!({"args": ["-r", ".a b", "--", "-x"]}), "-r|.a b|--|-x"),
        (json!({"args": "-r '.a b' f.json"}), "-r|.a b|f.json"),
        (json!({"args": "$HOME *"}), "$HOME|*"),
        (json!({"args": [1, "a"]}), "1|a"),
        (json!({"args": []}), ""),
        (json!({"args": ""}), ""),
        (
            json!({"args": "it's"}),
            "`args` takes an array of words, or a string of them with balanced quotes (its single \
             quote is not closed), not \"it's\"",
        ),
        (
            json!({"args": [true]}),
            "`args` takes an array of words, or a string of them, not [true]",
        ),
        (
            json!({"args": {"a": 1}}),
            "`args` takes an array of words, or a string of them, not {\"a\":1}",
        ),
    ];
    check(&tool, &cases);
    for (json, expected) in cases {
        assert_eq!(words(&tool, Layout::Nested, &json), expected, "{json}");
    }
}

#[test]
fn a_default_is_given_where_the_caller_gives_nothing() {
    let params = vec![
        default("true", space("--silent", "switch")),
        default("GET", space("--request", "string")),
        default("2", space("-v", "count")),
        default("[a,\"b,c\"]", space("--header", "repeat<string>")),
        default("", space("--empty", "string")),
        space("--other", "switch"),
        positional("first", "string"),
        default(".", positional("path", "path")),
    ];
    let tool = defined(params, |_, _| {});
    let all = "--silent|--request|GET|-v|-v|--header|a|--header|b,c|--empty|";
    check(
        &tool,
        &[
            (json!({"first": "x"}), &format!("{all}|x|.")),
            (
                json!({"first": "x", "silent": false, "request": "PUT", "v": 0, "header": [],
                       "empty": null, "path": "-p"}),
                "--request|PUT|--empty||x|./-p",
            ),
            (json!({"first": "x", "silent": true}), &format!("{all}|x|.")),
            // The last default would be read in the place of what is missing.
            (json!({}), all),
            (
                json!({"first": "x", "request": 1.5}),
                "`request` takes a string, not 1.5",
            ),
        ],
    );
    assert_eq!(
        words(&tool, Layout::Nested, &json!({"flags": {}, "args": ["x"]})),
        format!("{all}|x|.")
    );
}

#[test]
fn a_required_parameter_with_a_default_is_always_there() {
    let params = vec![
        default("1", required(space("--n", "int"))),
        required(positional("f", "path")),
    ];
    check(
        &defined(params, |_, _| {}),
        &[
            (json!({"f": "x"}), "--n|1|x"),
            (json!({}), "`f` is required"),
        ],
    );
}

#[test]
fn a_default_that_is_no_value_is_a_problem_and_not_left_out() {
    let tool = defined(vec![default("many", space("--n", "int"))], |_, _| {});
    check(&tool, &[(json!({}), "`n` takes an integer, not \"many\"")]);
}

#[test]
fn a_hidden_default_is_given_and_a_denied_one_is_not() {
    let hidden = |param| Param {
        hidden: true,
        ..param
    };
    let program = |flag: Param| {
        let command = CommandSpec {
            runnable: true,
            params: vec![flag],
            run: Some(Arc::default()),
            ..CommandSpec::default()
        };
        Arc::new(Program {
            name: "app".to_owned(),
            executable: None,
            version: None,
            family: Family::Definition,
            commands: vec![command],
        })
    };
    let flag = || default("never", spelled("--color", "string", Joiner::Equals));
    let deny = Selection {
        deny_flags: vec!["color".to_owned()],
        ..Selection::default()
    };
    let show = Selection {
        include_hidden: true,
        ..Selection::default()
    };
    let cases = [
        (
            hidden(flag()),
            Selection::default(),
            json!({}),
            "--color=never",
        ),
        (
            hidden(flag()),
            Selection::default(),
            json!({"color": "x"}),
            "`color` is not an argument of this tool",
        ),
        (hidden(flag()), show, json!({"color": "x"}), "--color=x"),
        (hidden(flag()), deny.clone(), json!({}), ""),
        (flag(), deny, json!({}), ""),
    ];
    for (flag, selection, json, expected) in cases {
        let catalog = Catalog::build(&[program(flag)], &selection, Inherited::default()).unwrap();
        let tool = &catalog.tools()[0];
        assert_eq!(words(tool, Layout::Flat, &json), expected, "{selection:?}");
    }
}

#[test]
fn a_hidden_default_makes_way_and_a_hidden_secret_is_no_word() {
    let hidden = |param| Param {
        hidden: true,
        ..param
    };
    let params = vec![
        hidden(default("true", space("--json", "switch"))),
        space("--csv", "switch"),
        space("--tsv", "switch"),
        hidden(default("hunter2", secret("--key", environment("KEY")))),
    ];
    let tool = defined(params, |command, _| {
        command.groups = vec![
            Group::Exclusive(names(&["json", "csv"])),
            Group::Requires(names(&["tsv", "json"])),
            Group::AnyOf(names(&["csv", "json"])),
        ];
    });
    check(
        &tool,
        &[
            (json!({}), "--json"),
            (json!({"csv": true}), "--csv"),
            (json!({"tsv": true}), "--tsv|--json"),
        ],
    );
    let secrets = checked(&tool, &json!({})).unwrap().secrets(&tool);
    assert_eq!(secrets.environment[0].0, "KEY");
    assert_eq!(secrets.environment[0].1.expose(), "hunter2");
}

#[test]
fn groups_are_about_what_the_caller_gave() {
    let params = || {
        vec![
            space("--as-json", "switch"),
            space("--csv", "switch"),
            space("--user", "string"),
            space("--password", "string"),
            positional("file", "path"),
        ]
    };
    let tool = |group: Group| {
        defined(params(), move |command, run| {
            command.groups = vec![group.clone()];
            run.stdin = Some(StdinSpec::default());
        })
    };
    let exclusive = tool(Group::Exclusive(names(&["as-json", "csv", "stdin"])));
    check(
        &exclusive,
        &[
            (json!({"as_json": true, "csv": false}), "--as-json"),
            (
                json!({"as_json": true, "csv": true}),
                "`as_json` and `csv` exclude each other: give one of them",
            ),
            (
                json!({"as_json": true, "csv": true, "stdin": "x"}),
                "`as_json`, `csv` and `stdin` exclude each other: give one of them",
            ),
        ],
    );
    assert_eq!(
        words(
            &exclusive,
            Layout::Nested,
            &json!({"flags": {"as-json": true, "csv": true}})
        ),
        "`as-json` and `csv` exclude each other: give one of them"
    );
    check(
        &tool(Group::Together(names(&["user", "password"]))),
        &[
            (json!({}), ""),
            (
                json!({"user": "u", "password": "p"}),
                "--user|u|--password|p",
            ),
            (
                json!({"password": "p"}),
                "`password` can only be given together with `user`",
            ),
            // What is wrong with a value is said once.
            (
                json!({"user": "u", "password": 1.5}),
                "`password` takes a string, not 1.5",
            ),
        ],
    );
    let any = tool(Group::AnyOf(names(&["file", "user", "stdin"])));
    check(
        &any,
        &[
            (json!({"file": "f"}), "f"),
            (json!({"stdin": ""}), ""),
            (
                json!({}),
                "at least one of `file`, `user` or `stdin` is required",
            ),
        ],
    );
    assert_eq!(words(&any, Layout::Nested, &json!({"args": ["f"]})), "f");
    check(
        &tool(Group::Requires(names(&["user", "password", "file"]))),
        &[
            (json!({"password": "p"}), "--password|p"),
            (json!({"user": "u"}), "`user` needs `password` and `file`"),
            (json!({"user": "u", "file": "f"}), "`user` needs `password`"),
        ],
    );
    check(
        &tool(Group::Requires(names(&["user", "nothing"]))),
        &[(json!({"user": "u"}), "`user` needs `nothing`")],
    );
}

#[test]
fn a_default_makes_way_for_what_excludes_it_and_satisfies_what_needs_it() {
    let params = || {
        vec![
            default("true", space("--json", "switch")),
            space("--csv", "switch"),
        ]
    };
    let tool = |group: Group| defined(params(), move |it, _| it.groups = vec![group.clone()]);
    let both = || names(&["json", "csv"]);
    check(
        &tool(Group::Exclusive(both())),
        &[
            (json!({}), "--json"),
            (json!({"csv": true}), "--csv"),
            (
                json!({"csv": true, "json": true}),
                "`json` and `csv` exclude each other: give one of them",
            ),
        ],
    );
    check(&tool(Group::AnyOf(both())), &[(json!({}), "--json")]);
    let flipped = Group::Requires(names(&["csv", "json"]));
    check(&tool(flipped), &[(json!({"csv": true}), "--json|--csv")]);
    check(
        &tool(Group::Together(both())),
        &[
            (json!({}), "--json"),
            (json!({"csv": true}), "--json|--csv"),
        ],
    );
}

#[test]
fn the_json_switch_respects_what_excludes_it() {
    let params = vec![space("--json", "switch"), space("--csv", "switch")];
    let tool = defined(params, |command, _| {
        command.groups = vec![Group::Exclusive(names(&["json", "csv"]))];
    });
    let switch = |json: Value| json_switch(&tool, &checked(&tool, &json).unwrap());
    assert_eq!(switch(json!({})).unwrap().shown, "--json");
    assert_eq!(switch(json!({"csv": true})), None);
}

#[test]
fn a_secret_reaches_the_program_but_no_word_and_no_message() {
    let params = vec![
        required(secret("--token", environment("APP_TOKEN"))),
        secret("--password", Secret::Stdin),
        Param {
            choices: names(&["a", "b"]),
            ..secret("--level", environment("LEVEL"))
        },
        positional("file", "path"),
    ];
    let tool = defined(params, |_, run| run.stdin = Some(StdinSpec::default()));
    let json = json!({"token": "hunter2", "password": "hunter3", "file": "f"});
    check(
        &tool,
        &[
            (json.clone(), "f"),
            (json!({}), "`token` is required"),
            (json!({"token": ["hunter2"]}), "`token` takes a string"),
            (
                json!({"token": "x", "level": "hunter2"}),
                "`level` takes one of a, b",
            ),
            (
                json!({"token": "hunter\u{0}2"}),
                "`token` holds a NUL byte, which no variable can carry",
            ),
            (
                json!({"token": "x", "password": "y", "stdin": "z"}),
                "`password` and `stdin` cannot be given together: the command reads each from its stdin",
            ),
            (
                json!({"token": "x", "--token": "y"}),
                "`token` and `--token` are the same argument",
            ),
        ],
    );
    let arguments = checked(&tool, &json).unwrap();
    assert!(!format!("{arguments:?}").contains("hunter"));
    let secrets = arguments.secrets(&tool);
    let [(name, value)] = secrets.environment.as_slice() else {
        panic!("{secrets:?}");
    };
    assert_eq!((name.as_str(), value.expose()), ("APP_TOKEN", "hunter2"));
    assert_eq!(secrets.stdin.unwrap().expose(), "hunter3");
    assert_eq!(arguments.stdin(), None);
}

#[test]
fn stdin_becomes_bytes_by_its_format() {
    let tool = |format, required| {
        defined(vec![], move |_, run| {
            run.stdin = Some(StdinSpec {
                format,
                required,
                ..StdinSpec::default()
            });
        })
    };
    let read = |format, value: Value| {
        let tool = tool(format, false);
        match checked(&tool, &json!({"stdin": value})) {
            Ok(arguments) => Ok(arguments.stdin().map(<[u8]>::to_vec)),
            Err(error) => Err(error.to_string()),
        }
    };
    let good: [(StdinFormat, Value, Option<&[u8]>); 9] = [
        (StdinFormat::Text, json!("a\n"), Some(b"a\n")),
        (StdinFormat::Text, json!(""), Some(b"")),
        (StdinFormat::Text, json!(null), None),
        (
            StdinFormat::Json,
            json!(" {\"a\": 1}\n"),
            Some(b" {\"a\": 1}\n"),
        ),
        (
            StdinFormat::Json,
            json!({"b": [1, 2.5], "a": null}),
            Some(b"{\"b\":[1,2.5],\"a\":null}"),
        ),
        (StdinFormat::Json, json!(5), Some(b"5")),
        (StdinFormat::Json, json!("null"), Some(b"null")),
        (StdinFormat::Binary, json!("/wA="), Some(b"\xff\x00")),
        (StdinFormat::Binary, json!(""), Some(b"")),
    ];
    for (format, value, expected) in good {
        assert_eq!(
            read(format, value.clone()),
            Ok(expected.map(<[u8]>::to_vec)),
            "{value}"
        );
    }
    let bad = [
        (StdinFormat::Text, json!(5), "`stdin` takes a string, not 5"),
        (
            StdinFormat::Json,
            json!("{a"),
            "`stdin` takes JSON, and its text is not: key must be a string at line 1 column 2",
        ),
        (
            StdinFormat::Binary,
            json!("/w"),
            "`stdin` takes bytes in base64, not \"/w\"",
        ),
        (
            StdinFormat::Binary,
            json!([255]),
            "`stdin` takes bytes in base64, not [255]",
        ),
    ];
    for (format, value, expected) in bad {
        assert_eq!(read(format, value), Err(expected.to_owned()));
    }
    for json in [json!({}), json!({"stdin": null})] {
        check(
            &tool(StdinFormat::Text, true),
            &[(json, "`stdin` is required")],
        );
    }
    check(
        &tool(StdinFormat::Json, true),
        &[(
            json!({"stdin": "{"}),
            "`stdin` takes JSON, and its text is not: EOF while parsing an object at line 1 column 1",
        )],
    );
}

#[test]
fn nested_words_are_checked_as_the_positionals_that_they_are() {
    let params = vec![
        required(positional("n", "int")),
        positional("in", "path"),
        Param {
            choices: names(&["a", "b"]),
            ..positional("rest", "words<string>")
        },
    ];
    let tool = defined(params, |_, _| {});
    let cases = [
        (json!(["1", "-x", "a", "b"]), "1|./-x|a|b"),
        (json!(["one"]), "`n` takes an integer, not \"one\""),
        (json!([]), "`n` is required"),
        (
            json!(["1", "x", "c"]),
            "`rest` takes an array, each element one of a, b, not [\"c\"]",
        ),
    ];
    for (args, expected) in cases {
        let json = json!({"args": args});
        assert_eq!(words(&tool, Layout::Nested, &json), expected);
    }
    let few = defined(vec![positional("a", "string")], |_, _| {});
    assert_eq!(
        words(&few, Layout::Nested, &json!({"args": ["x", "y"]})),
        "\"y\" is one word too many: `app` takes 1 of them"
    );
}

#[test]
fn a_word_that_is_a_subcommand_is_no_argument_and_its_beginning_is() {
    let root = CommandSpec {
        runnable: true,
        params: vec![positional("what", "words<string>")],
        run: Some(Arc::default()),
        ..CommandSpec::default()
    };
    let child = CommandSpec {
        path: names(&["log"]),
        ..root.clone()
    };
    let program = Program {
        name: "app".to_owned(),
        executable: None,
        version: None,
        family: Family::Definition,
        commands: vec![root, child],
    };
    let catalog = Catalog::build(
        &[Arc::new(program)],
        &Selection::default(),
        Inherited::default(),
    )
    .unwrap();
    let tool = catalog.find("cli_app").unwrap();
    check(
        tool,
        &[
            (json!({"what": ["lo", "log"]}), "lo|log"),
            (json!({"what": [""]}), ""),
            (
                json!({"what": ["log"]}),
                "\"log\" cannot stand as an argument of `app`: the program would read it as its subcommand",
            ),
        ],
    );
    let sub = catalog.find("cli_app_log").unwrap();
    check(sub, &[(json!({"what": ["log"]}), "log|log")]);
}
