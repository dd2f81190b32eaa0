//! Reads the tools of real servers, and our own: every property must be reachable
//! by a flag, and what the flag sends must be what was typed.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use argway_core::argv::{OwnFlag, Source, decode};
use argway_core::catalog::{Catalog, Inherited, Layout, Selection};
use argway_core::schema;
use argway_core::sources::cobra::{self, Options};
use argway_core::sources::tool::{Accepts, ToolSpec, output_fields};
use argway_core::sources::transcript::Transcript;
use serde_json::Value;
use serde_json::value::RawValue;
use snapbox::{assert_data_eq, str};

const TAKEN: [&str; 8] = [
    "cache", "no-cache", "timeout", "json", "verbose", "quiet", "version", "help",
];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// The tools that a server lists, each as it was sent.
fn listed(server: &str) -> Vec<Box<RawValue>> {
    let text = std::fs::read_to_string(corpus().join(format!("mcp/{server}.json"))).unwrap();
    let mut answer: BTreeMap<String, Vec<Box<RawValue>>> = serde_json::from_str(&text).unwrap();
    answer.remove("tools").unwrap()
}

fn servers() -> Vec<String> {
    let mut servers: Vec<String> = std::fs::read_dir(corpus().join("mcp"))
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".json").map(str::to_owned)
        })
        .collect();
    servers.sort();
    servers
}

fn tool(server: &str, name: &str) -> ToolSpec {
    listed(server)
        .iter()
        .map(|raw| ToolSpec::read(raw, &TAKEN).unwrap())
        .find(|tool| tool.name == name)
        .unwrap()
}

/// A word that `accepts` takes, and the JSON it is.
fn sample(accepts: &Accepts) -> (String, Value) {
    let same = |text: &str| (text.to_owned(), serde_json::from_str(text).unwrap());
    match accepts {
        Accepts::Text | Accepts::Anything => ("some text".to_owned(), "some text".into()),
        Accepts::Integer => same("9007199254740993"),
        Accepts::Number => same("0.1"),
        Accepts::Boolean => same("false"),
        Accepts::Choice(choices) => (accepts.words().remove(0), choices[0].clone()),
        Accepts::AnyOf(alternatives) => sample(alternatives.last().unwrap()),
        Accepts::List(item) => {
            let (word, value) = sample(item);
            match item.list_item() {
                Some(_) => (value.to_string(), vec![value].into()),
                None => (word, vec![value].into()),
            }
        }
        Accepts::Object => same(r#"{"a":{"b":1}}"#),
        Accepts::Null => same("null"),
    }
}

/// What must hold for any tool: `declared` and `required` are what its schema says.
#[track_caller]
fn check(tool: &ToolSpec, declared: &BTreeSet<&str>, required: &BTreeSet<&str>) {
    let name = &tool.name;
    let properties = |only_required: bool| -> BTreeSet<&str> {
        let params = tool.params.iter();
        params
            .filter(|param| param.required || !only_required)
            .map(|param| param.property.as_str())
            .collect()
    };
    assert_eq!(&properties(false), declared, "{name}");
    assert_eq!(&properties(true), required, "{name}");

    let mut spellings = BTreeSet::new();
    let mut line = Vec::new();
    let mut expected = serde_json::Map::new();
    for param in &tool.params {
        assert!(
            !TAKEN.contains(&param.flag.as_str()),
            "{name} {}",
            param.flag
        );
        for spelling in param.spellings() {
            assert!(spellings.insert(spelling), "{name} {spelling}");
        }
        let (word, value) = sample(&param.accepts);
        line.push(format!("--{}={word}", param.flag));
        expected.insert(param.property.clone(), value);
    }
    let none: &[OwnFlag<()>] = &[];
    match decode(tool, none, &line).map(|decoded| decoded.arguments) {
        Ok(Source::Flags(json)) => {
            let arguments: Value = serde_json::from_str(json.get()).unwrap();
            assert_eq!(arguments, Value::Object(expected), "{name} {line:?}");
        }
        Ok(Source::Nothing) => assert!(tool.params.is_empty(), "{name}"),
        other => panic!("{name} {line:?}: {other:?}"),
    }
}

#[test]
fn every_property_of_every_tool_has_a_flag() {
    let mut count = 0;
    for server in servers() {
        for raw in listed(&server) {
            let tool = ToolSpec::read(&raw, &TAKEN).unwrap();
            let said: Value = serde_json::from_str(raw.get()).unwrap();
            let schema = &said["inputSchema"];
            let properties = schema["properties"].as_object();
            let declared = properties.into_iter().flatten();
            let declared = declared.map(|(name, _)| name.as_str()).collect();
            let required = schema["required"].as_array().into_iter().flatten();
            let required = required.filter_map(Value::as_str).collect();
            check(&tool, &declared, &required);
            let is_closed = schema["additionalProperties"] == Value::Bool(false);
            assert_eq!(tool.open, !is_closed, "{server} {}", tool.name);
            assert!(!tool.summary().contains('\n') && !tool.summary().is_empty());
            count += 1;
        }
    }
    assert!(count > 150, "{count}");
}

#[test]
fn nothing_of_a_real_schema_is_too_hard() {
    for server in servers() {
        for raw in listed(&server) {
            let tool = ToolSpec::read(&raw, &TAKEN).unwrap();
            for param in &tool.params {
                let place = format!("{server} {} {}", tool.name, param.property);
                assert_ne!(param.accepts, Accepts::Anything, "{place}");
            }
        }
    }
}

#[test]
fn our_own_tools_are_commands_again() {
    for program in ["kind", "gh", "docker"] {
        let folder = corpus().join("cobra").join(program);
        let files = std::fs::read_dir(folder).unwrap().map(|entry| {
            let entry = entry.unwrap();
            let bytes = std::fs::read(entry.path()).unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, String::from_utf8_lossy(&bytes).into_owned())
        });
        let mut transcript = Transcript::new(files.collect()).unwrap();
        let reading = cobra::read(program, &mut transcript, Options { oracle: true }).unwrap();
        let catalog = Catalog::build(
            &[reading.program.into()],
            &Selection::default(),
            Inherited::default(),
        )
        .unwrap();
        for ours in catalog.tools() {
            let listed = schema::tool(ours, Layout::Flat);
            let raw = serde_json::value::to_raw_value(&listed).unwrap();
            let tool = ToolSpec::read(&raw, &TAKEN).unwrap();
            let input = schema::input(ours, Layout::Flat);
            let declared = input["properties"].as_object().into_iter().flatten();
            let declared = declared.map(|(name, _)| name.as_str()).collect();
            let required = input["required"].as_array().into_iter().flatten();
            let required = required.filter_map(Value::as_str).collect();
            check(&tool, &declared, &required);
            assert!(!tool.open, "{}", tool.name);
            for param in &tool.params {
                assert_ne!(
                    param.accepts,
                    Accepts::Anything,
                    "{} {}",
                    tool.name,
                    param.flag
                );
            }
        }
    }
}

