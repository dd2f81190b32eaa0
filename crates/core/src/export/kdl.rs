//! A reading as a definition: a `cli` that a person corrects and serves in its place.
//!
//! Read back, it has the same tools with the same parameters, and the same arguments
//! become the same words. What it cannot say, and what the reader was unsure of, stands
//! in comments.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::NotWritten;
use super::resolve::{Resolved, is_name, resolve};
use super::text::{Page, all_quoted, quoted};
use crate::catalog::HELPERS;
use crate::model::{
    CommandSpec, Effect, Evidence, Fact, Family, Group, Joiner, Kind, Param, Program, Provenance,
    Reading, Scalar, Split,
};
use crate::sources::kdl::types;

/// A call of a program that was read is ended after so many milliseconds.
const TIMEOUT: u64 = 120_000;
/// Losses of one command that are told.
const MOST_LOSSES: usize = 40;
/// Flags that are passed on from command to command; more of them are written as a set,
/// which all share.
const MOST_PASSED_ON: usize = 40;
/// Braces within braces that a definition may have, for commands.
const DEEPEST: usize = 24;

/// What commands below have unless they say otherwise.
#[derive(Clone)]
struct Above {
    flags: Vec<Param>,
    groups: Vec<Group>,
    effect: Effect,
    hidden: bool,
    end_of_options: bool,
}

struct Writer<'a> {
    program: Arc<Program>,
    reading: &'a Reading,
    page: Page,
    /// Sets of inherited flags, by name.
    sets: Vec<(String, Vec<Param>)>,
    /// What each command has.
    resolved: Vec<Resolved>,
    /// The commands below each, by their places.
    children: BTreeMap<Vec<String>, Vec<usize>>,
}

/// `reading` as a definition whose `command` is this: the program's name, or its path.
///
/// # Errors
///
/// A definition is not written anew: its own file says more.
pub fn definition(reading: &Reading, command: &str) -> Result<String, NotWritten> {
    let program = Arc::new(reading.program.clone());
    if program.family == Family::Definition {
        return Err(NotWritten::Definition(program.name.clone()));
    }
    let mut children: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (index, spec) in program.commands.iter().enumerate() {
        if let Some((_, parent)) = spec.path.split_last() {
            let siblings = children.entry(parent.to_vec()).or_default();
            // A page may list a command twice.
            if siblings
                .iter()
                .all(|&it| program.commands[it].path != spec.path)
            {
                siblings.push(index);
            }
        }
    }
    let resolved = (0..program.commands.len()).map(|index| resolve(&program, index));
    let mut writer = Writer {
        resolved: resolved.collect(),
        program,
        reading,
        page: Page::default(),
        sets: Vec::new(),
        children,
    };
    writer.cli(command);
    Ok(writer.page.into_text())
}

