//! The texts around the tools: help pages, the list of global flags, examples, and
//! how to use it all. Written from the model, so they show what is offered and
//! nothing else, and need no process to be started.

mod examples;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use crate::catalog::{Catalog, Layout, Tool};
use crate::model::{CommandSpec, Effect, Kind, Param, Program, Split};

pub use examples::examples;

/// Addresses of help pages.
pub const HELP_TEMPLATE: &str = "argway://{program}/help{/path*}";

/// Addresses of flag lists.
pub const GLOBAL_FLAGS_TEMPLATE: &str = "argway://{program}/global-flags";

/// Bytes that [`instructions`] keeps to, more or less.
const MAX_INSTRUCTIONS: usize = 2000;

/// What addresses call `program`.
pub fn label(catalog: &Catalog, program: &Arc<Program>) -> Arc<str> {
    match tools_of(catalog, program).next() {
        Some(tool) => Arc::clone(&tool.label),
        None => program.name.as_str().into(),
    }
}

/// The address of the help of a command of the program with this label.
pub fn help_uri(label: &str, path: &[String]) -> String {
    let mut uri = format!("argway://{}/help", segment(label));
    for word in path {
        uri.push('/');
        uri.push_str(&segment(word));
    }
    uri
}

/// The address of a program's list of global flags.
pub fn global_flags_uri(label: &str) -> String {
    format!("argway://{}/global-flags", segment(label))
}

