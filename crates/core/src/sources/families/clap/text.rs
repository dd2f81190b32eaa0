//! Takes the text of an option, an argument or a command apart: the sentences, and what
//! clap adds to them.

use crate::model::{Evidence, Fact, Kind, Param, Role, Scalar};
use crate::sources::help::text::{blank, indent};

/// What clap writes in square brackets behind a text.
const TAGS: [&str; 9] = [
    "env",
    "default",
    "aliases",
    "alias",
    "default alias",
    "default aliases",
    "short aliases",
    "short alias",
    "possible values",
];

/// A text and what was said in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Prose {
    /// Without what the other fields hold.
    pub text: String,
    pub env: Option<String>,
    pub default: Option<String>,
    pub choices: Vec<String>,
    /// Other names, with their dashes.
    pub aliases: Vec<String>,
}

impl Prose {
    /// Reads a text: what stands beside its option, and the lines below.
    pub(super) fn of(beside: &str, below: &[&str]) -> Self {
        let mut prose = Self::default();
        let below = prose.take_values(below);
        prose.text = joined(beside, &below);
        prose.take_tags();
        prose
    }

    /// Takes out clap's list of values, which has a line for each; their texts stay.
    fn take_values<'a>(&mut self, below: &[&'a str]) -> Vec<&'a str> {
        let keep = || below.to_vec();
        let Some(head) = below
            .iter()
            .position(|line| line.trim() == "Possible values:")
        else {
            return keep();
        };
        let column = indent(below[head]);
        let list = &below[head + 1..];
        let in_list = |line: &&&str| {
            indent(line) > column || (indent(line) == column && line.trim_start().starts_with("- "))
        };
        let count = list.iter().take_while(in_list).count();
        let mut names = Vec::new();
        for line in list[..count].iter().filter(|line| indent(line) == column) {
            let item = line.trim().trim_start_matches("- ");
            let name = item
                .split(": ")
                .next()
                .unwrap_or(item)
                .trim_end_matches(':');
            match value(name) {
                Some(name) => names.push(name),
                None => return keep(),
            }
        }
        if names.is_empty() {
            return keep();
        }
        self.choices = names;
        let described = list[..count].iter().any(|line| line.contains(": "));
        let texts = if described { &list[..count] } else { &[] };
        let parts = [&below[..head], texts, &list[count..]];
        parts.concat()
    }

    fn take_tags(&mut self) {
        let text = std::mem::take(&mut self.text);
        let mut rest = text.as_str();
        let mut kept = String::with_capacity(text.len());
        while let Some((at, name)) = next_tag(rest) {
            let (before, tag) = rest.split_at(at);
            let body = &tag[name.len() + 3..];
            let Some(end) = tag_end(name, body) else {
                break;
            };
            kept.push_str(before);
            rest = &body[end + 1..];
            if self.take(name, body[..end].trim()) {
                // Two blanks where it stood would be one too many.
                if rest.is_empty() || rest.starts_with(char::is_whitespace) {
                    kept.truncate(kept.trim_end_matches(' ').len());
                }
            } else {
                kept.push_str(&tag[..name.len() + 3 + end + 1]);
            }
        }
        kept.push_str(rest);
        self.text = kept.trim().to_owned();
        self.take_default_of_usage();
    }

    /// Keeps what a tag says; `false` where the text must go on saying it.
    fn take(&mut self, name: &str, body: &str) -> bool {
        match name {
            // Only the name: behind the sign stands what the variable holds here.
            "env" => {
                let variable = body.split('=').next().unwrap_or_default();
                let variable = variable.trim().trim_matches('`');
                let plain = |c: char| c.is_alphanumeric() || c == '_';
                if self.env.is_none() && !variable.is_empty() && variable.chars().all(plain) {
                    self.env = Some(variable.to_owned());
                }
                true
            }
            "default" => match value(body).filter(|_| self.default.is_none()) {
                Some(default) => {
                    self.default = Some(default);
                    true
                }
                None => false,
            },
            "possible values" => {
                let values: Option<Vec<String>> = commas(body).into_iter().map(value).collect();
                match values.filter(|values| !values.is_empty() && self.choices.is_empty()) {
                    Some(values) => {
                        self.choices = values;
                        true
                    }
                    None => false,
                }
            }
            _ => {
                let dashes = if name.starts_with("short") { "-" } else { "" };
                let names = body.split(", ").map(str::trim);
                self.aliases
                    .extend(names.map(|name| format!("{dashes}{name}")));
                true
            }
        }
    }

    /// The usage library says `(default: x)` at the very end.
    fn take_default_of_usage(&mut self) {
        if self.default.is_some() {
            return;
        }
        if let Some(at) = self.text.rfind("(default: ")
            && let Some(body) = self.text[at + 10..].strip_suffix(')')
            && let Some(default) = value(body)
        {
            self.default = Some(default);
            self.text.truncate(at);
            self.text.truncate(self.text.trim_end().len());
        }
    }

    /// Tells `param` what was found.
    pub(super) fn describe(self, param: &mut Param) {
        param.text = self.text;
        param.env = self.env;
        deprecate(param);
        if !param.text.is_empty() {
            param.from.note(Fact::Text, Evidence::Help);
        }
        let mut left_over = Vec::new();
        for alias in self.aliases {
            // Old versions print names without dashes.
            let alias = match alias.starts_with('-') {
                true => alias,
                false => format!("--{alias}"),
            };
            match &mut param.role {
                Role::Flag(spelling) if spelling.short.is_none() && !alias.starts_with("--") => {
                    spelling.short = Some(alias);
                }
                _ => left_over.push(alias),
            }
        }
        if !left_over.is_empty() {
            if !param.text.is_empty() {
                param.text.push(' ');
            }
            param
                .text
                .push_str(&format!("[aliases: {}]", left_over.join(", ")));
        }
        if !param.kind.takes_value() {
            return;
        }
        if let Some(default) = self.default {
            param.default = Some(default);
            param.from.note(Fact::Default, Evidence::Help);
        }
        let bools = ["true", "false"];
        let is_bool = self.choices.len() == 2
            && bools
                .iter()
                .all(|it| self.choices.iter().any(|have| have == it));
        if is_bool && param.kind == Kind::One(Scalar::String) {
            param.kind = Kind::One(Scalar::Bool);
            param.from.note(Fact::Type, Evidence::Help);
        } else if !self.choices.is_empty() {
            param.choices = self.choices;
            param.from.note(Fact::Choices, Evidence::Help);
        }
    }
}

