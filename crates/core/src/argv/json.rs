//! The switch with which a program prints JSON, where it has one.

use super::groups::{self, Member};
use super::{Arguments, Given};
use crate::catalog::Tool;
use crate::catalog::names::Slot;
use crate::model::{Kind, Param, Scalar};

/// Flags that choose how output looks: whoever gives one of them has chosen.
const FORMATS: [&str; 3] = ["output", "format", "json"];
const CHOOSERS: [&str; 6] = [
    "template",
    "jq",
    "quiet",
    "output-format",
    "no-headers",
    "web",
];

/// Other words that help texts list beside `json`.
const SIBLINGS: [&str; 15] = [
    "yaml",
    "yml",
    "table",
    "text",
    "csv",
    "wide",
    "name",
    "xml",
    "toml",
    "plain",
    "tsv",
    "jsonpath",
    "template",
    "go-template",
    "jsonl",
];

/// A flag that makes the program print JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonSwitch {
    slot: Slot,
    given: Given,
    /// As it would be typed: `--output=json`.
    pub shown: String,
}

/// `tool`'s own JSON switch, where its help says that it has one and the caller
/// chose no format.
pub fn json_switch(tool: &Tool, arguments: &Arguments) -> Option<JsonSwitch> {
    let own = (0..tool.flags.len()).map(Slot::Own);
    let inherited = (0..tool.inherited.len()).map(Slot::Inherited);
    let slots: Vec<Slot> = own.chain(inherited).collect();
    let chose = |slot: &Slot| {
        let name = tool.param(*slot).name.as_str();
        arguments.has(*slot) && (FORMATS.contains(&name) || CHOOSERS.contains(&name))
    };
    if slots.iter().any(chose) {
        return None;
    }
    let used = arguments.given.iter().filter(|(_, given)| given.is_used());
    let asked = used.map(|(slot, _)| Member::Param(*slot)).collect();
    FORMATS.iter().find_map(|wanted| {
        slots.iter().find_map(|&slot| {
            let param = tool.param(slot);
            if param.name != *wanted || groups::is_excluded(tool, slot, &asked) {
                return None;
            }
            let long = param.spelling()?.long.clone()?;
            match &param.kind {
                Kind::Switch if *wanted == "json" => Some(JsonSwitch {
                    slot,
                    given: Given::Switch(true),
                    shown: long,
                }),
                Kind::One(Scalar::String | Scalar::Other(_)) if takes_json(param) => {
                    Some(JsonSwitch {
                        slot,
                        given: Given::One("json".to_owned()),
                        shown: format!("{long}=json"),
                    })
                }
                _ => None,
            }
        })
    })
}

impl Arguments {
    /// These arguments with the JSON switch on.
    pub fn with_json(mut self, switch: &JsonSwitch) -> Self {
        self.insert(switch.slot, switch.given.clone());
        self
    }
}

/// Whether the help says that `json` is a value, not only that JSON comes out.
fn takes_json(param: &Param) -> bool {
    if !param.choices.is_empty() {
        return param.choices.iter().any(|choice| choice == "json");
    }
    let name = match &param.kind {
        Kind::One(Scalar::Other(name)) => name.as_str(),
        _ => "",
    };
    let placeholders = [name, param.value_name.as_deref().unwrap_or("")];
    if placeholders
        .iter()
        .any(|text| words(text).any(|word| word == "json") && words(text).count() > 1)
    {
        return true;
    }
    let text = param.text.to_lowercase();
    let names_file =
        words(&text).any(|word| matches!(word, "file" | "filename" | "path" | "directory"));
    if names_file && !text.contains("format") {
        return false;
    }
    let quoted = ["\"json\"", "'json'", "`json`"]
        .iter()
        .any(|form| text.contains(form));
    let listed = words(&text).any(|word| word == "json")
        && words(&text).any(|word| SIBLINGS.contains(&word));
    quoted || listed
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !(char.is_alphanumeric() || char == '-'))
        .filter(|word| !word.is_empty())
}
