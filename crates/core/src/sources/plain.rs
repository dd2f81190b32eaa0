//! Reads a program of no family that argway knows: its `--help` page and nothing else.
//!
//! Only customs that nearly all such pages keep are trusted: an option starts with a
//! dash and is set apart from its text by two blanks; a usage line that speaks of a
//! command is followed by blocks that name them. What subcommands take is not asked:
//! `PROGRAM SUBCOMMAND --help` of an unknown program may run it.

use crate::model::{
    CommandSpec, Evidence, Fact, Family, Joiner, Kind, Loss, Param, Program, Reading, Role, Scalar,
    Spelling,
};
use crate::probe::{Probe, Question};
use crate::sources::cobra::ReadError;
use crate::sources::{effect, usage};

/// Reads the program `name`.
pub fn read(name: &str, probe: &mut dyn Probe) -> Result<Reading, ReadError> {
    let no_help = |why: String| ReadError::NoHelp {
        program: name.to_owned(),
        why,
    };
    let answer = probe
        .ask(&[Question::new(["--help"])])
        .pop()
        .ok_or_else(|| no_help("was not answered".to_owned()))?
        .map_err(|error| no_help(error.to_string()))?;
    // Some print help to stderr, and some exit with 1, 2 or 129 after it.
    let text = match answer.stdout.trim().is_empty() {
        true => &answer.stderr,
        false => &answer.stdout,
    };
    let page = Page::parse(text);
    if page.usage.is_empty() && page.flags.len() < 2 {
        let first = text.lines().find(|line| !line.trim().is_empty());
        return Err(no_help(match first {
            Some(line) => format!("printed no help but `{}`", line.trim()),
            None => "printed nothing".to_owned(),
        }));
    }
    Ok(page.into_reading(name))
}

/// What such a page says.
#[derive(Debug, Default)]
struct Page {
    /// The first usage line, joined with its continuations.
    usage: String,
    /// Unindented text that is neither usage nor a heading.
    description: String,
    flags: Vec<Param>,
    /// Name, heading, summary.
    commands: Vec<(String, String, String)>,
    /// Lines that look like options and could not be read.
    unread: usize,
}

impl Page {
    fn parse(text: &str) -> Self {
        let mut page = Page::default();
        let lines: Vec<&str> = text.lines().collect();
        page.read_usage(&lines);
        page.read_flags(&lines);
        if speaks_of_commands(&page.usage) {
            page.read_commands(&lines);
        }
        page.description = description(&lines);
        page
    }

    fn read_usage(&mut self, lines: &[&str]) {
        let Some(start) = lines.iter().position(|line| usage_of(line).is_some()) else {
            return;
        };
        let first = usage_of(lines[start]).unwrap_or_default().trim();
        let mut words: Vec<&str> = first.split_whitespace().collect();
        for line in &lines[start + 1..] {
            let another = line.trim_start().starts_with("or:");
            let done = line.trim().is_empty() || indent(line) == 0 || another;
            // `Usage:` alone has its line below; options can follow without a blank line.
            if done && !words.is_empty() || is_option(line) || indent(line) == 0 && !done {
                break;
            }
            // A second line for the same program is another form, not a continuation.
            if !words.is_empty() && line.split_whitespace().next() == words.first().copied() {
                break;
            }
            words.extend(line.split_whitespace());
        }
        self.usage = words.join(" ");
    }

