//! Reads JSON Schema as servers write it: what the properties of an object are,
//! and what each of them takes.
//!
//! References, `allOf`, `anyOf` and `oneOf` are followed within the document, to a
//! depth and for a number of steps that no honest schema needs.

mod members;

use std::cell::Cell;

use serde_json::{Map, Value};

use super::{Accepts, ToolParam, flags};
use crate::catalog::names::snake;

/// Levels that are followed; what is deeper takes anything.
const DEEPEST: usize = 32;

/// Schemas that are looked at for one tool.
const MOST_STEPS: u32 = 50_000;

/// Bytes of text that are a step to copy.
const STEP_BYTES: usize = 256;

/// The parameters that an `inputSchema` declares, and whether it takes others too.
pub(super) fn params(schema: &Value, taken: &[&str]) -> (Vec<ToolParam>, bool) {
    let reader = Reader::new(schema);
    let members = reader.members(&Part::One(schema));
    let names: Vec<&str> = members.list.iter().map(|(name, _)| name.as_str()).collect();
    let flags = flags::name(&names, taken);
    let params = members
        .list
        .iter()
        .zip(flags)
        .map(|((property, part), named)| ToolParam {
            property: property.clone(),
            flag: named.flag,
            aliases: named.aliases,
            accepts: reader.accepts(part),
            required: members.required.contains(property),
            default: reader.default(part),
            text: reader.text(part, property),
        })
        .collect();
    (params, !members.closed)
}

/// A schema, or several together.
#[derive(Debug, Clone)]
pub(super) enum Part<'a> {
    One(&'a Value),
    /// Every one of them holds.
    All(Vec<Part<'a>>),
    /// At least one of them holds.
    Any(Vec<Part<'a>>),
}

/// The references that led to a schema, the last one first.
#[derive(Clone, Copy)]
struct Trail<'t> {
    reference: Option<&'t str>,
    before: Option<&'t Trail<'t>>,
    depth: usize,
}

impl<'t> Trail<'t> {
    const START: Trail<'static> = Trail {
        reference: None,
        before: None,
        depth: 0,
    };

    fn deeper(&'t self) -> Self {
        Trail {
            reference: None,
            before: Some(self),
            depth: self.depth + 1,
        }
    }

    fn through(&'t self, reference: &'t str) -> Self {
        Trail {
            reference: Some(reference),
            ..self.deeper()
        }
    }

    fn holds(&self, reference: &str) -> bool {
        self.reference == Some(reference)
            || self.before.is_some_and(|before| before.holds(reference))
    }
}

