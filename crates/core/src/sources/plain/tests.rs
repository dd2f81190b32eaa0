//! Pages in the manner of families that have no reader of their own yet.

use super::{Reading, read};
use crate::model::{Family, Joiner};
use crate::probe::{Answer, Probe, ProbeError, Question};

/// A program that answers `--help`, and remembers what it was asked.
#[derive(Default)]
struct Program {
    answer: Answer,
    asked: Vec<Question>,
}

impl Probe for Program {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        self.asked.extend_from_slice(questions);
        questions.iter().map(|_| Ok(self.answer.clone())).collect()
    }
}

fn reading(name: &str, page: &str) -> Reading {
    let mut program = Program::default();
    program.answer.stdout = page.to_owned();
    let reading = read(name, &mut program).unwrap();
    assert_eq!(
        program.asked,
        [Question::new(["--help"])],
        "one harmless question"
    );
    reading
}

/// Options and arguments in one line each.
fn params(reading: &Reading) -> Vec<String> {
    let mut out = Vec::new();
    for param in &reading.program.commands[0].params {
        let Some(spelling) = param.spelling() else {
            let need = if param.required {
                "required"
            } else {
                "optional"
            };
            out.push(format!("{} {} {need}", param.name, param.kind));
            continue;
        };
        let forms = [&spelling.short, &spelling.long];
        let mut line = forms
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
            .join(",");
        if let Some(negative) = &spelling.negative {
            line.push('/');
            line.push_str(negative);
        }
        if param.kind.takes_value() {
            line.push(match spelling.joiner {
                Joiner::Equals => '=',
                Joiner::Space => ' ',
                Joiner::Attached => '+',
            });
            line.push_str(&param.kind.to_string());
        }
        if spelling.bare.is_some() {
            line.push('?');
        }
        if param.required {
            line.push('!');
        }
        out.push(line);
    }
    out
}

fn losses(reading: &Reading) -> Vec<&str> {
    reading
        .losses
        .iter()
        .map(|loss| loss.what.as_str())
        .collect()
}

#[test]
fn a_synopsis_gives_global_options_and_a_list_gives_commands_by_name_alone() {
    let page = "\
usage: vcs [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]
           [--exec-path[=<path>]] [-p | --paginate | -P | --no-pager]
           [--dir=<path>] <command> [<args>]

These are common commands used in various situations:

start here (see also: vcs help tutorial)
   clone     Clone a repository
   add       Add file contents

'vcs help -a' lists available subcommands and some guides.
";
    let reading = reading("vcs", page);
    assert_eq!(reading.program.family, Family::Unknown);
    assert!(reading.program.commands[0].runnable);
    assert_eq!(
        params(&reading),
        [
            "-v,--version",
            "-C string",
            "-c string",
            "--exec-path=string?",
            "-p,--paginate",
            "-P,--no-pager",
            "--dir=string",
        ]
    );
    assert_eq!(
        losses(&reading),
        ["2 commands are known by name alone, without options and arguments: clone, add"]
    );
    let commands: Vec<_> = reading.program.commands[1..]
        .iter()
        .map(|command| {
            (
                command.path.join(" "),
                command.summary.as_str(),
                command.params.len(),
            )
        })
        .collect();
    assert_eq!(
        commands,
        [
            ("clone".to_owned(), "Clone a repository", 0),
            ("add".to_owned(), "Add file contents", 0)
        ]
    );
}

#[test]
fn gnu_options_keep_the_way_that_they_are_written() {
    let page = "\
Usage: list [OPTION]... [FILE]...
Show FILEs. More about it.

  -a, --all                  show all of them; and
                               --not-an-option is text
      --color[=WHEN]         color the output WHEN
  -w, --width=COLS           set width
  -I[FMT], --iso[=FMT]       print in FMT
  -NUM                       same as --width=NUM
  -1                         one a line
      --help        display this help and exit
";
    let reading = reading("list", page);
    assert_eq!(reading.program.commands[0].summary, "Show FILEs.");
    let expected = [
        "-a,--all",
        "--color=string?",
        "-w,--width=string",
        "-I,--iso=string?",
        "-1",
        "FILE words<string> optional",
    ];
    assert_eq!(params(&reading), expected);
    assert_eq!(losses(&reading), ["1 option line not understood: -NUM"]);
}