    fn read_flags(&mut self, lines: &[&str]) {
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at];
            at += 1;
            if !is_option(line) {
                continue;
            }
            let start = indent(line);
            let (left, text) = columns(line);
            let mut text = text.to_owned();
            while let Some(next) = lines.get(at) {
                let continues = !next.trim().is_empty() && indent(next) > start && !is_option(next);
                if !continues {
                    break;
                }
                text.push(' ');
                text.push_str(next.trim());
                at += 1;
            }
            match flag(left, text.trim()) {
                Some(flag) if flag.name == "help" || self.has(&flag.name) => {}
                Some(flag) => self.flags.push(flag),
                None => self.unread += 1,
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| flag.name == name)
    }

    fn read_commands(&mut self, lines: &[&str]) {
        let mut heading = "";
        for line in lines {
            if line.trim().is_empty() {
                continue;
            }
            if indent(line) == 0 {
                heading = line.trim().trim_end_matches(':');
                continue;
            }
            let (name, text) = columns(line);
            if is_command_name(name) && !text.is_empty() && indent(line) <= 8 {
                let known = self.commands.iter().any(|(known, ..)| known == name);
                if !known && name != "help" {
                    let entry = (name.to_owned(), heading.to_owned(), text.to_owned());
                    self.commands.push(entry);
                }
            }
        }
    }

    fn into_reading(self, name: &str) -> Reading {
        let mut losses = vec![Loss {
            path: Vec::new(),
            what: "not a Cobra program: only its `--help` was read, by common customs".to_owned(),
        }];
        let mut lose = |what: String| {
            losses.push(Loss {
                path: Vec::new(),
                what,
            });
        };
        let mut root = CommandSpec {
            summary: self
                .description
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
            description: self.description,
            usage: self.usage.clone(),
            runnable: self.commands.is_empty(),
            params: self.flags,
            ..CommandSpec::default()
        };
        root.from.note(Fact::Name, Evidence::Help);
        if self.unread > 0 {
            lose(format!(
                "{} lines of options could not be read",
                self.unread
            ));
        }
        if self.commands.is_empty() {
            let found = usage::positionals(&without_options(&self.usage), 1);
            root.params.extend(found.params);
            for part in found.unread {
                lose(format!("`{part}` in the usage line could not be read"));
            }
        } else {
            lose(format!(
                "its {} subcommands are known by name only: what they take was not asked",
                self.commands.len()
            ));
        }
        let children = self.commands.into_iter().map(|(word, group, summary)| {
            let mut command = CommandSpec {
                path: vec![word],
                group: Some(group).filter(|group| !group.is_empty()),
                summary,
                runnable: true,
                ..CommandSpec::default()
            };
            command.effect = effect::of_command(&command);
            command.from.note(Fact::Name, Evidence::Help);
            command.from.note(Fact::Effect, Evidence::Convention);
            command
        });
        let commands = std::iter::once(root).chain(children).collect();
        Reading {
            program: Program {
                name: name.to_owned(),
                executable: None,
                version: None,
                family: Family::Unknown,
                commands,
            },
            losses,
        }
    }
}

/// What stands after `Usage:`.
fn usage_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let head = line.get(..6)?;
    match head.eq_ignore_ascii_case("usage:") {
        true => Some(&line[6..]),
        false => None,
    }
}

fn speaks_of_commands(usage: &str) -> bool {
    usage.split_whitespace().any(|word| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        ["command", "subcommand"].contains(&bare.to_ascii_lowercase().as_str())
    })
}

/// A usage line without the words that stand for options, which are no positionals.
fn without_options(usage: &str) -> String {
    let stands_for_options = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        ["option", "options", "flags"].contains(&bare.to_ascii_lowercase().as_str())
    };
    usage
        .split_whitespace()
        .filter(|word| !stands_for_options(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The first paragraph that is no usage, heading, option or listing.
fn description(lines: &[&str]) -> String {
    let mut paragraph: Vec<&str> = Vec::new();
    let mut in_usage = false;
    for line in lines {
        let blank = line.trim().is_empty();
        if usage_of(line).is_some() {
            in_usage = true;
        } else if blank && !paragraph.is_empty() {
            break;
        } else if !blank && indent(line) == 0 && !is_option(line) && !line.trim().ends_with(':') {
            in_usage = false;
            paragraph.push(line.trim());
        } else if !blank && !in_usage && !paragraph.is_empty() {
            break;
        }
    }
    paragraph.join("\n")
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_option(line: &str) -> bool {
    let mut chars = line.trim_start().chars();
    chars.next() == Some('-')
        && chars
            .next()
            .is_some_and(|c| c == '-' || c.is_ascii_alphanumeric())
}

fn is_command_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c))
}

/// A line's two columns: what stands before the first tab or two blanks, and the rest.
fn columns(line: &str) -> (&str, &str) {
    let line = line.trim();
    let gap = line.find("  ").into_iter().chain(line.find('\t')).min();
    match gap {
        Some(at) => (line[..at].trim_end(), line[at..].trim_start()),
        None => (line, ""),
    }
}

