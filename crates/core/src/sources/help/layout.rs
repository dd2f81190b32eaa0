//! Finds the parts of a page: where the usage stands, and which lines around it
//! open a section rather than being text that only looks like one.

use super::commands;
use super::flags::{self, starts_flag};
use super::text::{blank, indent};
use super::{Section, Style};

/// What a section holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Head {
    Usage,
    Aliases,
    Examples,
    Arguments,
    Description,
    /// The `NAME:` of pages that imitate a manual.
    Name,
    Commands(Option<String>),
    Topics,
    Flags(Section),
    /// The last words: where to find more help.
    Trailer,
    /// Words that belong to nothing above: a heading of the program's own, or none.
    Text(String),
}

/// A head and the lines under it.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    pub head: Head,
    /// What stands on the head's own line after the colon.
    pub inline: &'a str,
    /// Where the head stands.
    pub line: usize,
    pub lines: &'a [&'a str],
}

/// How heads are written on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heads {
    /// `Flags:`, and group titles known by their position.
    Titled,
    /// `FLAGS` or `FLAGS:` alone on a line, everything else indented below it.
    Capitals,
}

/// The usage section of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Anchor {
    pub line: usize,
    pub style: Style,
    pub heads: Heads,
    /// The heads' own indent.
    pub indent: usize,
    /// `Usage:  docker run …` on one line: free text follows it.
    pub inline: bool,
}

/// The line of `lines` that opens the usage of `program path…`.
///
/// Texts quote usages too, so the one that names this very command wins, and of
/// several the last: the text comes before the template's own part.
pub(crate) fn anchor(lines: &[&str], program: &str, path: &[String]) -> Option<Anchor> {
    let mut best: Option<(u8, Anchor)> = None;
    for (at, line) in lines.iter().enumerate() {
        let Some((candidate, first)) = usage_head(lines, at, line) else {
            continue;
        };
        let rank = first.map_or(1, |first| likeness(first, program, path));
        if best.as_ref().is_none_or(|(had, _)| rank >= *had) {
            best = Some((rank, candidate));
        }
    }
    best.map(|(_, anchor)| anchor)
}

fn usage_head<'a>(
    lines: &[&'a str],
    at: usize,
    line: &'a str,
) -> Option<(Anchor, Option<&'a str>)> {
    let own = indent(line);
    let word = line.trim_start();
    let (word, rest) = (word.get(..5)?, word.get(5..)?);
    if own > 3 || !word.eq_ignore_ascii_case("usage") {
        return None;
    }
    let capitals = word == "USAGE";
    let anchor = |inline| Anchor {
        line: at,
        style: match (capitals, rest.starts_with(':')) {
            (true, true) => Style::Etcd,
            // charmbracelet's fang indents its heads, and shows no types.
            (true, false) if own > 0 => Style::Other,
            (true, false) => Style::Gh,
            (false, _) => Style::Cobra,
        },
        heads: if capitals {
            Heads::Capitals
        } else {
            Heads::Titled
        },
        indent: own,
        inline,
    };
    match rest.strip_prefix(':').map(str::trim) {
        Some(inline) if !inline.is_empty() => (own == 0).then_some((anchor(true), Some(inline))),
        None if !rest.trim().is_empty() || !capitals => None,
        _ => {
            let next = lines
                .get(at + 1..)?
                .iter()
                .find(|line| !blank(line))
                .copied();
            Some((anchor(false), next))
        }
    }
}

/// How surely `line` is a usage of `program path…`: 0 to 3.
fn likeness(line: &str, program: &str, path: &[String]) -> u8 {
    let words: Vec<&str> = line.split_whitespace().take(path.len() + 2).collect();
    let runs_at = |at: usize| {
        words.len() >= at + path.len() && words[at..].iter().zip(path).all(|(a, b)| a == b)
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    if words.first() == Some(&name) && runs_at(1) {
        3
    } else if !words.is_empty() && runs_at(1) && !path.is_empty() || runs_at(2) && !path.is_empty()
    {
        2
    } else {
        1
    }
}

/// Whether `line` starts with the words of `program path…`; a plugin's host and
/// its name may be two words (`git lfs` for git-lfs).
pub(crate) fn is_usage_of(line: &str, program: &str, path: &[String]) -> bool {
    let host = program.split_once('-').map(|(host, name)| {
        let path: Vec<String> = std::iter::once(name.to_owned())
            .chain(path.iter().cloned())
            .collect();
        likeness(line, host, &path)
    });
    likeness(line, program, path) == 3 || host == Some(3)
}

/// Where Kubernetes' templates put the usage last: the line at which the sections
/// before it start, and those sections.
pub(crate) fn sections_before<'a>(
    before: &'a [&'a str],
    page: Anchor,
    after: &[Part<'_>],
) -> Option<(usize, Vec<Part<'a>>)> {
    let holds = |part: &Part<'_>| matches!(part.head, Head::Flags(_) | Head::Commands(_));
    if page.heads != Heads::Titled || page.inline || after.iter().any(holds) {
        return None;
    }
    let mut parts = parts(before, page);
    parts.retain(|part| part.head != Head::Trailer);
    let first = parts
        .iter()
        .position(|part| part.head != Head::Text(String::new()))?;
    let assigned =
        |part: &Part<'_>| matches!(part.head, Head::Flags(_)) && flags::are_assigned(part.lines);
    let trailed = after.iter().any(|part| part.head == Head::Trailer);
    let examples = parts.iter().any(|part| part.head == Head::Examples);
    if !(parts.iter().any(assigned) || examples || trailed && parts.iter().any(holds)) {
        return None;
    }
    let sections = parts.split_off(first);
    Some((sections[0].line, sections))
}

