//! Reads positional parameters out of a usage line.
//!
//! A usage line is written by hand and keeps to customs, not to a grammar. What
//! follows the customs is read; where something does not, the rest of the line
//! becomes one optional list, so that no call is refused for a misreading.

use crate::model::{Evidence, Fact, Kind, Param, Scalar, Split};

mod names;
pub(crate) mod tokens;

use tokens::{Group, Token};

/// Longer lines are not read: no person wrote them.
const LONGEST: usize = 4096;
/// Brackets in brackets beyond this are not read.
const DEEPEST: usize = 16;
/// More positionals than this are not read one by one.
const MOST: usize = 64;

/// What a usage line says of positionals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Positionals {
    /// In order; variadic ones are `words<string>`.
    pub params: Vec<Param>,
    /// Parts that could not be read, as printed.
    pub unread: Vec<String>,
    /// The index in `params` of the first one that the line puts after `--`:
    /// `kubectl exec POD -- COMMAND [args...]`.
    pub after_dashes: Option<usize>,
}

/// Positionals of `line` (`gh repo clone <repository> [<directory>] [-- <gitflags>...]`),
/// whose first `words` words are the program's name and the command's path.
pub fn positionals(line: &str, words: usize) -> Positionals {
    let (path, rest) = tokens::after_words(line, words);
    let mut reader = Reader {
        path,
        ..Reader::default()
    };
    if rest.len() > LONGEST {
        reader.lose("a usage line longer than any that was ever written");
    } else if !only_names_commands(&tokens::split(rest)) {
        reader.sequence(rest, Need::Required);
    }
    reader.finish()
}

/// How many words of `line` are the program's name and the command's path.
///
/// Mostly as many as `path` has and one; but the lines of a plugin such as
/// `docker-compose` start with its host (`docker compose up`), and an alias shows
/// the line of what it stands for.
pub fn leading_words(line: &str, program: &str, path: &[impl AsRef<str>]) -> usize {
    let words: Vec<&str> = line.split_whitespace().collect();
    let host: Vec<&str> = program.split('-').collect();
    let own = match words.starts_with(&host) {
        true => host.len(),
        false => 1,
    };
    let path_at = |at: usize| {
        let have = words.get(at..at + path.len());
        have.is_some_and(|have| have.iter().zip(path).all(|(a, b)| *a == b.as_ref()))
    };
    if let Some(at) = [own, 1, 2].into_iter().find(|at| path_at(*at)) {
        return at + path.len();
    }
    let plain = |word: &&&str| {
        let start = word.starts_with(|c: char| c.is_ascii_lowercase());
        start
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    words.iter().take_while(plain).count().max(1)
}

/// Whether the line has nothing but placeholders for a subcommand and flags.
fn only_names_commands(tokens: &[Token<'_>]) -> bool {
    tokens.iter().all(|token| {
        names::is_command_placeholder(token.text) || names::is_flags_placeholder(token.text)
    })
}

/// Whether a place in the line must be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Need {
    #[default]
    Required,
    Optional,
}

impl Need {
    fn and(self, other: Need) -> Need {
        if self == Need::Required { other } else { self }
    }
}

/// One positional, before its name is made unique.
#[derive(Debug, Clone, Default)]
struct Slot {
    name: String,
    /// As printed.
    printed: String,
    need: Need,
    many: bool,
}

#[derive(Default)]
struct Reader<'a> {
    path: Vec<&'a str>,
    slots: Vec<Slot>,
    unread: Vec<String>,
    after_dashes: Option<usize>,
    /// Something unsafe was met: what follows has no certain place any more.
    lost: bool,
    depth: usize,
}

