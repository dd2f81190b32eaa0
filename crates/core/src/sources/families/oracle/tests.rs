//! Parsers that are asked, as far as their refusals go.

use snapbox::{assert_data_eq, str};

use super::*;
use crate::model::Spelling;

/// A program that answers as `reply` says, and remembers what it was asked.
struct Parser<F> {
    reply: F,
    asked: Vec<String>,
}

const PAGE: &str = "Usage: tool [OPTIONS]\n";

fn help() -> Answer {
    Answer {
        code: Some(0),
        stdout: PAGE.to_owned(),
        stderr: String::new(),
    }
}

fn refused(text: &str) -> Answer {
    Answer {
        code: Some(2),
        stdout: String::new(),
        stderr: text.to_owned(),
    }
}

impl<F: Fn(&[&str]) -> Answer> Probe for Parser<F> {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        let answer = |question: &Question| {
            let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
            Ok((self.reply)(&words))
        };
        let answers = questions.iter().map(answer).collect();
        let words = |question: &Question| question.words.join(" ");
        self.asked.extend(questions.iter().map(words));
        answers
    }
}

fn flag(name: &str, kind: Kind) -> Param {
    let mut flag = Param::flag(name, kind);
    if flag.kind.takes_value() {
        flag.value_name = Some(name.to_uppercase());
    }
    flag
}

fn command(path: &[&str], params: Vec<Param>) -> CommandSpec {
    CommandSpec {
        path: path.iter().map(|&word| word.to_owned()).collect(),
        params,
        ..CommandSpec::default()
    }
}

fn text(name: &str) -> Param {
    flag(name, Kind::One(Scalar::String))
}

/// What is known of the flags once `reply` was heard, what was lost, and what was asked.
fn told(
    dialect: Dialect,
    mut commands: Vec<CommandSpec>,
    reply: impl Fn(&[&str]) -> Answer,
) -> (String, Vec<String>) {
    let mut probe = Parser {
        reply,
        asked: Vec::new(),
    };
    let mut losses = Vec::new();
    confirm(&mut commands, dialect, Ask::Flag, &mut probe, &mut losses);
    let mut lines = Vec::new();
    for command in &commands {
        for flag in command.flags() {
            let by = match flag.from.of(Fact::Type) {
                Some(Evidence::Oracle) => " heard",
                _ => "",
            };
            let choices = match flag.choices.is_empty() {
                true => String::new(),
                false => format!(" {{{}}}", flag.choices.join("|")),
            };
            let path = command.path.join(" ");
            lines.push(format!("{path} --{} {}{choices}{by}", flag.name, flag.kind));
        }
    }
    lines.extend(losses.iter().map(|loss| format!("lost: {}", loss.what)));
    (lines.join("\n"), probe.asked)
}

/// clap 4, with the flags that the tests use.
fn clap(words: &[&str]) -> Answer {
    let given: Vec<(&str, &str)> = words
        .iter()
        .filter_map(|word| word.strip_prefix("--")?.split_once('='))
        .collect();
    for (name, value) in &given {
        let number = || value.split(',').all(|it| it.parse::<u32>().is_ok());
        let because = match *name {
            "quiet" => {
                return refused(&format!(
                    "error: unexpected value '{value}' for '--quiet' found; no more were expected\n"
                ));
            }
            "port" if value.contains(',') || !number() => ": invalid digit found in string",
            "offset" if value.parse::<i32>().is_err() => ": invalid digit found in string",
            "lines" if !number() => ": invalid digit found in string",
            "ratio" if value.parse::<f64>().is_err() => ": invalid float literal",
            "color" if !matches!(*value, "always" | "never") => {
                "\n  [possible values: always, never]"
            }
            "strip" if !matches!(*value, "true" | "false") => "\n  [possible values: true, false]",
            "package" if value.contains('/') => ": not a name",
            "ghost" => {
                return refused("error: unexpected argument '--ghost' found\n\n  tip: none\n");
            }
            _ => continue,
        };
        return refused(&format!(
            "error: invalid value '{value}' for '--{name} <X>'{because}\n\nFor more information, try '--help'.\n"
        ));
    }
    let again = given.len() > 1 && given[0] == given[1];
    match again && !matches!(given[0].0, "lines" | "include") {
        true => refused(&format!(
            "error: the argument '--{} <X>' cannot be used multiple times\n",
            given[0].0
        )),
        false => help(),
    }
}