/// Cuts `lines` into parts. What comes before the first head is a nameless
/// [`Head::Text`].
pub(crate) fn parts<'a>(lines: &'a [&'a str], page: Anchor) -> Vec<Part<'a>> {
    let mut parts: Vec<Part<'a>> = Vec::new();
    let mut head = Head::Text(String::new());
    let mut inline = "";
    let mut start = 0_usize;
    for at in 0..lines.len() {
        let Some((found, rest)) = head_at(lines, at, page, &head) else {
            continue;
        };
        parts.push(Part {
            head: std::mem::replace(&mut head, found),
            inline: std::mem::replace(&mut inline, rest),
            line: start.saturating_sub(1),
            lines: &lines[start..at],
        });
        start = at + 1;
    }
    parts.push(Part {
        head,
        inline,
        line: start.saturating_sub(1),
        lines: &lines[start..],
    });
    parts
}

fn head_at<'a>(
    lines: &'a [&'a str],
    at: usize,
    page: Anchor,
    inside: &Head,
) -> Option<(Head, &'a str)> {
    let line = lines[at];
    if blank(line) || indent(line) != page.indent {
        return None;
    }
    let title = line.trim();
    if trails(title) {
        return Some((Head::Trailer, title));
    }
    // The usage was found before; another one is text.
    let (name, rest) = match title
        .strip_prefix("Usage:")
        .or(title.strip_prefix("USAGE:"))
    {
        Some(rest) => ("usage".to_owned(), rest.trim()),
        None => (title.trim_end_matches(':').to_lowercase(), ""),
    };
    match page.heads {
        Heads::Capitals => capital_head(lines, at, title, &name, page).map(|head| (head, rest)),
        Heads::Titled => {
            titled_head(lines, at, title, &name, page, inside).map(|head| (head, rest))
        }
    }
}

fn trails(title: &str) -> bool {
    let says_where = title.contains("--help") || title.contains(" options\" for a list");
    let asks = ["Use ", "Run ", "See "];
    asks.iter().any(|word| title.starts_with(word)) && says_where && title.ends_with('.')
}

fn capital_head(lines: &[&str], at: usize, title: &str, name: &str, page: Anchor) -> Option<Head> {
    let apart = at == 0 || blank(lines[at - 1]);
    let capitals = title.chars().any(char::is_uppercase) && !title.chars().any(char::is_lowercase);
    if !apart || !capitals || starts_flag(title) {
        return None;
    }
    Some(match name {
        "usage" => Head::Usage,
        "aliases" | "alias" => Head::Aliases,
        "examples" | "example" => Head::Examples,
        "name" => Head::Name,
        "description" => Head::Description,
        "arguments" | "args" => Head::Arguments,
        "learn more" | "see also" | "feedback" => Head::Trailer,
        "help topics" | "additional help topics" => Head::Topics,
        _ if ends_with_word(name, &["flags", "options"]) => Head::Flags(whose(name)),
        _ if ends_with_word(name, &["commands", "subcommands"]) => Head::Commands(group(title)),
        // Group titles of any words, where all heads look alike.
        _ if page.indent > 0 && commands::are_loose_rows(body(lines, at, page.indent)) => {
            Head::Commands(group(title))
        }
        // Not about using the command.
        "version" | "api version" => Head::Trailer,
        _ => Head::Text(title.to_owned()),
    })
}

