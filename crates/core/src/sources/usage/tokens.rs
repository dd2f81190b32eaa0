//! Cuts a usage line at the spaces outside its brackets.

/// A piece of the line without spaces outside brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub text: &'a str,
    /// Where it starts in what was cut.
    pub at: usize,
}

impl Token<'_> {
    pub(crate) fn is_bracketed(&self) -> bool {
        self.text.starts_with(['[', '(', '{'])
    }
}

/// A token that is one pair of brackets: what is inside, and a mark behind it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Group<'a> {
    Square(&'a str, &'a str),
    Round(&'a str, &'a str),
    Curly(&'a str, &'a str),
}

/// The first `count` words of `line`, and the rest.
pub(crate) fn after_words(line: &str, count: usize) -> (Vec<&str>, &str) {
    let mut rest = line.trim_start();
    let mut words = Vec::new();
    for _ in 0..count {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    (words, rest)
}

/// Cuts at spaces outside brackets. A bracket without a partner is a character
/// like others.
pub(crate) fn split(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut start = None;
    for (at, c, depth) in depths(text) {
        if depth == 0 && c.is_whitespace() {
            if let Some(from) = start.take() {
                tokens.push(Token {
                    text: &text[from..at],
                    at: from,
                });
            }
        } else {
            start.get_or_insert(at);
        }
    }
    if let Some(from) = start {
        tokens.push(Token {
            text: &text[from..],
            at: from,
        });
    }
    tokens
}

/// Cuts at `|` outside brackets.
pub(crate) fn alternatives(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, c, depth) in depths(text) {
        if depth == 0 && c == '|' {
            parts.push(text[start..at].trim());
            start = at + 1;
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Every character with its place and how many brackets are open there; the
/// brackets themselves count as inside.
fn depths(text: &str) -> impl Iterator<Item = (usize, char, usize)> + '_ {
    let partners = partners(text);
    let mut depth = 0;
    text.char_indices()
        .enumerate()
        .map(move |(index, (at, c))| match partners[index] {
            Bracket::Opens => {
                depth += 1;
                (at, c, depth)
            }
            Bracket::Closes => {
                depth -= 1;
                (at, c, depth + 1)
            }
            Bracket::No => (at, c, depth),
        })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Opens,
    Closes,
    No,
}

/// Which characters are brackets with a partner.
fn partners(text: &str) -> Vec<Bracket> {
    let mut kinds = Vec::with_capacity(text.len());
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut quoted = None;
    let mut before = ' ';
    for (index, c) in text.chars().enumerate() {
        kinds.push(Bracket::No);
        let after = std::mem::replace(&mut before, c);
        if let Some((from, quote)) = quoted {
            if c == quote {
                kinds[from] = Bracket::Opens;
                kinds[index] = Bracket::Closes;
                quoted = None;
            }
            continue;
        }
        match c {
            // Only where a value starts: elsewhere it is an apostrophe.
            '\'' | '"' if after == '=' => quoted = Some((index, c)),
            '[' => open.push((index, ']')),
            '(' => open.push((index, ')')),
            '{' => open.push((index, '}')),
            '<' => open.push((index, '>')),
            ']' | ')' | '}' | '>' => {
                // `[<a>` may have lost one: close the nearest that fits, unless
                // it is only an angle, which is also a sign.
                let fits = open.iter().rposition(|(_, close)| *close == c);
                if let Some(at) = fits.filter(|at| open[at + 1..].iter().all(|(_, b)| *b == '>')) {
                    kinds[open[at].0] = Bracket::Opens;
                    kinds[index] = Bracket::Closes;
                    open.truncate(at);
                }
            }
            _ => {}
        }
    }
    kinds
}

/// The bracket pair that `text` is, if it is one from end to end.
pub(crate) fn group(text: &str) -> Option<Group<'_>> {
    let (body, mark) = unmarked(text);
    let first = body.chars().next()?;
    let inner = body.get(1..body.len().checked_sub(1)?)?;
    let closes_at_end = depths(body)
        .skip(1)
        .find(|(_, c, depth)| *depth == 1 && "])}".contains(*c))
        .is_some_and(|(at, ..)| at + 1 == body.len());
    if !closes_at_end {
        return None;
    }
    match first {
        '[' => Some(Group::Square(inner, mark)),
        '(' => Some(Group::Round(inner, mark)),
        '{' => Some(Group::Curly(inner, mark)),
        _ => None,
    }
}

/// `text` without the mark of repetition behind it, and that mark.
pub(crate) fn unmarked(text: &str) -> (&str, &str) {
    for mark in ["...", "…", "*", "+"] {
        if let Some(body) = text.strip_suffix(mark) {
            let body = body.trim_end();
            if !body.is_empty() {
                return (body, mark);
            }
        }
    }
    (text, "")
}

/// `...` or `[...]`: the one before may be repeated.
pub(crate) fn is_ellipsis(text: &str) -> bool {
    matches!(text, "..." | "…" | "[...]" | "[…]" | "[..]" | "..")
}

/// Whether the token is a flag, or a group of nothing but flags.
pub(crate) fn is_flag(text: &str) -> bool {
    let inner = match group(text) {
        Some(Group::Square(inner, _) | Group::Round(inner, _) | Group::Curly(inner, _)) => inner,
        None => text,
    };
    // `-o|--output=json|yaml`: what follows an equals sign are values.
    let mut values = false;
    let all = alternatives(inner).iter().all(|part| {
        let flag = starts_with_flag(part);
        values = if flag { part.contains('=') } else { values };
        flag || values
    });
    all && starts_with_flag(inner)
}

fn starts_with_flag(text: &str) -> bool {
    let inner = text.trim_start_matches(['[', '(', '{', ' ', '<']);
    inner.starts_with('-')
        && inner.len() > 1
        && !matches!(
            inner.as_bytes(),
            [b'-', b'-'] | [b'-', b'-', b' ' | b']', ..]
        )
}

/// `<sources>[{<tag>|<digest>}...]`: the repetition stands in an optional part
/// that is not a mere suffix like `[:<tag>...]`.
pub(crate) fn ends_in_repeated_part(text: &str) -> bool {
    let Some(body) = text.strip_suffix("...]") else {
        return false;
    };
    let opens = depths(text)
        .filter(|(_, c, depth)| *c == '[' && *depth == 1)
        .last();
    opens.is_some_and(|(at, ..)| at > 0 && !body[at + 1..].starts_with([':', ',', '@', '/']))
}

/// Whether every part of a word stands in square brackets: `[<remote>:][<name>]`.
pub(crate) fn is_all_optional(text: &str) -> bool {
    let (text, _) = unmarked(text);
    text.starts_with('[')
        && depths(text)
            .all(|(at, c, depth)| depth > 0 && !(depth == 1 && "<({".contains(c) && at > 0))
}
