//! Pages as oclif prints them, and what they say.

use snapbox::prelude::*;
use snapbox::{assert_data_eq, str};

use super::super::commander::tests::described;

#[track_caller]
fn check(words: &str, page: &str, expected: impl IntoData) {
    assert_data_eq!(described(super::read, words, page), expected);
}

#[test]
fn flags_have_tags_before_their_text_and_options_behind_it() {
    check(
        "oclif promote",
        "Promote builds.

USAGE
  $ oclif promote [PATH] --channel <value> [-d]
    [--compression gzip|xz]

ARGUMENTS
  [PATH]  [default: .] Path to plugin.

FLAGS
  -d, --deb                   Promote artifacts.
  -t, --targets=<value>...    Targets.
      --channel=<value>       (required) [default: stable, env: CHANNEL] Channel
                              to promote to.
      --compression=<option>  Kind.
                              <options: gzip|xz>
      --[no-]xz               Also upload xz.
      --sha=<value>           (required) Commit.

GLOBAL FLAGS
  --json  Format output as json.

DESCRIPTION
  Promote builds.
",
        str![[r#"
# Promote builds.
$ oclif promote [PATH] --channel <value> [-d] [--compression gzip|xz]
-d --deb: switch | Promote artifacts.
-t --targets: words<string> | Targets.
--channel: string = stable $CHANNEL | Channel to promote to.
--compression: string of gzip,xz | Kind.
--xz --no-xz: switch | Also upload xz.
--sha: string required | Commit.
--json: switch | Format output as json.
PATH: string = . | Path to plugin.
"#]],
    );
}

#[test]
fn topics_and_commands_are_one_list() {
    check(
        "heroku apps",
        "list your apps

USAGE
  $ heroku apps [-A]

FLAGS
  -A, --all  include all

TOPICS
  apps:favorites  favourites

COMMANDS
  apps:create     creates a new app
  apps:favorites  list favorited apps
",
        str![[r#"
# list your apps
$ heroku apps [-A]
-A --all: switch | include all
> apps:favorites: list favorited apps
> apps:create: creates a new app
"#]],
    );
    check(
        "oclif pack",
        "Package a CLI.\n\nUSAGE\n  $ oclif pack COMMAND\n\nCOMMANDS\n  pack deb       Pack deb.\n  pack tarballs  Pack\n                 tarballs.\n",
        str![[r#"
# Package a CLI.
$ oclif pack COMMAND
> deb: Pack deb.
> tarballs: Pack tarballs.
"#]],
    );
}

#[test]
fn commander_in_this_look_is_read_too() {
    check(
        "netlify",
        r#"USAGE
  $ netlify [COMMAND]

COMMANDS
  $ api          Run any method
  $ sites        Handle
                 operations

OPTIONS
  -d, --dir <path>   Specify a folder
  --geo <mode>       force data (choices: "cache", "mock", default: "cache")
  -h, --help         display help for command
"#,
        str![[r#"
$ netlify [COMMAND]
-d --dir: string | Specify a folder
--geo: string of cache,mock = cache | force data
> api: Run any method
> sites: Handle operations
"#]],
    );
}
