//! A reading as a usage spec, the KDL of <https://usage.jdx.dev>, which other tools make
//! completions, manuals and parsers of.
//!
//! What a spec cannot say (a long form with one dash, types of values, which effect is
//! not known) stands in comments or is left to the help text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::NotWritten;
use super::resolve::{Resolved, resolve};
use super::text::{Page, all_quoted, quoted};
use crate::model::{
    CommandSpec, Effect, Family, Group, Joiner, Kind, Param, Program, Reading, Split,
};

struct Writer {
    program: Arc<Program>,
    page: Page,
    resolved: Vec<Resolved>,
    children: BTreeMap<Vec<String>, Vec<usize>>,
}

/// `reading` as a usage spec.
///
/// # Errors
///
/// A definition is not written: what it adds to its program would be lost.
pub fn spec(reading: &Reading) -> Result<String, NotWritten> {
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
        page: Page::default(),
        children,
    };
    writer.root();
    Ok(writer.page.into_text())
}

impl Writer {
    fn root(&mut self) {
        let program = Arc::clone(&self.program);
        self.page.comment(&format!(
            "What argway read of {} ({}).",
            program.name,
            program.family.title()
        ));
        self.page.line(format!("name {}", quoted(&program.name)));
        self.page.line(format!("bin {}", quoted(&program.name)));
        if let Some(version) = program
            .version
            .as_deref()
            .map(str::trim)
            .filter(|it| !it.is_empty())
        {
            self.page.line(format!("version {}", quoted(version)));
        }
        let Some(root) = program.commands.first().filter(|root| root.path.is_empty()) else {
            return;
        };
        let (summary, long) = texts(root);
        if !summary.is_empty() {
            self.page.text("about", summary);
        }
        if !long.is_empty() {
            self.page.text("long_about", long);
        }
        self.body(0, root, &BTreeSet::new(), 0);
    }

    /// What stands in a command; `known` are the forms of flags that it has from above.
    fn body(&mut self, index: usize, spec: &CommandSpec, known: &BTreeSet<String>, depth: usize) {
        let program = Arc::clone(&self.program);
        let children = self.children.get(&spec.path).cloned().unwrap_or_default();
        let resolved = &mut self.resolved[index];
        let own = std::mem::take(&mut resolved.own);
        let inherited = std::mem::take(&mut resolved.inherited);
        for note in std::mem::take(&mut resolved.notes) {
            self.page.comment(&note);
        }
        let mut below = known.clone();
        for flag in own.iter().filter(|param| param.is_flag()) {
            let form = form(flag).unwrap_or_default();
            let is_global = !children.is_empty() && self.reaches_all(spec, &form);
            if is_global {
                below.insert(form);
            }
            self.flag(flag, is_global);
        }
        for flag in &inherited {
            let before = flag.spelling().is_some_and(|it| it.after_words.is_some());
            if !before && !form(flag).is_some_and(|form| known.contains(&form)) {
                self.flag(flag, false);
            }
        }
        for arg in own.iter().filter(|param| !param.is_flag()) {
            self.arg(arg, spec);
        }
        let all: Vec<Param> = own.into_iter().chain(inherited).collect();
        self.groups(spec, &all);
        for block in spec
            .examples
            .split("\n\n")
            .map(str::trim)
            .filter(|it| !it.is_empty())
        {
            self.page.text("example", block);
        }
        for child in children {
            let spec = &program.commands[child];
            let Some(word) = spec.path.last() else {
                continue;
            };
            if depth >= 24 {
                self.page
                    .comment(&format!("`{word}` is left out: it lies too deep"));
                continue;
            }
            self.page.open(self.head(spec, word));
            let (_, long) = texts(spec);
            if !long.is_empty() {
                self.page.text("long_help", long);
            }
            let aliases = spec.aliases.iter().filter(|alias| !alias.trim().is_empty());
            let aliases: Vec<&str> = aliases.map(String::as_str).collect();
            if !aliases.is_empty() {
                self.page.line(format!("alias {}", all_quoted(aliases)));
            }
            self.body(child, spec, &below, depth + 1);
            self.page.close();
        }
    }

