//! Reads pages of clap, Rust's parser, of any of its versions, and of programs that
//! print as it does.
//!
//! `layout` cuts a page into its sections, `left` reads what stands left of a text,
//! `text` takes the text apart, and `synopsis` reads the usage lines.

mod layout;
mod left;
mod synopsis;
mod text;

use std::collections::BTreeSet;

use super::{Ask, Listed, Manner, Page, Text, oracle};
use crate::model::{Evidence, Fact, Family, Joiner, Kind, Param, Role, Scalar, Spelling, Split};
use layout::{Entry, Holds, Layout};
use left::{Left, Placeholder};
use text::Prose;

/// How these programs are read.
pub(super) const MANNER: Manner = Manner {
    family: Family::Clap,
    ask: Ask::Flag,
    page: read,
    oracle: Some(oracle::Dialect::Clap),
    runs_parents: false,
};

/// What the second version of clap says of `--help`; later ones say "Print".
const SECOND_VERSION: &str = "Prints help information";

/// How the commands of the program with this root page are asked, where not as most are.
///
/// A program that points to `NAME help <command>` for more has manual pages: its
/// `COMMAND --help` opens one in a pager, as cargo's does. `-h` is clap's own flag there
/// and prints the page; only commands that the page lists are asked, which are built in.
pub(super) fn ask(page: &str, name: &str) -> Option<Ask> {
    let points = format!("See '{name} help <command>'");
    page.lines()
        .any(|line| line.starts_with(&points))
        .then_some(Ask::ShortFlag)
}

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    let lines: Vec<&str> = text
        .lines
        .iter()
        .map(|line| layout::without_picture(line))
        .collect();
    let layout = Layout::of(&lines, text);
    let mut page = Page {
        description: layout.about(),
        summary: layout.summary(),
        usage: layout.usage.clone(),
        ..Page::default()
    };
    let mut arguments: Vec<Param> = Vec::new();
    for section in &layout.sections {
        match section.holds {
            Holds::Entries => {
                for entry in layout.entries(section) {
                    read_entry(&entry, &mut page, &mut arguments);
                }
            }
            Holds::Commands => {
                let group = section.group(&layout);
                let rows = layout.rows(section);
                page.commands
                    .extend(rows.iter().flat_map(|row| command(row, group)));
            }
            Holds::Examples => {
                if !page.examples.is_empty() {
                    page.examples.push_str("\n\n");
                }
                page.examples.push_str(&section.unindented());
            }
            Holds::Text => {}
        }
    }
    let mut known = BTreeSet::new();
    page.commands
        .retain(|listed| known.insert(listed.name.clone()));
    if lines.iter().any(|line| line.contains(SECOND_VERSION)) {
        page.flags.iter_mut().for_each(repeat);
    }
    pair(&mut page.flags);
    page.flags.iter_mut().for_each(oppose);
    synopsis::apply(&layout.usage, text, &mut page, arguments);
    page
}

/// An option or an argument.
fn read_entry(entry: &Entry<'_>, page: &mut Page, arguments: &mut Vec<Param>) {
    if entry.line.starts_with('-') {
        let Some((left, rest)) = left::option(entry.line) else {
            page.unread.push(entry.line.to_owned());
            return;
        };
        let prose = Prose::of(rest, &entry.below);
        if is_help(&left, &prose) {
            return;
        }
        let flag = flag(&left, prose);
        let taken: BTreeSet<&str> = page.flags.iter().flat_map(forms).collect();
        if !forms(&flag).any(|form| taken.contains(form)) {
            page.flags.push(flag);
        }
        return;
    }
    let Some((printed, rest)) = left::argument(entry.line) else {
        page.unread.push(entry.line.to_owned());
        return;
    };
    match synopsis::argument(printed) {
        Some(mut argument) => {
            Prose::of(rest, &entry.below).describe(&mut argument);
            arguments.push(argument);
        }
        None => page.unread.push(entry.line.to_owned()),
    }
}

fn forms(flag: &Param) -> impl Iterator<Item = &str> {
    let spelling = flag.spelling();
    let form = move |of: fn(&Spelling) -> &Option<String>| {
        spelling.and_then(|spelling| of(spelling).as_deref())
    };
    [
        form(|it| &it.long),
        form(|it| &it.short),
        form(|it| &it.negative),
    ]
    .into_iter()
    .flatten()
}

fn is_help(left: &Left<'_>, prose: &Prose) -> bool {
    let letter_alone = left.longs.is_empty() && matches!(left.shorts[..], ["-h" | "-?"]);
    left.longs.contains(&"--help") || (letter_alone && prose.text.starts_with("Print"))
}

