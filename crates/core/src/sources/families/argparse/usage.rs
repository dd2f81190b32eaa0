//! What a usage line says: argparse writes it from the parser, so that it names every
//! option, in brackets unless it is needed, and every positional with its count.

use super::forms::{self, Shape, Spelled};
use super::layout::is_option_start;
use crate::model::{Evidence, Fact, Param};
use crate::sources::usage::tokens::{self, Group};

/// Longer lines are not read: brackets without partners would make them slow.
const LONGEST: usize = 32 << 10;

/// A usage line.
#[derive(Debug, Default)]
pub(super) struct Usage {
    /// As printed.
    line: String,
    pub items: Vec<Item>,
    /// Whether it names all there is: a parser wrote it.
    pub is_complete: bool,
}

/// A part of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Option {
        option: Spelled,
        required: bool,
    },
    /// One of these.
    Exclusive {
        members: Vec<Item>,
        required: bool,
    },
    Positional(Positional),
    /// `{add,remove} ...`: a command's name and its words. Where a name stands in the
    /// place of the list, it may as well be a positional before any words.
    Commands {
        placeholder: String,
    },
    /// `-`, `--`: signs that are no parameter.
    Sign,
}

/// A positional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Positional {
    pub name: String,
    many: bool,
    required: bool,
}

impl Positional {
    fn new(shape: Shape, required: bool) -> Self {
        Self {
            name: shape.name,
            many: shape.many,
            required: required && !shape.optional,
        }
    }

    pub(super) fn param(&self) -> Param {
        let shape = Shape {
            name: self.name.clone(),
            many: self.many,
            optional: !self.required,
        };
        let choices = forms::choices_in(&self.name);
        let name = match choices.is_empty() {
            true => self.name.trim_start_matches('<').trim_end_matches('>'),
            // The list of what it may be is no name.
            false => "choice",
        };
        let mut param = Param::positional(name, forms::kind(&shape));
        param.required = self.required;
        param.value_name = Some(self.name.clone());
        param.from.note(Fact::Name, Evidence::Help);
        param.from.note(Fact::Required, Evidence::Help);
        param.from.note(Fact::Type, Evidence::Help);
        if !choices.is_empty() {
            param.from.note(Fact::Choices, Evidence::Help);
        }
        param.choices = choices;
        param
    }
}

impl Usage {
    /// Reads the usage of the command at `path`.
    pub(super) fn read(lines: &[String], program: &str, path: &[String]) -> Self {
        let mut usage = Self {
            line: lines.first().cloned().unwrap_or_default(),
            ..Self::default()
        };
        if usage.line.len() > LONGEST {
            return usage;
        }
        let tokens: Vec<&str> = tokens::split(&usage.line)
            .into_iter()
            .map(|token| token.text)
            .collect();
        let mut rest = &tokens[leading(&tokens, program, path)..];
        let mut items = Vec::new();
        let mut understood = lines.len() == 1;
        while !rest.is_empty() {
            let (item, used) = item(rest);
            understood &= item.is_some();
            items.extend(item);
            rest = &rest[used..];
        }
        usage.is_complete = understood;
        usage.items = merged(items);
        usage
    }

    /// Every option, those in groups too.
    pub(super) fn options(&self) -> impl Iterator<Item = &Spelled> {
        self.items.iter().flat_map(|item| match item {
            Item::Option { option, .. } => vec![option],
            Item::Exclusive { members, .. } => members
                .iter()
                .filter_map(|member| match member {
                    Item::Option { option, .. } => Some(option),
                    _ => None,
                })
                .collect(),
            Item::Positional(_) | Item::Commands { .. } | Item::Sign => Vec::new(),
        })
    }

    pub(super) fn positionals(&self) -> impl Iterator<Item = &Positional> {
        self.items.iter().flat_map(|item| match item {
            Item::Positional(positional) => vec![positional],
            Item::Exclusive { members, .. } => members
                .iter()
                .filter_map(|member| match member {
                    Item::Positional(positional) => Some(positional),
                    _ => None,
                })
                .collect(),
            Item::Option { .. } | Item::Commands { .. } | Item::Sign => Vec::new(),
        })
    }

