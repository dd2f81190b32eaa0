//! Pages as yargs prints them, and what they say.

use snapbox::prelude::*;
use snapbox::{assert_data_eq, str};

use super::super::commander::tests::described;

#[track_caller]
fn check(words: &str, page: &str, expected: impl IntoData) {
    assert_data_eq!(described(super::read, words, page), expected);
}

#[test]
fn tags_say_the_type_and_more() {
    check(
        "x",
        r#"x <command>

Options:
      --version  Show version number                                   [boolean]
  -h, --help     Show help                                             [boolean]
  -v, --verbose  more words                                 [count] [default: 0]
      --depth    how deep, see [above]                [number] [default: 3]
      --file     names                                        [array] [required]
      --kind     one of them
               [string] [choices: "a", "b, c", "d"] [default: "a"]
      --any      nobody said what
      --old      gone soon                    [deprecated: use --any] [boolean]
"#,
        str![[r#"
$ x <command>
--version: switch | Show version number
-v --verbose: count = 0 | more words
--depth: float = 3 | how deep, see [above]
--file: words<string> required | names
--kind: string of a,b, c,d = a | one of them
--any: string or alone "" | nobody said what
--old --old=false: switch deprecated use --any | gone soon
"#]],
    );
}

#[test]
fn a_switch_is_put_off_as_every_version_understands() {
    check(
        "x",
        "Usage: x

Options:
  --cache        Disable it using --no-cache.  [boolean]
  --lookups      look things up  [boolean] [default: true]
  --no-progress  no bars  [boolean]
",
        str![[r#"
$ x
--cache --no-cache: switch | Disable it using --no-cache.
--lookups --lookups=false: switch = true | look things up
--no-progress: switch | no bars
"#]],
    );
}

#[test]
fn commands_are_printed_with_the_program_and_those_above() {
    check(
        "ng analytics",
        "ng analytics

Gathers metrics.

Commands:
  ng analytics disable       Disables them.  [aliases: off]
  ng analytics info [json]   Prints
                             them.
  ng analytics [what]        The default.  [default]

Options:
  --help  Shows help.  [boolean]

Examples:
  ng analytics disable  never mind
",
        str![[r#"
# Gathers metrics.
$ ng analytics
$ ng analytics [what]
> disable|off: Disables them.
> info: Prints them.
"#]],
    );
}

#[test]
fn positionals_are_described_under_any_heading() {
    check(
        "lerna run",
        r#"lerna run <script> [paths..]

Runs it.

Argumente:
  script  The script  [string] [required]
  paths   Where to  [array] [default: []]

Optionen:
  --stream  Stream output  [boolean]
"#,
        str![[r#"
# Runs it.
$ lerna run <script> [paths...]
--stream --stream=false: switch | Stream output
script: string required | The script
paths: words<string> | Where to
"#]],
    );
}

#[test]
fn words_that_are_cut_at_the_edge_are_put_together() {
    check(
        "redocly",
        r#"redocly <command>

Commands:
  redocly stats [api]                       Show statistics for an API descripti
                                            on.
  redocly generate-arazzo <descriptionPath  Auto-generate arazzo description fil
  >                                         e from an API description.
  redocly diff <base> <revision>            Compare two API descriptions and rat
                                            e every change by the semver bump it
                                             requires [experimental].

Options:
  --help    Show help.                                                 [boolean]
  --format  Use a specific output format.
  [choices: "stylish", "codeframe", "json", "checkstyle", "codeclimate", "summar
               y", "markdown", "github-actions", "junit"] [default: "codeframe"]
"#,
        str![[r#"
$ redocly <command>
--format: string of stylish,codeframe,json,checkstyle,codeclimate,summary,markdown,github-actions,junit = codeframe | Use a specific output format.
> stats: Show statistics for an API description.
> generate-arazzo: Auto-generate arazzo description file from an API description.
> diff: Compare two API descriptions and rate every change by the semver bump it requires [experimental].
"#]],
    );
}

#[test]
fn the_program_may_be_printed_as_its_script() {
    check(
        "tool",
        "bin/cli.js <command>

Commands:
  cli.js add <name>  adds
  cli.js rm          removes

Options:
  --help  Show help  [boolean]
",
        str![[r#"
$ bin/cli.js <command>
> add: adds
> rm: removes
"#]],
    );
}
