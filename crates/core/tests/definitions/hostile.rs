//! Files that nobody meant well by: an answer each time, soon and in little memory.

use proptest::prelude::*;

use super::{files, read, rendered};

/// The message for `text`, whose first mistake is that it is no definition file.
#[track_caller]
fn refused(text: &str) -> String {
    let read = read("x.kdl", text);
    assert!(read.definitions.is_empty());
    let first = read.mistakes.first().expect("it is refused");
    // Showing it must end too.
    assert!(first.render().len() < 4096);
    first.message.clone()
}

#[test]
fn a_bomb_is_refused_by_its_size() {
    let large = format!("// {}\n", "x".repeat(1 << 20));
    assert_eq!(
        refused(&large),
        "the file has 1048580 bytes; definitions have at most 1048576"
    );
    assert_eq!(
        refused(&"a {".repeat(300_000)),
        "braces stand within braces, more than 32 deep"
    );
    assert_eq!(
        refused(&"a /-{".repeat(200_000)),
        "braces stand within braces, more than 32 deep"
    );
    assert_eq!(
        refused(&"a;".repeat(500_000)),
        "the file has more than 50000 nodes and values"
    );
    assert_eq!(
        refused(&format!("a{}", " 1".repeat(500_000))),
        "the file has more than 50000 nodes and values"
    );
}

#[test]
fn very_much_of_anything_gets_an_answer() {
    let pieces = [
        "(", ")", "[", "{", "}", "=", "\\", "/", "*", "/*", "/-", "/-{", "#", "\"", "\"\"\"\n",
        "r#", "#\"", ";", " ", "\n", "\\\n", "0", "0x", "-", "a=", "(a)", "a ", "/**/", "\u{feff}",
        "é",
    ];
    for piece in pieces {
        for (before, after) in [("", ""), ("cli a ", ""), ("cli a {", "}"), ("cli \"", "\"")] {
            let room = (1 << 16) - before.len() - after.len();
            let text = format!("{before}{}{after}", piece.repeat(room / piece.len()));
            let read = read("x.kdl", &text);
            assert!(read.definitions.is_empty(), "{before}{piece}");
            let shown: usize = read
                .mistakes
                .iter()
                .map(|mistake| mistake.render().len())
                .sum();
            assert!(
                shown < 1 << 20,
                "{before}{piece}: {shown} bytes of mistakes"
            );
        }
    }
}

/// What each part may hold is small, but copies of it would not be.
#[test]
fn nothing_is_multiplied_without_bound() {
    let cli = |body: String| format!("cli x {{ description d; command c\n{body}\n}}");
    let subcommands = "subcommand a { description d; subcommand b { description d } }\n";
    let refused = |body: String| refused(&cli(body));
    assert_eq!(
        refused(format!(
            "env {{ A \"{}\" }}\n{subcommands}",
            "x".repeat(100_000)
        )),
        "subcommands would inherit more than 65536 bytes from `x`"
    );
    assert_eq!(
        refused(format!(
            "flag f description=\"{}\"\n{subcommands}",
            "x".repeat(100_000)
        )),
        "subcommands would inherit more than 65536 bytes from `x`"
    );
    let many: String = (0..600)
        .map(|index| format!("subcommand s{index} {{ description d }}\n"))
        .collect();
    assert_eq!(refused(many), "a definition has at most 500 commands");
    let many: String = (0..2001).map(|index| format!("flag f{index}\n")).collect();
    assert_eq!(refused(many), "a command has at most 2000 parameters");
    let many: String = (0..1001).map(|index| format!(" {index}")).collect();
    assert_eq!(
        refused(format!("arg a type=integer {{ enum{many} }}")),
        "`enum` takes at most 1000 values"
    );
    let wrong: String = (0..40_000)
        .map(|index| format!(" \"flag-{index}\""))
        .collect();
    let flags: String = (0..500)
        .map(|index| format!("flag long-name-{index}\n"))
        .collect();
    assert_eq!(
        refused(format!("{flags}exclusive{wrong}")),
        "`flag-0` is no `arg` or `flag` here"
    );
}

#[test]
fn a_large_description_is_kept_as_it_is() {
    let text = "d".repeat(1_000_000);
    let definition = format!("cli a {{ description \"{text}\"; command c }}");
    let read = read("x.kdl", &definition);
    assert_eq!(
        read.definitions[0].reading.program.commands[0].summary,
        text
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arbitrary_text_gets_an_answer(text in any::<String>()) {
        rendered(&text);
    }

    #[test]
    fn text_that_looks_like_kdl_gets_an_answer(text in r##"(cli|arg|flag|"[a-z\n]{0,3}"?|\{|\}|[a-z]=|true|#true|[0-9.]{1,3}|/-|//|/\*|\*/|\(|\)|\\|#"|"#|"""|é|[ \n;]){0,60}"##) {
        rendered(&text);
    }

    #[test]
    fn a_definition_with_something_changed_gets_an_answer(
        file in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, r#"[{}"\\=;#()/* \n\ta-z0-9é]{0,3}"#), 1..6),
    ) {
        let files = files();
        let mut text: Vec<char> = file.get(&files).1.chars().collect();
        for (at, removed, added) in changes {
            let at = at.index(text.len());
            let end = (at + removed).min(text.len());
            text.splice(at..end, added.chars());
            if text.is_empty() {
                break;
            }
        }
        let text: String = text.into_iter().collect();
        let read = read("x.kdl", &text);
        for mistake in &read.mistakes {
            let shown = mistake.render();
            prop_assert!(mistake.line() <= text.lines().count() + 1 && mistake.column() > 0);
            prop_assert!(shown.contains('^'), "{}", shown);
        }
    }
}
