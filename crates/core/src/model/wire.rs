//! The description format: a [`Reading`] as JSON.
//!
//! Flags that many commands inherit are written once, under `flag_sets`, and
//! commands name their set. Reading checks the format number first.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{
    Annotations, CommandSpec, Effect, FORMAT, Family, Group, Joiner, Kind, Loss, Param, Program,
    Provenance, Reading, Role, RunSpec, Secret, Spelling, StdoutFormat, is_default,
};
use crate::schema::check_schema;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    /// The format's version; first, so that a reader meets it first.
    argway: u32,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    executable: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    family: Family,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    flag_sets: BTreeMap<String, Arc<[Param]>>,
    commands: Vec<Command>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    losses: Vec<Loss>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    path: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    called: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    summary: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    examples: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    usage: String,
    runnable: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    hidden: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deprecated: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    raw_words: bool,
    effect: Effect,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    params: Vec<Param>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inherits: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    groups: Vec<Group>,
    #[serde(default, skip_serializing_if = "is_default")]
    annotations: Annotations,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<StdoutFormat>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<Arc<RunSpec>>,
    #[serde(default, skip_serializing_if = "Provenance::is_empty")]
    from: Provenance,
}

impl Serialize for Reading {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sets: BTreeMap<String, Arc<[Param]>> = BTreeMap::new();
        let commands = self
            .program
            .commands
            .iter()
            .map(|command| Command {
                path: command.path.clone(),
                called: command.called.clone(),
                aliases: command.aliases.clone(),
                group: command.group.clone(),
                summary: command.summary.clone(),
                description: command.description.clone(),
                examples: command.examples.clone(),
                usage: command.usage.clone(),
                runnable: command.runnable,
                hidden: command.hidden,
                deprecated: command.deprecated.clone(),
                raw_words: command.raw_words,
                effect: command.effect,
                params: command.params.clone(),
                inherits: name_set(&mut sets, command),
                groups: command.groups.clone(),
                annotations: command.annotations.clone(),
                output: command.output,
                run: command.run.clone(),
                from: command.from.clone(),
            })
            .collect();
        Document {
            argway: FORMAT,
            name: self.program.name.clone(),
            executable: self.program.executable.clone(),
            version: self.program.version.clone(),
            family: self.program.family,
            flag_sets: sets,
            commands,
            losses: self.losses.clone(),
        }
        .serialize(serializer)
    }
}

/// The name under which `command`'s inherited flags are written: that of an equal
/// set met before, else the path of the command's parent.
fn name_set(sets: &mut BTreeMap<String, Arc<[Param]>>, command: &CommandSpec) -> Option<String> {
    if command.inherited.is_empty() {
        return None;
    }
    let same =
        |set: &Arc<[Param]>| Arc::ptr_eq(set, &command.inherited) || set == &command.inherited;
    let known = sets.iter().find(|(_, set)| same(set));
    if let Some((name, _)) = known {
        return Some(name.clone());
    }
    let parent = command
        .path
        .split_last()
        .map_or(&[][..], |(_, parent)| parent)
        .join(" ");
    let parent = if parent.is_empty() {
        "global".to_owned()
    } else {
        parent
    };
    let name = std::iter::once(parent.clone())
        .chain((2..).map(|n| format!("{parent} #{n}")))
        .find(|name| !sets.contains_key(name))?;
    sets.insert(name.clone(), Arc::clone(&command.inherited));
    Some(name)
}

impl<'de> Deserialize<'de> for Reading {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = Document::deserialize(deserializer)?;
        if document.argway != FORMAT {
            return Err(de::Error::custom(format_args!(
                "description format {} is not the one this argway reads ({FORMAT}); describe the program again",
                document.argway
            )));
        }
        let sets = document.flag_sets;
        let nothing: Arc<[Param]> = Arc::new([]);
        let commands = document
            .commands
            .into_iter()
            .map(|command| {
                let inherited = match &command.inherits {
                    None => Arc::clone(&nothing),
                    Some(name) => Arc::clone(sets.get(name).ok_or_else(|| {
                        de::Error::custom(format_args!(
                            "command `{}` inherits `{name}`, which is not in flag_sets",
                            command.path.join(" ")
                        ))
                    })?),
                };
                let declared = command
                    .run
                    .as_ref()
                    .and_then(|run| run.output_schema.as_ref());
                if let Some(Err(reason)) = declared.map(check_schema) {
                    return Err(de::Error::custom(format_args!(
                        "the output_schema of command `{}` is not a JSON Schema: {reason}",
                        command.path.join(" ")
                    )));
                }
                // Thousands of them stay for as long as a server runs.
                let mut params = command.params;
                params.shrink_to_fit();
                Ok(CommandSpec {
                    path: command.path,
                    called: command.called,
                    aliases: command.aliases,
                    group: command.group,
                    summary: command.summary,
                    description: command.description,
                    examples: command.examples,
                    usage: command.usage,
                    runnable: command.runnable,
                    hidden: command.hidden,
                    deprecated: command.deprecated,
                    raw_words: command.raw_words,
                    effect: command.effect,
                    params,
                    inherited,
                    groups: command.groups,
                    annotations: command.annotations,
                    output: command.output,
                    run: command.run,
                    from: command.from,
                })
            })
            .collect::<Result<_, D::Error>>()?;
        Ok(Reading {
            program: Program {
                name: document.name,
                executable: document.executable,
                version: document.version,
                family: document.family,
                commands,
            },
            losses: document.losses,
        })
    }
}

