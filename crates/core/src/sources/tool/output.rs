//! The fields that a tool says it gives back, as the lines of a help page.

use serde_json::Value;
use serde_json::value::RawValue;

use super::schema::{Part, Reader};
use super::{Accepts, OutputField, ToolParam, ToolSpec};

/// How much of a schema is shown.
#[derive(Clone, Copy)]
struct Limits {
    levels: usize,
    fields: usize,
}

/// Of what a tool gives back.
const OUTPUT: Limits = Limits {
    levels: 6,
    fields: 200,
};

/// Of what one of its parameters takes.
const INPUT: Limits = Limits {
    levels: 3,
    fields: 40,
};

/// The fields that an `outputSchema` declares, in its order, bounded in depth and
/// number. Elements of arrays are `items[]`, values of maps are `labels.*`, and a
/// result that is no object or says nothing of its fields is `.`.
pub fn output_fields(schema: &RawValue) -> Vec<OutputField> {
    let Ok(schema) = serde_json::from_str::<Value>(schema.get()) else {
        return Vec::new();
    };
    let reader = Reader::new(&schema);
    Page::of(&reader, &Part::One(&schema), OUTPUT)
}

/// The fields of what each parameter takes, in the order of the parameters: none
/// where it takes no objects. For a list, of one of its elements.
pub fn input_fields(tool: &ToolSpec) -> Vec<Vec<OutputField>> {
    let raw: Value = serde_json::from_str(tool.raw.get()).unwrap_or_default();
    let schema = raw.get("inputSchema").unwrap_or(&Value::Null);
    let reader = Reader::new(schema);
    let members = reader.members(&Part::One(schema)).list;
    let fields = |param: &ToolParam| {
        let named = members.iter().find(|(name, _)| *name == param.property);
        let Some((_, part)) = named else {
            return Vec::new();
        };
        let element = param.accepts.list_item().and_then(|_| reader.items(part));
        let mut fields = Page::of(&reader, element.as_ref().unwrap_or(part), INPUT);
        let says_something = |field: &OutputField| {
            let is_open = field.path.ends_with('*') && field.kind == "any";
            field.path != "." && !(is_open && field.text.is_empty())
        };
        fields.retain(says_something);
        fields
    };
    tool.params.iter().map(fields).collect()
}

struct Page<'r, 'a> {
    reader: &'r Reader<'a>,
    limits: Limits,
    fields: Vec<OutputField>,
    has_more: bool,
}

/// Where a field is.
#[derive(Default)]
struct Place {
    path: String,
    name: String,
    /// What is said of the array whose elements these are.
    text: String,
    required: bool,
}

impl Place {
    fn at(path: String) -> Self {
        Self {
            path,
            ..Self::default()
        }
    }
}

impl<'r, 'a> Page<'r, 'a> {
    fn of(reader: &'r Reader<'a>, part: &Part<'a>, limits: Limits) -> Vec<OutputField> {
        let mut page = Page {
            reader,
            limits,
            fields: Vec::new(),
            has_more: false,
        };
        page.add(part, &Place::default(), 0);
        let mut fields = page.fields;
        if page.has_more {
            fields.push(OutputField {
                path: "…".to_owned(),
                kind: String::new(),
                text: format!("more than {} fields; the rest is not shown", limits.fields),
                required: false,
            });
        }
        fields
    }

    /// Adds the fields under a place, or the place itself where nothing is known
    /// of them.
    fn add(&mut self, part: &Part<'a>, place: &Place, depth: usize) {
        if self.has_more {
            return;
        }
        let path = place.path.as_str();
        let accepts = self.reader.accepts(part);
        let mut text = self.reader.text(part, &place.name);
        if text.is_empty() {
            text.clone_from(&place.text);
        }
        let mut below: Vec<(Place, Part<'a>)> = Vec::new();
        if depth < self.limits.levels {
            let members = self.reader.members(part);
            for (name, part) in members.list {
                let place = Place {
                    path: member(path, &name),
                    required: members.required.contains(&name),
                    name,
                    text: String::new(),
                };
                below.push((place, part));
            }
            if let Some(part) = self.reader.values(part) {
                below.push((Place::at(join(path, "*")), part));
            }
            if let Some(part) = self.reader.items(part) {
                let mut elements = Place::at(format!("{path}[]"));
                elements.required = place.required;
                if let (Accepts::List(_), false) = (&accepts, path.is_empty()) {
                    elements.text = std::mem::take(&mut text);
                }
                below.push((elements, part));
            }
        }
        // What holds other fields needs a line only for what these do not tell.
        let is_told_below = !below.is_empty()
            && (path.is_empty() || text.is_empty())
            && !matches!(accepts, Accepts::AnyOf(_));
        if !is_told_below {
            if self.fields.len() == self.limits.fields {
                self.has_more = true;
                return;
            }
            self.fields.push(OutputField {
                path: match path.is_empty() {
                    true => ".".to_owned(),
                    false => path.to_owned(),
                },
                kind: kind(&accepts),
                text,
                required: place.required,
            });
        }
        for (place, part) in below {
            self.add(&part, &place, depth + 1);
        }
    }
}

/// The path of a member, as jq writes it but for the dot in front.
fn member(path: &str, name: &str) -> String {
    let is_plain = name
        .chars()
        .all(|char| char.is_alphanumeric() || "_-$@".contains(char));
    match is_plain && !name.is_empty() {
        true => join(path, name),
        false => format!("{path}[{}]", Value::from(name)),
    }
}

fn join(path: &str, name: &str) -> String {
    match path.is_empty() {
        true => name.to_owned(),
        false => format!("{path}.{name}"),
    }
}

/// `string`, `number | null`, `"a" | "b"`.
fn kind(accepts: &Accepts) -> String {
    match accepts {
        Accepts::Text => "string".to_owned(),
        Accepts::Integer => "integer".to_owned(),
        Accepts::Number => "number".to_owned(),
        Accepts::Boolean => "boolean".to_owned(),
        Accepts::Choice(choices) => {
            let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
            choices.join(" | ")
        }
        Accepts::AnyOf(alternatives) => {
            let (null, others): (Vec<_>, Vec<_>) = alternatives
                .iter()
                .partition(|alternative| **alternative == Accepts::Null);
            let names: Vec<String> = others.into_iter().chain(null).map(kind).collect();
            names.join(" | ")
        }
        Accepts::List(_) => "array".to_owned(),
        Accepts::Object => "object".to_owned(),
        Accepts::Null => "null".to_owned(),
        Accepts::Anything => "any".to_owned(),
    }
}
