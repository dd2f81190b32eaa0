//! Reads a program of no known family: its `--help`, and of that only what
//! leaves no doubt.
//!
//! One question is asked. Commands that the page lists are offered by their names
//! alone and not walked: how to ask them is known only for families that have their
//! own reader.

mod forms;
mod lists;
pub(crate) mod options;
pub(crate) mod params;
mod synopsis;

use crate::model::{
    CommandSpec, Evidence, Fact, Family, Kind, Loss, Param, Program, Provenance, Reading, Scalar,
    Split,
};
use crate::probe::{Answer, Probe, Question};
use crate::sources::cobra::ReadError;
use crate::sources::effect;
use crate::sources::families::{self, Page};
use crate::sources::help::{self, text};
use crate::sources::usage::{self, tokens};

/// Names beyond this are counted, not spelled out.
const NAMED: usize = 60;
/// Longer ones are cut.
const LONGEST_NAME: usize = 80;

/// Reads the program `name` as far as its `--help` goes.
pub fn read(name: &str, probe: &mut dyn Probe) -> Result<Reading, ReadError> {
    let no_help = |why: String| ReadError::NoHelp {
        program: name.to_owned(),
        why,
    };
    let answer = probe.ask(&[Question::new(["--help"])]).into_iter().next();
    let answer = match answer {
        Some(Ok(answer)) => answer,
        Some(Err(error)) => return Err(no_help(error.to_string())),
        None => return Err(no_help("was not answered".to_owned())),
    };
    read_answer(name, &answer)
}

/// Reads the program `name`, which gave this `answer` to `--help`.
pub(crate) fn read_answer(name: &str, answer: &Answer) -> Result<Reading, ReadError> {
    let Some(page) = page_of(answer) else {
        let code = answer.code.map_or("no exit code".to_owned(), |code| {
            format!("exit code {code}")
        });
        return Err(ReadError::NoHelp {
            program: name.to_owned(),
            why: format!("printed no help ({code})"),
        });
    };
    Ok(read_page(name, page))
}

/// The stream that holds the help; old programs print it to stderr.
fn page_of(answer: &Answer) -> Option<&str> {
    [&answer.stdout, &answer.stderr]
        .into_iter()
        .map(String::as_str)
        .find(|text| help::looks_like_help(text) || lists::is_listing(text))
}

/// What a page of any family says, as far as it leaves no doubt.
pub(crate) fn generic(lines: &[&str], name: &str) -> Page {
    understand(lines, name, &mut Losses::default())
}

/// The options that usage lines alone show.
pub(crate) fn in_usage(usage: &[String]) -> Vec<Param> {
    params::flags(synopsis::options(usage, &[]))
}

/// The usage lines of a page, without the word before them.
pub(crate) fn usage_of(lines: &[&str], name: &str) -> Vec<String> {
    lists::Page::cut(lines, name).usage
}

/// Positionals, where every usage line says the same; else one list of words. The first
/// `words` of each line are the program's name and the command's path.
pub(crate) fn positionals_of(usage: &[String], words: usize) -> Vec<Param> {
    positionals(usage, words, &mut Losses::default())
}

fn understand(lines: &[&str], name: &str, losses: &mut Losses) -> Page {
    let parts = lists::Page::cut(lines, name);
    let (mut listed, unread) = options::read(lines);
    synopsis::complete(&mut listed, &parts.usage);
    let mut page = Page {
        summary: parts.summary(name),
        flags: params::flags(listed),
        unread,
        ..Page::default()
    };
    require(&mut page.flags, &parts.usage);
    if parts.commands.is_empty() {
        page.positionals = positionals(&parts.usage, 1, losses);
    } else {
        losses.commands(&parts.commands);
        losses.left_out(&parts.usage);
    }
    page.description = parts.description;
    page.usage = parts.usage;
    page.commands = parts
        .commands
        .into_iter()
        .map(|row| families::Listed {
            name: row.name,
            summary: row.summary,
            ..families::Listed::default()
        })
        .collect();
    page
}

fn read_page(name: &str, page: &str) -> Reading {
    let page = text::plain(page);
    let lines: Vec<&str> = page.lines().map(str::trim_end).collect();
    let mut losses = Losses::default();
    let page = understand(&lines, name, &mut losses);
    losses.unread_options(page.unread);
    let mut from = Provenance::default();
    from.note(Fact::Name, Evidence::Help);
    from.note(Fact::Text, Evidence::Help);
    from.note(Fact::Runnable, Evidence::Convention);
    let root = CommandSpec {
        summary: page.summary,
        description: page.description,
        usage: page.usage.first().cloned().unwrap_or_default(),
        runnable: true,
        params: families::with_opposites_apart(page.flags)
            .into_iter()
            .chain(page.positionals)
            .collect(),
        from,
        ..CommandSpec::default()
    };
    let children = page.commands.iter().filter_map(listed_command);
    Reading {
        program: Program {
            name: name.to_owned(),
            executable: None,
            version: None,
            family: Family::Unknown,
            commands: std::iter::once(root).chain(children).collect(),
        },
        losses: losses.0,
    }
}

