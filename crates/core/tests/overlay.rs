//! Corrections: what each of them changes, and what is said of those that cannot be made.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::sync::Arc;

use argway_core::argv::{self, Arguments};
use argway_core::catalog::{Catalog, Inherited, Layout, Selection};
use argway_core::model::{
    CommandSpec, Effect, Evidence, Fact, Family, Kind, Param, Program, Reading, Scalar,
};
use argway_core::overlay;
use argway_core::schema;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// `gh pr list --limit N --state S [number]`, with `--repo` from above.
fn program() -> Reading {
    let repo = Param::flag("repo", Kind::One(Scalar::String));
    let mut limit = Param::flag("limit", Kind::One(Scalar::String));
    limit.text = "How many".to_owned();
    let state = Param::flag("state", Kind::One(Scalar::String));
    let web = Param::flag("web", Kind::Switch);
    let number = Param::positional("number", Kind::One(Scalar::String));
    let inherited: Arc<[Param]> = Arc::new([repo.clone()]);
    let command = |path: &str, params: Vec<Param>| CommandSpec {
        path: path.split_whitespace().map(str::to_owned).collect(),
        summary: format!("It is {path}"),
        usage: format!("gh {path}"),
        runnable: !params.is_empty(),
        params,
        inherited: match path {
            "" => Arc::new([]),
            _ => Arc::clone(&inherited),
        },
        ..CommandSpec::default()
    };
    Reading {
        program: Program {
            name: "gh".to_owned(),
            executable: None,
            version: None,
            family: Family::Cobra,
            commands: vec![
                command("", vec![repo]),
                command("pr", Vec::new()),
                command("pr list", vec![limit, state, web, number]),
                command("pr view", vec![Param::flag("json", Kind::Switch)]),
            ],
        },
        losses: Vec::new(),
    }
}

/// The program as `text` corrects it, which has no mistake.
#[track_caller]
fn corrected(body: &str) -> Reading {
    let text = format!("overlay \"gh\" {{\n{body}\n}}");
    let read = overlay::read("gh.kdl", &text);
    assert!(read.mistakes.is_empty(), "{}", read.mistakes[0].render());
    let mut reading = program();
    let applied = read.overlays[0].apply(&mut reading);
    let mistakes: Vec<String> = applied.mistakes.iter().map(|it| it.render()).collect();
    assert!(mistakes.is_empty(), "{}", mistakes.concat());
    assert!(!applied.changes.is_empty());
    reading
}

/// Everything that is wrong with an overlay, and what it changes all the same.
fn mistakes(body: &str) -> String {
    let text = format!("overlay \"gh\" {{\n{body}\n}}");
    let read = overlay::read("gh.kdl", &text);
    let mut told: String = read.mistakes.iter().map(|it| it.render()).collect();
    let mut reading = program();
    for overlay in &read.overlays {
        let applied = overlay.apply(&mut reading);
        told.extend(applied.mistakes.iter().map(|it| it.render()));
        told.push_str(&format!("changed: {}\n", applied.changes.join("; ")));
    }
    told
}

fn catalog(reading: &Reading) -> Catalog {
    let programs = [Arc::new(reading.program.clone())];
    Catalog::build(&programs, &Selection::default(), Inherited::All).unwrap()
}

fn names(reading: &Reading) -> Vec<String> {
    let catalog = catalog(reading);
    catalog
        .tools()
        .iter()
        .map(|tool| tool.name.clone())
        .collect()
}

#[track_caller]
fn words(reading: &Reading, tool: &str, arguments: Value) -> Vec<String> {
    let catalog = catalog(reading);
    let tool = catalog.find(tool).unwrap();
    let arguments = Arguments::check(tool, Layout::Flat, arguments.as_object().unwrap()).unwrap();
    argv::encode(tool, &arguments).unwrap()
}

#[test]
fn a_command_is_called_otherwise_and_typed_as_before() {
    let reading = corrected("command \"pr list\" { name \"prs\" }");
    assert_eq!(names(&reading), ["gh", "gh_pr_prs", "gh_pr_view"]);
    assert_eq!(words(&reading, "gh_pr_prs", json!({})), ["pr", "list"]);
    let from = &reading.program.commands[2].from;
    assert_eq!(from.of(Fact::Name), Some(Evidence::Definition));
}

#[test]
fn a_parent_and_the_program_are_called_otherwise_in_all_names_below() {
    let reading = corrected("name \"hub\"\ncommand \"pr\" { name \"pull\" }");
    assert_eq!(names(&reading), ["hub", "hub_pull_list", "hub_pull_view"]);
    assert_eq!(words(&reading, "hub_pull_view", json!({})), ["pr", "view"]);
}

#[test]
fn a_flag_is_called_otherwise_and_typed_as_before() {
    let body = "command \"pr list\" { flag \"limit\" { name \"max\"; type \"integer\" } }";
    let reading = corrected(body);
    assert_eq!(
        words(&reading, "gh_pr_list", json!({"max": 3})),
        ["pr", "list", "--limit=3"]
    );
    let schema = schema::input(catalog(&reading).find("gh_pr_list").unwrap(), Layout::Flat);
    assert_eq!(schema["properties"]["max"]["type"], "integer");
    assert_eq!(schema["properties"]["limit"], Value::Null);
}

#[test]
fn a_default_is_given_and_values_are_closed() {
    let body = "command \"pr list\" {
        flag \"state\" { enum \"open\" \"closed\"; default \"open\" }
        flag \"limit\" repeat=true joiner=\"space\"
        arg \"number\" type=\"integer\" required=true
    }";
    let reading = corrected(body);
    assert_eq!(
        words(
            &reading,
            "gh_pr_list",
            json!({"limit": ["1", "2"], "number": 7})
        ),
        [
            "pr",
            "list",
            "--limit",
            "1",
            "--limit",
            "2",
            "--state=open",
            "7"
        ]
    );
}

