//! Tools that somebody described by hand, as a client sees them.

use std::sync::Arc;

use argway_core::model::{CommandSpec, Family, Kind, Param, Program, RunSpec, Scalar, Secret};
use serde_json::json;

use crate::talk::World;
use crate::{every_version, text};

/// `sh -c script`, with a secret `token` in its variable TOKEN.
fn definition(script: &str) -> Program {
    let mut token = Param::flag("token", Kind::One(Scalar::String));
    token.secret = Some(Secret::Environment("TOKEN".to_owned()));
    let run = RunSpec {
        words: vec!["-c".to_owned(), script.to_owned()],
        ..RunSpec::default()
    };
    Program {
        name: "tool".to_owned(),
        executable: Some("/bin/sh".to_owned()),
        version: None,
        family: Family::Definition,
        commands: vec![CommandSpec {
            runnable: true,
            params: vec![token],
            run: Some(Arc::new(run)),
            ..CommandSpec::default()
        }],
    }
}

#[tokio::test]
async fn a_secret_is_in_no_notification() {
    let world = World::new();
    let script = r#"for n in 1 2 3; do echo "with $TOKEN" >&2; sleep 0.3; done; echo done"#;
    for version in every_version() {
        let mut talk = world.talk_of(definition(script));
        talk.open(version).await;
        let tools = talk.result("tools/list", json!({})).await;
        let name = tools["tools"][0]["name"].as_str().expect("a name");
        let mut call = json!({"name": name, "arguments": {"token": "hunter2"}});
        call["_meta"]["progressToken"] = json!("p");
        call["_meta"]["io.modelcontextprotocol/logLevel"] = json!("debug");
        if version != crate::NEWEST {
            talk.result("logging/setLevel", json!({"level": "debug"}))
                .await;
        }
        let result = talk.result("tools/call", call).await;
        assert!(text(&result).contains("done"), "{result}");
        let heard = format!("{:?}", talk.heard);
        assert!(heard.contains("with ***"), "{version}: {heard}");
        assert!(!heard.contains("hunter2"), "{version}: {heard}");
        talk.leave().await;
    }
}

#[tokio::test]
async fn a_definition_that_cannot_be_run_is_told_to_the_model() {
    let world = World::new();
    let mut program = definition("true");
    program.executable = Some("/no/such/program".to_owned());
    let mut talk = world.talk_of(program);
    talk.open("2025-11-25").await;
    let tools = talk.result("tools/list", json!({})).await;
    let name = tools["tools"][0]["name"]
        .as_str()
        .expect("a name")
        .to_owned();
    let result = talk.call(&name, json!({})).await;
    assert_eq!(result["isError"], true);
    assert_eq!(text(&result), "/no/such/program does not exist");
    talk.leave().await;
}
