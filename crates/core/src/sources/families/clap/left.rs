//! What stands left of a text: an option's spellings and its value, or an argument.
//!
//! clap writes all of it itself, so that a line is an option's only if every sign up to
//! the gap before its text is accounted for.

/// Longer lines are not read: no person wrote them.
const LONGEST: usize = 65_536;
/// More placeholders than any option has.
const MOST: usize = 16;

/// An option as printed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Left<'a> {
    /// With their dashes; the first is the usual one.
    pub longs: Vec<&'a str>,
    pub shorts: Vec<&'a str>,
    /// What switches it off: `--color / --no-color`.
    pub negative: Option<&'a str>,
    pub value: Option<Placeholder<'a>>,
    /// `-v...`
    pub repeated: bool,
}

/// What an option takes, as printed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Placeholder<'a> {
    /// One for each value: `<A> <B>`.
    pub names: Vec<&'a str>,
    /// It may be left out: `[<X>]`.
    pub optional: bool,
    /// It must be joined: `=<X>`.
    pub equals: bool,
    /// More of the same may follow: `<X>...`.
    pub many: bool,
}

impl Placeholder<'_> {
    /// All names as one.
    pub(super) fn name(&self) -> String {
        let names = self.names.join(" ");
        match self.many && self.names.len() > 1 {
            true => names + "...",
            false => names,
        }
    }
}

/// The option that `line` starts with, and its text.
pub(super) fn option(line: &str) -> Option<(Left<'_>, &str)> {
    if line.len() > LONGEST {
        return None;
    }
    let mut left = Left::default();
    let mut rest = line;
    loop {
        let (name, after) = spelling(rest)?;
        match name.strip_prefix("--no-") {
            Some(of) if left.longs.iter().any(|long| long.get(2..) == Some(of)) => {
                left.negative = Some(name);
            }
            _ if name.starts_with("--") => left.longs.push(name),
            _ => left.shorts.push(name),
        }
        rest = after;
        if let Some(after) = dots(rest) {
            left.repeated = true;
            rest = after;
        }
        let next = rest.strip_prefix(", ").or_else(|| {
            rest.strip_prefix(" / ")
                .filter(|it| it.starts_with("--no-"))
        });
        match next.map(str::trim_start).filter(|it| it.starts_with('-')) {
            Some(next) => rest = next,
            None => break,
        }
    }
    let (value, rest) = value(rest)?;
    left.value = value;
    gap(rest).map(|text| (left, text))
}

/// The argument that `line` starts with as printed, and its text.
pub(super) fn argument(line: &str) -> Option<(&str, &str)> {
    if line.len() > LONGEST {
        return None;
    }
    let mut end = bracketed(line)?;
    if let Some(after) = dots(&line[end..]) {
        end = line.len() - after.len();
    }
    gap(&line[end..]).map(|text| (&line[..end], text))
}

/// A text stands apart by two blanks at least.
fn gap(rest: &str) -> Option<&str> {
    let apart =
        rest.is_empty() || rest.starts_with("  ") || rest.trim_start_matches(' ').starts_with('\t');
    apart.then(|| rest.trim())
}

fn dots(text: &str) -> Option<&str> {
    text.strip_prefix("...").or_else(|| text.strip_prefix('…'))
}

/// One spelling with its dashes, and what follows it.
fn spelling(text: &str) -> Option<(&str, &str)> {
    let end = match text.strip_prefix("--") {
        Some(name) => {
            if !name.starts_with(|c: char| c.is_alphanumeric()) {
                return None;
            }
            let end = name
                .find(|c: char| !(c.is_alphanumeric() || "-_.:+@".contains(c)))
                .unwrap_or(name.len());
            2 + name[..end].trim_end_matches('.').len()
        }
        None => {
            let letter = text.strip_prefix('-')?.chars().next()?;
            if letter.is_whitespace() || letter == '-' {
                return None;
            }
            1 + letter.len_utf8()
        }
    };
    let (name, rest) = text.split_at(end);
    let ends = rest.is_empty()
        || rest.starts_with([' ', ',', '[', '=', '\t', '…'])
        || rest.starts_with("...");
    ends.then_some((name, rest))
}

/// What an option takes, and the rest.
fn value(text: &str) -> Option<(Option<Placeholder<'_>>, &str)> {
    let mut value = Placeholder::default();
    let mut rest = text;
    while value.names.len() < MOST {
        let (body, equals) = match rest.strip_prefix("[=") {
            // `[=<X>]`
            Some(_) => (rest, true),
            None => match rest.strip_prefix('=') {
                Some(body) => (body, true),
                None => match rest.strip_prefix(' ') {
                    Some(body) => (body, false),
                    None => break,
                },
            },
        };
        if !body.starts_with(['<', '[']) {
            break;
        }
        let end = bracketed(body)?;
        value.equals |= equals;
        value.optional |= body.starts_with('[');
        let inner = body.get(1..end - 1)?;
        let inner = inner.strip_prefix('=').unwrap_or(inner);
        let bare = inner.trim_end_matches("...").trim_end_matches('…');
        value.many |= bare.len() < inner.len();
        let name = bare
            .strip_prefix('<')
            .and_then(|name| name.strip_suffix('>'))
            .unwrap_or(bare);
        if name.is_empty() {
            return None;
        }
        value.names.push(name);
        rest = &body[end..];
        if let Some(after) = dots(rest) {
            value.many = true;
            rest = after;
        }
    }
    Some(match value.names.is_empty() {
        true => (None, text),
        false => (Some(value), rest),
    })
}

/// Where the bracket that `text` opens with ends. A sign that is no bracket's partner,
/// as in `<->` or `<a>b>`, is a character like others.
fn bracketed(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '<' => open.push('>'),
            '[' => open.push(']'),
            '>' | ']' if open.last() == Some(&c) => {
                open.pop();
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            _ if open.is_empty() => return None,
            // Nothing goes on behind the gap.
            ' ' if text[at..].starts_with("  ") => return None,
            _ => {}
        }
    }
    None
}
