//! Usage specs in KDL: what `mise usage`, `--usage-spec` and `*.usage.kdl` files say.
//!
//! A spec can name commands to run for more of itself (`mount`, `complete`, `choices
//! run=`) and files to read (`include`): nothing of that is done, only noted where the
//! program has more than is said here.

use std::collections::BTreeMap;

use super::tree::{MOST_WORDS, Said, Tree};
use super::{DescribedError, document, named};
use crate::model::{Effect, Evidence, Group, Reading};
use crate::sources::kdl::syntax::{self, Node};

mod node;
mod param;

use node::Reader;

/// What a spec can say at its top, as far as it tells one from other KDL.
const OWN: &[&str] = &["bin", "cmd", "flag", "arg", "min_usage_version"];
const TOP: &[&str] = &[
    "name",
    "version",
    "about",
    "long_about",
    "author",
    "license",
    "include",
    "usage",
    "complete",
    "config",
    "config_file",
    "before_help",
    "before_long_help",
    "source_code_link_template",
    "repository",
    "flagset",
    "example",
];

/// Sets of flags within sets of flags.
const DEEPEST_SET: usize = 8;

pub(super) fn recognise(text: &str) -> bool {
    if document::is_json(text) || !OWN.iter().any(|own| text.contains(own)) {
        return false;
    }
    let Ok(nodes) = syntax::parse(text) else {
        return false;
    };
    let is = |node: &Node, names: &[&str]| names.contains(&node.name.text.as_str());
    let starts = nodes
        .first()
        .is_some_and(|node| is(node, OWN) || is(node, TOP));
    let says = |node: &Node| is(node, OWN) && node.value(0).is_some();
    starts && nodes.iter().any(says) && !nodes.iter().any(|node| is(node, &["cli"]))
}

pub(super) fn read(name: Option<&str>, text: &str) -> Result<Reading, DescribedError> {
    let nodes = syntax::parse(text).map_err(|fault| {
        let line = text.get(..fault.span.start).unwrap_or_default();
        let line = line.bytes().filter(|byte| *byte == b'\n').count() + 1;
        DescribedError(format!("is not KDL: line {line}: {}", fault.message))
    })?;
    let top = |name: &str| nodes.iter().find(|node| node.name.text == name);
    if let Some(node) = nodes.iter().find(|node| node.name.text == "cli") {
        let line = text.get(..node.name.span.start).unwrap_or_default();
        let line = line.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let what = format!("has a `cli` in line {line}: that is a definition, no usage spec");
        return Err(DescribedError(what));
    }
    let value = |name: &str| top(name).and_then(|node| node.value(0));
    let own = value("bin").or_else(|| value("name")).unwrap_or_default();
    let mut tree = Tree::new(named(name, &own), value("version"))?;
    let sets = nodes
        .iter()
        .filter(|node| node.name.text == "flagset")
        .filter_map(|node| Some((node.value(0)?, node)))
        .collect();
    let spec = Spec { sets };
    let root = Parts {
        nodes: &nodes,
        entries: None,
    };
    spec.add(&mut tree, root, &[]);
    Ok(tree.finish())
}

struct Spec<'a> {
    /// Flags to be used by name.
    sets: BTreeMap<String, &'a Node>,
}

/// What is said of a command: in nodes below it, and on its own line.
#[derive(Clone, Copy)]
struct Parts<'a> {
    nodes: &'a [Node],
    /// Nothing for the root, which has no line.
    entries: Option<&'a Node>,
}

impl Parts<'_> {
    /// The first of `keys` that is said, on the line or below.
    fn said(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| {
            let below = || {
                let node = self.nodes.iter().find(|node| node.name.text == *key)?;
                node.value(0)
            };
            let here = self.entries.and_then(|node| node.property(key));
            here.or_else(below)
        })
    }

    fn is(&self, key: &str) -> bool {
        self.said(&[key]).as_deref() == Some("true")
    }
}

impl<'a> Spec<'a> {
    fn add(&self, tree: &mut Tree, parts: Parts<'a>, path: &[String]) {
        let mut said = Said::at(path);
        self.tell(&mut said, parts);
        said.spec.hidden = parts.is("hide");
        said.spec.deprecated = deprecation(parts.said(&["deprecated"]));
        said.spec.group = parts.said(&["help_heading"]);
        said.effect = parts
            .said(&["effect"])
            .and_then(|word| effect(&word))
            .map(|effect| (effect, Evidence::SelfDescription));
        let mut has_children = false;
        for node in parts.nodes {
            match node.name.text.as_str() {
                "alias" if !path.is_empty() && !node.is("hide") => {
                    said.spec.aliases.extend(node.values());
                }
                "flag" => self.flag(tree, &mut said, node),
                "use" => self.used(tree, &mut said, node, DEEPEST_SET),
                "arg" => param::positional(tree, &mut said, node),
                "group" => said.groups.extend(group(node)),
                "cmd" => has_children = true,
                "mount" => {
                    has_children = true;
                    let what = node.property("run").or_else(|| {
                        let children = node.children.iter().flatten();
                        let mut run = children.filter(|it| it.name.text == "run");
                        run.next()?.value(0)
                    });
                    let what = what.unwrap_or_default();
                    let what = format!(
                        "has more commands, which `{what}` would list; what a spec names is not run"
                    );
                    tree.lose(path, what);
                }
                "include" => {
                    let file = node.value(0).or_else(|| node.property("file"));
                    let file = file.unwrap_or_default();
                    let what = format!("`{file}` is to be included and was not read");
                    tree.lose(path, what);
                }
                _ => {}
            }
        }
        let needs_child = parts.is("subcommand_required");
        let stands = parts.said(&["default_subcommand"]).is_some();
        let does = said.spec.positionals().next().is_some()
            || said
                .spec
                .params
                .iter()
                .any(|it| it.name != "version" && !said.passed_on.contains(&it.name));
        said.runnable = match (needs_child, has_children) {
            (true, true) => Some(false),
            (false, true) if stands => Some(true),
            // It need not have a subcommand, and its own flags or words say that it
            // does something then.
            (false, true) if does => Some(true),
            (_, true) => None,
            (_, false) => Some(true),
        };
        if !tree.add(said) || path.len() >= MOST_WORDS {
            return;
        }
        for node in parts.nodes.iter().filter(|it| it.name.text == "cmd") {
            let Some(name) = node.value(0) else {
                tree.lose(path, "has a `cmd` without a name");
                continue;
            };
            let mut path = path.to_vec();
            path.push(name);
            let parts = Parts {
                nodes: node.children.as_deref().unwrap_or_default(),
                entries: Some(node),
            };
            self.add(tree, parts, &path);
        }
    }

