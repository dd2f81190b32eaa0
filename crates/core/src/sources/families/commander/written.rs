//! The left side of an option's line, as Node's parsers print it: `-p, --port <number>`,
//! `--app, -a`, `--[no-]color`, `-f, --file=<value>...`.

use std::collections::BTreeMap;

use crate::model::{Evidence, Fact, Joiner, Kind, Param, Role, Scalar, Spelling, Split};

/// An option's forms and what follows them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in super::super) struct Written {
    /// With their dashes, in printed order.
    pub longs: Vec<String>,
    pub shorts: Vec<String>,
    /// The form that switches it off, where the line has both.
    pub negative: Option<String>,
    pub value: Value,
}

/// What follows an option's name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in super::super) enum Value {
    #[default]
    None,
    /// `<x>`
    Needed { name: String, many: bool },
    /// `[x]`
    Optional { name: String, many: bool },
}

impl Written {
    /// Reads `left`; nothing unless all of it is accounted for.
    pub fn read(left: &str) -> Option<Self> {
        let mut written = Written::default();
        let mut rest = left.trim();
        while rest.starts_with('-') {
            rest = written.form(rest)?;
        }
        let named = !written.longs.is_empty() || !written.shorts.is_empty();
        (named && rest.is_empty()).then_some(written)
    }

    /// Reads one form at the start of `text`, and gives what follows it.
    fn form<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let both = text.strip_prefix("--[no-]");
        let dashes = if text.starts_with("--") { 2 } else { 1 };
        let (name, rest) = match both {
            Some(name) => split_name(name),
            None => split_name(text.get(dashes..)?),
        };
        if !is_name(name) {
            return None;
        }
        match (both, dashes) {
            (Some(_), _) => {
                self.negative = Some(format!("--no-{name}"));
                self.longs.push(format!("--{name}"));
            }
            (None, 2) => self.long(format!("--{name}")),
            (None, _) if name.chars().count() == 1 => self.shorts.push(format!("-{name}")),
            // `-vv`, `-name`: a word behind a single dash.
            (None, _) => self.longs.push(format!("-{name}")),
        }
        let rest = self.values(rest)?;
        let next = rest.trim_start_matches([',', '|', ' ']);
        // A comma with nothing behind it was no separator.
        (rest.is_empty() || !next.is_empty()).then_some(next)
    }

    /// `--color, --no-color` is one option.
    fn long(&mut self, long: String) {
        let opposite = long.strip_prefix("--no-").map(|name| format!("--{name}"));
        match opposite {
            Some(opposite) if self.longs.contains(&opposite) => self.negative = Some(long),
            _ => self.longs.push(long),
        }
    }

    /// Reads the values at the start of `text`, which follows a name.
    fn values<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let mut rest = text;
        loop {
            let (open, blank) = match rest.strip_prefix(' ') {
                Some(after) => (after.trim_start(), true),
                None => (rest, false),
            };
            // `[=x]`, `=<x>`, ` <x>`, ` [x]`; oclif's old `=x` has no brackets.
            let equals = open.strip_prefix('=');
            let inner = equals.unwrap_or(open);
            let (value, after) = match inner.chars().next() {
                Some('<') if blank || equals.is_some() => bracketed(inner, '<', '>')?,
                Some('[') => bracketed(inner, '[', ']')?,
                Some(_) if equals.is_some() => {
                    let end = inner.find(' ').unwrap_or(inner.len());
                    (inner.get(..end)?, inner.get(end..)?)
                }
                _ => return Some(rest),
            };
            let optional = inner.starts_with('[');
            let (after, dots) = match after.strip_prefix("...") {
                Some(after) => (after, true),
                None => (after, false),
            };
            let name = value.trim_start_matches('=').trim();
            let many = dots || name.ends_with("...") || name.starts_with("...");
            self.value = std::mem::take(&mut self.value).and(name, optional, many);
            rest = after;
        }
    }
}

impl Value {
    /// A further value: commander takes several placeholders for one value's text.
    fn and(self, name: &str, optional: bool, more: bool) -> Self {
        let name = name.trim_matches('.').trim_matches(['<', '>']).to_owned();
        match self {
            Value::None if optional => Value::Optional { name, many: more },
            Value::None => Value::Needed { name, many: more },
            // Each form repeats it: `-p <port>, --port <port>`.
            Value::Needed { name: first, many } if first == name => Value::Needed {
                name,
                many: many || more,
            },
            Value::Optional { name: first, many } if first == name => Value::Optional {
                name,
                many: many || more,
            },
            Value::Needed { name: first, many } | Value::Optional { name: first, many } => {
                Value::Needed {
                    name: format!("{first} {name}"),
                    many: many || more,
                }
            }
        }
    }
}

