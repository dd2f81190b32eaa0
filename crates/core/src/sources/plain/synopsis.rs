//! Options that a usage line shows: `[-C <path>]`, `[-v | --version]`, `[-abc]`.

use std::collections::BTreeSet;

use super::options::{self, Listed, Value};
use crate::sources::usage::tokens;

/// The options in square brackets of the usage lines.
pub(super) fn options(usage: &[String], listed: &[Listed]) -> Vec<Listed> {
    let mut found: Vec<Listed> = Vec::new();
    let letters: BTreeSet<char> = listed
        .iter()
        .flat_map(|option| &option.shorts)
        .filter_map(|short| letter(short))
        .collect();
    // `prog --install [-s] [DIR]`, beside other lines: what follows belongs to that option.
    let special = |line: &&String| {
        usage.len() > 1
            && tokens::split(line)
                .iter()
                .any(|token| token.text.starts_with('-'))
    };
    let lines = usage.iter().filter(|line| !special(line));
    for token in lines.flat_map(|line| tokens::split(line)) {
        let Some(tokens::Group::Square(inner, mark)) = tokens::group(token.text) else {
            continue;
        };
        if let Some(cluster) = cluster(inner, &letters, listed.is_empty()) {
            found.extend(cluster);
            continue;
        }
        // `[-e EXPR]...`: several times, which is not shown anywhere else.
        if !matches!(mark, "" | "...") {
            continue;
        }
        let mut alternatives = tokens::alternatives(inner)
            .into_iter()
            .map(one)
            .collect::<Option<Vec<_>>>()
            .unwrap_or_default()
            .into_iter()
            .peekable();
        while let Some(mut option) = alternatives.next() {
            // `-p | --paginate`: a letter and the word behind it are one option.
            if option.longs.is_empty()
                && let Some(long) = alternatives.next_if(|next| next.shorts.is_empty())
            {
                option.join(long);
            }
            found.push(option);
        }
    }
    found
}

/// Adds what the usage lines say to what the page lists.
pub(super) fn complete(listed: &mut Vec<Listed>, usage: &[String]) {
    let shown = options(usage, listed);
    if listed.is_empty() {
        *listed = shown;
        return;
    }
    for option in shown {
        let same = |have: &&mut Listed| {
            option
                .shorts
                .iter()
                .any(|short| have.shorts.contains(short))
                || option.longs.iter().any(|long| have.longs.contains(long))
        };
        match listed.iter_mut().find(same) {
            // unzip's `-d  extract into exdir` is `[-d exdir]` in its usage.
            Some(have) if have.value == Value::None && have.longs.is_empty() => {
                have.value = option.value;
            }
            Some(_) => {}
            None if option.longs.is_empty()
                && option.shorts.iter().all(|it| letter(it).is_some()) =>
            {
                listed.push(option);
            }
            None => {}
        }
    }
}

fn one(text: &str) -> Option<Listed> {
    let option = options::alone(text)?;
    let all = option.shorts.iter().any(|name| stands_for_all(name));
    (!all).then_some(option)
}

/// `[-options]` is a word for what is listed below.
fn stands_for_all(text: &str) -> bool {
    matches!(text, "-options" | "-opts" | "-flags" | "-switches")
}

fn letter(short: &str) -> Option<char> {
    let mut letters = short.strip_prefix('-')?.chars();
    letters.next().filter(|_| letters.next().is_none())
}

/// `-abc` as three switches, where that is what it is: its letters are in order, or are
/// of both cases, or most of them are options of the page.
fn cluster(text: &str, listed: &BTreeSet<char>, only: bool) -> Option<Vec<Listed>> {
    let letters: Vec<char> = text.strip_prefix('-')?.chars().collect();
    if letters.len() < 2 || stands_for_all(text) || !letters.iter().all(char::is_ascii_alphanumeric)
    {
        return None;
    }
    let known = letters.iter().filter(|c| listed.contains(c)).count();
    let in_order = letters
        .windows(2)
        .all(|pair| pair[0].to_ascii_lowercase() <= pair[1].to_ascii_lowercase());
    let blocks_in_order = {
        let of = |test: fn(&char) -> bool| letters.iter().copied().filter(test).collect::<Vec<_>>();
        let lower = of(char::is_ascii_lowercase);
        lower.is_sorted() && lower.len() > 1
    };
    let mixed = letters.iter().any(char::is_ascii_lowercase)
        && letters[1..]
            .iter()
            .any(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    let certain = known * 2 >= letters.len() || only && (in_order || blocks_in_order || mixed);
    if !certain {
        return None;
    }
    let mut seen = BTreeSet::new();
    let distinct = letters.into_iter().filter(|c| seen.insert(*c));
    let switches = distinct.map(|c| Listed {
        shorts: vec![format!("-{c}")],
        ..Listed::default()
    });
    Some(switches.collect())
}
