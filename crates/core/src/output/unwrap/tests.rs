//! Results as servers send them, and what a shell sees of them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use snapbox::{IntoData, assert_data_eq, str};

use super::*;

fn printed(result: &str) -> Printed {
    unwrap(&RawValue::from_string(result.to_owned()).unwrap()).unwrap()
}

/// Bytes as they are, files in brackets: their type, name and length.
fn show(pieces: &[Piece]) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Piece::Spilled(path) => format!("<all of {path}>"),
        Piece::Media(media) => {
            let name = media.name.as_deref().unwrap_or("-");
            format!("<{} {name} {}>\n", media.mime, media.bytes.len())
        }
    };
    pieces.iter().map(piece).collect()
}

#[track_caller]
fn succeeds(result: &str, stdout: &str) {
    let printed = printed(result);
    let (out, err) = (show(&printed.stdout), show(&printed.stderr));
    assert_eq!((out.as_str(), err.as_str()), (stdout, ""), "{result}");
    assert!(!printed.failed, "{result}");
}

#[track_caller]
fn fails(result: &str, stderr: &str) {
    let printed = printed(result);
    let (out, err) = (show(&printed.stdout), show(&printed.stderr));
    assert_eq!((out.as_str(), err.as_str()), ("", stderr), "{result}");
    assert!(printed.failed, "{result}");
}

/// Everything at once: both streams and the verdict.
#[track_caller]
fn check(result: &str, expected: impl IntoData) {
    let Printed {
        stdout,
        stderr,
        failed,
    } = printed(result);
    let text = format!(
        "{}|stderr|\n{}|{}|\n",
        show(&stdout),
        show(&stderr),
        if failed { "failed" } else { "ok" }
    );
    assert_data_eq!(text, expected);
}

