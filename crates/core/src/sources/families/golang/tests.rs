use super::super::{Page, Text};
use super::*;

/// Flags, commands and positionals in a line each.
fn describe(manner: Manner, page: &str, path: &[&str]) -> Vec<String> {
    let lines: Vec<&str> = page.lines().map(str::trim_end).collect();
    let path: Vec<String> = path.iter().map(|&word| word.to_owned()).collect();
    let page: Page = (manner.page)(&Text {
        lines: &lines,
        program: "prog",
        path: &path,
    });
    let mut out = Vec::new();
    for flag in &page.flags {
        let spelling = flag.spelling().unwrap();
        let forms = [&spelling.long, &spelling.short, &spelling.negative];
        let forms: Vec<&str> = forms.into_iter().flatten().map(String::as_str).collect();
        let mut line = format!("{}: {}", forms.join(" "), flag.kind);
        for (mark, fact) in [("default", &flag.default), ("env", &flag.env)] {
            if let Some(fact) = fact {
                line.push_str(&format!(" {mark}={fact}"));
            }
        }
        out.push(format!("{line} | {}", flag.text));
    }
    for command in &page.commands {
        let mut names = vec![command.name.as_str()];
        names.extend(command.aliases.iter().map(String::as_str));
        out.push(format!("{} | {}", names.join(", "), command.summary));
    }
    for positional in &page.positionals {
        out.push(format!("<{}> {}", positional.name, positional.kind));
    }
    out.extend(page.unread.iter().map(|line| format!("unread {line}")));
    out
}

#[test]
fn the_flag_package_says_types_and_defaults() {
    let page = "\
Usage of prog:
  -addr string
    \tlisten on this address (default \"localhost:1\")
  -cache
    \tkeep results (default true)
  -n\tdry run
  -retries int
    \thow often
    \tto try (default 3)
  -since time
    \tstart here
  -wait duration
    \tpause (default 1s)
";
    assert_eq!(
        detect_and_describe(page),
        [
            "-addr: string default=localhost:1 | listen on this address",
            "-cache -cache=false: switch default=true | keep results",
            "-n: switch | dry run",
            "-retries: int default=3 | how often to try",
            "-since: string | start here",
            "-wait: duration default=1s | pause",
        ]
    );
}

fn detect_and_describe(page: &str) -> Vec<String> {
    assert_eq!(super::super::detect(page, "prog"), Some(Family::GoFlag));
    describe(with_flag(page), page, &[])
}

#[test]
fn urfave_shows_values_lists_variables_and_aliases() {
    let page = "\
NAME:
   prog - does things

USAGE:
   prog [global options] command [command options] [arguments...]

COMMANDS:
   build, b  make it
   help, h   Shows a list of commands or help for one command
   admin:
     user  manage users

GLOBAL OPTIONS:
   --config value, -c value                             read FILE (default: \"a b\") [$PROG_CONFIG, $CONFIG]
   --label value, -l value [ --label value, -l value ]  add labels
   --log value                                          where to (default is stderr)
   --count int                                          how many (default: 0)
   --[no-]color                                         in colour (default: true)
   --verbose, -v                                        say more (default: false)
   --help, -h                                           show help
";
    assert_eq!(
        describe(URFAVE, page, &[]),
        [
            "--config -c: string default=a b env=PROG_CONFIG | read FILE",
            "--label -l: repeat<string> | add labels",
            "--log: string | where to (default is stderr)",
            "--count: int default=0 | how many",
            "--color --no-color: switch default=true | in colour",
            "--verbose -v: switch | say more",
            "build, b | make it",
            "user | manage users",
        ]
    );
}

#[test]
fn kingpin_and_kong_show_defaults_where_others_show_placeholders() {
    let page = "\
usage: prog user [<flags>] <command> [<args> ...]

Flags:
  -h, --help               Show context-sensitive help.
  -o, --output=simple      Format
      --url=URL            Where
      --file=<filename>    Which
      --prefix=\"> \"        Before each ($PROG_PREFIX)
      --[no-]check         Look first
      --header=HEADER ...  More of them
      --tags=TAG,...       Several
      --set=KEY=VALUE;...  Pairs

Commands:
  user add <name>
    Add a user.

  user role list [<flags>]
    List roles.
";
    assert_eq!(
        describe(KINGPIN, page, &["user"]),
        [
            "--output -o: string default=simple | Format",
            "--url: string | Where",
            "--file: string | Which",
            "--prefix: string default=>  env=PROG_PREFIX | Before each",
            "--check --no-check: switch | Look first",
            "--header: repeat<string> | More of them",
            "--tags: comma<string> | Several",
            "--set: map<string> | Pairs",
            "add | Add a user.",
            "role | ",
        ]
    );
}

#[test]
fn hashicorps_programs_show_switches_by_their_values() {
    let root = "\
Usage: prog [global options] <subcommand> [args]

Main commands:
  apply   Do it
";
    let page = "\
Usage: prog [global options] apply [options] [PLAN]

Options:

  -lock=false        Don't hold a lock.

  -var 'foo=bar'     Set a value. Use this option more than
                     once to set more than one.

  -out=path          Write here.
";
    assert_eq!(
        describe(with_flag(root), page, &["apply"]),
        [
            "-lock -lock=false: switch default=true | Don't hold a lock.",
            "-var: repeat<string> | Set a value. Use this option more than once to set more than one.",
            "-out: string | Write here.",
            "<PLAN> string",
        ]
    );
}
