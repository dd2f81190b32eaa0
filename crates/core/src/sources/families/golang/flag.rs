//! Go's own flag: one dash before every name, and commands where a library adds them.

use super::super::{Listed, Page, Text, lines};
use super::tags;
use crate::model::{Evidence, Fact, Joiner, Kind, Param, Role, Scalar, Spelling, Split};
use crate::sources::help::text::blank;
use crate::sources::plain;

/// Reads what `flag.PrintDefaults` prints: `  -name type`, and behind a tab its text.
pub(super) fn read(text: &Text<'_>) -> Page {
    let mut page = Page::default();
    let is_usage = |line: &&str| line.starts_with("Usage of ") || line.starts_with("Usage:");
    let head = text.lines.iter().position(is_usage);
    page.usage = plain::usage_of(text.lines, text.program);
    page.usage.retain(|line| !line.starts_with("of "));
    page.positionals = plain::positionals_of(&page.usage, 1);
    page.description = lines::description(&text.lines[..head.unwrap_or(0)]);
    for line in text.lines.iter().filter(|line| !blank(line)) {
        let starts = line
            .strip_prefix("  -")
            .filter(|rest| !rest.starts_with([' ', '-']));
        if let Some(rest) = starts {
            match flag(rest) {
                Some(flag) => page.flags.push(flag),
                None => page.unread.push((*line).to_owned()),
            }
        } else if line.starts_with("    \t")
            && let Some(flag) = page.flags.last_mut()
        {
            if !flag.text.is_empty() {
                flag.text.push(' ');
            }
            flag.text.push_str(line.trim());
        }
    }
    page.flags
        .retain(|flag| !matches!(flag.name.as_str(), "h" | "help"));
    for flag in &mut page.flags {
        tags::take_default(flag, "(default ");
        tags::switch_off(flag);
    }
    if page.flags.is_empty() {
        return lines::page(text);
    }
    page
}

/// `name type` or `v<TAB>text`, behind the dash.
fn flag(rest: &str) -> Option<Param> {
    let (left, text) = rest.split_once('\t').unwrap_or((rest, ""));
    let (name, placeholder) = left
        .trim_end()
        .split_once(' ')
        .unwrap_or((left.trim_end(), ""));
    let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || !name.chars().all(plain) || placeholder.len() > 80 {
        return None;
    }
    let kind = match placeholder {
        "" => Kind::Switch,
        _ => Kind::One(tags::scalar(placeholder).unwrap_or(Scalar::String)),
    };
    let mut flag = Param::flag(name, kind);
    let form = Some(format!("-{name}"));
    let single = name.chars().count() == 1;
    flag.role = Role::Flag(Spelling {
        long: form.clone().filter(|_| !single),
        short: form.filter(|_| single),
        joiner: if single {
            Joiner::Space
        } else {
            Joiner::Equals
        },
        ..Spelling::default()
    });
    flag.value_name = Some(placeholder.to_owned()).filter(|name| !name.is_empty());
    flag.text = text.trim().to_owned();
    flag.from.note(Fact::Name, Evidence::Help);
    flag.from.note(Fact::Type, Evidence::Help);
    Some(flag)
}

/// Reads a page of a program whose commands have Go's flag: `-lock=false`, `-var 'a=b'`.
pub(super) fn read_commands(text: &Text<'_>) -> Page {
    let mut page = lines::page(text);
    for line in &mut page.usage {
        *line = line.replace(" [global options]", "");
    }
    let words = 1 + text.path.len();
    if page.commands.is_empty() {
        page.positionals = plain::positionals_of(&page.usage, words);
        page.positionals
            .retain(|it| !it.name.ends_with(" flags") && !it.name.ends_with(" options"));
        page.positionals.iter_mut().for_each(several);
    }
    let takes_command = |line: &String| {
        ["<command>", "<subcommand>"]
            .iter()
            .any(|word| line.contains(word))
    };
    page.runnable = Some(!page.usage.iter().any(takes_command));
    page.commands
        .retain(|listed: &Listed| listed.name != "help" && Some(&listed.name) != text.path.last());
    page.flags
        .retain(|flag| !matches!(flag.name.as_str(), "help" | "h"));
    page.flags.iter_mut().for_each(settle);
    page
}

/// `go` writes `[packages]` where it takes any number of them.
fn several(positional: &mut Param) {
    if matches!(positional.name.as_str(), "packages" | "modules") {
        positional.kind = Kind::List(Scalar::String, Split::Words);
    }
}

/// A value of `true` or `false` is a switch, shown as it is not by itself.
fn settle(flag: &mut Param) {
    let shown = flag.value_name.clone().unwrap_or_default();
    let shown = shown.trim_matches(['\'', '"']);
    if matches!(shown, "true" | "false") {
        flag.kind = Kind::Switch;
        flag.value_name = None;
        flag.default = Some("true".to_owned());
        flag.from.note(Fact::Default, Evidence::Convention);
        tags::switch_off(flag);
    } else if let (Some(scalar), Kind::One(kind)) = (tags::scalar(shown), &mut flag.kind) {
        *kind = scalar;
    }
    tags::repeat(flag);
    // `-chdir=DIR` and `-o output`: flag takes both, and a value with a dash only so.
    if let Role::Flag(spelling) = &mut flag.role
        && flag.kind.takes_value()
        && spelling.long.is_some()
    {
        spelling.joiner = Joiner::Equals;
    }
}
