//! Reads pages of GNU's programs, and of those that print as they do: util-linux,
//! busybox, everything with getopt_long.

use std::collections::BTreeSet;

use super::assemble::any_words;
use super::{Ask, Manner, Page, Text, lines, oracle};
use crate::model::{Evidence, Fact, Family, Kind, Param, Scalar, Split};

/// How these programs are read. What a command of one of them makes of `--help` is not
/// known.
const PROGRAM: Manner = Manner {
    family: Family::Gnu,
    ask: Ask::Never,
    page: read,
    oracle: Some(oracle::Dialect::Gnu),
    runs_parents: false,
};

/// busybox looks whether `--help` is the one argument before it runs an applet, whatever
/// the applet is.
const BUSYBOX: Manner = Manner {
    ask: Ask::Flag,
    oracle: None,
    // A few applets take `--help` for something to work on.
    runs_parents: true,
    ..PROGRAM
};

/// How the program is read whose root printed `page`.
pub(super) fn manner(page: &str) -> Manner {
    match is_busybox(page) && page.contains("\nCurrently defined functions:") {
        true => BUSYBOX,
        false => PROGRAM,
    }
}

/// Whether a page is one of busybox, or of one of its applets.
pub(super) fn is_busybox(page: &str) -> bool {
    let first = page.lines().next().unwrap_or_default();
    first.starts_with("BusyBox v") && first.ends_with(" multi-call binary.")
}

/// Reads one page.
fn read(text: &Text<'_>) -> Page {
    // busybox' imprint says nothing of the applet.
    let imprint = text.lines.first().is_some_and(|line| is_busybox(line));
    let text = &Text {
        lines: &text.lines[usize::from(imprint)..],
        ..*text
    };
    let mut page = lines::page(text);
    // `busybox brctl addbr --help` would run: one word is looked at, and no more.
    if !text.path.is_empty() {
        page.commands.clear();
    }
    drop_clusters(&mut page.flags);
    drop_ranges(&mut page.flags, text.lines);
    if page.usage.iter().any(|line| is_irregular(line)) {
        page.positionals = vec![any_words(&page.usage.join("\n"))];
        page.flags.iter_mut().for_each(|flag| flag.required = false);
    }
    page.positionals.iter_mut().for_each(several);
    page.flags.iter_mut().for_each(repeated);
    let whole = text.lines.join(" ");
    for flag in &mut page.flags {
        let Some(placeholder) = flag.value_name.clone() else {
            continue;
        };
        if !flag.choices.is_empty() || flag.kind != Kind::One(Scalar::String) {
            continue;
        }
        let found = closed(&flag.text, &placeholder).or_else(|| also(&whole, &placeholder));
        if let Some(choices) = found {
            flag.choices = choices;
            flag.from.note(Fact::Choices, Evidence::Help);
        }
    }
    page
}

/// busybox lists `-lc` beside `-l` and `-c`: that is both of them, not a third.
fn drop_clusters(flags: &mut Vec<Param>) {
    let letters: BTreeSet<char> = flags
        .iter()
        .filter(|flag| !flag.kind.takes_value())
        .filter_map(|flag| flag.spelling()?.short.as_ref()?.chars().nth(1))
        .collect();
    flags.retain(|flag| {
        let long = flag
            .spelling()
            .and_then(|spelling| spelling.long.as_deref());
        let letters_of = long.and_then(|long| long.strip_prefix('-'));
        let cluster = letters_of.filter(|name| !name.starts_with('-') && name.len() < 4);
        !cluster.is_some_and(|name| name.chars().all(|c| letters.contains(&c)))
    });
}

/// Whether a usage line cannot be taken word by word: its brackets do not match, or it has
/// several forms, as `basename FILE [SUFFIX] | -a FILE...`.
fn is_irregular(line: &str) -> bool {
    let mut open = 0i32;
    let mut forms = false;
    for word in line.split_whitespace() {
        forms |= open == 0 && word == "|";
        open += word.matches(['[', '{', '(']).count() as i32;
        open -= word.matches([']', '}', ')']).count() as i32;
    }
    forms || open != 0
}

/// cut explains its ranges: `N-M` is one, and `-M` below it is no option.
/// So is `-1..9` not one option, but nine.
fn drop_ranges(flags: &mut Vec<Param>, lines: &[&str]) {
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    flags.retain(|flag| {
        let short = flag.spelling().and_then(|it| it.short.clone());
        let letter = short.filter(|_| flag.kind == Kind::Switch);
        let range = letter.map(|letter| format!("N{letter}"));
        let explained = range.is_some() && lines.iter().any(|line| first(line) == range);
        !explained && !flag.name.contains("..")
    });
}

/// `diff [OPTION]... FILES`: no one file is called so.
fn several(positional: &mut Param) {
    if positional.name == "FILES" && positional.kind == Kind::One(Scalar::String) {
        positional.kind = Kind::List(Scalar::String, Split::Words);
        positional.from.note(Fact::Type, Evidence::Convention);
    }
}

fn repeated(flag: &mut Param) {
    if flag.kind == Kind::One(Scalar::String) && flag.text.contains("(can be repeated)") {
        flag.kind = Kind::List(Scalar::String, Split::Repeat);
        flag.from.note(Fact::Type, Evidence::Help);
    }
}

/// The values that a text names one by one: `WHEN can be 'always', 'never', or 'auto'`.
/// Only quoted ones count, and only where nothing but `or` and remarks in brackets stand
/// between them and a stop behind them.
fn closed(text: &str, placeholder: &str) -> Option<Vec<String>> {
    let verbs = [
        " can be ",
        " is one of ",
        " is either ",
        " may be ",
        " must be ",
        " is ",
    ];
    verbs.iter().find_map(|verb| {
        let start = text.find(&format!("{placeholder}{verb}"))?;
        quoted(&text[start + placeholder.len() + verb.len()..])
    })
}

/// coreutils at the end of a page: `The WHEN argument defaults to 'always' and can also be
/// 'auto' or 'never'.`
fn also(page: &str, placeholder: &str) -> Option<Vec<String>> {
    let start = page.find(&format!("The {placeholder} argument defaults to "))?;
    let rest = &page[start..];
    let rest = &rest[rest.find(" defaults to ")? + " defaults to ".len()..];
    let rest = rest.replacen(" and can also be ", ", ", 1);
    quoted(&rest)
}

/// Quoted words with commas and `or` between them, up to the end of the sentence.
fn quoted(text: &str) -> Option<Vec<String>> {
    let mut rest = text.trim_start();
    let mut values = Vec::new();
    loop {
        let open = rest.chars().next().filter(|c| "'`\"‘".contains(*c))?;
        let close = match open {
            '`' => '\'',
            '‘' => '’',
            other => other,
        };
        let (value, after) = rest[open.len_utf8()..].split_once(close)?;
        let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if value.is_empty() || !value.chars().all(plain) {
            return None;
        }
        values.push(value.to_owned());
        rest = after.trim_start();
        if let Some(remark) = rest.strip_prefix('(') {
            rest = remark.split_once(')')?.1.trim_start();
        }
        let ends = rest.is_empty() || rest.starts_with(['.', ';', ')']);
        if ends {
            break;
        }
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        rest = rest.strip_prefix("or ").unwrap_or(rest).trim_start();
    }
    (values.len() > 1).then_some(values)
}

#[cfg(test)]
mod tests;