/// Reads the schemas of one document.
pub(super) struct Reader<'a> {
    root: &'a Value,
    steps: Cell<u32>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self {
            root,
            steps: Cell::new(MOST_STEPS),
        }
    }

    /// What a value of this schema is.
    pub(super) fn accepts(&self, part: &Part<'a>) -> Accepts {
        self.accepts_part(part, &Trail::START)
    }

    /// What the elements of an array of this schema are, where it says so.
    pub(super) fn items(&self, part: &Part<'a>) -> Option<Part<'a>> {
        self.inner(part, &Trail::START, &items)
    }

    /// What the values of an object that is a map are, where it says so.
    pub(super) fn values(&self, part: &Part<'a>) -> Option<Part<'a>> {
        self.inner(part, &Trail::START, &|map| {
            let patterns = map.get("patternProperties").and_then(Value::as_object);
            let mut all: Vec<Part<'a>> = patterns
                .into_iter()
                .flat_map(Map::values)
                .chain(map.get("additionalProperties"))
                .filter(|schema| schema.is_object())
                .map(Part::One)
                .collect();
            match all.len() {
                0 => None,
                1 => all.pop(),
                _ => Some(Part::Any(all)),
            }
        })
    }

    /// What a property is for, unless its title only repeats its name.
    pub(super) fn text(&self, part: &Part<'a>, property: &str) -> String {
        let text = |map: &'a Map<String, Value>, key: &str| {
            let text = map.get(key)?.as_str()?.trim();
            let is_told = !text.is_empty() && self.spend(text.len() / STEP_BYTES);
            is_told.then(|| text.to_owned())
        };
        let name = snake(property, "");
        self.first(part, &Trail::START, &|map| text(map, "description"))
            .or_else(|| {
                self.first(part, &Trail::START, &|map| {
                    text(map, "title").filter(|title| snake(title, "") != name)
                })
            })
            .unwrap_or_default()
    }

    /// The default, as JSON. A null says no more than that there is none.
    fn default(&self, part: &Part<'a>) -> Option<String> {
        self.first(part, &Trail::START, &|map| {
            let default = map.get("default")?;
            let is_told = self.spend(cost(std::slice::from_ref(default)));
            is_told.then(|| default.to_string())
        })
        .filter(|default| default != "null")
    }

    /// Whether there is anything left to spend on a schema at this depth.
    fn step(&self, trail: &Trail<'_>) -> bool {
        self.spend(1) && trail.depth < DEEPEST
    }

    /// Whether so many steps were left; they are not any more. What is copied costs as
    /// well: a thousand references to one long list are a thousand long lists.
    fn spend(&self, steps: usize) -> bool {
        let left = self.steps.get();
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        self.steps.set(left.saturating_sub(steps));
        left >= steps
    }

    /// The schema that a reference within this document means, unless the trail
    /// already leads through it.
    fn target(
        &self,
        map: &'a Map<String, Value>,
        trail: &Trail<'_>,
    ) -> Option<(&'a str, &'a Value)> {
        let reference = map.get("$ref")?.as_str()?;
        if trail.holds(reference) {
            return None;
        }
        let pointer = percent_decoded(reference.strip_prefix('#')?)?;
        Some((reference, self.root.pointer(&pointer)?))
    }

    fn accepts_part(&self, part: &Part<'a>, trail: &Trail<'_>) -> Accepts {
        if !self.step(trail) {
            return Accepts::Anything;
        }
        let trail = trail.deeper();
        match part {
            Part::One(Value::Object(map)) => self.accepts_map(map, &trail),
            Part::One(_) => Accepts::Anything,
            Part::All(parts) => parts
                .iter()
                .map(|part| self.accepts_part(part, &trail))
                .fold(Accepts::Anything, Accepts::both),
            Part::Any(parts) => {
                Accepts::either(parts.iter().map(|part| self.accepts_part(part, &trail)))
            }
        }
    }

    fn accepts_map(&self, map: &'a Map<String, Value>, trail: &Trail<'_>) -> Accepts {
        let mut accepts = self.accepts_itself(map, trail);
        if let Some((reference, target)) = self.target(map, trail) {
            let there = self.accepts_part(&Part::One(target), &trail.through(reference));
            accepts = accepts.both(there);
        }
        for schema in schemas(map, "allOf") {
            accepts = accepts.both(self.accepts_part(&Part::One(schema), trail));
        }
        for key in ["anyOf", "oneOf"] {
            let branches: Vec<Accepts> = schemas(map, key)
                .filter(|schema| **schema != Value::Bool(false))
                .map(|schema| self.accepts_part(&Part::One(schema), trail))
                .collect();
            if !branches.is_empty() {
                accepts = accepts.both(Accepts::either(branches));
            }
        }
        match map.get("nullable") {
            Some(Value::Bool(true)) => Accepts::either([Accepts::Null, accepts]),
            _ => accepts,
        }
    }

    /// What the keywords of a schema say, without the schemas that it refers to.
    fn accepts_itself(&self, map: &'a Map<String, Value>, trail: &Trail<'_>) -> Accepts {
        let named = match map.get("type") {
            Some(Value::String(name)) => self.accepts_type(name, map, trail),
            Some(Value::Array(names)) => Accepts::either(
                names
                    .iter()
                    .map(|name| self.accepts_type(name.as_str().unwrap_or_default(), map, trail)),
            ),
            _ => self.accepts_type(implied_type(map), map, trail),
        };
        let choices = match (map.get("const"), map.get("enum")) {
            (Some(value), _) if self.spend(cost(std::slice::from_ref(value))) => {
                vec![value.clone()]
            }
            (None, Some(Value::Array(values))) if self.spend(cost(values)) => values.clone(),
            _ => Vec::new(),
        };
        if choices.is_empty() {
            return named;
        }
        match &named {
            // Seen in the wild: the choices of the elements beside `type: array`.
            Accepts::List(_) if !choices.iter().any(Value::is_array) => {
                Accepts::List(Box::new(Accepts::choice(choices)))
            }
            _ => Accepts::choice(choices).both(named),
        }
    }

    fn accepts_type(&self, name: &str, map: &'a Map<String, Value>, trail: &Trail<'_>) -> Accepts {
        match name {
            "string" => Accepts::Text,
            "integer" => Accepts::Integer,
            "number" => Accepts::Number,
            "boolean" => Accepts::Boolean,
            "null" => Accepts::Null,
            "object" => Accepts::Object,
            "array" => Accepts::List(Box::new(match items(map) {
                Some(part) => self.accepts_part(&part, trail),
                None => Accepts::Anything,
            })),
            _ => Accepts::Anything,
        }
    }

    /// What `find` finds in a schema and in those that it refers to, together.
    fn inner(
        &self,
        part: &Part<'a>,
        trail: &Trail<'_>,
        find: &dyn Fn(&'a Map<String, Value>) -> Option<Part<'a>>,
    ) -> Option<Part<'a>> {
        if !self.step(trail) {
            return None;
        }
        let trail = trail.deeper();
        let join = |mut found: Vec<Part<'a>>, join: fn(Vec<Part<'a>>) -> Part<'a>| match found.len()
        {
            0 => None,
            1 => found.pop(),
            _ => Some(join(found)),
        };
        let every = |parts: &[Part<'a>]| -> Vec<Part<'a>> {
            parts
                .iter()
                .filter_map(|part| self.inner(part, &trail, find))
                .collect()
        };
        match part {
            Part::One(Value::Object(map)) => {
                let mut all: Vec<Part<'a>> = find(map).into_iter().collect();
                if let Some((reference, target)) = self.target(map, &trail) {
                    let there = Part::One(target);
                    all.extend(self.inner(&there, &trail.through(reference), find));
                }
                all.extend(every(&parts(map, "allOf")));
                for key in ["anyOf", "oneOf"] {
                    all.extend(join(every(&parts(map, key)), Part::Any));
                }
                join(all, Part::All)
            }
            Part::One(_) => None,
            Part::All(parts) => join(every(parts), Part::All),
            Part::Any(parts) => join(every(parts), Part::Any),
        }
    }

    /// The first answer of a schema, of what it refers to, or of its branches.
    fn first(
        &self,
        part: &Part<'a>,
        trail: &Trail<'_>,
        find: &dyn Fn(&'a Map<String, Value>) -> Option<String>,
    ) -> Option<String> {
        if !self.step(trail) {
            return None;
        }
        let trail = trail.deeper();
        match part {
            Part::One(Value::Object(map)) => find(map)
                .or_else(|| {
                    let (reference, target) = self.target(map, &trail)?;
                    self.first(&Part::One(target), &trail.through(reference), find)
                })
                .or_else(|| {
                    schemas(map, "allOf")
                        .chain(only_branch(map, "anyOf"))
                        .chain(only_branch(map, "oneOf"))
                        .find_map(|schema| self.first(&Part::One(schema), &trail, find))
                }),
            Part::One(_) => None,
            Part::All(parts) | Part::Any(parts) => {
                parts.iter().find_map(|part| self.first(part, &trail, find))
            }
        }
    }
}

/// How many steps it takes to copy values.
fn cost(values: &[Value]) -> usize {
    let of = |value: &Value| match value {
        Value::String(text) => text.len() / STEP_BYTES,
        Value::Array(values) => cost(values),
        Value::Object(map) => {
            map.len()
                + map
                    .values()
                    .map(|value| cost(std::slice::from_ref(value)))
                    .sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    values.iter().map(|value| 1 + of(value)).sum()
}

/// The schemas in a keyword that holds several.
fn schemas<'a>(map: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Value> {
    map.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn parts<'a>(map: &'a Map<String, Value>, key: &str) -> Vec<Part<'a>> {
    schemas(map, key).map(Part::One).collect()
}

/// The branch of a union that only adds null to it: what is said there is said of
/// the whole.
fn only_branch<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    let is_null = |schema: &Value| schema.get("type").is_some_and(|name| name == "null");
    let mut branches = schemas(map, key).filter(|schema| !is_null(schema));
    match (branches.next(), branches.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// The elements of an array, or of a tuple: any of its places.
fn items<'a>(map: &'a Map<String, Value>) -> Option<Part<'a>> {
    let mut places = parts(map, "prefixItems");
    places.extend(parts(map, "items"));
    match map.get("items") {
        Some(schema @ Value::Object(_)) if places.is_empty() => return Some(Part::One(schema)),
        Some(schema @ Value::Object(_)) => places.push(Part::One(schema)),
        _ => {}
    }
    (!places.is_empty()).then_some(Part::Any(places))
}

/// The type that a schema without one can only mean.
fn implied_type(map: &Map<String, Value>) -> &'static str {
    let has = |keys: &[&str]| keys.iter().any(|key| map.contains_key(*key));
    if has(&["properties", "additionalProperties", "patternProperties"]) {
        "object"
    } else if has(&["items", "prefixItems", "minItems", "maxItems"]) {
        "array"
    } else if has(&["pattern", "minLength", "maxLength"]) {
        "string"
    } else if has(&["minimum", "maximum", "multipleOf"]) {
        "number"
    } else {
        ""
    }
}

/// The text of a URI's fragment.
fn percent_decoded(fragment: &str) -> Option<String> {
    let bytes = fragment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let digits = fragment.get(at + 1..at + 3)?;
            decoded.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(decoded).ok()
}
