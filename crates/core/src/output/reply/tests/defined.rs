//! What becomes of the output of commands that somebody defined by hand.

use serde_json::json;

use super::*;
use crate::model::{RunSpec, StdoutFormat};
use crate::schema::DataSchema;

fn defined(change: impl Fn(&mut RunSpec)) -> Tool {
    let mut run = RunSpec::default();
    change(&mut run);
    let data_schema = run.output_schema.as_ref();
    let data_schema = data_schema.map(|schema| Arc::new(DataSchema::compile(schema).unwrap()));
    let spec = CommandSpec {
        usage: "tool [flags]".into(),
        runnable: true,
        run: Some(Arc::new(run)),
        ..CommandSpec::default()
    };
    Tool {
        name: "cli_tool".into(),
        program: Arc::new(Program {
            name: "tool".into(),
            executable: None,
            version: None,
            family: Family::Definition,
            commands: vec![spec],
        }),
        flags: Vec::new(),
        inherited: [].into(),
        data_schema,
        ..tool()
    }
}

fn run(tool: &Tool, outcome: &Outcome) -> Reply {
    reply(tool, Layout::Flat, DataFormat::Json, outcome)
}

fn exited(code: i32, stdout: &str, stderr: &str) -> Outcome {
    outcome(Ending::Exited(code), stdout, stderr)
}

/// Data, whether the call failed, and the last line of its text.
#[track_caller]
fn check(tool: &Tool, outcome: &Outcome, data: &Value, is_error: bool, last: &str) {
    let reply = run(tool, outcome);
    let shown = reply.text.lines().last().unwrap_or_default();
    let found = reply.structured.get("data").unwrap_or(&Value::Null);
    assert_eq!((found, reply.is_error, shown), (data, is_error, last));
}

#[test]
fn stdout_is_read_as_the_format_says() {
    let format = |format| defined(move |run| run.stdout.format = format);
    let (auto, json, text) = (
        format(StdoutFormat::Auto),
        format(StdoutFormat::Json),
        format(StdoutFormat::Text),
    );
    let none = &Value::Null;
    check(
        &auto,
        &exited(0, "{\"a\":1}\n", ""),
        &json!({"a": 1}),
        false,
        "{\"a\":1}",
    );
    check(
        &auto,
        &exited(0, "{\"a\":1}\n{\"a\":2}\n", ""),
        &json!([{"a": 1}, {"a": 2}]),
        false,
        "{\"a\":2}",
    );
    check(&auto, &exited(0, "5\n", ""), none, false, "5");
    check(&auto, &exited(0, "plain\n", ""), none, false, "plain");
    check(
        &text,
        &exited(0, "{\"a\":1}\n", ""),
        none,
        false,
        "{\"a\":1}",
    );
    check(&json, &exited(0, "[1]\n", ""), &json!([1]), false, "[1]");
    check(&json, &exited(0, "5\n", ""), &json!(5), false, "5");
    check(
        &json,
        &exited(0, "\"x\"\n", ""),
        &json!("x"),
        false,
        "\"x\"",
    );
    check(
        &json,
        &exited(0, "oops\n", ""),
        none,
        true,
        "stdout is not JSON, which its definition says it is: expected value at line 1 column 1.",
    );
    check(
        &json,
        &exited(0, "", ""),
        none,
        true,
        "stdout is not JSON, which its definition says it is: EOF while parsing a value at line 1 column 0.",
    );
    check(
        &json,
        &exited(0, "{\"a\":1}\n{\"a\":2}\n", ""),
        none,
        true,
        "stdout is not JSON, which its definition says it is: trailing characters at line 2 column 1.",
    );
    for inexact in ["{\"a\":1,\"a\":2}", "[123456789012345678901]"] {
        check(
            &json,
            &exited(0, inexact, ""),
            none,
            false,
            "stdout is JSON that cannot be held exactly, because a number has too many digits or \
             a key stands twice: read it as text.",
        );
    }
    // A command that fails prints what it likes.
    check(
        &json,
        &exited(1, "oops\n", ""),
        none,
        true,
        "Usage: tool [flags]",
    );
    let mut cut = exited(0, "{\"a\":", "");
    cut.stdout.total = 5000;
    check(
        &json,
        &cut,
        none,
        false,
        "stdout is too long to be read as JSON.",
    );
}

