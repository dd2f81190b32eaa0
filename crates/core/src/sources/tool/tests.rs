//! Schemas as servers write them, and the flags that come of them.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// The flags that a program of ours might have.
const TAKEN: [&str; 6] = ["cache", "no-cache", "json", "timeout", "verbose", "help"];

#[track_caller]
fn read(tool: Value) -> ToolSpec {
    let raw = serde_json::value::to_raw_value(&tool).unwrap();
    ToolSpec::read(&raw, &TAKEN).unwrap()
}

#[track_caller]
fn tool(input: Value) -> ToolSpec {
    read(json!({"name": "t", "inputSchema": input}))
}

fn properties(properties: Value) -> ToolSpec {
    tool(json!({"type": "object", "properties": properties}))
}

/// What the property `x` of this schema accepts.
#[track_caller]
fn accepts(schema: Value) -> Accepts {
    properties(json!({"x": schema})).params.remove(0).accepts
}

fn flags(tool: &ToolSpec) -> Vec<(&str, &str)> {
    let each = tool.params.iter();
    each.map(|param| (param.property.as_str(), param.flag.as_str()))
        .collect()
}

fn required(tool: &ToolSpec) -> Vec<&str> {
    let each = tool.params.iter().filter(|param| param.required);
    each.map(|param| param.property.as_str()).collect()
}

fn choice<const N: usize>(values: [Value; N]) -> Accepts {
    Accepts::Choice(values.to_vec())
}

fn list(item: Accepts) -> Accepts {
    Accepts::List(Box::new(item))
}