    fn head(&self, spec: &CommandSpec, word: &str) -> String {
        let mut head = format!("cmd {}", quoted(word));
        let (summary, _) = texts(spec);
        if !summary.is_empty() {
            head.push_str(&format!(" help={}", quoted(summary)));
        }
        let has_children = self.children.contains_key(&spec.path);
        if has_children && !spec.runnable {
            head.push_str(" subcommand_required=#true");
        }
        if spec.hidden {
            head.push_str(" hide=#true");
        }
        if let Some(why) = &spec.deprecated {
            head.push_str(&format!(" deprecated={}", quoted(why)));
        }
        if let Some(effect) = effect_word(spec.effect).filter(|_| spec.runnable) {
            head.push_str(&format!(" effect=\"{effect}\""));
        }
        head
    }

    /// Whether every command below `spec` has the flag that is written `form`.
    fn reaches_all(&self, spec: &CommandSpec, wanted: &str) -> bool {
        let mut below = self.program.commands.iter().filter(|command| {
            command.path.len() > spec.path.len() && command.path.starts_with(&spec.path)
        });
        below.all(|command| {
            let mut flags = command.flags();
            let typed = |flag: &Param| form(flag).as_deref() == Some(wanted);
            // One that stands before the subcommand is its parent's alone.
            let behind = |flag: &Param| flag.spelling().is_some_and(|it| it.after_words.is_none());
            flags.any(|flag| typed(flag) && behind(flag))
        })
    }

    fn flag(&mut self, param: &Param, is_global: bool) {
        let Some(spelling) = param.spelling() else {
            return;
        };
        let long = spelling.long.as_deref();
        if let Some(long) = long.filter(|long| !long.starts_with("--")) {
            return self.page.comment(&format!(
                "`{long}` is left out: a long form with one dash cannot be said here. {}",
                param.text.trim()
            ));
        }
        let forms = [spelling.short.as_deref(), long].into_iter().flatten();
        // Dots and brackets mean something there.
        let mut usage: Vec<String> = forms
            .filter(|form| !form.contains(['…', '[', ']', '<', '>']) && !form.contains("..."))
            .map(str::to_owned)
            .collect();
        if usage.is_empty() {
            return self
                .page
                .comment(&format!("the flag `{}` cannot be said here", param.name));
        }
        let is_words = matches!(param.kind, Kind::List(_, Split::Words));
        if param.kind.takes_value() {
            let name = value_name(param);
            usage.push(match (spelling.bare.is_some(), is_words) {
                (true, _) => format!("[{name}]"),
                (false, true) => format!("<{name}>…"),
                (false, false) => format!("<{name}>"),
            });
        }
        let mut line = format!("flag {}", quoted(&usage.join(" ")));
        self.common(param, &mut line);
        if param.required {
            line.push_str(" required=#true");
        }
        match &param.kind {
            Kind::Count => line.push_str(" count=#true"),
            Kind::List(_, Split::Repeat | Split::Csv | Split::Comma) | Kind::Map(_) => {
                line.push_str(" var=#true");
            }
            _ => {}
        }
        let delimiter = match &param.kind {
            Kind::List(_, Split::Csv | Split::Comma) => Some(","),
            Kind::List(_, Split::Joined) => spelling.separator.as_deref(),
            _ => None,
        };
        if let Some(delimiter) = delimiter.filter(|it| it.chars().count() == 1 && *it != " ") {
            line.push_str(&format!(" delimiter={}", quoted(delimiter)));
        }
        if let Some(bare) = spelling.bare.as_ref().filter(|_| param.kind.takes_value()) {
            line.push_str(" value_optional=#true");
            if !bare.is_empty() {
                line.push_str(&format!(" default_missing={}", quoted(bare)));
            }
            if spelling.joiner == Joiner::Equals {
                line.push_str(" require_equals=#true");
            }
        }
        if let Some(negative) = spelling
            .negative
            .as_deref()
            .filter(|it| it.starts_with("--"))
        {
            line.push_str(&format!(" negate={}", quoted(negative)));
        }
        if is_global {
            line.push_str(" global=#true");
        }
        if let Some(effect) = param
            .effect
            .and_then(effect_word)
            .filter(|it| *it != "read")
        {
            line.push_str(&format!(" effect=\"{effect}\""));
        }
        if let Some(why) = &param.deprecated {
            line.push_str(&format!(" deprecated={}", quoted(why)));
        }
        self.with_choices(param, line);
    }