impl Writer<'_> {
    fn cli(&mut self, command: &str) {
        let program = Arc::clone(&self.program);
        let version = program.version.as_deref().unwrap_or_default();
        let family = program.family.title();
        self.page.comment(&format!(
            "What argway read of {} {version} ({family}). Correct it and serve it in the program's \
             place: `argway check FILE`, `argway serve FILE`.",
            program.name
        ));
        let name = match is_name(&program.name) {
            true => program.name.clone(),
            false => "program".to_owned(),
        };
        self.page.open(format!("cli {}", quoted(&name)));
        let above = Above {
            flags: Vec::new(),
            groups: Vec::new(),
            effect: Effect::Unknown,
            hidden: false,
            end_of_options: true,
        };
        let Some(root) = program.commands.first().filter(|root| root.path.is_empty()) else {
            self.page.text("description", &program.name);
            self.page.line(format!("command {}", quoted(command)));
            self.page.close();
            return;
        };
        self.description(root);
        self.page.line(format!("command {}", quoted(command)));
        self.page
            .line(format!("family {}", quoted(&family_word(program.family))));
        self.page.line(format!("timeout {TIMEOUT}"));
        self.sandbox();
        self.find_sets(0, &above);
        self.write_sets();
        self.body(0, root, &above, 1);
        self.page.close();
    }

    /// What to open, where the program needs more than a sandbox gives.
    fn sandbox(&mut self) {
        self.page.comment(
            "It runs in a sandbox: no network, no files but those of the working directory, a HOME \
             of its own. Where it needs more, open that and no more:",
        );
        for line in [
            "sandbox {",
            "    network true        // it talks to a server",
            "    filesystem \"home\"   // it reads settings in your home, or \"full\": all files",
            "    // read \"/path\"      // only this, instead of your whole home",
            "}",
        ] {
            self.page.comment_line(line);
        }
    }

    /// What a command says by itself, and those below it.
    fn body(&mut self, index: usize, spec: &CommandSpec, above: &Above, depth: usize) {
        let program = Arc::clone(&self.program);
        let children: Vec<usize> = self.below(spec).collect();
        let aliases = spec.aliases.iter().filter(|alias| !alias.trim().is_empty());
        let aliases = all_quoted(aliases.map(String::as_str));
        if !aliases.is_empty() && !spec.path.is_empty() {
            self.page.line(format!("alias {aliases}"));
        }
        let is_tool = self.is_tool(spec);
        match (is_tool, children.is_empty()) {
            (true, false) => self.page.line("runnable true"),
            (false, true) if !spec.path.is_empty() => self.page.line("runnable false"),
            _ => {}
        }
        if spec.effect != above.effect {
            self.page
                .line(format!("effect \"{}\"", effect_word(spec.effect)));
        }
        if spec.hidden != above.hidden {
            self.page.line(format!("hidden {}", spec.hidden));
        }
        if let Some(why) = &spec.deprecated {
            self.page
                .text("deprecated", or(why.trim(), "it is deprecated"));
        }
        let end_of_options = !spec.raw_words;
        if end_of_options != above.end_of_options {
            if spec.raw_words {
                self.page.comment(
                    "It passes every word on without looking for flags: `--` protects nothing.",
                );
            }
            self.page.line(format!("end_of_options {end_of_options}"));
        }
        self.notes_of(spec);
        let usage = self.usage(index, spec);
        if !usage.is_empty() {
            self.page.line(format!("usage {}", quoted(&usage)));
        }
        if let Some(name) = self.said_set(index, above) {
            self.page.line(match name {
                Some(name) => format!("inherits {}", quoted(&name)),
                None => "inherits false".to_owned(),
            });
        }
        let notes = std::mem::take(&mut self.resolved[index].notes);
        for note in &notes {
            self.page.comment(note);
        }
        let own = std::mem::take(&mut self.resolved[index].own);
        let is_bare = own.is_empty() && children.is_empty();
        if is_bare && spec.path.is_empty() {
            self.page.line("args false");
        }
        for param in &own {
            match (param.is_flag(), is_tool) {
                (true, _) => self.flag(param),
                (false, true) => self.arg(param),
                (false, false) => self.page.comment(&format!(
                    "`{}` is an argument of a command that does nothing by itself",
                    param.name
                )),
            }
        }
        self.resolved[index].own = own;
        self.groups(index, spec, above);
        for block in blocks(&spec.examples) {
            self.page.text("example", &block);
        }
        let below = self.pass_on(index, spec, above);
        for child in children {
            let spec = &program.commands[child];
            let Some(word) = spec.path.last() else {
                continue;
            };
            if !is_name(word) || depth >= DEEPEST {
                self.page.comment(&format!(
                    "The subcommand `{word}` is left out: a definition cannot name it."
                ));
                continue;
            }
            self.page.line("");
            self.page.open(format!("subcommand {}", quoted(word)));
            if self.is_tool(spec) || self.below(spec).next().is_some() {
                self.description(spec);
            }
            self.body(child, spec, &below, depth + 1);
            self.page.close();
        }
    }

    /// The commands below `spec` that are written: a helper of the program's library is a
    /// word and nothing more.
    fn below(&self, spec: &CommandSpec) -> impl Iterator<Item = usize> + use<> {
        let children = self.children.get(&spec.path).filter(|_| !is_helper(spec));
        children.cloned().unwrap_or_default().into_iter()
    }

    fn is_tool(&self, spec: &CommandSpec) -> bool {
        spec.runnable && !is_helper(spec)
    }

    fn description(&mut self, spec: &CommandSpec) {
        let seen = |text: &str| text.replace('\0', "").trim().to_owned();
        let (summary, long) = (seen(&spec.summary), seen(&spec.description));
        let text = match (summary.as_str(), long.as_str()) {
            ("", "") => {
                self.page
                    .comment("It says nothing of itself: say what it does.");
                let line = self.reading.program.command_line(&spec.path);
                return self.page.text("description", or(line.trim(), "a program"));
            }
            (summary, "") => summary.to_owned(),
            ("", long) => long.to_owned(),
            (summary, long) if long.starts_with(summary) => long.to_owned(),
            (summary, long) => format!("{summary}\n\n{long}"),
        };
        self.page.text("description", &text);
    }

    /// What the reader was unsure of, and what it did not understand.
    fn notes_of(&mut self, spec: &CommandSpec) {
        if let Some(unsure) = unsure(&spec.from) {
            self.page.comment(&unsure);
        }
        let reading = self.reading;
        let losses: Vec<&str> = reading
            .losses
            .iter()
            .filter(|loss| loss.path == spec.path)
            .map(|loss| loss.what.as_str())
            .collect();
        for what in losses.iter().take(MOST_LOSSES) {
            self.page.comment(&format!("not understood: {what}"));
        }
        if losses.len() > MOST_LOSSES {
            let more = losses.len() - MOST_LOSSES;
            self.page
                .comment(&format!("not understood: {more} things more"));
        }
    }

    /// The usage line, with the names that the parameters have here.
    fn usage(&self, index: usize, spec: &CommandSpec) -> String {
        let mut words: Vec<String> = spec.usage.split_whitespace().map(str::to_owned).collect();
        for (old, new) in &self.resolved[index].renamed {
            const BRACKETS: [char; 7] = ['[', ']', '(', ')', '<', '>', '.'];
            let old = old.trim_matches(BRACKETS);
            for word in words.iter_mut().skip(1 + spec.path.len()) {
                if !old.is_empty() && word.trim_matches(BRACKETS) == old {
                    *word = word.replacen(old, new, 1);
                }
            }
        }
        words.join(" ")
    }

    /// What commands below `index` have from it.
    fn pass_on(&self, index: usize, spec: &CommandSpec, above: &Above) -> Above {
        let resolved = &self.resolved[index];
        let own = resolved.own.iter().filter(|param| param.is_flag());
        let flags: Vec<Param> = resolved.inherited.iter().chain(own).cloned().collect();
        let is_shared = |name: &String| flags.iter().any(|flag| flag.name == *name);
        let groups = self.groups_of(index, spec).into_iter();
        Above {
            groups: groups
                .filter(|group| members(group).iter().all(is_shared))
                .collect(),
            flags,
            effect: spec.effect,
            hidden: spec.hidden,
            end_of_options: match spec.path.is_empty() && !spec.raw_words {
                true => above.end_of_options,
                false => !spec.raw_words,
            },
        }
    }

    /// The groups of a command by the names that its parameters have here.
    fn groups_of(&self, index: usize, spec: &CommandSpec) -> Vec<Group> {
        let resolved = &self.resolved[index];
        let known = |name: &str| {
            let mut all = resolved.own.iter().chain(&resolved.inherited);
            all.any(|param| param.name == name)
        };
        let rename = |names: &[String]| -> Option<Vec<String>> {
            let mut renamed: Vec<String> = Vec::new();
            for name in names {
                let new = resolved.renamed.iter().find(|(old, _)| old == name);
                let name = new.map_or(name, |(_, new)| new);
                if !known(name) {
                    return None;
                }
                if !renamed.contains(name) {
                    renamed.push(name.clone());
                }
            }
            (renamed.len() > 1).then_some(renamed)
        };
        let groups = spec.groups.iter();
        groups
            .filter_map(|group| {
                let names = rename(members(group))?;
                Some(match group {
                    Group::Exclusive(_) => Group::Exclusive(names),
                    Group::Together(_) => Group::Together(names),
                    Group::AnyOf(_) => Group::AnyOf(names),
                    Group::Requires(_) => Group::Requires(names),
                })
            })
            .collect()
    }

    fn groups(&mut self, index: usize, spec: &CommandSpec, above: &Above) {
        let groups = self.groups_of(index, spec);
        if groups.len() < spec.groups.len() {
            self.page
                .comment("A group of parameters is left out: one of its members is not here.");
        }
        let has = match self.said_set(index, above) {
            Some(_) => &[][..],
            None => above.groups.as_slice(),
        };
        for group in groups.iter().filter(|group| !has.contains(group)) {
            let name = match group {
                Group::Exclusive(_) => "exclusive",
                Group::Together(_) => "together",
                Group::AnyOf(_) => "any_of",
                Group::Requires(_) => "requires",
            };
            let names = all_quoted(members(group).iter().map(String::as_str));
            self.page.line(format!("{name} {names}"));
        }
    }

    /// What `inherits` says for the command at `index`; nothing where it has what the
    /// one above it passes on.
    fn said_set(&self, index: usize, above: &Above) -> Option<Option<String>> {
        let wanted = &self.resolved[index].inherited;
        let spec = &self.program.commands[index];
        let groups = self.groups_of(index, spec);
        let has_groups = above.groups.iter().all(|group| groups.contains(group));
        if *wanted == above.flags && wanted.len() <= MOST_PASSED_ON && has_groups {
            return None;
        }
        if wanted.is_empty() {
            return Some(None);
        }
        let set = self.sets.iter().find(|(_, flags)| flags == wanted);
        set.map(|(name, _)| Some(name.clone()))
    }

    /// Names the sets that commands from `index` on need.
    fn find_sets(&mut self, index: usize, above: &Above) {
        let program = Arc::clone(&self.program);
        let spec = &program.commands[index];
        let wanted = &self.resolved[index].inherited;
        let known = self.sets.iter().any(|(_, flags)| flags == wanted);
        let few = wanted.len() <= MOST_PASSED_ON;
        let has = *wanted == above.flags && few && above.groups.is_empty();
        if !known && !has && !wanted.is_empty() {
            let parent = spec.path.split_last().map_or(&[][..], |(_, parent)| parent);
            let wanted_name = match parent {
                [] => "global".to_owned(),
                words => words.join(" "),
            };
            let numbered = (2..).map(|number| format!("{wanted_name} {number}"));
            let mut names = std::iter::once(wanted_name.clone()).chain(numbered);
            let name = names.find(|name| self.sets.iter().all(|(known, _)| known != name));
            self.sets
                .push((name.unwrap_or(wanted_name), wanted.clone()));
        }
        let below = self.pass_on(index, spec, above);
        for child in self.below(spec) {
            self.find_sets(child, &below);
        }
    }

    fn write_sets(&mut self) {
        let sets = std::mem::take(&mut self.sets);
        for (name, flags) in &sets {
            self.page.line("");
            self.page.open(format!("flags {}", quoted(name)));
            for flag in flags {
                self.flag(flag);
            }
            self.page.close();
        }
        self.sets = sets;
    }

    fn flag(&mut self, param: &Param) {
        let Some(spelling) = param.spelling() else {
            return;
        };
        let mut line = format!("flag {}", quoted(&param.name));
        let default_long = format!("--{}", param.name);
        if let Some(short) = &spelling.short {
            line.push_str(&format!(" short={}", quoted(short)));
        }
        if let Some(long) = &spelling.long
            && (spelling.short.is_some() || *long != default_long)
        {
            line.push_str(&format!(" long={}", quoted(long)));
        }
        if let Some(negative) = &spelling.negative
            && param.kind == Kind::Switch
        {
            line.push_str(&format!(" negative={}", quoted(negative)));
        }
        let (kind, split) = match &param.kind {
            Kind::Switch => (None, None),
            Kind::Count => (Some("count"), None),
            Kind::One(scalar) => (Some(types::word(scalar)), None),
            Kind::List(scalar, split) => (Some("array"), Some((scalar, Some(*split)))),
            Kind::Map(scalar) => (Some("map"), Some((scalar, None))),
            Kind::Line => (Some("array"), None),
        };
        if let Some(kind) = kind {
            line.push_str(&format!(" type=\"{kind}\""));
        }
        if let Some((scalar, split)) = split {
            if types::word(scalar) != "string" {
                line.push_str(&format!(" items=\"{}\"", types::word(scalar)));
            }
            match split {
                Some(Split::Repeat) => line.push_str(" repeat=true"),
                Some(Split::Joined) => {
                    let separator = spelling.separator.as_deref().filter(|it| !it.is_empty());
                    line.push_str(&format!(" separator={}", quoted(separator.unwrap_or(" "))));
                }
                Some(split) => {
                    let word = types::split_word(split).unwrap_or("words");
                    line.push_str(&format!(" split=\"{word}\""));
                }
                None => {}
            }
        }
        if let (true, Some(joiner)) = (param.kind.takes_value(), joiner_word(param)) {
            line.push_str(&format!(" joiner=\"{joiner}\""));
        }
        if let (true, Some(bare)) = (param.kind.takes_value(), &spelling.bare) {
            line.push_str(&format!(" bare={}", quoted(bare)));
        }
        if let Some(words) = spelling.after_words {
            line.push_str(&format!(" after_words={words}"));
        }
        if param.hidden && !param.required {
            line.push_str(" hidden=true");
        }
        if let Some(effect) = param.effect.filter(|effect| *effect != Effect::Read) {
            line.push_str(&format!(" effect=\"{}\"", effect_word(effect)));
        }
        self.param(param, line);
    }

    fn arg(&mut self, param: &Param) {
        let mut line = format!("arg {}", quoted(&param.name));
        let (kind, items) = match &param.kind {
            Kind::One(Scalar::Bool) => (Some("boolean"), None),
            Kind::One(scalar) => (Some(types::word(scalar)), None),
            Kind::List(scalar, _) | Kind::Map(scalar) => (Some("array"), Some(types::word(scalar))),
            Kind::Line => (Some("array"), None),
            Kind::Switch | Kind::Count => (None, None),
        };
        if let Some(kind) = kind.filter(|kind| *kind != "string") {
            line.push_str(&format!(" type=\"{kind}\""));
        }
        if let Some(items) = items.filter(|items| *items != "string") {
            line.push_str(&format!(" items=\"{items}\""));
        }
        self.param(param, line);
    }

    /// What flags and args have in common.
    fn param(&mut self, param: &Param, mut line: String) {
        for note in notes(param) {
            self.page.comment(&note);
        }
        if param.required {
            line.push_str(" required=true");
        }
        if let Some(name) = param
            .value_name
            .as_deref()
            .filter(|it| !it.trim().is_empty())
        {
            line.push_str(&format!(" value_name={}", quoted(name)));
        }
        let text = param.text.trim();
        let default = param.default.as_deref();
        let choices = choices(param);
        let deprecated = param.deprecated.as_deref().filter(|_| param.is_flag());
        if text.is_empty() && default.is_none() && choices.is_empty() && deprecated.is_none() {
            return self.page.line(line);
        }
        self.page.open(line);
        if !text.is_empty() {
            self.page.text("description", text);
        }
        if let Some(default) = default {
            self.page
                .line(format!("program_default {}", quoted(default)));
        }
        if !choices.is_empty() {
            self.page.line(format!("enum {}", choices.join(" ")));
        }
        if let Some(why) = deprecated {
            self.page
                .text("deprecated", or(why.trim(), "it is deprecated"));
        }
        self.page.close();
    }
}

