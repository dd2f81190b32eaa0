//! Tools as a client sees them.

use std::sync::Arc;

use super::*;
use crate::catalog::{Catalog, Inherited, Selection};
use crate::cost;
use crate::model::{CommandSpec, Family, Param, Program, Role};

fn flag(name: &str, kind: &str, text: &str, default: Option<&str>) -> Param {
    Param {
        text: text.to_owned(),
        default: default.map(str::to_owned),
        ..Param::flag(name, kind.parse().unwrap())
    }
}

fn catalog(name: &str, command: CommandSpec, inherited: Inherited) -> Catalog {
    let program = Program {
        name: name.to_owned(),
        executable: None,
        version: None,
        family: Family::Cobra,
        commands: vec![command],
    };
    Catalog::build(&[Arc::new(program)], &Selection::default(), inherited).unwrap()
}

/// The schema of one flag or positional of this kind.
fn schema_of(param: Param, layout: Layout) -> Value {
    let name = param.name.clone();
    let command = CommandSpec {
        runnable: true,
        params: vec![param],
        ..CommandSpec::default()
    };
    let schema = input(&catalog("app", command, Inherited::All).tools()[0], layout);
    match layout {
        Layout::Flat => schema["properties"][name].clone(),
        Layout::Nested => schema["properties"]["flags"]["properties"][name].clone(),
    }
}

#[test]
fn the_seed_s_container_list_is_its_example() {
    let program = Program {
        name: "docker".to_owned(),
        executable: None,
        version: None,
        family: Family::Cobra,
        commands: vec![CommandSpec {
            path: ["container", "list"].map(str::to_owned).to_vec(),
            summary: "List containers".to_owned(),
            description: "List containers".to_owned(),
            runnable: true,
            params: vec![flag("all", "switch", "Show all containers", None)],
            ..CommandSpec::default()
        }],
    };
    let catalog =
        Catalog::build(&[Arc::new(program)], &Selection::default(), Inherited::All).unwrap();
    assert_eq!(
        tool(&catalog.tools()[0], Layout::Flat),
        json!({
            "name": "docker_container_list",
            "title": "docker container list",
            "description": "docker container list: List containers",
            "inputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "properties": {
                    "all": {"type": "boolean", "description": "Show all containers", "default": false},
                },
                "additionalProperties": false,
            },
            "outputSchema": output(&catalog.tools()[0], Layout::Flat),
            "annotations": {
                "title": "docker container list",
                "readOnlyHint": false,
                "destructiveHint": true,
                "idempotentHint": false,
                "openWorldHint": true,
            },
        })
    );
}

#[test]
fn every_type_has_its_json_schema() {
    let cases = [
        (
            "string",
            None,
            json!({"type": "string", "description": "T"}),
        ),
        (
            "int",
            Some("30"),
            json!({"type": "integer", "description": "T", "default": 30}),
        ),
        (
            "int8",
            None,
            json!({"type": "integer", "description": "T", "minimum": -128, "maximum": 127}),
        ),
        (
            "uint",
            None,
            json!({"type": "integer", "description": "T", "minimum": 0}),
        ),
        (
            "uint32",
            None,
            json!({"type": "integer", "description": "T", "minimum": 0, "maximum": 4_294_967_295_u32}),
        ),
        (
            "float",
            Some("1.5"),
            json!({"type": "number", "description": "T", "default": 1.5}),
        ),
        ("bool", None, json!({"type": "boolean", "description": "T"})),
        ("time", None, json!({"type": "string", "description": "T"})),
        (
            "other<SizeSuffix>",
            Some("16Mi"),
            json!({"type": "string", "description": "T (type: SizeSuffix)", "default": "16Mi"}),
        ),
        (
            "switch",
            Some("true"),
            json!({"type": "boolean", "description": "T", "default": true}),
        ),
        (
            "count",
            None,
            json!({"type": "integer", "description": "T (incremental count)", "minimum": 0}),
        ),
        (
            "hex",
            None,
            json!({"type": "string", "description": "T", "pattern": "^(?:[0-9a-fA-F]{2})*$"}),
        ),
        (
            "csv<string>",
            Some("[a,b]"),
            json!({"type": "array", "description": "T (comma-separated)", "items": {"type": "string"}, "default": ["a", "b"]}),
        ),
        (
            "comma<int>",
            None,
            json!({"type": "array", "description": "T (comma-separated)", "items": {"type": "integer"}}),
        ),
        (
            "csv<bool>",
            None,
            json!({"type": "array", "description": "T (comma-separated)", "items": {"type": "boolean"}}),
        ),
        (
            "repeat<string>",
            None,
            json!({"type": "array", "description": "T", "items": {"type": "string"}}),
        ),
        (
            "map<string>",
            Some("[a=b]"),
            json!({"type": "object", "description": "T (key=value pairs)", "additionalProperties": {"type": "string"}, "default": {"a": "b"}}),
        ),
        (
            "map<int>",
            None,
            json!({"type": "object", "description": "T (key=value pairs)", "additionalProperties": {"type": "integer"}}),
        ),
    ];
    for (kind, default, expected) in cases {
        let schema = schema_of(flag("x", kind, "T", default), Layout::Flat);
        assert_eq!(schema, expected, "{kind}");
    }
    for kind in ["duration", "ip", "ip_net", "ip_mask", "hex", "base64"] {
        let one = schema_of(flag("x", kind, "T", None), Layout::Flat);
        let list = schema_of(
            flag("x", &format!("comma<{kind}>"), "T", None),
            Layout::Flat,
        );
        assert!(one["pattern"].is_string(), "{kind}");
        assert_eq!(one["pattern"], list["items"]["pattern"], "{kind}");
    }
}

