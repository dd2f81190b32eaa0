//! What is read out of real help pages, one of every template, kept beside them.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use argway_core::model::{Param, Reading};
use argway_core::probe::{Answer, Probe, ProbeError, Question};
use argway_core::sources::{help, plain, usage};
use proptest::prelude::*;

fn pages(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let mut pages: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".help.txt"))
        .collect();
    pages.sort();
    pages
}

/// The program and the path that a page's file name has.
fn command(page: &Path) -> (String, Vec<String>) {
    let name = page.file_name().unwrap().to_string_lossy().into_owned();
    let mut words = name
        .trim_end_matches(".help.txt")
        .split('.')
        .map(str::to_owned);
    (words.next().unwrap(), words.collect())
}

fn check(page: &Path, read: String) {
    let expected = page.to_string_lossy().replace(".help.txt", ".read.txt");
    let expected = snapbox::Data::read_from(Path::new(&expected), None);
    snapbox::assert_data_eq!(read, expected.raw());
}

#[test]
fn pages_of_every_template_are_read_as_written_beside_them() {
    for page in pages("pages") {
        let (program, path) = command(&page);
        let text = fs::read_to_string(&page).unwrap();
        check(
            &page,
            describe(&help::parse(&text, &program, &path), &program, &path),
        );
    }
}

#[test]
fn pages_of_other_families_are_read_as_written_beside_them() {
    for page in pages("pages/plain") {
        let (program, _) = command(&page);
        let text = fs::read_to_string(&page).unwrap();
        let reading = plain::read(&program, &mut Recorded(text)).unwrap();
        check(&page, describe_plain(&reading));
    }
}

fn describe(page: &help::Page, program: &str, path: &[String]) -> String {
    let mut out = format!("{:?}\n", page.style);
    for (name, text) in [
        ("summary", &page.summary),
        ("description", &page.description),
        ("examples", &page.examples),
    ] {
        if !text.is_empty() {
            writeln!(out, "{name}\n{}", indented(text)).unwrap();
        }
    }
    for line in &page.usage {
        writeln!(out, "usage {line}").unwrap();
        let read = usage::positionals(line, usage::leading_words(line, program, path));
        for param in &read.params {
            writeln!(out, "    {}", positional(param)).unwrap();
        }
        for part in &read.unread {
            writeln!(out, "    unread {part}").unwrap();
        }
        if let Some(at) = read.after_dashes {
            writeln!(out, "    `--` before {}", read.params[at].name).unwrap();
        }
    }
    if !page.aliases.is_empty() {
        writeln!(out, "aliases {}", page.aliases.join(" | ")).unwrap();
    }
    for (what, list) in [("command", &page.commands), ("topic", &page.topics)] {
        for listed in list {
            let group = listed.group.as_ref().map(|group| format!("  [{group}]"));
            let group = group.unwrap_or_default();
            writeln!(out, "{what} {}{group}  {}", listed.name, listed.summary).unwrap();
        }
    }
    for flag in &page.flags {
        writeln!(out, "{}", listed_flag(flag)).unwrap();
    }
    for (name, text) in &page.arguments {
        writeln!(out, "argument {name}  {text}").unwrap();
    }
    for line in &page.unread {
        writeln!(out, "unread {line}").unwrap();
    }
    out
}

fn listed_flag(flag: &help::ListedFlag) -> String {
    let mut out = format!("{:?} flag", flag.section).to_lowercase();
    if let Some(short) = flag.short {
        write!(out, " -{short}").unwrap();
    }
    if let Some(long) = &flag.long {
        write!(out, " --{long}").unwrap();
    }
    if let Some(name) = &flag.value_name {
        write!(out, " <{name}>").unwrap();
    }
    if let Some(bare) = &flag.bare {
        write!(out, " bare={bare:?}").unwrap();
    }
    if let Some(default) = &flag.default {
        let mark = if flag.default_quoted { "quoted" } else { "raw" };
        write!(out, " default={default:?} {mark}").unwrap();
    }
    if let Some(reason) = &flag.deprecated {
        write!(out, " deprecated={reason:?}").unwrap();
    }
    write!(out, "\n{}", indented(&flag.text)).unwrap();
    out.trim_end().to_owned()
}

