//! Programs of every family but Cobra's, read by their help pages.
//!
//! A family decides three things, its [`Manner`]: how a command is asked for its page
//! without anything being run, how that page is read, and what its parser can be asked.
//! `walk` goes through the commands, `assemble` makes the model of what was found.

use crate::model::{Family, Group, Kind, Param, Reading, Role, Spelling};
use crate::probe::{Answer, Probe, Question};
use crate::sources::cobra::ReadError;
use crate::sources::{help, plain};

mod argparse;
mod assemble;
mod clap;
mod click;
mod commander;
mod detect;
mod git;
mod gnu;
mod golang;
mod lines;
mod oclif;
mod oracle;
mod walk;
mod yargs;

pub use detect::detect;

/// Choices in reading a program.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Ask the program's parser about types that the text leaves open.
    pub oracle: bool,
}

/// What one help page says, in any family's layout.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// One line, where the page has one.
    pub summary: String,
    /// The text before or around the sections, without them.
    pub description: String,
    /// Usage lines without the word before them, each joined to one line.
    pub usage: Vec<String>,
    /// Flags in printed order, without `--help`.
    pub flags: Vec<Param>,
    /// Positionals in their order.
    pub positionals: Vec<Param>,
    /// Commands that it lists.
    pub commands: Vec<Listed>,
    /// Parameters that depend on each other.
    pub groups: Vec<Group>,
    /// The examples section, unindented.
    pub examples: String,
    /// Other names that the page gives the command.
    pub aliases: Vec<String>,
    /// Whether it does something by itself; nothing where the page does not say, which
    /// then is whether it lists no commands.
    pub runnable: Option<bool>,
    /// Lines that looked like something and could not be read.
    pub unread: Vec<String>,
}

/// A command in a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    /// What it is called by.
    pub name: String,
    /// Other names, where the list shows them.
    pub aliases: Vec<String>,
    /// The heading it stands under, where there are several.
    pub group: Option<String>,
    /// One line.
    pub summary: String,
    /// Its page is not asked for: what it would do then is not known.
    pub unasked: bool,
}

/// How commands are found that the root's page does not list.
#[derive(Clone, Copy)]
pub(crate) struct Index {
    /// What is asked; each only prints.
    pub questions: &'static [&'static [&'static str]],
    /// Reads the answers, one for each question.
    pub read: fn(&[&str]) -> Vec<Listed>,
}

/// A page to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a> {
    /// As printed, without escapes; lines have no blanks at their ends.
    pub lines: &'a [&'a str],
    /// The program's name.
    pub program: &'a str,
    /// The command's path.
    pub path: &'a [String],
}

/// How programs of a family are read.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    pub family: Family,
    /// How a command is asked for its page.
    pub ask: Ask,
    /// Reads a page.
    pub page: fn(&Text<'_>) -> Page,
    /// What the parser can be asked, with a value that it refuses before `--help`.
    pub oracle: Option<oracle::Dialect>,
    /// Whether asking a command for its page runs code of the commands above it: then it
    /// is asked in a sandbox only.
    pub runs_parents: bool,
}

/// How a command below the root is asked for its page. The root is asked with `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// `PATH --help`
    Flag,
    /// `PATH -h`: `--help` would open a manual.
    ShortFlag,
    /// `help PATH`
    Help,
    /// Not at all: what it would do is not known.
    Never,
}

impl Ask {
    /// What is asked for the page of the command at `path`.
    fn question(self, path: &[String]) -> Option<Question> {
        let path = path.iter().map(String::as_str);
        match self {
            _ if path.len() == 0 => Some(Question::new(["--help"])),
            Ask::Flag => Some(Question::new(path.chain(["--help"]))),
            Ask::ShortFlag => Some(Question::new(path.chain(["-h"]))),
            Ask::Help => Some(Question::new(std::iter::once("help").chain(path))),
            Ask::Never => None,
        }
    }
}

/// How commands of programs of `family` are found, where the root's page lists few.
fn index(family: Family) -> Option<Index> {
    match family {
        Family::Git => Some(git::INDEX),
        _ => None,
    }
}

/// How programs of `family` are read, whose root printed `page`; nothing for those with a
/// reader of their own.
fn manner(family: Family, page: &str) -> Option<Manner> {
    Some(match family {
        Family::Clap => clap::MANNER,
        Family::Argparse => argparse::MANNER,
        Family::Optparse => argparse::OPTPARSE,
        Family::Click => click::MANNER,
        Family::Commander => commander::MANNER,
        Family::Yargs => yargs::MANNER,
        Family::Oclif => oclif::MANNER,
        Family::GoFlag => golang::with_flag(page),
        Family::Urfave => golang::URFAVE,
        Family::Kingpin => golang::KINGPIN,
        Family::Git => git::MANNER,
        Family::Gnu => gnu::manner(page),
        Family::Cobra | Family::Described | Family::Unknown | Family::Definition => return None,
    })
}

