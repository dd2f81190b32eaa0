//! What the words of a usage line mean, and what a positional is called.

use super::tokens::{self, Token};

/// `[flags]`, `OPTIONS`, `[command options]`: flags are known from elsewhere.
pub(super) fn is_flags_placeholder(text: &str) -> bool {
    let inner = bare(text).to_lowercase();
    matches!(
        inner
            .strip_suffix("(s)")
            .unwrap_or(&inner)
            .trim_start_matches('-'),
        "flags"
            | "flag"
            | "options"
            | "option"
            | "opts"
            | "opt"
            | "switches"
            | "command options"
            | "command-options"
            | "global options"
            | "global flags"
            | "globals"
            | "global-options"
    )
}

/// `text` without the brackets and marks around it.
fn bare(text: &str) -> &str {
    let (inner, _) = tokens::unmarked(text.trim());
    let inner = ["[]", "<>", "()", "{}"]
        .iter()
        .find_map(|pair| inner.strip_prefix(&pair[..1])?.strip_suffix(&pair[1..]))
        .unwrap_or(inner);
    if inner.len() == text.len() {
        inner
    } else {
        bare(inner)
    }
}

/// `[command]`, `COMMAND`, `<subcommand>`: a subcommand's name goes there.
pub(super) fn is_command_placeholder(text: &str) -> bool {
    // Several of them are words to run, not one name.
    if !tokens::unmarked(text).1.is_empty() {
        return false;
    }
    matches!(
        bare(text).to_lowercase().as_str(),
        "command" | "commands" | "subcommand" | "subcommands" | "sub-command" | "cmd" | "subcmd"
    )
}

/// Whether the word after a flag is its value rather than the next positional.
pub(super) fn is_value(text: &str) -> bool {
    !text.starts_with(['[', '-', '(', '{', '|'])
        && !tokens::is_ellipsis(text)
        && !is_flags_placeholder(text)
}

/// A remark rather than a choice: several words with a verb's company.
pub(super) fn is_prose(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = words
        .iter()
        .filter(|word| word.len() > 1 && word.chars().all(|c| c.is_lowercase()))
        .count();
    plain >= 4 && !text.contains('|')
}

/// `[snapshot ID]`, `[key or prefix]`: words of one name rather than several places.
pub(super) fn is_one_phrase(tokens: &[Token<'_>]) -> bool {
    let shouts = |text: &str| !text.chars().any(char::is_lowercase);
    let simple = |text: &str| {
        text.chars()
            .all(|c| c.is_alphanumeric() || "-_/.".contains(c))
            && !tokens::is_ellipsis(text)
            && !text.ends_with("...")
    };
    tokens.len() > 1
        && tokens
            .iter()
            .all(|token| simple(token.text) && !tokens::is_flag(token.text))
        && !tokens.iter().all(|token| shouts(token.text))
        && tokens.iter().all(|token| token.text != "--")
}

/// Joins bare words that the command's own name has in one: `LOAD BALANCER` of
/// `load-balancer describe`.
pub(super) fn phrases<'a>(path: &[&str], line: &'a str) -> Vec<Token<'a>> {
    let tokens = tokens::split(line);
    let bare = |text: &str| {
        text.chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
    };
    let mut joined: Vec<Token<'a>> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let longest = path
            .iter()
            .filter_map(|word| {
                let parts: Vec<&str> = word.split('-').collect();
                let have = tokens.get(at..at + parts.len())?;
                (parts.len() > 1
                    && have.iter().zip(&parts).all(|(token, part)| {
                        bare(token.text) && token.text.eq_ignore_ascii_case(part)
                    }))
                .then_some(parts.len())
            })
            .max()
            .unwrap_or(1);
        joined.push(match longest {
            1 => tokens[at],
            many => {
                let (first, last) = (tokens[at], tokens[at + many - 1]);
                Token {
                    text: &line[first.at..last.at + last.text.len()],
                    at: first.at,
                }
            }
        });
        at += longest;
    }
    joined
}

/// A name out of a placeholder: brackets and what is optional in it left out.
/// Nothing where it has signs that no name has.
pub(super) fn clean(text: &str) -> Option<String> {
    if text.contains("://") {
        return Some("url".to_owned());
    }
    let mut name = String::new();
    let whole = without_optional(text);
    let whole = if whole.chars().any(char::is_alphanumeric) {
        whole
    } else {
        // Nothing but optional parts: the last one names it best.
        last_optional(text)
    };
    let mut after_bracket = false;
    for c in whole.chars() {
        match c {
            '<' => {
                if after_bracket {
                    name.push('_');
                }
            }
            '>' => {}
            _ if c.is_alphanumeric() || " -_./:=@#%+".contains(c) => name.push(c),
            _ => return None,
        }
        after_bracket = c == '>';
    }
    let name = name.trim_matches([' ', ':', '=', '@', '/', '.', '-', '+', ',']);
    name.contains(char::is_alphanumeric)
        .then(|| name.to_owned())
}

/// `text` without its `[…]`, `{…}` and `(…)` parts.
fn without_optional(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' if depth > 0 => depth -= 1,
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// The inside of the last `[…]` of `text`, without what is optional within.
fn last_optional(text: &str) -> String {
    let mut depth = 0_usize;
    let mut start = 0;
    let mut best = "";
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' | '(' => {
                if depth == 0 {
                    start = at + 1;
                }
                depth += 1;
            }
            ']' | '}' | ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    best = &text[start..at];
                }
            }
            _ => {}
        }
    }
    let inner = without_optional(best);
    if inner.is_empty() {
        best.to_owned()
    } else {
        inner
    }
}

/// A name for a choice.
pub(super) fn one_of(names: &[String]) -> String {
    const LONGEST: usize = 48;
    let joined = names.join("_or_");
    if names.len() == 1 || joined.len() <= LONGEST {
        joined
    } else {
        "choice".to_owned()
    }
}

/// `args`, `ps OPTIONS`: stands for any number of words without saying so.
pub(super) fn takes_any_words(name: &str) -> bool {
    let name = name.to_lowercase();
    matches!(name.as_str(), "args" | "arguments")
        || name.ends_with(" options")
        || name.ends_with(" args")
}

/// `KEY_N=VAL_N`, `arg_n`: the last of a numbered series.
pub(super) fn is_nth(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("_n=") || text.ends_with("_n") || text.ends_with("n]")
}

/// `KEY_1=VAL_1` as `KEY=VAL`, `file1` as `file`, `KeyID 1` as `KeyID`.
pub(super) fn without_number(name: &str) -> String {
    let stripped = name.replace("_1", "");
    let end = stripped.trim_end_matches(|c: char| c.is_ascii_digit());
    let cut = end.trim_end_matches([' ', '_', '-']);
    // A name that is only a number, or ends with one that means something (`sha256`).
    if cut.is_empty() || stripped.len() - end.len() > 1 {
        return name.to_owned();
    }
    if end.len() == stripped.len() {
        return stripped;
    }
    cut.to_owned()
}

/// Whether both are of one numbered series: `arg1`, `arg2`.
pub(super) fn numbered(first: &str, second: &str) -> bool {
    first.ends_with('1') && without_number(first) == without_number(second)
}

/// `name`, with a number where it is taken.
pub(super) fn unique(name: &str, taken: &[String]) -> String {
    let is_taken = |name: &str| taken.iter().any(|other| other == name);
    if !is_taken(name) {
        return name.to_owned();
    }
    (2..)
        .map(|number| format!("{name}_{number}"))
        .find(|name| !is_taken(name))
        .unwrap_or_else(|| name.to_owned())
}