/// A command of which only the list is known. It can be run by its name: no flag or
/// argument of it is offered.
fn listed_command(row: &families::Listed) -> Option<CommandSpec> {
    if matches!(row.name.as_str(), "help" | "completion" | "completions") {
        return None;
    }
    let mut from = Provenance::default();
    from.note(Fact::Name, Evidence::Help);
    from.note(Fact::Text, Evidence::Help);
    from.note(Fact::Runnable, Evidence::Convention);
    from.note(Fact::Effect, Evidence::Convention);
    let mut command = CommandSpec {
        path: vec![row.name.clone()],
        summary: row.summary.clone(),
        runnable: true,
        from,
        ..CommandSpec::default()
    };
    command.effect = effect::of_command(&command);
    Some(command)
}

/// Marks options that the one usage line has outside brackets.
fn require(params: &mut [Param], usage: &[String]) {
    let [line] = usage else {
        return;
    };
    for token in tokens::split(line) {
        let name = token.text.split('=').next().unwrap_or_default();
        let spelled = |param: &&mut Param| {
            let spelling = param.spelling();
            spelling.is_some_and(|s| {
                [&s.long, &s.short]
                    .into_iter()
                    .flatten()
                    .any(|have| have == name)
            })
        };
        if let Some(param) = params.iter_mut().find(spelled) {
            param.required = true;
            param.from.note(Fact::Required, Evidence::Convention);
        }
    }
}

/// Positionals, where every usage line says the same; else one list of words.
fn positionals(usage: &[String], words: usize, losses: &mut Losses) -> Vec<Param> {
    let mut forms: Vec<Vec<Param>> = Vec::new();
    for line in usage {
        let read = usage::positionals(line, words);
        losses.unread_usage(&read.unread);
        if !forms.contains(&read.params) {
            forms.push(read.params);
        }
    }
    // A form of nothing but options makes the others' arguments optional.
    let all = forms.len();
    forms.retain(|form| !form.is_empty());
    let optional = forms.len() < all;
    match forms.len() {
        0 => Vec::new(),
        1 => {
            let mut form = forms.remove(0);
            form.iter_mut()
                .for_each(|param| param.required &= !optional);
            form
        }
        count => {
            losses.say(format!(
                "its usage has {count} forms; their arguments are taken as one list of words"
            ));
            let mut args = Param::positional("args", Kind::List(Scalar::String, Split::Words));
            args.value_name = Some(usage.join("\n"));
            args.from.note(Fact::Name, Evidence::Help);
            args.from.note(Fact::Required, Evidence::Convention);
            vec![args]
        }
    }
}

/// What was not understood, as sentences.
#[derive(Default)]
struct Losses(Vec<Loss>);

impl Losses {
    fn say(&mut self, what: String) {
        self.0.push(Loss {
            path: Vec::new(),
            what,
        });
    }

    fn commands(&mut self, rows: &[lists::Row]) {
        let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
        let whose = match names.len() {
            1 => "1 command is".to_owned(),
            count => format!("{count} commands are"),
        };
        self.say(format!(
            "{whose} known by name alone, without options and arguments: {}",
            enumerate(&names)
        ));
    }

    /// Beside commands, a first word would name one of them.
    fn left_out(&mut self, usage: &[String]) {
        let mut names: Vec<String> = Vec::new();
        for param in usage
            .iter()
            .flat_map(|line| usage::positionals(line, 1).params)
        {
            let of_command = ["command", "subcommand", "args", "arguments"];
            let named = param.name.to_lowercase();
            let stands_for_one = usage
                .iter()
                .any(|line| line.ends_with(&format!(" {} ...", param.name)));
            let known = of_command.contains(&named.as_str()) || names.contains(&param.name);
            if !known && !stands_for_one {
                names.push(param.name);
            }
        }
        if !names.is_empty() {
            let names = enumerate(&names);
            self.say(format!(
                "arguments beside its commands are left out: {names}"
            ));
        }
    }

    fn unread_options(&mut self, lines: Vec<String>) {
        if !lines.is_empty() {
            let plural = if lines.len() == 1 { "" } else { "s" };
            self.say(format!(
                "{} option line{plural} not understood: {}",
                lines.len(),
                enumerate(&lines)
            ));
        }
    }

    fn unread_usage(&mut self, parts: &[String]) {
        if !parts.is_empty() {
            self.say(format!(
                "parts of its usage not understood: {}",
                enumerate(parts)
            ));
        }
    }
}

fn enumerate(names: &[String]) -> String {
    let shorten = |name: &String| match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.clone(),
    };
    let shown: Vec<String> = names.iter().take(NAMED).map(shorten).collect();
    match names.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests;