/// The option that `left` (`-o, --output <file>`) spells.
fn flag(left: &str, text: &str) -> Option<Param> {
    let mut spelling = Spelling {
        joiner: Joiner::Space,
        ..Spelling::default()
    };
    let mut value = None;
    for form in left.split(", ").flat_map(|forms| forms.split(" | ")) {
        let form = form.trim();
        let end = form.find(['=', '[', ' ', '<']).unwrap_or(form.len());
        let (name, rest) = form.split_at(end);
        let plain = name.trim_start_matches('-');
        let well_spelled = plain
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        if plain.is_empty() || !well_spelled {
            return None;
        }
        match name.len() - plain.len() {
            1 if plain.len() == 1 => spelling.short.get_or_insert(name.to_owned()),
            1 | 2 => spelling.long.get_or_insert(name.to_owned()),
            _ => return None,
        };
        let printed = rest.trim_matches(|c: char| " =[]<>".contains(c));
        if !printed.is_empty() {
            // `--color[=WHEN]` and `--size=N` say how the value follows.
            if rest.trim_start_matches('[').starts_with('=') {
                spelling.joiner = Joiner::Equals;
            }
            value.get_or_insert(printed.to_owned());
        }
    }
    let written = spelling.long.as_deref().or(spelling.short.as_deref())?;
    let name = written.trim_start_matches('-').to_owned();
    let kind = match value {
        Some(_) => Kind::One(Scalar::String),
        None => Kind::Switch,
    };
    let mut param = Param::flag(name, kind);
    if param.kind == Kind::Switch {
        spelling.joiner = Joiner::default();
    }
    param.role = Role::Flag(spelling);
    param.value_name = value;
    param.text = text.to_owned();
    param.from.note(Fact::Name, Evidence::Help);
    param.from.note(Fact::Type, Evidence::Convention);
    Some(param)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::{Answer, ProbeError};

    struct Prints(&'static str);

    impl Probe for Prints {
        fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
            assert_eq!(
                questions,
                [Question::new(["--help"])],
                "nothing else may be asked"
            );
            vec![Ok(Answer {
                code: Some(0),
                stdout: self.0.to_owned(),
                stderr: String::new(),
            })]
        }
    }

    /// A reading in short: the root's parameters, then each command.
    fn told(text: &'static str) -> Vec<String> {
        let reading = read("prog", &mut Prints(text)).unwrap();
        assert_eq!(reading.program.family, Family::Unknown);
        let root = &reading.program.commands[0];
        let params = root.params.iter().map(|param| {
            let spelled = param.spelling().map_or(param.name.clone(), |spelling| {
                let forms = spelling.short.iter().chain(&spelling.long);
                forms.cloned().collect::<Vec<_>>().join(" ")
            });
            format!("{spelled}: {}", param.kind)
        });
        let commands = reading.program.commands[1..]
            .iter()
            .map(|command| format!("{}: {}", command.path.join(" "), command.summary));
        params.chain(commands).collect()
    }

    #[test]
    fn options_of_a_gnu_page_are_read() {
        assert_eq!(
            told(
                "\
Usage: prog [OPTION]... [FILE]...
List information about the FILEs.

  -a, --all                  do not ignore entries
      --block-size=SIZE      with -l, scale sizes by SIZE;
                               e.g., '--block-size=M'
      --color[=WHEN]         color the output WHEN
  -w, --width=COLS           set output width
      --help        display this help and exit
"
            ),
            [
                "-a --all: switch",
                "--block-size: string",
                "--color: string",
                "-w --width: string",
                "FILE: words<string>"
            ]
        );
    }

    #[test]
    fn values_after_a_blank_and_in_brackets_are_read() {
        assert_eq!(
            told(
                "\
Usage: prog [options...] <url>
 -d, --data <data>           HTTP POST data
 -f FILE, --file FILE        from here
 -V, --version               Show version number and quit
"
            ),
            [
                "-d --data: string",
                "-f --file: string",
                "-V --version: switch",
                "url: string"
            ]
        );
    }

    #[test]
    fn commands_are_read_where_the_usage_speaks_of_them() {
        assert_eq!(
            told(
                "\
usage: prog [-v | --version] [--git-dir=<path>]
           <command> [<args>]

These are common commands used in various situations:

start a working area (see also: prog help tutorial)
   clone     Clone a repository into a new directory
   init      Create an empty repository

'prog help -a' lists available subcommands and
concept guides.
"
            ),
            [
                "clone: Clone a repository into a new directory",
                "init: Create an empty repository"
            ]
        );
    }

    #[test]
    fn a_page_that_is_no_help_is_refused_with_what_it_says() {
        let error = read("prog", &mut Prints("prog: unknown option --help\n")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`prog --help` printed no help but `prog: unknown option --help`"
        );
        let error = read("prog", &mut Prints("")).unwrap_err();
        assert_eq!(error.to_string(), "`prog --help` printed nothing");
    }
}