fn titled_head(
    lines: &[&str],
    at: usize,
    title: &str,
    name: &str,
    page: Anchor,
    inside: &Head,
) -> Option<Head> {
    let body = body(lines, at, page.indent);
    let in_examples = *inside == Head::Examples;
    let has_flags = || {
        let first = lines[at + 1..].iter().find(|line| !blank(line));
        first.is_some_and(|line| starts_flag(line))
    };
    match name {
        // The page's own is the first; sections before it have none.
        "usage" if *inside == Head::Text(String::new()) && at == 0 => return Some(Head::Usage),
        "aliases" | "examples" | "example" if title.ends_with(':') && !in_examples => {
            return Some(if name == "aliases" {
                Head::Aliases
            } else {
                Head::Examples
            });
        }
        "arguments" | "args" if title.ends_with(':') && !in_examples && !body.is_empty() => {
            return Some(Head::Arguments);
        }
        "additional help topics" | "help topics" => return Some(Head::Topics),
        "available commands" | "commands" | "subcommands" | "available subcommands"
            if title.ends_with(':') && (!in_examples || commands::are_rows(body)) =>
        {
            return Some(Head::Commands(None));
        }
        _ => {}
    }
    if ends_with_word(name, &["flags", "options"]) && has_flags() {
        return Some(Head::Flags(whose(name)));
    }
    by_position(lines, at, title, name, page, body)
}

/// A title that only its place gives away: a line of its own right above flags
/// or commands.
fn by_position(
    lines: &[&str],
    at: usize,
    title: &str,
    name: &str,
    page: Anchor,
    body: &[&str],
) -> Option<Head> {
    // A continued command line in an example is not a title.
    let apart = at == 0 || blank(lines[at - 1]) || indent(lines[at - 1]) > page.indent;
    if !apart || title.ends_with('\\') || body.first().is_none_or(|line| blank(line)) {
        return None;
    }
    // Where the text follows the usage, only titles that say what they are.
    let says = |words: &[&str]| !page.inline || words.iter().any(|word| name.contains(word));
    if starts_flag(body[0]) && says(&["flag", "option"]) && are_flags(body) {
        return Some(Head::Flags(whose(name)));
    }
    if says(&["command"]) && commands::are_rows(body) {
        return Some(Head::Commands(group(title)));
    }
    None
}

/// Whether all lines are pflag's: `  -c, --name` or `      --name` and their texts.
fn are_flags(body: &[&str]) -> bool {
    let first = |line: &&&str| starts_flag(line) && matches!(indent(line), 2 | 4 | 6);
    let (read, unread) = flags::read(body, Section::Own);
    let described = read.iter().any(|flag| !flag.text.is_empty());
    let starts = body.iter().filter(first).count();
    unread.is_empty() && described && starts > 0 && read.iter().all(|flag| flag.long.is_some())
}

/// The lines that stand under line `at`: those indented further, and blanks.
///
/// Of two heads neither has the other's lines, so that asking for every head of
/// a page costs no more than reading it.
pub(crate) fn body<'a>(lines: &'a [&'a str], at: usize, own: usize) -> &'a [&'a str] {
    let rest = lines.get(at + 1..).unwrap_or_default();
    let end = rest
        .iter()
        .position(|line| !blank(line) && indent(line) <= own)
        .unwrap_or(rest.len());
    &rest[..end]
}

/// Splits off the unindented words that a page closes with, a blank line after
/// an indented block.
pub(crate) fn epilogue<'a>(lines: &'a [&'a str]) -> (&'a [&'a str], &'a [&'a str]) {
    let kept = lines
        .iter()
        .rposition(|line| !blank(line) && indent(line) > 0)
        .map_or(0, |last| last + 1);
    let apart = lines.get(kept).is_some_and(|line| blank(line));
    lines.split_at(if kept > 0 && apart { kept } else { lines.len() })
}

fn ends_with_word(name: &str, words: &[&str]) -> bool {
    name.split_whitespace()
        .next_back()
        .is_some_and(|last| words.contains(&last))
}

/// Whose flags a section with this title lists.
fn whose(name: &str) -> Section {
    let inherited = ["global", "inherited", "persistent", "parent", "(flag group"];
    if inherited.iter().any(|word| name.contains(word)) {
        Section::Inherited
    } else {
        Section::Own
    }
}

/// The title as a group's name; a title that every program prints is none.
fn group(title: &str) -> Option<String> {
    let title = title.trim().trim_end_matches(':').trim_end();
    let usual = [
        "available commands",
        "commands",
        "subcommands",
        "available subcommands",
    ];
    (!usual.contains(&title.to_lowercase().as_str())).then(|| title.to_owned())
}
