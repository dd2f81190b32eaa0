//! What is not offered cannot be reached, whatever the caller tries.

mod world;

use snapbox::str;
use world::World;

#[test]
fn a_denied_tool_is_not_listed() {
    World::new()
        .argway(["tools", "toy", "--deny", "item *,fail", "--deny", "nap"])
        .success()
        .stdout_eq(str![[r#"
toy_greet    read         Print a greeting
toy_version  read         Show the version

"#]]);
}

#[test]
fn read_only_leaves_what_is_known_to_read() {
    World::new()
        .argway(["tools", "toy", "--read-only"])
        .success()
        .stdout_eq(str![[r#"
toy_greet      read         Print a greeting
toy_item_list  read         List items
toy_version    read         Show the version

"#]]);
}

/// A call that must be refused as wrong usage, with nothing run.
#[track_caller]
fn refused(flags: &[&str], tool: &str, arguments: &str) {
    let world = World::new();
    let words = ["call", "toy", tool, arguments]
        .into_iter()
        .chain(flags.iter().copied());
    world.argway(words).code(2).stdout_eq("");
    assert_eq!(world.trace(), "");
}

#[test]
fn a_denied_tool_cannot_be_called_by_its_name() {
    refused(
        &["--deny", "item delete"],
        "toy_item_delete",
        r#"{"id": "1"}"#,
    );
    refused(&["--read-only"], "toy_item_delete", r#"{"id": "1"}"#);
    refused(&["--allow", "greet"], "toy_item_list", "{}");
}

#[test]
fn a_denied_tool_cannot_be_called_by_an_alias() {
    refused(&["--deny", "item list"], "toy_item_ls", "{}");
}

#[test]
fn a_parent_does_not_lead_to_a_denied_child() {
    refused(
        &["--deny", "item delete"],
        "toy_item",
        r#"{"args": ["delete", "1"]}"#,
    );
    refused(
        &["--deny", "item delete", "--layout", "nested"],
        "toy_item",
        r#"{"flags": {}, "args": ["delete", "1"]}"#,
    );
}

#[test]
fn a_denied_flag_cannot_be_given() {
    let call = r#"{"id": "1", "force": true}"#;
    refused(&["--deny-flags", "force"], "toy_item_delete", call);
    refused(&["--allow-flags", "verbose"], "toy_item_delete", call);
    refused(
        &["--inherited", "none"],
        "toy_greet",
        r#"{"verbose": true}"#,
    );
}

#[test]
fn a_flag_among_the_positionals_stays_a_word() {
    let world = World::new();
    world
        .argway([
            "call",
            "toy",
            "toy_item_delete",
            r#"{"id": "--force"}"#,
            "--dry-run",
        ])
        .success()
        .stdout_eq("[..]/bin/toy item delete -- --force\n");
}
