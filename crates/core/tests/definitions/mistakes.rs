//! Every mistake: where it is, what is wrong, and what would be right.

use miette::Diagnostic;
use snapbox::{assert_data_eq, str};

use super::{read, rendered};

/// A text and its mistakes: line, column, message and, in parentheses, help.
type Case = (&'static str, &'static [&'static str]);

#[track_caller]
fn check(text: &str, shown: &str, expected: &[&str]) {
    let read = read("x.kdl", text);
    let mistakes: Vec<String> = read
        .mistakes
        .iter()
        .map(|mistake| {
            let help = mistake.help.as_ref();
            let help = help.map_or(String::new(), |help| format!(" ({help})"));
            let (line, column) = (mistake.line(), mistake.column());
            format!("{line}:{column} {}{help}", mistake.message)
        })
        .collect();
    assert_eq!(mistakes, expected, "{shown}");
}

/// What stands from the fourth line on, in a `cli x` that is else complete.
const IN_A_DEFINITION: &[Case] = &[
    (
        r#"desription "y""#,
        &["4:1 `desription` means nothing in `cli` (did you mean `description`?)"],
    ),
    (
        "timeout 30s",
        &["4:9 `30s` is no number, or one too large (if it is a text, write it in quotes)"],
    ),
    (
        "timeout 0",
        &["4:9 `timeout` takes milliseconds from 1 to 86400000, not 0"],
    ),
    (
        r#"timeout "30""#,
        &[r#"4:9 `timeout` takes milliseconds from 1 to 86400000, not "30""#],
    ),
    (
        "timeout 30000 1",
        &[
            "4:15 `timeout` takes one value: milliseconds from 1 to 86400000 (the next node begins on a line of its own, or behind `;`)",
        ],
    ),
    (
        "timeout",
        &["4:1 `timeout` takes milliseconds from 1 to 86400000"],
    ),
    (
        "timeout 90000000",
        &["4:9 `timeout` takes milliseconds from 1 to 86400000, not 90000000"],
    ),
    (
        "timeout 1.5",
        &["4:9 `timeout` takes milliseconds from 1 to 86400000, not 1.5"],
    ),
    (
        r#"description "again""#,
        &["4:1 `description` is given twice"],
    ),
    (
        r#"hidden "yes""#,
        &[r#"4:8 `hidden` takes true or false, not "yes""#],
    ),
    ("hidden", &["4:1 `hidden` takes true or false"]),
    (
        r#"effect "delete""#,
        &[r#"4:8 `effect` takes "read", "write" or "destructive", not "delete""#],
    ),
    (
        r#"effect "reed""#,
        &[
            r#"4:8 `effect` takes "read", "write" or "destructive", not "reed" (did you mean "read"?)"#,
        ],
    ),
    (
        r#"workdir "../other""#,
        &[
            r#"4:9 `workdir` is an absolute path, or one below the caller's folder, not "../other" (`~` and `..` stand for nothing here)"#,
        ],
    ),
    (
        r#"workdir "~/x""#,
        &[
            r#"4:9 `workdir` is an absolute path, or one below the caller's folder, not "~/x" (`~` and `..` stand for nothing here)"#,
        ],
    ),
    (r#"workdir """#, &["4:9 `workdir` is empty"]),
    ("timeout 5 { x }", &["4:1 `timeout` takes no braces"]),
    (
        "timeout ms=5",
        &[
            "4:1 `timeout` takes milliseconds from 1 to 86400000",
            "4:9 `timeout` takes no properties",
        ],
    ),
    (
        "arg",
        &[r#"4:1 `arg` needs a name (write `arg "name" { … }`)"#],
    ),
    ("arg 5", &["4:5 `arg` takes a name in quotes, not 5"]),
    (
        r#"arg "a" "b""#,
        &[
            r#"4:9 `arg` takes one name (what is said of it stands behind its name as `description="…"`, or in braces)"#,
        ],
    ),
    (
        r#"arg "a b""#,
        &[
            r#"4:5 `arg` cannot be called "a b" (names begin with a letter or digit and hold letters, digits, `_`, `-` and `.`)"#,
        ],
    ),
    (
        r#"arg "-a""#,
        &[
            r#"4:5 `arg` cannot be called "-a" (names begin with a letter or digit and hold letters, digits, `_`, `-` and `.`)"#,
        ],
    ),
    (
        r#"arg "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx""#,
        &[
            r#"4:5 `arg` cannot be called "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" (names have at most 60 characters)"#,
        ],
    ),
    (
        r#"arg "a" typ="string""#,
        &["4:9 `typ` means nothing in `arg` (did you mean `type`?)"],
    ),
    (
        r#"arg "a" type="int""#,
        &[
            r#"4:14 `type` takes "string", "number", "integer", "boolean", "array" or "path", not "int" (did you mean "integer"?)"#,
        ],
    ),
    (
        r#"arg "a" type="count""#,
        &[
            r#"4:14 `type` takes "string", "number", "integer", "boolean", "array" or "path", not "count""#,
        ],
    ),
    (
        r#"arg "a" required="yes""#,
        &[r#"4:18 `required` takes true or false, not "yes""#],
    ),
    (
        r#"arg "a" position=-1"#,
        &["4:18 `position` takes a place from 0 to 255, not -1"],
    ),
    (
        r#"arg "a" position=1000"#,
        &["4:18 `position` takes a place from 0 to 255, not 1000"],
    ),
    (
        "arg \"a\" position=0\narg \"b\" position=0",
        &["5:9 `a` is at position 0 already"],
    ),
    (
        "arg \"a\" position=0\narg \"b\" position=2",
        &[
            "5:9 `b` is at position 2, but nothing is at 1 (positions count from 0 without gaps; without `position` they follow the order of writing)",
        ],
    ),
    (
        "arg \"a\" type=\"array\"\narg \"b\"",
        &["4:5 `a` takes any number of words and must be the last `arg`"],
    ),
    (
        r#"arg "a" items="path""#,
        &[r#"4:9 `items` is for arrays (write `type "array"`, or leave it out)"#],
    ),
    (
        r#"arg "a" type="integer" default="x""#,
        &[r#"4:32 `default` takes a whole number, not "x""#],
    ),
    (
        r#"arg "a" type="number" default="x""#,
        &[r#"4:31 `default` takes a number, not "x""#],
    ),
    (
        r#"arg "a" type="boolean" default=1"#,
        &["4:32 `default` takes true or false, not 1"],
    ),
    (
        r#"arg "a" default=5"#,
        &["4:17 `default` takes a text in quotes, not 5"],
    ),
    (
        r#"arg "a" type="array" { default "x" "" }"#,
        &[r#"4:36 `default` takes texts that are not empty, not """#],
    ),
    (
        r#"arg "a" type="path" default="""#,
        &[r#"4:29 `default` takes a path that is not empty, not """#],
    ),
    (
        r#"arg "a" { default "x" "y" }"#,
        &["4:23 `default` takes one value (several are the default of an array)"],
    ),
    (r#"arg "a" { default }"#, &["4:11 `default` takes a value"]),
    (
        r#"arg "a" default="x" required=true"#,
        &[
            "4:9 `a` is required: its default would never be used (leave out `required` or `default`)",
        ],
    ),
    (
        r#"arg "a" { enum "x" "y"; default "z" }"#,
        &[r#"4:33 `default` takes one of its enum: "x" or "y", not "z""#],
    ),
    (
        r#"arg "a" { enum "x" "x" }"#,
        &[r#"4:20 `enum` has "x" twice"#],
    ),
    (
        r#"arg "a" { enum }"#,
        &["4:11 `enum` takes the allowed values"],
    ),
    (
        r#"arg "a" { enum "x" 5 }"#,
        &["4:20 `enum` takes a text in quotes, not 5"],
    ),
    (
        r#"arg "a" type="integer" { enum 1 "2" }"#,
        &[r#"4:33 `enum` takes a whole number, not "2""#],
    ),
    (
        r#"arg "a" type="boolean" { enum true }"#,
        &["4:26 a boolean has no `enum`: it is true or false"],
    ),
    (
        r#"arg "a" type="integer" default=99999999999999999999"#,
        &["4:32 `default` takes a whole number of 64 bits, not 99999999999999999999"],
    ),
    (
        r#"arg "a" type="number" default=#inf"#,
        &["4:31 `default` takes a finite number, not inf"],
    ),
    (
        "arg \"a\"\narg \"a\"",
        &["5:5 there is an `arg` or `flag` `a` already"],
    ),
    (
        "arg \"a-b\"\nflag \"a_b\"",
        &["4:5 `a-b` and `a_b` would both be given as `a_b`"],
    ),
    (
        r#"arg "a" short="-a""#,
        &[
            "4:9 `short` means nothing in `arg` (it may hold description, required, position, type, items, default, enum, program_default, value_name)",
        ],
    ),
    (
        r#"arg "a" description="x" { description "y" }"#,
        &["4:27 `description` is given twice"],
    ),
    (
        r#"flag "--raw""#,
        &[
            r#"4:6 `flag` cannot be called "--raw" (write `flag "raw"`, and the dashes in `long` or `short`)"#,
        ],
    ),
    (
        r#"flag "a" short="a""#,
        &[r#"4:16 `short` is a dash and one character, not "a" (write `short "-a"`)"#],
    ),
    (
        r#"flag "a" short="-json""#,
        &[r#"4:16 `short` is a dash and one character, not "-json" (write `long "-json"`)"#],
    ),
    (
        r#"flag "a" short="xx""#,
        &[r#"4:16 `short` is a dash and one character, not "xx" (write `short "-a"`)"#],
    ),
    (
        r#"flag "a" long="a""#,
        &[
            r#"4:15 `long` is the flag as it is typed, with its dashes, not "a" (write `long "--a"`)"#,
        ],
    ),
    (
        r#"flag "a" long="word""#,
        &[
            r#"4:15 `long` is the flag as it is typed, with its dashes, not "word" (write `long "--word"`)"#,
        ],
    ),
    (
        r#"flag "a" short="-t" long="-t""#,
        &["4:6 `a` has `-t` as `short` and as `long` (leave one of them out)"],
    ),
    (
        r#"flag 'a'"#,
        &[r#"4:6 `flag` cannot be called "'a'" (write it in double quotes)"#],
    ),
    (
        r#"flag "a" long="--a=""#,
        &[
            r#"4:15 `long` is the flag as it is typed, with its dashes, not "--a=" (write `long "--a"` and `joiner "equals"`)"#,
        ],
    ),
    (
        r#"flag "a" long="--""#,
        &[
            r#"4:15 `long` is the flag as it is typed, with its dashes, not "--" (write `long "--a"`)"#,
        ],
    ),
    (
        r#"flag "a" long="--a b""#,
        &[
            r#"4:15 `long` is the flag as it is typed, with its dashes, not "--a b" (write `long "--a"`)"#,
        ],
    ),
    (
        "flag \"a\" short=\"-x\"\nflag \"b\" short=\"-x\"",
        &["5:6 `b` and `a` are both typed `-x`"],
    ),
    (
        "flag \"a\" long=\"--x\"\nflag \"x\"",
        &["5:6 `x` and `a` are both typed `--x`"],
    ),
    (
        r#"flag "global-flags""#,
        &["4:6 `global-flags` and the shared flags would both be given as `global_flags`"],
    ),
    (
        "flag \"stdin\"\nstdin",
        &["4:6 `stdin` and what it reads would both be given as `stdin`"],
    ),
    (
        r#"flag "a" enum="x""#,
        &[
            r#"4:10 `enum` is for flags that take a value; this one takes none (write `type "string"`)"#,
        ],
    ),
    (
        r#"flag "a" joiner="equals""#,
        &[
            "4:10 `joiner` says how a value follows the flag; this one takes none (write a `type` other than boolean and count, or leave it out)",
        ],
    ),
    (
        r#"flag "a" type="string" joiner="colon""#,
        &[r#"4:31 `joiner` takes "space", "equals" or "none", not "colon""#],
    ),
    (
        r#"flag "a" type="string" joiner="none""#,
        &[
            r#"4:24 `--a` and its value cannot be one word without `=` (give only `short`, or write `joiner "equals"`)"#,
        ],
    ),
    (
        r#"flag "a" separator=",""#,
        &[r#"4:10 `separator` is for arrays (write `type "array"`, or leave it out)"#],
    ),
    (
        r#"flag "a" type="string" repeat=true"#,
        &[r#"4:24 `repeat` is for arrays (write `type "array"`, or leave it out)"#],
    ),
    (
        r#"flag "a" type="array" repeat=true separator=",""#,
        &[
            "4:35 `repeat` writes each value with a flag of its own: no `separator` stands between them",
        ],
    ),
    (
        r#"flag "a" type="array" separator="""#,
        &[r#"4:33 `separator` takes a text that is not empty, not """#],
    ),
    (
        r#"flag "a" type="array" items="boolean""#,
        &[
            r#"4:29 `items` takes "string", "number", "integer" or "path", not "boolean" (did you mean "boolean_value"?)"#,
        ],
    ),
    (
        r#"flag "a" type="array" { default "x" 5 }"#,
        &["4:37 `default` takes a text in quotes, not 5"],
    ),
    (
        r#"flag "a" type="count" default=1000"#,
        &["4:31 `default` takes a count from 0 to 100, not 1000"],
    ),
    (
        r#"flag "a" default="yes""#,
        &[r#"4:18 `default` takes true or false, not "yes""#],
    ),
    (
        r#"flag "a" position=1"#,
        &["4:10 `position` means nothing in `flag` (did you mean `description`?)"],
    ),
    (
        r#"flag "a" hidden=true required=true type="string""#,
        &["4:10 `a` is required: hidden, nobody could give it"],
    ),
    (
        r#"flag "a" effect="read""#,
        &[r#"4:17 `effect` takes "write" or "destructive", not "read""#],
    ),
    (
        r#"flag "a" secret=true"#,
        &[
            r#"4:10 `a` is a secret, but nothing says how it reaches the program (write `env "NAME"` or `stdin true`: words can be read by everybody)"#,
        ],
    ),
    (
        r#"flag "a" secret=true env="A" stdin=true"#,
        &["4:10 a secret reaches the program in one way: `env` or `stdin`"],
    ),
    (
        r#"flag "a" env="A""#,
        &[
            "4:10 `env` is how a secret reaches the program (write `secret true` beside it, or leave it out)",
        ],
    ),
    (
        r#"flag "a" secret=true env="LD_PRELOAD""#,
        &["4:26 `LD_PRELOAD` makes programs load code and can be set by no definition"],
    ),
    (
        r#"flag "a" secret=true env="A=B""#,
        &[
            r#"4:26 a variable cannot be called "A=B" (names hold letters, digits and `_`, and begin with no digit)"#,
        ],
    ),
    (
        r#"flag "a" secret=true env="A" type="integer""#,
        &["4:10 `a` is a secret: its type is string"],
    ),
    (
        r#"flag "a" secret=true env="A" default="x""#,
        &["4:30 a secret has no `default`: it would be shown to everybody"],
    ),
    (
        "flag \"a\" secret=true env=\"A\"\nenv { A \"x\" }",
        &["4:6 the secret `a` cannot be passed: `env` sets `A` too"],
    ),
    (
        "flag \"a\" secret=true stdin=true\nstdin",
        &["4:6 the secret `a` cannot be passed: the command reads something else from its stdin"],
    ),
    (
        "flag \"a\" secret=true stdin=true\nflag \"b\" secret=true stdin=true",
        &["5:6 the secret `b` cannot be passed: another secret goes the same way"],
    ),
    (
        r#"stdin format="yaml""#,
        &[r#"4:14 `format` takes "text", "json" or "binary", not "yaml""#],
    ),
    (
        r#"stdin type="object""#,
        &[
            r#"4:12 the `type` of a stream is "string" (what it holds is said by `format`: "json" for anything but text)"#,
        ],
    ),
    (
        r#"stdin "x""#,
        &["4:7 `stdin` takes no value of its own (write `stdin { … }`)"],
    ),
    (
        r#"stdout format="jsn""#,
        &[r#"4:15 `format` takes "json", "text" or "auto", not "jsn" (did you mean "json"?)"#],
    ),
    (
        r#"stdout trim="no""#,
        &[r#"4:13 `trim` takes true or false, not "no""#],
    ),
    (
        r#"stdout encoding="latin1""#,
        &[r#"4:17 `encoding` takes "utf8" or "base64", not "latin1""#],
    ),
    (
        r#"stdout format="json" encoding="base64""#,
        &[r#"4:22 JSON is text: `encoding "base64"` is for output that is not"#],
    ),
    (
        "stdout required=true",
        &["4:8 `required` means nothing in `stdout` (it may hold type, format, trim, encoding)"],
    ),
    (
        "stderr capture=1",
        &["4:16 `capture` takes true or false, not 1"],
    ),
    (
        "stderr fail_on_ouput=true",
        &["4:8 `fail_on_ouput` means nothing in `stderr` (did you mean `fail_on_output`?)"],
    ),
    (
        r#"env { "A=B" "x" }"#,
        &[
            r#"4:7 a variable cannot be called "A=B" (names hold letters, digits and `_`, and begin with no digit)"#,
        ],
    ),
    (
        r#"env { LD_PRELOAD "x.so" }"#,
        &["4:7 `LD_PRELOAD` makes programs load code and can be set by no definition"],
    ),
    (
        r#"env { NODE_OPTIONS "-r x" }"#,
        &["4:7 `NODE_OPTIONS` makes programs load code and can be set by no definition"],
    ),
    ("env { A 5 }", &["4:9 `A` takes a text in quotes, not 5"]),
    ("env { A }", &["4:7 `A` takes one text in quotes"]),
    (r#"env { A "x"; A "y" }"#, &["4:14 `A` is given twice"]),
    (
        r#"env { "" "x" }"#,
        &[
            r#"4:7 a variable cannot be called "" (names hold letters, digits and `_`, and begin with no digit)"#,
        ],
    ),
    (
        r#"env "A""#,
        &["4:5 `env` takes no value of its own (write `env { … }`)"],
    ),
    (
        "pass_env",
        &["4:1 `pass_env` takes at least one text in quotes"],
    ),
    (
        r#"pass_env "AWS_*""#,
        &[
            r#"4:10 a variable cannot be called "AWS_*" (names hold letters, digits and `_`, and begin with no digit)"#,
        ],
    ),
    (
        r#"pass_env "BASH_ENV""#,
        &["4:10 `BASH_ENV` makes programs load code and can be set by no definition"],
    ),
    (
        "annotations { readonly true }",
        &["4:15 `readonly` means nothing in `annotations` (did you mean `read_only`?)"],
    ),
    (
        "annotations { read_only true; destructive true }",
        &["4:31 what is read-only cannot be destructive"],
    ),
    (
        "example",
        &["4:1 `example` takes at least one text in quotes"],
    ),
    (
        r#"example "a" "b" "c""#,
        &["4:17 `example` takes a command line and what it does"],
    ),
    (
        "example 5",
        &["4:9 `example` takes a text in quotes, not 5"],
    ),
    (
        "flag \"a\"\nexclusive \"a\"",
        &["5:1 `exclusive` takes at least two names"],
    ),
    (
        "flag \"a\"\nflag \"dry-run\"\nexclusive \"a\" \"dry_run\"",
        &["6:15 `dry_run` is no `arg` or `flag` here (did you mean `dry-run`?)"],
    ),
    (
        "flag \"a\"\ntogether \"a\" \"zzz\"",
        &["5:14 `zzz` is no `arg` or `flag` here (members are named as after `arg` and `flag`)"],
    ),
    (
        "flag \"a\"\nany_of \"a\" \"a\"",
        &["5:12 `any_of` names `a` twice"],
    ),
    (
        "requires",
        &["4:1 `requires` takes at least one text in quotes"],
    ),
    (
        "output",
        &[r##"4:1 `output` needs a `schema` (write `schema #"{"type": "object"}"#`)"##],
    ),
    (
        r#"output { schema "{" }"#,
        &["4:17 `schema` takes a JSON Schema: EOF while parsing an object at line 1 column 1"],
    ),
    (
        r#"output { schema "[]" }"#,
        &["4:17 `schema` takes a JSON Schema: it is no JSON object"],
    ),
    (
        r#"output { scheme "{}" }"#,
        &["4:10 `scheme` means nothing in `output` (did you mean `schema`?)"],
    ),
    (
        "sandbox false",
        &[
            "4:9 no definition switches its sandbox on or off: it is on (say in its braces what it needs; who runs argway may say `--sandbox=off`)",
        ],
    ),
    (
        r#"sandbox { network "yes" }"#,
        &[r#"4:19 `network` takes true or false, not "yes""#],
    ),
    (
        r#"sandbox { filesystem "ful" }"#,
        &[
            r#"4:22 `filesystem` takes "none", "cwd", "home" or "full", not "ful" (did you mean "full"?)"#,
        ],
    ),
    (
        r#"sandbox { read "etc" }"#,
        &[r#"4:16 `read` takes absolute paths without `..`, not "etc""#],
    ),
    (
        r#"sandbox { write "/a/../b" }"#,
        &[r#"4:17 `write` takes absolute paths without `..`, not "/a/../b""#],
    ),
    (
        "sandbox { resources { memory_mb 0 } }",
        &["4:33 `memory_mb` takes MiB from 16 to 1048576, not 0"],
    ),
    (
        "sandbox { resources { cpu_seconds 1_000_000 } }",
        &["4:35 `cpu_seconds` takes seconds from 1 to 86400, not 1000000"],
    ),
    (
        "sandbox { resources { memory 5 } }",
        &["4:23 `memory` means nothing in `resources` (did you mean `memory_mb`?)"],
    ),
    (
        "sandbox { netwrk true }",
        &["4:11 `netwrk` means nothing in `sandbox` (did you mean `network`?)"],
    ),
    (
        "runnable true",
        &["4:1 `runnable true` is for a command that has subcommands: without them it always is"],
    ),
    (
        "args true\nflag \"a\"",
        &[
            r#"4:1 `args` takes every word: it is for a command without `arg`, `flag` and `subcommand` (write an `arg` of type "array" for any number of words)"#,
        ],
    ),
    (
        r#"args "x""#,
        &[r#"4:6 `args` takes true or false, not "x""#],
    ),
    (
        "subcommand",
        &[r#"4:1 `subcommand` needs a name (write `subcommand "name" { … }`)"#],
    ),
    (
        "subcommand \"a\" { description d }\nsubcommand \"a\" { description d }",
        &["5:12 `x` has the subcommand `a` twice"],
    ),
    (
        r#"subcommand "a""#,
        &[
            r#"4:1 `x a` has no `description` (write `description "what it does"`: models choose tools by it)"#,
        ],
    ),
    (
        r#"subcommand "a" { description d; command "y" }"#,
        &["4:33 a subcommand runs the `command` of `x` (another program is a `cli` of its own)"],
    ),
    (
        "subcommand \"a\" { description d }\narg \"x\"",
        &[
            "5:1 `x` is not run by itself: an `arg` belongs to one of its subcommands (write `runnable true` if it is)",
        ],
    ),
    (
        "flag \"v\"\nsubcommand \"a\" { description d; flag \"v\" }",
        &["5:38 there is an `arg` or `flag` `v` already"],
    ),
    (
        r#"subcommand "a b" { description d }"#,
        &[
            r#"4:12 `subcommand` cannot be called "a b" (names begin with a letter or digit and hold letters, digits, `_`, `-` and `.`)"#,
        ],
    ),
    (
        r#"flag "a" (x)default=true"#,
        &[
            r#"4:10 a type in parentheses means nothing here (leave it out; `type "…"` is the type of a parameter)"#,
        ],
    ),
    (
        "(x)hidden true",
        &[
            r#"4:1 a type in parentheses means nothing here (leave it out; `type "…"` is the type of a parameter)"#,
        ],
    ),
    (
        "\nflag \"ok\" {\n    desciption \"x\"\n    tpye \"string\"\n}\ntimeout \"x\"",
        &[
            "6:5 `desciption` means nothing in `flag` (did you mean `description`?)",
            "7:5 `tpye` means nothing in `flag` (did you mean `type`?)",
            r#"9:9 `timeout` takes milliseconds from 1 to 86400000, not "x""#,
        ],
    ),
    (
        "flag \"a\" secret=true stdin=true\nsubcommand \"s\" { description d; stdin }",
        &["5:1 the secret `a` cannot be passed: the command reads something else from its stdin"],
    ),
];

const IN_A_FILE: &[Case] = &[
    (
        "cli",
        &[
            r#"1:1 `cli` needs a name (write `cli "name" { … }`)"#,
            r#"1:1 a `cli` needs a `command` (write `command "NAME"`: a program on PATH, or an absolute path)"#,
            r#"1:1 `cli` has no `description` (write `description "what it does"`: models choose tools by it)"#,
        ],
    ),
    (
        r#"cli "a""#,
        &[
            r#"1:1 a `cli` needs a `command` (write `command "NAME"`: a program on PATH, or an absolute path)"#,
            r#"1:1 `a` has no `description` (write `description "what it does"`: models choose tools by it)"#,
        ],
    ),
    (
        "cli a { description d }",
        &[
            r#"1:1 a `cli` needs a `command` (write `command "NAME"`: a program on PATH, or an absolute path)"#,
        ],
    ),
    (
        "cli a { command c }",
        &[
            r#"1:1 `a` has no `description` (write `description "what it does"`: models choose tools by it)"#,
        ],
    ),
    (
        r#"cli "a/b" { description d; command c }"#,
        &[
            r#"1:5 `cli` cannot be called "a/b" (names begin with a letter or digit and hold letters, digits, `_`, `-` and `.`)"#,
        ],
    ),
    (
        r#"cli ".." { description d; command c }"#,
        &[
            r#"1:5 `cli` cannot be called ".." (names begin with a letter or digit and hold letters, digits, `_`, `-` and `.`)"#,
        ],
    ),
    (
        r#"cli "" { description d; command c }"#,
        &[
            r#"1:5 `cli` cannot be called "" (names begin with a letter or digit and hold letters, digits, `_`, `-` and `.`)"#,
        ],
    ),
    (
        "cli a b { description d; command c }",
        &["1:7 `cli` takes one name (what is said of it stands in braces)"],
    ),
    (
        "cli a x=1 { description d; command c }",
        &["1:7 `cli` takes no properties (write `x …` on a line of its own within its braces)"],
    ),
    (
        "cli 5 { description d; command c }",
        &["1:5 `cli` takes a name in quotes, not 5"],
    ),
    (
        "cly a { description d; command c }",
        &["1:1 `cly` means nothing in a file of definitions (did you mean `cli`?)"],
    ),
    (
        "server a",
        &["1:1 `server` means nothing in a file of definitions (it may hold cli)"],
    ),
    (
        "cli a { description d; command c }\ncli a { description d; command c }",
        &["2:5 this file defines `a` twice"],
    ),
    (
        r#"cli a { description d; command "./x" }"#,
        &[
            r#"1:32 "./x" is a relative path: what it is depends on where argway runs (write the absolute path, or a name that is on PATH)"#,
        ],
    ),
    (
        r#"cli a { description d; command "bin/x" }"#,
        &[
            r#"1:32 "bin/x" is a relative path: what it is depends on where argway runs (write the absolute path, or a name that is on PATH)"#,
        ],
    ),
    (
        r#"cli a { description d; command "~/x" }"#,
        &[r#"1:32 "~/x": `~` stands for no folder here (write the absolute path)"#],
    ),
    (
        r#"cli a { description d; command "" }"#,
        &["1:32 `command` is empty"],
    ),
    (
        r#"cli a { description d; command "git log" }"#,
        &[r#"1:32 "git log" is not the name of one program (write `command "git" "log"`)"#],
    ),
    (
        r#"cli a { description d; command "/usr/bin/" }"#,
        &[r#"1:32 "/usr/bin/" is a folder, not a command"#],
    ),
    (
        "cli a { description = d; command c }",
        &[
            r#"1:21 a value is expected, not `=` (a node's value follows its name without `=`: `name "value"`)"#,
        ],
    ),
    (
        "cli a { description d; command c 5 }",
        &["1:34 `command` takes a text in quotes, not 5"],
    ),
    (
        r#"cli a { description ""; command c }"#,
        &["1:21 `description` is empty"],
    ),
    (
        "cli a { description 5; command c }",
        &["1:21 `description` takes a text in quotes, not 5"],
    ),
    (
        "cli \"a\" {\n    description \"x\n    command \"jq\"\n}",
        &[
            "2:17 the string that begins here goes on over the end of its line (is its closing quote missing?)",
        ],
    ),
    (
        "cli \"a\" {\n  description \"x\"\n",
        &["1:9 this `{` is never closed (write a `}` where its content ends)"],
    ),
    ("cli a }", &["1:7 this `}` closes nothing that is open"]),
    ("}", &["1:1 this `}` closes nothing that is open"]),
    (
        "cli a { description d command c ",
        &["1:7 this `{` is never closed (write a `}` where its content ends)"],
    ),
    (
        r#"cli a { description "x" "y"#,
        &[r#"1:25 this string is never closed (write `"` where it ends)"#],
    ),
    ("cli a {} {}", &["1:10 `cli` already has its `{ … }`"]),
    ("cli a { } b", &["1:11 after `}` comes a line break or `;`"]),
    (
        r#"cli "a"{description"d"}"#,
        &[r#"1:20 a space is missing before `"` (a quote within a string is written `\"`)"#],
    ),
    (
        r#"cli a { description "\q" }"#,
        &[r#"1:22 `\q` is no escape (a backslash is written `\\q`, or in a raw string)"#],
    ),
    (
        r#"cli a { description "\u{0}" }"#,
        &[r#"1:22 this `\u` names no character (write it as `\u{1F600}`; NUL can stand nowhere)"#],
    ),
    (
        r#"cli a { description "\u{110000}" }"#,
        &[r#"1:22 this `\u` names no character (write it as `\u{1F600}`; NUL can stand nowhere)"#],
    ),
    (
        "cli a /* x",
        &["1:7 this comment is never closed (write `*/` where it ends)"],
    ),
    (
        r#"cli a \ b"#,
        &["1:7 a backslash outside of quotes continues the line: a line break must follow"],
    ),
    (
        "cli a { timeout #yes }",
        &[
            r##"1:17 `#yes` is no value (`#` begins `#true`, `#false`, `#null` or a raw string `#"…"#`; a comment begins with `//`)"##,
        ],
    ),
    (
        "cli a { timeout 0x }",
        &["1:17 `0x` is no number, or one too large (if it is a text, write it in quotes)"],
    ),
    (
        "cli a = 5",
        &[
            r#"1:1 `cli` needs a name (write `cli "name" { … }`)"#,
            r#"1:1 a `cli` needs a `command` (write `command "NAME"`: a program on PATH, or an absolute path)"#,
            r#"1:1 `cli` has no `description` (write `description "what it does"`: models choose tools by it)"#,
            "1:5 `cli` takes no properties (write `a …` on a line of its own within its braces)",
        ],
    ),
    ("= 5", &["1:1 the name of a node is expected, not `=`"]),
    ("(x", &["1:1 this `(` is closed by no `)`"]),
    ("()a", &["1:2 a type is expected, not `)`"]),
    ("(x)", &["1:4 a name is missing"]),
    ("true { }", &["1:1 `true` is not the name of a node"]),
    ("5 { }", &["1:1 `5` is not the name of a node"]),
    (
        r#"cli a { description """x""" }"#,
        &[
            r#"1:21 after `"""` comes a line break (a string on one line has one quote on either side)"#,
        ],
    ),
    (
        "cli a { description \"\"\"\n  x\"\"\"\n}",
        &[
            r#"1:21 the `"""` that closes this string stands behind text (write it on a line of its own)"#,
        ],
    ),
    (
        "cli a { description \"\"\"\n x\n  \"\"\"\n}",
        &[r#"1:21 a line of this string is indented less than the `"""` that closes it"#],
    ),
    ("cli a [1]", &["1:7 a value is expected, not `[`"]),
    (
        "cli a { description \"\u{202e}\" }",
        &[
            r#"1:22 the character U+202E cannot stand here (within a string it is written `\u{202e}`)"#,
        ],
    ),
    (
        "cli a { \0 }",
        &["1:9 the character U+0000 cannot stand here"],
    ),
    (
        r#"cli a { description "a"b" }"#,
        &[r#"1:24 a space is missing before `b` (a quote within a string is written `\"`)"#],
    ),
    (
        "# comment\ncli a",
        &[
            r##"1:1 `#` is no value (`#` begins `#true`, `#false`, `#null` or a raw string `#"…"#`; a comment begins with `//`)"##,
        ],
    ),
];

#[test]
fn a_mistake_in_a_definition_says_where_and_what_would_be_right() {
    for (body, expected) in IN_A_DEFINITION {
        let text = format!("cli x {{\ndescription d\ncommand c\n{body}\n}}");
        check(&text, body, expected);
        assert!(read("x.kdl", &text).definitions.is_empty(), "{body}");
    }
}

#[test]
fn a_mistake_in_a_file_says_where_and_what_would_be_right() {
    for (text, expected) in IN_A_FILE {
        check(text, text, expected);
    }
}

#[test]
fn a_mistake_costs_its_definition_and_no_other() {
    let text = "cli a { description d; command c }\n\
                cli b { description d; command c; oops 1 }\n\
                cli c { description d; command c }\n\
                other\n\
                cli a { description d; command c }\n\
                cli d { description d; command c }";
    let read = read("x.kdl", text);
    let names: Vec<(&str, usize)> = read
        .definitions
        .iter()
        .map(|definition| (definition.reading.program.name.as_str(), definition.line))
        .collect();
    assert_eq!(names, [("a", 1), ("c", 3), ("d", 6)]);
    let lines: Vec<usize> = read.mistakes.iter().map(|mistake| mistake.line()).collect();
    assert_eq!(lines, [2, 4, 5]);
}

#[test]
fn a_mistake_is_shown_with_its_source_line() {
    let text = "cli \"jq\" {\n    desription \"JSON\"\n    command \"jq\"\n    flag \"a\" short=\"-x\"\n\tflag \"ü\u{65e5}\" short=\"-y\"\n    flag \"b\" short=\"-x\"\n}\n";
    assert_data_eq!(
        rendered(text),
        str![[r#"
x.kdl:2:5: `desription` means nothing in `cli`
  2 |     desription "JSON"
    |     ^^^^^^^^^^
  help: did you mean `description`?
x.kdl:5:7: `flag` cannot be called "ü日"
  5 |  flag "ü日" short="-y"
    |       ^^^^^
  help: names begin with a letter or digit and hold letters, digits, `_`, `-` and `.`
x.kdl:6:10: `b` and `a` are both typed `-x`
  6 |     flag "b" short="-x"
    |          ^^^
  4 |     flag "a" short="-x"
    |          ^^^ the other is here

"#]]
    );
}

#[test]
fn a_long_line_is_shown_around_the_place() {
    let text = format!(
        "cli x {{ description \"{}\"; oops 1; command \"{}\" }}",
        "d".repeat(500),
        "c".repeat(500)
    );
    let shown = rendered(&text);
    assert!(shown.contains("\"; oops 1; command"), "{shown}");
    let source = shown.lines().nth(1).unwrap();
    assert!(source.chars().count() < 200, "{source}");
}

#[test]
fn nothing_that_a_terminal_acts_on_is_shown() {
    assert!(!rendered("cli a \"\u{202e}\"").contains('\u{202e}'));
    let shown =
        rendered("cli \"a\u{9b}31m\" { description \"\\u{1b}[31m\"; command \"\\u{1b}[2J/x\" }");
    assert!(
        shown.chars().all(|char| char == '\n' || !char.is_control()),
        "{shown:?}"
    );
}

#[test]
fn miette_can_show_it_too() {
    let read = read(
        "x.kdl",
        "cli a { description d; command c; timeout 1; timeout 2 }",
    );
    let mistake = &read.mistakes[0];
    assert_eq!(
        Diagnostic::code(mistake).unwrap().to_string(),
        "argway::definition::conflict"
    );
    let mut shown = String::new();
    miette::NarratableReportHandler::new()
        .render_report(&mut shown, mistake)
        .unwrap();
    assert!(
        shown.contains("x.kdl") && shown.contains("label at line 1, columns 46 to 52"),
        "{shown}"
    );
    assert_eq!(mistake.labels().unwrap().count(), 2);
}

#[test]
fn of_very_many_mistakes_the_first_are_told() {
    let read = read("x.kdl", &"oops\n".repeat(1000));
    assert_eq!(read.mistakes.len(), 101);
    assert_eq!(read.mistakes[100].message, "900 more mistakes follow");
}
