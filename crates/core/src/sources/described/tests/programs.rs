use std::collections::BTreeMap;

use super::*;

/// A program with these answers, which remembers what it was asked.
struct Answers {
    known: BTreeMap<&'static str, (i32, String)>,
    asked: Vec<String>,
}

impl Answers {
    fn new(known: impl IntoIterator<Item = (&'static str, i32, &'static str)>) -> Self {
        let known = known.into_iter();
        Self {
            known: known
                .map(|(words, code, text)| (words, (code, text.to_owned())))
                .collect(),
            asked: Vec::new(),
        }
    }
}

impl Probe for Answers {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        let answer = |question: &Question| {
            let words = question.words.join(" ");
            self.asked.push(words.clone());
            let (code, text) = self
                .known
                .get(words.as_str())
                .cloned()
                .unwrap_or((2, String::new()));
            Ok(Answer {
                code: Some(code),
                stdout: text,
                stderr: String::new(),
            })
        };
        questions.iter().map(answer).collect()
    }
}

/// What was asked, and what came of it.
fn found(
    signs: &[Sign],
    known: impl IntoIterator<Item = (&'static str, i32, &'static str)>,
) -> String {
    let mut program = Answers::new(known);
    let own = find("boat", signs, &mut program);
    let own = match own {
        Own::Nothing => "nothing".to_owned(),
        Own::Read(reading) => format!("{} commands", reading.program.commands.len()),
        Own::Unread(losses) => {
            let told: Vec<String> = losses.into_iter().map(|loss| loss.what).collect();
            told.join("\n")
        }
    };
    format!("{}\n{own}\n", program.asked.join(" | "))
}

const SPEC: &str = "bin boat\ncmd row\n";
const SCHEMA: &str = r#"{"name": "boat", "version": "1", "hidden": false, "subcommands": {"row": {"hidden": false}}}"#;