fn segment(word: &str) -> String {
    let mut out = String::new();
    for byte in word.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// The programs that `catalog` has tools of, in its order.
pub fn programs(catalog: &Catalog) -> Vec<Arc<Program>> {
    let mut programs: Vec<Arc<Program>> = Vec::new();
    for tool in catalog.tools() {
        if !programs
            .iter()
            .any(|known| Arc::ptr_eq(known, &tool.program))
        {
            programs.push(Arc::clone(&tool.program));
        }
    }
    programs
}

fn tools_of<'a>(catalog: &'a Catalog, program: &'a Arc<Program>) -> impl Iterator<Item = &'a Tool> {
    (catalog.tools().iter()).filter(move |tool| Arc::ptr_eq(&tool.program, program))
}

/// Whether the command at `path` or one below it is a tool.
pub fn offers(catalog: &Catalog, program: &Arc<Program>, path: &[String]) -> bool {
    tools_of(catalog, program).any(|tool| tool.spec().path.starts_with(path))
}

/// The help of the command at `path`; nothing where nothing is offered.
pub fn help(catalog: &Catalog, program: &Arc<Program>, path: &[String]) -> Option<String> {
    if !offers(catalog, program, path) {
        return None;
    }
    let command = program.command(path)?;
    let tool = tools_of(catalog, program).find(|tool| tool.spec().path == path);
    let mut page = Page::default();
    page.line(&match command.summary.as_str() {
        "" => program.command_line(path),
        summary => format!("{}: {summary}", program.command_line(path)),
    });
    if let (true, Some(version)) = (path.is_empty(), &program.version) {
        page.line(&format!("Version: {version}"));
    }
    if let Some(reason) = &command.deprecated {
        page.line(&format!("Deprecated: {reason}"));
    }
    if let Some(tool) = tool {
        page.line(&format!("Tool: {} ({})", tool.name, effect(command.effect)));
    }
    if command.description.trim() != command.summary.trim() {
        page.paragraph(&command.description);
    }
    page.section("Usage", [command.usage.as_str()]);
    page.section("Aliases", [command.aliases.join(", ").as_str()]);
    if let Some(tool) = tool {
        page.section("Arguments", tool.positionals.iter().map(positional));
        page.section("Flags", tool.flags.iter().map(flag));
        if tool.folded {
            let count = format!(
                "{} more, see {}",
                tool.inherited.len(),
                global_flags_uri(&tool.label)
            );
            page.section("Inherited flags", [count.as_str()]);
        } else {
            page.section("Inherited flags", tool.inherited.iter().map(flag));
        }
    }
    page.section("Commands", children(catalog, program, command));
    page.section("Examples", command.examples.lines());
    Some(page.text)
}

/// The offered children of `parent`, a line each.
fn children(catalog: &Catalog, program: &Arc<Program>, parent: &CommandSpec) -> Vec<String> {
    program
        .children(parent)
        .filter(|child| offers(catalog, program, &child.path))
        .map(|child| {
            let name = child.path.last().map_or("", String::as_str);
            let tool = tools_of(catalog, program).find(|tool| tool.spec().path == child.path);
            match tool {
                Some(tool) => format!("{name}: {} (tool {})", child.summary, tool.name),
                None => format!(
                    "{name}: {} (see {})",
                    child.summary,
                    help_uri(&label(catalog, program), &child.path)
                ),
            }
        })
        .collect()
}

/// The flags that `program`'s tools inherit, each once; nothing where there are none.
pub fn global_flags(catalog: &Catalog, program: &Arc<Program>) -> Option<String> {
    let sets = inherited_sets(catalog, program);
    let everywhere: BTreeSet<&str> = (sets.iter())
        .map(|(_, set)| set.iter().map(|flag| flag.name.as_str()).collect())
        .reduce(|common: BTreeSet<&str>, set| &common & &set)?;
    let mut page = Page::default();
    page.line(&format!(
        "Flags that the commands of {} inherit.",
        program.name
    ));
    let folded = tools_of(catalog, program).any(|tool| tool.folded);
    if folded {
        page.line(
            "Where a tool has a `global_flags` argument, it is an object of these: the flag's \
             name without dashes, and its value.",
        );
    }
    let (_, first) = sets.first()?;
    let common = first
        .iter()
        .filter(|flag| everywhere.contains(flag.name.as_str()));
    page.section("Every command", common.map(flag));
    for (paths, set) in &sets {
        let own = set
            .iter()
            .filter(|flag| !everywhere.contains(flag.name.as_str()));
        page.section(
            &format!("Under {}", common_path(program, paths)),
            own.map(flag),
        );
    }
    Some(page.text)
}

/// The different sets of inherited flags that `program`'s tools have, and whose.
type InheritedSet<'a> = (Vec<&'a [String]>, &'a Arc<[Param]>);

fn inherited_sets<'a>(catalog: &'a Catalog, program: &'a Arc<Program>) -> Vec<InheritedSet<'a>> {
    let mut sets: Vec<InheritedSet> = Vec::new();
    for tool in tools_of(catalog, program).filter(|tool| !tool.inherited.is_empty()) {
        let path = tool.spec().path.as_slice();
        let same = |set: &Arc<[Param]>| Arc::ptr_eq(set, &tool.inherited) || *set == tool.inherited;
        match sets.iter_mut().find(|(_, set)| same(set)) {
            Some((paths, _)) => paths.push(path),
            None => sets.push((vec![path], &tool.inherited)),
        }
    }
    sets
}

/// What `paths` have in common, as a command.
fn common_path(program: &Program, paths: &[&[String]]) -> String {
    let Some((first, rest)) = paths.split_first() else {
        return program.name.clone();
    };
    let parent = first.len().saturating_sub(usize::from(rest.is_empty()));
    let common = rest.iter().fold(parent, |common, path| {
        let same = first.iter().zip(*path).take_while(|(a, b)| a == b).count();
        common.min(same)
    });
    program.command_line(&first[..common])
}

/// How a model should use the tools of `catalog`.
pub fn instructions(catalog: &Catalog, layout: Layout) -> String {
    let programs = programs(catalog);
    let mut text = String::from(
        "Each tool runs one command of a command-line program on this machine, without a shell: \
         no pipes, no globs, no variables.\n",
    );
    let names: Vec<String> = programs
        .iter()
        .map(|program| census(catalog, program))
        .collect();
    if !names.is_empty() {
        let _ = writeln!(text, "Programs: {}.", shortened(&names, 6));
    }
    if let Some(tool) = catalog
        .tools()
        .iter()
        .find(|tool| !tool.spec().path.is_empty())
    {
        let _ = writeln!(
            text,
            "A tool is named after its command's words: `{}` is `{}`.",
            tool.command_line(),
            tool.name
        );
    }
    text.push_str(match layout {
        Layout::Flat => {
            "Arguments: flags and positionals are properties side by side, in snake_case. Leave out \
             what you do not need; a default in a schema is the program's own and need not be sent.\n"
        }
        Layout::Nested => {
            "Arguments: `flags` is an object of flags by name, `args` the list of positional words. \
             Leave out what you do not need.\n"
        }
    });
    text.push_str(
        "A result has exitCode, stdout and stderr; a non-zero exit is an error, and its text says \
         what went wrong. Output that is too long is cut in the middle, and the result names the \
         file that holds all of it.\n\
         There is no terminal and nothing on stdin: a command that would ask, page or open an \
         editor fails. Pass what it would ask for, often --yes or --force, only when that is \
         really meant.\n",
    );
    if !catalog.tools().is_empty() {
        text.push_str(&effects(catalog));
    }
    for note in folded_notes(catalog, &programs) {
        if text.len() + note.len() < MAX_INSTRUCTIONS {
            text.push_str(&note);
        }
    }
    if let Some(program) = programs.first() {
        let root = help_uri(&label(catalog, program), &[]);
        let _ = writeln!(
            text,
            "Help pages are resources: {root} and {root}/COMMAND/…; examples are prompts with the tool's name.",
        );
    }
    text
}

fn census(catalog: &Catalog, program: &Arc<Program>) -> String {
    let count = tools_of(catalog, program).count();
    let mut name = program.name.clone();
    // A version is text of the program's; a long one is not worth its tokens here.
    if let Some(version) = program
        .version
        .as_deref()
        .map(|version| {
            version
                .strip_prefix(name.as_str())
                .unwrap_or(version)
                .trim()
        })
        .filter(|version| (1..=24).contains(&version.len()))
    {
        name = format!("{name} {version}");
    }
    format!(
        "{name} ({count} {})",
        if count == 1 { "tool" } else { "tools" }
    )
}

fn effects(catalog: &Catalog) -> String {
    let mut counts: BTreeMap<Effect, usize> = BTreeMap::new();
    for tool in catalog.tools() {
        *counts.entry(tool.spec().effect).or_default() += 1;
    }
    let parts: Vec<String> = counts
        .into_iter()
        .map(|(effect, count)| match effect {
            Effect::Read => format!("{count} only read"),
            Effect::Unknown => format!("{count} are not known"),
            Effect::Write => format!("{count} change or add something"),
            Effect::Destructive => format!("{count} may remove or overwrite something"),
        })
        .collect();
    format!(
        "Annotations say what a tool does: {}. Flags can make a call do more than its tool.\n",
        parts.join(", ")
    )
}

/// A sentence for each program whose inherited flags are folded.
fn folded_notes(catalog: &Catalog, programs: &[Arc<Program>]) -> Vec<String> {
    let note = |program: &Arc<Program>| {
        let tool = tools_of(catalog, program)
            .filter(|tool| tool.folded)
            .max_by_key(|tool| tool.inherited.len())?;
        // A program gives a short form to the flags that it expects to be used.
        let (short, long): (Vec<&Param>, Vec<&Param>) = (tool.inherited.iter())
            .filter(|flag| !flag.hidden && flag.deprecated.is_none())
            .partition(|flag| {
                flag.spelling()
                    .is_some_and(|spelling| spelling.short.is_some())
            });
        let useful: Vec<&str> = (short.iter().chain(&long).take(8))
            .map(|flag| flag.name.as_str())
            .collect();
        Some(format!(
            "{}: the {} flags that all its commands share are given in one object, `global_flags` \
             (such as {}); {} lists them.\n",
            program.name,
            tool.inherited.len(),
            useful.join(", "),
            global_flags_uri(&tool.label)
        ))
    };
    programs.iter().filter_map(note).collect()
}

fn shortened(names: &[String], most: usize) -> String {
    match names.get(..most) {
        Some(first) if names.len() > most => {
            format!("{} and {} more", first.join(", "), names.len() - most)
        }
        _ => names.join(", "),
    }
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "only reads",
        Effect::Unknown => "what it changes is not known",
        Effect::Write => "changes or adds something",
        Effect::Destructive => "may remove or overwrite something",
    }
}

