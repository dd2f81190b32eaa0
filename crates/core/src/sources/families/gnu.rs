//! Reads pages of GNU's programs, and of those that print as they do: util-linux,
//! busybox, everything with getopt_long.

use std::collections::BTreeSet;

use super::{Ask, Manner, Page, Text, lines, oracle};
use crate::model::{Evidence, Fact, Family, Kind, Param, Scalar};

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