fn synopsis(tool: &ToolSpec) -> String {
    let lines = tool.params.iter().map(|param| {
        let required = match param.required {
            true => " required",
            false => "",
        };
        let default = param.default.as_ref().map(|default| format!(" ={default}"));
        format!(
            "--{} {}{required}{}\n",
            param.flag,
            param.accepts.placeholder(),
            default.unwrap_or_default()
        )
    });
    lines.collect()
}

#[test]
fn flags_look_as_they_should() {
    assert_data_eq!(
        synopsis(&tool("chrome-devtools", "new_page")),
        str![[r#"
--url STRING required
--background true|false
--isolated-context STRING
--tool-timeout INTEGER

"#]]
    );
    assert_data_eq!(
        synopsis(&tool("aws-documentation", "search_documentation")),
        str![[r#"
--search-phrase STRING required
--search-intent STRING =""
--limit INTEGER =10
--product-types STRING
--guide-types STRING

"#]]
    );
    assert_data_eq!(
        synopsis(&tool("github", "list_issues")),
        str![[r#"
--owner STRING required
--repo STRING required
--direction asc|desc
--labels STRING
--page NUMBER
--per-page NUMBER
--since STRING
--sort created|updated|comments
--state open|closed|all

"#]]
    );
    assert_data_eq!(
        synopsis(&tool("notion", "API-post-search")),
        str![[r#"
--query STRING
--sort JSON|STRING
--filter JSON|STRING
--start-cursor STRING
--page-size INTEGER =100

"#]]
    );
    assert_data_eq!(
        synopsis(&tool("git", "git_log")),
        str![[r#"
--repo-path STRING required
--max-count INTEGER =10
--start-timestamp STRING
--end-timestamp STRING

"#]]
    );
}

fn output(tool: &ToolSpec) -> String {
    let fields = output_fields(tool.output.as_ref().unwrap()).into_iter();
    fields
        .map(|field| format!("{}: {}\n", field.path, field.kind))
        .collect()
}

#[test]
fn outputs_look_as_they_should() {
    assert_data_eq!(
        output(&tool("memory", "read_graph")),
        str![[r#"
entities[].name: string
entities[].entityType: string
entities[].observations[]: string
relations[].from: string
relations[].to: string
relations[].relationType: string

"#]]
    );
    assert_data_eq!(
        output(&tool("aws-documentation", "search_documentation")),
        str![[r#"
search_results[]: object
search_results[].rank_order: integer
search_results[].url: string
search_results[].title: string
search_results[].context: string | null
search_results[].recommended_sections: array | null
search_results[].recommended_sections[]: string
search_results[].sections: array | null
search_results[].sections[]: string
search_results[].metadata: object | null
search_results[].metadata.additional_urls: array | null
search_results[].metadata.additional_urls[]: object
search_results[].metadata.additional_urls[].url: string
search_results[].metadata.additional_urls[].section_title: string | null
search_results[].metadata.additional_urls[].section_anchor: string | null
facets: object | null
facets.*[]: string
query_id: string
metadata: object | null
metadata.discovered_services: array | null
metadata.discovered_services[]: object
metadata.discovered_services[].name: string
metadata.discovered_services[].description: string | null
metadata.related_tasks: array | null
metadata.related_tasks[]: object
metadata.related_tasks[].name: string
metadata.related_tasks[].description: string | null
metadata.related_tasks[].urls: array | null
metadata.related_tasks[].urls[]: object
metadata.related_tasks[].urls[].url_name: string
metadata.related_tasks[].urls[].url_description: string | null
metadata.relationships: array | null
metadata.relationships[]: object
metadata.relationships[].relation: string | null
metadata.relationships[].to: string | null
metadata.relationships[].to_description: string | null
metadata.relationships[].from: string | null

"#]]
    );
    assert_data_eq!(
        output(&tool("time", "get_current_time")),
        str![[r#"
timezone: string
datetime: string
day_of_week: string
is_dst: boolean

"#]]
    );
}
