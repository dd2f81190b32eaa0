//! The door of a call: JSON in, checked arguments or every problem out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::groups::{self, Member};
use super::stdin::{self, NotStdin};
use super::{ArgumentError, Arguments, Given, SecretText, encode, value};
use crate::catalog::names::{GLOBAL_FLAGS, Property, STDIN, Slot, is_spelled, nearest};
use crate::catalog::{Layout, Tool};
use crate::model::{Family, Kind, Secret};
use crate::schema;

/// Characters of a wrong value that an error shows.
const SHOWN: usize = 60;

impl Arguments {
    /// Checks `json` against what `tool` takes.
    ///
    /// `null` means absent. `"true"` and `"5"` are taken for booleans and numbers,
    /// integers for strings, a single value for a list of one. What a definition
    /// gives a default is given it where the caller did not.
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
        let asked = door.asked();
        door.inject(&asked);
        door.required();
        door.gaps();
        door.groups(&asked);
        door.reads_once();
        let arguments = Arguments {
            given: door
                .given
                .into_iter()
                .map(|(slot, (_, given))| (slot, given))
                .collect(),
            args: door.args,
            stdin: door.stdin,
            secrets: door
                .secrets
                .into_iter()
                .map(|(slot, (_, secret))| (slot, secret))
                .collect(),
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

    /// The parameters that are given something.
    pub(super) fn used(&self) -> BTreeSet<Member> {
        let used = self.given.iter().filter(|(_, given)| given.is_used());
        let secret = self.secrets.iter().map(|(slot, _)| *slot);
        let slots = used.map(|(slot, _)| *slot).chain(secret);
        slots.map(Member::Param).collect()
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
    /// Positionals that the layout has no property for, and whose words are checked.
    words: Vec<Property<'a>>,
    /// What was given, with the key it was given under.
    given: BTreeMap<Slot, (String, Given)>,
    /// The same for what must not be shown.
    secrets: BTreeMap<Slot, (String, SecretText)>,
    /// Parameters whose value was refused: given, as far as requirements go.
    refused: Vec<Slot>,
    args: Vec<String>,
    stdin: Option<Vec<u8>>,
    problems: Vec<String>,
}

impl<'a> Door<'a> {
    fn new(tool: &'a Tool, layout: Layout) -> Self {
        Self {
            tool,
            layout,
            properties: tool.properties(layout),
            words: match (layout, tool.program.family) {
                (Layout::Nested, Family::Definition) => positionals(tool),
                _ => Vec::new(),
            },
            given: BTreeMap::new(),
            secrets: BTreeMap::new(),
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
        if value.is_null() {
            return;
        }
        // What is wrong with it is said once: it was given, as far as requirements go.
        let bytes = stdin::bytes(stdin::format(self.tool), value);
        self.stdin = Some(bytes.unwrap_or_else(|error| {
            match error {
                NotStdin::Takes(expected) => self.wrong(STDIN, expected, value),
                NotStdin::Problem(problem) => self.problems.push(format!("`{STDIN}` {problem}")),
            }
            Vec::new()
        }));
    }

    fn args(&mut self, value: &Value) {
        if let Some(property) = self.words.first()
            && property.param.kind == Kind::Line
        {
            return self.put(property.slot, &property.name.clone(), value);
        }
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
        if self.tool.program.family == Family::Definition {
            self.place();
        }
    }

    /// Gives the words of `args` to the positionals that a definition names, so that
    /// they are checked like any other value.
    fn place(&mut self) {
        let mut words = std::mem::take(&mut self.args).into_iter();
        let places: Vec<(Slot, String, &Kind)> = self
            .words
            .iter()
            .map(|property| (property.slot, property.name.clone(), &property.param.kind))
            .collect();
        let mut behind = places.len();
        for (slot, name, kind) in places {
            behind -= 1;
            let Some(word) = words.next() else {
                return;
            };
            let value = match kind {
                // What stands behind it is required, and counted from the end.
                Kind::List(..) | Kind::Line => {
                    let more = words.len().saturating_sub(behind);
                    Value::from_iter(std::iter::once(word).chain(words.by_ref().take(more)))
                }
                Kind::Switch | Kind::Count | Kind::One(_) | Kind::Map(_) => Value::from(word),
            };
            self.put(slot, &name, &value);
        }
        if let Some(word) = words.next() {
            self.problems.push(format!(
                "{word:?} is one word too many: `{}` takes {} of them",
                self.tool.command_line(),
                self.words.len()
            ));
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
                let key: String = key.chars().take(SHOWN).collect();
                self.problems
                    .push(format!("`{key}` is not an argument of this tool{hint}"));
            }
        }
    }

    fn put(&mut self, slot: Slot, key: &str, value: &Value) {
        if value.is_null() {
            return;
        }
        let before = self.given.get(&slot).map(|(before, _)| before);
        if let Some(before) = before.or(self.secrets.get(&slot).map(|(before, _)| before)) {
            self.problems
                .push(format!("`{before}` and `{key}` are the same argument"));
            return;
        }
        let tool = self.tool;
        let param = tool.param(slot);
        match (value::given(param, value), &param.secret) {
            (Ok(given), None) => {
                self.given.insert(slot, (key.to_owned(), given));
            }
            (Ok(Given::One(secret)), Some(way)) => {
                if matches!(way, Secret::Environment(_)) && secret.contains('\0') {
                    self.problems.push(format!(
                        "`{key}` holds a NUL byte, which no variable can carry"
                    ));
                }
                let secret = SecretText::new(secret);
                self.secrets.insert(slot, (key.to_owned(), secret));
            }
            (Ok(_), Some(_)) => {
                self.refused.push(slot);
                self.problems
                    .push(format!("`{key}` is a secret and takes one value"));
            }
            // Not even a wrong value of it is shown.
            (Err(expected), Some(_)) => {
                self.refused.push(slot);
                self.problems.push(format!("`{key}` takes {expected}"));
            }
            (Err(expected), None) => {
                self.refused.push(slot);
                self.wrong(key, &expected, value);
            }
        }
    }

    /// What was asked for so far. A value that was refused was meant all the same.
    fn asked(&self) -> BTreeSet<Member> {
        let given = self.given.iter().filter(|(_, (_, given))| given.is_used());
        given
            .map(|(slot, _)| *slot)
            .chain(self.secrets.keys().copied())
            .chain(self.refused.iter().copied())
            .map(Member::Param)
            .chain(self.stdin.is_some().then_some(Member::Stdin))
            .collect()
    }

    /// Gives defaults where the definition says so and the caller gave nothing, not
    /// even something that excludes them.
    fn inject(&mut self, asked: &BTreeSet<Member>) {
        let tool = self.tool;
        let own = (0..tool.flags.len()).map(Slot::Own);
        let inherited = (0..tool.inherited.len()).map(Slot::Inherited);
        let positional = (0..tool.positionals.len()).map(Slot::Positional);
        // Behind an optional positional that is not there, one would be read in its place.
        let mut gap = false;
        for slot in own.chain(inherited).chain(positional) {
            let param = tool.param(slot);
            let mut known = self.given.contains_key(&slot)
                || self.secrets.contains_key(&slot)
                || self.refused.contains(&slot);
            if let Some(default) = schema::injected(param)
                && !(known || gap || groups::is_excluded(tool, &param.name, asked))
            {
                let name = self.name_of(slot);
                self.put(slot, &name, &default);
                known = true;
            }
            gap |= !(known || param.is_flag() || param.required || param.secret.is_some());
        }
    }

    fn groups(&mut self, asked: &BTreeSet<Member>) {
        let mut present = self.asked();
        present.extend(asked);
        let shown = |member| match member {
            Member::Param(slot) => self.name_of(slot),
            Member::Stdin => STDIN.to_owned(),
        };
        let problems = groups::problems(self.tool, asked, &present, shown);
        self.problems.extend(problems);
    }

    /// A command reads one thing: what the caller gives it, or a secret.
    fn reads_once(&mut self) {
        let mut readers: Vec<String> = self
            .secrets
            .iter()
            .filter(|(slot, _)| self.tool.param(**slot).secret == Some(Secret::Stdin))
            .map(|(_, (key, _))| format!("`{key}`"))
            .collect();
        readers.extend(self.stdin.is_some().then(|| format!("`{STDIN}`")));
        if readers.len() > 1 {
            self.problems.push(format!(
                "{} cannot be given together: the command reads each from its stdin",
                readers.join(" and ")
            ));
        }
    }

    /// What the caller knows the parameter at `slot` by.
    fn name_of(&self, slot: Slot) -> String {
        let named = |properties: &[Property<'_>]| {
            let property = properties.iter().find(|property| property.slot == slot)?;
            Some(property.name.clone())
        };
        named(&self.properties)
            .or_else(|| named(&self.words))
            .or_else(|| named(&self.tool.global_properties(self.layout)))
            .unwrap_or_else(|| self.tool.param(slot).name.clone())
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
        let all = self.properties.iter().chain(&self.words);
        for property in all.filter(|it| it.param.required) {
            let missing = match self.given.get(&property.slot) {
                Some((_, Given::Many(values))) => values.is_empty() && !property.param.is_flag(),
                Some(_) => false,
                None => {
                    !self.refused.contains(&property.slot)
                        && !self.secrets.contains_key(&property.slot)
                }
            };
            if missing {
                self.problems
                    .push(format!("`{}` is required", property.name));
            }
        }
        let run = self.tool.spec().run.as_ref();
        let reads = run.and_then(|run| run.stdin.as_ref());
        if reads.is_some_and(|stdin| stdin.required) && self.stdin.is_none() {
            self.problems.push(format!("`{STDIN}` is required"));
        }
    }

    /// An optional positional cannot be given without those before it: it would
    /// be read in their place. Behind the `--` of a usage line they begin anew.
    fn gaps(&mut self) {
        let anew = encode::first_after_dashes(self.tool).map(Slot::Positional);
        let mut omitted: Option<&str> = None;
        for property in self.properties.iter().chain(&self.words) {
            if Some(property.slot) == anew {
                omitted = None;
            }
            // A secret has no place among the words.
            let param = property.param;
            if param.is_flag() || param.required || param.secret.is_some() {
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

/// The positionals of `tool` that stand among its words, by their own names.
fn positionals(tool: &Tool) -> Vec<Property<'_>> {
    let all = tool.positionals.iter().enumerate();
    all.filter(|(_, param)| param.secret.is_none())
        .map(|(index, param)| Property {
            name: param.name.clone(),
            param,
            slot: Slot::Positional(index),
        })
        .collect()
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