#[test]
fn choices_become_an_enum_of_their_type() {
    let with = |kind: &str, choices: &[&str], default: Option<&str>| {
        let mut param = flag("x", kind, "", default);
        param.choices = choices.iter().map(|&choice| choice.to_owned()).collect();
        schema_of(param, Layout::Flat)
    };
    assert_eq!(
        with("string", &["open", "all"], Some("open")),
        json!({"type": "string", "enum": ["open", "all"], "default": "open"})
    );
    assert_eq!(
        with("string", &["open", "all"], Some("auto")),
        json!({"type": "string", "enum": ["open", "all"]})
    );
    assert_eq!(
        with("int", &["1", "2"], None),
        json!({"type": "integer", "enum": [1, 2]})
    );
    assert_eq!(
        with("csv<string>", &["a", "b"], None)["items"],
        json!({"type": "string", "enum": ["a", "b"]})
    );
}

#[test]
fn positionals_and_flags_are_siblings_the_required_ones_named() {
    let mut query = Param::positional("QUERY", "string".parse().unwrap());
    query.required = true;
    let files = Param::positional("file", "words<string>".parse().unwrap());
    let mut name = flag("app-name", "string", "Its name", None);
    name.required = true;
    let mut color = flag("color", "string", "", None);
    if let Role::Flag(spelling) = &mut color.role {
        spelling.bare = Some("auto".to_owned());
    }
    let command = CommandSpec {
        runnable: true,
        params: vec![name, color, query, files],
        ..CommandSpec::default()
    };
    let catalog = catalog("app", command, Inherited::All);
    assert_eq!(
        input(&catalog.tools()[0], Layout::Flat),
        json!({
            "$schema": DIALECT,
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "QUERY argument"},
                "file": {"type": "array", "description": "File argument", "items": {"type": "string"}},
                "app_name": {"type": "string", "description": "Its name"},
                "color": {"type": "string", "description": "(\"auto\" if given without a value)"},
            },
            "required": ["query", "app_name"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn a_description_is_the_summary_then_the_long_text_then_examples() {
    let command = CommandSpec {
        runnable: true,
        summary: "Do it".to_owned(),
        description: "Do it at length.".to_owned(),
        examples: "app --now".to_owned(),
        ..CommandSpec::default()
    };
    let catalog = catalog("app", command, Inherited::All);
    let tool = &catalog.tools()[0];
    assert_eq!(
        description(tool, Layout::Flat),
        "app: Do it\n\nDo it at length.\n\nExamples:\napp --now"
    );
    assert_eq!(
        description(tool, Layout::Nested),
        "Do it at length.\nExamples:\napp --now"
    );
}

#[test]
fn hints_are_those_of_the_worst_that_the_tool_can_do() {
    let with = |effect: Effect, raised: Option<Effect>| {
        let mut force = flag("force", "switch", "", None);
        force.effect = raised;
        let command = CommandSpec {
            runnable: true,
            effect,
            params: vec![force],
            ..CommandSpec::default()
        };
        let hints = annotations(&catalog("app", command, Inherited::All).tools()[0]);
        (hints.read_only, hints.destructive, hints.idempotent)
    };
    assert_eq!(with(Effect::Read, None), (true, false, true));
    assert_eq!(
        with(Effect::Read, Some(Effect::Write)),
        (false, false, false)
    );
    assert_eq!(
        with(Effect::Read, Some(Effect::Unknown)),
        (true, false, true),
        "a browser is opened"
    );
    assert_eq!(with(Effect::Write, None), (false, false, false));
    assert_eq!(
        with(Effect::Write, Some(Effect::Destructive)),
        (false, true, false)
    );
    assert_eq!(with(Effect::Destructive, None), (false, true, false));
    assert_eq!(with(Effect::Unknown, None), (false, true, false));
}

#[test]
fn a_thousand_inherited_flags_fold_into_a_line() {
    let inherited: Arc<[Param]> = (0..990)
        .map(|n| {
            flag(
                &format!("backend-option-{n}"),
                "string",
                "Some option of some backend",
                None,
            )
        })
        .collect();
    let command = CommandSpec {
        runnable: true,
        inherited,
        ..CommandSpec::default()
    };
    let listed = catalog("rclone", command.clone(), Inherited::All);
    let folded = catalog("rclone", command, Inherited::default());
    let tool = &folded.tools()[0];
    assert!(cost::of_catalog(&listed, Layout::Flat).bytes > 80_000);
    for layout in [Layout::Flat, Layout::Nested] {
        assert!(cost::of_catalog(&folded, layout).bytes < 700, "{layout:?}");
        assert_eq!(
            input(tool, layout)["properties"]["global_flags"],
            json!({
                "type": "object",
                "description": "Any of the 990 flags that rclone's commands share; \
                                resource argway://rclone/global-flags lists them",
            })
        );
    }
}

mod defined;