fn flag(left: &Left<'_>, prose: Prose) -> Param {
    let long = left.longs.first().copied();
    let short = left.shorts.first().copied();
    let name = long.or(short).unwrap_or_default().trim_start_matches('-');
    let mut flag = Param::flag(name, kind(left));
    let words = matches!(flag.kind, Kind::List(_, Split::Words));
    let only_letter = long.is_none() && !left.value.as_ref().is_some_and(|value| value.equals);
    flag.role = Role::Flag(Spelling {
        long: long.map(str::to_owned),
        short: short.map(str::to_owned),
        joiner: if words || only_letter {
            Joiner::Space
        } else {
            Joiner::Equals
        },
        // What it then stands for is not said.
        bare: left
            .value
            .as_ref()
            .filter(|value| value.optional)
            .map(|_| String::new()),
        negative: left.negative.map(str::to_owned),
        ..Spelling::default()
    });
    flag.value_name = left.value.as_ref().map(Placeholder::name);
    flag.from.note(Fact::Name, Evidence::Help);
    flag.from.note(Fact::Type, Evidence::Help);
    prose.describe(&mut flag);
    flag
}

fn kind(left: &Left<'_>) -> Kind {
    match &left.value {
        None if left.repeated => Kind::Count,
        None => Kind::Switch,
        // Several values behind one name; whether it can also be given again, the
        // page does not say.
        Some(value) if value.many || value.names.len() > 1 => {
            Kind::List(Scalar::String, Split::Words)
        }
        Some(_) => Kind::One(Scalar::String),
    }
}

/// In clap's second version dots mean that the flag can be given again, and not always that
/// several values can follow it.
fn repeat(flag: &mut Param) {
    let several = flag
        .value_name
        .as_deref()
        .is_some_and(|it| it.contains(' '));
    let Role::Flag(spelling) = &mut flag.role else {
        return;
    };
    if let Kind::List(_, split @ Split::Words) = &mut flag.kind
        && !several
    {
        *split = Split::Repeat;
        if spelling.long.is_some() {
            spelling.joiner = Joiner::Equals;
        }
    }
}

/// Commands of one row: `build, b    Compile`. Flags that stand for a command, as
/// pacman's do, are left out.
fn command(row: &Entry<'_>, group: Option<&str>) -> Option<Listed> {
    let (left, rest) = layout::cut(row.line);
    let mut names = left
        .split(", ")
        .map(str::trim)
        .filter(|name| !name.starts_with('-'))
        .map(str::to_owned);
    let name = names.next().filter(|name| name != "...")?;
    let mut prose = Prose::of(rest, &row.below);
    let mut aliases: Vec<String> = names.collect();
    for alias in std::mem::take(&mut prose.aliases) {
        if !alias.starts_with('-') && !aliases.contains(&alias) {
            aliases.push(alias);
        }
    }
    Some(Listed {
        name,
        aliases,
        group: group.map(str::to_owned),
        summary: prose.text.replace('\n', " "),
        ..Listed::default()
    })
}

/// Makes one of two switches that are each other's opposite.
fn pair(flags: &mut Vec<Param>) {
    let is_switch = |flag: &Param| flag.kind == Kind::Switch && flag.default.is_none();
    let opposites: Vec<(String, Param)> = flags
        .iter()
        .filter(|flag| is_switch(flag))
        .filter_map(|flag| {
            let of = flag.name.strip_prefix("no-")?;
            let both = |it: &Param| it.name == of && is_switch(it);
            let free = |it: &Param| it.spelling().is_some_and(|it| it.negative.is_none());
            flags
                .iter()
                .any(|it| both(it) && free(it))
                .then(|| (of.to_owned(), flag.clone()))
        })
        .collect();
    for (of, opposite) in opposites {
        flags.retain(|flag| flag.name != opposite.name);
        let Some(flag) = flags.iter_mut().find(|flag| flag.name == of) else {
            continue;
        };
        let negative = opposite.spelling().and_then(|it| it.long.clone());
        if !opposite.text.is_empty() {
            if !flag.text.is_empty() {
                flag.text.push('\n');
            }
            flag.text.push_str(&format!("--no-{of}: {}", opposite.text));
        }
        if let Role::Flag(spelling) = &mut flag.role {
            spelling.negative = negative;
        }
    }
}

/// What a switch's own text says switches it off: "Use `--no-fix` to disable",
/// "overridden with --no-hidden".
fn oppose(flag: &mut Param) {
    let opposite = match flag.name.strip_prefix("no-") {
        Some(name) => format!("--{name}"),
        None => format!("--no-{}", flag.name),
    };
    let text = flag.text.as_str();
    let named = text.match_indices(&opposite).any(|(at, _)| {
        let before = text[..at].trim_end_matches(['`', '\'']);
        let after = text[at + opposite.len()..].trim_start_matches(['`', '\'']);
        let whole = !after.starts_with(|c: char| c.is_alphanumeric() || c == '-');
        let uses = before.ends_with("Use ") && after.starts_with(" to disable");
        whole
            && (uses || before.ends_with("overridden with ") || before.ends_with("disabled with "))
    });
    if let Role::Flag(spelling) = &mut flag.role
        && flag.kind == Kind::Switch
        && spelling.negative.is_none()
        && named
    {
        spelling.negative = Some(opposite);
    }
}

#[cfg(test)]
mod tests;
