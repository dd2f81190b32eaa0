//! Command lines as people type them, and the JSON that a server gets.

use proptest::prelude::*;
use serde_json::json;
use snapbox::prelude::*;
use snapbox::{assert_data_eq, str};

use super::*;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Own {
    Cache,
    NoCache,
    Verbose,
    Quiet,
    Help,
}

const OWN: [OwnFlag<Own>; 5] = [
    own(Own::Cache, "cache", None, Takes::Value("DURATION")),
    own(Own::NoCache, "no-cache", None, Takes::Nothing),
    own(Own::Verbose, "verbose", Some('v'), Takes::Nothing),
    own(Own::Quiet, "quiet", Some('q'), Takes::Nothing),
    own(Own::Help, "help", Some('h'), Takes::Nothing),
];

const fn own(id: Own, long: &'static str, short: Option<char>, takes: Takes) -> OwnFlag<Own> {
    OwnFlag {
        id,
        long,
        short,
        takes,
        text: "",
    }
}

fn tool_of(input: Value) -> ToolSpec {
    let tool = json!({"name": "search", "inputSchema": input});
    let raw = serde_json::value::to_raw_value(&tool).unwrap();
    let taken: Vec<&str> = OWN.iter().map(|own| own.long).collect();
    ToolSpec::read(&raw, &taken).unwrap()
}

