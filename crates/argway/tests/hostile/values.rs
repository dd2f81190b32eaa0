//! Values of calls: what a client may say, and what reaches the program of it.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::stage::{Case, all_are_answered, definition, shows};

#[test]
fn values_that_begin_with_a_dash_are_values() {
    let behind_a_space = "`f` cannot be \"-x\": behind a space it could be read as a flag; where the program takes `--f=VALUE`, its definition can say `joiner \"equals\"`";
    all_are_answered(&[
        Case::call("a positional", shows(r#"arg "a""#), r#"{"a": "-rf"}"#).prints("--|-rf|"),
        Case::call(
            "a positional of a program without `--`",
            shows("arg \"a\"\n    end_of_options false"),
            r#"{"a": "-rf"}"#,
        )
        .fails(
            2,
            "\"-rf\" would be read as a flag: nothing protects it in `t`",
        ),
        Case::call(
            "a path of a program without `--`",
            shows("arg \"a\" type=\"path\"\n    end_of_options false"),
            r#"{"a": "-rf"}"#,
        )
        .prints("./-rf|"),
        Case::call(
            "`--` itself among an array",
            shows(r#"arg "a" type="array""#),
            r#"{"a": ["-x", "--", "-y"]}"#,
        )
        .prints("--|-x|--|-y|"),
        Case::call(
            "a negative number",
            shows(r#"arg "a" type="integer""#),
            r#"{"a": -5}"#,
        )
        .prints("--|-5|"),
        Case::call(
            "a flag's value behind a space",
            shows(r#"flag "f" type="string""#),
            r#"{"f": "-x"}"#,
        )
        .fails(2, behind_a_space),
        Case::call(
            "a flag's values behind spaces",
            shows(r#"flag "f" type="array" repeat=true"#),
            r#"{"f": ["a", "-x"]}"#,
        )
        .fails(2, behind_a_space),
        Case::call(
            "a flag's value behind `=`",
            shows(r#"flag "f" type="string" joiner="equals""#),
            r#"{"f": "-x"}"#,
        )
        .prints("--f=-x|"),
        Case::call(
            "a flag's value attached",
            shows(r#"flag "f" type="string" short="-f" joiner="none""#),
            r#"{"f": "-x"}"#,
        )
        .prints("-f-x|"),
        Case::call(
            "words as they come",
            shows(""),
            r#"{"args": "-x -- 'a b' $HOME `id` ;"}"#,
        )
        .prints("-x|--|a b|$HOME|`id`|;|"),
        Case::call(
            "a quote without its partner",
            shows(""),
            r#"{"args": "a 'b"}"#,
        )
        .says(2, &["balanced quotes (its single quote is not closed)"]),
    ]);
}

#[test]
fn characters_that_other_programs_stumble_over_arrive_or_are_refused() {
    let nul = "an argument holds a NUL byte, which no command line can carry";
    let one = shows(r#"arg "a""#);
    let read = |format: &str| {
        definition(
            r#""od" "-An" "-c""#,
            &format!("args false\n    stdin format=\"{format}\""),
        )
    };
    all_are_answered(&[
        Case::call("NUL in a positional", one.clone(), r#"{"a": "a\u0000b"}"#).fails(2, nul),
        Case::call("NUL among words", shows(""), r#"{"args": "a\u0000b"}"#).fails(2, nul),
        Case::call(
            "NUL in a path",
            shows(r#"arg "a" type="path""#),
            r#"{"a": "a\u0000"}"#,
        )
        .fails(2, nul),
        Case::call("NUL on stdin", read("text"), r#"{"stdin": "a\u0000b"}"#)
            .prints("   a  \\0   b\n"),
        Case::call("line breaks", one.clone(), r#"{"a": "a\nb\r\nc\r"}"#).prints("a\nb\r\nc\r|"),
        Case::call("terminal escapes", one.clone(), r#"{"a": "\u001b[31m"}"#).prints("\u{1b}[31m|"),
        Case::call("half a surrogate pair", one.clone(), r#"{"a": "\ud800"}"#)
            .says(2, &["the arguments are not JSON"]),
        Case::call(
            "invalid UTF-8 on stdin",
            one.clone(),
            b"{\"a\": \"\xff\"}".to_vec(),
        )
        .fails(
            2,
            "the arguments could not be read from stdin: stream did not contain valid UTF-8",
        ),
        Case::argway(
            "invalid UTF-8 among the words",
            ["call", "WORLD/t.kdl", "cli_t"],
        )
        .word(b"{\"a\": \"\xff\"}".to_vec())
        .says(2, &["invalid UTF-8 was detected in one or more arguments"]),
        Case::call("base64 that is none", read("binary"), r#"{"stdin": "%%%"}"#)
            .says(2, &["`stdin` takes"]),
        Case::call("JSON that is none", read("json"), r#"{"stdin": "{"}"#)
            .says(2, &["`stdin` takes"]),
        Case::call(
            "an unknown name full of escapes",
            one.clone(),
            r#"{"\u001b[31mred\u202e": 1}"#,
        )
        .fails(2, "`red\u{fffd}` is not an argument of this tool"),
        Case::argway(
            "a tool's name full of escapes",
            ["call", "WORLD/t.kdl", "\u{1b}[2Jx"],
        )
        .fails(2, "no tool is called `x`"),
    ]);
}

#[test]
fn json_that_is_huge_deep_or_ambiguous_is_refused() {
    let one = shows(r#"arg "a""#);
    let deep = |depth: usize| format!("{{\"a\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
    let long = |bytes: usize| json!({"a": "x".repeat(bytes)}).to_string();
    all_are_answered(&[
        Case::call("a key twice", one.clone(), r#"{"a": "1", "a": "2"}"#).fails(
            2,
            "the arguments are ambiguous: the key \"a\" stands twice at line 1 column 20",
        ),
        Case::call(
            "a key twice, written differently",
            one.clone(),
            r#"{"a": "1", "\u0061": "2"}"#,
        )
        .says(2, &["the key \"a\" stands twice"]),
        Case::call(
            "a key twice in a value",
            definition("\"cat\"", "args false\n    stdin format=\"json\""),
            r#"{"stdin": {"role": "user", "role": "admin"}}"#,
        )
        .says(2, &["the key \"role\" stands twice"]),
        Case::call("a deep value", one.clone(), deep(100_000))
            .says(2, &["the arguments are not JSON (recursion limit exceeded"]),
        Case::call("a very deep value", one.clone(), deep(5_000_000))
            .says(2, &["the arguments are not JSON (recursion limit exceeded"]),
        Case::call(
            "a value of the wrong shape, as deep as can be",
            one.clone(),
            deep(120),
        )
        .says(2, &["`a` takes a string, not [[[["]),
        Case::call(
            "no object but a long array",
            one.clone(),
            format!("[{}1]", "1,".repeat(50_000)),
        )
        .fails(
            2,
            "the arguments must be a JSON object like {\"limit\": 5}, not an array",
        ),
        Case::call("no object but a secret", one.clone(), "\"hunter2\"").fails(
            2,
            "the arguments must be a JSON object like {\"limit\": 5}, not a string",
        ),
        Case::call("nothing", one.clone(), "").says(2, &["the arguments are not JSON (EOF"]),
        Case::call("two objects", one.clone(), "{} {}")
            .says(2, &["the arguments are not JSON (trailing characters"]),
        Case::call("more than 64 MiB", one.clone(), vec![b' '; (64 << 20) + 2])
            .fails(2, "the arguments are longer than 67108864 bytes"),
        Case::call(
            "an unknown name of 1 MB",
            one.clone(),
            format!("{{\"{}\": 1}}", "x".repeat(1_000_000)),
        )
        .fails(
            2,
            &format!("`{}` is not an argument of this tool", "x".repeat(60)),
        ),
        Case::call(
            "a wrong value of 1 MB",
            shows(r#"arg "a" type="integer""#),
            long(1_000_000),
        )
        .says(2, &["`a` takes an integer, not \"xxx", "…"]),
        Case::call(
            "a number beyond all",
            shows(r#"arg "a" type="number""#),
            r#"{"a": 1e400}"#,
        )
        .says(2, &["number out of range"]),
        Case::call(
            "an integer that would lose digits",
            shows(r#"arg "a" type="integer""#),
            r#"{"a": 123456789012345678901234567890}"#,
        )
        .says(2, &["`a` takes an integer, not 1.2345678901234568e+29"]),
        Case::call("a word of 1 MB", one, long(1_000_000)).fails(
            2,
            "one argument is 1000000 bytes long; the system takes at most 131071",
        ),
        Case::call(
            "more words than the system takes",
            shows(""),
            json!({"args": vec!["x".repeat(100_000); 40]}).to_string(),
        )
        .says(
            2,
            &["the command line takes 40", "the system takes at most"],
        ),
        Case::call(
            "stdin of 10 MB",
            definition(r#""wc" "-c""#, "args false\n    stdin"),
            json!({"stdin": "x".repeat(10_000_000)}).to_string(),
        )
        .prints("10000000\n"),
    ]);
}

#[test]
fn paths_stay_within_reach() {
    let path = || shows(r#"arg "p" type="path""#);
    let out = |given: &str, led: &str| {
        format!(
            "`p` cannot be \"{given}\": it leads to WORLD/{led}, out of the sandbox's reach; this tool reaches WORLD/work"
        )
    };
    let linked = |world: &crate::world::World| {
        symlink("../home", world.path("work/link")).unwrap();
        symlink("link", world.path("work/twice")).unwrap();
    };
    all_are_answered(&[
        Case::call("up and out", path(), r#"{"p": "a/../../home/x"}"#)
            .fails(2, &out("a/../../home/x", "home/x")),
        Case::call("an absolute one", path(), r#"{"p": "WORLD/home/x"}"#)
            .says(2, &["out of the sandbox's reach"]),
        Case::call("through a link", path(), r#"{"p": "link/x"}"#)
            .after(linked)
            .fails(2, &out("link/x", "home/x")),
        Case::call("through a link to a link, and up", path(), r#"{"p": "twice/../work/../home/x"}"#)
            .after(linked)
            .fails(2, &out("twice/../work/../home/x", "home/x")),
        Case::call("an empty one", path(), r#"{"p": ""}"#).fails(2, "`p` takes a path, not \"\""),
        Case::call("a tilde means nothing", path(), r#"{"p": "~/x"}"#).prints("~/x|"),
        Case::call(
            "a link that the program makes after the check",
            definition(
                r#""/bin/sh" "-c" "ln -sfn ../home later; cat later/secret""#,
                r#"arg "p" type="path""#,
            ),
            r#"{"p": "later"}"#,
        )
        .after(|world| drop(world.file("home/secret", "hunter2")))
        .says(1, &["later/secret"]),
        Case::call("a working folder up and out", definition("\"pwd\"", "workdir \"../home\""), "{}")
            .mistaken("`workdir` is an absolute path, or one below the caller's folder, not \"../home\"; `~` and `..` stand for nothing here"),
        Case::call("a working folder through a link", definition("\"pwd\"", "workdir \"link\""), "{}")
            .after(linked)
            .fails(3, "the folder to run in, WORLD/work/link, leads by links to WORLD/home, out of WORLD/work: name that folder itself if it is meant"),
        Case::call("no working folder", definition("\"pwd\"", "workdir \"none\""), "{}")
            .fails(3, "the folder to run in, WORLD/work/none, does not exist"),
        Case::call("a file as the working folder", definition("\"pwd\"", "workdir \"file\""), "{}")
            .after(|world| drop(world.file("work/file", "")))
            .says(3, &["the folder to run in, WORLD/work/file, "]),
    ]);
}

#[test]
fn variables_have_names_and_load_no_code() {
    let set = |name: &str| definition("\"env\"", &format!("env {{ \"{name}\" \"x\"; }}"));
    let odd = |name: &str| {
        format!(
            "a variable cannot be called \"{name}\"; names hold letters, digits and `_`, and begin with no digit"
        )
    };
    let mut cases: Vec<Case> = ["A=B", "", "A B", "é", "1A"]
        .iter()
        .map(|name| {
            Case::call(&format!("{name:?} as a name"), set(name), "{}").mistaken(&odd(name))
        })
        .collect();
    cases.extend(
        [
            "LD_PRELOAD",
            "BASH_ENV",
            "NODE_OPTIONS",
            "PYTHONPATH",
            "DYLD_INSERT_LIBRARIES",
        ]
        .map(|name| {
            let message =
                format!("`{name}` makes programs load code and can be set by no definition");
            Case::call(name, set(name), "{}").mistaken(&message)
        }),
    );
    cases.extend([
        Case::call(
            "NUL in a value",
            definition("\"env\"", "env { A \"a\\u{0}\"; }"),
            "{}",
        )
        .mistaken("NUL can stand nowhere"),
        Case::call(
            "a variable that loads code, passed on",
            definition("\"env\"", "pass_env \"LD_PRELOAD\""),
            "{}",
        )
        .mistaken("`LD_PRELOAD` makes programs load code"),
        Case::call(
            "a line break in a value",
            definition("\"printenv\" \"A\"", "args false\n    env { A \"a\\nb\"; }"),
            "{}",
        )
        .prints("a\nb\n"),
    ]);
    all_are_answered(&cases);
}
