//! What argway takes for a duration, an address, bytes or a number is what Go
//! takes, in the check and in the pattern that a model sees.

use argway_core::argv::go;
use argway_core::model::Scalar;
use argway_core::schema::patterns;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::json;

use super::support::ask;

/// Candidates of each shape that are tried.
const EACH: usize = 1500;

#[track_caller]
fn agrees(kind: &str, checks: fn(&str) -> bool, shapes: &[&str], by_hand: &[&str]) {
    let mut runner = TestRunner::deterministic();
    let mut texts: Vec<String> = by_hand.iter().map(|text| (*text).to_owned()).collect();
    for shape in shapes {
        let strategy = proptest::string::string_regex(shape).unwrap();
        texts.extend((0..EACH).map(|_| strategy.new_tree(&mut runner).unwrap().current()));
    }
    let questions: Vec<_> = texts
        .iter()
        .map(|text| json!({"kind": kind, "text": text}))
        .collect();
    let scalar: Scalar = kind.parse().unwrap();
    let pattern = patterns::of(&scalar).map(|pattern| regress::Regex::new(pattern).unwrap());
    let (mut taken, mut refused) = (0, 0);
    for (text, answer) in texts.iter().zip(ask("newest", "values", &questions)) {
        let go = answer.as_bool().unwrap();
        assert_eq!(checks(text), go, "{kind}: the check of {text:?}");
        if let Some(pattern) = &pattern {
            let matches = pattern.find(text).is_some();
            // A pattern cannot know that a duration is too long for 64 bits.
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            let too_long = kind == "duration" && digits >= 7 && matches && !go;
            assert!(
                matches == go || too_long,
                "{kind}: the pattern for {text:?}"
            );
        }
        match go {
            true => taken += 1,
            false => refused += 1,
        }
    }
    assert!(
        taken > 100 && refused > 100,
        "{kind}: {taken} taken, {refused} refused"
    );
}

#[test]
fn durations_are_go_s() {
    agrees(
        "duration",
        go::is_duration,
        &[
            "[-+]?([0-9]{0,3}(\\.[0-9]{0,3})?(ns|us|µs|μs|ms|s|m|h)){1,3}",
            "[-+]?[0-9]{1,22}(ns|us|ms|s|m|h)",
            "[-+]?[0-9]{17,21}(\\.[0-9]{0,25})?ns",
            "[-+0-9.nuµμmsh ]{0,8}",
        ],
        &[
            "",
            "0",
            "+0",
            "-0",
            "00",
            "0.0",
            "1.s",
            ".5s",
            ".s",
            "-9223372036854775808ns",
        ],
    );
}

#[test]
fn addresses_are_go_s() {
    agrees(
        "ip",
        go::is_ip,
        &[
            "([0-9]{1,3}\\.){3}[0-9]{1,3}",
            "([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,5}",
            "([0-9a-f]{1,2}:){0,7}(:[0-9a-f]{1,2}){0,7}",
            "([0-9a-f]{1,2}:){0,4}(:[0-9a-f]{1,2}){0,4}:",
            "(::)?([0-9a-f]{1,4}:){0,6}(25[0-5]|1?[0-9]{2})(\\.[0-9]{1,2}){3}",
            "([0-9a-f]:){0,6}:([0-9a-f]:){0,6}1\\.2\\.3\\.4",
            "[0-9a-f:.%]{0,10}",
        ],
        &[
            "",
            "::",
            "::1",
            "fe80::1%eth0",
            "::ffff:1.2.3.4",
            "1.2.3.04",
            "::00001",
            " ::1",
        ],
    );
}

#[test]
fn networks_are_go_s() {
    agrees(
        "ip_net",
        go::is_cidr,
        &[
            "(1?[0-9]{1,2}\\.){3}[0-9]{1,2}/0{0,2}[0-9]{0,3}",
            "([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}/0{0,2}[0-9]{0,3}",
            "([0-9a-f]:){0,3}:([0-9a-f]:){0,3}(1\\.2\\.3\\.4|a)/[0-9]{0,3}",
            "[0-9a-f:./]{0,10}",
        ],
        &[
            "1.2.3.4/+8",
            "1.2.3.4/8/8",
            "::/129",
            "::/128",
            "/8",
            "1.2.3.4/ 8",
            "::%a/8",
        ],
    );
}

#[test]
fn masks_are_pflag_s() {
    agrees(
        "ip_mask",
        go::is_mask,
        &[
            "[0-9a-fA-F_]{8}",
            "[0-9a-g+x-]{7,9}",
            "(25[0-9]\\.){3}[0-9]{1,3}",
            "([0-9a-f]{1,4}:){7}[0-9a-f]",
        ],
        &["ffffff00", "_f_f_f_f", "::1", ""],
    );
}

#[test]
fn bytes_are_go_s() {
    agrees(
        "hex",
        go::is_hex,
        &["[0-9a-fA-F]{0,7}", "[0-9a-g ]{0,4}"],
        &["", "0x"],
    );
    agrees(
        "base64",
        go::is_base64,
        &[
            "([A-Za-z0-9+/]{4}){0,3}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?",
            "([A-Za0+/=\r\n]{1,3}){0,4}",
            "[\r\n]?([Aa][\r\n]{0,2}){2,4}(=[\r\n]?){0,3}",
        ],
        &["", "\n", "YQ==\n", "YQ=\n=", "=", "===="],
    );
}

#[test]
fn numbers_as_strings_are_go_s_but_for_what_is_no_plain_number() {
    use argway_core::argv::Arguments;
    use argway_core::catalog::{Layout, Selection};
    let catalog = super::support::catalog("newest", &Selection::default());
    let tool = catalog.find("everyflag_all").unwrap();
    let takes = |flag: &str, text: &str| {
        let json = json!({flag: text});
        Arguments::check(tool, Layout::Flat, json.as_object().unwrap()).is_ok()
    };
    let mut runner = TestRunner::deterministic();
    let digits = proptest::string::string_regex("[-+]?[0-9]{0,21}|[-+0-9.e_ ]{0,4}").unwrap();
    for (flag, kind) in [
        ("int8", "int8"),
        ("int64", "int"),
        ("uint16", "uint16"),
        ("uint64", "uint"),
    ] {
        let texts: Vec<String> = (0..EACH)
            .map(|_| digits.new_tree(&mut runner).unwrap().current())
            .chain(["127", "128", "-128", "-129", "65535", "65536"].map(str::to_owned))
            .chain(
                [
                    "9223372036854775807",
                    "9223372036854775808",
                    "18446744073709551615",
                ]
                .map(str::to_owned),
            )
            .collect();
        let questions: Vec<_> = texts
            .iter()
            .map(|text| json!({"kind": kind, "text": text}))
            .collect();
        for (text, answer) in texts.iter().zip(ask("newest", "values", &questions)) {
            // A sign before an unsigned number is dropped, not refused: `+5` and `-0`.
            let zero = text.trim_start_matches(['-', '0']).is_empty();
            let signed = kind.starts_with('u') && (text.starts_with('+') || zero);
            if !signed {
                assert_eq!(takes(flag, text), answer == json!(true), "{kind} {text:?}");
            }
        }
    }
}
