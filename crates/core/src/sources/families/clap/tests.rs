//! Pages in clap's layouts, and in those of programs that print as it does.

use snapbox::{assert_data_eq, str};

use super::super::{Ask, Page, Text};
use super::{ask, read};
use crate::model::{Joiner, Kind, Param};

fn page_at(page: &str, path: &[&str]) -> Page {
    let path: Vec<String> = path.iter().map(|&word| word.to_owned()).collect();
    let lines: Vec<&str> = page.lines().map(str::trim_end).collect();
    read(&Text {
        lines: &lines,
        program: "tool",
        path: &path,
    })
}

fn page(text: &str) -> Page {
    page_at(text, &[])
}

/// A parameter in one line.
fn shown(param: &Param) -> String {
    let mut line = match param.spelling() {
        Some(spelling) => {
            let forms = [&spelling.short, &spelling.long, &spelling.negative];
            forms
                .into_iter()
                .flatten()
                .cloned()
                .collect::<Vec<_>>()
                .join(",")
        }
        None => param.name.clone(),
    };
    let spelling = param.spelling().cloned().unwrap_or_default();
    if param.kind != Kind::Switch {
        line.push_str(&format!(" {}", param.kind));
    }
    if param.kind.takes_value() && param.is_flag() && spelling.joiner == Joiner::Space {
        line.push_str(" apart");
    }
    if spelling.bare.is_some() {
        line.push_str(" or-bare");
    }
    if param.required {
        line.push_str(" required");
    }
    if !param.choices.is_empty() {
        line.push_str(&format!(" {{{}}}", param.choices.join("|")));
    }
    if let Some(default) = &param.default {
        line.push_str(&format!(" default {default:?}"));
    }
    if let Some(env) = &param.env {
        line.push_str(&format!(" env {env}"));
    }
    if let Some(reason) = &param.deprecated {
        line.push_str(&format!(" deprecated {reason:?}"));
    }
    if !param.text.is_empty() {
        line.push_str(&format!(": {}", param.text.replace('\n', "⏎")));
    }
    line
}

/// Everything that can be given.
fn params(page: &Page) -> String {
    let all = page.flags.iter().chain(&page.positionals);
    let mut lines: Vec<String> = all.map(shown).collect();
    lines.extend(page.groups.iter().map(|group| format!("{group:?}")));
    lines.extend(page.unread.iter().map(|line| format!("unread: {line}")));
    lines.join("\n")
}

