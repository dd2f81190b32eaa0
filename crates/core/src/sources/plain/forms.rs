//! The grammar of an option's left side: its written forms and what each takes.
//!
//! `-w, --width=COLS`, `-o, --output <FILE>`, `-f FILE, --file FILE`,
//! `--color[=WHEN]`, `--[no-]quiet`, `--debug / --no-debug`, `-i[SUFFIX]`,
//! `-o FILE    --output=FILE`, `-c cmd : text`.

use super::options::{Listed, Value, alone};

/// Reads one line; `described` says that deeper lines follow.
pub(super) fn option(line: &str, described: bool) -> Option<Listed> {
    let mut option = Listed::default();
    let mut rest = line;
    let mut strict;
    loop {
        let form = form(rest)?;
        rest = form.rest;
        strict = form.needs_gap;
        let loose = form.loose;
        option.add(form);
        if let Some(next) = separated(rest) {
            rest = next;
            continue;
        }
        if let Some((more, text)) = in_next_column(rest, described) {
            option.join(more);
            option.text = text;
            return Some(option);
        }
        // A lower-case word is a placeholder only where a gap or the end shows
        // that it is not the first word of a sentence.
        if loose && rest.is_empty() && !described {
            return None;
        }
        break;
    }
    if let Some(after) = rest.strip_prefix("...") {
        option.counted = option.value == Value::None;
        rest = after;
    } else if let Some(after) = rest.strip_prefix(" ...").filter(|_| option.equals) {
        option.counted = true;
        rest = after;
    }
    let colon = rest.trim_start().strip_prefix(": ");
    if let Some(text) = colon.filter(|_| rest.starts_with(' ')) {
        option.text = text.trim().to_owned();
    } else if rest.starts_with("  ") || rest.starts_with('\t') || rest.starts_with(" \t") {
        option.text = rest.trim().to_owned();
    } else if let Some(text) = rest.strip_prefix(' ').filter(|_| !strict) {
        option.text = text.trim().to_owned();
    } else if !rest.trim().is_empty() {
        return None;
    }
    // Dotted leaders, or words that it takes set apart: not what it seems. And
    // several letters and words in a row are a sentence about options.
    let leader = option.text.trim_start_matches('.').trim_start();
    let led = leader.len() < option.text.len() && leader.starts_with('-');
    let apart = led || option.text.starts_with('<');
    let row = option.shorts.len() > 1 && option.longs.len() > 1;
    let mentioned = row && option.text.is_empty() && !described;
    (!apart && !mentioned).then_some(option)
}

/// `-o FILE        --output=FILE   text`: the long form has a column of its own, and
/// dots may lead to it.
fn in_next_column(rest: &str, described: bool) -> Option<(Listed, String)> {
    let after = rest
        .strip_prefix("  ")
        .or_else(|| rest.strip_prefix('\t'))?;
    let after = after.trim_start().trim_start_matches('.').trim_start();
    if !after.starts_with("--") {
        return None;
    }
    if let Some(option) = alone(after) {
        return Some((option, String::new()));
    }
    let mut option = option(after, described)?;
    let text = std::mem::take(&mut option.text);
    // `-a  --all` and a text: but `-a  --all is the same` is a text alone.
    let one = option.shorts.is_empty() && option.longs.len() == 1;
    one.then_some((option, text))
}

/// What follows a separator, if another form does.
fn separated(rest: &str) -> Option<&str> {
    for separator in [", ", " | ", " / ", ",", "|", "/", " "] {
        if let Some(next) = rest.strip_prefix(separator) {
            let next = next.trim_start_matches(' ');
            let close = rest.len() - next.len() <= 4;
            let long = next.starts_with("--") && next.len() > 2;
            // One blank alone joins a short form and its long one.
            let fits = if separator == " " {
                long && rest.len() - next.len() == 1
            } else {
                next.starts_with('-')
            };
            if close && fits && form(next).is_some() {
                return Some(next);
            }
        }
    }
    None
}

