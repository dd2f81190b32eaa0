//! Chooses a call that can be made on a stranger's program without asking: it only
//! reads, needs nothing, and by its name stays on this machine.

use argway_core::catalog::{Catalog, Tool};
use argway_core::model::{Effect, Kind};
use serde_json::{Map, Value};

/// Last words of commands that tell about the program itself.
const ABOUT_ITSELF: [&str; 2] = ["version", "env"];
/// Words before the last one under which programs keep their own settings.
const SETTINGS: [&str; 4] = ["config", "context", "alias", "profile"];
/// Last words of commands that show such settings.
const SHOWING: [&str; 5] = ["list", "ls", "show", "view", "path"];

/// A call that may be made.
#[derive(Debug)]
pub struct Harmless<'a> {
    /// The tool.
    pub tool: &'a Tool,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// Harmless calls of `catalog`'s tools in the flat layout, the surest first.
pub fn calls(catalog: &Catalog) -> Vec<Harmless<'_>> {
    let mut ranked: Vec<(usize, &Tool)> = catalog
        .tools()
        .iter()
        .filter(|tool| tool.spec().effect == Effect::Read && needs_nothing(tool))
        .filter_map(|tool| Some((rank(&tool.spec().path)?, tool)))
        .collect();
    ranked.sort_by_key(|&(rank, _)| rank);
    ranked
        .into_iter()
        .map(|(_, tool)| Harmless {
            tool,
            arguments: without_server(tool),
        })
        .collect()
}

fn needs_nothing(tool: &Tool) -> bool {
    let required = |param: &argway_core::model::Param| param.required;
    !tool.flags.iter().any(required)
        && !tool.inherited.iter().any(required)
        && !tool.positionals.iter().any(required)
}

/// How sure it is from its name that a command stays on this machine; lower is surer.
fn rank(path: &[String]) -> Option<usize> {
    let (last, before) = path.split_last()?;
    if before.is_empty() {
        return ABOUT_ITSELF.iter().position(|word| word == last);
    }
    let parent = before.last()?;
    let kept = SETTINGS.iter().position(|word| word == parent)?;
    let shown = SHOWING.iter().position(|word| word == last)?;
    Some(ABOUT_ITSELF.len() + kept * SHOWING.len() + shown)
}

/// `version` of a client asks its server too, unless `--client` says not to.
fn without_server(tool: &Tool) -> Map<String, Value> {
    let client = tool
        .flags
        .iter()
        .find(|flag| flag.name == "client" && flag.kind == Kind::Switch);
    client
        .map(|flag| (flag.name.clone(), Value::Bool(true)))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use argway_core::catalog::{Inherited, Selection};
    use argway_core::model::{CommandSpec, Family, Param, Program, Scalar};

    use super::*;

    fn command(path: &str, effect: Effect, params: Vec<Param>) -> CommandSpec {
        CommandSpec {
            path: path.split_whitespace().map(str::to_owned).collect(),
            runnable: !path.is_empty(),
            effect,
            params,
            ..CommandSpec::default()
        }
    }

    #[track_caller]
    fn check(commands: Vec<CommandSpec>, expected: &[&str]) {
        let mut all = vec![command("", Effect::Unknown, Vec::new())];
        for spec in &commands {
            if let [parent, _] = &spec.path[..] {
                let mut group = command(parent, Effect::Unknown, Vec::new());
                group.runnable = false;
                all.push(group);
            }
        }
        all.extend(commands);
        let program = Program {
            name: "toy".into(),
            executable: Some("/opt/toy".into()),
            version: None,
            family: Family::Cobra,
            commands: all,
        };
        let catalog = Catalog::build(
            &[Arc::new(program)],
            &Selection::default(),
            Inherited::default(),
        )
        .unwrap();
        let found: Vec<String> = calls(&catalog)
            .iter()
            .map(|call| {
                let arguments = Value::Object(call.arguments.clone());
                format!("{} {arguments}", call.tool.name)
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn version_comes_before_settings_and_nothing_else_is_called() {
        check(
            vec![
                command("list", Effect::Read, vec![]),
                command("config list", Effect::Read, vec![]),
                command("version", Effect::Read, vec![]),
            ],
            &["toy_version {}", "toy_config_list {}"],
        );
    }

    #[test]
    fn a_version_that_would_ask_a_server_is_told_not_to() {
        let client = Param::flag("client", Kind::Switch);
        check(
            vec![command("version", Effect::Read, vec![client])],
            &[r#"toy_version {"client":true}"#],
        );
    }

    #[test]
    fn what_is_not_surely_reading_or_needs_something_is_left_alone() {
        let mut name = Param::positional("name", Kind::One(Scalar::String));
        name.required = true;
        check(
            vec![
                command("version", Effect::Unknown, vec![]),
                command("env", Effect::Write, vec![]),
                command("config view", Effect::Read, vec![name]),
            ],
            &[],
        );
    }
}
