//! Lists, and what there is to read beside the tools.

use std::collections::BTreeSet;

use serde_json::json;

use crate::every_version;
use crate::talk::{NEWEST, World};

#[tokio::test]
async fn lists_come_in_pages_and_a_wrong_cursor_is_refused() {
    let world = World::new();
    for version in every_version() {
        let mut talk = world.talk_with(2, None);
        talk.open(version).await;
        for (method, field, key, total) in [
            ("tools/list", "tools", "name", 5),
            ("resources/list", "resources", "uri", 7),
            ("prompts/list", "prompts", "name", 1),
        ] {
            let mut seen = BTreeSet::new();
            let mut params = json!({});
            loop {
                let page = talk.result(method, params.clone()).await;
                let entries = page[field].as_array().expect("entries");
                assert!(entries.len() <= 2);
                seen.extend(entries.iter().map(|entry| entry[key].to_string()));
                match page.get("nextCursor") {
                    Some(cursor) => params["cursor"] = cursor.clone(),
                    None => break,
                }
            }
            assert_eq!(seen.len(), total, "{method}: {seen:?}");
            for cursor in ["", "0", "1.0", "0.ff", "garbage"] {
                let error = talk.error(method, json!({"cursor": cursor})).await;
                assert_eq!(error["code"], -32602, "{method} {cursor}");
            }
        }
        talk.leave().await;
    }
}

#[tokio::test]
async fn help_pages_and_flag_lists_are_resources() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-11-25").await;
    let templates = talk.result("resources/templates/list", json!({})).await;
    assert_eq!(
        templates["resourceTemplates"][0]["uriTemplate"],
        "argway://{program}/help{/path*}"
    );
    for (uri, part) in [
        (
            "argway://ticker/help",
            "count: Count slowly (tool ticker_count)",
        ),
        (
            "argway://ticker/help/count",
            "--times int: How many steps (default 3)",
        ),
        ("argway://ticker/global-flags", "-v, --verbose: Say more"),
    ] {
        let page = talk.result("resources/read", json!({"uri": uri})).await;
        let content = &page["contents"][0];
        assert_eq!(content["uri"], uri);
        assert!(
            content["text"].as_str().expect("a text").contains(part),
            "{content}"
        );
    }
    for (version, code) in [("2025-11-25", -32002), (NEWEST, -32602)] {
        let mut talk = world.talk();
        talk.open(version).await;
        for uri in [
            "argway://ticker/help/no",
            "argway://no/help",
            "file:///etc/passwd",
            "",
        ] {
            let error = talk.error("resources/read", json!({"uri": uri})).await;
            assert_eq!(error["code"], code, "{uri} in {version}");
        }
        talk.leave().await;
    }
    talk.leave().await;
}

#[tokio::test]
async fn examples_are_prompts_that_show_the_calls() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open(NEWEST).await;
    let list = talk.result("prompts/list", json!({})).await;
    assert_eq!(list["prompts"][0]["name"], "ticker_count");
    let params = json!({"name": "ticker_count", "arguments": {"goal": "count to five"}});
    let prompt = talk.result("prompts/get", params).await;
    let text = prompt["messages"][0]["content"]["text"]
        .as_str()
        .expect("a text");
    for part in [
        r#"{"times":5}"#,
        r#"{"verbose":true,"times":1,"pause":0.01}"#,
        "count to five",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    for name in ["ticker_echo", "nothing"] {
        assert_eq!(
            talk.error("prompts/get", json!({"name": name})).await["code"],
            -32602
        );
    }
    talk.leave().await;
}