#[test]
fn every_type_has_its_way_of_being_given() {
    use Accepts::*;
    let cases = [
        (json!({"type": "string"}), Text),
        (json!({"type": "integer"}), Integer),
        (json!({"type": "number"}), Number),
        (json!({"type": "boolean"}), Boolean),
        (json!({"type": "null"}), Null),
        (json!({"type": "object"}), Object),
        (json!({"properties": {"a": {}}}), Object),
        (json!({"type": "array"}), list(Anything)),
        (
            json!({"type": "array", "items": {"type": "integer"}}),
            list(Integer),
        ),
        (json!({"items": {"type": "string"}}), list(Text)),
        (
            json!({"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}]}),
            list(AnyOf(vec![Number, Text])),
        ),
        (
            json!({"enum": ["a", "b"]}),
            choice([json!("a"), json!("b")]),
        ),
        (json!({"const": 5}), choice([json!(5)])),
        (json!({"const": true}), Boolean),
        (json!({"enum": [true, false]}), Boolean),
        (
            json!({"type": "array", "enum": ["a"]}),
            list(choice([json!("a")])),
        ),
        (json!({"type": ["string", "null"]}), AnyOf(vec![Null, Text])),
        (
            json!({"type": "integer", "nullable": true}),
            AnyOf(vec![Null, Integer]),
        ),
        (json!({"type": ["number", "integer"]}), Number),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
            AnyOf(vec![Null, Integer, Text]),
        ),
        (
            json!({"oneOf": [{"const": "a"}, {"const": "b"}]}),
            choice([json!("a"), json!("b")]),
        ),
        (
            json!({"type": "string", "anyOf": [{"enum": ["a", 1]}, {"minLength": 3}]}),
            AnyOf(vec![choice([json!("a")]), Text]),
        ),
        (
            json!({"allOf": [{"type": "number"}, {"type": "integer"}]}),
            Integer,
        ),
        (
            json!({"allOf": [{"type": "integer"}, {"type": "string"}]}),
            Integer,
        ),
        (json!({"pattern": "^a"}), Text),
        (json!({"maximum": 3}), Number),
        (json!({"type": "file"}), Anything),
        (json!({"type": 5}), Anything),
        (json!({"enum": []}), Anything),
        (json!({"anyOf": []}), Anything),
        (json!({}), Anything),
        (json!(true), Anything),
        (json!("string"), Anything),
        (json!(null), Anything),
    ];
    for (schema, expected) in cases {
        assert_eq!(accepts(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn references_are_followed_within_the_document_only() {
    let tool = tool(json!({
        "properties": {
            "unit": {"$ref": "#/$defs/Unit", "description": "Of temperature"},
            "mode": {"$ref": "#/definitions/a~1b%20c"},
            "again": {"$ref": "#/properties/unit"},
            "remote": {"$ref": "https://example.com/schema.json"},
            "gone": {"$ref": "#/$defs/Gone"},
            "wild": {"$ref": 7},
        },
        "$defs": {"Unit": {"enum": ["C", "F"], "default": "C"}},
        "definitions": {"a/b c": {"type": "integer", "description": "How"}},
    }));
    let unit = choice([json!("C"), json!("F")]);
    let found: Vec<_> = tool
        .params
        .iter()
        .map(|param| {
            (
                param.accepts.clone(),
                param.text.as_str(),
                param.default.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (unit.clone(), "Of temperature", Some("\"C\"")),
            (Accepts::Integer, "How", None),
            (unit, "Of temperature", Some("\"C\"")),
            (Accepts::Anything, "", None),
            (Accepts::Anything, "", None),
            (Accepts::Anything, "", None),
        ]
    );
}

#[test]
fn a_schema_that_never_ends_is_read_to_its_end() {
    let tool = tool(json!({
        "properties": {
            "loop": {"$ref": "#/$defs/Loop"},
            "tree": {"$ref": "#/$defs/Tree"},
            "wide": {"$ref": "#/$defs/w0"},
        },
        "$defs": {
            "Loop": {"$ref": "#/$defs/Loop"},
            "Tree": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/Tree"}}]},
            "w0": {"anyOf": vec![json!({"$ref": "#/$defs/w1"}); 9]},
            "w1": {"anyOf": vec![json!({"$ref": "#/$defs/w2"}); 9]},
            "w2": {"anyOf": vec![json!({"$ref": "#/$defs/w3"}); 9]},
            "w3": {"anyOf": vec![json!({"$ref": "#/$defs/w4"}); 9]},
            "w4": {"anyOf": vec![json!({"$ref": "#/$defs/w5"}); 9]},
            "w5": {"anyOf": vec![json!({"$ref": "#/$defs/w6"}); 9]},
            "w6": {"allOf": vec![json!({"$ref": "#/$defs/w7"}); 9]},
            "w7": {"type": "integer"},
        },
    }));
    assert_eq!(tool.params[0].accepts, Accepts::Anything);
    assert_eq!(
        tool.params[1].accepts,
        Accepts::AnyOf(vec![list(Accepts::Anything), Accepts::Text])
    );
    assert_eq!(tool.params.len(), 3);
}

#[test]
fn a_schema_as_deep_as_can_be_sent_is_read() {
    let mut schema = json!({"type": "string"});
    for _ in 0..50 {
        schema = json!({"type": "array", "items": schema});
    }
    let mut accepts = &accepts(schema);
    let mut depth = 0;
    while let Accepts::List(item) = accepts {
        accepts = item;
        depth += 1;
    }
    assert_eq!(accepts, &Accepts::Anything);
    assert!((10..50).contains(&depth), "{depth}");

    // Deeper than serde_json reads at all, and a number that no double holds.
    let deep = format!("{}1{}", "[".repeat(9000), "]".repeat(9000));
    for input in [deep.as_str(), "{\"maximum\": 1e999}"] {
        let raw = format!(r#"{{"name": "t", "inputSchema": {input}}}"#);
        let raw = RawValue::from_string(raw).unwrap();
        let tool = ToolSpec::read(&raw, &[]).unwrap();
        assert_eq!((tool.params.len(), tool.open), (0, true));
    }
}

#[test]
fn a_tool_with_a_poor_schema_still_works() {
    for input in [
        json!(null),
        json!(true),
        json!({}),
        json!([]),
        json!("object"),
        json!({"type": "object"}),
        json!({"type": "object", "properties": null, "required": "all"}),
        json!({"type": "object", "properties": []}),
    ] {
        let tool = tool(input.clone());
        assert_eq!((tool.params.len(), tool.open), (0, true), "{input}");
    }
    let bare = read(json!({"name": "bare", "description": 5, "title": [], "outputSchema": null}));
    assert_eq!(
        (bare.summary().as_str(), bare.open, bare.output.is_none()),
        ("", true, true)
    );
    assert!(!tool(json!({"additionalProperties": false})).open);
    assert!(tool(json!({"additionalProperties": {"type": "string"}})).open);
    assert!(tool(json!({"additionalProperties": false, "patternProperties": {"^x-": {}}})).open);
}

#[test]
fn only_a_tool_without_a_name_is_unusable() {
    for (tool, expected) in [
        ("[]", "a listed tool is not a JSON object"),
        ("{}", "a listed tool has no name"),
        (r#"{"name": 5}"#, "a listed tool's name is not a string"),
    ] {
        let raw = RawValue::from_string(tool.to_owned()).unwrap();
        let error = ToolSpec::read(&raw, &[]).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn the_arguments_may_be_a_union_or_a_reference() {
    let union = tool(json!({
        "type": "object",
        "properties": {"action": {"type": "string"}, "dry": {"type": "boolean"}},
        "oneOf": [
            {
                "properties": {"action": {"const": "create"}, "title": {"type": "string"}},
                "required": ["action", "title"],
            },
            {
                "properties": {"action": {"const": "close"}, "id": {"type": "integer"}},
                "required": ["action", "id"],
            },
        ],
    }));
    assert_eq!(
        flags(&union),
        [
            ("action", "action"),
            ("dry", "dry"),
            ("title", "title"),
            ("id", "id")
        ]
    );
    assert_eq!(required(&union), ["action"]);
    assert_eq!(
        union.params[0].accepts,
        choice([json!("create"), json!("close")])
    );

    let reference = tool(json!({
        "$ref": "#/$defs/Args",
        "$defs": {"Args": {
            "allOf": [
                {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"properties": {"b": {"type": "integer"}, "a": {"enum": ["x", "y"]}}},
            ],
            "additionalProperties": false,
        }},
    }));
    assert_eq!(required(&reference), ["a"]);
    assert_eq!(
        reference.params[0].accepts,
        choice([json!("x"), json!("y")])
    );
    assert!(!reference.open);

    let sometimes = tool(json!({
        "properties": {"kind": {"type": "string"}},
        "if": {"properties": {"kind": {"const": "file"}}},
        "then": {"properties": {"path": {"type": "string"}}, "required": ["path"]},
        "else": {"properties": {"url": {"type": "string"}}},
        "dependentSchemas": {"kind": {"properties": {"why": {}}}},
    }));
    let names: Vec<_> = flags(&sometimes)
        .into_iter()
        .map(|(_, flag)| flag)
        .collect();
    assert_eq!(names, ["kind", "path", "url", "why"]);
    assert!(required(&sometimes).is_empty());
}

#[test]
fn a_property_in_forty_branches_is_still_understood() {
    let branches: Vec<Value> = (0..40)
        .map(|number| json!({"properties": {"kind": {"const": format!("k{number}")}}}))
        .collect();
    let tool = tool(json!({"oneOf": branches}));
    assert_eq!(tool.params[0].accepts.words().len(), 40);
}

#[test]
fn what_is_required_has_a_flag_even_undeclared_and_what_is_forbidden_has_none() {
    let tool = tool(json!({
        "properties": {"never": false, "x": {"type": "string"}},
        "required": ["token", 5, "x"],
    }));
    assert_eq!(flags(&tool), [("x", "x"), ("token", "token")]);
    assert_eq!(required(&tool), ["x", "token"]);
}

#[test]
fn flags_are_gnu_style_whatever_the_property() {
    let names = [
        ("max_results", "max-results"),
        ("includeURLs", "include-urls"),
        ("skipTLSVerify", "skip-tls-verify"),
        ("ipv6CIDR", "ipv6-cidr"),
        ("user.name", "user-name"),
        ("filter[name]", "filter-name"),
        ("$select", "select"),
        ("@type", "type"),
        ("a=b", "a-b"),
        ("with space", "with-space"),
        ("größe", "größe"),
        ("名前", "名前"),
        ("-x", "x"),
        ("", "arg"),
        ("$", "arg-2"),
    ];
    let all: serde_json::Map<_, _> = names
        .iter()
        .map(|(name, _)| ((*name).to_owned(), json!({})))
        .collect();
    let tool = properties(Value::Object(all));
    assert_eq!(flags(&tool), names);
    let accepted = |property: &str| {
        let param = tool.params.iter().find(|param| param.property == property);
        param
            .unwrap()
            .spellings()
            .any(|spelling| spelling == property)
    };
    assert!(accepted("filter[name]") && accepted("user.name") && accepted("$"));
    assert!(!accepted("a=b") && !accepted(""));
}

#[test]
fn properties_that_collide_keep_flags_of_their_own() {
    let tool = properties(json!({
        "Tag": {}, "TAG": {}, "tag": {}, "maxResults": {}, "max_results": {}, "tag-2": {},
    }));
    assert_eq!(
        flags(&tool),
        [
            ("Tag", "tag-3"),
            ("TAG", "tag-4"),
            ("tag", "tag"),
            ("maxResults", "max-results"),
            ("max_results", "max-results-2"),
            ("tag-2", "tag-2"),
        ]
    );
}

#[test]
fn flags_of_the_program_are_never_shown_as_the_tools() {
    let tool = properties(json!({
        "cache": {}, "JSON": {}, "no_cache": {}, "tool_cache": {}, "tool-json": {}, "query": {},
    }));
    assert_eq!(
        flags(&tool),
        [
            ("cache", "tool-cache-2"),
            ("JSON", "tool-json-2"),
            ("no_cache", "tool-no-cache"),
            ("tool_cache", "tool-cache"),
            ("tool-json", "tool-json"),
            ("query", "query"),
        ]
    );
    assert_eq!(tool.params[0].aliases, ["cache"]);
    assert_eq!(tool.params[1].aliases, ["JSON", "json", "tool-JSON"]);
    assert_eq!(tool.params[5].aliases, ["tool-query"]);
}

#[test]
fn a_negation_yields_to_a_property_of_that_name() {
    let tool = properties(json!({
        "color": {"type": "boolean"},
        "wrap": {"type": ["boolean", "null"]},
        "no_wrap": {"type": "boolean"},
        "cache": {"type": "boolean"},
        "depth": {"type": "integer"},
    }));
    let negations: Vec<_> = tool
        .params
        .iter()
        .map(|param| tool.negation(param))
        .collect();
    let negations: Vec<_> = negations.iter().map(Option::as_deref).collect();
    assert_eq!(
        negations,
        [
            Some("no-color"),
            None,
            Some("no-no-wrap"),
            Some("no-tool-cache"),
            None
        ]
    );
}

#[test]
fn a_summary_is_one_sentence_of_one_line() {
    for (description, expected) in [
        (
            "Search for repositories. Needs a token.",
            "Search for repositories",
        ),
        ("\n  Reads a file.\nThen more", "Reads a file"),
        (
            "Takes units, e.g. Celsius. Or not",
            "Takes units, e.g. Celsius",
        ),
        ("Compares a vs. b", "Compares a vs. b"),
        ("And so on...", "And so on..."),
        (
            "<Purpose>\nLists the projects.\n</Purpose>",
            "Lists the projects",
        ),
        ("---\n## Search docs\n\nand more", "Search docs"),
        (
            "Start here: sheets, defined names,\n    styles and more. Then edit.",
            "Start here: sheets, defined names, styles and more",
        ),
        (
            "Renders a page\nas a picture\nUse it well",
            "Renders a page as a picture",
        ),
        ("Adds a row.\nargs: many", "Adds a row"),
        ("List of:\n- one", "List of:"),
        ("Reads config.toml. Then stops", "Reads config.toml"),
        ("", "The title"),
    ] {
        let tool = read(json!({
            "name": "t", "description": description, "annotations": {"title": "The title"},
        }));
        assert_eq!(tool.summary(), expected);
    }
}

#[test]
fn a_title_that_repeats_the_name_says_nothing() {
    let tool = properties(json!({
        "page_size": {"title": "Page Size"},
        "n": {"title": "How many"},
        "q": {"anyOf": [{"type": "string", "description": "What for"}, {"type": "null"}]},
        "z": {"anyOf": [{"type": "string", "description": "One"}, {"type": "integer"}]},
    }));
    let texts: Vec<_> = tool
        .params
        .iter()
        .map(|param| param.text.as_str())
        .collect();
    assert_eq!(texts, ["", "How many", "What for", ""]);
}

#[test]
fn choices_are_told_only_where_nothing_else_is_allowed() {
    let cases = [
        (json!({"enum": ["a", "b"]}), vec!["a", "b"]),
        (json!({"enum": ["a", null]}), vec!["a", "null"]),
        (json!({"items": {"enum": ["a", "b"]}}), vec!["a", "b"]),
        (
            json!({"type": ["boolean", "null"]}),
            vec!["true", "false", "null"],
        ),
        (json!({"type": ["integer", "null"]}), vec![]),
        (json!({"type": ["boolean", "integer"]}), vec![]),
        (
            json!({"anyOf": [{"enum": ["auto"]}, {"type": "integer"}]}),
            vec![],
        ),
        (
            json!({"items": {"anyOf": [{"const": "all"}, {"type": "number"}]}}),
            vec![],
        ),
    ];
    for (schema, choices) in cases {
        let mut given = accepts(schema.clone()).choices();
        let mut choices = choices;
        given.sort();
        choices.sort_unstable();
        assert_eq!(given, choices, "{schema}");
    }
}

#[test]
fn placeholders_and_words_say_what_a_value_may_be() {
    let long: Vec<Value> = (0..100)
        .map(|number| json!(format!("zone{number}")))
        .collect();
    let cases = [
        (json!({"type": "string"}), "STRING", vec![]),
        (
            json!({"type": ["integer", "null"]}),
            "INTEGER",
            vec!["null"],
        ),
        (
            json!({"type": "boolean"}),
            "true|false",
            vec!["true", "false"],
        ),
        (
            json!({"enum": ["a", 1, null]}),
            "a|1|null",
            vec!["a", "1", "null"],
        ),
        (
            json!({"items": {"enum": ["a", "b"]}}),
            "a|b",
            vec!["a", "b"],
        ),
        (json!({"items": {"type": "array"}}), "JSON", vec![]),
        (json!({"type": "object"}), "JSON", vec![]),
        (
            json!({"type": ["string", "integer"]}),
            "INTEGER|STRING",
            vec![],
        ),
        (json!({}), "VALUE", vec![]),
    ];
    for (schema, placeholder, words) in cases {
        let accepts = accepts(schema.clone());
        assert_eq!(accepts.placeholder(), placeholder, "{schema}");
        assert_eq!(accepts.words(), words, "{schema}");
    }
    assert_eq!(
        accepts(json!({"enum": long})).placeholder(),
        "zone0|zone1|zone2|zone3|zone4|zone5|zone6|zone7|…"
    );
}

#[track_caller]
fn output(schema: Value) -> Vec<(String, String)> {
    let raw = serde_json::value::to_raw_value(&schema).unwrap();
    let fields = output_fields(&raw).into_iter();
    fields.map(|field| (field.path, field.kind)).collect()
}

#[test]
fn fields_of_what_a_parameter_takes_are_paths_within_one_value() {
    let tool = tool(json!({
        "properties": {
            "path": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "edits": {"type": "array", "items": {"$ref": "#/$defs/Edit"}},
            "where": {"anyOf": [{"$ref": "#/$defs/Where"}, {"type": "null"}]},
            "tree": {"$ref": "#/$defs/Tree"},
            "wide": {"properties": (0..50).map(|n| (n.to_string(), json!({}))).collect::<Value>()},
        },
        "required": ["path"],
        "$defs": {
            "Edit": {
                "properties": {
                    "old": {"type": "string", "description": "What to look for"},
                    "lines": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["old"],
            },
            "Where": {
                "properties": {"line": {"type": "integer"}},
                "additionalProperties": {},
            },
            "Tree": {"properties": {"left": {"$ref": "#/$defs/Tree"}}},
        },
    }));
    let fields = input_fields(&tool);
    let shown: Vec<Vec<String>> = fields
        .iter()
        .map(|fields| {
            let line = |field: &OutputField| {
                format!(
                    "{} {} {} {}",
                    field.path, field.kind, field.required, field.text
                )
            };
            fields.iter().map(line).collect()
        })
        .collect();
    let none: [&str; 0] = [];
    assert_eq!(shown[0], none);
    assert_eq!(shown[1], none);
    assert_eq!(
        shown[2],
        ["old string true What to look for", "lines[] integer false "]
    );
    assert_eq!(shown[3], ["line integer false "]);
    assert_eq!(shown[4].len(), 1, "a type within itself comes to an end");
    assert_eq!(shown[5].len(), 41);
    assert_eq!(
        shown[5][40],
        "…  false more than 40 fields; the rest is not shown"
    );
}

#[test]
fn output_fields_are_paths() {
    let fields = output(json!({
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"$ref": "#/$defs/Repository"}},
            "labels": {"additionalProperties": {"type": "string"}},
            "next": {"type": ["string", "null"]},
            "state": {"enum": ["open", "closed"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "a.b": {"type": "number"},
            "grid": {"items": {"items": {"type": "integer"}}},
            "owner": {"anyOf": [{"properties": {"login": {"type": "string"}}}, {"type": "null"}]},
            "bag": {"type": "object"},
        },
        "$defs": {"Repository": {"properties": {
            "name": {"type": "string"},
            "stars": {"type": "integer"},
        }}},
    }));
    let expected = [
        ("items[].name", "string"),
        ("items[].stars", "integer"),
        ("labels.*", "string"),
        ("next", "string | null"),
        ("state", "\"open\" | \"closed\""),
        ("tags[]", "string"),
        ("[\"a.b\"]", "number"),
        ("grid[][]", "integer"),
        ("owner", "object | null"),
        ("owner.login", "string"),
        ("bag", "object"),
    ];
    let fields: Vec<_> = fields
        .iter()
        .map(|(path, kind)| (path.as_str(), kind.as_str()))
        .collect();
    assert_eq!(fields, expected);
}

#[test]
fn output_that_is_no_object_has_paths_too() {
    let pair = |path: &str, kind: &str| (path.to_owned(), kind.to_owned());
    let list = json!({"type": "array", "items": {"properties": {"id": {"type": "integer"}}}});
    assert_eq!(output(list), [pair("[].id", "integer")]);
    assert_eq!(output(json!({"type": "string"})), [pair(".", "string")]);
    assert_eq!(output(json!({"type": "object"})), [pair(".", "object")]);
    assert_eq!(
        output(json!({"additionalProperties": {"type": "number"}})),
        [pair("*", "number")]
    );
    assert_eq!(output(json!({})), [pair(".", "any")]);
}

#[test]
fn output_that_never_ends_is_shown_to_a_depth() {
    let fields = output(json!({
        "$ref": "#/$defs/Node",
        "$defs": {"Node": {"properties": {
            "name": {"type": "string"},
            "children": {"items": {"$ref": "#/$defs/Node"}},
        }}},
    }));
    let paths: Vec<_> = fields.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "name",
            "children[].name",
            "children[].children[].name",
            "children[].children[].children[]",
        ]
    );
    let many: serde_json::Map<_, _> = (0..300)
        .map(|number| (format!("field{number}"), json!({"type": "string"})))
        .collect();
    let fields = output(json!({"properties": many}));
    assert_eq!(fields.len(), 201);
    assert_eq!(fields[200].0, "…");
}

proptest! {
    #[test]
    fn every_property_has_flags_that_mean_only_it(
        names in prop::collection::btree_set(
            prop_oneof![
                ".{0,4}",
                "[aAbB_.= -]{0,3}",
                "(no|tool)?[-_]?(cache|json|Cache|help)(-2)?",
            ],
            0..12,
        ),
    ) {
        let all: serde_json::Map<_, _> =
            names.iter().map(|name| (name.clone(), json!({}))).collect();
        let tool = properties(Value::Object(all));
        let mut seen = std::collections::BTreeSet::new();
        let mut shown = std::collections::BTreeSet::new();
        for param in &tool.params {
            prop_assert!(!TAKEN.contains(&param.flag.as_str()));
            prop_assert!(!param.flag.is_empty() && !param.flag.contains(['=', ' ']));
            prop_assert!(shown.insert(param.flag.to_lowercase()), "{}", param.flag);
            for spelling in param.spellings() {
                prop_assert!(seen.insert(spelling.to_owned()), "{spelling}");
                let owner = tool.params.iter().find(|param| param.property == spelling);
                prop_assert!(owner.is_none_or(|owner| owner.property == param.property));
            }
            if !param.property.is_empty() && !param.property.contains(['=', '\0']) {
                prop_assert!(param.spellings().any(|spelling| spelling == param.property));
            }
        }
        prop_assert_eq!(tool.params.len(), names.len());
    }
}

#[test]
fn a_thousand_references_to_one_long_list_are_not_a_thousand_lists() {
    let names = (0..2_000).map(|at| format!("p{at}"));
    let all: serde_json::Map<String, Value> = names
        .map(|name| (name, json!({"$ref": "#/$defs/long"})))
        .collect();
    let choices: Vec<String> = (0..5_000).map(|at| format!("v{at}")).collect();
    let tool = tool(json!({
        "type": "object",
        "properties": all,
        "$defs": {"long": {"enum": choices, "description": "x".repeat(200_000)}},
    }));
    assert_eq!(tool.params.len(), 2_000, "every one has its flag");
    let choices = |param: &ToolParam| param.accepts.words().len();
    assert_eq!(choices(&tool.params[0]), 5_000);
    assert!(tool.params.iter().map(choices).sum::<usize>() < 100_000);
    let text: usize = tool.params.iter().map(|param| param.text.len()).sum();
    assert!(text < 20_000_000, "{text}");
}