#[test]
fn what_the_operator_asks_for_matters_where_the_definition_leaves_it_open() {
    let table = exited(0, "a: 1\nb:\n  - 2\n", "");
    let data = |format, stdout| {
        let tool = defined(move |run| run.stdout.format = format);
        let reply = reply(&tool, Layout::Flat, stdout, &table);
        reply.structured.get("data").cloned()
    };
    assert_eq!(
        data(StdoutFormat::Auto, DataFormat::Any),
        Some(json!({"a": 1, "b": [2]}))
    );
    assert_eq!(data(StdoutFormat::Auto, DataFormat::Json), None);
    assert_eq!(data(StdoutFormat::Text, DataFormat::Any), None);
}

#[test]
fn data_that_does_not_fit_is_left_out_with_the_first_reasons() {
    let tool = defined(|run| {
        run.output_schema = Some(json!({
            "type": "array",
            "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}},
        }));
    });
    check(
        &tool,
        &exited(0, "[{\"id\":1}]", ""),
        &json!([{"id": 1}]),
        false,
        "[{\"id\":1}]",
    );
    check(
        &tool,
        &exited(0, "[{\"id\":1},{\"id\":\"x\"},{},{},{}]", ""),
        &Value::Null,
        true,
        "stdout is not what its definition declares: /1/id: \"x\" is not of type \"integer\"; \
         /2: \"id\" is a required property; /3: \"id\" is a required property.",
    );
    let long = format!("[{{\"id\":\"{}\"}}]", "x".repeat(5000));
    let text = run(&tool, &exited(0, &long, "")).text;
    assert!(text.len() < long.len() + 400, "{}", text.len());
    check(
        &tool,
        &exited(3, "[{}]", ""),
        &Value::Null,
        true,
        "Usage: tool [flags]",
    );
}

#[test]
fn white_space_around_stdout_goes_unless_the_definition_keeps_it() {
    let out = exited(0, "\n  a b \n\n", " w \n");
    let reply = run(&defined(|_| {}), &out);
    assert_eq!(reply.structured["stdout"], "a b");
    assert_eq!(reply.structured["stderr"], " w \n");
    assert_eq!(
        (reply.text.as_str(), reply.meta),
        ("a b\n\nstderr:\n w\n", None)
    );
    let kept = run(&defined(|run| run.stdout.trim = false), &out);
    assert_eq!(kept.structured["stdout"], "\n  a b \n\n");
    // What text cannot hold is the same bytes for programs.
    let odd = outcome(Ending::Exited(0), b" \xff\n", "");
    let reply = run(&defined(|_| {}), &odd);
    assert_eq!(reply.meta, Some(json!({"argway/stdoutBase64": "/w=="})));
    let nested = super::super::reply(&defined(|_| {}), Layout::Nested, DataFormat::Json, &out);
    assert_eq!(
        nested.text,
        r#"{"stdout":"a b","stderr":" w \n","exitCode":0}"#
    );
}

#[test]
fn bytes_are_shown_in_base64_and_kept_for_programs() {
    let tool = defined(|run| run.stdout.encoding = Encoding::Base64);
    let reply = run(&tool, &outcome(Ending::Exited(0), b"\x89PNG\n", ""));
    assert_eq!(reply.structured["stdout"], "iVBORwo=");
    assert_eq!(reply.text, "iVBORwo=\n");
    assert_eq!(reply.meta, Some(json!({"argway/stdoutBase64": "iVBORwo="})));
    // The round trip is the bytes.
    let result = json!({"content": [], "structuredContent": reply.structured, "_meta": reply.meta});
    let raw = serde_json::value::to_raw_value(&result).unwrap();
    let printed = crate::output::unwrap(&raw).unwrap();
    assert_eq!(
        format!("{:?}", printed.stdout),
        format!("{:?}", [crate::output::Piece::Bytes(b"\x89PNG\n".to_vec())])
    );
    let mut cut = outcome(Ending::Exited(0), b"\x89PNG\n", "");
    cut.stdout.total = 5_000_000;
    let reply = run(&tool, &cut);
    assert_eq!(
        reply.structured["truncated"],
        json!({"stdout": {"bytes": 5_000_000}})
    );
    assert_eq!(
        reply.text,
        "iVBORwo=\n\nOnly the beginning of stdout is in the result.\n"
    );
}