fn positional(param: &Param) -> String {
    let name = if param.kind.is_repeatable() {
        format!("{}...", param.name)
    } else {
        param.name.clone()
    };
    let need = if param.required {
        "required"
    } else {
        "optional"
    };
    described(format!("{name} ({need})"), param)
}

fn flag(param: &Param) -> String {
    let spelling = param.spelling();
    let short = spelling.and_then(|spelling| spelling.short.clone());
    let long = spelling.and_then(|spelling| spelling.long.clone());
    let mut name = [short, long]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ");
    if param.kind.takes_value() {
        let _ = write!(name, " {}", type_name(&param.kind));
    }
    if param.required {
        name.push_str(" (required)");
    }
    described(name, param)
}

fn type_name(kind: &Kind) -> String {
    match kind {
        Kind::Switch | Kind::Count => String::new(),
        Kind::One(scalar) => scalar.to_string(),
        Kind::List(scalar, Split::Csv | Split::Comma) => format!("{scalar},…"),
        Kind::List(scalar, Split::Joined) => format!("{scalar}…"),
        Kind::List(scalar, Split::Repeat | Split::Words) => format!("{scalar} (repeatable)"),
        Kind::Map(scalar) => format!("key={scalar}"),
        Kind::Line => "words".to_owned(),
    }
}

fn described(mut line: String, param: &Param) -> String {
    if !param.text.is_empty() {
        let _ = write!(line, ": {}", param.text);
    }
    if !param.choices.is_empty() {
        let _ = write!(line, " [{}]", param.choices.join("|"));
    }
    let default = param.default.as_deref().filter(|text| !text.is_empty());
    match (&param.secret, default) {
        (Some(_), _) => line.push_str(" (secret)"),
        (None, Some(default)) => {
            let _ = write!(line, " (default {default})");
        }
        (None, None) => {}
    }
    if let Some(reason) = &param.deprecated {
        let _ = write!(line, " (deprecated: {reason})");
    }
    line
}

/// A page of plain text: paragraphs, and sections with indented lines.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn paragraph(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.text.push('\n');
            self.line(text);
        }
    }

    fn section(&mut self, heading: &str, lines: impl IntoIterator<Item = impl AsRef<str>>) {
        let lines: Vec<_> = lines.into_iter().collect();
        if lines.iter().all(|line| line.as_ref().trim().is_empty()) {
            return;
        }
        self.text.push('\n');
        self.line(&format!("{heading}:"));
        for line in lines {
            self.line(&format!("  {}", line.as_ref()));
        }
    }
}

#[cfg(test)]
mod tests;