/// What a person should look at before believing a parameter.
fn notes(param: &Param) -> Vec<String> {
    let mut notes: Vec<String> = unsure(&param.from).into_iter().collect();
    let scalar = match &param.kind {
        Kind::One(scalar) | Kind::List(scalar, _) | Kind::Map(scalar) => Some(scalar),
        Kind::Switch | Kind::Count | Kind::Line => None,
    };
    let shown = matches!(param.from.of(Fact::Type), None | Some(Evidence::Convention));
    match scalar {
        Some(Scalar::String) if param.choices.is_empty() && shown => {
            notes.push("any text: nothing says more of its value".to_owned());
        }
        Some(Scalar::Other(name)) if param.choices.is_empty() => notes.push(match name.as_str() {
            "" => "any text: its type is the program's own".to_owned(),
            name => format!("any text: its type `{name}` is the program's own"),
        }),
        _ => {}
    }
    if let Some(env) = &param.env {
        notes.push(format!(
            "taken from the variable {env} where it is not given; `pass_env` lets the program see that"
        ));
    }
    if param.hidden && (param.required || !param.is_flag()) {
        notes.push("the program hides it; what must be given is shown here".to_owned());
    }
    if param.deprecated.is_some() && !param.is_flag() {
        notes.push("the program calls it deprecated".to_owned());
    }
    if matches!(param.kind, Kind::List(Scalar::Other(_), Split::Csv)) {
        notes.push("a value of this list that holds a comma is refused here".to_owned());
    }
    let double = param
        .spelling()
        .and_then(|spelling| spelling.long.as_deref());
    if joiner_word(param) == Some("equals")
        && param
            .spelling()
            .is_some_and(|it| it.joiner == Joiner::Attached)
    {
        let long = double.unwrap_or_default();
        notes.push(format!(
            "the value stood right behind `{long}`, which cannot be said here"
        ));
    }
    notes
}

