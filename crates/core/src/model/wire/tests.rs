//! A description says everything that the model holds, and reads back to it.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::{
    Encoding, Evidence, Fact, Scalar, Split, StderrSpec, StdinFormat, StdinSpec, StdoutFormat,
    StdoutSpec,
};
use crate::policy::{Filesystem, Resources, SandboxPolicy};

fn scalar() -> impl Strategy<Value = Scalar> {
    use Scalar::{
        Base64, Bool, Duration, Float, Hex, Int, Ip, IpMask, IpNet, Other, Path, String, Time, Uint,
    };
    let bits = prop_oneof![Just(8u8), Just(16), Just(32), Just(64)];
    prop_oneof![
        proptest::sample::select(vec![
            String, Bool, Duration, Time, Ip, IpNet, IpMask, Hex, Base64, Path
        ]),
        bits.clone().prop_map(Int),
        bits.prop_map(Uint),
        prop_oneof![Just(32u8), Just(64)].prop_map(Float),
        "[A-Za-z<>|, ]{0,8}".prop_map(Other),
    ]
}

fn kind() -> impl Strategy<Value = Kind> {
    let split = proptest::sample::select(vec![
        Split::Csv,
        Split::Comma,
        Split::Repeat,
        Split::Words,
        Split::Joined,
    ]);
    prop_oneof![
        Just(Kind::Line),
        Just(Kind::Switch),
        Just(Kind::Count),
        scalar().prop_map(Kind::One),
        (scalar(), split).prop_map(|(of, split)| Kind::List(of, split)),
        scalar().prop_map(Kind::Map),
    ]
}

fn provenance() -> impl Strategy<Value = Provenance> {
    let fact = proptest::sample::select(vec![Fact::Name, Fact::Type, Fact::Default, Fact::Effect]);
    let evidence =
        proptest::sample::select(vec![Evidence::Help, Evidence::Oracle, Evidence::Definition]);
    proptest::collection::vec((fact, evidence), 0..3).prop_map(|notes| {
        let mut from = Provenance::default();
        for (fact, evidence) in notes {
            from.note(fact, evidence);
        }
        from
    })
}

fn effect() -> impl Strategy<Value = Effect> {
    proptest::sample::select(vec![
        Effect::Read,
        Effect::Unknown,
        Effect::Write,
        Effect::Destructive,
    ])
}

fn param() -> impl Strategy<Value = Param> {
    let role = prop_oneof![
        Just(Role::Positional),
        (
            "--[a-z]{1,3}",
            proptest::option::of("-[a-z]"),
            proptest::sample::select(vec![Joiner::Space, Joiner::Equals, Joiner::Attached]),
            proptest::option::of("\\PC{0,3}"),
            proptest::option::of("[ ,:]{0,2}"),
        )
            .prop_map(
                |(long, short, joiner, bare, separator)| Role::Flag(Spelling {
                    long: Some(long),
                    short,
                    joiner,
                    bare,
                    separator,
                    negative: None,
                    after_words: None,
                })
            ),
    ];
    let text = proptest::option::of("\\PC{0,6}");
    (
        ("\\PC{1,6}", role, kind(), any::<bool>(), text.clone()),
        (
            proptest::collection::vec("[a-z]{0,3}", 0..3),
            text.clone(),
            "\\PC{0,6}",
            any::<bool>(),
            text,
        ),
        (
            proptest::option::of(effect()),
            provenance(),
            any::<bool>(),
            proptest::option::of(prop_oneof![
                Just(Secret::Stdin),
                "[A-Z]{1,4}".prop_map(Secret::Environment),
            ]),
        ),
    )
        .prop_map(|(one, two, three)| Param {
            secret: three.3.filter(|_| matches!(one.2, Kind::One(_))),
            // A line is no flag.
            role: match one.2 {
                Kind::Line => Role::Positional,
                _ => one.1,
            },
            name: one.0,
            kind: one.2,
            required: one.3,
            default: one.4,
            choices: two.0,
            value_name: two.1,
            env: None,
            text: two.2,
            hidden: two.3,
            deprecated: two.4,
            effect: three.0,
            inject_default: three.2,
            from: three.1,
        })
}

fn groups() -> impl Strategy<Value = Vec<Group>> {
    let names = || proptest::collection::vec("[a-z]{1,3}", 0..3);
    let group = prop_oneof![
        names().prop_map(Group::Exclusive),
        names().prop_map(Group::Together),
        names().prop_map(Group::AnyOf),
        names().prop_map(Group::Requires),
    ];
    proptest::collection::vec(group, 0..3)
}