fn positional(param: &Param) -> String {
    let need = if param.required {
        "required"
    } else {
        "optional"
    };
    format!("{}: {}, {need}", param.name, param.kind)
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("    {line}"));
    lines
        .map(|line| line.trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

fn describe_plain(reading: &Reading) -> String {
    let root = &reading.program.commands[0];
    let mut out = format!("summary {}\nusage {}\n", root.summary, root.usage);
    for param in &root.params {
        let Some(spelling) = param.spelling() else {
            writeln!(out, "{}", positional(param)).unwrap();
            continue;
        };
        let spelled: Vec<&str> = [&spelling.short, &spelling.long]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        write!(out, "{}: {}", spelled.join(" "), param.kind).unwrap();
        if param.kind.takes_value() {
            write!(out, " {:?}", spelling.joiner).unwrap();
        }
        if spelling.bare.is_some() {
            out.push_str(" or alone");
        }
        if let Some(negative) = &spelling.negative {
            write!(out, " off with {negative}").unwrap();
        }
        if !param.choices.is_empty() {
            write!(out, " of {}", param.choices.join("|")).unwrap();
        }
        if let Some(default) = &param.default {
            write!(out, " default={default:?}").unwrap();
        }
        writeln!(out, "\n{}", indented(&param.text)).unwrap();
    }
    for loss in &reading.losses {
        writeln!(out, "loss {}", loss.what).unwrap();
    }
    out
}

/// A program that answers everything with one page.
struct Recorded(String);

impl Probe for Recorded {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        let answer = Answer {
            code: Some(0),
            stdout: self.0.clone(),
            stderr: String::new(),
        };
        questions.iter().map(|_| Ok(answer.clone())).collect()
    }
}

/// Reads `text` in every way there is.
fn read_all(text: &str) -> help::Page {
    let path = vec!["run".to_owned()];
    let page = help::parse(text, "prog", &path);
    help::parse(text, "prog", &[]);
    help::looks_like_help(text);
    for line in page.usage.iter().map(String::as_str).chain(text.lines()) {
        let words = usage::leading_words(line, "prog", &path);
        usage::positionals(line, words);
        usage::positionals(line, 0);
    }
    let _ = plain::read("prog", &mut Recorded(text.to_owned()));
    page
}

/// Pieces that help pages are made of, so that nonsense comes close to sense.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "Usage:",
        "USAGE",
        "Flags:",
        "FLAGS",
        "Examples:",
        "Commands:",
        "NAME:",
        "\n",
        "\n\n",
        "  ",
        "      ",
        "\t",
        "--",
        "-x",
        "--long",
        "[=",
        "]",
        "[",
        "<",
        ">",
        "(default ",
        "\"",
        ")",
        "...",
        "|",
        "{",
        "}",
        "=",
        "'':",
        "(DEPRECATED: ",
        "prog run",
        "\u{1b}[1m",
        "\u{8}",
        "ü",
        "語",
        ",",
        ":",
        "[flags]",
        "\\",
    ];
    prop_oneof![
        prop::sample::select(words.to_vec()).prop_map(str::to_owned),
        "\\PC{0,6}",
        any::<char>().prop_map(String::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_makes_a_reader_panic(pieces in prop::collection::vec(piece(), 0..60)) {
        read_all(&pieces.concat());
    }

    #[test]
    fn a_mutilated_page_is_still_read(
        which in any::<prop::sample::Index>(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..40, piece()), 1..6),
    ) {
        let pages = pages("pages");
        let mut text: Vec<char> = fs::read_to_string(which.get(&pages)).unwrap().chars().collect();
        for (at, length, piece) in cuts {
            let at = at.index(text.len() + 1);
            let end = (at + length).min(text.len());
            text.splice(at..end, piece.chars());
        }
        let text: String = text.into_iter().collect();
        let page = read_all(&text);
        // What is reported stands in the text; escapes may have stood within a name.
        let plain = !text.contains(['\u{1b}', '\u{8}', '\u{9b}', '\r']);
        for name in page.flags.iter().filter_map(|flag| flag.long.as_ref()) {
            prop_assert!(!plain || text.contains(name.as_str()));
        }
    }
}
