//! Random arguments, through the door and onto a command line, are read by Cobra
//! as what they were.

use std::net::{Ipv4Addr, Ipv6Addr};

use argway_core::argv::{self, Arguments};
use argway_core::catalog::{Layout, Selection, Tool};
use argway_core::model::{Kind, Param, Scalar, Split};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

use super::support::{RELEASES, ask, catalog};

/// Calls that each release reads.
const CALLS: usize = 1500;

/// A value as it is given, and as everyflag reports it; nothing where it says
/// the same as leaving it out.
type Pair = (Value, Option<Value>);

/// Text with everything that shells, CSV and flag parsers care about.
fn text() -> BoxedStrategy<String> {
    prop_oneof![
        "[a,\"= '\n\r\\\\#\\[\\]-]{0,6}",
        "-{1,2}[a-z]{0,6}(=[a-z])?",
        "[^\0]{0,10}",
        Just(String::new()),
    ]
    .boxed()
}

fn scalar(of: &Scalar) -> BoxedStrategy<(Value, Value)> {
    let same = |value: Value| (value.clone(), value);
    match of {
        Scalar::String | Scalar::Path => prop_oneof![
            6 => text().prop_map(move |text| same(json!(text))),
            1 => any::<i64>().prop_map(|number| (json!(number), json!(number.to_string()))),
        ]
        .boxed(),
        Scalar::Bool => (any::<bool>(), any::<bool>())
            .prop_map(|(on, quoted)| match quoted {
                true => (json!(on.to_string()), json!(on)),
                false => (json!(on), json!(on)),
            })
            .boxed(),
        Scalar::Int(bits) => {
            let most = i64::MAX >> (64 - bits);
            integer(prop_oneof![-most - 1..=most, Just(-most - 1), Just(most), -9..9i64].boxed())
        }
        Scalar::Uint(bits) => {
            let most = u64::MAX >> (64 - bits);
            integer(prop_oneof![0..=most, Just(most), 0..9u64].boxed())
        }
        Scalar::Float(bits) => {
            let single = *bits == 32;
            prop_oneof![
                any::<f64>(),
                -1e6..1e6f64,
                Just(1e6),
                Just(1e21),
                Just(-0.0)
            ]
            .prop_filter("a number", move |number| {
                number.is_finite() && (!single || (*number as f32).is_finite())
            })
            .prop_map(move |number| (json!(number), json!(number)))
            .boxed()
        }
        Scalar::Duration => (0..1000i64, 0..60i64, any::<bool>(), 0..4u8)
            .prop_map(|(hours, seconds, negative, form)| {
                let whole = hours * 3600 + seconds;
                let sign = if negative { "-" } else { "" };
                let text = match form {
                    0 => format!("{sign}{hours}h{seconds}s"),
                    1 => format!("{sign}{whole}s"),
                    2 => format!("{sign}{}ms", whole * 1000),
                    _ => format!("{sign}{whole}.000000000s"),
                };
                let nanoseconds = whole * 1_000_000_000 * if negative { -1 } else { 1 };
                (json!(text), json!(nanoseconds))
            })
            .boxed(),
        Scalar::Ip => prop_oneof![
            any::<Ipv4Addr>().prop_map(|ip| (
                json!(ip.to_string()),
                json!(hex(&ip.to_ipv6_mapped().octets()))
            )),
            any::<Ipv6Addr>().prop_map(|ip| (json!(ip.to_string()), json!(hex(&ip.octets())))),
            any::<Ipv4Addr>().prop_map(|ip| {
                let mapped = ip.to_ipv6_mapped();
                (json!(mapped.to_string()), json!(hex(&mapped.octets())))
            }),
        ]
        .boxed(),
        Scalar::IpNet => (any::<Ipv4Addr>(), 0..=32u32)
            .prop_map(|(ip, prefix)| {
                let mask = u32::MAX.checked_shl(32 - prefix).unwrap_or(0);
                let network = Ipv4Addr::from(u32::from(ip) & mask).to_ipv6_mapped();
                (
                    json!(format!("{ip}/{prefix}")),
                    json!([hex(&network.octets()), prefix, 32]),
                )
            })
            .boxed(),
        Scalar::IpMask => any::<Ipv4Addr>()
            .prop_map(|ip| (json!(ip.to_string()), json!(hex(&ip.octets()))))
            .boxed(),
        Scalar::Hex => proptest::collection::vec(any::<u8>(), 0..6)
            .prop_map(|bytes| (json!(hex(&bytes)), json!(hex(&bytes))))
            .boxed(),
        Scalar::Base64 => prop_oneof![
            Just(("", "")),
            Just(("YQ==", "61")),
            Just(("YWI=", "6162")),
            Just(("+/+/", "fbffbf")),
        ]
        .prop_map(|(text, bytes)| (json!(text), json!(bytes)))
        .boxed(),
        Scalar::Time => (2000..2100u32, 1..13u32, 1..29u32)
            .prop_map(|(year, month, day)| {
                let date = format!("{year}-{month:02}-{day:02}");
                (json!(date), json!(format!("{date}T00:00:00Z")))
            })
            .boxed(),
        Scalar::Other(_) => text().prop_map(move |text| same(json!(text))).boxed(),
    }
}