fn annotations() -> impl Strategy<Value = Annotations> {
    (
        proptest::option::of("\\PC{0,5}"),
        any::<[Option<bool>; 4]>(),
    )
        .prop_map(|(title, hints)| Annotations {
            title,
            read_only: hints[0],
            destructive: hints[1],
            idempotent: hints[2],
            open_world: hints[3],
        })
}

fn policy() -> impl Strategy<Value = SandboxPolicy> {
    let filesystem = proptest::sample::select(vec![
        Filesystem::None,
        Filesystem::Cwd,
        Filesystem::Home,
        Filesystem::Full,
    ]);
    let paths = || proptest::collection::vec("/[a-z]{0,3}", 0..2);
    let variables = proptest::collection::vec("[A-Z]{1,3}", 0..2);
    (
        any::<bool>(),
        filesystem,
        paths(),
        paths(),
        variables,
        any::<[u64; 6]>(),
    )
        .prop_map(
            |(network, filesystem, readable, writable, variables, numbers)| SandboxPolicy {
                network,
                filesystem,
                readable,
                writable,
                variables,
                resources: Resources {
                    cpu_seconds: numbers[0],
                    memory_mb: numbers[1],
                    open_files: numbers[2],
                    processes: numbers[3],
                    file_mb: numbers[4],
                    output_mb: numbers[5],
                },
            },
        )
}

fn run() -> impl Strategy<Value = RunSpec> {
    let stdin = (
        "\\PC{0,5}",
        proptest::sample::select(vec![
            StdinFormat::Text,
            StdinFormat::Json,
            StdinFormat::Binary,
        ]),
        any::<bool>(),
    )
        .prop_map(|(text, format, required)| StdinSpec {
            text,
            format,
            required,
        });
    let stdout = (
        proptest::sample::select(vec![
            StdoutFormat::Json,
            StdoutFormat::Text,
            StdoutFormat::Auto,
        ]),
        proptest::sample::select(vec![Encoding::Utf8, Encoding::Base64]),
    );
    let schema = proptest::sample::select(vec![
        None,
        Some(json!(true)),
        Some(json!({"type": "object", "properties": {"a": {"minimum": 1}}})),
    ]);
    (
        (
            proptest::collection::vec("\\PC{0,4}", 0..3),
            any::<u64>(),
            "[a-z./]{0,4}",
            proptest::collection::btree_map("[A-Z]{1,3}", "\\PC{0,4}", 0..3),
        ),
        (any::<[bool; 7]>(), proptest::option::of(stdin), stdout),
        (schema, policy()),
        proptest::sample::select(vec![None, Some(Family::Cobra), Some(Family::GoFlag)]),
    )
        .prop_map(|(one, two, three, family)| RunSpec {
            family,
            words: one.0,
            timeout_ms: one.1,
            workdir: one.2,
            env: one.3,
            expand_env: two.0[0],
            shell: two.0[1],
            allow_failure: two.0[2],
            end_of_options: two.0[3],
            stdin: two.1,
            stdout: StdoutSpec {
                format: two.2.0,
                trim: two.0[4],
                encoding: two.2.1,
            },
            stderr: StderrSpec {
                capture: two.0[5],
                fail_on_output: two.0[6],
            },
            output_schema: three.0,
            sandbox: three.1,
        })
}

fn command(depth: usize, sets: Vec<Arc<[Param]>>) -> impl Strategy<Value = CommandSpec> {
    let words = proptest::collection::vec("[a-z]{1,3}", depth..=depth);
    (
        (
            words,
            proptest::collection::vec("[a-z]", 0..2),
            proptest::option::of("[a-z]"),
            "\\PC{0,5}",
        ),
        (
            "\\PC{0,5}",
            "\\PC{0,5}",
            "\\PC{0,5}",
            any::<[bool; 3]>(),
            proptest::option::of("[a-z]"),
        ),
        (
            effect(),
            proptest::collection::vec(param(), 0..3),
            proptest::sample::select(sets),
            provenance(),
        ),
        (
            groups(),
            annotations(),
            proptest::option::of(run().prop_map(Arc::new)),
            proptest::option::of("[a-z]"),
            proptest::sample::select(vec![None, Some(StdoutFormat::Json)]),
        ),
    )
        .prop_map(|(one, two, three, four)| CommandSpec {
            path: one.0,
            called: four.3,
            aliases: one.1,
            group: one.2,
            summary: one.3,
            description: two.0,
            examples: two.1,
            usage: two.2,
            runnable: two.3[0],
            hidden: two.3[1],
            raw_words: two.3[2],
            deprecated: two.4,
            effect: three.0,
            params: three.1,
            inherited: three.2,
            groups: four.0,
            annotations: four.1,
            output: four.4,
            run: four.2,
            from: three.3,
        })
}

