//! Pages of argparse and optparse, and what they mean.

use snapbox::{IntoData, assert_data_eq, str};

use super::read;
use crate::model::Param;
use crate::sources::families::{Page, Text};

/// Flags, positionals, commands and groups, a line each: `!` must be given, `?` needs no
/// value, `+` has another form that switches it off.
pub(in crate::sources::families) fn described(page: &Page) -> String {
    let mut lines: Vec<String> = page.flags.iter().map(flag).collect();
    lines.extend(page.positionals.iter().map(positional));
    lines.extend(page.commands.iter().map(|it| {
        let names = [vec![it.name.clone()], it.aliases.clone()].concat();
        format!("{}: {}", names.join("|"), it.summary)
    }));
    lines.extend(page.groups.iter().map(|group| format!("{group:?}")));
    lines.extend(page.unread.iter().map(|line| format!("unread {line}")));
    lines.join("\n") + "\n"
}

fn facts(param: &Param) -> String {
    let mut facts = format!(" {}", param.kind);
    if param.required {
        facts.push('!');
    }
    if !param.choices.is_empty() {
        facts.push_str(&format!(" of {}", param.choices.join(",")));
    }
    if let Some(default) = &param.default {
        facts.push_str(&format!(" ={default}"));
    }
    if let Some(env) = &param.env {
        facts.push_str(&format!(" ${env}"));
    }
    if !param.text.is_empty() {
        facts.push_str(&format!(" '{}'", param.text));
    }
    facts
}

fn flag(param: &Param) -> String {
    let spelling = param.spelling().cloned().unwrap_or_default();
    let bare = if spelling.bare.is_some() { "?" } else { "" };
    let negative = spelling.negative.map(|it| format!("+{it}"));
    let forms: Vec<String> = [spelling.short, spelling.long, negative]
        .into_iter()
        .flatten()
        .collect();
    format!("{}{bare}{}", forms.join(","), facts(param))
}

fn positional(param: &Param) -> String {
    format!("{}{}", param.name, facts(param))
}

#[track_caller]
fn check(path: &[&str], text: &str, expected: impl IntoData) {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let path: Vec<String> = path.iter().map(|&word| word.to_owned()).collect();
    let page = read(&Text {
        lines: &lines,
        program: "prog",
        path: &path,
    });
    assert_data_eq!(described(&page), expected);
}

#[test]
fn placeholders_say_how_many_values_an_option_takes() {
    check(
        &[],
        "\
usage: prog [-h] [-o OUT] [--all ALL [ALL ...]] [--any [ANY ...]] [--old [OLD [OLD ...]]]
            [--maybe [MAYBE]] [--pair A B] [--color {auto,never}] [-v] --need NEED
            src [dst] [more ...]

options:
  -h, --help            show this help message and exit
  -o OUT, --out OUT     where to (default: here)
  --all ALL [ALL ...]   at least one
  --any [ANY ...]
  --old [OLD [OLD ...]]
                        as Python 3.8 has it
  --maybe [MAYBE]       alone it means something
  --pair A B            two
  --color {auto,never}  (default: None)
  -v, --verbose         may be given multiple times
  --need, -n NEED       as Python 3.13 has it

positional arguments:
  src                   from
",
        str![[r#"
-o,--out string =here 'where to'
--all words<string> 'at least one'
--any? words<string>
--old? words<string> 'as Python 3.8 has it'
--maybe? string 'alone it means something'
--pair words<string> 'two'
--color string of auto,never
-v,--verbose count 'may be given multiple times'
-n,--need string! 'as Python 3.13 has it'
src string! 'from'
dst string
more words<string>

"#]],
    );
}

#[test]
fn bars_in_brackets_exclude_each_other_and_two_positions_do_not() {
    check(
        &["run"],
        "\
usage: prog run [-q | -v] (--file FILE | --url URL) [--x | --no-x] [--how a|b]

options:
  -q, --quiet
  -v, --verbose
  --file FILE
  --url URL
  --x, --no-x  on or off (default: True)
  --how a|b
",
        str![[r#"
-q,--quiet switch
-v,--verbose switch
--file string
--url string
--x,+--no-x switch =true 'on or off'
--how string
Exclusive(["quiet", "verbose"])
Exclusive(["file", "url"])
AnyOf(["file", "url"])

"#]],
    );
}

#[test]
fn commands_stand_in_braces_and_below_them() {
    check(
        &[],
        "\
usage: prog [-h] {list,ls,remove,quiet} ...

positional arguments:
  {list,ls,remove,quiet}
    list (ls)           List them, with a text that goes
                        on below.
    remove              Remove one.

options:
  -h, --help            show this help message and exit
",
        str![[r#"
list|ls: List them, with a text that goes on below.
remove: Remove one.
quiet: 

"#]],
    );
}

#[test]
fn a_word_stands_for_commands_only_where_they_follow() {
    check(
        &[],
        "\
usage: prog [-h] TYPE ...

positional arguments:
  TYPE
    role        Manage roles.

options:
  -h, --help    show this help message and exit
",
        str![[r#"
role: Manage roles.

"#]],
    );
    check(
        &["cd"],
        "\
usage: prog cd [-h] subdir ...

positional arguments:
  subdir
  cmd

options:
  -h, --help  show this help message and exit
",
        str![[r#"
subdir string!
cmd words<string>

"#]],
    );
}

#[test]
fn options_in_free_text_are_none() {
    check(
        &[],
        "\
usage: prog [-h] [--real REAL]

options:
  -h, --help   show this help message and exit
  --real REAL  the text says
               --unreal thing

In the epilog:
  --invented x   does not exist
",
        str![[r#"
--real string 'the text says --unreal thing'

"#]],
    );
}

#[test]
fn optparse_has_groups_in_options_and_pip_its_own_list() {
    check(
        &[],
        "\
Usage: prog [options] FILE

Options:
  -h, --help            show this help message and exit
  -f FILE, --file=FILE  read from

  Extra:
    Other things.

    --limit=N           no more [env: PROG_LIMIT]
",
        str![[r#"
-f,--file string 'read from'
--limit string $PROG_LIMIT 'no more'
FILE string!

"#]],
    );
    check(
        &[],
        "
Usage:
  prog <command> [options]

Commands:
  install                     Install packages.

 -V, --version                Show version and exit.

General Options:
  -h, --help                  Show help.
  --log <path>                Path to a log.
",
        str![[r#"
-V,--version switch 'Show version and exit.'
--log string 'Path to a log.'
install: Install packages.

"#]],
    );
}