#[test]
fn one_text_is_printed_byte_for_byte() {
    for (text, bytes) in [
        (r#""plain""#, "plain"),
        (r#""line\n""#, "line\n"),
        (r#""""#, ""),
        (
            r#""tab\t é \u00e9 漢 \ud83e\udd80 \u0000""#,
            "tab\t é é 漢 🦀 \0",
        ),
        (r#""{\"a\": 1.0}""#, r#"{"a": 1.0}"#),
        (
            r#""half \ud800 a pair""#,
            "half \u{fffd}\u{fffd}\u{fffd} a pair",
        ),
    ] {
        let result = format!(r#"{{"content":[{{"type":"text","text":{text}}}]}}"#);
        succeeds(&result, bytes);
    }
}

#[test]
fn several_texts_are_joined_by_newlines() {
    let result = r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b\n"},{"type":"text","text":"c"}]}"#;
    succeeds(result, "a\nb\n\nc");
}

#[test]
fn structured_content_is_what_the_server_wrote() {
    let written = r#"{"b": 1.0,"a":9007199254740993, "c":1e400,  "b":"\u00e9"}"#;
    let result = format!(
        r#"{{"content":[{{"type":"text","text":"whatever"}}],"structuredContent":{written},"isError":false}}"#
    );
    succeeds(&result, &format!("{written}\n"));
    succeeds(r#"{"structuredContent":[1,2.50]}"#, "[1,2.50]\n");
    succeeds(r#"{"structuredContent":{}}"#, "{}\n");
    succeeds(
        r#"{"content":[{"type":"text","text":"t"}],"structuredContent":null}"#,
        "t",
    );
}

#[test]
fn structured_content_that_only_wraps_the_text_is_the_text() {
    let wrapped = |structured: &str| {
        format!(
            r#"{{"content":[{{"type":"text","text":"a\n\u00e9"}}],"structuredContent":{structured}}}"#
        )
    };
    succeeds(&wrapped(r#"{"content":"a\né"}"#), "a\né");
    succeeds(&wrapped(r#"{"result":"a\n\u00e9"}"#), "a\né");
    succeeds(&wrapped(r#""a\né""#), "a\né");
    for other in [
        r#"{"content":"a"}"#,
        r#"{"content":"a\né","more":1}"#,
        r#"{"content":["a\né"]}"#,
        r#"["a\né"]"#,
        r#"{}"#,
    ] {
        succeeds(&wrapped(other), &format!("{other}\n"));
    }
    let two = r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"a"}],"structuredContent":{"r":"a"}}"#;
    succeeds(two, "{\"r\":\"a\"}\n");
}

#[test]
fn structured_content_that_only_repeats_the_blocks_is_the_blocks() {
    let block = r#"{"type":"image","data":"Zm9v","mimeType":"image/png"}"#;
    let other = r#"{ "data":"Zm9v", "type":"image", "mimeType":"image/png" }"#;
    let result = format!(r#"{{"content":[{block}],"structuredContent":{{"content":[{other}]}}}}"#);
    succeeds(&result, "<image/png - 3>\n");
    succeeds(
        r#"{"content":[],"structuredContent":{"items":[]}}"#,
        "{\"items\":[]}\n",
    );
    succeeds(
        r#"{"content":[{"type":"text","text":"a"}],"structuredContent":{"items":["a"]}}"#,
        "{\"items\":[\"a\"]}\n",
    );
}

#[test]
fn what_structured_content_does_not_hold_is_named_on_stderr() {
    check(
        r#"{"content":[{"type":"text","text":"a cat"},{"type":"image","data":"Zm9v","mimeType":"image/png"}],"structuredContent":{"animal":"cat"}}"#,
        str![[r#"
{"animal":"cat"}
|stderr|
<image/png - 3>
|ok|

"#]],
    );
}

#[test]
fn a_failure_is_told_on_stderr_with_a_newline_whatever_else_there_is() {
    fails(
        r#"{"content":[{"type":"text","text":"no such repository"}],"isError":true}"#,
        "no such repository\n",
    );
    fails(
        r#"{"content":[{"type":"text","text":"why\n"}],"structuredContent":{"code":7},"isError":true}"#,
        "why\n",
    );
    fails(
        r#"{"content":[],"structuredContent":{"code": 7},"isError":true}"#,
        "{\"code\": 7}\n",
    );
    fails(
        r#"{"content":[{"type":"text","text":""}],"isError":true}"#,
        "the tool failed without saying why\n",
    );
    fails(
        r#"{"content":[{"type":"text","text":"see"},{"type":"image","data":"Zm9v","mimeType":"image/png"}],"isError":true}"#,
        "see\n<image/png - 3>\n",
    );
    fails(
        r#"{"content":[{"type":"text","text":"see"},{"type":"image","data":"!"}],"isError":true}"#,
        "see\nmcpx: the result has an image that is no base64\n",
    );
}

#[test]
fn a_commands_envelope_is_what_the_command_printed() {
    succeeds(
        r#"{"content":[{"type":"text","text":"out\n"}],"structuredContent":{"exitCode":0,"stdout":"out","stderr":"","durationMs":3},"isError":false}"#,
        "out",
    );
    succeeds(r#"{"structuredContent":{"exitCode":0}}"#, "");
    succeeds(
        r#"{"structuredContent":{"stdout":"[1]\n","exitCode":0,"data":[1]}}"#,
        "[1]\n",
    );
    fails(
        r#"{"content":[{"type":"text","text":"bad\n\nexit code 2"}],"structuredContent":{"exitCode":2,"stdout":"","stderr":"bad"},"isError":true}"#,
        "bad",
    );
    // ophis does not call it an error.
    fails(
        r#"{"structuredContent":{"stderr":"bad\n","exitCode":-1}}"#,
        "bad\n",
    );
    check(
        r#"{"structuredContent":{"exitCode":0,"stdout":"half","stderr":"warned"},"isError":true}"#,
        str![[r#"
half|stderr|
warned|failed|

"#]],
    );
}

#[test]
fn an_envelope_with_something_else_in_it_is_none() {
    for other in [
        r#"{"exitCode":0,"output":"x"}"#,
        r#"{"exitCode":"0","stdout":"x"}"#,
        r#"{"exitCode":0.5,"stdout":"x"}"#,
        r#"{"exitCode":0,"stdout":["x"]}"#,
        r#"{"stdout":"x","stderr":"y"}"#,
        r#"{"exitCode":null,"stdout":"x"}"#,
    ] {
        let result = format!(r#"{{"structuredContent":{other}}}"#);
        succeeds(&result, &format!("{other}\n"));
    }
}

#[test]
fn bytes_that_text_cannot_hold_come_from_the_meta_data() {
    let result = r#"{"structuredContent":{"exitCode":0,"stdout":"red\ufffd","stderr":"e\ufffd"},"_meta":{"argway/stdoutBase64":"G1szMW1yZWQbWzBt/w==","argway/stderrBase64":"Zf8="}}"#;
    let printed = printed(result);
    let bytes = |bytes: &[u8]| vec![Piece::Bytes(bytes.to_vec())];
    assert_eq!(printed.stdout, bytes(b"\x1b[31mred\x1b[0m\xff"));
    assert_eq!(printed.stderr, bytes(b"e\xff"));
    succeeds(
        r#"{"structuredContent":{"exitCode":0,"stdout":"shown"},"_meta":{"argway/stdoutBase64":"!"}}"#,
        "shown",
    );
}

#[test]
fn output_that_went_to_a_file_is_all_of_the_file() {
    check(
        r#"{"structuredContent":{"exitCode":0,"stdout":"cut","stderr":"warned","truncated":{"stdout":{"bytes":5000000,"file":"/private/stdout-1.txt"}}}}"#,
        str![[r#"
<all of /private/stdout-1.txt>|stderr|
warned|ok|

"#]],
    );
    check(
        r#"{"structuredContent":{"exitCode":0,"stdout":"cut","stderr":"warned","truncated":{"stdout":{"bytes":5000000}}}}"#,
        str![[r#"
cut|stderr|
warned
mcpx: The server did not keep all of stdout.
|ok|

"#]],
    );
}

#[test]
fn what_a_server_says_about_a_run_is_not_lost() {
    fails(
        r#"{"structuredContent":{"exitCode":124,"stdout":"","stderr":"half"},"isError":true,"_meta":{"argway/notes":["The command was ended because it ran longer than 2 min."]}}"#,
        "half\nmcpx: The command was ended because it ran longer than 2 min.\n",
    );
}

#[test]
fn pictures_sounds_and_files_become_files_in_their_place() {
    check(
        r#"{"content":[
            {"type":"text","text":"before"},
            {"type":"image","data":"Zm9v","mimeType":"image/png"},
            {"type":"audio","data":"Zm9vYg==","mimeType":"audio/wav"},
            {"type":"text","text":"between"},
            {"type":"resource","resource":{"uri":"file:///a/b/notes.md?x#y","mimeType":"text/markdown","text":"héllo"}},
            {"type":"resource","resource":{"uri":"demo://x/blob/","blob":"Zm8="}},
            {"type":"resource","resource":{"uri":"","blob":"Zm8="}},
            {"type":"resource_link","uri":"file:///c.txt","name":"c"},
            {"type":"text","text":"after"}
        ]}"#,
        str![[r#"
before
<image/png - 3>
<audio/wav - 4>
between
<text/markdown notes.md 6>
< blob 2>
< - 2>
file:///c.txt
after|stderr|
|ok|

"#]],
    );
}

#[test]
fn a_block_that_cannot_be_read_costs_only_itself() {
    check(
        r#"{"content":[
            {"type":"text","text":"a"},
            {"type":"image","data":"!!","mimeType":"image/png"},
            {"type":"audio","mimeType":"audio/wav"},
            {"type":"resource","resource":{"uri":"x://y","blob":"!"}},
            {"type":"text","text":"b"}
        ]}"#,
        str![[r#"
a
b|stderr|
mcpx: the result has an image that is no base64
mcpx: the result has an audio without data
mcpx: the result has a resource that is no base64: x://y
|ok|

"#]],
    );
}

#[test]
fn blocks_of_unknown_types_are_printed_as_their_json() {
    succeeds(
        r#"{"content":[{"type":"text","text":"a"},{"type":"hologram","depth":  1.0},{"type":"text","text":3},7,{"type":"resource"},{"type":"text","text":"b"}]}"#,
        "a\n{\"type\":\"hologram\",\"depth\":  1.0}\n{\"type\":\"text\",\"text\":3}\n7\n{\"type\":\"resource\"}\nb",
    );
}

#[test]
fn results_that_are_not_quite_right_are_understood() {
    for nothing in [
        "{}",
        "null",
        r#"{"content":null}"#,
        r#"{"content":[]}"#,
        r#"{"content":[{"type":"text","text":null}]}"#,
        r#"{"content":[{"type":"text"}]}"#,
        r#"{"content":[null]}"#,
        r#"{"resultType":"complete"}"#,
    ] {
        succeeds(nothing, "");
    }
    succeeds(r#"{"content":"bare"}"#, "bare");
    succeeds(r#"{"content":{"type":"text","text":"alone"}}"#, "alone");
    succeeds(r#"{"content":["a",{"text":"b"}]}"#, "a\nb");
    succeeds(r#"{"toolResult":{"b":1,"a":2.0}}"#, "{\"b\":1,\"a\":2.0}\n");
    succeeds(
        r#"{"content":[],"extra":{"deep":[]},"content":"later"}"#,
        "later",
    );
}

#[test]
fn what_is_no_result_is_refused() {
    let refused = |json: &str| {
        unwrap(&RawValue::from_string(json.to_owned()).unwrap())
            .unwrap_err()
            .0
    };
    assert_eq!(refused("[1]"), "the result is [1], not an object");
    assert_eq!(
        refused(r#"{"resultType":"task","task":{}}"#),
        "the result is of type `task`, which mcpx cannot wait for"
    );
}

#[test]
fn a_result_of_more_files_than_anybody_wants_is_cut() {
    let image = r#"{"type":"image","mimeType":"image/png","data":"AA=="}"#;
    let images = vec![image; 1_500].join(",");
    let printed = printed(&format!(
        r#"{{"content":[{images},{{"type":"text","text":"end"}}]}}"#
    ));
    let files = printed.stdout.iter();
    let files = files.filter(|piece| matches!(piece, Piece::Media(_)));
    assert_eq!(files.count(), 1_000);
    assert!(show(&printed.stdout).ends_with("end"));
    assert_eq!(
        show(&printed.stderr),
        "mcpx: the result has 1500 files; only 1000 are written\n"
    );
}

#[test]
fn content_of_nonsense_without_end_is_cut() {
    let printed = printed(&format!(r#"{{"content":[{}0]}}"#, "0,".repeat(150_000)));
    assert_eq!(show(&printed.stdout), "0\n".repeat(100_000));
    assert_eq!(
        show(&printed.stderr),
        "mcpx: the result has more than 100000 blocks; the rest is left out\n"
    );
}

#[test]
fn long_content_that_is_repeated_is_still_known() {
    let text = "x".repeat(9 << 20);
    let content = format!(r#"[{{"type":"text","text":"{text}"}},{{"type":"text","text":"b"}}]"#);
    let result = format!(r#"{{"content":{content},"structuredContent":{{"result":{content}}}}}"#);
    succeeds(&result, &format!("{text}\nb"));
}