/// One spelling with its value.
pub(super) struct Form<'a> {
    long: Option<String>,
    short: Option<String>,
    value: Value,
    equals: bool,
    negatable: bool,
    angled: bool,
    /// The text must stand apart by more than one space.
    needs_gap: bool,
    /// The placeholder is a lower-case word.
    loose: bool,
    /// A value that must follow without a blank: `-w[BYTES]`.
    attached: bool,
    rest: &'a str,
}

fn form(text: &str) -> Option<Form<'_>> {
    let mut form = Form {
        long: None,
        short: None,
        value: Value::None,
        equals: false,
        negatable: false,
        angled: false,
        needs_gap: true,
        loose: false,
        attached: false,
        rest: text,
    };
    let mut odd = false;
    if let Some(name) = text.strip_prefix("--") {
        let (name, negatable) = match name.strip_prefix("[no-]") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let end = name_end(name);
        if !is_long_name(&name[..end]) {
            return None;
        }
        form.negatable = negatable;
        form.long = Some(name[..end].to_owned());
        form.rest = &name[end..];
    } else {
        let name = text.strip_prefix('-')?;
        let first = name.chars().next()?;
        let end = match name_end(name) {
            0 => first.len_utf8(),
            end => end,
        };
        let name = &name[..end];
        let single =
            name.chars().count() == 1 && (first.is_ascii_alphanumeric() || "?#@".contains(first));
        // `-NUM` and `-Idir` show a value, `-classpath` is a name; so is `-Xlinker <arg>`,
        // which shows its value apart, and `-DD`, which is one letter again.
        let word = is_long_name(name) && !first.is_ascii_uppercase();
        let again = name.chars().all(|c| c == first) && name.len() < 4;
        odd = !single && !word && !again;
        if odd && !(is_long_name(name) && first.is_ascii_uppercase()) {
            return None;
        }
        form.short = Some(text[..end + 1].to_owned());
        form.rest = &text[end + 1..];
    }
    value(&mut form)?;
    skip_remark(&mut form);
    if odd && (form.value == Value::None || form.attached) {
        return None;
    }
    Some(form)
}

/// `-1 ("one"), --single-transaction`.
fn skip_remark(form: &mut Form<'_>) {
    if let Some(after) = form.rest.strip_prefix(" (\"")
        && let Some((_, after)) = after.split_once("\")")
        && after.starts_with(',')
    {
        form.rest = after;
    }
}

fn name_end(name: &str) -> usize {
    let end = name
        .find(|c: char| !(c.is_ascii_alphanumeric() || "-_.:".contains(c)))
        .unwrap_or(name.len());
    // `--verbose...`: the dots say that it may be repeated. `-b: text` ends with a colon.
    name[..end].trim_end_matches(['.', ':']).len()
}

fn is_long_name(name: &str) -> bool {
    let shouts = |part: &str| part.len() > 2 && part.bytes().all(|b| b.is_ascii_uppercase());
    name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
        && !name.split('-').any(shouts)
}

/// Reads what a form takes.
fn value(form: &mut Form<'_>) -> Option<()> {
    let rest = form.rest;
    if let Some(after) = rest.strip_prefix("[=") {
        let end = closing(after, 0, ']').filter(|end| *end > 0)?;
        form.equals = true;
        form.value = Value::Optional(trim_brackets(&after[..end]));
        form.rest = &after[end + 1..];
        form.needs_gap = false;
        return Some(());
    }
    if let Some(after) = rest.strip_prefix('=') {
        let end = placeholder_end(after);
        // `--preset-mode=` with its text below, and `--set=, --variable=NAME`: it takes a
        // value that has no name, or one that the other form tells.
        if end == 0 && form.long.is_some() {
            form.equals = true;
            form.value = Value::Needed(String::new());
            form.rest = after;
            return Some(());
        }
        if end == 0 {
            return None;
        }
        form.equals = true;
        form.needs_gap = !after[..end].ends_with(['>', ']', '}']);
        form.angled = after.starts_with('<');
        form.value = Value::Needed(trim_brackets(after[..end].trim_end_matches(':')));
        form.rest = &after[end..];
        return Some(());
    }
    if form.short.is_some() && rest.starts_with(['[', '<']) {
        let end = placeholder_end(rest);
        let optional = rest.starts_with('[');
        let name = trim_brackets(&rest[..end]);
        form.attached = true;
        form.value = match optional {
            true => Value::Optional(name),
            false => Value::Needed(name),
        };
        form.rest = &rest[end..];
        form.needs_gap = false;
        return Some(());
    }
    if rest.starts_with(['[', '<', '{', '(']) {
        return None;
    }
    let Some(after) = rest
        .strip_prefix(' ')
        .filter(|after| !after.starts_with(' '))
    else {
        return Some(());
    };
    separate(form, after);
    Some(())
}

