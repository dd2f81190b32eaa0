//! What is kept, for whom, for how long; and what may go wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;
use crate::config::ToolSettings;

const MINUTE: Duration = Duration::from_secs(60);

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

fn some_key() -> Key {
    key("identity", "tool", &raw("{}"))
}

fn cache() -> (TempDir, Cache) {
    let root = tempfile::tempdir().unwrap();
    let cache = Cache::new(root.path().join("a/cache"));
    (root, cache)
}

#[test]
fn an_answer_is_given_again_byte_for_byte() {
    let (_root, cache) = cache();
    let result = raw(r#"{ "b":1.50,  "a": 12345678901234567890123, "é":"\u00e9" }"#);
    cache.put(&some_key(), &result).unwrap();
    let hit = cache.get(&some_key(), MINUTE).unwrap();
    assert_eq!(hit.result.get(), result.get());
    assert!(hit.age < MINUTE);
}

#[test]
fn a_later_answer_replaces_an_earlier_one() {
    let (_root, cache) = cache();
    for answer in ["1", "2"] {
        cache.put(&some_key(), &raw(answer)).unwrap();
    }
    assert_eq!(cache.get(&some_key(), MINUTE).unwrap().result.get(), "2");
}

#[test]
fn calls_that_mean_the_same_share_an_answer_and_others_do_not() {
    let one = key("i", "t", &raw(r#"{"a": 1, "b": 2}"#));
    assert_eq!(one, key("i", "t", &raw(r#"{"b":2,"a":1}"#)));
    let others = [
        key("j", "t", &raw(r#"{"a":1,"b":2}"#)),
        key("i", "u", &raw(r#"{"a":1,"b":2}"#)),
        key("i", "t", &raw(r#"{"a":1.0,"b":2}"#)),
        key("i", "t", &raw(r#"{"a":"1","b":2}"#)),
        key("it", "", &raw(r#"{"a":1,"b":2}"#)),
    ];
    for other in others {
        assert_ne!(one, other);
    }
}

#[test]
fn nothing_is_answered_that_was_not_kept() {
    let (_root, cache) = cache();
    assert!(cache.get(&some_key(), MINUTE).is_none());
}

/// An answer that was written so long ago; in the future if it is negative.
fn aged(seconds: i64) -> (TempDir, Cache) {
    let (root, cache) = cache();
    cache.put(&some_key(), &raw("1")).unwrap();
    let age = Duration::from_secs(seconds.unsigned_abs());
    let written = match seconds < 0 {
        true => SystemTime::now() + age,
        false => SystemTime::now() - age,
    };
    fs::write(cache.path(&some_key()), encode(written, b"1")).unwrap();
    (root, cache)
}

#[test]
fn an_answer_grows_old() {
    let (_root, cache) = aged(30);
    let hit = cache.get(&some_key(), MINUTE).unwrap();
    assert_eq!(hit.age.as_secs(), 30);
    assert!(cache.get(&some_key(), Duration::from_secs(30)).is_none());
    assert!(cache.get(&some_key(), Duration::from_secs(29)).is_none());
}

#[test]
fn an_answer_from_the_future_is_none() {
    let (_root, cache) = aged(-3600);
    assert!(cache.get(&some_key(), MINUTE).is_none());
}

#[test]
fn a_damaged_file_is_a_miss() {
    let now = SystemTime::now();
    let whole = encode(now, br#"{"a":1}"#);
    let text = String::from_utf8(whole.clone()).unwrap();
    let cases: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"\n".to_vec(),
        whole[..whole.len() - 1].to_vec(),
        text.replace(r#""a":1"#, r#""a":2"#).into_bytes(),
        text.replace("answer-1", "answer-2").into_bytes(),
        text.replacen(' ', " x", 1).into_bytes(),
        [whole.clone(), b" ".to_vec()].concat(),
        encode(now, b"not json"),
        encode(now, b"\"\xff\""),
        vec![b'x'; 10_000],
        vec![0; 10_000],
    ];
    let (_root, cache) = cache();
    cache.put(&some_key(), &raw("1")).unwrap();
    for bytes in cases {
        fs::write(cache.path(&some_key()), &bytes).unwrap();
        let shown = String::from_utf8_lossy(&bytes)
            .chars()
            .take(80)
            .collect::<String>();
        assert!(cache.get(&some_key(), MINUTE).is_none(), "{shown}");
    }
    fs::write(cache.path(&some_key()), whole).unwrap();
    assert!(cache.get(&some_key(), MINUTE).is_some());
}

#[test]
fn a_link_is_not_followed() {
    let (root, cache) = cache();
    cache.put(&some_key(), &raw("1")).unwrap();
    let elsewhere = root.path().join("elsewhere");
    fs::rename(cache.path(&some_key()), &elsewhere).unwrap();
    symlink(&elsewhere, cache.path(&some_key())).unwrap();
    assert!(cache.get(&some_key(), MINUTE).is_none());
}

#[test]
fn files_are_the_owners_alone() {
    let (_root, cache) = cache();
    cache.put(&some_key(), &raw("1")).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
    assert_eq!(mode(&cache.path(&some_key())), 0o600);
    assert_eq!(mode(&cache.folder), 0o700);
    fs::set_permissions(&cache.folder, Permissions::from_mode(0o755)).unwrap();
    cache.put(&some_key(), &raw("1")).unwrap();
    assert_eq!(mode(&cache.folder), 0o700);
    let names: Vec<_> = fs::read_dir(&cache.folder).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing unfinished is left");
}

#[test]
fn what_cannot_be_kept_is_a_sentence() {
    let (root, cache) = cache();
    let large = raw(&format!("\"{}\"", "x".repeat(LARGEST)));
    assert_eq!(
        cache.put(&some_key(), &large).unwrap_err(),
        "the answer is larger than 8 MiB"
    );
    fs::write(root.path().join("a"), "a file in the folder's place").unwrap();
    let error = cache.put(&some_key(), &raw("1")).unwrap_err();
    assert_eq!(
        error.replace(root.path().to_str().unwrap(), "~"),
        "~/a/cache: Not a directory (os error 20)"
    );
    let full = Cache::new("/proc/mcpx".into());
    let error = full.put(&some_key(), &raw("1")).unwrap_err();
    assert!(error.starts_with("/proc/mcpx: "), "{error}");
}

#[test]
fn what_forbids_counts_before_what_allows() {
    let seconds = Duration::from_secs;
    let tool = |cache| ToolSettings { cache: Some(cache) };
    let settings = Settings {
        cache_ttl: Some(seconds(30)),
        no_cache_tools: vec!["create-*".into()],
        tools: BTreeMap::from([
            ("get".into(), tool(ToolCache::For(seconds(5)))),
            ("send".into(), tool(ToolCache::Never)),
            ("create-x".into(), tool(ToolCache::For(seconds(5)))),
            ("plain".into(), ToolSettings::default()),
        ]),
        ..Settings::default()
    };
    let asked = Some(seconds(60));
    let cases = [
        ("list", None, false, Some(30)),
        ("plain", None, false, Some(30)),
        ("get", None, false, Some(5)),
        ("send", None, false, None),
        ("create-issue", None, false, None),
        ("create-x", None, false, None),
        ("list", asked, false, Some(60)),
        ("send", asked, false, None),
        ("create-issue", asked, false, None),
        ("get", asked, false, Some(60)),
        ("get", asked, true, None),
        ("list", None, true, None),
    ];
    for (tool, cache, no_cache, expected) in cases {
        assert_eq!(
            policy(&settings, tool, cache, no_cache),
            expected.map(seconds),
            "{tool} {cache:?} {no_cache}"
        );
    }
    assert_eq!(policy(&Settings::default(), "list", None, false), None);
}

#[test]
fn whoever_reads_meanwhile_gets_a_whole_answer() {
    let (_root, cache) = cache();
    let answers = ["1", "2"].map(|digit| raw(&format!("\"{}\"", digit.repeat(200_000))));
    cache.put(&some_key(), &answers[0]).unwrap();
    std::thread::scope(|scope| {
        for answer in &answers {
            scope.spawn(|| (0..20).for_each(|_| cache.put(&some_key(), answer).unwrap()));
        }
        for _ in 0..50 {
            let hit = cache.get(&some_key(), MINUTE).unwrap();
            assert!(
                answers
                    .iter()
                    .any(|answer| answer.get() == hit.result.get())
            );
        }
    });
}
