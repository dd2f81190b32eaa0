//! Definitions that are meant to hurt their reader.

use crate::stage::{Case, all_are_answered, definition};

/// A definition that is right.
fn right() -> String {
    definition(r#""echo" "hi""#, "args false")
}

fn with(body: &str) -> String {
    definition(r#""echo""#, body)
}

const LISTED: &str = "cli_t  unknown      x\n";

#[test]
fn what_is_deep_long_or_many_is_bounded() {
    let deep = "braces stand within braces, more than 32 deep";
    let values: String = (0..3000).map(|n| format!(" \"{n}\"")).collect();
    all_are_answered(&[
        Case::listed("open braces", "a {".repeat(100_000)).mistaken(deep),
        Case::listed("braces", "a {".repeat(100_000) + &"}".repeat(100_000)).mistaken(deep),
        Case::listed("braces that are commented out", "/-a {".repeat(50_000) + &"}".repeat(50_000))
            .mistaken(deep),
        Case::listed("comments of comments", "/-".repeat(200_000) + &right())
            .mistaken("the name of a node is expected, not `/`"),
        Case::listed(
            "comments within comments",
            "/*".repeat(100_000) + &"*/".repeat(100_000) + &right(),
        )
        .prints(LISTED),
        Case::listed("40,000 definitions", "cli \"a\" {}\n".repeat(40_000))
            .mistaken("the file has more than 50000 nodes and values"),
        Case::listed("more than 1 MiB", " ".repeat(1 << 20) + &right()).answers(
            3,
            "",
            &["argway: WORLD/t.kdl is larger than 1024 KiB; definitions are written by hand, in several files if need be\n"],
        ),
        Case::listed("a text of 900 KB", with(&format!("arg \"a\" description=\"{}\"", "x".repeat(900_000))))
            .prints(LISTED),
        Case::listed("3,000 values", with(&format!("arg \"a\" {{ enum{values}; }}")))
            .mistaken("`enum` takes at most 1000 values"),
        Case::listed("5,000 mistakes", with(&"bogus\n".repeat(5_000)))
            .mistaken("`bogus` means nothing in `cli`"),
        Case::listed("a number of 100,000 digits", with(&format!("timeout {}", "9".repeat(100_000))))
            .mistaken("is no number, or one too large"),
    ]);
}

#[test]
fn what_never_ends_is_told_where_it_begins() {
    all_are_answered(&[
        Case::listed("a comment", format!("/* {}", right()))
            .mistaken("t.kdl:1:1: this comment is never closed; write `*/` where it ends"),
        Case::listed("a string", "\n cli \"x")
            .mistaken("t.kdl:2:6: this string is never closed; write `\"` where it ends"),
        Case::listed("a raw string", "cli r###\"x\"##")
            .mistaken("this string is never closed; write `\"###` where it ends"),
        Case::listed("a string of lines", "cli \"\"\"\nx")
            .mistaken("this string is never closed; write `\"\"\"` where it ends"),
    ]);
}

#[test]
fn characters_are_what_they_look_like() {
    let quoted = |text: &str| definition(r#""echo""#, "args false").replace("\"x\"", text);
    all_are_answered(&[
        Case::listed("a mark of byte order", format!("\u{feff}{}", right())).prints(LISTED),
        Case::listed("other line ends", right().replace('\n', "\r\n")).prints(LISTED),
        Case::listed("NUL", quoted("\"a\0b\"")).mistaken("the character U+0000 cannot stand here"),
        Case::listed("an escape", quoted("\"a\u{1b}[31m\"")).mistaken(
            "the character U+001B cannot stand here; within a string it is written `\\u{1b}`",
        ),
        Case::listed("a bell in a comment", format!("// \u{7}\n{}", right()))
            .mistaken("the character U+0007 cannot stand here"),
        Case::listed(
            "text from right to left",
            format!("// \u{202e}\n{}", right()),
        )
        .mistaken("the character U+202E cannot stand here"),
        Case::listed(
            "such characters by their numbers",
            quoted(r#""a\u{1b}[31m\u{202e}b""#),
        )
        .prints("cli_t  unknown      a\u{fffd}b\n"),
        Case::listed("invalid UTF-8", [b"\xff", right().as_bytes()].concat()).answers(
            3,
            "",
            &["argway: WORLD/t.kdl is not text in UTF-8\n"],
        ),
    ]);
}

#[test]
fn numbers_are_within_their_bounds() {
    let time =
        |value: &str| format!("`timeout` takes milliseconds from 1 to 86400000, not {value}");
    let limit = |what: &str| with(&format!("sandbox {{ resources {{ {what}; }} }}"));
    all_are_answered(&[
        Case::listed("no time", with("timeout 0")).mistaken(&time("0")),
        Case::listed("less than no time", with("timeout -5")).mistaken(&time("-5")),
        Case::listed("more than a day", with("timeout 99999999999999999999"))
            .mistaken(&time("99999999999999999999")),
        Case::listed("more than a number", with("timeout 1e999"))
            .mistaken("`1e999` is no number, or one too large"),
        Case::listed("absurd memory", limit("memory_mb 99999999999"))
            .mistaken("`memory_mb` takes MiB from 16 to 1048576, not 99999999999"),
        Case::listed("no files", limit("open_files 0"))
            .mistaken("`open_files` takes a number from 16 to 1048576, not 0"),
        Case::listed("less than no processes", limit("processes -1"))
            .mistaken("`processes` takes a number from 1 to 65536, not -1"),
        Case::argway(
            "no time from the operator",
            ["call", "WORLD/t.kdl", "cli_t", "--timeout", "0"],
        )
        .says(2, &["--timeout"]),
        Case::argway(
            "absurd time from the operator",
            [
                "call",
                "WORLD/t.kdl",
                "cli_t",
                "--timeout",
                "99999999999999999999h",
            ],
        )
        .says(2, &["--timeout"]),
        Case::argway(
            "absurd memory from the operator, who has the last word",
            [
                "call",
                "WORLD/t.kdl",
                "cli_t",
                "--memory-mb",
                "18446744073709551615",
            ],
        )
        .prints("hi\n"),
    ]);
}

#[test]
fn names_are_plain_and_tools_have_their_own() {
    let named = |name: &str| right().replace("\"t\"", &format!("\"{name}\""));
    let odd = |name: &str| {
        format!(
            "`cli` cannot be called \"{name}\"; names begin with a letter or digit and hold letters, digits, `_`, `-` and `.`"
        )
    };
    let (fits, long) = ("n".repeat(60), "n".repeat(61));
    all_are_answered(&[
        Case::listed("as long as can be", named(&fits)).prints(&format!("cli_{fits}  unknown      x\n")),
        Case::listed("longer", named(&long)).mistaken("names have at most 60 characters"),
        Case::listed("an accent", named("é")).mistaken(&odd("é")),
        Case::listed("a path", named("../x")).mistaken(&odd("../x")),
        Case::listed("a line break", named("a\\nb")).mistaken(&odd("a\u{fffd}b")),
        Case::listed("the same twice in a file", right() + &right())
            .answers(0, LISTED, &["argway: WORLD/t.kdl:6:", "this file defines `t` twice"]),
        Case::listed(
            "two that would be one tool",
            "cli \"a\" {\n    description \"x\"\n    command \"echo\"\n    subcommand \"b\" { description \"x\"; }\n}\n".to_owned()
                + &named("a_b"),
        )
        .prints("cli_a_b    unknown      x\ncli_a_b_2  unknown      x\n"),
        Case::listed(
            "a tool's name beyond 64 characters",
            format!("cli \"{}\" {{\n    description \"x\"\n    command \"echo\"\n    subcommand \"{}\" {{ description \"x\"; }}\n}}\n", "a".repeat(60), "b".repeat(60)),
        )
        .prints_with(&["cli_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_"]),
    ]);
}