impl Reader<'_> {
    fn sequence(&mut self, line: &str, need: Need) {
        let tokens = names::phrases(&self.path, line);
        let mut rest = tokens.as_slice();
        let mut last_was_flag = false;
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            if tokens::is_ellipsis(token.text) {
                if !last_was_flag {
                    self.repeat_last();
                }
                // `KEY_1=VAL_1 ... KEY_N=VAL_N`: the last one says it again.
                if rest.first().is_some_and(|next| names::is_nth(next.text)) {
                    rest = &rest[1..];
                }
                continue;
            }
            if matches!(token.text, "--" | "[--]") {
                self.after_dashes.get_or_insert(self.slots.len());
                last_was_flag = false;
                continue;
            }
            if tokens::is_flag(token.text) {
                last_was_flag = true;
                // `-f FILENAME`, `--src TRANSPORT`: the next word is its value.
                let has_value = !token.text.contains('=') && !token.is_bracketed();
                if has_value && rest.first().is_some_and(|next| names::is_value(next.text)) {
                    rest = &rest[1..];
                }
                continue;
            }
            last_was_flag = false;
            // A dash for standard input says nothing of what else may stand here.
            if names::is_flags_placeholder(token.text) || matches!(token.text, "-" | "[-]") {
                continue;
            }
            if token.text == "|" {
                self.lose(token.text);
                continue;
            }
            // Cobra's own word for "one of my commands", whatever follows it.
            if token.text == "[command]" && self.slots.is_empty() {
                continue;
            }
            // `PATH | URL | -`: alternatives without brackets around them.
            let mut alternatives = vec![*token];
            while let [bar, next, after @ ..] = rest {
                if bar.text != "|" {
                    break;
                }
                alternatives.push(*next);
                rest = after;
            }
            if alternatives.len() > 1 {
                let texts = alternatives.iter().map(|token| token.text).collect();
                let first = alternatives[0].text;
                self.alternatives(texts, first, need);
                continue;
            }
            self.token(token, need);
        }
    }

    fn token(&mut self, token: &Token<'_>, need: Need) {
        let text = token.text;
        match tokens::group(text) {
            // `[more options; see below]` is a remark.
            Some(Group::Square(inner, _)) if inner.contains(';') => {
                self.unread.push(text.to_owned());
            }
            Some(Group::Square(inner, mark)) => {
                let from = self.slots.len();
                self.group(inner, text, Need::Optional.and(need));
                self.mark(from, mark);
            }
            Some(Group::Curly(inner, mark) | Group::Round(inner, mark)) => {
                if names::is_prose(inner) {
                    self.unread.push(text.to_owned());
                    // "(<value> can also be given from stdin)": so it need not be.
                    for slot in &mut self.slots {
                        if inner.contains(&format!("<{}>", slot.name)) {
                            slot.need = Need::Optional;
                        }
                    }
                    return;
                }
                let from = self.slots.len();
                self.group(inner, text, need);
                self.mark(from, mark);
            }
            None => self.word(text, need),
        }
    }

    /// What `*`, `+` or `...` behind a group's bracket says.
    fn mark(&mut self, from: usize, mark: &str) {
        if mark.is_empty() || self.slots.len() <= from {
            return;
        }
        if let (Some(last), "*") = (self.slots.last_mut(), mark) {
            last.need = Need::Optional;
        }
        self.repeat_last();
    }

    /// Reads what stands between brackets.
    fn group(&mut self, inner: &str, printed: &str, need: Need) {
        let inner = inner.trim();
        let inner_tokens = tokens::split(inner);
        if inner_tokens
            .first()
            .is_some_and(|first| first.text.starts_with("..."))
        {
            // `[...[LOCAL_PORT_N:]REMOTE_PORT_N]` repeats what came before.
            self.repeat_last();
            return;
        }
        let alternatives = tokens::alternatives(inner);
        if alternatives.len() > 1 {
            self.alternatives(alternatives, printed, need);
            return;
        }
        if names::is_one_phrase(&inner_tokens) {
            self.word(inner, need);
        } else {
            self.depth += 1;
            if self.depth > DEEPEST {
                self.lose(inner);
            } else {
                self.sequence(inner, need);
            }
            self.depth -= 1;
        }
    }

    /// One of several: a single place, whichever is meant.
    fn alternatives(&mut self, texts: Vec<&str>, printed: &str, need: Need) {
        let mut slot = Slot {
            printed: if texts.iter().any(|text| printed.contains(text)) && printed.contains('|') {
                printed.to_owned()
            } else {
                texts.join(" | ")
            },
            need,
            ..Slot::default()
        };
        let mut found = Vec::new();
        for text in texts {
            let text = text.trim();
            let tokens = tokens::split(text);
            let Some(first) = tokens.first() else {
                continue;
            };
            if tokens::is_flag(first.text) {
                // Where a flag will do instead, nothing must stand here.
                slot.need = Need::Optional;
                continue;
            }
            if text == "-" {
                continue;
            }
            let mut words = tokens.as_slice();
            if let [head @ .., last] = words
                && !head.is_empty()
                && tokens::is_ellipsis(last.text)
            {
                slot.many = true;
                words = head;
            }
            let [word] = words else {
                self.lose(&slot.printed);
                return;
            };
            match self.name(word.text) {
                Some((name, many)) => {
                    slot.many |= many;
                    if !found.contains(&name) {
                        found.push(name);
                    }
                }
                None => {
                    self.lose(&slot.printed);
                    return;
                }
            }
        }
        if found.is_empty() {
            return;
        }
        slot.name = names::one_of(&found);
        self.push(slot);
    }

    /// A single word, with or without brackets in it.
    fn word(&mut self, text: &str, need: Need) {
        let alternatives = tokens::alternatives(text);
        if alternatives.len() > 1 {
            self.alternatives(alternatives, text, need);
            return;
        }
        let Some((name, many)) = self.name(text) else {
            self.lose(text);
            return;
        };
        let none_will_do = tokens::is_all_optional(text) || tokens::unmarked(text).1 == "*";
        self.push(Slot {
            name,
            printed: text.to_owned(),
            need: if none_will_do { Need::Optional } else { need },
            many: many || tokens::ends_in_repeated_part(text),
        });
    }

    /// A placeholder's name and whether it may be repeated.
    fn name(&self, text: &str) -> Option<(String, bool)> {
        let (text, mark) = tokens::unmarked(text);
        let inside = text
            .strip_prefix('<')
            .and_then(|rest| rest.strip_suffix('>'))
            .filter(|inner| !inner.contains(['<', '>']));
        if let Some(inner) = inside {
            let (inner, inner_mark) = tokens::unmarked(inner.trim());
            let alternatives = tokens::alternatives(inner);
            let name = if alternatives.len() > 1 {
                let each: Option<Vec<String>> =
                    alternatives.iter().map(|text| names::clean(text)).collect();
                names::one_of(&each?)
            } else {
                names::clean(inner)?
            };
            return Some((name, !mark.is_empty() || !inner_mark.is_empty()));
        }
        names::clean(text).map(|name| (name, !mark.is_empty()))
    }

    fn push(&mut self, mut slot: Slot) {
        if self.lost || self.slots.len() == MOST {
            self.lost = true;
            self.unread.push(slot.printed);
            return;
        }
        if names::takes_any_words(&slot.name) {
            slot.many = true;
            slot.need = Need::Optional;
        }
        if slot.many {
            slot.name = names::without_number(&slot.name);
        }
        self.slots.push(slot);
        self.join_last();
    }

    fn repeat_last(&mut self) {
        if let Some(last) = self.slots.last_mut() {
            last.many = true;
            last.name = names::without_number(&last.name);
            self.join_last();
        }
    }

    /// `NAME [NAME...]` is one list that must not be empty, and so are
    /// `arg1 arg2 ...`.
    fn join_last(&mut self) {
        let [.., before, last] = self.slots.as_mut_slice() else {
            return;
        };
        let again = before.name == last.name;
        if last.many && (again || names::numbered(&before.name, &last.name)) {
            before.many = true;
            before.name = names::without_number(&before.name);
            self.slots.pop();
        }
    }

    fn lose(&mut self, text: &str) {
        self.lost = true;
        self.unread.push(text.trim().to_owned());
    }

    fn finish(mut self) -> Positionals {
        // After `--` stand another program's words, as many as it likes.
        if let (Some(from), Some(last)) = (self.after_dashes, self.slots.len().checked_sub(1))
            && from == last
            && !self.lost
        {
            self.slots[last].many = true;
        }
        if self.lost {
            self.slots.retain(|slot| !slot.many);
            self.slots.push(Slot {
                name: "args".to_owned(),
                printed: self.unread.join(" "),
                need: Need::Optional,
                many: true,
            });
        }
        let mut taken: Vec<String> = Vec::new();
        let params = self
            .slots
            .into_iter()
            .map(|slot| {
                let name = names::unique(&slot.name, &taken);
                taken.push(name.clone());
                param(name, &slot)
            })
            .collect::<Vec<_>>();
        Positionals {
            after_dashes: self.after_dashes.filter(|at| *at < params.len()),
            params,
            unread: self.unread,
        }
    }
}

fn param(name: String, slot: &Slot) -> Param {
    let kind = if slot.many {
        Kind::List(Scalar::String, Split::Words)
    } else {
        Kind::One(Scalar::String)
    };
    let mut param = Param::positional(name, kind);
    param.required = slot.need == Need::Required;
    if slot.printed != param.name && !slot.printed.is_empty() {
        param.value_name = Some(slot.printed.clone());
    }
    param.from.note(Fact::Name, Evidence::Help);
    param.from.note(Fact::Required, Evidence::Convention);
    param
}

#[cfg(test)]
mod tests;