    pub(super) fn positional(&self, name: &str) -> Option<&Positional> {
        self.positionals().find(|it| it.name == name)
    }

    /// Whether it names one of the option's forms.
    pub(super) fn has(&self, option: &Spelled) -> bool {
        self.options()
            .any(|have| have.names.iter().any(|name| option.names.contains(name)))
    }

    /// Whether it shows the option with just this value.
    pub(super) fn shows(&self, option: &Spelled) -> bool {
        self.options().any(|have| {
            have.value == option.value && have.names.iter().any(|name| option.names.contains(name))
        }) || option
            .names
            .iter()
            .any(|name| self.line.contains(&format!("[{name} {}]", option.value)))
    }

    pub(super) fn has_commands(&self) -> bool {
        !self.placeholder().is_empty()
    }

    /// What stands for a command's name; empty where nothing does.
    pub(super) fn placeholder(&self) -> &str {
        let commands = self.items.iter().find_map(|item| match item {
            Item::Commands { placeholder } => Some(placeholder.as_str()),
            _ => None,
        });
        commands.unwrap_or_default()
    }

    /// Takes what stands for commands as a positional and words behind it: the page has
    /// no command.
    pub(super) fn without_commands(&mut self) {
        let is_commands = |item: &Item| matches!(item, Item::Commands { .. });
        let Some(at) = self.items.iter().position(is_commands) else {
            return;
        };
        if let Item::Commands { placeholder } = self.items.remove(at) {
            let first = Positional::new(forms::shape(&placeholder), true);
            let words = Positional::new(forms::shape("..."), false);
            self.items.push(Item::Positional(first));
            self.items.push(Item::Positional(words));
        }
    }

    /// Takes a last positional with choices for the names of commands: a program may look
    /// at it before it asks the parser of one.
    pub(super) fn last_choices(&self) -> Vec<String> {
        match self.items.last() {
            Some(Item::Positional(last)) if last.required && !last.many => {
                forms::choices_in(&last.name)
            }
            _ => Vec::new(),
        }
    }

    /// The names in it, where it lists them.
    pub(super) fn command_names(&self) -> Vec<String> {
        forms::choices_in(self.placeholder())
    }
}

/// How many tokens are the program and the command's path; what argparse puts between
/// the words of the path are positionals of the commands above.
fn leading(tokens: &[&str], program: &str, path: &[String]) -> usize {
    let module = tokens.get(1) == Some(&"-m");
    let own = if module { 3 } else { 1 };
    let mut at = own.min(tokens.len());
    // A program of several words: `git annex`.
    if let Some(first) = tokens.first()
        && program
            .strip_prefix(first)
            .is_some_and(|rest| rest.starts_with(['-', ' ']))
        && tokens
            .get(1)
            .is_some_and(|second| program.ends_with(second))
    {
        at = 2;
    }
    let plain = |token: &&&str| !token.starts_with(['[', '-', '(']);
    for word in path {
        let ahead = tokens[at..]
            .iter()
            .take_while(plain)
            .position(|it| it == word);
        match ahead {
            Some(ahead) => at += ahead + 1,
            None if tokens.get(at).is_some_and(|it| plain(&it)) => at += 1,
            None => {}
        }
    }
    at
}