#[test]
fn a_program_is_asked_only_where_something_shows_that_it_answers() {
    let plain = "Usage: boat [OPTIONS]\n\nCommands:\n  usage  Show disk usage\n  opencli2  OpenCLI\n\nOptions:\n  --cli-schema <FILE>  Use this\n  see --usage-spec\n";
    assert_data_eq!(
        found(&[], [("--help", 0, plain), ("usage", 0, SPEC)]),
        str![[r#"
--help
nothing

"#]]
    );
    let listed = "Usage: boat\n\nCommands:\n  row\n  usage    Generate a usage CLI spec\n";
    assert_data_eq!(
        found(&[], [("--help", 0, listed), ("usage", 0, SPEC)]),
        str![[r#"
--help | usage
2 commands

"#]]
    );
    let flag = "Options:\n  -h, --help     Help\n      --usage-spec  Print it\n";
    assert_data_eq!(
        found(&[], [("--help", 0, flag), ("--usage-spec", 0, SPEC)]),
        str![[r#"
--help | --usage-spec
2 commands

"#]]
    );
    let schema = "Options:\n  -?, -h, --help  Show help\n  --cli-schema    Output the structure\n";
    assert_data_eq!(
        found(&[], [("--help", 0, schema), ("--cli-schema", 0, SCHEMA)]),
        str![[r#"
--help | --cli-schema
2 commands

"#]]
    );
}

#[test]
fn a_hidden_usage_command_is_known_by_its_page() {
    let root = "Usage: boat [SUBCOMMAND]\n";
    let page = "Generate a usage CLI spec\n\nUsage: boat usage\n";
    assert_data_eq!(
        found(
            &[Sign::Usage],
            [
                ("--help", 0, root),
                ("usage --help", 0, page),
                ("usage", 0, SPEC)
            ]
        ),
        str![[r#"
--help | usage --help | usage
2 commands

"#]]
    );
    assert_data_eq!(
        found(
            &[Sign::Usage],
            [("--help", 0, root), ("usage --help", 0, root)]
        ),
        str![[r#"
--help | usage --help
nothing

"#]]
    );
}

#[test]
fn a_cobra_program_is_asked_where_its_help_command_says_so() {
    let root = "Boats\n\nUsage:\n  boat [command]\n";
    let stock = "Help about any command\n\nUsage:\n  boat help [command] [flags]\n\nFlags:\n  -h, --help   help for help\n";
    assert_data_eq!(
        found(
            &[Sign::Cobra],
            [("--help", 0, root), ("help --help", 0, stock)]
        ),
        str![[r#"
--help | help --help
nothing

"#]]
    );
    let machine = "Usage:\n  boat help [flags]\n\nFlags:\n      --machine   JSON\n";
    assert_data_eq!(
        found(
            &[Sign::Cobra],
            [
                ("--help", 0, root),
                ("help --help", 0, machine),
                ("help --machine", 0, r#"{"version": "3.0"}"#)
            ]
        ),
        str![[r#"
--help | help --help | help --machine
`boat help --machine` should describe it, but what it prints is version 3.0 of `help --machine`; 1.x can be read; its help was read instead

"#]]
    );
}

#[test]
fn a_swift_program_that_refuses_is_said_to() {
    assert_data_eq!(
        found(&[Sign::Swift], [("--help", 0, "USAGE: boat\n")]),
        str![[r#"
--help | --experimental-dump-help
`boat --experimental-dump-help` should describe it, but it ended with 2; its help was read instead

"#]]
    );
}

#[test]
fn a_transcript_without_the_question_says_nothing_of_it() {
    let files = BTreeMap::from([(
        "boat.help.txt".to_owned(),
        "Usage: boat\n\nCommands:\n  usage  Print a usage spec\n".to_owned(),
    )]);
    let mut transcript = Transcript::new(files).unwrap();
    let signs = [Sign::Cobra, Sign::Swift, Sign::Usage];
    assert_eq!(find("boat", &signs, &mut transcript), Own::Nothing);
}

#[test]
fn a_description_wins_and_keeps_what_only_the_help_has() {
    let read = |text| read(Format::Usage, None, text).unwrap();
    let mut help = read(
        "bin x\nflag \"--log <FILE>\" global=#true help=\"from help\" env=LOG\n\
         cmd a help=short { long_help \"the help's long text\"; example \"x a\"; flag \"--b <N>\" { choices one two; }; \
         flag --only-help; flag --c; group g --b --c; arg \"[FILE]\" }\ncmd helps-own\n",
    );
    help.program.family = Family::Cobra;
    for command in &mut help.program.commands {
        for param in &mut command.params {
            if param.name == "b" {
                param.kind = crate::model::Kind::One(Scalar::Int(64));
            }
        }
    }
    let said = read(
        "bin x\nversion 3\nflag \"--log <FILE>\" global=#true help=\"from itself\"\n\
         cmd a help=told effect=read { alias aa; flag \"--b <N>\" required=#true help=said; flag --new; arg \"<FILE>\" help=which }\n\
         cmd a-new { cmd below }\n",
    );
    let joined = join(said, help);
    assert_eq!(joined.program.family, Family::Cobra);
    assert_data_eq!(
        show(&joined),
        str![[r#"
x 3 (Cobra)
[] Unknown parent - 
  usage: x [flags]
  --log=string env:LOG - from itself
[a] Read aka aa - told
  usage: x a [flags] [FILE]
  long: the help's long text
  examples: x a
  --b=string required {one,two} - said
  --only-help
  --c
  --new
  <FILE> string required - which
  ^ --log=string env:LOG - from itself
  one of: b, c
[helps-own] Unknown - 
  usage: x helps-own [flags]
  ^ --log=string env:LOG - from help
[a-new] Unknown parent - 
  usage: x a-new [flags]
  ^ --log=string - from itself
[a-new below] Unknown - 
  usage: x a-new below [flags]
  ^ --log=string - from itself

"#]]
    );
}