/// Which facts only a custom of such programs speaks for.
fn unsure(from: &Provenance) -> Option<String> {
    const FACTS: [(Fact, &str); 12] = [
        (Fact::Name, "that it is there"),
        (Fact::Aliases, "its other names"),
        (Fact::Group, "its group"),
        (Fact::Text, "its text"),
        (Fact::Examples, "its examples"),
        (Fact::Runnable, "whether it runs by itself"),
        (Fact::Effect, "its effect"),
        (Fact::Type, "its type"),
        (Fact::Default, "its default"),
        (Fact::Required, "whether it is required"),
        (Fact::Choices, "its values"),
        (Fact::Bare, "what it stands for without a value"),
    ];
    let guessed = FACTS.iter();
    let guessed = guessed.filter(|(fact, _)| from.of(*fact) == Some(Evidence::Convention));
    let guessed: Vec<&str> = guessed.map(|(_, what)| *what).collect();
    (!guessed.is_empty()).then(|| format!("unsure, by custom only: {}", guessed.join(", ")))
}

/// The values that it takes, as KDL, each once.
fn choices(param: &Param) -> Vec<String> {
    let (Kind::One(scalar) | Kind::List(scalar, _) | Kind::Map(scalar)) = &param.kind else {
        return Vec::new();
    };
    let mut seen: Vec<String> = Vec::new();
    for choice in &param.choices {
        let value = match scalar {
            Scalar::Bool => continue,
            Scalar::Int(_) | Scalar::Uint(_) => match choice.parse::<i64>() {
                Ok(number) => number.to_string(),
                Err(_) => continue,
            },
            Scalar::Float(_) => match choice.parse::<f64>() {
                Ok(number) if number.is_finite() => choice.clone(),
                _ => continue,
            },
            Scalar::Path if choice.is_empty() => continue,
            _ => quoted(choice),
        };
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

fn joiner_word(param: &Param) -> Option<&'static str> {
    let spelling = param.spelling()?;
    match spelling.joiner {
        Joiner::Space => None,
        Joiner::Equals => Some("equals"),
        Joiner::Attached => match &spelling.long {
            Some(long) if long.starts_with("--") => Some("equals"),
            _ => Some("none"),
        },
    }
}

fn effect_word(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "read",
        Effect::Unknown => "unknown",
        Effect::Write => "write",
        Effect::Destructive => "destructive",
    }
}

/// As the description format writes it.
fn family_word(family: Family) -> String {
    let json = serde_json::to_value(family).unwrap_or_default();
    json.as_str().unwrap_or("unknown").to_owned()
}

/// The parts of an examples section, which blank lines separate.
fn blocks(examples: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in examples.lines() {
        match (line.trim().is_empty(), blocks.last_mut()) {
            (true, _) => blocks.push(String::new()),
            (false, Some(last)) => {
                if !last.is_empty() {
                    last.push('\n');
                }
                last.push_str(line.trim_end());
            }
            (false, None) => {}
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

fn is_helper(spec: &CommandSpec) -> bool {
    let first = spec.path.first();
    first.is_some_and(|word| HELPERS.contains(&word.as_str()))
}

fn members(group: &Group) -> &[String] {
    match group {
        Group::Exclusive(names)
        | Group::Together(names)
        | Group::AnyOf(names)
        | Group::Requires(names) => names,
    }
}

fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    match text.is_empty() {
        true => otherwise,
        false => text,
    }
}
