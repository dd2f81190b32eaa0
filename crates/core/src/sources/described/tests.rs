//! One document of each format, and what is made of it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use snapbox::{IntoData, assert_data_eq, str};

use super::{Format, Own, Sign, find, join, read, recognise, why_not};
use crate::model::{Evidence, Fact, Family, Group, Joiner, Param, Reading, Scalar};
use crate::probe::{Answer, Probe, ProbeError, Question};
use crate::sources::transcript::Transcript;

mod formats;
mod hostile;
mod programs;

/// A flag or a positional in one line.
fn line(param: &Param) -> String {
    let mut line = match param.spelling() {
        None => format!("<{}> {}", param.name, param.kind),
        Some(spelling) => {
            let forms: Vec<&str> = [&spelling.short, &spelling.long]
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect();
            let mut line = forms.join(",");
            if param.kind.takes_value() {
                line.push(match spelling.joiner {
                    Joiner::Equals => '=',
                    Joiner::Space => ' ',
                    Joiner::Attached => '+',
                });
                line.push_str(&param.kind.to_string());
            } else if param.kind.is_repeatable() {
                line.push_str(" count");
            }
            for (mark, value) in [
                ("bare", &spelling.bare),
                ("off", &spelling.negative),
                ("by", &spelling.separator),
            ] {
                if let Some(value) = value {
                    line.push_str(&format!(" {mark}:{value:?}"));
                }
            }
            if let Some(words) = spelling.after_words {
                line.push_str(&format!(" after:{words}"));
            }
            line
        }
    };
    for (is_so, mark) in [(param.required, "required"), (param.hidden, "hidden")] {
        if is_so {
            line.push_str(&format!(" {mark}"));
        }
    }
    for (mark, value) in [
        ("default", &param.default),
        ("env", &param.env),
        ("deprecated", &param.deprecated),
    ] {
        if let Some(value) = value {
            line.push_str(&format!(" {mark}:{value}"));
        }
    }
    if !param.choices.is_empty() {
        line.push_str(&format!(" {{{}}}", param.choices.join(",")));
    }
    if let Some(effect) = param.effect {
        line.push_str(&format!(" {effect:?}!"));
    }
    if !param.text.is_empty() {
        line.push_str(&format!(" - {}", param.text.replace('\n', "/")));
    }
    line
}

/// Everything of a program, a line each.
fn show(reading: &Reading) -> String {
    let mut out = String::new();
    let mut push = |depth: usize, text: String| {
        out.push_str(&format!("{}{text}\n", "  ".repeat(depth)));
    };
    let program = &reading.program;
    let version = program.version.as_deref().unwrap_or("-");
    push(
        0,
        format!("{} {version} ({})", program.name, program.family.title()),
    );
    for command in &program.commands {
        let mut head = format!("[{}] {:?}", command.path.join(" "), command.effect);
        for (is_so, mark) in [
            (!command.runnable, "parent"),
            (command.hidden, "hidden"),
            (command.raw_words, "raw"),
        ] {
            if is_so {
                head.push_str(&format!(" {mark}"));
            }
        }
        if !command.aliases.is_empty() {
            head.push_str(&format!(" aka {}", command.aliases.join(",")));
        }
        for (mark, value) in [("in", &command.group), ("deprecated", &command.deprecated)] {
            if let Some(value) = value {
                head.push_str(&format!(" {mark}:{value}"));
            }
        }
        push(0, format!("{head} - {}", command.summary));
        for (mark, text) in [
            ("usage", &command.usage),
            ("long", &command.description),
            ("examples", &command.examples),
        ] {
            if !text.is_empty() {
                push(1, format!("{mark}: {}", text.replace('\n', "/")));
            }
        }
        for param in &command.params {
            push(1, line(param));
        }
        for param in command.inherited.iter() {
            push(1, format!("^ {}", line(param)));
        }
        for group in &command.groups {
            let (mark, names) = match group {
                Group::Exclusive(names) => ("one of", names),
                Group::Together(names) => ("together", names),
                Group::AnyOf(names) => ("any of", names),
                Group::Requires(names) => ("needs", names),
            };
            push(1, format!("{mark}: {}", names.join(", ")));
        }
    }
    for loss in &reading.losses {
        push(
            0,
            format!("lost at [{}]: {}", loss.path.join(" "), loss.what),
        );
    }
    out
}

/// Every fact that is there is noted as the program's own, or as a custom.
#[track_caller]
fn check_provenance(reading: &Reading) {
    assert_eq!(reading.program.family, Family::Described);
    for command in &reading.program.commands {
        assert!(command.from.of(Fact::Name).is_some(), "{:?}", command.path);
        for param in command.params.iter().chain(command.inherited.iter()) {
            let name = param.from.of(Fact::Name);
            assert_eq!(name, Some(Evidence::SelfDescription), "{}", param.name);
            let choices = param.from.of(Fact::Choices);
            assert_eq!(
                choices.is_some(),
                !param.choices.is_empty(),
                "{}",
                param.name
            );
        }
    }
}

#[track_caller]
fn check(format: Format, text: &str, expected: impl IntoData) {
    assert_eq!(recognise(text), Some(format));
    let reading = read(format, None, text).unwrap();
    check_provenance(&reading);
    assert_data_eq!(show(&reading), expected);
}

/// Why `text` cannot be read.
#[track_caller]
fn refused(format: Format, text: &str) -> String {
    read(format, None, text).unwrap_err().to_string()
}
