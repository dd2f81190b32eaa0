//! Nothing that a selection left out can be reached: every call that passes the
//! door is really made, in every way that Cobra can be told to find commands.

use std::sync::Arc;

use argway_core::argv::{self, Arguments};
use argway_core::catalog::{Catalog, Inherited, Layout, Selection, Tool};
use argway_core::model::Kind;
use serde_json::{Map, Value, json};

use super::support::{ask, catalog, program};

const WORDS: [&str; 16] = [
    "secret",
    "hush",
    "SECRET",
    "sec",
    "h",
    "list",
    "",
    "x",
    "-",
    "--",
    "-f",
    "--force",
    "--force=secret",
    "--string=x",
    "help",
    "__complete",
];

/// Every list of up to three of [`WORDS`].
fn word_lists() -> Vec<Vec<&'static str>> {
    let mut lists: Vec<Vec<&str>> = vec![vec![]];
    for _ in 0..3 {
        let longer: Vec<Vec<&str>> = lists
            .iter()
            .flat_map(|list| WORDS.map(|word| [list.as_slice(), &[word]].concat()))
            .collect();
        lists.extend(longer);
        lists.sort_unstable();
        lists.dedup();
    }
    lists
}

fn words(tool: &Tool, layout: Layout, json: &Value) -> Option<Vec<String>> {
    let json: &Map<String, Value> = json.as_object().unwrap();
    let arguments = Arguments::check(tool, layout, json).ok()?;
    Some(argv::encode(tool, &arguments).unwrap())
}

#[test]
fn a_denied_child_is_out_of_its_parent_s_reach() {
    let selection = Selection {
        deny: vec!["parent hush".to_owned()],
        ..Selection::default()
    };
    let catalog = catalog("newest", &selection);
    assert!(catalog.find("everyflag_parent_secret").is_none());
    let tool = catalog.find("everyflag_parent").unwrap();
    let mut lines = Vec::new();
    let mut refused = 0;
    for list in word_lists() {
        for flags in [
            json!({}),
            json!({"force": true}),
            json!({"quiet": true}),
            json!({"config": "secret", "verbose": 1}),
        ] {
            let mut flat = flags.clone();
            flat["name"] = json!(list);
            for (layout, json) in [
                (Layout::Flat, flat),
                (Layout::Nested, json!({"flags": flags, "args": list})),
            ] {
                match words(tool, layout, &json) {
                    Some(words) => lines.push((list.clone(), words)),
                    None => refused += 1,
                }
            }
        }
    }
    assert!(
        lines.len() > 1000 && refused > 1000,
        "{} {refused}",
        lines.len()
    );
    for (traverse, lenient) in [(false, false), (true, false), (false, true), (true, true)] {
        let questions: Vec<Value> = lines
            .iter()
            .map(|(_, words)| json!({"words": words, "traverse": traverse, "lenient": lenient}))
            .collect();
        for ((list, words), answer) in lines.iter().zip(ask("newest", "batch", &questions)) {
            assert_eq!(
                answer["call"]["command"], "everyflag parent",
                "{words:?} (traverse {traverse}, lenient {lenient})"
            );
            assert_eq!(answer["call"]["args"], json!(list), "{words:?}");
        }
    }
}

#[test]
fn a_denied_flag_has_no_spelling_left() {
    let selection = Selection {
        deny_flags: vec!["--string".to_owned(), "-i".to_owned()],
        ..Selection::default()
    };
    let catalog = catalog("newest", &selection);
    let tool = catalog.find("everyflag_all").unwrap();
    for key in [
        "string", "--string", "-s", "String", "string=x", "int", "--int", "-i", "-bi",
    ] {
        for layout in [Layout::Flat, Layout::Nested] {
            let json = match layout {
                Layout::Flat => json!({key: "5"}),
                Layout::Nested => json!({"flags": {key: "5"}}),
            };
            assert_eq!(words(tool, layout, &json), None, "{key}");
        }
    }
    let tries = [
        json!(["--string=x"]),
        json!(["-s", "x"]),
        json!(["-sx"]),
        json!(["--", "--string=x"]),
        json!(["a", "--int=5"]),
        json!(["-bi5"]),
    ];
    let optional = json!({"optional": "--string=x", "config": "--int=5", "bool": true});
    let mut questions = Vec::new();
    for list in &tries {
        let mut flat = optional.clone();
        flat["word"] = list.clone();
        questions.push(json!({"words": words(tool, Layout::Flat, &flat).unwrap()}));
        let nested = json!({"flags": optional, "args": list});
        questions.push(json!({"words": words(tool, Layout::Nested, &nested).unwrap()}));
    }
    for (question, answer) in questions.iter().zip(ask("newest", "batch", &questions)) {
        let flags = answer["call"]["flags"].as_object().unwrap();
        assert!(
            !flags.contains_key("string") && !flags.contains_key("int"),
            "{question}"
        );
    }
}

#[test]
fn a_flag_misread_as_a_switch_does_not_open_the_way_for_others() {
    let mut program = Arc::unwrap_or_clone(program("newest"));
    for command in &mut program.commands {
        let misread = command.params.iter_mut().find(|it| it.name == "string");
        misread.into_iter().for_each(|it| it.kind = Kind::Switch);
    }
    let selection = Selection {
        deny_flags: vec!["int".to_owned()],
        ..Selection::default()
    };
    let catalog = Catalog::build(&[Arc::new(program)], &selection, Inherited::All).unwrap();
    let tool = catalog.find("everyflag_all").unwrap();
    let json = json!({"string": true, "word": ["--int=5"]});
    let line = words(tool, Layout::Flat, &json).unwrap();
    let answers = ask("newest", "batch", &[json!({"words": line})]);
    assert_eq!(answers[0]["call"]["flags"], json!({"string": "true"}));
    assert_eq!(answers[0]["call"]["args"], json!(["--int=5"]));
}

#[test]
fn a_raw_command_takes_no_flag_in_any_form() {
    let catalog = catalog("newest", &Selection::default());
    let tool = catalog.find("everyflag_raw").unwrap();
    assert!(tool.flags.is_empty() && tool.inherited.is_empty());
    for list in [
        json!(["--help"]),
        json!(["-x"]),
        json!(["--"]),
        json!(["a", "--b"]),
    ] {
        assert_eq!(words(tool, Layout::Flat, &json!({"word": list})), None);
        assert_eq!(words(tool, Layout::Nested, &json!({"args": list})), None);
    }
    let line = words(tool, Layout::Flat, &json!({"word": ["a", "-"]})).unwrap();
    let answers = ask("newest", "batch", &[json!({"words": line})]);
    assert_eq!(answers[0]["call"]["args"], json!(["a", "-"]));
}
