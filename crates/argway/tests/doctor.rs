//! What `argway doctor` says of the machine that it is run on.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use serde_json::Value;
use world::World;

#[test]
fn the_exit_code_says_whether_a_call_gets_a_sandbox() {
    let output = World::new().argway(["doctor", "--json"]);
    let output = output.get_output();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let promises = found["promises"].as_array().unwrap();
    assert!(promises.len() > 5, "{found}");
    let kept = |tier: &str| {
        promises
            .iter()
            .filter(|it| it[tier]["kept"] == true)
            .count()
    };
    let (expected, code) = match (kept("strict"), kept("portable")) {
        (strict, _) if strict == promises.len() => (Value::from("strict"), 0),
        (0, 0) => (Value::Null, 3),
        (0, _) => (Value::from("portable"), 0),
        _ => (Value::from("strict"), 3),
    };
    assert_eq!(
        (&found["tier"], output.status.code()),
        (&expected, Some(code))
    );
}
