use super::*;
use crate::probe::{Answer, Probe, ProbeError, Question};
use crate::sources::families::{self, Options};

#[test]
fn a_list_is_closed_only_where_every_value_is_quoted_and_the_sentence_ends() {
    let cases = [
        (
            "WHEN is 'always', 'never', or 'auto'",
            Some("always never auto"),
        ),
        (
            "color; WHEN can be `bsd', `sysv' or 'posix'.",
            Some("bsd sysv posix"),
        ),
        (
            "WHEN is 'always' (default if omitted), 'auto' or 'never'; more",
            Some("always auto never"),
        ),
        ("WHEN can be 'a', 'b' and others", None),
        ("WHEN is 'always'", None),
        ("WHEN can be none, size or time", None),
        ("sort by WHEN instead of 'a' or 'b'", None),
    ];
    for (text, expected) in cases {
        let found = closed(text, "WHEN").map(|values| values.join(" "));
        assert_eq!(found.as_deref(), expected, "{text}");
    }
}

/// busybox as it is: an applet answers `--help` where that is all, and runs otherwise.
#[derive(Default)]
struct Busybox {
    asked: Vec<Vec<String>>,
}

impl Probe for Busybox {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        let imprint = "BusyBox v1.35.0 (2022-01-01) multi-call binary.\n";
        let mut answer = |question: &Question| {
            self.asked.push(question.words.clone());
            let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
            let page = match words.as_slice() {
                ["--help"] => {
                    "\nUsage: busybox [function [arguments]...]\n   or: busybox --install [-s] [DIR]\n\n\
                     Currently defined functions:\n\t[, [[, brctl, ls, reboot\n"
                }
                ["brctl", "--help"] => {
                    "\nUsage: brctl COMMAND [BRIDGE [ARGS]]\n\nManage bridges\nCommands:\n\t\
                     addbr BRIDGE\t\tCreate BRIDGE\n\tdelbr BRIDGE\t\tDelete BRIDGE\n"
                }
                ["ls", "--help"] => {
                    "\nUsage: ls [-1AalC] [-w WIDTH] [FILE]...\n\nList directory contents\n\n\t-1\tOne\n\t-a\tAll\n\
                     \t-l\tLong\n\t-la\tBoth\n\t-w N\tN columns wide\n\t--color[={always,never}]\n"
                }
                ["reboot", "--help"] => {
                    "\nUsage: reboot [-d DELAY] [-nf]\n\nReboot the system\n\n\t-f\tForce\n"
                }
                _ => panic!("{words:?} would run something"),
            };
            Ok(Answer {
                stdout: format!("{imprint}{page}"),
                ..Answer::default()
            })
        };
        questions.iter().map(&mut answer).collect()
    }
}

#[test]
fn applets_are_asked_and_what_they_list_is_not() {
    let mut busybox = Busybox::default();
    let options = Options { oracle: false };
    let reading = families::read("busybox", None, &mut busybox, options).unwrap();
    let read: Vec<String> = reading
        .program
        .commands
        .iter()
        .map(|command| {
            let flags = command.own_flags().map(|flag| flag.name.as_str());
            let line = reading.program.command_line(&command.path);
            format!("{line}: {}", flags.collect::<Vec<_>>().join(" "))
        })
        .collect();
    assert_eq!(
        read,
        [
            "busybox: ",
            "busybox brctl: ",
            "busybox ls: 1 a l w color A C",
            "busybox reboot: f d n"
        ]
    );
    assert_eq!(
        reading.program.commands[2].summary,
        "List directory contents"
    );
    assert_eq!(busybox.asked.len(), 4);
}

/// Options and arguments of a page, with their kinds.
fn described(page: &str) -> String {
    let lines: Vec<&str> = page.lines().collect();
    let page = read(&Text {
        lines: &lines,
        program: "tool",
        path: &[],
    });
    let params = page.flags.iter().chain(&page.positionals);
    let shown = params.map(|param| {
        let need = if param.required { "!" } else { "" };
        format!("{} {}{need}", param.name, param.kind)
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[test]
fn what_explains_a_range_is_no_option() {
    let page = "\
Usage: tool [OPTION]... [FILE]...
  -b, --bytes=LIST        select only these bytes
  -1..9                   compression level

  N-    from N to the end
  N-M   from N to M
  -M    from first to M
";
    assert_eq!(described(page), "bytes string, FILE words<string>");
}

#[test]
fn words_say_that_there_are_several() {
    let page = "\
Usage: tool [OPTION]... FILES
      --label LABEL             use LABEL instead of file name
                                  (can be repeated)
";
    assert_eq!(
        described(page),
        "label repeat<string>, FILES words<string>!"
    );
}

#[test]
fn a_usage_of_several_forms_or_with_a_bracket_too_few_is_a_list_of_words() {
    let forms = "\
Usage: tool FILE [SUFFIX] | -a FILE... | -s SUFFIX FILE...

\t-a\t\tAll arguments are FILEs
\t-s SUFFIX\tRemove SUFFIX
";
    assert_eq!(described(forms), "a switch, s string, args words<string>");
    let bracket = "\
Usage: tool [-o FILE] [-k START[.OFS][,END[.OFS]] [-t CHAR] [FILE]...

\t-o FILE\tOutput to FILE
";
    assert!(
        described(bracket).ends_with(", args words<string>"),
        "{}",
        described(bracket)
    );
}
