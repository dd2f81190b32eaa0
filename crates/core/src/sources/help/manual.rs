//! Reads pages that are a program's own manual: no usage head, options as terms
//! of a list.

use std::collections::BTreeSet;

use super::layout;
use super::text::{blank, indent, unindented};
use super::{ListedFlag, Page, Style};
use crate::sources::plain::options::{self, Listed, Value};

/// A page without a usage: a topic, or a manual. Options are taken from a manual
/// only, and only where they leave no doubt.
pub(crate) fn read(lines: &[&str], program: &str, path: &[String]) -> Page {
    let mut page = Page {
        style: Style::Other,
        description: unindented(lines),
        ..Page::default()
    };
    let mut texts = lines.iter().map(|line| line.trim());
    let first = texts.find(|line| !line.is_empty());
    if let Some(line) = first.filter(|line| layout::is_usage_of(line, program, path)) {
        page.usage.push(line.to_owned());
        let mut listed = terms(lines);
        if listed.is_empty() {
            listed = options::read(lines).0;
        }
        // A manual speaks of a flag once for every mode.
        let mut known = BTreeSet::new();
        page.flags = listed.into_iter().flat_map(flags).collect();
        page.flags
            .retain(|flag| known.insert((flag.long.clone(), flag.short)));
    }
    page
}

/// Options that stand as terms, each with a colon, above what they mean:
/// `-r <name>:` and `--remote=<name>:` in a row are one.
fn terms(lines: &[&str]) -> Vec<Listed> {
    let mut found: Vec<Listed> = Vec::new();
    let mut joins = false;
    let mut open = false;
    for line in lines {
        let term = line.trim().strip_suffix(':');
        let term = term.filter(|_| indent(line) <= 2).and_then(options::alone);
        match (term, found.last_mut()) {
            (Some(option), Some(last)) if joins => last.join(option),
            (Some(option), _) => found.push(option),
            (None, Some(last)) if open && indent(line) > 0 => {
                if !last.text.is_empty() {
                    last.text.push(' ');
                }
                last.text.push_str(line.trim());
                joins = false;
                continue;
            }
            (None, _) => {
                joins = false;
                open &= blank(line);
                continue;
            }
        }
        joins = true;
        open = true;
    }
    found
}

/// One flag for every long name.
fn flags(option: Listed) -> Vec<ListedFlag> {
    let mut letters = option.shorts.iter().filter_map(|short| {
        let mut letters = short.chars().skip(1);
        letters.next().filter(|_| letters.next().is_none())
    });
    let (value_name, bare) = match option.value {
        Value::None => (None, None),
        Value::Needed(name) | Value::Several(name) => (Some(name), None),
        Value::Optional(name) => (Some(name), Some(String::new())),
    };
    let first = ListedFlag {
        short: letters.next(),
        value_name,
        bare,
        text: option.text,
        ..ListedFlag::default()
    };
    if option.longs.is_empty() {
        return vec![first];
    }
    let named = option
        .longs
        .into_iter()
        .enumerate()
        .map(|(index, long)| ListedFlag {
            long: Some(long),
            short: first.short.filter(|_| index == 0),
            ..first.clone()
        });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_in_a_row_are_one_option() {
        let page = "\
git lfs lock [options] <path>

Sets the path as \"locked\".

Options:

-r <name>:
--remote=<name>:
   Specify the server.
--json:
  Writes JSON.

  And more of it.

Notes
-----
See also: nothing.
";
        let lines: Vec<&str> = page.lines().collect();
        let page = read(&lines, "git-lfs", &["lock".to_owned()]);
        assert_eq!(page.usage, ["git lfs lock [options] <path>"]);
        let remote = ListedFlag {
            long: Some("remote".to_owned()),
            short: Some('r'),
            value_name: Some("name".to_owned()),
            text: "Specify the server.".to_owned(),
            ..ListedFlag::default()
        };
        let json = ListedFlag {
            long: Some("json".to_owned()),
            text: "Writes JSON. And more of it.".to_owned(),
            ..ListedFlag::default()
        };
        assert_eq!(page.flags, [remote, json]);
    }

    #[test]
    fn a_topic_has_no_flags() {
        let page = read(
            &["The --backend flag:", "", "  --x   no flag"],
            "dlv",
            &["backend".to_owned()],
        );
        assert_eq!((page.style, page.flags), (Style::Other, vec![]));
    }
}
