//! Definitions as a client sees them.

use super::*;
use crate::model::{
    Annotations as Said, Group, RunSpec, Secret, StderrSpec, StdinSpec, StdoutSpec,
};

fn defined(params: Vec<Param>, change: impl Fn(&mut CommandSpec, &mut RunSpec)) -> Tool {
    let mut command = CommandSpec {
        runnable: true,
        summary: "Process JSON".to_owned(),
        params,
        ..CommandSpec::default()
    };
    let mut run = RunSpec::default();
    change(&mut command, &mut run);
    command.run = Some(Arc::new(run));
    let program = Program {
        name: "jq".to_owned(),
        executable: Some("jq".to_owned()),
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

fn positional(name: &str, text: &str) -> Param {
    Param {
        text: text.to_owned(),
        ..Param::positional(name, "string".parse().unwrap())
    }
}

#[test]
fn the_seed_s_jq_is_its_example() {
    let filter = Param {
        required: true,
        ..positional("filter", "jq filter expression")
    };
    let params = vec![
        flag("raw-output", "switch", "Output raw strings, not JSON", None),
        flag("compact", "switch", "Compact output", None),
        filter,
        positional("file", "Input file (optional, uses stdin if omitted)"),
    ];
    let tool = defined(params, |_, run| {
        run.stdin = Some(StdinSpec {
            text: "JSON input to process".to_owned(),
            ..StdinSpec::default()
        });
    });
    assert_eq!(
        (
            tool.name.as_str(),
            description(&tool, Layout::Flat).as_str()
        ),
        ("cli_jq", "Process JSON")
    );
    assert_eq!(
        input(&tool, Layout::Flat),
        json!({
            "$schema": DIALECT,
            "type": "object",
            "properties": {
                "filter": {"type": "string", "description": "jq filter expression"},
                "file": {"type": "string", "description": "Input file (optional, uses stdin if omitted)"},
                "raw_output": {"type": "boolean", "description": "Output raw strings, not JSON"},
                "compact": {"type": "boolean", "description": "Compact output"},
                "stdin": {"type": "string", "description": "JSON input to process"},
            },
            "required": ["filter"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn each_kind_of_a_definition_has_its_schema() {
    let token = Param {
        secret: Some(Secret::Environment("TOKEN".to_owned())),
        ..flag("x", "string", "The token", Some("hidden"))
    };
    let cases = [
        (
            Param {
                text: "Words".to_owned(),
                ..Param::positional("x", "line".parse().unwrap())
            },
            json!({
                "description": "Words (words in an array, or in one string, quoted as for a shell)",
                "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}],
            }),
        ),
        (
            flag("x", "path", "A file", Some(".")),
            json!({"type": "string", "description": "A file", "default": "."}),
        ),
        (
            flag("x", "joined<int>", "", None),
            json!({"type": "array", "items": {"type": "integer"}}),
        ),
        (
            token,
            json!({"type": "string", "description": "The token (secret)", "writeOnly": true}),
        ),
        (
            flag("x", "switch", "On", Some("true")),
            json!({"type": "boolean", "description": "On", "default": true}),
        ),
    ];
    for (param, expected) in cases {
        let schema = input(&defined(vec![param], |_, _| {}), Layout::Flat);
        assert_eq!(schema["properties"]["x"], expected);
    }
}

#[test]
fn what_has_a_default_to_give_is_not_required() {
    let param = |inject_default| Param {
        required: true,
        inject_default,
        ..flag("x", "string", "", Some("a"))
    };
    let required =
        |inject| input(&defined(vec![param(inject)], |_, _| {}), Layout::Flat)["required"].clone();
    assert_eq!(required(true), Value::Null);
    assert_eq!(required(false), json!(["x"]));
}

#[test]
fn stdin_is_shown_by_its_format() {
    let cases = [
        (
            StdinFormat::Text,
            json!({"type": "string", "description": "Rows"}),
        ),
        (
            StdinFormat::Json,
            json!({"description": "Rows (JSON: a string that holds it, or any other value)"}),
        ),
        (
            StdinFormat::Binary,
            json!({"type": "string", "contentEncoding": "base64", "description": "Rows (base64)"}),
        ),
    ];
    for (format, expected) in cases {
        let tool = defined(vec![], |_, run| {
            run.stdin = Some(StdinSpec {
                text: "Rows".to_owned(),
                format,
                required: true,
            });
        });
        for layout in [Layout::Flat, Layout::Nested] {
            let schema = input(&tool, layout);
            assert_eq!(schema["properties"]["stdin"], expected);
            assert!(
                schema["required"]
                    .as_array()
                    .unwrap()
                    .contains(&json!("stdin"))
            );
        }
    }
}

#[test]
fn the_output_schema_says_what_data_is() {
    let data = |format, schema: Option<Value>| {
        let tool = defined(vec![], |_, run| {
            run.stdout.format = format;
            run.output_schema = schema.clone();
        });
        output(&tool, Layout::Flat)["properties"]["data"].clone()
    };
    let containers =
        json!({"description": "stdout, parsed", "anyOf": [{"type": "object"}, {"type": "array"}]});
    assert_eq!(data(StdoutFormat::Auto, None), containers);
    assert_eq!(
        data(StdoutFormat::Json, None),
        json!({"description": "stdout, parsed"})
    );
    assert_eq!(data(StdoutFormat::Text, None), Value::Null);
    let schema = json!({
        "$schema": DIALECT,
        "description": "A tree",
        "$defs": {"node": {"properties": {
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            "root": {"$ref": "#"},
            "default": {"$ref": "#/$defs/node"},
        }}},
        "anyOf": [{"$ref": "#/$defs/node"}, {"$ref": "#named"}, {"const": {"$ref": "#/x"}}],
    });
    assert_eq!(
        data(
            StdoutFormat::Json,
            Some(json!({"$anchor": "named", "anyOf": [schema["anyOf"][1].clone()]}))
        ),
        json!({"$anchor": "named", "anyOf": [{"$ref": "#named"}], "description": "stdout, parsed"})
    );
    let mut anchored = schema;
    anchored["$anchor"] = json!("named");
    assert_eq!(
        data(StdoutFormat::Auto, Some(anchored)),
        json!({
            "description": "A tree",
            "$defs": {"node": {"properties": {
                "children": {"type": "array", "items": {"$ref": "#/properties/data/$defs/node"}},
                "root": {"$ref": "#/properties/data"},
                "default": {"$ref": "#/properties/data/$defs/node"},
            }}},
            "anyOf": [{"$ref": "#/properties/data/$defs/node"}, {"$ref": "#named"}, {"const": {"$ref": "#/x"}}],
            "$anchor": "named",
        })
    );
}

#[test]
fn an_embedded_schema_still_means_the_same() {
    let tool = defined(vec![], |_, run| {
        run.output_schema = Some(json!({
            "$ref": "#/$defs/node",
            "$defs": {"node": {
                "type": "object",
                "properties": {"next": {"$ref": "#/$defs/node"}},
                "additionalProperties": false,
            }},
        }));
    });
    let whole = DataSchema::compile(&output(&tool, Layout::Flat)).unwrap();
    let result = |data: Value| json!({"exitCode": 0, "stdout": "", "stderr": "", "durationMs": 1, "data": data});
    assert_eq!(
        whole.reasons(&result(json!({"next": {"next": {}}}))),
        [""; 0]
    );
    assert_eq!(
        whole.reasons(&result(json!({"next": {"nxt": {}}}))).len(),
        1
    );
}

#[test]
fn streams_are_shown_as_the_definition_has_them() {
    let tool = defined(vec![], |_, run| {
        run.stdout = StdoutSpec {
            encoding: Encoding::Base64,
            ..StdoutSpec::default()
        };
        run.stderr = StderrSpec {
            capture: false,
            ..StderrSpec::default()
        };
    });
    let schema = output(&tool, Layout::Flat);
    assert_eq!(
        schema["properties"]["stdout"],
        json!({"type": "string", "contentEncoding": "base64"})
    );
    assert_eq!(schema["properties"].get("data"), None);
    assert_eq!(schema["properties"].get("stderr"), None);
    assert_eq!(
        schema["required"],
        json!(["exitCode", "stdout", "durationMs"])
    );
}

#[test]
fn a_wrong_schema_says_what_is_wrong_with_it() {
    let good = [
        json!(true),
        json!({}),
        json!({"type": "object", "$defs": {"a": true}}),
    ];
    for schema in good {
        assert_eq!(check_schema(&schema), Ok(()), "{schema}");
    }
    let bad = [
        (json!("string"), "a JSON Schema is an object"),
        (json!({"type": "objct"}), "/type: "),
        (
            json!({"properties": {"a": {"minimum": "x"}}}),
            "/properties/a/minimum: ",
        ),
        (json!({"$ref": "#/$defs/missing"}), ""),
        (json!({"$ref": "https://example.com/schema.json"}), ""),
        (json!({"pattern": "("}), "/pattern: "),
    ];
    for (schema, expected) in bad {
        let error = check_schema(&schema).unwrap_err();
        assert!(error.starts_with(expected), "{schema}: {error}");
    }
}

#[test]
fn the_author_s_words_are_the_description() {
    let text = |summary: &str, long: &str, examples: &str| {
        let tool = defined(
            vec![
                flag("a-b", "switch", "", None),
                flag("c", "switch", "", None),
            ],
            |it, run| {
                it.summary = summary.to_owned();
                it.description = long.to_owned();
                it.examples = examples.to_owned();
                it.groups = vec![
                    Group::Exclusive(vec!["a-b".to_owned(), "c".to_owned()]),
                    Group::Requires(vec!["c".to_owned(), "stdin".to_owned()]),
                ];
                run.stdin = Some(StdinSpec::default());
            },
        );
        description(&tool, Layout::Flat)
    };
    let rules = "Give at most one of `a_b` and `c`. `c` needs `stdin`.";
    assert_eq!(text("Short.", "", ""), format!("Short.\n\n{rules}"));
    assert_eq!(
        text("Short.", "Short.\nAnd long.", ""),
        format!("Short.\nAnd long.\n\n{rules}")
    );
    assert_eq!(
        text("Short.", "Long.", ""),
        format!("Short.\n\nLong.\n\n{rules}")
    );
    assert_eq!(
        text("Short.", "", "# All\njq .\n"),
        format!("Short.\n\n{rules}\n\nExamples:\n# All\njq .")
    );
    assert_eq!(text("", "", ""), format!("jq\n\n{rules}"));
}

#[test]
fn hints_follow_from_the_effect_and_the_sandbox_and_the_author_has_the_last_word() {
    let hints = |effect: Effect, network: bool, said: Said| {
        let tool = defined(vec![], |it, run| {
            it.effect = effect;
            it.annotations = said.clone();
            run.sandbox.network = network;
        });
        let hints = annotations(&tool);
        (
            hints.title,
            [
                hints.read_only,
                hints.destructive,
                hints.idempotent,
                hints.open_world,
            ],
        )
    };
    let (y, n) = (true, false);
    let said = |read_only, destructive, idempotent, open_world| Said {
        title: None,
        read_only,
        destructive,
        idempotent,
        open_world,
    };
    let cases = [
        (Effect::Read, n, Said::default(), [y, n, y, n]),
        (Effect::Read, y, Said::default(), [y, n, y, y]),
        (Effect::Unknown, n, Said::default(), [n, y, n, n]),
        (Effect::Write, n, Said::default(), [n, n, n, n]),
        (
            Effect::Unknown,
            n,
            said(Some(y), None, None, None),
            [y, n, y, n],
        ),
        (
            Effect::Write,
            n,
            said(None, Some(y), Some(y), Some(y)),
            [n, y, y, y],
        ),
        (
            Effect::Read,
            y,
            said(Some(n), None, Some(n), Some(n)),
            [n, n, n, n],
        ),
    ];
    for (effect, network, said, expected) in cases {
        let hints = hints(effect, network, said.clone());
        assert_eq!(hints, ("jq".to_owned(), expected), "{effect:?} {said:?}");
    }
    let titled = Said {
        title: Some("JSON".to_owned()),
        ..Said::default()
    };
    assert_eq!(hints(Effect::Read, false, titled).0, "JSON");
}

#[test]
fn a_value_that_may_be_left_out_can_be_true() {
    let alone = |choices: &[&str]| {
        let mut param = flag("x", "string", "When", None);
        param.choices = choices.iter().map(|&it| it.to_owned()).collect();
        if let Role::Flag(spelling) = &mut param.role {
            spelling.bare = Some(String::new());
        }
        property::property(&param, Layout::Flat, Family::Gnu)
    };
    let description = "When (true gives it without a value)";
    assert_eq!(
        Value::Object(alone(&[])),
        json!({"type": ["string", "boolean"], "description": description})
    );
    assert_eq!(
        Value::Object(alone(&["always", "never"])),
        json!({
            "type": ["string", "boolean"],
            "description": description,
            "enum": ["always", "never", true],
        })
    );
}