/// Reads a value that stands one blank apart.
fn separate<'a>(form: &mut Form<'a>, after: &'a str) {
    let end = placeholder_end(after);
    let word = &after[..end];
    match word.chars().next() {
        Some('<') => {
            let all = end_of_words(after, end, |word| {
                word.starts_with('<') && word.ends_with('>')
            });
            form.value = words(&after[..all]);
            form.rest = &after[all..];
            form.needs_gap = false;
        }
        Some('[') => {
            let body = word.trim_end_matches("...");
            let pair = closing(&body[1..], 0, ']').is_some_and(|end| end + 2 == body.len());
            // click lists choices in square brackets; elsewhere they mean "may".
            let type_name = ["[String]", "[Int]", "[Number]"].contains(&body);
            form.value = if type_name {
                // optionator's lists.
                Value::Needed(trim_brackets(word))
            } else if !pair || body.contains('|') && !body.contains('<') {
                Value::Needed(word.to_owned())
            } else {
                Value::Optional(trim_brackets(word))
            };
            form.rest = &after[end..];
            form.needs_gap = false;
        }
        Some('{') => {
            form.value = Value::Needed(word.to_owned());
            form.rest = &after[end..];
            form.needs_gap = false;
        }
        // The AWS command line names a type.
        Some('(') if word == "(boolean)" => form.rest = &after[end..],
        Some('(') if ["(string)", "(int)", "(integer)", "(float)", "(list)"].contains(&word) => {
            form.value = Value::Needed(word.trim_matches(['(', ')']).to_owned());
            form.rest = &after[end..];
        }
        Some('(') if word.contains('|') && word.ends_with([')', ']']) => {
            form.value = Value::Needed(word.to_owned());
            form.rest = &after[end..];
        }
        // `-var 'foo=bar'`.
        Some('\'') if word.len() > 2 && word.ends_with('\'') => {
            form.value = Value::Needed(word.trim_matches('\'').to_owned());
            form.rest = &after[end..];
        }
        // git's parser for scripts names no value.
        Some('.') if word == "..." => {
            form.value = Value::Needed(String::new());
            form.rest = &after[end..];
        }
        Some('#') if word == "#" => {
            form.value = Value::Needed(word.to_owned());
            form.rest = &after[end..];
        }
        Some('|' | '/' | '-' | ',' | '.' | ':') | None => {}
        Some(first) if first.is_ascii_uppercase() && shouts(word) => {
            let end = shouted_end(after);
            form.value = Value::Needed(after[..end].trim().to_owned());
            form.rest = &after[end..];
            skip_repetition(form);
        }
        // `--arg a v`: two letters, two words.
        Some(first) if first.is_ascii_lowercase() && end == 1 => {
            let all = end_of_words(after, end, |word| {
                word.len() == 1 && word.bytes().all(|b| b.is_ascii_lowercase())
            });
            if ends_left(&after[all..]) {
                form.value = words(&after[..all]);
                form.rest = &after[all..];
                form.loose = true;
            }
        }
        Some(first) if first.is_ascii_alphabetic() && ends_left(&after[end..]) => {
            form.value = Value::Needed(word.trim_end_matches(':').to_owned());
            form.rest = &after[end..];
            form.loose = true;
        }
        Some(_) => {}
    }
}

/// What the placeholders in `text` stand for.
fn words(text: &str) -> Value {
    let name = trim_brackets(text);
    match placeholder_end(text) < text.len() {
        true => Value::Several(text.to_owned()),
        false => Value::Needed(name),
    }
}