/// A [`Param`] as one flat object: serde's own flattening reads each of a
/// thousand flags twice and lets misspelled keys pass.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Flat {
    name: String,
    role: Place,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    long: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    short: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    joiner: Joiner,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bare: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    separator: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    negative: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after_words: Option<usize>,
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(default, skip_serializing_if = "is_default")]
    required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    choices: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    env: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
    #[serde(default, skip_serializing_if = "is_default")]
    hidden: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deprecated: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    effect: Option<Effect>,
    #[serde(default, skip_serializing_if = "is_default")]
    inject_default: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secret: Option<Secret>,
    #[serde(default, skip_serializing_if = "Provenance::is_empty")]
    from: Provenance,
}

#[derive(Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Place {
    Flag,
    Positional,
}

impl Serialize for Param {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let param = self.clone();
        let (role, spelling) = match param.role {
            Role::Flag(spelling) => (Place::Flag, spelling),
            Role::Positional => (Place::Positional, Spelling::default()),
        };
        Flat {
            name: param.name,
            role,
            long: spelling.long,
            short: spelling.short,
            joiner: spelling.joiner,
            bare: spelling.bare,
            separator: spelling.separator,
            negative: spelling.negative,
            after_words: spelling.after_words,
            kind: param.kind,
            required: param.required,
            default: param.default,
            choices: param.choices,
            value_name: param.value_name,
            env: param.env,
            text: param.text,
            hidden: param.hidden,
            deprecated: param.deprecated,
            effect: param.effect,
            inject_default: param.inject_default,
            secret: param.secret,
            from: param.from,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Param {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let flat = Flat::deserialize(deserializer)?;
        let spelling = Spelling {
            long: flat.long,
            short: flat.short,
            joiner: flat.joiner,
            bare: flat.bare,
            separator: flat.separator,
            negative: flat.negative,
            after_words: flat.after_words,
        };
        let role = match flat.role {
            Place::Flag if spelling.long.is_none() && spelling.short.is_none() => {
                return Err(de::Error::custom(format_args!(
                    "flag `{}` has neither `long` nor `short`",
                    flat.name
                )));
            }
            Place::Flag => Role::Flag(spelling),
            Place::Positional if spelling != Spelling::default() => {
                return Err(de::Error::custom(format_args!(
                    "positional `{}` cannot be spelled as a flag",
                    flat.name
                )));
            }
            Place::Positional => Role::Positional,
        };
        let refuse = |what: &str| {
            Err(de::Error::custom(format_args!(
                "`{}` cannot be {what}: its type is `{}`",
                flat.name, flat.kind
            )))
        };
        if flat.secret.is_some() && !matches!(flat.kind, Kind::One(_)) {
            return refuse("a secret");
        }
        if matches!(&role, Role::Flag(spelling) if spelling.negative.is_some())
            && flat.kind != Kind::Switch
        {
            return refuse("switched off");
        }
        if flat.kind == Kind::Line && flat.role == Place::Flag {
            return refuse("a flag");
        }
        Ok(Param {
            name: flat.name,
            role,
            kind: flat.kind,
            required: flat.required,
            default: flat.default,
            choices: flat.choices,
            value_name: flat.value_name,
            env: flat.env,
            text: flat.text,
            hidden: flat.hidden,
            deprecated: flat.deprecated,
            effect: flat.effect,
            inject_default: flat.inject_default,
            secret: flat.secret,
            from: flat.from,
        })
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