    fn arg(&mut self, param: &Param, spec: &CommandSpec) {
        let name = value_name(param);
        let more = if param.kind.is_repeatable() {
            "…"
        } else {
            ""
        };
        let mut line = match param.required {
            true => format!("arg {}", quoted(&format!("<{name}>{more}"))),
            false => format!("arg {}", quoted(&format!("[{name}]{more}"))),
        };
        self.common(param, &mut line);
        if spec.raw_words {
            line.push_str(" double_dash=\"automatic\"");
        }
        self.with_choices(param, line);
    }

    /// What flags and arguments have in common.
    fn common(&mut self, param: &Param, line: &mut String) {
        let text = param.text.trim();
        if !text.is_empty() {
            line.push_str(&format!(" help={}", quoted(text)));
        }
        match (&param.kind, param.default.as_deref()) {
            (_, None | Some("")) => {}
            // What has a default is not required there.
            (_, Some(default)) if param.required => {
                self.page.comment(&format!("its default is {default}"));
            }
            (Kind::Switch, Some("true")) => line.push_str(" default=#true"),
            (Kind::Switch, Some(_)) => {}
            (Kind::One(_), Some(default))
                if param.choices.is_empty() || param.choices.iter().any(|it| it == default) =>
            {
                line.push_str(&format!(" default={}", quoted(default)));
            }
            (_, Some(default)) => self.page.comment(&format!("its default is {default}")),
        }
        if let Some(env) = &param.env {
            line.push_str(&format!(" env={}", quoted(env)));
        }
        if param.hidden {
            line.push_str(" hide=#true");
        }
    }

    fn with_choices(&mut self, param: &Param, line: String) {
        let mut seen = BTreeSet::new();
        let choices = param
            .choices
            .iter()
            .filter(|choice| seen.insert(choice.as_str()));
        let choices: Vec<&str> = choices.map(String::as_str).collect();
        if choices.is_empty() || !param.kind.takes_value() {
            return self.page.line(line);
        }
        self.page.open(line);
        self.page.line(format!("choices {}", all_quoted(choices)));
        self.page.close();
    }

    fn groups(&mut self, spec: &CommandSpec, params: &[Param]) {
        for (number, group) in spec.groups.iter().enumerate() {
            let (names, properties) = match group {
                Group::Exclusive(names) => (names, ""),
                Group::AnyOf(names) => (names, " required=#true multiple=#true"),
                Group::Together(names) | Group::Requires(names) => {
                    self.page
                        .comment(&format!("given together: {}", names.join(", ")));
                    continue;
                }
            };
            let member = |name: &String| {
                let param = params.iter().find(|param| param.name == *name)?;
                param
                    .spelling()
                    .and_then(|it| it.long.clone().or(it.short.clone()))
            };
            let members: Option<Vec<String>> = names.iter().map(member).collect();
            match members.filter(|members| members.len() > 1) {
                Some(members) => {
                    let members = all_quoted(members.iter().map(String::as_str));
                    let line = format!("group \"group-{}\" {members}{properties}", number + 1);
                    self.page.line(line);
                }
                None => self
                    .page
                    .comment(&format!("depend on each other: {}", names.join(", "))),
            }
        }
    }
}

fn texts(spec: &CommandSpec) -> (&str, &str) {
    let (summary, long) = (spec.summary.trim(), spec.description.trim());
    let summary = match summary {
        "" => long.lines().next().unwrap_or_default(),
        summary => summary,
    };
    (summary, if long == summary { "" } else { long })
}

fn form(param: &Param) -> Option<String> {
    let spelling = param.spelling()?;
    spelling.long.clone().or_else(|| spelling.short.clone())
}

/// The placeholder, of characters that mean nothing in a spec.
fn value_name(param: &Param) -> String {
    let said = match param.is_flag() {
        true => param.value_name.as_deref().unwrap_or(&param.name),
        false => &param.name,
    };
    let plain: String = said
        .chars()
        .map(|char| match char {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' | '/' | ':' => char,
            _ => ' ',
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let name = words.join("_").trim_matches('-').to_owned();
    match name.is_empty() {
        true => "value".to_owned(),
        false => name,
    }
}

fn effect_word(effect: Effect) -> Option<&'static str> {
    match effect {
        Effect::Read => Some("read"),
        Effect::Write => Some("write"),
        Effect::Destructive => Some("destructive"),
        Effect::Unknown => None,
    }
}