    fn tell(&self, said: &mut Said, parts: Parts<'_>) {
        let text = |keys: &[&str]| parts.said(keys).unwrap_or_default();
        let short = text(&["help", "about"]);
        let long = text(&["long_help", "help_long", "long_about", "about_long"]);
        let mut long = match long.trim() {
            "" => short.clone(),
            _ => long,
        };
        let before = text(&["before_long_help", "before_help_long", "before_help"]);
        let after = text(&["after_long_help", "after_help_long", "after_help"]);
        let examples: Vec<(String, String)> = parts
            .nodes
            .iter()
            .filter(|node| node.name.text == "example")
            .filter_map(example)
            .collect();
        let examples = examples.iter().map(|(about, it)| (&**about, &**it));
        said.spec.examples = document::examples(examples);
        let after = after.trim();
        let is_examples = after
            .lines()
            .next()
            .is_some_and(|line| line.trim().to_lowercase().starts_with("example"));
        if is_examples && said.spec.examples.is_empty() {
            let body: Vec<&str> = after.lines().skip(1).collect();
            said.spec.examples = body.join("\n").trim_matches('\n').to_owned();
        } else if !is_examples {
            for (text, is_before) in [(before.trim(), true), (after, false)] {
                long = match (text, is_before) {
                    ("", _) => long,
                    (text, true) => format!("{text}\n\n{}", long.trim()),
                    (text, false) => format!("{}\n\n{text}", long.trim()),
                };
            }
        }
        said.tell(&short, &long);
    }

    fn flag(&self, tree: &mut Tree, said: &mut Said, node: &Node) {
        let Some(read) = param::flag(node) else {
            let written = node.value(0).unwrap_or_default();
            let what = format!("the flag `{written}` was not understood");
            tree.lose(&said.spec.path, what);
            return;
        };
        said.groups.extend(read.groups);
        said.flag(read.param, read.is_global);
    }

    /// The flags of the sets that `node` names.
    fn used(&self, tree: &mut Tree, said: &mut Said, node: &Node, depth: usize) {
        for name in node.values() {
            let set = self.sets.get(&name).filter(|_| depth > 0);
            let Some(set) = set else {
                let what = format!("uses the flags of `{name}`, which is no set of flags here");
                tree.lose(&said.spec.path, what);
                continue;
            };
            for node in set.children.iter().flatten() {
                match node.name.text.as_str() {
                    "flag" => self.flag(tree, said, node),
                    "use" => self.used(tree, said, node, depth - 1),
                    _ => {}
                }
            }
        }
    }
}

/// `example "mise use node" header="…" help="…"`, once `example "header" "mise use node"`.
fn example(node: &Node) -> Option<(String, String)> {
    let mut values = node.values().into_iter();
    let first = values.next()?;
    if let Some(code) = values.next() {
        return Some((first, code.trim().to_owned()));
    }
    let parts = [node.property("header"), node.property("help")];
    let about: Vec<String> = parts.into_iter().flatten().collect();
    Some((about.join("\n"), first.trim().to_owned()))
}

/// `group "input" "--file" "--url" required=#true`: at most one of them, unless several
/// are allowed.
fn group(node: &Node) -> Vec<Group> {
    let mut members: Vec<String> = node.values().into_iter().skip(1).collect();
    for child in node.children.iter().flatten() {
        if child.name.text == "flag" {
            members.extend(child.values());
        }
    }
    let mut groups = Vec::new();
    if !node.is("multiple") {
        groups.push(Group::Exclusive(members.clone()));
    }
    if node.is("required") {
        groups.push(Group::AnyOf(members));
    }
    groups
}

fn effect(word: &str) -> Option<Effect> {
    match word {
        "read" => Some(Effect::Read),
        "write" => Some(Effect::Write),
        "destructive" => Some(Effect::Destructive),
        _ => None,
    }
}

/// The reason, or that there is one.
fn deprecation(said: Option<String>) -> Option<String> {
    match said?.as_str() {
        "false" => None,
        "true" => Some("deprecated".to_owned()),
        reason => Some(reason.to_owned()),
    }
}

#[cfg(test)]
mod tests;
