//! Pages of click, typer and rich-click, and what they mean.

use snapbox::{IntoData, assert_data_eq, str};

use super::super::argparse::described;
use super::read;
use crate::sources::families::Text;

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
fn metavars_are_types_and_brackets_at_the_end_are_facts() {
    check(
        &["serve"],
        "\
Usage: prog serve [OPTIONS] {dev|prod} SRC... [OUT]

  Serves.

Options:
  -p, --port INTEGER RANGE        Where to listen.  [env var: PORT; default:
                                  8000; 1<=x<=65535]
  --mode [fast|slow]              How.  [required]
  --since [%Y-%m-%d|%Y]           From when on.
  --pair <TEXT INTEGER>...        Two.
  --debug / --no-debug            Talk.  [default: no-debug]
  -v, --verbose                   Can be used multiple times.
  --dir DIRECTORY                 [default: (current)]
  -h, --help                      Show this message and exit.
",
        str![[r#"
-p,--port int =8000 $PORT 'Where to listen. [1<=x<=65535]'
--mode string! of fast,slow 'How.'
--since string 'From when on.'
--pair words<string> 'Two.'
--debug,+--no-debug switch 'Talk.'
-v,--verbose count 'Can be used multiple times.'
--dir string
choice string! of dev,prod
SRC words<string>!
OUT string

"#]],
    );
}

#[test]
fn commands_stand_under_any_title() {
    check(
        &[],
        "\
Usage: prog [OPTIONS] COMMAND [ARGS]...

Options:
  --help  Show this message and exit.

Compute:
  query*  Ask it.
  list    List them. [alias: ls]

Storage:
  put     Put something...
",
        str![[r#"
query: Ask it.
list|ls: List them.
put: Put something...

"#]],
    );
}

#[test]
fn boxes_hold_the_same() {
    check(
        &[],
        "
 Usage: prog [OPTIONS] NAME

 Greets.

╭─ Arguments ──────────────────────────────────────────────────────────────────╮
│ *    name      TEXT  Whom. [required]                                        │
╰──────────────────────────────────────────────────────────────────────────────╯
╭─ Options ────────────────────────────────────────────────────────────────────╮
│ *  --chip     -c             [esp32|esp3  Which, see                         │
│                              2s2]         --chips. [required]                │
│    --formal       --no-form               Politely. [default: no-formal]     │
│                   al                                                         │
│    --times    -t             INTEGER      How often. [default: 1]            │
│    --help                                 Show this message and exit.        │
╰──────────────────────────────────────────────────────────────────────────────╯
╭─ Commands ───────────────────────────────────────────────────────────────────╮
╰──────────────────────────────────────────────────────────────────────────────╯
",
        str![[r#"
-c,--chip string! of esp32,esp32s2 'Which, see --chips.'
--formal,+--no-formal switch 'Politely.'
-t,--times int =1 'How often.'
NAME string! 'Whom.'

"#]],
    );
}

#[test]
fn a_command_behind_an_argument_of_its_group_is_not_asked() {
    let page = "Usage: tool [OPTIONS] [MODULE] COMMAND [ARGS]...\n\nOptions:\n  --help  Show this message and exit.\n\nCommands:\n  utils  More of it.\n";
    let lines: Vec<&str> = page.lines().collect();
    let read = super::read(&super::Text {
        lines: &lines,
        program: "tool",
        path: &[],
    });
    assert!(read.commands.iter().all(|command| command.unasked));
    assert_eq!(read.unread, ["MODULE before COMMAND"]);
}
