//! The door of a call: JSON in, checked arguments or every problem out.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{ArgumentError, Arguments, Given, encode, value};
use crate::catalog::names::{GLOBAL_FLAGS, Property, STDIN, Slot, is_spelled, nearest};
use crate::catalog::{Layout, Tool};

/// Characters of a wrong value that an error shows.
const SHOWN: usize = 60;

impl Arguments {
    /// Checks `json` against what `tool` takes.
    ///
    /// `null` means absent. `"true"` and `"5"` are taken for booleans and numbers,
    /// integers for strings, a single value for a list of one.
    pub fn check(
        tool: &Tool,
        layout: Layout,
        json: &Map<String, Value>,
    ) -> Result<Self, ArgumentError> {
        let mut door = Door::new(tool, layout);
        match layout {
            Layout::Flat => door.flat(json),
            Layout::Nested => door.nested(json),
        }
        door.required();
        door.gaps();
        let arguments = Arguments {
            given: door
                .given
                .into_iter()
                .map(|(slot, (_, given))| (slot, given))
                .collect(),
            args: door.args,
            stdin: door.stdin,
        };
        let mut problems = door.problems;
        if let Err(error) = encode::encode(tool, &arguments) {
            problems.extend(error.problems);
        }
        match problems.is_empty() {
            true => Ok(arguments),
            false => Err(ArgumentError { problems }),
        }
    }

    /// Whether the caller gave the parameter at `slot`.
    pub(super) fn has(&self, slot: Slot) -> bool {
        self.given.iter().any(|(given, _)| *given == slot)
    }

    /// Adds a value for `slot`, in its place.
    pub(super) fn insert(&mut self, slot: Slot, given: Given) {
        let at = self.given.partition_point(|(before, _)| *before < slot);
        self.given.insert(at, (slot, given));
    }
}

struct Door<'a> {
    tool: &'a Tool,
    layout: Layout,
    properties: Vec<Property<'a>>,
    /// What was given, with the key it was given under.
    given: BTreeMap<Slot, (String, Given)>,
    /// Parameters whose value was refused: given, as far as requirements go.
    refused: Vec<Slot>,
    args: Vec<String>,
    stdin: Option<String>,
    problems: Vec<String>,
}

impl<'a> Door<'a> {
    fn new(tool: &'a Tool, layout: Layout) -> Self {
        Self {
            tool,
            layout,
            properties: tool.properties(layout),
            given: BTreeMap::new(),
            refused: Vec::new(),
            args: Vec::new(),
            stdin: None,
            problems: Vec::new(),
        }
    }

    fn flat(&mut self, json: &Map<String, Value>) {
        for (key, value) in json {
            match key.as_str() {
                GLOBAL_FLAGS if self.tool.folded => self.global(value),
                STDIN if self.tool.stdin => self.stdin(value),
                key => self.take(key, value),
            }
        }
    }

    fn nested(&mut self, json: &Map<String, Value>) {
        for (key, value) in json {
            match (key.as_str(), value) {
                ("flags", Value::Object(flags)) => {
                    for (key, value) in flags {
                        self.take(key, value);
                    }
                }
                ("flags" | "args", Value::Null) => {}
                ("flags", wrong) => self.wrong("flags", "an object", wrong),
                ("args", value) => self.args(value),
                (STDIN, value) if self.tool.stdin => self.stdin(value),
                (GLOBAL_FLAGS, value) if self.tool.folded => self.global(value),
                (unknown, _) => {
                    let names = ["flags", "args"];
                    let hint = match self.find(unknown) {
                        Some(_) => "; flags go into `flags`".to_owned(),
                        None => did_you_mean(unknown, names),
                    };
                    self.problems
                        .push(format!("`{unknown}` is not an argument{hint}"));
                }
            }
        }
    }