/// What a program's file shows of its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hint {
    /// It is of this one, whatever its pages look like.
    pub family: Option<Family>,
    /// It is of this one where its first page shows none.
    pub otherwise: Option<Family>,
    /// It is machine code: pages that look a little like those of an interpreter's library
    /// are somebody's own.
    pub native: bool,
}

/// Reads the program `name`. Its file may have shown which `family` it is of; else its
/// first page does, and one of no known family is read as far as that page goes.
pub fn read(
    name: &str,
    family: Option<Family>,
    probe: &mut dyn Probe,
    options: Options,
) -> Result<Reading, ReadError> {
    let hint = Hint {
        family,
        ..Hint::default()
    };
    read_with(name, hint, probe, options)
}

/// Like [`read`], with all that the program's file shows.
pub fn read_with(
    name: &str,
    hint: Hint,
    probe: &mut dyn Probe,
    options: Options,
) -> Result<Reading, ReadError> {
    let detected = |page: &str| {
        let by_page = || match hint.native {
            true => detect::native(page, name),
            false => detect(page, name),
        };
        hint.family.or_else(by_page).or(hint.otherwise)
    };
    let no_help = |why: String| ReadError::NoHelp {
        program: name.to_owned(),
        why,
    };
    let question = Question::new(["--help"]);
    let answer = match probe
        .ask(std::slice::from_ref(&question))
        .into_iter()
        .next()
    {
        Some(Ok(answer)) => answer,
        Some(Err(error)) => return Err(no_help(error.to_string())),
        None => return Err(no_help("was not answered".to_owned())),
    };
    let page = page_of(&answer);
    let manner = page.and_then(|page| manner(detected(page)?, page));
    match (manner, page) {
        (Some(mut manner), Some(page)) => {
            if manner.family == Family::Clap {
                manner.ask = clap::ask(page, name).unwrap_or(manner.ask);
            }
            let harvest = walk::walk(name, manner, page, probe);
            Ok(assemble::assemble(name, manner, harvest, probe, options))
        }
        (_, _) => match page.and_then(|page| whole_page(page, probe)) {
            Some(whole) => plain::read_answer(name, &whole),
            None => plain::read_answer(name, &answer),
        },
    }
}

/// A flag that takes a value cannot be `false`: what switches it off is a flag of its own.
pub(crate) fn with_opposites_apart(flags: Vec<Param>) -> Vec<Param> {
    let taken: Vec<String> = flags.iter().map(|flag| flag.name.clone()).collect();
    let mut apart = Vec::with_capacity(flags.len());
    for mut flag in flags {
        let off = match &mut flag.role {
            Role::Flag(spelling) if flag.kind != Kind::Switch => spelling.negative.take(),
            _ => None,
        };
        let opposite = off.map(|off| {
            let name = off.trim_start_matches('-').to_owned();
            let mut opposite = Param::flag(name, Kind::Switch);
            opposite.role = Role::Flag(Spelling {
                long: Some(off),
                ..Spelling::default()
            });
            opposite.text = format!("The opposite of {}.", flag.name);
            opposite.from = flag.from.clone();
            opposite
        });
        apart.push(flag);
        apart.extend(opposite.filter(|opposite| !taken.contains(&opposite.name)));
    }
    apart
}

/// The page with all options, where the first says that `--help all` prints it: curl's
/// shows a dozen of two hundred. Who says so takes it for a question.
fn whole_page(page: &str, probe: &mut dyn Probe) -> Option<Answer> {
    let offered = [
        "with --help all",
        "\"--help all\"",
        "'--help all'",
        "`--help all`",
    ];
    if !offered.iter().any(|words| page.contains(words)) {
        return None;
    }
    let question = Question::new(["--help", "all"]);
    let answers = probe.ask(std::slice::from_ref(&question));
    let answer = answers.into_iter().next()?.ok()?;
    page_of(&answer)
        .is_some_and(|whole| whole.len() > page.len())
        .then_some(answer)
}

/// The stream that holds the help; old programs print it to stderr.
pub(crate) fn page_of(answer: &Answer) -> Option<&str> {
    [&answer.stdout, &answer.stderr]
        .into_iter()
        .map(String::as_str)
        .find(|text| help::looks_like_help(text) || is_bare_page(text))
}

/// What pages have that show neither usage nor two options: a heading with a list of
/// commands below it, or a line about `--help` itself.
fn is_bare_page(text: &str) -> bool {
    let text = help::text::plain(text);
    let mut lines = text.lines().map(str::trim_end).peekable();
    while let Some(line) = lines.next() {
        let indented = line.starts_with("  ");
        let title = line.ends_with("ommands:") && !indented;
        let option = line.trim_start();
        let helps = ["--help  ", "-h, --help  "]
            .iter()
            .any(|form| option.starts_with(form));
        if (indented && helps) || (title && lines.peek().is_some_and(|it| it.starts_with("  "))) {
            return true;
        }
    }
    false
}