#[test]
fn clap_names_types_values_and_what_can_be_given_again() {
    let names = [
        "port", "offset", "lines", "ratio", "color", "strip", "package", "include", "name",
    ];
    let mut flags: Vec<Param> = names.iter().map(|name| text(name)).collect();
    flags.push(flag("quiet", Kind::Switch));
    flags.push(text("ghost"));
    let (told, asked) = told(Dialect::Clap, vec![command(&[], flags)], clap);
    assert_data_eq!(
        told,
        str![[r#"
 --port uint heard
 --offset int heard
 --lines comma<uint> heard
 --ratio float heard
 --color string {always|never} heard
 --strip bool heard
 --package string
 --include repeat<string> heard
 --name string heard
 --quiet switch heard
lost: --ghost is on its page, and its parser does not know it; it is left out
"#]]
    );
    for words in asked {
        let mut words: Vec<&str> = words.split(' ').collect();
        assert_eq!(words.pop(), Some("--help"), "help comes last");
        assert!(words.iter().all(|word| word.contains('=')), "{words:?}");
    }
}

#[test]
fn a_switch_that_was_taken_for_more_is_a_switch_again() {
    let mut odd = text("quiet");
    odd.role = Role::Flag(Spelling {
        long: Some("--quiet".to_owned()),
        bare: Some(String::new()),
        ..Spelling::default()
    });
    let canary = flag("quiet", Kind::Switch);
    let commands = vec![command(&[], vec![canary]), command(&["sub"], vec![odd])];
    let (told, _) = told(Dialect::Clap, commands, clap);
    assert_eq!(told, " --quiet switch heard\nsub --quiet switch heard");
}

#[test]
fn flags_with_the_same_words_are_asked_once_and_told_everywhere() {
    let flags = || vec![flag("quiet", Kind::Switch), text("port")];
    let mut commands = vec![command(&["a"], flags()), command(&["b"], flags())];
    commands[1].inherited = vec![text("offset")].into();
    commands.push(command(&[], vec![text("offset")]));
    let (told, asked) = told(Dialect::Clap, commands, clap);
    assert_data_eq!(
        told,
        str![[r#"
a --quiet switch heard
a --port uint heard
b --quiet switch heard
b --port uint heard
b --offset int heard
 --offset int heard
"#]]
    );
    assert!(
        !asked.iter().any(|words| words.starts_with("b ")),
        "{asked:?}"
    );
}

#[test]
fn a_parser_that_helps_first_is_left_alone() {
    let names: Vec<Param> = (0..50).map(|at| text(&format!("x{at}"))).collect();
    let mut flags = vec![flag("a", Kind::Switch), flag("b", Kind::Switch)];
    flags.extend(names);
    let (_, asked) = told(Dialect::Clap, vec![command(&[], flags)], |_| help());
    assert_eq!(asked.len(), 3, "the page, and two switches: {asked:?}");
}

#[test]
fn commands_that_hand_words_on_or_fail_to_help_are_not_asked() {
    let words = Param::positional("COMMAND", Kind::List(Scalar::String, Split::Words));
    let runs = command(&["run"], vec![flag("quiet", Kind::Switch), words]);
    let fails = command(&["fails"], vec![flag("quiet", Kind::Switch), text("port")]);
    let (_, asked) = told(Dialect::Clap, vec![runs, fails], |_| refused("no\n"));
    assert_eq!(asked, ["fails --help"]);
}

#[test]
fn a_surprise_ends_the_questions() {
    let flags = (0..200).map(|at| text(&format!("x{at}"))).collect();
    let (told, asked) = told(
        Dialect::Argparse,
        vec![command(&[], flags)],
        |words| match words.len() {
            1 => help(),
            _ => Answer {
                stdout: "it ran\n".to_owned(),
                ..help()
            },
        },
    );
    assert!(asked.len() <= 41, "{}", asked.len());
    assert!(
        told.contains("lost: its parser was asked no further: to `--x0="),
        "{told}"
    );
}

#[test]
fn argparse_names_types_and_choices_and_is_asked_little() {
    let reply = |words: &[&str]| match words[0] {
        it if it.starts_with("--jobs=") => {
            refused("usage: tool [-h]\ntool: error: argument -j/--jobs: invalid int value: 'x'\n")
        }
        it if it.starts_with("--rate=") => {
            refused("tool: error: argument --rate: invalid float value: 'x'\n")
        }
        it if it.starts_with("--old=") => {
            refused("tool: error: argument --old: invalid choice: 'x' (choose from 'a', 'b (c)')\n")
        }
        it if it.starts_with("--new=") => {
            refused("tool: error: argument --new: invalid choice: 'x' (choose from a, b)\n")
        }
        it if it.starts_with("--flag=") => {
            refused("tool: error: argument --flag: ignored explicit argument 'x'\n")
        }
        it if it.starts_with("--own=") => {
            refused("tool: error: argument --own: invalid positive value: 'x'\n")
        }
        _ => help(),
    };
    let names = ["jobs", "rate", "old", "new", "flag", "own", "name"];
    let mut flags: Vec<Param> = names.iter().map(|name| text(name)).collect();
    flags.extend((0..100).map(|at| text(&format!("y{at}"))));
    let (told, asked) = told(Dialect::Argparse, vec![command(&[], flags)], reply);
    let first: Vec<&str> = told.lines().take(7).collect();
    assert_data_eq!(
        first.join("\n"),
        str![[r#"
 --jobs int heard
 --rate float heard
 --old string {a|b (c)} heard
 --new string {a|b} heard
 --flag switch heard
 --own string
 --name string heard
"#]]
    );
    assert_eq!(asked.len(), 40);
}

#[test]
fn gnu_lists_the_words_that_it_takes() {
    let reply = |words: &[&str]| match words[0] {
        it if it.starts_with("--color=") => refused(
            "ls: invalid argument ‘x’ for ‘--color’\nValid arguments are:\n  - ‘always’, ‘yes’\n  - ‘never’\nTry 'ls --help' for more information.\n",
        ),
        _ => help(),
    };
    let mut color = text("color");
    color.value_name = Some("WHEN".to_owned());
    let flags = vec![color, text("file")];
    let (told, asked) = told(Dialect::Gnu, vec![command(&[], flags)], reply);
    assert_eq!(
        told,
        " --color string {always|yes|never} heard\n --file string"
    );
    assert_eq!(asked.len(), 2, "files are not asked for: {asked:?}");
}

#[test]
fn old_versions_of_clap_refuse_in_other_words() {
    let cases = [
        (
            "error: Invalid value \"x\" for '--n <n>': invalid digit found in string\n",
            Refusal::Type(Scalar::Int(64)),
        ),
        (
            "error: \"x\" isn't a valid value for '--c <c>'\n\t[possible values: a, b]\n",
            Refusal::Values(vec!["a".to_owned(), "b".to_owned()]),
        ),
        (
            "error: Found argument '--x' which wasn't expected, or isn't valid in this context\n",
            Refusal::Unknown,
        ),
        (
            "error: The value 'x' was provided to '--q' but it wasn't expecting any more values\n",
            Refusal::NoValue,
        ),
        (
            "error: The argument '--n <n>' was provided more than once, but cannot be used multiple times\n",
            Refusal::Twice,
        ),
        (
            "error: invalid bump component `x`\n\nUsage: uv\n\nFor more information, try '--help'.\n",
            Refusal::Other,
        ),
        (
            "\u{1b}[1merror:\u{1b}[0m invalid value 'x' for '--c <C>'\n  [possible values: \u{1b}[32ma\u{1b}[0m, b]\n",
            Refusal::Values(vec!["a".to_owned(), "b".to_owned()]),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal::read(Dialect::Clap, text), Some(expected), "{text}");
    }
    assert_eq!(refusal::read(Dialect::Clap, "error: no such file\n"), None);
}