#[test]
fn a_flag_from_above_is_changed_in_every_command_below() {
    let reading = corrected("flag \"repo\" { required true; description \"OWNER/NAME\" }");
    let own = reading.program.commands[0].flags().next().unwrap();
    assert!(own.required);
    for command in &reading.program.commands[1..] {
        assert_eq!(command.inherited[0].text, "OWNER/NAME");
        // Commands share the set as before.
        let first = &reading.program.commands[1].inherited;
        assert!(Arc::ptr_eq(&command.inherited, first));
    }
    let one = corrected("command \"pr view\" { flag \"repo\" hidden=true }");
    assert!(one.program.commands[3].inherited[0].hidden);
    assert!(!one.program.commands[2].inherited[0].hidden);
}

#[test]
fn what_help_hides_is_added_as_the_program_types_its_flags() {
    let body = "command \"pr view\" { flag \"raw\" add=true long=\"--raw-json\" type=\"string\" }";
    let reading = corrected(body);
    assert_eq!(
        words(&reading, "gh_pr_view", json!({"raw": "x"})),
        ["pr", "view", "--raw-json=x"]
    );
}

#[test]
fn texts_effects_and_outputs_are_a_persons() {
    let body = "command \"pr list\" {
        summary \"Open pull requests\"
        description \"All of them\"
        effect \"read\"
        output \"json\"
        hidden false
        example \"gh pr list\" \"Shows them\"
        flag \"web\" effect=\"write\"
    }";
    let reading = corrected(body);
    let list = &reading.program.commands[2];
    assert_eq!(list.summary, "Open pull requests");
    assert_eq!(list.description, "All of them");
    assert_eq!(list.examples, "# Shows them\ngh pr list");
    assert_eq!(list.effect, Effect::Read);
    assert_eq!(list.from.of(Fact::Effect), Some(Evidence::Definition));
    let web = list.own_flags().find(|flag| flag.name == "web").unwrap();
    assert_eq!(web.effect, Some(Effect::Write));
    let catalog = catalog(&reading);
    let output = schema::output(catalog.find("gh_pr_list").unwrap(), Layout::Flat);
    assert_eq!(
        output["properties"]["data"],
        json!({"description": "stdout, parsed"})
    );
}

#[test]
fn a_name_that_the_program_does_not_have_costs_its_entry() {
    assert_data_eq!(
        mistakes(
            "command \"pr lst\" { hidden true }\ncommand \"pr list\" { flag \"limt\" hidden=true; arg \"nubmer\" required=true; flag \"web\" hidden=true }"
        ),
        str![[r#"
gh.kdl:2:9: `gh` has no command `pr lst`
  2 | command "pr lst" { hidden true }
    |         ^^^^^^^^
  help: did you mean `pr list`?
gh.kdl:3:26: `gh pr list` has no flag `limt`
  3 | command "pr list" { flag "limt" hidden=true; arg "nubmer" required=true; flag "web" hidden=true }
    |                          ^^^^^^
  help: did you mean `limit`?
gh.kdl:3:50: `gh pr list` has no argument `nubmer`
  3 | command "pr list" { flag "limt" hidden=true; arg "nubmer" required=true; flag "web" hidden=true }
    |                                                  ^^^^^^^^
  help: did you mean `number`?
changed: pr list --web (hidden)

"#]]
    );
}

#[test]
fn what_cannot_be_is_told_and_changes_nothing() {
    for (body, expected) in [
        ("comand \"x\"", "`comand` means nothing in `overlay`"),
        ("effect \"safe\"", "`effect` takes"),
        (
            "command \"pr list\" { flag \"web\" typo=true }",
            "`typo` means nothing in `flag`",
        ),
        (
            "command \"pr list\" { name \"view\" }",
            "there is a command called `view` beside it",
        ),
        (
            "command \"pr list\" { flag \"limit\" name=\"state\" }",
            "there is an `arg` or `flag` `state` already",
        ),
        (
            "command \"pr list\" { flag \"limit\" required=true hidden=true }",
            "`limit` is required: hidden",
        ),
        (
            "command \"pr list\" { flag \"limit\" required=true default=\"1\" }",
            "`limit` is required: its default",
        ),
        (
            "command \"pr list\" { flag \"limit\" type=\"integer\" { default \"x\" } }",
            "`default` takes a whole number",
        ),
        (
            "command \"pr list\" { flag \"web\" repeat=true }",
            "`repeat` is for arrays",
        ),
        (
            "command \"pr list\" { flag \"web\" enum=\"x\" }",
            "`enum` is for flags that take a value",
        ),
        (
            "command \"pr list\" { flag \"x\" add=true long=\"--web\" }",
            "there is the flag `web` already",
        ),
        (
            "command \"pr list\" { arg \"number\" hidden=true }",
            "`hidden` means nothing in `arg`",
        ),
    ] {
        let told = mistakes(body);
        assert!(told.contains(expected), "{body}: {told}");
        assert!(told.contains("changed: \n"), "{body}: {told}");
    }
}

#[test]
fn a_file_of_definitions_is_none_of_corrections() {
    assert!(overlay::is_overlay("overlay \"x\" { }"));
    assert!(!overlay::is_overlay("cli \"x\" { }"));
    assert!(!overlay::is_overlay("overlay \"x\" {"));
    let read = overlay::read("x.kdl", "cli \"x\" { }");
    assert_eq!(
        read.mistakes[0].message,
        "`cli` means nothing in a file of overlays"
    );
}
