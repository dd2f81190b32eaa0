//! A description says everything that the model holds, and reads back to it.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::{Evidence, Fact, Scalar, Split};

fn scalar() -> impl Strategy<Value = Scalar> {
    use Scalar::{
        Base64, Bool, Duration, Float, Hex, Int, Ip, IpMask, IpNet, Other, String, Time, Uint,
    };
    let bits = prop_oneof![Just(8u8), Just(16), Just(32), Just(64)];
    prop_oneof![
        proptest::sample::select(vec![
            String, Bool, Duration, Time, Ip, IpNet, IpMask, Hex, Base64
        ]),
        bits.clone().prop_map(Int),
        bits.prop_map(Uint),
        prop_oneof![Just(32u8), Just(64)].prop_map(Float),
        "[A-Za-z<>|, ]{0,8}".prop_map(Other),
    ]
}

fn kind() -> impl Strategy<Value = Kind> {
    let split =
        proptest::sample::select(vec![Split::Csv, Split::Comma, Split::Repeat, Split::Words]);
    prop_oneof![
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
            any::<bool>(),
            proptest::option::of("\\PC{0,3}")
        )
            .prop_map(|(long, short, space, bare)| Role::Flag(Spelling {
                long: Some(long),
                short,
                joiner: if space { Joiner::Space } else { Joiner::Equals },
                bare,
                separator: None,
            })),
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
        (proptest::option::of(effect()), provenance()),
    )
        .prop_map(|(one, two, three)| Param {
            name: one.0,
            role: one.1,
            kind: one.2,
            required: one.3,
            default: one.4,
            choices: two.0,
            value_name: two.1,
            text: two.2,
            hidden: two.3,
            deprecated: two.4,
            effect: three.0,
            inject_default: false,
            secret: None,
            from: three.1,
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
    )
        .prop_map(|(one, two, three)| CommandSpec {
            path: one.0,
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
            groups: Vec::new(),
            annotations: Annotations::default(),
            run: None,
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
            )
        })
        .prop_map(|(root, children, text)| Reading {
            program: Program {
                name: "app".to_owned(),
                executable: text.clone(),
                version: text.clone(),
                family: Family::Cobra,
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