/// Reads one item from the front, and says how many tokens it took. Nothing where it is
/// none that a parser writes.
fn item(tokens: &[&str]) -> (Option<Item>, usize) {
    let text = tokens[0];
    if matches!(text, "-" | "--" | "[-]" | "[--]") {
        return (Some(Item::Sign), 1);
    }
    match tokens::group(text) {
        Some(Group::Square(inner, "")) => (bracketed(inner, false), 1),
        Some(Group::Round(inner, "")) if inner.contains('-') || inner.contains('|') => {
            (bracketed(inner, true), 1)
        }
        _ if is_option_start(text) => {
            let used = 1 + values(&tokens[1..]);
            let option = forms::option(&tokens[..used].join(" "));
            let item = option.map(|option| Item::Option {
                option,
                required: true,
            });
            (item, used)
        }
        // `{a,b} ...` is a command; `...` alone are words of any kind.
        _ if tokens::is_ellipsis(text) => {
            let any = forms::shape("...");
            (Some(Item::Positional(Positional::new(any, false))), 1)
        }
        _ if tokens.get(1) == Some(&"...") && tokens.len() == 2 => {
            let placeholder = text.to_owned();
            (Some(Item::Commands { placeholder }), 2)
        }
        _ if !is_name(text) => (None, 1),
        _ => {
            // `FILE [FILE ...]`
            let more = tokens.get(1).is_some_and(|next| {
                matches!(tokens::group(next), Some(Group::Square(inner, ""))
                    if inner.ends_with(" ...") && !inner.starts_with('-')
                        && forms::shape(inner).name == text)
            });
            let used = 1 + usize::from(more);
            let shape = forms::shape(&tokens[..used].join(" "));
            (Some(Item::Positional(Positional::new(shape, true))), used)
        }
    }
}

/// What a parser calls a positional; marks and sentences are a person's.
fn is_name(text: &str) -> bool {
    text.starts_with('{') || !text.contains("...") && !text.contains('|') && text != "--"
}

/// How many tokens behind a needed option are its values.
fn values(tokens: &[&str]) -> usize {
    let Some(first) = tokens.first().filter(|it| !it.starts_with(['-', '('])) else {
        return 0;
    };
    if first.starts_with('[') {
        // An option or a positional of its own, unless more of one value.
        return 0;
    }
    let more = |next: &&&str| {
        *next == first || next.starts_with('[') && next.ends_with(" ...]") && next.contains(*first)
    };
    1 + tokens[1..].iter().take_while(more).count()
}

/// Reads what stands in brackets.
fn bracketed(inner: &str, required: bool) -> Option<Item> {
    // Bars between words; one within a word is part of a placeholder.
    let bars: Vec<usize> = tokens::split(inner)
        .into_iter()
        .filter(|token| token.text == "|")
        .map(|token| token.at)
        .collect();
    if bars.is_empty() {
        return member(inner, required);
    }
    let starts = std::iter::once(0).chain(bars.iter().map(|at| at + 1));
    let ends = bars.iter().copied().chain([inner.len()]);
    let members: Option<Vec<Item>> = starts
        .zip(ends)
        .map(|(start, end)| member(inner.get(start..end)?, false))
        .collect();
    members.map(|members| Item::Exclusive { members, required })
}

fn member(text: &str, required: bool) -> Option<Item> {
    let text = text.trim();
    if matches!(text, "-" | "--") {
        return Some(Item::Sign);
    }
    if is_option_start(text) {
        let option = forms::option(text)?;
        return Some(Item::Option { option, required });
    }
    let lower = text.to_lowercase();
    let stands_for_more = ["option", "flag", "arg", ";"]
        .iter()
        .any(|word| lower.contains(word))
        && !lower.ends_with(" ...");
    let known = ["options", "flags", "option", "opts", "switches"];
    if known.contains(&lower.trim_end_matches('.')) || stands_for_more && lower.contains([' ', ';'])
    {
        return None;
    }
    let shape = forms::shape(&format!("[{text}]"));
    Some(Item::Positional(Positional::new(shape, false)))
}

/// `X X` are two values of one positional.
fn merged(items: Vec<Item>) -> Vec<Item> {
    let mut merged: Vec<Item> = Vec::new();
    for item in items {
        if let (Some(Item::Positional(last)), Item::Positional(next)) = (merged.last_mut(), &item)
            && last.name == next.name
        {
            last.many = true;
            continue;
        }
        merged.push(item);
    }
    merged
}