/// A tool with a parameter of every kind.
fn search() -> ToolSpec {
    tool_of(json!({
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "page": {"type": "integer"},
            "score": {"type": "number"},
            "all": {"type": "boolean"},
            "maybe": {"type": ["boolean", "null"]},
            "unit": {"enum": ["celsius", "fahrenheit", 1.5, null]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "ids": {"type": "array", "items": {"type": "integer"}},
            "rows": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            "parts": {"type": "array", "items": {"type": "object"}},
            "optionalTags": {"anyOf": [{"items": {"type": "string"}}, {"type": "null"}]},
            "path": {"anyOf": [{"type": "string"}, {"items": {"type": "string"}}]},
            "config": {"type": "object"},
            "note": {"type": ["string", "null"]},
            "limit": {"type": ["integer", "null"]},
            "id": {"type": ["integer", "string", "boolean"]},
            "free": {},
            "cache": {"type": "integer"},
            "user.name": {"type": "string"},
            "no_wrap": {"type": "boolean"},
            "wrap": {"type": "boolean"},
        },
        "additionalProperties": false,
    }))
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// What the flags of `search` send.
#[track_caller]
fn check(line: &[&str], expected: &str) {
    match decode(&search(), &OWN, &words(line)).map(|decoded| decoded.arguments) {
        Ok(Source::Flags(json)) => assert_eq!(json.get(), expected, "{line:?}"),
        other => panic!("{line:?}: {other:?}"),
    }
}

#[track_caller]
fn problems_of(tool: &ToolSpec, line: &[&str]) -> String {
    decode(tool, &OWN, &words(line)).unwrap_err().to_string()
}

#[track_caller]
fn check_problem(line: &[&str], expected: impl IntoData) {
    assert_data_eq!(problems_of(&search(), line), expected);
}

#[test]
fn a_value_follows_its_flag_in_either_way() {
    check(&["--query=a"], r#"{"query":"a"}"#);
    check(&["--query", "a b"], r#"{"query":"a b"}"#);
    check(&["--query="], r#"{"query":""}"#);
    check(&["--query=a=b"], r#"{"query":"a=b"}"#);
    check(&["--query", "--page"], r#"{"query":"--page"}"#);
    check(&["--query", "--"], r#"{"query":"--"}"#);
    check(&["--page", "-5"], r#"{"page":-5}"#);
    check(&["--query=\"\\\n\u{1}é"], r#"{"query":"\"\\\n\u0001é"}"#);
}

#[test]
fn numbers_keep_every_digit() {
    for digits in [
        "0",
        "-0",
        "9007199254740993",
        "-9223372036854775809",
        "123456789012345678901234567890",
    ] {
        check(
            &[&format!("--page={digits}")],
            &format!(r#"{{"page":{digits}}}"#),
        );
    }
    for number in [
        "1.0",
        "1e3",
        "-0.10",
        "1E+999",
        "3.141592653589793238462643",
    ] {
        check(
            &[&format!("--score={number}")],
            &format!(r#"{{"score":{number}}}"#),
        );
    }
}

#[test]
fn a_switch_stands_alone() {
    check(&["--all"], r#"{"all":true}"#);
    check(&["--no-all"], r#"{"all":false}"#);
    check(&["--all=true"], r#"{"all":true}"#);
    check(&["--all=false"], r#"{"all":false}"#);
    check(&["--maybe"], r#"{"maybe":true}"#);
    check(&["--no-maybe"], r#"{"maybe":false}"#);
    check(&["--maybe=null"], r#"{"maybe":null}"#);
    check(&["--all", "--query=x"], r#"{"query":"x","all":true}"#);
    check(&["--tool-all"], r#"{"all":true}"#);
    check(&["--no-tool-all"], r#"{"all":false}"#);
    check(&["--tool-no-all"], r#"{"all":false}"#);
}

#[test]
fn a_property_called_no_something_is_itself() {
    check(&["--no-wrap"], r#"{"no_wrap":true}"#);
    check(
        &["--no-wrap=false", "--wrap=false"],
        r#"{"no_wrap":false,"wrap":false}"#,
    );
    check(&["--no-no-wrap"], r#"{"no_wrap":false}"#);
}

#[test]
fn choices_are_written_without_quotes() {
    check(&["--unit=celsius"], r#"{"unit":"celsius"}"#);
    check(&["--unit=1.5"], r#"{"unit":1.5}"#);
    check(&["--unit=1.50"], r#"{"unit":1.5}"#);
    check(&["--unit=null"], r#"{"unit":null}"#);
}

#[test]
fn choices_are_told_apart_by_every_digit() {
    let tool = tool_of(json!({"properties": {
        "id": {"enum": [9_007_199_254_740_992_u64, 9_007_199_254_740_994_u64, "x"]},
    }}));
    assert!(decode(&tool, &OWN, &words(&["--id=9007199254740992"])).is_ok());
    assert!(decode(&tool, &OWN, &words(&["--id=9007199254740993"])).is_err());
}

#[test]
fn lists_are_repeated_or_one_json_array() {
    check(&["--tags=a"], r#"{"tags":["a"]}"#);
    check(&["--tags=a", "--tags", "b"], r#"{"tags":["a","b"]}"#);
    check(&["--tags=a,b"], r#"{"tags":["a,b"]}"#);
    check(&[r#"--tags=["a", "b"]"#], r#"{"tags":["a", "b"]}"#);
    check(&["--tags=[]"], r#"{"tags":[]}"#);
    check(&["--tags=[1]"], r#"{"tags":["[1]"]}"#);
    check(&["--tags=[x"], r#"{"tags":["[x"]}"#);
    check(
        &["--ids=1", "--ids=9007199254740993"],
        r#"{"ids":[1,9007199254740993]}"#,
    );
    check(
        &["--ids=[1,9007199254740993]"],
        r#"{"ids":[1,9007199254740993]}"#,
    );
    check(&["--rows=[1,2]"], r#"{"rows":[[1,2]]}"#);
    check(&["--rows=[1,2]", "--rows=[3]"], r#"{"rows":[[1,2],[3]]}"#);
    check(&["--rows=[[1,2],[3]]"], r#"{"rows":[[1,2],[3]]}"#);
    check(
        &["--parts={\"a\":1}", "--parts={}"],
        r#"{"parts":[{"a":1},{}]}"#,
    );
}

#[test]
fn a_list_that_may_be_absent_or_single_is_still_repeated() {
    check(
        &["--optionalTags=a", "--optional-tags=b"],
        r#"{"optionalTags":["a","b"]}"#,
    );
    check(&["--optional-tags=null"], r#"{"optionalTags":["null"]}"#);
    check(&["--optional-tags=[]"], r#"{"optionalTags":[]}"#);
    check(&["--path=a"], r#"{"path":"a"}"#);
    check(&["--path=a", "--path=b"], r#"{"path":["a","b"]}"#);
    check(&[r#"--path=["a"]"#], r#"{"path":["a"]}"#);
}

#[test]
fn objects_are_json_as_it_was_typed() {
    check(
        &[r#"--config={"b":1.0, "a":1e400}"#],
        r#"{"config":{"b":1.0, "a":1e400}}"#,
    );
    check(
        &["--config={\n\t\"a\":\r\n[]}\n"],
        "{\"config\":{ \t\"a\":  []}}",
    );
}

#[test]
fn a_union_is_the_strictest_that_the_word_fits() {
    check(&["--note=null"], r#"{"note":"null"}"#);
    check(&[r#"--note="a""#], r#"{"note":"\"a\""}"#);
    check(&["--limit=null"], r#"{"limit":null}"#);
    check(&["--limit=7"], r#"{"limit":7}"#);
    check(&["--id=7"], r#"{"id":7}"#);
    check(&["--id=007"], r#"{"id":"007"}"#);
    check(&["--id=true"], r#"{"id":true}"#);
    check(&["--id", "yes"], r#"{"id":"yes"}"#);
}

#[test]
fn anything_is_json_or_else_text() {
    check(&["--free=hello"], r#"{"free":"hello"}"#);
    check(&["--free=5"], r#"{"free":5}"#);
    check(&["--free=null"], r#"{"free":null}"#);
    check(&[r#"--free="5""#], r#"{"free":"5"}"#);
    check(&["--free=[1,"], r#"{"free":"[1,"}"#);
    check(&["--free="], r#"{"free":""}"#);
}

#[test]
fn flags_are_found_under_every_spelling() {
    check(&["--user-name=x"], r#"{"user.name":"x"}"#);
    check(&["--user.name=x"], r#"{"user.name":"x"}"#);
    check(&["--tool-user.name=x"], r#"{"user.name":"x"}"#);
    check(&["--no_wrap"], r#"{"no_wrap":true}"#);
    check(&["--tool-cache=5"], r#"{"cache":5}"#);
    check(&["--", "--cache=5"], r#"{"cache":5}"#);
    check(&["--", "--cache", "5"], r#"{"cache":5}"#);
}

#[test]
fn arguments_are_in_the_order_of_the_schema() {
    check(&["--page=2", "--query=a"], r#"{"query":"a","page":2}"#);
}

#[test]
fn the_programs_own_flags_are_told_apart() {
    let read = |line: &[&str]| decode(&search(), &OWN, &words(line)).unwrap();
    let line = [
        "--cache=60s",
        "--query=x",
        "-vq",
        "--cache",
        "5m",
        "--no-cache",
        "--help",
    ];
    let decoded = read(&line);
    let seconds = |text: &str| Some(text.to_owned());
    assert_eq!(
        decoded.own,
        [
            (Own::Cache, seconds("60s")),
            (Own::Verbose, None),
            (Own::Quiet, None),
            (Own::Cache, seconds("5m")),
            (Own::NoCache, None),
            (Own::Help, None),
        ]
    );
    let decoded = read(&["-v", "--", "--cache=5"]);
    assert_eq!(decoded.own, [(Own::Verbose, None)]);
    assert!(matches!(read(&["-v", "--"]).arguments, Source::Nothing));
}

#[test]
fn json_is_taken_as_it_was_typed() {
    let read = |line: &[&str]| decode(&search(), &OWN, &words(line)).unwrap().arguments;
    let text = r#" { "page" : 1.0e2, "query":"a" } "#;
    match read(&["-v", text]) {
        Source::Json(json) => assert_eq!(json.get(), text.trim()),
        other => panic!("{other:?}"),
    }
    assert!(matches!(read(&["{}"]), Source::Json(_)));
    assert!(matches!(read(&["-"]), Source::Stdin));
    assert!(matches!(read(&[]), Source::Nothing));
}

#[test]
fn what_is_given_whole_is_checked_for_its_shape() {
    let tool = tool_of(json!({
        "properties": {"query": {"type": "string"}, "page": {}},
        "required": ["query", "page"],
        "additionalProperties": false,
    }));
    let check = |text: &str, expected: &str| {
        assert_eq!(
            object(&tool, text).unwrap_err().to_string(),
            expected,
            "{text}"
        );
    };
    check("", "search takes a JSON object, and nothing was given");
    check(
        "[]",
        "search takes its arguments as a JSON object, not as a JSON array",
    );
    check(
        "5",
        "search takes its arguments as a JSON object, not as \"5\"",
    );
    check(
        "{\"query\":}",
        "the arguments of search are not JSON: expected value at line 1 column 10",
    );
    check(
        "{\"qurey\": 1, \"page\": 1, \"page\": 2}",
        "search has no property `qurey`; did you mean `query`?\n\
         `page` is given twice\n\
         `query` is missing: search requires it",
    );
    check("{}", "`query` and `page` are missing: search requires them");
    assert!(object(&tool, "\u{feff}{\"query\":\"\",\"page\":null}\n").is_ok());
    let deep = format!(
        "{{\"query\":{}{},\"page\":0}}",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    assert!(object(&tool, &deep).is_ok());
}

#[test]
fn wrong_values_are_told_with_what_would_be_right() {
    check_problem(
        &["--page=two"],
        str![[r#"`--page` takes an integer, not "two""#]],
    );
    for word in ["1.0", "1e3", "007", "+5", "0x10"] {
        assert_eq!(
            problems_of(&search(), &[&format!("--page={word}")]),
            format!(
                "`--page` takes an integer, not \"{word}\"; write it in plain digits, such as 7 or -7"
            )
        );
    }
    check_problem(&["--page="], str![[r#"`--page` takes an integer, not """#]]);
    check_problem(
        &["--score=.5"],
        str![[r#"`--score` takes a number, not ".5"; did you mean 0.5?"#]],
    );
    check_problem(
        &["--score=+007."],
        str![[r#"`--score` takes a number, not "+007."; did you mean 7?"#]],
    );
    check_problem(
        &["--score=NaN"],
        str![[r#"`--score` takes a number, not "NaN""#]],
    );
    check_problem(
        &["--score=inf"],
        str![[r#"`--score` takes a number, not "inf""#]],
    );
    check_problem(
        &["--all=yes"],
        str![[r#"`--all` takes true or false, not "yes""#]],
    );
    check_problem(
        &["--unit=celcius"],
        str![[
            r#"`--unit` takes celsius, fahrenheit, 1.5 or null, not "celcius"; did you mean celsius?"#
        ]],
    );
    check_problem(
        &["--config=x"],
        str![[r#"`--config` takes a JSON object, not "x""#]],
    );
    check_problem(
        &["--config=[]"],
        str![[r#"`--config` takes a JSON object, not "[]""#]],
    );
    check_problem(
        &["--config={a:1}"],
        str![[
            r#"`--config` takes a JSON object, not "{a:1}"; that is not JSON: key must be a string at line 1 column 2"#
        ]],
    );
    check_problem(&["--ids=x"], str![[r#"`--ids` takes an integer, not "x""#]]);
    check_problem(
        &["--ids=1", "--ids=x"],
        str![[r#"`--ids` takes an integer, not "x""#]],
    );
    check_problem(
        &["--ids=[1,true]"],
        str![[r#"`--ids` takes an integer, or a JSON array of such, not "[1,true]""#]],
    );
    check_problem(
        &["--limit=x"],
        str![[r#"`--limit` takes an integer or null, not "x""#]],
    );
}

#[test]
fn wrong_flags_are_told_with_the_nearest_right_one() {
    check_problem(
        &["--pgae=1"],
        str!["`--pgae` is not a flag of search; did you mean `--page`?"],
    );
    check_problem(
        &["--pgae", "1"],
        str!["`--pgae` is not a flag of search; did you mean `--page`?"],
    );
    check_problem(
        &["--PAGE=1"],
        str!["`--PAGE` is not a flag of search; did you mean `--page`?"],
    );
    check_problem(
        &["--verbos"],
        str!["`--verbos` is not a flag of search; did you mean `--verbose`?"],
    );
    check_problem(
        &["--zzz"],
        str!["`--zzz` is not a flag of search; `--help` lists those that are"],
    );
    check_problem(
        &["--no-page"],
        str![
            "`--no-page` is not a flag of search: `--no-` is for switches, and `--page` takes an integer"
        ],
    );
    check_problem(
        &["-x"],
        str!["`-x` is not a flag: the flags of search begin with `--`"],
    );
    check_problem(
        &["-x", "its-value"],
        str!["`-x` is not a flag: the flags of search begin with `--`"],
    );
    check_problem(
        &["-vx"],
        str!["`-x` in `-vx` is not a flag: the flags of search begin with `--`"],
    );
    check_problem(
        &["-page=1"],
        str!["`-p` in `-page=1` is not a flag; did you mean `--page`?"],
    );
    check_problem(
        &["--", "-v"],
        str!["`-v` is not a flag: the flags of search begin with `--`"],
    );
    check_problem(
        &["--page"],
        str!["`--page` needs a value: `--page=INTEGER`"],
    );
    check_problem(
        &["--cache"],
        str!["`--cache` needs a value: `--cache=DURATION`"],
    );
    check_problem(
        &["--cache", "--query=a"],
        str!["`--cache` needs a value: `--cache=DURATION`"],
    );
    check_problem(&["--verbose=1"], str!["`--verbose` takes no value"]);
    check_problem(
        &["--no-all=true"],
        str!["`--no-all` takes no value: write `--all=true` or `--all=false`"],
    );
    check_problem(
        &["--all", "false"],
        str!["`--all` takes its value after `=`: `--all=false`"],
    );
    check_problem(
        &["--page=1", "--page=2"],
        str!["`--page` is given twice: it takes one value"],
    );
    check_problem(
        &["--all", "--no-all"],
        str!["`--all` is given twice: it takes one value"],
    );

    let few = tool_of(json!({"properties": {"a": {}, "b": {}}}));
    assert_eq!(
        problems_of(&few, &["--zzz"]),
        "`--zzz` is not a flag of search, which has `--a` and `--b`"
    );
    let none = tool_of(json!({"additionalProperties": false}));
    assert_eq!(
        problems_of(&none, &["--zzz"]),
        "`--zzz` is not a flag of search, which takes no arguments"
    );
    let open = tool_of(json!(null));
    assert_eq!(
        problems_of(&open, &["--zzz"]),
        "`--zzz` is not a flag of search, which declares none: it takes its arguments as one JSON object"
    );
}

#[test]
fn stray_words_are_told_with_the_flag_that_they_may_be_for() {
    check_problem(
        &["hello world"],
        str![[
            r#""hello world" is neither a flag nor a JSON object; did you mean `search '--query=hello world'`?"#
        ]],
    );
    check_problem(
        &["--query=a", "b"],
        str![[r#""b" is neither a flag nor a JSON object; did you mean `search --tags=b`?"#]],
    );
    check_problem(
        &["--query=a", "{}"],
        str![
            "search takes its arguments as flags, or as one JSON object, or as `-` for JSON on stdin: one of the three"
        ],
    );
    check_problem(
        &["{}", "{}"],
        str![
            "search takes its arguments as flags, or as one JSON object, or as `-` for JSON on stdin: one of the three"
        ],
    );
    let none = tool_of(json!({"additionalProperties": false}));
    assert_eq!(
        problems_of(&none, &["x"]),
        "\"x\" is neither a flag nor a JSON object, and search takes no arguments"
    );
}

#[test]
fn everything_that_is_wrong_is_in_one_error() {
    let tool = tool_of(json!({
        "properties": {
            "a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "boolean"}, "d": {},
        },
        "required": ["a", "b", "c", "d"],
    }));
    assert_eq!(
        problems_of(&tool, &["--a=x", "--c=maybe", "--zzz"]),
        "`--zzz` is not a flag of search, which has `--a`, `--b`, `--c` and `--d`\n\
         `--a` takes an integer, not \"x\"\n\
         `--c` takes true or false, not \"maybe\"\n\
         `--b` and `--d` are missing: search requires them"
    );
    assert_eq!(
        missing(&tool).unwrap().to_string(),
        "`--a`, `--b`, `--c` and `--d` are missing: search requires them"
    );
    assert!(missing(&search()).is_none());
    assert!(decode(&tool, &OWN, &words(&["-"])).is_ok());
    assert!(decode(&tool, &OWN, &[]).is_ok());
}

/// A schema, a value of it, and the words that give this value.
#[derive(Debug, Clone)]
struct Case {
    schema: Value,
    value: Value,
    words: Vec<String>,
}

fn scalar() -> impl Strategy<Value = Case> {
    let case = |schema: Value, value: Value, word: String| Case {
        schema,
        value,
        words: vec![word],
    };
    prop_oneof![
        ".*".prop_map(move |text| case(json!({"type": "string"}), json!(text), text)),
        any::<i64>().prop_map(move |number| case(
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
            json!(number),
            number.to_string()
        )),
        any::<u64>().prop_map(move |number| case(
            json!({"$ref": "#/$defs/Count"}),
            json!(number),
            number.to_string()
        )),
        any::<f64>()
            .prop_filter("JSON has no other", |number| number.is_finite())
            .prop_map(move |number| case(
                json!({"type": "number"}),
                json!(number),
                json!(number).to_string()
            )),
        any::<bool>().prop_map(move |state| case(
            json!({"type": "boolean"}),
            json!(state),
            state.to_string()
        )),
        prop::collection::vec("[ -~]{0,6}", 1..5).prop_map(move |choices| case(
            json!({"enum": choices}),
            json!(choices[0]),
            choices[0].clone()
        )),
        prop::collection::btree_map(".*", any::<i32>(), 0..4).prop_map(move |map| case(
            json!({"type": "object"}),
            json!(map),
            serde_json::to_string_pretty(&map).unwrap()
        )),
    ]
}

fn any_case() -> impl Strategy<Value = Case> {
    let list = prop::collection::vec(".*", 0..4).prop_map(|texts| Case {
        schema: json!({"type": "array", "items": {"type": "string"}}),
        value: json!(texts),
        // One that looks like an array is an array; so is none at all.
        words: match texts.len() {
            0 | 1 => vec![json!(texts).to_string()],
            _ => texts,
        },
    });
    let numbers = prop::collection::vec(any::<i64>(), 1..4).prop_map(|numbers| Case {
        schema: json!({"anyOf": [{"type": "null"}, {"items": {"type": "integer"}}]}),
        value: json!(numbers),
        words: numbers.iter().map(i64::to_string).collect(),
    });
    prop_oneof![4 => scalar(), 1 => list, 1 => numbers]
}

proptest! {
    #[test]
    fn arguments_become_words_and_the_same_arguments_again(
        cases in prop::collection::btree_map(
            prop_oneof![".{0,5}", "[a-c_]{1,3}", "(no-|tool-)?(cache|help|verbose)"],
            any_case(),
            1..6,
        ),
        exact in any::<bool>(),
        joined in any::<bool>(),
    ) {
        let properties: serde_json::Map<_, _> = cases
            .iter()
            .map(|(name, case)| (name.clone(), case.schema.clone()))
            .collect();
        let required: Vec<&String> = cases.keys().collect();
        let tool = tool_of(json!({
            "properties": properties,
            "required": required,
            "$defs": {"Count": {"type": "integer"}},
        }));
        let mut line = vec!["--".to_owned()];
        for param in &tool.params {
            let is_exact = exact && param.spellings().any(|name| name == param.property);
            let flag = match is_exact {
                true => &param.property,
                false => &param.flag,
            };
            for word in &cases[&param.property].words {
                match joined || param.accepts.is_switch() {
                    true => line.push(format!("--{flag}={word}")),
                    false => line.extend([format!("--{flag}"), word.clone()]),
                }
            }
        }
        if !exact {
            // The shown flags are never taken for the program's own.
            line.remove(0);
        }
        let decoded = decode(&tool, &OWN, &line);
        let Ok(Decoded { arguments: Source::Flags(json), own }) = &decoded else {
            return Err(TestCaseError::fail(format!("{line:?}: {decoded:?}")));
        };
        prop_assert!(own.is_empty());
        prop_assert!(!json.get().contains('\n'));
        let expected: serde_json::Map<_, _> =
            cases.into_iter().map(|(name, case)| (name, case.value)).collect();
        let arguments: Value = serde_json::from_str(json.get()).unwrap();
        prop_assert_eq!(arguments, Value::Object(expected));
    }

    #[test]
    fn no_words_make_it_panic_or_send_what_is_not_json(
        line in prop::collection::vec(
            prop_oneof![
                "-{0,3}(no-|tool-)?(query|page|all|tags|ids|cache|config)?=?.{0,4}",
                Just("--".to_owned()),
                Just("-".to_owned()),
                "[{}\\[\\]\",:a1 ]{0,6}",
            ],
            0..6,
        ),
    ) {
        if let Ok(Decoded { arguments: Source::Flags(json) | Source::Json(json), .. }) =
            decode(&search(), &OWN, &line)
        {
            prop_assert!(serde_json::from_str::<Value>(json.get()).is_ok_and(|value| value.is_object()));
        }
    }

    #[test]
    fn a_number_is_what_serde_json_reads_as_one(word in "-?[0-9.eE+-]{0,6}") {
        let is_json = serde_json::from_str::<&RawValue>(&word).is_ok();
        prop_assert_eq!(decode(&search(), &OWN, &[format!("--score={word}")]).is_ok(), is_json);
    }
}