    fn stdin(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.stdin = Some(text.clone()),
            Value::Null => {}
            wrong => self.wrong(STDIN, "a string", wrong),
        }
    }

    fn args(&mut self, value: &Value) {
        let values = match value {
            Value::Array(values) => values.as_slice(),
            // Several words in one string could be one argument or several.
            Value::String(text) if text.contains(char::is_whitespace) => {
                return self.wrong("args", "an array of strings", value);
            }
            single => std::slice::from_ref(single),
        };
        for value in values {
            match value::text(&crate::model::Scalar::String, value) {
                Ok(word) => self.args.push(word),
                Err(_) => self.wrong("args", "an array of strings", value),
            }
        }
    }

    fn global(&mut self, value: &Value) {
        match value {
            Value::Object(flags) => {
                for (key, value) in flags {
                    match self.tool.find_global(self.layout, key) {
                        Some(slot) => self.put(slot, key, value),
                        None => {
                            let flags = self.tool.global_properties(self.layout);
                            let hint =
                                did_you_mean(key, flags.iter().map(|flag| flag.name.as_str()));
                            self.problems
                                .push(format!("`{key}` is not a global flag{hint}"));
                        }
                    }
                }
            }
            Value::Null => {}
            wrong => self.wrong(GLOBAL_FLAGS, "an object", wrong),
        }
    }

    fn find(&self, key: &str) -> Option<Slot> {
        lookup(&self.properties, key)
            .map(|property| property.slot)
            .or_else(|| self.tool.find_global(self.layout, key))
    }

    fn take(&mut self, key: &str, value: &Value) {
        match self.find(key) {
            Some(slot) => self.put(slot, key, value),
            None => {
                let folded = self.tool.global_properties(self.layout);
                let names = self.properties.iter().chain(&folded);
                let hint = did_you_mean(key, names.map(|property| property.name.as_str()));
                self.problems
                    .push(format!("`{key}` is not an argument of this tool{hint}"));
            }
        }
    }

    fn put(&mut self, slot: Slot, key: &str, value: &Value) {
        if value.is_null() {
            return;
        }
        if let Some((before, _)) = self.given.get(&slot) {
            self.problems
                .push(format!("`{before}` and `{key}` are the same argument"));
            return;
        }
        match value::given(self.tool.param(slot), value) {
            Ok(given) => {
                self.given.insert(slot, (key.to_owned(), given));
            }
            Err(expected) => {
                self.refused.push(slot);
                self.wrong(key, &expected, value);
            }
        }
    }

    fn wrong(&mut self, key: &str, expected: &str, value: &Value) {
        let mut shown = value.to_string();
        if let Some((end, _)) = shown.char_indices().nth(SHOWN) {
            shown.truncate(end);
            shown.push('…');
        }
        self.problems
            .push(format!("`{key}` takes {expected}, not {shown}"));
    }

    fn required(&mut self) {
        for property in self.properties.iter().filter(|it| it.param.required) {
            let missing = match self.given.get(&property.slot) {
                Some((_, Given::Many(values))) => values.is_empty() && !property.param.is_flag(),
                Some(_) => false,
                None => !self.refused.contains(&property.slot),
            };
            if missing {
                self.problems
                    .push(format!("`{}` is required", property.name));
            }
        }
    }

    /// An optional positional cannot be given without those before it: it would
    /// be read in their place. Behind the `--` of a usage line they begin anew.
    fn gaps(&mut self) {
        let anew = encode::first_after_dashes(self.tool).map(Slot::Positional);
        let mut omitted: Option<&str> = None;
        for property in &self.properties {
            if Some(property.slot) == anew {
                omitted = None;
            }
            if property.param.is_flag() || property.param.required {
                continue;
            }
            let given = match self.given.get(&property.slot) {
                Some((_, Given::Many(values))) => !values.is_empty(),
                Some(_) => true,
                None => false,
            };
            match (given, omitted) {
                (false, None) => omitted = Some(&property.name),
                (true, Some(before)) => {
                    self.problems.push(format!(
                        "`{}` can only be given together with `{before}`, which stands before it",
                        property.name
                    ));
                }
                (true, None) | (false, Some(_)) => {}
            }
        }
    }
}

/// The property that `key` names: as the schema does, or as the program does.
fn lookup<'p, 'a>(properties: &'p [Property<'a>], key: &str) -> Option<&'p Property<'a>> {
    properties
        .iter()
        .find(|property| property.name == key)
        .or_else(|| {
            properties
                .iter()
                .find(|property| is_spelled(property.param, key))
        })
}

fn did_you_mean<'n>(key: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(key.trim_start_matches('-'), names)
        .map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