/// A text that opens with it says that the option is going away.
fn deprecate(param: &mut Param) {
    let text = &param.text;
    let lower = text.to_lowercase();
    let opens = ["(deprecated", "[deprecated", "deprecated:", "deprecated."];
    if opens.iter().any(|open| lower.starts_with(open)) {
        let close = match text.chars().next() {
            Some('(') => text.find(')'),
            Some('[') => text.find(']'),
            _ => text.find('\n').or(Some(text.len())),
        };
        let inner = text.get(..close.unwrap_or(text.len())).unwrap_or(text);
        let reason = inner
            .trim_start_matches(['(', '['])
            .get("deprecated".len()..)
            .unwrap_or_default()
            .trim_start_matches([':', '.', ' ']);
        param.deprecated = Some(reason.to_owned());
    }
}

/// The lines as sentences: paragraphs, lists and what is set deeper keep their lines.
fn joined(beside: &str, below: &[&str]) -> String {
    let column = below
        .iter()
        .filter(|line| !blank(line))
        .map(|line| indent(line))
        .min()
        .unwrap_or(0);
    let mut out = beside.to_owned();
    let mut own_line = false;
    let mut paragraph = false;
    for line in below {
        if blank(line) {
            paragraph = true;
            continue;
        }
        let content = line.trim();
        let set_apart =
            indent(line) > column || content.starts_with("- ") || content.starts_with("* ");
        if !out.is_empty() {
            out.push_str(match (paragraph, set_apart || own_line) {
                (true, false) => "\n\n",
                (true, true) | (false, true) => "\n",
                (false, false) => " ",
            });
        }
        out.push_str(content);
        own_line = set_apart;
        paragraph = false;
    }
    out
}

/// The first tag in `text`: where it opens, and its name.
fn next_tag(text: &str) -> Option<(usize, &'static str)> {
    text.match_indices('[').find_map(|(at, _)| {
        let inner = &text[at + 1..];
        let name = TAGS.into_iter().find(|name| {
            inner
                .strip_prefix(name)
                .is_some_and(|it| it.starts_with(':'))
        })?;
        let behind = inner.get(name.len() + 1..)?;
        // A line may end behind the colon; it was joined with a blank.
        behind.starts_with([' ', '\n']).then_some((at, name))
    })
}

/// Where the tag ends whose `body` this is. Brackets within come in pairs; what a
/// variable holds may have any, so that it ends only before the next tag or at the end.
fn tag_end(name: &str, body: &str) -> Option<usize> {
    if name == "env" {
        let first = body.find(']')?;
        let holds_nothing = body[..first].trim_end().ends_with('=') || !body[..first].contains('=');
        if holds_nothing {
            return Some(first);
        }
        let until = next_tag(body).map_or(body.len(), |(at, _)| at);
        return body[..until].rfind(']').or(Some(first));
    }
    let mut depth = 0_usize;
    let mut quoted = false;
    for (at, c) in body.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted && depth == 0 => return Some(at),
            ']' if !quoted => depth -= 1,
            _ => {}
        }
    }
    body.find(']')
}

/// Cut at the commas outside quotes.
fn commas(list: &str) -> Vec<&str> {
    let mut quoted = false;
    let parts = list.split(move |c: char| {
        if c == '"' {
            quoted = !quoted;
        }
        c == ',' && !quoted
    });
    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

/// A single value: one word, or anything in quotes, as clap writes it. Other words are
/// a person's.
fn value(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
        return serde_json::from_str(text)
            .ok()
            .or_else(|| (!inner.contains('"')).then(|| inner.to_owned()));
    }
    (!text.is_empty() && !text.contains(char::is_whitespace)).then(|| text.to_owned())
}