/// The inside of a bracket at the start of `text`, and what follows it.
fn bracketed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some((text.get(1..at)?, text.get(at + 1..)?));
            }
        }
    }
    None
}

/// A name and what follows it.
fn split_name(text: &str) -> (&str, &str) {
    let end = text.find([' ', ',', '|', '=', '[', '<']);
    text.split_at(end.unwrap_or(text.len()))
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_.:@+?#".contains(c);
    name.chars().all(plain) && name.starts_with(|c: char| c.is_alphanumeric() || "?#@_".contains(c))
}

/// Whether it asks for help: argway asks for that otherwise.
pub(in super::super) fn asks_for_help(written: &Written, text: &str) -> bool {
    let only = |form: &str| written.longs.is_empty() && written.shorts.iter().any(|it| it == form);
    written.longs.iter().any(|long| long == "--help")
        || only("-?")
        || (only("-h") && text.to_lowercase().contains("help"))
}

/// The flag that `written` and its `text` show. Where there are more forms than two, the
/// first long one and the first letter are kept.
pub(in super::super) fn flag(written: &Written, text: &str) -> Option<Param> {
    let long = written.longs.first();
    let short = written.shorts.first();
    let name = long.or(short)?.trim_start_matches('-');
    let (kind, value_name, bare) = match &written.value {
        Value::None => (Kind::Switch, None, None),
        Value::Needed { name, many } => (values(*many), Some(name), None),
        // That it needs no value is known; what it then stands for is not.
        Value::Optional { name, many } => (values(*many), Some(name), Some(String::new())),
    };
    let mut param = Param::flag(name, kind);
    param.role = Role::Flag(Spelling {
        long: long.cloned(),
        short: short.cloned(),
        joiner: match long {
            Some(long) if long.starts_with("--") => Joiner::Equals,
            _ => Joiner::Space,
        },
        bare,
        negative: written.negative.clone(),
        ..Spelling::default()
    });
    param.value_name = value_name.filter(|name| !name.is_empty()).cloned();
    text.clone_into(&mut param.text);
    param.from.note(Fact::Name, Evidence::Help);
    param.from.note(Fact::Type, Evidence::Help);
    if matches!(written.value, Value::Optional { .. }) {
        param.from.note(Fact::Bare, Evidence::Convention);
    }
    Some(param)
}

/// These parsers take a list's words until the next flag.
fn values(many: bool) -> Kind {
    match many {
        true => Kind::List(Scalar::String, Split::Words),
        false => Kind::One(Scalar::String),
    }
}

/// The flags of a page, each form once.
#[derive(Debug, Default)]
pub(in super::super) struct Flags {
    params: Vec<Param>,
    /// Which of them a form belongs to.
    forms: BTreeMap<String, usize>,
}

impl Flags {
    /// Adds `param` unless its name is taken: a page may repeat an option.
    pub fn add(&mut self, mut param: Param) {
        let at = self.params.len();
        let Role::Flag(spelling) = &mut param.role else {
            return;
        };
        spelling.short.take_if(|it| self.forms.contains_key(it));
        let Some(name) = spelling.long.as_ref().or(spelling.short.as_ref()) else {
            return;
        };
        if self.forms.contains_key(name) {
            return;
        }
        for form in [&spelling.long, &spelling.short, &spelling.negative] {
            self.forms.extend(form.clone().map(|form| (form, at)));
        }
        self.params.push(param);
    }

    /// All of them. `--no-x` goes into the switch `--x` that stands beside it; an option
    /// that takes a value keeps it as a switch of its own.
    pub fn finish(mut self) -> Vec<Param> {
        let mut joined = vec![false; self.params.len()];
        for (at, joined) in joined.iter_mut().enumerate() {
            let param = &self.params[at];
            let Some(spelling) = param.spelling().filter(|it| it.short.is_none()) else {
                continue;
            };
            let Some(negative) = spelling.long.clone() else {
                continue;
            };
            let positive = negative.strip_prefix("--no-");
            let positive = positive.and_then(|name| self.forms.get(&format!("--{name}")));
            let (Some(&positive), Kind::Switch) = (positive, &param.kind) else {
                continue;
            };
            let positive = &mut self.params[positive];
            if let (Kind::Switch, Role::Flag(spelling)) = (&positive.kind, &mut positive.role)
                && spelling.negative.is_none()
            {
                spelling.negative = Some(negative);
                *joined = true;
            }
        }
        let mut joined = joined.into_iter();
        self.params.retain(|_| !joined.next().unwrap_or_default());
        self.params
    }
}
