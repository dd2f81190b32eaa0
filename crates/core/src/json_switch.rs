//! Finds a command's own switch for JSON output: `--output json`, `--format json`,
//! `--json`.
//!
//! Asking for it is only safe where the program itself says that the value exists,
//! so a flag counts by what its choices or its text say, not by its name alone.

use serde_json::{Map, Value, json};

use crate::catalog::{Layout, Tool};
use crate::model::{Kind, Param, Scalar};

/// Flags that take the name of a format.
const FORMAT_FLAGS: [&str; 3] = ["output", "format", "output-format"];

/// Flags that choose the shape of the output by other means, or send it elsewhere.
const RIVALS: [&str; 8] = [
    "template",
    "go-template",
    "jq",
    "jsonpath",
    "json",
    "quiet",
    "web",
    "watch",
];

/// `arguments` with the switch for JSON added; nothing where the command has none or
/// the caller chose already.
pub fn added(
    tool: &Tool,
    layout: Layout,
    arguments: &Map<String, Value>,
) -> Option<Map<String, Value>> {
    let own = tool.flags.iter().map(|param| (param, false));
    let inherited = (tool.inherited.iter()).map(|param| (param, tool.folded));
    let (param, value, folded) = own
        .chain(inherited)
        .find_map(|(param, folded)| Some((param, json_value(param)?, folded)))?;
    let chosen = |name: &str| given(arguments, name);
    if FORMAT_FLAGS.iter().chain(&RIVALS).any(|name| chosen(name)) {
        return None;
    }
    let mut arguments = arguments.clone();
    let place = match layout {
        Layout::Nested => object(&mut arguments, "flags")?,
        Layout::Flat if folded => object(&mut arguments, "global_flags")?,
        Layout::Flat => &mut arguments,
    };
    place.insert(param.name.clone(), value);
    Some(arguments)
}

/// The value of `param` that means JSON.
fn json_value(param: &Param) -> Option<Value> {
    if param.deprecated.is_some() || param.hidden {
        return None;
    }
    match &param.kind {
        Kind::Switch => (param.name == "json").then(|| json!(true)),
        Kind::One(Scalar::String | Scalar::Other(_)) if FORMAT_FLAGS.contains(&param.name.as_str()) => {
            names_json(param).then(|| json!("json"))
        }
        _ => None,
    }
}

/// Whether the program says that `json` is a value of `param`, which takes a format
/// and not the name of a file.
fn names_json(param: &Param) -> bool {
    if !param.choices.is_empty() {
        return param.choices.iter().any(|choice| choice == "json");
    }
    let text = param.text.to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .collect();
    let says = |word: &str| words.contains(&word);
    let format = says("format") || says("formats") || says("yaml") || says("table");
    says("json") && format && !says("path") && !says("filename")
}

/// Whether the caller gave `name`, wherever flags may stand.
fn given(arguments: &Map<String, Value>, name: &str) -> bool {
    let key = name.replace('-', "_");
    let here = |map: &Map<String, Value>| {
        [name, &key].iter().any(|name| {
            let value = map.get(*name);
            value.is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
        })
    };
    let inside = |name| arguments.get(name).and_then(Value::as_object).is_some_and(here);
    here(arguments) || inside("flags") || inside("global_flags")
}

fn object<'a>(arguments: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Map<String, Value>> {
    let place = arguments.entry(name).or_insert_with(|| json!({}));
    if place.is_null() {
        *place = json!({});
    }
    place.as_object_mut()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{CommandSpec, Family, Program};

    fn tool(flags: Vec<Param>, inherited: Vec<Param>, folded: bool) -> Tool {
        let program = Program {
            name: "demo".to_owned(),
            executable: None,
            version: None,
            family: Family::Cobra,
            commands: vec![CommandSpec::default()],
        };
        Tool {
            name: "demo".to_owned(),
            program: Arc::new(program),
            command: 0,
            flags,
            inherited: inherited.into(),
            folded,
            positionals: Vec::new(),
            reserved: Vec::new(),
        }
    }

    fn flag(name: &str, kind: &str, text: &str) -> Param {
        let mut param = Param::flag(name, kind.parse().expect("a kind"));
        param.text = text.to_owned();
        param
    }

    #[track_caller]
    fn check(tool: &Tool, layout: Layout, arguments: Value, expected: Option<Value>) {
        let arguments = arguments.as_object().expect("an object");
        let added = added(tool, layout, arguments).map(Value::Object);
        assert_eq!(added, expected);
    }

    #[test]
    fn a_flag_whose_text_lists_json_is_set() {
        for (name, text) in [
            ("output", "Output format. One of: (json, yaml, go-template-file)."),
            ("output", "prints the output in the specified format. Allowed values: table, json, yaml"),
            ("format", "Format output using a custom template: 'table', 'json': Print in JSON format"),
        ] {
            let tool = tool(vec![flag(name, "string", text)], vec![], false);
            check(&tool, Layout::Flat, json!({}), Some(json!({ name: "json" })));
            check(&tool, Layout::Nested, json!({"args": ["x"]}), Some(json!({"args": ["x"], "flags": {name: "json"}})));
        }
    }

    #[test]
    fn a_flag_that_takes_a_file_or_other_formats_is_left_alone() {
        for (name, kind, text) in [
            ("output", "string", "Write to a file instead of stdout"),
            ("output", "string", "path of the JSON report, in which format you like"),
            ("format", "string", "One of: text, dot"),
            ("json", "csv<string>", "Output JSON with the specified fields"),
            ("jsonify", "switch", "Print JSON"),
        ] {
            let tool = tool(vec![flag(name, kind, text)], vec![], false);
            check(&tool, Layout::Flat, json!({}), None);
        }
    }

    #[test]
    fn a_choice_of_the_caller_stands() {
        let format = flag("output", "string", "One of: json|yaml format");
        let tool = tool(vec![format, flag("template", "string", "")], vec![], false);
        for chosen in [
            json!({"output": "yaml"}),
            json!({"template": "{{.}}"}),
            json!({"flags": {"output": "name"}}),
        ] {
            check(&tool, Layout::Flat, chosen, None);
        }
        check(
            &tool,
            Layout::Flat,
            json!({"output": null}),
            Some(json!({"output": "json"})),
        );
    }

    #[test]
    fn a_folded_flag_goes_into_its_object() {
        let json = flag("json", "switch", "Print JSON");
        check(
            &tool(vec![], vec![json.clone()], true),
            Layout::Flat,
            json!({"name": "x"}),
            Some(json!({"name": "x", "global_flags": {"json": true}})),
        );
        check(
            &tool(vec![], vec![json], false),
            Layout::Flat,
            json!({}),
            Some(json!({"json": true})),
        );
    }
}
