//! The nested layout is what ophis makes of the same program, but for the
//! differences that `GUIDE.md` gives reasons for.
//!
//! ophis itself is not run: everyflag applies its documented rules to pflag's own
//! data. `ARGWAY_OPHIS_TOOLS` may name a `mcp-tools.json` that a real ophis wrote
//! for everyflag's command tree, which is then held to the same list.

use std::collections::BTreeSet;

use argway_core::catalog::{Layout, Selection};
use argway_core::schema;
use serde_json::Value;

use super::support::{ask, catalog};

/// Where tools may differ, as paths of keys: the first part of a row in
/// `GUIDE.md`, then where in the schema it shows.
const DIFFERENCES: [(&str, &str); 24] = [
    ("dialect", "* /inputSchema/$schema"),
    ("annotations", "* /annotations"),
    ("annotations", "* /title"),
    (
        "raw words",
        "everyflag_raw /inputSchema/properties/flags/properties/config",
    ),
    (
        "raw words",
        "everyflag_raw /inputSchema/properties/flags/properties/region",
    ),
    (
        "raw words",
        "everyflag_raw /inputSchema/properties/flags/properties/quiet",
    ),
    (
        "raw words",
        "everyflag_raw /inputSchema/properties/flags/properties/verbose",
    ),
    (
        "back-quotes",
        "* /inputSchema/properties/flags/properties/config/description",
    ),
    (
        "counts",
        "* /inputSchema/properties/flags/properties/verbose/minimum",
    ),
    (
        "counts",
        "* /inputSchema/properties/flags/properties/count/minimum",
    ),
    (
        "durations",
        "* /inputSchema/properties/flags/properties/duration/pattern",
    ),
    (
        "addresses",
        "* /inputSchema/properties/flags/properties/ip/pattern",
    ),
    (
        "networks",
        "* /inputSchema/properties/flags/properties/ip-net/pattern",
    ),
    (
        "bytes",
        "* /inputSchema/properties/flags/properties/hex/pattern",
    ),
    (
        "bytes",
        "* /inputSchema/properties/flags/properties/base64/pattern",
    ),
    (
        "nil defaults",
        "* /inputSchema/properties/flags/properties/ip/default",
    ),
    (
        "nil defaults",
        "* /inputSchema/properties/flags/properties/ip-net/default",
    ),
    (
        "nil defaults",
        "* /inputSchema/properties/flags/properties/ip-mask/default",
    ),
    (
        "quoted defaults",
        "* /inputSchema/properties/flags/properties/string-slice-default/default",
    ),
    (
        "lists",
        "* /inputSchema/properties/flags/properties/duration-slice/type",
    ),
    (
        "lists",
        "* /inputSchema/properties/flags/properties/duration-slice/items",
    ),
    (
        "lists",
        "* /inputSchema/properties/flags/properties/duration-slice/description",
    ),
    (
        "lists",
        "* /inputSchema/properties/flags/properties/ip-slice/*",
    ),
    (
        "lists",
        "* /inputSchema/properties/flags/properties/ip-net-slice/*",
    ),
];

#[test]
fn the_nested_layout_differs_from_ophis_only_where_the_table_says() {
    let ours: Vec<Value> = catalog("newest", &Selection::default())
        .tools()
        .iter()
        .map(|tool| schema::tool(tool, Layout::Nested))
        .collect();
    let rules = ask("newest", "ophis", &[]);
    compare(&ours, rules[0].as_array().unwrap());
    if let Some(file) = std::env::var_os("ARGWAY_OPHIS_TOOLS") {
        let text = std::fs::read(file).unwrap();
        let real: Value = serde_json::from_slice(&text).unwrap();
        compare(&ours, real.as_array().or(real["tools"].as_array()).unwrap());
    }
}

#[track_caller]
fn compare(ours: &[Value], theirs: &[Value]) {
    let names = |tools: &[Value]| -> BTreeSet<String> {
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(ours), names(theirs));
    let mut found = BTreeSet::new();
    for our in ours {
        let their = theirs
            .iter()
            .find(|their| their["name"] == our["name"])
            .unwrap();
        differences("", our, their, &mut |path, our_value, their_value| {
            let name = our["name"].as_str().unwrap();
            let row = DIFFERENCES
                .iter()
                .position(|(_, place)| is_at(place, name, path));
            let row = row.unwrap_or_else(|| {
                panic!("{name} {path} is not in the table:\n  ours   {our_value}\n  theirs {their_value}")
            });
            found.insert(row);
        });
    }
    let unused: Vec<_> = DIFFERENCES
        .iter()
        .enumerate()
        .filter(|(row, _)| !found.contains(row))
        .map(|(_, row)| row)
        .collect();
    assert!(unused.is_empty(), "no longer differences: {unused:?}");
    let table = include_str!("../../../../GUIDE.md");
    for (row, _) in DIFFERENCES {
        assert!(table.contains(&format!("| {row} |")), "{row} has no reason");
    }
}

fn is_at(place: &str, tool: &str, path: &str) -> bool {
    let (wanted, place) = place.split_once(' ').unwrap();
    (wanted == "*" || wanted == tool)
        && match place.strip_suffix("/*") {
            Some(parent) => path.starts_with(parent),
            None => path == place,
        }
}

fn differences(
    path: &str,
    ours: &Value,
    theirs: &Value,
    each: &mut impl FnMut(&str, &Value, &Value),
) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let path = format!("{path}/{key}");
                let absent = Value::Null;
                differences(
                    &path,
                    a.get(key).unwrap_or(&absent),
                    b.get(key).unwrap_or(&absent),
                    each,
                );
            }
        }
        _ if ours == theirs => {}
        _ => each(path, ours, theirs),
    }
}