/// Where the placeholders end of which the first ends at `end`: those behind it look
/// like `another`.
fn end_of_words(text: &str, mut end: usize, another: impl Fn(&str) -> bool) -> usize {
    while let Some(next) = text[end..].strip_prefix(' ') {
        let more = placeholder_end(next);
        if more == 0 || !another(&next[..more]) {
            break;
        }
        end += 1 + more;
    }
    end
}

/// argparse's `X [X ...]` and `X X`: more of the same.
fn skip_repetition(form: &mut Form<'_>) {
    if let Some(after) = form.rest.strip_prefix(" [")
        && let Some(end) = after.find(']')
        && after[..end].ends_with("...")
    {
        form.rest = &after[end + 1..];
    }
}

fn shouts(word: &str) -> bool {
    !word.bytes().any(|b| b.is_ascii_lowercase()) && word.bytes().any(|b| b.is_ascii_uppercase())
}

/// Where the placeholder ends: further words in capitals belong to it
/// (`INTEGER RANGE`).
fn shouted_end(text: &str) -> usize {
    end_of_words(text, placeholder_end(text), |word| {
        word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
    })
}

/// Whether the left part ends here.
fn ends_left(rest: &str) -> bool {
    rest.is_empty()
        || ["  ", "\t", ", -", " : ", " --"]
            .iter()
            .any(|start| rest.starts_with(start))
}

/// Where a placeholder ends: at a blank outside brackets, or a comma before one.
fn placeholder_end(text: &str) -> usize {
    // `"a b"` and `'a b'` end where the quote does.
    if let Some(quote) = text.chars().next().filter(|c| "\"'".contains(*c))
        && let Some(end) = text[1..].find(quote)
    {
        let after = &text[end + 2..];
        return end + 2 + after.find([' ', '\t']).unwrap_or(after.len());
    }
    let mut open: Vec<char> = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '<' => open.push('>'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            '(' => open.push(')'),
            _ if open.last() == Some(&c) => {
                open.pop();
            }
            ' ' | '\t' if open.is_empty() => return at,
            ',' if open.is_empty() && text[at + 1..].starts_with([' ', '-']) => return at,
            _ => {}
        }
    }
    // A bracket that never closes was none: end at the first blank.
    if open.is_empty() {
        text.len()
    } else {
        text.find([' ', '\t']).unwrap_or(text.len())
    }
}

fn closing(text: &str, mut depth: usize, close: char) -> Option<usize> {
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            _ if c == close && depth == 0 => return Some(at),
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn trim_brackets(text: &str) -> String {
    let text = text.trim().trim_end_matches("...");
    let one = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .filter(|inner| !inner.contains(['[', ']']))
        .unwrap_or(text)
        .trim_end_matches("...");
    one.strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
        .filter(|inner| !inner.contains(['<', '>']))
        .unwrap_or(one)
        .to_owned()
}

impl Listed {
    /// Takes in another spelling of the same option.
    pub(crate) fn join(&mut self, other: Listed) {
        self.longs.extend(other.longs);
        self.shorts.extend(other.shorts);
        self.equals |= other.equals;
        self.attached &= other.attached;
        self.negatable |= other.negatable;
        if self.value == Value::None || other.equals {
            self.value = other.value;
        }
    }

    fn add(&mut self, form: Form<'_>) {
        let first = self.longs.is_empty() && self.shorts.is_empty();
        if let Some(long) = form.long {
            // `--debug / --no-debug` is one switch with two positions.
            let negates = long
                .strip_prefix("no-")
                .is_some_and(|name| self.longs.iter().any(|have| have == name));
            if negates {
                self.negatable = true;
            } else {
                self.longs.push(long);
            }
        }
        self.shorts.extend(form.short);
        self.negatable |= form.negatable;
        self.equals |= form.equals;
        self.angled |= form.angled;
        self.attached = form.attached && (first || self.attached);
        self.value = match (std::mem::take(&mut self.value), form.value) {
            (Value::None, value) | (value, Value::None) => value,
            (Value::Optional(name), _) | (_, Value::Optional(name)) => Value::Optional(name),
            (Value::Needed(_) | Value::Several(_), value) => value,
        };
    }
}
