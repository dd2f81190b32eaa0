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
    let program = Program {
        name: "app".to_owned(),
        executable: None,
        version: None,
        family: Family::Clap,
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
