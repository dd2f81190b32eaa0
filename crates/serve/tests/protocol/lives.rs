//! How each version of the protocol opens, and what it sees.

use serde_json::json;

use crate::talk::{HANDSHAKES, NEWEST, World};
use crate::{every_version, text};

#[tokio::test]
async fn a_client_of_any_version_lists_and_calls() {
    let world = World::new();
    for version in every_version() {
        let mut talk = world.talk();
        talk.open(version).await;
        let list = talk.result("tools/list", json!({})).await;
        let names: Vec<&str> = (list["tools"].as_array().expect("tools").iter())
            .map(|tool| tool["name"].as_str().expect("a name"))
            .collect();
        assert_eq!(
            names,
            [
                "ticker_count",
                "ticker_wait",
                "ticker_echo",
                "ticker_json",
                "ticker_fail"
            ]
        );
        let result = talk
            .call("ticker_echo", json!({"word": ["--times=9", "b c"]}))
            .await;
        assert_eq!(result["isError"], false, "{version}: {result}");
        assert_eq!(
            result["structuredContent"]["stdout"], "--times=9\nb c\n",
            "{version}"
        );
        assert_eq!(result["structuredContent"]["exitCode"], 0, "{version}");
        assert!(text(&result).contains("b c"), "{version}");
        talk.leave().await;
    }
}

#[tokio::test]
async fn initialize_agrees_on_the_version_asked_for_or_the_newest_that_has_it() {
    let world = World::new();
    for (asked, agreed) in HANDSHAKES
        .map(|version| (version, version))
        .into_iter()
        .chain([(NEWEST, "2025-11-25"), ("1999-01-01", "2025-11-25")])
    {
        let mut talk = world.talk();
        let info = talk.initialize(asked).await;
        assert_eq!(info["protocolVersion"], agreed, "asked for {asked}");
        assert_eq!(info["serverInfo"]["name"], "ticker");
        assert_eq!(info["serverInfo"]["title"], "Ticker");
        assert_eq!(info["capabilities"]["tools"]["listChanged"], true);
        assert!(info["capabilities"]["logging"].is_object());
        let instructions = info["instructions"].as_str().expect("instructions");
        assert!(
            instructions.contains("ticker 1.0 (5 tools)"),
            "{instructions}"
        );
        talk.result("ping", json!({})).await;
        talk.leave().await;
    }
}

#[tokio::test]
async fn the_newest_version_needs_no_opening() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open(NEWEST).await;
    let found = talk.result("server/discover", json!({})).await;
    let versions: Vec<&str> = every_version().collect();
    assert_eq!(found["supportedVersions"], json!(versions));
    assert_eq!(found["resultType"], "complete");
    assert!(found["instructions"].is_string());
    assert_eq!(
        found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "ticker"
    );
    for method in [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ] {
        let list = talk.result(method, json!({})).await;
        assert_eq!(list["resultType"], "complete", "{method}");
        assert_eq!(list["cacheScope"], "private", "{method}");
        assert!(
            list["ttlMs"].as_u64().is_some_and(|ttl| ttl > 0),
            "{method}"
        );
    }
    let page = talk
        .result("resources/read", json!({"uri": "argway://ticker/help"}))
        .await;
    assert_eq!(page["cacheScope"], "private");
    assert!(page["ttlMs"].is_u64());
    for gone in ["ping", "logging/setLevel", "resources/subscribe"] {
        let params = json!({"level": "info", "uri": "argway://ticker/help"});
        assert_eq!(talk.error(gone, params).await["code"], -32601, "{gone}");
    }
    talk.leave().await;
}

#[tokio::test]
async fn a_request_without_its_version_or_with_an_unknown_one_is_refused() {
    let world = World::new();
    let mut talk = world.talk();
    let bare = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {}});
    talk.send(&bare).await;
    assert_eq!(talk.next().await["error"]["code"], -32602);
    let mut unknown = bare.clone();
    unknown["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2199-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    talk.send(&unknown).await;
    let answer = talk.next().await;
    assert_eq!(answer["id"], "a");
    assert_eq!(answer["error"]["code"], -32022);
    talk.leave().await;
}

#[tokio::test]
async fn older_versions_do_not_see_what_the_newest_added() {
    let world = World::new();
    let mut talk = world.talk();
    talk.open("2025-06-18").await;
    let list = talk.result("tools/list", json!({})).await;
    for new in ["resultType", "ttlMs", "cacheScope"] {
        assert!(list.get(new).is_none(), "{new}");
    }
    assert_eq!(
        talk.error("subscriptions/listen", json!({"notifications": {}}))
            .await["code"],
        -32601
    );
    talk.leave().await;
}