#[test]
fn values_after_a_blank_are_told_from_the_text() {
    let page = "\
Usage: tool [OPTIONS] --name <NAME> <SRC>... <DST>

Options:
  -o, --output <FILE>     Where to
  -f FORMAT, --format FORMAT
                          How
  -n, --name <NAME>       Who
  -l, --line-length INTEGER RANGE  [default: 88; x>=1]
      --mode {fast,slow}  Which
      --loop [auto|none]  Event loop
      --sig [<KEY>]       Sign
  -v, --verbose...        More
      --debug / --no-debug  Log
      --[no-]quiet        Hush
      --dry run nothing   at all
  -classpath <path>       single dash
";
    let reading = reading("tool", page);
    let expected = [
        "-o,--output string",
        "-f,--format string",
        "-n,--name string!",
        "-l,--line-length int",
        "--mode string",
        "--loop string",
        "--sig string?",
        "-v,--verbose",
        "--debug/--no-debug",
        "--quiet/--no-quiet",
        "-classpath string",
        "SRC words<string> required",
        "DST string required",
    ];
    assert_eq!(params(&reading), expected);
    let root = &reading.program.commands[0];
    let named = |name: &str| root.params.iter().find(|param| param.name == name).unwrap();
    assert_eq!(named("mode").choices, ["fast", "slow"]);
    assert_eq!(named("loop").choices, ["auto", "none"]);
    assert_eq!(named("line-length").default.as_deref(), Some("88"));
    assert_eq!(
        losses(&reading),
        ["1 option line not understood: --dry run nothing"]
    );
}

#[test]
fn several_forms_of_use_become_one_list_of_words() {
    let page = "\
Usage: copy [OPTION]... SOURCE DEST
  or:  copy [OPTION]... SOURCE... DIRECTORY
  or:  copy --version

  -r    recursively
  -v    loudly
";
    let reading = reading("copy", page);
    assert_eq!(
        params(&reading),
        ["-r", "-v", "args words<string> optional"]
    );
    assert_eq!(
        losses(&reading),
        ["its usage has 2 forms; their arguments are taken as one list of words"]
    );
}

#[test]
fn help_on_stderr_is_help_and_a_complaint_is_none() {
    let mut program = Program::default();
    program.answer.stderr = "usage: old [-B address] destination\n".to_owned();
    assert_eq!(
        params(&read("old", &mut program).unwrap()),
        ["-B string", "destination string required"]
    );

    program.answer.stderr = "awk: not an option: --help\n".to_owned();
    program.answer.code = Some(2);
    let error = read("awk", &mut program).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`awk --help` printed no help (exit code 2)"
    );
}

#[test]
fn the_column_of_the_texts_shows_where_one_starts() {
    let page = "\
Usage: tool [OPTION]... FILE
  -a, --all         all of it
  -k, --keep        keep it
  --ignore-case     whatever case
  --synchronous-io  safer than
  --with-separators split at it
  --colsep regexp   no column here
  --gitfile=NAME    a name
  --limit-of-dirs # at most so many
  --print-multi-os-directory Display where
  --very-long-one value Text of it
       --deeper=X   a letter is missing
";
    let reading = reading("tool", page);
    assert_eq!(
        params(&reading),
        [
            "-a,--all",
            "-k,--keep",
            "--ignore-case",
            "--synchronous-io",
            "--with-separators",
            "--colsep string",
            "--gitfile=string",
            "--limit-of-dirs string",
            "--print-multi-os-directory",
            "--deeper=string",
            "FILE string required",
        ]
    );
    assert_eq!(
        losses(&reading),
        ["1 option line not understood: --very-long-one value Text of it"]
    );
}

#[test]
fn old_layouts_are_read() {
    let page = "\
usage: old [-abV] [-x list] [file]
  -a   first kind of it          -b   second kind
  -c   third kind, which         -x   what follows
  -d   fourth                    -e   fifth
";
    assert_eq!(
        params(&reading("old", page)),
        [
            "-a",
            "-b",
            "-c",
            "-x string",
            "-d",
            "-e",
            "-V",
            "file string optional"
        ]
    );
    let page = "\
usage: snake [option] ... [file]
-b     : warn
-c cmd : program passed in
--check-hash always|never:
         control it
-i[ext]  in place
-e  --edit  change it
-n <dir>       --name=<dir>   where
-l  ....  --list
       dots lead to it
--arg a v  set two
--mode {fast|slow}  which
";
    let reading = reading("snake", page);
    assert_eq!(
        params(&reading),
        [
            "-b",
            "-c string",
            "--check-hash string",
            "-i+string?",
            "-e,--edit",
            "-n,--name=string",
            "-l,--list",
            "--arg words<string>",
            "--mode string",
            "file string optional",
        ]
    );
}

#[test]
fn options_that_follow_the_usage_at_once_are_no_part_of_it() {
    let page = "Usage: tool [options...] <url>\n     --socket <path> Connect via abstract Unix domain socket\n     --any                Pick any method\n -a, --append             Append to the target\n";
    assert_eq!(
        params(&reading("tool", page)),
        [
            "--socket string",
            "--any",
            "-a,--append",
            "url string required"
        ]
    );
}