fn reading() -> impl Strategy<Value = Reading> {
    let set = proptest::collection::vec(param(), 0..3).prop_map(Arc::<[Param]>::from);
    proptest::collection::vec(set, 1..3)
        .prop_flat_map(|sets| {
            let children = proptest::collection::vec(
                (1..3usize).prop_flat_map({
                    let sets = sets.clone();
                    move |depth| command(depth, sets.clone())
                }),
                0..5,
            );
            (
                command(0, sets),
                children,
                proptest::option::of("[a-z/]{1,5}"),
                proptest::sample::select(vec![Family::Cobra, Family::Unknown, Family::Definition]),
            )
        })
        .prop_map(|(root, children, text, family)| Reading {
            program: Program {
                name: "app".to_owned(),
                executable: text.clone(),
                version: text.clone(),
                family,
                commands: [root].into_iter().chain(children).collect(),
            },
            losses: text
                .map(|what| Loss { path: vec![], what })
                .into_iter()
                .collect(),
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_reads_back(reading in reading()) {
        let text = serde_json::to_string(&reading).unwrap();
        let back: Reading = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&back, &reading);
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), text);
    }
}

#[test]
fn commands_with_equal_inherited_flags_share_one_set() {
    let set = || -> Arc<[Param]> { Arc::new([Param::flag("config", Kind::One(Scalar::String))]) };
    let with = |path: &str| CommandSpec {
        path: path.split_whitespace().map(str::to_owned).collect(),
        inherited: set(),
        ..CommandSpec::default()
    };
    let reading = Reading {
        program: Program {
            name: "app".to_owned(),
            executable: None,
            version: None,
            family: Family::Cobra,
            commands: vec![CommandSpec::default(), with("a"), with("b c")],
        },
        losses: vec![],
    };
    let json = serde_json::to_value(&reading).unwrap();
    assert_eq!(
        json["flag_sets"],
        json!({"global": [{"name": "config", "role": "flag", "long": "--config", "type": "string"}]})
    );
    let back: Reading = serde_json::from_value(json).unwrap();
    let commands = &back.program.commands;
    assert!(Arc::ptr_eq(&commands[1].inherited, &commands[2].inherited));
}

#[test]
fn a_wrong_description_says_what_is_wrong_with_it() {
    let base = |param: serde_json::Value| {
        json!({
            "argway": 1, "name": "app", "family": "cobra",
            "commands": [{"path": [], "runnable": true, "effect": "read", "params": [param]}],
        })
    };
    let flag = |key: &str, value: serde_json::Value| {
        let mut flag = json!({"name": "x", "role": "flag", "long": "--x", "type": "string"});
        flag[key] = value;
        base(flag)
    };
    let cases = [
        (flag("requierd", json!(true)), "unknown field `requierd`"),
        (flag("type", json!("strng")), "`strng` is not a type"),
        (
            flag("role", json!("positional")),
            "positional `x` cannot be spelled as a flag",
        ),
        (
            base(json!({"name": "x", "role": "flag", "type": "int"})),
            "flag `x` has neither `long` nor `short`",
        ),
        (flag("separater", json!(",")), "unknown field `separater`"),
        (
            base(json!({"name": "x", "role": "flag", "long": "--x", "type": "line"})),
            "`x` cannot be a flag: its type is `line`",
        ),
        (
            base(
                json!({"name": "x", "role": "flag", "long": "--x", "type": "switch",
                        "secret": {"environment": "X"}}),
            ),
            "`x` cannot be a secret: its type is `switch`",
        ),
        (
            json!({"argway": 1, "name": "a", "family": "definition", "commands": [
                {"path": ["b"], "runnable": true, "effect": "read",
                 "run": {"output_schema": {"type": "objct"}}}]}),
            "the output_schema of command `b` is not a JSON Schema: ",
        ),
        (
            json!({"argway": 1, "name": "a", "family": "definition", "commands": [
                {"path": [], "runnable": true, "effect": "read", "run": {"timeout": 5}}]}),
            "unknown field `timeout`",
        ),
        (
            json!({"argway": 2, "name": "a", "family": "cobra", "commands": []}),
            "description format 2 is not the one",
        ),
        (
            json!({"argway": 1, "name": "a", "family": "cobra", "commands": [
                {"path": [], "runnable": true, "effect": "read", "inherits": "g"}]}),
            "command `` inherits `g`, which is not in flag_sets",
        ),
    ];
    for (json, expected) in cases {
        let error = serde_json::from_value::<Reading>(json)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
}