#[test]
fn stderr_is_kept_back_where_the_definition_says_so() {
    let tool = defined(|run| run.stderr.capture = false);
    for code in [0, 2] {
        let reply = run(&tool, &exited(code, "out", "noise \u{1b}[1m"));
        assert_eq!(reply.structured.get("stderr"), None);
        assert!(!reply.text.contains("noise"), "{}", reply.text);
        assert_eq!(reply.meta, None);
    }
}

#[test]
fn what_counts_as_a_failure_is_the_definition_s_to_say() {
    let strict = defined(|run| run.stderr.fail_on_output = true);
    check(
        &strict,
        &exited(0, "out", "warning"),
        &Value::Null,
        true,
        "The command printed to its stderr, which its definition counts as a failure.",
    );
    check(&strict, &exited(0, "out", ""), &Value::Null, false, "out");
    let lenient = defined(|run| run.allow_failure = true);
    check(
        &lenient,
        &exited(1, "[1]", ""),
        &json!([1]),
        false,
        "exit code 1",
    );
    assert_eq!(run(&lenient, &exited(1, "", "")).structured["exitCode"], 1);
    check(
        &lenient,
        &outcome(Ending::Signalled(9), "", ""),
        &Value::Null,
        true,
        "The command was ended by signal 9 (SIGKILL).",
    );
    let both = defined(|run| {
        run.allow_failure = true;
        run.stdout.format = StdoutFormat::Json;
    });
    check(
        &both,
        &exited(1, "no match", ""),
        &Value::Null,
        false,
        "exit code 1",
    );
}

#[test]
fn a_bound_that_was_exceeded_says_how_it_is_raised() {
    let cases = [
        (
            Ending::Exceeded(Exceeded::Memory),
            "The command was ended because it used more memory than its sandbox allows. To allow \
             more: `sandbox { resources { memory_mb … } }` in its definition, or the server's \
             `--memory-mb`.",
        ),
        (
            Ending::Exceeded(Exceeded::Cpu),
            "The command was ended because it used more processor time than its sandbox allows. To \
             allow more: `sandbox { resources { cpu_seconds … } }` in its definition, or the \
             server's `--cpu-seconds`.",
        ),
        (
            Ending::Exceeded(Exceeded::Processes),
            "The command was ended because it used more processes than its sandbox allows. To allow \
             more: `sandbox { resources { processes … } }` in its definition, or the server's \
             `--processes`.",
        ),
        (
            Ending::Flooded(1000),
            "The command was ended because it printed more than 1000 bytes. To allow more: \
             `sandbox { resources { output_mb … } }` in its definition.",
        ),
        (
            Ending::TimedOut(Duration::from_secs(30)),
            "The command was ended because it ran longer than 30 s. `timeout` in its definition \
             sets how long it may take.",
        ),
    ];
    for (ending, expected) in cases {
        check(
            &defined(|_| {}),
            &outcome(ending, "", ""),
            &Value::Null,
            true,
            expected,
        );
    }
    let program = flat(&outcome(Ending::Exceeded(Exceeded::Memory), "", ""));
    assert_eq!(
        program.text,
        "The command was ended because it used more memory than its sandbox allows. To allow more: \
         the server's `--memory-mb`.\n"
    );
    assert_eq!(program.structured["exitCode"], 137);
}

#[test]
fn what_the_sandbox_kept_is_told_and_what_it_did_not_is_said_aloud() {
    let held = |tier, gaps: &[&str]| {
        let mut out = exited(0, "out", "");
        out.sandbox = Some(Enforcement {
            tier,
            gaps: gaps.iter().map(|gap| (*gap).to_owned()).collect(),
        });
        run(&defined(|_| {}), &out)
    };
    let strict = held(Tier::Strict, &[]);
    assert_eq!(strict.text, "out\n");
    assert_eq!(
        strict.meta,
        Some(json!({"argway/sandbox": {"tier": "strict"}}))
    );
    let portable = held(
        Tier::Portable,
        &["Any path can be looked up.", "Modes can be changed."],
    );
    let note = "The sandbox (portable) leaves something open: Any path can be looked up; Modes can be changed.";
    assert_eq!(portable.text, format!("out\n\n{note}\n"));
    assert_eq!(
        portable.meta,
        Some(json!({
            "argway/sandbox": {
                "tier": "portable",
                "gaps": ["Any path can be looked up.", "Modes can be changed."],
            },
            "argway/notes": [note],
        }))
    );
    assert!(!portable.is_error);
    assert_eq!(
        held(Tier::Partial, &[]).meta,
        Some(json!({"argway/sandbox": {"tier": "partial"}}))
    );
}
