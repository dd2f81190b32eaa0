//! `type`, `items` and how the values of an array are written: words for [`Kind`]s.

use super::fault::{Fault, Sort};
use super::fields::{Faults, Fields};
use crate::model::{Kind, Scalar, Spelling, Split};

/// What `type` says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Boolean,
    Count,
    One(Item),
    Array,
    Map,
}

/// The type of one value, by its name in the model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item(&'static str);

impl Item {
    fn scalar(self) -> Scalar {
        self.0.parse().unwrap_or(Scalar::String)
    }
}

const STRING: Item = Item("string");

const ITEMS: [(&str, Item); 4] = [
    ("string", STRING),
    ("number", Item("float")),
    ("integer", Item("int")),
    ("path", Item("path")),
];

/// Types that some parsers know and that most definitions do without.
const RARE_ITEMS: [(&str, Item); 16] = [
    ("boolean_value", Item("bool")),
    ("int8", Item("int8")),
    ("int16", Item("int16")),
    ("int32", Item("int32")),
    ("uint", Item("uint")),
    ("uint8", Item("uint8")),
    ("uint16", Item("uint16")),
    ("uint32", Item("uint32")),
    ("float32", Item("float32")),
    ("duration", Item("duration")),
    ("time", Item("time")),
    ("ip", Item("ip")),
    ("ip_net", Item("ip_net")),
    ("ip_mask", Item("ip_mask")),
    ("hex", Item("hex")),
    ("base64", Item("base64")),
];

const ARG_TYPES: [(&str, Type); 6] = [
    ("string", Type::One(STRING)),
    ("number", Type::One(Item("float"))),
    ("integer", Type::One(Item("int"))),
    ("boolean", Type::Boolean),
    ("array", Type::Array),
    ("path", Type::One(Item("path"))),
];

const FLAG_TYPES: [(&str, Type); 7] = [
    ("boolean", Type::Boolean),
    ("string", Type::One(STRING)),
    ("number", Type::One(Item("float"))),
    ("integer", Type::One(Item("int"))),
    ("array", Type::Array),
    ("path", Type::One(Item("path"))),
    ("count", Type::Count),
];

const SPLITS: [(&str, Split); 3] = [
    ("csv", Split::Csv),
    ("comma", Split::Comma),
    ("words", Split::Words),
];

/// The word for `scalar`, as `type` and `items` take it. A type of the program's own has
/// none: any text will do for it.
pub(crate) fn word(scalar: &Scalar) -> &'static str {
    let name = scalar.to_string();
    let mut named = ITEMS
        .iter()
        .chain(&RARE_ITEMS)
        .filter(|(_, item)| item.0 == name);
    named.next().map_or("string", |(word, _)| word)
}

/// The word for how the values of an array are written, where it needs one.
pub(crate) fn split_word(split: Split) -> Option<&'static str> {
    let named = SPLITS.iter().find(|(_, known)| *known == split);
    named.map(|(word, _)| *word)
}

/// The kind of an `arg` that says its `type`.
pub(crate) fn of_arg(fields: &Fields<'_>, faults: &mut Faults) -> Option<Kind> {
    let rare = rare(&[]);
    Some(match fields.choice_of("type", &ARG_TYPES, &rare, faults)? {
        Type::Boolean => Kind::One(Scalar::Bool),
        Type::One(item) => Kind::One(item.scalar()),
        Type::Array => Kind::List(items(fields, faults), Split::Words),
        Type::Count | Type::Map => Kind::One(Scalar::String),
    })
}

/// The kind of a `flag` that says its `type`.
pub(crate) fn of_flag(
    fields: &Fields<'_>,
    spelling: &mut Spelling,
    faults: &mut Faults,
) -> Option<Kind> {
    let rare = rare(&[("map", Type::Map)]);
    Some(
        match fields.choice_of("type", &FLAG_TYPES, &rare, faults)? {
            Type::Count => Kind::Count,
            Type::One(item) => Kind::One(item.scalar()),
            Type::Map => Kind::Map(items(fields, faults)),
            Type::Array => {
                let split = split(fields, spelling, faults);
                Kind::List(items(fields, faults), split)
            }
            Type::Boolean => Kind::Switch,
        },
    )
}

fn rare(more: &[(&'static str, Type)]) -> Vec<(&'static str, Type)> {
    let items = RARE_ITEMS.iter();
    let items = items.map(|(word, item)| (*word, Type::One(*item)));
    items.chain(more.iter().copied()).collect()
}

/// How the values of an array are written, and what of it the spelling holds.
pub(crate) fn split(fields: &Fields<'_>, spelling: &mut Spelling, faults: &mut Faults) -> Split {
    let repeats = fields.flag("repeat", faults) == Some(true);
    let separator = fields.blank_text("separator", faults);
    if let (true, Some(span)) = (repeats, fields.span("separator")) {
        let message =
            "`repeat` writes each value with a flag of its own: no `separator` stands between them";
        faults.add(Fault::new(Sort::Conflict, span, message));
    }
    let said = fields.choice("split", &SPLITS, faults);
    for other in ["repeat", "separator"] {
        if let (Some(span), Some(first)) = (fields.span("split"), fields.span(other)) {
            let message = format!("`split` and `{other}` both say how values are written");
            let fault = Fault::new(Sort::Conflict, span, message);
            faults.add(fault.other(first, "the other is here"));
        }
    }
    match (said, repeats) {
        (Some(split), _) => split,
        (None, true) => Split::Repeat,
        (None, false) => {
            spelling.separator = Some(separator.unwrap_or(" ").to_owned());
            Split::Joined
        }
    }
}

pub(crate) fn items(fields: &Fields<'_>, faults: &mut Faults) -> Scalar {
    let item = fields.choice_of("items", &ITEMS, &RARE_ITEMS, faults);
    item.unwrap_or(STRING).scalar()
}
