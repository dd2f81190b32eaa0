//! The properties of an object: those of all schemas that hold together, and of
//! any where several may.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Part, Reader, Trail, schemas};

/// How schemas of the same property hold.
#[derive(Clone, Copy)]
enum Join {
    All,
    Any,
}

/// What a schema says about an object.
#[derive(Debug, Default)]
pub(in super::super) struct Members<'a> {
    /// In the schema's order.
    pub(in super::super) list: Vec<(String, Part<'a>)>,
    places: BTreeMap<String, usize>,
    pub(in super::super) required: BTreeSet<String>,
    /// Other properties are refused.
    pub(super) closed: bool,
}

impl<'a> Members<'a> {
    fn add(&mut self, name: &str, part: Part<'a>, join: Join) {
        match self.places.get(name) {
            // Flat, or a property of forty branches would be forty levels deep.
            Some(&at) => match (&mut self.list[at].1, join) {
                (Part::All(parts), Join::All) | (Part::Any(parts), Join::Any) => parts.push(part),
                (present, Join::All) => *present = Part::All(vec![present.clone(), part]),
                (present, Join::Any) => *present = Part::Any(vec![present.clone(), part]),
            },
            None => {
                self.places.insert(name.to_owned(), self.list.len());
                self.list.push((name.to_owned(), part));
            }
        }
    }

    /// What holds where both do.
    fn and(mut self, other: Self) -> Self {
        for (name, part) in other.list {
            self.add(&name, part, Join::All);
        }
        self.required.extend(other.required);
        self.closed |= other.closed;
        self
    }

    /// What holds where one of them does.
    fn or(branches: Vec<Self>) -> Self {
        let mut branches = branches.into_iter();
        let Some(mut union) = branches.next() else {
            return Self::default();
        };
        for branch in branches {
            for (name, part) in branch.list {
                union.add(&name, part, Join::Any);
            }
            union.required.retain(|name| branch.required.contains(name));
            union.closed &= branch.closed;
        }
        union
    }
}

impl<'a> Reader<'a> {
    /// The properties of an object of this schema.
    pub(in super::super) fn members(&self, part: &Part<'a>) -> Members<'a> {
        let mut members = self.members_part(part, &Trail::START);
        for name in members.required.clone() {
            if !members.places.contains_key(&name) {
                members.add(&name, Part::One(&Value::Bool(true)), Join::All);
            }
        }
        members
    }

    fn members_part(&self, part: &Part<'a>, trail: &Trail<'_>) -> Members<'a> {
        if !self.step(trail) {
            return Members::default();
        }
        let trail = trail.deeper();
        match part {
            Part::One(Value::Object(map)) => self.members_map(map, &trail),
            Part::One(_) => Members::default(),
            Part::All(parts) => parts
                .iter()
                .map(|part| self.members_part(part, &trail))
                .fold(Members::default(), Members::and),
            Part::Any(parts) => self.members_any(parts.iter().cloned(), &trail),
        }
    }

    fn members_map(&self, map: &'a Map<String, Value>, trail: &Trail<'_>) -> Members<'a> {
        let mut members = members_itself(map);
        if let Some((reference, target)) = self.target(map, trail) {
            let there = self.members_part(&Part::One(target), &trail.through(reference));
            members = members.and(there);
        }
        for schema in schemas(map, "allOf") {
            members = members.and(self.members_part(&Part::One(schema), trail));
        }
        for key in ["anyOf", "oneOf"] {
            members = members.and(self.members_any(schemas(map, key).map(Part::One), trail));
        }
        // Properties that only some calls have.
        for key in ["then", "else"] {
            if let Some(schema) = map.get(key) {
                members = members.and(self.members_sometimes(schema, trail));
            }
        }
        if let Some(Value::Object(dependent)) = map.get("dependentSchemas") {
            for schema in dependent.values() {
                members = members.and(self.members_sometimes(schema, trail));
            }
        }
        members
    }

    fn members_any(&self, parts: impl Iterator<Item = Part<'a>>, trail: &Trail<'_>) -> Members<'a> {
        let can_be_object = |part: &Part<'a>| match part {
            Part::One(Value::Bool(false)) => false,
            Part::One(schema) => match schema.get("type") {
                Some(Value::String(name)) => name == "object",
                Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
                _ => true,
            },
            Part::All(_) | Part::Any(_) => true,
        };
        Members::or(
            parts
                .filter(can_be_object)
                .map(|part| self.members_part(&part, trail))
                .collect(),
        )
    }

    fn members_sometimes(&self, schema: &'a Value, trail: &Trail<'_>) -> Members<'a> {
        Members::or(vec![
            self.members_part(&Part::One(schema), trail),
            Members::default(),
        ])
    }
}

fn members_itself(map: &Map<String, Value>) -> Members<'_> {
    let mut members = Members::default();
    if let Some(Value::Object(properties)) = map.get("properties") {
        for (name, schema) in properties {
            // `false` is how a schema forbids a property.
            if *schema != Value::Bool(false) {
                members.add(name, Part::One(schema), Join::All);
            }
        }
    }
    if let Some(Value::Array(required)) = map.get("required") {
        members
            .required
            .extend(required.iter().filter_map(Value::as_str).map(str::to_owned));
    }
    let refuses = |key: &str| map.get(key) == Some(&Value::Bool(false));
    let has_patterns = map
        .get("patternProperties")
        .and_then(Value::as_object)
        .is_some_and(|patterns| !patterns.is_empty());
    members.closed =
        !has_patterns && (refuses("additionalProperties") || refuses("unevaluatedProperties"));
    members
}
