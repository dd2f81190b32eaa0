//! Pages as commander, cac and optionator print them, and what they say.

use snapbox::prelude::*;
use snapbox::{assert_data_eq, str};

use super::super::{Page, Text};
use crate::model::Param;

/// The page of `program PATH`, read by `page`: a line for each thing that it says.
pub(in super::super) fn described(
    page: fn(&Text<'_>) -> Page,
    words: &str,
    printed: &str,
) -> String {
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let mut words = words.split(' ').map(str::to_owned);
    let program = words.next().unwrap_or_default();
    let path: Vec<String> = words.collect();
    let read = page(&Text {
        lines: &lines,
        program: &program,
        path: &path,
    });
    let mut out: Vec<String> = Vec::new();
    out.extend((!read.summary.is_empty()).then(|| format!("# {}", read.summary)));
    out.extend(read.usage.iter().map(|line| format!("$ {line}")));
    out.extend(read.aliases.iter().map(|name| format!("alias {name}")));
    out.extend(read.flags.iter().map(flag));
    out.extend(read.positionals.iter().map(positional));
    out.extend(read.commands.iter().map(|it| {
        let names: Vec<&str> = std::iter::once(&it.name)
            .chain(&it.aliases)
            .map(String::as_str)
            .collect();
        let group = it.group.as_ref().map(|it| format!(" ({it})"));
        format!(
            "> {}{}: {}",
            names.join("|"),
            group.unwrap_or_default(),
            it.summary
        )
    }));
    out.extend(read.unread.iter().map(|line| format!("? {}", line.trim())));
    out.join("\n")
}

fn flag(param: &Param) -> String {
    let spelling = param.spelling().cloned().unwrap_or_default();
    let forms = [spelling.short, spelling.long, spelling.negative];
    let forms: Vec<String> = forms.into_iter().flatten().collect();
    let bare = spelling.bare.map(|bare| format!(" or alone {bare:?}"));
    format!(
        "{}: {}{}{}",
        forms.join(" "),
        param.kind,
        bare.unwrap_or_default(),
        rest(param)
    )
}

fn positional(param: &Param) -> String {
    format!("{}: {}{}", param.name, param.kind, rest(param))
}

fn rest(param: &Param) -> String {
    let mut rest = String::new();
    if param.required {
        rest.push_str(" required");
    }
    if !param.choices.is_empty() {
        rest.push_str(&format!(" of {}", param.choices.join(",")));
    }
    if let Some(default) = &param.default {
        rest.push_str(&format!(" = {default}"));
    }
    if let Some(env) = &param.env {
        rest.push_str(&format!(" ${env}"));
    }
    if let Some(why) = &param.deprecated {
        rest.push_str(&format!(" deprecated {why}"));
    }
    if !param.text.is_empty() {
        rest.push_str(&format!(" | {}", param.text));
    }
    rest
}

#[track_caller]
fn check(words: &str, page: &str, expected: impl IntoData) {
    assert_data_eq!(described(super::read, words, page), expected);
}

#[test]
fn values_are_needed_optional_or_many() {
    check(
        "x",
        "Usage: x [options]

Options:
  -p, --port <number>   port
  -l, --log [path]      log
  -i, --input <a...>    inputs
  --tag [a...]          tags
  -x                    stop
  --save-har <glob pattern>  har
  -h, --help            display help for command
",
        str![[r#"
$ x [options]
-p --port: string | port
-l --log: string or alone "" | log
-i --input: words<string> | inputs
--tag: words<string> or alone "" | tags
-x: switch | stop
--save-har: string | har
"#]],
    );
}

#[test]
fn remarks_behind_a_text_are_its_fields() {
    check(
        "x",
        r#"Usage: x [options]

Options:
  --drink <size>   drink size (choices: "small", "a, b", default: "small", env: DRINK)
  --debug [mode]   debugger (choices: "inspector", "cli", preset:
                   "inspector")
  --method <m>     how (default: "patch") (choices: "3way", "patch")
  --retries <n>    count, zero for none (default: no retries)
  --ignore <file>  files (default: [])
  --strict         strictly (see above) (default: true)
  --registry <t>   npm or json (default: npm) Run more for details.
  -h, --help       display help for command
"#,
        str![[r#"
$ x [options]
--drink: string of small,a, b = small $DRINK | drink size
--debug: string or alone "inspector" of inspector,cli | debugger
--method: string of 3way,patch = patch | how
--retries: string | count, zero for none (default: no retries)
--ignore: string | files (default: [])
--strict: switch = true | strictly (see above)
--registry: string | npm or json (default: npm) Run more for details.
"#]],
    );
}

#[test]
fn an_opposite_belongs_to_its_switch_and_to_nothing_that_takes_a_value() {
    check(
        "x",
        "Usage: x [options]

Options:
  --observe       observe
  --no-observe    do not
  --no-color      no colours
  -d, --devtool <value>  a tool
  --no-devtool    none
  -h, --help      display help for command
",
        str![[r#"
$ x [options]
--observe --no-observe: switch | observe
--no-color: switch | no colours
-d --devtool: string | a tool
--no-devtool: switch | none
"#]],
    );
}

#[test]
fn commands_have_aliases_and_groups_and_help_is_none() {
    check(
        "nest",
        "Usage: nest [options] [command]

Options:
  -h, --help               display help for command

Commands:
  new|n [options] [name]   Generate an application.
  info|i                   Details.
  help [command]           display help for command

Cloud things:
  deploy <app>             Deploy it,
                           or not.

Environment variables:
  NEST_HOME  where it lives
",
        str![[r#"
$ nest [options] [command]
> new|n (Commands): Generate an application.
> info|i (Commands): Details.
> deploy (Cloud things): Deploy it, or not.
"#]],
    );
}

#[test]
fn a_usage_line_names_aliases_and_arguments() {
    check(
        "nest generate",
        r#"Usage: nest generate|g [options] <schematic> [name] [paths...]

Generate an element.

Arguments:
  schematic   what (choices: "class", "module")
  paths       where to

Options:
  -h, --help  Output usage information.
"#,
        str![[r#"
# Generate an element.
$ nest generate [options] <schematic> [name] [paths...]
alias g
schematic: string required of class,module | what
name: string
paths: words<string> | where to
"#]],
    );
    check(
        "playwright pdf",
        "Usage: npx playwright pdf [options] <url> <file>\n\nOptions:\n  -h, --help  help\n",
        str![[r#"
$ playwright pdf [options] <url> <file>
url: string required
file: string required
"#]],
    );
}

#[test]
fn old_versions_indent_headings_and_write_no_comma() {
    check(
        "pm2",
        "
  Usage: pm2 [cmd] app

  Options:

    -V, --version        output the version number
    -s --silent          hide all messages
    -n --name <name>     set a name
    -c --cron <pattern>  restart by this
    -c --cron-restart <pattern>  the same
    -h, --help           output usage information

  Commands:

    start [options] <file|json|stdin>  start
    trigger <id> <action_name> [params]  trigger
    *
",
        str![[r#"
$ pm2 [cmd] app
-V --version: switch | output the version number
-s --silent: switch | hide all messages
-n --name: string | set a name
-c --cron: string | restart by this
--cron-restart: string | the same
app: string required
> start: start
> trigger: trigger
? *
"#]],
    );
}

#[test]
fn lines_that_are_no_options_are_none() {
    check(
        "ncu",
        "Usage: ncu [options]

Options:
  --cacheFile <path>  File. Only works with
                      --cache, or with
                      --global.
  filterResults*      Filters results by a
                      function.
  --format value      No value is taken.
",
        str![[r#"
$ ncu [options]
--cacheFile: string | File. Only works with --cache, or with --global.
? filterResults*      Filters results by a
? --format value      No value is taken.
"#]],
    );
}

#[test]
fn cac_prints_what_the_root_takes_among_the_commands() {
    check(
        "vite",
        "vite/8.3.8

Usage:
  $ vite [root]

Commands:
  [root]           start dev server
  build [root]     build for production

For more info, run any command with the `--help` flag:
  $ vite --help
  $ vite build --help

Options:
  --host [host]            [string] specify hostname
  -h, --help               Display this message
  -v, --version            Display version number
",
        str![[r#"
$ vite [root]
--host: string or alone "" | [string] specify hostname
-v --version: switch | Display version number
root: string
> build: build for production
"#]],
    );
    check(
        "x lint",
        "Usage:\n  $ x lint [...files]\n\nOptions:\n  -h, --help  Display this message\n",
        str![[r#"
$ x lint [...files]
files: words<string>
"#]],
    );
}

#[test]
fn optionator_prints_types() {
    check(
        "eslint",
        "eslint [options] file.js [file.js] [dir]

Basic configuration:
  -c, --config path::String       Use this
  --ext [String]                  Extensions
  --max-warnings Int              Number - default: -1
  --strategy String               Strategy - either: metadata or content - default: metadata
  --color, --no-color             Colours
  --odd Thing                     What is it
  -h, --help                      Show help
",
        str![[r#"
$ eslint [options] file.js [file.js] [dir]
-c --config: string | Use this
--ext: repeat<string> | Extensions
--max-warnings: int = -1 | Number
--strategy: string of metadata,content = metadata | Strategy
--color --no-color: switch | Colours
file.js: string required
file.js_2: string
dir: string
? --odd Thing                     What is it
"#]],
    );
}
