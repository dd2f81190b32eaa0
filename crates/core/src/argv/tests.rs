//! What passes the door, in which words, and what is said about the rest.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::catalog::{Catalog, Inherited, Layout, Selection, Tool};
use crate::model::{CommandSpec, Family, Joiner, Param, Program, Role, Spelling};

fn flag(name: &str, kind: &str) -> Param {
    Param::flag(name, kind.parse().unwrap())
}

fn tool(params: Vec<Param>) -> Tool {
    tool_with(params, Arc::new([]), |_| {})
}

fn tool_with(
    params: Vec<Param>,
    inherited: Arc<[Param]>,
    change: impl Fn(&mut CommandSpec),
) -> Tool {
    let mut command = CommandSpec {
        path: vec!["do".to_owned()],
        runnable: true,
        params,
        inherited,
        ..CommandSpec::default()
    };
    change(&mut command);
    let program = Program {
        name: "app".to_owned(),
        executable: None,
        version: None,
        family: Family::Cobra,
        commands: vec![CommandSpec::default(), command],
    };
    let catalog = Catalog::build(
        &[Arc::new(program)],
        &Selection::default(),
        Inherited::default(),
    );
    catalog.unwrap().tools()[0].clone()
}

/// The words behind the path, or the problems, one a line.
fn call(tool: &Tool, layout: Layout, json: &Value) -> String {
    match Arguments::check(tool, layout, json.as_object().unwrap()) {
        Ok(arguments) => encode(tool, &arguments).unwrap()[1..].join("|"),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(params: Vec<Param>, json: &Value, expected: &str) {
    assert_eq!(call(&tool(params), Layout::Flat, json), expected);
}

#[track_caller]
fn check_value(kind: &str, value: &Value, expected: &str) {
    check(vec![flag("x", kind)], &json!({"x": value}), expected);
}

#[test]
fn a_value_stands_behind_an_equals_sign_in_the_form_that_go_reads() {
    let cases = [
        ("string", json!("a b"), "--x=a b"),
        ("string", json!(""), "--x="),
        ("string", json!("--y"), "--x=--y"),
        ("string", json!(5), "--x=5"),
        ("int", json!(1_000_000), "--x=1000000"),
        ("int", json!(1e6), "--x=1000000"),
        ("int", json!(5.0), "--x=5"),
        ("int", json!("007"), "--x=7"),
        ("int", json!(i64::MAX), "--x=9223372036854775807"),
        ("uint", json!(u64::MAX), "--x=18446744073709551615"),
        ("float", json!(1e6), "--x=1000000"),
        ("float", json!(u64::MAX), "--x=18446744073709551615"),
        ("float", json!("1.5"), "--x=1.5"),
        ("bool", json!("true"), "--x=true"),
        ("duration", json!("1h30m"), "--x=1h30m"),
        ("duration", json!(0), "--x=0"),
        ("other<Size>", json!(true), "--x=true"),
        ("switch", json!(true), "--x"),
        ("switch", json!("false"), ""),
        ("count", json!(3), "--x|--x|--x"),
        ("count", json!(0), ""),
        (
            "csv<string>",
            json!(["a", "b,c", "d\"e", ""]),
            "--x=a,\"b,c\",\"d\"\"e\",\"\"",
        ),
        ("csv<string>", json!("one"), "--x=one"),
        ("csv<string>", json!([]), ""),
        ("repeat<string>", json!(["a,b", "c"]), "--x=a,b|--x=c"),
        ("repeat<string>", json!("a,b"), "--x=a,b"),
        ("comma<int>", json!([1, "2"]), "--x=1,2"),
        ("comma<int>", json!("1, 2"), "--x=1,2"),
        (
            "map<string>",
            json!({"a": "1", "b": "x,y"}),
            "--x=a=1|--x=b=x,y",
        ),
        ("map<string>", json!({"a": "b=c,d"}), "--x=\"a=b=c,d\""),
        (
            "map<string>",
            json!({"a": "\"b\""}),
            "--x=\"a=\"\"b\"\"\",\"a=\"\"b\"\"\"",
        ),
        ("map<int>", json!({"a": 1}), "--x=a=1"),
        ("string", json!(null), ""),
    ];
    for (kind, value, expected) in cases {
        check_value(kind, &value, expected);
    }
}

#[test]
fn a_value_of_another_type_is_refused_by_what_would_be_right() {
    let cases = [
        ("int", json!("two"), "`x` takes an integer, not \"two\""),
        ("int", json!(1.5), "`x` takes an integer, not 1.5"),
        ("int", json!("0x10"), "`x` takes an integer, not \"0x10\""),
        ("int", json!(1e17), "`x` takes an integer, not 1e+17"),
        ("int", json!(true), "`x` takes an integer, not true"),
        (
            "int8",
            json!(128),
            "`x` takes an integer from -128 to 127, not 128",
        ),
        ("uint", json!(-1), "`x` takes an integer from 0, not -1"),
        ("float32", json!(1e300), "`x` takes a number, not 1e+300"),
        ("float", json!("NaN"), "`x` takes a number, not \"NaN\""),
        ("switch", json!(1), "`x` takes true or false, not 1"),
        (
            "switch",
            json!("yes"),
            "`x` takes true or false, not \"yes\"",
        ),
        ("string", json!(1.5), "`x` takes a string, not 1.5"),
        ("string", json!(false), "`x` takes a string, not false"),
        ("string", json!(["a"]), "`x` takes a string, not [\"a\"]"),
        (
            "count",
            json!(101),
            "`x` takes a count from 0 to 100, not 101",
        ),
        (
            "count",
            json!(-1),
            "`x` takes a count from 0 to 100, not -1",
        ),
        (
            "duration",
            json!(5),
            "`x` takes a duration such as 1h30m or 5s, not 5",
        ),
        (
            "csv<string>",
            json!("a,b"),
            "`x` takes an array: a string with commas could mean one value or several, not \"a,b\"",
        ),
        (
            "comma<int>",
            json!(["a"]),
            "`x` takes an array, each element an integer, not [\"a\"]",
        ),
        (
            "map<int>",
            json!({"a": "b"}),
            "`x` takes an integer for each key, not {\"a\":\"b\"}",
        ),
        (
            "map<string>",
            json!("a=b"),
            "`x` takes an object of keys and values, not \"a=b\"",
        ),
        (
            "map<string>",
            json!({"a=b": "c"}),
            "`x` cannot have the key `a=b`: it holds an equals sign",
        ),
        (
            "map<int>",
            json!({"a,b": 1}),
            "`x` cannot hold `a,b=1`: a comma would split it",
        ),
        (
            "comma<string>",
            json!(["a,b"]),
            "`x` cannot hold `a,b`: a comma would split it",
        ),
        (
            "csv<string>",
            json!(["a\r\nb"]),
            "`x` cannot hold a carriage return before a line feed: CSV loses it",
        ),
        (
            "string",
            json!("a\0b"),
            "an argument holds a NUL byte, which no command line can carry",
        ),
    ];
    for (kind, value, expected) in cases {
        check_value(kind, &value, expected);
    }
}

#[test]
fn one_error_names_every_problem() {
    let mut name = flag("name", "string");
    name.required = true;
    let mut state = flag("state", "string");
    state.choices = ["open", "closed"].map(str::to_owned).to_vec();
    let params = vec![name, state, flag("page", "int"), flag("dry-run", "switch")];
    check(
        params,
        &json!({"page": "two", "state": "opne", "dry_rum": true, "zzz": 1}),
        "`page` takes an integer, not \"two\"\n\
         `state` takes one of open, closed, not \"opne\"\n\
         `dry_rum` is not an argument of this tool; did you mean `dry_run`?\n\
         `zzz` is not an argument of this tool\n\
         `name` is required",
    );
}

#[test]
fn a_long_wrong_value_is_cut_on_a_character() {
    let error = call(
        &tool(vec![flag("x", "int")]),
        Layout::Flat,
        &json!({"x": "ü".repeat(200)}),
    );
    assert_eq!(
        error,
        format!("`x` takes an integer, not \"{}…", "ü".repeat(59))
    );
}

#[test]
fn every_spelling_of_a_flag_is_taken_and_two_of_them_are_one_too_many() {
    let mut param = flag("dry-run", "switch");
    param.role = Role::Flag(Spelling {
        long: Some("--dry-run".to_owned()),
        short: Some("-n".to_owned()),
        ..Spelling::default()
    });
    for key in ["dry_run", "dry-run", "--dry-run", "-n"] {
        check(vec![param.clone()], &json!({key: true}), "--dry-run");
    }
    check(
        vec![param],
        &json!({"dry_run": true, "-n": false}),
        "`dry_run` and `-n` are the same argument",
    );
}

#[test]
fn flags_that_flatten_to_one_name_stay_apart() {
    let params = vec![
        flag("dry-run", "string"),
        flag("dry_run", "string"),
        flag("dryRun", "string"),
    ];
    check(
        params,
        &json!({"dry_run": "exact", "dry-run": "dashed", "dry_run_3": "third"}),
        "--dry-run=dashed|--dry_run=exact|--dryRun=third",
    );
}

#[test]
fn a_positional_makes_way_for_a_flag_of_its_name() {
    let params = vec![
        flag("file", "string"),
        Param::positional("FILE", "string".parse().unwrap()),
    ];
    check(params, &json!({"file": "f", "file_arg": "p"}), "--file=f|p");
}

#[test]
fn false_is_sent_where_the_default_is_true() {
    let mut on = flag("wait", "switch");
    on.default = Some("true".to_owned());
    check(vec![on.clone()], &json!({"wait": false}), "--wait=false");
    check(vec![on], &json!({"wait": true}), "--wait");
}

#[test]
fn an_empty_list_is_sent_where_it_changes_something_and_can_be_said() {
    let with_default = |kind: &str, default: &str| {
        let mut param = flag("x", kind);
        param.default = Some(default.to_owned());
        vec![param]
    };
    check(
        with_default("csv<string>", "[a]"),
        &json!({"x": []}),
        "--x=",
    );
    check(with_default("csv<string>", "[]"), &json!({"x": []}), "");
    check(
        with_default("comma<int>", "[1]"),
        &json!({"x": []}),
        "`x` cannot be emptied: its default stays where no value is given",
    );
    check(
        with_default("map<string>", "[a=b]"),
        &json!({"x": {}}),
        "`x` cannot be emptied: its default stays where no key is given",
    );
}

#[test]
fn a_flag_that_may_stand_alone_does_so_for_true() {
    let mut color = flag("color", "string");
    if let Role::Flag(spelling) = &mut color.role {
        spelling.bare = Some("always".to_owned());
    }
    check(vec![color.clone()], &json!({"color": true}), "--color");
    check(vec![color], &json!({"color": "never"}), "--color=never");
}

#[test]
fn a_flag_without_a_long_name_is_written_short() {
    let mut param = flag("o", "string");
    param.role = Role::Flag(Spelling {
        short: Some("-o".to_owned()),
        ..Spelling::default()
    });
    check(vec![param.clone()], &json!({"o": "x"}), "-o=x");
    if let Role::Flag(spelling) = &mut param.role {
        spelling.joiner = Joiner::Space;
    }
    check(vec![param.clone()], &json!({"o": "x"}), "-o|x");
    check(vec![param.clone()], &json!({"o": "-5"}), "-o|-5");
    check(
        vec![param],
        &json!({"o": "--force"}),
        "`o` cannot be `--force`: it would be read as a flag",
    );
}

#[test]
fn positionals_stand_in_order_behind_dashes_where_one_looks_like_a_flag() {
    let positional = |name: &str, kind: &str, required: bool| {
        let mut param = Param::positional(name, kind.parse().unwrap());
        param.required = required;
        param
    };
    let params = || {
        vec![
            flag("force", "switch"),
            positional("source", "string", true),
            positional("dest", "string", false),
            positional("more", "words<string>", false),
        ]
    };
    let cases = [
        (json!({"source": "a"}), "a"),
        (
            json!({"dest": "b", "source": "a", "force": true}),
            "--force|a|b",
        ),
        (json!({"source": "-a"}), "--|-a"),
        (json!({"source": "-a", "force": true}), "--force=true|--|-a"),
        (json!({"source": "-"}), "-"),
        (
            json!({"source": "a", "dest": "b", "more": ["c", "--d"]}),
            "--|a|b|c|--d",
        ),
        (
            json!({"source": "a", "dest": "b", "more": "c,d"}),
            "a|b|c,d",
        ),
        (json!({}), "`source` is required"),
        (
            json!({"source": "a", "more": ["c"]}),
            "`more` can only be given together with `dest`, which stands before it",
        ),
    ];
    for (json, expected) in cases {
        check(params(), &json, expected);
    }
    check(
        vec![positional("file", "words<string>", true)],
        &json!({"file": []}),
        "`file` is required",
    );
    // `[file...] <dest>`: the required one is always there, so that nothing shifts.
    let last = vec![
        positional("file", "words<string>", false),
        positional("dest", "string", true),
    ];
    check(last, &json!({"dest": "d"}), "d");
}

#[test]
fn what_stands_behind_the_dashes_of_a_usage_line_needs_nothing_before_them() {
    let positional = |name: &str, kind: &str| Param::positional(name, kind.parse().unwrap());
    let params = vec![
        positional("directory", "string"),
        positional("gitflags", "words<string>"),
    ];
    let clone = tool_with(params, Arc::new([]), |command| {
        command.usage = "app do [<directory>] [-- <gitflags>...]".to_owned();
    });
    let cases = [
        (json!({"gitflags": ["--depth=1"]}), "--|--depth=1"),
        (json!({"directory": "d", "gitflags": ["-q"]}), "d|--|-q"),
        (
            json!({"directory": "-d"}),
            "\"-d\" would be read as a flag: nothing protects it before the `--` of this command",
        ),
    ];
    for (json, expected) in cases {
        assert_eq!(call(&clone, Layout::Flat, &json), expected, "{json}");
    }
}

#[test]
fn folded_flags_are_checked_one_by_one() {
    let inherited: Arc<[Param]> = (0..30).map(|n| flag(&format!("g-{n}"), "int")).collect();
    let tool = tool_with(vec![flag("x", "int")], inherited, |_| {});
    let cases = [
        (
            json!({"global_flags": {"g_1": 5, "g-2": 6}}),
            "--g-1=5|--g-2=6",
        ),
        (json!({"x": 1, "g_3": 7}), "--x=1|--g-3=7"),
        (
            json!({"global_flags": {"g_1": "a"}}),
            "`g_1` takes an integer, not \"a\"",
        ),
        (
            json!({"global_flags": {"g_x": 1}}),
            "`g_x` is not a global flag; did you mean `g_0`?",
        ),
        (
            json!({"global_flags": {"x": 1}}),
            "`x` is not a global flag",
        ),
        (
            json!({"global_flags": 5}),
            "`global_flags` takes an object, not 5",
        ),
        (
            json!({"global_flags": {"g_1": 1}, "--g-1": 2}),
            "`g_1` and `--g-1` are the same argument",
        ),
    ];
    for (json, expected) in cases {
        assert_eq!(call(&tool, Layout::Flat, &json), expected, "{json}");
    }
    let nested = json!({"flags": {"x": 1, "g-3": 2}, "global_flags": {"g-4": 3}});
    assert_eq!(
        call(&tool, Layout::Nested, &nested),
        "--x=1|--g-3=2|--g-4=3"
    );
}

#[test]
fn the_nested_layout_takes_flags_and_args_and_nothing_else() {
    let tool = tool(vec![flag("dry-run", "switch")]);
    let cases = [
        (
            json!({"flags": {"dry-run": true}, "args": ["a", 5]}),
            "--dry-run|a|5",
        ),
        (json!({"args": null}), ""),
        (json!({"args": "one"}), "one"),
        (json!({"args": ["--x"]}), "--|--x"),
        (
            json!({"args": "a b"}),
            "`args` takes an array of strings, not \"a b\"",
        ),
        (json!({"flags": []}), "`flags` takes an object, not []"),
        (
            json!({"dry-run": true}),
            "`dry-run` is not an argument; flags go into `flags`",
        ),
        (
            json!({"arg": []}),
            "`arg` is not an argument; did you mean `args`?",
        ),
    ];
    for (json, expected) in cases {
        assert_eq!(call(&tool, Layout::Nested, &json), expected, "{json}");
    }
}

#[test]
fn a_long_list_is_spread_over_words_that_fit() {
    let values: Vec<String> = (0..30_000).map(|n| format!("value-{n}")).collect();
    let tool = tool(vec![flag("x", "csv<string>")]);
    let json = json!({"x": values});
    let arguments = Arguments::check(&tool, Layout::Flat, json.as_object().unwrap()).unwrap();
    let words = encode(&tool, &arguments).unwrap();
    assert!(words.len() > 3 && words.iter().all(|word| word.len() < 70_000));
    assert_eq!(
        size(
            words.iter().map(|word| word.as_bytes()),
            [],
            Room::default()
        ),
        Ok(())
    );
}

#[test]
fn the_json_switch_is_found_where_the_help_says_that_json_is_a_value() {
    let with = |name: &str, kind: &str, text: &str| {
        let mut param = flag(name, kind);
        param.text = text.to_owned();
        param
    };
    let mut choice = flag("format", "string");
    choice.choices = ["table", "json"].map(str::to_owned).to_vec();
    let mut placeholder = flag("output", "string");
    placeholder.value_name = Some("json|yaml".to_owned());
    let cases = [
        (
            with(
                "output",
                "string",
                "Output format. One of: (json, yaml, name, wide).",
            ),
            "--output=json",
        ),
        (
            with(
                "format",
                "string",
                "Format output using a custom template: 'table', 'json'",
            ),
            "--format=json",
        ),
        (with("output", "other<json|yaml>", ""), "--output=json"),
        (choice, "--format=json"),
        (placeholder, "--output=json"),
        (with("json", "switch", "Print JSON"), "--json"),
        (
            with("output", "string", "Write the JSON report to this file"),
            "",
        ),
        (with("output", "string", "Where to put it"), ""),
        (
            with(
                "json",
                "csv<string>",
                "Output JSON with the specified fields",
            ),
            "",
        ),
        (with("format", "string", "Image format (png, jpeg)"), ""),
    ];
    for (param, expected) in cases {
        let text = param.text.clone();
        let tool = tool(vec![param, flag("template", "string")]);
        let arguments = Arguments::default();
        let found = json_switch(&tool, &arguments);
        let shown = found.as_ref().map_or("", |switch| switch.shown.as_str());
        assert_eq!(shown, expected, "{text}");
        if let Some(switch) = found {
            let words = encode(&tool, &arguments.with_json(&switch)).unwrap();
            assert_eq!(words[1..], [expected]);
        }
        let chosen = json!({"template": "{{.}}"});
        let arguments = Arguments::check(&tool, Layout::Flat, chosen.as_object().unwrap()).unwrap();
        assert_eq!(json_switch(&tool, &arguments), None);
    }
}

mod defined;
mod other;