#[test]
fn values_have_all_their_forms() {
    let page = page(
        "\
Usage: tool [OPTIONS]

Options:
  -o, --output <FILE>       Where to
      --sign [<KEY>]        With a key
      --timings[=<FMTS>]    As a report
      --only=<NAME>         Joined
      --size <W> <H>        Two
  -i, --image <FILE>...     Some
      --tag [<TAG>...]      Any
      --auth <USER[:PASS] | TOKEN>  Who
  -Z <FLAG>                 Unstable
  -j[=<N>]                  At once
  -@, --at <X>              Sign
  -v, --verbose...          More
      --truncate / --no-truncate  Cut
  -q                        Hush
  -h, --help                Print help
  -V, --version             Print version
",
    );
    assert_data_eq!(
        params(&page),
        str![[r#"
-o,--output string: Where to
--sign string or-bare: With a key
--timings string or-bare: As a report
--only string: Joined
--size words<string> apart: Two
-i,--image words<string> apart: Some
--tag words<string> apart or-bare: Any
--auth string: Who
-Z string apart: Unstable
-j string or-bare: At once
-@,--at string: Sign
-v,--verbose count: More
--truncate,--no-truncate: Cut
-q: Hush
-V,--version: Print version
"#]]
    );
}

#[test]
fn tags_are_read_over_line_ends_and_leave_the_text() {
    let page = page(
        "\
Usage: tool [OPTIONS]

Options:
      --color <WHEN>
          When to color [env: TOOL_COLOR=] [default: auto] [possible
          values: always, auto, never] [aliases: --colour, --tint]
      --list-prefix <TEXT>  Before each [default: \"    \"]
      --jobs <N>  How many [default: from profile] [possible values: integer or \"num-cpus\"]
      --threads <N>  How many (default: 4)
      --merge <X>  [default: [a, b]] Both [short aliases: m]
      --strip [<BOOL>]  Less [possible values: true, false]
      --index-url <URL>  (Deprecated: use `--index`) Where
",
    );
    assert_data_eq!(
        params(&page),
        str![[r#"
--color string {always|auto|never} default "auto" env TOOL_COLOR: When to color [aliases: --colour, --tint]
--list-prefix string default "    ": Before each
--jobs string: How many [default: from profile] [possible values: integer or "num-cpus"]
--threads string default "4": How many
-m,--merge string: [default: [a, b]] Both
--strip bool or-bare: Less
--index-url string deprecated "use `--index`": (Deprecated: use `--index`) Where
"#]]
    );
}

#[test]
fn what_a_variable_holds_is_never_kept() {
    let page = page(
        "\
Usage: tool [OPTIONS]

Options:
      --token <TOKEN>  Yours [env: TOOL_TOKEN=hush]hush and=hush] [default: none]
      --key <KEY>      Mine [env: TOOL_KEY=hush
                       hush]
      --quiet          Little [env: TOOL_QUIET=hush]
      --plain <X>      Known [env: `TOOL_X`=] and more [see there]
",
    );
    assert_data_eq!(
        params(&page),
        str![[r#"
--token string default "none" env TOOL_TOKEN: Yours
--key string env TOOL_KEY: Mine
--quiet env TOOL_QUIET: Little
--plain string env TOOL_X: Known and more [see there]
"#]]
    );
    assert!(!format!("{page:?}").contains("hush"));
}

#[test]
fn a_list_of_values_with_texts_is_closed_and_keeps_the_texts() {
    let page = page(
        "\
Usage: tool [OPTIONS]

Options:
  -c, --color <when>
          Declare when

          Possible values:
          - auto:   if the output goes
            to a terminal
          - always: always
          - never
          
          [default: auto]

      --style <components>
          By hand
          
          Possible values:
            * full: everything
            * plain: nothing
",
    );
    assert_data_eq!(
        params(&page),
        str![[r#"
-c,--color string {auto|always|never} default "auto": Declare when⏎- auto:   if the output goes⏎to a terminal⏎- always: always⏎- never
--style string: By hand⏎⏎Possible values:⏎* full: everything⏎* plain: nothing
"#]]
    );
}

#[test]
fn old_versions_are_indented_by_four_and_shout() {
    let page = page_at(
        "\
tool-add 0.4.3
Some Body <body@example.com>
Add a folder

USAGE:
    tool add [FLAGS] [OPTIONS] <path> [ARGS]

FLAGS:
    -h, --help       Prints help information
        --merge      Merge entries
    -V, --version    Prints version information

OPTIONS:
        --cmd <cmd>      Renames it [default: z]  [possible values:
                         y, z]
    -g, --glob <GLOB>...     Which
        --pair <a> <b>       Both
    -f, --flags <flags>
            May be combined.
            
            --not an option
ARGS:
    <path>    
    <from>    Where from
    <files>...    All of them
",
        &["add"],
    );
    assert_eq!(page.summary, "Add a folder");
    assert_data_eq!(
        params(&page),
        str![[r#"
--merge: Merge entries
-V,--version: Prints version information
--cmd string {y|z} default "z": Renames it
-g,--glob repeat<string>: Which
--pair words<string> apart: Both
-f,--flags string: May be combined.⏎⏎--not an option
path string required
from string: Where from
files words<string>: All of them
"#]]
    );
}

#[test]
fn the_usage_line_knows_what_must_be_given() {
    let page = page_at(
        "\
Usage: tool set [OPTIONS] --name <NAME> <--user|--file <PATH>> <SRC|--from <REV>> <KEY> [VALUE] [-- <ARGS>...]

Arguments:
  [SRC]...   Source
  <KEY>      The key
  [ARGS]...  Handed on

Options:
      --name <NAME>  Whose
      --user         Mine
      --file <PATH>  There
      --from <REV>   Since
",
        &["set"],
    );
    assert_data_eq!(
        params(&page),
        str![[r#"
--name string required: Whose
--user: Mine
--file string: There
--from string: Since
SRC words<string>: Source
KEY string required: The key
VALUE string
ARGS words<string>: Handed on
AnyOf(["user", "file"])
AnyOf(["SRC", "from"])
"#]]
    );
}

#[test]
fn commands_have_other_names_and_groups() {
    let page = page(
        "\
A tool

Usage: tool [OPTIONS] [PROMPT]
       tool [OPTIONS] <COMMAND> [ARGS]

Commands:
  exec          Run it [aliases: e, x]
  apply         Apply the diff to
                your tree [alias: a]
  query, -Q, --query  Ask
  help          Print this message

Other commands:
    build, b    Compile
    ...         See all commands with --list

Common commands:

  Update the tool and all of it

    $ tool update

Arguments:
  [PROMPT]  What to do

Options:
  -h, --help  Print help

Examples:
  tool exec
    --no-option
",
    );
    let listed: Vec<String> = page
        .commands
        .iter()
        .map(|it| {
            let group = it.group.as_deref().unwrap_or_default();
            format!("{} {:?} {group}: {}", it.name, it.aliases, it.summary)
        })
        .collect();
    assert_data_eq!(
        listed.join("\n"),
        str![[r#"
exec ["e", "x"] Commands: Run it
apply ["a"] Commands: Apply the diff to your tree
query [] Commands: Ask
help [] Commands: Print this message
build ["b"] Other commands: Compile
"#]]
    );
    assert_eq!(page.runnable, Some(true));
    assert_eq!(page.examples, "tool exec\n  --no-option");
    assert_eq!(params(&page), "PROMPT string: What to do");
}

#[test]
fn a_command_that_must_be_named_leaves_nothing_to_run() {
    let text =
        "Usage: tool <COMMAND>\n\nCommands:\n  a  One\n\nOptions:\n  -h, --help  Print help\n";
    assert_eq!(page(text).runnable, Some(false));
    assert_eq!(
        page(&text.replace("<COMMAND>", "[COMMAND]")).runnable,
        Some(true)
    );
}

#[test]
fn opposite_switches_are_one_and_a_text_may_name_the_opposite() {
    let page = page(
        "\
Usage: tool

Options:
      --workspace     As a member
      --no-workspace  Not as a member
      --fix           Apply fixes. Use `--no-fix` to disable or `--fix-only` alone
  -I, --no-ignore     Show all. The flag can be overridden with --ignore.
      --no-cache      Afresh; see --cache-dir
",
    );
    assert_data_eq!(
        params(&page),
        str![[r#"
--workspace,--no-workspace: As a member⏎--no-workspace: Not as a member
--fix,--no-fix: Apply fixes. Use `--no-fix` to disable or `--fix-only` alone
-I,--no-ignore,--ignore: Show all. The flag can be overridden with --ignore.
--no-cache: Afresh; see --cache-dir
"#]]
    );
}

#[test]
fn only_a_line_without_doubt_is_an_options() {
    let page = page(
        "\
Usage: tool

Options:
      --dry run nothing   At all
  -W / --warn [LINT]      Warn
      --good              Yes
          --deep in the text
  -name                   Not a letter
  - a list

You can use more of them, e.g.:
    --fancy \"green\"

To allow or deny a lint from the command line you can use:
  --allow <LINT>  Never read

--outside of all
  --indented  below a sentence
",
    );
    assert_data_eq!(
        params(&page),
        str![[r#"
--good: Yes --deep in the text
unread: --dry run nothing   At all
unread: -W / --warn [LINT]      Warn
unread: -name                   Not a letter
"#]]
    );
}

#[test]
fn a_letter_that_asks_for_headers_is_no_help() {
    let page = page(
        "Usage: tool\n\nOptions:\n  -h, --headers  Print only the headers\n      --help     Print help\n",
    );
    assert_eq!(params(&page), "-h,--headers: Print only the headers");
}

#[test]
fn words_of_another_program_are_a_list() {
    let page = page_at("Run it\n\nUsage: tool run [OPTIONS] [COMMAND]\n", &["run"]);
    assert_eq!(params(&page), "COMMAND words<string>");
}

#[test]
fn a_picture_beside_the_page_is_not_read() {
    let page = page(
        "Usage: tool [FLAGS] <X>    ▗▄▖\n                           ▌ ▐\nFlags:                     ▝▀▘\n  -a  All\n",
    );
    assert_eq!(params(&page), "-a: All\nX string required");
}

#[test]
fn several_usages_are_a_persons_and_only_what_all_need_is_needed() {
    let page = page(
        "\
USAGE:
    tool [OPTIONS] PATTERN [PATH ...]
    tool [OPTIONS] --files [PATH ...]
    command | tool [OPTIONS] PATTERN
    tool [OPTIONS] --help

ARGS:
    <PATTERN>
            What for
    <PATH>...
            Where

OPTIONS:
        --files
            List them
",
    );
    assert_data_eq!(
        params(&page),
        str![[r#"
--files: List them
PATTERN string: What for
PATH words<string>: Where
"#]]
    );
}

#[test]
fn a_program_with_manual_pages_is_asked_with_the_letter() {
    let page = "See 'cargo help <command>' for more information on a specific command.\n";
    assert_eq!(ask(page, "cargo"), Some(Ask::ShortFlag));
    assert_eq!(ask("Use 'tool help -k' for more\n", "tool"), None);
}

#[test]
fn odd_pages_end_without_harm() {
    let deep = "[".repeat(20_000);
    let odd = [
        format!("Usage: tool {deep}\n\nOptions:\n  --x {deep}\n  <{deep}\n"),
        "Usage:\n".to_owned(),
        "usagé: é\n\nOptions:\n  -é, --é <é>  é [env: é=é] [default: é\n".to_owned(),
        format!(
            "Usage: tool\n\nOptions:\n  --x  {}\n",
            "[env: A=".repeat(2_000)
        ),
    ];
    for text in odd {
        page(&text);
    }
}