fn integer<T>(numbers: BoxedStrategy<T>) -> BoxedStrategy<(Value, Value)>
where
    T: std::fmt::Display + std::fmt::Debug + Copy + Into<Value> + 'static,
{
    (numbers, any::<bool>())
        .prop_map(|(number, quoted)| match quoted {
            true => (json!(number.to_string()), number.into()),
            false => (number.into(), number.into()),
        })
        .boxed()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn value(param: &Param) -> BoxedStrategy<Pair> {
    let has_default = param.default.is_some();
    match &param.kind {
        Kind::Switch => scalar(&Scalar::Bool)
            .prop_map(move |(given, read)| {
                let silent = read == json!(false) && !has_default;
                (given, (!silent).then_some(read))
            })
            .boxed(),
        Kind::Line => unreachable!("Cobra has no such parameter"),
        Kind::Count => (0..6u32)
            .prop_map(|count| (json!(count), (count > 0).then(|| json!(count))))
            .boxed(),
        Kind::One(of) => scalar(of)
            .prop_map(|(given, read)| (given, Some(read)))
            .boxed(),
        Kind::List(of, split) => {
            let sayable = !has_default || *split == Split::Csv;
            let least = usize::from(!sayable);
            proptest::collection::vec(scalar(of), least..5)
                .prop_map(move |pairs| {
                    let (given, read): (Vec<Value>, Vec<Value>) = pairs.into_iter().unzip();
                    let silent = given.is_empty() && !has_default;
                    (json!(given), (!silent).then(|| json!(read)))
                })
                .boxed()
        }
        Kind::Map(of) => {
            let is_text = *of == Scalar::String;
            let key = match is_text {
                true => text(),
                false => "[a-z \"]{0,4}".boxed(),
            };
            proptest::collection::vec((key, scalar(of)), usize::from(has_default)..4)
                .prop_map(|pairs| {
                    let given: Map<String, Value> = pairs
                        .iter()
                        .map(|(key, (given, _))| (key.clone(), given.clone()))
                        .collect();
                    let read: Map<String, Value> = pairs
                        .into_iter()
                        .map(|(key, (_, read))| (key, read))
                        .collect();
                    let silent = given.is_empty();
                    (json!(given), (!silent).then(|| json!(read)))
                })
                .boxed()
        }
    }
}

struct Call {
    json: Map<String, Value>,
    flags: Map<String, Value>,
    args: Vec<String>,
    words: Vec<String>,
}

/// Random calls of `tool` that the door lets through.
fn calls(tool: &Tool, layout: Layout) -> Vec<Call> {
    let mut runner = TestRunner::deterministic();
    let flags: Vec<&Param> = tool.flags.iter().chain(tool.inherited.iter()).collect();
    let picks = proptest::sample::subsequence((0..flags.len()).collect::<Vec<_>>(), 0..6);
    let values: Vec<BoxedStrategy<Pair>> = flags.iter().map(|flag| value(flag)).collect();
    let words = proptest::collection::vec(text(), 0..4);
    let mut calls = Vec::new();
    let mut unsayable = 0;
    while calls.len() < CALLS {
        let mut given = Map::new();
        let mut read = Map::new();
        for index in picks.new_tree(&mut runner).unwrap().current() {
            let (value, expected) = values[index].new_tree(&mut runner).unwrap().current();
            let name = flags[index].name.clone();
            given.insert(name.clone(), value);
            read.extend(expected.map(|expected| (name, expected)));
        }
        let args = words.new_tree(&mut runner).unwrap().current();
        let json = match layout {
            Layout::Flat => {
                given.insert("word".to_owned(), json!(args));
                given
            }
            Layout::Nested => json!({"flags": given, "args": args})
                .as_object()
                .unwrap()
                .clone(),
        };
        match Arguments::check(tool, layout, &json) {
            Ok(arguments) => calls.push(Call {
                words: argv::encode(tool, &arguments).unwrap(),
                json,
                flags: read,
                args,
            }),
            Err(error) => {
                for problem in error.problems {
                    let known =
                        problem.contains("carriage return") || problem.contains("equals sign");
                    assert!(known, "{problem}: {json:?}");
                }
                unsayable += 1;
            }
        }
    }
    assert!(
        unsayable < CALLS / 10,
        "{unsayable} calls could not be said"
    );
    calls
}

/// Floats are compared as the type that read them.
fn alike(name: &str, expected: &Value, read: &Value) -> bool {
    match (expected, read) {
        (Value::Array(expected), Value::Array(read)) => {
            expected.len() == read.len()
                && expected.iter().zip(read).all(|(a, b)| alike(name, a, b))
        }
        (Value::Number(expected), Value::String(read)) => {
            let (expected, read): (f64, f64) = (expected.as_f64().unwrap(), read.parse().unwrap());
            match name.starts_with("float32") {
                true => expected as f32 == read as f32,
                false => expected == read,
            }
        }
        _ => expected == read,
    }
}

fn check(release: &str, layout: Layout, traverse: bool) {
    let catalog = catalog(release, &Selection::default());
    let tool = catalog.find("everyflag_all").unwrap();
    let calls = calls(tool, layout);
    let questions: Vec<Value> = calls
        .iter()
        .map(|call| json!({"words": call.words, "traverse": traverse}))
        .collect();
    for (call, answer) in calls.iter().zip(ask(release, "batch", &questions)) {
        let context = format!(
            "Cobra {release}: {:?} as {:?}: {answer}",
            call.json, call.words
        );
        assert_eq!(answer["call"]["command"], "everyflag all", "{context}");
        assert_eq!(answer["call"]["args"], json!(call.args), "{context}");
        let read = answer["call"]["flags"].as_object().unwrap();
        let names: Vec<&String> = read.keys().collect();
        let mut expected: Vec<&String> = call.flags.keys().collect();
        expected.sort();
        assert_eq!(names, expected, "{context}");
        for (name, value) in &call.flags {
            assert!(
                alike(name, value, &read[name]),
                "{name} is not {value}: {context}"
            );
        }
    }
}

#[test]
fn every_release_of_cobra_reads_what_was_meant() {
    for release in RELEASES {
        check(release, Layout::Flat, false);
    }
}

#[test]
fn the_nested_layout_says_the_same() {
    check("newest", Layout::Nested, false);
}

#[test]
fn a_program_that_parses_its_parents_flags_first_reads_it_too() {
    check("newest", Layout::Flat, true);
    check("1.0.0", Layout::Flat, true);
}

#[test]
fn dashes_stand_where_the_usage_line_has_them() {
    let catalog = catalog("newest", &Selection::default());
    let tool = catalog.find("everyflag_exec").unwrap();
    let tries = [
        (
            Layout::Flat,
            json!({"TARGET": "pod", "COMMAND": "ls", "args": ["-l", "--", "x"]}),
        ),
        (
            Layout::Nested,
            json!({"args": ["pod", "--", "ls", "-l", "--", "x"]}),
        ),
    ];
    for (layout, json) in tries {
        let arguments = Arguments::check(tool, layout, json.as_object().unwrap()).unwrap();
        let words = argv::encode(tool, &arguments).unwrap();
        let answers = ask("newest", "batch", &[json!({"words": words})]);
        assert_eq!(answers[0]["call"]["dash"], 1, "{words:?}");
        assert_eq!(
            answers[0]["call"]["args"],
            json!(["pod", "ls", "-l", "--", "x"]),
            "{words:?}"
        );
    }
    let exposed = json!({"TARGET": "-x", "COMMAND": "ls"});
    assert!(Arguments::check(tool, Layout::Flat, exposed.as_object().unwrap()).is_err());
}
