//! Calls of programs whose parser is not pflag.

use super::*;

fn spelled(name: &str, kind: &str, change: impl Fn(&mut Spelling)) -> Param {
    let mut param = flag(name, kind);
    if let Role::Flag(spelling) = &mut param.role {
        change(spelling);
    }
    param
}

fn negatable(name: &str) -> Param {
    spelled(name, "switch", |spelling| {
        spelling.negative = Some(format!("--no-{name}"));
    })
}

/// The words of a call of `app one two`.
#[track_caller]
fn check(params: Vec<Param>, inherited: Vec<Param>, json: &Value, expected: &str) {
    check_of(Family::Clap, params, inherited, json, expected);
}

#[track_caller]
fn check_of(
    family: Family,
    params: Vec<Param>,
    inherited: Vec<Param>,
    json: &Value,
    expected: &str,
) {
    let program = Program {
        name: "app".to_owned(),
        executable: None,
        version: None,
        family,
        commands: vec![
            CommandSpec::default(),
            CommandSpec {
                path: vec!["one".to_owned(), "two".to_owned()],
                runnable: true,
                params,
                inherited: inherited.into(),
                ..CommandSpec::default()
            },
        ],
    };
    let programs = [Arc::new(program)];
    let catalog = Catalog::build(&programs, &Selection::default(), Inherited::default()).unwrap();
    let tool = &catalog.tools()[0];
    let words = match Arguments::check(tool, Layout::Flat, json.as_object().unwrap()) {
        Ok(arguments) => encode(tool, &arguments).map(|words| words.join("|")),
        Err(error) => Err(error),
    };
    let words = words.unwrap_or_else(|error| error.to_string());
    assert_eq!(words, expected);
}

#[test]
fn a_switch_is_off_by_its_own_word_where_it_has_one() {
    let params = || vec![negatable("color"), flag("quiet", "switch")];
    check(params(), vec![], &json!({"color": true}), "one|two|--color");
    check(
        params(),
        vec![],
        &json!({"color": false}),
        "one|two|--no-color",
    );
    check(params(), vec![], &json!({"quiet": false}), "one|two");
}

#[test]
fn a_flag_of_a_command_above_stands_behind_its_words() {
    let above = |name: &str, place| {
        spelled(name, "string", |spelling| {
            spelling.after_words = Some(place)
        })
    };
    check(
        vec![flag("own", "string")],
        vec![above("root", 0), above("middle", 1)],
        &json!({"own": "a", "root": "b", "middle": "c"}),
        "--root=b|one|--middle=c|two|--own=a",
    );
}

#[test]
fn words_behind_a_flag_end_before_the_positionals() {
    let params = || {
        vec![
            flag("files", "words<string>"),
            Param::positional("target", "string".parse().unwrap()),
        ]
    };
    check(
        params(),
        vec![],
        &json!({"files": ["a", "b"], "target": "t"}),
        "one|two|--files|a|b|--|t",
    );
    check(params(), vec![], &json!({"target": "t"}), "one|two|t");
    check(
        params(),
        vec![],
        &json!({"files": ["a", "-b"]}),
        "`files` cannot hold \"-b\": it could be read as a flag",
    );
}

#[test]
fn a_flag_with_a_fixed_number_of_values_is_given_again_for_more() {
    let params = |shown: &str| {
        vec![
            Param {
                value_name: Some(shown.to_owned()),
                ..flag("arg", "words<string>")
            },
            Param::positional("filter", "string".parse().unwrap()),
        ]
    };
    let json = json!({"arg": ["a", "1", "b", "2"], "filter": "."});
    for shown in ["NAME VALUE", "<TEXT TEXT>..."] {
        let expected = "one|two|--arg|a|1|--arg|b|2|.";
        check(params(shown), vec![], &json, expected);
    }
    for shown in ["NAME", "NAME VALUE...", "NAME [NAME ...]"] {
        let expected = "one|two|--arg|a|1|b|2|--|.";
        check(params(shown), vec![], &json, expected);
    }
}

#[test]
fn a_value_that_may_be_left_out_takes_no_positional_for_it() {
    let params = |kind: &str| {
        vec![
            spelled("stat", kind, |spelling| {
                spelling.bare = Some(String::new());
            }),
            Param::positional("file", "string".parse().unwrap()),
        ]
    };
    let json = json!({"stat": true, "file": "f"});
    let families = [
        (Family::Commander, "one|two|--stat|--|f"),
        (Family::Git, "one|two|--stat|f"),
        (Family::Gnu, "one|two|--stat|f"),
    ];
    for (family, expected) in families {
        check_of(family, params("string"), vec![], &json, expected);
    }
    let none = json!({"stat": []});
    check(params("words<string>"), vec![], &none, "one|two|--stat");
}
